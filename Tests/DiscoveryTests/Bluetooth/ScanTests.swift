import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDiscovery

/// When the engine listens, and what a radio that goes off means to it (CB-04, CB-05).
@Suite struct ScanTests {
  private struct Rig {
    var engine: DiscoveryEngine
    var outbox = Outbox(payloads: PayloadStore())

    init(scan: ScanPolicy?) {
      var configuration = EngineConfiguration()
      configuration.scan = scan
      engine = DiscoveryEngine(configuration)
    }

    mutating func give(_ value: SignalValue, at seconds: Int64 = 1) -> [String] {
      engine.receive(value, at: .zero + .seconds(seconds), into: &outbox)
      defer { outbox.removeAll() }
      return outbox.effects.map { effect in
        switch effect {
        case .radio(let value): value.text
        case .application(.found(let device)): "found \(device.device)"
        case .application(.changed(let device, let change)): "changed \(device[.name]?.text ?? "-") \(change)"
        case .application(.lost(let name, let cause)): "lost \(name) \(cause)"
        default: "\(effect)"
        }
      }
    }

    mutating func hear(_ data: [UInt8], _ kind: AdvertisingPDU.Kind = .connectable, from last: UInt8 = 1) -> [String] {
      let address = RadioAddress(bits: 0xC0FF_EE00_0000 | UInt64(last), isRandom: true)
      let bytes = AdvertisingPDU.bytes(kind, from: address, data: data)
      return give(
        .radio(
          .heard(RadioPDU(channel: 38, strength: -50, accessAddress: AirFrame.advertisingAddress, bytes: bytes))))
    }
  }

  private func name(_ text: String) -> [UInt8] { AdvertisingStructure.bytes(.completeName, Array(text.utf8)) }

  @Test func `it scans as it was asked to, each time that the radio is on, and stops when the application stops it`() {
    var rig = Rig(scan: ScanPolicy(.passive, window: .milliseconds(10), interval: .milliseconds(60)))
    expectEqual(rig.give(.host(.power(.on))), ["scan 10ms of 60ms passive"])
    expectEqual(rig.give(.host(.power(.off))), [])
    expectEqual(rig.give(.host(.power(.on))), ["scan 10ms of 60ms passive"])
    expectEqual(rig.give(.application(.stop)), ["stop-scan"])
    expectEqual(rig.give(.host(.power(.on))), [])
    var active = Rig(scan: ScanPolicy())
    expectEqual(active.give(.host(.power(.on))), ["scan 30ms of 30ms active"])
  }

  @Test func `without being asked to it never scans`() {
    var rig = Rig(scan: nil)
    expectEqual(rig.give(.host(.power(.on))), [])
    expectEqual(rig.give(.application(.stop)), [])
  }

  @Test(arguments: PowerState.allCases.filter { $0 != .on })
  func `a radio that is not on has no peripherals, in the order of their silence`(state: PowerState) {
    var rig = Rig(scan: nil)
    expectEqual(rig.hear(name("a"), from: 1), ["found ble:c0:ff:ee:00:00:01/random"])
    expectEqual(rig.hear(name("b"), from: 2), ["found ble:c0:ff:ee:00:00:02/random"])
    expectEqual(rig.hear(name("a"), from: 1), [])
    expectEqual(
      rig.give(.host(.power(state))),
      [
        "lost ble:c0:ff:ee:00:00:02/random interface", "lost ble:c0:ff:ee:00:00:01/random interface",
      ])
    expectEqual(rig.engine.brokenInvariants, [])
    expectEqual(rig.hear(name("a"), from: 1), ["found ble:c0:ff:ee:00:00:01/random"])
  }

  @Test func `an advertisement and a response that disagree change the name once each, and not with each packet`() {
    var rig = Rig(scan: nil)
    expectEqual(rig.hear(name("one")).count, 1)
    expectEqual(
      rig.hear(name("two"), .scanResponse),
      [
        "changed two attribute(RollcallPrimitives.DeviceAttribute.Name.name, from: Optional(RollcallPrimitives.DeviceAttribute.Value.text(\"one\")))"
      ])
    for _ in 0..<3 {
      expectEqual(rig.hear(name("one")), [])
      expectEqual(rig.hear(name("two"), .scanResponse), [])
    }
    // Something new is told, and then what was said before it is new again.
    expectEqual(rig.hear(name("six")).count, 1)
    expectEqual(rig.hear(name("one")).count, 1)
    expectEqual(rig.engine.directory.present[0].sighting[.name], .text("one"))
  }

  @Test func `a longer packet that begins as the last one did is news, and so is a shorter one`() {
    var rig = Rig(scan: nil)
    let services: [UInt8] = [3, 3, 0x0F, 0x18]
    expectEqual(rig.hear(services).count, 1)
    expectEqual(rig.hear(services + name("a")).count, 1)
    expectEqual(rig.hear(services), [])
    expectEqual(rig.hear(services + name("b")).count, 1)
  }

  @Test func `the place of a peripheral that is gone is used again, and nobody takes over what it said`() {
    var rig = Rig(scan: nil)
    _ = rig.hear(name("a"), from: 1)
    _ = rig.hear(name("b"), from: 2)
    _ = rig.give(.host(.power(.off)))
    expectEqual(rig.hear(name("a"), from: 3), ["found ble:c0:ff:ee:00:00:03/random"])
    expectEqual(rig.hear([], from: 4), ["found ble:c0:ff:ee:00:00:04/random"])
    expectEqual(rig.engine.directory.present.map { $0.sighting[.name] }, [.text("a"), nil])
    expectEqual(rig.engine.directory.present.map(\.strength), [-50, -50])
    expectEqual(rig.engine.brokenInvariants, [])
  }

  @Test func `a table that is out of order is noticed`() {
    var table = PeripheralTable(countMaximum: 2)
    func insert(_ last: UInt64, heardAt seconds: Int64) {
      [UInt8]().withUnsafeBytes { data in
        table.insert(
          Peripheral(
            address: RadioAddress(bits: last, isRandom: true), heardAt: .zero + .seconds(seconds),
            fields: AdvertisedFields(), directoryPlace: 0, kind: .connectable, data: data))
      }
    }
    insert(1, heardAt: 5)
    insert(2, heardAt: 5)
    expectEqual(table.brokenInvariants, [])
    insert(3, heardAt: 4)
    expectEqual(
      table.brokenInvariants,
      [
        "peripheral 2 was heard before the one before it", "3 peripherals, at most 2 are kept",
      ])
    insert(1, heardAt: 6)
    expectEqual(
      table.brokenInvariants,
      [
        "peripheral 0 is not found by its address", "peripheral 2 was heard before the one before it",
        "3 peripherals, 4 of them in order and 0 held", "3 peripherals, at most 2 are kept",
      ])
  }
}
