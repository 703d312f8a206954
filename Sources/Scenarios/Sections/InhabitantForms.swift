import RollcallDevices
import RollcallPrimitives

extension Form<[InhabitantEntry]> {
  static let inhabitants = Form<[Named<InhabitantEntry>]>.named("inhabitants", .inhabitant).map(
    { named, _, _ in
      named.map { item in
        var entry = item.value
        entry.name = item.name
        return entry
      }
    }, back: { $0.map { Named($0.name, $0) } })
}

extension Form<InhabitantEntry> {
  /// The keys depend on `kind`, which stands anywhere in the mapping.
  static let inhabitant: Form = {
    let kinds = InhabitantKind.forms
    return Form(
      schema: .any(of: kinds.map(\.form.schema)).named("inhabitant"),
      read: { tree, reader in
        guard let entries = tree.entries else {
          reader.wrongKind(tree, expected: "a mapping")
          return nil
        }
        let names = kinds.map(\.name)
        guard let kind = entries.first(where: { $0.key == "kind" })?.value else {
          reader.complain("missing key 'kind': one of " + names.joined(separator: ", "), at: tree.mark)
          return nil
        }
        guard let name = kind.text, let form = kinds.first(where: { $0.name == name })?.form else {
          let text = kind.text ?? ""
          reader.within(.key("kind")) {
            $0.complain("unknown kind '\(shortened(text))'" + suggestion(for: text, of: names), at: kind.mark)
          }
          return nil
        }
        return form.read(tree, &reader)
      },
      write: { entry, full in
        guard let form = kinds.first(where: { $0.name == entry.kind.name })?.form else { return Tree(.nothing) }
        return form.write(entry, full)
      })
  }()

  /// The form of one kind: its own keys and those that all inhabitants have.
  static func of<Section: Sendable>(
    _ name: String, _ empty: Section, _ fields: [Field<Section>],
    wrap: @escaping @Sendable (Section) -> InhabitantKind, unwrap: @escaping @Sendable (InhabitantKind) -> Section?
  ) -> (name: String, form: Form<InhabitantEntry>) {
    let head: [Field<InhabitantEntry>] = [
      Field<InhabitantEntry>(
        key: "kind", about: "What it is.", schema: Schema(.members(("const", .string(name)))), isRequired: true,
        read: { _, _, _ in }, write: { _, _ in .scalar(name) }),
      .key("count", \.count, .integer(1...20_000), default: 1, "How many; they are called name-1, name-2 …"),
      .key("appear", \.appear, .appearance, default: .at(.zero), "When it joins the network."),
    ]
    let own = fields.map { field in
      Field<InhabitantEntry>(
        key: field.key, about: field.about, schema: field.schema, isRequired: field.isRequired, choice: field.choice,
        read: { tree, entry, reader in
          var section = unwrap(entry.kind) ?? empty
          field.read(tree, &section, &reader)
          entry.kind = wrap(section)
        }, write: { entry, full in unwrap(entry.kind).flatMap { field.write($0, full) } })
    }
    let form = Form.record(
      InhabitantEntry("", wrap(empty)), head + own + HostSection.fields.map { $0.lifted(\.host) })
    return (name, form)
  }
}

extension Form<Appearance> {
  /// `0s`, `1s..3s`, `never`.
  static let appearance = Form.scalar(
    "an appearance", example: "0s, 1s..3s or never", hasUnit: true, upTo: Number.longestInterval,
    schema: Schema(.members(("type", .string("string")))),
    print: { appearance in
      switch appearance {
      case .at(let instant): instant.sinceStart.description
      case .within(let range): "\(range.lowerBound.sinceStart)..\(range.upperBound.sinceStart)"
      case .never: "never"
      }
    },
    parse: { text in
      if text == "never" { return .value(.never) }
      return Number.range(text, Number.interval).map { range -> Appearance? in
        if Number.ends(text) == nil { return .at(.zero + range.lowerBound) }
        return .within((.zero + range.lowerBound)...(.zero + range.upperBound))
      }
    })
}

