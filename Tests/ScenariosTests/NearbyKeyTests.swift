import RollcallExpectations
import RollcallPeers
import RollcallPrimitives
import RollcallSessions
import RollcallWire
import Testing

@testable import RollcallScenarios

/// A nearby peer, each key and each word alone: what it sets, how it is written, and what is said against it.
@Suite("Keys of a nearby peer") struct NearbyKeyTests {
  private static let form = Form<NearbyPeerPlan>.record(NearbyPeerPlan(), NearbyPeerPlan.fields)

  private func read(_ key: String, _ value: Tree) -> (value: NearbyPeerPlan?, said: [String]) {
    FormBench.read(Self.form, .mapping([(key, value)]))
  }

  private func check(_ yaml: String, _ change: (inout NearbyPeerPlan) -> Void) throws {
    var plan = NearbyPeerPlan()
    change(&plan)
    let (value, said) = try FormBench.read(Self.form, "{\(yaml)}")
    expectEqual(value, plan, "\(yaml)")
    expectEqual(said, [])
    expectEqual(Self.form.write(plan, false).flow, "{\(yaml)}")
  }

  @Test("each key of how a peer is found and invites is read and written alone")
  func discovery() throws {
    try check("") { _ in }
    try check("name: Ann") { $0.name = "Ann" }
    try check("service-type: chat") { $0.type = "chat" }
    try check("info: [room=12, note=]") { $0.info = [PeerInfo("room", "12"), PeerInfo("note", "")] }
    try check("advertises: false") { $0.advertises = false }
    try check("browses: false") { $0.browses = false }
    try check("answers: declines") { $0.answer = .declines }
    try check("answers: ignores") { $0.answer = .ignores }
    try check("answers-after: 1s") { $0.answerDelay = .seconds(1) }
    try check("invites: each") { $0.invites = .everybody }
    try check("invites: elected") { $0.invites = .elected }
    try check("invites: [elected]") { $0.invites = .named(["elected"]) }
    try check("invites: []") { $0.invites = .named([]) }
    try check("invites-after: 1s") { $0.inviteDelay = .seconds(1) }
    try check("invites-again: 0s") { $0.inviteAgain = .zero }
    try check("invites-members: true") { $0.invitesMembers = true }
    try check("context: \"\"") { $0.context = "" }
    try check("invitation-time-out: 1s") { $0.inviteTimeout = .seconds(1) }
    try check("encryption: required") { $0.encryption = .required }
    try check("encryption: none") { $0.encryption = EncryptionPreference.none }
  }

  @Test("each key of what a peer says and how it behaves is read and written alone")
  func behaviour() throws {
    try check("sends-file: 0B") { $0.fileByteCount = 0 }
    try check("sends-file: 1KiB") { $0.fileByteCount = 1_024 }
    try check("opens-stream: 1B") { $0.streamByteCount = 1 }
    try check("peers-maximum: 2") { $0.sessions.peersMaximum = 2 }
    try check("data-path: 1ns") { $0.quirks.dataPathDelay = Interval(nanoseconds: 1) }
    try check("data-path: none") { $0.quirks.hasNoDataPath = true }
    try check("found-again: 10") { $0.quirks.repeatedFoundCount = 10 }
    try check("withdrawn-after: 1s") { $0.quirks.withdrawalDelay = .seconds(1) }
    try check("mutual-invitations: both-fail") { $0.sessions.mutualInvitations = .bothFail }
    try check("second-connection: refused") { $0.sessions.secondConnection = .refused }
    try check("reuse: stuck-in-connecting") { $0.sessions.reuse = .stuckInConnecting }
    try check("optional-encryption: plain") { $0.sessions.optionalEncryption = .plain }
    try check("declining: silent") { $0.sessions.declining = .silent }
    try check("connections-maximum: 0") { $0.sessions.connectionsMaximum = 0 }
    try check("connections-maximum: 1000000") { $0.sessions.connectionsMaximum = 1_000_000 }
  }

