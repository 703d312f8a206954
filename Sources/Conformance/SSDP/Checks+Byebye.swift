import RollcallWire

/// The fields of ssdp:byebye and ssdp:update (1e).
package struct ByebyeChecks: CheckFamily {
  package static let judgesMessagesAlone = true
  package static let clauses: [ClauseID] = [.byebyeFields, .byebyeTemplate, .updateFields]

  package init(_ circumstances: Circumstances) {}

  package mutating func hear(_ witness: Witness, _ docket: inout Docket) {
    switch witness.kind {
    case .notifyByebye:
      checkFields(.byebyeFields, [.nt, .usn], fromUDA11: [.bootID, .configID], witness, &docket)
      checkTemplate(witness, &docket)
    case .notifyUpdate:
      checkFields(
        .updateFields, [.location, .nt, .usn, .bootID, .configID, .nextBootID], fromUDA11: [], witness, &docket)
    default: break
    }
  }

  private func checkFields(
    _ clause: ClauseID, _ fields: [SSDPField], fromUDA11: [SSDPField], _ witness: Witness, _ docket: inout Docket
  ) {
    var isHeld = true
    for field in witness.claim >= .uda11 ? fields + fromUDA11 : fields {
      if let value = witness.value(field), !value.isEmpty { continue }
      isHeld = false
      docket.violated(
        clause, witness, expected: "every field of its template",
        found: .text(witness.has(field) ? "\(field.name) is empty" : "no \(field.name)"))
    }
    if !HostValue.isGroup(witness.value(.host)) {
      isHeld = false
      docket.violated(
        clause, witness, expected: "HOST with the group and port 1900",
        found: witness.value(.host).map { .bytes($0) } ?? .absent)
    }
    let type: StaticString = clause == .byebyeFields ? "ssdp:byebye" : "ssdp:update"
    if !witness.holds(.nts, type) {
      isHeld = false
      docket.violated(
        clause, witness, expected: "NTS in small letters", found: witness.value(.nts).map { .bytes($0) } ?? .absent)
    }
    if isHeld { docket.held(clause, witness) }
  }

  private func checkTemplate(_ witness: Witness, _ docket: inout Docket) {
    var isHeld = true
    for field in [SSDPField.cacheControl, .location, .server] as [SSDPField] where witness.has(field) {
      isHeld = false
      docket.violated(
        .byebyeTemplate, witness, expected: "no field of an alive in a byebye", found: .text(field.name))
    }
    if isHeld { docket.held(.byebyeTemplate, witness) }
  }
}
