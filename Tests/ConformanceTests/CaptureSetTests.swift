import Conformance
import Foundation
import Harness
import Testing

/// Every real capture is judged, whatever it holds.
@Suite("The capture set, judged")
struct CaptureSetTests {
  static let folder: URL? = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let named = ProcessInfo.processInfo.environment["ROLLCALL_CAPTURES"].map { URL(fileURLWithPath: $0) }
    let folder = named ?? root.deletingLastPathComponent().appendingPathComponent("shared/captures")
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }()

  static func judged(_ name: String) throws -> Judgement? {
    guard let folder else { return nil }
    return try JudgeInput.judge(folder.appendingPathComponent(name).path).judgement
  }

  @Test("each file is judged or refused with a reason; none crashes or hangs")
  func all() throws {
    guard let folder = CaptureSetTests.folder else {
      print("judge: no captures folder (ROLLCALL_CAPTURES); 0 files judged, 1 skipped")
      #expect(ProcessInfo.processInfo.environment["CI"] == nil, "CI has the captures")
      return
    }
    var judged = 0
    var refused: [String] = []
    var messages = 0
    for part in ["ssdp", "linktypes", "formats", "malformed", "mdns"] {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(part).path)
      for name in names.sorted() where ![".json", ".tsv", ".md", ".txt"].contains(where: name.hasSuffix) {
        do {
          messages += try JudgeInput.judge(folder.appendingPathComponent("\(part)/\(name)").path).judgement.messageCount
          judged += 1
        } catch let failure as JudgeInput.Failure { refused.append(failure.description) }
      }
    }
    print("judge: \(judged) files judged, \(messages) messages, \(refused.count) refused, 0 skipped")
    #expect(judged > 100 && messages > 1_100)
    #expect(refused.allSatisfy { $0.contains("capture") })
  }

  @Test("what the field is known to do is found, with the frames where it does")
  func facts() throws {
    struct Fact {
      var file, clause, found: String
      var frame, count: Int
    }
    let facts = [
      Fact(
        file: "ssdp/iot-hue-bridge-a5.pcap", clause: "UDA-1.2.2-USN-T1",
        found: "USN uuid:2f402f80-da50-11e1-9b23-0017882476ff with NT urn:schemas-upnp-org:device:basic:1", frame: 156,
        count: 4),
      Fact(file: "ssdp/android-lan.pcap", clause: "UDA-1.1-NOBODY", found: "\\x00", frame: 45, count: 1),
      Fact(
        file: "ssdp/iot-wemo-switch-a6.pcap", clause: "UDA-1.2-GROUP4", found: "10.22.22.138:1900", frame: 318,
        count: 16),
      Fact(
        file: "ssdp/iot-edimax-cam1-a3.pcap", clause: "UDA-1.2.2-NT-ENUM", found: "BasicDevice1", frame: 7, count: 2),
      Fact(
        file: "ssdp/iot-dlink-homehub-a2.pcap", clause: "UDA-1.2.3-BB-TEMPLATE", found: "CACHE-CONTROL", frame: 57,
        count: 8),
    ]
    for fact in facts {
      guard let judgement = try CaptureSetTests.judged(fact.file) else { return }
      let row = judgement.rows.first { $0.clause.id == fact.clause && $0.finding.found == fact.found }
      #expect(row?.finding.position == fact.frame, "\(fact)")
      #expect(row?.finding.count == fact.count, "\(fact)")
    }
  }
}
