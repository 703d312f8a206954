import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallSimulation

/// Advertising and scanning on the virtual air.
@Suite struct AirTests {
  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  // MARK: - Advertising

  @Test func `an event is one packet on each of 37, 38 and 39, and a fresh 0 to 10 ms are added to each interval`() {
    var rig = RadioRig()
    var sent: [(channel: UInt8, start: Instant)] = []
    rig.tap = { _, channel, start, _ in sent.append((channel, start)) }
    rig.addAdvertiser(every: .milliseconds(100))
    _ = rig.run(for: .seconds(60))
    expectEqual(sent.count % 3, 0)
    for event in stride(from: 0, to: sent.count, by: 3) {
      expectEqual(sent[event..<event + 3].map(\.channel), [37, 38, 39])
      // 128 us on the air, then 150 us of pause.
      expectEqual(sent[event + 1].start - sent[event].start, .microseconds(278))
      expectEqual(sent[event + 2].start - sent[event + 1].start, .microseconds(278))
    }
    let starts = stride(from: 0, to: sent.count, by: 3).map { sent[$0].start }
    let delays = zip(starts, starts.dropFirst()).map { ($1 - $0).nanoseconds - 100_000_000 }
    #expect(delays.allSatisfy { (0...10_000_000).contains($0) })
    #expect(Set(delays).count > delays.count - 2)
    let mean = delays.reduce(0, +) / Int64(delays.count)
    #expect((4_500_000...5_500_000).contains(mean))
    #expect(starts[0] <= at(10))
  }

  @Test func `where a scanner may ask, there is room between the channels for the question and the answer`() {
    var rig = RadioRig()
    var sent: [Instant] = []
    rig.tap = { bytes, _, start, _ in if bytes[0] & 15 == 0 { sent.append(start) } }
    rig.addAdvertiser(kind: .connectable, byteCount: 31, response: [UInt8](repeating: 0, count: 31))
    _ = rig.run(for: .milliseconds(50))
    expectEqual(sent.count, 3)
    // 376 us, 150, 176 of SCAN_REQ, 150, 376 of SCAN_RSP, 150.
    expectEqual(zip(sent, sent.dropFirst()).map { $1 - $0 }, [.microseconds(1_378), .microseconds(1_378)])
  }

  @Test func `another packet takes the place of the first one, and a set that is stopped is silent`() {
    var rig = RadioRig()
    let (first, second) = (RadioRig.address(50), RadioRig.address(51))
    func advertise(_ address: RadioAddress) -> RadioEffect {
      .advertise(
        set: 3, every: .milliseconds(20), pdu: AdvertisingPDU.bytes(.nonconnectable, from: address), response: [])
    }
    rig.add(
      x: 1_000,
      wants: [
        (at(0), advertise(first)), (at(100), advertise(second)), (at(200), .stopAdvertising(set: 3)),
        (at(300), advertise(first)),
      ])
    let scanner = rig.addScanner()
    let heard = rig.run(for: .milliseconds(400)).machines[scanner].heard
    #expect(heard.filter { $0.sender == first && $0.time < at(100) }.count >= 3)
    expectEqual(heard.contains { $0.sender == first && $0.time > at(101) && $0.time < at(300) }, false)
    expectEqual(heard.contains { $0.sender == second && $0.time < at(100) }, false)
    #expect(heard.filter { $0.sender == second && $0.time < at(201) }.count >= 3)
    expectEqual(heard.contains { $0.time > at(201) && $0.time < at(300) }, false)
    #expect(heard.contains { $0.sender == first && $0.time > at(300) })
  }

