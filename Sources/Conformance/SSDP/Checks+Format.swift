import RollcallPrimitives
import RollcallWire

/// The form of a message: start line, lines, blank line, names of fields (1a, 1b).
package struct FormatChecks: CheckFamily {
  package static let judgesMessagesAlone = true
  package static let clauses: [ClauseID] = [
    .group4, .oneDatagram, .generic, .blankLine, .noBody, .startLine, .vendorName, .strayFields,
  ]

  package init(_ circumstances: Circumstances) {}

  package mutating func hear(_ witness: Witness, _ docket: inout Docket) {
    checkDatagram(witness, &docket)
    checkForm(witness, &docket)
    guard let kind = witness.kind else { return }
    checkBody(witness, &docket)
    checkNames(witness, &docket)
    switch kind {
    case .notifyAlive, .notifyByebye, .notifyUpdate, .notifyOther: checkStrays(witness, &docket)
    case .search, .response: break
    }
  }

  // MARK: - The datagram

  private func checkDatagram(_ witness: Witness, _ docket: inout Docket) {
    docket.check(
      .oneDatagram, witness, witness.observation.fragmentCount == 1,
      expected: "a datagram that IP did not have to cut", found: .number(Int64(witness.observation.fragmentCount)))
    let destination = witness.observation.destination
    guard let kind = witness.kind, destination.address.family == .v4 else { return }
    switch kind {
    case .notifyAlive, .notifyByebye, .notifyUpdate, .notifyOther:
      // A NOTIFY is always multicast.
      docket.check(
        .group4, witness, destination.address == .ssdpGroup4 && destination.port == 1_900,
        expected: "NOTIFY to 239.255.255.250:1900", found: .text(destination.description))
    case .search where witness.isMulticast:
      docket.check(
        .group4, witness, destination.address == .ssdpGroup4 && destination.port == 1_900,
        expected: "a multicast search to 239.255.255.250:1900", found: .text(destination.description))
    case .search, .response: break
    }
  }

  // MARK: - Lines

  private func checkForm(_ witness: Witness, _ docket: inout Docket) {
    let faults = witness.faults
    if witness.flaw == nil || faults.isEmpty {
      docket.held(.startLine, witness)
      docket.held(.generic, witness)
      docket.held(.blankLine, witness)
      return
    }
    let bytes = witness.observation.bytes
    docket.check(
      .startLine, witness, !faults.has(.startLine),
      expected: "NOTIFY * HTTP/1.1, M-SEARCH * HTTP/1.1 or HTTP/1.1 200 OK",
      found: .bytes(FormatChecks.line(bytes, at: 0)))
    // What no reader understands says nothing about the rest.
    if witness.kind == nil { return }
    docket.check(
      .blankLine, witness, !faults.has(.noBlankLine), expected: "a blank line behind the last field",
      found: .text("the datagram ends without one"))
    checkGeneric(witness, faults, &docket)
  }

  private func checkGeneric(_ witness: Witness, _ faults: FormFaults, _ docket: inout Docket) {
    let bytes = witness.observation.bytes
    var isHeld = true
    func broken(_ fault: FormFaults.Fault, _ expected: StaticString) {
      guard faults.has(fault) else { return }
      isHeld = false
      docket.violated(
        .generic, witness, expected: expected, found: .bytes(FormatChecks.line(bytes, at: faults.offset(of: fault))))
    }
    broken(.lineEnd, "every line ends with CR LF")
    broken(.controlByte, "no control byte in a field value")
    broken(.noColon, "a colon in each field line")
    broken(.emptyName, "a name before each colon")
    broken(.nameBytes, "field names of token bytes only")
    if isHeld { docket.held(.generic, witness) }
  }

  /// The line around a place, its end included so that it can be seen.
  private static func line(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UnsafeRawBufferPointer {
    var start = min(max(0, offset), bytes.count)
    while start > 0, bytes[start - 1] != 10 { start -= 1 }
    var end = min(max(0, offset), bytes.count)
    while end < bytes.count, bytes[end] != 10 { end += 1 }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<min(bytes.count, end + 1)])
  }

  // MARK: - Body

  private func checkBody(_ witness: Witness, _ docket: inout Docket) {
    let bytes = witness.observation.bytes
    if witness.faults.has(.bytesAfterBlankLine) {
      let rest = bytes[witness.faults.offset(of: .bytesAfterBlankLine)...]
      docket.violated(
        .noBody, witness, expected: "nothing behind the blank line",
        found: .bytes(UnsafeRawBufferPointer(rebasing: rest)))
      return
    }
    // An announced length of 0 is no body.
    guard let length = witness.value(.contentLength) else { return docket.held(.noBody, witness) }
    docket.check(
      .noBody, witness, Bytes.isExactly(length, "0"), expected: "no body, and no length of one",
      found: .bytes(length))
  }

  // MARK: - Names of fields

  private func checkNames(_ witness: Witness, _ docket: inout Docket) {
    guard docket.binds(.vendorName, witness.claim) else { return }
    var isHeld = true
    let index = witness.message.index
    for position in 0..<Int(index.pointee.fieldCount) {
      let packed = index.pointee.fields[position]
      guard SSDPIndex.field(packed) == .other else { continue }
      let name = UnsafeRawBufferPointer(rebasing: witness.message.bytes[SSDPIndex.nameRange(packed)])
      if FormatChecks.isVendorName(name) || StandardNames.contains(name) { continue }
      isHeld = false
      docket.violated(
        .vendorName, witness, expected: "a vendor's field named by token.vendor-domain", found: .bytes(name))
    }
    if isHeld { docket.held(.vendorName, witness) }
  }

  /// `token.domain`: something before the first dot, and a domain name behind it.
  private static func isVendorName(_ name: UnsafeRawBufferPointer) -> Bool {
    guard let dot = name.firstIndex(of: UInt8(ascii: ".")), dot > 0, dot + 1 < name.count else { return false }
    var before = UInt8(ascii: ".")
    for byte in name[(dot + 1)...] {
      let isLetter = Bytes.lower(byte) &- 97 < 26
      guard isLetter || Bytes.isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") else {
        return false
      }
      if byte == UInt8(ascii: "."), before == UInt8(ascii: ".") { return false }
      before = byte
    }
    return before != UInt8(ascii: ".")
  }

  private func checkStrays(_ witness: Witness, _ docket: inout Docket) {
    var isHeld = true
    for field in [SSDPField.man, .mx, .st, .ext, .date] as [SSDPField] where witness.has(field) {
      isHeld = false
      docket.violated(
        .strayFields, witness, expected: "no field of searches and answers in a NOTIFY", found: .text(field.name))
    }
    if isHeld { docket.held(.strayFields, witness) }
  }
}

/// Field names of HTTP, which are no vendor's.
enum StandardNames {
  private static let names: [StaticString] = [
    "accept", "accept-charset", "accept-encoding", "accept-language", "accept-ranges", "age", "al", "allow",
    "authorization", "connection", "content-encoding", "content-language", "content-location", "content-md5",
    "content-range", "content-type", "etag", "expect", "expires", "from", "if-match", "if-modified-since",
    "if-none-match", "if-range", "if-unmodified-since", "last-modified", "max-forwards", "pragma",
    "proxy-authenticate", "proxy-authorization", "range", "referer", "retry-after", "te", "trailer",
    "transfer-encoding", "upgrade", "vary", "via", "warning", "www-authenticate", "mime-version", "keep-alive",
  ]

  static func contains(_ name: UnsafeRawBufferPointer) -> Bool {
    names.contains { Bytes.isEqual(name, ignoringCase: $0) } || isSecondNamespace(name)
  }

  /// `02-NLS`: a field of the namespace that OPT declares.
  private static func isSecondNamespace(_ name: UnsafeRawBufferPointer) -> Bool {
    name.count > 3 && Bytes.isDigit(name[0]) && Bytes.isDigit(name[1]) && name[2] == UInt8(ascii: "-")
  }
}
