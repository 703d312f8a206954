import RollcallCapture
import RollcallCaptureSupport
import RollcallConformance
import RollcallDiscovery
import Foundation
import RollcallExpectations
import RollcallExplaining
import RollcallReplaying
import RollcallRunning
import Testing

/// What is known of real traffic: where it stands in the public captures, and what stands in for it where it does not.
@Suite("Facts of the field")
struct FactsTests {
  struct Fact {
    var number, gist, capture, frames, shownBy, appears: String
  }

  struct Made {
    var number, by, clause: String
  }

  private func facts() throws -> [Fact] {
    try MarkdownTable.rows(of: "Facts.md").map { cells in
      try #require(cells.count == 6 && cells.allSatisfy { !$0.isEmpty }, "\(cells)")
      return Fact(
        number: cells[0], gist: cells[1], capture: cells[2], frames: cells[3], shownBy: cells[4], appears: cells[5])
    }
  }

  private func made() throws -> [Made] {
    try MarkdownTable.rows(of: "Facts.md", table: 1).map { cells in
      try #require(cells.count == 3 && cells.allSatisfy { !$0.isEmpty }, "\(cells)")
      return Made(number: cells[0], by: cells[1].trimmingCharacters(in: ["`"]), clause: cells[2])
    }
  }

  @Test("appear as findings and passages of the story, with their frames")
  func appear() throws {
    guard CaptureFolder.url != nil else { return CaptureFolder.skipped("facts of the field") }
    let facts = try facts()
    #expect(facts.count > 50)
    for name in Set(facts.map(\.capture)).sorted() {
      let judged = JudgedCaptures.all.first { $0.path == "ssdp/" + name }
      guard let judged, case .success(let judgement) = judged.outcome else {
        Issue.record("\(name): no such capture")
        continue
      }
      let findings = judgement.rows.map { "\(MarkdownTable.frames($0.finding)) \(FactsTests.line($0))" }
      let own = facts.filter { $0.capture == name }
      let story = own.contains { $0.shownBy == "story" } ? try FactsTests.story(of: judged.url) : ""
      for fact in own {
        switch fact.shownBy {
        case "judge":
          #expect(findings.contains("\(fact.frames) \(fact.appears)"), "\(fact): \(findings.joined(separator: "\n"))")
        case "story":
          #expect(story.contains(fact.appears), "\(fact)")
          #expect(fact.appears.contains(fact.frames), "\(fact): the passage does not say the frames")
        default: Issue.record("\(fact): shown by neither")
        }
      }
      CaptureFolder.checked(judged.url)
    }
  }

  /// Clause, ruling, party, how often, what was found or why it is unsure.
  private static func line(_ row: Judgement.Row) -> String {
    let finding = row.finding
    return "\(row.clause.id) \(finding.ruling.rawValue) by \(row.party.name), \(finding.count)×: "
      + (finding.ruling == .violated ? finding.found : finding.expected)
  }

  private static func story(of capture: URL) throws -> String {
    let teller = StoryTeller(configuration: EngineConfiguration())
    var reader = try CaptureReader(path: capture.path)
    var replay = Replay(options: ReplayOptions(wantsMessages: false), teller: teller)
    replay.run(&reader)
    let lines = StoryText.lines(teller.finished(frames: replay.summary.frames))
    return lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
  }

  @Test("are all there, from D01 to D82: seen, made, or with the reason why no clause is about them")
  func complete() throws {
    let numbers = Set(try facts().map(\.number) + made().map(\.number))
    expectEqual(numbers.sorted(), (1...82).map { String(format: "D%02d", $0) })
  }

  @Test("that are made are caught by the clause of their line")
  func caught() throws {
    // Both suites hold what their tables say, and so a line of theirs is a catch that happened.
    let fixtures = Set(Fixture.all.map(\.clause) + BehaviourFixture.all.map(\.clause))
    for made in try made() {
      switch made.by {
      case "–":
        #expect(made.clause.count > 15, "\(made): no reason")
      case "fixture":
        #expect(fixtures.contains(made.clause), "\(made): no such fixture")
      default:
        let row = MutantTests.table.first { $0.quirk == made.by }
        expectEqual(row?.clauses.contains(made.clause), true, "\(made): \(row?.clauses ?? [])")
      }
    }
  }
}
