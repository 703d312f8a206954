package import RollcallPrimitives
import RollcallSessions
import RollcallWire

/// A host with one nearby peer and a script: an inhabitant of a virtual network that advertises, browses, invites,
/// answers, sends, and tells what it was told as reports.
///
/// It is what an application would be above `PeerDevice`, with one advertiser, one browser and one session.
package struct NearbyPeer: Machine, Sendable {
  /// Invitations, answers and messages that wait for their time; more are dropped.
  static let todosMaximum = 4_096

  enum Todo: Sendable {
    case answer(invitation: Int)
    case invite(SessionPeerID)
    /// Message number `number` of the script, for the members that it is meant for, or for one of them.
    case say(Int, to: SessionPeerID?, left: Int)
    case sendFile(SessionPeerID, byteCount: Int)
    case openStream(SessionPeerID, byteCount: Int)
  }
  /// A member of the session, since it was connected.
  struct Member: Sendable {
    var id: SessionPeerID
    var sentCount = 0
    var heardCount = 0
    var heardBytes = 0
    /// The number that its next numbered message has.
    var expected = 0
  }
  struct Channel: Sendable {
    var id: SessionChannelID
    /// The number that this side gave; of one of the other side 0.
    var number = 0
    var isFile: Bool
    var byteCount = 0
  }

  package let plan: NearbyPeerPlan
  let seed: Seed
  let host: String
  var device: PeerDevice
  /// Which of its identities it has; the first is 0.
  private(set) var identity = 0
  private var isSetUp = false
  private(set) var interfaces: [InterfaceChange] = []
  var found: [PeerName] = []
  var members: [Member] = []
  var channels: [Channel] = []
  /// Those that wait for an answer.
  var invitations: [(number: Int, peer: PeerName)] = []
  var todos: [(at: Instant, todo: Todo)] = []
  /// Of streams and files of this side.
  var channelCount = 0

  /// - Parameter host: the name of the host, of which IDs and random streams are made.
  package init(_ plan: NearbyPeerPlan, seed: Seed, host: String) {
    (self.plan, self.seed, self.host) = (plan, seed, host)
    device = PeerDevice(plan.device(named: host), seed: seed, name: host)
  }

  package var name: PeerName { PeerName(NearbyPeerPlan.id(ofHost: host, identity), plan.name ?? host) }
  package var presentDevices: [String] { device.presentDevices }

  package var deadline: Instant? {
    guard let first = todos.first else { return device.deadline }
    return min(first.at, device.deadline ?? .never)
  }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    wake(at: now, into: &outbox)
    if case .value(let id) = signal {
      switch outbox.values[id] {
      case .host(.interface(let change)):
        interfaces.removeAll { $0.interface == change.interface }
        interfaces.append(change)
      case .application(.act(let act)):
        perform(act, at: now, into: &outbox)
        return settle(at: now, into: &outbox)
      default: break
      }
    }
    device.receive(signal, at: now, into: &outbox)
    settle(at: now, into: &outbox)
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    device.wake(at: now, into: &outbox)
    settle(at: now, into: &outbox)
    while let first = todos.first, first.at <= now {
      todos.removeFirst()
      carryOut(first.todo, at: now, into: &outbox)
      settle(at: now, into: &outbox)
    }
  }

  /// In the order of time; of one instant in the order in which they were asked for.
  mutating func schedule(_ todo: Todo, at time: Instant) {
    guard todos.count < NearbyPeer.todosMaximum else { return }
    let place = todos.firstIndex { $0.at > time } ?? todos.count
    todos.insert((time, todo), at: place)
  }

  // MARK: - The timeline

  private mutating func perform(_ act: Act, at now: Instant, into outbox: inout Outbox) {
    switch act {
    case .appear:
      device.perform(act, at: now, into: &outbox)
      if !isSetUp { setUp(at: now, into: &outbox) }
    case .leave, .reboot, .vanish, .crash:
      forget()
      device.perform(act, at: now, into: &outbox)
    case .send(let number):
      if plan.messages.indices.contains(number) {
        say(number, to: nil, left: plan.messages[number].times, at: now, into: &outbox)
      }
    case .move(let interface, let address):
      // Another identity begins with the address that it has then.
      for place in interfaces.indices where interfaces[place].interface == interface {
        interfaces[place] = interfaces[place].readdressed(to: address)
      }
      device.perform(act, at: now, into: &outbox)
    case .peer(let one): perform(one, at: now, into: &outbox)
    default: break
    }
  }

  private mutating func perform(_ act: PeerAct, at now: Instant, into outbox: inout Outbox) {
    switch act {
    case .background:
      found = []
      device.perform(.background(true), at: now, into: &outbox)
    case .foreground: device.perform(.background(false), at: now, into: &outbox)
    case .advertise: advertise(at: now, into: &outbox)
    case .stopAdvertising: device.perform(.stopAdvertising(1), at: now, into: &outbox)
    case .invite: for peer in found where invites(peer) { invite(peer.id, at: now, into: &outbox) }
    case .leaveSession: device.perform(.session(1, .disconnect), at: now, into: &outbox)
    case .newIdentity:
      forget()
      device.perform(Act.vanish, at: now, into: &outbox)
      if !plan.faults.contains(.identityKept) { identity += 1 }
      device = PeerDevice(plan.device(named: host), seed: seed, name: "\(host)/\(identity)")
      for change in interfaces {
        device.receive(.host(.interface(change)), at: now, into: &outbox)
      }
      device.perform(Act.appear, at: now, into: &outbox)
      setUp(at: now, into: &outbox)
    }
  }

  /// What it does as soon as it is there for the first time.
  private mutating func setUp(at now: Instant, into outbox: inout Outbox) {
    isSetUp = true
    device.perform(
      .openSession(1, PeerSessionSetup(name, preference: plan.encryption)), at: now, into: &outbox)
    if plan.advertises { advertise(at: now, into: &outbox) }
    if plan.browses { device.perform(.browse(1, name, type: plan.type), at: now, into: &outbox) }
  }

  private mutating func advertise(at now: Instant, into outbox: inout Outbox) {
    device.perform(
      .advertise(1, name, type: plan.type, info: plan.info.isEmpty ? nil : plan.info), at: now, into: &outbox)
  }

  /// Everything that the process knew.
  private mutating func forget() { (found, members, channels, todos, invitations) = ([], [], [], [], []) }

  // MARK: - Bounds

  /// What should hold between two calls and does not, for tests.
  package var brokenInvariants: [String] {
    var broken = device.brokenInvariants
    if members.count >= max(2, plan.sessions.peersMaximum) { broken.append("\(members.count) members") }
    if todos.count > NearbyPeer.todosMaximum { broken.append("\(todos.count) things to do") }
    if zip(todos, todos.dropFirst()).contains(where: { $0.at > $1.at }) { broken.append("things to do out of order") }
    return broken
  }
}
