import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

/// Which LOCATION, address and interface are in force, for how long, and what comes after them.
@Suite("Places in force") struct PlaceTests {
  private let other = IPAddress(192, 168, 1, 30)
  private let v6 = IPAddress("fe80::20")!
  private let v6Location = "http://[fe80::20]/d.xml"
  private let named = "http://tv.local/d.xml"

  private func location(_ number: Int) -> String { "http://192.168.1.20:8\(number)/d.xml" }

  private func both(_ v4: IPAddress) -> [InterfaceAddress] {
    [InterfaceAddress(v4, prefixBits: 24), InterfaceAddress(IPAddress("fe80::2")!, prefixBits: 64)]
  }

  // MARK: What was in force before

  @Test("three LOCATIONs before the one in force are remembered: they are no news while they hold, a fourth is")
  func formerLocations() {
    var rig = EngineRig()
    var clock = 0.0
    func hear(_ number: Int) -> [Effect] {
      clock += 1
      return rig.hear(alive(location: location(number)), at: clock)
    }
    func news(_ number: Int, from old: Int) -> [Effect] {
      [changed(seen("tv", location(number)), .location(from: location(old)))]
    }
    expectEqual(hear(0), [found("tv", location(0))])
    for number in 1...4 { expectEqual(hear(number), news(number, from: number - 1)) }
    for number in [1, 2, 3, 4, 3, 1] { expectEqual(hear(number), [], "\(number)") }
    expectEqual(hear(0), news(0, from: 4))
    for number in [4, 3, 2] { expectEqual(hear(number), [], "\(number)") }
    expectEqual(hear(1), news(1, from: 0))
  }

  @Test("a LOCATION from before is news again at the moment when its own promise ends, which each message prolongs")
  func promiseOfLocation() {
    let (first, second) = (alive(location: location(1), maxAge: "100"), alive(location: location(2), maxAge: "100"))
    let back = [changed(seen("tv", location(1)), .location(from: location(2)))]
    for (isProlonged, moment, told) in [
      (false, 99.999, []), (false, 100, back), (true, 100, []), (true, 198.999, []), (true, 199, back),
    ] as [(Bool, Double, [Effect])] {
      var rig = EngineRig()
      _ = rig.hear(first, at: 0)
      expectEqual(rig.hear(second, at: 10).count, 1)
      _ = rig.hear(second, at: 90)
      if isProlonged {
        expectEqual(rig.hear(first, at: 99), [])
        if moment > 150 { expectEqual(rig.hear(second, at: 150), []) }
      }
      expectEqual(rig.hear(first, at: moment), told, "\(isProlonged) \(moment)")
    }
  }

  @Test("an address from before is news again when its promise ends, or when that of the one in force does")
  func promiseOfAddress() {
    let text = alive(maxAge: "100")
    let back = [changed(seen(), .address(from: other))]
    for (renewal, moment, told) in [
      (90, 99.999, []), (90, 100, back), (50, 109.999, []), (50, 110, back),
    ] as [(Double, Double, [Effect])] {
      var rig = EngineRig()
      _ = rig.hear(text, at: 0)
      expectEqual(rig.hear(text, from: other, at: 10), [changed(seen(from: other), .address(from: EngineRig.tv))])
      // The one in force says more, or the one before does.
      expectEqual(rig.hear(text, from: renewal == 90 ? other : EngineRig.tv, at: renewal), [])
      expectEqual(rig.hear(text, at: moment), told, "\(renewal) \(moment)")
    }
  }

  @Test("a second address under the same BOOTID comes in force when the promise of the first ends")
  func secondAddress() {
    let text = alive(maxAge: "100", boot: 7)
    let news = [changed(seen(from: other, boot: 7), .address(from: EngineRig.tv))]
    for (moment, told) in [(99.999, []), (100, news)] as [(Double, [Effect])] {
      var rig = EngineRig()
      _ = rig.hear(text, at: 0)
      expectEqual(rig.hear(text, from: other, at: 50), [])
      expectEqual(rig.hear(text, from: other, at: moment), told)
    }
  }

