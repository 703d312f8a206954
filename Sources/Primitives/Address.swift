/// An IPv4 or IPv6 address: 128 bits and a family, no scope name.
@frozen public struct IPAddress: Hashable, Sendable, BitwiseCopyable {
  @frozen public enum Family: UInt8, Hashable, Sendable, BitwiseCopyable { case v4 = 4, v6 = 6 }

  /// The first eight bytes of an IPv6 address; zero for IPv4.
  public var high: UInt64
  /// The last eight bytes of an IPv6 address; an IPv4 address stands in the low 32 bits.
  public var low: UInt64
  public var family: Family

  @inlinable public init(v4 bits: UInt32) { (high, low, family) = (0, UInt64(bits), .v4) }
  @inlinable public init(v6High high: UInt64, low: UInt64) { (self.high, self.low, family) = (high, low, .v6) }
  @inlinable public init(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) {
    self.init(v4: UInt32(a) << 24 | UInt32(b) << 16 | UInt32(c) << 8 | UInt32(d))
  }

  /// An IPv4 address is one word to a hasher.
  @inlinable public func hash(into hasher: inout Hasher) {
    hasher.combine(low)
    if family == .v6 { hasher.combine(high) }
  }

  @inlinable public var isMulticast: Bool { family == .v4 ? low >> 28 == 0xE : high >> 56 == 0xFF }
  @inlinable public var isBroadcast: Bool { family == .v4 && low == 0xFFFF_FFFF }
  @inlinable public var isUnspecified: Bool { high == 0 && low == 0 }
  @inlinable public var isLoopback: Bool { family == .v4 ? low >> 24 == 127 : high == 0 && low == 1 }
  @inlinable public var isLinkLocal: Bool { family == .v4 ? low >> 16 == 0xA9FE : high >> 54 == 0xFE80 >> 6 }

  /// Whether both addresses share the first `bits` bits; never across families.
  public func sharesPrefix(_ bits: Int, with other: IPAddress) -> Bool {
    guard family == other.family else { return false }
    if family == .v4 {
      let kept = max(0, min(32, bits))
      return kept == 0 || (low ^ other.low) >> UInt64(32 - kept) == 0
    }
    let kept = max(0, min(128, bits))
    if kept == 0 { return true }
    if kept <= 64 { return (high ^ other.high) >> UInt64(64 - kept) == 0 }
    return high == other.high && (low ^ other.low) >> UInt64(128 - kept) == 0
  }

  /// The bytes in network order: 4 or 16 of them.
  public var bytes: [UInt8] {
    if family == .v4 { return (0..<4).map { (place: Int) -> UInt8 in byte(of: low, behind: 24 - 8 * place) } }
    return (0..<16).map { (place: Int) -> UInt8 in byte(of: place < 8 ? high : low, behind: 56 - 8 * (place & 7)) }
  }

  private func byte(of word: UInt64, behind bits: Int) -> UInt8 { UInt8(truncatingIfNeeded: word >> UInt64(bits)) }

  /// Reads 4 or 16 bytes in network order; `nil` for any other count.
  public init?(bytes: some Collection<UInt8>) {
    switch bytes.count {
    case 4: self.init(v4: bytes.reduce(0) { $0 << 8 | UInt32($1) })
    case 16:
      self.init(
        v6High: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
        low: bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) })
    default: return nil
    }
  }
}

extension IPAddress: Comparable {
  public static func < (left: IPAddress, right: IPAddress) -> Bool {
    (left.family.rawValue, left.high, left.low) < (right.family.rawValue, right.high, right.low)
  }
}

extension IPAddress: CustomStringConvertible {
  /// Dotted decimal, or the canonical IPv6 text of RFC 5952 (with `::ffff:1.2.3.4` for mapped addresses).
  public var description: String {
    if family == .v4 { return IPAddress.dottedDecimal(UInt32(truncatingIfNeeded: low)) }
    if high == 0, low >> 32 == 0xFFFF {
      return "::ffff:" + IPAddress(v4: UInt32(truncatingIfNeeded: low)).description
    }
    let groups = (0..<8).map { (place: Int) -> UInt16 in
      let word = place < 4 ? high : low
      return UInt16(truncatingIfNeeded: word >> UInt64(48 - 16 * (place & 3)))
    }
    var longest = 0..<0
    var start = 0
    while start < 8 {
      var end = start
      while end < 8, groups[end] == 0 { end += 1 }
      if end - start > longest.count, end - start > 1 { longest = start..<end }
      start = max(end, start + 1)
    }
    func text(_ slice: ArraySlice<UInt16>) -> String { slice.map { String($0, radix: 16) }.joined(separator: ":") }
    if longest.isEmpty { return text(groups[...]) }
    return text(groups[..<longest.lowerBound]) + "::" + text(groups[longest.upperBound...])
  }

