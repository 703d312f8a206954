import Foundation
import RollcallCaptureSupport
import RollcallExpectations
import Testing

/// Engines of other people in virtual time, as they are installed (docs/engines.md); `make engines` runs every scenario.
@Suite("Foreign engines", .withTool)
struct ForeignEngineTests {
  private static let sources = Places.root.appendingPathComponent("Examples/engines")
  private static let discover = "/usr/bin/gssdp-discover"

  static let hasDiscover = [discover, "/usr/bin/gcc"].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }

  /// What two scenarios come to: one that the engine passes, and one whose forged byebyes it believes.
  private func judge(_ engine: String) throws {
    let passes = try ToolRun(
      "run", "Scenarios/ssdp/quick-return.yaml", "--seeds", "1..2", "--engine", engine, in: Places.root)
    expectEqual(passes.exitCode, 0, "\(passes.text) \(passes.errors)")
    let fails = try ToolRun(
      "run", "Scenarios/ssdp/forged-byebye.yaml", "--seed", "1", "--engine", engine, in: Places.root)
    expectEqual(fails.exitCode, 1, "\(fails.text) \(fails.errors)")
    #expect(fails.text.contains("e2  {never: {lost: any}}"), "\(fails.text)")
    let twice = try ToolRun(
      "run", "Scenarios/ssdp/quick-return.yaml", "--seed", "1", "--check-determinism", "--engine", engine,
      in: Places.root)
    expectEqual(twice.exitCode, 0, "\(twice.text) \(twice.errors)")
  }

  @Test("async-upnp-client finds and loses devices in virtual time, and believes a forged byebye")
  func asyncUPnP() throws {
    guard let python = PythonOracle.packages else {
      print("skipped: async-upnp-client is not installed (Tools/python-packages.sh)")
      return
    }
    let script = ForeignEngineTests.sources.appendingPathComponent("async_upnp_engine.py").path
    try judge("'\(python)' '\(script)'")
  }

  @Test("gssdp-discover does so as Debian has it", .enabled(if: hasDiscover))
  func gssdp() throws {
    try Places.withTemporaryFolder { folder in
      let library = folder.appendingPathComponent("libvirtual.so").path
      let code = ForeignEngineTests.sources.appendingPathComponent("c")
      let files = try FileManager.default.contentsOfDirectory(atPath: code.path).sorted()
        .filter { $0.hasSuffix(".c") && $0 != "gssdp-control-point.c" }
      let gcc = Process()
      gcc.executableURL = URL(fileURLWithPath: "/usr/bin/gcc")
      gcc.currentDirectoryURL = code
      gcc.arguments = ["-O1", "-fPIC", "-shared", "-o", library] + files + ["-ldl"]
      try gcc.run()
      gcc.waitUntilExit()
      expectEqual(gcc.terminationStatus, 0)
      try judge(
        "env 'LD_PRELOAD=\(library)' \(ForeignEngineTests.discover) --message-type=all --target=upnp:rootdevice")
    }
  }
}