  // MARK: What comes after

  @Test("the oldest message left on the same path comes in force, then the next; another path when none is left")
  func heirs() {
    var rig = EngineRig()
    _ = rig.hear(alive("tv", "uuid:tv", location: location(0), maxAge: "10"), at: 0)
    expectEqual(rig.hear(alive(location: v6Location, maxAge: "100"), from: v6, at: 1), [])
    expectEqual(rig.hear(alive("tv", "hnap:1", location: location(1), maxAge: "50"), at: 2), [])
    expectEqual(rig.hear(alive("tv", "hnap:2", location: location(2), maxAge: "60"), at: 3), [])
    expectEqual(
      rig.run(until: 200),
      [
        Timed(at(10), changed(seen("tv", location(1)), .location(from: location(0)))),
        Timed(at(52), changed(seen("tv", location(2)), .location(from: location(1)))),
        Timed(at(63), changed(seen("tv", v6Location, from: v6), .location(from: location(2)))),
        Timed(at(101), lost("tv", .expired)),
      ])
  }

  @Test("a LOCATION that is still promised stays in force when another message expires, though no message has it")
  func promisedStays() {
    var rig = EngineRig()
    let text = alive("tv", "uuid:tv", location: location(0), maxAge: "100")
    _ = rig.hear(text, at: 0)
    expectEqual(rig.hear(alive("tv", "hnap:1", location: location(2), maxAge: "50"), at: 0), [])
    expectEqual(rig.hear(alive("tv", "uuid:tv", location: location(1), maxAge: "100"), at: 10).count, 1)
    expectEqual(rig.hear(text, at: 20), [])
    expectEqual(rig.run(until: 200), [Timed(at(120), lost("tv", .expired))])
  }

  @Test("a path that goes leaves another address with the same LOCATION, or no LOCATION where none is left")
  func otherPath() {
    var rig = EngineRig()
    _ = rig.hear(alive(location: named), at: 0)
    expectEqual(rig.hear(alive(location: named), from: v6, at: 0), [])
    expectEqual(rig.hear(byebye(), at: 1), [changed(seen("tv", named, from: v6), .address(from: EngineRig.tv))])
    // The root still has its LOCATION there, and its parts with it; by the path that went they are late.
    let part = alive("part", "uuid:part", location: named)
    expectEqual(rig.hear(part, at: 1.5), [rejected(.staleAfterByebye, part)])
    expectEqual(rig.hear(part, from: v6, at: 1.5), [])
    expectEqual(rig.hear(byebye("part", "uuid:part"), from: v6, at: 3), [lost("tv", .byebye)])

    rig = EngineRig()
    _ = rig.hear(alive(), at: 0)
    expectEqual(rig.hear(alive(location: nil), from: v6, at: 0), [])
    expectEqual(rig.hear(byebye(), at: 1), [changed(seen("tv", nil, from: v6), .location(from: tvLocation))])
    let back = changed(seen("tv", v6Location, from: v6), .location(from: nil))
    expectEqual(rig.hear(alive(location: v6Location), from: v6, at: 2), [back])
    expectEqual(rig.engine.brokenInvariants, [])
  }

  @Test("of two roots at one LOCATION the first has the parts")
  func twoRoots() {
    var rig = EngineRig()
    for name in ["a", "b"] { expectEqual(rig.hear(alive(name), at: 0), [found(name)]) }
    expectEqual(rig.hear(alive("p", "uuid:p"), at: 0), [])
    expectEqual(rig.hear(alive("b", "urn:x:service:Y:1"), at: 0), [])
    expectEqual(rig.hear(byebye("p", "uuid:p"), at: 1), [lost("a", .byebye)])
    expectEqual(rig.engine.counters.devicesPresent, 1)
  }

