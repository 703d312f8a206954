import RollcallPrimitives

extension Tree {
  /// The tree as YAML: block style, with short lists and mappings of scalars on one line.
  package var yaml: String {
    var text = ""
    write(into: &text, indent: 0, inList: false)
    return text
  }

  /// The tree on one line, as YAML's flow style: the name of a sweep's value.
  package var flow: String {
    switch content {
    case .nothing: ""
    case .scalar(let text): Tree.quoted(text)
    case .list(let items): "[" + items.map(\.flow).joined(separator: ", ") + "]"
    case .mapping(let entries):
      "{" + entries.map { Tree.quoted($0.key) + ": " + $0.value.flow }.joined(separator: ", ") + "}"
    }
  }

  private func write(into text: inout String, indent: Int, inList: Bool) {
    let margin = String(repeating: " ", count: indent)
    switch content {
    case .mapping(let entries) where !entries.isEmpty:
      for (number, entry) in entries.enumerated() {
        // The first key of a list's item stands behind the dash.
        text += (inList && number == 0 ? "" : margin) + Tree.quoted(entry.key) + ":"
        entry.value.writeValue(into: &text, indent: indent + 2, used: indent + entry.key.utf8.count + 2)
      }
    case .list(let items) where !items.isEmpty:
      for (number, item) in items.enumerated() {
        text += (inList && number == 0 ? "" : margin) + "- "
        let flow = item.flow
        if item.isFlat, indent + 2 + flow.utf8.count <= Tree.lineMaximum {
          text += flow + "\n"
        } else if let wrapped = item.wrapped(indent: indent + 2, used: indent + 2) {
          text += wrapped + "\n"
        } else {
          item.write(into: &text, indent: indent + 2, inList: true)
        }
      }
    default: text += flow + "\n"
    }
  }

  private func writeValue(into text: inout String, indent: Int, used: Int) {
    let flow = flow
    if items == nil && entries == nil || isFlat && used + flow.utf8.count <= Tree.lineMaximum {
      text += (flow.isEmpty ? "" : " ") + flow + "\n"
    } else if let wrapped = wrapped(indent: indent, used: used + 1) {
      text += " " + wrapped + "\n"
    } else {
      text += "\n"
      write(into: &text, indent: indent, inList: false)
    }
  }

  private static let lineMaximum = 112

  /// A long list of short words in flow style, on as many lines as it takes; `nil` for anything else.
  private func wrapped(indent: Int, used: Int) -> String? {
    guard let items, items.count >= 8, items.allSatisfy({ $0.text.map { $0.utf8.count <= 20 } ?? false }) else {
      return nil
    }
    var text = "["
    var column = used + 1
    for (number, item) in items.enumerated() {
      let word = item.flow + (number + 1 < items.count ? "," : "]")
      if number > 0 {
        if column + 1 + word.utf8.count > Tree.lineMaximum {
          text += "\n" + String(repeating: " ", count: indent + 2)
          column = indent + 2
        } else {
          text += " "
          column += 1
        }
      }
      text += word
      column += word.utf8.count
    }
    return text
  }

  /// Whether it reads well on one line: a scalar, or a collection of scalars and of flat collections, two deep.
  private var isFlat: Bool { depth <= 2 }
  private var depth: Int {
    switch content {
    case .nothing, .scalar: 0
    case .list(let items): 1 + (items.map(\.depth).max() ?? 0)
    case .mapping(let entries): 1 + (entries.map(\.value.depth).max() ?? 0)
    }
  }

  /// The text as it is where YAML reads it back unchanged, else between double quotes with escapes.
  static func quoted(_ text: String) -> String {
    if isPlain(text) { return text }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x22: quoted += "\\\""
      case 0x5C: quoted += "\\\\"
      case 0x09: quoted += "\\t"
      case 0x0A: quoted += "\\n"
      case 0x0D: quoted += "\\r"
      case 0x00...0x1F, 0x7F...0x9F: quoted += "\\x" + PlainText.padded(scalar.value, 2)
      case 0xA0: quoted += "\\u00a0"
      case _ where PlainText.isHidden(scalar):
        quoted +=
          scalar.value > 0xFFFF ? "\\U" + PlainText.padded(scalar.value, 8) : "\\u" + PlainText.padded(scalar.value, 4)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// Words of letters, digits and a few marks, single blanks between them; never what a YAML reader could take for an
  /// indicator, a comment or the end of a flow collection.
  private static func isPlain(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard let first = bytes.first, let last = bytes.last, isWord(first) || first == 0x2F else { return false }
    if last == 0x3A || last == 0x20 { return false }
    // Other readers of YAML take these words for something else.
    if ["yes", "no", "on", "off", "y", "n", "null"].contains(text.lowercased()) { return false }
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case _ where isWord(byte): break
      case 0x25, 0x28, 0x29, 0x2B, 0x2D, 0x2E, 0x2F, 0x3B, 0x3D, 0x5F: break  // % ( ) + - . / ; = _
      // The last is neither, so there is a next.
      case 0x3A, 0x20: if bytes[index + 1] == 0x20 { return false }
      default: return false
      }
    }
    return true
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}
