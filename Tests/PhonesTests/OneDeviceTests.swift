import Dispatch
import RollcallConnect
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import Testing

@testable import RollcallPhones

/// What an application says of devices of the network that are one device for it.
@Suite("What makes two devices one, as an application wants it") struct OneDeviceTests {
  /// The services of each device that a manager finds in a house, in order.
  private static func services(
    _ inhabitants: String, _ configure: (DiscoveryManager) -> Void
  ) throws -> [String] {
    let text = """
      scenario: A house
      duration: 1m
      engine: {descriptions: fetch}
      inhabitants:
      \(inhabitants)
      expect: []
      """
    let world = PhoneWorld(try Scenario(yaml: text, file: "house.yaml").resolved(), seed: Seed(1))
    let manager = world.enter { DiscoveryManager(queue: DispatchQueue(label: "app")) }
    configure(manager)
    manager.startDiscovery()
    world.run(for: .seconds(30))
    return manager.devices.map { $0.serviceNames.sorted().joined(separator: ", ") }.sorted()
  }

  @Test("a device that says the address of another one is one with it by a rule, and two without")
  func rules() throws {
    let house = """
        tv: {kind: root-device, profile: tv, friendly-name: Den, address: 192.168.1.50}
        box:
          kind: mdns-responder
          services: [{name: Box, type: _box._tcp, port: 7000, txt: ["at=192.168.1.50"]}]
      """
    func found(_ rules: [IdentityRule]) throws -> [String] {
      try OneDeviceTests.services(house) { manager in
        manager.registrations = [.dlna, ServiceRegistration("Box", .peers, filter: "_box._tcp.local")]
        manager.identityRules = rules
      }
    }
    expectEqual(try found([]), ["Box", "DLNA"])
    expectEqual(try found([IdentityRule(.text(key: "at"), .ipv4)]), ["Box, DLNA"])
    expectEqual(try found([IdentityRule(.text(key: "near"), .ipv4)]), ["Box", "DLNA"])
  }

  @Test("two at one address are one by their name as well, by the address alone, or only by a UUID")
  func policies() throws {
    func house(_ name: String) -> String {
      """
        tv: {kind: root-device, profile: tv, friendly-name: Den}
        stick: {kind: root-device, profile: dial-stick, friendly-name: \(name), beside: tv}
      """
    }
    func found(_ name: String, _ merging: DiscoverySetup.MergePolicy?) throws -> [String] {
      try OneDeviceTests.services(house(name)) { manager in if let merging { manager.merging = merging } }
    }
    let (one, two) = (["DIAL, DLNA, Roku"], ["DIAL, Roku", "DLNA"])
    expectEqual(try found("Attic", nil), two)
    expectEqual(try found("Attic", .address), one)
    expectEqual(try found("Den", nil), one)
    expectEqual(try found("Den", .uuid), two)
  }
}
