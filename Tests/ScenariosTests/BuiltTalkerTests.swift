import RollcallDevices
import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallSimulation
import Testing

@testable import RollcallScenarios

/// Inhabitants that send the messages of a document, as they are built; and the explanation of a world with several.
@Suite("Talkers that are built and explained") struct BuiltTalkerTests {
  @Test("a forger knows its victims by their UUIDs, and a message of a script has its port, interface and hop limit")
  func talkers() {
    let address = IPAddress(192, 168, 1, 9)
    let tv = InhabitantEntry("tv", count: 2, host: HostSection(address: address))
    let script = ScriptSection([
      ScriptSection.Line(
        at: .seconds(1), payload: [1], to: Target(.name("tv-2"), port: 5), from: IPAddress(10, 0, 0, 2), sourcePort: 6,
        interface: 0, ttl: 255),
      ScriptSection.Line(payload: [2], ttl: 300),
    ])
    let world = built(
      Scenario(
        "a",
        inhabitants: [
          tv, InhabitantEntry("forger", .byebyeSpoofer(ByebyeSpooferSection(victims: ["tv-2", "tv"]))),
          InhabitantEntry("script", .script(script)),
        ]))
    var plan = ByebyeSpoofer.Plan()
    let uuids = (1...2).map { DeviceUUID(seed: Seed(0), name: "tv-\($0)").text(.standard) }
    plan.victims = [uuids[1], uuids[0], uuids[1]].map { ByebyeSpoofer.Victim(uuid: $0) }
    let second = Endpoint(IPAddress(192, 168, 1, 10), port: 5)
    let lines = [
      Script.Line(
        at: .seconds(1), payload: [1], to: second, sourceAddress: IPAddress(10, 0, 0, 2), sourcePort: 6,
        interface: InterfaceID(0), hopLimit: 255),
      Script.Line(payload: [2], hopLimit: 255),
    ]
    let wanted: [ResolvedHost.Role] = [.other(.byebyeSpoofer(plan)), .other(.script(lines))]
    expectEqual(world.hosts.dropFirst(3).map(\.role), wanted)
  }

  @Test("a recorded host has one pace or several, and one beside the engine speaks as the engine does on its segment")
  func recorded() {
    let tv = IPAddress(192, 168, 1, 9)
    let wording = RecordedSection.Wording(lines: ["{nt}"], tail: "")
    typealias Utterance = RecordedSection.Utterance
    let says = [
      Utterance(wording, at: [.zero]), Utterance(wording, at: [.zero], pace: [.seconds(1)]),
      Utterance(wording, at: [.zero], pace: [.seconds(1)], paces: [[.seconds(2)], [.seconds(3)]]),
      Utterance(
        wording, set: "all", at: [.seconds(4)], thenEvery: .seconds(5), to: Target(.name("tv")), sourcePort: 7, ttl: 8),
    ]
    let reply = Recorded.Answer.Reply(search: 2, delays: [.seconds(1)])
    let sets = [RecordedSection.AdvertSet("all", [RecordedSection.Advert(nt: "n"), RecordedSection.Advert(nt: "m")])]
    let answer = RecordedSection.Answer(target: "t", wording, set: "all", replies: [reply], sourcePort: 9)
    let section = RecordedSection(sets: sets, says: says, answers: [answer])
    let segments = [SegmentSection(), SegmentSection(name: "far")]
    func own(_ segment: String, _ last: UInt8) -> InterfaceSection {
      InterfaceSection(segment: segment, address: IPAddress(192, 168, segment == "far" ? 2 : 1, last))
    }
    let engine = HostSection(interfaces: [own("lan", 50), own("far", 50), own("lan", 51)])
    let beside = RecordedSection(isBesideEngine: true)
    let two = HostSection(interfaces: [InterfaceSection(segment: "far"), InterfaceSection(segment: "lan")])
    let world = built(
      Scenario(
        "a", network: NetworkSection(segments: segments), engine: EngineSection(host: engine),
        inhabitants: [
          InhabitantEntry("tv", host: HostSection(address: tv)), InhabitantEntry("r", .recorded(section)),
          InhabitantEntry("near", .recorded(beside)), InhabitantEntry("far", host: two, .recorded(beside)),
        ]))
    var plan = Recorded.Plan()
    let (empty, both) = ([[UInt8]()], [Array("n".utf8), Array("m".utf8)])
    plan.utterances = [
      Recorded.Utterance(messages: empty, starts: [.zero]),
      Recorded.Utterance(messages: empty, starts: [.zero], paces: [[.seconds(1)]]),
      Recorded.Utterance(messages: empty, starts: [.zero], paces: [[.seconds(2)], [.seconds(3)]]),
      Recorded.Utterance(
        messages: both, starts: [.seconds(4)], thenEvery: .seconds(5), destination: Endpoint(tv, port: 1_900),
        sourcePort: 7, hopLimit: 8),
    ]
    plan.answers = [Recorded.Answer(target: Array("t".utf8), messages: both, replies: [reply], sourcePort: 9)]
    var (near, far) = (Recorded.Plan(), Recorded.Plan())
    near.speaksAs = [IPAddress(192, 168, 1, 50), IPAddress(192, 168, 1, 51)]
    far.speaksAs = [IPAddress(192, 168, 2, 50)]
    let wanted: [ResolvedHost.Role] = [plan, near, far].map { .other(.recorded($0)) }
    expectEqual(world.hosts.dropFirst(2).map(\.role), wanted)
  }

  @Test("an explanation shows refusals of hosts, the spacing of searches, and defaults of kinds and expectations")
  func explained() {
    let loss = Loss.gilbertElliott(goodToBad: .percent(1), badToGood: .percent(2), inGood: .never, inBad: .always)
    let distribution = Distribution(of: .responseDelay, from: "tv", range: .zero ... .seconds(1))
    var world = built(
      Scenario(
        "a", network: NetworkSection(link: LinkSection(LinkPatch(multicastLoss: loss))),
        inhabitants: [InhabitantEntry("tv"), InhabitantEntry("echo", .reflector(Reflector.Plan()))],
        timeline: [TimelineEntry(at: at(1), .search(SearchDeed(spacing: .milliseconds(500))))],
        expectations: [
          Expectation(.converged), Expectation(.distribution(distribution)),
          Expectation(id: "last", .present(Present(at: at(9), count: .exactly(1)))),
        ]))
    let faults: [Fault] = [
      .refuseJoins(host: 0, true), .refuseJoins(host: 1, false), .refuseMulticastSends(host: 2, true),
      .refuseMulticastSends(host: 0, false),
    ]
    world.faults = faults.map { ResolvedFault(id: "jam", at: at(2), fault: $0) }
    let text = world.explanation
    let told = """
      faults:
        - {id: jam, at: 2s, what: engine refuses joins}
        - {id: jam, at: 2s, what: tv allows joins}
        - {id: jam, at: 2s, what: echo refuses multicast sends}
        - {id: jam, at: 2s, what: engine allows multicast sends}

      """
    #expect(text.contains(told))
    #expect(text.contains("MX 3, 3 times every 500ms"))
    #expect(text.contains("reflects-own: false"))
    #expect(text.contains("minimum-samples: 200"))
    #expect(text.contains("loss-in-good: 0%"))
    #expect(text.contains("  - {id: last, vacuous-ok: false, present: {at: 9s, count: 1}}\n"))
    // What a report shows leaves defaults out.
    #expect(!world.expectations[1].text.contains("minimum-samples"))
  }
}
