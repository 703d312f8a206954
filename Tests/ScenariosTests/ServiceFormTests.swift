import RollcallDevices
import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallScenarios

/// Browsing for services in YAML, what is expected of them, and who is meant.
@Suite("Services in YAML") struct ServiceFormTests {
  private static let inhabitants = """
    inhabitants:
      tv: {kind: root-device}
      nas:
        kind: mdns-responder
        services:
          - {type: _http._tcp, name: Box, port: 80}
          - {type: _smb._tcp, name: 'Box 1.2', port: 445, subtypes: [_fast]}
      printer: {kind: mdns-responder, services: [{type: _ipp._tcp, name: P, port: 631}]}
    """

  private func scenario(_ keys: String) throws -> Scenario {
    let yaml = "scenario: S\nduration: 1m\n\(ServiceFormTests.inhabitants)\n\(keys)\n"
    let scenario = try Scenario(yaml: yaml, file: "x.yaml")
    try expectEqual(Scenario(yaml: scenario.yaml, file: "x.yaml"), scenario)
    return scenario
  }

  @Test("what is browsed is one type, a list, or all; commands of the timeline go to the engine")
  func browses() throws {
    let lists: [(String, [ServiceBrowse])] = [
      ("all", [.everything]), ("_ipp._tcp", [.type("_ipp._tcp")]), ("[]", []),
      ("[_a._sub._ipp._tcp, _x._udp]", [.type("_a._sub._ipp._tcp"), .type("_x._udp")]),
    ]
    for (text, list) in lists {
      try expectEqual(scenario("engine: {browse: \(text)}").engine.configuration.browse, list)
      var configuration = EngineConfiguration()
      try configuration.apply(["browse=" + text.filter { !"[] ".contains($0) }])
      expectEqual(configuration.browse, list)
    }
    let resolved = try scenario("timeline: [{at: 1s, browse: all}, {at: 2s, stop-browsing: _ipp._tcp}]").resolved()
    expectEqual(resolved.commands.map(\.host), [0, 0])
    expectEqual(
      resolved.commands.map(\.command), [.browse(.everything), .stopBrowsing(.type("_ipp._tcp"))])
    for text in ["ipp", "_ipp._tcp.local", "'*'", "[all, x]"] {
      #expect(throws: ScenarioErrors.self) { try scenario("engine: {browse: \(text)}") }
    }
  }

  @Test("of a setting with several slips the first is told")
  func settings() {
    var configuration = EngineConfiguration()
    let said = "browse: 'x' is not services to browse such as _ipp._tcp, _color._sub._ipp._tcp or all"
    #expect(throws: EngineSettingError(description: said)) { try configuration.apply(["browse=x,y"]) }
  }

