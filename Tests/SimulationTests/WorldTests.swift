import RollcallExpectations
import RollcallPrimitives
import RollcallTrace
import Testing

@testable import RollcallSimulation

/// A port of another package: words that are called from host to host.
private enum CallEffect: PortValue {
  case call(word: String, host: Int, after: Interval)

  static let port = PortNumber(40)
  static let verbs = ["call"]

  func fold(into digest: inout Digest) {
    guard case .call(let word, let host, let after) = self else { return }
    digest.combine(word)
    digest.combine(UInt64(host), UInt64(bitPattern: after.nanoseconds))
  }

  func write(to words: inout WordWriter) {
    guard case .call(let word, let host, let after) = self else { return }
    for one in ["call", word, "\(host)", "\(after.nanoseconds)"] { words.add(one) }
  }

  init(verb: Substring, from words: inout WordReader) throws(WordError) {
    throw words.error("nothing: no test reads it")
  }
}

extension CallEffect {
  fileprivate init(_ word: String, to host: Int, after milliseconds: Int64) {
    self = .call(word: word, host: host, after: .milliseconds(milliseconds))
  }
}

private struct Called: PortValue {
  var word: String

  static let port = PortNumber(40)
  static let verbs = ["called"]
  func fold(into digest: inout Digest) { digest.combine(word) }
  func write(to words: inout WordWriter) { for one in ["called", word] { words.add(one) } }
  init(_ word: String) { self.word = word }
  init(verb: Substring, from words: inout WordReader) throws(WordError) { throw words.error("nothing") }
}

/// Carries calls; a call to a host that is not there comes back to the caller, by way of a token.
private final class Telephone: Medium {
  let hostCount: Int
  var tokens: [UInt64] = []
  init(hostCount: Int) { self.hostCount = hostCount }

  var port: PortNumber { CallEffect.port }

  func want(_ value: any PortValue, from host: Int, schedule: MediumSchedule) {
    guard case CallEffect.call(let word, let receiver, let after)? = value as? CallEffect else { return }
    if receiver < hostCount {
      schedule.deliver(Called(word), to: receiver, at: schedule.now + after)
    } else {
      schedule.call(UInt64(host) << 32 | UInt64(receiver), at: schedule.now + after)
    }
  }

  func due(_ token: UInt64, schedule: MediumSchedule) {
    tokens.append(token)
    schedule.deliver(Called("nobody"), to: Int(token >> 32), at: schedule.now)
  }
}

/// What machines of a test do at the times of their plan, and a log of what reached all of them.
private final class Log {
  var lines: [String] = []
}

private protocol Planned: Machine {
  var parts: Parts { get set }
}

private struct Parts {
  enum Deed {
    case send(String, to: Endpoint)
    case call(String, host: Int, milliseconds: Int64)
    case sleep
  }
  var name: String
  var log: Log
  var plan: [(at: Int64, deed: Deed)] = []
  var joins = true

  mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    switch signal {
    case .datagram(let datagram):
      let text = String(decoding: outbox.payloads.bytes(of: datagram.payload), as: UTF8.self)
      log.lines.append("\(now.nanoseconds / 1_000_000) \(name) hears \(text) if\(datagram.interface.number)")
    case .value(let id):
      switch outbox.values[id] {
      case .host(.interface(let change)): if joins { outbox.join(WorldTests.group, on: change.interface) }
      case let value: log.lines.append("\(now.nanoseconds / 1_000_000) \(name) is given \(value.value.text)")
      }
    }
  }

  mutating func wake(at now: Instant, into outbox: inout Outbox) {
    while let next = plan.first, Instant.zero + .milliseconds(next.at) <= now {
      plan.removeFirst()
      switch next.deed {
      case .send(let text, let destination):
        outbox.transmit(
          Datagram(
            source: Endpoint(IPAddress(10, 0, 0, 99), port: 5), destination: destination, interface: InterfaceID(0),
            hopLimit: 1, payload: outbox.payloads.store(Array(text.utf8))))
      case .call(let word, let host, let milliseconds):
        outbox.want(CallEffect(word, to: host, after: milliseconds))
      case .sleep: log.lines.append("\(now.nanoseconds / 1_000_000) \(name) wakes")
      }
    }
  }
}

/// Machines of as many types as there are types: `Foreign<Int>` is one, `Foreign<String>` another.
private struct Foreign<Tag>: Planned {
  var parts: Parts
  var deadline: Instant? { parts.plan.first.map { .zero + .milliseconds($0.at) } }
  mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    parts.receive(signal, at: now, into: &outbox)
  }
  mutating func wake(at now: Instant, into outbox: inout Outbox) { parts.wake(at: now, into: &outbox) }
}

@Suite("A world of machines and media that it does not know")
struct WorldTests {
  static let group = Endpoint(IPAddress(239, 255, 255, 250), port: 1_900)
  private let log = Log()

