import RollcallWire

/// What announcements call themselves: UUID, USN and NT (1b, 1c).
package struct NameChecks: CheckFamily {
  package static let judgesMessagesAlone = true
  package static let clauses: [ClauseID] = [.uuidForm, .usnForm, .ntForm, .ntDots, .ntVersion]

  package init(_ circumstances: Circumstances) {}

  package mutating func hear(_ witness: Witness, _ docket: inout Docket) {
    guard witness.role == .device, let kind = witness.kind else { return }
    if let usn = witness.value(.usn), let parts = witness.usn {
      let uuid = UnsafeRawBufferPointer(rebasing: usn[parts.uuid])
      docket.check(
        .uuidForm, witness, USN.isStandardUUIDForm(uuid), expected: "a UUID of 8-4-4-4-12 hexadecimal digits",
        found: .bytes(uuid))
    }
    guard kind != .response, let target = witness.value(.nt), !target.isEmpty else { return }
    if let usn = witness.value(.usn), !usn.isEmpty {
      docket.check(
        .usnForm, witness, USN.goes(usn, with: target), expected: "USN of the uuid, ::, and exactly the NT",
        found: .text("USN \(SSDPText.text(Array(usn))) with NT \(SSDPText.text(Array(target)))"))
    }
    checkTarget(target, witness, &docket)
  }

  private func checkTarget(_ target: UnsafeRawBufferPointer, _ witness: Witness, _ docket: inout Docket) {
    let parts = SearchTarget.parse(target)
    switch parts.form {
    case .rootDevice, .uuid: docket.held(.ntForm, witness)
    case .device, .service:
      docket.held(.ntForm, witness)
      docket.held(.ntVersion, witness)
      let domain = UnsafeRawBufferPointer(rebasing: target[parts.domain])
      docket.check(
        .ntDots, witness, !domain.contains(UInt8(ascii: ".")), expected: "hyphens for the dots of the vendor's domain",
        found: .bytes(domain))
    case .all, .opaque:
      // A type whose version is the only thing wrong with it has the form, and a version that is none.
      if let stem = NameChecks.typeWithOddVersion(target) {
        docket.held(.ntForm, witness)
        docket.violated(.ntVersion, witness, expected: "a version that is a plain integer", found: .bytes(target))
        let domain = UnsafeRawBufferPointer(rebasing: target[stem])
        docket.check(
          .ntDots, witness, !domain.contains(UInt8(ascii: ".")),
          expected: "hyphens for the dots of the vendor's domain", found: .bytes(domain))
      } else {
        docket.violated(
          .ntForm, witness, expected: "upnp:rootdevice, a uuid, or urn:domain:device or service:type:version",
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
