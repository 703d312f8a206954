import Foundation
import RollcallCaptureSupport
import RollcallExpectations
import RollcallWire
import Testing

@Suite("Descriptions of real devices") struct DescriptionFieldTests {
  static let files = CaptureFolder.captures(in: "descriptions", for: "descriptions of devices")

  @Test("each is read, with the flaws that were reviewed; strict takes those without, and refuses the others")
  func files() throws {
    for file in Self.files {
      let bytes = try Array(Data(contentsOf: file))
      let name = file.lastPathComponent
      let reading = try DescriptionReader.read(bytes, mode: .lenient)
      let flaws = reading.flaws.map { "\($0.reason.rawValue) \($0.place.line):\($0.place.column)" }
      // Of many of one reason the table has the first one and how many there are.
      var summary: [String] = []
      var counts: [String: Int] = [:]
      for flaw in reading.flaws { counts[flaw.reason.rawValue, default: 0] += 1 }
      for (flaw, text) in zip(reading.flaws, flaws) {
        guard let count = counts.removeValue(forKey: flaw.reason.rawValue) else { continue }
        summary.append(count == 1 ? text : "\(text) and \(count - 1) more")
      }
      expectEqual(summary, Self.flaws[name] ?? ["not in the table"], "\(name)")
      expectEqual(reading.flawCount, reading.flaws.count, "\(name)")
      do throws(DescriptionFault) {
        let strict = try DescriptionReader.read(bytes, mode: .strict)
        expectEqual(strict, reading, "\(name)")
        #expect(flaws.isEmpty, "\(name)")
      } catch {
        #expect(reading.flaws.contains(error), "\(name): \(error)")
      }
      // Written and read again it is the same, but for names that were cut.
      let again = try DescriptionReader.read(reading.document.bytes, mode: .lenient).document
      expectEqual(again, Self.cut(reading.document), "\(name)")
      CaptureFolder.checked(file)
    }
    if CaptureFolder.url != nil { expectEqual(Self.files.map(\.lastPathComponent), Self.flaws.keys.sorted()) }
  }

  private static func cut(_ document: DescriptionDocument) -> DescriptionDocument {
    func cut(_ device: DescriptionDocument.Device) -> DescriptionDocument.Device {
      var device = device
      func trimmed(_ text: String, _ count: Int) -> String {
        String(text.prefix(count)).trimmingCharacters(in: .whitespaces)
      }
      device.friendlyName = trimmed(device.friendlyName, 63)
      device.manufacturer = trimmed(device.manufacturer, 63)
      device.modelName = trimmed(device.modelName, 31)
      device.embedded = device.embedded.map(cut)
      return device
    }
    var document = document
    document.root = cut(document.root)
    return document
  }

  /// What was let pass in each file.
  static let flaws: [String: [String]] = [
    "async-upnp-dmr-bad-namespace.xml": ["namespace 2:1"],
    "async-upnp-dmr-embedded.xml": ["badType 8:5", "emptyList 44:5"],
    "async-upnp-dmr-incomplete.xml": ["emptyList 44:5"],
    "async-upnp-dmr.xml": [],
    "async-upnp-igd.xml": ["missingElement 55:11 and 1 more"],
    "broken-atb-miviewtv.xml": ["emptyElement 24:1 and 1 more"],
    "broken-ceton-infinitv.xml": ["badServiceID 37:1 and 52 more", "badType 130:1 and 7 more"],
    "broken-doubletwist.xml": ["badType 36:1", "badServiceID 37:1"],
    "broken-eyetv-netstream-sat.xml": ["badType 8:1 and 10 more", "badServiceID 49:1 and 9 more"],
    "broken-missing-namespaces.xml": ["unboundPrefix 19:6 and 1 more", "repeatedElement 21:5"],
    "broken-philips-hue.xml": ["badType 21:9", "badServiceID 22:9"],
    "broken-plutinosoft.xml": ["emptyElement 13:5", "badURL 24:9", "badType 29:9", "badServiceID 30:9"],
    "broken-tpg.xml": ["badServiceID 39:1 and 1 more"],
    "broken-ushare.xml": ["unboundPrefix 19:6"],
    "broken-zyxel-miviewtv.xml": ["emptyElement 24:1 and 1 more"],
    "connectsdk-chromecast.xml": [],
    "connectsdk-dlna-no-required-services.xml": ["unknownElement 31:5 and 19 more"],
    "connectsdk-firetv.xml": [],
    "connectsdk-lg-speaker.xml": [],
    "connectsdk-roku2.xml": ["badType 23:1", "emptyElement 37:1 and 1 more"],
    "connectsdk-sonos-no-root-services.xml": ["unknownElement 31:5 and 19 more"],
    "connectsdk-sonos.xml": ["unknownElement 31:5 and 19 more"],
    "connectsdk-webos-minor-dlna.xml": [],
    "connectsdk-webos-minor-webos.xml": [],
    "connectsdk-webos-minor.xml": ["badUDN 22:3", "missingElement 32:2 and 2 more"],
    "gupnp-testdevice.xml": ["badServiceID 37:1", "missingElement 48:1 and 3 more"],
    "igd-linksys-wag200g.xml": ["badUDN 93:1"],
    "jupnp-uda10-emptybase.xml": ["urlBase 6:5", "unknownElement 7:5", "unknownAttribute 9:13"],
    "jupnp-uda10-withbase.xml": ["urlBase 6:5"],
    "jupnp-uda10-withbase2.xml": ["urlBase 6:5"],
    "jupnp-uda10.xml": ["version 4:9 and 1 more", "unknownElement 7:5", "unknownAttribute 9:13"],
    "mmupnp-device-google-dial.xml": [],
    "mmupnp-device-no-service.xml": [],
    "mmupnp-device-with-embedded.xml": [],
    "mmupnp-device-with-garbage.xml": ["unknownElement 26:17 and 1 more"],
    "mmupnp-device-with-url-base.xml": ["unknownElement 19:9"],
    "pupnp-tvdevicedesc.xml": [],
    "swiftupnp-mediaserver.xml": ["configID 1:1"],
    "unrecoverable-awox.xml": ["emptyElement 1:264"],
    "unrecoverable-philips.xml": ["badType 36:794", "badServiceID 36:876"],
    "unrecoverable-simplecenter.xml": ["badType 65:9", "badServiceID 66:9"],
  ]
}
