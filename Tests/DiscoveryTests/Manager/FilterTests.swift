import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallDiscovery

@Suite("The manager: filters and pairing levels") struct FilterTests {
  private static func filters(_ lists: [[String]]) -> [CapabilityFilter] {
    lists.map { CapabilityFilter($0.map { Capability($0) }) }
  }

  private static let kinds = [
    ServiceRegistration("A", filter: "urn:x:service:a:1", capabilities: ["G.One", "H.One"]),
    ServiceRegistration("B", filter: "urn:x:service:b:1", capabilities: ["G.Two"]),
    ServiceRegistration(
      "C", filter: "urn:x:service:c:1", pairing: .pin, pairedCapabilities: ["K.One"]),
    ServiceRegistration(
      "D", filter: "urn:x:service:d:1", capabilities: ["G.One"], pairing: .prompt, pairedCapabilities: ["K.Two"]),
  ]

  @Test("all capabilities of one filter are needed, and one filter suffices")
  func rule() {
    func found(_ lists: [[String]]) -> [String] {
      var rig = ManagerRig {
        $0.registrations = FilterTests.kinds
        $0.filters = FilterTests.filters(lists)
      }
      return rig.announce(1, ["urn:x:service:a:1"])
    }
    let yes = ["#1 found - [A 1] of 1"]
    expectEqual(found([]), yes)
    expectEqual(found([[]]), yes)
    expectEqual(found([["G.One"]]), yes)
    expectEqual(found([["G.One", "H.One"]]), yes)
    expectEqual(found([["G.One", "H.Two"]]), [])
    expectEqual(found([["G.Two"], ["H.One"]]), yes)
    expectEqual(found([["G.Any"]]), yes)
    expectEqual(found([["K.Any"]]), [])
    // `Any` is no wildcard inside a name.
    expectEqual(found([["G.One.Any"]]), [])
    expectEqual(found([["G"]]), [])
  }

  @Test("other filters give exactly the losses and then the finds that follow")
  func changed() {
    var rig = ManagerRig { $0.registrations = FilterTests.kinds }
    _ = rig.announce(1, at: 1, ["urn:x:service:a:1"])
    _ = rig.announce(2, at: 2, ["urn:x:service:b:1"])
    _ = rig.announce(3, at: 3, ["urn:x:service:a:1", "urn:x:service:b:1"])
    expectEqual(rig.command(.filter(FilterTests.filters([["G.Two"]]))), ["#1 lost"])
    expectEqual(
      rig.command(.filter(FilterTests.filters([["H.One"]]))), ["#2 lost", "#1 found again - [A 1] of 1"])
    expectEqual(rig.manager.compatibleDevices.map(\.state.members), [[ManagerRig.uuid(1)], [ManagerRig.uuid(3)]])
    expectEqual(rig.manager.allDevices.count, 3)
    expectEqual(rig.command(.filter([])), ["#2 found again - [B 2] of 2"])
    expectEqual(rig.command(.filter([])), [])
  }

  @Test("a device that can no more what is needed is lost, and found when it can again")
  func unsuitable() {
    var rig = ManagerRig {
      $0.registrations = FilterTests.kinds
      $0.filters = FilterTests.filters([["G.Two"]])
    }
    expectEqual(rig.announce(1, ["urn:x:service:a:1"]), [])
    expectEqual(rig.note(1, ["urn:x:service:a:1", "urn:x:service:b:1"]), ["#1 found - [A 1, B 1] of 1"])
    expectEqual(rig.note(1, ["urn:x:service:a:1"]), ["#1 lost"])
    expectEqual(rig.manager.allDevices.count, 1)
    expectEqual(rig.note(1, ["urn:x:service:b:1"]), ["#1 found again - [B 1] of 1"])
  }

  @Test("the pairing level decides whether capabilities count that need a pairing")
  func levels() {
    func capabilities(_ level: PairingLevel) -> [String] {
      var rig = ManagerRig {
        $0.registrations = FilterTests.kinds
        $0.pairingLevel = level
      }
      _ = rig.announce(1, ["urn:x:service:c:1", "urn:x:service:d:1"])
      return rig.manager.allDevices.first?.state.capabilities.map(\.name) ?? []
    }
    expectEqual(capabilities(.off), ["G.One"])
    // C can do nothing without it.
    expectEqual(capabilities(.protected), ["G.One", "K.One"])
    expectEqual(capabilities(.on), ["G.One", "K.One", "K.Two"])
    var rig = ManagerRig { $0.registrations = FilterTests.kinds }
    _ = rig.announce(1, ["urn:x:service:c:1", "urn:x:service:d:1"])
    expectEqual(
      rig.command(.pairing(.on)), ["#1 capabilities +K.One +K.Two", "#1 updated - [C 1, D 1] of 1"])
    expectEqual(rig.command(.pairing(.on)), [])
  }
}
