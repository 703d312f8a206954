import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallExaminers

@Suite("An examination of a device that is known, from deadline to deadline")
struct ExamStepTests {
  private let nanosecond = Interval.nanoseconds(1)

  private func text(_ time: Instant) -> String { (time - Instant.zero).secondsText }

  /// The deadlines from this time on, each of which it is woken at, and its end.
  private func deadlines(_ station: ExamStation, from start: Interval = .seconds(11)) -> [String] {
    var station = station
    station.wake(at: start)
    var times: [String] = []
    while let deadline = station.exam.deadline, times.count < 20 {
      times.append(text(deadline))
      station.wake(at: deadline - Instant.zero)
    }
    return times + (station.exam.outcome.map { ["\($0)"] } ?? [])
  }

  /// `10 s search-uuid x:1`
  private func asked(_ station: ExamStation) -> [String] {
    station.exam.asks.map { "\(text($0.time)) \($0.probe.rawValue) \($0.question.target ?? "")" }
  }

  /// Runs these questions at 10 s.
  private func run(_ batch: Batch, first: Int = 0, in station: inout ExamStation) {
    station.exam.running = RunningBatch(batch, at: .zero + .seconds(10), first: first)
  }

  private func answer(_ number: Int, _ station: inout ExamStation, at time: Interval) {
    let ask = station.exam.asks[number]
    let target = ask.question.target ?? ""
    station.hear(
      "HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=100\r\nEXT:\r\nLOCATION: http://192.168.1.10/x\r\n"
        + "SERVER: Linux/1 UPnP/2.0 Test/1\r\nST: \(target)\r\nUSN: uuid:\(DeviceCourse.uuid)::\(target)\r\n\r\n",
      to: ask.source, at: time)
  }

  // MARK: - The end

  @Test("after its last question it listens a second, or as long as an answer is due or patience for a renewal lasts")
  func listens() {
    let long = ExamQuestion(DeviceCourse.root, mx: "5")
    func deadlines(_ question: ExamQuestion? = nil, answers: Int = 0, patience: Interval? = nil, renewed: Bool = false)
      -> [String]
    {
      var course = DeviceCourse([DeviceCourse.root, "x:1"])
      if let question {
        let waits = [Interval](repeating: .milliseconds(1), count: answers)
        course.ask(.searchRoot, question, at: .seconds(10), answeredAfter: waits)
      }
      if renewed { course.announce(at: .milliseconds(10_500)) }
      let plan = DeviceExamPlan(probes: patience == nil ? [] : [.renewal], patience: patience ?? .zero)
      return self.deadlines(ExamStation(of: course, plan))
    }
    let all = ExamQuestion("ssdp:all", mx: "5")
    expectEqual(deadlines(), ["12 s", "examined"])
    expectEqual(deadlines(long), ["15.3 s", "examined"])
    expectEqual(deadlines(long, answers: 1), ["12 s", "examined"])
    expectEqual(deadlines(ExamQuestion(DeviceCourse.root, mx: "5", isMulticast: false)), ["12 s", "examined"])
    expectEqual(deadlines(all, answers: 1), ["15.3 s", "examined"])
    expectEqual(deadlines(all, answers: 2), ["12 s", "examined"])
    expectEqual(deadlines(patience: .milliseconds(500)), ["12 s", "examined"])
    expectEqual(deadlines(patience: .seconds(30)), ["41 s", "examined"])
    expectEqual(deadlines(patience: .seconds(30), renewed: true), ["12 s", "examined"])
    // A description that is being fetched is waited for.
    var fetching = ExamStation(of: DeviceCourse())
    fetching.exam.fetch = ExamFetch(location: "http://x", askedAt: .zero + .seconds(8), question: [])
    expectEqual(self.deadlines(fetching), ["12 s", "13 s", "examined"])
    // A renewal at the first moment at which it may end ends it.
    var renewed = ExamStation(of: DeviceCourse(), DeviceExamPlan(probes: [.renewal], patience: .seconds(30)))
    renewed.wake(at: .seconds(11))
    renewed.notify("alive", DeviceCourse.root, DeviceCourse.uuid, at: .seconds(12))
    expectEqual(renewed.exam.phase, .over)
    expectEqual(renewed.exam.ended, Instant.zero + .seconds(12))
  }

