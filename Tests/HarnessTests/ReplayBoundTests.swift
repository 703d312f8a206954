import RollcallCapture
import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
import RollcallRunning
import RollcallWire
import Testing

@testable import RollcallReplaying

/// Replays at the bounds of what they count, with two of everything and ties in both orders.
@Suite("Replays at their bounds")
struct ReplayBoundTests {
  private struct Replayed {
    var lines: [String] = []
    var summary = ReplaySummary()
    /// `1.100 searchEnded`, times since the first second of the capture.
    var events: [String] {
      lines.map { line in
        func value(_ key: String) -> String {
          guard let start = line.firstRange(of: "\"\(key)\":") else { return "" }
          return String(line[start.upperBound...].drop { $0 == "\"" }.prefix { $0 != "\"" && $0 != "," && $0 != "}" })
        }
        let search = value("search")
        let time = value("time").dropLast(6)
        return "\(time) \(value("event"))" + (search.isEmpty ? "" : " \(search)")
      }
    }
  }

  private func replay(
    _ capture: TinyCapture, as perspective: ReplayOptions.Perspective = .everybody, until: Interval? = nil,
    searches: SearchOverride? = nil
  ) throws -> Replayed {
    var result = Replayed()
    var options = ReplayOptions(perspective: perspective, until: until, wantsMessages: false)
    options.searches = searches
    var replay = Replay(options: options) { event in
      if case .report(let report, let time, let frame) = event {
        result.lines.append(ReportLine.json(report, time: time.description, frame: frame))
      }
    }
    var reader = try capture.reader()
    replay.run(&reader)
    result.summary = replay.summary
    return result
  }

  private static let searcher = "192.168.1.9:50000"

  private func search(_ copies: [(Double, String, String)], mx: Int = 1) -> TinyCapture {
    var capture = TinyCapture()
    for (seconds, socket, target) in copies { capture.add(seconds, socket, TinyCapture.search(target, mx: mx)) }
    return capture
  }

  @Test("a search that a file of the host's own tells of has the values of the options, and is sent once at least")
  func otherValues() {
    let search = Search(id: SearchID(7), target: "a", maximumWaitSeconds: 3, broadcasts: 3, spacing: .seconds(2))
    func replaced(_ other: SearchOverride?, _ signal: SignalValue) -> SignalValue {
      var options = ReplayOptions()
      options.searches = other
      let replay = Replay(options: options)
      return replay.withOtherValues(signal)
    }
    let table: [(other: SearchOverride?, wait: Int, copies: Int, spacing: Interval?)] = [
      (nil, 3, 3, .seconds(2)), (SearchOverride(), 3, 3, .seconds(2)),
      (SearchOverride(maximumWaitSeconds: 5), 5, 3, .seconds(2)), (SearchOverride(broadcasts: 2), 3, 2, nil),
      (SearchOverride(broadcasts: 0, spacing: .seconds(1)), 3, 1, .seconds(1)),
    ]
    for row in table {
      let wanted = Search(
        id: SearchID(7), target: "a", maximumWaitSeconds: row.wait, broadcasts: row.copies, spacing: row.spacing)
      expectEqual(replaced(row.other, .command(.search(search))), .command(.search(wanted)), "\(row)")
    }
    let stop = SignalValue.command(.stopSearch(SearchID(7)))
    expectEqual(replaced(SearchOverride(maximumWaitSeconds: 5), stop), stop)
  }

  @Test("a copy that comes while its search is open is of that search; at the instant of its end it is another")
  func copies() throws {
    func events(_ seconds: Double) throws -> [String] {
      try replay(
        search([(0, Self.searcher, "ssdp:all"), (seconds, Self.searcher, "ssdp:all")]), until: .seconds(9)
      ).events
    }
    try expectEqual(events(1.099), ["1002.199 searchEnded 1"])
    try expectEqual(events(1.1), ["1001.100 searchEnded 1", "1002.200 searchEnded 2"])
    try expectEqual(events(0), ["1001.100 searchEnded 1"])
  }

