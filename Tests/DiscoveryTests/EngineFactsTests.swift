import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

/// What an engine says of itself, and where it begins.
@Suite("What an engine says of itself") struct EngineFactsTests {
  private let other = IPAddress(192, 168, 1, 66)

  @Test("counters begin at nothing, and peaks stay where they were")
  func counters() {
    func numbers(_ counters: EngineCounters) -> [Int] {
      [
        counters.datagrams, counters.devicesEver, counters.devicesPresent, counters.devicesPresentPeak,
        counters.openLeases, counters.openLeasesPeak, counters.evictions, counters.leasesByDefault,
        counters.ownMessages, counters.rejectedTotal, counters.rejections.count,
      ]
    }
    expectEqual(numbers(EngineCounters()), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    var rig = EngineRig()
    expectEqual(rig.engine.counters, EngineCounters())
    for name in ["a", "b"] { _ = rig.hear(alive(name, location: nil, maxAge: nil), at: 0) }
    _ = rig.hear(alive("a", "uuid:a", location: nil), at: 0)
    expectEqual(numbers(rig.engine.counters), [3, 2, 2, 2, 3, 3, 0, 2, 0, 0, 0])
    _ = rig.hear(byebye("a"), at: 1)
    for text in ["", "", "NOTIFX * HTTP/1.1\r\n\r\n"] { _ = rig.hear(text, at: 1) }
    expectEqual(numbers(rig.engine.counters), [7, 2, 1, 2, 1, 3, 0, 2, 0, 3, 2])
  }

  @Test("without a word of its owner an engine keeps what is documented, plants nothing and sends no USER-AGENT")
  func defaults() {
    let (configuration, limits) = (EngineConfiguration(), EngineLimits())
    let numbers = [
      limits.entriesTotal, limits.entriesPerSource, limits.entriesPerDevice, limits.parts, limits.searchesOpen,
      limits.servicesPerSearch, limits.tombstones, limits.idleParts, limits.nameBytes, limits.locationBytes,
    ]
    expectEqual(numbers, [262_144, 4_096, 512, 256, 256, 16_384, 4_096, 4_096, 512, 1_024])
    expectEqual(configuration.limits, limits)
    #expect(configuration.leaseDefaultSeconds == 1_800 && configuration.leaseMaximumSeconds == 31_536_000)
    #expect(configuration.tombstone == .seconds(1) && configuration.hashSeed == 0 && configuration.userAgent == nil)
    #expect(configuration.switches.isEmpty)
  }

  @Test("a set of faults is empty only where none is in it")
  func switches() {
    #expect(EngineSwitches().isEmpty && ([] as EngineSwitches).isEmpty)
    for one in EngineSwitch.allCases { #expect(!EngineSwitches([one]).isEmpty, "\(one)") }
    #expect(!EngineSwitches(EngineSwitch.allCases).isEmpty)
  }

  @Test("of a UUID that nobody has there is no device, so none is present and no lease ends")
  func nobody() {
    let rig = EngineRig()
    let standing = rig.engine.standing(
      usn: Array("uuid:nobody".utf8), target: Array("uuid:nobody".utf8), .v4, on: InterfaceID(0))
    #expect(standing.device == nil && !standing.isPresent && standing.leaseEnd == nil)
  }

  @Test("a program on this machine may name this machine, nobody else may")
  func loopback() {
    let location = "http://127.0.0.1/d.xml"
    let here = IPAddress(127, 0, 0, 1)
    for (sender, isLink, verdict) in [
      (here, false, .usable), (IPAddress(127, 0, 0, 9), false, .usable), (EngineRig.tv, false, .outOfScope(.loopback)),
      (here, true, .outOfScope(.loopback)), (EngineRig.tv, true, .outOfScope(.loopback)),
    ] as [(IPAddress, Bool, LocationVerdict)] {
      var rig = EngineRig(isUp: false)
      let lo = isLink ? [] : [InterfaceAddress(here, prefixBits: 8)]
      _ = rig.bring(0, lo + [InterfaceAddress(EngineRig.ours, prefixBits: 24)], at: 0)
      expectEqual(rig.engine.verdict(onLocation: Array(location.utf8), from: sender, on: InterfaceID(0)), verdict)
      let told = found("tv", verdict == .usable ? location : nil, from: sender)
      expectEqual(rig.hear(alive(location: location), from: sender, at: 0), [told])
    }
  }

  @Test("a device that says the same again takes one place of each kind, and no past")
  func places() {
    var rig = EngineRig()
    for time in 0..<5 { _ = rig.hear(alive(boot: 7, config: 1), at: Double(time)) }
    // Leases, devices, parts, pasts, and the names of UUIDs, targets, LOCATIONs and addresses.
    expectEqual(rig.engine.recordCounts, [1, 1, 1, 0, 1, 1, 1, 1])
  }

  @Test("a search leaves from the first address of a family, by IPv6 from the first link-local one")
  func senders() {
    let four = [IPAddress(10, 0, 0, 2), IPAddress(10, 0, 0, 3)].map { InterfaceAddress($0, prefixBits: 8) }
    let wide = ["2001:db8::2", "2001:db8::3"].map { InterfaceAddress(IPAddress($0)!, prefixBits: 64) }
    let local = ["fe80::2", "fe80::3"].map { InterfaceAddress(IPAddress($0)!, prefixBits: 64) }
    let all = wide + local + four
    let cases: [([InterfaceAddress], [String])] = [
      (four, ["10.0.0.2:49152"]), (wide, ["[2001:db8::2]:49152"]), (local, ["[fe80::2]:49152"]),
      (all, ["10.0.0.2:49152", "[fe80::2]:49152"]), (Array(all.reversed()), ["10.0.0.3:49152", "[fe80::3]:49152"]),
    ]
    for (addresses, sources) in cases {
      var rig = EngineRig(isUp: false)
      _ = rig.bring(0, addresses, at: 0)
      _ = rig.command(.search(Search(id: SearchID(1), target: "ssdp:all", broadcasts: 1)), at: 0)
      expectEqual(rig.sent.map(\.source), sources)
    }
  }

  // MARK: Ends

  @Test("woken at the end of time an engine has nothing to do, and what never ends has not ended")
  func endOfTime() {
    for switches in [[], [.neverExpires, .searchNeverEnds]] as [EngineSwitches] {
      var rig = EngineRig(switches)
      if !switches.isEmpty {
        expectEqual(rig.hear(alive(), at: 0), [found()])
        _ = rig.command(.search(Search(id: SearchID(1), target: "ssdp:all", broadcasts: 1)), at: 0)
      }
      rig.engine.wake(at: .never, into: &rig.outbox)
      let told = rig.answer()
      #expect(told == [] && rig.sent == [])
      expectEqual(rig.engine.deadline, nil)
      expectEqual(rig.engine.counters.devicesPresent, (switches.isEmpty ? 0 : 1))
    }
  }

  @Test("a device that promises less than before may be the first to go")
  func shortened() {
    var rig = EngineRig()
    _ = rig.hear(alive("a", location: nil, maxAge: "10"), at: 0)
    _ = rig.hear(alive("b", location: nil, maxAge: "20"), at: 0)
    _ = rig.hear(alive("b", location: nil, maxAge: "3"), at: 1)
    expectEqual(rig.engine.deadline, at(4))
    expectEqual(rig.run(until: 100), [Timed(at(4), lost("b", .expired)), Timed(at(10), lost("a", .expired))])
    // The same of many, in an order of their own.
    for number in 0..<25 { _ = rig.hear(alive("d\(number)", location: nil, maxAge: "\(100 + number)"), at: 200) }
    for number in 0..<25 {
      _ = rig.hear(alive("d\(number)", location: nil, maxAge: "\(1 + number * 7 % 25)"), at: 201)
    }
    let ends = (0..<25).map { (202 + $0 * 7 % 25, $0) }.sorted { $0 < $1 }
    expectEqual(rig.run(until: 500), ends.map { Timed(at(Double($0.0)), lost("d\($0.1)", .expired)) })
  }

  @Test("where bounds are planted away, a lease moves to an address that is full", arguments: [false, true])
  func withoutBounds(isPlanted: Bool) {
    var rig = EngineRig(isPlanted ? [.noBounds] : []) { $0.limits.entriesPerSource = 1 }
    _ = rig.hear(alive(), at: 0)
    _ = rig.hear(alive("x", location: nil), from: other, at: 0)
    let text = alive()
    let told = isPlanted ? changed(seen(from: other), .address(from: EngineRig.tv)) : rejected(.overSource, text)
    expectEqual(rig.hear(text, from: other, at: 1), [told])
  }
}
