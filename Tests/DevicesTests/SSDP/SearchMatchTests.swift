import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallDevices

@Suite("The targets of a device that a search matches") struct SearchMatchTests {
  /// A device without services: advert 0 is the root's, 1 its UUID, 2 its type.
  private func match(_ type: String, _ target: String, _ quirks: [Quirk]) -> SearchMatch {
    let blueprint = DeviceBlueprint(DeviceDescription(root: DevicePart(type: type, uuid: rootUUID)), quirks: quirks)
    return Array(target.utf8).withUnsafeBytes { blueprint.match($0, root: rootUUID) }
  }

  @Test("a type is matched up to its own version, and everything else as a whole")
  func targets() {
    let (type, long) = ("urn:xx:device:Dev", "urn:" + String(repeating: "x", count: 66))
    let table: [(type: String, target: String, quirks: [Quirk], adverts: UInt64, version: UInt32)] = [
      ("\(type):2", "\(type):2", [], 4, 2), ("\(type):2", "\(type):1", [], 4, 1), ("\(type):2", "\(type):3", [], 0, 0),
      ("\(type):2", "\(type):0", [], 0, 0), ("\(type):2", "\(type):02", [], 0, 0), ("\(type):2", type, [], 0, 0),
      ("\(type):1", "\(type):1", [], 4, 1), ("\(type):10", "\(type):10", [], 4, 10),
      ("\(type):10", "\(type):9", [], 4, 9),
      ("\(type):4294967295", "\(type):4294967295", [], 4, 4_294_967_295),
      ("\(type):4294967295", "\(type):1234567890", [], 4, 1_234_567_890),
      ("\(type):4294967295", "\(type):4294967296", [], 0, 0),
      // What is no number is a part of the text.
      ("\(type):01", "\(type):01", [], 4, 0), ("\(type):01", "\(type):1", [], 0, 0),
      ("\(type):4294967296", "\(type):4294967296", [], 4, 0), (type, type, [], 4, 0), (type, "\(type):1", [], 0, 0),
      ("\(type):1/", "\(type):1/", [], 4, 0), ("\(type)::", "\(type)::", [], 4, 0),
      ("\(long):2", "\(long):2", [], 4, 2), ("\(long):02", "\(long):02", [], 4, 0),
      ("a:3", "a:2", [], 4, 2), (":5", ":5", [], 0, 0),
      ("\(type):2", "upnp:rootdevice", [], 1, 0), ("\(type):2", "upnp:rootdevicf", [], 0, 0),
      ("\(type):2", "ssdp:all", [], 7, 0), ("\(type):2", "ssdp:alk", [], 0, 0), ("\(type):2", "ssdp:all:", [], 0, 0),
      ("\(type):2", "ssdp:all", [.rootOnly], 1, 0), ("\(type):2", "ssdp:all", [.incompleteSet], 5, 0),
      ("\(type):2", "uuid:\(rootUUID)", [], 2, 0), ("\(type):2", "uuid:\(rootUUID.derived(1))", [], 0, 0),
      ("\(type):2", "\(type):9", [.answersHigherVersion], 4, 9),
      ("\(type):2", "\(type):4294967296", [.answersHigherVersion], 4, 4_294_967_295),
      ("\(type):2", "\(type):0", [.answersHigherVersion], 0, 0), (type, "\(type):1", [.answersHigherVersion], 0, 0),
      ("\(type):2", "\(type):10000000000", [.answersHigherVersion], 0, 0),
      ("\(type):2", "\(type):1", [.echoesOwnVersion], 4, 0),
      ("\(type):2", "u", [.substringMatch], 5, 0), ("\(type):2", "urn:", [.substringMatch], 4, 0),
      ("\(type):2", "\(type):2", [.substringMatch], 4, 0), ("\(type):2", "\(type):1", [.substringMatch], 0, 0),
      ("\(type):2", "upnp:rootdevice", [.substringMatch], 1, 0),
      ("\(type):2", "upnp:rootdevices", [.substringMatch], 0, 0),
    ]
    for row in table {
      expectEqual(
        match(row.type, row.target, row.quirks), SearchMatch(adverts: row.adverts, version: row.version), "\(row)")
    }
  }

