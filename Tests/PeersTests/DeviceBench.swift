import RollcallPrimitives
import RollcallSessions
import RollcallWire

@testable import RollcallPeers

/// A device without a network, call by call: what it is asked or hears, and what it tells of that at once.
struct DeviceBench {
  static let seed = Seed(9)
  static func peer(_ number: Int) -> PeerName { PeerRig.name(number) }

  var device: PeerDevice
  var outbox = Outbox(payloads: PayloadStore())

  init(_ device: PeerDevice) { self.device = device }
  /// A new one.
  init(_ change: (inout PeerPlan) -> Void = { _ in }) {
    var plan = PeerPlan(host: "host") { SumCipher($0.count == 32 ? $0 : []) }
    change(&plan)
    device = PeerDevice(plan, seed: DeviceBench.seed, name: "host")
  }

  mutating func ask(_ command: PeerCommand, at milliseconds: Int64 = 0) -> [PeerEvent] {
    device.perform(command, at: PeerRig.time(milliseconds), into: &outbox)
    return device.takeEvents()
  }
  mutating func act(_ act: Act, at milliseconds: Int64 = 0) -> [PeerEvent] {
    device.receive(.application(.act(act)), at: PeerRig.time(milliseconds), into: &outbox)
    return device.takeEvents()
  }
  mutating func hear(_ change: InterfaceChange, at milliseconds: Int64 = 0) -> [PeerEvent] {
    device.receive(.interface(change), at: PeerRig.time(milliseconds), into: &outbox)
    return device.takeEvents()
  }
  /// What another host says by multicast DNS, heard on an interface.
  mutating func hear(_ records: [DNSRecord], on interface: UInt16, at milliseconds: Int64 = 0) -> [PeerEvent] {
    let payload = outbox.payloads.store(DNSMessage(flags: .response, answers: records).bytes)
    let datagram = Datagram(
      source: Endpoint(IPAddress(10, 0, 0, 200), port: Endpoint.mdnsPort), destination: .mdns(.v4),
      interface: InterfaceID(interface), hopLimit: 255, payload: payload)
    device.receive(.datagram(datagram), at: PeerRig.time(milliseconds), into: &outbox)
    return device.takeEvents()
  }
  /// A datagram to its sessions.
  mutating func hear(_ bytes: [UInt8], at milliseconds: Int64 = 0) -> [PeerEvent] {
    let packet = datagram(bytes)
    device.receive(.datagram(packet), at: PeerRig.time(milliseconds), into: &outbox)
    return device.takeEvents()
  }
  /// As an owner asks that has no signals.
  mutating func perform(_ act: Act, at milliseconds: Int64 = 0) -> [PeerEvent] {
    device.perform(act, at: PeerRig.time(milliseconds), into: &outbox)
    return device.takeEvents()
  }
  /// Its first session tells this.
  mutating func note(_ event: SessionEvent, at milliseconds: Int64 = 0) -> [PeerEvent] {
    device.note(event, session: 0, at: PeerRig.time(milliseconds), into: &outbox)
    return collect(at: milliseconds)
  }
  /// What its sessions and receptions have told.
  mutating func collect(at milliseconds: Int64 = 0) -> [PeerEvent] {
    device.collect(at: PeerRig.time(milliseconds), into: &outbox)
    return device.takeEvents()
  }
  /// What it wants of the LAN since the last time, datagrams left out.
  mutating func takeLAN() -> [Effect] {
    defer { outbox.removeAll() }
    return outbox.effects.filter { effect in
      if case .lan = effect { true } else { false }
    }
  }
  /// A datagram with these bytes.
  func datagram(_ bytes: [UInt8], port: UInt16 = 49_400) -> Datagram {
    Datagram(
      source: Endpoint(IPAddress(10, 0, 0, 2), port: 49_400), destination: Endpoint(IPAddress(10, 0, 0, 1), port: port),
      interface: InterfaceID(0), hopLimit: 1, payload: outbox.payloads.store(bytes))
  }
  /// How many packets for no session there were by then.
  mutating func strayCount(after bytes: [UInt8], port: UInt16 = 49_400, at milliseconds: Int64 = 0) -> Int {
    let packet = datagram(bytes, port: port)
    device.receive(.datagram(packet), at: PeerRig.time(milliseconds), into: &outbox)
    return device.strayCount
  }
}
