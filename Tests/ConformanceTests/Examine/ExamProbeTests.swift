import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallExaminers

@Suite("Questions of an examination of a device, their cost and their clauses")
struct ExamProbeTests {
  private typealias Row = (probe: DeviceProbe, packets: Int, milliseconds: Int64, clauses: [ClauseID])
  private static let rows: [Row] = [
    (.searchAll, 6, 9_400, [.answerAll, .listenMulticast]), (.searchRoot, 5, 8_500, [.answerRoot, .listenMulticast]),
    (.answerPort, 2, 3_400, [.answerUnicast]), (.searchUUID, 18, 30_600, [.answerUUID]),
    (.searchDevice, 18, 30_600, [.answerDevice]), (.searchService, 36, 61_200, [.answerService]),
    (.versionLower, 18, 30_600, [.answerLower]), (.unicast, 3, 5_100, [.listenUnicast, .unicastAnswerFast]),
    (.unicastMX, 3, 5_100, [.unicastAnswerFast]), (.nameCase, 3, 5_100, [.nameCase]),
    (.unknownFields, 3, 5_100, [.skipUnknown]), (.fieldOrder, 3, 5_100, [.fieldOrder]),
    (.blanks, 3, 5_100, [.outerBlanks]), (.copies, 3, 5_100, [.answerOnce]),
    (.searchUnknown, 6, 640, [.answerMatch]), (.versionHigher, 12, 880, [.answerHigher]),
    (.mxMissing, 2, 480, [.answerNoMX]), (.mxText, 8, 720, [.answerBadMX]), (.manMissing, 2, 480, [.answerBadMAN]),
    (.manUnquoted, 2, 480, [.answerBadMAN]), (.manOther, 2, 480, [.answerBadMAN]), (.valueCase, 4, 560, [.valueCase]),
    (.otherStartLine, 2, 480, [.otherStartLine]), (.malformed, 4, 560, [.discardMalformed]),
    (.overlap, 4, 5_700, [.answerNonblocking]), (.spread, 72, 14_480, [.answerDelay]), (.mxZero, 2, 3_400, []),
    (.mxHuge, 3, 36_400, [.answerMXCap]), (.stillThere, 15, 25_500, [.listenMulticast]),
    (
      .description, 0, 5_000,
      [.embeddedTwo, .servicePerDevice, .usnOwner, .usnUDN, .configIDChange, .noURLBase, .urlBaseHost]
    ),
    (.renewal, 0, 2_000, [.renew]), (.byebye, 5, 8_500, [.byebyeSend]),
  ]

  @Test("each probe says before how many datagrams and how much time it takes at most, and which clauses it serves")
  func bounds() {
    let rows = Self.rows
    expectEqual(rows.map(\.probe), DeviceProbe.allCases)
    expectEqual(rows.map(\.packets), DeviceProbe.allCases.map(\.packetsMaximum))
    expectEqual(rows.map { Interval.milliseconds($0.milliseconds) }, DeviceProbe.allCases.map(\.durationMaximum))
    expectEqual(rows.map(\.clauses), DeviceProbe.allCases.map(\.clauses))
    for (number, row) in rows.enumerated() {
      for (place, other) in rows.enumerated() { expectEqual(row.probe < other.probe, number < place) }
    }
  }

  @Test("a plan adds up its questions, those that are always asked, its patience and its wait for byebye")
  func plans() {
    let always: [DeviceProbe] = [.searchAll, .searchRoot, .answerPort, .stillThere]
    let wait = Interval.seconds(20)
    let rows: [(probe: DeviceProbe, wait: Interval?, probes: [DeviceProbe], packets: Int, milliseconds: Int64)] = [
      (.mxMissing, nil, [.searchAll, .searchRoot, .answerPort, .mxMissing, .stillThere], 30, 57_280),
      (.renewal, nil, always + [.renewal], 28, 68_800), (.renewal, wait, always + [.renewal], 28, 91_800),
      (.byebye, wait, always + [.byebye], 33, 88_300), (.byebye, nil, always, 28, 56_800),
    ]
    for row in rows {
      let plan = DeviceExamPlan(probes: [row.probe], patience: .seconds(10), byebyeWait: row.wait)
      expectEqual(plan.probes, row.probes)
      expectEqual(plan.packetsMaximum, row.packets)
      expectEqual(plan.durationMaximum, Interval.milliseconds(row.milliseconds))
    }
    for (said, meant) in [("UUID:aB", "aB"), ("aB", "aB"), ("uuid", "uuid")] {
      expectEqual(DeviceExamPlan(target: said).target, meant)
    }
  }

