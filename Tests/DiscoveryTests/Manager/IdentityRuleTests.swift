import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDiscovery

@Suite("The manager: what a device says of another one") struct IdentityRuleTests {
  private static let setup = ServiceRegistration("Setup", .bluetooth, filter: "FE9F")
  private static let cast = ServiceRegistration("Cast", .peers, filter: "_cast._tcp.local")
  private static let radio = RadioAddress(bits: 0xC47C_8D00_0001, isRandom: false)

  private static func rig(_ rules: [IdentityRule], faults: ManagerFaults = []) -> ManagerRig {
    ManagerRig {
      $0.registrations = [.dlna, .dial, setup, cast]
      ($0.merging, $0.identityRules, $0.faults) = (.uuid, rules, faults)
    }
  }

  /// A peripheral is there, and says this.
  private static func advertise(_ rig: inout ManagerRig, _ change: (inout AdvertisedFields) -> Void) -> [String] {
    var sighting = DeviceSighting(
      device: radio.deviceName, provider: .bluetooth, locator: Locator(DeviceAddress.radio(radio)))
    sighting[.services] = .text("FE9F")
    rig.manager.take(.found(sighting), at: rig.now)
    var fields = AdvertisedFields()
    change(&fields)
    rig.manager.note(radio.deviceName, says: fields)
    return plain(rig.told())
  }

  private static func plain(_ lines: [String]) -> [String] { lines.filter { !$0.contains("capabilities") } }
  private static let ble = "ble:c4:7c:8d:00:00:01/public"

  @Test("an address in manufacturer data makes one device, until the data says something else")
  func address() {
    var rig = Self.rig([IdentityRule(.manufacturerData(company: 0x1234), .ipv4, at: 1)])
    expectEqual(rig.announce(1, [ManagerRig.dial]), ["#1 found - [DIAL 1] of 1"])
    expectEqual(
      Self.advertise(&rig) { $0.manufacturerData = [[0x34, 0x12, 0, 10, 0, 0, 9]] },
      ["#1 updated - [DIAL 1, Setup \(Self.ble)] of 1 \(Self.ble)"])
    expectEqual(
      rig.manager.allDevices.map(\.state.evidence), [["address 10.0.0.9, as a device says"]])
    expectEqual(rig.manager.allDevices.map(\.state.address), [.ip(IPAddress(10, 0, 0, 9))])
    expectEqual(
      Self.advertise(&rig) { $0.manufacturerData = [[0x34, 0x12, 0, 10, 0, 0, 8]] },
      ["#1 updated - [DIAL 1] of 1", "#2 found - [Setup \(Self.ble)] of \(Self.ble)"])
    // Somebody comes to that address.
    expectEqual(
      Self.plain(rig.announce(2, at: 8, ManagerRig.dlna)),
      ["#2 updated - [Setup \(Self.ble), DLNA 2] of \(Self.ble) 2"])
  }

  @Test("other data, data that is too short and rules of another kind say nothing")
  func nothing() {
    let rules = [
      IdentityRule(.manufacturerData(company: 0x1234), .ipv4, at: 1), IdentityRule(.text(key: "x"), .ipv4),
      IdentityRule(.serviceData(BluetoothUUID(short: 0xFE9F)), .uuid),
    ]
    for change: (inout AdvertisedFields) -> Void in [
      { $0.manufacturerData = [[0x34, 0x12, 0, 10, 0, 0]] }, { $0.manufacturerData = [[0x34]] },
      { $0.manufacturerData = [[0x12, 0x34, 0, 10, 0, 0, 9]] },
      { $0.manufacturerData = [[0x34, 0x12, 10, 0, 0, 9, 1]] },
      { $0.serviceData = [.init(BluetoothUUID(short: 0xFE9E), [10, 0, 0, 9])] },
      { $0.serviceData = [.init(BluetoothUUID(short: 0xFE9F), [10, 0, 0, 9])] },
    ] {
      var rig = Self.rig(rules)
      _ = rig.announce(1, [ManagerRig.dial])
      expectEqual(Self.advertise(&rig, change), ["#2 found - [Setup \(Self.ble)] of \(Self.ble)"])
    }
    var rig = Self.rig(rules, faults: .identityRulesIgnored)
    _ = rig.announce(1, [ManagerRig.dial])
    expectEqual(Self.advertise(&rig) { $0.manufacturerData = [[0x34, 0x12, 0, 10, 0, 0, 9]] }.count, 1)
    rig = Self.rig([])
    _ = rig.announce(1, [ManagerRig.dial])
    expectEqual(Self.advertise(&rig) { $0.manufacturerData = [[0x34, 0x12, 0, 10, 0, 0, 9]] }.count, 1)
  }