  @Test("a device to be stopped has its time; two seconds after byebye all is over, and without one it is asked")
  func stopping() {
    var station = ExamStation(
      of: DeviceCourse(), DeviceExamPlan(probes: [.byebye], patience: .zero, byebyeWait: .seconds(20)))
    expectEqual(
      deadlines(station),
      ["12 s", "32 s", "33.5 s", "35 s", "36.5 s", "38 s", "40.5 s", "examined"])
    station.wake(at: .seconds(11))
    expectEqual(station.exam.wantsDeviceStopped, false)
    station.notify("byebye", DeviceCourse.root, DeviceCourse.uuid, at: .milliseconds(11_500))
    expectEqual(station.exam.byebyeSeen, nil)
    station.wake(at: .seconds(12))
    expectEqual(station.exam.phase, .stopping)
    expectEqual(station.exam.wantsDeviceStopped, true)
    expectEqual(station.exam.current, .byebye)
    expectEqual(station.exam.stoppingFrom, Instant.zero + .seconds(12))
    station.notify("byebye", DeviceCourse.root, "u-2", at: .seconds(14))
    expectEqual(station.exam.deadline, Instant.zero + .seconds(32))
    for (heard, end) in [(15, "17 s"), (31, "32 s")] as [(Int64, String)] {
      var one = station
      one.notify("byebye", DeviceCourse.root, DeviceCourse.uuid, at: .seconds(heard))
      expectEqual(deadlines(one, from: .seconds(heard)), [end, "examined"])
    }
  }

  @Test("told to stop, an examination ends where it stands, once, and not before a device is chosen")
  func stop() {
    var early = ExamStation()
    early.begin(at: .zero)
    early.give(.command(.stop), at: .milliseconds(50))
    expectEqual(early.exam.phase, .finding)
    expectEqual(early.exam.wasStopped, false)
    var course = DeviceCourse()
    course.sign(at: .seconds(1))
    var station = ExamStation(of: course)
    run(Batch(.searchUUID, [Request(ExamQuestion("x:1"))], wait: .seconds(2)), first: 1, in: &station)
    station.exam.batches = [Batch(.copies, [], wait: .zero)]
    station.wake(at: .seconds(10))
    station.exam.fetch = ExamFetch(location: "http://x", askedAt: .zero + .seconds(10), question: [])
    for time in [10, 11] as [Int64] { station.give(.command(.stop), at: .seconds(time)) }
    expectEqual(station.exam.phase, .over)
    expectEqual(station.exam.outcome, .examined)
    expectEqual(station.exam.ended, Instant.zero + .seconds(10))
    expectEqual(station.exam.wasStopped, true)
    expectEqual(station.exam.lastAsk, 1)
    expectEqual(station.exam.deadline, nil)
    expectEqual(station.exam.batches, [])
    #expect(station.exam.running == nil && station.exam.fetch == nil)
    var over = ExamStation()
    over.exam = course.exam
    over.give(.command(.stop), at: .seconds(2_000))
    expectEqual(over.exam.wasStopped, false)
    expectEqual(over.exam.ended, Instant.zero + .seconds(1_000))
  }

