import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import Testing

@testable import RollcallServing

/// Streams between both networks, signal by signal, at instants that the test names.
@Suite("Streams of served scenarios") struct ServedStreamsTests {
  /// What is wanted of one of the two networks.
  private enum Wanted: Equatable {
    case outside(StreamEffect)
    case inside(StreamEffect)
  }

  /// The streams of two devices behind an interface each.
  private struct Bridge {
    let plan: ServedPlan
    var streams = ServedStreams()

    init() throws {
      let yaml = """
        scenario: S
        duration: 60s
        network: {segments: {lan: {}, attic: {subnet: 192.168.2.0/24}}}
        engine: {interfaces: [{segment: lan}, {segment: attic}]}
        inhabitants:
          tv: {kind: root-device, profile: tv, segment: lan}
          lamp: {kind: root-device, profile: smart-plug, segment: attic}
        """
      let addresses = [ServedStreamsTests.page.address, ServedStreamsTests.lampPage.address]
      plan = ServedPlan(
        try Scenario(yaml: yaml, file: "test.yaml").resolved(),
        interfaces: addresses.map { [InterfaceAddress($0, prefixBits: 24)] }, hasOwnAddresses: false)
    }

    private static func wanted(_ wants: [ServedStreams.Want]) -> [Wanted] {
      wants.map { want -> Wanted in
        switch want {
        case .outside(let effect): .outside(effect)
        case .inside(let effect): .inside(effect)
        }
      }
    }

    mutating func begin() -> [Wanted] { Bridge.wanted(streams.begin(plan)) }
    mutating func outside(_ signal: StreamSignal, at seconds: Int64 = 0) -> [Wanted] {
      Bridge.wanted(streams.outside(signal, plan: plan, at: .zero + .seconds(seconds)))
    }
    mutating func inside(_ signal: StreamSignal, at seconds: Int64 = 0) -> [Wanted] {
      Bridge.wanted(streams.inside(signal, at: .zero + .seconds(seconds)))
    }
    mutating func advance(toSecond seconds: Int64) -> [Wanted] {
      Bridge.wanted(streams.advance(to: .zero + .seconds(seconds)))
    }
    /// `nil`: never.
    var deadline: Instant? { streams.deadline == .never ? nil : streams.deadline }
  }

  private static let page = Endpoint(IPAddress(10, 77, 1, 10), port: 7_676)
  private static let lampPage = Endpoint(IPAddress(10, 77, 2, 10), port: 49_153)
  private static let program = Endpoint(IPAddress(10, 77, 1, 20), port: 40_000)
  private static let subscriber = Endpoint(IPAddress(10, 77, 2, 20), port: 5_000)

  private func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// A device opened a stream to the subscriber, past the gateway's listener of this number.
  private func opened(_ stream: StreamID, _ listener: UInt32) -> StreamSignal {
    .accepted(stream, listener: StreamID(listener), local: Self.subscriber, remote: Self.page)
  }
  /// A program connected to the television's page.
  private func came(_ stream: StreamID) -> StreamSignal {
    .accepted(stream, listener: StreamID(1), local: Self.page, remote: Self.program)
  }

