import Foundation
import Harness
import Testing

@Suite("JSON lines") struct JSONLineTests {
  @Test("Numbers of every length stand as they are")
  func numbers() {
    var line = JSONLine()
    let numbers: [UInt64] = [
      0, 9, 10, 99, 100, 101, 999, 1_000, 123_456_789, .max - 1, .max, 10_000_000_000_000_000_000,
    ]
    for number in numbers {
      line.add("n", number)
    }
    for number in [Int.min, -1, Int.max] { line.add("i", number) }
    let wanted = numbers.map { "\"n\":\($0)" } + [Int.min, -1, Int.max].map { "\"i\":\($0)" }
    #expect(line.closed == "{" + wanted.joined(separator: ",") + "}")
  }

  @Test("Text of every length comes back through another reader, whatever stands in it and wherever")
  func texts() throws {
    for count in 0...40 {
      let plain = String(repeating: "x", count: count)
      try expectReadable(plain)
      for place in 0..<count {
        for odd in ["\"", "\\", "\n", "\r", "\t", "\u{0}", "\u{1F}", "\u{7F}", "ü", "\u{1F4FA}"] {
          var text = Array(plain).map(String.init)
          text[place] = odd
          try expectReadable(text.joined())
        }
      }
    }
    try expectReadable(String(repeating: "a\"", count: 3_000))
  }

  private func expectReadable(_ text: String) throws {
    var line = JSONLine()
    line.add("text", text)
    let read = try JSONSerialization.jsonObject(with: Data(line.closed.utf8)) as? [String: String]
    #expect(read == ["text": text])
  }
}
