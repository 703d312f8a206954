import RollcallExpectations
import RollcallScenarios
import Testing

/// As `ExplanationTests`, each part with as few inhabitants as it takes.
@Suite("Parts of explained scenarios") struct ExplanationLineTests {
  private func explained(_ yaml: String) throws -> String {
    try Scenario(yaml: "scenario: a\n" + yaml, file: "x.yaml").resolved().explanation
  }

  private func tail(_ yaml: String, from key: String) throws -> String {
    let whole = try explained(yaml)
    let start = try #require(whole.firstRange(of: "\n\(key):")).lowerBound
    return String(whole[start...].dropFirst())
  }

  private func lines(_ yaml: String, _ starts: [String]) throws -> [String] {
    try explained(yaml).split(separator: "\n").map { String($0.trimmingPrefix { $0 == " " }) }
      .filter { line in starts.contains { line.hasPrefix($0) } }
  }

  @Test("a segment is told with its subnet and defaults, an engine with its policies and its user")
  func engine() throws {
    try expectEqual(
      lines("engine: {mode: strict, user: {selects: [Cem]}}", ["segments:", "user:", "mode:", "byebye:"]),
      [
        "segments: {lan: {subnet: 192.168.1.0/24, ipv6: false, snooping: false, membership-timeout: 260s}}",
        "user: {invitations: ignore, invitations-after: 0s, selects: [Cem], selects-after: 0s, types-after: 0s}",
        "mode: strict", "byebye: any-part",
      ])
  }

  @Test("a search is told with its host and interface, an expectation about no device without a list of devices")
  func search() throws {
    try expectEqual(
      tail(
        """
        timeline: [{at: 1s, search: {id: 1, mx: 2s, host: 10.0.0.1:99, interface: 0}}]
        expect: [{present: {at: 2s, count: 0..3}}, {id: pool, present: {at: 3s, count: 0..4}}]
        """, from: "timeline"),
      """
      timeline:
        - id: t1
          at: 1s
          host: engine
          does: "search 1 for ssdp:all, MX 2, 3 times every 2s, asking 10.0.0.1:99, on interface 0"
      faults: []
      expect:
        - {id: e1, vacuous-ok: false, present: {at: 2s, count: 0..3}}
        - {id: pool, vacuous-ok: false, present: {at: 3s, count: 0..4}}

      """)
  }

  @Test("an expectation about one device is told with the name of the device")
  func device() throws {
    try expectEqual(
      tail("inhabitants: {tv: {kind: root-device}}\nexpect: [{found: tv}]", from: "expect"),
      "expect:\n  - {id: e1, vacuous-ok: false, found: tv, for-each: [tv]}\n")
  }

  @Test("a querier and a link are told as a fault breaks them and as they are afterwards")
  func faults() throws {
    let rule = "latency: 0s, loss: 0%, duplicate: 0%, reorder: 0%, reorder-delay: 1ms..20ms, corrupt: 0%, queue: 64KiB"
    try expectEqual(
      tail(
        """
        network: {segments: {lan: {querier: 125s}}}
        faults:
          - {at: 22s, until: 23s, querier-gone: lan}
          - {at: 24s, until: 25s, link: {who: engine, direction: inbound, mtu: 70}}
        """, from: "faults"),
      """
      faults:
        - {id: f1, at: 22s, what: querier of lan falls silent}
        - {id: f1, at: 23s, what: querier of lan asks every 125s}
        - id: f2
          at: 24s
          what: "inbound link of engine, interface 0: {\(rule), mtu: 70}"
        - {id: f2, at: 25s, what: "inbound link of engine, interface 0: as planned"}
      expect: []

      """)
  }

  @Test("members are told of several reflectors and not of one alone, the host is the one of the first member")
  func members() throws {
    try expectEqual(
      lines(
        """
        engine: {address: 192.168.1.9}
        inhabitants:
          pair: {kind: reflector, count: 2, address: 192.168.1.30}
          lone: {kind: reflector, address: 192.168.1.40}
        """, ["addresses:", "members:", "pair-", "lone: {"]),
      [
        "addresses: [192.168.1.9/24]", "addresses: [192.168.1.30/24]", "members:",
        "pair-1: {addresses: [192.168.1.30]}", "pair-2: {addresses: [192.168.1.31]}", "addresses: [192.168.1.40/24]",
      ])
  }
}
