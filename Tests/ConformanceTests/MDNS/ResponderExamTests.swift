import RollcallConformance
import RollcallDevices
import RollcallExaminers
import RollcallExpectations
import RollcallJudging
import RollcallPrimitives
import RollcallSimulation
import RollcallTrace
import RollcallWire
import Testing

/// A responder and its examiner on one link.
struct ResponderBench {
  var plan = ResponderExamPlan()
  var responders: [(MDNSPlan, QuirkyResponder.Habit)] = [(ResponderBench.printer, .none)]
  var loss = Ratio.never
  var seed: UInt64 = 1
  /// When the first responder falls silent.
  var vanishesAt: Instant?
  /// When it leaves with goodbye.
  var leavesAt: Instant?

  static let printer: MDNSPlan = {
    let type = try! ServiceType("ipp", .tcp)
    return MDNSPlan(
      host: "printer", services: [MDNSService(type, "Office", port: 631, txt: [4] + Array("rp=a".utf8))])
  }()

  struct Result {
    var exam: ResponderExam
    var judgement: Judgement?
    var entries: [TraceEntry]

    /// Clauses with a breach that asking found, or listening did.
    var broken: [String] {
      (judgement?.rows ?? []).filter { $0.finding.ruling == .violated }.map(\.clause.id).unique.sorted()
    }
    var marks: [String] { (exam.report?.rows ?? []).map { "\($0.probe.rawValue) \($0.mark.rawValue)" } }
  }

  func run() -> Result {
    var rule = LinkRule()
    if loss != .never { rule.loss = .uniform(loss) }
    func host(_ number: Int) -> HostPlan {
      let addresses = [
        InterfaceAddress(IPAddress(10, 0, 0, UInt8(number + 1)), prefixBits: 24),
        InterfaceAddress(IPAddress(v6High: 0xFE80 << 48, low: UInt64(number) + 1), prefixBits: 64),
      ]
      return HostPlan(name: "h\(number)", interfaces: [InterfacePlan(segment: 0, addresses: addresses, inbound: rule)])
    }
    let examiner = responders.count
    var world = WorldPlan(
      network: NetworkPlan(segments: [SegmentPlan(name: "lan")], hosts: (0...examiner).map(host)),
      duration: plan.durationMaximum + .seconds(10), seed: Seed(seed))
    for (number, responder) in responders.enumerated() {
      world.machines.append(QuirkyResponder(responder.0, responder.1, seed: Seed(seed + UInt64(number))))
      world.commands.append((.zero, number, .act(.appear)))
    }
    if let leavesAt { world.commands.append((leavesAt, 0, .act(.leave))) }
    if let vanishesAt { world.commands.append((vanishesAt, 0, .act(.vanish))) }
    world.machines.append(ResponderExam(plan))
    let recorder = Recorder(entriesMaximum: 100_000)
    var running = World(plan: world, recorder: recorder)
    running.start()
    running.run(until: .zero + plan.durationMaximum + .seconds(10))
    let exam = running.machine(ofHost: examiner, as: ResponderExam.self)!
    let entries = recorder.entries.filter { Int($0.station) == examiner }
    let judgement = exam.report.map { ResponderJudgement.judgement(of: exam, $0, trace: entries) }
    return Result(exam: exam, judgement: judgement, entries: entries)
  }
}

extension Array where Element: Hashable {
  fileprivate var unique: [Element] {
    var found: [Element] = []
    for one in self where !found.contains(one) { found.append(one) }
    return found
  }
}

@Suite("An examination of a responder of multicast DNS") struct ResponderExamTests {
  @Test("our own responder keeps every clause that is asked for, over both families", arguments: [1, 2, 3] as [UInt64])
  func own(seed: UInt64) {
    var bench = ResponderBench(seed: seed)
    for family in [IPAddress.Family.v4, .v6] {
      bench.plan = ResponderExamPlan(family: family, seed: Seed(seed))
      let result = bench.run()
      expectEqual(result.exam.outcome, .examined)
      expectEqual(result.marks, ResponderProbe.allCases.map { "\($0.rawValue) held" }, "\(family)")
      expectEqual(result.broken, [], "\(family)")
      #expect(result.exam.packetCount <= bench.plan.packetsMaximum)
      #expect(result.exam.ended - result.exam.began <= bench.plan.durationMaximum)
    }
  }