  @Test("another target, another port or another address is another search; case makes another target, too")
  func others() throws {
    for (socket, target, isOther) in [
      (Self.searcher, "ssdp:all", false), (Self.searcher, "upnp:rootdevice", true),
      ("192.168.1.9:50001", "ssdp:all", true),
      ("192.168.1.8:50000", "ssdp:all", true), (Self.searcher, "ssdp:ALL", true),
    ] {
      let events = try replay(search([(0, Self.searcher, "ssdp:all"), (0.5, socket, target)]), until: .seconds(9))
        .events
      expectEqual(events.count, (isOther ? 2 : 1), "\(socket) \(target): \(events)")
    }
    // A host with two addresses searches once, from each of them.
    let capture = search([(0, Self.searcher, "ssdp:all"), (0, "192.168.1.8:50000", "ssdp:all")])
    try expectEqual(replay(capture, as: .host("192.168.1.9,192.168.1.8"), until: .seconds(9)).events.count, 1)
    try expectEqual(replay(capture, as: .host("192.168.1.9"), until: .seconds(9)).events.count, 1)
    try expectEqual(replay(capture, as: .host("192.168.1.7"), until: .seconds(9)).events, [])
  }

  @Test("a search listens for MX and a tenth of a second, and for two minutes at most")
  func waits() throws {
    for (mx, end) in [(1, "1001.100"), (2, "1002.100"), (119, "1119.100"), (120, "1120.100"), (121, "1120.100")] {
      let events = try replay(search([(0, Self.searcher, "ssdp:all")], mx: mx), until: .seconds(300)).events
      expectEqual(events, ["\(end) searchEnded 1"], "MX \(mx)")
    }
  }

  @Test("an answer belongs to the search of its own socket, at the first and the last port and with many sockets open")
  func sockets() throws {
    let ports = [1, 63, 64, 65, 127, 128, 49_152, 65_534, 65_535] + Array(20_000..<20_200)
    var capture = TinyCapture()
    for port in ports { capture.add(0, "192.168.1.9:\(port)", TinyCapture.search("upnp:rootdevice")) }
    for port in ports.reversed() {
      capture.add(0.5, "192.168.1.20:40000", "192.168.1.9:\(port)", TinyCapture.answer("lamp"))
    }
    // To a port that nobody searched from.
    capture.add(0.6, "192.168.1.20:40000", "192.168.1.9:66", TinyCapture.answer("other"))
    capture.add(0.6, "192.168.1.20:40000", "192.168.1.8:63", TinyCapture.answer("other"))
    let result = try replay(capture)
    let services = result.events.filter { $0.contains(" service ") }
    expectEqual(services, ports.indices.reversed().map { "1000.500 service \($0 + 1)" })
    #expect(!result.lines.contains { $0.contains("uuid:other") })
  }

  @Test("the last instant counts: a lease that ends there has ended, a millisecond before it stands")
  func until() throws {
    var capture = TinyCapture()
    capture.add(0, "192.168.1.20", TinyCapture.alive("lamp", maxAge: 20))
    try expectEqual(replay(capture, until: .seconds(20)).events, ["1000.000 found", "1020.000 lost"])
    try expectEqual(replay(capture, until: .milliseconds(19_999)).events, ["1000.000 found"])
    try expectEqual(replay(capture).events, ["1000.000 found"])
  }

  @Test("where times go back the clock stands still, every frame of it is counted, and the first is named")
  func timeGoesBack() throws {
    var capture = TinyCapture()
    capture.add(10, "192.168.1.20", TinyCapture.alive("lamp"))
    capture.add(4, "192.168.1.21", TinyCapture.alive("tv", location: "http://192.168.1.21/"))
    capture.add(10, "192.168.1.22", TinyCapture.alive("hall", location: "http://192.168.1.22/"))
    capture.add(9.999, "192.168.1.23", TinyCapture.alive("door", location: "http://192.168.1.23/"))
    let result = try replay(capture)
    expectEqual(result.events, Array(repeating: "1010.000 found", count: 4))
    expectEqual(result.summary.problems.map(\.what), ["time goes back"])
    #expect(result.summary.problems.map(\.frame) == [2] && result.summary.problems.map(\.count) == [2])
  }

  @Test("interfaces have numbers below 1024 in each file, and numbers of their own among all files")
  func interfaces() {
    for (number, file, merged) in [
      (0, 0, 0), (1_023, 0, 1_023), (1_024, 0, 0), (1_500, 0, 476), (0, 1, 1_024), (1_023, 1, 2_047), (3, 31, 31_747),
    ] { expectEqual(CaptureSource.interface(number, file: file), merged, "\(number) of \(file)") }
  }

