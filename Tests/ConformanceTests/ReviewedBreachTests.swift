@testable import RollcallConformance
import RollcallExpectations
import Testing

/// The file of `judge --expect`: which lines are read, what is read of them, and which line is told where one is none.
@Suite("Files of reviewed breaches")
struct ReviewedBreachTests {
  private func fields(_ line: String) -> [String: String]? { FlatJSON.fields(line[...]) }

  @Test("an object has texts and numbers, with blanks anywhere between, and of a field that comes twice the last value")
  func objects() {
    expectEqual(fields("{}"), [:])
    expectEqual(fields(" \t{ } \r"), [:])
    expectEqual(fields(#"{"a":"b"}"#), ["a": "b"])
    expectEqual(fields(#" { "a" : "b" , "c" : -1.5 ,"d":3}"#), ["a": "b", "c": "-1.5", "d": "3"])
    expectEqual(fields(#"{"a":"b","a":"c"}"#), ["a": "c"])
    expectEqual(fields(#"{"":"","b":"}{,:"}"#), ["": "", "b": "}{,:"])
    let wrong: [String] = [
      "", " ", "{", "}", "[]", "{,}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1"#, #"{"a":1}}"#, #"{"a":1} x"#,
      #"{"a":"b}"#, #"{a:1}"#, #"{"a" 1}"#, #"{"a":1 "b":2}"#, #"{"a":{"b":1}}"#, #"{"a":1}{"b":2}"#, #""a""#,
    ]
    for line in wrong { expectEqual(fields(line), nil, "\(line)") }
  }

  @Test("a text has the letters that JSON escapes, one above U+FFFF in two halves, and nothing that is half of one")
  func escapes() {
    func text(_ escaped: String) -> String? { fields("{\"a\":\"\(escaped)\"}")?["a"] }
    expectEqual(text(#"\"\\\/"#), "\"\\/")
    expectEqual(text(#"\n\r\t\b\f"#), "\n\r\t\u{8}\u{C}")
    expectEqual(text(#"\u0041\u00e9\u00E9\u20ac"#), "Aéé€")
    expectEqual(text(#"\u0000\uffff"#), "\u{0}\u{FFFF}")
    expectEqual(text(#"\ud800\udc00"#), "\u{10000}")
    expectEqual(text(#"<\ud83d\ude00>"#), "<\u{1F600}>")
    expectEqual(text(#"\uDBFF\uDFFF"#), "\u{10FFFF}")
    expectEqual(text(#"\ud7ff\ue000"#), "\u{D7FF}\u{E000}")
    let wrong: [String] = [
      #"\x"#, #"\'"#, #"\u"#, #"\u004"#, #"\u00g1"#, #"\u+041"#, #"\ud800"#, #"\udc00"#, #"\udfff\ud800"#,
      #"\ud800\ud800"#, #"\ud800x"#, #"\ud800\n"#, #"\ud800\udbff"#, #"\ud800\ue000"#, #"\ud800\u00"#, #"\ud800udc00"#,
    ]
    for escaped in wrong { expectEqual(text(escaped), nil, "\(escaped)") }
  }

  @Test("lines are counted with the empty ones and the remarks, whose # is their first byte")
  func lines() throws {
    func line(_ party: String) -> String {
      #"{"clause":"UDA-1.2.2-A-LOC","party":"\#(party)","role":"device","found":"nothing"}"#
    }
    let text = "# \(line("a"))\n\n\(line("b"))\r\n\r\n#\n\(line("c"))"
    let breaches = try ExpectedBreach.read(text)
    expectEqual(breaches.map(\.line), [3, 6])
    expectEqual(breaches.map(\.key.party), ["b", "c"])
    expectEqual(breaches.map(\.text), [line("b"), line("c")])
    try expectEqual(ExpectedBreach.read("").count, 0)
    expectEqual(ExpectedBreach.lines("a\r\n\r\nb\n\r").map(String.init), ["a", "", "b", ""])
    expectEqual(ExpectedBreach.lines("a\r\r\n").map(String.init), ["a\r", ""])
    func failure(_ text: String) -> ExpectedBreach.Failure? {
      do {
        _ = try ExpectedBreach.read(text)
        return nil
      } catch { return error }
    }
    // A blank before it makes a remark something else, and of two lines that are wrong the first is told.
    let object = "one JSON object with clause, party, role and found"
    expectEqual(failure(" # a remark\nnothing"), .init(line: 1, expected: object))
    expectEqual(failure("\n\n\(line("a"))\nnothing\nnothing"), .init(line: 4, expected: object))
    for field in ["clause", "party", "role", "found"] {
      let without = line("a").replacing("\"\(field)\"", with: "\"other\"")
      expectEqual(failure(without), .init(line: 1, expected: "the fields clause, party, role and found"), "\(field)")
    }
    expectEqual(
      failure(line("a").replacing("A-LOC", with: "A-LOK")),
      .init(line: 1, expected: "a clause; the nearest to UDA-1.2.2-A-LOK is UDA-1.2.2-A-LOC"))
  }
}
