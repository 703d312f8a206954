import RollcallDevices
import RollcallExpectations
import RollcallWire
import Testing

@testable import RollcallScenarios

/// Responders of multicast DNS in YAML: what is read, what is written, what is refused and where.
@Suite("Responders of multicast DNS in YAML") struct MDNSResponderFormTests {
  private func section(_ keys: String) throws -> MDNSResponderSection? {
    let yaml = "scenario: S\nduration: 1m\ninhabitants:\n  printer:\n    kind: mdns-responder\n    \(keys)\n"
    let scenario = try Scenario(yaml: yaml, file: "x.yaml")
    try expectEqual(Scenario(yaml: scenario.yaml, file: "x.yaml"), scenario)
    _ = try scenario.resolved()
    guard case .mdnsResponder(let section) = scenario.inhabitants[0].kind else { return nil }
    return section
  }

  @Test("services with their strings and subtypes, and each change, are read, and read back as the same")
  func whole() throws {
    let ipp = try ServiceType("ipp", .tcp)
    let txt: [UInt8] = [5] + "rp=ab".utf8 + [6] + "duplex".utf8
    let found = try section(
      """
      host-name: office
          services:
            - {type: _ipp._tcp, name: 'Büro (1.OG)', port: 631, txt: [rp=ab, duplex], subtypes: [_color]}
            - {type: _x-y._udp, name: Y, port: 0}
          changes:
            - {add: {type: _ipp._tcp, name: Z, port: 1}}
            - {remove: Y}
            - {txt: {of: Z, strings: [rp=ab, duplex]}}
            - {txt: {of: Z}}
      """)
    let expected = MDNSResponderSection(
      hostName: "office",
      services: [
        MDNSService(ipp, "Büro (1.OG)", port: 631, txt: txt, subtypes: ["_color"]),
        MDNSService(try ServiceType("x-y", .udp), "Y", port: 0),
      ],
      changes: [
        .add(MDNSService(ipp, "Z", port: 1)), .remove(instance: "Y"), .setTXT(instance: "Z", txt),
        .setTXT(instance: "Z", [0]),
      ])
    expectEqual(found, expected)
    expectEqual(expected.plan(named: "printer").host, Array("office".utf8))
    expectEqual(MDNSResponderSection().plan(named: "printer-2").host, Array("printer-2".utf8))
    expectEqual(expected.plan(named: "printer").changes, expected.changes)
  }

  @Test("a name of 63 bytes and a string of 255 are read")
  func longest() throws {
    let (name, string) = (String(repeating: "é", count: 31) + "a", String(repeating: "a", count: 255))
    let found = try section("services: [{type: _a._tcp, name: \(name), port: 65535, txt: [\(string)]}]")
    expectEqual(found?.services.map(\.instance.count), [63])
    expectEqual(found?.services.map(\.txt.count), [256])
  }

  @Test(
    "a slip is refused where it stands",
    arguments: [
      ("services: [{type: ipp._tcp, name: A, port: 1}]", "6:23"),
      ("services: [{type: _ipp, name: A, port: 1}]", "6:23"),
      ("services: [{type: _ipp._sctp, name: A, port: 1}]", "6:23"),
      ("services: [{type: _1._tcp, name: A, port: 1}]", "6:23"),
      ("services: [{type: _a._tcp, name: '', port: 1}]", "6:38"),
      ("services: [{type: _a._tcp, name: \(String(repeating: "a", count: 64)), port: 1}]", "6:38"),
      ("services: [{type: _a._tcp, name: A, port: 65536}]", "6:47"),
      ("services: [{type: _a._tcp, name: A, port: 1, txt: [\(String(repeating: "a", count: 256))]}]", "6:56"),
      ("services: [{type: _a._tcp, name: A}]", "6:16"), ("host-name: ''", "6:16"), ("changes: [{}]", "6:15"),
      ("changes: [{remove: A, txt: {of: A}}]", "6:27"),
    ])
  func slips(keys: String, place: String) {
    let error = #expect(throws: ScenarioErrors.self) { try section(keys) }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("x.yaml:\(place): error:"), "\(text)")
  }
}
