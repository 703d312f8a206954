import RollcallDevices
import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation
import Testing

/// A key that reads and writes the wrong property reads back as the same value: only its meaning tells.
@Suite("What each key of a scenario sets") struct KeyTests {
  private func read(_ yaml: String) throws -> Scenario { try Scenario(yaml: "scenario: a\n" + yaml, file: "x.yaml") }

  @Test("the keys of an engine set its policies, its quantities and its limits")
  func engine() throws {
    let scenario = try read(
      """
      engine:
        mode: strict
        byebye: each-part
        byebye-source: any-address
        location: any
        unsolicited: accept
        tombstone: 1ms
        default-lease: 2s
        maximum-lease: 3s
        user-agent: App/4
        switches: [updateIgnored, byebyeIgnored]
        limits:
          entries-total: 11
          entries-per-source: 12
          entries-per-device: 13
          parts: 14
          searches-open: 15
          services-per-search: 16
          tombstones: 17
          name-bytes: 18
          location-bytes: 19
      budget: {events: 20, entries: 21}
      """)
    var engine = EngineConfiguration()
    (engine.mode, engine.byebyePolicy, engine.byebyeSource) = (.strict, .eachPart, .anyAddress)
    (engine.locationPolicy, engine.unsolicited) = (.off, .accept)
    (engine.tombstone, engine.leaseDefaultSeconds, engine.leaseMaximumSeconds) = (.milliseconds(1), 2, 3)
    (engine.userAgent, engine.switches) = ("App/4", [.byebyeIgnored, .updateIgnored])
    engine.limits.entriesTotal = 11
    (engine.limits.entriesPerSource, engine.limits.entriesPerDevice, engine.limits.parts) = (12, 13, 14)
    (engine.limits.searchesOpen, engine.limits.servicesPerSearch, engine.limits.tombstones) = (15, 16, 17)
    (engine.limits.nameBytes, engine.limits.locationBytes) = (18, 19)
    expectEqual(scenario.engine, EngineSection(configuration: engine))
    expectEqual(scenario.budget, Budget(events: 20, entries: 21))
    var plain = EngineConfiguration()
    plain.updateSource = .anyAddress
    try expectEqual(read("engine: {update-source: any-address}").engine, EngineSection(configuration: plain))
  }

  @Test("the version of the language is 1, and a later one is refused with what is read here")
  func version() throws {
    try expectEqual(read("version: 1"), read(""))
    let errors = #expect(throws: ScenarioErrors.self) { try read("version: 2") }
    expectEqual(
      errors?.description,
      "x.yaml:2:10: error: '2' is not a version of the scenario language that is read here, such as 1 (at version)")
  }

