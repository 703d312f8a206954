extension LinkType {
  /// Under which number a pcapng file holds frames of this link layer.
  package static func inPcapng(_ linkType: UInt32) -> UInt32 {
    switch linkType {
    case btsnoopH1: hciH4WithDirection
    case btsnoopMonitor: linuxMonitor
    default: linkType
    }
  }
}

extension CaptureFrame {
  /// Its bytes in a pcapng file: what btsnoop says of a frame beside it stands before it there.
  package var bytesInPcapng: [UInt8] {
    func big(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    switch linkType {
    case LinkType.btsnoopH1:
      // Bit 0: received, bit 1: a command or an event.
      let isReceived = btsnoopFlags & 1 != 0
      let kind: UInt8 = btsnoopFlags & 2 == 0 ? 2 : isReceived ? 4 : 1
      return big(isReceived ? 1 : 0) + [kind] + content
    case LinkType.btsnoopMonitor: return big(btsnoopFlags) + content
    default: return Array(content)
    }
  }
}