  @Test("an examination ends where its own interface loses its address, and a datagram that was not sent was not asked")
  func host() {
    func down(_ number: UInt16) -> SignalValue {
      .interface(InterfaceChange(interface: InterfaceID(number), isUp: false, addresses: []))
    }
    var station = ExamStation(of: DeviceCourse())
    run(Batch(.searchUUID, [Request(ExamQuestion("x:1"))], wait: .seconds(2)), in: &station)
    station.wake(at: .seconds(10))
    let port = station.exam.asks.first?.source.port ?? 0
    for (deed, isRefused) in [(.join, false), (.send, true)] as [(Refusal.Deed, Bool)] {
      station.give(
        .refused(Refusal(deed: deed, interface: InterfaceID(0), address: .ssdpGroup4, port: port)), at: .seconds(10))
      expectEqual(station.exam.asks.map(\.wasRefused), [isRefused])
    }
    station.give(down(1), at: .seconds(11))
    station.begin(at: .seconds(11))
    expectEqual(station.exam.phase, .asking)
    expectEqual(station.exam.lostInterface, nil)
    station.give(down(0), at: .milliseconds(11_500))
    expectEqual(station.exam.phase, .over)
    expectEqual(station.exam.outcome, .examined)
    expectEqual(station.exam.lostInterface, Instant.zero + .milliseconds(11_500))
    expectEqual(station.exam.ended, Instant.zero + .milliseconds(11_500))
    station.give(down(0), at: .seconds(13))
    expectEqual(station.exam.lostInterface, Instant.zero + .milliseconds(11_500))
    // Before a device is chosen nothing was examined.
    var early = ExamStation()
    early.give(down(0), at: .zero)
    expectEqual(early.exam.lostInterface, nil)
    early.begin(at: .zero)
    expectEqual(Array(early.outbox.effects), [Effect.join(ExamStation.group, InterfaceID(0))])
    // A signal for a device moves nothing here, even where a search is due.
    early.give(.command(.act(.appear)), at: .milliseconds(100))
    expectEqual(early.exam.packetCount, 0)
    early.give(down(0), at: .milliseconds(100))
    expectEqual(early.exam.outcome, .noAddress)
    expectEqual(early.exam.packetCount, 0)
  }

  // MARK: - The choice

  @Test("a device heard two seconds after the last search could have answered it, and one heard later is asked again")
  func chooses() {
    for (late, phase, firstAsk) in [(.zero, .asking, 0), (nanosecond, .finding, 4)]
      as [(Interval, DeviceExam.Phase, Int)]
    {
      var station = ExamStation(DeviceExamPlan(probes: [], patience: .zero))
      station.begin(at: .zero)
      for time in [100, 600, 1_100, 2_100] as [Int64] { station.wake(at: .milliseconds(time)) }
      station.notify("alive", DeviceCourse.root, at: Interval.milliseconds(4_100) + late)
      station.wake(at: .milliseconds(4_600))
      expectEqual(station.exam.phase, phase)
      expectEqual(station.exam.firstAsk, firstAsk)
      expectEqual(station.exam.packetCount, 5)
    }
  }

  @Test("a part that is hoped for is enough to choose its device at once, and to ask for the description")
  func hopes() {
    var station = ExamStation(DeviceExamPlan(target: "p-1", probes: [.description], patience: .seconds(30)))
    let location = ["LOCATION: http://192.168.1.10/x"]
    station.begin(at: .zero)
    station.notify("alive", DeviceCourse.root, "u-1", location, at: .milliseconds(20))
    for time in [100, 600, 1_100, 2_100, 4_600] as [Int64] { station.wake(at: .milliseconds(time)) }
    expectEqual(station.exam.phase, .hoping)
    expectEqual(station.exam.deadline, Instant.zero + .milliseconds(34_600))
    station.notify("alive", "urn:a:device:B:1", "p-1", location, at: .seconds(5))
    expectEqual(station.exam.phase, .asking)
    expectEqual(station.exam.root, "u-1")
    expectEqual(
      station.streams,
      [.connect(ExamFetch.stream, to: Endpoint(ExamBench.device, port: 80), InterfaceID(0))])
  }

  // MARK: - Questions

