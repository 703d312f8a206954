import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallConformance

/// Bounds of the knowledge of hosts of a run, without a judge around it.
@Suite("Knowledge of hosts of a run") struct MulticastKnowledgeTests {
  private func observation(of host: Int32, at milliseconds: Int64) -> Observation {
    Observation(
      time: .zero + .milliseconds(milliseconds), position: 1, source: Endpoint(IPAddress(10, 0, 0, 1), port: 5_353),
      destination: .mdns(.v4), host: host, place: .port5353, bytes: UnsafeRawBufferPointer(start: nil, count: 0))
  }

  /// A host asks for an address.
  private func asked(_ name: DNSName, by host: Int32, at milliseconds: Int64 = 0) -> HeardMessage {
    let observation = observation(of: host, at: milliseconds)
    return HeardMessage(
      message: DNSMessage(flags: .query, questions: [DNSQuestion(name, .a)]), observation: observation,
      scene: FindingCollector.Scene(party: PartyID(0), claim: .rfc6762, time: observation.time, position: 1),
      speaker: Speaker(observation), link: LinkKey(number: 0, family: .v4), isComplete: true)
  }

  /// Whether it is noticed that a host asks again for an address that was answered.
  private func isFollowed(_ name: DNSName, by host: Int32, _ start: MulticastKnowledge) -> Bool {
    var (knowledge, collector) = (start, FindingCollector { _ in true })
    let lamp = IPAddress(10, 0, 0, 9)
    let answer = DNSRecord(name, .address(lamp), ttlSeconds: 120, isCacheFlush: true)
    knowledge.ask(asked(name, by: host), &collector)
    knowledge.overhear(
      DNSMessage(flags: .response, answers: [answer]), from: Speaker(host: -1, lamp), observation(of: host, at: 5),
      &collector)
    knowledge.ask(asked(name, by: host, at: 1_000), &collector)
    return collector.tally(.uniqueAnswerEnds, PartyID(0)).violated == 1
  }

  @Test("topics of all hosts are followed up to a bound, and those of a host that begins anew leave room")
  func topics() {
    let names = ["a.local", "b.local", "c.local"].map { DNSName($0)! }
    var knowledge = MulticastKnowledge(topicsMaximum: 2)
    var collector = FindingCollector { _ in true }
    /// Each name as the next one that host 2 asks for.
    func next() -> [Bool] { names.map { isFollowed($0, by: 2, knowledge) } }
    func begin(_ host: Int32) { knowledge.note(TraceEvent(time: .zero, position: 1, host: host, .browsed)) }
    knowledge.ask(asked(names[0], by: 1), &collector)
    expectEqual(next(), [true, true, true])
    knowledge.ask(asked(names[1], by: 2), &collector)
    expectEqual(next(), [false, true, false])
    begin(9)
    expectEqual(next(), [false, true, false], "a host without topics")
    begin(1)
    expectEqual(next(), [true, true, true])
    knowledge.ask(asked(names[2], by: 2), &collector)
    expectEqual(next(), [false, true, true])
  }

  @Test("a host that has sent nothing listens for nothing, and a querier for messages of others alone")
  func listens() {
    var knowledge = MulticastKnowledge()
    var collector = FindingCollector { _ in true }
    func heard() -> [Bool] { [false, true].map { knowledge.listens(1, isOwn: $0) } }
    expectEqual(heard(), [false, false])
    knowledge.ask(asked(DNSName("a.local")!, by: 1), &collector)
    expectEqual(heard(), [true, false])
  }
}
