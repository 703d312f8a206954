package import RollcallPrimitives
package import RollcallWire

/// Judges what is heard on a network, clause by clause and party by party.
///
/// Give it observations and occurrences in the order of time, then close it. Each datagram is read once, or not at all
/// where the same bytes came before; a second time only where the strict reader refuses it. What is remembered is
/// bounded.
///
/// The rules it judges by: each sender is held to the version of UDA that it claims. What a capture may have dropped is
/// at most inconclusive. The start of a capture is nobody's start. An answer belongs to all open searches of its socket.
package struct ClauseJudge: ~Copyable {
  package private(set) var docket: Docket
  package let circumstances: Circumstances
  /// Datagrams that were judged, and those among them that no reader takes for a message.
  package private(set) var messageCount = 0
  package private(set) var unreadableCount = 0
  /// Datagrams that the file holds in part: they are not judged.
  package private(set) var cutCount = 0
  /// Those of which it was known what comes of them, since the same bytes came before.
  package private(set) var knownCount = 0

  /// Families that judge messages alone, and the others.
  private var alone: [any CheckFamily]
  private var together: [any CheckFamily]
  private var parties: PartyTable
  private var uuids = ByteTable(countMaximum: 100_000)
  private var names = NameBook()
  /// By number of UUID: what its messages claimed last; 0: nothing yet.
  private var claims: [UInt8] = []
  private let index: UnsafeMutablePointer<SSDPIndex>
  private let intake: SSDPIntake
  private let payloads = PayloadStore()
  private var memos: [MessageMemo] = []
  private var last = Instant(nanoseconds: .min)

  /// - Parameters:
  ///   - messagesRememberedMaximum: messages that are recognised when they come again; the same comes of them.
  ///   - wanted: which clauses are judged.
  package init(
    _ circumstances: Circumstances, messagesRememberedMaximum: Int = SSDPIntake.messagesMaximum,
    wanted: (Clause) -> Bool = { _ in true }
  ) {
    self.circumstances = circumstances
    intake = SSDPIntake(.strict, messagesMaximum: messagesRememberedMaximum)
    docket = Docket(wanted: wanted)
    let families = ClauseChecks.families.filter { $0.clauses.contains { wanted($0.clause) } }
    alone = families.filter { $0.judgesMessagesAlone }.map { $0.init(circumstances) }
    together = families.filter { !$0.judgesMessagesAlone }.map { $0.init(circumstances) }
    parties = PartyTable(hosts: circumstances.hosts)
    index = .allocate(capacity: 1)
    index.initialize(to: SSDPIndex())
  }

  deinit { index.deinitialize(count: 1).deallocate() }

  package var partyList: [Party] { parties.parties }

  /// `uuid:…` of a finding.
  package func device(_ number: Int32) -> String? {
    number < 0 ? nil : "uuid:" + SSDPText.text(Array(uuids.key(number)))
  }

  /// What the reader of a capture has to know of a datagram to go on.
  package struct Heard: Sendable {
    /// `nil`: no message.
    package var kind: SSDPKind?
    /// SEARCHPORT of an announcement or an answer; −1: none.
    package var searchPort: Int32 = -1
  }

  /// Judges a datagram.
  ///
  /// At a socket that searched only answers belong to discovery, at a SEARCHPORT only searches: whatever else comes
  /// there is not looked at.
  @discardableResult
  package mutating func hear(_ observation: Observation) -> Heard {
    guard observation.bytes.count <= PayloadStore.payloadBytesMaximum else {
      return hearOdd(observation, SSDPReader.read(observation.bytes, mode: .strict, into: index))
    }
    let payload = payloads.store(observation.bytes)
    defer { payloads.release(payload) }
    switch intake.read(payload, in: payloads) {
    case .rejected(let flaw): return hearOdd(observation, flaw)
    case .message(let message) where message.kind == .notifyOther: return hearOdd(observation, nil)
    case .message(let message): return hear(observation, message)
    }
  }

  private mutating func hear(_ observation: Observation, _ message: SSDPMessage) -> Heard {
    if let heard = turnAway(observation, message.kind) { return heard }
    if message.hint.mark != 0, hearAgain(message, observation) { return heard(message) }
    let (witness, own) = meet(
      observation, message, kind: message.kind, role: message.kind == .search ? .controlPoint : .device)
    if message.isRemembered, message.hint.flags < MessageMemo.strikesMaximum, hasPlainDate(message) {
      let verdicts = docket.verdicts(on: witness.party) { ClauseJudge.hear(&alone, witness, &$0) }
      if let verdicts { note(witness, own, verdicts) }
    } else {
      ClauseJudge.hear(&alone, witness, &docket)
    }
    ClauseJudge.hear(&together, witness, &docket)
    return heard(message)
  }

  /// What the strict reader refuses, or what says an NTS that nobody knows.
  private mutating func hearOdd(_ observation: Observation, _ flaw: Rejection?) -> Heard {
    let refusal = SSDPReader.read(observation.bytes, mode: .lenient, into: index)
    let message = SSDPMessage(bytes: observation.bytes, index: UnsafePointer(index))
    let kind = refusal == nil ? message.kind : nil
    if let heard = turnAway(observation, kind) { return heard }
    var role = Party.Role.device
    if refusal != nil {
      unreadableCount += 1
      // Anything may be sent to port 1900; only what tries to be SSDP is held to it.
      guard let attempt = FormFaults.attempt(observation.bytes) else { return Heard() }
      role = attempt
    } else if message.kind == .search {
      role = .controlPoint
    }
    let witness = meet(observation, message, kind: kind, role: role, flaw: flaw, refusal: refusal).witness
    ClauseJudge.hear(&alone, witness, &docket)
    ClauseJudge.hear(&together, witness, &docket)
    return kind == nil ? Heard() : heard(message)
  }

  private static func hear(_ families: inout [any CheckFamily], _ witness: Witness, _ docket: inout Docket) {
    for place in families.indices { families[place].hear(witness, &docket) }
  }

  /// Counts a datagram; what to say of it where it is not judged.
  private mutating func turnAway(_ observation: Observation, _ kind: SSDPKind?) -> Heard? {
    guard belongs(observation, kind) else { return Heard() }
    messageCount += 1
    last = observation.time
    // What the file left out would look like a breach.
    guard observation.isCut else { return nil }
    cutCount += 1
    return Heard(kind: kind)
  }

  /// Works out who says it, and by what version it is bound; `own`: what it claims itself.
  private mutating func meet(
    _ observation: Observation, _ message: SSDPMessage, kind: SSDPKind?, role: Party.Role, flaw: Rejection? = nil,
    refusal: Rejection? = nil
  ) -> (witness: Witness, own: UDAClaim?) {
    let destination = observation.destination.address
    var witness = Witness(
      observation: observation, kind: kind, message: message, flaw: flaw, refusal: refusal,
      faults: flaw == nil ? FormFaults() : FormFaults(observation.bytes),
      party: parties.number(of: observation.source.address, host: observation.host, role: role), role: role,
      uuid: -1, usn: nil, claim: .uda10, isMulticast: destination.isMulticast || destination.isBroadcast)
    identify(&witness)
    let own = ownClaim(of: witness)
    witness.claim = claim(of: witness, own)
    parties.hear(witness.party, claim: witness.claim, product: ClauseJudge.product(witness))
    return (witness, own)
  }

  private func heard(_ message: SSDPMessage) -> Heard {
    let isOffer = message.kind == .notifyAlive || message.kind == .response
    return Heard(kind: message.kind, searchPort: isOffer ? message.index.pointee.searchPort : -1)
  }

  // MARK: - What came before

  /// Judges a message by what came of it before; `false`, and nothing is done, where that does not hold any more.
  private mutating func hearAgain(_ message: SSDPMessage, _ observation: Observation) -> Bool {
    let (place, mark) = (Int(message.hint.number), message.hint.mark)
    guard place < memos.count, memos[place].mark == mark, memos[place].isSame(observation, message.kind) else {
      return false
    }
    // A date is another each time.
    guard hasPlainDate(message) else { return false }
    let (claim, uuid) = (memos[place].claim, memos[place].uuid)
    var witness = Witness(
      observation: observation, kind: message.kind, message: message, flaw: nil, refusal: nil, faults: FormFaults(),
      party: memos[place].party, role: memos[place].role, uuid: uuid, usn: memos[place].usn, claim: claim,
      isMulticast: memos[place].isMulticast)
    if memos[place].claimsItself {
      if uuid >= 0 { claims[Int(uuid)] = claim.rawValue }
    } else if self.claim(of: witness, nil) != claim {
      return false
    }
    (witness.target, witness.advert, witness.lane) = (memos[place].target, memos[place].advert, memos[place].lane)
    parties.hear(witness.party, claim: claim, product: ClauseJudge.product(witness))
    knownCount += 1
    docket.repeatVerdicts(memos[place].verdicts, on: witness)
    ClauseJudge.hear(&together, witness, &docket)
    return true
  }

  /// Whether nothing has to be said about its date, the one part that need not be the same when it comes again.
  private func hasPlainDate(_ message: SSDPMessage) -> Bool {
    guard message.kind == .response, let date = message.value(of: .date) else { return true }
    return DateValue.isWellFormed(date)
  }

  private mutating func note(_ witness: Witness, _ own: UDAClaim?, _ verdicts: Docket.Verdicts) {
    let mark = intake.nextMark()
    guard mark != 0 else { return }
    let memo = MessageMemo(witness, mark: mark, claimsItself: own != nil, verdicts)
    let place = memos.count < MessageMemo.countMaximum ? memos.count : Int(mark) & (MessageMemo.countMaximum - 1)
    if place == memos.count { memos.append(memo) } else { memos[place] = memo }
    witness.message.hint = SSDPHint(
      number: UInt32(place), mark: mark, flags: witness.message.hint.flags + (witness.message.hint.mark == 0 ? 0 : 1))
  }

  private func belongs(_ observation: Observation, _ kind: SSDPKind?) -> Bool {
    switch observation.place {
    case .port1900: true
    case .searcher: kind == .response || kind == nil && Bytes.hasPrefix(observation.bytes, ignoringCase: "http/1.")
    case .searchPort: kind == .search
    }
  }

  /// Judges what a control point in a trace makes of a datagram that it heard and did not refuse.
  package mutating func overhear(_ observation: Observation) {
    guard SSDPReader.read(observation.bytes, mode: .lenient, into: index) == nil else { return }
    last = max(last, observation.time)
    let message = SSDPMessage(bytes: observation.bytes, index: UnsafePointer(index))
    let party = parties.number(of: observation.destination.address, host: observation.host, role: .controlPoint)
    var witness = Witness(
      observation: observation, kind: message.kind, message: message, flaw: nil, refusal: nil, faults: FormFaults(),
      party: party, role: .controlPoint, uuid: -1, usn: nil, claim: .uda10,
      isMulticast: observation.destination.address.isMulticast)
    identify(&witness)
    for place in together.indices { together[place].overhear(witness, &docket) }
  }

  package mutating func note(_ occurrence: Occurrence) {
    var occurrence = occurrence
    occurrence.device = device(of: occurrence.content)
    if case .told(.changed(_, .united(let part))) = occurrence.content { occurrence.part = number(ofDevice: part) }
    last = max(last, occurrence.time)
    for place in together.indices { together[place].note(occurrence, &docket) }
  }

  /// - Parameter end: when the recording stopped; `nil`: with the last thing heard.
  package mutating func close(at end: Instant? = nil) {
    for place in together.indices { together[place].close(at: end ?? last, &docket) }
  }

  // MARK: - Who it is, and what binds it

  private mutating func device(of content: Occurrence.Content) -> Int32 {
    switch content {
    case .holds(let device), .lets(let device), .told(.lost(let device, _)): number(ofDevice: device)
    case .told(.found(let sighting)), .told(.changed(let sighting, _)): number(ofDevice: sighting.device)
    default: -1
    }
  }

  private mutating func number(ofDevice name: String) -> Int32 {
    var name = name
    return name.withUTF8 { text in
      let bytes = UnsafeRawBufferPointer(text)
      guard let parts = USN.split(bytes) else { return -1 }
      let uuid = UnsafeRawBufferPointer(rebasing: bytes[parts.uuid])
      let number = uuids.number(of: uuid, hash: USN.hash(ofUUID: uuid), isSame: USN.areEqualUUIDs)
      if Int(number) == claims.count { claims.append(0) }
      return number
    }
  }

  private mutating func identify(_ witness: inout Witness) {
    guard let kind = witness.kind else { return }
    if let target = witness.value(kind == .search || kind == .response ? .st : .nt) {
      witness.target = names.target(target)
    }
    guard let usn = witness.value(.usn), let parts = USN.split(usn) else { return }
    witness.usn = parts
    let uuid = UnsafeRawBufferPointer(rebasing: usn[parts.uuid])
    witness.uuid = uuids.number(of: uuid, hash: USN.hash(ofUUID: uuid), isSame: USN.areEqualUUIDs)
    if Int(witness.uuid) == claims.count { claims.append(0) }
    guard witness.uuid >= 0, witness.role == .device else { return }
    witness.advert = names.advert(
      witness.uuid, parts.target.map { UnsafeRawBufferPointer(rebasing: usn[$0]) }, witness.target)
    witness.lane = names.lane(
      witness.uuid, witness.observation.source.address, witness.observation.interface, host: witness.observation.host)
  }

  /// The version that the message itself claims.
  private func ownClaim(of witness: Witness) -> UDAClaim? {
    if witness.kind == nil { return ClauseJudge.claim(in: witness.observation.bytes) ?? .uda10 }
    return witness.value(witness.kind == .search ? .userAgent : .server).flatMap { ClauseJudge.claim(in: $0) }
  }

  /// The version that binds it, and with it what its UUID says later without one.
  private mutating func claim(of witness: Witness, _ own: UDAClaim?) -> UDAClaim {
    if let own {
      if witness.uuid >= 0 { claims[Int(witness.uuid)] = own.rawValue }
      return own
    }
    // A byebye has no SERVER: the device's other messages tell.
    if witness.uuid >= 0, let known = UDAClaim(rawValue: claims[Int(witness.uuid)]) { return known }
    return witness.has(.bootID) ? .uda11 : .uda10
  }

  /// The version that the first product `UPnP/x.y` of a text claims.
  package static func claim(in bytes: UnsafeRawBufferPointer) -> UDAClaim? {
    guard let product = UPnPProduct.first(in: bytes) else { return nil }
    return product.major >= 2 ? .uda20 : product.isLaterThan10 ? .uda11 : .uda10
  }

  private static func product(_ witness: Witness) -> String? {
    guard let kind = witness.kind, let value = witness.value(kind == .search ? .userAgent : .server) else { return nil }
    return SSDPText.text(Array(value.prefix(80)))
  }
}
