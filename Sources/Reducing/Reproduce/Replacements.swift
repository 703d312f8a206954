import RollcallPrimitives

/// Runs of letters and digits, and others that stand in for them: one for each run, and never the same for two.
///
/// A stand-in has the form of what it stands for: as many zeros in front, digits for digits, `a` to `f` for those,
/// other letters for others. So runs of one form only ever become runs of that form, of which there are exactly as many
/// as can ask for one: no two have to share. Case is no part of a name; a stand-in is written as its run was.
struct Replacements {
  private var given: [[UInt8]: [UInt8]] = [:]
  private var used: Set<[UInt8]> = []
  private var scalars: [UInt32: Unicode.Scalar] = [:]
  private var usedScalars: Set<UInt32> = []
  private var tokens = 0
  private var words = 0

  /// A run that stands for itself.
  mutating func keep(_ run: String) {
    let key = Replacements.lowered(Array(run.utf8))
    given[key] = key
    used.insert(key)
  }

  /// Whether the run was replaced before.
  func isReplaced(_ run: String) -> Bool {
    let key = Replacements.lowered(Array(run.utf8))
    return given[key].map { $0 != key } ?? false
  }

  /// - Parameters:
  ///   - run: ASCII letters and digits.
  ///   - salt: another number for another stand-in of the same run.
  mutating func replacement(for run: String, salt: Int = 0) -> String {
    let original = Array(run.utf8)
    let key = Replacements.lowered(original)
    if key.allSatisfy({ $0 == 48 }) { return run }
    let place = salt == 0 ? key : key + Array("#\(salt)".utf8)
    if let known = given[place] { return Replacements.cased(known, as: original) }
    let found = fresh(key)
    given[place] = found
    used.insert(found)
    return Replacements.cased(found, as: original)
  }

  private mutating func fresh(_ key: [UInt8]) -> [UInt8] {
    let isHex = key.allSatisfy { Replacements.isDigit($0) || (97...102).contains($0) }
    let isToken = key.contains(where: Replacements.isDigit) || key.count == 12 || key.count == 4 && isHex
    if isToken { tokens += 1 } else { words += 1 }
    var stream = Seed(0xA11A5).stream(isToken ? "token-\(tokens)" : "word-\(words)")
    let ranges = Replacements.form(key)
    var candidate = ranges.map { range -> UInt8 in
      let word = stream.next()
      return range.lowerBound + UInt8(word % UInt64(range.count))
    }
    // Each step gives another candidate, until all of the form were seen.
    for _ in 0...(used.count + 1) {
      if candidate != key, !used.contains(candidate), !PublicWords.contains(String(decoding: candidate, as: UTF8.self))
      {
        return candidate
      }
      var index = candidate.count
      while index > 0 {
        index -= 1
        if candidate[index] < ranges[index].upperBound {
          candidate[index] += 1
          break
        }
        candidate[index] = ranges[index].lowerBound
      }
    }
    // All others of the form are taken.
    if !used.contains(key) { return key }
    var number = used.count
    while used.contains(Array("x\(number)x".utf8)) { number += 1 }
    return Array("x\(number)x".utf8)
  }

  /// What may stand at each place of a stand-in.
  private static func form(_ key: [UInt8]) -> [ClosedRange<UInt8>] {
    var isLeading = true
    return key.map { byte in
      if byte == 48, isLeading { return 48...48 }
      let wasLeading = isLeading
      isLeading = false
      if isDigit(byte) { return wasLeading ? 49...57 : 48...57 }
      return byte <= 102 ? 97...102 : 103...122
    }
  }

  /// Another letter of as many bytes for a letter that is not ASCII.
  mutating func replacement(for scalar: Unicode.Scalar) -> Unicode.Scalar {
    if let known = scalars[scalar.value] { return known }
    let ranges: [ClosedRange<UInt32>]
    switch scalar.value {
    case ..<0x800: ranges = [0x100...0x24F, 0xAA...0x7FF]
    case ..<0x10000: ranges = [0x4E00...0x9FFF, 0x800...0xD7FF]
    default: ranges = [0x20000...0x2A6DF, 0x10000...0x1FFFF]
    }
    for range in ranges {
      for value in range where !usedScalars.contains(value) && value != scalar.value {
        guard let one = Unicode.Scalar(value), one.properties.isAlphabetic else { continue }
        scalars[scalar.value] = one
        usedScalars.insert(value)
        return one
      }
    }
    return scalar
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  static func lowered(_ bytes: [UInt8]) -> [UInt8] { bytes.map { (65...90).contains($0) ? $0 | 0x20 : $0 } }

  private static func cased(_ found: [UInt8], as original: [UInt8]) -> String {
    guard found.count == original.count else { return String(decoding: found, as: UTF8.self) }
    let bytes = zip(found, original).map { one, other in
      (65...90).contains(other) && (97...122).contains(one) ? one & ~0x20 : one
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
