import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallExaminers

@Suite("Rulings on the answers and announcements of an examined device")
struct ExamAnswerRulingTests {
  private typealias Course = DeviceCourse
  private static let type = "urn:a:device:B:1"
  private let nanosecond = Interval.nanoseconds(1)
  private let tenth = Interval.milliseconds(100)

  // MARK: - ST of answers

  @Test("another ST than was asked breaks a clause where it comes to two sockets that asked for the same")
  func matches() {
    func ruling(_ asks: [(probe: DeviceProbe, asked: String, said: String?, port: UInt16?)]) -> [String] {
      var course = Course()
      for (number, row) in asks.enumerated() {
        course.ask(row.probe, ExamQuestion(row.asked), at: .seconds(1 + 4 * Int64(number)), port: row.port)
        course.answer(after: tenth) { $0.target = row.said }
      }
      return course.whole(.answerMatch)
    }
    let type = Self.type
    let stray = "one answer with another ST, which may belong to a search of another program"
    expectEqual(ruling([(.searchDevice, type, type, nil)]), ["search-all held"])
    expectEqual(
      ruling([(.searchDevice, type, "x:y", nil), (.searchDevice, type, "x:z", nil)]),
      ["search-device violated | ST as it was asked: \(type) | ST: x:y | >1.0 <1.1"])
    // Not from another socket, not for the same, not with another ST.
    expectEqual(
      ruling([(.searchDevice, type, "x:y", 7), (.searchDevice, type, "x:y", 7)]),
      ["search-device inconclusive | \(stray)"])
    expectEqual(
      ruling([(.searchDevice, type, "x:y", nil), (.searchDevice, "x:z", "x:y", nil)]),
      ["search-device inconclusive | \(stray)"])
    expectEqual(
      ruling([(.searchRoot, Course.root, Course.root, nil), (.nameCase, type, "x:y", nil), (.blanks, type, nil, nil)]),
      ["name-case inconclusive | \(stray)"])
    // Where everything was asked for, or what the device may take for something else, no ST is wanted.
    expectEqual(
      ruling([
        (.searchAll, "ssdp:all", "x:y", nil), (.versionLower, type, "x:y", nil), (.versionHigher, type, "x:y", nil),
        (.valueCase, type, "x:y", nil),
      ]), [])
  }

  @Test("nothing is ruled on waits up to MX where no good multicast search was answered")
  func waitsWithoutMX() {
    var course = Course()
    course.ask(
      .unicast, ExamQuestion(Course.root, mx: nil, isMulticast: false), at: .seconds(1), answeredAfter: [tenth])
    course.ask(.manMissing, ExamQuestion(Course.root, man: nil), at: .seconds(5), answeredAfter: [.seconds(4)])
    expectEqual(course.whole(.answerDelayMaximum), [])
    course.ask(.searchRoot, at: .seconds(10), answeredAfter: [tenth])
    expectEqual(course.whole(.answerDelayMaximum), ["search-all held"])
    course.ask(.searchRoot, at: .seconds(20), answeredAfter: [tenth, .milliseconds(1_500)])
    expectEqual(
      course.whole(.answerDelayMaximum),
      ["search-root violated | no answer after MX has run out | one 0.5 s after the end of MX 1 | >20.0 <21.5"])
  }

  @Test("the first answer that is an error breaks the clause of answering with none")
  func errors() {
    var course = Course()
    course.sign(at: .seconds(1))
    expectEqual(course.whole(.answerNoError), ["search-all held"])
    course.ask(.mxText, ExamQuestion(Course.root, mx: "soon"), at: .seconds(5))
    for wait in [Interval.milliseconds(200), .milliseconds(300)] {
      course.answer(after: wait) { answer in
        (answer.isResponse, answer.isError) = (false, true)
        answer.bytes = Array("HTTP/1.1 400 Bad Request\r\nEXT:\r\n\r\n".utf8)
      }
    }
    expectEqual(
      course.whole(.answerNoError),
      ["mx-text violated | silence, or HTTP/1.1 200 OK | HTTP/1.1 400 Bad Request | >5.0 <5.2"])
  }

  // MARK: - BOOTID and CONFIGID

