public import RollcallPrimitives

/// Where a LOCATION points to, taken apart in place by a check of our own.
///
/// General URL types take `http://:8000/`, `http://(null):49152` and `http://[::1` for URLs (D45); a fetch by what
/// they made of it goes to a host nobody named. This check takes an absolute http or https URL with a host that can
/// be meant in only one way, and refuses the rest with a reason and the offset of the first wrong byte. Offsets count
/// from the first byte of the checked value, which is expected without blanks around it.
@frozen public struct LocationURL: Hashable, Sendable {
  public enum Scheme: UInt8, Hashable, Sendable, BitwiseCopyable { case http, https }

  public var scheme: Scheme
  /// The host: without brackets and zone for an IPv6 address. Never empty.
  public var host: Range<Int>
  /// The host, where it is an address and not a name.
  public var address: IPAddress?
  /// The zone of an IPv6 address: an interface name or number, without `%`; good on its own machine only (D69).
  public var zone: Range<Int>?
  /// The port that is written, else 80 or 443; never 0.
  public var port: UInt16
  public var isPortWritten: Bool
  /// Path and query as they stand, without the fragment; empty for `http://host` (legal, D44).
  public var path: Range<Int>

  /// The longest host name in bytes.
  public static let hostByteCountMaximum = 255

  /// Checks a field value.
  public static func check(_ bytes: UnsafeRawBufferPointer) -> LocationReading {
    var check = LocationCheck(bytes: bytes)
    if let url = check.run() { return .url(url) }
    return .refused(check.refusal)
  }

  /// Checks a text; an allocation, so not on a hot path.
  public static func check(_ text: String) -> LocationReading {
    var text = text
    return text.withUTF8 { check(UnsafeRawBufferPointer($0)) }
  }
}

/// What the check made of a LOCATION.
public enum LocationReading: Hashable, Sendable {
  case url(LocationURL)
  case refused(LocationRefusal)
}

/// Why a LOCATION cannot be fetched from, and at which of its bytes.
@frozen public struct LocationRefusal: Hashable, Sendable, BitwiseCopyable {
  public enum Reason: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
    case empty
    /// `*`, which goes with an AL field (D47).
    case asterisk
    case blank
    case controlByte
    /// No scheme, or no `//` after it: a path, a bare address, `http:/x`.
    case relative
    /// A scheme other than http and https.
    case scheme
    /// A name or password before the host, which is there to mislead.
    case userInfo
    case noHost
    /// A byte that no host name holds: `(`, `%`, `\`, bytes beyond ASCII; or two dots in a row.
    case hostByte
    case hostTooLong
    /// A host of digits that is no dotted-decimal address: `192.168.1.300`, `127.1`, `0x7f000001`, `010.0.0.1`.
    /// Some resolvers take these for addresses, and not all for the same one.
    case numericHost
    /// An IPv6 address without its bracket, or brackets around something else.
    case bracket
    case zone
    /// Port missing after its colon, 0, above 65 535, or not a number.
    case port
  }
  public var reason: Reason
  public var offset: Int
  @inlinable public init(_ reason: Reason, at offset: Int) { (self.reason, self.offset) = (reason, offset) }
}

/// One run of the check; `refusal` is set when `run` returns `nil`.
private struct LocationCheck {
  let bytes: UnsafeRawBufferPointer
  var refusal = LocationRefusal(.empty, at: 0)

  init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func refuse<Value>(_ reason: LocationRefusal.Reason, _ offset: Int) -> Value? {
    refusal = LocationRefusal(reason, at: offset)
    return nil
  }

