import RollcallExaminers
import RollcallConformance
import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import Testing

/// What a device makes of odd searches: between the examiner and our own device something changes or drops them.
@Suite("An examination of what a device reads") struct ExamReceptionTests {
  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  struct Reader: Sendable, CustomTestStringConvertible {
    var name: String
    var clause: String
    var alter: @Sendable (String) -> String?
    var testDescription: String { name }
  }

  @Test(
    "who reads searches wrongly breaks one clause",
    arguments: [
      Reader(name: "field names with regard to case", clause: "UDA-1.1.2-NAMECASE") {
        $0.contains("man: ") ? nil : $0
      },
      Reader(name: "no unknown fields", clause: "UDA-1.1.5-SKIP") { $0.contains("TEST.ROLLCALL") ? nil : $0 },
      Reader(name: "HOST first or nothing", clause: "UDA-1.1.2-ORDER") {
        $0.hasPrefix("M-SEARCH * HTTP/1.1\r\nCPFN") ? nil : $0
      },
      Reader(name: "blanks as part of a value", clause: "UDA-1.1.2-OWS") { $0.contains("  \r\n") ? nil : $0 },
      Reader(name: "MX up to its first letter", clause: "UDA-1.3.3-MX-BAD") {
        $0.replacing("MX: 1.5\r\n", with: "MX: 1\r\n")
      },
      Reader(name: "any MX that is there", clause: "UDA-1.3.3-MX-BAD") {
        $0.replacing("MX: soon\r\n", with: "MX: 1\r\n")
      },
      Reader(name: "values without regard to case", clause: "UDA-1.1.2-VALUECASE") {
        $0.replacing("UPNP:ROOTDEVICE", with: "upnp:rootdevice")
      },
      Reader(name: "any start line", clause: "UDA-1.1.1-RX-OTHER") { $0.replacing("GET * ", with: "M-SEARCH * ") },
      Reader(name: "a search without ST as one for everything", clause: "UDA-1.1.5-DISCARD") {
        $0.lowercased().contains("\r\nst:") ? $0 : $0.replacing("USER-AGENT", with: "ST: ssdp:all\r\nUSER-AGENT")
      },
    ])
  func readers(reader: Reader) {
    var bench = ExamBench()
    bench.alter = { bytes, _ in
      reader.alter(ExamReceptionTests.text(bytes)).map { Array($0.utf8) }
    }
    expectEqual(bench.run().violated(), [reader.clause])
  }

  @Test("a device that a search kills is left alone, and the search is named")
  func killed() throws {
    var bench = ExamBench()
    let box = DeadBox()
    bench.alter = { bytes, _ in
      if ExamReceptionTests.text(bytes).contains("MX: 0\r\n") { box.isDead = true }
      return box.isDead ? nil : bytes
    }
    let result = bench.run()
    expectEqual(result.exam.fellSilentAfter, .mxZero)
    expectEqual(result.violated(), [])
    let report = try #require(result.report)
    expectEqual(report.rows.first { $0.probe == .mxHuge }?.mark, .notAsked)
    expectEqual(
      report.rows.first { $0.probe == .stillThere }?.remark,
      "nothing was heard of it after 50.511 s; last asked: mx-zero")
    expectEqual(report.presence.word, "silent")
  }

  @Test("what is lost on the way is asked again before it counts")
  func loss() {
    var bench = ExamBench()
    bench.loses = { RandomStreamDice.isHit($0, percent: 20, 5) }
    let result = bench.run()
    expectEqual(result.violated(), [])
    #expect(result.exam.packetCount > ExamBench().run().exam.packetCount)
  }

  @Test("a network that loses a tenth of everything makes nothing a breach", arguments: 1...24)
  func lossy(seed: UInt64) {
    var bench = ExamBench(seed: seed)
    bench.alter = { bytes, number in RandomStreamDice.isHit(number, percent: 10, seed) ? nil : bytes }
    bench.loses = { RandomStreamDice.isHit($0, percent: 10, seed + 1_000) }
    let result = bench.run()
    expectEqual(result.violated(), [])
  }

  @Test("BOOTIDs by turns in answers are one too many")
  func bootIDs() {
    var bench = ExamBench(plan: DeviceExamPlan(probes: [.searchUUID], patience: .zero))
    bench.garble = { bytes, number in
      number % 2 == 0
        ? bytes : Array(ExamReceptionTests.text(bytes).replacing("BOOTID.UPNP.ORG: 1", with: "BOOTID.UPNP.ORG: 9").utf8)
    }
    expectEqual(bench.run().violated(), ["UDA-1.2.2-BOOT-SAME"])
  }

  @Test("a reader of values turns every search for a lower version away")
  func exactVersions() {
    var bench = ExamBench()
    bench.alter = { bytes, _ in
      let text = ExamReceptionTests.text(bytes)
      return text.contains("MediaServer:1\r\n") || text.contains("ContentDirectory:1\r\n")
        || text.contains("ContentDirectory:2\r\n") ? nil : bytes
    }
    expectEqual(bench.run().violated(), ["UDA-1.3.3-ST-LOWER"])
  }

