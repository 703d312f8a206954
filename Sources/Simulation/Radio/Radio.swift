import RollcallPrimitives
import RollcallWire

/// One radio while a run goes on.
struct Radio {
  let plan: RadioHostPlan
  /// Its number in the network.
  let host: Int
  let isFixed: Bool
  var isOn = true
  /// What it sends; few.
  private(set) var sets: [AdvertisingSet] = []
  var scan: Scan?
  /// Then it sends, or waits for an answer to what it sent, and hears nothing else. Of the latest such time alone: they
  /// are further apart than a packet is long.
  var deafFrom = Int64.min
  var deafUntil = Int64.min
  /// Draws the random part of each advertising interval, and a word for each packet.
  var draws: RandomStream
  /// Draws what passes before it asks again, and a word for each question.
  var backoffDraws: RandomStream
  /// Advertisers that it waits for, to connect to them.
  var initiations: [RadioMedium.Initiation] = []
  /// Its connections, in the order in which they were made.
  var links: [LinkPlace] = []
  /// Connections that it asked for, and those that others asked it for, so far.
  var linkCount: UInt32 = 0
  private var acceptedCount: UInt32 = 0
  private let lossKey: UInt64
  /// The state of a channel with bursts of losses.
  private var isLossBad = false
  /// The path loss from each radio, in thousandths of a decibel; the lowest number: not worked out.
  private var losses: [Int32] = []

  init(_ plan: RadioHostPlan, host: Int, seed: Seed) {
    (self.plan, self.host, isFixed) = (plan, host, plan.walks.isEmpty)
    ownAddress = Radio.firstAddress(ofHost: host)
    draws = seed.stream("radio/\(plan.name)/advertising")
    backoffDraws = seed.stream("radio/\(plan.name)/scanning")
    var key = seed.stream("radio/\(plan.name)/loss")
    lossKey = key.next()
  }

  /// The address from which it asks: static random, with the number of its host, until its machine chooses another.
  var ownAddress: RadioAddress

  static func firstAddress(ofHost host: Int) -> RadioAddress {
    RadioAddress(bits: 0xC000_0000_0000 | UInt64(host), isRandom: true)
  }

  /// The number of a connection that somebody asked it for: from the top downwards.
  mutating func takeAcceptedNumber() -> LinkID {
    acceptedCount &+= 1
    return LinkID(0 &- acceptedCount)
  }

  // MARK: - Sets

  /// Puts a set in the place of the one with its number; its generation, or `nil` where so many others are sent that
  /// there is no room.
  mutating func start(_ set: AdvertisingSet) -> UInt32? {
    if let place = sets.firstIndex(where: { $0.number == set.number }) {
      let generation = (sets[place].generation &+ 1) & AdvertisingSet.generationMask
      sets[place] = set
      sets[place].generation = generation
      return generation
    }
    if sets.count < RadioMedium.setsMaximum {
      sets.append(set)
      return set.generation
    }
    // One that is silent makes room. Its number may come back while something of it is scheduled, so no generation of
    // before is used again.
    guard let place = sets.firstIndex(where: { !$0.isRunning }) else { return nil }
    let generation = ((sets.map(\.generation).max() ?? 0) &+ 1) & AdvertisingSet.generationMask
    sets[place] = set
    sets[place].generation = generation
    return generation
  }

  mutating func stop(_ number: UInt8) {
    guard let place = sets.firstIndex(where: { $0.number == number }) else { return }
    sets[place].isRunning = false
  }

  /// The set, if it still sends what it sent in this generation.
  @inline(__always) func running(_ number: UInt8, _ generation: UInt32) -> AdvertisingSet? {
    for set in sets where set.number == number {
      return set.isRunning && set.generation == generation ? set : nil
    }
    return nil
  }

  // MARK: - Receiving

  @inline(__always) func isDeaf(during packet: AirPacket) -> Bool {
    packet.start < deafUntil && deafFrom < packet.end
  }

  /// Whether it loses a packet that is strong enough and alone.
  mutating func loses(draw: UInt64) -> Bool {
    if plan.loss.isNone { return false }
    var stream = RandomStream(mixing: lossKey, draw)
    return plan.loss.happens(isBad: &isLossBad, &stream)
  }

  func loss(from sender: Int) -> Int? {
    sender < losses.count && losses[sender] != .min ? Int(losses[sender]) : nil
  }

  mutating func keep(_ loss: Int, from sender: Int, of count: Int) {
    if losses.isEmpty { losses = [Int32](repeating: .min, count: count) }
    losses[sender] = Int32(clamping: loss)
  }

  // MARK: - Asking

  /// Whether it asks now; else one scannable packet fewer is to pass.
  mutating func isReadyToAsk() -> Bool {
    guard let left = scan?.backoff else { return false }
    if left > 1 { scan?.backoff = left - 1 }
    return left <= 1
  }

  /// Two answers in a row, and it asks more often; two that do not come, and it asks less.
  mutating func note(answer: Bool) {
    guard var scan else { return }
    (scan.answered, scan.missed) = answer ? (scan.answered + 1, 0) : (0, scan.missed + 1)
    if scan.answered == 2 {
      scan.backoffMaximum = max(1, scan.backoffMaximum / 2)
      scan.answered = 0
    } else if scan.missed == 2 {
      scan.backoffMaximum = min(Scan.backoffMaximum, scan.backoffMaximum * 2)
      scan.missed = 0
    }
    scan.backoff = 1 + Int(backoffDraws.below(UInt64(scan.backoffMaximum)))
    self.scan = scan
  }
}

