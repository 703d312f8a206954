import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import Testing

/// Every error class, by its exact text: file, line, column, message.
@Suite("Scenario errors") struct ErrorTests {
  private func errors(_ yaml: String) -> String {
    do {
      _ = try Scenario(yaml: yaml, file: "x.yaml")
      return "none"
    } catch {
      return error.description
    }
  }

  @Test(
    "what is wrong is named with its place",
    arguments: [
      (
        "scenario: a\nduration: 20s\nexpect: [{never: {found: any}, after: {found: any, within: 300s..400s}}]",
        "x.yaml:3:60: error: 400s after the very start of the run is beyond the end of the run (20s), and so is all of this window: it can never be reached (at expect[0].after.within)"
      ),
      (
        "scenario: a\nduration: 20s\nexpect: [{never: {found: any}, after: {found: any, within: 10s..21s}}]",
        "x.yaml:3:60: error: 21s after the very start of the run is beyond the end of the run (20s) (at expect[0].after.within)"
      ),
      (
        "scenario: a\nduration: 20s\ntimeline: [{at: 15s, id: go, stop: engine}]\nexpect: [{never: {found: any}, after: {timeline: go, within: 6s}}]",
        "x.yaml:4:62: error: 6s after 'go' is beyond the end of the run (20s) (at expect[0].after.within)"
      ),
      (
        "scenario: a\nduration: 20s\nfaults: [{at: 1s, until: 15s, id: f, refuse-joins: engine}]\nexpect: [{never: {found: any}, after: {mended: f, within: 6s..7s}}]",
        "x.yaml:4:59: error: 7s after 'f' mends is beyond the end of the run (20s), and so is all of this window: it can never be reached (at expect[0].after.within)"
      ),
      (
        "scenario: a\nduration: 20s\nfaults: [{at: 1s, id: f, refuse-joins: engine}]\nexpect: [{never: {found: any}, after: {mended: f, within: 6s}}]",
        "x.yaml:4:48: error: 'f' never mends: it has no 'until', and nothing heals (at expect[0].after.mended)"
      ),
      (
        "scenario: a\nduration: 20s\nexpect: [{found: any, times: 0..}]",
        "x.yaml:3:30: error: this holds whatever happens: name a bound that can be broken (at expect[0].times)"
      ),
      (
        "scenario: a\nduration: 20s\nexpect: [{present: {at: 1s, count: 0..}}]",
        "x.yaml:3:36: error: this holds whatever happens: name a bound that can be broken (at expect[0].present.count)"
      ),
      (
        "scenario: a\nduration: 20s\nexpect: [{share: {found: any, at-most: 100%}}]",
        "x.yaml:3:18: error: this holds whatever happens: name a bound that can be broken (at expect[0].share)"
      ),
      (
        "scenario: a\ninhabitants: {tv: {kind: root-device}}\nexpect: [{distribution: {of: renewal-interval, from: tv, range: 10s}}]",
        "x.yaml:3:65: error: no room for a distribution from 10s to 10s: 10 equal parts of it are "
          + "compared, so its ends lie at least 10ns apart (at expect[0].distribution.range)"
      ),
      (
        "scenario: a\ninhabitants: {tv: {kind: root-device}}\nexpect: [{distribution: {of: renewal-interval, from: tv, range: 10s..10000000009ns}}]",
        "x.yaml:3:65: error: no room for a distribution from 10s to 10000000009ns: 10 equal parts of it are "
          + "compared, so its ends lie at least 10ns apart (at expect[0].distribution.range)"
      ),
      (
        "scenario: a\ninhabitants: {tv: {kind: root-device}}\nexpect: [{distribution: {of: renewal-interval, from: tv, range: 10s..10000000010ns}}]",
        "none"
      ),
      (
        "scenario: a\nduration: 20s\ninhabitants: {tv: {kind: reflector}, app: {kind: reflector, beside: tv, clock-drift: 100ppm}}",
        "x.yaml:3:86: error: 'clock-drift' is the host's, which is that of 'tv': say it there (at inhabitants.app.clock-drift)"
      ),
      ("", "x.yaml:1:1: error: the file is empty"),
      (
        "scenario: a\nbudget: {\n",
        "x.yaml:3:1: error: not YAML: while parsing a flow node did not find expected node content"
      ),
      (
        "scenario: a\n\tduration: 3s",
        "x.yaml:2:1: error: not YAML: while scanning a plain scalar found a tab character that violates indentation"
      ),
      ("scenario: a\u{1}", "x.yaml:1:12: error: control character U+0001 in the file"),
      ("scenario: a\n---\nscenario: b", "x.yaml:2:1: error: more than one document in the file"),
      ("scenario: a\nscenario: b", "x.yaml:1:1: error: duplicate key 'scenario'"),
      ("scenario: &a b", "x.yaml:1:11: error: anchors and aliases are not allowed: '&a'"),
      ("scenario: a\ntags: &t [a]\nvacuous-ok: *t", "x.yaml:2:7: error: anchors and aliases are not allowed: '&t'"),
      ("scenario: *a", "x.yaml:1:11: error: anchors and aliases are not allowed"),
      ("scenario: a\n<<: {duration: 3s}", "x.yaml:2:1: error: merge keys are not allowed: '<<'"),
      ("scenario: !!str 5", "x.yaml:1:11: error: tags are not allowed: 'tag:yaml.org,2002:str'"),
      ("scenario: a\n!!int seed: 1", "x.yaml:2:1: error: tags are not allowed: 'tag:yaml.org,2002:int'"),
      ("scenario: a\ninhabitants: {1: {}, '1': {}}", "x.yaml:2:15: error: duplicate key '1'"),
      ("scenario: a\nnetwork: !x {}", "x.yaml:2:10: error: tags are not allowed: '!x'"),
      ("scenario: a\n[1]: 3", "x.yaml:2:1: error: a key is a plain word"),
      ("a", "x.yaml:1:1: error: expected a mapping, found 'a'"),
      ("duration: 3s", "x.yaml:1:1: error: missing key 'scenario'"),
      ("scenario: a\nduraton: 3s", "x.yaml:2:1: error: unknown key 'duraton', did you mean 'duration'?"),
      (
        "scenario: a\ninhabitants:\n  tv:\n    kind: root-device\n    profil: tv",
        "x.yaml:5:5: error: unknown key 'profil', did you mean 'profile'? (at inhabitants.tv)"
      ),
      (
        "scenario: a\nduration: 3",
        "x.yaml:2:11: error: '3' has no unit: a duration is written such as 250ms or 3s (at duration)"
      ),
      (
        "scenario: a\nduration: quick",
        "x.yaml:2:11: error: 'quick' is not a duration such as 250ms or 3s (at duration)"
      ),
      (
        "scenario: a\nduration: [3s]",
        "x.yaml:2:11: error: expected a duration such as 250ms or 3s, found a list (at duration)"
      ),
      (
        "scenario: a\nduration:",
        "x.yaml:2:10: error: expected a duration such as 250ms or 3s, found nothing (at duration)"
      ),
      ("scenario: a\nduration: 0s", "x.yaml:2:11: error: a run takes longer than 0s (at duration)"),
      (
        "scenario: a\nnetwork: {link: {loss: 10}}",
        "x.yaml:2:24: error: '10' has no unit: a share is written such as 10%, 0.5% or 1/3 (at network.link.loss)"
      ),
      (
        "scenario: a\nnetwork: {link: {loss: 110%}}",
        "x.yaml:2:24: error: '110%' is not a share such as 10%, 0.5% or 1/3 (at network.link.loss)"
      ),
      (
        "scenario: a\nnetwork: {link: {latency: 3ms..1ms}}",
        "x.yaml:2:27: error: '3ms..1ms' is not a range of durations such as 200us..1ms (at network.link.latency)"
      ),
      (
        "scenario: a\nnetwork: {link: {mtu: 0x10}}",
        "x.yaml:2:23: error: '0x10' is not a whole number from 68 to 65535 such as 68 (at network.link.mtu)"
      ),
      (
        "scenario: a\nnetwork: {link: {bandwidth: 10}}",
        "x.yaml:2:29: error: '10' has no unit: a bandwidth is written such as 10Mbit/s (at network.link.bandwidth)"
      ),
      (
        "scenario: a\nnetwork: {segments: {lan: {snooping: yes}}}",
        "x.yaml:2:38: error: 'yes' is not true or false such as true (at network.segments.lan.snooping)"
      ),
      (
        "scenario: a\nnetwork: {segments: {lan: {subnet: 192.168.1.7/24}}}",
        "x.yaml:2:36: error: '192.168.1.7/24' is not a subnet such as 192.168.1.0/24 (at network.segments.lan.subnet)"
      ),
      (
        "scenario: a\nnetwork: {segments: {}}",
        "x.yaml:2:21: error: a network has at least one segment (at network.segments)"
      ),
      (
        "scenario: a\ninhabitants: {tv: {}}",
        "x.yaml:2:19: error: missing key 'kind': one of root-device, control-point, reflector, flooder, "
          + "byebye-spoofer, responder, script, recorded, peripheral, hci-host, recorded-peripheral, "
          + "mdns-responder, mdns-tester, nearby-peer, phone (at inhabitants.tv)"
      ),
      (
        "scenario: a\ninhabitants: {tv: {kind: rootdevice}}",
        "x.yaml:2:26: error: unknown kind 'rootdevice', did you mean 'root-device'? (at inhabitants.tv.kind)"
      ),
      (
        "scenario: a\ninhabitants: {t: {kind: mdns-tester, lines: [{at: 1s, say: [{name: a.local, address: 1.2.3.4}], "
          + "known: [{name: a.local, address: 1.2.3.4}]}]}}",
        "x.yaml:2:97: error: 'known' cannot stand beside 'say': only a query has known answers (at "
          + "inhabitants.t.lines[0])"
      ),
      (
        "scenario: a\ninhabitants: {t: {kind: mdns-tester, lines: [{at: 1s, after: 2s}]}}",
        "x.yaml:2:55: error: 'after' cannot stand beside 'at': it counts from a probe or query (at "
          + "inhabitants.t.lines[0])"
      ),
      (
        "scenario: a\ninhabitants: {t: {kind: mdns-tester, lines: [{on-query: a, every: 2s}]}}",
        "x.yaml:2:60: error: 'every' cannot stand beside 'on-query': only a line with 'at' is sent again by the clock "
          + "(at inhabitants.t.lines[0])"
      ),
      (
        "scenario: a\ninhabitants: {2tv: {kind: script}}",
        "x.yaml:2:15: error: '2tv' is no name: letters, digits, '-' and '_', a letter first, at most 64 (at "
          + "inhabitants)"
      ),
      (
        "scenario: a\ninhabitants: {engine: {kind: reflector}}",
        "x.yaml:2:23: error: 'engine' is a name with a meaning (at inhabitants.engine)"
      ),
      (
        "scenario: a\ninhabitants: {tv: {kind: root-device, quirks: [noBlankline]}}",
        "x.yaml:2:48: error: unknown quirk 'noBlankline', did you mean 'noBlankLine'? (at inhabitants.tv.quirks[0])"
      ),
      (
        "scenario: a\ninhabitants: {tv: {kind: root-device, quirks: [\"maxAge(soon)\"]}}",
        "x.yaml:2:48: error: the quirk 'maxAge' takes a number of seconds such as 60, not 'soon' (at "
          + "inhabitants.tv.quirks[0])"
      ),
      (
        "scenario: a\ninhabitants: {tv: {kind: root-device, profile: tw}}",
        "x.yaml:2:48: error: unknown profile 'tw', did you mean 'tv'? (at inhabitants.tv.profile)"
      ),
      (
        "scenario: a\nbites: engine.byebyeIgnore",
        "x.yaml:2:8: error: unknown switch 'byebyeIgnore', did you mean 'byebyeIgnored'? (at bites)"
      ),
      ("scenario: a\nbites: tv.noRenewal", "x.yaml:2:8: error: unknown inhabitant 'tv' (at bites)"),
      (
        "scenario: a\ntimeline: [{at: 1s}]",
        "x.yaml:2:12: error: missing one of the keys "
          + "search, stop-search, hold, release, reconfirm, appear, leave, vanish, reboot, update, reconfigure, "
          + "background, foreground, invite, advertise, new-identity, leave-session, stop-advertising, "
          + "stop, crash, move, relocate, rename, send, browse, stop-browsing, manager, walk, connect, "
          + "disconnect, discover, read-strength, read, write, subscribe, unsubscribe, connect-device, "
          + "disconnect-device, cancel-pairing, type-key, launch, launch-web-app, join-web-app, "
          + "ask-app, join-app, close-app, tell-web-app, leave-web-app (at timeline[0])"
      ),
      (
        "scenario: a\ntimeline: [{at: 1s, leave: tv, vanish: tv}]",
        "x.yaml:2:32: error: 'vanish' cannot stand beside 'leave': only one of them (at timeline[0])"
      ),
      (
        "scenario: a\ntimeline: [{at: 1s, stop: tv}]",
        "x.yaml:2:27: error: only 'engine' can be stopped; an inhabitant can leave or vanish (at timeline[0].stop)"
      ),
      (
        "scenario: a\ntimeline: [{at: 1s, leave: tv}]",
        "x.yaml:2:28: error: unknown inhabitant 'tv' (at timeline[0].leave)"
      ),
      (
        "scenario: a\ninhabitants: {echo: {kind: reflector}}\ntimeline: [{at: 1s, reboot: echo}]",
        "x.yaml:3:29: error: 'echo' is a reflector: it cannot reboot (at timeline[0].reboot)"
      ),
      (
        "scenario: a\nnetwork: {segments: {a: {subnet: 10.0.0.0/8}, b: {subnet: 10.1.0.0/16}}}",
        "x.yaml:2:59: error: the subnets of 'a' and 'b' overlap (at network.segments.b.subnet)"
      ),
      (
        "scenario: a\ninhabitants: {a: {kind: reflector, address: 192.168.1.9}, b: {kind: reflector, address: "
          + "192.168.1.9}}",
        "x.yaml:2:89: error: 192.168.1.9 is already somebody's (at inhabitants.b.address)"
      ),
      (
        "scenario: a\ninhabitants: {tv: {kind: root-device, count: 2}, tv-2: {kind: reflector}}",
        "x.yaml:2:56: error: 'tv-2' twice among the inhabitants and their members (at inhabitants.tv-2)"
      ),
      (
        "scenario: a\ninhabitants: {p: {kind: script, lines: [{to: tw, hex: 00}]}}",
        "x.yaml:2:40: error: unknown inhabitant 'tw'; known are engine, p (at inhabitants.p.lines)"
      ),
      (
        "scenario: a\ntimeline: [{at: 61s, stop: engine}]",
        "x.yaml:2:17: error: after the end of the run (1m) (at timeline[0].at)"
      ),
      (
        "scenario: a\ntimeline: [{at: 1s, stop-search: 2}]",
        "x.yaml:2:34: error: there is no search 2 (at timeline[0].stop-search)"
      ),
      (
        "scenario: a\nfaults: [{at: 3s, until: 2s, querier-gone: lan}]",
        "x.yaml:2:26: error: not after 'at' (at faults[0].until)"
      ),
      (
        "scenario: a\nfaults: [{at: 3s, querier-gone: wan}]",
        "x.yaml:2:33: error: unknown segment 'wan', did you mean 'lan'? (at faults[0].querier-gone)"
      ),
      (
        "scenario: a\nfaults: [{at: 3s, interface-down: {who: engine, interface: 1}}]",
        "x.yaml:2:60: error: 'engine' has no interface 1 (at faults[0].interface-down.interface)"
      ),
      (
        "scenario: a\nheal: 50s\nconverge: 11s",
        "x.yaml:3:11: error: heal and converge reach 61s, the run ends at 1m (at converge)"
      ),
      (
        "scenario: a\nexpect: [{converged: true}]",
        "x.yaml:2:22: error: needs 'heal' and 'converge' (at expect[0].converged)"
      ),
      (
        "scenario: a\nexpect: [{found: any, cause: expired}]",
        "x.yaml:2:23: error: 'cause' stands only beside 'lost' (at expect[0])"
      ),
      (
        "scenario: a\nexpect: [{always: {devices-at-most: 3}, times: 2}]",
        "x.yaml:2:41: error: 'times' stands only beside an event that happens (at expect[0])"
      ),
      (
        "scenario: a\nexpect: [{found: any, at: 1s, within: 1s..2s}]",
        "x.yaml:2:31: error: 'within' cannot stand beside 'at': only one of them (at expect[0])"
      ),
      (
        "scenario: a\nexpect: [{rejected: noOpenSerch}]",
        "x.yaml:2:21: error: unknown reason 'noOpenSerch', did you mean 'noOpenSearch'? (at expect[0].rejected)"
      ),
      (
        "scenario: a\nexpect: [{found: any, times: 3..1}]",
        "x.yaml:2:30: error: '3..1' is not a count such as 12, 10..12 or 3.. (at expect[0].times)"
      ),
      (
        "scenario: a\nexpect: [{found: any}]\nvacuous-ok: [e2]",
        "x.yaml:3:14: error: unknown expectation 'e2', did you mean 'e1'? (at vacuous-ok[0])"
      ),
      ("scenario: a\nseed: 1\nseeds: 1..2", "x.yaml:3:1: error: 'seeds' cannot stand beside 'seed': only one of them"),
      (
        "scenario: a\nsweep: {network.link.lost: [1%]}",
        "x.yaml:2:29: error: with network.link.lost = 1%: unknown key 'lost', did you mean 'loss'? (at network.link)"
      ),
      (
        "scenario: a\nsweep: {network.link.loss: [1%, 2]}",
        "x.yaml:2:33: error: with network.link.loss = 2: '2' has no unit: a share is written such as 10%, 0.5% "
          + "or 1/3 (at network.link.loss)"
      ),
      (
        "scenario: a\nsweep: {inhabitants.tv.max-age: [1s]}",
        "x.yaml:2:9: error: there is no 'inhabitants.tv.max-age' in the document (at sweep.inhabitants.tv.max-age)"
      ),
      (
        "scenario: a\nsweep: {duration: 1s}",
        "x.yaml:2:19: error: expected a list of values, found '1s' (at sweep.duration)"
      ),
      (
        "scenario: a\nnetwork: {segments: {lan: {subnet: 10.0.0.0/29}}}\ninhabitants: {tv: {kind: root-device, "
          + "count: 6}}",
        "x.yaml:3:19: error: no room for 6 successive addresses in 10.0.0.0/29 (at inhabitants.tv)"
      ),
    ])
  func oneError(_ yaml: String, _ expected: String) {
    expectEqual(errors(yaml), expected)
  }

