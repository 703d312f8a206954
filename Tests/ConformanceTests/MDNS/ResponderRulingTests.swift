import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallExaminers

/// An examination of a printer that is over, made by hand: what was asked, and what was heard.
struct ExamCourse {
  static let own = IPAddress(10, 0, 0, 1)
  static let printer = IPAddress(10, 0, 0, 2)
  static let type = DNSName("_ipp._tcp.local")!
  static let instance = DNSName("Office._ipp._tcp.local")!
  static let hostName = DNSName("printer.local")!
  static let pointer = DNSRecord(type, .ptr(instance), ttlSeconds: 4_500)
  static let service = DNSRecord(
    instance, .srv(priority: 0, weight: 0, port: 631, target: hostName), ttlSeconds: 120)
  static let text = DNSRecord(instance, .txt([0]), ttlSeconds: 4_500)
  static let address = DNSRecord(hostName, .address(printer), ttlSeconds: 10)

  var exam = ResponderExam(ResponderExamPlan())

  init() {
    var subject = ResponderSubject(address: ExamCourse.printer, at: .zero)
    for record in [ExamCourse.pointer, ExamCourse.service, ExamCourse.text, ExamCourse.address] {
      subject.learn(record)
    }
    exam.subjects = [subject]
    exam.examined = ExamCourse.printer
    exam.outcome = .examined
    exam.phase = .over
  }

  /// Asks by multicast from the port of multicast DNS, unless something else is said.
  mutating func ask(
    _ probe: ResponderProbe?, _ name: DNSName = ExamCourse.instance, _ type: DNSType = .srv, at time: Interval,
    expects: ResponderAsk.Expectation = .answer, window: Interval = .milliseconds(700), port: UInt16 = 5_353
  ) {
    let message = DNSMessage(flags: .query, questions: [DNSQuestion(name, type)])
    exam.asks.append(
      ResponderAsk(
        probe: probe, message: message, expects: expects, time: .zero + time,
        source: Endpoint(ExamCourse.own, port: port), destination: .mdns(.v4), window: window, bytes: message.bytes))
  }

  mutating func hear(
    _ answers: [DNSRecord], at time: Interval, to destination: Endpoint = .mdns(.v4),
    _ change: (inout DNSMessage) -> Void = { _ in }
  ) {
    var message = DNSMessage(flags: .response, answers: answers)
    change(&message)
    exam.heard.append(
      HeardResponse(
        time: .zero + time, source: Endpoint(ExamCourse.printer, port: 5_353), destination: destination,
        message: message, bytes: message.bytes))
  }

  /// Asks for SRV, as at the end, and hears it a millisecond later.
  mutating func sign(at time: Interval, isAnswered: Bool = true, probe: ResponderProbe? = nil) {
    ask(probe, at: time)
    if isAnswered { hear([ExamCourse.service], at: time + .milliseconds(1)) }
  }

  /// `verdict what was found` of a clause.
  func rulings(_ clause: ClauseID) -> [String] {
    (exam.report?.rulings ?? []).filter { $0.clause == clause }
      .map { $0.found.isEmpty ? $0.verdict.rawValue : "\($0.verdict.rawValue) \($0.found)" }
  }
}

@Suite("What an examination of a responder rules, at the bounds")
struct ResponderRulingTests {
  private typealias Course = ExamCourse
  private func ms(_ milliseconds: Int64) -> Interval { .milliseconds(milliseconds) }
  private let disturbed = "inconclusive somebody else asked at the same time"

  // MARK: - Times

