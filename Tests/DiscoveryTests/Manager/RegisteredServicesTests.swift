import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDiscovery

@Suite("The manager: other services while it runs") struct RegisteredServicesTests {
  @Test("exactly the losses and finds follow, and a new type is searched for at once")
  func register() {
    var rig = ManagerRig { $0.registrations = [.dial] }
    expectEqual(rig.announce(1, [ManagerRig.dial]), ["#1 found - [DIAL 1] of 1"])
    expectEqual(rig.announce(2, ManagerRig.dlna), [])
    expectEqual(rig.command(.register([.dial, .dlna])), ["#2 found - [DLNA 2] of 2"])
    expectEqual(rig.manager.takeSearches(at: .zero).map(\.target), [ManagerRig.dial, ManagerRig.renderer])
    expectEqual(rig.command(.register([.dlna])), ["#1 lost"])
    expectEqual(rig.manager.takeSearches(at: .zero).map(\.target), [])
    expectEqual(rig.command(.register([.dlna])), [])
    expectEqual(rig.command(.register([.dial])), ["#2 lost", "#1 found again - [DIAL 1] of 1"])
  }

  @Test("a service that can do something else changes what the device can do")
  func capabilities() {
    func dial(_ capabilities: [String]) -> [ServiceRegistration] {
      [ServiceRegistration("D", filter: ManagerRig.dial, capabilities: capabilities)]
    }
    var rig = ManagerRig { $0.registrations = dial(["G.One"]) }
    _ = rig.announce(1, [ManagerRig.dial])
    expectEqual(
      rig.command(.register(dial(["G.Two"]))), ["#1 capabilities +G.Two -G.One", "#1 updated - [D 1] of 1"])
  }

  @Test("while it is stopped nothing is told, and what was registered meanwhile counts when it starts")
  func stopped() {
    var rig = ManagerRig { $0.registrations = [.dial] }
    _ = rig.announce(1, [ManagerRig.dial])
    _ = rig.announce(2, ManagerRig.dlna)
    expectEqual(rig.command(.stop), ["#1 lost"])
    expectEqual(rig.command(.register([.dlna])), [])
    expectEqual(rig.manager.takeSearches(at: .zero).map(\.target), [])
    expectEqual(rig.command(.start), ["#2 found - [DLNA 2] of 2"])
  }

  @Test("64 types can be asked for; a service that asks for one more is not looked for, which is told")
  func types() {
    func type(_ name: String) -> String { "urn:x:service:\(name):1" }
    var all: [ServiceRegistration] = (1...64).map { ServiceRegistration("S\($0)", filter: type("s\($0)")) }
    all.append(ServiceRegistration("Two", filter: type("s1"), requires: [type("s64")]))
    all.append(ServiceRegistration("More", filter: type("s1"), requires: [type("more")]))
    all.append(ServiceRegistration("Other", filter: type("other")))
    let registrations = all
    var rig = ManagerRig { $0.registrations = registrations }
    expectEqual(rig.announce(1, [type("s64"), type("other")]), ["#1 found - [S64 1] of 1"])
    expectEqual(
      rig.announce(2, [type("s1"), type("s64"), type("more")]), ["#2 found - [S1 2, S64 2, Two 2] of 2"])
    expectEqual(rig.manager.soughtTypes.count, 64)
    expectEqual(
      registrations.typeFailures.map(\.explanation),
      ["More", "Other"].map {
        "\($0) is not looked for: expected at most 64 types that services are found by or require, found more"
      })
  }

  @Test("services of multicast DNS are browsed for as long as they are registered")
  func browses() {
    func texts(_ effects: [Effect]) -> [String] { effects.compactMap { $0.value?.text } }
    func setup(_ types: [String]) -> [ServiceRegistration] {
      types.map { ServiceRegistration($0, .peers, filter: $0) }
    }
    var rig = EngineRig([], isUp: false) { $0.browse = [.type("_ipp._tcp")] }
    _ = rig.bring(0, [InterfaceAddress(EngineRig.ours, prefixBits: 24)], at: 0)
    var first = DiscoverySetup()
    first.registrations = setup(["_cast._tcp.local", "_ipp._tcp.local"])
    _ = rig.command(.manager(.begin(first)), at: 1)
    // The group stays: the engine itself browses for the other type.
    func groups(_ effects: [Effect]) -> [String] { texts(effects).filter { $0.hasSuffix("224.0.0.251:5353 if0") } }
    expectEqual(groups(rig.command(.manager(.register([])), at: 2)), [])
    expectEqual(groups(rig.command(.stopBrowsing(.type("_ipp._tcp")), at: 3)), ["leave 224.0.0.251:5353 if0"])
    let other = ManagerCommand.register(setup(["_raop._tcp.local"]))
    expectEqual(groups(rig.command(.manager(other), at: 4)), ["join 224.0.0.251:5353 if0"])
    expectEqual(groups(rig.command(.manager(.register([])), at: 5)), ["leave 224.0.0.251:5353 if0"])
  }
}
