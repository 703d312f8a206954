import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The elements of an XML document, read by the system's parser: for looking at what we write.
final class XMLElementTree: NSObject, XMLParserDelegate {
  struct Node {
    var name: String
    var attributes: [String: String]
    var children: [Node] = []
  }
  struct NotXML: Error {}

  private var open: [Node] = []
  private(set) var root = Node(name: "", attributes: [:])

  init(_ text: String) throws {
    super.init()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    guard parser.parse(), parser.parserError == nil else { throw NotXML() }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String] = [:]
  ) { open.append(Node(name: name, attributes: attributes)) }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    guard let node = open.popLast() else { return }
    if open.isEmpty { root = node } else { open[open.count - 1].children.append(node) }
  }
}
