import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallExaminers

@Suite("What an examination of a device is made of")
struct ExamValueTests {
  private static let device = IPAddress(192, 168, 1, 10)
  private static let root = "upnp:rootdevice"

  // MARK: - Targets and questions

  @Test("a type has a stem and a version where that is a number as it is written, and is opaque else")
  func targets() {
    let rows: [(text: String, form: ExamTarget.Form, stem: String, version: UInt32)] = [
      ("ssdp:all", .all, "", 0), ("upnp:rootdevice", .rootDevice, "", 0), ("UUID:x", .uuid, "", 0),
      ("urn:a:device:B:1", .device, "urn:a:device:B:", 1), ("urn:a:service:C:10", .service, "urn:a:service:C:", 10),
      ("urn:a:device:B:4294967295", .device, "urn:a:device:B:", .max),
      ("urn:a:device:B:0", .device, "urn:a:device:B:", 0),
    ]
    for row in rows {
      let target = ExamTarget(row.text)
      expectEqual(target.form, row.form, "\(row.text)")
      expectEqual(target.stem, row.stem, "\(row.text)")
      expectEqual(target.version, row.version, "\(row.text)")
    }
    for text in [
      "", "SSDP:ALL", "urn:a:device:B", "urn:a:device:B:1:1", "urn:a:device:B:4294967296", "urn:a:device:B:01",
      "urn:a:device:B:+1", "urn:a:device:B:", "urn:a:thing:B:1", "URN:a:device:B:1",
    ] { expectEqual(ExamTarget(text).form, .opaque, "\(text)") }
  }

  @Test("a question is in good form where a device that matches has to answer, and has a text that tells what is odd")
  func questions() {
    let good = ExamQuestion("x:y")
    let rows: [(question: ExamQuestion, isGood: Bool, text: String, difference: String)] = [
      (good, true, "ST: x:y, MX: 1", "ST: x:y, MX: 1"),
      (ExamQuestion("x:z"), true, "ST: x:z, MX: 1", "ST: x:z"), (ExamQuestion(nil), false, "no ST, MX: 1", "no ST"),
      (ExamQuestion("x:y", mx: "120"), true, "ST: x:y, MX: 120", "MX: 120"),
      (ExamQuestion("x:y", mx: "0"), false, "ST: x:y, MX: 0", "MX: 0"),
      (ExamQuestion("x:y", mx: "+1"), false, "ST: x:y, MX: +1", "MX: +1"),
      (ExamQuestion("x:y", mx: ""), false, "ST: x:y, MX: (empty)", "MX: (empty)"),
      (ExamQuestion("x:y", mx: nil), false, "ST: x:y, no MX", "no MX"),
      (ExamQuestion("x:y", mx: nil, isMulticast: false), true, "ST: x:y", "no MX"),
      (ExamQuestion("x:y", man: nil), false, "ST: x:y, MX: 1, no MAN", "no MAN"),
      (ExamQuestion("x:y", man: "a"), false, "ST: x:y, MX: 1, MAN: a", "MAN: a"),
      (ExamQuestion("x:y", wording: .smallNames), true, "ST: x:y, MX: 1, names in small letters", ""),
      (ExamQuestion("x:y", wording: .unknownFields), true, "ST: x:y, MX: 1, unknown fields", ""),
      (ExamQuestion("x:y", wording: .reversed), true, "ST: x:y, MX: 1, fields reversed", ""),
      (ExamQuestion("x:y", wording: .oddBlanks), true, "ST: x:y, MX: 1, odd blanks", ""),
      (ExamQuestion("x:y", wording: .startLine("GET *")), false, "GET *, ST: x:y, MX: 1", ""),
      (ExamQuestion("x:y", wording: .noise), false, "bytes that are no message", ""),
    ]
    for row in rows {
      expectEqual(row.question.isInGoodForm, row.isGood, "\(row.text)")
      expectEqual(row.question.text, row.text)
      expectEqual(row.question.difference(to: good), row.difference.isEmpty ? row.text : row.difference)
    }
    // ST is compared byte for byte, a UUID in any case of letters, and not at all where all was asked for.
    func isMatched(_ asked: String?, _ said: String?, isResponse: Bool = true) -> Bool {
      var answer = ExamAnswer(
        time: .zero, source: Endpoint(Self.device, port: 1_900), port: 9, isResponse: isResponse, isError: false,
        bootID: -1, configID: -1, bytes: [])
      answer.target = said
      return ExamQuestion(asked).isMatched(by: answer)
    }
    #expect(isMatched("a:b", "a:b") && !isMatched("a:b", "a:B") && !isMatched("a:b", "a:bc") && isMatched("a:b", nil))
    #expect(isMatched("ssdp:all", "x") && isMatched(nil, "x") && isMatched("a:b", "x", isResponse: false))
    #expect(isMatched("uuid:aB", "UUID:Ab") && !isMatched("uuid:ab", "uuid:ac") && !isMatched("uuid:ab", "uuid:abc"))
  }

