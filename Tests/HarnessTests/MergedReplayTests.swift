import RollcallCapture
import RollcallDiscovery
import RollcallExpectations
import RollcallExplaining
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import Testing

/// Several captures of the same moment as one replay, engines with other settings, and searches that nobody sent.
@Suite("Merged replays, settings and probes")
struct MergedReplayTests {
  static let tv = "00000000-0000-4000-8000-000000000001"
  static let radio = "00000000-0000-4000-8000-000000000002"
  static let phone = "192.168.1.9:40000"

  private struct Merged {
    var reports: [String] = []
    var story: Story
    var summary: ReplaySummary
  }

  private func merged(_ captures: [TinyCapture], names: [String]) throws -> Merged {
    let frames = FrameNames(paths: names)
    var reports: [String] = []
    let teller = StoryTeller(configuration: EngineConfiguration())
    var replay = Replay(options: ReplayOptions(wantsMessages: false), teller: teller) { event in
      guard case .report(let report, let time, let frame) = event else { return }
      reports.append("\(time) \(frame.map { frames.text($0) } ?? "time") \(ReportText.line(report).prefix(46))")
    }
    let sources = try zip(captures, names).map { CaptureSource(path: $1, reader: try $0.reader()) }
    replay.run(merging: sources)
    return Merged(
      reports: reports, story: teller.finished(frames: replay.summary.frames, names: frames), summary: replay.summary)
  }

