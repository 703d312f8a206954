import RollcallDevices
import RollcallExpectations
import RollcallPeers
import RollcallPrimitives
import RollcallSessions
import RollcallWire
import Testing

@testable import RollcallScenarios

/// Under which names services and nearby peers are found in a run, what the scenario calls them, and which are sought.
@Suite("Services and peers that an engine can find") struct FoundServiceTests {
  private func scenario(_ yaml: String) throws -> Scenario {
    try Scenario(yaml: "scenario: a\nduration: 1m\n" + yaml, file: "x.yaml")
  }

  /// The names of a peer as a device, one for each of its identities.
  private func names(_ host: String, _ type: String) -> [String] {
    (0..<16).map { number in
      "peer:\(PeerRecord.instance(of: NearbyPeerPlan.id(ofHost: host, number)))._\(type)._udp.local"
    }
  }

  private func peer(_ name: String, _ type: String, host: Int) throws -> ResolvedDevice {
    let instance = PeerRecord.instance(of: NearbyPeerPlan.id(ofHost: name, 0))
    let service = MDNSService(try ServiceType(type, .udp), instance, port: 0)
    let all = names(name, type)
    var device = ResolvedDevice(name: name, host: host, kind: .service(service), identity: all[0])
    device.laterIdentities = Array(all[1...])
    return device
  }

  private static let crowd = """
    inhabitants:
      tv: {kind: root-device}
      ann: {kind: nearby-peer, name: Anna}
      ben: {kind: nearby-peer, count: 2, service-type: chat}
      nas: {kind: mdns-responder, services: [{type: _http._tcp, name: Box, port: 80}]}
      echo: {kind: reflector}
      cem: {kind: nearby-peer}

    """

  @Test("a nearby peer is one device with sixteen names, of which the first is its identity")
  func peers() throws {
    let world = try scenario(Self.crowd).resolved()
    let expected = try [
      peer("ann", "nearby", host: 2), peer("ben-1", "chat", host: 3), peer("ben-2", "chat", host: 4),
      peer("cem", "nearby", host: 7),
    ]
    expectEqual(world.devices.filter { [2, 3, 4, 7].contains($0.host) }, expected)
    expectEqual(world.devices.map(\.name), ["tv", "ann", "ben-1", "ben-2", "nas", "cem"])
    expectEqual(world.nearbyPeers, [2, 3, 4, 7])
    expectEqual(world.tellingHosts, [0, 2, 3, 4, 7])
    for device in expected { expectEqual(Set(device.identities).count, 16) }
  }

  @Test("each name of a nearby peer is that of its host for people, and no other device has such a name")
  func peerNames() throws {
    let found = try scenario(Self.crowd).resolved().peerNames
    var expected: [String: String] = [:]
    for (host, type) in [("ann", "nearby"), ("ben-1", "chat"), ("ben-2", "chat"), ("cem", "nearby")] {
      for name in names(host, type) { expected[name] = host }
    }
    expectEqual(expected.count, 64)
    expectEqual(found, expected)
    let others = try scenario("inhabitants: {tv: {kind: root-device}, echo: {kind: reflector}}").resolved()
    expectEqual(others.peerNames, [:])
    expectEqual(others.nearbyPeers, [])
    expectEqual(others.tellingHosts, [0])
  }

  @Test("a service is called by its inhabitant, and by its own name too where there are several")
  func services() throws {
    let world = try scenario(
      """
      inhabitants:
        bare: {kind: mdns-responder}
        one: {kind: mdns-responder, services: [{type: _http._tcp, name: A.b, port: 80, txt: [k=v]}]}
        two:
          kind: mdns-responder
          services: [{type: _smb._tcp, name: C, port: 1, subtypes: [_x]}, {type: _y._udp, name: D, port: 2}]
      """
    ).resolved()
    let (http, smb, other) = (try ServiceType("http", .tcp), try ServiceType("smb", .tcp), try ServiceType("y", .udp))
    let expected: [ResolvedDevice] = [
      ResolvedDevice(
        name: "one", host: 2, kind: .service(MDNSService(http, "A.b", port: 80, txt: [3] + Array("k=v".utf8))),
        identity: "peer:A\\.b._http._tcp.local"),
      ResolvedDevice(
        name: "two C", host: 3, kind: .service(MDNSService(smb, "C", port: 1, subtypes: ["_x"])),
        identity: "peer:C._smb._tcp.local"),
      ResolvedDevice(
        name: "two D", host: 3, kind: .service(MDNSService(other, "D", port: 2)),
        identity: "peer:D._y._udp.local"),
    ]
    expectEqual(world.devices, expected)
    expectEqual(world.peerNames, [:])
  }

