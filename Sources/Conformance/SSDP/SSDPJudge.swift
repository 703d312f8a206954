import RollcallPrimitives
package import RollcallWire

/// What the reader of a capture has to know of a message to go on.
package struct JudgedMessage: Sendable {
  /// `nil`: no message.
  package var kind: SSDPKind?
  /// SEARCHPORT of an announcement or an answer; −1: none.
  package var searchPort: Int32 = -1
}

/// Judges the messages of SSDP.
///
/// Each datagram is read once, or not at all where the same bytes came before; a second time only where the strict
/// reader refuses it. Each sender is held to the version of UDA that it claims.
struct SSDPJudge: ~Copyable, ProtocolJudge {
  /// Families that judge messages alone, and the others.
  private var alone: [any CheckFamily]
  private var together: [any CheckFamily]
  private var uuids = ByteTable(countMaximum: 100_000)
  private var names = NameBook()
  /// By number of UUID: what its messages claimed last; 0: nothing yet.
  private var claims: [UInt8] = []
  private let index: UnsafeMutablePointer<SSDPIndex>
  private let intake: SSDPIntake
  private let payloads = PayloadStore()
  private var memos: [MessageMemo] = []

  /// Every family. To add one: write it in a file of its own, and name it here.
  static let families: [any CheckFamily.Type] = [
    FormatChecks.self,
    NameChecks.self,
    AliveChecks.self,
    ByebyeChecks.self,
    SearchChecks.self,
    ResponseChecks.self,
    IPv6Checks.self,
    ControlPointChecks.self,
    TransportChecks.self,
    SetChecks.self,
    BootChecks.self,
    JoinChecks.self,
    DescriptionChecks.self,
  ]

  /// - Parameter messagesRememberedMaximum: messages that are recognised when they come again.
  init(_ circumstances: Circumstances, messagesRememberedMaximum: Int, wanted: (Clause) -> Bool) {
    intake = SSDPIntake(.strict, messagesMaximum: messagesRememberedMaximum)
    let families = SSDPJudge.families.filter { $0.clauses.contains { wanted($0.clause) } }
    alone = families.filter { $0.judgesMessagesAlone }.map { $0.init(circumstances) }
    together = families.filter { !$0.judgesMessagesAlone }.map { $0.init(circumstances) }
    index = .allocate(capacity: 1)
    index.initialize(to: SSDPIndex())
  }

  deinit { index.deallocate() }

  /// `uuid:…` of a finding.
  func device(_ number: Int32) -> String? {
    number < 0 ? nil : "uuid:" + SSDPText.text(Array(uuids.key(number)))
  }

  /// Judges a datagram.
  ///
  /// At a socket that searched only answers belong to discovery, at a SEARCHPORT only searches: whatever else comes
  /// there is not looked at.
  mutating func hear(_ observation: Observation, _ books: inout Books) -> JudgedMessage {
    guard observation.bytes.count <= PayloadStore.payloadBytesMaximum else {
      return hearOdd(observation, SSDPReader.read(observation.bytes, mode: .strict, into: index), &books)
    }
    let payload = payloads.store(observation.bytes)
    defer { payloads.release(payload) }
    switch intake.read(payload, in: payloads) {
    case .rejected(let flaw): return hearOdd(observation, flaw, &books)
    case .message(let message) where message.kind == .notifyOther: return hearOdd(observation, nil, &books)
    case .message(let message): return hear(observation, message, &books)
    }
  }

  private mutating func hear(
    _ observation: Observation, _ message: SSDPMessage, _ books: inout Books
  ) -> JudgedMessage {
    if let heard = turnAway(observation, message.kind, &books) { return heard }
    if message.hint.mark != 0, hearAgain(message, observation, &books) { return heard(message) }
    let (context, own) = meet(
      observation, message, kind: message.kind, role: message.kind == .search ? .controlPoint : .device, &books)
    if message.isRemembered, message.hint.flags < MessageMemo.strikesMaximum, hasPlainDate(message) {
      let verdicts = books.collector.verdicts(on: context.party) { SSDPJudge.hear(&alone, context, &$0) }
      if let verdicts { note(context, own, verdicts) }
    } else {
      SSDPJudge.hear(&alone, context, &books.collector)
    }
    SSDPJudge.hear(&together, context, &books.collector)
    return heard(message)
  }

