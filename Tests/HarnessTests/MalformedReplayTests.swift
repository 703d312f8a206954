import RollcallCaptureSupport
import Foundation
import RollcallExpectations
import RollcallReporting
import RollcallRunning
import Testing

/// `rollcall replay` over files that are damaged: as a user runs it, in a process of its own.
@Suite("Replay of damaged captures")
struct MalformedReplayTests {
  /// Files that end inside a packet, or are damaged before their end: the frames before that, and the damage with its
  /// byte.
  static let damaged: [String: (frames: Int, what: String)] = [
    "fuzz-cf-38309632.pcap": (1, "the file ends inside frame 2 (byte 1182)"),
    "fuzz-cf-42269440.pcap": (2, "frame 3 claims 411435009 bytes, which no frame can have (byte 56)"),
    "fuzz-cf-46653440.pcap": (1, "frame 2 claims 145032960 bytes, which no frame can have (byte 295)"),
    "fuzz-cf-56461312.pcap": (2, "the file ends inside frame 3 (byte 57)"),
    "fuzz-cf-95939072.pcap": (1, "frame 2 claims 16095754 bytes, which no frame can have (byte 30760)"),
    "fuzz-igmplayer.pcap": (2, "frame 3 claims 172716570 bytes, which no frame can have (byte 185)"),
    "fuzz-ns-cut.pcap": (1, "the file ends inside frame 2 (byte 57)"),
    "fuzz-null-cut.pcap": (1, "the file ends inside frame 2 (byte 237)"),
  ]
  /// Files that are no capture, or hold no whole frame.
  static let refused: [String: String] = [
    "empty-pcap.pcap": "the capture holds no frame",
    "empty-pcapng.pcapng": "the capture holds no frame",
    "fuzz-cf-70809344.pcap": "not a pcap or pcapng capture: 2105376 is no link type",
    "fuzz-pcapng-epb-unbounded.pcapng":
      "the capture holds no whole frame: frame 1 claims 65536 bytes, which no frame can have (byte 48)",
    "linktype-reserved-bits.pcap": "not a pcap or pcapng capture: 3145728 is no link type",
    "pcap-version-1.pcap": "not a pcap or pcapng capture: its pcap version 1.4 is unknown",
    "pcapng-shb-option-too-long.pcapng":
      "not a pcap or pcapng capture: the first section header of a pcapng file is damaged, cut short or of an unknown "
      + "version",
    "pcapng-text-mangled-big-endian.pcapng": "not a pcap or pcapng capture: it begins with the bytes 0a 0a 0a 00",
    "pcapng-text-mangled-dhcp.pcapng": "not a pcap or pcapng capture: it begins with the bytes 0a 0a 0a 1c",
    "pcapng-text-mangled-little-endian.pcapng": "not a pcap or pcapng capture: it begins with the bytes 0a 0a 0a 1c",
  ]
  /// tshark finds no frame here, libpcap one.
  static let otherThanTshark = ["fuzz-cf-36387328.pcap": 1]

  /// Those of them that are damaged before their end, and how many bytes they have.
  static let beforeEnd: [String: (read: Int, of: Int)] = [
    "fuzz-cf-42269440.pcap": (56, 123), "fuzz-cf-46653440.pcap": (295, 586), "fuzz-cf-95939072.pcap": (30_760, 31_566),
    "fuzz-igmplayer.pcap": (185, 2_402),
  ]

  @Test(
    """
    a file that ends inside a packet gives what stands before that and exit code 0, one that is damaged before its end \
    the same and exit code 2, and what is no capture exit code 2
    """)
  func exitCodes() async throws {
    let captures = CaptureFolder.captures(in: "malformed", for: "replay of damaged captures")
    if CaptureFolder.url == nil { return }
    let tool = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(
      "rollcall")
    guard FileManager.default.isExecutableFile(atPath: tool.path) else {
      CaptureFolder.skipped("replay of damaged captures: no tool at \(tool.path)")
      return
    }
    let (bad, good) = (
      captures.filter { Self.refused[$0.lastPathComponent] != nil },
      captures.filter { Self.refused[$0.lastPathComponent] == nil }
    )
    #expect(bad.count == Self.refused.count && good.count > 30)
    for capture in bad {
      let run = try Self.run(tool, [capture])
      expectEqual(run.exitCode, 2, "\(capture.lastPathComponent)")
      let why = Self.refused[capture.lastPathComponent] ?? ""
      expectEqual(run.lines, [InputFailureLines.json(input: capture.path, message: why)])
      expectEqual(run.complaints, ["\(capture.path): \(Self.refused[capture.lastPathComponent] ?? "")"])
    }
    let readable = good.filter { Self.beforeEnd[$0.lastPathComponent] == nil }
    try expectEqual(Self.run(tool, readable).exitCode, 0)
    expectEqual(good.count, readable.count + Self.beforeEnd.count)
    let run = try Self.run(tool, good)
    expectEqual(run.exitCode, 2)
    expectEqual(
      run.complaints,
      good.compactMap { capture -> String? in
        let name = capture.lastPathComponent
        return Self.damaged[name].map { damage in
          let rest = Self.beforeEnd[name].map { bytes in
            "\(bytes.read) of \(bytes.of) bytes (\(bytes.read * 100 / bytes.of) %) and \(damage.frames) "
              + "frame\(damage.frames == 1 ? "" : "s") were read, and nothing behind that"
          }
          return "\(capture.path): \(damage.what); " + (rest ?? "everything before it was replayed")
        }
      })
    let summaries = try run.lines.map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    .filter { $0["kind"] as? String == "summary" }
    expectEqual(summaries.compactMap { $0["capture"] as? String }, good.map(\.path))
    for (capture, summary) in zip(good, summaries) {
      let name = capture.lastPathComponent
      let truth = try String(contentsOf: capture.appendingPathExtension("udp.tsv"), encoding: .utf8)
      let frames =
        Self.damaged[name]?.frames ?? Self.otherThanTshark[name] ?? Int(truth.dropFirst(2).prefix { $0.isNumber })
      #expect(summary["frames"] as? Int == frames, "\(name)")
      let problems = (summary["problems"] as? [[String: Any]] ?? []).compactMap { $0["what"] as? String }
      expectEqual(problems.contains { $0.contains("(byte ") }, (Self.damaged[name] != nil), "\(name): \(problems)")
    }
  }

  private static func run(
    _ tool: URL, _ captures: [URL]
  ) throws -> (exitCode: Int32, lines: [String], complaints: [String]) {
    try Places.withTemporaryFolder { folder in
      let (out, errors) = (folder.appendingPathComponent("out"), folder.appendingPathComponent("errors"))
      try Data().write(to: out)
      try Data().write(to: errors)
      let process = Process()
      process.executableURL = tool
      process.arguments = ["replay", "--format", "json"] + captures.map(\.path)
      process.standardOutput = try FileHandle(forWritingTo: out)
      process.standardError = try FileHandle(forWritingTo: errors)
      try process.run()
      // A file that makes it hang is ended, and its exit code is another.
      let guardian = DispatchWorkItem { process.terminate() }
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(60), execute: guardian)
      process.waitUntilExit()
      guardian.cancel()
      func lines(_ file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
      }
      return (process.terminationStatus, try lines(out), try lines(errors))
    }
  }
}
