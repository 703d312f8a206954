import RollcallDevices
package import RollcallPrimitives
import RollcallReplaying
package import RollcallScenarios
import RollcallWire

/// A scenario made of a capture: who was there, in whose words and at what times they spoke, who searched and who
/// answered how fast.
package struct Reproduction: Sendable {
  package var scenario: Scenario
  /// Messages that come from an inhabitant's own behaviour, and those that are spelled out one by one.
  package var ownCount = 0
  package var rawCount = 0
  /// What is not as it was in the capture, a line each.
  package var losses: [String] = []
  /// Comments for the printer, by inhabitant.
  package var notes: [(name: String, lines: [String])] = []
  /// The scenario's instant of the first message.
  package static let lead = Interval.seconds(1)

  package var share: Double { Double(ownCount) / Double(max(1, ownCount + rawCount)) }

  init(_ scenario: Scenario) { self.scenario = scenario }
}

/// Builds a reproduction out of a tape.
struct Reproducer {
  let tape: CaptureTape
  let grain: TimeGrain
  /// Interfaces of the capture that carried discovery, in order: a segment each.
  let interfaces: [Int]
  var result: Reproduction
  var names: [String] = []
  /// Searches in order of time, as hosts of the scenario hear them.
  var searches: [TapedSearch] = []
  /// The ports from which programs beside the engine search.
  var ports: [Endpoint: UInt16] = [:]
  /// Datagrams that no inhabitant sends by itself, by interface.
  var oddities: [(interface: Int, line: ScriptSection.Line)] = []

  struct TapedSearch {
    var time: Instant
    var interface: Int
    var source: Endpoint
    var destination: Endpoint
    var target: String
    /// Whether a program beside the engine sends it in the scenario.
    var isShared: Bool
  }

  /// Everybody of the capture: an address on a link.
  struct Party: Hashable {
    var interface: Int
    var address: IPAddress
  }

  /// Hosts of multicast DNS that a responder stands for.
  let responders: [Party: RecordedResponder]

  init(_ tape: CaptureTape, grain: TimeGrain, responders: [Party: RecordedResponder] = [:]) {
    self.tape = tape
    self.grain = grain
    self.responders = responders
    interfaces = Array(Set(tape.messages.map(\.interface))).sorted()
    result = Reproduction(Scenario(""))
  }

  static func reproduce(
    _ tape: CaptureTape, title: String, grain: TimeGrain, responders: [Party: RecordedResponder] = [:]
  ) -> Reproduction {
    var reproducer = Reproducer(tape, grain: grain, responders: responders)
    reproducer.build(title)
    return reproducer.result
  }

  // MARK: Time

  /// The instant of the scenario at which something of the capture happens.
  func at(_ time: Instant) -> Interval { Reproduction.lead + grain.rounded(time - tape.start) }

  // MARK: Building

  private mutating func build(_ title: String) {
    var scenario = Scenario(title)
    // Up to a whole millisecond: what is due at the last frame still counts.
    let length = (Reproduction.lead + (tape.end - tape.start)).nanoseconds
    scenario.duration = .milliseconds((length + 999_999) / 1_000_000)
    scenario.network = network
    scenario.engine.host = engineHost
    collectSearches()
    var parties: [Party] = []
    let messages = tape.messages.filter { !$0.isMulticastDNS }
    for message in messages {
      let party = Party(interface: message.interface, address: message.source.address)
      if !parties.contains(party) { parties.append(party) }
    }
    for party in parties {
      let own = messages.filter { $0.interface == party.interface && $0.source.address == party.address }
      addSearcher(own.filter { $0.kind == .search && isShared($0) }, party, to: &scenario)
      addHost(own.filter { !($0.kind == .search && isShared($0)) }, party, to: &scenario)
    }
    addOddities(to: &scenario)
    addMulticast(to: &scenario)
    addPeripherals(to: &scenario)
    result.scenario = scenario
  }

  /// Whether the engine takes part in a search: in everybody's, or in those of the host that it is.
  func isShared(_ message: TapedMessage) -> Bool { tape.perspective == .everybody || message.isOwn }

  private static let subnets = ["192.0.2.0", "198.51.100.0", "203.0.113.0"]

  /// The tap has a subnet of its own that nobody else is in: as in a replay, no LOCATION is on its link.
  private var network: NetworkSection {
    var section = NetworkSection()
    if interfaces.isEmpty { return section }
    section.segments = interfaces.indices.map { index in
      let address = index < 3 ? IPAddress(Reproducer.subnets[index]) : IPAddress(198, 18, UInt8(clamping: index), 0)
      return SegmentSection(
        name: segment(index), subnet: InterfaceAddress(address ?? IPAddress(192, 0, 2, 0), prefixBits: 24))
    }
    return section
  }

