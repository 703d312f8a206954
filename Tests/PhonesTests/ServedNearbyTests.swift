import Foundation
import MultipeerConnectivity
import RollcallDoors
import RollcallExpectations
import RollcallLive
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallPhones
@testable import RollcallServedPhones

/// Nearby devices as the live driver has them, with a wire in memory in the place of sockets.
@Suite("A nearby device on a network in real time") struct ServedNearbyTests {
  /// Where one party's datagrams go.
  private final class Outlet: LiveOutlet {
    var sent: [(datagram: Datagram, bytes: [UInt8])] = []
    var joined: [Endpoint] = []
    var listened: [Endpoint] = []
    func send(_ datagram: Datagram, _ payload: UnsafeRawBufferPointer) { sent.append((datagram, Array(payload))) }
    func join(_ group: Endpoint, on interface: InterfaceID) { joined.append(group) }
    func leave(_ group: Endpoint, on interface: InterfaceID) { joined.removeAll { $0 == group } }
    func listen(at endpoint: Endpoint, on interface: InterfaceID) { listened.append(endpoint) }
    func isOwn(_ endpoint: Endpoint, on interface: InterfaceID) -> Bool { false }
  }

  @Test("two that hear each other meet and talk, whichever port their sessions have")
  func meet() throws {
    let sides = [("ada", UInt16(49_400)), ("ben", 49_500)].enumerated().map { number, side in
      let device = SimulatedNearbyDevice(
        name: side.0, seed: Seed(UInt64(number)), queues: DoorQueues(), policies: NearbySettings().doorPolicies)
      let party = NearbyParty(device, seed: Seed(UInt64(number)), name: side.0, port: side.1)
      let outlet = Outlet()
      party.outlet = outlet
      let address = InterfaceAddress(IPAddress(10, 0, 0, UInt8(number + 1)), prefixBits: 24)
      party.take(InterfaceChange(interface: InterfaceID(0), isUp: true, addresses: [address]), at: .zero)
      expectEqual(outlet.listened, [Endpoint(address.address, port: side.1)])
      return (device: device, party: party, outlet: outlet, address: address.address)
    }
    let chats = zip(sides, ["Ada", "Ben"]).map { side, name in
      NearbyLink.$current.withValue(side.device) { Chat(name: name) }
    }
    for chat in chats { chat.start() }
    func run(milliseconds: Range<Int64>) {
      for time in milliseconds {
        let now = Instant.zero + .milliseconds(time)
        for (place, side) in sides.enumerated() {
          side.party.advance(to: now)
          let other = sides[1 - place]
          let sent = side.outlet.sent
          side.outlet.sent = []
          for one in sent {
            let isMeant =
              one.datagram.destination.address.isMulticast
              ? other.outlet.joined.contains(one.datagram.destination)
              : one.datagram.destination.address == other.address
            guard isMeant else { continue }
            one.bytes.withUnsafeBytes { bytes in
              other.party.hear(
                HeardDatagram(
                  source: one.datagram.source, destination: one.datagram.destination, interface: InterfaceID(0),
                  hopLimit: one.datagram.hopLimit, bytes: bytes), at: now)
            }
          }
          side.device.queues.drain()
        }
      }
    }
    run(milliseconds: 0..<3_000)
    for chat in chats { expectEqual(chat.session.connectedPeers.count, 1) }
    chats[0].say("hi")
    run(milliseconds: 3_000..<3_100)
    expectEqual(chats[1].log, ["Ada is here", "Ada: hi"])
    chats[0].leave()
    run(milliseconds: 3_100..<5_000)
    expectEqual(Set(chats[1].log.suffix(2)), ["Ada is gone", "lost Ada"])
  }
}
