// The names are those of Apple's declarations.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The fewest peers of a session, the local one included.
public let kMCSessionMinimumNumberOfPeers = 2
/// The most peers of a session, the local one included.
public let kMCSessionMaximumNumberOfPeers = 8

/// How a peer stands to a session.
public enum MCSessionState: Int, CaseIterable, Sendable {
  case notConnected = 0
  case connecting = 1
  case connected = 2
}

/// Whether a message is to arrive for certain.
public enum MCSessionSendDataMode: Int, CaseIterable, Sendable {
  /// In order, sent again as often as it takes.
  case reliable = 0
  /// At once or never.
  case unreliable = 1
}

public enum MCEncryptionPreference: Int, CaseIterable, Sendable {
  /// Encrypted if the other side can do it.
  case optional = 0
  case required = 1
  case none = 2
}
