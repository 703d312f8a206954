import RollcallPrimitives
import RollcallWire

extension JoinChecks {
  /// Finds the searches that an answer may belong to, and judges it by them.
  mutating func join(_ socket: Int, _ witness: Witness, _ docket: inout Docket) {
    let now = witness.time
    let source = witness.observation.source.address
    let oldest = now - JoinChecks.memory
    var asked = 0
    var usable = 0
    var hasExact = false
    var isOpen = false
    var isMulticast = false
    /// The search that it answers in good time, and has not answered yet.
    var free = -1
    var openCount = 0
    var flaw = Ask.Flaw.none
    var flawed = -1
    /// Searches that a late answer could belong to as well.
    var nearCount = 0
    var lateness = Interval(nanoseconds: .max)
    var youngest = Interval(nanoseconds: .max)
    var waitMinimum = Int64.max
    let key =
      UInt64(UInt32(bitPattern: witness.advert)) << 32 | UInt64(UInt32(bitPattern: witness.lane))
    let count = sockets.asks[socket].count
    for place in 0..<count {
      let ask = sockets.asks[socket][place].ask
      guard ask.time >= oldest, ask.asks(witness.target, of: source) else { continue }
      asked += 1
      hasExact = hasExact || ask.isExact(witness.target)
      let delay = now - ask.time
      if delay <= ask.window + .seconds(10) { nearCount += 1 }
      if ask.flaw != .none {
        if ask.flaw == .zeroMX || flaw == .none { flaw = ask.flaw }
        flawed = place
        continue
      }
      usable += 1
      isMulticast = isMulticast || ask.isMulticast
      lateness = min(lateness, delay - ask.window)
      guard delay <= ask.window + grace else { continue }
      isOpen = true
      openCount += 1
      youngest = min(youngest, delay)
      waitMinimum = min(waitMinimum, ask.isMulticast ? ask.maximumWaitSeconds : 0)
      if free < 0, witness.advert < 0 || !sockets.asks[socket][place].answered.contains(key) { free = place }
    }
    docket.held(.answerUnicast, witness)
    docket.held(.noAnswer, witness)
    // An answer without ST belongs to no search, and is judged for that elsewhere.
    if witness.target.number < 0 { return }
    guard asked > 0 else { return mismatched(witness, &docket) }
    checkTarget(hasExact, witness, &docket)
    if usable == 0 {
      if sockets.asks[socket][flawed].answered.isEmpty { sockets.asks[socket][flawed].answered.append(key) }
      return judgeFlaw(flaw, witness, &docket)
    }
    guard isOpen else { return late(lateness, isMulticast, witness, &docket) }
    docket.held(isMulticast ? .answerDelayMaximum : .unicastAnswerFast, witness)
    if waitMinimum > 5 {
      judge(
        .answerMXCap, youngest <= .seconds(5) + grace, witness,
        "an answer within 5 seconds of a search with MX above 5",
        "an answer later than 5 seconds; another search may be lost",
        found: .text("an answer after \(JoinChecks.rough(youngest))"), &docket)
    }
    judge(
      .answerOnce, free >= 0, witness, "one answer to each copy of the search",
      "more answers than searches; a search may be lost", found: .text("one more answer"), &docket)
    if free >= 0, sockets.asks[socket][free].answered.count < AnsweredAsk.answeredCountMaximum {
      sockets.asks[socket][free].answered.append(key)
    }
    if openCount == 1, nearCount == 1, free >= 0 { sample(sockets.asks[socket][free].ask, witness) }
  }

  /// Held, or violated, or in a capture inconclusive.
  private func judge(
    _ clause: ClauseID, _ isHeld: Bool, _ witness: Witness, _ expected: StaticString, _ why: StaticString,
    found: @autoclosure () -> Found = .text("an answer"), _ docket: inout Docket
  ) {
    if isHeld {
      docket.held(clause, witness)
    } else if isComplete {
      docket.violated(clause, witness, expected: expected, found: found())
    } else {
      docket.inconclusive(clause, witness, why: why)
    }
  }

  private func mismatched(_ witness: Witness, _ docket: inout Docket) {
    judge(
      .answerMatch, false, witness, "ST that the socket searched for",
      "the socket was not heard searching for this; a search may be lost",
      found: witness.value(.st).map { .bytes($0) } ?? .absent, &docket)
  }

