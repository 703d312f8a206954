import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallSimulation
import Testing

@testable import RollcallScenarios

/// What each kind of inhabitant is given for its run: names replaced, ports and profiles filled in.
@Suite("Inhabitants of resolved scenarios") struct ResolvedKindTests {
  private func resolved(_ yaml: String) throws -> Resolved {
    try Scenario(yaml: "scenario: a\n" + yaml, file: "x.yaml").resolved()
  }
  private static let tv = IPAddress(192, 168, 1, 9)

  @Test("messages go to the host of a name, to port 1900 where none is said, and to the group without a host")
  func destinations() throws {
    let world = try resolved(
      """
      inhabitants:
        tv: {kind: root-device, address: 192.168.1.9}
        s:
          kind: script
          lines:
            - {hex: 00}
            - {at: 1s, hex: '01', to: tv, ttl: 7}
            - {hex: '02', to: 'tv:5', source-port: 6, from: 10.0.0.2, interface: 0}
            - {hex: '03', to: 10.0.0.1}
        p: {kind: control-point, host: tv}
        q: {kind: control-point, host: 'tv:80'}
        f: {kind: flooder, sends: response, to: tv, profile: camera}
        r: {kind: responder, profile: camera, quirks: [noExt], unsolicited: [{to: tv, target: a, every: 2s}]}
      """)
    let (tv, address) = (Endpoint(Self.tv, port: 1_900), IPAddress(10, 0, 0, 1))
    var point = ControlPointDecoy.Plan()
    point.unicastTo = tv
    var other = point
    other.unicastTo = Endpoint(Self.tv, port: 80)
    var flooder = Flooder.Plan()
    (flooder.message, flooder.responsesTo) = (.response, tv)
    flooder.description = Profile.camera.description
    var responder = Responder.Plan()
    responder.description = Profile.camera.description
    responder.quirks = Profile.camera.quirks + [.noExt]
    responder.unsolicited = [Responder.Unsolicited(to: tv, target: "a", interval: .seconds(2))]
    let kinds: [ResolvedInhabitant] = [
      .script([
        Script.Line(payload: [0]), Script.Line(at: .seconds(1), payload: [1], to: tv, hopLimit: 7),
        Script.Line(
          payload: [2], to: Endpoint(Self.tv, port: 5), sourceAddress: IPAddress(10, 0, 0, 2), sourcePort: 6,
          interface: InterfaceID(0)),
        Script.Line(payload: [3], to: Endpoint(address, port: 1_900)),
      ]),
      .controlPoint(point), .controlPoint(other), .flooder(flooder), .responder(responder),
    ]
    expectEqual(world.hosts.dropFirst(2).map(\.role), kinds.map { ResolvedHost.Role.other($0) })
  }

  @Test("a recorded utterance is sent with its port, hop limit and paces, one message for each of its set")
  func recorded() throws {
    let world = try resolved(
      """
      inhabitants:
        tv: {kind: root-device, address: 192.168.1.9}
        r:
          kind: recorded
          sets: {all: [{nt: n, usn: u}, {nt: m}]}
          says:
            - {at: [0s, 2s], set: all, pace: [0s, 1s], lines: ["{nt}", "{usn}"]}
            - {at: [1s, 2s], to: tv, ttl: 9, source-port: 8, paces: [[3s], [4s]], then-every: 5s, lines: [a], tail: ""}
          answers:
            - to: 'ssdp:all'
              set: all
              replies: [{search: 2, delays: [1s]}]
              source-port: 7
              lines: ["{nt}"]
              tail: ""
      """)
    func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
    var plan = Recorded.Plan()
    plan.utterances = [
      Recorded.Utterance(
        messages: [bytes("n\r\nu\r\n\r\n"), bytes("m\r\n\r\n\r\n")], starts: [.zero, .seconds(2)],
        paces: [[.zero, .seconds(1)]]),
      Recorded.Utterance(
        messages: [bytes("a")], starts: [.seconds(1), .seconds(2)], thenEvery: .seconds(5),
        paces: [[.seconds(3)], [.seconds(4)]], destination: Endpoint(Self.tv, port: 1_900), sourcePort: 8,
        hopLimit: 9),
    ]
    plan.answers = [
      Recorded.Answer(
        target: bytes("ssdp:all"), messages: [bytes("n"), bytes("m")],
        replies: [Recorded.Answer.Reply(search: 2, delays: [.seconds(1)])], sourcePort: 7)
    ]
    expectEqual(world.hosts[2].role, .other(.recorded(plan)))
  }

