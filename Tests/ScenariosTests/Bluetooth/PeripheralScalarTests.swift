import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallScenarios

/// Scalars, bytes and lists of peripherals, each form alone.
@Suite("Forms of peripherals, one by one") struct PeripheralScalarTests {
  @Test("an error of the attribute protocol is read in decimal or hexadecimal, and written with two digits in capitals")
  func errors() {
    let form: Form<UInt8> = .attributeError
    FormBench.check(
      form,
      [
        ("0", "0 as 0x00"), ("5", "5 as 0x05"), ("0x05", "5 as 0x05"), ("0x5", "5 as 0x05"), ("15", "15 as 0x0F"),
        ("16", "16 as 0x10"), ("0x10", "16 as 0x10"), ("0xab", "171 as 0xAB"), ("255", "255 as 0xFF"),
        ("0xFF", "255 as 0xFF"),
      ])
    for text in ["256", "0x100", "0x", "-1", "0x-1", "ab", "0xG", ""] {
      expectEqual(
        FormBench.line(form, text), "'\(text)' is not an error of the attribute protocol such as 0x05", "\(text)")
    }
  }

  @Test("flags are a number up to 255, or none")
  func flags() {
    let form: Form<UInt8?> = .flags
    let rows: [(text: String, value: UInt8?)] = [("none", nil), ("0", 0), ("6", 6), ("255", 255)]
    for (text, value) in rows {
      let found = FormBench.read(form, .scalar(text))
      expectEqual(found.value, .some(value), "\(text)")
      expectEqual(found.said, [])
      expectEqual(form.write(value, false), .scalar(text))
    }
    expectEqual(FormBench.line(form, "256"), "'256' is too large: flags goes up to 255")
    for text in ["None", "06", "-1", "0x06", ""] {
      expectEqual(FormBench.line(form, text), "'\(text)' is not flags such as 6 or none")
    }
  }

  @Test("an MTU, an interval, a power and an address are read at their bounds and written as they are")
  func numbers() {
    let mtu: Form<UInt16> = .mtu
    let whole = "is not a whole number from 23 to 517 such as 23"
    FormBench.check(
      mtu, [("23", "23 as 23"), ("517", "517 as 517"), ("22", "'22' \(whole)"), ("518", "'518' \(whole)")])
    let interval: Form<Interval> = .advertisingInterval
    FormBench.check(
      interval,
      [
        ("20ms", "20ms as 20ms"), ("10240ms", "10240ms as 10240ms"),
        ("19999999ns", "19999999ns is not from 20ms to 10240ms"),
        ("10240000001ns", "10240000001ns is not from 20ms to 10240ms"),
        ("20", "'20' has no unit: a duration is written such as 250ms or 3s"),
      ])
    let power: Form<Int8> = .decibelMilliwatts8
    FormBench.check(power, [("-127dBm", "-127 as -127dBm"), ("0dBm", "0 as 0dBm"), ("30dBm", "30 as 30dBm")])
    let address: Form<RadioAddress> = .radioAddress
    let (random, fixed) = ("c0:ff:ee:00:00:01/random", "00:1b:dc:00:00:01/public")
    FormBench.check(
      address,
      [
        (random, "\(random) as \(random)"), (fixed, "\(fixed) as \(fixed)"),
        ("C0:FF:EE:00:00:01/Random", "\(random) as \(random)"),
        ("c0:ff:ee:00:00:01", "'c0:ff:ee:00:00:01' is not a Bluetooth address such as \(random) or \(fixed)"),
      ])
  }

  @Test("an editor knows the bounds of an exponent, and that flags and errors may be numbers")
  func schema() {
    let exponent: Form<Int> = .exponent
    expectEqual(
      exponent.schema.json,
      JSONValue.members(("type", .string("number")), ("minimum", .integer(1)), ("maximum", .integer(6))))
    let (flags, error): (Form<UInt8?>, Form<UInt8>) = (.flags, .attributeError)
    let either = JSONValue.members(("type", .array([.string("integer"), .string("string")])))
    expectEqual(flags.schema.json, either)
    expectEqual(error.schema.json, either)
  }

  @Test("bytes are pairs of digits, as many as there is room for and not one digit more")
  func bytes() {
    let three: Form<[UInt8]> = Form<[UInt8]>.hexBytes(upTo: 3)
    FormBench.check(three, [("", "[] as "), ("0aff", "[10, 255] as 0aff"), ("0AFF01", "[10, 255, 1] as 0aff01")])
    for text in ["0", "0af", "0aff010", "0aff0102", "0g", "+1"] {
      expectEqual(FormBench.line(three, text), "'\(text)' is not bytes in hexadecimal such as 4c000215")
    }
    let (data, value): (Form<[UInt8]>, Form<[UInt8]>) = (.hexBytes, .value)
    for (form, most) in [(data, 229), (value, 512)] {
      let full = String(repeating: "0a", count: most)
      expectEqual(FormBench.read(form, .scalar(full)).value, [UInt8](repeating: 10, count: most))
      expectEqual(FormBench.read(form, .scalar(full + "0a")).value, nil)
    }
  }

  @Test("what a characteristic offers is a list of at most six words, written in the order of their bits")
  func properties() {
    let form: Form<GATTCharacteristic.Properties> = .properties
    let names = ["broadcast", "read", "write-without-response", "write", "notify", "indicate"]
    for (bit, name) in names.enumerated() {
      let found = FormBench.read(form, .list([.scalar(name)]))
      expectEqual(found.value, GATTCharacteristic.Properties(rawValue: 1 << UInt8(bit)), "\(name)")
    }
    let all = FormBench.read(form, .list(names.reversed().map { Tree.scalar($0) }))
    expectEqual(all.value, GATTCharacteristic.Properties(rawValue: 63))
    expectEqual(form.write(GATTCharacteristic.Properties(rawValue: 255), false), .list(names.map { Tree.scalar($0) }))
    expectEqual(FormBench.read(form, FormBench.many(6, .scalar("read"))).value, .read)
    expectEqual(
      FormBench.read(form, FormBench.many(7, .scalar("read"))).said, ["a list of 7, at most 6 are allowed"])
  }

