import RollcallConformance
import RollcallPrimitives
import RollcallWire

extension ResponderRulings {
  private func records(_ asked: [Asked]) -> [DNSRecord] { asked.flatMap(\.answers).flatMap(\.records) }

  private static func text(_ types: [DNSType]) -> String {
    types.isEmpty ? "nothing" : types.map(\.description).joined(separator: ", ")
  }

  // MARK: - What belongs to an answer

  mutating func ruleSets() {
    if let service = subject.service {
      ruleTypes(service)
      ruleAdditionals(service)
      ruleService(service)
      ruleAny(service)
      ruleQuestions(service)
    }
    ruleAbsence()
    ruleFamilies()
    ruleCase()
  }

  private mutating func ruleTypes(_ service: ExaminedService) {
    let asked = asked(.types)
    let expected = "PTR of \(ServiceType.enumerationName) to \(service.name.type.domainName)"
    guard let answered = asked.first(where: { !$0.answers.isEmpty }) else {
      return silence(.types, .enumeration, expected, asked)
    }
    let listed = answered.answers.flatMap(\.records).contains { $0.data == .ptr(service.name.type.domainName) }
    ruleParts(.types, .enumeration, listed, expected, found: "a list without it", answered.evidence)
  }

  /// Of PTR the service and its host (RFC 6763 §12.1).
  private mutating func ruleAdditionals(_ service: ExaminedService) {
    let asked = asked(.browse)
    guard let answered = asked.first(where: { !$0.answers.isEmpty }) else {
      return silence(.browse, .sharedDelay, "an answer to PTR", asked)
    }
    let found = answered.answers.flatMap(\.records)
    let name = service.name.domainName
    var missing: [String] = []
    if !found.contains(where: { $0.name == name && $0.type == .srv }) { missing.append("SRV") }
    if !found.contains(where: { $0.name == name && $0.type == .txt }) { missing.append("TXT") }
    if !found.contains(where: { $0.type == .a || $0.type == .aaaa }) { missing.append("an address") }
    ruleParts(
      .browse, .additionalRecords, missing.isEmpty, "SRV, TXT and addresses with PTR",
      found: "no \(missing.joined(separator: ", no "))", answered.evidence)
  }

  private mutating func ruleService(_ service: ExaminedService) {
    let asked = asked(.service)
    for type in [DNSType.srv, .txt] {
      let own = asked.filter { $0.ask.questions.first?.type == type }
      let expected = "\(type) of \(service.name.domainName)"
      guard let answered = own.first(where: { !$0.answers.isEmpty }) else {
        silence(.service, .serviceRecords, expected, own)
        continue
      }
      let isThere = answered.answers.flatMap(\.records).contains {
        $0.name == service.name.domainName && $0.type == type
      }
      rule(.service, .serviceRecords, isThere, expected, found: "only that there is none", answered.evidence)
    }
  }

  private mutating func ruleAny(_ service: ExaminedService) {
    let asked = asked(.anyType)
    guard let answered = asked.first(where: { !$0.answers.isEmpty }) else {
      return silence(.anyType, .anyQuestion, "SRV and TXT for ANY", asked)
    }
    let types = answered.answers.flatMap(\.message.answers).filter { $0.name == service.name.domainName }.map(\.type)
    ruleParts(
      .anyType, .anyQuestion, types.contains(.srv) && types.contains(.txt), "SRV and TXT for ANY",
      found: ResponderRulings.text(types), answered.evidence)
  }

  private mutating func ruleQuestions(_ service: ExaminedService) {
    let asked = asked(.questions)
    guard let first = asked.first else { return }
    guard let answered = asked.first(where: { !$0.answers.isEmpty }) else {
      return silence(.questions, .allQuestions, "answers to two questions of one query", asked)
    }
    let found = answered.answers.flatMap(\.records)
    let open = first.ask.questions.filter { question in !found.contains { question.isAnswered(by: $0) } }
    ruleParts(
      .questions, .allQuestions, open.isEmpty, "answers to both questions of a query",
      found: "nothing to \(open.map { "\($0.type) \($0.name)" }.joined(separator: ", "))", answered.evidence)
  }

  private mutating func ruleAbsence() {
    let asked = asked(.absence)
    guard let host = subject.host else { return }
    let expected = "NSEC of \(host), which has no such type"
    guard let answered = asked.first(where: { !$0.answers.isEmpty }) else {
      return silence(.absence, .negativeAnswers, expected, asked)
    }
    let isDenied = answered.answers.flatMap(\.records).contains { record in
      guard record.name == host, case .nsec(_, let types) = record.data else { return false }
      return !types.contains(DNSType(rawValue: ResponderExam.absentType))
    }
    rule(.absence, .negativeAnswers, isDenied, expected, found: "another answer", answered.evidence)
  }

