/// Something that a device can do for an application, under the name that the Connect SDK has for it:
/// `MediaControl.Play`, `VolumeControl.Mute.Set`. Its first word is its group.
public struct Capability: Hashable, Comparable, Sendable {
  public let name: String

  /// - Parameter name: of any length and form; two capabilities are the same where their names are, byte for byte.
  public init(_ name: String) { self.name = name }

  public static func < (left: Capability, right: Capability) -> Bool { left.name < right.name }

  /// What stands in front of the first full stop: `MediaControl`.
  public var group: String { name.firstIndex(of: ".").map { String(name[..<$0]) } ?? name }

  /// Any capability of this group: `MediaControl.Any`.
  public static func any(_ group: String) -> Capability { Capability(group + ".Any") }

  /// Whether a device that has `other` has what is asked for here: the same, or any capability of the group where this
  /// one is its `Any` form.
  public func isMet(by other: Capability) -> Bool {
    if self == other { return true }
    guard name.hasSuffix(".Any") else { return false }
    return name.utf8.count - 4 == group.utf8.count && other.group == group
  }
}

/// What an application needs of a device: all of these capabilities. A device suits an application if it meets one of its
/// filters, or if there are none.
public struct CapabilityFilter: Hashable, Sendable {
  /// In the order in which they were named.
  public var capabilities: [Capability]

  public init(_ capabilities: [Capability]) { self.capabilities = capabilities }

  /// Whether these capabilities have all that is asked for. A filter that asks for nothing is met by every device.
  public func isMet(by offered: some Sequence<Capability>) -> Bool {
    capabilities.allSatisfy { wanted in offered.contains { wanted.isMet(by: $0) } }
  }
}

/// Whether capabilities are used for which the user has to agree at the device.
public enum PairingLevel: String, Hashable, Sendable, CaseIterable {
  /// Not even where the device would offer more.
  case off
  /// Where a service can do nothing without it.
  case protected
  /// Everywhere, so a device is connected only when it has been paired.
  case on
}

/// How a user agrees to a connection.
public enum PairingKind: String, Hashable, Sendable, CaseIterable {
  case none
  /// A number that the device shows and the user types in the application.
  case pin
  /// A question that the device shows and the user answers there.
  case prompt
}
