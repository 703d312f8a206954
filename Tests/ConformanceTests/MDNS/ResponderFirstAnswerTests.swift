import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallExaminers

@Suite("The first of several questions and answers in an examination of a responder")
struct ResponderFirstAnswerTests {
  private typealias Course = ExamCourse

  private func ms(_ milliseconds: Int64) -> Interval { .milliseconds(milliseconds) }
  private func also(_ name: DNSName, _ type: DNSType, in course: inout Course) {
    course.exam.asks[course.exam.asks.count - 1].message.questions.append(DNSQuestion(name, type))
  }

  @Test("the first question of the first message says which answer ought to come")
  func questions() throws {
    let host = Course.hostName
    var course = Course()
    course.ask(.families, host, .a, at: .seconds(1))
    also(host, .txt, in: &course)
    course.ask(.families, host, .aaaa, at: .seconds(3))
    course.ask(.questions, Course.instance, .txt, at: .seconds(5))
    course.ask(.questions, Course.instance, .srv, at: .seconds(7))
    course.hear([Course.service], at: ms(7_050))
    course.ask(.service, at: .seconds(9))
    also(Course.instance, .txt, in: &course)
    course.hear([Course.service], at: ms(9_050))
    let rulings = try #require(course.exam.report).rulings
    let family = rulings.filter { $0.clause == .otherFamily }
    expectEqual(family.map(\.expected), ["AAAA or NSEC with A"])
    expectEqual(family.map(\.found), ["silence, asked 2 times"])
    expectEqual(course.rulings(.allQuestions), ["violated nothing to TXT Office._ipp._tcp.local"])
    expectEqual(course.rulings(.serviceRecords), ["held"])
  }

  @Test("of several replies to a plain DNS client the first is judged, by the first question")
  func replies() {
    let host = Course.hostName
    let (first, second) = (Endpoint(Course.own, port: 50_000), Endpoint(Course.own, port: 50_001))
    var course = Course()
    course.ask(.legacy, host, .a, at: .seconds(1), port: 50_000)
    also(host, .txt, in: &course)
    course.ask(.legacy, host, .aaaa, at: .seconds(3), port: 50_000)
    course.hear([Course.address], at: ms(1_050), to: first) { reply in
      reply.id = ResponderExam.legacyID
      reply.questions = [DNSQuestion(host, .a), DNSQuestion(host, .txt)]
    }
    course.hear([Course.address], at: ms(1_060), to: first) { $0.id = 1 }
    course.ask(.legacyService, at: .seconds(5), port: 50_001)
    course.hear([Course.service], at: ms(5_050), to: second)
    let whole = course.exam.heard[2].message.written(compression: .legacy).bytes
    course.exam.heard[2].bytes = whole
    let denied = DNSData.nsec(next: Course.instance, types: [.txt])
    course.hear([DNSRecord(Course.instance, denied, ttlSeconds: 9)], at: ms(5_060), to: second)
    course.sign(at: .seconds(9))
    expectEqual(course.rulings(.legacyReply), ["held"])
    expectEqual(course.rulings(.compression), ["held"])
  }

  @Test("a wait that is right is shown with the first answer")
  func waits() throws {
    var course = Course()
    for second in [1, 5] as [Int64] {
      course.ask(.browse, Course.type, .ptr, at: .seconds(second))
      course.hear([Course.pointer, Course.service, Course.text, Course.address], at: .seconds(second) + ms(60))
      course.ask(.service, at: .seconds(second + 2))
      course.hear([Course.service], at: .seconds(second + 2) + ms(10))
    }
    let rulings = try #require(course.exam.report).rulings
    func times(_ clause: ClauseID) -> [Instant] { rulings.filter { $0.clause == clause }.map(\.time) }
    expectEqual(course.rulings(.sharedDelay), ["held"])
    expectEqual(times(.sharedDelay), [Instant.zero + ms(1_060)])
    expectEqual(course.rulings(.promptAnswer), ["held"])
    expectEqual(times(.promptAnswer), [Instant.zero + ms(3_010)])
  }
}
