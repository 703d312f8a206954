import RollcallConnect
import RollcallDoors
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import Testing

@testable import RollcallPhones

/// What applications on a phone of a world ask its network, and what that tells them, one by one.
@Suite("The network of applications on a phone") struct SimulatedDiscoveryTests {
  private final class Door: DiscoveryDoor {
    private let news = Guarded<[DiscoveryNews]>([])
    func push(_ one: DiscoveryNews) { news.withLock { $0.append(one) } }
    /// Since the last call.
    func take() -> [DiscoveryNews] { news.exchange([]) }
  }

  private final class AnswerDoor: SearchDoor {
    private let events = Guarded<[SearchNews.Event]>([])
    func push(_ event: SearchNews.Event) { events.withLock { $0.append(event) } }
    func take() -> [SearchNews.Event] { events.exchange([]) }
  }

  private let discovery = SimulatedDiscovery(queues: DoorQueues())

  @Test("an hour is over after an hour and not before, from the start of a manager and from the hour before")
  func hours() {
    func move(to minutes: Int64, less nanoseconds: Int64 = 0) {
      discovery.move(to: Instant.zero + .minutes(minutes) - .nanoseconds(nanoseconds))
    }
    let (first, second) = (Door(), Door())
    move(to: 10)
    expectEqual(discovery.unixNanoseconds, 1_704_067_800_000_000_000)
    discovery.attach(first, DiscoverySetup())
    move(to: 70, less: 1)
    expectEqual(first.take(), [])
    for _ in 0..<2 { move(to: 70) }
    expectEqual(first.take(), [.hourPassed])
    // What comes late is one hour, and the next one is counted from there.
    move(to: 200)
    move(to: 260, less: 1)
    expectEqual(first.take(), [.hourPassed])
    discovery.attach(second, DiscoverySetup())
    move(to: 260)
    expectEqual(second.take(), [])
    move(to: 320)
    expectEqual(second.take(), [.hourPassed])
    // The first one has no place here any more, and the second one has until it goes.
    discovery.detach(first)
    let setup = DiscoverySetup()
    expectEqual(discovery.takeCommands(), [.manager(.begin(setup)), .manager(.begin(setup))])
    for _ in 0..<2 { discovery.detach(second) }
    expectEqual(discovery.takeCommands(), [.manager(.stop)])
    move(to: 400)
    expectEqual([first.take(), second.take()], [[], []])
  }

  @Test("a manager is shown all devices once for each change, and from the beginning when it starts")
  func devices() {
    let door = Door()
    #expect(!discovery.wantsDevices(afterChanges: 0))
    for _ in 0..<2 {
      discovery.attach(door, DiscoverySetup())
      let wants = [0, 0, 1, 1, 0].map { (changes: UInt64) in discovery.wantsDevices(afterChanges: changes) }
      expectEqual(wants, [true, false, true, false, true])
    }
    let present = [PresentDevice(id: "a", state: ManagerReport.State(name: "A"))]
    let failure = Failure(reason: .cannotSend, explanation: "no")
    discovery.show(present)
    discovery.take(Report.failed(failure))
    expectEqual(door.take(), [.present(present), .failed(failure)])
  }

  @Test("a world shows a manager the devices that are there, and does not do so again while they stay the same")
  func shown() throws {
    let scenario = try Scenario(yaml: "scenario: Nobody\nduration: 1m", file: "nobody.yaml")
    let world = PhoneWorld(try scenario.resolved(), seed: Seed(1))
    let door = Door()
    world.driven(nil).discovery.attach(door, DiscoverySetup())
    let news = [1, 2].map { _ -> [DiscoveryNews] in
      world.run(for: .seconds(1))
      return door.take()
    }
    expectEqual(news, [[.present([])], []])
  }

  @Test("each search by hand has a number of its own and hears its own answers, until it is over or stopped")
  func searches() {
    let doors = [AnswerDoor(), AnswerDoor(), AnswerDoor()]
    var search = Search(id: SearchID(7), target: "t")
    let ids = doors.prefix(2).map { discovery.begin(search, for: $0) }
    expectEqual(ids, [SearchID(0x4000_0000), SearchID(0x4000_0001)])
    let begun = ids.map { id -> Command in
      search.id = id
      return .search(search)
    }
    expectEqual(discovery.takeCommands(), begun)
    for id in [SearchID(7), ids[1]] { discovery.take(SearchNews(id, .answer([1]))) }
    discovery.take(SearchNews(ids[0], .failed(Failure(reason: .cannotSend, explanation: "no"))))
    discovery.take(SearchNews(ids[0], .answer([2])))
    expectEqual(doors[0].take().count, 2)
    expectEqual(doors[1].take(), [.answer([1])])
    // One is over, and one is stopped.
    for _ in 0..<2 { discovery.take(SearchNews(ids[0], .ended(wasStopped: false))) }
    for id in [ids[0], ids[1], ids[1]] { discovery.stopSearch(id) }
    expectEqual(discovery.takeCommands(), [.stopSearch(ids[1])])
    for id in ids { discovery.take(SearchNews(id, .answer([3]))) }
    expectEqual(doors[0].take(), [.ended(wasStopped: false)])
    expectEqual(doors[1].take(), [])
    expectEqual(discovery.begin(search, for: doors[2]), SearchID(0x4000_0002))
  }
}
