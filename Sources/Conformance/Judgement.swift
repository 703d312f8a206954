package import RollcallPrimitives

/// What came of a judgement: everybody who was heard, everything that was found.
package struct Judgement: Sendable {
  package struct Total: Hashable, Sendable {
    package var held = 0
    package var violated = 0
    package var inconclusive = 0
    /// Parties that the clause binds by their role and that gave no occasion to judge it.
    package var notExercised = 0
  }

  /// The verdict on one clause and one party.
  package enum Verdict: String, Hashable, Sendable { case held, violated, inconclusive, notExercised }

  package struct Row: Sendable {
    package var finding: Finding
    package var party: Party
    package var device: String?
    /// What was asked, where asking showed it.
    package var ruling: ExamRuling?
    package var clause: Clause { finding.clause.clause }
  }

  package var parties: [Party]
  /// In the order in which they were first seen; what only shows at the end stands last.
  package var rows: [Row]
  /// Clauses that were judged, in the order of the catalogue.
  package var judged: [ClauseID]
  package var messageCount: Int
  package var unreadableCount: Int
  package var cutCount: Int
  /// By party and clause.
  var tallies: [Tally]

  package init(_ judge: borrowing ClauseJudge, wanted: (Clause) -> Bool = { _ in true }) {
    let parties = judge.partyList
    self.parties = parties
    judged = ClauseID.allCases.filter { ClauseChecks.checked.contains($0) && wanted($0.clause) }
    messageCount = judge.messageCount
    unreadableCount = judge.unreadableCount
    cutCount = judge.cutCount
    tallies = []
    for party in parties.indices {
      for clause in ClauseID.allCases { tallies.append(judge.docket.tally(clause, PartyID(Int32(party)))) }
    }
    rows = []
    for finding in judge.docket.findings {
      rows.append(
        Row(finding: finding, party: parties[Int(finding.party.number)], device: judge.device(finding.device)))
    }
  }

  package func tally(_ clause: ClauseID, party: Int) -> Tally { tallies[party * ClauseID.count + Int(clause.rawValue)] }

  package func verdict(_ clause: ClauseID, party: Int) -> Verdict {
    let tally = tally(clause, party: party)
    if tally.violated > 0 { return .violated }
    if tally.inconclusive > 0 { return .inconclusive }
    return tally.held > 0 ? .held : .notExercised
  }

  package func total(_ clause: ClauseID) -> Total {
    var total = Total()
    for (number, party) in parties.enumerated() {
      let tally = tally(clause, party: number)
      total.held += Int(tally.held)
      total.violated += Int(tally.violated)
      total.inconclusive += Int(tally.inconclusive)
      if tally.isEmpty, Judgement.binds(clause.clause, party) { total.notExercised += 1 }
    }
    return total
  }

  /// Whether a clause is about somebody in this role under the version that it claims.
  private static func binds(_ clause: Clause, _ party: Party) -> Bool {
    let isRole =
      clause.binds == .either || (clause.binds == .device) == (party.role == .device)
    return isRole && clause.since <= party.claim && (clause.until.map { party.claim <= $0 } ?? true)
  }

  /// Leaves out parties that are nobody's business.
  package mutating func keep(_ isKept: (Party) -> Bool) {
    let kept = parties.indices.filter { isKept(parties[$0]) }
    tallies = kept.flatMap { tallies[($0 * ClauseID.count)..<(($0 + 1) * ClauseID.count)] }
    rows = rows.compactMap { row in
      guard let number = kept.firstIndex(of: Int(row.finding.party.number)) else { return nil }
      var row = row
      row.finding.party = PartyID(Int32(number))
      return row
    }
    parties = kept.map { parties[$0] }
  }

  /// Puts what asking showed of a device above what listening left open.
  ///
  /// A doubt about a clause goes where a ruling answers it; a breach that was heard stays, whatever else was asked.
  /// - Parameter position: where a piece of evidence stands in the record.
  package mutating func overrule(
    _ rulings: [ExamRuling], address: IPAddress, wanted: (Clause) -> Bool, position: (ExamWitness) -> Int
  ) {
    let asked = rulings.map(\.clause)
    judged = ClauseID.allCases.filter { judged.contains($0) || asked.contains($0) && wanted($0.clause) }
    guard let number = parties.firstIndex(where: { $0.role == .device && $0.address == address }) else { return }
    let party = parties[number]
    let binding = rulings.filter {
      wanted($0.clause.clause) && Judgement.binds($0.clause.clause, party) && $0.clause.clause.binds != .controlPoint
    }
    for ruling in binding where ruling.verdict != .inconclusive { dropDoubt(about: ruling.clause, of: number) }
    for ruling in binding {
      // Something else showed it already.
      let tally = tally(ruling.clause, party: number)
      if ruling.verdict == .inconclusive, tally.held + tally.violated > 0 { continue }
      count(ruling.verdict, ruling.clause, of: number)
      if ruling.verdict == .held { continue }
      let new = row(ruling, party: number, position)
      let same = rows.firstIndex {
        $0.finding.party == new.finding.party && $0.finding.clause == ruling.clause
          && $0.finding.ruling == new.finding.ruling && $0.finding.found == ruling.found
      }
      if let same { rows[same].ruling = ruling } else { rows.append(new) }
    }
  }

  /// Forgets what listening left open about a clause, since asking decided it.
  mutating func dropDoubt(about clause: ClauseID, of party: Int) {
    tallies[party * ClauseID.count + Int(clause.rawValue)].inconclusive = 0
    rows.removeAll {
      Int($0.finding.party.number) == party && $0.finding.clause == clause && $0.finding.ruling == .inconclusive
    }
  }

  /// Counts what asking showed.
  mutating func count(_ verdict: ExamVerdict, _ clause: ClauseID, of party: Int) {
    let place = party * ClauseID.count + Int(clause.rawValue)
    switch verdict {
    case .held: tallies[place].held += 1
    case .violated: tallies[place].violated += 1
    case .inconclusive: tallies[place].inconclusive += 1
    }
  }

  private func row(_ ruling: ExamRuling, party: Int, _ position: (ExamWitness) -> Int) -> Row {
    let first = ruling.evidence.first { !$0.isSent } ?? ruling.evidence.first
    let place = first.map(position) ?? 0
    let finding = Finding(
      clause: ruling.clause, party: PartyID(Int32(party)),
      ruling: ruling.verdict == .violated ? .violated : .inconclusive,
      time: first?.time ?? .zero, position: place, lastPosition: place, count: 1, expected: ruling.expected,
      found: ruling.found, device: -1)
    return Row(finding: finding, party: parties[party], device: nil, ruling: ruling)
  }

  /// Whether nothing was looked at: no clause held, was violated or was left open by anybody.
  package var isVacuous: Bool {
    judged.allSatisfy { clause in
      let total = total(clause)
      return total.held == 0 && total.violated == 0 && total.inconclusive == 0
    }
  }

  /// Breaches of this level, counted occasion by occasion.
  package func violations(_ level: Clause.Level) -> Int {
    judged.reduce(0) { $1.clause.level == level && !$1.clause.isFromMemory ? $0 + total($1).violated : $0 }
  }
}
