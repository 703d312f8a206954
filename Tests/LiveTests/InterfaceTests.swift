import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallLive

@Suite("Interfaces of this machine") struct InterfaceTests {
  @Test("a mask becomes the number of its leading bits")
  func masks() {
    let masks: [([UInt8], Int)] = [
      ([255, 255, 255, 0], 24), ([255, 255, 240, 0], 20), ([0, 0, 0, 0], 0), ([255, 255, 255, 255], 32), ([], 0),
      ([255, 0, 255, 0], 8), (Array(repeating: 255, count: 8) + Array(repeating: 0, count: 8), 64),
    ]
    for (mask, bits) in masks { expectEqual(LiveInterface.prefixBits(ofMask: mask), bits) }
  }

  @Test("an IPv6 address that is being checked, or is somebody else's, cannot be sent from")
  func tentative() throws {
    let table = """
      00000000000000000000000000000001 01 80 10 80       lo
      fe800000000000000000000000000001 02 40 20 80     eth0
      fe800000000000000000000000000002 03 40 20 c0     eth1
      fd000000000000000000000000000003 0a 40 00 08     eth2
      fe80 02 40 20 40 short
      nothing of the kind
      """
    let found = LiveInterface.unusable6(table)
    expectEqual(found.map(\.index), [3, 10])
    expectEqual(found.map(\.address), [try #require(IPAddress("fe80::2")), try #require(IPAddress("fd00::3"))])
  }

  @Test("an interface that is down, or has no address, is told of as down")
  func changes() {
    let address = InterfaceAddress(IPAddress(10, 77, 1, 20), prefixBits: 24)
    var interface = LiveInterface(name: "eth0", index: 3, addresses: [address])
    let id = InterfaceID(1)
    #expect(interface.isUsable)
    expectEqual(interface.change(as: id), InterfaceChange(interface: id, isUp: true, addresses: [address]))
    interface.isUp = false
    #expect(!interface.isUsable)
    expectEqual(interface.change(as: id), InterfaceChange(interface: id, isUp: false, addresses: []))
    interface.isUp = true
    interface.addresses = []
    expectEqual(interface.change(as: id), InterfaceChange(interface: id, isUp: false, addresses: []))
  }

  @Test("this machine has a loopback, which discovery cannot use")
  func loopback() throws {
    let loopback = try #require(LiveInterface.scan().first { $0.isLoopback })
    expectEqual(loopback.isUsable, false)
    #expect(loopback.addresses.allSatisfy { $0.address.isLoopback })
  }
}
