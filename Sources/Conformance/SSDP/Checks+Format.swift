import RollcallPrimitives
import RollcallWire

/// The form of a message: start line, lines, blank line, names of fields (1a, 1b).
package struct FormatChecks: CheckFamily {
  package static let judgesMessagesAlone = true
  package static let clauses: [ClauseID] = [
    .group4, .oneDatagram, .generic, .blankLine, .noBody, .startLine, .vendorName, .strayFields,
  ]

  package init(_ circumstances: Circumstances) {}

  package mutating func hear(_ context: MessageContext, _ collector: inout FindingCollector) {
    checkDatagram(context, &collector)
    checkForm(context, &collector)
    guard let kind = context.kind else { return }
    checkBody(context, &collector)
    checkNames(context, &collector)
    switch kind {
    case .notifyAlive, .notifyByebye, .notifyUpdate, .notifyOther: checkStrays(context, &collector)
    case .search, .response: break
    }
  }

  // MARK: - The datagram

  private func checkDatagram(_ context: MessageContext, _ collector: inout FindingCollector) {
    collector.check(
      .oneDatagram, context, context.observation.fragmentCount == 1,
      expected: "a datagram that IP did not have to cut", found: .number(Int64(context.observation.fragmentCount)))
    let destination = context.observation.destination
    guard let kind = context.kind, destination.address.family == .v4 else { return }
    switch kind {
    case .notifyAlive, .notifyByebye, .notifyUpdate, .notifyOther:
      // A NOTIFY is always multicast.
      collector.check(
        .group4, context, destination.address == .ssdpGroup4 && destination.port == 1_900,
        expected: "NOTIFY to 239.255.255.250:1900", found: .text(place(destination)))
    case .search where context.isMulticast:
      collector.check(
        .group4, context, destination.address == .ssdpGroup4 && destination.port == 1_900,
        expected: "a multicast search to 239.255.255.250:1900", found: .text(destination.description))
    case .search, .response: break
    }
  }

  /// To a host a NOTIFY goes at whatever port its searches have, which is one finding; port 1900 is told.
  private func place(_ destination: Endpoint) -> String {
    let isTold = destination.address.isMulticast || destination.port == 1_900
    return isTold ? destination.description : destination.address.description
  }

  // MARK: - Lines

  private func checkForm(_ context: MessageContext, _ collector: inout FindingCollector) {
    let faults = context.faults
    if faults.isEmpty {
      collector.held(.startLine, context)
      collector.held(.generic, context)
      collector.held(.blankLine, context)
      return
    }
    let bytes = context.observation.bytes
    collector.check(
      .startLine, context, !faults.has(.startLine),
      expected: "NOTIFY * HTTP/1.1, M-SEARCH * HTTP/1.1 or HTTP/1.1 200 OK",
      found: .bytes(FormatChecks.line(bytes, at: faults.offset(of: .startLine))))
    // What no reader understands says nothing about the rest.
    if context.kind == nil { return }
    collector.check(
      .blankLine, context, !faults.has(.noBlankLine), expected: "a blank line behind the last field",
      found: .text("the datagram ends without one"))
    checkGeneric(context, faults, &collector)
  }

  private func checkGeneric(_ context: MessageContext, _ faults: FormFaults, _ collector: inout FindingCollector) {
    let bytes = context.observation.bytes
    var isHeld = true
    func broken(_ fault: FormFaults.Fault, _ expected: StaticString) {
      guard faults.has(fault) else { return }
      isHeld = false
      collector.violated(
        .generic, context, expected: expected, found: .bytes(FormatChecks.line(bytes, at: faults.offset(of: fault))))
    }
    broken(.lineEnd, "every line ends with CR LF")
    broken(.controlByte, "no control byte in a field value")
    broken(.noColon, "a colon in each field line")
    broken(.emptyName, "a name before each colon")
    broken(.nameBytes, "field names of token bytes only")
    if isHeld { collector.held(.generic, context) }
  }

  /// The line around the place of a fault, its end included so that it can be seen.
  private static func line(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UnsafeRawBufferPointer {
    var start = offset
    while start > 0, bytes[start - 1] != 10 { start -= 1 }
    var end = offset
    while end < bytes.count, bytes[end] != 10 { end += 1 }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<min(bytes.count, end + 1)])
  }

  // MARK: - Body

  private func checkBody(_ context: MessageContext, _ collector: inout FindingCollector) {
    let bytes = context.observation.bytes
    if context.faults.has(.bytesAfterBlankLine) {
      let rest = bytes[context.faults.offset(of: .bytesAfterBlankLine)...]
      collector.violated(
        .noBody, context, expected: "nothing behind the blank line",
        found: .bytes(UnsafeRawBufferPointer(rebasing: rest)))
      return
    }
    // An announced length of 0 is no body.
    guard let length = context.value(.contentLength) else { return collector.held(.noBody, context) }
    collector.check(
      .noBody, context, Bytes.isExactly(length, "0"), expected: "no body, and no length of one",
      found: .bytes(length))
  }

  // MARK: - Names of fields

  private func checkNames(_ context: MessageContext, _ collector: inout FindingCollector) {
    guard collector.binds(.vendorName, context.claim) else { return }
    var isHeld = true
    let index = context.message.index
    for position in 0..<Int(index.pointee.fieldCount) {
      let packed = index.field(at: position)
      guard SSDPIndex.field(packed) == .other else { continue }
      let name = UnsafeRawBufferPointer(rebasing: context.message.bytes[SSDPIndex.nameRange(packed)])
      if FormatChecks.isVendorName(name) || StandardNames.contains(name) { continue }
      isHeld = false
      collector.violated(
        .vendorName, context, expected: "a vendor's field named by token.vendor-domain", found: .bytes(name))
    }
    if isHeld { collector.held(.vendorName, context) }
  }

  /// `token.domain`: something before the first dot, and a domain name behind it.
  private static func isVendorName(_ name: UnsafeRawBufferPointer) -> Bool {
    guard let dot = name.firstIndex(of: UInt8(ascii: ".")), dot > 0 else { return false }
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

  private func checkStrays(_ context: MessageContext, _ collector: inout FindingCollector) {
    var isHeld = true
    for field in [SSDPField.man, .mx, .st, .ext, .date] as [SSDPField] where context.has(field) {
      isHeld = false
      collector.violated(
        .strayFields, context, expected: "no field of searches and answers in a NOTIFY", found: .text(field.name))
    }
    if isHeld { collector.held(.strayFields, context) }
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
