package import RollcallPrimitives

/// What an active probe found out about one party and one clause.
package struct ProbedRuling: Hashable, Sendable {
  package var clause: ClauseID
  package var verdict: ExamVerdict
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
    for ruling in rulings where ruling.verdict != .inconclusive { dropDoubt(about: ruling.clause, of: number) }
    for ruling in rulings {
      count(ruling.verdict, ruling.clause, of: number)
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
