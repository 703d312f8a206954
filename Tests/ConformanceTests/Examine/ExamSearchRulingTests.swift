import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallExaminers

@Suite("Rulings on searches of an examined device")
struct ExamSearchRulingTests {
  private typealias Course = DeviceCourse
  private let tenth = Interval.milliseconds(100)
  private let noSign = "it gave no sign of life afterwards"

  // MARK: - Sets

  private static let uuids = ["uuid:" + Course.uuid, "uuid:part-1"]
  private static let types = ["urn:a:device:B:1", "urn:a:device:P:1", "urn:a:service:C:1"]

  /// A root and a part, both with the service type, and so many searches for all that were answered with these.
  private func answeredSet(
    _ answered: [(target: String, uuid: String)], part: [String]? = nil, mayEnd: Bool = true
  ) -> Course {
    var course = Course([Course.root, Self.uuids[0], Self.types[0], Self.types[2]])
    course.add(Course.part, part ?? [Self.uuids[1], Self.types[1], Self.types[2]])
    for second in 1...3 as ClosedRange<Int64> {
      course.ask(.searchAll, ExamQuestion("ssdp:all", mx: "2"), at: .seconds(10 * second))
      for row in answered {
        course.answer(after: tenth) { answer in
          (answer.target, answer.uuid) = (row.target, row.uuid)
          answer.usn = "uuid:\(row.uuid)::\(row.target)"
        }
      }
    }
    if mayEnd { course.sign(at: .seconds(60)) }
    return course
  }

  @Test("an answer to ssdp:all is wanted for each message of the set, one of any search for all")
  func wholeSet() {
    let (uuid, part) = (Course.uuid, Course.part)
    let whole: [(target: String, uuid: String)] = [
      (Course.root, uuid), (Self.uuids[0].uppercased(), uuid.uppercased()), (Self.types[0], uuid),
      (Self.types[2], uuid), (Self.uuids[1], part), (Self.types[1], part), (Self.types[2], part),
    ]
    func ruling(_ course: Course) -> [String] { course.whole(.answerAll) }
    func broken(_ missing: String, _ answers: Int) -> [String] {
      let times = Array(repeating: "<10.1", count: min(4, answers)).joined(separator: " ")
      let found = "none for \(missing), asked 3 times"
      return ["search-all violated | an answer for each message of the set | \(found) | >10.0 \(times)"]
    }
    expectEqual(ruling(answeredSet(whole)), ["search-all held"])
    expectEqual(ruling(answeredSet(Array(whole.dropLast()))), broken(Self.types[2], 6))
    let four = [Course.root, Self.uuids[0], Self.types[0], Self.types[2]].joined(separator: ", ")
    expectEqual(ruling(answeredSet(Array(whole.suffix(3)))), broken(four, 3))
    expectEqual(ruling(answeredSet(Array(whole.suffix(2)))), broken(four + " and more", 2))
    // The same of another UUID, or with another target, is another message; a type has one case of letters.
    let others = [(target: Self.types[2], uuid: "other"), (target: Self.types[2].uppercased(), uuid: part)]
    expectEqual(
      ruling(answeredSet(Array(whole.dropLast()) + others)), broken(Self.types[2], 8))
    // A UUID and a device type belong to every device, announced or not.
    expectEqual(ruling(answeredSet(whole, part: [Self.types[1]])), ["search-all held"])
    expectEqual(
      ruling(answeredSet(Array(whole.prefix(4)), part: [Self.types[2]])),
      broken([Self.types[2], Self.uuids[1], "a device type of uuid:part-1"].joined(separator: ", "), 4))
    // Searches for something else, and in bad form, show nothing of it.
    var course = answeredSet(Array(whole.dropLast()))
    for question in [ExamQuestion(Self.types[2]), ExamQuestion("ssdp:all", mx: "0")] {
      course.ask(.mxZero, question, at: .seconds(70))
      course.answer(after: tenth) { ($0.target, $0.uuid) = (Self.types[2], part) }
    }
    expectEqual(ruling(course), broken(Self.types[2], 6))
    // One for all that was sent for another probe counts, too, but need not be settled.
    course = answeredSet(Array(whole.dropLast()), mayEnd: false)
    course.ask(.overlap, ExamQuestion("ssdp:all", mx: "5"), at: .seconds(70), answeredAfter: [tenth])
    expectEqual(ruling(course), broken(Self.types[2], 6))
    course.answer(after: tenth) { ($0.target, $0.uuid) = (Self.types[2], part) }
    expectEqual(ruling(course), ["search-all held"])
    // Of the last question nobody knows whether its time passed.
    expectEqual(
      ruling(answeredSet(Array(whole.dropLast()), mayEnd: false)), ["search-all inconclusive | \(noSign)"])
  }

