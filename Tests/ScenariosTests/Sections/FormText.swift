import RollcallExpectations
import Testing

@testable import RollcallScenarios

/// Forms and the YAML of one value.
enum FormText {
  /// The tree of a value as a document holds it behind a key.
  static func tree(_ yaml: String) throws -> Tree {
    let document = try Composer.tree(of: "x: " + yaml).get()
    return try #require(document.entries?.first).value
  }

  /// What is read, and all that is said against it; what is read is also written, and reads back as the same.
  static func read<Value: Equatable & Sendable>(
    _ form: Form<Value>, _ yaml: String
  ) throws -> (value: Value?, said: [String]) {
    try FormBench.read(form, tree(yaml))
  }

  /// The text is refused, and this is said.
  static func refuses<Value: Equatable & Sendable>(
    _ form: Form<Value>, _ yaml: String, _ said: [String]
  ) throws {
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
