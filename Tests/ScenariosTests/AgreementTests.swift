import RollcallExpectations
import RollcallScenarios
import Testing

/// Parts that are well formed each and do not go together: all complaints, each with its place.
@Suite("Parts of a scenario that do not agree") struct AgreementTests {
  /// `line:column: message` of each complaint about a document whose first line is a title.
  private func complaints(_ rest: String) -> [String] {
    do {
      _ = try Scenario(yaml: "scenario: a\n" + rest, file: "x.yaml")
      return []
    } catch {
      return error.errors.map { "\($0.line):\($0.column): \($0.message)" }
    }
  }

  private func check(_ table: [(rest: String, complaints: [String])]) {
    for row in table { expectEqual(complaints(row.rest), row.complaints, "\(row.rest)") }
  }

  @Test("an id stands for one entry, also the one that an entry without id has by its number")
  func ids() {
    check([
      (
        "timeline: [{at: 1s, id: t2, stop: engine}, {at: 2s, stop: engine}]",
        ["2:44: id 't2' twice in the timeline (at timeline[1])"]
      ),
      (
        "timeline: [{at: 1s, id: a, stop: engine}, {at: 2s, id: a, stop: engine}]",
        ["2:56: id 'a' twice in the timeline (at timeline[1].id)"]
      ),
      ("timeline: [{at: 1s, id: t1, stop: engine}, {at: 2s, id: t3, stop: engine}]", []),
      (
        "faults: [{at: 1s, id: f2, refuse-joins: engine}, {at: 2s, refuse-joins: engine}]",
        ["2:50: id 'f2' twice in the faults (at faults[1])"]
      ),
      (
        "faults: [{at: 1s, id: a, refuse-joins: engine}, {at: 2s, id: a, refuse-joins: engine}]",
        ["2:62: id 'a' twice in the faults (at faults[1].id)"]
      ),
      ("expect: [{id: e2, found: any}, {found: any}]", ["2:32: id 'e2' twice in expect (at expect[1])"]),
      ("expect: [{id: a, found: any}, {id: a, found: any}]", ["2:36: id 'a' twice in expect (at expect[1].id)"]),
      (
        "timeline: [{at: 1s, search: {id: 7}}, {at: 2s, search: {id: 7}}]",
        ["2:61: search 7 twice: a search is single-use (at timeline[1].search.id)"]
      ),
      (
        """
        expect:
          - {found: any, after: {timeline: t1, within: 1s}}
          - {found: any, after: {fault: f1, within: 1s}}
          - {found: any, after: {mended: f1, within: 1s}}
        """,
        [
          "3:36: unknown entry 't1' (at expect[0].after.timeline)",
          "4:33: unknown fault 'f1' (at expect[1].after.fault)",
          "5:34: unknown fault 'f1' (at expect[2].after.mended)",
        ]
      ),
    ])
  }

