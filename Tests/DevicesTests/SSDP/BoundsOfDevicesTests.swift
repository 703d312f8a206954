import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("What a device does at its bounds") struct BoundsOfDevicesTests {
  typealias Sent = Bench<RootDevice>.Sent
  /// A device that has announced itself; nothing of that is left in `sent`.
  func quiet(
    _ change: (inout DeviceDescription) -> Void = { _ in }, _ quirks: [Quirk] = [],
    addresses: [SignalValue] = [up(0, "192.168.1.20")]
  ) -> Bench<RootDevice> {
    var description = treeDescription()
    change(&description)
    var device = bench(description, quirks, addresses: addresses)
    device.act(.appear)
    device.run(until: .zero + .seconds(5))
    device.sent = []
    return device
  }
  /// `kind BOOTID NEXTBOOTID` of each message, runs of the same told once.
  func numbers(_ sent: [Sent]) -> [String] {
    var runs: [(text: String, count: Int)] = []
    for message in sent {
      let next = message.field("NEXTBOOTID.UPNP.ORG").map { " next \($0)" } ?? ""
      let text = "\(message.nts.dropFirst(5)) \(message.field("BOOTID.UPNP.ORG") ?? "-")\(next)"
      if runs.last?.text == text { runs[runs.count - 1].count += 1 } else { runs.append((text, 1)) }
    }
    return runs.map { "\($0.count) \($0.text)" }
  }

  @Test("BOOTID and NEXTBOOTID have 31 bits: after the last one comes 0")
  func bootIDs() {
    let table: [(first: UInt32, quirks: [Quirk], act: Act, expected: [String])] = [
      (2_147_483_646, [], .reboot, ["9 byebye 2147483646", "18 alive 2147483647"]),
      (2_147_483_647, [], .reboot, ["9 byebye 2147483647", "18 alive 0"]),
      (2_147_483_646, [], .update, ["9 update 2147483646 next 2147483647", "18 alive 2147483647"]),
      (2_147_483_647, [], .update, ["9 update 2147483647 next 0", "18 alive 0"]),
      (2_147_483_646, [.nextBootIDLies], .update, ["9 update 2147483646 next 0", "18 alive 2147483647"]),
      (2_147_483_647, [.nextBootIDLies], .update, ["9 update 2147483647 next 1", "18 alive 0"]),
      (2_147_483_647, [], .crash(downFor: .zero, keepsState: true), ["18 alive 0"]),
      (2_147_483_647, [], .crash(downFor: .zero, keepsState: false), ["18 alive 2147483647"]),
      (2_147_483_647, [.bootIDNotIncreased], .reboot, ["9 byebye 2147483647", "18 alive 2147483647"]),
    ]
    for row in table {
      var device = quiet({ $0.initialBootID = row.first }, row.quirks)
      device.act(row.act)
      device.run(for: .seconds(5))
      expectEqual(numbers(device.sent), row.expected, "\(row)")
    }
  }

  @Test("CONFIGID has 24 bits, and a port that changes with each start comes back to the first dynamic one")
  func configIDsAndPorts() {
    for (first, next) in [(16_777_214, 16_777_215), (16_777_215, 0)] as [(UInt32, Int)] {
      var device = quiet({ $0.configID = first })
      device.act(.reconfigure)
      device.run(for: .seconds(5))
      expectEqual(device.sent.compactMap { $0.field("CONFIGID.UPNP.ORG") }, Array(repeating: "\(next)", count: 18))
    }
    for (first, next) in [(65_534, 65_535), (65_535, 49_152)] as [(UInt16, Int)] {
      var device = quiet({ $0.port = first }, [.portChangesOnReboot])
      device.act(.vanish)
      device.act(.appear)
      device.run(for: .seconds(5))
      expectEqual(
        device.sent.compactMap { $0.field("LOCATION") },
        Array(repeating: "http://192.168.1.20:\(next)/description.xml", count: 18))
    }
  }

  @Test("two interfaces that come together are told of in one update, and both are greeted under its BOOTID")
  func oneUpdateForTwo() {
    var device = quiet()
    device.receive(up(1, "10.0.0.7"))
    device.receive(up(2, "10.1.0.7"))
    device.run(for: .seconds(5))
    expectEqual(numbers(device.sent), ["9 update 1 next 2", "36 alive 2"])
    #expect(device.sent.prefix(9).allSatisfy { $0.interface == InterfaceID(0) })
    expectEqual(device.sent.dropFirst(9).map(\.interface), (0..<36).map { InterfaceID($0 % 2 == 0 ? 1 : 2) })
  }

  @Test("what waits for nothing but a fixed time comes at that time to the nanosecond")
  func fixedTimes() {
    /// The root messages from the start on; from five seconds later on where signals come then.
    func roots(_ quirks: [Quirk], for interval: Interval, _ signals: [SignalValue] = []) -> [String] {
      var device = bench(treeDescription(), quirks + [.noJitter, .noRenewal, .dropsRepeats])
      device.act(.appear)
      if !signals.isEmpty {
        device.run(until: .zero + .seconds(5))
        device.sent = []
        for signal in signals { device.receive(signal) }
      }
      device.run(for: interval)
      return device.sent.filter { $0.field("NT") == "upnp:rootdevice" }
        .map { "\($0.nts.dropFirst(5)) \($0.at.nanoseconds)" }
    }
    expectEqual(
      roots([.byebyeAliveByebye], for: .seconds(70)),
      [
        "byebye 0", "alive 1000000000", "byebye 31000000000", "alive 62000000000",
      ])
    expectEqual(roots([.byebyeBeforeFirstAlive], for: .seconds(2)), ["byebye 0", "alive 118000000"])
    expectEqual(
      roots([.spuriousByebye(.seconds(60))], for: .seconds(185)),
      [
        "alive 0", "byebye 60000000000", "byebye 120000000000", "byebye 180000000000",
      ])
    let move = SignalValue.command(.act(.move(interface: InterfaceID(0), to: IPAddress(192, 168, 1, 77))))
    expectEqual(roots([], for: .seconds(5), [move]), ["byebye 5000000000", "alive 5000000000"])
    expectEqual(roots([.abandonsOldAddress], for: .seconds(5), [move]), ["byebye 5010000000", "alive 6000000000"])
    expectEqual(roots([], for: .seconds(5), [up(0, "192.168.1.77")]), ["byebye 5000000000", "alive 5038000000"])
    let crash = SignalValue.command(.act(.crash(downFor: .seconds(60), keepsState: true)))
    expectEqual(roots([], for: .seconds(60), [crash]), ["alive 65000000000"])
    expectEqual(roots([], for: .nanoseconds(59_999_999_999), [crash]), [])
  }

  @Test("a reboot takes a second from its last byebye, a late alive comes 300 ms after it")
  func afterTheLastByebye() {
    let (join, leave) = (Effect.join(.ssdp(.v4), InterfaceID(0)), Effect.leave(.ssdp(.v4), InterfaceID(0)))
    for (quirks, act, pause, other, goesOn) in [
      ([], .reboot, 1_000, join, true), ([.lateAliveAfterByebye], .leave, 300, leave, false),
    ] as [([Quirk], Act, Int64, Effect, Bool)] {
      var device = quiet({ _ in }, quirks + [.noJitter])
      device.others = []
      device.act(act)
      device.run(for: .seconds(5))
      #expect(device.others.map(\.effect) == [other] && (device.machine.deadline != nil) == goesOn)
      #expect(device.sent[8].nts == "ssdp:byebye" && device.sent[9].nts == "ssdp:alive")
      expectEqual(device.sent[9].at - device.sent[8].at, .milliseconds(pause))
    }
  }

  @Test("a byebye set is sent as often as the device repeats it, with the gap of sets, and the group is left then")
  func byebyeRepeats() {
    var device = quiet({ $0.timing.byebyeRepeats = 3 })
    device.others = []
    device.act(.leave)
    device.run(for: .seconds(5))
    expectEqual(numbers(device.sent), ["27 byebye 1"])
    for first in [9, 18] {
      let gap = device.sent[first].at - device.sent[first - 1].at
      #expect((.milliseconds(200) ... .milliseconds(400)).contains(gap))
    }
    expectEqual(device.others.map(\.effect), [.leave(.ssdp(.v4), InterfaceID(0))])
    expectEqual(device.others.map(\.after), [27])
  }

  @Test("renewals fill the whole of their range, and nothing beside it")
  func renewals() {
    let table: [(quirks: [Quirk], low: Int64, high: Int64)] = [
      ([], 25_000, 49_000), ([.renewsLate], 51_000, 54_000), ([.renewsAfterLease], 101_000, 110_000),
      ([.renewsOften(.seconds(50))], 50_000, 60_000),
    ]
    for row in table {
      var device = bench(
        treeDescription(), row.quirks + [.maxAge(100), .noJitter, .dropsRepeats, .partialRenewal])
      device.act(.appear)
      device.run(until: .zero + .seconds(20_000))
      let roots = device.sent.filter { $0.field("NT") == "upnp:rootdevice" }.map(\.at)
      let gaps = zip(roots.dropFirst(), roots).map { ($0 - $1).nanoseconds }
      let (low, high) = (row.low * 1_000_000, row.high * 1_000_000)
      let margin = (high - low) / 20
      #expect(gaps.count > 150)
      #expect(gaps.allSatisfy { (low...high).contains($0) }, "\(row)")
      #expect(gaps.contains { $0 < low + margin } && gaps.contains { $0 > high - margin }, "\(row)")
    }
  }

  @Test("a set has 64 messages at most: what comes after them is not announced, and a byebye set is as long")
  func longestSet() {
    for (services, extra, count, last) in [
      (60, true, 64, "x:opaque"), (61, false, 64, "urn:x:service:S61:1"), (61, true, 64, "urn:x:service:S61:1"),
      (62, false, 64, "urn:x:service:S61:1"),
    ] {
      let part = DevicePart(
        type: "urn:x:device:D:1", services: (1...services).map { "urn:x:service:S\($0):1" }, uuid: rootUUID)
      let quirks: [Quirk] = extra ? [.opaqueTarget("x:opaque")] : []
      var device = bench(DeviceDescription(root: part), quirks + [.dropsRepeats, .noRenewal])
      device.act(.appear)
      device.run(for: .seconds(3))
      expectEqual(device.sent.map(\.nts), Array(repeating: "ssdp:alive", count: count))
      expectEqual(device.sent.last?.field("NT"), last)
      let announced = device.takeSent().compactMap { $0.field("NT") }
      device.hear(search("ssdp:all", mx: "1"))
      device.run(for: .seconds(2))
      expectEqual(device.takeSent().count, count)
      device.act(.leave)
      device.run(for: .seconds(3))
      expectEqual(device.sent.compactMap { $0.field("NT") }, announced)
    }
  }

  @Test("older versions that are announced beside the own one go up to 7")
  func olderVersions() {
    var device = bench(treeDescription(), [.lowerVersionsToo, .dropsRepeats])
    device.act(.appear)
    device.run(for: .seconds(2))
    expectEqual(
      device.sent.dropFirst(treeCount).compactMap { $0.field("NT") },
      [
        "urn:schemas-upnp-org:device:MediaServer:1", "urn:schemas-upnp-org:service:ContentDirectory:1",
        "urn:schemas-upnp-org:service:ContentDirectory:2",
      ] + (1...7).map { "urn:example-org:service:Lamp:\($0)" })
  }

  @Test("sixteen interfaces are used, sixteen sets are under way, and sixty-four strange targets are kept")
  func counts() {
    var device = bench(
      treeDescription(), [.dropsRepeats, .noJitter, .noRenewal, .answersEverySearch],
      addresses: (0..<17).map { up($0, "10.0.\($0).7") })
    device.act(.appear)
    device.run(for: .seconds(1))
    let roots = device.takeSent().filter { $0.field("NT") == "upnp:rootdevice" }
    expectEqual(roots.map(\.interface), (0..<16).map { InterfaceID(UInt16($0)) })
    for port in 8_001...8_017 { device.act(.relocate(port: UInt16(port))) }
    expectEqual(device.machine.burstCount, 16)
    device.run(for: .seconds(1))
    expectEqual(device.takeSent().count, 16 * 16 * treeCount)
    for round in 1...2 {
      for number in 1...65 { device.hear(search("urn:x:device:Unheard\(number):1", mx: "1")) }
      device.run(for: .seconds(2))
      let targets = Set(device.takeSent().compactMap { $0.field("ST") })
      expectEqual(targets, Set((1...64).map { "urn:x:device:Unheard\($0):1" }), "round \(round)")
    }
  }

  @Test("an answer may wait for 120 s where the cap of MX is ignored, and no longer")
  func longestWait() {
    var delays: [Int64] = []
    for seed in 1...12 {
      var device = bench(treeDescription(), [.ignoresMXCap, .noRenewal], seed: UInt64(seed))
      device.act(.appear)
      device.run(for: .seconds(5))
      let asked = device.now
      device.sent = []
      device.hear(search("ssdp:all", mx: "500"))
      device.run(for: .seconds(200))
      delays += device.sent.map { ($0.at - asked).nanoseconds }
    }
    expectEqual(delays.count, 12 * treeCount)
    #expect(delays.allSatisfy { (0...120_000_000_000).contains($0) })
    #expect(delays.contains { $0 > 100_000_000_000 })
  }
}

