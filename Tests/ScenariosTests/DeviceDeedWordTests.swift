import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallScenarios

/// What the application wants of a device, and the rules by which it knows one device by another: what is written of
/// each, and what is said against it.
@Suite("Deeds of an application and rules of identity in YAML") struct DeviceDeedWordTests {
  private func text(_ count: Int) -> Tree { .scalar(String(repeating: "a", count: count)) }
  private let shown = String(repeating: "a", count: 40) + "…"

  private func app(_ deed: AppRequest.Deed, _ number: UInt32 = 0) -> DeviceCommand { .app(AppRequest(number, deed)) }

  // MARK: Deeds

  /// What is said against an entry of the timeline with this key, which is not read then.
  private func said(_ key: String, _ value: Tree) -> [String] {
    let entry = Tree.mapping([("at", .scalar("1s")), (key, value)])
    let found = FormBench.read(Form<TimelineEntry>.timelineEntry, entry)
    expectEqual(found.value == nil, !found.said.isEmpty, "\(key)")
    return found.said
  }

  @Test("a deed for a session that is known is written as one for the session that was last, without its number")
  func sessions() {
    let known = AppRequest.Session.known(LaunchSession(appID: "A", sessionID: "s", serviceID: "DIAL"))
    let deeds: [(key: String, rest: String, command: DeviceCommand)] = [
      ("join-app", "{who: tv, app: A}", app(.join(known), 7)),
      ("close-app", "{who: tv, app: A}", app(.close(known), 7)),
      ("tell-web-app", "{who: tv, app: A, text: B}", app(.send(known, .text("B")), 7)),
      ("tell-web-app", "{who: tv, app: A, json: 5}", app(.send(known, .json("5")), 7)),
      ("leave-web-app", "{who: tv, app: A}", app(.leave(known), 7)),
      ("ask-app", "{who: tv, app: A}", app(.state(app: "A"), 7)),
    ]
    for (key, rest, command) in deeds {
      let deed = DeviceDeed(who: "tv", command)
      expectEqual(deed.key, key)
      let entry = TimelineEntry(at: .zero + .seconds(1), .device(deed))
      expectEqual(Form<TimelineEntry>.timelineEntry.write(entry, false).flow, "{at: 1s, \(key): \(rest)}")
    }
  }

  @Test("a request about an app has the number of its entry in the run, and everything else has none")
  func numbers() {
    let deeds: [AppRequest.Deed] = [
      .launch(app: "A", content: "C"), .launchWebApp(app: "A", content: nil), .state(app: "A"),
      .joinWebApp(app: "A"), .join(.latest(app: "A")), .close(.latest(app: "A")),
      .send(.latest(app: "A"), .text("T")), .leave(.latest(app: "A")),
    ]
    for deed in deeds {
      expectEqual(DeviceDeed(who: "tv", app(deed)).numbered(3), app(deed, 3))
      expectEqual(DeviceDeed(who: "tv", app(deed, 9)).numbered(0), app(deed, 0))
    }
    let others: [DeviceCommand] = [.connect, .disconnect, .cancelPairing, .pair(key: "1")]
    for command in others { expectEqual(DeviceDeed(who: "tv", command).numbered(3), command) }
  }

  @Test("what an application says, types and shows has a length, up to which it is read")
  func lengths() {
    let keys: [(deed: String, key: String, most: Int, noun: String)] = [
      ("type-key", "key", 1_000, "a key"), ("launch", "content", 8_192, "a text"),
      ("launch-web-app", "content", 8_192, "a text"), ("tell-web-app", "text", 16_384, "a text"),
      ("tell-web-app", "json", 16_384, "a text"),
    ]
    for (deed, key, most, noun) in keys {
      func said(_ count: Int) -> [String] {
        var entries: [(String, Tree)] = [("who", .scalar("tv"))]
        if deed != "type-key" { entries.append(("app", .scalar("A"))) }
        entries.append((key, text(count)))
        return self.said(deed, .mapping(entries))
      }
      expectEqual(said(0), [], "\(deed).\(key)")
      expectEqual(said(most), [], "\(deed).\(key)")
      expectEqual(said(most + 1), ["'\(shown)' is not \(noun) such as any of at most \(most) bytes"], "\(deed).\(key)")
    }
    let deeds = [
      "launch", "launch-web-app", "join-web-app", "ask-app", "join-app", "close-app", "leave-web-app",
    ]
    for deed in deeds {
      func said(_ count: Int) -> [String] {
        self.said(deed, .mapping([("who", .scalar("tv")), ("app", text(count))]))
      }
      expectEqual(said(1_000), [], "\(deed)")
      expectEqual(said(1_001), ["'\(shown)' is not the name of an app such as any of at most 1000 bytes"], "\(deed)")
    }
  }