  // MARK: Who may name what

  @Test("a LOCATION is judged anew for another sender, another interface and other addresses of ours")
  func judgedAnew() {
    var rig = EngineRig()
    _ = rig.bring(1, [InterfaceAddress(IPAddress(10, 0, 0, 2), prefixBits: 8)], at: 0)
    let (far, own) = (IPAddress(172, 16, 0, 9), "http://172.16.0.9/d.xml")
    expectEqual(rig.hear(alive("far", location: own), from: far, at: 0), [found("far", own, from: far)])
    expectEqual(rig.hear(alive("a", location: own), at: 0), [found("a", nil)])
    let near = "http://192.168.1.77/d.xml"
    expectEqual(rig.hear(alive("b", location: near), at: 0), [found("b", near)])
    expectEqual(rig.hear(alive("c", location: near), at: 0), [found("c", near)])
    expectEqual(rig.hear(alive("d", location: near), on: 1, at: 0), [found("d", nil, on: 1)])
    // The subnet is smaller now, and there is another one.
    let (fewer, more) = (InterfaceAddress(EngineRig.ours, prefixBits: 26), IPAddress(172, 16, 0, 2))
    expectEqual(rig.bring(0, [fewer, InterfaceAddress(more, prefixBits: 16)], at: 1), [])
    expectEqual(rig.hear(alive("e", location: near), at: 2), [found("e", nil)])
    // What was in force stays so.
    expectEqual(rig.hear(alive("b", location: near), at: 2), [])
    let beside = IPAddress(172, 16, 0, 7)
    expectEqual(rig.hear(alive("f", location: own), from: beside, at: 2), [found("f", own, from: beside)])
  }

  @Test("asked about a LOCATION, the engine says whether it would be told, or which rule forbids it")
  func verdicts() {
    let long = "http://192.168.1.20/" + String(repeating: "x", count: 1_004)
    let cases: [(String, UInt16, LocationVerdict, LocationVerdict)] = [
      ("", 0, .absent, .absent), (long, 0, .usable, .usable),
      (long + "x", 0, .tooLong(bytes: 1_025), .tooLong(bytes: 1_025)),
      ("*", 0, .notURL(LocationRefusal(.asterisk, at: 0)), .usable), ("http://tv.local/", 0, .usable, .usable),
      ("http://192.168.1.77/", 0, .usable, .usable), ("http://192.168.1.77/", 9, .outOfScope(.offLink), .usable),
      ("http://192.168.1.20/", 9, .usable, .usable), ("http://8.8.8.8/", 0, .outOfScope(.offLink), .usable),
      ("http://192.168.1.2/", 0, .outOfScope(.receiver), .usable),
    ]
    for (text, interface, scope, off) in cases {
      let policies: [(EngineConfiguration.LocationPolicy, LocationVerdict)] = [(.scope, scope), (.off, off)]
      for (policy, verdict) in policies {
        let rig = EngineRig { $0.locationPolicy = policy }
        let told = rig.engine.verdict(
          onLocation: Array(text.utf8), from: EngineRig.tv, on: InterfaceID(interface))
        expectEqual(told, verdict, "\(text) \(policy)")
      }
    }
  }

  // MARK: Interfaces

