/// What the timeline can ask of a host with a nearby peer. The raw value is what documents and traces call it.
public enum PeerAct: String, Hashable, Sendable, CaseIterable {
  case background, foreground, invite, advertise
  case newIdentity = "new-identity"
  case leaveSession = "leave-session"
  case stopAdvertising = "stop-advertising"

  /// What it is, for people.
  package var about: String {
    switch self {
    case .background: "Its applications go to the background: a nearby peer is neither there nor looks for others."
    case .foreground: "Its applications come back."
    case .invite: "Invites the peers that it has found, or those of them that it is to invite."
    case .advertise: "Shows itself to others again."
    case .newIdentity: "Goes on, or comes back, as another peer of the same name; nobody says goodbye for the old one."
    case .leaveSession: "Leaves its session; it can be invited again."
    case .stopAdvertising: "Shows itself no more."
    }
  }
}