  @Test(
    "a type or UUID that is never answered breaks the clause of its form",
    arguments: [
      ("ST: urn:schemas-upnp-org:device:MediaRenderer:1\r\n", "UDA-1.3.3-ST-DEV"),
      ("ST: urn:schemas-upnp-org:service:ConnectionManager:1\r\n", "UDA-1.3.3-ST-SVC"),
    ])
  func types(target: String, clause: String) {
    var bench = ExamBench()
    bench.alter = { bytes, _ in ExamReceptionTests.text(bytes).contains(target) ? nil : bytes }
    expectEqual(bench.run().violated(), [clause])
  }

  @Test("who answers ssdp:all and not upnp:rootdevice breaks that")
  func rootless() {
    var bench = ExamBench(plan: DeviceExamPlan(probes: [.searchRoot], patience: .zero))
    bench.alter = { bytes, _ in ExamReceptionTests.text(bytes).contains("ST: upnp:rootdevice") ? nil : bytes }
    expectEqual(bench.run().violated(), ["UDA-1.3.3-ST-ROOT"])
  }

  @Test(
    "a device that does not know one of its names is asked by the others: only that name is a breach",
    arguments: [
      (["upnp:rootdevice"], ["UDA-1.3.3-ST-ROOT"]),
      (["ssdp:all"], ["UDA-1.3.3-ST-ALL"]),
      // It is heard announcing, and answers to its UUIDs and types.
      (["upnp:rootdevice", "ssdp:all"], ["UDA-1.3.3-ST-ALL", "UDA-1.3.3-ST-ROOT"]),
    ])
  func namesUnknown(targets: [String], clauses: [String]) {
    var bench = ExamBench()
    bench.begin = .zero
    bench.alter = { bytes, _ in
      let text = ExamReceptionTests.text(bytes)
      return targets.contains { text.lowercased().contains("st: \($0)\r\n") } ? nil : bytes
    }
    expectEqual(bench.run().violated(), clauses)
  }

  @Test("a device whose answers are announcements hears every form of a search, and has answered none")
  func announcesInstead() throws {
    var bench = ExamBench()
    bench.alter = { bytes, _ in
      ExamReceptionTests.text(bytes).lowercased().replacing(": ", with: ":").contains("\r\nst:ssdp:all")
        ? bytes : nil
    }
    bench.garble = { bytes, _ in
      let text = ExamReceptionTests.text(bytes)
      guard text.hasPrefix("HTTP") else { return bytes }
      return Array(
        text.replacing("HTTP/1.1 200 OK", with: "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nNTS: ssdp:alive")
          .replacing("\r\nST: ", with: "\r\nNT: ").utf8)
    }
    let result = bench.run()
    // What it breaks: it answers with no answer, and to ssdp:all alone.
    expectEqual(
      result.violated(),
      [
        "UDA-1.3.3-ST-ALL", "UDA-1.3.3-ST-DEV", "UDA-1.3.3-ST-LOWER", "UDA-1.3.3-ST-ROOT",
        "UDA-1.3.3-ST-SVC", "UDA-1.3.3-ST-UUID",
      ])
    let marks = result.marks
    for form in ["name-case", "unknown-fields", "field-order", "blanks"] {
      #expect(marks.contains("\(form) held"), "\(form)")
    }
    let report = try #require(result.report)
    let all = try #require(report.rulings.first { $0.clause == .answerAll })
    expectEqual(all.verdict, .violated)
  }

  @Test("a value in another case of letters shows nothing of a device that takes any value there")
  func heedless() throws {
    func verdict(_ quirks: [Quirk], _ probes: [DeviceProbe]) throws -> String {
      let report = try #require(
        ExamBench(plan: DeviceExamPlan(probes: probes, patience: .zero), quirks: quirks).run().report)
      let ruling = try #require(report.rulings.first { $0.clause == .valueCase })
      return "\(ruling.verdict) \(ruling.expected)"
    }
    let all = DeviceProbe.allCases
    expectEqual(try verdict([], all), "held ")
    expectEqual(try verdict([.answersBadMAN], all), "held ")
    expectEqual(try verdict([.answersEverySearch], all), "held ")
    expectEqual(
      try verdict([.answersEverySearch, .answersBadMAN], all), "inconclusive it answers whatever these values are")
    // Where only these values were asked, they show it.
    #expect(try verdict([.answersBadMAN], [.valueCase]).hasPrefix("violated"))
    #expect(try verdict([.answersEverySearch], [.valueCase]).hasPrefix("violated"))
  }

  private enum RandomStreamDice {
    static func isHit(_ number: Int, percent: UInt64, _ seed: UInt64) -> Bool {
      var stream = RandomStream(mixing: UInt64(number), seed)
      return stream.below(100) < percent
    }
  }

  private final class DeadBox: @unchecked Sendable { var isDead = false }
}
