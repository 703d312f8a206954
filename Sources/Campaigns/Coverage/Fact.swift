/// Something that ought to happen in some run of a campaign. Where it happens in none, an assertion about it was never put
/// to the test, whatever passed.
package enum Fact: String, Hashable, Sendable, CaseIterable {
  // Devices.
  case foundAgain = "found-again"
  case lostByGoodbye = "lost-by-goodbye"
  case lostByExpiry = "lost-by-expiry"
  case lostByRestart = "lost-by-restart"
  case lostByInterface = "lost-by-interface"
  case lostBehindPartition = "lost-behind-partition"
  case movedWithoutLoss = "moved-without-loss"
  case partsUnited = "parts-united"
  case threeProtocols = "three-protocols-at-a-time"
  // Messages of devices on the LAN.
  case goodbyeAfterExpiry = "byebye-after-expiry"
  case lifeNumberWraps = "bootid-wraps"
  case lateMessageRefused = "late-message-refused"
  case forgeryRefused = "forgery-refused"
  case lateAnswerRefused = "late-answer-refused"
  // Searches, groups and descriptions.
  case partitionDuringSearch = "partition-during-search"
  case searchUnanswered = "search-unanswered"
  case searchWithoutInterface = "search-without-interface"
  case joinRefused = "join-refused"
  case descriptionFetched = "description-fetched"
  case descriptionFailed = "description-failed"
  // Services, peers and peripherals.
  case serviceLostByGoodbye = "service-lost-by-goodbye"
  case peersConnected = "peers-connected"
  case peersParted = "peers-parted"
  case attributesDiscovered = "attributes-discovered"
  case connectionLost = "connection-lost"
  // The network.
  case messageGarbled = "message-garbled"
  case messageDoubled = "message-doubled"
  case queueOverflows = "queue-overflows"
  case segmentLost = "stream-segment-lost"

  /// What it is, for people.
  package var about: String {
    switch self {
    case .foundAgain: "a device that was lost is found again"
    case .lostByGoodbye: "a device says goodbye, and is lost"
    case .lostByExpiry: "a device that fell silent is lost"
    case .lostByRestart: "a device is lost because it says that it restarted"
    case .lostByInterface: "a device is lost with an interface or a radio of the engine"
    case .lostBehindPartition: "a device falls silent for the engine while a partition cuts the network"
    case .movedWithoutLoss: "a device takes another address, and is never lost"
    case .partsUnited: "what was taken for a device turns out to be a part of another one"
    case .threeProtocols: "devices of SSDP, of Bluetooth and of multicast DNS are there at a time"
    case .goodbyeAfterExpiry: "a byebye comes of a device whose lease has ended"
    case .lifeNumberWraps: "BOOTID goes from its largest value to a small one"
    case .lateMessageRefused: "a message of the time before a byebye or a restart comes late, and is refused"
    case .forgeryRefused: "a byebye or an update from an address that never announced the device is refused"
    case .lateAnswerRefused: "an answer comes after its search, and is refused"
    case .partitionDuringSearch: "a partition begins while a search is open"
    case .searchUnanswered: "a search ends, and nobody has answered"
    case .searchWithoutInterface: "a search is asked for while no interface is up"
    case .joinRefused: "the system does not let the engine join a group"
    case .descriptionFetched: "a description is fetched"
    case .descriptionFailed: "a description with a LOCATION cannot be fetched"
    case .serviceLostByGoodbye: "a service of multicast DNS is withdrawn, and lost"
    case .peersConnected: "two nearby peers are connected"
    case .peersParted: "two nearby peers that were connected are no more"
    case .attributesDiscovered: "all attributes of a peripheral are discovered"
    case .connectionLost: "a connection to a peripheral ends unasked, or does not come about"
    case .messageGarbled: "a datagram arrives with a byte changed"
    case .messageDoubled: "a datagram arrives twice"
    case .queueOverflows: "a datagram is dropped since too many wait for a link"
    case .segmentLost: "a segment of a stream is lost, and sent again"
    }
  }
}

/// What happened in a run: some facts.
package struct Facts: Hashable, Sendable, ExpressibleByArrayLiteral {
  /// A bit for each fact, in the order of their declaration.
  package private(set) var bits: UInt64

  package init(bits: UInt64 = 0) { self.bits = bits }
  package init(arrayLiteral facts: Fact...) {
    bits = 0
    for fact in facts { insert(fact) }
  }

  package mutating func insert(_ fact: Fact) { bits |= fact.bit }
  package func contains(_ fact: Fact) -> Bool { bits & fact.bit != 0 }
  /// In the order of their declaration.
  package var list: [Fact] { Fact.allCases.filter(contains) }
}

extension Fact {
  fileprivate var bit: UInt64 { 1 &<< UInt64(Fact.allCases.firstIndex(of: self) ?? 0) }
}