  @Test("a shared answer comes after 20 ms, less one that a clock may lose, and within 500 ms and what a network adds")
  func sharedDelay() {
    func ruling(_ waits: [Interval]) -> [String] {
      var course = Course()
      for (number, wait) in waits.enumerated() {
        let start = Interval.seconds(4 * Int64(number) + 1)
        course.ask(.browse, Course.type, .ptr, at: start, window: .seconds(2))
        course.hear([Course.pointer, Course.service, Course.text, Course.address], at: start + wait)
      }
      return course.rulings(.sharedDelay)
    }
    let waits: [(wait: Interval, expected: String)] = [
      (ms(19), "held"), (ms(19) - .nanoseconds(1), "violated 0.018 s, 1 of 2 answers"), (ms(800), "held"),
      (ms(800) + .nanoseconds(1), "violated 0.8 s, 1 of 2 answers"),
    ]
    for (wait, expected) in waits { expectEqual(ruling([ms(60), wait]), [expected], "\(wait)") }
    // The first of several is told, an early one before a late one.
    expectEqual(ruling([ms(10), ms(60), ms(15)]), ["violated 0.01 s, 2 of 3 answers"])
    expectEqual(ruling([ms(60), ms(900), ms(950)]), ["violated 0.9 s, 2 of 3 answers"])
    expectEqual(ruling([ms(900), ms(10)]), ["violated 0.01 s, 2 of 2 answers"])
  }

  @Test("a unique answer comes within 20 ms; of a later one it is known only where something else came as soon")
  func promptAnswer() {
    let late = ms(20) + .nanoseconds(1)
    let rows: [(waits: [Interval], other: Interval?, expected: String)] = [
      ([ms(20)], nil, "held"), ([late, ms(20), late], nil, "held"),
      ([late], nil, "inconclusive no answer at all came within 0.02 s: the network may be as slow"),
      ([late], late, "inconclusive no answer at all came within 0.02 s: the network may be as slow"),
      ([ms(30), late], ms(20), "violated 0.02 s at least, in 2 answers"),
    ]
    for row in rows {
      var course = Course()
      for (number, wait) in row.waits.enumerated() {
        let start = Interval.seconds(Int64(number + 1))
        course.ask(.service, at: start)
        course.hear([Course.service], at: start + wait)
      }
      if let other = row.other {
        course.ask(.types, ServiceType.enumerationName, .ptr, at: .seconds(9))
        course.hear([DNSRecord(ServiceType.enumerationName, .ptr(Course.type), ttlSeconds: 9)], at: .seconds(9) + other)
      }
      expectEqual(course.rulings(.promptAnswer), [row.expected], "\(row)")
    }
  }

  @Test("a query with TC is answered after 399 to 800 ms, and by nobody's doing but its own")
  func truncatedWait() {
    func ruling(_ wait: Interval, otherAt: Interval? = nil, otherName: DNSName = Course.type) -> [String] {
      var course = Course()
      course.ask(.truncated, Course.type, .ptr, at: .seconds(5), window: .seconds(1))
      course.hear([Course.pointer], at: .seconds(5) + wait)
      if let otherAt {
        course.exam.others = [(time: .zero + otherAt, questions: [DNSQuestion(otherName, .ptr)])]
      }
      return course.rulings(.truncatedWait)
    }
    expectEqual(ruling(ms(399)), ["held"])
    expectEqual(ruling(ms(399) - .nanoseconds(1)), ["violated 0.398 s"])
    expectEqual(ruling(ms(800)), ["held"])
    expectEqual(ruling(ms(800) + .nanoseconds(1)), ["violated 0.8 s"])
    // A second before the question and to the end of its time, for the same name.
    for time in [Interval.seconds(4), .seconds(6)] { expectEqual(ruling(ms(450), otherAt: time), [disturbed]) }
    expectEqual(ruling(ms(450), otherAt: .seconds(4) - .nanoseconds(1)), ["held"])
    expectEqual(ruling(ms(450), otherAt: .seconds(6) + .nanoseconds(1)), ["held"])
    expectEqual(ruling(ms(450), otherAt: .seconds(5), otherName: Course.instance), ["held"])
  }

  @Test("a record is multicast again after a second, less 50 ms that a clock may lose; one that is taken back is none")
  func oncePerSecond() {
    func ruling(_ gap: Interval, ttl: UInt32 = 120) -> [String] {
      var course = Course()
      course.ask(.rate, at: ms(1_000))
      course.ask(.rate, at: ms(1_300), expects: .nothing)
      course.hear([Course.service], at: ms(1_010))
      var again = Course.service
      again.ttlSeconds = ttl
      course.hear([again], at: ms(1_010) + gap)
      return course.rulings(.oncePerSecond)
    }
    expectEqual(ruling(ms(950)), ["held"])
    expectEqual(ruling(ms(950) - .nanoseconds(1)), ["violated 0.949 s"])
    expectEqual(ruling(ms(300), ttl: 1), ["violated 0.3 s"])
    expectEqual(ruling(ms(300), ttl: 0), ["held"])
  }

