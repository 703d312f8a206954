import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallSimulation

@Suite("Extended advertising on the virtual air")
struct ExtendedAirTests {
  private func effect(
    _ radio: Int, mode: UInt8 = 0, byteCount: Int = 100, every: Interval = .milliseconds(100), answer: Int? = nil,
    set: UInt8 = 0
  ) -> RadioEffect {
    let address = RadioRig.address(radio)
    let data = [UInt8](repeating: 0, count: byteCount)
    let pdu = AdvertisingPDU.extendedBytes(from: address, mode: mode, dataInfo: 0x1001, data: data)
    let response = answer.map {
      AdvertisingPDU.extendedBytes(
        from: address, mode: 0, dataInfo: nil, data: [UInt8](repeating: 1, count: $0))
    }
    return .advertise(set: set, every: every, pdu: pdu, response: response ?? [])
  }

  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  private func read(_ bytes: [UInt8]) throws -> AdvertisingPDU {
    try bytes.withUnsafeBytes { try AdvertisingPDU($0) }
  }

  @Test("an event is ADV_EXT_IND on 37, 38 and 39, each of which leads to the one packet on a data channel")
  func event() throws {
    var rig = RadioRig()
    var sent: [(bytes: [UInt8], channel: UInt8, start: Instant)] = []
    rig.tap = { bytes, channel, start, _ in sent.append((bytes, channel, start)) }
    rig.add(x: 1_000, wants: [(.zero, effect(0, byteCount: 229))])
    _ = rig.run(for: .seconds(60))
    #expect(sent.count % 4 == 0 && sent.count > 2_000)
    var channels: Set<UInt8> = []
    for event in stride(from: 0, to: sent.count, by: 4) {
      expectEqual(sent[event..<event + 3].map(\.channel), [37, 38, 39])
      let last = sent[event + 3]
      channels.insert(last.channel)
      try expectEqual(read(last.bytes).sender, RadioRig.address(0))
      try expectEqual(read(last.bytes).data.count, 229)
      for place in event..<event + 3 {
        let pdu = try read(sent[place].bytes)
        let pointer = try #require(pdu.extension?.pointer)
        #expect(pdu.sender == nil && pdu.extension?.dataInfo == 0x1001 && pdu.data.isEmpty)
        #expect(pointer.channel == last.channel && pointer.physical == 0)
        expectEqual(sent[place].start + pointer.offset, last.start)
      }
      // At least 300 us from the end of the last ADV_EXT_IND.
      #expect(last.start - sent[event + 2].start >= .microseconds(136 + 300))
    }
    #expect(channels.count == 37 && channels.allSatisfy { $0 < 37 })
  }

  @Test("a scanner hears what it is led to, beyond its window as well, once for each event")
  func follows() {
    var rig = RadioRig()
    rig.add(x: 1_000, wants: [(.zero, effect(0))])
    let scanner = rig.addScanner()
    let heard = rig.run(for: .seconds(10)).machines[scanner].heard
    #expect((90...100).contains(heard.count))
    #expect(heard.allSatisfy { $0.kind == .extended && $0.channel.map { $0 < 37 } == true && $0.strength != nil })
    #expect(zip(heard, heard.dropFirst()).allSatisfy { $1.time - $0.time >= .milliseconds(99) })
  }

  @Test("while it listens to a data channel a scanner hears no advertising channel")
  func isBusy() {
    /// An advertiser whose every packet falls into the time in which the scanner is elsewhere is never heard.
    func heard(withExtended: Bool) -> Int {
      var rig = RadioRig()
      rig.add(x: 1_000, wants: withExtended ? [(.zero, effect(0, byteCount: 229, every: .milliseconds(20)))] : [])
      rig.addAdvertiser(every: .milliseconds(20), byteCount: 31)
      let scanner = rig.addScanner()
      return rig.run(for: .seconds(60)).machines[scanner].heard.count { $0.kind == .nonconnectable }
    }
    let (alone, beside) = (heard(withExtended: false), heard(withExtended: true))
    #expect(beside < alone * 19 / 20 && beside > alone / 2)
  }

