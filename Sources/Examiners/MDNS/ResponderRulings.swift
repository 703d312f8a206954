package import RollcallConformance
package import RollcallPrimitives
import RollcallWire

/// What came of one probe.
package struct ResponderRow: Hashable, Sendable {
  package enum Mark: String, Hashable, Sendable { case held, violated, inconclusive, notObservable }

  package var probe: ResponderProbe
  /// Messages sent, and responses that belong to them.
  package var askedCount: Int
  package var answerCount: Int
  /// The shortest and the longest wait for an answer.
  package var waits: ClosedRange<Interval>?
  package var mark: Mark
  /// What is to be said about it, where the clauses do not say it.
  package var remark: String?
}

/// What came of an examination.
package struct ResponderReport: Sendable {
  package var subject: ResponderSubject
  package var rows: [ResponderRow]
  package var rulings: [ProbeRuling]
  package var packetCount: Int
  package var duration: Interval
  package var presence: ExamPresence
}

/// Works out what an examination showed.
struct ResponderRulings {
  /// What a network and two clocks may add to a wait before it counts.
  static let grace = Interval.milliseconds(300)
  static let evidenceMaximum = 8

  let exam: ResponderExam
  let subject: ResponderSubject
  private(set) var rulings: [ProbeRuling] = []
  private(set) var remarks: [ResponderProbe: String] = [:]
  private let answers: [[HeardResponse]]

  init(_ exam: ResponderExam, _ subject: ResponderSubject) {
    (self.exam, self.subject) = (exam, subject)
    answers = exam.asks.map { exam.answers(to: $0) }
  }

  /// One message with what the responder answered.
  struct Asked {
    /// Its place among all messages.
    var number: Int
    var ask: ResponderAsk
    var answers: [HeardResponse]
    var wait: Interval? { answers.first.map { $0.time - ask.time } }
    var evidence: [ProbeMessage] { [ask.record] + answers.prefix(4).map(\.record) }
  }

  var everything: [Asked] {
    exam.asks.indices.filter { !exam.asks[$0].wasRefused }
      .map { Asked(number: $0, ask: exam.asks[$0], answers: answers[$0]) }
  }

  func asked(_ probe: ResponderProbe) -> [Asked] { everything.filter { $0.ask.probe == probe } }

  // MARK: - Writing down

  mutating func rule(
    _ probe: ResponderProbe, _ clause: ClauseID, _ verdict: ProbeVerdict, _ expected: String = "",
    found: String = "", _ evidence: [ProbeMessage] = []
  ) {
    let first = evidence.first { !$0.isSent } ?? evidence.first
    let isBroken = verdict == .violated
    rulings.append(
      ProbeRuling(
        clause: clause, verdict: verdict, time: first?.time ?? .zero, position: 0, expected: isBroken ? expected : "",
        found: isBroken ? found : expected, probe: probe.rawValue,
        evidence: Array(evidence.prefix(ResponderRulings.evidenceMaximum))))
  }

  /// Held or violated by what was answered.
  mutating func rule(
    _ probe: ResponderProbe, _ clause: ClauseID, _ isHeld: Bool, _ expected: String, found: String,
    _ evidence: [ProbeMessage]
  ) {
    rule(probe, clause, isHeld ? .held : .violated, isHeld ? "" : expected, found: isHeld ? "" : found, evidence)
  }

  /// The same of an answer that may come in several messages, of which one may be lost.
  mutating func ruleParts(
    _ probe: ResponderProbe, _ clause: ClauseID, _ isHeld: Bool, _ expected: String, found: String,
    _ evidence: [ProbeMessage]
  ) {
    if !isHeld, mayBeLoss(1) { return rule(probe, clause, .inconclusive, found + "; " + lossText(1), evidence) }
    rule(probe, clause, isHeld, expected, found: found, evidence)
  }

  mutating func remark(_ probe: ResponderProbe, _ text: String) { remarks[probe] = text }

  /// Whether the responder answered something that it was asked at or behind that time.
  func livesAfter(_ time: Instant) -> Bool { everything.contains { $0.ask.time >= time && !$0.answers.isEmpty } }

  /// Silence where an answer was due: broken, unless the responder may be gone or too much is lost. Of what was not
  /// asked nothing is said.
  mutating func silence(_ probe: ResponderProbe, _ clause: ClauseID, _ expected: String, _ asked: [Asked]) {
    guard let last = asked.last else { return }
    let sent = asked.map(\.ask.record)
    guard livesAfter(last.ask.time + last.ask.window) else {
      return rule(probe, clause, .inconclusive, "the responder answered nothing any more", sent)
    }
    if mayBeLoss(asked.count) { return rule(probe, clause, .inconclusive, lossText(asked.count), sent) }
    let times = asked.count == 1 ? "once" : "\(asked.count) times"
    rule(probe, clause, .violated, expected, found: "silence, asked \(times)", sent)
  }

