import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing

/// What a driver is told, behind each call, for those who search by hand.
@Suite("News of searches by hand") struct SearchNewsTests {
  private static let id = SearchID.byHand(after: 0)
  private static let second = SearchID.byHand(after: 1)

  /// Gives a signal, and keeps the news alone.
  private static func give(_ signal: SignalValue, to rig: inout EngineRig, at seconds: Double) -> [SearchNews] {
    rig.engine.receive(signal, at: at(seconds), into: &rig.outbox)
    let news = rig.engine.searchNews(of: nil, from: 0, in: rig.outbox)
    _ = rig.answer()
    return news
  }

  private static func hear(
    _ text: String, at port: UInt16, _ rig: inout EngineRig, from source: IPAddress = EngineRig.tv,
    at seconds: Double = 1
  ) -> [SearchNews] {
    let payload = rig.store.store(Array(text.utf8))
    defer { rig.store.release(payload) }
    let datagram = Datagram(
      source: Endpoint(source, port: 1_900), destination: Endpoint(EngineRig.ours, port: port),
      interface: InterfaceID(0), hopLimit: 2, payload: payload)
    rig.engine.receive(.datagram(datagram), at: at(seconds), into: &rig.outbox)
    let news = rig.engine.searchNews(of: .datagram(datagram), from: 0, in: rig.outbox)
    _ = rig.answer()
    return news
  }

  /// Begins a search, and tells the port that it asks from.
  private static func begin(
    _ rig: inout EngineRig, _ id: SearchID = id, target: String = "upnp:rootdevice", copies: Int = 3
  ) throws -> UInt16 {
    _ = rig.command(.search(Search(id: id, target: target, maximumWaitSeconds: 1, broadcasts: copies)), at: 0)
    let source = try #require(rig.sent.first?.source)
    return try #require(source.split(separator: ":").last.flatMap { UInt16($0) })
  }

  private static func refusal(_ interface: UInt16, port: UInt16) -> SignalValue {
    .refused(Refusal(deed: .send, interface: InterfaceID(interface), address: .ssdpGroup4, port: port))
  }

  @Test("an answer comes with its bytes, and comes again when it is heard again, though it is reported once")
  func answers() throws {
    var rig = EngineRig()
    let port = try SearchNewsTests.begin(&rig)
    for text in [response(), response(), response(boot: 1)] {
      expectEqual(
        SearchNewsTests.hear(text, at: port, &rig), [SearchNews(SearchNewsTests.id, .answer(Array(text.utf8)))])
    }
  }

  @Test("what the engine refuses, what was not asked for, and what came to another port is no answer")
  func others() throws {
    var rig = EngineRig()
    let port = try SearchNewsTests.begin(&rig)
    expectEqual(SearchNewsTests.hear(response("tv", "upnp:rootdevicer"), at: port, &rig), [])
    expectEqual(SearchNewsTests.hear(response(), at: port + 1, &rig), [])
    expectEqual(SearchNewsTests.hear(alive(), at: 1_900, &rig), [])
    expectEqual(SearchNewsTests.hear(response(usn: "tv"), at: port, &rig), [])
  }

  @Test("an answer whose location may not be reported is none, whether the device is new or known")
  func locations() throws {
    var rig = EngineRig()
    let port = try SearchNewsTests.begin(&rig)
    let astray = response(location: "http://10.9.9.9/d.xml")
    expectEqual(SearchNewsTests.hear(astray, at: port, &rig), [])
    expectEqual(SearchNewsTests.hear(response(), at: port, &rig).count, 1)
    expectEqual(SearchNewsTests.hear(astray, at: port, &rig), [])
  }

  @Test("searches that are not by hand bring no news, and neither does the one beside them hear their answers")
  func otherNumbers() throws {
    var rig = EngineRig()
    for number: UInt32 in [1, 0x3FFF_FFFF, 0x8000_0000] {
      let port = try SearchNewsTests.begin(&rig, SearchID(number))
      expectEqual(SearchNewsTests.hear(response(), at: port, &rig, at: 0), [])
    }
    let port = try SearchNewsTests.begin(&rig, SearchNewsTests.second)
    let answer = SearchNews(SearchNewsTests.second, .answer(Array(response().utf8)))
    expectEqual(SearchNewsTests.hear(response(), at: port, &rig, at: 0), [answer])
    rig.engine.wake(at: at(3.1), into: &rig.outbox)
    expectEqual(
      rig.engine.searchNews(of: nil, from: 0, in: rig.outbox),
      [SearchNews(SearchNewsTests.second, .ended(wasStopped: false))])
  }

  @Test("its end is told, and whether it was stopped")
  func stopped() throws {
    var rig = EngineRig()
    _ = try SearchNewsTests.begin(&rig)
    expectEqual(
      SearchNewsTests.give(.command(.stopSearch(SearchNewsTests.id)), to: &rig, at: 1),
      [SearchNews(SearchNewsTests.id, .ended(wasStopped: true))])
  }

  @Test("a send that is refused is the end of it where nothing left on any interface, and not before that is known")
  func refusals() throws {
    let other = InterfaceAddress(IPAddress(10, 0, 0, 2), prefixBits: 24)
    func rig() throws -> (EngineRig, UInt16) {
      var rig = EngineRig()
      _ = rig.bring(1, [other], at: 0)
      let port = try SearchNewsTests.begin(&rig)
      return (rig, port)
    }
    var (both, port) = try rig()
    expectEqual(SearchNewsTests.give(SearchNewsTests.refusal(0, port: port), to: &both, at: 0), [])
    let news = SearchNewsTests.give(SearchNewsTests.refusal(1, port: port), to: &both, at: 0)
    expectEqual(news.map(\.search), [SearchNewsTests.id])
    guard case .failed(let failure)? = news.first?.event else {
      Issue.record("it should have failed: \(news)")
      return
    }
    expectEqual(failure.reason, .cannotSend)
    // The second copy went out on the other interface by then.
    var (one, otherPort) = try rig()
    expectEqual(SearchNewsTests.give(SearchNewsTests.refusal(0, port: otherPort), to: &one, at: 0), [])
    _ = one.wake(at: 1)
    expectEqual(SearchNewsTests.give(SearchNewsTests.refusal(0, port: otherPort), to: &one, at: 1), [])
  }

  @Test("a search that the engine does not take fails at once")
  func invalid() {
    var rig = EngineRig()
    let search = Search(id: SearchNewsTests.id, target: "ssdp:all", maximumWaitSeconds: 6)
    let news = SearchNewsTests.give(.command(.search(search)), to: &rig, at: 0)
    expectEqual(news.count, 1)
    guard case .failed(let failure)? = news.first?.event else {
      Issue.record("it should have failed: \(news)")
      return
    }
    expectEqual(failure.reason, .invalidSearch)
  }
}
