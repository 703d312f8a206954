package import RollcallPrimitives
import RollcallWire

/// A peripheral whose packets a receiver heard once: they go on the air again at the same times, and are heard as they
/// were heard then. It answers nobody.
package struct RecordedPeripheral: Machine, Sendable {
  /// When a packet was heard, and how.
  package struct Hearing: Hashable, Sendable {
    /// After `appear`.
    package var at: Interval
    /// `nil`: the receiver did not say.
    package var channel: UInt8?
    /// In dBm; `nil`: the receiver did not say.
    package var strength: Int8?

    package init(at: Interval, channel: UInt8? = nil, strength: Int8? = nil) {
      (self.at, self.channel, self.strength) = (at, channel, strength)
    }
  }
  /// A packet, and each time that it was heard.
  package struct Packet: Hashable, Sendable {
    /// Header and payload.
    package var pdu: [UInt8]
    package var heard: [Hearing]

    package init(pdu: [UInt8] = [], heard: [Hearing] = []) { (self.pdu, self.heard) = (pdu, heard) }
  }
  package struct Plan: Hashable, Sendable {
    package var packets: [Packet]

    /// Header and payload of an advertisement.
    package static let pduBytesMaximum = 257

    package init(_ packets: [Packet] = []) { self.packets = packets }
  }

  package let plan: Plan
  /// Every hearing, in the order of time; of equal times, in that of the plan.
  private let order: [(packet: Int, hearing: Hearing)]
  private var startedAt = Instant.zero
  private var position: Int

  package init(_ plan: Plan) {
    self.plan = plan
    let all = plan.packets.indices.flatMap { place in plan.packets[place].heard.map { (packet: place, hearing: $0) } }
    order = all.enumerated().sorted { ($0.element.hearing.at, $0.offset) < ($1.element.hearing.at, $1.offset) }
      .map(\.element)
    position = order.count
  }

  package var deadline: Instant? {
    position < order.count ? startedAt + max(order[position].hearing.at, .zero) : nil
  }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    guard case .value(let id) = signal, case .application(.act(let act)) = outbox.values[id] else { return }
    switch act {
    case .appear: (startedAt, position) = (now, 0)
    case .leave, .vanish, .crash: position = order.count
    default: break
    }
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    while let deadline, deadline <= now {
      let (packet, hearing) = order[position]
      position += 1
      outbox.want(
        RadioEffect.resend(
          RadioPDU(
            channel: hearing.channel, strength: hearing.strength, accessAddress: AirFrame.advertisingAddress,
            bytes: plan.packets[packet].pdu)))
    }
  }
}
