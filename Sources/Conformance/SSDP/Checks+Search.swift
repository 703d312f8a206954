import RollcallWire

/// The fields of a search (1f).
package struct SearchChecks: CheckFamily {
  package static let judgesMessagesAlone = true
  package static let clauses: [ClauseID] = [
    .searchHost, .searchMAN, .searchMX, .searchMXMaximum, .searchTarget, .searchFriendlyName, .searchTCPPort,
    .unicastSearchHost, .unicastSearchPlain,
  ]

  package init(_ circumstances: Circumstances) {}

  package mutating func hear(_ context: MessageContext, _ collector: inout FindingCollector) {
    guard context.kind == .search else { return }
    let isExact = context.holds(.man, "\"ssdp:discover\"")
    collector.check(
      .searchMAN, context, isExact, expected: "MAN: \"ssdp:discover\"",
      found: context.value(.man).map { .bytes($0) } ?? .absent)
    checkTarget(context, &collector)
    if context.isMulticast { checkMulticast(context, &collector) } else { checkUnicast(context, &collector) }
    if let port = context.value(.tcpPort) {
      let isInRange = Bytes.isPlainNumber(port, maximum: 65_535) && port.count == 5 && !isBelow49152(port)
      collector.check(
        .searchTCPPort, context, isInRange, expected: "TCPPORT in 49152 to 65535", found: .bytes(port))
    }
  }

  private func isBelow49152(_ digits: UnsafeRawBufferPointer) -> Bool {
    digits.reduce(0) { $0 * 10 + Int($1 &- 48) } < 49_152
  }

  private func checkTarget(_ context: MessageContext, _ collector: inout FindingCollector) {
    guard let target = context.value(.st), !target.isEmpty else {
      return collector.violated(.searchTarget, context, expected: "ST", found: .absent)
    }
    collector.check(
      .searchTarget, context, SearchTarget.parse(target).form != .opaque,
      expected: "ssdp:all, upnp:rootdevice, a uuid, or urn:domain:device or service:type:version",
      found: .bytes(target))
  }

  private func checkMulticast(_ context: MessageContext, _ collector: inout FindingCollector) {
    collector.check(
      .searchHost, context, HostValue.isGroup(context.value(.host)), expected: "HOST with the group and port 1900",
      found: context.value(.host).map { .bytes($0) } ?? .absent)
    let wait = context.maximumWaitSeconds
    collector.check(
      .searchMX, context, wait >= 1, expected: "MX with an integer of 1 or more",
      found: context.value(.mx).map { .bytes($0) } ?? .absent)
    if wait >= 1 {
      collector.check(.searchMXMaximum, context, wait <= 5, expected: "MX of at most 5", found: .number(wait))
    }
    collector.check(
      .searchFriendlyName, context, context.has(.cpfn), expected: "CPFN.UPNP.ORG in a search under UDA 2.0",
      found: .absent)
  }

  private func checkUnicast(_ context: MessageContext, _ collector: inout FindingCollector) {
    collector.check(
      .unicastSearchHost, context,
      context.value(.host).map { HostValue.names(context.observation.destination, $0) } ?? false,
      expected: "HOST with the address and port that it is sent to",
      found: context.value(.host).map { .bytes($0) } ?? .absent)
    var isHeld = true
    for field in [SSDPField.mx, .cpfn, .cpuuid, .tcpPort] as [SSDPField] where context.has(field) {
      isHeld = false
      collector.violated(
        .unicastSearchPlain, context, expected: "no field of multicast searches in a unicast one",
        found: .text(field.name))
    }
    if isHeld { collector.held(.unicastSearchPlain, context) }
  }
}

extension MessageContext {
  /// MX of a search in seconds; −1 where it is no integer, the greatest 32-bit number where it is a greater one.
  var maximumWaitSeconds: Int64 {
    let read = Int64(message.index.pointee.maximumWaitSeconds)
    guard read < 0, let text = value(.mx), !text.isEmpty, text.allSatisfy(Bytes.isDigit) else { return read }
    return Int64(Int32.max)
  }
}
