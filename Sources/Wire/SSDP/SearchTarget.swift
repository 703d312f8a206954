/// What a search asks for (ST) or an announcement is about (NT), as a value to keep and to print.
///
/// `description` gives back the text that it was made from, byte for byte; whatever this grammar cannot spell again
/// (a version with leading zeros, `UUID:`, `urn:Belkin:device:**`) is `other`. Whether a search and an offer match is
/// decided on bytes by `matches`, never on these cases.
public enum SearchTarget: Hashable, Sendable {
  /// `ssdp:all`
  case all
  /// `upnp:rootdevice`
  case rootDevice
  /// `uuid:` and any non-empty string
  case uuid(String)
  /// `urn:`domain`:device:`type`:`version
  case device(domain: String, type: String, version: UInt32)
  /// `urn:`domain`:service:`type`:`version
  case service(domain: String, type: String, version: UInt32)
  /// Anything else, opaque: `roku:ecp`, `hnap:NetworkCamera`, `…:Basic:1.0` (D24, D26, D34).
  case other(String)

  public init(_ text: String) {
    var text = text
    self = text.withUTF8 { SearchTarget(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Reads a field value; bytes that are not UTF-8 are replaced, so only valid UTF-8 is given back unchanged.
  public init(bytes: UnsafeRawBufferPointer) {
    func text(_ range: Range<Int>) -> String {
      String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }
    let parts = SearchTarget.parse(bytes)
    switch parts.form {
    case .all: self = .all
    case .rootDevice: self = .rootDevice
    case .uuid where bytes[0] == UInt8(ascii: "u") && ASCIICase.isExactly(.init(rebasing: bytes[0..<5]), "uuid:"):
      self = .uuid(text(parts.type))
    case .device where parts.isCanonicalVersion:
      self = .device(domain: text(parts.domain), type: text(parts.type), version: parts.version)
    case .service where parts.isCanonicalVersion:
      self = .service(domain: text(parts.domain), type: text(parts.type), version: parts.version)
    default: self = .other(text(0..<bytes.count))
    }
  }
}

extension SearchTarget: CustomStringConvertible {
  /// The text of the field.
  public var description: String {
    switch self {
    case .all: "ssdp:all"
    case .rootDevice: "upnp:rootdevice"
    case .uuid(let uuid): "uuid:" + uuid
    case .device(let domain, let type, let version): "urn:\(domain):device:\(type):\(version)"
    case .service(let domain, let type, let version): "urn:\(domain):service:\(type):\(version)"
    case .other(let text): text
    }
  }
}

extension SearchTarget {
  public enum Form: UInt8, Hashable, Sendable, BitwiseCopyable { case all, rootDevice, uuid, device, service, opaque }

  /// Where the parts of a target stand, counted from the first byte of what was parsed; nothing is copied.
  @frozen public struct Parts: Hashable, Sendable {
    public var form: Form
    /// The vendor's domain of a device or service; empty otherwise.
    public var domain: Range<Int>
    /// The type of a device or service, the UUID without `uuid:`, or the whole text.
    public var type: Range<Int>
    /// The version of a device or service, capped at 2³² − 1; 0 otherwise.
    public var version: UInt32
    /// Whether printing `version` gives its digits again: no leading zeros, no cap.
    public var isCanonicalVersion: Bool

    @inlinable public init(
      form: Form, domain: Range<Int>, type: Range<Int>, version: UInt32, isCanonicalVersion: Bool
    ) {
      (self.form, self.domain, self.type) = (form, domain, type)
      (self.version, self.isCanonicalVersion) = (version, isCanonicalVersion)
    }

    static func whole(_ form: Form, _ count: Int, from start: Int = 0) -> Parts {
      Parts(form: form, domain: 0..<0, type: start..<count, version: 0, isCanonicalVersion: false)
    }
  }

  /// Reads the grammar of ST and NT; never fails, since what it does not know is opaque.
  ///
  /// A device or service has exactly five parts between colons, none empty, none with a blank, and a version of
  /// decimal digits only: `Basic:1.0` has no version and is opaque (D26). Keywords are small letters, unless
  /// `ignoringCase`; the scheme `uuid:` is read without regard to case always (D28).
  public static func parse(_ bytes: UnsafeRawBufferPointer, ignoringCase: Bool = false) -> Parts {
    let count = bytes.count
    func isSpelled(_ part: UnsafeRawBufferPointer, _ keyword: StaticString) -> Bool {
      ignoringCase ? ASCIICase.hasPrefix(part, keyword) : ASCIICase.isExactly(part, keyword)
    }
    @inline(__always) func isKeyword(_ range: Range<Int>, _ keyword: StaticString) -> Bool {
      range.count == keyword.utf8CodeUnitCount && isSpelled(UnsafeRawBufferPointer(rebasing: bytes[range]), keyword)
    }
    if count > 5, ASCIICase.hasPrefix(bytes, "uuid:") { return .whole(.uuid, count, from: 5) }
    if isKeyword(0..<count, "ssdp:all") { return .whole(.all, count) }
    if isKeyword(0..<count, "upnp:rootdevice") { return .whole(.rootDevice, count) }
    guard count > 4, isKeyword(0..<4, "urn:") else { return .whole(.opaque, count) }

    var colons: (Int, Int, Int) = (0, 0, 0)
    var found = 0
    for offset in 4..<count {
      let byte = bytes[offset]
      // Letters, which most bytes are.
      if byte > UInt8(ascii: ":") { continue }
      if byte == UInt8(ascii: ":") {
        switch found {
        case 0: colons.0 = offset
        case 1: colons.1 = offset
        case 2: colons.2 = offset
        default: return .whole(.opaque, count)
        }
        found &+= 1
      } else if byte <= 0x20 {
        return .whole(.opaque, count)
      }
    }
    guard found == 3 else { return .whole(.opaque, count) }
    let domain = 4..<colons.0
    let kind = (colons.0 &+ 1)..<colons.1
    let type = (colons.1 &+ 1)..<colons.2
    let digits = (colons.2 &+ 1)..<count
    let form: Form = isKeyword(kind, "device") ? .device : isKeyword(kind, "service") ? .service : .opaque
    guard form != .opaque, !domain.isEmpty, !type.isEmpty, !digits.isEmpty else { return .whole(.opaque, count) }

    var version: UInt32 = 0
    var isCapped = false
    for offset in digits {
      let digit = bytes[offset] &- 48
      guard digit < 10 else { return .whole(.opaque, count) }
      let (tenfold, tooLarge) = version.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tenfold.addingReportingOverflow(UInt32(digit))
      isCapped = isCapped || tooLarge || carry
      version = isCapped ? .max : sum
    }
    let hasLeadingZero = digits.count > 1 && bytes[digits.lowerBound] == 48
    return Parts(
      form: form, domain: domain, type: type, version: version, isCanonicalVersion: !isCapped && !hasLeadingZero)
  }

  /// Whether an offer (NT, or ST of a response) answers what was asked (ST of a search).
  ///
  /// - `ssdp:all` is answered by everything.
  /// - The same bytes match, whatever they mean; UUIDs match without regard to the case of letters.
  /// - A device or service type matches the same domain, kind and type in the asked version or a higher one, since a
  ///   later version does all that an earlier one does (UDA-1.2.2-CP-VERSION, UDA-1.3.3-ST-LOWER, D73); a lower one
  ///   does not match (UDA-1.3.3-ST-HIGHER). So `…Foo:10` answers `…Foo:1`, as version 10 of Foo, not because it
  ///   begins alike; `…Foo1:1` does not. Versions from 2³² − 1 on count as equal.
  /// - Letter case tells types apart, unless `ignoringCase` (D33).
  public static func matches(
    asked: UnsafeRawBufferPointer, offered: UnsafeRawBufferPointer, ignoringCase: Bool = false
  ) -> Bool {
    matches(asked: asked, parse(asked, ignoringCase: ignoringCase), offered: offered, ignoringCase: ignoringCase)
  }

  /// The same for a search that is compared with many offers; `wanted` is what `parse` makes of `asked`.
  public static func matches(
    asked: UnsafeRawBufferPointer, _ wanted: Parts, offered: UnsafeRawBufferPointer, ignoringCase: Bool = false
  ) -> Bool {
    if USN.isSame(asked, offered) { return true }
    switch wanted.form {
    case .all: return true
    case .uuid: return ASCIICase.equal(asked, offered)
    case .rootDevice, .opaque: return ignoringCase && ASCIICase.equal(asked, offered)
    case .device, .service:
      // All but the version is the same, and a version follows.
      let stem = wanted.type.upperBound
      guard offered.count > stem &+ 1 else { return false }
      let wantedStem = UnsafeRawBufferPointer(rebasing: asked[0..<stem])
      let hadStem = UnsafeRawBufferPointer(rebasing: offered[0..<stem])
      guard ignoringCase ? ASCIICase.equal(wantedStem, hadStem) : USN.isSame(wantedStem, hadStem) else { return false }
      let had = parse(offered, ignoringCase: ignoringCase)
      return had.form == wanted.form && had.type.upperBound == stem && had.version >= wanted.version
    }
  }

  /// Whether an offer answers what this target asks; the rules are those on bytes.
  public func matches(offered: SearchTarget, ignoringCase: Bool = false) -> Bool {
    var asked = description
    var offer = offered.description
    return asked.withUTF8 { asked in
      offer.withUTF8 { offer in
        SearchTarget.matches(
          asked: UnsafeRawBufferPointer(asked), offered: UnsafeRawBufferPointer(offer), ignoringCase: ignoringCase)
      }
    }
  }
}
