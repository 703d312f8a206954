import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import Testing

@testable import RollcallPhones

/// The application that README shows is the one that is compiled here, and it does what the page says.
@Suite("The application of README") struct ShownCodeTests {
  private static func text(_ path: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  @Test("stands in README, letter for letter")
  func shown() throws {
    let code = try ShownCodeTests.text("Tests/PhonesTests/ShownPlayer.swift")
    #expect(try ShownCodeTests.text("README.md").contains("```swift\n\(code)```"))
  }

  @Test("finds what plays and has a volume, and loses it")
  func runs() throws {
    let scenario = try Scenario(
      yaml: """
        scenario: A television and a stick
        duration: 2m
        engine: {descriptions: fetch}
        inhabitants:
          tv: {kind: root-device, profile: tv, friendly-name: Living Room, address: 192.168.1.20}
          stick: {kind: root-device, profile: dial-stick}
        timeline:
          - {at: 60s, leave: tv}
        expect: []
        """, file: "house.yaml")
    let world = PhoneWorld(try scenario.resolved(), seed: Seed(1))
    let player = world.enter { Player() }
    world.run(for: .seconds(30))
    expectEqual(player.found, ["Living Room at 192.168.1.20: [\"DLNA\"]"])
    world.run(for: .seconds(60))
    expectEqual(player.found, [])
  }
}
