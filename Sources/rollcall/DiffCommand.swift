import ArgumentParser
import RollcallDiscovery
import Foundation
import RollcallPicturing
import RollcallPrimitives
import RollcallReducing
import RollcallReplaying
import RollcallReporting
import RollcallSessions

struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Two runs, replays or engine settings side by side, from the first report that differs.",
    discussion: """
      Each side is a capture, a file of recorded reports (.jsonl) or a scenario (.yaml); with one path, both sides are \
      that path and the options with a- and b- tell them apart. Exit code 0: equal, 1: different, 2: unreadable, or \
      damaged before its end. A folder stands for the one capture below it, - for a capture on standard input.

      rollcall diff before.pcapng after.pcapng --within 20ms
      rollcall diff capture.pcapng --b-set byebye-source=any-address
      rollcall diff before.pcapng after.pcapng --html difference.html
      """)

  @Argument(help: "A capture, recorded reports or a scenario.", completion: .file())
  var a: String

  @Argument(help: "Another one; the same by default.", completion: .file())
  var b: String?

  @OptionGroup var output: OutputOptions

  @Option(help: "A setting of A's engine, as in byebye=each-part; may be repeated.")
  var aSet: [String] = []

  @Option(help: "A setting of B's engine.")
  var bSet: [String] = []

  @Option(help: "A fault to plant in A's engine or nearby peers, as 'explain --switches' lists them; may be repeated.")
  var aSwitch: [String] = []

  @Option(help: "A fault to plant in B's engine or nearby peers.")
  var bSwitch: [String] = []

  @Option(help: "MX in seconds of A's searches, instead of what the capture says.")
  var aMx: Int?

  @Option(help: "MX in seconds of B's searches.")
  var bMx: Int?

  @Flag(help: "Read strictly in A.") var aStrict = false
  @Flag(help: "Read strictly in B.") var bStrict = false

  @Option(help: "The seed of scenarios; the first of their own by default.")
  var seed: UInt64?

  @Option(help: "Another seed for B.")
  var bSeed: UInt64?

  @Option(name: .customLong("as"), help: "Whose ears the engine has in captures: all, an address or a host name.")
  var perspective = "all"

  @Option(help: "Let time run on after the last frame of captures, as in +30m.")
  var until: String?

  @Option(help: "Times that are no further apart count as equal, as in 20ms.")
  var within: String?

  @Flag(help: "Compare what is reported, and not when.")
  var noTimes = false

  @Option(help: "Times of captures in text: local, utc, relative (to the first frame) or epoch.")
  var time: TimeStyle = .relative

  @Option(help: "The most rows of differences that are shown.")
  var rows = 12

  @OptionGroup var pictures: PictureOptions

  func run() throws {
    try output.format.checkLines("diff")
    try checkOptions()
    try OutputClash.check(
      inputs: sides.flatMap { InputFiles.paths(at: $0, endings: InputFiles.captures) ?? [$0] },
      outputs: pictures.outputs(beside: [("--output", output.output)]))
    var options = ReportDiff.Options()
    options.comparesTimes = !noTimes
    if let within { options.within = try ReplayCommand.interval(within, option: "--within") }
    try Numbers.check(rows, 1...10_000, "--rows")
    options.rows = rows
    let progress = Progress("comparing", isQuiet: output.quiet)
    defer { progress.end() }
    let diff: ReportDiff
    do {
      let left = try input(a, aSet, aSwitch, aMx, aStrict, seed).side { try progress.open($0) }
      let right = try input(b ?? a, bSet, bSwitch, bMx, bStrict, bSeed ?? seed).side { try progress.open($0) }
      diff = ReportDiff(left, right, options: options)
    } catch let error as DiffError { throw Complaint(error.description) }
    progress.end()
    let file = try Output(path: output.output)
    if !output.quiet {
      let lines = output.format == .json ? DiffText.json(diff) : DiffText.lines(diff, width: Output.width, times: time)
      for line in lines { file.line(line) }
    }
    file.flush()
    try pictures.write { DiffPicture.picture(of: diff) }
    for side in [diff.a, diff.b] {
      for line in side.problems.complaints(path: side.path, "replayed") { Output.complain(line) }
    }
    if diff.isIncomplete { throw Exit.usage }
    if !diff.isEqual { throw Exit.expectationFailed }
  }

  private var sides: [String] { [a, b ?? a] }

  /// Refuses options that would be dropped.
  private func checkOptions() throws {
    if noTimes, within != nil {
      throw Complaint("--within says which times count as equal, and --no-times compares none: name one of them")
    }
    if seed != nil, !sides.contains(where: InputFiles.isScenario) {
      throw Complaint("--seed is for scenarios, and neither side is one")
    }
    if bSeed != nil, !InputFiles.isScenario(b ?? a) {
      throw Complaint("--b-seed is for a scenario, and \(b ?? a) is none")
    }
  }

  private func input(
    _ path: String, _ settings: [String], _ switches: [String], _ waitSeconds: Int?, _ isStrict: Bool, _ seed: UInt64?
  ) throws -> DiffInput {
    if let waitSeconds, !(1...120).contains(waitSeconds) {
      throw Complaint("MX is a number from 1 to 120, and not \(waitSeconds)")
    }
    let faults = try switches.compactMap { try PeerFault(planted: $0) }
    let planted = switches.filter { !$0.hasPrefix(PeerFault.mark) }
    return DiffInput(
      path: path, settings: settings + (planted.isEmpty ? [] : ["switches=" + planted.joined(separator: ",")]),
      peerFaults: faults,
      isStrict: isStrict, perspective: perspective == "all" ? .everybody : .host(perspective),
      until: try until.map { try ReplayCommand.interval($0) },
      searches: waitSeconds.map { SearchOverride(maximumWaitSeconds: $0) },
      seed: InputFiles.isScenario(path) ? seed : nil)
  }
}

extension PeerFault {
  /// What stands before its name where faults of the engine stand as well.
  static let mark = "peers."

  /// The fault of `peers.decline-ignored`; `nil`: the word is about no nearby peer.
  init?(planted word: String) throws {
    guard word.hasPrefix(PeerFault.mark) else { return nil }
    guard let fault = PeerFault(rawValue: String(word.dropFirst(PeerFault.mark.count))) else {
      throw Complaint("\(word): there is no such fault of nearby peers; 'explain --switches' lists them")
    }
    self = fault
  }
}
