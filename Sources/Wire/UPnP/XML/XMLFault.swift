/// Where something stands in a document.
public struct XMLPlace: Hashable, Sendable {
  /// In bytes, from the first byte of the document as it came, a byte order mark included.
  public var offset: Int
  /// From 1. A line ends with LF, CR LF, or CR alone.
  public var line: Int
  /// From 1, in characters: a character of several bytes counts once.
  public var column: Int

  public init(offset: Int, line: Int, column: Int) { (self.offset, self.line, self.column) = (offset, line, column) }
}

extension XMLPlace: CustomStringConvertible {
  public var description: String { "line \(line), column \(column) (byte \(offset))" }
}

/// Why bytes are no XML document that is read here, or what was let pass in one, and where that shows.
public struct XMLFault: Error, Hashable, Sendable {
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    // Bytes and characters.
    /// The declaration names an encoding that is not read here.
    case encoding
    /// The declaration names another encoding than the one that the document is in.
    case encodingConflict
    /// Bytes that are no character in the encoding of the document.
    case badBytes
    /// A character that XML 1.0 does not allow (section 2.2).
    case character
    /// The document ends inside its root element, or inside markup.
    case cutShort
    // The parts of a document.
    /// A `<!DOCTYPE`. It is never read: it is what entities and fetches from elsewhere come from.
    case doctype
    /// No element at all.
    case noRoot
    /// Something else than blanks, comments and processing instructions before or behind the root element.
    case textOutsideRoot
    case secondRoot
    /// An XML declaration that is not at the very beginning.
    case declarationPlace
    /// An XML declaration of another form than section 2.8 has.
    case declaration
    // Markup.
    /// Something else than a name where there has to be one: also a name with two colons, or with one at an end.
    case name
    /// A tag of another form than `<a b="c">`, `<a/>`, `</a>`.
    case tag
    case mismatchedTag
    case duplicateAttribute
    /// A `<` in the value of an attribute.
    case lessThanInValue
    /// An `&` that begins no reference.
    case ampersand
    /// A reference to an entity other than the five of XML.
    case entity
    /// A reference to a character that XML 1.0 does not allow, or of another form than `&#10;` and `&#xA;`.
    case characterReference
    /// `]]>` in text.
    case sectionEnd
    /// `--` in a comment.
    case comment
    /// A processing instruction of another form than `<?name text?>`.
    case instruction
    /// `<!` and something else than a comment or, inside the root, a section of CDATA.
    case markup
    // Namespaces.
    /// A prefix that no element around has declared.
    case unboundPrefix
    /// A declaration that gives `xml` or `xmlns` another meaning, or one of their meanings to another prefix.
    case reservedNamespace
    /// A declaration of a prefix without a namespace: `xmlns:a=""`.
    case emptyNamespace
    // Limits.
    case documentTooLong
    case tooDeep
    case tooManyElements
    case tooManyAttributes
    /// Declarations of namespaces that are in force at one place.
    case tooManyNamespaces
    case nameTooLong
    case textTooLong
    case valueTooLong
  }

  public var reason: Reason
  public var place: XMLPlace
  /// For people: what there should have been, without a full stop.
  public var expected: String
  /// For people: what there was.
  public var found: String

  public init(_ reason: Reason, at place: XMLPlace, expected: String, found: String) {
    (self.reason, self.place, self.expected, self.found) = (reason, place, expected, found)
  }
}

extension XMLFault: CustomStringConvertible {
  public var description: String {
    "\(place): expected \(expected), found \(found)"
  }
}

/// How much is let pass.
public enum XMLMode: String, Hashable, Sendable, CaseIterable {
  /// What devices send and can be understood without guessing is accepted, and noted as a flaw.
  case lenient
  /// Only what the standards allow is accepted.
  case strict
}
