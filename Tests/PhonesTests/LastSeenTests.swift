import Dispatch
import Foundation
import RollcallConnect
import RollcallConnectStore
import RollcallDoors
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import Testing

@testable import RollcallPhones

/// When a `DiscoveryManager` says that a device was there, in long launches.
@Suite("When a device was seen last") struct LastSeenTests {
  /// What the wall clock of a world shows at its beginning.
  private static let beginning: Int64 = 1_704_067_200

  private final class App: DiscoveryManagerDelegate, @unchecked Sendable {
    let queue = DispatchQueue(label: "app")
    let manager: DiscoveryManager
    let lost = Guarded<ConnectableDevice?>(nil)
    let failures = Guarded<[String]>([])

    init(_ store: any ConnectableDeviceStore) {
      manager = DiscoveryManager(deviceStore: store, queue: queue)
      manager.registrations = [.dlna]
      manager.delegate = self
      manager.startDiscovery()
    }

    func discoveryManager(_ manager: DiscoveryManager, didLose device: ConnectableDevice) {
      lost.withLock { $0 = device }
    }
    func discoveryManager(_ manager: DiscoveryManager, didFailWith error: DiscoveryError) {
      failures.withLock { $0.append(error.description) }
    }
  }

  private static func world(_ timeline: String = "") throws -> PhoneWorld {
    let text = """
      scenario: A television
      duration: 4h
      engine: {descriptions: fetch}
      inhabitants:
        tv: {kind: root-device, profile: tv, friendly-name: Den}
      \(timeline)
      expect: []
      """
    return PhoneWorld(try Scenario(yaml: text, file: "tv.yaml").resolved(), seed: Seed(1))
  }

  /// Seconds from the beginning of the world on.
  private static func keptTimes(_ store: any ConnectableDeviceStore) throws -> [Int64] {
    try store.devices(nowUnixSeconds: beginning).compactMap(\.lastSeenUnixSeconds).map { $0 - beginning }
  }
  private static func time(_ device: ConnectableDevice?) -> Int64? {
    device.map { Int64($0.lastSeen.timeIntervalSince1970) - beginning }
  }

  @Test("a device that is there and does not change is seen with each hour, though the application is killed then")
  func unchanged() throws {
    try TemporaryStore.with { store in
      let world = try LastSeenTests.world()
      let app = world.enter { App(store) }
      world.run(for: .minutes(10))
      expectEqual(try LastSeenTests.keptTimes(store), [0])
      expectEqual(LastSeenTests.time(app.manager.devices.first), 0)
      world.run(for: .minutes(140))
      let time = try #require(try LastSeenTests.keptTimes(store).first)
      // An hour is over with the first thing that happens behind it, and searches go out every 30 s.
      #expect((7_200..<7_290).contains(time))
      expectEqual(LastSeenTests.time(app.manager.devices.first), time)
      let limit = LastSeenTests.beginning + time + 3 * 86_400
      expectEqual(try store.devices(nowUnixSeconds: limit).count, 1)
      expectEqual(try store.devices(nowUnixSeconds: limit + 1).count, 0)
      expectEqual(app.failures.current, [])
      #expect(world.isReproducible)
    }
  }

  @Test("a device that leaves was seen when it left")
  func leaves() throws {
    try TemporaryStore.with { store in
      let world = try LastSeenTests.world("timeline: [{at: 40m, leave: tv}]")
      let app = world.enter { App(store) }
      world.run(for: .minutes(50))
      expectEqual(try LastSeenTests.keptTimes(store), [2_400])
      expectEqual(LastSeenTests.time(app.lost.current), 2_400)
    }
  }

  @Test("what is there when discovery is stopped was seen then, and what was forgotten by then stays forgotten")
  func stops() throws {
    try TemporaryStore.with { store in
      let world = try LastSeenTests.world()
      let app = world.enter { App(store) }
      world.run(for: .minutes(20))
      app.queue.sync { app.manager.stopDiscovery() }
      world.run(for: .seconds(1))
      let time = try #require(try LastSeenTests.keptTimes(store).first)
      #expect((1_140...1_201).contains(time))
      app.queue.sync { app.manager.startDiscovery() }
      world.run(for: .seconds(10))
      expectEqual(app.manager.devices.count, 1)
      try store.removeAll()
      app.queue.sync { app.manager.stopDiscovery() }
      world.run(for: .seconds(1))
      expectEqual(app.manager.devices, [])
      expectEqual(try LastSeenTests.keptTimes(store), [])
      expectEqual(app.failures.current, [])
    }
  }
}
