import RollcallPrimitives
import RollcallSessions
import RollcallWire

@testable import RollcallPeers

/// One nearby peer without neighbours. What its device tells it is scripted; what it reports, wants of the LAN and has
/// planned is read. Datagrams are left out.
struct NearbyBench {
  static let first = PeerName(SessionPeerID(high: 0, low: 2), "first")
  static let second = PeerName(SessionPeerID(high: .max, low: 3), "second")
  static func time(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }
  /// An interface that is up, with one IPv4 address.
  static func change(_ number: UInt8, host: UInt8) -> InterfaceChange {
    InterfaceChange(
      interface: InterfaceID(UInt16(number)), isUp: true,
      addresses: [InterfaceAddress(IPAddress(10, 0, number, host), prefixBits: 24)])
  }

  var peer: NearbyPeer
  private var outbox = Outbox(payloads: PayloadStore())

  init(_ change: (inout NearbyPeerPlan) -> Void = { _ in }) {
    var plan = NearbyPeerPlan()
    change(&plan)
    peer = NearbyPeer(plan, seed: Seed(1), host: "host")
  }

  /// The device tells this; what the peer has planned for that instant stays planned.
  mutating func tell(_ events: PeerEvent..., at seconds: Int64 = 0) -> [String] {
    for event in events { peer.device.tell(event) }
    peer.settle(at: NearbyBench.time(seconds), into: &outbox)
    return taken()
  }
  mutating func give(_ value: SignalValue, at seconds: Int64 = 0) -> [String] {
    peer.receive(value, at: NearbyBench.time(seconds), into: &outbox)
    return taken()
  }
  mutating func act(_ act: Act, at seconds: Int64 = 0) -> [String] {
    give(.application(.act(act)), at: seconds)
  }
  mutating func wake(at seconds: Int64) -> [String] {
    peer.wake(at: NearbyBench.time(seconds), into: &outbox)
    return taken()
  }
  mutating func carryOut(_ todo: NearbyPeer.Todo) -> [String] {
    peer.carryOut(todo, at: .zero, into: &outbox)
    return taken()
  }
  mutating func say(_ number: Int, to id: SessionPeerID?, left: Int) -> [String] {
    peer.say(number, to: id, left: left, at: .zero, into: &outbox)
    return taken()
  }

  /// The device has heard the names of both others.
  mutating func hearNames() {
    guard let type = PeerRecord.serviceType("nearby") else { return }
    let told = [PeerRecord(NearbyBench.second, nil), PeerRecord(NearbyBench.first, nil)]
    peer.device.browsers = [PeerDevice.Browser(number: 1, own: peer.name.id, type: type, told: told)]
  }

  private mutating func taken() -> [String] {
    let lines: [String] = outbox.effects.compactMap { effect in
      switch effect {
      case .application(.nearby(let report)): return "\(report.name) \(report.event.text)"
      case .lan(.join(let group, let interface)): return "join \(group) on \(interface.number)"
      case .lan(.leave(let group, let interface)): return "leave \(group) on \(interface.number)"
      case .lan(.readdress(let address, let interface)): return "readdress \(address) on \(interface.number)"
      case .transmit: return nil
      default: return "\(effect)"
      }
    }
    outbox.removeAll()
    return lines
  }

  /// A line for each thing that is planned: the second, and what.
  var planned: [String] {
    peer.todos.map { (at, todo) -> String in
      let second = at.nanoseconds / 1_000_000_000
      switch todo {
      case .answer(let invitation): return "\(second) answer \(invitation)"
      case .invite(let id): return "\(second) invite \(id.low)"
      case .say(let number, let id, let left):
        return "\(second) say \(number) to \(id.map { "\($0.low)" } ?? "all"), \(left) left"
      case .sendFile(let id, let byteCount): return "\(second) file of \(byteCount) to \(id.low)"
      case .openStream(let id, let byteCount): return "\(second) stream of \(byteCount) to \(id.low)"
      }
    }
  }

  /// A line for each stream or file: the number of this side, bytes so far, and the session's number.
  var channels: [String] {
    peer.channels.map { one in
      let side = one.id.isIncoming ? "in" : "out"
      return "\(one.number) \(one.isFile ? "file" : "stream") \(one.byteCount) \(one.id.number) \(side)"
    }
  }
}
