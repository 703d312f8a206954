package import RollcallDiscovery
package import RollcallPrimitives
import RollcallTrace
package import RollcallWire

/// Listens to a replay and gathers its story: what the engine made of every datagram, and why.
///
/// What the engine reports it takes from the engine; what the engine does not say (how late an answer was, how much of
/// a lease was left) it works out from the same bytes and times. Everything is bounded; what was cut is counted.
package final class StoryTeller {
  /// The most that is kept of a capture, however much is sent.
  package struct Bounds: Sendable {
    package var devices = 4_096
    package var eventsPerDevice = 256
    package var searches = 4_096
    package var groups = 4_096
    package var parties = 8_192
    package var promises = 65_536
    package var datagrams = 1_024
    package var fates = 1_000_000
    package var multicastMessages = 8_192
    package init() {}
  }

  let party: StoryParty?
  let bounds: Bounds
  let configuration: EngineConfiguration
  var story = Story()
  var hasStarted = false

  var lives: [Life] = []
  var lifeByName: [String: Int] = [:]
  var peripheralByName: [String: Int] = [:]
  var multicast = MulticastMemory()
  /// Services that belong to the name which was asked about.
  var askedServices: Set<DeviceName> = []
  var promiseCount = 0
  var searchByID: [UInt32: Int] = [:]
  var searchesBySocket: [Endpoint: [Int]] = [:]
  var groupByKey: [GroupKey: Int] = [:]
  var parties: [Party] = []
  var partyByName: [PartyKey: Int] = [:]
  var cuts: [(what: String, count: Int)] = []
  /// The message that the engine is being given.
  var current: Hearing?
  /// What the engine made of the datagrams of the party that was asked about.
  var datagrams: [PartyDatagrams] = []
  /// An address whose frames are looked for.
  let watched: IPAddress?
  let probe: Probe?
  var isProbed = false
  /// For comparisons: what was made of each datagram, and of the one with this number in words.
  package var keepsFates = false
  package var fates: [Fate] = []
  package var watchedFrame: Int?
  package var watchedMade: [String] = []
  package var watchedMulticast: WatchedMulticast?
  /// The packets of Bluetooth LE in the frame that is watched.
  package var watchedPackets: [(packet: RadioPDU, time: Instant)] = []

  package init(
    party: StoryParty? = nil, configuration: EngineConfiguration, probe: Probe? = nil, bounds: Bounds = Bounds()
  ) {
    self.party = party
    self.probe = probe
    self.configuration = configuration
    self.bounds = bounds
    if case .address(let address) = party { watched = address } else { watched = nil }
    if watched != nil { story.presence = Presence() }
  }

  /// A device with what is needed to tell of its next message.
  struct Life {
    var story: DeviceStory
    var promises: [PromiseKey: Announcement] = [:]
    /// The party that was asked about announced it, or answered for it.
    var isAsked = false
    var bootID: UInt32?
    /// When it was lost; `nil` while it is there, and where it goes on in its root.
    var goneAt: Instant?
    /// It turned out to be a part of another one.
    var isUnited = false
    /// The UUID that was asked about was a part of it, and is a device of its own now.
    var isLeft = false
    /// The events that tell of a LOCATION that may not be used.
    var refusedLocations: [Int] = []
  }

  struct PromiseKey: Hashable {
    var usn: [UInt8]
    var target: [UInt8]
    var family: IPAddress.Family
    var interface: InterfaceID
  }

  /// The datagram of port 5353 in the frame that is watched.
  package struct WatchedMulticast: Sendable {
    package var bytes: [UInt8]
    package var source: Endpoint
    package var destination: Endpoint
    package var time: Instant
  }

  struct GroupKey: Hashable {
    var reason: UnmadeReason
    var type: String
    var source: IPAddress
    var uuid: String
  }

  enum PartyKey: Hashable {
    case uuid(String)
    case source(IPAddress)
  }

  /// A UUID or an address that some message named.
  struct Party {
    var key: PartyKey
    var source: IPAddress
    var frames: FrameRanges
    var madeDevice = false
    /// The life of the device that a UUID belonged to, by its latest message; `nil`: none that is kept.
    var life: Int?
    var searches = 0
    var others = 0
  }

  /// One message on its way through the engine, with everything that is wanted of it afterwards.
  package struct Hearing {
    var frame: Int
    var time: Instant
    var source: Endpoint
    var destination: Endpoint
    var interface: InterfaceID
    /// What IPv4 numbers packets with; −1: not known.
    package var identification: Int32 = -1
    /// What the host of the replay sent itself, and the engine is not given.
    var isOwn: Bool
    /// `nil`: it could not be read.
    package var kind: SSDPKind?
    package var usn: [UInt8] = []
    var target: [UInt8] = []
    var location: [UInt8] = []
    var hasLocation = false
    var maximumAgeSeconds = -1
    /// Without the scheme, in small letters; empty where the USN names none.
    var uuid = ""
    var before = Standing()
    /// Leases of the engine before it.
    var openLeases = 0
    /// After it: the lease that it has now, and what the engine says of its LOCATION.
    var leaseSeconds = -1
    var verdict = LocationVerdict.usable
    var rejection: Rejection?
    /// Bytes of the payload, for the place where the engine stumbled.
    package var payload: [UInt8] = []

    var type: String { kind?.name ?? "unknown" }
    var targetText: String { Hearing.text(target) }

    /// Text to keep: a hostile capture has names of 60 kB, and no story needs them.
    static func text(_ bytes: [UInt8]) -> String {
      bytes.count <= textBytesMaximum
        ? SSDPText.text(bytes) : SSDPText.text(Array(bytes.prefix(textBytesMaximum))) + "…"
    }
    static let textBytesMaximum = 512

    /// The UUID that a USN names, as in `uuid`.
    static func uuid(of usn: [UInt8]) -> String {
      usn.withUnsafeBytes { bytes in
        USN.split(bytes).map { text(Array(bytes[$0.uuid])).lowercased() } ?? ""
      }
    }

    package init(
      frame: Int, time: Instant, source: Endpoint, destination: Endpoint, interface: InterfaceID, isOwn: Bool
    ) {
      (self.frame, self.time, self.interface, self.isOwn) = (frame, time, interface, isOwn)
      (self.source, self.destination) = (source, destination)
    }

    package mutating func read(_ message: SSDPMessage) {
      kind = message.kind
      func bytes(_ field: SSDPField) -> [UInt8] { message.value(of: field).map { Array($0) } ?? [] }
      usn = bytes(.usn)
      target = bytes(message.kind == .response || message.kind == .search ? .st : .nt)
      location = bytes(.location)
      hasLocation = message.has(.location)
      maximumAgeSeconds = Int(message.index.pointee.maxAgeSeconds)
      uuid = Hearing.uuid(of: usn)
    }
  }

  func cut(_ what: String) {
    if let index = cuts.firstIndex(where: { $0.what == what }) {
      cuts[index].count += 1
    } else {
      cuts.append((what, 1))
    }
  }
}