  @Test("each device that has a type or a UUID answers to a search for it")
  func owners() {
    let (uuid, part, type) = (Course.uuid, Course.part, Self.types[2])
    func course(
      _ probe: DeviceProbe, _ target: String, _ answers: [[String]], isLast: Bool = false, loses: Bool = false
    ) -> Course {
      var course = Course([Course.root, Self.uuids[0], Self.types[0], type])
      course.add(Course.part, [Self.uuids[1], Self.types[1], type])
      for (number, uuids) in answers.enumerated() {
        course.ask(probe, ExamQuestion(target), at: .seconds(10 + 10 * Int64(number)))
        for uuid in uuids { course.answer(after: tenth) { $0.uuid = uuid } }
      }
      if loses { course.sign(at: .seconds(50), isAnswered: false) }
      if !isLast { course.sign(at: .seconds(60)) }
      return course
    }
    func service(_ answers: [[String]], isLast: Bool = false, loses: Bool = false) -> [String] {
      course(.searchService, type, answers, isLast: isLast, loses: loses).whole(.answerService)
    }
    func broken(_ target: String, _ uuids: String, _ times: String) -> String {
      "violated | an answer to \(target) from each device that has it | none with \(uuids) | \(times)"
    }
    let ofPart = broken(type, "uuid:part-1", ">10.0 <10.1 >20.0 <20.1")
    expectEqual(service([[uuid], [uuid]]), ["search-service " + ofPart])
    expectEqual(service([[uuid], ["PART-1"]]), ["search-service held"])
    expectEqual(service([[uuid], [uuid]], isLast: true), ["search-service inconclusive | \(noSign)"])
    expectEqual(
      service([[uuid]], loses: true),
      [
        "search-service inconclusive | silence, asked 1 times; but of 3 searches that can be answered 1 were not: "
          + "too much is lost here"
      ])
    expectEqual(
      service([[], []]),
      ["search-service violated | an answer to \(type) | silence, asked 2 times | >10.0 >20.0"])
    // Somebody answers, but not the one that has it.
    expectEqual(
      course(.searchDevice, Self.types[1], [[uuid]]).whole(.answerDevice),
      ["search-device " + broken(Self.types[1], "uuid:part-1", ">10.0 <10.1")])
    expectEqual(
      course(.searchUUID, "UUID:part-1", [[uuid]]).whole(.answerUUID),
      ["search-uuid " + broken("UUID:part-1", "uuid:part-1", ">10.0 <10.1")])
    expectEqual(course(.searchUUID, "uuid:part-1", [[part]]).whole(.answerUUID), ["search-uuid held"])
    // Where nothing is answered over multicast, nothing of it is known.
    var mute = course(.searchUUID, "uuid:part-1", [])
    mute.exam.isMute = true
    for (clause, probe) in [
      (ClauseID.answerUUID, "search-uuid"), (.answerDevice, "search-device"), (.answerService, "search-service"),
      (.answerRoot, "search-root"), (.answerAll, "search-all"),
    ] { expectEqual(mute.whole(clause), ["\(probe) inconclusive | nothing is answered over multicast"]) }
  }

