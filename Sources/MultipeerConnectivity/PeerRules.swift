import Foundation

/// The bounds of parameters, as questions that never stop the program. The initialisers stop it where the answer is
/// not nil, as Apple's throw an exception.
package enum PeerRules {
  package enum Fault: Hashable, Sendable {
    case emptyName
    case nameTooLong(byteCount: Int)
    case serviceTypeLength(Int)
    /// At this byte offset.
    case serviceTypeCharacter(offset: Int)
    case serviceTypeHyphen(offset: Int)
    case serviceTypeWithoutLetter
    case emptyKey
    case equalsSign(key: String)
    case pairTooLong(key: String, byteCount: Int)
    case browserIsBusy
  }

  /// Bytes of UTF-8.
  package static let nameBytes = 1...63
  package static let serviceTypeBytes = 1...15
  /// Key, equals sign and value, in UTF-8.
  package static let pairBytesMaximum = 255

  package static func fault(displayName name: String) -> Fault? {
    let count = name.utf8.count
    if count < nameBytes.lowerBound { return .emptyName }
    return count > nameBytes.upperBound ? .nameTooLong(byteCount: count) : nil
  }

  /// RFC 6335 section 5.1, in lowercase: letters, digits and single hyphens inside, with at least one letter.
  package static func fault(serviceType: String) -> Fault? {
    let bytes = Array(serviceType.utf8)
    guard serviceTypeBytes.contains(bytes.count) else { return .serviceTypeLength(bytes.count) }
    var hasLetter = false
    for (offset, byte) in bytes.enumerated() {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): hasLetter = true
      case UInt8(ascii: "0")...UInt8(ascii: "9"): break
      case UInt8(ascii: "-"):
        let isInside = offset > 0 && offset < bytes.count - 1
        guard isInside, bytes[offset - 1] != byte else { return .serviceTypeHyphen(offset: offset) }
      default: return .serviceTypeCharacter(offset: offset)
      }
    }
    return hasLetter ? nil : .serviceTypeWithoutLetter
  }

  /// The first fault, in the order of the keys.
  package static func fault(discoveryInfo info: [String: String]?) -> Fault? {
    fault(discoveryInfo: InfoPair.list(info))
  }

  static func fault(discoveryInfo pairs: [InfoPair]?) -> Fault? {
    for pair in pairs ?? [] {
      if pair.key.isEmpty { return .emptyKey }
      if pair.key.utf8.contains(UInt8(ascii: "=")) { return .equalsSign(key: pair.key) }
      let count = pair.key.utf8.count + 1 + pair.value.utf8.count
      if count > pairBytesMaximum { return .pairTooLong(key: pair.key, byteCount: count) }
    }
    return nil
  }

  /// Ends the program with one line, where Apple's framework throws an exception.
  static func require(_ fault: Fault?, in call: String) {
    if let fault { preconditionFailure("\(call): \(fault)") }
  }

  // MARK: Times

  /// Used where the time-out is not positive.
  package static let standardTimeoutSeconds: TimeInterval = 30

  /// How long an inviter waits, in nanoseconds; nil: as long as it takes. Zero, a negative number and what is no number
  /// are 30 seconds.
  package static func timeoutNanoseconds(_ seconds: TimeInterval) -> Int64? {
    let seconds = seconds > 0 ? seconds : standardTimeoutSeconds
    // More than an Int64 holds is 292 years.
    guard seconds < 9_000_000_000 else { return nil }
    return max(1, Int64(seconds * 1_000_000_000))
  }

  // MARK: File names

  /// The most bytes that a file name has on Linux.
  static let fileNameBytesMaximum = 255

  /// A name for a file in a folder of ours, whatever a peer sent: the last component, without control characters.
  package static func fileName(_ name: String) -> String {
    let last = name.unicodeScalars.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(Array.init) ?? []
    let kept = last.filter { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
      default: true
      }
    }
    var result = ""
    var count = 0
    for scalar in kept {
      count += UTF8.width(scalar)
      guard count <= fileNameBytesMaximum else { break }
      result.unicodeScalars.append(scalar)
    }
    return ["", ".", ".."].contains(result) ? "resource" : result
  }
}
