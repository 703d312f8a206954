import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
import RollcallWire
import Testing

@testable import RollcallExplaining

/// A teller that is told by hand: what it keeps of searches, of devices, and of what made no device.
@Suite("What a teller keeps")
struct StoryTellerTests {
  private static let lamp = IPAddress(192, 168, 1, 20)
  private static let hub = IPAddress(192, 168, 1, 21)
  private static let socket = Endpoint(IPAddress(192, 168, 1, 10), port: 50_000)
  private static let group = Endpoint(.ssdpGroup4, port: 1_900)

  private static func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

  private static func hearing(
    _ frame: Int, _ seconds: Int64, from address: IPAddress = lamp, uuid: String = "", kind: SSDPKind? = .response,
    refusedAt offset: Int? = nil
  ) -> StoryTeller.Hearing {
    var hearing = StoryTeller.Hearing(
      frame: frame, time: at(seconds), source: Endpoint(address, port: 1_900), destination: socket,
      interface: InterfaceID(0), isOwn: false)
    hearing.kind = kind
    hearing.uuid = uuid
    hearing.target = Array("upnp:rootdevice".utf8)
    hearing.rejection = offset.map { Rejection(.noColon, at: $0) }
    hearing.payload = Array("NOTIFY * HTTP/1.1".utf8)
    return hearing
  }

  private static func teller(_ party: StoryParty? = nil, _ bounds: StoryTeller.Bounds = .init()) -> StoryTeller {
    StoryTeller(party: party, configuration: EngineConfiguration(), bounds: bounds)
  }

  private static func search(_ number: UInt32, _ target: String = "upnp:rootdevice") -> Search {
    Search(id: SearchID(number), target: target, maximumWaitSeconds: 1, broadcasts: 1)
  }

  private static func announcement(_ frame: Int, _ seconds: Int64, lease: Int) -> Announcement {
    var made = Announcement(
      type: "notify-alive", target: "upnp:rootdevice", source: Endpoint(lamp, port: 1_900), frame: frame,
      time: at(seconds))
    made.leaseSeconds = lease
    return made
  }

  private static func key(_ name: String) -> StoryTeller.PromiseKey {
    StoryTeller.PromiseKey(usn: Array(name.utf8), target: [], family: .v4, interface: InterfaceID(0))
  }

  /// A device with these promises, as if it had been found.
  private static func live(_ teller: StoryTeller, _ name: String, _ promises: [String: Announcement] = [:]) {
    teller.lifeByName[name] = teller.lives.count
    var life = StoryTeller.Life(story: DeviceStory(device: name, source: lamp, interface: InterfaceID(0)))
    for (usn, promise) in promises { life.promises[key(usn)] = promise }
    teller.promiseCount += promises.count
    teller.lives.append(life)
  }

  private static func sighting(_ device: String, _ location: String?, _ source: IPAddress = hub) -> DeviceSighting {
    DeviceSighting(device: device, location: location, source: source, interface: InterfaceID(3), bootID: 7)
  }

  // MARK: Searches

  @Test("a search listens as long as its latest copy asks for, whichever is told first")
  func listening() {
    let teller = Self.teller()
    teller.searched(Self.search(1), from: Self.socket, at: Self.at(10))
    let end = teller.story.searches[0].end
    teller.listens(Self.search(1), from: Self.at(5))
    expectEqual(teller.story.searches[0].end, end)
    teller.listens(Self.search(1), from: Self.at(12))
    expectEqual(teller.story.searches[0].end, end + .seconds(2))
    teller.listens(Self.search(2), from: Self.at(50))
    teller.searched(Self.search(1), from: Self.socket, at: Self.at(11))
    #expect(teller.story.searches[0].end == end + .seconds(2) && teller.story.searches.count == 1)
  }

  @Test("copies that the network made are none; what no frame shows was sent, however soon")
  func copies() {
    let soon = Self.at(10) + .milliseconds(1)
    for (frame, other, identification, copies) in [
      (2, Self.socket, 7, 1), (2, Self.socket, 8, 2), (nil, Self.socket, 7, 2),
      (2, Endpoint(Self.hub, port: 50_000), 7, 2),
    ] as [(Int?, Endpoint, Int32, Int)] {
      let teller = Self.teller()
      teller.searched(Self.search(1), from: Self.socket, frame: 1, identification: 7, at: Self.at(10))
      teller.searched(Self.search(1), from: other, frame: frame, identification: identification, at: soon)
      expectEqual(teller.story.searches[0].copies, copies)
    }
  }

