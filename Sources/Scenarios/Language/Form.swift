import RollcallWire

/// How a value is written in a scenario: read from a tree, written to a tree, and described for an editor. All three in
/// one place, so that decoder, writer and schema cannot drift apart.
///
/// The functions that make forms are not specialised for each type of value (`@_semantics`): they run once a document,
/// and their copies for more than forty types took half of the time that this room takes to compile.
struct Form<Value: Sendable>: Sendable {
  var schema: Schema
  /// `nil` after a complaint.
  var read: @Sendable (Tree, inout Reader) -> Value?
  /// With `full`, values that equal their default are written too.
  var write: @Sendable (Value, _ full: Bool) -> Tree

  /// The same form with another type: `make` may refuse with a complaint of its own.
  @_semantics("optimize.sil.specialize.generic.never")
  func map<Other: Sendable>(
    _ make: @escaping @Sendable (Value, Tree, inout Reader) -> Other?, back: @escaping @Sendable (Other) -> Value
  ) -> Form<Other> {
    Form<Other>(
      schema: schema,
      read: { tree, reader in read(tree, &reader).flatMap { make($0, tree, &reader) } },
      write: { write(back($0), $1) })
  }

  /// The same form as a named part of the schema.
  func named(_ name: String) -> Form {
    var copy = self
    copy.schema = schema.named(name)
    return copy
  }
}

/// Collects complaints on the way through a tree.
struct Reader {
  private(set) var complaints: [Complaint] = []
  var path = TreePath()

  mutating func complain(_ message: String, at mark: Tree.Mark) {
    if complaints.count < ScenarioErrors.countMaximum {
      complaints.append(Complaint(path: path, mark: mark, message: message))
    }
  }

  mutating func within<Result>(_ step: TreePath.Step, _ body: (inout Reader) -> Result) -> Result {
    path.steps.append(step)
    defer { path.steps.removeLast() }
    return body(&self)
  }

  mutating func wrongKind(_ tree: Tree, expected: String) {
    let found =
      switch tree.content {
      case .nothing: "nothing"
      case .scalar(let text): "'\(shortened(text))'"
      case .list(let items): items.isEmpty ? "an empty list" : "a list"
      case .mapping: "a mapping"
      }
    complain("expected \(expected), found \(found)", at: tree.mark)
  }
}

/// At most 40 characters of what somebody wrote, on one line.
func shortened(_ text: String) -> String {
  let line = String(text.prefix(40).map { $0.isNewline ? " " : $0 })
  return text.count > 40 ? line + "…" : line
}

extension Form {
  /// A scalar that `parse` understands; `noun` and `example` are for the person who wrote something else.
  ///
  /// - Parameter hasUnit: whether a number alone lacks its unit.
  @_semantics("optimize.sil.specialize.generic.never")
  static func scalar(
    _ noun: String, example: String, hasUnit: Bool = false, schema: Schema,
    print: @escaping @Sendable (Value) -> String, parse: @escaping @Sendable (String) -> Value?
  ) -> Form {
    scalar(
      noun, example: example, hasUnit: hasUnit, upTo: "", schema: schema, print: print,
      parse: { text in parse(text).map { Reading<Value>.value($0) } ?? .malformed })
  }

  /// The same for what has a bound; `bound` is for the person who wrote more.
  @_semantics("optimize.sil.specialize.generic.never")
  static func scalar(
    _ noun: String, example: String, hasUnit: Bool = false, upTo bound: String, schema: Schema,
    print: @escaping @Sendable (Value) -> String, parse: @escaping @Sendable (String) -> Reading<Value>
  ) -> Form {
    Form(
      schema: schema,
      read: { tree, reader in
        guard case .scalar(let text) = tree.content else {
          reader.wrongKind(tree, expected: "\(noun) such as \(example)")
          return nil
        }
        switch parse(text) {
        case .value(let value): return value
        case .tooLarge:
          reader.complain("'\(shortened(text))' is too large: \(noun) goes up to \(bound)", at: tree.mark)
        // A bare number is the commonest slip: somebody forgot the unit.
        case .malformed where hasUnit && Number.decimal(text) != nil:
          reader.complain("'\(text)' has no unit: \(noun) is written such as \(example)", at: tree.mark)
        case .malformed:
          reader.complain("'\(shortened(text))' is not \(noun) such as \(example)", at: tree.mark)
        }
        return nil
      },
      write: { value, _ in .scalar(print(value)) })
  }

