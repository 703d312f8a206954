internal import RollcallPrimitives

extension CaptureReader {
  /// Reads the file header of pcap, which is in the buffer as far as there is one.
  mutating func open(_ signature: FileSignature.Pcap) throws(CaptureError) {
    guard end >= 24 else { throw .notCapture("its pcap file header is cut short after \(end) bytes") }
    isSwapped = signature.isSwapped
    nanosecondsPerTick = signature.nanosecondsPerTick
    recordHeaderBytes = signature.recordHeaderBytes
    let (major, minor) = (half(4), half(6))
    switch (major, minor) {
    case (2, ..<3), (543, 0): lengths = .originalFirst
    case (2, 3): lengths = .smallerFirst
    case (2, _): lengths = .captureFirst
    default: throw .notCapture("its pcap version \(major).\(minor) is unknown")
    }
    let snapLength = word(16)
    // The upper bits tell the length of the frame check sequence; it lies behind the IP packet, where nobody looks.
    linkType = word(20) & 0x03FF_FFFF
    guard linkType <= 0xFFFF else { throw .notCapture("\(linkType) is no link type") }
    frameBytesMaximum = LinkType.frameBytesMaximum(linkType)
    interfaces = [CaptureInterface(linkType: linkType, snapLength: snapLength)]
    cursor = 24
  }

  mutating func advancePcap(_ frame: inout CaptureFrame) -> Bool {
    if isOver { return false }
    guard has(recordHeaderBytes) else { return stopAtEnd(of: byteOffset) }
    let header = cursor
    var (captured, original) = (word(header &+ 8), word(header &+ 12))
    if lengths != .captureFirst, lengths == .originalFirst || captured > original {
      swap(&captured, &original)
    }
    if captured > frameBytesMaximum { return stop(.wildLength, at: byteOffset, value: Int(captured)) }
    let count = Int(captured)
    guard has(recordHeaderBytes &+ count) else { return stop(.cutShort, at: byteOffset) }
    let (seconds, ticks) = (word(cursor), word(cursor &+ 4))
    frameCount &+= 1
    frame.number = frameCount
    frame.seconds = Int64(seconds)
    // 32 bits, wrapping, as the analysers compute what they print.
    frame.fraction = Int32(truncatingIfNeeded: ticks &* nanosecondsPerTick)
    // At most 4.3e18 + 4.3e12: no overflow.
    frame.time = Instant(
      nanoseconds: Int64(seconds) &* 1_000_000_000 &+ Int64(ticks) &* Int64(nanosecondsPerTick))
    frame.hasTime = true
    frame.linkType = linkType
    frame.interface = 0
    frame.capturedCount = count
    frame.originalCount = Int(original)
    frame.bytes = base + (cursor &+ recordHeaderBytes)
    frame.optionsCount = 0
    frame.isSwapped = isSwapped
    cursor &+= recordHeaderBytes &+ count
    return true
  }
}
