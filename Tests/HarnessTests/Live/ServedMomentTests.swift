import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallServing
import Testing

/// What happens in a served world at which moment of the real clock, and what is left to happen.
@Suite("Moments of served worlds") struct ServedMomentTests {
  private let own = IPAddress(10, 77, 1, 10)
  private let asker = Endpoint(IPAddress(10, 77, 1, 20), port: 40_000)

  private final class Wire {
    var texts: [String] = []
    var wants: [StreamEffect] = []
  }

  private func make(_ yaml: String, speed: Int64 = 1) throws -> (ServedWorld, Wire) {
    let resolved = try Scenario(yaml: "scenario: S\nduration: 60s\n" + yaml, file: "test.yaml").resolved()
    let plan = ServedPlan(resolved, interfaces: [[InterfaceAddress(own, prefixBits: 24)]], hasOwnAddresses: false)
    let world = ServedWorld(plan, options: .init(seed: Seed(1), speed: speed))
    let wire = Wire()
    world.send = { _, bytes in wire.texts.append(String(decoding: bytes, as: UTF8.self)) }
    world.want = { wire.wants.append($0) }
    world.begin()
    return (world, wire)
  }

  /// A host that speaks to somebody outside, on a network where nothing else happens.
  private func pen(_ times: [String]) -> String {
    let lines = times.map { "{at: \($0), text: \"\($0)\", to: \"10.77.1.20:50000\"}" }.joined(separator: ", ")
    return "engine: {refuses-joins: true}\ninhabitants: {pen: {kind: script, lines: [\(lines)]}}\n"
  }

  private let two = """
    inhabitants:
      tv: {kind: root-device, profile: tv}
      plug: {kind: root-device, profile: smart-plug}

    """

  // MARK: - The clock

  @Test("the deadline is the first nanosecond of the real clock at which something is due; `nil` where nothing is")
  func deadline() throws {
    let cases: [(speed: Int64, nanoseconds: Int64)] = [
      (1, 1_000_000_000), (3, 333_333_334), (7, 142_857_143), (10, 100_000_000),
    ]
    for (speed, nanoseconds) in cases {
      let (world, wire) = try make(pen(["1s"]), speed: speed)
      world.advance(to: .zero)
      expectEqual(world.deadline, Instant(nanoseconds: nanoseconds), "\(speed)")
      world.advance(to: Instant(nanoseconds: nanoseconds - 1))
      expectEqual(wire.texts, [], "\(speed)")
      world.advance(to: Instant(nanoseconds: nanoseconds))
      expectEqual(wire.texts, ["1s"], "\(speed)")
      expectEqual(world.deadline, nil, "\(speed)")
    }
  }

  @Test("at the end everything up to then happens, and two seconds more")
  func end() throws {
    let (world, wire) = try make(pen(["1s", "11s", "12s", "12001ms"]))
    world.end(at: .zero + .seconds(10))
    expectEqual(wire.texts, ["1s", "11s", "12s"])
    let (devices, heard) = try make(two)
    devices.end(at: .zero + .seconds(30))
    let byebyes = heard.texts.filter { $0.contains("NT: upnp:rootdevice") }.map { $0.contains("NTS: ssdp:byebye") }
    expectEqual(byebyes.first, false)
    expectEqual(Array(byebyes.suffix(2)), [true, true])
  }

  @Test("a datagram from outside enters at its moment, and one that is longer than UDP carries does not")
  func enters() throws {
    func enter(_ world: ServedWorld, _ count: Int, _ now: Instant) {
      [UInt8](repeating: 65, count: count).withUnsafeBytes {
        world.enter($0, from: asker, to: Endpoint(own, port: 1_900), interface: InterfaceID(0), at: now)
      }
    }
    let (world, wire) = try make("network: {link: {latency: 100ms}}\n" + pen(["1s"]))
    enter(world, 1, .zero + .seconds(5))
    expectEqual(wire.texts, ["1s"])
    // It is at the switch after one link, and at the host after another.
    expectEqual(world.deadline, .zero + .milliseconds(5_100))
    world.advance(to: .zero + .milliseconds(5_100))
    expectEqual(world.deadline, .zero + .milliseconds(5_200))
    world.advance(to: .zero + .milliseconds(5_200))
    expectEqual(world.deadline, nil)
    enter(world, 65_536, .zero + .seconds(6))
    expectEqual(world.tally.entered, 1)
    enter(world, 65_535, .zero + .seconds(6))
    expectEqual(world.tally.entered, 2)
  }