  @Test("a search for a lower version is answered with it; another ST counts where it comes twice")
  func versions() {
    let (low, own) = ("urn:a:device:B:1", "urn:a:device:B:2")
    func ruling(_ answers: String?...) -> [String] {
      var course = Course([Course.root, own])
      for (number, said) in answers.enumerated() {
        course.ask(.versionLower, ExamQuestion(low), at: .seconds(10 + 10 * Int64(number)))
        if let said { course.answer(after: tenth) { $0.target = said } }
      }
      course.sign(at: .seconds(60))
      return course.whole(.answerLower)
    }
    expectEqual(ruling(low, nil), ["version-lower held"])
    expectEqual(
      ruling(nil, own, own), ["version-lower violated | ST as it was asked: \(low) | ST: \(own) | >20.0 <20.1"])
    expectEqual(
      ruling(nil, own),
      [
        "version-lower inconclusive | one answer with another ST, which may belong to a search of another program"
      ])
    expectEqual(
      ruling(nil, nil),
      ["version-lower violated | an answer to the lower version \(low) | silence, asked 2 times | >10.0 >20.0"])
    expectEqual(Course().remark(.versionLower), "no type has a version above 1")
  }

  @Test("silence to unicast says whether MX helps; answers come within a second")
  func unicast() {
    func course(plain: [Interval], withMX: [Interval]) -> Course {
      var course = Course()
      course.ask(
        .unicast, ExamQuestion(Course.root, mx: nil, isMulticast: false), at: .seconds(10), answeredAfter: plain)
      course.ask(.unicastMX, ExamQuestion(Course.root, isMulticast: false), at: .seconds(20), answeredAfter: withMX)
      course.sign(at: .seconds(60))
      return course
    }
    func rulings(_ course: Course) -> [String] {
      course.whole(.listenUnicast) + course.whole(.unicastAnswerFast) + [course.remark(.unicastMX) ?? "none"]
    }
    let wanted = "an answer to a unicast search, which has no MX"
    let silence = "silence; MX has no place in a unicast search"
    expectEqual(
      rulings(course(plain: [tenth], withMX: [tenth])),
      ["unicast held", "unicast held", "unicast-mx held", "none"])
    expectEqual(
      rulings(course(plain: [], withMX: [.seconds(2)])),
      [
        "unicast violated | \(wanted) (with MX it is answered) | silence, asked once | >10.0",
        "unicast-mx violated | an answer within a second of a unicast search | one after 2 s | >20.0 <22.0", "none",
      ])
    expectEqual(
      rulings(course(plain: [], withMX: [])),
      ["unicast violated | \(wanted) | silence, asked once | >10.0", silence])
  }

  // MARK: - What ought to meet silence

  @Test("an answer where silence is due breaks a clause, and says how often it came and to which other questions")
  func silence() {
    func texts(_ rows: [(mx: String, isAnswered: Bool)], isError: Bool = false, isLast: Bool = false) -> [String] {
      var course = Course()
      for (number, row) in rows.enumerated() {
        course.ask(.mxText, ExamQuestion(Course.root, mx: row.mx), at: .seconds(10 + 10 * Int64(number)))
        if row.isAnswered { course.answer(after: tenth) { $0.isError = isError } }
      }
      course.sign(at: .seconds(isLast ? 15 : 90))
      return course.whole(.answerBadMX)
    }
    func broken(_ found: String, _ times: String) -> [String] {
      ["mx-text violated | silence to a multicast search whose MX is no integer | \(found) | \(times)"]
    }
    let first = "an answer after 0.1 s to ST: upnp:rootdevice, MX: soon"
    expectEqual(texts([("soon", false), ("", false)]), ["mx-text held"])
    expectEqual(texts([("soon", false), ("", false)], isLast: true), ["mx-text inconclusive | \(noSign)"])
    expectEqual(texts([("soon", true), ("", false)], isError: true), ["mx-text held"])
    expectEqual(texts([("soon", true), ("", false)]), broken(first, ">10.0 <10.1"))
    expectEqual(
      texts([("soon", true), ("", true), ("soon", false), ("-1", true), ("", true)]),
      broken(
        first + "; 1 of 2 were answered; also to MX: (empty); MX: -1", ">10.0 <10.1 >20.0 <20.1 >40.0 <40.1"))
  }

