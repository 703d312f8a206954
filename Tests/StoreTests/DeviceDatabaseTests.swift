import RollcallExpectations
import RollcallPrimitives
import RollcallStore
import Testing
import rollcall_store_sample

@Suite("A store of devices") struct DeviceDatabaseTests {
  @Test("what was stored is there after another opening, ordered by the bytes of the ids")
  func opening() throws {
    try withStorePath { path in
      let devices = ["b", "a", "Z", "é"].enumerated().map { television($1, uuid: "uuid-\($0)", seen: 1) }
      do {
        let store = try DeviceDatabase(path: path)
        expectEqual(try store.load(), [])
        for device in devices { expectEqual(try store.merge(device), device) }
      }
      let store = try DeviceDatabase(path: path)
      expectEqual(try store.load(), [devices[2], devices[1], devices[0], devices[3]])
      expectEqual(try store.load(id: "a"), devices[1])
      expectEqual(try store.load(id: "A"), nil)
    }
  }

  @Test("a device is found by the UUID of any of its services, in upper and lower case")
  func uuids() throws {
    try withStorePath { path in
      let store = try DeviceDatabase(path: path)
      let (one, other) = (SampleDevices.device(1, at: 1), SampleDevices.device(2, at: 2))
      try store.merge(other)
      try store.merge(one)
      for service in one.services { expectEqual(try store.load(uuids: [service.uuid.uppercased()]), [one]) }
      let asked = [other.services[0].uuid, "unknown", one.services[3].uuid, one.services[0].uuid]
      expectEqual(try store.load(uuids: asked), [one, other])
      expectEqual(try store.load(uuids: []), [])
    }
  }

  @Test("merge keeps services that the newer device lacks, replace removes them, and their UUIDs are free")
  func mergeAndReplace() throws {
    try withStorePath { path in
      let store = try DeviceDatabase(path: path)
      let whole = SampleDevices.device(1, at: 1)
      let part = SampleDevices.device(1, at: 200, services: 2)
      try store.merge(whole)
      expectEqual(try store.merge(part), whole.merging(part))
      expectEqual(try store.load(id: whole.id)?.services.count, 6)
      expectEqual(try store.replace(part), part)
      expectEqual(try store.load(), [part])
      expectEqual(try store.load(uuids: [whole.services[5].uuid]), [])
      let next = television("next", uuid: whole.services[5].uuid)
      expectEqual(try store.merge(next), next)
    }
  }

  @Test("a device that comes with another id and a known UUID is the device that had it")
  func foundAgain() throws {
    try withStorePath { path in
      let store = try DeviceDatabase(path: path)
      try store.merge(television("saved", uuid: "AB", seen: 1))
      var again = television("fresh", uuid: "ab", seen: 2)
      again.addresses = ["192.168.1.99"]
      let expected = try #require(try store.load(id: "saved")?.merging(again))
      expectEqual(try store.merge(again), expected)
      expectEqual(expected.id, "saved")
      expectEqual(expected.addresses, ["192.168.1.99", "192.168.1.20"])
      expectEqual(try store.load(), [expected])
    }
  }

  @Test("a UUID of another device is refused and nothing is stored, unless it is said that it moves")
  func taken() throws {
    try withStorePath { path in
      let store = try DeviceDatabase(path: path)
      let old = StoredDevice(
        id: "old",
        services: [
          StoredService(uuid: "a", serviceID: "1", config: ["volume": "7"], pairingKey: [1]),
          StoredService(uuid: "b", serviceID: "1"),
        ])
      let own = television("new", uuid: "c")
      try store.merge(old)
      try store.merge(own)
      let moving = StoredDevice(id: "new", services: [StoredService(uuid: "A", serviceID: "1", serviceType: "urn:x")])
      let refusal = DeviceStoreError.taken(uuid: "a", owner: "old", id: "new")
      expectEqual(failure { try store.merge(moving) }, refusal)
      expectEqual(failure { try store.replace(moving) }, refusal)
      expectEqual(failure { try store.update(id: "new") { $0.put(moving.services[0]) } }, refusal)
      expectEqual(try store.load(), [own, old])

      let rest = StoredDevice(id: "old", services: [old.services[1]])
      var merged = own
      merged.put(
        StoredService(uuid: "A", serviceID: "1", serviceType: "urn:x", config: ["volume": "7"], pairingKey: [1]))
      expectEqual(try store.merge(moving, takenServices: .moved), merged)
      expectEqual(try store.load(), [merged, rest])
      expectEqual(try store.load(uuids: ["a"]), [merged])

      // A replacement is what it says, and nothing else. Nothing is left of the old device to know it by.
      let last = StoredDevice(id: "third", services: [StoredService(uuid: "b", serviceID: "2")])
      expectEqual(try store.replace(last, takenServices: .moved), last)
      expectEqual(try store.load(), [merged, last])

      // So is an update: the key and the config of the service do not come along.
      let bare = StoredService(uuid: "a", serviceID: "1")
      var changed = last
      changed.put(bare)
      expectEqual(try store.update(id: "third", takenServices: .moved) { $0.put(bare) }, changed)
      expectEqual(try store.load(uuids: ["a"]), [changed])
    }
  }