  @Test("a search has ended when it is told so, when it failed, or when the capture goes on to its end")
  func ends() {
    func told(_ last: Instant, _ report: Report? = nil) -> [Bool] {
      let teller = Self.teller()
      teller.tick(Self.at(0))
      teller.searched(Self.search(1), from: Self.socket, at: Self.at(10))
      expectEqual(teller.story.searches[0].end, Self.at(10) + Self.search(1).capturedListening)
      if let report { teller.report(report, at: Self.at(11), frame: 9) }
      let before = teller.story.searches[0].hasEnded
      teller.tick(last)
      return [before, teller.finished(frames: 9).searches[0].hasEnded]
    }
    let end = Self.at(10) + Self.search(1).capturedListening
    #expect(told(Self.at(10)) == [false, false] && told(Instant(nanoseconds: end.nanoseconds - 1)) == [false, false])
    #expect(told(end) == [false, true] && told(Self.at(30)) == [false, true])
    let ended = Report.searchEnded(SearchOutcome(search: SearchID(1), target: "", services: [], wasStopped: true))
    #expect(told(Self.at(10), ended) == [true, true] && told(Self.at(11), ended) == [true, true])
    func failed(_ reason: Failure.Reason, _ search: UInt32?) -> [Bool] {
      told(Self.at(10), .failed(Failure(reason: reason, search: search.map { SearchID($0) }, explanation: "no")))
    }
    expectEqual(failed(.noInterface, 1), [true, true])
    #expect(failed(.cannotSend, 1) == [false, false] && failed(.searchIdUsed, 1) == [false, false])
    #expect(failed(.noInterface, 2) == [false, false] && failed(.noInterface, nil) == [false, false])
  }

  @Test("services are counted one by one, devices once, and 256 names of them are kept")
  func services() {
    let teller = Self.teller()
    teller.searched(Self.search(1), from: Self.socket, at: Self.at(10))
    func served(_ device: Int) {
      let service = ServiceSighting(search: SearchID(1), device: "uuid:\(device)", usn: "", target: "", location: nil)
      teller.report(.service(service), at: Self.at(11), frame: 1)
    }
    for device in 0..<255 { served(device) }
    served(0)
    #expect(teller.story.searches[0].deviceNames.count == 255 && teller.story.searches[0].services == 256)
    served(255)
    served(256)
    expectEqual(teller.story.searches[0].deviceNames.count, 256)
    #expect(teller.story.searches[0].devices == 257 && teller.story.searches[0].services == 258)
  }

  // MARK: Devices

  @Test("what is found is where the engine says that it is")
  func found() {
    let teller = Self.teller()
    Self.live(teller, "uuid:a")
    #expect(!teller.lives[0].isLeft && !teller.lives[0].isUnited && teller.lives[0].goneAt == nil)
    teller.report(.found(Self.sighting("uuid:a", nil)), at: Self.at(1), frame: 1)
    let story = teller.lives[0].story
    #expect(story.source == Self.hub && story.interface == InterfaceID(3) && !story.hadLocation)
    teller.report(.found(Self.sighting("uuid:a", "http://192.168.1.21/")), at: Self.at(1), frame: 1)
    #expect(teller.lives[0].story.hadLocation && teller.lives[0].story.location == "http://192.168.1.21/")
  }

