import RollcallPrimitives
import RollcallWire

@testable import RollcallDiscovery

/// A manager as a value: it is given what an engine reports; each call answers with all that it told, as lines.
struct ManagerRig {
  static let renderer = "urn:schemas-upnp-org:device:MediaRenderer:1"
  static let transport = "urn:schemas-upnp-org:service:AVTransport:1"
  static let rendering = "urn:schemas-upnp-org:service:RenderingControl:1"
  static let dial = "urn:dial-multiscreen-org:service:dial:1"
  static let dlna = [renderer, transport, rendering]

  var manager: DeviceManager
  var outbox = Outbox(payloads: PayloadStore())
  var now = Instant.zero
  /// Ids by the order in which they were told: `#1`, `#2`.
  private var ids: [String] = []

  init(awaitsDescriptions: Bool = false, _ configure: (inout ManagerConfiguration) -> Void = { _ in }) {
    var configuration = ManagerConfiguration()
    configure(&configuration)
    manager = DeviceManager(configuration, awaitsDescriptions: awaitsDescriptions)
  }

  /// UUIDs as tests write them: a number of at most 12 digits.
  static func uuid(_ number: Int) -> String {
    let digits = String(number)
    return "uuid:00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  static func sighting(_ number: Int, at host: UInt8 = 9, location: String? = nil) -> DeviceSighting {
    DeviceSighting(
      device: uuid(number), location: location ?? "http://10.0.0.\(host)/\(number)", source: IPAddress(10, 0, 0, host),
      interface: InterfaceID(0), bootID: nil)
  }

  static func service(
    _ name: String, _ type: String, at host: UInt8 = 9, hostName: String = "tv.local", txt: String? = nil
  ) -> DeviceSighting {
    var sighting = DeviceSighting(
      device: "peer:\(name).\(type)", provider: .peers, locator: Locator(.ip(IPAddress(10, 0, 0, host))),
      attributes: [
        DeviceAttribute(.name, .text(name)), DeviceAttribute(.services, .text(type)),
        DeviceAttribute(.host, .text(hostName)),
      ])
    sighting[.txt] = txt.map { .text($0) }
    return sighting
  }

  // MARK: What happens

  /// A root device announces these types, or its parts do.
  mutating func announce(_ number: Int, at host: UInt8 = 9, _ types: [String], parts: [(Int, String)] = []) -> [String]
  {
    manager.take(.found(ManagerRig.sighting(number, at: host)), at: now)
    return note(number, types, parts: parts)
  }

  mutating func note(_ number: Int, _ types: [String], parts: [(Int, String)] = []) -> [String] {
    let own = types.map { (owner: ManagerRig.uuid(number), type: $0) }
    manager.note(
      ManagerRig.uuid(number), announces: own + parts.map { (owner: ManagerRig.uuid($0.0), type: $0.1) })
    return told()
  }

  mutating func take(_ report: Report...) -> [String] {
    for one in report { manager.take(one, at: now) }
    return told()
  }

  mutating func lose(_ number: Int) -> [String] {
    take(.lost(device: ManagerRig.uuid(number), cause: .byebye))
  }

  /// The document that stands behind the LOCATION of a device.
  mutating func describe(_ number: Int, at host: UInt8 = 9, _ document: DescriptionDocument) -> [String] {
    take(
      .description(
        ManagerRig.fetch(number, at: host, .fetched(.init(status: 200, body: document.bytes, contentType: nil)))))
  }

  static func fetch(_ number: Int, at host: UInt8 = 9, _ outcome: DescriptionFetch.Outcome) -> DescriptionFetch {
    DescriptionFetch(
      device: uuid(number), location: "http://10.0.0.\(host)/\(number)", cause: .found, interface: InterfaceID(0),
      duration: .zero, outcome: outcome)
  }

  static func document(
    _ number: Int, named name: String = "Television", _ types: [String], model: String = "M1",
    embedded: [DescriptionDocument.Device] = []
  ) -> DescriptionDocument {
    DescriptionDocument(
      major: 1, minor: 0, configID: nil, root: device(number, named: name, types, model: model, embedded: embedded))
  }

  /// - Parameter types: of the device, and of its services.
  static func device(
    _ number: Int, named name: String = "Television", _ types: [String], model: String = "M1",
    embedded: [DescriptionDocument.Device] = []
  ) -> DescriptionDocument.Device {
    DescriptionDocument.Device(
      type: types.first ?? "", friendlyName: name, manufacturer: "Maker", modelName: model, udn: uuid(number),
      services: types.dropFirst().enumerated().map { .init(type: $1, number: $0 + 1, below: "/") }, embedded: embedded)
  }

  mutating func command(_ command: ManagerCommand, at seconds: Double = 0) -> [String] {
    manager.take(command, at: .zero + .nanoseconds(Int64(seconds * 1e9)), into: &outbox)
    return told()
  }

  /// Everything that was told since the last call.
  mutating func told() -> [String] {
    manager.settle(at: now, into: &outbox)
    defer { outbox.removeAll() }
    return outbox.effects.map { effect in
      guard case .application(.managed(let report)) = effect else { return "something else" }
      return line(report)
    }
  }

  private mutating func line(_ report: ManagerReport) -> String {
    if !ids.contains(report.id) { ids.append(report.id) }
    let number = "#\(ids.firstIndex(of: report.id)! + 1)"
    var words = [number, report.event.name]
    switch report.event {
    case .found(let isKnown):
      if isKnown { words.append("again") }
      words += ManagerRig.words(report.state)
    case .updated: words += ManagerRig.words(report.state)
    case .lost, .remembered: break
    case .capabilities(let added, let removed):
      words += added.map { "+" + $0.name } + removed.map { "-" + $0.name }
    case .connection, .app, .webApp: words = [number, report.text]
    }
    return words.joined(separator: " ")
  }

  /// `Television [DIAL 1, DLNA 2] of 1 2`
  private static func words(_ state: ManagerReport.State) -> [String] {
    func short(_ name: String) -> String {
      name.hasPrefix("uuid:") ? String(Int(name.suffix(12)) ?? -1) : String(name.prefix { $0 != "." })
    }
    let services = state.services.map { "\($0.id) \(short($0.owner))" }.joined(separator: ", ")
    return [state.name ?? "-", "[\(services)]", "of"] + state.members.map(short)
  }
}
