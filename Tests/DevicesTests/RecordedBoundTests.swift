import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("Recorded hosts at the ends of their recording") struct RecordedBoundTests {
  private func on(_ plan: Recorded.Plan, _ addresses: [SignalValue] = [up(0, "192.168.1.20")]) -> Bench<Recorded> {
    var host = Bench(Recorded(plan))
    for signal in addresses { host.receive(signal) }
    host.act(.appear)
    return host
  }
  /// `milliseconds text` of each message.
  private func said(_ host: Bench<Recorded>) -> [String] {
    host.sent.map { "\($0.at.nanoseconds / 1_000_000) \($0.text)" }
  }
  private func bytes(_ texts: String...) -> [[UInt8]] { texts.map { Array($0.utf8) } }

  @Test("each round has the pace of its own, the last one goes on, and what a pace does not say comes with its end")
  func paces() {
    var plan = Recorded.Plan()
    plan.utterances = [
      Recorded.Utterance(
        messages: bytes("a", "b", "c"), starts: [.milliseconds(10), .milliseconds(100)],
        thenEvery: .milliseconds(50), paces: [[.zero, .milliseconds(2)], [.milliseconds(1)]])
    ]
    var host = on(plan)
    host.run(for: .milliseconds(210))
    expectEqual(
      said(host),
      [
        "10 a", "12 b", "12 c", "101 a", "101 b", "101 c", "151 a", "151 b", "151 c", "201 a", "201 b", "201 c",
      ])
    let utterance = plan.utterances[0]
    for (round, times) in [[10, 12, 12, 12], [101, 101, 101, 101], [151, 151, 151, 151]].enumerated() {
      let offsets = (0..<4).compactMap { utterance.offset(round: round, message: $0) }
      expectEqual(offsets, times.map { Interval.milliseconds(Int64($0)) })
    }
    plan.utterances[0].thenEvery = nil
    plan.utterances[0].paces = []
    var brief = on(plan)
    brief.run(for: .seconds(5))
    expectEqual(said(brief), ["10 a", "10 b", "10 c", "100 a", "100 b", "100 c"])
    #expect(brief.machine.deadline == nil && brief.machine.sentCount == 6)
    plan.utterances[0].paces = [[.milliseconds(-3), .milliseconds(4), .milliseconds(2)]]
    plan.utterances[0].starts = [.zero, .milliseconds(3)]
    // Nothing is said before what stands before it in its set, and no round begins before the last one is over.
    var hasty = on(plan)
    hasty.run(for: .seconds(5))
    expectEqual(said(hasty), ["0 a", "4 b", "4 c", "4 a", "7 b", "7 c"])
    plan.utterances[0].starts = []
    expectEqual(on(plan).machine.deadline, nil)
    plan.utterances = [Recorded.Utterance(messages: [], starts: [.zero], thenEvery: .zero)]
    expectEqual(on(plan).machine.deadline, nil)
    plan.utterances = [Recorded.Utterance(messages: bytes("a"), starts: [.zero], thenEvery: .zero)]
    var storm = on(plan)
    storm.run(for: .milliseconds(3))
    expectEqual(said(storm), ["0 a", "1 a", "2 a", "3 a"])
  }

  @Test("at one moment utterances come before answers, each in the order of the plan")
  func ties() {
    var plan = Recorded.Plan()
    plan.utterances = ["a", "b"].map {
      Recorded.Utterance(messages: [Array($0.utf8)], starts: [.milliseconds(5), .milliseconds(7)])
    }
    plan.answers = ["x", "y"].map {
      Recorded.Answer(
        target: Array("t".utf8), messages: [Array($0.utf8)],
        replies: [Recorded.Answer.Reply(search: 1, delays: [.milliseconds(5), .milliseconds(6)])])
    }
    var host = on(plan)
    host.hear(search("t"))
    host.run(for: .seconds(1))
    // The second delay has no message.
    expectEqual(said(host), ["5 a", "5 b", "5 x", "5 y", "7 a", "7 b"])
  }

  @Test("it speaks once, from its first link in the family of whom it speaks to, or for the engine's host")
  func links() {
    func way(_ addresses: [SignalValue], _ destination: Endpoint?, _ engine: [IPAddress] = []) -> [String] {
      var plan = Recorded.Plan()
      plan.speaksAs = engine
      plan.utterances = [
        Recorded.Utterance(
          messages: bytes("a"), starts: [.zero], destination: destination, sourcePort: 7, hopLimit: 9)
      ]
      var host = on(plan, addresses)
      host.run(for: .seconds(1))
      #expect(host.others.isEmpty)
      return host.sent.map { "\($0.interface.number) \($0.source) \($0.destination) \($0.hopLimit)" }
    }
    let (v4, v6) = (Endpoint(IPAddress(10, 0, 0, 1), port: 5), Endpoint(IPAddress("fe80::9")!, port: 6))
    let both = [up(0, "192.168.1.20", "fe80::20"), up(1, "10.0.0.7")]
    let engine = [IPAddress("fe80::1")!, IPAddress(192, 168, 1, 2), IPAddress(192, 168, 1, 3)]
    let group = "239.255.255.250:1900"
    expectEqual(way(both, nil), ["0 192.168.1.20:7 \(group) 9"])
    expectEqual(way([down(0), up(1, "10.0.0.7")], nil), ["1 10.0.0.7:7 \(group) 9"])
    expectEqual(way([up(0, "fe80::20"), up(1, "10.0.0.7")], nil), ["0 [fe80::20]:7 [ff02::c]:1900 9"])
    expectEqual(way(both, v4), ["0 192.168.1.20:7 10.0.0.1:5 9"])
    expectEqual(way(both, v6), ["0 [fe80::20]:7 [fe80::9]:6 9"])
    expectEqual(way([up(1, "10.0.0.7")], v6), [])
    expectEqual(way(both, nil, engine), ["0 192.168.1.2:7 \(group) 9"])
    expectEqual(way(both, v6, engine), ["0 [fe80::1]:7 [fe80::9]:6 9"])
    expectEqual(way(both, nil, [engine[0]]), ["0 192.168.1.20:7 \(group) 9"])
  }

  @Test("searches are counted by target, from its appearance on, and answered out of the link where they came in")
  func searches() {
    var plan = Recorded.Plan()
    plan.answers = [
      Recorded.Answer(
        target: Array("t".utf8), messages: bytes("one", "two"),
        replies: [
          Recorded.Answer.Reply(search: 1, delays: [.milliseconds(2), .milliseconds(-1)]),
          Recorded.Answer.Reply(search: 2, delays: [.milliseconds(3)]),
        ], sourcePort: 7),
      Recorded.Answer(
        target: Array("t".utf8), messages: bytes("more"),
        replies: [Recorded.Answer.Reply(search: 3, delays: [.milliseconds(4)])]),
    ]
    var host = Bench(Recorded(plan))
    for signal in [up(0, "192.168.1.20"), up(1, "10.0.0.7")] { host.receive(signal) }
    host.hear(search("t"))
    #expect(host.machine.deadline == nil && host.others.isEmpty)
    host.act(.appear)
    expectEqual(host.others.map(\.effect), [.join(.ssdp(.v4), InterfaceID(0)), .join(.ssdp(.v4), InterfaceID(1))])
    for _ in 1...4 {
      for other in ["T", "tt", ""] { host.hear(search(other)) }
      host.hear(search("t", mx: nil, man: nil), to: Endpoint(IPAddress(10, 0, 0, 7), port: 1_900), on: 1)
      // It is on already.
      host.act(.appear)
      host.run(for: .milliseconds(100))
    }
    expectEqual(said(host), ["0 two", "2 one", "103 one", "204 more", "304 more"])
    let ways = host.sent.map { "\($0.interface.number) \($0.source) \($0.destination) \($0.hopLimit)" }
    expectEqual(
      ways, [7, 7, 7, 1_900, 1_900].map { port in "1 10.0.0.7:\(port) 192.168.1.9:50000 64" })
    host.sent = []
    host.hear(search("t"))
    host.act(.leave)
    expectEqual(host.machine.deadline, nil)
    host.hear(search("t"))
    host.act(.appear)
    host.hear(search("t"), on: 1)
    host.receive(down(1))
    host.hear(search("t"))
    host.run(for: .seconds(1))
    // The first search is counted anew; its answers have lost their link.
    expectEqual(said(host), ["403 one"])
  }

  @Test("a host with answers asks for its groups again when a link comes, one without for none")
  func groups() {
    var plan = Recorded.Plan()
    plan.utterances = [Recorded.Utterance(messages: bytes("a"), starts: [.seconds(1)])]
    var silent = on(plan)
    silent.receive(up(1, "10.0.0.7"))
    #expect(silent.others.isEmpty)
    plan.answers = [Recorded.Answer(target: Array("t".utf8), messages: bytes("x"), replies: [])]
    var host = on(plan)
    host.receive(up(1, "10.0.0.7"))
    let (first, second) = (Effect.join(.ssdp(.v4), InterfaceID(0)), Effect.join(.ssdp(.v4), InterfaceID(1)))
    expectEqual(host.others.map(\.effect), [first, first, second])
  }

  @Test("4096 answers may wait at a time")
  func room() {
    // All but the last three wait for ten seconds.
    let numbers = Array(0..<4_098)
    var plan = Recorded.Plan()
    plan.answers = [
      Recorded.Answer(
        target: Array("t".utf8), messages: numbers.map { Array("\($0)".utf8) },
        replies: [
          Recorded.Answer.Reply(search: 1, delays: numbers.map { $0 < 4_095 ? .seconds(10) : .milliseconds(1) })
        ])
    ]
    var host = on(plan)
    host.hear(search("t"))
    host.run(for: .seconds(1))
    expectEqual(said(host), ["1 4095"])
    host.act(.leave)
    host.act(.appear)
    host.hear(search("t"))
    host.run(for: .seconds(1))
    expectEqual(said(host), ["1 4095", "1001 4095"])
  }
}
