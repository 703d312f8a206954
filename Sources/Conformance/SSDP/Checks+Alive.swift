import RollcallWire

/// The fields of ssdp:alive (1d, 1e). What answers must have stands in `ResponseChecks`; of clauses that are no must,
/// answers share the rows.
package struct AliveChecks: CheckFamily {
  package static let judgesMessagesAlone = true
  package static let clauses: [ClauseID] = [
    .aliveHost, .aliveMaxAge, .aliveMaxAgeFloor, .aliveOnlyMaxAge, .aliveLocation, .aliveNames, .aliveServer,
    .aliveConfigID, .searchPort, .secureLocation, .bootIDForm, .configIDRange,
  ]

  // Devices write the same value into every message.
  private var locations = FormMemo()
  private var servers = ServerMemo()

  package init(_ circumstances: Circumstances) {}

  package mutating func hear(_ context: MessageContext, _ collector: inout FindingCollector) {
    switch context.kind {
    case .notifyAlive:
      checkNames(context, &collector)
      checkHost(context, &collector)
      checkLease(context, &collector, isAlive: true)
      checkLocation(context, &collector)
      checkServer(context, &collector)
      collector.check(
        .aliveConfigID, context, context.has(.configID), expected: "CONFIGID.UPNP.ORG in every alive", found: .absent)
      checkPorts(context, &collector)
    case .response:
      checkLease(context, &collector, isAlive: false)
      checkPorts(context, &collector)
    case .notifyOther:
      checkNames(context, &collector)
    case .notifyUpdate: checkPorts(context, &collector)
    case .notifyByebye, .search, nil: break
    }
    if context.role == .device, context.kind != nil { checkNumbers(context, &collector) }
  }

  /// NT, NTS and USN: once each, not empty. A NOTIFY that says no NTS, or an unknown one, is taken for an alive.
  private func checkNames(_ context: MessageContext, _ collector: inout FindingCollector) {
    var isHeld = true
    for field in [SSDPField.nt, .nts, .usn] as [SSDPField] {
      guard let value = context.value(field), !value.isEmpty else {
        isHeld = false
        collector.violated(
          .aliveNames, context, expected: "NT, NTS and USN once each",
          found: .text(context.has(field) ? "\(field.name) is empty" : "no \(field.name)"))
        continue
      }
      if context.message.index.pointee.repeated &>> UInt32(field.rawValue) & 1 != 0 {
        isHeld = false
        collector.violated(
          .aliveNames, context, expected: "NT, NTS and USN once each", found: .text("\(field.name) more than once"))
      }
    }
    if let type = context.value(.nts), !type.isEmpty,
      context.kind == .notifyOther || !Bytes.isExactly(type, "ssdp:alive")
    {
      isHeld = false
      collector.violated(
        .aliveNames, context, expected: "NTS of ssdp:alive, ssdp:byebye or ssdp:update", found: .bytes(type))
    }
    if isHeld { collector.held(.aliveNames, context) }
  }

  private func checkHost(_ context: MessageContext, _ collector: inout FindingCollector) {
    collector.check(
      .aliveHost, context, HostValue.isGroup(context.value(.host)),
      expected: "HOST: 239.255.255.250:1900, or the IPv6 group in brackets with its port",
      found: context.value(.host).map { .bytes($0) } ?? .absent)
  }

  private func checkLease(_ context: MessageContext, _ collector: inout FindingCollector, isAlive: Bool) {
    let value = context.value(.cacheControl)
    if isAlive {
      collector.check(
        .aliveMaxAge, context, value.map { MaxAge.isWellFormed($0) } ?? false,
        expected: "CACHE-CONTROL with max-age= and an integer", found: value.map { .bytes($0) } ?? .absent)
    }
    guard let value, !value.isEmpty else { return }
    if context.message.index.pointee.maxAgeSeconds >= 0 {
      collector.check(
        .aliveMaxAgeFloor, context, context.message.index.pointee.maxAgeSeconds >= 1_800,
        expected: "max-age of 1800 seconds or more", found: .bytes(value))
    }
    guard isAlive else { return }
    collector.check(
      .aliveOnlyMaxAge, context, !value.contains(UInt8(ascii: ",")), expected: "no directive but max-age",
      found: .bytes(value))
  }

  private mutating func checkLocation(_ context: MessageContext, _ collector: inout FindingCollector) {
    guard let value = context.value(.location) else {
      return collector.violated(.aliveLocation, context, expected: "LOCATION with one absolute URL", found: .absent)
    }
    let isRepeated = context.message.index.pointee.repeated &>> UInt32(SSDPField.location.rawValue) & 1 != 0
    if isRepeated {
      return collector.violated(
        .aliveLocation, context, expected: "LOCATION with one absolute URL", found: .text("LOCATION more than once"))
    }
    collector.check(
      .aliveLocation, context, locations.isWellFormed(value) { LocationValue.isWellFormed($0) },
      expected: "LOCATION with one absolute URL", found: .bytes(value))
  }

  private mutating func checkServer(_ context: MessageContext, _ collector: inout FindingCollector) {
    let value = context.value(.server)
    var isWellFormed = false
    if let value { isWellFormed = servers.isWellFormed(value, context.claim) }
    collector.check(
      .aliveServer, context, isWellFormed, expected: ServerValue.expected(context.claim),
      found: value.map { .bytes($0) } ?? .absent)
  }

  private func checkPorts(_ context: MessageContext, _ collector: inout FindingCollector) {
    if let port = context.value(.searchPort) {
      collector.check(
        .searchPort, context, (49_152...65_535).contains(context.message.index.pointee.searchPort),
        expected: "SEARCHPORT in 49152 to 65535", found: .bytes(port))
    }
    if let location = context.value(.secureLocation) {
      var isSecure = false
      if case .url(let url) = LocationURL.check(location) { isSecure = url.scheme == .https }
      collector.check(
        .secureLocation, context, isSecure, expected: "SECURELOCATION with an https URL", found: .bytes(location))
    }
  }

  private func checkNumbers(_ context: MessageContext, _ collector: inout FindingCollector) {
    if let value = context.value(.bootID) {
      collector.check(
        .bootIDForm, context, Bytes.isPlainNumber(value, maximum: 0x7FFF_FFFF),
        expected: "a decimal number of 31 bits without sign and leading zeros", found: .bytes(value))
    }
    if let value = context.value(.configID) {
      collector.check(
        .configIDRange, context, Bytes.isPlainNumber(value, maximum: 0xFF_FFFF),
        expected: "a number of 0 to 16777215", found: .bytes(value))
    }
  }
}