  @Test("the keys of a segment, a host and a link set what they name, and of two rules the nearer one counts")
  func hosts() throws {
    let scenario = try read(
      """
      network:
        segments:
          lan: {}
          far: {subnet: 10.0.0.0/16, ipv6: true, snooping: true, querier: 1s, membership-timeout: 2s}
        link: {latency: 1ms, loss: 1%, mtu: 1001, outbound: {mtu: 1002, queue: 1KiB}, inbound: {queue: 2KiB}}
      inhabitants:
        a:
          kind: reflector
          segment: far
          address: 10.0.0.9
          ipv6: false
          clock-drift: 7ppm
          receive-buffer: {bytes: 2KiB, per-datagram: 3us}
          refuses-joins: true
          link:
            latency: 1ms..2ms
            loss: 2%
            multicast-loss: {gilbert-elliott: {good-to-bad: 11%, bad-to-good: 12%, loss-in-good: 13%, loss-in-bad: 14%}}
            duplicate: 4%
            reorder: 5%
            reorder-delay: 6ms..7ms
            corrupt: 8%
            bandwidth: 9Mbit/s
            queue: 10KiB
            mtu: 1100
            outbound: {loss: 15%}
            inbound: {loss: 16%}
        b:
          kind: reflector
          refuses-multicast-sends: true
          interfaces: [{}, {segment: far, address: 10.0.0.8, up: false, link: {latency: 9ms, outbound: {loss: 9%}}}]
      """)
    expectEqual(
      scenario.network.segments,
      [
        SegmentSection(),
        SegmentSection(
          name: "far", snooping: true, querier: .seconds(1), membershipTimeout: .seconds(2),
          subnet: InterfaceAddress(IPAddress(10, 0, 0, 0), prefixBits: 16), ipv6: true),
      ])
    let bursts = Loss.gilbertElliott(
      goodToBad: .percent(11), badToGood: .percent(12), inGood: .percent(13), inBad: .percent(14))
    let both = LinkPatch(
      latency: .uniform(.milliseconds(1) ... .milliseconds(2)), loss: .uniform(.percent(2)), multicastLoss: bursts,
      duplicate: .percent(4), reorder: .percent(5), reorderDelay: .milliseconds(6) ... .milliseconds(7),
      corrupt: .percent(8), bandwidth: 9_000_000, queue: 10_240, mtu: 1_100)
    let link = LinkSection(
      both, outbound: LinkPatch(loss: .uniform(.percent(15))), inbound: LinkPatch(loss: .uniform(.percent(16))))
    expectEqual(
      scenario.inhabitants[0].host,
      HostSection(
        segment: "far", address: IPAddress(10, 0, 0, 9), ipv6: false, link: link, clockDriftMillionths: 7,
        receiveBuffer: ReceiveBuffer(bytesMaximum: 2_048, serviceTime: .microseconds(3)), refusesJoins: true))
    expectEqual(
      scenario.inhabitants[1].host,
      HostSection(
        interfaces: [
          InterfaceSection(),
          InterfaceSection(
            segment: "far", address: IPAddress(10, 0, 0, 8), isUpAtStart: false,
            link: LinkSection(
              LinkPatch(latency: .constant(.milliseconds(9))), outbound: LinkPatch(loss: .uniform(.percent(9))))),
        ], refusesMulticastSends: true))
    let world = try scenario.resolved()
    var rule = LinkRule(
      latency: .uniform(.milliseconds(1) ... .milliseconds(2)), loss: .uniform(.percent(15)), multicastLoss: bursts,
      duplicate: .percent(4), reorder: .percent(5), reorderDelay: .milliseconds(6) ... .milliseconds(7),
      corrupt: .percent(8), bandwidth: 9_000_000, queueBytesMaximum: 10_240, mtu: 1_100)
    let near = world.plan.hosts[1].interfaces[0]
    #expect(near.segment == 1 && near.addresses == [InterfaceAddress(IPAddress(10, 0, 0, 9), prefixBits: 16)])
    expectEqual(near.outbound, rule)
    rule.loss = .uniform(.percent(16))
    expectEqual(near.inbound, rule)
    let far = world.plan.hosts[2].interfaces
    let plain = LinkRule(latency: .constant(.milliseconds(1)), loss: .uniform(.percent(1)))
    rule = plain
    (rule.queueBytesMaximum, rule.mtu) = (1_024, 1_002)
    expectEqual(far[0].outbound, rule)
    (rule.latency, rule.loss) = (.constant(.milliseconds(9)), .uniform(.percent(9)))
    expectEqual(far[1].outbound, rule)
    rule = plain
    (rule.queueBytesMaximum, rule.mtu) = (2_048, 1_001)
    expectEqual(far[0].inbound, rule)
    rule.latency = .constant(.milliseconds(9))
    expectEqual(far[1].inbound, rule)
    // IPv6 where the segment says so, and on no host that does not want it.
    expectEqual(far.map { $0.addresses.map(\.address.family) }, [[.v4], [.v4, .v6]])
    expectEqual(far.map(\.isUpAtStart), [true, false])
  }

  @Test("the keys of a root device change its profile's description, and the explanation shows what they set")
  func rootDevice() throws {
    let keys = """
          quirks: [noExt]
          device-type: urn:x:device:D:1
          services: [urn:x:service:S:1]
          embedded:
            - {type: urn:x:device:E:1, services: [urn:x:service:T:1], uuid: 2fac1234-31f8-41b4-a222-08002b34c004}
          uda: 1.1
          server: S/1
          uuid-style: capitals
          max-age: 1m
          boot-id: 2
          config-id: 3
          port: 4
          path: /p
          secure-port: 5
          searchport: 6
          notify-port: 7
          ttl: 8
          repeats: 9
          renewal-repeats: 10
          byebye-repeats: 11
          start-jitter: 12ms..13ms
          set-gap: 14ms..15ms
          message-spacing: 16ms..17ms
          renewal: 18s..19s

      """
    let world = try read(
      """
      inhabitants:
        tv:
          kind: root-device
          profile: camera
          uuid: 2FAC1234-31f8-41b4-a222-08002b34c00F
      """ + "\n" + keys
    ).resolved()
    var device = Profile.camera.description
    device.root = DevicePart(
      type: "urn:x:device:D:1", services: ["urn:x:service:S:1"],
      uuid: DeviceUUID(high: 0x2FAC_1234_31F8_41B4, low: 0xA222_0800_2B34_C00F))
    device.embedded = [
      DevicePart(
        type: "urn:x:device:E:1", services: ["urn:x:service:T:1"],
        uuid: DeviceUUID(high: 0x2FAC_1234_31F8_41B4, low: 0xA222_0800_2B34_C004))
    ]
    device.setEachTerm()
    expectEqual(world.deviceKinds.map(\.description), [device])
    expectEqual(world.deviceKinds.map(\.quirks), [Profile.camera.quirks + [.noExt]])
    expectEqual(world.devices.map(\.identity), ["uuid:2FAC1234-31F8-41B4-A222-08002B34C00F"])
    let shown = keys.replacing("[noExt]", with: "[incompleteSet, byebyeBeforeFirstAlive, noExt]")
    #expect(world.explanation.contains("\n" + shown + "    interfaces:\n"))
  }

