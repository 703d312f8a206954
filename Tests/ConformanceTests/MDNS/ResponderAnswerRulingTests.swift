import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallExaminers

@Suite("Rulings of an examination of a responder on each answer")
struct ResponderAnswerRulingTests {
  private typealias Course = ExamCourse

  private let own = Endpoint(ExamCourse.own, port: 5_353)
  private let printer = Endpoint(ExamCourse.printer, port: 5_353)
  private let otherName = DNSName("Home._ipp._tcp.local")!
  private let wide = DNSRecord(
    ExamCourse.hostName, .address(IPAddress(v6High: 0xFE80 << 48, low: 2)), ttlSeconds: 120)
  private let silence = ["violated silence, asked once"]

  private func ms(_ milliseconds: Int64) -> Interval { .milliseconds(milliseconds) }
  private func nsec(_ name: DNSName, _ types: [DNSType]) -> DNSRecord {
    DNSRecord(name, .nsec(next: name, types: DNSTypeSet(types)), ttlSeconds: 120)
  }
  private func named(_ name: DNSName, _ record: DNSRecord) -> DNSRecord {
    DNSRecord(name, record.data, ttlSeconds: record.ttlSeconds)
  }

  /// Rulings on a question that is asked once, with answers that are a message each, and a sign of life.
  private func ruling(
    _ clause: ClauseID, _ probe: ResponderProbe, _ name: DNSName, _ type: DNSType, _ answers: [[DNSRecord]],
    more: [DNSRecord] = [], questions: [DNSQuestion]? = nil
  ) -> [String] {
    var course = Course()
    course.ask(probe, name, type, at: ms(1_000))
    if let questions { course.exam.asks[0].message.questions = questions }
    for (number, records) in answers.enumerated() {
      course.hear(records, at: ms(1_050 + Int64(number))) { $0.additionals = more }
    }
    course.sign(at: .seconds(5))
    return course.rulings(clause)
  }

  // MARK: - What belongs to an answer

  @Test("a list of types names the type of the service, and PTR comes with SRV, TXT and an address")
  func lists() {
    let listing = ServiceType.enumerationName
    func types(_ answers: [[DNSRecord]]) -> [String] { ruling(.enumeration, .types, listing, .ptr, answers) }
    let listed = DNSRecord(listing, .ptr(Course.type), ttlSeconds: 9)
    let other = DNSRecord(listing, .ptr(DNSName("_http._tcp.local")!), ttlSeconds: 9)
    expectEqual(types([[other], [listed]]), ["held"])
    expectEqual(types([[other]]), ["violated a list without it"])
    expectEqual(types([]), silence)
    func browsed(_ answers: [[DNSRecord]], _ more: [DNSRecord] = []) -> [String] {
      ruling(.additionalRecords, .browse, Course.type, .ptr, answers, more: more)
    }
    let (pointer, service, text, address) = (Course.pointer, Course.service, Course.text, Course.address)
    expectEqual(browsed([[pointer]], [service, text, address]), ["held"])
    expectEqual(browsed([[pointer, service], [pointer, text, wide]]), ["held"])
    expectEqual(browsed([[pointer]]), ["violated no SRV, no TXT, no an address"])
    expectEqual(browsed([[pointer]], [named(otherName, service), text, wide]), ["violated no SRV"])
    expectEqual(browsed([[pointer]], [service, named(otherName, text), address]), ["violated no TXT"])
    expectEqual(browsed([[pointer]], [service, text]), ["violated no an address"])
    expectEqual(browsed([]), [])
    expectEqual(ruling(.sharedDelay, .browse, Course.type, .ptr, []), silence)
  }

