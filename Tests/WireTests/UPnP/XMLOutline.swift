import RollcallExpectations
import RollcallWire
import Testing

/// All that a reader made of a document, as text that a test can write down.
struct XMLOutline: Equatable {
  /// `+{namespace}name {namespace}attribute=value`, `'text`, `-{namespace}name`.
  var events: [String] = []
  /// `reason offset line:column`
  var flaws: [String] = []
  var fault: String?

  init(events: [String] = [], flaws: [String] = [], fault: String? = nil) {
    (self.events, self.flaws, self.fault) = (events, flaws, fault)
  }

  init(_ document: [UInt8], _ mode: XMLMode = .strict, _ limits: XMLReader.Limits = .init()) {
    self = document.withUnsafeBytes { bytes in
      XMLReader.withReader(of: bytes, mode: mode, limits: limits) { reader in
        var outline = XMLOutline()
        do throws(XMLFault) {
          while let event = try XMLOutline.next(&reader) { outline.events.append(event) }
        } catch {
          outline.fault = XMLOutline.text(error)
        }
        outline.flaws = reader.flaws.map(XMLOutline.text)
        return outline
      }
    }
  }

  init(_ document: String, _ mode: XMLMode = .strict, _ limits: XMLReader.Limits = .init()) {
    self.init(Array(document.utf8), mode, limits)
  }

  static func text(_ fault: XMLFault) -> String {
    "\(fault.reason.rawValue) \(fault.place.offset) \(fault.place.line):\(fault.place.column)"
  }

  private static func next(_ reader: inout XMLReader) throws(XMLFault) -> String? {
    switch try reader.next() {
    case .start:
      let attributes = reader.attributes.map { " " + name($0.name) + "=" + $0.value }
      return "+" + name(reader.name) + attributes.joined()
    case .text: return "'" + reader.text
    case .end: return "-" + name(reader.name)
    case .finished: return nil
    }
  }

  static func name(_ name: XMLName) -> String { (name.namespace.isEmpty ? "" : "{\(name.namespace)}") + name.local }

  /// The fault of a document: in both modes the same.
  static func fault(_ document: String) -> String? {
    let strict = XMLOutline(document)
    return strict.fault == XMLOutline(document, .lenient).fault ? strict.fault : "not the same in both modes"
  }
}

/// A document has these events, no flaw and no fault: in both modes the same.
func expectEvents(_ document: String, _ events: String..., location: SourceLocation = #_sourceLocation) {
  for mode in XMLMode.allCases {
    expectEqual(XMLOutline(document, mode), XMLOutline(events: events), "\(mode)", sourceLocation: location)
  }
}
