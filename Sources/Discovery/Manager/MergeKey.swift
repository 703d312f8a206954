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
  }
  var kind: Kind
  var text: String

  /// Whether two devices that offer the same service, each its own, can have it in common: then it makes nobody one.
  var mayBeShared: Bool { kind != .uuid }

  /// What a person reads.
  var evidence: String {
    switch kind {
    case .uuid: "UUID \(text)"
    case .host: "host \(text)"
    case .place: "address and name \(text)"
    case .address: "address \(text)"
    }
  }

  /// A UUID in any spelling; what is none of 32 hexadecimal digits stays as it is, in small letters.
  init(uuid: some StringProtocol) {
    kind = .uuid
    var digits = ""
    for byte in uuid.utf8 where byte != UInt8(ascii: "-") {
      digits.unicodeScalars.append(Unicode.Scalar(MergeKey.small(byte)))
    }
    text = digits
  }

  init(host: String, at address: IPAddress) { (kind, text) = (.host, "\(MergeKey.small(host)) at \(address)") }
  init(name: String, at address: IPAddress) { (kind, text) = (.place, "\(address) \(MergeKey.small(name))") }
  init(_ address: IPAddress) { (kind, text) = (.address, address.description) }

  private static func small(_ text: String) -> String {
    String(decoding: text.utf8.map(small), as: UTF8.self)
  }
  /// An ASCII letter in small, every other byte as it is.
  private static func small(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}

extension String {
  /// The UUID behind `uuid:`; `nil`: it is none of SSDP.
  var uuidOfName: Substring? { hasPrefix("uuid:") ? dropFirst(5) : nil }
}