  /// Silence that was due: held between two signs of life alone.
  mutating func quiet(_ probe: ResponderProbe, _ clause: ClauseID, _ expected: String, _ asked: [Asked]) {
    for one in asked where one.ask.expects == .silence {
      if let answer = one.answers.first {
        if exam.isDisturbed(one.ask) {
          rule(probe, clause, .inconclusive, "somebody else asked at the same time", one.evidence)
        } else {
          rule(
            probe, clause, .violated, expected, found: "an answer after \((answer.time - one.ask.time).secondsText)",
            one.evidence)
        }
        continue
      }
      let before = everything.last { $0.number < one.number && $0.ask.expects == .answer }
      let after = everything.first { $0.number > one.number && $0.ask.expects == .answer }
      if before?.answers.isEmpty == false, after?.answers.isEmpty == false {
        if mayBeLoss(1) {
          rule(probe, clause, .inconclusive, lossText(1), one.evidence)
        } else {
          rule(probe, clause, .held, "", one.evidence)
        }
      } else {
        rule(
          probe, clause, .inconclusive, "silence, but the questions around it were not both answered", one.evidence)
      }
    }
  }

  /// How many messages that can be answered got no answer: what the network loses. Behind the last answer
  /// the responder may be gone.
  private var losses: (lost: Int, of: Int) {
    // The same bytes on another way, or in other letters, may be left unanswered for another reason.
    func isAlike(_ one: ResponderAsk, _ other: ResponderAsk) -> Bool {
      one.bytes == other.bytes && one.destination == other.destination
        && (one.source.port == Endpoint.mdnsPort) == (other.source.port == Endpoint.mdnsPort)
    }
    let questions = everything[..<((everything.lastIndex { !$0.answers.isEmpty } ?? -1) + 1)]
      .filter { $0.ask.expects == .answer }
    var answered: [ResponderAsk] = []
    for one in questions where !one.answers.isEmpty && !answered.contains(where: { isAlike($0, one.ask) }) {
      answered.append(one.ask)
    }
    let asked = questions.filter { one in answered.contains { isAlike($0, one.ask) } }
    return (asked.count { $0.answers.isEmpty }, asked.count)
  }

  /// Whether so many messages in a row may have gone without an answer by loss alone: more often than once in a
  /// thousand.
  func mayBeLoss(_ count: Int) -> Bool {
    let (lost, all) = losses
    guard lost > 0 else { return false }
    var chance = 1_000_000
    for _ in 0..<count { chance = chance * (lost + 2) / (all + 2) }
    return chance > 1_000
  }

  private func lossText(_ count: Int) -> String {
    let (lost, all) = losses
    return "asked \(count == 1 ? "once" : "\(count) times"); but of \(all) questions that can be answered "
      + "\(lost) were not: too much is lost here"
  }

  mutating func work() {
    ruleSets()
    ruleTimes()
    ruleUnicast()
    ruleLegacy()
    ruleSilence()
  }
}

extension ResponderExam {
  /// What came of it; `nil` where nobody was examined.
  package var report: ResponderReport? {
    guard outcome == .examined, let subject else { return nil }
    var book = ResponderRulings(self, subject)
    book.work()
    return ResponderReport(
      subject: subject, rows: plan.probes.map { row($0, book) }, rulings: book.rulings, packetCount: packetCount,
      duration: ended - began, presence: presence)
  }

  private func row(_ probe: ResponderProbe, _ book: ResponderRulings) -> ResponderRow {
    let asked = book.asked(probe)
    let waits = asked.compactMap(\.wait)
    let verdicts = book.rulings.filter { $0.probe == probe.rawValue }.map(\.verdict)
    var mark = ResponderRow.Mark.notObservable
    if verdicts.contains(.violated) {
      mark = .violated
    } else if verdicts.contains(.inconclusive) {
      mark = .inconclusive
    } else if verdicts.contains(.held) {
      mark = .held
    }
    var remark = book.remarks[probe]
    if remark == nil, asked.isEmpty {
      remark = probe.needsService ? "no service was found to ask for" : "no name of the host was found to ask for"
      if wasStopped || isInterfaceLost || asks.contains(where: { $0.probe == probe }) { remark = "not asked" }
    }
    return ResponderRow(
      probe: probe, askedCount: asked.count, answerCount: asked.reduce(0) { $0 + $1.answers.count },
      waits: waits.min().flatMap { low in waits.max().map { low...$0 } }, mark: mark, remark: remark)
  }
}
