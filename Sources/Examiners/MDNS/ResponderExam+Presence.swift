import RollcallPrimitives
import RollcallWire

extension ResponderExam {
  package var isInterfaceLost: Bool { lostInterface != nil }

  /// The last questions ask whether it is still there; where none of them is answered, it is not.
  package var presence: ExamPresence {
    if let lostInterface { return .interfaceLost(at: lostInterface) }
    let signs = asks.reversed().prefix { $0.probe == nil && $0.expects == .answer && !$0.wasRefused }
    guard !wasStopped, !signs.isEmpty, signs.allSatisfy({ answers(to: $0).isEmpty }) else { return .present }
    let answered = asks.flatMap { answers(to: $0) }.map(\.time).max() ?? began
    let goodbye = heard.last { response in
      let answers = response.message.answers
      return response.source.address == examined && !answers.isEmpty && answers.allSatisfy { $0.ttlSeconds == 0 }
    }
    if let goodbye, goodbye.time >= answered { return .left(at: goodbye.time, with: "goodbye") }
    return .silent(since: answered, after: nil)
  }

  // MARK: - What the examiner's host tells

  mutating func take(_ change: InterfaceChange, at now: Instant) {
    guard phase != .over, let home, home.interface == change.interface else { return }
    if change.hasAddress(home.address) { return }
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
