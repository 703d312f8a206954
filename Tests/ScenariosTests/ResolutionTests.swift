import RollcallDevices
import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation
import Testing

@Suite("Resolved scenarios") struct ResolutionTests {
  private func resolved(_ yaml: String) throws -> Resolved { try Scenario(yaml: yaml, file: "x.yaml").resolved() }
  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  @Test("the large sample comes out with every name looked up")
  func sample() throws {
    let world = try resolved(Samples.television)
    expectEqual(world.hosts.map(\.name), ["engine", "tv"] + (1...10).map { "bulb-\($0)" } + ["ghost"])
    expectEqual(world.plan.hosts.map(\.name), world.hosts.map(\.name))
    expectEqual(world.deviceKinds.map(\.inhabitant), [0, 1, 2])
    expectEqual(world.devices.map(\.host), Array(1...12))
    let kinds = world.devices.compactMap { if case .root(let kind, _) = $0.kind { kind } else { nil } }
    expectEqual(kinds, [0] + Array(repeating: 1, count: 10) + [2])
    expectEqual(
      world.deviceKinds[0].quirks,
      [
        .noBlankLine, .maxAge(100), .foreignNT("hnap:NetworkCamera"), .answersLate(.milliseconds(800)),
      ])
    expectEqual(world.deviceKinds[0].description.maxAgeSeconds, 100)
    expectEqual(world.deviceKinds[1].quirks, Profile.lightBridge.quirks)
    expectEqual(world.devices[11].identity, "uuid:2fac1234-31f8-41b4-a222-08002b34c003")
    expectEqual(world.convergedFrom, at(100_000))
    let engine = world.plan.hosts[0]
    expectEqual(engine.interfaces[0].addresses[0], InterfaceAddress(IPAddress(192, 168, 7, 50), prefixBits: 24))
    #expect(engine.interfaces[0].addresses[1].address.isLinkLocal)
    expectEqual(engine.interfaces[1].addresses.count, 1)
    #expect(!engine.interfaces[1].isUpAtStart)
    expectEqual(engine.interfaces[0].inbound.latency, .normal(mean: .milliseconds(2), deviation: .microseconds(500)))
    expectEqual(engine.interfaces[0].outbound.latency, .exponential(minimum: .milliseconds(1), mean: .milliseconds(4)))
    expectEqual(engine.interfaces[1].inbound.loss, .uniform(.percent(1)))
    expectEqual(engine.receiveBuffer, ReceiveBuffer(bytesMaximum: 65_536, serviceTime: .microseconds(50)))
    expectEqual(engine.clockDriftMillionths, -50)
    expectEqual(world.plan.hosts[2].clockDriftMillionths, 100)
    expectEqual(world.scenario.engine.configuration.byebyePolicy, .eachPart)
  }

  @Test("commands come in order of time, one for each member")
  func commands() throws {
    let world = try resolved(Samples.television)
    expectEqual(world.commands.count, 24)
    expectEqual(
      world.commands[0],
      ResolvedCommand(
        id: "t1", at: at(5_000), host: 0,
        command: .search(
          Search(
            id: SearchID(1), target: "upnp:rootdevice", maximumWaitSeconds: 3, broadcasts: 2,
            spacing: .milliseconds(500)))))
    guard case .search(let search) = world.commands[1].command else { throw Missing() }
    expectEqual(search.id, SearchID(7))
    expectEqual(search.host, Endpoint(world.plan.hosts[1].interfaces[0].addresses[0].address, port: 0))
    expectEqual(world.commands[3].command, .hold(device: world.devices[0].identity))
    expectEqual(
      world.commands[5],
      ResolvedCommand(
        id: "t6", at: at(10_000), host: 4, command: .act(.crash(downFor: .seconds(2), keepsState: false))))
    expectEqual(world.commands.filter { $0.id == "t9" }.map(\.host), Array(2...11))
    expectEqual(world.commands.last?.command, .stop)
  }

  @Test("faults break and mend, and everything heals")
  func faults() throws {
    let world = try resolved(Samples.television)
    expectEqual(world.faults.map(\.id), ["f1", "f2", "f2", "f3", "jam", "jam", "f5", "f6", "f5", "f6", "f1", "heal"])
    expectEqual(world.faults[0].fault, .partition(number: 0, from: [0], to: Array(1...11)))
    expectEqual(world.faults[3].fault, .querier(segment: 0, interval: nil))
    var jammed = world.plan.hosts[0].interfaces[0].inbound
    jammed.loss = .uniform(.always)
    jammed.duplicate = .percent(10)
    expectEqual(world.faults[4].fault, .link(host: 0, interface: InterfaceID(0), outbound: false, rule: jammed))
    expectEqual(world.faults[5].fault, .link(host: 0, interface: InterfaceID(0), outbound: false, rule: nil))
    expectEqual(world.faults[11], ResolvedFault(id: "heal", at: at(70_000), fault: .healEverything))
  }

