import RollcallEngines
import RollcallExpectations
import RollcallPrimitives
import Testing

/// An engine whose answers were written before.
final class ScriptedChannel: EngineChannel {
  /// What it writes after each frame, in pieces.
  private var turns: [[[UInt8]]]
  private var pending: [[UInt8]] = []
  private(set) var heard: [[UInt8]] = []
  private(set) var isKilled: Bool?
  /// Why it takes no bytes; `nil`: it takes them.
  var refusal: EngineFailure?

  init(_ turns: [[[UInt8]]]) { self.turns = turns }

  func write(_ bytes: [UInt8]) throws(EngineFailure) {
    if let refusal { throw refusal }
    heard.append(bytes)
    if !turns.isEmpty { pending += turns.removeFirst() }
  }

  func read() throws(EngineFailure) -> [UInt8] {
    if pending.isEmpty { throw EngineFailure("it ended with exit code 3") }
    return pending.removeFirst()
  }

  func end(isKilled: Bool) -> [String] {
    self.isKilled = isKilled
    return ["Traceback"]
  }
}

@Suite("The host of an engine in another process")
struct EngineLinkTests {
  private static let ready = FrameBytes.bytes("000000028f00")
  private static let up = InterfaceChange(
    interface: InterfaceID(0), isUp: true,
    addresses: [InterfaceAddress(IPAddress(10, 0, 0, 2), prefixBits: 24)])

  /// Plays HELLO, INTERFACE and a wake at 5 s to an engine that answers so.
  private func play(_ turns: [[[UInt8]]]) -> (end: EngineEnd, effects: [Effect], channel: ScriptedChannel) {
    let channel = ScriptedChannel(turns)
    let link = EngineLink(seed: Seed(1), duration: .seconds(60)) { () throws(EngineFailure) -> any EngineChannel in
      channel
    }
    var engine = ForeignEngine(link)
    var outbox = Outbox(payloads: PayloadStore())
    engine.receive(.interface(EngineLinkTests.up), at: .zero, into: &outbox)
    engine.wake(at: Instant(nanoseconds: 5_000_000_000), into: &outbox)
    let effects = outbox.effects
    return (link.end(), effects, channel)
  }

  @Test("the example of the page: what it wants comes out in order, it is woken when it asked, and END ends it")
  func example() {
    let join = FrameBytes.bytes("0000000a82000004effffffa076c")
    let later = FrameBytes.bytes("0000000a8f01000000012a05f200")
    let lost = FrameBytes.bytes("0000000a860006757569643a3102")
    // Frames may come in any pieces.
    let pieces = [Array(join[..<3]), Array(join[3...] + later[..<6]), Array(later[6...])]
    let (end, effects, channel) = play([[EngineLinkTests.ready], pieces, [lost + EngineLinkTests.ready]])
    expectEqual(end, EngineEnd())
    let group = Endpoint(IPAddress(239, 255, 255, 250), port: 1900)
    expectEqual(effects, [.join(group, InterfaceID(0)), .report(.lost(device: "uuid:1", cause: .expired))])
    expectEqual(
      channel.heard.map(FrameBytes.hex),
      [
        "0000001301000100000000000000010000000df8475800", "0000001302000000000000000000000101040a00000218",
        "0000000904000000012a05f200", "000000010f",
      ])
    expectEqual(channel.isKilled, false)
  }

  @Test("services are added to the end of their search")
  func services() {
    let service = FrameBytes.bytes("0000001c87000000070006757569643a310009757569643a313a3a6200016200")
    let ended = FrameBytes.bytes("00000006880000000700")
    let channel = ScriptedChannel([[EngineLinkTests.ready], [service + ended + EngineLinkTests.ready]])
    let link = EngineLink(seed: Seed(1), duration: .seconds(1)) { () throws(EngineFailure) -> any EngineChannel in
      channel
    }
    var engine = ForeignEngine(link)
    var outbox = Outbox(payloads: PayloadStore())
    engine.receive(.command(.search(Search(id: SearchID(7), target: "b"))), at: .zero, into: &outbox)
    let sighting = ServiceSighting(
      search: SearchID(7), device: "uuid:1", usn: "uuid:1::b", target: "b", location: nil)
    let outcome = SearchOutcome(search: SearchID(7), target: "b", services: [sighting], wasStopped: false)
    expectEqual(outbox.effects, [.report(.service(sighting)), .report(.searchEnded(outcome))])
    expectEqual(link.end().failure, nil)
  }