  @Test("packets on one data channel at once are lost, on two channels they are not")
  func collisions() {
    /// Two advertisers that send at the same times meet on the advertising channels always: there one is stronger.
    func heard(_ power: Int) -> [Int] {
      var rig = RadioRig()
      for _ in 0..<40 {
        let number = rig.radios.count
        rig.add(
          x: 1_000, { $0.transmitPower = number == 0 ? power : 0 }, wants: [(.zero, effect(number, byteCount: 229))])
      }
      let scanner = rig.addScanner()
      let all = rig.run(for: .seconds(30)).machines[scanner].heard
      return (0..<40).map { number in all.count { $0.sender == RadioRig.address(number) } }
    }
    let equal = heard(0)
    #expect(equal.allSatisfy { $0 > 0 && $0 < 290 })
    // What is 21 dB stronger is received all the same, and nobody else's losses change by that of the data channels.
    #expect(heard(30)[0] > equal[0])
  }

  @Test("an active scanner asks what can be asked, on the data channel, and is answered there; a passive one is not")
  func scannable() throws {
    for isActive in [false, true] {
      var rig = RadioRig()
      var sent: [(kind: AdvertisingPDU.Kind, channel: UInt8)] = []
      rig.tap = { bytes, channel, _, _ in
        if let pdu = bytes.withUnsafeBytes({ try? AdvertisingPDU($0) }) { sent.append((pdu.kind, channel)) }
      }
      rig.add(x: 1_000, wants: [(.zero, effect(0, mode: 2, byteCount: 0, answer: 200))])
      let scanner = rig.addScanner(isActive: isActive)
      let heard = rig.run(for: .seconds(10)).machines[scanner].heard
      let asked = sent.filter { $0.kind == .scanRequest }
      expectEqual(asked.isEmpty, !isActive)
      #expect(asked.allSatisfy { $0.channel < 37 })
      // Each event gives the advertisement, and each question an answer.
      #expect((90...100).contains(heard.count - asked.count))
    }
  }

  @Test("a central connects with AUX_CONNECT_REQ and AUX_CONNECT_RSP on the data channel, and frames arrive")
  func connects() throws {
    let connect = RadioEffect.link(LinkTests.one, .connect(to: RadioRig.address(1), LinkParameters()))
    var rig = RadioRig()
    var sent: [(pdu: AdvertisingPDU, channel: UInt8, start: Instant)] = []
    rig.tap = { bytes, channel, start, _ in
      if let pdu = bytes.withUnsafeBytes({ try? AdvertisingPDU($0) }) { sent.append((pdu, channel, start)) }
    }
    rig.add(wants: [(.zero, connect), (at(1_000), .link(LinkTests.one, .send([1, 2, 3])))])
    rig.add(x: 1_000, wants: [(.zero, effect(1, mode: 1))])
    let (machines, medium, _) = rig.run(for: .seconds(3))
    let (central, peripheral) = (RadioAddress(bits: 0xC000_0000_0000, isRandom: true), RadioRig.address(1))
    let request = try #require(sent.first { $0.pdu.kind == .connectRequest })
    let answer = try #require(sent.first { $0.pdu.kind == .connectResponse })
    #expect(request.channel < 37 && answer.channel == request.channel)
    expectEqual(answer.start, request.start + .microseconds(352 + 150))
    #expect(answer.pdu.sender == peripheral && answer.pdu.target == central)
    expectEqual(
      machines[0].linkSignals,
      [
        .connected(.central, own: central, peer: peripheral, LinkParameters()), .acknowledged(frames: 1),
      ])
    expectEqual(
      machines[1].linkSignals,
      [
        .connected(.peripheral, own: peripheral, peer: central, LinkParameters()), .frame([1, 2, 3]),
      ])
    expectEqual(machines[0].links[0].time, answer.start + .microseconds(192))
    // The set has ended, and who waits for a peripheral tells the host of no advertisement.
    #expect(medium.eventCount == 1 && machines[0].heard.isEmpty)
  }

