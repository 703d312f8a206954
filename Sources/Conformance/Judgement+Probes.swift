package import RollcallPrimitives

/// What a probe showed of one clause: a question put to a device, or a stimulus for a control point.
package enum ProbeVerdict: String, Hashable, Sendable { case held, violated, inconclusive }

/// What a probe found out about one party and one clause.
package struct ProbeRuling: Hashable, Sendable {
  package var clause: ClauseID
  package var verdict: ProbeVerdict
  package var time: Instant
  /// The datagram that shows it; 0: none does.
  package var position: Int
  package var expected: String
  /// For `inconclusive` the reason.
  package var found: String
  /// The name of the probe; empty: several together.
  package var probe = ""
  /// The messages that show it.
  package var evidence: [ProbeMessage] = []

  package init(
    clause: ClauseID, verdict: ProbeVerdict, time: Instant, position: Int, expected: String, found: String,
    probe: String = "", evidence: [ProbeMessage] = []
  ) {
    (self.clause, self.verdict, self.time, self.position) = (clause, verdict, time, position)
    (self.expected, self.found, self.probe, self.evidence) = (expected, found, probe, evidence)
  }
}

// Asking and listening in one judgement. A doubt that listening left goes where a probe decides; a breach that was
// heard stays, whatever else was probed.
extension Judgement {
  /// Puts what probes found out about a party beside what was heard of it; a party that was not heard is new.
  ///
  /// - Parameter probed: clauses that were probed, whether anything came of it or not.
  package mutating func take(
    _ rulings: [ProbeRuling], of address: IPAddress, _ role: Party.Role, probed: [ClauseID]
  ) {
    judged = ClauseID.allCases.filter { judged.contains($0) || probed.contains($0) }
    let number = place(of: address, role)
    for ruling in rulings where ruling.verdict != .inconclusive { dropDoubt(about: ruling.clause, of: number) }
    for ruling in rulings {
      count(ruling.verdict, ruling.clause, of: number)
      if ruling.verdict != .held { rows.append(row(ruling, party: number)) }
    }
  }

  /// Puts what asking showed of a device above what listening left open.
  ///
  /// Only clauses that bind the device count. What a message showed already is not said twice.
  package mutating func overrule(_ rulings: [ProbeRuling], address: IPAddress, wanted: (Clause) -> Bool) {
    let asked = rulings.map(\.clause)
    judged = ClauseID.allCases.filter { judged.contains($0) || asked.contains($0) && wanted($0.clause) }
    guard let number = parties.firstIndex(where: { $0.role == .device && $0.address == .ip(address) }) else { return }
    let party = parties[number]
    let binding = rulings.filter {
      wanted($0.clause.clause) && Judgement.binds($0.clause.clause, party) && $0.clause.clause.binds != .controlPoint
    }
    let decided = binding.filter { $0.verdict != .inconclusive }.map(\.clause)
    for clause in decided { dropDoubt(about: clause, of: number) }
    let heardCount = rows.count
    for ruling in binding {
      // Something else showed it already, or another ruling does.
      let tally = tally(ruling.clause, party: number)
      let isDecided = tally.held + tally.violated > 0 || decided.contains(ruling.clause)
      if ruling.verdict == .inconclusive, isDecided { continue }
      count(ruling.verdict, ruling.clause, of: number)
      if ruling.verdict == .held { continue }
      let new = row(ruling, party: number)
      let known = rows.indices.first { place in
        let finding = rows[place].finding
        guard finding.party == new.finding.party, finding.clause == ruling.clause, finding.ruling == new.finding.ruling,
          finding.found == new.finding.found
        else { return false }
        // The doubts of two probes are two where their reasons are; one that was heard gives way to that of a probe.
        let isHeard = place < heardCount && rows[place].probe == nil
        return ruling.verdict == .violated || isHeard || finding.expected == new.finding.expected
      }
      if let known {
        if ruling.verdict == .inconclusive { rows[known].finding.expected = new.finding.expected }
        rows[known].probe = ruling
      } else {
        rows.append(new)
      }
    }
  }

  private func row(_ ruling: ProbeRuling, party: Int) -> Row {
    let isBroken = ruling.verdict == .violated
    let finding = Finding(
      clause: ruling.clause, party: PartyID(Int32(party)), ruling: isBroken ? .violated : .inconclusive,
      time: ruling.time, position: ruling.position, lastPosition: ruling.position, count: 1,
      expected: isBroken ? ruling.expected : ruling.found, found: isBroken ? ruling.found : "", device: -1)
    return Row(finding: finding, party: parties[party], device: nil, probe: ruling.probe.isEmpty ? nil : ruling)
  }

  /// The number of a party, which is new where it was not heard.
  private mutating func place(of address: IPAddress, _ role: Party.Role) -> Int {
    if let known = parties.firstIndex(where: { $0.address == .ip(address) && $0.role == role }) { return known }
    parties.append(Party(address: .ip(address), host: -1, role: role, name: address.description))
    tallies += Array(repeating: Tally(), count: ClauseID.count)
    return parties.count - 1
  }

  /// Forgets what listening left open about a clause, since asking decided it.
  private mutating func dropDoubt(about clause: ClauseID, of party: Int) {
    tallies[party * ClauseID.count + Int(clause.rawValue)].inconclusive = 0
    rows.removeAll {
      Int($0.finding.party.number) == party && $0.finding.clause == clause && $0.finding.ruling == .inconclusive
    }
  }

  /// Counts what asking showed.
  private mutating func count(_ verdict: ProbeVerdict, _ clause: ClauseID, of party: Int) {
    let place = party * ClauseID.count + Int(clause.rawValue)
    switch verdict {
    case .held: tallies[place].held += 1
    case .violated: tallies[place].violated += 1
    case .inconclusive: tallies[place].inconclusive += 1
    }
  }
}