  @Test("where the engine moves the network is told of it, and no healing takes it back")
  func engineMoves() throws {
    let world = try resolved(
      """
      scenario: Another network
      heal: 50s
      timeline:
        - {at: 40s, id: back, move: {who: engine, to: 192.168.1.20, interface: 0}}
        - {at: 30s, move: {who: engine, to: 192.168.2.20}}
      """)
    func move(_ id: String, _ milliseconds: Int64, _ network: UInt8) -> ResolvedFault {
      ResolvedFault(
        id: id, at: at(milliseconds),
        fault: .readdress(host: 0, interface: InterfaceID(0), address: IPAddress(192, 168, network, 20)))
    }
    expectEqual(
      world.faults,
      [
        move("t2", 30_000, 2), move("back", 40_000, 1),
        ResolvedFault(id: "heal", at: at(50_000), fault: .healEverything),
      ])
    expectEqual(world.commands, [])
    #expect(world.explanation.contains("interface 0 of engine has the address 192.168.2.20"))
  }

  @Test("expectations become checks, one for each device that is meant on its own")
  func expectations() throws {
    let world = try resolved(Samples.television)
    let kinds = world.expectations.map(\.kind)
    let tv = world.devices[0].identity
    expectEqual(world.expectations.map(\.id), ["tv-found"] + (2...18).map { "e\($0)" })
    expectEqual(world.expectations.filter(\.mayBeVacuous).map(\.id), ["e3", "e4"])
    expectEqual(world.expectations[1].text, "{lost: tv, cause: byebye, after: {timeline: bye, within: 200ms}}")
    expectEqual(
      kinds[0],
      .happens(
        [EventCheck(label: "tv", event: EventMatch(.found, .these([tv])), when: .within(at(0)...at(8_000)))],
        times: .exactly(1)))
    expectEqual(
      kinds[1],
      .happens(
        [
          EventCheck(
            label: "tv", event: EventMatch(.lost(.byebye), .these([tv])), when: .within(at(60_000)...at(60_200)))
        ], times: .atLeast(1)))
    guard case .happens(let each, let times) = kinds[2] else { throw Missing() }
    expectEqual(each.map(\.label), world.devices.map(\.name))
    expectEqual(times, CountRange(1, 3))
    expectEqual(
      kinds[3],
      .happens(
        [
          EventCheck(
            label: "tv", event: EventMatch(.changed(.bootID), .these([tv])),
            when: .after(EventMatch(.found, .these([tv])), .seconds(1) ... .seconds(60)))
        ], times: .atLeast(2)))
    guard case .happens(let pooled, _) = kinds[4] else { throw Missing() }
    expectEqual(pooled.count, 1)
    expectEqual(pooled[0].event.devices, .these(world.devices.prefix(11).map(\.identity)))
    expectEqual(
      kinds[6], .never([EventCheck(label: "", event: EventMatch(.lost(.expired)), when: .within(at(0)...at(50_000)))]))
    expectEqual(
      kinds[7],
      .never([
        EventCheck(
          label: "", event: EventMatch(.found, .these(["uuid:none"])), when: .within(at(24_000)...at(27_000)))
      ]))
    expectEqual(kinds[12], .presentDevices(at: at(30_000), world.devices.prefix(11).map(\.identity)))
    expectEqual(kinds[15], .converged(from: at(100_000)))
    guard case .distribution(let distribution, let devices) = kinds[16] else { throw Missing() }
    expectEqual(devices, Array(1...10))
    expectEqual(distribution.alpha, Ratio(1, in: 1_000))
  }