  @Test("SRV and TXT are there, of one question, of ANY and of two questions, and a missing record is told")
  func services() {
    let (instance, service, text, address) = (Course.instance, Course.service, Course.text, Course.address)
    let denied = nsec(instance, [.srv])
    func own(_ type: DNSType, _ answers: [[DNSRecord]]) -> [String] {
      ruling(.serviceRecords, .service, instance, type, answers)
    }
    for (type, record, other) in [(DNSType.srv, service, text), (.txt, text, service)] {
      expectEqual(own(type, [[record]]), ["held"], "\(type)")
      expectEqual(own(type, [[denied]]), ["violated only that there is none"], "\(type)")
      expectEqual(own(type, [[denied, other, named(otherName, record)]]), ["violated only that there is none"])
    }
    expectEqual(own(.txt, []), silence)
    expectEqual(own(.any, []), [])
    func whole(_ answers: [[DNSRecord]], _ more: [DNSRecord] = []) -> [String] {
      ruling(.anyQuestion, .anyType, instance, .any, answers, more: more)
    }
    expectEqual(whole([[text], [service]]), ["held"])
    expectEqual(whole([[service, named(otherName, text)]], [text]), ["violated SRV"])
    expectEqual(whole([[text, denied]]), ["violated TXT, NSEC"])
    func two(_ answers: [[DNSRecord]], _ more: [DNSRecord] = []) -> [String] {
      let questions = [DNSQuestion(instance, .txt), DNSQuestion(Course.hostName, .a)]
      return ruling(.allQuestions, .questions, instance, .txt, answers, more: more, questions: questions)
    }
    expectEqual(two([[text]], [address]), ["held"])
    expectEqual(two([[text, wide]]), ["violated nothing to A printer.local"])
    expectEqual(two([[address]]), ["violated nothing to TXT Office._ipp._tcp.local"])
    expectEqual(two([[address, denied]]), ["held"])
    expectEqual(two([]), silence)
  }

  @Test("a type that is not there is denied by NSEC without it, and A comes with AAAA or NSEC, and the reverse")
  func denials() {
    let (host, address) = (Course.hostName, Course.address)
    let location = DNSType(rawValue: 29)
    func absent(_ answers: [[DNSRecord]], _ more: [DNSRecord] = []) -> [String] {
      ruling(.negativeAnswers, .absence, host, location, answers, more: more)
    }
    let found = DNSRecord(host, .other(location, [0]), ttlSeconds: 9)
    expectEqual(absent([[nsec(host, [.a])]]), ["held"])
    expectEqual(absent([[found]], [nsec(host, [.a])]), ["held"])
    expectEqual(absent([[found]], [nsec(otherName, [.a])]), ["violated another answer"])
    expectEqual(absent([[nsec(host, [.a, location])]]), ["violated another answer"])
    expectEqual(absent([]), silence)
    for (type, record, other) in [(DNSType.a, address, wide), (.aaaa, wide, address)] {
      func family(_ answers: [[DNSRecord]], _ more: [DNSRecord] = []) -> [String] {
        ruling(.otherFamily, .families, host, type, answers, more: more)
      }
      expectEqual(family([[record]], [other]), ["held"], "\(type)")
      expectEqual(family([[record], [record, nsec(host, [type])]]), ["held"], "\(type)")
      expectEqual(family([[record]], [named(otherName, other), record]), ["violated \(type), \(type)"])
      expectEqual(family([]), silence, "\(type)")
    }
  }

  @Test("capital letters, half a TTL and a TTL of others ask for any answer: silence breaks their clauses")
  func answered() {
    let probes: [(ClauseID, ResponderProbe)] = [
      (.nameBytes, .letterCase), (.knownAnswers, .knownOld), (.lowTTLOfOthers, .lowTTL),
    ]
    for (clause, probe) in probes {
      expectEqual(ruling(clause, probe, Course.type, .ptr, [[Course.pointer]]), ["held"], "\(probe)")
      expectEqual(ruling(clause, probe, Course.type, .ptr, []), silence, "\(probe)")
    }
    expectEqual(ruling(.truncatedWait, .truncated, Course.type, .ptr, []), silence)
    expectEqual(Course().exam.report?.rulings, [])
  }

  // MARK: - Ways

  @Test("an answer by unicast to QU and to a query by unicast holds, one by multicast and silence do not")
  func unicast() {
    func rulings(_ probe: ResponderProbe, _ clause: ClauseID, _ destination: Endpoint?) -> [String] {
      var course = Course()
      // The same question before it, by multicast and without the bit, is not looked at.
      course.sign(at: .seconds(1), probe: probe)
      course.ask(probe, at: .seconds(3))
      if probe == .direct {
        course.exam.asks[1].destination = printer
      } else {
        course.exam.asks[1].message.questions[0].wantsUnicast = true
        course.exam.asks[1].bytes = course.exam.asks[1].message.bytes
      }
      if let destination { course.hear([Course.service], at: ms(3_010), to: destination) }
      course.sign(at: .seconds(5))
      return course.rulings(clause)
    }
    let group = Endpoint.mdns(.v4)
    for (probe, clause) in [(ResponderProbe.unicastWish, ClauseID.unicastAnswer), (.direct, .directQuery)] {
      expectEqual(rulings(probe, clause, own), ["held"], "\(probe)")
      expectEqual(rulings(probe, clause, group), ["violated one by multicast"], "\(probe)")
      expectEqual(rulings(probe, clause, nil), silence, "\(probe)")
      expectEqual(rulings(probe, .topBit, own), probe == .direct ? [] : ["held"], "\(probe)")
      expectEqual(rulings(probe, .topBit, group), probe == .direct ? [] : ["held"], "\(probe)")
      expectEqual(rulings(probe, .topBit, nil), probe == .direct ? [] : silence, "\(probe)")
    }
  }

