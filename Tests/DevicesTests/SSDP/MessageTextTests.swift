import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("The text of a device's messages") struct MessageTextTests {
  /// The root message of a kind, with the UUID of the root as `…`.
  private func text(
    _ uda: UDAVersion, _ kind: DeviceMessageKind, isV6: Bool,
    _ change: (inout DeviceDescription) -> Void = { _ in }
  ) -> String {
    var description = treeDescription(uda)
    (description.securePort, description.searchPort) = (49_153, 49_200)
    change(&description)
    let fill = MessageFill(
      uuid: rootUUID, uuidStyle: .standard, host: isV6 ? IPAddress("fe80::20")! : IPAddress(192, 168, 1, 20),
      isV6: isV6, port: 80, alternatePort: 81, bootID: 7, nextBootID: 8, configID: 9, version: 0,
      clockSeconds: 1_704_067_200)
    let bytes = DeviceBlueprint(description).bytes(kind, advert: 0, fill)
    return String(decoding: bytes, as: UTF8.self).replacing("\(rootUUID)", with: "…")
  }
  private func message(_ lines: String...) -> String { lines.joined(separator: "\r\n") + "\r\n\r\n" }

  @Test("each version of UDA has its fields in each kind of message, over IPv6 with OPT and 01-NLS where it announces")
  func fields() {
    let (group, cache) = ("HOST: 239.255.255.250:1900", "CACHE-CONTROL: max-age=1800")
    let (group6, nt) = ("HOST: [FF02::C]:1900", "NT: upnp:rootdevice")
    let (place, place6) = (
      "LOCATION: http://192.168.1.20:80/description.xml", "LOCATION: http://[fe80::20]:80/description.xml"
    )
    let secure = "SECURELOCATION.UPNP.ORG: https://192.168.1.20:49153/description.xml"
    let secure6 = "SECURELOCATION.UPNP.ORG: https://[fe80::20]:49153/description.xml"
    let (server, usn) = ("SERVER: Linux/6.6 UPnP/2.0 Rollcall/1.0", "USN: uuid:…::upnp:rootdevice")
    let (boot, config, port) = ("BOOTID.UPNP.ORG: 7", "CONFIGID.UPNP.ORG: 9", "SEARCHPORT.UPNP.ORG: 49200")
    let (opt, nls) = ("OPT: \"http://schemas.upnp.org/upnp/1/0/\"; ns=01", "01-NLS: 7")
    let (notify, ok) = ("NOTIFY * HTTP/1.1", "HTTP/1.1 200 OK")
    let (date, next) = ("DATE: Mon, 01 Jan 2024 00:00:00 GMT", "NEXTBOOTID.UPNP.ORG: 8")
    let (alive, byebye, update) = ("NTS: ssdp:alive", "NTS: ssdp:byebye", "NTS: ssdp:update")
    let old = "SERVER: Linux/6.6 UPnP/1.0 Test/1.0"
    let middle = "SERVER: Linux/6.6 UPnP/1.1 Rollcall/1.0"
    expectEqual(
      text(.uda20, .alive, isV6: false),
      message(notify, group, cache, place, secure, nt, alive, server, usn, boot, config, port))
    expectEqual(
      text(.uda20, .alive, isV6: true),
      message(notify, group6, cache, place6, secure6, nt, alive, server, usn, boot, config, port, opt, nls))
    expectEqual(text(.uda20, .byebye, isV6: true), message(notify, group6, nt, byebye, usn, boot, config))
    expectEqual(
      text(.uda20, .update, isV6: true), message(notify, group6, place6, nt, update, usn, boot, config, next, port))
    expectEqual(
      text(.uda20, .response, isV6: true),
      message(
        ok, cache, date, "EXT:", place6, secure6, server, "ST: upnp:rootdevice", usn, boot, config, port, opt, nls))
    expectEqual(
      text(.uda11, .alive, isV6: false),
      message(notify, group, cache, place, nt, alive, middle, usn, boot, config, port))
    expectEqual(
      text(.uda11, .update, isV6: false), message(notify, group, place, nt, update, usn, boot, config, next, port))
    expectEqual(
      text(.uda11, .response, isV6: false),
      message(ok, cache, date, "EXT:", place, middle, "ST: upnp:rootdevice", usn, boot, config, port))
    expectEqual(text(.uda10, .alive, isV6: true), message(notify, group6, cache, place6, nt, alive, old, usn))
    expectEqual(text(.uda10, .byebye, isV6: false), message(notify, group, nt, byebye, usn))
    expectEqual(
      text(.uda10, .response, isV6: false), message(ok, cache, date, "EXT:", place, old, "ST: upnp:rootdevice", usn))
    let named = text(.uda20, .alive, isV6: false) {
      ($0.operatingSystem, $0.product, $0.scheme, $0.path) = ("A/1", "B/2", "https", "/c")
      ($0.style.order, $0.style.separator) = (["USN", "NT"], ":\t")
      $0.style.extraFields = [MessageStyle.ExtraField(name: "X", value: "y")]
      ($0.securePort, $0.searchPort, $0.maxAgeSeconds) = (nil, nil, -5)
    }
    expectEqual(
      named,
      message(
        notify, "USN:\tuuid:…::upnp:rootdevice", "NT:\tupnp:rootdevice", "HOST:\t239.255.255.250:1900",
        "CACHE-CONTROL:\tmax-age=-5", "LOCATION:\thttps://192.168.1.20:80/c", "NTS:\tssdp:alive",
        "SERVER:\tA/1 UPnP/2.0 B/2", "BOOTID.UPNP.ORG:\t7", "CONFIGID.UPNP.ORG:\t9", "X:\ty"))
  }

  @Test("numbers, addresses and UUIDs are printed digit by digit, and read back")
  func digits() throws {
    let blueprint = DeviceBlueprint(treeDescription(), quirks: [.servesStaleBootID, .twoLocations])
    for (host, port, bootID, stale) in [
      ("9.10.99.100", 0, 0, "1"), ("100.199.200.255", 9, 1, "0"), ("0.0.0.0", 65_534, 4_294_967_295, "4294967294"),
    ] as [(String, UInt16, UInt32, String)] {
      let fill = MessageFill(
        uuid: rootUUID, uuidStyle: .standard, host: try #require(IPAddress(host)), isV6: false, port: port,
        alternatePort: port + 1, bootID: bootID, nextBootID: 8, configID: 9, version: 4_294_967_295, clockSeconds: 0)
      let text = String(decoding: blueprint.bytes(.response, advert: 3, fill), as: UTF8.self)
      #expect(text.contains("\r\nLOCATION: http://\(host):\(port + 1)/description.xml\r\n"))
      #expect(text.contains("\r\nBOOTID.UPNP.ORG: \(stale)\r\n"))
      #expect(text.contains("\r\nST: urn:schemas-upnp-org:service:ContentDirectory:4294967295\r\n"))
    }
    let uuid = DeviceUUID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
    expectEqual(uuid.text(.standard), "01234567-89ab-cdef-fedc-ba9876543210")
    expectEqual(uuid.text(.capitals), "01234567-89AB-CDEF-FEDC-BA9876543210")
    expectEqual(uuid.text(.serialNumber), "RINCON_BA987654321001400")
    expectEqual(DeviceUUID("01234567-89aB-cdEf-Fedc-bA9876543210"), uuid)
    expectEqual(
      (0...2).map { uuid.derived($0).description },
      [
        "4f1576aa-0b86-4861-843e-f18c9d6eec7c", "2611f57c-6af2-4749-8a86-43e950d6238e",
        "9d1c78f7-4c1f-49bd-9328-d1dab0d95468",
      ])
    let start = "01234567-89ab-cdef-fedc-ba987654321"
    for text in ["", "00", "g", "G", "/", ":", "@", "`"].map({ start + $0 }) + [
      "0123456789ab-cdef-fedc-ba98765432100", "01234567-89ab-cdef-fedcaba9876543210",
    ] {
      expectEqual(DeviceUUID(text), nil, "\(text)")
    }
    // Drawn and derived ones have the form of version 4.
    for number in 0..<32 as Range<UInt64> {
      for one in [DeviceUUID(seed: Seed(number), name: "a"), uuid.derived(number)] {
        let text = Array(one.description)
        #expect(text[14] == "4" && "89ab".contains(text[19]), "\(one)")
      }
    }
  }

  @Test("a number of any length is printed with all of its digits")
  func decimals() {
    let blueprint = DeviceBlueprint(treeDescription())
    // Every pair of digits in each place, what rounds up under too large a factor, and both ends of each length.
    var numbers: [UInt32] = []
    for pair in 0...99 as ClosedRange<UInt32> { numbers += [pair * 1_010_101, (pair + 1) * 1_000_100 - 1] }
    for length in 0...9 as ClosedRange<Int> {
      let power = (0..<length).reduce(UInt32(1)) { product, _ in product * 10 }
      numbers += [power - 1, power, power + 1, power * 4]
    }
    numbers += [4_294_967_295, 84_998_499, 99_999_999, 12_345_678, 90_807_060, 70_000_007]
    for start in stride(from: 0, to: numbers.count - 2, by: 3) {
      let (one, two, three) = (numbers[start], numbers[start + 1], numbers[start + 2])
      let fill = MessageFill(
        uuid: rootUUID, uuidStyle: .standard, host: IPAddress(192, 168, 1, 20), isV6: false, port: 80,
        alternatePort: 81, bootID: one, nextBootID: three, configID: two, version: 0, clockSeconds: 0)
      let text = String(decoding: blueprint.bytes(.update, advert: 0, fill), as: UTF8.self)
      let end = "BOOTID.UPNP.ORG: \(one)\r\nCONFIGID.UPNP.ORG: \(two)\r\nNEXTBOOTID.UPNP.ORG: \(three)\r\n\r\n"
      #expect(text.hasSuffix("\r\n" + end), "\(text)")
    }
  }

  @Test("a type is compared by its number where its version is one, else as a whole")
  func types() {
    let part = DevicePart(
      type: "plain",
      services: [
        "urn:x:service:S:01", "urn:x:service:E:", "urn:x:service:M:4294967295", "urn:x:service:N:4294967296",
        "urn:x:service:L:2", "urn:x:service:L:3", "urn:x:service:Z:0",
      ], uuid: rootUUID)
    var device = bench(DeviceDescription(root: part), [.answersImmediately, .noRenewal])
    device.act(.appear)
    device.run(for: .seconds(2))
    let table: [(asked: String, answered: [String])] = [
      ("plain", ["plain"]), ("plain:1", []), ("plai", []),
      ("urn:x:service:S:01", ["urn:x:service:S:01"]), ("urn:x:service:S:1", []), ("urn:x:service:S:001", []),
      ("urn:x:service:E:", ["urn:x:service:E:"]), ("urn:x:service:E", []), ("urn:x:service:E:1", []),
      ("urn:x:service:M:4294967295", ["urn:x:service:M:4294967295"]),
      ("urn:x:service:M:4294967296", []), ("urn:x:service:M:9999999999", []), ("urn:x:service:M:10000000000", []),
      ("urn:x:service:M:1", ["urn:x:service:M:1"]), ("urn:x:service:M:04", []),
      ("urn:x:service:N:4294967296", ["urn:x:service:N:4294967296"]), ("urn:x:service:N:1", []),
      ("urn:x:service:L:1", ["urn:x:service:L:1", "urn:x:service:L:1"]),
      ("urn:x:service:L:2", ["urn:x:service:L:2", "urn:x:service:L:2"]),
      ("urn:x:service:L:3", ["urn:x:service:L:3"]), ("urn:x:service:L:4", []),
      ("urn:x:service:Z:0", ["urn:x:service:Z:0"]), ("urn:x:service:Z:1", []),
    ]
    for row in table {
      device.sent = []
      device.hear(search(row.asked))
      device.run(for: .milliseconds(1))
      expectEqual(device.sent.compactMap { $0.field("ST") }, row.answered, "\(row.asked)")
    }
  }
}
