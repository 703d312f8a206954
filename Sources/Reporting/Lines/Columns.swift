/// Columns of text for people.
extension String {
  /// Filled up with blanks on the right.
  ///
  /// - Parameter gap: how many blanks follow at least, however long the text is.
  package func padded(to width: Int, gap: Int = 0) -> String {
    self + String(repeating: " ", count: max(gap, width - count))
  }

  /// Filled up with blanks on the left, as numbers are.
  package func rightAligned(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
