import RollcallConformance
import RollcallExaminers
import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallTrace
import Testing

@Suite("An examination of a device") struct DeviceExamTests {
  // MARK: - A device that holds

  @Test(
    "our own device keeps every clause that can be asked for, under each version of UDA", arguments: UDAVersion.allCases
  )
  func own(uda: UDAVersion) throws {
    let result = ExamBench(description: ExamBench.tree(uda)).run()
    let report = try #require(result.report)
    expectEqual(result.violated(false), [])
    let open = report.rulings.filter { $0.verdict == .inconclusive }.map(\.probe)
    expectEqual(open, [.renewal])
    let judgement = try #require(result.judgement)
    expectEqual(judgement.lines.filter { !$0.hasPrefix("UDA-1.2.2-RENEW ") }, [])
    expectEqual(judgement.parties.map(\.name), ["192.168.1.10"])
  }

  @Test("each probe that asks is asked, and holds")
  func marks() throws {
    let result = ExamBench().run()
    let marks = try #require(result.report).rows.map { "\($0.probe.rawValue) \($0.mark.rawValue)" }
    let others = [
      "answer-port notAsked", "mx-zero noted", "renewal inconclusive",
    ]
    let held = DeviceProbe.allCases.filter { ![.answerPort, .mxZero, .renewal, .byebye].contains($0) }
      .map { "\($0.rawValue) held" }
    expectEqual(Set(marks), Set(held + others))
    expectEqual(marks.count, held.count + others.count)
  }

  @Test("every kind of device in a living room is examined to its end", arguments: Profile.allCases)
  func profiles(profile: Profile) throws {
    var bench = ExamBench(description: profile.description)
    bench.quirks = profile.quirks
    let result = bench.run()
    expectEqual(result.exam.outcome, .examined)
    // Their habits are those of the field: some break a clause, none breaks one of answering but these.
    let expected: [Profile: [String]] = [.camera: ["UDA-1.3.3-ST-ALL"]]
    #expect(result.violated() == expected[profile] ?? [], "\(profile)")
  }

  // MARK: - Devices that break

  struct Breach: Sendable, CustomTestStringConvertible {
    var quirk: Quirk
    var clauses: [String]
    var testDescription: String { "\(quirk)" }
    init(_ quirk: Quirk, _ clauses: String...) { (self.quirk, self.clauses) = (quirk, clauses) }
  }

  @Test(
    "a bad habit breaks its clause and no other",
    arguments: [
      Breach(.answersImmediately, "UDA-1.3.3-DELAY"),
      // Late by half a second, it is later than the 5 s that MX 30 stands for, too.
      Breach(.answersLate(.milliseconds(500)), "UDA-1.3.3-DELAY", "UDA-1.3.3-DELAY-MAX", "UDA-1.3.3-MX-CAP"),
      Breach(.ignoresMXCap, "UDA-1.3.3-MX-CAP"),
      Breach(.slowUnicastAnswers, "UDA-1.3.3-UC-FAST"),
      Breach(.manyAnswers(5), "UDA-1.3.3-ONCE"),
      // One of its two answers does not wait.
      Breach(.doubleAnswer, "UDA-1.3.3-DELAY", "UDA-1.3.3-ONCE"),
      Breach(.answersOnlySome("upnp:rootdevice"), "UDA-1.3.3-ST-ALL", "UDA-1.3.3-ST-UUID"),
      Breach(.answersEverySearch, "UDA-1.3.3-ST-HIGHER", "UDA-1.3.3-ST-NOMATCH"),
      Breach(.relaxedSearch, "UDA-1.3.3-MX-MISSING"),
      Breach(.answersBadMAN, "UDA-1.3.3-MAN-BAD"),
      Breach(.silentOnUnicast, "UDA-1-LISTEN-UC"),
      Breach(.answersHigherVersion, "UDA-1.3.3-ST-HIGHER"),
      Breach(.echoesOwnVersion, "UDA-1.3.3-ST-LOWER"),
      Breach(.substringMatch, "UDA-1.3.3-ST-LOWER", "UDA-1.3.3-ST-NOMATCH"),
      Breach(.errorAnswers, "UDA-1.3.3-NO-ERROR"),
      Breach(.blocksWhileAnswering, "UDA-1.3.3-NONBLOCK"),
      Breach(.wrongSTEchoed, "UDA-1.3.3-ST-ALL", "UDA-1.3.3-ST-LOWER", "UDA-1.3.3-ST-NOMATCH"),
      Breach(.incompleteSet, "UDA-1.3.3-ST-ALL"),
      Breach(.rootOnly, "UDA-1.3.3-ST-ALL"),
    ])
  func habit(breach: Breach) {
    expectEqual(ExamBench(quirks: [breach.quirk]).run().violated(), breach.clauses)
  }

