internal import RollcallPrimitives
internal import RollcallWire

/// Link layers other than Ethernet, each down to the IP packet that it carries.
extension DatagramExtractor {
  /// Reads a frame of any link layer: one of the file's, or one that stands inside PPI, PKTAP or GRE.
  @inline(never) mutating func link(
    _ linkType: UInt32, _ outer: Layer, _ frame: CaptureFrame, _ datagram: inout ExtractedDatagram
  ) -> Bool {
    var layer = outer
    layer.depth += 1
    if layer.depth > DatagramExtractor.nestingMaximum { return malformed() }
    switch linkType {
    case LinkType.ethernet: return etherType(at: 12, layer, frame, &datagram)
    case 12, 14, LinkType.raw, LinkType.ipv4: return packet(layer, frame, &datagram)
    case LinkType.ipv6: return ipv6(layer, frame, &datagram)
    case LinkType.linuxCooked: return etherType(at: 14, layer, frame, &datagram)
    case LinkType.linuxCooked2:
      // The type leads, the rest of the header follows.
      guard layer.count >= 20 else { return false }
      return ether(big16(layer, 0), at: 20, layer, frame, &datagram)
    case LinkType.null, LinkType.loop: return loopback(layer, frame, &datagram)
    case LinkType.ppp, LinkType.pppHDLC, LinkType.ciscoHDLC: return ppp(layer, frame, &datagram)
    case LinkType.pppoe: return pppoe(layer, frame, &datagram)
    case LinkType.arcnet: return arcnet(layer, typeOffset: 2, frame, &datagram)
    case LinkType.arcnetLinux: return arcnet(layer, typeOffset: 4, frame, &datagram)
    case LinkType.fddi:
      // Frame control, two addresses, LLC; the frames of the ring itself are not for us.
      guard layer.count >= 13, byte(layer, 0) & 0xF0 == 0x50 else { return false }
      return ether(0, at: 13, layer, frame, &datagram)
    case LinkType.wireless: return wireless(layer, padsHeader: false, frame, &datagram)
    case LinkType.radiotap:
      guard let header = RadiotapHeader(layer.buffer) else { return malformed() }
      return wireless(layer.dropping(header.headerBytes), padsHeader: header.padsHeader, frame, &datagram)
    case LinkType.ppi: return ppi(layer, frame, &datagram)
    case LinkType.ipnet:
      // Version 1, the address family of Solaris, and 22 bytes that say whose packet it was.
      guard layer.count >= 24, byte(layer, 0) == 1 else { return false }
      return packet(layer.dropping(24), frame, &datagram)
    case LinkType.nflog: return nflog(layer, frame, &datagram)
    case LinkType.pktap, LinkType.user2: return pktap(layer, frame, &datagram)
    case LinkType.dsa: return dsa(layer, frame, &datagram)
    default:
      if layer.depth > 1 { countInside(linkType) }
      return false
    }
  }

  // MARK: Steps that several links share

