public import Foundation
import RollcallWire

/// A service that answered a search.
public struct SSDPService: Equatable {
  /// Until when the answer holds: the time at which it came, and its max-age.
  public let cacheControl: Date
  /// Where the device is described.
  public let location: URL
  /// What the device runs on: `OS/version UPnP/1.1 product/version`.
  public let server: String
  /// ST of the answer.
  public let searchTarget: String
  /// USN.
  public let uniqueServiceName: String
  /// All other fields, by their names in upper case: `DATE`, `EXT`, `BOOTID.UPNP.ORG`. A field with nothing at all behind its
  /// colon is left out; one with a blank there is empty.
  public let otherHeaders: [String: String]

  public init(
    cacheControl: Date, location: URL, server: String, searchTarget: String, uniqueServiceName: String,
    otherHeaders: [String: String]
  ) {
    self.cacheControl = cacheControl
    self.location = location
    self.server = server
    self.searchTarget = searchTarget
    self.uniqueServiceName = uniqueServiceName
    self.otherHeaders = otherHeaders
  }

  /// Whether both are one service: location, server, search target and unique service name are the same. How long they hold,
  /// and all other fields, do not count.
  public static func == (left: SSDPService, right: SSDPService) -> Bool { left.identity == right.identity }

  /// What equality compares. The service itself is not hashable, so that an application may say what its hash is.
  struct Identity: Hashable {
    var location: URL
    var server: String
    var searchTarget: String
    var uniqueServiceName: String
  }
  var identity: Identity {
    Identity(location: location, server: server, searchTarget: searchTarget, uniqueServiceName: uniqueServiceName)
  }
}

/// Reads services out of answers.
///
/// It takes what `SSDPReader` takes in lenient mode: a message whose lines end with LF alone, or that has no blank line at its
/// end, counts as well.
public final class SSDPServiceParser: Sendable {
  public init() {}

  /// A service of an answer that came just now.
  /// - Returns: `nil` where the data is no answer with status 200 in UTF-8, or CACHE-CONTROL, LOCATION, SERVER, ST or USN is
  ///   missing or cannot be read.
  public static func parse(_ data: Data) -> SSDPService? { parse(data, receivedAt: Date()) }

  /// The same for an answer that came at another time.
  public static func parse(_ bytes: some Sequence<UInt8>, receivedAt time: Date) -> SSDPService? {
    let bytes = Array(bytes)
    guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
    return SSDPReader.withReading(bytes, mode: .lenient) { reading in
      guard case .message(let message) = reading, message.kind == .response else { return nil }
      return service(of: message, receivedAt: time)
    }
  }

  private static func service(of message: SSDPMessage, receivedAt time: Date) -> SSDPService? {
    let fields = Fields(message)
    guard let cacheControl = fields.values["CACHE-CONTROL"], let seconds = lifetime(cacheControl, message),
      let location = fields.values["LOCATION"].flatMap(URL.init(string:)), let server = fields.values["SERVER"],
      let searchTarget = fields.values["ST"], let uniqueServiceName = fields.values["USN"]
    else { return nil }
    var others = fields.values
    for name in ["CACHE-CONTROL", "LOCATION", "SERVER", "ST", "USN"] { others[name] = nil }
    return SSDPService(
      cacheControl: time + seconds, location: location, server: server, searchTarget: searchTarget,
      uniqueServiceName: uniqueServiceName, otherHeaders: others)
  }

  /// The fields of a message by their names in upper case; of one that is there twice the last.
  private struct Fields {
    var values: [String: String] = [:]

    init(_ message: SSDPMessage) {
      for position in 0..<Int(message.index.pointee.fieldCount) {
        let packed = message.index.field(at: position)
        let (name, value) = (SSDPIndex.nameRange(packed), SSDPIndex.valueRange(packed))
        // Nothing stands behind the colon, not even a blank.
        if value.isEmpty, message.bytes[value.lowerBound - 1] == UInt8(ascii: ":") { continue }
        let key = String(decoding: message.bytes[name], as: UTF8.self).uppercased()
        values[key] = String(decoding: message.bytes[value], as: UTF8.self)
      }
    }
  }

  /// In seconds, at most 2³¹ − 1: what max-age says; without one that can be read, the digits at the end of the value.
  private static func lifetime(_ value: String, _ message: SSDPMessage) -> TimeInterval? {
    let isRepeated = message.index.pointee.repeated >> UInt32(SSDPField.cacheControl.rawValue) & 1 != 0
    let maximumAge = message.index.pointee.maxAgeSeconds
    if !isRepeated, maximumAge >= 0 { return TimeInterval(maximumAge) }
    let digits = value.reversed().prefix { $0.isASCII && $0.isWholeNumber }
    guard let seconds = TimeInterval(String(digits.reversed())) else { return nil }
    return min(seconds, TimeInterval(Int32.max))
  }
}