  /// One of two forms, told apart by the shape of what is written.
  @_semantics("optimize.sil.specialize.generic.never")
  static func either(
    _ first: Form, or second: Form, isSecond: @escaping @Sendable (Tree) -> Bool,
    writesSecond: @escaping @Sendable (Value) -> Bool
  ) -> Form {
    Form(
      schema: .any(of: [first.schema, second.schema]),
      read: { isSecond($0) ? second.read($0, &$1) : first.read($0, &$1) },
      write: { writesSecond($0) ? second.write($0, $1) : first.write($0, $1) })
  }

  /// A list of these.
  @_semantics("optimize.sil.specialize.generic.never")
  static func list<Element: Sendable>(
    of element: Form<Element>, isEmptyAllowed: Bool = true, countMaximum: Int = 10_000
  ) -> Form where Value == [Element] {
    var members = [JSONValue.Member("type", .string("array")), JSONValue.Member("items", element.schema.json)]
    if !isEmptyAllowed { members.append(JSONValue.Member("minItems", .integer(1))) }
    return Form(
      schema: Schema(.object(members), definitions: element.schema.definitions),
      read: { tree, reader in
        guard case .list(let items) = tree.content else {
          reader.wrongKind(tree, expected: "a list")
          return nil
        }
        if items.isEmpty, !isEmptyAllowed {
          reader.complain("an empty list, at least one is needed", at: tree.mark)
          return nil
        }
        if items.count > countMaximum {
          reader.complain("a list of \(items.count), at most \(countMaximum) are allowed", at: tree.mark)
          return nil
        }
        var values: [Element] = []
        for (index, item) in items.enumerated() {
          if let value = reader.within(.index(index), { element.read(item, &$0) }) { values.append(value) }
        }
        return values.count == items.count ? values : nil
      },
      write: { values, full in .list(values.map { element.write($0, full) }) })
  }

  /// A mapping from names to these, in the order of the document.
  @_semantics("optimize.sil.specialize.generic.never")
  static func named<Element: Sendable>(_ noun: String, _ element: Form<Element>) -> Form
  where Value == [Named<Element>] {
    Form(
      schema: Schema(
        .members(
          ("type", .string("object")),
          ("propertyNames", .members(("pattern", .string("^[A-Za-z][A-Za-z0-9_-]*$")))),
          ("additionalProperties", element.schema.json)),
        definitions: element.schema.definitions),
      read: { tree, reader in
        guard case .mapping(let entries) = tree.content else {
          reader.wrongKind(tree, expected: "a mapping from names to \(noun)")
          return nil
        }
        var values: [Named<Element>] = []
        for entry in entries {
          if !isName(entry.key) {
            reader.complain(
              "'\(shortened(entry.key))' is no name: letters, digits, '-' and '_', a letter first, at most 64",
              at: entry.keyMark)
            continue
          }
          if let value = reader.within(.key(entry.key), { element.read(entry.value, &$0) }) {
            values.append(Named(entry.key, value))
          }
        }
        return values.count == entries.count ? values : nil
      },
      write: { values, full in .mapping(values.map { ($0.name, element.write($0.value, full)) }) })
  }
}

/// A value and the name that the document gives it.
struct Named<Value: Sendable>: Sendable {
  var name: String
  var value: Value
  init(_ name: String, _ value: Value) { (self.name, self.value) = (name, value) }
}

/// Letters, digits, `-` and `_`, a letter first, at most 64 of them.
func isName(_ text: String) -> Bool {
  let bytes = Array(text.utf8)
  func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }
  guard let first = bytes.first, isLetter(first), bytes.count <= 64 else { return false }
  return bytes.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F }
}
