/// The clauses of what a description says of addresses.
extension Clause {
  static let descriptionRows: [Clause] = [
    row(
      .noURLBase, "UDA-2.3-URLBASE", binds: .device, .must, isProhibition: true, since: .uda11, seen: [.description],
      .risks, evidence: [.uda20], "a description has no URLBase, which UPnP 1.0 alone has"),
    row(
      .urlBaseHost, "H-URLBASE", binds: .device, .hardening, seen: [.description], .risks, evidence: [.ours],
      "URLBase, where there is one, is a whole URL with the address of LOCATION"),
  ]
}
