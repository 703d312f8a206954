import RollcallConformance
import RollcallExaminers
import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("The course of an examination") struct ExamCourseTests {
  // MARK: - Whom

  @Test("where nobody is, nobody is examined")
  func nobody() {
    let result = ExamBench(acts: []).run()
    expectEqual(result.exam.outcome, .nobody)
    #expect(result.report == nil)
    expectEqual(result.exam.packetCount, 4)
  }

  @Test("several devices and no target is an end that names them")
  func ambiguous() {
    let result = ExamBench(neighbours: [Profile.basic.description]).run()
    expectEqual(result.exam.outcome, .ambiguous)
    expectEqual(result.exam.roll.subjects.count, 2)
    expectEqual(result.exam.packetCount, 4)
  }

  @Test("the one that is meant is examined, whatever the others do")
  func target() throws {
    let first = ExamBench(neighbours: [Profile.basic.description]).run()
    let wanted = try #require(first.exam.roll.subjects.first { $0.address == ExamBench.device })
    var bench = ExamBench(neighbours: [Profile.basic.description])
    bench.plan = DeviceExamPlan(target: wanted.name.uppercased(), patience: .zero)
    let result = bench.run()
    expectEqual(result.report?.subject.name, wanted.name)
    expectEqual(result.violated(), [])
    expectEqual(result.judgement?.parties.map(\.name), ["192.168.1.10"])
  }

  @Test("a target that is not there is awaited as long as patience lasts")
  func absent() {
    var bench = ExamBench()
    bench.plan = DeviceExamPlan(target: "00000000-0000-4000-8000-000000000000", patience: .seconds(7))
    let result = bench.run()
    expectEqual(result.exam.outcome, .absent)
    expectEqual(result.exam.ended - result.exam.began, .milliseconds(11_500))
  }

  @Test("a device that comes while it is awaited is examined")
  func late() {
    let result = ExamBench(
      plan: DeviceExamPlan(probes: [.searchUUID], patience: .seconds(60)), acts: [(.seconds(40), .appear)]
    ).run()
    expectEqual(result.exam.outcome, .examined)
    expectEqual(result.violated(), [])
    expectEqual(result.report?.rows.first { $0.probe == .searchAll }?.mark, .held)
    expectEqual(result.exam.asks.map(\.probe), Self.finding + Self.finding + Self.names)
  }

  private static let finding: [DeviceProbe] = [.searchAll, .searchRoot, .searchAll, .searchAll]
  private static let names: [DeviceProbe] = [.searchRoot, .searchUUID, .searchUUID, .stillThere]

  @Test("a device that only seemed mute is asked again for all, once, and then for the rest")
  func seemedMute() {
    /// The device hears nothing of the first searches.
    func asked(unheard: Int, from time: Interval, violated: [String] = []) -> [DeviceProbe] {
      var bench = ExamBench(plan: DeviceExamPlan(probes: [.searchUUID], patience: .seconds(60)))
      if time == .zero { bench.begin = .zero }
      bench.acts = [(time, .appear)]
      bench.alter = { bytes, number in number > unheard ? bytes : nil }
      let result = bench.run()
      expectEqual(result.violated(), violated)
      return result.exam.asks.map(\.probe)
    }
    expectEqual(asked(unheard: 0, from: .zero), Self.finding + Self.names)
    expectEqual(asked(unheard: 4, from: .zero), Self.finding + [.searchRoot] + Self.finding + Self.names)
    // Of one that came late all was asked twice already: what was answered is not asked again.
    expectEqual(
      asked(unheard: 8, from: .seconds(40), violated: ["UDA-1.3.3-ST-ALL"]),
      Self.finding + Self.finding + Self.names)
  }

  @Test("an interface without an address ends it")
  func noAddress() {
    let result = ExamBench(plan: DeviceExamPlan(patience: .zero, family: .v6)).run()
    expectEqual(result.exam.outcome, .noAddress)
  }

  // MARK: - Renewal and byebye

  @Test("a renewal within max-age is seen where patience is long enough")
  func renewal() throws {
    var bench = ExamBench(
      plan: DeviceExamPlan(probes: [.renewal], patience: .seconds(60)), quirks: [.maxAge(60)], begin: .zero)
    let result = bench.run()
    expectEqual(result.violated(), [])
    let row = try #require(result.report?.rows.first { $0.probe == .renewal })
    expectEqual(row.mark, .held)
    expectEqual(row.remark?.hasPrefix("renewed after "), true)
    bench.quirks = [.maxAge(60), .renewsAfterLease]
    bench.plan.patience = .seconds(90)
    expectEqual(bench.run().violated(), ["UDA-1.2.2-RENEW"])
    bench.quirks = [.maxAge(60), .noRenewal]
    expectEqual(bench.run().violated(), ["UDA-1.2.2-RENEW"])
  }

  @Test("a renewal that patience was too short for is no verdict")
  func impatience() throws {
    let result = ExamBench(
      plan: DeviceExamPlan(probes: [.renewal], patience: .seconds(10)), quirks: [.noRenewal]
    ).run()
    let row = try #require(result.report?.rows.first { $0.probe == .renewal })
    expectEqual(row.mark, .inconclusive)
    expectEqual(row.remark?.hasSuffix(" s; max-age is 30m"), true)
    expectEqual(row.remark?.hasPrefix("not seen within 15."), true)
    expectEqual(result.violated(), [])
  }

  @Test("byebye is judged only where somebody stops the device")
  func byebye() throws {
    func run(_ quirks: [Quirk], leaves: Bool = true) -> ExamBench.Result {
      ExamBench(
        plan: DeviceExamPlan(probes: [.byebye], patience: .zero, byebyeWait: .seconds(20)), quirks: quirks,
        acts: leaves ? [(.zero, .appear), (.seconds(35), .leave)] : [(.zero, .appear)]
      ).run()
    }
    expectEqual(run([]).violated(), [])
    expectEqual(run([]).report?.rows.first { $0.probe == .byebye }?.mark, .held)
    expectEqual(run([.neverByebye]).violated(), ["UDA-1.2.3-BB-SEND"])
    expectEqual(run([], leaves: false).report?.rows.first { $0.probe == .byebye }?.mark, .inconclusive)
    expectEqual(DeviceExamPlan(probes: [.byebye]).probes.contains(.byebye), false)
  }

  @Test(
    "stopped at any moment, it judges what was asked to its end, and no silence that was too short",
    arguments: stride(from: Int64(21), through: 62, by: 4).map { $0 })
  func stopped(second: Int64) {
    var bench = ExamBench(plan: DeviceExamPlan(patience: .seconds(20), byebyeWait: .seconds(20)))
    bench.stop = .seconds(second)
    // Something arrives now and then, so that the time of stopping comes.
    bench.neighbours = [Profile.basic.description]
    bench.neighbours[0].timing.renewalInterval = .milliseconds(100) ... .milliseconds(100)
    bench.description.root.uuid = DeviceUUID("2fac1234-31f8-11b4-a222-08002b34c003")
    bench.plan.target = "2fac1234-31f8-11b4-a222-08002b34c003"
    let result = bench.run()
    guard result.exam.outcome == .examined else {
      #expect(second <= 24)
      return
    }
    #expect(result.exam.wasStopped)
    expectEqual(result.violated(), [])
  }

  // MARK: - Bounds

  @Test(
    "it sends no more and takes no longer than it says before",
    arguments: [
      [], [.silentOnUnicast, .answersLate(.seconds(1))], [.answersOnlySome("upnp:rootdevice")], [.manyAnswers(100)],
    ]
      as [[Quirk]])
  func bounds(quirks: [Quirk]) {
    var bench = ExamBench(quirks: quirks)
    bench.plan = DeviceExamPlan(patience: .seconds(5))
    let result = bench.run()
    #expect(result.exam.packetCount <= bench.plan.packetsMaximum)
    #expect(result.exam.ended - result.exam.began <= bench.plan.durationMaximum)
    #expect(result.exam.asks.allSatisfy { $0.bytes.count <= 400 })
  }

  @Test("only what was chosen is asked, beside what nothing can be done without")
  func choice() {
    let result = ExamBench(plan: DeviceExamPlan(probes: [.mxMissing], patience: .zero)).run()
    expectEqual(Set(result.exam.asks.map(\.probe)), [.searchAll, .searchRoot, .mxMissing, .stillThere])
  }

  @Test("bytes of any kind at its sockets end nothing")
  func junk() {
    var bench = ExamBench(plan: DeviceExamPlan(probes: [.searchUUID], patience: .zero))
    bench.description.server = String(repeating: "x", count: 60_000)
    expectEqual(bench.run().exam.outcome, .examined)
  }

  @Test("whatever becomes of the bytes on their way, it comes to its end within its bounds", arguments: 0..<12)
  func garbled(seed: UInt64) {
    var bench = ExamBench(neighbours: [Profile.speaker.description])
    bench.plan = DeviceExamPlan(patience: .seconds(3), seed: Seed(seed))
    bench.garble = { bytes, number in
      var dice = RandomStream(mixing: seed, UInt64(number))
      var bytes = bytes
      switch dice.below(8) {
      case 0: return Array(bytes.prefix(Int(dice.below(UInt64(bytes.count)))))
      case 1: bytes = bytes.map { dice.below(60) == 0 ? UInt8(truncatingIfNeeded: dice.next()) : $0 }
      case 2: bytes += bytes
      case 3: return (0..<Int(dice.below(1_400))).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
      default: break
      }
      return bytes
    }
    let result = bench.run()
    #expect(result.exam.isOver)
    #expect(result.exam.packetCount <= bench.plan.packetsMaximum)
    #expect(result.exam.ended - result.exam.began <= bench.plan.durationMaximum)
    _ = result.judgement
  }

  @Test("a crowd of invented devices takes nobody's place who is meant, and no more room than its bound")
  func crowd() {
    var bench = ExamBench(plan: DeviceExamPlan(probes: [.searchUUID], patience: .zero))
    bench.description.root.uuid = DeviceUUID("2fac1234-31f8-11b4-a222-08002b34c003")
    bench.plan.target = "2fac1234-31f8-11b4-a222-08002b34c003"
    // Each announcement of the neighbour comes under another name.
    bench.neighbours = [Profile.basic.description]
    bench.neighbours[0].timing.renewalInterval = .milliseconds(10) ... .milliseconds(10)
    bench.garble = { bytes, number in
      let text = String(decoding: bytes, as: UTF8.self)
      guard text.contains("NTS: ssdp:alive"), !text.contains("2fac1234") else { return bytes }
      return Array(text.replacing("USN: uuid:", with: "USN: uuid:\(number)-").utf8)
    }
    let result = bench.run()
    #expect(result.exam.roll.devices.count <= ExamDevice.countMaximum + 1)
    #expect(result.exam.roll.devices.count >= ExamDevice.countMaximum)
    expectEqual(result.report?.subject.root.uuid, "2fac1234-31f8-11b4-a222-08002b34c003")
    expectEqual(result.violated(), [])
  }

  @Test("each question comes from a socket of its own, but for copies of one")
  func sockets() {
    let asks = ExamBench().run().exam.asks
    let single = asks.filter { $0.probe != .copies }
    expectEqual(Set(single.map(\.source.port)).count, single.count)
    expectEqual(Set(asks.filter { $0.probe == .copies }.map(\.source.port)).count, 1)
  }

  @Test("waits are compared over MX 1, 2 and 3, which are asked by turns, and the finding says so")
  func spread() {
    var bench = ExamBench()
    bench.plan.probes = DeviceProbe.allCases.filter { $0 == .spread }
    bench.quirks = [.answersImmediately]
    let result = bench.run()
    let asked = result.exam.asks.filter { $0.probe == .spread }.compactMap(\.question.mx)
    expectEqual(asked, asked.indices.map { ["1", "2", "3"][$0 % DeviceProbe.spreadCount % 3] })
    #expect(asked.count >= DeviceProbe.spreadCount)
    let found = result.report?.rulings.filter { $0.probe == .spread && $0.verdict == .violated }.map(\.found) ?? []
    expectEqual(found.count, 1)
    #expect(found.first?.contains(" answers to MX 1, 2 and 3 by turns, after ") == true, "\(found)")
  }

  @Test("every clause that a probe serves is one of the catalogue's and of devices")
  func clauses() {
    for clause in DeviceProbe.allClauses { #expect(clause.clause.binds != .controlPoint, "\(clause.clause.id)") }
    expectEqual(Set(DeviceProbe.allCases.map(\.rawValue)).count, DeviceProbe.allCases.count)
  }
}
