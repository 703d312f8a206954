import RollcallPrimitives

extension ManagerProfile {
  var switches: [EngineSwitch] {
    switch self {
    case .connectSDKiOS:
      [
        .neverExpires, .locationChangeIgnored, .exactVersionOnly, .descriptionUnbounded, .addressIsEnough,
        .firstTypeOnly, .filtersStartOver, .unfoundLost, .descriptionAskedWithEachAnswer,
      ]
    case .connectSDKAndroid: [.readsOneKilobyte, .requirementsIgnored, .serviceIsDevice]
    }
  }

  /// The configuration of an engine that behaves like this.
  package func applied(to configuration: EngineConfiguration) -> EngineConfiguration {
    var configuration = configuration
    for one in switches { configuration.switches.insert(one) }
    configuration.manager?.rescan = .seconds(10)
    configuration.manager?.maximumWaitSeconds = 5
    configuration.manager?.spacing = .seconds(1)
    if configuration.manager?.store != nil { configuration.manager?.store = .connectedOnly }
    switch self {
    case .connectSDKiOS:
      configuration.manager?.merging = .address
      configuration.manager?.addressing = .announced
    case .connectSDKAndroid:
      configuration.manager?.addressing = .heard
      configuration.leaseMaximumSeconds = min(configuration.leaseMaximumSeconds, 60)
    }
    return configuration
  }
}
