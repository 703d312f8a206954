import RollcallExpectations
import Testing

/// Two of everything: interfaces, segments, families, faults of one host.
@Suite("Hosts, entry by entry")
struct HostTranscriptTests {
  @Test("each interface speaks to its own segment, and what is heard bears the number that the hearer gave it")
  func segments() throws {
    let transcript = try Transcript(
      """
      scenario: Two segments
      duration: 10s
      network:
        segments: {away: {}, east: {subnet: 10.0.1.0/24}, west: {subnet: 10.0.2.0/24}}
      inhabitants:
        a:
          kind: script
          interfaces: [{segment: east, address: 10.0.1.10}, {segment: west, address: 10.0.2.10}]
          lines:
            - {at: 1s, text: "east"}
            - {at: 2s, text: "west", interface: 1}
            - {at: 3s, text: "to c", to: 10.0.2.30}
            - {at: 4s, text: "to c", to: 10.0.2.30, interface: 1}
            - {at: 5s, text: "to both", to: both}
            - {at: 6s, text: "to both", to: both, interface: 1}
            - {at: 7s, text: "to both", to: 10.0.1.40}
        b: {kind: reflector, rate: 0/s, segment: east, address: 10.0.1.20}
        c: {kind: reflector, rate: 0/s, segment: west, address: 10.0.2.30}
        both:
          kind: reflector
          rate: 0/s
          interfaces: [{segment: west, address: 10.0.2.40}, {segment: east, address: 10.0.1.40}]
      """)
    expectEqual(
      transcript.heard,
      [
        "1s b east", "1s both if1 east", "2s c west", "2s both west", "4s c to c", "6s both to both",
        "7s both if1 to both",
      ])
    expectEqual(transcript.counts, "transmitted 7, delivered 7, unreachable 2")
  }

  @Test("two interfaces on one segment hear each other, and none hears itself")
  func twice() throws {
    func heard(_ rate: String) throws -> [String] {
      try Transcript(
        """
        scenario: Two interfaces, one segment
        duration: 10s
        network: {segments: {away: {}, lan: {}}}
        inhabitants:
          a: {kind: script, segment: lan, lines: [{at: 1s, text: "m"}, {at: 2s, text: "n", to: 192.168.2.21}]}
          twice:
            kind: reflector
            rate: \(rate)
            interfaces: [{segment: lan, address: 192.168.2.20}, {segment: lan, address: 192.168.2.21}]
          b: {kind: reflector, rate: 0/s, segment: lan}
        """
      ).heard
    }
    let first = ["1s twice m", "1s twice if1 m", "1s b m"]
    let second = ["1s twice if1 m", "1s b m"]
    try expectEqual(heard("0/s"), first + ["2s twice if1 n"])
    try expectEqual(heard("1/s"), first + second + ["2s twice if1 n"])
    try expectEqual(heard("2/s"), first + second + ["1s twice m", "1s b m", "2s twice if1 n"])
  }

  @Test("a group is heard by who joined it: of either family, and of no other group")
  func families() throws {
    let transcript = try Transcript(
      """
      scenario: Two families
      duration: 10s
      network: {segments: {away: {}, lan: {ipv6: true}}}
      inhabitants:
        a:
          kind: script
          segment: lan
          lines:
            - {at: 1s, text: "four"}
            - {at: 2s, text: "six", to: "ff02::c"}
            - {at: 3s, text: "site", to: "ff05::c"}
            - {at: 4s, text: "other", to: 239.255.255.251}
            - {at: 5s, text: "broadcast", to: 255.255.255.255}
            - {at: 6s, text: "to c", to: "fe80::c"}
        b: {kind: reflector, rate: 0/s, segment: lan, ipv6: false}
        c: {kind: reflector, rate: 0/s, segment: lan, address: "fe80::c"}
        d: {kind: reflector, rate: 0/s, segment: lan}
      """)
    expectEqual(transcript.heard, ["1s b four", "1s d four", "2s c six", "2s d six", "6s c to c"])
    expectEqual(transcript.counts, "transmitted 6, delivered 5")
  }