  @Test func `what no controller could send is not sent, and ends what was sent before`() {
    let good = AdvertisingPDU.bytes(.nonconnectable, from: RadioRig.address(50))
    let response = AdvertisingPDU.bytes(.scanResponse, from: RadioRig.address(50))
    let bad: [RadioEffect] = [
      .advertise(set: 0, every: .nanoseconds(19_999_999), pdu: good, response: []),
      .advertise(set: 0, every: .nanoseconds(10_486_000_000_001), pdu: good, response: []),
      .advertise(set: 0, every: .milliseconds(20), pdu: good + [0], response: []),
      .advertise(set: 0, every: .milliseconds(20), pdu: [], response: []),
      .advertise(set: 0, every: .milliseconds(20), pdu: response, response: []),
      .advertise(set: 0, every: .milliseconds(20), pdu: good, response: good),
    ]
    for effect in bad {
      var rig = RadioRig()
      rig.add(
        wants: [
          (at(0), .advertise(set: 0, every: .milliseconds(20), pdu: good, response: response)), (at(100), effect),
        ])
      var times: [Instant] = []
      rig.tap = { _, _, start, _ in times.append(start) }
      _ = rig.run(for: .seconds(1))
      #expect(times.count >= 9, "\(effect)")
      #expect(times.allSatisfy { $0 <= at(101) }, "\(effect)")
    }
  }

  @Test func `a radio has at most sixteen sets, and sends one thing at a time`() {
    var rig = RadioRig()
    rig.add(
      wants: (0..<17).map { number in
        (
          at(0),
          .advertise(
            set: UInt8(number), every: .milliseconds(20),
            pdu: AdvertisingPDU.bytes(.nonconnectable, from: RadioRig.address(number)), response: [])
        )
      })
    var sent: [(sender: UInt8, start: Instant)] = []
    rig.tap = { bytes, _, start, _ in sent.append((bytes[2], start)) }
    _ = rig.run(for: .seconds(1))
    expectEqual(Set(sent.map(\.sender)), Set(0..<16))
    let starts = sent.map(\.start).sorted()
    #expect(zip(starts, starts.dropFirst()).allSatisfy { $1 - $0 >= .microseconds(128) })
  }

  // MARK: - Scanning

  @Test func `a scanner takes the channels in turn, one for each interval, and hears for the length of a window`() {
    var rig = RadioRig()
    for number in 0..<8 {
      rig.addAdvertiser(x: 1_000, y: Int64(number), every: .milliseconds(20), at: at(Int64(number)))
    }
    // So strong that two at a time do no harm.
    rig.air.captureDecibels = 0
    let scanner = rig.addScanner(window: .milliseconds(10), interval: .milliseconds(50))
    let heard = rig.run(for: .seconds(10)).machines[scanner].heard
    #expect(heard.count > 300)
    for packet in heard {
      let (number, into) = packet.time.nanoseconds.quotientAndRemainder(dividingBy: 50_000_000)
      expectEqual(packet.channel, UInt8(37 + number % 3))
      // All 128 us of the packet lie within the window.
      #expect((128_000...10_000_000).contains(into))
    }
  }

  @Test func `a window that is longer than its interval, or too short, is not listened to`() {
    for (window, interval) in [(31, 30), (2, 30)] {
      var rig = RadioRig()
      rig.addAdvertiser()
      let scanner = rig.addScanner(
        window: .milliseconds(Int64(window)), interval: .milliseconds(Int64(interval)))
      expectEqual(rig.run(for: .seconds(2)).machines[scanner].heard, [])
    }
  }

  @Test func `a scan that is stopped hears nothing, and one that begins again counts its windows anew`() {
    var rig = RadioRig()
    rig.addAdvertiser(every: .milliseconds(20))
    let scan = RadioEffect.scan(window: .milliseconds(30), interval: .milliseconds(30), isActive: false)
    let scanner = rig.add(wants: [(at(0), scan), (at(500), .stopScan), (at(1_015), scan)])
    let heard = rig.run(for: .seconds(2)).machines[scanner].heard
    #expect(heard.contains { $0.time < at(500) })
    expectEqual(heard.contains { $0.time > at(500) && $0.time < at(1_015) }, false)
    for packet in heard where packet.time > at(1_015) {
      expectEqual(packet.channel, UInt8(37 + (packet.time - at(1_015)).nanoseconds / 30_000_000 % 3))
    }
  }

