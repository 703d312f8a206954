import RollcallCapture
import RollcallDiscovery
import Foundation
import RollcallExpectations
import RollcallExplaining
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import Testing
import RollcallWire

/// `rollcall replay --explain`: what happened, and why something is not found.
@Suite("Story of a capture")
struct StoryTests {
  static let tv = "00000000-0000-4000-8000-000000000001"
  static let phone = "192.168.1.9:40000"

  private func finding(_ story: Story, _ party: String) -> StoryFinding? { story.findings.first { $0.party == party } }

  @Test(
    "a device's life is told in order: found, leases, renewals with the margin left, reboot, expiry and its promise")
  func life() throws {
    var capture = TinyCapture()
    let alive = { (target: String, boot: Int) in
      TinyCapture.alive(StoryTests.tv, target, maxAge: 30, more: "BOOTID.UPNP.ORG: \(boot)\n")
    }
    for (start, boot) in [(0.0, 7), (20.0, 7), (45.5, 7), (60.0, 8)] {
      capture.add(start, "192.168.1.20", alive("upnp:rootdevice", boot))
      capture.add(start + 0.1, "192.168.1.20", alive("urn:schemas-upnp-org:service:Dimming:1", boot))
      capture.add(start + 0.3, "192.168.1.20", alive("upnp:rootdevice", boot))
    }
    let story = try capture.story(until: .minutes(2))
    let golden = """
        12 frames in 180.3 s, 12 messages; times are seconds since 1000.000000000

        Devices
        uuid:00000000-0000-4000-8000-000000000001
          +0.000     frame 1            first heard: alive upnp:rootdevice from 192.168.1.20, 30 s;
                                        http://192.168.1.20/d.xml
          +0.100     frames 2–3         1 more lease of 30 s, and a copy:
                                        urn:schemas-upnp-org:service:Dimming:1
          +20.000    frames 4–9         renewed by 4 messages and 2 copies in 2 rounds, 25.5 s apart; at
                                        the tightest 4.5 s left of 30 s (frame 8)
          +60.000    frame 10           rebooted, BOOTID 7 → 8: lost and found; http://192.168.1.20/d.xml
          +60.100    frames 11–12       1 more lease of 30 s, and a copy:
                                        urn:schemas-upnp-org:service:Dimming:1
          +90.300                       lost: expired. The last that it said is frame 12, alive
                                        upnp:rootdevice at +60.300, which promised 30 s
      """
    expectEqual(StoryText.lines(story).joined(separator: "\n"), golden)
  }

