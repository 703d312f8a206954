package import RollcallPrimitives
package import RollcallWire

/// Finds the PDUs of Bluetooth LE advertising in the frames of a capture.
///
/// A packet whose CRC is wrong never reaches a host, so it is counted and not given. What a receiver says of a packet
/// beside it (channel, strength) counts only where the format has a place for it.
package struct RadioExtractor: Sendable {
  /// What was in the frames, each frame or packet counted once.
  package struct Counts: Hashable, Sendable {
    /// PDUs of advertising with a right CRC, or with none in the file.
    package var advertising = 0
    package var wrongCRC = 0
    /// Packets of connections, and what a host and its controller say beside advertising.
    package var others = 0
    package var malformed = 0
  }

  package private(set) var counts = Counts()
  /// The first fault of a frame, and the frame.
  package private(set) var firstFault: (fault: RadioFault, frame: Int)?

  package init() {}

  /// Whether frames of this link layer may hold packets of Bluetooth LE.
  @inline(__always) package static func mayHold(_ linkType: UInt32) -> Bool {
    linkType == LinkType.ppi || linkType >= LinkType.hciH4 && LinkType.radio.contains(linkType)
  }

  /// The packets that the frame holds, in order; of a controller's report the PDU that says the same.
  package mutating func packets(of frame: CaptureFrame) -> [RadioPDU] {
    do throws(RadioFault) {
      let bytes = frame.content
      switch frame.linkType {
      case LinkType.bluetoothLE: return onAir(try AirFrame(bare: bytes), bytes)
      case LinkType.bluetoothLEWithRadio: return onAir(try AirFrame(behindRadioHeader: bytes), bytes)
      case LinkType.nordic:
        guard let found = try AirFrame.nordic(bytes) else { return other() }
        return onAir(found, bytes)
      case LinkType.ppi: return try ppi(bytes)
      case LinkType.hciH4: return try hci(HCIPacket.reading(h4: bytes), bytes, at: 1)
      case LinkType.hciH4WithDirection:
        guard bytes.count >= 4 else { throw RadioFault(.tooShort, at: bytes.count) }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[4...])
        return try hci(HCIPacket.reading(h4: rest), rest, at: 1)
      case LinkType.linuxMonitor:
        guard bytes.count >= 4 else { throw RadioFault(.tooShort, at: bytes.count) }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[4...])
        return try monitor(UInt16(bytes[2]) << 8 | UInt16(bytes[3]), rest)
      case LinkType.btsnoopMonitor:
        return try monitor(UInt16(truncatingIfNeeded: frame.btsnoopFlags), bytes)
      case LinkType.btsnoopH1:
        // Bit 0: received, bit 1: a command or an event.
        guard frame.btsnoopFlags & 3 == 3 else { return other() }
        return try hci(HCIPacket(.event, bytes), bytes, at: 0)
      default: return []
      }
    } catch {
      counts.malformed += 1
      if firstFault == nil { firstFault = (error, frame.number) }
      return []
    }
  }

  private mutating func other() -> [RadioPDU] {
    counts.others += 1
    return []
  }

  private mutating func onAir(_ frame: AirFrame, _ bytes: UnsafeRawBufferPointer) -> [RadioPDU] {
    guard frame.isAdvertising else { return other() }
    if frame.check == .bad {
      counts.wrongCRC += 1
      return []
    }
    counts.advertising += 1
    return [
      RadioPDU(
        channel: frame.channel, strength: frame.strength, accessAddress: frame.accessAddress,
        bytes: Array(bytes[frame.pdu]))
    ]
  }

  /// PPI says which link layer follows. Ubertooth writes a number for private use there; that it is Bluetooth LE all the
  /// same shows only a field of its own.
  /// - Returns: where the packet begins, and its channel; `nil`: there is none.
  static func packet(inPPI bytes: UnsafeRawBufferPointer) -> (offset: Int, channel: UInt8?)? {
    guard bytes.count >= 8, bytes[0] == 0 else { return nil }
    let headerBytes = Int(bytes.little16(2))
    guard headerBytes >= 8, headerBytes <= bytes.count else { return nil }
    let inner = UInt32(bytes.littleEndian(4, count: 4))
    var megahertz: Int?
    var offset = 8
    while offset + 4 <= headerBytes {
      let (kind, count) = (bytes.little16(offset), Int(bytes.little16(offset + 2)))
      if kind == 30_006, count >= 3, offset + 4 + count <= headerBytes { megahertz = Int(bytes.little16(offset + 5)) }
      offset += 4 + count
    }
    guard inner == LinkType.bluetoothLE || inner == LinkType.user0 && megahertz != nil else { return nil }
    let number = megahertz.flatMap { UInt8(exactly: ($0 - 2_402) / 2) }
    return (headerBytes, number.flatMap { AirFrame.channel(ofFrequency: $0) })
  }

  private mutating func ppi(_ bytes: UnsafeRawBufferPointer) throws(RadioFault) -> [RadioPDU] {
    guard let (offset, channel) = RadioExtractor.packet(inPPI: bytes) else { return [] }
    let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
    do throws(RadioFault) {
      var frame = try AirFrame(bare: rest)
      frame.channel = channel
      return onAir(frame, rest)
    } catch {
      throw RadioFault(error.reason, at: error.offset + offset)
    }
  }

  /// Opcodes of the Linux monitor: 3 is an event.
  private mutating func monitor(_ opcode: UInt16, _ bytes: UnsafeRawBufferPointer) throws(RadioFault) -> [RadioPDU] {
    guard opcode == 3 else { return other() }
    return try hci(HCIPacket(.event, bytes), bytes, at: 0)
  }

  /// - Parameter start: where the packet begins, behind its kind.
  private mutating func hci(
    _ packet: HCIPacket, _ bytes: UnsafeRawBufferPointer, at start: Int
  ) throws(RadioFault) -> [RadioPDU] {
    guard packet.kind == .event else { return other() }
    let content = start + packet.content.lowerBound..<start + packet.content.upperBound
    let reports = try AdvertisingReport.reports(
      ofEvent: packet.code, UnsafeRawBufferPointer(rebasing: bytes[content]))
    if reports.isEmpty { return other() }
    counts.advertising += reports.count
    return reports.compactMap { report in
      report.pdu.map {
        RadioPDU(channel: nil, strength: report.strength, accessAddress: AirFrame.advertisingAddress, bytes: $0)
      }
    }
  }
}
