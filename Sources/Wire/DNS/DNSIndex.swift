import RollcallPrimitives

/// Where the questions and records of a message stand that `DNSReader` has checked: no name and no text is copied.
///
/// It is of use beside the bytes that it was made of, and what makes values of them cannot fail: no other bytes may be
/// given.
package struct DNSIndex: Sendable {
  /// A question or a record.
  package struct Entry: Sendable, BitwiseCopyable {
    /// As it stands in the message; 0 of a question.
    package let ttlSeconds: UInt32
    /// As they stand there, the first byte highest: type and class.
    private let kind: UInt32
    /// Where its name begins; that may be a pointer.
    package let nameStart: UInt16
    /// Where its data begins; of a question, where it ends.
    let dataStart: UInt16
    let dataBytes: UInt16

    /// The places lie in a message, which has at most 65 507 bytes.
    /// `head` is what stands behind the name, the first byte highest: type, class, and of a record the TTL in seconds.
    @inline(__always) init(nameAt nameStart: Int, head: UInt64, dataAt dataStart: Int, byteCount: Int) {
      (ttlSeconds, kind) = (UInt32(truncatingIfNeeded: head), UInt32(truncatingIfNeeded: head &>> 32))
      self.nameStart = UInt16(truncatingIfNeeded: nameStart)
      self.dataStart = UInt16(truncatingIfNeeded: dataStart)
      dataBytes = UInt16(truncatingIfNeeded: byteCount)
    }

    @inline(__always) static func type(ofHead head: UInt64) -> DNSType {
      DNSType(rawValue: UInt16(truncatingIfNeeded: head &>> 48))
    }

    @inline(__always) package var type: DNSType { DNSType(rawValue: UInt16(truncatingIfNeeded: kind &>> 16)) }
    /// With the top bit: QU of a question, cache-flush of a record.
    @inline(__always) var rawClass: UInt16 { UInt16(truncatingIfNeeded: kind) }
  }

  package private(set) var id: UInt16 = 0
  package private(set) var flags = DNSFlags(rawValue: 0)
  /// Questions, answers, authorities, additionals, each in their order, without the records that were left out.
  package internal(set) var entries: [Entry] = []
  private var ends = Ends(questions: 0, answers: 0, authorities: 0, all: 0)
  /// As `DNSReader.Reading` has them.
  package private(set) var faults: [DNSFault] = []

  /// Of no message, until `DNSReader.check` is given it.
  package init() {}

  /// Where each of the four kinds ends in `entries`.
  struct Ends {
    var questions, answers, authorities, all: Int
  }

  var questions: Range<Int> { 0..<ends.questions }
  var answers: Range<Int> { ends.questions..<ends.answers }
  var authorities: Range<Int> { ends.answers..<ends.authorities }
  var additionals: Range<Int> { ends.authorities..<ends.all }

  /// Makes `entries` at least as many as those.
  mutating func makeRoom(_ count: Int) {
    if entries.count >= count { return }
    entries = [Entry](repeating: Entry(nameAt: 0, head: 0, dataAt: 0, byteCount: 0), count: count)
  }

  mutating func set(id: UInt16, flags: DNSFlags, _ ends: Ends, _ faults: [DNSFault]) {
    (self.id, self.flags, self.ends) = (id, flags, ends)
    // Most have none before and after.
    if !faults.isEmpty || !self.faults.isEmpty { self.faults = faults }
    if ends.all < entries.count { entries.removeLast(entries.count &- ends.all) }
  }

  /// Makes all values.
  func message(of bytes: UnsafeRawBufferPointer) -> DNSMessage {
    var names = DNSNames()
    var message = DNSMessage(id: id, flags: flags)
    message.questions = entries[questions].map { $0.question(of: bytes, &names) }
    message.answers = entries[answers].map { $0.record(of: bytes, &names) }
    message.authorities = entries[authorities].map { $0.record(of: bytes, &names) }
    message.additionals = entries[additionals].map { $0.record(of: bytes, &names) }
    return message
  }
}

extension DNSIndex.Entry {
  func question(of bytes: UnsafeRawBufferPointer, _ names: inout DNSNames) -> DNSQuestion {
    DNSQuestion(
      names.name(at: Int(nameStart), of: bytes), type,
      questionClass: DNSClass(rawValue: rawClass & ~DNSClass.topBit), wantsUnicast: rawClass & DNSClass.topBit != 0)
  }

  func record(of bytes: UnsafeRawBufferPointer, _ names: inout DNSNames) -> DNSRecord {
    let hasTopBit = type != .opt && rawClass & DNSClass.topBit != 0
    return DNSRecord(
      names.name(at: Int(nameStart), of: bytes), data(of: bytes, &names), ttlSeconds: ttlSeconds,
      isCacheFlush: hasTopBit, recordClass: DNSClass(rawValue: hasTopBit ? rawClass & ~DNSClass.topBit : rawClass))
  }

