import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallScenarios

/// Which devices an entry means: what is read, how it is written, and what is refused where.
@Suite("Devices that an entry means") struct WhoFormTests {
  private static let noun = "a device such as tv, each, any or uuid:…"

  @Test("devices are meant by a word, a name or a list of names, and are written in the shortest form that they have")
  func forms() throws {
    let longest = "uuid:" + String(repeating: "x", count: 195)
    let rows: [(yaml: String, who: Who, written: String)] = [
      ("each", .everyone, "each"),
      ("any", .anyone, "any"),
      ("tv", .each(["tv"]), "tv"),
      ("{each-of: [tv]}", .each(["tv"]), "tv"),
      ("{each-of: [tv, lamp]}", .each(["tv", "lamp"]), "{each-of: [tv, lamp]}"),
      ("{each-of: [a, b, c]}", .each(["a", "b", "c"]), "{each-of: [a, b, c]}"),
      ("{any-of: [tv]}", .anyOf(["tv"]), "{any-of: [tv]}"),
      ("{any-of: [tv, lamp]}", .anyOf(["tv", "lamp"]), "{any-of: [tv, lamp]}"),
      ("uuid:x", .device("uuid:x"), "uuid:x"),
      (longest, .device(longest), longest),
      ("peer:P._ipp._tcp.local", .device("peer:P._ipp._tcp.local"), "peer:P._ipp._tcp.local"),
      (
        "ble:C0:FF:EE:00:00:01/random", .device("ble:c0:ff:ee:00:00:01/random"), "ble:c0:ff:ee:00:00:01/random"
      ),
    ]
    for (yaml, who, written) in rows {
      let answer = try FormBench.answer(Form<Who>.who, yaml)
      expectEqual(answer.said, [], "\(yaml)")
      expectEqual(answer.value, who, "\(yaml)")
      expectEqual(answer.written, written, "\(yaml)")
    }
  }

  @Test("what names no device is refused where it stands: nothing behind uuid:, more than 200 bytes, no instance")
  func refused() throws {
    let noun = Self.noun
    let long = "uuid:" + String(repeating: "x", count: 196)
    let shown = "uuid:" + String(repeating: "x", count: 35) + "…"
    let rows: [(yaml: String, said: String)] = [
      ("'uuid:'", "1:1 'uuid:' is not \(noun)"),
      (long, "1:1 '\(shown)' is not \(noun)"),
      ("'peer:'", "1:1 'peer:' is not \(noun)"),
      ("peer:x", "1:1 'peer:x' is not \(noun)"),
      ("'ble:'", "1:1 'ble:' is not \(noun)"),
      ("ble:x", "1:1 'ble:x' is not \(noun)"),
      ("1tv", "1:1 '1tv' is not \(noun)"),
      ("[tv]", "1:1 expected \(noun), found a list"),
      ("[]", "1:1 expected \(noun), found an empty list"),
      ("{}", "1:1 missing one of the keys each-of, any-of"),
      ("{of: [tv]}", "1:2 unknown key 'of'; known are each-of, any-of"),
      ("{each-of: tv}", "1:11 expected a list, found 'tv'"),
      ("{each-of: []}", "1:11 an empty list, at least one is needed"),
      ("{any-of: []}", "1:10 an empty list, at least one is needed"),
      ("{any-of: [1]}", "1:11 '1' is not the name of an inhabitant such as tv"),
      ("{each-of: [a], any-of: [b]}", "1:16 'any-of' cannot stand beside 'each-of': only one of them"),
      ("{any-of: [b], each-of: [a]}", "1:15 'each-of' cannot stand beside 'any-of': only one of them"),
    ]
    for (yaml, said) in rows {
      let answer = try FormBench.answer(Form<Who>.who, yaml)
      expectEqual(answer.said, [said], "\(yaml)")
      expectEqual(answer.value, nil, "\(yaml)")
    }
  }
}
