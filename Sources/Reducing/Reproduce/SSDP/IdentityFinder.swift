import RollcallPrimitives

/// Finds what names somebody in the text of a field: UUIDs, addresses, host names, serial numbers, words.
enum IdentityFinder {
  enum Kind {
    case address, uuid, serial, hostName, word
    /// A word of a product, which stays unless it names somebody elsewhere.
    case product
    /// A letter that is not ASCII.
    case letter
    /// What names nobody, and is not to be looked at again.
    case nobody
  }
  struct Found {
    var kind: Kind
    var text: String
  }
  /// What a field says.
  enum Field {
    /// URLs: all words of paths and queries may be names.
    case url
    /// A target or a USN: what is behind a known scheme is a type.
    case target
    /// Names and versions of products.
    case product
    /// HOST: an address or a name, and a port.
    case host
    /// Whatever somebody thought of.
    case other
  }

  private typealias Text = [Unicode.Scalar]

  /// The value with each find replaced.
  static func rewritten(_ value: String, field: Field, _ replace: (Found) -> String) -> String {
    // What was replaced is not looked at again: a private character stands in for it.
    var done: [String] = []
    func once(_ kind: Kind, _ text: ArraySlice<Unicode.Scalar>) -> Text {
      let text = string(text)
      // The private characters hold this many; a field with more identities has none.
      guard done.count < 0x18FF else { return [] }
      done.append(replace(Found(kind: kind, text: text)))
      return Unicode.Scalar(0xE000 + UInt32(done.count)).map { [$0] } ?? []
    }
    // A value that has private characters of its own loses them first.
    var text = Text(value.unicodeScalars.map { (0xE000...0xF8FF).contains($0.value) ? "\u{FFFD}" : $0 })
    text = replacingUUIDs(text, field, once)
    text = replacingAddresses(text, once)
    if field != .product { text = replacingHosts(text, field, once) }
    text = field == .product ? replacingProducts(text, once) : replacingWords(text, field, once)
    var result = ""
    for scalar in text {
      let number = Int(scalar.value) - 0xE001
      if done.indices.contains(number) { result += done[number] } else { result.unicodeScalars.append(scalar) }
    }
    return result
  }

  // MARK: Scalars

