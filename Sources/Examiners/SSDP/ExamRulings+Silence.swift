import RollcallConformance
import RollcallPrimitives

extension ExamRulings {
  // MARK: - What ought to meet silence

  mutating func ruleSilence() {
    let rows: [(probe: DeviceProbe, clause: ClauseID, expected: String)] = [
      (.searchUnknown, .answerMatch, "silence to a search for what the device is not"),
      (.versionHigher, .answerHigher, "silence to a search for a higher version"),
      (.mxMissing, .answerNoMX, "silence to a multicast search without MX"),
      (.mxText, .answerBadMX, "silence to a multicast search whose MX is no integer"),
      (.manMissing, .answerBadMAN, "silence to a search without MAN"),
      (.manUnquoted, .answerBadMAN, "silence to a search whose MAN has no quotes"),
      (.manOther, .answerBadMAN, "silence to a search with another MAN"),
      (.valueCase, .valueCase, "silence to values in another case of letters"),
      (.otherStartLine, .otherStartLine, "silence to another start line"),
      (.malformed, .discardMalformed, "silence to what is no search"),
    ]
    for row in rows {
      var asked = asked(row.probe)
      if asked.isEmpty { continue }
      if row.probe == .valueCase {
        asked.removeAll { takesAnyValue(insteadOf: $0.ask.question) }
        if asked.isEmpty {
          rule(row.probe, row.clause, .inconclusive, "it answers whatever these values are")
          continue
        }
      }
      var seen: [ExamQuestion] = []
      var shown: [ProbeMessage] = []
      var found = ""
      for one in asked where !seen.contains(one.ask.question) {
        guard let answer = one.answers.first(where: { !$0.isError }) else { continue }
        seen.append(one.ask.question)
        shown += evidence(one, [answer])
        if seen.count > 1 { continue }
        let twice = asked.filter { $0.ask.question == one.ask.question }
        let come = twice.count { !$0.answers.isEmpty }
        found = "an answer after \(one.wait(answer).secondsText) to " + one.ask.question.text
        if twice.count > 1 { found += "; \(come) of \(twice.count) were answered" }
      }
      if seen.isEmpty {
        isWhole(row.probe)
          ? rule(row.probe, row.clause, .held) : rule(row.probe, row.clause, .inconclusive, whyNot)
      } else {
        let others = seen.dropFirst().map { $0.difference(to: seen[0]) }.joined(separator: "; ")
        rule(
          row.probe, row.clause, .violated, row.expected, found: found + (others.isEmpty ? "" : "; also to " + others),
          shown)
      }
    }
    noteZeroMX()
  }

  /// Whether the value in another case of letters is one that the device does not look at: it answers to any other
  /// value there, too, and to read no case out of it is right.
  private func takesAnyValue(insteadOf question: ExamQuestion) -> Bool {
    func answers(_ probe: DeviceProbe, _ asks: (ExamQuestion) -> Bool = { _ in true }) -> Bool {
      asked(probe).contains { asks($0.ask.question) && $0.answers.contains { !$0.isError } }
    }
    if question.man != ExamQuestion.discover { return answers(.manOther) || answers(.manMissing) }
    return answers(.searchUnknown) {
      ExamTarget($0.target ?? "").form == .uuid || $0.target?.contains("Nobody") == true
    }
  }

  private mutating func noteZeroMX() {
    let asked = asked(.mxZero)
    if asked.isEmpty { return }
    if let one = asked.first(where: { !$0.answers.isEmpty }), let answer = one.answers.first {
      remark(.mxZero, "answered after \(one.wait(answer).secondsText)")
    } else {
      remark(.mxZero, "silence")
    }
  }

  // MARK: - Copies, overlap, waits

  mutating func ruleCopies() {
    let asked = asked(.copies)
    guard let last = asked.last else { return }
    // All three share a socket, whose answers are kept with the search that was sent last before them.
    var counts: [(usn: String, count: Int)] = []
    let all = asked.flatMap(\.answers)
    for answer in all where answer.isResponse {
      let usn = answer.usn ?? ""
      if let place = counts.firstIndex(where: { $0.usn == usn }) {
        counts[place].count += 1
      } else {
        counts.append((usn, 1))
      }
    }
    guard let most = counts.max(by: { $0.count < $1.count }) else {
      let why = all.isEmpty ? "nothing was answered" : "what came is no answer to a search"
      return rule(.copies, .answerOnce, .inconclusive, why, asked.map(\.ask.record))
    }
    if most.count > asked.count {
      rule(
        .copies, .answerOnce, .violated, "at most one answer to each of \(asked.count) copies",
        found: "\(most.count) answers", evidence(last, all))
    } else {
      rule(.copies, .answerOnce, .held)
      remark(.copies, "\(most.count) answers to \(asked.count) copies")
    }
  }

