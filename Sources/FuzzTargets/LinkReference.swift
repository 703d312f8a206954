import RollcallCapture
import RollcallPrimitives
import RollcallWire

/// UDP in frames by the book: Ethernet with tags and SNAP, Linux cooked, loopback, raw IP, IPv4 and IPv6 with their
/// fragments; slices of arrays, a number at a time.
///
/// It stops (`isOut`) at what it does not know: other link layers, and IP within IP.
struct LinkReference {
  let linkType: UInt32
  private(set) var isOut = false
  private var now = Instant.zero
  private var vlan: Int32 = -1
  private var open: [Pieces] = []

  /// Fragments of one datagram, in order of arrival.
  private struct Pieces {
    var key: [UInt64]
    var started: Instant
    var bytes: [UInt8?] = []
    var total: Int?
    var highest = 0
    var first: (hopLimit: UInt8, next: UInt8)?
    var count = 0
  }

  init?(linkType: UInt32) {
    guard [1, 101, 113, 276, 0, 108, 228, 229, 12].contains(linkType) else { return nil }
    self.linkType = linkType
  }

  mutating func read(_ frame: [UInt8], at time: Instant) -> FoundDatagram.Plain? {
    if isOut { return nil }
    now = time
    vlan = -1
    switch linkType {
    case 1: return etherType(frame, at: 12)
    case 113: return frame.count < 16 ? nil : etherType(frame, at: 14)
    case 276:
      guard frame.count >= 20 else { return nil }
      return etherType(Array(frame[0..<2]) + frame[20...], at: 0)
    case 0, 108: return loopback(frame)
    case 229: return version6(frame)
    default:
      guard let first = frame.first else { return nil }
      return first >> 4 == 6 ? version6(frame) : version4(frame)
    }
  }

  private func number(_ bytes: [UInt8], _ offset: Int, _ count: Int = 2) -> UInt64 {
    bytes[offset..<(offset + count)].reduce(0) { $0 * 256 + UInt64($1) }
  }

  private mutating func etherType(_ frame: [UInt8], at place: Int) -> FoundDatagram.Plain? {
    var offset = place
    guard offset + 2 <= frame.count else { return nil }
    while [0x8100, 0x88A8, 0x9100, 0x9200].contains(number(frame, offset)) {
      guard offset + 6 <= frame.count else { return nil }
      vlan = Int32(number(frame, offset + 2) % 4_096)
      offset += 4
    }
    if number(frame, offset) <= 1_500, frame.count >= offset + 10,
      Array(frame[(offset + 2)..<(offset + 8)]) == [0xAA, 0xAA, 3, 0, 0, 0]
    {
      offset += 8
    }
    switch number(frame, offset) {
    case 0x0800: return version4(Array(frame[(offset + 2)...]))
    case 0x86DD: return version6(Array(frame[(offset + 2)...]))
    // What else a network may carry (PPPoE, MPLS) is not for here.
    case 0x8864, 0x8847, 0x8848: isOut = true
    // Provider backbone: an instance tag, then the header of a customer.
    case 0x88E7: return etherType(Array(frame[(offset + 2)...]), at: 16)
    default: break
    }
    return nil
  }

  private mutating func loopback(_ frame: [UInt8]) -> FoundDatagram.Plain? {
    guard frame.count >= 4 else { return nil }
    let little = frame[..<4].reversed().reduce(UInt64(0)) { $0 * 256 + UInt64($1) }
    switch min(little, number(frame, 0, 4)) {
    case 2: return version4(Array(frame[4...]))
    case 10, 23, 24, 28, 30: return version6(Array(frame[4...]))
    default: return etherType(frame, at: 2)
    }
  }

  // MARK: IP