@Suite("What other inhabitants do at their bounds") struct BoundsOfOthersTests {
  func on<Subject: Machine>(_ machine: Subject) -> Bench<Subject> {
    var bench = Bench(machine)
    bench.receive(up(0, "192.168.1.66"))
    bench.act(.appear)
    return bench
  }
  let alive =
    "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nNTS: ssdp:alive\r\nNT: upnp:rootdevice\r\nUSN: uuid:1::upnp:rootdevice\r\nBOOTID.UPNP.ORG: 4\r\nCONFIGID.UPNP.ORG: 7\r\n\r\n"

  @Test("a flooder sends until its time is over, at even moments; the end itself is outside")
  func floodTimes() {
    for (rate, seconds, times) in [
      (1, 3, [0, 1_000, 2_000]), (4, 1, [0, 250, 500, 750]), (1_000, 1, Array(0..<1_000)), (0, 5, []),
    ] as [(Int, Int64, [Int64])] {
      var plan = Flooder.Plan()
      (plan.perSecond, plan.duration) = (rate, .seconds(seconds))
      var flood = on(Flooder(plan, seed: Seed(5), name: "flood"))
      flood.run(for: .seconds(10))
      expectEqual(flood.sent.map { $0.at.nanoseconds }, times.map { $0 * 1_000_000 })
    }
  }

