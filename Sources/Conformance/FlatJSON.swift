/// Reads one flat JSON object of texts and numbers.
package enum FlatJSON {
  /// The fields of one object; `nil` for anything else. A field that comes twice has its last value.
  package static func fields(_ line: Substring) -> [String: String]? {
    var rest = line.unicodeScalars[...]
    var fields: [String: String] = [:]
    func skip() { while let first = rest.first, first == " " || first == "\t" || first == "\r" { rest.removeFirst() } }
    func take(_ scalar: Unicode.Scalar) -> Bool {
      skip()
      guard rest.first == scalar else { return false }
      rest.removeFirst()
      return true
    }
    guard take("{") else { return nil }
    skip()
    if rest.first != "}" {
      repeat {
        skip()
        guard let name = text(&rest), take(":") else { return nil }
        skip()
        if rest.first == "\"" {
          guard let value = text(&rest) else { return nil }
          fields[name] = value
        } else {
          let word = rest.prefix { $0 != "," && $0 != "}" && $0 != " " }
          guard !word.isEmpty else { return nil }
          fields[name] = String(String.UnicodeScalarView(word))
          rest = rest[word.endIndex...]
        }
      } while take(",")
    }
    guard take("}") else { return nil }
    skip()
    return rest.isEmpty ? fields : nil
  }

  private static func text(_ rest: inout Substring.UnicodeScalarView) -> String? {
    guard rest.popFirst() == "\"" else { return nil }
    var text = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      if scalar == "\"" { return String(text) }
      if scalar != "\\" {
        text.append(scalar)
        continue
      }
      switch rest.popFirst() {
      case "n": text.append("\n")
      case "r": text.append("\r")
      case "t": text.append("\t")
      case "b": text.append("\u{8}")
      case "f": text.append("\u{C}")
      case "u":
        guard let unit = codeUnit(&rest), let whole = wholeScalar(unit, &rest) else { return nil }
        text.append(whole)
      case .some(let other) where "\"\\/".unicodeScalars.contains(other): text.append(other)
      default: return nil
      }
    }
    return nil
  }

  /// The four digits behind `\u`.
  private static func codeUnit(_ rest: inout Substring.UnicodeScalarView) -> UInt32? {
    let digits = rest.prefix(4)
    guard digits.count == 4, digits.allSatisfy(\.properties.isASCIIHexDigit) else { return nil }
    rest = rest[digits.endIndex...]
    return UInt32(String(digits), radix: 16)
  }

  /// The scalar that a code unit is, or begins: above U+FFFF it takes two, each behind a `\u` of its own (RFC 8259 §7).
  private static func wholeScalar(_ first: UInt32, _ rest: inout Substring.UnicodeScalarView) -> Unicode.Scalar? {
    guard (0xD800..<0xDC00).contains(first) else { return Unicode.Scalar(first) }
    guard rest.popFirst() == "\\", rest.popFirst() == "u", let second = codeUnit(&rest),
      (0xDC00..<0xE000).contains(second)
    else { return nil }
    return Unicode.Scalar(0x1_0000 + (first - 0xD800) << 10 + (second - 0xDC00))
  }
}
