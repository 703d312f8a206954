import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import RollcallTrace
import RollcallWire
import Testing

@testable import RollcallExaminers

@Suite("Messages and probes of an examination of a responder")
struct ResponderStepTests {
  private typealias Step = ResponderExam.Step

  private let own = IPAddress(10, 0, 0, 1)
  private let printer = IPAddress(10, 0, 0, 2)
  /// Beside its letters are the bytes before and behind them.
  private let type = DNSName(labels: ["_az-9", "_tcp", "`{"])!
  private let host = DNSName("printer.local")!
  private var instance: DNSName { type.adding("Office")! }

  private func pointer(_ label: String, ttl: UInt32) -> DNSRecord {
    DNSRecord(type, .ptr(type.adding(label)!), ttlSeconds: ttl)
  }
  private func service(_ label: String) -> DNSRecord {
    DNSRecord(type.adding(label)!, .srv(priority: 0, weight: 0, port: 631, target: host), ttlSeconds: 120)
  }
  private func text(_ label: String) -> DNSRecord { DNSRecord(type.adding(label)!, .txt([0]), ttlSeconds: 4_500) }
  private func address(_ address: IPAddress) -> DNSRecord { DNSRecord(host, .address(address), ttlSeconds: 120) }

  private func subject(_ records: [DNSRecord]) -> ResponderSubject {
    var subject = ResponderSubject(address: printer, at: .zero)
    for record in records { subject.learn(record) }
    return subject
  }
  /// What is sent to a printer that said these records.
  private func steps(_ records: [DNSRecord], hasHome: Bool = true) -> [Step] {
    var exam = ResponderExam(ResponderExamPlan())
    if hasHome { exam.home = (own, InterfaceID(0)) }
    return exam.plannedSteps(subject(records))
  }

  private func query(_ questions: [DNSQuestion], answers: [DNSRecord] = []) -> DNSMessage {
    DNSMessage(flags: .query, questions: questions, answers: answers)
  }
  private func asks(_ probe: ResponderProbe?, _ questions: DNSQuestion...) -> Step {
    Step(probe: probe, message: query(questions))
  }
  /// A message that ought to meet silence, and a question behind it that ought not.
  private func silent(_ probe: ResponderProbe, _ message: DNSMessage) -> [Step] {
    [
      Step(probe: probe, message: message, expects: .silence, tries: 1),
      asks(probe, DNSQuestion(instance, .srv)),
    ]
  }
  private func flags(_ change: (inout DNSFlags) -> Void) -> DNSFlags {
    var flags = DNSFlags.query
    change(&flags)
    return flags
  }

  // MARK: - Steps

  @Test("each probe of a printer has its messages, with their windows, tries and gaps, and eight tries end it all")
  func everything() {
    let other = DNSRecord(
      DNSName("_x._tcp.local")!, .ptr(DNSName("C._x._tcp.local")!), ttlSeconds: 4_500)
    let (office, second) = (pointer("Office", ttl: 4_500), pointer("B", ttl: 2))
    let found = steps([office, second, other, service("Office"), text("Office"), address(printer)])
    let all = asked() + known(office, second) + odd() + unasked(office, second)
    expectEqual(found.count, all.count)
    for (step, expected) in zip(found, all) {
      expectEqual(step, expected, "\(expected.probe?.rawValue ?? "sign")")
    }
    // Names are the same in other letters.
    let capital = found.first { $0.probe == .letterCase }?.message.questions.first?.name
    expectEqual(capital?.labels.map { String(decoding: $0, as: UTF8.self) }, ["_AZ-9", "_TCP", "`{"])
  }

  /// Questions that ought to be answered.
  private func asked() -> [Step] {
    let (txt, srv, ptr) = (DNSQuestion(instance, .txt), DNSQuestion(instance, .srv), DNSQuestion(type, .ptr))
    let a = DNSQuestion(host, .a)
    var direct = asks(.direct, srv)
    direct.isDirect = true
    var (legacy, legacyService) = (asks(.legacy, a), asks(.legacyService, srv))
    (legacy.isLegacy, legacy.message.id) = (true, 0x5243)
    (legacyService.isLegacy, legacyService.message.id) = (true, 0x5243)
    var steps = [asks(.types, DNSQuestion(ServiceType.enumerationName, .ptr))]
    steps += Array(repeating: asks(.browse, ptr), count: 4)
    steps += [asks(.service, txt)] + Array(repeating: asks(.service, srv), count: 3)
    steps += [asks(.anyType, DNSQuestion(instance, .any)), asks(.questions, txt, a)]
    steps += [asks(.absence, DNSQuestion(host, DNSType(rawValue: 29))), asks(.families, a)]
    steps += [asks(.unicastWish, srv), asks(.unicastWish, DNSQuestion(instance, .srv, wantsUnicast: true))]
    steps += [asks(.direct, srv), direct, legacy, legacyService]
    return steps
  }