  @Test("what a device opens is opened outside by the interface of its network, and each side ends it in its time")
  func fromDevice() throws {
    var bridge = try Bridge()
    let anywhere = Endpoint(IPAddress(0, 0, 0, 0), port: 0)
    expectEqual(
      bridge.begin(),
      [
        .outside(.listen(StreamID(1), at: Self.page, InterfaceID(0))),
        .outside(.listen(StreamID(2), at: Self.lampPage, InterfaceID(1))),
        .inside(.listen(StreamID(1), at: anywhere, InterfaceID(0))),
        .inside(.listen(StreamID(2), at: anywhere, InterfaceID(1))),
      ])
    expectEqual(bridge.streams.listeners.map(\.stream), [StreamID(1), StreamID(2)])
    expectEqual(bridge.streams.listeners.map(\.at.endpoint), [Self.page, Self.lampPage])
    let (first, second) = (StreamID(800), StreamID(801))
    // No listener has this number.
    expectEqual(bridge.inside(opened(first, 3)), [.inside(.reset(first))])
    expectEqual(bridge.deadline, nil)
    expectEqual(
      bridge.inside(opened(first, 2), at: 1), [.outside(.connect(StreamID(3), to: Self.subscriber, InterfaceID(1)))])
    expectEqual(
      bridge.inside(opened(second, 1), at: 2), [.outside(.connect(StreamID(4), to: Self.subscriber, InterfaceID(0)))])
    expectEqual(bridge.deadline, at(31))

    // The device ends first: what comes from outside still reaches it, and then its end.
    expectEqual(bridge.outside(.room(StreamID(3), byteCount: 100), at: 3), [])
    expectEqual(bridge.inside(.room(first, byteCount: 100), at: 3), [])
    expectEqual(
      bridge.inside(.bytes(first, bytes("event")), at: 3), [.outside(.write(StreamID(3), bytes("event")))])
    expectEqual(bridge.inside(.ended(first, .finished), at: 3), [.outside(.finish(StreamID(3)))])
    expectEqual(bridge.outside(.bytes(StreamID(3), bytes("ok")), at: 4), [.inside(.write(first, bytes("ok")))])
    expectEqual(bridge.outside(.ended(StreamID(3), .finished), at: 4), [.inside(.finish(first))])
    expectEqual(bridge.deadline, at(32))
    // The outside ends first.
    expectEqual(bridge.outside(.ended(StreamID(4), .finished), at: 5), [.inside(.finish(second))])
    expectEqual(bridge.inside(.ended(second, .finished), at: 5), [.outside(.finish(StreamID(4)))])
    expectEqual(bridge.deadline, nil)

    // An end comes behind all that was said; where there is no room for that in time, both sides are reset.
    let third = StreamID(802)
    expectEqual(
      bridge.inside(opened(third, 1), at: 10), [.outside(.connect(StreamID(5), to: Self.subscriber, InterfaceID(0)))])
    expectEqual(bridge.inside(.ended(third, .finished), at: 10), [.outside(.finish(StreamID(5)))])
    expectEqual(bridge.outside(.bytes(StreamID(5), bytes("late")), at: 11), [])
    expectEqual(bridge.outside(.ended(StreamID(5), .finished), at: 11), [])
    expectEqual(bridge.inside(.room(third, byteCount: 2), at: 12), [.inside(.write(third, bytes("la")))])
    expectEqual(bridge.advance(toSecond: 39), [])
    expectEqual(bridge.advance(toSecond: 40), [.outside(.reset(StreamID(5))), .inside(.reset(third))])
    expectEqual(bridge.deadline, nil)

    // Any other end of one side resets the other, but for one that was told the end.
    let (fourth, fifth, sixth) = (StreamID(803), StreamID(804), StreamID(805))
    for stream in [fourth, fifth, sixth] { expectEqual(bridge.inside(opened(stream, 1), at: 50).count, 1) }
    expectEqual(bridge.inside(.ended(fourth, .reset), at: 50), [.outside(.reset(StreamID(6)))])
    expectEqual(bridge.outside(.ended(StreamID(7), .refused), at: 50), [.inside(.reset(fifth))])
    expectEqual(bridge.inside(.ended(sixth, .finished), at: 50), [.outside(.finish(StreamID(8)))])
    expectEqual(bridge.inside(.ended(sixth, .reset), at: 50), [])
    expectEqual(bridge.deadline, nil)
    // Messages of devices are no answers.
    expectEqual([bridge.streams.servedCount, bridge.streams.refusedCount], [0, 0])
  }

