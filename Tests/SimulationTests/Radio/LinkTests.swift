import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallSimulation

@Suite("Connections of Bluetooth LE on the virtual air")
struct LinkTests {
  static let one = LinkID(1)

  /// A central at the middle of the world and a peripheral a metre away, which advertises every 100 ms.
  static func rig(
    kind: AdvertisingPDU.Kind = .connectable, to target: Int = 1, parameters: LinkParameters = LinkParameters(),
    wants: [(Instant, LinkEffect)] = [], _ change: (inout RadioHostPlan) -> Void = { _ in }
  ) -> RadioRig {
    var rig = RadioRig()
    let connect = RadioEffect.link(one, .connect(to: RadioRig.address(target), parameters))
    rig.add(change, wants: [(.zero, connect)] + wants.map { ($0.0, .link(one, $0.1)) })
    rig.addAdvertiser(kind: kind)
    return rig
  }

  static func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  /// What a radio was told, without the times.
  private func connected(_ role: LinkRole, _ own: RadioAddress, _ peer: RadioAddress) -> LinkSignal {
    .connected(role, own: own, peer: peer, LinkParameters())
  }

  @Test("a central connects to an advertiser, both are told at the end of CONNECT_IND, and the advertiser falls silent")
  func connects() throws {
    let requests = Packets()
    var rig = LinkTests.rig()
    rig.addScanner()
    rig.tap = { bytes, channel, start, _ in requests.add(bytes, channel, start) }
    let (machines, medium, _) = rig.run(for: .seconds(2))
    let (central, peripheral) = (RadioAddress(bits: 0xC000_0000_0000, isRandom: true), RadioRig.address(1))
    expectEqual(machines[0].linkSignals, [connected(.central, central, peripheral)])
    expectEqual(machines[1].linkSignals, [connected(.peripheral, peripheral, central)])
    #expect(machines[1].links[0].number == LinkID(.max) && machines[0].links[0].time == machines[1].links[0].time)
    let request = try #require(requests.all.first { $0.kind == .connectRequest })
    expectEqual(requests.all.count { $0.kind == .connectRequest }, 1)
    expectEqual(machines[0].links[0].time, request.start + .microseconds(352))
    // One advertising event; what a scanner heard after that is nothing.
    expectEqual(medium.eventCount, 1)
    #expect(machines[2].heard.allSatisfy { $0.time < LinkTests.at(20) })
    // Who waits for a peripheral tells the host of no advertisement.
    #expect(machines[0].heard.isEmpty)
  }

  @Test("only an advertiser that can be connected to is: not one of another address, of another kind, or for another")
  func connectable() {
    for kind in [AdvertisingPDU.Kind.nonconnectable, .scannable] {
      #expect(LinkTests.rig(kind: kind).run(for: .seconds(5)).machines[0].links.isEmpty, "\(kind)")
    }
    #expect(LinkTests.rig(to: 2).run(for: .seconds(5)).machines[0].links.isEmpty)
    for (target, count) in [(0, 1), (5, 0)] as [(UInt64, Int)] {
      var rig = LinkTests.rig()
      let pdu = AdvertisingPDU.bytes(
        .directed, from: RadioRig.address(1), to: RadioAddress(bits: 0xC000_0000_0000 | target, isRandom: true))
      rig.machines[1].plan = [(.zero, .advertise(set: 0, every: .milliseconds(100), pdu: pdu, response: []))]
      expectEqual(rig.run(for: .seconds(5)).machines[0].links.count, count)
    }
  }

  @Test("frames arrive whole, in order and once each, both ways, and each is acknowledged", arguments: [0, 30, 60])
  func frames(percent: UInt64) {
    let frames = [1, 4, 27, 251, 252, 502, 503, 521].map { size in (0..<size).map { UInt8(truncatingIfNeeded: $0) } }
    var rig = LinkTests.rig(wants: frames.map { (LinkTests.at(1_000), .send($0)) }) {
      $0.loss = .uniform(Ratio(percent, in: 100))
    }
    rig.machines[1].echoes = true
    let (machines, _, digest) = rig.run(for: .seconds(60))
    expectEqual(machines[1].frames, frames)
    expectEqual(machines[0].frames, frames)
    for machine in machines {
      let acknowledged = machine.linkSignals.reduce(0 as UInt32) { sum, signal in
        if case .acknowledged(let count) = signal { return sum + count }
        return sum
      }
      expectEqual(acknowledged, UInt32(frames.count))
    }
    expectEqual(rig.run(for: .seconds(60)).digest, digest)
  }

