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

/// A `DiscoveryManager` with a store, over launches of its application: each launch is a world of its own.
@Suite("Devices that an application remembers") struct DeviceStoreTests {
  private final class App: DiscoveryManagerDelegate, @unchecked Sendable {
    let manager: DiscoveryManager
    private let told = Guarded<[String]>([])

    init(_ store: (any ConnectableDeviceStore)?) {
      manager = DiscoveryManager(deviceStore: store, queue: DispatchQueue(label: "app"))
      manager.delegate = self
      manager.startDiscovery()
    }

    var lines: [String] { told.current }

    func discoveryManager(_ manager: DiscoveryManager, didFind device: ConnectableDevice) {
      told.withLock { $0.append("found \(device.friendlyName ?? "-")") }
    }
    func discoveryManager(_ manager: DiscoveryManager, didFailWith error: DiscoveryError) {
      told.withLock { $0.append("failed \(error.reason): \(error.description)") }
    }
  }

  private static func world(
    seed: UInt64, address: String = "192.168.1.20", name: String = "Den"
  ) throws -> PhoneWorld {
    let text = """
      scenario: A television
      duration: 1m
      engine: {descriptions: fetch}
      inhabitants:
        tv: {kind: root-device, profile: tv, friendly-name: \(name), address: \(address)}
      expect: []
      """
    return PhoneWorld(try Scenario(yaml: text, file: "tv.yaml").resolved(), seed: Seed(seed))
  }

  /// A launch: its lines, and the id of the television.
  private static func launch(
    _ store: (any ConnectableDeviceStore)?, seed: UInt64, address: String = "192.168.1.20", name: String = "Den"
  ) throws -> (lines: [String], id: String?) {
    let world = try DeviceStoreTests.world(seed: seed, address: address, name: name)
    let app = world.enter { App(store) }
    world.run(for: .seconds(30))
    return (app.lines, app.manager.devices.first?.id)
  }

  @Test("the same device has the same id in the next launch, at another address and under another name")
  func sameID() throws {
    try TemporaryStore.withPath { path in
      let first = try DeviceStoreTests.launch(try DefaultConnectableDeviceStore(path: path), seed: 1)
      expectEqual(first.lines, ["found Den"])
      let second = try DeviceStoreTests.launch(
        try DefaultConnectableDeviceStore(path: path), seed: 2, address: "192.168.1.77", name: "Kitchen")
      expectEqual(second.lines, ["found Kitchen"])
      expectEqual(second.id, first.id)
      let kept = try DefaultConnectableDeviceStore(path: path).devices(nowUnixSeconds: 1_704_067_200)
      expectEqual(kept.map(\.id), [first.id])
      expectEqual(kept.map(\.friendlyName), ["Kitchen"])
      expectEqual(kept.map(\.addresses), [["192.168.1.77", "192.168.1.20"]])
      expectEqual(kept.flatMap(\.services).map(\.serviceID), ["DLNA"])
      // The world's clock: found within the first second of 2024.
      expectEqual(kept.map(\.lastSeenUnixSeconds), [1_704_067_200])
      expectEqual(kept.map(\.lastConnectedUnixSeconds), [nil])
    }
  }

  @Test("without a store, and after removeAll, the next launch gives it another id")
  func forgotten() throws {
    try TemporaryStore.withPath { path in
      expectEqual(try DeviceStoreTests.launch(nil, seed: 1).id, try DeviceStoreTests.launch(nil, seed: 1).id)
      #expect(try DeviceStoreTests.launch(nil, seed: 1).id != DeviceStoreTests.launch(nil, seed: 2).id)
      let store = try DefaultConnectableDeviceStore(path: path)
      let first = try DeviceStoreTests.launch(store, seed: 1)
      try store.removeAll()
      #expect(try DeviceStoreTests.launch(store, seed: 2).id != first.id)
    }
  }

