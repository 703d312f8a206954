import RollcallPrimitives
import RollcallWire

/// One copy of a search, as its socket sent it.
struct Ask: BitwiseCopyable {
  enum Flaw: UInt8 { case none, badMAN, noMX, badMX, zeroMX }

  var target: Target
  var time: Instant
  /// Where it went.
  var to: Endpoint
  var isMulticast: Bool
  /// Seconds; below 1 where there is no usable one.
  var maximumWaitSeconds: Int64
  var flaw: Flaw

  /// How long an answer to it is in time.
  var window: Interval { isMulticast ? .seconds(min(120, max(1, maximumWaitSeconds))) : .seconds(1) }

  /// Whether it asked this source for this; what could not be kept may have asked for anything.
  func asks(_ offer: Target, of source: IPAddress) -> Bool {
    (isMulticast || to.address == source) && (target.number < 0 || target.isAnswered(by: offer))
  }

  /// Whether its ST is the one of the answer, or stands for all.
  func isExact(_ offer: Target) -> Bool {
    target.form == .all || target.number < 0 || target.number == offer.number
  }
}

/// A search with those who answered it.
struct AnsweredAsk {
  var ask: Ask
  /// Who answered with what: a lane and an advert in one number.
  var answered: [UInt64] = []
  static let answeredCountMaximum = 1_024
}

/// The searches of each socket that may still be answered.
struct JoinSockets {
  static let askCountMaximum = 64
  private static let socketsMaximum = 100_000
  private var numbers: [Endpoint: Int] = [:]
  var asks: [[AnsweredAsk]] = []

  func number(of endpoint: Endpoint) -> Int? { numbers[endpoint] }

  /// - Parameter horizon: what was asked before it is forgotten.
  mutating func add(_ ask: Ask, from source: Endpoint, horizon: Instant) -> [AnsweredAsk] {
    var number = numbers[source] ?? -1
    if number < 0 {
      guard asks.count < JoinSockets.socketsMaximum else { return [] }
      number = asks.count
      numbers[source] = number
      asks.append([])
    }
    let count = asks[number].count
    let kept = asks[number].firstIndex { $0.ask.time >= horizon } ?? count
    let excess = max(kept, count - JoinSockets.askCountMaximum + 1)
    let gone = Array(asks[number][..<excess])
    asks[number].removeFirst(excess)
    asks[number].append(AnsweredAsk(ask: ask))
    return gone
  }
}

/// The copies of one search, whatever port they come from.
struct AskSeries {
  struct Key: Hashable {
    var address: IPAddress
    var target: Int32
  }
  var scene: FindingCollector.Scene
  var last: Instant
  /// Whether there was more than one copy.
  var isRepeated = false
  /// Copies within a fifth of a second.
  var burstStart: Instant
  var burstCount = 1
}

/// What is known of a device when it answers.
struct JoinDevice {
  /// What it announced.
  var announced: [Target] = []
  var bootID: Int64 = -1
  var bootIDChangedAt = Instant.zero
  var nextBootID: Int64 = -1
  var hasRoot = false
  var hasUUID = false
  var hasType = false
  static let announcedCountMaximum = 128
  /// It may have announced more than is kept.
  var isFull: Bool { announced.count >= JoinDevice.announcedCountMaximum }
}

struct JoinParty {
  var scene: FindingCollector.Scene?
  /// Waits of answers in millionths of what MX allows.
  var waits: [Int64] = []
}
