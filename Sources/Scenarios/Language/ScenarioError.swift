/// One thing that is wrong in a scenario, with its place.
///
/// Prints as `path.yaml:6:1: error: unknown key 'devcies', did you mean 'devices'? (at network)`; without the place
/// where a scenario was made in Swift (`line` is 0 then).
package struct ScenarioError: Error, Hashable, Sendable, CustomStringConvertible {
  package var file: String
  /// From 1.
  package var line: Int
  /// From 1, in Unicode scalars.
  package var column: Int
  package var message: String

  package init(file: String, line: Int, column: Int, message: String) {
    self.file = file
    self.line = line
    self.column = column
    self.message = message
  }

  package var description: String {
    line == 0 ? "\(file): error: \(message)" : "\(file):\(line):\(column): error: \(message)"
  }
}

/// Everything that is wrong in a scenario, in the order of the file; at least one, at most `countMaximum`.
package struct ScenarioErrors: Error, Hashable, Sendable, CustomStringConvertible {
  package static let countMaximum = 20

  package var errors: [ScenarioError]
  package init(_ errors: [ScenarioError]) { self.errors = errors }

  package var description: String { errors.map(\.description).joined(separator: "\n") }
}

/// What is wrong at a node of a document, before it is known in which file that stands.
package struct Complaint: Hashable, Sendable {
  package var path: TreePath
  package var mark: Tree.Mark
  package var message: String

  func error(in file: String) -> ScenarioError {
    let place = path.steps.isEmpty ? "" : " (at \(path))"
    return ScenarioError(file: file, line: mark.line, column: mark.column, message: message + place)
  }
}

/// The nearest of `known` to what somebody wrote, if it is near enough to be meant.
func nearest(to written: String, of known: [String]) -> String? {
  let left = Array(written.utf8.prefix(64))
  var (best, least) = (String?.none, Int.max)
  for word in known {
    // No distance is less than that of the lengths, so most words need no other look.
    let right = Array(word.utf8.prefix(64))
    if abs(left.count - right.count) >= least { continue }
    let distance = editDistance(left, right)
    if distance < least { (best, least) = (word, distance) }
  }
  guard let best else { return nil }
  // One slip in a short word, a third of a long one; a word of which nothing is left is another word.
  let length = min(written.utf8.count, best.utf8.count)
  let slips = min(length - 1, max(1, length / 3) + (length > 3 ? 1 : 0))
  return least <= slips ? best : nil
}

/// `, did you mean 'x'?` where something is near, else the list of what is known when that is short.
func suggestion(for written: String, of known: [String]) -> String {
  if let near = nearest(to: written, of: known) { return ", did you mean '\(near)'?" }
  if known.isEmpty || known.count > 24 { return "" }
  return "; known are " + known.joined(separator: ", ")
}

/// Insertions, deletions, substitutions and swaps of neighbours that turn one text into the other.
func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  var before: [Int] = []
  var previous = Array(0...right.count)
  for row in left.indices {
    var current = [row + 1]
    for column in right.indices {
      let same = left[row] == right[column]
      var best = min(previous[column + 1] + 1, current[column] + 1, previous[column] + (same ? 0 : 1))
      if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
        best = min(best, before[column - 1] + 1)
      }
      current.append(best)
    }
    (before, previous) = (previous, current)
  }
  return previous[right.count]
}
