internal import RollcallPrimitives

/// Numbers of the blocks of a pcapng file.
enum PcapngBlock {
  static let section: UInt32 = 0x0A0D_0D0A
  static let interface: UInt32 = 1
  /// Obsolete; still written by old tools.
  static let packet: UInt32 = 2
  static let simplePacket: UInt32 = 3
  static let names: UInt32 = 4
  static let statistics: UInt32 = 5
  static let enhancedPacket: UInt32 = 6

  /// Blocks that hold no frame of ours, but that the analysers number like frames: a number must mean the same thing
  /// here and there. Custom blocks, a systemd journal entry, and three kinds of Sysdig events.
  static func isNumbered(_ type: UInt32) -> Bool {
    switch type {
    case 0xBAD, 0x4000_0BAD, 9, 0x204, 0x216, 0x221: true
    default: false
    }
  }
}

/// The second in which the latest packet of an interface was captured: what need not be worked out again.
struct SecondOfTicks: BitwiseCopyable {
  var interface = -1
  var firstTick: UInt64 = 0
  /// Ticks of the interface's clock; 0: not known.
  var ticks: UInt64 = 0
  var nanosecondsPerTick: UInt64 = 0
  var seconds: Int64 = 0
  /// The same second in nanoseconds.
  var nanoseconds: Int64 = 0
}

extension CaptureReader {
  mutating func advancePcapng(_ frame: inout CaptureFrame) -> Bool {
    while !isOver {
      guard has(12) else { return stopAtEnd(of: byteOffset) }
      let offset = byteOffset
      // The section header's number reads the same in both byte orders; only then may the order change.
      let type = word(cursor)
      if type == PcapngBlock.section {
        guard has(16) else { return stop(.cutShort, at: offset) }
        guard openSection() else { return stop(.brokenSection, at: offset) }
      }
      let claimed = Int(word(cursor &+ 4))
      guard claimed >= 12 else { return stop(.brokenBlock, at: offset, value: claimed) }
      // Some writers leave the padding out of the length.
      let total = (claimed &+ 3) & ~3
      guard Self.isKept(type) else {
        guard skip(total, claimed, at: offset) else { return false }
        if PcapngBlock.isNumbered(type) { frameCount &+= 1 }
        continue
      }
      if total > CaptureReader.blockBytesMaximum { return stop(.wildLength, at: offset, value: claimed) }
      guard has(total) else { return stop(.cutShort, at: offset) }
      guard Int(word(cursor &+ total &- 4)) == claimed else { return stop(.brokenBlock, at: offset, value: claimed) }
      let body = cursor &+ 8
      let bodyEnd = cursor &+ total &- 4
      cursor &+= total
      switch type {
      case PcapngBlock.enhancedPacket, PcapngBlock.packet:
        return readPacket(&frame, body, bodyEnd, isEnhanced: type == PcapngBlock.enhancedPacket, at: offset)
      case PcapngBlock.simplePacket:
        return readSimplePacket(&frame, body, bodyEnd, at: offset)
      case PcapngBlock.section:
        readSection(body, bodyEnd)
      case PcapngBlock.interface:
        guard readInterface(body, bodyEnd, at: offset) else { return false }
      case PcapngBlock.statistics: readStatistics(body, bodyEnd)
      default:
        readNames(body, bodyEnd)
      }
    }
    return false
  }

  static func isKept(_ type: UInt32) -> Bool {
    switch type {
    case PcapngBlock.section, PcapngBlock.interface, PcapngBlock.packet, PcapngBlock.simplePacket,
      PcapngBlock.names, PcapngBlock.statistics, PcapngBlock.enhancedPacket:
      true
    default: false
    }
  }

  /// Passes over a block of any length, which need not fit the buffer.
  mutating func skip(_ total: Int, _ claimed: Int, at offset: Int) -> Bool {
    // What fits is kept together until it is known to be whole: if it is not, somebody looks what it was.
    if total <= CaptureReader.chunkBytes, !has(total) { return stop(.cutShort, at: offset) }
    var left = total - 4
    while left > end - cursor {
      left -= end - cursor
      cursor = end
      guard has(1) else { return stop(.cutShort, at: offset, isPassedOver: true) }
    }
    cursor += left
    guard has(4) else { return stop(.cutShort, at: offset, isPassedOver: true) }
    guard Int(word(cursor)) == claimed else { return stop(.brokenBlock, at: offset, value: claimed) }
    cursor += 4
    return true
  }

  // MARK: Packets

  mutating func readPacket(
    _ frame: inout CaptureFrame, _ body: Int, _ bodyEnd: Int, isEnhanced: Bool, at offset: Int
  ) -> Bool {
    guard bodyEnd &- body >= 20 else { return stop(.brokenBlock, at: offset) }
    let interface = isEnhanced ? Int(word(body)) : Int(half(body))
    let captured = Int(word(body &+ 12))
    guard captured <= bodyEnd &- body &- 20 else { return stop(.wildLength, at: offset, value: captured) }
    let index = sectionInterfaces &+ interface
    guard index < interfaces.count else { return stop(.unknownInterface, at: offset, value: interface) }
    let ticks = UInt64(word(body &+ 4)) &<< 32 | UInt64(word(body &+ 8))
    setTime(&frame, ticks, index)
    fill(&frame, index, captured, original: Int(word(body &+ 16)), start: body &+ 20, bodyEnd)
    return true
  }