  private static func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }
  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { (48...57).contains(scalar.value) }
  private static func isRun(_ scalar: Unicode.Scalar) -> Bool {
    isDigit(scalar) || (65...90).contains(scalar.value & ~0x20) && scalar.isASCII
  }
  private static func isHex(_ scalar: Unicode.Scalar) -> Bool {
    isDigit(scalar) || scalar.isASCII && (65...70).contains(scalar.value & ~0x20)
  }
  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }

  /// Whether `word`, in small letters, stands here in letters of any case.
  private static func stands(_ word: String, at start: Int, in text: Text) -> Bool {
    guard start < text.count, let first = word.unicodeScalars.first,
      text[start] == first || text[start].value | 0x20 == first.value
    else { return false }
    let scalars = Array(word.unicodeScalars)
    guard start + scalars.count <= text.count else { return false }
    return scalars.indices.allSatisfy {
      let one = text[start + $0]
      return one == scalars[$0] || one.isASCII && one.value | 0x20 == scalars[$0].value && isRun(one)
    }
  }

  // MARK: UUIDs

  /// What follows `uuid:` up to `::` or the end, whatever its form; and what has the form of a UUID anywhere.
  private static func replacingUUIDs(
    _ text: Text, _ field: Field, _ replace: (Kind, ArraySlice<Unicode.Scalar>) -> Text
  ) -> Text {
    var result: Text = []
    var place = 0
    while place < text.count {
      let isStart = place == 0 || !isRun(text[place - 1])
      if isStart, stands("uuid:", at: place, in: text) {
        result += text[place..<(place + 5)]
        place += 5
        let end = endOfUUID(place, text, field)
        if end > place { result += replace(.uuid, text[place..<end]) }
        place = end
      } else if isStart, hasUUIDForm(place, text) {
        result += replace(.uuid, text[place..<(place + 36)])
        place += 36
      } else {
        result.append(text[place])
        place += 1
      }
    }
    return result
  }

  private static func endOfUUID(_ start: Int, _ text: Text, _ field: Field) -> Int {
    var end = start
    while end < text.count, !isBlank(text[end]), !stands("::", at: end, in: text) {
      if field != .target, ["/", "?", "#", "&", ";", ",", "\"", "'", ")", ">"].contains(text[end]) { break }
      end += 1
    }
    return end
  }

  private static func hasUUIDForm(_ start: Int, _ text: Text) -> Bool {
    guard start + 36 <= text.count, start + 36 == text.count || !isRun(text[start + 36]) else { return false }
    return (0..<36).allSatisfy { offset in
      [8, 13, 18, 23].contains(offset) ? text[start + offset] == "-" : isHex(text[start + offset])
    }
  }

  // MARK: Addresses

  private static func replacingAddresses(
    _ text: Text, _ replace: (Kind, ArraySlice<Unicode.Scalar>) -> Text
  ) -> Text {
    var result: Text = []
    var place = 0
    while place < text.count {
      if text[place] == "[", let close = text[place...].firstIndex(of: "]") {
        let end = text[place..<close].firstIndex(of: "%") ?? close
        if IPAddress(string(text[(place + 1)..<end])) != nil {
          result.append("[")
          result += replace(.address, text[(place + 1)..<end])
          result += text[end...close]
          place = close + 1
          continue
        }
      }
      if isDigit(text[place]), place == 0 || !isRun(text[place - 1]) {
        var end = place
        while end < text.count, isDigit(text[end]) || text[end] == "." { end += 1 }
        let whole = end
        while end > place, text[end - 1] == "." { end -= 1 }
        if end == text.count || !isRun(text[end]), IPAddress(string(text[place..<end]))?.family == .v4 {
          result += replace(.address, text[place..<end])
          place = end
          continue
        }
        result += text[place..<whole]
        place = whole
        continue
      }
      result.append(text[place])
      place += 1
    }
    return result
  }

  // MARK: Host names

  /// What stands between `://` and the path, and all of HOST where it is no URL; names in front of an `@` are words like
  /// those of the path.
  private static func replacingHosts(
    _ text: Text, _ field: Field, _ replace: (Kind, ArraySlice<Unicode.Scalar>) -> Text
  ) -> Text {
    var result: Text = []
    var place = 0
    if field == .host, !text.indices.contains(where: { stands("://", at: $0, in: text) }) {
      place = text.firstIndex { !isBlank($0) } ?? text.endIndex
      result += text[..<place]
      result += replacingHost(&place, text, replace)
    }
    while place < text.count {
      guard stands("://", at: place, in: text) else {
        result.append(text[place])
        place += 1
        continue
      }
      result += text[place..<(place + 3)]
      place += 3
      result += replacingHost(&place, text, replace)
    }
    return result
  }

  /// What begins at `place`, up to behind its host.
  private static func replacingHost(
    _ place: inout Int, _ text: Text, _ replace: (Kind, ArraySlice<Unicode.Scalar>) -> Text
  ) -> Text {
    let authority = text[place...].prefix { !isBlank($0) && !["/", "?", "#", "\"", "<", ">"].contains($0) }
    let start = authority.lastIndex(of: "@").map { $0 + 1 } ?? place
    let host = authority[start...].prefix { $0 != ":" && $0 != "[" }
    var result = Text(text[place..<start])
    place = host.endIndex
    let isName = host.contains { !isDigit($0) && $0 != "." } && !host.contains { $0.value >= 0xE000 }
    // Public names such as www.igrs.org are nobody's.
    if stands("www.", at: start, in: text) || stands("schemas.", at: start, in: text) {
      result += replace(.nobody, host)
    } else if isName, host.allSatisfy({ isRun($0) || [".", "-", "_"].contains($0) }) {
      result += replace(.hostName, host)
    } else {
      result += host
    }
    return result
  }

  // MARK: Words and serial numbers

  /// Runs that look like a MAC address or a serial number, and words that are not public.
  private static func replacingWords(
    _ text: Text, _ field: Field, _ replace: (Kind, ArraySlice<Unicode.Scalar>) -> Text
  ) -> Text {
    // Types are public; what is no type may be somebody's name.
    let start = text.firstIndex { !isBlank($0) } ?? 0
    let isType =
      field == .target && ["urn:", "upnp:", "ssdp:", "uuid:"].contains { stands($0, at: start, in: text) }
      && !hasName(behind: start, text)
    var result: Text = []
    var place = 0
    while place < text.count {
      let scalar = text[place]
      guard isRun(scalar) else {
        result += scalar.isASCII || !scalar.properties.isAlphabetic ? [scalar] : replace(.letter, [scalar])
        place += 1
        continue
      }
      let isStart = place == 0 || !isRun(text[place - 1])
      if isStart, let end = pairs(place, text) {
        result += replace(.serial, text[place..<end])
        place = end
        continue
      }
      // A character that is spelled out stays: %20.
      if place > 0, text[place - 1] == "%", place + 1 < text.count, isHex(scalar), isHex(text[place + 1]) {
        result += text[place..<(place + 2)]
        place += 2
        continue
      }
      var end = place
      while end < text.count, isRun(text[end]) { end += 1 }
      let run = text[place..<end]
      if isType ? isSerial(run) : isNamed(run) {
        result += replace(.word, run)
      } else {
        result += run
      }
      place = end
    }
    return result
  }

  /// Whether a USN goes on behind its UUID with what is no type.
  private static func hasName(behind start: Int, _ text: Text) -> Bool {
    guard stands("uuid:", at: start, in: text),
      let end = (start..<text.count).first(where: { stands("::", at: $0, in: text) })
    else { return false }
    return end + 2 < text.count && !["urn:", "upnp:", "ssdp:"].contains { stands($0, at: end + 2, in: text) }
  }

  /// A word that is not public, or a number of six figures and more.
  private static func isNamed(_ run: ArraySlice<Unicode.Scalar>) -> Bool {
    run.allSatisfy(isDigit) ? run.count >= 6 : !PublicWords.contains(string(run))
  }

  /// Six and more hexadecimal digits with two figures among them, or letters with four figures among them.
  private static func isSerial(_ run: ArraySlice<Unicode.Scalar>) -> Bool {
    let figures = run.count { isDigit($0) }
    return run.allSatisfy(isHex) && run.count >= 6 && figures >= 2
      || run.count >= 8 && figures >= 4 && figures < run.count
  }

  /// Six pairs of hexadecimal digits with the same mark between them.
  private static func pairs(_ start: Int, _ text: Text) -> Int? {
    let end = start + 17
    guard end <= text.count, end == text.count || !isRun(text[end]) else { return nil }
    let mark = text[start + 2]
    guard [":", "-", "_"].contains(mark) else { return nil }
    let isPairs = (0..<17).allSatisfy { $0 % 3 == 2 ? text[start + $0] == mark : isHex(text[start + $0]) }
    return isPairs ? end : nil
  }

  // MARK: Products

  /// `NAME/VERSION` stays, and so do public words; what else stands there may be what somebody called the device.
  private static func replacingProducts(
    _ text: Text, _ replace: (Kind, ArraySlice<Unicode.Scalar>) -> Text
  ) -> Text {
    var result: Text = []
    var place = 0
    while place < text.count {
      guard !isBlank(text[place]), ![",", ";", "(", ")", "[", "]"].contains(text[place]) else {
        result.append(text[place])
        place += 1
        continue
      }
      var end = place
      while end < text.count, !isBlank(text[end]), ![",", ";", "(", ")", "[", "]"].contains(text[end]) { end += 1 }
      let word = text[place..<end]
      let slash = word.firstIndex(of: "/")
      let hasVersion = slash.map { $0 > place && $0 + 1 < end && isRun(text[$0 + 1]) } ?? false
      // Known ones are replaced here, too; which are known, only the one who replaces can tell.
      result += product(word, isProduct: hasVersion, replace)
      place = end
    }
    return result
  }

  private static func product(
    _ word: ArraySlice<Unicode.Scalar>, isProduct: Bool, _ replace: (Kind, ArraySlice<Unicode.Scalar>) -> Text
  ) -> Text {
    var result: Text = []
    var place = word.startIndex
    while place < word.endIndex {
      guard isRun(word[place]) else {
        let scalar = word[place]
        result += scalar.isASCII || !scalar.properties.isAlphabetic ? [scalar] : replace(.letter, [scalar])
        place += 1
        continue
      }
      var end = place
      while end < word.endIndex, isRun(word[end]) { end += 1 }
      let run = word[place..<end]
      let isLong = run.allSatisfy(isHex) && run.count >= 12 && run.count { isDigit($0) } >= 2
      if isLong || !isProduct && isNamed(run) {
        result += replace(.word, run)
      } else if run.count >= 3, !PublicWords.contains(string(run)) {
        // Kept unless it names somebody elsewhere.
        result += replace(.product, run)
      } else {
        result += run
      }
      place = end
    }
    return result
  }
}
