import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallExaminers

@Suite("The course of examining a responder")
struct ResponderCourseTests {
  private static let printer = IPAddress(10, 0, 0, 2)

  /// An examiner that is told of its interface at zero.
  private struct Rig {
    var exam: ResponderExam
    var outbox = Outbox(payloads: PayloadStore())

    init(_ plan: ResponderExamPlan, nextPort: UInt16 = 50_000) {
      exam = ResponderExam(plan)
      exam.nextPort = nextPort
      let address = InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 24)
      let change = InterfaceChange(interface: InterfaceID(0), isUp: true, addresses: [address])
      exam.receive(SignalValue.interface(change), at: .zero, into: &outbox)
    }

    mutating func run(until end: Interval) {
      while let deadline = exam.deadline, deadline <= .zero + end {
        exam.wake(at: deadline, into: &outbox)
        outbox.removeAll()
      }
    }

    mutating func hear(
      _ records: [DNSRecord], at time: Interval, from source: IPAddress = ResponderCourseTests.printer,
      flags: DNSFlags = .response
    ) {
      run(until: time)
      let payload = outbox.payloads.store(DNSMessage(flags: flags, answers: records).bytes)
      let datagram = Datagram(
        source: Endpoint(source, port: 5_353), destination: .mdns(.v4),
        interface: InterfaceID(0), hopLimit: 255, payload: payload)
      exam.receive(.datagram(datagram), at: .zero + time, into: &outbox)
      outbox.payloads.release(payload)
    }

