// A shelf as bytes, for a store that keeps values under names: a line for each device, words as in a trace.
//
// It has what a manager reports of a device, and not what an application adds to a service (config, certificate).
extension DeviceShelf {
  package var bytes: [UInt8] {
    let lines = devices.map { device in
      var words = WordWriter()
      device.write(to: &words)
      return words.text
    }
    return Array(lines.joined(separator: "\n").utf8)
  }

  /// - Throws: what is wrong with a line, which is no device then.
  package init(_ policy: DeviceStorePolicy, bytes: [UInt8]) throws(WordError) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw WordError(column: 1, expected: "devices in ASCII")
    }
    var devices: [StoredDevice] = []
    for line in text.split(separator: "\n") {
      var words = WordReader(line)
      devices.append(try StoredDevice(from: &words))
      try words.end()
      if devices.count > DeviceShelf.countMaximum { throw words.error("at most \(DeviceShelf.countMaximum) devices") }
    }
    self.init(policy, devices)
  }
}

extension StoredDevice {
  fileprivate func write(to words: inout WordWriter) {
    words.name(id)
    words.name(friendlyName)
    words.name(modelName)
    words.name(manufacturer)
    words.names(addresses)
    words.name(lastSeenUnixSeconds.map { String($0) })
    words.name(lastConnectedUnixSeconds.map { String($0) })
    words.add(services.count)
    for service in services {
      words.name(service.uuid)
      words.name(service.serviceID)
      words.name(service.pairingKey.map { String(decoding: $0, as: UTF8.self) })
      words.name(service.description[StoredService.uuidKey])
      words.name(service.formerDeviceID)
    }
  }

  fileprivate init(from words: inout WordReader) throws(WordError) {
    let id = try words.name("the id of a device")
    let name = try words.optionalName("what people call a device")
    let model = try words.optionalName("a model")
    let manufacturer = try words.optionalName("a manufacturer")
    let addresses = try words.names("an address")
    let seen = try words.optionalSeconds("when it was seen last")
    let connected = try words.optionalSeconds("when it was connected last")
    let count: UInt16 = try words.number("how many services there are")
    var services: [StoredService] = []
    for _ in 0..<count {
      let uuid = try words.name("the device that offers a service")
      let serviceID = try words.name("the id of a service")
      let key = try words.optionalName("what was typed")
      var service = StoredService(uuid: uuid, serviceID: serviceID, pairingKey: key.map { Array($0.utf8) })
      service.description[StoredService.uuidKey] = try words.optionalName("the UUID that it says of itself")
      service.formerDeviceID = try words.optionalName("which device it was")
      services.append(service)
    }
    self.init(
      id: id, friendlyName: name, modelName: model, manufacturer: manufacturer, addresses: addresses,
      lastSeenUnixSeconds: seen, lastConnectedUnixSeconds: connected, services: services)
  }
}

extension WordReader {
  fileprivate mutating func optionalSeconds(_ expected: String) throws(WordError) -> Int64? {
    guard let word = try optionalName(expected) else { return nil }
    guard let seconds = Int64(word), String(seconds) == word else { throw error(expected) }
    return seconds
  }
}