  @Test("an interface that changes addresses of one family keeps what it heard; the family that goes takes its own")
  func families() {
    var rig = EngineRig()
    let zero = InterfaceID(0)
    _ = rig.hear(alive("four", location: nil), at: 0)
    _ = rig.hear(alive("six", location: nil), from: v6, at: 0)
    let moved = IPAddress(192, 168, 1, 7)
    expectEqual(rig.bring(0, [InterfaceAddress(moved, prefixBits: 24)], at: 1), [])
    expectEqual(rig.bring(0, both(moved), at: 2), [.join(.ssdp(.v6), zero)])
    expectEqual(rig.bring(0, Array(both(moved).prefix(1)), at: 3), [.leave(.ssdp(.v6), zero), lost("six", .interface)])
    _ = rig.hear(alive("six", location: nil), from: v6, at: 4)
    expectEqual(rig.bring(0, both(moved), at: 5), [.join(.ssdp(.v6), zero)])
    expectEqual(rig.bring(0, [], at: 6), [lost("four", .interface), lost("six", .interface)])
    expectEqual(rig.bring(0, [], at: 7), [])
    // No second is to be waited for.
    expectEqual(rig.bring(0, both(moved), at: 7), [.join(.ssdp(.v4), zero), .join(.ssdp(.v6), zero)])
    expectEqual(rig.hear(alive("six", location: nil), from: v6, at: 7), [found("six", nil, from: v6)])
  }

  @Test("an engine that stops leaves each group of each interface that is up, in order, and hears nothing more")
  func stop() {
    var rig = EngineRig()
    let groups = [Endpoint.ssdp(.v4), .ssdp(.v6)]
    for number: UInt16 in [2, 1, 0] { _ = rig.bring(number, both(IPAddress(10, 0, UInt8(number), 2)), at: 0) }
    _ = rig.bring(2, [], at: 1)
    _ = rig.hear(alive("tv", location: nil), on: 1, at: 1)
    let leaves = [InterfaceID(0), InterfaceID(1)].flatMap { interface in groups.map { Effect.leave($0, interface) } }
    expectEqual(rig.command(.stop, at: 2), [lost("tv", .stopped)] + leaves)
    let counters = rig.engine.counters
    expectEqual(rig.hear(alive(), at: 3), [])
    expectEqual(rig.bring(2, both(IPAddress(10, 0, 2, 2)), at: 3), [])
    expectEqual(rig.command(.search(Search(id: SearchID(1), target: "ssdp:all")), at: 3), [])
    expectEqual(rig.sent, [])
    expectEqual(rig.command(.stop, at: 4), [])
    expectEqual(rig.engine.counters, counters)
  }
}

/// A queue of descriptions is given reports; what it fetches and refuses is noted as lines.
@Suite("Descriptions in turn") struct DescriptionTurnTests {
  private struct Rig {
    var queue: DescriptionQueue
    var underWay: [DescriptionQueue.Request] = []
    private var lines: [String] = []

    init(_ configure: (inout DescriptionQueue.Limits) -> Void = { _ in }) {
      var limits = DescriptionQueue.Limits()
      configure(&limits)
      queue = DescriptionQueue(limits: limits)
    }

    mutating func take(_ report: Report) -> [String] {
      note(queue.take(report) { _ in [InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 24)] })
      return noted()
    }
    mutating func found(_ device: String, _ location: String?, from host: UInt8 = 9) -> [String] {
      take(.found(sighting(device, location, host)))
    }
    mutating func changed(_ device: String, _ location: String?, _ change: Change) -> [String] {
      take(.changed(sighting(device, location, 9), change))
    }
    mutating func lost(_ device: String) -> [String] { take(.lost(device: device, cause: .expired)) }
    /// Ends the oldest fetch.
    mutating func finish() -> [String] {
      note(queue.finish(underWay.removeFirst()))
      return noted()
    }

