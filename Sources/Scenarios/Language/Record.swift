/// Keys of which at most one may stand in a mapping, and one must if that `isRequired`; one group a mapping.
struct Choice: Hashable, Sendable {
  var name: String
  var isRequired = true
}

/// One key of a mapping: what it means, how its value is written, and where it goes.
struct Field<Root: Sendable>: Sendable {
  var key: String
  /// One sentence for an editor.
  var about: String
  var schema: Schema
  var isRequired = false
  var choice: Choice?
  /// What counts where the key is left out, if that is one word.
  var fallback: String?
  /// Another spelling that is read and never written: as JSON lines have it.
  var alias: String?
  var read: @Sendable (Tree, inout Root, inout Reader) -> Void
  /// `nil` where nothing is to be written.
  var write: @Sendable (Root, _ full: Bool) -> Tree?
}

extension Field {
  /// A key with a default: left out where the value is the default.
  static func key<Value: Equatable & Sendable>(
    _ key: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ form: Form<Value>, default fallback: Value,
    _ about: String
  ) -> Field {
    Field(
      key: key, about: about, schema: form.schema,
      fallback: form.write(fallback, true).text.flatMap { $0.isEmpty ? nil : $0 },
      read: { tree, root, reader in if let value = form.read(tree, &reader) { root[keyPath: path] = value } },
      write: { root, full in
        let value = root[keyPath: path]
        return full || value != fallback ? form.write(value, full) : nil
      })
  }

  /// A key that may be absent.
  static func optional<Value: Sendable>(
    _ key: String, _ path: any WritableKeyPath<Root, Value?> & Sendable, _ form: Form<Value>, choice: Choice? = nil,
    _ about: String
  ) -> Field {
    Field(
      key: key, about: about, schema: form.schema, choice: choice,
      read: { tree, root, reader in if let value = form.read(tree, &reader) { root[keyPath: path] = value } },
      write: { root, full in root[keyPath: path].map { form.write($0, full) } })
  }

  /// A key that has to be there.
  static func required<Value: Sendable>(
    _ key: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ form: Form<Value>, _ about: String
  ) -> Field {
    Field(
      key: key, about: about, schema: form.schema, isRequired: true,
      read: { tree, root, reader in if let value = form.read(tree, &reader) { root[keyPath: path] = value } },
      write: { root, full in form.write(root[keyPath: path], full) })
  }

  /// The same key as part of a larger mapping.
  func lifted<Larger: Sendable>(_ path: any WritableKeyPath<Larger, Root> & Sendable) -> Field<Larger> {
    Field<Larger>(
      key: key, about: about, schema: schema, isRequired: isRequired, choice: choice,
      fallback: fallback, alias: alias,
      read: { tree, root, reader in read(tree, &root[keyPath: path], &reader) },
      write: { root, full in write(root[keyPath: path], full) })
  }

  /// The same key with another spelling that is read, too.
  func alias(_ other: String) -> Field {
    var copy = self
    copy.alias = other
    return copy
  }
}

extension Form where Value: Sendable {
  /// A mapping with these keys; anything else in it is an error.
  ///
  /// - Parameter check: looks at the whole after its keys are read; complains, and returns whether the value can be
  ///   used.
  static func record(
    _ empty: Value, _ fields: [Field<Value>],
    check: (@Sendable (Value, Tree, inout Reader) -> Bool)? = nil
  ) -> Form {
    Form(
      schema: schema(of: fields),
      read: { tree, reader in read(tree, empty, fields, check, &reader) },
      write: { value, full in
        .mapping(fields.compactMap { field in field.write(value, full).map { (field.key, $0) } })
      })
  }

  private static func read(
    _ tree: Tree, _ empty: Value, _ fields: [Field<Value>],
    _ check: (@Sendable (Value, Tree, inout Reader) -> Bool)?, _ reader: inout Reader
  ) -> Value? {
    guard case .mapping(let entries) = tree.content else {
      reader.wrongKind(tree, expected: "a mapping")
      return nil
    }
    let before = reader.complaints.count
    var value = empty
    var chosen: [(choice: Choice, key: String)] = []
    for entry in entries {
      guard let field = fields.first(where: { $0.key == entry.key || $0.alias == entry.key }) else {
        reader.complain(
          "unknown key '\(shortened(entry.key))'" + suggestion(for: entry.key, of: fields.map(\.key)),
          at: entry.keyMark)
        continue
      }
      if let choice = field.choice {
        if let other = chosen.first(where: { $0.choice == choice }) {
          reader.complain("'\(entry.key)' cannot stand beside '\(other.key)': only one of them", at: entry.keyMark)
          continue
        }
        chosen.append((choice, field.key))
      }
      reader.within(.key(entry.key)) { field.read(entry.value, &value, &$0) }
    }
    for field in fields where field.isRequired && !entries.contains(where: { $0.key == field.key }) {
      reader.complain("missing key '\(field.key)'", at: tree.mark)
    }
    for choice in choices(of: fields)
    where choice.name.isRequired && !chosen.contains(where: { $0.choice == choice.name }) {
      // An unknown key in a mapping that must make a choice is most likely the choice, misspelt.
      if reader.complaints.count > before { continue }
      reader.complain("missing one of the keys " + choice.keys.joined(separator: ", "), at: tree.mark)
    }
    // After the limit no complaint is added any more, so a full list means a failed reading too.
    if reader.complaints.count > before || reader.complaints.count == ScenarioErrors.countMaximum { return nil }
    if let check, !check(value, tree, &reader) { return nil }
    return value
  }

  private static func choices(of fields: [Field<Value>]) -> [(name: Choice, keys: [String])] {
    var choices: [(name: Choice, keys: [String])] = []
    for field in fields {
      guard let name = field.choice else { continue }
      if let position = choices.firstIndex(where: { $0.name == name }) {
        choices[position].keys.append(field.key)
      } else {
        choices.append((name, [field.key]))
      }
    }
    return choices
  }

  private static func schema(of fields: [Field<Value>]) -> Schema {
    let properties = fields.map { field in
      // A reference and a description side by side are allowed since draft 2019-09.
      let json = field.schema.json.adding("description", .string(field.about))
      return JSONValue.Member(
        field.key, field.fallback.map { json.adding("default", JSONValue.word($0)) } ?? json)
    }
    var json = JSONValue.members(
      ("type", .string("object")), ("properties", .object(properties)), ("additionalProperties", .bool(false)))
    let required = fields.filter(\.isRequired).map { JSONValue.string($0.key) }
    if !required.isEmpty { json = json.adding("required", .array(required)) }
    for choice in choices(of: fields) where choice.name.isRequired {
      json = json.adding(
        "oneOf", .array(choice.keys.map { .members(("required", .array([.string($0)]))) }))
    }
    return Schema(json, definitions: fields.reduce([]) { Schema.merged($0, $1.schema.definitions) })
  }
}
