import Foundation
import RollcallEngines
import RollcallExpectations
import RollcallPicturing
import RollcallPrimitives
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import RollcallTrace
import Testing

/// The picture of a run, from the scenario to the page.
@Suite("Pictures of runs") struct RunPictureTests {
  private static func picture(
    _ text: String, seed: UInt64 = 1, bounds: PictureBounds = PictureBounds()
  ) throws -> Picture {
    let resolved = try Scenario(yaml: text, file: "tv.yaml").resolved()
    return RunPicture.picture(of: resolved, seed: seed, path: "tv.yaml", again: "rollcall run tv.yaml", bounds: bounds)
  }

  /// A television goes without a word, and nothing of the byebye of a radio arrives.
  private static let silent = """
    scenario: A television goes without a word
    duration: 30s
    inhabitants:
      tv: {kind: root-device}
      radio: {kind: root-device}
    timeline:
      - {at: 10s, vanish: tv}
      - {at: 20s, leave: radio}
    faults:
      - {at: 15s, until: 25s, link: {who: radio, direction: outbound, loss: 100%}}
    expect:
      - {found: tv, times: 1}
      - {lost: tv, within: 10s..20s, times: 1}
    """

  @Test("the JSON of a small run is the recorded one (RECORD=1 writes it and fails)")
  func golden() throws {
    let file = Places.root.appendingPathComponent("Tests/HarnessTests/Pictures/television.json")
    let found = String(decoding: PictureJSON.bytes(try Self.picture(WritingVerb.scenario)), as: UTF8.self) + "\n"
    if ProcessInfo.processInfo.environment["RECORD"] == "1" {
      try Data(found.utf8).write(to: file)
      Issue.record("recorded \(file.lastPathComponent): read the diff, then run without RECORD")
      return
    }
    let recorded = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    #expect(found == recorded, "television.json is out of date: RECORD=1 swift test --filter RunPictureTests")
  }

  @Test("devices are known, then stale, as truth has it; what was lost, what broke and what was expected is there")
  func parts() throws {
    let picture = try Self.picture(Self.silent)
    func states(_ name: String) -> [String] {
      let spans = picture.devices.first { $0.name == name }?.spans ?? []
      return spans.filter { $0.to - $0.from > .seconds(1) }.map(\.state.rawValue)
    }
    expectEqual(states("tv"), ["known", "stale"])
    expectEqual(states("radio"), ["known", "stale"])
    expectEqual(picture.lanes.map(\.name), ["engine", "tv", "radio", "network"])
    #expect(picture.losses.contains { $0.lane == 0 })
    #expect(picture.marks.contains { $0.kind == .fault && $0.time == .seconds(15) })
    expectEqual(picture.outcome, Picture.Outcome("failed", .bad))
    expectEqual(picture.expectations.map(\.outcome.text), ["held", "violated"])
    expectEqual(picture.expectations.last?.time, Interval.seconds(20))
    expectEqual(picture.title, "A television goes without a word")
    #expect(picture.matrix?.parties.map(\.name).contains("tv") == true)
    expectEqual(picture.leftOut, [])
  }

  @Test("a picture says how its run ended, and what became of an engine in the place of Rollcall's")
  func outcomes() throws {
    let world = "scenario: a\nduration: 5s\ninhabitants: {tv: {kind: root-device}}\n"
    try expectEqual(
      Self.picture(world).outcome, Picture.Outcome("vacuous: nothing was put to the test", .open))
    try expectEqual(
      Self.picture(world + "budget: {entries: 3}\n").outcome,
      Picture.Outcome("ended: the budget was used up", .bad))
    let nobody = RunEngine(command: "none") { () throws(EngineFailure) -> any EngineChannel in
      throw EngineFailure("nobody is there")
    }
    let resolved = try Scenario(yaml: world + "expect: [{found: tv}]\n", file: "a.yaml").resolved()
    let picture = RunPicture.picture(of: resolved, seed: 1, path: "a.yaml", engine: nobody)
    expectEqual(picture.outcome, Picture.Outcome("error", .bad))
    expectEqual(
      picture.facts.filter { $0.name == "engine" }.map(\.value), ["the engine failed: nobody is there"])
  }