  struct Breach: Sendable, CustomTestStringConvertible {
    var habit: QuirkyResponder.Habit
    var clauses: [String]
    var testDescription: String { habit.rawValue }
    init(_ habit: QuirkyResponder.Habit, _ clauses: String...) { (self.habit, self.clauses) = (habit, clauses) }
  }
  static let breaches = [
    Breach(.listsNoTypes, "MD-63"), Breach(.hasNoText, "MD-19", "MD-21", "MD-56", "MD-64"),
    Breach(.addsNothing, "MD-18", "MD-64"),
    Breach(.knowsNoANY, "MD-21"), Breach(.readsOneQuestion, "MD-19"), Breach(.deniesNothing, "MD-17"),
    Breach(.hasOneFamily, "MD-18"), Breach(.ignoresQU, "MD-09"), Breach(.ignoresDirect, "MD-10"),
    Breach(.ignoresLegacy, "MD-23", "MD-53"), Breach(.otherID, "MD-23"), Breach(.noQuestionBack, "MD-23"),
    Breach(.flushesLegacy, "MD-23"), Breach(.longLegacyTTL, "MD-23"), Breach(.compressesLegacy, "MD-53"),
    Breach(.ignoresKnown, "MD-24"), Breach(.takesOldKnown, "MD-24"), Breach(.ignoresTC, "MD-15"),
    Breach(.knowsNoCapitals, "MD-49"), Breach(.takesOpcode, "MD-51"), Breach(.takesResponseCode, "MD-51"),
    Breach(.takesQuestionsOfResponses, "MD-12"), Breach(.tellsOthers, "MD-11"),
    Breach(.hearsNoResponses, "MD-22", "MD-28"), Breach(.waits, "MD-13"), Breach(.answersAtOnce, "MD-14"),
    Breach(.talksTooOften, "MD-16"), Breach(.comparesText, "MD-55"), Breach(.knowsNoQU, "MD-09", "MD-52"),
  ]

  @Test("a bad habit breaks its clause and no other", arguments: breaches)
  func habit(breach: Breach) {
    let result = ResponderBench(responders: [(ResponderBench.printer, breach.habit)]).run()
    expectEqual(result.exam.outcome, .examined)
    expectEqual(result.broken, breach.clauses)
  }

  @Test("who is meant has to be clear, and be there")
  func target() {
    func outcome(_ target: String?, _ responders: Int, _ family: IPAddress.Family = .v4) -> ResponderExam.Outcome? {
      var bench = ResponderBench()
      bench.plan = ResponderExamPlan(target: target, probes: [.types], patience: .seconds(3), family: family)
      var other = ResponderBench.printer
      (other.host, other.services[0].instance) = (Array("other".utf8), Array("Home".utf8))
      bench.responders = [(ResponderBench.printer, .none), (other, .none)].prefix(responders).map { $0 }
      return bench.run().exam.outcome
    }
    expectEqual(outcome(nil, 0), .nobody)
    expectEqual(outcome(nil, 1), .examined)
    expectEqual(outcome(nil, 2), .ambiguous)
    expectEqual(outcome("10.0.0.2", 2), .examined)
    expectEqual(outcome("OTHER.local.", 2), .examined)
    expectEqual(outcome("fe80::1", 2, .v6), .examined)
    expectEqual(outcome("10.0.0.9", 2), .absent)
    expectEqual(outcome("third.local", 1), .absent)
  }

  @Test("a responder that is gone breaks nothing: what was asked behind its last sign of life stays open")
  func gone() throws {
    let all = ResponderBench().run()
    let asks = all.exam.asks.filter { $0.probe == .questions }
    var bench = ResponderBench()
    bench.vanishesAt = try #require(asks.first).time - .milliseconds(500)
    let result = bench.run()
    expectEqual(result.broken, [])
    let marks = Set(result.marks.drop { !$0.hasPrefix("questions") }.map { String($0.split(separator: " ")[1]) })
    expectEqual(marks, ["inconclusive"])
    expectEqual(result.marks.prefix { !$0.hasPrefix("questions") }.count, 4)
  }

