import RollcallDevices
import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallSimulation
import RollcallWire
import Testing

@testable import RollcallScenarios

/// Peripherals, radios and the air in YAML: what is read, what is written, what is refused and where, and what a run is
/// built from.
@Suite struct PeripheralFormTests {
  private static let whole = """
    scenario: Everything that a peripheral can have
    duration: 1h
    network: {air: {path-loss-exponent: 2.5, shadowing: 3.25dB, capture: 10dB}}
    engine:
      scan: {mode: passive, window: 11250us, interval: 1280ms}
      limits: {peripherals: 7}
      radio: {position: {east: -50cm, north: 1.5m, up: 2m}, transmit-power: 4dBm, sensitivity: -90dBm, loss: 5%}
    inhabitants:
      lock:
        kind: peripheral
        advertises: scannable
        address: C0:FF:EE:00:00:01/random
        interval: 152500us
        fast: {interval: 20ms, for: 30s}
        flags: none
        name: L
        short-name: true
        services: [180F, 0001180d, 12345678-9abc-def0-1234-56789abcdef0]
        response:
          solicits: [1800]
          service-data: [{service: FE0F, data: 0aff}]
          manufacturer-data: [4c000215, "ffff"]
          says-power: -4dBm
          appearance: 833
        then: {name: Other, response: {name: Third}}
        quirks: [loneLengthByte]
        radio: {position: {east: 3km}}
      band: {kind: peripheral, rotates: 15m, advertises: non-connectable}
    timeline:
      - {at: 1m, walk: {who: lock, to: {east: 1m}, over: 30s}}
      - {at: 2m, walk: {who: engine, to: {up: 1m}}}
      - {at: 30s, reconfigure: lock}
    faults:
      - {at: 3m, until: 4m, radio-off: engine}
      - {at: 210s, until: 5m, radio-off: engine}
      - {at: 3m, radio-off: band}
    heal: 10m
    expect:
      - {found: each}
    """

  /// UUIDs of 16 bytes each.
  static let fourteen = (0..<14).map { "000000\(10 + $0)-1111-2222-3333-444455556666" }.joined(separator: ", ")

  private func scenario(_ yaml: String) throws -> Scenario { try Scenario(yaml: yaml, file: "x.yaml") }

