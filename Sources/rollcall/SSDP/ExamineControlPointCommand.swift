import ArgumentParser
import RollcallConformance
import RollcallExaminers
import Foundation
import RollcallJudging
import RollcallLive
import RollcallPicturing
import RollcallPrimitives
import RollcallReporting
import RollcallServing
import RollcallTrace

struct ExamineControlPointCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "control-point", abstract: "Play baits to a control point, and see what it believes.",
    discussion: """
      Answers its searches and announces devices that are not there: right ones, malformed ones, late ones, many at \
      once, some that leave, restart or expire. What it believes shows in two ways: it fetches a bait's LOCATION, or, \
      with --command, it prints it. Only the named interface is used. What cannot be seen is "not observable", and \
      never a pass. Exit code 1 where a must was broken.

      rollcall examine control-point -i eth0 --dry-run
      rollcall examine control-point -i eth0 --command 'gssdp-discover -i eth0' --pcapng baits.pcapng
      rollcall examine control-point -i eth0 --trace baits.trace
      rollcall examine control-point --replay baits.trace
      """)

  @Option(name: [.customShort("i"), .long], help: "The interface on which the control point is, as in eth0.")
  var interface: String?

  @Option(help: "Start this control point for each run, read its output, end it; as in 'gssdp-discover -i eth0'.")
  var command: String?

  @Option(help: "End after this time, as in 90s; what was not put by then is not observable.")
  var duration: String?

  @Option(
    help: "Examine the control point at this address. By default the first that searches; with --command, this machine."
  )
  var address: String?

  @Option(help: "Put only this probe; may be repeated. --dry-run lists them.")
  var only: [String] = []

  @Option(help: "Split the baits of answers, and those of announcements, over so many starts of the command, 1 to 50.")
  var runs = 2

  @Option(help: "Put what fails so many times more, alone, before it is a breach, 0 to 5.")
  var repeats = 1

  @Option(help: "Devices in the flood, 1 to 10000.")
  var flood = 200

  @Option(
    help: "An address of this machine off the subnet: LOCATIONs point there, and it is seen whether they are fetched.")
  var offSubnet: String?

  @OptionGroup var results: ExamOptions

  @Flag(help: "Say what would be sent, list the probes, and send nothing.")
  var dryRun = false

  func run() throws {
    if let record = results.replay { return try repeatRecorded(record) }
    guard let interface else { throw Complaint("name the interface to use with -i, or a record with --replay") }
    let place = try chosenInterface(interface)
    let setting = try setting(on: place)
    let words = try command.map(split)
    try results.check()
    let out = try Output(path: results.output)
    if dryRun {
      ControlPointText.plan(setting, interface: place.name, command: command).forEach { out.line($0) }
      ControlPointText.probes(setting).forEach { out.line($0) }
      return out.flush()
    }
    let page = try results.pictures.open()
    let first = ExamRecord.line(setting, command: words, interface: place.name)
    let live = try examine(
      setting, words, place, first: first, trace: try Output.growing(results.trace),
      capture: try Output.growing(results.pcapng))
    if live.run.dropCount > 0 {
      Output.complain("\(live.run.dropCount) datagrams came faster than they were read and were dropped")
    }
    for text in live.run.refusalTexts { Output.complain("refused by the system: \(text)") }
    let examiner = live.examiner
    if live.end.wasInterrupted { Output.complain("stopped: what was put to its end is judged") }
    try report(
      examiner.examination, on: place.name, command: command,
      isRecorded: results.pcapng != nil && !live.end.isRecordLost, out, page, live.end
    ) { if let check = live.check, !live.end.isRecordLost { try ExamTrace.check(check) } }
  }

  // MARK: - What is asked for

  private func chosenInterface(_ interface: String) throws -> LiveInterface {
    let found = LiveInterface.scan()
    guard let place = found.first(where: { $0.name == interface }) else {
      let names = found.map(\.name).joined(separator: ", ")
      throw Complaint("there is no interface \(interface): there are \(names)")
    }
    guard place.isUp, place.addresses.contains(where: { $0.address.family == .v4 }) else {
      throw Complaint("\(interface) is down or has no IPv4 address: bring it up first")
    }
    return place
  }

  private func setting(on place: LiveInterface) throws -> ControlPointExamination.Setting {
    guard let own = place.addresses.first(where: { $0.address.family == .v4 }) else {
      throw Complaint("\(place.name) has no IPv4 address")
    }
    var setting = ControlPointExamination.Setting(address: own.address)
    setting.hasCommand = command != nil
    setting.duration = try duration.map { try ReplayCommand.interval($0, option: "--duration") }
    if let address {
      guard let one = IPAddress(address) else { throw Complaint("--address \(address): no address") }
      setting.examined = one
    } else if command != nil {
      // The program that rollcall starts runs on this host; other searchers on the network are not examined.
      setting.examined = own.address
    }
    for (name, value, range) in [
      ("--runs", runs, 1...50), ("--repeats", repeats, 0...5), ("--flood", flood, 1...10_000),
    ] { try Numbers.check(value, range, name) }
    (setting.runs, setting.repeats, setting.floodCount) = (runs, repeats, flood)
    if !only.isEmpty {
      setting.probes = try ControlPointProbe.allCases.filter(Set(only.map(ExamineControlPointCommand.probe)).contains)
    }
    // Names of baits differ from examination to examination: who remembers those of the last one is not deceived.
    setting.salt = .random(in: 0...0xFF_FFFF)
    if let offSubnet {
      guard let one = IPAddress(offSubnet), one.family == .v4 else {
        throw Complaint("--off-subnet \(offSubnet): no IPv4 address")
      }
      if one.sharesPrefix(own.prefixBits, with: own.address) {
        throw Complaint("--off-subnet \(offSubnet) is on the subnet of \(place.name), \(own.address)/\(own.prefixBits)")
      }
      setting.offSubnet.address = one
      setting.isOffSubnetWatched = true
    }
    return setting
  }

  private func split(_ command: String) throws -> [String] {
    do { return try CommandWords.split(command) } catch {
      throw Complaint("--command \(command): \(error.rawValue)")
    }
  }

  private static func probe(_ name: String) throws -> ControlPointProbe {
    guard let probe = ControlPointProbe(rawValue: name) else {
      throw Complaint(
        "--only \(name): no such probe; the nearest are \(ControlPointProbe.nearest(to: name).joined(separator: ", "))")
    }
    return probe
  }

  // MARK: - The run

  private struct Examined {
    var examiner: ControlPointExaminer
    /// Whether its trace gives the same again; `nil`: none is written.
    var check: RecordCheck<ControlPointExaminer>?
    var run: LiveRun
    var end: LiveEnd
  }

  private func examine(
    _ setting: ControlPointExamination.Setting, _ words: [String]?, _ place: LiveInterface, first: String,
    trace: Output?, capture: Output?
  ) throws -> Examined {
    // Baits and what is heard of the one that is examined are in the log of the examination; entries are not kept.
    let recorder = Recorder(entriesMaximum: 0)
    let check = trace.map { _ in RecordCheck(of: ControlPointExaminer(setting, command: words)) }
    var end = Instant.zero
    let party = LiveMachine(ControlPointExaminer(setting, command: words), recorder: recorder)
    party.hearsItself = false
    let run = LiveRun(LivePlan(interfaces: [place.name], duration: nil), party: party)
    ControlPointText.plan(setting, interface: place.name, command: command).forEach { Output.complain($0) }
    // The trace has everything; the capture has what findings name by its frames, and nothing else.
    func record(trace: Output?, capture: Output?) -> LiveRecord {
      LiveRecord(
        of: run, trace: trace, capture: capture, interfaces: [place.name], verb: "rollcall examine control-point")
    }
    let (traced, captured) = (record(trace: trace, capture: nil), record(trace: nil, capture: capture))
    traced.begin(first)
    captured.take(
      TraceEntry(time: .zero, station: 0, content: .signal(.interface(place.change(as: setting.interface)))))
    recorder.onEntry = { entry in
      end = entry.time
      traced.take(entry)
      check?.take(entry)
      if case .signal(.host(.refused)) = entry.content { captured.take(entry) }
    }
    var capturedCount = 0
    party.onTurn = { examiner, _ in
      let log = examiner.examination.log.entries
      for entry in log[capturedCount...] { captured.take(ExamineControlPointCommand.entry(entry, setting.interface)) }
      capturedCount = log.count
      if examiner.isOver { run.stop() }
    }
    let status = StatusLine()
    run.onLook = { _ in status.show(party.machine.examination.progress) }
    let interrupt = Interrupt { run.stop() }
    Output.whenFailed { run.stop() }
    try withExtendedLifetime(interrupt) { try run.complete() }
    status.clear()
    let examiner = party.machine
    traced.finish(at: end)
    captured.finish(at: end)
    if let failure = examiner.failure { throw complaint(failure, place) }
    return Examined(
      examiner: examiner, check: check, run: run,
      end: LiveEnd(
        isRecordLost: traced.hasFailed || captured.hasFailed,
        lostInterfaces: examiner.lostInterface == nil ? [] : [place.name],
        lostText: "it went away, and what was put to its end is judged", wasInterrupted: interrupt.hasCome))
  }

  private func complaint(_ failure: ControlPointExaminer.Failure, _ place: LiveInterface) -> Complaint {
    switch failure {
    case .noAddress: Complaint("\(place.name) has no IPv4 address any more")
    case .noPort(let endpoint):
      Complaint("descriptions cannot be served at \(endpoint), nor at the 31 ports behind it")
    case .notStarted(let errno):
      Complaint("\(command ?? "the command") cannot be started: \(SystemWords.of(number: errno))")
    }
  }

  /// The examination of a record once more; the verdicts are worked out from what was heard then.
  private func repeatRecorded(_ path: String) throws {
    try ExamTrace.refuse(
      [
        ("-i", interface), ("--trace", results.trace), ("--pcapng", results.pcapng), ("--command", command),
        ("--duration", duration), ("--address", address), ("--off-subnet", offSubnet),
      ],
      [("--dry-run", dryRun), ("--only", !only.isEmpty)])
    try OutputClash.check(
      inputs: [path], outputs: results.pictures.outputs(beside: [("--output", results.output)]))
    let record = try ExamTrace.read(path, ExamRecord.controlPoint)
    let before = ControlPointExaminer(record.setting, command: record.command)
    let examiner = try ExamTrace.repeated(record.entries, in: before, from: path)
    try report(
      examiner.examination, on: record.interface, command: record.command?.joined(separator: " "),
      isRecorded: false, try Output(path: results.output), try results.pictures.open(), LiveEnd())
  }

  // MARK: - What came of it

  private func report(
    _ examination: ControlPointExamination, on interface: String, command: String?, isRecorded: Bool, _ out: Output,
    _ page: PictureFiles?, _ end: LiveEnd, check: () throws -> Void = {}
  ) throws {
    let result = examination.result()
    let input = "control-point \(interface)"
    let isWritten = try out.report(named: results.output) { out in
      write(result, input, command, isRecorded, out)
    }
    let isBroken = result.violations(.must) > 0 || results.strict && result.violations(.should) > 0
    if let page { try page.write(picture(of: examination, result, interface, isBroken: isBroken)) }
    try check()
    var end = end
    end.isRecordLost = end.isRecordLost || !isWritten
    try end.check()
    if result.heardCount == 0, result.rows.allSatisfy({ $0.verdict == .notObservable }) {
      let who = result.setting.examined.map { " at \($0)" } ?? ""
      let others = result.others.map { "\($0)" }.joined(separator: ", ")
      throw Complaint(
        "no control point was heard\(who) on \(interface): "
          + (result.starts > 0
            ? "the command was started \(result.starts) times, searched for nothing, fetched nothing, and printed "
              + (result.lineCount == 0 ? "nothing" : "\(result.lineCount) lines, none about a bait")
            : others.isEmpty
              ? "start one, or let --command start it" : "searches came from \(others); name one with --address"),
        code: Exit.expectationFailed)
    }
    if isBroken { throw Exit.expectationFailed }
  }

  private func picture(
    of examination: ControlPointExamination, _ result: ControlPointResult, _ interface: String, isBroken: Bool
  ) -> Picture {
    let entries = examination.log.entries.map { ExamineControlPointCommand.entry($0, result.setting.interface) }
    var picture = StationPicture.picture(
      ofExamination: "control-point", entries, numbers: nil, judgement: result.judgement, interface: interface)
    picture.conclude(isBroken: isBroken, judgement: result.judgement)
    return picture
  }

  private func write(
    _ result: ControlPointResult, _ input: String, _ command: String?, _ isRecorded: Bool, _ out: Output
  ) {
    switch results.format {
    case .text:
      let lines = ControlPointText.lines(result, command: command, isRecorded: isRecorded)
      for line in lines { Terminal.fitted(line, to: results.output).forEach { out.line(painted: painted($0)) } }
    case .json: ControlPointLines.lines(result, input: input).forEach { out.line($0) }
    case .junit, .tap, .sarif, .github:
      results.write([JudgedInput(path: input, judgement: result.judgement, isTrace: false)], to: out)
    }
  }

  private func painted(_ line: String) -> PaintedText {
    let text = line.drop { $0 == " " }
    let marks: [(Character, Output.Colour)] = [("✓", .green), ("✘", .red), ("?", .yellow)]
    for (mark, colour) in marks where text.first == mark {
      let margin = String(repeating: " ", count: line.count - text.count)
      return "\(margin)\(Output.paint(String(mark), colour))\(String(text.dropFirst()))"
    }
    return PaintedText(line, text.hasPrefix("·") || line.hasPrefix("      ") ? .dim : nil)
  }

  private static func entry(_ entry: ControlPointLog.Entry, _ interface: InterfaceID) -> TraceEntry {
    let datagram = RecordedDatagram(
      source: entry.source, destination: entry.destination, interface: interface, hopLimit: entry.hopLimit,
      bytes: entry.bytes)
    return TraceEntry(time: entry.time, station: 0, content: entry.isSent ? .sent(datagram) : .received(datagram))
  }
}

/// One line on a terminal that tells how far it is.
private final class StatusLine {
  private let isShown = Terminal.manners.drawsProgress

  func show(_ text: String) {
    if isShown { Output.status(text) }
  }
  func clear() {
    if isShown { Output.status(nil) }
  }
}
