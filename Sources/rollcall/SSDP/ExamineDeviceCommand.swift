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

  @OptionGroup var options: AskingOptions

  @Option(help: "The UUID of the device; needed where more than one is there.")
  var target: String?

  @Option(help: "How long to wait for what comes unasked: a silent device, a renewal.")
  var patience = "30s"

  @Option(help: "Say when to stop the device, and wait this long for its byebye.")
  var untilByebye: String?

  func run() throws {
    if let record = options.results.replay {
      return try show(
        options.repeated(record, others: [("--target", target), ("--until-byebye", untilByebye)]) { path in
          let record = try ExamTrace.read(path, ExamRecord.device)
          return (DeviceExam(record.plan), record.entries, record.interface)
        })
    }
    let plan = try plan()
    let place = try options.begin(
      { ExamPlanText.lines(plan, interface: $0, address: $1) }, { ExamPlanText.list(plan) })
    guard let place else { return }
    // The machine ends by itself; the bound is for a clock that does not do as it should.
    var live = LivePlan(interfaces: [place.name], duration: plan.durationMaximum + .seconds(20))
    live.movesTakenPorts = true
    var hasPrompted = false
    try show(
      options.ask(
        DeviceExam(plan), "device", live, probes: plan.probes, first: ExamRecord.line(plan, interface: place.name)
      ) { exam in
        guard exam.wantsDeviceStopped, !hasPrompted else { return }
        hasPrompted = true
        Output.complain("stop the device now")
      })
  }

  // MARK: - Options

  private func plan() throws -> DeviceExamPlan {
    var probes: [DeviceProbe] = try options.probes()
    let wait = try untilByebye.map { try ReplayCommand.interval($0, option: "--until-byebye") }
    let isAll = options.only.isEmpty
    if wait != nil, !isAll { probes.append(.byebye) }
    if !isAll, probes.contains(.byebye), wait == nil {
      throw Complaint("--only byebye: somebody has to stop the device; say how long to wait for it with --until-byebye")
    }
    if let target { try TargetOptions.checkUUID(target, option: "--target") }
    return DeviceExamPlan(
      target: target, probes: probes,
      patience: try ReplayCommand.interval(patience, option: "--patience"), byebyeWait: wait,
      family: options.family, seed: options.drawSeed(),
      agent: Product.userAgent(uda: "2.0"))
  }

  // MARK: - What came of it

  private func show(_ asked: AskingOptions.Asked<DeviceExam>) throws {
    guard let report = asked.exam.report else { throw complaint(asked.exam, on: asked.interface) }
    let judgement = ExamJudgement.judgement(of: asked.exam, report, trace: asked.entries, numbers: asked.numbers)
    try options.show(
      asked, "device", judgement, text: { ExamText(report, judgement, interface: asked.interface).lines },
      json: { ExamLines.lines(report, judgement, input: $0) })
    try report.presence.check()
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
          + (exam.ended - exam.began).secondsText + "; these were:" + heard.joined(), code: Exit.expectationFailed)
    case .nobody:
      return Complaint(
        "no device was heard on \(interface) within \((exam.ended - exam.began).secondsText): "
          + "\(exam.packetCount) searches got no answer, and nobody announced himself",
        code: Exit.expectationFailed)
    case .noAddress: return Complaint("\(interface) has no address to ask from")
    case .examined, nil: return Complaint("ended before it was through; nothing was judged", code: Exit.interrupted)
    }
  }
}