  @Test func `a passive scanner sends nothing, an active one asks and is answered 150 us later`() {
    for isActive in [false, true] {
      var rig = RadioRig()
      rig.addAdvertiser(kind: .connectable, byteCount: 3, response: [2, 0x0A, 4])
      let scanner = rig.addScanner(isActive: isActive)
      var sent: [(kind: UInt8, start: Instant, host: Int, count: Int)] = []
      rig.tap = { bytes, _, start, host in sent.append((bytes[0] & 15, start, host, bytes.count)) }
      let heard = rig.run(for: .seconds(2)).machines[scanner].heard
      expectEqual(sent.contains { $0.host == scanner }, isActive)
      expectEqual(heard.contains { $0.kind == .scanResponse }, isActive)
      guard isActive else { continue }
      for request in sent where request.kind == 3 {
        expectEqual(request.count, 14)
        let advert = sent.last { $0.kind == 0 && $0.start < request.start }
        let response = sent.first { $0.kind == 4 && $0.start > request.start }
        // The advertisement takes 152 us, the request 176.
        expectEqual(advert.map { request.start - $0.start }, .microseconds(152 + 150))
        expectEqual(response.map { $0.start - request.start }, .microseconds(176 + 150))
      }
      // Every response that was sent is heard here, since nobody else is on the air.
      expectEqual(heard.filter { $0.kind == .scanResponse }.count, sent.filter { $0.kind == 4 }.count)
    }
  }

  @Test func `what cannot be scanned is not asked, and neither is what has no response`() {
    for (kind, response) in [(AdvertisingPDU.Kind.nonconnectable, [1] as [UInt8]?), (.connectable, nil)] {
      var rig = RadioRig()
      rig.addAdvertiser(kind: kind, response: response)
      let scanner = rig.addScanner(isActive: true)
      var asked = false
      rig.tap = { _, _, _, host in asked = asked || host == scanner }
      expectEqual(rig.run(for: .seconds(2)).machines[scanner].heard.isEmpty, false)
      #expect(!asked)
    }
  }

  @Test func `answers make a scanner ask each time, silence makes it ask less, down to once in 256`() {
    var radio = Radio(RadioHostPlan(name: "a"), host: 0, seed: Seed(1))
    radio.scan = Scan(start: 0, window: 1, interval: 1, isActive: true)
    var limits: [Int] = []
    for _ in 0..<20 {
      radio.note(answer: false)
      limits.append(radio.scan?.backoffMaximum ?? 0)
      #expect((1...limits[limits.count - 1]).contains(radio.scan?.backoff ?? 0))
    }
    expectEqual(limits, [1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32, 64, 64, 128, 128, 256, 256, 256, 256, 256])
    // One answer between two silences counts for nothing.
    radio.note(answer: true)
    radio.note(answer: false)
    radio.note(answer: true)
    expectEqual(radio.scan?.backoffMaximum, 256)
    radio.note(answer: true)
    expectEqual(radio.scan?.backoffMaximum, 128)
    for _ in 0..<20 { radio.note(answer: true) }
    expectEqual(radio.scan?.backoffMaximum, 1)
    radio.scan?.backoff = 3
    expectEqual((0..<4).map { _ in radio.isReadyToAsk() }, [false, false, true, true])
  }

  // MARK: - Strength

  @Test func `the strength is that of the formula, to a decibel, and below the sensitivity there is none`() {
    for (millimetres, strength) in [(100, -20), (1_000, -40), (4_000, -52), (10_000, -60), (100_000, -80)] {
      var rig = RadioRig()
      rig.addAdvertiser(x: Int64(millimetres))
      let scanner = rig.addScanner { $0.sensitivity = strength - 1 }
      let heard = rig.run(for: .seconds(1)).machines[scanner].heard
      expectEqual(Set(heard.map(\.strength)), [Int8(strength)])
      var deaf = rig
      deaf.radios[scanner].sensitivity = strength + 1
      expectEqual(deaf.run(for: .seconds(1)).machines[scanner].heard, [])
    }
  }

