import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallSessions
import RollcallSimulation
import RollcallWire
import Testing

@Suite("What members send each other")
struct DeliveryTests {
  /// Seeds for each loss; a proof takes more (`ROLLCALL_SESSION_SEEDS`), never fewer.
  static let seedCount = max(200, provedSeeds ?? 0)
  private static let provedSeeds = ProcessInfo.processInfo.environment["ROLLCALL_SESSION_SEEDS"].flatMap { UInt64($0) }
  private static let sizes = [0, 1, 3, 1_402, 1_403, 1_404, 5_000, 20_000]

  /// A message that tells its number by every byte.
  private func message(_ number: Int) -> [UInt8] {
    let size = DeliveryTests.sizes[number % DeliveryTests.sizes.count]
    return [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size)
  }

  /// The hosts at the end, and which messages were taken to be sent: none where the invitation came to nothing.
  private func run(loss: UInt64, seed: UInt64, messages: Int = 24) -> (taken: [[UInt8]], hosts: [SessionHost]) {
    var rig = SessionRig(2)
    rig.link.loss = .uniform(.percent(loss))
    rig.link.duplicate = .percent(loss / 4)
    rig.link.reorder = .percent(loss / 4)
    rig.seed = Seed(seed)
    rig.invite(10, 0, 1)
    for number in 0..<messages { rig.at(60_000 + Int64(number) * 40, 0, .send(message(number), [SessionRig.id(1)])) }
    let hosts = rig.run(seconds: 300)
    return ((0..<messages).map(message).suffix(messages - hosts[0].errors.count), hosts)
  }

