import RollcallExpectations
import RollcallScenarios
import Testing

/// What `rollcall explain FILE` says of the course of a run.
@Suite("Explained scenarios") struct ExplanationTests {
  private static let world = """
    scenario: a
    duration: 100s
    network:
      segments: {lan: {querier: 125s}, far: {}}
    inhabitants:
      tv: {kind: root-device, profile: camera}
      pair: {kind: root-device, count: 2}
      echo: {kind: script, lines: [{hex: 00}], segment: far}

    """

  /// The explanation from this key on; of a link rule its MTU alone.
  private func explained(_ yaml: String, from key: String) throws -> String {
    let whole = try Scenario(yaml: Self.world + yaml, file: "x.yaml").resolved().explanation
    let start = try #require(whole.firstRange(of: "\n\(key):")).lowerBound
    return String(whole[start...].dropFirst()).replacing(
      "latency: 0s, loss: 0%, duplicate: 0%, reorder: 0%, reorder-delay: 1ms..20ms, corrupt: 0%, queue: 64KiB, ",
      with: "… ")
  }

  /// Lines of the explanation that begin with one of these, without their margin.
  private func lines(_ yaml: String, _ starts: [String]) throws -> [String] {
    try Scenario(yaml: "scenario: a\n" + yaml, file: "x.yaml").resolved().explanation.split(separator: "\n")
      .map { String($0.trimmingPrefix { $0 == " " }) }.filter { line in starts.contains { line.hasPrefix($0) } }
  }

  @Test("the course of the run stands first: seeds, end, healing, convergence and budget")
  func head() throws {
    func head(_ yaml: String) throws -> String {
      let whole = try Scenario(yaml: Self.world + yaml, file: "x.yaml").resolved().explanation
      let segments = try #require(whole.firstRange(of: "segments:"))
      return String(whole[..<segments.lowerBound])
    }
    try expectEqual(
      head("seeds: 3..4\nheal: 40s\nconverge: 10s\nbudget: {events: 5, entries: 6}"),
      """
      scenario: a
      seeds: 3..4
      duration: 100s
      heal: 40s
      converged-from: 50s
      budget: {events: 5, entries: 6}

      """)
    try expectEqual(
      head("seed: 7\nheal: 40s"),
      """
      scenario: a
      seeds: 7
      duration: 100s
      heal: 40s
      budget: {events: 10000000, entries: 10000000}

      """)
  }

  @Test("of each host its clock, its buffer and its refusals are told, also of a program beside another one")
  func hosts() throws {
    let yaml = """
      engine: {refuses-joins: true, clock-drift: 5ppm}
      inhabitants:
        a:
          kind: reflector
          clock-drift: -7ppm
          refuses-multicast-sends: true
          receive-buffer: {bytes: 1KiB, per-datagram: 1ms}
        b: {kind: reflector, count: 2, refuses-joins: true, refuses-multicast-sends: true}
        c: {kind: reflector, beside: a, refuses-joins: true}
      """
    try expectEqual(
      lines(yaml, ["clock-drift:", "receive-buffer:", "refuses-"]),
      [
        "clock-drift: 5ppm", "refuses-joins: true", "refuses-multicast-sends: false",
        "clock-drift: \"-7ppm\"", "receive-buffer: {bytes: 1KiB, per-datagram: 1ms}", "refuses-joins: false",
        "refuses-multicast-sends: true",
        "clock-drift: 0ppm", "refuses-joins: true", "refuses-multicast-sends: true",
        "clock-drift: \"-7ppm\"", "refuses-joins: true", "refuses-multicast-sends: false",
      ])
  }

  @Test("each member is told with its addresses and with the services or the device that are its own")
  func members() throws {
    let yaml = """
      inhabitants:
        tv: {kind: root-device, address: 192.168.1.19, uuid: 2fac1234-31f8-41b4-a222-08002b34c003}
        nas:
          kind: mdns-responder
          address: 192.168.1.20
          services: [{type: _http._tcp, name: Box, port: 80}, {type: _smb._tcp, name: Box, port: 445}]
        printer:
          kind: mdns-responder
          address: 192.168.1.22
          services: [{type: _ipp._tcp, name: P, port: 631}]
        pair: {kind: reflector, count: 2, address: 192.168.1.30}
        mute: {kind: mdns-responder, address: 192.168.1.40}
      """
    try expectEqual(
      lines(yaml, ["tv: {", "nas: {", "printer: {", "pair-", "mute: {"]),
      [
        "tv: {addresses: [192.168.1.19], device: uuid:2fac1234-31f8-41b4-a222-08002b34c003}",
        "nas: {addresses: [192.168.1.20], services: [peer:Box._http._tcp.local, peer:Box._smb._tcp.local]}",
        "printer: {addresses: [192.168.1.22], services: [peer:P._ipp._tcp.local]}",
        "pair-1: {addresses: [192.168.1.30]}", "pair-2: {addresses: [192.168.1.31]}",
        "mute: {addresses: [192.168.1.40]}",
      ])
  }

