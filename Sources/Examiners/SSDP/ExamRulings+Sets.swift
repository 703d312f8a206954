import RollcallConformance
import RollcallPrimitives

extension ExamRulings {
  // MARK: - Each form of ST

  mutating func ruleSets() {
    ruleAll()
    ruleRoot()
    if exam.isMute {
      for probe in [DeviceProbe.searchUUID, .searchDevice, .searchService] where exam.plan.probes.contains(probe) {
        for clause in probe.clauses { rule(probe, clause, .inconclusive, "nothing is answered over multicast") }
      }
      return
    }
    ruleTargets(.searchUUID, .answerUUID)
    ruleTargets(.searchDevice, .answerDevice)
    ruleTargets(.searchService, .answerService)
    if exam.plan.probes.contains(.searchDevice), subject.types(.device).isEmpty {
      remark(.searchDevice, "no device type was heard")
    }
    if exam.plan.probes.contains(.searchService), subject.types(.service).isEmpty {
      remark(.searchService, "no service type was heard")
    }
  }

  /// ssdp:all: everything that was announced, and what each UUID of the set has to have.
  private mutating func ruleAll() {
    let asked = asked(.searchAll)
    let come = answeredInAll
    if exam.isMute {
      rule(.searchAll, .answerAll, .inconclusive, "nothing is answered over multicast")
      return silence(
        .searchAll, .listenMulticast, "an answer to a multicast search that matches",
        (asked + self.asked(.searchRoot)).sorted { $0.ask.time < $1.ask.time })
    }
    rule(.searchAll, .listenMulticast, .held)
    if come.isEmpty { return silence(.searchAll, .answerAll, "the whole set, one answer for each message", asked) }
    var wanted = subject.adverts.filter { $0.target != "ssdp:all" }
    func want(_ target: String, _ uuid: String) {
      let isThere = wanted.contains { $0.target.lowercased() == target.lowercased() && $0.uuid == uuid }
      if !isThere { wanted.append(ExamAdvert(target: target, uuid: uuid)) }
    }
    want("upnp:rootdevice", subject.root.uuid)
    for device in subject.all { want("uuid:" + device.uuid, device.uuid) }
    var missing = wanted.filter { advert in
      !come.contains { $0.answers.contains { isAnswer($0, advert) } }
    }
    .map { $0.target }
    for device in subject.all where !device.adverts.contains(where: { ExamTarget($0.target).form == .device }) {
      missing.append("a device type of uuid:" + device.uuid)
    }
    if missing.isEmpty { return rule(.searchAll, .answerAll, .held) }
    // The last question of all has nobody's word that its time passed; those before it have.
    let settled = come.filter(\.isSettled)
    guard isWhole(.searchAll), settled.count >= min(asked.count, come.count) else {
      return rule(.searchAll, .answerAll, .inconclusive, whyNot)
    }
    if mayBeLoss(settled.count) { return rule(.searchAll, .answerAll, .inconclusive, lossText(settled.count)) }
    let few = come.max { $0.answers.count < $1.answers.count }
    rule(
      .searchAll, .answerAll, .violated, "an answer for each message of the set",
      found: "none for " + missing.prefix(4).joined(separator: ", ") + (missing.count > 4 ? " and more" : "")
        + ", asked \(settled.count) times", few.map { evidence($0, $0.answers) } ?? [])
  }

  /// What asked for everything and was answered, whatever it was sent for.
  var answeredInAll: [Asked] {
    everything.filter {
      $0.ask.question.target == "ssdp:all" && $0.ask.question.isInGoodForm && !$0.answers.isEmpty
    }
  }

  private func isAnswer(_ answer: ExamAnswer, _ advert: ExamAdvert) -> Bool {
    guard answer.isResponse, let uuid = answer.uuid, let target = answer.target else { return false }
    // UUIDs compare without the case of letters.
    let isSame = target == advert.target || ExamTarget(target).form == .uuid && ExamRoll.isSame(target, advert.target)
    return isSame && ExamRoll.isSame(uuid, advert.uuid)
  }

  private mutating func ruleRoot() {
    if exam.isMute { return rule(.searchRoot, .answerRoot, .inconclusive, "nothing is answered over multicast") }
    let asked = asked(.searchRoot)
    guard subject.root.isRoot else { return remark(.searchRoot, "it announces no root device") }
    if asked.contains(where: { !$0.answers.isEmpty }) {
      rule(.searchRoot, .answerRoot, .held)
    } else {
      silence(.searchRoot, .answerRoot, "an answer to upnp:rootdevice", asked)
    }
  }