  @Test("a flooder that is woken late makes good for a hundred milliseconds, and not again")
  func floodLate() {
    var flood = on(Flooder(Flooder.Plan(), seed: Seed(5), name: "flood"))
    flood.now = .zero + .seconds(5)
    flood.machine.wake(at: flood.now, into: &flood.outbox)
    flood.collect()
    expectEqual(flood.takeSent().count, 101)
    flood.run(for: .milliseconds(3))
    expectEqual(flood.sent.map { $0.at.nanoseconds }, [5_001_000_000, 5_002_000_000, 5_003_000_000])
  }

  @Test("a flooder goes round the addresses of its subnet without its own, and round its devices")
  func floodRounds() {
    var plan = Flooder.Plan()
    (plan.duration, plan.inventsAddresses, plan.deviceCount) = (.seconds(1), true, 255)
    var flood = on(Flooder(plan, seed: Seed(5), name: "flood"))
    flood.run(for: .seconds(1))
    let hosts = flood.sent.prefix(255).map { Int($0.source.address.low & 0xFF) }
    expectEqual(hosts, (1...254).map { $0 == 66 ? 67 : $0 } + [1])
    let devices = flood.sent.compactMap { $0.field("USN")?.prefix(41) }
    expectEqual(Set(devices.prefix(255)).count, 255)
    #expect(devices.dropFirst(255).elementsEqual(devices.dropLast(255)))
  }