  @Test("a device all of whose services went to another one is gone, and they know its id until they are of it again")
  func emptied() throws {
    try withStorePath { path in
      let store = try DeviceDatabase(path: path)
      let one = television("one", uuid: "a", seen: 1)
      func service(_ uuid: String, former: String? = nil) -> StoredService {
        StoredService(uuid: uuid, serviceID: "DLNA", pairingKey: uuid == "a" ? nil : [1], formerDeviceID: former)
      }
      let other = StoredDevice(
        id: "other", friendlyName: "Stick", lastConnectedUnixSeconds: 5, services: [service("b"), service("c")])
      try store.merge(one)
      try store.merge(other)
      // Half of it moves: it is still there.
      var whole = StoredDevice(id: "one", services: [service("a"), service("b")])
      try store.merge(whole, takenServices: .moved)
      expectEqual(try store.load(id: "other")?.services, [service("c")])
      expectEqual(try store.load(id: "one")?.services, [service("a"), service("b")])
      whole.put(service("c"))
      try store.merge(whole, takenServices: .moved)
      let kept = try store.load()
      expectEqual(kept.map(\.id), ["one"])
      expectEqual(kept.first?.services, [service("a"), service("b"), service("c", former: "other")])
      expectEqual(kept.first?.lastConnectedUnixSeconds, 5)
      // It became a part of a third one as well: what it was first counts.
      let third = StoredDevice(id: "third", services: [service("a"), service("b"), service("c"), service("d")])
      try store.merge(television("third", uuid: "d"))
      try store.merge(third, takenServices: .moved)
      expectEqual(
        try store.load().map(\.services),
        [
          [
            service("a", former: "one"), service("b", former: "one"), service("c", former: "other"), service("d"),
          ]
        ])
      // They are two again, with the key.
      let again = StoredDevice(id: "other", lastSeenUnixSeconds: 9, services: [service("c")])
      expectEqual(
        try store.merge(again, takenServices: .moved),
        StoredDevice(
          id: "other", lastSeenUnixSeconds: 9, lastConnectedUnixSeconds: 5, services: [service("c")]))
      expectEqual(try store.load().map(\.id), ["other", "third"])
      expectEqual(try store.load(uuids: ["c"]).map(\.id), ["other"])
    }
  }

  @Test("one that has a part of the UUIDs of another device, and an id of its own, takes that part along")
  func part() throws {
    try withStorePath { path in
      let store = try DeviceDatabase(path: path)
      let rest = StoredService(uuid: "b", serviceID: "1")
      let whole = StoredDevice(
        id: "whole", lastConnectedUnixSeconds: 5,
        services: [StoredService(uuid: "a", serviceID: "1", pairingKey: [1]), rest])
      try store.merge(whole)
      let part = StoredDevice(id: "part", lastSeenUnixSeconds: 7, services: [StoredService(uuid: "A", serviceID: "1")])
      expectEqual(failure { try store.merge(part) }, .taken(uuid: "a", owner: "whole", id: "part"))
      expectEqual(try store.load(), [whole])
      // The user connected to this part as well: it is not forgotten after three days, nor is its key.
      let expected = StoredDevice(
        id: "part", lastSeenUnixSeconds: 7, lastConnectedUnixSeconds: 5,
        services: [StoredService(uuid: "A", serviceID: "1", pairingKey: [1])])
      expectEqual(try store.merge(part, takenServices: .moved), expected)
      expectEqual(
        try store.load(), [expected, StoredDevice(id: "whole", lastConnectedUnixSeconds: 5, services: [rest])])
    }
  }

