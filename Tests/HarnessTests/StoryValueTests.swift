import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
import Testing

@testable import RollcallExplaining

/// Stories that are made by hand, as text and as JSON lines.
@Suite("Stories as values")
struct StoryValueTests {
  private static let lamp = IPAddress(192, 168, 1, 20)

  private static func unmade(_ number: Int, _ reason: UnmadeReason = .otherSearch) -> Unmade {
    Unmade(
      reason: reason, type: "search", source: IPAddress(10, 0, UInt8(number / 250), UInt8(1 + number % 250)),
      uuid: "", frames: FrameRanges(number + 1), count: 1, time: .zero + .seconds(Int64(number)),
      lastTime: .zero + .seconds(Int64(number)), offsets: nil, excerpt: nil, lateness: nil)
  }

  @Test("a story that is begun says nothing, and a teller keeps what its bounds say")
  func defaults() {
    let story = Story()
    #expect(story.frames == 0 && story.messages == 0 && story.devices.isEmpty && story.cuts.isEmpty)
    let renewals = Renewals()
    expectEqual([renewals.messages, renewals.copies, renewals.answers, renewals.rounds], [0, 0, 0, 0])
    #expect(renewals.marginFrame == 0 && renewals.marginLeaseSeconds == 0 && renewals.marginLeast == .zero)
    let bounds = StoryTeller.Bounds()
    expectEqual([bounds.devices, bounds.eventsPerDevice, bounds.searches, bounds.groups], [4_096, 256, 4_096, 4_096])
    expectEqual([bounds.parties, bounds.promises, bounds.datagrams, bounds.fates], [8_192, 65_536, 1_024, 1_000_000])
    let teller = StoryTeller(configuration: EngineConfiguration())
    #expect(!teller.keepsFates && teller.fates.isEmpty && teller.watchedFrame == nil)
    expectEqual(StoryTeller.probeRowsMaximum, 4_096)
    let device = DeviceStory(device: "uuid:a", source: Self.lamp, interface: InterfaceID(0))
    #expect(device.isPresent && !device.hadLocation && device.cut == 0)
    let port = Endpoint(Self.lamp, port: 1_900)
    let announcement = Announcement(type: "notify-alive", target: "a", source: port, frame: 1, time: .zero)
    #expect(!announcement.isLeaseByDefault && !announcement.isLeaseCut)
    #expect(announcement.leaseSeconds == -1 && announcement.identification == -1)
  }

  @Test("a lease of no seconds is told, and one that nobody gave is not")
  func leases() {
    func made(_ made: PartyDatagrams.Made, _ seconds: Int) -> String {
      StoryWords.made(made, offset: nil, lateness: nil, seconds)
    }
    expectEqual(made(.renewed(margin: .seconds(2)), 0), "renewed for 0 s, with 2 s left")
    expectEqual(made(.renewed(margin: .seconds(2)), -1), "renewed, with 2 s left")
    expectEqual(made(.renewed(margin: .seconds(2)), 1), "renewed for 1 s, with 2 s left")
    expectEqual(made(.copied, 0), "a copy, which changes nothing, for 0 s")
    expectEqual(made(.copied, -1), "a copy, which changes nothing")
    let port = Endpoint(Self.lamp, port: 1_900)
    for seconds in [-1, 0, 1] {
      var by = Announcement(type: "notify-alive", target: "a", source: port, frame: 1, time: .zero)
      by.leaseSeconds = seconds
      var device = DeviceStory(device: "uuid:a", source: Self.lamp, interface: InterfaceID(0))
      device.events = [
        StoryEvent(
          what: .found(by, location: nil, isReturn: false, partOf: nil), time: .zero, lastTime: .zero,
          frames: FrameRanges(1), count: 1)
      ]
      var story = Story()
      story.devices = [device]
      let line = StoryLines.json(story, capture: "a").first ?? ""
      expectEqual(line.contains("\"leaseSeconds\":\(seconds)"), (seconds >= 0), "\(line)")
    }
  }

  @Test("files that are merged say how many datagrams they share, from one on")
  func overlaps() {
    var overlap = CaptureOverlap(files: 2)
    let names = FrameNames(labels: ["a", "b"])
    expectEqual(overlap.sentence(names), "2 files (a, b) merged by time; no datagram is in more than one")
    overlap.count = 1
    #expect(overlap.sentence(names).hasPrefix("2 files (a, b) merged by time; 1 datagram in more than one, "))
  }

  @Test("who is asked about is an address, uuid: with something behind it, or a UUID of the standard form")
  func parties() {
    expectEqual(StoryParty("192.168.1.20"), .address(Self.lamp))
    #expect(StoryParty("UUID:Lamp") == .uuid("lamp") && StoryParty("uuid:l") == .uuid("l"))
    expectEqual(StoryParty("uuid:lamp::upnp:rootdevice"), .uuid("lamp"))
    let standard = "2fac1234-31f8-41b4-a222-08002b34c003"
    #expect(StoryParty(standard) == .uuid(standard) && StoryParty(standard.uppercased()) == .uuid(standard))
    for text in ["", "uuid:", "lamp", "uuid::a", String(standard.dropLast()), standard + "0", standard + "-"] {
      expectEqual(StoryParty(text), nil, "\(text)")
    }
  }

  @Test("a hundred kinds of what made no device are listed, and of more it is said how many")
  func unmadeRows() {
    func lines(_ count: Int) -> [String] {
      var story = Story()
      story.unmade = (0..<count).map { Self.unmade($0, .bound("limit-\($0)")) }
      return StoryText.lines(story)
    }
    func rows(_ lines: [String]) -> Int { lines.count { $0.contains("limit-") } }
    #expect(rows(lines(99)) == 99 && rows(lines(100)) == 100 && rows(lines(101)) == 100 && rows(lines(150)) == 100)
    #expect(!lines(100).contains { $0.contains("… and") })
    #expect(lines(101).contains { $0.contains("… and 1 more (kind)") })
    #expect(lines(150).contains { $0.contains("… and 50 more (kind)") })
  }

