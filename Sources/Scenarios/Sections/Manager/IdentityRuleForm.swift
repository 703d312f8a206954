import RollcallPrimitives

/// `{manufacturer: 76, form: ipv4, at: 2}`: a rule in its parts.
private struct RuleDraft: Sendable {
  var company: UInt16?
  var service: BluetoothUUID?
  var key: String?
  var form = IdentityRule.Form.uuid
  var offset = 0

  init() {}

  init(_ rule: IdentityRule) {
    (form, offset) = (rule.form, rule.offset)
    switch rule.source {
    case .manufacturerData(let company): self.company = company
    case .serviceData(let service): self.service = service
    case .text(let key): self.key = key
    }
  }

  var rule: IdentityRule? {
    company.map { IdentityRule(.manufacturerData(company: $0), form, at: offset) }
      ?? service.map { IdentityRule(.serviceData($0), form, at: offset) }
      ?? key.map { IdentityRule(.text(key: $0), form) }
  }

  private static let source = Choice(name: "source")

  static let all = Form.record(
    RuleDraft(),
    [
      .optional("manufacturer", \.company, .port, choice: source, "Manufacturer data of the company with this number."),
      .optional("service-data", \.service, .bluetoothUUID, choice: source, "Service data under this UUID."),
      .optional(
        "text", \.key, .line("a key", example: "bt"), choice: source,
        "The value of this key of the text of a service of multicast DNS."),
      .required("form", \.form, .kebab("a form"), "What stands there of the other device."),
      .key(
        "at", \.offset, .integer(0...IdentityRule.offsetMaximum), default: 0,
        "How many bytes of the data stand before it."),
    ],
    check: { draft, tree, reader in
      if draft.key == nil || draft.offset == 0 { return true }
      reader.complain("'at' stands only beside 'manufacturer' and 'service-data'", at: tree.mark)
      return false
    })
}

extension Form<IdentityRule> {
  static let identityRule = RuleDraft.all.map({ draft, _, _ in draft.rule }, back: { RuleDraft($0) })
}