  private static func dottedDecimal(_ bits: UInt32) -> String {
    String(unsafeUninitializedCapacity: 15) { text in
      var count = 0
      func append(_ byte: UInt8) {
        text[count] = byte
        count += 1
      }
      for part in 0..<4 {
        let value = UInt8(truncatingIfNeeded: bits >> UInt32(24 - 8 * part))
        if part > 0 { append(UInt8(ascii: ".")) }
        if value > 99 { append(48 + value / 100) }
        if value > 9 { append(48 + value / 10 % 10) }
        append(48 + value % 10)
      }
      return count
    }
  }

  /// Reads dotted decimal or IPv6 text without brackets and without a scope name.
  public init?(_ text: some StringProtocol) {
    let utf8 = Array(text.utf8)
    if utf8.contains(UInt8(ascii: ":")) {
      guard let (high, low) = IPAddress.parse6(utf8) else { return nil }
      self.init(v6High: high, low: low)
    } else {
      guard let bits = IPAddress.parse4(utf8[...]) else { return nil }
      self.init(v4: bits)
    }
  }

  static func parse4(_ text: ArraySlice<UInt8>) -> UInt32? {
    var bits: UInt32 = 0
    var parts = 0
    for part in text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
      guard (1...3).contains(part.count), part.allSatisfy({ (48...57).contains($0) }) else { return nil }
      let value = part.reduce(UInt32(0)) { $0 * 10 + UInt32($1 - 48) }
      guard value < 256, part.count == 1 || part.first != 48 else { return nil }
      bits = bits << 8 | value
      parts += 1
      if parts > 4 { return nil }
    }
    return parts == 4 ? bits : nil
  }

  static func parse6(_ text: [UInt8]) -> (UInt64, UInt64)? {
    let colon = UInt8(ascii: ":")
    var head: [UInt16] = []
    var tail: [UInt16] = []
    var elided = false
    var index = 0
    if text.starts(with: [colon, colon]) {
      elided = true
      index = 2
    }
    while index < text.count {
      let end = text[index...].firstIndex(of: colon) ?? text.count
      let part = text[index..<end]
      if part.isEmpty {
        guard !elided, index > 0 else { return nil }
        elided = true
      } else if end == text.count, part.contains(UInt8(ascii: ".")) {
        guard let bits = parse4(part) else { return nil }
        let pair = [UInt16(truncatingIfNeeded: bits >> 16), UInt16(truncatingIfNeeded: bits)]
        if elided { tail += pair } else { head += pair }
      } else {
        guard part.count <= 4, let group = UInt16(digits: String(decoding: part, as: UTF8.self), radix: 16) else {
          return nil
        }
        if elided { tail.append(group) } else { head.append(group) }
      }
      // A single colon at the very end announces a group that never comes.
      if end == text.count - 1, !part.isEmpty { return nil }
      index = end + 1
    }
    let given = head.count + tail.count
    guard elided ? given < 8 : given == 8 else { return nil }
    let groups = head + Array(repeating: 0, count: 8 - given) + tail
    return (
      groups[..<4].reduce(0) { $0 << 16 | UInt64($1) }, groups[4...].reduce(0) { $0 << 16 | UInt64($1) }
    )
  }
}

/// An address and a UDP port.
@frozen public struct Endpoint: Hashable, Sendable, BitwiseCopyable {
  public var address: IPAddress
  public var port: UInt16

  @inlinable public init(_ address: IPAddress, port: UInt16) { (self.address, self.port) = (address, port) }

  /// An IPv4 endpoint is one word to a hasher.
  @inlinable public func hash(into hasher: inout Hasher) {
    if address.family == .v6 { address.hash(into: &hasher) }
    hasher.combine((address.family == .v6 ? 0 : address.low) | UInt64(port) &<< 40)
  }
}

extension Endpoint: CustomStringConvertible {
  /// `192.168.1.20:1900`, `[fe80::1]:1900`.
  public var description: String { address.family == .v4 ? "\(address):\(port)" : "[\(address)]:\(port)" }

  /// Reads what `description` writes.
  public init?(_ text: some StringProtocol) {
    let utf8 = Array(text.utf8)
    guard let colon = utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
    let digits = utf8[(colon + 1)...]
    guard digits.count <= 5, let port = UInt16(digits: String(decoding: digits, as: UTF8.self)) else { return nil }
    var host = utf8[..<colon]
    let bracketed = host.first == UInt8(ascii: "[") && host.last == UInt8(ascii: "]") && host.count > 2
    if bracketed { host = host.dropFirst().dropLast() }
    guard let address = IPAddress(String(decoding: host, as: UTF8.self)), bracketed == (address.family == .v6) else {
      return nil
    }
    self.init(address, port: port)
  }
}

/// The number of a network interface of one host, from 0.
@frozen public struct InterfaceID: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var number: UInt16
  @inlinable public init(_ number: UInt16) { self.number = number }
  @inlinable public static func < (left: InterfaceID, right: InterfaceID) -> Bool { left.number < right.number }
}