  /// Each answered a tenth of a second after it was asked, from 1 s on, a second apart.
  private func numbered(_ answers: [(bootID: Int64, configID: Int64)]) -> Course {
    var course = Course()
    for (number, row) in answers.enumerated() {
      course.ask(.searchRoot, at: .seconds(1 + Int64(number)))
      course.answer(after: tenth) { ($0.bootID, $0.configID) = (row.bootID, row.configID) }
    }
    return course
  }

  @Test("a CONFIGID that comes back after another one breaks its clause; one that only changed may have a reason")
  func configIDs() {
    func ruling(_ numbers: Int64...) -> [String] {
      numbered(numbers.map { (1, $0) }).whole(.configIDChange)
    }
    let changed = "search-all inconclusive | CONFIGID changed; a description may have changed, too"
    expectEqual(
      ruling(0, 1, 0),
      [
        "search-all violated | one CONFIGID as long as no description changes | 0 and 1 by turns | <1.1 <2.1"
      ])
    expectEqual(ruling(0, 1), [changed])
    expectEqual(ruling(1, 2, 3), [changed])
    expectEqual(ruling(1, 1), [])
    // One that cannot be read is none.
    expectEqual(ruling(-1, 5, -1), [])
    // What came at the same time did not come later.
    var course = numbered([(1, 1), (1, 2)])
    course.answer(after: tenth)
    expectEqual(course.whole(.configIDChange), [changed])
    course.announce(.update, at: .seconds(1))
    expectEqual(course.whole(.configIDChange), [])
  }

  @Test("the BOOTIDs of answers and announcements are compared with the first one, as far as the first byebye")
  func bootIDs() {
    func rulings(_ course: Course) -> [String] { course.whole(.bootIDSame) + course.whole(.answerBootID) }
    func answered(_ numbers: Int64...) -> Course { numbered(numbers.map { ($0, 1) }) }
    let held = "search-all held"
    let changed = "search-all inconclusive | BOOTID changed; a restart may lie between"
    func broken(_ pair: String, _ times: String) -> String {
      "search-all violated | one BOOTID while the device stays | \(pair) | \(times)"
    }
    expectEqual(rulings(answered(1, 2, 1)), [broken("1 and 2", "<1.1 <2.1")])
    expectEqual(rulings(answered(0, 1, 0)), [broken("0 and 1", "<1.1 <2.1")])
    expectEqual(rulings(answered(1, 2)), [changed])
    expectEqual(rulings(answered(1, 2, 3)), [changed])
    expectEqual(rulings(answered(-1)), [])
    expectEqual(rulings(answered(-1, 1, -1)), [held])
    // Two that agree hold both clauses where one is of an answer and one of an announcement.
    expectEqual(rulings(answered(1, 1)), [held])
    var course = Course()
    course.announce(at: .milliseconds(500))
    expectEqual(rulings(course), [held])
    course = answered(1)
    course.announce(at: .milliseconds(500))
    expectEqual(rulings(course), [held, held])
    course = answered(2)
    course.announce(at: .milliseconds(500))
    expectEqual(
      rulings(course),
      ["search-all violated | the BOOTID of the announcements in answers | 1 and 2 | <0.5 <1.1"])
    // What came with the byebye or after it is of the next start.
    course = answered(1, 2, 1)
    course.announce(.byebye, at: .milliseconds(2_100))
    expectEqual(rulings(course), [held])
    course = answered(1, 2, 1)
    course.announce(.byebye, at: Interval.milliseconds(2_100) + nanosecond)
    expectEqual(rulings(course), [broken("1 and 2", "<1.1 <2.1")])
    course.announce(.update, at: .seconds(1))
    expectEqual(rulings(course), [])
  }

  // MARK: - Renewal and byebye

