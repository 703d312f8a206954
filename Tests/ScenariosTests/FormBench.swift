import RollcallExpectations
import Testing

@testable import RollcallScenarios

/// One form alone, without a document around it.
enum FormBench {
  static func tree(_ yaml: String) throws -> Tree { try Composer.tree(of: yaml).get() }

  /// A list of so many of these.
  static func many(_ count: Int, _ item: Tree) -> Tree { .list(Array(repeating: item, count: count)) }

  // MARK: What is read

  /// What it reads, and all that it says against it. What is read is also written, and reads back as the same.
  static func read<Value: Equatable & Sendable>(_ form: Form<Value>, _ tree: Tree) -> (value: Value?, said: [String]) {
    var reader = Reader()
    let value = form.read(tree, &reader)
    if let value {
      var second = Reader()
      expectEqual(form.read(form.write(value, false), &second), value)
    }
    return (value, reader.complaints.map(\.message))
  }

  static func read<Value: Equatable & Sendable>(
    _ form: Form<Value>, _ yaml: String
  ) throws -> (value: Value?, said: [String]) {
    try read(form, tree(yaml))
  }

  struct Answer<Value: Sendable>: Sendable {
    /// `nil`: nothing was read.
    var value: Value?
    /// How that is written, in flow style.
    var written: String?
    /// Each complaint behind its line and column.
    var said: [String]
  }

  static func answer<Value: Sendable>(_ form: Form<Value>, _ yaml: String) throws -> Answer<Value> {
    var reader = Reader()
    let value = form.read(try tree(yaml), &reader)
    let said = reader.complaints.map { "\($0.mark.line):\($0.mark.column) \($0.message)" }
    return Answer(value: value, written: value.map { form.write($0, false).flow }, said: said)
  }

  /// The value of one text and how it is written, `2500 as 2.5dB`; or what is said against it.
  static func line<Value: Equatable & Sendable>(_ form: Form<Value>, _ text: String) -> String {
    let (value, said) = read(form, .scalar(text))
    guard let value else { return said.joined(separator: "\n") }
    return "\(value) as \(form.write(value, false).scalarText ?? "no scalar")"
  }

  // MARK: What is expected

  /// Each text gives this line.
  static func check<Value: Equatable & Sendable>(_ form: Form<Value>, _ rows: [(text: String, line: String)]) {
    for (text, line) in rows { expectEqual(self.line(form, text), line, "\(text)") }
  }

  /// The text is refused, and this is said.
  static func refuses<Value: Equatable & Sendable>(_ form: Form<Value>, _ yaml: String, _ said: [String]) throws {
    let found = try read(form, yaml)
    #expect(found.value == nil, "\(yaml)")
    expectEqual(found.said, said, "\(yaml)")
  }

  /// The text is read as `value`, which is written as this text.
  static func means<Value: Equatable & Sendable>(_ form: Form<Value>, _ yaml: String, _ value: Value) throws {
    try reads(form, yaml, value)
    expectEqual(form.write(value, false).flow, yaml)
  }

  /// The text is read as `value`.
  static func reads<Value: Equatable & Sendable>(_ form: Form<Value>, _ yaml: String, _ value: Value) throws {
    let found = try read(form, yaml)
    expectEqual(found.value, value, "\(yaml)")
    expectEqual(found.said, [], "\(yaml)")
  }
}