    private func sighting(_ device: String, _ location: String?, _ host: UInt8) -> DeviceSighting {
      DeviceSighting(
        device: device, location: location, source: IPAddress(10, 0, 0, host), interface: InterfaceID(3), bootID: nil)
    }
    private mutating func noted() -> [String] {
      while let request = queue.next() {
        underWay.append(request)
        lines.append(
          "\(request.device) \(request.cause.rawValue) \(request.location) \(request.source) if\(request.interface.number)"
        )
      }
      defer { lines = [] }
      return lines
    }
    private mutating func note(_ refusals: [DescriptionQueue.Refusal]) {
      for refusal in refusals {
        lines.append(
          "\(refusal.device) \(refusal.cause.rawValue) \(refusal.location ?? "-") if\(refusal.interface.number): "
            + refusal.failure.reason.rawValue)
      }
    }
  }

  private let one = "http://10.0.0.9/1"
  private let two = "http://10.0.0.9/2"

  @Test("a device that loses its LOCATION gives up its turn; only news of it says that there is none")
  func withoutLocation() {
    var rig = Rig { $0.connectionsMaximum = 1 }
    expectEqual(rig.found("a", one), ["a found \(one) 10.0.0.9 if3"])
    expectEqual(rig.found("b", two), [])
    expectEqual(
      rig.changed("b", nil, .location(from: two)), ["b found \(two) if3: deviceGone", "b location - if3: noLocation"])
    expectEqual(rig.changed("b", nil, .address(from: IPAddress(10, 0, 0, 8))), [])
    expectEqual(rig.changed("b", nil, .united(part: "c")), [])
    expectEqual(rig.changed("b", nil, .bootID(from: nil)), ["b bootID - if3: noLocation"])
    expectEqual(rig.changed("b", nil, .configID(from: nil)), ["b configID - if3: noLocation"])
    expectEqual(rig.changed("a", nil, .location(from: one)), ["a location - if3: noLocation"])
    expectEqual(rig.finish(), [])
    expectEqual(rig.queue.recordCount, 0)
  }

  @Test("a LOCATION that two devices share keeps its turn until both are gone, and news of either is news of it")
  func shared() {
    var rig = Rig { $0.connectionsMaximum = 1 }
    _ = rig.found("a", one)
    expectEqual(rig.found("b", two) + rig.found("c", two) + rig.changed("c", two, .bootID(from: 1)), [])
    expectEqual(rig.lost("b"), [])
    expectEqual(rig.finish(), ["b found \(two) 10.0.0.9 if3"])
    expectEqual(rig.finish(), [])
    expectEqual(rig.found("d", two), [])
    expectEqual(rig.changed("d", two, .configID(from: 1)), ["d configID \(two) 10.0.0.9 if3"])
    expectEqual(rig.finish(), [])
    expectEqual(rig.changed("c", two, .address(from: IPAddress(10, 0, 0, 8))), [])
    expectEqual(rig.lost("c") + rig.lost("d") + rig.lost("a"), [])
    expectEqual(rig.queue.recordCount, 0)
    expectEqual(rig.found("d", two), ["d found \(two) 10.0.0.9 if3"])
  }

  @Test("who is lost and found while a fetch is under way waits for that fetch, and for no more of it")
  func lostUnderWay() {
    var rig = Rig()
    expectEqual(rig.found("a", one).count, 1)
    expectEqual(rig.changed("a", one, .bootID(from: 1)), [])
    expectEqual(rig.lost("a") + rig.found("a", one), [])
    expectEqual(rig.finish(), [])
    expectEqual(rig.queue.activeCount, 0)
    // The last of several news is the one that counts.
    expectEqual(rig.changed("a", one, .bootID(from: 1)), ["a bootID \(one) 10.0.0.9 if3"])
    expectEqual(rig.changed("a", one, .bootID(from: 2)) + rig.changed("a", one, .configID(from: 1)), [])
    expectEqual(rig.finish(), ["a configID \(one) 10.0.0.9 if3"])
    expectEqual(rig.lost("a"), [])
    expectEqual(rig.finish(), [])
    expectEqual(rig.queue.recordCount, 0)
  }

  @Test("what is to be fetched again finds the queue full like anything else")
  func fullAgain() {
    var rig = Rig { ($0.connectionsMaximum, $0.waitingMaximum) = (1, 1) }
    _ = rig.found("a", one)
    expectEqual(rig.changed("a", one, .bootID(from: 1)) + rig.found("b", two), [])
    expectEqual(rig.finish(), ["a bootID \(one) if3: queueFull", "b found \(two) 10.0.0.9 if3"])
    expectEqual(rig.changed("a", one, .bootID(from: 2)), [])
    expectEqual(rig.finish(), ["a bootID \(one) 10.0.0.9 if3"])
  }

  @Test("fetches are counted for the host that is asked, not for the device that named it, and delay no other host")
  func hosts() {
    var rig = Rig { $0.connectionsPerHostMaximum = 1 }
    expectEqual(rig.found("a", "http://10.0.0.8/1").count, 1)
    expectEqual(rig.found("b", "http://10.0.0.8/2", from: 7), [])
    expectEqual(rig.found("c", "http://[::ffff:10.0.0.8]/3"), [])
    expectEqual(rig.found("d", "http://10.0.0.7/4"), ["d found http://10.0.0.7/4 10.0.0.9 if3"])
    expectEqual(rig.finish(), ["b found http://10.0.0.8/2 10.0.0.7 if3"])
    expectEqual(rig.finish(), [])
    expectEqual(rig.finish(), ["c found http://[::ffff:10.0.0.8]/3 10.0.0.9 if3"])
  }

  @Test("a URL is taken apart for a connection, or refused with what was expected and what was found")
  func targets() {
    typealias Answer = Result<DescriptionTarget, DescriptionFetch.Failure>
    func target(_ endpoint: Endpoint, _ authority: String, _ path: String) -> Answer {
      .success(DescriptionTarget(endpoint: endpoint, authority: authority, path: path))
    }
    func failure(_ reason: DescriptionFetch.Reason, _ explanation: String) -> Answer {
      .failure(DescriptionFetch.Failure(reason, "expected \(explanation)"))
    }
    func check(_ url: String, _ sender: IPAddress) -> Answer {
      let subnets = [InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 24)]
      do throws(DescriptionFetch.Failure) {
        return .success(
          try DescriptionTarget.check(url, sender: sender, subnets: subnets, allowsLoopback: false))
      } catch {
        return .failure(error)
      }
    }
    let (nine, six, scope) = (IPAddress(10, 0, 0, 9), IPAddress("fe80::9")!, "10.0.0.9 or a host on its link, found ")
    let cases: [(String, IPAddress, Answer)] = [
      ("http://10.0.0.9", nine, target(Endpoint(nine, port: 80), "10.0.0.9", "")),
      ("HTTP://10.0.0.9:80/d?a=b#c", nine, target(Endpoint(nine, port: 80), "10.0.0.9:80", "/d?a=b")),
      ("http://10.0.0.9:65535/", nine, target(Endpoint(nine, port: 65_535), "10.0.0.9:65535", "/")),
      ("http://[fe80::9%25eth0]:81/x", six, target(Endpoint(six, port: 81), "[fe80::9]:81", "/x")),
      ("http://[::ffff:10.0.0.9]/", nine, target(Endpoint(nine, port: 80), "[::ffff:10.0.0.9]", "/")),
      (
        "http://10.0.0.9:0/", nine,
        failure(.badLocation, "an absolute http URL, found http://10.0.0.9:0/: port at byte 16")
      ),
      ("ftp://10.0.0.9/", nine, failure(.scheme, "an absolute http URL, found ftp://10.0.0.9/: scheme at byte 0")),
      (
        "https://10.0.0.9/", nine,
        failure(.scheme, "http, found https://10.0.0.9/: descriptions over TLS are not fetched")
      ),
      (
        "http://tv.local/", nine, failure(.hostName, "an address, found the name tv.local: it is not looked up")
      ),
      ("http://10.0.1.9/", nine, failure(.outOfScope, scope + "10.0.1.9: offLink")),
      ("http://[fe80::9]/", nine, failure(.outOfScope, scope + "fe80::9: familyMismatch")),
    ]
    for (url, sender, expected) in cases { expectEqual(check(url, sender), expected, "\(url)") }
  }
}
