import RollcallPrimitives
import RollcallWire

/// The control point of SSDP: datagrams to sightings, and the searches that ask for them.
struct ControlPoint {
  let configuration: EngineConfiguration
  let intake: SSDPIntake
  var sessions = SessionList()
  /// When the next search has something to do.
  private(set) var nextTimer = Instant.never
  /// Ids are single-use.
  var usedIDs = UsedSearchIDs()
  /// Searches sent so far; gives each its port.
  var searchCount = 0
  /// Searches begun so far, adopted ones included.
  var begunCount = 0
  /// Room that searches left which are over, for the next ones.
  var spareSets: [ServiceSet] = []
  /// Sockets of searches that are over, the newest last.
  var closedSockets: [ClosedSocket] = []

  /// A socket of a search that is over.
  struct ClosedSocket {
    var endpoint: Endpoint
    /// The engine opened it, and no capture showed it.
    var isOwn: Bool
  }

  /// Where answers to open searches are expected.
  var doors = SearchDoors()

  /// The most closed sockets that are remembered.
  static let closedSocketsMaximum = 64
  static let spareSetsMaximum = 16

  init(_ configuration: EngineConfiguration, _ intake: SSDPIntake) {
    (self.configuration, self.intake) = (configuration, intake)
  }

  @inline(__always) func isOn(_ fault: EngineSwitch) -> Bool { configuration.switches.contains(fault) }

  mutating func schedule() { nextTimer = sessions.earliestTimer }

  /// There is something to do at `time`, and perhaps nothing before.
  mutating func schedule(at time: Instant) { nextTimer = time }

  // MARK: Datagrams

  /// Takes one datagram; says why it is refused.
  mutating func receive(
    _ datagram: Datagram, into table: inout LeaseTable, _ directory: inout Directory, at now: Instant,
    reporting outbox: inout Outbox
  ) -> Rejection? {
    guard let slot = table.interfaces.slotThatIsUp(datagram.interface) else {
      return Rejection(.wrongInterface, at: 0)
    }
    let path = InterfaceTable.path(slot, datagram.source.address.family)
    switch intake.read(datagram.payload, in: outbox.payloads) {
    case .rejected(let rejection): return rejection
    case .message(let message):
      // What made a lease has the fields that it needs.
      if message.hint.mark == 0,
        let rejection = message.check(intake.mode, isMulticast: datagram.destination.address.isMulticast)
      {
        return rejection
      }
      table.counters.count(message.kind)
      return take(message, datagram, path, into: &table, &directory, at: now, reporting: &outbox)
    }
  }

  @inline(__always)
  private mutating func take(
    _ message: SSDPMessage, _ datagram: Datagram, _ path: UInt16, into table: inout LeaseTable,
    _ directory: inout Directory, at now: Instant, reporting outbox: inout Outbox
  ) -> Rejection? {
    var sighting = Sighting()
    switch message.kind {
    case .search:
      // Others' searches are none of a control point's business, and its own come back from the group (D68).
      if isOwn(datagram.source) { table.counters.ownMessages += 1 }
      return nil
    case .notifyOther: return nil
    case .response: return answer(message, datagram, path, into: &table, &directory, at: now, reporting: &outbox)
    case .notifyAlive, .notifyByebye, .notifyUpdate:
      if let rejection = read(message, datagram, path, target: .nt, into: &sighting) { return rejection }
    }
    switch message.kind {
    case .notifyByebye where !(isOn(.byebyeRenews) && message.has(.cacheControl)):
      if isOn(.byebyeIgnored) { return nil }
      if isOn(.requiresLocationOnByebye), !message.has(.location) { return missingField(message) }
      return table.byebye(sighting, at: now, into: &directory)
    case .notifyUpdate:
      if isOn(.updateIgnored) || isOn(.nextBootIDIgnored) || isOn(.bootIDIgnored) { return nil }
      return table.update(sighting, nextBootID: message.index.pointee.nextBootID, at: now, into: &directory)
    default:
      if let rejection = setLease(message, &sighting, &table.counters) { return rejection }
      if let rejection = table.sight(sighting, at: now, into: &directory) { return rejection }
      if message.isRemembered, !table.isMarked(message.hint) {
        message.hint = ControlPoint.hint(for: sighting, &table, isSpelled: false)
      }
      return nil
    }
  }

