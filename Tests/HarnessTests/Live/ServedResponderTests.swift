import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallServing
import RollcallWire
import Testing

@Suite("Served responders of multicast DNS") struct ServedResponderTests {
  private let own = IPAddress(10, 77, 1, 10)
  private let asker = IPAddress(10, 77, 1, 20)
  private let yaml = """
    scenario: Two printers
    duration: 60s
    inhabitants:
      printer:
        kind: mdns-responder
        count: 2
        services: [{type: _ipp._tcp, name: Printer, port: 631}]
    """

  private final class Wire {
    var left: [(datagram: Datagram, message: DNSMessage)] = []
  }

  private func make(_ yaml: String) throws -> (ServedWorld, Wire) {
    let resolved = try Scenario(yaml: yaml, file: "test.yaml").resolved()
    let plan = ServedPlan(resolved, interfaces: [[InterfaceAddress(own, prefixBits: 24)]], hasOwnAddresses: false)
    let world = ServedWorld(plan, options: .init(seed: Seed(1)))
    let wire = Wire()
    world.send = { datagram, bytes in
      if let read = try? DNSReader.read(bytes) { wire.left.append((datagram, read.message)) }
    }
    world.begin()
    return (world, wire)
  }

  private func ask(_ world: ServedWorld, _ name: String, _ type: DNSType, port: UInt16, at now: Instant) throws {
    let message = DNSMessage(flags: .query, questions: [DNSQuestion(try #require(DNSName(name)), type)])
    message.written().bytes.withUnsafeBytes {
      world.enter($0, from: Endpoint(asker, port: port), to: .mdns(.v4), interface: InterfaceID(0), at: now)
    }
  }

  @Test("its groups are joined beside those of SSDP, and only where somebody answers there")
  func groups() throws {
    let (world, _) = try make(yaml)
    expectEqual(world.plan.groups.map(\.group), [.ssdp(.v4), .mdns(.v4)])
    let (other, _) = try make("scenario: S\nduration: 9s\ninhabitants: {tv: {kind: root-device}}")
    expectEqual(other.plan.groups.map(\.group), [.ssdp(.v4)])
  }

  @Test("names are claimed from the interface's address, which is the only one that is announced")
  func announces() throws {
    let (world, wire) = try make(yaml)
    world.advance(to: .zero + .seconds(5))
    expectEqual(Set(wire.left.map(\.datagram.source)), [Endpoint(own, port: 5_353)])
    expectEqual(Set(wire.left.map(\.datagram.destination)), [.mdns(.v4)])
    expectEqual(Set(wire.left.map(\.datagram.hopLimit)), [255])
    let addresses = wire.left.flatMap(\.message.answers).compactMap { record -> IPAddress? in
      if case .address(let address) = record.data { address } else { nil }
    }
    expectEqual(Set(addresses), [own])
    // Two services of one name: the second one takes another.
    let names = wire.left.flatMap(\.message.answers).compactMap { record -> String? in
      if case .srv = record.data { record.name.description } else { nil }
    }
    expectEqual(Set(names).count, 2)
  }

  @Test("where no interface stands for its segment, it announces nothing at all")
  func elsewhere() throws {
    let (world, wire) = try make(
      """
      scenario: A printer in the attic
      duration: 60s
      network: {segments: {lan: {}, attic: {}}}
      engine: {interfaces: [{segment: lan}, {segment: attic}]}
      inhabitants:
        printer:
          kind: mdns-responder
          segment: attic
          services: [{type: _ipp._tcp, name: Printer, port: 631}]
      """)
    world.advance(to: .zero + .seconds(5))
    expectEqual(wire.left.count, 0)
    expectEqual([world.tally.left, world.tally.withoutAddress], [0, 0])
  }

  @Test("a query from outside is answered, one from another port by unicast, and the end says goodbye")
  func answers() throws {
    let (world, wire) = try make(yaml)
    world.advance(to: .zero + .seconds(10))
    wire.left = []
    try ask(world, "printer-1.local.", .a, port: 40_000, at: .zero + .seconds(10))
    world.advance(to: .zero + .seconds(11))
    expectEqual(wire.left.map(\.datagram.destination), [Endpoint(asker, port: 40_000)])
    wire.left = []
    try ask(world, "_ipp._tcp.local.", .ptr, port: 5_353, at: .zero + .seconds(20))
    world.advance(to: .zero + .seconds(21))
    expectEqual(wire.left.map(\.datagram.destination), [.mdns(.v4), .mdns(.v4)])
    wire.left = []
    world.end(at: .zero + .seconds(22))
    let pointers = wire.left.flatMap(\.message.answers).filter { if case .ptr = $0.data { true } else { false } }
    #expect(!pointers.isEmpty && pointers.allSatisfy { $0.ttlSeconds == 0 })
  }
}
