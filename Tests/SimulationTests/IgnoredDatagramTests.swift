import RollcallExpectations
import RollcallPrimitives
import RollcallTrace
import Testing

@testable import RollcallSimulation

/// What is nothing to a machine is received, traced and counted, and the machine is not called.
@Suite("Datagrams that machines ignore")
struct IgnoredDatagramTests {
  private final class Log {
    var lines: [String] = []
  }

  /// What begins with `n` is of a kind that some of them do not hear.
  private struct Listener: Machine {
    let name: String
    let log: Log
    let heardKinds: DatagramKinds
    /// After it has heard anything, it wants to be woken.
    let wakesAfter: Interval?
    var due = Instant.never

    var deadline: Instant? { due == .never ? nil : due }

    init(name: String, log: Log, hearsEverything: Bool, wakesAfter: Interval? = nil) {
      (self.name, self.log, self.wakesAfter) = (name, log, wakesAfter)
      heardKinds = DatagramKinds(rawValue: hearsEverything ? 1 << 63 | 1 : 1)
    }

    static func kinds(of datagram: Datagram, in payloads: PayloadStore) -> DatagramKinds {
      switch payloads.bytes(of: datagram.payload).first {
      case UInt8(ascii: "n"): DatagramKinds(rawValue: 1 << 63 | 2)
      case UInt8(ascii: "-"): []
      default: DatagramKinds(rawValue: 1)
      }
    }

    mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
      switch signal {
      case .datagram(let datagram):
        let text = String(decoding: outbox.payloads.bytes(of: datagram.payload), as: UTF8.self)
        log.lines.append("\(name) hears \(text) on if\(datagram.interface.number)")
        if let wakesAfter { due = now + wakesAfter }
      case .value(let id):
        if case .host(.interface(let change)) = outbox.values[id] {
          outbox.join(WorldTests.group, on: change.interface)
        }
      }
    }