  @Test("a program that asks is joined to the device; the end of one side is handed on once, and behind it nothing")
  func fromOutside() throws {
    var bridge = try Bridge()
    _ = bridge.begin()
    let way = try #require(bridge.plan.wayIn(to: bridge.plan.devices[0], at: Self.page))
    let request = bytes("GET /smp_18_ HTTP/1.1\r\nHOST: x\r\n\r\n")
    func ask(_ outer: StreamID, _ inner: StreamID) {
      expectEqual(bridge.outside(came(outer)), [])
      expectEqual(bridge.outside(.bytes(outer, request)), [.inside(.connect(inner, to: way.endpoint, way.interface))])
      expectEqual(bridge.inside(.room(inner, byteCount: 1_000)), [.inside(.write(inner, request))])
    }
    // The program says no more, and is answered.
    var (outer, inner) = (StreamID(900), StreamID(3))
    ask(outer, inner)
    expectEqual(bridge.outside(.ended(outer, .finished)), [.inside(.finish(inner))])
    expectEqual(bridge.outside(.bytes(outer, bytes("more"))), [])
    expectEqual(bridge.outside(.room(outer, byteCount: 100)), [])
    expectEqual(bridge.deadline, nil)
    let answer = bytes("HTTP/1.1 200 OK\r\n\r\n")
    expectEqual(bridge.inside(.bytes(inner, answer)), [.outside(.write(outer, answer))])
    expectEqual([bridge.streams.servedCount, bridge.streams.refusedCount], [1, 0])
    expectEqual(bridge.inside(.ended(inner, .finished), at: 5), [.outside(.finish(outer))])
    expectEqual(bridge.deadline, at(35))
    expectEqual(bridge.outside(.ended(outer, .reset), at: 6), [])
    expectEqual(bridge.deadline, nil)

    // The device ends first: what the program says from then on is for nobody.
    (outer, inner) = (StreamID(901), StreamID(4))
    ask(outer, inner)
    expectEqual(bridge.outside(.room(outer, byteCount: 5)), [])
    expectEqual(bridge.inside(.bytes(inner, bytes("HTTP/1.1 204"))), [.outside(.write(outer, bytes("HTTP/")))])
    expectEqual(bridge.outside(.room(outer, byteCount: 100)), [.outside(.write(outer, bytes("1.1 204")))])
    expectEqual(
      bridge.inside(.ended(inner, .finished), at: 7), [.outside(.finish(outer)), .inside(.finish(inner))])
    expectEqual(bridge.outside(.bytes(outer, bytes("more")), at: 7), [])
    expectEqual(bridge.inside(.room(inner, byteCount: 10), at: 7), [])
    expectEqual(bridge.inside(.ended(inner, .reset), at: 7), [])
    expectEqual(bridge.deadline, nil)

    // Neither side has a device or a program any more.
    (outer, inner) = (StreamID(902), StreamID(5))
    ask(outer, inner)
    expectEqual(bridge.outside(.ended(outer, .reset)), [.inside(.reset(inner))])
    (outer, inner) = (StreamID(903), StreamID(6))
    ask(outer, inner)
    expectEqual(bridge.inside(.ended(inner, .timedOut)), [.outside(.reset(outer))])
    // Of these nobody knows yet which device they mean.
    outer = StreamID(904)
    expectEqual(bridge.outside(came(outer), at: 8), [])
    expectEqual(bridge.outside(.bytes(outer, Array(request.prefix(9))), at: 8), [])
    expectEqual(bridge.deadline, at(38))
    expectEqual(bridge.outside(.ended(outer, .finished), at: 8), [.outside(.reset(outer))])
    outer = StreamID(905)
    expectEqual(bridge.outside(came(outer), at: 8), [])
    expectEqual(bridge.outside(.ended(outer, .reset), at: 8), [])
    expectEqual(bridge.deadline, nil)
    expectEqual([bridge.streams.servedCount, bridge.streams.refusedCount], [2, 0])
  }

  @Test("there are 1 024 streams at a time, of devices and of programs; more are reset, and one that ends makes room")
  func bounds() throws {
    expectEqual(ServedStreams.pendingBytesMaximum, 262_144)
    var bridge = try Bridge()
    _ = bridge.begin()
    for number in 5_000..<6_024 as Range<UInt32> { expectEqual(bridge.outside(came(StreamID(number))), []) }
    expectEqual(bridge.outside(came(StreamID(6_024))), [.outside(.reset(StreamID(6_024)))])
    let device = StreamID(800)
    expectEqual(bridge.inside(opened(device, 1)), [.inside(.reset(device))])
    expectEqual(bridge.outside(.ended(StreamID(5_000), .reset)), [])
    expectEqual(
      bridge.inside(opened(device, 1)), [.outside(.connect(StreamID(3), to: Self.subscriber, InterfaceID(0)))])
    expectEqual(bridge.outside(came(StreamID(6_024))), [.outside(.reset(StreamID(6_024)))])
    let late = bridge.advance(toSecond: 30)
    expectEqual(late.count, 1_025)
    expectEqual(
      late.prefix(1) + late.suffix(2),
      [.outside(.reset(StreamID(5_001))), .outside(.reset(StreamID(3))), .inside(.reset(device))])
  }
}
