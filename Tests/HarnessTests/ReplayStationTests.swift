import RollcallCapture
import RollcallDiscovery
import RollcallExpectations
import RollcallExplaining
import RollcallPrimitives
import RollcallReplaying
import RollcallRunning
import Testing
import RollcallTrace

/// Files of several stations, or of several interfaces of one, replayed as one.
@Suite("Files of several stations")
struct ReplayStationTests {
  private static let phone = StationCapture.phone
  private static let tv = StationCapture.tv

  @Test("seen as one host, its own file says what it sent and how it searched, whichever of the files that is")
  func ownFile() throws {
    let end = ["rollcall end: 1010.000000000"]
    let (phone, tv) = (StationCapture.file(of: Self.phone, comments: end), StationCapture.file(of: Self.tv))
    func lines(_ search: Int, ghost: String?, end: Bool) -> [String] {
      ["1000.200 0:2 found uuid:lamp", "1000.200 0:2 service \(search)"]
        + (ghost.map { ["1000.700 \($0) found uuid:ghost"] } ?? []) + (end ? ["1001.100 time search-ended 7"] : [])
    }
    try expectEqual(StationCapture.reports([phone], as: "phone"), lines(7, ghost: "0:5", end: true))
    for (files, ghost) in [([phone, tv], "0:5"), ([tv, phone], "1:5")] {
      for host in ["phone", Self.phone] {
        let teller = StoryTeller(configuration: EngineConfiguration())
        try expectEqual(
          StationCapture.reports(files, as: host, teller: teller), lines(7, ghost: ghost, end: true), "\(ghost)")
        let story = teller.finished(frames: 0)
        expectEqual(story.searches.map { [Int($0.id), $0.copies, $0.services] }, [[7, 1, 1]])
        expectEqual(story.devices.map(\.device), ["uuid:lamp", "uuid:ghost"])
        expectEqual(
          story.unmade.map { "\($0.reason.name) \($0.type) \($0.source) \($0.count)" },
          ["own search 192.168.1.9 2", "own notify-alive 192.168.1.9 2", "own notify-alive 192.168.1.9 1"])
      }
    }
    // The file of another station alone shows which way frames went there: whose they are the addresses say.
    try expectEqual(StationCapture.reports([tv], as: "phone"), lines(1, ghost: nil, end: false))
    // Files that do not say whose they are: the host's is the one with a frame that goes out from its address.
    let (first, second) = (
      StationCapture.file(of: Self.phone, isNoted: false), StationCapture.file(of: Self.tv, isNoted: false)
    )
    for (files, ghost) in [([first, second], "0:5"), ([second, first], "1:5")] {
      try expectEqual(
        StationCapture.reports(files, as: Self.phone), lines(1, ghost: ghost, end: false), "\(ghost)")
    }
  }

  @Test("one file that says not whose it is says which way frames went; beside another the addresses have to agree")
  func ways() throws {
    var one = StationCapture()
    one.add(
      0, Self.phone + ":1900", TinyCapture.group, TinyCapture.alive("ghost", location: "http://192.168.1.9/"), .inbound)
    one.add(
      0.1, "192.168.1.8:1900", TinyCapture.group, TinyCapture.alive("other", location: "http://192.168.1.8/"), .outbound
    )
    var silent = StationCapture()
    silent.addNothing(0)
    try expectEqual(StationCapture.reports([one.bytes], as: Self.phone), ["1000.000 0:1 found uuid:ghost"])
    try expectEqual(
      StationCapture.reports([one.bytes, silent.bytes], as: Self.phone), ["1000.100 0:2 found uuid:other"])
  }

  @Test("the name of the host may stand in another file than its datagrams")
  func names() throws {
    var sent = StationCapture()
    sent.add(0, Self.phone + ":40000", TinyCapture.group, TinyCapture.search("ssdp:all"))
    sent.add(0.2, Self.tv + ":1900", Self.phone + ":40000", TinyCapture.answer("lamp"))
    var named = StationCapture()
    named.names = [(Self.phone, "phone")]
    named.addNothing(0.3)
    try expectEqual(StationCapture.reports([sent.bytes], as: "phone"), [])
    for (files, place) in [([sent, named], "0:2"), ([named, sent], "1:2")] {
      try expectEqual(
        StationCapture.reports(files.map(\.bytes), as: "phone"),
        ["1000.200 \(place) found uuid:lamp", "1000.200 \(place) service 1"], "\(place)")
    }
  }