  @Test("of equal times the first file goes first, in both orders")
  func ties() throws {
    var (lamp, television) = (TinyCapture(), TinyCapture())
    lamp.add(1, "192.168.1.20", TinyCapture.alive("lamp"))
    television.add(1, "192.168.1.21", TinyCapture.alive("tv", location: "http://192.168.1.21/"))
    func events(_ files: [TinyCapture]) throws -> [String] {
      var lines: [String] = []
      var replay = Replay(options: ReplayOptions(wantsMessages: false)) { event in
        if case .report(.found(let sighting), _, let frame) = event {
          let number = frame ?? 0
          lines.append("\(FrameNames.file(of: number)):\(FrameNames.frame(of: number)) \(sighting.device)")
        }
      }
      replay.run(merging: try files.map { CaptureSource(path: "x", reader: try $0.reader()) })
      return lines
    }
    try expectEqual(events([lamp, television]), ["0:1 uuid:lamp", "1:1 uuid:tv"])
    try expectEqual(events([television, lamp]), ["0:1 uuid:tv", "1:1 uuid:lamp"])
  }

  @Test("seen as a host, it hears groups and itself, and neither what others are told nor what it says")
  func ears() throws {
    var capture = TinyCapture()
    capture.add(0, "192.168.1.9:50000", TinyCapture.search("upnp:rootdevice"))
    capture.add(0, "192.168.1.8:50000", TinyCapture.search("upnp:rootdevice"))
    capture.add(0.1, "192.168.1.20", "192.168.1.9:50000", TinyCapture.answer("one"))
    capture.add(0.2, "192.168.1.21", "192.168.1.8:50000", TinyCapture.answer("two", location: "http://192.168.1.21/"))
    capture.add(
      0.3, "192.168.1.22", "255.255.255.255:1900", TinyCapture.alive("three", location: "http://192.168.1.22/"))
    capture.add(0.4, "192.168.1.9", TinyCapture.alive("four", location: "http://192.168.1.9/"))
    func found(_ host: String) throws -> [String] {
      try replay(capture, as: .host(host)).lines.filter { $0.contains("\"event\":\"found\"") }.map { line in
        ["one", "two", "three", "four"].first { line.contains("uuid:\($0)") } ?? ""
      }
    }
    try expectEqual(found("192.168.1.9"), ["one", "three"])
    try expectEqual(found("192.168.1.8"), ["two", "three", "four"])
    try expectEqual(found("192.168.1.7"), ["three", "four"])
  }

  @Test("an answer, too, says at which port its device is searched, and what goes there is discovery")
  func searchPort() throws {
    var capture = TinyCapture()
    capture.add(0, Self.searcher, TinyCapture.search("ssdp:all"))
    let answer = TinyCapture.answer("lamp").replacing("EXT: \n", with: "EXT: \nSEARCHPORT.UPNP.ORG: 49999\n")
    capture.add(0.1, "192.168.1.20", Self.searcher, answer)
    for address in ["192.168.1.20", "192.168.1.21"] {
      capture.add(0.2, Self.searcher, address + ":49999", TinyCapture.search("ssdp:all"))
    }
    // At the port of a searcher only an answer is, and at that of a device only a search.
    capture.add(0.3, "192.168.1.20:40000", Self.searcher, TinyCapture.alive("lamp"))
    capture.add(0.3, "192.168.1.21:40000", "192.168.1.20:49999", TinyCapture.alive("lamp"))
    try expectEqual(
      replay(capture).summary.messages.map { "\($0.name) \($0.count)" }, ["search 2", "response 1"])
  }

