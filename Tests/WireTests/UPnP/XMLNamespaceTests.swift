import RollcallExpectations
import RollcallWire
import Testing

@Suite("Namespaces in XML") struct XMLNamespaceTests {
  @Test("a declaration holds for its element and all that is inside, until another one of the same prefix")
  func scopes() {
    expectEvents("<a xmlns='u'><b/></a>", "+{u}a", "+{u}b", "-{u}b", "-{u}a")
    expectEvents("<p:a xmlns:p='u'><p:b/><b/></p:a>", "+{u}a", "+{u}b", "-{u}b", "+b", "-b", "-{u}a")
    expectEvents(
      "<p:a xmlns:p='u'><p:b xmlns:p='v'><p:c/></p:b><p:d/></p:a>",
      "+{u}a", "+{v}b", "+{v}c", "-{v}c", "-{v}b", "+{u}d", "-{u}d", "-{u}a")
    expectEvents(
      "<a xmlns='u'><b xmlns=''><c xmlns='v'/></b><d/></a>",
      "+{u}a", "+b", "+{v}c", "-{v}c", "-b", "+{u}d", "-{u}d", "-{u}a")
    expectEvents(
      "<a xmlns='u'><b xmlns='v'/>x<b xmlns='v'/></a>",
      "+{u}a", "+{v}b", "-{v}b", "'x", "+{v}b", "-{v}b", "-{u}a")
  }

  @Test("an attribute without a prefix has no namespace, and a declaration behind it counts for it")
  func attributes() {
    expectEvents("<a xmlns='u' b='1' p:c='2' xmlns:p='v'/>", "+{u}a b=1 {v}c=2", "-{u}a")
    expectEvents("<a xml:lang='de'/>", "+a {http://www.w3.org/XML/1998/namespace}lang=de", "-a")
    expectEvents("<a xmlns:p='u&amp;v' p:b=''/>", "+a {u&v}b=", "-a")
    expectEvents("<a xmlnsb='1' xmlns.c='2'/>", "+a xmlnsb=1 xmlns.c=2", "-a")
  }

  @Test("two attributes of one name are refused, by whatever prefixes; of few and of many attributes")
  func duplicates() {
    let many = (1...20).map { " a\($0)=''" }.joined()
    for filler in ["", many] {
      func fault(_ attributes: String) -> String? {
        let document = "<a xmlns:p='u' xmlns:q='u' xmlns:r='v'\(filler) \(attributes)/>"
        guard let fault = XMLOutline.fault(document) else { return nil }
        let parts = fault.split(separator: " ")
        let place = Int(parts[1]) ?? 0
        return "\(parts[0]) \(String(decoding: Array(document.utf8)[place...].prefix(3), as: UTF8.self))"
      }
      expectEqual(fault("p:b='' q:b=''"), "duplicateAttribute q:b")
      expectEqual(fault("p:b='' r:b='' b='' p:c=''"), nil)
      expectEqual(fault("x='' y='' x=''"), "duplicateAttribute x='")
      expectEqual(fault("p:b='' p:b=''"), "duplicateAttribute p:b")
      expectEqual(fault("xmlns:p='w'"), "duplicateAttribute xml")
    }
    expectEqual(XMLOutline.fault("<a xmlns='u' xmlns='u'/>"), "duplicateAttribute 13 1:14")
    expectEqual(XMLOutline("<a p:b='' q:b=''/>", .lenient).events, ["+a {p}b= {q}b=", "-a"])
    expectEqual(XMLOutline("<a p:b='' p:b=''/>", .lenient).fault, "duplicateAttribute 10 1:11")
    // By bytes, not as people see them.
    expectEvents("<a xmlns:p='é' xmlns:q='e\u{301}' p:b='' q:b=''/>", "+a {é}b= {e\u{301}}b=", "-a")
  }

  @Test("a prefix that is not declared is refused by strict, and a flaw for lenient")
  func unbound() {
    let document = "<a><p:b q:c='1'/></a>"
    expectEqual(XMLOutline(document), XMLOutline(events: ["+a"], fault: "unboundPrefix 4 1:5"))
    expectEqual(
      XMLOutline(document, .lenient),
      XMLOutline(
        events: ["+a", "+{p}b {q}c=1", "-{p}b", "-a"], flaws: ["unboundPrefix 4 1:5", "unboundPrefix 8 1:9"]))
    expectEqual(
      XMLOutline("<a><b xmlns:p='u'/><p:c/></a>").fault, "unboundPrefix 20 1:21")
  }

  @Test("xml and xmlns keep their meaning, and a prefix has a namespace")
  func reserved() {
    let xml = "http://www.w3.org/XML/1998/namespace"
    let xmlns = "http://www.w3.org/2000/xmlns/"
    expectEvents("<a xmlns:xml='\(xml)' xml:b=''/>", "+a {\(xml)}b=", "-a")
    for (attributes, fault) in [
      ("xmlns:xml='u'", "reservedNamespace"), ("xmlns:p='\(xml)'", "reservedNamespace"),
      ("xmlns='\(xml)'", "reservedNamespace"),
      ("xmlns:xmlns='u'", "reservedNamespace"), ("xmlns:xmlns='\(xmlns)'", "reservedNamespace"),
      ("xmlns:p='\(xmlns)'", "reservedNamespace"), ("xmlns='\(xmlns)'", "reservedNamespace"),
      ("xmlns:p=''", "emptyNamespace"),
    ] {
      expectEqual(XMLOutline.fault("<a \(attributes)/>"), "\(fault) 3 1:4", "\(attributes)")
    }
    expectEqual(XMLOutline.fault("<xmlns:a/>"), "reservedNamespace 1 1:2")
  }

  @Test("a name tells its prefix as it stands there")
  func prefixes() {
    let names = Array("<p:a xmlns:p='u' q='' p:r=''/>".utf8).withUnsafeBytes { bytes in
      XMLReader.withReader(of: bytes) { reader in
        _ = try? reader.next()
        return [reader.name] + reader.attributes.map(\.name)
      }
    }
    expectEqual(
      names,
      [
        XMLName(namespace: "u", local: "a", prefix: "p"), XMLName(namespace: "", local: "q"),
        XMLName(namespace: "u", local: "r", prefix: "p"),
      ])
  }
}