// What a replay tells it.
extension StoryTeller {
  /// The clock of the capture stands here now.
  package func tick(_ now: Instant) {
    if !hasStarted {
      hasStarted = true
      story.start = now
    }
    story.end = max(story.end, now)
    if probe != nil {
      probe(upTo: now)
      story.probe?.captureEnd = now
    }
  }

  /// A message is about to be given to the engine, or, if the host sent it itself, not to be. What is due at its instant
  /// has been told.
  package func hears(_ hearing: Hearing, _ engine: borrowing DiscoveryEngine) {
    var hearing = hearing
    story.messages += 1
    if !hearing.usn.isEmpty {
      hearing.before = engine.standing(
        usn: hearing.usn, target: hearing.target, hearing.source.address.family, on: hearing.interface)
      hearing.openLeases = engine.counters.openLeases
    }
    current = hearing
  }

  /// The engine has it; these are the reports that it caused, not yet told.
  package func heard(_ rejection: Rejection?, _ reports: [(Instant, Report)], _ engine: borrowing DiscoveryEngine) {
    guard var hearing = current else { return }
    hearing.rejection = rejection
    note(hearing)
    if let rejection {
      refused(hearing, rejection)
    } else if hearing.isOwn {
      unmade(.own, hearing)
    } else {
      switch hearing.kind {
      case .notifyAlive, .response: announced(hearing, reports, engine)
      case .notifyByebye: revoked(hearing, reports, engine)
      case .notifyUpdate: updated(hearing, reports)
      case .search: unmade(.otherSearch, hearing)
      case .notifyOther, nil: break
      }
    }
  }

