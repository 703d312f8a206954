import RollcallConnect
import RollcallConnectStore
import RollcallExpectations
import RollcallPrimitives
import Testing

/// The store of an application and the store of a scenario have the same rules.
@Suite("A store of devices beside its model") struct StoreModelTests {
  /// A device of a few that share UUIDs, as a manager saves it.
  private static func device(_ dice: inout RandomStream, at now: Int64) -> StoredDevice {
    let first = Int(dice.below(6))
    let owners = (0...Int(dice.below(2))).map { "uuid:\((first + $0) % 6)" }
    let services = owners.map { ManagerReport.Service(id: dice.below(2) == 0 ? "DLNA" : "Netcast TV", owner: $0) }
    let keys = services.filter { _ in dice.below(3) == 0 }.map { service in
      RememberedKey(owner: service.owner, service: service.id, key: "\(dice.below(1_000))")
    }
    let state = ManagerReport.State(
      name: "Device \(dice.below(3))", address: .ip(IPAddress(10, 0, 0, UInt8(dice.below(4)))), services: services)
    return StoredDevice(
      id: "id \(dice.below(5))", state, keys: keys, nowUnixSeconds: now, isReady: dice.below(4) == 0)
  }

  @Test("after the same calls both keep the same devices", arguments: [1, 2, 3, 4] as [UInt64])
  func comparison(seed: UInt64) throws {
    let policies: [(DefaultConnectableDeviceStore.Policy, DeviceStorePolicy)] = [
      (.discovered, .keepsDiscovered), (.connected, .connectedOnly),
    ]
    for (policy, rule) in policies {
      try TemporaryStore.with(policy: policy) { store in
        var dice = Seed(seed).stream("store")
        var shelf = DeviceShelf(rule)
        var now: Int64 = 1_704_067_200
        for step in 0..<60 {
          now += Int64(dice.below(40_000))
          let id = "id \(dice.below(5))"
          switch dice.below(12) {
          case 0:
            try store.remove(id: id)
            shelf.remove(id: id)
          case 1, 2:
            try store.noteSeen(ids: [id, "none"], nowUnixSeconds: now)
            shelf.noteSeen(ids: [id, "none"], nowUnixSeconds: now)
          case 3 where step % 20 == 0:
            try store.removeAll()
            shelf.removeAll()
          default:
            let device = StoreModelTests.device(&dice, at: now)
            try store.save(device)
            expectEqual(shelf.save(device), nil)
          }
          shelf.prune(nowUnixSeconds: now)
          expectEqual(try store.devices(nowUnixSeconds: now), shelf.devices, "step \(step)")
        }
      }
    }
  }
}