  @Test("a value in another case of letters is not judged where any other value is answered, too")
  func values() {
    let other = ExamQuestion(Course.root, man: "\"SSDP:DISCOVER\"")
    let (nobody, uuid) = ("urn:rollcall-example:device:Nobody:1", "uuid:00000000-0000-4000-8000-0badc0ffee00")
    func ruling(
      _ asked: ExamQuestion, _ probe: DeviceProbe?, _ question: ExamQuestion, isError: Bool = false
    ) -> [String] {
      var course = Course()
      course.ask(.valueCase, asked, at: .seconds(10), answeredAfter: [tenth])
      if let probe {
        course.ask(probe, question, at: .seconds(20))
        course.answer(after: tenth) { $0.isError = isError }
      }
      course.sign(at: .seconds(60))
      return course.whole(.valueCase)
    }
    let open = ["value-case inconclusive | it answers whatever these values are"]
    let wanted = "silence to values in another case of letters"
    let man = [
      "value-case violated | \(wanted) | an answer after 0.1 s to ST: upnp:rootdevice, MX: 1, MAN: \"SSDP:DISCOVER\" | "
        + ">10.0 <10.1"
    ]
    let upper = ExamQuestion("UPNP:ROOTDEVICE")
    let target = ["value-case violated | \(wanted) | an answer after 0.1 s to ST: UPNP:ROOTDEVICE, MX: 1 | >10.0 <10.1"]
    expectEqual(ruling(other, nil, other), man)
    expectEqual(ruling(other, .manOther, other), open)
    expectEqual(ruling(other, .manMissing, other), open)
    expectEqual(ruling(other, .manOther, other, isError: true), man)
    expectEqual(ruling(other, .searchUnknown, ExamQuestion(nobody)), man)
    expectEqual(ruling(upper, .manOther, other), target)
    expectEqual(ruling(upper, .searchUnknown, ExamQuestion(nobody)), open)
    expectEqual(ruling(upper, .searchUnknown, ExamQuestion(uuid)), open)
    expectEqual(ruling(upper, .searchUnknown, ExamQuestion("urn:a:device:B")), target)
  }

  // MARK: - Copies, overlap, waits

  @Test("a message that is no answer shows nothing of copies, and as many answers as copies are remarked")
  func copies() {
    var course = Course()
    for number in 0..<3 as Range<Int64> {
      course.ask(.copies, at: Interval.seconds(10) + .milliseconds(100 * number), port: 40_000)
    }
    course.answer(after: tenth) { $0.isResponse = false }
    expectEqual(
      course.whole(.answerOnce).filter { $0.hasPrefix("copies") },
      ["copies inconclusive | what came is no answer to a search | >10.0 >10.1 >10.2"])
    for _ in 0..<3 { course.answer(after: tenth) }
    course.answer(after: tenth) { $0.usn = "other" }
    expectEqual(course.whole(.answerOnce), ["copies held"])
    expectEqual(course.remark(.copies), "3 answers to 3 copies")
    course.answer(after: tenth)
    expectEqual(
      course.whole(.answerOnce),
      [
        "copies violated | at most one answer to each of 3 copies | 4 answers | >10.2 <10.3 <10.3 <10.3 <10.3"
      ])
  }

