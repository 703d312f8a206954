import RollcallEngines
import RollcallExpectations
import RollcallPrimitives
import Testing

/// An engine in another process at the bounds of docs/engine-protocol.md, and with two of everything.
@Suite("The host of an engine at its bounds")
struct EngineBoundTests {
  /// An engine that answers each frame with one of these turns.
  private struct Play {
    let channel: ScriptedChannel
    let link: EngineLink
    var engine: ForeignEngine
    var outbox = Outbox(payloads: PayloadStore())

    init(_ turns: [[[UInt8]]]) {
      let channel = ScriptedChannel(turns)
      let link = EngineLink(seed: Seed(1), duration: .seconds(60)) { () throws(EngineFailure) -> any EngineChannel in
        channel
      }
      (self.channel, self.link, engine) = (channel, link, ForeignEngine(link))
    }

    mutating func tell(_ value: SignalValue, at now: Instant = .zero) { engine.receive(value, at: now, into: &outbox) }
    mutating func wake(_ nanoseconds: Int64) { engine.wake(at: Instant(nanoseconds: nanoseconds), into: &outbox) }
  }

  private static let ready = FrameBytes.bytes("000000028f00")
  private static let group = Endpoint(IPAddress(239, 255, 255, 250), port: 1900)

  private static func interface(_ number: UInt16, isUp: Bool, _ addresses: [IPAddress]) -> SignalValue {
    .interface(
      InterfaceChange(
        interface: InterfaceID(number), isUp: isUp,
        addresses: addresses.map { InterfaceAddress($0, prefixBits: 24) }))
  }
  private static let up: SignalValue = interface(0, isUp: true, [IPAddress(10, 0, 0, 2)])

  private static func log(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    let (count, length) = (bytes.count, bytes.count + 3)
    let head: [UInt8] = [0, 0, UInt8(length >> 8), UInt8(length & 255), 0x8E, UInt8(count >> 8), UInt8(count & 255)]
    return head + bytes
  }

  // MARK: - Numbers and bytes

  @Test("ten thousand frames of a turn are allowed, READY among them, and again in the next turn")
  func frames() {
    let empty = FrameBytes.bytes("000000038e0000")
    let most = [UInt8](repeatElement(empty, count: 9_999).joined()) + Self.ready
    var play = Play([[Self.ready], [most], [Self.log("x") + Self.ready]])
    play.tell(Self.up)
    play.tell(.command(.stop))
    expectEqual(play.link.end(), EngineEnd(notes: ["x"]))
    // HELLO, INTERFACE, STOP and END, which comes once.
    expectEqual(play.channel.heard.count, 4)
    expectEqual(play.link.end(), EngineEnd(notes: ["x"]))
    expectEqual(play.channel.heard.count, 4)
    // The longest frame is read, and then what is in it.
    let frame = FrameBytes.bytes("0010000080") + [UInt8](repeating: 0, count: 1_048_575)
    var longest = Play([[Self.ready], [frame]])
    longest.tell(Self.up)
    expectEqual(
      longest.link.end().failure,
      "the engine failed: its frame 2, byte 4 (type 128), in answer to INTERFACE at 0.000000000: "
        + "expected the type of a frame of an engine: 129 … 137, 142 or 143, found 128")
  }

