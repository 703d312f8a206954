package import RollcallDiscovery
package import RollcallPrimitives
package import RollcallReporting
import RollcallWire

/// What happened in a capture, as far as the engine and the frames tell.
package struct Story: Sendable {
  /// The first frame; times for people count from it.
  package var start = Instant.zero
  package var end = Instant.zero
  package var frames = 0
  package var messages = 0
  /// Who was asked about; `nil`: everybody.
  package var party: StoryParty?
  /// In the order in which they were first heard.
  package var devices: [DeviceStory] = []
  /// In the order in which they were first heard.
  package var peripherals: [PeripheralStory] = []
  package var searches: [SearchStory] = []
  /// Messages of multicast DNS, whether they are kept or not.
  package var multicastCount = 0
  package var multicast: [MulticastStory] = []
  /// What the engine reported of services.
  package var services: [ServiceStoryEvent] = []
  /// What the files of a merged replay have in common; `nil` for one file.
  package var overlap: CaptureOverlap?
  /// Datagrams that made no device, by reason and sender, in the order in which each reason came up.
  package var unmade: [Unmade] = []
  /// Why somebody is no device for an application.
  package var findings: [StoryFinding] = []
  package var presence: Presence?
  package var probe: ProbeOutcome?
  /// What did not fit: a sentence and how often.
  package var cuts: [(what: String, count: Int)] = []
  /// What the engine made of the datagrams of `party`, in order.
  package var datagrams: [PartyDatagrams] = []
  package var names = FrameNames()
  /// Whether only the probe is told of.
  package var isProbeOnly = false

  package init() {}
}

/// Whom a story is asked about.
package enum StoryParty: Hashable, Sendable {
  case address(IPAddress)
  /// Without the scheme, in small letters.
  case uuid(String)
  /// Of a host or a service, by multicast DNS.
  case name(MulticastName)

  /// An address, or a UUID with or without its scheme.
  package init?(_ text: String) {
    if let address = IPAddress(text) {
      self = .address(address)
    } else if let uuid = StoryParty.uuidText(text) {
      self = .uuid(uuid)
    } else {
      return nil
    }
  }

  /// A name of multicast DNS, which any text may be.
  package init?(name: String) {
    guard let name = MulticastName(name) else { return nil }
    self = .name(name)
  }

  private static func uuidText(_ text: String) -> String? {
    let small = text.lowercased()
    if small.hasPrefix("uuid:"), small.utf8.count > 5 {
      return Array(small.utf8).withUnsafeBytes { bytes in
        USN.split(bytes).map { String(decoding: bytes[$0.uuid], as: UTF8.self) }
      }
    }
    let groups = small.split(separator: "-", omittingEmptySubsequences: false)
    let isStandard = groups.map(\.utf8.count) == [8, 4, 4, 4, 12] && groups.allSatisfy { $0.allSatisfy(\.isHexDigit) }
    return isStandard ? small : nil
  }

  package var description: String {
    switch self {
    case .address(let address): address.description
    case .uuid(let uuid): "uuid:" + uuid
    case .name(let name): name.description
    }
  }
}

/// One message that promised something, or took it back.
package struct Announcement: Hashable, Sendable {
  package var type: String
  /// NT or ST.
  package var target: String
  package var source: Endpoint
  package var frame: Int
  package var time: Instant
  /// What IPv4 numbers packets with; −1: not known.
  package var identification: Int32 = -1
  /// The lease that the engine gave for it; −1 where it gives none.
  package var leaseSeconds = -1
  /// The message had no max-age that could be read, or one beyond the engine's maximum.
  var isLeaseByDefault = false
  var isLeaseCut = false
}

/// Messages that renewed leases, one after the other.
package struct Renewals: Hashable, Sendable {
  /// Messages that renewed a lease, copies not counted.
  package var messages = 0
  /// Copies within moments of the same message, those that the network made not counted.
  package var copies = 0
  /// Those of them that answered a search.
  package var answers = 0
  /// Bursts, and the shortest and longest time from one to the next.
  package var rounds = 0
  package var gapLeast: Interval?
  package var gapMost: Interval?
  /// The tightest of all: what was left of the lease, of how many seconds, and when.
  package var marginLeast = Interval.zero
  var marginLeaseSeconds = 0
  package var marginFrame = 0
  var roundStart = Instant.zero
  var lastTime = Instant.zero
}

/// One thing in the life of a device.
package struct StoryEvent: Sendable {
  package enum What: Sendable {
    /// First heard, or heard again after it was lost; `partOf` is the device that its UUID belonged to before.
    case found(Announcement, location: String?, isReturn: Bool, partOf: String?)
    /// New leases and the repetitions of their messages.
    case leases(targets: [String], count: Int, repeats: Int, leaseSeconds: ClosedRange<Int>)
    case renewed(Renewals)
    case changed(Change, DeviceSighting)
    /// Lost and found at one instant, since the BOOTID differs.
    case rebooted(from: UInt32?, to: UInt32?, location: String?)
    /// With the message that ended it, or the last promise that ran out.
    case lost(LossCause, Announcement?)
    /// A byebye that ended a part, or the device on one of several paths.
    case partEnded(Announcement)
    /// A part became a device of its own.
    case parted(String)
    /// Services told to a search.
    case answered(search: Int, services: Int)
    /// Its LOCATION may not be fetched from.
    case locationRefused(String?, LocationVerdict)
    /// A message of this device that the engine refused or that said nothing.
    case ignored(UnmadeReason, type: String, source: IPAddress)
  }
  package var what: What
  package var time: Instant
  package var lastTime: Instant
  package var frames: FrameRanges
  package var count: Int
}

