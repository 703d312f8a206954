import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import RollcallTrace
import RollcallWire
import Testing

@testable import RollcallExaminers

@Suite("The judgement of a responder that was examined")
struct ResponderJudgementTests {
  private typealias Course = ExamCourse

  /// A printer that answers ANY with SRV alone, and another host beside it.
  private func course() -> Course {
    var course = Course()
    course.ask(.anyType, Course.instance, .any, at: .seconds(1))
    course.hear([Course.service], at: .milliseconds(1_050))
    course.sign(at: .seconds(5))
    return course
  }

  private func entry(
    _ time: Instant, from source: Endpoint, to destination: Endpoint, _ bytes: [UInt8], isSent: Bool = false,
    interface: UInt16 = 0, hopLimit: UInt8 = 255
  ) -> TraceEntry {
    let datagram = RecordedDatagram(
      source: source, destination: destination, interface: InterfaceID(interface),
      hopLimit: isSent ? 255 : hopLimit, bytes: bytes)
    return TraceEntry(time: time, station: 0, content: isSent ? .sent(datagram) : .received(datagram))
  }

  /// Its record: a question and the answer to it, a query of the printer and a response of another host in bad form,
  /// and a sign of life.
  private func entries(_ course: Course, hopLimit: UInt8) -> [TraceEntry] {
    var flags = DNSFlags.query
    flags.isAuthoritative = true
    let query = DNSMessage(flags: flags, questions: [DNSQuestion(Course.hostName, .a)]).bytes
    let odd = DNSMessage(id: 1, flags: .response, answers: [Course.pointer]).bytes
    let sent = course.exam.asks.map { entry($0.time, from: $0.source, to: $0.destination, $0.bytes, isSent: true) }
    let heard = course.exam.heard.map {
      entry($0.time, from: $0.source, to: $0.destination, $0.bytes, hopLimit: hopLimit)
    }
    let other = Endpoint(IPAddress(10, 0, 0, 9), port: 5_353)
    let between = [
      entry(
        .zero + .seconds(2), from: Endpoint(Course.printer, port: 5_353), to: .mdns(.v4), query, hopLimit: hopLimit),
      entry(.zero + .seconds(3), from: other, to: .mdns(.v4), odd, hopLimit: hopLimit),
    ]
    return [sent[0], heard[0]] + between + [sent[1], heard[1]]
  }

  private func judgement(
    hopLimit: UInt8, numbers: [Int]? = nil, wanted: (Clause) -> Bool = { _ in true }
  ) throws -> Judgement {
    let course = course()
    let report = try #require(course.exam.report)
    return ResponderJudgement.judgement(
      of: course.exam, report, trace: entries(course, hopLimit: hopLimit), numbers: numbers, wanted: wanted)
  }

  private func rows(_ judgement: Judgement) -> [String] {
    judgement.rows.map { "\($0.clause.id) \($0.finding.ruling) at \($0.finding.position): \($0.finding.found)" }
  }

  @Test("messages and answers of a responder are judged together, with the place of the first message that was heard")
  func together() throws {
    let whole = try judgement(hopLimit: 255)
    expectEqual(rows(whole), ["MD-21 violated at 2: SRV"])
    expectEqual(whole.parties.map(\.address), [.ip(Course.printer)])
    expectEqual(whole.parties.map(\.role), [.device])
    let total = whole.total(.headerBits)
    expectEqual([total.held, total.violated], [2, 0])
    let numbered = try judgement(hopLimit: 255, numbers: [11, 13, 15, 17, 19, 21])
    expectEqual(rows(numbered), ["MD-21 violated at 13: SRV"])
    // Of a silence it is the first question.
    var silent = Course()
    for second in [1, 3] as [Int64] { silent.ask(.anyType, Course.instance, .any, at: .seconds(second)) }
    silent.sign(at: .seconds(5))
    let report = try #require(silent.exam.report)
    let asked = silent.exam.asks.map { entry($0.time, from: $0.source, to: $0.destination, $0.bytes, isSent: true) }
    let heard = silent.exam.heard.map { entry($0.time, from: $0.source, to: $0.destination, $0.bytes) }
    let judged = ResponderJudgement.judgement(of: silent.exam, report, trace: asked + heard)
    expectEqual(rows(judged), ["MD-21 violated at 1: silence, asked 2 times"])
  }

  @Test("one announcement after probes is open more than 3 s later, by the record or by the end of the examination")
  func announced() throws {
    let printer = Endpoint(Course.printer, port: 5_353)
    let own = Endpoint(Course.own, port: 5_353)
    let probe = DNSMessage(
      flags: .query, questions: [DNSQuestion(Course.hostName, .any, wantsUnicast: true)],
      authorities: [Course.address]
    ).bytes
    let announcement = DNSMessage(flags: .response, answers: [Course.address]).bytes
    let end = Instant.zero + .seconds(5)
    let late = end + .nanoseconds(1)
    func total(_ ended: Instant, lastSent: Instant? = nil, interface: UInt16 = 0) throws -> [Int] {
      var course = Course()
      course.exam.ended = ended
      var entries = [
        entry(.zero + .seconds(1), from: printer, to: .mdns(.v4), probe),
        entry(.zero + .seconds(2), from: printer, to: .mdns(.v4), announcement, interface: interface),
      ]
      if let lastSent { entries.append(entry(lastSent, from: own, to: .mdns(.v4), [], isSent: true)) }
      let report = try #require(course.exam.report)
      let judgement = ResponderJudgement.judgement(of: course.exam, report, trace: entries)
      let total = judgement.total(.announcements)
      return [total.held, total.violated, total.inconclusive]
    }
    expectEqual(try total(end), [0, 0, 0])
    expectEqual(try total(late), [0, 0, 1])
    expectEqual(try total(.zero, lastSent: end), [0, 0, 0])
    expectEqual(try total(.zero, lastSent: late), [0, 0, 1])
    // On another interface it is announced without probes.
    expectEqual(try total(late, interface: 1), [0, 0, 0])
  }

  @Test("hop limits are judged where the record tells any, and clauses that are not wanted are not judged at all")
  func wanted() throws {
    expectEqual(
      rows(try judgement(hopLimit: 254)), ["MD-02 violated at 2: 254", "MD-21 violated at 2: SRV"])
    expectEqual(rows(try judgement(hopLimit: 1)), ["MD-02 violated at 2: 1", "MD-21 violated at 2: SRV"])
    let numbered = try judgement(hopLimit: 254, numbers: [11, 13, 15, 17, 19, 21])
    expectEqual(rows(numbered), ["MD-02 violated at 13: 254", "MD-21 violated at 13: SRV"])
    expectEqual(numbered.rows.first?.finding.time, Instant.zero + .milliseconds(1_050))
    let blind = try judgement(hopLimit: 0)
    expectEqual(rows(blind), ["MD-21 violated at 2: SRV"])
    #expect(!blind.judged.contains(.multicastHopLimit))
    let part = try judgement(hopLimit: 254) { $0.number != .anyQuestion && $0.number != .multicastHopLimit }
    expectEqual(rows(part), [])
    #expect(!part.judged.contains(.anyQuestion) && !part.judged.contains(.multicastHopLimit))
    #expect(part.judged.contains(.headerBits))
    // What binds queriers alone is not judged.
    #expect(part.judged.allSatisfy { $0.clause.binds != .controlPoint })
  }
}
