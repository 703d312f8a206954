package import RollcallPrimitives
import RollcallTrace

/// What came of checking one clause on one occasion.
package enum Ruling: String, Hashable, Sendable { case violated, inconclusive }

/// A breach, or a doubt, with everything that was found alike after it.
package struct Finding: Hashable, Sendable {
  package var clause: ClauseID
  package var party: PartyID
  package var ruling: Ruling
  /// When and where it was first seen: the frame of a capture, the entry of a trace; 0 where it belongs to none.
  package var time: Instant
  package var position: Int
  /// Where it was last seen.
  package var lastPosition: Int
  /// How often.
  package var count: Int
  package var expected: String
  package var found: String
  /// The device that the message was about, as it was first heard: `uuid:…`.
  package var device: Int32
}

/// How often a clause was held, violated and left open by one party.
package struct Tally: Hashable, Sendable, BitwiseCopyable {
  package var held: UInt32 = 0
  package var violated: UInt32 = 0
  package var inconclusive: UInt32 = 0

  package var isEmpty: Bool { held == 0 && violated == 0 && inconclusive == 0 }
}

/// What was found instead of what was expected.
package enum Found {
  case absent
  case bytes(UnsafeRawBufferPointer)
  case number(Int64)
  case text(String)

  /// The same for findings that are one finding.
  fileprivate var key: UInt64 {
    switch self {
    case .absent: 1
    case .bytes(let bytes): Digest.hash(bytes)
    case .number(let number): Digest.fold(UInt64(bitPattern: number) ^ 0x9E37_79B9_7F4A_7C15, 0xE703_7ED1_A0B4_28DB)
    case .text(let text): Found.key(text)
    }
  }

  private static func key(_ text: String) -> UInt64 {
    var digest = Digest()
    digest.combine(text)
    return digest.state
  }

  fileprivate var text: String {
    switch self {
    case .absent: "nothing"
    case .bytes(let bytes):
      bytes.count > FindingCollector.quotedBytesMaximum
        ? WordWriter.escaped(bytes.prefix(FindingCollector.quotedBytesMaximum)) + "…" : WordWriter.escaped(bytes)
    case .number(let number): String(number)
    case .text(let text): text
    }
  }
}

