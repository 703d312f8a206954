/// One assertion of a standard about discovery, or a rule of our own beside it.
package struct Clause: Hashable, Sendable {
  package enum Party: String, Hashable, Sendable { case device, controlPoint, either }

  /// How strongly it binds.
  package enum Level: String, Hashable, Sendable, CaseIterable { case must, should, may, hardening }

  /// How it can be seen.
  package enum Means: String, Hashable, Sendable {
    /// In a capture, by listening alone.
    case passive
    /// By sending something and watching what comes of it.
    case probe
    /// In a simulation, where starts, deeds and losses are known.
    case simulation
    /// With the device's description document beside the messages.
    case description
  }

  /// What a breach costs.
  package enum Severity: String, Hashable, Sendable {
    case breaks, harms, risks, lint

    package var explanation: String {
      switch self {
      case .breaks: "discovery fails"
      case .harms: "a device is found wrongly, late, or lost"
      case .risks: "some peers will stumble"
      case .lint: "untidy"
      }
    }
  }

  /// Whose wording it rests on.
  package enum Evidence: String, Hashable, Sendable {
    case uda20 = "UDA 2.0", uda11 = "UDA 1.1", uda10 = "UDA 1.0"
    case rfc6762 = "RFC 6762", rfc6763 = "RFC 6763"
    /// Remembered, and not verified against any text.
    case memory
    /// A rule of Rollcall, and of no standard.
    case ours
  }

  /// Why it has no check.
  package enum Unchecked: Hashable, Sendable {
    case implied(by: ClauseID, String)
    case needsProbe(String)
    case untestable(String)

    package var name: String {
      switch self {
      case .implied: "implied"
      case .needsProbe: "needs-probe"
      case .untestable: "untestable"
      }
    }

    package var reason: String {
      switch self {
      case .implied(let other, let reason): "\(other.clause.id): \(reason)"
      case .needsProbe(let reason), .untestable(let reason): reason
      }
    }
  }

  package var number: ClauseID
  /// `UDA-1.1-GENERIC`, `H-A-STRAY`.
  package var id: String
  package var binds: Party
  package var level: Level
  package var isProhibition: Bool
  /// The first edition of its standard under which it binds.
  package var since: Edition
  /// The last one; `nil`: all later ones.
  package var until: Edition?
  package var means: [Means]
  package var severity: Severity
  package var evidence: [Evidence]
  /// What it asks for, in one line.
  package var gist: String
  /// Why there is no check; `nil` where there is one.
  package var unchecked: Unchecked?

  /// Whether it binds under an edition of its standard.
  package func isIn(_ edition: Edition) -> Bool { since <= edition && (until.map { edition <= $0 } ?? true) }

  /// Whether nobody has compared it with the standard: it is never shown as must or should.
  package var isFromMemory: Bool { evidence == [.memory] }

  /// `must`, `must not`, `should`, …; what rests on memory says so.
  package var levelText: String {
    if isFromMemory { return "from memory, not normative" }
    return isProhibition && (level == .must || level == .should) ? level.rawValue + " not" : level.rawValue
  }

  /// Its place in a list: what must be first, what is remembered last.
  package var rank: Int {
    if isFromMemory { return 4 }
    return switch level {
    case .must: 0
    case .should: 1
    case .may: 2
    case .hardening: 3
    }
  }

  /// What a breach of it is in reports that know three grades: an `error` for what must be, a `warning` for what
  /// should be, a `note` for all else.
  package enum Grade: String, Hashable, Sendable { case error, warning, note }

  /// - Parameter isStrict: whether a broken should counts as a broken must.
  package func grade(isStrict: Bool = false) -> Grade {
    if isFromMemory { return .note }
    switch level {
    case .must: return .error
    case .should: return isStrict ? .error : .warning
    case .may, .hardening: return .note
    }
  }

  /// `checked`, or the name of what it needs; `open`: nobody has built its check yet.
  package var status: String { unchecked?.name ?? (Catalogue.checked.contains(number) ? "checked" : "open") }
}

extension Clause {
  /// All clauses of all protocols, in the order of `ClauseID`.
  package static let catalogue: [Clause] = Catalogue.all.flatMap { $0.clauses }

  /// The standard that it is about.
  package var standard: Standard { since.standard }

  static func row(
    _ number: ClauseID, _ id: String, binds: Party, _ level: Level, isProhibition: Bool = false,
    since: Edition = .uda10, until: Edition? = nil, seen means: [Means], _ severity: Severity, evidence: [Evidence],
    _ gist: String, unchecked: Unchecked? = nil
  ) -> Clause {
    Clause(
      number: number, id: id, binds: binds, level: level, isProhibition: isProhibition, since: since, until: until,
      means: means, severity: severity, evidence: evidence, gist: gist, unchecked: unchecked)
  }

  /// The clause of this id, case of letters aside.
  package static func named(_ id: String) -> Clause? {
    let wanted = id.uppercased()
    return catalogue.first { $0.id == wanted }
  }

  /// Whether its id begins like one of these, case of letters aside; without any, every clause is meant.
  package func begins(withOneOf beginnings: [String]) -> Bool {
    beginnings.isEmpty || beginnings.contains { id.hasPrefix($0.uppercased()) }
  }

  /// Clauses whose id is this word, a hyphen and a number, case of letters aside: `MD`.
  package static func list(beginning word: String) -> [Clause] {
    let start = word.uppercased() + "-"
    return catalogue.filter { $0.id.hasPrefix(start) && UInt($0.id.dropFirst(start.count)) != nil }
  }

  /// The ids most like a text that is none, best first.
  package static func nearest(to text: String, count: Int = 3) -> [String] {
    let wanted = Array(text.uppercased().utf8.prefix(64))
    let ranked = catalogue.enumerated().map { place, clause in
      (distance: distance(wanted, Array(clause.id.utf8)), place: place)
    }
    return ranked.sorted { ($0.distance, $0.place) < ($1.distance, $1.place) }.prefix(count)
      .map { catalogue[$0.place].id }
  }

  /// Edits from one text to the other; what the longer one has around the shorter costs little.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    let isPart = !left.isEmpty && right.indices.contains { right[$0...].starts(with: left) }
    let edits = EditDistance.between(left, right)
    return isPart ? edits - 1_000 : edits
  }
}
