import RollcallPrimitives
import RollcallWire

/// One connection between two radios while a run goes on. Times are nanoseconds of the run.
struct RadioLink {
  /// 0: the central, 1: the peripheral.
  var sides: [Side]
  var parameters: LinkParameters
  /// When its first connection event begins, or the first one with the parameters of now.
  var anchor: Int64
  /// Other parameters, and from when on they hold.
  var change: (at: Int64, parameters: LinkParameters)?
  /// Draws a word for each packet: what is lost does not depend on other traffic.
  var draws: RandomStream
  /// What is scheduled for an earlier turn is void.
  var turn: UInt32 = 0
  /// When it is looked at next.
  var dueAt = Int64.max
  /// An event waits until both radios are free.
  var isHeldUp = false

  var interval: Int64 { parameters.interval.nanoseconds }
  var timeout: Int64 { parameters.timeout.nanoseconds }
  /// While nothing is to be said, the two meet so often to know that they still can: a thinned form of the events in
  /// which they would say nothing.
  var checkInterval: Int64 { max(interval, min(timeout / 4, 1_000_000_000)) }

  /// Other parameters hold from so many events behind the one in which the peripheral heard of them.
  static let eventsToChange: Int64 = 6
  /// The two must have met within the first six events.
  static let eventsToEstablish: Int64 = 6
  /// From CONNECT_IND to the first event.
  static let transmitWindowDelay: Int64 = 1_250_000
  /// The same from AUX_CONNECT_REQ.
  static let auxiliaryTransmitWindowDelay: Int64 = 2_500_000
  static let emptyAirtime = AirPacket.airtime(ofBytes: 2)
  static let longestAirtime = AirPacket.airtime(ofBytes: 2 + LinkSize.packetBytesMaximum)
  /// A connection that shares its radio with others takes so long in each event at most.
  static let sharedEventLength: Int64 = 5_000_000

  /// A packet that one side sends until the other has acknowledged it.
  enum Packet: Equatable {
    case empty
    /// So many bytes of the frame at the head of the queue, its last ones or not.
    case fragment(byteCount: Int, isLast: Bool)
    case update(LinkParameters)
    case terminate

    var airtime: Int64 {
      switch self {
      case .empty: RadioLink.emptyAirtime
      case .fragment(let byteCount, _): AirPacket.airtime(ofBytes: 2 + byteCount)
      case .update: AirPacket.airtime(ofBytes: 2 + ConnectionUpdate.byteCount)
      case .terminate: AirPacket.airtime(ofBytes: 4)
      }
    }
  }

  struct Side {
    let radio: Int
    let number: LinkID
    /// Its part of the connection stands.
    var attends: Bool
    /// The start of the last packet that it received; `nil`: none yet.
    var heardAt: Int64?
    /// Of that packet, in dBm.
    var strength: Int8?
    var queue = FrameQueue()
    /// Its host wants to end it.
    var wantsEnd = false
    /// Its host wants other parameters: the central's.
    var wanted: LinkParameters?
    /// What it sent last and has not been acknowledged; sent again as it is.
    var outstanding: Packet?
    /// One bit each: the number of what it sends next, and of what it expects next.
    var sent = false
    var expected = false
    /// The latest time for which its host was promised something.
    var toldUntil = Int64.min

    init(radio: Int, number: LinkID, attends: Bool) {
      (self.radio, self.number, self.attends) = (radio, number, attends)
    }

    var hasToSend: Bool {
      outstanding != nil && outstanding != .empty || wantsEnd || wanted != nil || !queue.isEmpty
    }

    /// What it sends now.
    /// - Parameter mayUpdate: one change at a time.
    mutating func next(mayUpdate: Bool) -> Packet {
      if let outstanding { return outstanding }
      if !wantsEnd, mayUpdate, let wanted {
        self.wanted = nil
        outstanding = .update(wanted)
        return .update(wanted)
      }
      let packet = wantsEnd ? .terminate : queue.next.map { .fragment(byteCount: $0, isLast: $1) } ?? Packet.empty
      outstanding = packet
      return packet
    }
  }

  /// When a side gives up; `never` for one that has.
  func deadline(_ side: Int) -> Int64 {
    guard sides[side].attends else { return .max }
    return sides[side].heardAt.map { $0 + timeout } ?? anchor + RadioLink.eventsToEstablish * interval
  }

  /// When what is heard at `time` holds.
  func instant(ofChangeHeardAt time: Int64) -> Int64 {
    anchor + ((time - anchor) / interval + RadioLink.eventsToChange) * interval
  }

  /// The first connection event at or after `time`, of those that the peripheral attends.
  func event(from time: Int64) -> Int64 {
    guard time > anchor else { return anchor }
    // With something to say the peripheral attends every event.
    let step = sides[1].hasToSend ? interval : interval * (Int64(parameters.latency) + 1)
    return anchor + (time - anchor + step - 1) / step * step
  }
}

/// Frames that a host gave to its controller, in order, and how far the first of them has been sent.
struct FrameQueue {
  private var frames: [[UInt8]] = []
  private var first = 0
  private var offset = 0

  var count: Int { frames.count - first }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ frame: [UInt8]) { frames.append(frame) }

  /// How many bytes come next, and whether they are the last of their frame; `nil`: nothing does.
  var next: (byteCount: Int, isLast: Bool)? {
    guard !isEmpty else { return nil }
    let rest = frames[first].count - offset
    return (min(rest, LinkSize.packetBytesMaximum), rest <= LinkSize.packetBytesMaximum)
  }

  /// The frame of which a part is being sent.
  var head: [UInt8] { frames[first] }

  /// So many bytes have arrived; the frame is done with its last ones.
  mutating func advance(by byteCount: Int, isLast: Bool) {
    guard isLast else { return offset += byteCount }
    (offset, first) = (0, first + 1)
    if first == frames.count {
      frames.removeAll(keepingCapacity: true)
      first = 0
    }
  }

  mutating func removeAll() { self = FrameQueue() }
}