  private mutating func version4(_ packet: [UInt8]) -> FoundDatagram.Plain? {
    guard packet.count >= 20, packet[0] >> 4 == 4 else { return nil }
    if [4, 41, 47].contains(packet[9]) { isOut = true }
    let header = Int(packet[0] % 16) * 4
    let total = Int(number(packet, 2))
    guard packet[9] == 17, header >= 20, header <= packet.count, total == 0 || total >= header else { return nil }
    let content = Array(packet[header..<(total == 0 ? packet.count : min(total, packet.count))])
    let (source, destination) = (IPAddress(bytes: packet[12..<16]), IPAddress(bytes: packet[16..<20]))
    guard let source, let destination else { return nil }
    let hidesStop = isSourceRouted(Array(packet[20..<header]))
    let (offset, hasMore) = (Int(number(packet, 6) % 8_192) * 8, packet[6] & 0x20 != 0)
    if offset == 0, !hasMore {
      return udp(
        content, source, destination, hopLimit: packet[8], pieces: 1, hidesStop: hidesStop,
        isWhole: total > 0 && total <= packet.count)
    }
    guard total > 0, total <= packet.count else { return nil }
    let key = [4, source.low, destination.low, number(packet, 4), UInt64(bitPattern: Int64(vlan))]
    guard let whole = join(content, offset, hasMore, key, packet[8], 17) else { return nil }
    return udp(
      whole.bytes, source, destination, hopLimit: whole.hopLimit, pieces: whole.count, hidesStop: hidesStop,
      isWhole: true)
  }

  /// Whether a loose or strict source route has stops left.
  private func isSourceRouted(_ options: [UInt8]) -> Bool {
    var rest = options[...]
    while let kind = rest.first, kind != 0 {
      if kind == 1 {
        rest = rest.dropFirst()
        continue
      }
      guard rest.count >= 2 else { return false }
      let length = Int(rest[rest.startIndex + 1])
      guard length >= 2, length <= rest.count else { return false }
      if kind == 131 || kind == 137, length > 2, Int(rest[rest.startIndex + 2]) <= length { return true }
      rest = rest.dropFirst(length)
    }
    return false
  }

  private mutating func version6(_ packet: [UInt8]) -> FoundDatagram.Plain? {
    guard packet.count >= 40, packet[0] >> 4 == 6 else { return nil }
    let claimed = Int(number(packet, 4))
    let content = Array(packet[40..<(claimed == 0 ? packet.count : min(40 + claimed, packet.count))])
    guard let source = IPAddress(bytes: packet[8..<24]), let destination = IPAddress(bytes: packet[24..<40]),
      let chain = chain(content, packet[6])
    else { return nil }
    guard let fragment = chain.fragment else {
      return segment(
        chain.rest, chain.next, source, destination, packet[7], 1, chain.hidesStop,
        isWhole: claimed > 0 && 40 + claimed <= packet.count)
    }
    guard chain.next == 17 || isExtension(chain.next) else {
      if [4, 41, 47].contains(chain.next) { isOut = true }
      return nil
    }
    guard claimed > 0, 40 + claimed <= packet.count else { return nil }
    let key = [
      6, source.high, source.low, destination.high, destination.low, fragment.id, UInt64(bitPattern: Int64(vlan)),
    ]
    guard let whole = join(chain.rest, fragment.offset, fragment.hasMore, key, packet[7], chain.next),
      let inner = self.chain(whole.bytes, whole.next), inner.fragment == nil
    else { return nil }
    return segment(
      inner.rest, inner.next, source, destination, whole.hopLimit, whole.count, chain.hidesStop || inner.hidesStop,
      isWhole: true)
  }

  private mutating func segment(
    _ bytes: [UInt8], _ next: UInt8, _ source: IPAddress, _ destination: IPAddress, _ hopLimit: UInt8, _ pieces: Int,
    _ hidesStop: Bool, isWhole: Bool
  ) -> FoundDatagram.Plain? {
    if [4, 41, 47].contains(next) { isOut = true }
    if next != 17 { return nil }
    return udp(
      bytes, source, destination, hopLimit: hopLimit, pieces: pieces, hidesStop: hidesStop, isWhole: isWhole)
  }

  private func isExtension(_ next: UInt8) -> Bool { [0, 43, 44, 51, 60, 135, 139, 140].contains(next) }

  private struct Chain {
    var next: UInt8
    var rest: [UInt8]
    var fragment: (id: UInt64, offset: Int, hasMore: Bool)?
    var hidesStop = false
  }