  @Test("the keys of every other kind of inhabitant set what they name")
  func others() throws {
    let scenario = try read(
      #"""
      inhabitants:
        phone: {kind: control-point, target: x:y, mx: 1s, every: 2s..3s, copies: 4, copy-spacing: 5ms, searches: 6,
          oddities: [noHost, noMX], user-agent: A/7, source-port: 8, ttl: 9, host: echo:10, appear: 1s..2s}
        echo: {kind: reflector, mode: answer, rate: 1/s, reflects-own: true, ttl: 2, count: 3, appear: never}
        flood: {kind: flooder, sends: response, rate: 1/s, for: 2s, devices: 3, invents-addresses: true, profile: tv,
          to: 10.0.0.1}
        forger: {kind: byebye-spoofer, location: "http://a/", every: 1s, overhears: true, delay: 2s..3s,
          impersonates: true, repeats-numbers: false}
        liar: {kind: responder, answers-searches: false, delay: 1s..2s, answers-per-search: 3, target: x:y,
          quirks: [noExt], profile: tv, unsolicited: [{to: engine, target: y:z, every: 4s}]}
        puppet: {kind: script, lines: [{at: 1s, hex: 0aff, to: 10.0.0.1:2, from: 10.0.0.3, source-port: 4,
          interface: 5, ttl: 6}, {text: "é\r"}]}
        tape:
          kind: recorded
          beside-engine: true
          sets: {all: [{nt: n, usn: u}]}
          says:
            - {at: [1s, 2s], then-every: 3s, set: all, pace: [4s], paces: [[5s]], to: engine:6, source-port: 7, ttl: 8,
              lines: [l, m], line-end: e, tail: t}
          answers:
            - {to: x:y, set: all, replies: [{search: 2, delays: [1s]}], source-port: 3, lines: [k], line-end: f,
              tail: g}
      """#)
    var phone = ControlPointDecoy.Plan(target: "x:y")
    (phone.maximumWaitSeconds, phone.interval, phone.copies) = (1, .seconds(2) ... .seconds(3), 4)
    (phone.copySpacing, phone.searchCountMaximum, phone.oddities) = (.milliseconds(5), 6, [.noHost, .noMX])
    (phone.userAgent, phone.sourcePort, phone.hopLimit) = ("A/7", 8, 9)
    var echo = Reflector.Plan(mode: .answer)
    (echo.countPerSecondMaximum, echo.reflectsOwn, echo.hopLimit) = (1, true, 2)
    var flood = Flooder.Plan()
    (flood.message, flood.perSecond, flood.duration) = (.response, 1, .seconds(2))
    (flood.deviceCount, flood.inventsAddresses) = (3, true)
    var forger = ByebyeSpoofer.Plan()
    (forger.message, forger.interval, forger.overhears) = (.alive(location: "http://a/"), .seconds(1), true)
    (forger.delay, forger.impersonates, forger.repeatsNumbers) = (.seconds(2) ... .seconds(3), true, false)
    var liar = Responder.Plan()
    (liar.answersSearches, liar.delay, liar.answersPerSearch) = (false, .seconds(1) ... .seconds(2), 3)
    (liar.target, liar.quirks) = ("x:y", [.noExt])
    let tape = RecordedSection(
      sets: [RecordedSection.AdvertSet("all", [RecordedSection.Advert(nt: "n", usn: "u")])],
      says: [
        RecordedSection.Utterance(
          RecordedSection.Wording(lines: ["l", "m"], lineEnd: "e", tail: "t"), set: "all",
          at: [.seconds(1), .seconds(2)], thenEvery: .seconds(3), pace: [.seconds(4)], paces: [[.seconds(5)]],
          to: Target(.name("engine"), port: 6), sourcePort: 7, ttl: 8)
      ],
      answers: [
        RecordedSection.Answer(
          target: "x:y", RecordedSection.Wording(lines: ["k"], lineEnd: "f", tail: "g"), set: "all",
          replies: [Recorded.Answer.Reply(search: 2, delays: [.seconds(1)])], sourcePort: 3)
      ], isBesideEngine: true)
    let expected: [InhabitantKind] = [
      .controlPoint(ControlPointSection(phone, host: Target(.name("echo"), port: 10))), .reflector(echo),
      .flooder(FlooderSection(flood, profile: .tv, to: Target(.address(IPAddress(10, 0, 0, 1))))),
      .byebyeSpoofer(ByebyeSpooferSection(forger)),
      .responder(
        ResponderSection(
          liar, profile: .tv,
          unsolicited: [ResponderSection.Unsolicited(to: Target(.name("engine")), target: "y:z", every: .seconds(4))])),
      .script(
        ScriptSection([
          ScriptSection.Line(
            at: .seconds(1), payload: [10, 255], to: Target(.address(IPAddress(10, 0, 0, 1)), port: 2),
            from: IPAddress(10, 0, 0, 3), sourcePort: 4, interface: 5, ttl: 6),
          ScriptSection.Line(payload: [0xC3, 0xA9, 13]),
        ])), .recorded(tape),
    ]
    for (entry, kind) in zip(scenario.inhabitants, expected) { expectEqual(entry.kind, kind, "\(entry.name)") }
    expectEqual(scenario.inhabitants.map(\.count), [1, 3, 1, 1, 1, 1, 1])
    let (one, two) = (Instant.zero + .seconds(1), Instant.zero + .seconds(2))
    expectEqual(scenario.inhabitants.prefix(3).map(\.appear), [.within(one...two), .never, .at(.zero)])
  }

  @Test("the keys of an expectation set what they name")
  func expectations() throws {
    let scenario = try read(
      """
      inhabitants: {tv: {kind: root-device}}
      timeline: [{at: 1s, search: {id: 5}}]
      expect:
        - {always: {entries-at-most: 1, devices-at-most: 2}}
        - {always: {devices-at-most: 3}}
        - {share: {lost: tv, cause: evicted, at-least: 1%, at-most: 2%}, at: 3s}
        - {service: {search: 5, of: tv, target: x:y}, times: 0}
        - {search-ended: {search: 5, services: 3.., stopped: true}}
        - {changed: any, what: config-id, after: {service: {search: 5}, within: 1s..2s}}
        - {never: {rejected: badMX}, after: {failed: cannotSend, within: 2s}}
        - {found: "uuid:x", after: {lost: each, cause: expired, within: 2s..2s}}
        - {distribution: {of: response-delay, from: tv, search: 5, range: 1s..2s, alpha: 3%, minimum-samples: 4}}
      """)
    let (start, two) = (Instant.zero, Interval.seconds(2))
    let service = ServicePattern(search: 5)
    let expected: [Expectation.Kind] = [
      .always(Always(entriesAtMost: 1, devicesAtMost: 2)), .always(Always(devicesAtMost: 3)),
      .share(
        Share(
          .lost(.each(["tv"]), cause: .evicted), .within(start + .seconds(3)...start + .seconds(3)),
          atLeast: .percent(1), atMost: .percent(2))),
      .happens(
        Happens(.service(ServicePattern(search: 5, of: .each(["tv"]), target: "x:y")), times: .exactly(0))),
      .happens(Happens(.searchEnded(SearchEndedPattern(search: 5, services: .atLeast(3), wasStopped: true)))),
      .happens(
        Happens(.changed(.anyone, what: .configID), .after(.event(.service(service)), .seconds(1)...two))),
      .never(Never(.rejected(.badMX), .after(.event(.failed(.cannotSend)), .zero...two))),
      .happens(
        Happens(.found(.device("uuid:x")), .after(.event(.lost(.everyone, cause: .expired)), two...two))),
      .distribution(
        Distribution(
          of: .responseDelay, from: "tv", search: 5, range: .seconds(1)...two, alpha: .percent(3), samplesMinimum: 4)),
    ]
    for (expectation, kind) in zip(scenario.expectations, expected) { expectEqual(expectation.kind, kind) }
    expectEqual(scenario.expectations.count, expected.count)
  }
}
