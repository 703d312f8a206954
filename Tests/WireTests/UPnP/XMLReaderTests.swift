import RollcallExpectations
import RollcallWire
import Testing

@Suite("The XML reader") struct XMLReaderTests {
  @Test("elements, attributes and text come in their order; an empty tag is a start and an end")
  func order() {
    expectEvents("<a/>", "+a", "-a")
    expectEvents("<a></a>", "+a", "-a")
    expectEvents("<a ></a\n>", "+a", "-a")
    expectEvents("<a><b/>x<c>y</c></a>", "+a", "+b", "-b", "'x", "+c", "'y", "-c", "-a")
    expectEvents("<a b='1' c = \"2\"\td=''/>", "+a b=1 c=2 d=", "-a")
    expectEvents("<a b='\"' c=\"'\"/>", "+a b=\" c='", "-a")
    expectEvents("<é.1-_· ü='ß'>中</é.1-_·>", "+é.1-_· ü=ß", "'中", "-é.1-_·")
  }

  @Test("the end is told as often as it is asked for, and a fault, too")
  func again() {
    func twice(_ document: String) -> [String] {
      Array(document.utf8).withUnsafeBytes { bytes in
        XMLReader.withReader(of: bytes) { reader in
          (0..<5).map { _ in
            do throws(XMLFault) { return "\(try reader.next()) \(reader.depth)" } catch { return error.reason.rawValue }
          }
        }
      }
    }
    expectEqual(twice("<a><b/></a>"), ["start 1", "start 2", "end 1", "end 0", "finished 0"])
    expectEqual(twice("<a/>"), ["start 1", "end 0", "finished 0", "finished 0", "finished 0"])
    expectEqual(twice("<a></b>"), ["start 1", "mismatchedTag", "mismatchedTag", "mismatchedTag", "mismatchedTag"])
  }

  @Test("the five entities and characters by number are worked out, in text and in values")
  func references() {
    expectEvents("<a b='&lt;&gt;&amp;&quot;&apos;'>&lt;&gt;&amp;&quot;&apos;</a>", "+a b=<>&\"'", "'<>&\"'", "-a")
    expectEvents("<a b='&#65;&#x42;&#x1F600;&#xe9;'>x&#65;y&#x42;z</a>", "+a b=AB😀é", "'xAyBz", "-a")
    expectEvents(
      "<a>&#9;&#10;&#13;&#x20;&#xD7FF;&#xE000;&#xFFFD;&#x10000;&#x10FFFF;</a>", "+a",
      "'\t\n\r \u{D7FF}\u{E000}\u{FFFD}\u{10000}\u{10FFFF}", "-a")
    expectEvents("<a>&amp;lt;&#38;amp;</a>", "+a", "'&lt;&amp;", "-a")
    for bad in [
      "0", "8", "11", "31", "55296", "57343", "65534", "65535", "1114112", "x0", "xD800", "xDFFF", "xFFFE",
      "xFFFF", "x110000", "xFFFFFFFFFFFFFFFFFF", "4294967361", "", "x", "X41", "-1", "1a", "xg", " 65",
    ] {
      expectEqual(XMLOutline.fault("<a>x&#\(bad);</a>"), "characterReference 4 1:5", "\(bad)")
      expectEqual(XMLOutline.fault("<a b='&#\(bad);'/>"), "characterReference 6 1:7", "\(bad)")
    }
    expectEqual(XMLOutline.fault("<a>&#65"), "cutShort 7 1:8")
    expectEqual(XMLOutline.fault("<a>&#"), "cutShort 5 1:6")
  }

