import RollcallCapture
import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallReducing
import RollcallReplaying
import RollcallRunning
import RollcallScenarios
import Testing

/// What shrinkers keep, which of several failures or reports that is, and where they end.
@Suite("Bounds of the shrinkers")
struct ShrinkBoundTests {
  private static let tv = "inhabitants: {tv: {kind: root-device}}\n"
  private static let two = "inhabitants: {tv: {kind: root-device}, lamp: {kind: root-device}}\n"
  private static let leaves = "timeline: [{at: 5s, leave: tv}]\n"

  private func scenario(_ body: String) throws -> Scenario {
    try Scenario(yaml: "scenario: Small\nduration: 20s\n" + body, file: "small.yaml")
  }

  // MARK: Scenarios

  @Test("the failure that is kept is the one asked for, or the first that the fault alone is to blame for")
  func chosen() throws {
    let scenario = try scenario(
      """
      \(Self.two)\(Self.leaves)expect:
        - {never: {found: tv}}
        - {id: gone, lost: tv}
        - {id: also, lost: tv, cause: byebye, times: 1}
        - {found: lamp}
      """)
    let anyway = "'e1' fails without the planted fault too: shrink it without --switch or --bite"
    let asked: [(fault: EngineSwitch?, id: String?, answer: String)] = [
      (.byebyeIgnored, nil, "1 [{lost: tv}]"), (.byebyeIgnored, "gone", "1 [{lost: tv}]"),
      (.byebyeIgnored, "also", "2 [{lost: tv, cause: byebye, times: 1}]"), (.byebyeIgnored, "e1", anyway),
      (.byebyeIgnored, "e4", "there is no expectation 'e4' that fails"),
      (.byebyeIgnored, "e2", "there is no expectation 'e2' that fails"), (.neverExpires, nil, anyway),
      (nil, nil, "0 [{never: {found: tv}}]"), (nil, "e1", "0 [{never: {found: tv}}]"),
      (nil, "gone", "there is no expectation 'gone' that fails"),
    ]
    for (fault, id, answer) in asked {
      let options = Shrinker.Options(seed: 1, fault: fault.map { .engine($0) }, expectation: id)
      var found = ""
      do throws(Shrinker.Problem) {
        var shrinker = try Shrinker(scenario, options: options)
        let outcome = shrinker.shrink()
        found = "\(outcome.kind.expectation) \(outcome.scenario.document["expect"]?.flow ?? "")"
      } catch { found = error.description }
      expectEqual(found, answer)
    }
  }

  @Test("an expectation is called by its own id, and what several seeds decide together is told from what holds")
  func ids() throws {
    let share = "{id: often, share: {lost: tv, at-least: 90%}}"
    let asked: [(expect: String, fault: EngineSwitch?, id: String?, answer: Shrinker.Problem)] = [
      ("{id: seen, never: {found: tv}}", .byebyeIgnored, nil, .failsWithoutFault("seen")),
      ("{found: lamp}, {id: seen, never: {found: tv}}", .byebyeIgnored, "seen", .failsWithoutFault("seen")),
      (share, nil, nil, .needsSeveralSeeds("often")), (share, nil, "often", .needsSeveralSeeds("often")),
      (share, .byebyeIgnored, nil, .needsSeveralSeeds("often")), (share, nil, "e1", .noSuchExpectation("e1")),
      ("{found: lamp}, {share: {lost: tv, at-least: 90%}}", nil, nil, .needsSeveralSeeds("e2")),
      ("{found: lamp}, \(share)", nil, "e1", .noSuchExpectation("e1")),
      ("{found: lamp}", nil, nil, .passes(outcome: "passed")),
    ]
    for (expect, fault, id, answer) in asked {
      let options = Shrinker.Options(seed: 1, fault: fault.map { .engine($0) }, expectation: id)
      let scenario = try scenario("\(Self.two)\(Self.leaves)expect: [\(expect)]")
      #expect(throws: answer) { _ = try Shrinker(scenario, options: options) }
    }
    let words = Shrinker.Problem.needsSeveralSeeds("often").description
    expectEqual(words, "'often' is judged over several seeds together: only what one run decides can be shrunk")
    // What one run decides can be shrunk beside it.
    let both = try scenario("\(Self.two)expect: [\(share), {lost: lamp}]")
    var shrinker = try Shrinker(both, options: Shrinker.Options(seed: 1))
    expectEqual(shrinker.shrink().kind.expectation, 1)
  }

  @Test("as many candidates are tried as are allowed, and what is reached by then still fails as it should")
  func budget() throws {
    for allowed in [0, 1, 4, 11, 19, 21] {
      var options = Shrinker.Options(seed: 1, fault: .engine(.byebyeIgnored))
      options.candidatesMaximum = allowed
      var shrinker = try Shrinker(try ShrinkTests.crowd(), options: options)
      let outcome = shrinker.shrink()
      expectEqual(outcome.wasCut, (allowed < 20), "\(allowed)")
      expectEqual(outcome.passes.reduce(0) { $0 + $1.tried }, min(allowed, 20), "\(allowed)")
      let bitten = try #require(outcome.scenario.bitten)
      expectEqual(Run.perform(try outcome.scenario.resolved(), seed: Seed(1)).outcome, .passed, "\(allowed)")
      expectEqual(Run.perform(try bitten.resolved(), seed: Seed(1)).outcome, .failed, "\(allowed)")
    }
  }

