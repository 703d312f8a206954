import RollcallPrimitives
import Testing

@testable import RollcallSimulation

/// A network with plain hosts on one segment, and the few moves that tests make.
final class NetworkRig {
  var network: VirtualNetwork
  let payloads: PayloadStore
  let schedule: Schedule
  private(set) var delivery = Delivery()
  static let group = IPAddress.ssdpGroup4

  init(
    hosts: Int, segment: SegmentPlan = SegmentPlan(name: "lan"), outbound: LinkRule = LinkRule(),
    inbound: LinkRule = LinkRule(), seed: UInt64 = 1, edit: (inout NetworkPlan) -> Void = { _ in }
  ) {
    var plan = NetworkPlan(segments: [segment])
    for number in 0..<hosts {
      let interface = InterfacePlan(
        segment: 0, addresses: [InterfaceAddress(NetworkRig.address(number), prefixBits: 24)], outbound: outbound,
        inbound: inbound)
      plan.hosts.append(HostPlan(name: "h\(number)", interfaces: [interface]))
    }
    edit(&plan)
    payloads = PayloadStore()
    schedule = Schedule(hostCount: plan.hosts.count)
    network = VirtualNetwork(plan: plan, seed: Seed(seed), payloads: payloads, schedule: schedule)
  }

  deinit { schedule.end() }

  static func address(_ host: Int) -> IPAddress { IPAddress(v4: 0x0A00_0001 + UInt32(host)) }

  func joinAll() {
    for host in 0..<network.hostCount { network.join(NetworkRig.group, host: host, interface: InterfaceID(0)) }
  }

  func send(_ bytes: [UInt8], from host: Int, to destination: IPAddress) {
    network.transmit(
      Datagram(
        source: Endpoint(NetworkRig.address(host), port: 1900), destination: Endpoint(destination, port: 1900),
        interface: InterfaceID(0), hopLimit: 2, payload: payloads.store(bytes)), mark: 0, from: host)
  }

  /// What a driver of the network has to do about what is due.
  enum Event {
    case wake(host: Int)
    case datagram(Datagram, host: Int)
    case multicast(Datagram, receivers: UnsafeBufferPointer<Receiver>, sender: Receiver)
    case refused(host: Int, Refusal)
    case interface(host: Int, InterfaceChange)
    case planned(Int)
  }

  /// The next event not later than `end`.
  func nextEvent(until end: Instant) -> Event? {
    network.release()
    while let due = schedule.next(until: end) {
      var isGiven = false
      switch due {
      case .wake(let host): return .wake(host: host)
      case .arrival(let index): isGiven = network.arrive(index, &delivery)
      case .fanOut(let index): isGiven = network.fanOut(index, &delivery)
      case .item(let index):
        switch schedule.take(index) {
        case .planned(let number): return .planned(number)
        case .delivery(.host(.refused(let refusal)), let host): return .refused(host: host, refusal)
        case .delivery(.host(.interface(let change)), let host): return .interface(host: host, change)
        case .lan(let timer): network.run(timer)
        case .delivery, .medium, .free: Issue.record("nobody scheduled that")
        }
      }
      if !isGiven { continue }
      if case .fanOut = due {
        return .multicast(delivery.datagram, receivers: delivery.receivers, sender: delivery.sender)
      }
      var datagram = delivery.datagram
      datagram.interface = delivery.receivers[0].interface
      return .datagram(datagram, host: Int(delivery.receivers[0].host))
    }
    return nil
  }

  /// Everything that arrives until `end`, one line each: `host@nanoseconds text`.
  func arrivals(until end: Interval = .seconds(1)) -> [String] {
    var lines: [String] = []
    while let event = nextEvent(until: .zero + end) {
      let now = schedule.now.nanoseconds
      switch event {
      case .datagram(let datagram, let host):
        lines.append("\(host)@\(now) \(String(decoding: payloads.bytes(of: datagram.payload), as: UTF8.self))")
      case .multicast(let datagram, let receivers, let sender):
        let text = String(decoding: payloads.bytes(of: datagram.payload), as: UTF8.self)
        for receiver in receivers where receiver != sender { lines.append("\(receiver.host)@\(now) \(text)") }
      case .wake(let host): lines.append("\(host)@\(now) wake")
      case .refused(let host, let refusal): lines.append("\(host)@\(now) refused \(refusal.deed)")
      case .interface(let host, let change): lines.append("\(host)@\(now) interface \(change.isUp ? "up" : "down")")
      case .planned(let number): lines.append("\(now) planned \(number)")
      }
    }
    return lines
  }
}

extension VirtualNetwork {
  /// The same for a socket of port 1900.
  mutating func join(_ group: IPAddress, host: Int, interface: InterfaceID) {
    join(Endpoint(group, port: 1900), host: host, interface: interface)
  }
  mutating func leave(_ group: IPAddress, host: Int, interface: InterfaceID) {
    leave(Endpoint(group, port: 1900), host: host, interface: interface)
  }
}