extension RootDeviceSection {
  private static let type = Form<String>.line("a type", example: "urn:schemas-upnp-org:device:Basic:1")

  static let fields: [Field<RootDeviceSection>] = [
    .key(
      "profile", \.profile, .profile, default: RootDeviceSection().profile,
      "What is not said is as this model "
        + "has it."),
    .key("quirks", \.quirks, .list(of: .quirk, countMaximum: 64), default: [], "Its bad habits, in order."),
    .optional("device-type", \.deviceType, type, "The type of the root device."),
    .optional("services", \.services, .list(of: type, countMaximum: 64), "The types of its services."),
    .optional("embedded", \.embedded, .list(of: .embedded, countMaximum: 32), "Its embedded devices."),
    .optional("uda", \.uda, .uda, "The version of UDA that it claims."),
    .optional(
      "server", \.server, .line("a SERVER value", example: "Linux/6.6 UPnP/2.0 TV/1.0"),
      "SERVER, as it goes on the wire."),
    .optional("uuid", \.uuid, .uuid, "Its UUID; made of its name by default."),
    .optional("uuid-style", \.uuidStyle, .uuidStyle, "How it prints its UUID."),
    .optional("max-age", \.maxAge, .seconds(0...2_147_483_647), "The lease that it asks for."),
    .optional("boot-id", \.bootID, .number32, "BOOTID of the first start."),
    .optional("config-id", \.configID, .number32, "CONFIGID of the first description."),
    .optional("port", \.port, .port, "The TCP port of its description."),
    .optional("path", \.path, .line("a path", example: "/description.xml"), "The path of its description."),
    .optional("secure-port", \.securePort, .port, "Where the description is served over TLS as well."),
    .optional("searchport", \.searchPort, .port, "Where it hears unicast searches, if not on 1900."),
    .optional("notify-port", \.notifyPort, .port, "The port that its NOTIFY messages come from."),
    .optional("ttl", \.ttl, .integer(0...255), "TTL of its multicast."),
    .optional("repeats", \.repeats, .integer(0...100), "How often it sends the whole set at a start."),
    .optional("renewal-repeats", \.renewalRepeats, .integer(0...100), "How often it sends the whole set at a renewal."),
    .optional("byebye-repeats", \.byebyeRepeats, .integer(0...100), "How often it sends its byebye set."),
    .optional("start-jitter", \.startJitter, .durations, "How long it waits before its first set."),
    .optional("set-gap", \.setGap, .durations, "From the end of a set to its repetition."),
    .optional("message-spacing", \.messageSpacing, .durations, "From one message of a set to the next."),
    .optional("renewal", \.renewal, .durations, "From one announcement to the next, whatever max-age says."),
  ]
}

extension Form<EmbeddedSection> {
  static let embedded = Form.record(
    EmbeddedSection(type: ""),
    [
      .required("type", \.type, .line("a type", example: "urn:schemas-upnp-org:device:Basic:1"), "Its type."),
      .key(
        "services", \.services, .list(of: .line("a type", example: "urn:schemas-upnp-org:service:Dimming:1")),
        default: [],
        "The types of its services."),
      .optional("uuid", \.uuid, .uuid, "Its UUID; follows from the root's by default."),
    ])
}

extension Form<UDAVersion> {
  static let uda: Form = {
    var form = Form.word("a version of UDA")
    // An editor takes 2.0 for a number; the reader takes it as written.
    form.schema = .any(of: [form.schema, Schema(.members(("type", .string("number"))))])
    return form
  }()
}

extension Form<DeviceUUID> {
  static let uuid = Form.scalar(
    "a UUID", example: "2fac1234-31f8-41b4-a222-08002b34c003",
    schema: Schema(
      .members(
        ("type", .string("string")), ("pattern", .string("^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")))),
    print: { $0.text(.standard) }, parse: { DeviceUUID($0) })
}

extension Form<DeviceUUID.Style> {
  static let uuidStyle = Form.word(
    "a style", [("standard", .standard), ("capitals", .capitals), ("serial-number", .serialNumber)])
}
