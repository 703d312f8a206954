import RollcallDevices
import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallSimulation
import Testing

@testable import RollcallScenarios

/// Times of a scenario of 60 s at its end and one step beyond, and bounds of expectations that hold always.
@Suite("Times of scenarios that are checked") struct CheckedTimeTests {
  private var late: Instant { at(60) + .nanoseconds(1) }

  @Test("a run takes time, healing and convergence lie within it, and there are a million seeds at most")
  func whole() {
    expectEqual(complaints(Scenario("a", duration: .nanoseconds(1))), [])
    expectEqual(complaints(Scenario("a", duration: .zero)), ["duration: a run takes longer than 0s"])
    expectEqual(complaints(Scenario("a", heal: at(60))), [])
    expectEqual(complaints(Scenario("a", heal: late)), ["heal: heal comes after the end of the run (1m)"])
    expectEqual(complaints(Scenario("a", heal: at(40), converge: .seconds(20))), [])
    expectEqual(
      complaints(Scenario("a", heal: at(40), converge: .seconds(25))),
      ["converge: heal and converge reach 65s, the run ends at 1m"])
    expectEqual(
      complaints(Scenario("a", converge: .seconds(1))), ["converge: converge counts from heal, and there is no heal"])
    expectEqual(complaints(Scenario("a", seeds: 7...1_000_006)), [])
    expectEqual(complaints(Scenario("a", seeds: 7...1_000_007)), ["seeds: at most 1000000 seeds"])
    let subnets: [(name: String, last: UInt8, bits: Int)] = [("a", 0, 30), ("b", 4, 30), ("c", 0, 29), ("d", 8, 29)]
    let segments = subnets.map { subnet in
      SegmentSection(
        name: subnet.name, subnet: InterfaceAddress(IPAddress(10, 0, 0, subnet.last), prefixBits: subnet.bits))
    }
    expectEqual(
      complaints(Scenario("a", network: NetworkSection(segments: segments))),
      [
        "network.segments.c.subnet: the subnets of 'a' and 'c' overlap",
        "network.segments.c.subnet: the subnets of 'b' and 'c' overlap",
      ])
  }

  @Test("an inhabitant appears within the run, and its name is neither reserved nor taken")
  func inhabitants() {
    let inhabitants = [
      InhabitantEntry("a", appear: .at(at(60))), InhabitantEntry("b", appear: .at(late)),
      InhabitantEntry("c", appear: .within(at(1)...at(60))), InhabitantEntry("d", appear: .within(at(1)...late)),
      InhabitantEntry("e", appear: .never), InhabitantEntry("peers"), InhabitantEntry("f", count: 2),
      InhabitantEntry("f-2"), InhabitantEntry("g", count: 1), InhabitantEntry("g-1"), InhabitantEntry("a"),
    ]
    expectEqual(
      complaints(Scenario("a", inhabitants: inhabitants)),
      [
        "inhabitants.b.appear: after the end of the run", "inhabitants.d.appear: after the end of the run",
        "inhabitants.peers: 'peers' is a name with a meaning",
        "inhabitants.f-2: 'f-2' twice among the inhabitants and their members",
        "inhabitants.a: 'a' twice among the inhabitants and their members",
      ])
  }

  @Test("a fault begins within the run, ends after it began, and is over when the network heals")
  func faults() {
    let joins = FaultEntry.Kind.refuseJoins("engine")
    func fault(_ begin: Int64, _ end: Int64?, id: String? = nil) -> FaultEntry {
      FaultEntry(id: id, at: at(begin), until: end.map { at($0) }, joins)
    }
    let faults = [
      fault(60, nil), fault(61, nil), fault(1, 2), fault(2, 2, id: "f5"), fault(3, 4), fault(3, nil, id: "f1"),
      FaultEntry(at: at(1), .querierGone(segment: "lan")), FaultEntry(at: at(1), .querierGone(segment: "zebra")),
      FaultEntry(at: at(1), .radioOff("engine")), FaultEntry(at: at(1), .interfaceDown(who: "engine", interface: 1)),
    ]
    let gone = "faults[7].querier-gone: unknown segment 'zebra'; known are lan"
    let radio =
      "the engine has no radio: it has one with 'scan', and where its manager looks for a service over Bluetooth"
    let rest = [
      gone, "faults[8].radio-off: \(radio)", "faults[9].interface-down.interface: 'engine' has no interface 1",
    ]
    expectEqual(
      complaints(Scenario("a", faults: faults)),
      [
        "faults[1].at: after the end of the run (1m)", "faults[3].until: not after 'at'",
        "faults[4]: id 'f5' twice in the faults", "faults[5].id: id 'f1' twice in the faults",
      ] + rest)
    let over = "after heal (40s): the second act has no faults"
    let healed = [fault(40, nil), fault(41, nil), fault(30, 40), fault(30, 41), fault(30, nil)]
    expectEqual(
      complaints(Scenario("a", faults: healed, heal: at(40))), ["faults[1].at: \(over)", "faults[3].until: \(over)"])
  }