  @Test(
    "a device that is heard announcing and answers no group search breaks the clause of listening, or of where to",
    arguments: [
      Breach(.silentOnMulticast, "UDA-1-LISTEN-MC"), Breach(.answersToPort1900, "UDA-1.3.3-UNICAST"),
    ])
  func mute(breach: Breach) {
    let result = ExamBench(quirks: [breach.quirk], begin: .zero).run()
    expectEqual(result.violated(), breach.clauses)
  }

  @Test("BOOTID of answers is held against that of the announcements")
  func staleBootID() {
    expectEqual(ExamBench(begin: .zero).run().violated(), [])
    var bench = ExamBench(quirks: [.servesStaleBootID], begin: .zero)
    bench.description.initialBootID = 7
    expectEqual(bench.run().violated(), ["UDA-1.3.3-BOOT"])
  }

  @Test("a CONFIGID that comes and goes is broken, one that changed once may have a reason")
  func configID() throws {
    var bench = ExamBench(plan: DeviceExamPlan(probes: [.searchUUID], patience: .zero))
    @Sendable func other(_ bytes: [UInt8]) -> [UInt8] {
      Array(String(decoding: bytes, as: UTF8.self).replacing("CONFIGID.UPNP.ORG: 1", with: "CONFIGID.UPNP.ORG: 2").utf8)
    }
    bench.garble = { bytes, number in number % 2 == 0 ? bytes : other(bytes) }
    expectEqual(bench.run().violated(), ["UDA-1.2.2-CFG-CHANGE"])
    bench.garble = { bytes, number in number < 30 ? bytes : other(bytes) }
    let result = bench.run()
    expectEqual(result.violated(), [])
    expectEqual(result.report?.rulings.contains { $0.clause == .configIDChange && $0.verdict == .inconclusive }, true)
  }

  @Test("unicast searches go to the SEARCHPORT that is announced")
  func searchPort() {
    var bench = ExamBench(plan: DeviceExamPlan(probes: [.unicast], patience: .zero))
    bench.description.searchPort = 50_123
    let result = bench.run()
    expectEqual(
      result.exam.asks.filter { $0.probe == .unicast }.map(\.destination), [Endpoint(ExamBench.device, port: 50_123)])
    expectEqual(result.violated(), [])
  }

  @Test("what is found in single messages stands in the same judgement")
  func listening() throws {
    let judgement = try #require(ExamBench(quirks: [.noExt]).run().judgement)
    expectEqual(
      judgement.lines.filter { !$0.contains("inconclusive") },
      [
        "UDA-1.3.3-FIELDS 192.168.1.10 violated x119: CACHE-CONTROL, EXT, LOCATION, SERVER, ST and USN | no EXT"
      ])
  }

  @Test("TTL is judged where the system tells it of one datagram at least")
  func hopLimits() throws {
    let result = ExamBench(plan: DeviceExamPlan(probes: [.searchUUID], patience: .zero)).run()
    let report = try #require(result.report)
    var entries = result.entries
    func isJudged(_ entries: [TraceEntry]) -> [Bool] {
      let judged = ExamJudgement.judgement(of: result.exam, report, trace: entries).judged
      return [judged.contains(.ttlDefault), judged.contains(.ttlEscape)]
    }
    expectEqual(isJudged(entries), [false, false])
    for place in entries.indices {
      guard case .received(var datagram) = entries[place].content else { continue }
      datagram.hopLimit = 1
      entries[place].content = .received(datagram)
      break
    }
    expectEqual(isJudged(entries), [true, true])
  }

  @Test("under UDA 1.0 what a later version asks for is noted and no breach")
  func claims() throws {
    let result = ExamBench(description: ExamBench.tree(.uda10), quirks: [.relaxedSearch]).run()
    expectEqual(result.violated(), [])
    expectEqual(result.violated(false), ["UDA-1.3.3-MX-MISSING"])
    let row = try #require(result.report?.rows.first { $0.probe == .mxMissing })
    expectEqual(row.mark, .noted)
    expectEqual(row.remark, "no clause binds it under UDA 1.0")
    expectEqual(result.judgement?.lines.filter { $0.contains(" violated ") }, [])
  }
}