  @Test("facts are those of the run, how much did not arrive, and how long devices were stale or missing")
  func facts() throws {
    for text in [WritingVerb.scenario, Self.silent] {
      let picture = try Self.picture(text)
      let resolved = try Scenario(yaml: text, file: "tv.yaml").resolved()
      let result = Run.perform(resolved, seed: Seed(1))
      var expected = [
        Picture.Fact("scenario", "tv.yaml"), Picture.Fact("seed", "1"), Picture.Fact("digest", "\(result.digest)"),
        Picture.Fact("virtual time", "30 s"), Picture.Fact("entries", "\(result.entries)"),
        Picture.Fact("hosts", text == Self.silent ? "3" : "2"),
      ]
      if text == Self.silent { expected.append(Picture.Fact("did not arrive", "\(picture.losses.count)")) }
      expectEqual(picture.losses.isEmpty, text != Self.silent)
      for state in [Picture.Device.State.stale, .missing] {
        var nanoseconds: Int64 = 0
        for span in picture.devices.flatMap(\.spans) where span.state == state {
          nanoseconds += span.to.nanoseconds - span.from.nanoseconds
        }
        if nanoseconds == 0 { continue }
        expected.append(Picture.Fact(state.rawValue, PlainWords.duration(.nanoseconds(nanoseconds)) + " in all"))
      }
      expectEqual(picture.facts, expected + [Picture.Fact("again", "rollcall run tv.yaml")])
    }
    let picture = try Self.picture(WritingVerb.scenario)
    expectEqual(picture.outcome, Picture.Outcome("passed", .good))
    expectEqual(picture.facts.filter { ["stale", "missing"].contains($0.name) }.map(\.value), ["0.024 s in all"])
  }

  @Test("clauses are judged to the end of the run, and bounds hold for their table")
  func clauses() throws {
    let resolved = try Scenario(yaml: Self.silent, file: "tv.yaml").resolved()
    let options = RunOptions(recordedHosts: Array(resolved.hosts.indices))
    let result = Run.perform(resolved, seed: Seed(1), options: options)
    let judgement = TraceHearing.judgement(
      result.trace, numbers: result.traceNumbers, hosts: resolved.hosts.map(\.name), end: resolved.end)
    var cuts: [Picture.LeftOut] = []
    let picture = try Self.picture(Self.silent)
    expectEqual(picture.matrix, PictureMatrix(judgement, bounds: PictureBounds(), leftOut: &cuts))
    var bounds = PictureBounds()
    bounds.parties = 0
    expectEqual(try Self.picture(Self.silent, bounds: bounds).matrix?.parties.count, 0)
  }

  @Test("entries stand at their true time, also where a clock drifts; a fault stands before them, up to the end")
  func times() throws {
    let picture = try Self.picture(
      """
      scenario: A clock that runs fast
      duration: 30s
      inhabitants:
        tv: {kind: root-device, clock-drift: 100000ppm}
        radio: {kind: root-device}
      timeline:
        - {at: 10s, leave: tv}
        - {at: 20s, leave: radio}
      faults:
        - {at: 20s, until: 29s, link: {who: radio, direction: outbound, loss: 100%}}
      """)
    let asked = picture.marks.filter { $0.kind == .asked && picture.lanes[$0.lane].name == "tv" }
    let last = try #require(asked.last).time.nanoseconds
    #expect((9_999_999_000...10_000_001_000).contains(last), "\(last)")
    expectEqual(picture.marks.filter { $0.kind == .fault }.map(\.time), [.seconds(20), .seconds(29)])
    expectEqual(picture.marks.first { $0.time == .seconds(20) }?.kind, .fault)
  }

