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

  @OptionGroup var options: AskingOptions

  @Option(help: "The address or the host name of the responder; needed where more than one is there.")
  var target: String?

  @Option(help: "A type of service to ask for beside those that are listed, as in _ipp._tcp.local.")
  var type: String?

  @Option(help: "How long to wait for a responder that does not answer at first.")
  var patience = "10s"

  func run() throws {
    if let record = options.results.replay {
      return try show(
        options.repeated(record, others: [("--target", target), ("--type", type)]) { path in
          let record = try ExamTrace.read(path, ExamRecord.responder)
          return (ResponderExam(record.plan), record.entries, record.interface)
        })
    }
    let plan = try plan()
    let place = try options.begin(
      { ResponderPlanText.lines(plan, interface: $0, address: $1) }, { ResponderPlanText.list(plan) })
    guard let place else { return }
    // The machine ends by itself; the bound is for a clock that does not do as it should.
    let live = LivePlan(interfaces: [place.name], duration: plan.durationMaximum + .seconds(20))
    try show(
      options.ask(
        ResponderExam(plan), "responder", live, probes: plan.probes,
        first: ExamRecord.line(plan, interface: place.name)))
  }

  private func plan() throws -> ResponderExamPlan {
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
      target: target, probes: try options.probes(), type: name,
      patience: try ReplayCommand.interval(patience, option: "--patience"), family: options.family,
      seed: options.drawSeed())
  }

  // MARK: - What came of it

  private func show(_ asked: AskingOptions.Asked<ResponderExam>) throws {
    guard let report = asked.exam.report else { throw complaint(asked.exam, on: asked.interface) }
    let judgement = ResponderJudgement.judgement(of: asked.exam, report, trace: asked.entries, numbers: asked.numbers)
    try options.show(
      asked, "responder", judgement, text: { ResponderText.lines(report, judgement, interface: asked.interface) },
      json: { ResponderLines.lines(report, judgement, input: $0) })
    try report.presence.check()
  }

  /// Why nobody was examined.
  private func complaint(_ exam: ResponderExam, on interface: String) -> Complaint {
    let heard = exam.subjects.map { "\n  \($0.address)  \($0.host?.description ?? "no name")" }.joined()
    let duration = (exam.ended - exam.began).secondsText
    switch exam.outcome {
    case .ambiguous: return Complaint("more than one responder is on \(interface), name one with --target:" + heard)
    case .absent:
      return Complaint(
        "\(exam.plan.target ?? "the responder") was not heard on \(interface) within \(duration); these were:" + heard,
        code: Exit.expectationFailed)
    case .nobody:
      return Complaint(
        "no responder was heard on \(interface) within \(duration)", code: Exit.expectationFailed)
    case .noAddress:
      return Complaint("\(interface) has no address to ask from\(exam.isInterfaceLost ? " any more" : "")")
    case .examined, nil: return Complaint("ended before it was through; nothing was judged", code: Exit.interrupted)
    }
  }
}
