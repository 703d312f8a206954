import Foundation
import RollcallCapture
import RollcallCaptureSupport
import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallTrace
import RollcallWire
import Testing

@testable import RollcallReplaying
@testable import RollcallRunning

@Suite("A capture that is written while its run goes on")
struct CaptureStreamTests {
  private static let began = Instant.zero + .seconds(1_795_737_735) + .nanoseconds(123_456_789)
  private static let cast = CaptureExport.Cast(
    host: "here", origin: ["made by a test"], interfaces: [(name: "eth0", details: nil, mtuBytes: 65_535)], names: [],
    end: .zero)

  private final class File {
    var bytes: [UInt8] = []
    /// Its length at each moment at which nothing more was to be written.
    var lengths: [Int] = []
  }

  /// The engine's entries of a scenario, and the file that comes of them where it is written so often.
  private func run(
    _ file: String, releasedEvery step: Interval
  ) throws -> (entries: [TraceEntry], whole: [UInt8], file: File, configuration: EngineConfiguration) {
    let path = Places.root.appendingPathComponent("Scenarios/\(file)").path
    let resolved = try #require(try ScenarioFile.read(path).scenario.points(file: file).first).scenario.resolved()
    let result = Run.perform(resolved, seed: Seed(1), options: RunOptions(recordedHosts: [0], watchedHost: 0))
    let entries = result.trace.filter { $0.station == 0 }
    let written = File()
    var stream = CaptureStream(Self.cast, begin: Self.began) { written.bytes += $0 }
    var due = Instant.zero + step
    for entry in entries {
      while entry.time >= due {
        stream.release(until: due - CaptureStream.patience)
        written.lengths.append(written.bytes.count)
        due = due + step
      }
      stream.take(entry)
    }
    let end = Instant.zero + result.virtualTime
    stream.finish(at: end)
    written.lengths.append(written.bytes.count)
    var cast = Self.cast
    (cast.end, cast.browses) = (end, [])
    return (
      entries, CaptureExport.write(entries, membership: [], cast: cast), written,
      resolved.scenario.engine.configuration
    )
  }

  private func frames(_ bytes: [UInt8]) throws -> [(time: Instant, bytes: [UInt8], comments: [String])] {
    var reader = try TinyCapture.reader(bytes)
    var frame = CaptureFrame()
    var frames: [(Instant, [UInt8], [String])] = []
    while reader.next(&frame) { frames.append((frame.time, Array(frame.content), frame.comments)) }
    #expect(reader.problem == nil, "\(String(describing: reader.problem))")
    return frames
  }

  private func reports(_ bytes: [UInt8], _ configuration: EngineConfiguration) throws -> [String] {
    var options = ReplayOptions(perspective: .host("here"))
    options.engine = configuration
    var lines: [String] = []
    var replay = Replay(options: options) { event in
      if case .report(let report, let time, _) = event { lines.append("\(time) \(report.text)") }
    }
    var reader = try TinyCapture.reader(bytes)
    replay.run(&reader)
    return lines
  }

  @Test("a run in which nothing happens has a file that says whose it is")
  func nothing() throws {
    let written = File()
    var stream = CaptureStream(Self.cast, begin: Self.began) { written.bytes += $0 }
    expectEqual(stream.isHolding, false)
    stream.finish(at: .zero + .seconds(3))
    let text = String(decoding: written.bytes, as: UTF8.self)
    let comments = ["made by a test", SceneNote.host("here").comment, SceneNote.begin(Self.began).comment]
    expectEqual(comments.filter { !text.contains($0) }, [])
  }

  static let scenarios = [
    "ssdp/search-end-is-exact.yaml", "ssdp/second-interface-appears.yaml", "descriptions/description-fetched.yaml",
    "descriptions/description-behind-a-redirect.yaml",
  ]