  @Test("a change tells the new place, and a LOCATION that was had once stays had")
  func changed() {
    let teller = Self.teller()
    Self.live(teller, "uuid:a")
    let change = Change.address(from: Self.lamp)
    teller.report(.changed(Self.sighting("uuid:a", nil), change), at: Self.at(1), frame: 1)
    #expect(teller.lives[0].story.source == Self.hub && teller.lives[0].bootID == 7)
    #expect(!teller.lives[0].story.hadLocation)
    let location = "http://192.168.1.20/"
    teller.report(.changed(Self.sighting("uuid:a", location, Self.lamp), change), at: Self.at(2), frame: 2)
    #expect(teller.lives[0].story.source == Self.lamp && teller.lives[0].story.hadLocation)
    expectEqual(teller.lives[0].story.location, location)
    teller.report(.changed(Self.sighting("uuid:a", nil, Self.lamp), change), at: Self.at(3), frame: 3)
    #expect(teller.lives[0].story.hadLocation && teller.lives[0].story.location == nil)
    expectEqual(teller.lives[0].story.events.count, 3)
  }

  @Test("what a part promised its root promises, and what both promised counts once")
  func united() {
    let teller = Self.teller()
    let (early, late) = (Self.announcement(1, 1, lease: 100), Self.announcement(2, 2, lease: 200))
    Self.live(teller, "uuid:a", ["uuid:b": early])
    Self.live(teller, "uuid:b", ["uuid:b": late, "uuid:b::x": late, "uuid:b::y": early])
    teller.lives[1].isAsked = true
    expectEqual(teller.promiseCount, 4)
    teller.report(.changed(Self.sighting("uuid:a", nil), .united(part: "uuid:b")), at: Self.at(3), frame: 3)
    expectEqual(teller.promiseCount, 3)
    expectEqual(
      teller.lives[0].promises, [Self.key("uuid:b"): late, Self.key("uuid:b::x"): late, Self.key("uuid:b::y"): early])
    #expect(teller.lives[1].promises.isEmpty && teller.lives[1].isUnited && !teller.lives[1].story.isPresent)
    #expect(teller.lives[0].isAsked && !teller.lives[0].isUnited && teller.lives[0].story.isPresent)
    #expect(teller.lives[0].story.events.count == 1 && teller.lives[1].story.events.count == 1)
    // It is found as a part of another one, and a device that is known by its parts alone needs no LOCATION of its own.
    let finished = teller.finished(frames: 3)
    expectEqual(finished.findings.map(\.party), ["uuid:a"])
  }

  @Test("a device that is lost promises nothing any more, and is lost once")
  func lost() {
    let teller = Self.teller()
    Self.live(teller, "uuid:a", ["uuid:a": Self.announcement(1, 1, lease: 100)])
    Self.live(teller, "uuid:b", ["uuid:b": Self.announcement(2, 1, lease: 100)])
    for _ in 0..<2 { teller.report(.lost(device: "uuid:a", cause: .expired), at: Self.at(101), frame: nil) }
    #expect(teller.promiseCount == 1 && teller.lives[0].promises.isEmpty && teller.lives[0].goneAt == Self.at(101))
    #expect(teller.lives[0].story.events.count == 1 && !teller.lives[0].story.isPresent)
    guard case .lost(.expired, let by)? = teller.lives[0].story.events.first?.what else {
      Issue.record("it is not told as lost")
      return
    }
    expectEqual(by, Self.announcement(1, 1, lease: 100))
  }

  @Test("of promises that end at one instant the later frame is the last one")
  func lastPromise() {
    let teller = Self.teller()
    Self.live(
      teller, "uuid:a",
      [
        "uuid:1": Self.announcement(5, 1, lease: 9), "uuid:2": Self.announcement(7, 2, lease: 8),
        "uuid:3": Self.announcement(6, 0, lease: 10), "uuid:4": Self.announcement(8, 2, lease: 9),
      ])
    teller.report(.lost(device: "uuid:a", cause: .expired), at: Self.at(10), frame: nil)
    guard case .lost(_, let by)? = teller.lives[0].story.events.first?.what else {
      Issue.record("it is not told as lost")
      return
    }
    expectEqual(by?.frame, 7)
  }

  @Test("a promise without a lease ends when it is made")
  func promiseEnds() {
    let ends = [-1, 0, 1, 1_800].map { Self.announcement(1, 5, lease: $0).end }
    expectEqual(ends, [Self.at(5), Self.at(5), Self.at(6), Self.at(1_805)])
  }

