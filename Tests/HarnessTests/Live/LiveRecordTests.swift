import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
import RollcallRunning
import RollcallServing
import RollcallTrace
import Testing

/// The trace and the capture of a live run, with a clock that the test moves.
@Suite("What a live run writes while it goes on") struct LiveRecordTests {
  private static let began = Instant.zero + .seconds(1_795_737_735)
  private static let cast = CaptureExport.Cast(
    host: "here", origin: ["rollcall discover: replay with --as here"],
    interfaces: [(name: "eth0", details: nil, mtuBytes: 65_535)], names: [], end: .zero)

  /// When the record wants to be called, and what is called.
  private final class Clock {
    var calls: [(time: Instant, body: @Sendable (Instant) -> Void)] = []
    var times: [Instant] { calls.map(\.time) }
  }
  private final class Memory { var bytes: [UInt8] = [] }

  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  private func sent(
    _ milliseconds: Int64, from source: IPAddress, to destination: IPAddress, count: Int
  ) -> TraceEntry {
    TraceEntry(
      time: at(milliseconds), station: 0,
      content: .sent(
        RecordedDatagram(
          source: Endpoint(source, port: 50_000), destination: Endpoint(destination, port: 1_900),
          interface: InterfaceID(0), hopLimit: 2, bytes: [UInt8](repeating: 65, count: count))))
  }
  private func sent(_ milliseconds: Int64) -> TraceEntry {
    sent(milliseconds, from: IPAddress(10, 0, 0, 9), to: IPAddress(10, 0, 0, 1), count: 3)
  }

  private func make(_ trace: Output?, _ capture: Output?, _ clock: Clock) -> LiveRecord {
    let record = LiveRecord(
      trace: trace, capture: capture, interfaces: ["eth0"], verb: "rollcall discover", began: Self.began)
    record.schedule = { clock.calls.append((time: $0, body: $1)) }
    return record
  }

  private func bytes(_ file: URL) throws -> [UInt8] { [UInt8](try Data(contentsOf: file)) }
  private func text(_ file: URL) throws -> String { String(decoding: try bytes(file), as: UTF8.self) }

  @Test("20 ms behind an entry the trace has it, the capture has what is as old, and at the end both have everything")
  func both() throws {
    try Places.withTemporaryFolder { folder in
      let (trace, capture) = (folder.appendingPathComponent("trace"), folder.appendingPathComponent("capture"))
      let (clock, memory) = (Clock(), Memory())
      let record = try make(
        Output(path: trace.path, isGrowing: true), Output(path: capture.path, isGrowing: true), clock)
      var reference = CaptureStream(Self.cast, begin: Self.began) { memory.bytes += $0 }
      expectEqual([record.isWanted, record.hasFailed], [true, false])
      record.begin("a head")
      try expectEqual(text(trace), "a head\n")
      let entries = [sent(100), sent(110), sent(125), sent(200)]
      let lines = entries.map { TraceText.line($0) { _ in "here" } + "\n" }
      for entry in entries.prefix(2) {
        record.take(entry)
        reference.take(entry)
      }
      expectEqual(clock.times, [at(120)])
      try expectEqual(text(trace), "a head\n")
      clock.calls[0].body(at(120))
      reference.release(until: at(100))
      try expectEqual(text(trace), "a head\n" + lines[0] + lines[1])
      #expect(!memory.bytes.isEmpty)
      try expectEqual(bytes(capture), memory.bytes)
      // One waits still, and nobody asks twice.
      expectEqual(clock.times, [at(120), at(140)])
      record.take(entries[2])
      reference.take(entries[2])
      expectEqual(clock.times.count, 2)
      clock.calls[1].body(at(145))
      reference.release(until: at(125))
      try expectEqual(bytes(capture), memory.bytes)
      expectEqual(clock.times.count, 2)
      record.take(entries[3])
      reference.take(entries[3])
      expectEqual(clock.times, [at(120), at(140), at(220)])
      record.finish(at: at(300))
      reference.finish(at: at(300))
      try expectEqual(bytes(capture), memory.bytes)
      try expectEqual(text(trace), "a head\n" + lines.joined())
      expectEqual(record.hasFailed, false)
    }
  }

