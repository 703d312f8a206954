import Foundation
import RollcallExpectations
import RollcallWire
import Testing

@Suite("Values of JSON") struct JSONReaderTests {
  private static func read(_ text: String, _ limits: JSONReader.Limits = .init()) -> Result<JSONValue, JSONFault> {
    read(Array(text.utf8), limits)
  }
  private static func read(_ bytes: [UInt8], _ limits: JSONReader.Limits = .init()) -> Result<JSONValue, JSONFault> {
    do throws(JSONFault) { return .success(try JSONReader.read(bytes, limits: limits)) } catch {
      return .failure(error)
    }
  }

  @Test("members keep their order, numbers their digits, and everything is written on one line")
  func values() {
    let text = " {\"b\" : [1, -2.50e+3, true, false, null, \"x\\ty\\u0041\\/\"],\r\n\t\"a\":{}, \"c\":[] } "
    let value = JSONValue.members(
      (
        "b",
        .array([.integer(1), .number("-2.50e+3"), .bool(true), .bool(false), .null, .string("x\tyA/")])
      ), ("a", .object([])), ("c", .array([])))
    expectEqual(Self.read(text), .success(value))
    expectEqual(value.line, #"{"b":[1,-2.50e+3,true,false,null,"x\tyA/"],"a":{},"c":[]}"#)
    expectEqual(value["a"], .object([]))
    expectEqual(value["z"], nil)
    expectEqual(JSONValue.integer(1)["a"], nil)
    expectEqual([value.string, JSONValue.string("x").string], [nil, "x"])
    expectEqual([value.bool, JSONValue.bool(true).bool], [nil, true])
    expectEqual([JSONValue.number("1.0").integer, JSONValue.integer(4).integer], [nil, 4])
  }

  @Test(
    "whole numbers are integers as far as they fit, and all others stay as they were written",
    arguments: [
      ("0", .integer(0)), ("-0", .number("-0")), ("9223372036854775807", .integer(.max)),
      ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .number("9223372036854775808")),
      ("1.0", .number("1.0")), ("1e2", .number("1e2")), ("1E-2", .number("1E-2")), ("-10", .integer(-10)),
    ] as [(String, JSONValue)])
  func numbers(_ text: String, _ value: JSONValue) {
    expectEqual(Self.read(text), .success(value))
    expectEqual(value.line, text)
  }

