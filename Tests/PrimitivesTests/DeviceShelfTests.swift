import RollcallExpectations
import RollcallPrimitives
import Testing

/// The rules of a store, without a file: `Tests/PhonesTests` compares it with the file.
@Suite("Devices that are remembered, in memory") struct DeviceShelfTests {
  private func device(
    _ id: String, _ uuids: String..., seen: Int64? = nil, connected: Int64? = nil, key: [UInt8]? = nil
  ) -> StoredDevice {
    StoredDevice(
      id: id, lastSeenUnixSeconds: seen, lastConnectedUnixSeconds: connected,
      services: uuids.map { StoredService(uuid: $0, serviceID: "S", pairingKey: key) })
  }

  @Test("a device is merged with what is kept under its id, or of the device that it was found as before")
  func merging() {
    var shelf = DeviceShelf(.keepsDiscovered)
    expectEqual(shelf.save(device("b", "1", seen: 5, key: [7])), nil)
    expectEqual(shelf.save(device("a", "2", seen: 6)), nil)
    expectEqual(shelf.save(device("b", "1", seen: 9)), nil)
    expectEqual(shelf.save(device("other", "2", seen: 8)), nil)
    expectEqual(shelf.devices, [device("a", "2", seen: 8), device("b", "1", seen: 9, key: [7])])
  }

  @Test("a UUID belongs to one device: a part that comes back by itself takes its key along")
  func moved() {
    var shelf = DeviceShelf(.keepsDiscovered)
    _ = shelf.save(device("whole", "1", "2", connected: 3, key: [7]))
    _ = shelf.save(device("part", "2", seen: 4))
    expectEqual(
      shelf.devices,
      [device("part", "2", seen: 4, connected: 3, key: [7]), device("whole", "1", connected: 3, key: [7])])
  }

  @Test("the policy of connected devices admits none that was only found, and keeps what it has")
  func policy() {
    var shelf = DeviceShelf(.connectedOnly)
    expectEqual(shelf.save(device("a", "1", seen: 5)), nil)
    expectEqual(shelf.devices, [])
    _ = shelf.save(device("a", "1", seen: 6, connected: 6))
    _ = shelf.save(device("a", "1", seen: 7))
    expectEqual(shelf.devices, [device("a", "1", seen: 7, connected: 6)])
  }

  @Test("what is noted, removed and too old is noted, gone and forgotten, and nothing else is")
  func times() {
    let days: Int64 = 3 * 86_400
    var shelf = DeviceShelf(.keepsDiscovered)
    for one in [device("a", "1", seen: 5), device("b", "2", seen: 5), device("c", "3", seen: 5, connected: 5)] {
      _ = shelf.save(one)
    }
    shelf.noteSeen(ids: ["b", "none"], nowUnixSeconds: 9)
    shelf.noteSeen(ids: ["a"], nowUnixSeconds: 4)
    shelf.prune(nowUnixSeconds: days + 5)
    expectEqual(shelf.devices.map(\.lastSeenUnixSeconds), [5, 9, 5])
    shelf.prune(nowUnixSeconds: days + 6)
    expectEqual(shelf.devices.map(\.id), ["b", "c"])
    shelf.remove(id: "b")
    expectEqual(shelf.devices.map(\.id), ["c"])
    shelf.removeAll()
    expectEqual(shelf, DeviceShelf(.keepsDiscovered))
  }

  @Test("beyond its bound the one gives way that was never connected and seen longest ago; a device has bounds, too")
  func bounds() {
    var shelf = DeviceShelf(.keepsDiscovered)
    for number in 0..<DeviceShelf.countMaximum {
      _ = shelf.save(device("\(1_000 + number)", "\(number)", seen: Int64(number), connected: number == 0 ? 1 : nil))
    }
    _ = shelf.save(device("new", "new", seen: 0))
    expectEqual(shelf.devices.count, DeviceShelf.countMaximum)
    expectEqual(shelf.devices.prefix(2).map(\.id), ["1000", "1002"])
    expectEqual(shelf.devices.last?.id, "new")
    let before = shelf
    expectEqual(shelf.save(device("", "1")), .notAName(field: "id"))
    expectEqual(shelf, before)
  }

  @Test("its bytes are read as the same devices, and anything else is refused with its place")
  func bytes() throws {
    var odd = StoredDevice(
      id: "a b", friendlyName: "", modelName: "-", manufacturer: "Küche\n\u{202E}", addresses: ["10.0.0.1", "fe80::1"],
      lastSeenUnixSeconds: -1, lastConnectedUnixSeconds: .max)
    odd.put(StoredService(uuid: "uuid:1", serviceID: "Netcast TV", pairingKey: Array("31 4".utf8)))
    let shelf = DeviceShelf(.keepsDiscovered, [odd, device("c"), device("b", "1", "2", seen: 0)])
    expectEqual(try DeviceShelf(.keepsDiscovered, bytes: shelf.bytes), shelf)
    expectEqual(try DeviceShelf(.connectedOnly, bytes: []).devices, [])
    let wrong = [
      "a", "a - - - 0 - - 1", "a - - - 0 x - 0", "a - - - 0 - - 0 more", "a - - - 0 - +1 0", "- - - - 0 - - 0",
    ]
    for text in wrong {
      #expect(throws: WordError.self, "\(text)") { try DeviceShelf(.keepsDiscovered, bytes: Array(text.utf8)) }
    }
    #expect(throws: WordError.self) { try DeviceShelf(.keepsDiscovered, bytes: [0xFF]) }
    let line = "a - - - 0 - - 0"
    let many = [String](repeating: line, count: DeviceShelf.countMaximum + 1).joined(separator: "\n")
    #expect(throws: WordError.self) { try DeviceShelf(.keepsDiscovered, bytes: Array(many.utf8)) }
  }

  @Test("a device of a manager is stored with what was typed for it, and known again by that")
  func managed() {
    let state = ManagerReport.State(
      name: "Den", model: "M", manufacturer: "L", address: DeviceAddress("192.168.1.20"),
      services: [.init(id: "DLNA", owner: "uuid:1"), .init(id: "Netcast TV", owner: "uuid:1")], members: ["uuid:1"])
    let keys = ["1", "2"].map { RememberedKey(owner: "uuid:1", service: "Netcast TV", key: $0) }
    let stored = StoredDevice(id: "i", state, keys: keys, nowUnixSeconds: 5, isReady: true)
    expectEqual(
      stored,
      StoredDevice(
        id: "i", friendlyName: "Den", modelName: "M", manufacturer: "L", addresses: ["192.168.1.20"],
        lastSeenUnixSeconds: 5, lastConnectedUnixSeconds: 5,
        services: [
          StoredService(uuid: "uuid:1", serviceID: "DLNA"),
          StoredService(uuid: "uuid:1", serviceID: "Netcast TV", pairingKey: [0x32]),
        ]))
    expectEqual(
      StoredDevice.remembered([stored]), [RememberedDevice(id: "i", owners: ["uuid:1", "uuid:1"], keys: [keys[1]])])
    expectEqual(stored.state, state)
  }
}
