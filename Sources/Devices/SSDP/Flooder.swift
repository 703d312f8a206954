package import RollcallPrimitives
import RollcallWire

/// A host that floods the network with devices that are not there (D77).
package struct Flooder: Machine, Sendable {
  package enum Message: String, Hashable, Sendable, CaseIterable { case alive, byebye, response }

  package struct Plan: Hashable, Sendable {
    package var message = Message.alive
    package var perSecond = 1_000
    package var duration = Interval.seconds(10)
    /// How many devices it invents; `nil`: every message is about another one.
    package var deviceCount: Int?
    /// Whether each invented device has an address of its own in the subnet, as the source too; else all have the
    /// flooder's.
    package var inventsAddresses = false
    /// Where answers go; the groups for everything else.
    package var responsesTo: Endpoint?
    package var description = Profile.basic.description
    package init() {}
  }

  package let plan: Plan
  package private(set) var sentCount = 0
  private let blueprint: DeviceBlueprint
  private let identities: DeviceUUID
  private var attachments: [Attachment] = []
  private var draws: RandomStream
  private var startedAt = Instant.never
  private var sentSinceStart: Int64 = 0
  private var next = Instant.never

  package init(_ plan: Plan, seed: Seed, name: String) {
    self.plan = plan
    blueprint = DeviceBlueprint(plan.description)
    identities = DeviceUUID(seed: seed, name: name)
    draws = seed.stream(name + "/flood")
  }

  package var deadline: Instant? { next == .never ? nil : next }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    if case .value(let id) = signal { take(outbox.values[id], at: now, into: &outbox) }
  }

  private mutating func take(_ value: SignalValue, at now: Instant, into outbox: inout Outbox) {
    switch value {
    case .host(.interface(let change)): attachments.take(change)
    case .application(.act(.appear)): if plan.perSecond > 0 { (startedAt, sentSinceStart, next) = (now, 0, now) }
    case .application(.act(.leave)), .application(.act(.vanish)): next = .never
    case .application(.act(.send)): send(at: now, into: &outbox)
    default: break
    }
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    guard next <= now else { return }
    // At most a thousand wakes a second, whatever the rate: each sends what is due before the next one.
    next = now + max(Interval.seconds(1) / Int64(plan.perSecond), .milliseconds(1))
    let due = messageCount(before: min(next - startedAt, plan.duration))
    // A late wake makes good for at most a hundred milliseconds.
    let batch = min(due - sentSinceStart, rate / 10 + 1)
    for _ in 0..<max(batch, 0) { send(at: now, into: &outbox) }
    sentSinceStart = due
    if next - startedAt >= plan.duration { next = .never }
  }

  private var rate: Int64 { Int64(min(plan.perSecond, 10_000_000)) }

  /// How many messages are due in less than this time after the start: the first at once, the others evenly.
  private func messageCount(before time: Interval) -> Int64 {
    guard time > .zero else { return 0 }
    let product = UInt64(time.nanoseconds).multipliedFullWidth(by: UInt64(rate))
    let (whole, rest) = UInt64(1_000_000_000).dividingFullWidth(product)
    return Int64(whole) + (rest > 0 ? 1 : 0)
  }

  private mutating func send(at now: Instant, into outbox: inout Outbox) {
    let number = UInt64(sentCount) % UInt64(clamping: max(plan.deviceCount ?? .max, 1))
    // One message of the set after the other, so that whole sets come together where devices repeat: all devices have
    // the same in one round, and rounds count from 1.
    let round = sentCount / max(plan.deviceCount ?? 1, 1) + 1
    let advert = round % blueprint.set.adverts.count
    sentCount += 1
    for attachment in attachments {
      for isV6 in [false, true] {
        guard let subnet = isV6 ? attachment.v6 : attachment.v4, attachment.isUp else { continue }
        if plan.message == .response, (plan.responsesTo?.address.family ?? .v4) != subnet.address.family { continue }
        let address = plan.inventsAddresses ? invented(number, in: subnet) : subnet.address
        let fill = MessageFill(
          uuid: identities.derived(number), uuidStyle: blueprint.description.uuidStyle, host: address, isV6: isV6,
          port: blueprint.description.port, alternatePort: blueprint.description.port, bootID: 1, nextBootID: 2,
          configID: 1, version: blueprint.versions[advert],
          clockSeconds: blueprint.description.clockEpochSeconds &+ now.nanoseconds / 1_000_000_000)
        let kind: DeviceMessageKind
        var destination = Endpoint.ssdp(isV6: isV6)
        switch plan.message {
        case .alive: kind = .alive
        case .byebye: kind = .byebye
        case .response:
          kind = .response
          guard let target = plan.responsesTo else { continue }
          destination = target
        }
        outbox.transmit(
          Datagram(
            source: Endpoint(address, port: RootDevice.ssdpPort), destination: destination,
            interface: attachment.interface, hopLimit: blueprint.description.multicastHopLimit,
            payload: blueprint.write(blueprint.form(kind, advert), to: outbox.payloads, fill)))
      }
    }
  }

  /// An address of the subnet that follows from the number; not the flooder's own.
  private func invented(_ number: UInt64, in subnet: InterfaceAddress) -> IPAddress {
    guard subnet.address.family == .v4 else {
      return IPAddress(v6High: subnet.address.high, low: subnet.address.low ^ (number &+ 1) &<< 16)
    }
    let hostBits = UInt64(32 - min(max(subnet.prefixBits, 8), 30))
    let mask: UInt64 = 1 &<< hostBits &- 1
    // Neither the subnet's own number nor its broadcast address.
    let count = mask &- 1
    var host = 1 &+ number % count
    if host == subnet.address.low & mask { host = 1 &+ host % count }
    return IPAddress(v4: UInt32(truncatingIfNeeded: subnet.address.low & ~mask | host))
  }
}
