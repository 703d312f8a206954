import RollcallPrimitives
import RollcallWire

/// Who sends: a host of a trace, an address in a capture.
struct Speaker: Hashable {
  /// −1: in a capture.
  let host: Int32
  private let address: IPAddress

  init(_ observation: Observation) { self.init(host: observation.host, observation.source.address) }

  init(host: Int32, _ address: IPAddress) {
    self.host = host
    self.address = host < 0 ? address : IPAddress(v4: 0)
  }
}

/// Where messages meet: a link in one family of addresses.
struct LinkKey: Hashable {
  var number: UInt64
  var family: IPAddress.Family
}

/// What a trace tells of hosts and their interfaces; of a capture nothing is known.
struct MulticastHosts {
  private struct State {
    var interface: InterfaceID
    var addresses: [InterfaceAddress] = []
    var link: UInt64 = 0
    var isUp = false
    /// When it last came up.
    var up = Instant(nanoseconds: .min)
    /// When it came up after it had been down; never: it was up from the start.
    var upAgain = Instant(nanoseconds: .min)
    var wasUp = false
  }
  /// The interfaces of each host.
  private var states: [Int32: [State]] = [:]
  /// When a host was last off the network by a deed.
  private var offs: [Int32: Instant] = [:]
  /// When its application last began or ended to look for services.
  private var browsed: [Int32: Instant] = [:]
  /// When its application last could not reach a device.
  private var doubted: [Int32: Instant] = [:]
  /// Whose an address is.
  private var owners: [IPAddress: Int32] = [:]

  mutating func note(_ event: TraceEvent) {
    switch event.content {
    case .interface(let change):
      var state = state(event.host, change.interface) ?? State(interface: change.interface)
      if change.isUp, !state.isUp {
        state.up = event.time
        if state.wasUp { state.upAgain = event.time }
      }
      (state.isUp, state.wasUp) = (change.isUp, state.wasUp || change.isUp)
      for entry in state.addresses where owners[entry.address] == event.host { owners[entry.address] = nil }
      state.addresses = change.addresses
      for entry in change.addresses { owners[entry.address] = event.host }
      if let network = change.addresses.first(where: { !$0.address.isLinkLocal || $0.address.family == .v4 }) {
        state.link = MulticastHosts.number(of: network)
      }
      states[event.host, default: []].removeAll { $0.interface == change.interface }
      states[event.host, default: []].append(state)
    case .deed(let deed):
      switch deed {
      case .leave, .vanish, .crash, .reboot: offs[event.host] = event.time
      // It has an address that no change of its interface tells.
      case .move:
        for place in states[event.host, default: []].indices {
          for entry in states[event.host]?[place].addresses ?? [] { owners[entry.address] = nil }
          states[event.host]?[place].addresses = []
        }
      default: break
      }
    case .browsed: browsed[event.host] = event.time
    case .doubted: doubted[event.host] = event.time
    default: break
    }
  }

  private func state(_ host: Int32, _ interface: InterfaceID) -> State? {
    states[host]?.first { $0.interface == interface }
  }

  /// The network that an address is part of.
  private static func number(of entry: InterfaceAddress) -> UInt64 {
    var (bytes, bits) = (entry.address.bytes, entry.prefixBits)
    for place in bytes.indices {
      let kept = max(0, min(8, bits))
      bytes[place] &= UInt8(truncatingIfNeeded: 0xFF00 &>> UInt16(kept))
      bits -= 8
    }
    return bytes.withUnsafeBytes { Digest.hash($0) }
  }

  func link(of observation: Observation) -> LinkKey {
    let family = observation.source.address.family
    guard observation.host >= 0 else {
      return LinkKey(number: UInt64(observation.interface.number), family: family)
    }
    return LinkKey(number: state(observation.host, observation.interface)?.link ?? 0, family: family)
  }

