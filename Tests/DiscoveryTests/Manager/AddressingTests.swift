import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDiscovery

@Suite("The manager: under which address a device is reached") struct AddressingTests {
  /// The address of a device that 10.0.0.9 announces with this LOCATION.
  private static func address(_ location: String?, _ policy: DiscoverySetup.AddressPolicy) -> DeviceAddress? {
    var rig = Self.rig(policy)
    rig.manager.take(.found(sighting(1, location)), at: rig.now)
    _ = rig.note(1, [ManagerRig.dial])
    return rig.manager.allDevices.first?.state.address
  }

  private static func rig(_ policy: DiscoverySetup.AddressPolicy) -> ManagerRig {
    ManagerRig { ($0.registrations, $0.addressing, $0.merging) = ([.dial, .dlna], policy, .address) }
  }

  private static func sighting(_ number: Int, at host: UInt8 = 9, _ location: String?) -> DeviceSighting {
    DeviceSighting(
      device: ManagerRig.uuid(number), location: location, source: IPAddress(10, 0, 0, host), interface: InterfaceID(0),
      bootID: nil)
  }

  private static let sender = DeviceAddress.ip(IPAddress(10, 0, 0, 9))

  @Test("it is the sender, or the host of LOCATION where that is the address of one host")
  func policies() {
    let location = "http://10.0.0.7:80/d.xml"
    expectEqual(Self.address(location, .heard), Self.sender)
    expectEqual(Self.address(location, .announced), .ip(IPAddress(10, 0, 0, 7)))
    // The same address in the spelling of IPv6.
    expectEqual(Self.address("http://[::ffff:10.0.0.7]/d.xml", .announced), .ip(IPAddress(10, 0, 0, 7)))
    let others: [String?] = [
      nil, "http://bridge.local/d.xml", "http://239.255.255.250/", "http://255.255.255.255/", "http://0.0.0.0/",
      "d.xml",
    ]
    for other in others { expectEqual(Self.address(other, .announced), Self.sender, "\(other ?? "-")") }
  }

  @Test("a device that is announced by another host is one with what is at its own address, under that policy alone")
  func merging() {
    for (policy, count) in [(.heard, 2), (.announced, 1)] as [(DiscoverySetup.AddressPolicy, Int)] {
      var rig = Self.rig(policy)
      rig.manager.take(.found(Self.sighting(1, "http://10.0.0.7:80/d.xml")), at: rig.now)
      _ = rig.note(1, [ManagerRig.dial])
      rig.manager.take(.found(Self.sighting(2, at: 7, "http://10.0.0.7:81/d.xml")), at: rig.now)
      _ = rig.note(2, ManagerRig.dlna)
      expectEqual(rig.manager.allDevices.count, count)
    }
  }

  @Test("another LOCATION is another address, and the application is told")
  func moves() {
    var rig = Self.rig(.announced)
    rig.manager.take(.found(Self.sighting(1, "http://10.0.0.7:80/d.xml")), at: rig.now)
    expectEqual(rig.note(1, [ManagerRig.dial]), ["#1 found - [DIAL 1] of 1"])
    let moved = Self.sighting(1, "http://10.0.0.8:80/d.xml")
    expectEqual(
      rig.take(.changed(moved, .location(from: "http://10.0.0.7:80/d.xml"))), ["#1 updated - [DIAL 1] of 1"])
    expectEqual(rig.manager.allDevices.map(\.state.address), [.ip(IPAddress(10, 0, 0, 8))])
  }
}
