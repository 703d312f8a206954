import MultipeerConnectivity
import RollcallPrimitives
import RollcallScenarios

/// What the person who uses a phone does with an invitation that is shown.
public enum NearbyAnswer: Hashable, Sendable {
  case accept, decline, ignore

  fileprivate var scripted: PhoneUser.Answer {
    switch self {
    case .accept: .accept
    case .decline: .decline
    case .ignore: .ignore
    }
  }
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

  private struct Shown {
    var object: NearbyNumber
    var screen: BrowserScreen
    /// Those that were selected on it already, as long as it shows them.
    var selected: [PeerKey] = []
  }

  private var script: PhoneUser
  private var picks: [(name: String, delay: Interval)] = []
  private var prompts: [Prompt] = []
  private var screens: [Shown] = []
  private var deeds: [Deed] = []

  init(_ script: PhoneUser) { self.script = script }

  /// When the person does something next.
  var due: Instant { deeds.reduce(.never) { min($0, $1.due) } }

  mutating func takeDue(at now: Instant) -> [(object: NearbyNumber, event: NearbyEvent)] {
    let due = deeds.filter { $0.due <= now }.map { ($0.object, $0.event) }
    deeds.removeAll { $0.due <= now }
    return due
  }

  // MARK: Invitations

  mutating func answerInvitations(_ answer: NearbyAnswer, after delay: Interval, at now: Instant) {
    (script.answer, script.answerDelay) = (answer.scripted, delay)
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
    guard script.answer != .ignore else { return }
    prompts[place].isPlanned = true
    deeds.append(
      Deed(
        due: now + script.answerDelay, object: prompts[place].object,
        event: .assistant(.answered(prompts[place].number, accepts: script.answer == .accept))))
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
    for place in screens.indices { look(at: place, at: now) }
  }

  mutating func pressDone(after delay: Interval, at now: Instant) {
    script.doneDelay = delay
    for place in screens.indices { look(at: place, at: now) }
  }

  mutating func pressCancel(after delay: Interval, at now: Instant) {
    for shown in screens { plan(.cancelled, on: shown.object, at: now + delay) }
  }

  mutating func shown(_ screen: BrowserScreen, by object: NearbyNumber, at now: Instant) {
    if let place = screens.firstIndex(where: { $0.object == object }) {
      screens[place].screen = screen
      look(at: place, at: now)
    } else {
      screens.append(Shown(object: object, screen: screen))
      if let delay = script.cancelDelay { plan(.cancelled, on: object, at: now + delay) }
      look(at: screens.count - 1, at: now)
    }
  }

  /// A peer that was picked is picked once, one that the script selects once as long as the screen shows it; the button
  /// is pressed once for each screen.
  private mutating func look(at place: Int, at now: Instant) {
    let (object, screen) = (screens[place].object, screens[place].screen)
    screens[place].selected.removeAll { peer in !screen.rows.contains { $0.peer.identity == peer.identity } }
    for row in screen.rows where row.state != .found {
      if !hasSelected(row.peer, on: place) { screens[place].selected.append(row.peer) }
      // Planned by an earlier screen: a peer that declined meanwhile is not to be asked again.
      deeds.removeAll { $0.object == object && $0.event == .browserView(.selected(row.peer)) }
    }
    if screen.canInvite {
      for row in screen.rows where row.state == .found && !isPlanned(.selected(row.peer), on: object) {
        if let number = picks.firstIndex(where: { $0.name == row.peer.name }) {
          let pick = picks.remove(at: number)
          plan(.selected(row.peer), on: object, at: now + pick.delay)
        } else if selects(row.peer), !hasSelected(row.peer, on: place) {
          plan(.selected(row.peer), on: object, at: now + script.selectDelay)
        }
      }
    }
    if screen.isDoneEnabled, let delay = script.doneDelay, !isPlanned(.done, on: object) {
      plan(.done, on: object, at: now + delay)
    }
  }

  private func selects(_ peer: PeerKey) -> Bool {
    switch script.selects {
    case nil: false
    case .each: true
    case .named(let names): names.contains(peer.name)
    }
  }

  /// A peer that was invited in another way counts as selected, too.
  private func hasSelected(_ peer: PeerKey, on place: Int) -> Bool {
    screens[place].selected.contains { $0.identity == peer.identity }
  }

  private mutating func plan(_ event: BrowserViewEvent, on object: NearbyNumber, at due: Instant) {
    deeds.append(Deed(due: due, object: object, event: .browserView(event)))
  }

  private func isPlanned(_ event: BrowserViewEvent, on object: NearbyNumber) -> Bool {
    deeds.contains { $0.object == object && $0.event == .browserView(event) }
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