  @Test("a list of services, of their parts, of fields or of hearings that is too long is refused as a whole")
  func lists() {
    func said<Value: Equatable & Sendable>(
      _ form: Form<Value>, _ head: [(String, Tree)], _ key: String, _ most: Int, _ item: String
    ) {
      let (full, over) = (FormBench.many(most, .scalar(item)), FormBench.many(most + 1, .scalar(item)))
      let words = "a list of \(most + 1), at most \(most) are allowed"
      expectEqual(FormBench.read(form, .mapping(head + [(key, over)])).said, [words], "\(key)")
      if most < 100 {
        let found = FormBench.read(form, .mapping(head + [(key, full)])).said
        #expect(!found.contains { $0.hasPrefix("a list of") }, "\(key)")
      }
    }
    let services: Form<[GATTPlan.Service]> = .services
    let over = FormBench.read(services, FormBench.many(33, .scalar("x")))
    expectEqual(over.said, ["a list of 33, at most 32 are allowed"])
    let service: Form<GATTPlan.Service> = .gattService
    let head: [(String, Tree)] = [("service", .scalar("180F"))]
    said(service, head, "includes", 8, "180F")
    said(service, head, "characteristics", 64, "x")
    let fields: Form<AdvertisedFields> = .advertised
    said(fields, [], "services", 16, "180F")
    said(fields, [], "solicits", 16, "180F")
    said(fields, [], "service-data", 8, "x")
    said(fields, [], "manufacturer-data", 8, "ffff")
    let packet: Form<RecordedPeripheral.Packet> = .recordedPacket
    said(packet, [("pdu", .scalar("42"))], "heard", 20_000, "1s")
  }

  @Test("a service and a characteristic that say little are primary, can be read and have no value")
  func defaults() {
    let service: Form<GATTPlan.Service> = .gattService
    let one = GATTPlan.Service(BluetoothUUID(short: 0x180F), [])
    let plain = Tree.mapping([("service", .scalar("180F"))])
    expectEqual(FormBench.read(service, plain).value, one)
    expectEqual(service.write(one, false), plain)
    expectEqual(
      service.write(one, true),
      .mapping([
        ("service", .scalar("180F")), ("primary", .scalar("true")), ("includes", .list([])),
        ("characteristics", .list([])),
      ]))
    expectEqual(FormBench.read(service, .mapping([])).said, ["missing key 'service'"])
    let characteristic: Form<GATTPlan.Characteristic> = .characteristic
    let level = GATTPlan.Characteristic(BluetoothUUID(short: 0x2A19), [.read])
    let short = Tree.mapping([("uuid", .scalar("2A19"))])
    expectEqual(FormBench.read(characteristic, short).value, level)
    expectEqual(characteristic.write(level, false), short)
    expectEqual(
      characteristic.write(level, true),
      .mapping([("uuid", .scalar("2A19")), ("offers", .list([.scalar("read")])), ("value", .scalar(""))]))
    expectEqual(FormBench.read(characteristic, .mapping([])).said, ["missing key 'uuid'"])
    let data: Form<AdvertisedFields.ServiceData> = .serviceData
    let bare = AdvertisedFields.ServiceData(BluetoothUUID(short: 0xFE0F), [])
    expectEqual(FormBench.read(data, .mapping([("service", .scalar("FE0F"))])).value, bare)
    expectEqual(FormBench.read(data, .mapping([])).said, ["missing key 'service'"])
    let fast: Form<PeripheralPlan.Fast> = .fast
    expectEqual(FormBench.read(fast, .mapping([])).said, ["missing key 'interval'", "missing key 'for'"])
  }

  @Test("a peripheral of which nothing is said is generally discoverable and can be connected to")
  func plain() {
    var fields = AdvertisedFields()
    fields.flags = 6
    expectEqual(PeripheralSection.plainSaying, PeripheralPlan.Saying(fields))
    let form = Form<PeripheralSection>.record(PeripheralSection(), PeripheralSection.fields)
    expectEqual(FormBench.read(form, .mapping([])).value, PeripheralSection())
    let section = PeripheralSection()
    #expect(!section.isExtended && section.kind == .connectable && section.mtu == 247)
    #expect(section.interval == .milliseconds(100) && section.connectionsMaximum == 1)
    expectEqual(PeripheralSection.address(named: "lamp"), RadioAddress(bits: 0xC189_3A01_7504, isRandom: true))
  }

  @Test("the radio of a program outside has the address that is said, else one that is made of its name")
  func outside() {
    let address = RadioAddress(bits: 0x001B_DC00_0001, isRandom: false)
    expectEqual(HCIHostSection(address: address).address(named: "lamp"), address)
    expectEqual(
      HCIHostSection().address(named: "lamp"), RadioAddress(bits: 0xC189_3A01_7504, isRandom: true))
    let form = Form<HCIHostSection>.record(HCIHostSection(), HCIHostSection.fields)
    let tree = Tree.mapping([("address", .scalar("00:1b:dc:00:00:01/public"))])
    expectEqual(FormBench.read(form, tree).value, HCIHostSection(address: address))
    expectEqual(form.write(HCIHostSection(address: address), false), tree)
    expectEqual(FormBench.read(form, .mapping([])).value, HCIHostSection())
    expectEqual(form.write(HCIHostSection(), true), .mapping([]))
  }
}
