extension TXTRecord {
  /// Data that the text of a record shows; what is longer RFC 6763 §6.2 advises against.
  public static let textBytesMaximum = 1_300

  /// The strings of a TXT record as people read them, with a semicolon and a blank between them.
  ///
  /// A semicolon or a backslash in a string stands behind a backslash; what cannot be shown is a backslash and three
  /// decimal digits a byte, as in the text of a name. Empty strings are left out. Strings beyond the first 1 300 bytes
  /// are not shown, nor is one that is cut: `\+` and the number of bytes stand in their place, last.
  public static func text(of data: [UInt8]) -> String {
    var shown: [String] = []
    var place = 0
    while place < data.count {
      let end = place + 1 + Int(data[place])
      guard end <= min(data.count, textBytesMaximum) else { break }
      if end > place + 1 { shown.append(DNSName.text(of: data[place + 1..<end], escaping: ";\\")) }
      place = end
    }
    if place < data.count { shown.append("\\+\(data.count - place)") }
    return shown.joined(separator: "; ")
  }

  /// The strings that such a text has, each as it stands there: one with a semicolon of its own is one.
  package static func strings(inText text: String) -> [Substring] {
    let bytes = text.utf8
    var strings: [Substring] = []
    var (start, isEscaped) = (bytes.startIndex, false)
    for place in bytes.indices {
      if bytes[place] == UInt8(ascii: ";"), !isEscaped {
        strings.append(text[start..<place])
        start = bytes.index(after: place)
        if start < bytes.endIndex, bytes[start] == UInt8(ascii: " ") { start = bytes.index(after: start) }
      }
      isEscaped = bytes[place] == UInt8(ascii: "\\") && !isEscaped
    }
    return strings + [text[start...]]
  }
}
