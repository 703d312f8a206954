import RollcallConformance
import RollcallPrimitives

extension ExamRulings {
  // MARK: - Life

  mutating func ruleLife() {
    let asked = asked(.stillThere)
    if exam.isMute {
      let port = self.asked(.answerPort)
      if let one = port.first(where: { !$0.answers.isEmpty }) {
        rule(
          .answerPort, .answerUnicast, .violated, "an answer to the socket that searched",
          found: "answers to port 1900 only: other sockets heard nothing", evidence(one, one.answers))
      } else if !port.isEmpty {
        remark(.answerPort, "silence there, too")
      }
      return
    }
    if presence == .present {
      if !asked.isEmpty { rule(.stillThere, .listenMulticast, .held) }
    } else {
      remark(.stillThere, whyNot)
    }
  }

  // MARK: - Every answer

  /// Clauses that every answer keeps or breaks, whatever was asked.
  mutating func ruleAllAnswers() {
    let asked = everything.filter { !$0.answers.isEmpty && $0.ask.probe != .answerPort }
    ruleErrors(asked)
    if asked.isEmpty { return }
    if !exam.isMute { rule(.searchAll, .answerUnicast, .held) }
    ruleLateness(asked)
    ruleDuplicates(asked)
    ruleMatches(asked)
  }

  private mutating func ruleErrors(_ asked: [Asked]) {
    for one in asked {
      guard let error = one.answers.first(where: \.isError) else { continue }
      return rule(
        one.ask.probe, .answerNoError, .violated, "silence, or HTTP/1.1 200 OK",
        found: error.record.text, evidence(one, [error]))
    }
    if !exam.asks.isEmpty { rule(.searchAll, .answerNoError, .held) }
  }

  private mutating func ruleLateness(_ asked: [Asked]) {
    var isHeld = false
    for one in asked where one.ask.question.isMulticast && one.ask.question.isInGoodForm {
      // What comes of MX above 5 is judged for itself.
      guard one.ask.window <= .seconds(5), one.ask.probe != .mxHuge else { continue }
      isHeld = true
      guard let late = one.answers.first(where: { one.wait($0) > one.ask.window + DeviceExam.grace }) else { continue }
      return rule(
        one.ask.probe, .answerDelayMaximum, .violated, "no answer after MX has run out",
        found: "one \((one.wait(late) - one.ask.window).secondsText) after the end of MX \(one.ask.question.mx ?? "")",
        evidence(one, [late]))
    }
    if isHeld { rule(.searchAll, .answerDelayMaximum, .held) }
  }

  private mutating func ruleDuplicates(_ asked: [Asked]) {
    for one in asked where one.ask.probe != .copies {
      var seen: [String] = []
      for answer in one.answers where answer.isResponse {
        let key = (answer.usn ?? "") + "\n" + (answer.target ?? "")
        guard seen.contains(key) else {
          seen.append(key)
          continue
        }
        let same = one.answers.filter { $0.usn == answer.usn && $0.target == answer.target }
        return rule(
          one.ask.probe, .answerOnce, .violated, "one answer for each match",
          found: "\(same.count) with USN \(answer.usn ?? "(none)") to one search", evidence(one, same))
      }
    }
    if !exam.plan.probes.contains(.copies) || exam.isMute { rule(.searchAll, .answerOnce, .held) }
  }

  /// ST of an answer is the one that was asked.
  private mutating func ruleMatches(_ asked: [Asked]) {
    var isHeld = false
    for one in asked where one.ask.question.isInGoodForm && one.ask.probe != .versionLower {
      guard let target = one.ask.question.target, target != "ssdp:all" else { continue }
      if one.ask.probe == .searchUnknown || one.ask.probe == .versionHigher || one.ask.probe == .valueCase { continue }
      isHeld = true
      guard let other = one.answers.first(where: { !one.ask.question.isMatched(by: $0) }) else { continue }
      guard isRepeated(one, asked) else { return rule(one.ask.probe, .answerMatch, .inconclusive, strayText) }
      return rule(
        one.ask.probe, .answerMatch, .violated, "ST as it was asked: \(target)",
        found: "ST: \(other.target ?? "")", evidence(one, [other]))
    }
    if isHeld { rule(.searchAll, .answerMatch, .held) }
  }

  /// Whether another search for the same, from another socket, got an answer with another ST, too. One alone may be an
  /// answer to what somebody asked before from the same port.
  func isRepeated(_ asked: Asked, _ all: [Asked]) -> Bool {
    all.contains { other in
      other.ask.question.target == asked.ask.question.target && other.ask.source.port != asked.ask.source.port
        && other.answers.contains { !other.ask.question.isMatched(by: $0) }
    }
  }

  var strayText: String { "one answer with another ST, which may belong to a search of another program" }

  // MARK: - BOOTID

  private struct Numbers {
    var bootID: Int64
    var configID: Int64
    var record: ProbeMessage
    var isAnswer: Bool
  }

  /// Answers and announcements in the order of time.
  private var numbers: [Numbers] {
    var seen: [Numbers] = []
    for one in everything {
      for answer in one.answers where answer.isResponse {
        seen.append(
          Numbers(bootID: answer.bootID, configID: answer.configID, record: answer.record, isAnswer: true))
      }
    }
    for alive in exam.announcements(.alive) {
      seen.append(Numbers(bootID: alive.bootID, configID: alive.configID, record: alive.record, isAnswer: false))
    }
    return seen.sorted { $0.record.time < $1.record.time }
  }