  // MARK: - Silence

  @Test("silence holds between two signs of life alone, an answer breaks it, and a goodbye is no answer")
  func quiet() {
    let around = "inconclusive silence, but the questions around it were not both answered"
    func ruling(_ before: Bool, _ after: Bool, _ change: (inout Course) -> Void = { _ in }) -> [String] {
      var course = Course()
      course.sign(at: .seconds(1), isAnswered: before, probe: .service)
      course.ask(.known, Course.type, .ptr, at: .seconds(3), expects: .silence)
      course.sign(at: .seconds(5), isAnswered: after, probe: .known)
      change(&course)
      return course.rulings(.knownAnswers)
    }
    expectEqual(ruling(true, true), ["held"])
    expectEqual(ruling(false, true), [around])
    expectEqual(ruling(true, false), [around])
    expectEqual(ruling(true, true) { $0.hear([Course.pointer], at: ms(3_050)) }, ["violated an answer after 0.05 s"])
    var brief = Course.pointer
    brief.ttlSeconds = 1
    expectEqual(
      ruling(true, true) { course in
        for wait in [30, 60] as [Int64] { course.hear([brief], at: ms(3_000 + wait)) }
      }, ["violated an answer after 0.03 s"])
    // In its time and no later.
    expectEqual(ruling(true, true) { $0.hear([Course.pointer], at: ms(3_000)) }, ["violated an answer after 0 s"])
    expectEqual(ruling(true, true) { $0.hear([Course.pointer], at: ms(3_700)) }, ["held"])
    expectEqual(ruling(true, true) { $0.hear([Course.pointer], at: ms(3_000) - .nanoseconds(1)) }, ["held"])
    expectEqual(
      ruling(true, true) { course in
        course.hear([Course.pointer], at: ms(3_050))
        course.exam.others = [(time: .zero + .seconds(3), questions: [DNSQuestion(Course.type, .any)])]
      }, [disturbed])
    var goodbye = Course.pointer
    goodbye.ttlSeconds = 0
    expectEqual(ruling(true, false) { $0.hear([goodbye], at: ms(3_050)) }, [around])
  }

  @Test("silence where an answer was due is a breach where loss alone would make it less often than once in a thousand")
  func loss() {
    /// So many good questions, so many of them lost, and so many in a row that nobody answers.
    func ruling(lost: Int, of all: Int = 10, asked: Int) -> [String] {
      var course = Course()
      for number in 0..<(all - 1) { course.sign(at: .seconds(Int64(number)), isAnswered: number >= lost) }
      for number in 0..<asked { course.ask(.anyType, Course.instance, .any, at: .seconds(Int64(all + number))) }
      course.sign(at: .seconds(Int64(all) + 20))
      return course.rulings(.anyQuestion)
    }
    func open(_ lost: Int, of all: Int = 10, _ asked: String) -> [String] {
      let count = "of \(all) questions that can be answered \(lost) were not"
      return ["inconclusive asked \(asked); but \(count): too much is lost here"]
    }
    expectEqual(ruling(lost: 0, asked: 1), ["violated silence, asked once"])
    expectEqual(ruling(lost: 1, asked: 1), open(1, "once"))
    // A quarter of a quarter …: 0.0039, then 0.00098.
    expectEqual(ruling(lost: 1, asked: 4), open(1, "4 times"))
    expectEqual(ruling(lost: 1, asked: 5), ["violated silence, asked 5 times"])
    // A third: 0.0014, then 0.0005.
    expectEqual(ruling(lost: 2, asked: 6), open(2, "6 times"))
    expectEqual(ruling(lost: 2, asked: 7), ["violated silence, asked 7 times"])
    // Once in a thousand, and a little more often.
    expectEqual(ruling(lost: 1, of: 28, asked: 3), ["violated silence, asked 3 times"])
    expectEqual(ruling(lost: 20, of: 57, asked: 7), open(20, of: 57, "7 times"))
    // Behind its last answer it may be gone.
    var gone = Course()
    gone.sign(at: .seconds(1))
    gone.ask(.anyType, Course.instance, .any, at: .seconds(3))
    gone.sign(at: .seconds(5), isAnswered: false)
    expectEqual(gone.rulings(.anyQuestion), ["inconclusive the responder answered nothing any more"])
  }

