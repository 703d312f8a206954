import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallDevices

@Suite("A message of a device as a draft and as it is compiled") struct MessageFormsTests {
  private let root = Advert(.rootDevice, owner: 0, stem: "upnp:rootdevice")
  /// One message alone: a blueprint makes all messages of a device.
  private func written(_ draft: MessageDraft, _ fill: MessageFill, echo: [UInt8] = []) -> [UInt8] {
    let store = PayloadStore()
    return store.array(of: MessageForms([draft]).write(0, to: store, fill, echo: echo))
  }

  @Test("NT has the version of the advert, ST the one that was asked for where the advert's is a number")
  func targets() {
    let table: [(advert: Advert, announced: [MessageDraft.Piece], echoed: [MessageDraft.Piece])] = [
      (root, [.text("upnp:rootdevice")], [.text("upnp:rootdevice")]),
      (Advert(.uuid, owner: 0), [.text("uuid:"), .hole(.uuid)], [.text("uuid:"), .hole(.uuid)]),
      (Advert(.device, owner: 0, type: "urn:x:1"), [.text("urn:x:1")], [.text("urn:x:"), .hole(.version)]),
      (Advert(.device, owner: 0, type: "urn:x:2"), [.text("urn:x:2")], [.text("urn:x:"), .hole(.version)]),
      (Advert(.device, owner: 0, type: "urn:x:0"), [.text("urn:x:0")], [.text("urn:x:0")]),
      (Advert(.service, owner: 0, type: "urn:x:01"), [.text("urn:x:01")], [.text("urn:x:01")]),
    ]
    for row in table {
      expectEqual(MessageDraft.target(of: row.advert, isEchoed: false), row.announced)
      expectEqual(MessageDraft.target(of: row.advert, isEchoed: true), row.echoed)
    }
  }

  @Test("LOCATION has the path of the advert where it has one, else that of the device")
  func locations() {
    var camera = Advert(.opaque, owner: 0, stem: "hnap:NetworkCamera")
    camera.path = "/HNAP1/"
    for (advert, path) in [(root, "/description.xml"), (camera, "/HNAP1/")] {
      for kind in [DeviceMessageKind.alive, .update, .response] {
        let fields = MessageDraft(kind, advert, of: treeDescription()).fields
        expectEqual(
          fields.filter { $0.name == "LOCATION" }.map(\.value),
          [[.text("http://"), .hole(.host), .text(":"), .hole(.port), .text(path)]])
      }
    }
  }

  @Test("the longest ST that is kept is echoed as a whole")
  func echoes() {
    var draft = MessageDraft(.response, root, of: treeDescription())
    draft.set("ST", [.hole(.echo)])
    let fill = MessageFill(
      uuid: rootUUID, uuidStyle: .standard, host: IPAddress(192, 168, 1, 20), isV6: false, port: 80,
      alternatePort: 81, bootID: 7, nextBootID: 8, configID: 9, version: 0, clockSeconds: 1_704_067_200)
    let lines = [
      "HTTP/1.1 200 OK", "CACHE-CONTROL: max-age=1800", "DATE: Mon, 01 Jan 2024 00:00:00 GMT", "EXT:",
      "LOCATION: http://192.168.1.20:80/description.xml", "SERVER: Linux/6.6 UPnP/2.0 Rollcall/1.0",
      "ST: " + String(repeating: "a", count: 512), "USN: uuid:\(rootUUID)::upnp:rootdevice", "BOOTID.UPNP.ORG: 7",
      "CONFIGID.UPNP.ORG: 9", "", "",
    ]
    let echo = [UInt8](repeating: UInt8(ascii: "a"), count: 512)
    expectEqual(String(decoding: written(draft, fill, echo: echo), as: UTF8.self), lines.joined(separator: "\r\n"))
  }

  @Test("a message that is too long for a datagram ends with the last piece that fits")
  func datagrams() {
    func bytes(pathByteCount: Int, isV6: Bool = false) -> [UInt8] {
      var description = treeDescription()
      description.path = String(repeating: "a", count: pathByteCount)
      let fill = MessageFill(
        uuid: rootUUID, uuidStyle: .standard, host: isV6 ? IPAddress("fe80::20")! : IPAddress(192, 168, 1, 20),
        isV6: isV6, port: 80, alternatePort: 81, bootID: 7, nextBootID: 8, configID: 9, version: 0, clockSeconds: 0)
      return written(MessageDraft(.response, root, of: description), fill)
    }
    let short = bytes(pathByteCount: 0)
    let fitting = 65_507 - short.count
    let whole = bytes(pathByteCount: fitting)
    expectEqual(whole.count, 65_507)
    let end = "\(rootUUID)::upnp:rootdevice\r\nBOOTID.UPNP.ORG: 7\r\nCONFIGID.UPNP.ORG: 9\r\n\r\n".utf8.count
    expectEqual(Array(whole.suffix(end)), Array(short.suffix(end)))
    // The blank line, the end of the last field, its number, and the UUID, which just fits and then does not.
    let table: [(surplus: Int, cut: Int)] = [
      (1, 2), (2, 2), (3, 4), (4, 4), (5, 5), (end - 36, end - 36), (end - 35, end), (end, end),
    ]
    for (surplus, cut) in table {
      let cutShort = bytes(pathByteCount: fitting + surplus)
      expectEqual(cutShort.count, 65_507 + surplus - cut, "\(surplus) bytes too many")
      expectEqual(Array(cutShort.suffix(20)), Array(short.dropLast(cut).suffix(20)), "\(surplus) bytes too many")
    }
    // Over IPv6 the number of 01-NLS and the text in front of it are pieces of their own.
    let short6 = bytes(pathByteCount: 0, isV6: true)
    let lines = "OPT: \"http://schemas.upnp.org/upnp/1/0/\"; ns=01\r\n01-NLS: 7\r\n\r\n".utf8.count
    let table6: [(surplus: Int, cut: Int)] = [(0, 0), (1, 2), (3, 4), (5, 5), (6, lines), (lines, lines)]
    for (surplus, cut) in table6 {
      let cutShort = bytes(pathByteCount: 65_507 - short6.count + surplus, isV6: true)
      expectEqual(Array(cutShort.suffix(20)), Array(short6.dropLast(cut).suffix(20)), "\(surplus) bytes too many")
    }
  }
}
