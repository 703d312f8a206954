import RollcallWire

extension FuzzTarget {
  /// A document: strict accepts exactly what the reference does, and tells the same of it; printed plainly it reads as
  /// the same. Lenient tells the same of it without a flaw, and of what strict refuses says the same fault or has it as
  /// its first flaw. Every fault is at a place that is there, whose line and column are those of its offset. With small
  /// limits nothing is larger than they say.
  static let xml = FuzzTarget(name: "xml", dictionary: xmlWords, seeds: xmlSeeds) {
    (bytes: [UInt8]) throws(FuzzFinding) in
    for input in [bytes] + cuts(of: bytes).map({ Array(bytes[..<$0]) }) { try XMLProperties.check(input) }
  }

  static let xmlWords = [
    "<", ">", "</", "/>", "=", "'", "\"", "<a>", "</a>", "<a/>", " b='c'", "&", "&amp;", "&lt;", "&#65;", "&#x1F600;",
    "&nbsp;",
    "&#0;", ";", "<!--", "-->", "--", "<![CDATA[", "]]>", "<?p q?>", "<?", "?>", "<?xml version='1.0'?>",
    "<?xml version=\"1.0\"",
    " encoding='utf-8'", " encoding=\"ISO-8859-1\"", " encoding='windows-1252'", " encoding='us-ascii'",
    " encoding='utf-16'",
    " standalone='yes'", " xmlns='u'", " xmlns:p='u'", " xmlns:q='u'", " xmlns:p=''", "p:", "q:", "xml:", "xmlns:", ":",
    "http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/", "<!DOCTYPE a>", "<!", "\r\n", "\r", "\t",
    " ", "é",
    "中", "😀", "\u{FEFF}", "\u{FFFE}", "-", ".", "1", "\0", "a", "<\0a\0>\0<\0/\0a\0>\0",
  ]

  private static let xmlSeeds: [[UInt8]] =
    [
      "<a b='1' c=\"2\"><d/>x<e>y</e> z</a>", "<?xml version='1.0' encoding='utf-8'?>\n<a>\n <b>1</b>\n</a>\n",
      "<a xmlns='u' xmlns:p='v'><p:b p:c='1' d='2'/><b xmlns=''/></a>", "<a>&lt;&amp;&#65;&#x4e2d;é中😀</a>",
      "<a><!-- c --><?p q?>x<![CDATA[<y>&]]>z</a>", "<!-- c --><?p?><a/><!-- d -->",
      "<a b='&quot;&#9;é\n\t'>x\r\ny\rz</a>",
      "x <a b:c='&'>& &x;</a>y", "<?xml version='1.0' encoding='latin1'?><a>x</a>", "<a></b>", "<!DOCTYPE a><a/>",
      "<p:a xmlns:p='u' p:b='' xmlns:q='u' q:c=''/>",
    ].map { Array($0.utf8) } + [
      [0xFF, 0xFE] + "<a>é😀</a>".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] },
      [0xFE, 0xFF] + "<a>é😀</a>".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] },
      [0xEF, 0xBB, 0xBF] + Array("<a>é</a>".utf8),
      Array("<?xml version='1.0' encoding='windows-1252'?><a>".utf8) + [0x80, 0x81, 0xE9] + Array("</a>".utf8),
    ]
}

/// What holds for every document.
enum XMLProperties {
  struct Outcome: Equatable {
    var pieces: [XMLPiece] = []
    var flaws: [XMLFault] = []
    var flawCount = 0
    var fault: XMLFault?
    /// Where tags were said to be.
    var places: [XMLPlace] = []
    var depth = 0
  }

  private static let endless: XMLReader.Limits = {
    var limits = XMLReader.Limits()
    (limits.depth, limits.elements, limits.attributes, limits.namespaces) = (1 << 20, 1 << 20, 1 << 20, 1 << 20)
    (limits.nameBytes, limits.textBytes, limits.valueBytes) = (1 << 20, 1 << 20, 1 << 20)
    return limits
  }()