  @Test("escapes are read, and characters that cannot be seen are written as escapes")
  func escapes() {
    expectEqual(
      Self.read(#""\"\\\/\b\f\n\r\t\u00e9\u00E9\ud83d\uDE00""#), .success(.string("\"\\/\u{8}\u{C}\n\r\téé😀")))
    expectEqual(
      Self.read(#""\ud800\udc00\udbff\udfff\ud7ff\ue000""#), .success(.string("\u{10000}\u{10FFFF}\u{D7FF}\u{E000}")))
    expectEqual(JSONValue.string("\u{202E}\u{7}é").line, "\"\\u202e\\u0007é\"")
  }

  @Test(
    "what is no JSON is refused at its byte",
    arguments: [
      ("", .cutShort, 0), (" ", .cutShort, 1), ("[1", .cutShort, 2), ("{\"a\"", .cutShort, 4), ("\"a", .cutShort, 2),
      ("\"\\", .cutShort, 2), ("\"\\u00", .cutShort, 5), ("tru", .cutShort, 3), ("-", .cutShort, 1),
      ("1.", .cutShort, 2),
      ("1e", .cutShort, 2), ("1e+", .cutShort, 3), ("[,", .unexpectedByte, 1), ("[1,]", .unexpectedByte, 3),
      ("[1}", .unexpectedByte, 2), ("{\"a\":1]", .unexpectedByte, 6), ("{a:1}", .unexpectedByte, 1),
      ("{\"a\" 1}", .unexpectedByte, 5), ("{\"a\":1,}", .unexpectedByte, 7), ("trUe", .unexpectedByte, 2),
      ("'a'", .unexpectedByte, 0), ("\u{FEFF}1", .unexpectedByte, 0), ("+1", .unexpectedByte, 0),
      ("1 2", .behindTheEnd, 2), ("1:", .behindTheEnd, 1), ("1/", .behindTheEnd, 1), ("-:", .number, 1),
      ("-/", .number, 1),
      ("\"\\ud800\\ue000\"", .surrogate, 1), ("\"\\ud800\\udbff\"", .surrogate, 1), ("\"\\udfff\"", .surrogate, 1),
      ("nullx", .behindTheEnd, 4), ("{}}", .behindTheEnd, 2), ("01", .number, 1),
      ("-a", .number, 1), ("1.a", .number, 2), ("1ea", .number, 2), ("-01", .number, 2), ("\"\\x\"", .escape, 2),
      ("\"\\u00g0\"", .escape, 5), ("\"\\ud83d\"", .surrogate, 1), ("\"\\ud83dx\"", .surrogate, 1),
      ("\"\\ud83d\\u0041\"", .surrogate, 1), ("\"a\\ude00\"", .surrogate, 2), ("\"a\nb\"", .controlByte, 2),
      ("\"\0\"", .controlByte, 1), ("{\"a\":1,\"\\u0061\":2}", .sameName, 7),
    ] as [(String, JSONFault.Reason, Int)])
  func refused(_ text: String, _ reason: JSONFault.Reason, _ offset: Int) {
    expectEqual(Self.read(text), .failure(JSONFault(reason, at: offset)))
  }

  @Test("two ways to write an accent are two names")
  func names() throws {
    expectEqual(try Self.read("{\"\u{E9}\":1,\"e\u{301}\":2}").get().line, "{\"é\":1,\"e\u{301}\":2}")
  }

  @Test("bytes that are no UTF-8 are refused where the character begins")
  func utf8() {
    for bytes: [UInt8] in [
      [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x9F, 0xBF], [0xE1, 0x80], [0xED, 0xA0, 0x80],
      [0xF0, 0x8F, 0xBF, 0xBF], [0xF1, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
    ] {
      expectEqual(Self.read([0x22, 0xC3, 0xA9] + bytes + [0x22]), .failure(JSONFault(.notUTF8, at: 3)), "\(bytes)")
    }
    for text in ["\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}"] {
      expectEqual(Self.read("\"\(text)\""), .success(.string(text)))
    }
  }

  @Test("limits hold exactly")
  func limits() {
    var limits = JSONReader.Limits()
    (limits.depthMaximum, limits.valuesMaximum, limits.byteCountMaximum) = (2, 4, 12)
    expectEqual(Self.read("[[1,2]]     ", limits), .success(.array([.array([.integer(1), .integer(2)])])))
    expectEqual(Self.read("[[1,2]]      ", limits), .failure(JSONFault(.tooLong, at: 12)))
    expectEqual(Self.read("[[[1]]]", limits), .failure(JSONFault(.tooDeep, at: 2)))
    expectEqual(Self.read("[1,2,3]", limits), .success(.array([.integer(1), .integer(2), .integer(3)])))
    expectEqual(Self.read("[1,2,3,4]", limits), .failure(JSONFault(.tooManyValues, at: 7)))
    expectEqual(Self.read("{\"a\":[1]}", limits), .success(.members(("a", .array([.integer(1)])))))
    expectEqual(Self.read("{\"a\":[{}]}", limits), .failure(JSONFault(.tooDeep, at: 6)))
    expectEqual(Self.read("[{\"a\":[]}]", limits), .failure(JSONFault(.tooDeep, at: 6)))
    expectEqual(
      Self.read("\"" + String(repeating: "a", count: 65_534) + "\""),
      .success(.string(String(repeating: "a", count: 65_534))))
    expectEqual(
      Self.read("\"" + String(repeating: "a", count: 65_535) + "\""), .failure(JSONFault(.tooLong, at: 65_536)))
    let most = "[" + Array(repeating: "1", count: 4_095).joined(separator: ",")
    expectEqual(try? Self.read(most + "]").get().line.utf8.count, 8_191)
    expectEqual(Self.read(most + ",1]"), .failure(JSONFault(.tooManyValues, at: 8_191)))
    // However deep a hostile text is, it is refused at the limit.
    expectEqual(
      Self.read([UInt8](repeating: UInt8(ascii: "["), count: 60_000)), .failure(JSONFault(.tooDeep, at: 32)))
  }

  /// What Foundation reads, in the same words; `nil`: it refuses.
  private static func oracle(_ bytes: [UInt8]) -> NSObject? {
    (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) as? NSObject
  }

  @Test("Foundation reads the same, and refuses what is refused, over texts that are changed at random")
  func foundation() {
    let seeds = [
      #"{"type":"registered","id":"r0","payload":{"client-key":"abc","n":[1,-2.5,true,null]}}"#,
      #"[0,-1,1.5e3,"\u00e9\ud83d\ude00\n",{"a":{"b":[]}},false]"#, #""x\\\"y""#,
    ].map { Array($0.utf8) }
    var state: UInt64 = 7
    func dice(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let words = Array(#"{}[]:,"\u0019eE+-.tfnrl "#.utf8) + [0x0A, 0x01, 0xC3, 0xA9, 0xFF]
    var (accepted, refused) = (0, 0)
    for _ in 0..<6_000 {
      var bytes = seeds[dice(seeds.count)]
      for _ in 0..<dice(3) {
        let place = dice(bytes.count)
        switch dice(3) {
        case 0: bytes.remove(at: place)
        case 1: bytes.insert(words[dice(words.count)], at: place)
        default: bytes[place] = words[dice(words.count)]
        }
      }
      let text = String(decoding: bytes, as: UTF8.self)
      switch Self.read(bytes) {
      case .success(let value):
        accepted += 1
        let other = Self.oracle(bytes)
        // Foundation rounds numbers to what a Double can hold.
        if other == nil, text.contains("e") || text.contains("E") { continue }
        #expect(other != nil, "Foundation refuses \(text)")
        #expect(other == Self.oracle(Array(value.line.utf8)), "\(text) is written as \(value.line)")
      case .failure(let fault):
        refused += 1
        // These are ours alone: Foundation takes the later of two members, a byte order mark and UTF-16.
        if fault.reason == .sameName || bytes.contains(0) { continue }
        #expect(Self.oracle(bytes) == nil, "Foundation reads \(text), refused: \(fault)")
      }
    }
    #expect(accepted > 1_500 && refused > 1_500)
  }
}