  /// CONFIGID comes and goes with nothing that would change a description.
  private mutating func ruleConfigID(_ seen: [Numbers]) {
    let seen = seen.filter { $0.configID >= 0 }
    guard let first = seen.first, let other = seen.first(where: { $0.configID != first.configID }) else { return }
    guard seen.contains(where: { $0.record.time > other.record.time && $0.configID == first.configID }) else {
      return rule(.searchAll, .configIDChange, .inconclusive, "CONFIGID changed; a description may have changed, too")
    }
    rule(
      .searchAll, .configIDChange, .violated, "one CONFIGID as long as no description changes",
      found: "\(first.configID) and \(other.configID) by turns", [first.record, other.record])
  }

  /// BOOTID and CONFIGID are the same wherever they stand, unless the device says byebye or update between.
  mutating func ruleNumbers() {
    if !exam.announcements(.update).isEmpty { return }
    ruleConfigID(numbers)
    let seen = numbers.filter { $0.bootID >= 0 }
    guard let first = seen.first else { return }
    let byebye = exam.announcements(.byebye).first?.time ?? .never
    let announced = seen.first { !$0.isAnswer }
    guard let other = seen.first(where: { $0.bootID != first.bootID && $0.record.time < byebye }) else {
      rule(.searchAll, .bootIDSame, .held)
      if announced != nil, seen.contains(where: \.isAnswer) { rule(.searchAll, .answerBootID, .held) }
      return
    }
    let clause = other.isAnswer != first.isAnswer ? ClauseID.answerBootID : .bootIDSame
    let back = seen.contains { $0.record.time > other.record.time && $0.bootID == first.bootID }
    if back || clause == .answerBootID {
      rule(
        .searchAll, clause, .violated,
        clause == .answerBootID ? "the BOOTID of the announcements in answers" : "one BOOTID while the device stays",
        found: "\(first.bootID) and \(other.bootID)", [first.record, other.record])
    } else {
      rule(.searchAll, clause, .inconclusive, "BOOTID changed; a restart may lie between")
    }
  }

  // MARK: - Renewal and byebye

  mutating func ruleRenewal() {
    guard exam.plan.probes.contains(.renewal), presence == .present else { return }
    let lease = Interval.seconds(Int64(max(0, subject.all.map(\.maxAgeSeconds).max() ?? 0)))
    let listened = exam.ended - exam.began
    if let renewal = exam.renewal(until: exam.ended) {
      if let before = renewal.before, lease > .zero {
        let gap = renewal.alive.time - before
        if gap > lease + .seconds(1) {
          return rule(
            .renewal, .renew, .violated, "a renewal before max-age (\(lease)) runs out",
            found: "one after \(gap.secondsText)", [renewal.alive.record])
        }
        remark(.renewal, "renewed after \(gap.secondsText) of \(lease)")
        return rule(.renewal, .renew, .held)
      }
      remark(.renewal, "announced again; max-age is \(lease)")
      return rule(.renewal, .renew, .held)
    }
    let silentSince = exam.announcements(.alive).map(\.time).max() ?? exam.began
    let byebye = exam.announcements(.byebye).isEmpty
    if byebye, lease > .zero, exam.ended - silentSince > lease + .seconds(2) {
      rule(
        .renewal, .renew, .violated, "a renewal before max-age (\(lease)) runs out",
        found: "none within \((exam.ended - silentSince).secondsText)")
    } else {
      remark(.renewal, "not seen within \(listened.secondsText); max-age is \(lease)")
      rule(
        .renewal, .renew, .inconclusive,
        "not seen within \(listened.secondsText), and max-age is \(lease); --patience waits longer")
    }
  }

  mutating func ruleByebye() {
    guard exam.plan.probes.contains(.byebye), let wait = exam.plan.byebyeWait else { return }
    let byebyes = exam.announcements(.byebye)
    let asked = asked(.byebye)
    if byebyes.isEmpty, exam.wasStopped {
      return rule(.byebye, .byebyeSend, .inconclusive, "the examination was stopped before")
    }
    if exam.stoppingFrom == nil, byebyes.isEmpty || presence.word != "left" {
      return rule(.byebye, .byebyeSend, .inconclusive, whyNot)
    }
    if byebyes.isEmpty {
      if asked.contains(where: { !$0.answers.isEmpty }) {
        return rule(.byebye, .byebyeSend, .inconclusive, "the device was not stopped within \(wait.secondsText)")
      }
      return rule(
        .byebye, .byebyeSend, .violated, "byebye for everything that was announced",
        found: "none within \(wait.secondsText), and no answer after it", asked.map(\.ask.record))
    }
    let missing = subject.adverts.filter { advert in
      !byebyes.contains {
        ExamRoll.isSame($0.uuid, advert.uuid) && $0.target.lowercased() == advert.target.lowercased()
      }
    }
    if !missing.isEmpty, missing.count < subject.adverts.count, mayBeLoss(1) {
      return rule(.byebye, .byebyeSend, .inconclusive, "some byebyes were not heard, and much is lost here")
    }
    if missing.isEmpty {
      remark(.byebye, "\(byebyes.count) byebyes")
      rule(.byebye, .byebyeSend, .held)
    } else {
      rule(
        .byebye, .byebyeSend, .violated, "byebye for everything that was announced",
        found: "none for " + missing.prefix(4).map(\.target).joined(separator: ", ")
          + (missing.count > 4 ? " and more" : ""), byebyes.prefix(4).map(\.record))
    }
  }
}