  private func byte(_ layer: Layer, _ offset: Int) -> UInt8 { layer.bytes.load(fromByteOffset: offset, as: UInt8.self) }
  private func big16(_ layer: Layer, _ offset: Int) -> UInt16 {
    UInt16(bigEndian: layer.bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }
  private func little16(_ layer: Layer, _ offset: Int) -> Int {
    Int(UInt16(littleEndian: layer.bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
  }
  private func little32(_ layer: Layer, _ offset: Int) -> UInt32 {
    UInt32(littleEndian: layer.bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  private mutating func etherType(
    at offset: Int, _ layer: Layer, _ frame: CaptureFrame, _ datagram: inout ExtractedDatagram
  ) -> Bool {
    guard let inner = EtherPayload(layer.bytes, count: layer.count, typeOffset: offset) else { return false }
    return network(inner, layer, frame, &datagram)
  }

  /// Goes on at `offset` with what `type` says; 0 for LLC and SNAP.
  private mutating func ether(
    _ type: UInt16, at offset: Int, _ layer: Layer, _ frame: CaptureFrame, _ datagram: inout ExtractedDatagram
  ) -> Bool {
    guard let inner = EtherPayload(layer.bytes, count: layer.count, type: type, offset: offset) else { return false }
    return network(inner, layer, frame, &datagram)
  }

  /// An IP packet whose version stands in its first byte only.
  private mutating func packet(_ layer: Layer, _ frame: CaptureFrame, _ datagram: inout ExtractedDatagram) -> Bool {
    guard layer.count > 0 else { return false }
    return byte(layer, 0) &>> 4 == 6 ? ipv6(layer, frame, &datagram) : ipv4(layer, frame, &datagram)
  }

  // MARK: One link each

  /// The header is an address family in the byte order of the host that captured, and families differ by system.
  private mutating func loopback(_ layer: Layer, _ frame: CaptureFrame, _ datagram: inout ExtractedDatagram) -> Bool {
    guard layer.count >= 4 else { return false }
    let raw = layer.bytes.loadUnaligned(as: UInt32.self)
    switch min(raw, raw.byteSwapped) {
    case 2: return ipv4(layer.dropping(4), frame, &datagram)
    case 10, 23, 24, 28, 30: return ipv6(layer.dropping(4), frame, &datagram)
    default:
      // Some writers put a Cisco HDLC header here: address, control, EtherType.
      return etherType(at: 2, layer, frame, &datagram)
    }
  }

  /// RFC 1201 has a flag and a sequence number behind the protocol, RFC 1051 has not; parts of packets are not read.
  private mutating func arcnet(
    _ layer: Layer, typeOffset: Int, _ frame: CaptureFrame, _ datagram: inout ExtractedDatagram
  ) -> Bool {
    guard layer.count > typeOffset else { return false }
    switch byte(layer, typeOffset) {
    case 0xF0: return ipv4(layer.dropping(typeOffset + 1), frame, &datagram)
    case 0xD4, 0xC4:
      guard layer.count >= typeOffset + 4 else { return malformed() }
      switch byte(layer, typeOffset + 1) {
      case 0: return packet(layer.dropping(typeOffset + 4), frame, &datagram)
      case 0xFF:
        // A packet of an awkward length: three bytes of padding, then the true flag and number.
        guard layer.count >= typeOffset + 8 else { return malformed() }
        return packet(layer.dropping(typeOffset + 8), frame, &datagram)
      default:
        unreadPiecesCount += 1
        return false
      }
    default: return false
    }
  }

  private mutating func wireless(
    _ layer: Layer, padsHeader: Bool, _ frame: CaptureFrame, _ datagram: inout ExtractedDatagram
  ) -> Bool {
    guard let header = WirelessHeader(layer.buffer) else { return false }
    switch header.content {
    case .nothing: return false
    case .protected:
      protectedCount += 1
      return false
    case .pieces:
      unreadPiecesCount += 1
      return false
    case .packet:
      let offset = padsHeader ? (header.headerBytes + 3) & ~3 : header.headerBytes
      guard offset <= layer.count else { return false }
      return ether(0, at: offset, layer, frame, &datagram)
    }
  }

  /// PPI says how long it is and which link layer follows; its fields tell about the radio.
  private mutating func ppi(_ layer: Layer, _ frame: CaptureFrame, _ datagram: inout ExtractedDatagram) -> Bool {
    guard layer.count >= 8, byte(layer, 0) == 0 else { return false }
    let headerBytes = little16(layer, 2)
    guard headerBytes >= 8, headerBytes <= layer.count else { return malformed() }
    let inner = little32(layer, 4)
    if !LinkType.supported.contains(inner), RadioExtractor.packet(inPPI: layer.buffer) != nil { return false }
    return link(inner, layer.dropping(headerBytes), frame, &datagram)
  }

  /// NFLOG is a list of attributes in the byte order of the host that captured; number 9 is the packet.
  private mutating func nflog(_ layer: Layer, _ frame: CaptureFrame, _ datagram: inout ExtractedDatagram) -> Bool {
    guard layer.count >= 4, byte(layer, 1) == 0 else { return false }
    for isBigEndian in [false, true] {
      var offset = 4
      while offset + 4 <= layer.count {
        let length = isBigEndian ? Int(big16(layer, offset)) : little16(layer, offset)
        let type = isBigEndian ? Int(big16(layer, offset + 2)) : little16(layer, offset + 2)
        // A length that cannot be means the other byte order, or damage. The last one may be cut.
        guard length >= 4, offset + length <= layer.count || type & 0x7FFF == 9 else { break }
        if type & 0x7FFF == 9 {
          var content = layer.dropping(offset + 4)
          content.count = min(content.count, length - 4)
          return packet(content, frame, &datagram)
        }
        offset += (length + 3) & ~3
      }
    }
    return malformed()
  }

  /// Apple's header says how long it is and which link layer follows. libpcap also writes it as user link 2, which
  /// others use for anything: there the header has to look like one.
  private mutating func pktap(_ layer: Layer, _ frame: CaptureFrame, _ datagram: inout ExtractedDatagram) -> Bool {
    guard layer.count >= 12 else { return false }
    let headerBytes = Int(little32(layer, 0))
    guard headerBytes >= 108, headerBytes <= layer.count, little32(layer, 4) == 1 else { return false }
    return link(little32(layer, 8), layer.dropping(headerBytes), frame, &datagram)
  }

  /// Marvell's switch tag stands where the EtherType would; it takes the place of a VLAN tag.
  private mutating func dsa(_ layer: Layer, _ frame: CaptureFrame, _ datagram: inout ExtractedDatagram) -> Bool {
    guard layer.count >= 18 else { return false }
    var inner = layer
    if byte(layer, 12) & 0x20 != 0 { inner.vlan = Int32(big16(layer, 14) & 0xFFF) }
    return etherType(at: 16, inner, frame, &datagram)
  }
}
