import ArgumentParser
import RollcallCapture
import RollcallDiscovery
import Foundation
import RollcallExplaining
import RollcallPicturing
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Replay captures through the engine, at the captures' own times.",
    discussion: """
      A folder stands for every pcap and pcapng file below it, - for standard input. With an expected.jsonl beside it a \
      capture.pcapng of a folder gets a verdict. One input that cannot be read is an error in the report, the others \
      are replayed, and the exit code is 2; so it is where a capture is damaged before its end, and it is said how \
      much of it was read. One that merely ends inside a packet is replayed up to there.

      rollcall replay capture.pcapng --as 192.168.1.20 --until +30m
      rollcall replay capture.pcapng --devices
      rollcall replay capture.pcapng --html capture.html
      rollcall replay capture.pcapng --explain 192.168.1.20 --time local
      rollcall replay capture.pcapng --explain printer.local
      rollcall replay Captures --format junit --output results.xml
      tcpdump -r - -w - <capture.pcapng | rollcall replay -
      """)

  @Argument(
    help:
      "pcap and pcapng files, also packed with gzip, and folders; with --explain also an address, a UUID or a name of multicast DNS.",
    completion: .file())
  var captures: [String]

  @OptionGroup var output: OutputOptions
  @OptionGroup var story: StoryOptions

  @Option(
    name: .customLong("as"), help: "Whose ears the engine has: all, an address, or a host name that the file knows.")
  var perspective = "all"

  @Flag(help: "Accept only what UDA allows, instead of all that can be understood.")
  var strict = false

  @Option(help: "Take only frames that this filter of libpcap lets through, as in 'udp port 1900'.")
  var filter: String?

  @Option(help: "Let time run on after the last frame, as in +30m, so that leases end.")
  var until: String?

  @Flag(help: "Show every UDP datagram too, with the SHA-256 of its payload.")
  var datagrams = false

  @Flag(
    help: "Give the engine the descriptions that programs of the capture fetched, and report what came of each.")
  var descriptions = false

  @Flag(
    help:
      "Show the devices that an application could have used, with names and what they can do. Implies --descriptions.")
  var devices = false

  @Option(
    help: "Compare the reports with this reviewed file; exit code 1 at the first difference.", completion: .file())
  var expect: String?

  @Option(help: "Write the reports to this file, for review.", completion: .file())
  var record: String?

  @OptionGroup var pictures: PictureOptions

  @Option(
    help:
      "Times in text: local, utc, relative (to the first frame) or epoch; epoch by default, relative with --explain."
  )
  var time: TimeStyle?

  func run() throws {
    if story.explains { try output.format.checkLines("a story has no verdict: --explain") }
    let (captures, party) = try story.separated(captures)
    let inputs = try captures.flatMap(expanded)
    if inputs.isEmpty { throw Complaint("no capture below \(captures.joined(separator: " "))") }
    if devices, story.explains { throw Complaint("--devices and --explain are two reports: ask for one of them") }
    if inputs.count > 1, !story.merge, expect != nil || record != nil || pictures.areWanted {
      throw Complaint(
        "--expect, --record, --html and --perfetto are for one capture, and these are \(inputs.count)")
    }
    try pictures.check(inputs.map(\.path))
    try OutputClash.check(
      inputs: inputs.map(\.path) + inputs.compactMap(\.reviewed),
      outputs: pictures.outputs(beside: [("--output", output.output), ("--record", record)]))
    let isSuite = inputs.contains { $0.reviewed != nil } && !story.explains
    let printer = try ReplayPrinter(
      options: output, isSuite: isSuite, explains: story.explains, showsDatagrams: datagrams, showsDevices: devices,
      times: time)
    let progress = Progress(
      story.explains ? "explaining" : story.merge ? "merging" : "replaying", inputs: story.merge ? 1 : inputs.count,
      isQuiet: output.quiet && !story.explains)
    defer { progress.end() }
    if story.merge {
      try replayMerged(inputs, party, printer, progress)
    } else {
      for input in inputs {
        progress.begin(input.path)
        do { try replay(input, party, printer, progress) } catch let failure as UnreadableInput {
          printer.failed(failure)
        }
      }
    }
    progress.end()
    printer.finish()
    if printer.unreadableCount == 0 { try pictures.write { try picture(of: inputs) } }
    if printer.unreadableCount > 0 || printer.damagedCount > 0 { throw Exit.usage }
    if printer.differences > 0 { throw Exit.expectationFailed }
  }

  /// A page of what was replayed, which is read once more for it.
  private func picture(of inputs: [Input]) throws -> Picture {
    let files = inputs.map { input in
      CapturePicture.Input.File(path: input.path) { try CaptureReader(path: input.path) }
    }
    let names = inputs.count > 1 ? FrameNames(paths: inputs.map(\.path)) : FrameNames()
    return try CapturePicture.picture(
      of: CapturePicture.Input(files, names: names), verb: "rollcall replay", options: try options(for: inputs[0]))
  }

  private struct Input {
    var path: String
    /// The reviewed reports that lie beside a capture of a folder.
    var reviewed: String?
    /// Options that the reviewed file asks for on a line `# replay: --until +30m`.
    var asked: [String] = []
  }

  private func expanded(_ path: String) throws -> [Input] {
    guard let found = InputFiles.paths(at: path, endings: InputFiles.captures), found != [path] else {
      return [Input(path: path, reviewed: expect)]
    }
    return found.map { capture in
      if let expect { return Input(path: capture, reviewed: expect) }
      guard let name = InputFiles.ownNames.first(where: { capture.hasSuffix("/" + $0) }) else {
        return Input(path: capture)
      }
      let reviewed = String(capture.dropLast(name.count)) + "expected.jsonl"
      guard FileManager.default.fileExists(atPath: reviewed) else { return Input(path: capture) }
      // One that cannot be read is told when the reports are compared.
      let text = (try? InputFiles.text(at: reviewed)) ?? ""
      let prefix = "# replay: "
      let asked =
        PlainText.lines(of: text).first { $0.hasPrefix(prefix) }
        .map { $0.dropFirst(prefix.count).split(separator: " ").map(String.init) } ?? []
      return Input(path: capture, reviewed: reviewed, asked: asked)
    }
  }

  /// The command as a reviewed file asks for it.
  private func asked(by input: Input) throws -> ReplayCommand {
    var words = self
    if input.asked.isEmpty { return words }
    let asked = try ReplayCommand.parse([input.path] + input.asked)
    (words.perspective, words.strict, words.until) = (asked.perspective, asked.strict, asked.until)
    (words.descriptions, words.devices) = (asked.descriptions, asked.devices)
    return words
  }

  /// What `asked` takes over, as it is typed.
  private var reviewedOptions: [String] {
    let options: [(option: String, value: String?)] = [
      ("--as", perspective == "all" ? nil : perspective), ("--until", until),
    ]
    let flags: [(option: String, isGiven: Bool)] = [
      ("--strict", strict), ("--descriptions", descriptions), ("--devices", devices),
    ]
    return options.flatMap { one in one.value.map { [one.option, $0] } ?? [] }
      + flags.compactMap { $0.isGiven ? $0.option : nil }
  }

  private func options(for input: Input) throws -> ReplayOptions {
    let words = try asked(by: input)
    var engine = try story.engine(strict: words.strict)
    if words.descriptions || words.devices { engine.descriptions = .fetch }
    if words.devices {
      engine.manager = DiscoverCommand.manager
      engine.manager?.waitsForDescriptions = false
    }
    let wantsMessages = output.format == .json && !output.quiet && !story.explains
    let wantsDatagrams = datagrams && !output.quiet && !story.explains && output.format.document == nil
    var options = ReplayOptions(
      perspective: words.perspective == "all" ? .everybody : .host(words.perspective), engine: engine,
      until: try words.until.map { try ReplayCommand.interval($0) }, wantsDatagrams: wantsDatagrams,
      wantsMessages: wantsMessages, filter: try ReplayCommand.filter(words.filter))
    options.wantsServices = true
    options.searches = try story.searchOverride()
    return options
  }

  /// A filter from the command line, or a complaint in libpcap's words.
  static func filter(_ expression: String?) throws -> CaptureFilter? {
    guard let expression else { return nil }
    do { return try CaptureFilter(expression) } catch { throw Complaint("\(error)") }
  }

  private func replay(
    _ input: Input, _ party: StoryParty?, _ printer: ReplayPrinter, _ progress: Progress
  ) throws {
    let options = try options(for: input)
    var reader: CaptureReader
    do { reader = try progress.open(input.path) } catch {
      throw UnreadableInput(input.path, "\(error)" + OtherInput.advice(on: input.path, after: error))
    }
    try replay(input, options, party, FrameNames(), printer) { $0.run(&reader) }
  }

  /// Several captures of the same moment, as one.
  private func replayMerged(
    _ inputs: [Input], _ party: StoryParty?, _ printer: ReplayPrinter, _ progress: Progress
  ) throws {
    if inputs.count < 2 { throw Complaint("--merge takes at least two captures, and this is one") }
    if inputs.count > CaptureSource.filesMaximum {
      throw Complaint("--merge takes at most \(CaptureSource.filesMaximum) captures, and these are \(inputs.count)")
    }
    let sources = try inputs.map { input -> CaptureSource in
      do { return CaptureSource(path: input.path, reader: try progress.open(input.path)) } catch {
        throw Complaint("\(input.path): \(error)")
      }
    }
    let all = Input(path: inputs.map(\.path).joined(separator: " "), reviewed: expect)
    try replay(all, try options(for: all), party, FrameNames(paths: inputs.map(\.path)), printer) {
      $0.run(merging: sources)
    }
  }

  private func replay(
    _ input: Input, _ options: ReplayOptions, _ party: StoryParty?, _ names: FrameNames, _ printer: ReplayPrinter,
    run: (inout Replay) -> Void
  ) throws {
    var reports: [String] = []
    let wantsReports = input.reviewed != nil || record != nil
    let start = time == .relative ? InputFiles.start(of: input.path) : nil
    printer.begin(input.path, names: names, start: start)
    let teller = try story.teller(about: party, options.engine)
    let observe: (ReplayEvent) -> Void = { event in
      if wantsReports, case .report(let report, let time, let frame) = event {
        reports.append(ReportLine.json(report, time: time.description, frame: frame, names: names))
      }
      printer.show(event)
    }
    let reportLines = wantsReports ? nil : printer.reportLines()
    var replay = Replay(options: options, teller: teller, observe: observe, reports: reportLines)
    run(&replay)
    if let failure = replay.summary.filterFailure { throw Complaint("\(input.path): \(failure)") }
    let problems = replay.summary.captureProblems
    for line in problems.complaints(path: input.path, "replayed") { Output.complain(line) }
    if let record {
      if problems.isIncomplete {
        Output.complain("\(record): not written: reports of a capture that was not read whole are nothing to hold to")
      } else {
        try asked(by: input).write(reports, to: record)
      }
    }
    var difference: ExpectedReports.Difference?
    if let reviewed = input.reviewed {
      let text: String
      do { text = try InputFiles.text(at: reviewed) } catch {
        throw UnreadableInput(input.path, "\(reviewed): \(error)")
      }
      difference = ExpectedReports.difference(reviewed: text, found: reports)
    }
    if let teller {
      var told = teller.finished(frames: replay.summary.frames, names: names)
      told.isProbeOnly = !story.explain
      printer.tell(told)
    }
    printer.end(replay.summary, reviewed: input.reviewed, difference: difference)
  }

  private func write(_ lines: [String], to path: String) throws {
    let file = try Output(path: path)
    if !reviewedOptions.isEmpty { file.line("# replay: " + reviewedOptions.joined(separator: " ")) }
    for line in lines { file.line(line) }
    try file.finish()
    Output.complain("\(path): \(lines.count) reports written; read them before you commit them")
  }

  /// `+30m`, `90s`, `250ms`.
  static func interval(_ text: String, option: String = "--until") throws -> Interval {
    let body = text.hasPrefix("+") ? String(text.dropFirst()) : text
    let digits = body.prefix { $0.isNumber }
    let units: [String: Interval] = ["ms": .milliseconds(1), "s": .seconds(1), "m": .minutes(1), "h": .hours(1)]
    guard let count = Int64(digits), let unit = units[String(body.dropFirst(digits.count))] else {
      throw Complaint("\(option) takes a time such as +30m, 90s or 250ms, and not '\(text)'")
    }
    return unit * count
  }
}
