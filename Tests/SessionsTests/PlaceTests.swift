import RollcallExpectations
import RollcallPrimitives
import RollcallSessions
import RollcallWire
import Testing

/// A host with several interfaces.
@Suite struct PlaceTests {
  private static let wifi = SessionPlace(
    Endpoint(IPAddress(10, 0, 0, 1), port: 4_000), on: InterfaceID(0), prefixBits: 24)
  private static let direct = SessionPlace(
    Endpoint(IPAddress(10, 0, 1, 1), port: 4_000), on: InterfaceID(3), prefixBits: 24)

  /// From where the hello of an invitation leaves.
  private func invite(_ address: IPAddress, on interface: InterfaceID?) throws -> SessionPlace? {
    let cipher = TestCipher(seed: 1)
    var session = SessionMachine(
      card: SessionCard(id: SessionPeerID(high: 0, low: 1), name: "one", key: cipher.identityKey), cipher: cipher,
      at: PlaceTests.wifi.endpoint, interface: PlaceTests.wifi.interface, seed: Seed(1))
    session.settle(in: [PlaceTests.wifi, PlaceTests.direct])
    var outbox = Outbox(payloads: PayloadStore())
    try session.invite(
      SessionPeerID(high: 0, low: 2), at: Endpoint(address, port: 4_000), on: interface, at: Instant.zero, into: &outbox
    )
    return outbox.datagram(at: 0).map { datagram in
      [PlaceTests.wifi, PlaceTests.direct].first {
        $0.endpoint == datagram.source && $0.interface == datagram.interface
      } ?? SessionPlace(datagram.source, on: datagram.interface)
    }
  }

  @Test("an invitation leaves where the peer was found, else by the network of its address, else by the first place")
  func leaves() throws {
    expectEqual(try invite(IPAddress(10, 0, 1, 9), on: nil), PlaceTests.direct)
    expectEqual(try invite(IPAddress(10, 0, 0, 9), on: nil), PlaceTests.wifi)
    expectEqual(try invite(IPAddress(10, 0, 0, 9), on: InterfaceID(3)), PlaceTests.direct)
    expectEqual(try invite(IPAddress(172, 16, 0, 9), on: nil), PlaceTests.wifi)
    expectEqual(try invite(IPAddress(10, 0, 1, 9), on: InterfaceID(7)), PlaceTests.direct)
  }
}
