import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

/// Searches that share a socket, a number or an answer: who is told what, how often, and until when.
@Suite("Searches that share") struct SharedSocketTests: SearchesOfSockets {
  private func ended(
    _ number: UInt32, _ target: String = "ssdp:all", _ services: [ServiceSighting] = [], wasStopped: Bool = false
  ) -> Effect {
    .report(
      .searchEnded(
        SearchOutcome(search: SearchID(number), target: target, services: services, wasStopped: wasStopped)))
  }

  private func isUsed(_ number: UInt32) -> Effect {
    .report(
      .failed(
        Failure(
          reason: .searchIdUsed, search: SearchID(number),
          explanation: "Search \(number) was there before: a search is single-use, take another id.")))
  }

  private func service(
    _ number: UInt32, _ uuid: String = "tv", _ target: String = "upnp:rootdevice", usn name: String? = nil,
    root: String? = nil, location: String? = tvLocation
  ) -> ServiceSighting {
    ServiceSighting(
      search: SearchID(number), device: "uuid:\(root ?? uuid)", usn: name ?? usn(uuid, target), target: target,
      location: location)
  }

  private func heard(_ service: ServiceSighting) -> Effect { .report(.service(service)) }

  // MARK: Captured searches

  @Test("copies from two addresses under one number are one search, which hears at both and waits for the later one")
  func twoAddresses() {
    var rig = EngineRig()
    expectEqual(rig.command(adopt(1, mx: 2, from: a), at: 0), [])
    expectEqual(rig.command(adopt(1, mx: 2, from: b), at: 0.5), [])
    // The number belongs to its target.
    expectEqual(rig.command(adopt(1, "upnp:rootdevice", from: b), at: 0.5), [isUsed(1)])
    expectEqual(rig.engine.openSearchCount, 1)
    expectEqual(rig.hear(response(), to: b, at: 1), [found(), heard(service(1))])
    expectEqual(rig.hear(response(), to: a, at: 1), [])
    expectEqual(rig.hear(response("amp"), to: a, at: 2.599), [found("amp"), heard(service(1, "amp"))])
    expectEqual(rig.run(until: 10), [Timed(at(2.6), ended(1, "ssdp:all", [service(1), service(1, "amp")]))])
    for socket in [a, b] {
      let late = response()
      expectEqual(rig.hear(late, to: socket, at: 10), [rejected(.searchOver, late, at: nil)])
    }
  }

  @Test("a copy makes a search longer and never shorter; at the moment of its end it comes too late")
  func longer() {
    for (first, second, end) in [(10, 1, 10.1), (1, 10, 11.1), (2, 1, 2.1), (2, 2, 3.1), (1, 1, 2.1)] {
      var rig = EngineRig()
      _ = rig.command(adopt(1, mx: first, from: a), at: 0)
      expectEqual(rig.command(adopt(2, mx: second, from: a), at: 1), [], "\(first) \(second)")
      expectEqual(rig.run(until: 100), [Timed(at(end), ended(1))], "\(first) \(second)")
    }
    var rig = EngineRig()
    _ = rig.command(adopt(1, from: a), at: 0)
    expectEqual(rig.command(adopt(2, from: a), at: 1.1), [ended(1)])
    expectEqual(rig.run(until: 100), [Timed(at(2.2), ended(2))])
    _ = rig.command(adopt(3, from: a), at: 100)
    expectEqual(rig.command(adopt(3, from: a), at: 101.1), [ended(3), isUsed(3)])
  }

  @Test("a search of the engine's own is no captured search, though number, target and socket are the same")
  func ownAndCaptured() {
    var rig = EngineRig()
    _ = rig.command(.search(Search(id: SearchID(1), target: "ssdp:all", maximumWaitSeconds: 1, broadcasts: 1)), at: 0)
    let socket = Endpoint(EngineRig.ours, port: 49_152)
    expectEqual(rig.command(adopt(1, mx: 5, from: socket), at: 0.5), [isUsed(1)])
    expectEqual(rig.command(adopt(2, mx: 5, from: socket), at: 0.5), [])
    expectEqual(rig.hear(response(), to: socket, at: 1), [found(), heard(service(1)), heard(service(2))])
    expectEqual(
      rig.run(until: 100),
      [
        Timed(at(1.1), ended(1, "ssdp:all", [service(1)])), Timed(at(5.6), ended(2, "ssdp:all", [service(2)])),
      ])
  }

