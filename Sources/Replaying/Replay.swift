package import RollcallCapture
import RollcallConformance
import RollcallDiscovery
package import RollcallExplaining
package import RollcallPrimitives
import RollcallRunning
package import RollcallTrace
import RollcallWire

/// The replayer: a capture drives the engine, at the times of the capture.
///
/// Bytes go from the file through the link layers to the very engine that lives in the simulator; M-SEARCHes that the
/// capture shows leaving are adopted as the engine's own, so that the answers they got are answers. See
/// ARCHITECTURE.md, "A datagram: from a capture file to a report".
package struct Replay: ~Copyable, Driver {
  package var gate: Gate
  package var outbox: Outbox
  /// What came of it so far.
  package internal(set) var summary: ReplaySummary

  let options: ReplayOptions
  let engine: UnsafeMutablePointer<DiscoveryEngine>
  /// Reads messages before the engine does.
  let reader: MessageReader
  var sockets = SearchSockets()
  private var radio = RadioExtractor()
  /// The capture's answers to what the engine fetches; `nil`: it fetches nothing, or the file says what came.
  private(set) var streams: ReplayedStreams?
  var scene: CaptureScene
  private(set) var now = Instant(nanoseconds: .min)
  /// Before this nothing happens by itself: nearly every frame only moves the clock.
  private var quietUntil = Instant(nanoseconds: .min)
  var frame: Int?
  var rejection: Rejection?
  /// Whether messages of multicast DNS are given to the engine.
  var hearsServices = false
  private(set) var observe: ((ReplayEvent) -> Void)?
  /// Who is given reports instead of `observe`, with their time and the frame that caused them: where there are many, and
  /// nothing else is asked of them.
  private let observeReport: ((Report, Instant, Int?) -> Void)?
  /// The teller of the story of the replay; `nil`: nothing is asked or kept for it.
  let teller: StoryTeller?
  /// Searches whose copies the options replace, by number and socket; bounded like the sockets.
  var replacedCopies: Set<ReplacedCopy> = []
  /// Whether another file showed this datagram before.
  var isRepeated = false

  /// The station number of the engine in traces of replays.
  package static let station: UInt32 = 0

  package init(
    options: ReplayOptions, recorder: Recorder? = nil, teller: StoryTeller? = nil,
    observe: ((ReplayEvent) -> Void)? = nil, reports: ((Report, Instant, Int?) -> Void)? = nil
  ) {
    self.options = options
    self.observe = observe
    observeReport = reports
    self.teller = teller
    gate = Gate(recorder: recorder)
    outbox = Outbox(payloads: PayloadStore())
    summary = ReplaySummary()
    scene = CaptureScene(names: [], sections: [], as: options.perspective)
    engine = .allocate(capacity: 1)
    engine.initialize(to: DiscoveryEngine(options.engine))
    reader = MessageReader(of: engine)
  }

  deinit { engine.deinitialize(count: 1).deallocate() }

  // MARK: - Driving

  /// Replays all frames of a capture, and then lets time run on as far as the options ask.
  package mutating func run(_ reader: inout CaptureReader) {
    scene = CaptureScene(reader: reader, as: options.perspective)
    scene.countFromBegin()
    begin()
    var extractor = DatagramExtractor(readsSegments: streams != nil)
    var frame = CaptureFrame()
    var datagram = ExtractedDatagram()
    let programs = options.filter.map { CapturePrograms($0) }
    while reader.next(&frame) {
      takeRemarks(of: &reader)
      if let origin = scene.origin { frame.countTime(from: origin) }
      if let teller { show(frame, to: teller) }
      if frame.hasTime {
        if now <= frame.time, frame.time < quietUntil { now = frame.time } else { advance(to: frame) }
      }
      if let programs, !lets(frame, through: programs) {
        if summary.filterFailure != nil { break }
        continue
      }
      if extractor.extract(frame, into: &datagram) {
        if options.wantsDatagrams { observe?(.datagram(frame, datagram)) }
        consider(datagram, of: frame)
      }
      giveRest(of: frame, extractor)
    }
    takeRemarks(of: &reader)
    // Names and comments may stand behind the frames that they speak of; what was missed is caught up with.
    runOut()
    conclude(extractor, reader)
    close()
  }

  /// What the file says of the host since the frame before.
  mutating func takeRemarks(of reader: inout CaptureReader, file: Int = 0) {
    // Nearly no frame has any before it.
    guard reader.hasRemarks else { return }
    scene.take(reader.takeRemarks(), file: file)
    quietUntil = min(quietUntil, scene.nextTime)
  }

  mutating func lets(_ frame: CaptureFrame, through programs: CapturePrograms) -> Bool {
    do throws(CaptureFilterError) { return try programs.accepts(frame) } catch {
      summary.filterFailure = error
      return false
    }
  }

  /// Moves the engine's clock to the frame; where the file's times go back, the clock stands still.
  mutating func advance(to frame: CaptureFrame) {
    if frame.time < now {
      summary.captureProblems.note("time goes back", frame: frame.number)
      return
    }
    self.frame = nil
    while let signal = scene.nextSignal(until: frame.time) { perform(signal) }
    move(to: frame.time)
  }

  /// What the host was given right behind the frame, where the file is its own.
  private mutating func giveSignals(beside frame: CaptureFrame) {
    if frame.comments.isEmpty || !scene.isOwn(frame) { return }
    for comment in frame.comments {
      guard case .signal(var signal)? = SceneNote(comment: comment), signal.signal.isOfConnection else { continue }
      // Whatever time it claims: it was given right behind the frame.
      signal.time = now
      self.frame = frame.number
      perform(signal)
    }
  }

  /// What a receiver heard, or a controller reported.
  /// Gives the engine all of a frame but its datagram: packets of the air, signals, and bytes of streams.
  @inline(__always) mutating func giveRest(of frame: CaptureFrame, _ extractor: borrowing DatagramExtractor) {
    if RadioExtractor.mayHold(frame.linkType) { giveRadio(of: frame) }
    giveSignals(beside: frame)
    if streams != nil { giveStreams(extractor.segment, of: frame) }
  }

  private mutating func giveRadio(of frame: CaptureFrame) {
    for packet in radio.packets(of: frame) { hear(packet, of: frame.number) }
  }

  mutating func hear(_ packet: RadioPDU, of frame: Int) {
    wakeBeforeFrame()
    (self.frame, rejection) = (frame, nil)
    summary.advertisements += 1
    if options.wantsPackets { observe?(.packet(packet, time: now, frame: frame)) }
    teller?.hears(packet, frame: frame, at: now)
    settleClock(give(.radio(.heard(packet)), to: engine, station: Replay.station, at: now))
    if let rejection { summary.rejections.add(rejection, at: now) }
  }

  /// The answers of the capture's servers, where descriptions are asked for and the file does not say what came.
  mutating func beginStreams() {
    guard options.engine.descriptions == .fetch, !scene.hasOwnFile else { return }
    streams = ReplayedStreams()
    // A program of the capture may have asked much later; what nobody asked for keeps its place.
    var limits = options.engine.descriptionLimits
    (limits.patience, limits.asksBeyondLinks) = (.nanoseconds(.max), true)
    let places = ReplayedStreams.questionsMaximum
    (limits.queue.connectionsMaximum, limits.queue.connectionsPerHostMaximum) = (places, places)
    engine.pointee.fetchDescriptions(within: limits)
  }

  /// What the frame adds to the streams, and what the engine is told of that.
  private mutating func giveStreams(_ segment: ExtractedSegment?, of frame: CaptureFrame) {
    if let segment {
      streams?.take(segment, frame: frame.number) { scene.isEverybody || scene.isHeard(at: $0) }
    }
    while let signal = streams?.next() {
      self.frame = frame.number
      settleClock(give(.streams(signal), to: engine, station: Replay.station, at: now))
    }
  }

  private mutating func perform(_ signal: SceneNote.TimedSignal) {
    move(to: max(now, signal.time))
    if case .application(.adopt(let search, let socket)) = signal.signal {
      // The program that searched is beside the engine: its copies came to the engine like anybody's, and only here does
      // the file say whose socket that is.
      sockets.learnSearcher(socket)
      if scene.hasSearches {
        teller?.searched(search, from: socket, at: now)
      } else {
        teller?.listens(search, from: now)
      }
    }
    give(withOtherValues(signal.signal), to: engine, station: Replay.station, at: now)
  }

  /// What is due at the instant of a frame comes of time, not of the frame.
  mutating func wakeBeforeFrame() {
    if quietUntil > now { return }
    frame = nil
    settleClock(wakeIfDue(engine, station: Replay.station, at: now))
  }

  mutating func settleClock(_ deadline: Instant?) { quietUntil = min(deadline ?? .never, scene.nextTime) }

  private mutating func move(to time: Instant) {
    if now.nanoseconds == .min { now = time }
    // Reports made on the way carry the time of the wake, not of the frame; `settle` is told it.
    var clock = now
    settleClock(advance(engine, station: Replay.station, to: time, from: &clock))
    now = clock
  }

  /// Lets time run on behind the last frame, as far as the options or the file ask.
  mutating func runOut() {
    frame = nil
    guard now.nanoseconds > .min else { return }
    var end = now
    if let until = options.until { end = now + until } else if let planned = scene.end { end = max(now, planned) }
    while let signal = scene.nextSignal(until: end) { perform(signal) }
    move(to: end)
    teller?.tick(end)
    // What falls due at the very end still counts.
    wakeIfDue(engine, station: Replay.station, at: end)
  }

  /// What one file was like.
  mutating func conclude(
    _ extractor: borrowing DatagramExtractor, _ reader: borrowing CaptureReader, file: String? = nil
  ) {
    summary.frames += reader.frameCount
    for type in extractor.linkTypes { summary.count(type.linkType, frames: type.frames) }
    summary.captureProblems.conclude(extractor, reader, file: file)
  }

  /// What the engine holds at the end.
  mutating func close() {
    let counters = engine.pointee.counters
    summary.devicesEver = devicesEver.count
    summary.devicesPresent = engine.pointee.directory.count
    summary.openLeases = counters.openLeases
    summary.captureProblems.conclude(radio)
    summary.digest = gate.digest
    summary.entries = gate.entryCount
  }

  // MARK: - Which datagrams are discovery

  /// Why the datagram may be discovery, by its sockets; `nil`: it is not.
  func place(of datagram: ExtractedDatagram) -> Observation.Place? {
    sockets.place(from: datagram.source, to: datagram.destination)
  }

  func mayBeDiscovery(_ datagram: ExtractedDatagram) -> Bool { place(of: datagram) != nil }

  mutating func consider(_ datagram: ExtractedDatagram, of frame: CaptureFrame) {
    if let teller { tellMulticast(datagram, of: frame, teller) }
    if isOfServices(datagram) {
      return considerService(datagram, of: frame, sentByHost: scene.isSent(frame, by: datagram.source.address))
    }
    guard let place = place(of: datagram) else {
      if let teller { passUnasked(datagram, of: frame, teller) }
      return
    }
    consider(datagram, of: frame, at: place, sentByHost: scene.isSent(frame, by: datagram.source.address))
  }

  /// Digests of the names of all that was ever found: one that comes back is one.
  private var devicesEver: Set<UInt64> = []

  private mutating func count(_ report: borrowing Report) {
    guard case .found(let device) = copy report, devicesEver.count < 1 << 20 else { return }
    var digest = Digest()
    digest.combine(device.device)
    devicesEver.insert(digest.state)
  }

  // Reports that a datagram causes are shown after the message itself.
  var pending: [(Instant, Report)] = []
  var isHolding = false

  mutating func publishPending() {
    if pending.isEmpty { return }
    for (time, report) in pending { publish(report, at: time) }
    pending.removeAll(keepingCapacity: true)
  }

  // MARK: - What the engine wants

  package mutating func settle(station: UInt32, at now: Instant) {
    for position in 0..<outbox.count {
      if let datagram = outbox.datagram(at: position) {
        // A replay sends nothing.
        gate.sent(datagram, station: station, at: now, in: outbox.payloads)
        outbox.payloads.release(datagram.payload)
        continue
      }
      guard let report = outbox.takeReport(at: position) else {
        let effect = outbox[position]
        gate.wanted(effect, station: station, at: now)
        if case .streams(let wanted) = effect { streams?.want(wanted) }
        continue
      }
      gate.reported(report, station: station, at: now)
      count(report)
      if case .rejected(let why) = report {
        rejection = why
      } else if isHolding {
        pending.append((now, report))
      } else {
        publish(report, at: now)
      }
    }
    outbox.removeAll()
  }

  private mutating func publish(_ report: consuming Report, at time: Instant) {
    summary.reports += 1
    teller?.report(report, at: time, frame: frame)
    if let observeReport { return observeReport(report, time, frame) }
    observe?(.report(report, time: time, frame: frame))
  }
}

// What a story, where one is wanted, has of a replay.
extension Replay {
  func show(_ frame: CaptureFrame, to teller: StoryTeller) {
    if frame.hasTime { teller.tick(max(now, frame.time)) }
    teller.see(frame, number: frame.number)
  }
}
