import RollcallDevices
import RollcallDiscovery
import RollcallExpectations
import RollcallPeers
import RollcallPrimitives
import RollcallScenarios
import RollcallSessions
import RollcallWire
import Testing

/// As `KeyTests`, of devices that have a description, of peers, of services and of attributes.
@Suite("What keys of descriptions, peers, testers and attributes set") struct LaterKeyTests {
  /// The scenario, which also reads back as the same.
  private func read(_ yaml: String) throws -> Scenario {
    let scenario = try Scenario(yaml: "scenario: a\n" + yaml, file: "x.yaml")
    try expectEqual(Scenario(yaml: scenario.yaml, file: "x.yaml"), scenario)
    return scenario
  }

  @Test("what a description says of a device, and how it is controlled, is set by its keys")
  func description() throws {
    let world = try read(
      """
      engine: {descriptions: fetch, description-patience: 4s, peripheral-silence: 6s, asks-for-services: false}
      inhabitants:
        tv:
          kind: root-device
          friendly-name: N
          manufacturer: M
          model: O
          apps: [A, B]
          pairing-key: '0042'
          webos: {answers: decline, answers-after: 2s, web-apps: [W]}
        bare: {kind: root-device}
      """
    ).resolved()
    let tv = world.deviceKinds[0].description
    expectEqual([tv.friendlyName, tv.manufacturer, tv.modelName], ["N", "M", "O"])
    var plan = TelevisionPlan()
    (plan.apps, plan.pairingKey) = (["A", "B"], "0042")
    var webOS = WebOSPlan()
    (webOS.answer, webOS.answerDelay, webOS.webApps) = (.decline, .seconds(2), ["W"])
    plan.webOS = webOS
    expectEqual(tv.television, plan)
    expectEqual(world.deviceKinds[1].description.television, TelevisionPlan())
    expectEqual(world.deviceKinds[1].description.friendlyName, nil)
    let engine = world.scenario.engine.configuration
    #expect(engine.descriptions == .fetch && !engine.asksForServices)
    expectEqual(engine.descriptionLimits.patience, .seconds(4))
    expectEqual(engine.peripheralSilence, .seconds(6))
    #expect(EngineConfiguration().asksForServices && EngineConfiguration().descriptions != .fetch)
  }

  @Test("the keys of a nearby peer set what they name")
  func nearbyPeer() throws {
    let scenario = try read(
      """
      inhabitants:
        a:
          kind: nearby-peer
          name: Ann
          service-type: chat
          info: [room=12, note=]
          advertises: false
          browses: false
          answers: declines
          answers-after: 1s
          invites: elected
          invites-after: 2s
          invites-again: 3s
          invites-members: true
          context: C
          invitation-time-out: 4s
          encryption: required
          sends-file: 5B
          opens-stream: 6B
          peers-maximum: 7
          data-path: 8s
          found-again: 9
          withdrawn-after: 10s
          mutual-invitations: both-fail
          second-connection: refused
          reuse: stuck-in-connecting
          optional-encryption: plain
          declining: silent
          connections-maximum: 11
          sends:
            - {text: T, after: asked, times: 12, every: 13s, reliable: false, to: [Ben, Cem]}
            - {size: 14B, after: 15s}
        b: {kind: nearby-peer, data-path: none, invites: each}
        c: {kind: nearby-peer, invites: [Ann, each], encryption: none}
      """)
    var ann = NearbyPeerPlan()
    (ann.name, ann.type, ann.context) = ("Ann", "chat", "C")
    ann.info = [PeerInfo("room", "12"), PeerInfo("note", "")]
    (ann.advertises, ann.browses, ann.invitesMembers) = (false, false, true)
    (ann.answer, ann.answerDelay) = (.declines, .seconds(1))
    ann.invites = .elected
    (ann.inviteDelay, ann.inviteTimeout) = (.seconds(2), .seconds(4))
    ann.inviteAgain = .seconds(3)
    ann.encryption = .required
    (ann.fileByteCount, ann.streamByteCount) = (5, 6)
    ann.sessions.peersMaximum = 7
    ann.sessions.mutualInvitations = .bothFail
    ann.sessions.secondConnection = .refused
    ann.sessions.reuse = .stuckInConnecting
    ann.sessions.optionalEncryption = .plain
    ann.sessions.declining = .silent
    ann.sessions.connectionsMaximum = 11
    ann.quirks.dataPathDelay = .seconds(8)
    ann.quirks.repeatedFoundCount = 9
    ann.quirks.withdrawalDelay = .seconds(10)
    var asked = NearbyPeerPlan.Message()
    (asked.text, asked.after, asked.times) = ("T", nil, 12)
    (asked.interval, asked.isReliable, asked.to) = (.seconds(13), false, ["Ben", "Cem"])
    var sized = NearbyPeerPlan.Message()
    (sized.byteCount, sized.after) = (14, .seconds(15))
    ann.messages = [asked, sized]
    var ben = NearbyPeerPlan()
    ben.quirks.hasNoDataPath = true
    ben.invites = .everybody
    var cem = NearbyPeerPlan()
    cem.invites = .named(["Ann", "each"])
    cem.encryption = EncryptionPreference.none
    let wanted: [InhabitantKind] = [.nearbyPeer(ann), .nearbyPeer(ben), .nearbyPeer(cem)]
    for (entry, kind) in zip(scenario.inhabitants, wanted) { expectEqual(entry.kind, kind, "\(entry.name)") }
    expectEqual(scenario.inhabitants.count, 3)
  }