  // MARK: - Waits

  @Test("the waits of one message count, in millionths of MX and never beyond it; below half of MX they are uneven")
  func spread() {
    func asked(_ mx: String, at seconds: Int64, _ answers: [(after: Int64, usn: String)]) -> (
      ask: ExamAsk, answers: [ExamAnswer]
    ) {
      let endpoint = Endpoint(Self.device, port: 1_900)
      let ask = ExamAsk(
        probe: .spread, question: ExamQuestion(Self.root, mx: mx), time: .zero + .seconds(seconds), source: endpoint,
        destination: endpoint, bytes: [])
      let heard = answers.map { one in
        var answer = ExamAnswer(
          time: ask.time + .milliseconds(one.after), source: endpoint, port: 9, isResponse: true, isError: false,
          bootID: -1, configID: -1, bytes: [])
        answer.usn = one.usn
        return answer
      }
      return (ask, heard)
    }
    let waits = ExamSpread.waits([
      asked("1", at: 1, [(100, "b"), (250, "a"), (300, "a")]), asked("2", at: 5, [(1_000, "a")]),
      asked("3", at: 9, [(1_000, "b")]), asked("1", at: 15, [(1_200, "a")]), asked("1", at: 20, [(-100, "a")]),
    ])
    expectEqual(waits, [250_000, 500_000, 1_000_000, 0])
    let even = (1...30).map { Int64($0) * 500_000 / 30 }
    expectEqual(ExamSpread.isUneven(even), false)
    expectEqual(ExamSpread.isUneven(Array(even.dropLast())), nil)
    expectEqual(ExamSpread.isUneven(even.map { min($0, 499_999) }), true)
    expectEqual(ExamSpread.isUneven([Int64](repeating: 900_000, count: 30)), true)
    // What is spread reaches an even share beyond the longest wait.
    expectEqual(ExamSpread.isUneven((0..<30).map { 360_000 + Int64($0) * 640_000 / 29 }), false)
    expectEqual(ExamSpread.isUneven((0..<30).map { 370_000 + Int64($0) * 630_000 / 29 }), true)
    expectEqual(ExamSpread.text([]), "no answers")
    expectEqual(
      ExamSpread.text([1_000_000, 250_000, 1_999]),
      "3 answers to MX 1, 2 and 3 by turns, after 0.001 to 0.999 of MX, half of them within 0.250")
  }

  // MARK: - Who is there

  @Test("256 devices are kept and the one that is meant; parts belong to the first root at their LOCATION and address")
  func roll() {
    var crowd = ExamRoll(wanted: "Wanted")
    for number in 0..<300 { crowd.note("u\(number)", from: Self.device, at: .zero) { _ in } }
    expectEqual(crowd.devices.count, 256)
    crowd.note("U255", from: Self.device, at: .zero) { $0.location = "known" }
    expectEqual(crowd.device("u255")?.location, "known")
    #expect(crowd.device("u256") == nil && crowd.device("u25") != nil)
    for _ in 0..<2 { crowd.note("wANTED", from: Self.device, at: .zero) { _ in } }
    expectEqual(crowd.devices.map(\.uuid).suffix(2), ["u255", "wANTED"])

    var roll = ExamRoll()
    let other = IPAddress(192, 168, 1, 11)
    let heard: [(uuid: String, source: IPAddress, location: String, isRoot: Bool)] = [
      ("part", Self.device, "l", false), ("root", Self.device, "l", true), ("twin", Self.device, "l", true),
      ("other", other, "l", false), ("bare", Self.device, "", false), ("blank", Self.device, "", true),
      ("late", Self.device, "l", false),
    ]
    for one in heard {
      roll.note(one.uuid, from: one.source, at: .zero) { device in
        device.location = one.location
        let target = one.isRoot ? Self.root : "uuid:\(one.uuid)"
        device.adverts.append(ExamAdvert(target: target, uuid: one.uuid))
      }
    }
    expectEqual(
      roll.subjects.map { $0.all.map(\.uuid) },
      [["root", "part", "late"], ["twin"], ["blank"], ["other"], ["bare"]])
    expectEqual(roll.subject("LATE")?.root.uuid, "root")
  }