  @Test("a name is that of an inhabitant or of one of its members, of a kind that can do what is asked")
  func names() {
    let town = "inhabitants: {tv: {kind: root-device, count: 2}, echo: {kind: reflector}}\n"
    let cast = "inhabitants: {p: {kind: control-point}, s: {kind: script, lines: []}}\n"
    let known = "known are tv, echo"
    // One on a LAN, and one on the air alone.
    let air = "inhabitants: {tv: {kind: root-device}, tag: {kind: peripheral}}\n"
    let managed = "timeline: [{at: 1s, connect-device: radio}, {at: 1s, launch: {who: radio, app: X}}]"
    let requests = "timeline: [{at: 1s, connect: tag}, {at: 2s, read: {who: tag, characteristic: 2A19}}]"
    check([
      (
        """
        \(town)timeline:
          - {at: 1s, leave: tv-0}
          - {at: 1s, leave: tv-3}
          - {at: 1s, leave: tv-02}
          - {at: 1s, leave: tv-2}
        """,
        [
          "4:21: unknown inhabitant 'tv-0'; \(known) (at timeline[0].leave)",
          "5:21: unknown inhabitant 'tv-3'; \(known) (at timeline[1].leave)",
          "6:21: unknown inhabitant 'tv-02'; \(known) (at timeline[2].leave)",
        ]
      ),
      (
        "\(town)timeline: [{at: 1s, leave: each}, {at: 1s, leave: echo-1}]",
        [
          "3:28: unknown inhabitant 'each', did you mean 'echo'? (at timeline[0].leave)",
          "3:51: unknown inhabitant 'echo-1', did you mean 'echo'? (at timeline[1].leave)",
        ]
      ),
      (
        """
        \(town)timeline:
          - {at: 1s, search: {host: tv}}
          - {at: 2s, search: {host: tv-2}}
          - {at: 3s, search: {host: echo}}
        """,
        ["4:29: 'tv' is 2 hosts: name one, such as tv-1 (at timeline[0].search.host)"]
      ),
      (
        """
        \(town)timeline:
          - {at: 1s, move: {who: tv, to: 10.0.0.9}}
          - {at: 1s, move: {who: tv-1, to: 10.0.0.9, interface: 0}}
          - {at: 1s, move: {who: tv-1, to: 10.0.0.9, interface: 1}}
        """,
        [
          "4:26: 'tv' is 2 hosts: name one, such as tv-1 (at timeline[0].move.who)",
          "6:57: 'tv-1' has no interface 1 (at timeline[2].move.interface)",
        ]
      ),
      (
        """
        \(town)timeline:
          - {at: 1s, move: {who: engine, to: 10.0.0.9}}
          - {at: 1s, move: {who: engine, to: 10.0.0.9, interface: 1}}
          - {at: 1s, leave: engine}
        """,
        [
          "5:59: 'engine' has no interface 1 (at timeline[1].move.interface)",
          "6:21: unknown inhabitant 'engine'; \(known) (at timeline[2].leave)",
        ]
      ),
      (
        "timeline: [{at: 1s, search: {interface: 0}}, {at: 2s, search: {interface: 1}}]",
        ["2:75: 'engine' has no interface 1 (at timeline[1].search.interface)"]
      ),
      (
        "\(town)timeline: [{at: 1s, hold: echo}, {at: 1s, release: engine}]",
        [
          "3:27: 'echo' is no root device (at timeline[0].hold)",
          "3:52: unknown inhabitant 'engine'; \(known) (at timeline[1].release)",
        ]
      ),
      (
        "\(town)timeline: [{at: 1s, send: {who: tv}}, {at: 1s, send: {who: echo}}, {at: 1s, update: echo}]",
        [
          "3:33: 'tv' is a root-device: it cannot send (at timeline[0].send.who)",
          "3:60: 'echo' is a reflector: it cannot send (at timeline[1].send.who)",
          "3:85: 'echo' is a reflector: it cannot update (at timeline[2].update)",
        ]
      ),
      (
        """
        \(cast)timeline:
          - {at: 1s, crash: {who: p, down-for: 1s}}
          - {at: 1s, send: {who: p}}
          - {at: 1s, send: {who: s}}
        """, []
      ),
      (
        "\(cast)timeline: [{at: 1s, crash: {who: s, down-for: 1s}}, {at: 1s, reconfigure: p}, {at: 1s, vanish: s}]",
        [
          "3:34: 's' is a script: it cannot crash (at timeline[0].crash.who)",
          "3:75: 'p' is a control-point: it cannot reconfigure (at timeline[1].reconfigure)",
        ]
      ),
      (
        "\(town)faults: [{at: 1s, partition: {from: [engine, each], to: [tv-2, tv-9]}}]",
        ["3:57: unknown inhabitant 'tv-9'; known are engine, each, tv, echo (at faults[0].partition.to)"]
      ),
      (
        "\(town)faults: [{at: 1s, link: {who: tw}}]",
        ["3:31: unknown inhabitant 'tw', did you mean 'tv'? (at faults[0].link.who)"]
      ),
      (
        "engine: {manager: {}}\n\(town)\(managed)",
        [
          "4:37: unknown inhabitant 'radio'; \(known) (at timeline[0].connect-device)",
          "4:68: unknown inhabitant 'radio'; \(known) (at timeline[1].launch.who)",
        ]
      ),
      (
        "inhabitants: {tag: {kind: peripheral, rotates: 1m}}\n\(requests)",
        [
          "3:30: 'tag' changes its address: nobody can connect to it by name (at timeline[0].connect)",
          "3:57: 'tag' changes its address: nobody can connect to it by name (at timeline[1].read.who)",
        ]
      ),
      (
        "\(town)faults: [{at: 1s, link: {who: each, interface: 1}}, {at: 1s, interface-down: {who: any}}]",
        [
          "3:48: 'each' has no interface 1 (at faults[0].link.interface)",
          "3:84: unknown inhabitant 'any'; known are engine, each, tv, echo (at faults[1].interface-down.who)",
        ]
      ),
      (
        "\(air)faults: [{at: 1s, link: {who: each, loss: 50%}}, {at: 1s, interface-down: {who: tag, interface: 0}}]",
        ["3:97: 'tag' has no interface 0 (at faults[1].interface-down.interface)"]
      ),
      ("\(air)faults: [{at: 1s, link: {who: each, loss: 50%}}, {at: 1s, interface-down: {who: each}}]", []),
      ("\(town)bites: echo.noRenewal", ["3:8: 'echo' is no root device (at bites)"]),
      ("\(town)bites: tv-2.noRenewal", []),
      (
        "\(town)bites: noRenewal",
        [
          "3:8: expected engine.<switch>, manager.<profile>, peers.<fault> or <inhabitant>.<quirk>, found 'noRenewal' (at bites)"
        ]
      ),
      (
        "inhabitants: {each: {kind: reflector}, any: {kind: reflector}}",
        [
          "2:21: 'each' is a name with a meaning (at inhabitants.each)",
          "2:45: 'any' is a name with a meaning (at inhabitants.any)",
        ]
      ),
    ])
  }