  @Test("a real capture's story holds the margin, the frames and the loss that were reviewed")
  func justInTime() throws {
    let capture = try #require(OwnCapture.all.first { $0.name == "gssdp-renewal-just-in-time" })
    let teller = StoryTeller(configuration: EngineConfiguration())
    var reader = try CaptureReader(path: capture.path)
    var replay = Replay(options: ReplayOptions(wantsMessages: false), teller: teller)
    replay.run(&reader)
    let story = teller.finished(frames: replay.summary.frames)
    let lines = StoryText.lines(story)
    let renewal = lines.firstIndex { $0.contains("renewed by 12 messages and 24 copies in 3 rounds, 10 s apart") }
    #expect(renewal != nil)
    #expect(lines.contains { $0.contains("0.783 s left of 11 s (frame 14)") })
    #expect(
      lines.contains { $0.contains("frame 47           lost: byebye urn:schemas-upnp-org:service:SwitchPower:1") })
  }

  @Test("telling the story changes nothing of the replay", arguments: OwnCapture.all)
  func unchanged(_ capture: OwnCapture) throws {
    let plain = try capture.replay()
    var reports: [String] = []
    let teller = StoryTeller(configuration: EngineConfiguration())
    var reader = try CaptureReader(path: capture.path)
    var replay = Replay(options: ReplayOptions(), teller: teller) { event in
      if case .report(let report, let time, let frame) = event {
        reports.append(ReportLine.json(report, time: time.description, frame: frame))
      }
    }
    replay.run(&reader)
    expectEqual(reports, plain.reports)
    expectEqual(replay.summary.digest, plain.summary.digest)
    let story = teller.finished(frames: replay.summary.frames)
    // Packets of Bluetooth are counted with each peripheral.
    expectEqual(story.messages, (capture.isBluetooth ? 0 : plain.summary.messageCount))
    #expect(story.cuts.isEmpty)
    // Every line is JSON, and the text fits.
    for line in StoryLines.json(story, capture: capture.path) {
      let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect(object["kind"] as? String == "story" && object["schema"] as? String == "rollcall/1")
    }
    for line in StoryText.lines(story, width: 80) where line.count > 80 {
      expectEqual(line.drop { $0 == " " }.contains(" "), false, "only one long word may stick out: \(line)")
    }
    // What the story says of devices is what the reports said.
    let lost =
      story.devices.flatMap(\.events).count { if case .lost = $0.what { true } else { false } }
      + story.peripherals.flatMap(\.events).count { if case .lost = $0.report { true } else { false } }
    expectEqual(lost, reports.count { $0.contains(#""event":"lost""#) && !$0.contains(#""cause":"rebooted""#) })
  }

  // MARK: Not found, and why

  @Test("never announced: a UUID that no message names, and an address that only sends something else")
  func neverAnnounced() throws {
    var capture = TinyCapture()
    capture.add(0, "192.168.1.20", TinyCapture.alive(StoryTests.tv))
    capture.add(1, "192.168.1.30:5000", "192.168.1.9:53", "no discovery")
    let other = "uuid:00000000-0000-4000-8000-000000000002"
    expectEqual(finding(try capture.story(other), other)?.kind, .neverAnnounced)
    let silent = try #require(finding(try capture.story("192.168.1.30"), "192.168.1.30"))
    expectEqual(silent.kind, .neverAnnounced)
    #expect(silent.text.contains("1 frame from it, 0 to it"))
    expectEqual(finding(try capture.story("192.168.1.99"), "192.168.1.99")?.kind, .notOnNetwork)
    // And the one that did announce itself.
    expectEqual(finding(try capture.story("uuid:" + StoryTests.tv), "uuid:" + StoryTests.tv)?.kind, .found)
    expectEqual(finding(try capture.story("192.168.1.20"), "192.168.1.20")?.kind, .found)
  }

  static let locations: [(location: String?, rule: String?)] = [
    ("http://192.168.1.20:80/d.xml", nil), ("http://192.168.7.7/d.xml", "offLink"), ("http://127.0.0.1/", "loopback"),
    ("http://:8000/d.xml", "no host at its byte 7"), ("d.xml", "no scheme and host"),
    ("ftp://192.168.1.20/", "a scheme other than http and https"), (nil, "no LOCATION field"),
    ("http://[fe80::1]/d.xml", "familyMismatch"), ("", "LOCATION is empty"),
  ]

  @Test("an unusable LOCATION is named with its rule; a usable one is no finding", arguments: locations)
  func location(_ location: String?, _ rule: String?) throws {
    var capture = TinyCapture()
    capture.add(0, "192.168.1.20", TinyCapture.alive(StoryTests.tv, location: location))
    capture.add(1, "192.168.1.20", TinyCapture.alive(StoryTests.tv, location: location))
    let story = try capture.story()
    expectEqual(story.devices.count, 1)
    let finding = finding(story, "uuid:" + StoryTests.tv)
    expectEqual((finding == nil), (rule == nil))
    if let rule {
      expectEqual(finding?.kind, .unusableLocation)
      expectEqual(finding?.text.contains(rule), true, "\(finding?.text ?? "")")
      expectEqual(finding?.frames.count, 2)
    }
    // The engine says the same: a LOCATION that is told of as unusable is one that it did not report.
    expectEqual((story.devices[0].location == nil), (rule != nil))
    // With the policy off everything is handed on that is there.
    let open = try capture.story(settings: ["location=any"])
    expectEqual((self.finding(open, "uuid:" + StoryTests.tv) == nil), (location?.isEmpty == false))
  }

  @Test("an answer after the search ended is late, and by how much; one in time is none, nor is one with a longer MX")
  func late() throws {
    var capture = TinyCapture()
    capture.add(0, StoryTests.phone, TinyCapture.search("upnp:rootdevice"))
    capture.add(1.6, "192.168.1.20", StoryTests.phone, TinyCapture.answer(StoryTests.tv))
    capture.add(1.9, "192.168.1.20", StoryTests.phone, TinyCapture.answer(StoryTests.tv))
    let story = try capture.story()
    let late = try #require(finding(story, "uuid:" + StoryTests.tv))
    expectEqual(late.kind, .late)
    expectEqual(
      late.text, "answered too late: 2 answers 0.5 s to 0.8 s after search 1 for upnp:rootdevice ended")
    expectEqual(late.frames.texts(), ["2-3"])
    expectEqual(story.searches.map(\.lateCount), [2])
    #expect(story.devices.isEmpty)

    // As late for another search of the same socket: the engine calls it a target that nobody asked for.
    var busy = capture
    busy.lines.insert(
      TinyCapture.Line(
        seconds: 1, source: StoryTests.phone, destination: TinyCapture.group, text: TinyCapture.search("roku:ecp")),
      at: 1)
    expectEqual(finding(try busy.story(), "uuid:" + StoryTests.tv)?.kind, .late)

    var prompt = capture
    prompt.lines[1].seconds = 1.05
    expectEqual(finding(try prompt.story(), "uuid:" + StoryTests.tv), nil)
    try expectEqual(capture.story(settings: ["unsolicited=accept"]).devices.count, 1)
  }

  @Test("an answer with another target is told with what was asked and what was answered")
  func wrongTarget() throws {
    var capture = TinyCapture()
    capture.add(0, StoryTests.phone, TinyCapture.search("urn:schemas-upnp-org:device:Basic:2"))
    capture.add(
      0.2, "192.168.1.20", StoryTests.phone, TinyCapture.answer(StoryTests.tv, "urn:schemas-upnp-org:device:Basic:1"))
    let story = try capture.story()
    let wrong = try #require(finding(story, "uuid:" + StoryTests.tv))
    expectEqual(wrong.kind, .wrongTarget)
    expectEqual(
      wrong.text,
      "answered another target: asked for urn:schemas-upnp-org:device:Basic:2, answered "
        + "urn:schemas-upnp-org:device:Basic:1 (1 answer)")
    expectEqual(story.searches.map(\.otherTargetCount), [1])
    // A higher version is an answer.
    capture.lines[1].text = TinyCapture.answer(StoryTests.tv, "urn:schemas-upnp-org:device:Basic:3")
    expectEqual(finding(try capture.story(), "uuid:" + StoryTests.tv), nil)
  }

  @Test("an answer to a socket that no search left from says so, whatever port it comes from")
  func nobodyAsked() throws {
    for source in ["192.168.1.20:1900", "192.168.1.20:52000"] {
      var capture = TinyCapture()
      capture.add(0, source, StoryTests.phone, TinyCapture.answer(StoryTests.tv))
      let finding = try #require(finding(try capture.story(), "uuid:" + StoryTests.tv))
      expectEqual(finding.kind, .nobodyAsked)
      #expect(finding.text.contains("192.168.1.9:40000, from where the capture shows no search"))
      capture.lines.insert(
        TinyCapture.Line(
          seconds: 0, source: StoryTests.phone, destination: TinyCapture.group, text: TinyCapture.search("ssdp:all")),
        at: 0)
      expectEqual(self.finding(try capture.story(), "uuid:" + StoryTests.tv), nil)
    }
  }

  @Test("a refused message is told with reason and offset, and the bytes there")
  func refused() throws {
    var capture = TinyCapture()
    let broken = TinyCapture.alive(StoryTests.tv).replacing("USN: uuid:\(StoryTests.tv)::", with: "USN: tv:")
    capture.add(0, "192.168.1.20", broken)
    capture.add(1, "192.168.1.20", broken)
    let story = try capture.story()
    let group = try #require(story.unmade.first)
    let bytes = TinyCapture.octets(broken)
    let at = try #require(bytes.firstRange(of: Array("tv:".utf8))?.lowerBound)
    expectEqual(group.reason, .refused(.badUSN))
    expectEqual(group.offsets, at...at)
    expectEqual(group.count, 2)
    expectEqual(group.excerpt?.contains("USN: »tv:upnp:rootdevice"), true)
    expectEqual(finding(story, "192.168.1.20")?.kind, .refused)
    capture.lines[1].text = TinyCapture.alive(StoryTests.tv)
    expectEqual(finding(try capture.story(), "192.168.1.20"), nil)
  }

  @Test("what a bound of the engine drops is told with the name of the bound")
  func bound() throws {
    var capture = TinyCapture()
    capture.add(0, "192.168.1.20", TinyCapture.alive(StoryTests.tv))
    let other = "00000000-0000-4000-8000-000000000002"
    capture.add(1, "192.168.1.20", TinyCapture.alive(other))
    let finding = finding(try capture.story(settings: ["limits.entries-per-source=1"]), "uuid:" + other)
    expectEqual(finding?.kind, .bound)
    expectEqual(finding?.text.contains("'entries-per-source'"), true)
    expectEqual(self.finding(try capture.story(), "uuid:" + other), nil)
  }

  @Test("one that only says byebye or only searches announced nothing")
  func onlyOthers() throws {
    var capture = TinyCapture()
    capture.add(0, "192.168.1.20", TinyCapture.byebye(StoryTests.tv))
    capture.add(1, StoryTests.phone, TinyCapture.search("ssdp:all"))
    let story = try capture.story()
    expectEqual(finding(story, "uuid:" + StoryTests.tv)?.kind, .byebyeOnly)
    expectEqual(finding(story, "192.168.1.9")?.kind, .searchesOnly)
    capture.add(2, "192.168.1.20", TinyCapture.alive(StoryTests.tv))
    capture.add(2, "192.168.1.9", TinyCapture.alive(StoryTests.phone, location: "http://192.168.1.9/"))
    try expectEqual(capture.story().findings, [])
  }

  @Test("seen as one host, what went to another is told as not heard, and the host's searches as its own")
  func perspective() throws {
    var capture = TinyCapture()
    capture.add(0, "192.168.1.7:40000", TinyCapture.search("ssdp:all"))
    capture.add(0.1, "192.168.1.20", "192.168.1.7:40000", TinyCapture.answer(StoryTests.tv))
    capture.add(0.2, StoryTests.phone, TinyCapture.search("ssdp:all"))
    let story = try capture.story(as: .host("192.168.1.9"))
    expectEqual(finding(story, "uuid:" + StoryTests.tv)?.kind, .notHeard)
    #expect(story.unmade.map(\.reason).contains(.own) && story.unmade.map(\.reason).contains(.otherSearch))
    try expectEqual(capture.story().devices.count, 1)
  }

  // MARK: Bounds

  @Test("a flood is told within bounds, and what was cut is counted")
  func bounded() throws {
    var capture = TinyCapture()
    for number in 0..<60 {
      let uuid = "flood-\(number)"
      capture.add(Double(number) / 10, "192.168.1.\(number + 20)", TinyCapture.alive(uuid))
      capture.add(Double(number) / 10, "192.168.1.\(number + 20)", TinyCapture.byebye("other-\(number)"))
      capture.add(Double(number) / 10, "192.168.1.9:\(40_000 + number)", TinyCapture.search("roku:ecp"))
    }
    var bounds = StoryTeller.Bounds()
    (bounds.devices, bounds.groups, bounds.searches, bounds.parties, bounds.promises) = (10, 10, 10, 10, 10)
    let story = try capture.story(bounds: bounds)
    #expect(story.devices.count == 10 && story.searches.count == 10 && story.unmade.count == 10)
    #expect(story.cuts.map(\.what).contains("devices") && story.cuts.map(\.what).contains("searches"))
    #expect(StoryText.lines(story).contains { $0.contains("Not kept, since there was too much") })
    let whole = try capture.story()
    #expect(whole.cuts.isEmpty)
    // What sixty senders do for one reason is one row.
    let rows = StoryText.lines(whole).filter { $0.contains("60× byebye from 60 addresses, 60 kinds; the first, from") }
    expectEqual(rows.count, 1)
  }
}
