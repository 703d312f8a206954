package import RollcallPrimitives

/// Writes annotated pcapng: every frame may carry the comments that say why it is there.
///
/// Little-endian, one section, nanosecond time. Bytes gather in `bytes`; with a sink they go out in runs of some
/// 64 KiB, and `finish` sends the rest.
package struct CaptureWriter {
  static let flushBytes = 64 << 10
  /// A larger frame is not written.
  package static let frameBytesMaximum = CaptureReader.blockBytesMaximum / 2

  package typealias Sink = (UnsafeRawBufferPointer) -> Void

  /// What is written and has not gone to the sink.
  package private(set) var bytes: [UInt8] = []
  package private(set) var interfaceCount = 0
  private let sink: Sink?

  package init(section: CaptureSection, sink: Sink? = nil) {
    self.sink = sink
    begin(section)
  }

  /// Begins another section: the interfaces behind it are described anew and count from 0.
  package mutating func begin(_ section: CaptureSection) {
    interfaceCount = 0
    block(PcapngBlock.section) { bytes in
      bytes.appendLittleEndian(UInt32(0x1A2B_3C4D))
      bytes.appendLittleEndian(UInt16(1))
      bytes.appendLittleEndian(UInt16(0))
      // Section length unknown: a reader goes by the blocks.
      bytes.appendLittleEndian(UInt64.max)
      let texts = [(2, section.hardware), (3, section.operatingSystem), (4, section.application)]
      var options: [(UInt16, [UInt8])] = texts.compactMap { code, text in
        text.map { (UInt16(code), CaptureWriter.text($0)) }
      }
      options += section.comments.map { (PcapngOptions.comment, CaptureWriter.text($0)) }
      CaptureWriter.append(options, to: &bytes)
    }
  }

  /// Describes an interface and gives its number, for `frame`.
  package mutating func interface(
    name: String?, details: String? = nil, linkType: UInt32 = LinkType.ethernet, snapLength: UInt32 = 0,
    comments: [String] = []
  ) -> Int {
    block(PcapngBlock.interface) { bytes in
      bytes.appendLittleEndian(UInt16(truncatingIfNeeded: linkType))
      bytes.appendLittleEndian(UInt16(0))
      bytes.appendLittleEndian(snapLength)
      var options: [(UInt16, [UInt8])] = []
      if let name { options.append((2, CaptureWriter.text(name))) }
      if let details { options.append((3, CaptureWriter.text(details))) }
      options.append((9, [9]))
      options += comments.map { (PcapngOptions.comment, CaptureWriter.text($0)) }
      CaptureWriter.append(options, to: &bytes)
    }
    interfaceCount += 1
    return interfaceCount - 1
  }

  /// Gives names to addresses, so that an analyser shows hosts and not numbers. An empty name is left out.
  package mutating func names(_ names: [CaptureName]) {
    block(PcapngBlock.names) { bytes in
      for name in names {
        // A name ends with a zero byte, so it cannot hold one.
        let text = CaptureWriter.text(name.name.filter { $0 != "\0" }, upTo: 255)
        if text.isEmpty { continue }
        let record = name.address.bytes + text + [0]
        bytes.appendLittleEndian(UInt16(name.address.family == .v4 ? 1 : 2))
        bytes.appendLittleEndian(UInt16(record.count))
        bytes += record
        bytes.padToWord()
      }
      bytes.appendLittleEndian(UInt32(0))
    }
  }

  /// Writes comments between frames, as those of an interface's statistics.
  /// - Parameter time: since the Unix epoch.
  package mutating func remarks(_ comments: [String], interface: Int = 0, time: Instant) {
    let ticks = UInt64(max(0, time.nanoseconds))
    block(PcapngBlock.statistics) { bytes in
      bytes.appendLittleEndian(UInt32(interface))
      bytes.appendLittleEndian(UInt32(truncatingIfNeeded: ticks >> 32))
      bytes.appendLittleEndian(UInt32(truncatingIfNeeded: ticks))
      CaptureWriter.append(comments.map { (PcapngOptions.comment, CaptureWriter.text($0)) }, to: &bytes)
    }
  }

  /// Writes one frame.
  /// - Parameters:
  ///   - time: since the Unix epoch; what lies before it is written as the epoch itself.
  ///   - originalCount: bytes on the wire, where fewer were kept.
  ///   - direction: whether the capturing host heard or sent it.
  package mutating func frame(
    interface: Int, time: Instant, _ content: UnsafeRawBufferPointer, originalCount: Int? = nil,
    direction: CaptureFrame.Direction? = nil, comments: [String] = []
  ) {
    precondition(interface >= 0 && interface < interfaceCount, "a frame of an interface that was not described")
    precondition(content.count <= CaptureWriter.frameBytesMaximum, "no frame is that large")
    let ticks = UInt64(max(0, time.nanoseconds))
    block(PcapngBlock.enhancedPacket) { bytes in
      bytes.appendLittleEndian(UInt32(interface))
      bytes.appendLittleEndian(UInt32(truncatingIfNeeded: ticks >> 32))
      bytes.appendLittleEndian(UInt32(truncatingIfNeeded: ticks))
      bytes.appendLittleEndian(UInt32(content.count))
      bytes.appendLittleEndian(UInt32(clamping: max(content.count, originalCount ?? content.count)))
      bytes.append(contentsOf: content)
      bytes.padToWord()
      var options = comments.map { (PcapngOptions.comment, CaptureWriter.text($0)) }
      if let direction { options.append((PcapngOptions.flags, [direction.rawValue, 0, 0, 0])) }
      if !options.isEmpty { CaptureWriter.append(options, to: &bytes) }
    }
    if bytes.count >= CaptureWriter.flushBytes { finish() }
  }

  /// As above, for a frame in an array.
  package mutating func frame(
    interface: Int, time: Instant, _ content: [UInt8], originalCount: Int? = nil,
    direction: CaptureFrame.Direction? = nil, comments: [String] = []
  ) {
    content.withUnsafeBytes {
      frame(
        interface: interface, time: time, $0, originalCount: originalCount, direction: direction, comments: comments)
    }
  }

  /// Sends what is left to the sink; without a sink everything stays in `bytes`.
  package mutating func finish() {
    guard let sink else { return }
    bytes.withUnsafeBytes { sink($0) }
    bytes.removeAll(keepingCapacity: true)
  }

  // MARK: Blocks

  private mutating func block(_ type: UInt32, _ body: (inout [UInt8]) -> Void) {
    let start = bytes.count
    bytes.appendLittleEndian(type)
    bytes.appendLittleEndian(UInt32(0))
    body(&bytes)
    let total = UInt32(bytes.count - start + 4)
    bytes.appendLittleEndian(total)
    for index in 0..<4 { bytes[start + 4 + index] = UInt8(truncatingIfNeeded: total >> UInt32(8 * index)) }
  }

  private static func append(_ options: [(UInt16, [UInt8])], to bytes: inout [UInt8]) {
    for (code, value) in options {
      bytes.appendLittleEndian(code)
      bytes.appendLittleEndian(UInt16(value.count))
      bytes += value
      bytes.padToWord()
    }
    bytes.appendLittleEndian(UInt32(0))
  }

  /// UTF-8 of at most `count` bytes, cut between two characters; an option has 16 bits for its length.
  private static func text(_ text: String, upTo count: Int = 65_535) -> [UInt8] {
    var bytes = Array(text.utf8)
    if bytes.count > count {
      var end = count
      while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
      bytes.removeSubrange(end...)
    }
    return bytes
  }
}

extension [UInt8] {
  mutating func appendLittleEndian(_ value: some FixedWidthInteger & UnsignedInteger) {
    for index in 0..<(value.bitWidth / 8) { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
  }

  /// Blocks, options and frames are padded to four bytes; blocks begin at multiples of four.
  mutating func padToWord() {
    while count % 4 != 0 { append(0) }
  }
}