  @Test("what files tell of the host beside their frames is done in order of time, with the interfaces of each file")
  func signals() throws {
    func file(_ comments: [String]) -> [UInt8] {
      var capture = StationCapture()
      capture.comments = ["rollcall host: phone"] + comments
      capture.addNothing(0)
      return capture.bytes
    }
    let files = [
      file(["rollcall signal: 1003.0 interface 0 down", "rollcall end: 1004.5"]),
      file([
        "rollcall signal: 1001.0 command search 9 a mx 3 x2 if4", "rollcall signal: 1002.0 interface 1 down",
        "rollcall signal: 1003.0 refused send if2 10.0.0.9 port 1900", "rollcall signal: 1005.0 command stop-search 9",
        "rollcall end: 1005.0",
      ]),
    ]
    func signals(_ files: [[UInt8]]) throws -> [String] {
      let recorder = Recorder()
      var replay = Replay(
        options: ReplayOptions(perspective: .host("phone"), wantsMessages: false), recorder: recorder)
      replay.run(merging: try files.map { CaptureSource(path: "x", reader: try TinyCapture.reader($0)) })
      return recorder.entries.compactMap { entry -> String? in
        guard case .signal(let signal) = entry.content else { return nil }
        return "\(entry.time.description.dropLast(6)) \(signal.value.text)"
      }
    }
    try expectEqual(
      signals(files),
      [
        "1001.000 command search 9 a mx 3 x2 if1028", "1002.000 interface 1025 down", "1003.000 interface 0 down",
        "1003.000 refused send if1026 10.0.0.9 port 1900", "1005.000 command stop-search 9",
      ])
    try expectEqual(
      signals(files.reversed()),
      [
        "1001.000 command search 9 a mx 3 x2 if4", "1002.000 interface 1 down",
        "1003.000 refused send if2 10.0.0.9 port 1900", "1003.000 interface 1024 down",
        "1005.000 command stop-search 9",
      ])
  }

  @Test("frames are merged by the latest time that their file has shown, whatever the times of single frames are")
  func order() throws {
    func file(_ frames: [(Double, String)]) -> [UInt8] {
      var capture = TinyCapture()
      for (seconds, uuid) in frames { capture.add(seconds, "192.168.1.20", TinyCapture.alive(uuid)) }
      return capture.bytes
    }
    let first = file([(0, "a"), (5, "b"), (3, "c"), (6, "d")])
    let second = file([(4, "e"), (5.5, "f")])
    func lines(_ first: Int, _ second: Int) -> [String] {
      [
        "1000.000 \(first):1 found uuid:a", "1004.000 \(second):1 found uuid:e", "1005.000 \(first):2 found uuid:b",
        "1005.000 \(first):3 found uuid:c", "1005.500 \(second):2 found uuid:f", "1006.000 \(first):4 found uuid:d",
      ]
    }
    try expectEqual(StationCapture.reports([first, second], as: nil), lines(0, 1))
    try expectEqual(StationCapture.reports([second, first], as: nil), lines(1, 0))
  }

  // MARK: What several files hold

  /// How many datagrams are in more than one of the files, and how far apart they are.
  private func overlap(_ files: [TinyCapture]) throws -> [Int64] {
    let teller = StoryTeller(configuration: EngineConfiguration())
    let made = files.map { file in
      var file = file
      file.add(9, "10.0.0.1:5000", "10.0.0.2:53", "no discovery")
      return file.bytes
    }
    _ = try StationCapture.reports(made, as: nil, teller: teller)
    let overlap = try #require(teller.finished(frames: 0).overlap)
    expectEqual(overlap.files, files.count)
    return [Int64(overlap.count)] + [overlap.apartLeast, overlap.apartMost].map { $0.nanoseconds / 1_000_000 }
  }

