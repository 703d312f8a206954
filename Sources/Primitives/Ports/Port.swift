/// The number of a port: one way in which a machine meets the world. It is part of the digest of every entry.
///
/// Numbers below 16 belong to this package; a port of another package takes one of the others.
@frozen public struct PortNumber: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var number: UInt8
  @inlinable public init(_ number: UInt8) { self.number = number }
  @inlinable public static func < (left: PortNumber, right: PortNumber) -> Bool { left.number < right.number }

  @inlinable public static var lan: PortNumber { PortNumber(0) }
  @inlinable public static var host: PortNumber { PortNumber(1) }
  @inlinable public static var application: PortNumber { PortNumber(2) }
  @inlinable public static var streams: PortNumber { PortNumber(3) }
  @inlinable public static var radio: PortNumber { PortNumber(4) }
  @inlinable public static var store: PortNumber { PortNumber(5) }
  @inlinable public static var process: PortNumber { PortNumber(6) }
}

/// A value that passes a port, in one of its two directions.
///
/// The type has everything that is to be said about its values: what they add to the digest of a run, and their text in
/// both directions.
public protocol PortValue: Hashable, Sendable {
  static var port: PortNumber { get }
  /// The words with which its text can begin; no two types of one direction share one.
  static var verbs: [String] { get }
  /// Adds what tells this value from every other of its type.
  func fold(into digest: inout Digest)
  /// Writes one line, the first word of which is one of `verbs`.
  func write(to words: inout WordWriter)
  /// Reads what `write` wrote, from the second word on.
  init(verb: Substring, from words: inout WordReader) throws(WordError)
}

extension PortValue {
  /// One line of printable ASCII.
  public var text: String {
    var words = WordWriter()
    write(to: &words)
    return words.text
  }

  /// Reads what `text` wrote.
  public init(text: some StringProtocol) throws(WordError) {
    var words = WordReader(Substring(text))
    let expected = "one of the words \(Self.verbs.joined(separator: ", "))"
    let verb = try words.next(expected)
    guard Self.verbs.contains(String(verb)) else { throw words.error(expected) }
    try self.init(verb: verb, from: &words)
    try words.end()
  }

  /// The sum of the value alone.
  public var digest: UInt64 {
    var digest = Digest()
    fold(into: &digest)
    return digest.state
  }
}

/// Any value of a port, as a trace keeps it: equal to values of the same type only.
public struct AnyPortValue: Hashable, Sendable {
  public let value: any PortValue
  public init(_ value: some PortValue) { self.value = value }

  public static func == (left: AnyPortValue, right: AnyPortValue) -> Bool {
    AnyHashable(left.value) == AnyHashable(right.value)
  }
  public func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(value)) }
}

extension Digest {
  mutating func combine(_ address: IPAddress) { combine(address.low, address.high ^ UInt64(address.family.rawValue)) }

  mutating func combine(_ endpoint: Endpoint) {
    combine(endpoint.address)
    combine(UInt64(endpoint.port))
  }

  /// No number differs from every number.
  mutating func combine(_ number: (some FixedWidthInteger)?) {
    combine(number.map { UInt64(truncatingIfNeeded: $0) } ?? 0, number == nil ? 1 : 2)
  }

  mutating func combine(_ text: String?) {
    combine(text == nil ? 1 : 2)
    if let text { combine(text) }
  }

  mutating func combine(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { combine(Digest.hash($0)) }
  }
}
