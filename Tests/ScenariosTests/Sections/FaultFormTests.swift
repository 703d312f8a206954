import RollcallExpectations
import RollcallPrimitives
import RollcallSimulation
import Testing

@testable import RollcallScenarios

/// Entries of `faults:`, each alone.
@Suite("Forms of faults") struct FaultFormTests {
  private let form = Form<FaultEntry>.fault
  private func means(_ keys: String, _ kind: FaultEntry.Kind) throws {
    try FormBench.means(form, "{at: 1s, \(keys)}", FaultEntry(at: at(1), kind))
  }
  private func reads(_ keys: String, _ kind: FaultEntry.Kind) throws {
    try FormBench.reads(form, "{at: 1s, \(keys)}", FaultEntry(at: at(1), kind))
  }
  private func refuses(_ keys: String, _ said: String...) throws {
    try FormBench.refuses(form, "{at: 1s, \(keys)}", said)
  }

  @Test("each fault is read from its key, and printed as it was written")
  func kinds() throws {
    try means("partition: {from: [a], to: [b, c]}", .partition(from: ["a"], to: ["b", "c"], isBoth: true))
    try means("partition: {from: [], to: [], both: false}", .partition(from: [], to: [], isBoth: false))
    try reads("partition: {from: [a], to: [b], both: true}", .partition(from: ["a"], to: ["b"], isBoth: true))
    try means("interface-down: {who: tv}", .interfaceDown(who: "tv", interface: 0))
    try means("interface-down: {who: tv, interface: 15}", .interfaceDown(who: "tv", interface: 15))
    try means("querier-gone: lan", .querierGone(segment: "lan"))
    try means("refuse-joins: a", .refuseJoins("a"))
    try means("refuse-multicast-sends: b", .refuseMulticastSends("b"))
    try means("radio-off: c", .radioOff("c"))
    try means("store: full", .store(.full))
    try means("store: damaged", .store(.damaged))
    try means("store: denied", .store(.denied))
  }

  @Test("a fault of a link has a host, an interface, a direction and terms of a rule")
  func links() throws {
    func link(
      _ interface: Int = 0, _ direction: FaultEntry.Direction = .both, _ rule: LinkPatch = LinkPatch()
    ) -> FaultEntry.Kind {
      .link(who: "tv", interface: interface, direction: direction, rule: rule)
    }
    try means("link: {who: tv}", link())
    try means("link: {who: tv, interface: 2}", link(2))
    try means("link: {who: tv, direction: inbound}", link(0, .inbound))
    try means("link: {who: tv, direction: outbound}", link(0, .outbound))
    try reads("link: {who: tv, interface: 0, direction: both}", link())
    try means(
      "link: {who: tv, latency: 1ms, mtu: 99}",
      link(0, .both, LinkPatch(latency: .constant(.milliseconds(1)), mtu: 99)))
    try refuses("link: {who: tv, direction: x}", "unknown direction 'x'; known are inbound, outbound, both")
    try refuses("link: {loss: 1%}", "missing key 'who'")
  }

  @Test("a fault has an instant, and may have an end and a name")
  func head() throws {
    let kind = FaultEntry.Kind.radioOff("a")
    try FormBench.means(form, "{at: 0s, radio-off: a}", FaultEntry(at: at(0), kind))
    try FormBench.means(form, "{at: 1s, until: 2s, radio-off: a}", FaultEntry(at: at(1), until: at(2), kind))
    try FormBench.means(
      form, "{at: 1s, until: 2s, id: jam, radio-off: a}", FaultEntry(id: "jam", at: at(1), until: at(2), kind))
    try FormBench.means(form, "{at: 1s, id: jam, radio-off: a}", FaultEntry(id: "jam", at: at(1), kind))
    try FormBench.refuses(form, "{radio-off: a}", ["missing key 'at'"])
    try FormBench.refuses(
      form, "{at: 1, until: 2, id: 3, radio-off: a}",
      [
        "'1' has no unit: an instant of the run is written such as 250ms or 3s",
        "'2' has no unit: an instant of the run is written such as 250ms or 3s", "'3' is not an id such as wifi-jam",
      ])
  }

  @Test("an entry has exactly one fault, and each fault its keys")
  func slips() throws {
    try FormBench.refuses(
      form, "{at: 1s}",
      [
        "missing one of the keys partition, interface-down, querier-gone, link, refuse-joins, refuse-multicast-sends, "
          + "radio-off, store"
      ])
    try refuses("radio-off: a, store: full", "'store' cannot stand beside 'radio-off': only one of them")
    try refuses(
      "refuse-joins: a, refuse-multicast-sends: a",
      "'refuse-multicast-sends' cannot stand beside 'refuse-joins': only one of them")
    try refuses("partition: {}", "missing key 'from'", "missing key 'to'")
    try refuses("partition: {from: [a]}", "missing key 'to'")
    try refuses(
      "partition: {from: [1], to: b}", "'1' is not the name of a host such as engine or tv",
      "expected a list, found 'b'")
    try refuses("interface-down: {}", "missing key 'who'")
    try refuses(
      "interface-down: {who: a, interface: 16}", "'16' is not a whole number from 0 to 15 such as 3")
    try refuses("interface-down: a", "expected a mapping, found 'a'")
    try refuses("store: x", "unknown failure 'x'; known are full, damaged, denied")
    try refuses("querier-gone: [lan]", "expected the name of a segment such as lan, found a list")
    try refuses("radio-off: 1", "'1' is not the name of a host such as engine or tv")
  }
}
