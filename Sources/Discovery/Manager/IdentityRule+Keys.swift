import RollcallPrimitives
import RollcallWire

// What a device says of another one, as rules of the application read it.
extension IdentityRule {
  /// What a peripheral says; `nil`: nothing.
  func key(in fields: AdvertisedFields) -> MergeKey? {
    switch source {
    case .manufacturerData(let company):
      let own = fields.manufacturerData.last { data in
        data.count >= 2 && UInt16(data[0]) | UInt16(data[1]) << 8 == company
      }
      return own.flatMap { key(in: $0.dropFirst(2)) }
    case .serviceData(let service):
      return fields.serviceData.first { $0.service == service }.flatMap { key(in: $0.data[...]) }
    case .text: return nil
    }
  }

  private func key(in data: ArraySlice<UInt8>) -> MergeKey? {
    let bytes = Array(data.dropFirst(offset).prefix(form.byteCount))
    if bytes.count < form.byteCount { return nil }
    switch form {
    case .uuid:
      let digits = bytes.map { PlainText.padded(UInt32($0), 2) }.joined()
      return MergeKey(saidUUID: MergeKey(uuid: digits))
    case .ipv4, .ipv6: return IPAddress(bytes: bytes).map { MergeKey(said: $0) }
    case .bluetooth: return MergeKey(saidBits: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }
  }

  /// What a service of multicast DNS says in its text, as its sighting has it; `nil`: nothing.
  func key(inText text: String) -> MergeKey? {
    guard case .text(let wanted) = source else { return nil }
    for pair in TXTRecord.strings(inText: text) {
      guard let equals = pair.firstIndex(of: "="), isSameDevice(String(pair[..<equals]), wanted) else { continue }
      let value = pair[pair.index(after: equals)...]
      switch form {
      case .uuid:
        let uuid = MergeKey(uuid: value)
        return uuid.hasDigitsOfUUID ? MergeKey(saidUUID: uuid) : nil
      case .ipv4, .ipv6: return IPAddress(value).map { MergeKey(said: $0) }
      case .bluetooth:
        let digits = value.utf8.filter { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "-") }
        guard digits.count == 12 else { return nil }
        return UInt64(String(decoding: digits, as: UTF8.self), radix: 16).map { MergeKey(saidBits: $0) }
      }
    }
    return nil
  }
}