  @Test("of each type the highest version is asked beyond, and the lowest and the next below it")
  func versions() {
    var roll = ExamRoll()
    let targets = [
      Self.root, "urn:a:device:B:1", "urn:a:device:B:3", "urn:a:device:B:2", "urn:a:service:C:2", "urn:a:service:D:1",
    ]
    for (uuid, said) in [("root", targets), ("part", ["urn:a:service:C:2"])] {
      roll.note(uuid, from: Self.device, at: .zero) { device in
        device.location = "l"
        device.adverts = said.map { ExamAdvert(target: $0, uuid: uuid) }
      }
    }
    let subject = roll.subjects[0]
    expectEqual(roll.subjects.count, 1)
    let exam = DeviceExam(DeviceExamPlan())
    let highest = exam.highestTypes(of: subject)
    expectEqual(highest.map(\.target), ["urn:a:device:B:3", "urn:a:service:C:2", "urn:a:service:D:1"])
    expectEqual(highest.map(\.uuids), [["root"], ["root", "part"], ["root"]])
    let lower = exam.lowerVersions(of: subject)
    expectEqual(lower.map(\.asked), ["urn:a:device:B:1", "urn:a:device:B:2", "urn:a:service:C:1"])
    expectEqual(lower.map(\.own), ["urn:a:device:B:3", "urn:a:device:B:3", "urn:a:service:C:2"])
  }

  @Test("a datagram is of the device whose UUID its USN has, in any case of letters, and else of its address")
  func interest() {
    let interest = ExamInterest(address: Self.device, uuids: ["ab-1"])
    func heard(_ text: String, from last: UInt8) -> RecordedDatagram {
      RecordedDatagram(
        source: Endpoint(IPAddress(192, 168, 1, last), port: 1_900), destination: Endpoint(.ssdpGroup4, port: 1_900),
        interface: InterfaceID(0), hopLimit: 2, bytes: Array(text.utf8))
    }
    func concerns(_ text: String, from last: UInt8 = 10, _ one: ExamInterest? = nil) -> Bool {
      (one ?? interest).concerns(heard(text, from: last))
    }
    #expect(concerns("N\r\nUSN: uuid:AB-1::x\r\n\r\n", from: 11) && concerns("N\r\nusn:UUID:ab-1", from: 11))
    #expect(!concerns("N\r\nUSN: uuid:ab-2::uuid\r\nX: uuid:ab-1\r\n\r\n"))
    #expect(concerns("N\r\nX-USN: uuid:ab-2\r\n\r\n") && !concerns("N\r\nX-USN: uuid:ab-1\r\n\r\n", from: 11))
    #expect(concerns("") && !concerns("", from: 11))
    // The value of USN ends with its line, and may be empty.
    #expect(!concerns("N\r\nUSN:") && concerns("N\r\nUSN"))
    #expect(!concerns("N\r\nUSN: uuid:ab-2\nX: uuid:ab-1") && !concerns("N\r\nUSN: uuid:ab-2\rX: uuid:ab-1"))
    // Until more is known, what another UUID says from its address may be the device's, too.
    let others: [(text: String, last: UInt8, mayBe: Bool)] = [
      ("N\r\nUSN: uuid:ab-2\r\n\r\n", 10, true), ("N\r\nUSN: uuid:ab-1\r\n\r\n", 11, true),
      ("N\r\nUSN: uuid:ab-2\r\n\r\n", 11, false),
    ]
    for other in others { expectEqual(interest.mayConcern(heard(other.text, from: other.last)), other.mayBe) }
    let anybody = ExamInterest(address: Self.device, uuids: [])
    #expect(concerns("N\r\nUSN: uuid:ab-2\r\n\r\n", anybody) && !concerns("N\r\nUSN: uuid:ab-1\r\n", from: 11, anybody))
  }

  @Test("what became of the one that is examined is said with its time to the millisecond")
  func presence() {
    let time = Instant.zero + .nanoseconds(1_500_999_999)
    let rows: [(presence: ExamPresence, word: String, text: String?)] = [
      (.present, "present", nil), (.left(at: time, with: "byebye"), "left", "it left with byebye at 1.500 s"),
      (.silent(since: time, after: nil), "silent", "it answered nothing after 1.500 s"),
      (.silent(since: time, after: "a"), "silent", "nothing was heard of it after 1.500 s; last asked: a"),
      (
        .deaf(since: time, after: "a"), "deaf",
        "it announced itself and answered nothing after 1.500 s; last asked: a"
      ),
      (.interfaceLost(at: time), "interfaceLost", "the examiner's interface went away at 1.500 s"),
    ]
    for row in rows {
      expectEqual(row.presence.word, row.word)
      expectEqual(row.presence.text, row.text)
    }
  }
}
