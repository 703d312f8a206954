extension PeripheralReport {
  func fold(into digest: inout Digest) {
    digest.combine(41)
    digest.combine(device)
    // Values come by the thousand; all else is folded as its text.
    if case .value(let handle, let uuid, let bytes, let cause) = event {
      digest.combine(UInt64(handle), cause == .read ? 1 : cause == .notification ? 2 : 3)
      digest.combine(uuid?.high ?? 0, uuid?.low ?? 0)
      digest.combine(bytes)
      return
    }
    var words = WordWriter()
    event.write(to: &words)
    digest.combine(words.text)
  }

  func write(to words: inout WordWriter) {
    words.add("peripheral")
    words.name(device)
    event.write(to: &words)
  }

  /// From behind the word `peripheral` on.
  init(from words: inout WordReader) throws(WordError) {
    device = try words.name("the name of a device")
    event = try Event(from: &words)
  }
}

extension PeripheralReport.Event {
  fileprivate func write(to words: inout WordWriter) {
    words.add(name)
    switch self {
    case .connected, .readyToWrite: break
    case .connectionFailed(let end), .disconnected(let end): words.add(end.rawValue)
    case .services(let services): words.add(services)
    case .includedServices(let service, let services):
      words.add(service)
      words.add(services)
    case .characteristics(let service, let characteristics):
      words.add(service)
      for one in characteristics {
        words.add(one.uuid.description)
        words.add(one.handle)
        words.add(one.properties.rawValue)
      }
    case .descriptors(let characteristic, let descriptors):
      words.add(characteristic)
      for one in descriptors {
        words.add(one.uuid.description)
        words.add(one.handle)
      }
    case .discovered(let services, let characteristics, let descriptors):
      for count in [services, characteristics, descriptors] { words.add(count) }
    case .value(let handle, let uuid, let bytes, let cause):
      words.add(cause.rawValue)
      words.add(handle)
      words.add(uuid?.description ?? "-")
      words.rest(bytes)
    case .written(let handle): words.add(handle)
    case .notifying(let handle, let isOn):
      words.add(handle)
      words.add(isOn ? "on" : "off")
    case .strength(let strength): words.add(strength.map { String($0) } ?? "?")
    case .servicesChanged(let range):
      words.add(range.lowerBound)
      words.add(range.upperBound)
    case .failed(let failure):
      words.add(failure.request.rawValue)
      words.add(failure.reason.rawValue)
      if let attribute = failure.attribute {
        words.add("of")
        words.add(attribute.description)
      }
      if let error = failure.error {
        words.add("error")
        words.add(error)
      }
    }
  }

  package init(from words: inout WordReader) throws(WordError) {
    let expected = "what became of a peripheral"
    switch try words.next(expected) {
    case "connected": self = .connected
    case "readyToWrite": self = .readyToWrite
    case "connectionFailed": self = .connectionFailed(try words.value(LinkEnd.self, "the end of a connection"))
    case "disconnected": self = .disconnected(try words.value(LinkEnd.self, "the end of a connection"))
    case "services": self = .services(try words.services())
    case "includedServices":
      let service = try words.handle()
      self = .includedServices(service: service, try words.services())
    case "characteristics":
      let service = try words.handle()
      var all: [GATTCharacteristic] = []
      while !words.peek.isEmpty {
        let uuid = try words.uuid()
        let handle = try words.handle()
        all.append(GATTCharacteristic(uuid, handle, .init(rawValue: try words.number("the properties"))))
      }
      self = .characteristics(service: service, all)
    case "descriptors":
      let characteristic = try words.handle()
      var all: [GATTDescriptor] = []
      while !words.peek.isEmpty {
        let uuid = try words.uuid()
        all.append(GATTDescriptor(uuid, try words.handle()))
      }
      self = .descriptors(characteristic: characteristic, all)
    case "discovered":
      let (services, characteristics): (Int, Int) = (try words.number("a count"), try words.number("a count"))
      self = .discovered(
        services: services, characteristics: characteristics, descriptors: try words.number("a count"))
    case "value":
      let cause = try words.value(PeripheralReport.ValueCause.self, "read, notification or indication")
      let handle = try words.handle()
      let uuid = words.take("-") ? nil : try words.uuid()
      self = .value(handle: handle, uuid, try words.bytes(), cause)
    case "written": self = .written(handle: try words.handle())
    case "notifying":
      let handle = try words.handle()
      let isOn = words.take("on")
      if !isOn { try words.word("off") }
      self = .notifying(handle: handle, isOn)
    case "strength": self = .strength(try words.strength())
    case "servicesChanged":
      let (first, last) = (try words.handle(), try words.handle())
      guard first <= last else { throw words.error("a handle that is not before the first") }
      self = .servicesChanged(first...last)
    case "requestFailed":
      let request = try words.value(GATTFailure.Request.self, "what was asked")
      let reason = try words.value(GATTFailure.Reason.self, "why it failed")
      let attribute = words.take("of") ? try words.attribute() : nil
      let error: UInt8? = words.take("error") ? try words.number("an error") : nil
      self = .failed(GATTFailure(request, reason, attribute, error: error))
    default: throw words.error(expected)
    }
  }
}

extension WordWriter {
  fileprivate mutating func add(_ services: [GATTService]) {
    for service in services {
      add(service.uuid.description)
      add(service.handles.lowerBound)
      add(service.handles.upperBound)
      if !service.isPrimary { add("secondary") }
    }
  }
}

extension WordReader {
  fileprivate mutating func services() throws(WordError) -> [GATTService] {
    var services: [GATTService] = []
    while !peek.isEmpty {
      let uuid = try uuid()
      let (first, last) = (try handle(), try handle())
      guard first <= last else { throw error("a handle that is not before the first") }
      services.append(GATTService(uuid, first...last, isPrimary: !take("secondary")))
    }
    return services
  }
}
