// What a report of the manager adds to a digest, and its text.
extension ManagerReport {
  func fold(into digest: inout Digest) {
    digest.combine(43)
    var words = WordWriter()
    write(to: &words)
    digest.combine(words.text)
  }

  func write(to words: inout WordWriter) {
    words.add("managed")
    words.name(id)
    words.add(event.name)
    switch event {
    case .found(let isKnown): if isKnown { words.add("again") }
    case .capabilities(let added, let removed):
      words.names(added.map(\.name))
      words.names(removed.map(\.name))
    case .connection(let report): report.write(to: &words)
    case .app(let report): report.write(to: &words)
    case .webApp(let report): report.write(to: &words)
    case .updated, .lost, .remembered: break
    }
    words.name(state.name)
    words.name(state.model)
    words.name(state.manufacturer)
    words.name(state.address?.description)
    words.add(state.services.count)
    for service in state.services {
      words.name(service.id)
      words.name(service.owner)
    }
    words.names(state.capabilities.map(\.name))
    words.names(state.members)
    words.names(state.evidence)
    if state.parts.isEmpty { return }
    words.add("parts")
    words.add(state.parts.count)
    for part in state.parts { part.write(to: &words) }
    for service in state.services { words.add(service.part) }
  }

  /// From behind the word `managed` on.
  init(from words: inout WordReader) throws(WordError) {
    id = try words.name("the id of a device")
    let name = try words.next("what the manager tells of it")
    switch name {
    case "found": event = .found(isKnown: words.take("again"))
    case "updated": event = .updated
    case "lost": event = .lost
    case "remembered": event = .remembered
    case "capabilities":
      let added = try words.names("a capability").map { Capability($0) }
      event = .capabilities(added: added, removed: try words.names("a capability").map { Capability($0) })
    case "app": event = .app(try AppReport(from: &words))
    case "web-app": event = .webApp(try WebAppReport(from: &words))
    default:
      guard let report = try ConnectionReport(named: name, from: &words) else {
        throw words.error(
          "found, updated, lost, remembered, capabilities, app, web-app or what became of a connection")
      }
      event = .connection(report)
    }
    state = State()
    state.name = try words.optionalName("what people call a device")
    state.model = try words.optionalName("a model")
    state.manufacturer = try words.optionalName("a manufacturer")
    if let text = try words.optionalName("an address") {
      guard let address = DeviceAddress(text) else { throw words.error("an address") }
      state.address = address
    }
    let count: UInt16 = try words.number("how many services there are")
    for _ in 0..<count {
      let id = try words.name("the id of a service")
      state.services.append(Service(id: id, owner: try words.name("who offers a service")))
    }
    state.capabilities = try words.names("a capability").map { Capability($0) }
    state.members = try words.names("the name of a device")
    state.evidence = try words.names("what two devices have in common")
    guard words.take("parts") else { return }
    let parts: UInt16 = try words.number("how many parts there are")
    for _ in 0..<parts { state.parts.append(try Part(from: &words)) }
    for place in state.services.indices {
      state.services[place].part = try words.number("which part offers a service")
      if !state.parts.indices.contains(state.services[place].part) { throw words.error("one of the parts") }
    }
  }
}

extension ManagerReport.Part {
  func write(to words: inout WordWriter) {
    words.name(address?.description)
    if let port { words.add(port) } else { words.name(nil) }
    for text in [location, uuid, name, manufacturer, model, modelDescription, modelNumber, applicationURL] {
      words.name(text)
    }
  }

  init(from words: inout WordReader) throws(WordError) {
    self.init()
    if let text = try words.optionalName("an address") {
      guard let address = DeviceAddress(text) else { throw words.error("an address") }
      self.address = address
    }
    if !words.take("-") { port = try words.number("a port") }
    location = try words.optionalName("a URL")
    uuid = try words.optionalName("a UUID")
    name = try words.optionalName("what people call a device")
    manufacturer = try words.optionalName("a manufacturer")
    model = try words.optionalName("a model")
    modelDescription = try words.optionalName("what a model is")
    modelNumber = try words.optionalName("the number of a model")
    applicationURL = try words.optionalName("where apps are")
  }
}

extension WordWriter {
  /// How many, and each of them.
  mutating func names(_ names: [String]) {
    add(names.count)
    for name in names { self.name(name) }
  }
}

extension WordReader {
  mutating func names(_ expected: String) throws(WordError) -> [String] {
    let count: UInt16 = try number("how many names there are")
    var names: [String] = []
    for _ in 0..<count { names.append(try name(expected)) }
    return names
  }
}
