import RollcallConformance
import RollcallPrimitives

/// Works out what an examination showed.
struct ExamRulings {
  let exam: DeviceExam
  let subject: ExamSubject
  private(set) var rulings: [ExamRuling] = []
  private(set) var remarks: [DeviceProbe: String] = [:]
  /// Questions that count, in the order in which they were asked.
  let everything: [Asked]
  /// Probes of which some question does not count, since it is not known whether the device was there to answer.
  private let uncounted: Set<DeviceProbe>
  let presence: ExamPresence

  init(_ exam: DeviceExam, _ subject: ExamSubject) {
    (self.exam, self.subject, presence) = (exam, subject, exam.presence)
    let life = exam.life
    let asked = exam.asks[exam.firstAsk..<(exam.lastAsk ?? exam.asks.count)].map { ask in
      Asked(ask: ask, answers: exam.answers(to: ask, of: subject), isSettled: exam.isSettled(ask, life))
    }
    // Copies of a search share a port, and what is answered is kept with the last of them.
    let answered = Set(asked.filter { !$0.answers.isEmpty }.map(\.ask.source.port))
    // Whether the device answers to the last question of all, when it was stopped, is the question itself.
    func counts(_ one: Asked) -> Bool {
      one.isSettled || answered.contains(one.ask.source.port) || one.ask.probe == .byebye && !one.ask.wasRefused
    }
    everything = asked.filter(counts)
    uncounted = Set(asked.filter { !counts($0) }.map(\.ask.probe))
  }

  /// One question with what the device answered.
  struct Asked {
    var ask: ExamAsk
    var answers: [ExamAnswer]
    /// Whether the time for answers passed while the device was there, so that nothing more was to come.
    var isSettled: Bool
    func wait(_ answer: ExamAnswer) -> Interval { answer.time - ask.time }
  }

  func asked(_ probe: DeviceProbe) -> [Asked] { everything.filter { $0.ask.probe == probe } }

  /// Whether every question of a probe counts.
  func isWhole(_ probe: DeviceProbe) -> Bool { !uncounted.contains(probe) }

  /// Why not all of a probe is judged.
  var whyNot: String { presence.text ?? "it gave no sign of life afterwards" }

  // MARK: - Writing down

  /// Whether the clause binds somebody of the version that the device claims.
  func binds(_ clause: ClauseID) -> Bool { clause.clause.isIn(subject.claim) }

  mutating func rule(
    _ probe: DeviceProbe, _ clause: ClauseID, _ verdict: ProbeVerdict, _ expected: String = "",
    found: String = "", _ evidence: [ProbeMessage] = []
  ) {
    rulings.append(
      ExamRuling(
        probe: probe, clause: clause, verdict: verdict, expected: expected, found: found,
        evidence: Array(evidence.prefix(ExamRuling.evidenceMaximum))))
  }

  mutating func remark(_ probe: DeviceProbe, _ text: String) { remarks[probe] = text }

  /// Silence where an answer was due: broken, unless the device may be gone.
  mutating func silence(_ probe: DeviceProbe, _ clause: ClauseID, _ expected: String, _ asked: [Asked]) {
    let sent = asked.map(\.ask.record)
    if answersElsewhere {
      return rule(probe, clause, .inconclusive, "its answers go to port 1900, see answer-port", sent)
    }
    guard isWhole(probe), !asked.isEmpty else { return rule(probe, clause, .inconclusive, whyNot, sent) }
    if mayBeLoss(asked.count) { return rule(probe, clause, .inconclusive, lossText(asked.count), sent) }
    let times = asked.count == 1 ? "once" : "\(asked.count) times"
    rule(probe, clause, .violated, expected, found: "silence, asked \(times)", sent)
  }