  @Test("a request or an answer that is not heard ends no wait: the central asks again until it has a connection")
  func lossy() {
    for seed in 1...20 as ClosedRange<UInt64> {
      let connect = RadioEffect.link(LinkTests.one, .connect(to: RadioRig.address(1), LinkParameters()))
      var rig = RadioRig()
      rig.seed = Seed(seed)
      let half: (inout RadioHostPlan) -> Void = { $0.loss = .uniform(Ratio(50, in: 100)) }
      rig.add(half, wants: [(.zero, connect)])
      rig.add(x: 1_000, half, wants: (0..<40).map { (at($0 * 1_000), effect(1, mode: 1)) })
      let told = rig.run(for: .seconds(40)).machines.map(\.linkSignals)
      guard case .connected(.central, _, _, _)? = told[0].first else {
        Issue.record("seed \(seed): \(told[0])")
        continue
      }
      // The other side may hold one for made that the central never heard of, and gives it up.
      #expect(told[1].dropLast().allSatisfy { $0 != .ended(.timedOut) }, "seed \(seed)")
    }
  }

  @Test("a wait that is given up while the answer is on its way ends, and leaves no connection with the central")
  func givenUp() {
    let connect = RadioEffect.link(LinkTests.one, .connect(to: RadioRig.address(1), LinkParameters()))
    var request = Instant.never
    for delay in [0, 100, 400, 600, 700] as [Int64] {
      var rig = RadioRig()
      rig.tap = { bytes, _, start, _ in if bytes[0] & 15 == 5 { request = start } }
      rig.add(wants: [(.zero, connect)])
      rig.add(x: 1_000, wants: [(.zero, effect(1, mode: 1))])
      if delay > 0 {
        rig.machines[0].plan.append((request + .microseconds(delay - 400), .link(LinkTests.one, .end)))
      }
      let told = rig.run(for: .seconds(3)).machines.map(\.linkSignals)
      if delay == 0 { continue }
      expectEqual(told[0].last, .ended(.closed), "\(delay): \(told[0])")
      if case .connected? = told[0].first {
        expectEqual(told[1].last, .ended(.closedByPeer), "\(delay)")
      } else {
        #expect(told[1].isEmpty || told[1].last == .ended(.notEstablished), "\(delay)")
      }
    }
  }

  @Test("a set that cannot be connected to is not, and one that no controller could send is silent")
  func refused() {
    for mode in [UInt8(0), 2] {
      let connect = RadioEffect.link(LinkTests.one, .connect(to: RadioRig.address(1), LinkParameters()))
      var rig = RadioRig()
      rig.add(wants: [(.zero, connect)])
      rig.add(x: 1_000, wants: [(.zero, effect(1, mode: mode, byteCount: 0))])
      #expect(rig.run(for: .seconds(3)).machines[0].links.isEmpty)
    }
    let lamp = RadioRig.address(0)
    func extended(_ mode: UInt8, _ info: UInt16?, _ count: Int) -> [UInt8] {
      AdvertisingPDU.extendedBytes(from: lamp, mode: mode, dataInfo: info, data: [UInt8](repeating: 0, count: count))
    }
    let pointer = AdvertisingPDU.pointerBytes(
      mode: 0, dataInfo: 0, AdvertisingPDU.Pointer(channel: 1, offset: .milliseconds(1)))
    let (good, answer) = (extended(0, 1, 3), extended(0, nil, 3))
    let bad: [(pdu: [UInt8], response: [UInt8])] = [
      (extended(0, 1, 230), []), (extended(3, 1, 0), []), (extended(0, nil, 0), []), (pointer, []), (good, answer),
      (extended(1, 1, 0), answer), (extended(2, 1, 1), answer), (extended(2, 1, 0), pointer),
      (extended(2, 1, 0), AdvertisingPDU.bytes(.scanResponse, from: lamp)), (good + [0], []),
      (AdvertisingPDU.bytes(.scannable, from: lamp), answer),
      (AdvertisingPDU.connectResponseBytes(from: lamp, to: lamp), []),
    ]
    for (pdu, response) in bad + [(extended(2, 1, 0), answer), (good, [])] {
      var rig = RadioRig()
      rig.add(
        x: 1_000, wants: [(.zero, .advertise(set: 0, every: .milliseconds(100), pdu: pdu, response: response))])
      let count = rig.run(for: .milliseconds(500)).medium.eventCount
      expectEqual((count > 0), (pdu == good && response.isEmpty || pdu == extended(2, 1, 0) && response == answer))
    }
  }
}
