import RollcallExpectations
import RollcallPrimitives
import Testing

/// What an application asks of peripherals and what it is told, as ports and people have it.
@Suite struct PeripheralPortTests {
  private static let battery = BluetoothUUID(short: 0x180F)
  private static let level = BluetoothUUID(short: 0x2A19)
  private static let long = BluetoothUUID(high: 0xF001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)
  private static let address = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
  private static let bytes: [[UInt8]] = [[], [0], [32], [92], Array("a b".utf8), Array("-".utf8), Array(0...255)]
  private static let attributes: [GATTAttribute] = [
    .handle(0), .handle(3), .handle(.max), .handle(0x2A19), .characteristic(level), .characteristic(long),
    .characteristic(BluetoothUUID(short: 0x0001_2A19)),
  ]

  @Test func `every request of every peripheral has a text and a digest of its own`() {
    var requests: [CentralCommand.Request] = [.connect, .disconnect, .discover, .readStrength]
    let lists = [
      [], [PeripheralPortTests.battery], [PeripheralPortTests.long],
      [PeripheralPortTests.battery, PeripheralPortTests.long], [PeripheralPortTests.long, PeripheralPortTests.battery],
    ]
    requests += lists.map { .services($0) }
    for handle in [0, 1, .max] as [UInt16] {
      requests += [.includedServices(service: handle), .descriptors(characteristic: handle)]
      requests += lists.map { .characteristics(service: handle, $0) }
    }
    for attribute in PeripheralPortTests.attributes {
      requests += [.read(attribute), .notify(attribute, true), .notify(attribute, false)]
      for bytes in PeripheralPortTests.bytes {
        requests += [.write(attribute, bytes, withResponse: true), .write(attribute, bytes, withResponse: false)]
      }
    }
    let addresses = [
      PeripheralPortTests.address, RadioAddress(bits: PeripheralPortTests.address.bits, isRandom: false),
      RadioAddress(bits: 0, isRandom: true),
    ]
    expectDistinct(addresses.flatMap { address in requests.map { Command.peripheral(CentralCommand(address, $0)) } })
  }

  @Test func `every event of every device has a text and a digest of its own`() {
    var events: [PeripheralReport.Event] = [
      .connected, .readyToWrite, .discovered(services: 1, characteristics: 2, descriptors: 3),
      .discovered(services: 3, characteristics: 2, descriptors: 1), .servicesChanged(0...0),
      .servicesChanged(1...0xFFFF), .servicesChanged(1...1),
    ]
    for end in LinkEnd.allCases { events += [.connectionFailed(end), .disconnected(end)] }
    let services = [
      GATTService(PeripheralPortTests.battery, 1...9),
      GATTService(PeripheralPortTests.battery, 1...9, isPrimary: false),
      GATTService(PeripheralPortTests.long, 10...0xFFFF),
    ]
    let characteristics = [
      GATTCharacteristic(PeripheralPortTests.level, 3, []), GATTCharacteristic(PeripheralPortTests.level, 3, .read),
      GATTCharacteristic(PeripheralPortTests.long, .max, .init(rawValue: .max)),
    ]
    let descriptors = [GATTDescriptor(.clientConfiguration, 4), GATTDescriptor(PeripheralPortTests.long, .max)]
    events += [.services([]), .services(services)] + services.map { .services([$0]) }
    for handle in [1, 2] as [UInt16] {
      events += [
        .includedServices(service: handle, []), .includedServices(service: handle, services),
        .characteristics(service: handle, []), .characteristics(service: handle, characteristics),
        .descriptors(characteristic: handle, []), .descriptors(characteristic: handle, descriptors),
        .descriptors(characteristic: handle, descriptors.reversed()), .written(handle: handle),
        .notifying(handle: handle, true), .notifying(handle: handle, false),
      ]
      events += characteristics.map { .characteristics(service: handle, [$0]) }
      for cause in PeripheralReport.ValueCause.allCases {
        for uuid in [nil, PeripheralPortTests.level, PeripheralPortTests.long] {
          events += PeripheralPortTests.bytes.map { .value(handle: handle, uuid, $0, cause) }
        }
      }
    }
    events += [nil, .min, -1, 0, 126].map { .strength($0) }
    for request in GATTFailure.Request.allCases {
      for reason in GATTFailure.Reason.allCases {
        for attribute in [nil] + PeripheralPortTests.attributes.map({ Optional($0) }) {
          events += [nil, 0, .max].map { .failed(GATTFailure(request, reason, attribute, error: $0)) }
        }
      }
    }
    for name in ["ble:c0:ff:ee:00:00:01/random", "", "-", "a b", "ü\n"] {
      expectDistinct(events.map { Report.peripheral(PeripheralReport(name, $0)) })
    }
    let names = ["ble:c0:ff:ee:00:00:01/random", "", "-", "a b", "ü\n"]
    expectDistinct(names.map { Report.peripheral(PeripheralReport($0, .connected)) })
  }

