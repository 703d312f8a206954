import Dispatch
import RollcallConnect
import RollcallDoors
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import Testing

@testable import RollcallPhones

/// What a person who picks a device sees of it.
@Suite("A picker of devices") struct DevicePickerTests {
  private static func world() throws -> PhoneWorld {
    let text = """
      scenario: A stick that leaves
      duration: 2m
      engine: {descriptions: fetch}
      inhabitants:
        stick: {kind: root-device, profile: dial-stick, friendly-name: Attic}
      timeline:
        - {at: 60s, leave: stick}
      expect: []
      """
    return PhoneWorld(try Scenario(yaml: text, file: "stick.yaml").resolved(), seed: Seed(1))
  }

  private static func word(_ picker: DevicePicker) -> String {
    if picker.isConnected { return "connected" }
    return picker.isConnecting ? "connecting" : picker.selectedDevice == nil ? "none" : "picked"
  }

  @Test("it changes when the device that was picked is being connected, is ready, is disconnected, and is gone")
  func connections() throws {
    let world = try DevicePickerTests.world()
    let queue = DispatchQueue(label: "app")
    let manager = world.enter { DiscoveryManager(queue: queue) }
    let picker = manager.devicePicker()
    manager.startDiscovery()
    world.run(for: .seconds(20))
    let words = Guarded<[String]>([])
    picker.onChange = { picker in words.withLock { $0.append(DevicePickerTests.word(picker)) } }
    let stick = try #require(picker.devices.first)
    queue.sync { _ = picker.select(stick) }
    expectEqual(words.takeAll(), ["picked"])
    queue.sync { stick.connect() }
    world.run(for: .seconds(1))
    expectEqual(words.takeAll(), ["connecting", "connected"])
    queue.sync { stick.disconnect() }
    world.run(for: .seconds(1))
    expectEqual(words.takeAll(), ["picked"])
    queue.sync { stick.connect() }
    world.run(for: .seconds(1))
    expectEqual(words.takeAll(), ["connecting", "connected"])
    world.run(for: .seconds(60))
    // The loss, and the end of the connection behind it.
    expectEqual(words.takeAll(), ["none", "none"])
  }

  @Test("as the delegate of its manager it hears of each change once, as it does without being that")
  func delegates() throws {
    func lists(isDelegate: Bool) throws -> [String] {
      let world = try DevicePickerTests.world()
      let manager = world.enter { DiscoveryManager(queue: DispatchQueue(label: "app")) }
      let picker = manager.devicePicker()
      let seen = Guarded<[String]>([])
      picker.onChange = { picker in seen.withLock { $0.append("\(picker.devices.map(\.serviceNames))") } }
      if isDelegate { manager.delegate = picker }
      manager.startDiscovery()
      world.run(for: .seconds(90))
      withExtendedLifetime(picker) {}
      return seen.current
    }
    let beside = try lists(isDelegate: false)
    // It is found, and in the end the list is empty.
    #expect(beside.count >= 2)
    expectEqual(beside.last, "[]")
    expectEqual(try lists(isDelegate: true), beside)
  }
}
