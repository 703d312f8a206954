import RollcallPrimitives
import RollcallWire

extension JoinChecks {
  /// Finds the searches that an answer may belong to, and judges it by them.
  mutating func join(_ socket: Int, _ context: MessageContext, _ collector: inout FindingCollector) {
    let now = context.time
    let source = context.observation.source.address
    let oldest = now - JoinChecks.memory
    var isAsked = false
    var isUsable = false
    var hasExact = false
    var isOpen = false
    var isMulticast = false
    /// The search that it answers in good time, and has not answered yet.
    var free: Int?
    var openCount = 0
    var flaw = Ask.Flaw.none
    var flawed: Int?
    /// Searches that a late answer could belong to as well.
    var nearCount = 0
    var lateness = Interval(nanoseconds: .max)
    var youngest = Interval(nanoseconds: .max)
    /// Whether each search that it may answer has an MX above 5.
    var isAboveCap = true
    let key =
      UInt64(UInt32(bitPattern: context.advert)) << 32 | UInt64(UInt32(bitPattern: context.lane))
    let count = sockets.asks[socket].count
    for place in 0..<count {
      let ask = sockets.asks[socket][place].ask
      guard ask.time >= oldest, ask.asks(context.target, of: source) else { continue }
      isAsked = true
      hasExact = hasExact || ask.isExact(context.target)
      let delay = now - ask.time
      if delay <= ask.window + .seconds(10) { nearCount += 1 }
      if ask.flaw != .none {
        if ask.flaw == .zeroMX || flaw == .none { flaw = ask.flaw }
        flawed = place
        continue
      }
      isUsable = true
      isMulticast = isMulticast || ask.isMulticast
      lateness = min(lateness, delay - ask.window)
      guard delay <= ask.window + grace else { continue }
      isOpen = true
      openCount += 1
      youngest = min(youngest, delay)
      isAboveCap = isAboveCap && ask.isMulticast && ask.maximumWaitSeconds > 5
      if free == nil, context.advert < 0 || !sockets.asks[socket][place].answered.contains(key) { free = place }
    }
    collector.held(.answerUnicast, context)
    collector.held(.noAnswer, context)
    // An answer without ST belongs to no search, and is judged for that elsewhere.
    if context.target.number < 0 { return }
    guard isAsked else { return mismatched(context, &collector) }
    checkTarget(hasExact, context, &collector)
    if !isUsable {
      if let flawed, sockets.asks[socket][flawed].answered.isEmpty {
        sockets.asks[socket][flawed].answered.append(key)
      }
      return judgeFlaw(flaw, context, &collector)
    }
    guard isOpen else { return late(lateness, isMulticast, context, &collector) }
    collector.held(isMulticast ? .answerDelayMaximum : .unicastAnswerFast, context)
    if isAboveCap {
      judge(
        .answerMXCap, youngest <= .seconds(5) + grace, context,
        "an answer within 5 seconds of a search with MX above 5",
        "an answer later than 5 seconds; another search may be lost",
        found: .text("an answer after \(JoinChecks.rough(youngest))"), &collector)
    }
    judge(
      .answerOnce, free != nil, context, "one answer to each copy of the search",
      "more answers than searches; a search may be lost", found: .text("one more answer"), &collector)
    guard let found = free else { return }
    if sockets.asks[socket][found].answered.count < AnsweredAsk.answeredCountMaximum {
      sockets.asks[socket][found].answered.append(key)
    }
    if openCount == 1, nearCount == 1 { sample(sockets.asks[socket][found].ask, context) }
  }

  /// Held, or violated, or in a capture inconclusive.
  private func judge(
    _ clause: ClauseID, _ isHeld: Bool, _ context: MessageContext, _ expected: StaticString, _ why: StaticString,
    found: @autoclosure () -> Found = .text("an answer"), _ collector: inout FindingCollector
  ) {
    if isHeld {
      collector.held(clause, context)
    } else if isComplete {
      collector.violated(clause, context, expected: expected, found: found())
    } else {
      collector.inconclusive(clause, context, why: why)
    }
  }

  private func mismatched(_ context: MessageContext, _ collector: inout FindingCollector) {
    judge(
      .answerMatch, false, context, "ST that the socket searched for",
      "the socket was not heard searching for this; a search may be lost",
      found: context.value(.st).map { .bytes($0) } ?? .absent, &collector)
  }

