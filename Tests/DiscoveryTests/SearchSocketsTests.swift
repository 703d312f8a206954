import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing

/// Which searches are behind a socket, in which order, and what is known of a socket when they are over.
@Suite("Sockets of searches") struct SearchSocketsTests: SearchesOfSockets {
  private func search(_ number: UInt32, copies: Int) -> Command {
    .search(Search(id: SearchID(number), target: "ssdp:all", maximumWaitSeconds: 1, broadcasts: copies))
  }

  private func ended(_ number: UInt32, _ services: [ServiceSighting] = []) -> Effect {
    .report(
      .searchEnded(
        SearchOutcome(search: SearchID(number), target: "ssdp:all", services: services, wasStopped: false)))
  }

  private func service(_ number: UInt32) -> ServiceSighting {
    ServiceSighting(
      search: SearchID(number), device: "uuid:tv", usn: usn("tv", "upnp:rootdevice"), target: "upnp:rootdevice",
      location: tvLocation)
  }

  private func searches(_ effects: [Effect]) -> [UInt32] {
    effects.compactMap { if case .application(.service(let service)) = $0 { service.search.number } else { nil } }
  }

  // MARK: Open sockets

  @Test("a search that comes late to a socket stands there behind all that began before it")
  func late() {
    let begun: [(UInt32, String, Endpoint)] = [
      (1, "ssdp:all", b), (2, foo + "1", b), (3, foo + "2", c), (4, foo + "3", b),
    ]
    var rig = EngineRig()
    for (number, target, socket) in begun { expectEqual(rig.command(adopt(number, target, from: socket), at: 0), []) }
    expectEqual(rig.command(adopt(3, foo + "2", from: b), at: 0), [])
    expectEqual(searches(rig.hear(response("tv", foo + "3"), to: b, at: 0.5)), [1, 2, 3, 4])
    expectEqual(searches(rig.hear(response("tv", foo + "4"), to: c, at: 0.5)), [3])
    expectEqual(rig.engine.openSearchCount, 4)
  }

  @Test("new searches take the places of one that is over, and none of another at the same socket")
  func freedPlaces() {
    var rig = EngineRig()
    _ = rig.command(adopt(1, from: a), at: 0)
    _ = rig.command(adopt(2, foo + "1", from: a), at: 0)
    _ = rig.command(.stopSearch(SearchID(1)), at: 0)
    _ = rig.command(adopt(3, from: b), at: 0)
    _ = rig.command(adopt(4, from: c), at: 0)
    let text = response("tv", foo + "1")
    for (socket, number) in [(a, 2), (b, 3), (c, 4)] as [(Endpoint, UInt32)] {
      expectEqual(searches(rig.hear(text, to: socket, at: 0.5)), [number])
    }
    expectEqual(rig.engine.openSearchCount, 3)
  }

  @Test("a copy under the number of a search from elsewhere belongs to that, though another has its socket and target")
  func number() {
    var rig = EngineRig()
    _ = rig.command(adopt(1, from: a), at: 0)
    _ = rig.command(adopt(2, from: b), at: 0)
    expectEqual(rig.command(adopt(1, mx: 5, from: b), at: 0.5), [])
    expectEqual(
      rig.hear(response(), to: b, at: 0.75),
      [
        found(), .report(.service(service(1))), .report(.service(service(2))),
      ])
    expectEqual(
      rig.run(until: 100), [Timed(at(1.1), ended(2, [service(2)])), Timed(at(5.6), ended(1, [service(1)]))])
  }

  // MARK: Closed sockets

  @Test("each socket of a search that is over is remembered once, also where an earlier search had one of them")
  func closedTwice() {
    for (more, reason) in [(61, RejectionReason.searchOver), (62, .noOpenSearch)] {
      var rig = EngineRig()
      for (number, sockets) in [(1, [a, b]), (2, [c, b])] as [(UInt32, [Endpoint])] {
        for socket in sockets { expectEqual(rig.command(adopt(number, from: socket), at: 0), []) }
        _ = rig.command(.stopSearch(SearchID(number)), at: 0)
      }
      // Of these there are three, and 64 are remembered.
      for place in 0..<more {
        let number = UInt32(10 + place)
        _ = rig.command(adopt(number, from: Endpoint(EngineRig.ours, port: UInt16(50_000 + place))), at: 0)
        _ = rig.command(.stopSearch(SearchID(number)), at: 0)
      }
      let text = response()
      expectEqual(rig.hear(text, to: a, at: 0), [rejected(reason, text, at: nil)], "\(more)")
      for socket in [b, c] { expectEqual(rig.hear(text, to: socket, at: 0), [rejected(.searchOver, text, at: nil)]) }
    }
  }

