import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallScenarios

/// Quirks of root devices as words: with an argument, without one, and what is said of those that are none.
@Suite("Words of quirks") struct QuirkWordTests {
  private static let form: Form<Quirk> = .quirk

  @Test("a quirk is read with its argument or with that of the catalogue, and is written with it")
  func words() {
    let rows: [(text: String, quirk: Quirk, written: String)] = [
      ("noBlankLine", .noBlankLine, "noBlankLine"), ("truncated", .truncated(40), "truncated(40)"),
      ("truncated(0)", .truncated(0), "truncated(0)"), ("maxAge(-1)", .maxAge(-1), "maxAge(-1)"),
      ("ttl(255)", .ttl(255), "ttl(255)"), ("manyRepeats(100)", .manyRepeats(100), "manyRepeats(100)"),
      ("manyAnswers(1000)", .manyAnswers(1_000), "manyAnswers(1000)"),
      ("foreignNT(a(b))", .foreignNT("a(b)"), "foreignNT(a(b))"),
      ("opaqueTarget(x:y)", .opaqueTarget("x:y"), "opaqueTarget(x:y)"),
      ("answersOnlySome(x)", .answersOnlySome("x"), "answersOnlySome(x)"),
    ]
    let times: [(text: String, quirk: Quirk, written: String)] = [
      ("renewsOften(5s)", .renewsOften(.seconds(5)), "renewsOften(5s)"),
      ("answersLate(1000ms)", .answersLate(.seconds(1)), "answersLate(1s)"),
      ("spuriousByebye(60s)", .spuriousByebye(.minutes(1)), "spuriousByebye(1m)"),
      ("descriptionSlow(20us)", .descriptionSlow(.microseconds(20)), "descriptionSlow(20us)"),
      ("unicastNotify(10.0.0.9)", .unicastNotify(IPAddress(10, 0, 0, 9)), "unicastNotify(10.0.0.9)"),
      (
        "descriptionOnOtherHost(10.0.0.8)", .descriptionOnOtherHost(IPAddress(10, 0, 0, 8)),
        "descriptionOnOtherHost(10.0.0.8)"
      ),
    ]
    for (text, quirk, written) in rows + times {
      let found = FormBench.read(Self.form, .scalar(text))
      expectEqual(found.value, quirk, "\(text)")
      expectEqual(found.said, [], "\(text)")
      expectEqual(Self.form.write(quirk, false), .scalar(written))
      expectEqual(Vocabulary.text(of: quirk), written)
    }
  }

  @Test("the message about a wrong argument says which one the quirk takes")
  func arguments() {
    let rows: [(text: String, said: String)] = [
      ("noBlankLine(1)", "the quirk 'noBlankLine' takes no argument"),
      ("noBlankLine()", "the quirk 'noBlankLine' takes no argument"),
      ("maxAge(soon)", "the quirk 'maxAge' takes a number of seconds such as 60, not 'soon'"),
      ("maxAge()", "the quirk 'maxAge' takes a number of seconds such as 60, not ''"),
      ("ttl(256)", "the quirk 'ttl' takes a count such as 6, not '256'"),
      ("manyRepeats(0)", "the quirk 'manyRepeats' takes a count such as 6, not '0'"),
      ("manyRepeats(101)", "the quirk 'manyRepeats' takes a count such as 6, not '101'"),
      ("answersLate(5)", "the quirk 'answersLate' takes a duration such as 5s, not '5'"),
      ("foreignNT(a b)", "the quirk 'foreignNT' takes a text without blanks, not 'a b'"),
      ("unicastNotify(tv)", "the quirk 'unicastNotify' takes an address such as 10.0.0.1, not 'tv'"),
      ("zzzzzz", "unknown quirk 'zzzzzz'"), ("zzzzzz(1)", "unknown quirk 'zzzzzz'"),
      ("zzzzzz(1", "unknown quirk 'zzzzzz(1'"),
      ("noBlankLine)", "unknown quirk 'noBlankLine)', did you mean 'noBlankLine'?"),
      ("noBlankline(1)", "unknown quirk 'noBlankline', did you mean 'noBlankLine'?"),
    ]
    for (text, said) in rows {
      let found = FormBench.read(Self.form, .scalar(text))
      expectEqual(found.value, nil, "\(text)")
      expectEqual(found.said, [said])
    }
  }

  @Test("a tree that is no word is refused")
  func shapes() {
    let expected = "expected a quirk such as noBlankLine or maxAge(100), found"
    let rows: [(tree: Tree, found: String)] = [
      (.list([]), "an empty list"), (.list([.scalar("noExt")]), "a list"), (.mapping([]), "a mapping"),
      (Tree(.nothing), "nothing"),
    ]
    for (tree, found) in rows {
      expectEqual(FormBench.read(Self.form, tree).said, ["\(expected) \(found)"])
    }
  }

  @Test("an editor knows all names, and which of them take an argument")
  func schema() {
    let taking = [
      "truncated", "maxAge", "ttl", "foreignNT", "opaqueTarget", "manyRepeats", "renewsOften", "answersLate",
      "spuriousByebye", "unicastNotify", "manyAnswers", "answersOnlySome", "descriptionOnOtherHost", "descriptionSlow",
    ]
    let names = Quirk.catalogue.map { JSONValue.string($0.name) }
    let pattern = "^(" + taking.joined(separator: "|") + #")\(.+\)$"#
    let word = JSONValue.members(("enum", .array(names)))
    let call = JSONValue.members(("type", .string("string")), ("pattern", .string(pattern)))
    let definitions = Self.form.schema.definitions
    expectEqual(definitions.map(\.name), ["quirk"])
    expectEqual(definitions.first?.value, JSONValue.members(("anyOf", .array([word, call]))))
  }
}
