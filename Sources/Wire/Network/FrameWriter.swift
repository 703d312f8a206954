public import RollcallPrimitives

/// The two ends of an Ethernet link, and the VLAN that they share.
public struct LinkAddresses: Hashable, Sendable {
  public var source: MACAddress
  public var destination: MACAddress
  /// 0 ... 4095; `nil` for a frame without a tag.
  public var vlan: UInt16?
  public init(source: MACAddress, destination: MACAddress, vlan: UInt16? = nil) {
    (self.source, self.destination, self.vlan) = (source, destination, vlan)
  }

  /// To a group or to everybody: the destination follows from the IP address; `nil` for a unicast address.
  public init?(source: MACAddress, group: IPAddress, vlan: UInt16? = nil) {
    guard let destination = MACAddress(group: group) else { return nil }
    self.init(source: source, destination: destination, vlan: vlan)
  }
}

/// Complete Ethernet frames with right checksums, so that any analyser decodes what the harness writes.
///
/// No frame check sequence and no padding to 60 bytes: a capture on the sending host has neither.
public enum FrameWriter {
  /// The frames of one UDP datagram: one, or its fragments where it does not fit the MTU.
  ///
  /// - Parameters:
  ///   - identification: what ties fragments together; IPv4 keeps its low 16 bits.
  ///   - mtuBytes: the largest IP packet of the link; taken as at least 68 (IPv4) or 1 280 (IPv6).
  /// - Returns: nothing where the addresses are of two families, or the datagram is larger than IP can carry.
  public static func udp(
    _ link: LinkAddresses, from source: Endpoint, to destination: Endpoint, hopLimit: UInt8,
    payload: UnsafeRawBufferPointer, identification: UInt32 = 0, mtuBytes: Int = 1_500
  ) -> [[UInt8]] {
    guard let segment = UDPHeader.segment(from: source, to: destination, payload: payload) else { return [] }
    return packets(
      link, from: source.address, to: destination.address, hopLimit: hopLimit, protocolNumber: .udp,
      payload: segment, identification: identification, mtuBytes: mtuBytes)
  }

  /// As above, for a payload in an array.
  public static func udp(
    _ link: LinkAddresses, from source: Endpoint, to destination: Endpoint, hopLimit: UInt8, payload: [UInt8],
    identification: UInt32 = 0, mtuBytes: Int = 1_500
  ) -> [[UInt8]] {
    payload.withUnsafeBytes {
      udp(
        link, from: source, to: destination, hopLimit: hopLimit, payload: $0, identification: identification,
        mtuBytes: mtuBytes)
    }
  }

  /// One frame around the bytes of any protocol above IP; with a router alert for IGMP and MLD.
  ///
  /// IGMP goes behind the IPv4 router alert option with the precedence that RFC 3376 section 4 asks for; MLD is ICMPv6
  /// behind a hop-by-hop header with its router alert (RFC 3810 section 5). An IGMP or ICMPv6 checksum that is still
  /// zero is filled in; any other is left as it stands.
  /// - Returns: `nil` where the addresses are of two families, or the bytes do not fit one packet.
  public static func frame(
    _ link: LinkAddresses, from source: IPAddress, to destination: IPAddress, protocolNumber: IPProtocol,
    ipPayload: [UInt8], hopLimit: UInt8 = 1, hasRouterAlert: Bool = true, identification: UInt16 = 0
  ) -> [UInt8]? {
    guard source.family == destination.family else { return nil }
    var payload = ipPayload
    fillChecksum(&payload, protocolNumber, source, destination)
    var frame: [UInt8]
    if source.family == .v4 {
      let headerBytes = hasRouterAlert ? 24 : 20
      guard headerBytes + payload.count <= 65_535 else { return nil }
      frame = linkHeader(link, .ipv4)
      appendIPv4(
        to: &frame, from: source, to: destination, hopLimit: hopLimit, protocolNumber: protocolNumber,
        payloadBytes: payload.count, identification: identification, fragment: 0, hasRouterAlert: hasRouterAlert)
    } else {
      let alert: [UInt8] = hasRouterAlert ? [protocolNumber.rawValue, 0, 5, 2, 0, 0, 1, 0] : []
      guard alert.count + payload.count <= 65_535 else { return nil }
      frame = linkHeader(link, .ipv6)
      appendIPv6(
        to: &frame, from: source, to: destination, hopLimit: hopLimit,
        nextHeader: hasRouterAlert ? 0 : protocolNumber.rawValue, payloadBytes: alert.count + payload.count)
      frame += alert
    }
    frame += payload
    return frame
  }

  // MARK: Layers

