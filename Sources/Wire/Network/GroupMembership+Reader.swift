public import RollcallPrimitives

extension GroupMessage {
  /// Reads an IGMP message, all bytes of the IPv4 payload; `nil` where it is cut, damaged, or something else.
  ///
  /// The generation of a query follows from its length, as routers tell it. Bytes behind a whole message are covered
  /// by the checksum and otherwise skipped. Records of an unknown kind are skipped, as both protocols ask.
  public static func read(igmp bytes: UnsafeRawBufferPointer) -> GroupMessage? {
    guard bytes.count >= 8, GroupWire.checksumIGMP(bytes) == 0 else { return nil }
    let reader = GroupReader(bytes: bytes, family: .v4)
    switch bytes[0] {
    case 0x11: return reader.query4()
    case 0x12: return reader.group(at: 4).map { .join($0, isVersion1: true) }
    case 0x16: return reader.group(at: 4).map { .join($0, isVersion1: false) }
    case 0x17: return reader.group(at: 4).map { .leave($0) }
    case 0x22: return reader.records().map { .report($0) }
    default: return nil
    }
  }

  /// Reads an MLD message, all bytes of the ICMPv6 message; `nil` where it is cut, damaged, or something else.
  ///
  /// `source` and `destination` are those of the IPv6 header; the checksum covers them.
  public static func read(
    mld bytes: UnsafeRawBufferPointer, source: IPAddress, destination: IPAddress
  ) -> GroupMessage? {
    guard bytes.count >= 8, source.family == .v6, destination.family == .v6 else { return nil }
    guard GroupWire.checksumMLD(bytes, source: source, destination: destination) == 0 else { return nil }
    let reader = GroupReader(bytes: bytes, family: .v6)
    switch bytes[0] {
    case 130: return reader.query6()
    case 131: return reader.group(at: 8).map { .join($0, isVersion1: false) }
    case 132: return reader.group(at: 8).map { .leave($0) }
    case 143: return reader.records().map { .report($0) }
    default: return nil
    }
  }
}

/// Reads inside `bytes` only; whatever would lie beyond makes the answer `nil`.
private struct GroupReader {
  let bytes: UnsafeRawBufferPointer
  let family: IPAddress.Family

  var addressBytes: Int { family == .v4 ? 4 : 16 }

  func word(at offset: Int) -> Int { Int(bytes[offset]) << 8 | Int(bytes[offset + 1]) }

  func address(at offset: Int) -> IPAddress? {
    guard offset + addressBytes <= bytes.count else { return nil }
    return IPAddress(bytes: bytes[offset..<(offset + addressBytes)])
  }

  /// A group: an address that is multicast.
  func group(at offset: Int) -> IPAddress? {
    guard let address = address(at: offset), address.isMulticast else { return nil }
    return address
  }

  func sources(at offset: Int, count: Int) -> [IPAddress]? {
    guard offset + count * addressBytes <= bytes.count else { return nil }
    return (0..<count).compactMap { address(at: offset + $0 * addressBytes) }
  }

  /// The group of a query: `.some(nil)` for all groups, `nil` for an address that is no group.
  func queriedGroup(at offset: Int) -> IPAddress?? {
    guard let address = address(at: offset) else { return nil }
    if address.isUnspecified { return .some(nil) }
    return address.isMulticast ? .some(address) : nil
  }

  func query4() -> GroupMessage? {
    guard let group = queriedGroup(at: 4), bytes.count == 8 || bytes.count >= 12 else { return nil }
    if bytes.count == 8 {
      let tenths = UInt32(bytes[1])
      return .query(
        GroupQuery(
          generation: tenths == 0 ? .first : .second, group: group,
          maximumResponseMilliseconds: tenths == 0 ? 10_000 : tenths * 100))
    }
    return newQuery(group, milliseconds: GroupWire.decode8(bytes[1]) * 100, at: 8)
  }

  func query6() -> GroupMessage? {
    guard let group = queriedGroup(at: 8), bytes.count == 24 || bytes.count >= 28 else { return nil }
    let code = UInt16(word(at: 4))
    if bytes.count == 24 {
      return .query(GroupQuery(generation: .second, group: group, maximumResponseMilliseconds: UInt32(code)))
    }
    return newQuery(group, milliseconds: GroupWire.decode16(code), at: 24)
  }

  /// The part that the third generation appended.
  func newQuery(_ group: IPAddress?, milliseconds: UInt32, at offset: Int) -> GroupMessage? {
    guard let sources = sources(at: offset + 4, count: word(at: offset + 2)) else { return nil }
    return .query(
      GroupQuery(
        generation: .third, group: group, maximumResponseMilliseconds: milliseconds,
        suppressesRouterProcessing: bytes[offset] & 8 != 0, robustness: bytes[offset] & 7,
        intervalSeconds: GroupWire.decode8(bytes[offset + 1]), sources: sources))
  }

  func records() -> [GroupRecord]? {
    var records: [GroupRecord] = []
    var offset = 8
    for _ in 0..<word(at: 6) {
      guard offset + 4 + addressBytes <= bytes.count else { return nil }
      let auxiliaryBytes = Int(bytes[offset + 1]) * 4
      let sourceCount = word(at: offset + 2)
      guard let group = group(at: offset + 4),
        let sources = sources(at: offset + 4 + addressBytes, count: sourceCount)
      else { return nil }
      let kind = GroupRecord.Kind(rawValue: bytes[offset])
      offset += 4 + addressBytes + sourceCount * addressBytes + auxiliaryBytes
      guard offset <= bytes.count else { return nil }
      if let kind { records.append(GroupRecord(kind, group, sources: sources)) }
    }
    return records
  }
}