  @Test("SRV that is multicast twice in a second, in the time of a question, breaks its clause with the first gap")
  func rate() {
    func ruling(_ times: [Interval], _ change: (inout Course) -> Void = { _ in }) -> [String] {
      var course = Course()
      course.ask(.rate, at: ms(1_000))
      course.ask(.rate, at: ms(1_300), expects: .nothing)
      for time in times { course.hear([Course.service], at: time) }
      change(&course)
      return course.rulings(.oncePerSecond)
    }
    expectEqual(ruling([ms(1_010), ms(1_310), ms(1_710)]), ["violated 0.3 s"])
    // Both ends of the first gap show it.
    var shown: [ProbeMessage] = []
    _ = ruling([ms(1_010), ms(1_310), ms(1_710)]) { course in
      shown = course.exam.report?.rulings.first { $0.clause == .oncePerSecond }?.evidence ?? []
    }
    expectEqual(shown.map(\.time), [Instant.zero + ms(1_010), Instant.zero + ms(1_310)])
    #expect(shown.allSatisfy { !$0.isSent })
    // From the first question to the end of the last one's time.
    expectEqual(ruling([ms(1_000), ms(1_500)]), ["violated 0.5 s"])
    expectEqual(ruling([ms(1_000) - .nanoseconds(1), ms(1_500)]), ["held"])
    expectEqual(ruling([ms(1_100), ms(2_000)]), ["violated 0.9 s"])
    expectEqual(ruling([ms(1_100), ms(2_000) + .nanoseconds(1)]), ["held"])
    // Another record of the name, the same of another name, of another host and to one host alone.
    expectEqual(ruling([ms(1_010)]) { $0.hear([Course.text], at: ms(1_310)) }, ["held"])
    expectEqual(ruling([ms(1_010)]) { $0.hear([named(otherName, Course.service)], at: ms(1_310)) }, ["held"])
    expectEqual(ruling([ms(1_010)]) { $0.hear([Course.service], at: ms(1_310), to: own) }, ["held"])
    expectEqual(
      ruling([ms(1_010), ms(1_310)]) { $0.exam.heard[1].source.address = IPAddress(10, 0, 0, 9) }, ["held"])
    func unanswered(_ count: Int) -> [String] {
      var course = Course()
      for number in 0..<count { course.ask(.rate, at: .seconds(Int64(number))) }
      course.ask(.rate, at: ms(9_000), expects: .nothing)
      course.sign(at: .seconds(20), probe: .service)
      return course.rulings(.oncePerSecond)
    }
    expectEqual(
      unanswered(2),
      ["inconclusive asked 2 times; but of 3 questions that can be answered 2 were not: too much is lost here"])
    expectEqual(unanswered(0), [])
  }

