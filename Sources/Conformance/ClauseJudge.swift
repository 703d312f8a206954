package import RollcallPrimitives
import RollcallWire

/// Judges what is heard on a network, clause by clause and party by party.
///
/// Give it observations and events in the order of time, then close it. Each protocol has a judge of its own; they
/// share the books. What is remembered is bounded.
///
/// The rules by which all of them judge: each sender is held to the edition of a standard that it claims. What a capture
/// may have dropped is at most inconclusive. The start of a capture is nobody's start. An answer belongs to all open
/// searches of its socket.
package struct ClauseJudge: ~Copyable {
  package let circumstances: Circumstances
  package private(set) var books: Books
  private var ssdp: SSDPJudge
  private var bluetooth = BluetoothJudge()
  private var multicast: MulticastJudge

  /// - Parameters:
  ///   - messagesRememberedMaximum: messages that are recognised when they come again; the same comes of them.
  ///   - wanted: which clauses are judged.
  package init(
    _ circumstances: Circumstances, messagesRememberedMaximum: Int = SSDPIntake.messagesMaximum,
    wanted: (Clause) -> Bool = { _ in true }
  ) {
    self.circumstances = circumstances
    books = Books(hosts: circumstances.hosts, wanted: wanted)
    multicast = MulticastJudge(circumstances)
    ssdp = SSDPJudge(circumstances, messagesRememberedMaximum: messagesRememberedMaximum, wanted: wanted)
  }

  package var collector: FindingCollector { books.collector }
  package var partyList: [Party] { books.parties.parties }

  /// The name of the device that a finding is about; `nil`: none.
  package func device(of finding: Finding) -> String? { ssdp.device(finding.device) }

  /// Whether a document that somebody fetched from a device tells it anything.
  package var hearsDescriptions: Bool { ssdp.hearsDescriptions }
  /// Whether such a document may come from this server: somebody announced one there.
  package func wants(documentsOf server: Endpoint) -> Bool { ssdp.wants(documentsOf: server) }

  /// Judges a datagram.
  @discardableResult
  package mutating func hear(_ observation: Observation) -> JudgedMessage { ssdp.hear(observation, &books) }

  /// Judges a packet of the air.
  package mutating func hear(_ packet: HeardPacket) { bluetooth.hear(packet, &books) }

  /// Judges a datagram of port 5353.
  package mutating func hear(multicastDNS observation: Observation) { multicast.hear(observation, &books) }

  /// Judges what a host in a trace makes of a datagram that it heard and did not refuse.
  package mutating func overhear(_ observation: Observation) {
    if observation.place == .port5353 { return multicast.overhear(observation, &books) }
    ssdp.overhear(observation, &books)
  }

  package mutating func note(_ event: TraceEvent) {
    ssdp.note(event, &books)
    multicast.note(event, &books)
  }

  /// - Parameter end: when the recording stopped; `nil`: with the last thing heard.
  package mutating func close(at end: Instant? = nil) {
    multicast.close(at: end ?? books.last, &books)
    ssdp.close(at: end ?? books.last, &books)
  }

  /// The edition of UDA that the first product `UPnP/x.y` of a text claims.
  package static func claim(in bytes: UnsafeRawBufferPointer) -> Edition? { SSDPJudge.claim(in: bytes) }
}
