import RollcallPrimitives

extension DNSName: CustomStringConvertible, LosslessStringConvertible {
  /// Labels with dots between them, without a dot at the end; the root is a dot.
  ///
  /// A dot or a backslash in a label stands behind a backslash (RFC 6763 §4.3). A byte that cannot be shown is a
  /// backslash and three decimal digits (RFC 1035 §5.1): bytes that are no UTF-8, control characters, and what hides
  /// in text.
  public var description: String {
    if isRoot { return "." }
    var text = ""
    for label in labels {
      if !text.isEmpty { text += "." }
      text += DNSName.text(of: label)
    }
    return text
  }

  /// One label as it stands in the text of a name.
  ///
  /// - Parameter special: characters that stand behind a backslash.
  public static func text(of label: some Collection<UInt8>, escaping special: String = ".\\") -> String {
    let special = special.unicodeScalars
    guard let shown = String(validating: label, as: UTF8.self) else {
      return label.map { (0x20...0x7E).contains($0) ? escaped(Unicode.Scalar($0), special) : digits($0) }.joined()
    }
    return shown.unicodeScalars.map { escaped($0, special) }.joined()
  }

  private static func escaped(_ scalar: Unicode.Scalar, _ special: String.UnicodeScalarView) -> String {
    if special.contains(scalar) { return "\\" + String(scalar) }
    let isShown = scalar.value >= 0x20 && scalar.value != 0x7F && !PlainText.isHidden(scalar)
    return isShown ? String(scalar) : UTF8.encode(scalar)!.map(digits).joined()
  }

  /// A backslash and three decimal digits.
  private static func digits(_ byte: UInt8) -> String { "\\" + String(1_000 + Int(byte)).dropFirst() }

  /// Reads the text of a name, with or without a dot at the end.
  ///
  /// `nil` for an empty text, an empty label, a label or a name that is too long, a backslash at the end, and a
  /// backslash before digits that are not three or are above 255.
  public init?(_ text: String) {
    if text == "." {
      self = .root
      return
    }
    var labels: [[UInt8]] = []
    var label: [UInt8] = []
    var bytes = Array(text.utf8)[...]
    let (dot, backslash) = (UInt8(ascii: "."), UInt8(ascii: "\\"))
    while let byte = bytes.popFirst() {
      switch byte {
      case dot:
        labels.append(label)
        label = []
      case backslash:
        guard let next = bytes.first else { return nil }
        guard (48...57).contains(next) else {
          label.append(next)
          bytes.removeFirst()
          continue
        }
        let number = bytes.prefix(3)
        guard number.count == 3, number.allSatisfy({ (48...57).contains($0) }) else { return nil }
        guard let value = UInt8(exactly: number.reduce(0) { $0 * 10 + Int($1) - 48 }) else { return nil }
        label.append(value)
        bytes.removeFirst(3)
      default: label.append(byte)
      }
      guard label.count <= DNSName.labelBytesMaximum, labels.count < 128 else { return nil }
    }
    if !label.isEmpty || labels.isEmpty { labels.append(label) }
    self.init(labels: labels)
  }
}