  @Test("a radio is told with each end of its walks and with the times at which it is switched")
  func radio() throws {
    let yaml = """
      inhabitants: {tag: {kind: peripheral}}
      timeline:
        - {at: 5s, walk: {who: tag, to: {east: 3m}, over: 2s}}
        - {at: 1s, walk: {who: tag, to: {}, over: 1s}}
      faults: [{at: 1s, until: 2s, radio-off: tag}]
      """
    try expectEqual(
      lines(yaml, ["- {at: 1s, to:", "- {at: 5s, to:", "switches: [o"]),
      [
        "- {at: 1s, to: {east: 0m, north: 0m, up: 0m}, over: 1s}",
        "- {at: 5s, to: {east: 3m, north: 0m, up: 0m}, over: 2s}", "switches: [off at 1s, on at 2s]",
      ])
  }

  @Test("each deed of the timeline is told in order of time, once for each host that it is about")
  func timeline() throws {
    let yaml = """
      timeline:
        - {at: 1s, search: {}}
        - {at: 1s, search: {id: 1, mx: 2s, host: 10.0.0.1:99, interface: 0}}
        - {at: 900ms, search: {}}
        - {at: 3s, stop-search: 1}
        - {at: 4s, hold: pair}
        - {at: 5s, release: pair-2}
        - {at: 6s, crash: {who: pair-1, down-for: 2s}}
        - {at: 6s, crash: {who: tv, down-for: 3s, keeps-state: false}}
        - {at: 7s, move: {who: tv, to: 192.168.1.77, interface: 0}}
        - {at: 8s, send: {who: echo, script: 3}}
        - {at: 9s, relocate: {who: pair, port: 8}}
        - {at: 10s, id: up, appear: tv}
        - {at: 11s, leave: tv}
        - {at: 12s, vanish: tv}
        - {at: 13s, reboot: tv}
        - {at: 14s, update: tv}
        - {at: 15s, reconfigure: tv}
        - {at: 16s, stop: engine}
      """
    try expectEqual(
      explained(yaml, from: "timeline"),
      """
      timeline:
        - {id: t3, at: 900ms, host: engine, does: "search 3 for ssdp:all, MX 3, 3 times every 3s"}
        - {id: t1, at: 1s, host: engine, does: "search 2 for ssdp:all, MX 3, 3 times every 3s"}
        - id: t2
          at: 1s
          host: engine
          does: "search 1 for ssdp:all, MX 2, 3 times every 2s, asking 10.0.0.1:99, on interface 0"
        - {id: t4, at: 3s, host: engine, does: stop search 1}
        - {id: t5, at: 4s, host: engine, does: hold uuid:246d5734-0036-4cd9-ab08-dce84f932702}
        - {id: t5, at: 4s, host: engine, does: hold uuid:dee3e89d-4529-4464-9ef9-9f6a68bd602b}
        - {id: t6, at: 5s, host: engine, does: release uuid:dee3e89d-4529-4464-9ef9-9f6a68bd602b}
        - {id: t7, at: 6s, host: pair-1, does: "crash for 2s, state kept"}
        - {id: t8, at: 6s, host: tv, does: "crash for 3s, state lost"}
        - {id: t9, at: 7s, host: tv, does: move interface 0 to 192.168.1.77}
        - {id: t10, at: 8s, host: echo, does: send message 3}
        - {id: t11, at: 9s, host: pair-1, does: relocate to port 8}
        - {id: t11, at: 9s, host: pair-2, does: relocate to port 8}
        - {id: up, at: 10s, host: tv, does: appear}
        - {id: t13, at: 11s, host: tv, does: leave}
        - {id: t14, at: 12s, host: tv, does: vanish}
        - {id: t15, at: 13s, host: tv, does: reboot}
        - {id: t16, at: 14s, host: tv, does: update}
        - {id: t17, at: 15s, host: tv, does: reconfigure}
        - {id: t18, at: 16s, host: engine, does: stop}
      faults: []
      expect: []

      """)
  }