  private static let boxes = """
    inhabitants:
      a:
        kind: mdns-responder
        services:
          - {type: _smb._tcp, name: A, port: 1, subtypes: [_slow, _fast]}
          - {type: _smb._tcp, name: B, port: 2, subtypes: [_slow]}
      c: {kind: mdns-responder, services: [{type: _smb._tcp, name: C, port: 3}]}
      d: {kind: mdns-responder, services: [{type: _ipp._tcp, name: D, port: 4, subtypes: [_fast]}]}

    """

  @Test("a subtype seeks the services that have it, a type all of that type, and a name of no service none")
  func sought() throws {
    let names = ["A._smb", "B._smb", "C._smb", "A (2)._smb", "D._ipp"].map { "peer:\($0)._tcp.local" }
    let all = ["uuid:a", "ble:b"] + names + ["peer:x", "peer:x._smb"]
    let rows: [(browse: String, places: [Int])] = [
      ("[]", []), ("_fast._sub._smb._tcp", [0]), ("_slow._sub._smb._tcp", [0, 1]), ("_none._sub._smb._tcp", []),
      ("_fast._sub._ipp._tcp", [4]), ("_slow._sub._ipp._tcp", []), ("_smb._tcp", [0, 1, 2, 3]), ("_ipp._tcp", [4]),
      ("_smb._udp", []), ("[_fast._sub._smb._tcp, _ipp._tcp]", [0, 4]),
      ("[_slow._sub._smb._tcp, _fast._sub._smb._tcp]", [0, 1]), ("all", [0, 1, 2, 3, 4]),
      ("[_x._tcp, all]", [0, 1, 2, 3, 4]),
    ]
    for (browse, places) in rows {
      let world = try scenario("engine: {browse: \(browse)}\n" + Self.boxes).resolved()
      expectEqual(world.sought(all, at: .zero), ["uuid:a", "ble:b"] + places.map { names[$0] }, "\(browse)")
      expectEqual(world.sought(names, at: .zero), places.map { names[$0] }, "\(browse)")
      expectEqual(world.sought(["ble:b", "uuid:a"], at: .zero), ["ble:b", "uuid:a"])
      expectEqual(world.sought(["peer:x"], at: .zero), [])
      expectEqual(world.sought([], at: .zero), [])
    }
  }

  @Test("a browse of the timeline seeks from its instant on, until that browse is stopped")
  func times() throws {
    let names = ["A._smb", "B._smb", "C._smb", "D._ipp"].map { "peer:\($0)._tcp.local" }
    let world = try scenario(
      """
      engine: {browse: [_ipp._tcp, _ipp._tcp]}
      timeline:
        - {at: 10s, browse: _smb._tcp}
        - {at: 20s, browse: _fast._sub._smb._tcp}
        - {at: 20s, stop-browsing: _smb._tcp}
        - {at: 30s, stop-browsing: _ipp._tcp}
        - {at: 40s, stop-browsing: all}
        - {at: 50s, stop-browsing: _fast._sub._smb._tcp}

      """ + Self.boxes
    ).resolved()
    let second = Interval.seconds(1)
    let moments: [(at: Int64, before: [Int], now: [Int])] = [
      (10, [3], [0, 1, 2, 3]), (20, [0, 1, 2, 3], [0, 3]), (30, [0, 3], [0]), (40, [0], [0]), (50, [0], []),
    ]
    for (at, before, now) in moments {
      let instant = Instant.zero + .seconds(at)
      expectEqual(world.sought(names, at: instant - second), before.map { names[$0] }, "before \(at) s")
      expectEqual(world.sought(names, at: instant), now.map { names[$0] }, "at \(at) s")
    }
  }

  @Test("a nearby peer is sought under each of its names where its type is browsed")
  func soughtPeers() throws {
    let world = try scenario("engine: {browse: _chat._udp}\n" + Self.crowd).resolved()
    let (ann, ben) = (names("ann", "nearby"), names("ben-1", "chat"))
    expectEqual(world.sought(ann + ben, at: .zero), ben)
    let every = try scenario("engine: {browse: all}\n" + Self.crowd).resolved()
    expectEqual(every.sought(ann + ben, at: .zero), ann + ben)
  }
}