  @Test("a responder that vanishes or leaves breaks nothing at any point, and what became of it is said")
  func goneAnywhere() throws {
    let whole = ResponderBench().run()
    expectEqual(whole.exam.presence, .present)
    let asks = whole.exam.asks.filter { $0.probe != nil }
    for place in stride(from: 0, to: asks.count, by: 7) {
      for leaves in [false, true] {
        var bench = ResponderBench()
        let time = asks[place].time - .milliseconds(1)
        if leaves { bench.leavesAt = time } else { bench.vanishesAt = time }
        let result = bench.run()
        expectEqual(result.broken, [], "\(leaves) \(time)")
        switch result.exam.presence {
        case .left(let at, with: "goodbye"): #expect(leaves && at >= time && at < time + .seconds(1), "\(time): \(at)")
        case .silent(let since, after: nil): #expect(!leaves && since <= time + .seconds(1), "\(time): \(since)")
        default: Issue.record("\(result.exam.presence) of one that is gone at \(time)")
        }
        // What was marked before is marked so.
        let before = whole.exam.asks.prefix { $0.time < time }.compactMap(\.probe)
        let done = before.last.flatMap { ResponderProbe.allCases.firstIndex(of: $0) } ?? 0
        expectEqual(Array(result.marks.prefix(done)), Array(whole.marks.prefix(done)), "\(leaves) \(time)")
      }
    }
  }

  @Test("a goodbye in the time of a question is no answer to it: the silence that was asked for stays open")
  func goodbyeInTime() throws {
    let whole = ResponderBench().run()
    let asked = try #require(whole.exam.asks.first { $0.probe == .known && $0.expects == .silence })
    var bench = ResponderBench()
    let end = asked.time + .milliseconds(100)
    bench.leavesAt = end
    let report = try #require(bench.run().exam.report)
    expectEqual(report.rulings.filter { $0.verdict == .violated }.map(\.clause), [])
    expectEqual(report.rows.first { $0.probe == .known }?.mark, .inconclusive)
    guard case .left(let at, with: "goodbye") = report.presence else {
      Issue.record("\(report.presence)")
      return
    }
    #expect(at >= end && at < end + .seconds(1))
  }

  @Test("an interface that goes away ends it: what was asked to its end counts, and the rest was not asked")
  func interfaceLost() throws {
    let whole = ResponderBench().run()
    let change = InterfaceChange(interface: InterfaceID(0), isUp: false, addresses: [])
    for place in stride(from: 0, to: whole.exam.asks.count, by: 5) {
      let time = whole.exam.asks[place].time + .milliseconds(50)
      var given = whole.entries.filter { $0.time <= time }.filter { entry in
        switch entry.content {
        case .received, .signal: true
        default: false
        }
      }
      given.append(TraceEntry(time: time, station: given[0].station, content: .signal(.interface(change))))
      let exam = MachineReplay.run(given, station: given[0].station, in: ResponderExam(ResponderExamPlan())).machine
      expectEqual(exam.isOver, true, "\(time)")
      #expect(exam.isInterfaceLost, "\(time)")
      guard let report = exam.report else {
        expectEqual(exam.outcome, .noAddress, "\(time)")
        continue
      }
      expectEqual(report.presence, .interfaceLost(at: time))
      let judgement = ResponderJudgement.judgement(of: exam, report, trace: given)
      let broken = judgement.rows.filter { $0.finding.ruling == .violated }.map(\.clause.id)
      expectEqual(broken, [], "\(time)")
      let unasked = report.rows.filter { $0.askedCount == 0 }
      #expect(unasked.allSatisfy { $0.remark == "not asked" }, "\(unasked.map(\.remark))")
    }
  }

  @Test("what the system did not send was not asked, and silence there is no breach")
  func refused() throws {
    let whole = ResponderBench().run()
    let asked = try #require(whole.exam.asks.firstIndex { $0.probe == .absence })
    let first = whole.exam.asks[asked]
    let refusal = Refusal(
      deed: .send, interface: InterfaceID(0), address: first.destination.address, port: first.source.port)
    // The answer is left out, and the refusal told.
    var given = whole.entries.filter { entry in
      switch entry.content {
      case .received: entry.time < first.time || entry.time > first.time + .milliseconds(900)
      case .signal: true
      default: false
      }
    }
    let place = given.firstIndex { $0.time > first.time } ?? given.count
    given.insert(
      TraceEntry(
        time: first.time + .milliseconds(1), station: given[0].station, content: .signal(.refused(refusal))), at: place)
    let until = whole.exam.ended + .seconds(60)
    let exam = MachineReplay.run(
      given, station: given[0].station, in: ResponderExam(ResponderExamPlan()), until: until
    ).machine
    expectEqual(exam.asks[asked].wasRefused, true)
    expectEqual(exam.asks.count(where: \.wasRefused), 1)
    let report = try #require(exam.report)
    expectEqual(report.rows.first { $0.probe == .absence }?.mark == .violated, false)
  }

