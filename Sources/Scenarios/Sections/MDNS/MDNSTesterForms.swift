package import RollcallDevices
import RollcallPrimitives
import RollcallWire

/// `kind: mdns-tester` — a host that asks, answers and probes as it is told to.
package struct MDNSTesterSection: Hashable, Sendable {
  package var lines: [MDNSTester.Line]
  package init(_ lines: [MDNSTester.Line] = []) { self.lines = lines }

  static let fields: [Field<MDNSTesterSection>] = [
    .key("lines", \.lines, .list(of: .mdnsTesterLine, countMaximum: 1_000), default: [], "What it sends, and when.")
  ]
}

extension Form<DNSName> {
  static let dnsName = Form.scalar(
    "a name", example: "box.local", schema: Schema(.members(("type", .string("string")))),
    print: \.description, parse: { $0.isEmpty ? nil : DNSName($0) })
}

extension Form<DNSType> {
  private static let types: [DNSType] = [.a, .cname, .ptr, .hinfo, .txt, .aaaa, .srv, .nsec, .any]

  static let dnsType = Form.word("a type", types.map { (name: $0.description, value: $0) })
}

extension Form<DNSQuestion> {
  fileprivate static let question = Form.record(
    DNSQuestion(.local, .any),
    [
      .required("name", \.name, .dnsName, "The name; '*' stands for the one that the triggering message asks for."),
      .key("type", \.type, .dnsType, default: .any, "The type."),
      .key("unicast", \.wantsUnicast, .bool, default: false, "Whether the QU bit is set."),
    ])
}

/// A record as it is written.
private struct RecordDraft: Hashable, Sendable {
  struct Service: Hashable, Sendable {
    var port: UInt16 = 0
    var target = DNSName.local
  }
  var name = DNSName.local
  var ttlSeconds = 120
  var isFlush = false
  var address: IPAddress?
  var pointer: DNSName?
  var service: Service?
  var text: String?

  init() {}

  init(_ record: DNSRecord) {
    (name, ttlSeconds, isFlush) = (record.name, Int(record.ttlSeconds), record.isCacheFlush)
    switch record.data {
    case .address(let one): address = one
    case .ptr(let target): pointer = target
    case .srv(_, _, let port, let target): service = Service(port: port, target: target)
    case .txt(let bytes): text = String(decoding: bytes.dropFirst(), as: UTF8.self)
    default: break
    }
  }

  var record: DNSRecord? {
    let data: DNSData?
    if let address {
      data = .address(address)
    } else if let pointer {
      data = .ptr(pointer)
    } else if let service {
      data = .srv(priority: 0, weight: 0, port: service.port, target: service.target)
    } else {
      data = text.map { .txt([UInt8($0.utf8.count)] + $0.utf8) }
    }
    return data.map { DNSRecord(name, $0, ttlSeconds: UInt32(ttlSeconds), isCacheFlush: isFlush) }
  }
}

extension Form<RecordDraft.Service> {
  fileprivate static let target = Form.record(
    RecordDraft.Service(),
    [
      .required("port", \.port, .port, "The port."),
      .required("target", \.target, .dnsName, "The name of the host."),
    ])
}

extension Form<DNSRecord> {
  private static let choice = Choice(name: "data", isRequired: true)

  fileprivate static let testerRecord = Form<RecordDraft>.record(
    RecordDraft(),
    [
      .required("name", \.name, .dnsName, "The name; '*' stands for the one that the triggering message asks for."),
      .key("ttl", \.ttlSeconds, .seconds(0...2_147_483_647), default: 120, "How long it lives."),
      .key("flush", \.isFlush, .bool, default: false, "Whether the cache-flush bit is set."),
      .optional("address", \.address, .address, choice: choice, "A or AAAA."),
      .optional("ptr", \.pointer, .dnsName, choice: choice, "PTR: the name that it points to."),
      .optional("srv", \.service, .target, choice: choice, "SRV: where a service is."),
      .optional("txt", \.text, .testerText, choice: choice, "TXT with one string."),
    ]
  ).map({ draft, _, _ in draft.record }, back: { RecordDraft($0) })
}

extension Form<String> {
  fileprivate static let testerText = Form.scalar(
    "a string", example: "a=b", upTo: "255 bytes", schema: Schema(.members(("type", .string("string")))),
    print: { $0 }, parse: { $0.utf8.count > TXTRecord.stringBytesMaximum ? .tooLarge : .value($0) })
}