  @Test("searches at one socket are told in the order in which they began, however late they came to that socket")
  func order() {
    var rig = EngineRig()
    let searches: [(UInt32, String, Endpoint)] = [
      (1, "ssdp:all", a), (2, "\(foo)1", b), (3, "\(foo)2", c), (4, "\(foo)3", b),
    ]
    for (number, target, socket) in searches {
      expectEqual(rig.command(adopt(number, target, mx: 5, from: socket), at: 0), [])
    }
    expectEqual(rig.command(adopt(3, foo + "2", mx: 5, from: b), at: 0), [])
    expectEqual(rig.command(adopt(1, mx: 5, from: b), at: 0), [])
    expectEqual(rig.engine.openSearchCount, 4)
    func told(_ uuid: String, _ version: Int, to socket: Endpoint) -> [UInt32] {
      rig.hear(response(uuid, "\(foo)\(version)", location: "http://192.168.1.20/\(uuid)"), to: socket, at: 1)
        .compactMap { if case .application(.service(let service)) = $0 { service.search.number } else { nil } }
    }
    expectEqual(told("d1", 3, to: b), [1, 2, 3, 4])
    expectEqual(told("d2", 2, to: b), [1, 2, 3])
    expectEqual(told("d3", 3, to: a), [1])
    expectEqual(told("d4", 3, to: c), [3])
    func stop(_ number: UInt32) { _ = rig.command(.stopSearch(SearchID(number)), at: 1) }
    stop(2)
    expectEqual(told("d5", 3, to: b), [1, 3, 4])
    stop(4)
    expectEqual(told("d6", 3, to: b), [1, 3])
    stop(1)
    expectEqual(told("d7", 3, to: b), [3])
    expectEqual(told("d8", 3, to: a), [])
    stop(3)
    expectEqual(told("d9", 3, to: b), [])
    expectEqual(rig.engine.openSearchCount, 0)
  }

  @Test("a socket is over when the last of its searches is, open again with the next, and then the newest that is over")
  func closing() {
    var rig = EngineRig()
    _ = rig.command(adopt(1, from: a), at: 0)
    _ = rig.command(adopt(2, foo + "1", from: a), at: 0)
    let text = response()
    expectEqual(rig.command(.stopSearch(SearchID(1)), at: 0), [ended(1, wasStopped: true)])
    expectEqual(rig.hear(text, to: a, at: 0), [rejected(.targetNotAsked, text, at: "ST: ")])
    expectEqual(rig.command(.stopSearch(SearchID(2)), at: 0), [ended(2, foo + "1", wasStopped: true)])
    expectEqual(rig.hear(text, to: a, at: 0), [rejected(.searchOver, text, at: nil)])
    _ = rig.command(adopt(3, from: a), at: 0)
    expectEqual(rig.hear(text, to: a, at: 0), [found(), heard(service(3))])

    // The last 64 are known.
    func socket(_ number: Int) -> Endpoint { Endpoint(EngineRig.ours, port: UInt16(50_000 + number)) }
    var other = EngineRig()
    var number: UInt32 = 0
    for place in Array(0..<64) + [0, 64] {
      number += 1
      _ = other.command(adopt(number, from: socket(place)), at: 0)
      _ = other.command(.stopSearch(SearchID(number)), at: 0)
    }
    let reasons: [(Int, RejectionReason)] = [(0, .searchOver), (1, .noOpenSearch), (2, .searchOver), (64, .searchOver)]
    for (place, reason) in reasons {
      expectEqual(other.hear(text, to: socket(place), at: 0), [rejected(reason, text, at: nil)], "\(place)")
    }
  }

  @Test("numbers that were used are known in 4096 pieces; then the lowest piece is forgotten")
  func usedNumbers() {
    var rig = EngineRig()
    // Which of these can be taken, each for a moment.
    func free(_ numbers: [UInt32]) -> [UInt32] {
      numbers.filter { number in
        let effects = rig.command(adopt(number, from: a), at: 0)
        if effects == [isUsed(number)] { return false }
        return rig.command(.stopSearch(SearchID(number)), at: 0) == [ended(number, wasStopped: true)]
      }
    }
    let even = (0..<4_096).map { UInt32(2 * $0) }
    expectEqual(free(even), even)
    expectEqual(free([0, 2, 8_190]), [])
    // Two pieces become one, so that one more has room.
    expectEqual(free([1, 8_192, 0, 1, 2]), [1, 8_192])
    expectEqual(free([8_194, 0, 1, 2, 4, 8_194]), [8_194, 0, 1, 2])
  }

  // MARK: Answers

  @Test("an answer is one to a search by the rules of targets and by nothing else")
  func targets() {
    let targets = [
      "ssdp:all", "upnp:rootdevice", "upnp:rootdevicE", "uuid:AbCd-12345678", "uuid:abcd-12345678", "uuid:a", "uuid:A",
      "urn:x:device:Foo:1", "urn:x:device:Foo:2", "urn:x:device:Foo:10", "urn:x:service:Foo:1", "urn:x:service:Foo1:1",
      "urn:x:service:foo:1", "urn:y:device:Foo:2", "urn:x:device:Foo:", "urn:x:device:Foo:2x", "roku:ecp", "rokv:ecp",
      "oku:ecp", "a", "b", "abcdefg", "abcdefgh",
    ]
    for asked in targets {
      var rig = EngineRig()
      _ = rig.command(adopt(1, asked, from: a), at: 0)
      for (number, offered) in targets.enumerated() {
        let (uuid, location) = ("d\(number)", "http://192.168.1.20/\(number)")
        let text = response(uuid, offered, usn: "uuid:\(uuid)", location: location)
        let isAnswer = SearchTarget(asked).matches(offered: SearchTarget(offered))
        let told = heard(service(1, uuid, offered, usn: "uuid:\(uuid)", location: location))
        let expected = isAnswer ? [found(uuid, location), told] : [rejected(.targetNotAsked, text, at: "ST: ")]
        expectEqual(rig.hear(text, to: a, at: 0.5), expected, "\(asked) and \(offered)")
      }
    }
  }

