import RollcallPrimitives
import RollcallWire

extension FuzzTarget {
  /// A LOCATION: accepted exactly where the slow check accepts it, in parts that lie where they say and that print as
  /// a URL which reads the same; refused at a byte that is there. The check of its host's scope ends without a trap.
  package static let location = FuzzTarget(name: "location", dictionary: words, seeds: seeds) {
    (bytes: [UInt8]) throws(FuzzFinding) in
    for input in [bytes] + cuts(of: bytes).map({ Array(bytes[..<$0]) }) { try check(input) }
  }

  private static func check(_ bytes: [UInt8]) throws(FuzzFinding) {
    let reading = bytes.withUnsafeBytes { LocationURL.check($0) }
    let expected = LocationReference(bytes)
    switch reading {
    case .refused(let refusal):
      try expect((0...bytes.count).contains(refusal.offset), "refused at byte \(refusal.offset) of \(bytes.count)")
      try expect(expected == nil, "refused (\(refusal.reason)), the reference accepts \(String(describing: expected))")
    case .url(let url):
      let found = LocationReference(
        scheme: url.scheme, host: Array(bytes[url.host]), address: url.address, zone: url.zone.map { Array(bytes[$0]) },
        port: url.port, path: Array(bytes[url.path]))
      try expect(found == expected, "read as \(found), reference: \(String(describing: expected))")
      try expect(!url.host.isEmpty && url.host.lowerBound >= 7, "a host where none can be")
      try expect(url.host.upperBound <= url.path.lowerBound && url.path.upperBound <= bytes.count, "parts overlap")
      try expect(url.port > 0, "port 0")
      if let address = url.address { try checkScope(address) }
      try again(found)
    }
  }

  /// Printed plainly, a URL is read as the same.
  private static func again(_ url: LocationReference) throws(FuzzFinding) {
    var text = Array((url.scheme == .http ? "http://" : "HTTPS://").utf8)
    let isBracketed = url.address?.family == .v6
    if isBracketed { text.append(UInt8(ascii: "[")) }
    text += url.host
    if let zone = url.zone { text += Array("%25".utf8) + zone }
    if isBracketed { text.append(UInt8(ascii: "]")) }
    text += Array(":\(url.port)".utf8) + url.path
    guard case .url(let second) = text.withUnsafeBytes({ LocationURL.check($0) }) else {
      throw FuzzFinding("printed, it is refused: \(String(decoding: text, as: UTF8.self))")
    }
    try expect(
      second.isPortWritten && second.port == url.port && second.address == url.address
        && Array(text[second.host]) == url.host && second.zone.map { Array(text[$0]) } == url.zone
        && Array(text[second.path]) == url.path,
      "printed, it reads differently: \(String(decoding: text, as: UTF8.self))")
    if let address = url.address {
      try expect(IPAddress(address.description) == address, "the address \(address) prints as another")
      let endpoint = Endpoint(address, port: url.port)
      try expect(Endpoint(endpoint.description) == endpoint, "the endpoint \(endpoint) prints as another")
    }
  }

  private static func checkScope(_ host: IPAddress) throws(FuzzFinding) {
    let subnets = [
      InterfaceAddress(IPAddress(192, 168, 1, 2), prefixBits: 24),
      InterfaceAddress(IPAddress(v6High: 0xFE80 << 48, low: 2), prefixBits: 64),
    ]
    for sender in [IPAddress(192, 168, 1, 20), IPAddress(v6High: 0xFE80 << 48, low: 20), host] {
      let judged = LocationScope.judge(host: host, sender: sender, subnets: subnets)
      let plain = LocationScope.unmapped(host)
      try expect(
        judged == LocationScope.judge(host: plain, sender: sender, subnets: subnets), "another dress, another judgement"
      )
      if judged == nil {
        try expect(
          !plain.isLoopback && !plain.isMulticast && !plain.isUnspecified && !plain.isBroadcast
            && plain.family == LocationScope.unmapped(sender).family, "\(host) may be fetched from")
      }
    }
  }

  private static let words = [
    "http://", "https://", "HTTP://", "://", "//", "[", "]", "%25", "%", "fe80::1", "::ffff:127.0.0.1", "127.0.0.1",
    "192.168.1.20", "0x7f", "010.", ".", ":80", ":0", ":65535", ":65536", "/", "?", "#", "@", "*", "(null)", "a-b_c",
    "\\", "é", " ", "\t", "239.255.255.250", "255.255.255.255",
  ]

