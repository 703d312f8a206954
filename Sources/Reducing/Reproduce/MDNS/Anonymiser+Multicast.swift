import RollcallPrimitives
import RollcallWire

// Names in messages of multicast DNS, and others that stand in for them.
extension Anonymiser {
  /// A message with other names, addresses and texts, written anew; types of services and keys of texts say nothing
  /// about anybody and stay. What is no message keeps its bytes, but for letters and digits.
  mutating func multicast(_ bytes: [UInt8]) -> [UInt8] {
    guard var message = bytes.withUnsafeBytes({ try? DNSReader.read($0).message }) else {
      return bytes.prefix(DNSMessage.headerBytes)
        + scrambledBytes(bytes.dropFirst(DNSMessage.headerBytes))
    }
    for place in message.questions.indices {
      message.questions[place].name = name(message.questions[place].name)
    }
    for place in message.answers.indices { replace(&message.answers[place]) }
    for place in message.authorities.indices { replace(&message.authorities[place]) }
    for place in message.additionals.indices { replace(&message.additionals[place]) }
    return message.bytes
  }

  private mutating func replace(_ record: inout DNSRecord) {
    record.name = name(record.name)
    switch record.data {
    case .address(let one): record.data = .address(address(one))
    case .ptr(let target): record.data = .ptr(name(target))
    case .cname(let target): record.data = .cname(name(target))
    case .srv(let priority, let weight, let port, let target):
      record.data = .srv(priority: priority, weight: weight, port: port, target: name(target))
    case .txt(let bytes): record.data = .txt(text(bytes))
    case .nsec(let next, let types): record.data = .nsec(next: name(next), types: types)
    // An option may hold the address of a network card.
    case .opt: record.data = .opt([])
    case .other(let type, let bytes): record.data = .other(type, scrambledBytes(bytes[...]))
    }
  }

  private static let kept: [[UInt8]] = ["local", "arpa", "in-addr", "ip6"].map { Array($0.utf8) }
  /// Names of lists of domains, in front of `_dns-sd` (RFC 6763 §11); elsewhere a host may have such a name.
  private static let lists: [[UInt8]] = ["b", "db", "r", "dr", "lb"].map { Array($0.utf8) }

  /// Label by label: one that two names share is the same in both.
  private mutating func name(_ name: DNSName) -> DNSName {
    if let reverse = reverse(name) { return reverse }
    let next = name.labels.dropFirst().first.map(Replacements.lowered)
    let isList = next == Array("_dns-sd".utf8) && Anonymiser.lists.contains(Replacements.lowered(name.labels[0]))
    let labels = name.labels.enumerated().map { place, label -> [UInt8] in
      if label.first == UInt8(ascii: "_") || Anonymiser.kept.contains(Replacements.lowered(label)) {
        return label
      }
      if place == 0, isList { return label }
      let other =
        String(validating: label, as: UTF8.self).map { Array(serial($0).utf8) }
        ?? scrambledBytes(label[...])
      return (1...DNSName.labelBytesMaximum).contains(other.count)
        ? other : label.map { $0 < 128 ? 0x78 : $0 }
    }
    return DNSName(labels: labels) ?? name
  }

  /// The name of an address, as of its stand-in; `nil`: it is none.
  private mutating func reverse(_ name: DNSName) -> DNSName? {
    let labels = name.labels.map { String(decoding: $0, as: UTF8.self).asciiLowercased }
    if labels.count == 6, labels[4...] == ["in-addr", "arpa"],
      let old = IPAddress(labels[..<4].reversed().joined(separator: "."))
    {
      return DNSName(labels: address(old).bytes.reversed().map { "\($0)" } + ["in-addr", "arpa"])
    }
    guard labels.count == 34, labels[32...] == ["ip6", "arpa"] else { return nil }
    let digits = labels[..<32].reversed().compactMap { $0.count == 1 ? $0.first : nil }
    guard digits.count == 32, let high = UInt64(String(digits[..<16]), radix: 16),
      let low = UInt64(String(digits[16...]), radix: 16)
    else { return nil }
    let nibbles = address(IPAddress(v6High: high, low: low)).bytes.flatMap { [$0 >> 4, $0 & 15] }
    return DNSName(labels: nibbles.reversed().map { String($0, radix: 16) } + ["ip6", "arpa"])
  }

  /// The strings of a TXT record: keys stay.
  private mutating func text(_ bytes: [UInt8]) -> [UInt8] {
    var (result, rest) = ([UInt8](), bytes[...])
    while let count = rest.popFirst() {
      let string = rest.prefix(Int(count))
      rest = rest.dropFirst(Int(count))
      let key = string.prefix { $0 != UInt8(ascii: "=") }
      let value = string.dropFirst(key.count)
      let other =
        String(validating: value, as: UTF8.self).map { Array(serial($0).utf8) }
        ?? scrambledBytes(value)
      result.append(count)
      result +=
        key + (other.count == value.count ? other : value.map { $0 < 128 && $0 > 61 ? 0x78 : $0 })
    }
    return result
  }
}
