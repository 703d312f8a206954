import RollcallExaminers
import RollcallExpectations
import RollcallJudging
import RollcallPrimitives
import RollcallTrace
import Testing

@Suite("The examiner of control points as a machine")
struct ControlPointExaminerTests {
  private func verdicts(_ examination: ControlPointExamination) -> [String] {
    examination.result().rows.map { "\($0.probe.rawValue) \($0.verdict.rawValue): \($0.found)" }
  }

  private func lines(_ examination: ControlPointExamination) -> [String] {
    ControlPointLines.lines(examination.result(), input: "x")
  }

  private func effects(_ trace: [TraceEntry]) -> [String] {
    trace.compactMap {
      if case .effect = $0.content { TraceText.line($0) { _ in "it" } } else { nil }
    }
  }

  private func file(_ setting: ControlPointExamination.Setting, _ trace: [TraceEntry]) -> String {
    let command = setting.hasCommand ? ["toy", "-i", "a b"] : nil
    let first = ExamRecord.line(setting, command: command, interface: "eth 0")
    return ([first] + trace.map { TraceText.line($0) { _ in "here" } }).joined(separator: "\n") + "\n"
  }

  @Test(
    "through its ports it comes to the verdicts of the examination itself",
    arguments: [[], [.fetchesOnly], [.readsEverything], [.redirectsForEver], [.anyStart], [.diesOfManyFields]]
      as [Set<ToyControlPoint.Defect>])
  func same(defects: Set<ToyControlPoint.Defect>) {
    let setting = Examined.setting()
    let course = Examined.run(setting) { ToyControlPoint(defects) }
    let machine = ExaminerBench.run(setting) { ToyControlPoint(defects) }.machine
    #expect(machine.isOver)
    expectEqual(machine.failure, nil)
    let pairs = zip(verdicts(machine.examination), verdicts(course))
    expectEqual(pairs.filter { $0 != $1 }.map { "\($0) | \($1)" }, [])
  }

  @Test("a recorded examination comes to the same verdicts byte for byte, and so does what its file says")
  func replayed() throws {
    for setting in [Examined.setting(), Examined.setting { ($0.hasCommand, $0.duration) = (false, .seconds(60)) }] {
      let (machine, trace) = ExaminerBench.run(setting) { ToyControlPoint([.anyStart]) }
      let record = try ExamRecord.controlPoint(file(setting, trace))
      expectEqual(record.entries, trace)
      expectEqual(record.setting, setting)
      expectEqual(record.command, machine.command)
      expectEqual(record.interface, "eth 0")
      let replay = MachineReplay.run(
        record.entries, station: 0, in: ControlPointExaminer(record.setting, command: record.command))
      expectEqual(replay.difference, nil)
      expectEqual(lines(replay.machine.examination), lines(machine.examination))
      #expect(replay.machine.isOver)
    }
  }

  @Test("a record that was changed is noticed at the entry that no longer follows")
  func changed() throws {
    // What is fetched shows more than what is printed; a loss is printed only.
    let setting = Examined.setting([.byebye])
    let (machine, printed) = ExaminerBench.run(setting)
    var other = printed
    for place in other.indices {
      guard case .signal(.process(.line)) = other[place].content else { continue }
      other[place].content = .signal(.process(.line(Array("nothing".utf8), isError: false)))
    }
    #expect(other != printed)
    let replay = MachineReplay.run(other, station: 0, in: ControlPointExaminer(setting, command: machine.command))
    #expect(lines(replay.machine.examination) != lines(machine.examination))
    // Without a search nothing is answered.
    let (answered, trace) = ExaminerBench.run(Examined.setting([.nameCase]))
    let search = try #require(trace.firstIndex { if case .received = $0.content { true } else { false } })
    other = trace
    other.remove(at: search)
    let unasked = MachineReplay.run(
      other, station: 0, in: ControlPointExaminer(Examined.setting([.nameCase]), command: answered.command))
    expectEqual(unasked.difference?.index, search)
  }