  /// A second of a world with this many hosts on one LAN, each with one interface.
  static func plan(hosts: Int) -> WorldPlan {
    let hosts = (0..<hosts).map { number in
      HostPlan(
        name: "h\(number)",
        interfaces: [
          InterfacePlan(segment: 0, addresses: [InterfaceAddress(NetworkRig.address(number), prefixBits: 24)])
        ])
    }
    return WorldPlan(
      network: NetworkPlan(segments: [SegmentPlan(name: "lan")], hosts: hosts), duration: .seconds(1), seed: Seed(1))
  }

  private func machine<Tag>(
    _ tag: Tag.Type, _ name: String, _ deeds: [(at: Int64, deed: Parts.Deed)] = [], joins: Bool = true
  ) -> Foreign<Tag> {
    Foreign(parts: Parts(name: name, log: log, plan: deeds, joins: joins))
  }

  @Test("what media schedule for one instant comes in the order in which it was scheduled, whatever the medium")
  func order() {
    let first = IPAddress(10, 0, 0, 1)
    func run(_ recorder: Recorder?) -> (digest: Digest, lines: [String], tokens: [UInt64]) {
      log.lines = []
      var plan = Self.plan(hosts: 3)
      // A latency of 5 ms towards the first host: a call and a datagram of one moment arrive at one moment.
      plan.network.hosts[0].interfaces[0].inbound.latency = .constant(.milliseconds(5))
      let telephone = Telephone(hostCount: 3)
      plan.media = [telephone]
      plan.machines.append(machine(Int.self, "a", [(15, .sleep)]))
      plan.machines.append(
        machine(
          String.self, "b",
          [
            (10, .call("one", host: 0, milliseconds: 5)), (10, .send("two", to: Endpoint(first, port: 7))),
            (10, .call("three", host: 0, milliseconds: 5)), (10, .call("lost", host: 77, milliseconds: 5)),
          ]))
      plan.machines.append(machine(Int.self, "c", [(10, .send("four", to: Endpoint(first, port: 7)))]))
      plan.commands = [(time: .zero + .milliseconds(15), host: 0, command: .stop)]
      var world = World(plan: plan, recorder: recorder)
      world.runAll()
      return (world.gate.digest, log.lines, telephone.tokens)
    }
    let recorder = Recorder()
    let recorded = run(recorder)
    // The command was planned before all; a wake that is due comes before what is given.
    expectEqual(
      recorded.lines,
      [
        "15 a wakes", "15 a is given command stop", "15 a is given called one", "15 a hears two if0",
        "15 a is given called three", "15 a hears four if0", "15 b is given called nobody",
      ])
    expectEqual(recorded.tokens, [1 << 32 | 77])
    let plain = run(nil)
    expectEqual(plain.digest, recorded.digest)
    let lines = recorder.entries.map { TraceText.line($0) { "h\($0)" } }
    #expect(lines.contains("0.010000000 h1 > call one 0 5000000"))
    #expect(lines.contains("0.015000000 h0 < called one"))
  }

  @Test("the digest tells values of a foreign port from each other; what nobody carries reaches nobody")
  func digests() {
    func run(_ word: String, _ hasMedium: Bool = true) -> (digest: Digest, lines: [String]) {
      log.lines = []
      var plan = Self.plan(hosts: 1)
      if hasMedium { plan.media = [Telephone(hostCount: 1)] }
      plan.machines.append(machine(Int.self, "a", [(1, .call(word, host: 0, milliseconds: 1))]))
      var world = World(plan: plan)
      world.runAll()
      return (world.gate.digest, log.lines)
    }
    expectEqual(run("x").digest, run("x").digest)
    #expect(run("x").digest != run("y").digest)
    expectEqual(run("x").lines, ["2 a is given called x"])
    expectEqual(run("x", false).lines, [])
  }

  @Test("a multicast reaches machines of all types in the order in which they joined, and not its sender")
  func pools() {
    for sender in 0..<5 {
      log.lines = []
      var plan = Self.plan(hosts: 5)
      let deeds: [(at: Int64, deed: Parts.Deed)] = [(10, .send("m", to: WorldTests.group))]
      for number in 0..<5 {
        let deeds = number == sender ? deeds : []
        // Types stand mixed: 0 and 2 are of one, 1 and 4 of another.
        switch number {
        case 0, 2: plan.machines.append(machine(Int.self, "h\(number)", deeds))
        case 3: plan.machines.append(machine(Bool.self, "h\(number)", deeds))
        default: plan.machines.append(machine(String.self, "h\(number)", deeds))
        }
      }
      var world = World(plan: plan)
      world.runAll()
      let expected = (0..<5).filter { $0 != sender }.map { "10 h\($0) hears m if0" }
      expectEqual(log.lines, expected, "sent by \(sender)")
      expectEqual(world.payloads.liveCount, 0)
      expectEqual(world.all(Foreign<Int>.self).map(\.parts.name), ["h0", "h2"])
      #expect(world.all(Foreign<Double>.self).isEmpty)
      expectEqual(world.machine(ofHost: 4, as: Foreign<String>.self)?.parts.name, "h4")
      #expect(world.machine(ofHost: 4, as: Foreign<Int>.self) == nil)
      #expect(world.machine(ofHost: 5, as: Foreign<Int>.self) == nil)
    }
  }

