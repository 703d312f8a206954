import Primitives
import Wire

/// The SSDP provider: datagrams to sightings, and the searches that ask for them.
struct ControlPoint {
  let configuration: EngineConfiguration
  private let mode: SSDPMode
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
  var closedSockets: [Endpoint] = []

  /// Where answers to open searches are expected.
  var doors = SearchDoors()

  /// So many closed sockets are remembered.
  static let closedSocketsMaximum = 64
  static let spareSetsMaximum = 16

  init(_ configuration: EngineConfiguration) {
    self.configuration = configuration
    mode = configuration.mode == .strict ? .strict : .lenient
  }

  @inline(__always) func isOn(_ fault: EngineSwitch) -> Bool { configuration.switches.contains(fault) }

  mutating func schedule() {
    nextTimer = .never
    for session in sessions.indices { nextTimer = min(nextTimer, sessions[session].nextTimer) }
  }

  /// There is something to do at `time`, and perhaps nothing before.
  mutating func schedule(at time: Instant) { nextTimer = time }

  // MARK: Datagrams

  /// Takes one datagram; says why it is refused.
  mutating func receive(
    _ datagram: Datagram, into registry: inout Registry, at now: Instant, reporting outbox: inout Outbox
  ) -> Rejection? {
    guard let slot = registry.interfaces.slotThatIsUp(datagram.interface) else {
      return Rejection(.wrongInterface, at: 0)
    }
    switch SSDPReader.reading(of: datagram.payload, in: outbox.payloads, mode: mode) {
    case .rejected(let rejection): return rejection
    case .message(let message):
      if let rejection = message.check(mode, isMulticast: datagram.destination.address.isMulticast) {
        return rejection
      }
      registry.counters.count(message.kind)
      let path = InterfaceTable.path(slot, datagram.source.address.family)
      return take(message, datagram, path, into: &registry, at: now, reporting: &outbox)
    }
  }

