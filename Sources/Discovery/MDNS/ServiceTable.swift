import RollcallPrimitives
import RollcallWire

/// The services of which there is a PTR record, and the hosts that they are on.
struct ServiceTable: Sendable {
  struct Service: Sendable {
    var name: ServiceInstanceName
    /// What was told of it last; `nil`: it is not found, or it is lost.
    var told: FoundService?
    /// The hosts that its SRV records name, no one twice.
    var hosts: [DNSName] = []
  }

  private var services: [DNSName: Service] = [:]
  private var users: [DNSName: [DNSName]] = [:]

  var present: [FoundService] {
    let told = services.compactMap(\.value.told)  // ordered: sorted by the name
    return told.sorted { $0.name.domainName < $1.name.domainName }
  }

  subscript(name: DNSName) -> Service? { services[name] }
  func isHost(_ name: DNSName) -> Bool { users[name] != nil }
  /// The services on a host, in the order in which they came there.
  func services(on host: DNSName) -> [DNSName] { users[host] ?? [] }

  mutating func insert(_ name: ServiceInstanceName) {
    if services[name.domainName] == nil { services[name.domainName] = Service(name: name) }
  }

  mutating func tell(_ name: DNSName, _ service: FoundService?) { services[name]?.told = service }

  /// - Returns: the hosts that no service is on any more.
  mutating func setHosts(_ name: DNSName, _ hosts: [DNSName]) -> [DNSName] {
    guard let before = services[name]?.hosts, before != hosts else { return [] }
    services[name]?.hosts = hosts
    for host in hosts where !before.contains(host) { users[host, default: []].append(name) }
    var free: [DNSName] = []
    for host in before where !hosts.contains(host) {
      users[host]?.removeAll { $0 == name }
      if users[host]?.isEmpty == true {
        users[host] = nil
        free.append(host)
      }
    }
    return free
  }

  mutating func remove(_ name: DNSName) { services[name] = nil }

  var brokenInvariants: [String] {
    let used = services.reduce(0) { $0 + $1.value.hosts.count }  // ordered: a sum
    let using = users.reduce(0) { $0 + $1.value.count }  // ordered: a sum
    return used == using ? [] : ["services name \(used) hosts, hosts have \(using) services"]
  }
}

/// Services of which something is different, each once, in the order in which it was noticed.
struct TouchedServices: Sendable {
  /// With the cause if the service is gone for it.
  private(set) var all: [(name: DNSName, cause: LossCause)] = []
  private var names: Set<DNSName> = []

  mutating func add(_ name: DNSName, _ cause: LossCause) {
    if names.insert(name).inserted { all.append((name, cause)) }
  }
}