  mutating func readSimplePacket(_ frame: inout CaptureFrame, _ body: Int, _ bodyEnd: Int, at offset: Int) -> Bool {
    guard bodyEnd &- body >= 4 else { return stop(.brokenBlock, at: offset) }
    guard sectionInterfaces < interfaces.count else { return stop(.unknownInterface, at: offset, value: 0) }
    let original = Int(word(body))
    let captured = simpleCount(of: original)
    guard captured <= bodyEnd &- body &- 4 else { return stop(.wildLength, at: offset, value: captured) }
    (frame.seconds, frame.fraction, frame.time, frame.hasTime) = (0, 0, .zero, false)
    fill(&frame, sectionInterfaces, captured, original: original, start: body &+ 4, bodyEnd)
    // What follows is padding: this block has no options.
    frame.optionsCount = 0
    return true
  }

  /// How many bytes were kept of a simple packet, which is of the first interface of its section and does not say.
  func simpleCount(of original: Int) -> Int {
    let snapLength = Int(interfaces[sectionInterfaces].snapLength)
    return snapLength == 0 ? original : min(original, snapLength)
  }

  @inline(__always) mutating func fill(
    _ frame: inout CaptureFrame, _ index: Int, _ captured: Int, original: Int, start: Int, _ bodyEnd: Int
  ) {
    frameCount &+= 1
    frame.number = frameCount
    frame.linkType = interfaces[index].linkType
    frame.interface = index
    frame.capturedCount = captured
    frame.originalCount = original
    frame.bytes = base + start
    let options = start &+ ((captured &+ 3) & ~3)
    frame.options = base + options
    frame.optionsCount = max(0, bodyEnd &- options)
    frame.isSwapped = isSwapped
  }

  @inline(__always) mutating func setTime(_ frame: inout CaptureFrame, _ ticks: UInt64, _ index: Int) {
    // Nearly every packet is of the same second as the one before.
    let rest = ticks &- second.firstTick
    guard second.interface == index, rest < second.ticks else { return setTimeAnew(&frame, ticks, index) }
    let fraction = rest &* second.nanosecondsPerTick
    frame.seconds = second.seconds
    frame.fraction = Int32(truncatingIfNeeded: fraction)
    frame.time = Instant(nanoseconds: second.nanoseconds &+ Int64(truncatingIfNeeded: fraction))
    frame.hasTime = true
  }

  @inline(never) private mutating func setTimeAnew(_ frame: inout CaptureFrame, _ ticks: UInt64, _ index: Int) {
    let perSecond = interfaces[index].ticksPerSecond
    let (whole, rest) = ticks.quotientAndRemainder(dividingBy: perSecond)
    let fraction: UInt64
    switch perSecond {
    case 1_000_000: fraction = rest &* 1_000
    case 1_000_000_000: fraction = rest
    default:
      // rest < perSecond, so the quotient is below 10⁹ and fits.
      fraction = perSecond.dividingFullWidth(rest.multipliedFullWidth(by: 1_000_000_000)).quotient
    }
    let (seconds, wraps) = Int64(clamping: whole).addingReportingOverflow(interfaces[index].offsetSeconds)
    frame.seconds = wraps ? .max : seconds
    frame.fraction = Int32(truncatingIfNeeded: fraction)
    // Clock offsets of a hostile file reach past what an instant holds: worked out whole, then cut.
    frame.time = Instant(nanoseconds: Int64(clamping: Int128(frame.seconds) * 1_000_000_000 + Int128(fraction)))
    frame.hasTime = true
    guard perSecond == 1_000_000 || perSecond == 1_000_000_000, (-9_000_000_000...9_000_000_000).contains(frame.seconds)
    else { return }
    second = SecondOfTicks(
      interface: index, firstTick: ticks &- rest, ticks: perSecond, nanosecondsPerTick: 1_000_000_000 / perSecond,
      seconds: frame.seconds, nanoseconds: frame.seconds * 1_000_000_000)
  }

  // MARK: What describes the file

  /// Finds the byte order of the section that begins at the cursor, of which 16 bytes are there.
  mutating func openSection() -> Bool {
    switch UInt32(littleEndian: base.loadUnaligned(fromByteOffset: cursor + 8, as: UInt32.self)) {
    case 0x1A2B_3C4D: isSwapped = false
    case 0x4D3C_2B1A: isSwapped = true
    default: return false
    }
    // Minor version 2 was written by mistake and means 0.
    return word(cursor + 4) >= 28 && half(cursor + 12) == 1 && (half(cursor + 14) == 0 || half(cursor + 14) == 2)
  }