    mutating func wake(at now: Instant, into outbox: inout Outbox) {
      guard due <= now else { return }
      due = .never
      log.lines.append("\(name) wakes")
    }
  }

  /// The same in a type of its own, which hears all kinds.
  private struct Hearer: Machine {
    var listener: Listener
    var deadline: Instant? { listener.deadline }
    mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
      listener.receive(signal, at: now, into: &outbox)
    }
    mutating func wake(at now: Instant, into outbox: inout Outbox) { listener.wake(at: now, into: &outbox) }
  }

  /// Sends these texts to the group, a millisecond apart.
  private struct Sender: Machine {
    var texts: [String]
    var due = Instant.zero + .milliseconds(1)

    var deadline: Instant? { texts.isEmpty ? nil : due }
    mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {}
    mutating func wake(at now: Instant, into outbox: inout Outbox) {
      guard due <= now, !texts.isEmpty else { return }
      outbox.transmit(
        Datagram(
          source: Endpoint(IPAddress(10, 0, 0, 1), port: 5), destination: WorldTests.group, interface: InterfaceID(0),
          hopLimit: 1, payload: outbox.payloads.store(Array(texts.removeFirst().utf8))))
      due += .milliseconds(1)
    }
  }

  /// A run of two listeners, and what its world counted.
  private func run(
    _ texts: [String], hearsEverything: [Bool], latencies: [Interval] = [.zero, .zero], drift: Int64 = 0,
    wakesAfter: Interval? = nil, recorder: Recorder? = nil
  ) -> (lines: [String], delivered: Int, entries: UInt64, digest: Digest) {
    let log = Log()
    var plan = WorldTests.plan(hosts: 3)
    // The second listener hears on its second interface.
    plan.network.hosts[2].interfaces.insert(plan.network.hosts[2].interfaces[0], at: 0)
    plan.network.hosts[2].interfaces[0].isUpAtStart = false
    plan.network.hosts[1].interfaces[0].inbound.latency = .constant(latencies[0])
    plan.network.hosts[2].interfaces[1].inbound.latency = .constant(latencies[1])
    plan.network.hosts[2].clockDriftMillionths = drift
    plan.machines.append(Sender(texts: texts))
    for (number, hearsEverything) in hearsEverything.enumerated() {
      plan.machines.append(
        Listener(name: "\(number + 1)", log: log, hearsEverything: hearsEverything, wakesAfter: wakesAfter))
    }
    var world = World(plan: plan, recorder: recorder)
    world.runAll()
    return (log.lines, world.network.statistics.delivered, world.gate.entryCount, world.gate.digest)
  }

  @Test("what is nothing to machines is delivered and traced as if they had been called")
  func same() {
    // Together in one event, and each in an event of its own.
    for latency in [.zero, .microseconds(3)] as [Interval] {
      let latencies = [.zero, latency]
      let called = run(["no", "yes", "nil"], hearsEverything: [true, true], latencies: latencies)
      let spared = run(["no", "yes", "nil"], hearsEverything: [false, false], latencies: latencies)
      expectEqual(
        called.lines,
        [
          "1 hears no on if0", "2 hears no on if1", "1 hears yes on if0", "2 hears yes on if1", "1 hears nil on if0",
          "2 hears nil on if1",
        ])
      expectEqual(spared.lines, ["1 hears yes on if0", "2 hears yes on if1"])
      expectEqual(spared.delivered, 6)
      expectEqual(called.delivered, 6)
      expectEqual(spared.entries, called.entries)
      expectEqual(spared.digest, called.digest)
      // A recorder changes nothing, and sees both alike.
      let recorders = (Recorder(), Recorder())
      for (recorder, hearsEverything) in [(recorders.0, true), (recorders.1, false)] {
        let recorded = run(
          ["no", "yes", "nil"], hearsEverything: [hearsEverything, hearsEverything], latencies: latencies,
          recorder: recorder)
        expectEqual(recorded.digest, called.digest)
      }
      let lines = recorders.0.entries.map { TraceText.line($0) { "h\($0)" } }
      expectEqual(lines.filter { $0.contains("0.001") && $0.contains("h2") }.count, 1)
      expectEqual(recorders.1.entries.map { TraceText.line($0) { "h\($0)" } }, lines)
    }
  }

  @Test("machines of another type that stand among those that ignore a datagram are given it")
  func pools() {
    for (kinds, heard) in [("lhl", ["2 hears no"]), ("hlh", ["1 hears no", "3 hears no"]), ("llh", ["3 hears no"])] {
      let log = Log()
      var plan = WorldTests.plan(hosts: kinds.count + 1)
      plan.machines.append(Sender(texts: ["no"]))
      for (number, kind) in kinds.enumerated() {
        let listener = Listener(name: "\(number + 1)", log: log, hearsEverything: false)
        if kind == "l" { plan.machines.append(listener) } else { plan.machines.append(Hearer(listener: listener)) }
      }
      var world = World(plan: plan)
      world.runAll()
      expectEqual(log.lines, heard.map { $0 + " on if0" }, "\(kinds)")
      expectEqual(world.network.statistics.delivered, kinds.count)
    }
  }

  @Test("of machines of one type those are called that hear the kind, and none where a datagram is of no kind")
  func one() {
    let both = run(["no", "-"], hearsEverything: [true, true])
    for (hearsEverything, lines) in [
      ([true, false], ["1 hears no on if0"]), ([false, true], ["2 hears no on if1"]),
      ([true, true], ["1 hears no on if0", "2 hears no on if1"]),
    ] {
      let found = run(["no", "-"], hearsEverything: hearsEverything)
      expectEqual(found.lines, lines)
      expectEqual(found.digest, both.digest)
      expectEqual(found.delivered, 4)
    }
    let recorder = Recorder()
    expectEqual(
      run(["-"], hearsEverything: [true, false], recorder: recorder).lines, ["1 hears - on if0", "2 hears - on if1"])
  }

  @Test("a machine that says nothing of kinds hears all of them")
  func unsaid() {
    let listener = Listener(name: "1", log: Log(), hearsEverything: false)
    expectEqual(Hearer(listener: listener).heardKinds, .all)
    let store = PayloadStore()
    let datagram = Datagram(
      source: WorldTests.group, destination: WorldTests.group, interface: InterfaceID(0), hopLimit: 1,
      payload: store.store(Array("no".utf8)))
    expectEqual(Hearer.kinds(of: datagram, in: store), .all)
    expectEqual(DatagramKinds.all, DatagramKinds(rawValue: .max))
    expectEqual(DatagramKinds(rawValue: 6).isDisjoint(with: DatagramKinds(rawValue: 3)), false)
    expectEqual(DatagramKinds(rawValue: 6).isDisjoint(with: DatagramKinds(rawValue: 9)), true)
  }

  @Test("a world of more hosts than it had room for at first knows what each of them hears")
  func many() {
    let log = Log()
    var plan = WorldTests.plan(hosts: 131)
    plan.machines.append(Sender(texts: ["no"]))
    for number in 1...130 {
      plan.machines.append(Listener(name: "\(number)", log: log, hearsEverything: number % 50 == 0))
    }
    var world = World(plan: plan)
    world.runAll()
    expectEqual(log.lines, ["50 hears no on if0", "100 hears no on if0"])
    expectEqual(world.network.statistics.delivered, 130)
  }

  @Test("a machine that is due is woken first, and one with a clock of its own is called, whatever arrives")
  func due() {
    // The second text was sent before anybody wanted to be woken, and arrives at the moment of the wakes.
    func due(_ hearsEverything: Bool) -> (lines: [String], digest: Digest) {
      let latency = Interval.microseconds(1_500)
      let found = run(
        ["yes", "no"], hearsEverything: [hearsEverything, hearsEverything], latencies: [latency, latency],
        wakesAfter: .milliseconds(1))
      return (found.lines, found.digest)
    }
    let (called, spared) = (due(true), due(false))
    expectEqual(
      called.lines.prefix(6),
      [
        "1 hears yes on if0", "2 hears yes on if1", "1 wakes", "1 hears no on if0", "2 wakes", "2 hears no on if1",
      ])
    // A machine that is due is called with what follows, too.
    expectEqual(spared.lines, called.lines)
    expectEqual(spared.digest, called.digest)
    let drifting = run(["no"], hearsEverything: [false, false], drift: 50_000)
    expectEqual(drifting.lines, ["2 hears no on if1"])
    expectEqual(drifting.digest, run(["no"], hearsEverything: [true, true], drift: 50_000).digest)
  }
}
