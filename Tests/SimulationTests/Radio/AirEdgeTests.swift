import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallSimulation

/// The parts of the air at their bounds: what meets, what is covered, who is deaf, and when somebody asks.
@Suite struct AirEdgeTests {
  private func packet(
    _ start: Int64, _ end: Int64, radio: Int = 0, channel: Int = 0, draw: UInt64 = 0
  ) -> AirPacket {
    AirPacket(start: start * 1_000, end: end * 1_000, radio: radio, channel: channel, draw: draw, bytes: [])
  }

  private func meets(_ one: AirPacket, _ others: AirPacket...) -> Bool {
    var channel = AirChannel()
    for other in others { channel.add(other, at: 0) }
    return channel.meets(one) { _ in true }
  }

  // MARK: - Packets on one channel

  @Test func `packets meet where they share a moment, whichever began first, and not where they touch`() {
    let one = packet(1_000, 1_376)
    for (start, end, isMeeting) in [
      (624, 1_000, false), (625, 1_001, true), (1_375, 1_700, true), (1_376, 1_700, false), (1_100, 1_200, true),
      (1_000, 1_376, true), (700, 1_076, true), (0, 376, false), (2_000, 2_376, false),
    ] as [(Int64, Int64, Bool)] {
      expectEqual(meets(one, packet(start, end, radio: 1)), isMeeting, "\(start) to \(end)")
    }
    #expect(!meets(one, packet(1_100, 1_200)), "a radio does not disturb itself")
  }

