import RollcallPrimitives

extension DiscoverySetup {
  /// What has to be browsed for.
  var browses: [ServiceBrowse] { registrations.compactMap(\.browse) }

  /// What has to be listened for by radio.
  var radioServices: [BluetoothUUID] { registrations.compactMap(\.radioService) }

  /// What is to be listened for by radio and cannot be.
  var radioFailures: [Failure] {
    registrations.filter { $0.provider == .bluetooth && $0.radioService == nil }.map { one in
      Failure(
        reason: .invalidScan,
        explanation: "'\(one.filter)' is no UUID of Bluetooth, so \(one.id) is not looked for: expected 4, 8 or 36 "
          + "characters such as 180F or 0000180F-0000-1000-8000-00805F9B34FB")
    }
  }
}

extension ServiceRegistration {
  /// What has to be browsed for; `nil`: it is no service of multicast DNS.
  fileprivate var browse: ServiceBrowse? {
    guard provider == .peers else { return nil }
    // Sightings name the domain as well.
    return .type(filter.hasSuffix(".local") ? String(filter.dropLast(6)) : filter)
  }

  /// What has to be listened for; `nil`: it is not found by radio, or its filter is no UUID.
  fileprivate var radioService: BluetoothUUID? { provider == .bluetooth ? BluetoothUUID(filter) : nil }

  /// The same with its filter as sightings spell it: a UUID has several spellings, and a type of multicast DNS may stand
  /// without its domain.
  var asSighted: ServiceRegistration {
    var one = self
    if let service = radioService { one.filter = service.description }
    if case .type(let text)? = browse { one.filter = text + ".local" }
    return one
  }
}
