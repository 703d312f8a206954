import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallScenarios

/// Labels, types, strings, changes and plans of responders of multicast DNS, each form alone.
@Suite("Parts of responders of multicast DNS") struct MDNSPartTests {
  private func service(txt: [UInt8] = [0]) throws -> MDNSService {
    MDNSService(try ServiceType("a", .tcp), "A", port: 1, txt: txt)
  }
  private static let head: [(String, Tree)] = [
    ("type", .scalar("_a._tcp")), ("name", .scalar("A")), ("port", .scalar("1")),
  ]

  @Test("a label has 1 to 63 bytes, none of them a control")
  func labels() {
    let form: Form<String> = .dnsLabel
    let (full, long) = (String(repeating: "a", count: 63), String(repeating: "a", count: 64))
    for text in ["living-room", " ", "~", "a.b", "\u{80}", "é", full] {
      expectEqual(FormBench.line(form, text), "\(text) as \(text)")
    }
    for text in ["", "a\u{1F}", "\u{0}", "a\u{7F}b"] {
      expectEqual(FormBench.line(form, text), "'\(text)' is not a label of a name such as living-room")
    }
    let large = "'\(long.prefix(40))…' is too large: a label of a name goes up to 63 bytes"
    expectEqual(FormBench.line(form, long), large)
  }

  @Test("a type of service is written in its short form, and stands in the domain local alone")
  func types() throws {
    let form: Form<ServiceType> = .serviceType
    let rows: [(text: String, type: ServiceType, written: String)] = [
      ("_ipp._tcp", try ServiceType("ipp", .tcp), "_ipp._tcp"),
      ("_x-y._udp", try ServiceType("x-y", .udp), "_x-y._udp"),
      ("_IPP._TCP", try ServiceType("ipp", .tcp), "_IPP._tcp"),
    ]
    for (text, type, written) in rows {
      let found = FormBench.read(form, .scalar(text))
      let value = try #require(found.value)
      expectEqual(value.transport, type.transport)
      expectEqual(form.write(value, false), .scalar(written))
    }
    for text in ["", "ipp", "_ipp", "ipp._tcp", "_ipp._sctp", "_ipp._tcp.local", "_ipp._tcp.example", "_1._tcp"] {
      expectEqual(FormBench.line(form, text), "'\(text)' is not a type of service such as _ipp._tcp")
    }
  }

  @Test("the strings of a TXT record are those that are not empty; without one there is a zero byte")
  func strings() throws {
    let form: Form<MDNSService> = .mdnsService
    let rows: [(written: String, txt: [UInt8], shown: [String])] = [
      ("", [0], []), (", txt: []", [0], []), (", txt: ['']", [0], []), (", txt: [a]", [1, 97], ["a"]),
      (", txt: [a, '', bc]", [1, 97, 2, 98, 99], ["a", "bc"]), (", txt: ['', b]", [1, 98], ["b"]),
    ]
    for (written, txt, shown) in rows {
      let found = try FormBench.read(form, "{type: _a._tcp, name: A, port: 1\(written)}")
      try expectEqual(found.value, service(txt: txt), "\(written)")
      expectEqual(found.said, [])
      let strings: [(String, Tree)] = shown.isEmpty ? [] : [("txt", .list(shown.map { Tree.scalar($0) }))]
      try expectEqual(form.write(service(txt: txt), false), .mapping(Self.head + strings), "\(written)")
    }
    try expectEqual(
      form.write(service(), true), .mapping(Self.head + [("txt", .list([])), ("subtypes", .list([]))]))
    // What no document wrote is shown as far as it goes.
    let others: [(txt: [UInt8], shown: [String])] = [
      ([5, 97], []), ([2, 97], []), ([1], []), ([1, 97, 9, 98], ["a"]), ([0, 1, 97, 0], ["a"]),
    ]
    for (txt, shown) in others {
      let strings: [(String, Tree)] = shown.isEmpty ? [] : [("txt", .list(shown.map { Tree.scalar($0) }))]
      try expectEqual(form.write(service(txt: txt), false), .mapping(Self.head + strings), "\(txt)")
    }
  }