  @Test("a renewal is told with its gap to the same announcement more than two seconds before, else without one")
  func renewals() {
    func story(_ times: Interval...) -> [String] {
      var course = Course()
      for time in times { course.announce(at: time) }
      course.exam.ended = .zero + .seconds(20)
      return course.whole(.renew) + [course.remark(.renewal) ?? "none"]
    }
    let again = ["renewal held", "announced again; max-age is 100s"]
    expectEqual(story(.seconds(15)), again)
    expectEqual(story(.seconds(9), .seconds(11)), again)
    expectEqual(
      story(Interval.seconds(9) - nanosecond, .seconds(11)), ["renewal held", "renewed after 2 s of 100s"])
    expectEqual(story(.zero, .seconds(3), .seconds(15)), ["renewal held", "renewed after 12 s of 100s"])
    let unseen = [
      "renewal inconclusive | not seen within 20 s, and max-age is 100s; --patience waits longer",
      "not seen within 20 s; max-age is 100s",
    ]
    expectEqual(story(), unseen)
    expectEqual(story(.seconds(5)), unseen)
    // A device that said byebye need not renew.
    var course = Course()
    course.announce(at: .seconds(5))
    course.exam.ended = .zero + .seconds(200)
    let missed = "renewal violated | a renewal before max-age (100s) runs out | none within 195 s"
    expectEqual(course.whole(.renew), [missed])
    course.announce(.byebye, at: .seconds(6))
    expectEqual(
      course.whole(.renew),
      ["renewal inconclusive | not seen within 200 s, and max-age is 100s; --patience waits longer"])
  }

  @Test("byebye is wanted for everything that was announced, from a device that was stopped or left")
  func byebyes() {
    let wait = Interval.seconds(20)
    let wanted = "byebye for everything that was announced"
    func course(_ targets: [String] = ["a"], stops: Bool = true, byebyes: [String] = []) -> Course {
      var course = Course(targets, byebyeWait: wait)
      if stops { course.exam.stoppingFrom = Instant.zero + .seconds(50) }
      for target in byebyes { course.announce(.byebye, at: .seconds(55), target: target) }
      return course
    }
    func ruling(_ course: Course) -> [String] { course.whole(.byebyeSend) }
    var one = course()
    one.exam.wasStopped = true
    expectEqual(ruling(one), ["byebye inconclusive | the examination was stopped before"])
    expectEqual(ruling(course(stops: false)), ["byebye inconclusive | it gave no sign of life afterwards"])
    one = course()
    one.ask(.byebye, at: .seconds(70))
    one.ask(.byebye, at: .seconds(72))
    expectEqual(
      ruling(one), ["byebye violated | \(wanted) | none within 20 s, and no answer after it | >70.0 >72.0"])
    one.answer(after: tenth)
    expectEqual(ruling(one), ["byebye inconclusive | the device was not stopped within 20 s"])
    one = course(["a", "uuid:B"], byebyes: ["A", "uuid:b"])
    expectEqual(ruling(one), ["byebye held"])
    expectEqual(one.remark(.byebye), "2 byebyes")
    let five = ["a", "b", "c", "d", "e"]
    expectEqual(
      ruling(course(five, byebyes: ["e"])), ["byebye violated | \(wanted) | none for a, b, c, d | <55.0"])
    expectEqual(
      ruling(course(five + ["f"], byebyes: ["e", "e", "e", "e", "e"])),
      ["byebye violated | \(wanted) | none for a, b, c, d and more | <55.0 <55.0 <55.0 <55.0"])
    // Of some that were not heard loss may be the reason, of all of them it is none.
    for (said, expected) in [
      ("e", "inconclusive | some byebyes were not heard, and much is lost here"),
      ("x", "violated | \(wanted) | none for a, b, c, d and more | <55.0"),
    ] {
      var lossy = course(five, byebyes: [said])
      lossy.sign(at: .seconds(1), isAnswered: false)
      lossy.sign(at: .seconds(5))
      expectEqual(ruling(lossy), ["byebye \(expected)"])
    }
    // One that left before anybody stopped it.
    one = course(["a"], stops: false, byebyes: ["a"])
    expectEqual(ruling(one), ["byebye inconclusive | it gave no sign of life afterwards"])
    one.exam.fellSilentAfter = .mxZero
    expectEqual(ruling(one), ["byebye held"])
    one.announce(at: .seconds(56), target: "a")
    let deaf = "it announced itself and answered nothing after 0.000 s; last asked: mx-zero"
    expectEqual(ruling(one), ["byebye inconclusive | \(deaf)"])
  }

  // MARK: - Whose it is, and whether it stayed

