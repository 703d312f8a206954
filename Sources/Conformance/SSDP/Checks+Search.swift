import RollcallWire

/// The fields of a search (1f).
package struct SearchChecks: CheckFamily {
  package static let judgesMessagesAlone = true
  package static let clauses: [ClauseID] = [
    .searchHost, .searchMAN, .searchMX, .searchMXMaximum, .searchTarget, .searchFriendlyName, .searchTCPPort,
    .unicastSearchHost, .unicastSearchPlain,
  ]

  package init(_ circumstances: Circumstances) {}

  package mutating func hear(_ witness: Witness, _ docket: inout Docket) {
    guard witness.kind == .search else { return }
    let isExact = witness.holds(.man, "\"ssdp:discover\"")
    docket.check(
      .searchMAN, witness, isExact, expected: "MAN: \"ssdp:discover\"",
      found: witness.value(.man).map { .bytes($0) } ?? .absent)
    checkTarget(witness, &docket)
    if witness.isMulticast { checkMulticast(witness, &docket) } else { checkUnicast(witness, &docket) }
    if let port = witness.value(.tcpPort) {
      let isInRange = Bytes.isPlainNumber(port, maximum: 65_535) && port.count == 5 && !isBelow49152(port)
      docket.check(
        .searchTCPPort, witness, isInRange, expected: "TCPPORT in 49152 to 65535", found: .bytes(port))
    }
  }

  private func isBelow49152(_ digits: UnsafeRawBufferPointer) -> Bool {
    digits.reduce(0) { $0 * 10 + Int($1 &- 48) } < 49_152
  }

  private func checkTarget(_ witness: Witness, _ docket: inout Docket) {
    guard let target = witness.value(.st), !target.isEmpty else {
      return docket.violated(.searchTarget, witness, expected: "ST", found: .absent)
    }
    docket.check(
      .searchTarget, witness, SearchTarget.parse(target).form != .opaque,
      expected: "ssdp:all, upnp:rootdevice, a uuid, or urn:domain:device or service:type:version",
      found: .bytes(target))
  }

  private func checkMulticast(_ witness: Witness, _ docket: inout Docket) {
    docket.check(
      .searchHost, witness, HostValue.isGroup(witness.value(.host)), expected: "HOST with the group and port 1900",
      found: witness.value(.host).map { .bytes($0) } ?? .absent)
    let wait = witness.maximumWaitSeconds
    docket.check(
      .searchMX, witness, wait >= 1, expected: "MX with an integer of 1 or more",
      found: witness.value(.mx).map { .bytes($0) } ?? .absent)
    if wait >= 1 {
      docket.check(.searchMXMaximum, witness, wait <= 5, expected: "MX of at most 5", found: .number(wait))
    }
    docket.check(
      .searchFriendlyName, witness, witness.has(.cpfn), expected: "CPFN.UPNP.ORG in a search under UDA 2.0",
      found: .absent)
  }

  private func checkUnicast(_ witness: Witness, _ docket: inout Docket) {
    docket.check(
      .unicastSearchHost, witness,
      witness.value(.host).map { HostValue.names(witness.observation.destination, $0) } ?? false,
      expected: "HOST with the address and port that it is sent to",
      found: witness.value(.host).map { .bytes($0) } ?? .absent)
    var isHeld = true
    for field in [SSDPField.mx, .cpfn, .cpuuid, .tcpPort] as [SSDPField] where witness.has(field) {
      isHeld = false
      docket.violated(
        .unicastSearchPlain, witness, expected: "no field of multicast searches in a unicast one",
        found: .text(field.name))
    }
    if isHeld { docket.held(.unicastSearchPlain, witness) }
  }
}

extension Witness {
  /// MX of a search in seconds; −1 where it is no integer, the greatest 32-bit number where it is a greater one.
  var maximumWaitSeconds: Int64 {
    let read = Int64(message.index.pointee.maximumWaitSeconds)
    guard read < 0, let text = value(.mx), !text.isEmpty, text.allSatisfy(Bytes.isDigit) else { return read }
    return Int64(Int32.max)
  }
}