  @Test("a frame goes at the next connection event, and the answer in the same or the next")
  func times() throws {
    var rig = LinkTests.rig(wants: [(LinkTests.at(1_000), .send([1, 2, 3]))])
    rig.machines[1].echoes = true
    let machines = rig.run(for: .seconds(3)).machines
    let start = try #require(machines[0].links.first).time + .microseconds(1_250)
    let asked = try #require(machines[1].links.last { $0.signal == .frame([1, 2, 3]) }).time
    let answered = try #require(machines[0].links.last { $0.signal == .frame([1, 2, 3]) }).time
    // An event every 30 ms from 1.25 ms behind the request on; the frame is 13 bytes on the air.
    let event = start + .milliseconds(30 * ((LinkTests.at(1_000) - start).nanoseconds / 30_000_000 + 1))
    expectEqual(asked, event + .microseconds(13 * 8))
    // Central: nothing to say. Peripheral: its answer, 150 µs behind that.
    expectEqual(answered, event + .milliseconds(30) + .microseconds(80 + 150 + 13 * 8))
  }

  @Test("a peripheral may leave out events while it has nothing to say, and none when it has")
  func latency() throws {
    let slow = LinkParameters(interval: .milliseconds(30), latency: 9, timeout: .seconds(6))
    var rig = LinkTests.rig(parameters: slow, wants: [(LinkTests.at(1_000), .send([1]))])
    rig.machines[1].echoes = true
    let machines = rig.run(for: .seconds(3)).machines
    let start = try #require(machines[0].links.first).time + .microseconds(1_250)
    let asked = try #require(machines[1].links.last { $0.signal == .frame([1]) }).time
    let answered = try #require(machines[0].links.last { $0.signal == .frame([1]) }).time
    expectEqual((asked - start).nanoseconds / 30_000_000 % 10, 0)
    #expect((answered - asked) < .milliseconds(31))
  }

