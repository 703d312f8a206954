import Foundation
import RollcallCampaigns
import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import Testing

/// What campaigns say of what was measured: in text, in lines of JSON, in tables and in pictures.
@Suite("Campaigns to the letter")
struct CampaignTextTests {
  private static let plan = """
    scenario: Found by <search> alone
    duration: 30s
    network: {link: {latency: 1ms, loss: 20%}}
    inhabitants: {tv: {kind: root-device, link: {outbound: {multicast-loss: 100%}}}}
    timeline: [{at: 1s, search: {target: "upnp:rootdevice", mx: 3s, broadcasts: 1}}]

    """
  /// The same without theory: the run ends before the search does.
  private static let cut = plan.replacing("duration: 30s", with: "duration: 2s")

  /// The runs of a point: when those that found the device did so, and how many there were.
  private struct Runs {
    var found: [Interval]
    var count: Int

    init(_ milliseconds: [Int64], of count: Int) {
      found = milliseconds.map { Interval.milliseconds($0) }
      self.count = count
    }
  }

  private static func records(_ points: [Runs]) -> [RunRecord] {
    var records: [RunRecord] = []
    for (point, runs) in points.enumerated() {
      for number in 0..<runs.count {
        let key = RunRecord.Key(point: point, seed: UInt64(number + 1))
        var record = RunRecord(key: key, outcome: .passed, digest: Digest(), entries: 1)
        record.sought = 1
        if number < runs.found.count {
          record.found = 1
          record.foundAfter = runs.found[number]
        }
        records.append(record)
      }
    }
    return records
  }

  private static func campaign(_ yaml: String) throws -> Campaign {
    let plan = try Scenario(yaml: yaml, file: "plan.yaml")
    return try Campaign(plan: plan, file: "plan.yaml", seeds: 1...12, version: "test")
  }

  private static func curves(_ yaml: String, _ points: [Runs]) throws -> CurveSet {
    let campaign = try campaign(yaml)
    return CurveSet(campaign.title, campaign.points, records(points))
  }

  /// Two curves: places in no order and two in one, whole and open intervals, places without runs and without a time.
  private static func sweep() throws -> CampaignReport {
    let campaign = try campaign(
      plan + "sweep:\n  timeline[0].search.broadcasts: [1, 2]\n  network.link.loss: [20%, 0%, \"10.0%\", 10%, 40%]\n")
    let seconds: [Int64] = (1...10).map { $0 * 1_000 }
    let quarters: [Int64] = (0..<9).map { 1_250 + $0 * 1_000 }
    let points: [Runs] = [
      Runs(Array(seconds.prefix(8)), of: 10), Runs(seconds, of: 10), Runs([2_500], of: 1), Runs([2_000, 4_000], of: 3),
      Runs([], of: 10),
      Runs(Array(seconds.prefix(5)), of: 5), Runs([], of: 0), Runs([], of: 0), Runs(quarters, of: 9), Runs([], of: 12),
    ]
    var records = records(points)
    for place in records.indices {
      let (point, seed) = (records[place].key.point, records[place].key.seed)
      if point == 5, seed == 2 { records[place].facts = [.foundAgain, .segmentLost] }
      if point == 9, seed == 12 { records[place].facts = [.segmentLost] }
      guard point == 4 && seed == 10 || point == 9 && seed == 12 else { continue }
      records[place].outcome = .failed
      records[place].failure = "found: it never happened"
    }
    return CampaignReport(campaign, records)
  }

  private static func lines(_ text: String?) -> [String] {
    (text ?? "nothing").split(separator: "\n").map(String.init)
  }

  /// The numbers beside the lower panel where the one run that found the device did so after so long.
  private static func ticks(_ microseconds: Int64) throws -> String {
    let campaign = try campaign(cut)
    var records = records([Runs([0], of: 1)])
    records[0].foundAfter = .microseconds(microseconds)
    let labels = lines(CurvePicture.svg(CurveSet("", campaign.points, records)))
      .filter { $0.contains("text-anchor=\"end\"") && $0.hasSuffix(" s</text>") }
      .map { line -> String in String(line.dropLast("</text>".count).split(separator: ">").last ?? "") }
    return "\(microseconds): " + labels.joined(separator: ", ")
  }

  @Test("reports, tables and pictures say what is recorded, to the letter (RECORD=1 writes it and fails)")
  func recorded() throws {
    var found: [String] = []
    func add(_ name: String, _ lines: [String]) { found += ["== " + name] + lines }
    let report = try Self.sweep()
    add("text", report.textLines)
    add("json", report.jsonLines)
    add("picture", Self.lines(report.curves.flatMap { CurvePicture.svg($0) }))
    let seconds: [Int64] = (1...10).map { $0 * 1_000 }
    let one = try Self.curves(Self.plan, [Runs(seconds, of: 10)])
    add("one place", Self.lines(CurvePicture.svg(one)))
    add("its table", CurveWords.table(one))
    let two = try Self.curves(
      Self.plan + "sweep: {network.link.latency: [2ms, 500us]}\n",
      [Runs(seconds, of: 10), Runs(seconds.map { $0 / 2 }, of: 10)])
    add("two places", Self.lines(CurvePicture.svg(two)))
    // Of eight curves six are drawn; the first label is as long as a text may be, the second longer by one.
    let names = [String(repeating: "x", count: 106), String(repeating: "y", count: 107), "r", "s", "t", "u", "v", "w"]
    let many = try Self.curves(
      Self.cut + "sweep:\n  why: [\(names.joined(separator: ", "))]\n  network.link.latency: [1ms, 1ms..2ms]\n", [])
    let document = Self.lines(CurvePicture.svg(many))
    add("eight curves without runs", document)
    // On a page it has neither a style nor a title that is seen.
    expectEqual(Self.lines(CurvePicture.inline(many)), Array(document.prefix(2) + document.dropFirst(5)))
    let lengths: [Int64] = [
      0, 1, 6_000, 6_001, 60_000, 60_001, 600_000, 600_001, 1_200_000, 1_200_001, 3_000_000, 3_000_001, 6_000_000,
      6_000_001, 12_000_000, 30_000_001, 60_000_000, 60_000_001, 60_000_000_000, 70_000_000_000,
    ]
    add("numbers beside the times", try lengths.map { try Self.ticks($0) })
    try compare(found.joined(separator: "\n") + "\n")
  }

  /// With the file, line by line: the first that differs is told.
  private func compare(_ found: String) throws {
    let file = Places.root.appendingPathComponent("Tests/HarnessTests/Campaigns/curves.txt")
    if ProcessInfo.processInfo.environment["RECORD"] == "1" {
      try found.write(to: file, atomically: true, encoding: .utf8)
      Issue.record("recorded \(file.lastPathComponent): read the diff, then run without RECORD")
      return
    }
    let recorded = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    if found == recorded { return }
    let (new, old) = (found.components(separatedBy: "\n"), recorded.components(separatedBy: "\n"))
    let number = zip(new, old).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(new.count, old.count)
    expectEqual(
      new.dropFirst(number).first ?? "the end", old.dropFirst(number).first ?? "the end",
      "line \(number + 1) of curves.txt: RECORD=1 swift test --filter CampaignTextTests")
  }
}
