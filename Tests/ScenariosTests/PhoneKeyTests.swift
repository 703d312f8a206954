import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallScenarios

/// The user of a phone, each key alone: what it sets, how it is written, and what is said against it.
@Suite("Keys of the user of a phone") struct PhoneKeyTests {
  private static let form = Form<PhoneSection>.record(PhoneSection(), PhoneSection.fields)

  private func read(_ key: String, _ value: Tree) -> (value: PhoneSection?, said: [String]) {
    FormBench.read(Self.form, .mapping([("user", .mapping([(key, value)]))]))
  }

  private func check(_ key: String, _ text: String, _ change: (inout PhoneUser) -> Void) throws {
    var user = PhoneUser()
    change(&user)
    let (value, said) = try read(key, FormBench.tree(text))
    expectEqual(value, PhoneSection(user: user), "\(key): \(text)")
    expectEqual(said, [])
    expectEqual(Self.form.write(PhoneSection(user: user), false).flow, "{user: {\(key): \(text)}}")
  }

  @Test("each key alone is read and written")
  func keys() throws {
    try check("invitations", "accept") { $0.answer = .accept }
    try check("invitations", "decline") { $0.answer = .decline }
    try check("invitations-after", "1ns") { $0.answerDelay = Interval(nanoseconds: 1) }
    try check("selects", "each") { $0.selects = .each }
    try check("selects", "[each]") { $0.selects = .named(["each"]) }
    try check("selects", "[]") { $0.selects = .named([]) }
    try check("selects", "[Ben, Cem]") { $0.selects = .named(["Ben", "Cem"]) }
    try check("selects-after", "2s") { $0.selectDelay = .seconds(2) }
    try check("done-after", "0s") { $0.doneDelay = .zero }
    try check("done-after", "3s") { $0.doneDelay = .seconds(3) }
    try check("cancel-after", "0s") { $0.cancelDelay = .zero }
    try check("cancel-after", "4s") { $0.cancelDelay = .seconds(4) }
    try check("types", "0042") { $0.typed = "0042" }
    try check("types-after", "5s") { $0.typeDelay = .seconds(5) }
  }

  @Test("defaults of a user are read, and not written")
  func defaults() {
    let rows = [("invitations", "ignore"), ("invitations-after", "0s"), ("selects-after", "0s"), ("types-after", "0s")]
    for (key, text) in rows {
      let (value, said) = read(key, .scalar(text))
      expectEqual(value, PhoneSection(), "\(key)")
      expectEqual(said, [])
    }
    expectEqual(Self.form.write(PhoneSection(), false).flow, "{}")
    let all = rows.map { "\($0.0): \($0.1)" }.joined(separator: ", ")
    expectEqual(Self.form.write(PhoneSection(), true).flow, "{user: {\(all)}}")
    var full = PhoneUser()
    (full.answer, full.selects, full.typed) = (.accept, .named(["Ben"]), "1")
    (full.doneDelay, full.cancelDelay) = (.seconds(1), .seconds(2))
    expectEqual(
      Self.form.write(PhoneSection(user: full), true).flow,
      "{user: {invitations: accept, invitations-after: 0s, selects: [Ben], selects-after: 0s, done-after: 1s, "
        + "cancel-after: 2s, types: 1, types-after: 0s}}")
  }

  @Test("a value of another kind is refused under each key, with what to write")
  func slips() {
    let names = "each or a list of names such as [Ben, Cem]"
    let duration = "a duration such as 250ms or 3s"
    let rows: [(key: String, value: Tree, said: String)] = [
      ("invitations", .scalar("zzz"), "unknown answer 'zzz'; known are accept, decline, ignore"),
      ("invitations", .list([]), "expected an answer such as accept, found an empty list"),
      ("selects", .scalar("Each"), "'Each' is not \(names)"), ("selects", .scalar(""), "'' is not \(names)"),
      ("selects", .mapping([]), "expected \(names), found a mapping"),
      ("selects", Tree(.nothing), "expected \(names), found nothing"),
      ("selects", .list([.list([])]), "expected a label of a name such as living-room, found an empty list"),
      ("types", .scalar(""), "'' is not a key such as '314159'"),
      ("types", .list([.scalar("1")]), "expected a key such as '314159', found a list"),
      ("types", .scalar("1\u{1F}"), "'1\u{1F}' is not a key such as '314159'"),
    ]
    for (key, value, words) in rows {
      let (found, said) = read(key, value)
      expectEqual(found, nil, "\(key)")
      expectEqual(said, [words], "\(key)")
    }
    for key in ["invitations-after", "selects-after", "done-after", "cancel-after", "types-after"] {
      expectEqual(read(key, .scalar("never")).said, ["'never' is not \(duration)"], "\(key)")
      expectEqual(
        read(key, .scalar("2")).said, ["'2' has no unit: a duration is written such as 250ms or 3s"], "\(key)")
      expectEqual(read(key, .mapping([])).said, ["expected \(duration), found a mapping"], "\(key)")
      expectEqual(
        read(key, .scalar("9223372036854775808ns")).said,
        ["'9223372036854775808ns' is too large: a duration goes up to 9223372036854775807ns"], "\(key)")
    }
  }

  @Test("a thousand names can be selected, a name has 63 bytes, and a key that is typed has 1000")
  func bounds() {
    func text(_ count: Int) -> Tree { .scalar(String(repeating: "a", count: count)) }
    let shown = String(repeating: "a", count: 40) + "…"
    var user = PhoneUser()
    user.selects = .named(Array(repeating: "x", count: 1_000))
    expectEqual(read("selects", FormBench.many(1_000, .scalar("x"))).value, PhoneSection(user: user))
    expectEqual(
      read("selects", FormBench.many(1_001, .scalar("x"))).said, ["a list of 1001, at most 1000 are allowed"])
    expectEqual(read("selects", .list([text(63)])).said, [])
    expectEqual(
      read("selects", .list([text(64)])).said, ["'\(shown)' is too large: a label of a name goes up to 63 bytes"])
    expectEqual(read("types", text(1_000)).said, [])
    expectEqual(read("types", text(1_001)).said, ["'\(shown)' is not a key such as '314159'"])
  }
}
