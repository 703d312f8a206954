/// What a nearby peer of a simulated host was told.
public struct PeerReport: Hashable, Sendable {
  /// How a stream or file ended. The raw value is what stands in JSON lines.
  public enum Ending: String, Hashable, Sendable, CaseIterable {
    case complete, cancelled, failed
    /// The connection was over first.
    case notConnected
  }
  /// What could not be done.
  public enum Refusal: String, Hashable, Sendable, CaseIterable {
    case advertise, browse, session, stream, file
  }

  public enum Event: Hashable, Sendable {
    /// The pairs of its discovery information, `key=value`.
    case found(info: [String])
    case lost
    /// The peer invites it; `nil`: without a context.
    case invited(contextByteCount: Int?)
    /// An invitation that was not answered has ended.
    case invitationEnded
    case connecting, connected, notConnected
    /// With this one so many messages and bytes have come of the peer since it was connected.
    case message(byteCount: Int, count: Int, total: Int, isReliable: Bool)
    /// A reliable message has another number than the one that comes next.
    case disorder(expected: Int, found: Int)
    case streamEnded(isIncoming: Bool, byteCount: Int, Ending)
    case fileEnded(isIncoming: Bool, byteCount: Int, Ending)
    /// What its application asked for cannot be done.
    case refused(Refusal)
  }

  /// Who was told: `peer:` and the name of its service.
  public var device: String
  /// Whom it is about: `peer:` and the name of its service; oneself where it is about nobody else.
  public var peer: String
  /// What people call that peer.
  public var name: String
  public var event: Event

  public init(_ device: String, peer: String, named name: String, _ event: Event) {
    (self.device, self.peer, self.name, self.event) = (device, peer, name, event)
  }
}

extension PeerReport.Event {
  /// What it is called in lines.
  public var name: String {
    switch self {
    case .found: "found"
    case .lost: "lost"
    case .invited: "invited"
    case .invitationEnded: "invitationEnded"
    case .connecting: "connecting"
    case .connected: "connected"
    case .notConnected: "notConnected"
    case .message: "message"
    case .disorder: "disorder"
    case .streamEnded: "streamEnded"
    case .fileEnded: "fileEnded"
    case .refused: "refused"
    }
  }

  /// What people read behind the name of the peer.
  public var text: String {
    switch self {
    case .found(let info): info.isEmpty ? "found" : "found with " + info.joined(separator: " ")
    case .lost: "lost"
    case .invited(let count): "invites" + (count.map { " with \($0) bytes" } ?? "")
    case .invitationEnded: "invites no more"
    case .connecting: "connecting"
    case .connected: "connected"
    case .notConnected: "not connected"
    case .message(let byteCount, let count, let total, let isReliable):
      "message \(count) of \(byteCount) bytes\(isReliable ? "" : ", unreliable"), \(total) bytes in all"
    case .disorder(let expected, let found): "message \(found) where \(expected) comes next"
    case .streamEnded(let isIncoming, let byteCount, let ending):
      "stream \(isIncoming ? "from" : "to") it ended after \(byteCount) bytes: \(ending.rawValue)"
    case .fileEnded(let isIncoming, let byteCount, let ending):
      "file \(isIncoming ? "from" : "to") it ended after \(byteCount) bytes: \(ending.rawValue)"
    case .refused(let what): "cannot do: \(what.rawValue)"
    }
  }
}
