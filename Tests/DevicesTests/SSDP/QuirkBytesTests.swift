import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallDevices

/// What a message quirk does to the bytes: lines that went (`-`) and lines that came (`+`) in a message of each kind.
///
/// Kinds that change alike share an entry; beyond four lines only their number is given.
/// - Parameter plain: the lines of each kind without a quirk.
func quirkDifference(_ quirk: Quirk, from plain: [[String]]) -> String {
  var changes: [(kinds: String, lines: [String])] = []
  for (kind, (before, after)) in zip(["alive", "response", "byebye", "update"], zip(plain, sample([quirk]))) {
    let lines = visibleLines(after).difference(from: before).map { change in
      switch change {
      case .remove(_, let line, _): "- " + line
      case .insert(_, let line, _): "+ " + line
      }
    }
    if let same = changes.firstIndex(where: { $0.lines == lines }) {
      changes[same].kinds += " \(kind)"
    } else {
      changes.append((kind, lines))
    }
  }
  return changes.filter { !$0.lines.isEmpty }.map { kinds, lines in
    "\(kinds):\n" + lines.prefix(4).map { "  \($0)\n" }.joined()
      + (lines.count > 4 ? "  … \(lines.count - 4) more\n" : "")
  }.joined()
}

/// Lines with their ends made visible; bytes beyond ASCII and NUL as `\xNN`.
func visibleLines(_ bytes: [UInt8]) -> [String] {
  func visible(_ byte: UInt8) -> String {
    switch byte {
    case 13: "\\r"
    case 32...126: String(UnicodeScalar(byte))
    default: "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }
  let parts = bytes.split(separator: 10, omittingEmptySubsequences: false)
  return parts.enumerated().compactMap { index, part -> String? in
    if index == parts.count - 1, part.isEmpty { return nil }
    // The usual end is not worth a word.
    let isUsual = index < parts.count - 1 && part.last == 13
    let line = isUsual ? part.dropLast() : part
    let isPlain = line.allSatisfy { $0 >= 32 && $0 <= 126 }
    let text = isPlain ? String(decoding: line, as: UTF8.self) : line.map(visible).joined()
    return text + (isUsual || index == parts.count - 1 ? "" : "\\n")
  }
}

/// An announcement, an answer, a byebye and an update about one advert of the set: a service, if no other is named.
func sample(_ quirks: [Quirk], about index: Int = 3) -> [[UInt8]] {
  let description = treeDescription().altered(by: quirks)
  let advert = AdvertSet(description).adverts[index]
  let kinds = [DeviceMessageKind.alive, .response, .byebye, .update]
  // These four alone: a blueprint makes all messages of a device.
  let forms = MessageForms(kinds.map { DeviceBlueprint.draft($0, advert, of: description, quirks) })
  let fill = MessageFill(
    uuid: rootUUID, uuidStyle: .standard, host: IPAddress(192, 168, 1, 20), isV6: false, port: 49_152,
    alternatePort: 49_153, bootID: 7, nextBootID: 8, configID: 1, version: 2, clockSeconds: 1_704_067_200)
  let store = PayloadStore()
  return kinds.indices.map { store.array(of: forms.write($0, to: store, fill, echo: [])) }
}

@Suite("A message quirk changes the bytes of messages") struct QuirkBytesTests {
  /// Quirks that touch every line, so that a list of lines tells nothing.
  static let wholesale: [Quirk] = [
    .lfOnly, .truncated(40), .emptyFields, .titleCaseNames, .noSpaceAfterColon, .trailingBlanks,
  ]

  @Test("in the lines that the goldens show, and in no other")
  func goldens() {
    var text = ""
    let plain = sample([]).map(visibleLines)
    for entry in Quirk.catalogue where entry.place == .message && !Self.wholesale.contains(entry.example) {
      text += "\(entry.name)\n" + quirkDifference(entry.example, from: plain)
    }
    text = text.replacing("urn:schemas-upnp-org:service:ContentDirectory", with: "urn:…:ContentDirectory")
      .replacing("\(rootUUID)", with: "…")
    let (found, golden) = (text.split(separator: "\n"), quirkGoldens.split(separator: "\n"))
    for (found, golden) in zip(found, golden) where found != golden {
      Issue.record("found '\(found)', the golden has '\(golden)'")
    }
    expectEqual(found.count, golden.count)
  }

  @Test("or in all of them")
  func wholesale() {
    let plain = String(decoding: sample([])[2], as: UTF8.self)
    expectEqual(
      plain,
      """
      NOTIFY * HTTP/1.1\r
      HOST: 239.255.255.250:1900\r
      NT: urn:schemas-upnp-org:service:ContentDirectory:3\r
      NTS: ssdp:byebye\r
      USN: uuid:2fac1234-31f8-11b4-a222-08002b34c003::urn:schemas-upnp-org:service:ContentDirectory:3\r
      BOOTID.UPNP.ORG: 7\r
      CONFIGID.UPNP.ORG: 1\r
      \r

      """)
    func byebye(_ quirk: Quirk) -> String { String(decoding: sample([quirk])[2], as: UTF8.self) }
    expectEqual(Array(byebye(.lfOnly).utf8), plain.utf8.filter { $0 != 13 })
    expectEqual(byebye(.truncated(40)), String(decoding: plain.utf8.prefix(40), as: UTF8.self))
    expectEqual(byebye(.truncated(0)), "")
    expectEqual(byebye(.truncated(60_000)), plain)
    expectEqual(
      byebye(.emptyFields),
      "NOTIFY * HTTP/1.1\r\nHOST:\r\nNT:\r\nNTS:\r\nUSN:\r\nBOOTID.UPNP.ORG:\r\nCONFIGID.UPNP.ORG:\r\n\r\n")
    expectEqual(
      byebye(.titleCaseNames),
      plain.replacing("HOST", with: "Host").replacing("BOOTID.UPNP.ORG", with: "Bootid.Upnp.Org")
        .replacing("CONFIGID.UPNP.ORG", with: "Configid.Upnp.Org"))
    expectEqual(byebye(.noSpaceAfterColon), plain.replacing(": ", with: ":"))
    let trailing = plain.split(separator: "\r\n").map(String.init)
    expectEqual(
      byebye(.trailingBlanks), trailing[0] + "\r\n" + trailing.dropFirst().map { $0 + "  \t\r\n" }.joined() + "\r\n")
  }

  @Test("at their place: HOST before all other fields, BOOTID missing on services alone, AL with LOCATION as it was")
  func places() {
    func lines(_ kind: Int, _ quirks: [Quirk]) -> [String] { visibleLines(sample(quirks)[kind]) }
    var answer = lines(1, [])
    answer.insert("HOST: 239.255.255.250:1900", at: 1)
    expectEqual(lines(1, [.hostInResponse]), answer)
    var alive = lines(0, [.locationHttps])
    expectEqual(alive[3], "LOCATION: https://192.168.1.20:49152/description.xml")
    alive[3] = "LOCATION: *"
    alive.insert("AL: https://192.168.1.20:49152/description.xml", at: alive.count - 1)
    expectEqual(lines(0, [.locationHttps, .locationStar]), alive)
    // The root device, the UUIDs and the devices.
    for index in [0, 1, 2, 5, 6] {
      expectEqual(sample([.bootIDMissingOnServices], about: index), sample([], about: index), "advert \(index)")
    }
  }

  @Test("on top of one another, in the order of the list")
  func composed() {
    let bytes = sample([.maxAge(60), .maxAgeQuoted, .lfOnly, .noServer, .noExt])[1]
    expectEqual(
      String(decoding: bytes, as: UTF8.self),
      """
      HTTP/1.1 200 OK
      CACHE-CONTROL: max-age="60"
      DATE: Mon, 01 Jan 2024 00:00:00 GMT
      LOCATION: http://192.168.1.20:49152/description.xml
      ST: urn:schemas-upnp-org:service:ContentDirectory:2
      USN: uuid:2fac1234-31f8-11b4-a222-08002b34c003::urn:schemas-upnp-org:service:ContentDirectory:2
      BOOTID.UPNP.ORG: 7
      CONFIGID.UPNP.ORG: 1


      """)
  }
}