/// What a machine asked its controller to send, again and again.
struct AdvertisingSet {
  let number: UInt8
  /// Another one means that the machine asked for something else since: what was scheduled before is void.
  var generation: UInt32 = 0
  var isRunning = true
  let interval: Interval
  let pdu: [UInt8]
  let response: [UInt8]
  let sender: RadioAddress
  /// How long a packet of `pdu` is on the air, in nanoseconds.
  let airtime: Int64
  /// From the start of one packet to that of the next, on the next channel. Where a scanner may ask, there is room for
  /// the question and its answer.
  let step: Int64
  /// Whether a scanner may ask for the response.
  let isScannable: Bool
  private let kind: AdvertisingPDU.Kind
  /// The one central that it speaks to; `nil`: everybody.
  private let target: RadioAddress?
  /// Whether its packets are those of extended advertising: three that lead to a fourth one on a data channel, which is
  /// the PDU that the machine wants.
  let isExtended: Bool
  /// Of extended advertising: a number of `AdvertisingPDU.Mode`.
  let mode: UInt8

  static let generationMask: UInt32 = 0xFF_FFFF
  /// Between packets that belong together.
  static let pause: Int64 = 150_000
  static let requestAirtime = AirPacket.airtime(ofBytes: 14)

  /// From the start of the first packet to the end of the last.
  let eventLength: Int64

  /// `nil`: no controller could send that.
  init?(_ number: UInt8, every interval: Interval, pdu: [UInt8], response: [UInt8]) {
    guard RadioMedium.intervals.contains(interval), let read = AdvertisingSet.read(pdu), let sender = read.sender,
      AdvertisingSet.isUsable(read, response: response)
    else { return nil }
    (self.number, self.interval, self.pdu, self.response, self.sender) = (number, interval, pdu, response, sender)
    (kind, target) = (read.kind, read.target)
    isExtended = read.kind == .extended
    mode = read.extension?.mode ?? 0
    let answer = AdvertisingSet.requestAirtime + AirPacket.airtime(ofBytes: response.count) + 2 * AdvertisingSet.pause
    if isExtended {
      isScannable = mode == AdvertisingPDU.Mode.scannable && !response.isEmpty
      (airtime, step) = (AdvertisingSet.pointerAirtime, AdvertisingSet.pointerStep)
      let room = isScannable ? answer : mode == AdvertisingPDU.Mode.connectable ? AdvertisingSet.connectingTime : 0
      eventLength = AdvertisingSet.auxiliaryOffset + AirPacket.airtime(ofBytes: pdu.count) + room
    } else {
      isScannable = (read.kind == .connectable || read.kind == .scannable) && !response.isEmpty
      airtime = AirPacket.airtime(ofBytes: pdu.count)
      step = airtime + AdvertisingSet.pause + (isScannable ? answer : 0)
      eventLength = 2 * step + airtime
    }
  }

  /// Whether a controller sends that, and answers with that.
  private static func isUsable(_ pdu: AdvertisingPDU, response: [UInt8]) -> Bool {
    let answer = response.isEmpty ? nil : AdvertisingSet.read(response)
    guard response.isEmpty || answer != nil else { return false }
    if pdu.kind == .extended { return isUsableExtended(pdu, answer) }
    return [.connectable, .directed, .nonconnectable, .scannable].contains(pdu.kind)
      && (answer == nil || answer?.kind == .scanResponse)
  }

  /// Whether a radio of this address may ask it for a connection.
  func isConnectable(by address: RadioAddress) -> Bool {
    kind == .connectable || kind == .directed && target == address
      || isExtended && mode == AdvertisingPDU.Mode.connectable
  }

  /// A PDU with nothing behind it.
  static func read(_ bytes: [UInt8]) -> AdvertisingPDU? {
    bytes.withUnsafeBytes { bytes -> AdvertisingPDU? in
      guard let pdu = try? AdvertisingPDU(bytes), pdu.byteCount == bytes.count else { return nil }
      return pdu
    }
  }
}

/// What a machine asked its controller to listen for; times in nanoseconds.
struct Scan {
  let start: Int64
  let window: Int64
  let interval: Int64
  let isActive: Bool
  /// Whether the host is told of what is heard; else the radio only waits for somebody to connect to.
  let isForHost: Bool
  /// How many scannable packets are to come until it asks.
  var backoff = 1
  var backoffMaximum = 1
  /// Answers that came, or did not, one after the other.
  var answered = 0
  var missed = 0

  static let backoffMaximum = 256

  init(start: Int64, window: Int64, interval: Int64, isActive: Bool, isForHost: Bool = true) {
    (self.start, self.window, self.interval, self.isActive) = (start, window, interval, isActive)
    self.isForHost = isForHost
  }

  /// Whether it listens for all of a packet: within one window, on the channel of that window.
  @inline(__always) func covers(_ packet: AirPacket) -> Bool {
    guard packet.start >= start else { return false }
    let (number, into) = (packet.start - start).quotientAndRemainder(dividingBy: interval)
    return number % 3 == packet.channel && into + (packet.end - packet.start) <= window
  }
}
