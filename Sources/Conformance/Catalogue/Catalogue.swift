import RollcallPrimitives

/// The clauses of one protocol, the editions of the standard that they stand in, and what looks for breaches.
package struct Catalogue: Sendable {
  /// `SSDP`.
  package let name: String
  /// The editions of its standard, the oldest first.
  package let editions: [Edition]
  package let clauses: [Clause]
  /// Clauses that its judge looks at, in the order of its families.
  package let checked: [ClauseID]

  /// Every catalogue, in the order of `ClauseID`. To add one: its clauses behind those that are there, its judge into
  /// `ClauseJudge`, and a line here.
  package static let all: [Catalogue] = [.ssdp, .bluetooth, .multicastDNS]

  /// Clauses that some judge looks at.
  package static let checked: Set<ClauseID> = Set(all.flatMap { $0.checked })
}

/// A document that has editions. The raw value is its name for people.
package enum Standard: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  /// The UPnP Device Architecture.
  case uda = "UDA"
  /// The Bluetooth Core specification, and the lists that belong to it.
  case bluetooth = "Bluetooth"
  /// Multicast DNS, and services on it (RFC 6763).
  case multicastDNS = "RFC 6762"

  /// Whether it has editions with a version each: an RFC is never changed, and another one takes its place.
  package var hasVersions: Bool { self != .multicastDNS }

  /// The key of a JSON line that has the edition which a party is held to.
  package var key: StaticString {
    switch self {
    case .uda: "uda"
    case .bluetooth: "bluetooth"
    case .multicastDNS: "mdns"
    }
  }
}

/// An edition of a standard. A sender claims one, by itself or by what it says, and is held to it.
///
/// Editions of one standard are ordered; those of two are never compared, since a party speaks one protocol.
package struct Edition: Hashable, Sendable, Comparable, BitwiseCopyable {
  package let standard: Standard
  /// 1 ... 254, growing from edition to edition: ten times the version; 1 of a standard that has one edition.
  package let number: UInt8
  package init(_ standard: Standard, number: UInt8) { (self.standard, self.number) = (standard, number) }
  /// The edition of a standard that has one.
  package init(onlyOneOf standard: Standard) { self.init(standard, number: 1) }

  /// `1.0`, `1.1`, `2.0`; of a standard with one edition its name.
  package var text: String { standard.hasVersions ? "\(number / 10).\(number % 10)" : standard.rawValue }
  /// `UDA 1.1`.
  package var name: String { standard.hasVersions ? "\(standard.rawValue) \(text)" : text }

  package static func < (left: Edition, right: Edition) -> Bool { left.number < right.number }
}
