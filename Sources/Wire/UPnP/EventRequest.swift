import RollcallPrimitives

/// A request about the events of a service: to begin, renew or end a subscription (UDA 2.0, section 4.1).
public enum EventRequest: Hashable, Sendable {
  /// URLs of CALLBACK that are read; more are left out.
  public static let callbacksMaximum = 8
  /// What NT has to be.
  public static let type = "upnp:event"

  /// A new one; events go to the first URL that takes them. `nil`: as long as the device likes.
  case subscribe(callbacks: [String], timeoutSeconds: UInt32?)
  case renew(sid: String, timeoutSeconds: UInt32?)
  case unsubscribe(sid: String)
  /// The status to refuse it with: 400 for fields that exclude each other, 412 for one that is missing or wrong.
  case refused(status: Int)

  /// What a request asks for; `nil`: its method is another one.
  public init?(_ head: HTTPRequestHead) {
    guard head.method == "SUBSCRIBE" || head.method == "UNSUBSCRIBE" else { return nil }
    func value(_ name: String) -> String? { head.values(of: name).first }
    let isNew = value("nt") != nil || value("callback") != nil
    if let sid = value("sid") {
      if isNew {
        self = .refused(status: 400)
      } else if head.method == "UNSUBSCRIBE" {
        self = .unsubscribe(sid: sid)
      } else {
        self = .renew(sid: sid, timeoutSeconds: EventRequest.seconds(value("timeout")))
      }
      return
    }
    let callbacks = EventRequest.urls(value("callback") ?? "")
    guard head.method == "SUBSCRIBE", value("nt") == EventRequest.type, !callbacks.isEmpty else {
      self = .refused(status: 412)
      return
    }
    self = .subscribe(callbacks: callbacks, timeoutSeconds: EventRequest.seconds(value("timeout")))
  }

  /// `<URL><URL>`
  private static func urls(_ value: String) -> [String] {
    value.split(separator: "<", omittingEmptySubsequences: false).dropFirst().compactMap { part in
      part.firstIndex(of: ">").map { String(part[..<$0]) }
    }
    .filter { !$0.isEmpty }.prefix(callbacksMaximum).map { $0 }
  }

  /// `Second-1800`; `nil` for `Second-infinite` and for anything else.
  private static func seconds(_ value: String?) -> UInt32? {
    guard let value, value.lowercased().hasPrefix("second-") else { return nil }
    let digits = value.dropFirst(7)
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return UInt32(digits: digits) ?? .max
  }
}

/// A message with the values of evented variables (UDA 2.0, section 4.3.2).
public struct EventMessage: Hashable, Sendable {
  public static let namespace = "urn:schemas-upnp-org:event-1-0"

  /// `uuid:` and a UUID.
  public var sid: String
  /// 0 for the first one; after the last number comes 1.
  public var sequence: UInt32
  public var properties: [SOAPCall.Argument]

  public init(sid: String, sequence: UInt32, properties: [SOAPCall.Argument]) {
    (self.sid, self.sequence, self.properties) = (sid, sequence, properties)
  }

  /// The property set.
  public var body: [UInt8] {
    var xml = XMLText()
    xml.line("<?xml version=\"1.0\" encoding=\"utf-8\"?>")
    xml.open("e:propertyset", attributes: " xmlns:e=\"\(EventMessage.namespace)\"")
    for property in properties {
      xml.open("e:property")
      xml.element(property.name, property.value)
      xml.close("e:property")
    }
    xml.close("e:propertyset")
    return Array(xml.text.utf8)
  }

  /// The whole NOTIFY to a URL of CALLBACK.
  /// - Parameters:
  ///   - path: with the query, as the URL has it.
  ///   - authority: host and port as the URL has them.
  public func bytes(path: String, authority: String, userAgent: String) -> [UInt8] {
    var request = HTTPRequest(path: path, authority: authority, userAgent: userAgent)
    (request.method, request.contentType, request.body) = ("NOTIFY", "text/xml; charset=\"utf-8\"", body)
    request.fields = [
      .init("NT", EventRequest.type), .init("NTS", "upnp:propchange"), .init("SID", sid), .init("SEQ", "\(sequence)"),
    ]
    return request.bytes
  }
}
