import Capture
import Foundation
import Harness
import Primitives
import Testing

@Suite("Shrinking captures")
struct CaptureShrinkTests {
  private func shrink(_ name: String, _ wanted: CaptureShrinker.Wanted, until: Interval? = nil) throws
    -> CaptureShrinker.Outcome
  {
    let path = Places.root.appendingPathComponent("Captures/\(name)/capture.pcapng").path
    var shrinker = try CaptureShrinker(
      name: name, options: ReplayOptions(until: until), wanted: wanted, isOver: { false }
    ) { try CaptureReader(path: path) }
    return shrinker.shrink()
  }

  private func reports(_ bytes: [UInt8]) -> [String] {
    var lines: [String] = []
    guard var reader = CaptureBytes.reader(bytes) else {
      Issue.record("what was written is no capture")
      return []
    }
    var replay = Replay(options: ReplayOptions(wantsMessages: false)) { event in
      if case .report(let report, let time, _) = event {
        lines.append(ReportLine.json(report, time: time.description, frame: nil))
      }
    }
    replay.run(&reader)
    return lines
  }

  @Test("a loss by byebye needs an alive before it and the byebye; an expiry needs a frame that comes later")
  func fewest() throws {
    let byebye = try shrink("minidlna-start-and-byebye", .event("lost", device: nil))
    #expect(byebye.frames.count == 2)
    #expect(reports(byebye.pcapng).contains(byebye.report))
    let expiry = try shrink("minidlna-killed-lease-expires", .event("lost", device: nil))
    #expect(expiry.frames.count == 2)
    #expect(expiry.frames != byebye.frames)
    #expect(reports(expiry.pcapng).contains(expiry.report))
  }

  @Test("a line of the reviewed file is kept in its words and at its time")
  func reviewedLine() throws {
    let name = "gssdp-update-bootid"
    let folder = Places.root.appendingPathComponent("Captures/\(name)")
    let reviewed = try String(contentsOf: folder.appendingPathComponent("expected.jsonl"), encoding: .utf8)
    let line = try #require(reviewed.split(separator: "\n").first { $0.contains("\"changed\"") })
    let outcome = try shrink(name, .text(String(line)))
    // An alive makes the device, the update changes it.
    #expect(outcome.frames.count == 2)
    let kept = reports(outcome.pcapng)
    #expect(kept.filter { $0.contains("\"changed\"") } == [outcome.report])
  }

  @Test("a report that the replay does not make is refused in words")
  func noSuchReport() {
    #expect(throws: CaptureShrinker.Problem.noSuchReport("lost:uuid:nobody")) {
      try shrink("minidlna-start-and-byebye", .event("lost", device: "uuid:nobody"))
    }
  }
}
