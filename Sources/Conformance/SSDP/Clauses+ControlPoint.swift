/// The clauses of duties of control points, IPv6, hardening.
extension Clause {
  static let controlPointRows: [Clause] = [
    row(
      .expire, "UDA-1.2.2-CP-EXPIRE", binds: .controlPoint, .should, seen: [.probe, .simulation], .breaks,
      evidence: [.uda20], "a device that is silent beyond max-age is gone"),
    row(
      .anyAlive, "UDA-1.2.2-CP-ANYALIVE", binds: .controlPoint, .may, seen: [.probe, .simulation], .harms,
      evidence: [.uda20], "one message that is still valid keeps the device with all its parts"),
    row(
      .anyByebye, "UDA-1.2.3-CP-BYEBYE-ANY", binds: .controlPoint, .may, seen: [.probe, .simulation], .harms,
      evidence: [.uda20], "one byebye of any part may end the whole device: a policy to declare",
      unchecked: .needsProbe("takes a byebye of a part and a look at what the control point reports")),
    row(
      .higherVersion, "UDA-1.2.2-CP-VERSION", binds: .controlPoint, .must, seen: [.probe], .harms, evidence: [.uda20],
      "a device of a higher version of the wanted type is recognised and used",
      unchecked: .needsProbe("takes such a device and an eye on the control point")),
    row(
      .toSearchPort, "UDA-1.2.2-CP-SEARCHPORT", binds: .controlPoint, .must, since: .uda11, seen: [.probe], .risks,
      evidence: [.uda20], "unicast searches go to the SEARCHPORT that was announced"),
    row(
      .unsolicited, "H-CP-UNSOLICITED", binds: .controlPoint, .hardening, seen: [.probe, .simulation], .risks,
      evidence: [.ours], "an answer without a search, or with an ST nobody asked for, makes no device"),
    row(
      .screensLocation, "H-CP-SSRF", binds: .controlPoint, .hardening, seen: [.probe], .breaks, evidence: [.ours],
      "LOCATION is followed only to the sender or its subnet",
      unchecked: .needsProbe("takes such LOCATIONs and an eye on what is fetched")),
    row(
      .boundedFetch, "H-CP-FETCH", binds: .controlPoint, .hardening, seen: [.probe, .simulation], .breaks,
      evidence: [.ours], "fetches of descriptions are bounded in number, size, time, redirects and depth",
      unchecked: .needsProbe("takes hostile descriptions and an eye on the control point")),
    row(
      .boundedCache, "H-CP-CACHE", binds: .controlPoint, .hardening, seen: [.simulation], .breaks, evidence: [.ours],
      "what is remembered is bounded, and held devices are never dropped"),
    row(
      .oddMaxAge, "H-CP-MAXAGE", binds: .controlPoint, .hardening, seen: [.probe], .harms, evidence: [.ours],
      "max-age of 0, below 0, or beyond all measure has a declared meaning",
      unchecked: .needsProbe("takes such messages and a look at what the control point reports")),
    row(
      .group6, "UDA-A-GROUP6", binds: .either, .must, since: .uda11, seen: [.passive], .risks, evidence: [.uda11],
      "multicast over IPv6 goes to FF02::C, or to FF05::C or FF0E::C beyond the link, port 1900"),
    row(
      .host6, "UDA-A-HOST6", binds: .either, .must, since: .uda11, seen: [.passive], .lint, evidence: [.uda11],
      "HOST over IPv6 is the group in brackets, with port 1900"),
    row(
      .location6, "UDA-A-LOC6", binds: .device, .must, since: .uda11, seen: [.passive], .harms, evidence: [.uda20],
      "LOCATION over IPv6 is an IPv6 address whose scope fits the group's"),
    row(
      .networkSignature, "UDA-A-NLS", binds: .device, .should, since: .uda11, until: .uda11, seen: [.passive], .lint,
      evidence: [.uda11], "OPT and 01-NLS go with BOOTID over IPv6"),
    row(
      .dualStack, "H-DUAL-STACK", binds: .controlPoint, .hardening, seen: [.probe, .simulation], .harms,
      evidence: [.ours], "one UUID over IPv4 and IPv6 is one device, and stays when one of them goes"),
  ]
}
