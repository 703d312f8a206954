import Foundation
import FoundationXML
import RollcallPrimitives
import RollcallWire

/// What a parser made of a document, in a form that our reader and another one share.
struct XMLTreeText: Equatable {
  /// `+{namespace}name prefix:attribute=value`, attributes by name; `'text`; `-{namespace}name`.
  var events: [String] = []
  /// Why it is no document: our reason, or the number of the other parser's error.
  var refusal: String?

  /// What our reader makes of it in strict mode.
  init(ours document: [UInt8], _ limits: XMLReader.Limits = .init()) {
    self = document.withUnsafeBytes { bytes in
      XMLReader.withReader(of: bytes, limits: limits) { reader in
        var tree = XMLTreeText()
        do throws(XMLFault) { while try tree.add(&reader) {} } catch { tree.refusal = error.reason.rawValue }
        return tree
      }
    }
  }

  init() {}

  private mutating func add(_ reader: inout XMLReader) throws(XMLFault) -> Bool {
    switch try reader.next() {
    case .start:
      start(
        XMLOutline.name(reader.name),
        reader.attributes.map { (($0.name.prefix.map { $0 + ":" } ?? "") + $0.name.local, $0.value) })
    case .text: text(reader.text)
    case .end: events.append("-" + XMLOutline.name(reader.name))
    case .finished: return false
    }
    return true
  }

  mutating func start(_ name: String, _ attributes: [(name: String, value: String)]) {
    let sorted = attributes.sorted { $0.name < $1.name }
    events.append("+" + name + sorted.map { " \($0.name)=\($0.value)" }.joined())
  }

  /// Text side by side is one text.
  mutating func text(_ text: String) {
    if text.isEmpty { return }
    if let last = events.last, last.hasPrefix("'") {
      events[events.count - 1] = last + text
    } else {
      events.append("'" + text)
    }
  }
}

/// Foundation's parser, which is libxml2 below.
final class FoundationXMLOracle: NSObject, XMLParserDelegate {
  private var tree = XMLTreeText()

  static func tree(_ document: [UInt8]) -> XMLTreeText {
    let oracle = FoundationXMLOracle()
    let parser = XMLParser(data: Data(document))
    (parser.shouldProcessNamespaces, parser.shouldResolveExternalEntities) = (true, false)
    parser.delegate = oracle
    let isParsed = parser.parse()
    // It may say that all is well and have an error all the same.
    if !isParsed || parser.parserError != nil {
      oracle.tree.refusal = "\((parser.parserError as NSError?)?.code ?? -1)"
    }
    return oracle.tree
  }

  private func name(_ name: String, _ namespace: String?) -> String {
    let namespace = namespace ?? ""
    return (namespace.isEmpty ? "" : "{\(namespace)}") + name
  }

  func parser(
    _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    tree.start(name(elementName, namespaceURI), attributes.map { ($0.key, $0.value) })
  }
  func parser(
    _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName: String?
  ) { tree.events.append("-" + name(elementName, namespaceURI)) }
  func parser(_ parser: XMLParser, foundCharacters string: String) { tree.text(string) }
  func parser(_ parser: XMLParser, foundCDATA block: Data) { tree.text(String(decoding: block, as: UTF8.self)) }
}

/// Documents made of others, the same for the same seed.
struct XMLMutations {
  private let seeds: [[UInt8]]
  private var stream: RandomStream

  init(of seeds: [[UInt8]], seed: Seed) { (self.seeds, stream) = (seeds, seed.stream("xml")) }

  private static let words = [
    "<", ">", "</", "/>", "<a>", "</a>", "<a/>", "<a b='c'>", " b=''", " b=\"&amp;\"", "&", "&amp;", "&lt;", "&#65;",
    "&#x41;",
    "&#0;", "&#xD800;", "&nbsp;", ";", "<!--", "-->", "--", "<![CDATA[", "]]>", "]]", "<?p q?>", "<?", "?>",
    "<?xml version='1.0'?>",
    "xmlns='urn:y'", " xmlns:p='urn:z'", "<p:a>", "p:", ":", "=", "'", "\"", "\r\n", "\r", "\t", " ", "\u{0}", "\u{1}",
    "\u{7F}",
    "é", "中", "😀", "\u{FFFE}", "\u{FEFF}", "<!DOCTYPE a>", "<!", "é:é", "-", ".", "1", "xml:", "xmlns:",
  ].map { Array($0.utf8) }

  private mutating func below(_ bound: Int) -> Int { Int(stream.below(UInt64(bound))) }

  mutating func next() -> [UInt8] {
    var bytes = seeds[below(seeds.count)]
    for _ in 0...below(3) { change(&bytes) }
    return bytes
  }

  private mutating func change(_ bytes: inout [UInt8]) {
    let start = below(bytes.count + 1)
    let end = min(bytes.count, start + below(12))
    switch below(8) {
    case 0: bytes.insert(UInt8(below(256)), at: start)
    case 1: if start < bytes.count { bytes[start] ^= 1 << UInt8(below(8)) }
    case 2: bytes.removeSubrange(start..<end)
    case 3: bytes.insert(contentsOf: bytes[start..<end], at: below(bytes.count + 1))
    case 4: if below(4) == 0 { bytes.removeLast(bytes.count - start) }
    default: bytes.insert(contentsOf: Self.words[below(Self.words.count)], at: start)
    }
  }
}