  @Test("an application complains of all services of an inhabitant, and only of such")
  func complaints() throws {
    let resolved = try scenario("timeline: [{at: 1s, reconfirm: nas}, {at: 2s, reconfirm: printer}]").resolved()
    let names = ["Box._http._tcp.local", "Box 1\\.2._smb._tcp.local", "P._ipp._tcp.local"]
    let expected = names.map { Command.reconfirm(device: "peer:" + $0) }
    expectEqual(resolved.commands.map(\.command), expected)
    for name in ["tv", "engine", "nobody"] {
      #expect(throws: ScenarioErrors.self, "\(name)") {
        try scenario("timeline: [{at: 1s, reconfirm: \(name)}]").resolved()
      }
    }
  }

  @Test("the services of an inhabitant are its devices; which of them are sought follows from what is browsed then")
  func devices() throws {
    let resolved = try scenario(
      """
      engine: {browse: _fast._sub._smb._tcp}
      timeline: [{at: 10s, browse: _http._tcp}, {at: 20s, stop-browsing: _http._tcp}, {at: 30s, browse: all}]
      expect:
        - {found: each}
        - {present: {at: 50s, devices: [nas]}}
        - {found: printer, has: {port: 631, txt: a}}
        - {changed: 'peer:P (2)._IPP._tcp.local', what: txt, has: {name: P (2), type: _ipp._tcp, host: p.local, address: 10.0.0.1}}
      """
    ).resolved()
    let names = ["peer:Box._http._tcp.local", "peer:Box 1\\.2._smb._tcp.local", "peer:P._ipp._tcp.local"]
    expectEqual(resolved.devices.dropFirst().map(\.identity), names)
    expectEqual(resolved.devices.map(\.name), ["tv", "nas Box", "nas Box 1.2", "printer"])
    guard case .happens(let checks, _) = resolved.expectations[0].kind,
      case .presentDevices(_, let present) = resolved.expectations[1].kind
    else { return #expect(Bool(false)) }
    expectEqual(checks.count, 4)
    expectEqual(present, Array(names.prefix(2)))
    let all = ["uuid:a", "peer:P (2)._ipp._tcp.local"] + names
    func sought(_ seconds: Int64) -> [String] { resolved.sought(all, at: .zero + .seconds(seconds)) }
    expectEqual(sought(0), ["uuid:a", names[1]])
    expectEqual(sought(10), ["uuid:a", names[0], names[1]])
    expectEqual(sought(20), ["uuid:a", names[1]])
    expectEqual(sought(30), all)
  }

  @Test("a report matches what it has to say of a service, each part of it")
  func attributes() {
    let device = DeviceSighting(
      device: "peer:P._ipp._tcp.local", provider: .peers, locator: Locator(.ip(IPAddress(10, 0, 0, 1))),
      attributes: [
        DeviceAttribute(.name, .text("P")), DeviceAttribute(.services, .text("_ipp._tcp.local")),
        DeviceAttribute(.host, .text("p.local")), DeviceAttribute(.port, .number(631)),
        DeviceAttribute(.txt, .text("a=1; b=x\\; y; c")),
      ])
    func matches(_ change: (inout AttributePattern) -> Void) -> Bool {
      var pattern = AttributePattern()
      change(&pattern)
      let (found, changed) = (EventMatch(.found, has: pattern), EventMatch(.changed(nil), has: pattern))
      expectEqual(found.matches(.found(device)), changed.matches(.changed(device, .attribute(.port, from: nil))))
      return found.matches(.found(device))
    }
    #expect(matches { _ in })
    #expect(matches { $0.name = "P" } && !matches { $0.name = "p" })
    #expect(matches { $0.type = try? ServiceType("ipp", .tcp) } && !matches { $0.type = try? ServiceType("ipp", .udp) })
    #expect(matches { $0.host = "P.local" } && !matches { $0.host = "q.local" })
    #expect(matches { $0.port = 631 } && !matches { $0.port = 80 })
    #expect(matches { $0.address = IPAddress(10, 0, 0, 1) } && !matches { $0.address = IPAddress(10, 0, 0, 2) })
    for (text, isThere) in [("a=1", true), ("b=x; y", true), ("c", true), ("y", false), ("b=x", false), ("", false)] {
      expectEqual(matches { $0.txt = text }, isThere, "\(text)")
    }
    #expect(!matches { ($0.port, $0.host) = (631, "q.local") })
  }

  @Test("a string of a TXT record is compared whole: blanks at its ends count, and what parts two strings does not")
  func blanks() {
    var data: [UInt8] = []
    for string in [" a", " b ", "c;", "; d"] {
      data.append(UInt8(string.utf8.count))
      data += Array(string.utf8)
    }
    let device = DeviceSighting(
      device: "peer:P._ipp._tcp.local", provider: .peers, locator: Locator(.ip(IPAddress(10, 0, 0, 1))),
      attributes: [DeviceAttribute(.txt, .text(TXTRecord.text(of: data)))])
    let rows: [(text: String, isThere: Bool)] = [
      (" a", true), ("a", false), (" b ", true), ("b ", false), (" b", false), ("b", false), ("  b ", false),
      ("c;", true),
      ("c", false), ("; d", true), (" d", false), ("d", false), ("", false),
    ]
    for row in rows {
      var pattern = AttributePattern()
      pattern.txt = row.text
      expectEqual(EventMatch(.found, has: pattern).matches(.found(device)), row.isThere, "'\(row.text)'")
    }
  }

  @Test(
    "a slip is refused where it stands",
    arguments: [
      ("expect: [{lost: printer, has: {port: 1}}]", "'has' stands only beside 'found' or 'changed'"),
      ("expect: [{found: printer, has: {ports: 1}}]", "unknown key 'ports'"),
      ("expect: [{found: 'peer:x'}]", "is not a device"), ("expect: [{found: 'peer:'}]", "is not a device"),
      ("timeline: [{at: 1s, hold: nas}]", "'nas' is no root device"),
    ])
  func slips(keys: String, words: String) {
    let error = #expect(throws: ScenarioErrors.self) { _ = try scenario(keys).resolved() }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains(words), "\(text)")
  }
}
