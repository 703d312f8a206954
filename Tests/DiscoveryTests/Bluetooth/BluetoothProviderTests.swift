import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDiscovery

/// Peripherals in the engine: found by what they advertise, changed, and lost by silence (CB-20, CB-27, CB-30).
@Suite struct BluetoothProviderTests {
  /// An engine that hears advertisements; it answers with its reports as text.
  private struct Air {
    var engine: DiscoveryEngine
    var outbox = Outbox(payloads: PayloadStore())

    init(_ configure: (inout EngineConfiguration) -> Void = { _ in }) {
      var configuration = EngineConfiguration()
      configure(&configuration)
      engine = DiscoveryEngine(configuration)
    }

    private mutating func answer() -> [String] {
      var lines: [String] = []
      for position in 0..<outbox.count {
        guard let report = outbox.takeReport(at: position) else { continue }
        switch report {
        case .found(let device): lines.append("found \(Air.text(device))")
        case .changed(let device, .attribute(let name, let from)):
          lines.append("changed \(Air.text(device)): \(name) was \(from?.text ?? "-")")
        case .lost(let name, let cause): lines.append("lost \(name) \(cause)")
        case .rejected(let why): lines.append("rejected \(why.reason) at \(why.offset)")
        default: lines.append("\(report)")
        }
      }
      outbox.removeAll()
      expectEqual(engine.brokenInvariants, [])
      return lines
    }

    private static func text(_ device: DeviceSighting) -> String {
      [device.device, device[.name]?.text, device[.services]?.text].compactMap { $0 }.joined(separator: " ")
    }

    mutating func hear(_ bytes: [UInt8], strength: Int8? = -60, at seconds: Double) -> [String] {
      let packet = RadioPDU(channel: 37, strength: strength, accessAddress: AirFrame.advertisingAddress, bytes: bytes)
      engine.receive(SignalValue.radio(.heard(packet)), at: Air.at(seconds), into: &outbox)
      return answer()
    }

    mutating func wake(at seconds: Double) -> [String] {
      engine.wake(at: Air.at(seconds), into: &outbox)
      return answer()
    }

    mutating func stop(at seconds: Double) -> [String] {
      engine.receive(SignalValue.application(.stop), at: Air.at(seconds), into: &outbox)
      return answer()
    }

    static func at(_ seconds: Double) -> Instant { .zero + .nanoseconds(Int64(seconds * 1_000_000_000)) }
  }

  private func address(_ last: UInt8) -> RadioAddress {
    RadioAddress(bits: 0xC0FF_EE00_0000 | UInt64(last), isRandom: true)
  }
  private let lamp = "ble:c0:ff:ee:00:00:01/random"

  private func advert(
    _ last: UInt8 = 1, _ kind: AdvertisingPDU.Kind = .connectable, _ set: (inout AdvertisedFields) -> Void = { _ in }
  ) -> [UInt8] {
    var fields = AdvertisedFields()
    set(&fields)
    return AdvertisingPDU.bytes(kind, from: address(last), data: fields.bytes)
  }

  @Test func `a peripheral is found once, with its address, name and services`() {
    var air = Air()
    let bytes = advert {
      $0.name = "lamp"
      $0.services = [BluetoothUUID(short: 0x180F), BluetoothUUID(short: 0x180D)]
    }
    expectEqual(air.hear(bytes, at: 1), ["found \(lamp) lamp 180F 180D"])
    expectEqual(air.hear(bytes, at: 2), [])
    let device = air.engine.directory.present[0]
    expectEqual(device.sighting.locator.address, .radio(address(1)))
    expectEqual(device.sighting.provider, .bluetooth)
    expectEqual(device.foundAt, Air.at(1))
    expectEqual(device.heardAt, Air.at(2))
    expectEqual(device.strength, -60)
  }

