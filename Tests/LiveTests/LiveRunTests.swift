import Foundation
import NIOCore
import Primitives
import Testing

@testable import Live

/// Notes what it is told, in order.
private final class Witness: LiveParty {
  var lines: [String] = []
  var deadline: Instant?
  weak var outlet: (any LiveOutlet)?
  var joins = false

  func advance(to now: Instant) { deadline = nil }
  func hear(_ datagram: HeardDatagram, at now: Instant) { lines.append("heard \(datagram.source)") }
  func take(_ change: InterfaceChange, at now: Instant) {
    lines.append("interface \(change.interface.number) \(change.isUp ? "up" : "down")")
    if joins { outlet?.join(.ssdpGroup4, on: change.interface) }
  }
  func take(_ refusal: Refusal, at now: Instant) { lines.append("refused \(refusal.deed) \(refusal.address)") }
  func begin(at now: Instant) { lines.append("begin") }
  func end(at now: Instant) { lines.append("end") }
}

@Suite("A live run") struct LiveRunTests {
  @Test("interfaces are told of, then it begins, then it ends")
  func order() throws {
    let witness = Witness()
    let run = LiveRun(
      LivePlan(interfaces: ["a", "b"], duration: .milliseconds(1)), party: witness,
      scan: {
        [LiveInterface(name: "b", index: 9, addresses: [InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 8)])]
      })
    try run.run()
    #expect(witness.lines == ["interface 0 down", "interface 1 up", "begin", "end"])
  }

  @Test("what the system refuses comes back as a signal, with the system's words for people")
  func refusal() throws {
    let witness = Witness()
    witness.joins = true
    // No system has an interface of this number.
    let gone = LiveInterface(
      name: "a", index: 999_999, addresses: [InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 8)])
    let run = LiveRun(LivePlan(interfaces: ["a"], duration: .milliseconds(20)), party: witness, scan: { [gone] })
    try run.run()
    #expect(witness.lines == ["interface 0 up", "begin", "refused join 239.255.255.250", "end"])
    #expect(run.refusalTexts.count == 1)
    #expect(run.refusalTexts.first?.hasPrefix("a: joining 239.255.255.250: ") == true)
  }

  @Test("endpoints become addresses of the system and come back", arguments: ["10.77.1.20:1900", "[fe80::1]:49152"])
  func addresses(text: String) throws {
    let endpoint = try #require(Endpoint(text))
    #expect(SocketAddress(endpoint, scope: 3).endpoint == endpoint)
  }
}

@Suite("Real programs in namespaces") struct NamespaceTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  /// Beside the tests, where it was built with them.
  private static let binary = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appendingPathComponent("rollcall").path

  @Test(
    "discover finds a device of the gssdp library with its services", .timeLimit(.minutes(1)),
    .enabled(
      if: ProcessInfo.processInfo.environment["ROLLCALL_LIVE"] != nil,
      "real time and real programs: set ROLLCALL_LIVE, or run make live-test"),
    .enabled(if: FileManager.default.isExecutableFile(atPath: binary), "rollcall was not built beside the tests"))
  func quick() throws {
    let script = Process()
    script.executableURL = NamespaceTests.root.appendingPathComponent("Tools/live-test.sh")
    script.arguments = ["-b", NamespaceTests.binary, "quick"]
    let pipe = Pipe()
    script.standardOutput = pipe
    script.standardError = pipe
    try script.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    script.waitUntilExit()
    if script.terminationStatus == 77 {
      print("live scenes \(text)", terminator: "")
      return
    }
    #expect(script.terminationStatus == 0, "\(text)")
    #expect(text.contains(" passed, 0 failed"), "\(text)")
  }
}