  private func chain(_ bytes: [UInt8], _ first: UInt8) -> Chain? {
    var chain = Chain(next: first, rest: bytes)
    var count = 0
    while isExtension(chain.next) {
      count += 1
      if count > IPv6Chain.headerCountMaximum || chain.rest.count < 8 { return nil }
      let rest = chain.rest
      var length = (Int(rest[1]) + 1) * 8
      if chain.next == 51 { length = (Int(rest[1]) + 2) * 4 }
      if chain.next == 44 { length = 8 }
      if length > rest.count { return nil }
      if chain.next == 43, rest[3] > 0 { chain.hidesStop = true }
      let isFragment = chain.next == 44
      (chain.next, chain.rest) = (rest[0], Array(rest[length...]))
      if isFragment, rest[2] > 0 || rest[3] & 0xF9 != 0 {
        chain.fragment = (number(rest, 4, 4), Int(number(rest, 2)) / 8 * 8, rest[3] & 1 == 1)
        return chain
      }
    }
    return chain
  }

  // MARK: Fragments

  private struct Whole {
    var bytes: [UInt8]
    var hopLimit: UInt8
    var next: UInt8
    var count: Int
  }

  /// The first byte to arrive at a place stays; an end that contradicts another is not believed.
  private mutating func join(
    _ bytes: [UInt8], _ offset: Int, _ hasMore: Bool, _ key: [UInt64], _ hopLimit: UInt8, _ next: UInt8
  ) -> Whole? {
    let end = offset + bytes.count
    if bytes.isEmpty || hasMore && bytes.count % 8 != 0 || end > 65_535 { return nil }
    open.removeAll { now - $0.started > .seconds(30) }
    if !open.contains(where: { $0.key == key }) {
      if open.count == 64 { open.removeFirst() }
      open.append(Pieces(key: key, started: now))
    }
    guard let index = open.firstIndex(where: { $0.key == key }) else { return nil }
    var pieces = open[index]
    if let total = pieces.total, end > total || !hasMore && end != total { return nil }
    if !hasMore, end < pieces.highest { return nil }
    if pieces.bytes.count < end { pieces.bytes += [UInt8?](repeating: nil, count: end - pieces.bytes.count) }
    for (position, byte) in bytes.enumerated() where pieces.bytes[offset + position] == nil {
      pieces.bytes[offset + position] = byte
    }
    pieces.count += 1
    pieces.highest = max(pieces.highest, end)
    if offset == 0, pieces.first == nil { pieces.first = (hopLimit, next) }
    if !hasMore { pieces.total = end }
    open[index] = pieces
    guard let total = pieces.total, pieces.bytes.count == total, !pieces.bytes.contains(where: { $0 == nil }),
      let first = pieces.first
    else { return nil }
    open.remove(at: index)
    return Whole(bytes: pieces.bytes.compactMap { $0 }, hopLimit: first.hopLimit, next: first.next, count: pieces.count)
  }

  // MARK: UDP

  private func udp(
    _ segment: [UInt8], _ source: IPAddress, _ destination: IPAddress, hopLimit: UInt8, pieces: Int, hidesStop: Bool,
    isWhole: Bool
  ) -> FoundDatagram.Plain? {
    guard segment.count >= 8 else { return nil }
    var total = Int(number(segment, 4))
    if total == 0, destination.family == .v6 { total = segment.count }
    if total < 8 || isWhole && total > segment.count { return nil }
    let kept = Array(segment.prefix(total))
    var checksum = UDPChecksum.unverifiable
    if !hidesStop, total <= segment.count {
      checksum = number(segment, 6) == 0 ? .absent : isSound(kept, source, destination) ? .good : .bad
    }
    return FoundDatagram.Plain(
      source: Endpoint(source, port: UInt16(number(segment, 0))),
      destination: Endpoint(destination, port: UInt16(number(segment, 2))), hopLimit: hopLimit, vlan: vlan,
      fragmentCount: pieces, isCut: total > segment.count, checksum: checksum, payload: Array(kept.dropFirst(8)))
  }

  private func isSound(_ segment: [UInt8], _ source: IPAddress, _ destination: IPAddress) -> Bool {
    let count = [UInt8(segment.count >> 16 & 0xFF), UInt8(segment.count >> 8 & 0xFF), UInt8(segment.count & 0xFF)]
    var summed = source.bytes + destination.bytes + [0] + count + [0, 17] + segment
    // The bytes before the segment are even in number.
    if summed.count % 2 == 1 { summed.append(0) }
    var sum: UInt64 = 0
    for offset in stride(from: 0, to: summed.count, by: 2) { sum += number(summed, offset) }
    while sum > 0xFFFF { sum = sum % 65_536 + sum / 65_536 }
    return sum == 0xFFFF
  }
}
