import RollcallPrimitives

// What checks of SSDP say of a message.
extension FindingCollector {
  /// The message keeps the clause or breaks it.
  @inline(__always) package mutating func check(
    _ clause: ClauseID, _ context: MessageContext, _ isHeld: Bool, expected: StaticString,
    found: @autoclosure () -> Found
  ) {
    guard binds(clause, context.claim) else { return }
    if isHeld { return count(clause, context.party) }
    violate(clause, context, expected, found())
  }

  package mutating func held(_ clause: ClauseID, _ context: MessageContext) {
    if binds(clause, context.claim) { count(clause, context.party) }
  }

  package mutating func violated(
    _ clause: ClauseID, _ context: MessageContext, expected: StaticString, found: @autoclosure () -> Found
  ) {
    if binds(clause, context.claim) { violate(clause, context, expected, found()) }
  }

  package mutating func inconclusive(_ clause: ClauseID, _ context: MessageContext, why: StaticString) {
    guard binds(clause, context.claim) else { return }
    let scene = Scene(context)
    rule(.inconclusive, clause, scene, key(why), { why.description }, .absent)
  }

  private mutating func violate(
    _ clause: ClauseID, _ context: MessageContext, _ expected: StaticString, _ found: Found
  ) {
    rule(.violated, clause, Scene(context), key(expected), { expected.description }, found)
  }
}

extension FindingCollector.Scene {
  package init(_ context: MessageContext) {
    self.init(
      party: context.party, claim: context.claim, time: context.time, position: context.observation.position,
      device: context.uuid)
  }
}