  @Test("what another inhabitant or an expectation names is there, and a root device where it has to be one")
  func references() {
    check([
      (
        """
        inhabitants:
          s: {kind: byebye-spoofer, victims: [s]}
          f: {kind: flooder, sends: response, to: x}
          p: {kind: control-point, host: y}
          r: {kind: responder, unsolicited: [{to: z, target: a, every: 1s}]}
          q: {kind: recorded, says: [{at: [0s], to: w, lines: []}]}
        """,
        [
          "3:38: 's' is no root device (at inhabitants.s.victims)",
          "4:43: unknown inhabitant 'x'; known are engine, s, f, p, r, q (at inhabitants.f.to)",
          "5:34: unknown inhabitant 'y'; known are engine, s, f, p, r, q (at inhabitants.p.host)",
          "6:37: unknown inhabitant 'z'; known are engine, s, f, p, r, q (at inhabitants.r.unsolicited)",
          "7:29: unknown inhabitant 'w'; known are engine, s, f, p, r, q (at inhabitants.q.says)",
        ]
      ),
      (
        """
        inhabitants:
          r:
            kind: recorded
            sets: {all: []}
            says: [{at: [0s], set: al, lines: []}]
            answers: [{to: x, set: some, replies: [], lines: []}, {to: x, set: all, replies: [], lines: []}]
        """,
        [
          "6:28: unknown set 'al', did you mean 'all'? (at inhabitants.r.says[0].set)",
          "7:28: unknown set 'some'; known are all (at inhabitants.r.answers[0].set)",
        ]
      ),
      (
        """
        inhabitants: {tv: {kind: root-device, count: 2}, echo: {kind: reflector}}
        expect:
          - {found: echo}
          - {lost: {each-of: [tv, tw]}}
          - {changed: {any-of: [echo]}}
          - {service: {of: echo}}
          - {service: {search: 1}}
          - {search-ended: {search: 1}}
          - {never: {found: echo}}
          - {share: {found: echo, at-least: 1%}}
          - {present: {at: 1s, devices: [echo]}}
          - {distribution: {of: response-delay, from: echo, search: 4, range: 0s..1s}}
        """,
        [
          "4:13: 'echo' is no root device, no peripheral and no host with services (at expect[0].found)",
          "5:12: unknown inhabitant 'tw', did you mean 'tv'? (at expect[1].lost)",
          "6:15: 'echo' is no root device, no peripheral and no host with services (at expect[2].changed)",
          "7:20: 'echo' is no root device, no peripheral and no host with services (at expect[3].service.of)",
          "8:24: there is no search 1 (at expect[4].service.search)",
          "9:29: there is no search 1 (at expect[5].search-ended.search)",
          "10:21: 'echo' is no root device, no peripheral and no host with services (at expect[6].never.found)",
          "11:21: 'echo' is no root device, no peripheral and no host with services (at expect[7].share.found)",
          "12:33: 'echo' is no root device, no peripheral and no host with services (at expect[8].present.devices)",
          "13:47: 'echo' is no root device (at expect[9].distribution.from)",
          "13:61: there is no search 4 (at expect[9].distribution.search)",
        ]
      ),
      (
        // A search that gets its number by itself takes the first one that no other was given.
        """
        timeline: [{at: 1s, search: {}}, {at: 2s, search: {id: 1}}]
        expect: [{service: {search: 2}}, {service: {search: 3}}]
        """,
        ["3:53: there is no search 3 (at expect[1].service.search)"]
      ),
    ])
  }

