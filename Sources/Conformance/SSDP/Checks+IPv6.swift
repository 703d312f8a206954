import RollcallPrimitives
import RollcallWire

/// What IPv6 asks beside all the rest: groups, HOST, LOCATION, the network's signature (1h).
package struct IPv6Checks: CheckFamily {
  package static let judgesMessagesAlone = true
  package static let clauses: [ClauseID] = [.group6, .host6, .location6, .networkSignature]

  package init(_ circumstances: Circumstances) {}

  package mutating func hear(_ context: MessageContext, _ collector: inout FindingCollector) {
    guard context.isV6, let kind = context.kind else { return }
    if kind != .response, context.isMulticast {
      let destination = context.observation.destination
      collector.check(
        .group6, context, IPv6Checks.isGroup(destination.address) && destination.port == 1_900,
        expected: "multicast to FF02::C, FF05::C or FF0E::C, port 1900", found: .text(destination.description))
      collector.check(
        .host6, context, context.value(.host).map { IPv6Checks.isBracketedGroup($0) } ?? false,
        expected: "HOST with the IPv6 group in brackets and port 1900",
        found: context.value(.host).map { .bytes($0) } ?? .absent)
    }
    guard kind == .notifyAlive || kind == .notifyUpdate || kind == .response else { return }
    checkLocation(context, &collector)
    guard kind != .notifyUpdate, context.has(.bootID) else { return }
    collector.check(
      .networkSignature, context, context.has(.opt) && context.has(.nls), expected: "OPT and 01-NLS beside BOOTID",
      found: .text(context.has(.opt) ? "OPT alone" : context.has(.nls) ? "01-NLS alone" : "neither"))
  }

  private func checkLocation(_ context: MessageContext, _ collector: inout FindingCollector) {
    guard let value = context.value(.location), case .url(let url) = LocationURL.check(value),
      let address = url.address
    else { return }
    let group = context.observation.destination.address
    // A link-local host cannot be reached from where the wider groups are heard.
    let isTooNarrow = address.isLinkLocal && group.isMulticast && group.high >> 48 & 0xF > 2
    collector.check(
      .location6, context, address.family == .v6 && !isTooNarrow,
      expected: "LOCATION with an IPv6 address of a scope that fits the group's", found: .bytes(value))
  }

  private static func isGroup(_ address: IPAddress) -> Bool {
    address.low == 0xC && [0xFF02, 0xFF05, 0xFF0E].contains(address.high >> 48) && address.high << 16 == 0
  }

  private static func isBracketedGroup(_ value: UnsafeRawBufferPointer) -> Bool {
    value.first == UInt8(ascii: "[") && HostValue.isGroup(value)
  }
}