  @Test(
    "it has the frames of the whole file, with the times of the clock, and replays to the same reports",
    arguments: scenarios)
  func same(scenario: String) throws {
    for step in [Interval.milliseconds(7), .seconds(3), .seconds(10_000)] {
      let (entries, whole, file, configuration) = try run(scenario, releasedEvery: step)
      let (mine, others) = (try frames(file.bytes), try frames(whole))
      func text(_ bytes: [UInt8]) -> String { bytes.map { String($0, radix: 16) }.joined(separator: " ") }
      expectEqual(mine.map { text($0.bytes) }.sorted(), others.map { text($0.bytes) }.sorted())
      #expect(mine.allSatisfy { $0.time >= Self.began })
      expectEqual(mine.map(\.time), mine.map(\.time).sorted())
      expectEqual(mine.last?.time, others.last.map { Self.began + ($0.time - .zero) })
      var live: [String] = []
      for entry in entries {
        if case .effect(.application(let report)) = entry.content { live.append("\(entry.time) \(report.text)") }
      }
      #expect(!live.isEmpty)
      let replayed = try reports(file.bytes, configuration)
      expectEqual(replayed, try reports(whole, configuration), "\(step)")
    }
  }

  @Test(
    "whatever is there at a moment can be read to its end, and has everything up to that moment", arguments: scenarios)
  func whole(scenario: String) throws {
    let (entries, _, file, _) = try run(scenario, releasedEvery: .milliseconds(500))
    expectEqual(file.lengths, file.lengths.sorted())
    for (number, length) in file.lengths.dropLast().enumerated() where length > 0 {
      let until = Instant.zero + .milliseconds(500) * Int64(number + 1) - CaptureStream.patience
      let expected = entries.count {
        if case .received = $0.content { $0.time <= until } else { false }
      }
      let inbound = try? frames(Array(file.bytes[..<length])).count { $0.comments.contains { $0.hasPrefix("from ") } }
      // Streams have frames from others, too.
      if !scenario.hasPrefix("descriptions") { expectEqual(inbound ?? 0, expected, "\(number)") }
    }
  }

  @Test("what the system refused a moment later is not written as sent")
  func refusals() throws {
    let interface = InterfaceID(0)
    let own = IPAddress(10, 0, 0, 9)
    func entry(_ milliseconds: Int64, _ content: TraceEntry.Content) -> TraceEntry {
      TraceEntry(time: .zero + .milliseconds(milliseconds), station: 0, content: content)
    }
    func sent(_ port: UInt16) -> TraceEntry.Content {
      .sent(
        RecordedDatagram(
          source: Endpoint(own, port: port), destination: Endpoint(.ssdpGroup4, port: 1_900), interface: interface,
          hopLimit: 2, bytes: [1]))
    }
    var bytes: [UInt8] = []
    var stream = CaptureStream(Self.cast, begin: Self.began) { bytes += $0 }
    for one in [
      entry(0, sent(50_000)), entry(0, sent(50_001)),
      entry(1, .signal(.refused(Refusal(deed: .send, interface: interface, address: .ssdpGroup4, port: 50_001)))),
    ] { stream.take(one) }
    stream.release(until: .zero + .milliseconds(1))
    #expect(!stream.isHolding)
    stream.take(entry(2, sent(50_002)))
    stream.release(until: .zero + .milliseconds(1))
    #expect(stream.isHolding)
    stream.finish(at: .zero + .milliseconds(3))
    expectEqual(
      try frames(bytes).map { Int($0.bytes[34]) << 8 | Int($0.bytes[35]) }, [50_000, 50_002])
  }

