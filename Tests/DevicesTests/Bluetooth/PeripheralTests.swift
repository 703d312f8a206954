import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

/// A peripheral as a machine: what it asks of its controller, and when.
@Suite struct PeripheralTests {
  /// Gives a peripheral acts and time, and answers with what it wants, as text.
  private struct Rig {
    var peripheral: Peripheral
    private var outbox = Outbox(payloads: PayloadStore())

    init(_ plan: PeripheralPlan) { peripheral = Peripheral(plan, name: "tag") }

    mutating func act(_ act: Act, at seconds: Int64) -> [String] {
      peripheral.receive(SignalValue.application(.act(act)), at: .zero + .seconds(seconds), into: &outbox)
      return wants()
    }

    mutating func power(_ state: PowerState, at seconds: Int64) -> [String] {
      peripheral.receive(SignalValue.host(.power(state)), at: .zero + .seconds(seconds), into: &outbox)
      return wants()
    }

    mutating func wake(at seconds: Int64) -> [String] {
      peripheral.wake(at: .zero + .seconds(seconds), into: &outbox)
      return wants()
    }

    var deadlineSeconds: Int64? { peripheral.deadline.map { $0.nanoseconds / 1_000_000_000 } }

    private mutating func wants() -> [String] {
      defer { outbox.removeAll() }
      return outbox.effects.map { effect in
        guard case .radio(let value) = effect else { return "\(effect)" }
        switch value {
        case .advertise(_, let every, let pdu, let response):
          let read = pdu.withUnsafeBytes { try? AdvertisingPDU($0) }
          let fields = pdu.withUnsafeBytes { bytes in
            read.map { AdvertisedFields(UnsafeRawBufferPointer(rebasing: bytes[$0.data])) }
          }
          let name = fields?.name.map { " \($0)" } ?? ""
          return "\(read?.kind.name ?? "?") every \(every)\(name)" + (response.isEmpty ? "" : ", response")
        case .stopAdvertising: return "stop"
        default: return value.text
        }
      }
    }
  }

  private func saying(_ name: String) -> PeripheralPlan.Saying {
    var fields = AdvertisedFields()
    fields.name = name
    return PeripheralPlan.Saying(fields)
  }