  @Test("the truth after the last entry counts as well: a device that leaves without byebye is stale from then on")
  func lastTruth() throws {
    // Its clock makes of that instant one that is a nanosecond earlier.
    let picture = try Self.picture(
      """
      scenario: A clock that is never right
      duration: 30s
      inhabitants: {tv: {kind: root-device, clock-drift: 333333ppm}}
      timeline: [{at: 10000000001ns, vanish: tv}]
      """)
    expectEqual(picture.devices.map(\.name), ["tv"])
    let last = try #require(picture.devices.first?.spans.last)
    expectEqual(last.state, .stale)
    expectEqual([last.from, last.to], [.nanoseconds(10_000_000_001), .seconds(30)])
  }

  @Test("nearby peers have in reports the names that the scenario gives them")
  func peers() throws {
    let yaml = """
      scenario: Peers with names
      duration: 20s
      inhabitants:
        lamp: {kind: nearby-peer, answers-after: 1s}
        phone: {kind: nearby-peer, invites: [lamp]}
      """
    let resolved = try Scenario(yaml: yaml, file: "peers.yaml").resolved()
    let names = resolved.peerNames
    let options = RunOptions(recordedHosts: Array(resolved.hosts.indices))
    let lines = Run.perform(resolved, seed: Seed(1), options: options).trace.compactMap { entry -> String? in
      guard case .effect(.application(let report)) = entry.content, case .nearby(let told) = report,
        names[told.device] != nil
      else { return nil }
      return PictureText.shown(ReportText.line(report, names: names))
    }
    #expect(lines.contains { $0.hasPrefix("phone: lamp ") }, "\(lines)")
    let picture = RunPicture.picture(of: resolved, seed: 1, path: "peers.yaml")
    expectEqual(Set(lines).subtracting(picture.strings), [])
  }

  @Test("a found device has the message that found it behind it, and that the machine that sent it")
  func causes() throws {
    let picture = try Self.picture(WritingVerb.scenario)
    let found = try #require(picture.marks.first { $0.kind == .found })
    let heard = picture.marks[found.cause]
    let sent = picture.marks[heard.cause]
    expectEqual(
      [found, heard, sent].map { "\($0.kind.rawValue) \(picture.lanes[$0.lane].name)" },
      ["found engine", "heard engine", "sent tv"])
    #expect(picture.marks.indices.allSatisfy { picture.marks[$0].cause < $0 })
  }

  @Test("the same seed gives the same bytes, another seed others, and the run has the digest that it has without it")
  func deterministic() throws {
    let scenario = WritingVerb.scenario
    let first = try PictureHTML.bytes(Self.picture(scenario))
    let second = try PictureHTML.bytes(Self.picture(scenario))
    let other = try PictureHTML.bytes(Self.picture(scenario, seed: 2))
    #expect(first == second && first != other)
    for text in [scenario, Self.silent] {
      let resolved = try Scenario(yaml: text, file: "tv.yaml").resolved()
      let digest = Run.perform(resolved, seed: Seed(1)).digest
      let picture = try Self.picture(text)
      expectEqual(picture.facts.first { $0.name == "digest" }?.value, "\(digest)")
    }
  }

  @Test("a flood is cut at the bounds, its reports are there, and the page says what is left out")
  func bounded() throws {
    var bounds = PictureBounds()
    (bounds.marks, bounds.lanes) = (40, 2)
    let picture = try Self.picture(Self.silent, bounds: bounds)
    // What caused a report has room among reports.
    let counted: [Picture.Mark.Kind] = [.sent, .heard, .refused, .aimed, .asked, .host, .note]
    let messageCount = picture.marks.count { counted.contains($0.kind) }
    #expect((40...42).contains(messageCount), "\(messageCount)")
    #expect(picture.marks.contains { $0.kind == .found })
    let page = String(decoding: PictureHTML.bytes(picture), as: UTF8.self)
    #expect(page.contains("<h2>Left out</h2>") && page.contains("messages and notes behind the first 40</li>"))
    #expect(page.contains("hosts without a lane of their own</li>"))
  }
}
