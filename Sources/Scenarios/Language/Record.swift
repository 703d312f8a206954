import RollcallWire

/// Keys of which at most one may stand in a mapping, and one must if that `isRequired`; one group a mapping.
struct Choice: Hashable, Sendable {
  var name: String
  var isRequired = true
}

/// What a key of a mapping is, whatever the type of the whole: its name, what it means, how its value is written.
struct Key: Sendable {
  var name: String
  /// One sentence for an editor.
  var about: String
  var schema: Schema
  var isRequired = false
  var choice: Choice?
  /// What counts where the key is left out, if that is one word.
  var fallback: String?
  /// Another spelling that is read and never written: as JSON lines have it.
  var alias: String?
}

/// One key of a mapping, and where its value goes.
struct Field<Root: Sendable>: Sendable {
  var key: Key
  var read: @Sendable (Tree, inout Root, inout Reader) -> Void
  /// `nil` where nothing is to be written.
  var write: @Sendable (Root, _ full: Bool) -> Tree?
}

extension Field {
  /// A key with a default: left out where the value is the default.
  @_semantics("optimize.sil.specialize.generic.never")
  static func key<Value: Equatable & Sendable>(
    _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ form: Form<Value>, default fallback: Value,
    _ about: String
  ) -> Field {
    Field(
      key: Key(
        name: name, about: about, schema: form.schema,
        fallback: form.write(fallback, true).text.flatMap { $0.isEmpty ? nil : $0 }),
      read: { tree, root, reader in if let value = form.read(tree, &reader) { root[keyPath: path] = value } },
      write: { root, full in
        let value = root[keyPath: path]
        return full || value != fallback ? form.write(value, full) : nil
      })
  }

  /// A key that may be absent.
  @_semantics("optimize.sil.specialize.generic.never")
  static func optional<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<Root, Value?> & Sendable, _ form: Form<Value>, choice: Choice? = nil,
    _ about: String
  ) -> Field {
    Field(
      key: Key(name: name, about: about, schema: form.schema, choice: choice),
      read: { tree, root, reader in if let value = form.read(tree, &reader) { root[keyPath: path] = value } },
      write: { root, full in root[keyPath: path].map { form.write($0, full) } })
  }

  /// A key that has to be there.
  @_semantics("optimize.sil.specialize.generic.never")
  static func required<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ form: Form<Value>, _ about: String
  ) -> Field {
    Field(
      key: Key(name: name, about: about, schema: form.schema, isRequired: true),
      read: { tree, root, reader in if let value = form.read(tree, &reader) { root[keyPath: path] = value } },
      write: { root, full in form.write(root[keyPath: path], full) })
  }

  /// The same key as part of a larger mapping.
  @_semantics("optimize.sil.specialize.generic.never")
  func lifted<Larger: Sendable>(_ path: any WritableKeyPath<Larger, Root> & Sendable) -> Field<Larger> {
    Field<Larger>(
      key: key,
      read: { tree, root, reader in read(tree, &root[keyPath: path], &reader) },
      write: { root, full in write(root[keyPath: path], full) })
  }

  /// The same key with another spelling that is read, too.
  func alias(_ other: String) -> Field {
    var copy = self
    copy.key.alias = other
    return copy
  }
}

extension Form {
  /// A mapping with these keys; anything else in it is an error.
  ///
  /// - Parameter check: looks at the whole after its keys are read; complains, and returns whether the value can be
  ///   used.
  @_semantics("optimize.sil.specialize.generic.never")
  static func record(
    _ empty: Value, _ fields: [Field<Value>],
    check: (@Sendable (Value, Tree, inout Reader) -> Bool)? = nil
  ) -> Form {
    let keys = Keys(fields.map(\.key))
    // Else a value that is the default is left out, and read back as another one.
    assert(
      fields.allSatisfy { $0.key.fallback == nil || $0.write(empty, false) == nil },
      "what \(Value.self) holds at first is not what its keys have by default")
    return Form(
      schema: keys.schema,
      read: { tree, reader in
        var value = empty
        let isWhole = keys.read(tree, &reader) { fields[$0].read($1, &value, &$2) }
        guard isWhole, check.map({ $0(value, tree, &reader) }) ?? true else { return nil }
        return value
      },
      write: { value, full in keys.write { fields[$0].write(value, full) } })
  }
}