  @Test("one message may be lost where one of 93 was: silence that was due and a part that is missing stay open then")
  func oneLost() {
    let listing = ServiceType.enumerationName
    var course = Course()
    for number in 0..<90 { course.sign(at: .seconds(Int64(number)), isAnswered: number != 40) }
    course.ask(.known, Course.type, .ptr, at: .seconds(100), expects: .silence)
    course.sign(at: .seconds(102), probe: .known)
    course.ask(.types, listing, .ptr, at: .seconds(104))
    course.hear([DNSRecord(listing, .ptr(Course.hostName), ttlSeconds: 9)], at: ms(104_010))
    course.ask(.anyType, Course.instance, .any, at: .seconds(106))
    course.hear([Course.service, Course.text], at: ms(106_010))
    let loss = "asked once; but of 93 questions that can be answered 1 were not: too much is lost here"
    expectEqual(course.rulings(.knownAnswers), ["inconclusive \(loss)"])
    expectEqual(course.rulings(.enumeration), ["inconclusive a list without it; \(loss)"])
    // What is all there needs no doubt.
    expectEqual(course.rulings(.anyQuestion), ["held"])
  }

  @Test("an answer that another host has given is a breach where it comes each time, and else it may be a loss")
  func duplicates() {
    func ruling(_ answered: [Bool], otherAt: Interval? = nil) -> [String] {
      var course = Course()
      if let otherAt {
        course.exam.others = [(time: .zero + otherAt, questions: [DNSQuestion(Course.type, .ptr)])]
      }
      course.sign(at: .seconds(1))
      for (number, isAnswered) in answered.enumerated() {
        let start = Interval.seconds(2 * Int64(number) + 3)
        course.ask(.duplicate, Course.type, .ptr, at: start, expects: .silence)
        if isAnswered { course.hear([Course.pointer], at: start + ms(60)) }
      }
      course.sign(at: .seconds(20), probe: .duplicate)
      return course.rulings(.duplicateAnswer)
    }
    expectEqual(ruling([true, true, true]), ["violated an answer each of 3 times"])
    expectEqual(
      ruling([false, true, true]),
      ["inconclusive an answer 2 of 3 times: what was given before it may have been lost"])
    expectEqual(ruling([false, false, false]), ["held", "held", "held"])
    // Another host asked for the list while the last of them was waited for.
    expectEqual(ruling([true, true, true], otherAt: ms(7_100)), [disturbed])
  }

  // MARK: - Plain DNS clients

  @Test("a reply to a plain DNS client has everything that it needs: each thing that is wrong is told")
  func legacy() {
    func ruling(_ change: (inout DNSMessage) -> Void) -> [String] {
      var course = Course()
      course.ask(.legacy, Course.hostName, .a, at: .seconds(1), port: 50_000)
      course.hear([Course.address], at: ms(1_050), to: Endpoint(Course.own, port: 50_000)) { message in
        message.id = ResponderExam.legacyID
        message.questions = [DNSQuestion(Course.hostName, .a)]
        change(&message)
      }
      course.sign(at: .seconds(5))
      return course.rulings(.legacyReply)
    }
    expectEqual(ruling { _ in }, ["held"])
    expectEqual(ruling { $0.answers[0].ttlSeconds = 11 }, ["violated A with a TTL of 11 s"])
    expectEqual(ruling { $0.additionals = [Course.text] }, ["violated TXT with a TTL of 4500 s"])
    expectEqual(ruling { $0.additionals = [DNSRecord(.root, .opt([]), ttlSeconds: 32_768)] }, ["held"])
    expectEqual(ruling { $0.questions[0].type = .aaaa }, ["violated no question"])
    expectEqual(
      ruling { message in
        (message.id, message.questions) = (1, [])
        message.answers[0].ttlSeconds = 120
        message.answers[0].isCacheFlush = true
      },
      ["violated id 1, asked with 21059; no question; A with a TTL of 120 s; A with the cache-flush bit"])
    // To another socket it is no answer.
    var other = Course()
    other.ask(.legacy, Course.hostName, .a, at: .seconds(1), port: 50_000)
    other.hear([Course.address], at: ms(1_050), to: Endpoint(Course.own, port: 50_001))
    other.hear([Course.address], at: ms(1_050))
    other.sign(at: .seconds(5))
    expectEqual(other.rulings(.legacyReply), ["violated silence, asked once"])
  }

