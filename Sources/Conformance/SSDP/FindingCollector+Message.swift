import RollcallPrimitives

// What checks of SSDP say of a message.
extension Docket {
  /// The message keeps the clause or breaks it.
  @inline(__always) package mutating func check(
    _ clause: ClauseID, _ witness: Witness, _ isHeld: Bool, expected: StaticString,
    found: @autoclosure () -> Found
  ) {
    guard binds(clause, witness.claim) else { return }
    if isHeld { return count(clause, witness.party) }
    violate(clause, witness, expected, found())
  }

  package mutating func held(_ clause: ClauseID, _ witness: Witness) {
    if binds(clause, witness.claim) { count(clause, witness.party) }
  }

  package mutating func violated(
    _ clause: ClauseID, _ witness: Witness, expected: StaticString, found: @autoclosure () -> Found
  ) {
    if binds(clause, witness.claim) { violate(clause, witness, expected, found()) }
  }

  package mutating func inconclusive(_ clause: ClauseID, _ witness: Witness, why: StaticString) {
    guard binds(clause, witness.claim) else { return }
    let scene = Scene(witness)
    rule(.inconclusive, clause, scene, key(why), { why.description }, .absent)
  }

  private mutating func violate(
    _ clause: ClauseID, _ witness: Witness, _ expected: StaticString, _ found: Found
  ) {
    rule(.violated, clause, Scene(witness), key(expected), { expected.description }, found)
  }
}

extension Docket.Scene {
  package init(_ witness: Witness) {
    self.init(
      party: witness.party, claim: witness.claim, time: witness.time, position: witness.observation.position,
      device: witness.uuid)
  }
}
