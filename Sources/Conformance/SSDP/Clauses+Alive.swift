/// The clauses of fields of ssdp:alive.
extension Clause {
  static let aliveRows: [Clause] = [
    row(
      .aliveHost, "UDA-1.2.2-A-HOST", binds: .device, .must, seen: [.passive], .risks, evidence: [.uda20],
      "alive has HOST with the group and port 1900"),
    row(
      .hostWithoutPort, "UDA-1.2.2-A-HOST-NOPORT", binds: .controlPoint, .must, seen: [.probe], .risks,
      evidence: [.uda20], "HOST without a port is read as port 1900",
      unchecked: .needsProbe("takes such a message of our own and an eye on the receiver")),
    row(
      .aliveMaxAge, "UDA-1.2.2-A-CC", binds: .device, .must, seen: [.passive], .harms, evidence: [.uda20],
      "alive has CACHE-CONTROL with max-age= and an integer"),
    row(
      .aliveMaxAgeFloor, "UDA-1.2.2-A-CC-1800", binds: .device, .should, seen: [.passive], .lint, evidence: [.uda20],
      "max-age is at least 1800 seconds, and the same for the whole set"),
    row(
      .aliveOnlyMaxAge, "UDA-1.2.2-A-CC-ONLY", binds: .device, .must, isProhibition: true, seen: [.passive, .probe],
      .risks, evidence: [.uda20], "CACHE-CONTROL holds max-age and no other directive; receivers look past others"),
    row(
      .aliveLocation, "UDA-1.2.2-A-LOC", binds: .device, .must, seen: [.passive], .breaks, evidence: [.uda20],
      "LOCATION is one absolute URL"),
    row(
      .aliveNames, "UDA-1.2.2-A-NT/NTS/USN", binds: .device, .must, seen: [.passive], .breaks, evidence: [.uda20],
      "NT, NTS and USN are there, once each, and NTS is one of the three"),
    row(
      .aliveServer, "UDA-1.2.2-A-SERVER", binds: .device, .must, seen: [.passive], .lint, evidence: [.uda20],
      "SERVER names operating system, UPnP version and product, each with its version"),
    row(
      .serverMinor, "UDA-1.2.2-A-SERVER-MINOR", binds: .controlPoint, .must, seen: [.probe], .risks, evidence: [.uda11],
      "a device of a higher minor version of UPnP is accepted",
      unchecked: .needsProbe("takes such a device and an eye on the control point")),
    row(
      .aliveBootID, "UDA-1.2.2-A-BOOTID", binds: .device, .must, since: .uda11, seen: [.passive], .risks,
      evidence: [.uda20], "alive has BOOTID.UPNP.ORG"),
    row(
      .aliveConfigID, "UDA-1.2.2-A-CONFIGID", binds: .device, .must, since: .uda11, seen: [.passive], .lint,
      evidence: [.uda20], "alive has CONFIGID.UPNP.ORG"),
    row(
      .searchPort, "UDA-1.2.2-A-SEARCHPORT", binds: .device, .may, since: .uda11, seen: [.passive, .probe], .risks,
      evidence: [.uda20], "SEARCHPORT.UPNP.ORG, where there is one, lies in 49152 to 65535"),
    row(
      .secureLocation, "UDA-1.2.2-A-SECLOC", binds: .device, .may, since: .uda20, seen: [.passive, .description],
      .risks, evidence: [.uda20], "SECURELOCATION.UPNP.ORG, where there is one, is an https URL"),
    row(
      .strayFields, "H-A-STRAY", binds: .device, .hardening, seen: [.passive], .lint, evidence: [.ours],
      "MAN, MX, ST, EXT and DATE have no place in a NOTIFY"),
  ]
}
