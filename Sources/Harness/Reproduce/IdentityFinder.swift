import Primitives

/// Finds what names somebody in the text of a field: addresses, UUIDs, serial numbers, host names.
enum IdentityFinder {
  enum Kind { case address, uuid, serial, hostName }
  struct Found {
    var kind: Kind
    var text: String
  }

  /// The value with each find replaced.
  static func rewritten(_ value: String, field: String, _ replace: (Found) -> String) -> String {
    // What was replaced is not looked at again.
    var done: [String] = []
    func once(_ found: Found) -> String {
      done.append(replace(found))
      return String(UnicodeScalar(0xE000 + UInt32(done.count)) ?? " ")
    }
    // Private characters stand in for what is done; a value that has some of its own is blotted out.
    if value.unicodeScalars.contains(where: { (0xE000...0xF8FF).contains($0.value) }) {
      return String(value.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? "x" : $0 })
    }
    var text = replacingUUIDs(value, once)
    text = replacingAddresses(text, once)
    if ["LOCATION", "SECURELOCATION.UPNP.ORG", "AL"].contains(field) { text = replacingHost(text, once) }
    text = replacingSerials(text, field, once)
    if done.isEmpty { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      let number = Int(scalar.value) - 0xE001
      if done.indices.contains(number) { result += done[number] } else { result.unicodeScalars.append(scalar) }
    }
    return result
  }

  // MARK: UUIDs

  /// What follows `uuid:` up to `::` or the end, whatever its form.
  private static func replacingUUIDs(_ value: String, _ replace: (Found) -> String) -> String {
    let lower = value.lowercased()
    guard lower.utf8.count == value.utf8.count, let scheme = lower.firstRange(of: "uuid:") else { return value }
    let start = value.index(value.startIndex, offsetBy: lower.distance(from: lower.startIndex, to: scheme.upperBound))
    let rest = value[start...]
    let end =
      rest.firstRange(of: "::")?.lowerBound ?? rest.firstIndex { $0.isWhitespace || $0 == "\r\n" } ?? rest.endIndex
    let uuid = String(rest[..<end])
    return String(value[..<start]) + (uuid.isEmpty ? "" : replace(Found(kind: .uuid, text: uuid))) + rest[end...]
  }

  // MARK: Addresses

  private static func replacingAddresses(_ value: String, _ replace: (Found) -> String) -> String {
    var result = ""
    var rest = value[...]
    while let first = rest.first {
      if first == "[", let close = rest.firstIndex(of: "]") {
        let inside = rest[rest.index(after: rest.startIndex)..<close]
        let bare = inside.split(separator: "%", maxSplits: 1).first.map(String.init) ?? ""
        if IPAddress(bare) != nil {
          result += "[" + replace(Found(kind: .address, text: bare)) + inside.dropFirst(bare.count) + "]"
          rest = rest[rest.index(after: close)...]
          continue
        }
      }
      if first.isASCII, first.isNumber {
        let run = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let bare = run.hasSuffix(".") ? run.dropLast() : run
        if bare.split(separator: ".", omittingEmptySubsequences: false).count == 4, IPAddress(bare) != nil,
          !(result.last?.isLetter ?? false)
        {
          result += replace(Found(kind: .address, text: String(bare)))
          rest = rest[bare.endIndex...]
          continue
        }
        result += run
        rest = rest[run.endIndex...]
        continue
      }
      result.append(first)
      rest = rest.dropFirst()
    }
    return result
  }

  // MARK: Host names

  private static func replacingHost(_ value: String, _ replace: (Found) -> String) -> String {
    guard let scheme = value.firstRange(of: "://") else { return value }
    let rest = value[scheme.upperBound...]
    let host = rest.prefix { !["/", ":", "?", "[", " ", "\r", "\n", "\r\n"].contains($0) }
    // One label is a name of the local network; public names such as www.igrs.org are nobody's.
    guard !host.isEmpty, host.allSatisfy(\.isASCII), host.contains(where: \.isLetter), !host.hasPrefix("www."),
      !host.contains("(")
    else { return value }
    return String(value[..<scheme.upperBound]) + replace(Found(kind: .hostName, text: String(host)))
      + rest[host.endIndex...]
  }

  // MARK: Serial numbers

  /// Runs that look like a MAC address or a serial number: six and more hexadecimal digits with two figures among
  /// them, or six pairs with a mark between. In SERVER and USER-AGENT only MAC addresses count: the rest are versions.
  private static func replacingSerials(_ value: String, _ field: String, _ replace: (Found) -> String) -> String {
    let isProduct = ["SERVER", "USER-AGENT", "X-USER-AGENT", "HOST"].contains(field)
    var result = ""
    var rest = value[...]
    var before: Character = " "
    while let first = rest.first {
      guard first.isASCII, first.isLetter || first.isNumber else {
        result.append(first)
        before = first
        rest = rest.dropFirst()
        continue
      }
      if !(before.isLetter || before.isNumber), let pairs = pairs(rest) {
        result += replace(Found(kind: .serial, text: String(pairs)))
        rest = rest[pairs.endIndex...]
        before = "0"
        continue
      }
      let run = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
      let isLong = run.allSatisfy(\.isHexDigit) && run.count >= (isProduct ? 12 : 6)
      let figures = run.filter(\.isNumber).count
      let isSerial = !isProduct && run.count >= 8 && figures >= 4 && run.contains(where: \.isLetter)
      if isLong && figures >= 2 || isSerial {
        result += replace(Found(kind: .serial, text: String(run)))
      } else {
        result += run
      }
      before = run.last ?? " "
      rest = rest[run.endIndex...]
    }
    return result
  }

  /// Six pairs of hexadecimal digits with the same mark between them.
  private static func pairs(_ text: Substring) -> Substring? {
    let candidate = text.prefix(17)
    guard candidate.count == 17 else { return nil }
    let characters = Array(candidate)
    let mark = characters[2]
    guard [":", "-", "_"].contains(mark) else { return nil }
    for (index, character) in characters.enumerated() {
      if index % 3 == 2 { if character != mark { return nil } } else if !character.isHexDigit { return nil }
    }
    if let next = text.dropFirst(17).first, next.isLetter || next.isNumber { return nil }
    return candidate
  }
}
