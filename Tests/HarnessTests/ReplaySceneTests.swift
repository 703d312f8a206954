import RollcallCapture
import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallRunning
import RollcallTrace
import RollcallWire
import Testing

/// What a file of the host's own says in its section, beside its frames and between them.
@Suite("What a file says of its host")
struct ReplaySceneTests {
  private static let phone = IPAddress(192, 168, 1, 9)
  private static let up = "interface 0 up 192.168.1.9/24"

  /// A capture whose comments between frames are written, too.
  private struct Scene {
    var writer: CaptureWriter

    init(_ comments: [String]) {
      var section = CaptureSection()
      section.comments = comments
      writer = CaptureWriter(section: section)
      _ = writer.interface(name: "if0")
      writer.names([CaptureName(address: ReplaySceneTests.phone, name: "phone")])
    }

    static func time(_ seconds: Double) -> Instant {
      .zero + .seconds(1_000) + .milliseconds(Int64((seconds * 1_000).rounded()))
    }

    mutating func add(_ seconds: Double, _ text: String, from source: Endpoint, comments: [String] = []) {
      let link = LinkAddresses(source: MACAddress(2, 0, 0, 0, 0, 1), group: .ssdpGroup4)!
      let direction: CaptureFrame.Direction = source.address == ReplaySceneTests.phone ? .outbound : .inbound
      for frame in FrameWriter.udp(
        link, from: source, to: Endpoint(.ssdpGroup4, port: 1_900), hopLimit: 2, payload: TinyCapture.octets(text))
      {
        writer.frame(
          interface: 0, time: Scene.time(seconds), frame, direction: direction, comments: comments)
      }
    }

    /// A frame of another host that is no message.
    mutating func addNothing(_ seconds: Double, comments: [String] = []) {
      add(seconds, "-", from: Endpoint(IPAddress(192, 168, 1, 20), port: 1_900), comments: comments)
    }

    mutating func remark(_ comments: [String]) { writer.remarks(comments, time: Scene.time(0)) }

    var bytes: [UInt8] {
      var writer = self.writer
      writer.finish()
      return writer.bytes
    }
  }

  private struct Outcome {
    /// `1.000 interface 1 down`: what the engine was given beside datagrams.
    var signals: [String] = []
    /// `6.100 search-ended 7`
    var reports: [String] = []
    /// `5.000 239.255.255.250:1900`: where the engine sent something.
    var sent: [String] = []
    /// The same for groups of SSDP that it joined.
    var joined: [String] = []
    var stations: Set<UInt32> = []
  }

  private func replay(
    _ files: [[UInt8]], searches: SearchOverride? = nil, isManaged: Bool = false
  ) throws -> Outcome {
    var outcome = Outcome()
    let recorder = Recorder()
    var options = ReplayOptions(perspective: .host("phone"), wantsMessages: false)
    options.searches = searches
    if isManaged { options.engine.manager = ManagerConfiguration() }
    var reports: [String] = []
    var replay = Replay(options: options, recorder: recorder) { event in
      guard case .report(let report, let time, _) = event else { return }
      let words = ReportText.line(report).split(separator: " ").prefix(2).joined(separator: " ")
      reports.append("\(time.description.dropLast(6)) \(words)")
    }
    if files.count == 1 {
      var reader = try TinyCapture.reader(files[0])
      replay.run(&reader)
    } else {
      replay.run(merging: try files.map { CaptureSource(path: "x", reader: try TinyCapture.reader($0)) })
    }
    outcome.reports = reports
    for entry in recorder.entries {
      outcome.stations.insert(entry.station)
      let time = entry.time.description.dropLast(6)
      switch entry.content {
      case .signal(let signal): outcome.signals.append("\(time) \(signal.value.text)")
      case .sent(let datagram): outcome.sent.append("\(time) \(datagram.destination)")
      case .effect(.lan(.join(let group, _))) where group.port == 1_900: outcome.joined.append("\(time) \(group)")
      default: break
      }
    }
    return outcome
  }

