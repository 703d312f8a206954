import RollcallExpectations
import RollcallPeers
import RollcallPrimitives
import RollcallSessions
import RollcallSimulation
import RollcallTrace
import RollcallWire
import Testing

/// Nearby peers with scripts on one LAN, and what they reported.
struct NearbyRig {
  var plans: [(host: String, plan: NearbyPeerPlan)] = []
  var acts: [(at: Int64, host: Int, act: Act)] = []
  var link = LinkRule(latency: .constant(.milliseconds(2)))
  var seed = Seed(1)

  mutating func add(_ host: String, _ change: (inout NearbyPeerPlan) -> Void = { _ in }) {
    var plan = NearbyPeerPlan()
    change(&plan)
    plans.append((host, plan))
    acts.append((0, plans.count - 1, .appear))
  }

  mutating func at(_ milliseconds: Int64, _ host: Int, _ act: Act) { acts.append((milliseconds, host, act)) }

  /// A line for each report: seconds, who was told, of whom, and what.
  func run(seconds: Int64) -> [String] {
    var plan = WorldPlan(
      network: NetworkPlan(
        segments: [SegmentPlan(name: "lan")],
        hosts: plans.enumerated().map { number, one in
          HostPlan(
            name: one.host,
            interfaces: [
              InterfacePlan(
                segment: 0, addresses: [InterfaceAddress(IPAddress(10, 0, 0, UInt8(number + 1)), prefixBits: 24)],
                outbound: link, inbound: LinkRule())
            ])
        }), duration: .seconds(seconds), seed: seed)
    for one in plans { plan.machines.append(NearbyPeer(one.plan, seed: seed, host: one.host)) }
    plan.commands = acts.map { (time: .zero + .milliseconds($0.at), host: $0.host, command: .act($0.act)) }
    var world = World(plan: plan)
    world.runAll()
    for number in plans.indices {
      #expect(world.machine(ofHost: number, as: NearbyPeer.self)?.brokenInvariants == [])
    }
    return world.reports.compactMap { entry in
      guard case .nearby(let report) = entry.report else { return nil }
      return
        "\(entry.time.nanoseconds / 1_000_000_000) \(plans[Int(entry.station)].host): \(report.name) \(report.event.text)"
    }
  }
}

@Suite struct NearbyPeerTests {
  @Test("a script advertises, finds, invites, answers, and sends messages, a file and a stream")
  func everything() {
    var rig = NearbyRig()
    rig.add("lamp") {
      $0.info = [PeerInfo("room", "12")]
      $0.answerDelay = .seconds(1)
    }
    rig.add("phone") {
      $0.name = "Ann's phone"
      $0.invites = .named(["lamp"])
      $0.context = "hello"
      var text = NearbyPeerPlan.Message()
      text.text = "light on"
      var numbered = NearbyPeerPlan.Message()
      (numbered.times, numbered.interval, numbered.after) = (2, .seconds(1), .seconds(2))
      $0.messages = [text, numbered]
      $0.fileByteCount = 100_000
      $0.streamByteCount = 400_000
    }
    rig.at(20_000, 1, .peer(.leaveSession))
    expectEqual(
      rig.run(seconds: 40),
      [
        "0 phone: lamp found with room=12", "0 phone: lamp connecting", "0 lamp: Ann's phone invites with 5 bytes",
        "1 lamp: Ann's phone found", "1 lamp: Ann's phone connecting", "1 phone: lamp connected",
        "1 lamp: Ann's phone connected", "1 lamp: Ann's phone message 1 of 8 bytes, 8 bytes in all",
        "1 lamp: Ann's phone file from it ended after 100000 bytes: complete",
        "1 phone: lamp file to it ended after 100000 bytes: complete",
        "1 phone: lamp stream to it ended after 400000 bytes: complete",
        "1 lamp: Ann's phone stream from it ended after 400000 bytes: complete",
        "3 lamp: Ann's phone message 2 of 100 bytes, 108 bytes in all",
        "4 lamp: Ann's phone message 3 of 100 bytes, 208 bytes in all", "20 phone: lamp not connected",
        "20 lamp: Ann's phone not connected",
      ])
  }

  @Test("unreliable and short messages take no number, so that the reliable ones behind them are in order")
  func numbers() {
    var rig = NearbyRig()
    rig.add("lamp")
    rig.add("phone") {
      $0.advertises = false
      $0.invites = .everybody
      let sent: [(byteCount: Int, times: Int, isReliable: Bool)] = [(9, 1, true), (100, 2, false), (10, 2, true)]
      for (number, one) in sent.enumerated() {
        var message = NearbyPeerPlan.Message()
        (message.byteCount, message.times, message.isReliable) = one
        message.after = .seconds(Int64(number) + 1)
        $0.messages.append(message)
      }
    }
    let lines = rig.run(seconds: 20).filter { $0.contains("message") }
    expectEqual(
      lines.map { String($0.drop { $0 != " " }.dropFirst()) },
      [
        "lamp: phone message 1 of 9 bytes, 9 bytes in all",
        "lamp: phone message 2 of 100 bytes, unreliable, 109 bytes in all",
        "lamp: phone message 3 of 100 bytes, unreliable, 209 bytes in all",
        "lamp: phone message 4 of 10 bytes, 219 bytes in all", "lamp: phone message 5 of 10 bytes, 229 bytes in all",
      ])
  }

  @Test("a message that the session has no room for takes no number, so that the one behind it is in order")
  func refusedNumber() {
    var rig = NearbyRig()
    rig.add("lamp")
    rig.add("phone") {
      $0.advertises = false
      $0.invites = .everybody
      $0.sessions.queueBytesMaximum = 99
      for (number, byteCount) in [50, 100, 60].enumerated() {
        var message = NearbyPeerPlan.Message()
        message.byteCount = byteCount
        message.after = .seconds(Int64(number) + 1)
        $0.messages.append(message)
      }
    }
    let lines = rig.run(seconds: 20).filter { $0.contains("message") || $0.contains(" phone: phone") }
    expectEqual(
      lines.map { String($0.drop { $0 != " " }.dropFirst()) },
      [
        "lamp: phone message 1 of 50 bytes, 50 bytes in all", "phone: phone cannot do: session",
        "lamp: phone message 2 of 60 bytes, 110 bytes in all",
      ])
  }

  @Test("what the timeline asks for: another identity, no advertisement, an invitation, the background")
  func acts() {
    var rig = NearbyRig()
    rig.add("lamp") { $0.browses = false }
    rig.add("phone") { $0.advertises = false }
    rig.at(5_000, 0, .peer(.newIdentity))
    rig.at(8_000, 0, .peer(.stopAdvertising))
    rig.at(12_000, 0, .peer(.advertise))
    rig.at(15_000, 1, .peer(.invite))
    rig.at(18_000, 0, .peer(.background))
    rig.at(21_000, 0, .peer(.foreground))
    let lines = rig.run(seconds: 60).filter { $0.contains(" phone: ") }
    expectEqual(
      lines.map { String($0.drop { $0 != " " }.dropFirst()) },
      [
        "phone: lamp found", "phone: lamp found", "phone: lamp lost", "phone: lamp found", "phone: lamp connecting",
        "phone: lamp connecting", "phone: lamp connected", "phone: lamp not connected", "phone: lamp lost",
        "phone: lamp found", "phone: lamp not connected",
      ])
  }
}
