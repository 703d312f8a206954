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

  package mutating func hear(_ witness: Witness, _ docket: inout Docket) {
    switch witness.kind {
    case .notifyAlive:
      checkNames(witness, &docket)
      checkHost(witness, &docket)
      checkLease(witness, &docket, isAlive: true)
      checkLocation(witness, &docket)
      checkServer(witness, &docket)
      docket.check(
        .aliveConfigID, witness, witness.has(.configID), expected: "CONFIGID.UPNP.ORG in every alive", found: .absent)
      checkPorts(witness, &docket)
    case .response:
      checkLease(witness, &docket, isAlive: false)
      checkPorts(witness, &docket)
    case .notifyOther:
      checkNames(witness, &docket)
    case .notifyUpdate: checkPorts(witness, &docket)
    case .notifyByebye, .search, nil: break
    }
    if witness.role == .device, witness.kind != nil { checkNumbers(witness, &docket) }
  }

  /// NT, NTS and USN: once each, not empty. A NOTIFY that says no NTS, or an unknown one, is taken for an alive.
  private func checkNames(_ witness: Witness, _ docket: inout Docket) {
    var isHeld = true
    for field in [SSDPField.nt, .nts, .usn] as [SSDPField] {
      guard let value = witness.value(field), !value.isEmpty else {
        isHeld = false
        docket.violated(
          .aliveNames, witness, expected: "NT, NTS and USN once each",
          found: .text(witness.has(field) ? "\(field.name) is empty" : "no \(field.name)"))
        continue
      }
      if witness.message.index.pointee.repeated &>> UInt32(field.rawValue) & 1 != 0 {
        isHeld = false
        docket.violated(
          .aliveNames, witness, expected: "NT, NTS and USN once each", found: .text("\(field.name) more than once"))
      }
    }
    if let type = witness.value(.nts), !type.isEmpty,
      witness.kind == .notifyOther || !Bytes.isExactly(type, "ssdp:alive")
    {
      isHeld = false
      docket.violated(
        .aliveNames, witness, expected: "NTS of ssdp:alive, ssdp:byebye or ssdp:update", found: .bytes(type))
    }
    if isHeld { docket.held(.aliveNames, witness) }
  }

  private func checkHost(_ witness: Witness, _ docket: inout Docket) {
    docket.check(
      .aliveHost, witness, HostValue.isGroup(witness.value(.host)),
      expected: "HOST: 239.255.255.250:1900, or the IPv6 group in brackets with its port",
      found: witness.value(.host).map { .bytes($0) } ?? .absent)
  }

  private func checkLease(_ witness: Witness, _ docket: inout Docket, isAlive: Bool) {
    let value = witness.value(.cacheControl)
    if isAlive {
      docket.check(
        .aliveMaxAge, witness, value.map { MaxAge.isWellFormed($0) } ?? false,
        expected: "CACHE-CONTROL with max-age= and an integer", found: value.map { .bytes($0) } ?? .absent)
    }
    guard let value, !value.isEmpty else { return }
    if witness.message.index.pointee.maxAgeSeconds >= 0 {
      docket.check(
        .aliveMaxAgeFloor, witness, witness.message.index.pointee.maxAgeSeconds >= 1_800,
        expected: "max-age of 1800 seconds or more", found: .bytes(value))
    }
    guard isAlive else { return }
    docket.check(
      .aliveOnlyMaxAge, witness, !value.contains(UInt8(ascii: ",")), expected: "no directive but max-age",
      found: .bytes(value))
  }

  private mutating func checkLocation(_ witness: Witness, _ docket: inout Docket) {
    guard let value = witness.value(.location) else {
      return docket.violated(.aliveLocation, witness, expected: "LOCATION with one absolute URL", found: .absent)
    }
    let isRepeated = witness.message.index.pointee.repeated &>> UInt32(SSDPField.location.rawValue) & 1 != 0
    if isRepeated {
      return docket.violated(
        .aliveLocation, witness, expected: "LOCATION with one absolute URL", found: .text("LOCATION more than once"))
    }
    docket.check(
      .aliveLocation, witness, locations.isWellFormed(value) { LocationValue.isWellFormed($0) },
      expected: "LOCATION with one absolute URL", found: .bytes(value))
  }

  private mutating func checkServer(_ witness: Witness, _ docket: inout Docket) {
    let value = witness.value(.server)
    var isWellFormed = false
    if let value { isWellFormed = servers.isWellFormed(value, witness.claim) }
    docket.check(
      .aliveServer, witness, isWellFormed, expected: ServerValue.expected(witness.claim),
      found: value.map { .bytes($0) } ?? .absent)
  }

  private func checkPorts(_ witness: Witness, _ docket: inout Docket) {
    if let port = witness.value(.searchPort) {
      docket.check(
        .searchPort, witness, (49_152...65_535).contains(witness.message.index.pointee.searchPort),
        expected: "SEARCHPORT in 49152 to 65535", found: .bytes(port))
    }
    if let location = witness.value(.secureLocation) {
      var isSecure = false
      if case .url(let url) = LocationURL.check(location) { isSecure = url.scheme == .https }
      docket.check(
        .secureLocation, witness, isSecure, expected: "SECURELOCATION with an https URL", found: .bytes(location))
    }
  }

  private func checkNumbers(_ witness: Witness, _ docket: inout Docket) {
    if let value = witness.value(.bootID) {
      docket.check(
        .bootIDForm, witness, Bytes.isPlainNumber(value, maximum: 0x7FFF_FFFF),
        expected: "a decimal number of 31 bits without sign and leading zeros", found: .bytes(value))
    }
    if let value = witness.value(.configID) {
      docket.check(
        .configIDRange, witness, Bytes.isPlainNumber(value, maximum: 0xFF_FFFF),
        expected: "a number of 0 to 16777215", found: .bytes(value))
    }
  }
}