  @Test("a window behind an anchor ends within the run, or the message says how far beyond it reaches")
  func windows() {
    func after(_ anchor: Anchor, _ first: Int64, _ last: Int64) -> Expectation {
      Expectation(.never(Never(.failed(nil), .after(anchor, .seconds(first) ... .seconds(last)))))
    }
    let found = Anchor.event(.found(.anyone))
    let expectations = [
      after(.timeline("t1"), 10, 10), after(.timeline("t1"), 10, 11), after(.timeline("t1"), 11, 12),
      after(.timeline("go"), 0, 1), after(.timeline("go"), 0, 2), after(.fault("f1"), 0, 20),
      after(.fault("f1"), 0, 21), after(.mended("f1"), 0, 15), after(.mended("f1"), 16, 16), after(.mended("f2"), 1, 2),
      after(.fault("zebra"), 1, 2), after(.mended("zebra"), 1, 2), after(.timeline("zebra"), 1, 2),
      after(found, 0, 60), after(found, 0, 61), after(.fault("f2"), 0, 100),
    ]
    let timeline = [TimelineEntry(at: at(50), .stopEngine), TimelineEntry(id: "go", at: at(59), .stopEngine)]
    let faults = [
      FaultEntry(at: at(40), until: at(45), .refuseJoins("engine")), FaultEntry(at: at(60), .refuseJoins("engine")),
    ]
    func beyond(_ reach: String) -> String { "\(reach) is beyond the end of the run (1m)" }
    let never = ", and so is all of this window: it can never be reached"
    let wanted: [String] = [
      "expect[1].after.within: \(beyond("11s after 't1'"))",
      "expect[2].after.within: \(beyond("12s after 't1'"))\(never)",
      "expect[4].after.within: \(beyond("2s after 'go'"))",
      "expect[6].after.within: \(beyond("21s after 'f1'"))",
      "expect[8].after.within: \(beyond("16s after 'f1' mends"))\(never)",
      "expect[9].after.mended: 'f2' never mends: it has no 'until', and nothing heals",
      "expect[10].after.fault: unknown fault 'zebra'; known are f1, f2",
      "expect[11].after.mended: unknown fault 'zebra'; known are f1, f2",
      "expect[12].after.timeline: unknown entry 'zebra'; known are t1, go",
      "expect[14].after.within: \(beyond("61s after the very start of the run"))",
      "expect[15].after.within: \(beyond("100s after 'f2'"))",
    ]
    expectEqual(
      complaints(Scenario("a", timeline: timeline, faults: faults, expectations: expectations)), wanted)
    // Where all heals, that is the end of a fault without one of its own.
    let healed = [after(.mended("f1"), 0, 15), after(.mended("f2"), 0, 15), after(.mended("f2"), 0, 16)]
    let open = [faults[0], FaultEntry(at: at(30), .refuseJoins("engine"))]
    expectEqual(
      complaints(Scenario("a", faults: open, heal: at(45), expectations: healed)),
      ["expect[2].after.within: \(beyond("16s after 'f2' mends"))"])
  }

  @Test("an instant or a window of an expectation ends within the run, and its bounds can be broken")
  func bounds() {
    let event = EventPattern.failed(nil)
    let holds = "this holds whatever happens: name a bound that can be broken"
    let end = "after the end of the run (1m)"
    func spread(_ last: Int64) -> Expectation.Kind {
      .distribution(Distribution(of: .responseDelay, from: "tv", range: .nanoseconds(5) ... .nanoseconds(last)))
    }
    let renewal = Distribution(of: .renewalInterval, from: "tv", search: 1, range: .zero ... .seconds(1))
    let parts = "10 equal parts of it are compared, so its ends lie at least 10ns apart"
    let answers = "'search' stands only beside 'of: response-delay': a renewal answers no search, so leave it out"
    let renamed = "present.devices: 'tag' changes its address: expect 'found' and 'lost' of it"
    let events: [(kind: Expectation.Kind, said: [String])] = [
      (.never(Never(event, .within(at(1)...at(60)))), []),
      (.never(Never(event, .within(at(1)...late))), ["within: \(end)"]),
      (.never(Never(event, .within(late...late))), ["at: \(end)"]),
      (.happens(Happens(event, times: .atLeast(1))), []),
      (.happens(Happens(event, .within(late...late), times: .atLeast(0))), ["at: \(end)", "times: \(holds)"]),
      (.happens(Happens(event, times: .exactly(0))), []), (.share(Share(event)), ["share: \(holds)"]),
      (.share(Share(event, atLeast: .percent(0), atMost: .percent(100))), ["share: \(holds)"]),
      (.share(Share(event, atLeast: .percent(1))), []), (.share(Share(event, atMost: .percent(99))), []),
    ]
    let others: [(kind: Expectation.Kind, said: [String])] = [
      (.present(Present(at: at(60), count: .atLeast(1))), []),
      (.present(Present(at: late, count: .atLeast(0))), ["present.at: \(end)", "present.count: \(holds)"]),
      (.present(Present(at: at(1), devices: ["tv", "tag"])), [renamed]),
      (.converged, ["converged: needs 'heal' and 'converge'"]), (spread(15), []),
      (spread(14), ["distribution.range: no room for a distribution from 5ns to 14ns: \(parts)"]),
      (.distribution(renewal), ["distribution.search: \(answers)"]),
    ]
    let rows = events + others
    let tag = PeripheralSection(rotation: .seconds(9))
    let inhabitants = [InhabitantEntry("tv"), InhabitantEntry("tag", .peripheral(tag))]
    var wanted: [String] = []
    for (number, row) in rows.enumerated() { wanted += row.said.map { "expect[\(number)].\($0)" } }
    let ids = rows.indices.map { "e\($0 + 1)" }.joined(separator: ", ")
    wanted.append("vacuous-ok[1]: unknown expectation 'zebra'; known are \(ids)")
    let scenario = Scenario(
      "a", inhabitants: inhabitants, expectations: rows.map { Expectation($0.kind) }, vacuousOK: ["e2", "zebra"])
    expectEqual(complaints(scenario), wanted)
    // Each of both is needed for convergence.
    let converged = [Expectation(.converged)]
    expectEqual(complaints(Scenario("a", heal: at(1), converge: .seconds(1), expectations: converged)), [])
    expectEqual(
      complaints(Scenario("a", heal: at(1), expectations: converged)),
      ["expect[0].converged: needs 'heal' and 'converge'"])
  }
}
