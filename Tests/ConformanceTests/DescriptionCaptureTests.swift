import Foundation
import RollcallCapture
import RollcallConformance
import RollcallExpectations
import RollcallJudging
import RollcallPrimitives
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import Testing

/// Captures that hold the fetch of a description beside the messages.
@Suite("Descriptions in captures")
struct DescriptionCaptureTests {
  private static let clauses: [ClauseID] = [.servicePerDevice, .usnOwner, .usnUDN, .configIDChange]
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Held, violated and left open, clause by clause.
  private func counts(_ judgement: Judgement) -> [[Int]] {
    DescriptionCaptureTests.clauses.map { clause in
      let total = judgement.total(clause)
      return [total.held, total.violated, total.inconclusive]
    }
  }

  /// What the engine of a run fetched, as a recorder beside it would have written it.
  private func judged(_ quirk: String, _ path: String = "/description.xml") throws -> Judgement {
    let text = """
      scenario: Described
      duration: 2m
      engine: {descriptions: fetch}
      inhabitants:
        tv: {kind: root-device, path: "\(path)", quirks: [\(quirk)]}
      """
    let resolved = try Scenario(yaml: text, file: "x.yaml").resolved()
    let result = Run.perform(resolved, seed: Seed(1), options: RunOptions(recordedHosts: [0], watchedHost: 0))
    let capture = CaptureExport.write(result, of: resolved, host: 0, scenario: "x.yaml", seed: 1)
    var reader = try InputFiles.reader(of: capture)
    var judge = ClauseJudge(.capture)
    var hearing = CaptureHearing()
    hearing.run(&reader, judge: &judge)
    return Judgement(judge)
  }

  @Test("a run that is written as a capture says of its description what the run says")
  func runs() throws {
    // Four messages, of which a device type and a service have an owner; what is not renewed stays open.
    expectEqual(counts(try judged("")), [[0, 0, 0], [2, 0, 0], [4, 0, 0], [0, 0, 0]])
    expectEqual(counts(try judged("", "/a/b.xml?c=d&e=%20f")), counts(try judged("")))
    expectEqual(counts(try judged("descriptionChunked")), counts(try judged("")))
    expectEqual(counts(try judged("descriptionOtherUDN")), [[0, 0, 0], [0, 0, 0], [0, 4, 0], [0, 0, 0]])
  }

  @Test(
    "an answer that is no whole document from LOCATION is not the description",
    arguments: ["descriptionNotFound", "descriptionTruncated", "descriptionRedirects", "descriptionClosed"])
  func others(quirk: String) throws {
    expectEqual(counts(try judged(quirk)), [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]])
  }

  @Test("a page for people is told once, as a description that cannot be read")
  func page() throws {
    expectEqual(counts(try judged("descriptionWrongType")), [[0, 0, 0], [0, 0, 0], [0, 0, 1], [0, 0, 0]])
  }

  /// miniupnpd announces and answers for a service that its description does not have (D52): WANPPPConnection:1.
  @Test("the captures of miniupnpd agree with its description but for one type")
  func field() throws {
    let expected: [(capture: String, counts: [[Int]], frame: Int)] = [
      ("minissdpd-cache-and-answers", [[0, 0, 0], [8, 0, 1], [12, 0, 0], [0, 0, 0]], 21),
      ("miniupnpd-ipv6", [[0, 0, 0], [9, 0, 1], [13, 0, 0], [0, 0, 0]], 41),
      ("miniupnpd-upnpc-and-byebye", [[0, 0, 0], [9, 0, 1], [13, 0, 0], [1, 0, 0]], 16),
    ]
    for row in expected {
      let path = DescriptionCaptureTests.root.appendingPathComponent("Captures/\(row.capture)/capture.pcapng").path
      let judgement = try JudgeInput.judge(path).judgement
      expectEqual(counts(judgement), row.counts, "\(row.capture)")
      let open = judgement.rows.filter { $0.clause.number == .usnOwner }.map(\.finding)
      expectEqual(open.map(\.position), [row.frame], "\(row.capture)")
      expectEqual(open.map(\.expected), ["no device of the description is of this type, or has a service of it"])
    }
  }
}
