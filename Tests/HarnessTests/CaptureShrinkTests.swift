import RollcallCapture
import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallReducing
import RollcallReplaying
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import RollcallWire
import Testing

@Suite("Shrinking captures")
struct CaptureShrinkTests {
  private func shrink(_ name: String, _ wanted: CaptureShrinker.Wanted, until: Interval? = nil) throws
    -> CaptureShrinker.Outcome
  {
    let path = Places.root.appendingPathComponent("Captures/\(name)/capture.pcapng").path
    var shrinker = try CaptureShrinker(
      name: name, options: ReplayOptions(until: until), wanted: wanted, isOver: { false }
    ) { try CaptureReader(path: path) }
    return try shrinker.shrink()
  }

  private func reports(_ bytes: [UInt8]) -> [String] {
    var lines: [String] = []
    guard var reader = CaptureBytes.reader(bytes) else {
      Issue.record("what was written is no capture")
      return []
    }
    var replay = Replay(options: ReplayOptions(wantsMessages: false)) { event in
      if case .report(let report, let time, let frame) = event {
        lines.append(ReportLine.json(report, time: time.description, frame: frame))
      }
    }
    replay.run(&reader)
    return lines
  }

  @Test("a loss by byebye needs an alive before it and the byebye; an expiry needs a frame that comes later")
  func fewest() throws {
    let byebye = try shrink("minidlna-start-and-byebye", .event("lost", device: nil))
    expectEqual(byebye.frames.count, 2)
    #expect(reports(byebye.pcapng).contains(byebye.report))
    let expiry = try shrink("minidlna-killed-lease-expires", .event("lost", device: nil))
    expectEqual(expiry.frames.count, 2)
    #expect(expiry.frames != byebye.frames)
    #expect(reports(expiry.pcapng).contains(expiry.report))
  }

  @Test("a line of the reviewed file is kept in its words and at its time")
  func reviewedLine() throws {
    let name = "gssdp-update-bootid"
    let folder = Places.root.appendingPathComponent("Captures/\(name)")
    let reviewed = try String(contentsOf: folder.appendingPathComponent("expected.jsonl"), encoding: .utf8)
    let line = try #require(reviewed.split(separator: "\n").first { $0.contains("\"changed\"") })
    let outcome = try shrink(name, .text(String(line)))
    // An alive makes the device, the update changes it.
    expectEqual(outcome.frames.count, 2)
    let kept = reports(outcome.pcapng)
    expectEqual(kept.filter { $0.contains("\"changed\"") }, [outcome.report])
  }

  /// What a capture of two interfaces in two sections says of itself, beside a device in fragments.
  private func fragments(isShuffled: Bool) -> [UInt8] {
    var first = CaptureSection()
    (first.hardware, first.operatingSystem) = ("a board", "an OS")
    first.comments = ["taken in the kitchen"]
    var writer = CaptureWriter(section: first)
    _ = writer.interface(name: "eth0", details: "the wired one", snapLength: 9_000, comments: ["loose cable"])
    writer.names([CaptureName(address: IPAddress("192.168.1.20")!, name: "lamp")])
    writer.frame(interface: 0, time: .zero + .seconds(1), [UInt8](repeating: 0, count: 60))
    var second = CaptureSection()
    second.comments = ["moved to the hall"]
    writer.begin(second)
    _ = writer.interface(name: "eth1")
    _ = writer.interface(name: nil, linkType: LinkType.ethernet)
    let text = TinyCapture.alive("lamp", more: "X-LONG: " + String(repeating: "a", count: 1_200) + "\n")
    let others = TinyCapture.alive("tv", more: "X-LONG: " + String(repeating: "b", count: 1_200) + "\n")
    func pieces(_ text: String, _ source: String, _ identification: UInt32) -> [[UInt8]] {
      FrameWriter.udp(
        LinkAddresses(source: MACAddress(bits: 0x0200_0000_0001), group: .ssdpGroup4)!,
        from: Endpoint(source + ":1900")!, to: Endpoint(TinyCapture.group)!, hopLimit: 2,
        payload: TinyCapture.octets(text), identification: identification, mtuBytes: 576)
    }
    // Two datagrams with their fragments among each other's.
    let (left, right) = (pieces(text, "192.168.1.20", 7), pieces(others, "192.168.1.21", 8))
    for (number, piece) in zip(left, right).flatMap({ isShuffled ? [$1, $0] : [$0, $1] }).enumerated() {
      writer.frame(interface: 1, time: .zero + .seconds(2) + .milliseconds(Int64(number)), piece)
    }
    writer.names([CaptureName(address: IPAddress("192.168.1.21")!, name: "tv")])
    writer.finish()
    return writer.bytes
  }