  @Test("a control point that crashed searches when it is back, counts answers to its port alone, and can be silenced")
  func decoy() {
    var plan = ControlPointDecoy.Plan()
    plan.copies = 2
    var decoy = on(ControlPointDecoy(plan, seed: Seed(1), name: "cp"))
    decoy.run(until: .zero + .milliseconds(10_100))
    decoy.act(.crash(downFor: .seconds(3), keepsState: true))
    decoy.run(until: .zero + .seconds(24))
    // The second copy of the first search was lost with the crash.
    expectEqual(decoy.sent.map { $0.at.nanoseconds / 1_000_000 }, [10_000, 13_100, 13_300, 23_100, 23_300])
    expectEqual(decoy.machine.searchCount, 3)
    expectEqual(decoy.machine.sentByteCount, 5 * search("ssdp:all").utf8.count)
    let answer = "HTTP/1.1 200 OK\r\nST: upnp:rootdevice\r\nUSN: uuid:1::upnp:rootdevice\r\n\r\n"
    for port in [49_999, 50_000, 50_001] as [UInt16] {
      decoy.hear(answer, to: Endpoint(IPAddress(192, 168, 1, 66), port: port))
    }
    expectEqual(decoy.machine.answerCount, 1)
    decoy.act(.send(script: 0))
    decoy.act(.leave)
    #expect(decoy.machine.searchCount == 4 && decoy.machine.deadline == nil)
  }

