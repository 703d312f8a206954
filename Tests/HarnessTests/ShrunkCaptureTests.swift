import RollcallCapture
import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallReducing
import RollcallReplaying
import RollcallRunning
import RollcallScenarios
import Testing

/// Captures of the older format, reports of searches that failed, and in which runs frames are tried.
@Suite("Captures that shrink")
struct ShrunkCaptureTests {
  private func shrunk(_ bytes: [UInt8], _ event: String, _ settings: String...) throws -> CaptureShrinker.Outcome {
    var engine = EngineConfiguration()
    try engine.apply(settings)
    var shrinker = try CaptureShrinker(
      name: "made", options: ReplayOptions(engine: engine), wanted: .event(event, device: nil), isOver: { false }
    ) { try TinyCapture.reader(bytes) }
    return try shrinker.shrink()
  }

  /// A capture in the format before pcapng, which says nothing of sections and interfaces.
  private func classic(_ lines: [(seconds: UInt32, source: String, text: String)]) -> [UInt8] {
    func four(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    var bytes = four(0xA1B2_C3D4)
    bytes += [2, 0, 4, 0]
    for number in [0, 0, 65_535, 1] as [UInt32] { bytes += four(number) }
    for line in lines {
      var capture = TinyCapture()
      capture.add(0, line.source, line.text)
      for frame in capture.pieces(mtuBytes: 1_500) {
        let count = UInt32(frame.count)
        for number in [line.seconds, 0, count, count] { bytes += four(number) }
        bytes += frame
      }
    }
    return bytes
  }

  private static func lost(_ frame: Int, _ device: String, _ seconds: Int) -> String {
    #"{"schema":"rollcall/1","kind":"report","time":"\#(seconds).000000000","frame":\#(frame),"layer":"ssdp","#
      + #""event":"lost","device":"uuid:\#(device)","cause":"byebye"}"#
  }

  @Test("a capture of the older format becomes a pcapng file with a section and an interface of its own")
  func older() throws {
    let lamp = "192.168.1.20"
    let outcome = try shrunk(
      classic([
        (1_000, lamp, TinyCapture.alive("lamp")),
        (1_001, "192.168.1.21", TinyCapture.alive("tv", location: "http://192.168.1.21/")),
        (1_002, lamp, TinyCapture.byebye("lamp")), (1_003, lamp, TinyCapture.alive("lamp")),
      ]), "lost")
    #expect(outcome.frames == [1, 3] && outcome.total == 4 && !outcome.wasCut)
    expectEqual(outcome.report, Self.lost(2, "lamp", 1_002))
    var reader = try TinyCapture.reader(outcome.pcapng)
    var frame = CaptureFrame()
    var times: [Instant] = []
    while reader.next(&frame) { times.append(frame.time) }
    let (sections, interfaces, names) = (reader.sections, reader.interfaces, reader.names)
    expectEqual(times, [Instant.zero + .seconds(1_000), Instant.zero + .seconds(1_002)])
    expectEqual(sections.map(\.application), ["rollcall"])
    expectEqual(sections.map(\.comments), [["rollcall shrink: frames 1, 3 of 4 of made"]])
    #expect(interfaces.count == 1 && names.isEmpty)
  }

  @Test("no frame stays to keep the number of a search that failed")
  func failed() throws {
    var capture = TinyCapture()
    capture.add(0, "192.168.1.9:50001", TinyCapture.search("urn:x-y:device:z:1"))
    capture.add(5, "192.168.1.9:50002", TinyCapture.search("ssdp:all", mx: 3))
    capture.add(6, "192.168.1.9:50003", TinyCapture.search("upnp:rootdevice", mx: 3))
    let outcome = try shrunk(capture.bytes, "failed", "limits.searches-open=1")
    #expect(outcome.frames == [2, 3] && outcome.total == 3)
    expectEqual(
      outcome.report,
      #"{"schema":"rollcall/1","kind":"report","time":"1006.000000000","frame":2,"layer":"ssdp","event":"failed","#
        + #""cause":"invalidSearch","search":2,"#
        + #""explanation":"1 searches are open, no more fit: stop one or wait for one to end."}"#)
  }

  @Test("half of the frames are tried at a time, then a quarter and so on, and single ones until none can go")
  func runs() throws {
    let capture = TinyCapture.lamps(8)
    let outcome = try shrunk(capture.bytes, "lost")
    #expect(outcome.frames == [4, 9] && outcome.report == Self.lost(2, "lamp3", 1_009))
    expectEqual(
      outcome.passes.map { "\($0.name): \($0.tried) \($0.kept) \($0.frames)" },
      [
        "runs of 4: 3 1 8", "runs of 2: 4 2 4", "runs of 1: 4 2 2", "runs of 1: 2 0 2",
      ])
  }
}