  @Test("SRV for a plain DNS client has the length of its whole data, which is looked for behind its class and TTL")
  func compression() {
    func ruling(_ record: DNSRecord, _ bytes: (DNSMessage) -> [UInt8]) -> [String] {
      var course = Course()
      course.ask(.legacyService, at: .seconds(1), port: 50_000)
      course.hear([record], at: ms(1_050), to: Endpoint(Course.own, port: 50_000))
      course.exam.heard[0].bytes = bytes(course.exam.heard[0].message)
      course.sign(at: .seconds(5))
      return course.rulings(.compression)
    }
    func short(_ count: Int) -> [String] {
      ["violated a name that is compressed: \(count) bytes of data in place of 21"]
    }
    let service = Course.service
    var flushed = service
    (flushed.ttlSeconds, flushed.isCacheFlush) = (0x0102_0304, true)
    for record in [service, flushed] {
      expectEqual(ruling(record) { $0.written(compression: .none).bytes }, ["held"])
      expectEqual(ruling(record) { $0.written(compression: .legacy).bytes }, ["held"])
      expectEqual(ruling(record) { $0.written(compression: .multicast).bytes }, short(16))
    }
    // Type, class and TTL; length; priority, weight and port.
    let mark: [UInt8] = [0, 33, 0, 1, 0, 0, 0, 120]
    let flushMark: [UInt8] = [0, 33, 0x80, 1, 1, 2, 3, 4]
    let fields: [UInt8] = [0, 0, 0, 0, 2, 119]
    func ruling(_ record: DNSRecord, of parts: [UInt8]...) -> [String] { ruling(record) { _ in Array(parts.joined()) } }
    let none = ["inconclusive the reply is too long to be kept"]
    expectEqual(ruling(service, of: mark, [0, 21], fields), ["held"])
    expectEqual(ruling(flushed, of: flushMark, [0, 21], fields), ["held"])
    expectEqual(ruling(service, of: [7, 7], mark, [0, 20], fields), short(20))
    let decoy: [UInt8] = [0, 9, 0, 0, 0, 0, 2, 120]
    expectEqual(ruling(service, of: mark, decoy, mark, [1, 2], fields, [5]), short(258))
    expectEqual(ruling(service, of: mark, [0, 21], Array(fields.dropLast())), none)
    expectEqual(ruling(service, of: Array(repeating: 0, count: 17)), none)
    // Type, class and TTL at the end, with nothing behind them.
    expectEqual(ruling(service, of: Array(repeating: 7, count: 8), mark), none)
    expectEqual(ruling(service, of: flushMark, [0, 21], fields), none)
    expectEqual(ruling(nsec(Course.instance, [.txt])) { $0.bytes }, ["inconclusive a reply without SRV"])
  }

  // MARK: - Silence

  @Test("each probe that ought to meet silence says which silence an answer broke")
  func broken() {
    var course = Course()
    let probes: [ResponderProbe] = [
      .known, .escapes, .opcode, .responseCode, .responseQuestion, .learnt, .duplicate,
    ]
    for (number, probe) in probes.enumerated() {
      let start = Interval.seconds(4 * Int64(number))
      course.sign(at: start + .seconds(1))
      course.ask(probe, at: start + .seconds(3), expects: .silence)
      course.hear([Course.service], at: start + ms(3_050))
    }
    course.sign(at: .seconds(40))
    let found = (course.exam.report?.rulings ?? []).map {
      "\($0.probe) \($0.clause.clause.id) \($0.verdict.rawValue): \($0.expected), \($0.found)"
    }
    let late = "an answer after 0.05 s"
    expectEqual(
      found,
      [
        "known MD-24 violated: silence, since the answer was known, \(late)",
        "escapes MD-55 violated: silence to a name that it has not, \(late)",
        "opcode MD-51 violated: silence to opcode 2, \(late)",
        "response-code MD-51 violated: silence to response code 3, \(late)",
        "response-question MD-12 violated: silence to a question in a response, \(late)",
        "learnt MD-11 violated: silence about the record of another host, \(late)",
        "duplicate MD-28 violated: silence, since another host gave the answer, an answer each of 1 times",
      ])
  }

  @Test("silence is a breach where anything is answered that is asked at the end of the last question's time or later")
  func alive() {
    func ruling(_ sign: Interval) -> [String] {
      var course = Course()
      course.ask(.anyType, Course.instance, .any, at: .seconds(1))
      course.sign(at: .seconds(3))
      course.ask(.anyType, Course.instance, .any, at: .seconds(5))
      course.sign(at: sign)
      return course.rulings(.anyQuestion)
    }
    expectEqual(ruling(ms(5_700)), ["violated silence, asked 2 times"])
    expectEqual(ruling(ms(5_700) - .nanoseconds(1)), ["inconclusive the responder answered nothing any more"])
  }

  // MARK: - Whole rulings and rows

