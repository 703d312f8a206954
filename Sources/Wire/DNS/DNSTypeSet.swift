/// Types of records, each once: which there are of a name, as an NSEC record says it (RFC 4034 §4.1.2, RFC 6762 §6.1).
public struct DNSTypeSet: Hashable, Sendable {
  /// The types below 64, which are all that multicast DNS needs: the highest bit is type 0.
  private var low: UInt64 = 0
  /// The others, rising.
  private var high: [DNSType] = []

  public init() {}
  public init(_ types: some Sequence<DNSType>) { for type in types { insert(type) } }

  public mutating func insert(_ type: DNSType) {
    if type.rawValue < 64 {
      low |= DNSTypeSet.bit(type.rawValue)
    } else {
      let place = high.lastIndex { $0 <= type }.map { $0 + 1 } ?? 0
      if place == 0 || high[place - 1] != type { high.insert(type, at: place) }
    }
  }

  /// Adds the types of one window (RFC 4034 §4.1.2): 0...255, and its bitmap of at most 32 bytes.
  @inline(__always) mutating func insert(window: Int, _ bitmap: UnsafeRawBufferPointer) {
    let lowCount = window == 0 ? Swift.min(8, bitmap.count) : 0
    for index in 0..<lowCount { low |= UInt64(bitmap[index]) &<< UInt64(56 &- index &* 8) }
    for index in lowCount..<bitmap.count {
      var bits = bitmap[index]
      while bits != 0 {
        let bit = bits.leadingZeroBitCount
        insert(DNSType(rawValue: UInt16(truncatingIfNeeded: window &<< 8 | index &<< 3 | bit)))
        bits &= ~(0x80 &>> UInt8(truncatingIfNeeded: bit))
      }
    }
  }

  public func contains(_ type: DNSType) -> Bool {
    type.rawValue < 64 ? low & DNSTypeSet.bit(type.rawValue) != 0 : high.contains(type)
  }

  @inline(__always) fileprivate static func bit(_ type: UInt16) -> UInt64 { 1 &<< (63 &- UInt64(type)) }
}

extension DNSTypeSet: Sequence, ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: DNSType...) { self.init(elements) }

  /// The types, rising.
  public struct Iterator: IteratorProtocol {
    fileprivate var low: UInt64
    fileprivate var high: IndexingIterator<[DNSType]>

    public mutating func next() -> DNSType? {
      if low == 0 { return high.next() }
      let type = UInt16(truncatingIfNeeded: low.leadingZeroBitCount)
      low &= ~DNSTypeSet.bit(type)
      return DNSType(rawValue: type)
    }
  }

  public func makeIterator() -> Iterator { Iterator(low: low, high: high.makeIterator()) }
}
