import Foundation
import Testing

/// The tool as a user runs it: the built program in a process of its own.
struct ToolRun {
  /// As a shell tells it: 128 and the number of a signal where one ended it.
  var exitCode: Int32
  var out: [UInt8]
  var errors: String

  var text: String { String(decoding: out, as: UTF8.self) }

  static let url = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appendingPathComponent("rollcall")
  /// Where a part of the house is built alone there is no tool, and its tests are left out.
  static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: url.path) }

  /// Runs it in a folder. What hangs is ended after two minutes.
  /// - Parameter shell: how a shell runs `"$0" "$@"`, which is the tool with its arguments.
  init(
    _ arguments: [String], in folder: URL, shell: String = "exec \"$0\" \"$@\"", environment: [String: String] = [:]
  ) throws {
    (exitCode, out, errors) = try Places.withTemporaryFolder { files in
      let names = ["out", "errors"].map { files.appendingPathComponent($0) }
      for name in names { try Data().write(to: name) }
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", shell, ToolRun.url.path] + arguments
      process.currentDirectoryURL = folder
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = try FileHandle(forWritingTo: names[0])
      process.standardError = try FileHandle(forWritingTo: names[1])
      try process.run()
      let guardian = DispatchWorkItem { process.terminate() }
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(120), execute: guardian)
      process.waitUntilExit()
      guardian.cancel()
      let isSignal = process.terminationReason == .uncaughtSignal
      return (
        process.terminationStatus + (isSignal ? 128 : 0), [UInt8](try Data(contentsOf: names[0])),
        String(decoding: try Data(contentsOf: names[1]), as: UTF8.self)
      )
    }
  }
}

extension ToolRun {
  init(_ arguments: String..., in folder: URL) throws { try self.init(arguments, in: folder) }

  var lines: [String] { text.split(separator: "\n").map(String.init) }

  /// The lines as JSON objects of one kind.
  func objects(_ kind: String) throws -> [[String: Any]] {
    try lines.compactMap { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
      .filter { $0["kind"] as? String == kind }
  }
}

extension Trait where Self == ConditionTrait {
  static var withTool: Self { .enabled(if: ToolRun.isBuilt, "the tool is not built") }
}

/// A verb that writes a file, and what it reads.
struct WritingVerb: CustomTestStringConvertible, Sendable {
  var words: [String]
  /// The option that names the file.
  var option: String
  var input: String?
  /// Whether it did its work: a judgement may find breaches.
  func isDone(_ code: Int32) -> Bool { code == 0 || code == 1 && words.first == "judge" }

  var testDescription: String { (words + [option]).joined(separator: " ") }

  func arguments(writing path: String, input other: String? = nil) -> [String] {
    words + [other ?? input].compactMap { $0 } + [option, path]
  }

  /// Every option of every verb that writes a file and needs no network.
  static let all: [WritingVerb] = [
    WritingVerb(words: ["run"], option: "--output", input: "in.yaml"),
    WritingVerb(words: ["run", "--format", "json"], option: "--output", input: "in.yaml"),
    WritingVerb(words: ["run", "--format", "junit"], option: "--output", input: "in.yaml"),
    WritingVerb(words: ["run", "--format", "tap"], option: "--output", input: "in.yaml"),
    WritingVerb(words: ["run"], option: "--trace", input: "in.yaml"),
    WritingVerb(words: ["run"], option: "--pcapng", input: "in.yaml"),
    WritingVerb(words: ["run"], option: "--write-expected", input: "in.yaml"),
    WritingVerb(words: ["run"], option: "--html", input: "in.yaml"),
    WritingVerb(words: ["run"], option: "--perfetto", input: "in.yaml"),
    WritingVerb(words: ["judge"], option: "--output", input: "in.pcapng"),
    WritingVerb(words: ["judge", "--format", "junit"], option: "--output", input: "in.pcapng"),
    WritingVerb(words: ["judge", "--format", "sarif"], option: "--output", input: "in.pcapng"),
    WritingVerb(words: ["judge"], option: "--record", input: "in.pcapng"),
    WritingVerb(words: ["judge"], option: "--html", input: "in.pcapng"),
    WritingVerb(words: ["replay"], option: "--output", input: "in.pcapng"),
    WritingVerb(words: ["replay", "--explain", "--format", "json"], option: "--output", input: "in.pcapng"),
    WritingVerb(words: ["replay"], option: "--record", input: "in.pcapng"),
    WritingVerb(words: ["replay"], option: "--html", input: "in.pcapng"),
    WritingVerb(words: ["diff"], option: "--output", input: "in.pcapng"),
    WritingVerb(words: ["diff"], option: "--html", input: "in.pcapng"),
    WritingVerb(words: ["reproduce"], option: "--output", input: "in.pcapng"),
    WritingVerb(words: ["reproduce"], option: "-o", input: "in.pcapng"),
    WritingVerb(words: ["shrink", "--report", "found"], option: "--output", input: "in.pcapng"),
    WritingVerb(words: ["shrink", "--bite", "--budget-seconds", "0"], option: "-o", input: "in.yaml"),
    WritingVerb(words: ["clauses"], option: "--output"),
    WritingVerb(words: ["campaign", "draw", "7"], option: "--output"),
    WritingVerb(words: ["examine", "control-point", "-i", "lo", "--dry-run"], option: "--output"),
  ]

  /// One verb for each way in which a file is opened.
  static let some = all.filter {
    ["--trace", "--pcapng", "--record", "-o"].contains($0.option) || $0.words == ["judge"]
  }

  /// A folder with a small capture and a small scenario in it, which are `in.pcapng` and `in.yaml`.
  static func withInputs<Result>(_ body: (URL) throws -> Result) throws -> Result {
    try Places.withTemporaryFolder { folder in
      var capture = TinyCapture()
      capture.add(1, "192.168.1.20", TinyCapture.alive("2fac1234-31f8-11b4-a222-08002b34c003"))
      capture.add(1.5, "192.168.1.21", TinyCapture.alive("2fac1234-31f8-11b4-a222-08002b34c004", location: nil))
      capture.add(2, "192.168.1.20", TinyCapture.byebye("2fac1234-31f8-11b4-a222-08002b34c003"))
      try Data(capture.bytes).write(to: folder.appendingPathComponent("in.pcapng"))
      try Data(WritingVerb.scenario.utf8).write(to: folder.appendingPathComponent("in.yaml"))
      return try body(folder)
    }
  }

  static let scenario = """
    scenario: A television says that it leaves
    why: A byebye ends what an announcement began.
    bites: engine.byebyeIgnored
    seeds: 1..1
    duration: 30s
    inhabitants:
      tv: {kind: root-device}
    timeline:
      - {at: 10s, leave: tv}
    expect:
      - {found: tv, times: 1}
      - {lost: tv, cause: byebye, at: 10s}
    """
}

/// Names and contents of a folder, to be compared before and after.
struct FolderState: Hashable {
  var files: [String: [UInt8]] = [:]

  init(_ folder: URL) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let file = folder.appendingPathComponent(name)
      let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
      let isRegular = attributes[.type] as? FileAttributeType == .typeRegular
      files[name] = isRegular ? [UInt8](try Data(contentsOf: file)) : []
    }
  }
}