  @Test("comments and processing instructions are left out, and the text around them is one")
  func leftOut() {
    expectEvents("<!-- - --><?p?><a>x<!---->y<!--<b>&-->z<?p q??>!</a><?xml-b c?><!---->\n", "+a", "'xyz!", "-a")
    expectEvents("<a><!-- c --></a>", "+a", "-a")
    expectEvents("<a><?p q?><b/></a>", "+a", "+b", "-b", "-a")
    for (document, fault) in [
      ("<a><!-- -- --></a>", "comment 8 1:9"), ("<a><!--->--></a>", nil), ("<a><!-- --->x</a>", "comment 8 1:9"),
      ("<a><!--", "cutShort 7 1:8"), ("<a><!-- -", "cutShort 9 1:10"), ("<a><!-- --", "cutShort 10 1:11"),
      ("<a><!", "cutShort 5 1:6"), ("<a><!-", "cutShort 6 1:7"), ("<a><!->", "markup 3 1:4"),
      ("<a><!ELEMENT b></a>", "markup 3 1:4"), ("<a><!--\u{1}--></a>", "character 7 1:8"),
      ("<a><?XML b?></a>", "declarationPlace 3 1:4"), ("<a><?xMl?></a>", "declarationPlace 3 1:4"),
      ("<a><?p:q?></a>", "instruction 6 1:7"), ("<a><?p", "cutShort 6 1:7"), ("<a><?p ", "cutShort 7 1:8"),
      ("<a><?p ?", "cutShort 8 1:9"), ("<a><?p?", "cutShort 7 1:8"), ("<a><?p?q?></a>", "instruction 6 1:7"),
      ("<a><?p=?></a>", "instruction 6 1:7"), ("<a><? p?></a>", "name 5 1:6"), ("<a><?", "cutShort 5 1:6"),
      ("<a><?p \u{1}?></a>", "character 7 1:8"),
    ] as [(String, String?)] {
      expectEqual(XMLOutline.fault(document), fault, "\(document)")
    }
  }

  @Test("in a section nothing has a meaning, and it is text like any other")
  func sections() {
    expectEvents("<a><![CDATA[<b>&amp;]]&#65;]]></a>", "+a", "'<b>&amp;]]&#65;", "-a")
    expectEvents("<a>x<![CDATA[y]]>z<![CDATA[]]]]><![CDATA[>]]></a>", "+a", "'xyz]]>", "-a")
    expectEvents("<a><![CDATA[]]></a>", "+a", "-a")
    for (document, fault) in [
      ("<a><![CDATA[", "cutShort 12 1:13"), ("<a><![CDATA[x]]", "cutShort 15 1:16"),
      ("<a><![CDATA", "cutShort 11 1:12"),
      ("<a><![cdata[]]></a>", "markup 3 1:4"), ("<a>x]]>y</a>", "sectionEnd 4 1:5"),
      ("<a>]]]></a>", "sectionEnd 4 1:5"),
      ("<a>]]</a>", nil), ("<a>]>]] ></a>", nil), ("<a><![CDATA[\u{1}]]></a>", "character 12 1:13"),
      ("<![CDATA[]]><a/>", "markup 0 1:1"),
    ] as [(String, String?)] {
      expectEqual(XMLOutline.fault(document), fault, "\(document)")
    }
  }

  @Test(
    "a line ends with LF, CR LF or CR, and each is one LF in text and one space in a value, where tabs are spaces, too")
  func lineEnds() {
    expectEvents(
      "<a b='1\r\n2\r3\n4\t5&#10;&#13;&#9;'>1\r\n2\r3\n4\r\r\n\t5</a>",
      "+a b=1 2 3 4 5\n\r\t", "'1\n2\n3\n4\n\n\t5", "-a")
    expectEvents("<a><![CDATA[1\r\n2\r3\r]]>\r</a>", "+a", "'1\n2\n3\n\n", "-a")
    expectEvents("<a>\r</a>", "+a", "'\n", "-a")
    // The place counts them in the same way; characters, not bytes.
    expectEqual(XMLOutline.fault("<a>\r\n\r\n\r\r\n\n\n</b>"), "mismatchedTag 12 7:1")
    expectEqual(XMLOutline.fault("<a>\ré中😀</b>"), "mismatchedTag 13 2:4")
  }