  @Test("keys that say more about something else, and choices that are not made, are told where they stand")
  func strays() {
    let searched = "inhabitants: {tv: {kind: root-device}}\ntimeline: [{at: 1s, search: {}}]"
    let renewal = "'search' stands only beside 'of: response-delay': a renewal answers no search, so leave it out"
    let always = "this holds whatever happens: name a bound that can be broken"
    check([
      (
        """
        \(searched)
        expect: [{distribution: {of: renewal-interval, from: tv, search: 1, range: 1s..10s}}]
        """, ["4:66: \(renewal) (at expect[0].distribution.search)"]
      ),
      (
        """
        \(searched)
        expect: [{distribution: {of: response-delay, from: tv, search: 1, range: 1s..10s}}]
        """, []
      ),
      (
        "inhabitants: {f: {kind: flooder, sends: response}, g: {kind: flooder, to: engine}}",
        [
          "2:41: responses go to somebody: name them with 'to' (at inhabitants.f.sends)",
          "2:75: 'to' stands only beside 'sends: response': all else goes to the groups (at inhabitants.g.to)",
        ]
      ),
      ("expect: [{share: {found: any}}]", ["2:18: missing one of the keys at-least, at-most (at expect[0].share)"]),
      (
        "expect: [{share: {found: any, at-least: 0%}}, {share: {found: any, at-least: 0%, at-most: 100%}}]",
        ["2:18: \(always) (at expect[0].share)", "2:55: \(always) (at expect[1].share)"]
      ),
      ("expect: [{share: {found: any, at-least: 0.1%}}, {share: {found: any, at-most: 99.9%}}]", []),
      (
        "expect: [{always: {}}]",
        ["2:19: missing one of the keys entries-at-most, devices-at-most (at expect[0].always)"]
      ),
      ("expect: [{converged: false}]", ["2:11: converged is true, or not there at all (at expect[0])"]),
      ("expect: [{converged: true}]\nheal: 1s", ["2:22: needs 'heal' and 'converge' (at expect[0].converged)"]),
      (
        """
        expect:
          - {present: {at: 1s, count: 1}, at: 1s}
          - {always: {devices-at-most: 1}, within: 1s..2s}
          - {present: {at: 1s, count: 1}, after: {found: any, within: 1s}}
          - {found: any, what: location}
          - {never: {found: any, cause: expired}}
          - {share: {lost: any, what: location, at-least: 1%}}
          - {found: any, after: {changed: any, cause: expired, within: 1s}}
          - {never: {found: any}, times: 2}
          - {share: {found: any, at-least: 1%}, times: 2}
        """,
        [
          "3:35: 'at' stands only beside an event, never or share (at expect[0])",
          "4:36: 'within' stands only beside an event, never or share (at expect[1])",
          "5:35: 'after' stands only beside an event, never or share (at expect[2])",
          "6:18: 'what' stands only beside 'changed' (at expect[3])",
          "7:26: 'cause' stands only beside 'lost' (at expect[4].never)",
          "8:25: 'what' stands only beside 'changed' (at expect[5].share)",
          "9:40: 'cause' stands only beside 'lost' (at expect[6].after)",
          "10:27: 'times' stands only beside an event that happens (at expect[7])",
          "11:41: 'times' stands only beside an event that happens (at expect[8])",
        ]
      ),
      ("sweep: {sweep: [1]}", ["2:9: a sweep cannot sweep itself (at sweep.sweep)"]),
      (
        "sweep: {\"a..b\": [1]}",
        ["2:9: 'a..b' is no place such as network.link.loss or timeline[0].at (at sweep)"]
      ),
      ("sweep: {duration: []}", ["2:19: expected a list of values, found an empty list (at sweep.duration)"]),
      (
        "inhabitants: {s: {kind: script, lines: [{}]}}",
        ["2:41: missing one of the keys text, hex (at inhabitants.s.lines[0])"]
      ),
      (
        "inhabitants: {s: {kind: script, lines: [{hex: 00, text: a}]}}",
        ["2:51: 'text' cannot stand beside 'hex': only one of them (at inhabitants.s.lines[0])"]
      ),
    ])
  }

