/// Where something stands in its document: line and column from 1; line 0 where no file holds it.
///
/// All places are equal: two documents that say the same are the same, wherever in them it is said.
package struct Place: Hashable, Sendable {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) { (self.line, self.column) = (line, column) }
  init(_ mark: Tree.Mark) { self.init(line: mark.line, column: mark.column) }

  package static var none: Place { Place(line: 0, column: 0) }

  /// `file.yaml:6:5`; without a line, the file alone.
  package func text(in file: String) -> String { line == 0 ? file : "\(file):\(line):\(column)" }

  package static func == (left: Place, right: Place) -> Bool { true }
  package func hash(into hasher: inout Hasher) {}
}
