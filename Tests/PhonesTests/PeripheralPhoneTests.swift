import CoreBluetooth
import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import Testing

@testable import RollcallPhones

/// Two phones in one world: a thermometer on the one, an application that explores it on the other.
@Suite("A phone that is a peripheral", .serialized)
struct PeripheralPhoneTests {
  private static func world(seed: UInt64 = 1) throws -> PhoneWorld {
    let scenario = try Scenario(yaml: "scenario: Two phones\nduration: 5m", file: "phones.yaml")
    return PhoneWorld(
      try scenario.resolved(), seed: Seed(seed), others: [OtherPhone("friend", eastMillimetres: 2_000)])
  }

  private let world: PhoneWorld
  private let thermometer: ThermometerApp
  private let explorer: ExplorerApp

  init() throws {
    let world = try PeripheralPhoneTests.world()
    self.world = world
    thermometer = world.enter("friend") { ThermometerApp() }
    explorer = world.enter { ExplorerApp("1809") }
    world.run(for: .seconds(5))
  }

  private static let met = [
    "found Thermo", "connected", "name friend", #"services ["1800", "1801", "1809"]"#, #"1800 has ["2A00", "2A01"]"#,
    #"1801 has ["2A05"]"#, #"1809 has ["2A1D", "2A1C", "2A1E"]"#,
  ]

  @Test func `two phones meet: one scans and connects, the other advertises`() {
    expectEqual(thermometer.log, ["state 5", "added 1809", "advertising true"])
    expectEqual(explorer.log, PeripheralPhoneTests.met)
  }