  @Test("scenarios that catch a fault come the largest first and then in their order; one that fails anyway is none")
  func catchers() throws {
    let bodies = [
      ("small", Self.tv + Self.leaves + "expect: [{lost: tv}]"),
      ("fails anyway", Self.tv + Self.leaves + "expect: [{never: {found: tv}}]"),
      ("alike", Self.tv + Self.leaves + "expect: [{lost: any}]"),
      ("no byebye", Self.two + "expect: [{found: tv}, {found: lamp}, {never: {lost: tv}}]"),
      ("large", Self.two + "timeline: [{at: 4s, leave: lamp}]\nexpect: [{found: each}, {lost: lamp}]"),
      ("fails in part", Self.tv + Self.leaves + "expect: [{never: {found: tv}}, {lost: tv}]"),
    ]
    let candidates = ShrinkCheck.candidates(
      try bodies.map { ScenarioFile(path: $0, scenario: try scenario("seeds: 5..9\n" + $1)) })
    #expect(candidates.map(\.path) == bodies.map(\.0) && candidates.allSatisfy { $0.seed == 5 && $0.entries > 0 })
    let catchers = ShrinkCheck.catchers(candidates, of: .byebyeIgnored)
    expectEqual(catchers.map(\.path), ["large", "fails in part", "small", "alike"])
    expectEqual(catchers.map(\.size.inhabitants), [2, 1, 1, 1])
  }

  @Test("the file says where it is from, what is gone and how it fails, cut where that is long")
  func text() throws {
    let sweep = "sweep: {inhabitants.tv.count: [3], duration: [20s]}\nexpect: [{present: {at: 15s, count: 2}}]"
    let point = try #require(try scenario(Self.two + sweep).points(file: "small.yaml").first)
    var shrinker = try Shrinker(point.scenario, options: Shrinker.Options(seed: 1))
    expectEqual(
      ShrinkText.yaml(shrinker.shrink(), of: "small.yaml", seed: 1, point: point.values),
      """
      # Shrunk from small.yaml at inhabitants.tv.count=3 duration=20s, seed 1.
      # Gone without changing the failure: 5s of 20s.
      scenario: Small
      duration: 15s
      inhabitants:
        tv: {kind: root-device, count: 3}
        lamp: {kind: root-device}
      # Fails: expected 2 devices at 15.000000000; found 4: uuid:b872ede5-8d46-4a1e-a03d-09ae2dae73b9
      # uuid:5d4771ba-d9ed-4e97-a42b-f3690871d59c uuid:fc39d98b-9d82-4c3c-9532-382e ….
      expect:
        - {present: {at: 15s, count: 2}}

      """)
  }

  // MARK: Captures

  private func shrinker(
    _ capture: TinyCapture, _ wanted: CaptureShrinker.Wanted, isOver: @escaping () -> Bool = { false },
    progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) throws -> CaptureShrinker {
    try CaptureShrinker(
      name: "made", options: ReplayOptions(), wanted: wanted, isOver: isOver, progress: progress
    ) { try capture.reader() }
  }

  private static func lamp(_ place: Int, maxAge: Int = 1_800) -> String {
    TinyCapture.alive("lamp", location: "http://192.168.1.20/\(place)", maxAge: maxAge)
  }

  /// Frames that hold no discovery.
  private static func other(_ capture: inout TinyCapture, at seconds: [Double]) {
    for one in seconds { capture.add(one, "192.168.1.9:4000", "192.168.1.8:4000", "no discovery\n") }
  }

