@testable import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

/// The file of `judge --expect`: which lines are read, what is read of them, and which line is told where one is none.
@Suite("Files of reviewed breaches")
struct ReviewedBreachTests {
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
    expectEqual(PlainText.lines(of: "a\r\n\r\nb\n\r").map(String.init), ["a", "", "b", ""])
    expectEqual(PlainText.lines(of: "a\r\r\n").map(String.init), ["a\r", ""])
    func failure(_ text: String) -> ExpectedBreach.Failure? {
      do {
        _ = try ExpectedBreach.read(text)
        return nil
      } catch { return error }
    }
    // A blank before it makes a remark something else, and of two lines that are wrong the first is told.
    let object = "one JSON object with clause, party, role and found"
    expectEqual(failure(" # a remark\nnothing"), .init(line: 1, column: 2, expected: object))
    expectEqual(failure("\n\n\(line("a"))\nnothing\nnothing"), .init(line: 4, column: 2, expected: object))
    // A word is no value, and the bytes before it count.
    let start = String(line("a").dropLast()) + ",\"count\":"
    let values: [(String, Int)] = [("x", 0), ("1x", 1), ("[1", 2), ("-", 1), ("1 2", 2), ("1,", 2), ("01", 1)]
    for (value, offset) in values {
      let column = start.utf8.count + offset + 1
      expectEqual(failure("\(start)\(value)}"), .init(line: 1, column: column, expected: object), "\(value)")
    }
    for value in ["1", "[1]", "null", "true"] {
      let text = line("a").replacing("\"nothing\"", with: value)
      expectEqual(failure(text), .init(line: 1, expected: "the fields clause, party, role and found"), "\(value)")
    }
    // Other fields are for the reader, whatever they hold.
    expectEqual(failure("\(start)[true,null,-1.5]}"), nil)
    // A line of more than a mebibyte is refused, whatever it says.
    let blanks = String(repeating: String(repeating: " ", count: 1_024), count: 1_024)
    expectEqual(failure(line("a") + blanks), .init(line: 1, column: 1_048_577, expected: object))
    for field in ["clause", "party", "role", "found"] {
      let without = line("a").replacing("\"\(field)\"", with: "\"other\"")
      expectEqual(failure(without), .init(line: 1, expected: "the fields clause, party, role and found"), "\(field)")
    }
    expectEqual(
      failure(line("a").replacing("A-LOC", with: "A-LOK")),
      .init(line: 1, expected: "a clause; the nearest to UDA-1.2.2-A-LOK is UDA-1.2.2-A-LOC"))
  }
}