  @Test("frames of two captures go by time, each with its file, and a datagram in both finds one device")
  func order() throws {
    var first = TinyCapture()
    var second = TinyCapture()
    first.add(0.0, "192.168.1.20", TinyCapture.alive(MergedReplayTests.tv))
    second.add(0.01, "192.168.1.20", TinyCapture.alive(MergedReplayTests.tv))
    second.add(
      0.5, "192.168.2.30", TinyCapture.alive(MergedReplayTests.radio, location: "http://192.168.2.30/radio.xml"))
    first.add(1.0, "192.168.1.20", TinyCapture.byebye(MergedReplayTests.tv))
    second.add(1.02, "192.168.1.20", TinyCapture.byebye(MergedReplayTests.tv))
    let merged = try merged([first, second], names: ["site/eth0.pcapng", "site/wlan0.pcapng"])
    #expect(
      merged.reports == [
        "1000.000000000 eth0:1 found uuid:00000000-0000-4000-8000-00000000000",
        "1000.500000000 wlan0:2 found uuid:00000000-0000-4000-8000-00000000000",
        // Heard on both, so it is lost when both are over.
        "1001.020000000 wlan0:3 lost uuid:00000000-0000-4000-8000-000000000001",
      ])
    #expect(merged.summary.frames == 5 && merged.summary.messageCount == 5)
    expectEqual(merged.story.overlap?.count, 2)
    expectEqual(
      StoryText.lines(merged.story)[1],
      "  2 files (eth0, wlan0) merged by time; 2 datagrams in more than one, 0.01 s to 0.02 s apart")
    // Alone each of them says less.
    try expectEqual(second.story().overlap, nil)
  }

  @Test("one capture merged with an empty-handed one is the capture itself", arguments: OwnCapture.all.prefix(4))
  func neutral(_ capture: OwnCapture) throws {
    var other = TinyCapture()
    other.epochSeconds = 4_000_000_000
    other.add(0, "10.0.0.1:5000", "10.0.0.2:53", "nothing")
    var reports: [String] = []
    var replay = Replay(options: ReplayOptions(until: Interval.zero, wantsMessages: false)) { event in
      if case .report(let report, let time, let frame) = event {
        reports.append(ReportLine.json(report, time: time.description, frame: frame))
      }
    }
    // What ends only behind its last frame it would not have told.
    replay.run(merging: [
      CaptureSource(path: "a", reader: try CaptureReader(path: capture.path)),
      CaptureSource(path: "b", reader: try other.reader()),
    ])
    let own = try capture.replay().reports
    expectEqual(Array(reports.prefix(own.count)), own)
  }

  @Test("files have the shortest names that tell them apart")
  func names() {
    expectEqual(FrameNames(paths: ["a/one.pcap"]).labels, [])
    expectEqual(FrameNames(paths: ["x/one.pcapng", "x/two.pcapng"]).labels, ["one", "two"])
    expectEqual(FrameNames(paths: ["C/a/capture.pcapng", "C/b/capture.pcapng"]).labels, ["a", "b"])
    expectEqual(FrameNames(paths: ["a.pcap", "a.pcapng"]).labels, ["a.pcap", "a.pcapng"])
    expectEqual(FrameNames(paths: ["a.pcap", "a.pcap"]).labels, ["a", "a#2"])
    let names = FrameNames(labels: ["eth0", "eth1"])
    expectEqual(names.text(FrameNames.number(file: 1, frame: 17)), "eth1:17")
    expectEqual(FrameNames().text(17), "17")
    var frames = FrameRanges()
    for frame in 1...3 { for file in 0...1 { frames.add(FrameNames.number(file: file, frame: frame)) } }
    expectEqual(frames.texts(names), ["eth0:1-3", "eth1:1-3"])
  }

  // MARK: Settings

  @Test("a longer MX, or more copies, makes a late answer an answer; a shorter one makes an answer late")
  func searches() throws {
    var capture = TinyCapture()
    capture.add(0, MergedReplayTests.phone, TinyCapture.search("ssdp:all", mx: 2))
    capture.add(1, MergedReplayTests.phone, TinyCapture.search("ssdp:all", mx: 2))
    capture.add(3.5, "192.168.1.20", MergedReplayTests.phone, TinyCapture.answer(MergedReplayTests.tv))
    func outcome(_ searches: SearchOverride?) throws -> [Interval] {
      let story = try capture.story(searches: searches)
      return story.searches.filter { $0.lateCount > 0 }.map(\.lateLeast)
    }
    try expectEqual(outcome(nil), [.milliseconds(400)])
    try expectEqual(outcome(SearchOverride(maximumWaitSeconds: 3)), [])
    try expectEqual(outcome(SearchOverride(maximumWaitSeconds: 1)), [.milliseconds(1_400)])
    try expectEqual(outcome(SearchOverride(broadcasts: 1)), [.milliseconds(1_400)])
    try expectEqual(outcome(SearchOverride(broadcasts: 2)), [])
    try expectEqual(outcome(SearchOverride(broadcasts: 3, spacing: .milliseconds(500))), [.milliseconds(400)])
    try expectEqual(outcome(SearchOverride(broadcasts: 4, spacing: .milliseconds(500))), [])
    // A search that is open at the end listens on after the last of its copies.
    var open = TinyCapture()
    open.add(0, MergedReplayTests.phone, TinyCapture.search("ssdp:all", mx: 2))
    for (copies, listening) in [(1, .milliseconds(2_100)), (2, .milliseconds(4_100))] as [(Int, Interval)] {
      let story = try open.story(until: .milliseconds(2_050), searches: SearchOverride(broadcasts: copies))
      expectEqual(story.searches.map { $0.end - $0.start }, [listening])
    }
  }

  @Test("settings of the engine have the keys of a scenario, and a slip names the nearest")
  func settings() throws {
    var capture = TinyCapture()
    capture.add(0, "192.168.1.20", TinyCapture.alive(MergedReplayTests.tv))
    capture.add(1, "192.168.1.66", TinyCapture.byebye(MergedReplayTests.tv))
    try expectEqual(capture.story().devices.map(\.isPresent), [true])
    try expectEqual(capture.story(settings: ["byebye-source=any-address"]).devices.map(\.isPresent), [false])

    var engine = EngineConfiguration()
    try engine.apply(["tombstone=250ms", "limits.parts=7", "switches=byebyeIgnored,noBounds", "mode=strict"])
    #expect(engine.tombstone == .milliseconds(250) && engine.limits.parts == 7 && engine.mode == .strict)
    expectEqual(engine.switches.all, [.byebyeIgnored, .noBounds])
    func complaint(_ setting: String) -> String {
      var engine = EngineConfiguration()
      do { try engine.apply([setting]) } catch { return error.description }
      return ""
    }
    expectEqual(complaint("byebye-sorce=x"), "unknown key 'byebye-sorce', did you mean 'byebye-source'?")
    expectEqual(complaint("byebye=each-prt"), "byebye: unknown policy 'each-prt', did you mean 'each-part'?")
    expectEqual(complaint("limits.part=7"), "unknown key 'limits.part', did you mean 'limits.parts'?")
    expectEqual(complaint("tombstone=3"), "tombstone: '3' has no unit: a duration is written such as 250ms or 3s")
    expectEqual(complaint("tombstone"), "a setting is KEY=VALUE, as in byebye=each-part, and not 'tombstone'")
    #expect(complaint("zzzzzz=1").hasPrefix("unknown key 'zzzzzz'; known are mode, byebye, byebye-source"))
    // Every key that is offered is taken.
    expectEqual(EngineConfiguration.settingKeys.count, 28)
    #expect(EngineConfiguration.settingKeys.allSatisfy { !complaint($0 + "=\u{1}").contains("unknown key") })
  }

  // MARK: A search that nobody sent

  @Test("a probe knows what still stood, what was announced while it listened and what others were answered, no more")
  func probe() throws {
    var capture = TinyCapture()
    let target = "urn:schemas-upnp-org:device:MediaRenderer:1"
    capture.add(0, "192.168.1.20", TinyCapture.alive(MergedReplayTests.tv, target, maxAge: 60))
    capture.add(0, "192.168.1.21", TinyCapture.alive("ended", target, location: "http://192.168.1.21/", maxAge: 5))
    capture.add(1, "192.168.1.22", TinyCapture.alive("left", target, location: "http://192.168.1.22/"))
    capture.add(2, "192.168.1.22", TinyCapture.byebye("left", target))
    capture.add(2, "192.168.1.23", TinyCapture.alive("other", "roku:ecp", location: "http://192.168.1.23/"))
    capture.add(
      11, "192.168.1.24", TinyCapture.alive("newer", String(target.dropLast()) + "2", location: "http://192.168.1.24/"))
    capture.add(12, MergedReplayTests.phone, TinyCapture.search("ssdp:all"))
    capture.add(
      12.5, "192.168.1.25", MergedReplayTests.phone,
      TinyCapture.answer("answering", target, location: "http://192.168.1.25/"))
    capture.add(12.8, "192.168.1.24", TinyCapture.byebye("newer", String(target.dropLast()) + "2"))
    capture.add(19.2, "192.168.1.26", TinyCapture.alive("late", target, location: "http://192.168.1.26/"))
    let probe = Probe(target: target, at: .seconds(10), maximumWaitSeconds: 3, broadcasts: 3)
    let outcome = try #require(try capture.story(probe: probe).probe)
    expectEqual(outcome.end - outcome.start, .milliseconds(9_100))
    expectEqual(
      outcome.rows.map { "\($0.device) \($0.source.rawValue) \($0.by.frame)" },
      [
        "uuid:\(MergedReplayTests.tv) known 1", "uuid:newer announced 6", "uuid:answering answered 8",
      ])
    expectEqual(outcome.rows.map { $0.gone != nil }, [false, true, false])
    // One copy less spacing later the last one falls inside.
    let longer = Probe(target: target, at: .milliseconds(10_200), maximumWaitSeconds: 3, broadcasts: 3)
    try expectEqual(capture.story(probe: longer).probe?.rows.last?.device, "uuid:late")
    // Beyond the capture nothing is said, but for that.
    let after = try capture.story(probe: Probe(target: target, at: .hours(1)))
    #expect(StoryText.lines(after).contains { $0.contains("The capture ends before that moment") })
    #expect(StoryText.lines(after).contains { $0.contains("Answers to a search that nobody sent are not in the file") })
  }
}