  /// ST of an answer against what was asked, and against what the device announces.
  private func checkTarget(_ hasExact: Bool, _ witness: Witness, _ docket: inout Docket) {
    let offer = witness.target
    if !hasExact {
      return judge(
        .answerLower, false, witness, "ST with the version that was asked for",
        "another version than was heard asked for; a search may be lost",
        found: witness.value(.st).map { .bytes($0) } ?? .absent, &docket)
    }
    guard witness.uuid >= 0, Int(witness.uuid) < devices.count else { return docket.held(.answerMatch, witness) }
    let device = devices[Int(witness.uuid)]
    guard offer.form != .rootDevice, offer.form != .uuid, offer.form != .all else {
      return docket.held(.answerMatch, witness)
    }
    let own = offer.stem < 0 ? nil : device.announced.filter { $0.stem == offer.stem }.map(\.version).max()
    if let own {
      docket.held(.answerMatch, witness)
      if own > offer.version { docket.held(.answerLower, witness) }
      docket.check(
        .answerHigher, witness, own >= offer.version, expected: "silence to a search for a higher version",
        found: .text("an answer for version \(offer.version) under version \(own)"))
    } else if device.announced.contains(where: { $0.number == offer.number }) {
      docket.held(.answerMatch, witness)
    } else if device.hasRoot, device.hasUUID, device.hasType {
      judge(
        .answerMatch, false, witness, "silence to a search for what the device does not announce",
        "an answer for what was not heard announced; the announcement may be lost",
        found: witness.value(.st).map { .bytes($0) } ?? .absent, &docket)
    }
  }

  private func judgeFlaw(_ flaw: Ask.Flaw, _ witness: Witness, _ docket: inout Docket) {
    switch flaw {
    case .none, .zeroMX: break
    case .badMAN:
      judge(
        .answerBadMAN, false, witness, "silence to a search without MAN: \"ssdp:discover\"",
        "only searches with another MAN were heard; a good one may be lost", &docket)
    case .noMX:
      judge(
        .answerNoMX, false, witness, "silence to a multicast search without MX",
        "only searches without MX were heard; a good one may be lost", &docket)
    case .badMX:
      judge(
        .answerBadMX, false, witness, "silence to a multicast search whose MX is no integer",
        "only searches with such an MX were heard; a good one may be lost", &docket)
    }
  }

  private func late(_ lateness: Interval, _ isMulticast: Bool, _ witness: Witness, _ docket: inout Docket) {
    if isMulticast {
      judge(
        .answerDelayMaximum, false, witness, "an answer before MX has run out",
        "an answer after MX had run out; a later search may be lost",
        found: .text("\(JoinChecks.rough(lateness)) too late"), &docket)
    } else {
      judge(
        .unicastAnswerFast, false, witness, "an answer within a second of a unicast search",
        "an answer later than a second; a later search may be lost",
        found: .text("\(JoinChecks.rough(lateness)) too late"), &docket)
    }
  }

  /// In steps that make like findings one.
  private static func rough(_ interval: Interval) -> String {
    let milliseconds = interval.nanoseconds / 1_000_000
    return milliseconds < 1_000 ? "less than 1 s" : "\(milliseconds / 1_000) to \(milliseconds / 1_000 + 1) s"
  }

  // MARK: - Waits

  /// Keeps the wait of an answer that belongs to one search and no other.
  private mutating func sample(_ ask: Ask, _ witness: Witness) {
    let party = Int(witness.party.number)
    guard ask.isMulticast, witness.claim < .uda11 || ask.maximumWaitSeconds <= 5 else { return }
    while parties.count <= party { parties.append(JoinParty()) }
    guard parties[party].waits.count < Distribution.sampleCountMaximum else { return }
    if parties[party].scene == nil { parties[party].scene = Docket.Scene(witness) }
    let wait = (witness.time - ask.time).nanoseconds / (ask.window.nanoseconds / 1_000_000)
    parties[party].waits.append(min(1_000_000, wait))
  }

  /// Uniform over what MX allows: spread over half of it at least, and even by Kolmogorov and Smirnov.
  func judgeWaits(_ party: JoinParty, _ docket: inout Docket) {
    guard let scene = party.scene, let longest = party.waits.max() else { return }
    let count = Int64(party.waits.count)
    guard party.waits.count >= Distribution.delayCountMinimum else {
      return docket.inconclusive(
        .answerDelay, at: scene,
        why: "fewer than \(Distribution.delayCountMinimum) answers to one search alone: too few for a test")
    }
    if longest < 500_000 || Distribution.isUneven(party.waits, from: 0, to: longest + longest / count) {
      docket.violated(
        .answerDelay, at: scene, expected: "answers spread evenly over MX (Kolmogorov-Smirnov, alpha 0.001)",
        found: .text("\(count) answers, the last after \(longest / 10_000) % of MX"))
    } else {
      docket.held(.answerDelay, at: scene)
    }
  }

  // MARK: - Silence

  /// A search in bad form that everybody could answer, and nobody did, where nothing can be lost.
  func judgeSilence(_ answered: AnsweredAsk, _ docket: inout Docket) {
    let ask = answered.ask
    guard isComplete, ask.isMulticast, answered.answered.isEmpty,
      ask.target.form == .all || ask.target.form == .rootDevice
    else { return }
    let clause: ClauseID
    switch ask.flaw {
    case .badMAN: clause = .answerBadMAN
    case .noMX: clause = .answerNoMX
    case .badMX: clause = .answerBadMX
    case .none, .zeroMX: return
    }
    for party in parties.prefix(64) {
      guard let scene = party.scene, scene.time < ask.time else { continue }
      docket.held(clause, at: scene)
    }
  }
}