  /// What is known already, wholly or by half, and what is asked with TC, in capital letters and for another name.
  private func known(_ office: DNSRecord, _ second: DNSRecord) -> [Step] {
    let ptr = DNSQuestion(type, .ptr)
    var (oldOffice, oldSecond) = (office, second)
    (oldOffice.ttlSeconds, oldSecond.ttlSeconds) = (2_249, 1)
    let truncated = DNSMessage(flags: flags { $0.isTruncated = true }, questions: [ptr])
    let joined = DNSName(labels: ["Office._az-9", "_tcp", "`{"])!
    var steps = silent(.known, query([ptr], answers: [office, second]))
    steps.append(Step(probe: .knownOld, message: query([ptr], answers: [oldOffice, oldSecond])))
    steps.append(Step(probe: .truncated, message: truncated, window: .milliseconds(1_000)))
    steps.append(asks(.letterCase, ptr))
    steps += silent(.escapes, query([DNSQuestion(joined, .srv)]))
    return steps
  }

  /// Questions that follow at once, and messages in bad form.
  private func odd() -> [Step] {
    let (srv, a) = (DNSQuestion(instance, .srv), DNSQuestion(host, .a))
    let first = Step(probe: .rate, message: query([srv]), tries: 1)
    let again = Step(
      probe: .rate, message: query([srv]), expects: .nothing, tries: 1, spacing: .milliseconds(300))
    return [first, again, first, again]
      + silent(.opcode, DNSMessage(flags: flags { $0.opcode = 2 }, questions: [a]))
      + silent(.responseCode, DNSMessage(flags: flags { $0.responseCode = 3 }, questions: [a]))
      + silent(.responseQuestion, DNSMessage(flags: .response, questions: [a]))
  }

  /// What is said in place of asking, and the sign of life at the end.
  private func unasked(_ office: DNSRecord, _ second: DNSRecord) -> [Step] {
    let name = DNSName("rollcall-examiner.local")!
    var announced = DNSRecord(name, .address(own), ttlSeconds: 120, isCacheFlush: true)
    let announcement = DNSMessage(flags: .response, answers: [announced])
    announced.ttlSeconds = 0
    let goodbye = DNSMessage(flags: .response, answers: [announced])
    let (ptr, srv) = (DNSQuestion(type, .ptr), DNSQuestion(instance, .srv))
    let first = Step(probe: .duplicate, message: query([ptr]), expects: .nothing, tries: 1)
    let given = Step(
      probe: .duplicate, message: DNSMessage(flags: .response, answers: [office, second]), expects: .silence, tries: 1,
      spacing: .milliseconds(5))
    var low = office
    low.ttlSeconds = 1_500
    var steps = [
      Step(probe: .learnt, message: announcement, expects: .nothing, window: .milliseconds(300), tries: 1)
    ]
    steps += silent(.learnt, query([DNSQuestion(name, .a)]))
    steps.append(Step(probe: .learnt, message: goodbye, expects: .nothing, window: .milliseconds(50), tries: 1))
    steps += [first, given, first, given, first, given, asks(.duplicate, srv)]
    steps.append(
      Step(
        probe: .lowTTL, message: DNSMessage(flags: .response, answers: [low]), window: .milliseconds(1_500), tries: 2))
    steps.append(Step(message: query([srv]), tries: 8))
    return steps
  }

