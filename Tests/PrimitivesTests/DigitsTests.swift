import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("Numbers in text that comes from elsewhere")
struct DigitsTests {
  @Test("digits are a number up to the largest of its type; with a sign, a blank or anything else they are none")
  func decimal() {
    let bytes: [(String, UInt8?)] = [
      ("0", 0), ("7", 7), ("255", 255), ("007", 7), ("0000255", 255), ("256", nil), ("2550", nil), ("", nil),
      ("+", nil), ("-", nil), ("+7", nil), ("-7", nil), ("+0", nil), ("-0", nil), ("7+", nil), ("7-", nil),
      ("++7", nil), (" 7", nil), ("7 ", nil), ("\t7", nil), ("1_0", nil), ("0x7", nil), ("a", nil), ("7.0", nil),
      ("1e1", nil), ("\u{661}", nil), ("7\u{301}", nil), ("\0", nil), ("/", nil), (":", nil),
    ]
    for (text, number) in bytes { expectEqual(UInt8(digits: text), number, "'\(text)'") }
    #expect(Int8(digits: "127") == 127 && Int8(digits: "128") == nil && Int8(digits: "-128") == nil)
    #expect(UInt64(digits: "18446744073709551615") == .max && UInt64(digits: "18446744073709551616") == nil)
    expectEqual(Int(digits: "x12"[...].dropFirst()), 12)
  }

  @Test("hexadecimal digits are a number in small letters and in capitals, and without a sign as well")
  func hexadecimal() {
    let bytes: [(String, UInt8?)] = [
      ("0", 0), ("ff", 255), ("FF", 255), ("aF", 0xAF), ("0f", 15), ("00ff", 255), ("100", nil), ("", nil), ("+f", nil),
      ("-f", nil), ("-0", nil), ("g", nil), ("0g", nil), ("0x", nil), ("f ", nil), ("@", nil), ("`", nil),
    ]
    for (text, number) in bytes { expectEqual(UInt8(digits: text, radix: 16), number, "'\(text)'") }
  }
}
