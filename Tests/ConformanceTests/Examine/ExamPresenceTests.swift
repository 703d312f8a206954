import RollcallConformance
import RollcallDevices
import RollcallExaminers
import RollcallExpectations
import RollcallPrimitives
import Testing

/// A device that dies, leaves or goes deaf, or whose examiner loses its interface, at every point of an examination.
@Suite("Examined devices that do not stay") struct ExamPresenceTests {
  private enum Cause: CaseIterable { case leaves, dies, goesDeaf, interfaceDown }

  /// Answers everything that looks like a search in the least, whatever is wrong with it.
  @Sendable private static func forgiving(_ bytes: [UInt8], _ number: Int) -> [UInt8]? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.hasPrefix("M-SEARCH"), text.contains("239.255.255.250") else { return bytes }
    let isGood =
      text.contains("MAN: \"ssdp:discover\"\r\n")
      && ["1", "2", "3", "5", "30"].contains { text.contains("MX: \($0)\r\n") }
    if isGood { return bytes }
    return Array(
      "M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: \"ssdp:discover\"\r\nMX: 1\r\nST: upnp:rootdevice\r\n\r\n"
        .utf8)
  }

  private static func bench(_ isForgiving: Bool) -> ExamBench {
    var bench = ExamBench()
    if isForgiving { bench.alter = forgiving }
    return bench
  }

  /// `mx-missing UDA-…`: held, violated or inconclusive; the last word counts.
  private static func verdicts(_ result: ExamBench.Result) -> [String: ProbeVerdict] {
    var verdicts: [String: ProbeVerdict] = [:]
    for ruling in result.report?.rulings ?? [] {
      verdicts["\(ruling.probe.rawValue) \(ruling.clause.clause.id)"] = ruling.verdict
    }
    return verdicts
  }

  private static func run(_ cause: Cause, at time: Interval, _ isForgiving: Bool) -> ExamBench.Result {
    var bench = bench(isForgiving)
    switch cause {
    case .leaves: bench.acts.append((time, .leave))
    case .dies: bench.acts.append((time, .vanish))
    case .goesDeaf: bench.deaf = time
    case .interfaceDown: bench.down = time
    }
    return bench.run()
  }

  @Test("no clause is held or broken by what happened after, whatever the point", arguments: [false, true])
  func everyPoint(isForgiving: Bool) throws {
    let whole = Self.bench(isForgiving).run()
    let expected = Self.verdicts(whole)
    expectEqual(whole.report?.presence, .present)
    #expect(expected.values.contains(.violated) == isForgiving)
    let end = whole.exam.ended - Instant.zero
    var presences: [String: Int] = [:]
    for cause in Cause.allCases {
      var time = Interval.seconds(20) + .milliseconds(137)
      while time < end {
        let result = Self.run(cause, at: time, isForgiving)
        for (pair, verdict) in Self.verdicts(result).sorted(by: { $0.key < $1.key }) where verdict != .inconclusive {
          expectEqual(verdict, expected[pair], "\(cause) at \(time): \(pair)")
        }
        for row in result.judgement?.rows ?? [] where !isForgiving {
          #expect(row.finding.ruling != .violated, "\(cause) at \(time): \(row.clause.id) \(row.finding.found)")
        }
        presences["\(cause) \(result.report?.presence.word ?? "nobody")", default: 0] += 1
        time = time + .milliseconds(1_777)
      }
    }
    // Towards the end of an examination nothing shows any more that somebody went.
    let isTold = ["leaves left", "dies silent", "goesDeaf silent", "interfaceDown interfaceLost"].map {
      presences[$0] ?? 0
    }
    #expect(isTold.allSatisfy { $0 > 10 }, "\(presences)")
    let others = presences.filter { key, _ in
      !["left", "silent", "interfaceLost", "nobody", "present"].contains { key.hasSuffix($0) }
    }
    expectEqual(others, [:])
  }

  @Test("a device that answers nothing any more and goes on announcing itself is deaf, and not gone")
  func deaf() throws {
    var bench = ExamBench()
    bench.deaf = .seconds(30)
    bench.description.timing.renewalInterval = .seconds(3) ... .seconds(3)
    let report = try #require(bench.run().report)
    expectEqual(report.presence.word, "deaf")
    expectEqual(report.rulings.filter { $0.verdict == .violated }.map(\.clause.clause.id), [])
  }

  @Test("a device that says byebye and comes back has answered what it answered, and nothing between counts")
  func returns() throws {
    var bench = ExamBench()
    bench.acts += [(.seconds(27), .leave), (.seconds(29), .appear)]
    let report = try #require(bench.run().report)
    expectEqual(report.presence, .present)
    expectEqual(report.rulings.filter { $0.verdict == .violated }.map(\.clause.clause.id), [])
  }

  @Test("what the system refused to send was not asked")
  func refused() throws {
    var exam = DeviceExam(DeviceExamPlan(patience: .zero))
    var outbox = Outbox(payloads: PayloadStore())
    func give(_ value: SignalValue, at seconds: Int64) {
      let id = outbox.values.put(value)
      exam.receive(.value(id), at: .zero + .seconds(seconds), into: &outbox)
      outbox.values.remove(id)
    }
    give(
      .interface(
        InterfaceChange(
          interface: InterfaceID(0), isUp: true, addresses: [InterfaceAddress(ExamBench.examiner, prefixBits: 24)])),
      at: 0)
    exam.wake(at: .zero + .milliseconds(100), into: &outbox)
    let port = try #require(exam.asks.first).source.port
    give(
      .refused(Refusal(deed: .send, interface: InterfaceID(0), address: .ssdpGroup4, port: port)), at: 0)
    give(.refused(Refusal(deed: .join, interface: InterfaceID(0), address: .ssdpGroup4, port: port)), at: 0)
    expectEqual(exam.asks.map(\.wasRefused), [true])
  }
}

