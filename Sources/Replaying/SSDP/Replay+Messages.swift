import RollcallCapture
import RollcallConformance
import RollcallDiscovery
import RollcallExplaining
import RollcallPrimitives
import RollcallRunning
import RollcallTrace
import RollcallWire

// Messages of the capture: which are given to the engine, and which become searches of its own.
extension Replay {
  /// Reads what the engine is about to read.
  struct MessageReader {
    /// The engine's.
    private let intake: SSDPIntake

    init(of engine: UnsafeMutablePointer<DiscoveryEngine>) { intake = engine.pointee.intake }

    /// What the engine knows already is not read again; what its reader takes the lenient one takes.
    func reading(of payload: Payload, in payloads: PayloadStore) -> SSDPReading {
      if let known = intake.recognise(payload, in: payloads) { return .message(known) }
      return SSDPReader.reading(of: payload, in: payloads, mode: .lenient)
    }
  }

  mutating func consider(
    _ datagram: ExtractedDatagram, of frame: CaptureFrame, at place: Observation.Place, sentByHost: Bool
  ) {
    guard scene.isEverybody || sentByHost || scene.isHeard(at: datagram.destination.address) else {
      if let teller { teller.passedBy(hearing(datagram, of: frame)) }
      return
    }

    wakeBeforeFrame()
    var bytes = datagram.payload
    if datagram.isCut { bytes = wholeLines(of: bytes, frame) }
    let payload = outbox.payloads.store(bytes)
    defer { outbox.payloads.release(payload) }
    self.frame = frame.number
    let interface = InterfaceID(UInt16(truncatingIfNeeded: frame.interface))
    let heard = Datagram(
      source: datagram.source, destination: datagram.destination, interface: interface,
      hopLimit: datagram.hopLimit, payload: payload)
    switch reader.reading(of: payload, in: outbox.payloads) {
    case .message(let message):
      // A look-alike on another port has to be what belongs there.
      if case .searcher = place, message.kind != .response { return }
      if case .searchPort = place, message.kind != .search { return }
      if message.kind == .notifyAlive || message.kind == .response { sockets.learnSearchPort(message, datagram.source) }
      let fields = showsMessages ? SSDPText.headers(message) : nil
      summary.tally.count(message.kind)
      if message.kind == .search, scene.isEverybody || sentByHost && scene.showsSearches(frame) {
        adopt(message, heard, datagram.identification, frame)
      }
      if let teller { hear(heard, datagram.identification, message, of: frame, isOwn: sentByHost, teller) }
      tell(heard, of: frame, message.kind, fields: fields, isOwn: sentByHost)
    case .rejected(let why):
      guard case .port1900 = place else { return }
      summary.tally.countUnknown()
      if let teller { hear(heard, datagram.identification, nil, of: frame, isOwn: sentByHost, teller) }
      tell(heard, of: frame, nil, fields: showsMessages ? [] : nil, refused: why, isOwn: sentByHost)
    }
  }

  private var showsMessages: Bool { observe != nil && options.wantsMessages }

  /// What can be believed of a message that the snap length cut: a line without its end may say something else, such as
  /// half of a UUID.
  private mutating func wholeLines(of bytes: UnsafeRawBufferPointer, _ frame: CaptureFrame) -> UnsafeRawBufferPointer {
    summary.captureProblems.note(
      "messages that the file holds in part, read up to their last whole line", frame: frame.number)
    let end = bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return UnsafeRawBufferPointer(rebasing: bytes[..<end])
  }

