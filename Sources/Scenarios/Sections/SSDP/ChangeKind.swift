package import RollcallPrimitives

extension EventPattern {
  /// What kinds of `Change` there are.
  package enum ChangeKind: String, Hashable, Sendable, CaseIterable {
    case location, address
    case bootID = "boot-id"
    case configID = "config-id"
    case united, name, services, host, port, txt
  }
}

extension EventPattern.ChangeKind {
  package init(_ change: Change) {
    switch change {
    case .address: self = .address
    case .attribute(.location, _): self = .location
    case .attribute(.bootID, _): self = .bootID
    case .attribute(.configID, _): self = .configID
    case .attribute(.name, _): self = .name
    case .attribute(.services, _): self = .services
    case .attribute(.host, _): self = .host
    case .attribute(.port, _): self = .port
    case .attribute(.txt, _): self = .txt
    case .united: self = .united
    }
  }
}