  @Test("what an update changed is told as a change, and as nothing where no report followed")
  func updates() {
    let teller = Self.teller(.address(Self.lamp))
    let hearing = Self.hearing(1, 1, kind: .notifyUpdate)
    teller.updated(hearing, [])
    teller.updated(hearing, [(Self.at(1), .lost(device: "uuid:a", cause: .rebooted))])
    teller.updated(hearing, [(Self.at(1), .changed(Self.sighting("uuid:a", nil), .bootID(from: 1)))])
    teller.updated(hearing, [(Self.at(1), .found(Self.sighting("uuid:a", nil)))])
    expectEqual(teller.datagrams.map(\.made), [.nothing(.updateOfNothing), .changed])
    expectEqual(teller.datagrams.map(\.count), [2, 2])
  }

  @Test("LOCATIONs that may not be used are events up to the bound, and then no more")
  func refusedLocations() {
    for (bound, events) in [(1, 1), (2, 2), (3, 3), (20, 8)] {
      var bounds = StoryTeller.Bounds()
      bounds.eventsPerDevice = bound
      let teller = Self.teller(nil, bounds)
      Self.live(teller, "uuid:a")
      for number in 0..<10 {
        teller.locationRefused(0, "http://\(number)/", .absent, Self.hearing(number, 1))
        teller.locationRefused(0, "http://\(number)/", .absent, Self.hearing(number, 1))
      }
      expectEqual(teller.lives[0].story.events.count, events)
      #expect(teller.lives[0].story.events.allSatisfy { $0.count == 2 } && teller.lives[0].story.cut == 0)
    }
  }

  // MARK: Probes

  @Test("a probe has 4096 rows, and counts those that it does not keep; one name counts once while it is there")
  func probes() {
    let probe = Probe(target: "upnp:rootdevice", at: .zero, maximumWaitSeconds: 1, broadcasts: 1)
    let teller = StoryTeller(configuration: EngineConfiguration(), probe: probe)
    teller.tick(Self.at(0))
    func announce(_ number: Int) {
      var hearing = Self.hearing(number, 1, kind: .notifyAlive)
      hearing.usn = Array("uuid:\(number)".utf8)
      teller.probe("uuid:\(number)", hearing, Self.announcement(number, 1, lease: 100))
    }
    func rows() -> [Int] { [teller.story.probe?.rows.count ?? -1, teller.story.probe?.cut ?? -1] }
    for number in 0..<4_095 { announce(number) }
    announce(0)
    expectEqual(rows(), [4_095, 0])
    announce(4_095)
    expectEqual(rows(), [4_096, 0])
    announce(4_096)
    expectEqual(rows(), [4_096, 1])
    announce(4_097)
    expectEqual(rows(), [4_096, 2])
    var outcome = teller.story.probe
    for (cut, line) in [(0, nil), (1, "… and 1 more"), (2, "… and 2 more")] as [(Int, String?)] {
      outcome?.cut = cut
      let lines = outcome.map { ProbeText.rows($0, since: .zero, names: FrameNames()) } ?? []
      expectEqual(lines.first { $0.hasPrefix("…") }, line)
    }
  }

  // MARK: What made no device

  @Test("answers that nobody asked for are messages, counted with their senders")
  func unasked() {
    let teller = Self.teller()
    for number in 1...3 { teller.passedUnasked(Self.hearing(number, Int64(number))) }
    teller.passedBy(Self.hearing(4, 4))
    #expect(teller.story.messages == 4 && teller.story.unmade.map(\.count) == [3, 1])
    #expect(teller.parties.count == 1 && teller.parties[0].others == 4 && teller.parties[0].searches == 0)
  }

  @Test("like datagrams are one, with the least and the most of where they failed and how late they were")
  func ranges() {
    let teller = Self.teller()
    for (frame, offset, late) in [(1, 30, 5), (2, 20, 9), (3, 40, 2), (4, 35, 6)] {
      teller.unmade(.late(search: 1), Self.hearing(frame, 1, refusedAt: offset), lateness: .seconds(Int64(late)))
    }
    #expect(teller.story.unmade.count == 1 && teller.story.unmade[0].count == 4)
    #expect(teller.story.unmade[0].offsets == 20...40 && teller.story.unmade[0].lateness == .seconds(2) ... .seconds(9))
    expectEqual(teller.story.unmade[0].excerpt, nil)
    teller.unmade(.late(search: 2), Self.hearing(5, 1, refusedAt: 6), lateness: .seconds(1))
    expectEqual(teller.story.unmade[1].excerpt?.contains("»"), true)
  }

