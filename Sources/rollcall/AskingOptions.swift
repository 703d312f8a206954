import ArgumentParser
import Foundation
import RollcallConformance
import RollcallExaminers
import RollcallJudging
import RollcallLive
import RollcallPicturing
import RollcallPrimitives
import RollcallReporting
import RollcallServing
import RollcallTrace

/// An examiner that asks one thing after the other.
protocol AskingExam: Machine {
  associatedtype Probe: RawRepresentable, Equatable where Probe.RawValue == String
  var isOver: Bool { get }
  /// When it ended.
  var ended: Instant { get }
  var current: Probe? { get }
  /// It was stopped before it was through.
  var wasStopped: Bool { get }
  /// The interface went away before it was through.
  var isInterfaceLost: Bool { get }
  /// Whose datagrams are judged; `nil`: nobody is chosen yet.
  var interest: ExamInterest? { get }
}
extension DeviceExam: AskingExam {}
extension ResponderExam: AskingExam {}

/// What `examine device` and `examine responder` have in common: where to ask, and where what came of it goes.
struct AskingOptions: ParsableArguments {
  @Option(name: [.customShort("i"), .long], help: "The interface to use, as in eth0; no other is touched.")
  var interface: String?

  @Option(help: "A probe to ask, as --dry-run lists them; may be repeated. All by default.")
  var only: [String] = []

  @Flag(help: "Ask over IPv6, on the link.")
  var ipv6 = false

  @Flag(help: "Show what would be sent, and end.")
  var dryRun = false

  @OptionGroup var results: ExamOptions

  @Flag(name: .shortAndLong, help: "Print only the last line.")
  var quiet = false

  @Option(help: "The seed of the ports that are asked from; without it they are others each time.")
  var seed: UInt64?

  /// Answers to an earlier examination come to its ports, and not to those of this one; another seed each time, unless one
  /// is given.
  func drawSeed() -> Seed { Seed(seed ?? .random(in: .min ... .max)) }

  var family: IPAddress.Family { ipv6 ? .v6 : .v4 }

  /// Those of `--only`; all where it is not given.
  func probes<Probe: RawRepresentable & CaseIterable>() throws -> [Probe] where Probe.RawValue == String {
    if only.isEmpty { return Array(Probe.allCases) }
    return try only.map { name in
      if let probe = Probe(rawValue: name) { return probe }
      throw Complaint(
        "--only \(name): there is no such probe; there are "
          + Probe.allCases.map(\.rawValue).joined(separator: ", "))
    }
  }

  // MARK: Asking

  /// An examination, asked or repeated.
  struct Asked<Exam: AskingExam> {
    var exam: Exam
    /// What is judged, and its numbers in the trace; `nil`: it is all of it.
    var entries: [TraceEntry]
    var numbers: [Int]?
    var interface: String
    /// The record that it is in, or comes from.
    var record: String?
    /// Where what came of it goes.
    var out: Output
    /// Where a picture of it goes; `nil`: none is wanted.
    var page: PictureFiles?
    /// Whether a trace or a capture could not be written.
    var isRecordLost = false
    /// Whether it was asked just now, and is not repeated from a record.
    var isLive = false
    /// Whether its trace gives the same again.
    var check: () throws -> Void = {}
  }

  /// The interface, after what is planned was said; `nil`: that was all that is wanted.
  func begin(
    _ planned: (_ interface: String, _ address: IPAddress?) -> [String], _ list: () -> [String]
  ) throws -> LiveInterface? {
    guard let name = interface else { throw Complaint("name the interface to use with -i, or a record with --replay") }
    let interface = try LiveInterfaces.named(name)
    let address = interface.addresses.first { $0.address.family == family }?.address
    try results.check()
    for line in planned(interface.name, address) { Output.complain(line) }
    if dryRun {
      let out = try Output(path: nil)
      list().forEach { out.line($0) }
      return nil
    }
    guard address != nil else {
      throw Complaint("\(interface.name) has no \(ipv6 ? "IPv6" : "IPv4") address to ask from")
    }
    return interface
  }