  @Test("over a network that loses a tenth of all datagrams nothing that holds is called broken")
  func loss() {
    for seed in 1...20 as ClosedRange<UInt64> {
      var bench = ResponderBench(loss: .percent(10), seed: seed)
      bench.plan.seed = Seed(seed)
      let result = bench.run()
      expectEqual(result.exam.outcome, .examined, "seed \(seed)")
      expectEqual(result.broken, [], "seed \(seed)")
    }
  }

  @Test("a host without services is asked for its name alone, and the rest is not observable")
  func hostOnly() {
    var bench = ResponderBench(responders: [(MDNSPlan(host: "alone"), .none)])
    bench.plan = ResponderExamPlan(target: "alone.local")
    let result = bench.run()
    expectEqual(result.exam.outcome, .examined)
    expectEqual(
      result.marks,
      ResponderProbe.allCases.map { "\($0.rawValue) \($0.needsService ? "notObservable" : "held")" })
    expectEqual(result.broken, [])
  }

  @Test("what is stopped is judged as far as it went, and the same entries give the same examination")
  func stopped() throws {
    let all = ResponderBench().run()
    let replay = MachineReplay.run(all.entries, station: all.entries[0].station, in: ResponderExam(ResponderExamPlan()))
    #expect(replay.difference == nil)
    expectEqual(replay.machine.report?.rulings, all.exam.report?.rulings)
    var exam = ResponderExam(ResponderExamPlan())
    var outbox = Outbox(payloads: PayloadStore())
    exam.receive(.command(.stop), at: .zero, into: &outbox)
    #expect(!exam.isOver)
    let half = all.entries.prefix(all.entries.count / 2)
    let partly = MachineReplay.run(Array(half), station: all.entries[0].station, in: exam)
    var machine = partly.machine
    machine.receive(.command(.stop), at: try #require(half.last).time, into: &outbox)
    #expect(machine.isOver && machine.wasStopped)
    let rows = try #require(machine.report).rows
    #expect(rows.contains { $0.mark == .held } && rows.contains { $0.remark == "not asked" })
    #expect(!rows.contains { $0.mark == .violated })
  }

  @Test("without an address there is nobody to ask from, and bytes that are no message are passed over")
  func hostile() {
    var exam = ResponderExam(ResponderExamPlan())
    var outbox = Outbox(payloads: PayloadStore())
    let up = InterfaceChange(interface: InterfaceID(0), isUp: true, addresses: [])
    exam.receive(SignalValue.interface(up), at: .zero, into: &outbox)
    exam.wake(at: .zero + .seconds(5), into: &outbox)
    expectEqual(exam.outcome, .noAddress)
    exam = ResponderExam(ResponderExamPlan(patience: .seconds(1)))
    let own = InterfaceChange(
      interface: InterfaceID(0), isUp: true, addresses: [InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 24)])
    exam.receive(SignalValue.interface(own), at: .zero, into: &outbox)
    var dice = Seed(3).stream("noise")
    for number in 0..<2_000 {
      let bytes = (0..<Int(dice.below(60))).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
      let datagram = Datagram(
        source: Endpoint(IPAddress(10, 0, 0, 2), port: 5_353), destination: .mdns(.v4), interface: InterfaceID(0),
        hopLimit: 255, payload: outbox.payloads.store([0, 0, 0x84, 0, 0, 0, 0, UInt8(number & 3)] + bytes))
      exam.receive(.datagram(datagram), at: .zero + .milliseconds(Int64(number)), into: &outbox)
      outbox.payloads.release(datagram.payload)
      outbox.removeAll()
    }
    #expect(exam.heard.count <= 2_000 && exam.subjects.count <= 1)
  }
}