  @Test("a manager says whether it uses a store")
  func use() throws {
    try TemporaryStore.withPath { path in
      let store = try DefaultConnectableDeviceStore(path: path)
      #expect(DiscoveryManager(deviceStore: store).useDeviceStore)
      #expect(!DiscoveryManager(deviceStore: nil).useDeviceStore)
      // A clock that goes back changes nothing.
      try store.save(
        StoredDevice(
          id: "a", lastSeenUnixSeconds: 200, services: [StoredService(uuid: "uuid:a", serviceID: "DLNA")]))
      for (now, seen) in [(100, 200), (300, 300)] as [(Int64, Int64)] {
        try store.noteSeen(ids: ["a"], nowUnixSeconds: now)
        expectEqual(try store.devices(nowUnixSeconds: 300).map(\.lastSeenUnixSeconds), [seen])
      }
    }
    let folder = try #require(FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first)
    expectEqual(
      DefaultConnectableDeviceStore.standardPath,
      "\(folder.path)/\(ProcessInfo.processInfo.processName)/devices.sqlite")
  }

  @Test("a store of connected devices keeps none that was only found")
  func connectedOnly() throws {
    try TemporaryStore.withPath { path in
      let store = try DefaultConnectableDeviceStore(path: path, policy: .connected)
      let first = try DeviceStoreTests.launch(store, seed: 1)
      expectEqual(try store.devices(nowUnixSeconds: 1_704_067_200), [])
      #expect(try DeviceStoreTests.launch(store, seed: 2).id != first.id)
    }
  }

  @Test("what was only found is forgotten three days after it was seen last")
  func aged() throws {
    try TemporaryStore.withPath { path in
      let store = try DefaultConnectableDeviceStore(path: path)
      _ = try DeviceStoreTests.launch(store, seed: 1)
      let seen: Int64 = 1_704_067_200
      expectEqual(try store.devices(nowUnixSeconds: seen + 3 * 86_400).count, 1)
      expectEqual(try store.devices(nowUnixSeconds: seen + 3 * 86_400 + 1).count, 0)
    }
  }

  /// Fails at everything.
  private final class BrokenStore: ConnectableDeviceStore {
    func devices(nowUnixSeconds: Int64) throws(DeviceStoreTrouble) -> [StoredDevice] {
      throw DeviceStoreTrouble("no disk")
    }
    func save(_ device: StoredDevice) throws(DeviceStoreTrouble) { throw DeviceStoreTrouble("disk full") }
    func noteSeen(ids: [String], nowUnixSeconds: Int64) throws(DeviceStoreTrouble) {
      throw DeviceStoreTrouble("disk full")
    }
    func remove(id: String) throws(DeviceStoreTrouble) { throw DeviceStoreTrouble("no disk") }
    func removeAll() throws(DeviceStoreTrouble) { throw DeviceStoreTrouble("no disk") }
  }

  @Test("a store that fails is told, and devices are found without it")
  func broken() throws {
    let launch = try DeviceStoreTests.launch(BrokenStore(), seed: 1)
    expectEqual(launch.lines, ["failed store: no disk", "failed store: disk full", "found Den"])
  }

  @Test("the shared manager is made once, with the store that was named first, and discovers as any other does")
  func shared() throws {
    // This test alone makes it: there is one for the process.
    let (first, second) = (BrokenStore(), BrokenStore())
    let world = try DeviceStoreTests.world(seed: 1)
    let manager = world.enter { DiscoveryManager.shared(withDeviceStore: first) }
    let store: AnyObject? = manager.deviceStore
    #expect(store === first)
    #expect(manager.useDeviceStore)
    #expect(DiscoveryManager.shared(withDeviceStore: second) === manager)
    #expect(DiscoveryManager.shared === manager)
    manager.startDiscovery()
    world.run(for: .seconds(30))
    expectEqual(DiscoveryManager.shared.devices.map(\.friendlyName), ["Den"])
    manager.stopDiscovery()
  }

  @Test("a damaged file is put away, and the next launch has a fresh one")
  func damaged() throws {
    try TemporaryStore.withPath { path in
      try Data("not a database at all, but some text that is long enough to be one".utf8)
        .write(to: URL(fileURLWithPath: path))
      var trouble: DeviceStoreTrouble?
      do throws(DeviceStoreTrouble) { _ = try DefaultConnectableDeviceStore(path: path) } catch { trouble = error }
      #expect(trouble?.description.contains(path) == true)
      let store = try DefaultConnectableDeviceStore(path: path)
      expectEqual(store.keptFiles.count, 1)
      expectEqual(try DeviceStoreTests.launch(store, seed: 1).lines, ["found Den"])
    }
  }
}
