import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallTrace
import RollcallWire

@Suite("Traces as text")
struct TraceTextTests {
  private func back(_ content: TraceEntry.Content, others: [any PortValue.Type] = []) throws -> TraceEntry.Content {
    let entry = TraceEntry(time: Instant(nanoseconds: 12_000_000_345), station: 2, content: content)
    var names: [Substring] = []
    let line = TraceText.line(entry) { "host\($0)" }
    let read = try TraceText.read(Substring(line), others: others) { name in
      names.append(name)
      return 2
    }
    expectEqual(names, ["host2"])
    expectEqual(read.time, entry.time)
    return read.content
  }

  @Test("a datagram of any bytes and a wake are read back as they were written")
  func round() throws {
    let datagram = RecordedDatagram(
      source: Endpoint(IPAddress(10, 0, 0, 1), port: 1_900), destination: .ssdp(.v6), interface: InterfaceID(3),
      hopLimit: 4, bytes: Array(0...255))
    var empty = datagram
    empty.bytes = []
    for content in [TraceEntry.Content.sent(datagram), .received(datagram), .sent(empty), .woken] {
      try expectEqual(back(content), content)
    }
  }

  private struct Tap: PortValue {
    static var port: PortNumber { PortNumber(40) }
    static var verbs: [String] { ["tap"] }
    var count: UInt8
    func fold(into digest: inout Digest) { digest.combine(UInt64(count)) }
    func write(to words: inout WordWriter) {
      words.add("tap")
      words.add(count)
    }
    init(count: UInt8) { self.count = count }
    init(verb: Substring, from words: inout WordReader) throws(WordError) { count = try words.number("a count") }
  }

  @Test("a value of another package's port is read where its type is given")
  func foreign() throws {
    let given = TraceEntry.Content.signal(SignalValue(Tap(count: 7)))
    let wanted = TraceEntry.Content.effect(Effect(Tap(count: 8)))
    try expectEqual(back(given, others: [Tap.self]), given)
    try expectEqual(back(wanted, others: [Tap.self]), wanted)
    #expect(throws: WordError(column: 22, expected: "what a machine was given")) { try back(given) }
    #expect(SignalValue(Tap(count: 7)) != SignalValue(Tap(count: 8)))
  }

  @Test(
    "what is no such line is refused at its column",
    arguments: [
      ("", 1), ("x tv < wake", 1), ("1.5 tv < wake", 1), ("1.000000000", 12), ("1.000000000 tv = wake", 16),
      ("1.000000000 tv < ", 18), ("1.000000000 tv < wake up", 23), ("1.000000000 tv > wake", 18),
      ("1.000000000 tv > 10.0.0.1:1 -> nowhere if0 ttl1 x", 32),
      ("1.000000000 tv > 10.0.0.1:1 -> 10.0.0.2:2 eth0 ttl1 x", 43),
      ("1.000000000 tv > 10.0.0.1:1 -> 10.0.0.2:2 if0 ttl300 x", 47),
      ("1.000000000 tv > 10.0.0.1:1 -> 10.0.0.2:2 if0 ttl1 \\q", 52),
      ("1.000000000 tv < interface 0 sideways", 30), ("+1.00000000 tv < wake", 1), ("01.000000000 tv < wake", 1),
      ("1.+00000000 tv < wake", 1), ("1.000000000 tv > 10.0.0.1:1 -> 10.0.0.2:2 if+0 ttl1 x", 43),
      ("1.000000000 tv > 10.0.0.1:1 -> 10.0.0.2:2 if0 ttl1 \\x41", 52),
      ("1.000000000 tv > 10.0.0.1:1 -> 10.0.0.2:2 if0 ttl1 \\xFF", 52), ("1.000000000 tv < command stop now", 31),
    ])
  func refused(line: String, column: Int) {
    #expect {
      try TraceText.read(Substring(line)) { _ in 0 }
    } throws: { error in
      (error as? WordError)?.column == column
    }
  }
}