  mutating func ruleOverlap() {
    let asked = asked(.overlap)
    guard let long = asked.first, long.ask.question.mx == "5" else { return }
    guard let lastAnswer = long.answers.map(\.time).max() else {
      return rule(
        .overlap, .answerNonblocking, .inconclusive, "nothing was answered with MX 5", asked.map(\.ask.record))
    }
    var blocked: [Asked] = []
    for short in asked.dropFirst() {
      if short.answers.contains(where: { $0.time < lastAnswer }) { return rule(.overlap, .answerNonblocking, .held) }
      if short.answers.isEmpty, short.ask.time + .seconds(1) + DeviceExam.grace < lastAnswer { blocked.append(short) }
    }
    if blocked.count >= 2, !mayBeLoss(blocked.count), isWhole(.overlap) {
      rule(
        .overlap, .answerNonblocking, .violated, "an answer while others wait",
        found: "silence to \(blocked.count) searches while answers to one before them were still to come",
        [long.ask.record] + blocked.map(\.ask.record) + long.answers.suffix(1).map(\.record))
    } else {
      rule(
        .overlap, .answerNonblocking, .inconclusive,
        blocked.count >= 2
          ? lossText(blocked.count) : "its answers did not wait long enough for another search to come between")
    }
  }

  /// Uniform by Kolmogorov and Smirnov. One sample that is not may be chance, once in a thousand examinations: then a
  /// second one has to agree.
  mutating func ruleSpread() {
    let asked = asked(.spread)
    if asked.isEmpty { return }
    var samples: [ArraySlice<Asked>] = []
    for start in stride(from: 0, to: asked.count, by: DeviceProbe.spreadCount) {
      samples.append(asked[start..<min(asked.count, start + DeviceProbe.spreadCount)])
    }
    let waits = samples.map { sample in ExamSpread.waits(sample.map { ($0.ask, $0.answers) }) }
    guard isWhole(.spread) else { return rule(.spread, .answerDelay, .inconclusive, whyNot) }
    guard let tested = waits.last(where: { $0.count >= Distribution.delayCountMinimum }) else {
      return rule(
        .spread, .answerDelay, .inconclusive,
        "\(waits[0].count) of \(samples[0].count) searches were answered, and a test takes "
          + "\(Distribution.delayCountMinimum)")
    }
    let verdicts = waits.map { ExamSpread.isUneven($0) }
    if verdicts.contains(false) {
      rule(.spread, .answerDelay, .held)
      remark(.spread, "\(tested.count) waits, spread over MX")
    } else if verdicts.contains(nil) {
      rule(
        .spread, .answerDelay, .inconclusive,
        "one sample of waits was uneven, the other too small: \(ExamSpread.text(tested))")
    } else {
      rule(
        .spread, .answerDelay, .violated, "waits spread evenly over MX (Kolmogorov-Smirnov, alpha 0.001)",
        found: ExamSpread.text(tested) + (samples.count > 1 ? ", as before" : ""),
        asked.prefix(3).flatMap { evidence($0, $0.answers) })
    }
  }

  mutating func ruleHugeMX() {
    let asked = asked(.mxHuge)
    if asked.isEmpty { return }
    let limit = Interval.seconds(5) + DeviceExam.grace
    let late = asked.first { one in one.answers.contains { one.wait($0) > limit } }
    if let late, let answer = late.answers.first(where: { late.wait($0) > limit }) {
      rule(
        .mxHuge, .answerMXCap, .violated, "answers within 5 seconds of a search with MX above 5",
        found: "one after \(late.wait(answer).secondsText)", evidence(late, [answer]))
    } else if !isWhole(.mxHuge) || asked.contains(where: { !$0.isSettled }) {
      rule(.mxHuge, .answerMXCap, .inconclusive, whyNot)
    } else if asked.allSatisfy({ $0.answers.isEmpty }) {
      silence(.mxHuge, .answerMXCap, "answers within 5 seconds of a search with MX \(DeviceProbe.hugeMX)", asked)
    } else {
      // Somebody who spreads a set over half a minute answers with a part of it in five seconds.
      let wanted = asked[0].ask.question.target == "ssdp:all" ? subject.adverts.count : 1
      let most = asked.map { one in one.answers.count { !$0.isError } }.max() ?? 0
      if most * 2 < wanted {
        rule(
          .mxHuge, .answerMXCap, .violated, "all answers within 5 seconds of a search with MX \(DeviceProbe.hugeMX)",
          found: "\(most) of \(wanted) within \(limit.secondsText)", asked.flatMap { evidence($0, $0.answers) })
      } else {
        rule(.mxHuge, .answerMXCap, .held)
      }
    }
  }
}