  static func packets(
    _ link: LinkAddresses, from source: IPAddress, to destination: IPAddress, hopLimit: UInt8,
    protocolNumber: IPProtocol, payload: [UInt8], identification: UInt32, mtuBytes: Int
  ) -> [[UInt8]] {
    guard source.family == destination.family else { return [] }
    let isV4 = source.family == .v4
    let headerBytes = isV4 ? 20 : 40
    guard !isV4 || headerBytes + payload.count <= 65_535 else { return [] }
    let room = max(mtuBytes, isV4 ? 68 : 1_280) - headerBytes
    if payload.count <= room {
      var frame = linkHeader(link, isV4 ? .ipv4 : .ipv6)
      frame.reserveCapacity(frame.count + headerBytes + payload.count)
      if isV4 {
        appendIPv4(
          to: &frame, from: source, to: destination, hopLimit: hopLimit, protocolNumber: protocolNumber,
          payloadBytes: payload.count, identification: UInt16(truncatingIfNeeded: identification), fragment: 0,
          hasRouterAlert: false)
      } else {
        appendIPv6(
          to: &frame, from: source, to: destination, hopLimit: hopLimit, nextHeader: protocolNumber.rawValue,
          payloadBytes: payload.count)
      }
      frame += payload
      return [frame]
    }
    // Every fragment but the last carries a multiple of eight bytes.
    let step = (isV4 ? room : room - 8) & ~7
    return stride(from: 0, to: payload.count, by: step).map { offset in
      let piece = payload[offset..<min(offset + step, payload.count)]
      let hasMore = offset + step < payload.count
      var frame = linkHeader(link, isV4 ? .ipv4 : .ipv6)
      if isV4 {
        appendIPv4(
          to: &frame, from: source, to: destination, hopLimit: hopLimit, protocolNumber: protocolNumber,
          payloadBytes: piece.count, identification: UInt16(truncatingIfNeeded: identification),
          fragment: UInt16(offset / 8) | (hasMore ? 0x2000 : 0), hasRouterAlert: false)
      } else {
        appendIPv6(
          to: &frame, from: source, to: destination, hopLimit: hopLimit, nextHeader: 44,
          payloadBytes: 8 + piece.count)
        frame += [protocolNumber.rawValue, 0]
        frame.appendBigEndian(UInt16(offset) | (hasMore ? 1 : 0))
        frame.appendBigEndian(UInt16(truncatingIfNeeded: identification >> 16))
        frame.appendBigEndian(UInt16(truncatingIfNeeded: identification))
      }
      frame += piece
      return frame
    }
  }

  static func linkHeader(_ link: LinkAddresses, _ type: EtherType) -> [UInt8] {
    var frame = link.destination.bytes + link.source.bytes
    if let vlan = link.vlan {
      frame.appendBigEndian(EtherType.vlan.rawValue)
      frame.appendBigEndian(vlan & 0xFFF)
    }
    frame.appendBigEndian(type.rawValue)
    return frame
  }

  static func appendIPv4(
    to frame: inout [UInt8], from source: IPAddress, to destination: IPAddress, hopLimit: UInt8,
    protocolNumber: IPProtocol, payloadBytes: Int, identification: UInt16, fragment: UInt16, hasRouterAlert: Bool
  ) {
    let headerBytes = hasRouterAlert ? 24 : 20
    let start = frame.count
    frame += [0x40 | UInt8(headerBytes / 4), hasRouterAlert ? 0xC0 : 0]
    frame.appendBigEndian(UInt16(headerBytes + payloadBytes))
    frame.appendBigEndian(identification)
    frame.appendBigEndian(fragment)
    frame += [hopLimit, protocolNumber.rawValue, 0, 0]
    frame += source.bytes
    frame += destination.bytes
    if hasRouterAlert { frame += [0x94, 4, 0, 0] }
    var sum = InternetChecksum()
    frame.withUnsafeBytes { sum.add(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    frame.setBigEndian(sum.value, at: start + 10)
  }

  static func appendIPv6(
    to frame: inout [UInt8], from source: IPAddress, to destination: IPAddress, hopLimit: UInt8, nextHeader: UInt8,
    payloadBytes: Int
  ) {
    frame += [0x60, 0, 0, 0]
    frame.appendBigEndian(UInt16(payloadBytes))
    frame += [nextHeader, hopLimit]
    frame += source.bytes
    frame += destination.bytes
  }

  static func fillChecksum(
    _ payload: inout [UInt8], _ protocolNumber: IPProtocol, _ source: IPAddress, _ destination: IPAddress
  ) {
    guard protocolNumber == .icmpV6 || protocolNumber == .igmp, payload.count >= 4, payload[2] == 0, payload[3] == 0
    else { return }
    var sum = InternetChecksum()
    if protocolNumber == .icmpV6 {
      sum.addPseudoHeader(
        source: source, destination: destination, protocolNumber: protocolNumber.rawValue, byteCount: payload.count)
    }
    payload.withUnsafeBytes { sum.add($0) }
    payload.setBigEndian(sum.value, at: 2)
  }
}

extension [UInt8] {
  mutating func appendBigEndian(_ word: UInt16) {
    append(UInt8(word >> 8))
    append(UInt8(truncatingIfNeeded: word))
  }

  mutating func setBigEndian(_ word: UInt16, at offset: Int) {
    self[offset] = UInt8(word >> 8)
    self[offset + 1] = UInt8(truncatingIfNeeded: word)
  }
}
