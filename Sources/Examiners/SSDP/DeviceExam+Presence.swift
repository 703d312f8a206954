import RollcallConformance
import RollcallPrimitives

// Silence says something only of a device that is there to break it. So what was not answered counts where the device answered
// to something that it was asked after the time for an answer was over, on the same path. An answer that merely came then may
// have waited in a device that hears nothing any more.
extension DeviceExam {
  package var isInterfaceLost: Bool { lostInterface != nil }

  /// Signs of life, in order of time.
  struct Life {
    /// When something was asked by multicast that was answered, and when anything was.
    var multicast: [Instant]
    var any: [Instant]
    /// When the device was heard.
    var heard: [Instant]
    /// When it said byebye although nobody was to stop it.
    var byebyes: [Instant]
  }

  var life: Life {
    var life = Life(multicast: [], any: [], heard: announcements(.alive).map(\.time), byebyes: [])
    guard let subject else { return life }
    for ask in asks {
      let times = answers(to: ask, of: subject).map(\.time)
      if times.isEmpty { continue }
      life.heard += times
      life.any.append(ask.time)
      if ask.question.isMulticast { life.multicast.append(ask.time) }
    }
    life.heard.sort()
    // A device that never answers shows by its announcements and its page that it is there.
    if isMute { life.multicast = (life.heard + (document.map { [$0.time] } ?? [])).sorted() }
    life.byebyes = announcements(.byebye).filter { byebye in
      ExamRoll.isSame(byebye.uuid, subject.root.uuid) && byebye.time < stoppingFrom ?? .never
    }
    .map(\.time)
    return life
  }

  /// Whether the time for answers to a question passed while the device was there.
  func isSettled(_ ask: ExamAsk, _ life: Life) -> Bool {
    if ask.wasRefused { return false }
    let signs = ask.question.isMulticast ? life.multicast : life.any
    // Nobody may take longer than 5 s, whatever MX says.
    let over = ask.time + min(ask.window, .seconds(5))
    guard let last = signs.last, last >= over else { return false }
    return !life.byebyes.contains { byebye in
      byebye <= over && (signs.first { $0 > byebye }.map { $0 > ask.time } ?? true)
    }
  }

  package var presence: ExamPresence {
    if let lostInterface { return .interfaceLost(at: lostInterface) }
    guard let after = fellSilentAfter, let subject else { return .present }
    let life = life
    let since =
      asks.filter(\.question.isMulticast).flatMap { answers(to: $0, of: subject) }.map(\.time).max() ?? began
    if let byebye = life.byebyes.last, !life.heard.contains(where: { $0 > byebye }) {
      return .left(at: byebye, with: "byebye")
    }
    let announced = announcements(.alive).contains { $0.time > since + .seconds(2) }
    return announced
      ? .deaf(since: since, after: after.rawValue) : .silent(since: since, after: after.rawValue)
  }

  /// Nothing that was or was not heard after this is judged; `nil`: everything is.
  var judgedUntil: Instant? {
    switch presence {
    case .present: nil
    case .left(let time, _), .silent(let time, _), .deaf(let time, _): time
    case .interfaceLost: life.heard.last ?? began
    }
  }

  // MARK: - What the examiner's host tells

  mutating func take(_ change: InterfaceChange, at now: Instant) {
    guard phase != .waiting, phase != .over, let home, home.interface == change.interface else { return }
    if change.hasAddress(home.address) { return }
    lostInterface = now
    cutOff(at: now)
  }

  /// What the system did not send was not asked.
  mutating func take(_ refusal: Refusal) {
    guard refusal.deed == .send, let number = askOfPort[refusal.port] else { return }
    asks[number].wasRefused = true
  }
}
