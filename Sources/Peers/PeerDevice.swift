import RollcallDevices
import RollcallDiscovery
package import RollcallPrimitives
import RollcallSessions
import RollcallWire

/// A device with nearby peers: it advertises and browses by multicast DNS, and runs the sessions of its applications.
///
/// A value: commands, datagrams and time in; datagrams into the outbox and `events` out, in order. One port serves all
/// sessions. Invitations to a peer that advertises are taken by a session of the device's own (`Reception`); where the
/// application accepts one, its session and that of the inviter connect anew, since until then nobody knows which
/// session, and with it which encryption and certificates, it will be.
package struct PeerDevice: Machine, Sendable {
  /// Peers of this device, advertisers, browsers and sessions, each at a time.
  static let objectsMaximum = 64

  struct Local: Sendable {
    var peer: PeerName
    var card: SessionCard
    var cipher: any SessionCipher
  }
  struct Advertiser: Sendable {
    var number: Int
    var record: PeerRecord
    var type: ServiceType
  }
  struct Browser: Sendable {
    var number: Int
    var own: SessionPeerID
    var type: ServiceType
    /// What it was told of, in that order.
    var told: [PeerRecord] = []
  }
  /// Takes the invitations to one peer of this device.
  struct Reception: Sendable {
    var peer: SessionPeerID
    var machine: SessionMachine
  }
  struct Session: Sendable {
    var number: Int
    var machine: SessionMachine
    var channels: [OwnChannel] = []
    /// Its owner is gone; it still says that it leaves.
    var isClosed = false
  }
  /// An invitation that waits for its answer.
  struct Invitation: Sendable {
    var number: Int
    var advertiser: Int
    var to: SessionPeerID
    /// Its number at the reception.
    var inner: Int
    var inviter: SessionCard
    /// It was a member of a session with this peer when it came.
    var isOfMember: Bool
  }
  /// An advertisement that is still there though its advertiser has stopped.
  struct Withdrawal: Sendable {
    var record: PeerRecord
    var type: ServiceType
    var due: Instant
  }

  package let plan: PeerPlan
  let seed: Seed
  var responder: MDNSResponder
  var browser: ServiceBrowser
  var locals: [Local] = []
  var advertisers: [Advertiser] = []
  var withdrawals: [Withdrawal] = []
  var browsers: [Browser] = []
  var receptions: [Reception] = []
  var sessions: [Session] = []
  /// How many sessions and receptions were made with a random stream of each name.
  var streamCounts: [String: Int] = [:]
  var invitations: [Invitation] = []
  var invitationCount = 0
  private(set) var events: [PeerEvent] = []
  var interfaces: [InterfaceChange] = []
  private(set) var isOn = false
  var isInBackground = false
  /// Connections that came to be.
  var connectionCount = 0
  /// Until then peers are told repeatedly, where the device is like that.
  var repeatsUntil = Instant.zero
  /// The instant of the call.
  private(set) var current = Instant.zero
  /// When a data path is there.
  private var pathDue = Instant.never
  /// Packets for no session of ours.
  package private(set) var strayCount = 0

  package init(_ plan: PeerPlan, seed: Seed, name: String) {
    (self.plan, self.seed) = (plan, seed)
    responder = MDNSResponder(MDNSPlan(host: plan.host), seed: seed, name: name)
    browser = ServiceBrowser(seed: seed, name: name)
  }

  /// Hands over what there is to tell.
  package mutating func takeEvents() -> [PeerEvent] {
    defer { events = [] }
    return events
  }

  mutating func tell(_ event: PeerEvent) { events.append(event) }
  var faults: PeerFaults { plan.sessions.faults }

  /// The peers that somebody can find now, as an engine reports them.
  package var presentDevices: [String] { responder.presentDevices }

  /// Where its sessions are reached: on each interface that is up in each family, IPv4 before IPv6.
  var places: [SessionPlace] {
    interfaces.filter(\.isUp).flatMap { change in
      [IPAddress.Family.v4, .v6].compactMap { family in
        let own = change.addresses.first { $0.address.family == family && !$0.address.isMulticast }
        return own.map {
          SessionPlace(Endpoint($0.address, port: plan.port), on: change.interface, prefixBits: $0.prefixBits)
        }
      }
    }
  }

  package var deadline: Instant? {
    var next = min(responder.deadline ?? .never, browser.deadline ?? .never)
    for one in receptions { next = min(next, one.machine.deadline ?? .never) }
    for one in sessions { next = min(next, one.machine.deadline ?? .never) }
    for one in withdrawals { next = min(next, one.due) }
    return next == .never ? nil : next
  }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    wake(at: now, into: &outbox)
    switch signal {
    case .datagram(let datagram):
      guard isOn else { return }
      if datagram.destination.port == Endpoint.mdnsPort {
        responder.receive(signal, at: now, into: &outbox)
        browser.receive(signal, at: now, into: &outbox)
        noteServices()
      } else if datagram.destination.port == plan.port {
        // Before there is a data path, discovery works and nothing else.
        if plan.quirks.hasNoDataPath || now < pathDue { return }
        if let maximum = plan.quirks.connectionsMaximum, connectionCount >= maximum, isOpening(datagram, outbox) {
          return
        }
        route(datagram, at: now, into: &outbox)
      }
    case .value(let id):
      switch outbox.values[id] {
      case .host(.interface(let change)):
        take(change, at: now, into: &outbox)
        responder.receive(signal, at: now, into: &outbox)
        browser.receive(signal, at: now, into: &outbox)
        noteServices()
      case .application(.act(let act)): perform(act, at: now, into: &outbox)
      default: break
      }
    }
    collect(at: now, into: &outbox)
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    current = now
    while let due = withdrawals.map(\.due).min(), due <= now { withdraw(at: now, into: &outbox) }
    responder.wake(at: now, into: &outbox)
    noteLife(at: now, into: &outbox)
    browser.wake(at: now, into: &outbox)
    noteServices()
    for index in receptions.indices { receptions[index].machine.wake(at: now, into: &outbox) }
    for index in sessions.indices { sessions[index].machine.wake(at: now, into: &outbox) }
    collect(at: now, into: &outbox)
  }

  // MARK: - The timeline

  /// Comes to the network or goes, with all its peers.
  package mutating func perform(_ act: Act, at now: Instant, into outbox: inout Outbox) {
    switch act {
    case .leave, .reboot:
      leaveSessions(at: now, into: &outbox)
    case .vanish, .crash: forgetSessions()
    case .peer(.background): perform(.background(true), at: now, into: &outbox)
    case .peer(.foreground): perform(.background(false), at: now, into: &outbox)
    default: break
    }
    responder.act(act, at: now, into: &outbox)
    if case .move(let interface, let address) = act { move(interface, to: address, at: now, into: &outbox) }
    noteLife(at: now, into: &outbox)
    collect(at: now, into: &outbox)
  }

  /// Browses and keeps its sessions from the new address: a question from the old one would be nobody's.
  private mutating func move(
    _ interface: InterfaceID, to address: IPAddress, at now: Instant, into outbox: inout Outbox
  ) {
    guard !address.isMulticast, let change = interfaces.first(where: { $0.interface == interface }) else { return }
    let moved = change.readdressed(to: address)
    take(moved, at: now, into: &outbox)
    browser.receive(.host(.interface(moved)), at: now, into: &outbox)
    noteServices()
  }

  /// While the device is away nothing is browsed for; what was found before is found anew.
  private mutating func noteLife(at now: Instant, into outbox: inout Outbox) {
    guard isOn != responder.isOn else { return }
    isOn = responder.isOn
    if isOn {
      pathDue = now + plan.quirks.dataPathDelay
      resumeBrowsing(at: now, into: &outbox)
    } else {
      pauseBrowsing(at: now, into: &outbox)
    }
  }

  /// The process is gone: nobody is told anything.
  private mutating func forgetSessions() {
    for index in sessions.indices {
      sessions[index].machine.vanish()
      sessions[index].channels = []
    }
    for index in receptions.indices { receptions[index].machine.vanish() }
    invitations = []
  }

  private mutating func take(_ change: InterfaceChange, at now: Instant, into outbox: inout Outbox) {
    interfaces.removeAll { $0.interface == change.interface }
    interfaces.append(change)
    interfaces.sort { $0.interface.number < $1.interface.number }
    for index in receptions.indices { receptions[index].machine.settle(in: places) }
    for index in sessions.indices { sessions[index].machine.settle(in: places) }
  }

  mutating func stray() { strayCount &+= 1 }

  /// What should hold between two calls and does not, for tests.
  package var brokenInvariants: [String] {
    var broken = browser.brokenInvariants
    func bound(_ count: Int, _ maximum: Int, _ noun: String) {
      if count > maximum { broken.append("\(count) \(noun), at most \(maximum)") }
    }
    let most = PeerDevice.objectsMaximum
    bound(locals.count, most, "peers of the device")
    bound(advertisers.count, most, "advertisers")
    bound(browsers.count, most, "browsers")
    bound(receptions.count, most, "receptions")
    bound(sessions.count { !$0.isClosed }, most, "sessions")
    bound(invitations.count, receptions.count * plan.sessions.openingsMaximum, "invitations")
    for one in invitations where !receptions.contains(where: { $0.peer == one.to }) {
      broken.append("invitation \(one.number) has no reception")
    }
    for one in browsers {
      let ids = one.told.map(\.peer.id)
      if Set(ids).count != ids.count { broken.append("browser \(one.number) was told of a peer twice") }
    }
    // Connections of a session: members, attempts on either side, and those that say that they end.
    let links = plan.sessions.peersMaximum + 2 * plan.sessions.openingsMaximum
    for one in sessions.map(\.machine) + receptions.map(\.machine) { bound(one.linkCount, links, "connections") }
    return broken
  }
}