  @Test func `transmit power and shadowing are in the strength`() {
    var rig = RadioRig()
    rig.air.shadowingMillidecibels = 8_000
    for number in 0..<30 {
      rig.addAdvertiser(x: 1_000, every: .milliseconds(500 + 7 * Int64(number))) { $0.transmitPower = 4 }
    }
    let scanner = rig.addScanner()
    let heard = rig.run(for: .seconds(60)).machines[scanner].heard
    for number in 0..<30 {
      let own = Set(heard.filter { $0.sender == RadioRig.address(number) }.map(\.strength))
      let shadow = PathLoss.shadowing(8_000, "r\(number)", "r\(scanner)", rig.seed)
      let expected = Int8((4.0 - 39.604 + Double(shadow) / 1_000).rounded())
      expectEqual(own, [expected], "advertiser \(number)")
    }
  }

  @Test func `who walks away grows weaker, and is not heard out of reach`() {
    var rig = RadioRig()
    rig.addAdvertiser(x: 1_000, every: .milliseconds(20)) {
      $0.walks = [Walk(start: .zero, duration: .seconds(99), to: Position(x: 100_000))]
    }
    let scanner = rig.addScanner { $0.sensitivity = -70 }
    let heard = rig.run(for: .seconds(99)).machines[scanner].heard
    expectEqual(heard.first?.strength, -40)
    #expect(zip(heard, heard.dropFirst()).allSatisfy { ($0.strength ?? 0) >= ($1.strength ?? 0) })
    // -70 dBm are reached at 33.1 m.
    let last = (heard.last?.time ?? .zero) - Instant.zero
    #expect(Interval.milliseconds(31_900) < last && last < .milliseconds(32_200))
  }

  // MARK: - Two at a time

  /// Two advertisers whose first events begin within 10 ms; what the scanner has of each, of those that overlapped.
  private func collided(_ nearX: Int64, _ farX: Int64, capture: Int = 21) -> (near: Int, far: Int, overlaps: Int) {
    var (near, far, overlaps) = (0, 0, 0)
    for seed in 1...40 {
      var rig = RadioRig(seed: Seed(UInt64(seed)))
      rig.air.captureDecibels = capture
      var sent: [(start: Instant, host: Int, channel: UInt8)] = []
      rig.tap = { _, channel, start, host in sent.append((start, host, channel)) }
      for x in [nearX, farX] { rig.addAdvertiser(x: x, every: .milliseconds(20), byteCount: 31) }
      let scanner = rig.addScanner()
      let heard = rig.run(for: .seconds(2)).machines[scanner].heard
      for one in sent where one.host == 0 {
        let end = one.start + .microseconds(376)
        let others = sent.filter {
          $0.host == 1 && $0.channel == one.channel && $0.start < end && one.start < $0.start + .microseconds(376)
        }
        guard let other = others.first else { continue }
        overlaps += 1
        near += heard.count { $0.sender == RadioRig.address(0) && $0.time == end }
        far += heard.count { $0.sender == RadioRig.address(1) && $0.time == other.start + .microseconds(376) }
      }
    }
    return (near, far, overlaps)
  }

  @Test func `of two packets at once the one that is 21 dB stronger is received, else neither`() {
    let apart = collided(1_000, 12_000)
    #expect(apart.overlaps > 20)
    #expect(apart.near > 0)
    expectEqual(apart.far, 0)
    let alike = collided(1_000, 11_000)
    #expect(alike.overlaps > 20)
    expectEqual(alike.near, 0)
    expectEqual(alike.far, 0)
    let without = collided(1_000, 1_000, capture: 0)
    #expect(without.near > 0)
    #expect(without.far > 0)
  }

