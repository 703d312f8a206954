import RollcallPrimitives
import RollcallWire

/// What IPv6 asks beside all the rest: groups, HOST, LOCATION, the network's signature (1h).
package struct IPv6Checks: CheckFamily {
  package static let judgesMessagesAlone = true
  package static let clauses: [ClauseID] = [.group6, .host6, .location6, .networkSignature]

  package init(_ circumstances: Circumstances) {}

  package mutating func hear(_ witness: Witness, _ docket: inout Docket) {
    guard witness.isV6, let kind = witness.kind else { return }
    if kind != .response, witness.isMulticast {
      let destination = witness.observation.destination
      docket.check(
        .group6, witness, IPv6Checks.isGroup(destination.address) && destination.port == 1_900,
        expected: "multicast to FF02::C, FF05::C or FF0E::C, port 1900", found: .text(destination.description))
      docket.check(
        .host6, witness, witness.value(.host).map { IPv6Checks.isBracketedGroup($0) } ?? false,
        expected: "HOST with the IPv6 group in brackets and port 1900",
        found: witness.value(.host).map { .bytes($0) } ?? .absent)
    }
    guard kind == .notifyAlive || kind == .notifyUpdate || kind == .response else { return }
    checkLocation(witness, &docket)
    guard kind != .notifyUpdate, witness.has(.bootID) else { return }
    docket.check(
      .networkSignature, witness, witness.has(.opt) && witness.has(.nls), expected: "OPT and 01-NLS beside BOOTID",
      found: .text(witness.has(.opt) ? "OPT alone" : witness.has(.nls) ? "01-NLS alone" : "neither"))
  }

  private func checkLocation(_ witness: Witness, _ docket: inout Docket) {
    guard let value = witness.value(.location), case .url(let url) = LocationURL.check(value),
      let address = url.address
    else { return }
    let group = witness.observation.destination.address
    // A link-local host cannot be reached from where the wider groups are heard.
    let isTooNarrow = address.isLinkLocal && group.isMulticast && group.high >> 48 & 0xF > 2
    docket.check(
      .location6, witness, address.family == .v6 && !isTooNarrow,
      expected: "LOCATION with an IPv6 address of a scope that fits the group's", found: .bytes(value))
  }

  private static func isGroup(_ address: IPAddress) -> Bool {
    address.low == 0xC && [0xFF02, 0xFF05, 0xFF0E].contains(address.high >> 48) && address.high << 16 == 0
  }

  private static func isBracketedGroup(_ value: UnsafeRawBufferPointer) -> Bool {
    value.first == UInt8(ascii: "[") && HostValue.isGroup(value)
  }
}