  @Test("a service has up to 256 strings and 32 subtypes, and each key that it needs is asked for")
  func services() {
    let form: Form<MDNSService> = .mdnsService
    func found(_ key: String, _ count: Int) -> (value: MDNSService?, said: [String]) {
      FormBench.read(form, .mapping(Self.head + [(key, FormBench.many(count, .scalar("a")))]))
    }
    expectEqual(found("txt", 256).value?.txt.count, 512)
    expectEqual(found("txt", 257).said, ["a list of 257, at most 256 are allowed"])
    expectEqual(found("subtypes", 32).value?.subtypes, Array(repeating: [UInt8(97)], count: 32))
    expectEqual(found("subtypes", 33).said, ["a list of 33, at most 32 are allowed"])
    expectEqual(
      FormBench.read(form, .mapping([])).said, ["missing key 'type'", "missing key 'name'", "missing key 'port'"])
    let (full, long) = (String(repeating: "t", count: 255), String(repeating: "t", count: 256))
    func said(_ text: String) -> [String] {
      FormBench.read(form, .mapping(Self.head + [("txt", .list([.scalar(text)]))])).said
    }
    expectEqual(said(full), [])
    expectEqual(said(long), ["'\(full.prefix(40))…' is too large: a string of a TXT record goes up to 255 bytes"])
  }

  @Test("an editor knows how long a label and a string may be")
  func schema() {
    let label: Form<String> = .dnsLabel
    expectEqual(
      label.schema.json,
      JSONValue.members(("type", .string("string")), ("minLength", .integer(1)), ("maxLength", .integer(63))))
    let service: Form<MDNSService> = .mdnsService
    #expect(service.schema.json.text.contains("\"maxLength\": 255"))
  }

  @Test("a change is one of three, and is written with what it has to say")
  func changes() throws {
    let form: Form<MDNSChange> = .mdnsChange
    let added = Tree.mapping([("add", .mapping(Self.head))])
    let removed = Tree.mapping([("remove", .scalar("Z"))])
    let none: [(String, Tree)] = [("of", .scalar("Z"))]
    let empty: [(String, Tree)] = [("of", .scalar("Z")), ("strings", .list([]))]
    let some: [(String, Tree)] = [("of", .scalar("Z")), ("strings", .list([.scalar("a")]))]
    func texts(_ entries: [(String, Tree)]) -> Tree { .mapping([("txt", .mapping(entries))]) }
    let rows: [(change: MDNSChange, short: Tree, full: Tree?)] = [
      (.add(try service()), added, nil), (.remove(instance: "Z"), removed, removed),
      (.setTXT(instance: "Z", [0]), texts(none), texts(empty)),
      (.setTXT(instance: "Z", [1, 97]), texts(some), texts(some)),
    ]
    for (change, short, full) in rows {
      expectEqual(form.write(change, false), short)
      expectEqual(FormBench.read(form, short).value, change)
      if let full { expectEqual(form.write(change, true), full) }
    }
    let slips: [(yaml: String, said: [String])] = [
      ("{}", ["missing one of the keys add, remove, txt"]), ("{txt: {}}", ["missing key 'of'"]),
      ("{remove: A, txt: {of: A}}", ["'txt' cannot stand beside 'remove': only one of them"]),
      ("{txt: {of: A}, add: {type: _a._tcp}}", ["'add' cannot stand beside 'txt': only one of them"]),
    ]
    for (yaml, said) in slips {
      let found = try FormBench.read(form, yaml)
      expectEqual(found.value, nil, "\(yaml)")
      expectEqual(found.said, said)
    }
  }

  @Test("a plan has all that its section says, and the inhabitant's name and the usual delay where it says none")
  func plan() throws {
    let quirk = MDNSQuirk.allCases[0]
    var section = MDNSResponderSection(
      hostName: "office", services: [try service()], changes: [.remove(instance: "A")], probeDelay: .milliseconds(7))
    section.quirks = [quirk]
    var plan = MDNSPlan(host: "office", services: [try service()])
    plan.changes = [.remove(instance: "A")]
    plan.quirks = [quirk]
    plan.timing.probeDelay = .milliseconds(7) ... .milliseconds(7)
    expectEqual(section.plan(named: "printer"), plan)
    section.probeDelay = nil
    plan.timing = MDNSTiming()
    expectEqual(section.plan(named: "printer"), plan)
    section.hostName = nil
    plan.host = Array("printer".utf8)
    expectEqual(section.plan(named: "printer"), plan)
    let form = Form<MDNSResponderSection>.record(MDNSResponderSection(), MDNSResponderSection.fields)
    let found = try FormBench.read(
      form, "{host-name: h, probe-delay: 7ms, quirks: [\(quirk.rawValue)], changes: [{remove: A}]}")
    var wanted = MDNSResponderSection(
      hostName: "h", changes: [.remove(instance: "A")], probeDelay: .milliseconds(7))
    wanted.quirks = [quirk]
    expectEqual(found.value, wanted)
    try expectEqual(FormBench.read(form, "{}").value, MDNSResponderSection())
  }
}