  private static let seeds = [
    "http://192.168.1.20:49152/description.xml", "http://[fe80::1%25eth0]:80/d.xml?a=b#c", "https://host.local./",
    "http://a", "http://[::ffff:127.0.0.1]/", "http://(null):49152/", "http://:8000/", "*", "/d.xml",
    "http://1.2.3.4.5/",
    "http://0x7f000001/", "http://user@a/", "http://[::1", "http://a..b/", "HTTP://A:65535",
  ].map { Array($0.utf8) }
}

/// An absolute http or https URL as the check takes it, by splitting strings; `nil` for anything else.
struct LocationReference: Equatable {
  var scheme: LocationURL.Scheme
  var host: [UInt8]
  var address: IPAddress?
  var zone: [UInt8]?
  var port: UInt16
  var path: [UInt8]

  init(
    scheme: LocationURL.Scheme, host: [UInt8], address: IPAddress?, zone: [UInt8]?, port: UInt16, path: [UInt8]
  ) {
    (self.scheme, self.host, self.address, self.zone, self.port, self.path) = (scheme, host, address, zone, port, path)
  }

  init?(_ bytes: [UInt8]) {
    if bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F }) { return nil }
    let lower = NameReference.lower(bytes)
    var rest: ArraySlice<UInt8>
    if lower.starts(with: "http://".utf8) {
      (scheme, rest) = (.http, bytes.dropFirst(7))
    } else if lower.starts(with: "https://".utf8) {
      (scheme, rest) = (.https, bytes.dropFirst(8))
    } else {
      return nil
    }
    let authority = rest.prefix { !Array("/?#".utf8).contains($0) }
    path = Array(rest.dropFirst(authority.count).prefix { $0 != UInt8(ascii: "#") })
    if authority.contains(UInt8(ascii: "@")) { return nil }
    let portText: ArraySlice<UInt8>?
    if authority.first == UInt8(ascii: "[") {
      guard let close = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      let inside = authority[(authority.startIndex + 1)..<close]
      let behind = authority[(close + 1)...]
      guard behind.isEmpty || behind.first == UInt8(ascii: ":") else { return nil }
      portText = behind.isEmpty ? nil : behind.dropFirst()
      let name = inside.prefix { $0 != UInt8(ascii: "%") }
      guard name.count <= 45, let found = IPAddress(String(decoding: name, as: UTF8.self)), found.family == .v6
      else { return nil }
      (host, address) = (Array(name), found)
      if name.count < inside.count {
        var text = inside.dropFirst(name.count + 1)
        if text.starts(with: "25".utf8), text.count > 2 { text = text.dropFirst(2) }
        guard !text.isEmpty, text.allSatisfy({ LocationReference.isLetter($0, or: "-_.~") }) else { return nil }
        zone = Array(text)
      }
    } else {
      let name = authority.prefix { $0 != UInt8(ascii: ":") }
      portText = name.count == authority.count ? nil : authority.dropFirst(name.count + 1)
      guard LocationReference.isName(Array(name)) else { return nil }
      host = Array(name)
      let labels = name.split(separator: UInt8(ascii: "."))
      if let last = labels.last, LocationReference.isNumber(Array(last)) {
        guard let found = IPAddress(String(decoding: name, as: UTF8.self)), found.family == .v4 else { return nil }
        address = found
      }
    }
    guard let portText else {
      port = scheme == .http ? 80 : 443
      return
    }
    let digits = portText.drop { $0 == UInt8(ascii: "0") }
    guard !portText.isEmpty, portText.allSatisfy({ (48...57).contains($0) }), (1...5).contains(digits.count),
      let number = UInt16(String(decoding: digits, as: UTF8.self))
    else { return nil }
    port = number
  }

  private static func isLetter(_ byte: UInt8, or others: String) -> Bool {
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || others.utf8.contains(byte)
  }

  /// Labels of letters, digits, hyphen and underscore between single dots; one dot may stand at the end.
  private static func isName(_ name: [UInt8]) -> Bool {
    var labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
    return name.count <= LocationURL.hostByteCountMaximum
      && labels.allSatisfy { !$0.isEmpty && $0.allSatisfy { isLetter($0, or: "-_") } }
  }

  /// What a resolver may take for the last part of an IPv4 address.
  private static func isNumber(_ label: [UInt8]) -> Bool {
    let lower = NameReference.lower(label)
    if lower.allSatisfy({ (48...57).contains($0) }) { return true }
    return lower.starts(with: "0x".utf8)
      && lower.dropFirst(2).allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }
}
