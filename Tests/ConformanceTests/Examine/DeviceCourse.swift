import RollcallConformance
import RollcallPrimitives

@testable import RollcallExaminers

/// An examination of a device that is over, made by hand: what was asked, and what was heard.
struct DeviceCourse {
  static let uuid = "2fac1234-31f8-11b4-a222-08002b34c003"
  static let part = "part-1"
  static let root = "upnp:rootdevice"
  static let device = Endpoint(IPAddress(192, 168, 1, 10), port: 1_900)
  static let leaseSeconds: Int32 = 100

  var exam: DeviceExam

  /// - Parameter targets: what it announced.
  init(_ targets: [String] = [DeviceCourse.root], byebyeWait: Interval? = nil) {
    exam = DeviceExam(DeviceExamPlan(byebyeWait: byebyeWait))
    exam.root = DeviceCourse.uuid
    exam.outcome = .examined
    exam.phase = .over
    exam.ended = .zero + .seconds(1_000)
    add(DeviceCourse.uuid, targets)
  }

  /// One more UUID at the same LOCATION: a part of the device, where it announces no root.
  mutating func add(_ uuid: String, _ targets: [String]) {
    exam.roll.note(uuid, from: DeviceCourse.device.address, at: .zero) { device in
      device.location = "http://192.168.1.10/x"
      device.claim = .uda20
      device.maxAgeSeconds = DeviceCourse.leaseSeconds
      device.adverts = targets.map { ExamAdvert(target: $0, uuid: uuid) }
    }
  }

  /// Asks from a port of its own, unless one is given; answered after each of these waits.
  mutating func ask(
    _ probe: DeviceProbe, _ question: ExamQuestion = ExamQuestion(DeviceCourse.root), at time: Interval,
    port: UInt16? = nil, answeredAfter waits: [Interval] = []
  ) {
    let own = Endpoint(IPAddress(192, 168, 1, 20), port: port ?? UInt16(50_000 + exam.asks.count))
    exam.asks.append(
      ExamAsk(
        probe: probe, question: question, time: .zero + time, source: own, destination: DeviceCourse.device, bytes: []))
    for wait in waits { answer(after: wait) }
  }

  /// One more answer to the last question, with the ST that was asked unless it is changed.
  mutating func answer(after wait: Interval, _ change: (inout ExamAnswer) -> Void = { _ in }) {
    guard let ask = exam.asks.last else { return }
    var answer = ExamAnswer(
      time: ask.time + wait, source: DeviceCourse.device, port: ask.source.port, isResponse: true, isError: false,
      bootID: 1, configID: 1, bytes: [])
    (answer.uuid, answer.target) = (DeviceCourse.uuid, ask.question.target)
    answer.usn = "uuid:\(DeviceCourse.uuid)::\(ask.question.target ?? "")"
    change(&answer)
    exam.asks[exam.asks.count - 1].answers.append(answer)
  }

  /// A sign of life: asked and answered.
  mutating func sign(at time: Interval, isAnswered: Bool = true) {
    ask(.stillThere, at: time, answeredAfter: isAnswered ? [.milliseconds(1)] : [])
  }

  mutating func announce(
    _ kind: ExamAnnouncement.Kind = .alive, at time: Interval, target: String = DeviceCourse.root,
    uuid: String = DeviceCourse.uuid, bootID: Int64 = 1
  ) {
    exam.announcements.append(
      ExamAnnouncement(
        kind: kind, time: .zero + time, source: DeviceCourse.device, uuid: uuid, target: target, bootID: bootID,
        configID: 1, maxAgeSeconds: DeviceCourse.leaseSeconds, bytes: []))
  }

  /// `verdict what was found`, or why there is none.
  func rulings(_ clause: ClauseID, _ probe: DeviceProbe? = nil) -> [String] {
    (exam.report?.rulings ?? []).filter { $0.clause == clause && (probe == nil || $0.probe == probe) }.map { ruling in
      let text = ruling.verdict == .violated ? ruling.found : ruling.expected
      return text.isEmpty ? ruling.verdict.rawValue : "\(ruling.verdict.rawValue) \(text)"
    }
  }

  /// `probe verdict | expected | found | evidence`: `>` and the second of what was asked, `<` and that of what came.
  func whole(_ clause: ClauseID) -> [String] {
    (exam.report?.rulings ?? []).filter { $0.clause == clause }.map { ruling in
      let evidence = ruling.evidence.map { ($0.isSent ? ">" : "<") + ($0.time - Instant.zero).seconds(decimals: 1) }
      let texts = [ruling.expected, ruling.found, evidence.joined(separator: " ")].filter { !$0.isEmpty }
      return (["\(ruling.probe.rawValue) \(ruling.verdict.rawValue)"] + texts).joined(separator: " | ")
    }
  }

  /// The remark on a probe.
  func remark(_ probe: DeviceProbe) -> String? { exam.report?.rows.first { $0.probe == probe }?.remark }
}
