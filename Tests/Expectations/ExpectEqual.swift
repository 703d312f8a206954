public import Testing

/// Records an issue with both values where they differ.
///
/// It stands for `#expect(found == expected)`, for which the compiler needs four times as long: most of what building the
/// tests took was that.
public func expectEqual<Value: Equatable>(
  _ found: Value, _ expected: Value, _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  if found == expected { return }
  let reason = comment().map { ": \($0.rawValue)" } ?? ""
  Issue.record("found \(found), expected \(expected)\(reason)", sourceLocation: sourceLocation)
}
