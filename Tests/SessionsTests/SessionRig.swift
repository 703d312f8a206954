import RollcallPrimitives
import RollcallSessions
import RollcallSimulation
import RollcallWire

/// Sums in place of cryptography.
struct TestCipher: SessionCipher {
  var seed: UInt8
  var identityKey: [UInt8] { Array(repeating: seed, count: 32) }
  private static func sum(_ bytes: some Sequence<UInt8>, _ key: [UInt8]) -> [UInt8] {
    var digest = Digest()
    Array(bytes).withUnsafeBytes { digest.combine(Digest.hash($0)) }
    key.withUnsafeBytes { digest.combine(Digest.hash($0)) }
    return (0..<64).map { UInt8(truncatingIfNeeded: digest.state >> UInt64($0 % 8 * 8)) }
  }
  func signature(of bytes: [UInt8]) -> [UInt8] { TestCipher.sum(bytes, identityKey) }
  func isSignature(_ signature: [UInt8], of bytes: [UInt8], by key: [UInt8]) -> Bool {
    signature == TestCipher.sum(bytes, key)
  }
  func agreementKey(_ number: UInt64) -> [UInt8] { Array(repeating: UInt8(truncatingIfNeeded: number) | 1, count: 32) }
  func channel(_ number: UInt64, with remote: [UInt8], transcript: [UInt8], isAsker: Bool) -> (any SealedChannel)? {
    remote[0] == 0 ? nil : TestChannel(key: agreementKey(number)[0] ^ remote[0])
  }
}

struct TestChannel: SealedChannel {
  var key: UInt8
  private func tag(_ bytes: UnsafeRawBufferPointer, _ number: Int) -> UInt64 {
    var digest = Digest()
    digest.combine(Digest.hash(bytes), UInt64(number) ^ UInt64(key) << 56)
    return digest.state
  }
  func seal(_ packet: UnsafeMutableRawBufferPointer, headerBytes: Int, count: Int, number: Int) {
    for index in headerBytes..<headerBytes + count { packet[index] ^= key }
    let end = headerBytes + count
    let tag = tag(UnsafeRawBufferPointer(rebasing: packet[..<end]), number)
    packet.storeBytes(of: tag, toByteOffset: end, as: UInt64.self)
    packet.storeBytes(of: ~tag, toByteOffset: end + 8, as: UInt64.self)
  }
  func open(
    _ packet: UnsafeRawBufferPointer, headerBytes: Int, number: Int, into room: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let end = packet.count - 16
    let tag = tag(UnsafeRawBufferPointer(rebasing: packet[..<end]), number)
    guard packet.loadUnaligned(fromByteOffset: end, as: UInt64.self) == tag,
      packet.loadUnaligned(fromByteOffset: end + 8, as: UInt64.self) == ~tag
    else { return false }
    room.copyMemory(from: UnsafeRawBufferPointer(rebasing: packet[..<end]))
    for index in headerBytes..<end { room[index] ^= key }
    return true
  }
}

/// The states of a peer that comes and stays.
let whole: [PeerState] = [.connecting, .connected]

/// Sessions on the hosts of one virtual LAN.
struct SessionRig {
  static func id(_ number: Int) -> SessionPeerID { SessionPeerID(high: 0, low: UInt64(number + 1)) }
  static func place(_ number: Int) -> Endpoint { Endpoint(IPAddress(10, 0, 0, UInt8(number + 1)), port: 4_000) }
  static func time(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  var hosts: [SessionHost]
  /// Where each host is at first.
  var places: [Endpoint]
  var link = LinkRule(latency: .constant(.milliseconds(2)))
  var seed = Seed(1)

  static func place6(_ number: Int) -> Endpoint {
    Endpoint(IPAddress(v6High: 0xFE80 << 48, low: UInt64(number + 1)), port: 4_000)
  }

  init(
    _ count: Int, isIPv6: Bool = false, preferences: [EncryptionPreference] = [], certificates: [[UInt8]] = [],
    _ change: (inout SessionPolicy) -> Void = { _ in }
  ) {
    var policy = SessionPolicy()
    change(&policy)
    let places = (0..<count).map(isIPv6 ? SessionRig.place6 : SessionRig.place)
    self.places = places
    hosts = (0..<count).map { number in
      let cipher = TestCipher(seed: UInt8(number + 1))
      return SessionHost(
        SessionMachine(
          card: SessionCard(id: SessionRig.id(number), name: "peer \(number)", key: cipher.identityKey),
          certificates: certificates, preference: preferences.isEmpty ? .optional : preferences[number],
          policy: policy, cipher: cipher, at: places[number], interface: InterfaceID(0), seed: Seed(7)))
    }
  }

  /// At a time in milliseconds, a host does something.
  mutating func at(_ milliseconds: Int64, _ host: Int, _ step: SessionHost.Step) {
    hosts[host].script.append((SessionRig.time(milliseconds), step))
  }
  mutating func invite(_ milliseconds: Int64, _ host: Int, _ other: Int, context: [UInt8]? = nil, seconds: Int64 = 0) {
    at(
      milliseconds, host,
      .invite(
        SessionRig.id(other), places.indices.contains(other) ? places[other] : SessionRig.place(other),
        context: context, timeout: .seconds(seconds)))
  }

  /// The hosts as they are after so many seconds.
  func run(
    seconds: Int64, faults: [(time: Instant, fault: Fault)] = [],
    _ look: (Datagram, UnsafeRawBufferPointer) -> Void = { _, _ in }
  ) -> [SessionHost] {
    var world = world(seconds: seconds, faults: faults)
    return withoutActuallyEscaping(look) { look in
      world.tap = { datagram, bytes, _ in look(datagram, bytes) }
      world.runAll()
      world.tap = nil
      return hosts.indices.map { world.machine(ofHost: $0, as: SessionHost.self)! }
    }
  }

  /// A world that has not begun.
  func world(seconds: Int64, faults: [(time: Instant, fault: Fault)] = []) -> World {
    let plans = hosts.indices.map { number in
      HostPlan(
        name: "h\(number)",
        interfaces: [
          InterfacePlan(
            segment: 0,
            addresses: [
              InterfaceAddress(places[number].address, prefixBits: places[number].address.family == .v6 ? 64 : 24)
            ],
            outbound: link, inbound: LinkRule())
        ])
    }
    var plan = WorldPlan(
      network: NetworkPlan(segments: [SegmentPlan(name: "lan")], hosts: plans), duration: .seconds(seconds), seed: seed)
    for host in hosts { plan.machines.append(host) }
    plan.faults = faults
    return World(plan: plan)
  }
}

extension SessionHost {
  /// The states that a peer went through here.
  func states(of peer: Int) -> [PeerState] {
    log.compactMap { entry in
      if case .state(SessionRig.id(peer), let state) = entry.event { return state }
      return nil
    }
  }
  func messages(from peer: Int, reliable: Bool = true) -> [[UInt8]] {
    log.compactMap { entry in
      if case .message(SessionRig.id(peer), let bytes, reliable) = entry.event { return bytes }
      return nil
    }
  }
  var rejections: [SessionRejection] { log.map(\.event).rejections }
}

extension [SessionEvent] {
  var rejections: [SessionRejection] {
    compactMap { if case .rejected(let rejection, _) = $0 { rejection } else { nil } }
  }
}