  private func shrink(
    _ bytes: [UInt8], _ wanted: CaptureShrinker.Wanted, as perspective: ReplayOptions.Perspective = .everybody,
    until: Interval? = nil
  ) throws -> CaptureShrinker.Outcome {
    var shrinker = try CaptureShrinker(
      name: "made", options: ReplayOptions(perspective: perspective, until: until), wanted: wanted, isOver: { false }
    ) { try TinyCapture.reader(bytes) }
    return try shrinker.shrink()
  }

  @Test("all fragments of a datagram stay together, and only its own", arguments: [false, true])
  func fragmentsTogether(isShuffled: Bool) throws {
    let bytes = fragments(isShuffled: isShuffled)
    let lamp = try shrink(bytes, .event("found", device: "lamp"))
    let television = try shrink(bytes, .event("found", device: "tv"))
    // Frame 1 holds no discovery; then those of both take turns.
    expectEqual(lamp.frames, (isShuffled ? [3, 5, 7] : [2, 4, 6]))
    expectEqual(television.frames, (isShuffled ? [2, 4, 6] : [3, 5, 7]))
    expectEqual(reports(lamp.pcapng), [lamp.report])
    expectEqual(reports(television.pcapng), [television.report])
    #expect(lamp.report.contains("\"frame\":3,"))
  }

  @Test("names, comments and what is said of interfaces stay where they were")
  func notes() throws {
    let bytes = fragments(isShuffled: false)
    let outcome = try shrink(bytes, .event("found", device: "lamp"))
    func all(_ bytes: [UInt8]) throws -> ([CaptureSection], [CaptureInterface], [CaptureName], Int) {
      var reader = try TinyCapture.reader(bytes)
      var frame = CaptureFrame()
      while reader.next(&frame) {}
      return (reader.sections, reader.interfaces, reader.names, frame.interface)
    }
    var (left, right) = (try all(bytes), try all(outcome.pcapng))
    expectEqual(right.0[0].comments, ["taken in the kitchen", "rollcall shrink: frames 2, 4, 6 of 7 of made"])
    expectEqual(right.0[0].application, "rollcall")
    for index in 0..<2 {
      right.0[index].application = nil
      left.0[index].application = nil
    }
    right.0[0].comments.removeLast()
    expectEqual(left.0, right.0)
    #expect(left.1 == right.1 && left.1.count == 3)
    #expect(left.2 == right.2 && left.2.count == 2)
    // The second interface of the second section.
    #expect(left.3 == 2 && right.3 == 2)
  }

