import RollcallCapture
import RollcallPrimitives

/// pcap and pcapng read from an array by the formats' own tables, with the limits that the reader declares.
struct CaptureReference {
  private let bytes: [UInt8]
  private var isBig = false
  private var outcome = ReadCapture.Outcome()
  private var frameCount = 0

  private struct Interface {
    var linkType: UInt32
    var snapLength: Int
    var resolution: UInt8 = 6
    var offsetSeconds: Int64 = 0
  }

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func read() -> ReadCapture.Outcome {
    let magic = Array(bytes.prefix(4))
    if magic == [0x0A, 0x0D, 0x0D, 0x0A] {
      readBlocks()
    } else if let kind = CaptureReference.kinds.first(where: { $0.magic == magic || $0.magic == magic.reversed() }) {
      isBig = kind.magic == magic
      readPcap(kind.ticks, header: kind.header)
    } else {
      outcome.isCapture = false
    }
    return outcome
  }

  private static let kinds: [(magic: [UInt8], ticks: Int64, header: Int)] = [
    ([0xA1, 0xB2, 0xC3, 0xD4], 1_000, 16), ([0xA1, 0xB2, 0x3C, 0x4D], 1, 16), ([0xA1, 0xB2, 0xCD, 0x34], 1_000, 24),
  ]

  private func number(_ offset: Int, _ count: Int = 4) -> Int {
    let part = bytes[offset..<(offset + count)]
    return (isBig ? Array(part) : part.reversed()).reduce(0) { $0 * 256 + Int($1) }
  }

  private mutating func stop(_ what: CaptureProblem.What, _ offset: Int, _ value: Int? = nil) {
    outcome.problem = CaptureProblem(what, byteOffset: offset, frame: frameCount + 1, value: value)
  }

  // MARK: pcap

  private mutating func readPcap(_ ticks: Int64, header: Int) {
    outcome.isCapture = bytes.count >= 24
    guard outcome.isCapture else { return }
    let (major, minor) = (number(4, 2), number(6, 2))
    let linkType = number(20) % (1 << 26)
    outcome.isCapture = (major == 2 || major == 543 && minor == 0) && linkType < 65_536
    guard outcome.isCapture else { return }
    let longest = [231, 249].contains(linkType) ? 128 << 20 : linkType == 279 ? 8 << 20 : 256 << 10
    var offset = 24
    while offset < bytes.count {
      guard offset + header <= bytes.count else { return stop(.cutShort, offset) }
      var (captured, original) = (number(offset + 8), number(offset + 12))
      // Old versions have the lengths the other way round; version 2.3 either way.
      if minor < 3 || major == 543 || minor == 3 && captured > original {
        (captured, original) = (original, captured)
      }
      if captured > longest { return stop(.wildLength, offset, captured) }
      guard offset + header + captured <= bytes.count else { return stop(.cutShort, offset) }
      frameCount += 1
      let time = Int64(number(offset)) * 1_000_000_000 + Int64(number(offset + 4)) * ticks
      outcome.frames.append(
        ReadCapture.Frame(
          number: frameCount, time: Instant(nanoseconds: time), hasTime: true, linkType: UInt32(linkType),
          interface: 0, originalCount: original,
          bytes: Array(bytes[(offset + header)..<(offset + header + captured)])))
      offset += header + captured
    }
  }

  // MARK: pcapng