  @Test("a control point without a pause searches each millisecond, and its target keeps spaces but no control bytes")
  func hastyDecoy() {
    var plan = ControlPointDecoy.Plan(target: "a b\u{1F}\u{7F}~")
    plan.interval = .zero ... .zero
    var hasty = on(ControlPointDecoy(plan, seed: Seed(1), name: "cp"))
    hasty.run(for: .milliseconds(3))
    expectEqual(hasty.sent.map { $0.at.nanoseconds }, [0, 1_000_000, 2_000_000, 3_000_000])
    expectEqual(hasty.sent.map(\.text), Array(repeating: search("a b~"), count: 4))
  }

  @Test("a spoofer forges within its delay, about what others say to the group, and forgets it when it leaves")
  func spoofer() {
    var plan = ByebyeSpoofer.Plan()
    (plan.overhears, plan.repeatsNumbers) = (true, false)
    var spoofer = on(ByebyeSpoofer(plan, seed: Seed(1), name: "evil"))
    for _ in 0..<200 { spoofer.hear(alive) }
    spoofer.hear(alive, from: Endpoint(IPAddress(192, 168, 1, 66), port: 1_900))
    spoofer.hear(alive, to: Endpoint(IPAddress(192, 168, 1, 66), port: 1_900))
    spoofer.hear(alive, on: 1)
    spoofer.run(for: .seconds(1))
    let delays = spoofer.sent.map { $0.at.nanoseconds / 1_000 }
    #expect(delays.count == 200 && delays.allSatisfy { (10_000...100_000).contains($0) })
    #expect(delays.contains { $0 < 15_000 } && delays.contains { $0 > 95_000 })
    expectEqual(
      Set(spoofer.takeSent().map(\.text)),
      [
        "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nNTS: ssdp:byebye\r\nNT: upnp:rootdevice\r\n"
          + "USN: uuid:1::upnp:rootdevice\r\n\r\n"
      ])
    spoofer.hear(alive)
    spoofer.act(.leave)
    expectEqual(spoofer.machine.deadline, nil)
    spoofer.hear(alive)
    spoofer.run(for: .seconds(1))
    #expect(spoofer.sent.isEmpty)
  }

  @Test("a spoofer that overhears repeats both numbers, and speaks for itself unless it impersonates")
  func spoofedNumbers() {
    for (impersonates, bootID, configID) in [(false, 4, 7), (true, 4, 7), (false, 0, 0)] {
      var plan = ByebyeSpoofer.Plan()
      (plan.overhears, plan.impersonates, plan.delay) = (true, impersonates, .milliseconds(20) ... .milliseconds(20))
      var spoofer = on(ByebyeSpoofer(plan, seed: Seed(1), name: "evil"))
      spoofer.hear(
        alive.replacing("BOOTID.UPNP.ORG: 4", with: "BOOTID.UPNP.ORG: \(bootID)")
          .replacing("CONFIGID.UPNP.ORG: 7", with: "CONFIGID.UPNP.ORG: \(configID)"))
      spoofer.run(for: .seconds(1))
      expectEqual(spoofer.sent.map { $0.at.nanoseconds }, [20_000_000])
      expectEqual(spoofer.sent.compactMap { $0.field("BOOTID.UPNP.ORG") }, ["\(bootID)"])
      expectEqual(spoofer.sent.compactMap { $0.field("CONFIGID.UPNP.ORG") }, ["\(configID)"])
      expectEqual(spoofer.sent.map(\.source.address), [IPAddress(192, 168, 1, impersonates ? 9 : 66)])
    }
  }

  @Test("a reflector counts anew when a second is over, and not before")
  func reflector() {
    var plan = Reflector.Plan()
    plan.countPerSecondMaximum = 2
    var reflector = on(Reflector(plan))
    for (moment, count) in [(0, 2), (999_999_999, 2), (1_000_000_000, 4), (1_999_999_999, 4), (2_000_000_000, 6)]
      as [(Int64, Int)]
    {
      reflector.run(until: Instant(nanoseconds: moment))
      for _ in 0..<3 { reflector.hear(alive) }
      expectEqual(reflector.sent.count, count, "at \(moment)")
    }
  }
}
