import RollcallCaptureSupport
import Foundation
import RollcallPrimitives
import RollcallWire

/// Bytes that several tests read: the inputs of the golden file, the messages of the composer, real datagrams.
enum SSDPSamples {
  /// Single SSDP messages cut from real captures, by name.
  static let datagrams: [(name: String, bytes: [UInt8])] = {
    guard let folder = CaptureFolder.url?.appending(path: "datagrams"),
      let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    else { return [] }
    return names.sorted().filter { $0.hasPrefix("cut-") && $0.hasSuffix(".bin") && !$0.hasPrefix("cut-mdns") }
      .compactMap { name in
        (try? Data(contentsOf: folder.appending(path: name))).map { (name, [UInt8]($0)) }
      }
  }()

  static let composed: [[UInt8]] = {
    let store = PayloadStore()
    let sender = SSDPComposer.Sender(
      location: "http://192.168.1.20:49152/description.xml", server: "Linux/5.10 UPnP/1.1 Acme/2.0", bootID: 41,
      configID: 7, searchPort: 50_000)
    let target = "urn:schemas-upnp-org:device:MediaRenderer:1"
    let usn = "uuid:2fac1234-31f8-11b4-a222-08002b34c003::" + target
    return [
      SSDPComposer.alive(target: target, usn: usn, sender: sender, into: store),
      SSDPComposer.byebye(target: target, usn: usn, bootID: 41, configID: 7, into: store),
      SSDPComposer.update(target: target, usn: usn, sender: sender, nextBootID: 42, into: store),
      SSDPComposer.search(target: "ssdp:all", mx: 3, userAgent: "Rollcall/1.0 UPnP/2.0 Test/1", into: store),
      SSDPComposer.unicastSearch(target: target, host: "192.168.1.20:50000", into: store),
      SSDPComposer.response(
        target: target, usn: usn, sender: sender, date: "Thu, 01 Jan 1970 00:00:00 GMT", into: store),
    ].map { store.array(of: $0) }
  }()

  static let all: [[UInt8]] = {
    let golden = (try? SSDPGolden())?.cases.map(\.input) ?? []
    return golden + composed + datagrams.map(\.bytes)
  }()

  /// A message with these field lines between start line and blank line.
  static func notify(_ lines: String...) -> [UInt8] {
    Array(("NOTIFY * HTTP/1.1\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n").utf8)
  }

  /// What reader and field rules refuse.
  static func check(_ bytes: [UInt8], _ mode: SSDPMode, isMulticast: Bool) -> Rejection? {
    SSDPReader.withReading(bytes, mode: mode) { reading -> Rejection? in
      switch reading {
      case .message(let message): message.check(mode, isMulticast: isMulticast)
      case .rejected(let rejection): rejection
      }
    }
  }

  /// Kind and fields as JSON lines show them, lenient; no kind for what is refused.
  static func headers(_ bytes: [UInt8]) -> (kind: String, headers: [(name: String, value: String)]) {
    SSDPReader.withReading(bytes, mode: .lenient) { reading in
      switch reading {
      case .message(let message): (message.kind.name, SSDPText.headers(message))
      case .rejected: ("", [])
      }
    }
  }
}
