package import RollcallPrimitives
package import RollcallWire

/// What the engine knows of the UUID that a message names, for the story of a capture.
package struct Standing: Hashable, Sendable {
  /// The device that the UUID belongs to, as reports name it; `nil`: no device has it.
  package var device: String?
  /// Whether that device was reported found and not lost.
  package var isPresent = false
  /// When the lease of this (path, USN, NT) ends; `nil`: there is none.
  package var leaseEnd: Instant?

  package init() {}
}

/// Whether a LOCATION would be reported, and the rule that forbids it (D44…D47, H-CP-SSRF).
package enum LocationVerdict: Hashable, Sendable {
  case usable
  /// The message has none, or an empty one.
  case absent
  /// More bytes than `EngineLimits.locationBytes`.
  case tooLong(bytes: Int)
  case notURL(LocationRefusal)
  case outOfScope(LocationScope.Reason)
}
