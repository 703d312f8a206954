import RollcallScenarios

/// What is said about a document whose first line is a title; the rest begins on line 2. `none`: it is read.
func errorsOfDocument(_ rest: String) -> String {
  do {
    _ = try Scenario(yaml: "scenario: a\n" + rest, file: "x.yaml")
    return "none"
  } catch {
    return error.description
  }
}
