import RollcallExpectations
import RollcallPrimitives
import RollcallSessions
import RollcallWire
import Testing

@testable import RollcallPeers

@Suite("A nearby peer over its life") struct NearbyLifeTests {
  private let first = NearbyBench.first
  private let second = NearbyBench.second
  private let group = "224.0.0.251:5353"

  @Test("it is set up once, keeps its interfaces as they are, and goes on as another peer with nothing of the first")
  func life() {
    var bench = NearbyBench { $0.encryption = .required }
    let (zero, one) = (NearbyBench.change(0, host: 1), NearbyBench.change(1, host: 1))
    let moved = NearbyBench.change(0, host: 9)
    func check(_ signal: SignalValue, _ expected: [String]) { expectEqual(bench.give(signal), expected, "\(signal)") }
    func lines(_ verb: String, _ numbers: Int...) -> [String] { numbers.map { "\(verb) \(group) on \($0)" } }
    expectEqual(PeerRecord.instance(of: bench.peer.name.id), "302f7bf68583f9397de23e04876520d5")
    expectEqual(bench.peer.deadline, nil)
    for change in [NearbyBench.change(0, host: 7), one, zero] { check(.interface(change), []) }
    expectEqual(bench.peer.interfaces, [one, zero])
    // The responder and the browser each join.
    check(.application(.act(.appear)), lines("join", 0, 1, 0, 1))
    expectEqual(bench.peer.device.sessions.map(\.number), [1])
    expectEqual(bench.peer.device.sessions.map(\.machine.preference), [.required])
    expectEqual(bench.peer.device.browsers.map(\.number), [1])
    expectEqual(bench.peer.device.advertisers.map(\.number), [1])
    check(.application(.act(.vanish)), lines("leave", 0, 1))
    check(.application(.act(.appear)), lines("join", 0, 1, 0, 1))
    check(.application(.act(.move(interface: InterfaceID(0), to: IPAddress(10, 0, 0, 9)))), ["readdress 10.0.0.9 on 0"])
    expectEqual(bench.peer.interfaces, [one, moved])
    expectEqual(bench.peer.device.interfaces, [moved, one])

    _ = bench.tell(
      .found(browser: 1, first, nil), .session(1, .state(first.id, .connected)),
      .invited(advertiser: 1, invitation: 1, from: first, context: nil),
      .session(1, .streamOpened(SessionChannelID(peer: first.id, number: 1, isIncoming: true), name: "s")))
    check(
      .application(.act(.peer(.newIdentity))), lines("leave", 0, 1) + lines("join", 1, 0) + lines("join", 1, 0))
    expectEqual(PeerRecord.instance(of: bench.peer.name.id), "2551337cc2a4d02de921b942fa6c69b6")
    expectEqual(bench.peer.identity, 1)
    expectEqual(bench.peer.found, [])
    expectEqual(bench.peer.members.map(\.id), [])
    expectEqual(bench.peer.invitations.map { $0.number }, [])
    expectEqual(bench.planned + bench.channels, [])
    expectEqual(bench.peer.device.interfaces, [moved, one])
    expectEqual(bench.peer.device.sessions.map(\.machine.places), [bench.peer.device.places])

    _ = bench.tell(.found(browser: 1, first, nil))
    // The browser leaves the groups; the responder still needs them.
    check(.application(.act(.peer(.background))), lines("leave", 1, 0) + lines("join", 0, 1))
    expectEqual(bench.peer.found, [])
  }

  @Test("what is due is done with the next call, in the order of time and of planning, and its events are told at once")
  func due() throws {
    let refused = ["second connecting", "second not connected"]
    var bench = NearbyBench()
    _ = bench.act(.appear)
    _ = bench.tell(
      .found(browser: 1, first, nil), .found(browser: 1, second, nil), .session(1, .state(first.id, .connected)))
    bench.peer.invitations = [(number: 5, peer: first)]
    bench.peer.todos = []
    for (number, second) in [(1, 2), (2, 1), (3, 2), (4, 1)] {
      bench.peer.schedule(.answer(invitation: number), at: NearbyBench.time(Int64(second)))
    }
    expectEqual(bench.planned, ["1 answer 2", "1 answer 4", "2 answer 1", "2 answer 3"])
    expectEqual(bench.peer.deadline, NearbyBench.time(1))
    // Members are not invited again, but for an application that does not look.
    bench.peer.todos = [
      (at: NearbyBench.time(5), todo: .answer(invitation: 5)), (at: NearbyBench.time(5), todo: .invite(first.id)),
      (at: NearbyBench.time(5), todo: .invite(second.id)), (at: NearbyBench.time(6), todo: .invite(second.id)),
    ]
    expectEqual(bench.wake(at: 4), [])
    expectEqual(bench.wake(at: 5), refused)
    expectEqual(bench.peer.invitations.map { $0.number }, [])
    let joins = [String](repeating: "join \(group) on 0", count: 2)
    expectEqual(bench.give(.interface(NearbyBench.change(0, host: 1)), at: 6), refused + joins)
    expectEqual(bench.act(.peer(.invite), at: 6), refused)
    var careless = NearbyBench { $0.invitesMembers = true }
    _ = careless.act(.appear)
    _ = careless.tell(.found(browser: 1, first, nil), .session(1, .state(first.id, .connected)))
    expectEqual(careless.act(.peer(.invite)), ["first connecting", "first not connected"])
    // Its deadline is the earlier of its own and its device's.
    let type = try #require(PeerRecord.serviceType("nearby"))
    bench = NearbyBench()
    bench.peer.schedule(.invite(first.id), at: NearbyBench.time(2))
    for (due, expected) in [(1, 1), (3, 2)] as [(Int64, Int64)] {
      let gone = PeerDevice.Withdrawal(record: PeerRecord(first, nil), type: type, due: NearbyBench.time(due))
      bench.peer.device.withdrawals = [gone]
      expectEqual(bench.peer.deadline, NearbyBench.time(expected), "\(due) s")
    }
    bench.peer.todos = []
    expectEqual(bench.peer.deadline, NearbyBench.time(3))

    // No more is planned than there is room for, and what should hold and does not is said.
    let invite = (at: Instant.zero, todo: NearbyPeer.Todo.invite(first.id))
    bench = NearbyBench { $0.sessions.peersMaximum = 3 }
    bench.peer.todos = Array(repeating: invite, count: 4_095)
    for _ in 0..<2 { bench.peer.schedule(.invite(first.id), at: .zero) }
    expectEqual(bench.peer.todos.count, 4_096)
    expectEqual(bench.peer.brokenInvariants, [])
    bench.peer.todos.append(invite)
    expectEqual(bench.peer.brokenInvariants, ["4097 things to do"])
    bench.peer.todos = [(at: NearbyBench.time(2), todo: .invite(first.id)), invite]
    expectEqual(bench.peer.brokenInvariants, ["things to do out of order"])
    bench.peer.todos.reverse()
    for (count, maximum, broken) in [(2, 3, []), (3, 3, ["3 members"]), (1, 1, []), (2, 1, ["2 members"])]
      as [(Int, Int, [String])]
    {
      var one = NearbyBench { $0.sessions.peersMaximum = maximum }
      one.peer.members = Array(repeating: NearbyPeer.Member(id: first.id), count: count)
      one.peer.todos = bench.peer.todos
      expectEqual(one.peer.brokenInvariants, broken, "\(count) of \(maximum)")
    }
  }
}
