internal import Primitives
internal import Wire

/// Finds the UDP datagram in each frame of a capture, across fragments.
///
/// One frame gives one datagram or none; a datagram in fragments belongs to the frame that completes it. UDP that an
/// ICMP error quotes was not received and is not given. Link layers that are not known are counted and skipped.
package struct DatagramExtractor: ~Copyable {
  /// Frames of one link layer.
  package struct LinkTypeCount: Hashable, Sendable {
    package var linkType: UInt32
    package var frames: Int
  }

  package private(set) var datagramCount = 0
  /// Fragments that were kept, and perhaps completed a datagram.
  package private(set) var fragmentCount = 0
  /// Frames of UDP over IP in which a header makes no sense or is cut off.
  package private(set) var malformedCount = 0

  private let reassembly = Reassembly()
  // One link layer at a time is counted in a plain number; most files have only one.
  private var earlierLinkTypes: [LinkTypeCount] = []
  private var current = LinkTypeCount(linkType: 0, frames: 0)

  package init() {}

  /// Datagrams whose fragments never all came, or contradicted each other.
  package var droppedReassemblies: Int { reassembly.droppedCount + reassembly.openCount }

  /// Frames seen, by link layer, in order of appearance; `LinkType.isSupported` says which of them were skipped.
  package var linkTypes: [LinkTypeCount] {
    if current.frames == 0 { return earlierLinkTypes }
    var all = earlierLinkTypes
    if let known = all.firstIndex(where: { $0.linkType == current.linkType }) {
      all[known].frames += current.frames
    } else {
      all.append(current)
    }
    return all
  }

  /// Goes on to the next frame that holds or completes a datagram; false where the reader ends.
  package mutating func next(
    from reader: inout CaptureReader, _ frame: inout CaptureFrame, _ datagram: inout ExtractedDatagram
  ) -> Bool {
    while reader.next(&frame) {
      // Most frames of most captures are TCP over Ethernet and IPv4: two loads tell, before anything is decoded.
      if frame.linkType == LinkType.ethernet, frame.capturedCount >= 34,
        frame.bytes.loadUnaligned(fromByteOffset: 12, as: UInt16.self).bigEndian == EtherType.ipv4.rawValue,
        frame.bytes.load(fromByteOffset: 23, as: UInt8.self) != IPProtocol.udp.rawValue
      {
        count(frame.linkType)
        continue
      }
      if extract(frame, into: &datagram) { return true }
    }
    return false
  }

  /// Whether this frame holds or completes a datagram, which then stands in `datagram`.
  package mutating func extract(_ frame: CaptureFrame, into datagram: inout ExtractedDatagram) -> Bool {
    count(frame.linkType)
    let (bytes, count) = (frame.bytes, frame.capturedCount)
    switch frame.linkType {
    case LinkType.ethernet:
      guard let inner = EtherPayload(bytes, count: count, typeOffset: 12) else { return false }
      return network(inner, frame, &datagram)
    case 12, 14, LinkType.raw, LinkType.ipv4:
      guard count > 0 else { return false }
      let version = bytes.load(as: UInt8.self) &>> 4
      return version == 6 ? ipv6(frame, 0, -1, &datagram) : ipv4(frame, 0, -1, &datagram)
    case LinkType.ipv6:
      return ipv6(frame, 0, -1, &datagram)
    case LinkType.linuxCooked:
      guard count >= 16, let inner = EtherPayload(bytes, count: count, typeOffset: 14) else { return false }
      return network(inner, frame, &datagram)
    case LinkType.linuxCooked2:
      // The type leads, the rest of the header follows.
      guard count >= 20 else { return false }
      let type = UInt16(bigEndian: bytes.loadUnaligned(as: UInt16.self))
      guard let inner = EtherPayload(bytes, count: count, type: type, offset: 20) else { return false }
      return network(inner, frame, &datagram)
    case LinkType.null, LinkType.loop:
      guard count >= 4 else { return false }
      return loopback(frame, &datagram)
    default:
      return false
    }
  }

  // MARK: Layers

  @inline(__always) private mutating func network(
    _ inner: EtherPayload, _ frame: CaptureFrame, _ datagram: inout ExtractedDatagram
  ) -> Bool {
    if inner.etherType == .ipv4 { return ipv4(frame, inner.offset, inner.vlan, &datagram) }
    if inner.etherType == .ipv6 { return ipv6(frame, inner.offset, inner.vlan, &datagram) }
    return false
  }

  /// The header is an address family in the byte order of the host that captured, and families differ by system.
  private mutating func loopback(_ frame: CaptureFrame, _ datagram: inout ExtractedDatagram) -> Bool {
    let raw = frame.bytes.loadUnaligned(as: UInt32.self)
    switch min(raw, raw.byteSwapped) {
    case 2: return ipv4(frame, 4, -1, &datagram)
    case 10, 23, 24, 28, 30: return ipv6(frame, 4, -1, &datagram)
    default:
      // Some writers put a Cisco HDLC header here: address, control, EtherType.
      guard let inner = EtherPayload(frame.bytes, count: frame.capturedCount, typeOffset: 2) else { return false }
      return network(inner, frame, &datagram)
    }
  }

  private mutating func ipv4(
    _ frame: CaptureFrame, _ offset: Int, _ vlan: Int32, _ datagram: inout ExtractedDatagram
  ) -> Bool {
    let packet = UnsafeRawBufferPointer(start: frame.bytes + offset, count: frame.capturedCount &- offset)
    if packet.count >= 20, packet[9] != IPProtocol.udp.rawValue { return false }
    guard let header = IPv4Header(packet), let end = header.end(within: packet.count) else { return malformed() }
    let content = UnsafeRawBufferPointer(rebasing: packet[header.headerBytes..<end])
    datagram.vlan = vlan
    datagram.isSourceRouted = header.headerBytes > 20 && header.isSourceRouted(packet)
    if header.isFragment {
      // A fragment that the capture cut would leave a hole that looks like data.
      guard header.totalBytes <= packet.count, header.totalBytes > 0 else { return malformed() }
      let key = Reassembly.Key(
        source: header.source, destination: header.destination, identification: UInt32(header.identification),
        protocolNumber: 17, vlan: vlan, interface: frame.interface)
      guard
        let whole = reassemble(
          Reassembly.Fragment(
            key: key, offset: header.fragmentOffsetBytes, hasMore: header.hasMoreFragments,
            hopLimit: header.hopLimit, protocolNumber: 17, bytes: content), frame)
      else { return false }
      datagram.fragmentCount = whole.fragmentCount
      return udp(whole.bytes, header.source, header.destination, whole.hopLimit, &datagram)
    }
    datagram.fragmentCount = 1
    return udp(content, header.source, header.destination, header.hopLimit, &datagram)
  }

  private mutating func ipv6(
    _ frame: CaptureFrame, _ offset: Int, _ vlan: Int32, _ datagram: inout ExtractedDatagram
  ) -> Bool {
    let packet = UnsafeRawBufferPointer(start: frame.bytes + offset, count: frame.capturedCount &- offset)
    if packet.count >= 40, packet[6] != IPProtocol.udp.rawValue, !IPv6Chain.isExtension(packet[6]) { return false }
    guard let header = IPv6Header(packet) else { return malformed() }
    let end = header.end(within: packet.count)
    let whole = UnsafeRawBufferPointer(rebasing: packet[..<end])
    guard let chain = IPv6Chain(whole, next: header.nextHeader, at: IPv6Header.headerBytes) else {
      return malformed()
    }
    datagram.vlan = vlan
    datagram.isSourceRouted = chain.isSourceRouted
    datagram.fragmentCount = 1
    let content = UnsafeRawBufferPointer(rebasing: whole[chain.offset...])
    guard let piece = chain.fragment else {
      if chain.protocolNumber != .udp { return false }
      return udp(content, header.source, header.destination, header.hopLimit, &datagram)
    }
    guard chain.protocolNumber == .udp || IPv6Chain.isExtension(chain.protocolNumber.rawValue) else { return false }
    guard IPv6Header.headerBytes + header.payloadBytes <= packet.count, header.payloadBytes > 0 else {
      return malformed()
    }
    let key = Reassembly.Key(
      source: header.source, destination: header.destination, identification: piece.identification,
      protocolNumber: 0, vlan: vlan, interface: frame.interface)
    guard
      let joined = reassemble(
        Reassembly.Fragment(
          key: key, offset: piece.offsetBytes, hasMore: piece.hasMoreFragments, hopLimit: header.hopLimit,
          protocolNumber: chain.protocolNumber.rawValue, bytes: content), frame)
    else { return false }
    datagram.fragmentCount = joined.fragmentCount
    // Headers that only the last stop reads may stand before the UDP header.
    guard let rest = IPv6Chain(joined.bytes, next: joined.protocolNumber, at: 0), rest.fragment == nil else {
      return malformed()
    }
    if rest.protocolNumber != .udp { return false }
    let segment = UnsafeRawBufferPointer(rebasing: joined.bytes[rest.offset...])
    return udp(segment, header.source, header.destination, joined.hopLimit, &datagram)
  }

  private mutating func reassemble(_ fragment: Reassembly.Fragment, _ frame: CaptureFrame) -> Reassembly.Whole? {
    fragmentCount += 1
    return reassembly.add(fragment, at: frame.time)
  }

  /// - Parameter segment: what IP carries, as far as it was captured.
  @inline(__always) private mutating func udp(
    _ segment: UnsafeRawBufferPointer, _ source: IPAddress, _ destination: IPAddress, _ hopLimit: UInt8,
    _ datagram: inout ExtractedDatagram
  ) -> Bool {
    guard let header = UDPHeader(segment) else { return malformed() }
    var total = header.totalBytes
    // A jumbogram's length is zero (RFC 2675 section 4).
    if total == 0, destination.family == .v6 { total = segment.count }
    if total < 8 { return malformed() }
    let kept = min(total, segment.count)
    datagram.source = Endpoint(source, port: header.sourcePort)
    datagram.destination = Endpoint(destination, port: header.destinationPort)
    datagram.hopLimit = hopLimit
    datagram.isCut = total > segment.count
    datagram.segment = UnsafeRawBufferPointer(start: segment.baseAddress, count: kept)
    datagram.payload = UnsafeRawBufferPointer(start: segment.baseAddress.unsafelyUnwrapped + 8, count: kept &- 8)
    datagramCount &+= 1
    return true
  }

  @inline(never) private mutating func malformed() -> Bool {
    malformedCount += 1
    return false
  }

  @inline(__always) private mutating func count(_ linkType: UInt32) {
    if current.linkType != linkType {
      earlierLinkTypes = linkTypes
      current = LinkTypeCount(linkType: linkType, frames: 0)
    }
    current.frames &+= 1
  }
}
