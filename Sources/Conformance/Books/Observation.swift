package import RollcallPrimitives

/// One discovery datagram as a judge sees it, from a capture or from the trace of a run.
///
/// A view: bytes and index are good until the call returns that is given it.
package struct Observation {
  /// In a capture since the Unix epoch, in a run since its start; never earlier than the one before.
  package var time: Instant
  /// The frame of a capture or the entry of a trace, from 1.
  package var position: Int
  package var source: Endpoint
  package var destination: Endpoint
  /// The sender's interface in a trace, the recorder's in a capture.
  package var interface: InterfaceID
  /// Whether it was heard on a loopback interface; `nil`: not known.
  package var isOnLoopback: Bool?
  /// The number of the host that sent it, where that is known; −1: not.
  package var host: Int32
  package var hopLimit: UInt8
  /// What IPv4 numbers packets with, in a capture; −1: not known.
  package var identification: Int32
  /// How many IP fragments it came in.
  package var fragmentCount: Int
  /// Whether bytes that the wire had are missing in the file.
  package var isCut: Bool
  /// Why the datagram belongs to discovery.
  package var place: Place
  /// The payload; `PayloadStore.paddingBytes` more readable bytes follow.
  package var bytes: UnsafeRawBufferPointer

  package enum Place: UInt8, Hashable, Sendable, BitwiseCopyable {
    /// One of its ports is 1900.
    case port1900
    /// It goes to a socket that searched.
    case searcher
    /// It goes to a port that a device announced as its SEARCHPORT.
    case searchPort
    /// One of its ports is 5353.
    case port5353
  }

  package init(
    time: Instant, position: Int, source: Endpoint, destination: Endpoint, interface: InterfaceID = InterfaceID(0),
    isOnLoopback: Bool? = nil, host: Int32 = -1, hopLimit: UInt8 = 2, identification: Int32 = -1,
    fragmentCount: Int = 1, isCut: Bool = false, place: Place = .port1900, bytes: UnsafeRawBufferPointer
  ) {
    (self.time, self.position, self.source, self.destination) = (time, position, source, destination)
    (self.interface, self.isOnLoopback, self.host, self.hopLimit) = (interface, isOnLoopback, host, hopLimit)
    self.identification = identification
    (self.fragmentCount, self.isCut, self.place, self.bytes) = (fragmentCount, isCut, place, bytes)
  }
}

/// What else a judge may know: it stands in a trace, some of it in a capture.
package struct TraceEvent: Hashable, Sendable {
  package enum Deed: String, Hashable, Sendable, CaseIterable {
    case appear, leave, vanish, crash, reboot, move, relocate, update, reconfigure, rename, send
  }

  package enum Content: Hashable, Sendable {
    /// An interface of the host came, went or changed its addresses.
    case interface(InterfaceChange)
    /// The host was told to do this.
    case deed(Deed)
    /// The application of the host asked for a search of this number.
    case asked(search: UInt32)
    /// The application of the host began or ended to look for services.
    case browsed
    /// The application of the host could not reach a device: what is known of it may be asked for again.
    case doubted
    /// The application holds a device, or lets go of it.
    case holds(device: String)
    case lets(device: String)
    /// The host told its application.
    case told(Report)
    /// Somebody fetched a document.
    case described(HeardDescription)
  }

  package var time: Instant
  package var position: Int
  /// −1: not known.
  package var host: Int32
  package var content: Content
  /// The number of the UUID that it is about, worked out by the judge; −1: none.
  var device: Int32 = -1
  /// The number of the UUID that turned out to be a part of it; −1: none.
  var part: Int32 = -1

  package init(time: Instant, position: Int, host: Int32, _ content: Content) {
    (self.time, self.position, self.host, self.content) = (time, position, host, content)
  }
}

/// A document that somebody fetched from a device: what stands behind a URL that the device announced.
package struct HeardDescription: Hashable, Sendable {
  /// An absolute URL: as it was announced, or put together from address, port and path of a request.
  package var location: String
  /// When it was asked for; the time of the event is when the last byte was there.
  package var askedAt: Instant
  /// The whole body of the answer, codings taken off.
  package var body: [UInt8]

  package init(location: String, askedAt: Instant, body: [UInt8]) {
    (self.location, self.askedAt, self.body) = (location, askedAt, body)
  }
}

/// What may be concluded from what is not there.
package struct Circumstances: Hashable, Sendable {
  /// Whether every datagram that was sent is there: true of a run's whole trace, never of a foreign capture.
  package var isComplete: Bool
  /// Names of hosts, by number; empty in a capture.
  package var hosts: [String]

  package init(isComplete: Bool = false, hosts: [String] = []) {
    (self.isComplete, self.hosts) = (isComplete, hosts)
  }

  /// A capture made by somebody somewhere: packets may be missing, and its start is nobody's start.
  package static let capture = Circumstances()
}
