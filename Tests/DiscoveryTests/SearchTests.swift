import RollcallDiscovery
import Foundation
import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("Searches") struct SearchTests {
  let one = SearchID(1)
  let socket = Endpoint(EngineRig.ours, port: 49_152)

  func service(
    _ uuid: String = "tv", _ target: String = "upnp:rootdevice", usn name: String? = nil, search: UInt32 = 1,
    root: String? = nil
  ) -> ServiceSighting {
    ServiceSighting(
      search: SearchID(search), device: "uuid:\(root ?? uuid)", usn: name ?? usn(uuid, target), target: target,
      location: tvLocation)
  }

  func heard(_ service: ServiceSighting) -> Effect { .report(.service(service)) }

  func ended(
    _ services: [ServiceSighting], _ target: String = "ssdp:all", search: UInt32 = 1, wasStopped: Bool = false
  ) -> Effect {
    .report(
      .searchEnded(
        SearchOutcome(search: SearchID(search), target: target, services: services, wasStopped: wasStopped)))
  }

  func reason(_ effects: [Effect]) -> [Failure.Reason?] {
    effects.map { if case .application(.failed(let failure)) = $0 { failure.reason } else { nil } }
  }

  // MARK: Sending

  @Test("a search is sent to the group from a socket of its own, as often as asked")
  func copies() {
    var rig = EngineRig { $0.userAgent = "Test/1 UPnP/1.1 rollcall/1" }
    let search = Search(id: one, target: "upnp:rootdevice", maximumWaitSeconds: 2, broadcasts: 2)
    let copy = EngineRig.Sent(
      source: "192.168.1.2:49152", destination: "239.255.255.250:1900", interface: 0, hopLimit: 2,
      text: "M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: \"ssdp:discover\"\r\nMX: 2\r\n"
        + "ST: upnp:rootdevice\r\nUSER-AGENT: Test/1 UPnP/1.1 rollcall/1\r\n\r\n")
    expectEqual(rig.command(.search(search), at: 10), [])
    expectEqual(rig.sent, [copy])
    expectEqual(rig.engine.deadline, at(12))
    expectEqual(rig.wake(at: 11.999), [])
    expectEqual(rig.sent, [])
    expectEqual(rig.wake(at: 12), [])
    expectEqual(rig.sent, [copy])
    expectEqual(rig.run(until: 100), [Timed(at(14.1), ended([], "upnp:rootdevice"))])
    expectEqual(rig.engine.openSearchCount, 0)
    expectEqual(rig.store.liveCount, 0)
  }

  @Test("copies leave on every interface and family, IPv6 by its link-local address")
  func everywhere() {
    var rig = EngineRig()
    _ = rig.bring(
      3,
      [
        InterfaceAddress(IPAddress("2001:db8::2")!, prefixBits: 64),
        InterfaceAddress(IPAddress("fe80::2")!, prefixBits: 64),
        InterfaceAddress(IPAddress(10, 0, 0, 2), prefixBits: 8),
      ], at: 0)
    _ = rig.command(.search(Search(id: one, target: "ssdp:all", broadcasts: 3, spacing: .zero)), at: 0)
    expectEqual(rig.sent.count, 9)
    expectEqual(rig.sent[0..<3].map(\.source), ["192.168.1.2:49152", "10.0.0.2:49152", "[fe80::2]:49152"])
    expectEqual(rig.sent[0..<3].map(\.interface), [0, 3, 3])
    expectEqual(rig.sent[2].destination, "[ff02::c]:1900")
    expectEqual(rig.sent[2].hopLimit, 1)
    #expect(rig.sent[2].text.contains("HOST: [ff02::c]:1900\r\n"))
    _ = rig.command(
      .search(Search(id: SearchID(2), target: "ssdp:all", broadcasts: 1, interface: InterfaceID(3))), at: 1)
    expectEqual(rig.sent.map(\.source), ["10.0.0.2:49153", "[fe80::2]:49153"])
  }

  @Test("a search to one host has no MX and names the host (UDA-1.3.2-UC-HOST, UDA-1.3.2-UC-NOMX)")
  func unicast() {
    var rig = EngineRig()
    let search = Search(
      id: one, target: "ssdp:all", maximumWaitSeconds: 1, broadcasts: 1, host: Endpoint(EngineRig.tv, port: 0))
    expectEqual(rig.command(.search(search), at: 0), [])
    expectEqual(
      rig.sent,
      [
        EngineRig.Sent(
          source: "192.168.1.2:49152", destination: "192.168.1.20:1900", interface: 0, hopLimit: 2,
          text: "M-SEARCH * HTTP/1.1\r\nHOST: 192.168.1.20:1900\r\nMAN: \"ssdp:discover\"\r\nST: ssdp:all\r\n\r\n")
      ])
    expectEqual(rig.run(until: 10), [Timed(at(1.1), ended([]))])
  }

  @Test("a search to a device that announced SEARCHPORT goes there (UDA-1.2.2-CP-SEARCHPORT)")
  func searchPort() {
    var rig = EngineRig()
    _ = rig.hear(alive(extra: "SEARCHPORT.UPNP.ORG: 50000"), at: 0)
    _ = rig.command(
      .search(Search(id: one, target: "ssdp:all", broadcasts: 1, host: Endpoint(EngineRig.tv, port: 0))), at: 1)
    expectEqual(rig.sent.map(\.destination), ["192.168.1.20:50000"])
    _ = rig.command(
      .search(Search(id: SearchID(2), target: "ssdp:all", broadcasts: 1, host: Endpoint(EngineRig.tv, port: 7))), at: 1)
    expectEqual(rig.sent.map(\.destination), ["192.168.1.20:7"])
  }

  @Test("a search to one host leaves by the interface whose subnet it is on")
  func unicastWay() {
    var rig = EngineRig()
    _ = rig.bring(1, [InterfaceAddress(IPAddress(10, 0, 0, 2), prefixBits: 8)], at: 0)
    _ = rig.command(
      .search(Search(id: one, target: "ssdp:all", broadcasts: 1, host: Endpoint(IPAddress(10, 9, 9, 9), port: 0))),
      at: 0)
    expectEqual(rig.sent.map(\.source), ["10.0.0.2:49152"])
  }

  @Test(
    "what cannot be searched for is refused",
    arguments: [
      Search(id: SearchID(1), target: "ssdp:all", maximumWaitSeconds: 0),
      Search(id: SearchID(1), target: "ssdp:all", maximumWaitSeconds: 6),
      Search(id: SearchID(1), target: "ssdp:all", broadcasts: 0),
      Search(id: SearchID(1), target: "ssdp:all", broadcasts: 11),
      Search(id: SearchID(1), target: "ssdp:all", maximumWaitSeconds: 1, spacing: .milliseconds(1_101)),
      Search(id: SearchID(1), target: "ssdp:all", spacing: .nanoseconds(-1)),
      Search(id: SearchID(1), target: ""),
      Search(id: SearchID(1), target: "a\r\nX: b"),
      Search(id: SearchID(1), target: String(repeating: "a", count: 513)),
      Search(id: SearchID(1), target: "ssdp:all", host: Endpoint(.ssdpGroup4, port: 0)),
    ])
  func invalid(search: Search) {
    var rig = EngineRig()
    expectEqual(reason(rig.command(.search(search), at: 0)), [.invalidSearch])
    expectEqual(rig.sent, [])
    expectEqual(rig.engine.deadline, nil)
  }

  @Test("an id is used once, and there is a limit to open searches")
  func singleUse() {
    var rig = EngineRig { $0.limits.searchesOpen = 1 }
    _ = rig.command(.search(Search(id: one, target: "ssdp:all")), at: 0)
    expectEqual(reason(rig.command(.search(Search(id: SearchID(2), target: "ssdp:all")), at: 0)), [.invalidSearch])
    _ = rig.command(.stopSearch(one), at: 1)
    expectEqual(reason(rig.command(.search(Search(id: one, target: "ssdp:all")), at: 1)), [.searchIdUsed])
    expectEqual(rig.command(.search(Search(id: SearchID(2), target: "ssdp:all")), at: 1), [])
  }

  @Test("an id is used once in whatever order ids come")
  func usedIDs() {
    var rig = EngineRig()
    var taken: [UInt32] = []
    for number: UInt32 in [5, 1, 3, 2, 9, 4, .max, 0, 8] {
      for again in taken {
        let search = Search(id: SearchID(again), target: "ssdp:all")
        expectEqual(reason(rig.command(.search(search), at: 0)), [.searchIdUsed], "\(again) after \(number)")
      }
      expectEqual(rig.command(.search(Search(id: SearchID(number), target: "ssdp:all")), at: 0), [])
      _ = rig.command(.stopSearch(SearchID(number)), at: 0)
      taken.append(number)
    }
  }

  @Test("answers find their searches among a hundred sockets, in the order of the searches, also when others end")
  func manySockets() {
    var rig = EngineRig { $0.limits.searchesOpen = 200 }
    func socket(_ number: UInt32) -> Endpoint {
      Endpoint(IPAddress(v4: 0xC0A8_0100 + number % 50), port: UInt16(40_000 + number % 2))
    }
    func adopt(_ number: UInt32, _ target: String, at seconds: Double) {
      let search = Search(id: SearchID(number), target: target, maximumWaitSeconds: 1 + Int(number % 3), broadcasts: 1)
      expectEqual(rig.command(.adopt(search, copyAt: socket(number)), at: seconds), [])
    }
    for number: UInt32 in 1...100 { adopt(number, number % 4 < 2 ? "ssdp:all" : "upnp:rootdevice", at: 0) }
    func told(_ effects: [Effect]) -> [UInt32] {
      effects.compactMap { if case .application(.service(let service)) = $0 { service.search.number } else { nil } }
    }
    // 7 and 57 share an address and a port, 9 and 59 as well.
    expectEqual(told(rig.hear(response(), to: socket(7), at: 0.5)), [7, 57])
    expectEqual(told(rig.hear(response(), to: socket(7), at: 0.6)), [])
    // Searches of MX 1 end at 1.1 s: 57 is one of them, 7 waits 2 s.
    _ = rig.run(until: 1.2)
    expectEqual(told(rig.hear(response("amp"), to: socket(7), at: 1.3)), [7])
    expectEqual(told(rig.hear(response("amp"), to: socket(9), at: 1.3)), [59])
    _ = rig.run(until: 4)
    expectEqual(rig.engine.openSearchCount, 0)
    expectEqual(rig.hear(response("amp"), to: socket(7), at: 4), [rejected(.searchOver, response("amp"), at: nil)])
  }

  @Test("without an interface to send from a search fails")
  func noInterface() {
    var rig = EngineRig(isUp: false)
    expectEqual(reason(rig.command(.search(Search(id: one, target: "ssdp:all")), at: 0)), [.noInterface])
  }

  @Test("a search of which no copy left fails and does not pretend to have ended (A4)")
  func everySendRefused() {
    var rig = EngineRig()
    _ = rig.command(.search(Search(id: one, target: "ssdp:all", maximumWaitSeconds: 1, broadcasts: 2)), at: 0)
    let refusal = SignalValue.refused(
      Refusal(deed: .send, interface: InterfaceID(0), address: .ssdpGroup4, port: 49_152))
    let first = rig.give(refusal, at: 0)
    expectEqual(reason(first), [.cannotSend])
    guard case .application(.failed(let failure)) = first[0] else { return }
    expectEqual(failure.search, one)
    expectEqual(failure.interface, InterfaceID(0))
    _ = rig.wake(at: 1)
    let last = rig.give(refusal, at: 1)
    expectEqual(reason(last), [.cannotSend])
    expectEqual(rig.run(until: 100), [])
    expectEqual(rig.engine.openSearchCount, 0)
  }

  @Test("a search of which one copy left ends as usual")
  func oneSendRefused() {
    var rig = EngineRig()
    _ = rig.command(.search(Search(id: one, target: "ssdp:all", maximumWaitSeconds: 1, broadcasts: 2)), at: 0)
    _ = rig.give(
      .refused(Refusal(deed: .send, interface: InterfaceID(0), address: .ssdpGroup4, port: 49_152)), at: 0)
    expectEqual(rig.run(until: 100), [Timed(at(2.1), ended([]))])
  }

  @Test("what the engine sent and hears again is counted, nothing more (D68)")
  func ownMessage() {
    var rig = EngineRig()
    _ = rig.command(.search(Search(id: one, target: "ssdp:all")), at: 0)
    let payload = rig.store.store(Array(rig.sent[0].text.utf8))
    let datagram = Datagram(
      source: socket, destination: Endpoint(.ssdpGroup4, port: 1900), interface: InterfaceID(0), hopLimit: 2,
      payload: payload)
    expectEqual(rig.give(.datagram(datagram), at: 0), [])
    expectEqual(rig.engine.counters.ownMessages, 1)
  }

  // MARK: Answers

  @Test("each service is told once in a search, and all of them at its end")
  func answers() {
    var rig = EngineRig()
    _ = rig.command(.search(Search(id: one, target: "ssdp:all", maximumWaitSeconds: 1, broadcasts: 1)), at: 0)
    let typed = service("tv", "urn:x:device:TV:1")
    expectEqual(rig.hear(response(), to: socket, at: 0.25), [found(), heard(service())])
    expectEqual(rig.hear(response(), to: socket, at: 0.5), [])
    expectEqual(rig.hear(response("tv", "urn:x:device:TV:1"), to: socket, at: 0.75), [heard(typed)])
    expectEqual(rig.run(until: 2), [Timed(at(1.1), ended([service(), typed]))])
  }

  @Test("a known device is a service of the search, not found again")
  func knownDevice() {
    var rig = EngineRig()
    _ = rig.hear(alive(), at: 0)
    _ = rig.command(.search(Search(id: one, target: "ssdp:all")), at: 1)
    expectEqual(rig.hear(response(), to: socket, at: 1), [heard(service())])
    expectEqual(
      rig.hear(response("part", "uuid:part"), to: socket, at: 1), [heard(service("part", "uuid:part", root: "tv"))])
  }

  @Test("an answer is a lease like an alive")
  func lease() {
    var rig = EngineRig()
    _ = rig.command(.search(Search(id: one, target: "ssdp:all", maximumWaitSeconds: 1, broadcasts: 1)), at: 0)
    _ = rig.hear(response(maxAge: "60"), to: socket, at: 0.5)
    expectEqual(rig.run(until: 100), [Timed(at(1.1), ended([service()])), Timed(at(60.5), lost("tv", .expired))])
  }

  @Test("an answer to no socket, to a search that is over, or with another ST is refused (D31, D32)")
  func refused() {
    var rig = EngineRig()
    let text = response()
    expectEqual(rig.hear(text, to: socket, at: 0), [rejected(.noOpenSearch, text, at: nil)])
    _ = rig.command(.search(Search(id: one, target: "urn:x:device:TV:1", maximumWaitSeconds: 1, broadcasts: 1)), at: 0)
    expectEqual(rig.hear(text, to: socket, at: 0.5), [rejected(.targetNotAsked, text, at: "ST: ")])
    expectEqual(
      rig.hear(text, to: Endpoint(EngineRig.ours, port: 49_153), at: 0.5), [rejected(.noOpenSearch, text, at: nil)])
    let asked = response("tv", "urn:x:device:TV:1")
    expectEqual(rig.hear(asked, to: socket, at: 1.099), [found(), heard(service("tv", "urn:x:device:TV:1"))])
    expectEqual(
      rig.hear(asked, to: socket, at: 1.1),
      [
        ended([service("tv", "urn:x:device:TV:1")], "urn:x:device:TV:1"), rejected(.searchOver, asked, at: nil),
      ])
    expectEqual(rig.engine.counters.devicesEver, 1)
  }

  @Test("by policy an unsolicited answer is taken for an announcement")
  func unsolicited() {
    var rig = EngineRig { $0.unsolicited = .accept }
    expectEqual(rig.hear(response(), to: socket, at: 0), [found()])
  }

  @Test("a search for :1 finds :2, one for :2 does not find :1, and Foo:10 is no Foo1 (D34, D73)")
  func versions() {
    var rig = EngineRig()
    _ = rig.command(.search(Search(id: one, target: "urn:x:service:Foo:2")), at: 0)
    let low = response("a", "urn:x:service:Foo:1")
    expectEqual(rig.hear(low, to: socket, at: 0), [rejected(.targetNotAsked, low, at: "ST: ")])
    let high = response("b", "urn:x:service:Foo:10")
    expectEqual(rig.hear(high, to: socket, at: 0), [found("b"), heard(service("b", "urn:x:service:Foo:10"))])
    let other = response("c", "urn:x:service:Foo:2x")
    expectEqual(rig.hear(other, to: socket, at: 0), [rejected(.targetNotAsked, other, at: "ST: ")])
  }

  @Test("stopSearch ends it at once, with what it has; answers after that are too late")
  func stop() {
    var rig = EngineRig()
    _ = rig.command(.search(Search(id: one, target: "ssdp:all")), at: 0)
    _ = rig.hear(response(), to: socket, at: 0)
    expectEqual(rig.command(.stopSearch(one), at: 1), [ended([service()], wasStopped: true)])
    expectEqual(rig.command(.stopSearch(one), at: 1), [])
    let text = response()
    expectEqual(rig.hear(text, to: socket, at: 1), [rejected(.searchOver, text, at: nil)])
    expectEqual(rig.run(until: 100), [])
  }

  @Test("an answer right after a byebye is no service of the search")
  func straggler() {
    var rig = EngineRig()
    _ = rig.hear(alive(), at: 0)
    _ = rig.command(.search(Search(id: one, target: "ssdp:all")), at: 0)
    _ = rig.hear(byebye(), at: 0.5)
    let text = response()
    expectEqual(rig.hear(text, to: socket, at: 0.75), [rejected(.staleAfterByebye, text)])
  }

  // MARK: Adopted searches

  @Test("an adopted search sends nothing and ends MX after its last copy, as captured (D66)")
  func adopted() {
    var rig = EngineRig()
    let far = Endpoint(IPAddress(192, 168, 1, 9), port: 50_001)
    func adopt(_ id: UInt32, _ target: String, _ wait: Int, at seconds: Double) -> [Effect] {
      rig.command(
        .adopt(Search(id: SearchID(id), target: target, maximumWaitSeconds: wait), copyAt: far), at: seconds)
    }
    expectEqual(adopt(1, "ssdp:all", 10, at: 0), [])
    expectEqual(adopt(2, "urn:x:device:TV:1", 3, at: 0), [])
    expectEqual(adopt(3, "ssdp:all", 10, at: 2), [])
    expectEqual(rig.sent, [])
    expectEqual(rig.engine.openSearchCount, 2)
    let target = "urn:x:device:TV:1"
    expectEqual(
      rig.hear(response("tv", target), to: far, at: 2.5),
      [
        found(), heard(service("tv", target)), heard(service("tv", target, search: 2)),
      ])
    expectEqual(
      rig.run(until: 100),
      [
        Timed(at(3.1), ended([service("tv", target, search: 2)], target, search: 2)),
        Timed(at(12.1), ended([service("tv", target)])),
      ])
  }

  @Test("a captured MX of nothing counts as one second, one of thousands as 120")
  func adoptedWaits() {
    for (wait, end) in [(0, 1.1), (-1, 1.1), (5_000, 120.1)] {
      var rig = EngineRig()
      _ = rig.command(
        .adopt(Search(id: one, target: "ssdp:all", maximumWaitSeconds: wait), copyAt: Endpoint(EngineRig.tv, port: 9)),
        at: 0)
      expectEqual(rig.run(until: 1_000), [Timed(at(end), ended([]))])
    }
  }
}