  @Test func `an attribute is a handle behind a hash, or a UUID, and nothing else`() {
    expectEqual("\(GATTAttribute.handle(18))", "#18")
    expectEqual("\(GATTAttribute.characteristic(PeripheralPortTests.level))", "2A19")
    expectEqual(
      "\(GATTAttribute.characteristic(PeripheralPortTests.long))", "F0010203-0405-0607-0809-0A0B0C0D0E0F")
    let text = Command.peripheral(CentralCommand(PeripheralPortTests.address, .read(.handle(3)))).text
    func read(_ attribute: String) -> Command? { try? Command(text: text.dropLast(2) + attribute) }
    let small = Command.peripheral(
      CentralCommand(PeripheralPortTests.address, .read(.characteristic(PeripheralPortTests.level))))
    expectEqual(read("2a19"), small)
    for attribute in ["", "#", "#-1", "#+1", "#65536", "3", "2A1", "2A19,2A19", "#3 #4"] {
      expectEqual(read(attribute), nil, "\(attribute)")
    }
  }

  @Test func `bytes are two small digits each, and digits of either size are read`() {
    expectEqual(PeripheralReport.hex([0, 1, 15, 16, 171, 255]), "00010f10abff")
    #expect(PeripheralReport.hex([]) == "" && PeripheralReport.bytes(hex: "") == [])
    expectEqual(PeripheralReport.bytes(hex: PeripheralReport.hex(Array(0...255))), Array(0...255))
    expectEqual(PeripheralReport.bytes(hex: "aBCd"), [0xAB, 0xCD])
    for text in ["0", "abc", "0g", "+1", "-1", " 1", "1 ", "0x", "é", "ü1a"] {
      expectEqual(PeripheralReport.bytes(hex: text), nil, "\(text)")
    }
  }

  @Test func `the UUIDs that the protocol knows are those of the assigned numbers`() {
    let all: [(BluetoothUUID, String)] = [
      (.primaryService, "2800"), (.secondaryService, "2801"), (.include, "2802"), (.characteristic, "2803"),
      (.userDescription, "2901"), (.clientConfiguration, "2902"), (.genericAccess, "1800"),
      (.genericAttribute, "1801"), (.deviceName, "2A00"), (.appearance, "2A01"), (.serviceChanged, "2A05"),
    ]
    for (uuid, text) in all { #expect(uuid.description == text && BluetoothUUID(text) == uuid) }
    typealias Properties = GATTCharacteristic.Properties
    let bits: [Properties] = [
      .broadcast, .read, .writeWithoutResponse, .write, .notify, .indicate, .signedWrite, .extended,
    ]
    expectEqual(bits.map(\.rawValue), (0..<8).map { 1 << $0 })
  }

  @Test func `people read what became of a peripheral`() {
    let level = PeripheralPortTests.level
    let texts: [(PeripheralReport.Event, String)] = [
      (.connectionFailed(.refused), "not connected: the controller refused"),
      (.disconnected(.closed), "disconnected: the application asked for it"),
      (.characteristics(service: 1, [GATTCharacteristic(level, 3, .read)]), "service #1 has 2A19#3"),
      (.value(handle: 3, level, [10, 255], .read), "read of 2A19: 0aff"),
      (.value(handle: 3, nil, [1], .notification), "notification of #3: 01"),
      (.strength(nil), "strength unknown"), (.strength(-60), "strength -60 dBm"),
      (
        .failed(GATTFailure(.read, .refused, .characteristic(level), error: 2)),
        "read of 2A19 failed: the server refused it, error 0x02"
      ),
      (
        .failed(GATTFailure(.write, .refused, .handle(3), error: 0x80)),
        "write of #3 failed: the server refused it, error 0x80"
      ),
      (.failed(GATTFailure(.discover, .tooMany)), "discover failed: too much waits to be done"),
    ]
    for (event, text) in texts { expectEqual(event.text, text) }
    let reasons = GATTFailure.Reason.allCases.map { GATTFailure(.read, $0).text }
    #expect(Set(reasons).count == reasons.count && Set(LinkEnd.allCases.map(\.text)).count == LinkEnd.allCases.count)
    let write = CentralCommand.Request.write(.characteristic(level), [1, 2], withResponse: false)
    let command = CentralCommand(PeripheralPortTests.address, write)
    expectEqual(command.text, "write 2 bytes to 2A19 of c0:ff:ee:00:00:01/random, without response")
  }
}