  private mutating func ruleFamilies() {
    let asked = asked(.families)
    guard let first = asked.first, let question = first.ask.questions.first else { return }
    let other = question.type == .a ? DNSType.aaaa : .a
    let expected = "\(other) or NSEC with \(question.type)"
    guard let answered = asked.first(where: { !$0.answers.isEmpty }) else {
      return silence(.families, .otherFamily, expected, asked)
    }
    let own = answered.answers.flatMap(\.records).filter { $0.name == question.name }
    rule(
      .families, .otherFamily, own.contains { $0.type == other || $0.type == .nsec }, expected,
      found: ResponderRulings.text(own.map(\.type)), answered.evidence)
  }

  private mutating func ruleCase() {
    let asked = asked(.letterCase)
    guard let answered = asked.first(where: { !$0.answers.isEmpty }) else {
      return silence(.letterCase, .nameBytes, "an answer to the name in capital letters", asked)
    }
    rule(.letterCase, .nameBytes, .held, "", answered.evidence)
  }

  // MARK: - When

  mutating func ruleTimes() {
    ruleSharedDelay()
    rulePromptness()
    ruleTruncated()
    ruleRate()
  }

  /// A network and a clock make a wait longer, never shorter; what is put together waits up to 500 ms (RFC 6762 §6.4).
  private mutating func ruleSharedDelay() {
    let answered = asked(.browse).filter { !$0.answers.isEmpty }
    guard let first = answered.first else { return }
    let expected = "20 to 120 ms before a shared answer, 500 ms where answers are put together"
    let early = answered.filter { ($0.wait ?? .zero) + .milliseconds(1) < .milliseconds(20) }
    let late = answered.filter { ($0.wait ?? .zero) > .milliseconds(500) + ResponderRulings.grace }
    if let one = early.first ?? late.first {
      rule(
        .browse, .sharedDelay, .violated, expected,
        found: "\((one.wait ?? .zero).secondsText), \(early.count + late.count) of \(answered.count) answers",
        one.evidence)
    } else {
      rule(.browse, .sharedDelay, .held, "", first.evidence)
    }
  }

  /// The shortest wait counts. Where nothing at all came as soon, it may be the network.
  private mutating func rulePromptness() {
    let answered = asked(.service).filter { !$0.answers.isEmpty }
    let waits = answered.compactMap(\.wait)
    guard let least = waits.min(), let first = answered.first else { return }
    let most = Interval.milliseconds(20)
    let soonest = everything.compactMap(\.wait).min() ?? least
    let expected = "no delay before a unique answer, 10 ms at most"
    if least <= most {
      rule(.service, .promptAnswer, .held, "", first.evidence)
    } else if soonest <= most {
      rule(
        .service, .promptAnswer, .violated, expected,
        found: "\(least.secondsText) at least, in \(waits.count) answers", first.evidence)
    } else {
      rule(
        .service, .promptAnswer, .inconclusive,
        "no answer at all came within \(most.secondsText): the network may be as slow", first.evidence)
    }
  }

  private mutating func ruleTruncated() {
    let asked = asked(.truncated)
    let expected = "400 to 500 ms before an answer to a query with TC"
    guard let answered = asked.first(where: { !$0.answers.isEmpty }), let wait = answered.wait else {
      return silence(.truncated, .truncatedWait, expected, asked)
    }
    if exam.isDisturbed(answered.ask) {
      return rule(
        .truncated, .truncatedWait, .inconclusive, "somebody else asked at the same time", answered.evidence)
    }
    let isRight = (.milliseconds(399) ... .milliseconds(500) + ResponderRulings.grace).contains(wait)
    rule(.truncated, .truncatedWait, isRight, expected, found: wait.secondsText, answered.evidence)
  }

  /// Asked twice within a second, it is multicast once.
  private mutating func ruleRate() {
    let asked = asked(.rate)
    guard let first = asked.first(where: { $0.ask.expects == .answer && !$0.answers.isEmpty }) else {
      return silence(.rate, .oncePerSecond, "an answer to SRV", asked.filter { $0.ask.expects == .answer })
    }
    var evidence = first.evidence
    var gaps: [Interval] = []
    let said = exam.heard.filter { response in
      response.isMulticast && response.source.address == subject.address
        && response.records.contains {
          // A record that is taken back is no answer (RFC 6762 §10.1).
          $0.name == subject.service?.name.domainName && $0.type == .srv && $0.ttlSeconds > 0
        }
        && asked.contains { $0.ask.time <= response.time && response.time <= $0.ask.time + $0.ask.window }
    }
    for (one, next) in zip(said, said.dropFirst()) where next.time - one.time + .milliseconds(50) < .seconds(1) {
      gaps.append(next.time - one.time)
      if gaps.count == 1 { evidence = [one.record, next.record] }
    }
    rule(
      .rate, .oncePerSecond, gaps.isEmpty, "a second from one multicast of SRV to the next",
      found: gaps.first?.secondsText ?? "", evidence)
  }
}