  @Test func `its strength and when it was heard are those of the latest packet`() {
    var air = Air()
    expectEqual(air.hear(advert(), strength: -40, at: 1), ["found \(lamp)"])
    expectEqual(air.hear(advert(), strength: nil, at: 2), [])
    expectEqual(air.engine.directory.present[0].strength, nil)
    expectEqual(air.hear(advert(), strength: 127, at: 3), [])
    expectEqual(air.engine.directory.present[0].strength, nil)
    expectEqual(air.hear(advert(), strength: -90, at: 4), [])
    expectEqual(air.engine.directory.present[0].strength, -90)
    expectEqual(air.engine.directory.present[0].heardAt, Air.at(4))
    expectEqual(air.engine.directory.present[0].changedAt, Air.at(1))
  }

  @Test func `a scan response adds to the advertisement, and what is said in turns stays`() {
    var air = Air()
    expectEqual(air.hear(advert { $0.services = [BluetoothUUID(short: 0x180D)] }, at: 1), ["found \(lamp) 180D"])
    expectEqual(
      air.hear(advert(1, .scanResponse) { $0.name = "lamp" }, at: 1.1), ["changed \(lamp) lamp 180D: name was -"])
    expectEqual(air.hear(advert { $0.services = [BluetoothUUID(short: 0x180D)] }, at: 2), [])
    expectEqual(
      air.hear(advert { $0.services = [BluetoothUUID(short: 0x180F)] }, at: 3),
      [
        "changed \(lamp) lamp 180D 180F: services was 180D"
      ])
    expectEqual(
      air.hear(
        advert {
          $0.name = "lump"
          $0.services = [BluetoothUUID(short: 1)]
        }, at: 4),
      [
        "changed \(lamp) lump 180D 180F 0001: name was lamp",
        "changed \(lamp) lump 180D 180F 0001: services was 180D 180F",
      ])
    expectEqual(air.hear(advert { $0.manufacturerData = [[0x4C, 0, 1]] }, at: 5), [])
  }

  @Test func `silence loses it, at its own time, and each packet begins the time anew`() {
    var air = Air { $0.peripheralSilence = .seconds(10) }
    expectEqual(air.engine.deadline, nil)
    _ = air.hear(advert(1), at: 1)
    _ = air.hear(advert(2), at: 3)
    expectEqual(air.engine.deadline, Air.at(11))
    _ = air.hear(advert(1), at: 5)
    expectEqual(air.engine.deadline, Air.at(13))
    expectEqual(air.wake(at: 12.999_999_999), [])
    expectEqual(air.wake(at: 13), ["lost ble:c0:ff:ee:00:00:02/random expired"])
    expectEqual(air.engine.deadline, Air.at(15))
    // What is due at an instant happens before what arrives then: it is lost, and found again.
    expectEqual(air.hear(advert(1), at: 15), ["lost \(lamp) expired", "found \(lamp)"])
    expectEqual(air.wake(at: 100), ["lost \(lamp) expired"])
    expectEqual(air.engine.deadline, nil)
    expectEqual(air.engine.directory.count, 0)
  }

  @Test func `what ends at the end of all time never ends, and a wake at that time ends as well`() {
    var air = Air { $0.peripheralSilence = .nanoseconds(.max) }
    air.engine.wake(at: .never, into: &air.outbox)
    expectEqual(air.wake(at: 0), [])
    _ = air.hear(advert(1), at: 1)
    expectEqual(air.engine.deadline, nil)
    air.engine.wake(at: .never, into: &air.outbox)
    expectEqual(air.wake(at: 0), [])
    expectEqual(air.engine.directory.count, 1)
  }

  @Test func `thirty seconds of silence are the default, and the engine's end loses all in the order of their silence`()
  {
    var air = Air()
    for last: UInt8 in 1...4 { _ = air.hear(advert(last), at: Double(last)) }
    _ = air.hear(advert(1), at: 5)
    expectEqual(air.engine.deadline, Air.at(32))
    expectEqual(
      air.stop(at: 6), [2, 3, 4, 1].map { "lost ble:c0:ff:ee:00:00:0\($0)/random stopped" })
    expectEqual(air.hear(advert(1), at: 7), [])
  }