  // MARK: - Nothing waits

  /// A program outside connects and asks for the description of the plug.
  private func ask(_ world: ServedWorld, at now: Instant, _ check: (String) -> Void = { _ in }) {
    let (stream, listener) = (StreamID(.max), Endpoint(own, port: 49_153))
    world.take(.accepted(stream, listener: StreamID(2), local: listener, remote: asker), at: now)
    check("accepted")
    world.take(.room(stream, byteCount: 65_536), at: now)
    check("room")
    world.take(.bytes(stream, Array("GET /setup.xml HTTP/1.1\r\nHOST: x\r\n\r\n".utf8)), at: now)
    check("bytes")
  }

  private func written(_ wants: [StreamEffect]) -> String {
    wants.map { if case .write(_, let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { "" } }.joined()
  }

  @Test("after each call nothing is left that is due by then, where nothing takes time on its way")
  func settled() throws {
    let (world, wire) = try make(two)
    func check(_ what: String, _ now: Instant) {
      let next = world.deadline
      if let next { #expect(next > now, "\(what)") }
      let before = wire.wants
      world.advance(to: now)
      expectEqual(wire.wants, before, "\(what)")
      expectEqual(world.deadline, next, "\(what)")
    }
    let search = "M-SEARCH * HTTP/1.1\r\nHOST: \(own):1900\r\nMAN: \"ssdp:discover\"\r\nST: upnp:rootdevice\r\n\r\n"
    Array(search.utf8).withUnsafeBytes {
      world.enter(
        $0, from: asker, to: Endpoint(own, port: 1_900), interface: InterfaceID(0), at: .zero + .seconds(2))
    }
    check("entered", .zero + .seconds(2))
    // No call but this one moves the clock.
    let now = Instant.zero + .seconds(5)
    ask(world, at: now) { check($0, now) }
    world.advance(to: .zero + .seconds(7))
    #expect(written(wire.wants).hasPrefix("HTTP/1.1 200 OK\r\n"), "\(wire.wants)")
  }

  @Test("what a device says at the very moment up to which time passes is handed on, however long the step was")
  func handedOn() throws {
    let yaml = "network: {link: {latency: 100ms}}\n" + two
    let asked = Instant.zero + .seconds(3)
    let (slow, slowWire) = try make(yaml)
    ask(slow, at: asked)
    var moment = asked
    while written(slowWire.wants).isEmpty, let next = slow.deadline, next < asked + .seconds(10) {
      moment = next
      slow.advance(to: moment)
    }
    #expect(written(slowWire.wants).hasPrefix("HTTP/1.1 200 OK\r\n"), "\(slowWire.wants)")
    // The handshake, the request and the response take two links each way, from the request on.
    #expect(moment >= asked + .milliseconds(800), "\(moment)")
    let (quick, quickWire) = try make(yaml)
    ask(quick, at: asked)
    expectEqual(written(quickWire.wants), "")
    quick.advance(to: moment)
    expectEqual(quickWire.wants, slowWire.wants)
  }

  @Test("a listener that the system refuses is named, and the end of another stream names none")
  func refused() throws {
    let (world, _) = try make(two)
    let listeners = world.plan.pageListeners
    expectEqual(listeners.map(\.endpoint.port), [7_676, 49_153])
    let refused = [1, 2, 3].map { world.take(.ended(StreamID($0), .refused), at: .zero + .seconds(1)) }
    expectEqual(refused, [listeners[0], listeners[1], nil])
  }
}
