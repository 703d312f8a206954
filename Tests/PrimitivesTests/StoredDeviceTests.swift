import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("What is stored of a device") struct StoredDeviceTests {
  private func service(_ uuid: String, _ id: String = "DLNA", key: [UInt8]? = nil) -> StoredService {
    StoredService(uuid: uuid, serviceID: id, pairingKey: key)
  }

  @Test("services are ordered by UUID without regard to case, then by id, and each pair of them stands once")
  func order() {
    let device = StoredDevice(
      id: "tv",
      services: [service("bb"), service("AB", "DLNA"), service("ab", "DIAL"), service("aB", "DLNA", key: [1])])
    expectEqual(device.services, [service("ab", "DIAL"), service("aB", "DLNA", key: [1]), service("bb")])
    expectEqual(device.uuids.map(\.text), ["ab", "bb"])
    expectEqual(StoredDevice(id: "tv", services: device.services), device)
  }

  @Test("a UUID is compared by bytes, ASCII letters in lower case")
  func uuids() {
    expectEqual(StoredUUID("2FAC-é").text, "2fac-é")
    expectEqual(StoredUUID("É"), StoredUUID("É"))
    // The same letter written in two ways, and a letter outside of ASCII in two cases.
    #expect(StoredUUID("e\u{301}") != StoredUUID("\u{e9}"))
    #expect(StoredUUID("É") != StoredUUID("é"))
    #expect(StoredUUID("ab") < StoredUUID("abc") && StoredUUID("AB") < StoredUUID("b"))
    #expect(!(StoredUUID("b") < StoredUUID("B")))
  }

  @Test("services of one UUID are taken away together")
  func removal() {
    var device = StoredDevice(id: "tv", services: [service("a", "1"), service("A", "2"), service("b", "1")])
    expectEqual(device.removeServices(uuid: "A"), [service("a", "1"), service("A", "2")])
    expectEqual(device.services, [service("b", "1")])
    expectEqual(device.removeServices(uuid: "A"), [])
  }

  @Test("pairs keep the order in which their keys came, and each key stands once")
  func pairs() {
    var pairs: StoredPairs = ["b": "1", "a": "2", "b": "3"]
    expectEqual(pairs.elements, [.init(key: "b", value: "3"), .init(key: "a", value: "2")])
    pairs["c"] = "4"
    pairs["b"] = nil
    pairs["d"] = nil
    expectEqual(pairs, ["a": "2", "c": "4"])
    expectEqual(pairs["c"], "4")
    expectEqual(pairs["b"], nil)
    expectEqual(StoredPairs([.init(key: "e\u{301}", value: "1"), .init(key: "\u{e9}", value: "2")]).elements.count, 2)
  }

  @Test("merging forgets nothing: what the newer one does not say stays, and the later of two times counts")
  func merging() {
    let old = StoredDevice(
      id: "tv", friendlyName: "Television", modelName: "OLED55C1", addresses: ["192.168.1.20", "192.168.1.21"],
      lastSeenUnixSeconds: 100, lastConnectedUnixSeconds: 50,
      services: [
        StoredService(
          uuid: "AA", serviceID: "DLNA", serviceType: "urn:x",
          description: ["location": "http://192.168.1.20/", "a": "1"], config: ["volume": "7"], pairingKey: [1, 2],
          certificate: [3]), service("bb", "Roku"),
      ])
    let newer = StoredDevice(
      id: "another", friendlyName: "Kitchen", manufacturer: "LG", addresses: ["192.168.1.21", "192.168.1.30"],
      lastSeenUnixSeconds: 90, lastConnectedUnixSeconds: 60,
      services: [
        StoredService(
          uuid: "aa", serviceID: "DLNA", description: ["location": "http://192.168.1.21/"], config: ["mute": "no"],
          certificate: [4]), service("cc"),
      ])
    expectEqual(
      old.merging(newer),
      StoredDevice(
        id: "tv", friendlyName: "Kitchen", modelName: "OLED55C1", manufacturer: "LG",
        addresses: ["192.168.1.21", "192.168.1.30", "192.168.1.20"], lastSeenUnixSeconds: 100,
        lastConnectedUnixSeconds: 60,
        services: [
          StoredService(
            uuid: "aa", serviceID: "DLNA", serviceType: "urn:x",
            description: ["location": "http://192.168.1.21/", "a": "1"], config: ["volume": "7", "mute": "no"],
            pairingKey: [1, 2], certificate: [4]), service("bb", "Roku"), service("cc"),
        ]))
    expectEqual(old.merging(StoredDevice(id: "nothing new")), old)
    expectEqual(StoredDevice(id: "tv").merging(old), old)
  }

  @Test("a service was seen at the later of two times, and knows the device that it was of until it was of another")
  func mergingServices() {
    func seen(_ time: Int64?, _ former: String?) -> StoredDevice {
      StoredDevice(
        id: "tv",
        services: [StoredService(uuid: "a", serviceID: "s", lastSeenUnixSeconds: time, formerDeviceID: former)])
    }
    expectEqual(seen(5, "old").merging(seen(3, nil)), seen(5, "old"))
    expectEqual(seen(nil, "old").merging(seen(3, "new")), seen(3, "new"))
  }

  @Test("eight addresses are kept, the newest")
  func addresses() {
    let old = StoredDevice(id: "tv", addresses: (1...8).map { "10.0.0.\($0)" })
    let merged = old.merging(StoredDevice(id: "tv", addresses: ["10.0.0.9"]))
    expectEqual(merged.addresses, ["10.0.0.9"] + (1...7).map { "10.0.0.\($0)" })
  }

  @Test("a device that was never connected is stale more than three days after it was last seen, or where nobody knows")
  func stale() {
    let now: Int64 = 1_700_000_000
    let days: Int64 = 3 * 86_400
    func isStale(_ seen: Int64?, _ connected: Int64? = nil) -> Bool {
      StoredDevice(id: "tv", lastSeenUnixSeconds: seen, lastConnectedUnixSeconds: connected)
        .isStale(nowUnixSeconds: now)
    }
    #expect(!isStale(now - days))
    #expect(isStale(now - days - 1))
    #expect(isStale(nil))
    #expect(!isStale(now - 2 * days, 0))
    #expect(!isStale(nil, 0))
    // A clock that was set back makes nothing old.
    #expect(!isStale(.max))
    #expect(!StoredDevice(id: "tv", lastSeenUnixSeconds: .min).isStale(nowUnixSeconds: .min))
  }

  @Test("one policy takes every device in, the other one those that were connected")
  func policies() {
    let (seen, connected) = (StoredDevice(id: "a"), StoredDevice(id: "b", lastConnectedUnixSeconds: 0))
    expectEqual(DeviceStorePolicy.allCases.map { $0.admits(seen) }, [true, false])
    expectEqual(DeviceStorePolicy.allCases.map { $0.admits(connected) }, [true, true])
  }

  /// A bound, and a device that has so much of it.
  private func bounds() -> [(field: String, maximum: Int, device: (Int) -> StoredDevice)] {
    func text(_ count: Int) -> String { String(repeating: "x", count: count) }
    func bytes(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }
    func with(
      _ uuid: String = "u", _ id: String = "a", type: String? = nil, description: StoredPairs = [:],
      config: StoredPairs = [:], key: [UInt8]? = nil, certificate: [UInt8]? = nil
    ) -> StoredDevice {
      StoredDevice(
        id: "tv",
        services: [
          StoredService(
            uuid: uuid, serviceID: id, serviceType: type, description: description, config: config, pairingKey: key,
            certificate: certificate)
        ])
    }
    func pairs(_ count: Int) -> StoredPairs { StoredPairs((0..<count).map { .init(key: "\($0)", value: "") }) }
    return [
      ("id", 256, { StoredDevice(id: text($0)) }),
      ("friendlyName", 1_024, { StoredDevice(id: "tv", friendlyName: text($0)) }),
      ("modelName", 1_024, { StoredDevice(id: "tv", modelName: text($0)) }),
      ("manufacturer", 1_024, { StoredDevice(id: "tv", manufacturer: text($0)) }),
      ("addresses", 8, { StoredDevice(id: "tv", addresses: (0..<$0).map { "\($0)" }) }),
      ("an address", 256, { StoredDevice(id: "tv", addresses: [text($0)]) }),
      (
        "services", 64,
        { count in
          StoredDevice(id: "tv", services: (0..<count).map { StoredService(uuid: "u", serviceID: "\($0)") })
        }
      ),
      ("the UUID of a service", 256, { with(text($0)) }), ("serviceID", 256, { with("u", text($0)) }),
      ("serviceType", 1_024, { with(type: text($0)) }), ("description", 64, { with(description: pairs($0)) }),
      ("config", 64, { with(config: pairs($0)) }), ("a key of config", 256, { with(config: [text($0): ""]) }),
      ("a value of description", 8_192, { with(description: ["k": text($0)]) }),
      (
        "formerDeviceID", 256,
        { count in
          StoredDevice(
            id: "tv", services: [StoredService(uuid: "u", serviceID: "a", formerDeviceID: text(count))])
        }
      ),
      ("pairingKey", 8_192, { with(key: bytes($0)) }), ("certificate", 65_536, { with(certificate: bytes($0)) }),
    ]
  }

  @Test("each bound takes as much as it says, and not one more")
  func limits() {
    for (field, maximum, device) in bounds() {
      expectEqual(device(maximum).fault, nil, "\(field)")
      expectEqual(device(maximum + 1).fault, .tooMuch(field: field, found: maximum + 1, maximum: maximum))
    }
  }

  @Test("names by which something is looked up are not empty and have no control characters; all other text may")
  func names() {
    expectEqual(StoredDevice(id: "").fault, .notAName(field: "id"))
    expectEqual(StoredDevice(id: "a\u{0}b").fault, .notAName(field: "id"))
    expectEqual(StoredDevice(id: "tv\u{7f}").fault, .notAName(field: "id"))
    let uuid = "the UUID of a service"
    for (uuid, id, field) in [("", "a", uuid), ("u\n", "a", uuid), ("u", "", "serviceID")] {
      expectEqual(
        StoredDevice(id: "tv", services: [StoredService(uuid: uuid, serviceID: id)]).fault, .notAName(field: field))
    }
    expectEqual(
      StoredDevice(
        id: "tv é", friendlyName: "\u{0}\u{1b}[2J", addresses: [""],
        services: [StoredService(uuid: "u", serviceID: "a", config: ["": "\u{202e}"])]
      ).fault, nil)
  }

  @Test("what a device says of itself is kept up to its bound and left out beyond it; the device is kept either way")
  func saidTooMuch() {
    func kept(_ change: (inout ManagerReport.State, String) -> Void, _ count: Int) -> StoredDevice {
      var state = ManagerReport.State(services: [ManagerReport.Service(id: "DLNA", owner: "uuid:a")])
      state.parts = [ManagerReport.Part()]
      change(&state, String(repeating: "x", count: count))
      return StoredDevice(id: "tv", state, nowUnixSeconds: 5)
    }
    let texts: [(field: KeyPath<StoredDevice, String?>, change: (inout ManagerReport.State, String) -> Void)] = [
      (\.friendlyName, { $0.name = $1 }), (\.modelName, { $0.model = $1 }), (\.manufacturer, { $0.manufacturer = $1 }),
      (\.saidUUID, { $0.parts[0].uuid = $1 }),
    ]
    for (number, entry) in texts.enumerated() {
      let (most, more) = (kept(entry.change, 1_024), kept(entry.change, 1_025))
      expectEqual(most[keyPath: entry.field]?.utf8.count, 1_024, "text \(number)")
      expectEqual(more[keyPath: entry.field], nil, "text \(number)")
      expectEqual([most.fault, more.fault], [nil, nil])
    }
    let services = (1...65).map { ManagerReport.Service(id: "\($0)", owner: "uuid:a") }
    let device = StoredDevice(id: "tv", ManagerReport.State(services: services), nowUnixSeconds: 5)
    expectEqual(device.services.count, 64)
    expectEqual(device.services.contains { $0.serviceID == "65" }, false)
    // By this it is known again: it is not left out.
    let long = ManagerReport.Service(id: "DLNA", owner: String(repeating: "u", count: 257))
    expectEqual(
      StoredDevice(id: "tv", ManagerReport.State(services: [long]), nowUnixSeconds: 5).fault,
      .tooMuch(field: "the UUID of a service", found: 257, maximum: 256))
  }
}

extension StoredDevice {
  fileprivate var saidUUID: String? { services.first?.description[StoredService.uuidKey] }
}
