import RollcallDoors
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallConnect

/// What a manager keeps of its devices from one start to the next, with a store and without.
@Suite("Devices that a manager knows") struct KnownDevicesTests {
  private final class Store: ConnectableDeviceStore {
    /// `nil`: it fails.
    let kept = Guarded<[StoredDevice]?>([])
    let saved = Guarded<[StoredDevice]>([])

    func devices(nowUnixSeconds: Int64) throws(DeviceStoreTrouble) -> [StoredDevice] {
      guard let devices = kept.current else { throw DeviceStoreTrouble("no disk") }
      return devices
    }
    func save(_ device: StoredDevice) throws(DeviceStoreTrouble) { saved.withLock { $0.append(device) } }
    func noteSeen(ids: [String], nowUnixSeconds: Int64) throws(DeviceStoreTrouble) {}
    func remove(id: String) throws(DeviceStoreTrouble) {}
    func removeAll() throws(DeviceStoreTrouble) {}
  }

  private static func service(_ id: String, key: UInt8? = nil, certificate: UInt8? = nil) -> StoredService {
    StoredService(
      uuid: "u", serviceID: id, pairingKey: key.map { [$0] }, certificate: certificate.map { [$0] })
  }

  @Test("without a store it keeps what was connected, and that of which the application keeps something")
  func kinds() throws {
    let plain = Self.service("s")
    var configured = plain
    configured.config = ["a": "b"]
    let devices: [(device: StoredDevice, isKept: Bool)] = [
      (StoredDevice(id: "none", lastSeenUnixSeconds: 5, services: [plain]), false),
      (StoredDevice(id: "nothing", lastSeenUnixSeconds: 5), false),
      (StoredDevice(id: "connected", lastConnectedUnixSeconds: 5, services: [plain]), true),
      (StoredDevice(id: "key", services: [Self.service("s", key: 1)]), true),
      (StoredDevice(id: "certificate", services: [Self.service("s", certificate: 1)]), true),
      (StoredDevice(id: "config", services: [configured]), true),
    ]
    let known = KnownDevices(nil)
    for (device, isKept) in devices {
      #expect(!known.keepsStates(of: device.id))
      try known.save(device)
      expectEqual(known.device(device.id), isKept ? device : nil)
      expectEqual(known.keepsStates(of: device.id), isKept)
    }
    #expect(KnownDevices(Store()).keepsStates(of: "none"))
    // What is told of it later is added.
    try known.save(StoredDevice(id: "key", friendlyName: "Den", services: [plain]))
    expectEqual(
      known.device("key"), StoredDevice(id: "key", friendlyName: "Den", services: [Self.service("s", key: 1)]))
    let begun = known.begin(DiscoverySetup(), nowUnixSeconds: 10)
    expectEqual(begun.remembered.map(\.id), ["certificate", "config", "connected", "key"])
    expectEqual(begun.trouble, nil)
  }

  @Test("what waits for the first connection is saved with it, once, of the services that the device has then")
  func waiting() throws {
    let store = Store()
    let known = KnownDevices(store)
    /// What the store is given.
    func saved(_ services: [StoredService], connectedAt seconds: Int64? = nil) throws -> [StoredService] {
      try known.save(StoredDevice(id: "d", lastConnectedUnixSeconds: seconds, services: services))
      return store.saved.exchange([]).flatMap(\.services)
    }
    let first = [Self.service("1", key: 1), Self.service("2", key: 2), Self.service("3", key: 3)]
    expectEqual(try saved(first), first)
    expectEqual(try saved([Self.service("2", certificate: 9)]), [Self.service("2", certificate: 9)])
    expectEqual(try saved([Self.service("2")], connectedAt: 5), [Self.service("2", key: 2, certificate: 9)])
    expectEqual(try saved([Self.service("2")], connectedAt: 6), [Self.service("2")])
  }

  @Test("each start takes what the store has then, and where that fails what was known before")
  func starts() throws {
    let store = Store()
    let known = KnownDevices(store)
    let services = [Self.service("s")]
    func start(_ kept: [StoredDevice]?) -> (ids: [String], trouble: DeviceStoreTrouble?) {
      store.kept.withLock { $0 = kept }
      let begun = known.begin(DiscoverySetup(), nowUnixSeconds: 10)
      return (begun.remembered.map(\.id), begun.trouble)
    }
    let (a, b) = (StoredDevice(id: "a", services: services), StoredDevice(id: "b", services: services))
    expectEqual(start([b, a]).ids, ["a", "b"])
    expectEqual(start([b]).ids, ["b"])
    for id in ["b", "c"] { try known.save(StoredDevice(id: id, friendlyName: "New", services: services)) }
    let failed = start(nil)
    expectEqual(failed.ids, ["b"])
    expectEqual(failed.trouble, DeviceStoreTrouble("no disk"))
    expectEqual(known.device("b")?.friendlyName, "New")
  }
}
