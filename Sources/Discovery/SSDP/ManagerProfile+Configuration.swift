import RollcallPrimitives

extension ManagerProfile {
  var switches: [EngineSwitch] {
    switch self {
    case .connectSDKiOS:
      [
        .neverExpires, .locationChangeIgnored, .exactVersionOnly, .addressIsEnough, .firstTypeOnly, .filtersStartOver,
        .unfoundLost,
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
