import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@Suite struct DNSRoundTripTests {
  @Test("Names behind chains of pointers are read, and a pointer inside a label is one, too")
  func chains() throws {
    let rest: [UInt8] = [0, 1, 0, 1]
    let bytes =
      DNSBench.header(questions: 5) + [1, 97, 1, 98, 0] + rest + [1, 99, 0xC0, 14] + rest + [1, 100, 0xC0, 21] + rest
      + [0xC0, 29] + rest + [0xC0, 16] + rest
    let message = try DNSBench.read(bytes).get().message
    expectEqual(message.questions.map(\.name.description), ["a.b", "c.b", "d.c.b", "d.c.b", "."])
    let hidden = DNSBench.header(questions: 2) + [3, 97, 0xC0, 14, 0] + rest + [0xC0, 14] + rest
    expectEqual(DNSBench.fault(hidden), DNSFault(.pointerNotBackwards, at: 14, expected: 14, found: 14))
    let forwards = DNSBench.header(questions: 2) + [3, 97, 0xC0, 16, 0] + rest + [0xC0, 14] + rest
    expectEqual(DNSBench.fault(forwards), DNSFault(.pointerNotBackwards, at: 14, expected: 14, found: 16))
    let backwards = DNSBench.header(questions: 2) + [3, 97, 0xC0, 13, 0] + rest + [0xC0, 14] + rest
    // Byte 13 is 97: no label has 97 bytes.
    expectEqual(DNSBench.fault(backwards), DNSFault(.labelType, at: 13, expected: 63, found: 97))
  }

  @Test("A pointer to any of forty names gives that name", arguments: [0, 1])
  func manyNames(offset: Int) throws {
    let rest: [UInt8] = [0, 1, 0, 1]
    var bytes = DNSBench.header(questions: 80)
    var places: [Int] = []
    for number in 0..<40 {
      places.append(bytes.count + 2 * offset)
      bytes += [1, 97, 2, 65, UInt8(48 + number), 0] + rest
    }
    for place in places { bytes += [0xC0 | UInt8(place >> 8), UInt8(place & 0xFF)] + rest }
    let names = try DNSBench.read(bytes).get().message.questions.map(\.name)
    for number in 0..<40 {
      let expected: [[UInt8]] = [[97], [65, UInt8(48 + number)]]
      expectEqual(names[number].labels, expected)
      expectEqual(names[40 + number].labels, Array(expected.dropFirst(offset)))
    }
  }

  @Test("Messages made of a seed are read as they were written, with every compression", arguments: 0..<40)
  func generated(seed: Int) throws {
    var draws = Draws(seed)
    let message = draws.message()
    for compression in DNSCompression.allCases {
      let written = message.written(compression: compression)
      expectEqual(written.questions, message.questions.count)
      expectEqual(written.additionals, message.additionals.count)
      let reading = try DNSBench.read(written.bytes).get()
      expectEqual(reading.message, message)
      expectEqual(reading.faults, [])
      expectEqual(reading.message.written(compression: compression).bytes, written.bytes)
      // Letter case is kept: names are equal without it.
      expectEqual(reading.message.answers.map(\.name.wire), message.answers.map(\.name.wire))
      expectEqual(reading.message.answers.map(\.data.bytes), message.answers.map(\.data.bytes))
    }
  }

  @Test("Within any limit what was written is the beginning of the message", arguments: 0..<6)
  func limits(seed: Int) throws {
    var draws = Draws(seed)
    let message = draws.message()
    for limit in stride(from: 0, through: message.bytes.count + 3, by: 7) {
      let written = message.written(limitBytes: limit)
      #expect(written.bytes.count <= max(12, limit))
      let read = try DNSBench.read(written.bytes).get().message
      expectEqual(read.questions, Array(message.questions.prefix(written.questions)))
      expectEqual(read.answers, Array(message.answers.prefix(written.answers)))
      expectEqual(read.authorities, Array(message.authorities.prefix(written.authorities)))
      expectEqual(read.additionals, Array(message.additionals.prefix(written.additionals)))
      #expect(written.answers == message.answers.count || written.authorities + written.additionals == 0)
    }
  }

  @Test("Any two damaged bytes of a message are read or refused inside it", arguments: 0..<6)
  func damage(seed: Int) {
    var draws = Draws(seed)
    let bytes = draws.message().bytes
    for _ in 0..<400 {
      var damaged = Array(bytes.prefix(1 + draws.below(bytes.count)))
      for _ in 0..<2 { damaged[draws.below(damaged.count)] = UInt8(draws.below(256)) }
      switch DNSBench.read(damaged) {
      case .failure(let fault): #expect((0...damaged.count).contains(fault.offset))
      case .success(let reading):
        #expect(reading.faults.allSatisfy { (12...damaged.count).contains($0.offset) })
      }
    }
  }

  /// Messages of a seed.
  private struct Draws {
    var stream: RandomStream
    init(_ seed: Int) { stream = Seed(UInt64(seed)).stream("dns") }

    mutating func below(_ bound: Int) -> Int { Int(stream.below(UInt64(bound))) }
    mutating func bytes(_ bound: Int) -> [UInt8] { (0..<below(bound)).map { _ in UInt8(below(256)) } }

    mutating func name() -> DNSName {
      var name = [DNSName.local, .root, DNSName("_x._tcp.local")!, DNSName("_X._TCP.local")!][below(4)]
      for _ in 0..<below(4) {
        let label = below(8) == 0 ? [UInt8(below(256))] + bytes(63) : [[97], [65], [98, 46], [0xC0, 12]][below(4)]
        name = name.adding(label) ?? name
      }
      return name
    }

    mutating func record() -> DNSRecord {
      let types = (0..<below(5)).map { _ in DNSType(rawValue: UInt16(below(65_536))) }
      let data: DNSData =
        switch below(9) {
        case 0: .address(IPAddress(v4: UInt32(truncatingIfNeeded: stream.next())))
        case 1: .address(IPAddress(v6High: stream.next(), low: stream.next()))
        case 2: .ptr(name())
        case 3: .cname(name())
        case 4:
          .srv(priority: UInt16(below(65_536)), weight: UInt16(below(9)), port: UInt16(below(65_536)), target: name())
        case 5: .txt((0..<below(4)).flatMap { _ in [3] + [UInt8(below(256)), 61, 49] })
        case 6: .nsec(next: name(), types: DNSTypeSet(types))
        case 7: .opt(bytes(20))
        default: .other(DNSType(rawValue: 300), bytes(20))
        }
      let isOption = data.type == .opt
      return DNSRecord(
        name(), data, ttlSeconds: UInt32(truncatingIfNeeded: stream.next()), isCacheFlush: !isOption && below(2) == 0,
        recordClass: DNSClass(rawValue: UInt16(below(isOption ? 65_536 : 32_768))))
    }

    mutating func message() -> DNSMessage {
      DNSMessage(
        id: UInt16(below(65_536)), flags: DNSFlags(rawValue: UInt16(below(65_536))),
        questions: (0..<below(4)).map { _ in
          DNSQuestion(
            name(), DNSType(rawValue: UInt16(below(65_536))), questionClass: DNSClass(rawValue: UInt16(below(32_768))),
            wantsUnicast: below(2) == 0)
        },
        answers: (0..<below(6)).map { _ in record() }, authorities: (0..<below(4)).map { _ in record() },
        additionals: (0..<below(6)).map { _ in record() })
    }
  }
}
