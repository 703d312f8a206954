import MultipeerConnectivity
import RollcallPrimitives

/// What the person who uses a phone does with an invitation that is shown.
public enum NearbyAnswer: Hashable, Sendable {
  case accept, decline, ignore
}

/// The person who uses a phone: what they do with what `MCAdvertiserAssistant` and `MCBrowserViewController` show.
struct NearbyPerson {
  /// Something that the person does at an instant, if it can still be done.
  private struct Deed {
    var due: Instant
    var object: NearbyNumber
    var event: NearbyEvent
  }
  private struct Prompt {
    var object: NearbyNumber
    var number: Int
    var isPlanned = false
  }

  private var answer = NearbyAnswer.ignore
  private var answerDelay = Interval.zero
  private var picks: [(name: String, delay: Interval)] = []
  private var doneDelay: Interval?
  private var prompts: [Prompt] = []
  private var screens: [(object: NearbyNumber, screen: BrowserScreen)] = []
  private var deeds: [Deed] = []

  /// When the person does something next.
  var due: Instant { deeds.reduce(.never) { min($0, $1.due) } }

  mutating func takeDue(at now: Instant) -> [(object: NearbyNumber, event: NearbyEvent)] {
    let due = deeds.filter { $0.due <= now }.map { ($0.object, $0.event) }
    deeds.removeAll { $0.due <= now }
    return due
  }

  // MARK: Invitations

  mutating func answerInvitations(_ answer: NearbyAnswer, after delay: Interval, at now: Instant) {
    (self.answer, answerDelay) = (answer, delay)
    for place in prompts.indices where !prompts[place].isPlanned { plan(place, at: now) }
  }

  mutating func shown(_ number: Int, by object: NearbyNumber, at now: Instant) {
    prompts.append(Prompt(object: object, number: number))
    plan(prompts.count - 1, at: now)
  }

  /// An invitation that ended before it was shown.
  mutating func withdrawn(_ number: Int, of object: NearbyNumber, at now: Instant) {
    deeds.append(Deed(due: now, object: object, event: .assistant(.withdrawn(number))))
  }

  private mutating func plan(_ place: Int, at now: Instant) {
    guard answer != .ignore else { return }
    prompts[place].isPlanned = true
    deeds.append(
      Deed(
        due: now + answerDelay, object: prompts[place].object,
        event: .assistant(.answered(prompts[place].number, accepts: answer == .accept))))
  }

  mutating func dismissed(_ number: Int, by object: NearbyNumber) {
    prompts.removeAll { $0.object == object && $0.number == number }
    deeds.removeAll { deed in
      if case .assistant(.answered(number, _)) = deed.event { deed.object == object } else { false }
    }
  }

  // MARK: Browsers

  mutating func pick(_ name: String, after delay: Interval, at now: Instant) {
    picks.append((name, delay))
    for (object, screen) in screens { look(at: screen, of: object, at: now) }
  }

  mutating func pressDone(after delay: Interval, at now: Instant) {
    doneDelay = delay
    for (object, screen) in screens { look(at: screen, of: object, at: now) }
  }

  mutating func pressCancel(after delay: Interval, at now: Instant) {
    for (object, _) in screens {
      deeds.append(Deed(due: now + delay, object: object, event: .browserView(.cancelled)))
    }
  }

  mutating func shown(_ screen: BrowserScreen, by object: NearbyNumber, at now: Instant) {
    screens.removeAll { $0.object == object }
    screens.append((object, screen))
    look(at: screen, of: object, at: now)
  }

  /// Each peer is picked once; the button is pressed once for each screen.
  private mutating func look(at screen: BrowserScreen, of object: NearbyNumber, at now: Instant) {
    if screen.canInvite {
      for row in screen.rows where row.state == .found {
        guard let place = picks.firstIndex(where: { $0.name == row.peer.name }) else { continue }
        let pick = picks.remove(at: place)
        deeds.append(Deed(due: now + pick.delay, object: object, event: .browserView(.selected(row.peer))))
      }
    }
    let isPlanned = deeds.contains { $0.object == object && $0.event == .browserView(.done) }
    if screen.isDoneEnabled, let doneDelay, !isPlanned {
      deeds.append(Deed(due: now + doneDelay, object: object, event: .browserView(.done)))
    }
  }

  /// A screen is gone, or an object with all that it showed.
  mutating func dismissedScreen(of object: NearbyNumber) {
    screens.removeAll { $0.object == object }
    deeds.removeAll { deed in
      if case .browserView = deed.event { deed.object == object } else { false }
    }
  }

  mutating func forget(_ object: NearbyNumber) {
    dismissedScreen(of: object)
    prompts.removeAll { $0.object == object }
    deeds.removeAll { $0.object == object }
  }
}
