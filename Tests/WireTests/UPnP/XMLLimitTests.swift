import RollcallExpectations
import RollcallWire
import Testing

@Suite("Limits of the XML reader") struct XMLLimitTests {
  /// A document of a size, a limit, and what refuses the document of one more.
  private func limit(
    _ reason: String, set: (inout XMLReader.Limits) -> Void, at offset: Int, _ document: (Int) -> String,
    location: SourceLocation = #_sourceLocation
  ) {
    var limits = XMLReader.Limits()
    set(&limits)
    for mode in XMLMode.allCases {
      expectEqual(XMLOutline(document(4), mode, limits).fault, nil, "at the limit", sourceLocation: location)
      let fault = XMLOutline(document(5), mode, limits).fault
      expectEqual(fault, "\(reason) \(offset) 1:\(offset + 1)", "above the limit", sourceLocation: location)
    }
  }
  private func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }

  @Test("each limit lets as much pass as it says, and one more is refused")
  func each() {
    limit("tooDeep", set: { $0.depth = 4 }, at: 12) { times($0, "<a>") + times($0, "</a>") }
    limit("tooDeep", set: { $0.depth = 4 }, at: 12) { times($0 - 1, "<a>") + "<a/><a/>" + times($0 - 1, "</a>") }
    limit("tooManyElements", set: { $0.elements = 4 }, at: 15) { "<a>" + times($0 - 1, "<a/>") + "</a>" }
    limit("tooManyAttributes", set: { $0.attributes = 4 }, at: 27) { count in
      "<a" + (1...count).map { " b\($0)=''" }.joined() + "/>"
    }
    limit("tooManyNamespaces", set: { $0.namespaces = 4 }, at: 55) { count in
      "<a" + (1...count).map { " xmlns:b\($0)='u'" }.joined() + "/>"
    }
    limit("nameTooLong", set: { $0.nameBytes = 4 }, at: 1) { "<" + times($0, "a") + "/>" }
    limit("nameTooLong", set: { $0.nameBytes = 4 }, at: 3) { "<a " + times($0, "b") + "=''/>" }
    limit("nameTooLong", set: { $0.nameBytes = 7 }, at: 1) { "<p:" + times($0 + 1, "a") + " xmlns:p='u'/>" }
    limit("textTooLong", set: { $0.textBytes = 4 }, at: 3) { "<a>" + times($0, "x") + "</a>" }
    limit("textTooLong", set: { $0.textBytes = 4 }, at: 3) { "<a>" + times($0, "&amp;") + "</a>" }
    limit("textTooLong", set: { $0.textBytes = 4 }, at: 3) { "<a>" + times($0, "<![CDATA[x]]>") + "</a>" }
    limit("textTooLong", set: { $0.textBytes = 4 }, at: 3) { "<a><![CDATA[" + times($0, "x") + "]]></a>" }
    limit("textTooLong", set: { $0.textBytes = 4 }, at: 3) { "<a>" + times($0, "x<!-- y -->") + "</a>" }
    limit("textTooLong", set: { $0.textBytes = 4 }, at: 3) { "<a>" + times($0, "\r\n") + "</a>" }
    limit("valueTooLong", set: { $0.valueBytes = 4 }, at: 6) { "<a b='" + times($0, "x") + "'/>" }
    limit("valueTooLong", set: { $0.valueBytes = 4 }, at: 6) { "<a b='" + times($0, "&amp;") + "'/>" }
    limit("documentTooLong", set: { $0.documentBytes = 8 }, at: 8) { "<a>" + times($0 - 3, "x") + "</a>" }
  }

  @Test("what ended counts no longer for depth and namespaces, and text of two places is two texts")
  func ended() {
    var limits = XMLReader.Limits()
    (limits.depth, limits.namespaces, limits.textBytes) = (2, 2, 2)
    let document = "<a xmlns='u'>" + times(9, "<b xmlns='v'/>xy") + "</a>"
    expectEqual(XMLOutline(document, .strict, limits).fault, nil)
  }

  @Test("without limits of its own a reader takes what a description needs many times over")
  func defaults() {
    let limits = XMLReader.Limits()
    expectEqual(
      [
        limits.documentBytes, limits.depth, limits.elements, limits.attributes, limits.namespaces, limits.nameBytes,
        limits.textBytes, limits.valueBytes,
      ], [1 << 20, 64, 16_384, 64, 64, 256, 65_536, 8_192])
    func deep(_ count: Int) -> String? { XMLOutline.fault(times(count, "<a>") + times(count, "</a>")) }
    #expect(deep(64) == nil && deep(65) == "tooDeep 192 1:193")
  }

  @Test("a document that is too long is refused before it is read, whatever its encoding is")
  func long() {
    var limits = XMLReader.Limits()
    limits.documentBytes = 20
    let text = "<?xml version='1.0' encoding='latin1'?><a>é</a>"
    let marked: [UInt8] = [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    for document in [Array(text.utf8), marked, [0xEF, 0xBB, 0xBF] + Array(text.utf8)] {
      let outline = XMLOutline(document, .lenient, limits)
      #expect(outline.fault?.hasPrefix("documentTooLong 20 1:") == true && outline.events.isEmpty)
    }
  }

  @Test("the place of the first byte too many is in the line that it ends")
  func longLine() {
    var limits = XMLReader.Limits()
    limits.documentBytes = 4
    expectEqual(XMLOutline("<a>\r\n</a>", .strict, limits).fault, "documentTooLong 4 1:5")
    expectEqual(XMLOutline("<a>\r</a>", .strict, limits).fault, "documentTooLong 4 2:1")
  }

  /// Documents that make other parsers use time or memory, or open files.
  static let attacks: [(name: String, document: [UInt8], fault: String)] = {
    let laughs =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [\n <!ENTITY lol \"lol\">\n"
      + (1...9).map {
        " <!ENTITY lol\($0) \"\(String(repeating: "&lol\($0 == 1 ? "" : "\($0 - 1)");", count: 10))\">\n"
      }
      .joined() + "]>\n<root>&lol9;</root>"
    let quadratic =
      "<!DOCTYPE a [<!ENTITY x \"\(String(repeating: "x", count: 50_000))\">]><a>"
      + String(repeating: "&x;", count: 20_000) + "</a>"
    func attributes(_ count: Int) -> String { "<a" + (0..<count).map { " a\($0)=''" }.joined() + "/>" }
    let documents: [(String, String, String)] = [
      ("billion laughs", laughs, "doctype 22 2:1"), ("quadratic entity", quadratic, "doctype 0 1:1"),
      ("external entity", "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>", "doctype 0 1:1"),
      ("external type", "<!DOCTYPE a SYSTEM \"http://127.0.0.1:9/a.dtd\"><a/>", "doctype 0 1:1"),
      (
        "nesting", String(repeating: "<a>", count: 200_000) + String(repeating: "</a>", count: 200_000),
        "documentTooLong 1048576 1:1048577"
      ),
      (
        "nesting in a megabyte", String(repeating: "<a>", count: 100_000) + String(repeating: "</a>", count: 100_000),
        "tooDeep 192 1:193"
      ),
      ("5 000 attributes", attributes(5_000), "tooManyAttributes 441 1:442"),
      ("20 000 attributes", attributes(20_000), "tooManyAttributes 441 1:442"),
      ("200 000 attributes", attributes(200_000), "documentTooLong 1048576 1:1048577"),
      (
        "20 MB of text", "<a>" + String(repeating: "x", count: 20_000_000) + "</a>", "documentTooLong 1048576 1:1048577"
      ),
      ("a megabyte of text", "<a>" + String(repeating: "x", count: 1_000_000) + "</a>", "textTooLong 3 1:4"),
    ]
    return documents.map { ($0.0, Array($0.1.utf8), $0.2) }
  }()

  @Test("documents that are made to hurt are refused for the right reason", arguments: attacks.indices)
  func attack(index: Int) {
    let attack = Self.attacks[index]
    for mode in XMLMode.allCases {
      expectEqual(XMLOutline(attack.document, mode).fault, attack.fault, "\(attack.name)")
    }
  }
}