  @Test("an interface that is down, or has no address of the family, loses what is sent")
  func unsendable() {
    let v6 = FrameBytes.bytes("0000001d810000138806ff02000000000000000000000000000c076c0400026869")
    let v4 = FrameBytes.bytes("00000011810000138804effffffa076c0400026869")
    let (end, effects, _) = play([[EngineLinkTests.ready], [v6 + v4 + EngineLinkTests.ready]])
    expectEqual(end.failure, nil)
    let sources = effects.map { effect -> Endpoint? in
      if case .transmit(let datagram) = effect { datagram.source } else { nil }
    }
    expectEqual(sources, [Endpoint(IPAddress(10, 0, 0, 2), port: 5_000)])
  }

  @Test("what it logs is bounded, and shown with what it printed as errors where it fails")
  func notes() {
    let text = String(repeating: "6c0a", count: 30) + String(repeating: "78", count: 300)
    let log = FrameBytes.bytes("0000016b8e0168" + text)
    let (end, _, channel) = play([[log + log + EngineLinkTests.ready], [FrameBytes.bytes("0000000177")]])
    expectEqual(end.notes.count, 20 + 2)
    expectEqual(end.notes.suffix(2), ["on standard error:", "Traceback"])
    expectEqual(
      end.failure,
      "the engine failed: its frame 4, byte 4 (type 119), in answer to INTERFACE at 0.000000000: "
        + "expected the type of a frame of an engine: 129 … 137, 142 or 143, found 119")
    expectEqual(channel.isKilled, true)
  }

  @Test("the first thing that is wrong ends it, with frame, byte and what was expected")
  func failures() {
    let ready = EngineLinkTests.ready
    let given = "in answer to INTERFACE at 0.000000000"
    let many = [UInt8](repeatElement(FrameBytes.bytes("000000038e0000"), count: 10_001).joined())
    let cases: [(turns: [[[UInt8]]], text: String)] = [
      (
        [[ready], [FrameBytes.bytes("00000000")]],
        "its frame 2, byte 0, \(given): expected a length of 1 … 1048576, found 0"
      ),
      (
        [[ready], [FrameBytes.bytes("00100001")]],
        "its frame 2, byte 0, \(given): expected a length of 1 … 1048576, found 1048577"
      ),
      (
        [[ready], [ready + [7]]], "its frame 2, byte 6 (READY), \(given): expected nothing behind READY, found 1 bytes"
      ),
      (
        [[ready], [Array(ready[..<3])]],
        "it ended with exit code 3, 3 bytes into frame 2, where READY was expected \(given); it wrote 1 frames before"
      ),
      (
        [[]],
        "it ended with exit code 3, where READY was expected in answer to HELLO; it wrote 0 frames before"
      ),
      (
        [[ready], [many]], "its frame 10002, \(given): expected READY within 10000 frames of one turn, found more"
      ),
    ]
    for one in cases {
      let (end, _, channel) = play(one.turns)
      expectEqual(end.failure, "the engine failed: \(one.text)")
      expectEqual(channel.isKilled, true)
    }
  }

  @Test("one that cannot be started fails before it is asked anything")
  func unstarted() {
    let link = EngineLink(seed: Seed(1), duration: .seconds(1)) { () throws(EngineFailure) -> any EngineChannel in
      throw EngineFailure("nothing cannot be started: no such file")
    }
    var engine = ForeignEngine(link)
    var outbox = Outbox(payloads: PayloadStore())
    engine.receive(.interface(EngineLinkTests.up), at: .zero, into: &outbox)
    expectEqual(outbox.count, 0)
    expectEqual(link.end(), EngineEnd(failure: "the engine failed: nothing cannot be started: no such file"))
  }
}
