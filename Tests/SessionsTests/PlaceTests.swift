import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallSessions

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

  @Test("a member in the network of two interfaces, or of none, is left to the owner, and asked where that sees it")
  func introduced() throws {
    let member = HostilePeer.card(10)
    for (address, isAsked) in [
      (IPAddress(10, 0, 0, 11), false), (IPAddress(10, 0, 1, 11), true), (IPAddress(172, 16, 0, 11), false),
    ] {
      var peer = HostilePeer(high: 0)
      try peer.connect()
      let own = [IPAddress(10, 0, 0, 101), IPAddress(10, 0, 0, 102), IPAddress(10, 0, 1, 101)]
      let places: [SessionPlace] = own.enumerated().map { number, address in
        SessionPlace(Endpoint(address, port: 4_000), on: InterfaceID(UInt16(number)), prefixBits: 24)
      }
      peer.session.settle(in: places)
      peer.session.settle(in: [])
      expectEqual(peer.session.places, places)
      let place = Endpoint(address, port: 4_000)
      peer.control(.members([.init(member, at: place)]))
      expectEqual(
        peer.session.takeEvents(), isAsked ? [.state(member.id, .connecting)] : [.introduced(member, at: place)])
      expectEqual(peer.session.seeks(member.id), false)
      if isAsked { continue }
      var outbox = Outbox(payloads: PayloadStore())
      func leaves() -> [SessionPlace] {
        let sent = (0..<outbox.count).compactMap { outbox.datagram(at: $0) }
        outbox.removeAll()
        return sent.filter { $0.destination == place }.map { SessionPlace($0.source, on: $0.interface, prefixBits: 24) }
      }
      peer.session.introduce(member, at: place, on: InterfaceID(2), at: .zero, into: &outbox)
      expectEqual(leaves(), [places[2]])
      #expect(peer.session.seeks(member.id) && !peer.session.seeks(SessionRig.id(11)))
      // Seen where it was asked: nothing new. Seen elsewhere: asked there at once.
      let now = SessionRig.time(5)
      for (number, expected) in [(2, []), (0, [places[0]])] as [(UInt16, [SessionPlace])] {
        peer.session.see(member.id, at: place, on: InterfaceID(number), at: now)
        peer.session.wake(at: now, into: &outbox)
        expectEqual(leaves(), expected, "seen on interface \(number)")
      }
    }
  }

  @Test("a place of the other family is none to send from, also on the interface where the peer was found")
  func families() throws {
    var peer = HostilePeer()
    let (v4, v6) = (SessionRig.place(100), SessionRig.place6(100))
    peer.session.settle(in: [SessionPlace(v4, on: InterfaceID(0)), SessionPlace(v6, on: InterfaceID(0))])
    for (number, place, source) in [(1, SessionRig.place(1), v4), (2, SessionRig.place6(2), v6)] {
      var outbox = Outbox(payloads: PayloadStore())
      try peer.session.invite(SessionRig.id(number), at: place, on: InterfaceID(0), at: .zero, into: &outbox)
      expectEqual(outbox.datagram(at: 0)?.source, source)
    }
  }

  @Test("the network of a place counts where it has a length, and among places of the family alone")
  func networks() {
    func place(_ address: IPAddress, _ number: UInt16, _ bits: Int) -> SessionPlace {
      SessionPlace(Endpoint(address, port: 4_000), on: InterfaceID(number), prefixBits: bits)
    }
    let v6 = SessionRig.place6(100).address
    let cases: [(places: [SessionPlace], address: IPAddress, place: Int, isOnOne: Bool)] = [
      ([place(IPAddress(10, 0, 9, 1), 0, 0), place(IPAddress(10, 0, 1, 1), 1, 24)], IPAddress(10, 0, 1, 9), 1, true),
      ([place(IPAddress(10, 0, 0, 1), 0, 24), place(IPAddress(192, 0, 0, 1), 1, 1)], IPAddress(200, 1, 1, 1), 1, true),
      ([place(IPAddress(10, 0, 0, 1), 0, 24)], IPAddress(172, 16, 0, 9), 0, false),
      ([place(IPAddress(10, 0, 0, 1), 0, 0)], IPAddress(172, 16, 0, 9), 0, true),
      ([place(IPAddress(10, 0, 0, 1), 0, 24)], v6, 0, true),
      ([place(IPAddress(10, 0, 0, 1), 0, 24), place(v6, 1, 0)], v6, 1, true),
    ]
    for (number, one) in cases.enumerated() {
      var peer = HostilePeer()
      peer.session.settle(in: one.places)
      let other = Endpoint(one.address, port: 9)
      expectEqual(peer.session.here(toward: other, on: nil), one.places[one.place], "case \(number)")
      expectEqual(peer.session.isOnOneInterface(other), one.isOnOne, "case \(number)")
    }
  }

  @Test("who is connected sends from the new address of its interface and family, and from the old one without it")
  func moved() throws {
    var peer = HostilePeer()
    try peer.connect()
    let places = [
      SessionPlace(SessionRig.place6(100), on: InterfaceID(0)), SessionPlace(SessionRig.place(100), on: InterfaceID(7)),
      SessionPlace(SessionRig.place(77), on: InterfaceID(0)),
    ]
    for new in [places, Array(places[..<2])] {
      peer.session.settle(in: new)
      expectEqual(peer.session.links[0].here, places[2])
      var outbox = Outbox(payloads: PayloadStore())
      try peer.session.send([1], to: [SessionRig.id(1)], at: .zero, into: &outbox)
      expectEqual(outbox.datagram(at: 0)?.source, SessionRig.place(77))
    }
  }
}