  @Test("of an address the searches of others are left out, its own searches and other messages of others are not")
  func searchesOfOthers() {
    let teller = Self.teller(.address(Self.lamp))
    teller.unmade(.otherSearch, Self.hearing(1, 1, from: Self.hub, kind: .search))
    #expect(teller.story.unmade.isEmpty)
    teller.unmade(.otherSearch, Self.hearing(2, 1, kind: .search))
    teller.unmade(.otherSearch, Self.hearing(3, 1, from: Self.hub, kind: .notifyAlive))
    expectEqual(teller.story.unmade.map(\.frames), [FrameRanges(2), FrameRanges(3)])
  }

  @Test("of senders of one reason the findings are one, over all of their offsets and delays")
  func findings() {
    func text(_ parts: [(address: IPAddress, offset: Int?, late: Int64?)]) -> String? {
      let teller = Self.teller(.uuid("a"))
      for (index, part) in parts.enumerated() {
        let hearing = Self.hearing(index + 1, 1, from: part.address, uuid: "a", refusedAt: part.offset)
        teller.note(hearing)
        let reason = part.late == nil ? UnmadeReason.refused(.noColon) : .late(search: 1)
        teller.unmade(reason, hearing, lateness: part.late.map { .seconds($0) })
      }
      return teller.finished(frames: 9).findings.first?.text
    }
    let other = IPAddress(192, 168, 1, 22)
    let one = text([(Self.lamp, nil, 3)]) ?? ""
    #expect(text([(Self.lamp, nil, 3), (Self.hub, nil, 3)]) != one)
    let ordered = text([(Self.lamp, nil, 2), (Self.hub, nil, 5), (other, nil, 9)])
    #expect(ordered?.contains("2 s") == true && ordered?.contains("9 s") == true, "\(ordered ?? "")")
    for parts in [[5, 2, 9], [9, 5, 2], [2, 9, 5]] as [[Int64]] {
      expectEqual(text([(Self.lamp, nil, parts[0]), (Self.hub, nil, parts[1]), (other, nil, parts[2])]), ordered)
    }
    let offsets = text([(Self.lamp, 20, nil), (Self.hub, 5, nil), (other, 40, nil)])
    #expect(offsets?.contains("5") == true && offsets?.contains("40") == true, "\(offsets ?? "")")
    for parts in [[5, 20, 40], [40, 5, 20], [20, 40, 5]] {
      expectEqual(text([(Self.lamp, parts[0], nil), (Self.hub, parts[1], nil), (other, parts[2], nil)]), offsets)
    }
    // A sender with both ends of the range, before and behind one within it.
    let wide = text([(Self.hub, nil, 2), (Self.hub, nil, 9), (Self.lamp, nil, 5)])
    expectEqual(wide, text([(Self.lamp, nil, 5), (Self.hub, nil, 2), (Self.hub, nil, 9)]))
    #expect(wide?.contains("2 s") == true && wide?.contains("9 s") == true)
    let far = text([(Self.hub, 5, nil), (Self.hub, 40, nil), (Self.lamp, 20, nil)])
    #expect(far == text([(Self.lamp, 20, nil), (Self.hub, 5, nil), (Self.hub, 40, nil)]) && far == offsets)
    // One of them says no offset.
    expectEqual(text([(Self.lamp, nil, nil), (Self.hub, 5, nil)]), text([(Self.hub, 5, nil), (Self.lamp, nil, nil)]))
  }

  @Test("a sender whose message names a UUID has its answer under that, and one that only searched under its address")
  func senders() {
    let teller = Self.teller()
    let named = Self.hearing(1, 1, uuid: "a", refusedAt: 4)
    teller.note(named)
    teller.unmade(.refused(.noColon), named)
    let unnamed = Self.hearing(2, 1, refusedAt: 4)
    teller.note(unnamed)
    teller.unmade(.refused(.noColon), unnamed)
    let search = Self.hearing(3, 1, from: Self.hub, kind: .search)
    teller.note(search)
    teller.unmade(.otherSearch, search)
    let findings = teller.finished(frames: 3).findings
    expectEqual(findings.map(\.party), ["uuid:a", Self.hub.description])
    expectEqual(findings.map(\.kind), [.refused, .searchesOnly])
  }

