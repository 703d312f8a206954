/// One word or sign of Swift code: comments and the text of string literals are left out.
struct Token: Hashable {
  var text: String
  /// From 1.
  var line: Int
}

/// Cuts Swift source into words and signs.
///
/// Nested block comments, multi-line and raw strings are understood, and code inside `\( )` is code. A string literal
/// becomes the one token `""`. Regex literals between slashes are not understood; the sources hold none.
struct SwiftLexer {
  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  private(set) var tokens: [Token] = []

  static func tokens(of source: String) -> [Token] {
    var lexer = SwiftLexer(bytes: Array(source.utf8))
    lexer.readCode(insideParentheses: false)
    return lexer.tokens
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private func byte(_ ahead: Int = 0) -> UInt8 { index + ahead < bytes.count ? bytes[index + ahead] : 0 }
  private func isNext(_ text: StaticString, ahead: Int = 0) -> Bool {
    (0..<text.utf8CodeUnitCount).allSatisfy { byte(ahead + $0) == text.utf8Start[$0] }
  }

  private mutating func advance(_ count: Int = 1) {
    for _ in 0..<count where index < bytes.count {
      if bytes[index] == UInt8(ascii: "\n") { line += 1 }
      index += 1
    }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: "$") || byte >= 0x80
  }

  /// Reads to the end, or to the parenthesis that closes an interpolation.
  private mutating func readCode(insideParentheses: Bool) {
    var depth = 1
    while index < bytes.count {
      if isNext("//") {
        while index < bytes.count, byte() != UInt8(ascii: "\n") { advance() }
      } else if isNext("/*") {
        skipBlockComment()
      } else if let hashes = stringStart() {
        readString(hashes: hashes)
      } else if SwiftLexer.isWordByte(byte()) {
        let start = index
        while index < bytes.count, SwiftLexer.isWordByte(byte()) { index += 1 }
        tokens.append(Token(text: String(decoding: bytes[start..<index], as: UTF8.self), line: line))
      } else {
        let sign = byte()
        if sign > 0x20, sign != UInt8(ascii: "`") {
          if insideParentheses {
            if sign == UInt8(ascii: "(") { depth += 1 }
            if sign == UInt8(ascii: ")") { depth -= 1 }
            if depth == 0 {
              advance()
              return
            }
          }
          tokens.append(Token(text: String(UnicodeScalar(sign)), line: line))
        }
        advance()
      }
    }
  }

  private mutating func skipBlockComment() {
    var depth = 0
    repeat {
      if isNext("/*") {
        depth += 1
        advance(2)
      } else if isNext("*/") {
        depth -= 1
        advance(2)
      } else {
        advance()
      }
    } while depth > 0 && index < bytes.count
  }

  /// The number of `#` before the quote of a string that begins here.
  private func stringStart() -> Int? {
    var hashes = 0
    while byte(hashes) == UInt8(ascii: "#") { hashes += 1 }
    return byte(hashes) == UInt8(ascii: "\"") ? hashes : nil
  }

  private func isHashes(_ count: Int, ahead: Int) -> Bool {
    (0..<count).allSatisfy { byte(ahead + $0) == UInt8(ascii: "#") }
  }

  private mutating func readString(hashes: Int) {
    tokens.append(Token(text: "\"\"", line: line))
    let isLong = isNext("\"\"\"", ahead: hashes)
    let quotes = isLong ? 3 : 1
    // `""` and `#""#` are empty strings, not the beginning of long ones; three quotes always begin a long one.
    advance(hashes + quotes)
    while index < bytes.count {
      if byte() == UInt8(ascii: "\\"), isHashes(hashes, ahead: 1) {
        if byte(1 + hashes) == UInt8(ascii: "(") {
          advance(2 + hashes)
          readCode(insideParentheses: true)
        } else {
          advance(2 + hashes)
        }
      } else if isLong ? isNext("\"\"\"") : byte() == UInt8(ascii: "\""), isHashes(hashes, ahead: quotes) {
        advance(quotes + hashes)
        return
      } else if !isLong, byte() == UInt8(ascii: "\n") {
        return
      } else {
        advance()
      }
    }
  }
}
