package import RollcallPrimitives
import RollcallWire

/// What became of the responder, or of the way to it, in the course of an examination.
package enum ResponderPresence: Hashable, Sendable {
  /// It was there to the end, as far as anybody can tell.
  case present
  /// It took its records back (TTL 0), and answered nothing after that.
  case left(at: Instant)
  /// It answered nothing any more.
  case silent(since: Instant)
  /// The examiner's own interface went away.
  case interfaceLost(at: Instant)

  /// For people; `nil`: there is nothing to say.
  package var text: String? {
    switch self {
    case .present: nil
    case .left(let time): "it left with goodbye at \(time.seconds) s"
    case .silent(let since): "it answered nothing after \(since.seconds) s"
    case .interfaceLost(let time): "the examiner's interface went away at \(time.seconds) s"
    }
  }

  /// For programs.
  package var word: String {
    switch self {
    case .present: "present"
    case .left: "left"
    case .silent: "silent"
    case .interfaceLost: "interfaceLost"
    }
  }
}

extension Instant {
  /// With three decimals.
  fileprivate var seconds: String { (self - .zero).seconds(decimals: 3) }
}

extension ResponderExam {
  package var isInterfaceLost: Bool { lostInterface != nil }

  /// The last questions ask whether it is still there; where none of them is answered, it is not.
  package var presence: ResponderPresence {
    if let lostInterface { return .interfaceLost(at: lostInterface) }
    let signs = asks.reversed().prefix { $0.probe == nil && $0.expects == .answer && !$0.wasRefused }
    guard !wasStopped, !signs.isEmpty, signs.allSatisfy({ answers(to: $0).isEmpty }) else { return .present }
    let answered = asks.flatMap { answers(to: $0) }.map(\.time).max() ?? began
    let goodbye = heard.last { response in
      let answers = response.message.answers
      return response.source.address == examined && !answers.isEmpty && answers.allSatisfy { $0.ttlSeconds == 0 }
    }
    if let goodbye, goodbye.time >= answered { return .left(at: goodbye.time) }
    return .silent(since: answered)
  }

  // MARK: - What the examiner's host tells

  mutating func take(_ change: InterfaceChange, at now: Instant) {
    guard phase != .over, let home, home.interface == change.interface else { return }
    if change.isUp, change.addresses.contains(where: { $0.address == home.address }) { return }
    lostInterface = now
    if examined == nil { end(.noAddress, at: now) } else { cutOff(at: now) }
  }

  /// What the system did not send was not asked.
  mutating func take(_ refusal: Refusal) {
    let last = asks.lastIndex {
      $0.source.port == refusal.port && $0.destination.address == refusal.address && !$0.wasRefused
    }
    if refusal.deed == .send, let last { asks[last].wasRefused = true }
  }
}