  @Test("the last message to an address from a port is the one that was refused, and one that is marked is passed over")
  func refusals() {
    var course = Course()
    let group = Endpoint.mdns(.v4).address
    func refused(_ deed: Refusal.Deed, _ address: IPAddress, port: UInt16) -> [Bool] {
      course.exam.take(Refusal(deed: deed, interface: InterfaceID(0), address: address, port: port))
      return course.exam.asks.map(\.wasRefused)
    }
    for (number, port) in ([5_353, 5_353, 50_000, 5_353, 50_001] as [UInt16]).enumerated() {
      course.ask(.direct, at: .seconds(Int64(number)), port: port)
    }
    course.exam.asks[3].destination = Endpoint(Course.printer, port: 5_353)
    course.exam.asks[4].destination = Endpoint(Course.printer, port: 5_353)
    expectEqual(refused(.join, group, port: 5_353), [false, false, false, false, false])
    expectEqual(refused(.send, Course.own, port: 5_353), [false, false, false, false, false])
    expectEqual(refused(.send, group, port: 5_353), [false, true, false, false, false])
    expectEqual(refused(.send, group, port: 5_353), [true, true, false, false, false])
    expectEqual(refused(.send, group, port: 5_353), [true, true, false, false, false])
    expectEqual(refused(.send, group, port: 50_000), [true, true, true, false, false])
    expectEqual(refused(.send, Course.printer, port: 5_353), [true, true, true, true, false])
  }

  // MARK: - Whether it is there

  @Test("a responder that answers none of the last questions is gone, with goodbye if that was the last of it")
  func presence() {
    func presence(_ answered: [Bool], _ change: (inout Course) -> Void = { _ in }) -> ExamPresence {
      var course = Course()
      course.sign(at: .seconds(1), probe: .service)
      for (number, isAnswered) in answered.enumerated() {
        course.sign(at: .seconds(2 * Int64(number) + 3), isAnswered: isAnswered)
      }
      change(&course)
      return course.exam.presence
    }
    let last = Instant.zero + ms(1_001)
    var (goodbye, other) = (Course.service, Course.text)
    (goodbye.ttlSeconds, other.ttlSeconds) = (0, 0)
    expectEqual(presence([]), .present)
    expectEqual(presence([false, true, false]), .present)
    expectEqual(presence([false, false]), .silent(since: last, after: nil))
    expectEqual(presence([false]) { $0.exam.wasStopped = true }, .present)
    expectEqual(presence([false]) { $0.exam.asks[1].wasRefused = true }, .present)
    for time in [ms(1_001), ms(3_050)] {
      expectEqual(
        presence([false]) { $0.hear([goodbye, other], at: time) }, .left(at: .zero + time, with: "goodbye"))
    }
    expectEqual(presence([false]) { $0.hear([goodbye], at: ms(1_000)) }, .silent(since: last, after: nil))
    expectEqual(presence([false]) { $0.hear([goodbye, Course.text], at: ms(3_050)) }, .silent(since: last, after: nil))
    expectEqual(presence([false]) { $0.hear([], at: ms(3_050)) }, .silent(since: last, after: nil))
  }
}
