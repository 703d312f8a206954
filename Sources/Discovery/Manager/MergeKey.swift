import RollcallPrimitives

/// Something by which two devices of the directory may be one thing for a person.
struct MergeKey: Hashable, Sendable {
  enum Kind: UInt8, Sendable {
    /// A UUID that both have: nobody else has it.
    case uuid
    /// A host of multicast DNS, by its name and address.
    case host
    /// An address with the name that people know.
    case place
    case address
    /// What another device says in its data, and the UUIDs and addresses that devices have themselves.
    case said
  }
  var kind: Kind
  var text: String
  /// Where; `nil`: it is the same everywhere. It becomes text for people alone: most keys are compared and no more.
  private var address: IPAddress?

  init(said address: IPAddress) { (kind, text, self.address) = (.said, "address", address) }
  /// - Parameter uuid: one of the kind `uuid`.
  init(saidUUID uuid: MergeKey) { (kind, text) = (.said, "UUID " + uuid.text) }
  init(saidBits bits: UInt64) {
    (kind, text) = (.said, "Bluetooth \(RadioAddress(bits: bits, isRandom: false).digits)")
  }

  /// Whether it has the 32 digits of a UUID.
  var hasDigitsOfUUID: Bool {
    text.utf8.count == 32 && text.utf8.allSatisfy { $0 &- 0x30 < 10 || $0 &- 0x61 < 6 }
  }

  /// Whether two devices that offer the same service, each its own, can have it in common: then it makes nobody one.
  var mayBeShared: Bool { kind != .uuid }

  /// What a person reads.
  var evidence: String {
    let place = address.map { "\($0)" } ?? ""
    return switch kind {
    case .uuid: "UUID \(text)"
    case .host: "host \(text) at \(place)"
    case .place: "address and name \(place) \(text)"
    case .address: "address \(place)"
    case .said: (address == nil ? text : "\(text) \(place)") + ", as a device says"
    }
  }

  /// A UUID in any spelling; what is none of 32 hexadecimal digits stays as it is, in small letters: there a hyphen tells
  /// `box-1-1` from `box-11`.
  init(uuid: some StringProtocol) {
    kind = .uuid
    text = String(unsafeUninitializedCapacity: uuid.utf8.count) { text in
      var count = 0
      for byte in uuid.utf8 where byte != UInt8(ascii: "-") {
        text[count] = small(byte)
        count += 1
      }
      return count
    }
    if !hasDigitsOfUUID, text.utf8.count < uuid.utf8.count { text = String(uuid).inSmallASCII }
  }

  init(host: String, at address: IPAddress) { (kind, text, self.address) = (.host, host.inSmallASCII, address) }
  init(name: String, at address: IPAddress) { (kind, text, self.address) = (.place, name.inSmallASCII, address) }
  init(_ address: IPAddress) { (kind, text, self.address) = (.address, "", address) }
}

extension RadioAddress {
  /// `c0:ff:ee:00:00:01`, whatever kind of address it is.
  fileprivate var digits: Substring { description.prefix { $0 != "/" } }
}
