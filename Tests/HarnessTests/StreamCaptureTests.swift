import Foundation
import RollcallCaptureSupport
import RollcallExpectations
import RollcallPrimitives
import RollcallTrace
import RollcallScenarios
import RollcallWire
import Testing

@testable import RollcallRunning

@Suite("Streams of a run in its capture")
struct StreamCaptureTests {
  /// The engine of a scenario, and what its capture shows.
  private func run(_ file: String, in folder: String = "descriptions", seed: UInt64 = 1) throws -> (
    result: RunResult, capture: [UInt8]
  ) {
    let path = Places.root.appendingPathComponent("Scenarios/\(folder)/\(file)").path
    let scenario = try ScenarioFile.read(path).scenario
    let resolved = try #require(try scenario.points(file: file).first).scenario.resolved()
    let options = RunOptions(recordedHosts: [0], watchedHost: 0)
    let result = Run.perform(resolved, seed: Seed(seed), options: options)
    return (result, CaptureExport.write(result, of: resolved, host: 0, scenario: file, seed: seed))
  }

  private func tshark(_ capture: [UInt8], _ arguments: [String]) throws -> [String]? {
    let checks = ["-n", "-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]
    return try Tshark.ask(capture, checks + arguments, for: "streams of a run")?.lines
  }

  /// The documents that the engine was given, in order.
  private func documents(_ result: RunResult) -> [[UInt8]] {
    result.evidence.reports.compactMap { entry in
      guard case .description(let fetch) = entry.report, case .fetched(let document) = fetch.outcome else { return nil }
      return document.body
    }
  }

  @Test(
    "tshark reassembles every stream, has nothing to say against any, and reads the documents that the engine read",
    arguments: [
      "description-fetched.yaml", "description-in-odd-forms.yaml", "description-behind-a-redirect.yaml",
      "description-changes-with-config-id.yaml", "description-slow-but-in-time.yaml",
    ])
  func reassembled(file: String) throws {
    let (result, capture) = try run(file)
    let notes = [
      "-Y", "tcp and (_ws.expert.severity >= 0x00400000 or _ws.malformed)", "-T", "fields", "-e", "_ws.expert.message",
    ]
    guard let found = try tshark(capture, notes) else { return }
    // That a connection ends is a note, too, and a fetch that is given up resets its stream.
    let plain = ["connection closing", "Connection reset (RST)"]
    expectEqual(found.filter { line in !plain.contains { line.contains($0) } }, [])
    // The bytes of each side, as tshark puts them together; a chunked document comes in pieces.
    let streams = try tshark(
      capture, ["-Y", "tcp.flags.syn == 1 and tcp.flags.ack == 0", "-T", "fields", "-e", "tcp.stream"])
    var read: [String] = []
    for stream in streams ?? [] {
      read.append(try tshark(capture, ["-q", "-z", "follow,tcp,raw,\(stream)"])?.joined() ?? "")
    }
    let documents = documents(result).map { body in body.map { String(format: "%02x", $0) }.joined() }
    #expect(!documents.isEmpty && read.count >= documents.count)
    #expect(documents.allSatisfy { document in read.contains { $0.contains(document) } || file.contains("odd-forms") })
  }

  @Test("a stream of a capture says what the machines said, in both directions, over both families")
  func textOfStream() throws {
    var frames = StreamFrames()
    for (one, other) in [
      (IPAddress(10, 0, 0, 1), IPAddress(10, 0, 0, 2)),
      (IPAddress(v6High: 0xFE80 << 48, low: 1), IPAddress(v6High: 0xFE80 << 48, low: 2)),
    ] {
      let (local, remote) = (Endpoint(one, port: 50_000), Endpoint(other, port: 80))
      let id = StreamID(1)
      let long = [UInt8](repeating: 7, count: 3_000)
      let entries: [(Int64, TraceEntry.Content)] = [
        (0, .effect(.streams(.connect(id, to: remote, InterfaceID(0))))),
        (2, .signal(.streams(.opened(id, local: local)))), (2, .signal(.streams(.room(id, byteCount: 65_536)))),
        (2, .effect(.streams(.write(id, long)))), (4, .signal(.streams(.room(id, byteCount: 3_000)))),
        (5, .signal(.streams(.bytes(id, [1, 2])))), (6, .signal(.streams(.ended(id, .finished)))),
        (7, .effect(.streams(.finish(id)))),
      ]
      var lines: [String] = []
      var first: (own: UInt32, foreign: UInt32)?
      for (time, content) in entries {
        for (at, shown) in frames.take(
          TraceEntry(time: Instant.zero + .seconds(time), station: 0, content: content))
        {
          let segment = shown.segment
          if first == nil { first = (segment.sequence, ~segment.sequence) }
          let (base, acknowledged) = shown.isOwn ? (first!.own, first!.foreign) : (first!.foreign, first!.own)
          let flags = [(TCPFlags.syn, "S"), (.psh, "P"), (.fin, "F"), (.ack, "A")].filter {
            segment.flags.contains($0.0)
          }
          lines.append(
            "\(at.nanoseconds / 1_000_000_000) \(shown.isOwn ? ">" : "<") \(flags.map(\.1).joined()) "
              + "\(segment.sequence &- base)+\(segment.payload.count)"
              + (segment.flags.contains(.ack) ? " \(segment.acknowledgment &- acknowledged)" : ""))
        }
      }
      let size = one.family == .v4 ? 1_460 : 1_440
      expectEqual(
        lines,
        [
          "0 > S 0+0", "2 < SA 0+0 1", "2 > A 1+0 1", "2 > A 1+\(size) 1", "2 > A \(1 + size)+\(size) 1",
          "2 > PA \(1 + 2 * size)+\(3_000 - 2 * size) 1", "4 < A 1+0 3001", "5 < PA 1+2 3001", "5 > A 3001+0 3",
          "6 < FA 3+0 3001", "6 > A 3001+0 4", "7 > FA 3001+0 4",
        ])
    }
  }

  @Test("tshark reads every message of a WebSocket, unmasked, as one value of JSON")
  func webSockets() throws {
    let (_, capture) = try run("web-app-joined.yaml", in: "manager")
    let fields = [
      "-T", "fields", "-E", "aggregator=|", "-e", "websocket.mask", "-e", "tcp.dstport", "-e", "websocket.payload.text",
    ]
    guard let lines = try tshark(capture, ["-Y", "websocket"] + fields) else { return }
    var texts: [String] = []
    for line in lines {
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
      // The application masks, the television does not. One segment may have several messages.
      for (mask, text) in zip(parts[0].split(separator: "|"), parts[2].split(separator: "|")) {
        let message = try #require(SSAPMessage.read(String(text)))
        #expect(["1", "True"].contains(mask) == (parts[1] == "3000"))
        texts.append("\(message.kind.rawValue) \(message.uri?.split(separator: "/").last ?? "")")
      }
    }
    expectEqual(texts.count, 30)
    expectEqual(
      texts.prefix(6),
      ["register ", "registered ", "subscribe connectToApp", "response ", "request launchWebApp", "response "])
    expectEqual(
      try tshark(
        capture, ["-Y", "_ws.malformed or _ws.expert.severity >= 0x00600000", "-T", "fields", "-e", "frame.number"]), []
    )
  }

  @Test("a stream that another one opened is shown on the interface of its listener, to its end and no farther")
  func accepted() {
    var frames = StreamFrames()
    let (local, remote) = (Endpoint(IPAddress(10, 0, 0, 1), port: 80), Endpoint(IPAddress(10, 0, 0, 2), port: 50_000))
    let (id, second, third, early) = (StreamID(1), StreamID(2), StreamID(3), StreamID(4))
    func take(_ content: TraceEntry.Content) -> [StreamFrames.Segment] {
      frames.take(TraceEntry(time: .zero, station: 0, content: content)).map(\.segment)
    }
    func accept(_ id: StreamID, by listener: UInt32) -> [StreamFrames.Segment] {
      take(.signal(.streams(.accepted(id, listener: StreamID(listener), local: local, remote: remote))))
    }
    #expect(take(.effect(.streams(.listen(StreamID(9), at: local, InterfaceID(3))))).isEmpty)
    let first = accept(id, by: 9)
    let (other, own) = (first[0].segment.sequence, first[1].segment.sequence)
    // Interface, who, flags, place and length, and what is acknowledged.
    func line(_ shown: StreamFrames.Segment) -> String {
      let segment = shown.segment
      let names: [(flag: TCPFlags, name: String)] = [(.syn, "S"), (.rst, "R"), (.psh, "P"), (.fin, "F"), (.ack, "A")]
      let flags = names.filter { segment.flags.contains($0.flag) }.map(\.name).joined()
      let (sent, heard) = shown.isOwn ? (own, other) : (other, own)
      let acknowledged = segment.flags.contains(.ack) ? " \(segment.acknowledgment &- heard)" : ""
      return "\(shown.interface.number) \(shown.isOwn ? ">" : "<") \(flags) \(segment.sequence &- sent)"
        + "+\(segment.payload.count)\(acknowledged)"
    }
    func wanted(_ effect: StreamEffect) -> [String] { take(.effect(.streams(effect))).map(line) }
    func given(_ signal: StreamSignal) -> [String] { take(.signal(.streams(signal))).map(line) }
    expectEqual(first.map(line), ["3 < S 0+0", "3 > SA 0+0 1", "3 < A 1+0 1"])
    // Numbers follow from the stream and the other side; both say in the handshake what an Ethernet carries.
    expectEqual(own, UInt32(truncatingIfNeeded: Digest.fold(2, remote.address.low ^ (50_000 << 40))))
    expectEqual(other, ~own)
    expectEqual(first.map(\.segment.segmentBytesMaximum), [1_460, 1_460, nil])
    // Nobody knows that listener; its stream has numbers of its own.
    expectEqual(accept(second, by: 8).map(\.interface.number), [0, 0, 0])
    expectEqual(given(.bytes(id, [1, 2, 3])), ["3 < PA 1+3 1", "3 > A 1+0 4"])
    expectEqual(wanted(.write(id, [1, 2, 3, 4, 5])), ["3 > PA 1+5 4"])
    // More room than was written acknowledges nothing, and neither does room once all is acknowledged.
    expectEqual(given(.room(id, byteCount: 6)), [])
    expectEqual(given(.room(id, byteCount: 5)), ["3 < A 4+0 6"])
    expectEqual(given(.room(id, byteCount: 1)) + given(.room(id, byteCount: 0)), [])
    expectEqual(wanted(.write(id, [6])), ["3 > PA 6+1 4"])
    expectEqual(given(.room(id, byteCount: 1)), ["3 < A 4+0 7"])
    expectEqual(wanted(.finish(id)), ["3 > FA 7+0 4"])
    expectEqual(wanted(.finish(id)), [])
    expectEqual(given(.ended(id, .finished)), ["3 < FA 4+0 8", "3 > A 8+0 5"])
    expectEqual(given(.ended(id, .finished)), [])
    expectEqual(wanted(.reset(id)), ["3 > RA 8+0 5"])
    expectEqual(wanted(.write(id, [1])), [])
    expectEqual(given(.ended(second, .reset)).count, 1)
    expectEqual(given(.bytes(second, [1])), [])
    // One that was lost is gone without a segment, and so is a listener that was given up.
    expectEqual(accept(third, by: 9).map(\.interface.number), [3, 3, 3])
    expectEqual(given(.ended(third, .timedOut)) + given(.bytes(third, [1])), [])
    expectEqual(wanted(.reset(StreamID(9))), [])
    expectEqual(accept(third, by: 9).map(\.interface.number), [0, 0, 0])
    // What was given up before it was opened was never on the wire.
    expectEqual(wanted(.connect(early, to: remote, InterfaceID(0))), [])
    expectEqual(wanted(.write(early, [1])) + wanted(.finish(early)) + wanted(.reset(early)), [])
    expectEqual(given(.opened(early, local: local)), [])
  }
}