  @Test("update changes what is there, keeps the id, and knows when there is none")
  func update() throws {
    try withStorePath { path in
      let store = try DeviceDatabase(path: path)
      try store.merge(television(seen: 1))
      var expected = television(seen: 2)
      expected.services.first.map { expected.put(StoredService(uuid: $0.uuid, serviceID: "DIAL", pairingKey: [5])) }
      let changed = try store.update(id: "tv") { device in
        device.id = "other"
        device.lastSeenUnixSeconds = 2
        device.put(StoredService(uuid: device.services[0].uuid, serviceID: "DIAL", pairingKey: [5]))
      }
      expectEqual(changed, expected)
      expectEqual(try store.load(), [expected])
      expectEqual(try store.update(id: "other") { _ in }, nil)
    }
  }

  @Test("one device is removed, with its UUIDs; to remove it again says that there was none")
  func remove() throws {
    try withStorePath { path in
      let store = try DeviceDatabase(path: path)
      try store.merge(television("a", uuid: "1"))
      try store.merge(television("b", uuid: "2"))
      expectEqual(try store.remove(id: "a"), true)
      expectEqual(try store.remove(id: "a"), false)
      expectEqual(try store.load(), [television("b", uuid: "2")])
      expectEqual(try store.load(uuids: ["1"]), [])
      expectEqual(try store.merge(television("c", uuid: "1")), television("c", uuid: "1"))
    }
  }

  @Test("devices that were never connected and last seen more than three days ago are pruned")
  func prune() throws {
    try withStorePath { path in
      let store = try DeviceDatabase(path: path)
      let now: Int64 = 1_700_000_000
      let limit = now - 3 * 86_400
      let kept = [
        television("at the limit", uuid: "1", seen: limit), television("connected", uuid: "2", seen: 0, connected: 0),
        television("of the future", uuid: "3", seen: .max),
      ]
      for device in kept + [television("z", uuid: "4", seen: limit - 1), television("unknown", uuid: "5")] {
        try store.merge(device)
      }
      expectEqual(try store.prune(nowUnixSeconds: now), ["unknown", "z"])
      expectEqual(try store.prune(nowUnixSeconds: now), [])
      expectEqual(try store.load(), kept)
      expectEqual(try store.load(uuids: ["4", "5"]), [])
    }
  }

  @Test("connectedOnly takes a device in at its first connection, and learns about it from then on")
  func policy() throws {
    try withStorePath { path in
      var options = DeviceDatabase.Options()
      options.policy = .connectedOnly
      let store = try DeviceDatabase(path: path, options: options)
      expectEqual(try store.merge(television(seen: 1)), nil)
      expectEqual(try store.replace(television(seen: 1)), nil)
      expectEqual(try store.load(), [])
      expectEqual(try store.merge(television(seen: 2, connected: 2)), television(seen: 2, connected: 2))
      expectEqual(try store.merge(television(seen: 3)), television(seen: 3, connected: 2))
      // A part of a device that is kept is kept when it turns out to be a device of its own.
      let pair = StoredDevice(id: "tv", services: [StoredService(uuid: "part", serviceID: "DIAL", pairingKey: [1])])
      try store.merge(pair)
      let part = StoredDevice(id: "part", services: [StoredService(uuid: "part", serviceID: "DIAL")])
      expectEqual(failure { try store.merge(part) }, nil)
      expectEqual(try store.load(id: "part"), nil)
      expectEqual(try store.merge(part, takenServices: .moved)?.services.first?.pairingKey, [1])
      expectEqual(try store.remove(id: "part"), true)
      // Said in so many words, a device may lose its connection, and stays.
      expectEqual(try store.replace(television(seen: 4)), television(seen: 4))
      expectEqual(try store.load(), [television(seen: 4)])
    }
  }