  @Test("each key of a message is read and written alone")
  func messages() throws {
    func message(_ yaml: String, _ change: (inout NearbyPeerPlan.Message) -> Void) throws {
      var message = NearbyPeerPlan.Message()
      change(&message)
      var plan = NearbyPeerPlan()
      plan.messages = [message]
      let (value, said) = try read("sends", FormBench.tree("[{\(yaml)}]"))
      expectEqual(value, plan, "\(yaml)")
      expectEqual(said, [])
      expectEqual(Self.form.write(plan, false).flow, "{sends: [{\(yaml)}]}")
    }
    try message("") { _ in }
    try message("text: T") { $0.text = "T" }
    try message("text: \"\"") { $0.text = "" }
    try message("size: 0B") { $0.byteCount = 0 }
    try message("after: 1ns") { $0.after = Interval(nanoseconds: 1) }
    try message("after: asked") { $0.after = nil }
    try message("times: 2") { $0.times = 2 }
    try message("times: 1000000") { $0.times = 1_000_000 }
    try message("every: 1s") { $0.interval = .seconds(1) }
    try message("reliable: false") { $0.isReliable = false }
    try message("to: [Ben, Cem]") { $0.to = ["Ben", "Cem"] }
    expectEqual(read("sends", .list([])).value, NearbyPeerPlan())
  }

  @Test("defaults of a peer are read, and not written")
  func defaults() throws {
    let discovery = [
      "service-type: nearby", "info: []", "advertises: true", "browses: true", "answers: accepts",
      "answers-after: 0s", "invites-after: 0s", "invites-members: false", "invitation-time-out: 0s",
      "encryption: optional",
    ]
    let behaviour = [
      "sends: []", "peers-maximum: 8", "data-path: 0s", "found-again: 0", "withdrawn-after: 0s",
      "mutual-invitations: lower-stands", "second-connection: replaces", "reuse: works",
      "optional-encryption: sealed", "declining: told",
    ]
    for yaml in discovery + behaviour {
      let (value, said) = try FormBench.read(Self.form, "{\(yaml)}")
      expectEqual(value, NearbyPeerPlan(), "\(yaml)")
      expectEqual(said, [], "\(yaml)")
    }
    let all = (discovery + behaviour).joined(separator: ", ")
    expectEqual(Self.form.write(NearbyPeerPlan(), true).flow, "{\(all)}")
    var plan = NearbyPeerPlan()
    plan.messages = [NearbyPeerPlan.Message()]
    let message = "{size: 100B, after: 0s, times: 1, every: 0s, reliable: true, to: []}"
    let filled = all.replacing("sends: []", with: "sends: [\(message)]")
    expectEqual(Self.form.write(plan, true).flow, "{\(filled)}")
  }

