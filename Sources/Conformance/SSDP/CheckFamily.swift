package import RollcallPrimitives

/// Checks that look at the same thing: one file, one value with whatever it has to remember.
///
/// A family never asks whether a clause is wanted or whether it binds the sender: the collector knows. What it remembers
/// is bounded, and it makes no text before there is a finding.
package protocol CheckFamily: SendableMetatype {
  /// The clauses that it judges; no other family judges them.
  static var clauses: [ClauseID] { get }

  /// Whether what it says of a datagram follows from its bytes, the claim of its sender, how many fragments it came in
  /// and where it went (of an answer: by which family of addresses, and whether to many), and from nothing before it.
  /// It hears nothing but datagrams then, and is not asked again about a message that comes again.
  static var judgesMessagesAlone: Bool { get }

  init(_ circumstances: Circumstances)

  /// A datagram, in the order of time.
  mutating func hear(_ context: MessageContext, _ collector: inout FindingCollector)
  /// A datagram that a control point heard and did not refuse; `context.party` is the control point.
  mutating func overhear(_ context: MessageContext, _ collector: inout FindingCollector)
  /// A document that it wanted.
  mutating func hear(_ document: HeardDocument, _ collector: inout FindingCollector)
  /// Whether it wants to know a document from this URL: reading one costs time.
  mutating func wants(documentFrom location: UnsafeRawBufferPointer) -> Bool
  /// Whether such documents may come from this server.
  func wants(documentsOf server: Endpoint) -> Bool
  /// Anything else that is known.
  mutating func note(_ event: TraceEvent, _ collector: inout FindingCollector)
  /// Nothing more will come.
  mutating func close(at end: Instant, _ collector: inout FindingCollector)
}

extension CheckFamily {
  package static var judgesMessagesAlone: Bool { false }
  package mutating func overhear(_ context: MessageContext, _ collector: inout FindingCollector) {}
  package mutating func hear(_ document: HeardDocument, _ collector: inout FindingCollector) {}
  package mutating func wants(documentFrom location: UnsafeRawBufferPointer) -> Bool { false }
  package func wants(documentsOf server: Endpoint) -> Bool { false }
  package mutating func note(_ event: TraceEvent, _ collector: inout FindingCollector) {}
  package mutating func close(at end: Instant, _ collector: inout FindingCollector) {}
}
