import RollcallDiscovery
package import RollcallPrimitives
package import RollcallWire

/// What a report has to say of the service that it is about; what is `nil` may be anything.
package struct AttributePattern: Hashable, Sendable {
  /// What people call it.
  package var name: String?
  package var type: ServiceType?
  /// `printer.local`.
  package var host: String?
  package var port: UInt16?
  /// A string of its TXT record.
  package var txt: String?
  package var address: IPAddress?

  package init() {}

  func matches(_ device: DeviceSighting) -> Bool {
    (name == nil || .text(name ?? "") == device[.name])
      && type.map { device[.services]?.text == $0.domainName.description } ?? true
      && host.map { isSameDevice($0, device[.host]?.text ?? "") } ?? true
      && port.map { .number(UInt32($0)) == device[.port] } ?? true
      && txt.map { TXTRecord.strings(inText: device[.txt]?.text ?? "").contains(AttributePattern.shown($0)[...]) }
        ?? true
      && (address == nil || address.map { .ip($0) } == device.locator.address)
  }

  /// A string as the text of a TXT record has it.
  private static func shown(_ string: String) -> String { DNSName.text(of: Array(string.utf8), escaping: ";\\") }

  /// What people read of it.
  var text: String {
    [
      name.map { "name \($0)" }, type.map { "type \($0.domainName)" }, host.map { "host \($0)" },
      port.map { "port \($0)" }, txt.map { "txt \($0)" }, address.map { "address \($0)" },
    ].compactMap { $0 }.joined(separator: ", ")
  }
}

extension Form<AttributePattern> {
  static let attributes = Form.record(
    AttributePattern(),
    [
      .optional("name", \.name, .dnsLabel, "What people call it."),
      .optional("type", \.type, .serviceType, "Its type."),
      .optional("host", \.host, .line("the name of a host", example: "printer.local"), "The host that it is on."),
      .optional("port", \.port, .port, "Its port."),
      .optional(
        "txt", \.txt, .line("a string of a TXT record", example: "rp=printers/a"), "A string of its TXT record."),
      .optional("address", \.address, .address, "The address that it is reported under."),
    ]
  ).named("attributes")
}

extension Form<ServiceBrowse> {
  static let browse = Form.scalar(
    "services to browse", example: "_ipp._tcp, _color._sub._ipp._tcp or all",
    schema: Schema(.members(("type", .string("string")), ("pattern", .string("^(all|.+\\._(tcp|udp))$")))),
    print: \.description,
    parse: { text in
      if text == "all" { return .everything }
      return BrowsedType(text) == nil ? nil : .type(text)
    })
}

extension Form<[ServiceBrowse]> {
  /// One of them, or a list.
  static let browses = Form.either(
    Form<ServiceBrowse>.browse.map({ one, _, _ in [one] }, back: { $0.first ?? .everything }),
    or: .list(of: .browse, countMaximum: 64), isSecond: { $0.items != nil }, writesSecond: { $0.count != 1 })
}