  @Test("a ruling has the time of the first answer, its texts, and up to eight messages that show it")
  func evidence() {
    func rulings(asked count: Int, answers: [DNSRecord]) -> [ProbeRuling] {
      var course = Course()
      for number in 0..<count { course.ask(.anyType, Course.instance, .any, at: .seconds(Int64(number) + 1)) }
      for number in answers.indices { course.hear([answers[number]], at: ms(1_010 + Int64(number))) }
      course.sign(at: .seconds(20))
      return course.exam.report?.rulings ?? []
    }
    func expected(
      _ verdict: ProbeVerdict, _ time: Interval, _ expected: String, _ found: String, _ evidence: [ProbeMessage]
    ) -> [ProbeRuling] {
      [
        ProbeRuling(
          clause: .anyQuestion, verdict: verdict, time: .zero + time, position: 0, expected: expected, found: found,
          probe: "any-type", evidence: evidence)
      ]
    }
    let question = DNSMessage(flags: .query, questions: [DNSQuestion(Course.instance, .any)]).bytes
    func sent(_ seconds: Int64) -> ProbeMessage {
      ProbeMessage(
        time: .zero + .seconds(seconds), isSent: true, peer: .mdns(.v4), port: 5_353, bytes: question)
    }
    func heard(_ milliseconds: Int64, _ record: DNSRecord) -> ProbeMessage {
      ProbeMessage(
        time: .zero + ms(milliseconds), isSent: false, peer: printer, port: 5_353,
        bytes: DNSMessage(flags: .response, answers: [record]).bytes)
    }
    let (service, text, what) = (Course.service, Course.text, "SRV and TXT for ANY")
    expectEqual(
      rulings(asked: 1, answers: [service, text]),
      expected(.held, ms(1_010), "", "", [sent(1), heard(1_010, service), heard(1_011, text)]))
    expectEqual(
      rulings(asked: 1, answers: Array(repeating: text, count: 5)),
      expected(
        .violated, ms(1_010), what, "TXT, TXT, TXT, TXT, TXT",
        [sent(1)] + (1_010...1_013).map { heard($0, text) }))
    expectEqual(
      rulings(asked: 10, answers: []),
      expected(.violated, ms(1_000), what, "silence, asked 10 times", (1...8).map { sent($0) }))
  }

  @Test("a row counts questions and answers, has the shortest and longest wait, and says why nothing was asked")
  func rows() throws {
    var course = Course()
    for (start, waits) in [(1_000, [30, 40]), (3_000, [10]), (5_000, [25])] as [(Int64, [Int64])] {
      course.ask(.anyType, Course.instance, .any, at: ms(start))
      for wait in waits { course.hear([Course.service, Course.text], at: ms(start + wait)) }
    }
    // Two rulings, of which the worse is the mark.
    course.ask(.service, Course.instance, .txt, at: .seconds(7))
    course.sign(at: .seconds(9), probe: .service)
    course.ask(.absence, Course.hostName, DNSType(rawValue: 29), at: .seconds(11))
    course.exam.asks[course.exam.asks.count - 1].wasRefused = true
    func row(_ probe: ResponderProbe) throws -> ResponderRow {
      try #require(course.exam.report?.rows.first { $0.probe == probe })
    }
    let none = "no service was found to ask for"
    expectEqual(
      try row(.anyType),
      ResponderRow(
        probe: .anyType, askedCount: 3, answerCount: 4, waits: ms(10)...ms(30), mark: .held, remark: nil))
    expectEqual(
      try row(.service),
      ResponderRow(probe: .service, askedCount: 2, answerCount: 1, waits: ms(1)...ms(1), mark: .violated, remark: nil))
    func unasked(_ probe: ResponderProbe, _ remark: String) -> ResponderRow {
      ResponderRow(probe: probe, askedCount: 0, answerCount: 0, waits: nil, mark: .notObservable, remark: remark)
    }
    expectEqual(try row(.absence), unasked(.absence, "not asked"))
    expectEqual(try row(.rate), unasked(.rate, none))
    expectEqual(try row(.legacy), unasked(.legacy, "no name of the host was found to ask for"))
    // A name that cannot be joined says so.
    let long = Course.type.adding(String(repeating: "x", count: 60))!
    var subject = ResponderSubject(address: Course.printer, at: .zero)
    subject.learn(DNSRecord(Course.type, .ptr(long), ttlSeconds: 9))
    course.exam.subjects = [subject]
    expectEqual(
      try row(.escapes), unasked(.escapes, "the name of the service is too long to be asked for so"))
    course.exam.wasStopped = true
    expectEqual(try row(.rate), unasked(.rate, "not asked"))
  }
}