  @inline(__always)
  private mutating func take(
    _ message: SSDPMessage, _ datagram: Datagram, _ path: UInt16, into registry: inout Registry, at now: Instant,
    reporting outbox: inout Outbox
  ) -> Rejection? {
    let isResponse = message.kind == .response
    var sighting = Sighting()
    switch message.kind {
    case .search:
      // Others' searches are none of a control point's business, and its own come back from the group (D68).
      if isOwn(datagram.source) { registry.counters.ownMessages += 1 }
      return nil
    case .notifyOther: return nil
    case .notifyAlive, .notifyByebye, .notifyUpdate, .response:
      if let rejection = read(message, datagram, path, target: isResponse ? .st : .nt, into: &sighting) {
        return rejection
      }
    }
    switch message.kind {
    case .notifyByebye where !(isOn(.byebyeRenews) && message.has(.cacheControl)):
      if isOn(.byebyeIgnored) { return nil }
      if isOn(.requiresLocationOnByebye), !message.has(.location) { return missingField(message) }
      return registry.byebye(sighting, at: now, into: &outbox)
    case .notifyUpdate:
      if isOn(.updateIgnored) || isOn(.nextBootIDIgnored) || isOn(.bootIDIgnored) { return nil }
      return registry.update(sighting, nextBootID: message.index.pointee.nextBootID, at: now, into: &outbox)
    case .response:
      return answer(message, sighting, to: datagram.destination, into: &registry, at: now, reporting: &outbox)
    default:
      if let rejection = setLease(message, &sighting, &registry.counters) { return rejection }
      let rejection = registry.sight(sighting, at: now, into: &outbox)
      message.hint = registry.sighted
      return rejection
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
    // What `USN.split` does, with a faster search for the end of the UUID.
    guard let end = uuidEnd(usn) else { return Rejection(.badUSN, at: usnRange.lowerBound) }
    let maximum = configuration.limits.nameBytes
    if usnRange.count > maximum { return Rejection(.tooLong, at: usnRange.lowerBound + maximum) }
    if targetRange.count > maximum { return Rejection(.tooLong, at: targetRange.lowerBound + maximum) }
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
  @inline(__always) private func uuidEnd(_ usn: UnsafeRawBufferPointer) -> Int? {
    let start = USN.schemeByteCount
    // `uuid` in four small letters, whatever their case was (D28).
    guard usn.count > start, usn[4] == UInt8(ascii: ":"),
      usn.loadUnaligned(as: UInt32.self).littleEndian | 0x2020_2020 == 0x6469_7575
    else { return nil }
    let end = KeyBytes.firstDoubleColon(in: usn, from: start) ?? usn.count
    return end == start ? nil : end
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

  private func isOwn(_ source: Endpoint) -> Bool {
    // Who never searched has no sockets of his own.
    if searchCount == 0 { return false }
    var door = doors.first(at: source)
    while door != SearchDoors.end {
      if !sessions[at: doors.place(door)].isAdopted { return true }
      door = doors.next(door)
    }
    return closedSockets.contains(source)
  }

  // MARK: Answers

  /// A response goes to every open search of the socket it was sent to that asked for its ST (D31, D32, D66).
  private mutating func answer(
    _ message: SSDPMessage, _ sighting: Sighting, to socket: Endpoint, into registry: inout Registry, at now: Instant,
    reporting outbox: inout Outbox
  ) -> Rejection? {
    guard let range = message.range(of: .st) else { return missingField(message) }
    let target = UnsafeRawBufferPointer(rebasing: message.bytes[range])
    var hasSocket = false
    var isAsked = false
    var door = doors.first(at: socket)
    while door != SearchDoors.end, !isAsked {
      hasSocket = true
      isAsked = asks(door, for: target)
      door = doors.next(door)
    }
    if isOn(.socketNotMatched), !isAsked { isAsked = sessions.indices.contains { asksAnywhere($0, for: target) } }
    if !isAsked, configuration.unsolicited == .reject, !isOn(.acceptsUnsolicited) {
      if hasSocket { return Rejection(.targetNotAsked, at: range.lowerBound) }
      return Rejection(closedSockets.contains(socket) ? .searchOver : .noOpenSearch, at: 0)
    }
    var sighting = sighting
    if let rejection = setLease(message, &sighting, &registry.counters) { return rejection }
    if let rejection = registry.sight(sighting, at: now, into: &outbox) { return rejection }
    message.hint = registry.sighted
    if isAsked { hand(message, sighting, target, socket, &registry, &outbox) }
    return nil
  }

  /// Whether the search behind a door asked for this ST.
  @inline(__always) private func asks(_ door: Int32, for target: UnsafeRawBufferPointer) -> Bool {
    if doors.isForAll(door) { return true }
    guard doors.mayAsk(door, for: target) || !configuration.switches.isEmpty else { return false }
    return isAnswer(target, toSearchAt: doors.place(door))
  }

  private func isAnswer(_ target: UnsafeRawBufferPointer, toSearchAt place: Int32) -> Bool {
    SearchSession.isAnswer(
      target, to: sessions[at: place].targetBytes, sessions[at: place].wanted, configuration.switches)
  }

  /// A planted fault: the same for a search with any socket.
  private func asksAnywhere(_ session: Int, for target: UnsafeRawBufferPointer) -> Bool {
    let place = sessions.place(session)
    return doors.first(of: place) != SearchDoors.end
      && (sessions[session].isForAll || isAnswer(target, toSearchAt: place))
  }

  /// Tells every search that asked for the answer of it, each once.
  private mutating func hand(
    _ message: SSDPMessage, _ sighting: Sighting, _ target: UnsafeRawBufferPointer, _ socket: Endpoint,
    _ registry: inout Registry, _ outbox: inout Outbox
  ) {
    guard let range = message.range(of: .usn) else { return }
    let usn = UnsafeRawBufferPointer(rebasing: message.bytes[range])
    // Most answers are repetitions: their lease knows who was told. One that is spelled otherwise is looked up.
    let lease = isOn(.dedupByUSNOnly) ? none : registry.sightedLease(spelled: usn, uuid: sighting.uuid)
    let serial = lease == none ? 0 : registry.leases[Int(lease)].serial
    if isOn(.socketNotMatched) {
      for session in sessions.indices where asksAnywhere(session, for: target) {
        tell(sessions.place(session), lease, sighting, usn, target, &registry, &outbox)
      }
      return
    }
    var next = doors.first(at: socket)
    while next != SearchDoors.end {
      let door = next
      next = doors.next(door)
      if serial != 0, sessions.wasTold(doors.place(door), of: lease, serial) { continue }
      if asks(door, for: target) { tell(doors.place(door), lease, sighting, usn, target, &registry, &outbox) }
    }
  }

  private mutating func tell(
    _ place: Int32, _ lease: UInt32, _ sighting: Sighting, _ usn: UnsafeRawBufferPointer,
    _ target: UnsafeRawBufferPointer, _ registry: inout Registry, _ outbox: inout Outbox
  ) {
    guard sessions[at: place].services.count < configuration.limits.servicesPerSearch || isOn(.noBounds) else { return }
    let id = sessions[at: place].id
    let hash = sessions[at: place].hashIfNew(ServiceSet.Pair(usn: usn, target: target))
    if lease != none { sessions[at: place].told.note(lease, registry.leases[Int(lease)].serial) }
    guard let hash else { return }
    let part = lease != none ? registry.leases[Int(lease)].part : registry.uuids.find(sighting.uuid)
    let device = registry.device(ofPart: part)
    let service = ServiceSighting(
      search: id, device: device == none ? "" : registry.name(device), usn: registry.usnText(usn, lease),
      target: registry.targetText(target, lease), location: registry.reportable(sighting, part, lease))
    sessions[at: place].add(service, hash: hash)
    outbox.report(.service(service))
  }
}