  private mutating func readBlocks() {
    var interfaces: [Interface] = []
    var sectionStart = 0
    var offset = 0
    var hasSection = false
    // A first section that cannot be read makes it no capture.
    defer { if frameCount == 0, !hasSection { outcome = ReadCapture.Outcome(isCapture: false) } }
    while offset < bytes.count {
      guard offset + 12 <= bytes.count else { return stop(.cutShort, offset) }
      let type = number(offset)
      if type == 0x0A0D_0D0A {
        guard offset + 16 <= bytes.count else { return stop(.cutShort, offset) }
        let order = Array(bytes[(offset + 8)..<(offset + 12)])
        guard order == [0x1A, 0x2B, 0x3C, 0x4D] || order == [0x4D, 0x3C, 0x2B, 0x1A] else {
          return stop(.brokenSection, offset)
        }
        isBig = order[0] == 0x1A
        guard number(offset + 4) >= 28, number(offset + 12, 2) == 1, [0, 2].contains(number(offset + 14, 2)) else {
          return stop(.brokenSection, offset)
        }
      }
      let claimed = number(offset + 4)
      if claimed < 12 { return stop(.brokenBlock, offset, claimed) }
      let total = (claimed + 3) / 4 * 4
      let isKept = [0x0A0D_0D0A, 1, 2, 3, 4, 5, 6].contains(type)
      if isKept, total > 256 << 20 { return stop(.wildLength, offset, claimed) }
      guard offset + total <= bytes.count else { return stop(.cutShort, offset) }
      guard number(offset + total - 4) == claimed else { return stop(.brokenBlock, offset, claimed) }
      let (body, end) = (offset + 8, offset + total - 4)
      switch type {
      case 0x0A0D_0D0A:
        sectionStart = interfaces.count
        hasSection = true
      case 1:
        guard end - body >= 8 else { return stop(.brokenBlock, offset) }
        interfaces.append(interface(body, end))
      case 2, 6:
        guard end - body >= 20 else { return stop(.brokenBlock, offset) }
        let captured = number(body + 12)
        let index = type == 6 ? number(body) : number(body, 2)
        if captured > end - body - 20 { return stop(.wildLength, offset, captured) }
        guard sectionStart + index < interfaces.count else { return stop(.unknownInterface, offset, index) }
        let ticks = UInt64(number(body + 4)) << 32 + UInt64(number(body + 8))
        add(interfaces, sectionStart + index, captured, number(body + 16), body + 20, ticks: ticks)
      case 3:
        guard end - body >= 4 else { return stop(.brokenBlock, offset) }
        guard sectionStart < interfaces.count else { return stop(.unknownInterface, offset, 0) }
        let (original, snap) = (number(body), interfaces[sectionStart].snapLength)
        let captured = snap == 0 ? original : min(original, snap)
        if captured > end - body - 4 { return stop(.wildLength, offset, captured) }
        add(interfaces, sectionStart, captured, original, body + 4, ticks: nil)
      case 0xBAD, 0x4000_0BAD, 9, 0x204, 0x216, 0x221: frameCount += 1
      default: break
      }
      offset += total
    }
  }

  private mutating func add(
    _ interfaces: [Interface], _ index: Int, _ captured: Int, _ original: Int, _ start: Int, ticks: UInt64?
  ) {
    frameCount += 1
    outcome.frames.append(
      ReadCapture.Frame(
        number: frameCount, time: ticks.map { time($0, interfaces[index]) } ?? .zero, hasTime: ticks != nil,
        linkType: interfaces[index].linkType, interface: index, originalCount: original,
        bytes: Array(bytes[start..<(start + captured)])))
  }

  /// Ticks to an instant, in 128 bits and saturating only at the end.
  private func time(_ ticks: UInt64, _ interface: Interface) -> Instant {
    let exponent = Int(interface.resolution % 128)
    var perSecond: Int128 = 1
    if interface.resolution >= 128 {
      perSecond = exponent < 64 ? Int128(1) << Int128(exponent) : Int128(UInt64.max)
    } else {
      perSecond = exponent < 20 ? (0..<exponent).reduce(1) { product, _ in product * 10 } : Int128(UInt64.max)
    }
    let whole = min(Int128(ticks) / perSecond, Int128(Int64.max))
    let nanoseconds = Int128(ticks) % perSecond * 1_000_000_000 / perSecond
    let seconds = whole + Int128(interface.offsetSeconds)
    return Instant(nanoseconds: Int64(clamping: Int128(Int64(clamping: seconds)) * 1_000_000_000 + nanoseconds))
  }

  private func interface(_ body: Int, _ end: Int) -> Interface {
    var interface = Interface(linkType: UInt32(number(body, 2)), snapLength: number(body + 4))
    var offset = body + 8
    while offset + 4 <= end {
      let (code, length) = (number(offset, 2), number(offset + 2, 2))
      let value = offset + 4
      if code == 0 || value + length > end { break }
      if code == 9, length > 0 { interface.resolution = bytes[value] }
      if code == 14, length >= 8 {
        let part = bytes[value..<(value + 8)]
        let bits = (isBig ? Array(part) : part.reversed()).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        interface.offsetSeconds = Int64(bitPattern: bits)
      }
      offset = value + (length + 3) / 4 * 4
    }
    return interface
  }
}

/// Files to begin with, made by hand: both byte orders, every kind of block.
enum CaptureSeeds {
  /// An Ethernet frame of 50 bytes.
  private static let datagram: [UInt8] =
    [1, 0, 0x5E, 0x7F, 0xFF, 0xFA, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0, 0, 36, 0, 0, 0, 0, 2, 17, 0, 0, 192, 168, 1, 20]
    + [239, 255, 255, 250, 7, 0x6C, 7, 0x6C, 0, 16, 0, 0] + Array("NOTIFY *".utf8)

  private static func bytes(_ value: Int, _ count: Int, isBig: Bool) -> [UInt8] {
    let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return isBig ? little.reversed() : little
  }