  static func check(_ bytes: [UInt8]) throws(FuzzFinding) {
    let strict = read(bytes, .strict, endless)
    let lenient = read(bytes, .lenient, endless)
    let expected = XMLReference.read(bytes)
    try expect(strict.flaws.isEmpty && strict.flawCount == 0, "strict has flaws")
    try checkPlaces(bytes, strict)
    try checkPlaces(bytes, lenient)
    if let fault = strict.fault {
      try expect(expected == nil, "refused, the reference accepts it: \(fault)")
      let isSame = lenient.fault == fault && lenient.flaws.isEmpty
      try expect(
        isSame || lenient.flaws.first == fault || isDeclaredLate(bytes),
        "strict: \(fault), lenient: \(lenient.flaws) \(lenient.fault as Any)")
    } else {
      try expect(strict.pieces == expected, "read as \(strict.pieces), reference: \(expected as Any)")
      try expect(lenient == strict, "lenient makes another document of it")
      try expect(strict.depth == 0, "elements are open at the end")
      let printed = XMLPrinter.print(strict.pieces)
      let again = read(printed, .strict, endless)
      try expect(
        again.fault == nil && again.pieces == strict.pieces,
        "printed, it is another: \(String(decoding: printed, as: UTF8.self))")
    }
    try checkLimits(bytes)
  }

  /// Lenient takes a declaration behind other text at its word, so that it may read another encoding than strict does.
  static func isDeclaredLate(_ bytes: [UInt8]) -> Bool {
    let head = String(decoding: bytes.prefix(1_100), as: UTF8.self)
    return !head.hasPrefix("<?xml") && head.contains("<?xml") && head.contains("encoding")
  }

  private static func checkLimits(_ bytes: [UInt8]) throws(FuzzFinding) {
    var limits = XMLReader.Limits()
    (limits.depth, limits.elements, limits.attributes, limits.namespaces) = (2, 3, 2, 1)
    (limits.nameBytes, limits.textBytes, limits.valueBytes, limits.documentBytes) = (4, 5, 3, 60)
    for mode in XMLMode.allCases {
      let outcome = read(bytes, mode, limits)
      try expect(bytes.count <= 60 || outcome.fault?.reason == .documentTooLong, "a document of \(bytes.count) bytes")
      try checkPlaces(bytes, outcome)
      var (depth, elements) = (0, 0)
      for piece in outcome.pieces {
        switch piece {
        case .start(let name, let attributes):
          (depth, elements) = (depth + 1, elements + 1)
          try expect(depth <= 2 && elements <= 3 && attributes.count <= 2, "more than the limits have")
          try expect(attributes.allSatisfy { size($0.value) <= 3 } && size(name.local) <= 4, "a long name or value")
        case .text(let text): try expect((1...5).contains(size(text)), "text of \(size(text)) bytes")
        case .end: depth -= 1
        }
      }
    }
  }

  private static func size(_ text: [UInt32]) -> Int {
    text.reduce(0) { $0 + ($1 < 0x80 ? 1 : $1 < 0x800 ? 2 : $1 < 0x1_0000 ? 3 : 4) }
  }

  static func read(_ bytes: [UInt8], _ mode: XMLMode, _ limits: XMLReader.Limits) -> Outcome {
    bytes.withUnsafeBytes { bytes in
      XMLReader.withReader(of: bytes, mode: mode, limits: limits) { reader in
        var outcome = Outcome()
        do throws(XMLFault) {
          while let piece = try next(&reader) {
            outcome.pieces.append(piece)
            outcome.places.append(reader.place())
          }
        } catch { outcome.fault = error }
        (outcome.flaws, outcome.flawCount, outcome.depth) = (reader.flaws, reader.flawCount, reader.depth)
        return outcome
      }
    }
  }

