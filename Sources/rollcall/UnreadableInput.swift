import ArgumentParser
import RollcallReporting

/// One input that cannot be read: the others are looked at all the same.
struct UnreadableInput: Error {
  var path: String
  var message: String

  /// For a person, at once, whatever the format of the report.
  var text: String

  init(_ path: String, _ message: String) {
    (self.path, self.message, text) = (path, message, "\(path): \(message)")
  }

  /// - Parameter places: a line for each mistake, which begins with file, line and column.
  init(_ path: String, places: String) { (self.path, message, text) = (path, places, places) }
}

extension TimeStyle: ExpressibleByArgument {}
