/// The key/value pairs of a TXT record as DNS-SD uses them (RFC 6763 §6).
public struct TXTRecord: Hashable, Sendable {
  /// What stands behind a key.
  public enum Value: Hashable, Sendable {
    /// `key`: no value at all.
    case noValue
    /// `key=` and any bytes; no bytes are a value, too.
    case bytes([UInt8])
  }

  public struct Pair: Hashable, Sendable {
    /// As it was written; printable ASCII without `=`.
    public let key: String
    public let value: Value
  }

  /// In their order; no key twice, the letters `A`…`Z` as `a`…`z`.
  public private(set) var pairs: [Pair] = []

  public static let stringBytesMaximum = 255

  public init() {}

  /// Reads the data of a TXT record.
  ///
  /// Ignored are a string that is empty or begins with `=`, one whose key has a byte that is not printable ASCII, and
  /// one with a key that was there before (RFC 6763 §6.1, §6.4).
  public init(_ bytes: UnsafeRawBufferPointer) throws(DNSFault) {
    var keys: Set<[UInt8]> = []
    var place = 0
    while place < bytes.count {
      let size = Int(bytes[place])
      let room = bytes.count - place - 1
      guard size <= room else { throw DNSFault(.textOverrun, at: place, expected: room, found: size) }
      let string = bytes[place + 1..<place + 1 + size]
      place += size + 1
      let key = string.prefix { $0 != UInt8(ascii: "=") }
      guard TXTRecord.isKey(key), keys.insert(key.map(ASCIICase.fold)).inserted else { continue }
      let value = key.count == string.count ? Value.noValue : .bytes(Array(string.dropFirst(key.count + 1)))
      pairs.append(Pair(key: String(decoding: key, as: UTF8.self), value: value))
    }
  }

  public init(_ bytes: [UInt8]) throws(DNSFault) {
    let read: Result<TXTRecord, DNSFault> = bytes.withUnsafeBytes { raw in
      do throws(DNSFault) { return .success(try TXTRecord(raw)) } catch { return .failure(error) }
    }
    self = try read.get()
  }

  /// Adds a pair behind the others; `false` where nothing was added: the key is none, it is there, or key and value are
  /// too much for a string of 255 bytes.
  @discardableResult public mutating func add(_ key: String, _ value: Value = .noValue) -> Bool {
    guard TXTRecord.isKey(key.utf8), self[key] == nil else { return false }
    let pair = Pair(key: key, value: value)
    guard pair.byteCount <= TXTRecord.stringBytesMaximum else { return false }
    pairs.append(pair)
    return true
  }

  @discardableResult public mutating func add(_ key: String, _ value: String) -> Bool {
    add(key, .bytes(Array(value.utf8)))
  }

  /// `nil`: no such key. Letter case does not matter.
  public subscript(key: String) -> Value? {
    pairs.first { $0.key.utf8.elementsEqual(key.utf8) { ASCIICase.fold($0) == ASCIICase.fold($1) } }?.value
  }

  /// The data of the record: each pair behind its length, and one zero byte where there is none (RFC 6763 §6.1).
  public var bytes: [UInt8] {
    if pairs.isEmpty { return [0] }
    var written: [UInt8] = []
    for pair in pairs {
      written.append(UInt8(pair.byteCount))
      written += pair.key.utf8
      if case .bytes(let value) = pair.value { written += [UInt8(ascii: "=")] + value }
    }
    return written
  }

  /// At least one byte, each printable ASCII other than `=` (RFC 6763 §6.4).
  static func isKey(_ key: some Collection<UInt8>) -> Bool {
    !key.isEmpty && key.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
  }
}

extension TXTRecord.Pair {
  /// Of the string, without its length.
  fileprivate var byteCount: Int {
    if case .bytes(let value) = value { key.utf8.count + 1 + value.count } else { key.utf8.count }
  }
}
