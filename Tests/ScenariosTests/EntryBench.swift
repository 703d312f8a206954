@testable import RollcallScenarios

/// One form alone, of a text on one line.
enum EntryBench {
  struct Answer<Value: Sendable>: Sendable {
    /// `nil`: nothing was read.
    var value: Value?
    /// How that is written, in flow style.
    var written: String?
    /// Each complaint behind its line and column.
    var said: [String]
  }

  static func read<Value: Sendable>(_ form: Form<Value>, _ yaml: String) throws -> Answer<Value> {
    var reader = Reader()
    let value = form.read(try Composer.tree(of: yaml).get(), &reader)
    let said = reader.complaints.map { "\($0.mark.line):\($0.mark.column) \($0.message)" }
    return Answer(value: value, written: value.map { form.write($0, false).flow }, said: said)
  }
}