/// A line as it is written.
private struct LineDraft: Hashable, Sendable {
  var at: Interval?
  var probe: String?
  var query: String?
  var after = Interval.zero
  var every = Interval.zero
  var times = 1
  var ask: [DNSQuestion] = []
  var known: [DNSRecord] = []
  var say: [DNSRecord] = []
  var propose: [DNSRecord] = []
  var isTruncated = false
  var port = Endpoint.mdnsPort
  var to: IPAddress?

  init() {}

  init(_ line: MDNSTester.Line) {
    switch line.trigger {
    case .at(let at, let every, let times): (self.at, self.every, self.times) = (at, every, times)
    case .probe(let label, let after, let times):
      (probe, self.after, self.times) = (String(decoding: label, as: UTF8.self), after, times)
    case .query(let label, let after, let times):
      (query, self.after, self.times) = (String(decoding: label, as: UTF8.self), after, times)
    }
    (ask, propose, isTruncated, port, to) = (
      line.questions, line.proposed, line.isTruncated, line.sourcePort, line.destination
    )
    if line.isResponse { say = line.records } else { known = line.records }
  }

  /// Whether everything that is written has a meaning; complains of a key that would be dropped.
  func isWhole(_ tree: Tree, _ reader: inout Reader) -> Bool {
    let excluded: [(key: String, other: String, isExcluded: Bool, why: String)] = [
      ("known", "say", !known.isEmpty && !say.isEmpty, "only a query has known answers"),
      ("after", "at", at != nil && after != .zero, "it counts from a probe or query"),
      ("every", "on-probe", probe != nil && every != .zero, "only a line with 'at' is sent again by the clock"),
      ("every", "on-query", query != nil && every != .zero, "only a line with 'at' is sent again by the clock"),
    ]
    guard let one = excluded.first(where: { $0.isExcluded }) else { return true }
    let mark = tree.entries?.first { $0.key == one.key }?.keyMark ?? tree.mark
    reader.complain("'\(one.key)' cannot stand beside '\(one.other)': \(one.why)", at: mark)
    return false
  }

  var line: MDNSTester.Line? {
    let trigger: MDNSTester.Trigger
    if let at {
      trigger = .at(at, every: every, times: times)
    } else if let probe {
      trigger = .probe(label: Array(probe.utf8), after: after, times: times)
    } else if let query {
      trigger = .query(label: Array(query.utf8), after: after, times: times)
    } else {
      return nil
    }
    return MDNSTester.Line(
      trigger, questions: ask, records: say.isEmpty ? known : say, proposed: propose, isResponse: !say.isEmpty,
      isTruncated: isTruncated, sourcePort: port, destination: to)
  }
}

extension Form<MDNSTester.Line> {
  private static let trigger = Choice(name: "trigger", isRequired: true)
  private static let records = Form<[DNSRecord]>.list(of: .testerRecord, countMaximum: 256)

  static let mdnsTesterLine = Form<LineDraft>.record(
    LineDraft(),
    [
      .optional("at", \.at, .duration, choice: trigger, "When, after it joined the network."),
      .optional(
        "on-probe", \.probe, .dnsLabel, choice: trigger, "At a probe for a name whose first label begins so."),
      .optional(
        "on-query", \.query, .dnsLabel, choice: trigger, "At a query for a name whose first label begins so."),
      .key("after", \.after, .duration, default: .zero, "How long after such a message; not beside 'at'."),
      .key("every", \.every, .duration, default: .zero, "From one time to the next, beside 'at'."),
      .key("times", \.times, .integer(1...100_000), default: 1, "How often."),
      .key(
        "ask", \.ask, .list(of: .question, countMaximum: 256), default: [],
        "The questions of a query, or of a response, which should have none."),
      .key("known", \.known, records, default: [], "What the query knows; not beside 'say'."),
      .key("say", \.say, records, default: [], "The answers of a response."),
      .key(
        "propose", \.propose, records, default: [],
        "What a probe proposes: the authority section, also of a response."),
      .key("truncated", \.isTruncated, .bool, default: false, "Whether TC is set."),
      .key("port", \.port, .port, default: Endpoint.mdnsPort, "From which port."),
      .optional("to", \.to, .address, "To one host; to the groups by default."),
    ],
    check: { draft, tree, reader in draft.isWhole(tree, &reader) }
  ).map({ draft, _, _ in draft.line }, back: { LineDraft($0) })
}

extension Form<MDNSQuirk> {
  static let mdnsQuirk = Form.word("a quirk", MDNSQuirk.allCases.map { (name: $0.rawValue, value: $0) })
}