  static let pcap: [[UInt8]] = [true, false].flatMap { isBig -> [[UInt8]] in
    func file(_ magic: Int, _ minor: Int, header: Int = 16, linkType: Int = 1) -> [UInt8] {
      var file = bytes(magic, 4, isBig: isBig) + bytes(2, 2, isBig: isBig) + bytes(minor, 2, isBig: isBig)
      file += bytes(0, 8, isBig: isBig) + bytes(65_535, 4, isBig: isBig) + bytes(linkType, 4, isBig: isBig)
      for number in 0..<3 {
        let words = [1_700_000_000 + number, 999_999, datagram.count, datagram.count + number]
        let swapped = minor < 3 ? [words[0], words[1], words[3], words[2]] : words
        file += swapped.flatMap { bytes($0, 4, isBig: isBig) } + Array(repeating: 0, count: header - 16) + datagram
      }
      return file
    }
    return [
      file(0xA1B2_C3D4, 4), file(0xA1B2_3C4D, 4), file(0xA1B2_CD34, 4, header: 24), file(0xA1B2_C3D4, 2),
      file(0xA1B2_C3D4, 3, linkType: 101), Array(file(0xA1B2_C3D4, 4).dropLast(7)),
    ]
  }

  static let pcapng: [[UInt8]] = [true, false].map { isBig in
    func block(_ type: Int, _ body: [UInt8]) -> [UInt8] {
      let padded = body + Array(repeating: 0, count: (4 - body.count % 4) % 4)
      let length = bytes(padded.count + 12, 4, isBig: isBig)
      return bytes(type, 4, isBig: isBig) + length + padded + length
    }
    func option(_ code: Int, _ value: [UInt8]) -> [UInt8] {
      bytes(code, 2, isBig: isBig) + bytes(value.count, 2, isBig: isBig) + value
        + Array(repeating: 0, count: (4 - value.count % 4) % 4)
    }
    func words(_ values: Int...) -> [UInt8] { values.flatMap { bytes($0, 4, isBig: isBig) } }
    let end = words(0)
    var file = block(
      0x0A0D_0D0A,
      words(0x1A2B_3C4D) + bytes(1, 2, isBig: isBig) + bytes(0, 2, isBig: isBig) + [UInt8](repeating: 0xFF, count: 8)
        + option(4, Array("rollcall".utf8)) + end)
    file += block(
      1,
      bytes(1, 2, isBig: isBig) + [0, 0] + words(64) + option(2, Array("eth0".utf8)) + option(9, [9])
        + option(14, bytes(-5, 8, isBig: isBig)) + end)
    file += block(1, bytes(101, 2, isBig: isBig) + [0, 0] + words(0) + option(9, [0x8A]) + end)
    let comment = option(1, Array("a comment".utf8)) + option(2, bytes(1, 4, isBig: isBig)) + end
    file += block(6, words(0, 0x17_0000, 5, datagram.count, 90) + datagram + [0, 0] + comment)
    file += block(2, bytes(1, 2, isBig: isBig) + [0, 0] + words(0, 77, datagram.count, datagram.count) + datagram)
    file += block(3, words(datagram.count) + datagram)
    file += block(0xBAD, words(32_473) + [1, 2, 3])
    file += block(
      4,
      bytes(1, 2, isBig: isBig) + bytes(9, 2, isBig: isBig) + [10, 0, 0, 1] + Array("host\0".utf8) + [0, 0, 0] + end)
    return file + block(5, words(0, 0, 0)) + file
  }

  static let pcapWords = [
    "\u{0}\u{0}\u{4}\u{0}", "\u{0}\u{4}\u{0}\u{0}", "\u{1}\u{0}\u{0}\u{0}", "\u{0}\u{0}\u{0}\u{1}",
    "\u{0}\u{2}\u{0}\u{4}", "\u{2}\u{0}\u{3}\u{0}", "\u{0}\u{0}\u{0}\u{0}", "\u{7f}\u{7f}\u{7f}\u{7f}",
  ]
  static let pcapngWords =
    pcapWords + [
      "\n\r\r\n", "M<+\u{1a}", "\u{1a}+<M", "\u{6}\u{0}\u{0}\u{0}", "\u{3}\u{0}\u{0}\u{0}", "\u{0}\u{0}\u{0}\u{5}",
      "\u{1c}\u{0}\u{0}\u{0}", "\u{c}\u{0}\u{0}\u{0}", "\u{0}\u{0}\u{0}\u{20}", "\u{9}\u{0}\u{1}\u{0}",
      "\u{e}\u{0}\u{8}\u{0}", "\u{1}\u{0}\u{4}\u{0}",
    ]
}