  private func alives(_ copies: [(Double, UInt32)], _ source: String = "192.168.1.20") -> TinyCapture {
    var capture = TinyCapture()
    for (seconds, number) in copies {
      capture.lines.append(
        TinyCapture.Line(
          seconds: seconds, source: source + ":1900", destination: TinyCapture.group, text: TinyCapture.alive("lamp"),
          identification: number))
    }
    return capture
  }

  @Test("a datagram of several files is known by its packet's number, else by the time, and counted once")
  func overlaps() throws {
    let cases: [(files: [[(Double, UInt32)]], overlap: [Int64])] = [
      ([[(0, 1)], [(0, 1)]], [1, 0, 0]), ([[(0, 1)], [(1.999, 1)]], [1, 1_999, 1_999]),
      ([[(0, 1)], [(2, 1)]], [0, 0, 0]), ([[(0, 1)], [(0.049, 2)]], [1, 49, 49]),
      ([[(0, 1)], [(0.05, 2)]], [0, 0, 0]), ([[(0, 0)], [(0.05, 2)]], [0, 0, 0]),
      ([[(0, 2)], [(0.05, 0)]], [0, 0, 0]),
      // Two in one file are two; of several in another it is the one with its number, else the nearest.
      ([[(0, 1), (0.01, 1)], []], [0, 0, 0]), ([[(0, 1), (0.04, 2)], [(0.045, 1)]], [1, 45, 45]),
      ([[(0, 1), (0.04, 2)], [(0.045, 3)]], [1, 5, 5]),
      ([[(0, 1), (0.04, 1)], [(0.045, 1), (0.05, 1)]], [2, 5, 50]),
      // Three files.
      ([[(0, 1)], [(0.01, 1)], [(0.03, 1)]], [1, 10, 30]),
      ([[(0, 1)], [(0.01, 1)], [(0.02, 1), (0.03, 1)]], [1, 10, 20]),
      // Of two that are as near it is the first, so that one counts no more, and the other one does.
      ([[(0, 1), (0, 2)], [(0.01, 3)], [(0.02, 1)]], [1, 10, 20]),
      ([[(0, 1), (0, 2)], [(0.01, 3)], [(0.02, 2)]], [2, 10, 20]),
    ]
    for (files, expected) in cases { try expectEqual(overlap(files.map { alives($0) }), expected, "\(files)") }
    try expectEqual(overlap([alives([(0, 1)]), alives([(0, 1)], "192.168.1.21")]), [0, 0, 0])
    // Of 64 that are alike each is known again, of 65 the first is not.
    try expectEqual(overlap([alives((UInt32(1)...64).map { (0, $0) }), alives([(1, 1)])]), [1, 1_000, 1_000])
    try expectEqual(overlap([alives((UInt32(1)...65).map { (0, $0) }), alives([(1, 1)])]), [0, 0, 0])
    // Another destination, or another text.
    for (destination, text) in [("239.255.255.251:1900", TinyCapture.alive("lamp")), (TinyCapture.group, "-")] {
      var other = alives([(0, 1)])
      (other.lines[0].destination, other.lines[0].text) = (destination, text)
      try expectEqual(overlap([alives([(0, 1)]), other]), [0, 0, 0], "\(destination)")
    }
    // As many files as there may be: the last of them has a place of its own, too.
    let many = Array(repeating: TinyCapture(), count: CaptureSource.filesMaximum - 1) + [alives([(0, 1), (0.01, 1)])]
    expectEqual(many.count, UInt32.bitWidth)
    try expectEqual(overlap(many), [0, 0, 0])
    // Whatever port it came from, an answer to a search is discovery.
    var searched = TinyCapture()
    searched.add(0, "192.168.1.9:40000", TinyCapture.search("ssdp:all"))
    searched.add(0.1, "192.168.1.20:50000", "192.168.1.9:40000", TinyCapture.answer("lamp"))
    searched.add(0.2, "192.168.1.20:50000", "192.168.1.9:40001", TinyCapture.answer("lamp"))
    try expectEqual(overlap([searched, searched]), [2, 0, 0])
  }
}
