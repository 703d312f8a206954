import CoreBluetooth
import MultipeerConnectivity
import RollcallDoors
import RollcallExpectations
import RollcallPeers
import RollcallPrimitives
import RollcallScenarios
import RollcallTrace
import Synchronization
import Testing

@testable import RollcallPhones
@testable import RollcallSimulation

/// Phones beside the one in the place of the engine: where they are, how they behave, and how they go.
@Suite("Other phones of a world") struct OtherPhoneTests {
  private func world(_ more: String = "", others: [OtherPhone] = [], nearby: NearbySettings = NearbySettings()) throws
    -> PhoneWorld
  {
    let scenario = try Scenario(yaml: "scenario: Phones\nduration: 1m\n" + more, file: "phones.yaml")
    return PhoneWorld(try scenario.resolved(), seed: Seed(1), others: others, nearby: nearby)
  }

  @Test("a phone of code is on the first link of the engine, with the last address that is free and one of its name")
  func addresses() {
    func v4(_ last: UInt8, _ prefixBits: Int) -> InterfaceAddress {
      InterfaceAddress(IPAddress(192, 168, 2, last), prefixBits: prefixBits)
    }
    func v6(_ low: UInt64) -> InterfaceAddress {
      InterfaceAddress(IPAddress(v6High: 0xFE80_0000_0000_0000, low: low), prefixBits: 64)
    }
    let link = InterfacePlan(segment: 3, addresses: [v4(11, 24), v6(1)], isUpAtStart: false)
    let engine = HostPlan(name: "engine", interfaces: [link, InterfacePlan(segment: 4, addresses: [])])
    let own = InterfacePlan(segment: 3, addresses: [v4(254, 24), v6(0x51BA_487E_9EFF_EDDA)])
    expectEqual(
      NetworkPlan(hosts: [engine]).host(beside: 0, named: "eve"), HostPlan(name: "eve", interfaces: [own]))
    /// What a phone gets beside the first of hosts with these addresses.
    func beside(_ taken: [UInt8], _ prefixBits: Int) -> [InterfaceAddress] {
      let hosts = taken.map { last in
        HostPlan(name: "host", interfaces: [InterfacePlan(segment: 0, addresses: [v4(last, prefixBits)])])
      }
      return NetworkPlan(hosts: hosts).host(beside: 0, named: "eve").interfaces.flatMap(\.addresses)
    }
    // Eight addresses from .8 on: the first two and the last one are left alone.
    expectEqual(beside([11, 12, 13, 14], 29), [v4(10, 29)])
    expectEqual(beside([11, 10, 12, 13, 14], 29), [])
    // Four of them are too few.
    expectEqual(beside([1], 30), [])
  }

  @Test("a phone has the settings that it names, and those of the world if it names none")
  func settings() throws {
    let own = NearbySettings(faults: [.foundAgain(3)], policies: [.streamBytesMaximum(9)])
    let world = try world(
      others: [OtherPhone("ben", nearby: own), OtherPhone("cem")],
      nearby: NearbySettings(faults: [.foundAgain(2)], policies: [.streamBytesMaximum(8)]))
    let policies = [nil, "ben", "cem"].map { world.driven($0).nearby?.policies.streamBytesMaximum }
    expectEqual(policies, [8, 9, 8])
    let counts = world.world.all(PhoneMachine.self).map { $0.device?.plan.quirks.repeatedFoundCount }
    expectEqual(counts, [2, 3, 2])
  }

  @Test("a phone of the scenario has a radio with an address of its own")
  func radio() throws {
    let world = try world("inhabitants: {ben: {kind: phone}}")
    let addresses = [nil, "ben"].map { phone in world.phone(phone).state.withLock { $0.side.address } }
    expectEqual(
      addresses,
      [RadioAddress(bits: 0xC000_0000_0000, isRandom: true), RadioAddress(bits: 0xC000_0000_0001, isRandom: true)])
  }

  @Test("only the engine of the scenario hears devices of the network")
  func reports() throws {
    let television = "inhabitants: {tv: {kind: root-device, profile: tv, address: 192.168.1.50}}"
    let world = try world(television, others: [OtherPhone("ben")])
    world.run(for: .seconds(5))
    expectEqual(Set(world.world.reports.map(\.station)), [0])
  }

  @Test("applications that end, and a phone that vanishes, leave nothing behind in either framework")
  func ends() throws {
    for vanishes in [false, true] {
      let world = try nearbyWorld("ben")
      func counts() -> [Int?] {
        [
          world.phone("ben").state.withLock { $0.doors.count },
          world.driven("ben").nearby?.state.withLock { $0.doors.count },
        ]
      }
      let app = NearbyApp("Ben", on: world, phone: "ben")
      _ = world.phone("ben").attach(StateDoor(), as: ManagerSetup())
      expectEqual(counts(), [1, 3])
      if vanishes { world.vanish("ben") } else { world.endApplications(on: "ben") }
      expectEqual(counts(), [0, 0])
      withExtendedLifetime(app) {}
    }
  }

  @Test("a phone out of reach is cut off from all others in both directions, as often as that is said, and no one else")
  func reach() throws {
    let world = try nearbyWorld("ben", "cem")
    /// Who is cut off from whom.
    func cuts() -> [[[Bool]]] { world.world.network.partitions.map { [$0.from, $0.to] } }
    // One of the scenario stays as it is.
    world.world.apply(.partition(number: 0, from: [1], to: [2]))
    let before = [[[false, true, false], [false, false, true]]]
    let (engine, rest) = ([true, false, false], [false, true, true])
    let (cem, others) = ([false, false, true], [true, true, false])
    for _ in 0..<2 {
      for _ in 0..<2 { world.setReachable(false) }
      expectEqual(cuts(), before + [[engine, rest], [rest, engine]])
      world.setReachable(false, "cem")
      world.setReachable(true)
      expectEqual(cuts(), before + [[cem, others], [others, cem]])
      for _ in 0..<2 { world.setReachable(true, "cem") }
      expectEqual(cuts(), before)
    }
  }
}
