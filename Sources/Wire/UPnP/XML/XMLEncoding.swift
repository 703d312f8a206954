/// In which encoding a document is, by one rule, and the document in UTF-8.
///
/// 1. A byte order mark decides: UTF-8, UTF-16 little-endian, UTF-16 big-endian.
/// 2. Without one, the encoding that the XML declaration names decides: UTF-8, ISO-8859-1, windows-1252 or US-ASCII, in
///    letters of any case (`utf8`, `latin1`, `cp1252` and `ascii` are other names of these).
/// 3. Without both, it is UTF-8.
///
/// A declaration that names anything else is refused (`encoding`), and one that names another encoding than the mark
/// shows, or UTF-16 without its mark, too (`encodingConflict`). `UTF-16` names both byte orders, `UTF-16LE` and
/// `UTF-16BE` one. What is not UTF-8 is converted before it is read; UTF-8 is read where it lies.
enum XMLEncoding: Hashable {
  case utf8, utf16Little, utf16Big, latin1, windows1252, ascii

  /// Whether a declaration in a document of this encoding may name it so; `nil`: nobody may, the name is not known.
  func isNamed(_ name: String) -> Bool? {
    switch name.lowercased() {
    case "utf-8", "utf8": self == .utf8
    case "utf-16": self == .utf16Little || self == .utf16Big
    case "utf-16le": self == .utf16Little
    case "utf-16be": self == .utf16Big
    default: XMLEncoding(narrow: name).map { self == $0 }
    }
  }

  /// One byte a character.
  private init?(narrow name: String) {
    switch name.lowercased() {
    case "iso-8859-1", "latin1": self = .latin1
    case "windows-1252", "cp1252": self = .windows1252
    case "us-ascii", "ascii": self = .ascii
    default: return nil
    }
  }

  /// The encoding of a document, and the bytes of its mark.
  static func detect(_ bytes: UnsafeBufferPointer<UInt8>, mode: XMLMode) -> (encoding: XMLEncoding, markBytes: Int) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
    if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16Little, 2) }
    if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16Big, 2) }
    return (declaredName(bytes, mode).flatMap { XMLEncoding(narrow: $0) } ?? .utf8, 0)
  }

  /// What stands in quotation marks behind `encoding` in the declaration, which has to be short. The reader looks at the
  /// form of the declaration later, and compares the name again.
  private static func declaredName(_ bytes: UnsafeBufferPointer<UInt8>, _ mode: XMLMode) -> String? {
    var head = bytes[..<min(bytes.count, 1_024)]
    if mode == .lenient {
      guard let start = head.firstIndex(of: UInt8(ascii: "<")) else { return nil }
      head = head[start...]
    }
    guard head.starts(with: "<?xml".utf8), head.dropFirst(5).first.map(XMLCharacters.isBlank) ?? false,
      let end = head.firstIndex(of: UInt8(ascii: ">"))
    else { return nil }
    let word = Array("encoding".utf8)
    var rest = head[..<end]
    while rest.count > word.count, !rest.starts(with: word) { rest = rest.dropFirst() }
    rest = rest.dropFirst(word.count).drop { XMLCharacters.isBlank($0) || $0 == UInt8(ascii: "=") }
    guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
    return String(decoding: rest.dropFirst().prefix { $0 != quote }, as: UTF8.self)
  }

  /// The characters of a document as UTF-8, up to the first bytes that are none; whether there were such bytes.
  func converted(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> (utf8: [UInt8], isBroken: Bool) {
    var utf8: [UInt8] = []
    utf8.reserveCapacity(bytes.count + bytes.count / 2)
    switch self {
    case .utf8: return (Array(bytes), false)
    case .utf16Little, .utf16Big:
      var place = bytes.startIndex
      func unit(_ place: Int) -> UInt32? {
        guard place &+ 2 <= bytes.endIndex else { return nil }
        let (first, second) = (UInt32(bytes[place]), UInt32(bytes[place &+ 1]))
        return self == .utf16Little ? first | second &<< 8 : first &<< 8 | second
      }
      while place < bytes.endIndex {
        guard let first = unit(place), !(0xDC00...0xDFFF).contains(first) else { return (utf8, true) }
        if (0xD800...0xDBFF).contains(first) {
          guard let second = unit(place &+ 2), (0xDC00...0xDFFF).contains(second) else { return (utf8, true) }
          XMLCharacters.append(0x1_0000 &+ (first & 0x3FF) &<< 10 &+ second & 0x3FF, to: &utf8)
          place &+= 4
        } else {
          XMLCharacters.append(first, to: &utf8)
          place &+= 2
        }
      }
      return (utf8, false)
    case .latin1, .windows1252, .ascii:
      for byte in bytes {
        if byte < 0x80 {
          utf8.append(byte)
        } else if self == .ascii {
          return (utf8, true)
        } else {
          XMLCharacters.append(self == .windows1252 ? XMLEncoding.character1252(byte) : UInt32(byte), to: &utf8)
        }
      }
      return (utf8, false)
    }
  }

  /// How many bytes of the document a character of its UTF-8 has been, from the first byte of that; 0 for a later byte.
  func originalBytes(_ utf8: UInt8) -> Int {
    switch self {
    case .utf8: 1
    case .utf16Little, .utf16Big: utf8 >= 0xF0 ? 4 : utf8 & 0xC0 == 0x80 ? 0 : 2
    case .latin1, .windows1252, .ascii: utf8 & 0xC0 == 0x80 ? 0 : 1
    }
  }

  /// Five bytes of 0x80 to 0x9F are not assigned; they are the controls that they are in ISO-8859-1.
  private static func character1252(_ byte: UInt8) -> UInt32 {
    let table: [UInt16] = [
      0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
      0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
      0x0153, 0x9D, 0x017E, 0x0178,
    ]
    return (0x80...0x9F).contains(byte) ? UInt32(table[Int(byte) - 0x80]) : UInt32(byte)
  }
}