  private func data(of bytes: UnsafeRawBufferPointer, _ names: inout DNSNames) -> DNSData {
    let start = Int(dataStart)
    let data = UnsafeRawBufferPointer(rebasing: bytes[start..<start &+ Int(dataBytes)])
    switch type {
    case .a: return .address(IPAddress(v4: data.big32(0)))
    case .aaaa: return .address(IPAddress(v6High: data.big64(0), low: data.big64(8)))
    case .ptr: return .ptr(names.name(at: start, of: bytes))
    case .cname: return .cname(names.name(at: start, of: bytes))
    case .srv:
      return .srv(
        priority: data.big16(0), weight: data.big16(2), port: data.big16(4),
        target: names.name(at: start &+ 6, of: bytes))
    case .txt: return .txt(Array(data))
    case .nsec: return .nsec(next: names.name(at: start, of: bytes), types: DNSIndex.Entry.types(data))
    case .opt: return .opt(Array(data))
    default: return .other(type, Array(data))
    }
  }

  /// The types of the windows behind the name of an NSEC record.
  private static func types(_ data: UnsafeRawBufferPointer) -> DNSTypeSet {
    var place = 0
    while data[place] != 0, data[place] < 64 { place &+= 1 &+ Int(data[place]) }
    place &+= data[place] == 0 ? 1 : 2
    var types = DNSTypeSet()
    while place < data.count {
      let end = place &+ 2 &+ Int(data[place &+ 1])
      types.insert(window: Int(data[place]), UnsafeRawBufferPointer(rebasing: data[place &+ 2..<end]))
      place = end
    }
    return types
  }
}

/// The names of one message that were made already: a name that many entries point to is one value.
struct DNSNames {
  private static let countMaximum = 24
  private var made: [(start: Int, name: DNSName)] = []

  mutating func name(at start: Int, of bytes: UnsafeRawBufferPointer) -> DNSName {
    let start = DNSNames.firstLabel(ofNameAt: start, of: bytes)
    if let place = made.lastIndex(where: { $0.start == start }) { return made[place].name }
    let name = DNSNames.expanded(start, of: bytes) { DNSName(checked: Array($0)) }
    // More are not looked for.
    if made.count < DNSNames.countMaximum { made.append((start, name)) }
    return name
  }

  /// `DNSName.key` of the name at a place, which is not made.
  static func key(at start: Int, of bytes: UnsafeRawBufferPointer) -> UInt64 {
    expanded(start, of: bytes) { ASCIICase.hash($0) }
  }

  /// Where its first label stands, or its root: behind the pointers that it begins with.
  static func firstLabel(ofNameAt start: Int, of bytes: UnsafeRawBufferPointer) -> Int {
    var place = start
    while bytes[place] >= 0xC0 { place = bytes.pointer(place) }
    return place
  }

  /// Gives the wire form without compression to `body`: where it stands, if there is no pointer in it.
  @inline(__always) private static func expanded<Value>(
    _ start: Int, of bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Value
  ) -> Value {
    /// The end of the labels that stand side by side from `place` on.
    func labelsEnd(_ place: Int) -> Int {
      var place = place
      while bytes[place] != 0, bytes[place] < 64 { place &+= 1 &+ Int(bytes[place]) }
      return place
    }
    let end = labelsEnd(start)
    if bytes[end] == 0 { return body(UnsafeRawBufferPointer(rebasing: bytes[start...end])) }
    return withUnsafeTemporaryAllocation(byteCount: DNSName.wireBytesMaximum, alignment: 1) { room in
      var (run, end, count) = (start, end, 0)
      while true {
        let isLast = bytes[end] == 0
        let labels = UnsafeRawBufferPointer(rebasing: bytes[run..<(isLast ? end &+ 1 : end)])
        UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyMemory(from: labels)
        count &+= labels.count
        if isLast { return body(UnsafeRawBufferPointer(rebasing: room[..<count])) }
        run = bytes.pointer(end)
        end = labelsEnd(run)
      }
    }
  }
}

/// The bytes of a message, as a start and a count: both are asked for at every step of a check.
struct DNSBytes {
  private let start: UnsafeRawPointer
  let count: Int

  /// Of bytes that have a start, as all have that are not empty.
  @inline(__always) init(_ bytes: UnsafeRawBufferPointer) {
    (start, count) = (bytes.baseAddress.unsafelyUnwrapped, bytes.count)
  }

  @inline(__always) subscript(offset: Int) -> UInt8 { number(offset) }
  @inline(__always) func big16(_ offset: Int) -> UInt16 { number(offset) }
  @inline(__always) func big32(_ offset: Int) -> UInt32 { number(offset) }
  @inline(__always) func big64(_ offset: Int) -> UInt64 { number(offset) }
  /// Where the compression pointer at `offset` leads (RFC 1035 §4.1.4).
  @inline(__always) func pointer(_ offset: Int) -> Int { Int(big16(offset) & 0x3FFF) }

  /// The highest byte stands first. The caller has checked that all are there.
  @inline(__always) private func number<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Number {
    assert(offset >= 0 && offset <= count - MemoryLayout<Number>.size)
    return Number(bigEndian: start.loadUnaligned(fromByteOffset: offset, as: Number.self))
  }
}

extension UnsafeRawBufferPointer {
  @inline(__always) func big16(_ offset: Int) -> UInt16 { DNSBytes(self).big16(offset) }
  @inline(__always) func big32(_ offset: Int) -> UInt32 { DNSBytes(self).big32(offset) }
  @inline(__always) func big64(_ offset: Int) -> UInt64 { DNSBytes(self).big64(offset) }
  @inline(__always) func pointer(_ offset: Int) -> Int { DNSBytes(self).pointer(offset) }
}