  /// The fields of a message that announces, ends or answers.
  @inline(__always)
  private func read(
    _ message: SSDPMessage, _ datagram: Datagram, _ path: UInt16, target field: SSDPField,
    into sighting: inout Sighting
  ) -> Rejection? {
    let index = message.index
    guard let usnRange = message.range(of: .usn), let targetRange = message.range(of: field) else {
      return missingField(message)
    }
    let usn = UnsafeRawBufferPointer(rebasing: message.bytes[usnRange])
    // What `USN.split` does, with a faster search for the end of the UUID, or none.
    let known = message.hint.mark != 0 ? Int(message.hint.flags &>> 16) : nil
    guard let end = known ?? uuidEnd(usn) else { return Rejection(.badUSN, at: usnRange.lowerBound) }
    let maximum = configuration.limits.nameBytes
    if usnRange.count > maximum { return Rejection(.tooLong, at: usnRange.lowerBound + maximum) }
    if targetRange.count > maximum { return Rejection(.tooLong, at: targetRange.lowerBound + maximum) }
    sighting.usn = usn
    sighting.uuid = UnsafeRawBufferPointer(rebasing: usn[USN.schemeByteCount..<end])
    sighting.hasSuffix = end < usn.count
    if sighting.hasSuffix { sighting.suffix = UnsafeRawBufferPointer(rebasing: usn[(end &+ 2)...]) }
    sighting.target = UnsafeRawBufferPointer(rebasing: message.bytes[targetRange])
    if isOn(.dedupByUSNOnly) { sighting.target = sighting.hasSuffix ? sighting.suffix : usn }
    if let range = message.range(of: .location) {
      sighting.location = UnsafeRawBufferPointer(rebasing: message.bytes[range])
    }
    sighting.bootID = isOn(.bootIDIgnored) ? -1 : index.pointee.bootID
    sighting.configID = index.pointee.configID
    sighting.searchPort = index.pointee.searchPort
    sighting.source = datagram.source.address
    sighting.isAnswer = field == .st
    sighting.path = path
    sighting.offset = usnRange.lowerBound
    sighting.hint = message.hint
    return nil
  }

  /// Where the UUID of a USN ends; `nil` if it names none (D29).
  @inline(__always) func uuidEnd(_ usn: UnsafeRawBufferPointer) -> Int? {
    let start = USN.schemeByteCount
    // `uuid` in four small letters, whatever their case was (D28).
    guard usn.count > start, usn[4] == UInt8(ascii: ":"), usn[start] != UInt8(ascii: ":"),
      usn.loadUnaligned(as: UInt32.self).littleEndian | 0x2020_2020 == 0x6469_7575
    else { return nil }
    return KeyBytes.firstDoubleColon(in: usn, from: start) ?? usn.count
  }

  /// How long the message promises that its sender stays.
  @inline(__always)
  private func setLease(
    _ message: SSDPMessage, _ sighting: inout Sighting, _ counters: inout EngineCounters
  ) -> Rejection? {
    var seconds = Int(message.index.pointee.maxAgeSeconds)
    if seconds < 0 {
      if isOn(.defaultLeaseMissing) { return missingField(message) }
      seconds = configuration.leaseDefaultSeconds
      counters.leasesByDefault += 1
    }
    if !configuration.switches.isEmpty {
      if isOn(.requiresServer), !message.has(.server) { return missingField(message) }
      if isOn(.expiryIgnoresMaxAge) { seconds = 1_800 }
      if isOn(.maxAgeOverflows) { seconds &= 0xFFFF }
    }
    sighting.lease = .seconds(Int64(min(seconds, configuration.leaseMaximumSeconds)))
    return nil
  }

