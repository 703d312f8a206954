package import Primitives
import Wire

/// Takes names out of a capture: addresses, UUIDs, serial numbers, host names and names that people gave.
///
/// The same text always becomes the same other text, of the same length and form, so that who belongs together still
/// does: digits become digits, hexadecimal digits of either case others of that case, an address one of the same kind
/// and length on a network that is the same for the same networks. What stands in is counted off in the order of first
/// appearance: nothing of the original can be worked out from it.
package struct Anonymiser {
  private var octets: [String: Int] = [:]
  private var octetsUsed: [String: [Int]] = [:]
  private var tokens: [String: Int] = [:]
  private var hosts: [String: String] = [:]

  package init() {}

  /// The tape with everything replaced.
  package mutating func anonymised(_ tape: CaptureTape) -> CaptureTape {
    var copy = tape
    for index in copy.messages.indices {
      copy.messages[index].source.address = address(copy.messages[index].source.address)
      copy.messages[index].destination.address = address(copy.messages[index].destination.address)
      copy.messages[index].payload = payload(copy.messages[index].payload)
    }
    if case .host(let text) = tape.perspective {
      let parts = text.split(separator: ",").map { part in
        IPAddress(part).map { address($0).description } ?? String(part)
      }
      copy.perspective = .host(parts.joined(separator: ","))
    }
    return copy
  }

  // MARK: Addresses

  /// Multicast, broadcast, loopback and unspecified addresses belong to nobody and stay.
  package mutating func address(_ address: IPAddress) -> IPAddress {
    if address.isMulticast || address.isBroadcast || address.isLoopback || address.isUnspecified { return address }
    if address.family == .v4 {
      let bytes = address.bytes.map { Int($0) }
      return mapped4(bytes).map { IPAddress(UInt8($0[0]), UInt8($0[1]), UInt8($0[2]), UInt8($0[3])) } ?? address
    }
    let network = address.isLinkLocal ? address.high : scrambled(address.high, keeping: 16)
    return IPAddress(v6High: network, low: scrambled(address.low, keeping: 0))
  }

  /// Octet by octet, each under those before it; the leading ones of a private range stay.
  private mutating func mapped4(_ bytes: [Int]) -> [Int]? {
    var kept = 0
    switch (bytes[0], bytes[1]) {
    case (10, _): kept = 1
    case (192, 168), (169, 254): kept = 2
    case (172, 16...31): kept = 2
    case (0, _): return nil
    default: kept = 0
    }
    var result = Array(bytes.prefix(kept))
    for place in kept..<4 {
      let path = bytes[..<place].map(String.init).joined(separator: ".")
      result.append(octet(bytes[place], under: path, isFirst: place == 0))
    }
    return result
  }

  private mutating func octet(_ value: Int, under path: String, isFirst: Bool) -> Int {
    // 0 and 255 have a meaning on most links.
    if value == 0 || value == 255 { return value }
    let key = "\(path)/\(value)"
    if let known = octets[key] { return known }
    let range = value < 10 ? 1...9 : value < 100 ? 10...99 : isFirst ? 128...191 : 100...254
    let list = "\(path)/\(range)"
    var used = octetsUsed[list] ?? []
    var next = range.lowerBound + (value < 10 ? 1 : 10)
    while used.contains(next) || isFirst && (next == 10 || next == 127 || next == 169 || next == 172) {
      next = next >= range.upperBound ? range.lowerBound : next + 1
      if used.count >= range.count { break }
    }
    used.append(next)
    octetsUsed[list] = used
    octets[key] = next
    return next
  }

  /// Other bits in the place of these, the first `keeping` of them left: the same for the same bits.
  private mutating func scrambled(_ bits: UInt64, keeping: UInt64) -> UInt64 {
    let text = String(bits, radix: 16)
    let padded = String(repeating: "0", count: 16 - text.count) + text
    let start = Int(keeping / 4)
    // Groups that are zero stay: they decide how short the address is written.
    var result = String(padded.prefix(start))
    var group = ""
    for character in padded.dropFirst(start) {
      group.append(character)
      if group.count == 4 {
        result += group == "0000" || group == "fffe" ? group : replaced(group)
        group = ""
      }
    }
    return UInt64(result + group, radix: 16) ?? bits
  }

  // MARK: Payloads

  package mutating func payload(_ payload: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(payload.count)
    var start = 0
    while start < payload.count {
      var end = start
      while end < payload.count, payload[end] != 10 { end += 1 }
      let last = min(end, payload.count - 1)
      result += line(Array(payload[start...last]))
      start = last + 1
    }
    return result
  }

  /// Fields whose numbers are no names.
  private static let plain = [
    "CACHE-CONTROL", "BOOTID.UPNP.ORG", "CONFIGID.UPNP.ORG", "NEXTBOOTID.UPNP.ORG", "SEARCHPORT.UPNP.ORG", "DATE", "MX",
    "MAN", "NTS", "EXT", "CONTENT-LENGTH", "OPT",
  ]
  /// Fields that hold a name that somebody gave.
  private static let named = [
    "CPFN.UPNP.ORG", "FRIENDLYNAME", "FRIENDLY-NAME", "X-FRIENDLY-NAME", "X-NAME", "X-HOSTNAME",
  ]

  private mutating func line(_ bytes: [UInt8]) -> [UInt8] {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return bytes }
    let name = String(decoding: bytes[..<colon], as: UTF8.self).uppercased()
    if Anonymiser.plain.contains(name) { return bytes }
    guard let text = String(validating: bytes[(colon + 1)...], as: UTF8.self) else {
      return bytes[...colon] + scrambledBytes(bytes[(colon + 1)...])
    }
    var value = text
    if Anonymiser.named.contains(name) || name.hasSuffix("FRIENDLYNAME") {
      value = words(value)
    } else {
      value = IdentityFinder.rewritten(value, field: name) { found in
        switch found.kind {
        case .address: return IPAddress(found.text).map { fitted(address($0), found.text) } ?? found.text
        case .uuid: return uuid(found.text)
        case .serial: return serial(found.text)
        case .hostName: return hostName(found.text)
        }
      }
    }
    return bytes[...colon] + Array(value.utf8)
  }

  /// A line that is no text: letters and digits are replaced where they stand.
  private func scrambledBytes(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    bytes.map { byte in
      switch byte {
      case 0x61...0x7A: UInt8(ascii: "x")
      case 0x41...0x5A: UInt8(ascii: "X")
      case 0x30...0x39: UInt8(ascii: "0")
      default: byte
      }
    }
  }

  /// The address in the spelling that it had: in full where it was in full, in capitals where it had some.
  private func fitted(_ address: IPAddress, _ original: String) -> String {
    let text = address.description
    return original.contains { $0.isUppercase } ? text.uppercased() : text
  }

  // MARK: Words

  /// A UUID of the standard form keeps its version and its variant.
  private mutating func uuid(_ text: String) -> String {
    var result = Array(serial(text))
    let original = Array(text)
    guard original.count == 36, result.count == 36, [8, 13, 18, 23].allSatisfy({ original[$0] == "-" }) else {
      return String(result)
    }
    for place in [14, 19] { result[place] = original[place] }
    return String(result)
  }

  /// Each run of letters and digits on its own: a MAC address inside a UUID is the same elsewhere.
  private mutating func serial(_ text: String) -> String {
    var result = ""
    var run = ""
    for character in text {
      if character.isASCII, character.isLetter || character.isNumber {
        run.append(character)
      } else {
        result += replaced(run)
        result.append(character)
        run = ""
      }
    }
    return result + replaced(run)
  }

  /// Another run of the same form: digits for digits, `a` to `f` for those if all letters are such, words as they are.
  private mutating func replaced(_ run: String) -> String {
    guard run.contains(where: { $0.isNumber }) || run.count == 12 || run.count == 4 && run.allSatisfy(\.isHexDigit)
    else { return run }
    if run.allSatisfy({ $0 == "0" }) { return run }
    let isHex = run.allSatisfy(\.isHexDigit)
    let key = run.lowercased()
    let number = tokens[key] ?? tokens.count + 1
    tokens[key] = number
    var stream = Seed(0xA11A5).stream("token-\(number)")
    var result = ""
    for character in run {
      let word = stream.next()
      if character.isNumber {
        // Leading zeros stay, and no others come to be.
        let isLeading = result.allSatisfy { $0 == "0" }
        let digit = isLeading ? (character == "0" ? 0 : 1 + word % 9) : word % 10
        result += String(digit)
      } else if isHex {
        let letter = ["a", "b", "c", "d", "e", "f"][Int(word % 6)]
        result += character.isUppercase ? letter.uppercased() : letter
      } else {
        result.append(character)
      }
    }
    return result
  }

  private mutating func hostName(_ name: String) -> String {
    if let known = hosts[name.lowercased()] { return known }
    let number = hosts.count + 1
    let label = "host\(number)"
    var result = ""
    for (place, part) in name.split(separator: ".", omittingEmptySubsequences: false).enumerated() {
      if place > 0 { result += "." }
      // What stands last is a domain that many have.
      let isDomain =
        place > 0 && ["local", "lan", "home", "com", "org", "net", "fritz", "box"].contains(part.lowercased())
      result += isDomain ? String(part) : Anonymiser.fill(label, part.count)
    }
    hosts[name.lowercased()] = result
    return result
  }

  /// Names that people gave: a letter for a letter, word by word.
  private mutating func words(_ text: String) -> String {
    String(
      text.map { character in
        character.isNumber ? "0" : character.isLetter ? (character.isUppercase ? "N" : "n") : character
      })
  }

  private static func fill(_ label: String, _ count: Int) -> String {
    String((label + String(repeating: "x", count: max(0, count - label.count))).prefix(count))
  }
}