  @Test("the radio is described once, before its first packet, and each address that the host had has its name")
  func radio() throws {
    func entry(_ seconds: Int64, _ content: TraceEntry.Content) -> TraceEntry {
      TraceEntry(time: .zero + .seconds(seconds), station: 0, content: content)
    }
    func up(_ host: UInt8) -> TraceEntry.Content {
      let addresses = [InterfaceAddress(IPAddress(10, 0, 0, host), prefixBits: 24)]
      return .signal(.interface(InterfaceChange(interface: InterfaceID(0), isUp: true, addresses: addresses)))
    }
    func heard(_ number: UInt64) -> TraceEntry.Content {
      let sender = RadioAddress(bits: 0xC0FF_EE00_0000 + number, isRandom: true)
      return .signal(
        .radio(
          .heard(
            RadioPDU(
              channel: 37, strength: -58, accessAddress: AirFrame.advertisingAddress,
              bytes: AdvertisingPDU.bytes(.connectable, from: sender)))))
    }
    func received(_ host: UInt8) -> TraceEntry.Content {
      .received(
        RecordedDatagram(
          source: Endpoint(IPAddress(10, 0, 0, host), port: 1_900), destination: Endpoint(.ssdpGroup4, port: 1_900),
          interface: InterfaceID(0), hopLimit: 2, bytes: [1]))
    }
    var bytes: [UInt8] = []
    var stream = CaptureStream(Self.cast, begin: Self.began) { bytes += $0 }
    let entries = [
      entry(0, up(8)), entry(1, up(8)), entry(2, heard(1)), entry(3, heard(2)), entry(4, up(9)),
      entry(5, received(8)), entry(6, received(9)), entry(7, received(10)), entry(8, heard(3)),
    ]
    for one in entries {
      stream.take(one)
      stream.release(until: one.time)
    }
    stream.finish(at: .zero + .seconds(9))
    var reader = try TinyCapture.reader(bytes)
    var frame = CaptureFrame()
    var lines: [String] = []
    while reader.next(&frame) { lines.append("\(frame.interface) \(frame.comments)") }
    expectEqual(
      lines, ["1 []", "1 []", #"0 ["from here"]"#, #"0 ["from here"]"#, #"0 ["from 10.0.0.10"]"#, "1 []"])
    expectEqual(reader.interfaces.map(\.name), ["eth0", "radio"])
    expectEqual(reader.interfaces.map(\.linkType), [LinkType.ethernet, LinkType.bluetoothLEWithRadio])
  }

  @Test("an address that the host takes later is its own in a replay, too")
  func laterAddress() throws {
    let interface = InterfaceID(0)
    func up(_ address: IPAddress) -> TraceEntry.Content {
      .signal(
        .interface(
          InterfaceChange(interface: interface, isUp: true, addresses: [InterfaceAddress(address, prefixBits: 24)])))
    }
    func entry(_ seconds: Int64, _ content: TraceEntry.Content) -> TraceEntry {
      TraceEntry(time: .zero + .seconds(seconds), station: 0, content: content)
    }
    let nobody = RecordedDatagram(
      source: Endpoint(IPAddress(10, 0, 0, 1), port: 1_900), destination: Endpoint(.ssdpGroup4, port: 1_900),
      interface: interface, hopLimit: 2, bytes: [1])
    var bytes: [UInt8] = []
    var stream = CaptureStream(Self.cast, begin: Self.began) { bytes += $0 }
    for one in [
      entry(0, up(IPAddress(10, 0, 0, 8))), entry(1, .received(nobody)), entry(2, up(IPAddress(10, 0, 0, 9))),
      entry(3, .received(nobody)),
    ] {
      stream.take(one)
      stream.release(until: one.time)
    }
    stream.finish(at: .zero + .seconds(4))
    var reader = try TinyCapture.reader(bytes)
    var scene = CaptureScene(reader: reader, as: .host("here"))
    scene.countFromBegin()
    #expect(scene.isHeard(at: IPAddress(10, 0, 0, 8)) && !scene.isHeard(at: IPAddress(10, 0, 0, 9)))
    var frame = CaptureFrame()
    while reader.next(&frame) { scene.take(reader.takeRemarks()) }
    scene.take(reader.takeRemarks())
    #expect(scene.isHeard(at: IPAddress(10, 0, 0, 9)))
    expectEqual(scene.end, .zero + .seconds(4))
    // To another host it says nothing.
    var other = CaptureScene(reader: reader, as: .host("10.0.0.77"))
    other.take([SceneNote.end(.zero + .seconds(9)).comment])
    expectEqual(other.end, nil)
  }
}