  @Test("a device out of bounds is refused, and so is a merge that leads there; what was stored stays")
  func bounds() throws {
    try withStorePath { path in
      let store = try DeviceDatabase(path: path)
      func many(_ numbers: Range<Int>) -> StoredDevice {
        StoredDevice(id: "tv", services: numbers.map { StoredService(uuid: "u\($0)", serviceID: "s") })
      }
      let fault = StoredFault.tooMuch(field: "services", found: 65, maximum: 64)
      // Also where the policy would not take it in.
      var options = DeviceDatabase.Options()
      options.policy = .connectedOnly
      for one in [store, try DeviceDatabase(path: path, options: options)] {
        expectEqual(failure { try one.merge(many(0..<65)) }, .unfit(id: "tv", fault))
        expectEqual(failure { try one.replace(many(0..<65)) }, .unfit(id: "tv", fault))
      }
      try store.merge(many(0..<64))
      expectEqual(failure { try store.merge(many(64..<65)) }, .unfit(id: "tv", fault))
      expectEqual(failure { try store.update(id: "tv") { $0.put(many(64..<65).services[0]) } }, .unfit(id: "tv", fault))
      expectEqual(try store.load(), [many(0..<64)])
    }
  }

  @Test("all of a device has a bound as well")
  func recordBound() throws {
    try withStorePath { path in
      let store = try DeviceDatabase(path: path)
      func device(_ count: Int) -> StoredDevice {
        let services = (0..<5).map { number in
          let size = number < 4 ? 65_536 : count
          return StoredService(uuid: "u\(number)", serviceID: "s", certificate: Array(repeating: 7, count: size))
        }
        return StoredDevice(id: "tv", services: services.filter { $0.certificate != [] })
      }
      // Four certificates are 262 144 bytes: as much as is allowed, and the rest does not fit.
      let found = DeviceRecord.bytes(of: device(0)).count
      let fault = StoredFault.tooMuch(field: "all bytes of the device", found: found, maximum: 262_144)
      expectEqual(failure { try store.merge(device(0)) }, .unfit(id: "tv", fault))
      var fitting = device(0)
      fitting.put(
        StoredService(uuid: "u0", serviceID: "s", certificate: Array(repeating: 7, count: 65_536 - (found - 262_144))))
      expectEqual(DeviceRecord.bytes(of: fitting).count, 262_144)
      expectEqual(try store.merge(fitting), fitting)
      expectEqual(try store.load(), [fitting])
    }
  }

  @Test("after close every call says that the store is closed")
  func close() throws {
    try withStorePath { path in
      let store = try DeviceDatabase(path: path)
      store.close()
      expectEqual(failure { _ = try store.load() }, .closed(path: path))
      expectEqual(failure { try store.merge(television()) }, .closed(path: path))
      store.close()
    }
  }

  @Test("two stores of one process on one file see what the other one wrote")
  func two() throws {
    try withStorePath { path in
      let (one, other) = (try DeviceDatabase(path: path), try DeviceDatabase(path: path))
      try one.merge(television("a", uuid: "1"))
      try other.merge(television("b", uuid: "2"))
      expectEqual(try one.load(), [television("a", uuid: "1"), television("b", uuid: "2")])
      expectEqual(try other.load(), try one.load())
    }
  }

  @Test("a change is asked for twice where a service has another pairing key or certificate than before, else once")
  func askedTwice() throws {
    try withStorePath { path in
      let store = try DeviceDatabase(path: path)
      try store.merge(television(uuid: "u"))
      func calls(_ change: (inout StoredDevice) -> Void) throws -> Int {
        var count = 0
        try store.update(id: "tv") { device in
          count += 1
          change(&device)
        }
        return count
      }
      func service(_ uuid: String = "u", key: [UInt8]? = nil, certificate: [UInt8]? = nil) -> StoredService {
        StoredService(uuid: uuid, serviceID: "DLNA", pairingKey: key, certificate: certificate)
      }
      expectEqual(try calls { $0.friendlyName = "Den" }, 1)
      expectEqual(try calls { $0.put(service(key: [1])) }, 2)
      expectEqual(try calls { $0.put(service(key: [1])) }, 1)
      // Letters of both cases mean the same UUID.
      expectEqual(try calls { $0.put(service("U", key: [1])) }, 1)
      expectEqual(try calls { $0.put(service(key: [1], certificate: [2])) }, 2)
      expectEqual(try calls { $0.put(service(key: [2], certificate: [2])) }, 2)
      // The same secrets for another service.
      expectEqual(try calls { $0.put(service("v", key: [2], certificate: [2])) }, 2)
      expectEqual(try calls { $0.put(service("v")) }, 1)
      expectEqual(try calls { $0.put(service("w")) }, 1)
      expectEqual(try store.load(id: "tv")?.services.map(\.pairingKey), [[2], nil, nil])
      expectEqual(try store.load(id: "tv")?.services.map(\.certificate), [[2], nil, nil])
    }
  }
}
