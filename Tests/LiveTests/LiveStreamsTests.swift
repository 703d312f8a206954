import NIOCore
import NIOPosix
import RollcallExpectations
import RollcallPrimitives
import Synchronization
import Testing

@testable import RollcallLive

/// The streams of two machines on the loopback, on one event loop, with a log of what each is told.
private final class StreamBench: @unchecked Sendable {
  let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  let loop: any EventLoop
  private(set) var server: LiveStreams!
  private(set) var client: LiveStreams!
  private var lines: [String] = []
  private var heard: [UInt8] = []
  private var waits: [(line: String, promise: EventLoopPromise<Void>)] = []
  /// What a side wants as soon as it is told something.
  var answers: [String: (isServer: Bool, effects: [StreamEffect])] = [:]
  static let address = IPAddress(127, 0, 0, 1)

  init() {
    loop = group.next()
    let interface = LiveInterface(
      name: "lo", index: 1, addresses: [InterfaceAddress(StreamBench.address, prefixBits: 8)])
    server = LiveStreams(loop: loop, interface: { _ in interface }, tell: { [unowned self] in note("server", $0) })
    client = LiveStreams(loop: loop, interface: { _ in interface }, tell: { [unowned self] in note("client", $0) })
  }

  private func note(_ who: String, _ signal: StreamSignal) {
    var text = signal.text
    switch signal {
    case .bytes(let id, let bytes):
      heard += bytes
      text = "stream \(id.number) bytes"
    // Ports are the system's choice, and room comes in pieces.
    case .opened(let id, _): text = "stream \(id.number) opened"
    case .accepted(let id, let listener, let local, _):
      text = "stream \(id.number) accepted by \(listener.number) at \(local.address)"
    case .room(let id, _): text = "stream \(id.number) room"
    case .ended: break
    }
    let line = who + text.dropFirst("stream".count)
    lines.append(line)
    for wait in waits where wait.line == line { wait.promise.succeed(()) }
    waits.removeAll { $0.line == line }
    if let (isServer, effects) = answers.removeValue(forKey: line) {
      for effect in effects { isServer ? server.want(effect) : client.want(effect) }
    }
  }

  func want(_ effects: [StreamEffect], ofServer: Bool) throws {
    try loop.submit { for effect in effects { ofServer ? self.server.want(effect) : self.client.want(effect) } }.wait()
  }

  /// Waits for a line, or until it was there.
  func wait(for line: String) throws {
    let promise = loop.makePromise(of: Void.self)
    loop.execute {
      if self.lines.contains(line) { promise.succeed(()) } else { self.waits.append((line, promise)) }
    }
    // Only where it never comes: then what came instead is said.
    let alarm = loop.scheduleTask(in: .seconds(20)) { promise.fail(Missing(line: line, lines: self.lines)) }
    try promise.futureResult.wait()
    alarm.cancel()
  }

  struct Missing: Error {
    var line: String
    var lines: [String]
  }

  /// Without room, which comes at moments of the system's choice, and without repetitions.
  func log() throws -> [String] {
    try loop.submit {
      var log: [String] = []
      for line in self.lines where !line.hasSuffix("room") && log.last != line { log.append(line) }
      return log
    }.wait()
  }
  func bytes() throws -> [UInt8] { try loop.submit { self.heard }.wait() }
  /// Streams that each side still has.
  func openCounts() throws -> [Int] { try loop.submit { [self.server.openCount, self.client.openCount] }.wait() }

  /// Ports that were given so far: no two tests get the same one.
  private static let givenCount = Atomic(0)

  /// A port on which nobody listens now, and which the system gives to nobody who asks for any port.
  ///
  /// It is found by a connection that is refused. A listener made and closed would stay for as long as a child
  /// process that another test starts in that moment has not begun its program yet.
  func freePort() throws -> UInt16 {
    for _ in 0..<1_000 {
      let number = StreamBench.givenCount.add(1, ordering: .relaxed).newValue
      let port = 20_000 + (Int(getpid()) * 31 + number) % 12_000
      guard let channel = try? ClientBootstrap(group: loop).connect(host: "127.0.0.1", port: port).wait() else {
        return UInt16(port)
      }
      try channel.close().wait()
    }
    throw Missing(line: "a free port", lines: [])
  }

