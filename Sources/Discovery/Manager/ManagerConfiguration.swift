package import RollcallPrimitives

/// A manager as its owner wants it.
@dynamicMemberLookup
package struct ManagerConfiguration: Hashable, Sendable {
  /// What the application asks for.
  package var setup: DiscoverySetup
  /// Another manager that it behaves like; `nil`: it is itself.
  package var profile: ManagerProfile?
  /// Where the ids of devices are drawn from.
  package var idSeed = Seed(0)
  package var faults: ManagerFaults = []
  package var connectionFaults: ConnectionFaults = []
  /// USER-AGENT of what is asked of devices.
  package var userAgent = "Rollcall/1.0"
  /// Whether a device on the loopback may be connected to: for tests on one machine.
  package var allowsLoopback = false
  /// Whether a device is told when its description is there, or cannot be had; else at once, and its name when that is known: in
  /// a capture there may be none, and no word of it.
  package var waitsForDescriptions = true
  /// What the user of a scenario types when a device shows a number; `nil`: nothing.
  package var user: TypingUser?
  /// Which devices the application keeps for its next launch; `nil`: it keeps none.
  package var store: DeviceStorePolicy?

  package init(_ setup: DiscoverySetup = DiscoverySetup()) { self.setup = setup }

  package subscript<Value>(dynamicMember path: WritableKeyPath<DiscoverySetup, Value>) -> Value {
    get { setup[keyPath: path] }
    set { setup[keyPath: path] = newValue }
  }
}

/// Faults that can be planted into a manager: what the switches of the engine turn on there.
package struct ManagerFaults: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Two devices on one address are one, whatever they offer.
  package static let addressIsEnough = ManagerFaults(rawValue: 1)
  /// Devices that were taken for one stay one.
  package static let neverSplits = ManagerFaults(rawValue: 2)
  /// One capability of a filter suffices.
  package static let oneCapabilitySuffices = ManagerFaults(rawValue: 4)
  /// All filters have to be met.
  package static let allFiltersNeeded = ManagerFaults(rawValue: 8)
  /// What a device has to offer beside its filter is not looked at.
  package static let requirementsIgnored = ManagerFaults(rawValue: 16)
  /// A device is told before its description is there.
  package static let toldBeforeDescribed = ManagerFaults(rawValue: 32)
  /// A device of which nothing is left is told as updated.
  package static let lastServiceKept = ManagerFaults(rawValue: 64)
  /// A device that suits no filter any more is not told as lost.
  package static let unsuitableKept = ManagerFaults(rawValue: 128)
  /// It searches once.
  package static let searchesOnce = ManagerFaults(rawValue: 256)
  /// A device that comes back gets another id.
  package static let idsNotRemembered = ManagerFaults(rawValue: 512)
  /// What is different in a description that is read anew is not told.
  package static let oldDescriptionKept = ManagerFaults(rawValue: 1_024)
  /// Two devices of one name at one address stay two.
  package static let mergesNothing = ManagerFaults(rawValue: 4_096)
  /// A device whose description cannot be had is not told.
  package static let undescribedHidden = ManagerFaults(rawValue: 8_192)
  /// What comes and goes is told while nothing is to be told.
  package static let toldInBackground = ManagerFaults(rawValue: 16_384)
  /// A description that could not be had is not asked for again.
  package static let neverRetries = ManagerFaults(rawValue: 32_768)
  /// The UUIDs of embedded devices count for nothing.
  package static let embeddedIgnored = ManagerFaults(rawValue: 2_048)
  /// A device is known by the first type alone by which it was found.
  package static let firstTypeOnly = ManagerFaults(rawValue: 65_536)
  /// Under other filters every device is lost, and found again if it suits.
  package static let filtersStartOver = ManagerFaults(rawValue: 131_072)
  /// A device that suits nobody is told as lost when it changes, though it was not found.
  package static let unfoundLost = ManagerFaults(rawValue: 262_144)
  /// What a device says of another one is not looked at.
  package static let identityRulesIgnored = ManagerFaults(rawValue: 524_288)
  /// What a device says of one of two that are not one joins it to the first.
  package static let ambiguousIdentityTaken = ManagerFaults(rawValue: 1_048_576)
  /// The root of a description that has another UDN than the device's UUID is another device.
  package static let udnIsAnotherDevice = ManagerFaults(rawValue: 2_097_152)
  /// Devices of one name are one, wherever they are and whatever they offer.
  package static let nameIsEnough = ManagerFaults(rawValue: 4_194_304)
  /// A start knows nothing of what the store keeps.
  package static let memoryNotLoaded = ManagerFaults(rawValue: 8_388_608)
  /// What users typed is not kept.
  package static let keysNotKept = ManagerFaults(rawValue: 16_777_216)
  /// A device that was only found is kept as one that was connected.
  package static let foundIsConnected = ManagerFaults(rawValue: 33_554_432)
  /// Nobody hears that the store failed.
  package static let storeFailureSilent = ManagerFaults(rawValue: 67_108_864)
  /// What is to be forgotten stays in the store.
  package static let removeAllIgnored = ManagerFaults(rawValue: 134_217_728)
  /// What has one name, one address and one service is a device of its own.
  package static let serviceIsDevice = ManagerFaults(rawValue: 268_435_456)
  /// A description that could not be had is asked for with each search that the device answers.
  package static let retriesWithEachAnswer = ManagerFaults(rawValue: 536_870_912)
}