  @Test("the engine has a radio where it scans, connects or has a manager that looks for peripherals")
  func radios() throws {
    let lamp = "services: [{id: Lamp, found-by: bluetooth, filter: 180f}]"
    for (yaml, hasRadio) in [
      ("engine: {scan: {}}", true), ("engine: {manager: {}}", false), ("engine: {manager: {\(lamp)}}", true),
      ("engine: {manager: {}}\ntimeline: [{at: 1s, manager: {services: [dial]}}]", false),
      ("engine: {manager: {}}\ntimeline: [{at: 1s, manager: {\(lamp)}}]", true),
      ("inhabitants: {tag: {kind: peripheral}}", false),
      ("inhabitants: {tag: {kind: peripheral}}\ntimeline: [{at: 1s, connect: tag}]", true),
      ("inhabitants: {tv: {kind: root-device}}\ntimeline: [{at: 1s, leave: tv}]", false),
    ] {
      let scenario = try Scenario(yaml: "scenario: a\n" + yaml, file: "x.yaml")
      expectEqual(scenario.engineHasRadio, hasRadio, "\(yaml)")
    }
  }

  @Test("reports come from the engine and from nearby peers, and from no other inhabitant")
  func peers() throws {
    let world = try resolved(
      """
      inhabitants:
        ann: {kind: nearby-peer}
        tv: {kind: root-device}
        nas: {kind: mdns-responder, services: [{type: _http._tcp, name: Box, port: 80}]}
        ben: {kind: nearby-peer, count: 2}
        echo: {kind: reflector}
      """)
    expectEqual(world.nearbyPeers, [1, 4, 5])
    expectEqual(world.tellingHosts, [0, 1, 4, 5])
    // Nothing is browsed, so no service is sought, also where only services are asked for.
    let name = "peer:Box._http._tcp.local"
    expectEqual(world.sought([name], at: .zero), [])
    expectEqual(world.sought(["uuid:a", name], at: .zero), ["uuid:a"])
    expectEqual(world.sought(["uuid:a"], at: .zero), ["uuid:a"])
  }

  @Test("an address of IPv6 is the only one of its interface, and its prefix has 64 bits")
  func prefixes() throws {
    let world = try resolved(
      """
      network: {segments: {lan: {subnet: 10.1.0.0/16, ipv6: true}}}
      inhabitants:
        a: {kind: reflector, address: 10.1.0.9}
        b: {kind: reflector, address: 'fe80::9', count: 2}
        c: {kind: reflector, address: 10.1.0.10, ipv6: false}
      """)
    let hosts = world.plan.hosts.dropFirst().map { $0.interfaces[0].addresses }
    expectEqual(hosts.map { $0.map(\.prefixBits) }, [[16, 64], [64], [64], [16]])
    expectEqual(hosts[0][0].address, IPAddress(10, 1, 0, 9))
    expectEqual(hosts[1].map(\.address), [IPAddress("fe80::9")].compactMap { $0 })
    expectEqual(hosts[2].map(\.address), [IPAddress("fe80::a")].compactMap { $0 })
    expectEqual(hosts[3].map(\.address), [IPAddress(10, 1, 0, 10)])
  }

  @Test("the program outside has the address that its radio is given, else one made of its name")
  func hciHost() {
    let address = PeripheralSection.address(named: "given")
    expectEqual(HCIHostSection(address: address).address(named: "box"), address)
    expectEqual(HCIHostSection().address(named: "box"), PeripheralSection.address(named: "box"))
    #expect(address != PeripheralSection.address(named: "box"))
  }

  @Test("bytes, errors and delays are written as they are read")
  func forms() {
    expectEqual(Form<[UInt8]>.hex.write([0, 15, 16, 17, 255], true), .scalar("000f1011ff"))
    for (error, text) in [
      (0, "0x00"), (5, "0x05"), (15, "0x0F"), (16, "0x10"), (171, "0xAB"), (255, "0xFF"),
    ] as [(UInt8, String)] {
      expectEqual(Form<UInt8>.attributeError.write(error, true), .scalar(text))
    }
    for (delay, flow) in [
      (.constant(.milliseconds(3)), "3ms"), (.uniform(.zero ... .milliseconds(3)), "0s..3ms"),
      (.normal(mean: .milliseconds(2), deviation: .microseconds(500)), "{normal: {mean: 2ms, deviation: 500us}}"),
      (
        .exponential(minimum: .milliseconds(1), mean: .milliseconds(4)), "{exponential: {minimum: 1ms, mean: 4ms}}"
      ),
    ] as [(Delay, String)] {
      expectEqual(Form<Delay>.delay.write(delay, true).flow, flow)
      var reader = Reader()
      expectEqual(Form<Delay>.delay.read(Form<Delay>.delay.write(delay, true), &reader), delay)
    }
  }
}
