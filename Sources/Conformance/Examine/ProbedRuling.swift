package import Primitives

/// What an active probe found out about one party and one clause.
package struct ProbedRuling: Hashable, Sendable {
  package enum Verdict: String, Hashable, Sendable { case held, violated, inconclusive }
  package var clause: ClauseID
  package var verdict: Verdict
  package var time: Instant
  /// The datagram that shows it; 0: none does.
  package var position: Int
  package var expected: String
  /// For `inconclusive` the reason.
  package var found: String
}

extension Judgement {
  /// Puts what probes found out about a party beside what was heard of it.
  ///
  /// A doubt that listening left goes where a probe decides; a breach that was heard stays, whatever else was probed.
  /// - Parameters:
  ///   - probed: clauses that were probed, whether anything came of it or not.
  package mutating func take(
    _ rulings: [ProbedRuling], of address: IPAddress, _ role: Party.Role, probed: [ClauseID]
  ) {
    judged = ClauseID.allCases.filter { judged.contains($0) || probed.contains($0) }
    let number = place(of: address, role)
    let party = parties[number]
    for ruling in rulings where ruling.verdict != .inconclusive {
      tallies[number * ClauseID.count + Int(ruling.clause.rawValue)].inconclusive = 0
      rows.removeAll {
        Int($0.finding.party.number) == number && $0.finding.clause == ruling.clause
          && $0.finding.ruling == .inconclusive
      }
    }
    for ruling in rulings {
      let cell = number * ClauseID.count + Int(ruling.clause.rawValue)
      switch ruling.verdict {
      case .held: tallies[cell].held += 1
      case .violated: tallies[cell].violated += 1
      case .inconclusive: tallies[cell].inconclusive += 1
      }
      if ruling.verdict == .held { continue }
      let isBroken = ruling.verdict == .violated
      let finding = Finding(
        clause: ruling.clause, party: PartyID(Int32(number)), ruling: isBroken ? .violated : .inconclusive,
        time: ruling.time, position: ruling.position, lastPosition: ruling.position, count: 1,
        expected: isBroken ? ruling.expected : ruling.found, found: isBroken ? ruling.found : "", device: -1)
      rows.append(Row(finding: finding, party: party, device: nil))
    }
  }

  /// The number of a party, which is new where it was not heard.
  private mutating func place(of address: IPAddress, _ role: Party.Role) -> Int {
    if let known = parties.firstIndex(where: { $0.address == address && $0.role == role }) { return known }
    parties.append(Party(address: address, host: -1, role: role, name: address.description))
    tallies += Array(repeating: Tally(), count: ClauseID.count)
    return parties.count - 1
  }
}