  @Test("a device of many targets finds each in its bounds: short stems, versions that are texts, UUIDs, long versions")
  func bounds() {
    func blueprint(_ type: String, _ services: [String], _ quirks: [Quirk]) -> DeviceBlueprint {
      DeviceBlueprint(
        DeviceDescription(root: DevicePart(type: type, services: services, uuid: rootUUID)), quirks: quirks)
    }
    let sensor = blueprint("a:3", ["urn:x:service:Sensor:01"], [.opaqueTarget("uuid:1"), .foreignNT("x:foreign")])
    let higher = blueprint(
      ":5", ["urn:x:service:Plain", "urn:x:service:Lamp:2"], [.answersHigherVersion, .echoesOwnVersion])
    let beginning = blueprint("urn:x:device:Lamp:10", [], [.substringMatch])
    let table: [(device: DeviceBlueprint, target: String, adverts: UInt64, version: UInt32)] = [
      (sensor, "a:2", 4, 2), (sensor, "a:4", 0, 0), (sensor, "a:0", 0, 0), (sensor, "1", 0, 0),
      // `uuid:` asks for a UUID, whatever else is announced, and what is not searched for has no key.
      (sensor, "uuid:1", 0, 0), (sensor, "x:foreign", 0, 0),
      (sensor, "urn:x:service:Sensor:01", 8, 0), (sensor, "urn:x:service:Sensor:1", 0, 0),
      (sensor, "ssdp:all", 63, 0),
      (higher, ":5", 0, 0), (higher, "urn:x:service:Plain", 8, 0), (higher, "urn:x:service:Plain:1", 0, 0),
      (higher, "urn:x:service:Lamp:1", 16, 0), (higher, "urn:x:service:Lamp:9", 16, 0),
      (higher, "urn:x:service:Lamp:10000000000", 0, 0),
      (beginning, "urn:x:device:Lamp:1", 4, 0), (beginning, "urn:x:device:Lamp:10", 4, 0),
      (beginning, "urn:x:device:Lamp:2", 0, 0), (beginning, "u", 5, 0),
    ]
    for row in table {
      let found = Array(row.target.utf8).withUnsafeBytes { row.device.match($0, root: rootUUID) }
      expectEqual(found, SearchMatch(adverts: row.adverts, version: row.version), "\(row.target)")
    }
  }

  @Test("an embedded device has the UUID that its description gives, or one that follows from the root's")
  func embedded() {
    let own = DeviceUUID(high: 1, low: 2)
    let blueprint = DeviceBlueprint(
      DeviceDescription(
        root: DevicePart(type: "urn:x:device:D:1", uuid: rootUUID),
        embedded: [DevicePart(type: "urn:x:device:E:1", uuid: own), DevicePart(type: "urn:x:device:F:1")]))
    expectEqual(
      (0...3).map { blueprint.uuid(of: $0, root: rootUUID) }, [rootUUID, own, rootUUID.derived(2), rootUUID])
    // The root has the adverts 0 to 2, the embedded devices 3 and 4, 5 and 6.
    let adverts = [rootUUID, own, rootUUID.derived(1), rootUUID.derived(2)].map { uuid in
      Array("uuid:\(uuid)".utf8).withUnsafeBytes { blueprint.match($0, root: rootUUID).adverts }
    }
    expectEqual(adverts, [2, 8, 0, 32])
  }

  @Test("an error answer has the line and the fields of an error, and nothing of an advert")
  func errors() {
    let part = DevicePart(type: "urn:x:device:D:1", uuid: rootUUID)
    var device = bench(DeviceDescription(root: part), [.errorAnswers, .answersImmediately, .dropsRepeats])
    device.act(.appear)
    device.run(for: .seconds(2))
    device.sent = []
    device.hear(search("urn:x:device:E:1"))
    device.run(for: .seconds(1))
    expectEqual(
      device.sent.map(\.text),
      ["HTTP/1.1 404 Not Found\r\nEXT:\r\nSERVER: Linux/6.6 UPnP/2.0 Rollcall/1.0\r\n\r\n"])
  }

  @Test("a set takes messages that are added to it until it has 64")
  func fullSet() {
    let services = (1...60).map { "urn:x:service:S\($0):1" }
    var set = AdvertSet(DeviceDescription(root: DevicePart(type: "urn:x:device:D:1", services: services)))
    for stem in ["x:first", "x:second"] { set.append(Advert(.opaque, owner: 0, stem: stem)) }
    expectEqual(set.adverts.suffix(2).map(\.stem), ["urn:x:service:S60", "x:first"])
    expectEqual(set.adverts.count, 64)
    expectEqual(set.order, Array(0..<64))
  }

  @Test("bytes are a text of one, two or three words if none of them differs, and none is missing or too many")
  func words() {
    let texts: [StaticString] = ["ssdp:all", "\"ssdp:discover\"", "urn:x:service:Reading:12"]
    for text in texts {
      let bytes = Array("\(text)".utf8)
      func isSame(_ other: [UInt8]) -> Bool { other.withUnsafeBytes { DeviceBlueprint.equals($0, text) } }
      let noticed = bytes.indices.filter { offset in
        var other = bytes
        other[offset] ^= 1
        return !isSame(other)
      }
      expectEqual(noticed, Array(bytes.indices), "\(text)")
      expectEqual([bytes, Array(bytes.dropLast()), bytes + [0]].map(isSame), [true, false, false], "\(text)")
    }
  }

  @Test("a key is the same as a text that has the same bytes, from the first one to the last")
  func keys() {
    let key = SearchKey(Advert(.opaque, owner: 0, stem: "abc"), index: 7)
    for (text, isSame) in [
      ("abc", true), ("xbc", false), ("axc", false), ("abx", false), ("ab", false), ("abcd", false), ("", false),
    ] {
      expectEqual(Array(text.utf8).withUnsafeBytes { key.isSame($0) }, isSame, "\(text)")
    }
    #expect(key.advert == 7 && key.version == 0)
    let versioned = SearchKey(Advert(.device, owner: 0, type: "urn:x:device:D:3"), index: 2)
    #expect(versioned.bytes == Array("urn:x:device:D".utf8) && versioned.version == 3)
  }
}