  private static func next(_ reader: inout XMLReader) throws(XMLFault) -> XMLPiece? {
    func scalars(_ text: String) -> [UInt32] { text.unicodeScalars.map(\.value) }
    func name(_ name: XMLName) -> XMLPiece.Name {
      XMLPiece.Name(namespace: scalars(name.namespace), local: scalars(name.local))
    }
    switch try reader.next() {
    case .start:
      return .start(name(reader.name), reader.attributes.map { .init(name: name($0.name), value: scalars($0.value)) })
    case .text: return .text(scalars(reader.text))
    case .end: return .end(name(reader.name))
    case .finished: return nil
    }
  }

  private static func checkPlaces(_ bytes: [UInt8], _ outcome: Outcome) throws(FuzzFinding) {
    try expect(outcome.flaws.count == min(outcome.flawCount, XMLReader.flawsMaximum), "flaws are missing")
    let faults = outcome.flaws + (outcome.fault.map { [$0] } ?? [])
    for place in faults.map(\.place) + outcome.places { try checkPlace(place, in: bytes) }
    for fault in faults { try expect(!fault.expected.isEmpty && !fault.found.isEmpty, "a fault without words") }
  }

  static func checkPlace(_ place: XMLPlace, in bytes: [UInt8]) throws(FuzzFinding) {
    try expect((0...bytes.count).contains(place.offset), "byte \(place.offset) of \(bytes.count)")
    let isUnits = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
    let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    // Bytes of other encodings are no UTF-8, or are ASCII.
    guard !isUnits, place.offset >= mark,
      let before = String(validating: bytes[mark..<place.offset], as: UTF8.self)
    else { return }
    if before.unicodeScalars.contains(where: { $0.value >= 0x80 }),
      String(decoding: bytes.prefix(1_100), as: UTF8.self).contains("encoding")
    {
      return
    }
    let scalars = Array(before.unicodeScalars)
    var (line, column) = (1, 1)
    for (index, scalar) in scalars.enumerated() {
      // The CR of a CR LF is a character of its line, also where the place is between the two.
      let hasLineFeed =
        index + 1 < scalars.count ? scalars[index + 1] == "\n" : place.offset < bytes.count && bytes[place.offset] == 10
      let isHalf = scalar == "\r" && hasLineFeed
      if scalar == "\n" || scalar == "\r" && !isHalf { (line, column) = (line + 1, 1) } else { column += 1 }
    }
    try expect((line, column) == (place.line, place.column), "byte \(place.offset) is \(line):\(column), not \(place)")
  }
}

/// Pieces as a document: every element declares what it needs.
enum XMLPrinter {
  static func print(_ pieces: [XMLPiece]) -> [UInt8] {
    var text = ""
    // What the end tags are.
    var open: [String] = []
    for piece in pieces {
      switch piece {
      case .start(let name, let attributes):
        var declarations: [[UInt32]] = []
        let own = written(name, &declarations)
        let others = attributes.map { " \(written($0.name, &declarations))='\(escaped($0.value))'" }
        text += "<" + own + others.joined()
        for (index, namespace) in declarations.enumerated() { text += " xmlns:n\(index)='\(escaped(namespace))'" }
        text += ">"
        open.append(own)
      case .text(let scalars): text += escaped(scalars)
      case .end: text += "</\(open.removeLast())>"
      }
    }
    return Array(text.utf8)
  }

  private static func written(_ name: XMLPiece.Name, _ declarations: inout [[UInt32]]) -> String {
    let local = string(name.local)
    if name.namespace.isEmpty { return local }
    if string(name.namespace) == "http://www.w3.org/XML/1998/namespace" { return "xml:" + local }
    if !declarations.contains(name.namespace) { declarations.append(name.namespace) }
    return "n\(declarations.firstIndex(of: name.namespace) ?? 0):\(local)"
  }

  private static func string(_ scalars: [UInt32]) -> String {
    String(String.UnicodeScalarView(scalars.compactMap(Unicode.Scalar.init)))
  }

  private static func escaped(_ scalars: [UInt32]) -> String {
    scalars.map { $0 > 0x2F && $0 < 0x3A || $0 | 0x20 > 0x60 && $0 | 0x20 < 0x7B ? string([$0]) : "&#\($0);" }.joined()
  }
}
