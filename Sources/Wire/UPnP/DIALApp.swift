/// What a DIAL server says of one app: the document behind `Application-URL` and the name of the app (DIAL 2.2, section 6.1).
public struct DIALApp: Hashable, Sendable {
  public static let namespace = "urn:dial-multiscreen-org:schemas:dial"
  /// A longer document is no answer.
  public static let byteCountMaximum = 65_536

  public var name: String
  /// `running`, `stopped`, `hidden`, `installable=` and a URL; in other words where it is something else.
  public var state: String
  /// Whether the app may be closed from outside.
  public var allowsStop: Bool
  /// Where the running app is, as the document has it: relative to the URL of the document, or absolute.
  public var instance: String?

  public init(name: String, state: String, allowsStop: Bool = true, instance: String? = nil) {
    (self.name, self.state, self.allowsStop, self.instance) = (name, state, allowsStop, instance)
  }

  public var bytes: [UInt8] {
    var xml = XMLText()
    xml.line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
    xml.open("service", attributes: " xmlns=\"\(DIALApp.namespace)\" dialVer=\"2.2\"")
    xml.element("name", name)
    xml.line("<options allowStop=\"\(allowsStop)\"/>")
    xml.element("state", state)
    if let instance { xml.line("<link rel=\"run\" href=\"\(XMLText.escaped(instance))\"/>") }
    xml.close("service")
    return Array(xml.text.utf8)
  }

  /// Reads such a document as forgivingly as `XMLReader` does: elements in any order and namespace, of two the first.
  /// - Returns: `nil` where it is no XML, or its root is no `service`, or it has no `state`.
  public static func read(_ bytes: [UInt8]) -> DIALApp? {
    if bytes.count > byteCountMaximum { return nil }
    return bytes.withUnsafeBytes { bytes in
      XMLReader.withReader(of: bytes, mode: .lenient) { xml in
        do throws(XMLFault) { return try read(&xml) } catch { return nil }
      }
    }
  }

  private static func read(_ xml: inout XMLReader) throws(XMLFault) -> DIALApp? {
    var (name, state): (String?, String?)
    var app = DIALApp(name: "", state: "", allowsStop: false)
    var hasOptions = false
    var element = ""
    while true {
      switch try xml.next() {
      case .start:
        element = xml.depth == 2 ? xml.name.local : ""
        if xml.depth == 1, xml.name.local != "service" { return nil }
        let attributes = xml.attributes
        func value(_ name: String) -> String? { attributes.first { $0.name.local == name }?.value }
        if element == "options", !hasOptions { (app.allowsStop, hasOptions) = (value("allowStop") == "true", true) }
        if element == "link", value("rel") == "run", app.instance == nil { app.instance = value("href") }
      case .text:
        let text = DIALApp.trimmed(xml.text)
        if element == "name", name == nil { name = text }
        if element == "state", state == nil { state = text }
      case .end: element = ""
      case .finished:
        guard let state else { return nil }
        (app.name, app.state) = (name ?? "", state)
        return app
      }
    }
  }

  private static func trimmed(_ text: String) -> String {
    let blanks: Set<Unicode.Scalar> = [" ", "\n", "\t", "\r"]
    let scalars = text.unicodeScalars.drop { blanks.contains($0) }
    return String(String.UnicodeScalarView(scalars.reversed().drop { blanks.contains($0) }.reversed()))
  }

  /// The name of an app as one segment of a path: everything but letters, digits and `-._~` as `%NN` (RFC 3986, section 2.3),
  /// and the names `.` and `..`, which mean folders, as well.
  public static func segment(_ name: String) -> String {
    var segment = ""
    let isFolder = name == "." || name == ".."
    for byte in name.utf8 {
      switch byte {
      case 0x2E where isFolder: segment += "%2E"
      case 48...57, 65...90, 97...122, 0x2D, 0x2E, 0x5F, 0x7E: segment.unicodeScalars.append(Unicode.Scalar(byte))
      default: segment += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return segment
  }
}
