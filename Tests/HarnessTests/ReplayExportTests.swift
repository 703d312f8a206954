import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import RollcallReplaying
import RollcallRunning
import Testing
import RollcallTrace

/// What a capture that Rollcall writes of one machine shows and says, entry by entry.
@Suite("Captures of one machine")
struct ReplayExportTests {
  private static let cast = CaptureExport.Cast(
    host: "phone", origin: ["made by a test"],
    interfaces: [(name: "if0", details: "east", mtuBytes: 600), (name: "if1", details: nil, mtuBytes: 1_500)],
    names: [
      CaptureName(address: IPAddress(192, 168, 1, 9), name: "phone"),
      CaptureName(address: IPAddress(192, 168, 1, 20), name: "tv"),
    ], end: .zero + .seconds(9))

  private func entry(_ seconds: Int64, _ content: TraceEntry.Content) -> TraceEntry {
    TraceEntry(time: .zero + .seconds(seconds), station: 0, content: content)
  }

  private func datagram(
    _ source: String, _ destination: String = TinyCapture.group, interface: UInt16 = 0, count: Int = 1
  ) throws -> RecordedDatagram {
    RecordedDatagram(
      source: try #require(Endpoint(source)), destination: try #require(Endpoint(destination)),
      interface: InterfaceID(interface), hopLimit: 2, bytes: [UInt8](repeating: 7, count: count))
  }

  private func search(_ id: UInt32, _ target: String = "x") -> TraceEntry.Content {
    .signal(.command(.search(Search(id: SearchID(id), target: target, maximumWaitSeconds: 2, broadcasts: 2))))
  }

  private func refusal(
    _ deed: Refusal.Deed = .send, interface: UInt16 = 0, to address: IPAddress = .ssdpGroup4, port: UInt16 = 49_152
  ) -> TraceEntry.Content {
    .signal(.refused(Refusal(deed: deed, interface: InterfaceID(interface), address: address, port: port)))
  }

  /// `1 if0 outbound [sent by phone]`: seconds, interface, direction and comments of each frame.
  private func frames(_ entries: [TraceEntry]) throws -> [String] {
    var reader = try TinyCapture.reader(CaptureExport.write(entries, membership: [], cast: Self.cast))
    var frame = CaptureFrame()
    var lines: [String] = []
    while reader.next(&frame) {
      let way = frame.direction.map { "\($0)" } ?? "-"
      lines.append("\(frame.seconds) if\(frame.interface) \(way) \(frame.comments)")
    }
    return lines
  }

  /// The comments of the section that tell of signals.
  private func signals(_ entries: [TraceEntry]) throws -> [String] {
    // A file needs a frame.
    let all = entries + [entry(8, .received(try datagram("192.168.1.20:1900")))]
    let reader = try TinyCapture.reader(CaptureExport.write(all, membership: [], cast: Self.cast))
    let comments = reader.sections[0].comments
    let head = ["made by a test", "rollcall host: phone", "rollcall end: 9.000000000"]
    expectEqual(Array(comments.prefix(3)), head)
    return comments.dropFirst(3).map { String($0.dropFirst("rollcall signal: ".count)) }
  }

  @Test("each datagram is a frame of its interface that says which way it went, who sent it and for which search")
  func shown() throws {
    let (first, second) = (try datagram("192.168.1.9:49152"), try datagram("192.168.1.9:49153", interface: 1))
    try expectEqual(
      frames([
        entry(1, search(5)), entry(1, .sent(first)), entry(2, search(6)), entry(2, .sent(second)),
        entry(3, .sent(first)), entry(4, .received(try datagram("192.168.1.20:1900", "192.168.1.9:49152"))),
        entry(5, .received(try datagram("192.168.1.77:1900", interface: 1))), entry(6, .woken),
      ]),
      [
        #"1 if0 outbound ["sent by phone", "rollcall search: 5 wait 2s"]"#,
        #"2 if1 outbound ["sent by phone", "rollcall search: 6 wait 2s"]"#,
        #"3 if0 outbound ["sent by phone", "rollcall search: 5 wait 2s"]"#, #"4 if0 inbound ["from tv"]"#,
        #"5 if1 inbound ["from 192.168.1.77"]"#,
      ])
    // What does not fit the interface goes in fragments, and each says the same.
    let large = [
      entry(1, .sent(try datagram("192.168.1.9:1900", count: 1_000))),
      entry(2, .sent(try datagram("192.168.1.9:1900", interface: 1, count: 1_000))),
    ]
    try expectEqual(
      frames(large),
      [
        #"1 if0 outbound ["sent by phone"]"#, #"1 if0 outbound ["sent by phone"]"#,
        #"2 if1 outbound ["sent by phone"]"#,
      ])
  }

