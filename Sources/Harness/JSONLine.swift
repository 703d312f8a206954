/// One compact JSON object, written field by field in the order in which they are added.
///
/// No space after `:` or `,`; text is escaped as JSON asks, and everything above ASCII stays as UTF-8.
package struct JSONLine {
  private(set) var text = "{"

  package init() {}

  /// Starts a line of the schema that all verbs share.
  package init(kind: String) {
    add("schema", "rollcall/1")
    add("kind", kind)
  }

  package mutating func add(_ key: String, _ value: String) {
    name(key)
    JSONLine.append(value, to: &text)
  }
  package mutating func add(_ key: String, _ value: Int) {
    name(key)
    text += String(value)
  }
  package mutating func add(_ key: String, _ value: UInt64) {
    name(key)
    text += String(value)
  }
  package mutating func add(_ key: String, _ value: Bool) {
    name(key)
    text += value ? "true" : "false"
  }
  package mutating func addNull(_ key: String) {
    name(key)
    text += "null"
  }
  package mutating func add(_ key: String, _ value: Int?) {
    if let value { add(key, value) } else { addNull(key) }
  }
  /// Adds text that is JSON already.
  package mutating func add(_ key: String, raw: String) {
    name(key)
    text += raw
  }
  package mutating func add(_ key: String, _ values: [String]) {
    add(key, raw: "[" + values.map(JSONLine.quoted).joined(separator: ",") + "]")
  }
  package mutating func add(_ key: String, object: [(String, Int)]) {
    add(key, raw: "{" + object.map { JSONLine.quoted($0.0) + ":" + String($0.1) }.joined(separator: ",") + "}")
  }
  package mutating func add(_ key: String, object: [(String, String)]) {
    add(key, raw: "{" + object.map { JSONLine.quoted($0.0) + ":" + JSONLine.quoted($0.1) }.joined(separator: ",") + "}")
  }

  /// The object, closed.
  package var closed: String { text + "}" }

  private mutating func name(_ key: String) {
    if text.utf8.count > 1 { text += "," }
    JSONLine.append(key, to: &text)
    text += ":"
  }

  package static func quoted(_ value: String) -> String {
    var text = ""
    append(value, to: &text)
    return text
  }

  private static func append(_ value: String, to text: inout String) {
    text += "\""
    if value.utf8.allSatisfy({ $0 >= 32 && $0 != 34 && $0 != 92 }) {
      text += value
    } else {
      for scalar in value.unicodeScalars {
        switch scalar.value {
        case 34: text += "\\\""
        case 92: text += "\\\\"
        case 10: text += "\\n"
        case 13: text += "\\r"
        case 9: text += "\\t"
        case 0..<32:
          let digits = String(scalar.value, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        default: text.unicodeScalars.append(scalar)
        }
      }
    }
    text += "\""
  }
}