  @Test("no frame stays to keep the number of a search, and the report is the one of the file that is written")
  func searchNumbers() throws {
    var capture = TinyCapture()
    for number in 0..<4 {
      capture.add(
        Double(number * 5), "192.168.1.9:5000\(number)", TinyCapture.search("urn:x-y:device:z\(number):1"))
    }
    capture.add(30, "192.168.1.9:50009", TinyCapture.search("upnp:rootdevice"))
    capture.add(30.5, "192.168.1.20", "192.168.1.9:50009", TinyCapture.answer("lamp"))
    capture.add(40, "192.168.1.9:50009", TinyCapture.search("upnp:rootdevice"))
    let service = try shrink(capture.bytes, .event("service", device: "lamp"))
    expectEqual(service.frames, [5, 6])
    #expect(service.report.contains("\"frame\":2,") && service.report.contains("\"search\":1,"))
    #expect(reports(service.pcapng).contains(service.report))
    // The end of the fifth search, by its line: the clock has to run on.
    let all = reports(capture.bytes)
    let line = try #require(all.first { $0.contains("searchEnded") && $0.contains("uuid:lamp") })
    #expect(line.contains("\"search\":5,"))
    let ended = try shrink(capture.bytes, .text(line))
    expectEqual(ended.frames, [5, 6, 7])
    expectEqual(ended.report, line.replacing("\"search\":5,", with: "\"search\":1,"))
    #expect(reports(ended.pcapng).contains(ended.report))
    // A part of a line may ask for a search by its number.
    let third = try shrink(capture.bytes, .text("\"search\":3,"), until: .seconds(10))
    #expect(third.report.contains("z2:1"))
  }

  @Test("an engine's own export keeps its host, its commands and the end of its run")
  func export() throws {
    let path = Places.root.appendingPathComponent("Scenarios/ssdp/answers-between-odd-ports.yaml").path
    let scenario = try ScenarioFile.read(path).scenario
    let run = try ScenarioReports.run(scenario)
    let options = ReplayOptions(perspective: .host("engine"))
    for wanted in [CaptureShrinker.Wanted.event("service", device: nil), .event("searchEnded", device: nil)] {
      var shrinker = try CaptureShrinker(name: "run", options: options, wanted: wanted, isOver: { false }) {
        try TinyCapture.reader(run.pcapng)
      }
      let outcome = try shrinker.shrink()
      var lines: [String] = []
      var reader = try TinyCapture.reader(outcome.pcapng)
      var replay = Replay(options: options) { event in
        if case .report(let report, let time, let frame) = event {
          lines.append(ReportLine.json(report, time: time.description, frame: frame))
        }
      }
      replay.run(&reader)
      #expect(lines.contains(outcome.report), "\(outcome.report)")
      expectEqual(outcome.frames.count, 1, "\(outcome.frames)")
    }
  }

  @Test("where frames without discovery move the clock, they stay")
  func clock() throws {
    var writer = CaptureWriter(section: CaptureSection())
    _ = writer.interface(name: "eth0")
    func datagram(_ text: String) -> [UInt8] {
      FrameWriter.udp(
        LinkAddresses(source: MACAddress(bits: 0x0200_0000_0001), group: .ssdpGroup4)!,
        from: Endpoint("192.168.1.20:1900")!, to: Endpoint(TinyCapture.group)!, hopLimit: 2,
        payload: TinyCapture.octets(text), identification: 1)[0]
    }
    // The clock stands at 50 when the device comes with a time of 10.
    writer.frame(interface: 0, time: .zero + .seconds(50), [UInt8](repeating: 0, count: 60))
    writer.frame(interface: 0, time: .zero + .seconds(10), datagram(TinyCapture.alive("lamp")))
    writer.frame(interface: 0, time: .zero + .seconds(60), [UInt8](repeating: 0, count: 60))
    writer.finish()
    let outcome = try shrink(writer.bytes, .event("found", device: "lamp"))
    expectEqual(outcome.frames, [1, 2])
    #expect(outcome.report.contains("\"time\":\"50.000000000\",\"frame\":2,"))
    expectEqual(reports(outcome.pcapng), [outcome.report])
  }

  @Test("a report that the replay does not make is refused in words")
  func noSuchReport() {
    #expect(throws: CaptureShrinker.Problem.noSuchReport("lost:uuid:nobody")) {
      try shrink("minidlna-start-and-byebye", .event("lost", device: "uuid:nobody"))
    }
  }
}
