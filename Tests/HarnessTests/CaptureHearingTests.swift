import RollcallCapture
import RollcallConformance
import RollcallExpectations
import RollcallJudging
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import Testing

/// What a judge hears of a capture, and what it is told of the file.
@Suite("What is heard of a capture") struct CaptureHearingTests {
  private static let lamp = "192.168.1.20"

  private func heard(_ bytes: [UInt8], _ filter: String? = nil) throws -> JudgeInput.Heard {
    var reader = try TinyCapture.reader(bytes)
    return try JudgeInput.judge(&reader, path: "x", filter: filter.map { try CaptureFilter($0) })
  }

  /// Findings: clause, verdict, place and time.
  private func findings(_ judgement: Judgement) -> [String] {
    judgement.rows.map { "\($0.clause.id) \($0.finding.ruling.rawValue) \($0.finding.position) \($0.finding.time)" }
  }

  /// Frames of Bluetooth LE, 1000 s after 1970 and later, and one of a link layer that nobody reads.
  private func air(_ packets: [[UInt8]]) -> [UInt8] {
    var writer = CaptureWriter(section: CaptureSection())
    let air = writer.interface(name: nil, linkType: LinkType.bluetoothLE)
    let other = writer.interface(name: nil, linkType: 147)
    for (number, packet) in packets.enumerated() {
      writer.frame(interface: air, time: .zero + .seconds(Int64(1_000 + number)), packet)
    }
    writer.frame(interface: other, time: .zero + .seconds(2_000), [1, 2, 3])
    writer.finish()
    return writer.bytes
  }

  /// An advertisement with flags; its CRC is right.
  private static let flags: [UInt8] = [
    0xD6, 0xBE, 0x89, 0x8E, 0, 9, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 2, 1, 6, 0xBE, 0x1C, 0x73,
  ]
  /// One with a transmit power of two bytes.
  private static let power: [UInt8] = [
    0xD6, 0xBE, 0x89, 0x8E, 0, 10, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 3, 10, 0xAB, 1, 0x98, 0x92, 0x96,
  ]

  @Test("messages of port 5353 are heard to it and from it, and what the filter drops is not heard")
  func ports() throws {
    let name: [UInt8] = [1, 0x61, 5] + Array("local".utf8) + [0, 0, 1, 0, 1]
    let question: [UInt8] = [0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + name
    let record: [UInt8] = [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 10, 0, 4, 192, 168, 1, 21]
    let answer: [UInt8] = [0, 1, 0x84, 0, 0, 1, 0, 1, 0, 0, 0, 0] + name + record
    let ends: [(String, String, [UInt8], Int)] = [
      ("192.168.1.20:40000", "224.0.0.251:5353", question, 1), ("192.168.1.21:5353", "192.168.1.20:40000", answer, 1),
      ("192.168.1.21:5354", "192.168.1.20:40000", answer, 0),
    ]
    for (source, destination, payload, count) in ends {
      var capture = TinyCapture()
      capture.add(1, source, to: destination, payload: payload)
      try expectEqual(heard(capture.bytes).judgement.messageCount, count, "\(source) -> \(destination)")
    }
    var capture = TinyCapture()
    for number in 20...22 { capture.add(1, "192.168.1.\(number)", TinyCapture.alive("lamp\(number)")) }
    let some = try heard(capture.bytes, "not src host 192.168.1.21")
    expectEqual(some.judgement.parties.map(\.name), ["192.168.1.20", "192.168.1.22"])
    #expect(!some.isTrace)
    try expectEqual(heard(capture.bytes).judgement.parties.count, 3)
    let failure = #expect(throws: JudgeInput.Failure.self) { try heard(air([CaptureHearingTests.flags]), "udp") }
    let why = "x: libpcap cannot filter link type 251 (Bluetooth LE) by 'udp': "
    #expect(failure?.description.hasPrefix(why) == true, "\(failure?.description ?? "")")
  }

  @Test("it is judged to its last frame, whatever that holds; what only a loopback interface reaches is told elsewhere")
  func ends() throws {
    var capture = TinyCapture()
    let alive = TinyCapture.alive("11111111-2222-3333-4444-555555555555", maxAge: 100)
    capture.add(0, CaptureHearingTests.lamp, alive)
    let short = "UDA-1.2.2-A-CC-1800 violated 1 1000.000000000"
    try expectEqual(findings(heard(capture.bytes).judgement), [short])
    capture.add(300, "192.168.1.9:4000", "192.168.1.8:4000", "no discovery\n")
    let open = ["REPEAT", "RENEW", "ROOT3"].map { "UDA-1.2.2-\($0) inconclusive 1 1000.000000000" }
    try expectEqual(findings(heard(capture.bytes).judgement), [short] + open)
    var looped = TinyCapture()
    looped.add(
      0, "127.0.0.1",
      TinyCapture.alive("11111111-2222-3333-4444-555555555555", location: "http://127.0.0.1:80/d.xml"))
    try expectEqual(findings(heard(looped.bytes).judgement), ["UDA-1-MH-LOC-REACH violated 1 1000.000000000"])
  }

  @Test("packets of the air have the time of their frame, and what is wrong with the file is told")
  func packets() throws {
    var wrong = CaptureHearingTests.flags
    wrong[17] ^= 1
    let whole = try heard(air([CaptureHearingTests.flags, CaptureHearingTests.power, wrong]))
    expectEqual(whole.judgement.messageCount, 2)
    expectEqual(findings(whole.judgement), ["AD-NUMBER violated 2 1001.000000000"])
    expectEqual(
      whole.problems.list.map { "\($0.what) \($0.count)" },
      ["link type 147 (LINKTYPE_147) is not read 1", "packets of Bluetooth LE with a wrong CRC 1"])
    // Where the file is cut at its end that is no error of a report; where a block in it is damaged it is.
    let bytes = air([])
    func errors(_ bytes: [UInt8]) throws -> [ResultCase] {
      let heard = try heard(bytes)
      let input = JudgedInput(path: "x", judgement: heard.judgement, isTrace: false, problems: heard.problems)
      return JudgementResults.suites([input], isStrict: false)[0].cases.filter { $0.name == "the capture can be read" }
    }
    try expectEqual(errors(bytes + bytes.suffix(36).dropLast(5)), [])
    let tail: [UInt8] = [6, 0, 0, 0, 7, 0, 0, 0] + Array(repeating: 0, count: 20)
    let damaged = bytes + tail
    let share = bytes.count * 100 / damaged.count
    try expectEqual(
      errors(damaged),
      [
        ResultCase(
          "the capture can be read",
          outcome: .error(
            message: "a damaged block stands where frame 2 should be (byte \(bytes.count)); \(bytes.count) of "
              + "\(damaged.count) bytes (\(share) %) and 1 frame were read, and nothing behind that",
            type: "damaged capture"))
      ])
  }
}
