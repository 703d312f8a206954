import RollcallExpectations
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
