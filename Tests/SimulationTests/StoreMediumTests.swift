import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallSimulation

@Suite("Stores of a world") struct StoreMediumTests {
  /// Wants something of its store at each of its times, and notes the answers.
  private struct Keeper: Machine {
    var wishes: [(at: Instant, effect: StoreEffect)] = []
    var log: [String] = []

    var deadline: Instant? { wishes.first?.at }

    mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
      guard case .value(let id) = signal, case .store(let signal) = outbox.values[id] else { return }
      log.append("\(now) \(signal.text)")
    }

    mutating func wake(at now: Instant, into outbox: inout Outbox) {
      while let wish = wishes.first, wish.at <= now {
        wishes.removeFirst()
        outbox.want(wish.effect)
      }
    }
  }

  private static func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

  /// What hosts with these wishes are answered.
  private func answers(_ plan: StorePlan, _ hosts: [[(at: Int64, effect: StoreEffect)]]) -> [[String]] {
    let hostPlans = hosts.indices.map { number in
      let address = InterfaceAddress(IPAddress(10, 0, 0, UInt8(number + 1)), prefixBits: 24)
      return HostPlan(name: "h\(number)", interfaces: [InterfacePlan(segment: 0, addresses: [address])])
    }
    var world = WorldPlan(
      network: NetworkPlan(segments: [SegmentPlan(name: "lan")], hosts: hostPlans), duration: .seconds(100),
      seed: Seed(1))
    for wishes in hosts {
      world.machines.append(Keeper(wishes: wishes.map { (StoreMediumTests.at($0.at), $0.effect) }))
    }
    world.media.append(StoreMedium(plan))
    var running = World(plan: world)
    running.runAll()
    var logs: [[String]] = []
    for host in hosts.indices { logs.append(running.machine(ofHost: host, as: Keeper.self)?.log ?? []) }
    return logs
  }

  private func get(_ key: String) -> StoreEffect { .get(key: key) }
  private func put(_ key: String, _ text: String) -> StoreEffect { .put(key: key, Array(text.utf8)) }

  @Test("a value stays until it is replaced or deleted, for each host its own")
  func values() {
    let first: [(at: Int64, effect: StoreEffect)] = [
      (1, get("a")), (2, put("a", "x")), (3, put("b", "y")), (4, get("a")), (5, put("a", "z")), (6, get("a")),
      (7, .delete(key: "a")), (8, get("a")), (9, get("b")), (10, .delete(key: "a")),
    ]
    expectEqual(
      answers(StorePlan(), [first, [(20, get("b"))]]),
      [
        [
          "1.001700000 store nothing a", "2.001700000 store stored a", "3.001700000 store stored b",
          "4.001700000 store value a x", "5.001700000 store stored a", "6.001700000 store value a z",
          "7.001700000 store stored a", "8.001700000 store nothing a", "9.001700000 store value b y",
          "10.001700000 store stored a",
        ], ["20.001700000 store nothing b"],
      ])
  }

  @Test("a full disk takes nothing new, a refused store does nothing, a damaged one has lost all, each while it lasts")
  func troubles() {
    var plan = StorePlan()
    let troubles: [(Int64, Int64, StoreFailure)] = [(50, 60, .damaged), (10, 30, .full), (20, 30, .denied)]
    for (at, until, failure) in troubles {
      plan.add(
        StorePlan.Trouble(host: 0, at: StoreMediumTests.at(at), until: StoreMediumTests.at(until), failure))
    }
    let wishes: [(at: Int64, effect: StoreEffect)] = [
      (1, put("a", "x")), (10, put("a", "y")), (11, get("a")), (12, .delete(key: "b")), (20, get("a")),
      (21, .delete(key: "a")), (30, get("a")), (50, get("a")), (51, put("a", "z")), (60, get("a")),
    ]
    expectEqual(
      answers(plan, [wishes, [(15, put("a", "w"))]]),
      [
        [
          "1.001700000 store stored a", "10.001700000 store failed a full", "11.001700000 store value a x",
          "12.001700000 store stored b", "20.001700000 store failed a denied", "21.001700000 store failed a denied",
          "30.001700000 store value a x", "50.001700000 store failed a damaged", "51.001700000 store failed a damaged",
          "60.001700000 store nothing a",
        ], ["15.001700000 store stored a"],
      ])
  }

  @Test("a damaged store has lost all also where nobody asked it meanwhile, and keeps what comes afterwards")
  func unseenDamage() {
    var plan = StorePlan()
    plan.add(
      StorePlan.Trouble(host: 0, at: StoreMediumTests.at(10), until: StoreMediumTests.at(20), StoreFailure.damaged))
    let wishes: [(at: Int64, effect: StoreEffect)] = [
      (1, put("a", "x")), (2, put("b", "y")), (30, put("a", "z")), (31, get("a")), (32, get("b")),
    ]
    expectEqual(
      answers(plan, [wishes, [(1, put("a", "w")), (30, get("a"))]]),
      [
        [
          "1.001700000 store stored a", "2.001700000 store stored b", "30.001700000 store stored a",
          "31.001700000 store value a z", "32.001700000 store nothing b",
        ], ["1.001700000 store stored a", "30.001700000 store value a w"],
      ])
  }

  @Test("the values of a host have a bound, and beyond it the disk is full")
  func bound() {
    let half = StoreEffect.put(key: "a", [UInt8](repeating: 7, count: StoreMedium.byteCountMaximum / 2))
    let more = StoreEffect.put(key: "b", [UInt8](repeating: 7, count: StoreMedium.byteCountMaximum / 2 + 1))
    expectEqual(
      answers(StorePlan(), [[(1, half), (2, half), (3, more)]]),
      [["1.001700000 store stored a", "2.001700000 store stored a", "3.001700000 store failed b full"]])
  }
}
