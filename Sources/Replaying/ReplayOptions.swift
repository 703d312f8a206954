package import RollcallCapture
package import RollcallDiscovery
package import RollcallPrimitives
package import RollcallTrace

/// How a capture is to be replayed.
package struct ReplayOptions: Sendable {
  /// Whose ears the engine has.
  package enum Perspective: Hashable, Sendable {
    /// It hears every discovery datagram of the file and adopts every search.
    case everybody
    /// It hears what this host heard and adopts its searches: addresses, or a name that the file gives to addresses.
    case host(String)
  }

  package var perspective: Perspective
  package var engine: EngineConfiguration
  /// How far time runs on after the last frame; `nil`: not at all, or to the end that a file of Rollcall's own states.
  package var until: Interval?
  /// Whether every UDP datagram is shown to the observer, too.
  package var wantsDatagrams: Bool
  /// Whether messages are shown to the observer; else only reports are.
  package var wantsMessages: Bool
  /// Whether packets of Bluetooth LE are shown to the observer, too.
  package var wantsPackets = false
  /// Frames that it does not let through are as if the file did not have them; only the clock sees them.
  package var filter: CaptureFilter?

  /// Whether services of multicast DNS are reported, those of all types, where neither `engine` nor the file says what
  /// is browsed.
  package var wantsServices = false

  /// How the searches of the capture are taken, if not as they were sent.
  package var searches: SearchOverride?

  package init(
    perspective: Perspective = .everybody, engine: EngineConfiguration = EngineConfiguration(), until: Interval? = nil,
    wantsDatagrams: Bool = false, wantsMessages: Bool = true, filter: CaptureFilter? = nil
  ) {
    self.perspective = perspective
    self.engine = engine
    self.until = until
    self.wantsDatagrams = wantsDatagrams
    self.wantsMessages = wantsMessages
    self.filter = filter
  }
}

/// Other values for the searches of a capture, so that a fix can be tried: what is `nil` stays as it was sent.
///
/// More copies than were sent cannot bring answers that are not in the file; they let a search listen longer.
package struct SearchOverride: Hashable, Sendable {
  package var maximumWaitSeconds: Int?
  package var broadcasts: Int?
  /// From one copy to the next; `nil`: MX.
  package var spacing: Interval?

  package init(maximumWaitSeconds: Int? = nil, broadcasts: Int? = nil, spacing: Interval? = nil) {
    (self.maximumWaitSeconds, self.broadcasts, self.spacing) = (maximumWaitSeconds, broadcasts, spacing)
  }
}

/// What a replay shows, in the order of the frames.
package enum ReplayEvent {
  /// The views are good until the call returns.
  case datagram(CaptureFrame, ExtractedDatagram)
  case message(Message)
  /// A packet of Bluetooth LE, before the engine is given it.
  case packet(RadioPDU, time: Instant, frame: Int)
  /// `frame` is the frame that caused it; `nil`: time did.
  case report(Report, time: Instant, frame: Int?)
}

/// What came of a replay.
package struct ReplaySummary: Sendable {
  package var frames = 0
  package var linkTypes: [(linkType: UInt32, frames: Int)] = []
  package var rejections = RejectionTally()
  package var reports = 0
  /// Packets of Bluetooth LE advertising that were given to the engine.
  package internal(set) var advertisements = 0
  package var devicesEver = 0
  package var devicesPresent = 0
  package var openLeases = 0
  /// What is wrong with the file, and how far it was read where that was not to its end.
  package internal(set) var captureProblems = CaptureProblems()
  package var problems: [CaptureProblems.Problem] { captureProblems.list }
  /// Set where the filter could not be used on a frame; the replay ended there.
  package var filterFailure: CaptureFilterError?
  package var digest = Digest()
  package var entries: UInt64 = 0
  /// Discovery messages by kind.
  var tally = MessageTally()
  private var serviceQueries = 0
  private var serviceResponses = 0

  package init() {}

  mutating func count(_ linkType: UInt32, frames: Int) {
    if let index = linkTypes.firstIndex(where: { $0.linkType == linkType }) {
      linkTypes[index].frames += frames
    } else {
      linkTypes.append((linkType, frames))
    }
  }
  /// A message of multicast DNS.
  mutating func countService(isResponse: Bool) {
    if isResponse { serviceResponses += 1 } else { serviceQueries += 1 }
  }

  /// Messages by kind, as JSON lines name them; zeros left out.
  package var messages: [(name: String, count: Int)] {
    var list = tally.list
    list += [("advertisement", advertisements), ("mdnsQuery", serviceQueries), ("mdnsResponse", serviceResponses)]
    return list.filter { $0.1 > 0 }.map { (name: $0.0, count: $0.1) }
  }

  package var messageCount: Int { messages.reduce(0) { $0 + $1.count } }
}
