import RollcallExpectations
import RollcallWire
import Testing

@Suite("What stands around the root of an XML document, and its encoding") struct XMLDocumentTests {
  private static let plain = ["+a", "-a"]

  @Test("a declaration has a version, an encoding that is known, and whether it stands alone; in this order")
  func declarations() {
    for good in [
      "version='1.0'", "version = \"1.0\" ", "version='1.1'", "version='1.0' encoding='utf-8'",
      "version='1.0' encoding='UTF-8' standalone='yes'", "version='1.0' standalone='no'",
      "version='1.0'\nencoding='UTF8'",
    ] {
      expectEqual(XMLOutline("<?xml \(good)?><a/>"), XMLOutline(events: Self.plain), "\(good)")
      expectEqual(XMLOutline("\u{FEFF}<?xml \(good)?><a/>", .lenient), XMLOutline(events: Self.plain), "\(good)")
    }
    for (bad, fault) in [
      ("", "declaration 6 1:7"), ("encoding='utf-8'", "declaration 6 1:7"), ("version='2.0'", "declaration 15 1:16"),
      ("version='1.'", "declaration 15 1:16"), ("version='1.a'", "declaration 15 1:16"),
      ("version=1.0", "declaration 14 1:15"), ("version '1.0'", "declaration 14 1:15"),
      ("version='1.0\" standalone='yes'", "declaration 18 1:19"),
      ("version='1.0'encoding='utf-8'", "declaration 19 1:20"),
      ("version='1.0' encoding='x-y'", "encoding 30 1:31"), ("version='1.0' encoding=''", "encoding 30 1:31"),
      ("version='1.0' encoding='utf-16'", "encodingConflict 30 1:31"),
      ("version='1.0' encoding='UTF-16LE'", "encodingConflict 30 1:31"),
      ("version='1.0' encoding='utf-16be'", "encodingConflict 30 1:31"),
      ("version='1.0' standalone='maybe'", "declaration 32 1:33"),
      ("version='1.0' standalone='yes' encoding='utf-8'", "declaration 37 1:38"),
      ("version='1.0' ", "declaration 20 1:21"),
    ] {
      let end = bad == "version='1.0' " ? ">" : "?>"
      expectEqual(XMLOutline.fault("<?xml \(bad)\(end)<a/>"), fault, "\(bad)")
    }
    for cut in [
      "<?xml ", "<?xml v", "<?xml version", "<?xml version=", "<?xml version='", "<?xml version='1.0",
      "<?xml version='1.0'", "<?xml version='1.0' ?",
    ] {
      #expect(
        XMLOutline.fault(cut).map { $0.hasPrefix("cutShort \(cut.utf8.count) ") || $0.hasPrefix("declaration 6 ") }
          == true, "\(cut)")
    }
    expectEqual(XMLOutline.fault("<?xml?><a/>"), "declaration 5 1:6")
    expectEqual(XMLOutline.fault("<?xml"), "declarationPlace 0 1:1")
  }

  @Test("text before the root and whatever is behind it is refused by strict, and one flaw each for lenient")
  func outside() {
    for (document, flaws) in [
      ("x<a/>", ["textOutsideRoot 0 1:1"]), ("\n\u{1}é<a/>", ["character 1 2:1"]),
      (" <?xml version='1.0'?><a/>", ["declarationPlace 1 1:2"]),
      ("x <?xml version='1.0'?>y<a/>", ["textOutsideRoot 0 1:1", "declarationPlace 2 1:3", "textOutsideRoot 23 1:24"]),
      ("<a/>x", ["textOutsideRoot 4 1:5"]), ("<a/>\n\u{1}", ["character 5 2:1"]),
      ("<a/>&amp;", ["textOutsideRoot 4 1:5"]),
      ("<a/><b/>", ["secondRoot 4 1:5"]), ("<a/></a>", ["mismatchedTag 4 1:5"]), ("<a/><!-- ", ["cutShort 9 1:10"]),
      ("<a/><", ["cutShort 5 1:6"]), ("<a/><?xml version='1.0'?>", ["declarationPlace 4 1:5"]),
      ("<a/><!DOCTYPE a>", ["doctype 4 1:5"]), ("<a/><![CDATA[]]>", ["markup 4 1:5"]),
      ("x<a/>y<b></c>", ["textOutsideRoot 0 1:1", "textOutsideRoot 5 1:6"]),
    ] {
      expectEqual(XMLOutline(document, .lenient), XMLOutline(events: Self.plain, flaws: flaws), "\(document)")
      let strict = XMLOutline(document).fault
      expectEqual(strict, flaws[0], "\(document)")
    }
    for document in [" <a/>", "<a/>\r\n\t ", "<!----> <a/> <!---->", "<?p?><a/><?p?>"] {
      for mode in XMLMode.allCases {
        expectEqual(XMLOutline(document, mode), XMLOutline(events: Self.plain), "\(document)")
      }
    }
    for (document, fault) in [
      ("", "noRoot 0 1:1"), ("  ", "noRoot 2 1:3"), ("<!---->", "noRoot 7 1:8"),
      ("<?xml version='1.0'?>", "noRoot 21 1:22"),
      ("<!DOCTYPE a><a/>", "doctype 0 1:1"), ("<!DOC", "cutShort 5 1:6"), ("<!doctype a><a/>", "markup 0 1:1"),
    ] {
      expectEqual(XMLOutline.fault(document), fault, "\(document)")
    }
    expectEqual(XMLOutline("status=ok"), XMLOutline(fault: "textOutsideRoot 0 1:1"))
    expectEqual(XMLOutline("status=ok", .lenient), XMLOutline(flaws: ["textOutsideRoot 0 1:1"], fault: "noRoot 9 1:10"))
    expectEqual(
      XMLOutline("<?xml version='1.0'?> <?xml version='1.0'?><a/>", .lenient).fault, "declarationPlace 22 1:23")
  }

  @Test("an ampersand that begins no reference is text for lenient, and so is a reference to an unknown entity")
  func ampersands() {
    for (text, flaws) in [
      ("a & b", ["ampersand 5 1:6"]), ("?a=1&b=2&amp;c", ["ampersand 7 1:8"]),
      ("&&", ["ampersand 3 1:4", "ampersand 4 1:5"]),
      ("&nbsp;", ["entity 3 1:4"]), ("&LT;", ["entity 3 1:4"]), ("&1;", ["ampersand 3 1:4"]),
      ("&;", ["ampersand 3 1:4"]),
      ("&-;&.;", ["ampersand 3 1:4", "ampersand 6 1:7"]), ("&é;", ["ampersand 3 1:4"]),
    ] {
      let read = text.split(separator: "&amp;", omittingEmptySubsequences: false).joined(separator: "&")
      expectEqual(
        XMLOutline("<a>\(text)</a>", .lenient), XMLOutline(events: ["+a", "'" + read, "-a"], flaws: flaws), "\(text)")
      expectEqual(XMLOutline("<a>\(text)</a>"), XMLOutline(events: ["+a"], fault: flaws[0]), "\(text)")
      expectEqual(XMLOutline("<a b='\(text)'/>", .lenient).events, ["+a b=" + read, "-a"], "\(text)")
    }
    expectEqual(XMLOutline("<a>&am"), XMLOutline(events: ["+a"], fault: "cutShort 6 1:7"))
    expectEqual(
      XMLOutline("<a>&am", .lenient), XMLOutline(events: ["+a"], fault: "cutShort 6 1:7"))
  }

  @Test("sixty-four flaws are kept, and all are counted")
  func flawCount() {
    for (count, kept) in [(63, 63), (64, 64), (65, 64), (200, 64)] {
      let document = Array("<a>\(String(repeating: "&", count: count))</a>x".utf8)
      let found = document.withUnsafeBytes { bytes in
        XMLReader.withReader(of: bytes, mode: .lenient) { reader in
          while let event = try? reader.next(), event != .finished {}
          return [reader.flaws.count, reader.flawCount]
        }
      }
      expectEqual(found, [min(64, kept + 1), count + 1])
    }
  }

  // MARK: Encodings

  private static func utf16(_ text: String, isBig: Bool) -> [UInt8] {
    text.utf16.flatMap { isBig ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)] }
  }

  @Test("a mark decides the encoding: UTF-8 and both orders of UTF-16, whose places are those of the document")
  func marks() {
    let text = "<?xml version='1.0' encoding='UTF-16'?>\n<é a='😀'>中 &#233;</é>"
    let outline = XMLOutline(events: ["+é a=😀", "'中 é", "-é"])
    for isBig in [false, true] {
      let mark: [UInt8] = isBig ? [0xFE, 0xFF] : [0xFF, 0xFE]
      expectEqual(XMLOutline(mark + Self.utf16(text, isBig: isBig)), outline)
      let name = isBig ? "UTF-16BE" : "UTF-16LE"
      let own = "<?xml version='1.0' encoding='\(name)'?><a/>"
      expectEqual(XMLOutline(mark + Self.utf16(own, isBig: isBig)), XMLOutline(events: Self.plain))
      expectEqual(
        XMLOutline(mark + Self.utf16(own, isBig: !isBig)).fault?.split(separator: " ").first, "textOutsideRoot")
      let other: [UInt8] = isBig ? [0xFF, 0xFE] : [0xFE, 0xFF]
      expectEqual(XMLOutline(other + Self.utf16(own, isBig: !isBig)).fault, "encodingConflict 62 1:31")
      for name in ["utf-8", "iso-8859-1"] {
        let wrong = "<?xml version='1.0' encoding='\(name)'?><a/>"
        expectEqual(XMLOutline(mark + Self.utf16(wrong, isBig: isBig)).fault, "encodingConflict 62 1:31")
      }
      expectEqual(XMLOutline(mark + Self.utf16("<é>😀\n中</b>", isBig: isBig)).fault, "mismatchedTag 16 2:2")
      // Half a unit, halves of pairs.
      let start = mark + Self.utf16("<a>é", isBig: isBig)
      expectEqual(XMLOutline(start + [0]).fault, "badBytes 10 1:5")
      for unit in [0xD800, 0xDBFF, 0xDC00, 0xDFFF] as [UInt16] {
        let bytes = isBig ? [UInt8(unit >> 8), UInt8(unit & 255)] : [UInt8(unit & 255), UInt8(unit >> 8)]
        expectEqual(XMLOutline(start + bytes).fault, "badBytes 10 1:5")
        expectEqual(XMLOutline(start + bytes + bytes + Self.utf16("</a>", isBig: isBig)).fault, "badBytes 10 1:5")
      }
      expectEqual(XMLOutline(mark + [0]).fault, "badBytes 2 1:1")
      let behind = mark + Self.utf16("<a/>", isBig: isBig) + [0]
      expectEqual(XMLOutline(behind).fault, "badBytes 10 1:5")
      expectEqual(XMLOutline(behind, .lenient), XMLOutline(events: Self.plain, flaws: ["badBytes 10 1:5"]))
    }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    expectEqual(XMLOutline(mark + Array("<é>x</b>".utf8)).fault, "mismatchedTag 8 1:5")
    expectEqual(
      XMLOutline(mark + Array("<?xml version='1.0' encoding='latin1'?><a/>".utf8)).fault, "encodingConflict 33 1:31")
    expectEqual(XMLOutline(Self.utf16("<a/>", isBig: false)).fault, "name 1 1:2")
    expectEqual(XMLOutline(Self.utf16("<a/>", isBig: true)).fault, "character 0 1:1")
  }

  @Test("without a mark the declaration decides: UTF-8, ISO-8859-1, windows-1252, US-ASCII")
  func named() {
    func outline(_ encoding: String, _ bytes: [UInt8], _ mode: XMLMode = .strict, before: String = "") -> XMLOutline {
      XMLOutline(
        Array("\(before)<?xml version='1.0' encoding='\(encoding)'?><a>".utf8) + bytes + Array("</a>".utf8), mode)
    }
    func text(_ text: String) -> XMLOutline { XMLOutline(events: ["+a", "'" + text, "-a"]) }
    for name in ["ISO-8859-1", "iso-8859-1", "latin1"] {
      expectEqual(outline(name, [0xE9, 0x80, 0x9F, 0xA0, 0xFF]), text("é\u{80}\u{9F}\u{A0}ÿ"))
    }
    for name in ["windows-1252", "Windows-1252", "CP1252"] {
      expectEqual(outline(name, [0xE9, 0x80, 0x9F, 0x81, 0xA0, 0xFF]), text("é€Ÿ\u{81}\u{A0}ÿ"))
    }
    for name in ["US-ASCII", "ascii"] {
      expectEqual(outline(name, [0x7E, 0x7F]), text("~\u{7F}"))
      expectEqual(outline(name, [0x7F, 0x80]).fault?.split(separator: " ").first, "badBytes")
    }
    expectEqual(outline("utf-8", Array("é".utf8)), text("é"))
    expectEqual(outline("utf-8", [0xE9]).fault, "badBytes 41 1:42")
    // An instruction whose name begins so is no declaration, and names nothing.
    let instruction = Array("<?xml-x encoding='latin1'?><a>".utf8) + [0xE9]
    expectEqual(XMLOutline(instruction).fault, "badBytes 30 1:31")
    // Behind blanks it is no declaration for strict; lenient takes it at its word.
    expectEqual(outline("latin1", [0xE9], .lenient, before: "\n").events, ["+a", "'é", "-a"])
    let late = Array("<?xml version='1.0' encoding='latin1'?><a>é</b>".utf8).flatMap { $0 == 0xC3 ? [] : [$0] }
    expectEqual(XMLOutline(late).fault, "mismatchedTag 43 1:44")
  }

  @Test("UTF-8 is checked: no byte missing, none too many, no surrogate, nothing longer than it has to be")
  func utf8() {
    for bad in [
      [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
      [0xE4, 0xB8], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
    ] as [[UInt8]] {
      for document in [
        ("<a>", "</a>"), ("<a b='", "'/>"), ("<a><!--", "--></a>"), ("<a><?p ", "?></a>"), ("<a><![CDATA[", "]]></a>"),
        ("<a><b", "/></a>"),
      ] {
        let offset = document.0.utf8.count
        let bytes = Array(document.0.utf8) + bad + Array(document.1.utf8)
        expectEqual(XMLOutline(bytes).fault, "badBytes \(offset) 1:\(offset + 1)", "\(bad) \(document)")
      }
    }
    for good in ["\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFD}", "\u{10000}", "\u{10FFFF}"] {
      for document in ["<a>\(good)</a>", "<a b='\(good)'/>", "<a><!--\(good)--></a>", "<a><![CDATA[\(good)]]></a>"] {
        expectEqual(XMLOutline(document).fault, nil)
      }
    }
  }
}