  @Test("each line of a tester of multicast DNS is sent when, and says what, its keys name")
  func tester() throws {
    let scenario = try read(
      """
      inhabitants:
        t:
          kind: mdns-tester
          lines:
            - {at: 1s, every: 2s, times: 3, truncated: true, port: 4, to: 10.0.0.5,
              ask: [{name: box.local, type: SRV, unicast: true}, {name: '*'}],
              known: [{name: a.local, ttl: 6s, flush: true, address: 10.0.0.7}]}
            - {on-probe: b, after: 8s, times: 9, say: [{name: b.local, srv: {port: 10, target: c.local}}]}
            - {on-query: d, propose: [{name: d.local, txt: 'e=f'}], say: [{name: g.local, ptr: h.local}]}
      """)
    func name(_ text: String) throws -> DNSName { try #require(DNSName(text)) }
    let (a, b, c, d) = (try name("a.local"), try name("b.local"), try name("c.local"), try name("d.local"))
    let (g, h) = (try name("g.local"), try name("h.local"))
    let lines: [MDNSTester.Line] = [
      MDNSTester.Line(
        .at(.seconds(1), every: .seconds(2), times: 3),
        questions: [
          DNSQuestion(try name("box.local"), .srv, wantsUnicast: true), DNSQuestion(MDNSTester.anyName, .any),
        ],
        records: [DNSRecord(a, .address(IPAddress(10, 0, 0, 7)), ttlSeconds: 6, isCacheFlush: true)], isTruncated: true,
        sourcePort: 4, destination: IPAddress(10, 0, 0, 5)),
      MDNSTester.Line(
        .probe(label: Array("b".utf8), after: .seconds(8), times: 9),
        records: [DNSRecord(b, .srv(priority: 0, weight: 0, port: 10, target: c), ttlSeconds: 120)], isResponse: true),
      MDNSTester.Line(
        .query(label: Array("d".utf8), after: .zero, times: 1), records: [DNSRecord(g, .ptr(h), ttlSeconds: 120)],
        proposed: [DNSRecord(d, .txt([3] + Array("e=f".utf8)), ttlSeconds: 120)], isResponse: true),
    ]
    guard case .mdnsTester(let section) = scenario.inhabitants[0].kind else {
      Issue.record("no tester")
      return
    }
    expectEqual(section.lines, lines)
  }

  @Test("services and characteristics of a peripheral are what their keys name, and reconfigure has others")
  func attributes() throws {
    let scenario = try read(
      """
      inhabitants:
        p:
          kind: peripheral
          mtu: 23
          connections: 8
          gatt:
            - service: 180F
              primary: false
              includes: [180A]
              characteristics:
                - {uuid: 2A19, offers: [indicate, read], value: 0aff, text: Level, sends-every: 3s, error: 0x0F}
                - {uuid: 2A1A, error: 255}
            - {service: 180A}
          then-gatt: [{service: 1800}]
      """)
    func short(_ number: UInt32) -> BluetoothUUID { BluetoothUUID(short: number) }
    let level = GATTPlan.Characteristic(
      short(0x2A19), [.read, .indicate], value: [10, 255], text: "Level", sendsEvery: .seconds(3), error: 15)
    let state = GATTPlan.Characteristic(short(0x2A1A), [.read], error: 255)
    guard case .peripheral(let section) = scenario.inhabitants[0].kind else {
      Issue.record("no peripheral")
      return
    }
    expectEqual(
      section.gatt,
      [
        GATTPlan.Service(short(0x180F), isPrimary: false, includes: [short(0x180A)], [level, state]),
        GATTPlan.Service(short(0x180A), []),
      ])
    expectEqual(section.otherGATT, [GATTPlan.Service(short(0x1800), [])])
    #expect(section.mtu == 23 && section.connectionsMaximum == 8)
  }
}
