import RollcallPrimitives
import RollcallWire

extension FuzzTarget {
  /// An IGMP message (first byte even) or an MLD message (odd), its checksum set right if the second bit is set: read
  /// as the reference reads it, printed, read again as the same; no message holds more than its bytes can.
  static let groupMembership = FuzzTarget(name: "group-membership", dictionary: words, seeds: seeds) {
    (bytes: [UInt8]) throws(FuzzFinding) in
    guard let choice = bytes.first else { return }
    var message = Array(bytes.dropFirst())
    for cut in [message.count] + cuts(of: message) {
      message.removeLast(message.count - min(cut, message.count))
      try check(choice & 2 == 0 ? message : sealed(message, isMLD: choice & 1 == 1), isMLD: choice & 1 == 1)
    }
  }

  private static let source = IPAddress(v6High: 0xFE80 << 48, low: 0x20)
  private static let destination = IPAddress(v6High: 0xFF02 << 48, low: 0x16)

  private static func check(_ bytes: [UInt8], isMLD: Bool) throws(FuzzFinding) {
    let found = bytes.withUnsafeBytes {
      isMLD ? GroupMessage.read(mld: $0, source: source, destination: destination) : GroupMessage.read(igmp: $0)
    }
    let isSound = bytes == sealed(bytes, isMLD: isMLD) && bytes.count >= 8
    let expected = isSound ? GroupReference(bytes: bytes, addressBytes: isMLD ? 16 : 4).read() : nil
    try expect(found == expected, "read: \(String(describing: found)), reference: \(String(describing: expected))")
    guard let found else { return }
    try expect(addressCount(found) * 4 <= bytes.count, "more addresses than bytes")
    _ = found.destination(family: isMLD ? .v6 : .v4)
    let printed = isMLD ? found.mldBytes(source: source, destination: destination) : found.igmpBytes()
    try expect(printed == sealed(printed, isMLD: isMLD), "printed with a wrong checksum")
    let again = printed.withUnsafeBytes {
      isMLD ? GroupMessage.read(mld: $0, source: source, destination: destination) : GroupMessage.read(igmp: $0)
    }
    try expect(again == found, "printed, it reads as \(String(describing: again)) and not as \(found)")
  }

  private static func addressCount(_ message: GroupMessage) -> Int {
    switch message {
    case .join, .leave: 1
    case .query(let query): query.sources.count + 1
    case .report(let records): records.reduce(0) { $0 + $1.sources.count + 1 }
    }
  }

  /// The message with the checksum that it ought to have: the plain sum of 16-bit words.
  private static func sealed(_ bytes: [UInt8], isMLD: Bool) -> [UInt8] {
    guard bytes.count >= 4 else { return bytes }
    var sealed = bytes
    (sealed[2], sealed[3]) = (0, 0)
    var summed = sealed
    if isMLD {
      let count = UInt32(sealed.count)
      summed = source.bytes + destination.bytes + (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
      summed += [0, 0, 0, 58] + sealed
    }
    if summed.count % 2 == 1 { summed.append(0) }
    var sum: UInt64 = 0
    for offset in stride(from: 0, to: summed.count, by: 2) {
      sum += UInt64(summed[offset]) << 8 | UInt64(summed[offset + 1])
    }
    while sum > 0xFFFF { sum = sum & 0xFFFF + sum >> 16 }
    (sealed[2], sealed[3]) = (UInt8(~sum >> 8 & 0xFF), UInt8(~sum & 0xFF))
    // Both zeros of one's complement are sound: the one that stands there is kept.
    if sealed[2] == 0, sealed[3] == 0, bytes[2] == 0xFF, bytes[3] == 0xFF { (sealed[2], sealed[3]) = (0xFF, 0xFF) }
    return sealed
  }

  private static let words = [
    "\u{11}", "\u{16}", "\u{17}", "\u{22}", "\u{12}", "\u{6}\u{0}\u{0}\u{0}", "\u{4}\u{0}\u{0}\u{0}",
    "\u{3}\u{0}\u{0}\u{1}", "\u{0}\u{0}\u{0}\u{1}", "\u{0}\u{2}",
  ]

  private static let seeds: [[UInt8]] = {
    let four = IPAddress.ssdpGroup4
    let six = IPAddress.ssdpGroup6
    let host = IPAddress(192, 168, 1, 9)
    let host6 = IPAddress(v6High: 0xFE80 << 48, low: 9)
    func messages(_ group: IPAddress, _ host: IPAddress) -> [GroupMessage] {
      [
        .join(group), .leave(group), .change(joining: group), .change(leaving: group),
        .query(GroupQuery(generation: .second)),
        .query(GroupQuery(generation: .second, group: group, maximumResponseMilliseconds: 1_000)),
        .query(
          GroupQuery(
            generation: .third, group: group, maximumResponseMilliseconds: 25_600, suppressesRouterProcessing: true,
            robustness: 2, intervalSeconds: 125, sources: [host])),
        .report(GroupRecord.Kind.allCases.map { GroupRecord($0, group, sources: [host, host]) }),
      ]
    }
    let igmp = messages(four, host) + [.join(four, isVersion1: true), .query(GroupQuery(generation: .first))]
    return igmp.map { [2] + $0.igmpBytes() }
      + messages(six, host6).map { [3] + $0.mldBytes(source: source, destination: destination) }
  }()
}

/// Membership messages by their tables: RFC 2236 and 3376, RFC 2710 and 3810; the checksum is looked at elsewhere.
struct GroupReference {
  var bytes: [UInt8]
  var addressBytes: Int