  @Test("sixteen mebibytes of a turn are allowed, and one more is not")
  func bytes() {
    // To an address of a family that the interface has none of: it is lost without a word.
    func send(_ count: Int) -> [UInt8] {
      let length = count + 27
      var frame: [UInt8] = [0, 0, UInt8(length >> 8), UInt8(length & 255)]
      frame += FrameBytes.bytes("810000138806ff02000000000000000000000000000c076c04")
      frame += [UInt8(count >> 8), UInt8(count & 255)]
      return frame + [UInt8](repeating: 0x61, count: count)
    }
    let largest = send(65_507)
    expectEqual(largest.count, 65_538)
    for (count, isAllowed) in [(64_989, true), (64_990, false)] {
      let turn = [[UInt8]](repeating: largest, count: 255) + [send(count), Self.ready]
      expectEqual(turn.reduce(0) { $0 + $1.count }, 16_777_216 + (isAllowed ? 0 : 1))
      var play = Play([[Self.ready], turn])
      play.tell(Self.up)
      expectEqual(play.outbox.count, 0)
      let refusal =
        "the engine failed: its frame 258, in answer to INTERFACE at 0.000000000: expected at most 16777216 bytes "
        + "in one turn and 268435456 in a run, found more"
      let expected: String? = isAllowed ? nil : refusal
      expectEqual(play.link.end().failure, expected)
    }
  }

  // MARK: - Wishes

  @Test("of two interfaces the one that is down joins, leaves and sends nothing, whatever addresses it has")
  func interfaces() {
    let hexes = [
      "0000000a82000004effffffa076c", "0000000a82000104effffffa076c", "0000000a83000004effffffa076c",
      "0000000a83000104effffffa076c", "00000011810001138804effffffa076c0400026869",
      "00000011810000138804effffffa076c0400026869",
    ]
    let wishes = hexes.flatMap { FrameBytes.bytes($0) } + Self.ready
    var play = Play([[Self.ready], [Self.ready], [wishes], [wishes]])
    play.tell(Self.up)
    play.tell(Self.interface(1, isUp: false, [IPAddress(10, 0, 1, 2)]))
    let effects = play.outbox.effects
    expectEqual(effects.count, 3)
    expectEqual(effects.prefix(2), [.join(Self.group, InterfaceID(0)), .leave(Self.group, InterfaceID(0))])
    if case .transmit(let datagram)? = effects.last {
      expectEqual(datagram.source, Endpoint(IPAddress(10, 0, 0, 2), port: 5_000))
      expectEqual(datagram.destination, Self.group)
      expectEqual(datagram.interface, InterfaceID(0))
      expectEqual(datagram.hopLimit, 4)
    } else {
      Issue.record("\(effects)")
    }
    // Then the first one goes down, too.
    play.tell(Self.interface(0, isUp: false, []), at: Instant(nanoseconds: 1))
    expectEqual(play.outbox.count, 3)
    expectEqual(play.link.end(), EngineEnd())
  }

  @Test("what it finds, sees change and fails at is reported in order")
  func reports() {
    let seen = "0006757569643a31010009687474703a2f2f612f040a0000010000010000000900"
    let hexes = ["0000002284" + seen, "0000002485" + seen + "0100", "0000000889020001" + "00000000"]
    var play = Play([[Self.ready], [hexes.flatMap { FrameBytes.bytes($0) } + Self.ready]])
    play.tell(Self.up)
    let sighting = DeviceSighting(
      device: "uuid:1", location: "http://a/", source: IPAddress(10, 0, 0, 1), interface: InterfaceID(0), bootID: 9)
    let failure = Failure(reason: .cannotSend, interface: InterfaceID(0), explanation: "")
    expectEqual(
      play.outbox.effects,
      [
        .report(.found(sighting)), .report(.changed(sighting, .location(from: nil))), .report(.failed(failure)),
      ])
  }

