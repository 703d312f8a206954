// The catalogue of SSDP: the discovery chapter of the UPnP Device Architecture, what a description says of addresses, and
// rules of our own beside both.

extension Catalogue {
  package static let ssdp = Catalogue(
    name: "SSDP", editions: [.uda10, .uda11, .uda20],
    clauses: Clause.transportRows + Clause.formatRows + Clause.setsRows + Clause.aliveRows + Clause.bootRows
      + Clause.searchRows + Clause.responseRows + Clause.controlPointRows + Clause.descriptionRows,
    checked: SSDPJudge.families.flatMap { $0.clauses })
}

extension Edition {
  package static let uda10 = Edition(.uda, number: 10)
  package static let uda11 = Edition(.uda, number: 11)
  package static let uda20 = Edition(.uda, number: 20)
}
