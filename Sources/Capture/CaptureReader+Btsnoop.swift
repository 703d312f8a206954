internal import RollcallPrimitives

/// btsnoop: what phones and Linux write of the traffic between a host and its Bluetooth controller. All numbers are
/// big-endian; times count microseconds since the year 0.
extension CaptureReader {
  /// 2000-01-01 in the time of btsnoop, and in that of Unix.
  static let btsnoopEpochMicroseconds: Int64 = 0x00E0_3AB4_4A67_6000
  static let unixEpochSeconds: Int64 = 946_684_800
  static let btsnoopHeaderBytes = 16

  mutating func openBtsnoop() throws(CaptureError) {
    guard end >= CaptureReader.btsnoopHeaderBytes else {
      throw .notCapture("its btsnoop file header is cut short after \(end) bytes")
    }
    isSwapped = true
    recordHeaderBytes = 24
    let (version, kind) = (word(cursor + 8), word(cursor + 12))
    guard version == 1 else { throw .notCapture("its btsnoop version \(version) is unknown") }
    switch kind {
    case 1001: linkType = LinkType.btsnoopH1
    case 1002: linkType = LinkType.hciH4
    case 2001: linkType = LinkType.btsnoopMonitor
    default:
      throw .notCapture(
        "its btsnoop data link is \(kind); 1001 (H1), 1002 (H4) and 2001 (Linux monitor) are read")
    }
    frameBytesMaximum = LinkType.frameBytesMaximum(linkType)
    interfaces = [CaptureInterface(linkType: linkType, snapLength: 0)]
    cursor = CaptureReader.btsnoopHeaderBytes
  }

  mutating func advanceBtsnoop(_ frame: inout CaptureFrame) -> Bool {
    if isOver { return false }
    let headerBytes = recordHeaderBytes
    guard has(headerBytes) else { return stopAtEnd(of: byteOffset) }
    let count = word(cursor + 4)
    if count > frameBytesMaximum { return stop(.wildLength, at: byteOffset, value: Int(count)) }
    guard has(headerBytes + Int(count)) else { return stop(.cutShort, at: byteOffset) }
    frameCount += 1
    frame.number = frameCount
    frame.capturedCount = Int(count)
    frame.originalCount = Int(word(cursor))
    frame.btsnoopFlags = word(cursor + 8)
    let time = Int64(bitPattern: UInt64(word(cursor + 16)) << 32 | UInt64(word(cursor + 20)))
    // A time that no clock shows stands where the wrap puts it; nothing here may trap.
    let microseconds = time &- CaptureReader.btsnoopEpochMicroseconds
    let whole = microseconds / 1_000_000 - (microseconds % 1_000_000 < 0 ? 1 : 0)
    frame.seconds = whole &+ CaptureReader.unixEpochSeconds
    frame.fraction = Int32(truncatingIfNeeded: (microseconds &- whole &* 1_000_000) &* 1_000)
    let (nanoseconds, isOver) = frame.seconds.multipliedReportingOverflow(by: 1_000_000_000)
    frame.hasTime = !isOver
    frame.time = isOver ? .zero : Instant(nanoseconds: nanoseconds &+ Int64(frame.fraction))
    frame.linkType = linkType
    frame.interface = 0
    frame.bytes = base + (cursor + headerBytes)
    frame.optionsCount = 0
    frame.isSwapped = false
    cursor += headerBytes + Int(count)
    return true
  }
}
