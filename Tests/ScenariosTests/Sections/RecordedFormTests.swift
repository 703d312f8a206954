import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallScenarios

/// What a recorded host says, and the bounds of its texts.
@Suite("Forms of recorded hosts") struct RecordedFormTests {
  private typealias Advert = RecordedSection.Advert
  private typealias Wording = RecordedSection.Wording

  @Test("holes are filled once, and every other brace stays")
  func holes() {
    let advert = Advert(nt: "N", usn: "U")
    let table: [(text: String, filled: String)] = [
      ("", ""), ("a", "a"), ("{nt}", "N"), ("{usn}", "U"), ("a{nt}b{usn}c", "aNbUc"), ("{usn}{nt}{nt}", "UNN"),
      ("{n}{{nt}}{", "{n}{N}{"), ("{nt", "{nt"), ("}{usn}{", "}U{"), ("{NT}{us}", "{NT}{us}"),
    ]
    for (text, filled) in table { expectEqual(RecordedSection.filled(text, advert), filled, "\(text)") }
    expectEqual(RecordedSection.filled("{nt}{usn}", Advert(nt: "{usn}", usn: "{nt}")), "{usn}{nt}")
  }

  @Test("a message is its lines with the line end between them and the tail behind, one for each of its set")
  func messages() {
    let wording = Wording(lines: ["{nt}", "{usn}", "x"], lineEnd: "/", tail: "!")
    func text(_ messages: [[UInt8]]) -> [String] { messages.map { String(decoding: $0, as: UTF8.self) } }
    expectEqual(text([wording.bytes(Advert(nt: "n", usn: "u"))]), ["n/u/x!"])
    let section = RecordedSection(sets: [
      RecordedSection.AdvertSet("a", [Advert(nt: "1", usn: "2"), Advert(nt: "3")]),
      RecordedSection.AdvertSet("b", [Advert(nt: "4")]), RecordedSection.AdvertSet("c", []),
    ])
    expectEqual(text(section.messages(wording, set: nil)), ["//x!"])
    expectEqual(text(section.messages(wording, set: "a")), ["1/2/x!", "3//x!"])
    expectEqual(text(section.messages(wording, set: "b")), ["4//x!"])
    expectEqual(text(section.messages(wording, set: "c")), [])
    expectEqual(text(section.messages(wording, set: "d")), [])
    expectEqual(text([Wording(lines: ["a", "b"]).bytes(Advert(nt: ""))]), ["a\r\nb\r\n\r\n"])
  }

  @Test("searches are shared where a recorded host is a program beside the engine")
  func shared() {
    func shares(_ kinds: InhabitantKind...) -> Bool {
      Scenario("a", inhabitants: kinds.map { InhabitantEntry("x", $0) }).hasSharedSearches
    }
    let beside = InhabitantKind.recorded(RecordedSection(isBesideEngine: true))
    let apart = InhabitantKind.recorded(RecordedSection())
    expectEqual(
      [shares(), shares(apart), shares(.standard), shares(beside), shares(apart, .standard, beside)],
      [false, false, false, true, true])
  }

  private func run(_ count: Int) -> String { String(repeating: "q", count: count) }
  /// What is said of a text that is longer than `most`.
  private func tooLong(_ noun: String, _ most: Int) -> [String] {
    ["'\(run(min(40, most + 1)))\(most < 40 ? "" : "…")' is not \(noun) such as any of at most \(most) bytes"]
  }

  @Test("an advertisement has a target of at most 4096 bytes, and a USN of as many")
  func adverts() throws {
    let form = Form<Advert>.advert
    try FormBench.means(form, "{nt: a}", Advert(nt: "a"))
    try FormBench.means(form, "{nt: a, usn: b}", Advert(nt: "a", usn: "b"))
    try FormBench.means(form, "{nt: \(run(4_096))}", Advert(nt: run(4_096)))
    try FormBench.means(form, "{nt: a, usn: \(run(4_096))}", Advert(nt: "a", usn: run(4_096)))
    try FormBench.refuses(form, "{nt: \(run(4_097))}", tooLong("a target", 4_096))
    try FormBench.refuses(form, "{nt: a, usn: \(run(4_097))}", tooLong("a USN", 4_096))
    try FormBench.refuses(form, "{usn: a}", ["missing key 'nt'"])
  }

