import Foundation
import RollcallDevices
import RollcallExaminers
import RollcallExpectations
import RollcallJudging
import RollcallPrimitives
import RollcallSimulation
import RollcallTrace
import RollcallWire
import Testing

/// The tool with multicast DNS, as a user runs it.
@Suite("Verbs of the tool with multicast DNS", .withTool) struct MulticastVerbTests {
  private static func scenario(_ name: String) -> String {
    Places.root.appendingPathComponent("Scenarios/mdns/\(name).yaml").path
  }

  /// Lines of a story with a frame, without times and line ends, one for each message.
  private static func rows(_ run: ToolRun) -> [String] {
    var rows: [String] = []
    for line in run.lines.drop(while: { $0 != "  Multicast DNS" }).dropFirst() {
      let words = line.split(separator: " ").joined(separator: " ")
      if line.hasPrefix("    +") {
        rows.append(words.split(separator: " ").dropFirst().joined(separator: " "))
      } else if line.hasPrefix("          "), !rows.isEmpty {
        rows[rows.count - 1] += " " + words
      } else {
        break
      }
    }
    return rows
  }

  @Test("the story of a run tells its services and every message, and the story of its capture tells the same messages")
  func explained() throws {
    try Places.withTemporaryFolder { folder in
      let scenario = Self.scenario("goodbye")
      let run = try ToolRun("run", scenario, "--seed", "1", "--explain", "--pcapng", "run.pcapng", in: folder)
      expectEqual(run.exitCode, 0, "\(run.errors)")
      #expect(run.lines.contains("  Services"), "\(run.text)")
      #expect(run.lines.contains { $0.contains("found peer:Office Printer._ipp._tcp.local") })
      #expect(run.lines.contains { $0.contains("lost peer:Office Printer._ipp._tcp.local byebye") })
      let rows = Self.rows(run)
      for part in [
        "asks for PTR _ipp._tcp.local (QU)", "probes for printer.local, Office Printer._ipp._tcp.local with A",
        "announces, 0.25 s after its last probe (frame 10): new: A printer.local → ",
        "announces again, 1 s after frame 12: as in frame 12",
        "says goodbye: ends what frame 15 said: A printer.local → ",
      ] {
        #expect(rows.contains { $0.contains(part) }, "\(part): \(rows)")
      }
      let replay = try ToolRun("replay", "run.pcapng", "--as", "engine", "--explain", in: folder)
      expectEqual(replay.exitCode, 0, "\(replay.errors)")
      expectEqual(Self.rows(replay), rows)
      let json = try ToolRun(
        "run", scenario, "--seed", "1", "--explain", "--format", "json", in: folder)
      let told = try json.objects("story").filter { $0["about"] as? String == "multicast" }
      expectEqual(told.count, rows.count)
      expectEqual(told.compactMap { $0["frame"] as? Int }.count, rows.count)
    }
  }

  @Test("judge, diff, reproduce and shrink take the capture of a run with services")
  func verbs() throws {
    try Places.withTemporaryFolder { folder in
      for name in ["goodbye", "text-changes"] {
        let run = try ToolRun("run", Self.scenario(name), "--seed", "1", "--pcapng", "\(name).pcapng", in: folder)
        expectEqual(run.exitCode, 0, "\(run.errors)")
      }
      let judged = try ToolRun("judge", "goodbye.pcapng", in: folder)
      expectEqual(judged.exitCode, 0)
      #expect(judged.lines.contains { $0.contains("responder, RFC 6762") }, "\(judged.text)")
      let same = try ToolRun("diff", "goodbye.pcapng", "goodbye.pcapng", in: folder)
      expectEqual(same.exitCode, 0)
      let other = try ToolRun("diff", "goodbye.pcapng", "text-changes.pcapng", in: folder)
      expectEqual(other.exitCode, 1)
      #expect(other.lines.contains { $0.contains("found peer:") }, "\(other.text)")
      let made = try ToolRun("reproduce", "goodbye.pcapng", "-o", "made.yaml", in: folder)
      expectEqual(made.exitCode, 0, "\(made.errors)")
      let again = try ToolRun("run", "made.yaml", in: folder)
      expectEqual(again.exitCode, 0, "\(again.text)")
      let less = try ToolRun("shrink", "goodbye.pcapng", "--report", "lost", "-o", "less.pcapng", in: folder)
      expectEqual(less.exitCode, 0, "\(less.errors)")
      let reports = try ToolRun("replay", "less.pcapng", in: folder)
      #expect(reports.lines.contains { $0.contains("lost peer:") }, "\(reports.text)")
    }
  }

  @Test("--explain takes the name of a host or service, and says what is wrong where it cannot be one")
  func names() throws {
    try Places.withTemporaryFolder { folder in
      let run = try ToolRun(
        "run", Self.scenario("goodbye"), "--seed", "1", "--pcapng", "run.pcapng", "--trace", "run.trace", in: folder)
      expectEqual(run.exitCode, 0, "\(run.errors)")
      for name in ["printer.local", "printer", "Office Printer._ipp._tcp.local", "Office Printer"] {
        let told = try ToolRun("replay", "run.pcapng", "--explain", name, in: folder)
        expectEqual(told.exitCode, 0, "\(told.errors)")
        #expect(told.text.contains("\(name) (192.168.1.184): is announced by multicast DNS"), "\(told.text)")
        #expect(told.text.contains("lost peer:Office Printer._ipp._tcp.local byebye"), "\(told.text)")
        #expect(!told.text.contains("Lab") && !told.text.contains("neighbour"), "\(told.text)")
      }
      func complaint(_ words: String...) throws -> String {
        let run = try ToolRun(["replay"] + words + ["--explain"], in: folder)
        expectEqual(run.exitCode, 2)
        return run.errors
      }
      try expectEqual(complaint("printer.local"), "printer.local: no such file\n")
      try expectEqual(
        complaint("run.pcapng", "printer", "other"),
        "--explain takes one address, UUID or name of multicast DNS (what is no file is one), and these are 2: "
          + "'printer', 'other'\n")
      try expectEqual(
        complaint("run.pcapng", "other.pcap"), "other.pcap: cannot be read: No such file or directory\n")
    }
  }