@Suite("Examinations one after the other") struct ExamAgainTests {
  @Test("who takes MX as it stands is waited for, so that its answers are no matter of the next examination")
  func waitsOut() throws {
    var bench = ExamBench(plan: DeviceExamPlan(probes: [.mxHuge], patience: .zero))
    let good = bench.run()
    bench.quirks = [.ignoresMXCap]
    let late = bench.run()
    #expect(good.exam.ended - good.exam.began < .seconds(20))
    let asks = late.exam.asks.filter { $0.probe == .mxHuge }
    expectEqual(asks.map { late.exam.answers(to: $0).count }, asks.map { _ in late.exam.subject?.adverts.count ?? 0 })
    #expect(asks.count == 3 && late.exam.ended > asks[2].time + .seconds(20))
    expectEqual(late.violated(), ["UDA-1.3.3-MX-CAP"])
  }

  @Test("one answer with another ST may be anybody's; the same from two sockets is the device's")
  func strays() {
    var bench = ExamBench(plan: DeviceExamPlan(probes: [.searchDevice], patience: .zero))
    let other = "urn:schemas-upnp-org:device:MediaRenderer:1"
    @Sendable func garble(_ bytes: [UInt8], when isWrong: Bool) -> [UInt8] {
      let text = String(decoding: bytes, as: UTF8.self)
      guard isWrong, text.hasPrefix("HTTP"), text.contains("\r\nST: \(other)\r\n") else { return bytes }
      return Array(text.replacing("\r\nST: \(other)\r\n", with: "\r\nST: upnp:rootdevice\r\n").utf8)
    }
    // Answers to ssdp:all come first, and have every ST.
    let box = CountBox()
    bench.garble = { bytes, _ in
      let isOne = String(decoding: bytes, as: UTF8.self).contains("ST: \(other)\r\n")
      if isOne { box.count += 1 }
      return garble(bytes, when: isOne && box.count == 4)
    }
    expectEqual(bench.run().violated(), [])
    bench.garble = { bytes, number in garble(bytes, when: number > 40) }
    expectEqual(bench.run().violated(), ["UDA-1.3.3-ST-NOMATCH"])
  }

  @Test("a device that answers with an announcement is heard, and has not answered as asked")
  func announces() throws {
    var bench = ExamBench(plan: DeviceExamPlan(probes: [.searchRoot], patience: .zero))
    bench.begin = .seconds(20)
    bench.garble = { bytes, _ in
      let text = String(decoding: bytes, as: UTF8.self)
      guard text.hasPrefix("HTTP") else { return bytes }
      return Array(
        text.replacing("HTTP/1.1 200 OK", with: "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nNTS: ssdp:alive")
          .replacing("\r\nST: ", with: "\r\nNT: ").utf8)
    }
    let result = bench.run()
    let subject = try #require(result.exam.subject)
    expectEqual(subject.all.count, 2)
  }

  private final class CountBox: @unchecked Sendable {
    var count = 0
  }
}
