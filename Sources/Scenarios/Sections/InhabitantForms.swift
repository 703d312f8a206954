import RollcallDevices
import RollcallPrimitives
import RollcallWire

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

  /// The form of one kind: its own keys, those that all inhabitants have, and those of its host.
  @_semantics("optimize.sil.specialize.generic.never")
  static func of<Section: Sendable>(
    _ name: String, _ empty: Section, _ fields: [Field<Section>], host: [Field<HostSection>] = HostSection.fields,
    wrap: @escaping @Sendable (Section) -> InhabitantKind, unwrap: @escaping @Sendable (InhabitantKind) -> Section?
  ) -> (name: String, form: Form<InhabitantEntry>) {
    let head: [Field<InhabitantEntry>] = [
      Field<InhabitantEntry>(
        key: Key(
          name: "kind", about: "What it is.", schema: Schema(.members(("const", .string(name)))), isRequired: true),
        read: { _, _, _ in }, write: { _, _ in .scalar(name) }),
      .key("count", \.count, .integer(1...20_000), default: 1, "How many; they are called name-1, name-2 …"),
      .key("appear", \.appear, .appearance, default: .at(.zero), "When it joins the network."),
    ]
    let own = fields.map { field in
      Field<InhabitantEntry>(
        key: field.key,
        read: { tree, entry, reader in
          var section = unwrap(entry.kind) ?? empty
          field.read(tree, &section, &reader)
          entry.kind = wrap(section)
        }, write: { entry, full in unwrap(entry.kind).flatMap { field.write($0, full) } })
    }
    let form = Form.record(
      InhabitantEntry("", wrap(empty)), head + own + host.map { $0.lifted(\.host) })
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
