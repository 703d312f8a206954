import ArgumentParser
import RollcallConformance
import RollcallExaminers
import Foundation
import RollcallJudging
import RollcallLive
import RollcallPrimitives
import RollcallReporting
import RollcallServing
import RollcallTrace

struct ExamineDeviceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "Search for a device in every way, good and bad, and judge what it answers.",
    discussion: """
      Each search has a socket of its own, so that an answer belongs to one question however late it comes. What ought \
      to be answered is asked up to three times before silence counts. What the device announces meanwhile is judged, \
      too. --dry-run shows the probes and sends nothing.

      rollcall examine device -i eth0 --dry-run
      rollcall examine device -i eth0 --until-byebye 60s --format junit --output device.xml
      rollcall examine device -i eth0 --trace device.trace
      rollcall examine device --replay device.trace
      """)

  @Option(name: [.customShort("i"), .long], help: "The interface to use, as in eth0; no other is touched.")
  var interface: String?

  @Option(help: "The UUID of the device; needed where more than one is there.")
  var target: String?

  @Option(help: "A probe to ask, as in unicast; may be repeated. All by default.")
  var only: [String] = []

  @Option(help: "How long to wait for what comes unasked: a silent device, a renewal.")
  var patience = "30s"

  @Option(help: "Say when to stop the device, and wait this long for its byebye.")
  var untilByebye: String?

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
    for line in ExamPlanText.lines(plan, interface: interface.name, address: address) { Output.complain(line) }
    if dryRun {
      let list = try Output(path: nil)
      return ExamPlanText.list(plan).forEach { list.line($0) }
    }
    guard address != nil else {
      throw Complaint("\(interface.name) has no \(ipv6 ? "IPv6" : "IPv4") address to ask from")
    }
    let out = try Output(path: output)
    let traceOutput = try trace.map { try Output(path: $0) }
    let captureOutput = try pcapng.map { try Output(path: $0) }

    let recorder = Recorder(entriesMaximum: DiscoverCommand.entriesMaximum)
    let machine = LiveMachine(DeviceExam(plan), recorder: recorder)
    // The machine ends by itself; the bound is for a clock that does not do as it should.
    var live = LivePlan(interfaces: [interface.name], duration: plan.durationMaximum + .seconds(20))
    live.movesTakenPorts = true
    let run = LiveRun(live, party: machine)
    let bar = ProgressBar(total: plan.probes.count, isQuiet: quiet)
    let watch = Watch()
    machine.onTurn = { exam, _ in
      if exam.isOver { return run.stop() }
      if exam.wantsDeviceStopped, !watch.hasPrompted {
        watch.hasPrompted = true
        bar.clear()
        Output.complain("stop the device now")
      }
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
      try ExamTrace.write(first, recorder, of: DeviceExam(plan), to: traceOutput, named: trace)
    }
    captureOutput?.bytes(
      DiscoverRecord.capture(
        recorder.entries, interfaces: [interface.name], end: machine.machine.ended,
        origin: ["rollcall examine device: began \(began.ISO8601Format()), times count from there"]))
    try captureOutput?.finish()
    try show(machine.machine, recorder.entries, interface.name, trace, out)
  }

  /// The examination of a record once more; the verdicts are worked out from what was heard then.
  private func repeatRecorded(_ path: String) throws {
    try ExamTrace.refuse(
      [
        ("-i", interface), ("--trace", trace), ("--pcapng", pcapng), ("--target", target),
        ("--until-byebye", untilByebye),
      ],
      [("--dry-run", dryRun), ("--only", !only.isEmpty), ("--ipv6", ipv6)])
    try OutputClash.check(inputs: [path], outputs: [("--output", output)])
    let record = try ExamTrace.read(path, ExamRecord.device)
    let exam = try ExamTrace.repeated(record.entries, in: DeviceExam(record.plan), from: path)
    try show(exam, record.entries, record.interface, path, try Output(path: output))
  }

  private final class Watch {
    var shown: DeviceProbe?
    var hasPrompted = false
  }

  // MARK: - Options

  private func plan() throws -> DeviceExamPlan {
    var probes: [DeviceProbe] = []
    for name in only {
      guard let probe = DeviceProbe(rawValue: name) else {
        throw Complaint(
          "--only \(name): there is no such probe; there are "
            + DeviceProbe.allCases.map(\.rawValue).joined(separator: ", "))
      }
      probes.append(probe)
    }
    let wait = try untilByebye.map { try ReplayCommand.interval($0, option: "--until-byebye") }
    if wait != nil, !probes.isEmpty { probes.append(.byebye) }
    if probes.contains(.byebye), wait == nil {
      throw Complaint("--only byebye: somebody has to stop the device; say how long to wait for it with --until-byebye")
    }
    return DeviceExamPlan(
      target: target, probes: probes.isEmpty ? DeviceProbe.allCases : probes,
      patience: try ReplayCommand.interval(patience, option: "--patience"), byebyeWait: wait,
      family: ipv6 ? .v6 : .v4, seed: Seed(seed),
      agent: "Linux UPnP/2.0 rollcall/\(Rollcall.configuration.version)")
  }

  // MARK: - What came of it

  private func show(
    _ exam: DeviceExam, _ entries: [TraceEntry], _ interface: String, _ trace: String?, _ out: Output
  ) throws {
    guard let report = exam.report else { throw complaint(exam, on: interface) }
    if exam.wasStopped { Output.complain("stopped: what had been asked to its end is judged") }
    let judgement = ExamJudgement.judgement(of: exam, report, trace: entries)
    let input = trace ?? "examine/\(interface)"
    let judged = JudgedInput(path: input, judgement: judgement, isTrace: true)
    switch format {
    case .text:
      let lines = ExamText(report, judgement, interface: interface).lines
      for line in quiet ? lines.suffix(1) : lines[...] {
        Terminal.fitted(line, to: output).forEach { out.line(painted: ExamTrace.painted($0)) }
      }
    case .json:
      let lines = ExamLines.lines(report, judgement, input: input)
      (quiet ? lines.suffix(1) : lines[...]).forEach { out.line($0) }
    case .junit: out.document(JudgementJUnit.document([judged], isStrict: strict))
    case .sarif:
      out.line(JudgementSARIF.document([judged], isStrict: strict, version: Rollcall.configuration.version))
    }
    out.flush()
    if judged.isBroken(isStrict: strict) { throw Exit.expectationFailed }
  }

  /// Why nobody was examined.
  private func complaint(_ exam: DeviceExam, on interface: String) -> Complaint {
    let heard = exam.roll.subjects.map { subject in
      "\n  \(subject.name)  \(subject.address)  \(subject.root.server ?? "no SERVER")"
    }
    switch exam.outcome {
    case .ambiguous:
      return Complaint("more than one device is on \(interface), name one with --target:" + heard.joined())
    case .absent:
      return Complaint(
        "\(exam.plan.target.map { "uuid:\($0)" } ?? "the device") was not heard on \(interface) within "
          + (exam.ended - exam.began).secondsText + "; these were:" + heard.joined())
    case .nobody:
      return Complaint(
        "no device was heard on \(interface) within \((exam.ended - exam.began).secondsText): "
          + "\(exam.packetCount) searches got no answer, and nobody announced himself")
    case .noAddress: return Complaint("\(interface) has no address to ask from")
    case .examined, nil: return Complaint("ended before it was through; nothing was judged")
    }
  }
}