  private let fixed = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)

  private func plan(_ change: (inout PeripheralPlan) -> Void = { _ in }) -> PeripheralPlan {
    var plan = PeripheralPlan(address: .fixed(fixed), saying: saying("Tag"))
    change(&plan)
    return plan
  }

  @Test func `it advertises from its appearance until it leaves, and is present meanwhile`() {
    var rig = Rig(plan())
    expectEqual(rig.peripheral.presentDevices, [])
    expectEqual(rig.act(.appear, at: 1), ["ADV_IND every 100ms Tag"])
    expectEqual(rig.peripheral.presentDevices, ["ble:c0:ff:ee:00:00:01/random"])
    expectEqual(rig.act(.appear, at: 2), [])
    expectEqual(rig.deadlineSeconds, nil)
    expectEqual(rig.act(.leave, at: 3), ["stop"])
    expectEqual(rig.peripheral.presentDevices, [])
    expectEqual(rig.act(.appear, at: 4), ["ADV_IND every 100ms Tag"])
    expectEqual(rig.act(.vanish, at: 5), ["stop"])
  }

  @Test func `each kind sends its own packet, and a response where it has one`() {
    for (kind, name) in [
      (PeripheralPlan.Kind.connectable, "ADV_IND"), (.scannable, "ADV_SCAN_IND"), (.nonConnectable, "ADV_NONCONN_IND"),
    ] {
      var rig = Rig(plan { $0.kind = kind })
      expectEqual(rig.act(.appear, at: 0), ["\(name) every 100ms Tag"])
    }
    var fields = AdvertisedFields()
    fields.services = [BluetoothUUID(short: 0x180F)]
    var rig = Rig(plan { $0.saying.responded = fields })
    expectEqual(rig.act(.appear, at: 0), ["ADV_IND every 100ms Tag, response"])
  }

  @Test func `an extended set that scanners may ask has its data in the answer, all others in the advertisement`() {
    for (kind, mode) in [(.nonConnectable, 0), (.connectable, 1), (.scannable, 2)] as [(PeripheralPlan.Kind, UInt8)] {
      let extended = plan { plan in
        (plan.kind, plan.isExtended) = (kind, true)
        // More than a legacy packet holds.
        plan.saying.advertised.name = String(repeating: "a", count: 40)
        plan.saying.responded.name = String(repeating: "r", count: 40)
      }
      var outbox = Outbox(payloads: PayloadStore())
      var peripheral = Peripheral(extended, name: "tag")
      peripheral.receive(SignalValue.application(.act(.appear)), at: .zero, into: &outbox)
      let wants = outbox.effects.compactMap { effect -> RadioEffect? in
        if case .radio(let value) = effect { value } else { nil }
      }
      let isAsked = kind == .scannable
      let said = (isAsked ? extended.saying.responded : extended.saying.advertised).bytes
      let info = AdvertisingPDU.dataInfo(set: 0, of: said)
      expectEqual(
        wants,
        [
          .advertise(
            set: 0, every: .milliseconds(100),
            pdu: AdvertisingPDU.extendedBytes(from: fixed, mode: mode, dataInfo: info, data: isAsked ? [] : said),
            response: isAsked
              ? AdvertisingPDU.extendedBytes(from: fixed, mode: 0, dataInfo: nil, data: said) : [])
        ])
    }
  }

  @Test func `it is fast for a while after a start and after a change`() {
    var rig = Rig(
      plan {
        $0.fast = PeripheralPlan.Fast(interval: .milliseconds(20), duration: .seconds(30))
        $0.otherSaying = saying("Other")
      })
    expectEqual(rig.act(.appear, at: 10), ["ADV_IND every 20ms Tag"])
    expectEqual(rig.deadlineSeconds, 40)
    expectEqual(rig.wake(at: 39), [])
    expectEqual(rig.wake(at: 40), ["ADV_IND every 100ms Tag"])
    expectEqual(rig.deadlineSeconds, nil)
    expectEqual(rig.act(.reconfigure, at: 50), ["ADV_IND every 20ms Other"])
    expectEqual(rig.deadlineSeconds, 80)
    expectEqual(rig.act(.reconfigure, at: 60), ["ADV_IND every 20ms Tag"])
    expectEqual(rig.wake(at: 90), ["ADV_IND every 100ms Tag"])
  }

  @Test func `a change while it is away shows when it is back`() {
    var rig = Rig(plan { $0.otherSaying = saying("Other") })
    expectEqual(rig.act(.reconfigure, at: 1), [])
    expectEqual(rig.act(.appear, at: 2), ["ADV_IND every 100ms Other"])
  }

  @Test func `a private address is another one after each interval, and after each start`() {
    var rig = Rig(plan { $0.address = .rotating(every: .seconds(900)) })
    func name(_ number: UInt32) -> [String] { [Peripheral.privateAddress(number, of: "tag").deviceName] }
    expectEqual(rig.act(.appear, at: 0).count, 1)
    expectEqual(rig.peripheral.presentDevices, name(0))
    expectEqual(rig.deadlineSeconds, 900)
    expectEqual(rig.wake(at: 899), [])
    expectEqual(rig.wake(at: 900), ["ADV_IND every 100ms Tag"])
    expectEqual(rig.peripheral.presentDevices, name(1))
    expectEqual(rig.deadlineSeconds, 1_800)
    expectEqual(rig.act(.leave, at: 1_000), ["stop"])
    expectEqual(rig.deadlineSeconds, nil)
    expectEqual(rig.act(.appear, at: 1_100).count, 1)
    expectEqual(rig.peripheral.presentDevices, name(2))
    expectEqual(rig.deadlineSeconds, 2_000)
    expectEqual(rig.act(.reboot, at: 1_200).count, 1)
    expectEqual(rig.peripheral.presentDevices, name(3))
  }

  @Test func `private addresses are non-resolvable, differ, and belong to the name`() {
    let addresses = (0..<1_000).map { Peripheral.privateAddress($0, of: "tag") }
    expectEqual(Set(addresses).count, 1_000)
    #expect(addresses.allSatisfy { $0.isRandom && $0.bits >> 46 == 0 })
    #expect(addresses[0] != Peripheral.privateAddress(0, of: "tag-2"))
    expectEqual(addresses[7], Peripheral.privateAddress(7, of: "tag"))
    // They never change, since runs on record name them.
    expectEqual(
      addresses.prefix(3).map(\.deviceName),
      ["ble:1b:4f:8d:f3:92:df/random", "ble:2e:5f:70:6a:e9:6e/random", "ble:05:68:d4:e1:2f:3c/random"])
  }

  @Test func `after a crash it is silent for as long as it is down`() {
    var rig = Rig(plan())
    expectEqual(rig.act(.crash(downFor: .seconds(5), keepsState: true), at: 0), [])
    _ = rig.act(.appear, at: 1)
    expectEqual(rig.act(.crash(downFor: .seconds(5), keepsState: true), at: 10), ["stop"])
    expectEqual(rig.peripheral.presentDevices, [])
    expectEqual(rig.deadlineSeconds, 15)
    expectEqual(rig.wake(at: 14), [])
    expectEqual(rig.wake(at: 15), ["ADV_IND every 100ms Tag"])
    expectEqual(rig.peripheral.presentDevices.count, 1)
    _ = rig.act(.crash(downFor: .seconds(5), keepsState: true), at: 20)
    expectEqual(rig.act(.leave, at: 21), ["stop"])
    expectEqual(rig.deadlineSeconds, nil)
    expectEqual(rig.wake(at: 25), [])
  }

  @Test func `a radio that was off begins again when it is on, if the peripheral is there`() {
    var rig = Rig(plan { $0.address = .rotating(every: .seconds(900)) })
    expectEqual(rig.power(.on, at: 0), [])
    expectEqual(rig.power(.off, at: 1), [])
    expectEqual(rig.act(.appear, at: 2), [])
    expectEqual(rig.peripheral.presentDevices, [])
    expectEqual(rig.power(.on, at: 3), ["ADV_IND every 100ms Tag"])
    expectEqual(rig.deadlineSeconds, 903)
    expectEqual(rig.power(.off, at: 4), [])
    expectEqual(rig.peripheral.presentDevices, [])
    expectEqual(rig.deadlineSeconds, nil)
    _ = rig.act(.leave, at: 5)
    expectEqual(rig.power(.on, at: 6), [])
  }

  @Test func `what is down does not reboot, appears at once, and waits for its radio when its time has come`() {
    let crash = Act.crash(downFor: .seconds(5), keepsState: true)
    let advertises = ["ADV_IND every 100ms Tag"]
    var rig = Rig(plan())
    expectEqual(rig.act(.reboot, at: 0), [])
    _ = rig.act(.appear, at: 1)
    expectEqual(rig.act(crash, at: 10), ["stop"])
    expectEqual(rig.act(.reboot, at: 11), [])
    expectEqual(rig.act(.appear, at: 12), advertises)
    expectEqual(rig.deadlineSeconds, nil)
    expectEqual(rig.wake(at: 15), [])
    expectEqual(rig.act(.crash(downFor: .seconds(-5), keepsState: true), at: 20), ["stop"])
    expectEqual(rig.deadlineSeconds, 20)
    expectEqual(rig.wake(at: 20), advertises)
    expectEqual(rig.act(crash, at: 30), ["stop"])
    expectEqual(rig.power(.off, at: 31), [])
    expectEqual(rig.power(.on, at: 32), [])
    expectEqual(rig.wake(at: 35), advertises)
    expectEqual(rig.act(crash, at: 40), ["stop"])
    expectEqual(rig.power(.off, at: 41), [])
    expectEqual(rig.wake(at: 45), [])
    expectEqual(rig.peripheral.presentDevices, [])
    expectEqual(rig.power(.on, at: 46), advertises)
    expectEqual(rig.power(.on, at: 47), [])
    expectEqual(rig.act(crash, at: 50), ["stop"])
    expectEqual(rig.act(.vanish, at: 51), ["stop"])
    expectEqual(rig.deadlineSeconds, nil)
    expectEqual(rig.wake(at: 55), [])
  }

  // MARK: - Quirks

  private func fields(_ name: String? = "Tag", services: [UInt32] = [0x180F]) -> AdvertisedFields {
    var fields = AdvertisedFields()
    (fields.name, fields.services) = (name, services.map { BluetoothUUID(short: $0) })
    return fields
  }

  private func hex(_ quirks: PeripheralQuirk...) -> String {
    PeripheralQuirk.bytes(of: fields(), quirks).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test func `each quirk makes the bytes that its row describes`() {
    expectEqual(hex(), "03030f1804095461" + "67")
    expectEqual(hex(.paddedWithZeros), "03030f180409546167" + String(repeating: "00", count: 22))
    expectEqual(hex(.overrunningStructure), "03030f180409546167" + "1e0958")
    expectEqual(hex(.loneLengthByte), "03030f180409546167" + "05")
    expectEqual(hex(.emptyStructure), "03030f180409546167" + "0119")
    expectEqual(hex(.shortManufacturerData), "03030f180409546167" + "02ff4c")
    expectEqual(hex(.oddServiceList), "0409546167" + "04030f1818")
    expectEqual(hex(.shortServiceData), "03030f180409546167" + "02160f")
    expectEqual(hex(.twoManufacturerFields), "03030f180409546167" + "04ffffff01" + "04ffffff02")
    expectEqual(hex(.nameInLatin1), "03030f18" + "0509546167e9")
    expectEqual(hex(.nameWithZeros), "03030f18" + "0709546167000000")
    expectEqual(hex(.longTransmitPower), "03030f180409546167" + "030a0400")
    #expect(hex(.loneLengthByte, .paddedWithZeros).hasSuffix("6705" + String(repeating: "00", count: 21)))
    // In an extended packet too the zeros end at 31 bytes, and there are none behind more.
    expectEqual(
      PeripheralQuirk.bytes(of: fields(), [.paddedWithZeros], upTo: 100),
      fields().bytes + [UInt8](repeating: 0, count: 22))
    let long = fields(String(repeating: "x", count: 40))
    expectEqual(PeripheralQuirk.bytes(of: long, [.paddedWithZeros], upTo: 100), long.bytes)
  }

  @Test func `every quirk but padding, an empty structure, two fields and zeros is a fault that a reader tells`() {
    let silent: [PeripheralQuirk] = [
      .paddedWithZeros, .twoManufacturerFields, .nameWithZeros,
      // Of connections.
      .refusesFirstConnection, .endsConnections, .answersNothing, .answersWrongly, .fallingHandles, .notifiesUnasked,
    ]
    for quirk in PeripheralQuirk.allCases {
      let bytes = PeripheralQuirk.bytes(of: fields(), [quirk])
      let faults = bytes.withUnsafeBytes { AdvertisedFields($0).faults }
      expectEqual(faults.isEmpty, silent.contains(quirk), "\(quirk)")
      #expect(bytes.count <= PeripheralPlan.dataBytesMaximum)
      #expect(!quirk.text.isEmpty)
    }
    let long = fields(String(repeating: "x", count: 40))
    expectEqual(PeripheralQuirk.bytes(of: long, []).count, 31)
  }
}
