/// The clauses of transport, addressing, interfaces.
extension Clause {
  static let transportRows: [Clause] = [
    row(
      .group4, "UDA-1.2-GROUP4", binds: .either, .must, seen: [.passive], .breaks, evidence: [.uda20],
      "multicast over IPv4 goes to 239.255.255.250, UDP port 1900"),
    row(
      .listenMulticast, "UDA-1-LISTEN-MC", binds: .device, .must, seen: [.probe], .breaks, evidence: [.uda20],
      "hears group searches on every interface with UPnP and answers those that match",
      unchecked: .needsProbe("silence in a capture may be loss or no match; only a search of our own, repeated, tells")),
    row(
      .listenUnicast, "UDA-1-LISTEN-UC", binds: .device, .must, since: .uda11, seen: [.probe], .harms,
      evidence: [.uda20], "hears unicast searches on port 1900 or on the SEARCHPORT that it announced",
      unchecked: .needsProbe("takes a unicast search of our own; a captured one without an answer may have been lost")),
    row(
      .ttlDefault, "UDA-1-TTL-DEFAULT", binds: .either, .should, seen: [.passive], .risks, evidence: [.uda20, .uda10],
      "multicast leaves with TTL 2 (UDA 1.0: 4) unless the administrator chose another"),
    row(
      .ttlEscape, "H-TTL-ESCAPE", binds: .either, .hardening, seen: [.passive], .lint, evidence: [.ours],
      "multicast with TTL above 4, or a search with 64 or 255, leaks beyond the site"),
    row(
      .igmp, "UDA-1-IGMP", binds: .either, .must, seen: [.passive], .risks, evidence: [.uda20],
      "a host that listens to the group has joined it with an IGMP report",
      unchecked: .needsProbe(
        "a report may be older than the capture, and switches keep reports to themselves; takes a query of our own")),
    row(
      .oneDatagram, "UDA-1.2.2-ONE-DGRAM", binds: .either, .must, seen: [.passive], .risks, evidence: [.uda20],
      "each message fits one UDP datagram that IP did not have to cut"),
    row(
      .noAnswer, "UDA-1.2.2-NO-ANSWER", binds: .controlPoint, .must, seen: [.passive], .risks, evidence: [.uda20],
      "nothing is sent in reply to a NOTIFY"),
    row(
      .addressChangeRevoke, "UDA-1-IPCHANGE-REVOKE", binds: .device, .should, seen: [.simulation, .passive], .risks,
      evidence: [.uda20], "on a change of address the announcements of the old one are revoked"),
    row(
      .addressChangeAnnounce, "UDA-1-IPCHANGE-ANNOUNCE", binds: .device, .must, seen: [.simulation, .passive], .harms,
      evidence: [.uda20], "on a change of address the full set is announced from the new one"),
    row(
      .allInterfaces, "UDA-1-MH-ALL-IF", binds: .device, .must, seen: [.probe], .harms, evidence: [.uda20],
      "a multi-homed device announces on all its interfaces with UPnP",
      unchecked: .needsProbe(
        "which interfaces have UPnP is known to the device alone; takes a session on each of its networks")),
    row(
      .noCrossByebye, "UDA-1-MH-NO-CROSS-BYEBYE", binds: .device, .must, isProhibition: true, seen: [.simulation],
      .harms, evidence: [.uda20], "losing one interface sends no byebye on the others"),
    row(
      .sameFields, "UDA-1-MH-SAMEFIELDS", binds: .device, .must, seen: [.passive, .simulation], .risks,
      evidence: [.uda20],
      "across interfaces an alive differs at most in HOST, CACHE-CONTROL and LOCATION, a byebye in HOST, an update in HOST and LOCATION"
    ),
    row(
      .locationReach, "UDA-1-MH-LOC-REACH", binds: .device, .must, seen: [.passive, .probe], .harms, evidence: [.uda20],
      "LOCATION can be reached from the interface that carries the message"),
    row(
      .autoIP, "UDA-0-AUTOIP", binds: .device, .hardening, seen: [.simulation], .risks, evidence: [.memory],
      "without DHCP takes a probed address of 169.254/16 and goes on asking for DHCP",
      unchecked: .untestable("addressing lies below discovery, DHCP and ARP are not read here")),
  ]
}
