import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing

/// What each of several searches is told of one and the same answer.
@Suite("One answer, several searches") struct ToldServiceTests {
  private let v6 = IPAddress("fe80::20")!

  private func socket(_ number: Int) -> Endpoint { Endpoint(EngineRig.ours, port: UInt16(50_000 + number)) }

  /// A captured search for everything, from its own socket.
  private func adopt(_ number: Int) -> Command {
    .adopt(
      Search(id: SearchID(UInt32(number)), target: "ssdp:all", maximumWaitSeconds: 100), copyAt: socket(number))
  }

  private func told(_ number: Int, _ location: String?) -> Effect {
    .report(
      .service(
        ServiceSighting(
          search: SearchID(UInt32(number)), device: "uuid:tv", usn: "uuid:tv::upnp:rootdevice",
          target: "upnp:rootdevice", location: location)))
  }

  @Test("each search is told the LOCATION of the answer that it heard, and none where that may not be told")
  func locations() {
    for forbidden in ["http://8.8.8.8/d.xml", "", "*"] {
      var rig = EngineRig()
      for number in [1, 2, 3] { _ = rig.command(adopt(number), at: 0) }
      expectEqual(rig.hear(response(), to: socket(1), at: 1), [found(), told(1, tvLocation)])
      expectEqual(rig.hear(response(location: forbidden), to: socket(2), at: 2), [told(2, nil)], "\(forbidden)")
      expectEqual(rig.hear(response(), to: socket(3), at: 3), [told(3, tvLocation)])
    }
  }

  @Test("a LOCATION that other messages of the device have is told with the answer that names it, and with no other")
  func otherLocations() {
    let (one, two) = ("http://[fe80::20]/1", "http://[fe80::20]/2")
    var rig = EngineRig()
    for number in [1, 2, 3] { _ = rig.command(adopt(number), at: 0) }
    expectEqual(rig.hear(alive(), at: 1), [found()])
    expectEqual(rig.hear(alive("tv", "hnap:1", location: one), from: v6, at: 1), [])
    expectEqual(rig.hear(alive("tv", "hnap:2", location: two), from: v6, at: 1), [])
    for (number, location) in [(1, one), (2, two), (3, tvLocation)] {
      expectEqual(rig.hear(response(location: location), to: socket(number), at: 2), [told(number, location)])
    }
  }

  /// The engine hears a message whose payload lies in this store.
  private func hear(
    _ text: String, to destination: Endpoint, _ engine: inout DiscoveryEngine, _ store: PayloadStore,
    at seconds: Double
  ) -> [Effect] {
    let payload = store.store(Array(text.utf8))
    defer { store.release(payload) }
    var outbox = Outbox(payloads: store)
    let datagram = Datagram(
      source: Endpoint(EngineRig.tv, port: 1_900), destination: destination, interface: InterfaceID(0), hopLimit: 2,
      payload: payload)
    engine.receive(.datagram(datagram), at: at(seconds), into: &outbox)
    return outbox.effects
  }

  private func answer(_ location: String) -> String { response(location: location, maxAge: "10") }

  @Test("a device that comes back is told as it is now, also where the payloads come from another store by then")
  func otherStore() {
    let (one, two) = ("http://192.168.1.20/1", "http://192.168.1.20/2")
    for isOther in [false, true] {
      let stores = [PayloadStore(), PayloadStore()]
      var engine = DiscoveryEngine()
      var outbox = Outbox(payloads: stores[0])
      for number in [1, 2] { engine.receive(.command(adopt(number)), at: at(0), into: &outbox) }
      expectEqual(hear(answer(one), to: socket(1), &engine, stores[0], at: 1), [found("tv", one), told(1, one)])
      let effects = hear(answer(two), to: socket(2), &engine, stores[isOther ? 1 : 0], at: 20)
      expectEqual(effects, [lost("tv", .expired), found("tv", two), told(2, two)], "\(isOther)")
      #expect(stores.allSatisfy { $0.liveCount == 0 })
    }
  }

  @Test("an answer is told with its own LOCATION, also where the one before was changed through another store")
  func changedThroughOtherStore() {
    let (one, two) = ("http://192.168.1.20/1", "http://192.168.1.20/2")
    let stores = [PayloadStore(), PayloadStore()]
    var engine = DiscoveryEngine()
    var outbox = Outbox(payloads: stores[0])
    for number in [1, 2] { engine.receive(.command(adopt(number)), at: at(0), into: &outbox) }
    expectEqual(hear(answer(one), to: socket(1), &engine, stores[0], at: 1), [found("tv", one), told(1, one)])
    let moved = hear(alive(location: two), to: Endpoint(.ssdpGroup4, port: 1_900), &engine, stores[1], at: 2)
    expectEqual(moved, [changed(seen("tv", two), .location(from: one))])
    expectEqual(hear(answer(two), to: socket(2), &engine, stores[1], at: 3), [told(2, two)])
  }
}
