import RollcallExpectations
import RollcallPrimitives
import Testing

/// What nearby peers are asked and told, as ports and people have it.
@Suite struct PeerPortTests {
  @Test func `every act of a nearby peer has a text and a digest of its own`() {
    expectDistinct(
      PeerAct.allCases.map { Command.act(.peer($0)) } + [.act(.appear), .act(.leave), .act(.send(script: 11))])
    expectEqual(Act.peer(.newIdentity).text, "new-identity")
  }

  @Test func `every event of every peer has a text and a digest of its own`() {
    var events: [PeerReport.Event] = [
      .lost, .invitationEnded, .connecting, .connected, .notConnected, .found(info: []), .found(info: [""]),
      .found(info: ["a=1", "b=2"]), .found(info: ["b=2", "a=1"]), .found(info: ["a=1 b=2"]),
      .invited(contextByteCount: nil),
      .invited(contextByteCount: 0), .invited(contextByteCount: 7), .disorder(expected: 1, found: 2),
      .disorder(expected: 2, found: 1),
    ]
    for isReliable in [true, false] {
      for counts in [(1, 2, 3), (2, 1, 3), (3, 2, 1), (0, 1, 0)] {
        events.append(.message(byteCount: counts.0, count: counts.1, total: counts.2, isReliable: isReliable))
      }
    }
    for isIncoming in [true, false] {
      for ending in PeerReport.Ending.allCases {
        for byteCount in [0, 1] {
          events.append(.streamEnded(isIncoming: isIncoming, byteCount: byteCount, ending))
          events.append(.fileEnded(isIncoming: isIncoming, byteCount: byteCount, ending))
        }
      }
    }
    events += PeerReport.Refusal.allCases.map { .refused($0) }
    expectDistinct(events.map { Report.nearby(PeerReport("peer:a", peer: "peer:b", named: "Ann's phone", $0)) })
    let names = ["peer:a", "", "-", "a b", "ü\n", "\u{202E}"]
    let triples = names.flatMap { one in names.flatMap { other in names.map { (one, other, $0) } } }
    expectDistinct(triples.map { Report.nearby(PeerReport($0.0, peer: $0.1, named: $0.2, .connected)) })
  }
}
