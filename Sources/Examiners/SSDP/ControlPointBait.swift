import RollcallPrimitives
import RollcallWire

/// A device that is not there: what a control point shows of it tells what it believes.
struct ControlPointBait: Sendable {
  enum Role: Hashable, Sendable {
    /// A good bait: what is taken on this way at all.
    case control
    /// A good bait right after a bad one.
    case companion
    case probe
    /// One of a flood.
    case many
  }

  /// In one examination, from 0.
  var number: Int
  var probe: ControlPointProbe
  var role: Role
  var way: ControlPointProbe.Way
  /// Which of the probe's baits it is.
  var variant: Int
  /// Without `uuid:`.
  var uuid: String
  /// When the first of its messages left, and where it stands in the log; −1: it has not.
  var sentAt = Instant.never
  var position = -1
  /// When the steps of its story were told, and where their first messages stand in the log.
  var steps: [Instant] = []
  var stepPositions: [Int] = []
  var marks: [Mark] = []
  /// USNs that were told, each with whether it is still there.
  var told: [(usn: String, isThere: Bool)] = []
  /// The order in which its messages are told, beyond which none is kept.
  static let marksMaximum = 64

  /// What the control point showed of it.
  struct Mark: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      /// It fetched a path.
      case fetched(ControlPointPath)
      /// Its output lists the device or the LOCATION.
      case told(ControlPointPath?)
      /// A LOCATION stands somewhere in its output, as in a message that is printed or in the value of another field.
      case mentioned(ControlPointPath)
      /// Its output says that the device is gone.
      case gone
    }
    var kind: Kind
    var time: Instant
    /// The line, or the request, for a finding.
    var text: String
    /// Whether the output spells the UUID with capitals; `nil`: it does not name it.
    var hasCapitals: Bool?

    var evidence: ControlPointEvidence {
      switch kind {
      case .fetched: .fetched
      case .told, .gone: .listed
      case .mentioned: .mentioned
      }
    }
  }

  var isSent: Bool { sentAt != .never }
  /// Whether something shows that the device is believed in.
  var isTaken: Bool {
    marks.contains {
      switch $0.kind {
      case .fetched(let path), .told(.some(let path)): path != .trap
      case .told(nil): true
      case .gone, .mentioned: false
      }
    }
  }
  /// The strongest mark that shows that it is believed in: a fetch before a line of output.
  var proof: Mark? {
    marks.first { if case .fetched = $0.kind { true } else { false } }
      ?? marks.first { if case .told = $0.kind { true } else { false } }
  }
  /// A line that tells of its end under a spelling of the UUID under which it was never listed.
  var echo: Mark? {
    let listed = marks.filter { if case .told = $0.kind { true } else { false } }.compactMap(\.hasCapitals)
    return marks.first { mark in
      guard mark.kind == .gone, let spelling = mark.hasCapitals else { return false }
      return !listed.isEmpty && !listed.contains(spelling)
    }
  }
  func shows(_ path: ControlPointPath) -> Mark? {
    marks.first { $0.kind == .fetched(path) || $0.kind == .told(path) }
  }
  /// Whether everything that was told of it was told to be gone.
  var isGone: Bool { !told.isEmpty && told.allSatisfy { !$0.isThere } }
  /// When the last of it was told to be gone.
  var goneAt: Instant? { isGone ? marks.last { $0.kind == .gone }?.time : nil }
}

/// What shows that a device is believed in, or is gone; the strongest first.
package enum ControlPointEvidence: String, Hashable, Sendable, CaseIterable {
  case fetched
  case listed = "listed in its output"
  case mentioned = "mentioned in its output"
}

/// Which of a bait's LOCATIONs.
package enum ControlPointPath: String, Hashable, Sendable, CaseIterable {
  /// The one that a right reader takes.
  case own = "b"
  /// The second of two that are alike.
  case second = "s"
  /// The one that only a wrong reader takes.
  case trap = "t"
}

/// Addresses and names of all baits of an examination.
struct ControlPointBaitNames: Hashable, Sendable {
  var address: IPAddress
  var pagePort: UInt16
  /// Where LOCATIONs off the subnet point to.
  var offSubnet: Endpoint
  /// Tells examinations apart that follow each other on one network.
  var salt: UInt64

  func uuid(_ number: Int, probe: ControlPointProbe) -> String {
    let digits = digits(number)
    if probe == .anyUUID { return "rollcall_bait.\(digits)" }
    return "b4170000-0000-4000-8000-\(digits)"
  }

  func location(_ number: Int, _ path: ControlPointPath) -> String {
    "http://\(host(address)):\(pagePort)\(page(number, path))"
  }
  func locationOffSubnet(_ number: Int) -> String {
    "http://\(host(offSubnet.address)):\(offSubnet.port)\(page(number, .trap))"
  }

  /// Twelve digits that no bait of another examination has: a program may keep what was at a LOCATION.
  private func digits(_ number: Int) -> String {
    ControlPointBaitNames.hex(salt << 24 | UInt64(number), count: ControlPointBaitNames.digitCount)
  }
  private static let digitCount = 12

  /// The number that these digits have in this examination.
  private func number(of digits: Substring) -> Int? {
    guard digits.utf8.count == ControlPointBaitNames.digitCount, let word = Int(digits: String(digits), radix: 16),
      UInt64(word) >> 24 == salt
    else { return nil }
    return word & 0xFF_FFFF
  }

  private func page(_ number: Int, _ path: ControlPointPath) -> String { "/\(path.rawValue)/\(digits(number)).xml" }
  /// How many bytes the path of a page has.
  static let pageByteCount = 19

  /// Where the paths of a bait's services begin.
  func services(_ number: Int) -> String { "\(ControlPointBaitNames.servicesPath)\(digits(number))/" }
  private static let servicesPath = "/service/"

  /// The number of the bait that has a service with such a path; `nil` where there is none.
  func bait(ofService path: String) -> Int? {
    guard path.hasPrefix(ControlPointBaitNames.servicesPath) else { return nil }
    return number(of: path.dropFirst(ControlPointBaitNames.servicesPath.count).prefix { $0 != "/" })
  }

  /// The id of a subscription to a bait's events.
  func subscription(_ number: UInt64) -> String {
    "uuid:b4170000-0000-4001-8000-\(digits(Int(number & 0xFF_FFFF)))"
  }

  /// The number and the kind of a page; `nil` where there is none.
  func bait(of page: some StringProtocol) -> (number: Int, path: ControlPointPath)? {
    let bytes = Array(page.utf8.prefix(ControlPointBaitNames.pageByteCount))
    guard bytes.count == ControlPointBaitNames.pageByteCount, bytes[0] == UInt8(ascii: "/"),
      bytes[2] == UInt8(ascii: "/"), bytes[15...].elementsEqual(".xml".utf8),
      let path = ControlPointPath(rawValue: String(decoding: bytes[1..<2], as: UTF8.self)),
      let number = number(of: Substring(String(decoding: bytes[3..<15], as: UTF8.self)))
    else { return nil }
    return (number, path)
  }

  private func host(_ address: IPAddress) -> String { address.family == .v6 ? "[\(address)]" : "\(address)" }

  static func hex(_ value: UInt64, count: Int) -> String {
    var text = ""
    for place in stride(from: count - 1, through: 0, by: -1) {
      text += String((value >> UInt64(4 * place)) & 15, radix: 16)
    }
    return text
  }
}
