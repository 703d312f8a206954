public import RollcallPrimitives

/// What hosts and routers tell each other about multicast groups: IGMP over IPv4, MLD over IPv6.
///
/// One value for both families; the addresses say which. The older generation (IGMPv1 and v2, MLDv1) speaks in
/// single groups, the newer (IGMPv3, MLDv2) in lists of records. A device that never joins hears no search
/// (UDA-1-IGMP), and a switch that snoops never sends it one.
public enum GroupMessage: Hashable, Sendable {
  /// "I listen to this group": IGMPv2 or MLDv1; with `isVersion1`, the older IGMPv1 report.
  case join(IPAddress, isVersion1: Bool = false)
  /// "I no longer listen": IGMPv2 leave or MLDv1 done.
  case leave(IPAddress)
  /// "Who listens?"
  case query(GroupQuery)
  /// State and changes of state, group by group: IGMPv3 or MLDv2.
  case report([GroupRecord])
}

/// A router's question.
public struct GroupQuery: Hashable, Sendable {
  /// The older generation carries no more than group and response time.
  public enum Generation: UInt8, Hashable, Sendable, BitwiseCopyable {
    /// IGMPv1: hosts answer within 10 s.
    case first = 1
    /// IGMPv2, MLDv1.
    case second = 2
    /// IGMPv3, MLDv2.
    case third = 3
  }

  public var generation: Generation
  /// The group that is asked about; `nil` for all.
  public var group: IPAddress?
  /// Hosts spread their answers over this time. Tenths of a second on the wire for IGMP; large times lose precision.
  public var maximumResponseMilliseconds: UInt32
  /// Other routers are not to act on this query.
  public var suppressesRouterProcessing: Bool
  /// How many losses the group's state must survive, 0 ... 7.
  public var robustness: UInt8
  /// How often the router asks; large times lose precision.
  public var intervalSeconds: UInt32
  /// Senders that are asked about, third generation only.
  public var sources: [IPAddress]

  public init(
    generation: Generation, group: IPAddress? = nil, maximumResponseMilliseconds: UInt32 = 10_000,
    suppressesRouterProcessing: Bool = false, robustness: UInt8 = 0, intervalSeconds: UInt32 = 0,
    sources: [IPAddress] = []
  ) {
    self.generation = generation
    self.group = group
    self.maximumResponseMilliseconds = maximumResponseMilliseconds
    self.suppressesRouterProcessing = suppressesRouterProcessing
    self.robustness = robustness
    self.intervalSeconds = intervalSeconds
    self.sources = sources
  }
}

/// One group in a report of the newer generation.
public struct GroupRecord: Hashable, Sendable {
  public enum Kind: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    /// State: only the listed senders; with none listed, nobody.
    case isInclude = 1
    /// State: everybody but the listed senders.
    case isExclude = 2
    case toInclude = 3
    case toExclude = 4
    case allowNew = 5
    case blockOld = 6
  }

  public var kind: Kind
  public var group: IPAddress
  public var sources: [IPAddress]

  public init(_ kind: Kind, _ group: IPAddress, sources: [IPAddress] = []) {
    (self.kind, self.group, self.sources) = (kind, group, sources)
  }

  /// What the record means to somebody who counts listeners: `true` listens, `false` has left, `nil` says neither.
  public var listens: Bool? {
    switch kind {
    case .isExclude, .toExclude: true
    case .isInclude, .toInclude: !sources.isEmpty
    case .allowNew: sources.isEmpty ? nil : true
    case .blockOld: nil
    }
  }
}

extension GroupMessage {
  /// A join or leave in the newer generation, as current hosts send it.
  public static func change(joining group: IPAddress) -> GroupMessage { .report([GroupRecord(.toExclude, group)]) }
  public static func change(leaving group: IPAddress) -> GroupMessage { .report([GroupRecord(.toInclude, group)]) }

  /// Where the message goes: reports of the older generation to the group itself, leaves to all routers, queries to
  /// all hosts or to the group in question, reports of the newer generation to the routers that understand them.
  public func destination(family: IPAddress.Family) -> IPAddress {
    switch self {
    case .join(let group, _): group
    case .leave: family == .v4 ? IPAddress(224, 0, 0, 2) : IPAddress(v6High: 0xFF02 << 48, low: 2)
    case .query(let query):
      query.group ?? (family == .v4 ? IPAddress(224, 0, 0, 1) : IPAddress(v6High: 0xFF02 << 48, low: 1))
    case .report: family == .v4 ? IPAddress(224, 0, 0, 22) : IPAddress(v6High: 0xFF02 << 48, low: 0x16)
    }
  }
}

/// What the reader and the writer of `GroupMessage` share.
enum GroupWire {
  static let ipv6NextHeader: UInt8 = 58

  /// The checksum of an MLD message, which begins with a pseudo header.
  static func checksumMLD(_ bytes: UnsafeRawBufferPointer, source: IPAddress, destination: IPAddress) -> UInt16 {
    var checksum = InternetChecksum()
    checksum.addPseudoHeader(
      source: source, destination: destination, protocolNumber: ipv6NextHeader, byteCount: bytes.count)
    checksum.add(bytes)
    return checksum.value
  }

  static func checksumIGMP(_ bytes: UnsafeRawBufferPointer) -> UInt16 {
    var checksum = InternetChecksum()
    checksum.add(bytes)
    return checksum.value
  }

  /// A time in the code of IGMPv3: itself below 128, else a mantissa of 4 bits, its top bit implied, and an exponent.
  static func decode8(_ code: UInt8) -> UInt32 {
    code < 128 ? UInt32(code) : (UInt32(code & 0x0F) | 0x10) << (UInt32(code >> 4 & 7) + 3)
  }

  /// The largest code whose value is at most `value`.
  static func encode8(_ value: UInt32) -> UInt8 {
    if value < 128 { return UInt8(value) }
    if value >= decode8(0xFF) { return 0xFF }
    let exponent = UInt32(31 - value.leadingZeroBitCount) - 7
    return UInt8(0x80 | exponent << 4 | value >> (exponent + 3) & 0x0F)
  }

  /// The same idea in 16 bits, as MLDv2 has it: itself below 32 768, else a mantissa of 12 bits.
  static func decode16(_ code: UInt16) -> UInt32 {
    code < 32_768 ? UInt32(code) : (UInt32(code & 0x0FFF) | 0x1000) << (UInt32(code >> 12 & 7) + 3)
  }

  static func encode16(_ value: UInt32) -> UInt16 {
    if value < 32_768 { return UInt16(value) }
    if value >= decode16(0xFFFF) { return 0xFFFF }
    let exponent = UInt32(31 - value.leadingZeroBitCount) - 15
    return UInt16(0x8000 | exponent << 12 | value >> (exponent + 3) & 0x0FFF)
  }
}
