import ArgumentParser
import RollcallJudging
import RollcallReporting

/// Where what came of an examination goes, and the record that it comes from.
struct ExamOptions: ParsableArguments {
  @Option(help: "How to print: text, json (lines), junit, tap, sarif or github (annotations).")
  var format: Format = .text

  @Option(help: "Write to this file instead of standard output.", completion: .file())
  var output: String?

  @Flag(help: "A broken should fails as a broken must does.")
  var strict = false

  @Option(help: "Write the trace of the run to this file, one entry a line.", completion: .file())
  var trace: String?

  @Option(help: "Write what was sent and heard to this pcapng file.", completion: .file())
  var pcapng: String?

  @Option(
    help: "Repeat an examination from the file that --trace wrote, to the same verdicts; nothing is sent.",
    completion: .file())
  var replay: String?

  @OptionGroup var pictures: PictureOptions

  /// Writes what was judged as a document of results.
  func write(_ judged: [JudgedInput], to out: Output) {
    guard let document = format.document else { return }
    out.document(
      document.text(
        JudgementResults.suites(judged, isStrict: strict), version: Rollcall.configuration.version))
  }

  /// Refuses two outputs in one file.
  func check() throws {
    try OutputClash.check(
      inputs: [],
      outputs: pictures.outputs(beside: [("--output", output), ("--trace", trace), ("--pcapng", pcapng)]))
  }
}
