import Foundation
import NIOCore
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@testable import RollcallLive

/// Notes what it is told, in order.
private final class MessageContext: LiveParty {
  var lines: [String] = []
  var deadline: Instant?
  weak var outlet: (any LiveOutlet)?
  var joins = false
  /// What is sent at the beginning, each with its TTL, from and to an address of its own.
  var greetings: [(Endpoint, Endpoint, UInt8)] = []

  func advance(to now: Instant) { deadline = nil }
  func hear(_ datagram: HeardDatagram, at now: Instant) {
    let text = String(decoding: datagram.bytes, as: UTF8.self)
    lines.append("heard \(text) ttl\(datagram.hopLimit)")
    if greetings.indices.contains(heardCount + 1) { greet(heardCount + 1) }
    heardCount += 1
    if heardCount == greetings.count { onLast() }
  }
  private var heardCount = 0
  var onLast: () -> Void = {}
  private func greet(_ number: Int) {
    let (source, destination, limit) = greetings[number]
    let text = Array("hello \(number)".utf8)
    text.withUnsafeBytes { bytes in
      outlet?.send(
        Datagram(
          source: source, destination: destination, interface: InterfaceID(0), hopLimit: limit,
          payload: PayloadStore().store(bytes)), bytes)
    }
  }
  func take(_ change: InterfaceChange, at now: Instant) {
    lines.append("interface \(change.interface.number) \(change.isUp ? "up" : "down")")
    if joins { outlet?.join(.ssdp(.v4), on: change.interface) }
    if change.interface.number > 0 { onOther() }
  }
  /// Another interface than the first is told of.
  var onOther: () -> Void = {}
  func take(_ refusal: Refusal, at now: Instant) { lines.append("refused \(refusal.deed) \(refusal.address)") }
  func begin(at now: Instant) {
    lines.append("begin")
    for (_, destination, _) in greetings { outlet?.listen(at: destination, on: InterfaceID(0)) }
    if !greetings.isEmpty { greet(0) }
  }
  func end(at now: Instant) { lines.append("end") }
}

@Suite("A live run") struct LiveRunTests {
  @Test("interfaces are told of, then it begins, then it ends")
  func order() throws {
    let record = MessageContext()
    let run = LiveRun(
      LivePlan(interfaces: ["a", "b"], duration: .milliseconds(1)), party: record,
      scan: {
        [LiveInterface(name: "b", index: 9, addresses: [InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 8)])]
      })
    try run.run()
    expectEqual(record.lines, ["interface 0 down", "interface 1 up", "begin", "end"])
  }

  @Test("a run that follows tells of an interface that comes while it runs")
  func follows() throws {
    let record = MessageContext()
    func interface(_ name: String, _ index: UInt32) -> LiveInterface {
      LiveInterface(name: name, index: index, addresses: [InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 8)])
    }
    var plan = LivePlan(interfaces: ["a"], duration: .seconds(20))
    (plan.followsOthers, plan.scanInterval) = (true, .milliseconds(1))
    var lookCount = 0
    let run = LiveRun(plan, party: record) {
      lookCount += 1
      return [interface("a", 8)] + (lookCount < 3 ? [] : [interface("b", 9)])
    }
    record.onOther = { run.stop() }
    try run.run()
    expectEqual(record.lines, ["interface 0 up", "begin", "interface 1 up", "end"])
    expectEqual(lookCount >= 3, true)
  }

  @Test("what the system refuses comes back as a signal, with the system's words for people")
  func refusal() throws {
    let record = MessageContext()
    record.joins = true
    // No system has an interface of this number.
    let gone = LiveInterface(
      name: "a", index: 999_999, addresses: [InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 8)])
    let run = LiveRun(LivePlan(interfaces: ["a"], duration: .milliseconds(20)), party: record, scan: { [gone] })
    try run.run()
    expectEqual(record.lines, ["interface 0 up", "begin", "refused join 239.255.255.250", "end"])
    expectEqual(run.refusalTexts.count, 1)
    expectEqual(run.refusalTexts.first?.hasPrefix("a: joining 239.255.255.250: "), true)
  }

  @Test("a datagram is heard with the TTL that it came with")
  func timeToLive() throws {
    let record = MessageContext()
    let own = IPAddress(127, 0, 0, 1)
    // Ports that other tests of this kind do not have at the same time.
    let port = UInt16(20_000 + getpid() % 20_000)
    let (here, there) = (Endpoint(own, port: port), Endpoint(own, port: port + 1))
    record.greetings = [(here, there, 7), (there, here, 1), (here, there, 255)]
    let loopback = LiveInterface(name: "lo", index: 1, addresses: [InterfaceAddress(own, prefixBits: 8)])
    let run = LiveRun(LivePlan(interfaces: ["lo"], duration: .seconds(20)), party: record, scan: { [loopback] })
    record.onLast = { run.stop() }
    try run.run()
    expectEqual(
      record.lines,
      [
        "interface 0 up", "begin", "heard hello 0 ttl7", "heard hello 1 ttl1", "heard hello 2 ttl255", "end",
      ])
    #expect(run.heardCount == 3 && run.sentCount == 3 && run.dropCount == 0)
  }

  #if os(Linux)
    @Test("TTL and hop limit are found among what the system tells beside, and nothing is read behind its end")
    func control() {
      func message(_ level: Int32, _ kind: Int32, _ data: [UInt8]) -> [UInt8] {
        func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
          withUnsafeBytes(of: value.littleEndian) { Array($0) }
        }
        let head = bytes(16 + data.count) + bytes(level) + bytes(kind)
        return head + data + Array(repeating: 0, count: (8 - data.count % 8) % 8)
      }
      func limit(_ control: [UInt8]) -> UInt8 { control.withUnsafeBytes { SystemSocket.hopLimit(in: $0) } }
      let (four, six) = (message(0, 2, [9, 0, 0, 0]), message(41, 52, [64, 0, 0, 0]))
      expectEqual(limit(four), 9)
      expectEqual(limit(six), 64)
      expectEqual(limit(message(1, 2, [1]) + six), 64)
      expectEqual(limit(message(0, 2, [0, 1, 0, 0])), 255)
      expectEqual(limit(message(0, 2, [])), SystemSocket.unknownHopLimit)
      for count in 0..<20 { expectEqual(limit(Array(four.prefix(count))), SystemSocket.unknownHopLimit) }
      expectEqual(limit(Array(repeating: 0xFF, count: 64)), SystemSocket.unknownHopLimit)
    }
  #endif

  @Test("endpoints become addresses of the system and come back", arguments: ["10.77.1.20:1900", "[fe80::1]:49152"])
  func addresses(text: String) throws {
    let endpoint = try #require(Endpoint(text))
    expectEqual(SocketAddress(endpoint, scope: 3).endpoint, endpoint)
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
    expectEqual(script.terminationStatus, 0, "\(text)")
    #expect(text.contains(" passed, 0 failed"), "\(text)")
  }
}
