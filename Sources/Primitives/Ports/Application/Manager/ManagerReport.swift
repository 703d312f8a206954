/// What the manager tells its application of a connectable device: one or more devices of the directory that are one
/// thing for a person.
public struct ManagerReport: Hashable, Sendable {
  /// One service that an application can use.
  public struct Service: Hashable, Sendable {
    /// Under which it was registered: `DIAL`, `DLNA`.
    public var id: String
    /// The device of the directory that offers it, or its part: `uuid:` and the UUID, `ble:…`, `peer:…`.
    public var owner: String
    /// Which of the device's members offers it: a place in `State.members` and `State.parts`.
    public var part: Int
    public init(id: String, owner: String, part: Int = 0) { (self.id, self.owner, self.part) = (id, owner, part) }
  }

  /// What is known of one member of a device: one device of the directory.
  public struct Part: Hashable, Sendable {
    /// Where it is reached; `nil`: the application found it itself, and did not say.
    public var address: DeviceAddress?
    /// Of the service, where the network names one; else it is that of `location`.
    public var port: UInt32?
    /// The URL of its description.
    public var location: String?
    /// A UUID that it says of itself, where none is in its name: 32 hexadecimal digits, or what the application says.
    public var uuid: String?
    /// What people call it.
    public var name: String?
    public var manufacturer: String?
    public var model: String?
    public var modelDescription: String?
    public var modelNumber: String?
    /// Where its apps are, as its server said beside the description.
    public var applicationURL: String?

    public init(address: DeviceAddress? = nil) { self.address = address }
  }

  /// What is known of the device.
  public struct State: Hashable, Sendable {
    /// What people call it; `nil`: nobody said it.
    public var name: String?
    public var model: String?
    public var manufacturer: String?
    /// Where it is reached now: the address of its first member that has one.
    public var address: DeviceAddress?
    /// In the order in which they came.
    public var services: [Service]
    /// Of all services that can be used, ordered by name, each once.
    public var capabilities: [Capability]
    /// The devices of the directory that it stands for, in the order in which they were found.
    public var members: [String]
    /// Why they are one: what each two of them have in common. Empty for a single member.
    public var evidence: [String]
    /// What is known of each of `members`, in that order; empty: nothing.
    public var parts: [Part]

    public init(
      name: String? = nil, model: String? = nil, manufacturer: String? = nil, address: DeviceAddress? = nil,
      services: [Service] = [], capabilities: [Capability] = [], members: [String] = [], evidence: [String] = [],
      parts: [Part] = []
    ) {
      (self.name, self.model, self.manufacturer, self.address) = (name, model, manufacturer, address)
      (self.services, self.capabilities, self.members, self.evidence) = (services, capabilities, members, evidence)
      self.parts = parts
    }
  }

  public enum Event: Hashable, Sendable {
    /// - Parameter isKnown: its id was given before, in this run or in one that is stored.
    case found(isKnown: Bool)
    /// It is still there, but not as it was.
    case updated
    case lost
    /// The application was started, and its store knows this device: as it was last, whether it is there or not.
    case remembered
    /// What it can do is different; told before `updated`.
    case capabilities(added: [Capability], removed: [Capability])
    /// Something became of the connection that the application asked for.
    case connection(ConnectionReport)
    /// What came of a request about an app on the device.
    case app(AppReport)
    /// A web app that the application is connected to did something by itself.
    case webApp(WebAppReport)
  }

  /// The id that the manager gave to it. It stays the same as long as one of its UUIDs is remembered.
  public var id: String
  public var event: Event
  /// As it is now; for one that is lost, as it was last.
  public var state: State

  public init(_ id: String, _ event: Event, _ state: State) { (self.id, self.event, self.state) = (id, event, state) }
}

extension ManagerReport.Event {
  /// What it is called in lines.
  public var name: String {
    switch self {
    case .found: "found"
    case .updated: "updated"
    case .lost: "lost"
    case .remembered: "remembered"
    case .capabilities: "capabilities"
    case .connection(let report): report.name
    case .app: "app"
    case .webApp: "web-app"
    }
  }

  /// Whether nobody answered where the device was heard, as the application connected or asked something of an app.
  package var isUnanswered: Bool {
    let failure: ConnectionFailure
    switch self {
    case .connection(.failed(let why)): failure = why
    case .app(let report):
      guard case .failed(let why) = report.outcome else { return false }
      failure = why
    default: return false
    }
    return failure.reason == .unreachable || failure.reason == .timedOut
  }
}

extension ManagerReport {
  /// What people read of it behind the name of the device.
  public var text: String {
    if case .connection(let report) = event { return report.text }
    if case .app(let report) = event { return report.text }
    if case .webApp(let report) = event { return report.text }
    var parts: [String] = [event.name]
    switch event {
    case .capabilities(let added, let removed):
      parts += added.map { "+\($0.name)" } + removed.map { "-\($0.name)" }
    case .found, .updated:
      if let address = state.address { parts.append("at \(address)") }
      parts.append("with " + (state.services.isEmpty ? "no service" : state.services.map(\.id).joined(separator: " ")))
      if state.members.count > 1 { parts.append("of \(state.members.count) devices") }
    case .remembered: if let address = state.address { parts.append("from \(address)") }
    case .lost, .connection, .app, .webApp: break
    }
    return parts.joined(separator: " ")
  }
}