  @Test("a responder without SRV is asked for its list and service alone, one without a service for its host")
  func partial() {
    let onHost: [ResponderProbe?] = [
      .absence, .families, .legacy, .opcode, .opcode, .responseCode, .responseCode, .responseQuestion,
      .responseQuestion, .learnt, .learnt, .learnt, .learnt,
    ]
    let listed: [ResponderProbe?] = [.types, .service, .service, .service, .service]
    let bare = steps([pointer("Office", ttl: 9), address(printer)])
    expectEqual(bare.map(\.probe), listed + onHost + [nil])
    expectEqual(bare.last, Step(message: query([DNSQuestion(instance, .srv)]), tries: 8))
    let alone = steps([address(printer)])
    expectEqual(alone.map(\.probe), onHost + [nil])
    expectEqual(alone.last, Step(message: query([DNSQuestion(host, .a)]), tries: 8))
    expectEqual(steps([]), [])
    // Without an address of its own the examiner announces none.
    expectEqual(steps([address(printer)], hasHome: false).map(\.probe), Array(onHost.dropLast(4)) + [nil])
    // A host that said its other address is asked for that.
    let wide = IPAddress(v6High: 0xFE80 << 48, low: 2)
    let asked = steps([pointer("Office", ttl: 9), service("Office"), address(wide)])
    expectEqual(
      asked.first { $0.probe == .questions },
      asks(.questions, DNSQuestion(instance, .txt), DNSQuestion(host, .aaaa)))
    expectEqual(asked.first { $0.probe == .families }, asks(.families, DNSQuestion(host, .aaaa)))
  }

  @Test("a list whose records live a second is given back with a TTL of a second, and a long name is not joined")
  func shortest() {
    let label = String(repeating: "x", count: 60)
    let found = steps([pointer(label, ttl: 1), service(label)])
    let needed = ResponderProbe.allCases.filter { $0.needsService && $0 != .escapes }
    var probes: [ResponderProbe] = []
    for probe in found.compactMap(\.probe) where probes.last != probe { probes.append(probe) }
    expectEqual(probes, needed)
    let own = pointer(label, ttl: 1)
    for probe in [ResponderProbe.known, .knownOld, .lowTTL] {
      expectEqual(found.first { $0.probe == probe }?.message.answers, [own], "\(probe)")
    }
    expectEqual(
      found.first { $0.probe == .questions }?.message.questions,
      [DNSQuestion(own.pointed, .txt), DNSQuestion(host, .a)])
    for (ttl, old) in [(3, 1), (4, 1), (5, 1), (6, 2), (7, 2), (8, 3)] as [(UInt32, UInt32)] {
      let halved = steps([pointer("Office", ttl: ttl), service("Office")]).first { $0.probe == .knownOld }
      expectEqual(halved?.message.answers.map(\.ttlSeconds), [old], "\(ttl)")
    }
  }

  @Test("before anything is probed the service is asked for, or the host's address in the family of the plan")
  func learning() {
    func learning(_ records: [DNSRecord], _ family: IPAddress.Family = .v4) -> [Step] {
      ResponderExam(ResponderExamPlan(family: family)).learningSteps(subject(records))
    }
    let (srv, txt) = (asks(nil, DNSQuestion(instance, .srv)), asks(nil, DNSQuestion(instance, .txt)))
    expectEqual(learning([]), [])
    expectEqual(learning([pointer("Office", ttl: 9)]), [srv, txt])
    let whole = [pointer("Office", ttl: 9), service("Office")]
    expectEqual(learning(whole), [srv, txt])
    expectEqual(learning([address(printer)]), [asks(nil, DNSQuestion(host, .a))])
    expectEqual(learning([address(printer)], .v6), [asks(nil, DNSQuestion(host, .aaaa))])
  }

  // MARK: - Probes

  private struct Row {
    var probe: ResponderProbe
    var clauses: [ClauseID]
    var packets = 3
    var needsService = true
  }
  private let rows: [Row] = [
    Row(probe: .types, clauses: [.enumeration]),
    Row(probe: .browse, clauses: [.sharedDelay, .additionalRecords], packets: 12),
    Row(probe: .service, clauses: [.serviceRecords, .promptAnswer], packets: 12),
    Row(probe: .anyType, clauses: [.anyQuestion]), Row(probe: .questions, clauses: [.allQuestions]),
    Row(probe: .absence, clauses: [.negativeAnswers], needsService: false),
    Row(probe: .families, clauses: [.otherFamily], needsService: false),
    Row(probe: .unicastWish, clauses: [.unicastAnswer, .topBit], packets: 6),
    Row(probe: .direct, clauses: [.directQuery], packets: 6),
    Row(probe: .legacy, clauses: [.legacyReply], needsService: false),
    Row(probe: .legacyService, clauses: [.compression]),
    Row(probe: .known, clauses: [.knownAnswers], packets: 5), Row(probe: .knownOld, clauses: [.knownAnswers]),
    Row(probe: .truncated, clauses: [.truncatedWait]), Row(probe: .letterCase, clauses: [.nameBytes]),
    Row(probe: .escapes, clauses: [.escapes], packets: 5), Row(probe: .rate, clauses: [.oncePerSecond], packets: 6),
    Row(probe: .opcode, clauses: [.headerBits], packets: 5, needsService: false),
    Row(probe: .responseCode, clauses: [.headerBits], packets: 5, needsService: false),
    Row(probe: .responseQuestion, clauses: [.noQuestions], packets: 5, needsService: false),
    Row(probe: .learnt, clauses: [.noLearntRecords], packets: 7, needsService: false),
    Row(probe: .duplicate, clauses: [.duplicateAnswer], packets: 9), Row(probe: .lowTTL, clauses: [.lowTTLOfOthers]),
  ]

