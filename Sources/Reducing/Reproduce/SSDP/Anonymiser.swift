package import RollcallPrimitives
import RollcallReplaying
import RollcallWire

/// Takes names out of a capture: addresses, UUIDs, serial numbers, host names and words that may be somebody's.
///
/// The same name always becomes the same other name, of the same length and form, so that who belongs together still
/// does: digits become digits, hexadecimal digits of either case others of that case, an address one of the same kind
/// and length on a network that is the same for the same networks. Two names never become one: every table knows what
/// it gave out, and `ambiguities` looks once more at the whole. What stands in is counted off in the order of first
/// appearance: nothing of the original can be worked out from it.
package struct Anonymiser {
  private var octets: [String: Int] = [:]
  private var octetsUsed: [String: Set<Int>] = [:]
  private var runs = Replacements()
  private var addresses: [IPAddress: IPAddress] = [:]
  private var addressesUsed: Set<IPAddress> = []
  /// By the name in small letters.
  private var uuids: [String: String] = [:]
  private var uuidsUsed: Set<String> = []
  private var labels: [String: String] = [:]
  private var labelsUsed: Set<String> = []
  private var labelCount = 0
  private var phrases: [String: String] = [:]
  private var phrasesUsed: Set<String> = []
  var radio = RadioReplacements()

  package init() {
    // In the middle of an address that a network card's own makes.
    runs.keep("fffe")
  }

  /// The tape with everything replaced.
  package mutating func anonymised(_ tape: CaptureTape) -> CaptureTape {
    // Once for the names alone: a word that names a device may stand in a message before that.
    // Devices repeat themselves byte for byte.
    var seen: Set<[UInt8]> = []
    var done: [[UInt8]: [UInt8]] = [:]
    for message in tape.messages {
      _ = address(message.source.address)
      _ = address(message.destination.address)
      if seen.insert(message.payload).inserted { _ = replaced(message) }
    }
    var copy = tape
    for index in copy.messages.indices {
      copy.messages[index].source.address = address(copy.messages[index].source.address)
      copy.messages[index].destination.address = address(copy.messages[index].destination.address)
      let original = copy.messages[index].payload
      let replaced = done[original] ?? replaced(copy.messages[index])
      done[original] = replaced
      copy.messages[index].payload = replaced
    }
    copy.packets.replace { anonymised($0) }
    if case .host(let text) = tape.perspective {
      let parts = text.split(separator: ",").map { part in
        IPAddress(part).map { address($0).description } ?? String(part)
      }
      copy.perspective = .host(parts.joined(separator: ","))
    }
    return copy
  }

  /// Names of which two became one, in words; none, or a table above is wrong.
  package static func ambiguities(_ before: CaptureTape, _ after: CaptureTape) -> [String] {
    var found: [String] = []
    var origins: [String: String] = [:]
    func see(_ kind: String, _ old: String, _ new: String) {
      let (old, new) = (old.asciiLowercased, kind + new.asciiLowercased)
      if origins[new, default: old] != old, found.count < 10 {
        found.append("\(kind) \(old) and \(origins[new] ?? "") became one")
      }
      origins[new] = origins[new] ?? old
    }
    for (old, new) in zip(before.messages, after.messages) {
      see("address", old.source.address.description, new.source.address.description)
      see("address", old.destination.address.description, new.destination.address.description)
      for field in ["USN", "NT", "ST", "LOCATION"] {
        if let one = FieldText.value(field, of: old.payload), let other = FieldText.value(field, of: new.payload) {
          see(field, one, other)
        }
      }
    }
    for (old, new) in zip(before.packets.list, after.packets.list) {
      see("Bluetooth address", old.address.description, new.address.description)
    }
    return found
  }

  // MARK: Addresses

  /// Multicast, broadcast, loopback and unspecified addresses belong to nobody and stay.
  package mutating func address(_ address: IPAddress) -> IPAddress {
    if Anonymiser.isNobodys(address) { return address }
    if let known = addresses[address] { return known }
    var result = mapped(address)
    // What its octets or groups make may be taken, by an address that stayed as it was, or have a meaning of its own.
    while addressesUsed.contains(result) || Anonymiser.isNobodys(result) {
      result =
        result.family == .v4
        ? IPAddress(v4: UInt32(truncatingIfNeeded: result.low &+ 1))
        : IPAddress(v6High: result.high, low: result.low &+ 1)
    }
    addresses[address] = result
    addressesUsed.insert(result)
    return result
  }

  private static func isNobodys(_ address: IPAddress) -> Bool {
    address.isMulticast || address.isBroadcast || address.isLoopback || address.isUnspecified
      || address.family == .v4 && address.low >> 24 & 0xFF == 0
  }

  private mutating func mapped(_ address: IPAddress) -> IPAddress {
    if address.family == .v4 {
      let bytes = mapped4(address.bytes.map { Int($0) }).map { UInt8(truncatingIfNeeded: $0) }
      return IPAddress(bytes[0], bytes[1], bytes[2], bytes[3])
    }
    let network = address.isLinkLocal ? address.high : scrambled(address.high, keeping: 16)
    return IPAddress(v6High: network, low: scrambled(address.low, keeping: 0))
  }

  /// Octet by octet, each under those before it; the leading ones of a private range stay.
  private mutating func mapped4(_ bytes: [Int]) -> [Int] {
    var kept = 0
    switch (bytes[0], bytes[1]) {
    case (10, _): kept = 1
    case (192, 168), (169, 254): kept = 2
    case (172, 16...31): kept = 2
    default: kept = 0
    }
    var result = Array(bytes.prefix(kept))
    for place in kept..<4 {
      let path = bytes[..<place].map(String.init).joined(separator: ".")
      result.append(octet(bytes[place], under: path, isFirst: place == 0))
    }
    return result
  }

  /// The number of octets of a length that may ask for one, so that none is given twice under one path.
  private mutating func octet(_ value: Int, under path: String, isFirst: Bool) -> Int {
    // 0 and 255 have a meaning on most links.
    if value == 0 || value == 255 { return value }
    let key = "\(path)/\(value)"
    if let known = octets[key] { return known }
    let range = value < 10 ? 1...9 : value < 100 ? 10...99 : isFirst ? 128...191 : 100...254
    var used = octetsUsed[path] ?? []
    let start = range.lowerBound + (value < 10 ? 1 : 10)
    // First those of the length, then any: of networks with a meaning, and of groups, none is a stand-in if that can be.
    let candidates =
      Array(start...range.upperBound) + Array(range.lowerBound..<start)
      + (isFirst ? Array(1...223) + Array(240...254) : Array(1...254))
    let special = isFirst ? [10, 127, 169, 172, 192, 198, 203] : []
    let next =
      candidates.first { !used.contains($0) && !special.contains($0) }
      ?? candidates.first { !used.contains($0) && $0 != 10 && $0 != 127 } ?? value
    used.insert(next)
    octetsUsed[path] = used
    octets[key] = next
    return next
  }

  /// Other bits in the place of these, the first `keeping` of them left: the same for the same bits.
  private mutating func scrambled(_ bits: UInt64, keeping: UInt64) -> UInt64 {
    let text = String(bits, radix: 16)
    let padded = Array(String(repeating: "0", count: 16 - text.count) + text)
    // Groups that are zero stay: they decide how short the address is written.
    var result = ""
    for start in stride(from: 0, to: 16, by: 4) {
      let group = String(padded[start..<(start + 4)])
      result += start < Int(keeping / 4) ? group : runs.replacement(for: group)
    }
    return UInt64(result, radix: 16) ?? bits
  }

  // MARK: Payloads

  private mutating func replaced(_ message: TapedMessage) -> [UInt8] {
    message.isMulticastDNS ? multicast(message.payload) : payload(message.payload)
  }

  package mutating func payload(_ payload: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(payload.count)
    var start = 0
    while start < payload.count {
      var end = start
      while end < payload.count, payload[end] != 10 { end += 1 }
      let last = min(end, payload.count - 1)
      result += line(Array(payload[start...last]), isFirst: start == 0)
      start = last + 1
    }
    return result
  }

  /// Fields whose words and numbers are no names.
  private static let plain = [
    "CACHE-CONTROL", "BOOTID.UPNP.ORG", "CONFIGID.UPNP.ORG", "NEXTBOOTID.UPNP.ORG", "SEARCHPORT.UPNP.ORG", "DATE", "MX",
    "MAN", "NTS", "EXT", "CONTENT-LENGTH", "OPT",
  ]
  /// Fields that hold a name that somebody gave.
  private static let named = [
    "CPFN.UPNP.ORG", "FRIENDLYNAME", "FRIENDLY-NAME", "X-FRIENDLY-NAME", "X-NAME", "X-HOSTNAME",
  ]

  private static func field(_ name: String) -> IdentityFinder.Field {
    switch name {
    case "LOCATION", "SECURELOCATION.UPNP.ORG", "AL": .url
    case "USN", "NT", "ST": .target
    case "SERVER", "USER-AGENT", "X-USER-AGENT": .product
    case "HOST": .host
    default: .other
    }
  }

  private mutating func line(_ bytes: [UInt8], isFirst: Bool) -> [UInt8] {
    // What begins with a blank goes on where the line before it ended, and so does what has no colon. The start lines
    // of messages have public words alone; any other first line may name somebody.
    let isFolded = !isFirst && (bytes.first == UInt8(ascii: " ") || bytes.first == 9)
    let colon = isFolded ? nil : bytes.firstIndex(of: UInt8(ascii: ":"))
    let head = colon.map { bytes[...$0] } ?? []
    let tail = bytes[head.endIndex...]
    let name = FieldText.trimmed(Substring(String(decoding: head.dropLast(), as: UTF8.self))).uppercased()
    if Anonymiser.plain.contains(name) { return bytes }
    guard let text = String(validating: tail, as: UTF8.self) else { return head + scrambledBytes(tail) }
    if Anonymiser.named.contains(name) || name.hasSuffix("FRIENDLYNAME") { return head + Array(phrase(text).utf8) }
    let value = IdentityFinder.rewritten(text, field: Anonymiser.field(name)) { found in
      switch found.kind {
      case .address: IPAddress(found.text).map { fitted(address($0), found.text) } ?? found.text
      case .uuid: uuid(found.text)
      case .serial: serial(found.text)
      case .word: runs.replacement(for: found.text)
      case .product: runs.isReplaced(found.text) ? runs.replacement(for: found.text) : found.text
      case .hostName: hostName(found.text)
      case .letter: String(String.UnicodeScalarView(found.text.unicodeScalars.map { runs.replacement(for: $0) }))
      case .nobody: found.text
      }
    }
    return head + Array(value.utf8)
  }

  /// A line that is no text: runs of letters and digits are replaced, all other bytes stay.
  mutating func scrambledBytes(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var run: [UInt8] = []
    func isRun(_ byte: UInt8) -> Bool { (48...57).contains(byte) || (65...90).contains(byte & ~0x20) && byte < 128 }
    func flush() {
      let text = String(decoding: run, as: UTF8.self)
      if !run.isEmpty { result += PublicWords.contains(text) ? run : Array(runs.replacement(for: text).utf8) }
      run = []
    }
    for byte in bytes {
      if isRun(byte) {
        run.append(byte)
      } else {
        flush()
        result.append(byte)
      }
    }
    flush()
    return result
  }

  /// The address in the spelling that it had: in full where it was in full, in capitals where it had some.
  private func fitted(_ address: IPAddress, _ original: String) -> String {
    let text = address.description
    return original.contains { $0.isUppercase } ? text.uppercased() : text
  }

  // MARK: Names

  /// A UUID of the standard form keeps its version and its variant. Spelled in other case it is the same.
  private mutating func uuid(_ text: String) -> String {
    let key = text.asciiLowercased
    if let known = uuids[key] { return Anonymiser.spelled(known, like: text) }
    var salt = 0
    var result = standIn(key, salt)
    // Two that differ only where this keeps to the form, or whose parts are all public, are not to become one.
    while uuidsUsed.contains(result), salt < 10_000 {
      salt += 1
      result = standIn(key, salt)
    }
    if uuidsUsed.contains(result) { result += "-\(uuids.count)" }
    uuids[key] = result
    uuidsUsed.insert(result)
    return Anonymiser.spelled(result, like: text)
  }

  private mutating func standIn(_ key: String, _ salt: Int) -> String {
    var result = Array(serial(key, salt: salt).utf8)
    let original = Array(key.utf8)
    guard original.count == 36, result.count == 36, [8, 13, 18, 23].allSatisfy({ original[$0] == UInt8(ascii: "-") })
    else { return String(decoding: result, as: UTF8.self) }
    for place in [14, 19] { result[place] = original[place] }
    return String(decoding: result, as: UTF8.self)
  }

  /// Each run of letters and digits on its own: a MAC address inside a UUID is the same elsewhere.
  /// - Parameter salt: for the first run that is replaced; another number makes another text.
  mutating func serial(_ text: String, salt: Int = 0) -> String {
    var result = String.UnicodeScalarView()
    var run = ""
    var salt = salt
    func flush() {
      if !run.isEmpty, PublicWords.contains(run) {
        result.append(contentsOf: run.unicodeScalars)
      } else if !run.isEmpty {
        let other = runs.replacement(for: run, salt: salt)
        if !run.utf8.allSatisfy({ $0 == 48 }) { salt = 0 }
        result.append(contentsOf: other.unicodeScalars)
      }
      run = ""
    }
    for scalar in text.unicodeScalars {
      let isLetter = scalar.isASCII && (65...90).contains(scalar.value & ~0x20)
      if isLetter || (48...57).contains(scalar.value) {
        run.unicodeScalars.append(scalar)
      } else {
        flush()
        result.append(scalar.properties.isAlphabetic ? runs.replacement(for: scalar) : scalar)
      }
    }
    flush()
    return String(result)
  }

  /// Label by label: one that two names share is the same in both.
  private mutating func hostName(_ name: String) -> String {
    name.split(separator: ".", omittingEmptySubsequences: false).enumerated().map { place, part in
      // What stands behind the first may be a domain that many have.
      let label = String(part).asciiLowercased
      return place > 0 && PublicWords.domains.contains(label) ? String(part) : self.label(label)
    }.joined(separator: ".")
  }

  private mutating func label(_ label: String) -> String {
    if label.isEmpty { return label }
    if let known = labels[label] { return known }
    labelCount += 1
    let short = "host\(labelCount)"
    let padding = label.utf8.count - short.utf8.count
    var result = padding >= 0 ? short + String(repeating: "x", count: padding) : serial(label)
    var salt = 0
    while labelsUsed.contains(result) || PublicWords.domains.contains(result) {
      salt += 1
      result = salt < 1_000 ? serial(label, salt: salt) : "host\(labelCount)x\(salt)"
    }
    labels[label] = result
    labelsUsed.insert(result)
    return result
  }

  /// A name that somebody gave: a letter for a letter, word by word, and other words where another name has that form.
  private mutating func phrase(_ text: String) -> String {
    if let known = phrases[text] { return known }
    var result = String(
      text.map { character in
        character.isNumber ? "0" : character.isLetter ? (character.isUppercase ? "N" : "n") : character
      })
    var salt = 0
    while phrasesUsed.contains(result) {
      result = salt < 1_000 ? serial(text, salt: salt) : result + "\(salt)"
      salt += 1
    }
    phrases[text] = result
    phrasesUsed.insert(result)
    return result
  }

  /// A text of small letters in the case of another one of its length.
  private static func spelled(_ text: String, like original: String) -> String {
    guard text.utf8.count == original.utf8.count else { return text }
    let bytes = zip(text.utf8, original.utf8).map { one, other in
      (65...90).contains(other) && (97...122).contains(one) ? one & ~0x20 : one
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension String {
  /// Without the case that is no part of a name; other letters than those of ASCII stay as they are.
  var asciiLowercased: String { String(decoding: Replacements.lowered(Array(utf8)), as: UTF8.self) }
}