  /// Gives the engine what it heard, and shows the message before the reports that it caused.
  private mutating func tell(
    _ datagram: Datagram, of frame: CaptureFrame, _ kind: SSDPKind?, fields: [(name: String, value: String)]?,
    refused: Rejection? = nil, isOwn: Bool
  ) {
    rejection = nil
    isHolding = showsMessages || teller != nil
    // What a host sent itself it does not hear.
    if !isOwn || scene.isEverybody {
      let mark = Gate.mark(of: datagram, in: outbox.payloads)
      settleClock(give(datagram, mark: mark, to: engine, station: Replay.station, at: now))
    }
    isHolding = false
    if let teller { teller.heard(rejection ?? refused, pending, engine.pointee) }
    if let fields {
      observe?(
        .message(
          ReplayEvent.Message(
            frame: frame.number, time: frame.timeText, source: datagram.source, destination: datagram.destination,
            kind: kind, fields: fields, rejection: rejection ?? refused)))
    }
    if let rejection = rejection ?? refused { summary.rejections.add(rejection, at: now) }
    publishPending()
  }

  private mutating func adopt(
    _ message: SSDPMessage, _ datagram: Datagram, _ identification: Int32, _ frame: CaptureFrame
  ) {
    guard let target = message.value(of: .st), !target.isEmpty else { return }
    let wait = options.searches?.maximumWaitSeconds ?? Int(message.index.pointee.maximumWaitSeconds)
    var search = sockets.adopt(
      target: target, from: datagram.source, to: datagram.destination, maximumWaitSeconds: wait, at: now,
      anyAddress: !scene.isEverybody)
    let note = scene.isEverybody ? nil : frame.comments.lazy.compactMap { SearchNote(comment: $0) }.first
    if let note { (search.id, search.maximumWaitSeconds) = (note.id, note.waitSeconds) }
    if !scene.hasSearches, let searches = options.searches, replaces(&search, by: searches, from: datagram.source) {
      return
    }
    if let teller, note != nil || !scene.hasSearches {
      teller.searched(
        search, from: datagram.source, to: datagram.destination, frame: frame.number, identification: identification,
        isRepeated: isRepeated, at: now)
    }
    // Where the file tells of searches as commands, only the socket is new; a search without one is the manager's.
    if scene.hasSearches, note != nil || options.engine.manager != nil { return }
    settleClock(
      give(.command(.adopt(search, copyAt: datagram.source)), to: engine, station: Replay.station, at: now))
  }
}

// What a story, where one is wanted, has of messages.
extension Replay {
  /// For the story: a datagram that the engine is not given.
  private func hearing(_ datagram: ExtractedDatagram, of frame: CaptureFrame) -> StoryTeller.Hearing {
    var hearing = StoryTeller.Hearing(
      frame: frame.number, time: now, source: datagram.source, destination: datagram.destination,
      interface: InterfaceID(UInt16(truncatingIfNeeded: frame.interface)), isOwn: false)
    let payload = outbox.payloads.store(datagram.payload)
    defer { outbox.payloads.release(payload) }
    if case .message(let message) = SSDPReader.reading(of: payload, in: outbox.payloads, mode: .lenient) {
      hearing.read(message)
    }
    return hearing
  }

  private func hear(
    _ datagram: Datagram, _ identification: Int32, _ message: SSDPMessage?, of frame: CaptureFrame, isOwn: Bool,
    _ teller: StoryTeller
  ) {
    var hearing = StoryTeller.Hearing(
      frame: frame.number, time: now, source: datagram.source, destination: datagram.destination,
      interface: datagram.interface, isOwn: isOwn && !scene.isEverybody)
    hearing.identification = identification
    if let message { hearing.read(message) }
    hearing.payload = outbox.payloads.array(of: datagram.payload)
    teller.hears(hearing, engine.pointee)
  }

  /// An answer that went to a socket of which the capture shows no search: it began too late, or lost the search.
  func passUnasked(_ datagram: ExtractedDatagram, of frame: CaptureFrame, _ teller: StoryTeller) {
    guard datagram.payload.starts(with: "HTTP/1.1 200".utf8) else { return }
    let hearing = hearing(datagram, of: frame)
    if hearing.kind == .response, !hearing.usn.isEmpty { teller.passedUnasked(hearing) }
  }
}