  @Test("two searches that are not answered while answers to MX 5 wait break a clause, one that is answered holds it")
  func overlap() {
    /// - Parameter shorts: when the three later searches were answered, after the first one.
    func ruling(
      long: Interval?, _ shorts: [Interval?] = [nil, nil, nil], mx: String = "5", loses: Bool = false
    ) -> [String] {
      var course = Course()
      let start = Interval.seconds(10)
      course.ask(.overlap, ExamQuestion("ssdp:all", mx: mx), at: start)
      if let long { course.answer(after: long) }
      for (wait, answered) in zip([300, 1_500, 2_700] as [Int64], shorts) {
        let time = Interval.milliseconds(wait)
        course.ask(.overlap, at: start + time)
        if let answered { course.answer(after: answered - time) }
      }
      if loses { course.sign(at: .seconds(50), isAnswered: false) }
      course.sign(at: .seconds(60))
      return course.whole(.answerNonblocking)
    }
    func broken(_ count: Int, _ times: String) -> [String] {
      [
        "overlap violated | an answer while others wait | silence to \(count) searches while answers to one before "
          + "them were still to come | \(times)"
      ]
    }
    let late = Interval.seconds(5)
    let short = ["overlap inconclusive | its answers did not wait long enough for another search to come between"]
    expectEqual(ruling(long: late), broken(3, ">10.0 >10.3 >11.5 >12.7 <15.0"))
    expectEqual(ruling(long: .milliseconds(4_000)), broken(2, ">10.0 >10.3 >11.5 <14.0"))
    expectEqual(ruling(long: .milliseconds(2_801)), broken(2, ">10.0 >10.3 >11.5 <12.8"))
    expectEqual(ruling(long: .milliseconds(2_800)), short)
    expectEqual(ruling(long: late, [late - Interval.nanoseconds(1), nil, nil]), ["overlap held"])
    expectEqual(ruling(long: late, [nil, nil, late]), broken(2, ">10.0 >10.3 >11.5 <15.0"))
    expectEqual(ruling(long: late, [nil, late, late]), short)
    expectEqual(ruling(long: late, [late, late, late]), short)
    expectEqual(
      ruling(long: late, loses: true),
      [
        "overlap inconclusive | silence, asked 3 times; but of 2 searches that can be answered 1 were not: "
          + "too much is lost here"
      ])
    expectEqual(
      ruling(long: nil),
      ["overlap inconclusive | nothing was answered with MX 5 | >10.0 >10.3 >11.5 >12.7"])
    expectEqual(ruling(long: late, mx: "4"), [])
  }

  @Test("one even sample of waits holds the clause of spreading them; it takes one, or two of two, to break it")
  func spreads() {
    typealias Sample = (isEven: Bool, answered: Int)
    func course(_ samples: [Sample], count: Int = DeviceProbe.spreadCount, isLast: Bool = false) -> Course {
      var course = Course()
      for (number, sample) in samples.enumerated() {
        for place in 0..<count {
          let wait = sample.isEven ? Int64(place + 1) * 1_000_000_000 / Int64(count) : 900_000_000
          course.ask(
            .spread, ExamQuestion(Course.root), at: .seconds(10 + Int64(100 * number + 2 * place)),
            answeredAfter: place < sample.answered ? [.nanoseconds(wait)] : [])
        }
      }
      if !isLast { course.sign(at: .seconds(500)) }
      return course
    }
    func rulings(_ course: Course) -> [String] { course.whole(.answerDelay) + [course.remark(.spread) ?? "none"] }
    let text = "answers to MX 1, 2 and 3 by turns, after 0.900 to 0.900 of MX, half of them within 0.900"
    func broken(_ rest: String) -> [String] {
      [
        "spread violated | waits spread evenly over MX (Kolmogorov-Smirnov, alpha 0.001) | 36 \(text)\(rest) | "
          + ">10.0 <10.9 >12.0 <12.9 >14.0 <14.9", "none",
      ]
    }
    let held = ["spread held", "36 waits, spread over MX"]
    expectEqual(rulings(course([(true, 36)])), held)
    expectEqual(rulings(course([(false, 36)])), broken(""))
    expectEqual(rulings(course([(false, 36), (false, 36)])), broken(", as before"))
    expectEqual(rulings(course([(false, 36), (true, 36)])), held)
    expectEqual(rulings(course([(true, 36), (false, 36)])), held)
    expectEqual(
      rulings(course([(false, 36), (false, 29)])),
      ["spread inconclusive | one sample of waits was uneven, the other too small: 36 \(text)", "none"])
    expectEqual(
      rulings(course([(false, 29), (false, 30)])),
      ["spread inconclusive | one sample of waits was uneven, the other too small: 30 \(text)", "none"])
    expectEqual(
      rulings(course([(true, 29)])),
      ["spread inconclusive | 29 of 36 searches were answered, and a test takes 30", "none"])
    expectEqual(
      rulings(course([(true, 9)], count: 10)),
      ["spread inconclusive | 9 of 10 searches were answered, and a test takes 30", "none"])
    expectEqual(
      rulings(course([(true, 35)], isLast: true)),
      ["spread inconclusive | \(noSign)", "not judged: \(noSign)"])
  }
}