  private func missingField(_ message: SSDPMessage) -> Rejection {
    Rejection(.missingField, at: Int(message.index.pointee.byteCount))
  }

  /// Mutating, as what asks the doors below: it would be called on a copy.
  private mutating func isOwn(_ source: Endpoint) -> Bool {
    // Who never searched has no sockets of his own.
    if searchCount == 0 { return false }
    var door = doors.first(at: source)
    while door != SearchDoors.end {
      if !sessions[at: doors.place(door)].isAdopted { return true }
      door = doors.next(door)
    }
    return closedSockets.contains { $0.endpoint == source && $0.isOwn }
  }

  // MARK: Answers

  /// What an answer is to the searches that asked for it.
  private struct Answer {
    var usn: UnsafeRawBufferPointer
    var target: UnsafeRawBufferPointer
    /// Of USN and ST, where it has no lease; see `LeaseTable.answerHash`.
    var hash: UInt32
    /// Its lease, if that is spelled like it; `none`: nobody knows any.
    var lease: UInt32
    /// The lease's mark; 0: it has none.
    var mark: UInt32
    var part: UInt32
    /// The LOCATION that it has; empty: it has none.
    var location: UnsafeRawBufferPointer
  }

  /// A response goes to every open search of the socket it was sent to that asked for its ST (D31, D32, D66).
  private mutating func answer(
    _ message: SSDPMessage, _ datagram: Datagram, _ path: UInt16, into table: inout LeaseTable,
    _ directory: inout Directory, at now: Instant, reporting outbox: inout Outbox
  ) -> Rejection? {
    let socket = datagram.destination
    guard let range = message.range(of: .st) else { return missingField(message) }
    let target = UnsafeRawBufferPointer(rebasing: message.bytes[range])
    var sighting = Sighting()
    if let rejection = read(message, datagram, path, target: .st, into: &sighting) { return rejection }
    var door = doors.first(at: socket)
    let hasSocket = door != SearchDoors.end
    while door != SearchDoors.end, !asks(door, for: target) { door = doors.next(door) }
    var isAsked = door != SearchDoors.end
    if isOn(.socketNotMatched), !isAsked { isAsked = sessions.indices.contains { asksAnywhere($0, for: target) } }
    if !isAsked, configuration.unsolicited == .reject, !isOn(.acceptsUnsolicited) {
      if hasSocket { return Rejection(.targetNotAsked, at: range.lowerBound) }
      return Rejection(closedSockets.contains { $0.endpoint == socket } ? .searchOver : .noOpenSearch, at: 0)
    }
    if let rejection = setLease(message, &sighting, &table.counters) { return rejection }
    if let rejection = table.sight(sighting, at: now, into: &directory) { return rejection }
    // What the device is told of comes before its services.
    directory.report(into: &outbox)
    let usn = sighting.usn
    if table.isMarked(message.hint) {
      if isAsked {
        hand(knownAnswer(message.hint, usn, target, sighting.location, table), from: door, &table, &outbox)
      }
      return nil
    }
    // Most answers are repetitions: their lease knows who was told. One that is spelled otherwise is looked up.
    let lease = isOn(.dedupByUSNOnly) ? none : table.sightedLease(spelled: usn, uuid: sighting.uuid)
    var answer = Answer(
      usn: usn, target: target, hash: lease == none ? table.answerHash(of: sighting, target) : 0, lease: lease,
      mark: lease == none ? 0 : table.leases[Int(lease)].mark,
      part: lease != none ? table.leases[Int(lease)].part : none, location: sighting.location)
    if message.isRemembered {
      message.hint = ControlPoint.hint(for: sighting, &table, isSpelled: lease != none)
      message.hint.hash = answer.hash
    }
    if !isAsked { return nil }
    if lease == none { answer.part = table.uuids.find(sighting.uuid) }
    hand(answer, from: door, &table, &outbox)
    return nil
  }

  /// A flag of a hint: the USN is spelled like the lease's. Above it stands where the UUID ends in the USN.
  private static let isSpelled: UInt32 = 1

