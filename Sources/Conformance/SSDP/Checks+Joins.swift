package import RollcallPrimitives
import RollcallWire

/// Answers against the searches that they answer (1f, 1g).
///
/// An answer belongs to all open searches of the socket that it goes to. A capture may have lost another search of
/// that socket, so there an answer that fits none that was heard is inconclusive.
package struct JoinChecks: CheckFamily {
  package static let clauses: [ClauseID] = [
    .noAnswer, .searchRepeat, .answerUnicast, .answerDelay, .answerDelayMaximum, .answerMXCap, .answerNoMX,
    .answerBadMX, .answerBadMAN, .unicastAnswerFast, .answerLower, .answerHigher, .answerMatch, .answerOnce,
    .answerBootID, .toSearchPort,
  ]
  /// Searches are forgotten after the longest MX that UDA 1.0 knows.
  static let memory = Interval.seconds(125)
  static let seriesGap = Interval.seconds(30)
  static let seriesMaximum = 50_000
  /// How many senders are known by their announcements, and how many addresses by their SEARCHPORT.
  var sourcesMaximum = 20_000

  let isComplete: Bool
  /// What a network and two clocks may add to a wait.
  let grace: Interval
  var sockets = JoinSockets()
  var devices: [JoinDevice] = []
  var parties: [JoinParty] = []
  var series: [AskSeries] = []
  private var seriesNumbers: [AskSeries.Key: Int] = [:]
  private var isAnnounced: [Bool] = []
  private var notified: [Endpoint: Instant] = [:]
  private var notifiedLast: (source: Endpoint, time: Instant)?
  private var searchPorts: [IPAddress: UInt16] = [:]

  package init(_ circumstances: Circumstances) {
    isComplete = circumstances.isComplete
    grace = isComplete ? .milliseconds(100) : .milliseconds(500)
  }

  package mutating func hear(_ context: MessageContext, _ collector: inout FindingCollector) {
    switch context.kind {
    case .search: hearSearch(context, &collector)
    case .response: hearAnswer(context, &collector)
    case .notifyAlive: learn(context)
    case .notifyUpdate:
      if context.uuid >= 0, Int(context.uuid) < devices.count {
        devices[Int(context.uuid)].nextBootID = context.message.index.pointee.nextBootID
      }
      remember(context)
    case .notifyByebye, .notifyOther: remember(context)
    case nil: break
    }
  }

  // MARK: - Announcements

  private mutating func remember(_ context: MessageContext) {
    let source = context.observation.source
    if let last = notifiedLast, last.source == source, context.time - last.time < .seconds(1) { return }
    notifiedLast = (source, context.time)
    if notified.count >= sourcesMaximum { notified = [:] }
    notified[source] = context.time
  }

  private mutating func learn(_ context: MessageContext) {
    remember(context)
    let index = context.message.index
    if index.pointee.searchPort >= 0 { learnPort(context) }
    guard context.advert >= 0 else { return }
    while devices.count <= Int(context.uuid) { devices.append(JoinDevice()) }
    let uuid = Int(context.uuid)
    if devices[uuid].bootID != index.pointee.bootID {
      devices[uuid].bootID = index.pointee.bootID
      devices[uuid].bootIDChangedAt = context.time
    }
    let party = Int(context.party.number)
    while parties.count <= party { parties.append(JoinParty()) }
    if parties[party].scene == nil { parties[party].scene = FindingCollector.Scene(context) }
    let advert = Int(context.advert)
    while isAnnounced.count <= advert { isAnnounced.append(false) }
    if isAnnounced[advert] { return }
    isAnnounced[advert] = true
    guard devices[uuid].announced.count < JoinDevice.announcedCountMaximum else { return }
    devices[uuid].announced.append(context.target)
    switch context.target.form {
    case .rootDevice: devices[uuid].hasRoot = true
    case .uuid: devices[uuid].hasUUID = true
    case .device: devices[uuid].hasType = true
    case .service, .all, .opaque: break
    }
  }

  private mutating func learnPort(_ context: MessageContext) {
    guard searchPorts.count < sourcesMaximum else { return }
    // A number that is not allowed in SEARCHPORT sets no port, and ends the port that was announced before.
    let port = UInt16(exactly: context.message.index.pointee.searchPort).flatMap { $0 >= 49_152 ? $0 : nil }
    searchPorts[context.observation.source.address] = port
  }

  // MARK: - Searches

  private mutating func hearSearch(_ context: MessageContext, _ collector: inout FindingCollector) {
    var flaw = Ask.Flaw.none
    let wait = context.maximumWaitSeconds
    if !context.holds(.man, "\"ssdp:discover\"") {
      flaw = .badMAN
    } else if context.isMulticast, wait < 1 {
      if let text = context.value(.mx) {
        flaw = !text.isEmpty && text.allSatisfy(Bytes.isDigit) ? .zeroMX : .badMX
      } else {
        flaw = .noMX
      }
    }
    let ask = Ask(
      target: context.target, time: context.time, to: context.observation.destination, isMulticast: context.isMulticast,
      maximumWaitSeconds: wait, flaw: flaw)
    let gone = sockets.add(ask, from: context.observation.source, horizon: context.time - JoinChecks.memory)
    for old in gone { judgeSilence(old, &collector) }
    if context.isMulticast { count(context, &collector) } else { checkPort(context, &collector) }
  }

  private mutating func count(_ context: MessageContext, _ collector: inout FindingCollector) {
    let key = AskSeries.Key(address: context.observation.source.address, target: context.target.number)
    let now = context.time
    guard let number = seriesNumbers[key] else {
      guard series.count < JoinChecks.seriesMaximum else { return }
      seriesNumbers[key] = series.count
      return series.append(AskSeries(scene: FindingCollector.Scene(context), last: now, burstStart: now))
    }
    let pause = now - series[number].last
    if pause < .milliseconds(1) { return }
    if pause > JoinChecks.seriesGap {
      judge(series[number], &collector)
      series[number] = AskSeries(scene: FindingCollector.Scene(context), last: now, burstStart: now)
      return
    }
    (series[number].last, series[number].isRepeated) = (now, true)
    if now - series[number].burstStart > .milliseconds(200) {
      (series[number].burstStart, series[number].burstCount) = (now, 1)
      return
    }
    series[number].burstCount += 1
    if series[number].burstCount == 11 {
      collector.violated(
        .searchRepeat, context, expected: "copies spaced in time, at most 10 in 200 ms", found: .text("an eleventh"))
    }
  }

  func judge(_ series: AskSeries, _ collector: inout FindingCollector) {
    if series.isRepeated {
      collector.held(.searchRepeat, at: series.scene)
    } else if isComplete {
      collector.violated(
        .searchRepeat, at: series.scene, expected: "a search more than once", found: .text("once"))
    } else {
      collector.inconclusive(.searchRepeat, at: series.scene, why: "a search was heard once; its copies may be lost")
    }
  }

  private func checkPort(_ context: MessageContext, _ collector: inout FindingCollector) {
    let destination = context.observation.destination
    guard let port = searchPorts[destination.address] else { return }
    if destination.port == port {
      collector.held(.toSearchPort, context)
    } else if isComplete {
      collector.violated(
        .toSearchPort, context, expected: "unicast searches to the SEARCHPORT that was announced",
        found: .text("port \(destination.port) instead of \(port)"))
    } else {
      collector.inconclusive(
        .toSearchPort, context, why: "sent to another port than SEARCHPORT; the control point may not have heard of it")
    }
  }

  // MARK: - Answers

  private mutating func hearAnswer(_ context: MessageContext, _ collector: inout FindingCollector) {
    checkBootID(context, &collector)
    if context.message.index.pointee.searchPort >= 0 { learnPort(context) }
    let destination = context.observation.destination
    if destination.address.isMulticast || destination.address.isBroadcast {
      return collector.violated(
        .answerUnicast, context, expected: "an answer to the socket that searched",
        found: .text(destination.description))
    }
    guard let socket = sockets.number(of: destination) else { return unasked(context, &collector) }
    join(socket, context, &collector)
  }

  /// An answer to a socket that was not heard searching.
  private func unasked(_ context: MessageContext, _ collector: inout FindingCollector) {
    let destination = context.observation.destination
    let isEcho = notified[destination].map { context.time - $0 < .seconds(10) } ?? false
    let clause = isEcho ? ClauseID.noAnswer : .answerUnicast
    if isComplete {
      collector.violated(
        clause, context, expected: isEcho ? "silence to a NOTIFY" : "an answer to the socket that searched",
        found: .text(destination.description))
    } else {
      collector.inconclusive(clause, context, why: "no search of this socket was heard; it may be lost")
    }
  }

  private func checkBootID(_ context: MessageContext, _ collector: inout FindingCollector) {
    guard context.has(.bootID) else {
      return collector.violated(
        .answerBootID, context, expected: "the BOOTID.UPNP.ORG of the announcements", found: .absent)
    }
    let bootID = context.message.index.pointee.bootID
    guard bootID >= 0 else { return }
    let device =
      context.uuid >= 0 && Int(context.uuid) < devices.count ? devices[Int(context.uuid)] : JoinDevice()
    if device.bootID < 0 || bootID == device.bootID || bootID == device.nextBootID {
      collector.held(.answerBootID, context)
    } else if bootID > device.bootID || context.time - device.bootIDChangedAt < .seconds(2) {
      collector.inconclusive(
        .answerBootID, context, why: "another BOOTID than was announced; a restart may lie between")
    } else {
      collector.violated(
        .answerBootID, context, expected: "the BOOTID.UPNP.ORG of the announcements",
        found: .text("\(bootID) after \(device.bootID)"))
    }
  }

  package mutating func close(at end: Instant, _ collector: inout FindingCollector) {
    for series in series where series.isRepeated || end - series.last > JoinChecks.seriesGap {
      judge(series, &collector)
    }
    if isComplete {
      for asks in sockets.asks { for ask in asks { judgeSilence(ask, &collector) } }
    }
    for party in parties { judgeWaits(party, &collector) }
  }
}
