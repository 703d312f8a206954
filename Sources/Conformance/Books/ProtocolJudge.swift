import RollcallPrimitives

/// The judge of one protocol, which knows its messages and remembers what it has to.
///
/// What it finds goes to books that all judges share. Everything comes in order of time.
protocol ProtocolJudge: ~Copyable {
  /// A message with its time and place: a datagram, or a packet of the air.
  associatedtype Message
  /// What the reader of a capture has to know of a message to go on.
  associatedtype Heard
  /// A message that was sent.
  mutating func hear(_ message: Message, _ books: inout Books) -> Heard
  /// A message that the engine of a trace heard and did not refuse.
  mutating func overhear(_ message: Message, _ books: inout Books)
  mutating func note(_ event: TraceEvent, _ books: inout Books)
  mutating func close(at end: Instant, _ books: inout Books)
  /// The name of a device by the number that a finding has.
  func device(_ number: Int32) -> String?
}

/// What judges write down: who was heard, and what was found.
package struct Books {
  package internal(set) var collector: FindingCollector
  var parties: PartyTable
  /// Datagrams that were judged, and those among them that no reader takes for a message.
  package internal(set) var messageCount = 0
  /// Advertising packets that were judged.
  package internal(set) var packetCount = 0
  /// Messages of multicast DNS that were judged.
  package internal(set) var multicastCount = 0
  package internal(set) var unreadableCount = 0
  /// Datagrams that the file holds in part: they are not judged.
  package internal(set) var cutCount = 0
  /// Those of which it was known what comes of them, since the same bytes came before.
  package internal(set) var knownCount = 0
  /// The time of the last of them.
  var last = Instant(nanoseconds: .min)

  init(hosts: [String], wanted: (Clause) -> Bool) {
    collector = FindingCollector(wanted: wanted)
    parties = PartyTable(hosts: hosts)
  }
}
