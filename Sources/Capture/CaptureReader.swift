/// A pcap, pcapng or btsnoop file, packed with gzip or not, frame by frame, in one pass and without an allocation for each.
///
/// Bytes come in chunks from a closure; a frame is a view into the chunk, good until the next one is asked for. Reading
/// ends at the end of the file or at damage, which `problem` then names.
package struct CaptureReader: ~Copyable {
  package static let chunkBytes = 256 << 10
  /// A packet block larger than this is damage.
  package static let blockBytesMaximum = 256 << 20
  static let interfaceCountMaximum = 65_536
  /// Names and comments beyond these many are not kept.
  static let nameCountMaximum = 65_536
  static let commentCountMaximum = 4_096

  package enum Format: String, Hashable, Sendable { case pcap, pcapng, btsnoop }

  package internal(set) var format = Format.pcap
  /// Frames seen so far, and with them the number of the last one.
  package internal(set) var frameCount = 0
  package internal(set) var problem: CaptureProblem?
  /// Beside `problem`: how far the file was read, and whether anything but the rest of one record is missing.
  package internal(set) var damage: CaptureDamage?
  package internal(set) var interfaces: [CaptureInterface] = []
  package internal(set) var sections: [CaptureSection] = []
  package internal(set) var names: [CaptureName] = []
  /// Comments between frames that nobody has taken yet.
  var remarks: [String] = []

  let buffer: ChunkBuffer
  /// Unpacks the file, where it is packed.
  let gzip: GzipStream?
  var base: UnsafeRawPointer
  var cursor = 0
  var end = 0
  /// Where the buffer's first byte stands in the file.
  var baseOffset = 0

  var isSwapped = false
  // pcap and btsnoop
  var recordHeaderBytes = 16
  var linkType: UInt32 = 0
  var nanosecondsPerTick: UInt32 = 1_000
  var frameBytesMaximum: UInt32 = 262_144
  var lengths = LengthOrder.captureFirst
  // pcapng
  var sectionInterfaces = 0
  var commentCount = 0
  var isOver = false
  var second = SecondOfTicks()

  var pending = CaptureFrame()
  var hasPending = false

  /// Files of old versions have the two lengths of a record the other way round, or either way.
  enum LengthOrder { case captureFirst, originalFirst, smallerFirst }

  /// Reads the start of a file up to its first frame.
  /// - Parameter pull: fills the buffer from its start and says how many bytes it wrote; 0 at the end of the file,
  ///   negative when it failed.
  package init(
    chunkBytes: Int = CaptureReader.chunkBytes, pull: @escaping (UnsafeMutableRawBufferPointer) -> Int
  ) throws(CaptureError) {
    var chunks = ChunkBuffer(chunkBytes: chunkBytes, pull: pull)
    var have = chunks.refill(cursor: 0, end: 0, needed: 24)
    var gzip: GzipStream?
    if GzipStream.isGzip(UnsafeRawBufferPointer(start: chunks.base, count: have)) {
      let stream = GzipStream(start: UnsafeRawBufferPointer(start: chunks.base, count: have), pull: pull)
      gzip = stream
      chunks = ChunkBuffer(chunkBytes: chunkBytes) { stream.read(into: $0) }
      have = chunks.refill(cursor: 0, end: 0, needed: 24)
    }
    buffer = chunks
    self.gzip = gzip
    base = UnsafeRawPointer(buffer.base)
    end = have
    if have < 24, let offset = gzip?.damagedAt {
      throw .notCapture("its gzip stream is damaged or cut short (byte \(offset))")
    }
    if have == 0 {
      throw buffer.hasFailed ? .unreadable("the first bytes cannot be read") : .notCapture("the file is empty")
    }
    let start = UnsafeRawBufferPointer(start: base, count: have)
    switch FileSignature(start) {
    case .pcap(let signature):
      format = .pcap
      try open(signature)
    case .pcapng:
      format = .pcapng
    case .btsnoop:
      format = .btsnoop
      try openBtsnoop()
    case .other(let what):
      throw .notCapture(what)
    }
    var first = CaptureFrame()
    guard advance(&first) else {
      if format == .pcapng, sections.isEmpty {
        throw .notCapture("the first section header of a pcapng file is damaged, cut short or of an unknown version")
      }
      throw .noFrame(problem)
    }
    pending = first
    hasPending = true
  }

  /// Goes to the next frame; false at the end of the file and at damage.
  package mutating func next(_ frame: inout CaptureFrame) -> Bool {
    if hasPending {
      hasPending = false
      frame = pending
      return true
    }
    return advance(&frame)
  }

  /// Whether comments stand between the frames so far that nobody has taken.
  package var hasRemarks: Bool { !remarks.isEmpty }

  /// The comments that stand between the frames so far, each once.
  package mutating func takeRemarks() -> [String] {
    defer { remarks = [] }
    return remarks
  }

  mutating func advance(_ frame: inout CaptureFrame) -> Bool {
    switch format {
    case .pcap: advancePcap(&frame)
    case .pcapng: advancePcapng(&frame)
    case .btsnoop: advanceBtsnoop(&frame)
    }
  }

  /// Where the reader stands in the file.
  var byteOffset: Int { baseOffset + cursor }

  /// Makes `count` bytes readable at the cursor.
  @inline(__always) mutating func has(_ count: Int) -> Bool { end &- cursor >= count || refill(count) }

  @inline(never) mutating func refill(_ count: Int) -> Bool {
    baseOffset += cursor
    end = buffer.refill(cursor: cursor, end: end, needed: count)
    base = UnsafeRawPointer(buffer.base)
    cursor = 0
    return end >= count
  }

  @inline(__always) func word(_ offset: Int) -> UInt32 {
    let raw = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    return isSwapped ? raw.byteSwapped : raw
  }

  @inline(__always) func half(_ offset: Int) -> UInt16 {
    let raw = UInt16(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    return isSwapped ? raw.byteSwapped : raw
  }

  /// Ends the reading where the bytes ran out: cleanly between two records, else with damage.
  @inline(never) mutating func stopAtEnd(of offset: Int) -> Bool {
    if end > cursor || buffer.hasFailed { return stop(.cutShort, at: offset) }
    isOver = true
    return false
  }
}

/// What the first bytes of a file say it is.
enum FileSignature {
  struct Pcap {
    var isSwapped: Bool
    var nanosecondsPerTick: UInt32
    var recordHeaderBytes: Int
  }
  case pcap(Pcap)
  case pcapng
  case btsnoop
  case other(String)

  init(_ start: UnsafeRawBufferPointer) {
    let first = start.prefix(8).map { $0 }
    func begins(_ bytes: [UInt8]) -> Bool { first.starts(with: bytes) }
    for isSwapped in [false, true] {
      for (magic, ticks, header) in [(0xA1B2_C3D4, 1_000, 16), (0xA1B2_3C4D, 1, 16), (0xA1B2_CD34, 1_000, 24)] {
        let little = (0..<4).map { UInt8(truncatingIfNeeded: magic >> (8 * $0)) }
        guard begins(isSwapped ? little.reversed() : little) else { continue }
        self = .pcap(Pcap(isSwapped: isSwapped, nanosecondsPerTick: UInt32(ticks), recordHeaderBytes: header))
        return
      }
    }
    if begins([0x0A, 0x0D, 0x0D, 0x0A]) {
      self = .pcapng
      return
    }
    if begins(Array("btsnoop\0".utf8)) {
      self = .btsnoop
      return
    }
    let packed: [(name: String, magic: [UInt8])] = [
      ("zstd", [0x28, 0xB5, 0x2F, 0xFD]), ("lz4", [0x04, 0x22, 0x4D, 0x18]),
      ("xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A]), ("bzip2", Array("BZh".utf8)), ("zip", [0x50, 0x4B, 3, 4]),
      // Packed twice.
      ("gzip", [0x1F, 0x8B]),
    ]
    if let format = packed.first(where: { begins($0.magic) }) {
      self = .other("it is \(format.name)-compressed, unpack first")
    } else if begins(Array("snoop\0\0\0".utf8)) {
      self = .other("it is a snoop file of Solaris; convert it with: editcap -F pcap IN OUT")
    } else {
      let hex = first.prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
      self = .other("it begins with the bytes \(hex)")
    }
  }
}
