import Foundation
import House
import RollcallPhones
import Testing

/// The application on the phones of a virtual house, where minutes take milliseconds.
@Suite("The application in a house") struct HouseTests {
  private static func world(seed: UInt64) throws -> PhoneWorld {
    let folder = try #require(Bundle.module.resourceURL)
    return try PhoneWorld(folder.appendingPathComponent("Scenarios/house.yaml").path, seed: seed)
  }

  @Test("a television is there until it is switched off", arguments: 1...5 as ClosedRange<UInt64>)
  func screens(seed: UInt64) throws {
    let world = try HouseTests.world(seed: seed)
    let screens = world.enter { Screens() }
    world.run(for: .seconds(30))
    #expect(screens.names == ["Living Room"])
    world.run(for: .seconds(60))
    #expect(screens.names == [])
    #expect(world.isReproducible)
  }

  @Test("a lamp is found by its radio", arguments: 1...5 as ClosedRange<UInt64>)
  func lamps(seed: UInt64) throws {
    let world = try HouseTests.world(seed: seed)
    let lamps = world.enter { Lamps() }
    world.run(for: .seconds(10))
    #expect(lamps.names == ["Lamp"])
  }

  @Test("two phones come together, and one that goes out of reach is missed", arguments: 1...5 as ClosedRange<UInt64>)
  func guests(seed: UInt64) throws {
    let world = try HouseTests.world(seed: seed)
    let ada = world.enter { Guests(name: "Ada") }
    let ben = world.enter("ben") { Guests(name: "Ben") }
    world.run(for: .seconds(20))
    #expect(ada.names == ["Ben"] && ben.names == ["Ada"])
    world.vanish("ben")
    world.run(for: .minutes(2))
    #expect(ada.names == [])
  }
}