  @Test func `they are found in whatever order they were put there`() {
    let (early, middle, late) = (
      packet(0, 376, radio: 1), packet(1_000, 1_376, radio: 2), packet(2_000, 2_376, radio: 3)
    )
    for order in [[early, middle, late], [late, middle, early], [middle, late, early], [late, early, middle]] {
      var channel = AirChannel()
      for one in order { channel.add(one, at: 0) }
      for (start, radio) in [(100, 1), (1_100, 2), (2_100, 3)] as [(Int64, Int)] {
        var met: [Int] = []
        #expect(
          !channel.meets(packet(start, start + 376, radio: 9)) { other in
            met.append(other.radio)
            return false
          })
        expectEqual(met, [radio], "\(order.map(\.radio))")
      }
    }
  }

  @Test func `what is over for everybody is forgotten, and what may still be met is not`() {
    var channel = AirChannel()
    for number in 0..<1_000 {
      let start = Int64(number) * 1_000
      channel.add(packet(start, start + 376, radio: 1), at: start * 1_000)
      // The one before it ended 624 us ago; at its own end one that ended 376 us before may be asked about.
      #expect(channel.meets(packet(start + 375, start + 751, radio: 2)) { _ in true })
      #expect(!channel.meets(packet(start + 376, start + 752, radio: 2)) { _ in true })
    }
    #expect((1...130).contains(channel.count), "\(channel.count)")
    var dense = AirChannel()
    for number in 0..<100 {
      dense.add(packet(Int64(number), Int64(number) + 376, radio: number), at: Int64(number) * 1_000)
    }
    expectEqual(dense.count, 100)
  }

  @Test func `packets take eight microseconds for each byte around and in them`() {
    expectEqual(AirPacket.airtime(ofBytes: 8), 128_000)
    expectEqual(AirPacket.airtime(ofBytes: 39), 376_000)
    expectEqual(AirPacket.airtimeMaximum, 376_000)
    expectEqual(AdvertisingSet.requestAirtime, 176_000)
    expectEqual((0..<3).map { packet(0, 1, channel: $0).channelNumber }, [37, 38, 39])
  }

  // MARK: - A radio

  private func radio(_ change: (inout RadioHostPlan) -> Void = { _ in }) -> Radio {
    var plan = RadioHostPlan(name: "a")
    change(&plan)
    return Radio(plan, host: 5, seed: Seed(1))
  }

  @Test func `a scan covers a packet that begins with its window and one that ends with it`() {
    let scan = Scan(start: 1_000_000, window: 500_000, interval: 2_000_000, isActive: false)
    #expect(scan.covers(packet(1_000, 1_376)))
    #expect(scan.covers(packet(1_124, 1_500)))
    #expect(!scan.covers(packet(1_125, 1_501)))
    #expect(!scan.covers(packet(999, 1_375)))
    #expect(!scan.covers(packet(0, 376)) && !scan.covers(packet(0, 376, channel: 2)))
    #expect(!scan.covers(packet(1_000, 1_376, channel: 1)))
    #expect(scan.covers(packet(3_000, 3_376, channel: 1)))
    #expect(scan.covers(packet(5_000, 5_376, channel: 2)))
    #expect(scan.covers(packet(7_000, 7_376)))
    #expect(!scan.covers(packet(2_999, 3_375, channel: 1)))
  }

  @Test func `a radio is deaf from the first to the last moment of what it does itself`() {
    var one = radio()
    #expect(!one.isDeaf(during: packet(0, 376)))
    (one.deafFrom, one.deafUntil) = (1_000_000, 2_000_000)
    #expect(!one.isDeaf(during: packet(624, 1_000)) && one.isDeaf(during: packet(625, 1_001)))
    #expect(one.isDeaf(during: packet(1_999, 2_375)) && !one.isDeaf(during: packet(2_000, 2_376)))
  }

  private func set(_ number: UInt8, byteCount: Int = 0, response: [UInt8]? = nil) -> AdvertisingSet? {
    let address = RadioRig.address(1)
    return AdvertisingSet(
      number, every: .milliseconds(100),
      pdu: AdvertisingPDU.bytes(.connectable, from: address, data: [UInt8](repeating: 0, count: byteCount)),
      response: response.map { AdvertisingPDU.bytes(.scanResponse, from: address, data: $0) } ?? [])
  }

  @Test func `a set that takes another's place has a generation of its own, and one that is stopped does not run`()
    throws
  {
    var one = radio()
    let first = try #require(set(7))
    let generations = (0..<3).map { _ in one.start(first) }
    expectEqual(generations, [0, 1, 2])
    #expect(
      one.running(7, 2) != nil && one.running(7, 1) == nil && one.running(7, 3) == nil && one.running(8, 0) == nil)
    one.stop(8)
    one.stop(7)
    #expect(one.running(7, 2) == nil && one.sets.count == 1)
    let fourth = one.start(first)
    expectEqual(fourth, 3)
    for number: UInt8 in 20..<35 {
      let generation = one.start(try #require(set(number)))
      expectEqual(generation, 0)
    }
    let refused = one.start(try #require(set(99)))
    expectEqual(refused, nil)
    expectEqual(one.sets.count, RadioMedium.setsMaximum)
    // Only one that is silent makes room, and nothing that was scheduled for it is for the other.
    one.stop(25)
    let taken = one.start(try #require(set(99)))
    expectEqual(taken, 4)
    #expect(one.running(99, 4) != nil && one.running(25, 0) == nil && one.running(7, 3) != nil)
    one.stop(7)
    let back = one.start(try #require(set(25)))
    expectEqual(back, 5)
    expectEqual(one.sets.count, RadioMedium.setsMaximum)
  }

  @Test func `an event with room for questions is as long as three packets and two of these rooms`() throws {
    let plain = try #require(set(0, byteCount: 31))
    #expect(!plain.isScannable && plain.step == 526_000 && plain.eventLength == 1_428_000)
    let asked = try #require(set(0, byteCount: 31, response: [UInt8](repeating: 0, count: 31)))
    #expect(asked.isScannable && asked.step == 1_378_000 && asked.eventLength == 3_132_000)
  }

  @Test func `it asks from an address that says which host it is`() {
    expectEqual(radio().ownAddress, RadioAddress(bits: 0xC000_0000_0005, isRandom: true))
  }

  @Test func `one answer or one silence changes nothing, two in a row do`() {
    var one = radio()
    let asksUnasked = one.isReadyToAsk()
    #expect(!asksUnasked)
    one.note(answer: false)
    #expect(one.scan == nil)
    one.scan = Scan(start: 0, window: 1, interval: 1, isActive: true)
    one.scan?.backoffMaximum = 8
    for answer in [true, false, true, false, true] { one.note(answer: answer) }
    expectEqual(one.scan?.backoffMaximum, 8)
    one.note(answer: true)
    expectEqual(one.scan?.backoffMaximum, 4)
    one.note(answer: true)
    expectEqual(one.scan?.backoffMaximum, 4)
    one.note(answer: true)
    expectEqual(one.scan?.backoffMaximum, 2)
    for _ in 0..<2 { one.note(answer: false) }
    expectEqual(one.scan?.backoffMaximum, 4)
    one.note(answer: false)
    expectEqual(one.scan?.backoffMaximum, 4)
    one.scan?.backoff = 1
    let isReady = one.isReadyToAsk()
    #expect(isReady && one.scan?.backoff == 1)
    var drawn: Set<Int> = []
    for _ in 0..<100 {
      one.note(answer: true)
      one.note(answer: false)
      drawn.insert(one.scan?.backoff ?? 0)
    }
    expectEqual(drawn, [1, 2, 3, 4])
  }

  @Test func `a loss that is kept is given back, of the radio that it was kept for`() {
    var one = radio()
    expectEqual(one.loss(from: 0), nil)
    one.keep(40_000, from: 2, of: 4)
    expectEqual((0..<5).map { one.loss(from: $0) }, [nil, nil, 40_000, nil, nil])
    one.keep(0, from: 3, of: 4)
    #expect(one.loss(from: 3) == 0 && one.loss(from: 2) == 40_000)
  }

  @Test func `bursts begin in the good state, and a receiver without losses loses nothing`() {
    var one = radio { $0.loss = .gilbertElliott(goodToBad: .never, badToGood: .never, inGood: .never, inBad: .always) }
    let good = (0..<50).map { _ in one.loses(draw: packet(0, 1).draw) }
    #expect(!good.contains(true))
    var bad = radio { $0.loss = .gilbertElliott(goodToBad: .always, badToGood: .never, inGood: .never, inBad: .always) }
    let lost = (0..<50).map { _ in bad.loses(draw: packet(0, 1).draw) }
    #expect(!lost.contains(false))
    var sound = radio()
    let isLost = sound.loses(draw: packet(0, 1).draw)
    #expect(!isLost)
    var half = radio { $0.loss = .uniform(.percent(50)) }
    let packets = (0..<200).map { packet(0, 1, draw: UInt64($0)) }
    let drawn = packets.map { half.loses(draw: $0.draw) }
    #expect((70...130).contains(drawn.count { $0 }))
    // The same packet again is lost again.
    let again = packets.map { half.loses(draw: $0.draw) }
    expectEqual(again, drawn)
  }

  // MARK: - The medium

  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  @Test func `scans are taken from their shortest window to their longest interval`() {
    for (window, interval, isTaken) in [
      (2_500_000, 2_500_000, true), (2_499_999, 2_500_000, false), (30_000_000, 40_960_000_000, true),
      (30_000_000, 40_960_000_001, false), (30_000_000, 29_999_999, false),
    ] as [(Int64, Int64, Bool)] {
      var rig = RadioRig()
      rig.addAdvertiser(every: .milliseconds(20))
      let scanner = rig.addScanner(window: .nanoseconds(window), interval: .nanoseconds(interval))
      #expect(rig.run(for: .milliseconds(300)).machines[scanner].heard.isEmpty != isTaken, "\(window) of \(interval)")
    }
  }

  @Test func `a packet that is exactly as strong as the sensitivity is received`() {
    var rig = RadioRig()
    rig.addAdvertiser(x: 0, every: .milliseconds(20))
    let scanner = rig.addScanner { $0.sensitivity = -20 }
    expectEqual(Set(rig.run(for: .milliseconds(200)).machines[scanner].heard.map(\.strength)), [-20])
    rig.radios[scanner].sensitivity = -19
    expectEqual(rig.run(for: .milliseconds(200)).machines[scanner].heard, [])
  }

  @Test func `strength is rounded to the nearest decibel`() {
    // 39.603 dB at a metre, and what is asked for on top: -39.6 to -40, half a decibel up.
    var strengths: [Int8?] = []
    for power in [0, 4, -7, 30] {
      var rig = RadioRig()
      rig.addAdvertiser(every: .milliseconds(20)) { $0.transmitPower = power }
      let scanner = rig.addScanner()
      strengths += Set(rig.run(for: .milliseconds(100)).machines[scanner].heard.map(\.strength))
    }
    expectEqual(strengths, [-40, -36, -47, -10])
  }

  @Test func `a phone whose radio is off and on again hears nothing until it scans again`() {
    var rig = RadioRig()
    rig.addAdvertiser(every: .milliseconds(20))
    let phone = rig.addScanner {
      $0.switches = [
        RadioSwitch(at: at(200), isOn: false), RadioSwitch(at: at(250), isOn: false),
        RadioSwitch(at: at(300), isOn: true),
      ]
    }
    let machine = rig.run(for: .milliseconds(600)).machines[phone]
    #expect(machine.heard.contains { $0.time < at(200) } && machine.heard.allSatisfy { $0.time <= at(200) })
    expectEqual(machine.power, ["on at 0s", "off at 200ms", "on at 300ms"])
    rig.machines[phone].plan.append(
      (at: at(400), effect: .scan(window: .milliseconds(30), interval: .milliseconds(30), isActive: false)))
    #expect(rig.run(for: .milliseconds(600)).machines[phone].heard.contains { $0.time > at(400) })
    // What a machine wants while the radio is off is not done.
    rig.machines[phone].plan[1].at = at(260)
    #expect(rig.run(for: .milliseconds(600)).machines[phone].heard.allSatisfy { $0.time <= at(200) })
  }

  @Test func `who is not answered asks less and less`() {
    func requests(_ loss: Loss) -> (asked: Int, adverts: Int) {
      var rig = RadioRig()
      rig.addAdvertiser(kind: .scannable, every: .milliseconds(20), byteCount: 3, response: [2, 0x0A, 4]) {
        $0.loss = loss
      }
      let scanner = rig.addScanner(isActive: true)
      var asked = 0
      rig.tap = { bytes, _, _, _ in if bytes[0] & 15 == 3 { asked += 1 } }
      let heard = rig.run(for: .seconds(5)).machines[scanner].heard
      return (asked, heard.count { $0.kind == .scannable })
    }
    let answered = requests(.none)
    expectEqual(answered.asked, answered.adverts)
    let silent = requests(.uniform(.always))
    #expect(silent.asked * 4 < silent.adverts && silent.asked >= 4)
    let some = requests(.uniform(.percent(50)))
    #expect(some.asked < some.adverts && some.asked > silent.asked)
  }

  @Test func `who asks hears nobody else until the answer ought to be there`() {
    var rig = RadioRig()
    rig.air.captureDecibels = 0
    for number in 0..<30 {
      rig.addAdvertiser(
        x: 1_000, kind: .scannable, every: .milliseconds(20), byteCount: 3, response: [2, 0x0A, 4],
        at: at(Int64(number)))
    }
    let scanner = rig.addScanner(isActive: true)
    var asked: [Instant] = []
    rig.tap = { bytes, _, start, host in if host == scanner { asked.append(start) } }
    let result = rig.run(for: .seconds(1))
    let adverts = result.machines[scanner].heard.filter { $0.kind == .scannable }
    #expect(asked.count > 50 && adverts.count > asked.count / 2)
    // The request takes 176 us, the pause 150, the response 152; a packet of theirs 152.
    for start in asked {
      let until = start + .microseconds(176 + 150 + 152)
      #expect(!adverts.contains { $0.time - .microseconds(152) < until && start < $0.time })
    }
    #expect(result.medium.hearings.count <= 40)
  }

  @Test func `events are counted, and those of a set that waits for another are not lost`() {
    var rig = RadioRig()
    rig.add(
      wants: (0..<2).map { number in
        (
          at(0),
          .advertise(
            set: UInt8(number), every: .milliseconds(100),
            pdu: AdvertisingPDU.bytes(.nonconnectable, from: RadioRig.address(number)), response: [])
        )
      })
    var sent = 0
    rig.tap = { _, _, _, _ in sent += 1 }
    let result = rig.run(for: .seconds(10))
    expectEqual(result.medium.eventCount * 3, sent)
    #expect((184...202).contains(result.medium.eventCount), "\(result.medium.eventCount)")
  }

  @Test func `a run with everything in it is the same for ever`() {
    var rig = RadioRig(seed: Seed(42))
    rig.air = AirPlan(exponentTenths: 27, shadowingMillidecibels: 3_000, captureDecibels: 12)
    rig.heal = at(1_500)
    for number in 0..<6 {
      rig.addAdvertiser(
        x: 500 + 900 * Int64(number), kind: number % 2 == 0 ? .connectable : .nonconnectable,
        every: .milliseconds(20 + Int64(number)), byteCount: 5 * number, response: number == 0 ? [2, 0x0A, 4] : nil
      ) {
        $0.transmitPower = number
        $0.loss = .uniform(.percent(20))
        if number == 3 { $0.walks = [Walk(start: at(500), duration: .seconds(1), to: Position(x: 20_000, y: 3))] }
      }
    }
    let scanner = rig.addScanner(isActive: true) {
      $0.loss = .gilbertElliott(
        goodToBad: .percent(5), badToGood: .percent(30), inGood: .percent(3), inBad: .percent(80))
    }
    let result = rig.run(for: .seconds(2))
    expectEqual(result.machines[scanner].heard.count, 391)
    expectEqual(result.digest, 1_355_455_983_470_631_973)
    // As the machine of the digest is the same in any process, so are these.
    expectEqual(PathLoss.shadowing(4_000, "a", "b", Seed(7)), -3_977)
    expectEqual(PathLoss.thousandths(squareDistance: 1_000_000, exponentTenths: 20), 39_603)
    expectEqual(PathLoss.thousandths(squareDistance: 16_000_000, exponentTenths: 27), 55_859)
  }
}