  func segment(_ index: Int) -> String { index == 0 ? "lan" : "lan-\(index + 1)" }

  private var engineHost: HostSection {
    var host = HostSection()
    if interfaces.count > 1 {
      host.interfaces = interfaces.indices.map { InterfaceSection(segment: segment($0)) }
    }
    if tape.messages.contains(where: { $0.source.address.family == .v6 }) { host.ipv6 = true }
    return host
  }

  func hostSection(_ party: Party, hasAddress: Bool) -> HostSection {
    var host = HostSection()
    if let index = interfaces.firstIndex(of: party.interface), index > 0 { host.segment = segment(index) }
    if hasAddress { host.address = party.address } else if party.address.family == .v6 { host.ipv6 = true }
    return host
  }

  /// A name that nobody has yet.
  mutating func name(_ wanted: String) -> String {
    let plain = String(wanted.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }.prefix(40))
    let base = plain.first?.isLetter ?? false ? plain : "host-" + plain
    var name = base
    var number = 2
    while names.contains(name) || name == "engine" || name == "each" || name == "any" {
      name = "\(base)-\(number)"
      number += 1
    }
    names.append(name)
    return name
  }

  /// The last part of an address, to tell hosts of one kind apart.
  static func tail(_ address: IPAddress) -> String {
    address.family == .v4
      ? String(address.low & 0xFF) : "v6-" + String(address.low & 0xFFFF, radix: 16)
  }

  mutating func lose(_ text: String) { if !result.losses.contains(text) { result.losses.append(text) } }

  // MARK: Searches

  private mutating func collectSearches() {
    for message in tape.messages where message.kind == .search {
      guard let target = FieldText.value("ST", of: message.payload) else { continue }
      searches.append(
        TapedSearch(
          time: message.time, interface: message.interface, source: message.source,
          destination: message.destination, target: target, isShared: isShared(message)))
    }
  }

  /// A program beside the engine: searches in the words of the capture, from the engine's address.
  private mutating func addSearcher(_ messages: [TapedMessage], _ party: Party, to scenario: inout Scenario) {
    if messages.isEmpty { return }
    var section = RecordedSection(isBesideEngine: true)
    section.says = utterances(messages, party, &section.sets)
    let name = name("app-" + Reproducer.tail(party.address))
    scenario.inhabitants.append(InhabitantEntry(name, host: hostSection(party, hasAddress: false), .recorded(section)))
    result.notes.append((name, ["Searches of \(party.address): the engine takes part in them."]))
  }

  // MARK: Hosts

  private mutating func addHost(_ messages: [TapedMessage], _ party: Party, to scenario: inout Scenario) {
    var messages = messages
    if case .host = tape.perspective, messages.contains(where: { $0.isOwn }) {
      lose("what \(party.address) announced itself: the engine stands in its place and does not hear itself")
      messages.removeAll { $0.isOwn }
    }
    if messages.isEmpty { return }
    var section = RecordedSection()
    let unasked = unasked(messages, party)
    if !unasked.isEmpty {
      lose("\(unasked.count) searches that \(party.address) answered and the capture does not show: it answers unasked")
    }
    section.says = utterances(messages.filter { $0.kind != .response || unasked.contains($0) }, party, &section.sets)
    section.answers = answers(messages.filter { $0.kind == .response }, party, &section.sets)
    if section.says.isEmpty, section.answers.isEmpty { return }
    let name = name(HostText.name(messages) + "-" + Reproducer.tail(party.address))
    scenario.inhabitants.append(InhabitantEntry(name, host: hostSection(party, hasAddress: true), .recorded(section)))
    result.notes.append((name, HostText.notes(messages, section)))
  }

  // MARK: Oddities

  private mutating func addOddities(to scenario: inout Scenario) {
    for interface in interfaces {
      for family in [IPAddress.Family.v4, .v6] {
        let lines = oddities.filter { $0.interface == interface && $0.line.from?.family == family }.map(\.line)
        if lines.isEmpty { continue }
        var host = HostSection()
        if let index = interfaces.firstIndex(of: interface), index > 0 { host.segment = segment(index) }
        if family == .v6 { host.ipv6 = true }
        let name = name("oddities")
        scenario.inhabitants.append(InhabitantEntry(name, host: host, .script(ScriptSection(lines))))
        result.notes.append((name, ["Datagrams that belong to no set and answer no search."]))
      }
    }
  }
}