  mutating func run() -> LocationURL? {
    let count = bytes.count
    if count == 0 { return refuse(.empty, 0) }
    if count == 1, bytes[0] == UInt8(ascii: "*") { return refuse(.asterisk, 0) }
    for offset in 0..<count {
      let byte = bytes[offset]
      if byte == 0x20 || byte == 0x09 { return refuse(.blank, offset) }
      if byte < 0x20 || byte == 0x7F { return refuse(.controlByte, offset) }
    }
    guard let (scheme, start) = readScheme() else { return nil }
    var end = start
    var at: Int?
    while end < count, !isAuthorityEnd(bytes[end]) {
      if bytes[end] == UInt8(ascii: "@") { at = end }
      end += 1
    }
    if let at { return refuse(.userInfo, at) }
    if end == start { return refuse(.noHost, start) }
    guard let host = bytes[start] == UInt8(ascii: "[") ? readBracketed(start, end) : readName(start, end) else {
      return nil
    }
    var url = LocationURL(
      scheme: scheme, host: host.range, address: host.address, zone: host.zone, port: scheme == .http ? 80 : 443,
      isPortWritten: false, path: end..<count)
    if host.end < end {
      guard let port = readPort(host.end, end) else { return nil }
      (url.port, url.isPortWritten) = (port, true)
    }
    var pathEnd = end
    while pathEnd < count, bytes[pathEnd] != UInt8(ascii: "#") { pathEnd += 1 }
    url.path = end..<pathEnd
    return url
  }

  func isAuthorityEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  /// The scheme and the offset behind `//`.
  mutating func readScheme() -> (LocationURL.Scheme, Int)? {
    var colon = 0
    while colon < bytes.count, isSchemeByte(bytes[colon], isFirst: colon == 0) { colon += 1 }
    guard colon > 0, colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { return refuse(.relative, 0) }
    let scheme: LocationURL.Scheme
    if colon == 4, ASCIICase.hasPrefix(bytes, "http") {
      scheme = .http
    } else if colon == 5, ASCIICase.hasPrefix(bytes, "https") {
      scheme = .https
    } else {
      return refuse(.scheme, 0)
    }
    for offset in (colon + 1)...(colon + 2) {
      guard offset < bytes.count, bytes[offset] == UInt8(ascii: "/") else { return refuse(.relative, offset) }
    }
    return (scheme, colon + 3)
  }

  func isSchemeByte(_ byte: UInt8, isFirst: Bool) -> Bool {
    if ASCIICase.fold(byte) &- 97 < 26 { return true }
    if isFirst { return false }
    return byte &- 48 < 10 || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }

  struct Host {
    var range: Range<Int>
    var address: IPAddress?
    var zone: Range<Int>?
    /// Behind the host and its bracket.
    var end: Int
  }

