import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("A quirk of timing or behaviour changes what a device does") struct QuirkBehaviourTests {
  typealias Sent = Bench<RootDevice>.Sent

  /// What a device with these quirks does from its start.
  func started(
    _ quirks: [Quirk], for interval: Interval = .seconds(5), addresses: [SignalValue] = [up(0, "192.168.1.20")]
  ) -> Bench<RootDevice> {
    var bench = bench(treeDescription(), quirks, addresses: addresses)
    bench.act(.appear)
    bench.run(for: interval)
    return bench
  }
  /// Kinds of messages in order, runs of one kind counted: `a18 b9`.
  func shape(_ sent: [Sent]) -> String {
    var runs: [(Character, Int)] = []
    for message in sent {
      let letter = message.summary.first!
      if runs.last?.0 == letter { runs[runs.count - 1].1 += 1 } else { runs.append((letter, 1)) }
    }
    return runs.map { "\($0.0)\($0.1)" }.joined(separator: " ")
  }
  /// Answers to one search of a quiet device, with their delays.
  func answers(
    _ quirks: [Quirk], to text: String = search("ssdp:all"),
    destination: Endpoint = Endpoint(.ssdpGroup4, port: 1_900), for interval: Interval = .seconds(100)
  ) -> [(delay: Interval, sent: Sent)] {
    var bench = started(quirks + [.noRenewal])
    let asked = bench.now
    bench.sent = []
    bench.hear(text, to: destination)
    bench.run(for: interval)
    return bench.sent.map { ($0.at - asked, $0) }
  }
  /// Times of the first message of each set, in seconds.
  func renewals(_ quirks: [Quirk]) -> [Int64] {
    let sent = started(quirks + [.maxAge(100), .dropsRepeats], for: .seconds(1_000)).sent
    let roots = sent.filter { $0.summary == "alive upnp:rootdevice" }.map(\.at)
    return zip(roots.dropFirst(), roots).map { ($0 - $1).nanoseconds / 1_000_000_000 }
  }

  @Test("when it starts")
  func starting() {
    expectEqual(shape(started([]).sent), "a18")
    expectEqual(started([.noJitter]).sent[0].at, .zero)
    expectEqual(shape(started([.dropsRepeats]).sent), "a9")
    expectEqual(shape(started([.manyRepeats(6)]).sent), "a54")
    expectEqual(shape(started([.byebyeBeforeFirstAlive]).sent), "b9 a18")
    let nervous = started([.byebyeAliveByebye], for: .seconds(64)).sent
    expectEqual(shape(nervous), "b9 a9 b9 a18")
    #expect(nervous[27].at < .zero + .seconds(63))
  }

  @Test("when it renews")
  func renewing() {
    #expect(renewals([]).allSatisfy { (25...49).contains($0) })
    #expect(renewals([.renewsLate]).allSatisfy { (51...54).contains($0) })
    #expect(renewals([.renewsAfterLease]).allSatisfy { (101...110).contains($0) })
    #expect(renewals([.renewsOften(.seconds(5))]).allSatisfy { (5...6).contains($0) })
    #expect(renewals([.renewsOften(.seconds(5))]).count > 160)
    #expect(renewals([.noRenewal]).isEmpty)
    expectEqual(renewals([.maxAge(0)]).isEmpty, false)
    let partial = started([.partialRenewal, .dropsRepeats], for: .seconds(2_000)).sent.dropFirst(treeCount)
    #expect(!partial.isEmpty && partial.allSatisfy { $0.summary == "alive upnp:rootdevice" })
    let twice = started([.twoLocations], for: .seconds(2_000)).sent.filter { $0.summary == "alive upnp:rootdevice" }
    expectEqual(Set(twice.map { $0.field("LOCATION")! }).count, 2)
    let liar = started([.spuriousByebye(.seconds(60))], for: .seconds(130)).sent
    expectEqual(shape(liar), "a18 b18")
  }

  @Test("when it leaves and reboots")
  func leaving() {
    func left(_ quirks: [Quirk], _ act: Act = .leave) -> [Sent] {
      var bench = started(quirks)
      bench.sent = []
      bench.act(act)
      bench.run(for: .seconds(10))
      return bench.sent
    }
    expectEqual(shape(left([])), "b9")
    expectEqual(shape(left([.neverByebye])), "")
    expectEqual(shape(left([.lateAliveAfterByebye])), "b9 a1")
    expectEqual(shape(left([], .reboot)), "b9 a18")
    expectEqual(left([], .reboot).last?.field("BOOTID.UPNP.ORG"), "2")
    expectEqual(left([.bootIDNotIncreased], .reboot).last?.field("BOOTID.UPNP.ORG"), "1")
    expectEqual(
      left([.portChangesOnReboot], .reboot).last?.field("LOCATION"), "http://192.168.1.20:49153/description.xml")
    let changed = left([.uuidChangesOnReboot], .reboot)
    expectEqual(changed[0].field("USN"), "uuid:\(rootUUID)::upnp:rootdevice")
    expectEqual(changed[9].field("USN"), "uuid:\(rootUUID.derived(1))::upnp:rootdevice")
  }

  @Test("when its description changes")
  func reconfiguring() {
    func numbers(_ quirks: [Quirk], _ act: Act) -> [String] {
      var bench = started(quirks)
      bench.sent = []
      bench.act(act)
      bench.run(for: .seconds(5))
      return bench.sent.map { $0.field("CONFIGID.UPNP.ORG") ?? "none" }
    }
    for act in [Act.reconfigure, .rename(to: "Lantern")] {
      expectEqual(numbers([], act), Array(repeating: "2", count: 18))
      expectEqual(numbers([.configIDKept], act), Array(repeating: "1", count: 18))
    }
  }

  @Test("when its addresses and interfaces change")
  func changing() {
    func changed(_ quirks: [Quirk], _ signals: [SignalValue], addresses: [SignalValue] = [up(0, "192.168.1.20")])
      -> [Sent]
    {
      var bench = started(quirks, addresses: addresses)
      bench.sent = []
      for signal in signals { bench.receive(signal) }
      bench.run(for: .seconds(5))
      return bench.sent
    }
    let move = SignalValue.command(.act(.move(interface: InterfaceID(0), to: IPAddress(10, 10, 10, 51))))
    let abandoned = changed([.abandonsOldAddress], [move])
    expectEqual(shape(abandoned), "b9 a18")
    #expect(abandoned.allSatisfy { $0.source.address == IPAddress(10, 10, 10, 51) })
    let two = [up(0, "192.168.1.20"), up(1, "10.0.0.7")]
    expectEqual(shape(changed([.crossByebye], [down(1)], addresses: two)), "b9")
    expectEqual(shape(changed([], [up(1, "10.0.0.7")])), "u9 a18")
    expectEqual(shape(changed([.noUpdate], [up(1, "10.0.0.7")])), "a18")
    expectEqual(shape(changed([.claims11WithoutBootID], [up(1, "10.0.0.7")])), "a18")
    let late = changed([.updateAfterAlive], [up(1, "10.0.0.7")])
    expectEqual(shape(late), "a18 u9")
    #expect(late[0].field("BOOTID.UPNP.ORG") == "2" && late[18].field("BOOTID.UPNP.ORG") == "1")
    let liar = changed([.nextBootIDLies], [up(1, "10.0.0.7")])
    #expect(liar[0].field("NEXTBOOTID.UPNP.ORG") == "3" && liar[9].field("BOOTID.UPNP.ORG") == "2")
    let both = [up(0, "192.168.1.20", "fe80::20")]
    let mixed = started([.v6LocationOnV4], addresses: both).sent.filter { $0.source.address.family == .v4 }
    expectEqual(mixed[0].field("LOCATION"), "http://[fe80::20]:49152/description.xml")
    let zoned = started([.v6LocationWithScope], addresses: both).sent.filter { $0.source.address.family == .v6 }
    expectEqual(zoned[0].field("LOCATION"), "http://[fe80::20%25eth0]:49152/description.xml")
    let target = IPAddress(172, 16, 0, 9)
    let unicast = started([.unicastNotify(target)]).sent.filter { !$0.destination.address.isMulticast }
    #expect(
      unicast.count == 18 && unicast.allSatisfy { $0.destination == Endpoint(target, port: 1_900) && $0.hopLimit == 64 }
    )
  }

  @Test("when it hears NOTIFYs, its own included")
  func hearing() {
    #expect(answers([], to: foreignAnnouncement).isEmpty)
    expectEqual(shape(answers([.reanswersOwnMulticast], to: foreignAnnouncement).map(\.sent)), "a1")
    expectEqual(answers([.answersNotify], to: foreignAnnouncement).map(\.sent.summary), ["200 upnp:rootdevice"])
  }

  @Test("when it is searched for")
  func searching() {
    let root = search("upnp:rootdevice")
    expectEqual(answers([.answersImmediately]).map(\.delay), Array(repeating: .zero, count: treeCount))
    let late = answers([.answersLate(.milliseconds(500))]).map(\.delay)
    #expect(late.count == treeCount && late.allSatisfy { (.milliseconds(3_500) ... .seconds(4)).contains($0) })
    let slow = answers([.ignoresMXCap], to: search("ssdp:all", mx: "60")).map(\.delay)
    #expect(slow.contains { $0 > .seconds(5) } && slow.allSatisfy { $0 <= .seconds(60) })
    expectEqual(answers([.manyAnswers(204)], to: root).count, 204)
    let twice = answers([.doubleAnswer], to: root).map(\.delay)
    #expect(twice.count == 2 && twice[0] == .zero && twice[1] > .zero)
    #expect(answers([.answersOnlySome("upnp:rootdevice")]).isEmpty)
    expectEqual(answers([.answersOnlySome("upnp:rootdevice")], to: root).count, 1)
    expectEqual(
      answers([.answersMX0], to: search("ssdp:all", mx: "0")).map(\.delay).filter { $0 == .zero }.count, treeCount)
    expectEqual(answers([.relaxedSearch], to: search("ssdp:all", mx: nil)).count, treeCount)
    expectEqual(answers([.answersBadMAN], to: search("ssdp:all", man: "ssdp:discover")).count, treeCount)
    #expect(answers([.silentOnMulticast]).isEmpty)
    let home = Endpoint(IPAddress(192, 168, 1, 20), port: 1_900)
    expectEqual(answers([.silentOnMulticast], destination: home).count, treeCount)
    #expect(answers([.silentOnUnicast], destination: home).isEmpty)
    #expect(answers([.slowUnicastAnswers], destination: home).allSatisfy { $0.delay >= .milliseconds(1_500) })
    expectEqual(answers([.answersToPort1900], to: root).map(\.sent.destination.port), [1_900])
    let two = answers([.twoLocations]).map { $0.sent.field("LOCATION")! }
    #expect(zip(two, two.dropFirst()).allSatisfy { $0 != $1 })
  }

  @Test("when it is asked for what it does not have")
  func mismatching() {
    func targets(_ quirk: Quirk, _ asked: String) -> [String] {
      answers([quirk], to: search(asked)).map { $0.sent.field("ST") ?? $0.sent.startLine }
    }
    let strange = answers([.answersEverySearch], to: search("urn:x:device:Unheard:1"))
    expectEqual(strange.map { $0.sent.field("ST") }, ["urn:x:device:Unheard:1"])
    expectEqual(strange.map { $0.sent.field("USN") }, ["uuid:\(rootUUID)::urn:x:device:Unheard:1"])
    expectEqual(targets(.answersEverySearch, "upnp:rootdevice"), ["upnp:rootdevice"])
    expectEqual(targets(.errorAnswers, "urn:x:device:Unheard:1"), ["HTTP/1.1 404 Not Found"])
    expectEqual(
      targets(.answersHigherVersion, "urn:schemas-upnp-org:device:MediaServer:9"),
      [
        "urn:schemas-upnp-org:device:MediaServer:9"
      ])
    expectEqual(
      targets(.echoesOwnVersion, "urn:schemas-upnp-org:device:MediaServer:1"),
      [
        "urn:schemas-upnp-org:device:MediaServer:2"
      ])
    expectEqual(targets(.substringMatch, "urn:example-org:service:Lamp:1"), ["urn:example-org:service:Lamp:10"])
    expectEqual(targets(.opaqueTarget("roku:ecp"), "roku:ecp"), ["roku:ecp"])
    // Its own version is 1.
    let renderer = "urn:schemas-upnp-org:device:MediaRenderer:9"
    expectEqual(targets(.answersHigherVersion, renderer), [renderer])
    expectEqual(targets(.foreignNT("hnap:X"), "hnap:X"), [])
    expectEqual(targets(.otherLocationUnderUSN, "hnap:NetworkCamera"), [])
    // What is said twice is answered once.
    let directory = "urn:schemas-upnp-org:service:ContentDirectory:1"
    expectEqual(targets(.lowerVersionsToo, directory), [directory])
    let manager = "urn:schemas-upnp-org:service:ConnectionManager:1"
    expectEqual(targets(.servicesUnderRoot, manager), [manager])
    expectEqual(
      targets(.versionNotInteger, "urn:schemas-upnp-org:device:MediaServer:2.0"),
      [
        "urn:schemas-upnp-org:device:MediaServer:2.0"
      ])
    expectEqual(targets(.versionNotInteger, "urn:schemas-upnp-org:device:MediaServer:2"), [])
    expectEqual(targets(.typeLetterCase, "urn:schemas-upnp-org:device:MediaServer:2"), [])
  }

  @Test("when it is asked twice at a time")
  func blocking() {
    func count(_ quirks: [Quirk]) -> Int {
      var bench = started(quirks)
      bench.sent = []
      for _ in 0..<2 { bench.hear(search("upnp:rootdevice", mx: "5")) }
      bench.run(for: .seconds(6))
      return bench.sent.count
    }
    expectEqual(count([]), 2)
    expectEqual(count([.blocksWhileAnswering]), 1)
  }
}
