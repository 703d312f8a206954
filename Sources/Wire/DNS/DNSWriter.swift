/// Where names may be written as pointers to names before them.
public enum DNSCompression: Hashable, Sendable, CaseIterable, BitwiseCopyable {
  /// In every name that is read here: owners, and the data of PTR, CNAME, SRV and NSEC (RFC 6762 §18.14).
  case multicast
  /// As in a reply to a legacy query: never in the data of SRV and NSEC (RFC 6762 §18.14, RFC 3597 §4).
  case legacy
  /// In no name.
  case none
}

/// Writes one DNS message, entry by entry, and never beyond a limit.
///
/// An entry is written whole or not at all; after one that did not fit a shorter one still may. A name points to the
/// earliest place where the same bytes stand, letter case included, so that every name is read as it was given. The
/// same entries always give the same bytes.
public struct DNSWriter: Sendable {
  /// A payload on a link with an MTU of 1500 bytes, below IPv6 without extension headers.
  public static let usualLimitBytes = 1_452
  /// A payload for which the packet has 9000 bytes with the headers of IPv6 and UDP (RFC 6762 §17).
  public static let multicastLimitBytes = 8_952

  public let limitBytes: Int
  public let compression: DNSCompression
  private var written: [UInt8]
  /// Where names stand that a pointer can reach, each with what is cheap to compare.
  private var suffixes: [Suffix] = []
  /// Of questions, then of the records of each section.
  private var counts: [Int] = [0, 0, 0, 0]

  private struct Suffix {
    var offset: Int
    var key: UInt32
  }

  /// - Parameter limitBytes: at least the 12 of a header; more than 65 507 are none.
  public init(
    id: UInt16 = 0, flags: DNSFlags, limitBytes: Int = DNSWriter.usualLimitBytes,
    compression: DNSCompression = .multicast
  ) {
    self.limitBytes = max(DNSMessage.headerBytes, min(limitBytes, DNSReader.byteCountMaximum))
    self.compression = compression
    written = []
    written.reserveCapacity(min(self.limitBytes, 512))
    written.appendBigEndian(id)
    written.appendBigEndian(flags.rawValue)
    for _ in 0..<8 { written.append(0) }
  }

  /// Whether there is a question or a record.
  public var isEmpty: Bool { written.count == DNSMessage.headerBytes }

  /// Says that known answers follow in another message.
  public mutating func setTruncated() { written[2] |= 0x02 }

  /// Adds a question; `false` where it does not fit.
  ///
  /// - Precondition: no record was added.
  @discardableResult public mutating func add(_ question: DNSQuestion) -> Bool {
    precondition(counts[1...].allSatisfy { $0 == 0 }, "a question behind a record")
    return write(0) { writer in
      writer.append(question.name, compressed: writer.compression != .none)
      writer.written.appendBigEndian(question.type.rawValue)
      writer.written.appendBigEndian(
        question.questionClass.rawValue & ~DNSClass.topBit | (question.wantsUnicast ? DNSClass.topBit : 0))
      return true
    }
  }

  /// Adds a record; `false` where it does not fit.
  ///
  /// - Precondition: no record was added to a section behind `section`.
  @discardableResult public mutating func add(_ record: DNSRecord, to section: DNSSection) -> Bool {
    let place = Int(section.rawValue)
    precondition(counts[(place + 1)...].allSatisfy { $0 == 0 }, "a record behind one of a later section")
    return write(place) { writer in
      writer.append(record.name, compressed: writer.compression != .none)
      writer.written.appendBigEndian(record.type.rawValue)
      let isFlush = record.isCacheFlush && record.type != .opt
      let rawClass = record.recordClass.rawValue
      writer.written.appendBigEndian(
        record.type == .opt ? rawClass : rawClass & ~DNSClass.topBit | (isFlush ? DNSClass.topBit : 0))
      writer.written.appendBigEndian(UInt16(truncatingIfNeeded: record.ttlSeconds &>> 16))
      writer.written.appendBigEndian(UInt16(truncatingIfNeeded: record.ttlSeconds))
      let start = writer.written.count
      writer.written.appendBigEndian(0)
      writer.append(record.data)
      let size = writer.written.count - start - 2
      guard size <= 0xFFFF else { return false }
      writer.written.setBigEndian(UInt16(size), at: start)
      return true
    }
  }