  /// A discovery datagram that the host of the replay did not hear, since it went to somebody else.
  package func passedBy(_ hearing: Hearing) {
    story.messages += 1
    note(hearing)
    unmade(.notHeard(hearing.destination.address), hearing)
  }

  /// What looks like an answer came to a socket that no search left from.
  package func passedUnasked(_ hearing: Hearing) {
    story.messages += 1
    note(hearing)
    unmade(.nobodyAsked(hearing.destination), hearing)
  }

  package func overlaps(_ overlap: CaptureOverlap) { story.overlap = overlap }

  // MARK: Searches

  /// A copy of a search left a socket.
  /// - Parameters:
  ///   - destination: `nil`: the group.
  ///   - frame: `nil`: a signal alone tells of it.
  ///   - identification: what IPv4 numbers its packet with; −1: not known.
  ///   - isRepeated: another file showed the same datagram before.
  package func searched(
    _ search: Search, from socket: Endpoint, to destination: Endpoint? = nil, frame: Int? = nil,
    identification: Int32 = -1, isRepeated: Bool = false, at now: Instant
  ) {
    let wait = Search.capturedWaitSeconds(search.maximumWaitSeconds)
    let end = now + search.capturedListening
    let index: Int
    if let known = searchByID[search.id.number] {
      index = known
      let last = story.searches[index]
      let isNetworkCopy =
        frame != nil && last.lastSource == socket
        && NetworkCopy.isCopy(identification, of: last.lastIdentification, after: now - last.lastCopy)
      if !isRepeated, !isNetworkCopy { story.searches[index].copies += 1 }
      story.searches[index].lastCopy = now
      story.searches[index].lastSource = socket
      story.searches[index].lastIdentification = identification
      story.searches[index].end = max(last.end, end)
    } else {
      guard story.searches.count < bounds.searches else { return cut("searches") }
      index = story.searches.count
      searchByID[search.id.number] = index
      let group: IPAddress = socket.address.family == .v4 ? .ssdpGroup4 : .ssdpGroup6
      story.searches.append(
        SearchStory(
          id: search.id.number, target: Hearing.text(Array(search.target.utf8)), source: socket,
          destination: destination ?? Endpoint(group, port: 1_900), maximumWaitSeconds: wait, start: now, copies: 1,
          frames: FrameRanges(), end: end, lastCopy: now, lastSource: socket, lastIdentification: identification))
    }
    if let frame { story.searches[index].frames.add(frame) }
    if searchesBySocket[socket]?.contains(index) != true { searchesBySocket[socket, default: []].append(index) }
  }

  /// A copy that nobody sent, asked for by the options: the search listens longer.
  package func listens(_ search: Search, from now: Instant) {
    guard let index = searchByID[search.id.number] else { return }
    let end = now + search.capturedListening
    story.searches[index].end = max(story.searches[index].end, end)
  }

  // MARK: Reports

  package func report(_ report: Report, at time: Instant, frame: Int?) {
    switch report {
    case .found(let sighting) where sighting.provider == .bluetooth,
      .changed(let sighting, _) where sighting.provider == .bluetooth:
      peripheral(sighting.device, report, at: time, frame: frame)
    case .lost(let device, _) where ProviderID(ofDevice: device) == .bluetooth:
      peripheral(device, report, at: time, frame: frame)
    case .found(let sighting) where sighting.provider == .peers,
      .changed(let sighting, _) where sighting.provider == .peers:
      service(report, at: time, frame: frame)
    case .lost(let device, _) where ProviderID(ofDevice: device) == .peers: service(report, at: time, frame: frame)
    case .found(let sighting): found(sighting, at: time)
    case .changed(let sighting, let change): changed(sighting, change, at: time, frame: frame)
    case .lost(let device, let cause): lost(device, cause, at: time, frame: frame)
    case .service(let service): served(service, at: time, frame: frame)
    case .searchEnded(let outcome):
      guard let index = searchByID[outcome.search.number] else { return }
      story.searches[index].hasEnded = true
      story.searches[index].end = time
    case .failed(let failure):
      // Where one copy could not be sent the search goes on, and so does one whose number was asked for again.
      guard failure.reason != .cannotSend, failure.reason != .searchIdUsed, let id = failure.search,
        let index = searchByID[id.number]
      else { return }
      story.searches[index].failure = failure.explanation
      story.searches[index].hasEnded = true
      story.searches[index].end = time
    default: break
    }
  }
}
