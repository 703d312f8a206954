import ArgumentParser
import RollcallRunning

/// Which of the scenarios that were named are run.
struct FilterOptions: ParsableArguments {
  @Option(help: "Only scenarios with this tag; may be repeated.")
  var tag: [String] = []

  @Option(help: "No scenario with this tag; may be repeated.")
  var skipTag: [String] = []

  @Option(help: "Only scenarios whose path has these names in a row, as in ssdp/lamp-*; may be repeated.")
  var only: [String] = []

  @Option(help: "No scenario whose path has these names in a row; may be repeated.")
  var skip: [String] = []

  /// As they are typed.
  var words: [String] {
    let all: [(option: String, values: [String])] = [
      ("--tag", tag), ("--skip-tag", skipTag), ("--only", only), ("--skip", skip),
    ]
    return all.flatMap { one in one.values.flatMap { [one.option, $0] } }
  }

  func filter() throws -> ScenarioFilter {
    ScenarioFilter(
      tags: tag, skippedTags: skipTag, paths: try patterns(only, "--only"),
      skippedPaths: try patterns(skip, "--skip"))
  }

  private func patterns(_ texts: [String], _ option: String) throws -> [PathPattern] {
    try texts.map { text in
      if let pattern = PathPattern(text) { return pattern }
      throw Complaint("\(option) takes names of a path with bars between them, as in ssdp/lamp-*, and not '\(text)'")
    }
  }
}