  @Test("what a program writes to its standard error is recorded and shows nothing")
  func errors() {
    var examiner = ControlPointExaminer(Examined.setting([.byebye]), command: ["toy"])
    var outbox = Outbox(payloads: PayloadStore())
    examiner.receive(.interface(ExaminerBench.change), at: .zero, into: &outbox)
    examiner.wake(at: .zero + .milliseconds(100), into: &outbox)
    let uuid = "b4170000-0000-4000-8000-000000000000"
    var now = Instant.zero
    while examiner.examination.log.entries.isEmpty, let deadline = examiner.deadline {
      now = deadline
      examiner.wake(at: now, into: &outbox)
    }
    examiner.receive(.process(.line(Array("found \(uuid)".utf8), isError: true)), at: now, into: &outbox)
    expectEqual(examiner.examination.shown(uuid), [])
    examiner.receive(.process(.line(Array("found \(uuid)".utf8), isError: false)), at: now, into: &outbox)
    expectEqual(examiner.examination.shown(uuid), ["told"])
  }

  @Test("a port that is taken is left for the next one, and thirty-two taken ones are too many")
  func ports() {
    let setting = Examined.setting([.nameCase]) { $0.isOffSubnetWatched = true }
    let free = ExaminerBench.run(setting, takenPorts: [50_900, 50_901])
    expectEqual(free.machine.failure, nil)
    expectEqual(free.machine.examination.setting.pagePort, 50_902)
    expectEqual(free.machine.examination.setting.offSubnet.port, 50_902)
    expectEqual(
      Array(effects(free.trace).prefix(7)),
      [
        "0.000000000 it > join 239.255.255.250:1900 if0",
        "0.000000000 it > stream 1 listen 10.77.1.10:50900 if0",
        "0.000000000 it > stream 2 listen 203.0.113.66:50901 if0",
        "0.000000000 it > stream 3 listen 10.77.1.10:50901 if0",
        "0.000000000 it > stream 4 listen 203.0.113.66:50902 if0",
        "0.000000000 it > stream 5 listen 10.77.1.10:50902 if0",
        "0.100000000 it > process start toy -i a\\x20b",
      ])
    let taken = ExaminerBench.run(Examined.setting([.nameCase]), takenPorts: Set(50_900..<50_932))
    expectEqual(taken.machine.failure, .noPort(Endpoint(Examined.device, port: 50_900)))
    #expect(taken.machine.isOver)
    let last = ExaminerBench.run(Examined.setting([.nameCase]), takenPorts: Set(50_900..<50_931))
    expectEqual(last.machine.failure, nil)
    expectEqual(last.machine.examination.setting.pagePort, 50_931)
  }

  @Test("without its address it waits five seconds, and an examination that is stopped says its byebyes")
  func ends() {
    let elsewhere = InterfaceChange(
      interface: InterfaceID(0), isUp: true, addresses: [InterfaceAddress(IPAddress(10, 9, 9, 9), prefixBits: 24)])
    let nowhere = ExaminerBench.run(Examined.setting([.nameCase]), change: elsewhere)
    expectEqual(nowhere.machine.failure, .noAddress)
    expectEqual(nowhere.trace.map(\.time), [.zero, .zero + .seconds(5)])
    let early = ExaminerBench.run(Examined.setting([.nameCase]), stop: .milliseconds(50))
    #expect(early.machine.isOver)
    #expect(early.machine.examination.log.entries.isEmpty)
    let stopped = ExaminerBench.run(Examined.setting([.nameCase]), stop: .milliseconds(400))
    let sent = stopped.machine.examination.log.entries.filter(\.isSent)
    expectEqual(sent.last.map { String(decoding: $0.bytes, as: UTF8.self).contains("NTS: ssdp:byebye") }, true)
    expectEqual(
      Array(effects(stopped.trace).suffix(2)),
      [
        "0.400000000 it > process signal 15", "0.400000000 it > stream 1 reset",
      ])
  }

  @Test("a command that does not end when it is asked to is ended, one that cannot be started is said")
  func command() {
    let setting = Examined.setting([.nameCase]) { $0.runs = 1 }
    let stubborn = ExaminerBench.run(setting, isStubborn: true)
    let signals = effects(stubborn.trace).filter { $0.contains("signal") }
    let times = stubborn.trace.filter { if case .effect(.process(.signal)) = $0.content { true } else { false } }
      .map(\.time)
    expectEqual(signals.map { String($0.suffix(2)) }, ["15", " 9", "15", " 9"])
    #expect(times.count == 4 && times[1] - times[0] == .milliseconds(1_500))
    expectEqual(verdicts(stubborn.machine.examination), verdicts(ExaminerBench.run(setting).machine.examination))
    let missing = ExaminerBench.run(setting, startError: 2)
    expectEqual(missing.machine.failure, .notStarted(errno: 2))
    #expect(missing.machine.isOver)
  }

