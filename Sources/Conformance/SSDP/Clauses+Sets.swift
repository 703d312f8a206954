/// The clauses of sets of announcements and their timing.
extension Clause {
  static let setsRows: [Clause] = [
    row(
      .rootThree, "UDA-1.2.2-ROOT3", binds: .device, .must, seen: [.passive, .description], .harms, evidence: [.uda20],
      "a root device has three messages: upnp:rootdevice, its uuid, its type"),
    row(
      .embeddedTwo, "UDA-1.2.2-EMB2", binds: .device, .must, seen: [.passive, .description], .risks, evidence: [.uda20],
      "an embedded device has two messages: its uuid, its type"),
    row(
      .serviceOne, "UDA-1.2.2-SVC1", binds: .device, .must, seen: [.passive, .description], .risks, evidence: [.uda20],
      "each type of service of a device has one message; the set counts 3 + 2d + k"),
    row(
      .servicePerDevice, "UDA-1.2.2-SVC-PERDEV", binds: .device, .must, seen: [.passive, .description], .risks,
      evidence: [.uda20], "a type of service that two devices have is announced for each of them"),
    row(
      .usnForm, "UDA-1.2.2-USN-T1", binds: .device, .must, seen: [.passive], .harms, evidence: [.uda20],
      "USN is the device's uuid, and for all but the uuid itself :: and exactly the NT"),
    row(
      .usnOwner, "UDA-1.2.2-USN-OWNER", binds: .device, .must, seen: [.passive, .description], .risks,
      evidence: [.uda20],
      "messages of an embedded device, and of a service, carry the UUID of the device that owns them"),
    row(
      .usnUDN, "UDA-1.2.2-USN-UDN", binds: .device, .must, seen: [.description], .harms, evidence: [.uda20],
      "the UUID announced is the UDN of the description"),
    row(
      .ntForm, "UDA-1.2.2-NT-ENUM", binds: .device, .must, seen: [.passive], .risks, evidence: [.uda20],
      "NT is upnp:rootdevice, a uuid, or a urn of a device or service type with its version"),
    row(
      .ntDots, "UDA-1.2.2-NT-DOTS", binds: .device, .must, seen: [.passive], .lint, evidence: [.uda20],
      "dots in a vendor's domain are written as hyphens in a urn"),
    row(
      .ntVersion, "UDA-1.2.2-NT-VER", binds: .device, .hardening, seen: [.passive], .risks, evidence: [.memory],
      "the version of a type is a plain integer"),
    row(
      .highestOnly, "UDA-1.2.2-HIGHEST", binds: .device, .must, isProhibition: true, seen: [.passive], .risks,
      evidence: [.uda20], "only the highest version of a type that is supported is announced"),
    row(
      .noPartial, "UDA-1.2.2-NO-PARTIAL", binds: .device, .must, isProhibition: true, seen: [.passive], .risks,
      evidence: [.uda20], "single messages of a set are neither renewed nor revoked alone"),
    row(
      .startJitter, "UDA-1.2.2-JITTER", binds: .device, .should, seen: [.simulation, .probe], .risks,
      evidence: [.uda20], "a short random wait comes before the first set after a start, a new address, a new interface"
    ),
    row(
      .repeatSet, "UDA-1.2.2-REPEAT", binds: .device, .should, seen: [.passive], .risks, evidence: [.uda20],
      "the whole set is sent more than once, a few hundred milliseconds apart, set by set"),
    row(
      .repeatMaximum, "UDA-1.2.2-REPEAT-MAX3", binds: .device, .should, seen: [.passive], .lint, evidence: [.uda20],
      "the set is not sent more than three times"),
    row(
      .renew, "UDA-1.2.2-RENEW", binds: .device, .must, seen: [.passive, .simulation], .breaks, evidence: [.uda20],
      "an announcement is sent again before its max-age runs out"),
    row(
      .renewHalf, "UDA-1.2.2-RENEW-HALF", binds: .device, .should, seen: [.passive], .risks, evidence: [.uda20],
      "renewals come at random, spread times before half of max-age"),
    row(
      .orderFree, "UDA-1.2.2-ORDER-FREE", binds: .controlPoint, .must, seen: [.simulation, .probe], .harms,
      evidence: [.uda20], "whatever order a set arrives in, the control point ends up knowing the same",
      unchecked: .needsProbe("takes the same set in several orders and a look at what the control point knows")),
  ]
}