  @Test("of several data of one company the last counts")
  func last() {
    var rig = Self.rig([IdentityRule(.manufacturerData(company: 1), .ipv4)])
    _ = rig.announce(1, [ManagerRig.dial])
    let lines = Self.advertise(&rig) {
      $0.manufacturerData = [[1, 0, 10, 0, 0, 7], [1, 0, 10, 0, 0, 9], [2, 0, 10, 0, 0, 7]]
    }
    expectEqual(lines.first?.hasPrefix("#1 updated"), true)
  }

  @Test("a UUID in service data, and an address of either family")
  func forms() {
    let uuid: [UInt8] = [0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1]
    let service = BluetoothUUID(short: 0xFE9F)
    var rig = Self.rig([IdentityRule(.serviceData(service), .uuid, at: 2)])
    _ = rig.announce(1, [ManagerRig.dial])
    expectEqual(
      Self.advertise(&rig) { $0.serviceData = [.init(service, [7, 7] + uuid + [7])] },
      ["#1 updated - [DIAL 1, Setup \(Self.ble)] of 1 \(Self.ble)"])
    expectEqual(
      rig.manager.allDevices.map(\.state.evidence), [["UUID 00000000000040008000000000000001, as a device says"]])
    rig = Self.rig([IdentityRule(.serviceData(service), .ipv6)])
    var sighting = ManagerRig.sighting(1)
    sighting.locator = Locator(DeviceAddress.ip(IPAddress(v6High: 0xFE80 << 48, low: 1)), on: InterfaceID(0))
    rig.manager.take(.found(sighting), at: rig.now)
    _ = rig.note(1, [ManagerRig.dial])
    let address: [UInt8] = [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    expectEqual(
      Self.advertise(&rig) { $0.serviceData = [.init(service, address)] }.first?.hasPrefix("#1 updated"), true)
  }

  @Test("a Bluetooth address in data is that of another peripheral; fewer bytes are none")
  func bluetooth() {
    for (bits, data, isOne): (UInt64, [UInt8], Bool) in [
      (0xC47C_8D00_0002, [0xC4, 0x7C, 0x8D, 0, 0, 2], true), (0xC47C_8D00_0002, [0xC4, 0x7C, 0x8D, 0, 0, 3], false),
      (0x007C_8D00_0002, [0x7C, 0x8D, 0, 0, 2], false), (0x007C_8D00_0002, [0, 0x7C, 0x8D, 0, 0, 2], true),
    ] {
      var rig = ManagerRig {
        $0.registrations = [Self.setup, ServiceRegistration("Other", .bluetooth, filter: "FEA1")]
        $0.identityRules = [IdentityRule(.manufacturerData(company: 1), .bluetooth)]
      }
      let address = RadioAddress(bits: bits, isRandom: true)
      var other = DeviceSighting(
        device: address.deviceName, provider: .bluetooth, locator: Locator(DeviceAddress.radio(address)))
      other[.services] = .text("FEA1")
      _ = rig.take(.found(other))
      let lines = Self.advertise(&rig) { $0.manufacturerData = [[1, 0] + data] }
      expectEqual(lines.first?.hasPrefix(isOne ? "#1 updated" : "#2 found"), true, "\(data)")
    }
  }

  @Test("each byte of a UUID has two digits")
  func digits() {
    let service = BluetoothUUID(short: 0xFE9F)
    var rig = Self.rig([IdentityRule(.serviceData(service), .uuid)])
    _ = rig.announce(10, [ManagerRig.dial])
    let uuid: [UInt8] = [0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0x10]
    expectEqual(
      Self.advertise(&rig) { $0.serviceData = [.init(service, uuid)] }.first?.hasPrefix("#1 updated"), true)
  }

  @Test(
    "the text of a service says a Bluetooth address, a UUID or an address, in the spellings that there are",
    arguments: [
      ("bt=C4:7C:8D:00:00:01", .bluetooth, true), ("a=1; BT=c47c8d000001", .bluetooth, true),
      ("bt=c4-7c-8d-00-00-01; bt=000000000000", .bluetooth, true), ("bt=c4:7c:8d:00:00:02", .bluetooth, false),
      ("bt=c4:7c:8d:00:00:0", .bluetooth, false), ("bt=c4:7c:8d:00:00:0g", .bluetooth, false),
      ("bt", .bluetooth, false), ("xbt=c47c8d000001", .bluetooth, false), ("bt=", .bluetooth, false),
      ("bt=c4:7c:8d:00:00:01:", .bluetooth, true),
      // A semicolon, or a blank, of the string itself.
      (#"note=a\; bt=c47c8d000001"#, .bluetooth, false), (#"note=a\\; bt=c47c8d000001"#, .bluetooth, true),
      ("a=1;  bt=c47c8d000001", .bluetooth, false),
    ] as [(String, IdentityRule.Form, Bool)])
  func text(_ text: String, _ form: IdentityRule.Form, _ isOne: Bool) {
    var rig = Self.rig([IdentityRule(.text(key: "bt"), form)])
    _ = Self.advertise(&rig) { _ in }
    let lines = Self.plain(rig.take(.found(ManagerRig.service("S", "_cast._tcp.local", txt: text))))
    expectEqual(lines.first?.hasPrefix(isOne ? "#1 updated" : "#2 found"), true, "\(text)")
  }

  @Test("a service says the UUID or the address of a root device")
  func ofRoots() {
    for (text, form, isOne): (String, IdentityRule.Form, Bool) in [
      ("id=uuid:1", .uuid, false), ("id=00000000-0000-4000-8000-000000000001", .uuid, true),
      ("id=0000000000004000800000000000000", .uuid, false), ("id=10.0.0.9", .ipv4, true), ("id=10.0.0.8", .ipv4, false),
      ("id=10.0.0", .ipv4, false),
    ] {
      var rig = Self.rig([IdentityRule(.text(key: "id"), form)])
      _ = rig.announce(1, [ManagerRig.dial])
      let lines = Self.plain(rig.take(.found(ManagerRig.service("S", "_cast._tcp.local", at: 20, txt: text))))
      // A UUID in the text makes one by itself, whatever the rules are.
      expectEqual(lines.first?.hasPrefix(isOne ? "#1 updated" : "#2 found"), true, "\(text)")
    }
  }

  @Test("two devices at the address that is said: nobody knows which is meant; one that both are part of is")
  func ambiguous() {
    let rule = IdentityRule(.manufacturerData(company: 1), .ipv4)
    for (faults, isOne) in [([], false), (.ambiguousIdentityTaken, true)] as [(ManagerFaults, Bool)] {
      var rig = Self.rig([rule], faults: faults)
      _ = rig.announce(1, [ManagerRig.dial])
      _ = rig.announce(2, ManagerRig.dlna)
      let lines = Self.advertise(&rig) { $0.manufacturerData = [[1, 0, 10, 0, 0, 9]] }
      expectEqual(lines.first?.hasPrefix(isOne ? "#1 updated" : "#3 found"), true)
    }
    var rig = Self.rig([rule])
    _ = rig.announce(1, [ManagerRig.dial])
    _ = rig.announce(2, ManagerRig.dlna, parts: [(1, "urn:x:service:part:1")])
    let lines = Self.advertise(&rig) { $0.manufacturerData = [[1, 0, 10, 0, 0, 9]] }
    expectEqual(lines, ["#1 updated - [DIAL 1, DLNA 2, Setup \(Self.ble)] of 1 2 \(Self.ble)"])
    // The part goes: the two are two, and the peripheral belongs to neither.
    expectEqual(
      Self.plain(rig.note(2, ManagerRig.dlna)),
      ["#1 updated - [DIAL 1] of 1", "#2 found - [DLNA 2] of 2", "#3 found - [Setup \(Self.ble)] of \(Self.ble)"])
  }

  @Test("two that say the same of a third that is not there are two")
  func nobody() {
    var rig = Self.rig([IdentityRule(.text(key: "bt"), .bluetooth)])
    let lines = (0..<2).flatMap { number in
      rig.take(
        .found(ManagerRig.service("S\(number)", "_cast._tcp.local", hostName: "h\(number)", txt: "bt=c47c8d000001")))
    }
    expectEqual(Self.plain(lines).map { $0.prefix(8) }, ["#1 found", "#2 found"])
  }
}