  /// Asks on an interface, and keeps what was sent and heard where that is wanted.
  /// - Parameters:
  ///   - kind: what the command is called: `device`.
  ///   - first: the line of a record that says what is asked.
  ///   - turn: called at each turn.
  func ask<Exam: AskingExam>(
    _ exam: Exam, _ kind: String, _ live: LivePlan, probes: [Exam.Probe], first: String,
    turn: @escaping (Exam) -> Void = { _ in }
  ) throws -> Asked<Exam> {
    let out = try Output(path: results.output)
    let page = try results.pictures.open()
    let traceOutput = try Output.growing(results.trace)
    let captureOutput = try Output.growing(results.pcapng)
    let recorder = Recorder(entriesMaximum: ExamTrace.entriesMaximum)
    // What others on the network say to each other is not judged; until somebody is chosen all is kept.
    var interest: ExamInterest?
    recorder.keepsEntry = { entry in
      guard let interest, case .received(let datagram) = entry.content else { return true }
      return interest.mayConcern(datagram)
    }
    let machine = LiveMachine(exam, recorder: recorder)
    let run = LiveRun(live, party: machine)
    let record = LiveRecord(
      of: run, trace: traceOutput, capture: captureOutput, interfaces: live.interfaces,
      verb: "rollcall examine \(kind)")
    record.begin(first)
    let check = results.trace.map { _ in RecordCheck(of: exam) }
    recorder.onEntry = { entry in
      record.take(entry)
      check?.take(entry)
    }
    let progress = Progress("asking", isQuiet: quiet)
    var shown: Exam.Probe?
    machine.onTurn = { exam, _ in
      if exam.isOver { return run.stop() }
      turn(exam)
      guard let probe = exam.current, probe != shown else { return }
      shown = probe
      interest = exam.interest
      progress.show(.counted(done: probes.firstIndex(of: probe) ?? 0, of: probes.count, what: probe.rawValue))
    }
    let interrupt = Interrupt { run.stop() }
    Output.whenFailed { run.stop() }
    try withExtendedLifetime(interrupt) { try run.complete() }
    progress.end()
    for text in run.refusalTexts { Output.complain("refused by the system: \(text)") }
    record.finish(at: machine.machine.ended)
    if recorder.droppedCount > 0 {
      Output.complain("the first \(recorder.entries.count) entries are judged; \(recorder.droppedCount) came later")
    }
    let hasFailed = record.hasFailed
    return Asked(
      exam: machine.machine, entries: recorder.entries, numbers: recorder.numbers, interface: live.interfaces[0],
      record: results.trace, out: out, page: page,
      isRecordLost: record.hasFailed, isLive: true
    ) { if let check, !hasFailed { try ExamTrace.check(check) } }
  }

  /// The examination of a record once more; the verdicts are worked out from what was heard then.
  /// - Parameter others: options of the command that have no meaning beside a record.
  func repeated<Exam: AskingExam>(
    _ path: String, others: [(name: String, value: String?)], _ exam: (String) throws -> (Exam, [TraceEntry], String)
  ) throws -> Asked<Exam> {
    try ExamTrace.refuse(
      [
        ("-i", interface), ("--trace", results.trace), ("--pcapng", results.pcapng),
        ("--seed", seed.map { String($0) }),
      ] + others,
      [("--dry-run", dryRun), ("--only", !only.isEmpty), ("--ipv6", ipv6)])
    try OutputClash.check(
      inputs: [path], outputs: results.pictures.outputs(beside: [("--output", results.output)]))
    let (subject, entries, interface) = try exam(path)
    let replayed = try ExamTrace.repeated(entries, in: subject, from: path)
    return Asked(
      exam: replayed, entries: entries, interface: interface, record: path, out: try Output(path: results.output),
      page: try results.pictures.open())
  }

  // MARK: What came of it

  /// - Parameters:
  ///   - kind: what the command is called: `device`.
  ///   - text: the lines for people.
  ///   - json: the lines for programs, with what the input is called.
  func show<Exam: AskingExam>(
    _ asked: Asked<Exam>, _ kind: String, _ judgement: Judgement, text: () -> [String], json: (String) -> [String]
  ) throws {
    if asked.exam.wasStopped { Output.complain("stopped: what had been asked to its end is judged") }
    let input = asked.record ?? "examine/\(asked.interface)"
    let judged = JudgedInput(path: input, judgement: judgement, isTrace: true)
    let isWritten = try asked.out.report(named: results.output) { write(judged, text, json, to: $0) }
    if let page = asked.page { try page.write(picture(of: asked, kind, judged)) }
    try asked.check()
    try LiveEnd(
      isRecordLost: asked.isRecordLost || !isWritten,
      lostInterfaces: asked.isLive && asked.exam.isInterfaceLost ? [asked.interface] : [],
      lostText: "it went away, and what was asked to its end is judged",
      wasInterrupted: asked.exam.wasStopped && asked.isLive
    ).check()
    if judged.isBroken(isStrict: results.strict) { throw Exit.expectationFailed }
  }

  private func picture<Exam: AskingExam>(of asked: Asked<Exam>, _ kind: String, _ judged: JudgedInput) -> Picture {
    var picture = StationPicture.picture(
      ofExamination: kind, asked.entries, numbers: asked.numbers, judgement: judged.judgement,
      interface: asked.interface)
    picture.conclude(isBroken: judged.isBroken(isStrict: results.strict), judgement: judged.judgement)
    return picture
  }

  private func write(_ judged: JudgedInput, _ text: () -> [String], _ json: (String) -> [String], to out: Output) {
    switch results.format {
    case .text:
      let lines = text()
      for line in quiet ? lines.suffix(1) : lines[...] {
        Terminal.fitted(line, to: results.output).forEach { out.line(painted: ExamTrace.painted($0)) }
      }
    case .json:
      let lines = json(judged.path)
      (quiet ? lines.suffix(1) : lines[...]).forEach { out.line($0) }
    case .junit, .tap, .sarif, .github: results.write([judged], to: out)
    }
  }
}
