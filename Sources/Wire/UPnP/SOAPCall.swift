/// A call of UPnP control: the action of a service, with its arguments (UDA 2.0, section 3.2.1).
public struct SOAPCall: Hashable, Sendable {
  public struct Argument: Hashable, Sendable {
    public var name: String
    public var value: String
    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  public static let envelopeNamespace = "http://schemas.xmlsoap.org/soap/envelope/"
  static let encodingStyle = "http://schemas.xmlsoap.org/soap/encoding/"
  static let controlNamespace = "urn:schemas-upnp-org:control-1-0"
  /// A call with more arguments is refused.
  public static let argumentsMaximum = 64

  /// `urn:`domain`:service:`type`:`version
  public var serviceType: String
  public var action: String
  /// In the order in which they stand in the call.
  public var arguments: [Argument]

  public init(serviceType: String, action: String, arguments: [Argument] = []) {
    (self.serviceType, self.action, self.arguments) = (serviceType, action, arguments)
  }

  /// What SOAPACTION has to say, quotation marks included.
  public var actionField: String { "\"\(serviceType)#\(action)\"" }

  public var bytes: [UInt8] {
    SOAPCall.envelope { SOAPCall.element(action, serviceType, arguments, &$0) }
  }

  /// The answer to this call, as bytes.
  public func answer(_ results: [Argument]) -> [UInt8] {
    SOAPCall.envelope { SOAPCall.element(action + "Response", serviceType, results, &$0) }
  }

  /// A UPnP error, as bytes (UDA 2.0, section 3.2.5).
  public static func fault(_ code: Int, _ description: String) -> [UInt8] {
    envelope { xml in
      xml.open("s:Fault")
      xml.element("faultcode", "s:Client")
      xml.element("faultstring", "UPnPError")
      xml.open("detail")
      xml.open("UPnPError", attributes: " xmlns=\"\(controlNamespace)\"")
      xml.element("errorCode", "\(code)")
      xml.element("errorDescription", description)
      xml.close("UPnPError")
      xml.close("detail")
      xml.close("s:Fault")
    }
  }

  private static func envelope(_ write: (inout XMLText) -> Void) -> [UInt8] {
    var xml = XMLText()
    xml.line("<?xml version=\"1.0\" encoding=\"utf-8\"?>")
    xml.open("s:Envelope", attributes: " xmlns:s=\"\(envelopeNamespace)\" s:encodingStyle=\"\(encodingStyle)\"")
    xml.open("s:Body")
    write(&xml)
    xml.close("s:Body")
    xml.close("s:Envelope")
    return Array(xml.text.utf8)
  }

  private static func element(_ name: String, _ type: String, _ arguments: [Argument], _ xml: inout XMLText) {
    xml.open("u:\(name)", attributes: " xmlns:u=\"\(XMLText.escaped(type))\"")
    for argument in arguments { xml.element(argument.name, argument.value) }
    xml.close("u:\(name)")
  }

  /// Reads the body of a call: lenient XML, the envelope in its namespace, one action in the body.
  /// - Returns: `nil` where it is anything else.
  public static func read(_ bytes: [UInt8]) -> SOAPCall? {
    bytes.withUnsafeBytes { bytes in
      XMLReader.withReader(of: bytes, mode: .lenient) { xml in
        do throws(XMLFault) { return try read(&xml) } catch { return nil }
      }
    }
  }

  private static func read(_ xml: inout XMLReader) throws(XMLFault) -> SOAPCall? {
    var call: SOAPCall?
    var isInBody = false
    while true {
      switch try xml.next() {
      case .start:
        let name = xml.name
        switch xml.depth {
        case 1: if name != XMLName(namespace: envelopeNamespace, local: "Envelope", prefix: name.prefix) { return nil }
        case 2: isInBody = name.namespace == envelopeNamespace && name.local == "Body"
        case 3 where isInBody:
          // The two namespaces that no prefix may be given to are no service's.
          let reserved = ["", XMLReader.Namespace.xmlName, XMLReader.Namespace.xmlnsName]
          if call != nil || reserved.contains(name.namespace) { return nil }
          call = SOAPCall(serviceType: name.namespace, action: name.local)
        case 4 where isInBody:
          if call?.arguments.count ?? 0 >= argumentsMaximum { return nil }
          call?.arguments.append(Argument(name.local, ""))
        default: if isInBody { return nil }
        }
      case .text:
        guard isInBody, xml.depth == 4, let last = call?.arguments.indices.last else { continue }
        call?.arguments[last].value += xml.text
      case .end: continue
      case .finished: return call
      }
    }
  }
}
