internal import RollcallPrimitives
internal import RollcallWire

/// Finds the UDP datagram in each frame of a capture, across fragments.
///
/// One frame gives one datagram or none; a datagram in fragments belongs to the frame that completes it. UDP that an
/// ICMP error quotes was not received and is not given. Link layers that are not known are counted and skipped. Of
/// packets in tunnels (GRE, IP in IP, PPPoE, MPLS) the innermost counts.
package struct DatagramExtractor: ~Copyable {
  /// Frames of one link layer.
  package struct LinkTypeCount: Hashable, Sendable {
    package var linkType: UInt32
    package var frames: Int
  }

  /// Whether TCP segments are looked for, too: `segment` then has that of the latest frame.
  package let readsSegments: Bool
  /// The TCP segment that the latest frame holds, whole in one packet of IP.
  package private(set) var segment: ExtractedSegment?
  package private(set) var datagramCount = 0
  /// Fragments of what may hold a datagram, each whole in its frame; those that were not believed count, too.
  package private(set) var fragmentCount = 0
  /// Frames of UDP over IP in which a header makes no sense or is cut off.
  package private(set) var malformedCount = 0
  /// Frames of 802.11 whose content is encrypted.
  package internal(set) var protectedCount = 0
  /// Frames of 802.11 that hold a part of a packet or several packets, which are not taken apart.
  package internal(set) var unreadPiecesCount = 0

  /// Headers inside headers beyond this depth are refused: nobody stacks tunnels like that but an attacker.
  package static let nestingMaximum = 8

  /// The protocols of IP that a datagram may be found in: UDP, IP in IP, IPv6 in IP, GRE.
  @inline(__always) static func mayHoldDatagram(_ number: UInt8) -> Bool {
    number < 64 && (1 << 17 | 1 << 4 | 1 << 41 | 1 << 47) as UInt64 &>> UInt64(number) & 1 != 0
  }

  @inline(__always) private func isOfUse(_ number: UInt8) -> Bool {
    DatagramExtractor.mayHoldDatagram(number) || readsSegments && number == IPProtocol.tcp.rawValue
  }

  /// Bytes inside a frame that the next header begins with.
  struct Layer: BitwiseCopyable {
    var bytes: UnsafeRawPointer
    var count: Int
    var vlan: Int32 = -1
    var depth = 0
    /// Whether the bytes lie in the buffer where fragments were put together; fragments in there are not read.
    var isReassembled = false

    @inline(__always) var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: count) }

    /// What lies behind the first `offset` bytes, which must be there.
    @inline(__always) func dropping(_ offset: Int) -> Layer {
      Layer(bytes: bytes + offset, count: count &- offset, vlan: vlan, depth: depth, isReassembled: isReassembled)
    }
  }

  /// Frames with a header that says that another link layer follows (PPI, PKTAP), one that is not read: by that layer,
  /// in order of appearance. Behind the first 32 layers all others count as the last of them.
  package private(set) var unreadInside: [LinkTypeCount] = []
  /// The frames that the latest datagram in fragments needed, in order: without those that only repeated others. The
  /// last of them completed it.
  package private(set) var completedFrames: [Int] = []

  private let reassembly = Reassembly()
  // One link layer at a time is counted in a plain number; most files have only one.
  private var earlierLinkTypes: [LinkTypeCount] = []
  private var current = LinkTypeCount(linkType: 0, frames: 0)

  package init(readsSegments: Bool = false) { self.readsSegments = readsSegments }

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
      if extract(frame, into: &datagram) { return true }
    }
    return false
  }

  /// Whether this frame holds or completes a datagram, which then stands in `datagram`.
  package mutating func extract(_ frame: CaptureFrame, into datagram: inout ExtractedDatagram) -> Bool {
    count(frame.linkType)
    if readsSegments { segment = nil }
    let layer = Layer(bytes: frame.bytes, count: frame.capturedCount)
    if frame.linkType == LinkType.ethernet {
      if let isFound = plain(frame, &datagram) { return isFound }
      guard let inner = EtherPayload(layer.bytes, count: layer.count, typeOffset: 12) else { return false }
      return network(inner, layer, frame, &datagram)
    }
    return link(frame.linkType, layer, frame, &datagram)
  }

  /// What most frames of most captures are: Ethernet, IPv4 without options, in one piece. Whether such a frame holds a
  /// datagram; `nil` without an opinion for every other frame. Where it answers, the layers below give the same.
  @inline(__always)
  private mutating func plain(_ frame: CaptureFrame, _ datagram: inout ExtractedDatagram) -> Bool? {
    let (bytes, count) = (frame.bytes, frame.capturedCount)
    func half(_ offset: Int) -> Int {
      Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self).bigEndian)
    }
    func word(_ offset: Int) -> UInt32 { bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self).bigEndian }
    guard count >= 42, word(12) & 0xFFFF_FF00 == 0x0800_4500 else { return nil }
    let number = bytes.load(fromByteOffset: 23, as: UInt8.self)
    if number != IPProtocol.udp.rawValue { return isOfUse(number) ? nil : false }
    let total = half(16)
    guard half(20) & 0x3FFF == 0, total >= 28 else { return nil }
    datagram.vlan = -1
    datagram.identification = Int32(half(18))
    datagram.isSourceRouted = false
    datagram.fragmentCount = 1
    return udp(
      UnsafeRawBufferPointer(start: bytes + 34, count: min(total, count &- 14) &- 20), IPAddress(v4: word(26)),
      IPAddress(v4: word(30)), bytes.load(fromByteOffset: 22, as: UInt8.self), isWhole: total <= count &- 14, &datagram)
  }

  // MARK: Layers

  @inline(__always) mutating func network(
    _ inner: EtherPayload, _ layer: Layer, _ frame: CaptureFrame, _ datagram: inout ExtractedDatagram
  ) -> Bool {
    var next = layer.dropping(inner.offset)
    if inner.vlan >= 0 { next.vlan = inner.vlan }
    if inner.etherType == .ipv4 { return ipv4(next, frame, &datagram) }
    if inner.etherType == .ipv6 { return ipv6(next, frame, &datagram) }
    return tunnel(inner.etherType, next, frame, &datagram)
  }

  mutating func ipv4(_ layer: Layer, _ frame: CaptureFrame, _ datagram: inout ExtractedDatagram) -> Bool {
    let packet = layer.buffer
    if packet.count >= 20, !isOfUse(packet[9]) { return false }
    guard let header = IPv4Header(packet), let end = header.end(within: packet.count) else { return malformed() }
    let content = UnsafeRawBufferPointer(rebasing: packet[header.headerBytes..<end])
    datagram.vlan = layer.vlan
    datagram.identification = Int32(header.identification)
    datagram.isSourceRouted = header.headerBytes > 20 && header.isSourceRouted(packet)
    if header.isFragment {
      // A fragment that the capture cut would leave a hole that looks like data.
      guard header.totalBytes <= packet.count, header.totalBytes > 0, !layer.isReassembled else { return malformed() }
      let number = header.protocolNumber.rawValue
      let key = Reassembly.Key(
        source: header.source, destination: header.destination, identification: UInt32(header.identification),
        protocolNumber: number, vlan: layer.vlan, interface: frame.interface)
      guard
        let whole = reassemble(
          Reassembly.Fragment(
            key: key, offset: header.fragmentOffsetBytes, hasMore: header.hasMoreFragments,
            hopLimit: header.hopLimit, protocolNumber: number, bytes: content, frame: frame.number), frame)
      else { return false }
      datagram.fragmentCount = whole.fragmentCount
      if header.protocolNumber == .udp {
        return udp(whole.bytes, header.source, header.destination, whole.hopLimit, isWhole: true, &datagram)
      }
      return tunnel(header.protocolNumber, joined(whole, layer), frame, &datagram)
    }
    if !layer.isReassembled { datagram.fragmentCount = 1 }
    if header.protocolNumber == .tcp {
      // A length of zero is filled in by the network card, in a frame that is whole.
      return tcp(content, header.source, header.destination, isWhole: header.totalBytes <= packet.count)
    }
    if header.protocolNumber == .udp {
      let isWhole = header.totalBytes > 0 && header.totalBytes <= packet.count
      return udp(content, header.source, header.destination, header.hopLimit, isWhole: isWhole, &datagram)
    }
    return tunnel(header.protocolNumber, within(content, layer), frame, &datagram)
  }

  mutating func ipv6(_ layer: Layer, _ frame: CaptureFrame, _ datagram: inout ExtractedDatagram) -> Bool {
    let packet = layer.buffer
    if packet.count >= 40, !isOfUse(packet[6]), !IPv6Chain.isExtension(packet[6]) {
      return false
    }
    guard let header = IPv6Header(packet) else { return malformed() }
    let end = header.end(within: packet.count)
    let whole = UnsafeRawBufferPointer(rebasing: packet[..<end])
    guard let chain = IPv6Chain(whole, next: header.nextHeader, at: IPv6Header.headerBytes) else {
      return malformed()
    }
    datagram.vlan = layer.vlan
    datagram.identification = -1
    datagram.isSourceRouted = chain.isSourceRouted
    if !layer.isReassembled { datagram.fragmentCount = 1 }
    let content = UnsafeRawBufferPointer(rebasing: whole[chain.offset...])
    guard let piece = chain.fragment else {
      if chain.protocolNumber == .tcp {
        let isWhole = IPv6Header.headerBytes + header.payloadBytes <= packet.count
        return tcp(content, header.source, header.destination, isWhole: isWhole)
      }
      if chain.protocolNumber == .udp {
        let isWhole = header.payloadBytes > 0 && IPv6Header.headerBytes + header.payloadBytes <= packet.count
        return udp(content, header.source, header.destination, header.hopLimit, isWhole: isWhole, &datagram)
      }
      return tunnel(chain.protocolNumber, within(content, layer), frame, &datagram)
    }
    let number = chain.protocolNumber.rawValue
    guard DatagramExtractor.mayHoldDatagram(number) || IPv6Chain.isExtension(number) else { return false }
    guard IPv6Header.headerBytes + header.payloadBytes <= packet.count, header.payloadBytes > 0, !layer.isReassembled
    else { return malformed() }
    let key = Reassembly.Key(
      source: header.source, destination: header.destination, identification: piece.identification,
      protocolNumber: 0, vlan: layer.vlan, interface: frame.interface)
    guard
      let joined = reassemble(
        Reassembly.Fragment(
          key: key, offset: piece.offsetBytes, hasMore: piece.hasMoreFragments, hopLimit: header.hopLimit,
          protocolNumber: number, bytes: content, frame: frame.number), frame)
    else { return false }
    datagram.fragmentCount = joined.fragmentCount
    // Headers that only the last stop reads may stand before the UDP header.
    guard let rest = IPv6Chain(joined.bytes, next: joined.protocolNumber, at: 0), rest.fragment == nil else {
      return malformed()
    }
    if rest.protocolNumber == .udp {
      if rest.isSourceRouted { datagram.isSourceRouted = true }
      let segment = UnsafeRawBufferPointer(rebasing: joined.bytes[rest.offset...])
      return udp(segment, header.source, header.destination, joined.hopLimit, isWhole: true, &datagram)
    }
    return tunnel(rest.protocolNumber, self.joined(joined, layer).dropping(rest.offset), frame, &datagram)
  }

  @inline(__always) private func within(_ content: UnsafeRawBufferPointer, _ layer: Layer) -> Layer {
    var inner = layer
    inner.bytes = content.baseAddress ?? layer.bytes
    inner.count = content.count
    return inner
  }

  private func joined(_ whole: Reassembly.Whole, _ layer: Layer) -> Layer {
    var inner = within(whole.bytes, layer)
    inner.isReassembled = true
    return inner
  }

  private mutating func reassemble(_ fragment: Reassembly.Fragment, _ frame: CaptureFrame) -> Reassembly.Whole? {
    fragmentCount += 1
    let whole = reassembly.add(fragment, at: frame.time)
    if let whole { completedFrames = whole.frames }
    return whole
  }

  /// Keeps the segment where somebody wants it; it is no datagram.
  private mutating func tcp(
    _ content: UnsafeRawBufferPointer, _ source: IPAddress, _ destination: IPAddress, isWhole: Bool
  ) -> Bool {
    if readsSegments { segment = ExtractedSegment(content, source, destination, isWhole: isWhole) }
    return false
  }

  /// - Parameter segment: what IP carries, as far as it was captured.
  @inline(__always) private mutating func udp(
    _ segment: UnsafeRawBufferPointer, _ source: IPAddress, _ destination: IPAddress, _ hopLimit: UInt8,
    isWhole: Bool, _ datagram: inout ExtractedDatagram
  ) -> Bool {
    guard let header = UDPHeader(segment) else { return malformed() }
    var total = header.totalBytes
    // A jumbogram's length is zero (RFC 2675 section 4). The analysers take a zero in every IPv6 packet.
    if total == 0, destination.family == .v6 { total = segment.count }
    if total < 8 || isWhole && total > segment.count { return malformed() }
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

  @inline(never) mutating func malformed() -> Bool {
    malformedCount += 1
    return false
  }

  mutating func countInside(_ linkType: UInt32) {
    let known = unreadInside.firstIndex { $0.linkType == linkType }
    if let place = known ?? (unreadInside.count < 32 ? nil : unreadInside.count - 1) {
      unreadInside[place].frames += 1
    } else {
      unreadInside.append(LinkTypeCount(linkType: linkType, frames: 1))
    }
  }

  @inline(__always) private mutating func count(_ linkType: UInt32) {
    if current.linkType != linkType {
      earlierLinkTypes = linkTypes
      current = LinkTypeCount(linkType: linkType, frames: 0)
    }
    current.frames &+= 1
  }
}
