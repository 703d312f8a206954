import RollcallPrimitives
import RollcallWire

/// HOST of a multicast message.
enum HostValue {
  private static let groups: [StaticString] = [
    "239.255.255.250:1900", "[ff02::c]:1900", "[ff05::c]:1900", "[ff0e::c]:1900", "[ff08::c]:1900",
  ]

  static func isGroup(_ value: UnsafeRawBufferPointer?) -> Bool {
    guard let value else { return false }
    return groups.contains { Bytes.isEqual(value, ignoringCase: $0) }
  }

  /// Whether it is this address and port, the port left out where it is 1900.
  static func names(_ endpoint: Endpoint, _ value: UnsafeRawBufferPointer) -> Bool {
    let text = String(decoding: value, as: UTF8.self)
    if let named = Endpoint(text) { return named == endpoint }
    return endpoint.port == 1_900 && (IPAddress(text) ?? bracketed(text)) == endpoint.address
  }

  private static func bracketed(_ text: String) -> IPAddress? {
    text.hasPrefix("[") && text.hasSuffix("]") ? IPAddress(text.dropFirst().dropLast()) : nil
  }
}

/// CACHE-CONTROL.
enum MaxAge {
  /// Whether some directive is max-age, `=`, and digits; blanks around the sign are allowed by RFC 2616.
  static func isWellFormed(_ value: UnsafeRawBufferPointer) -> Bool {
    var start = 0
    while start <= value.count {
      var end = start
      while end < value.count, value[end] != UInt8(ascii: ",") { end &+= 1 }
      if isMaxAge(UnsafeRawBufferPointer(rebasing: value[start..<end])) { return true }
      start = end &+ 1
    }
    return false
  }

  private static func isMaxAge(_ directive: UnsafeRawBufferPointer) -> Bool {
    var place = 0
    func skipBlanks() {
      while place < directive.count, directive[place] == 32 || directive[place] == 9 { place &+= 1 }
    }
    skipBlanks()
    guard Bytes.hasPrefix(UnsafeRawBufferPointer(rebasing: directive[place...]), ignoringCase: "max-age") else {
      return false
    }
    place &+= 7
    skipBlanks()
    guard place < directive.count, directive[place] == UInt8(ascii: "=") else { return false }
    place &+= 1
    skipBlanks()
    let digits = place
    while place < directive.count, Bytes.isDigit(directive[place]) { place &+= 1 }
    guard place > digits else { return false }
    skipBlanks()
    return place == directive.count
  }
}

/// LOCATION.
enum LocationValue {
  /// Whether it is one absolute URL; a name before the host is foolish, and still a URL.
  static func isWellFormed(_ value: UnsafeRawBufferPointer) -> Bool {
    switch LocationURL.check(value) {
    case .url: true
    case .refused(let refusal): refusal.reason == .userInfo
    }
  }
}

/// Whether values of SERVER are well-formed, each looked at once for each text that binds.
struct ServerMemo: Sendable {
  private var listed = FormMemo()
  private var templated = FormMemo()

  mutating func isWellFormed(_ value: UnsafeRawBufferPointer, _ claim: Edition) -> Bool {
    claim < .uda11
      ? listed.isWellFormed(value) { ServerValue.namesAll($0) }
      : templated.isWellFormed(value) { ServerValue.isWellFormed($0) }
  }
}

/// SERVER and USER-AGENT.
enum ServerValue {
  static func expected(_ claim: Edition) -> StaticString {
    claim < .uda11
      ? "SERVER with the operating system and its version, UPnP/x.y, the product and its version"
      : "SERVER: OS/version UPnP/x.y product/version"
  }

  /// What UDA 1.0 asks for: it lists what SERVER concatenates, and says nothing of what stands between.
  ///
  /// So a name and a version may be parted by a slash or a blank, a name may have several words, and commas may stand
  /// between the three; but each must be there, before and behind `UPnP/x.y`.
  static func namesAll(_ value: UnsafeRawBufferPointer) -> Bool {
    guard let product = UPnPProduct.first(in: value) else { return false }
    return wordCount(value[..<product.range.lowerBound]) >= 2 && wordCount(value[product.range.upperBound...]) >= 2
  }

