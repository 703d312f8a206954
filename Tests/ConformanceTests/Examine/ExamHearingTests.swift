import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallExaminers

@Suite("Hearing of an examination of a device, its bounds and signs of life")
struct ExamHearingTests {
  private static let part = DeviceCourse.part

  private func x(_ count: Int) -> String { String(repeating: "x", count: count) }

  private func instant(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  // MARK: - Bounds

  @Test("names are heard up to their bounds, and of LOCATION and SERVER the beginning is kept")
  func bounds() {
    var station = ExamStation()
    station.begin(at: .zero)
    let server = "Linux/1 UPnP/1.1 Test/" + x(99)
    station.notify(
      "alive", x(512), x(256),
      ["CACHE-CONTROL: max-age=60", "LOCATION: " + x(513), "SERVER: " + server, "SEARCHPORT.UPNP.ORG: 1"],
      at: .milliseconds(20))
    station.notify(
      "alive", x(512), x(256), ["CACHE-CONTROL: max-age=0", "SEARCHPORT.UPNP.ORG: 0"], at: .milliseconds(30))
    station.notify("alive", "y:1", x(257), at: .milliseconds(40))
    expectEqual(
      station.exam.roll.devices,
      [
        ExamDevice(
          uuid: x(256), source: ExamBench.device, location: x(512), server: String(server.prefix(120)), claim: .uda11,
          searchPort: 1, maxAgeSeconds: 0, adverts: [ExamAdvert(target: x(512), uuid: x(256))],
          firstHeard: instant(20))
      ])
    expectEqual(station.exam.announcements.map(\.time), [instant(20), instant(30)])
    expectEqual(ExamFetch.bodyBytesMaximum, 1_048_576)
  }

  @Test("of announcements 8,192 are kept, and of devices 256 beside the one that is meant")
  func rooms() throws {
    var course = DeviceCourse()
    course.announce(at: .seconds(1))
    let first = try #require(course.exam.announcements.first)
    expectEqual(
      first.record,
      ProbeMessage(time: instant(1_000), isSent: false, peer: DeviceCourse.device, port: 1_900, bytes: []))
    course.exam.announcements = Array(repeating: first, count: 8_191)
    var station = ExamStation(of: course)
    for time in [1, 2] as [Int64] {
      station.notify("alive", DeviceCourse.root, DeviceCourse.uuid, at: .milliseconds(time))
      expectEqual(station.exam.announcements.count, 8_192)
    }

    var crowd = ExamStation(DeviceExamPlan(target: "meant", patience: .zero))
    crowd.begin(at: .zero)
    for number in 0..<256 { crowd.exam.roll.note("u\(number)", from: ExamBench.device, at: .zero) { _ in } }
    for uuid in ["other", "MEANT", "another"] {
      crowd.notify("alive", DeviceCourse.root, uuid, at: .milliseconds(1))
    }
    expectEqual(crowd.exam.roll.devices.dropFirst(255).map(\.uuid), ["u255", "MEANT"])
  }

  // MARK: - Answers

  @Test("answers to multicast searches in good form for all or for roots make a device known, and not as announced")
  func learns() {
    var station = ExamStation()
    station.begin(at: .zero)
    let root = DeviceCourse.root
    let questions = [
      ExamQuestion("ssdp:all"), ExamQuestion(root), ExamQuestion("x:1"), ExamQuestion(root, isMulticast: false),
      ExamQuestion("ssdp:all", mx: nil),
    ]
    for (number, question) in questions.enumerated() {
      let source = Endpoint(ExamBench.examiner, port: 50_000 + UInt16(number))
      station.exam.asks.append(
        ExamAsk(
          probe: .searchAll, question: question, time: .zero, source: source, destination: ExamStation.group, bytes: [])
      )
      station.exam.askOfPort[source.port] = number
    }
    func answer(_ number: Int, _ target: String, _ uuid: String) {
      station.hear(
        "HTTP/1.1 200 OK\r\nEXT:\r\nST: \(target)\r\nUSN: uuid:\(uuid)::\(target)\r\n\r\n",
        to: station.exam.asks[number].source, at: .milliseconds(10))
    }
    let rows: [(ask: Int, target: String)] = [
      (0, "x:1"), (0, x(512)), (0, x(513)), (1, root), (1, "x:1"), (2, root), (2, "x:1"), (3, root), (4, "x:1"),
    ]
    for (number, row) in rows.enumerated() { answer(row.ask, row.target, "u-\(number)") }
    answer(0, "x:1", "u-0")
    let notify =
      "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nNT: x:1\r\nNTS: ssdp:alive\r\n"
      + "USN: uuid:u-9::x:1\r\n\r\n"
    station.hear(notify, to: station.exam.asks[0].source, at: .milliseconds(20))
    expectEqual(station.exam.roll.devices.map(\.uuid), ["u-0", "u-1", "u-3", "u-9"])
    let adverts = station.exam.roll.devices.map(\.adverts)
    expectEqual(adverts.map { $0.map(\.target) }, [["x:1"], [x(512)], [root], ["x:1"]])
    station.notify("alive", "x:1", "u-0", at: .milliseconds(30))
    answer(0, "x:1", "u-0")
    expectEqual(station.exam.roll.devices[0].adverts, [ExamAdvert(target: "x:1", uuid: "u-0")])
    expectEqual(station.exam.asks.map(\.answers.count), [6, 2, 2, 1, 1])
    // Bytes that are no message are kept as they came; at port 1900 of one's own, where others speak, answers alone.
    station.hear("junk", to: station.exam.asks[0].source, at: .milliseconds(40))
    expectEqual(
      station.exam.asks[0].answers.last,
      ExamAnswer(
        time: instant(40), source: DeviceCourse.device, port: 50_000, isResponse: false, isError: false, bootID: -1,
        configID: -1, bytes: Array("junk".utf8)))
    for (port, count) in [(1_900, 1), (1_901, 2)] as [(UInt16, Int)] {
      station.exam.askOfPort[port] = 4
      station.hear(notify, to: Endpoint(ExamBench.examiner, port: port), at: .milliseconds(50))
      expectEqual(station.exam.asks[4].answers.count, count)
    }
  }

  // MARK: - Signs of life

  @Test("a renewal is an alive message ten seconds on, and the one before it is of the same name and type")
  func renewal() {
    var course = DeviceCourse()
    course.add(Self.part, ["x:1"])
    course.announce(at: .seconds(1))
    course.announce(at: .seconds(2), target: "x:2")
    course.announce(at: .seconds(3), uuid: Self.part)
    course.announce(at: .seconds(20))
    expectEqual(course.exam.renewal(until: instant(19_999))?.alive.time, nil)
    let renewal = course.exam.renewal(until: instant(20_000))
    expectEqual(renewal?.alive.time, instant(20_000))
    expectEqual(renewal?.before, instant(1_000))
  }

  @Test("an unanswered question shows nothing of a device, and a mute one shows life by announcements and its page")
  func life() {
    var course = DeviceCourse()
    course.ask(.searchRoot, at: .seconds(1))
    course.ask(.searchRoot, at: .seconds(2), answeredAfter: [.milliseconds(1)])
    course.ask(
      .unicast, ExamQuestion(DeviceCourse.root, mx: nil, isMulticast: false), at: .seconds(3),
      answeredAfter: [.milliseconds(1)])
    expectEqual(course.exam.life.any, [instant(2_000), instant(3_000)])
    expectEqual(course.exam.life.multicast, [instant(2_000)])
    expectEqual(course.exam.life.heard, [instant(2_001), instant(3_001)])
    course.exam.isMute = true
    course.exam.document = ExamDocument(
      time: instant(2_500), heard: HeardDescription(location: "http://x", askedAt: .zero, body: []))
    expectEqual(course.exam.life.multicast, [instant(2_001), instant(2_500), instant(3_001)])
  }

  @Test("silence counts where the device answered after the time for an answer, on the same path, and had not left")
  func settled() {
    func isSettled(
      _ multicast: [Int64], any: [Int64] = [], byebyes: [Int64] = [], isMulticast: Bool = true, isRefused: Bool = false
    ) -> Bool {
      var course = DeviceCourse()
      course.ask(.searchRoot, ExamQuestion(DeviceCourse.root, isMulticast: isMulticast), at: .seconds(10))
      course.exam.asks[0].wasRefused = isRefused
      let life = DeviceExam.Life(
        multicast: multicast.map(instant), any: any.map(instant), heard: [], byebyes: byebyes.map(instant))
      return course.exam.isSettled(course.exam.asks[0], life)
    }
    expectEqual(isSettled([11_000]), true)
    expectEqual(isSettled([10_999], any: [12_000]), false)
    expectEqual(isSettled([10_999], any: [12_000], isMulticast: false), true)
    expectEqual(isSettled([12_000], isMulticast: false), false)
    expectEqual(isSettled([11_000], isRefused: true), false)
    // It said byebye before the time was over, and came back only after it was asked.
    expectEqual(isSettled([11_000], byebyes: [10_500]), false)
    expectEqual(isSettled([10_000, 11_000], byebyes: [9_000]), true)
    expectEqual(isSettled([10_000, 11_000], byebyes: [10_000]), false)
    expectEqual(isSettled([11_000], byebyes: [11_000]), false)
    expectEqual(isSettled([11_001], byebyes: [11_001]), true)
  }

  // MARK: - The description, and what is planned

  @Test("a description that could not be asked for at first is asked for when LOCATION is known")
  func fetch() throws {
    var station = ExamStation(of: DeviceCourse(), DeviceExamPlan(probes: [.description], patience: .zero))
    var subject = try #require(station.exam.subject)
    let location = subject.root.location
    subject.root.location = ""
    station.exam.fetch(subject, at: .zero, into: &station.outbox)
    expectEqual(
      station.exam.fetchRemark, "not fetched: LOCATION is no http URL at the device's own address")
    expectEqual(station.streams, [])
    subject.root.location = location
    station.exam.fetch(subject, at: .zero, into: &station.outbox)
    expectEqual(station.exam.fetchRemark, nil)
    expectEqual(
      station.streams, [.connect(ExamFetch.stream, to: Endpoint(ExamBench.device, port: 80), InterfaceID(0))])
  }

  @Test("a device type that a device has twice is to be answered by both")
  func needed() throws {
    var course = DeviceCourse([DeviceCourse.root, "urn:a:device:B:1"])
    course.add(Self.part, ["urn:a:device:B:1"])
    let subject = try #require(course.exam.subject)
    let requests = course.exam.plannedBatches(subject).filter { $0.probe == .searchDevice }.flatMap(\.requests)
    expectEqual(requests, [Request(ExamQuestion("urn:a:device:B:1"), needed: 2)])
  }
}