  private var isMLD: Bool { addressBytes == 16 }

  func read() -> GroupMessage? {
    let groupOffset = isMLD ? 8 : 4
    func single(_ make: (IPAddress) -> GroupMessage) -> GroupMessage? {
      guard let group = address(groupOffset), group.isMulticast else { return nil }
      return make(group)
    }
    switch (isMLD, bytes[0]) {
    case (false, 0x11), (true, 130): return query(groupOffset)
    case (false, 0x12): return single { .join($0, isVersion1: true) }
    case (false, 0x16), (true, 131): return single { .join($0) }
    case (false, 0x17), (true, 132): return single { .leave($0) }
    case (false, 0x22), (true, 143): return report()
    default: return nil
    }
  }

  private func number(_ offset: Int) -> Int { Int(bytes[offset]) * 256 + Int(bytes[offset + 1]) }

  private func address(_ offset: Int) -> IPAddress? {
    offset + addressBytes > bytes.count ? nil : IPAddress(bytes: bytes[offset..<(offset + addressBytes)])
  }

  private func addresses(_ offset: Int, _ count: Int) -> [IPAddress]? {
    var all: [IPAddress] = []
    for number in 0..<count {
      guard let next = address(offset + number * addressBytes) else { return nil }
      all.append(next)
    }
    return all
  }

  /// A code with a mantissa of `bits` bits and three bits of exponent, or the number itself.
  private func time(_ code: Int, bits: Int) -> Int {
    let exponent = (code >> bits) % 8
    return code >> (bits + 3) == 0 ? code : (code % (1 << bits) + 1 << bits) << (exponent + 3)
  }

  private func query(_ groupOffset: Int) -> GroupMessage? {
    guard let address = address(groupOffset), address.isMulticast || address.isUnspecified else { return nil }
    let group = address.isUnspecified ? nil : address
    let old = groupOffset + addressBytes
    if bytes.count == old {
      if isMLD {
        return .query(
          GroupQuery(generation: .second, group: group, maximumResponseMilliseconds: UInt32(number(4))))
      }
      let tenths = UInt32(bytes[1])
      return .query(
        tenths == 0
          ? GroupQuery(generation: .first, group: group, maximumResponseMilliseconds: 10_000)
          : GroupQuery(generation: .second, group: group, maximumResponseMilliseconds: tenths * 100))
    }
    guard bytes.count >= old + 4, let sources = addresses(old + 4, number(old + 2)) else { return nil }
    let milliseconds = isMLD ? time(number(4), bits: 12) : time(Int(bytes[1]), bits: 4) * 100
    return .query(
      GroupQuery(
        generation: .third, group: group, maximumResponseMilliseconds: UInt32(milliseconds),
        suppressesRouterProcessing: bytes[old] & 8 == 8, robustness: bytes[old] % 8,
        intervalSeconds: UInt32(time(Int(bytes[old + 1]), bits: 4)), sources: sources))
  }

  private func report() -> GroupMessage? {
    var records: [GroupRecord] = []
    var rest = 8
    for _ in 0..<number(6) {
      guard rest + 4 <= bytes.count, let group = address(rest + 4), group.isMulticast,
        let sources = addresses(rest + 4 + addressBytes, number(rest + 2))
      else { return nil }
      let next = rest + 4 + addressBytes * (1 + sources.count) + 4 * Int(bytes[rest + 1])
      if next > bytes.count { return nil }
      if (1...6).contains(bytes[rest]), let kind = GroupRecord.Kind(rawValue: bytes[rest]) {
        records.append(GroupRecord(kind, group, sources: sources))
      }
      rest = next
    }
    return .report(records)
  }
}
