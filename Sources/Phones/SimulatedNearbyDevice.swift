package import Dispatch
package import Foundation
package import MultipeerConnectivity
package import RollcallDoors
import RollcallPeers
package import RollcallPrimitives
package import RollcallScenarios
import RollcallSessions
import RollcallWire

/// The nearby side of a phone in a virtual world, for applications that are written for MultipeerConnectivity.
///
/// Requests are taken, in the order in which they were made, while virtual time stands still, and become commands to the
/// `PeerDevice` of the phone's machine; what comes of them is pushed into the doors at the instant at which the machine
/// tells it. Until an application makes its first object the phone says nothing to the network.
package final class SimulatedNearbyDevice: VirtualNearbyDevice {
  struct Door {
    var door: any NearbyDoor
    var role: NearbyRole
    /// Of an advertiser or browser: the run that goes on.
    var run: Int?
    /// Of a session: its streams and resources.
    var channels = NearbyChannels()
  }

  /// What was asked, in order.
  enum Wish {
    case attach(NearbyNumber)
    case detach(NearbyNumber)
    case perform(NearbyRequest, NearbyNumber)
    case fetch(URL, @Sendable (Result<[UInt8], any Error>) -> Void)
    case step(NearbyBox.Step)
  }

  struct Page {
    var bytes: [UInt8]?
    var delay: Interval
  }
  struct Fetch {
    var due: Instant
    var result: Result<[UInt8], any Error>
    var answer: @Sendable (Result<[UInt8], any Error>) -> Void
  }
  struct OpenInvitation {
    var number: Int
    var advertiser: NearbyNumber
    var from: PeerKey
  }
  struct Prompt {
    var object: NearbyNumber
    var number: Int
    var from: PeerKey
  }

  struct State {
    var doors: [Int: Door] = [:]
    var doorCount = 0
    var wishes: [Wish] = []
    var identityCount = 0
    /// The peers that were heard of.
    var keys: [SessionPeerID: PeerKey] = [:]
    var certificates: [Int: (session: NearbyNumber, peer: SessionPeerID)] = [:]
    var certificateCount = 0
    var invitations: [OpenInvitation] = []
    var prompts: [Prompt] = []
    var person: NearbyPerson
    var pages: [URL: Page] = [:]
    var fetches: [Fetch] = []
    /// Whether the machine was told that the phone is on the network, and whether it is to be.
    var hasAppeared = false
    var isAway = false
    var isInBackground = false
    var now = Instant.zero
    /// Called when applications have asked something, from their threads; a world asks by itself.
    var whenAsked: (@Sendable () -> Void)?
  }

  let name: String
  private let seed: Seed
  package let policies: PeerPolicies
  package let queues: DoorQueues
  package let callbacks: DispatchQueue
  let state: Guarded<State>

  /// - Parameters:
  ///   - name: that of the phone; its peers have identities of it and the seed.
  ///   - queues: those of the phone.
  ///   - user: what the person does who uses it, until something else is asked for.
  package init(
    name: String, seed: Seed, queues: DoorQueues, policies: PeerPolicies, user: PhoneUser = PhoneUser()
  ) {
    (self.name, self.seed, self.queues, self.policies) = (name, seed, queues, policies)
    state = Guarded(State(person: NearbyPerson(user)))
    callbacks = DispatchQueue(label: "callbacks of \(name)")
  }

  /// The same in every run, and no two alike: the number of the peer among those of its phone goes into it.
  package func makeIdentity() -> [UInt8] {
    let number = state.withLock { state in
      state.identityCount += 1
      return state.identityCount
    }
    var draws = seed.stream("nearby/\(name)/\(number)")
    return SessionPeerID(high: draws.next(), low: draws.next()).bytes
  }

  package func attach(_ door: any NearbyDoor, as role: NearbyRole) -> NearbyNumber {
    state.withLock { state in
      state.doorCount += 1
      let number = NearbyNumber(state.doorCount)
      state.doors[number.value] = Door(door: door, role: role)
      return ask(.attach(number), number, &state)
    }
  }

  package func detach(_ object: NearbyNumber) {
    // It may hold the last reference to another object, which detaches in turn: not behind the lock.
    let door = state.withLock { state in
      state.person.forget(object)
      defer { state.doors[object.value] = nil }
      return ask(.detach(object), state.doors[object.value], &state)
    }
    withExtendedLifetime(door) {}
  }

  package func perform(_ request: NearbyRequest, for object: NearbyNumber) {
    state.withLock { ask(.perform(request, object), (), &$0) }
  }

  package func fetch(_ url: URL, _ answer: @escaping @Sendable (Result<[UInt8], any Error>) -> Void) {
    state.withLock { ask(.fetch(url, answer), (), &$0) }
  }

  @discardableResult private func ask<Result>(_ wish: Wish, _ result: Result, _ state: inout State) -> Result {
    state.wishes.append(wish)
    state.whenAsked?()
    return result
  }

  /// Called from threads of applications when they have asked something; a world asks by itself.
  package func whenAsked(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenAsked = body } }

  // MARK: - From outside of the applications

  /// What an `http` or `https` URL leads to on this phone's network; `nil`: nothing.
  func setPage(_ bytes: [UInt8]?, at url: URL, after delay: Interval) {
    state.withLock { $0.pages[url] = Page(bytes: bytes, delay: delay) }
  }

  func setBackground(_ isInBackground: Bool) {
    state.withLock { state in
      guard state.isInBackground != isInBackground else { return }
      state.isInBackground = isInBackground
      if state.hasAppeared { ask(.step(.command(.background(isInBackground))), (), &state) }
    }
  }

  func appear() {
    state.withLock { state in
      state.isAway = false
      if state.hasAppeared { ask(.step(.act(.appear)), (), &state) }
    }
  }

  package func leave() {
    state.withLock { state in
      state.isAway = true
      if state.hasAppeared { ask(.step(.act(.leave)), (), &state) }
    }
  }

  /// The phone is gone at once, and with it all applications.
  func vanish() {
    state.withLock { state in
      state.isAway = true
      if state.hasAppeared { ask(.step(.act(.vanish)), (), &state) }
    }
    endApplications()
  }

  /// What applications hold is of no use any more.
  func endApplications() {
    let gone = state.withLock { state in
      for number in state.doors.keys.sorted() {
        state.person.forget(NearbyNumber(number))
        ask(.detach(NearbyNumber(number)), (), &state)
      }
      defer { state.doors = [:] }
      return state.doors
    }
    withExtendedLifetime(gone) {}
  }

  func person(_ body: (inout NearbyPerson, Instant) -> Void) {
    state.withLock { state in
      let now = state.now
      body(&state.person, now)
      state.whenAsked?()
    }
  }

  // MARK: - Time

  /// When the phone wants time to stop for it.
  func nextDue() -> Instant {
    state.withLock { state in state.fetches.reduce(state.person.due) { min($0, $1.due) } }
  }

  /// Pushes events into doors. Where an application has several queues, what one event leads to is done before the next
  /// one comes: else the order of its calls would depend on how fast threads are.
  func push(_ events: [(object: NearbyNumber, event: NearbyEvent)]) {
    for (object, event) in events {
      guard let door = state.withLock({ $0.doors[object.value]?.door }) else { continue }
      door.push(event)
      if queues.count > 1 { queues.drain() }
    }
  }
}

extension SessionPeerID {
  var bytes: [UInt8] {
    (0..<16).map { (place: Int) -> UInt8 in
      let word = place < 8 ? high : low
      return UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (place % 8)))
    }
  }

  /// Of a peer of the doors. An archive may hold an identity of another length: its sum stands for it.
  init(_ key: PeerKey) {
    if key.identity.count == 16 {
      func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
      self.init(high: word(key.identity[..<8]), low: word(key.identity[8...]))
    } else {
      var digest = Digest()
      key.identity.withUnsafeBytes { digest.combine(Digest.hash($0), UInt64($0.count)) }
      let high = digest.state
      digest.combine(1)
      self.init(high: high, low: digest.state)
    }
  }
}

extension PeerName {
  init(_ key: PeerKey) { self.init(SessionPeerID(key), key.name) }
}