    var askedMilliseconds: [Int64] { exam.asks.map { $0.time.nanoseconds / 1_000_000 } }
    var endedMilliseconds: Int64 { exam.ended.nanoseconds / 1_000_000 }
  }

  private func name(_ text: String) -> DNSName { DNSName(text)! }

  private func address(_ host: String, _ address: IPAddress) -> DNSRecord {
    DNSRecord(name(host), .address(address), ttlSeconds: 120)
  }

  private func pointer(_ instance: String, ttl: UInt32 = 4_500) -> DNSRecord {
    DNSRecord(name("_ipp._tcp.local"), .ptr(name("\(instance)._ipp._tcp.local")), ttlSeconds: ttl)
  }

  private func service(_ instance: String, _ host: String) -> DNSRecord {
    let data = DNSData.srv(priority: 0, weight: 0, port: 631, target: name(host))
    return DNSRecord(name("\(instance)._ipp._tcp.local"), data, ttlSeconds: 120)
  }

  // MARK: - Questions and their times

  @Test("who falls silent is asked three times, and eight times for a sign of life, 1.1 s apart; ports go round")
  func silent() throws {
    var rig = Rig(ResponderExamPlan(probes: [.legacy]), nextPort: 65_000)
    rig.hear([address("printer.local", Self.printer)], at: .milliseconds(150))
    // A sign of life is asked for in the name of the probe before it.
    let currents = ([4, 5, 8, 60] as [Int64]).map { seconds -> ResponderProbe? in
      rig.run(until: .seconds(seconds))
      return rig.exam.current
    }
    expectEqual(currents, [nil, .legacy, .legacy, nil])
    // Who is there; its address; what is probed; whether it still is.
    let probed: [Int64] = [4_550, 5_650, 6_750]
    let signs = (0..<8).map { 7_850 + 1_100 * Int64($0) }
    expectEqual(rig.askedMilliseconds, [100, 1_250, 2_350, 3_450] + probed + signs)
    expectEqual(rig.endedMilliseconds, 16_250)
    expectEqual(rig.exam.asks.filter { $0.probe == .legacy }.map(\.source.port), [65_000, 49_200, 49_201])
    #expect(rig.exam.asks.filter { $0.probe == nil }.allSatisfy { $0.source.port == 5_353 })
    let report = try #require(rig.exam.report)
    expectEqual(report.presence, .silent(since: .zero, after: nil))
    expectEqual(report.rows.map(\.mark), [.inconclusive])
    expectEqual(report.rows.map(\.askedCount), [3])
    expectEqual(report.packetCount, 15)
    expectEqual(report.duration, .milliseconds(16_250))
  }

  @Test("nobody is waited for as long as patience lasts, with forty questions at most")
  func patience() {
    for (milliseconds, asked, ended) in [(900, [100], 900), (901, [100, 1_400], 2_200)] as [(Int64, [Int64], Int64)] {
      var rig = Rig(ResponderExamPlan(patience: .milliseconds(milliseconds)))
      rig.run(until: .seconds(60))
      expectEqual(rig.exam.outcome, .nobody)
      expectEqual(rig.askedMilliseconds, asked)
      expectEqual(rig.endedMilliseconds, ended)
    }
    var patient = Rig(ResponderExamPlan(patience: .seconds(1_000)))
    patient.run(until: .seconds(2_000))
    expectEqual(patient.exam.outcome, .nobody)
    expectEqual(patient.askedMilliseconds, (0..<40).map { 100 + 1_300 * Int64($0) })
    // A type that is listed behind the fortieth question is not asked for.
    var late = Rig(ResponderExamPlan(probes: [], patience: .seconds(1_000)))
    let listed = DNSRecord(ServiceType.enumerationName, .ptr(name("_ipp._tcp.local")), ttlSeconds: 4_500)
    late.hear([listed], at: .milliseconds(50_900))
    late.run(until: .seconds(2_000))
    expectEqual(late.exam.outcome, .examined)
    expectEqual(late.askedMilliseconds, patient.askedMilliseconds)
  }

  @Test("24 types that are listed are asked for, each once, and the last has 800 ms as well")
  func types() {
    var rig = Rig(ResponderExamPlan(probes: []))
    let types = (0..<30).map { name("_t\($0)._tcp.local") }
    let listed = types.map { DNSRecord(ServiceType.enumerationName, .ptr($0), ttlSeconds: 4_500) }
    for time in [150, 200] as [Int64] { rig.hear(listed, at: .milliseconds(time)) }
    rig.run(until: .seconds(60))
    expectEqual(rig.exam.outcome, .examined)
    expectEqual(rig.exam.asks.dropFirst().map { $0.questions[0].name }, Array(types.prefix(24)))
    let asked = (0..<24).map { 1_300 + 1_100 * Int64($0) }
    expectEqual(rig.askedMilliseconds, [100] + asked)
    expectEqual(rig.endedMilliseconds, 27_400)
  }

  @Test("an examination that is stopped ends at once, without the question whose answers it still waited for")
  func stopped() {
    var rig = Rig(ResponderExamPlan(probes: [.legacy]))
    rig.hear([address("printer.local", Self.printer)], at: .milliseconds(150))
    rig.run(until: .milliseconds(1_250))
    expectEqual(rig.askedMilliseconds, [100, 1_250])
    rig.exam.receive(SignalValue.command(.stop), at: .zero + .milliseconds(1_300), into: &rig.outbox)
    expectEqual(rig.askedMilliseconds, [100])
    expectEqual(rig.endedMilliseconds, 1_300)
    expectEqual(rig.exam.outcome, .examined)
    expectEqual(rig.exam.deadline, nil)
    #expect(rig.exam.wasStopped)
  }

  @Test("a signal for an examiner sends a question that is due then, and any other signal does not")
  func dueAtSignal() {
    var rig = Rig(ResponderExamPlan())
    let due = Instant.zero + .milliseconds(100)
    rig.exam.receive(SignalValue.command(.stopDescriptions), at: due, into: &rig.outbox)
    expectEqual(rig.askedMilliseconds, [])
    // Nobody is examined yet, so nothing is stopped.
    rig.exam.receive(SignalValue.command(.stop), at: due, into: &rig.outbox)
    expectEqual(rig.askedMilliseconds, [100])
  }

  @Test("the first port of a plain DNS client is drawn from 14000 by the seed of the plan, from 49200 on")
  func ports() {
    for seed in 1...20 as ClosedRange<UInt64> {
      var dice = Seed(seed).stream("exam/ports")
      let expected = 49_200 + UInt16(dice.below(14_000))
      expectEqual(ResponderExam(ResponderExamPlan(seed: Seed(seed))).nextPort, expected, "\(seed)")
    }
  }

  // MARK: - Its own interface, and what comes there

  private func change(_ addresses: [IPAddress], isUp: Bool = true) -> SignalValue {
    let addresses = addresses.map { InterfaceAddress($0, prefixBits: 24) }
    return .interface(InterfaceChange(interface: InterfaceID(3), isUp: isUp, addresses: addresses))
  }

  @Test("an interface is waited for five seconds, and datagrams have its address of the family, link-local in IPv6")
  func beginning() {
    let (own, other) = (IPAddress(10, 0, 0, 1), IPAddress(169, 254, 1, 1))
    let (wide, local) = (
      IPAddress(v6High: 0x2001_0DB8 << 32, low: 1), IPAddress(v6High: 0xFE80 << 48, low: 1)
    )
    let type = name("_ipp._tcp.local")
    var exam = ResponderExam(ResponderExamPlan(target: "p.local", type: type, family: .v6))
    var outbox = Outbox(payloads: PayloadStore())
    exam.receive(change([wide], isUp: false), at: .zero + .seconds(1), into: &outbox)
    exam.receive(change([own]), at: .zero + .seconds(2), into: &outbox)
    expectEqual(exam.deadline, Instant.zero + .seconds(6))
    expectEqual(exam.phase, .waiting)
    expectEqual(outbox.effects, [])
    exam.receive(change([wide, local]), at: .zero + .seconds(3), into: &outbox)
    let first = Instant.zero + .milliseconds(3_100)
    expectEqual(exam.deadline, first)
    expectEqual(exam.phase, .finding)
    expectEqual(exam.began, .zero + .seconds(3))
    expectEqual(exam.home?.address, local)
    expectEqual(outbox.effects, [.join(.mdns(.v6), InterfaceID(3))])
    outbox.removeAll()
    exam.wake(at: first, into: &outbox)
    let sent = outbox.effects.map { effect -> RecordedDatagram? in
      if case .transmit(let datagram) = effect { RecordedDatagram(datagram, in: outbox.payloads) } else { nil }
    }
    let questions = [
      DNSQuestion(ServiceType.enumerationName, .ptr), DNSQuestion(type, .ptr), DNSQuestion(name("p.local"), .any),
    ]
    let datagram = RecordedDatagram(
      source: Endpoint(local, port: 5_353), destination: .mdns(.v6), interface: InterfaceID(3), hopLimit: 255,
      bytes: DNSMessage(flags: .query, questions: questions).bytes)
    expectEqual(sent, [datagram])
    expectEqual(exam.deadline, first + .milliseconds(800))
    for (addresses, expected) in [([local, own, other], own), ([other, own], other)] {
      var four = ResponderExam(ResponderExamPlan())
      four.receive(change(addresses), at: .zero, into: &outbox)
      expectEqual(four.home?.address, expected)
    }
  }

  @Test("responses of others on its interface are heard, of the examined one alone once there is one")
  func heard() {
    let (own, other) = (IPAddress(10, 0, 0, 1), IPAddress(10, 0, 0, 9))
    let message = DNSMessage(flags: .response, answers: [pointer("A")])
    let question = DNSMessage(flags: .query, questions: [DNSQuestion(name("_ipp._tcp.local"), .ptr)])
    var exam = ResponderExam(ResponderExamPlan())
    var outbox = Outbox(payloads: PayloadStore())
    func give(
      _ message: DNSMessage, from source: IPAddress, to destination: Endpoint = .mdns(.v4), interface: UInt16 = 3,
      at milliseconds: Int64
    ) {
      let datagram = Datagram(
        source: Endpoint(source, port: 5_353), destination: destination, interface: InterfaceID(interface),
        hopLimit: 255, payload: outbox.payloads.store(message.bytes))
      exam.receive(.datagram(datagram), at: .zero + .milliseconds(milliseconds), into: &outbox)
      outbox.payloads.release(datagram.payload)
    }
    func response(
      from source: IPAddress, to destination: Endpoint = .mdns(.v4), at milliseconds: Int64
    ) -> HeardResponse {
      HeardResponse(
        time: .zero + .milliseconds(milliseconds), source: Endpoint(source, port: 5_353), destination: destination,
        message: message, bytes: message.bytes)
    }
    // Before it has an interface, on another one, and its own.
    give(message, from: other, at: 0)
    exam.receive(change([own]), at: .zero, into: &outbox)
    give(message, from: other, interface: 2, at: 10)
    give(message, from: own, at: 20)
    expectEqual(exam.heard, [])
    expectEqual(exam.subjects, [])
    give(message, from: other, at: 30)
    give(question, from: other, at: 40)
    exam.examined = Self.printer
    let direct = Endpoint(own, port: 5_353)
    give(message, from: other, at: 50)
    give(message, from: Self.printer, at: 60)
    give(message, from: Self.printer, to: direct, at: 70)
    expectEqual(
      exam.heard,
      [
        response(from: other, at: 30), response(from: Self.printer, at: 60),
        response(from: Self.printer, to: direct, at: 70),
      ])
    expectEqual(exam.subjects.map(\.address), [other, Self.printer])
    expectEqual(exam.lastMulticast, Instant.zero + .milliseconds(60))
    expectEqual(exam.others.map { $0.time }, [Instant.zero + .milliseconds(40)])
    expectEqual(exam.others.map { $0.questions }, [question.questions])
    exam.receive(SignalValue.command(.stop), at: .zero + .milliseconds(80), into: &outbox)
    #expect(exam.isOver)
    give(message, from: Self.printer, at: 90)
    give(question, from: other, at: 90)
    expectEqual([exam.heard.count, exam.others.count], [3, 1])
  }

  @Test("8192 responses and as many questions of others are kept, and of a response its first 1500 bytes")
  func kept() {
    var rig = Rig(ResponderExamPlan())
    let long = Array(repeating: 7 as UInt8, count: 1_600)
    let record = DNSRecord(name("p.local"), .other(DNSType(rawValue: 29), long), ttlSeconds: 9)
    rig.hear([record], at: .milliseconds(50))
    let bytes = DNSMessage(flags: .response, answers: [record]).bytes
    expectEqual(rig.exam.heard.map(\.bytes), [Array(bytes.prefix(1_500))])
    rig.exam.heard = Array(repeating: rig.exam.heard[0], count: 8_191)
    rig.exam.others = Array(repeating: (time: Instant.zero, questions: [DNSQuestion]()), count: 8_191)
    for _ in 0..<2 {
      rig.hear([record], at: .milliseconds(60))
      rig.hear([record], at: .milliseconds(60), flags: .query)
    }
    expectEqual([rig.exam.heard.count, rig.exam.others.count], [8_192, 8_192])
  }

  @Test("an interface is lost when the examiner's address is gone from it, and not while it has the address")
  func addresses() {
    let (own, other) = (IPAddress(10, 0, 0, 1), IPAddress(10, 0, 0, 7))
    var exam = ResponderExam(ResponderExamPlan())
    var outbox = Outbox(payloads: PayloadStore())
    exam.receive(change([own]), at: .zero, into: &outbox)
    exam.receive(change([other, own]), at: .zero + .milliseconds(50), into: &outbox)
    expectEqual(exam.isInterfaceLost, false)
    expectEqual(exam.phase, .finding)
    exam.receive(change([other]), at: .zero + .milliseconds(60), into: &outbox)
    expectEqual(exam.lostInterface, Instant.zero + .milliseconds(60))
    expectEqual(exam.outcome, .noAddress)
  }

  // MARK: - Who is examined

  @Test("of a responder its first service is examined of which most is known, and 64 services and addresses are kept")
  func subjects() {
    var full = ResponderSubject(address: Self.printer, at: .zero)
    for number in 0..<65 {
      for _ in 0..<2 { full.learn(pointer("S\(number)")) }
      full.learn(address("h.local", IPAddress(10, 0, 1, UInt8(number))))
    }
    expectEqual(full.services.map(\.name.domainName), (0..<64).map { name("S\($0)._ipp._tcp.local") })
    expectEqual(full.addresses.count, 64)

    var subject = ResponderSubject(address: Self.printer, at: .zero)
    let type = name("_ipp._tcp.local")
    subject.learn(pointer("Gone", ttl: 0))
    subject.learn(service("Unknown", "x.local"))
    subject.learn(DNSRecord(name("_http._tcp.local"), .ptr(name("A._ipp._tcp.local")), ttlSeconds: 9))
    subject.learn(DNSRecord(ServiceType.enumerationName, .ptr(type), ttlSeconds: 9))
    #expect(subject.services.isEmpty && subject.service == nil && subject.host == nil && subject.hostAddress == nil)
    // Whose address it speaks from.
    for (host, last) in [("x.local", 9), ("y.local", 2)] as [(String, UInt8)] {
      subject.learn(address(host, IPAddress(10, 0, 0, last)))
    }
    expectEqual(subject.host, name("y.local"))
    for instance in ["A", "B", "C"] { subject.learn(pointer(instance)) }
    expectEqual(subject.service?.name.instance, "A")
    subject.learn(service("B", "x.local"))
    expectEqual(subject.service?.name.instance, "B")
    subject.learn(service("C", "y.local"))
    expectEqual(subject.service?.name.instance, "B")
    subject.learn(DNSRecord(name("C._ipp._tcp.local"), .txt([0]), ttlSeconds: 9))
    expectEqual(subject.service?.name.instance, "C")
    // Where its first service is.
    expectEqual(subject.host, name("x.local"))
    expectEqual(subject.hostAddress, address("x.local", IPAddress(10, 0, 0, 9)))
    subject.learn(address("x.local", Self.printer))
    expectEqual(subject.hostAddress, address("x.local", Self.printer))
  }

  @Test("a host is meant by its address, by the name that its services have, or by a name that has an address")
  func meant() {
    func outcome(_ target: String) -> ResponderExam.Outcome? {
      var rig = Rig(ResponderExamPlan(target: target, probes: [], patience: .seconds(1)))
      let records = [pointer("A"), service("A", "x.local"), address("y.local", IPAddress(10, 0, 0, 9))]
      rig.hear(records, at: .milliseconds(150))
      rig.run(until: .seconds(60))
      return rig.exam.outcome
    }
    for target in ["10.0.0.2", "x.local", "Y.LOCAL."] { expectEqual(outcome(target), .examined, "\(target)") }
    let long = String(repeating: "x", count: 64)
    for target in ["10.0.0.9", "z.local", long] { expectEqual(outcome(target), .absent, "\(target)") }
  }

  @Test("of the hosts of a link 256 are kept, and later records of a known one are added")
  func hosts() {
    var rig = Rig(ResponderExamPlan())
    for number in 0..<258 {
      let source = IPAddress(10, 0, UInt8(number / 256 + 1), UInt8(number % 256))
      rig.hear([address("h\(number).local", source)], at: .milliseconds(150), from: source)
    }
    expectEqual(rig.exam.subjects.map(\.address), (0..<256).map { IPAddress(10, 0, 1, UInt8($0)) })
    rig.hear([pointer("A")], at: .milliseconds(150), from: IPAddress(10, 0, 1, 255))
    expectEqual(rig.exam.subjects.map(\.services.count), Array(repeating: 0, count: 255) + [1])
  }

  @Test("a name whose first labels are one has 63 bytes in it at most, and is known again by its last dot")
  func joinedNames() {
    func label(_ count: Int) -> String { String(repeating: "x", count: count) }
    for (count, isShort) in [(1, true), (58, true), (59, false)] {
      let joined = ResponderExam.joined(name("\(label(count))._ipp._tcp.local"))
      expectEqual(joined, isShort ? DNSName(labels: ["\(label(count))._ipp", "_tcp", "local"]) : nil, "\(count)")
    }
    expectEqual(ResponderExam.joined(name("a.local")), nil)
    expectEqual(ResponderExam.joined(name("a.b.local")), DNSName(labels: ["a.b", "local"]))
    let instance = DNSName(labels: ["A. B.", "_ipp", "_tcp", "local"])!
    func asked(_ probe: ResponderProbe) -> [DNSName] {
      let message = ResponderExam.query([(ResponderExam.joined(instance) ?? .root, .srv)])
      let own = Endpoint(IPAddress(10, 0, 0, 1), port: 5_353)
      return ResponderAsk(
        probe: probe, message: message, expects: .silence, time: .zero, source: own, destination: .mdns(.v4),
        window: .seconds(1), bytes: []
      ).questions.map(\.name)
    }
    let joined = DNSName(labels: ["A. B.._ipp", "_tcp", "local"])!
    expectEqual(asked(.escapes), [joined, instance])
    expectEqual(asked(.known), [joined])
  }
}