  @Test("all errors are told, in the order of the file, twenty at most")
  func many() {
    let yaml = "scenario: a\nduration: 1\nhea: 2s\nnetwork: {link: {loss: x, mtu: y}}"
    expectEqual(
      errors(yaml),
      """
      x.yaml:2:11: error: '1' has no unit: a duration is written such as 250ms or 3s (at duration)
      x.yaml:3:1: error: unknown key 'hea', did you mean 'heal'?
      x.yaml:4:24: error: 'x' is not a share such as 10%, 0.5% or 1/3 (at network.link.loss)
      x.yaml:4:32: error: 'y' is not a whole number from 68 to 65535 such as 68 (at network.link.mtu)
      """)
    let long = "scenario: a\n" + (0..<50).map { "key\($0): 1\n" }.joined()
    expectEqual(errors(long).split(separator: "\n").count, 20)
  }

  @Test("a document has bounds in size and depth")
  func bounds() {
    let large = "scenario: a\nwhy: " + String(repeating: "x", count: 1 << 20)
    expectEqual(errors(large), "x.yaml:1:1: error: a scenario has at most 1 MiB, this one has 1048593 bytes")
    let deep = "scenario: " + String(repeating: "[", count: 20) + String(repeating: "]", count: 20)
    expectEqual(errors(deep), "x.yaml:1:30: error: nested deeper than 20 levels")
    let bomb = String(repeating: "[", count: 200_000)
    #expect(errors(bomb).hasPrefix("x.yaml:1:"))
    let product =
      "scenario: a\nsweep:\n"
      + ["events", "entries"].map { name in
        "  budget.\(name): [" + (1...101).map(String.init).joined(separator: ", ") + "]\n"
      }.joined()
    expectEqual(errors(product), "x.yaml:2:1: error: a sweep has at most 10000 points (at sweep)")
  }

  @Test("no slip of the pen ends the reader", arguments: [Samples.television, Samples.crowd])
  func mutations(_ text: String) {
    let bytes = Array(text.utf8)
    var stream = Seed(1).stream("pen")
    let strays = Array("{}[]:,-#&*!|>'\"%@ \n\t09az.~".utf8)
    var refused = 0
    for _ in 0..<100 {
      var changed = bytes
      for _ in 0...stream.below(2) {
        let position = Int(stream.below(UInt64(changed.count)))
        switch stream.below(3) {
        case 0: changed.remove(at: position)
        case 1: changed.insert(strays[Int(stream.below(UInt64(strays.count)))], at: position)
        default: changed[position] = strays[Int(stream.below(UInt64(strays.count)))]
        }
      }
      if errors(String(decoding: changed, as: UTF8.self)) != "none" { refused += 1 }
    }
    #expect(refused > 50)
  }
}