  /// What the strict reader refuses, or what says an NTS that nobody knows.
  private mutating func hearOdd(
    _ observation: Observation, _ flaw: Rejection?, _ books: inout Books
  ) -> JudgedMessage {
    let refusal = SSDPReader.read(observation.bytes, mode: .lenient, into: index)
    let message = SSDPMessage(bytes: observation.bytes, index: UnsafePointer(index))
    let kind = refusal == nil ? message.kind : nil
    if let heard = turnAway(observation, kind, &books) { return heard }
    var role = Party.Role.device
    if refusal != nil {
      books.unreadableCount += 1
      // Anything may be sent to port 1900; only what tries to be SSDP is held to it.
      guard let attempt = FormFaults.attempt(observation.bytes) else { return JudgedMessage() }
      role = attempt
    } else if message.kind == .search {
      role = .controlPoint
    }
    let context = meet(observation, message, kind: kind, role: role, flaw: flaw, &books).context
    SSDPJudge.hear(&alone, context, &books.collector)
    SSDPJudge.hear(&together, context, &books.collector)
    return kind == nil ? JudgedMessage() : heard(message)
  }

  private static func hear(
    _ families: inout [any CheckFamily], _ context: MessageContext, _ collector: inout FindingCollector
  ) {
    for place in families.indices { families[place].hear(context, &collector) }
  }

  /// Counts a datagram; what to say of it where it is not judged.
  private mutating func turnAway(
    _ observation: Observation, _ kind: SSDPKind?, _ books: inout Books
  ) -> JudgedMessage? {
    guard belongs(observation, kind) else { return JudgedMessage() }
    books.messageCount += 1
    books.last = observation.time
    // What the file left out would look like a breach.
    guard observation.isCut else { return nil }
    books.cutCount += 1
    return JudgedMessage(kind: kind)
  }

  /// Works out who says it, and by what version it is bound; `own`: what it claims itself.
  private mutating func meet(
    _ observation: Observation, _ message: SSDPMessage, kind: SSDPKind?, role: Party.Role, flaw: Rejection? = nil,
    _ books: inout Books
  ) -> (context: MessageContext, own: Edition?) {
    let destination = observation.destination.address
    var context = MessageContext(
      observation: observation, kind: kind, message: message,
      faults: flaw == nil ? FormFaults() : FormFaults(observation.bytes),
      party: books.parties.number(of: observation.source.address, host: observation.host, role: role), role: role,
      uuid: -1, usn: nil, claim: .uda10, isMulticast: destination.isMulticast || destination.isBroadcast)
    identify(&context)
    let own = ownClaim(of: context)
    context.claim = claim(of: context, own)
    books.parties.hear(context.party, claim: context.claim, product: SSDPJudge.product(context))
    return (context, own)
  }

  private func heard(_ message: SSDPMessage) -> JudgedMessage {
    let isOffer = message.kind == .notifyAlive || message.kind == .response
    return JudgedMessage(kind: message.kind, searchPort: isOffer ? message.index.pointee.searchPort : -1)
  }

  // MARK: - What came before

  /// Judges a message by what came of it before; `false`, and nothing is done, where that does not hold any more.
  private mutating func hearAgain(
    _ message: SSDPMessage, _ observation: Observation, _ books: inout Books
  ) -> Bool {
    let (place, mark) = (Int(message.hint.number), message.hint.mark)
    // Its mark is of this judge's own intake, so there is a memo at its place: of this message, or of a later one.
    guard memos[place].mark == mark, memos[place].isSame(observation, message.kind) else { return false }
    // A date is another each time.
    guard hasPlainDate(message) else { return false }
    let (claim, uuid) = (memos[place].claim, memos[place].uuid)
    var context = MessageContext(
      observation: observation, kind: message.kind, message: message, faults: FormFaults(),
      party: memos[place].party, role: memos[place].role, uuid: uuid, usn: memos[place].usn, claim: claim,
      isMulticast: memos[place].isMulticast)
    if memos[place].claimsItself {
      if uuid >= 0 { claims[Int(uuid)] = claim.number }
    } else if self.claim(of: context, nil) != claim {
      return false
    }
    (context.target, context.advert, context.lane) = (memos[place].target, memos[place].advert, memos[place].lane)
    books.parties.hear(context.party, claim: claim, product: SSDPJudge.product(context))
    books.knownCount += 1
    books.collector.repeatVerdicts(memos[place].verdicts, of: context.party, at: observation.position)
    SSDPJudge.hear(&together, context, &books.collector)
    return true
  }

