import ArgumentParser
import Foundation
import RollcallConformance
import RollcallExaminers
import RollcallJudging
import RollcallLive
import RollcallPrimitives
import RollcallReporting
import RollcallServing
import RollcallTrace
import RollcallWire

struct ExamineResponderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "responder",
    abstract: "Ask a responder of multicast DNS in every way, good and bad, and judge its answers.",
    discussion: """
      Asks which services there are, then one thing after the other, more than a second apart. What ought to be answered \
      is asked up to three times before silence counts, and silence that is due counts only between two answers. What \
      the responder says meanwhile is judged, too. --dry-run shows the probes and sends nothing.

      rollcall examine responder -i eth0 --dry-run
      rollcall examine responder -i eth0 --target printer.local --format json
      rollcall examine responder -i eth0 --trace responder.trace
      rollcall examine responder --replay responder.trace
      """)

  @Option(name: [.customShort("i"), .long], help: "The interface to use, as in eth0; no other is touched.")
  var interface: String?

  @Option(help: "The address or the host name of the responder; needed where more than one is there.")
  var target: String?

  @Option(help: "A type of service to ask for beside those that are listed, as in _ipp._tcp.local.")
  var type: String?

  @Option(help: "A probe to ask, as in legacy; may be repeated. All by default.")
  var only: [String] = []

  @Option(help: "How long to wait for a responder that does not answer at first.")
  var patience = "10s"

  @Flag(help: "Ask over IPv6, on the link.")
  var ipv6 = false

  @Flag(help: "Show what would be sent, and end.")
  var dryRun = false

  @Flag(help: "A broken should fails as a broken must does.")
  var strict = false

  @Option(help: "How to print: text, json (lines), junit or sarif.")
  var format: JudgeCommand.JudgeFormat = .text

  @Option(help: "Write to this file instead of standard output.", completion: .file())
  var output: String?

  @Flag(name: .shortAndLong, help: "Print only the last line.")
  var quiet = false

  @Option(help: "The seed of the ports that are asked from.")
  var seed: UInt64 = 1

  @Option(help: "Write the trace of the run to this file, one entry a line.", completion: .file())
  var trace: String?

  @Option(help: "Write what was sent and heard to this pcapng file.", completion: .file())
  var pcapng: String?

  @Option(
    help: "Repeat an examination from the file that --trace wrote, to the same verdicts; nothing is sent.",
    completion: .file())
  var replay: String?

  func run() throws {
    if let replay { return try repeatRecorded(replay) }
    guard let name = interface else { throw Complaint("name the interface to use with -i, or a record with --replay") }
    let plan = try plan()
    let interface = try LiveInterfaces.named(name)
    let address = interface.addresses.first { $0.address.family == plan.family }?.address
    try OutputClash.check(
      inputs: [], outputs: [("--output", output), ("--trace", trace), ("--pcapng", pcapng)])
    for line in ResponderPlanText.lines(plan, interface: interface.name, address: address) { Output.complain(line) }
    if dryRun {
      let list = try Output(path: nil)
      return ResponderPlanText.list(plan).forEach { list.line($0) }
    }
    guard address != nil else {
      throw Complaint("\(interface.name) has no \(ipv6 ? "IPv6" : "IPv4") address to ask from")
    }
    let out = try Output(path: output)
    let traceOutput = try trace.map { try Output(path: $0) }
    let captureOutput = try pcapng.map { try Output(path: $0) }

    let recorder = Recorder(entriesMaximum: DiscoverCommand.entriesMaximum)
    let machine = LiveMachine(ResponderExam(plan), recorder: recorder)
    // The machine ends by itself; the bound is for a clock that does not do as it should.
    let live = LivePlan(interfaces: [interface.name], duration: plan.durationMaximum + .seconds(20))
    let run = LiveRun(live, party: machine)
    let bar = ProgressBar(total: plan.probes.count, isQuiet: quiet)
    let watch = Watch()
    machine.onTurn = { exam, _ in
      if exam.isOver { return run.stop() }
      guard let probe = exam.current, probe != watch.shown else { return }
      watch.shown = probe
      bar.show(plan.probes.firstIndex(of: probe) ?? 0, probe.rawValue)
    }
    let began = Date()
    let interrupt = Interrupt { run.stop() }
    Output.whenFailed { run.stop() }
    try withExtendedLifetime(interrupt) { try run.run() }
    bar.clear()
    for text in run.refusalTexts { Output.complain("refused by the system: \(text)") }
    if let trace, let traceOutput {
      let first = ExamRecord.line(plan, interface: interface.name)
      try ExamTrace.write(first, recorder, of: ResponderExam(plan), to: traceOutput, named: trace)
    }
    captureOutput?.bytes(
      DiscoverRecord.capture(
        recorder.entries, interfaces: [interface.name], end: machine.machine.ended,
        origin: ["rollcall examine responder: began \(began.ISO8601Format()), times count from there"]))
    try captureOutput?.finish()
    try show(machine.machine, recorder.entries, interface.name, trace, out)
  }

  /// The examination of a record once more; the verdicts are worked out from what was heard then.
  private func repeatRecorded(_ path: String) throws {
    try ExamTrace.refuse(
      [("-i", interface), ("--trace", trace), ("--pcapng", pcapng), ("--target", target), ("--type", type)],
      [("--dry-run", dryRun), ("--only", !only.isEmpty), ("--ipv6", ipv6)])
    try OutputClash.check(inputs: [path], outputs: [("--output", output)])
    let record = try ExamTrace.read(path, ExamRecord.responder)
    let exam = try ExamTrace.repeated(record.entries, in: ResponderExam(record.plan), from: path)
    try show(exam, record.entries, record.interface, path, try Output(path: output))
  }

  private final class Watch { var shown: ResponderProbe? }

  private func plan() throws -> ResponderExamPlan {
    let probes = try only.map { name -> ResponderProbe in
      guard let probe = ResponderProbe(rawValue: name) else {
        throw Complaint(
          "--only \(name): there is no such probe; there are "
            + ResponderProbe.allCases.map(\.rawValue).joined(separator: ", "))
      }
      return probe
    }
    let name = try type.map { text -> DNSName in
      guard let name = DNSName(text), (try? ServiceType(name)) != nil else {
        throw Complaint("--type takes a type of service such as _ipp._tcp.local, and not '\(text)'")
      }
      return name
    }
    if let target, IPAddress(target) == nil, DNSName(target) == nil {
      throw Complaint("--target takes an address or the name of a host such as printer.local, and not '\(target)'")
    }
    return ResponderExamPlan(
      target: target, probes: probes.isEmpty ? ResponderProbe.allCases : probes, type: name,
      patience: try ReplayCommand.interval(patience, option: "--patience"), family: ipv6 ? .v6 : .v4,
      seed: Seed(seed))
  }

  // MARK: - What came of it

  private func show(
    _ exam: ResponderExam, _ entries: [TraceEntry], _ interface: String, _ trace: String?, _ out: Output
  ) throws {
    guard let report = exam.report else { throw complaint(exam, on: interface) }
    if exam.wasStopped { Output.complain("stopped: what had been asked to its end is judged") }
    let judgement = ResponderJudgement.judgement(of: exam, report, trace: entries)
    let input = trace ?? "examine/\(interface)"
    let judged = JudgedInput(path: input, judgement: judgement, isTrace: true)
    switch format {
    case .text:
      let lines = ResponderText.lines(report, judgement, interface: interface)
      for line in quiet ? lines.suffix(1) : lines[...] {
        Terminal.fitted(line, to: output).forEach { out.line(painted: ExamTrace.painted($0)) }
      }
    case .json:
      let lines = ResponderLines.lines(report, judgement, input: input)
      (quiet ? lines.suffix(1) : lines[...]).forEach { out.line($0) }
    case .junit: out.document(JudgementJUnit.document([judged], isStrict: strict))
    case .sarif:
      out.line(JudgementSARIF.document([judged], isStrict: strict, version: Rollcall.configuration.version))
    }
    out.flush()
    if judged.isBroken(isStrict: strict) { throw Exit.expectationFailed }
  }

  /// Why nobody was examined.
  private func complaint(_ exam: ResponderExam, on interface: String) -> Complaint {
    let heard = exam.subjects.map { "\n  \($0.address)  \($0.host?.description ?? "no name")" }.joined()
    let duration = (exam.ended - exam.began).secondsText
    switch exam.outcome {
    case .ambiguous: return Complaint("more than one responder is on \(interface), name one with --target:" + heard)
    case .absent:
      return Complaint(
        "\(exam.plan.target ?? "the responder") was not heard on \(interface) within \(duration); these were:" + heard)
    case .nobody: return Complaint("no responder was heard on \(interface) within \(duration)")
    case .noAddress: return Complaint("\(interface) has no address to ask from")
    case .examined, nil: return Complaint("ended before it was through; nothing was judged")
    }
  }
}
