import RollcallWire

/// The fields of ssdp:byebye and ssdp:update (1e).
package struct ByebyeChecks: CheckFamily {
  package static let judgesMessagesAlone = true
  package static let clauses: [ClauseID] = [.byebyeFields, .byebyeTemplate, .updateFields]

  package init(_ circumstances: Circumstances) {}

  package mutating func hear(_ context: MessageContext, _ collector: inout FindingCollector) {
    switch context.kind {
    case .notifyByebye:
      checkFields(.byebyeFields, [.nt, .usn], fromUDA11: [.bootID, .configID], context, &collector)
      checkTemplate(context, &collector)
    case .notifyUpdate:
      checkFields(
        .updateFields, [.location, .nt, .usn, .bootID, .configID, .nextBootID], fromUDA11: [], context, &collector)
    default: break
    }
  }

  private func checkFields(
    _ clause: ClauseID, _ fields: [SSDPField], fromUDA11: [SSDPField], _ context: MessageContext,
    _ collector: inout FindingCollector
  ) {
    var isHeld = true
    for field in context.claim >= .uda11 ? fields + fromUDA11 : fields {
      if let value = context.value(field), !value.isEmpty { continue }
      isHeld = false
      collector.violated(
        clause, context, expected: "every field of its template",
        found: .text(context.has(field) ? "\(field.name) is empty" : "no \(field.name)"))
    }
    if !HostValue.isGroup(context.value(.host)) {
      isHeld = false
      collector.violated(
        clause, context, expected: "HOST with the group and port 1900",
        found: context.value(.host).map { .bytes($0) } ?? .absent)
    }
    let type: StaticString = clause == .byebyeFields ? "ssdp:byebye" : "ssdp:update"
    if !context.holds(.nts, type) {
      isHeld = false
      collector.violated(
        clause, context, expected: "NTS in small letters", found: context.value(.nts).map { .bytes($0) } ?? .absent)
    }
    if isHeld { collector.held(clause, context) }
  }

  private func checkTemplate(_ context: MessageContext, _ collector: inout FindingCollector) {
    var isHeld = true
    for field in [SSDPField.cacheControl, .location, .server] as [SSDPField] where context.has(field) {
      isHeld = false
      collector.violated(
        .byebyeTemplate, context, expected: "no field of an alive in a byebye", found: .text(field.name))
    }
    if isHeld { collector.held(.byebyeTemplate, context) }
  }
}
