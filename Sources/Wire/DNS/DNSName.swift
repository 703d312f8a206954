/// A domain name: labels of bytes, from the one of its own to the root.
///
/// The letters `A`…`Z` count as `a`…`z` where names are compared or hashed, every other byte as itself, so UTF-8 is
/// compared byte by byte (RFC 6762 §16). The bytes stay as they were given. A name is never longer than 255 bytes in
/// wire form, its labels never longer than 63 (RFC 1035 §2.3.4).
public struct DNSName: Sendable {
  /// The wire form without compression: each label behind its length, then the zero byte of the root. 1...255 bytes.
  public let wire: [UInt8]

  public static let wireBytesMaximum = 255
  public static let labelBytesMaximum = 63
  public static let root = DNSName(checked: [0])
  /// `local`, where the names of multicast DNS live.
  public static let local = DNSName(checked: [5, 0x6C, 0x6F, 0x63, 0x61, 0x6C, 0])

  /// The caller has checked that it is a wire form.
  init(checked wire: [UInt8]) { self.wire = wire }

  @inline(__always) func withWire<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    wire.withUnsafeBytes(body)
  }

  /// `nil` for a label that is empty or has more than 63 bytes, and for more than 255 bytes in all.
  public init?(labels: some Sequence<some Collection<UInt8>>) {
    var wire: [UInt8] = []
    for label in labels {
      guard (1...DNSName.labelBytesMaximum).contains(label.count) else { return nil }
      guard wire.count + label.count + 2 <= DNSName.wireBytesMaximum else { return nil }
      wire.append(UInt8(label.count))
      wire.append(contentsOf: label)
    }
    self.wire = wire + [0]
  }

  /// Each label as UTF-8, dots in it included; `nil` as for bytes.
  public init?(labels: [String]) { self.init(labels: labels.map { Array($0.utf8) }) }

  /// Without the root.
  public var labels: [[UInt8]] {
    var found: [[UInt8]] = []
    var place = 0
    while wire[place] != 0 {
      let end = place + 1 + Int(wire[place])
      found.append(Array(wire[place + 1..<end]))
      place = end
    }
    return found
  }

  /// Without the root.
  public var labelCount: Int {
    var (count, place) = (0, 0)
    while wire[place] != 0 {
      place &+= 1 &+ Int(wire[place])
      count &+= 1
    }
    return count
  }

  public var isRoot: Bool { wire.count == 1 }

  /// Empty for the root.
  public var firstLabel: ArraySlice<UInt8> { wire[1..<max(1, 1 + Int(wire[0]))] }

  /// What is left without the first label; `nil` for the root.
  public var parent: DNSName? { isRoot ? nil : DNSName(checked: Array(wire[(1 + Int(wire[0]))...])) }

  /// The name with a label before it; `nil` where the label or the name gets too long, or the label is empty.
  public func adding(_ label: some Collection<UInt8>) -> DNSName? {
    guard (1...DNSName.labelBytesMaximum).contains(label.count) else { return nil }
    guard wire.count + label.count + 1 <= DNSName.wireBytesMaximum else { return nil }
    return DNSName(checked: [UInt8(label.count)] + label + wire)
  }

  public func adding(_ label: String) -> DNSName? { adding(Array(label.utf8)) }

  /// Whether it is `other` or lies below it.
  public func isWithin(_ other: DNSName) -> Bool {
    // Not every byte is the start of a label: the suffix has to begin at one.
    var place = 0
    let start = wire.count - other.wire.count
    while place < start { place += 1 + Int(wire[place]) }
    guard place == start else { return false }
    return wire.withUnsafeBytes { own in
      other.wire.withUnsafeBytes { ASCIICase.equal(UnsafeRawBufferPointer(rebasing: own[start...]), $0) }
    }
  }

  /// Whether every byte is the same, letter case included.
  public func isIdentical(to other: DNSName) -> Bool { wire == other.wire }
}

extension DNSName: Hashable, Comparable {
  // A length is at most 63 and so is no letter: the wire form is compared as a whole.
  public static func == (left: DNSName, right: DNSName) -> Bool {
    left.wire.withUnsafeBytes { own in right.wire.withUnsafeBytes { ASCIICase.equal(own, $0) } }
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(wire.withUnsafeBytes { ASCIICase.hash($0) }) }

  /// An order of the wire forms, letter case aside: the same on every machine, of no meaning in DNS.
  public static func < (left: DNSName, right: DNSName) -> Bool {
    left.wire.lexicographicallyPrecedes(right.wire) { ASCIICase.fold($0) < ASCIICase.fold($1) }
  }
}