  @Test("an unknown word is refused under each key, with the words that are known")
  func words() {
    let rows: [(key: String, said: String)] = [
      ("answers", "unknown answer 'zzz'; known are accepts, declines, ignores"),
      ("invites", "'zzz' is not each, elected or names of peers such as each"),
      ("encryption", "unknown preference 'zzz'; known are optional, required, none"),
      ("mutual-invitations", "unknown rule 'zzz'; known are lower-stands, both-fail"),
      ("second-connection", "unknown rule 'zzz'; known are replaces, refused"),
      ("reuse", "unknown rule 'zzz'; known are works, stuck-in-connecting"),
      ("optional-encryption", "unknown rule 'zzz'; known are sealed, plain"),
      ("declining", "unknown rule 'zzz'; known are told, silent"),
      ("advertises", "'zzz' is not true or false such as true"),
      ("browses", "'zzz' is not true or false such as true"),
      ("invites-members", "'zzz' is not true or false such as true"),
      ("data-path", "'zzz' is not a duration or none such as 10s or none"),
      ("sends-file", "'zzz' is not a size such as 512B or 64KiB"),
      ("opens-stream", "'zzz' is not a size such as 512B or 64KiB"), ("info", "expected a list, found 'zzz'"),
      ("sends", "expected a list, found 'zzz'"),
    ]
    for (key, words) in rows {
      let (value, said) = read(key, .scalar("zzz"))
      expectEqual(value, nil, "\(key)")
      expectEqual(said, [words], "\(key)")
    }
    for key in ["answers-after", "invites-after", "invites-again", "invitation-time-out", "withdrawn-after"] {
      expectEqual(read(key, .scalar("none")).said, ["'none' is not a duration such as 250ms or 3s"], "\(key)")
    }
    let large = "9223372036854775808ns"
    let most = "9223372036854775807ns"
    expectEqual(
      read("data-path", .scalar(large)).said, ["'\(large)' is too large: a duration or none goes up to \(most)"])
    func after(_ text: String) -> [String] { read("sends", .list([.mapping([("after", .scalar(text))])])).said }
    expectEqual(after(large), ["'\(large)' is too large: a duration or asked goes up to \(most)"])
    expectEqual(after("none"), ["'none' is not a duration or asked such as 2s or asked"])
    expectEqual(read("data-path", .scalar("asked")).said, ["'asked' is not a duration or none such as 10s or none"])
    expectEqual(
      read("data-path", .list([])).said, ["expected a duration or none such as 10s or none, found an empty list"])
    expectEqual(
      read("invites", .mapping([])).said, ["expected each, elected or names of peers such as each, found a mapping"])
  }

  @Test("a number, a text and a list of a peer are taken at both of their ends and no farther")
  func bounds() {
    let numbers: [(key: String, range: ClosedRange<Int>)] = [
      ("peers-maximum", 2...8), ("found-again", 0...10), ("connections-maximum", 0...1_000_000),
    ]
    func refusal(_ number: Int, _ range: ClosedRange<Int>) -> String {
      "'\(number)' is not a whole number from \(range.lowerBound) to \(range.upperBound) such as 3"
    }
    for (key, range) in numbers {
      for number in [range.lowerBound, range.upperBound] {
        expectEqual(read(key, .scalar("\(number)")).said, [], "\(key)")
      }
      for number in [range.lowerBound - 1, range.upperBound + 1] {
        expectEqual(read(key, .scalar("\(number)")).said, [refusal(number, range)], "\(key)")
      }
    }
    func message(_ key: String, _ value: Tree) -> [String] { read("sends", .list([.mapping([(key, value)])])).said }
    expectEqual(message("times", .scalar("1")), [])
    for number in [0, 1_000_001] {
      expectEqual(message("times", .scalar("\(number)")), [refusal(number, 1...1_000_000)])
    }
    expectEqual(message("to", FormBench.many(100, .scalar("a"))), [])
    expectEqual(message("to", FormBench.many(101, .scalar("a"))), ["a list of 101, at most 100 are allowed"])
    expectEqual(read("info", FormBench.many(64, .scalar("a=b"))).said, [])
    expectEqual(read("info", FormBench.many(65, .scalar("a=b"))).said, ["a list of 65, at most 64 are allowed"])
    func text(_ count: Int) -> Tree { .scalar(String(repeating: "a", count: count)) }
    let shown = String(repeating: "a", count: 40) + "…"
    expectEqual(read("context", text(65_536)).said, [])
    expectEqual(
      read("context", text(65_537)).said, ["'\(shown)' is not a context such as any of at most 65536 bytes"])
    expectEqual(message("text", text(65_536)), [])
    expectEqual(message("text", text(65_537)), ["'\(shown)' is not a message such as any of at most 65536 bytes"])
    expectEqual(read("name", text(63)).said, [])
    expectEqual(read("name", text(64)).said, ["'\(shown)' is too large: a label of a name goes up to 63 bytes"])
    expectEqual(read("service-type", text(15)).said, [])
    let long = String(repeating: "a", count: 16)
    expectEqual(read("service-type", .scalar(long)).said, ["'\(long)' is not a service type such as chat"])
    expectEqual(read("service-type", .scalar("")).said, ["'' is not a service type such as chat"])
  }
}
