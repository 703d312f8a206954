package import RollcallPrimitives
import RollcallWire

/// What the engine's owner decides; everything else is the standard's.
package struct EngineConfiguration: Hashable, Sendable {
  /// How much the reader forgives.
  package enum Mode: String, Hashable, Sendable, CaseIterable { case lenient, strict }

  /// What one byebye ends. UDA allows both readings, so it is a policy (UDA-1.2.3-CP-BYEBYE-ANY).
  package enum ByebyePolicy: String, Hashable, Sendable, CaseIterable {
    /// One byebye of any part ends the whole device on the path it came by.
    case anyPart
    /// A byebye ends its own (USN, NT); the device is lost when none is left.
    case eachPart
  }

  /// Whose byebye counts, and whose update.
  package enum SourcePolicy: String, Hashable, Sendable, CaseIterable {
    /// One from an address that announced the device; any other is refused: `foreignByebye` (D56, D81) or
    /// `foreignUpdate` (D82).
    case sameAddress
    case anyAddress
  }

  /// Which LOCATION may be handed to the fetcher of descriptions.
  package enum LocationPolicy: String, Hashable, Sendable, CaseIterable {
    /// Every LOCATION is reported as it was sent.
    case off
    /// One that is no URL, or whose host is neither the sender nor on its link, is not reported: the device is
    /// present with no location, and nothing is refused (D44...D47, H-CP-SSRF).
    case scope
  }

  /// What becomes of a response that answers no open search.
  package enum UnsolicitedPolicy: String, Hashable, Sendable, CaseIterable {
    /// Refused: `noOpenSearch`, `searchOver` or `targetNotAsked` (H-CP-UNSOLICITED).
    case reject
    /// Taken for an announcement.
    case accept
  }

  /// Whether the engine fetches the descriptions that LOCATIONs name.
  package enum DescriptionPolicy: String, Hashable, Sendable, CaseIterable {
    /// It reports where they are; what is done with that is the application's business.
    case leave
    /// It fetches each, and again when the device says that something is different.
    case fetch
  }

  package var mode: Mode = .lenient
  package var descriptions: DescriptionPolicy = .leave
  package var descriptionLimits = DescriptionClient.Limits()
  package var byebyePolicy: ByebyePolicy = .anyPart
  package var byebyeSource: SourcePolicy = .sameAddress
  /// Updates go out on the interfaces that a device had before (UDA-1.2.4-UPD-WHEN), so one from elsewhere is not its own.
  package var updateSource: SourcePolicy = .sameAddress
  package var locationPolicy: LocationPolicy = .scope
  package var unsolicited: UnsolicitedPolicy = .reject
  /// How long after a byebye or a change of BOOTID a late message of the time before is refused (D58, A5).
  ///
  /// Long enough for what a network reorders, short enough for a device that is switched off and on again (A2).
  package var tombstone: Interval = .seconds(1)
  /// The lease of a message without a readable max-age (D22): what UDA recommends as the least. Counted in
  /// `EngineCounters.leasesByDefault`.
  package var leaseDefaultSeconds = 1_800
  /// Longer leases are cut to this: a year, as HTTP has it for things that never expire.
  package var leaseMaximumSeconds = 31_536_000
  /// A peripheral that is not heard for so long is lost: Bluetooth has no message that says so (CB-30).
  ///
  /// Three times the longest interval at which a legacy advertisement is sent.
  package var peripheralSilence: Interval = .seconds(30)
  /// How it listens for peripherals while the radio is on; `nil`: it only hears what others listen for.
  package var scan: ScanPolicy?
  /// Which services of multicast DNS it looks for from the start; a `browse` of the application adds to them.
  package var browse: [ServiceBrowse] = []
  /// Whether it asks for them, or only listens to what is said anyway.
  package var asksForServices = true
  /// Where the delays of its queries for services are drawn from; no report depends on it.
  package var querySeed = Seed(0)
  /// Makes devices for the application of what is found; `nil`: nobody asks for them.
  package var manager: ManagerConfiguration?
  /// What the user types when a device shows a number; `nil`: nothing.
  package var typingUser: TypingUser?
  package var limits = EngineLimits()
  /// Messages that are recognised when they come again; 0: none. No output depends on it.
  package var messagesRememberedMaximum = SSDPIntake.messagesMaximum
  /// USER-AGENT of searches; `nil` sends none.
  package var userAgent: String?
  /// Mixed into every hash, so that a peer cannot choose names that collide; no output depends on it.
  package var hashSeed: UInt64 = 0
  /// Faults to plant.
  package var switches: EngineSwitches = []

  package init() {}
}

/// The most that the engine keeps, however much is sent (H-CP-CACHE, D62, D77).
package struct EngineLimits: Hashable, Sendable {
  /// Leases altogether; beyond it the least recently heard device that is not held makes room.
  package var entriesTotal = 262_144
  /// Leases from one address; beyond it `overSource`, and nobody else is pushed out.
  package var entriesPerSource = 4_096
  /// Leases of one device; beyond it `overDevice`.
  package var entriesPerDevice = 512
  /// UUIDs of one device; beyond it `overDevice`.
  package var parts = 256
  /// Searches at a time.
  package var searchesOpen = 256
  /// Services that one search keeps; more are not reported by it.
  package var servicesPerSearch = 16_384
  /// Devices that said byebye and are remembered for the tombstone; the oldest goes first.
  package var tombstones = 4_096
  /// UUIDs that are remembered as parts of a device though none of their messages holds, after a reboot or byebye.
  package var idleParts = 4_096
  /// Peripherals at a time; beyond it the one that was silent longest makes room.
  package var peripherals = 16_384
  /// Bytes of a whole USN (`uuid:`, the UUID and what stands behind it), and of a target (NT or ST). A message with a
  /// longer one is refused `tooLong`; a search for one is not sent.
  package var nameBytes = 512
  /// Bytes of a LOCATION; a longer one counts as none.
  package var locationBytes = 1_024

  package init() {}
}
