import RollcallPrimitives
import RollcallWire

/// USN, targets and UUIDs as their grammar is told in words: slow, on whole arrays, no line shared with `Wire`.
enum NameReference {
  static func lower(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
  }

  static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool { lower(left) == lower(right) }

  /// The UUID and what stands behind `::`; `nil` where a USN names no UUID.
  static func split(_ usn: [UInt8]) -> (uuid: [UInt8], target: [UInt8]?)? {
    guard lower(usn.prefix(5)) == Array("uuid:".utf8) else { return nil }
    let rest = Array(usn.dropFirst(5))
    guard let first = rest.first, first != 0x3A else { return nil }
    for end in rest.indices where end + 1 < rest.count && rest[end] == 0x3A && rest[end + 1] == 0x3A {
      return (Array(rest[..<end]), Array(rest[(end + 2)...]))
    }
    return (rest, nil)
  }

  static func isStandardUUID(_ uuid: [UInt8]) -> Bool {
    let parts = uuid.split(separator: 0x2D, omittingEmptySubsequences: false)
    return parts.map(\.count) == [8, 4, 4, 4, 12]
      && parts.allSatisfy { $0.allSatisfy { Array("0123456789abcdefABCDEF".utf8).contains($0) } }
  }

  static func goes(_ usn: [UInt8], with target: [UInt8]) -> Bool {
    guard let parts = split(usn) else { return false }
    return parts.target.map { $0 == target } ?? areEqual(usn, target)
  }

  struct Target: Equatable {
    var form: SearchTarget.Form
    var domain: [UInt8] = []
    var type: [UInt8] = []
    var version: UInt32 = 0
    var isCanonical = false
  }

  static func target(_ bytes: [UInt8], ignoringCase: Bool) -> Target {
    func fold(_ bytes: some Sequence<UInt8>) -> [UInt8] { ignoringCase ? lower(bytes) : Array(bytes) }
    if bytes.count > 5, lower(bytes.prefix(5)) == Array("uuid:".utf8) {
      return Target(form: .uuid, type: Array(bytes.dropFirst(5)))
    }
    let opaque = Target(form: .opaque, type: bytes)
    if fold(bytes) == Array("ssdp:all".utf8) { return Target(form: .all, type: bytes) }
    if fold(bytes) == Array("upnp:rootdevice".utf8) { return Target(form: .rootDevice, type: bytes) }
    let parts = bytes.split(separator: 0x3A, omittingEmptySubsequences: false).map { Array($0) }
    guard parts.count == 5, fold(parts[0]) == Array("urn".utf8), !parts.contains(where: \.isEmpty),
      parts.dropFirst().allSatisfy({ $0.allSatisfy { $0 > 0x20 } }),
      parts[4].allSatisfy({ (0x30...0x39).contains($0) })
    else { return opaque }
    let form: SearchTarget.Form
    switch fold(parts[2]) {
    case Array("device".utf8): form = .device
    case Array("service".utf8): form = .service
    default: return opaque
    }
    let digits = parts[4].drop { $0 == 0x30 }
    let value = digits.count > 10 ? UInt64.max : digits.reduce(UInt64(0)) { $0 * 10 + UInt64($1 - 0x30) }
    let version = UInt32(clamping: value)
    return Target(
      form: form, domain: parts[1], type: parts[3], version: version,
      isCanonical: Array(String(value).utf8) == parts[4] && value <= UInt64(UInt32.max))
  }

  static func matches(asked: [UInt8], offered: [UInt8], ignoringCase: Bool) -> Bool {
    if asked == offered { return true }
    let (wanted, had) = (target(asked, ignoringCase: ignoringCase), target(offered, ignoringCase: ignoringCase))
    func same(_ left: [UInt8], _ right: [UInt8]) -> Bool { ignoringCase ? areEqual(left, right) : left == right }
    switch wanted.form {
    case .all: return true
    case .uuid: return areEqual(asked, offered)
    case .rootDevice, .opaque: return ignoringCase && areEqual(asked, offered)
    case .device, .service:
      return had.form == wanted.form && had.version >= wanted.version && same(had.type, wanted.type)
        && same(had.domain, wanted.domain)
    }
  }
}
