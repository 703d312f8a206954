import RollcallExpectations
import Testing
import RollcallWire

@Suite("Search target") struct SearchTargetTests {
  static func matches(_ asked: String, _ offered: String, ignoringCase: Bool = false) -> Bool {
    Array(asked.utf8).withUnsafeBytes { asked in
      Array(offered.utf8).withUnsafeBytes {
        SearchTarget.matches(asked: asked, offered: $0, ignoringCase: ignoringCase)
      }
    }
  }

  static func parse(_ text: String, ignoringCase: Bool = false) -> SearchTarget.Parts {
    Array(text.utf8).withUnsafeBytes { SearchTarget.parse($0, ignoringCase: ignoringCase) }
  }

  @Test(
    "what is asked and what is offered",
    arguments: [
      // asked, offered, matches, matches when case is ignored
      ("ssdp:all", "urn:schemas-upnp-org:device:MediaRenderer:1", true, true),
      ("ssdp:all", "hnap:NetworkCamera", true, true),
      ("ssdp:all", "", true, true),
      ("SSDP:ALL", "upnp:rootdevice", false, true),
      ("upnp:rootdevice", "upnp:rootdevice", true, true),
      ("upnp:rootdevice", "UPnP:RootDevice", false, true),
      ("upnp:rootdevice", "ssdp:all", false, false),
      ("upnp:rootdevice", "upnp:rootdevices", false, false),
      ("urn:a:device:Foo:1", "urn:a:device:Foo:1", true, true),
      ("urn:a:device:Foo:1", "urn:a:device:Foo:2", true, true),
      ("urn:a:device:Foo:1", "urn:a:device:Foo:10", true, true),
      ("urn:a:device:Foo:2", "urn:a:device:Foo:1", false, false),
      ("urn:a:device:Foo:10", "urn:a:device:Foo:9", false, false),
      ("urn:a:device:Foo:1", "urn:a:device:Foo1:1", false, false),
      ("urn:a:device:Foo:1", "urn:a:device:Fo:1", false, false),
      ("urn:a:device:Foo:1", "urn:a:service:Foo:1", false, false),
      ("urn:a:device:Foo:1", "urn:b:device:Foo:1", false, false),
      ("urn:a:device:Foo:1", "urn:ab:device:Foo:1", false, false),
      ("urn:a:device:Foo:01", "urn:a:device:Foo:1", true, true),
      ("urn:a:device:Foo:0", "urn:a:device:Foo:1", true, true),
      ("urn:a:device:Foo:1", "urn:a:device:Foo:99999999999999999999", true, true),
      ("urn:a:device:Foo:99999999999999999999", "urn:a:device:Foo:5", false, false),
      ("urn:a:device:Basic:1", "urn:a:device:basic:1", false, true),
      ("urn:a:device:Basic:1", "urn:a:device:basic:2", false, true),
      ("urn:a:device:Basic:2", "urn:a:device:basic:1", false, false),
      ("urn:a:device:Basic:1.0", "urn:a:device:Basic:1.0", true, true),
      ("urn:a:device:Basic:1", "urn:a:device:Basic:1.0", false, false),
      ("urn:a:device:Basic:1.0", "urn:a:device:Basic:1", false, false),
      ("urn:Belkin:device:**", "urn:Belkin:device:controllee:1", false, false),
      ("urn:Belkin:device:**", "urn:Belkin:device:**", true, true),
      ("roku:ecp", "roku:ecp", true, true),
      ("roku:ecp", "roku:ecp2", false, false),
      ("roku:ecp", "Roku:ECP", false, true),
      ("uuid:aB", "uuid:Ab", true, true),
      ("uuid:aB", "UUID:ab", true, true),
      ("uuid:ab", "uuid:abc", false, false),
      ("uuid:ab", "uuid:ab::upnp:rootdevice", false, false),
      ("", "", true, true),
      ("", "upnp:rootdevice", false, false),
    ])
  func matching(asked: String, offered: String, exact: Bool, blind: Bool) {
    expectEqual(SearchTargetTests.matches(asked, offered), exact)
    expectEqual(SearchTargetTests.matches(asked, offered, ignoringCase: true), blind)
    expectEqual(SearchTarget(asked).matches(offered: SearchTarget(offered)), exact)
  }

