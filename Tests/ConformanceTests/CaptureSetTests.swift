import RollcallCaptureSupport
import RollcallConformance
import Foundation
import RollcallJudging
import RollcallRunning
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
    for capture in JudgedCaptures.all {
      switch capture.outcome {
      case .success(let judgement):
        messages += judgement.messageCount
        judged += 1
      case .failure(let failure): refused.append("\(failure)")
      }
    }
    #expect(judged > 100 && messages > 1_100, "\(judged) files, \(messages) messages, refused \(refused)")
    #expect(refused.allSatisfy { $0.contains("capture") })
  }
}

/// The capture set as the judge has it, judged once for all tests that ask.
enum JudgedCaptures {
  struct Capture: Sendable {
    var url: URL
    /// Below the folder of captures.
    var path: String
    var outcome: Result<Judgement, any Error>
  }

  /// In the order of the subfolders, then by name; nothing where there is no folder.
  static let all: [Capture] = ["ssdp", "linktypes", "formats", "malformed", "mdns"].flatMap { part in
    CaptureFolder.captures(in: part, for: "judging").filter { $0.pathExtension != "txt" }.map { url in
      let outcome = Result { try JudgeInput.judge(url.path).judgement }
      return Capture(url: url, path: "\(part)/\(url.lastPathComponent)", outcome: outcome)
    }
  }
}