  @Test("a file that is no record is refused with its place")
  func refused() throws {
    let good = file(Examined.setting([.nameCase]), [])
    func failure(_ text: String) -> ExamRecord.Failure? {
      do {
        _ = try ExamRecord.controlPoint(text)
        return nil
      } catch { return error }
    }
    expectEqual(failure(good), nil)
    expectEqual(
      failure(""),
      .init(line: 1, column: 1, expected: "'# examine control-point' and what was asked for, as --trace writes it"))
    expectEqual(failure(good.replacing("# examine control-point", with: "# examine device"))?.column, 1)
    expectEqual(
      failure(good.replacing("name-case", with: "no-such")),
      .init(line: 1, column: good.utf8.count - 9, expected: "a probe of this version"))
    expectEqual(failure(good.replacing(" runs 2", with: " runs many"))?.expected, "a number of runs")
    expectEqual(
      failure(good + "1.000000000 here < wake\nnonsense\n"),
      .init(line: 3, column: 1, expected: "a time in seconds with nine decimals"))
    expectEqual(
      failure(good + "1.000000000 here < wake\n0.900000000 here < wake\n"),
      .init(line: 3, column: 1, expected: "a time that is not before that of the line above"))
    expectEqual(failure(good + "# a remark\n\n1.000000000 here < wake\n1.000000000 here < wake\n"), nil)
  }
}

@Suite("Examinations of devices, recorded")
struct RecordedDeviceExamTests {
  @Test("a recorded examination comes to the same verdicts byte for byte, from what its file says")
  func replayed() throws {
    for plan in [
      DeviceExamPlan(patience: .zero),
      DeviceExamPlan(probes: [.searchUUID, .malformed], patience: .seconds(1), seed: Seed(9), agent: "a b/1 \u{1b}"),
      DeviceExamPlan(target: "uuid:x", patience: .zero),
    ] {
      var bench = ExamBench()
      bench.plan = plan
      // What the examiner was given, with the interface in front: the whole trace follows from it.
      let interface = InterfaceChange(
        interface: InterfaceID(0), isUp: true, addresses: [InterfaceAddress(ExamBench.examiner, prefixBits: 24)])
      var given = [TraceEntry(time: .zero + bench.begin, station: 0, content: .signal(.interface(interface)))]
      given += bench.run().entries.filter { if case .received = $0.content { true } else { false } }
      let first = MachineReplay.run(given, station: 0, in: DeviceExam(plan), until: .zero + .seconds(400))
      let lines = [ExamRecord.line(plan, interface: "eth0")] + first.entries.map { TraceText.line($0) { _ in "here" } }
      let record = try ExamRecord.device(lines.joined(separator: "\r\n"))
      expectEqual(record.plan, plan)
      expectEqual(record.interface, "eth0")
      expectEqual(record.entries, first.entries)
      let second = MachineReplay.run(record.entries, station: 0, in: DeviceExam(record.plan))
      expectEqual(second.difference, nil)
      expectEqual(second.machine.outcome, first.machine.outcome)
      try expectEqual(pages(second.machine, record.entries), pages(first.machine, first.entries))
      // An answer that is left out changes what was seen.
      if plan.target == nil {
        let answer = try #require(given.lastIndex { if case .received = $0.content { true } else { false } })
        given.remove(at: answer)
        let other = MachineReplay.run(given, station: 0, in: DeviceExam(plan), until: .zero + .seconds(400))
        #expect(try pages(other.machine, other.entries) != pages(first.machine, first.entries))
      }
    }
  }

  private func pages(_ exam: DeviceExam, _ entries: [TraceEntry]) throws -> [String] {
    guard let report = exam.report else { return ["\(exam.outcome.map { "\($0)" } ?? "not over")"] }
    return ExamLines.lines(report, ExamJudgement.judgement(of: exam, report, trace: entries), input: "x")
  }
}