  @Test("a fault breaks one interface or one direction, and mends what it broke")
  func faults() throws {
    func heard(_ fault: String) throws -> [String] {
      let lines = [500, 1_500, 2_500, 3_500].map {
        "{at: \($0)ms, text: \"e\"}, {at: \($0)ms, text: \"w\", interface: 1}"
      }
      return try Transcript(
        """
        scenario: Faults
        duration: 10s
        network: {segments: {away: {}, east: {}, west: {}}}
        inhabitants:
          a: {kind: script, interfaces: [{segment: east}, {segment: west}], lines: [\(lines.joined(separator: ", "))]}
          b:
            kind: reflector
            rate: 0/s
            interfaces: [{segment: east, address: 192.168.2.20}, {segment: west, address: 192.168.3.20}]
        faults: [\(fault)]
        """
      ).heard.filter { !$0.contains(" a ") }
    }
    let (e, w) = ("b e", "b if1 w")
    let cases: [(fault: String, heard: [String])] = [
      (
        "{at: 1s, until: 3s, interface-down: {who: b, interface: 1}}",
        ["1s b interface 1 down", "1500ms \(e)", "2500ms \(e)", "3s b interface 1 up 192.168.3.20/24"]
      ),
      (
        "{at: 1s, until: 3s, interface-down: {who: b}}",
        ["1s b interface 0 down", "1500ms \(w)", "2500ms \(w)", "3s b interface 0 up 192.168.2.20/24"]
      ),
      ("{at: 1s, until: 3s, interface-down: {who: a, interface: 1}}", ["1500ms \(e)", "2500ms \(e)"]),
      (
        "{at: 1s, until: 3s, link: {who: b, interface: 1, direction: inbound, loss: 100%}}",
        ["1500ms \(e)", "2500ms \(e)"]
      ),
      ("{at: 1s, until: 3s, link: {who: a, direction: outbound, loss: 100%}}", ["1500ms \(w)", "2500ms \(w)"]),
      (
        "{at: 1s, until: 3s, link: {who: a, direction: inbound, loss: 100%}}",
        ["1500ms \(e)", "1500ms \(w)", "2500ms \(e)", "2500ms \(w)"]
      ),
      (
        "{at: 1s, until: 2s, link: {who: b, loss: 100%}}, {at: 2s, until: 3s, link: {who: b, interface: 1, loss: 100%}}",
        ["1500ms \(w)", "2500ms \(e)"]
      ),
    ]
    for one in cases {
      let whole = ["500ms \(e)", "500ms \(w)"] + one.heard + ["3500ms \(e)", "3500ms \(w)"]
      try expectEqual(heard(one.fault), whole, "\(one.fault)")
    }
  }