  @Test("more types and hosts than were thought of at first find room, and all machines end with the world")
  func room() {
    final class Counted {
      let log: Log
      init(_ log: Log) { self.log = log }
      deinit { log.lines.append("gone") }
    }
    struct Holder<Tag>: Machine {
      var counted: Counted
      var deadline: Instant? { nil }
      mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {}
      mutating func wake(at now: Instant, into outbox: inout Outbox) {}
    }
    func add<Tag>(_ tag: Tag.Type, to machines: inout Machines) {
      machines.append(Holder<Tag>(counted: Counted(log)))
      machines.append(Holder<[Tag]>(counted: Counted(log)))
    }
    do {
      var machines = Machines()
      for _ in 0..<50 {
        add(Int8.self, to: &machines)
        add(Int16.self, to: &machines)
        add(Int32.self, to: &machines)
        add(Int64.self, to: &machines)
        add(UInt8.self, to: &machines)
      }
      expectEqual(machines.count, 500)
      expectEqual(machines.all(Holder<[UInt8]>.self).count, 50)
      #expect(machines.machine(ofHost: 499, as: Holder<[UInt8]>.self) != nil)
      // Places of the first hosts are moved when there are more.
      let first = (0..<500).filter { machines.machine(ofHost: $0, as: Holder<Int8>.self) != nil }
      expectEqual(first, Array(stride(from: 0, to: 500, by: 10)))
      #expect(machines.machine(ofHost: 498, as: Holder<[UInt8]>.self) == nil)
      #expect(log.lines.isEmpty)
    }
    expectEqual(log.lines.count, 500)
  }

  @Test("before time moves the barrier is asked until it has nothing more, and what it gives happens in that instant")
  func barrier() {
    var plan = Self.plan(hosts: 1)
    plan.machines.append(machine(Int.self, "a", [(10, .sleep), (20, .sleep)]))
    plan.commands = [(time: .zero + .milliseconds(10), host: 0, command: .stop)]
    let log = log
    var asked = 0
    var world = World(plan: plan)
    world.beforeTimeMoves = { world in
      log.lines.append("\(world.now.nanoseconds / 1_000_000) barrier")
      asked += 1
      // At 10 ms it gives something, once.
      guard world.now == .zero + .milliseconds(10), asked == 2 else { return false }
      world.ask(.act(.appear), ofHost: 0)
      return true
    }
    world.start()
    world.run(until: .zero + .milliseconds(30))
    // The first wake and the command are one instant: the barrier does not come between them.
    expectEqual(
      log.lines,
      [
        "0 barrier", "10 a wakes", "10 a is given command stop", "10 barrier", "10 a is given command appear",
        "10 barrier", "20 a wakes", "20 barrier",
      ])
  }

  @Test("the barrier is asked at an instant for which a machine was to be woken twice")
  func wokenTwice() {
    var plan = Self.plan(hosts: 2)
    plan.machines.append(Hesitant(dues: [.milliseconds(20), .milliseconds(10), .milliseconds(20)]))
    plan.machines.append(machine(Int.self, "b", [(30, .sleep)]))
    plan.commands = [(time: .zero + .milliseconds(5), host: 0, command: .stop)]
    var asked: [Int64] = []
    var world = World(plan: plan)
    world.beforeTimeMoves = { world in
      asked.append(world.now.nanoseconds / 1_000_000)
      return false
    }
    world.start()
    world.run(until: .zero + .milliseconds(40))
    expectEqual(asked, [0, 5, 10, 20, 30])
  }

  @Test("a barrier that always has more ends the run by its budget")
  func endless() {
    var plan = Self.plan(hosts: 1)
    plan.machines.append(machine(Int.self, "a"))
    plan.eventsMaximum = 10
    var asked = 0
    var world = World(plan: plan)
    world.beforeTimeMoves = { _ in
      asked += 1
      return true
    }
    world.runAll()
    expectEqual(world.reachedBudget, "more than 10 events")
    expectEqual(asked, 11)
  }
}

/// Wants to be woken at one instant after the other; a command makes it think of the next.
private struct Hesitant: Machine {
  var dues: [Interval]
  var deadline: Instant? { dues.first.map { .zero + $0 } }

  mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    if case .value(let id) = signal, case .application = outbox.values[id] { dues.removeFirst() }
  }

  mutating func wake(at now: Instant, into outbox: inout Outbox) {
    if let due = dues.first, .zero + due <= now { dues.removeFirst() }
  }
}