  @Test("a report of the same device in other words or at another time is not the one that is kept")
  func report() throws {
    // The second promise decides when it is lost, so the first can go and the second cannot.
    var expiry = TinyCapture()
    expiry.add(0, "192.168.1.20", Self.lamp(1, maxAge: 20))
    expiry.add(5, "192.168.1.20", Self.lamp(1, maxAge: 20))
    Self.other(&expiry, at: [60])
    // Each change says what was before it.
    var moves = TinyCapture()
    for place in 0..<4 { moves.add(Double(place * 5), "192.168.1.20", Self.lamp(place)) }
    // Two losses of one device, by different causes.
    var losses = TinyCapture()
    losses.add(0, "192.168.1.20", Self.lamp(1, maxAge: 20))
    losses.add(3, "192.168.1.20", TinyCapture.byebye("lamp"))
    losses.add(10, "192.168.1.20", Self.lamp(1, maxAge: 20))
    // The clock ends at the latest time, with the first frame that has it.
    Self.other(&losses, at: [60, 40, 60])
    // A name that a line has to write in another way.
    var quoted = TinyCapture()
    quoted.add(0, "192.168.1.20", TinyCapture.alive(#"a"b"#))
    func lost(_ seconds: Int, _ frame: String, _ cause: String) -> String {
      #"{"schema":"rollcall/1","kind":"report","time":"\#(1_000 + seconds).000000000","frame":\#(frame),"#
        + #""layer":"ssdp","event":"lost","device":"uuid:lamp","cause":"\#(cause)"}"#
    }
    func changed(_ frame: Int) -> String {
      #"{"schema":"rollcall/1","kind":"report","time":"1010.000000000","frame":\#(frame),"layer":"ssdp","#
        + #""event":"changed","device":"uuid:lamp","location":"http://192.168.1.20/2","source":"192.168.1.20","#
        + #""what":"location","from":"http://192.168.1.20/1"}"#
    }
    let found: String =
      #"{"schema":"rollcall/1","kind":"report","time":"1000.000000000","frame":1,"layer":"ssdp","event":"found","#
      + #""device":"uuid:a\"b","location":"http://192.168.1.20/d.xml","source":"192.168.1.20"}"#
    let cases: [(capture: TinyCapture, wanted: CaptureShrinker.Wanted, frames: [Int], report: String)] = [
      (quoted, .event("found", device: #"A"B"#), [1], found), (quoted, .event("found", device: #"a"c"#), [], ""),
      (expiry, .event("lost", device: nil), [2, 3], lost(25, "null", "expired")),
      (expiry, .text("expired"), [2, 3], lost(25, "null", "expired")),
      // A line is compared whole, but for the number of its frame.
      (moves, .text(changed(77)), [2, 3], changed(2)), (moves, .text("d.xml/2"), [], ""),
      (moves, .text("1010.000000000"), [2, 3], changed(2)),
      (moves, .text(changed(3).replacing("\"192.168.1.20\"", with: "\"192.168.1.21\"")), [], ""),
      (losses, .event("lost", device: "LAMP"), [1, 2], lost(3, "2", "byebye")),
      (losses, .event("lost", device: "UUID:lamp"), [1, 2], lost(3, "2", "byebye")),
      (losses, .text("expired"), [3, 4], lost(30, "null", "expired")),
      (losses, .event("lost", device: "tv"), [], ""), (losses, .event("changed", device: nil), [], ""),
    ]
    for one in cases {
      var (frames, report) = ([Int](), "")
      do {
        var shrinker = try shrinker(one.capture, one.wanted)
        let outcome = try shrinker.shrink()
        (frames, report) = (outcome.frames, outcome.report)
        #expect(!outcome.wasCut)
      } catch let problem as CaptureShrinker.Problem {
        guard case .noSuchReport = problem else { throw problem }
      }
      #expect(frames == one.frames && report == one.report, "\(one.wanted)")
    }
    var words: [String] = []
    for wanted in [CaptureShrinker.Wanted.text("never"), .event("lost", device: "tv"), .event("changed", device: nil)] {
      do { _ = try shrinker(losses, wanted) } catch { words.append("\(error)") }
    }
    expectEqual(
      words,
      ["'never'", "lost:tv", "changed"].map {
        "the replay makes no report like \($0); rollcall replay shows what it makes"
      })
  }

  @Test("it ends when its time is up, with what it has by then, and tells each try")
  func time() throws {
    let capture = TinyCapture.lamps(6)
    let all = ["1 7", "2 7", "3 6", "4 6", "5 5", "6 4", "7 4", "8 3", "9 2", "10 2", "11 2"]
    // How often it may ask for the time before that is up; it asks before each round and before each try.
    let cases: [(asked: Int, frames: [Int], passes: [String], tries: Int)] = [
      (0, [1, 2, 3, 4, 5, 6, 7], [], 0), (2, [1, 2, 3, 4, 5, 6, 7], ["runs of 3: 1 0 7"], 1),
      (3, [1, 2, 3, 4, 5, 6, 7], ["runs of 3: 2 0 7"], 2), (4, [2, 3, 4, 5, 6, 7], ["runs of 3: 3 1 6"], 3),
      (8, [2, 3, 4, 7], ["runs of 3: 3 1 6", "runs of 1: 3 2 4"], 6),
      (1_000, [4, 7], ["runs of 3: 3 1 6", "runs of 1: 6 4 2", "runs of 1: 2 0 2"], 11),
    ]
    for one in cases {
      var (left, told) = (one.asked, [String]())
      var shrinker = try shrinker(
        capture, .event("lost", device: nil),
        isOver: {
          left -= 1
          return left < 0
        }, progress: { told.append("\($0) \($1)") })
      let outcome = try shrinker.shrink()
      #expect(outcome.frames == one.frames && outcome.total == 7, "\(one.asked)")
      expectEqual(outcome.passes.map { "\($0.name): \($0.tried) \($0.kept) \($0.frames)" }, one.passes, "\(one.asked)")
      expectEqual(told, Array(all.prefix(one.tries)), "\(one.asked)")
      expectEqual(outcome.wasCut, (one.asked < 1_000), "\(one.asked)")
      #expect(outcome.report.contains(#""device":"uuid:lamp3","cause":"byebye""#), "\(one.asked)")
    }
  }
}