  @Test("partitions overlap, each ends for itself, and one way is not the other")
  func partitions() throws {
    func heard(_ faults: String) throws -> [String] {
      let times = [500, 1_500, 2_500, 3_500, 4_500]
      let group = times.map { "{at: \($0)ms, text: \"m\"}" }.joined(separator: ", ")
      let direct = times.map { "{at: \($0)ms, text: \"u\", to: b-2}" }.joined(separator: ", ")
      return try Transcript(
        """
        scenario: Partitions
        duration: 10s
        network: {segments: {away: {}, lan: {}}, link: {latency: 1ms}}
        inhabitants:
          a: {kind: script, segment: lan, lines: [\(group)]}
          z: {kind: script, segment: lan, lines: [\(direct)]}
          b: {kind: reflector, rate: 0/s, segment: lan, count: 2}
          c: {kind: reflector, rate: 0/s, segment: lan}
        faults: [\(faults)]
        """
      ).heard
    }
    func at(_ time: Int, _ lines: [String]) -> [String] { lines.map { "\(time)ms \($0)" } }
    let (u, m1, m2, c) = ("b-2 u", "b-1 m", "b-2 m", "c m")
    // Each in the order in which it came to the switch.
    let all = [m1, m2, c, u]
    // What is heard at 1.5, 2.5, 3.5 and 4.5 s.
    let cases: [(faults: String, heard: [[String]])] = [
      (
        "{at: 1s, until: 3s, partition: {from: [a], to: [b]}}, {at: 2s, until: 4s, partition: {from: [a], to: [b-2, c]}}",
        [[c, u], [u], [m1, u], all]
      ),
      ("{at: 1s, until: 3s, partition: {from: [b-2], to: [z, a], both: false}}", [all, all, all, all]),
      ("{at: 1s, until: 3s, partition: {from: [b-2], to: [z, a]}}", [[m1, c], [m1, c], all, all]),
      (
        "{at: 1s, partition: {from: [a, z], to: [b-1, b-2], both: false}}, "
          + "{at: 2s, until: 3s, partition: {from: [c], to: [a]}}", [[c], [], [c], [c]]
      ),
    ]
    for one in cases {
      let times = [1_502, 2_502, 3_502, 4_502]
      let whole = at(502, all) + zip(times, one.heard).flatMap { at($0, $1) }
      try expectEqual(heard(one.faults), whole, "\(one.faults)")
    }
  }

  @Test(
    "where faults of one place overlap, the one that began last holds; after it, the latest that is still active",
    arguments: [
      // The second stands until the network heals.
      ("{at: 1s, until: 3s, X}, {at: 2s, X}", [500, 5_500]),
      ("{at: 1s, X}, {at: 2s, until: 3s, X}", [500, 5_500]),
      // One ends when the other begins, whatever their order in the document.
      ("{at: 1s, until: 2s, X}, {at: 2s, until: 4s, X}", [500, 4_500, 5_500]),
      ("{at: 2s, until: 4s, X}, {at: 1s, until: 2s, X}", [500, 4_500, 5_500]),
      // Two that begin or end together.
      ("{at: 1s, until: 2s, X}, {at: 1s, until: 3s, X}", [500, 3_500, 4_500, 5_500]),
      ("{at: 1s, until: 4s, X}, {at: 2s, until: 4s, X}", [500, 4_500, 5_500]),
    ])
  func overlapping(faults: String, times: [Int]) throws {
    for kind in ["link: {who: b, loss: 100%}", "interface-down: {who: b}"] {
      let lines = [500, 1_500, 2_500, 3_500, 4_500, 5_500].map { "{at: \($0)ms, text: \"m\"}" }
      let transcript = try Transcript(
        """
        scenario: Overlapping faults
        duration: 10s
        heal: 5s
        network: {link: {latency: 0ms}}
        inhabitants:
          a: {kind: script, lines: [\(lines.joined(separator: ", "))]}
          b: {kind: reflector, rate: 0/s}
        faults: [\(faults.replacing("X", with: kind))]
        """)
      expectEqual(transcript.heard.filter { $0.hasSuffix("b m") }, times.map { "\($0)ms b m" }, "\(faults) \(kind)")
    }
  }

  @Test(
    "a unicast is subject to partitions and to the inbound link at the moment it reaches the switch, as a multicast is")
  func atTheSwitch() throws {
    for (fault, heard) in [
      ("partition: {from: [a], to: [b]}", []), ("link: {who: b, direction: inbound, loss: 100%}", []),
      ("link: {who: b, direction: outbound, loss: 100%}", ["100ms b m", "100ms b u"]),
    ] as [(String, [String])] {
      let transcript = try Transcript(
        """
        scenario: A fault while datagrams are on their way to the switch
        duration: 10s
        inhabitants:
          a:
            kind: script
            link: {outbound: {latency: 100ms}}
            lines: [{at: 0s, text: "m"}, {at: 0s, text: "u", to: b}]
          b: {kind: reflector, rate: 0/s}
        faults: [{at: 50ms, \(fault)}]
        """)
      expectEqual(transcript.heard.filter { !$0.contains("interface") }, heard, "\(fault)")
    }
  }