/// The life of one device.
package struct DeviceStory: Sendable {
  package var device: String
  package var source: IPAddress
  package var interface: InterfaceID
  package var location: String?
  package var events: [StoryEvent] = []
  /// Events that were not kept.
  package var cut = 0
  package var isPresent = true
  /// Whether a LOCATION was ever reported.
  var hadLocation = false
  /// When the last of its leases ends, as far as promises were kept; `nil`: not known.
  package var leaseEnd: Instant?
}

/// A search that a socket of the capture sent.
package struct SearchStory: Sendable {
  package var id: UInt32
  package var target: String
  package var source: Endpoint
  package var destination: Endpoint
  package var maximumWaitSeconds: Int
  package var start: Instant
  package var copies: Int
  package var frames: FrameRanges
  /// When it stopped or would stop listening.
  package var end: Instant
  package var hasEnded = false
  /// Services reached `services-per-search`; later ones were not told.
  package var isFull = false
  package var services = 0
  package var devices = 0
  /// Answers that came after it ended: how many, and by how much.
  package var lateCount = 0
  package var lateLeast = Interval.zero
  package var lateMost = Interval.zero
  package var lateFrames = FrameRanges()
  /// Answers with a target that it did not ask for.
  package var otherTargetCount = 0
  /// Why the engine did not take it.
  package var failure: String?
  var lastCopy: Instant
  /// Of the latest copy: the socket that it left, and what IPv4 numbers its packet with.
  var lastSource: Endpoint
  var lastIdentification: Int32
  var deviceNames: [String] = []
}

/// Why a datagram made no device.
package enum UnmadeReason: Hashable, Sendable {
  case refused(RejectionReason)
  /// A limit of the engine; what it is called there.
  case bound(String)
  case late(search: UInt32)
  case wrongTarget(asked: [String], answered: String)
  /// An answer to a socket that no search of the capture left from.
  case nobodyAsked(Endpoint)
  case byebyeOfNothing
  /// It comes from an address that the device has left, behind what the device said elsewhere.
  case byebyeOvertaken
  case updateOfNothing
  /// Sent by the engine's own host.
  case own
  /// An M-SEARCH of somebody else.
  case otherSearch
  /// Sent to somebody else than the host that the replay is.
  case notHeard(IPAddress)

  /// The name in JSON lines.
  package var name: String {
    switch self {
    case .refused: "refused"
    case .bound: "bound"
    case .late: "late"
    case .wrongTarget: "wrongTarget"
    case .nobodyAsked: "nobodyAsked"
    case .byebyeOfNothing: "byebyeOfNothing"
    case .byebyeOvertaken: "byebyeOvertaken"
    case .updateOfNothing: "updateOfNothing"
    case .own: "own"
    case .otherSearch: "otherSearch"
    case .notHeard: "notHeard"
    }
  }
}

/// Datagrams of one sender that made no device, for one reason.
package struct Unmade: Sendable {
  package var reason: UnmadeReason
  package var type: String
  package var source: IPAddress
  /// Without the scheme; empty where the message names none.
  package var uuid: String
  package var frames: FrameRanges
  package var count: Int
  package var time: Instant
  package var lastTime: Instant
  /// Where the reader or the engine stumbled, least and most; `nil` where no byte is to blame.
  package var offsets: ClosedRange<Int>?
  /// Bytes around the first offset.
  package var excerpt: String?
  /// How late, for `late`.
  package var lateness: ClosedRange<Interval>?
}

/// An answer to "it is not found".
package struct StoryFinding: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    case neverAnnounced, unusableLocation, late, refused, wrongTarget, nobodyAsked, bound, byebyeOnly, searchesOnly
    case notHeard, notOnNetwork, own, found, multicastOnly
  }
  package var kind: Kind
  /// A UUID with its scheme, an address, or a name of multicast DNS.
  package var party: String
  package var source: IPAddress?
  /// A sentence.
  package var text: String
  package var frames: FrameRanges
}

/// What the frames show of an address, SSDP or not.
package struct Presence: Sendable {
  /// Frames with IP packets or ARP from this address, and to it.
  package var sent = 0
  package var received = 0
  /// Frames of links and tunnels in which no addresses are looked for.
  package var unread = 0
  /// Its frames that joined or left the SSDP group.
  package var joins = FrameRanges()
  package var leaves = FrameRanges()
  /// SSDP messages that it sent, by kind.
  package var messages: [(name: String, count: Int)] = []
  /// Messages of multicast DNS that it sent.
  package var multicast = 0

  package init() {}
}