  @Test("a deed needs all of its keys and takes no other one, and one entry has one deed")
  func slips() throws {
    let rows: [(key: String, value: String, said: [String])] = [
      ("connect-device", "[]", ["expected the name of a device such as tv, found an empty list"]),
      ("disconnect-device", "2tv", ["'2tv' is not the name of a device such as tv"]),
      ("cancel-pairing", "{who: tv}", ["expected the name of a device such as tv, found a mapping"]),
      ("type-key", "{}", ["missing key 'who'", "missing key 'key'"]), ("type-key", "{who: tv}", ["missing key 'key'"]),
      ("type-key", "tv", ["expected a mapping, found 'tv'"]),
      ("launch", "{}", ["missing key 'who'", "missing key 'app'"]),
      ("launch-web-app", "{app: A}", ["missing key 'who'"]), ("join-web-app", "{who: tv}", ["missing key 'app'"]),
      ("ask-app", "{who: tv, app: A, zzz: 1}", ["unknown key 'zzz'; known are who, app"]),
      ("join-app", "{who: tv, app: A, zzz: 1}", ["unknown key 'zzz'; known are who, app"]),
      ("launch", "{who: tv, app: A, zzz: 1}", ["unknown key 'zzz'; known are who, app, content"]),
      ("launch-web-app", "{who: tv, app: A, zzz: 1}", ["unknown key 'zzz'; known are who, app, content"]),
      ("type-key", "{who: tv, key: '1', zzz: 1}", ["unknown key 'zzz'; known are who, key"]),
      ("close-app", "{who: 2tv, app: A}", ["'2tv' is not the name of a device such as tv"]),
      ("tell-web-app", "{who: tv, app: A}", ["missing one of the keys text, json"]),
      ("tell-web-app", "{who: tv, app: A, text: a, json: b}", ["'json' cannot stand beside 'text': only one of them"]),
      ("tell-web-app", "{who: tv, app: A, json: b, text: a}", ["'text' cannot stand beside 'json': only one of them"]),
      ("leave-web-app", "{}", ["missing key 'who'", "missing key 'app'"]),
    ]
    for (key, value, words) in rows { try expectEqual(said(key, FormBench.tree(value)), words, "\(key): \(value)") }
    let form = Form<TimelineEntry>.timelineEntry
    let both: [(yaml: String, first: String, second: String)] = [
      ("{at: 1s, connect-device: tv, cancel-pairing: tv}", "connect-device", "cancel-pairing"),
      ("{at: 1s, ask-app: {who: tv, app: A}, connect-device: tv}", "ask-app", "connect-device"),
      ("{at: 1s, leave: tv, launch: {who: tv, app: A}}", "leave", "launch"),
    ]
    for (yaml, first, second) in both {
      let (value, said) = try FormBench.read(form, yaml)
      expectEqual(value, nil)
      expectEqual(said, ["'\(second)' cannot stand beside '\(first)': only one of them"], "\(yaml)")
    }
    let before = "timeline: [{at: 1s, tell-web-app: "
    expectEqual(
      errorsOfDocument(before + "{who: tv, app: A}}]"),
      "x.yaml:2:\(before.utf8.count + 1): error: missing one of the keys text, json (at timeline[0].tell-web-app)")
  }

  // MARK: Rules of identity

  @Test("a rule has a source, a form, and a place in data, and is written without a place that is the first")
  func rules() throws {
    let short = BluetoothUUID(short: 0xFE0F)
    let rows: [(yaml: String, rule: IdentityRule)] = [
      ("{manufacturer: 0, form: ipv4}", IdentityRule(.manufacturerData(company: 0), .ipv4)),
      ("{manufacturer: 65535, form: ipv6, at: 1}", IdentityRule(.manufacturerData(company: .max), .ipv6, at: 1)),
      ("{service-data: FE0F, form: bluetooth}", IdentityRule(.serviceData(short), .bluetooth)),
      ("{service-data: FE0F, form: uuid, at: 255}", IdentityRule(.serviceData(short), .uuid, at: 255)),
      ("{text: bt, form: bluetooth}", IdentityRule(.text(key: "bt"), .bluetooth)),
    ]
    for (yaml, rule) in rows {
      let (value, said) = try FormBench.read(Form<IdentityRule>.identityRule, yaml)
      expectEqual(value, rule, "\(yaml)")
      expectEqual(said, [])
      expectEqual(Form<IdentityRule>.identityRule.write(rule, false).flow, yaml)
    }
    let first = IdentityRule(.text(key: "bt"), .uuid)
    try expectEqual(
      FormBench.read(Form<IdentityRule>.identityRule, "{text: bt, form: uuid, at: 0}").value, first)
    expectEqual(Form<IdentityRule>.identityRule.write(first, true).flow, "{text: bt, form: uuid, at: 0}")
  }

  @Test("a rule without a source, with two, with a place in text or beyond a bound is refused")
  func brokenRules() throws {
    let place = "'at' stands only beside 'manufacturer' and 'service-data'"
    let rows: [(yaml: String, said: [String])] = [
      ("{text: bt, form: uuid, at: 1}", [place]), ("{text: bt, form: uuid, at: 2}", [place]),
      ("{text: bt, form: ipv4, at: 255}", [place]),
      ("{form: uuid}", ["missing one of the keys manufacturer, service-data, text"]),
      ("{manufacturer: 1}", ["missing key 'form'"]),
      ("{manufacturer: 1, form: zzz}", ["unknown form 'zzz'; known are uuid, ipv4, ipv6, bluetooth"]),
      (
        "{manufacturer: 1, service-data: FE0F, form: uuid}",
        ["'service-data' cannot stand beside 'manufacturer': only one of them"]
      ),
      ("{text: bt, manufacturer: 1, form: uuid}", ["'manufacturer' cannot stand beside 'text': only one of them"]),
      ("{service-data: FE0F, text: bt, form: uuid}", ["'text' cannot stand beside 'service-data': only one of them"]),
      ("{manufacturer: 1, form: uuid, at: 256}", ["'256' is not a whole number from 0 to 255 such as 3"]),
      ("{manufacturer: 1, form: uuid, at: -1}", ["'-1' is not a whole number from 0 to 255 such as 3"]),
      ("{manufacturer: 65536, form: uuid}", ["'65536' is not a whole number from 0 to 65535 such as 3"]),
      ("{text: \"\", form: uuid}", ["'' is not a key such as bt"]),
      ("bt", ["expected a mapping, found 'bt'"]),
    ]
    for (yaml, words) in rows {
      let (value, said) = try FormBench.read(Form<IdentityRule>.identityRule, yaml)
      expectEqual(value, nil, "\(yaml)")
      expectEqual(said, words, "\(yaml)")
    }
  }
}
