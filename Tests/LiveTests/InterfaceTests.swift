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

  @Test("an address with a label is one of its interface, and not of another one")
  func labels() {
    let names = ["eth0", "eth0:1", "eth0:avahi", "lo"]
    expectEqual(names.map { LiveInterface.withoutLabel($0) }, ["eth0", "eth0", "eth0", "lo"])
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

  private static func interface(_ name: String, _ index: UInt32, _ last: UInt8? = 1) -> LiveInterface {
    let address = last.map { InterfaceAddress(IPAddress(10, 77, 1, $0), prefixBits: 24) }
    return LiveInterface(name: name, index: index, addresses: address.map { [$0] } ?? [])
  }

  /// What a party is told when these interfaces are there: `0 up 10.77.1.1`, with `other` where it is another one.
  private static func told(_ roll: inout InterfaceRoll, _ found: [LiveInterface]) -> [String] {
    roll.takeIn(found)
    var lines: [String] = []
    for number in roll.names.indices {
      guard let news = roll.look(number, in: found) else { continue }
      let addresses = news.change.addresses.map { " \($0.address)" }.joined()
      lines.append("\(number) \(news.change.isUp ? "up" : "down")\(addresses)\(news.isOther ? " other" : "")")
    }
    return lines
  }

  @Test("a run that follows takes in an interface when it can be used: one that comes, and one that gets an address")
  func follows() {
    var roll = InterfaceRoll(["a"], follows: true)
    let (a, b) = (Self.interface("a", 2), Self.interface("b", 3, 2))
    expectEqual(Self.told(&roll, [a]), ["0 up 10.77.1.1"])
    // Without an address, switched off, a loopback, without multicast: discovery can do nothing there.
    var (off, loopback, deaf) = (b, b, b)
    (off.isUp, loopback.isLoopback, deaf.canMulticast) = (false, true, false)
    for unusable in [Self.interface("b", 3, nil), off, loopback, deaf] {
      expectEqual(Self.told(&roll, [a, unusable]), [])
    }
    expectEqual(Self.told(&roll, [a, b]), ["1 up 10.77.1.2"])
    expectEqual(Self.told(&roll, [a, b]), [])
    expectEqual(Self.told(&roll, [a, Self.interface("b", 3, nil)]), ["1 down"])
    expectEqual(roll.down, ["b"])
    expectEqual(Self.told(&roll, [a, b]), ["1 up 10.77.1.2"])
    expectEqual([0, 1, 2].map { roll[InterfaceID($0)]?.name }, ["a", "b", nil])
    expectEqual([1, 2].map { roll.name(of: InterfaceID($0)) }, ["b", "interface 2"])
  }

  @Test("the number of an interface that is gone is that of the next one that comes, once its end was told")
  func reused() {
    var roll = InterfaceRoll(["a"], follows: true)
    let (a, b) = (Self.interface("a", 2), Self.interface("b", 3, 2))
    _ = Self.told(&roll, [a, b])
    // One goes and another one comes at the same time.
    expectEqual(Self.told(&roll, [a, Self.interface("c", 4, 3)]), ["1 down other", "2 up 10.77.1.3"])
    expectEqual(Self.told(&roll, [a, Self.interface("c", 4, 3), Self.interface("d", 5, 4)]), ["1 up 10.77.1.4 other"])
    expectEqual(roll.names, ["a", "d", "c"])
    // One that is down and still there keeps its number.
    expectEqual(Self.told(&roll, [a, Self.interface("c", 4, nil), Self.interface("d", 5, 4)]), ["2 down"])
    expectEqual(
      Self.told(&roll, [a, Self.interface("c", 4, nil), Self.interface("d", 5, 4), Self.interface("e", 6, 5)]),
      ["3 up 10.77.1.5"])
  }

  @Test("there are never more than a machine takes, whatever comes")
  func bounds() {
    var roll = InterfaceRoll([], follows: true)
    let many = (1...100).map { Self.interface("veth\($0)", UInt32($0), UInt8($0)) }
    expectEqual(Self.told(&roll, many).count, InterfaceRoll.countMaximum)
    for number in 1...200 { _ = Self.told(&roll, [Self.interface("veth\(1_000 + number)", UInt32(number), 9)]) }
    expectEqual(roll.names.count, InterfaceRoll.countMaximum)
  }

  @Test("a run that was asked for interfaces has those and no others")
  func asked() {
    var roll = InterfaceRoll(["b", "c"], follows: false)
    expectEqual(Self.told(&roll, [Self.interface("a", 2), Self.interface("b", 3, 2)]), ["0 up 10.77.1.2", "1 down"])
    expectEqual(Self.told(&roll, [Self.interface("a", 2), Self.interface("b", 3, 2)]), [])
    // The system made it anew.
    expectEqual(Self.told(&roll, [Self.interface("b", 9, 2)]), ["0 up 10.77.1.2 other"])
    expectEqual(roll.names, ["b", "c"])
  }

  @Test("this machine has a loopback, which discovery cannot use")
  func loopback() throws {
    let loopback = try #require(LiveInterface.scan().first { $0.isLoopback })
    expectEqual(loopback.isUsable, false)
    #expect(loopback.addresses.allSatisfy { $0.address.isLoopback })
  }
}
