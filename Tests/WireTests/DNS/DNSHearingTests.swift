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
      expectEqual(first.reading.message.answers, Self.service(1))
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
    expectEqual(hearing.records, records)
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
  }
}
