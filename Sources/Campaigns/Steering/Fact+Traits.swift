extension Fact {
  /// What a drawn scenario needs for it, or what makes it likely: where to look for it.
  var helps: Traits {
    switch self {
    case .foundAgain: [.crash]
    case .lostByGoodbye: [.lanDevices, .departure]
    case .lostByExpiry: [.vanishing]
    case .lostByRestart: [.lanDevices, .crash]
    case .lostByInterface: [.interfaceDown]
    case .lostBehindPartition: [.partition]
    case .movedWithoutLoss: [.move]
    case .partsUnited: [.lanDevices, .reordering]
    case .threeProtocols: [.lanDevices, .services, .peripherals]
    case .goodbyeAfterExpiry: [.lanDevices, .partition, .leaving]
    case .lifeNumberWraps: [.lanDevices, .lastLife, .reboot]
    case .lateMessageRefused: [.lanDevices, .reordering, .reboot]
    case .forgeryRefused: [.lanDevices, .forger]
    case .lateAnswerRefused: [.lanDevices, .searches, .quirks]
    case .partitionDuringSearch: [.partition, .searches]
    case .searchUnanswered: [.partition, .searches]
    case .searchWithoutInterface: [.interfaceDown, .searches]
    case .joinRefused: [.lanDevices, .refusals]
    case .descriptionFetched: [.lanDevices, .descriptions]
    case .descriptionFailed: [.lanDevices, .descriptions, .partition]
    case .serviceLostByGoodbye: [.services, .leaving]
    case .peersConnected: [.peers]
    case .peersParted: [.peers, .interfaceDown]
    case .attributesDiscovered: [.peripherals, .connections]
    case .connectionLost: [.peripherals, .connections, .radioOff]
    case .messageGarbled: [.lanDevices, .corruption]
    case .messageDoubled: [.duplicates]
    case .queueOverflows: [.lanDevices, .slowLinks]
    case .segmentLost: [.lanDevices, .descriptions, .loss]
    }
  }
}
