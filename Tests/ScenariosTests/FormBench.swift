import RollcallExpectations

@testable import RollcallScenarios

/// One form alone, without a document around it.
enum FormBench {
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

  /// The value of one text and how it is written, `2500 as 2.5dB`; or what is said against it.
  static func line<Value: Equatable & Sendable>(_ form: Form<Value>, _ text: String) -> String {
    let (value, said) = read(form, .scalar(text))
    guard let value else { return said.joined(separator: "\n") }
    return "\(value) as \(form.write(value, false).scalarText ?? "no scalar")"
  }

  /// A list of so many of these.
  static func many(_ count: Int, _ item: Tree) -> Tree { .list(Array(repeating: item, count: count)) }
}
