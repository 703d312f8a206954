import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallWire

@Suite("A message of DNS that many hear")
struct DNSHearingTests {
  private static let type = DNSName("_http._tcp.local")!

  private static func service(_ number: Int) -> [DNSRecord] {
    let (name, host) = (type.adding("Service \(number)")!, DNSName("host-\(number).local")!)
    return [
      DNSRecord(type, .ptr(name), ttlSeconds: 4_500),
      DNSRecord(name, .srv(priority: 0, weight: 0, port: 80, target: host), ttlSeconds: 120, isCacheFlush: true),
      DNSRecord(host, .address(IPAddress(10, 0, 0, UInt8(number))), ttlSeconds: 120, isCacheFlush: true),
    ]
  }

  @Test("it is read once, with its refusal, until its payload is gone; another payload is another message")
  func once() throws {
    let store = PayloadStore()
    let payload = store.store(DNSMessage(flags: .response, answers: Self.service(1)).bytes)
    weak var kept: DNSHearing?
    do {
      let first = try DNSReader.hearing(of: payload, in: store)
      kept = first
      expectEqual(first.records, Self.service(1))
      #expect(try DNSReader.hearing(of: payload, in: store) === first)
    }
    #expect(kept != nil)
    store.release(payload)
    #expect(kept == nil)
    // The buffer is the same one.
    let next = store.store([1, 2, 3])
    for _ in 0..<2 {
      #expect(throws: DNSFault(.tooShort, at: 3, expected: 12, found: 3)) {
        try DNSReader.hearing(of: next, in: store)
      }
    }
    store.release(next)
    let last = store.store(DNSMessage(flags: .query, answers: Self.service(2)).bytes)
    expectEqual(try DNSReader.hearing(of: last, in: store).records, Self.service(2))
  }

  @Test("what a store still holds at its end goes with it")
  func end() throws {
    weak var kept: DNSHearing?
    do {
      let store = PayloadStore()
      kept = try DNSReader.hearing(of: store.store(DNSMessage(flags: .query).bytes), in: store)
      #expect(kept != nil)
    }
    #expect(kept == nil)
  }

  @Test("keys find the records of a name and of a pointer, in any letter case, as comparing all of them does")
  func keys() throws {
    let store = PayloadStore()
    let records = (0..<60).flatMap(Self.service)
    let message = DNSMessage(
      flags: .response, questions: [DNSQuestion(DNSName("Asked.local")!, .any)],
      answers: Array(records[..<90]), authorities: Self.service(70), additionals: Array(records[90...]))
    let hearing = try DNSReader.hearing(of: store.store(message.bytes), in: store)
    // One alone, before all of them are made.
    expectEqual(hearing.record(at: 89), records[89])
    expectEqual(hearing.record(at: 90), records[90])
    expectEqual(hearing.records, records)
    expectEqual(hearing.authorities, message.authorities)
    expectEqual(hearing.questions(), message.questions)
    expectEqual(hearing.questions(atMost: 0), [])
    expectEqual(hearing.hash, message.bytes.withUnsafeBytes { Digest.hash($0) })
    for number in [0, 29, 30, 59, 60, 70] {
      let own = Self.service(number)
      let upper = DNSName(own[1].name.description.uppercased())!
      let expected = records.indices.filter { records[$0].name == upper || records[$0] == own[0] }
      expectEqual(hearing.places(of: [own[0].pointerKey!, upper.key]), expected)
      expectEqual(hearing.places(of: [upper.key, own[0].pointerKey!, upper.key]), expected)
      expectEqual(expected.count, number < 60 ? 2 : 0)
      expectEqual(hearing.proposes([own[2].name.key]), number == 70)
      #expect(!hearing.asks(for: [upper.key]))
    }
    expectEqual(hearing.places(of: [Self.type.key]).count, 60)
    expectEqual(hearing.places(of: [DNSName("asked.local")!.key]), [])
    #expect(hearing.asks(for: [Self.type.key, DNSName("asked.LOCAL")!.key]))
    #expect(!hearing.proposes([Self.type.adding("Service 71")!.key]) && !hearing.proposes([]))
    // Of the answers alone, and of one type.
    let large = DNSName("_HTTP._tcp.local")!
    expectEqual(hearing.answers(large, .ptr), (0..<30).map { Self.service($0)[0] })
    expectEqual(hearing.answers(large, .srv), [])
    expectEqual(hearing.answers(records[178].name, .srv), [])
  }

  @Test("what was not made yet is that of its own message when the payload is gone and its memory holds another")
  func outlived() throws {
    let store = PayloadStore()
    let payload = store.store(DNSMessage(flags: .response, answers: Self.service(1)).bytes)
    let hearing = try DNSReader.hearing(of: payload, in: store)
    store.release(payload)
    // The buffer is the same one.
    _ = store.store([UInt8](repeating: 0xFF, count: 300))
    expectEqual(hearing.records, Self.service(1))
  }

  @Test("keys are those of names, however a name is cut up by pointers; records with wrong data have none")
  func cutNames() throws {
    // A.b, x.b, y.x.b, x.b, x.b by a pointer to a pointer, y.x.b with an address of 3 bytes, the root.
    let written: [[UInt8]] = [
      [1, 65, 1, 98, 0], [1, 120, 0xC0, 14], [1, 121, 0xC0, 31], [0xC0, 31], [0xC0, 67], [0xC0, 49], [0xC0, 16],
    ]
    var bytes = DNSBench.header(answers: written.count)
    for (place, name) in written.enumerated() {
      let data: [UInt8] = place == 5 ? [10, 0, 0] : [10, 0, 0, 1]
      bytes += name
      bytes += [0, 1, 0, 1, 0, 0, 0, 9, 0, UInt8(data.count)]
      bytes += data
    }
    let names = ["a.b", "x.b", "y.x.b", "x.b", "x.b", "."].map { DNSName($0)! }
    let hearing = try bytes.withUnsafeBytes { try DNSHearing($0) }
    expectEqual(hearing.records.map(\.name), names)
    expectEqual(hearing.faults, [DNSFault(.dataLength, at: 111, expected: 4, found: 3)])
    expectEqual(hearing.places(of: [names[0].key]), [0])
    expectEqual(hearing.places(of: [names[1].key]), [1, 3, 4])
    expectEqual(hearing.places(of: [names[2].key]), [2])
    expectEqual(hearing.places(of: [names[5].key]), [5])
  }

  @Test("a record that is left out, first or last of its section, takes no other with it into another section")
  func leftOut() throws {
    func record(_ data: [UInt8]) -> [UInt8] { [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, UInt8(data.count)] + data }
    // A question for A, QU; two records each as answers, authorities and additionals.
    var bytes: [UInt8] = [0, 7, 0x84, 0, 0, 1, 0, 2, 0, 2, 0, 2, 1, 65, 0, 0, 1, 0x80, 1]
    for data: [UInt8] in [[10, 0, 0, 1], [1, 2, 3], [4, 5, 6], [10, 0, 0, 2], [7, 8, 9], [10, 0, 0, 3]] {
      bytes += record(data)
    }
    let name = DNSName("a")!
    func address(_ last: UInt8) -> DNSRecord {
      DNSRecord(name, .address(IPAddress(10, 0, 0, last)), ttlSeconds: 9)
    }
    let faults = [47, 62, 93].map { DNSFault(.dataLength, at: $0, expected: 4, found: 3) }
    let hearing = try bytes.withUnsafeBytes { try DNSHearing($0) }
    expectEqual(hearing.record(at: 1), address(3))
    expectEqual(hearing.records, [address(1), address(3)])
    expectEqual(hearing.authorities, [address(2)])
    expectEqual(hearing.questions(), [DNSQuestion(name, .a, wantsUnicast: true)])
    expectEqual([hearing.questionCount, hearing.answerCount, hearing.authorityCount], [1, 1, 1])
    expectEqual(hearing.answers(name, .a), [address(1)])
    expectEqual(hearing.places(of: [name.key]), [0, 1])
    #expect(hearing.id == 7 && hearing.flags == .response && hearing.faults == faults)
    let message = DNSMessage(
      id: 7, flags: .response, questions: hearing.questions(), answers: [address(1)], authorities: [address(2)],
      additionals: [address(3)])
    expectEqual(try DNSBench.read(bytes).get(), DNSReader.Reading(message: message, faults: faults))
  }

  @Test("of two names with one key each has its own answers")
  func sameKey() throws {
    // One who knows how keys are made has found these: both bring its state to 0 behind the sixteenth byte.
    let labels: [[UInt8]] = [
      [48, 48, 48, 45, 97, 98, 99, 105, 33, 239, 133, 236, 44, 244, 100, 45, 120, 45, 108, 111, 99, 97, 108],
      [48, 48, 49, 45, 97, 98, 99, 234, 36, 214, 161, 19, 153, 148, 22, 45, 120, 45, 108, 111, 99, 97, 108],
    ]
    let names = labels.map { DNSName(labels: [$0])! }
    expectEqual(names[0].key, names[1].key)
    let records = (0..<3).map {
      DNSRecord(names[$0 % 2], .address(IPAddress(10, 0, 0, UInt8($0))), ttlSeconds: 9)
    }
    let bytes = DNSMessage(flags: .response, answers: records).bytes
    let hearing = try bytes.withUnsafeBytes { try DNSHearing($0) }
    expectEqual(hearing.answers(names[0], .a), [records[0], records[2]])
    expectEqual(hearing.answers(names[1], .a), [records[1]])
    expectEqual(hearing.places(of: [names[1].key]), [0, 1, 2])
  }

  @Test("the last record of the largest message is found, with data that end where it ends")
  func largest() throws {
    let data = [UInt8](repeating: 7, count: 65_472)
    let head: [UInt8] = [0, 3, 231, 0, 1, 0, 0, 0, 9]
    var bytes = DNSBench.header(answers: 2)
    bytes += head
    bytes += DNSBench.big(data.count)
    bytes += data
    bytes += head
    bytes += [0, 1, 8]
    expectEqual(bytes.count, DNSReader.byteCountMaximum)
    let hearing = try bytes.withUnsafeBytes { try DNSHearing($0) }
    let type = DNSType(rawValue: 999)
    expectEqual(hearing.record(at: 1), DNSRecord(.root, .other(type, [8]), ttlSeconds: 9))
    expectEqual(hearing.record(at: 0), DNSRecord(.root, .other(type, data), ttlSeconds: 9))
    expectEqual(hearing.faults, [])
    // Without a byte of data they begin behind the message.
    bytes.removeLast()
    bytes[bytes.count - 1] = 0
    expectEqual(try bytes.withUnsafeBytes { try DNSHearing($0) }.record(at: 1).data, .other(type, []))
  }

  @Test("a name that many entries point to is made once")
  func shared() throws {
    let bytes = DNSMessage(flags: .response, answers: Self.service(1)).bytes
    let hearing = try bytes.withUnsafeBytes { try DNSHearing($0) }
    let message = try DNSBench.read(bytes).get().message
    func address(_ name: DNSName) -> UInt { name.wire.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
    for records in [hearing.records, message.answers] {
      if case .ptr(let target) = records[0].data {
        expectEqual(address(target), address(records[1].name))
      } else {
        Issue.record("\(records[0]) is no pointer")
      }
    }
  }
}