  @Test func `every key is read, and written so that it reads back as the same`() throws {
    let scenario = try scenario(PeripheralFormTests.whole)
    try expectEqual(self.scenario(scenario.yaml), scenario)
    guard case .peripheral(let lock) = scenario.inhabitants[0].kind,
      case .peripheral(let band) = scenario.inhabitants[1].kind
    else {
      Issue.record("two peripherals")
      return
    }
    expectEqual(lock.kind, .scannable)
    expectEqual(lock.address, RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true))
    expectEqual(lock.interval, .microseconds(152_500))
    expectEqual(lock.fast, PeripheralPlan.Fast(interval: .milliseconds(20), duration: .seconds(30)))
    expectEqual(lock.quirks, [.loneLengthByte])
    let said = lock.saying.advertised
    #expect(said.flags == nil && said.name == "L" && said.isNameShortened)
    expectEqual(said.services.map(\.description), ["180F", "0001180D", "12345678-9ABC-DEF0-1234-56789ABCDEF0"])
    let answer = lock.saying.responded
    expectEqual(answer.solicitedServices.map(\.description), ["1800"])
    expectEqual(answer.serviceData, [.init(BluetoothUUID(short: 0xFE0F), [0x0A, 0xFF])])
    expectEqual(answer.manufacturerData, [[0x4C, 0, 2, 0x15], [0xFF, 0xFF]])
    #expect(answer.transmitPower == -4 && answer.appearance == 833)
    #expect(lock.otherSaying?.advertised.name == "Other" && lock.otherSaying?.advertised.flags == 6)
    expectEqual(lock.otherSaying?.responded.name, "Third")
    #expect(band.rotation == .seconds(900) && band.kind == .nonConnectable && band.saying.advertised.flags == 6)
    expectEqual(
      scenario.engine.configuration.scan,
      ScanPolicy(.passive, window: .microseconds(11_250), interval: .milliseconds(1_280)))
    expectEqual(scenario.engine.configuration.limits.peripherals, 7)
    expectEqual(scenario.network.air, AirPlan(exponentTenths: 25, shadowingMillidecibels: 3_250, captureDecibels: 10))
    let radio = scenario.engine.host.radio
    expectEqual(radio.position, Position(x: -500, y: 1_500, z: 2_000))
    #expect(radio.transmitPower == 4 && radio.sensitivity == -90 && radio.loss == .uniform(.percent(5)))
  }

  @Test func `a run gets radios with their walks and switches, and names for private addresses`() throws {
    let resolved = try scenario(PeripheralFormTests.whole).resolved()
    let plan = try #require(resolved.radio)
    expectEqual(resolved.plan.hosts.map(\.interfaces.count), [1, 0, 0])
    expectEqual(plan.heal, .zero + .seconds(600))
    expectEqual(plan.radios.map { $0?.name }, ["engine", "lock", "band"])
    expectEqual(plan.radios[0]?.walks, [Walk(start: .zero + .seconds(120), duration: .zero, to: Position(z: 1_000))])
    expectEqual(
      plan.radios[1]?.walks, [Walk(start: .zero + .seconds(60), duration: .seconds(30), to: Position(x: 1_000))])
    // Two faults that overlap keep it off until the second one is over; without an end it heals.
    expectEqual(
      plan.radios[0]?.switches,
      [
        RadioSwitch(at: .zero + .seconds(180), isOn: false), RadioSwitch(at: .zero + .seconds(300), isOn: true),
      ])
    expectEqual(
      plan.radios[2]?.switches,
      [
        RadioSwitch(at: .zero + .seconds(180), isOn: false), RadioSwitch(at: .zero + .seconds(600), isOn: true),
      ])
    expectEqual(resolved.devices[0].identities, ["ble:c0:ff:ee:00:00:01/random"])
    // One for each quarter of an hour, and for each entry that may start it anew.
    expectEqual(
      resolved.devices[1].identities, (0...10).map { Peripheral.privateAddress($0, of: "band").deviceName })
    let page = resolved.explanation
    for text in ["walks:", "off at 3m", "device: ble:c0:ff:ee:00:00:01/random", "shadowing"] {
      #expect(page.contains(text), "\(text)")
    }
  }

  @Test func `without a scan and without peripherals there is no radio, and a name alone makes an address`() throws {
    try expectEqual(scenario("scenario: a\ninhabitants: {tv: {kind: root-device}}").resolved().radio, nil)
    let one = try scenario("scenario: a\ninhabitants: {tag: {kind: peripheral, count: 2}}").resolved()
    expectEqual(one.radio?.radios.map { $0 == nil }, [true, false, false])
    let addresses = one.devices.compactMap { device -> RadioAddress? in
      if case .peripheral(let plan) = device.kind, case .fixed(let address) = plan.address { address } else { nil }
    }
    #expect(addresses.count == 2 && Set(addresses).count == 2)
    #expect(addresses.allSatisfy { $0.isRandom && $0.bits >> 46 == 3 })
  }

  @Test(arguments: [
    ("interval: 19ms", "3:37: error: 19ms is not from 20ms to 10240ms (at inhabitants.tag.interval)"),
    ("interval: 10241ms", "3:37: error: 10241ms is not from 20ms to 10240ms (at inhabitants.tag.interval)"),
    (
      "address: 192.168.1.9",
      "3:36: error: '192.168.1.9' is not a Bluetooth address such as c0:ff:ee:00:00:01/random or 00:1b:dc:00:00:01/public (at inhabitants.tag.address)"
    ),
    (
      "segment: lan",
      "3:27: error: unknown key 'segment' (at inhabitants.tag)"
    ),
    ("flags: 256", "3:34: error: '256' is too large: flags goes up to 255 (at inhabitants.tag.flags)"),
    (
      "manufacturer-data: [4c0]",
      "3:47: error: '4c0' is not bytes in hexadecimal such as 4c000215 (at inhabitants.tag.manufacturer-data[0])"
    ),
    (
      "manufacturer-data: [4g]",
      "3:47: error: '4g' is not bytes in hexadecimal such as 4c000215 (at inhabitants.tag.manufacturer-data[0])"
    ),
    (
      "services: [18]",
      "3:38: error: '18' is not a Bluetooth UUID such as 180D or 0000180D-0000-1000-8000-00805F9B34FB (at inhabitants.tag.services[0])"
    ),
    (
      "name: 12345678901234567890123456",
      "3:8: error: its data takes 31 bytes, and a packet has room for 31 (at inhabitants.tag)"
    ),
    (
      "name: 123456789012345678901234567",
      "3:8: error: its data takes 32 bytes, and a packet has room for 31 (at inhabitants.tag)"
    ),
    (
      "response: {name: 123456789012345678901234567890}",
      "3:37: error: its data takes 32 bytes, and a packet has room for 31 (at inhabitants.tag.response)"
    ),
    (
      "advertises: non-connectable, response: {name: a}",
      "3:66: error: nobody can ask what is non-connectable: use 'advertises: scannable' (at inhabitants.tag.response)"
    ),
    (
      "extended: true, response: {name: a}",
      "3:53: error: nobody can ask an extended advertisement that is connectable (at inhabitants.tag.response)"
    ),
    (
      "extended: true, advertises: scannable, name: a",
      "3:8: error: an extended advertisement that is scannable has no data of its own: put it under 'response' (at inhabitants.tag)"
    ),
    (
      "extended: true, advertises: non-connectable, services: [\(PeripheralFormTests.fourteen)], name: a",
      "3:8: error: its data takes 232 bytes, and a packet has room for 229 (at inhabitants.tag)"
    ),
    ("rotates: 999ms", "3:36: error: an address is kept for at least 1s (at inhabitants.tag.rotates)"),
    (
      "rotates: 9s, address: 'c0:ff:ee:00:00:01/random'",
      "3:36: error: a peripheral with private addresses has no other: leave 'address' out (at inhabitants.tag.rotates)"
    ),
    (
      "count: 2, address: 'c0:ff:ee:00:00:01/random'",
      "3:46: error: 2 peripherals cannot have one address (at inhabitants.tag.address)"
    ),
    (
      "quirks: [noBlankLine]",
      "3:36: error: unknown quirk of a peripheral 'noBlankLine'; known are paddedWithZeros, "
        + "overrunningStructure, loneLengthByte, emptyStructure, shortManufacturerData, oddServiceList, shortServiceData, "
        + "twoManufacturerFields, nameInLatin1, nameWithZeros, longTransmitPower, "
        + "refusesFirstConnection, endsConnections, answersNothing, answersWrongly, fallingHandles, notifiesUnasked "
        + "(at inhabitants.tag.quirks[0])"
    ),
    (
      "radio: {transmit-power: 31dBm}",
      "3:51: error: '31dBm' is too large: a power goes up to 30dBm, down to -127dBm (at inhabitants.tag.radio.transmit-power)"
    ),
    (
      "radio: {sensitivity: -95}",
      "3:48: error: '-95' is not a power such as -95dBm or 4dBm (at inhabitants.tag.radio.sensitivity)"
    ),
    (
      "radio: {position: {east: 3}}",
      "3:52: error: '3' has no unit: a length is written such as 3m, -50cm or 1.5m (at inhabitants.tag.radio.position.east)"
    ),
    (
      "radio: {position: {east: 100.001km}}",
      "3:52: error: '100.001km' is too large: a length goes up to 100km either way (at inhabitants.tag.radio.position.east)"
    ),
  ])
  func `a slip is named with its place`(keys: String, complaint: String) {
    let yaml = "scenario: a\ninhabitants:\n  tag: {kind: peripheral, \(keys)}\n"
    let found: String
    do {
      _ = try Scenario(yaml: yaml, file: "x.yaml").resolved()
      found = "no error"
    } catch {
      found = "\(error)"
    }
    // A packet that is just full is none.
    let isFull = complaint.contains("takes 31 bytes")
    expectEqual(found, (isFull ? "no error" : "x.yaml:" + complaint))
  }

  @Test(arguments: [
    (
      "timeline: [{at: 1s, walk: {who: tv, to: {}}}]",
      "'tv' has no radio: it is no peripheral (at timeline[0].walk.who)"
    ),
    (
      "timeline: [{at: 1s, walk: {who: engine, to: {}}}]",
      "the engine has no radio: it has one with 'scan', and where its manager looks for a service over Bluetooth "
        + "(at timeline[0].walk.who)"
    ),
    (
      "timeline: [{at: 1s, walk: {who: tag, to: {}, over: 5s}}, {at: 5999ms, walk: {who: tag, to: {}}}]",
      "'tag' is still walking then, until 6s (at timeline[1].walk)"
    ),
    ("timeline: [{at: 1s, walk: {who: tag, to: {}, over: 5s}}, {at: 6s, walk: {who: tag, to: {}}}]", ""),
    ("faults: [{at: 1s, until: 2s, radio-off: tv}]", "'tv' has no radio: it is no peripheral (at faults[0].radio-off)"),
    ("timeline: [{at: 1s, update: tag}]", "'tag' is a peripheral: it cannot update (at timeline[0].update)"),
    ("timeline: [{at: 1s, reboot: tag}, {at: 2s, crash: {who: tag, down-for: 1s}}]", ""),
    ("timeline: [{at: 1s, hold: tag}]", "'tag' is no root device (at timeline[0].hold)"),
    (
      "expect: [{present: {at: 1s, devices: [band]}}]",
      "'band' changes its address: expect 'found' and 'lost' of it (at expect[0].present.devices)"
    ),
    ("expect: [{present: {at: 1s, devices: [tag]}}]", ""),
    ("engine: {scan: {window: 31ms}}", "a window of 31ms does not fit into an interval of 30ms (at engine.scan)"),
    ("engine: {scan: {window: 2ms}}", "2ms is not from 2500us to 10240ms (at engine.scan.window)"),
    (
      "network: {air: {path-loss-exponent: 6.1}}",
      "'6.1' is not an exponent from 1 to 6 such as 2 or 2.5 (at network.air.path-loss-exponent)"
    ),
    (
      "network: {air: {shadowing: 3}}",
      "'3' has no unit: a deviation is written such as 4dB or 2.5dB (at network.air.shadowing)"
    ),
  ])
  func `what does not agree with the rest is named`(part: String, complaint: String) {
    let yaml =
      "scenario: a\ninhabitants: {tv: {kind: root-device}, tag: {kind: peripheral}, "
      + "band: {kind: peripheral, rotates: 1m}}\n\(part)\n"
    var found = ""
    do { _ = try Scenario(yaml: yaml, file: "x.yaml").resolved() } catch { found = "\(error)" }
    #expect(complaint.isEmpty ? found.isEmpty : found.hasSuffix("error: " + complaint), "\(found)")
  }
}
