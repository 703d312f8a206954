import RollcallDiscovery
import RollcallPrimitives
import RollcallReplaying
import RollcallScenarios
import RollcallWire

// Messages of multicast DNS, each host a program that says what it said at its times.
extension Reproducer {
  mutating func addMulticast(to scenario: inout Scenario) {
    let messages = tape.messages.filter(\.isMulticastDNS)
    if messages.isEmpty { return }
    // As in a replay it asks nobody, and so never doubts what it heard.
    scenario.engine.configuration.browse = [.everything]
    scenario.engine.configuration.asksForServices = false
    var parties: [Party] = []
    for message in messages {
      let party = Party(interface: message.interface, address: message.source.address)
      if !parties.contains(party) { parties.append(party) }
    }
    for party in parties {
      let own = messages.filter {
        $0.interface == party.interface && $0.source.address == party.address
      }
      let spoken = own.filter { !$0.isOwn || tape.perspective == .everybody }
      if spoken.count < own.count {
        lose(
          "what \(party.address) said by multicast DNS: the engine stands in its place and does not hear itself"
        )
      }
      if spoken.isEmpty { continue }
      if let host = responders[party] {
        addResponder(host, party, spoken.count, to: &scenario)
        continue
      }
      result.rawCount += spoken.count
      let lines = spoken.map { message in
        ScriptSection.Line(
          at: at(message.time), payload: message.payload, to: target(of: message.destination),
          from: message.source.address, sourcePort: message.source.port, ttl: Int(message.hopLimit))
      }
      let host = MulticastHost(spoken.map(\.payload))
      let name = name((host.name ?? "mdns") + "-" + Reproducer.tail(party.address))
      scenario.inhabitants.append(
        InhabitantEntry(
          name, host: hostSection(party, hasAddress: false), .script(ScriptSection(lines))))
      result.notes.append(
        (name, ["\(party.address) by multicast DNS: \(host.note(spoken.count))."]))
    }
  }

  /// The engine takes what came to one host from senders of its own subnet alone (RFC 6762 §11), and here it has a
  /// subnet of its own; a capture does not show subnets, so a replay takes it from everybody. By the group it comes from
  /// everybody here, too.
  private mutating func target(of destination: Endpoint) -> Target {
    if destination.address.isMulticast { return Target(.address(destination.address), port: destination.port) }
    if destination.port != Endpoint.mdnsPort { return Target(.name("engine"), port: destination.port) }
    lose("what went to one host by multicast DNS: it goes to the group")
    let group = Endpoint.mdns(destination.address.family)
    return Target(.address(group.address), port: group.port)
  }
}

extension Reproducer {
  /// The hosts that a responder may stand for, in the order in which they are first heard.
  static func responders(in tape: CaptureTape) -> [(party: Party, host: RecordedResponder)] {
    var found: [(party: Party, host: RecordedResponder)] = []
    var seen: Set<Party> = []
    for message in tape.messages where message.isMulticastDNS && !message.isOwn {
      let party = Party(interface: message.interface, address: message.source.address)
      guard seen.insert(party).inserted, found.count < respondersMaximum else { continue }
      let own = tape.messages.filter {
        $0.isMulticastDNS && $0.interface == party.interface && $0.source.address == party.address
      }
      // One host of a scenario is one inhabitant: who speaks SSDP as well has that for its own.
      let isTaken = tape.messages.contains {
        !$0.isMulticastDNS && $0.interface == party.interface && $0.source.address == party.address
      }
      if !isTaken, let host = RecordedResponder(own) { found.append((party, host)) }
    }
    return found
  }

  /// Each of them costs a run.
  static let respondersMaximum = 16

  private mutating func addResponder(
    _ host: RecordedResponder, _ party: Party, _ count: Int, to scenario: inout Scenario
  ) {
    result.ownCount += count
    func start(_ place: Int) -> Instant { .zero + at(host.starts[place]) - RecordedResponder.probing }
    let name = name((host.section.hostName ?? "mdns") + "-" + Reproducer.tail(party.address))
    scenario.inhabitants.append(
      InhabitantEntry(
        name, appear: .at(start(0)), host: hostSection(party, hasAddress: true), .mdnsResponder(host.section)))
    for place in host.starts.indices.dropFirst() {
      scenario.timeline.append(TimelineEntry(at: start(place), .act(who: name, .appear)))
    }
    for time in host.goodbyes {
      scenario.timeline.append(TimelineEntry(at: .zero + at(time), .act(who: name, .leave)))
    }
    scenario.timeline.sort { $0.at < $1.at }
    result.notes.append((name, ["\(party.address) by multicast DNS: \(count) messages, as a responder sends them."]))
  }
}

/// What a host is called and offers, as its messages have it.
private struct MulticastHost {
  /// The first label of its name; `nil`: it says none.
  var name: String?
  var services: [String] = []

  init(_ payloads: [[UInt8]]) {
    for payload in payloads {
      guard let message = payload.withUnsafeBytes({ try? DNSReader.read($0).message }) else {
        continue
      }
      for record in message.answers + message.authorities + message.additionals
      where record.ttlSeconds > 0 {
        switch record.data {
        case .srv(_, _, _, let target):
          if name == nil { name = DNSName.text(of: target.firstLabel) }
          let service = record.name.description
          if services.count < 8, !services.contains(service) { services.append(service) }
        case .address: if name == nil { name = DNSName.text(of: record.name.firstLabel) }
        default: continue
        }
      }
    }
  }

  func note(_ count: Int) -> String {
    (services.isEmpty ? "no service" : services.joined(separator: ", "))
      + "; \(count) message\(count == 1 ? "" : "s")"
  }
}
