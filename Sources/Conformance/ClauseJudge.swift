package import Primitives
package import Wire

/// Judges what is heard on a network, clause by clause and party by party.
///
/// Give it observations and occurrences in the order of time, then close it. Each datagram is read once; a second time
/// only where the strict reader refuses it. What is remembered is bounded.
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

  private var families: [any CheckFamily]
  private var parties: PartyTable
  private var uuids = ByteTable(countMaximum: 100_000)
  private var names = NameBook()
  /// By number of UUID: what its messages claimed last; 0: nothing yet.
  private var claims: [UInt8] = []
  private let index: UnsafeMutablePointer<SSDPIndex>
  private var last = Instant(nanoseconds: .min)

  /// - Parameter wanted: which clauses are judged.
  package init(_ circumstances: Circumstances, wanted: (Clause) -> Bool = { _ in true }) {
    self.circumstances = circumstances
    docket = Docket(wanted: wanted)
    families = ClauseChecks.families.filter { $0.clauses.contains { wanted($0.clause) } }.map { $0.init(circumstances) }
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

  /// What whoever reads a capture has to know of a datagram to go on.
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
    let flaw = SSDPReader.read(observation.bytes, mode: .strict, into: index)
    var refusal: Rejection?
    if flaw != nil || index.pointee.kind == .notifyOther {
      refusal = SSDPReader.read(observation.bytes, mode: .lenient, into: index)
    }
    let message = SSDPMessage(bytes: observation.bytes, index: UnsafePointer(index))
    guard belongs(observation, refusal == nil ? message.kind : nil) else { return Heard() }
    messageCount += 1
    last = observation.time
    if observation.isCut {
      // What the file left out would look like a breach.
      cutCount += 1
      return Heard(kind: refusal == nil ? message.kind : nil)
    }
    let faults = flaw == nil ? FormFaults() : FormFaults(observation.bytes)
    var role = Party.Role.device
    if refusal != nil {
      unreadableCount += 1
      // Anything may be sent to port 1900; only what tries to be SSDP is held to it.
      guard let attempt = FormFaults.attempt(observation.bytes) else { return Heard() }
      role = attempt
    } else if message.kind == .search {
      role = .controlPoint
    }
    let destination = observation.destination.address
    var witness = Witness(
      observation: observation, kind: refusal == nil ? message.kind : nil, message: message, flaw: flaw,
      refusal: refusal, faults: faults,
      party: parties.number(of: observation.source.address, host: observation.host, role: role), role: role,
      uuid: -1, usn: nil, claim: .uda10, isMulticast: destination.isMulticast || destination.isBroadcast)
    identify(&witness)
    witness.claim = claim(of: witness)
    parties.hear(witness.party, claim: witness.claim, product: ClauseJudge.product(witness))
    for place in families.indices { families[place].hear(witness, &docket) }
    let isOffer = witness.kind == .notifyAlive || witness.kind == .response
    return Heard(kind: witness.kind, searchPort: isOffer ? index.pointee.searchPort : -1)
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
    for place in families.indices { families[place].overhear(witness, &docket) }
  }

  package mutating func note(_ occurrence: Occurrence) {
    var occurrence = occurrence
    occurrence.device = device(of: occurrence.content)
    if case .told(.changed(_, .united(let part))) = occurrence.content { occurrence.part = number(ofDevice: part) }
    last = max(last, occurrence.time)
    for place in families.indices { families[place].note(occurrence, &docket) }
  }

  /// - Parameter end: when whoever recorded stopped; `nil`: with the last thing heard.
  package mutating func close(at end: Instant? = nil) {
    for place in families.indices { families[place].close(at: end ?? last, &docket) }
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
    witness.advert = names.advert(witness.uuid, witness.target.number)
    witness.lane = names.lane(
      witness.uuid, witness.observation.source.address, witness.observation.interface, host: witness.observation.host)
  }

  private mutating func claim(of witness: Witness) -> UDAClaim {
    if witness.kind == nil { return ClauseJudge.claim(in: witness.observation.bytes) ?? .uda10 }
    let product = witness.value(witness.kind == .search ? .userAgent : .server)
    if let product, let claimed = ClauseJudge.claim(in: product) {
      if witness.uuid >= 0 { claims[Int(witness.uuid)] = claimed.rawValue }
      return claimed
    }
    // A byebye has no SERVER: the device's other messages tell.
    if witness.uuid >= 0, let known = UDAClaim(rawValue: claims[Int(witness.uuid)]) { return known }
    return witness.has(.bootID) ? .uda11 : .uda10
  }

  /// The version behind the first `UPnP/` of a text.
  package static func claim(in bytes: UnsafeRawBufferPointer) -> UDAClaim? {
    var place = 0
    while place &+ 8 <= bytes.count {
      if bytes[place] | 0x20 == 0x75, bytes[place &+ 4] == 0x2F,
        Bytes.hasPrefix(UnsafeRawBufferPointer(rebasing: bytes[place...]), ignoringCase: "upnp/"),
        Bytes.isDigit(bytes[place &+ 5])
      {
        let major = bytes[place &+ 5] &- 48
        let minor = bytes[place &+ 6] == 0x2E && Bytes.isDigit(bytes[place &+ 7]) ? bytes[place &+ 7] &- 48 : 0
        return major >= 2 ? .uda20 : major == 1 && minor >= 1 ? .uda11 : .uda10
      }
      place &+= 1
    }
    return nil
  }

  private static func product(_ witness: Witness) -> String? {
    guard let kind = witness.kind, let value = witness.value(kind == .search ? .userAgent : .server) else { return nil }
    return SSDPText.text(Array(value.prefix(80)))
  }
}