/// Where checks write down what they see: tallies for each party and clause, and findings.
///
/// It knows which clauses are wanted and which bind the sender, so a check asks about neither. Bounded: a finding that
/// repeats is one finding with a count, and each party lists a few for each clause.
package struct FindingCollector {
  /// Findings listed for one party and clause; the tally counts all of them.
  package static let findingsPerCellMaximum = 12
  package static let findingsMaximum = 50_000
  static let quotedBytesMaximum = 160

  package private(set) var findings: [Finding] = []
  private var tallies: [Tally] = []
  private var known: [UInt64: Int32] = [:]
  private var listed: [UInt32: Int] = [:]
  /// What was ruled on the message that is being looked at, where somebody wants to know.
  private var rulings: [(clause: ClauseID, ruling: Ruling, finding: Int32)]?
  /// Clauses by number: the lowest and highest edition under which they bind. The lowest of one that nobody wants is
  /// 255, which no edition is.
  private let lowest: [UInt8]
  private let highest: [UInt8]

  /// - Parameter wanted: which clauses are judged at all.
  package init(wanted: (Clause) -> Bool) {
    var lowest: [UInt8] = []
    var highest: [UInt8] = []
    for clause in Clause.catalogue {
      lowest.append(wanted(clause) ? clause.since.number : .max)
      highest.append(clause.until?.number ?? .max)
    }
    (self.lowest, self.highest) = (lowest, highest)
  }

  /// Whether somebody who claims this edition is bound by the clause, and somebody wants to know.
  @inline(__always) package func binds(_ clause: ClauseID, _ claim: Edition) -> Bool {
    let number = Int(clause.rawValue)
    return lowest[number] <= claim.number && claim.number <= highest[number]
  }

  package func tally(_ clause: ClauseID, _ party: PartyID) -> Tally {
    let place = Int(party.number) * ClauseID.count + Int(clause.rawValue)
    return place < tallies.count ? tallies[place] : Tally()
  }

  // MARK: - On a message that came before

  /// What checks said of one message, to be said again of the same message of the same party.
  struct Verdicts {
    /// A message that more is said of is judged anew each time.
    static let heldMaximum = 40
    static let breachesMaximum = 8
    /// Clauses that were kept, by number.
    var held: [UInt16] = []
    /// Those that were broken, and the number of the finding; −1: it is not listed, and never will be.
    var breaches: [(clause: UInt16, finding: Int32)] = []
  }

  /// Lets checks look at a message of a party, and says what they said; `nil` where that cannot be said again.
  mutating func verdicts(on party: PartyID, _ check: (inout FindingCollector) -> Void) -> Verdicts? {
    let start = Int(party.number) &* ClauseID.count
    if start >= tallies.count { grow(start) }
    let before = Array(tallies[start..<(start + ClauseID.count)])
    rulings = []
    check(&self)
    defer { rulings = nil }
    var verdicts = Verdicts()
    guard let rulings, rulings.count <= Verdicts.breachesMaximum, rulings.allSatisfy({ $0.ruling == .violated }) else {
      return nil
    }
    verdicts.breaches = rulings.map { ($0.clause.rawValue, $0.finding) }
    for clause in 0..<ClauseID.count {
      for _ in 0..<(tallies[start + clause].held &- before[clause].held) {
        if verdicts.held.count == Verdicts.heldMaximum { return nil }
        verdicts.held.append(UInt16(clause))
      }
    }
    return verdicts
  }

  /// Says again of a message of a party what was said of it.
  mutating func repeatVerdicts(_ verdicts: borrowing Verdicts, of party: PartyID, at position: Int) {
    let start = Int(party.number) &* ClauseID.count
    for clause in verdicts.held { tallies[start &+ Int(clause)].held &+= 1 }
    for (clause, finding) in verdicts.breaches {
      tallies[start &+ Int(clause)].violated &+= 1
      if finding >= 0 { findAgain(finding, at: position) }
    }
  }

  // MARK: - On what several messages, or their absence, tell

  /// Who is judged, and where one may look.
  package struct Scene {
    package var party: PartyID
    package var claim: Edition
    package var time: Instant
    package var position: Int
    /// The number of the UUID that it is about; −1: none.
    package var device: Int32

    package init(party: PartyID, claim: Edition, time: Instant, position: Int, device: Int32 = -1) {
      (self.party, self.claim, self.time, self.position, self.device) = (party, claim, time, position, device)
    }
  }

  package mutating func held(_ clause: ClauseID, at scene: Scene, times: Int = 1) {
    guard binds(clause, scene.claim), times > 0 else { return }
    count(clause, scene.party, UInt32(truncatingIfNeeded: min(times, 1_000_000)))
  }

  package mutating func violated(_ clause: ClauseID, at scene: Scene, expected: String, found: Found) {
    guard binds(clause, scene.claim) else { return }
    rule(.violated, clause, scene, Found.text(expected).key, { expected }, found)
  }

  package mutating func inconclusive(_ clause: ClauseID, at scene: Scene, why: String) {
    guard binds(clause, scene.claim) else { return }
    rule(.inconclusive, clause, scene, Found.text(why).key, { why }, .absent)
  }

  /// Held or violated: one clause on one occasion.
  mutating func rule(
    _ clause: ClauseID, _ isHeld: Bool, at scene: Scene, expected: @autoclosure () -> String,
    found: @autoclosure () -> String
  ) {
    if isHeld {
      held(clause, at: scene)
    } else {
      violated(clause, at: scene, expected: expected(), found: .text(found()))
    }
  }

  // MARK: - Books

  @inline(__always) mutating func count(_ clause: ClauseID, _ party: PartyID, _ times: UInt32 = 1) {
    let place = Int(party.number) &* ClauseID.count &+ Int(clause.rawValue)
    if place >= tallies.count { grow(place) }
    tallies[place].held &+= times
  }

  private mutating func grow(_ place: Int) {
    let parties = max(16, (place / ClauseID.count + 1) * 2)
    tallies += Array(repeating: Tally(), count: parties * ClauseID.count - tallies.count)
  }

  func key(_ text: StaticString) -> UInt64 {
    Digest.hash(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func rule(
    _ ruling: Ruling, _ clause: ClauseID, _ scene: Scene, _ expectedKey: UInt64, _ expected: () -> String,
    _ found: Found
  ) {
    let place = Int(scene.party.number) &* ClauseID.count &+ Int(clause.rawValue)
    if place >= tallies.count { grow(place) }
    if ruling == .violated { tallies[place].violated &+= 1 } else { tallies[place].inconclusive &+= 1 }
    let cell = UInt32(truncatingIfNeeded: place) &<< 1 | (ruling == .violated ? 1 : 0)
    let key = Digest.fold(UInt64(cell) ^ expectedKey ^ 0xA076_1D64_78BD_642F, found.key ^ 0x8EBC_6AF0_9C88_C6E3)
    var number: Int32 = -1
    if let again = known[key] {
      number = again
      findAgain(number, at: scene.position)
    } else if listed[cell, default: 0] < FindingCollector.findingsPerCellMaximum,
      findings.count < FindingCollector.findingsMaximum
    {
      number = Int32(findings.count)
      listed[cell, default: 0] += 1
      known[key] = number
      findings.append(
        Finding(
          clause: clause, party: scene.party, ruling: ruling, time: scene.time, position: scene.position,
          lastPosition: scene.position, count: 1, expected: expected(), found: ruling == .violated ? found.text : "",
          device: scene.device))
    }
    rulings?.append((clause, ruling, number))
  }

  private mutating func findAgain(_ number: Int32, at position: Int) {
    findings[Int(number)].count += 1
    findings[Int(number)].lastPosition = position
  }
}
