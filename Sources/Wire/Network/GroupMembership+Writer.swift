public import RollcallPrimitives

extension GroupMessage {
  /// TTL or hop limit of every membership message: none leaves its link.
  public static let hopLimit: UInt8 = 1

  /// The IGMP message, checksum included: what follows the IPv4 header.
  /// - Precondition: every address is IPv4.
  public func igmpBytes() -> [UInt8] {
    var out = GroupWriter(family: .v4)
    switch self {
    case .join(let group, let isVersion1): out.header(isVersion1 ? 0x12 : 0x16, group: group)
    case .leave(let group): out.header(0x17, group: group)
    case .query(let query):
      let tenths = query.maximumResponseMilliseconds / 100
      switch query.generation {
      case .first: out.header(0x11, group: query.group)
      // 0 would say: first generation.
      case .second: out.header(0x11, code: UInt8(clamping: max(1, tenths)), group: query.group)
      case .third:
        out.header(0x11, code: GroupWire.encode8(tenths), group: query.group)
        out.querySources(query)
      }
    case .report(let records):
      out.bytes = [0x22, 0, 0, 0, 0, 0]
      out.records(records)
    }
    out.seal { GroupWire.checksumIGMP($0) }
    return out.bytes
  }

  /// The MLD message as ICMPv6, checksum included: what follows the hop-by-hop header.
  /// - Precondition: every address is IPv6.
  public func mldBytes(source: IPAddress, destination: IPAddress) -> [UInt8] {
    precondition(source.family == .v6 && destination.family == .v6, "MLD goes over IPv6")
    var out = GroupWriter(family: .v6)
    switch self {
    case .join(let group, _): out.header6(131, group: group)
    case .leave(let group): out.header6(132, group: group)
    case .query(let query):
      let milliseconds = query.maximumResponseMilliseconds
      if query.generation == .third {
        out.header6(130, code: GroupWire.encode16(milliseconds), group: query.group)
        out.querySources(query)
      } else {
        out.header6(130, code: UInt16(clamping: milliseconds), group: query.group)
      }
    case .report(let records):
      out.bytes = [143, 0, 0, 0, 0, 0]
      out.records(records)
    }
    out.seal { GroupWire.checksumMLD($0, source: source, destination: destination) }
    return out.bytes
  }
}

private struct GroupWriter {
  let family: IPAddress.Family
  var bytes: [UInt8] = []

  init(family: IPAddress.Family) { self.family = family }

  mutating func append(_ value: UInt16) { bytes += [UInt8(value >> 8), UInt8(value & 0xFF)] }

  mutating func append(_ address: IPAddress) {
    precondition(address.family == family, "a membership message of one family with an address of the other")
    bytes += address.bytes
  }

  mutating func append(group: IPAddress?) {
    if let group { append(group) } else { bytes += Array(repeating: 0, count: family == .v4 ? 4 : 16) }
  }

  mutating func header(_ type: UInt8, code: UInt8 = 0, group: IPAddress?) {
    bytes = [type, code, 0, 0]
    append(group: group)
  }

  mutating func header6(_ type: UInt8, code: UInt16 = 0, group: IPAddress?) {
    bytes = [type, 0, 0, 0]
    append(code)
    append(UInt16(0))
    append(group: group)
  }

  mutating func querySources(_ query: GroupQuery) {
    precondition(query.sources.count <= 0xFFFF, "more senders than a query can count")
    bytes.append((query.suppressesRouterProcessing ? 8 : 0) | min(7, query.robustness))
    bytes.append(GroupWire.encode8(query.intervalSeconds))
    append(UInt16(query.sources.count))
    for source in query.sources { append(source) }
  }

  mutating func records(_ records: [GroupRecord]) {
    precondition(records.count <= 0xFFFF, "more groups than a report can count")
    append(UInt16(records.count))
    for record in records {
      precondition(record.sources.count <= 0xFFFF, "more senders than a record can count")
      bytes += [record.kind.rawValue, 0]
      append(UInt16(record.sources.count))
      append(record.group)
      for source in record.sources { append(source) }
    }
  }

  /// Both IGMP and ICMPv6 have their checksum at the third byte.
  mutating func seal(_ checksumOf: (UnsafeRawBufferPointer) -> UInt16) {
    let checksum = bytes.withUnsafeBytes(checksumOf)
    bytes[2] = UInt8(checksum >> 8)
    bytes[3] = UInt8(checksum & 0xFF)
  }
}