  @Test("a service has the LOCATION of its own answer as far as that may be told, and USN as it was spelled")
  func locations() {
    var rig = EngineRig()
    _ = rig.hear(alive(), at: 0)
    _ = rig.command(adopt(1, mx: 5, from: a), at: 0)
    for name in ["UUID:TV::upnp:rootdevice", "uuid:TV::upnp:rootdevice", "uuid:tv::upnp:rootdevice"] {
      let text = response("tv", usn: name)
      expectEqual(rig.hear(text, to: a, at: 1), [heard(service(1, usn: name))])
      expectEqual(rig.hear(text, to: a, at: 1), [])
    }
    let target = "urn:x:device:TV:1"
    expectEqual(
      rig.hear(response("tv", target, location: "http://8.8.8.8/d.xml"), to: a, at: 1),
      [heard(service(1, "tv", target, location: nil))])
    // What another device may name is not this one's to name.
    let far = "http://172.16.0.9/d.xml"
    expectEqual(rig.hear(alive("far", location: far), from: IPAddress(172, 16, 0, 9), at: 1).count, 1)
    expectEqual(
      rig.hear(response("tv", foo + "1", usn: "UUID:tv::\(foo)1", location: far), to: a, at: 1),
      [heard(service(1, "tv", foo + "1", usn: "UUID:tv::\(foo)1", location: nil))])
    let bare = "HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=60\r\nEXT:\r\nST: uuid:tv\r\nUSN: uuid:tv\r\n\r\n"
    _ = rig.hear(alive("tv", "uuid:tv"), at: 1)
    expectEqual(rig.hear(bare, to: a, at: 1), [heard(service(1, "tv", "uuid:tv", location: nil))])
  }

  @Test("a UUID that became a part of a device between two answers is told as that part")
  func united() {
    var rig = EngineRig()
    for (number, socket) in [(1, a), (2, b)] {
      _ = rig.command(adopt(UInt32(number), mx: 5, from: socket), at: 0)
    }
    let text = response("part", "uuid:part")
    expectEqual(rig.hear(text, to: a, at: 1), [found("part"), heard(service(1, "part", "uuid:part"))])
    expectEqual(rig.hear(alive(), at: 1), [found(), changed(seen(), .united(part: "uuid:part"))])
    expectEqual(rig.hear(text, to: b, at: 1), [heard(service(2, "part", "uuid:part", root: "tv"))])
    expectEqual(rig.hear(text, to: a, at: 1), [])
  }

  @Test("sixty answers, each twice, are sixty services; the next search hears all of them anew")
  func many() {
    var rig = EngineRig()
    for (number, start) in [(UInt32(1), 0.0), (2, 10)] {
      _ = rig.command(adopt(number, mx: 5, from: a), at: start)
      let places: [Int] = number == 1 ? Array(0..<60) : Array((0..<60).reversed())
      for turn in 0..<2 {
        for place in places {
          var told: [Effect] = turn == 0 ? [heard(service(number, "d\(place)"))] : []
          if number == 1, turn == 0 { told.insert(found("d\(place)"), at: 0) }
          expectEqual(rig.hear(response("d\(place)"), to: a, at: start + 1), told)
        }
      }
      expectEqual(rig.wake(at: start + 5.1), [ended(number, "ssdp:all", places.map { service(number, "d\($0)") })])
    }
  }

  @Test("an answer whose bytes are no text is told once, too, and other bytes are another answer")
  func noText() {
    var rig = EngineRig()
    _ = rig.command(adopt(1, mx: 5, from: a), at: 0)
    let text = Array(response("t#v", usn: "UUID:t#v::upnp:rootdevice").utf8)
    for byte: UInt8 in [0xFF, 0xFE] {
      let shown = byte == 0xFF ? "t\\xffv" : "t\\xfev"
      for turn in 0..<2 {
        let payload = rig.store.store(text.map { $0 == UInt8(ascii: "#") ? byte : $0 })
        let effects = rig.give(
          .datagram(
            Datagram(
              source: Endpoint(EngineRig.tv, port: 1_900), destination: a, interface: InterfaceID(0), hopLimit: 2,
              payload: payload)), at: 1)
        rig.store.release(payload)
        let told = [found(shown), heard(service(1, shown, usn: "UUID:\(shown)::upnp:rootdevice"))]
        expectEqual(effects, (turn == 0 ? told : []), "\(byte)")
      }
    }
  }
}