  /// How many good searches, one after the other and answerable, got no answer: what the network loses.
  private var losses: (lost: Int, of: Int) {
    // Searches that overlap may be left unanswered for another reason.
    let single = everything.filter {
      $0.ask.question.isInGoodForm && $0.ask.question.mx != "2"
        && ![.spread, .overlap, .copies, .mxHuge, .answerPort].contains($0.ask.probe)
    }
    var questions: [ExamQuestion] = []
    for one in single where !one.answers.isEmpty && !questions.contains(one.ask.question) {
      questions.append(one.ask.question)
    }
    let answerable = single.filter { questions.contains($0.ask.question) }
    return (answerable.count { $0.answers.isEmpty }, answerable.count)
  }

  /// Whether so many searches in a row may have gone without an answer by loss alone: more often than once in a
  /// thousand.
  func mayBeLoss(_ count: Int) -> Bool {
    let (lost, all) = losses
    guard lost > 0 else { return false }
    // From a few dozen searches the loss is known roughly: two more might have been lost.
    var chance = 1_000_000
    for _ in 0..<min(count, 16) { chance = chance * (lost + 2) / (all + 2) }
    return chance > 1_000
  }

  func lossText(_ count: Int) -> String {
    let (lost, all) = losses
    return
      "silence, asked \(count) times; but of \(all) searches that can be answered \(lost) were not: too much is lost here"
  }

  /// Whether answers come to port 1900, and nowhere else.
  var answersElsewhere: Bool { asked(.answerPort).contains { !$0.answers.isEmpty } }

  /// The searches with the answers that show it, in the order of time.
  func evidence(_ asked: Asked, _ shown: [ExamAnswer]) -> [ProbeMessage] {
    [asked.ask.record] + shown.prefix(4).map(\.record)
  }

  // MARK: - Everything

  mutating func work() {
    ruleSets()
    ruleVersions()
    ruleUnicast()
    ruleForms()
    ruleSilence()
    ruleCopies()
    ruleOverlap()
    ruleSpread()
    ruleHugeMX()
    ruleLife()
    ruleAllAnswers()
    ruleNumbers()
    ruleEmbedded()
    ruleRenewal()
    ruleByebye()
  }
}

extension DeviceExam {
  /// What came of it; `nil` where nobody was examined.
  package var report: ExamReport? {
    guard outcome == .examined, let subject else { return nil }
    var book = ExamRulings(self, subject)
    book.work()
    let rows = plan.probes.map { row($0, book) }
    return ExamReport(
      subject: subject, rows: rows, rulings: book.rulings, packetCount: packetCount, duration: ended - began,
      presence: book.presence)
  }

  private func row(_ probe: DeviceProbe, _ book: ExamRulings) -> ExamRow {
    let asked = book.asked(probe)
    let isWhole = book.isWhole(probe)
    let waits = asked.flatMap { one in one.answers.map { one.wait($0) } }
    let rulings = book.rulings.filter { $0.probe == probe && book.binds($0.clause) }
    let mark: ExamRow.Mark
    if rulings.contains(where: { $0.verdict == .violated }) {
      mark = .violated
    } else if rulings.contains(where: { $0.verdict == .inconclusive }) {
      mark = .inconclusive
    } else if rulings.contains(where: { $0.verdict == .held }) {
      mark = .held
    } else if !isWhole {
      mark = .inconclusive
    } else {
      mark = asked.isEmpty && (probe != .description || document == nil) ? .notAsked : .noted
    }
    var remark = probe == .description ? fetchRemark : book.remarks[probe]
    if !isWhole, remark == nil { remark = "not judged: " + book.whyNot }
    if remark == nil, mark == .noted, book.rulings.contains(where: { $0.probe == probe }) {
      remark = "no clause binds it under UDA \(book.subject.claim.text)"
    }
    return ExamRow(
      probe: probe, askedCount: asked.count, answeredCount: asked.count { !$0.answers.isEmpty },
      answerCount: waits.count, waits: waits.min().flatMap { low in waits.max().map { low...$0 } }, mark: mark,
      remark: remark)
  }
}