  /// A UUID or a type: everybody of the device that has it answers.
  private mutating func ruleTargets(_ probe: DeviceProbe, _ clause: ClauseID) {
    let asked = asked(probe)
    for target in targets(of: asked) {
      let group = asked.filter { $0.ask.question.target == target }
      let wanted = owners(of: target)
      let missing = wanted.filter { uuid in
        !group.contains { $0.answers.contains { $0.uuid.map { ExamRoll.isSame($0, uuid) } ?? false } }
      }
      if missing.isEmpty {
        rule(probe, clause, .held)
      } else if missing.count == wanted.count, group.allSatisfy({ $0.answers.isEmpty }) {
        silence(probe, clause, "an answer to \(target)", group)
      } else if !isWhole(probe) || group.contains(where: { !$0.isSettled }) {
        rule(probe, clause, .inconclusive, whyNot)
      } else if mayBeLoss(group.count) {
        rule(probe, clause, .inconclusive, lossText(group.count))
      } else {
        rule(
          probe, clause, .violated, "an answer to \(target) from each device that has it",
          found: "none with " + missing.map { "uuid:" + $0 }.joined(separator: ", "),
          group.flatMap { evidence($0, $0.answers) })
      }
    }
  }

  private func targets(of asked: [Asked]) -> [String] {
    var targets: [String] = []
    for one in asked {
      if let target = one.ask.question.target, !targets.contains(target) { targets.append(target) }
    }
    return targets
  }

  private func owners(of target: String) -> [String] {
    if target.lowercased().hasPrefix("uuid:") { return [String(target.dropFirst(5))] }
    var owners: [String] = []
    for advert in subject.adverts where advert.target == target && !owners.contains(advert.uuid) {
      owners.append(advert.uuid)
    }
    return owners
  }

  // MARK: - Versions

  mutating func ruleVersions() {
    guard exam.plan.probes.contains(.versionLower) else { return }
    if exam.isMute { return }
    let asked = asked(.versionLower)
    if asked.isEmpty { return remark(.versionLower, "no type has a version above 1") }
    for target in targets(of: asked) {
      let group = asked.filter { $0.ask.question.target == target }
      let come = group.filter { !$0.answers.isEmpty }
      guard let first = come.first else {
        silence(.versionLower, .answerLower, "an answer to the lower version \(target)", group)
        continue
      }
      if let other = first.answers.first(where: { $0.target != target }) {
        guard isRepeated(first, group) else {
          rule(.versionLower, .answerLower, .inconclusive, strayText)
          continue
        }
        rule(
          .versionLower, .answerLower, .violated, "ST as it was asked: \(target)",
          found: "ST: " + (other.target ?? "(none)"), evidence(first, [other]))
      } else {
        rule(.versionLower, .answerLower, .held)
      }
    }
  }

  // MARK: - Unicast

  mutating func ruleUnicast() {
    let plain = asked(.unicast)
    let withMX = asked(.unicastMX)
    if !plain.isEmpty {
      if plain.contains(where: { !$0.answers.isEmpty }) {
        rule(.unicast, .listenUnicast, .held)
      } else {
        let comes = withMX.contains { !$0.answers.isEmpty }
        silence(
          .unicast, .listenUnicast,
          "an answer to a unicast search, which has no MX"
            + (comes ? " (with MX it is answered)" : ""), plain)
      }
    }
    rulePace(.unicast, plain)
    rulePace(.unicastMX, withMX)
    if !withMX.isEmpty, withMX.allSatisfy({ $0.answers.isEmpty }) {
      remark(.unicastMX, "silence; MX has no place in a unicast search")
    }
  }

  private mutating func rulePace(_ probe: DeviceProbe, _ asked: [Asked]) {
    guard let one = asked.first(where: { !$0.answers.isEmpty }), let first = one.answers.first else { return }
    let wait = one.wait(first)
    if wait <= .seconds(1) + DeviceExam.grace {
      rule(probe, .unicastAnswerFast, .held)
    } else {
      rule(
        probe, .unicastAnswerFast, .violated, "an answer within a second of a unicast search",
        found: "one after \(wait.secondsText)", evidence(one, [first]))
    }
  }

  // MARK: - Good searches in odd form

  mutating func ruleForms() {
    let forms: [(probe: DeviceProbe, clause: ClauseID, expected: String)] = [
      (.nameCase, .nameCase, "an answer to a search whose field names are in small letters"),
      (.unknownFields, .skipUnknown, "an answer to a search with unknown fields"),
      (.fieldOrder, .fieldOrder, "an answer to a search with its fields in reverse order"),
      (.blanks, .outerBlanks, "an answer to a search without blanks after its colons"),
    ]
    for form in forms {
      let asked = asked(form.probe)
      if asked.isEmpty { continue }
      if asked.contains(where: { !$0.answers.isEmpty }) {
        rule(form.probe, form.clause, .held)
      } else {
        silence(form.probe, form.clause, form.expected, asked)
      }
    }
  }
}