  @Test("names of strangers become addresses and UUIDs")
  func strangers() throws {
    let world = try resolved(Samples.crowd)
    func address(_ name: String) throws -> IPAddress {
      let host = try #require(world.host(named: name))
      return world.plan.hosts[host].interfaces[0].addresses[0].address
    }
    func plan(_ name: String) throws -> ResolvedInhabitant {
      guard case .other(let other) = world.hosts[try #require(world.host(named: name))].role else { throw Missing() }
      return other
    }
    guard case .controlPoint(let phone) = try plan("phone") else { throw Missing() }
    expectEqual(phone.unicastTo, Endpoint(try address("tv"), port: 1_900))
    expectEqual(phone.oddities, [.noMAN, .lfOnly])
    expectEqual(phone.maximumWaitSeconds, 10)
    guard case .flooder(let flood) = try plan("flood") else { throw Missing() }
    expectEqual(flood.responsesTo, Endpoint(try address("engine"), port: 50_000))
    expectEqual(flood.description, Profile.camera.description)
    guard case .byebyeSpoofer(let forger) = try plan("forger") else { throw Missing() }
    expectEqual(forger.victims, [ByebyeSpoofer.Victim(uuid: String(world.devices[0].identity.dropFirst(5)))])
    guard case .byebyeSpoofer(let liar) = try plan("liar") else { throw Missing() }
    expectEqual(liar.message, .alive(location: "http://192.0.2.1/x"))
    guard case .responder(let eager) = try plan("eager") else { throw Missing() }
    expectEqual(
      eager.unsolicited,
      [
        Responder.Unsolicited(
          to: Endpoint(try address("engine"), port: 1_900), target: "upnp:rootdevice", interval: .seconds(2))
      ])
    guard case .script(let lines) = try plan("puppet") else { throw Missing() }
    expectEqual(lines[0].payload, Array("NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\n\r\n".utf8))
    expectEqual(lines[1].payload, [0x00, 0xFF, 0x80])
    expectEqual(lines[1].hopLimit, 1)
    expectEqual(
      world.scenario.bitten?.inhabitants[0].kind, .rootDevice(RootDeviceSection(profile: .tv, quirks: [.noRenewal])))
  }

  @Test("a newcomer at the end of the document moves nobody and renames nobody")
  func newcomer() throws {
    var scenario = try Scenario(yaml: Samples.crowd, file: "x")
    let before = try scenario.resolved()
    scenario.inhabitants.append(InhabitantEntry("late", count: 50))
    let after = try scenario.resolved()
    expectEqual(Array(after.plan.hosts.prefix(before.hosts.count)), before.plan.hosts)
    expectEqual(Array(after.devices.prefix(before.devices.count)), before.devices)
    scenario.seeds = 9...9
    try expectEqual(scenario.resolved().devices, after.devices)
  }

  @Test("addresses are all different, successive for a counted inhabitant, and leave the router's free")
  func addresses() throws {
    let scenario = Scenario(
      "full", inhabitants: (0..<20).map { InhabitantEntry("n\($0)", count: $0 < 19 ? 10 : 1) })
    let world = try scenario.resolved()
    let all = world.plan.hosts.flatMap(\.interfaces).flatMap(\.addresses).map(\.address)
    expectEqual(Set(all).count, all.count)
    #expect(all.allSatisfy { (2...254).contains($0.low & 0xFF) })
    let first = all[1].low
    expectEqual(all[1...10].map(\.low), Array(first..<(first + 10)))
  }

  @Test("who appears in a range draws from a stream of its own")
  func appearances() throws {
    let world = try resolved(Samples.television)
    let commands = world.appearances(under: Seed(1))
    expectEqual(commands.map(\.host).sorted(), Array(1...11))
    let tv = try #require(commands.last)
    expectEqual(tv.host, 1)
    #expect((at(1_000)...at(3_000)).contains(tv.at))
    #expect(world.appearances(under: Seed(2)).last?.at != tv.at)
    expectEqual(world.appearances(under: Seed(1)), commands)
  }

  @Test("a match compares devices without case and looks at what it was asked")
  func matching() {
    let sighting = DeviceSighting(
      device: "uuid:ABC", location: nil, source: IPAddress(1, 2, 3, 4), interface: InterfaceID(0), bootID: nil)
    let these = EventMatch.Devices.these(["UUID:abc"])
    #expect(EventMatch(.found, these).matches(.found(sighting)))
    #expect(!EventMatch(.found, .these(["uuid:abcd"])).matches(.found(sighting)))
    #expect(!EventMatch(.found, these).matches(.changed(sighting, .location(from: nil))))
    #expect(EventMatch(.changed(.location), these).matches(.changed(sighting, .location(from: nil))))
    #expect(!EventMatch(.changed(.bootID), these).matches(.changed(sighting, .location(from: nil))))
    #expect(EventMatch(.lost(nil)).matches(.lost(device: "uuid:abc", cause: .expired)))
    #expect(!EventMatch(.lost(.byebye)).matches(.lost(device: "uuid:abc", cause: .expired)))
    let ended = SearchOutcome(search: SearchID(1), target: "ssdp:all", services: [], wasStopped: true)
    #expect(EventMatch(.searchEnded(search: nil, services: .exactly(0), wasStopped: true)).matches(.searchEnded(ended)))
    #expect(!EventMatch(.searchEnded(search: SearchID(2), services: nil, wasStopped: nil)).matches(.searchEnded(ended)))
    #expect(EventMatch(.rejected(nil)).matches(.rejected(Rejection(.badMX, at: 0))))
    #expect(!EventMatch(.rejected(.badMAN)).matches(.rejected(Rejection(.badMX, at: 0))))
  }

  @Test("a scenario made in Swift is checked as one that was read")
  func checked() {
    let scenario = Scenario("Swift", timeline: [TimelineEntry(at: .zero, .act(who: "tv", .leave))])
    #expect(
      throws: ScenarioErrors([
        ScenarioError(file: "Swift", line: 0, column: 0, message: "unknown inhabitant 'tv' (at timeline[0].leave)")
      ])
    ) { try scenario.resolved() }
  }

  @Test("the explanation shows every default and stays as it is")
  func explanation() throws {
    let world = try resolved(
      """
      scenario: One TV
      inhabitants: {tv: {kind: root-device, address: 192.168.1.20}}
      expect: [{found: tv, within: 0s..5s}]
      """)
    // The engine's policies between head and tail are the business of another room.
    let shown = world.explanation
    #expect(shown.hasPrefix(Explained.head))
    #expect(shown.hasSuffix(Explained.tail))
    #expect(shown.contains("  byebye: any-part\n"))
    #expect(try resolved(Samples.television).explanation.contains("bulb-10"))
    #expect(try resolved(Samples.crowd).explanation.contains("unsolicited"))
  }

  private struct Missing: Error {}
}