  @Test("each probe has its clauses and its most datagrams, and 57 more find the responder, two seconds each")
  func probes() {
    expectEqual(rows.map(\.probe), ResponderProbe.allCases)
    for row in rows {
      expectEqual(row.probe.clauses, row.clauses, "\(row.probe)")
      expectEqual(row.probe.packetsMaximum, row.packets, "\(row.probe)")
      expectEqual(row.probe.needsService, row.needsService, "\(row.probe)")
    }
    var clauses: [ClauseID] = []
    for clause in rows.flatMap(\.clauses) where !clauses.contains(clause) { clauses.append(clause) }
    expectEqual(ResponderProbe.allClauses, clauses)
    let plan = ResponderExamPlan(patience: .seconds(7))
    expectEqual(plan.packetsMaximum, 173)
    expectEqual(plan.durationMaximum, .seconds(353))
    expectEqual(ResponderExamPlan(probes: [.rate, .types]).packetsMaximum, 66)
  }

  // MARK: - Places in a record

  @Test("a message has the place of the first entry with its time, its ends and its first bytes, or none")
  func positions() {
    let (group, port) = (Endpoint.mdns(.v4), Endpoint.mdnsPort)
    let (peer, other) = (Endpoint(printer, port: port), Endpoint(IPAddress(10, 0, 0, 3), port: port))
    func datagram(_ source: Endpoint, _ destination: Endpoint, _ bytes: [UInt8]) -> RecordedDatagram {
      RecordedDatagram(
        source: source, destination: destination, interface: InterfaceID(0), hopLimit: 255, bytes: bytes)
    }
    func sent(_ destination: Endpoint, port: UInt16 = 5_353, _ bytes: [UInt8] = [1, 2, 3]) -> TraceEntry.Content {
      .sent(datagram(Endpoint(own, port: port), destination, bytes))
    }
    func heard(_ source: Endpoint, _ bytes: [UInt8] = [1, 2, 3]) -> TraceEntry.Content {
      .received(datagram(source, group, bytes))
    }
    let contents: [TraceEntry.Content] = [
      .woken, sent(peer), sent(group, port: 40_000), sent(group, [9]), sent(group, [1, 2, 3, 4]), sent(group),
      heard(other), heard(peer, [9]), heard(peer, [1, 2, 3, 4]), heard(peer),
    ]
    let time = Instant.zero + .seconds(5)
    let early = [sent(group), heard(peer)].map { TraceEntry(time: .zero, station: 0, content: $0) }
    let entries = early + contents.map { TraceEntry(time: time, station: 0, content: $0) }
    func position(
      isSent: Bool, _ peer: Endpoint, port: UInt16 = 5_353, late: Interval = .zero, _ numbers: [Int]? = nil
    ) -> Int {
      let message = ProbeMessage(time: time + late, isSent: isSent, peer: peer, port: port, bytes: [1, 2, 3])
      return message.position(in: entries, numbers)
    }
    expectEqual(position(isSent: true, group), 7)
    expectEqual(position(isSent: true, group, port: 40_000), 5)
    expectEqual(position(isSent: true, peer), 4)
    expectEqual(position(isSent: false, peer), 11)
    expectEqual(position(isSent: false, other), 9)
    // None is so.
    expectEqual(position(isSent: true, peer, port: 40_000), 0)
    expectEqual(position(isSent: false, group), 0)
    expectEqual(position(isSent: true, group, late: .nanoseconds(1)), 0)
    let numbers = entries.indices.map { 3 * $0 + 100 }
    expectEqual(position(isSent: true, group, numbers), 118)
    expectEqual(position(isSent: false, group, numbers), 0)
  }
}

extension DNSRecord {
  /// The name that a PTR record points to.
  fileprivate var pointed: DNSName { if case .ptr(let target) = data { target } else { .root } }
}