  @Test("a refusal takes away the latest copy that it can be about, the next one the one before that, and no other")
  func refused() throws {
    let sent = [
      entry(1, search(5)), entry(1, .sent(try datagram("192.168.1.9:49152"))),
      entry(2, .sent(try datagram("192.168.1.10:49152", interface: 1))),
      entry(3, .sent(try datagram("192.168.1.9:49152"))),
      entry(4, .sent(try datagram("192.168.1.9:49152", "192.168.1.20:1900"))),
      entry(5, .sent(try datagram("192.168.1.9:49153"))),
    ]
    func left(_ refusals: [TraceEntry.Content]) throws -> [String] {
      try frames(sent + refusals.map { entry(6, $0) } + [entry(7, .sent(try datagram("192.168.1.9:49152")))])
        .map { String($0.prefix(1)) }
    }
    let all = ["1", "2", "3", "4", "5", "7"]
    try expectEqual(left([]), all)
    try expectEqual(left([refusal()]), ["1", "2", "4", "5", "7"])
    try expectEqual(left([refusal(), refusal()]), ["2", "4", "5", "7"])
    try expectEqual(left([refusal(), refusal(), refusal()]), ["2", "4", "5", "7"])
    try expectEqual(left([refusal(interface: 1)]), ["1", "3", "4", "5", "7"])
    try expectEqual(left([refusal(to: IPAddress(192, 168, 1, 20))]), ["1", "2", "3", "5", "7"])
    try expectEqual(left([refusal(port: 49_153)]), ["1", "2", "3", "4", "7"])
    #expect(try left([refusal(.join)]) == all && left([refusal(port: 49_154)]) == all)
  }

  @Test("searches stand among the signals only where one of them, or a copy, never reached the wire")
  func commands() throws {
    let (copy, wake) = (entry(1, .sent(try datagram("192.168.1.9:49152"))), entry(1, .woken))
    let (down, told) = (
      entry(2, .signal(.interface(InterfaceChange(interface: InterfaceID(1), isUp: false, addresses: [])))),
      "2.000000000 interface 1 down"
    )
    let searched = "1.000000000 command search 5 x mx 2 x2"
    try expectEqual(signals([entry(1, search(5)), copy, down]), [told])
    try expectEqual(signals([entry(1, search(5)), wake, copy, down]), [searched, told])
    try expectEqual(signals([entry(1, search(5)), down]), [searched, told])
    try expectEqual(
      signals([entry(1, search(5)), copy, entry(3, refusal(port: 1))]),
      [searched, "3.000000000 refused send if0 239.255.255.250 port 1"])
    try expectEqual(
      signals([entry(1, search(5)), copy, entry(3, refusal(.join, port: 0))]),
      ["3.000000000 refused join if0 239.255.255.250 port 0"])
    // One that never left brings the others with it, and what an inhabitant is to do is no signal of an engine.
    try expectEqual(
      signals([entry(1, search(5)), copy, entry(2, .signal(.command(.act(.appear)))), entry(2, search(6)), down]),
      [searched, "2.000000000 command search 6 x mx 2 x2", told])
  }

  @Test("every signal is given again as it was, with its time, whatever its names hold")
  func again() throws {
    let socket = try #require(Endpoint("192.168.1.9:50000"))
    let host = try #require(Endpoint("[fe80::1]:1900"))
    let (address, six) = (IPAddress(192, 168, 1, 9), try #require(IPAddress("fe80::9")))
    let names = ["ssdp:all", "a b", " ", "%", "%20", "!~", "\u{7F}\u{1}\n", "é…", String(repeating: "x", count: 600)]
    var signals: [SignalValue] = [
      .interface(
        InterfaceChange(
          interface: InterfaceID(0), isUp: true,
          addresses: [InterfaceAddress(address, prefixBits: 24), InterfaceAddress(six, prefixBits: 64)])),
      .interface(InterfaceChange(interface: InterfaceID(1_023), isUp: false, addresses: [])),
      .refused(Refusal(deed: .join, interface: InterfaceID(0), address: .ssdpGroup6, port: 0)),
      .command(
        .search(
          Search(
            id: SearchID(.max), target: "x", maximumWaitSeconds: 5, broadcasts: 10, spacing: .milliseconds(500),
            host: host, interface: InterfaceID(3)))), .command(.stopSearch(SearchID(7))),
    ]
    for (number, name) in names.enumerated() {
      let id = SearchID(UInt32(number) + 10)
      signals.append(.command(.search(Search(id: id, target: name, maximumWaitSeconds: 0, broadcasts: 1))))
      let search = Search(id: SearchID(id.number + 100), target: name, maximumWaitSeconds: 120, broadcasts: 1)
      signals.append(.command(.adopt(search, copyAt: socket)))
      signals += [.command(.hold(device: "uuid:" + name)), .command(.release(device: "uuid:" + name))]
    }
    signals.append(.command(.stop))
    // A time of its own for each, to the nanosecond.
    let times = signals.indices.map { Instant(nanoseconds: 1_000_000_000 + Int64($0) * 10_000_001) }
    let entries = zip(signals, times).map { TraceEntry(time: $1, station: 0, content: .signal($0)) }
    let all = entries + [entry(8, .received(try datagram("192.168.1.20:1900")))]
    let recorder = Recorder()
    var replay = Replay(
      options: ReplayOptions(perspective: .host("phone"), wantsMessages: false), recorder: recorder)
    var reader = try TinyCapture.reader(CaptureExport.write(all, membership: [], cast: Self.cast))
    replay.run(&reader)
    let given = recorder.entries.filter { if case .signal = $0.content { true } else { false } }
    expectEqual(given.map(\.time), times)
    for (given, entry) in zip(given, entries) { expectEqual(given.content, entry.content) }
  }
}