  @Test("messages of an address are told by kind, and kinds that it did not send are not")
  func messageCounts() {
    func told(_ kinds: [SSDPKind]) -> [String] {
      let teller = Self.teller(.address(Self.lamp))
      for (index, kind) in kinds.enumerated() { teller.note(Self.hearing(index + 1, 1, kind: kind)) }
      return teller.finished(frames: 9).presence?.messages.map { "\($0.name) \($0.count)" } ?? []
    }
    #expect(told([]) == [] && told([.search]) == ["searches 1"])
    expectEqual(told([.notifyAlive]), ["announcements and answers 1"])
    expectEqual(told([.search, .response, .search]), ["announcements and answers 1", "searches 2"])
  }

  @Test("what was made of datagrams is kept up to a bound, of a party that is named and of nobody else")
  func kept() {
    for (bound, count) in [(0, 0), (1, 1), (3, 3), (9, 5)] {
      var bounds = StoryTeller.Bounds()
      bounds.fates = bound
      let teller = Self.teller(nil, bounds)
      teller.keepsFates = true
      for number in 0..<5 { teller.passedUnasked(Self.hearing(number, 1)) }
      #expect(teller.fates.count == count && teller.cuts.map(\.count) == (count < 5 ? [5 - count] : []))
      #expect(teller.datagrams.isEmpty)
    }
    #expect(!Self.teller().isOfParty(Self.hearing(1, 1)) && !Self.teller().concerns(Self.hearing(1, 1)))
    let lamp = Self.teller(.address(Self.lamp))
    #expect(lamp.isOfParty(Self.hearing(1, 1)) && !lamp.isOfParty(Self.hearing(1, 1, from: Self.hub)))
  }

  @Test("a frame that is watched says what was made of it, and what is wrong with its LOCATION")
  func watched() {
    for (verdict, lines) in [(LocationVerdict.usable, 1), (.absent, 1), (.tooLong(bytes: 9), 2)] {
      let teller = Self.teller()
      teller.watchedFrame = 1
      var hearing = Self.hearing(1, 1)
      hearing.verdict = verdict
      hearing.location = Array("http://192.168.1.20/".utf8)
      teller.told(hearing, .changed)
      teller.told(Self.hearing(2, 1), .changed)
      expectEqual(teller.watchedMade.count, lines)
      expectEqual(teller.watchedMade.last?.hasPrefix("LOCATION not handed on: "), (lines == 2))
    }
  }

  @Test("a name is over the engine's bound from one byte beyond it, and a message that cannot be read never is")
  func longNames() {
    func reason(_ usn: Int, _ target: Int, _ kind: SSDPKind? = .notifyAlive) -> UnmadeReason? {
      let teller = Self.teller()
      var hearing = Self.hearing(1, 1, kind: kind)
      hearing.usn = Array(repeating: 65, count: usn)
      hearing.target = Array(repeating: 65, count: target)
      teller.refused(hearing, Rejection(.tooLong, at: 0))
      return teller.story.unmade.first?.reason
    }
    let most = EngineConfiguration().limits.nameBytes
    #expect(reason(most, 1) == .refused(.tooLong) && reason(1, most) == .refused(.tooLong))
    #expect(reason(most + 1, 1) == .bound("name-bytes") && reason(1, most + 1) == .bound("name-bytes"))
    expectEqual(reason(most + 1, 1, nil), .refused(.tooLong))
  }

  @Test("a message that is not read yet has no LOCATION, no max-age and no lease")
  func unread() {
    let hearing = Self.hearing(1, 1)
    #expect(!hearing.hasLocation && hearing.openLeases == 0 && hearing.maximumAgeSeconds == -1)
    #expect(hearing.leaseSeconds == -1 && hearing.identification == -1 && hearing.verdict == .usable)
  }
}
