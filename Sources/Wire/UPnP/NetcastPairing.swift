import RollcallPrimitives

/// What is sent to pair an application with a Netcast television: the body of a POST to `path` on port 8080.
///
/// There is no public standard; the form is that of the Connect SDK's service for Netcast.
public enum NetcastPairing: Hashable, Sendable {
  public static let path = "/udap/api/pairing"
  public static let port: UInt16 = 8_080
  public static let contentType = "text/xml; charset=utf-8"
  /// The name of the product in USER-AGENT.
  public static let userAgent = "UDAP/2.0"
  /// A longer key is none.
  public static let keyByteCountMaximum = 64

  /// The television is to show its key.
  case showKey
  /// What the user typed, or what was typed in an earlier launch; `port` is where events may be sent to.
  case hello(key: String, port: UInt16)
  /// The key is to disappear from the screen.
  case cancel
  /// The pairing is over.
  case leave(port: UInt16)

  private var name: String {
    switch self {
    case .showKey: "showKey"
    case .hello: "hello"
    case .cancel: "CancelAuthKeyReq"
    case .leave: "byebye"
    }
  }

  public var bytes: [UInt8] {
    var xml = XMLText()
    xml.line("<?xml version=\"1.0\" encoding=\"utf-8\"?>")
    xml.open("envelope")
    xml.open("api", attributes: " type=\"pairing\"")
    xml.element("name", name)
    switch self {
    case .hello(let key, let port):
      xml.element("value", key)
      xml.element("port", String(port))
    case .leave(let port): xml.element("port", String(port))
    case .showKey, .cancel: break
    }
    xml.close("api")
    xml.close("envelope")
    return Array(xml.text.utf8)
  }

  /// Reads such a body: strict XML, the elements of `api` in any order, each once.
  /// - Returns: `nil` where it is anything else.
  public static func read(_ bytes: [UInt8]) -> NetcastPairing? {
    bytes.withUnsafeBytes { bytes in
      XMLReader.withReader(of: bytes, mode: .strict) { xml in
        do throws(XMLFault) { return try read(&xml) } catch { return nil }
      }
    }
  }

  private static func read(_ xml: inout XMLReader) throws(XMLFault) -> NetcastPairing? {
    var path: [String] = []
    var values: [String: String] = [:]
    while true {
      switch try xml.next() {
      case .start:
        path.append(xml.name.local)
        if path.count == 1, path != ["envelope"] { return nil }
        if path == ["envelope", "api"], xml.attributes.map(\.value) != ["pairing"] { return nil }
      case .text:
        guard path.count == 3, path[1] == "api" else { continue }
        if values.updateValue(xml.text, forKey: path[2]) != nil { return nil }
      case .end: path.removeLast()
      case .finished:
        let port = values["port"].flatMap { UInt16(digits: $0) }
        if port == nil, values["port"] != nil { return nil }
        switch (values["name"], values["value"], port) {
        case ("showKey", nil, nil): return .showKey
        case ("CancelAuthKeyReq", nil, nil): return .cancel
        case ("hello", let key?, let port?) where key.utf8.count <= keyByteCountMaximum:
          return .hello(key: key, port: port)
        case ("byebye", nil, let port?): return .leave(port: port)
        default: return nil
        }
      }
    }
  }
}
