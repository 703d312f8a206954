import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallScenarios

/// What is said of a scenario whose parts do not agree, without a document around it.
@Suite("Agreement of the parts of a scenario") struct AgreementOfPartsTests {
  private func said(_ inhabitants: InhabitantEntry...) -> [String] {
    complaints(Scenario("a", inhabitants: inhabitants))
  }
  @Test("a segment has a name of its own, and a quirk of multicast DNS is planted in a responder of it")
  func whole() {
    let segments = [SegmentSection(), SegmentSection(name: "guest"), SegmentSection()]
    expectEqual(
      complaints(Scenario("a", network: NetworkSection(segments: segments))),
      ["network.segments: segment 'lan' twice"])
    let inhabitants = [InhabitantEntry("tv"), InhabitantEntry("m", .mdnsResponder(MDNSResponderSection()))]
    func bitten(_ name: String) -> [String] {
      complaints(Scenario("a", bites: .responder(name, .noProbing), inhabitants: inhabitants))
    }
    expectEqual(bitten("m"), [])
    expectEqual(bitten("tv"), ["bites: 'tv' is no mdns-responder"])
    expectEqual(bitten("nobody"), ["bites: unknown inhabitant 'nobody'; known are tv, m"])
  }

  @Test("each member of an inhabitant has an address of a host, and the engine has one")
  func addresses() {
    let (last, before) = (IPAddress(223, 255, 255, 255), IPAddress(223, 255, 255, 254))
    let engine = EngineSection(host: HostSection(address: last))
    expectEqual(complaints(Scenario("a", engine: engine)), [])
    expectEqual(said(InhabitantEntry("tv", host: HostSection(address: last))), [])
    expectEqual(said(InhabitantEntry("tv", count: 2, host: HostSection(address: before))), [])
    expectEqual(
      said(InhabitantEntry("tv", count: 2, host: HostSection(address: last))),
      ["inhabitants.tv.address: 224.0.0.0 is no address of a host"])
    let radio = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
    expectEqual(said(InhabitantEntry("h", .hciHost(HCIHostSection(address: radio)))), [])
    expectEqual(said(InhabitantEntry("h", count: 2, .hciHost(HCIHostSection()))), [])
    expectEqual(
      said(InhabitantEntry("h", count: 2, .hciHost(HCIHostSection(address: radio)))),
      ["inhabitants.h.address: 2 hosts cannot have one address"])
  }

  @Test("an entry that is nobody is refused, and takes none of the 20000 hosts of a run")
  func counts() {
    let nobody = "inhabitants.none.count: at least 1"
    expectEqual(said(InhabitantEntry("none", count: 0), InhabitantEntry("crowd", count: 19_999)), [nobody])
    expectEqual(
      said(InhabitantEntry("none", count: 0), InhabitantEntry("crowd", count: 20_000)),
      [nobody, "inhabitants.crowd: more than 20000 hosts in all"])
  }

  @Test("a fault names hosts that are there, and an interface of the host on which a program runs")
  func faults() {
    var beside = HostSection()
    beside.beside = "tv"
    let inhabitants = [
      InhabitantEntry("tv", host: HostSection(interfaces: [InterfaceSection(), InterfaceSection()])),
      InhabitantEntry("app", host: beside),
    ]
    func link(_ interface: Int) -> FaultEntry.Kind {
      .link(who: "app", interface: interface, direction: .both, rule: LinkPatch())
    }
    let kinds: [FaultEntry.Kind] = [
      link(1), link(2), .partition(from: ["nobody"], to: ["engine"], isBoth: true),
      .partition(from: ["each"], to: ["nobody"], isBoth: true), .refuseJoins("nobody"), .refuseMulticastSends("nobody"),
      .refuseJoins("engine"), .refuseMulticastSends("each"),
    ]
    let scenario = Scenario("a", inhabitants: inhabitants, faults: kinds.map { FaultEntry(at: at(1), $0) })
    let unknown = "unknown inhabitant 'nobody'; known are engine, each, tv, app"
    expectEqual(
      complaints(scenario),
      [
        "faults[1].link.interface: 'app' has no interface 2", "faults[2].partition.from: \(unknown)",
        "faults[3].partition.to: \(unknown)", "faults[4].refuse-joins: \(unknown)",
        "faults[5].refuse-multicast-sends: \(unknown)",
      ])
  }

  @Test("root devices alone are held and let go, and searches and expectations name hosts and times of the run")
  func deeds() {
    let deeds: [TimelineEntry.Deed] = [
      .hold("tv"), .release("tv"), .hold("p"), .release("p"), .search(SearchDeed(host: Target(.name("tv")))),
      .search(SearchDeed(host: Target(.name("nobody")))),
    ]
    let share = Share(.found(.anyone), .within(at(1)...at(61)), atLeast: .percent(50))
    let scenario = Scenario(
      "a", inhabitants: [InhabitantEntry("tv"), InhabitantEntry("p", .peripheral(PeripheralSection()))],
      timeline: deeds.map { TimelineEntry(at: at(1), $0) },
      expectations: [
        Expectation(.share(share)), Expectation(.conforms(Conforms(who: "nobody"))),
        Expectation(.conforms(Conforms(who: "tv"))),
      ])
    let unknown = "unknown inhabitant 'nobody'; known are tv, p"
    expectEqual(
      complaints(scenario),
      [
        "timeline[2].hold: 'p' is no root device", "timeline[3].release: 'p' is no root device",
        "timeline[5].search.host: \(unknown)", "expect[0].within: after the end of the run (1m)",
        "expect[1].conforms.who: \(unknown)",
      ])
  }

  @Test("what a peripheral says later fits into its packets, and flags are no data of an extended advertisement")
  func peripherals() {
    var fields = AdvertisedFields()
    fields.name = String(repeating: "n", count: 30)
    let large = PeripheralSection(otherSaying: PeripheralPlan.Saying(fields))
    expectEqual(
      said(InhabitantEntry("p", .peripheral(large))),
      ["inhabitants.p.then: its data takes 32 bytes, and a packet has room for 31"])
    fields.name = String(repeating: "n", count: 29)
    let full = PeripheralSection(otherSaying: PeripheralPlan.Saying(fields))
    expectEqual(said(InhabitantEntry("p", .peripheral(full))), [])
    var extended = PeripheralSection(kind: .scannable)
    extended.isExtended = true
    expectEqual(said(InhabitantEntry("p", .peripheral(extended))), [])
    extended.saying = PeripheralPlan.Saying(fields)
    expectEqual(
      said(InhabitantEntry("p", .peripheral(extended))),
      [
        "inhabitants.p: an extended advertisement that is scannable has no data of its own: put it under 'response'"
      ])
  }
}