  @Test("one file is written without the other, and where none is wanted nobody is called")
  func alone() throws {
    try Places.withTemporaryFolder { folder in
      let (trace, capture) = (folder.appendingPathComponent("trace"), folder.appendingPathComponent("capture"))
      let clock = Clock()
      let none = make(nil, nil, clock)
      expectEqual(none.isWanted, false)
      none.take(sent(1))
      none.finish(at: at(2))
      expectEqual(clock.times, [])

      let traced = try make(Output(path: trace.path), nil, clock)
      expectEqual(traced.isWanted, true)
      traced.take(sent(10))
      expectEqual(clock.times, [at(30)])
      clock.calls[0].body(at(30))
      expectEqual(clock.times, [at(30)])
      traced.finish(at: at(40))
      try expectEqual(text(trace), TraceText.line(sent(10)) { _ in "here" } + "\n")

      // As much as one packet of 65 536 bytes.
      let (low, high) = (
        IPAddress(v6High: 0xFD00_0000_0000_0000, low: 1), IPAddress(v6High: 0xFD00_0000_0000_0000, low: 2)
      )
      let large = sent(50, from: low, to: high, count: 65_536 - 48)
      let memory = Memory()
      var reference = CaptureStream(Self.cast, begin: Self.began) { memory.bytes += $0 }
      reference.take(large)
      reference.finish(at: at(60))
      let captured = try make(nil, Output(path: capture.path), clock)
      expectEqual(captured.isWanted, true)
      captured.take(large)
      captured.finish(at: at(60))
      let isSame = try bytes(capture) == memory.bytes
      #expect(isSame)
      expectEqual([none, traced, captured].map(\.hasFailed), [false, false, false])
    }
  }

  @Test("a capture says which services were looked for from the beginning")
  func browses() throws {
    try Places.withTemporaryFolder { folder in
      let capture = folder.appendingPathComponent("capture")
      let browses: [ServiceBrowse] = [.everything, .type("_ipp._tcp")]
      let record = try LiveRecord(
        trace: nil, capture: Output(path: capture.path), interfaces: ["eth0"], browses: browses,
        verb: "rollcall discover", began: Self.began)
      let memory = Memory()
      var cast = Self.cast
      cast.browses = browses
      var reference = CaptureStream(cast, begin: Self.began) { memory.bytes += $0 }
      record.take(sent(10))
      reference.take(sent(10))
      record.finish(at: at(20))
      reference.finish(at: at(20))
      #expect(String(decoding: memory.bytes, as: UTF8.self).contains("_ipp._tcp"))
      try expectEqual(bytes(capture), memory.bytes)
    }
  }

  @Test("where no more can be written, both files are kept as far as they were when an entry was 20 ms old")
  func kept() throws {
    try Places.withTemporaryFolder { folder in
      let (trace, capture) = (folder.appendingPathComponent("trace"), folder.appendingPathComponent("capture"))
      let clock = Clock()
      let record = try make(
        Output(path: trace.path, isGrowing: true), Output(path: capture.path, isGrowing: true), clock)
      record.begin("a head")
      let entries = [sent(100), sent(110)]
      for entry in entries { record.take(entry) }
      clock.calls[0].body(at(120))
      let whole = try (text(trace), bytes(capture))
      expectEqual(whole.0, "a head\n" + entries.map { TraceText.line($0) { _ in "here" } + "\n" }.joined())
      #expect(!whole.1.isEmpty)
      expectEqual(record.hasFailed, false)
      try OutputPartTests.exhaust(trace.path)
      try OutputPartTests.exhaust(capture.path)
      record.take(sent(125))
      clock.calls[1].body(at(145))
      expectEqual(record.hasFailed, true)
      record.finish(at: at(300))
      try expectEqual(text(trace), whole.0)
      try expectEqual(bytes(capture), whole.1)
    }
  }

  @Test("a file that cannot be written is remembered, and the other one is whole")
  func failures() throws {
    try Places.withTemporaryFolder { folder in
      let clock = Clock()
      // What has no folder any more at the end.
      let gone = folder.appendingPathComponent("gone")
      try FileManager.default.createDirectory(at: gone, withIntermediateDirectories: false)
      let late = try make(Output(path: gone.appendingPathComponent("trace").path), nil, clock)
      late.take(sent(1))
      try FileManager.default.removeItem(at: gone)
      expectEqual(late.hasFailed, false)
      late.finish(at: at(2))
      expectEqual(late.hasFailed, true)

      guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
      let capture = folder.appendingPathComponent("capture")
      let full = try make(Output(path: "/dev/full"), Output(path: capture.path), clock)
      full.begin("a head")
      expectEqual(full.hasFailed, true)
      full.take(sent(10))
      full.finish(at: at(20))
      let memory = Memory()
      var reference = CaptureStream(Self.cast, begin: Self.began) { memory.bytes += $0 }
      reference.take(sent(10))
      reference.finish(at: at(20))
      try expectEqual(bytes(capture), memory.bytes)
    }
  }
}
