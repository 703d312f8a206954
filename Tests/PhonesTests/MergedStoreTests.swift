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

/// A `DiscoveryManager` with a store, over launches in which devices of the network are one and are two.
@Suite("A store of devices that become one, or two again") struct MergedStoreTests {
  private final class App: DiscoveryManagerDelegate, @unchecked Sendable {
    let manager: DiscoveryManager
    private let told = Guarded<[String]>([])

    init(_ store: any ConnectableDeviceStore, _ merging: DiscoverySetup.MergePolicy) {
      manager = DiscoveryManager(deviceStore: store, queue: DispatchQueue(label: "app"))
      manager.merging = merging
      manager.delegate = self
      manager.startDiscovery()
    }

    var failures: [String] { told.current }

    func discoveryManager(_ manager: DiscoveryManager, didFailWith error: DiscoveryError) {
      told.withLock { $0.append(error.description) }
    }
  }

  /// A player and a stick on one computer; half a minute later a second player there shows that address says nothing.
  private static let house = """
    scenario: Programs of one computer
    duration: 90s
    engine: {descriptions: fetch}
    inhabitants:
      player: {kind: root-device, profile: tv, friendly-name: Player}
      stick: {kind: root-device, profile: dial-stick, friendly-name: Stick, beside: player}
      other: {kind: root-device, profile: tv, friendly-name: Other, beside: player, port: 7677, appear: 30s}
    expect: []
    """

  /// A launch: what failed, and the ids of its devices at its end, by their names.
  private static func launch(
    _ store: any ConnectableDeviceStore, _ merging: DiscoverySetup.MergePolicy, seed: UInt64, for duration: Interval
  ) throws -> (failures: [String], ids: [String: String]) {
    let world = PhoneWorld(try Scenario(yaml: house, file: "house.yaml").resolved(), seed: Seed(seed))
    let app = world.enter { App(store, merging) }
    world.run(for: duration)
    let named = app.manager.devices.map { ($0.friendlyName ?? "-", $0.id) }
    return (app.failures, Dictionary(uniqueKeysWithValues: named))
  }

  @Test("two that were kept and are one in the next launch are kept as one, with the services of both")
  func merged() throws {
    try TemporaryStore.with { store in
      let two = try MergedStoreTests.launch(store, .addressAndName, seed: 1, for: .seconds(25))
      expectEqual(two.failures, [])
      expectEqual(two.ids.keys.sorted(), ["Player", "Stick"])
      let one = try MergedStoreTests.launch(store, .address, seed: 2, for: .seconds(25))
      expectEqual(one.failures, [])
      expectEqual(one.ids.count, 1)
      let id = try #require(one.ids.values.first)
      #expect(two.ids.values.contains(id))
      let kept = try store.devices(nowUnixSeconds: 1_704_067_225)
      // The other one is kept no more: its services know that they were of it.
      expectEqual(kept.map(\.id), [id])
      expectEqual(kept.first?.services.map(\.serviceID).sorted(), ["DIAL", "DLNA", "Roku"])
      let other = two.ids.values.filter { $0 != id }
      expectEqual(Array(Set(kept.flatMap(\.services).compactMap(\.formerDeviceID))), other)
      let again = try MergedStoreTests.launch(store, .address, seed: 3, for: .seconds(25))
      expectEqual(Array(again.ids.values), [id])
    }
  }

  @Test("two that were kept as two, and are one for a while in the next launch, are the two that they were")
  func back() throws {
    try TemporaryStore.with { store in
      let two = try MergedStoreTests.launch(store, .addressAndName, seed: 1, for: .seconds(25))
      let split = try MergedStoreTests.launch(store, .address, seed: 2, for: .seconds(50))
      expectEqual(split.failures, [])
      expectEqual(split.ids.filter { $0.key != "Other" }, two.ids)
      let kept = try store.devices(nowUnixSeconds: 1_704_067_250)
      expectEqual(kept.map(\.id), split.ids.values.sorted())
      expectEqual(kept.flatMap(\.services).compactMap(\.formerDeviceID), [])
      expectEqual(kept.filter(\.services.isEmpty), [])
    }
  }

  @Test("two that were taken for one and are two again are kept as two, each with its id")
  func split() throws {
    try TemporaryStore.with { store in
      let first = try MergedStoreTests.launch(store, .address, seed: 1, for: .seconds(50))
      expectEqual(first.failures, [])
      expectEqual(first.ids.keys.sorted(), ["Other", "Player", "Stick"])
      let kept = try store.devices(nowUnixSeconds: 1_704_067_250)
      expectEqual(kept.map(\.id), first.ids.values.sorted())
      // Under the usual rule these three names are three from the beginning.
      let second = try MergedStoreTests.launch(store, .addressAndName, seed: 2, for: .seconds(50))
      expectEqual(second.failures, [])
      expectEqual(second.ids, first.ids)
    }
  }
}
