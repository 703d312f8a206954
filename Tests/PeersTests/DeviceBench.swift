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
