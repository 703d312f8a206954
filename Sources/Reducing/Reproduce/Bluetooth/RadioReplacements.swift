import RollcallPrimitives
import RollcallWire

/// Addresses of Bluetooth LE and bytes of advertising data, and others that stand in for them.
///
/// An address stays public, or random of its kind. Data keeps its structures with their kinds and lengths; numbers of
/// companies, UUIDs of services, flags, power and appearance say nothing about anybody and stay.
struct RadioReplacements {
  private var addresses: [RadioAddress: RadioAddress] = [:]
  private var used: Set<RadioAddress> = []
  private var data: [[UInt8]: [UInt8]] = [:]

  mutating func address(_ address: RadioAddress) -> RadioAddress {
    if let known = addresses[address] { return known }
    var stream = Seed(0xB1E).stream("address-\(addresses.count)")
    let kept: UInt64 = address.isRandom ? 0xC000_0000_0000 : 0
    var result = address
    repeat {
      result.bits = address.bits & kept | stream.next() & 0xFFFF_FFFF_FFFF & ~kept
    } while result == address || !used.insert(result).inserted
    addresses[address] = result
    return result
  }

  /// Others for the same bytes each time; zeros stay.
  mutating func bytes(_ bytes: [UInt8]) -> [UInt8] {
    if let known = data[bytes] { return known }
    var stream = Seed(0xB1E).stream("data-\(data.count)")
    let result = bytes.map { $0 == 0 ? 0 : UInt8(1 + stream.next() % 255) }
    data[bytes] = result
    return result
  }
}

extension Anonymiser {
  mutating func anonymised(_ taped: TapedPacket) -> TapedPacket {
    var copy = taped
    copy.address = radio.address(taped.address)
    copy.packet.bytes = packet(taped.packet.bytes)
    return copy
  }

  private mutating func packet(_ bytes: [UInt8]) -> [UInt8] {
    guard let pdu = bytes.withUnsafeBytes({ try? AdvertisingPDU($0) }) else { return bytes }
    var result = bytes
    // An extended header has flags before its addresses.
    var place = pdu.kind == .extended ? 4 : 2
    for address in [pdu.sender, pdu.target] {
      guard let address else { continue }
      result.replaceSubrange(place..<place + 6, with: radio.address(address).littleEndian)
      place += 6
    }
    result.replaceSubrange(pdu.data, with: advertised(Array(bytes[pdu.data])))
    return result
  }

  /// Structure by structure; what is none is replaced as a whole.
  private mutating func advertised(_ bytes: [UInt8]) -> [UInt8] {
    var structures: [AdvertisingStructure] = []
    let end = bytes.withUnsafeBytes { buffer -> AdvertisingWalk.End in
      var walk = AdvertisingWalk(buffer)
      while let one = walk.next() { structures.append(one) }
      return walk.end
    }
    var result = bytes
    for one in structures {
      let kept = one.data.lowerBound..<one.data.lowerBound + min(one.count, Anonymiser.keptCount(one.kind))
      let rest = kept.upperBound..<one.data.upperBound
      let isName = one.kind == .completeName || one.kind == .shortenedName
      let original = Array(bytes[rest])
      result.replaceSubrange(rest, with: isName ? name(original) : radio.bytes(original))
    }
    let tail: Int
    switch end {
    case .whole: tail = bytes.count
    case .padding(let at): tail = at + 1
    // Its length and its kind stay.
    case .overrun(let at): tail = min(bytes.count, at + 2)
    }
    result.replaceSubrange(tail..<bytes.count, with: radio.bytes(Array(bytes[tail...])))
    return result
  }

  private mutating func name(_ bytes: [UInt8]) -> [UInt8] {
    let text = String(validating: bytes, as: UTF8.self)
    let result = text.map { Array(serial($0).utf8) } ?? scrambledBytes(bytes[...])
    return result.count == bytes.count ? result : bytes.map { $0 < 128 && $0 > 32 ? 0x6E : $0 }
  }

  /// How many bytes of a structure say nothing about anybody.
  private static func keptCount(_ kind: AdvertisingStructure.Kind) -> Int {
    switch kind {
    case .flags, .incompleteServices16, .services16, .incompleteServices32, .services32, .incompleteServices128,
      .services128, .transmitPower, .appearance, .solicitedServices16, .solicitedServices32, .solicitedServices128:
      .max
    case .serviceData16, .manufacturerData: 2
    case .serviceData32: 4
    case .serviceData128: 16
    default: 0
    }
  }
}