  @Test("the second act mends whatever harms a datagram, and keeps what is only slow or was never up")
  func heal() throws {
    let bad = "duplicate: 100%, reorder: 100%, reorder-delay: 5ms..5ms, corrupt: 100%, multicast-loss: 100%"
    let transcript = try Transcript(
      """
      scenario: Healed
      duration: 10s
      heal: 3s
      network: {segments: {lan: {}, away: {}}, link: {latency: 1ms}}
      engine: {segment: away}
      inhabitants:
        a:
          kind: script
          refuses-multicast-sends: true
          link: {outbound: {\(bad)}}
          lines: [{at: 2s, text: "mm"}, {at: 4s, text: "m"}, {at: 5s, text: "u", to: b}]
        b: {kind: reflector, rate: 0/s, link: {inbound: {\(bad), loss: 100%}}}
        c: {kind: reflector, rate: 0/s, refuses-joins: true}
        d: {kind: reflector, rate: 0/s, interfaces: [{up: false}]}
        e: {kind: reflector, rate: 0/s, address: 192.168.1.14}
        f: {kind: reflector, rate: 0/s}
        g: {kind: reflector, rate: 0/s, interfaces: [{up: false, address: 192.168.1.16}]}
      timeline:
        - {at: 3500ms, appear: c}
      faults:
        - {at: 1s, interface-down: {who: e}}
        - {at: 1s, partition: {from: [a], to: [f]}}
        - {at: 1s, until: 2s, interface-down: {who: g}}
      """)
    expectEqual(
      transcript.heard,
      [
        "1s e interface 0 down", "2s g interface 0 up 192.168.1.16/24",
        "2s a refused send if0 239.255.255.250 port 1900", "3s e interface 0 up 192.168.1.14/24", "4002ms b m",
        "4002ms f m", "4002ms g m", "4002ms e m", "4002ms c m", "5002ms b u",
      ])
    expectEqual(transcript.counts, "transmitted 2, delivered 6")
  }

  @Test("a system refuses what it is asked for while it does, names it, and keeps what was granted before")
  func refusals() throws {
    let transcript = try Transcript(
      """
      scenario: Refused
      duration: 10s
      network: {segments: {lan: {}, away: {}}}
      engine: {segment: away}
      inhabitants:
        a:
          kind: script
          interfaces: [{address: 192.168.1.10}, {address: 192.168.1.20}]
          lines:
            - {at: 500ms, text: "m"}
            - {at: 1s, text: "m", interface: 1, source-port: 5000}
            - {at: 1500ms, text: "b", to: 255.255.255.255}
            - {at: 1500ms, text: "u", to: c}
            - {at: 2s, text: "m"}
        b: {kind: reflector, rate: 0/s, interfaces: [{}, {}], appear: 3s}
        c: {kind: reflector, rate: 0/s}
      timeline:
        - {at: 1700ms, appear: c}
      faults:
        - {at: 1s, until: 2s, refuse-multicast-sends: a}
        - {at: 1s, until: 5s, refuse-joins: b}
        - {at: 1s, until: 5s, refuse-joins: c}
      """)
    expectEqual(
      transcript.heard,
      [
        "500ms c m", "1s a refused send if1 239.255.255.250 port 5000",
        "1500ms a refused send if0 255.255.255.255 port 1900", "1500ms c u", "2s c m",
        "3s b refused join if0 239.255.255.250 port 1900", "3s b refused join if1 239.255.255.250 port 1900",
      ])
    expectEqual(transcript.counts, "transmitted 3, delivered 3")
  }
}
