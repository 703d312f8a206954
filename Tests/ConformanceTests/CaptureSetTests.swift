import CaptureSupport
import Conformance
import Foundation
import Harness
import Testing

/// Every real capture is judged, whatever it holds.
@Suite("The capture set, judged")
struct CaptureSetTests {
  @Test("each file is judged or refused with a reason; none crashes or hangs")
  func all() throws {
    guard CaptureFolder.url != nil else { return CaptureFolder.skipped("judging the capture set") }
    var judged = 0
    var refused: [String] = []
    var messages = 0
    for part in ["ssdp", "linktypes", "formats", "malformed", "mdns"] {
      for file in CaptureFolder.captures(in: part, for: "judging") where !["txt", "md"].contains(file.pathExtension) {
        do {
          messages += try JudgeInput.judge(file.path).judgement.messageCount
          judged += 1
        } catch let failure as JudgeInput.Failure { refused.append(failure.description) }
      }
    }
    #expect(judged > 100 && messages > 1_100, "\(judged) files, \(messages) messages, refused \(refused)")
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
      guard let file = CaptureFolder.capture(fact.file, for: "findings of the field") else { return }
      let judgement = try JudgeInput.judge(file.path).judgement
      CaptureFolder.checked(file)
      let row = judgement.rows.first { $0.clause.id == fact.clause && $0.finding.found == fact.found }
      #expect(row?.finding.position == fact.frame, "\(fact)")
      #expect(row?.finding.count == fact.count, "\(fact)")
    }
  }
}