  @Test("a trace and a scenario that are taken for captures are told with the verb that takes them")
  func otherInputs() throws {
    try Places.withTemporaryFolder { folder in
      let scenario = Self.scenario("goodbye")
      let run = try ToolRun("run", scenario, "--seed", "1", "--trace", "run.trace", in: folder)
      expectEqual(run.exitCode, 0, "\(run.errors)")
      let replayed = try ToolRun("replay", "run.trace", "--explain", in: folder)
      expectEqual(replayed.exitCode, 2)
      #expect(
        replayed.errors.hasSuffix(
          "; it is a trace of 'rollcall run --trace', and 'rollcall judge run.trace' reads it\n"),
        "\(replayed.errors)")
      let judged = try ToolRun("judge", scenario, in: folder)
      expectEqual(judged.exitCode, 2)
      #expect(
        judged.errors.hasSuffix(
          "; a scenario has to be run first: 'rollcall run \(scenario) --trace run.trace' writes a trace, and "
            + "'rollcall judge run.trace' judges it\n"), "\(judged.errors)")
      let trace = try ToolRun("judge", "run.trace", in: folder)
      expectEqual(trace.exitCode, 0)
      #expect(trace.lines.contains { $0.contains("printer responder, RFC 6762") }, "\(trace.text)")
    }
  }

  // MARK: - Examinations

  private static let printer: MDNSPlan = {
    let type = try! ServiceType("ipp", .tcp)
    return MDNSPlan(host: "printer", services: [MDNSService(type, "Office", port: 631, txt: [4] + Array("rp=a".utf8))])
  }()

  /// The file that `--trace` writes of an examination.
  private static func record(of responder: MDNSPlan) throws -> Data {
    let plan = ResponderExamPlan(probes: [.types, .browse, .escapes])
    func host(_ number: Int) -> HostPlan {
      let addresses = [
        InterfaceAddress(IPAddress(10, 0, 0, UInt8(number + 1)), prefixBits: 24),
        InterfaceAddress(IPAddress(v6High: 0xFE80 << 48, low: UInt64(number) + 1), prefixBits: 64),
      ]
      return HostPlan(name: "h\(number)", interfaces: [InterfacePlan(segment: 0, addresses: addresses)])
    }
    var world = WorldPlan(
      network: NetworkPlan(segments: [SegmentPlan(name: "lan")], hosts: (0...1).map(host)),
      duration: plan.durationMaximum, seed: Seed(1))
    world.machines.append(MDNSResponder(responder, seed: Seed(1), name: "printer"))
    world.commands.append((.zero, 0, .act(.appear)))
    world.machines.append(ResponderExam(plan))
    let recorder = Recorder(entriesMaximum: 100_000)
    var running = World(plan: world, recorder: recorder)
    running.start()
    running.run(until: .zero + plan.durationMaximum)
    let entries = recorder.entries.filter { $0.station == 1 }
    let lines = [ExamRecord.line(plan, interface: "eth0")] + entries.map { TraceText.line($0) { _ in "here" } }
    return Data((lines.joined(separator: "\n") + "\n").utf8)
  }

  @Test("examine responder repeats a record, as text and as JSON, and with the exit code of its verdicts")
  func repeated() throws {
    try Places.withTemporaryFolder { folder in
      try Self.record(of: Self.printer).write(to: folder.appendingPathComponent("good.trace"))
      let good = try ToolRun("examine", "responder", "--replay", "good.trace", in: folder)
      expectEqual(good.exitCode, 0, "\(good.errors)")
      expectEqual(good.lines.prefix(2), ["printer.local  10.0.0.1 on eth0", "  Office._ipp._tcp.local"])
      for probe in ["types", "browse", "escapes"] {
        #expect(good.lines.contains { $0.hasPrefix("✓ \(probe) ") }, "\(good.text)")
      }
      let json = try ToolRun("examine", "responder", "--replay", "good.trace", "--format", "json", in: folder)
      expectEqual(json.exitCode, 0)
      try expectEqual(
        json.objects("probe").map { $0["verdict"] as? String }, Array(repeating: "held", count: 3))
      var hasty = Self.printer
      hasty.timing.sharedDelay = .zero ... .zero
      try Self.record(of: hasty).write(to: folder.appendingPathComponent("hasty.trace"))
      let bad = try ToolRun("examine", "responder", "--replay", "hasty.trace", "--strict", in: folder)
      expectEqual(bad.exitCode, 1, "\(bad.errors)")
      #expect(bad.lines.contains { $0.contains("MD-14") && $0.hasPrefix("✘") }, "\(bad.text)")
      let refused = try ToolRun("examine", "responder", "--replay", "good.trace", "--only", "types", in: folder)
      expectEqual(refused.exitCode, 2)
      #expect(refused.errors.contains("--only"), "\(refused.errors)")
      try Data("nothing\n".utf8).write(to: folder.appendingPathComponent("no.trace"))
      let unreadable = try ToolRun("examine", "responder", "--replay", "no.trace", in: folder)
      expectEqual(unreadable.exitCode, 2)
      #expect(unreadable.errors.contains("no.trace"), "\(unreadable.errors)")
    }
  }
}
