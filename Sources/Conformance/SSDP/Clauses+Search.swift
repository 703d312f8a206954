/// The clauses of search requests.
extension Clause {
  static let searchRows: [Clause] = [
    row(
      .searchHost, "UDA-1.3.2-HOST-MC", binds: .controlPoint, .must, seen: [.passive], .risks, evidence: [.uda20],
      "a multicast search has HOST with the group and port 1900"),
    row(
      .searchMAN, "UDA-1.3.2-MAN", binds: .controlPoint, .must, seen: [.passive], .harms, evidence: [.uda20],
      "MAN is \"ssdp:discover\", the quotes included"),
    row(
      .searchMX, "UDA-1.3.2-MX-PRESENT", binds: .controlPoint, .must, seen: [.passive], .harms, evidence: [.uda11],
      "a multicast search has MX, an integer of 1 or more"),
    row(
      .searchMXMaximum, "UDA-1.3.2-MX-MAX5", binds: .controlPoint, .should, since: .uda11, seen: [.passive], .lint,
      evidence: [.uda11, .uda10], "MX is at most 5"),
    row(
      .searchTarget, "UDA-1.3.2-ST", binds: .controlPoint, .must, seen: [.passive], .harms, evidence: [.uda11],
      "ST is ssdp:all, upnp:rootdevice, a uuid, or a urn of a device or service type with its version"),
    row(
      .searchFriendlyName, "UDA-1.3.2-CPFN", binds: .controlPoint, .must, since: .uda20, seen: [.passive], .lint,
      evidence: [.uda20], "a search under UDA 2.0 has CPFN.UPNP.ORG"),
    row(
      .searchTCPPort, "UDA-1.3.2-TCPPORT", binds: .controlPoint, .may, since: .uda20, seen: [.passive, .probe], .lint,
      evidence: [.uda20], "TCPPORT.UPNP.ORG, where there is one, lies in 49152 to 65535"),
    row(
      .searchRepeat, "UDA-1.3.2-REPEAT", binds: .controlPoint, .should, seen: [.passive], .risks,
      evidence: [.uda11, .uda10], "a search is sent more than once, spaced in time"),
    row(
      .searchWait, "UDA-1.3.2-WAIT", binds: .controlPoint, .should, seen: [.probe, .simulation], .harms,
      evidence: [.uda20, .uda11], "the control point listens for at least MX seconds after the last copy"),
    row(
      .unicastSearchHost, "UDA-1.3.2-UC-HOST", binds: .controlPoint, .must, since: .uda11, seen: [.passive], .lint,
      evidence: [.uda20], "HOST of a unicast search is the address and port that it is sent to"),
    row(
      .unicastSearchPlain, "UDA-1.3.2-UC-NOMX", binds: .controlPoint, .hardening, seen: [.passive], .lint,
      evidence: [.uda20], "MX, CPFN, CPUUID and TCPPORT have no place in a unicast search"),
  ]
}