  @Test func `a full table removes the peripheral that was silent longest`() {
    var air = Air { $0.limits.peripherals = 2 }
    _ = air.hear(advert(1), at: 1)
    _ = air.hear(advert(2), at: 2)
    _ = air.hear(advert(1), at: 3)
    expectEqual(
      air.hear(advert(3), at: 4),
      [
        "lost ble:c0:ff:ee:00:00:02/random evicted", "found ble:c0:ff:ee:00:00:03/random",
      ])
    expectEqual(air.hear(advert(1), at: 5), [])
    expectEqual(air.engine.directory.count, 2)
    var one = Air { $0.limits.peripherals = 0 }
    expectEqual(one.hear(advert(1), at: 1), ["found \(lamp)"])
    expectEqual(
      one.hear(advert(2), at: 1), ["lost \(lamp) evicted", "found ble:c0:ff:ee:00:00:02/random"])
  }

  @Test func `who asks is no peripheral, and what is no packet is refused with its place`() {
    var air = Air()
    let phone = RadioAddress(bits: 5, isRandom: false)
    expectEqual(air.hear(AdvertisingPDU.bytes(.scanRequest, from: phone, to: address(1)), at: 1), [])
    expectEqual(
      air.hear(
        AdvertisingPDU.bytes(.connectRequest, from: phone, to: address(1), data: [UInt8](repeating: 0, count: 22)),
        at: 1), [])
    // An extended advertisement that only points elsewhere.
    expectEqual(air.hear([7, 5, 4, 0x10, 1, 2, 3], at: 1), [])
    expectEqual(air.hear([0, 5, 1, 2, 3, 4, 5], at: 2), ["rejected badPacket at 1"])
    expectEqual(air.hear([], at: 2), ["rejected badPacket at 0"])
    expectEqual(air.engine.directory.count, 0)
    expectEqual(air.hear(advert(1, .nonconnectable), at: 3), ["found \(lamp)"])
    // Public and random addresses of the same bits are two peripherals.
    let twin = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: false)
    expectEqual(
      air.hear(AdvertisingPDU.bytes(.scannable, from: twin), at: 3), ["found ble:c0:ff:ee:00:00:01/public"])
    expectEqual(
      air.hear(AdvertisingPDU.extendedBytes(from: address(9), mode: 0, dataInfo: 0, data: [3, 9, 0x61, 0x62]), at: 3),
      [
        "found ble:c0:ff:ee:00:00:09/random ab"
      ])
  }

  @Test func `root devices and peripherals are lost in the order of their times`() {
    var rig = EngineRig { $0.peripheralSilence = .seconds(10) }
    func heard(_ last: UInt8) -> SignalValue {
      let packet = RadioPDU(
        channel: 37, strength: -60, accessAddress: AirFrame.advertisingAddress, bytes: advert(last))
      return .radio(.heard(packet))
    }
    func lost(_ effects: [Effect]) -> [String] {
      effects.compactMap { if case .application(.lost(let name, _)) = $0 { name } else { nil } }
    }
    let text =
      "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nCACHE-CONTROL: max-age=12\r\n"
      + "LOCATION: http://192.168.1.20/d.xml\r\nNT: upnp:rootdevice\r\nNTS: ssdp:alive\r\nSERVER: a/1 UPnP/1.0 b/1\r\n"
      + "USN: uuid:11111111-2222-3333-4444-555555555555::upnp:rootdevice\r\n\r\n"
    _ = rig.hear(text, at: 1)
    _ = rig.give(heard(1), at: 2)
    _ = rig.give(heard(2), at: 4)
    expectEqual(rig.engine.directory.count, 3)
    expectEqual(
      lost(rig.wake(at: 60)),
      [
        "ble:c0:ff:ee:00:00:01/random", "uuid:11111111-2222-3333-4444-555555555555", "ble:c0:ff:ee:00:00:02/random",
      ])
    expectEqual(rig.engine.brokenInvariants, [])
  }
}
