import RollcallCapture
import RollcallDevices
import RollcallDiscovery
import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallReducing
import RollcallReplaying
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import Testing

/// From captures to scenarios and back: what the engine says has to be the same all the way.
@Suite("Reproducing captures")
struct ReproduceTests {
  /// Our own captures; those of others only where `ROLLCALL_CAPTURES` names them.
  static let captures: [String] = {
    var paths = OwnCapture.all.map(\.path)
    if let folder = ProcessInfo.processInfo.environment["ROLLCALL_CAPTURES"] {
      for folder in ["\(folder)/ssdp", "\(folder)/mdns"] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        paths += names.filter { $0.hasSuffix(".pcap") || $0.hasSuffix(".pcapng") }.sorted().map { "\(folder)/\($0)" }
      }
    }
    return paths
  }()

  private static func name(_ path: String) -> String {
    let url = URL(fileURLWithPath: path)
    return url.deletingPathExtension().lastPathComponent == "capture"
      ? url.deletingLastPathComponent().lastPathComponent : url.lastPathComponent
  }

  static func reproduce(
    _ path: String, as perspective: ReplayOptions.Perspective = .everybody, keepsIdentities: Bool = false,
    findsBite: Bool = false
  ) throws -> Reproduce.Outcome {
    let options = Reproduce.Options(
      perspective: perspective, keepsIdentities: keepsIdentities, title: name(path), source: name(path),
      findsBite: findsBite)
    return try Reproduce.reproduce(options) { try CaptureReader(path: path) }
  }

  @Test("each capture becomes a scenario that says the same, whose recording says the same again", arguments: captures)
  func survives(_ path: String) throws {
    let outcome: Reproduce.Outcome
    do { outcome = try ReproduceTests.reproduce(path) } catch CaptureTape.Problem.noMessages { return }
    expectEqual(outcome.comparison.difference, nil)
    #expect(outcome.comparison.worst <= ReportComparison.tolerance)
    expectEqual(outcome.fixedPoint.difference, nil)
    expectEqual(outcome.fixedPoint.worst, .zero)
    // What hosts say by multicast DNS is spelled out where no responder says the same.
    if outcome.tape.messages.count > 10, !outcome.tape.messages.contains(where: \.isMulticastDNS) {
      #expect(outcome.reproduction.share >= 0.8)
    }
    #expect(outcome.isShapeKept, "names were replaced by what the engine takes for something else")
    expectEqual(outcome.broken, [])
    expectEqual(outcome.ambiguities, [])
    #expect(outcome.isTapeTrue)
    // What responders do stands in the timeline, and no datagram.
    #expect(
      outcome.reproduction.scenario.timeline.allSatisfy { entry in
        if case .act(_, .appear) = entry.deed { true } else if case .act(_, .leave) = entry.deed { true } else { false }
      })
    try expectEqual(Scenario(yaml: outcome.yaml, file: path), outcome.reproduction.scenario)
  }

  @Test("devices whose names differ in one digit or in case stay as many as they are")
  func manyDevices() throws {
    var capture = TinyCapture()
    for number in 1...9 {
      capture.add(
        Double(number), "192.168.1.2\(number)",
        TinyCapture.alive(
          "lamp-\(number)", location: "http://192.168.1.2\(number)/d.xml"))
      capture.add(
        Double(number) + 20, "192.168.1.2\(number)",
        TinyCapture.alive(
          "LAMP-\(number)", location: "http://192.168.1.2\(number)/d.xml"))
    }
    let options = Reproduce.Options(title: "many", source: "many", findsBite: false)
    let outcome = try Reproduce.reproduce(options) { try capture.reader() }
    #expect(outcome.isFaithful)
    let found = outcome.reports.compactMap { entry in
      if case .found(let device) = entry.report { device.device.lowercased() } else { nil }
    }
    #expect(found.count == 9 && Set(found).count == 9)
    #expect(!outcome.yaml.lowercased().contains("lamp"))
  }

  @Test("reports in which two became one, or one became two, have not the same shape")
  func shapes() {
    func found(_ seconds: Int64, _ device: String, _ location: String) -> TapedReport {
      TapedReport(
        time: .zero + .seconds(seconds),
        report: .found(
          DeviceSighting(
            device: device, location: location, source: IPAddress("192.168.1.2")!, interface: InterfaceID(0),
            bootID: nil)))
    }
    let two = [found(1, "uuid:a", "http://x/"), found(2, "uuid:b", "http://y/"), found(3, "uuid:A", "http://x/")]
    func same(_ other: [TapedReport]) -> Bool { Reproduce.isSameShape(two, other) }
    #expect(same(two))
    #expect(same([found(1, "uuid:q", "http://1/"), found(2, "uuid:r", "http://2/"), found(3, "uuid:q", "http://1/")]))
    #expect(!same([found(1, "uuid:q", "http://1/"), found(2, "uuid:q", "http://2/"), found(3, "uuid:q", "http://1/")]))
    #expect(!same([found(1, "uuid:q", "http://1/"), found(2, "uuid:r", "http://2/"), found(3, "uuid:r", "http://1/")]))
    #expect(!same([found(1, "uuid:q", "http://1/"), found(2, "uuid:r", "http://1/"), found(3, "uuid:q", "http://1/")]))
    #expect(!same([found(1, "uuid:q", "http://1/"), found(2, "uuid:r", "http://2/"), found(4, "uuid:q", "http://1/")]))
    #expect(!same(Array(two.dropLast())))
    #expect(!same(two + [found(4, "uuid:c", "http://z/")]))
  }

  @Test(
    "a scenario that does not say what the capture says is written only where that is asked for, with exit code 1",
    .enabled(if: ToolRun.isBuilt))
  func unfaithful() throws {
    try Places.withTemporaryFolder { folder in
      // The host's own commands are in the file and in no message: a tape of messages alone says something else.
      let export = try ToolRun(
        "run", Places.root.appendingPathComponent("Scenarios/ssdp/search-end-is-exact.yaml").path, "--seed", "1",
        "--pcapng", "run.pcapng", in: folder)
      expectEqual(export.exitCode, 0)
      let target = folder.appendingPathComponent("out.yaml")
      try Data("before".utf8).write(to: target)
      let refused = try ToolRun("reproduce", "run.pcapng", "--as", "engine", "-o", "out.yaml", in: folder)
      expectEqual(refused.exitCode, 1)
      #expect(refused.errors.contains("out.yaml: not written, since it does not say what run.pcapng says"))
      try expectEqual(String(contentsOf: target, encoding: .utf8), "before")
      let asked = try ToolRun(
        "reproduce", "run.pcapng", "--as", "engine", "-o", "out.yaml", "--even-if-different", in: folder)
      expectEqual(asked.exitCode, 1)
      #expect(try String(contentsOf: target, encoding: .utf8).contains("scenario: out"))
    }
  }

  @Test(
    "the scenarios in Scenarios/field are what their captures make, to the letter; RECORD=1 writes them",
    arguments: [
      "minissdpd-cache-and-answers", "gssdp-rebooted-new-bootid", "minidlna-address-change", "bumble-scans-a-room",
    ])
  func golden(_ name: String) throws {
    let capture = try #require(OwnCapture.all.first { $0.name == name })
    let outcome = try ReproduceTests.reproduce(capture.path, findsBite: true)
    let golden = Places.root.appendingPathComponent("Scenarios/field/\(name).yaml")
    if ProcessInfo.processInfo.environment["RECORD"] != nil { try Data(outcome.yaml.utf8).write(to: golden) }
    expectEqual(outcome.yaml, (try? String(contentsOf: golden, encoding: .utf8)))
  }

  @Test("seen by one host, the scenario has that host's searches and hears what it heard")
  func asHost() throws {
    let capture = try #require(OwnCapture.all.first { $0.name == "minidlna-start-and-byebye" })
    var searchers: [String] = []
    _ = try capture.replay().messages.filter { $0.type == "search" }.map {
      searchers.append($0.source.address.description)
    }
    let host = try #require(searchers.first)
    let outcome = try ReproduceTests.reproduce(capture.path, as: .host(host))
    expectEqual(outcome.comparison.difference, nil)
    expectEqual(outcome.fixedPoint.difference, nil)
    #expect(outcome.reports.contains { if case .service = $0.report { true } else { false } })
  }

  @Test("with identities kept the scenario says what the capture says, letter for letter")
  func identitiesKept() throws {
    let capture = try #require(OwnCapture.all.first { $0.name == "miniupnpd-upnpc-and-byebye" })
    let outcome = try ReproduceTests.reproduce(capture.path, keepsIdentities: true)
    let reviewed = try capture.text("expected.jsonl").split(separator: "\n").filter { !$0.hasPrefix("#") }
    func bare(_ line: String) -> String {
      line.replacing(#/"time":"[^"]*",/#, with: "").replacing(#/"frame":[^,]*,/#, with: "")
    }
    expectEqual(
      outcome.reports.map { bare(ReportLine.json($0.report, time: "", frame: nil)) }, reviewed.map { bare(String($0)) })
    #expect(outcome.comparison.isEqual)
  }

  @Test("a scenario catches a fault of the engine that it names")
  func bites() throws {
    let capture = try #require(OwnCapture.all.first { $0.name == "gssdp-rebooted-new-bootid" })
    let scenario = try ReproduceTests.reproduce(capture.path, findsBite: true).reproduction.scenario
    let bitten = try #require(scenario.bitten)
    expectEqual(Run.perform(try scenario.resolved(), seed: Seed(1)).outcome, .passed)
    expectEqual(Run.perform(try bitten.resolved(), seed: Seed(1)).outcome, .failed)
  }

  @Test("a customer's capture becomes a scenario, and that the few lines which show a fault of the engine")
  func captureToMinimum() throws {
    let capture = try #require(OwnCapture.all.first { $0.name == "gssdp-update-bootid" })
    let scenario = try ReproduceTests.reproduce(capture.path).reproduction.scenario
    var shrinker = try Shrinker(scenario, options: Shrinker.Options(seed: 1, fault: .engine(.nextBootIDIgnored)))
    let outcome = shrinker.shrink()
    // The alive that makes the device, and the update that the engine did not take down.
    expectEqual(outcome.after.inhabitants, 2)
    expectEqual(outcome.after.datagrams, 2)
    #expect(outcome.after.nodes * 8 < outcome.before.nodes)
    let yaml = ShrinkText.yaml(outcome, of: "field/update.yaml", seed: 1)
    try expectEqual(Scenario(yaml: yaml, file: "update"), outcome.scenario)
  }

  @Test("a comparison finds a report that is missing, surplus, other, out of order, or more than 20 ms off")
  func comparisonBites() throws {
    let capture = try #require(OwnCapture.all.first { $0.name == "gssdp-update-bootid" })
    let reports = try ReproduceTests.reproduce(capture.path).reports
    func difference(_ found: [TapedReport]) -> String? {
      ReportComparison(expected: reports, found: found, offset: .zero).difference
    }
    expectEqual(difference(reports), nil)
    #expect(difference(Array(reports.dropLast()))?.contains("is missing") ?? false)
    #expect(difference(reports + reports.prefix(1))?.contains("one too many") ?? false)
    var moved = reports
    moved.swapAt(1, 2)
    #expect(difference(moved) != nil)
    var late = reports
    late[3].time += .milliseconds(20)
    expectEqual(difference(late), nil)
    late[3].time += .nanoseconds(1)
    #expect(difference(late)?.contains("off its time") ?? false)
  }

  @Test("a capture without discovery, and one that is too long, are refused in words")
  func refusals() throws {
    var writer = CaptureWriter(section: CaptureSection())
    _ = writer.interface(name: "eth0")
    writer.frame(interface: 0, time: .zero, [UInt8](repeating: 0, count: 60))
    writer.finish()
    let bytes = writer.bytes
    #expect(throws: CaptureTape.Problem.noMessages) {
      _ = try CaptureTape.read(as: .everybody) {
        var position = 0
        return try CaptureReader(pull: { room in
          let count = min(room.count, bytes.count - position)
          bytes.withUnsafeBytes {
            room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<(position + count)]))
          }
          position += count
          return count
        })
      }
    }
  }
}
