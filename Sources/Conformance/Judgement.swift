import RollcallPrimitives

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
    /// The probe that showed it; `nil`: listening did.
    package var probe: ProbeRuling?
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

  /// How often a clause was held by a host of a trace, in all its roles.
  package func held(_ clause: ClauseID, byHost host: Int) -> Int {
    parties.indices.reduce(0) { sum, party in
      parties[party].host == host ? sum + Int(tallies[party * ClauseID.count + Int(clause.rawValue)].held) : sum
    }
  }

  package init(_ judge: borrowing ClauseJudge, wanted: (Clause) -> Bool = { _ in true }) {
    let parties = judge.partyList
    self.parties = parties
    // Of a protocol that nobody spoke nothing is judged, unless nobody spoke at all.
    let (datagrams, packets) = (judge.books.messageCount, judge.books.packetCount)
    let multicast = judge.books.multicastCount
    func isSpoken(_ standard: Standard) -> Bool {
      switch standard {
      case .uda: datagrams > 0 || packets + multicast == 0
      case .bluetooth: packets > 0
      case .multicastDNS: multicast > 0
      }
    }
    judged = ClauseID.allCases.filter {
      Catalogue.checked.contains($0) && isSpoken($0.clause.standard) && wanted($0.clause)
    }
    messageCount = datagrams + packets + multicast
    unreadableCount = judge.books.unreadableCount
    cutCount = judge.books.cutCount
    tallies = []
    for party in parties.indices {
      for clause in ClauseID.allCases { tallies.append(judge.collector.tally(clause, PartyID(Int32(party)))) }
    }
    rows = []
    for finding in judge.collector.findings {
      rows.append(
        Row(finding: finding, party: parties[Int(finding.party.number)], device: judge.device(of: finding)))
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

  /// Whether a clause is about somebody in this role under the edition that it claims.
  static func binds(_ clause: Clause, _ party: Party) -> Bool {
    let isRole =
      clause.binds == .either || (clause.binds == .device) == (party.role == .device)
    return isRole && clause.standard == party.claim.standard && clause.isIn(party.claim)
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