  mutating func readSection(_ body: Int, _ bodyEnd: Int) {
    sectionInterfaces = interfaces.count
    var section = CaptureSection()
    options(body + 16, bodyEnd).forEach { code, value in
      let text = String(decoding: value, as: UTF8.self)
      switch code {
      case PcapngOptions.comment: if keepsComment() { section.comments.append(text) }
      case 2: section.hardware = text
      case 3: section.operatingSystem = text
      case 4: section.application = text
      default: break
      }
    }
    // A file may begin a section with every packet; one more of them says nothing new.
    if sections.count < CaptureReader.commentCountMaximum { sections.append(section) }
  }

  mutating func readInterface(_ body: Int, _ bodyEnd: Int, at offset: Int) -> Bool {
    guard bodyEnd - body >= 8 else { return stop(.brokenBlock, at: offset) }
    guard interfaces.count < CaptureReader.interfaceCountMaximum else { return stop(.tooManyInterfaces, at: offset) }
    var interface = CaptureInterface(linkType: UInt32(half(body)), snapLength: word(body + 4))
    interface.section = max(0, sections.count - 1)
    let isSwapped = isSwapped
    options(body + 8, bodyEnd).forEach { code, value in
      switch (code, value.count) {
      case (PcapngOptions.comment, _):
        if keepsComment() { interface.comments.append(String(decoding: value, as: UTF8.self)) }
      case (2, _): interface.name = String(decoding: value, as: UTF8.self)
      case (3, _): interface.details = String(decoding: value, as: UTF8.self)
      case (9, 1...): interface.ticksPerSecond = CaptureReader.ticksPerSecond(value[0])
      case (14, 8...):
        let raw = Int64(littleEndian: value.loadUnaligned(as: Int64.self))
        interface.offsetSeconds = isSwapped ? raw.byteSwapped : raw
      default: break
      }
    }
    interfaces.append(interface)
    return true
  }

  /// if_tsresol: a power of ten, or of two when the top bit is set. What 64 bits cannot count stands still.
  static func ticksPerSecond(_ resolution: UInt8) -> UInt64 {
    let exponent = Int(resolution & 0x7F)
    if resolution & 0x80 != 0 { return exponent < 64 ? 1 << UInt64(exponent) : .max }
    return exponent < 20 ? (0..<exponent).reduce(1) { product, _ in product * 10 } : .max
  }

  mutating func readNames(_ body: Int, _ bodyEnd: Int) {
    var offset = body
    while offset + 4 <= bodyEnd {
      let (kind, length) = (half(offset), Int(half(offset + 2)))
      offset += 4
      let addressBytes = kind == 1 ? 4 : 16
      guard kind != 0, offset + length <= bodyEnd else { return }
      if kind == 1 || kind == 2, length > addressBytes {
        let record = UnsafeRawBufferPointer(start: base + offset, count: length)
        guard let address = IPAddress(bytes: record.prefix(addressBytes)) else { return }
        for name in record.dropFirst(addressBytes).split(separator: 0)
        where names.count < CaptureReader.nameCountMaximum {
          names.append(CaptureName(address: address, name: String(decoding: name, as: UTF8.self)))
        }
      }
      offset += (length + 3) & ~3
    }
  }

  /// Comments between frames; the numbers of the block are nobody's here.
  mutating func readStatistics(_ body: Int, _ bodyEnd: Int) {
    options(body + 12, bodyEnd).forEach { code, value in
      if code == PcapngOptions.comment, keepsComment() { remarks.append(String(decoding: value, as: UTF8.self)) }
    }
  }

  mutating func keepsComment() -> Bool {
    commentCount += 1
    return commentCount <= CaptureReader.commentCountMaximum
  }

  func options(_ start: Int, _ end: Int) -> PcapngOptions {
    PcapngOptions(
      bytes: UnsafeRawBufferPointer(start: base + min(start, end), count: max(0, end - start)), isSwapped: isSwapped)
  }
}

/// The options of a pcapng block: code, length, value, padded to four bytes.
struct PcapngOptions {
  static let comment: UInt16 = 1
  /// Of a packet: its lowest two bits say which way it went.
  static let flags: UInt16 = 2

  var bytes: UnsafeRawBufferPointer
  var isSwapped: Bool

  /// Visits the options in order, up to the end mark or to the first that does not fit.
  func forEach(_ visit: (UInt16, UnsafeRawBufferPointer) -> Void) {
    var offset = 0
    while offset + 4 <= bytes.count {
      let (code, length) = (half(offset), Int(half(offset + 2)))
      offset += 4
      guard code != 0, offset + length <= bytes.count else { return }
      visit(code, UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + length)]))
      offset += (length + 3) & ~3
    }
  }

  private func half(_ offset: Int) -> UInt16 {
    let raw = UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    return isSwapped ? raw.byteSwapped : raw
  }
}