  /// The message as it is now.
  public var bytes: [UInt8] {
    var bytes = written
    for (place, count) in counts.enumerated() { bytes.setBigEndian(UInt16(count), at: 4 + 2 * place) }
    return bytes
  }

  /// Writes one entry, and takes it back where it is too much.
  private mutating func write(_ place: Int, _ entry: (inout DNSWriter) -> Bool) -> Bool {
    let (byteCount, suffixCount) = (written.count, suffixes.count)
    if counts[place] < 0xFFFF, entry(&self), written.count <= limitBytes {
      counts[place] += 1
      return true
    }
    written.removeLast(written.count - byteCount)
    suffixes.removeLast(suffixes.count - suffixCount)
    return false
  }
}

extension DNSWriter {
  private mutating func append(_ data: DNSData) {
    switch data {
    case .ptr(let name), .cname(let name): append(name, compressed: compression != .none)
    case .srv(let priority, let weight, let port, let target):
      written.appendBigEndian(priority)
      written.appendBigEndian(weight)
      written.appendBigEndian(port)
      append(target, compressed: compression == .multicast)
    case .nsec(let next, let types):
      append(next, compressed: compression == .multicast)
      written += DNSData.bitmaps(of: types)
    case .address, .txt, .opt, .other: written += data.bytes
    }
  }

  /// Later names may point to any of its labels, whether or not it was compressed itself.
  private mutating func append(_ name: DNSName, compressed: Bool) {
    let wire = name.wire
    var place = 0
    while wire[place] != 0 {
      let size = Int(wire[place])
      let key = UInt32(wire.count - place) &<< 16 | UInt32(wire[place + 1]) &<< 8 | UInt32(wire[place + size])
      if compression != .none {
        let earlier = suffixes.first { $0.key == key && stands(wire, from: place, at: $0.offset) }
        if compressed, let earlier { return written.appendBigEndian(0xC000 | UInt16(earlier.offset)) }
        if earlier == nil, written.count <= 0x3FFF { suffixes.append(Suffix(offset: written.count, key: key)) }
      }
      written += wire[place...(place + size)]
      place += size + 1
    }
    written.append(0)
  }

  /// Whether the name that was written at `offset` is the end of `wire` from `place` on, byte for byte.
  private func stands(_ wire: [UInt8], from place: Int, at offset: Int) -> Bool {
    var (place, offset) = (place, offset)
    while true {
      if written[offset] >= 0xC0 { offset = Int(written[offset] & 0x3F) &<< 8 | Int(written[offset + 1]) }
      let size = Int(written[offset])
      guard size == Int(wire[place]) else { return false }
      if size == 0 { return true }
      guard written[offset + 1...offset + size] == wire[place + 1...place + size] else { return false }
      place += size + 1
      offset += size + 1
    }
  }
}

extension DNSMessage {
  /// A message within a limit, and how many entries of each part it has, from the first of the part on.
  public struct Written: Hashable, Sendable {
    public var bytes: [UInt8]
    public var questions: Int
    public var answers: Int
    public var authorities: Int
    public var additionals: Int
  }

  /// Writes as many entries as fit, in their order, up to the first one that does not.
  public func written(
    limitBytes: Int = DNSReader.byteCountMaximum, compression: DNSCompression = .multicast
  ) -> Written {
    var writer = DNSWriter(id: id, flags: flags, limitBytes: limitBytes, compression: compression)
    var isFull = false
    func count<Entry>(_ entries: [Entry], _ add: (Entry) -> Bool) -> Int {
      var count = 0
      while !isFull, count < entries.count {
        if add(entries[count]) { count += 1 } else { isFull = true }
      }
      return count
    }
    let asked = count(questions) { writer.add($0) }
    let answered = count(answers) { writer.add($0, to: .answers) }
    let authoritative = count(authorities) { writer.add($0, to: .authorities) }
    let additional = count(additionals) { writer.add($0, to: .additionals) }
    return Written(
      bytes: writer.bytes, questions: asked, answers: answered, authorities: authoritative, additionals: additional)
  }

  /// The whole message in the form of multicast, as far as 65 507 bytes go.
  public var bytes: [UInt8] { written().bytes }
}
