import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallScenarios

/// The plan of a peripheral that is worked out of its section, and what the timeline has the engine do with one.
@Suite("Plans of peripherals, and deeds that are done to them") struct PeripheralPlanTests {
  @Test("a plan has all that the section says, and an address made of the name where it says none")
  func plan() {
    let fields = AdvertisedFields()
    var renamed = AdvertisedFields()
    renamed.name = "N"
    let (saying, other) = (PeripheralPlan.Saying(fields), PeripheralPlan.Saying(renamed))
    let fast = PeripheralPlan.Fast(interval: .milliseconds(20), duration: .seconds(30))
    let address = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
    let first = [GATTPlan.Service(BluetoothUUID(short: 0x180F), [])]
    let second = [GATTPlan.Service(BluetoothUUID(short: 0x180A), [])]
    var section = PeripheralSection(
      kind: .scannable, address: address, interval: .milliseconds(30), fast: fast, saying: saying, otherSaying: other,
      quirks: [.paddedWithZeros], gatt: first, otherGATT: second, mtu: 23, connectionsMaximum: 8)
    section.isExtended = true
    var plan = PeripheralPlan(
      kind: .scannable, isExtended: true, address: .fixed(address), interval: .milliseconds(30), fast: fast,
      saying: saying, otherSaying: other, quirks: [.paddedWithZeros], gatt: GATTPlan(first, mtu: 23),
      otherGATT: GATTPlan(second, mtu: 23), connectionsMaximum: 8)
    expectEqual(section.plan(named: "lamp"), plan)
    section.address = nil
    plan.address = .fixed(RadioAddress(bits: 0xC189_3A01_7504, isRandom: true))
    expectEqual(section.plan(named: "lamp"), plan)
    section.rotation = .seconds(9)
    plan.address = .rotating(every: .seconds(9))
    expectEqual(section.plan(named: "lamp"), plan)
  }

  @Test("each deed is read from its key, and what is written of it reads back as the same")
  func deeds() throws {
    let battery = GATTAttribute.characteristic(BluetoothUUID(short: 0x2A19))
    let at = Instant.zero + .seconds(1)
    let pair = "{who: lamp, characteristic: 2A19}"
    let written = "{who: lamp, characteristic: 2A19, value: 0aff, response: false, times: 3}"
    let rows: [(key: String, value: String, isPlain: Bool, deed: PeripheralDeed)] = [
      ("connect", "lamp", true, PeripheralDeed(who: "lamp", .connect)),
      ("disconnect", "lamp", true, PeripheralDeed(who: "lamp", .disconnect)),
      ("discover", "lamp", true, PeripheralDeed(who: "lamp", .discover)),
      ("read-strength", "lamp", true, PeripheralDeed(who: "lamp", .readStrength)),
      ("read", pair, false, PeripheralDeed(who: "lamp", .read(battery))),
      ("write", pair, false, PeripheralDeed(who: "lamp", .write(battery, [], withResponse: true))),
      (
        "write", written, false, PeripheralDeed(who: "lamp", .write(battery, [10, 255], withResponse: false), times: 3)
      ),
      ("subscribe", pair, false, PeripheralDeed(who: "lamp", .notify(battery, true))),
      ("unsubscribe", pair, false, PeripheralDeed(who: "lamp", .notify(battery, false))),
    ]
    let form = Form<TimelineEntry>.timelineEntry
    for (key, value, isPlain, deed) in rows {
      let entry = TimelineEntry(at: at, .peripheral(deed))
      let tree = try Composer.tree(of: "{at: 1s, \(key): \(value)}").get()
      var reader = Reader()
      expectEqual(form.read(tree, &reader), entry, "\(key)")
      expectEqual(form.read(form.write(entry, false), &reader), entry, "\(key)")
      expectEqual(form.read(form.write(entry, true), &reader), entry, "\(key)")
      expectEqual(reader.complaints, [])
      expectEqual(deed.key, key)
      expectEqual(deed.isPlain, isPlain, "\(key)")
    }
  }
}
