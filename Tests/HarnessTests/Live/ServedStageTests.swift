import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import RollcallSimulation
import Testing

@testable import RollcallServing

/// What becomes of a scenario's network and timeline where a gateway stands in the engine's place.
@Suite("Stages of served scenarios") struct ServedStageTests {
  private let own = InterfaceAddress(IPAddress(10, 77, 1, 10), prefixBits: 24)

  private func resolved(_ yaml: String) throws -> Resolved {
    try Scenario(yaml: "scenario: S\nduration: 60s\n" + yaml, file: "test.yaml").resolved()
  }

  @Test("a host has the addresses of the interface, a name for each of them, and its own that can be nobody's outside")
  func addresses() throws {
    let yaml = """
      network: {segments: {lan: {ipv6: true}, attic: {}}}
      engine: {interfaces: [{segment: lan}, {segment: attic}]}
      inhabitants:
        tv:
          kind: root-device
          interfaces: [{segment: lan, address: 192.168.1.50}, {segment: attic, address: 192.168.2.50}]
      """
    let local = InterfaceAddress(IPAddress(v6High: 0xFE80_0000_0000_0000, low: 1), prefixBits: 64)
    let upstairs = InterfaceAddress(IPAddress(192, 168, 2, 10), prefixBits: 24)
    let plan = ServedPlan(try resolved(yaml), interfaces: [[own, local], [upstairs]], hasOwnAddresses: false)
    let world = plan.world(seed: Seed(1), gateway: Gateway(Gateway.Uplink()))
    let interfaces = world.network.hosts[1].interfaces
    let budgets = [world.entriesMaximum, world.eventsMaximum]
    expectEqual(
      interfaces.map(\.addresses),
      [
        [
          own, local, InterfaceAddress(IPAddress(240, 0, 0, 8), prefixBits: 32),
          InterfaceAddress(IPAddress(v6High: 0x0100_0000_0000_0000, low: 8), prefixBits: 128),
          InterfaceAddress(IPAddress(192, 168, 1, 50), prefixBits: 24),
        ],
        [upstairs, InterfaceAddress(IPAddress(240, 0, 0, 9), prefixBits: 32)],
      ])
    expectEqual(budgets, [.max, .max])
  }

  @Test("faults of the engine's host are left out, another address of it too, and all others stay")
  func faults() throws {
    let yaml = """
      inhabitants: {tv: {kind: root-device}}
      timeline:
        - {at: 5s, move: {who: engine, to: 192.168.1.77}}
      faults:
        - {at: 5s, until: 6s, refuse-joins: tv}
        - {at: 7s, until: 8s, refuse-joins: engine}
        - {at: 9s, until: 10s, interface-down: {who: tv}}
      """
    for hasOwnAddresses in [false, true] {
      let plan = ServedPlan(try resolved(yaml), interfaces: [[own]], hasOwnAddresses: hasOwnAddresses)
      let world = plan.world(seed: Seed(1), gateway: Gateway(Gateway.Uplink()))
      let faults = world.faults.map { $0.fault }
      expectEqual(
        faults,
        [
          .refuseJoins(host: 1, true), .refuseJoins(host: 1, false),
          .interfaceDown(host: 1, interface: InterfaceID(0)), .interfaceUp(host: 1, interface: InterfaceID(0)),
        ])
      expectEqual(
        plan.notes,
        [
          "what the timeline asks of the engine is left out: the programs that search here are outside",
          "refusals of the engine's own system are left out: the system of a real control point is its own",
        ])
    }
  }

  @Test("who is left out never appears")
  func appearances() throws {
    let yaml = """
      inhabitants:
        lamp: {kind: nearby-peer}
        person: {kind: phone}
        tv: {kind: root-device}
      """
    for (hasOwnAddresses, hosts) in [(false, [3]), (true, [1, 3])] {
      let plan = ServedPlan(try resolved(yaml), interfaces: [[own]], hasOwnAddresses: hasOwnAddresses)
      let world = plan.world(seed: Seed(1), gateway: Gateway(Gateway.Uplink()))
      let commands = world.commands
      expectEqual(commands.map { $0.host }, hosts)
      expectEqual(commands.map { $0.command }, [Command](repeating: .act(.appear), count: hosts.count))
    }
  }

  @Test("an address on an interface that a host does not have is wanted of nobody")
  func strangeInterface() throws {
    let yaml = "inhabitants: {tv: {kind: root-device, address: 192.168.1.50}}"
    var resolved = try resolved(yaml)
    for number in 0..<2 as Range<UInt16> {
      let move = Act.move(interface: InterfaceID(number), to: IPAddress(192, 168, 1, 60 + UInt8(number)))
      resolved.commands.append(ResolvedCommand(id: "t", at: .zero + .seconds(5), host: 1, command: .act(move)))
    }
    let plan = ServedPlan(resolved, interfaces: [[own]], hasOwnAddresses: true)
    let wanted = [IPAddress(192, 168, 1, 50), IPAddress(192, 168, 1, 60)]
    expectEqual(plan.wantedAddresses.map(\.endpoint.address), wanted)
    expectEqual(plan.served(on: InterfaceID(0)), wanted)
  }
}