  private static func wordCount(_ text: Slice<UnsafeRawBufferPointer>) -> Int {
    var count = 0
    var isInside = false
    for byte in text {
      let parts = byte == 32 || byte == 9 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "/")
      if !parts, !isInside { count += 1 }
      isInside = !parts
    }
    return count
  }

  /// Whether it is `OS/version UPnP/x.y product/version`, further products and comments allowed behind.
  static func isWellFormed(_ value: UnsafeRawBufferPointer) -> Bool {
    var place = 0
    var number = 0
    var depth = 0
    while place < value.count {
      let byte = value[place]
      if byte == UInt8(ascii: "(") { depth &+= 1 }
      if depth > 0 {
        if byte == UInt8(ascii: ")") { depth &-= 1 }
        place &+= 1
        continue
      }
      if byte == 32 || byte == 9 {
        place &+= 1
        continue
      }
      var end = place
      while end < value.count, value[end] != 32, value[end] != 9, value[end] != UInt8(ascii: "(") { end &+= 1 }
      guard isProduct(UnsafeRawBufferPointer(rebasing: value[place..<end]), number) else { return false }
      number &+= 1
      place = end
    }
    return number >= 3 && depth == 0
  }

  private static func isProduct(_ product: UnsafeRawBufferPointer, _ number: Int) -> Bool {
    let slash = product.firstIndex(of: UInt8(ascii: "/")) ?? product.count
    let name = UnsafeRawBufferPointer(rebasing: product[..<slash])
    guard !name.isEmpty, name.allSatisfy(FormFaults.isToken) else { return false }
    let isUPnP = Bytes.isExactly(name, "UPnP")
    // A product may come without its version; the three of the template may not.
    if slash == product.count { return number > 2 }
    let version = product[(slash + 1)...]
    guard !version.isEmpty, version.allSatisfy({ FormFaults.isToken($0) || $0 == UInt8(ascii: "/") }) else {
      return false
    }
    switch number {
    case 0: return !isUPnP
    case 1:
      return isUPnP && version.count == 3 && Bytes.isDigit(version[slash + 1])
        && version[slash + 2] == UInt8(ascii: ".") && Bytes.isDigit(version[slash + 3])
    default: return true
    }
  }
}

/// DATE.
package enum DateValue {
  private static let days: [StaticString] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let months: [StaticString] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Whether it is a date of RFC 1123: `Mon, 01 Jan 2024 00:00:00 GMT`, or with a numeric zone.
  package static func isWellFormed(_ value: UnsafeRawBufferPointer) -> Bool {
    var rest = value[...]
    guard takesOne(of: days, &rest), takes(",", &rest), takes(" ", &rest),
      let day = number(1...2, &rest), (1...31).contains(day), takes(" ", &rest),
      takesOne(of: months, &rest), takes(" ", &rest), number(4...4, &rest) != nil, takes(" ", &rest),
      let hour = number(2...2, &rest), hour < 24, takes(":", &rest),
      let minute = number(2...2, &rest), minute < 60, takes(":", &rest),
      let second = number(2...2, &rest), second < 61, takes(" ", &rest)
    else { return false }
    let zone = UnsafeRawBufferPointer(rebasing: rest)
    if Bytes.isExactly(zone, "GMT") || Bytes.isExactly(zone, "UT") { return true }
    return (takes("+", &rest) || takes("-", &rest)) && number(4...4, &rest) != nil && rest.isEmpty
  }

  private static func takes(_ letter: Unicode.Scalar, _ rest: inout Slice<UnsafeRawBufferPointer>) -> Bool {
    guard let first = rest.first, first == UInt8(ascii: letter) else { return false }
    rest.removeFirst()
    return true
  }

  /// One of these words of three letters.
  private static func takesOne(of words: [StaticString], _ rest: inout Slice<UnsafeRawBufferPointer>) -> Bool {
    let word = UnsafeRawBufferPointer(rebasing: rest.prefix(3))
    guard words.contains(where: { Bytes.isExactly(word, $0) }) else { return false }
    rest.removeFirst(3)
    return true
  }

  /// All digits that follow, if they are so many.
  private static func number(_ digits: ClosedRange<Int>, _ rest: inout Slice<UnsafeRawBufferPointer>) -> Int? {
    var value = 0
    var count = 0
    while let byte = rest.first, Bytes.isDigit(byte), count <= digits.upperBound {
      value = value * 10 + Int(byte - 48)
      count += 1
      rest.removeFirst()
    }
    return digits.contains(count) ? value : nil
  }
}