  @Test("names have the letters of XML, one colon at most, and no digit at the beginning")
  func names() {
    for good in [
      "a", "A", "_", "a1", "a-", "a.", "À", "Ö", "Ø", "ö", "ø", "˿", "Ͱ", "Ϳ", "\u{200C}", "⁰", "Ⰰ", "、",
      "豈", "ﷰ", "𐀀", "\u{EFFFF}", "a·", "a\u{300}", "a‿",
    ] {
      expectEqual(XMLOutline("<\(good)/>"), XMLOutline(events: ["+" + good, "-" + good]))
      expectEqual(XMLOutline("<a \(good)=''/>"), XMLOutline(events: ["+a \(good)=", "-a"]))
    }
    for bad in ["1", "-", ".", "·", "\u{300}", "‿", "×", "÷", ";", "\u{2190}", "\u{F0000}", " a", ">", "="] {
      expectEqual(XMLOutline.fault("<\(bad)/>"), "name 1 1:2", "\(bad)")
    }
    for (document, fault) in [
      ("<a×/>", "tag 2 1:3"), ("<:a/>", "name 1 1:2"), ("<a:/>", "name 3 1:4"), ("<a::b/>", "name 3 1:4"),
      ("<a:b:c/>", "name 4 1:5"), ("<a:1/>", "name 3 1:4"), ("<a :b=''/>", "name 3 1:4"), ("<a 1=''/>", "name 3 1:4"),
      ("<", "cutShort 1 1:2"), ("<a", "cutShort 2 1:3"), ("<a:", "cutShort 3 1:4"), ("<a ", "cutShort 3 1:4"),
      ("<a b", "cutShort 4 1:5"), ("<a b=", "cutShort 5 1:6"), ("<a b='", "cutShort 6 1:7"), ("<a/", "cutShort 3 1:4"),
      ("<a>", "cutShort 3 1:4"), ("<a><", "cutShort 4 1:5"), ("<a></", "cutShort 5 1:6"), ("<a></a", "cutShort 6 1:7"),
      ("<a></a ", "cutShort 7 1:8"), ("<ab></a", "cutShort 7 1:8"),
    ] {
      expectEqual(XMLOutline.fault(document), fault, "\(document)")
    }
  }

  @Test("tags that are written wrongly are refused, each at the byte that is wrong")
  func tags() {
    for (document, fault) in [
      ("<a b/>", "tag 4 1:5"), ("<a b=c/>", "tag 5 1:6"), ("<a b='c'd='e'/>", "tag 8 1:9"), ("<a/ >", "tag 2 1:3"),
      ("<a b='<'/>", "lessThanInValue 6 1:7"), ("<a b='&lt;'/>", nil), ("<a></a b='c'>", "tag 7 1:8"),
      ("<a></ a>", "name 5 1:6"), ("</a>", "tag 0 1:1"), ("<a></b>", "mismatchedTag 3 1:4"),
      ("<a><b></a></b>", "mismatchedTag 6 1:7"), ("<a></ab>", "mismatchedTag 3 1:4"),
      ("<ab></a>", "mismatchedTag 4 1:5"),
      ("<a></A>", "mismatchedTag 3 1:4"), ("<é></e\u{301}>", "mismatchedTag 4 1:4"),
      ("<a b='' b=''/>", "duplicateAttribute 8 1:9"), ("<a b='' B=''/>", nil), ("<a é='' e\u{301}=''/>", nil),
      ("<a b='\u{1}'/>", "character 6 1:7"), ("<a>\u{1}</a>", "character 3 1:4"), ("<a>\u{B}</a>", "character 3 1:4"),
      ("<a>\u{FFFE}</a>", "character 3 1:4"), ("<a>\u{FFFF}</a>", "character 3 1:4"), ("<a>\u{7F}\u{80}</a>", nil),
      ("<a\u{1}/>", "tag 2 1:3"),
    ] as [(String, String?)] {
      expectEqual(XMLOutline.fault(document), fault, "\(document)")
    }
  }

  @Test("a fault says for people what was expected and what was found")
  func words() {
    func words(_ document: [UInt8]) -> String? {
      document.withUnsafeBytes { bytes in
        XMLReader.withReader(of: bytes) { reader in
          do throws(XMLFault) { while try reader.next() != .finished {} } catch { return error.description }
          return nil
        }
      }
    }
    for (document, expected) in [
      ("<a>\n <b></c>", "line 2, column 5 (byte 8): expected “</b>”, found “</c>”"),
      ("<a>", "line 1, column 4 (byte 3): expected the end tag of “a”, found the end of the document"),
      ("<a b c=''/>", "line 1, column 6 (byte 5): expected “=”, found “c=''/>”"),
      ("<a>\u{1}</a>", "line 1, column 4 (byte 3): expected a character that XML allows, found U+0001"),
      ("<a>&x;\u{2}", "line 1, column 4 (byte 3): expected one of &lt; &gt; &amp; &quot; &apos;, found “&x;”"),
      ("<a \u{7F}=''/>", "line 1, column 4 (byte 3): expected a name, found the byte 7F"),
      (
        "<!DOCTYPE a><a/>",
        "line 1, column 1 (byte 0): expected a document without a document type, found “<!DOCTYPE”"
      ),
    ] {
      expectEqual(words(Array(document.utf8)), expected)
    }
    expectEqual(
      words(Array("<a>".utf8) + [0xFF]),
      "line 1, column 4 (byte 3): expected a character in UTF-8, found the byte FF")
  }
}