  @Test("a question without its answer is asked again, with a second more at last; a device that is gone ends it")
  func repeats() {
    var station = ExamStation(of: DeviceCourse())
    let wait = Interval.milliseconds(1_500)
    run(
      Batch(
        .searchUUID, ["x:1", "x:2"].map { Request(ExamQuestion($0), needed: 1) }, wait: wait, tries: 3), in: &station)
    var vital = Batch(.stillThere, [Request(ExamQuestion("x:4"), needed: 1)], wait: wait, tries: 2)
    (vital.isVital, vital.follows) = (true, .mxZero)
    station.exam.batches = [
      Batch(.mxMissing, [Request(ExamQuestion("x:3", mx: nil))], wait: .milliseconds(1_400), tries: 2), vital,
      Batch(.copies, [Request(ExamQuestion("x:5"))], wait: wait),
    ]
    station.wake(at: .seconds(10))
    answer(0, &station, at: .milliseconds(10_200))
    station.wake(at: .milliseconds(11_500))
    // Between two datagrams of two kinds lies a tenth of a second.
    var quick = station
    answer(2, &quick, at: .milliseconds(11_520))
    expectEqual(quick.exam.deadline, Instant.zero + .milliseconds(11_600))
    expectEqual(quick.exam.current, .mxMissing)
    while let deadline = station.exam.deadline, station.exam.packetCount < 20 {
      station.wake(at: deadline - Instant.zero)
    }
    expectEqual(
      asked(station),
      [
        "10 s search-uuid x:1", "10 s search-uuid x:2", "11.5 s search-uuid x:2", "13 s search-uuid x:2",
        "15.5 s mx-missing x:3", "16.9 s mx-missing x:3", "18.3 s still-there upnp:rootdevice",
        "19.8 s still-there upnp:rootdevice",
      ])
    expectEqual(station.exam.ended, Instant.zero + .milliseconds(22_300))
    expectEqual(station.exam.fellSilentAfter, .mxZero)
  }

  @Test("one call sends no more than 64 datagrams, and the rest is due at once")
  func turns() {
    var station = ExamStation(of: DeviceCourse())
    let requests = (0..<70).map { Request(ExamQuestion("x:\($0)")) }
    run(Batch(.copies, requests, wait: .milliseconds(1_500)), in: &station)
    for (count, due) in [(64, 10_000), (70, 11_500)] as [(Int, Int64)] {
      station.wake(at: .seconds(10))
      expectEqual(station.exam.packetCount, count)
      expectEqual(station.exam.deadline, Instant.zero + .milliseconds(due))
    }
  }

  @Test("waits that look uneven are looked at once more, and only once")
  func spread() {
    var course = DeviceCourse()
    course.sign(at: .seconds(1))
    for number in 0..<35 {
      course.ask(.spread, at: .seconds(2) + .milliseconds(90 * Int64(number)), answeredAfter: [.milliseconds(1)])
    }
    var station = ExamStation(of: course)
    run(
      Batch(.spread, [Request(ExamQuestion(DeviceCourse.root))], wait: .milliseconds(3_500)), first: 1, in: &station)
    for (time, count) in [(10_000, 37), (13_500, 38), (17_000, 38)] as [(Int64, Int)] {
      station.wake(at: .milliseconds(time))
      expectEqual(station.exam.packetCount, count)
    }
    expectEqual(station.exam.phase, .listening)
  }

  @Test("a device that answers after all is looked for again, and a second search asks the questions left out")
  func seemedMute() {
    let question = ExamQuestion("uuid:" + DeviceCourse.uuid)
    let batch = Batch(.searchUUID, [Request(question, needed: 1)], wait: .milliseconds(1_500), tries: 3)
    var station = ExamStation(of: DeviceCourse())
    station.exam.isMute = true
    run(batch, in: &station)
    station.wake(at: .seconds(10))
    answer(0, &station, at: .milliseconds(10_200))
    expectEqual(asked(station).dropFirst().map { $0 }, ["10.2 s search-all ssdp:all"])
    expectEqual(station.exam.phase, .finding)
    expectEqual(station.exam.firstAsk, 1)

    var course = DeviceCourse()
    course.add(DeviceCourse.part, ["uuid:part-1"])
    course.ask(.searchAll, ExamQuestion("ssdp:all"), at: .seconds(1))
    course.ask(.searchRoot, at: .seconds(2))
    station = ExamStation(of: course, DeviceExamPlan(probes: [.searchUUID], patience: .zero))
    (station.exam.isMute, station.exam.firstAsk) = (true, 1)
    run(batch, first: 2, in: &station)
    station.wake(at: .seconds(10))
    answer(2, &station, at: .milliseconds(10_200))
    expectEqual(asked(station).last, "10.2 s search-uuid uuid:part-1")
    expectEqual(station.exam.batches.map(\.probe), [.stillThere])
    expectEqual(station.exam.isMute, false)
  }
}