  @Test("for a clause its examiners are named, each with the probes that serve it")
  func examiners() {
    let rows: [(clause: ClauseID, examinations: [String])] = [
      (.nameCase, ["device: name-case", "control-point: name-case"]),
      (.discardMalformed, ["device: malformed", "control-point: broken-start no-usn no-target no-colon"]),
      (.answerNoError, ["device: "]), (.folding, ["control-point: folded"]),
      (.headerBits, ["responder: opcode response-code"]),
    ]
    for row in rows {
      let examinations = row.clause.clause.examinations
      expectEqual(examinations.map { "\($0.examiner): \($0.probes.joined(separator: " "))" }, row.examinations)
      expectEqual(row.clause.clause.examiners, examinations.map(\.examiner))
    }
  }

  // MARK: - Batches

  /// `probe x3 1.5 s`, with what makes it vital, and its requests: when they are sent, and what they ask.
  private func text(_ batch: Batch) -> String {
    var head = "\(batch.probe.rawValue) x\(batch.tries) \(batch.wait.secondsText)"
    if batch.isVital { head += " vital" }
    if let follows = batch.follows { head += " after \(follows.rawValue)" }
    var parts = [head]
    for request in batch.requests {
      var part = request.after.secondsText
      if !request.question.isMulticast { part += " unicast" }
      part += " " + request.question.text
      if request.needed > 0 { part += " by \(request.needed)" }
      if request.sharesPort { part += " from the same port" }
      if let port = request.port { part += " from \(port)" }
      if let probe = request.probe { part += " for \(probe.rawValue)" }
      parts.append(part)
    }
    return parts.joined(separator: " | ")
  }

  private static let root = "ST: upnp:rootdevice"

  /// A root and a part, of which all is known and nothing was asked yet.
  private func course() -> DeviceCourse {
    var course = DeviceCourse([
      DeviceCourse.root, "uuid:" + DeviceCourse.uuid, "urn:a:device:B:2", "urn:a:service:C:3", "urn:a:service:D:1",
    ])
    course.add(DeviceCourse.part, ["uuid:part-1", "urn:a:device:P:1", "urn:a:service:D:1"])
    return course
  }

  @Test("a device that answers is asked in turn, and all questions that ought to meet silence are put at once")
  func batches() throws {
    var course = course()
    course.ask(.searchAll, ExamQuestion("ssdp:all", mx: "2"), at: .seconds(1), answeredAfter: [.seconds(1)])
    let root = Self.root
    func one(_ probe: String, _ question: String, by count: Int = 1) -> String {
      "\(probe) x3 1.5 s | 0 s \(question) by \(count)"
    }
    func alive(_ follows: String) -> String { "still-there x5 1.5 s vital\(follows) | 0 s \(root), MX: 1 by 1" }
    let silent: [(probe: String, questions: [String])] = [
      (
        "search-unknown",
        [
          "ST: urn:rollcall-example:device:Nobody:1, MX: 1", "ST: uuid:00000000-0000-4000-8000-0badc0ffee00, MX: 1",
          "ST: urn:a:device:B, MX: 1",
        ]
      ),
      ("version-higher", ["B:3", "P:2"].map { "ST: urn:a:device:\($0), MX: 1" }),
      ("version-higher", ["C:4", "D:2"].map { "ST: urn:a:service:\($0), MX: 1" }),
      ("mx-missing", ["\(root), no MX"]),
      ("mx-text", ["soon", "(empty)", "-1", "1.5"].map { "\(root), MX: \($0)" }),
      ("man-missing", ["\(root), MX: 1, no MAN"]), ("man-unquoted", ["\(root), MX: 1, MAN: ssdp:discover"]),
      ("man-other", ["\(root), MX: 1, MAN: \"ssdp:other\""]),
      ("value-case", ["\(root), MX: 1, MAN: \"SSDP:DISCOVER\"", "ST: UPNP:ROOTDEVICE, MX: 1"]),
      ("other-start-line", ["GET * HTTP/1.1, \(root), MX: 1"]),
      ("malformed", ["no ST, MX: 1", "bytes that are no message"]),
    ]
    let unwanted = silent.flatMap { row in row.questions.map { "\($0) for \(row.probe)" } }
    let unwantedRequests = unwanted.enumerated().map { number, text in
      "\(Interval.milliseconds(40 * Int64(number)).secondsText) \(text)"
    }
    let waits = (0..<36).map { number in
      "\(Interval.milliseconds(90 * Int64(number)).secondsText) \(root), MX: \(1 + number % 3)"
    }
    let shared = "\(root), MX: 1 from the same port"
    let copies = "copies x1 1.5 s | 0 s \(root), MX: 1 | 0.1 s \(shared) | 0.2 s \(shared)"
    let unwantedBatch = (["search-unknown x2 1.4 s"] + unwantedRequests).joined(separator: " | ")
    let spread = (["spread x1 3.5 s"] + waits).joined(separator: " | ")
    let expected: [String] = [
      one("search-root", "\(root), MX: 1"), one("search-uuid", "ST: uuid:\(DeviceCourse.uuid), MX: 1"),
      one("search-uuid", "ST: uuid:part-1, MX: 1"), one("search-device", "ST: urn:a:device:B:2, MX: 1"),
      one("search-device", "ST: urn:a:device:P:1, MX: 1"), one("search-service", "ST: urn:a:service:C:3, MX: 1"),
      one("search-service", "ST: urn:a:service:D:1, MX: 1", by: 2),
      one("version-lower", "ST: urn:a:device:B:1, MX: 1"), one("version-lower", "ST: urn:a:service:C:1, MX: 1"),
      one("version-lower", "ST: urn:a:service:C:2, MX: 1"), "unicast x3 1.5 s | 0 s unicast \(root) by 1",
      "unicast-mx x3 1.5 s | 0 s unicast \(root), MX: 1 by 1",
      one("name-case", "\(root), MX: 1, names in small letters"),
      one("unknown-fields", "\(root), MX: 1, unknown fields"), one("field-order", "\(root), MX: 1, fields reversed"),
      one("blanks", "\(root), MX: 1, odd blanks"),
      copies,
      unwantedBatch, alive(" after malformed"),
      "overlap x1 2.8 s | 0 s ST: ssdp:all, MX: 5 | 0.3 s \(root), MX: 1 | 1.5 s \(root), MX: 1 | 2.7 s \(root), MX: 1",
      spread, "mx-zero x2 1 s | 0 s \(root), MX: 0",
      alive(" after mx-zero"),
      "mx-huge x1 5.6 s | 0 s ST: ssdp:all, MX: 30 | 0.1 s ST: ssdp:all, MX: 30 | 0.2 s ST: ssdp:all, MX: 30",
      alive(""),
    ]
    let subject = try #require(course.exam.subject)
    let found = course.exam.plannedBatches(subject).map(text)
    expectEqual(found.count, expected.count)
    for (found, expected) in zip(found, expected) { expectEqual(found, expected) }
    // A device that answers no search for all is asked for the root with a long MX, too.
    course.exam.asks = []
    let wide = course.exam.plannedBatches(subject).map(text).filter { $0.contains("MX: 5") || $0.contains("MX: 30") }
    expectEqual(wide.map { $0.contains("ssdp:all") }, [false, false])
  }