  @Test(
    "where it says when its run began, all times count from there, those of its section and those between its frames",
    arguments: [false, true])
  func begin(endStandsFirst: Bool) throws {
    let end = "rollcall end: 1006.2"
    var scene = Scene(
      ["rollcall host: phone", "rollcall begin: 1000.0", "rollcall signal: 1001.0 \(Self.up)"]
        + (endStandsFirst ? [end] : []))
    scene.addNothing(2, comments: ["rollcall signal: 9999.0 stream 1 finished", "rollcall signal: 1.5 command stop"])
    scene.remark(["rollcall signal: 1003.0 interface 2000 down"])
    scene.addNothing(4)
    scene.remark(
      [
        "rollcall signal: 1005.0 command search 7 ssdp:all mx 1 x1",
        "rollcall signal: 1005.0 command search 8 ssdp:all mx 2 x1",
      ] + (endStandsFirst ? [] : [end]))
    let outcome = try replay([scene.bytes])
    expectEqual(
      outcome.signals,
      [
        "1.000 \(Self.up)", "2.000 stream 1 finished", "3.000 interface 2000 down",
        "5.000 command search 7 ssdp:all mx 1 x1", "5.000 command search 8 ssdp:all mx 2 x1",
      ])
    expectEqual(outcome.reports, ["6.100 search-ended 7"])
    expectEqual(outcome.joined, ["1.000 \(TinyCapture.group)"])
    expectEqual(outcome.sent, ["5.000 \(TinyCapture.group)", "5.000 \(TinyCapture.group)"])
    expectEqual(outcome.stations, [Replay.station])
    expectEqual(Replay.station, 0)
  }

  @Test("of several files, what stands between the frames of the host's own is given with the interfaces of its file")
  func merged() throws {
    func file(_ host: String, _ start: Double) -> [UInt8] {
      var scene = Scene(["rollcall host: \(host)"])
      func signal(_ seconds: Double, _ text: String) -> String {
        "rollcall signal: \(1_000 + start + seconds) \(text)"
      }
      scene.remark([signal(-0.75, "interface 1 down")])
      scene.addNothing(start, comments: [signal(0, "stream 1 finished")])
      scene.remark([signal(1, "interface 2 down")])
      scene.addNothing(start + 2)
      scene.remark([signal(3, "interface 3 down"), "rollcall end: 1005.0"])
      return scene.bytes
    }
    let outcome = try replay([file("phone", 0), file("tv", 0.125), file("phone", 0.25)])
    expectEqual(
      outcome.signals,
      [
        "999.250 interface 1 down", "999.500 interface 2049 down", "1000.000 stream 1 finished",
        "1000.250 stream 1 finished", "1001.000 interface 2 down", "1001.250 interface 2050 down",
        "1003.000 interface 3 down", "1003.250 interface 2051 down",
      ])
    expectEqual(outcome.reports, [])
    try expectEqual(
      replay([file("tv", 0.125), file("phone", 0.25)]).signals,
      [
        "999.500 interface 1025 down", "1000.250 stream 1 finished", "1001.250 interface 1026 down",
        "1003.250 interface 1027 down",
      ])
  }

  private static func searching(_ comments: [String], notes: [String], host: String = "phone") -> [UInt8] {
    var scene = Scene(["rollcall host: \(host)"] + comments + ["rollcall end: 1020.0"])
    scene.add(0, TinyCapture.search("ssdp:all"), from: Endpoint(phone, port: 40_000), comments: notes)
    scene.addNothing(1)
    return scene.bytes
  }

  @Test("a search that one file tells of as a command is not adopted from its copies, in the first file or the second")
  func commands() throws {
    let command = "command search 7 ssdp:all mx 1 x1"
    let own = Self.searching(
      ["rollcall signal: 1000.0 \(Self.up)", "rollcall signal: 1000.0 \(command)"],
      notes: ["rollcall search: 7 wait 1s"])
    let other = Self.searching([], notes: [], host: "tv")
    for files in [[own], [own, other], [other, own]] {
      let outcome = try replay(files)
      expectEqual(outcome.signals.filter { $0.contains("command") }, ["1000.000 \(command)"], "\(files.count)")
      expectEqual(outcome.reports, ["1001.100 search-ended 7"], "\(files.count)")
    }
  }

  @Test("where searches are told of as commands, a copy without a number is another's, and a manager's own is its own")
  func unnumbered() throws {
    let command = "1000.000 command search 7 ssdp:all mx 1 x1"
    let file = Self.searching(
      ["rollcall signal: 1000.0 \(Self.up)", "rollcall signal: 1000.0 command search 7 ssdp:all mx 1 x1"], notes: [])
    for isManaged in [false, true] {
      let outcome = try replay([file], isManaged: isManaged)
      expectEqual(
        outcome.signals.filter { $0.contains(" command ") },
        [command] + (isManaged ? [] : ["1000.000 command adopt 192.168.1.9:40000 search 1 ssdp:all mx 1 x1"]))
    }
  }

  @Test("the first note beside a copy says which search it is of and how long that listens, unless the options do")
  func notes() throws {
    let file = Self.searching([], notes: ["rollcall search: 7 wait 2s", "rollcall search: 8 wait 3s"])
    try expectEqual(replay([file]).reports, ["1002.100 search-ended 7"])
    try expectEqual(
      replay([file], searches: SearchOverride(maximumWaitSeconds: 5)).reports, ["1005.100 search-ended 7"])
  }
}
