/// Formats that are written when all results are known.
package enum ResultFormat: String, Hashable, Sendable, CaseIterable {
  case junit, tap, sarif
  /// Workflow commands of GitHub Actions, which become annotations.
  case github

  /// The whole document, each line with its end.
  /// - Parameter version: of the tool.
  package func text(_ suites: [ResultSuite], version: String) -> String {
    switch self {
    case .junit: JUnitDocument(suites).text
    case .tap: TAPDocument.text(suites)
    case .sarif: SARIFDocument.text(suites, version: version)
    case .github: AnnotationLines.text(suites)
    }
  }
}