  @Test("a line and an end have at most 16384 bytes, what stands between lines 8")
  func wordings() throws {
    let form = Form<RecordedSection.Utterance>.utterance
    func utterance(_ wording: Wording) -> RecordedSection.Utterance { RecordedSection.Utterance(wording) }
    func means(_ keys: String, _ wording: Wording) throws {
      try FormBench.means(form, "{at: [], \(keys)}", utterance(wording))
    }
    try means("lines: []", Wording())
    try means("lines: [a, b]", Wording(lines: ["a", "b"]))
    try means("lines: [], line-end: e, tail: t", Wording(lineEnd: "e", tail: "t"))
    try means("lines: [\(run(16_384))]", Wording(lines: [run(16_384)]))
    try means("lines: [], line-end: \(run(8))", Wording(lineEnd: run(8)))
    try means("lines: [], tail: \(run(16_384))", Wording(tail: run(16_384)))
    try FormBench.refuses(form, "{at: [], lines: [\(run(16_385))]}", tooLong("a line", 16_384))
    try FormBench.refuses(form, "{at: [], lines: [], line-end: \(run(9))}", tooLong("a line end", 8))
    try FormBench.refuses(form, "{at: [], lines: [], tail: \(run(16_385))}", tooLong("an end", 16_384))
    try FormBench.refuses(form, "{}", ["missing key 'at'", "missing key 'lines'"])
  }

  @Test("an utterance prints its times, its set, its paces and where it comes from")
  func utterances() throws {
    let form = Form<RecordedSection.Utterance>.utterance
    func means(_ keys: String, _ change: (inout RecordedSection.Utterance) -> Void) throws {
      var utterance = RecordedSection.Utterance(at: [.seconds(1)])
      change(&utterance)
      try FormBench.means(form, "{at: [1s]\(keys), lines: []}", utterance)
    }
    try means("") { _ in }
    try means(", then-every: 2s") { $0.thenEvery = .seconds(2) }
    try means(", set: all") { $0.set = "all" }
    try means(", pace: [0s, 3s]") { $0.pace = [.zero, .seconds(3)] }
    try means(", paces: [[0s], [4s]]") { $0.paces = [[.zero], [.seconds(4)]] }
    try means(", to: tv") { $0.to = Target(.name("tv")) }
    try means(", source-port: 5") { $0.sourcePort = 5 }
    try means(", ttl: 6") { $0.ttl = 6 }
  }

  @Test("an answer has a target of at most 4096 bytes, and replies by the number of the search from 1")
  func answers() throws {
    let form = Form<RecordedSection.Answer>.answer
    try FormBench.means(form, "{to: a, replies: [], lines: []}", RecordedSection.Answer(target: "a"))
    let replies = [Recorded.Answer.Reply(search: 1, delays: [.seconds(2)])]
    try FormBench.means(
      form, "{to: a, set: b, replies: [{search: 1, delays: [2s]}], source-port: 3, lines: [c]}",
      RecordedSection.Answer(target: "a", Wording(lines: ["c"]), set: "b", replies: replies, sourcePort: 3))
    try FormBench.reads(
      form, "{to: a, replies: [], lines: [], source-port: 1900}", RecordedSection.Answer(target: "a"))
    let (most, more) = (run(4_096), run(4_097))
    try FormBench.means(form, "{to: \(most), replies: [], lines: []}", RecordedSection.Answer(target: most))
    try FormBench.refuses(form, "{to: \(more), replies: [], lines: []}", tooLong("a search target", 4_096))
    try FormBench.refuses(form, "{}", ["missing key 'to'", "missing key 'replies'", "missing key 'lines'"])
    let reply = Form<Recorded.Answer.Reply>.reply
    for search in [1, 1_000_000] {
      try FormBench.means(
        reply, "{search: \(search), delays: []}", Recorded.Answer.Reply(search: search, delays: []))
    }
    for search in [0, 1_000_001] {
      try FormBench.refuses(
        reply, "{search: \(search), delays: []}",
        ["'\(search)' is not a whole number from 1 to 1000000 such as 3"])
    }
    try FormBench.refuses(reply, "{}", ["missing key 'search'", "missing key 'delays'"])
  }

  @Test("a recorded host prints its sets by name, and that it stands beside the engine")
  func sections() throws {
    let form = Form<InhabitantEntry>.inhabitant
    func entry(_ section: RecordedSection) -> InhabitantEntry { InhabitantEntry("", .recorded(section)) }
    try FormBench.means(form, "{kind: recorded}", entry(RecordedSection()))
    try FormBench.means(form, "{kind: recorded, beside-engine: true}", entry(RecordedSection(isBesideEngine: true)))
    try FormBench.reads(form, "{kind: recorded, beside-engine: false}", entry(RecordedSection()))
    let sets = [RecordedSection.AdvertSet("a", [Advert(nt: "1")]), RecordedSection.AdvertSet("b", [])]
    try FormBench.means(form, "{kind: recorded, sets: {a: [{nt: 1}], b: []}}", entry(RecordedSection(sets: sets)))
    try FormBench.refuses(
      form, "{kind: recorded, sets: []}",
      ["expected a mapping from names to advertisement sets, found an empty list"])
  }
}