  @Test("a socket that was the engine's own stays its own, whether a captured search had it before or after (D68)")
  func ownSocket() {
    let text =
      "M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: \"ssdp:discover\"\r\nMX: 3\r\nST: ssdp:all\r\n\r\n"
    for order in [[true], [true, false], [false, true], [false]] {
      var rig = EngineRig()
      // An engine that never searched has nothing of its own; the next search leaves from the second port.
      _ = rig.command(search(7, copies: 1), at: 0)
      _ = rig.command(.stopSearch(SearchID(7)), at: 0)
      let socket = Endpoint(EngineRig.ours, port: 49_153)
      for isOwn in order {
        let number: UInt32 = isOwn ? 1 : 2
        _ = rig.command(isOwn ? search(number, copies: 1) : adopt(number, from: socket), at: 0)
        _ = rig.command(.stopSearch(SearchID(number)), at: 0)
      }
      let payload = rig.store.store(Array(text.utf8))
      let datagram = Datagram(
        source: socket, destination: Endpoint(.ssdpGroup4, port: 1_900), interface: InterfaceID(0), hopLimit: 2,
        payload: payload)
      expectEqual(rig.give(.datagram(datagram), at: 1), [])
      rig.store.release(payload)
      expectEqual(rig.engine.counters.ownMessages, (order == [false] ? 0 : 1), "\(order)")
    }
  }

  // MARK: Moments

  @Test("copies that are due at one moment leave in the order of their searches, whatever places these have")
  func copiesAtOnce() {
    for isPlaceTaken in [false, true] {
      var rig = EngineRig()
      if isPlaceTaken { _ = rig.command(search(9, copies: 2), at: 0) }
      _ = rig.command(search(1, copies: 2), at: 0)
      if isPlaceTaken { _ = rig.command(.stopSearch(SearchID(9)), at: 0) }
      for number: UInt32 in [2, 3] { _ = rig.command(search(number, copies: 2), at: 0) }
      expectEqual(rig.wake(at: 1), [])
      let port = isPlaceTaken ? 49_153 : 49_152
      expectEqual(rig.sent.map(\.source), (0..<3).map { "192.168.1.2:\(port + $0)" })
      expectEqual(rig.wake(at: 2.1), [ended(1), ended(2), ended(3)])
    }
  }

  @Test("an engine wakes for what is open, and not for a search that was stopped or that failed")
  func deadlines() {
    var rig = EngineRig()
    _ = rig.command(search(1, copies: 2), at: 0)
    expectEqual(rig.engine.deadline, at(1))
    _ = rig.command(.stopSearch(SearchID(1)), at: 0.5)
    expectEqual(rig.engine.deadline, nil)

    _ = rig.command(search(2, copies: 1), at: 1)
    expectEqual(rig.engine.deadline, at(2.1))
    _ = rig.give(
      .refused(Refusal(deed: .send, interface: InterfaceID(0), address: .ssdpGroup4, port: 49_153)), at: 1)
    expectEqual(rig.engine.openSearchCount, 0)
    expectEqual(rig.engine.deadline, nil)

    // A captured search goes on for longer than it seemed, and another one is stopped.
    _ = rig.command(adopt(3, mx: 1, from: a), at: 10)
    _ = rig.command(adopt(4, mx: 2, from: b), at: 10)
    _ = rig.command(adopt(3, mx: 5, from: a), at: 10.5)
    _ = rig.command(.stopSearch(SearchID(4)), at: 10.75)
    expectEqual(rig.engine.deadline, at(15.6))
    expectEqual(rig.run(until: 100), [Timed(at(15.6), ended(3))])
    expectEqual(rig.engine.deadline, nil)
  }
}
