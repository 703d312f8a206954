import MultipeerConnectivity
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import Testing

@testable import RollcallPhones

/// What a person does with what objects show to them, without a phone around them.
@Suite("A person who uses a phone") struct NearbyPersonTests {
  private let first = NearbyNumber(1)
  private let second = NearbyNumber(2)
  private let third = NearbyNumber(3)
  private let ben = PeerKey(identity: [1], name: "Ben")
  private let cem = PeerKey(identity: [2], name: "Cem")

  private func time(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

  /// What is done up to an instant and was not done before: the number of the object, and the deed.
  private func deeds(of person: inout NearbyPerson, at seconds: Int64) -> [String] {
    person.takeDue(at: time(seconds)).map { "\($0.object.value) \(words($0.event))" }
  }

  private func words(_ event: NearbyEvent) -> String {
    switch event {
    case .assistant(.answered(let number, let accepts)): "\(accepts ? "accepts" : "declines") \(number)"
    case .assistant(.withdrawn(let number)): "misses \(number)"
    case .browserView(.selected(let peer)): "selects \(peer.name)"
    case .browserView(.done): "is done"
    case .browserView(.cancelled): "cancels"
    default: "\(event)"
    }
  }

  private func screen(
    _ rows: [(peer: PeerKey, state: BrowserScreen.RowState)], isDoneEnabled: Bool = false
  ) -> BrowserScreen {
    BrowserScreen(
      rows: rows.map { BrowserScreen.Row(peer: $0.peer, info: nil, state: $0.state) }, isDoneEnabled: isDoneEnabled,
      canInvite: true)
  }

  @Test("an invitation that waits is answered once somebody says how, and one that has its answer keeps it")
  func waiting() {
    var person = NearbyPerson(PhoneUser())
    person.shown(1, by: first, at: time(0))
    expectEqual(person.due, .never)
    person.answerInvitations(.accept, after: .seconds(1), at: time(2))
    person.answerInvitations(.decline, after: .seconds(1), at: time(2))
    person.shown(2, by: first, at: time(4))
    expectEqual(person.due, time(3))
    expectEqual(deeds(of: &person, at: 3), ["1 accepts 1"])
    expectEqual(deeds(of: &person, at: 9), ["1 declines 2"])
  }

  @Test("an invitation that is dismissed gets no answer any more, and all others do")
  func dismissed() {
    func person(_ answer: PhoneUser.Answer) -> NearbyPerson {
      var user = PhoneUser()
      (user.answer, user.answerDelay) = (answer, .seconds(5))
      var person = NearbyPerson(user)
      person.shown(screen([]), by: third, at: time(0))
      person.pressCancel(after: .seconds(5), at: time(0))
      for (number, object) in [(1, first), (2, first), (1, second)] { person.shown(number, by: object, at: time(0)) }
      person.dismissed(1, by: first)
      return person
    }
    let rest = ["3 cancels", "1 accepts 2", "2 accepts 1"]
    var planned = person(.accept)
    expectEqual(deeds(of: &planned, at: 5), rest)
    var waiting = person(.ignore)
    waiting.answerInvitations(.accept, after: .seconds(5), at: time(0))
    expectEqual(deeds(of: &waiting, at: 5), rest)
  }

  @Test("an object that is gone takes along all that it showed, a screen what is done on it, and nothing else goes")
  func gone() {
    func rest(_ change: (inout NearbyPerson) -> Void) -> [String] {
      var person = NearbyPerson(PhoneUser())
      for object in [first, second] {
        person.shown(1, by: object, at: time(0))
        person.withdrawn(9, of: object, at: time(0))
        person.shown(screen([]), by: object, at: time(0))
      }
      person.pressCancel(after: .zero, at: time(0))
      change(&person)
      person.answerInvitations(.accept, after: .zero, at: time(0))
      person.pressCancel(after: .seconds(1), at: time(0))
      return deeds(of: &person, at: 1)
    }
    expectEqual(
      rest { _ in },
      [
        "1 misses 9", "2 misses 9", "1 cancels", "2 cancels", "1 accepts 1", "2 accepts 1", "1 cancels", "2 cancels",
      ])
    expectEqual(rest { $0.forget(first) }, ["2 misses 9", "2 cancels", "2 accepts 1", "2 cancels"])
    expectEqual(
      rest { $0.dismissedScreen(of: first) },
      ["1 misses 9", "2 misses 9", "2 cancels", "1 accepts 1", "2 accepts 1", "2 cancels"])
  }

  @Test("a peer is selected once on each screen that shows it, and not if it was invited in another way meanwhile")
  func selected() {
    var user = PhoneUser()
    (user.selects, user.selectDelay, user.cancelDelay) = (.each, .seconds(5), .seconds(30))
    var person = NearbyPerson(user)
    for object in [first, second, first, second] {
      person.shown(screen([(ben, .found)]), by: object, at: time(0))
    }
    person.shown(screen([(ben, .invited)]), by: first, at: time(1))
    expectEqual(deeds(of: &person, at: 5), ["2 selects Ben"])
    // It has declined.
    person.shown(screen([(ben, .found)]), by: first, at: time(6))
    expectEqual(deeds(of: &person, at: 19), [])
    // It was away.
    person.shown(screen([]), by: first, at: time(20))
    person.shown(screen([(ben, .found)]), by: first, at: time(21))
    expectEqual(deeds(of: &person, at: 26), ["1 selects Ben"])
    expectEqual(deeds(of: &person, at: 40), ["1 cancels", "2 cancels"])
  }

  @Test("a peer that code picks, Done and Cancel come after their delays, on a screen that is there or comes later")
  func picked() {
    var person = NearbyPerson(PhoneUser())
    person.pick("Ben", after: .seconds(1), at: time(0))
    let both = screen([(ben, .found), (cem, .found)], isDoneEnabled: true)
    person.shown(both, by: first, at: time(2))
    expectEqual(deeds(of: &person, at: 3), ["1 selects Ben"])
    // A pick is one selection.
    person.shown(both, by: first, at: time(4))
    expectEqual(person.due, .never)
    person.pick("Cem", after: .seconds(3), at: time(10))
    expectEqual(person.due, time(13))
    person.pressDone(after: .seconds(4), at: time(11))
    person.pressCancel(after: .seconds(5), at: time(11))
    let told = ([12, 13, 15, 16] as [Int64]).map { deeds(of: &person, at: $0) }
    expectEqual(told, [[], ["1 selects Cem"], ["1 is done"], ["1 cancels"]])
  }
}
