import RollcallPrimitives

/// XML, line by line, with text escaped.
public struct XMLText {
  private(set) var text = ""
  private var depth = 0

  mutating func line(_ line: String) { text += String(repeating: "  ", count: depth) + line + "\n" }
  mutating func open(_ name: String, attributes: String = "") {
    line("<\(name)\(attributes)>")
    depth += 1
  }
  mutating func close(_ name: String) {
    depth -= 1
    line("</\(name)>")
  }
  mutating func element(_ name: String, _ value: String, attributes: String = "") {
    line("<\(name)\(attributes)>\(XMLText.escaped(value))</\(name)>")
  }
  /// The beginning of a document of UDA, up to the end of specVersion.
  /// - Parameter configID: `nil` under UDA 1.0, which has none.
  mutating func openDocument(_ root: String, namespace: String, major: Int, minor: Int, configID: UInt32?) {
    line("<?xml version=\"1.0\" encoding=\"utf-8\"?>")
    let config = configID.map { " configId=\"\($0)\"" } ?? ""
    open(root, attributes: " xmlns=\"\(namespace)\"" + config)
    open("specVersion")
    element("major", "\(major)")
    element("minor", "\(minor)")
    close("specVersion")
  }

  /// Nothing for a value that is not there.
  mutating func element(_ name: String, ifPresent value: String?) {
    if let value { element(name, value) }
  }

  /// Text for between two tags or two quotation marks; characters that XML 1.0 cannot hold become `?`, other hidden ones
  /// (`PlainText.isHidden`) stand as their numbers.
  public static func escaped(_ value: String) -> String {
    var text = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "'": text += "&apos;"
      case "\t", "\n", "\r": text += "&#\(scalar.value);"
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": text += "?"
      case _ where PlainText.isHidden(scalar): text += "&#\(scalar.value);"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
