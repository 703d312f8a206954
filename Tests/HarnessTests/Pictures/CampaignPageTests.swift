import Foundation
import RollcallCampaigns
import RollcallExpectations
import RollcallPicturing
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import Testing

@Suite("Pages of campaigns")
struct CampaignPageTests {
  private static let plan = #"""
    scenario: "</h1><script>alert(1)</script> \u202Eevil"
    duration: 12s
    inhabitants: {tv: {kind: root-device}}
    timeline: [{at: 1s, search: {target: "upnp:rootdevice"}}]
    expect:
      - {id: found, found: tv}
    sweep:
      why: [plain, "</svg><img src=x onerror=alert(2)>\u202E"]
      network.link.loss: [0%, 50%]
    """#

  /// Two runs of each point, as they may have been; the last one failed.
  private static func report() throws -> CampaignReport {
    let plan = try Scenario(yaml: plan, file: "plan.yaml")
    let campaign = try Campaign(plan: plan, file: "plan.yaml", seeds: 1...2, version: "test")
    var records: [RunRecord] = []
    for number in 0..<8 {
      let key = RunRecord.Key(point: number / 2, seed: UInt64(number % 2) + 1)
      var record = RunRecord(key: key, outcome: .passed, digest: Digest(), entries: 1)
      (record.sought, record.found) = (1, 1)
      record.foundAfter = .seconds(Int64(number))
      if number >= 3 { record.facts = [.messageDoubled] }
      if number == 7 {
        record.outcome = .failed
        record.found = 0
        record.foundAfter = nil
        record.failure = "found: </td><img src=x>\u{202E}"
      }
      records.append(record)
    }
    return CampaignReport(campaign, records)
  }

  private static func swarm(_ failure: String?, seeds: ClosedRange<UInt64> = 7...8) -> CampaignPicture {
    let key = RunRecord.Key(point: 0, seed: 7)
    var record = RunRecord(key: key, outcome: failure == nil ? .passed : .failed, digest: Digest(), entries: 1)
    record.failure = failure
    record.facts = [.foundAgain]
    return CampaignPicture(CampaignReport(Campaign(swarm: seeds, version: "test"), [record]))
  }

  private func lines(_ picture: CampaignPicture) -> [String] {
    let failures = picture.failures.flatMap { one -> [String] in
      ["\(one.text) | \(one.count) | \(one.first) | \(one.again)"] + one.kept.map { "\($0.folder) | \($0.again)" }
    }
    let facts = picture.happenings.filter { $0.count != nil }.map { one -> String in
      "\(one.name) | \(one.count ?? 0) | \(one.share) | \(one.first)"
    }
    return ["\(picture.title) | \(picture.outcome.text)"] + failures + facts
  }

  @Test("a page says what it came to, what failed and how that is repeated, and what happened first when")
  func contents() throws {
    let picture = CampaignPicture(try Self.report())
    let hostile = #"why="</svg><img src=x onerror=alert(2)>\u202e""#
    expectEqual(
      lines(picture),
      [
        #"</h1><script>alert(1)</script> \u{202e}evil | 1 of 8 runs failed"#,
        #"found: </td><img src=x>\u{202e} | 1 | \#(hostile), network.link.loss=50%, seed 2 | "#
          + "rollcall run plan.yaml --seed 2 --set '\(hostile)' --set 'network.link.loss=50%'",
        "failures/point-3-seed-2 | rollcall run failures/point-3-seed-2/scenario.yaml --seed 2",
        "message-doubled | 5 | 62.5 % | why=plain, network.link.loss=50%, seed 2",
      ])
    expectEqual(picture.happenings.count { $0.isProblem }, 0, "a sweep need not make everything happen")
    expectEqual(picture.table?.rows.count, 6)
    expectEqual(picture.leftOut, [])
    expectEqual(
      picture.facts.map(\.value).filter { $0.hasPrefix("rollcall") },
      ["rollcall campaign run plan.yaml --seeds 1..2 -o results"])
    expectEqual(
      lines(Self.swarm("converged: late")),
      [
        "Drawn from the seeds 7..8 | 1 of 1 run failed",
        "converged: late | 1 | seed 7 | rollcall campaign draw 7 -o drawn.yaml && rollcall run drawn.yaml",
        "failures/seed-7 | rollcall run failures/seed-7/scenario.yaml --seed 7", "found-again | 1 | 100.0 % | seed 7",
      ])
    let part = Self.swarm(nil)
    expectEqual(part.outcome, Picture.Outcome("1 of 2 runs are missing", .open))
    expectEqual(part.happenings.count { $0.isProblem }, Fact.allCases.count - 1)
    expectEqual(Self.swarm(nil, seeds: 7...7).outcome, Picture.Outcome("all 1 run passed", .good))
  }

  @Test("a page has all facts of a campaign, its table, its plan line by line, and how one of its runs is repeated")
  func whole() throws {
    let report = try Self.report()
    let picture = CampaignPicture(report)
    expectEqual(
      picture.facts,
      [
        Picture.Fact("seeds", "1..2"), Picture.Fact("runs", "7 passed, 1 failed"),
        Picture.Fact("digest", "\(report.digest)"), Picture.Fact("version", "test"),
        Picture.Fact("again", "rollcall campaign run plan.yaml --seeds 1..2 -o results"),
      ])
    expectEqual(picture.again, "rollcall run plan.yaml --seed SEED")
    let swarm = Self.swarm(nil)
    expectEqual(swarm.again, "rollcall campaign draw SEED -o drawn.yaml && rollcall run drawn.yaml")
    expectEqual(
      swarm.facts.last, Picture.Fact("again", "rollcall campaign swarm --seeds 7..8 -o results"))
    expectEqual(swarm.plan, [])
    let table = CurveWords.rows(try #require(report.curves)).map { $0.map { PictureText.shown($0) } }
    expectEqual(picture.table?.heads.first, "network.link.loss")
    expectEqual(picture.table?.heads, table[0])
    expectEqual(picture.table?.rows, Array(table.dropFirst()))
    guard case .plan(let yaml) = report.campaign.identity.kind else {
      Issue.record("no plan")
      return
    }
    #expect(yaml.hasSuffix("\n") && !yaml.contains("\n\n"))
    let lines = yaml.dropLast().split(separator: "\n", omittingEmptySubsequences: false)
    expectEqual(picture.plan, lines.map { PictureText.shown(String($0)) })

    func leftOut(_ rows: Int) -> [String] {
      var bounds = PictureBounds()
      bounds.rows = rows
      return CampaignPicture(report, bounds: bounds).leftOut.map { "\($0.count) \($0.what)" }
    }
    // As many points as have room, then as many lines of the plan, and one more than those.
    expectEqual(leftOut(4), ["\(lines.count - 4) lines of the plan"])
    expectEqual(leftOut(lines.count - 1), ["1 lines of the plan"])
    expectEqual(leftOut(lines.count), [])
  }

  @Test("a failure is a row that a key leads to, with what is kept of it, or that nothing is")
  func failures() throws {
    func table(_ picture: CampaignPicture) throws -> String {
      let page = String(decoding: PictureHTML.bytes(picture), as: UTF8.self)
      let section = try #require(page.components(separatedBy: "<section id=\"failures\">").dropFirst().first)
      let own = section.components(separatedBy: "</section>")[0]
      return own.components(separatedBy: "</p>\n").dropFirst().joined(separator: "|")
    }
    func wanted(_ kept: String) -> String {
      "<div class=\"wide\" tabindex=\"0\"><table class=\"findings\">\n<thead><tr><th scope=\"col\">failure</th>"
        + "<th scope=\"col\">runs</th><th scope=\"col\">first</th><th scope=\"col\">kept</th></tr></thead>\n<tbody>\n"
        + "<tr class=\"problem\" tabindex=\"-1\"><th scope=\"row\"><span class=\"bad\">✘</span> converged: late</th>"
        + "<td>1</td><td>seed 7<br><small><code>rollcall campaign draw 7 -o drawn.yaml &amp;&amp; "
        + "rollcall run drawn.yaml</code></small></td><td>\(kept)</td></tr>\n</tbody>\n</table></div>\n"
    }
    var picture = Self.swarm("converged: late")
    let again = "rollcall run failures/seed-7/scenario.yaml --seed 7"
    try expectEqual(
      table(picture), wanted("<code>failures/seed-7/</code><br><small><code>\(again)</code></small>"))
    picture.failures[0].kept = []
    try expectEqual(table(picture), wanted("not kept"))
  }

  @Test("what has no room is counted")
  func bounds() throws {
    var bounds = PictureBounds()
    bounds.rows = 3
    let picture = CampaignPicture(try Self.report(), bounds: bounds)
    expectEqual(picture.table?.rows.count, 5, "three points, and the names of two curves")
    expectEqual(
      picture.leftOut.map { "\($0.what)" },
      ["points of the sweep, which the report in text has", "lines of the plan"])
    expectEqual(picture.leftOut.first?.count, 1)
    expectEqual(picture.plan.count, 3)
  }

  @Test("hostile names are text and never markup, and the program is the page's own")
  func hostile() throws {
    let page = String(decoding: PictureHTML.bytes(CampaignPicture(try Self.report())), as: UTF8.self)
    let body = try #require(page.components(separatedBy: "<body>").dropFirst().first)
    let parts = body.components(separatedBy: "<script")
    expectEqual(parts.count, 2, "one script, and no name began another")
    expectEqual(PageTests.foreignTags(in: parts[0]), [])
    #expect(parts[0].contains("<h1>&lt;/h1&gt;&lt;script&gt;alert(1)&lt;/script&gt; \\u{202e}evil</h1>"))
    #expect(parts[0].contains("<svg") && parts[0].contains("&lt;/svg&gt;&lt;img src=x onerror=alert(2)&gt;"))
    #expect(!page.unicodeScalars.contains { $0 != "\n" && PlainText.isHidden($0) })
    #expect(!parts[0].contains("&#8"), "no reference stands for a hidden character")
    expectEqual(PageTests.ways.filter { parts[1].contains($0) }, [])
  }
}