  @Test(
    "a target reads as a value and prints as it was",
    arguments: [
      ("ssdp:all", .all), ("upnp:rootdevice", .rootDevice),
      ("uuid:RINCON_1", .uuid("RINCON_1")), ("uuid:", .other("uuid:")), ("UUID:a", .other("UUID:a")),
      (
        "urn:schemas-upnp-org:device:MediaRenderer:1",
        .device(domain: "schemas-upnp-org", type: "MediaRenderer", version: 1)
      ),
      ("urn:dial-multiscreen-org:service:dial:1", .service(domain: "dial-multiscreen-org", type: "dial", version: 1)),
      ("urn:a:device:b:4294967295", .device(domain: "a", type: "b", version: .max)),
      ("urn:a:device:b:4294967296", .other("urn:a:device:b:4294967296")),
      ("urn:a:device:b:01", .other("urn:a:device:b:01")),
      ("urn:a:device:b:0", .device(domain: "a", type: "b", version: 0)),
      ("urn:a:device:b:", .other("urn:a:device:b:")), ("urn:a:device:b:-1", .other("urn:a:device:b:-1")),
      ("urn:a:device:b:+1", .other("urn:a:device:b:+1")), ("urn:a:device:b:1 ", .other("urn:a:device:b:1 ")),
      ("urn:a:device:Basic:1.0", .other("urn:a:device:Basic:1.0")),
      ("urn::device:b:1", .other("urn::device:b:1")), ("urn:a:device::1", .other("urn:a:device::1")),
      ("urn:a:gadget:b:1", .other("urn:a:gadget:b:1")), ("urn:a:device:b:c:1", .other("urn:a:device:b:c:1")),
      ("URN:a:device:b:1", .other("URN:a:device:b:1")), ("urn:", .other("urn:")), ("", .other("")),
      (
        "urn:samsung.com:device:RemoteControlReceiver:1",
        .device(domain: "samsung.com", type: "RemoteControlReceiver", version: 1)
      ),
      ("urn: Microsoft Peer:device:V4:1", .other("urn: Microsoft Peer:device:V4:1")),
      ("hnap:NetworkCamera", .other("hnap:NetworkCamera")), ("SL-10-HTTPS", .other("SL-10-HTTPS")),
    ] as [(String, SearchTarget)])
  func roundTrip(text: String, target: SearchTarget) {
    expectEqual(SearchTarget(text), target)
    expectEqual(target.description, text)
  }

  @Test("parts are where they stand in the text")
  func parts() {
    let text = "urn:dial-multiscreen-org:service:dial:12"
    expectEqual(
      SearchTargetTests.parse(text),
      SearchTarget.Parts(form: .service, domain: 4..<24, type: 33..<37, version: 12, isCanonicalVersion: true))
    expectEqual(SearchTargetTests.parse("uuid:ab").type, 5..<7)
    expectEqual(SearchTargetTests.parse("URN:a:DEVICE:b:1").form, .opaque)
    expectEqual(SearchTargetTests.parse("URN:a:DEVICE:b:1", ignoringCase: true).form, .device)
    expectEqual(SearchTargetTests.parse("roku:ecp").type, 0..<8)
  }

  @Test("a version with leading zeros counts, a huge one is capped")
  func versions() {
    expectEqual(SearchTargetTests.parse("urn:a:device:b:0007").version, 7)
    expectEqual(SearchTargetTests.parse("urn:a:device:b:" + String(repeating: "9", count: 500)).version, .max)
    expectEqual(SearchTargetTests.parse("urn:a:device:b:" + String(repeating: "0", count: 500) + "3").version, 3)
    expectEqual(SearchTargetTests.parse("urn:a:device:b:99999999990").version, .max)
  }

  @Test("every cut and every single changed byte of a target is read without harm")
  func survivesDamage() {
    let whole = Array("urn:schemas-upnp-org:device:MediaRenderer:1".utf8)
    for count in 0...whole.count {
      let cut = Array(whole[..<count])
      let matches = cut.withUnsafeBytes { cut in
        whole.withUnsafeBytes { SearchTarget.matches(asked: $0, offered: cut) }
      }
      expectEqual(matches, (count == whole.count))
    }
    for position in whole.indices {
      for byte in [0, 0x20, 0x30, 0x39, 0x3A, 0x41, 0xFF] as [UInt8] {
        var damaged = whole
        damaged[position] = byte
        let parts = damaged.withUnsafeBytes { SearchTarget.parse($0) }
        #expect(parts.domain.upperBound <= whole.count && parts.type.upperBound <= whole.count)
        expectEqual(SearchTarget(String(decoding: damaged, as: UTF8.self)).description.isEmpty, false)
      }
    }
  }
}
