import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import Testing

@testable import RollcallPhones

@Suite("Applications written for CoreBluetooth, on a phone of the virtual world", .serialized)
struct PhoneWorldTests {
  /// A chest strap two metres away, and a lamp that has nothing to do with hearts.
  private static let scenario = """
    scenario: A heart rate sensor
    duration: 60s
    inhabitants:
      lamp: {kind: peripheral, name: Lamp, services: [180F], radio: {position: {east: 1m}}}
      strap:
        kind: peripheral
        name: Strap
        services: [180D]
        radio: {position: {east: 2m}}
        mtu: 100
        gatt:
          - service: 180D
            characteristics:
              - {uuid: 2A37, offers: [notify], value: "0040", sends-every: 1s}
              - {uuid: 2A38, offers: [read], value: "01"}
    """

  private func world(_ more: String = "", seed: UInt64 = 1) throws -> PhoneWorld {
    let scenario = try Scenario(yaml: PhoneWorldTests.scenario + "\n" + more, file: "strap.yaml")
    return PhoneWorld(try scenario.resolved(), seed: Seed(seed))
  }

  private static let whole = [
    "state 5", "found Strap at -46", "connected, writes of 20 bytes", #"services ["180D"]"#,
    #"characteristics ["2A37", "2A38"]"#, "2A38 [1]", "notifying true", "2A37 [0, 64]", "2A37 [1, 64]", "2A37 [2, 64]",
    "disconnected",
  ]

  @Test("an application scans, connects, discovers, reads, is sent values and disconnects")
  func sampleApp() throws {
    let world = try world()
    let app = world.enter { HeartRateApp() }
    world.run(for: .seconds(30))
    expectEqual(app.log, PhoneWorldTests.whole)
  }

  @Test("the same application and seed give the same run, and another seed another one")
  func deterministic() throws {
    func digest(_ seed: UInt64) throws -> UInt64 {
      let world = try world(seed: seed)
      let app = world.enter { HeartRateApp() }
      world.run(for: .seconds(20))
      expectEqual(app.log, PhoneWorldTests.whole)
      return world.digest.state
    }
    let first = try digest(1)
    try expectEqual(digest(1), first)
    #expect(try digest(2) != first)
  }

  @Test("a sensor that walks away is lost with connectionTimeout")
  func walksAway() throws {
    let world = try world("timeline: [{at: 10s, walk: {who: strap, to: {east: 5km}}}]")
    let app = world.enter { HeartRateApp(rateCount: 0) }
    world.run(for: .seconds(30))
    expectEqual(app.log.last, "disconnected 6")
    // A value each second since the first one, until the walk.
    let rates = app.log.count { $0.hasPrefix("2A37") }
    expectEqual(rates, 9)
  }

  @Test("a radio that goes off ends connections without an event, and the state says so")
  func radioOff() throws {
    let world = try world("faults: [{at: 10s, until: 20s, radio-off: engine}]\nengine: {scan: {mode: passive}}")
    let app = world.enter { HeartRateApp(rateCount: 0) }
    world.run(for: .seconds(15))
    expectEqual(app.log.last, "state 4")
    #expect(!app.log.contains { $0.hasPrefix("disconnected") })
    world.run(for: .seconds(10))
    #expect(app.log.suffix(3).contains("state 5"))
  }

  @Test("identifiers of peripherals are the phone's own, and stay")
  func identifiers() {
    let address = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
    let twin = RadioAddress(bits: address.bits, isRandom: false)
    let phone = SimulatedPhone(name: "phone")
    // Worked out beside this from the sum that streams of random numbers are made of, and its bits for a random UUID.
    expectEqual(
      [address, twin].map { phone.identifier(of: $0).uuidString },
      ["68D4FD22-C092-4DED-823F-DB70CB9A683F", "02FFD68A-FDC7-487A-A1EB-803D6CD5B0DC"])
    #expect(phone.identifier(of: address) != SimulatedPhone(name: "other").identifier(of: address))
  }
}
