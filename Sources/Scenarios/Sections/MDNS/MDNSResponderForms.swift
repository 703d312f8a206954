import RollcallDevices
import RollcallPrimitives
import RollcallWire

extension MDNSResponderSection {
  static let fields: [Field<MDNSResponderSection>] = [
    .optional(
      "host-name", \.hostName, .dnsLabel, "The name of the host, without .local; that of the inhabitant by default."),
    .key("services", \.services, .list(of: .mdnsService, countMaximum: 1_000), default: [], "What it offers."),
    .key(
      "changes", \.changes, .list(of: .mdnsChange, countMaximum: 1_000), default: [],
      "What each 'reconfigure' does, one after the other."),
    .key(
      "quirks", \.quirks, .list(of: .mdnsQuirk, countMaximum: 100), default: [], "How it departs from the standard."),
    .optional(
      "probe-delay", \.probeDelay, .duration,
      "How long it waits before its first probe; by default 0 to 250 ms, by chance."),
  ]
}

extension Form<String> {
  /// A label of a name: 1 to 63 bytes (RFC 1035 §2.3.4).
  static let dnsLabel = Form.scalar(
    "a label of a name", example: "living-room", upTo: "63 bytes",
    schema: Schema(.members(("type", .string("string")), ("minLength", .integer(1)), ("maxLength", .integer(63)))),
    print: { $0 },
    parse: { text -> Reading<String> in
      let bytes = text.utf8
      if bytes.count > DNSName.labelBytesMaximum { return .tooLarge }
      return bytes.isEmpty || bytes.contains { $0 < 0x20 || $0 == 0x7F } ? .malformed : .value(text)
    })
}

extension Form<ServiceType> {
  static let serviceType = Form.scalar(
    "a type of service", example: "_ipp._tcp",
    schema: Schema(.members(("type", .string("string")))), print: \.text,
    parse: { text -> ServiceType? in
      // More labels would be another domain, which is not written.
      let type = DNSName(text + ".local").flatMap { try? ServiceType($0) }
      return type?.domain == DNSName.local ? type : nil
    })
}

extension ServiceType {
  /// Without the domain.
  fileprivate var text: String { "_\(name).\(transport.rawValue)" }
}

extension Form<MDNSService> {
  static let mdnsService = Form.record(MDNSService.plain, fields)

  private static let fields: [Field<MDNSService>] = [
    .required("type", \.type, .serviceType, "The type that it is browsed by."),
    .required("name", \.name, .dnsLabel, "What people call it."),
    .required("port", \.port, .port, "Where it is reached."),
    .key(
      "txt", \.strings, .strings, default: [], "The strings of its TXT record, such as 'rp=printers/a' or 'duplex'."),
    .key(
      "subtypes", \.subtypeNames, .list(of: .dnsLabel, countMaximum: 32), default: [], "Its subtypes, such as _color."),
  ]
}

extension Form<[String]> {
  fileprivate static let strings = Form.list(of: .txtString, countMaximum: 256)
}

extension Form<String> {
  fileprivate static let txtString = Form.scalar(
    "a string of a TXT record", example: "rp=printers/a", upTo: "255 bytes",
    schema: Schema(.members(("type", .string("string")), ("maxLength", .integer(255)))), print: { $0 },
    parse: { $0.utf8.count > TXTRecord.stringBytesMaximum ? .tooLarge : .value($0) })
}

extension MDNSService {
  fileprivate static let plain: MDNSService = {
    guard let type = try? ServiceType("x", .tcp) else { preconditionFailure("a name of one letter is one") }
    return MDNSService(type, "x", port: 0)
  }()

  fileprivate var name: String {
    get { String(decoding: instance, as: UTF8.self) }
    set { instance = Array(newValue.utf8) }
  }

  fileprivate var subtypeNames: [String] {
    get { subtypes.map { String(decoding: $0, as: UTF8.self) } }
    set { subtypes = newValue.map { Array($0.utf8) } }
  }

  fileprivate var strings: [String] {
    get { MDNSService.strings(of: txt) }
    set { txt = MDNSService.txt(of: newValue) }
  }

  /// The strings of a TXT record that this file wrote.
  fileprivate static func strings(of txt: [UInt8]) -> [String] {
    var found: [String] = []
    var rest = txt[...]
    while let count = rest.popFirst(), Int(count) <= rest.count {
      if count > 0 { found.append(String(decoding: rest.prefix(Int(count)), as: UTF8.self)) }
      rest = rest.dropFirst(Int(count))
    }
    return found
  }

  /// One zero byte where there is none (RFC 6763 §6.1).
  fileprivate static func txt(of strings: [String]) -> [UInt8] {
    let bytes = strings.filter { !$0.isEmpty }.flatMap { [UInt8($0.utf8.count)] + $0.utf8 }
    return bytes.isEmpty ? [0] : bytes
  }
}

/// One entry of `changes`, as it is written.
private struct ChangeDraft: Hashable, Sendable {
  struct Text: Hashable, Sendable {
    var of = ""
    var strings: [String] = []
  }
  var add: MDNSService?
  var remove: String?
  var txt: Text?

  init() {}

  init(_ change: MDNSChange) {
    switch change {
    case .add(let service): add = service
    case .remove(let instance): remove = instance
    case .setTXT(let instance, let bytes): txt = Text(of: instance, strings: MDNSService.strings(of: bytes))
    }
  }

  var change: MDNSChange? {
    if let add { return .add(add) }
    if let remove { return .remove(instance: remove) }
    return txt.map { .setTXT(instance: $0.of, MDNSService.txt(of: $0.strings)) }
  }
}

extension Form<MDNSChange> {
  private static let choice = Choice(name: "change", isRequired: true)

  static let mdnsChange = Form<ChangeDraft>.record(
    ChangeDraft(),
    [
      .optional("add", \.add, .mdnsService, choice: choice, "A service that it offers from then on."),
      .optional("remove", \.remove, .dnsLabel, choice: choice, "The name of a service that it withdraws."),
      .optional("txt", \.txt, .text, choice: choice, "The TXT record of a service from then on."),
    ]
  ).map({ draft, _, _ in draft.change }, back: { ChangeDraft($0) })
}

extension Form<ChangeDraft.Text> {
  fileprivate static let text = Form.record(
    ChangeDraft.Text(),
    [
      .required("of", \.of, .dnsLabel, "The name of the service."),
      .key("strings", \.strings, .strings, default: [], "Its strings."),
    ])
}
