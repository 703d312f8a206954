import RollcallPeers
import RollcallPrimitives
import RollcallSessions
import RollcallSimulation
import RollcallTrace
import RollcallWire

/// Sums in place of cryptography.
struct SumCipher: SessionCipher {
  var identityKey: [UInt8]
  init(_ seed: [UInt8]) { identityKey = Array(seed.prefix(32)) }
  private func sum(_ bytes: [UInt8], _ key: [UInt8]) -> [UInt8] {
    var digest = Digest()
    bytes.withUnsafeBytes { digest.combine(Digest.hash($0)) }
    key.withUnsafeBytes { digest.combine(Digest.hash($0)) }
    return (0..<64).map { UInt8(truncatingIfNeeded: digest.state >> UInt64($0 % 8 * 8)) }
  }
  func signature(of bytes: [UInt8]) -> [UInt8] { sum(bytes, identityKey) }
  func isSignature(_ signature: [UInt8], of bytes: [UInt8], by key: [UInt8]) -> Bool { signature == sum(bytes, key) }
  func agreementKey(_ number: UInt64) -> [UInt8] { Array(repeating: UInt8(truncatingIfNeeded: number) | 1, count: 32) }
  /// Connections of the tests are plain.
  func channel(_ number: UInt64, with remote: [UInt8], transcript: [UInt8], isAsker: Bool) -> (any SealedChannel)? {
    nil
  }
}

/// A device with a script, and a log of what it told.
struct ScriptedDevice: Machine {
  enum Step {
    case command(PeerCommand)
    case act(Act)
  }
  var device: PeerDevice
  var script: [(at: Instant, step: Step)] = []
  private var done = 0
  /// The session that every invitation is accepted into; `nil`: nobody answers.
  var acceptsInto: Int?
  var declines = false
  /// Every peer that is found is invited into this session.
  var invitesInto: Int?
  /// Which of them; all, if it is not set.
  var elects: @Sendable (SessionPeerID) -> Bool = { _ in true }
  private(set) var log: [(at: Instant, event: PeerEvent)] = []

  init(_ device: PeerDevice) { self.device = device }

  var deadline: Instant? {
    guard done < script.count else { return device.deadline }
    return min(script[done].at, device.deadline ?? .never)
  }
  var presentDevices: [String] { device.presentDevices }

  mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    device.receive(signal, at: now, into: &outbox)
    react(at: now, into: &outbox)
  }

  mutating func wake(at now: Instant, into outbox: inout Outbox) {
    device.wake(at: now, into: &outbox)
    while done < script.count, script[done].at <= now {
      done += 1
      switch script[done - 1].step {
      case .command(let command): device.perform(command, at: now, into: &outbox)
      case .act(let act): device.perform(act, at: now, into: &outbox)
      }
    }
    react(at: now, into: &outbox)
  }

  private mutating func react(at now: Instant, into outbox: inout Outbox) {
    while true {
      let events = device.takeEvents()
      if events.isEmpty { return }
      for event in events {
        log.append((now, event))
        switch event {
        case .invited(_, let invitation, _, _):
          if declines || acceptsInto != nil {
            device.perform(.answer(invitation: invitation, session: acceptsInto), at: now, into: &outbox)
          }
        case .found(_, let peer, _):
          guard let invitesInto, elects(peer.id) else { continue }
          device.perform(
            .invite(peer.id, session: invitesInto, context: nil, time: .zero), at: now, into: &outbox)
        case .session(let session, .streamBytes(let stream, let bytes)):
          device.perform(.session(session, .consumed(stream, byteCount: bytes.count)), at: now, into: &outbox)
        case .session(let session, .resourceWanted(let id, let count)):
          let number = opened.first { $0.id == id }?.number ?? 0
          let bytes = [UInt8](repeating: 7, count: count)
          device.perform(.session(session, .supply(number, bytes)), at: now, into: &outbox)
        case .opened(_, let number, let id): opened.append((number, id))
        default: break
        }
      }
    }
  }
  private var opened: [(number: Int, id: SessionChannelID)] = []
}