  @Test("a device that answers nothing over multicast is asked by each of its names, on port 1900 and by unicast")
  func muteBatches() throws {
    var course = course()
    course.exam.isMute = true
    let subject = try #require(course.exam.subject)
    let root = Self.root
    expectEqual(
      course.exam.plannedBatches(subject).map(text),
      [
        "search-root x3 1.5 s | 0 s \(root), MX: 1 by 1", "answer-port x2 1.5 s | 0 s \(root), MX: 1 by 1 from 1900",
        "search-uuid x3 1.5 s | 0 s ST: uuid:\(DeviceCourse.uuid), MX: 1 by 1",
        "search-device x3 1.5 s | 0 s ST: urn:a:device:B:2, MX: 1 by 1",
        "search-service x3 1.5 s | 0 s ST: urn:a:service:C:3, MX: 1 by 1",
        "unicast x3 1.5 s | 0 s unicast \(root) by 1", "unicast-mx x3 1.5 s | 0 s unicast \(root), MX: 1 by 1",
      ])
    expectEqual(text(course.exam.aliveBatch(.byebye)), "byebye x5 1.5 s | 0 s unicast \(root) by 1")
  }

  @Test("a device that answers by another name is asked by that one wherever a root is asked for something else")
  func adaptedNames() {
    let (root, upper) = (DeviceCourse.root, "UPNP:ROOTDEVICE")
    func targets(_ probe: DeviceProbe, answered: String..., isMute: Bool = false) -> [String?] {
      var course = course()
      for (number, target) in answered.enumerated() {
        course.ask(
          .searchAll, ExamQuestion(target), at: .seconds(1 + 2 * Int64(number)), answeredAfter: [.milliseconds(1)])
      }
      course.exam.isMute = isMute
      let requests = [
        Request(ExamQuestion(root)), Request(ExamQuestion(upper)), Request(ExamQuestion(root), as: .searchRoot),
        Request(ExamQuestion("x:y")), Request(ExamQuestion(nil)),
      ]
      return course.exam.adapted(requests, of: probe).map(\.question.target)
    }
    let same: [String?] = [root, upper, root, "x:y", nil]
    let (uuid, type) = ("uuid:part-1", "urn:a:device:P:1")
    expectEqual(targets(.nameCase), same)
    expectEqual(targets(.nameCase, answered: "ssdp:all", root), same)
    expectEqual(targets(.nameCase, answered: "ssdp:all", isMute: true), same)
    expectEqual(targets(.searchRoot, answered: "ssdp:all"), same)
    expectEqual(targets(.nameCase, answered: uuid, type, "ssdp:all"), ["ssdp:all", "SSDP:ALL", root, "x:y", nil])
    expectEqual(targets(.nameCase, answered: uuid, type), [type, "URN:A:DEVICE:P:1", root, "x:y", nil])
    expectEqual(targets(.nameCase, answered: uuid), [uuid, upper, root, "x:y", nil])
  }
}
