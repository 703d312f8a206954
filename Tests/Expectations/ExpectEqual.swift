public import Testing

/// Records an issue with both values where they differ.
///
/// It stands for `#expect(found == expected)`, for which the compiler needs four times as long: most of what building the
/// tests took was that. The place of the call comes in four literals, since `#_sourceLocation` is a macro, which the
/// compiler expands at each of eleven thousand calls.
/// - Parameter sourceLocation: `nil`: the place of the call.
public func expectEqual<Value: Equatable>(
  _ found: Value, _ expected: Value, _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation? = nil, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
  column: Int = #column
) {
  if found == expected { return }
  let sourceLocation =
    sourceLocation ?? SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  let reason = comment().map { ": \($0.rawValue)" } ?? ""
  Issue.record("found \(found), expected \(expected)\(reason)", sourceLocation: sourceLocation)
}