/// Devices on one virtual LAN. Device `n` has the peer `name(n)`, with lower IDs for lower numbers.
struct PeerRig {
  static func name(_ number: Int) -> PeerName {
    PeerName(SessionPeerID(high: 0, low: UInt64(number + 1)), "peer \(number)")
  }
  static func time(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  var devices: [ScriptedDevice]
  var seed = Seed(1)
  var link = LinkRule(latency: .constant(.milliseconds(2)))
  var faults: [(time: Instant, fault: Fault)] = []

  /// Every device is there from the first instant on, with a session of the number 1.
  init(_ count: Int, preference: EncryptionPreference = .none, _ change: (inout PeerPlan) -> Void = { _ in }) {
    devices = (0..<count).map { number in
      var plan = PeerPlan(host: "host\(number)") { SumCipher($0) }
      change(&plan)
      return ScriptedDevice(PeerDevice(plan, seed: Seed(9), name: "host\(number)"))
    }
    for number in 0..<count {
      at(0, number, .act(.appear))
      at(0, number, .command(.openSession(1, PeerSessionSetup(PeerRig.name(number), preference: preference))))
    }
  }

  mutating func at(_ milliseconds: Int64, _ device: Int, _ step: ScriptedDevice.Step) {
    devices[device].script.append((PeerRig.time(milliseconds), step))
  }
  mutating func at(_ milliseconds: Int64, _ device: Int, _ command: PeerCommand) {
    at(milliseconds, device, .command(command))
  }
  mutating func advertise(_ milliseconds: Int64, _ device: Int, info: [PeerInfo]? = nil) {
    at(milliseconds, device, .advertise(1, PeerRig.name(device), type: "chat", info: info))
  }
  mutating func browse(_ milliseconds: Int64, _ device: Int) {
    at(milliseconds, device, .browse(1, PeerRig.name(device), type: "chat"))
  }

  /// The devices as they are after so many seconds.
  func run(seconds: Int64, _ recorder: Recorder? = nil) -> [ScriptedDevice] {
    let plans = devices.indices.map { number in
      HostPlan(
        name: "h\(number)",
        interfaces: [
          InterfacePlan(
            segment: 0, addresses: [InterfaceAddress(IPAddress(10, 0, 0, UInt8(number + 1)), prefixBits: 24)],
            outbound: link, inbound: LinkRule())
        ])
    }
    var plan = WorldPlan(
      network: NetworkPlan(segments: [SegmentPlan(name: "lan")], hosts: plans), duration: .seconds(seconds), seed: seed)
    for device in devices {
      var device = device
      device.script.sort { $0.at < $1.at }
      plan.machines.append(device)
    }
    plan.faults = faults
    var world = World(plan: plan, recorder: recorder)
    world.runAll()
    return devices.indices.map { world.machine(ofHost: $0, as: ScriptedDevice.self)! }
  }
}

extension ScriptedDevice {
  /// What it told, a line for each event, with the time in whole seconds.
  var lines: [String] { log.map { "\($0.at.nanoseconds / 1_000_000_000) s \(ScriptedDevice.text($0.event))" } }

  static func text(_ event: PeerEvent) -> String {
    func name(_ id: SessionPeerID) -> String { "peer \(id.low - 1)" }
    switch event {
    case .found(let browser, let peer, let info):
      let pairs = info?.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
      return "browser \(browser) found \(peer.name)" + (pairs.map { " " + $0 } ?? "")
    case .lost(let browser, let peer): return "browser \(browser) lost \(name(peer))"
    case .invited(_, let invitation, let from, let context):
      return "invitation \(invitation) of \(from.name)" + (context.map { " with \($0.count) bytes" } ?? "")
    case .invitationEnded(_, let invitation): return "invitation \(invitation) ended"
    case .session(let session, .state(let peer, let state)): return "session \(session): \(name(peer)) \(state)"
    case .session(let session, .message(let peer, let bytes, let isReliable)):
      return "session \(session): \(bytes.count) bytes of \(name(peer))" + (isReliable ? "" : ", unreliable")
    case .session(let session, .ended(let id, let error)):
      return "session \(session): channel \(id.number)\(id.isIncoming ? " in" : "") ended"
        + (error.map { " with \($0)" } ?? "")
    case .session(let session, .streamBytes(let id, let bytes)):
      return "session \(session): \(bytes.count) bytes on stream \(id.number)"
    case .session(let session, .streamOpened(let id, let name)):
      return "session \(session): stream \(id.number) \(name)"
    case .session(let session, .resourceStarted(let id, let name, let file, let count)):
      return "session \(session): resource \(id.number) \(name) (\(file)) of \(count ?? -1) bytes"
    default: return "\(event)"
    }
  }
}