  /// Whether nothing has to be said about its date, the one part that need not be the same when it comes again.
  private func hasPlainDate(_ message: SSDPMessage) -> Bool {
    guard message.kind == .response, let date = message.value(of: .date) else { return true }
    return DateValue.isWellFormed(date)
  }

  private mutating func note(_ context: MessageContext, _ own: Edition?, _ verdicts: FindingCollector.Verdicts) {
    let mark = intake.nextMark()
    guard mark != 0 else { return }
    let memo = MessageMemo(context, mark: mark, claimsItself: own != nil, verdicts)
    let place = memos.count < MessageMemo.countMaximum ? memos.count : Int(mark) & (MessageMemo.countMaximum - 1)
    if place == memos.count { memos.append(memo) } else { memos[place] = memo }
    context.message.hint = SSDPHint(
      number: UInt32(place), mark: mark, flags: context.message.hint.flags + (context.message.hint.mark == 0 ? 0 : 1))
  }

  private func belongs(_ observation: Observation, _ kind: SSDPKind?) -> Bool {
    switch observation.place {
    case .port1900: true
    case .searcher: kind == .response || kind == nil && Bytes.hasPrefix(observation.bytes, ignoringCase: "http/1.")
    case .searchPort: kind == .search
    case .port5353: false
    }
  }

  /// Judges what a control point in a trace makes of a datagram that it heard and did not refuse.
  mutating func overhear(_ observation: Observation, _ books: inout Books) {
    guard SSDPReader.read(observation.bytes, mode: .lenient, into: index) == nil else { return }
    books.last = max(books.last, observation.time)
    let message = SSDPMessage(bytes: observation.bytes, index: UnsafePointer(index))
    let party = books.parties.number(of: observation.destination.address, host: observation.host, role: .controlPoint)
    var context = MessageContext(
      observation: observation, kind: message.kind, message: message, faults: FormFaults(),
      party: party, role: .controlPoint, uuid: -1, usn: nil, claim: .uda10,
      isMulticast: observation.destination.address.isMulticast)
    identify(&context)
    for place in together.indices { together[place].overhear(context, &books.collector) }
  }

  mutating func note(_ event: TraceEvent, _ books: inout Books) {
    books.last = max(books.last, event.time)
    if case .described(let heard) = event.content { return hear(heard, event, &books) }
    var event = event
    event.device = device(of: event.content)
    if case .told(.changed(_, .united(let part))) = event.content { event.part = number(ofDevice: part) }
    for place in together.indices { together[place].note(event, &books.collector) }
  }

  mutating func close(at end: Instant, _ books: inout Books) {
    for place in together.indices { together[place].close(at: end, &books.collector) }
  }

  // MARK: - Who it is, and what binds it

  private mutating func device(of content: TraceEvent.Content) -> Int32 {
    switch content {
    case .holds(let device), .lets(let device), .told(.lost(let device, _)): number(ofDevice: device)
    case .told(.found(let sighting)), .told(.changed(let sighting, _)): number(ofDevice: sighting.device)
    default: -1
    }
  }

  /// Whether anybody looks at documents.
  var hearsDescriptions: Bool { together.contains { $0 is DescriptionChecks } }

  func wants(documentsOf server: Endpoint) -> Bool { together.contains { $0.wants(documentsOf: server) } }