  @Test(
    "every message once and in order, or both hear that the peer is gone",
    arguments: [0, 10, 20, 30, 40, 50, 60] as [UInt64])
  func reliable(loss: UInt64) {
    var whole = 0
    for seed in 0..<DeliveryTests.seedCount {
      let (taken, hosts) = run(loss: loss, seed: seed)
      #expect(hosts[0].errors.allSatisfy { $0 == .notConnected }, "loss \(loss) seed \(seed)")
      let found = hosts[1].messages(from: 0)
      if found == taken, !taken.isEmpty {
        whole += 1
        continue
      }
      // In order and once as far as it came, and a host that heard of the peer hears that it is gone, after 20 s of silence.
      #expect(found == Array(taken.prefix(found.count)), "loss \(loss) seed \(seed): \(found.count) messages")
      for (host, peer) in [(0, 1), (1, 0)] {
        let states = hosts[host].states(of: peer)
        let isEnding = hosts[peer].log.contains { $0.at > .zero + .seconds(275) && $0.event.isEnd }
        #expect(
          states.isEmpty || states.last == .notConnected || isEnding,
          "loss \(loss) seed \(seed) host \(host): \(states)")
      }
    }
    let seeds = Int(DeliveryTests.seedCount)
    if DeliveryTests.provedSeeds != nil { print("loss \(loss) %: \(whole) of \(seeds) whole") }
    #expect(whole >= (loss <= 40 ? seeds : seeds * 9 / 10), "\(whole) whole at \(loss) %")
  }

  @Test("states go in the order of MP-24 at any loss")
  func stateOrder() {
    for seed in 0..<20 as Range<UInt64> {
      let hosts = run(loss: 60, seed: seed, messages: 2).hosts
      for (host, peer) in [(0, 1), (1, 0)] {
        var last = PeerState.notConnected
        for state in hosts[host].states(of: peer) {
          let isRight =
            switch (last, state) {
            case (.notConnected, .connecting), (.connecting, .connected), (.connecting, .notConnected),
              (.connected, .notConnected):
              true
            default: false
            }
          #expect(isRight, "\(last) to \(state), seed \(seed)")
          last = state
        }
      }
    }
  }

  @Test("unreliable messages arrive at most once, and do not wait behind reliable ones")
  func unreliable() {
    var rig = SessionRig(2)
    rig.link.duplicate = .percent(50)
    rig.link.bandwidth = 10_000_000
    rig.link.queueBytesMaximum = 4 << 20
    rig.invite(10, 0, 1)
    rig.at(1_000, 0, .send([UInt8](repeating: 1, count: 4_000_000), [SessionRig.id(1)]))
    for number in 0..<20 as Range<UInt8> {
      rig.at(1_000 + Int64(number), 0, .send([number], [SessionRig.id(1)], isReliable: false))
    }
    let hosts = rig.run(seconds: 30)
    let found = hosts[1].messages(from: 0, reliable: false)
    expectEqual(found.sorted { $0[0] < $1[0] }, (0..<20 as Range<UInt8>).map { [$0] })
    let places = hosts[1].log.enumerated().compactMap { place, entry -> (Int, Bool)? in
      if case .message(_, _, let isReliable) = entry.event { return (place, isReliable) }
      return nil
    }
    expectEqual(places.last?.1, true)
    expectEqual(hosts[1].messages(from: 0).map(\.count), [4_000_000])
  }

  @Test("a large unreliable message is sent reliably, or refused")
  func largeUnreliable() {
    // 1 452 − 17 − 16 − 3 bytes fit.
    for (size, isReliable) in [(1_416, false), (1_417, true)] {
      var rig = SessionRig(2)
      rig.invite(10, 0, 1)
      rig.at(1_000, 0, .send([UInt8](repeating: 1, count: size), [SessionRig.id(1)], isReliable: false))
      let hosts = rig.run(seconds: 3)
      expectEqual(hosts[1].messages(from: 0, reliable: isReliable).map(\.count), [size])
    }
    var rig = SessionRig(2) { $0.largeUnreliable = .refused }
    rig.invite(10, 0, 1)
    rig.at(1_000, 0, .send([UInt8](repeating: 1, count: 1_417), [SessionRig.id(1)], isReliable: false))
    expectEqual(rig.run(seconds: 3)[0].errors, [.invalidParameter])
  }

  @Test("a receiver that is not connected: nobody gets anything, or the others do")
  func missingTarget() {
    for policy in SessionPolicy.MissingTarget.allCases {
      var rig = SessionRig(2) { $0.missingTarget = policy }
      rig.invite(10, 0, 1)
      rig.at(1_000, 0, .send([7], [SessionRig.id(1), SessionRig.id(5)]))
      let hosts = rig.run(seconds: 3)
      expectEqual(hosts[0].errors, [.notConnected])
      expectEqual(hosts[1].messages(from: 0), policy == .nothingSent ? [] : [[7]])
    }
  }

  @Test("nobody as receiver, and a message without a byte, by policy")
  func empties() {
    for (targets, error) in [(SessionPolicy.EmptyTargets.refused, [SessionError.invalidParameter]), (.ignored, [])] {
      var rig = SessionRig(1) { $0.emptyTargets = targets }
      rig.at(10, 0, .send([1], []))
      expectEqual(rig.run(seconds: 1)[0].errors, error)
    }
    for (policy, found) in [(SessionPolicy.EmptyMessage.sent, [[]]), (.refused, [])] as [(_, [[UInt8]])] {
      var rig = SessionRig(2) { $0.emptyMessage = policy }
      rig.invite(10, 0, 1)
      rig.at(1_000, 0, .send([], [SessionRig.id(1)]))
      let hosts = rig.run(seconds: 3)
      expectEqual(hosts[1].messages(from: 0), found)
      expectEqual(hosts[0].errors.count, found.isEmpty ? 1 : 0)
    }
  }

  @Test("the longest message is taken, one byte more is refused; so is more than may wait")
  func limits() {
    var rig = SessionRig(2) {
      $0.messageBytesMaximum = 50_000
      $0.queueBytesMaximum = 120_000
    }
    rig.invite(10, 0, 1)
    for size in [50_000, 50_001] { rig.at(1_000, 0, .send([UInt8](repeating: 1, count: size), [SessionRig.id(1)])) }
    for _ in 0..<4 { rig.at(2_000, 0, .send([UInt8](repeating: 2, count: 50_000), [SessionRig.id(1)])) }
    let hosts = rig.run(seconds: 5)
    expectEqual(hosts[0].errors.first, .invalidParameter)
    #expect(hosts[0].errors.dropFirst().allSatisfy { $0 == .unavailable })
    expectEqual(hosts[1].messages(from: 0).first?.count, 50_000)
  }

  @Test("changed packets are dropped where the connection is sealed, and packets that come again everywhere")
  func tampered() {
    for preference in [EncryptionPreference.required, .none] {
      var rig = SessionRig(2, preferences: [preference, preference])
      rig.link.duplicate = .percent(30)
      if preference == .required { rig.link.corrupt = .percent(10) }
      rig.invite(10, 0, 1)
      for number in 0..<40 { rig.at(3_000 + Int64(number) * 10, 0, .send(message(number), [SessionRig.id(1)])) }
      let hosts = rig.run(seconds: 30)
      expectEqual(hosts[1].messages(from: 0), (0..<40).map(message))
      expectEqual(hosts[1].rejections.contains(.badSeal), preference == .required)
      #expect(hosts[1].rejections.contains(.packetAgain))
    }
  }
}

extension SessionEvent {
  fileprivate var isEnd: Bool { if case .state(_, .notConnected) = self { true } else { false } }
}
