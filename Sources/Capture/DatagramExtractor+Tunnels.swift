internal import RollcallPrimitives
internal import RollcallWire

/// Packets inside packets, down to `nestingMaximum` of them.
extension DatagramExtractor {
  /// What an EtherType other than those of IP leads to.
  @inline(never) mutating func tunnel(
    _ type: EtherType, _ outer: Layer, _ frame: CaptureFrame, _ datagram: inout ExtractedDatagram
  ) -> Bool {
    switch type.rawValue {
    case 0x8864: return pppoe(outer, frame, &datagram)
    case 0x8847, 0x8848: return mpls(outer, frame, &datagram)
    case DatagramExtractor.instanceTag: return backbone(outer, frame, &datagram)
    default: return false
    }
  }

  /// The EtherType of IEEE 802.1ah.
  private static let instanceTag: UInt16 = 0x88E7

  /// Behind an instance tag of four bytes stands the customer's whole Ethernet header. As many of them as there are:
  /// each takes 18 bytes of the frame, and none takes a call.
  private mutating func backbone(_ outer: Layer, _ frame: CaptureFrame, _ datagram: inout ExtractedDatagram) -> Bool {
    var layer = outer
    while let inner = EtherPayload(layer.bytes, count: layer.count, typeOffset: 16) {
      if inner.etherType.rawValue != DatagramExtractor.instanceTag { return network(inner, layer, frame, &datagram) }
      layer = layer.dropping(inner.offset)
      if inner.vlan >= 0 { layer.vlan = inner.vlan }
    }
    return malformed()
  }

  /// What a protocol of IP other than UDP leads to.
  @inline(never) mutating func tunnel(
    _ number: IPProtocol, _ outer: Layer, _ frame: CaptureFrame, _ datagram: inout ExtractedDatagram
  ) -> Bool {
    guard let layer = deeper(outer) else { return malformed() }
    switch number.rawValue {
    case 4: return ipv4(layer, frame, &datagram)
    case 41: return ipv6(layer, frame, &datagram)
    case 47: return gre(layer, frame, &datagram)
    default: return false
    }
  }

  private func deeper(_ outer: Layer) -> Layer? {
    var layer = outer
    layer.depth += 1
    return layer.depth > DatagramExtractor.nestingMaximum ? nil : layer
  }

  private mutating func gre(_ layer: Layer, _ frame: CaptureFrame, _ datagram: inout ExtractedDatagram) -> Bool {
    guard let header = GREHeader(layer.buffer) else { return malformed() }
    let inner = layer.dropping(header.headerBytes)
    switch header.protocolType.rawValue {
    case EtherType.ipv4.rawValue: return ipv4(inner, frame, &datagram)
    case EtherType.ipv6.rawValue: return ipv6(inner, frame, &datagram)
    // An acknowledgement of PPTP carries nothing.
    case 0x880B: return inner.count > 0 && ppp(inner, frame, &datagram)
    case 0x6558: return link(LinkType.ethernet, inner, frame, &datagram)
    default: return tunnel(header.protocolType, inner, frame, &datagram)
    }
  }

  private mutating func mpls(_ outer: Layer, _ frame: CaptureFrame, _ datagram: inout ExtractedDatagram) -> Bool {
    guard let layer = deeper(outer), let labelBytes = MPLSLabels.byteCount(layer.buffer) else { return malformed() }
    let inner = layer.dropping(labelBytes)
    // The labels do not say what they carry; whatever begins with another number is no IP packet.
    guard inner.count > 0 else { return false }
    switch inner.bytes.load(as: UInt8.self) &>> 4 {
    case 4: return ipv4(inner, frame, &datagram)
    case 6: return ipv6(inner, frame, &datagram)
    default: return false
    }
  }

  mutating func pppoe(_ outer: Layer, _ frame: CaptureFrame, _ datagram: inout ExtractedDatagram) -> Bool {
    guard let layer = deeper(outer) else { return malformed() }
    guard let header = PPPoEHeader(layer.buffer) else { return false }
    var inner = layer
    inner.count = header.end(within: layer.count)
    return ppp(inner.dropping(PPPoEHeader.headerBytes), frame, &datagram)
  }

  mutating func ppp(_ outer: Layer, _ frame: CaptureFrame, _ datagram: inout ExtractedDatagram) -> Bool {
    guard let layer = deeper(outer), let header = PPPHeader(layer.buffer) else { return malformed() }
    let inner = layer.dropping(header.headerBytes)
    if let type = header.etherType {
      let next = EtherPayload(layer.bytes, count: layer.count, type: type.rawValue, offset: header.headerBytes)
      guard let next else { return malformed() }
      return network(next, layer, frame, &datagram)
    }
    switch header.protocolNumber {
    case 0x21: return ipv4(inner, frame, &datagram)
    case 0x57: return ipv6(inner, frame, &datagram)
    case 0x281, 0x283: return mpls(inner, frame, &datagram)
    default: return false
    }
  }
}