  @Test("of two searches each ends with the services that were told of it, and the second end of one has none")
  func searches() {
    func service(_ number: Int) -> [UInt8] {
      FrameBytes.bytes("0000001c870000000\(number)0006757569643a310009757569643a313a3a6200016200")
    }
    let ends = ["00000006880000000801", "00000006880000000700", "00000006880000000700"]
    let said = service(7) + service(8) + service(7) + ends.flatMap { FrameBytes.bytes($0) }
    var play = Play([[Self.ready], [Self.ready], [said + Self.ready]])
    play.tell(.command(.search(Search(id: SearchID(7), target: "a:b"))))
    play.tell(.command(.search(Search(id: SearchID(8), target: "c"))))
    func heard(_ number: UInt32) -> ServiceSighting {
      ServiceSighting(search: SearchID(number), device: "uuid:1", usn: "uuid:1::b", target: "b", location: nil)
    }
    func ended(_ number: UInt32, _ target: String, _ services: [ServiceSighting], _ wasStopped: Bool) -> Effect {
      .report(
        .searchEnded(
          SearchOutcome(search: SearchID(number), target: target, services: services, wasStopped: wasStopped)))
    }
    expectEqual(
      play.outbox.effects,
      [
        .report(.service(heard(7))), .report(.service(heard(8))), .report(.service(heard(7))),
        ended(8, "c", [heard(8)], true), ended(7, "a:b", [heard(7), heard(7)], false), ended(7, "a:b", [], false),
      ])
  }

  // MARK: - Time, notes and the end

  @Test("it is woken at the instant that it asked for and later, never before, and once")
  func wakes() {
    let later = FrameBytes.bytes("0000000a8f01000000012a05f200")
    var play = Play([[Self.ready], [later], [Self.ready], [later]])
    play.tell(Self.up)
    expectEqual(play.engine.deadline, Instant(nanoseconds: 5_000_000_000))
    play.wake(4_999_999_999)
    expectEqual(play.channel.heard.count, 2)
    play.wake(5_000_000_001)
    expectEqual(play.channel.heard.map(FrameBytes.hex).last, "0000000904000000012a05f201")
    expectEqual(play.engine.deadline, nil)
    play.wake(6_000_000_000)
    expectEqual(play.channel.heard.count, 3)
    // A deadline that has passed is none.
    play.tell(.command(.stop), at: Instant(nanoseconds: 5_000_000_000))
    expectEqual(
      play.link.end().failure,
      "the engine failed: its frame 4, byte 6 (READY), in answer to STOP at 5.000000000: "
        + "expected a deadline later than now, 5.000000000, found 5.000000000")
  }

  @Test("the last twenty lines that it logged are kept, of each the first two hundred characters")
  func notes() {
    let letters = Array("abcdefghijklmnopqrstu").map { String($0) }
    let long = String(repeating: "é", count: 201)
    var play = Play([[Self.ready], [Self.log(letters.joined(separator: "\n")) + Self.ready], [Self.log("v\n\nw")]])
    play.tell(Self.up)
    play.tell(.command(.stop))
    expectEqual(play.link.end().notes, Array(letters.dropFirst(3)) + ["v", "w", "on standard error:", "Traceback"])
    var other = Play([[Self.ready], [Self.log(long) + [0, 0, 0, 1, 0x77]]])
    other.tell(Self.up)
    expectEqual(other.link.end().notes, [String(long.dropLast()), "on standard error:", "Traceback"])
  }

  @Test("one that failed hears and says nothing more, and one that takes no frame is told at which")
  func silence() {
    var play = Play([[Self.ready], [[0, 0, 0, 1, 0x77]], [Self.ready]])
    play.tell(Self.up)
    expectEqual(play.channel.heard.count, 2)
    play.tell(.command(.stop), at: Instant(nanoseconds: 7))
    play.wake(8)
    expectEqual(play.channel.heard.count, 2)
    expectEqual(play.engine.deadline, nil)
    expectEqual(play.outbox.count, 0)
    var refusing = Play([[Self.ready]])
    refusing.channel.refusal = EngineFailure("it takes nothing")
    refusing.tell(Self.up)
    expectEqual(refusing.link.end().failure, "the engine failed: it takes nothing, where it was given HELLO")
    var later = Play([[Self.ready], [Self.ready]])
    later.tell(Self.up)
    later.channel.refusal = EngineFailure("it takes nothing")
    later.tell(.command(.stop), at: Instant(nanoseconds: 7))
    expectEqual(
      later.link.end().failure, "the engine failed: it takes nothing, where it was given STOP at 0.000000007")
    expectEqual(later.channel.isKilled, true)
  }
}