  /// What to note of the message of the latest sighting, so that it is known when it is heard again.
  @inline(__always)
  private static func hint(for sighting: borrowing Sighting, _ table: inout LeaseTable, isSpelled: Bool) -> SSDPHint {
    var hint = table.hint(saying: sighting.location)
    let end = UInt32(truncatingIfNeeded: USN.schemeByteCount + sighting.uuid.count)
    hint.flags = end &<< 16 | (isSpelled ? ControlPoint.isSpelled : 0)
    return hint
  }

  /// The answer whose hint holds: the same bytes, the same lease.
  @inline(__always)
  private func knownAnswer(
    _ hint: SSDPHint, _ usn: UnsafeRawBufferPointer, _ target: UnsafeRawBufferPointer,
    _ location: UnsafeRawBufferPointer, _ table: borrowing LeaseTable
  ) -> Answer {
    let isSpelled = hint.flags & ControlPoint.isSpelled != 0
    return Answer(
      usn: usn, target: target, hash: hint.hash, lease: isSpelled ? hint.number : none,
      mark: isSpelled ? hint.mark : 0, part: table.leases[Int(hint.number)].part, location: location)
  }

  /// Whether the search behind a door asked for this ST. Mutating, as the two below: they would be called on copies.
  @inline(__always) mutating func asks(_ door: Int32, for target: UnsafeRawBufferPointer) -> Bool {
    if doors.isForAll(door) { return true }
    guard doors.mayAsk(door, for: target) || !configuration.switches.isEmpty else { return false }
    return isAnswer(target, toSearchAt: doors.place(door))
  }

  @inline(__always)
  private mutating func isAnswer(_ target: UnsafeRawBufferPointer, toSearchAt place: Int32) -> Bool {
    SearchSession.isAnswer(
      target, to: sessions[at: place].targetBytes, sessions[at: place].wanted, configuration.switches)
  }

  /// A planted fault: the same for a search with any socket.
  private mutating func asksAnywhere(_ session: Int, for target: UnsafeRawBufferPointer) -> Bool {
    let place = sessions.place(session)
    return doors.first(of: place) != SearchDoors.end
      && (sessions[session].isForAll || isAnswer(target, toSearchAt: place))
  }

  /// Tells every search that asked for the answer of it, each once.
  ///
  /// - Parameter first: the first door of the socket whose search asked for it.
  private mutating func hand(
    _ answer: Answer, from first: Int32, _ table: inout LeaseTable, _ outbox: inout Outbox
  ) {
    if isOn(.socketNotMatched) {
      for session in sessions.indices where asksAnywhere(session, for: answer.target) {
        tell(sessions.place(session), answer, &table, &outbox)
      }
      return
    }
    var next = first
    while next != SearchDoors.end {
      let door = next
      next = doors.next(door)
      if answer.mark != 0, sessions.wasTold(doors.place(door), of: answer.mark) { continue }
      if door == first || asks(door, for: answer.target) { tell(doors.place(door), answer, &table, &outbox) }
    }
  }

  private mutating func tell(
    _ place: Int32, _ answer: Answer, _ table: inout LeaseTable, _ outbox: inout Outbox
  ) {
    guard sessions[at: place].services.count < configuration.limits.servicesPerSearch || isOn(.noBounds) else { return }
    let pair = ServiceSet.Pair(usn: answer.usn, target: answer.target)
    let hash = answer.lease == none ? answer.hash : table.answerHash(ofLease: answer.lease)
    let isKnown = sessions[at: place].holds(pair, hash: hash)
    if answer.mark != 0 { sessions[at: place].told.note(answer.mark) }
    if isKnown { return }
    let location = table.reportable(answer.location, answer.part, answer.lease)
    let service = ServiceSighting(
      search: sessions[at: place].id,
      names: table.names(answer.usn, answer.target, answer.location, answer.lease, answer.part, location))
    sessions[at: place].add(service, hash: hash)
    outbox.report(.service(service))
  }
}