  private mutating func hear(_ heard: HeardDescription, _ event: TraceEvent, _ books: inout Books) {
    guard wants(heard) else { return }
    let document = HeardDocument(time: event.time, heard: heard, content: read(heard))
    for place in together.indices { together[place].hear(document, &books.collector) }
  }

  /// Whether somebody announced its URL.
  private mutating func wants(_ heard: HeardDescription) -> Bool {
    var location = heard.location
    return location.withUTF8 { text in
      together.indices.contains { together[$0].wants(documentFrom: UnsafeRawBufferPointer(text)) }
    }
  }

  /// The document with numbers for its names.
  private mutating func read(_ heard: HeardDescription) -> Result<ReadDescription, DescriptionFault> {
    let reading: DescriptionReader.Reading
    do throws(DescriptionFault) { reading = try DescriptionReader.read(heard.body, mode: .lenient) } catch {
      return .failure(error)
    }
    var devices: [ReadDescription.Device] = []
    func add(_ device: DescriptionDocument.Device) {
      // A UDN without its scheme still names a UUID.
      let number = number(ofDevice: device.udn)
      devices.append(
        ReadDescription.Device(
          uuid: number >= 0 || device.udn.isEmpty ? number : self.number(ofDevice: "uuid:" + device.udn),
          udn: String(device.udn.prefix(80)), type: target(device.type),
          services: device.services.map { target($0.type) },
          serviceTypes: device.services.map { String($0.type.prefix(80)) }))
      for part in device.embedded { add(part) }
    }
    add(reading.document.root)
    return .success(ReadDescription(reading, devices, bodyHash: heard.body.withUnsafeBytes { Digest.hash($0) }))
  }

  private mutating func target(_ type: String) -> Target {
    var type = type
    return type.withUTF8 { names.target(UnsafeRawBufferPointer($0)) }
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

  private mutating func identify(_ context: inout MessageContext) {
    guard let kind = context.kind else { return }
    if let target = context.value(kind == .search || kind == .response ? .st : .nt) {
      context.target = names.target(target)
    }
    guard let usn = context.value(.usn), let parts = USN.split(usn) else { return }
    context.usn = parts
    let uuid = UnsafeRawBufferPointer(rebasing: usn[parts.uuid])
    context.uuid = uuids.number(of: uuid, hash: USN.hash(ofUUID: uuid), isSame: USN.areEqualUUIDs)
    if Int(context.uuid) == claims.count { claims.append(0) }
    guard context.uuid >= 0, context.role == .device else { return }
    context.advert = names.advert(
      context.uuid, parts.target.map { UnsafeRawBufferPointer(rebasing: usn[$0]) }, context.target)
    context.lane = names.lane(
      context.uuid, context.observation.source.address, context.observation.interface, host: context.observation.host)
  }

  /// The version that the message itself claims.
  private func ownClaim(of context: MessageContext) -> Edition? {
    if context.kind == nil { return SSDPJudge.claim(in: context.observation.bytes) ?? .uda10 }
    return context.value(context.kind == .search ? .userAgent : .server).flatMap { SSDPJudge.claim(in: $0) }
  }

  /// The version that binds it, and with it what its UUID says later without one.
  private mutating func claim(of context: MessageContext, _ own: Edition?) -> Edition {
    if let own {
      if context.uuid >= 0 { claims[Int(context.uuid)] = own.number }
      return own
    }
    // A byebye has no SERVER: the device's other messages tell.
    if context.uuid >= 0, claims[Int(context.uuid)] != 0 { return Edition(.uda, number: claims[Int(context.uuid)]) }
    return context.has(.bootID) ? .uda11 : .uda10
  }

  /// The version that the first product `UPnP/x.y` of a text claims.
  static func claim(in bytes: UnsafeRawBufferPointer) -> Edition? {
    guard let product = UPnPProduct.first(in: bytes) else { return nil }
    return product.major >= 2 ? .uda20 : product.isLaterThan10 ? .uda11 : .uda10
  }

  private static func product(_ context: MessageContext) -> String? {
    guard let kind = context.kind, let value = context.value(kind == .search ? .userAgent : .server) else { return nil }
    return SSDPText.text(Array(value.prefix(80)))
  }
}
