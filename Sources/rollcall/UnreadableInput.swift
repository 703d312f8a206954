import ArgumentParser
import Harness

/// One input that cannot be read: the others are looked at all the same.
struct UnreadableInput: Error {
  var path: String
  var message: String

  init(_ path: String, _ message: String) { (self.path, self.message) = (path, message) }

  /// For a person, who is told at once, whatever the format of the report.
  var text: String { "\(path): \(message)" }
}

extension TimeStyle: ExpressibleByArgument {}
