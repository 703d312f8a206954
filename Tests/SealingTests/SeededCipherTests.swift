import RollcallExpectations
import RollcallPrimitives
import RollcallSealing
import RollcallSessions
import RollcallSimulation
import RollcallTrace
import RollcallWire
import Testing

@Suite("Keys and seals from seeded bytes")
struct SeededCipherTests {
  private let one = SeededCipher(seed: [1])
  private let other = SeededCipher(seed: [2])

  @Test("the same seed gives the same keys and signatures; another gives others")
  func deterministic() {
    expectEqual(SeededCipher(seed: [1]).identityKey, one.identityKey)
    expectEqual(SeededCipher(seed: [1]).signature(of: [5]), one.signature(of: [5]))
    expectEqual(SeededCipher(seed: [1]).agreementKey(3), one.agreementKey(3))
    #expect(one.identityKey != other.identityKey && one.agreementKey(3) != one.agreementKey(4))
  }

  @Test("a signature is of these bytes by this key")
  func signatures() {
    let signature = one.signature(of: [1, 2, 3])
    #expect(one.isSignature(signature, of: [1, 2, 3], by: one.identityKey))
    #expect(!one.isSignature(signature, of: [1, 2, 4], by: one.identityKey))
    #expect(!one.isSignature(signature, of: [1, 2, 3], by: other.identityKey))
    #expect(!one.isSignature(signature, of: [1, 2, 3], by: [1]))
  }

  @Test("a packet opens on the other side as it was; changed anywhere, or under another number, it does not")
  func seals() throws {
    let transcript: [UInt8] = [7]
    let asker = try #require(one.channel(1, with: other.agreementKey(2), transcript: transcript, isAsker: true))
    let answerer = try #require(other.channel(2, with: one.agreementKey(1), transcript: transcript, isAsker: false))
    let stranger = try #require(other.channel(2, with: one.agreementKey(1), transcript: [8], isAsker: false))
    let plain = [UInt8](0..<40)
    var sealed = plain + [UInt8](repeating: 0, count: 16)
    sealed.withUnsafeMutableBytes { asker.seal($0, headerBytes: 17, count: 23, number: 9) }
    func open(_ channel: any SealedChannel, _ bytes: [UInt8], _ number: Int = 9) -> [UInt8]? {
      var room = [UInt8](repeating: 0, count: 40)
      let isRight = bytes.withUnsafeBytes { bytes in
        room.withUnsafeMutableBytes { channel.open(bytes, headerBytes: 17, number: number, into: $0) }
      }
      return isRight ? room : nil
    }
    expectEqual(open(answerer, sealed), plain)
    expectEqual(open(answerer, sealed, 10), nil)
    expectEqual(open(asker, sealed), nil)
    expectEqual(open(stranger, sealed), nil)
    for place in sealed.indices {
      var changed = sealed
      changed[place] ^= 1
      expectEqual(open(answerer, changed), nil, "byte \(place)")
    }
    // The point of small order is no key to agree with.
    #expect(one.channel(1, with: [UInt8](repeating: 0, count: 32), transcript: [], isAsker: true) == nil)
  }

  /// What Python's `cryptography` makes of the same seeds, by the rules of docs/sessions.md.
  @Test("keys and seals are those that another program makes, a key for each direction, and nothing shorter is opened")
  func vectors() throws {
    func hex(_ bytes: some Sequence<UInt8>) -> String {
      bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    expectEqual(hex(one.identityKey), "be9c4b4ec9c8f98d13e30b79425890ad0d8f5079198ec1368504cb3f1aca8068")
    expectEqual(hex(one.agreementKey(1)), "7344afe828324514894d94aa7b176c2dd46ebd39aeed17727e4c20bf3d9ca461")
    let sealed: [(isAsker: Bool, text: String)] = [
      (true, "022fa941e277d1d5839d3c53c985b74ff3a9ba"), (false, "9938f66bd8d900cc10e4630411e9adbb1e9c87"),
    ]
    let header = [UInt8](0..<17)
    for (isAsker, text) in sealed {
      let channel = try #require(one.channel(1, with: other.agreementKey(2), transcript: [7], isAsker: isAsker))
      var packet: [UInt8] = header
      packet += [1, 2, 3]
      packet += [UInt8](repeating: 0, count: 16)
      packet.withUnsafeMutableBytes { channel.seal($0, headerBytes: 17, count: 3, number: 0x0102_0304_0506_0708) }
      expectEqual(hex(packet[17...]), text)
      expectEqual(Array(packet[..<17]), header)
    }
    let channel = try #require(one.channel(1, with: other.agreementKey(2), transcript: [7], isAsker: true))
    for count in [32, 16, 15, 0] {
      var room = [UInt8](repeating: 0, count: 40)
      let opens = [UInt8](repeating: 0, count: count).withUnsafeBytes { bytes in
        room.withUnsafeMutableBytes { channel.open(bytes, headerBytes: 17, number: 0, into: $0) }
      }
      expectEqual(opens, false, "\(count) bytes")
    }
  }

  @Test("two sessions meet over sealed packets, and their plain text is in none of them")
  func session() {
    let secret = Array("nobody else reads this line of text".utf8)
    func place(_ number: Int) -> Endpoint { Endpoint(IPAddress(10, 0, 0, UInt8(number + 1)), port: 4_000) }
    func run() -> (hosts: [SessionHost], digest: Digest, isSeen: Bool) {
      var network = NetworkPlan(segments: [SegmentPlan(name: "lan")])
      var machines: [SessionHost] = []
      for (number, cipher) in [one, other].enumerated() {
        let id = SessionPeerID(high: 0, low: UInt64(number))
        let machine = SessionMachine(
          card: SessionCard(id: id, name: "peer", key: cipher.identityKey), preference: .required, cipher: cipher,
          at: place(number), interface: InterfaceID(0), seed: Seed(3))
        machines.append(SessionHost(machine))
        network.hosts.append(
          HostPlan(
            name: "h\(number)",
            interfaces: [
              InterfacePlan(segment: 0, addresses: [InterfaceAddress(place(number).address, prefixBits: 24)])
            ]))
      }
      let peer = SessionPeerID(high: 0, low: 1)
      machines[0].script = [
        (.zero + .seconds(1), .invite(peer, place(1))), (.zero + .seconds(2), .send(secret, [peer])),
      ]
      var plan = WorldPlan(network: network, duration: .seconds(4), seed: Seed(1))
      for machine in machines { plan.machines.append(machine) }
      var world = World(plan: plan)
      var isSeen = false
      world.tap = { _, bytes, _ in
        let bytes = Array(bytes)
        let starts = 0..<max(0, bytes.count - secret.count + 1)
        isSeen = isSeen || starts.contains { Array(bytes[$0..<$0 + secret.count]) == secret }
      }
      world.runAll()
      return ((0..<2).map { world.machine(ofHost: $0, as: SessionHost.self)! }, world.gate.digest, isSeen)
    }
    let first = run()
    expectEqual(first.hosts[1].log.last?.event, .message(SessionPeerID(high: 0, low: 0), secret, isReliable: true))
    #expect(!first.isSeen)
    expectEqual(run().digest, first.digest)
  }
}