  func end() throws {
    try loop.submit {
      self.server.closeAll()
      self.client.closeAll()
    }.wait()
    try group.syncShutdownGracefully()
  }
}

@Suite("Streams on real sockets")
struct LiveStreamsTests {
  private let one = StreamID(1)
  private let door = StreamID(9)
  private let accepted = StreamID(.max)
  private let interface = InterfaceID(0)

  @Test("a listener accepts, bytes go both ways, each side ends for itself, and both know when it is over")
  func talk() throws {
    let bench = StreamBench()
    defer { try? bench.end() }
    let port = Endpoint(StreamBench.address, port: try bench.freePort())
    bench.answers["client 1 room"] = (false, [.write(one, Array("ask".utf8)), .finish(one)])
    bench.answers["server 4294967295 finished"] = (true, [.write(accepted, Array("answer".utf8)), .finish(accepted)])
    try bench.want([.listen(door, at: Endpoint(IPAddress(v4: 0), port: port.port), interface)], ofServer: true)
    try bench.want([.connect(one, to: port, interface)], ofServer: false)
    try bench.wait(for: "client 1 finished")
    try expectEqual(
      Set(bench.log()),
      [
        "client 1 opened", "server 4294967295 accepted by 9 at 127.0.0.1", "server 4294967295 bytes",
        "server 4294967295 finished", "client 1 bytes", "client 1 finished",
      ])
    try expectEqual(String(decoding: bench.bytes(), as: UTF8.self), "askanswer")
    // The server ends last here, and neither side has the stream any more.
    try expectEqual(bench.openCounts(), [0, 0])
  }

  @Test("nobody listens: refused; without an address on that link: unreachable; a port that is taken: refused")
  func refused() throws {
    let bench = StreamBench()
    defer { try? bench.end() }
    let port = Endpoint(StreamBench.address, port: try bench.freePort())
    try bench.want([.connect(one, to: port, interface)], ofServer: false)
    try bench.wait(for: "client 1 refused")
    try bench.want([.connect(StreamID(2), to: Endpoint(IPAddress(10, 9, 9, 9), port: 80), interface)], ofServer: false)
    try bench.wait(for: "client 2 unreachable")
    try bench.want([.listen(door, at: port, interface)], ofServer: true)
    try bench.want([.connect(StreamID(3), to: port, interface)], ofServer: false)
    try bench.wait(for: "client 3 opened")
    try bench.want([.listen(StreamID(8), at: port, interface)], ofServer: false)
    try bench.wait(for: "client 8 refused")
  }

  @Test("who writes without room, and who resets, ends the stream for the other side as well")
  func reset() throws {
    let bench = StreamBench()
    defer { try? bench.end() }
    let port = Endpoint(StreamBench.address, port: try bench.freePort())
    try bench.want([.listen(door, at: port, interface)], ofServer: true)
    bench.answers["client 1 room"] = (false, [.write(one, [UInt8](repeating: 0, count: 65_537))])
    try bench.want([.connect(one, to: port, interface)], ofServer: false)
    try bench.wait(for: "client 1 reset")
    bench.answers["client 2 room"] = (false, [.write(StreamID(2), [1])])
    bench.answers["server 4294967294 bytes"] = (true, [.reset(StreamID(.max - 1))])
    try bench.want([.connect(StreamID(2), to: port, interface)], ofServer: false)
    try bench.wait(for: "client 2 reset")
  }

  @Test("before a stream stands it can be finished, which the other side hears once it does, and bytes reset it")
  func early() throws {
    let bench = StreamBench()
    defer { try? bench.end() }
    let port = Endpoint(StreamBench.address, port: try bench.freePort())
    try bench.want([.listen(door, at: port, interface)], ofServer: true)
    bench.answers["server 4294967295 finished"] = (true, [.write(accepted, Array("answer".utf8)), .finish(accepted)])
    try bench.want([.connect(one, to: port, interface), .finish(one)], ofServer: false)
    try bench.wait(for: "client 1 finished")
    try expectEqual(String(decoding: bench.bytes(), as: UTF8.self), "answer")
    try bench.want([.connect(StreamID(2), to: port, interface), .write(StreamID(2), [1])], ofServer: false)
    try bench.wait(for: "client 2 reset")
    let log = try bench.log()
    #expect(!log.contains("client 2 opened"))
  }
}