/// The keys of one mapping. All that does not depend on the type of the value is here, so that it is compiled once and
/// not once a type.
private struct Keys: Sendable {
  let keys: [Key]
  private let choices: [(name: Choice, keys: [String])]

  init(_ keys: [Key]) {
    self.keys = keys
    var choices: [(name: Choice, keys: [String])] = []
    for key in keys {
      guard let name = key.choice else { continue }
      if let position = choices.firstIndex(where: { $0.name == name }) {
        choices[position].keys.append(key.name)
      } else {
        choices.append((name, [key.name]))
      }
    }
    self.choices = choices
  }

  func write(_ value: (Int) -> Tree?) -> Tree {
    .mapping(keys.indices.compactMap { index in value(index).map { (keys[index].name, $0) } })
  }

  /// Hands the value of each key that stands in `tree` to `take`, by the number of the key; returns whether all is well.
  func read(_ tree: Tree, _ reader: inout Reader, _ take: (Int, Tree, inout Reader) -> Void) -> Bool {
    guard case .mapping(let entries) = tree.content else {
      reader.wrongKind(tree, expected: "a mapping")
      return false
    }
    let before = reader.complaints.count
    var chosen: [(choice: Choice, key: String)] = []
    for entry in entries {
      guard let index = keys.firstIndex(where: { $0.name == entry.key || $0.alias == entry.key }) else {
        reader.complain(
          "unknown key '\(shortened(entry.key))'" + suggestion(for: entry.key, of: keys.map(\.name)),
          at: entry.keyMark)
        continue
      }
      if let choice = keys[index].choice {
        if let other = chosen.first(where: { $0.choice == choice }) {
          reader.complain("'\(entry.key)' cannot stand beside '\(other.key)': only one of them", at: entry.keyMark)
          continue
        }
        chosen.append((choice, keys[index].name))
      }
      reader.within(.key(entry.key)) { take(index, entry.value, &$0) }
    }
    for key in keys where key.isRequired && !entries.contains(where: { $0.key == key.name }) {
      reader.complain("missing key '\(key.name)'", at: tree.mark)
    }
    for choice in choices
    where choice.name.isRequired && !chosen.contains(where: { $0.choice == choice.name }) {
      // An unknown key in a mapping that must make a choice is most likely the choice, misspelt.
      if reader.complaints.count > before { continue }
      reader.complain("missing one of the keys " + choice.keys.joined(separator: ", "), at: tree.mark)
    }
    // After the limit no complaint is added any more, so a full list means a failed reading too.
    return reader.complaints.count == before && reader.complaints.count < ScenarioErrors.countMaximum
  }

  var schema: Schema {
    let properties = keys.map { key in
      // A reference and a description side by side are allowed since draft 2019-09.
      let json = key.schema.json.adding("description", .string(key.about))
      return JSONValue.Member(key.name, key.fallback.map { json.adding("default", JSONValue.word($0)) } ?? json)
    }
    var json = JSONValue.members(
      ("type", .string("object")), ("properties", .object(properties)), ("additionalProperties", .bool(false)))
    let required = keys.filter(\.isRequired).map { JSONValue.string($0.name) }
    if !required.isEmpty { json = json.adding("required", .array(required)) }
    for choice in choices where choice.name.isRequired {
      json = json.adding(
        "oneOf", .array(choice.keys.map { .members(("required", .array([.string($0)]))) }))
    }
    return Schema(json, definitions: keys.reduce([]) { Schema.merged($0, $1.schema.definitions) })
  }
}
