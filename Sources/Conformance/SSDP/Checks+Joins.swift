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

  package mutating func hear(_ witness: Witness, _ docket: inout Docket) {
    switch witness.kind {
    case .search: hearSearch(witness, &docket)
    case .response: hearAnswer(witness, &docket)
    case .notifyAlive: learn(witness)
    case .notifyUpdate:
      if witness.uuid >= 0, Int(witness.uuid) < devices.count {
        devices[Int(witness.uuid)].nextBootID = witness.message.index.pointee.nextBootID
      }
      remember(witness)
    case .notifyByebye, .notifyOther: remember(witness)
    case nil: break
    }
  }

  // MARK: - Announcements

  private mutating func remember(_ witness: Witness) {
    let source = witness.observation.source
    if let last = notifiedLast, last.source == source, witness.time - last.time < .seconds(1) { return }
    notifiedLast = (source, witness.time)
    if notified.count >= 20_000 { notified = [:] }
    notified[source] = witness.time
  }

  private mutating func learn(_ witness: Witness) {
    remember(witness)
    let index = witness.message.index
    if index.pointee.searchPort > 0 { learnPort(witness) }
    guard witness.advert >= 0 else { return }
    while devices.count <= Int(witness.uuid) { devices.append(JoinDevice()) }
    let uuid = Int(witness.uuid)
    if devices[uuid].bootID != index.pointee.bootID {
      devices[uuid].bootID = index.pointee.bootID
      devices[uuid].bootIDChangedAt = witness.time
    }
    let party = Int(witness.party.number)
    while parties.count <= party { parties.append(JoinParty()) }
    if parties[party].scene == nil { parties[party].scene = Docket.Scene(witness) }
    let advert = Int(witness.advert)
    while isAnnounced.count <= advert { isAnnounced.append(false) }
    if isAnnounced[advert] { return }
    isAnnounced[advert] = true
    guard devices[uuid].announced.count < JoinDevice.announcedCountMaximum else { return }
    devices[uuid].announced.append(witness.target)
    switch witness.target.form {
    case .rootDevice: devices[uuid].hasRoot = true
    case .uuid: devices[uuid].hasUUID = true
    case .device: devices[uuid].hasType = true
    case .service, .all, .opaque: break
    }
  }

  private mutating func learnPort(_ witness: Witness) {
    guard searchPorts.count < 20_000 else { return }
    // A number that is not allowed in SEARCHPORT sets no port, and ends the port that was announced before.
    let port = UInt16(exactly: witness.message.index.pointee.searchPort).flatMap { $0 >= 49_152 ? $0 : nil }
    searchPorts[witness.observation.source.address] = port
  }

  // MARK: - Searches

  private mutating func hearSearch(_ witness: Witness, _ docket: inout Docket) {
    var flaw = Ask.Flaw.none
    let wait = witness.maximumWaitSeconds
    if !witness.holds(.man, "\"ssdp:discover\"") {
      flaw = .badMAN
    } else if witness.isMulticast, wait < 1 {
      if let text = witness.value(.mx) {
        flaw = !text.isEmpty && text.allSatisfy(Bytes.isDigit) ? .zeroMX : .badMX
      } else {
        flaw = .noMX
      }
    }
    let ask = Ask(
      target: witness.target, time: witness.time, to: witness.observation.destination, isMulticast: witness.isMulticast,
      maximumWaitSeconds: max(0, wait), flaw: flaw)
    let gone = sockets.add(ask, from: witness.observation.source, horizon: witness.time - JoinChecks.memory)
    for old in gone { judgeSilence(old, &docket) }
    if witness.isMulticast { count(witness, &docket) } else { checkPort(witness, &docket) }
  }

  private mutating func count(_ witness: Witness, _ docket: inout Docket) {
    let key = AskSeries.Key(address: witness.observation.source.address, target: witness.target.number)
    let now = witness.time
    guard let number = seriesNumbers[key] else {
      guard series.count < JoinChecks.seriesMaximum else { return }
      seriesNumbers[key] = series.count
      return series.append(AskSeries(scene: Docket.Scene(witness), last: now, burstStart: now))
    }
    let pause = now - series[number].last
    if pause < .milliseconds(1) { return }
    if pause > JoinChecks.seriesGap {
      judge(series[number], &docket)
      series[number] = AskSeries(scene: Docket.Scene(witness), last: now, burstStart: now)
      return
    }
    (series[number].last, series[number].copyCount) = (now, series[number].copyCount + 1)
    if now - series[number].burstStart > .milliseconds(200) {
      (series[number].burstStart, series[number].burstCount) = (now, 1)
      return
    }
    series[number].burstCount += 1
    if series[number].burstCount == 11 {
      docket.violated(
        .searchRepeat, witness, expected: "copies spaced in time, at most 10 in 200 ms", found: .text("an eleventh"))
    }
  }

  func judge(_ series: AskSeries, _ docket: inout Docket) {
    if series.copyCount > 1 {
      docket.held(.searchRepeat, at: series.scene)
    } else if isComplete {
      docket.violated(
        .searchRepeat, at: series.scene, expected: "a search more than once", found: .text("once"))
    } else {
      docket.inconclusive(.searchRepeat, at: series.scene, why: "a search was heard once; its copies may be lost")
    }
  }

  private func checkPort(_ witness: Witness, _ docket: inout Docket) {
    let destination = witness.observation.destination
    guard let port = searchPorts[destination.address], port != 1_900 else { return }
    if destination.port == port {
      docket.held(.toSearchPort, witness)
    } else if isComplete {
      docket.violated(
        .toSearchPort, witness, expected: "unicast searches to the SEARCHPORT that was announced",
        found: .text("port \(destination.port) instead of \(port)"))
    } else {
      docket.inconclusive(
        .toSearchPort, witness, why: "sent to another port than SEARCHPORT; the control point may not have heard of it")
    }
  }

  // MARK: - Answers

  private mutating func hearAnswer(_ witness: Witness, _ docket: inout Docket) {
    checkBootID(witness, &docket)
    if witness.message.index.pointee.searchPort > 0 { learnPort(witness) }
    let destination = witness.observation.destination
    if destination.address.isMulticast || destination.address.isBroadcast {
      return docket.violated(
        .answerUnicast, witness, expected: "an answer to the socket that searched",
        found: .text(destination.description))
    }
    guard let socket = sockets.number(of: destination) else { return unasked(witness, &docket) }
    join(socket, witness, &docket)
  }

  /// An answer to a socket that was not heard searching.
  private func unasked(_ witness: Witness, _ docket: inout Docket) {
    let destination = witness.observation.destination
    let isEcho = notified[destination].map { witness.time - $0 < .seconds(10) } ?? false
    let clause = isEcho ? ClauseID.noAnswer : .answerUnicast
    if isComplete {
      docket.violated(
        clause, witness, expected: isEcho ? "silence to a NOTIFY" : "an answer to the socket that searched",
        found: .text(destination.description))
    } else {
      docket.inconclusive(clause, witness, why: "no search of this socket was heard; it may be lost")
    }
  }

  private func checkBootID(_ witness: Witness, _ docket: inout Docket) {
    guard witness.has(.bootID) else {
      return docket.violated(
        .answerBootID, witness, expected: "the BOOTID.UPNP.ORG of the announcements", found: .absent)
    }
    let bootID = witness.message.index.pointee.bootID
    guard bootID >= 0 else { return }
    let device =
      witness.uuid >= 0 && Int(witness.uuid) < devices.count ? devices[Int(witness.uuid)] : JoinDevice()
    if device.bootID < 0 || bootID == device.bootID || bootID == device.nextBootID {
      docket.held(.answerBootID, witness)
    } else if bootID > device.bootID || witness.time - device.bootIDChangedAt < .seconds(2) {
      docket.inconclusive(.answerBootID, witness, why: "another BOOTID than was announced; a restart may lie between")
    } else {
      docket.violated(
        .answerBootID, witness, expected: "the BOOTID.UPNP.ORG of the announcements",
        found: .text("\(bootID) after \(device.bootID)"))
    }
  }

  package mutating func close(at end: Instant, _ docket: inout Docket) {
    for series in series where series.copyCount > 1 || end - series.last > JoinChecks.seriesGap {
      judge(series, &docket)
    }
    if isComplete {
      for asks in sockets.asks { for ask in asks { judgeSilence(ask, &docket) } }
    }
    for party in parties { judgeWaits(party, &docket) }
  }
}
