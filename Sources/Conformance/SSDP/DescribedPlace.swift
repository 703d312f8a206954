import RollcallPrimitives

/// A URL where a description is: what was announced with it, and what was fetched from there.
struct DescribedPlace: AdvertLane {
  /// A message that names this URL.
  struct Slot: AdvertSlot {
    /// What is known of it beside the present document.
    enum State: UInt8 { case open, pending, judged }

    var advert: Int32
    var uuid: Int32
    var target: Target
    /// Whether USN goes with NT or ST.
    var isPaired: Bool
    var scene: FindingCollector.Scene
    /// When it stands no more, unless it comes again.
    var expiry: Instant
    var state = State.open
    /// The document that it was compared with; 0: none.
    var serial = 0
  }

  /// A document under the CONFIGID that was announced with it.
  struct Version {
    var root: Int32
    var configID: Int64
    var elementsHash: UInt64
    var wholeHash: UInt64
    /// `configId` in the document; −1: none.
    var attribute: Int64
  }

  static let versionsMaximum = 16

  /// Where it is served.
  var server: Endpoint?
  var slots: [Slot] = []
  var cursor = 0
  var document: ReadDescription?
  /// 1, 2, … for documents that differ from the one before or came after something happened.
  var serial = 0
  var askedAt = Instant.zero
  var at = Instant.zero
  /// Whether something happened after which the document may be another.
  var isStale = false
  /// Documents by CONFIGID, the latest last.
  var versions: [Version] = []
  /// The last document, until it is known that CONFIGID stayed as it was.
  var open: Version?

  var presentDocument: ReadDescription? { isStale ? nil : document }
}

/// What one UUID announces, wherever it does so.
struct DescribedDevice {
  static let placesMaximum = 8
  static let announcedMaximum = 128

  var host: Int32 = -1
  var places: [Int32] = []
  var scene = FindingCollector.Scene(party: PartyID(-1), claim: .uda10, time: .zero, position: 0)
  /// What it announced by multicast.
  var announced: [Target] = []
  var lastAlive = Instant.never
  var leaseSeconds: Int32 = -1
  /// Whether a burst of announcements was heard to its end.
  var hasWholeSet = false
  /// CONFIGID as it was heard last, and since when; −1: never.
  var configID: Int64 = -1
  var configSince = Instant.zero
  /// Whether it was told to change its description, and has not spoken since.
  var isChanging = false

  /// Bursts that are over count, one that may go on does not.
  mutating func endBurst(at now: Instant) {
    guard lastAlive != .never else { return }
    if now - lastAlive > SetLane.burstGap(leaseSeconds) { hasWholeSet = true }
  }

  func hasAnnounced(_ service: Target) -> Bool {
    // A version that is none makes the type a text that is compared as it is.
    announced.contains { $0.number == service.number || $0.stem >= 0 && $0.stem == service.stem }
  }
}