  @Test("frames that a filter drops are as if they were not there, and a link that it cannot filter ends the replay")
  func filters() throws {
    var writer = CaptureWriter(section: CaptureSection())
    let ethernet = writer.interface(name: "eth0")
    let air = writer.interface(name: "ble0", linkType: LinkType.bluetoothLE)
    func lamp(_ number: Int) -> TinyCapture {
      var one = TinyCapture()
      let address = "192.168.1.2\(number)"
      one.add(0, address, TinyCapture.alive("lamp\(number)", location: "http://\(address)/"))
      return one
    }
    for number in 1...4 {
      if number == 4 { writer.frame(interface: air, time: .zero + .seconds(4), [1, 2, 3, 4, 5]) }
      let frame = lamp(number).pieces(mtuBytes: 1_500)[0]
      writer.frame(interface: ethernet, time: .zero + .seconds(Int64(number)), frame)
    }
    writer.finish()
    let bytes = writer.bytes
    /// - Parameter isMerged: whether another file has a lamp much later.
    func outcome(_ expression: String?, isMerged: Bool) throws -> (found: [String], failure: String?) {
      var found: [String] = []
      let filter = try expression.map { try CaptureFilter($0) }
      var replay = Replay(options: ReplayOptions(wantsMessages: false, filter: filter)) { event in
        if case .report(.found(let sighting), _, _) = event { found.append(sighting.device) }
      }
      var reader = try TinyCapture.reader(bytes)
      if isMerged {
        replay.run(merging: [
          CaptureSource(path: "a", reader: try TinyCapture.reader(bytes)),
          CaptureSource(path: "b", reader: try lamp(5).reader()),
        ])
      } else {
        replay.run(&reader)
      }
      return (found, replay.summary.filterFailure?.description)
    }
    let (all, expression) = ((1...4).map { "uuid:lamp\($0)" }, "udp and not src host 192.168.1.21")
    for isMerged in [false, true] {
      let open = try outcome(nil, isMerged: isMerged)
      expectEqual(open.found, all + (isMerged ? ["uuid:lamp5"] : []))
      expectEqual(open.failure, nil)
      let filtered = try outcome(expression, isMerged: isMerged)
      expectEqual(filtered.found, ["uuid:lamp2", "uuid:lamp3"], "\(isMerged)")
      let why = "libpcap cannot filter link type 251 (Bluetooth LE) by '\(expression)': "
      #expect(filtered.failure?.hasPrefix(why) == true, "\(filtered.failure ?? "")")
    }
  }

  @Test("other values for searches: copies a spacing apart, MX apart at most, and the search ends behind the last")
  func overrides() throws {
    let capture = search([(0, Self.searcher, "ssdp:all")], mx: 2)
    for (copies, spacing, end) in [
      (1, nil, "1002.100"), (2, nil, "1004.100"), (3, nil, "1006.100"), (3, .milliseconds(500), "1003.100"),
      (2, .seconds(60), "1004.100"),
    ] as [(Int, Interval?, String)] {
      let searches = SearchOverride(broadcasts: copies, spacing: spacing)
      try expectEqual(
        replay(capture, until: .seconds(60), searches: searches).events, ["\(end) searchEnded 1"], "\(copies)")
    }
    let longer = SearchOverride(maximumWaitSeconds: 5)
    try expectEqual(replay(capture, until: .seconds(60), searches: longer).events, ["1005.100 searchEnded 1"])
    // A copy that the longer MX reaches is of the same search.
    let twice = search([(0, Self.searcher, "ssdp:all"), (3, Self.searcher, "ssdp:all")])
    try expectEqual(replay(twice, until: .seconds(60), searches: longer).events, ["1008.100 searchEnded 1"])
    let copied = search([(0, Self.searcher, "ssdp:all")], mx: 1)
    try expectEqual(
      replay(copied, until: .seconds(60), searches: SearchOverride(broadcasts: 2)).events, ["1002.100 searchEnded 1"])
  }

  @Test("reviewed reports are compared line by line: the first that differs, one too many and one too few")
  func expected() {
    func difference(_ reviewed: String, _ found: [String]) -> String? {
      ExpectedReports.difference(reviewed: reviewed, found: found).map {
        "\($0.line) \($0.expected ?? "-") \($0.found ?? "-")"
      }
    }
    expectEqual(difference("# a\n\none\n# b\ntwo\n", ["one", "two"]), nil)
    #expect(difference("", []) == nil && difference("# only\n", []) == nil)
    expectEqual(difference("# a\none\ntwo\n", ["one", "2"]), "3 two 2")
    expectEqual(difference("one\ntwo\n", ["two", "one"]), "1 one two")
    expectEqual(difference("one\ntwo", ["one"]), "2 two -")
    expectEqual(difference("one", ["one", "two"]), "2 - two")
    expectEqual(difference("", ["one"])?.hasSuffix(" - one"), true)
  }
}