  @Test("an answer is the device's by the UUID of its USN, and without one by the address that it came from")
  func owners() {
    var course = Course()
    course.add(Course.part, ["uuid:part-1"])
    course.ask(.searchAll, at: .seconds(1))
    let stranger = Endpoint(IPAddress(192, 168, 1, 11), port: 1_900)
    let rows: [(uuid: String?, source: Endpoint)] = [
      (Course.uuid.uppercased(), Course.device), ("PART-1", stranger), ("part-2", Course.device),
      (nil, Course.device), (nil, stranger), (nil, Endpoint(Course.device.address, port: 7)),
    ]
    for (number, row) in rows.enumerated() {
      course.answer(after: .seconds(Int64(number))) { ($0.uuid, $0.source) = (row.uuid, row.source) }
    }
    let kept = course.exam.answers(to: course.exam.asks[0])
    expectEqual(kept.map { ($0.time - Instant.zero).secondsText }, ["1 s", "2 s", "4 s", "6 s"])
  }

  @Test("a device that fell silent left with the last byebye of its root, or is deaf where it announced later")
  func presences() {
    typealias Said = (kind: ExamAnnouncement.Kind, time: Interval, uuid: String)
    func presence(_ said: [Said], stoppingFrom: Interval? = nil) -> ExamPresence {
      var course = Course()
      course.add(Course.part, ["uuid:part-1"])
      course.sign(at: .seconds(10))
      for one in said { course.announce(one.kind, at: one.time, uuid: one.uuid) }
      course.exam.fellSilentAfter = .mxZero
      course.exam.stoppingFrom = stoppingFrom.map { Instant.zero + $0 }
      expectEqual(course.exam.isInterfaceLost, false)
      return course.exam.presence
    }
    let uuid = Course.uuid
    let since = Instant.zero + .milliseconds(10_001)
    let (silent, deaf) = (
      ExamPresence.silent(since: since, after: "mx-zero"), ExamPresence.deaf(since: since, after: "mx-zero")
    )
    let later = Interval.milliseconds(12_001)
    expectEqual(presence([]), silent)
    expectEqual(presence([(.alive, later, uuid)]), silent)
    expectEqual(presence([(.alive, later + nanosecond, uuid)]), deaf)
    let left = ExamPresence.left(at: Instant.zero + .seconds(15), with: "byebye")
    expectEqual(presence([(.byebye, .seconds(11), uuid), (.byebye, .seconds(15), uuid)]), left)
    expectEqual(presence([(.byebye, .seconds(15), uuid), (.alive, .seconds(15), uuid)]), left)
    expectEqual(presence([(.byebye, .seconds(15), uuid), (.alive, Interval.seconds(15) + nanosecond, uuid)]), deaf)
    expectEqual(presence([(.byebye, .seconds(15), Course.part)]), silent)
    expectEqual(presence([(.byebye, .seconds(15), uuid)], stoppingFrom: .seconds(15)), silent)
    expectEqual(presence([(.byebye, .seconds(15), uuid)], stoppingFrom: Interval.seconds(15) + nanosecond), left)
  }

  @Test("nothing is judged after a device left or fell silent, or was last heard before the interface went away")
  func judgedUntil() {
    var course = Course()
    course.exam.began = .zero + .seconds(2)
    course.exam.lostInterface = Instant.zero + .seconds(40)
    expectEqual(course.exam.judgedUntil, Instant.zero + .seconds(2))
    course.sign(at: .seconds(10))
    expectEqual(course.exam.isInterfaceLost, true)
    expectEqual(course.exam.presence, .interfaceLost(at: Instant.zero + .seconds(40)))
    expectEqual(course.exam.judgedUntil, Instant.zero + .milliseconds(10_001))
    course.announce(at: .seconds(12))
    expectEqual(course.exam.judgedUntil, Instant.zero + .seconds(12))
    course.exam.lostInterface = nil
    expectEqual(course.exam.judgedUntil, nil)
    course.exam.fellSilentAfter = .mxZero
    expectEqual(course.exam.judgedUntil, Instant.zero + .milliseconds(10_001))
    course.announce(.byebye, at: .seconds(15))
    expectEqual(course.exam.judgedUntil, Instant.zero + .seconds(15))
  }
}