  @Test("who ends a connection is told so, and the other that it did; neither hears anything after that")
  func ends() throws {
    var rig = LinkTests.rig(wants: [(LinkTests.at(1_000), .end), (LinkTests.at(1_500), .send([9]))])
    let central = rig.run(for: .seconds(30)).machines
    expectEqual(central[0].linkSignals.dropFirst(), [.ended(.closed)])
    expectEqual(central[1].linkSignals.dropFirst(), [.ended(.closedByPeer)])
    try expectEqual(#require(central[0].links.last).time - #require(central[1].links.last).time, .microseconds(230))
    rig = LinkTests.rig()
    rig.machines[1].greeting = [.end]
    let peripheral = rig.run(for: .seconds(30)).machines
    expectEqual(peripheral[0].linkSignals.dropFirst(), [.ended(.closedByPeer)])
    expectEqual(peripheral[1].linkSignals.dropFirst(), [.ended(.closed)])
  }

  @Test("a frame that waits is given up when its connection ends, and one that is on its way is not")
  func endsWithFrames() {
    var rig = LinkTests.rig()
    rig.machines[1].greeting = [.send([1]), .end, .send([2])]
    expectEqual(rig.run(for: .seconds(10)).machines[0].linkSignals.dropFirst(), [.ended(.closedByPeer)])
  }

  @Test("who walks away is lost after the timeout of the connection, on both sides")
  func timesOut() throws {
    let rig = LinkTests.rig {
      $0.walks = [Walk(start: LinkTests.at(10_000), duration: .zero, to: Position(x: 1_000_000))]
    }
    let machines = rig.run(for: .seconds(60)).machines
    for machine in machines.prefix(2) {
      expectEqual(machine.linkSignals.dropFirst(), [.ended(.timedOut)])
      let end = try #require(machine.links.last).time
      // The last packet was heard within a second of the walk.
      #expect(end > LinkTests.at(13_000) && end <= LinkTests.at(14_000))
    }
  }

  @Test("a connection without a word stays for a day, and says how strongly the other side is heard")
  func stays() {
    let rig = LinkTests.rig(wants: [(.zero + .seconds(86_000), .readStrength)])
    let machines = rig.run(for: .seconds(86_400)).machines
    // 40 dB at a metre.
    expectEqual(machines[0].linkSignals.dropFirst(), [.strength(-40)])
    expectEqual(machines[1].links.count, 1)
  }

  @Test("a peripheral that does not hear CONNECT_IND goes on advertising, and the central is told after six events")
  func notEstablished() throws {
    var rig = LinkTests.rig()
    // It hears nothing: the request is 40 dB weaker than it needs.
    rig.radios[1].sensitivity = 0
    let (machines, medium, _) = rig.run(for: .seconds(1))
    #expect(machines[0].linkSignals.last == .ended(.notEstablished) && machines[0].links.count == 2)
    expectEqual(
      machines[0].links[1].time - machines[0].links[0].time, .milliseconds(180) + .microseconds(1_250))
    #expect(machines[1].links.isEmpty && medium.eventCount > 8)
  }

  @Test("a radio that goes off ends its connections and what it waits for, and the other side times out")
  func radioOff() throws {
    var rig = LinkTests.rig { $0.switches = [RadioSwitch(at: LinkTests.at(2_000), isOn: false)] }
    let waiting = RadioEffect.link(LinkID(2), .connect(to: RadioRig.address(9), LinkParameters()))
    let late = RadioEffect.link(LinkID(3), .connect(to: RadioRig.address(1), LinkParameters()))
    rig.machines[0].plan += [(LinkTests.at(1_000), waiting), (LinkTests.at(3_000), late)]
    let machines = rig.run(for: .seconds(30)).machines
    expectEqual(
      machines[0].links.dropFirst(),
      [
        LinkNote(time: LinkTests.at(2_000), number: LinkTests.one, signal: .ended(.radioOff)),
        LinkNote(time: LinkTests.at(2_000), number: LinkID(2), signal: .ended(.radioOff)),
        LinkNote(time: LinkTests.at(3_000), number: LinkID(3), signal: .ended(.refused)),
      ])
    expectEqual(machines[1].linkSignals.dropFirst(), [.ended(.timedOut)])
  }

  @Test("a radio that is reset says nothing to anybody")
  func reset() {
    var rig = LinkTests.rig()
    rig.machines[0].plan.append((LinkTests.at(2_000), .reset))
    let machines = rig.run(for: .seconds(30)).machines
    expectEqual(machines[0].links.count, 1)
    expectEqual(machines[1].linkSignals.dropFirst(), [.ended(.timedOut)])
  }

  @Test("what is waited for can be given up, and a wait never ends by itself")
  func givesUp() {
    var rig = LinkTests.rig(to: 9, wants: [(.zero + .seconds(86_000), .end)])
    let machines = rig.run(for: .seconds(86_400)).machines
    expectEqual(
      machines[0].links,
      [
        LinkNote(time: .zero + .seconds(86_000), number: LinkTests.one, signal: .ended(.closed))
      ])
    // A peripheral that comes after a day is connected to.
    rig = LinkTests.rig()
    rig.machines[1].plan[0].at = .zero + .seconds(86_000)
    expectEqual(rig.run(for: .seconds(86_001)).machines[0].links.count, 1)
  }

  @Test("a number or an address that is in use, and parameters without a meaning, are refused")
  func refused() {
    var rig = RadioRig()
    let (one, two) = (RadioRig.address(1), RadioRig.address(2))
    let bad = LinkParameters(interval: .milliseconds(1))
    rig.add(wants: [
      (.zero, .link(LinkID(1), .connect(to: one, LinkParameters()))),
      (.zero, .link(LinkID(1), .connect(to: two, LinkParameters()))),
      (.zero, .link(LinkID(2), .connect(to: one, LinkParameters()))),
      (.zero, .link(LinkID(3), .connect(to: two, bad))),
    ])
    expectEqual(
      rig.run(for: .seconds(1)).machines[0].links.map { "\($0.number.number) \($0.signal)" },
      ["1 ended(\(LinkEnd.self).refused)", "2 ended(\(LinkEnd.self).refused)", "3 ended(\(LinkEnd.self).refused)"]
        .map { $0.replacing("LinkEnd", with: "RollcallPrimitives.LinkEnd") })
  }

  @Test("a radio holds sixteen connections, waits included, and refuses the next")
  func many() {
    var rig = RadioRig()
    let wants = (1...17).map { number in
      (
        Instant.zero,
        RadioEffect.link(LinkID(UInt32(number)), .connect(to: RadioRig.address(number), LinkParameters()))
      )
    }
    rig.add(wants: wants)
    // One after the other, so that none talks over the request of another.
    for number in 1...17 { rig.addAdvertiser(kind: .connectable, at: LinkTests.at(Int64(500 * number))) }
    let machines = rig.run(for: .seconds(30)).machines
    #expect(machines[0].links.first?.signal == .ended(.refused) && machines[0].links.first?.number == LinkID(17))
    expectEqual(machines[0].links.count, 17)
    #expect(machines[0].linkSignals.dropFirst().allSatisfy { if case .connected = $0 { true } else { false } })
    #expect(machines[17].links.isEmpty && machines[1...16].allSatisfy { $0.links.count == 1 })
  }

  @Test("connections of one radio share its time: each of them gets all its frames")
  func share() {
    var rig = RadioRig()
    var wants: [(Instant, RadioEffect)] = []
    for number in 1...4 {
      let link = LinkID(UInt32(number))
      wants.append((.zero, .link(link, .connect(to: RadioRig.address(number), LinkParameters()))))
    }
    for number in 1...4 {
      for frame in 0..<10 {
        let bytes = [UInt8](repeating: UInt8(frame), count: 500)
        wants.append((LinkTests.at(2_000), .link(LinkID(UInt32(number)), .send(bytes))))
      }
    }
    rig.add(wants: wants)
    for _ in 1...4 { rig.addAdvertiser(kind: .connectable) }
    let machines = rig.run(for: .seconds(10)).machines
    for machine in machines.dropFirst() {
      expectEqual(machine.frames.map { Int($0[0]) }, Array(0..<10))
      expectEqual(machine.links.last.map { $0.time < LinkTests.at(4_000) }, true)
    }
  }

  @Test("a controller keeps thirty-two frames, and drops what has no length that a frame can have")
  func buffers() {
    let frames = (0..<40).map { [UInt8($0)] }
    let bad: [[UInt8]] = [[], [UInt8](repeating: 0, count: 522)]
    let rig = LinkTests.rig(wants: (bad + frames).map { (LinkTests.at(1_000), .send($0)) })
    expectEqual(rig.run(for: .seconds(3)).machines[1].frames, Array(frames.prefix(32)))
  }

  @Test("after the time of healing nothing is lost")
  func heals() {
    var rig = LinkTests.rig(wants: [(LinkTests.at(500), .send([1]))]) { $0.loss = .uniform(Ratio(1, in: 1)) }
    rig.heal = LinkTests.at(3_000)
    expectEqual(rig.run(for: .seconds(9)).machines[0].links.first.map { $0.time > LinkTests.at(3_000) }, true)
  }
}

/// Packets that went on the air.
private final class Packets {
  struct One {
    var kind: AdvertisingPDU.Kind?
    var channel: UInt8
    var start: Instant
  }
  private(set) var all: [One] = []

  func add(_ bytes: [UInt8], _ channel: UInt8, _ start: Instant) {
    all.append(One(kind: bytes.withUnsafeBytes { try? AdvertisingPDU($0) }?.kind, channel: channel, start: start))
  }
}