  /// The addresses of the interface that something is sent on; `nil`: not known.
  func addresses(at observation: Observation) -> [IPAddress]? {
    state(observation.host, observation.interface).flatMap { state in
      state.addresses.isEmpty ? nil : state.addresses.map(\.address)
    }
  }

  /// Whether an address is of the link that something is sent on; `nil`: not known.
  func isOnLink(_ address: IPAddress, at observation: Observation) -> Bool? {
    guard let state = state(observation.host, observation.interface) else { return nil }
    let own = state.addresses.filter { $0.address.family == address.family }
    if own.isEmpty { return nil }
    return address.isLinkLocal || own.contains { $0.address.sharesPrefix($0.prefixBits, with: address) }
  }

  /// Who has an address, where a trace tells.
  func speaker(of address: IPAddress) -> Speaker { Speaker(host: owners[address] ?? -1, address) }

  /// When the sender could first ask here: its interface came up, or its application said what it looks for; `nil`: not
  /// known.
  func beginning(at observation: Observation) -> Instant? {
    guard let state = state(observation.host, observation.interface) else { return nil }
    return max(state.up, browsed[observation.host] ?? state.up)
  }

  /// When the sender last had a reason to ask for what it knows (RFC 6762 §10.4).
  func doubt(at observation: Observation) -> Instant { doubted[observation.host] ?? Instant(nanoseconds: .min) }

  /// When the sender last began anew here: it was off, or the interface was down.
  func restart(at observation: Observation) -> (off: Instant, upAgain: Instant) {
    let never = Instant(nanoseconds: .min)
    return (offs[observation.host] ?? never, state(observation.host, observation.interface)?.upAgain ?? never)
  }
}

/// A message with its sender.
struct HeardMessage {
  var message: DNSMessage
  var observation: Observation
  var scene: FindingCollector.Scene
  var speaker: Speaker
  var link: LinkKey
  /// Whether all that was sent is known.
  var isComplete: Bool

  var time: Instant { observation.time }
  var isMulticast: Bool { observation.destination.address.isMulticast }
  /// A reply to a client that does not use the port: nothing else is heard at another one.
  var isLegacyReply: Bool { observation.destination.port != Endpoint.mdnsPort }
  /// It asks for names that its sender wants to have.
  var isProbe: Bool { !message.flags.isResponse && !message.authorities.isEmpty }
  var records: [DNSRecord] { message.answers + message.authorities + message.additionals }

  /// The names that are probed for.
  var probedNames: [DNSName] {
    guard isProbe else { return [] }
    var names: [DNSName] = []
    for question in message.questions where !names.contains(question.name) {
      if message.authorities.contains(where: { $0.name == question.name }) { names.append(question.name) }
    }
    return names
  }
}

/// Words of a message by which it is found again.
enum MulticastKey {
  static func name(_ name: DNSName, _ type: DNSType = DNSType(rawValue: 0), _ data: [UInt8] = []) -> UInt64 {
    var digest = Digest()
    // A length is at most 63, and so is no letter.
    let folded = name.wire.map(Bytes.lower)
    digest.combine(folded.withUnsafeBytes { Digest.hash($0) })
    digest.combine(UInt64(type.rawValue), data.withUnsafeBytes { Digest.hash($0) })
    return digest.state
  }

  static func record(_ record: DNSRecord) -> UInt64 { name(record.name, record.type, record.data.bytes) }
}

extension FindingCollector {
  /// Held or violated; where something that was not seen may explain a breach, it is left open.
  mutating func rule(
    _ clause: ClauseID, _ isHeld: Bool, isSure: Bool, at scene: Scene, expected: @autoclosure () -> String,
    found: @autoclosure () -> String, doubt: @autoclosure () -> String
  ) {
    if isHeld || isSure {
      rule(clause, isHeld, at: scene, expected: expected(), found: found())
    } else {
      inconclusive(clause, at: scene, why: doubt())
    }
  }
}
