import RollcallExpectations
import RollcallPeers
import RollcallPrimitives
import RollcallScenarios
import RollcallServing
import RollcallSessions
import RollcallWire
import Testing

@Suite("Served nearby peers") struct ServedPeerTests {
  private let outside = IPAddress(10, 77, 1, 20)
  private let yaml = """
    scenario: A lamp that accepts
    duration: 60s
    network: {segments: {lan: {subnet: 10.77.1.0/24}}}
    inhabitants:
      lamp: {kind: nearby-peer, address: 10.77.1.30, info: ["room=1"], sends: [{text: hello}]}
      person: {kind: phone, address: 10.77.1.31}
      tv: {kind: root-device, address: 10.77.1.32}
    """

  private func make(hasOwnAddresses: Bool) throws -> ServedWorld {
    let resolved = try Scenario(yaml: yaml, file: "test.yaml").resolved()
    let plan = ServedPlan(
      resolved, interfaces: [[InterfaceAddress(IPAddress(10, 77, 1, 10), prefixBits: 24)]],
      hasOwnAddresses: hasOwnAddresses)
    return ServedWorld(plan, options: .init(seed: Seed(1), hasOwnAddresses: hasOwnAddresses))
  }

  @Test(
    "with addresses of their own they have both ports and the group; behind one address they are left out, and said so")
  func ports() throws {
    let own = try make(hasOwnAddresses: true).plan
    let ports = own.searchListeners.filter { $0.endpoint.address == IPAddress(10, 77, 1, 30) }.map(\.endpoint.port)
    expectEqual(ports, [1_900, 5_353, 49_400])
    expectEqual(own.groups.map(\.group), [.ssdp(.v4), .mdns(.v4)])
    expectEqual(own.inhabitantCount, 2)
    let phones = "phones are left out: they are there for applications of a test"
    #expect(own.notes.contains(phones) && !own.notes.contains { $0.hasPrefix("nearby peers") })
    let shared = try make(hasOwnAddresses: false).plan
    expectEqual(shared.groups.map(\.group), [.ssdp(.v4)])
    expectEqual(shared.inhabitantCount, 1)
    #expect(
      shared.notes.contains("nearby peers are left out: each needs an address of its own (--add-addresses)")
        && shared.notes.contains(phones))
  }

  @Test("one that is left out says nothing")
  func silent() throws {
    let world = try make(hasOwnAddresses: false)
    var ports: Set<UInt16> = []
    world.send = { datagram, _ in ports.insert(datagram.destination.port) }
    world.begin()
    world.advance(to: .zero + .seconds(10))
    expectEqual(ports, [1_900])
  }

  @Test("a peer outside finds a served one, invites it, is sent a message, and hears its goodbye")
  func meets() throws {
    let world = try make(hasOwnAddresses: true)
    var records: [DNSRecord] = []
    var packets: [(Datagram, [UInt8])] = []
    world.send = { datagram, bytes in
      if datagram.destination == .mdns(.v4), let read = try? DNSReader.read(bytes) {
        records += read.message.answers
      } else if datagram.destination == Endpoint(outside, port: 49_400) {
        packets.append((datagram, Array(bytes)))
      }
    }
    world.begin()
    world.advance(to: .zero + .seconds(5))
    let id = NearbyPeerPlan.id(ofHost: "lamp", 0)
    let instance = try #require(DNSName(labels: [PeerRecord.instance(of: id), "_nearby", "_udp", "local"]))
    #expect(records.contains { $0.name == instance && $0.type == .srv })
    #expect(records.contains { $0.data == .address(IPAddress(10, 77, 1, 30)) })

    let cipher = StandInCipher(seed: [1])
    var session = SessionMachine(
      card: SessionCard(id: SessionPeerID(high: 0, low: 1), name: "outside", key: cipher.identityKey), cipher: cipher,
      at: Endpoint(outside, port: 49_400), interface: InterfaceID(0), seed: Seed(1))
    var outbox = Outbox(payloads: PayloadStore())
    var now = Instant.zero + .seconds(5)
    try session.invite(id, at: Endpoint(IPAddress(10, 77, 1, 30), port: 49_400), at: now, into: &outbox)
    var events: [SessionEvent] = []
    for _ in 0..<40 {
      // What was said goes in, what comes out is heard, and 50 ms pass.
      for position in 0..<outbox.count {
        guard let datagram = outbox.datagram(at: position) else { continue }
        world.enter(
          outbox.payloads.bytes(of: datagram.payload), from: datagram.source, to: datagram.destination,
          interface: InterfaceID(0), at: now)
        outbox.payloads.release(datagram.payload)
      }
      outbox.removeAll()
      now = now + .milliseconds(50)
      world.advance(to: now)
      for (datagram, bytes) in packets {
        let payload = outbox.payloads.store(bytes)
        session.receive(
          Datagram(
            source: datagram.source, destination: datagram.destination, interface: InterfaceID(0), hopLimit: 1,
            payload: payload), at: now, into: &outbox)
        outbox.payloads.release(payload)
      }
      packets = []
      session.wake(at: now, into: &outbox)
      events += session.takeEvents()
    }
    expectEqual(session.connectedPeers, [id])
    #expect(events.contains(.message(id, Array("hello".utf8), isReliable: true)), "\(events)")
    records = []
    world.end(at: now)
    #expect(records.contains { $0.ttlSeconds == 0 && $0.type == .ptr })
    #expect(!packets.isEmpty)
  }
}