  @Test("a host is in a segment that is there, at an address that a host can have, alone under its UUID")
  func hosts() {
    check([
      (
        "network: {segments: {a: {subnet: 10.0.0.0/30}, b: {subnet: 10.0.0.4/30}, c: {subnet: 10.0.0.0/29}}}",
        [
          "2:86: the subnets of 'a' and 'c' overlap (at network.segments.c.subnet)",
          "2:86: the subnets of 'b' and 'c' overlap (at network.segments.c.subnet)",
        ]
      ),
      (
        "engine: {segment: lan, address: 192.168.1.9, interfaces: [{}]}",
        [
          "2:19: each of the interfaces names its segment (at engine.segment)",
          "2:33: each of the interfaces has its address (at engine.address)",
        ]
      ),
      (
        """
        engine: {segment: wan}
        inhabitants:
          a: {kind: reflector, interfaces: [{}, {segment: wan, address: 239.1.2.3}]}
          b: {kind: reflector, address: 0.0.0.0}
          c: {kind: reflector, address: 255.255.255.255}
        """,
        [
          "2:19: unknown segment 'wan', did you mean 'lan'? (at engine.segment)",
          "4:51: unknown segment 'wan', did you mean 'lan'? (at inhabitants.a.interfaces[1].segment)",
          "4:65: 239.1.2.3 is no address of a host (at inhabitants.a.interfaces[1].address)",
          "5:33: 0.0.0.0 is no address of a host (at inhabitants.b.address)",
          "6:33: 255.255.255.255 is no address of a host (at inhabitants.c.address)",
        ]
      ),
      (
        // Of three members the third would have the address of a group.
        "inhabitants: {a: {kind: reflector, address: 223.255.255.254, count: 3}}",
        ["2:45: 224.0.0.0 is no address of a host (at inhabitants.a.address)"]
      ),
      ("inhabitants: {a: {kind: reflector, address: 223.255.255.254, count: 2}}", []),
      (
        "inhabitants: {a: {kind: reflector, interfaces: [{}, {address: 255.255.255.254}], count: 2}}",
        ["2:63: 255.255.255.255 is no address of a host (at inhabitants.a.interfaces[1].address)"]
      ),
      (
        "inhabitants: {tv: {kind: root-device, count: 2, uuid: 2fac1234-31f8-41b4-a222-08002b34c003}}",
        ["2:55: 2 devices cannot have one UUID (at inhabitants.tv.uuid)"]
      ),
      (
        // The second of the pair is where the first host is.
        """
        inhabitants:
          a: {kind: reflector, address: 192.168.1.9}
          b: {kind: reflector, address: 192.168.1.8, count: 2}
        """,
        ["4:33: 192.168.1.9 is already somebody's (at inhabitants.b.address)"]
      ),
      (
        """
        inhabitants:
          b: {kind: reflector, address: 192.168.1.8, count: 2}
          a: {kind: reflector, address: 192.168.1.9}
        """,
        ["4:33: 192.168.1.9 is already somebody's (at inhabitants.a.address)"]
      ),
      (
        """
        inhabitants:
          b: {kind: reflector, address: 192.168.1.8, count: 2}
          a: {kind: reflector, address: 192.168.1.10}
        """, []
      ),
      (
        // One of several interfaces is told by its number, and two of one host have an address each.
        """
        engine: {interfaces: [{address: 10.9.9.8}, {address: 10.9.9.9}]}
        inhabitants:
          a: {kind: reflector, interfaces: [{address: 10.9.9.7}, {address: 10.9.9.9}]}
        """,
        ["4:68: 10.9.9.9 is already somebody's (at inhabitants.a.interfaces[1].address)"]
      ),
      (
        "engine: {interfaces: [{address: 10.9.9.8}, {address: 10.9.9.8}]}",
        ["2:54: 10.9.9.8 is already somebody's (at engine.interfaces[1].address)"]
      ),
      (
        "inhabitants: {a: {kind: reflector, address: 10.9.9.9}, b: {kind: reflector, address: 10.9.9.9}}",
        ["2:86: 10.9.9.9 is already somebody's (at inhabitants.b.address)"]
      ),
    ])
  }
}
