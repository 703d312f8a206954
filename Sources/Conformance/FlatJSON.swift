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
      case "u":
        let digits = rest.prefix(4)
        guard digits.count == 4, digits.allSatisfy(\.properties.isASCIIHexDigit),
          let value = UInt32(String(digits), radix: 16), let scalar = Unicode.Scalar(value)
        else { return nil }
        text.append(scalar)
        rest = rest[digits.endIndex...]
      case .some(let other) where "\"\\/".unicodeScalars.contains(other): text.append(other)
      default: return nil
      }
    }
    return nil
  }
}