  @Test("each fault is told where it breaks and mends, and where another goes on there, what is in force then")
  func faults() throws {
    let yaml = """
      faults:
        - {at: 20s, until: 30s, partition: {from: [engine], to: [pair]}}
        - {at: 20s, until: 29s, partition: {from: [tv], to: [echo], both: false}}
        - {at: 21s, until: 22s, interface-down: {who: each}}
        - {at: 22s, until: 23s, querier-gone: lan}
        - {at: 23s, id: jam, until: 24500ms, link: {who: tv, direction: outbound, mtu: 68}}
        - {at: 24s, until: 25s, link: {who: tv, mtu: 69}}
        - {at: 24s, until: 25s, link: {who: pair-2, direction: inbound, mtu: 70}}
        - {at: 25s, until: 26s, refuse-joins: engine}
        - {at: 25s, refuse-multicast-sends: tv}
        - {at: 26s, until: 40s, refuse-multicast-sends: pair-1}
      heal: 40s
      """
    try expectEqual(
      explained(yaml, from: "faults"),
      """
      faults:
        - {id: f1, at: 20s, what: partition 0 from (engine) to (pair-1 pair-2)}
        - {id: f1, at: 20s, what: partition 1 from (pair-1 pair-2) to (engine)}
        - {id: f2, at: 20s, what: partition 2 from (tv) to (echo)}
        - {id: f3, at: 21s, what: interface 0 of tv goes down}
        - {id: f3, at: 21s, what: interface 0 of pair-1 goes down}
        - {id: f3, at: 21s, what: interface 0 of pair-2 goes down}
        - {id: f3, at: 21s, what: interface 0 of echo goes down}
        - {id: f3, at: 22s, what: interface 0 of tv comes up}
        - {id: f3, at: 22s, what: interface 0 of pair-1 comes up}
        - {id: f3, at: 22s, what: interface 0 of pair-2 comes up}
        - {id: f3, at: 22s, what: interface 0 of echo comes up}
        - {id: f4, at: 22s, what: querier of lan falls silent}
        - {id: f4, at: 23s, what: querier of lan asks every 125s}
        - id: jam
          at: 23s
          what: "outbound link of tv, interface 0: {… mtu: 68}"
        - id: f6
          at: 24s
          what: "outbound link of tv, interface 0: {… mtu: 69}"
        - id: f6
          at: 24s
          what: "inbound link of tv, interface 0: {… mtu: 69}"
        - id: f7
          at: 24s
          what: "inbound link of pair-2, interface 0: {… mtu: 70}"
        - id: jam
          at: 24500ms
          what: "outbound link of tv, interface 0: {… mtu: 69}"
        - {id: f6, at: 25s, what: "outbound link of tv, interface 0: as planned"}
        - {id: f6, at: 25s, what: "inbound link of tv, interface 0: as planned"}
        - {id: f7, at: 25s, what: "inbound link of pair-2, interface 0: as planned"}
        - {id: f8, at: 25s, what: engine refuses joins}
        - {id: f9, at: 25s, what: tv refuses multicast sends}
        - {id: f8, at: 26s, what: engine allows joins}
        - {id: f10, at: 26s, what: pair-1 refuses multicast sends}
        - {id: f2, at: 29s, what: partition 2 mends}
        - {id: f1, at: 30s, what: partition 0 mends}
        - {id: f1, at: 30s, what: partition 1 mends}
        - {id: f10, at: 40s, what: pair-1 allows multicast sends}
        - {id: heal, at: 40s, what: everything heals}
      expect: []

      """)
  }

  @Test("each expectation is told with its id and with the devices that it is about one by one")
  func expectations() throws {
    let yaml = """
      timeline: [{at: 1s, id: ask, search: {}}]
      faults: [{at: 20s, id: jam, until: 30s, refuse-joins: engine}]
      vacuous-ok: [e2]
      expect:
        - {found: tv}
        - {lost: each, cause: evicted, within: 1s..2s, times: 2}
        - {id: pool, changed: {any-of: [tv, pair-2]}, at: 3s}
        - {never: {found: pair}, after: {mended: jam, within: 1s..2s}}
        - {share: {found: {each-of: [tv, pair-1]}, at-most: 9%}, after: {timeline: ask, within: 3s}}
        - {present: {at: 3s, count: 0..4}}
        - {search-ended: {}, after: {fault: jam, within: 4s}}
      """
    try expectEqual(
      explained(yaml, from: "expect"),
      """
      expect:
        - {id: e1, vacuous-ok: false, found: tv, for-each: [tv]}
        - id: e2
          vacuous-ok: true
          lost: each
          cause: evicted
          within: 1s..2s
          times: 2
          for-each: [tv, pair-1, pair-2]
        - id: pool
          vacuous-ok: false
          changed: {any-of: [tv, pair-2]}
          at: 3s
        - id: e4
          vacuous-ok: false
          never: {found: pair}
          after: {mended: jam, within: 1s..2s}
          for-each: [pair-1, pair-2]
        - id: e5
          vacuous-ok: false
          share:
            found: {each-of: [tv, pair-1]}
            at-most: 9%
          after: {timeline: ask, within: 3s}
          for-each: [tv, pair-1]
        - {id: e6, vacuous-ok: false, present: {at: 3s, count: 0..4}}
        - {id: e7, vacuous-ok: false, search-ended: {}, after: {fault: jam, within: 4s}}

      """)
  }
}