  @Test func `a fixed value is read without the application, another one is asked of it, in parts`() throws {
    explorer.clear()
    let peripheral = try #require(explorer.peripheral)
    peripheral.readValue(for: try #require(explorer.characteristic("2A1D")))
    peripheral.readValue(for: try #require(explorer.characteristic("2A1C")))
    world.run(for: .seconds(2))
    expectEqual(explorer.values, [[2], (0..<200).map { UInt8($0) }])
    expectEqual(thermometer.log.suffix(2), ["read 2A1C from 0", "read 2A1C from 184"])
    thermometer.wantsToRefuse = true
    explorer.clear()
    peripheral.readValue(for: try #require(explorer.characteristic("2A1C")))
    world.run(for: .seconds(2))
    expectEqual(explorer.log, ["value 2A1C 200 att 8"])
  }

  @Test func `writes with and without response are given to the application, a long one in its parts`() throws {
    explorer.clear()
    let peripheral = try #require(explorer.peripheral)
    let limit = try #require(explorer.characteristic("2A1E"))
    peripheral.writeValue(Data([7]), for: limit, type: .withResponse)
    peripheral.writeValue(Data([8, 8]), for: limit, type: .withoutResponse)
    world.run(for: .seconds(2))
    expectEqual(explorer.log, ["written 2A1E"])
    expectEqual(thermometer.limits, [Data([7]), Data([8, 8])])
    peripheral.writeValue(Data(repeating: 9, count: 300), for: limit, type: .withResponse)
    world.run(for: .seconds(2))
    expectEqual(explorer.log, ["written 2A1E", "written 2A1E"])
    expectEqual(thermometer.log.last, "write 2A1E 180 at 0, 2A1E 120 at 180")
  }

  @Test func `who subscribes is sent values; where there is no room, the application waits until it is ready`() throws {
    thermometer.toSend = (0..<40).map { Data([UInt8($0)]) }
    explorer.clear()
    let peripheral = try #require(explorer.peripheral)
    peripheral.setNotifyValue(true, for: try #require(explorer.characteristic("2A1C")))
    world.run(for: .seconds(5))
    expectEqual(explorer.log.first, "notifying true")
    expectEqual(explorer.values, (0..<40).map { [UInt8($0)] })
    expectEqual(thermometer.log[3], "subscribed 2A1C, 182, 1")
    #expect(thermometer.log[4].hasPrefix("no room, ") && thermometer.log[5] == "ready")
    #expect(thermometer.toSend.isEmpty)
    peripheral.setNotifyValue(false, for: try #require(explorer.characteristic("2A1C")))
    world.run(for: .seconds(2))
    expectEqual(thermometer.log.last, "unsubscribed 2A1C, 0")
  }

  @Test func `the end of a connection ends its subscriptions, and the phone goes on advertising`() throws {
    let peripheral = try #require(explorer.peripheral)
    peripheral.setNotifyValue(true, for: try #require(explorer.characteristic("2A1C")))
    world.run(for: .seconds(2))
    explorer.clear()
    explorer.central.cancelPeripheralConnection(peripheral)
    world.run(for: .seconds(2))
    expectEqual(explorer.log, ["disconnected"])
    expectEqual(thermometer.log.last, "unsubscribed 2A1C, 0")
    explorer.central.connect(peripheral)
    world.run(for: .seconds(3))
    expectEqual(explorer.log.dropFirst().first, "connected")
  }

  @Test func `a latency that an application desires becomes the interval of the connection, without a callback`() throws
  {
    let peripheral = try #require(explorer.peripheral)
    let temperature = try #require(explorer.characteristic("2A1C"))
    peripheral.setNotifyValue(true, for: temperature)
    world.run(for: .seconds(2))
    let central = try #require(thermometer.temperature.subscribedCentrals?.first)
    /// How many values come, one asked for as soon as the one before it is there, in four seconds.
    func count(of latency: CBPeripheralManagerConnectionLatency?) throws -> Int {
      if let latency { thermometer.manager.setDesiredConnectionLatency(latency, for: central) }
      world.run(for: .seconds(5))
      explorer.clear()
      let told = thermometer.log
      let place = try #require(explorer.characteristic("2A1D"))
      for _ in 0..<8 { peripheral.readValue(for: place) }
      world.run(for: .seconds(4))
      #expect(thermometer.log == told && explorer.log.allSatisfy { $0.hasPrefix("value 2A1D") })
      return explorer.values.count
    }
    // Eight are read long before that at 15, 30 and 120 ms, and not at 495 ms.
    try expectEqual(count(of: nil), 8)
    try expectEqual(count(of: .low), 8)
    try expectEqual(count(of: .medium), 8)
    #expect((3...7).contains(try count(of: .high)))
    world.run(for: .seconds(10))
    try expectEqual(count(of: .low), 8)
    expectEqual(explorer.peripheral?.state, .connected)
  }

  @Test func `a service that is removed is told to who is connected, and one that is added can be discovered`() throws {
    explorer.clear()
    thermometer.manager.remove(thermometer.service)
    world.run(for: .seconds(2))
    expectEqual(explorer.log, [#"modified ["1809"]"#])
    let battery = CBMutableService(type: CBUUID(string: "180F"), primary: true)
    thermometer.manager.add(battery)
    world.run(for: .seconds(2))
    try #require(explorer.peripheral).discoverServices([CBUUID(string: "180F")])
    world.run(for: .seconds(2))
    #expect(explorer.log.contains { $0.hasPrefix("services") && $0.contains("180F") })
  }

  @Test func `the same seed gives the same run of two phones, and another seed another one`() throws {
    func digest(_ seed: UInt64) throws -> UInt64 {
      let world = try PeripheralPhoneTests.world(seed: seed)
      let thermometer = world.enter("friend") { ThermometerApp() }
      let explorer = world.enter { ExplorerApp("1809") }
      world.run(for: .seconds(5))
      #expect(explorer.log == PeripheralPhoneTests.met && thermometer.log.count == 3)
      return world.digest.state
    }
    let first = try digest(1)
    try expectEqual(digest(1), first)
    #expect(try digest(2) != first)
  }

  @Test func `two phones are central and peripheral to each other, and the same seed gives the same run`() throws {
    func digest() throws -> UInt64 {
      let world = try PeripheralPhoneTests.world()
      let apps = [nil, "friend"].map { phone in world.enter(phone) { (ThermometerApp(), ExplorerApp("1809")) } }
      world.run(for: .seconds(5))
      for (place, (thermometer, explorer)) in apps.enumerated() {
        let name = place == 0 ? "friend" : "engine"
        expectEqual(explorer.log, PeripheralPhoneTests.met.map { $0 == "name friend" ? "name \(name)" : $0 })
        expectEqual(thermometer.log, ["state 5", "added 1809", "advertising true"])
        thermometer.toSend = [Data([1]), Data([2])]
        explorer.peripheral?.setNotifyValue(true, for: try #require(explorer.characteristic("2A1C")))
      }
      world.run(for: .seconds(2))
      for (thermometer, explorer) in apps {
        expectEqual(explorer.values, [[1], [2]])
        expectEqual(thermometer.log.last, "subscribed 2A1C, 182, 1")
      }
      return world.digest.state
    }
    let first = try digest()
    for _ in 0..<5 { try expectEqual(digest(), first) }
  }

  @Test func `what does not fit into a packet is in the overflow area, and a name is cut to ten bytes (CB-64)`() {
    func identity(_ name: String?, _ services: [String]) -> AdvertisedIdentity {
      AdvertisedIdentity(localName: name, services: services.compactMap { AttributeUUID($0) })
    }
    let flags: [UInt8] = [2, 1, 6]
    let short = identity("Lamp", ["180D"]).bytes(isInBackground: false)
    #expect(short.data == flags + [3, 3, 0x0D, 0x18, 5, 9] + Array("Lamp".utf8) && short.response.isEmpty)
    let two = identity(
      "A long name of it", ["00000000-0000-0000-0000-00000000000A", "00000000-0000-0000-0000-00000000000B"])
    let long = two.bytes(isInBackground: false)
    let first = [UInt8(10)] + [UInt8](repeating: 0, count: 15)
    expectEqual(long.data, flags + [17, 7] + first)
    // 0x0B is the sum of the second one.
    let mask: [UInt8] = [0, 0x10] + [UInt8](repeating: 0, count: 14)
    expectEqual(long.response, [20, 0xFF, 0x4C, 0, 1] + mask + [9, 8] + Array("A long n".utf8))
    let background = two.bytes(isInBackground: true)
    expectEqual(background.data, flags)
    expectEqual(background.response, [20, 0xFF, 0x4C, 0, 1, 0, 0x30] + [UInt8](repeating: 0, count: 14))
    let name = identity("A long name of it", ["00000000-0000-0000-0000-00000000000A"]).bytes(isInBackground: false)
    expectEqual(name.response, [11, 8] + Array("A long nam".utf8))
  }
}
