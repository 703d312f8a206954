import RollcallDiscovery
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
    #expect([renewals.messages, renewals.copies, renewals.answers, renewals.rounds] == [0, 0, 0, 0])
    #expect(renewals.marginFrame == 0 && renewals.marginLeaseSeconds == 0 && renewals.marginLeast == .zero)
    let bounds = StoryTeller.Bounds()
    #expect([bounds.devices, bounds.eventsPerDevice, bounds.searches, bounds.groups] == [4_096, 256, 4_096, 4_096])
    #expect([bounds.parties, bounds.promises, bounds.datagrams, bounds.fates] == [8_192, 65_536, 1_024, 1_000_000])
    let teller = StoryTeller(configuration: EngineConfiguration())
    #expect(!teller.keepsFates && teller.fates.isEmpty && teller.watchedFrame == nil)
    #expect(StoryTeller.probeRowsMaximum == 4_096)
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
    #expect(made(.renewed(margin: .seconds(2)), 0) == "renewed for 0 s, with 2 s left")
    #expect(made(.renewed(margin: .seconds(2)), -1) == "renewed, with 2 s left")
    #expect(made(.renewed(margin: .seconds(2)), 1) == "renewed for 1 s, with 2 s left")
    #expect(made(.copied, 0) == "a copy, which changes nothing, for 0 s")
    #expect(made(.copied, -1) == "a copy, which changes nothing")
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
      #expect(line.contains("\"leaseSeconds\":\(seconds)") == (seconds >= 0), "\(line)")
    }
  }

  @Test("files that are merged say how many datagrams they share, from one on")
  func overlaps() {
    var overlap = CaptureOverlap(files: 2)
    let names = FrameNames(labels: ["a", "b"])
    #expect(overlap.sentence(names) == "2 files (a, b) merged by time; no datagram is in more than one")
    overlap.count = 1
    #expect(overlap.sentence(names).hasPrefix("2 files (a, b) merged by time; 1 datagram in more than one, "))
  }

  @Test("who is asked about is an address, uuid: with something behind it, or a UUID of the standard form")
  func parties() {
    #expect(StoryParty("192.168.1.20") == .address(Self.lamp))
    #expect(StoryParty("UUID:Lamp") == .uuid("lamp") && StoryParty("uuid:l") == .uuid("l"))
    #expect(StoryParty("uuid:lamp::upnp:rootdevice") == .uuid("lamp"))
    let standard = "2fac1234-31f8-41b4-a222-08002b34c003"
    #expect(StoryParty(standard) == .uuid(standard) && StoryParty(standard.uppercased()) == .uuid(standard))
    for text in ["", "uuid:", "lamp", "uuid::a", String(standard.dropLast()), standard + "0", standard + "-"] {
      #expect(StoryParty(text) == nil, "\(text)")
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
    #expect([1, 2, 8, 9, 10, 40].map(rows) == [2, 3, 9, 2, 2, 2])
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