  @Test func `a radio that sends hears nothing meanwhile`() {
    var rig = RadioRig()
    rig.addAdvertiser(x: 1_000, every: .milliseconds(20), byteCount: 31)
    let busy = rig.add(
      wants: [
        (at(0), .scan(window: .milliseconds(30), interval: .milliseconds(30), isActive: false)),
        (
          at(0),
          .advertise(
            set: 0, every: .milliseconds(20),
            pdu: AdvertisingPDU.bytes(
              .nonconnectable, from: RadioRig.address(60), data: [UInt8](repeating: 0, count: 31)),
            response: [])
        ),
      ])
    var own: [Instant] = []
    rig.tap = { _, channel, start, host in if host == busy, channel == 37 { own.append(start) } }
    rig.air.captureDecibels = 0
    let heard = rig.run(for: .seconds(20)).machines[busy].heard
    #expect(heard.count > 300)
    // Its event: three packets of 376 us, with 150 us between them.
    for packet in heard {
      let start = packet.time - .microseconds(376)
      expectEqual(own.contains { $0 < packet.time && start < $0 + .microseconds(3 * 376 + 2 * 150) }, false)
    }
  }

  // MARK: - Loss and power

  @Test func `a lossy receiver loses its share, on draws of its own, and after the heal nothing`() {
    var rig = RadioRig()
    rig.heal = .zero + .seconds(100)
    rig.addAdvertiser(every: .milliseconds(20))
    let lossy = rig.addScanner { $0.loss = .uniform(Ratio(1, in: 4)) }
    let sound = rig.addScanner()
    let all = rig.run(for: .seconds(200))
    let (some, every) = (all.machines[lossy].heard, all.machines[sound].heard)
    let before = Double(some.count { $0.time < at(100_000) }) / Double(every.count { $0.time < at(100_000) })
    #expect(abs(before - 0.75) < 0.03)
    expectEqual(some.filter { $0.time >= at(100_000) }, every.filter { $0.time >= at(100_000) })
    // One more advertiser far away changes no draw of the others.
    var larger = rig
    larger.addAdvertiser(x: 90_000_000)
    expectEqual(larger.run(for: .seconds(200)).machines[lossy].heard, some)
  }

  @Test func `losses in bursts clump, and their share is that of the two states`() {
    var rig = RadioRig()
    rig.addAdvertiser(every: .milliseconds(20))
    let lossy = rig.addScanner {
      $0.loss = .gilbertElliott(goodToBad: .percent(2), badToGood: .percent(8), inGood: .never, inBad: .always)
    }
    let heard = rig.run(for: .seconds(400)).machines[lossy].heard
    let gaps = zip(heard, heard.dropFirst()).map { ($1.time - $0.time).nanoseconds / 20_000_000 }
    // A fifth is lost, in gaps that average 12 packets.
    #expect((11_500...14_000).contains(heard.count), "\(heard.count)")
    #expect((gaps.max() ?? 0) > 20)
  }

  @Test func `a radio that is switched off neither sends nor hears, and begins nothing by itself`() {
    var rig = RadioRig()
    let advertiser = rig.addAdvertiser(every: .milliseconds(20)) {
      $0.switches = [
        RadioSwitch(at: .zero + .seconds(1), isOn: false), RadioSwitch(at: .zero + .seconds(2), isOn: true),
      ]
    }
    let scanner = rig.addScanner()
    let result = rig.run(for: .seconds(3))
    #expect(result.machines[scanner].heard.contains { $0.time < at(1_000) })
    expectEqual(result.machines[scanner].heard.contains { $0.time > at(1_000) }, false)
    expectEqual(result.machines[advertiser].power.suffix(2), ["off at 1s", "on at 2s"])
    var deaf = RadioRig()
    deaf.addAdvertiser(every: .milliseconds(20))
    let phone = deaf.addScanner { $0.switches = [RadioSwitch(at: .zero + .seconds(1), isOn: false)] }
    #expect(deaf.run(for: .seconds(3)).machines[phone].heard.allSatisfy { $0.time <= at(1_000) })
  }
}
