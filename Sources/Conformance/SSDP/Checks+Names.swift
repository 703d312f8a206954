import RollcallWire

/// What announcements call themselves: UUID, USN and NT (1b, 1c).
package struct NameChecks: CheckFamily {
  package static let judgesMessagesAlone = true
  package static let clauses: [ClauseID] = [.uuidForm, .usnForm, .ntForm, .ntDots, .ntVersion]

  package init(_ circumstances: Circumstances) {}

  package mutating func hear(_ context: MessageContext, _ collector: inout FindingCollector) {
    guard context.role == .device, let kind = context.kind else { return }
    if let usn = context.value(.usn), let parts = context.usn {
      let uuid = UnsafeRawBufferPointer(rebasing: usn[parts.uuid])
      collector.check(
        .uuidForm, context, USN.isStandardUUIDForm(uuid), expected: "a UUID of 8-4-4-4-12 hexadecimal digits",
        found: .bytes(uuid))
    }
    guard kind != .response, let target = context.value(.nt), !target.isEmpty else { return }
    if let usn = context.value(.usn), !usn.isEmpty {
      collector.check(
        .usnForm, context, USN.goes(usn, with: target), expected: "USN of the uuid, ::, and exactly the NT",
        found: .text("USN \(SSDPText.text(Array(usn))) with NT \(SSDPText.text(Array(target)))"))
    }
    checkTarget(target, context, &collector)
  }

  private func checkTarget(
    _ target: UnsafeRawBufferPointer, _ context: MessageContext, _ collector: inout FindingCollector
  ) {
    let parts = SearchTarget.parse(target)
    switch parts.form {
    case .rootDevice, .uuid: collector.held(.ntForm, context)
    case .device, .service:
      collector.held(.ntForm, context)
      collector.held(.ntVersion, context)
      let domain = UnsafeRawBufferPointer(rebasing: target[parts.domain])
      collector.check(
        .ntDots, context, !domain.contains(UInt8(ascii: ".")), expected: "hyphens for the dots of the vendor's domain",
        found: .bytes(domain))
    case .all, .opaque:
      // A type whose version is the only thing wrong with it has the form, and a version that is none.
      if let stem = NameChecks.typeWithOddVersion(target) {
        collector.held(.ntForm, context)
        collector.violated(.ntVersion, context, expected: "a version that is a plain integer", found: .bytes(target))
        let domain = UnsafeRawBufferPointer(rebasing: target[stem])
        collector.check(
          .ntDots, context, !domain.contains(UInt8(ascii: ".")),
          expected: "hyphens for the dots of the vendor's domain", found: .bytes(domain))
      } else {
        collector.violated(
          .ntForm, context, expected: "upnp:rootdevice, a uuid, or urn:domain:device or service:type:version",
          found: .bytes(target))
      }
    }
  }

  /// The domain of a target that has five parts, the third `device` or `service`, and no integer at its end.
  private static func typeWithOddVersion(_ target: UnsafeRawBufferPointer) -> Range<Int>? {
    let parts = target.split(separator: UInt8(ascii: ":"), maxSplits: 5, omittingEmptySubsequences: false)
    guard parts.count == 5, parts.allSatisfy({ !$0.isEmpty && !$0.contains { $0 <= 32 } }),
      Bytes.isExactly(UnsafeRawBufferPointer(rebasing: parts[0]), "urn"),
      Bytes.isExactly(UnsafeRawBufferPointer(rebasing: parts[2]), "device")
        || Bytes.isExactly(UnsafeRawBufferPointer(rebasing: parts[2]), "service"), Bytes.isDigit(parts[4].first ?? 0)
    else { return nil }
    return parts[1].startIndex..<parts[1].endIndex
  }
}