  @Test("what nine senders do for one reason is told once, what eight do one by one, and what follows is told still")
  func alike() {
    func rows(_ count: Int) -> Int {
      var story = Story()
      story.unmade = (0..<count).map { Self.unmade($0) } + [Self.unmade(200, .bound("limit"))]
      let lines = StoryText.lines(story)
      let start = lines.firstIndex { $0.contains("made no device") } ?? 0
      #expect(lines.count { $0.contains("10.0.0.201") } == 1 && !lines.contains { $0.contains("… and") })
      return lines[(start + 1)...].count { $0.contains("×") }
    }
    expectEqual([1, 2, 8, 9, 10, 40].map(rows), [2, 3, 9, 2, 2, 2])
  }

  private static func device(_ number: Int) -> DeviceStory {
    DeviceStory(device: "uuid:\(number)", source: lamp, interface: InterfaceID(0))
  }

  @Test("a hundred devices are listed, and of more it is said how many; one event that was cut is told")
  func deviceRows() {
    for (count, more) in [
      (99, nil), (100, nil), (101, "    … and 1 more (device); --format json lists all that is kept"),
    ]
      as [(Int, String?)]
    {
      var story = Story()
      story.devices = (0..<count).map { Self.device($0) }
      let lines = StoryText.lines(story)
      expectEqual(lines.count { $0.hasPrefix("  uuid:") }, min(count, 100))
      expectEqual(lines.first { $0.contains("more (device)") }, more)
    }
    for (cut, line) in [(0, nil), (1, "    … 1 event more are not kept"), (2, "    … 2 events more are not kept")]
      as [(Int, String?)]
    {
      var story = Story()
      story.devices = [Self.device(1)]
      story.devices[0].cut = cut
      expectEqual(StoryText.lines(story).first { $0.contains("not kept") }, line)
    }
  }

  @Test("a line breaks where the terminal ends, at sixty columns at least, and blanks that follow each other stay")
  func widths() {
    func lines(_ width: Int, _ words: String) -> [String] {
      var story = Story()
      story.party = .uuid("a")
      story.findings = [StoryFinding(kind: .found, party: "uuid:a", source: nil, text: words, frames: FrameRanges())]
      return StoryText.lines(story, width: width).filter { $0.contains("x") || $0.contains("y") }
    }
    let row = lines(200, "x")[0].dropLast()
    func fits(_ width: Int, _ columns: Int) -> Bool {
      lines(width, "x " + String(repeating: "y", count: columns - row.count - 2)).count == 1
    }
    #expect(fits(10, 60) && !fits(10, 61) && fits(60, 60) && !fits(60, 61) && fits(61, 61) && !fits(61, 62))
    expectEqual(lines(100, "x  y")[0], "    uuid:a: x  y.")
  }

  @Test("frames of merged files have a wider column")
  func columns() {
    func column(_ labels: [String]) -> Int? {
      var story = Story()
      story.names = FrameNames(labels: labels)
      story.devices = [Self.device(1)]
      story.devices[0].leaseEnd = .zero + .seconds(9)
      guard let line = StoryText.lines(story).first(where: { $0.contains("here at the end") }) else { return nil }
      return line.firstRange(of: "here").map { line.distance(from: line.startIndex, to: $0.lowerBound) }
    }
    #expect(column([]) == 4 + 10 + 1 + 18 + 1 && column(["a", "b"]) == 4 + 10 + 1 + 26 + 1)
  }

  @Test("as JSON, each datagram of a party says what was made of it, and how late it was")
  func datagrams() {
    let port = Endpoint(Self.lamp, port: 1_900)
    func line(_ made: PartyDatagrams.Made, lateness: Interval? = nil) -> String {
      var story = Story()
      story.party = .address(Self.lamp)
      story.datagrams = [
        PartyDatagrams(
          made: made, type: "response", target: "x", source: port, destination: port, frames: FrameRanges(1), count: 1,
          time: .zero, offset: nil, lateness: lateness)
      ]
      let lines = StoryLines.json(story, capture: "a").filter { $0.contains("\"made\"") }
      return lines.count == 1 ? lines[0] : "\(lines)"
    }
    func made(_ line: String) -> String {
      line.firstRange(of: "\"made\"").map { String(line[$0.lowerBound...]) } ?? line
    }
    #expect(made(line(.changed)) == #""made":"changed"}"# && made(line(.ended)) == #""made":"ended"}"#)
    expectEqual(made(line(.copied)), #""made":"copied"}"#)
    expectEqual(made(line(.found(9))), #""made":"found","leaseSeconds":9}"#)
    expectEqual(made(line(.leased(9))), #""made":"leased","leaseSeconds":9}"#)
    let late = made(line(.nothing(.late(search: 1)), lateness: .milliseconds(1_500)))
    #expect(late.hasPrefix(#""made":"nothing","reason":"late""#) && late.contains(#","late":"#), "\(late)")
    #expect(late.contains("1.5"), "\(late)")
    #expect(!made(line(.nothing(.late(search: 1)))).contains(#""late":"#))
  }

  @Test("what was told of a party is under its name, and nothing of others")
  func presence() {
    var story = Story()
    story.unmade = [Self.unmade(1)]
    story.party = .address(Self.lamp)
    let lines = StoryText.lines(story)
    #expect(lines.contains("   192.168.1.20") || lines.contains("  192.168.1.20"))
    #expect(!lines.contains { $0.contains("made no device") })
  }
}