  /// A host name or an IPv4 address, up to a colon or the end of the authority.
  mutating func readName(_ start: Int, _ authorityEnd: Int) -> Host? {
    var end = start
    var label = start
    while end < authorityEnd, bytes[end] != UInt8(ascii: ":") {
      let byte = bytes[end]
      if byte == UInt8(ascii: ".") {
        if end == label { return refuse(.hostByte, end) }
        label = end + 1
      } else if !isNameByte(byte) {
        return refuse(byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") ? .bracket : .hostByte, end)
      }
      end += 1
    }
    if end == start { return refuse(.noHost, start) }
    if end - start > LocationURL.hostByteCountMaximum {
      return refuse(.hostTooLong, start + LocationURL.hostByteCountMaximum)
    }
    // A second colon: an IPv6 address that nobody put into brackets.
    if end < authorityEnd {
      for offset in (end + 1)..<authorityEnd where bytes[offset] == UInt8(ascii: ":") {
        if looksLikeAddress6(start, authorityEnd) { return refuse(.bracket, start) }
      }
    }
    var address: IPAddress?
    if isNumeric(lastLabel: lastLabel(start, end)) {
      guard let bits = readAddress4(start, end) else { return refuse(.numericHost, start) }
      address = IPAddress(v4: bits)
    }
    return Host(range: start..<end, address: address, zone: nil, end: end)
  }

  func isNameByte(_ byte: UInt8) -> Bool {
    ASCIICase.fold(byte) &- 97 < 26 || byte &- 48 < 10 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  func looksLikeAddress6(_ start: Int, _ end: Int) -> Bool {
    (start..<end).allSatisfy {
      bytes[$0] == UInt8(ascii: ":") || bytes[$0] == UInt8(ascii: "]") || ASCIICase.isHexDigit(bytes[$0])
    }
  }

  /// The last label of a name, a dot at the very end aside.
  func lastLabel(_ start: Int, _ end: Int) -> Range<Int> {
    let stop = bytes[end - 1] == UInt8(ascii: ".") ? end - 1 : end
    var label = stop
    while label > start, bytes[label - 1] != UInt8(ascii: ".") { label -= 1 }
    return label..<stop
  }

  /// Whether somebody's resolver would take a host that ends in this label for an address.
  func isNumeric(lastLabel label: Range<Int>) -> Bool {
    if label.isEmpty { return false }
    if label.allSatisfy({ bytes[$0] &- 48 < 10 }) { return true }
    let isHex = label.count >= 2 && bytes[label.lowerBound] == 48 && bytes[label.lowerBound + 1] | 0x20 == 0x78
    return isHex && label.dropFirst(2).allSatisfy { ASCIICase.isHexDigit(bytes[$0]) }
  }

  /// Dotted decimal: four numbers below 256 without leading zeros.
  func readAddress4(_ start: Int, _ end: Int) -> UInt32? {
    var bits: UInt32 = 0
    var part: UInt32 = 0
    var digits = 0
    var parts = 0
    for offset in start...end {
      if offset == end || bytes[offset] == UInt8(ascii: ".") {
        guard digits > 0, parts < 4 else { return nil }
        bits = bits &<< 8 | part
        (part, digits, parts) = (0, 0, parts + 1)
      } else {
        let digit = bytes[offset] &- 48
        guard digit < 10, digits == 0 || part > 0 else { return nil }
        part = part * 10 + UInt32(digit)
        digits += 1
        guard part < 256 else { return nil }
      }
    }
    return parts == 4 ? bits : nil
  }

  /// An IPv6 address in brackets, with a zone behind `%25` (as RFC 6874 has it) or a plain `%` (as the field has it).
  mutating func readBracketed(_ start: Int, _ authorityEnd: Int) -> Host? {
    var close = start + 1
    while close < authorityEnd, bytes[close] != UInt8(ascii: "]") { close += 1 }
    guard close < authorityEnd else { return refuse(.bracket, start) }
    var end = start + 1
    while end < close, bytes[end] != UInt8(ascii: "%") { end += 1 }
    let text = UnsafeRawBufferPointer(rebasing: bytes[(start + 1)..<end])
    guard text.count <= 45, let address = IPAddress(String(decoding: text, as: UTF8.self)), address.family == .v6 else {
      return refuse(.bracket, start)
    }
    var zone: Range<Int>?
    if end < close {
      var zoneStart = end + 1
      // `%25` and nothing more is the zone 25, written plainly.
      if close - zoneStart > 2, bytes[zoneStart] == UInt8(ascii: "2"), bytes[zoneStart + 1] == UInt8(ascii: "5") {
        zoneStart += 2
      }
      if zoneStart == close { return refuse(.zone, end) }
      for offset in zoneStart..<close {
        let byte = bytes[offset]
        guard isNameByte(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "~") else {
          return refuse(.zone, offset)
        }
      }
      zone = zoneStart..<close
    }
    if close + 1 < authorityEnd, bytes[close + 1] != UInt8(ascii: ":") { return refuse(.bracket, close + 1) }
    return Host(range: (start + 1)..<end, address: address, zone: zone, end: close + 1)
  }

  /// The number behind the colon at `colon`. Leaving it empty is good URL grammar, but a device that prints the
  /// colon meant a number, and 80 would be a guess.
  mutating func readPort(_ colon: Int, _ end: Int) -> UInt16? {
    if colon + 1 == end { return refuse(.port, colon) }
    var value: UInt32 = 0
    for offset in (colon + 1)..<end {
      let digit = bytes[offset] &- 48
      guard digit < 10 else { return refuse(.port, offset) }
      value = min(value * 10 + UInt32(digit), 65_536)
    }
    guard value > 0, value < 65_536 else { return refuse(.port, colon + 1) }
    return UInt16(value)
  }
}