  /// ST of an answer against what was asked, and against what the device announces.
  private func checkTarget(_ hasExact: Bool, _ context: MessageContext, _ collector: inout FindingCollector) {
    let offer = context.target
    if !hasExact {
      return judge(
        .answerLower, false, context, "ST with the version that was asked for",
        "another version than was heard asked for; a search may be lost",
        found: context.value(.st).map { .bytes($0) } ?? .absent, &collector)
    }
    guard context.uuid >= 0, Int(context.uuid) < devices.count else { return collector.held(.answerMatch, context) }
    let device = devices[Int(context.uuid)]
    guard offer.form != .rootDevice, offer.form != .uuid, offer.form != .all else {
      return collector.held(.answerMatch, context)
    }
    let own = offer.stem < 0 ? nil : device.announced.filter { $0.stem == offer.stem }.map(\.version).max()
    if let own {
      collector.held(.answerMatch, context)
      if own > offer.version { collector.held(.answerLower, context) }
      if device.isFull, own < offer.version { return }
      collector.check(
        .answerHigher, context, own >= offer.version, expected: "silence to a search for a higher version",
        found: .text("an answer for version \(offer.version) under version \(own)"))
    } else if device.announced.contains(where: { $0.number == offer.number }) {
      collector.held(.answerMatch, context)
    } else if device.hasRoot, device.hasUUID, device.hasType, !device.isFull {
      judge(
        .answerMatch, false, context, "silence to a search for what the device does not announce",
        "an answer for what was not heard announced; the announcement may be lost",
        found: context.value(.st).map { .bytes($0) } ?? .absent, &collector)
    }
  }

  private func judgeFlaw(_ flaw: Ask.Flaw, _ context: MessageContext, _ collector: inout FindingCollector) {
    switch flaw {
    case .none, .zeroMX: break
    case .badMAN:
      judge(
        .answerBadMAN, false, context, "silence to a search without MAN: \"ssdp:discover\"",
        "only searches with another MAN were heard; a good one may be lost", &collector)
    case .noMX:
      judge(
        .answerNoMX, false, context, "silence to a multicast search without MX",
        "only searches without MX were heard; a good one may be lost", &collector)
    case .badMX:
      judge(
        .answerBadMX, false, context, "silence to a multicast search whose MX is no integer",
        "only searches with such an MX were heard; a good one may be lost", &collector)
    }
  }

  private func late(
    _ lateness: Interval, _ isMulticast: Bool, _ context: MessageContext, _ collector: inout FindingCollector
  ) {
    if isMulticast {
      judge(
        .answerDelayMaximum, false, context, "an answer before MX has run out",
        "an answer after MX had run out; a later search may be lost",
        found: .text("\(JoinChecks.rough(lateness)) too late"), &collector)
    } else {
      judge(
        .unicastAnswerFast, false, context, "an answer within a second of a unicast search",
        "an answer later than a second; a later search may be lost",
        found: .text("\(JoinChecks.rough(lateness)) too late"), &collector)
    }
  }

  /// In steps that make like findings one.
  private static func rough(_ interval: Interval) -> String {
    let milliseconds = interval.nanoseconds / 1_000_000
    return milliseconds < 1_000 ? "less than 1 s" : "\(milliseconds / 1_000) to \(milliseconds / 1_000 + 1) s"
  }

  // MARK: - Waits

  /// Keeps the wait of an answer that belongs to one search and no other.
  private mutating func sample(_ ask: Ask, _ context: MessageContext) {
    let party = Int(context.party.number)
    guard ask.isMulticast, context.claim < .uda11 || ask.maximumWaitSeconds <= 5 else { return }
    while parties.count <= party { parties.append(JoinParty()) }
    guard parties[party].waits.count < Distribution.sampleCountMaximum else { return }
    if parties[party].scene == nil { parties[party].scene = FindingCollector.Scene(context) }
    let wait = (context.time - ask.time).nanoseconds / (ask.window.nanoseconds / 1_000_000)
    parties[party].waits.append(min(1_000_000, wait))
  }

  /// Uniform over what MX allows: spread over half of it at least, and even by Kolmogorov and Smirnov.
  func judgeWaits(_ party: JoinParty, _ collector: inout FindingCollector) {
    guard let scene = party.scene, let longest = party.waits.max() else { return }
    let count = Int64(party.waits.count)
    guard party.waits.count >= Distribution.delayCountMinimum else {
      return collector.inconclusive(
        .answerDelay, at: scene,
        why: "fewer than \(Distribution.delayCountMinimum) answers to one search alone: too few for a test")
    }
    if longest < 500_000 || Distribution.isUneven(party.waits, from: 0, to: longest + longest / count) {
      collector.violated(
        .answerDelay, at: scene, expected: "answers spread evenly over MX (Kolmogorov-Smirnov, alpha 0.001)",
        found: .text("\(count) answers, the last after \(longest / 10_000) % of MX"))
    } else {
      collector.held(.answerDelay, at: scene)
    }
  }

  // MARK: - Silence

  /// A search in bad form that everybody could answer, and nobody did, where nothing can be lost.
  func judgeSilence(_ answered: AnsweredAsk, _ collector: inout FindingCollector) {
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
      collector.held(clause, at: scene)
    }
  }
}
