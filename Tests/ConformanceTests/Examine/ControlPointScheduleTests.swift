import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallExaminers

@Suite("The schedule of an examination of a control point")
struct ControlPointScheduleTests {
  private let type = "urn:schemas-upnp-org:device:Basic:1"
  private func ms(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  /// An examination of one run, begun at zero without a command.
  private func begun(
    _ run: ControlPointRun, floodCount: Int = 4, duration: Interval? = nil
  ) -> ControlPointExamination {
    var setting = Examined.setting()
    (setting.hasCommand, setting.floodCount, setting.duration) = (false, floodCount, duration)
    var examination = ControlPointExamination(setting)
    examination.queue = [run]
    examination.begin(at: .zero)
    return examination
  }

  private func search(
    _ examination: inout ControlPointExamination, _ target: String, wait: Int = 1, port: UInt16 = 4_000, at now: Instant
  ) {
    let lines = [
      "M-SEARCH * HTTP/1.1", "HOST: 239.255.255.250:1900", "MAN: \"ssdp:discover\"", "MX: \(wait)", "ST: \(target)", "",
      "",
    ]
    examination.hear(
      Array(lines.joined(separator: "\r\n").utf8), from: Endpoint(Examined.control, port: port),
      to: Endpoint(.ssdpGroup4, port: 1_900), at: now)
  }

  private func state(_ examination: ControlPointExamination) -> String {
    "\(examination.phase) until \(examination.phaseEnd - Instant.zero)"
  }

  private func agenda(_ examination: ControlPointExamination) -> [String] {
    examination.agenda.map { (one: ControlPointExamination.Appointment) -> String in
      let time = "\(one.time - Instant.zero)"
      switch one.what {
      case .bait(let number): return "\(time) bait \(number)"
      case .story(let number, let step): return "\(time) story \(number).\(step)"
      case .farewell(let number): return "\(time) farewell \(number)"
      }
    }
  }

  private func baits(_ examination: ControlPointExamination) -> [String] {
    examination.baits.map { "\($0.probe.rawValue) \($0.role) \($0.variant)" }
  }

  /// What was sent: when, to whom, as what, and the last digits of the device that it names.
  private func sent(_ examination: ControlPointExamination) -> [String] {
    examination.log.entries.filter(\.isSent).map { (entry: ControlPointLog.Entry) -> String in
      let text = String(decoding: entry.bytes, as: UTF8.self)
      let kind = text.contains("NTS: ssdp:byebye") ? "byebye" : text.hasPrefix("NOTIFY ") ? "alive" : "answer"
      let digits = text.firstMatch(of: /USN: uuid:b4170000-0000-4000-8000-([0-9a-f]{12})/)?.1.suffix(2) ?? "no"
      let to = entry.destination.address.isMulticast ? "group" : "\(entry.destination)"
      return "\(entry.time - Instant.zero) \(kind) \(digits) to \(to)"
    }
  }

  /// Moves it on at each of its deadlines up to a time.
  private func move(_ examination: inout ControlPointExamination, to end: Instant) {
    while let deadline = examination.deadline, deadline <= end { examination.advance(to: deadline) }
  }

  // MARK: - Plans

  @Test("announcements leave every 30 ms and a second time 250 ms later, and the device is put between good ones")
  func announcements() {
    var examination = begun(ControlPointRun(way: .announcement, probes: [.nameCase, .noUSN]))
    examination.advance(to: .zero)
    expectEqual(
      baits(examination),
      ["byebye control 0", "name-case probe 0", "no-usn probe 0", "no-usn companion 0", "byebye control 0"])
    expectEqual(
      agenda(examination),
      [
        "50ms bait 0", "80ms bait 1", "110ms bait 2", "140ms bait 3", "170ms bait 4", "300ms bait 0", "330ms bait 1",
        "360ms bait 2", "390ms bait 3", "420ms bait 4",
      ])
    expectEqual(state(examination), "acting until 421ms")
  }

  @Test("stories begin 12 ms after one another, and the neighbour is announced again when short leases are over")
  func stories() {
    var examination = begun(ControlPointRun(way: .story, probes: [.byebye, .expiry]))
    examination.advance(to: .zero)
    expectEqual(baits(examination), ["neighbours control 0", "byebye probe 0", "expiry probe 0"])
    expectEqual(
      agenda(examination),
      [
        "20ms story 0.0", "32ms story 1.0", "44ms story 2.0", "344ms story 2.1", "820ms story 0.1", "832ms story 1.1",
        "2032ms story 1.2", "2232ms story 1.3", "5200ms story 0.1",
      ])
    expectEqual(state(examination), "acting until 5201ms")
    // Of two messages at one time the one that was planned first leaves first.
    let probes = [ControlPointProbe](repeating: .expiry, count: 26)
    var many = begun(ControlPointRun(way: .story, probes: probes))
    many.advance(to: .zero)
    expectEqual(agenda(many).filter { $0.hasPrefix("332ms ") }, ["332ms story 1.1", "332ms story 26.0"])
  }

  @Test("each story has its steps, with their times, their messages of the set and their values")
  func steps() {
    func step(
      _ after: String, _ kind: String = "alive", parts: String = "012", boot: String = "1", next: Int = 0,
      config: String = "1", age: String = "1800", path: String = "own", capitals: Bool = false
    ) -> String { "\(after) \(kind) \(parts) \(boot) \(next) \(config) \(age) \(path) \(capitals)" }
    let begin: [String] = [step("0s"), step("800ms")]
    func turned(_ start: [String], _ make: (String) -> String) -> [String] { start + [make("2s"), make("2200ms")] }
    func short(_ age: String) -> [String] { [step("0s", age: age), step("300ms", age: age)] }
    func ordered(_ parts: String) -> [String] { [step("0s", parts: parts), step("800ms", parts: parts)] }
    func booted(_ boot: String) -> [String] { [step("0s", boot: boot), step("800ms", boot: boot)] }
    let capitals: [String] = [step("0s", capitals: true), step("800ms", capitals: true)]
    let update: [String] = [step("2s", "update", next: 2), step("2400ms", boot: "2"), step("2600ms", boot: "2")]
    let renewals: [String] = ["2s", "3500ms", "5s"].map { step($0, parts: "2", age: "3") }
    var rows: [(probe: ControlPointProbe, steps: [[String]])] = [
      (.neighbours, [begin]), (.setOrder, [begin, ordered("210"), ordered("120")]), (.update, [begin + update]),
      (.expiry, [short("3")]), (.keptByPart, [short("3") + renewals]),
      (.oddMaxAge, [short("0"), short("-1"), short("65539"), short("4294967299")]),
    ]
    rows.append((.byebye, [turned(begin) { step($0, "byebye") }]))
    let parts: [[String]] = ["1", "2"].map { part in turned(begin) { step($0, "byebye", parts: part) } }
    rows.append((.byebyePart, parts))
    let higher = turned(begin) { step($0, boot: "2") }
    let lower = turned(booted("5")) { step($0, boot: "3") }
    rows.append((.reboot, [higher, lower]))
    rows.append((.bootZeros, [turned(booted("7")) { step($0, boot: "007") }]))
    let first = turned(begin) { step($0, "byebye", capitals: true) }
    let second = turned(capitals) { step($0, "byebye") }
    rows.append((.uuidCase, [first, second]))
    rows.append((.newConfig, [turned(begin) { step($0, config: "2") }]))
    rows.append((.newLocation, [turned(begin) { step($0, path: "second") }]))
    for row in rows {
      for (variant, expected) in row.steps.enumerated() {
        let found = ControlPointStory.steps(row.probe, variant).map { (one: ControlPointStory.Step) -> String in
          let parts = one.parts.map { "\($0)" }.joined()
          return "\(one.after) \(one.kind) \(parts) \(one.boot) \(one.nextBoot) \(one.config) \(one.maxAge) "
            + "\(one.path) \(one.isUpperCase)"
        }
        expectEqual(found, expected, "\(row.probe) \(variant)")
      }
    }
  }

  @Test("answers leave every 40 ms, or closer where MX is short, and the devices follow from the target of the search")
  func answers() {
    let many: [ControlPointProbe] = [
      .nameCase, .blanks, .fieldOrder, .unknownFields, .anyUUID, .higherMinor, .moreDirectives, .eightBit,
      .higherVersion, .higherST,
    ]
    // Half a second for twelve, with a gap behind each; a second and a half has room enough.
    for (wait, second, last) in [
      (1, "88461538ns bait 1", "473076918ns bait 11"), (2, "90ms bait 1", "490ms bait 11"),
    ] {
      var examination = begun(ControlPointRun(way: .answer, probes: many))
      search(&examination, type, wait: wait, at: .zero)
      let times = agenda(examination)
      expectEqual([times[0], times[1], times[11]], ["50ms bait 0", second, last])
      expectEqual(times.count, 12)
    }
    let values: [ControlPointProbe] = [.wrongST, .valueCase, .copies]
    let rows: [(target: String, probes: [ControlPointProbe], company: ControlPointRun.Company, baits: [String])] = [
      (
        type, values, .good,
        [
          "byebye control 0", "wrong-st probe 0", "wrong-st probe 1", "wrong-st companion 0", "value-case probe 0",
          "value-case probe 1", "value-case companion 0", "byebye control 0",
        ]
      ),
      (
        "upnp:rootdevice", values, .good,
        [
          "byebye control 0", "wrong-st probe 0", "wrong-st companion 0", "value-case probe 0", "value-case probe 1",
          "value-case companion 0", "byebye control 0",
        ]
      ),
      ("ssdp:all", values, .good, ["byebye control 0", "byebye control 0"]),
      ("upnp:rootdevice", [.higherVersion, .higherST], .good, ["byebye control 0", "byebye control 0"]),
      (type, [.wrongST], .none, ["wrong-st probe 0", "wrong-st probe 1"]),
      (type, [], .only, ["byebye control 0", "byebye control 0", "byebye control 0"]),
    ]
    for row in rows {
      var examination = begun(ControlPointRun(way: .answer, probes: row.probes, company: row.company))
      search(&examination, row.target, at: .zero)
      expectEqual(baits(examination), row.baits, "\(row.target) \(row.probes)")
    }
  }

  // MARK: - Copies of a search

  @Test("answers at the end of MX are put off by copies of the search, and by no other search of the control point")
  func copies() {
    var examination = begun(ControlPointRun(way: .answer, probes: [.nameCase, .lastMoment, .late]))
    search(&examination, type, wait: 2, at: ms(100))
    expectEqual(
      agenda(examination), ["150ms bait 0", "190ms bait 1", "230ms bait 2", "1950ms bait 3", "4100ms bait 4"])
    expectEqual(state(examination), "acting until 4101ms")
    search(&examination, type, wait: 2, at: ms(600))
    expectEqual(agenda(examination), ["2450ms bait 3", "4600ms bait 4"])
    expectEqual(state(examination), "acting until 4601ms")
    // The last moment has passed: another copy is answered by another device.
    search(&examination, type, wait: 2, at: ms(2_500))
    let third = ["4350ms bait 5", "6500ms bait 4"]
    expectEqual(agenda(examination), third)
    expectEqual(state(examination), "acting until 6501ms")
    search(&examination, type, wait: 5, port: 4_001, at: ms(2_600))
    search(&examination, "upnp:rootdevice", wait: 5, at: ms(2_600))
    expectEqual(agenda(examination), third)
    expectEqual(examination.run?.maximumWaitSeconds, 2)
    expectEqual(examination.run?.lastCopy, ms(2_500))
    expectEqual(examination.run?.firstSearch, ms(100))
    // More than ten seconds are not waited for.
    search(&examination, type, wait: 11, at: ms(2_700))
    expectEqual(agenda(examination), third)
    expectEqual(examination.run?.maximumWaitSeconds, 10)
    expectEqual(examination.run?.isWaitCut, true)
    expectEqual(
      examination.obstacle(.late, .answer), "its MX is more than 10 s, which is not waited for")
    search(&examination, type, wait: 10, at: ms(2_800))
    expectEqual(agenda(examination), ["12650ms bait 5", "14800ms bait 4"])
    expectEqual(examination.run?.isWaitCut, false)
    expectEqual(examination.obstacle(.late, .answer), nil)
  }

  @Test("six devices answer at the last moment at most, and copies 15 seconds after the first put nothing off")
  func copyBounds() {
    var examination = begun(ControlPointRun(way: .answer, probes: [.lastMoment, .late]))
    for second in 0...5 as ClosedRange<Int64> { search(&examination, type, at: ms(second * 1_000)) }
    expectEqual(agenda(examination), ["5850ms bait 8", "8s bait 3"])
    search(&examination, type, at: ms(6_000))
    expectEqual(agenda(examination), ["9s bait 3"])
    expectEqual(baits(examination).filter { $0.hasPrefix("last-moment") }.count, 6)
    for second in 7...14 as ClosedRange<Int64> { search(&examination, type, at: ms(second * 1_000)) }
    search(&examination, type, at: ms(15_000) - .nanoseconds(1))
    expectEqual(agenda(examination), ["17999999999ns bait 3"])
    search(&examination, type, at: ms(15_000))
    expectEqual(agenda(examination), ["17999999999ns bait 3"])
  }

  @Test("a copy that comes when all is sent makes it act again where something answers it, or where copies are counted")
  func lateCopies() {
    let rows: [(probe: ControlPointProbe, end: Int64, first: String, second: String, agenda: [String])] = [
      (.lastMoment, 851, "settling until 4851ms", "acting until 2851ms", ["2850ms bait 3"]),
      (.copies, 2_000, "settling until 6s", "acting until 4s", []),
      (.nameCase, 131, "settling until 4131ms", "settling until 4131ms", []),
    ]
    for row in rows {
      var examination = begun(ControlPointRun(way: .answer, probes: [row.probe]))
      search(&examination, type, at: .zero)
      move(&examination, to: ms(row.end))
      expectEqual(state(examination), row.first, "\(row.probe)")
      search(&examination, type, at: ms(2_000))
      expectEqual(state(examination), row.second, "\(row.probe)")
      expectEqual(agenda(examination), row.agenda, "\(row.probe)")
    }
  }

  // MARK: - Sending

  @Test("half of a flood answers where somebody searched, and good devices go both ways; else all of it is announced")
  func flood() {
    var asked = begun(ControlPointRun(way: .flood, probes: [.flood]))
    search(&asked, type, at: .zero)
    move(&asked, to: ms(1_900))
    let asker = "10.77.1.20:4000"
    expectEqual(
      sent(asked),
      [
        "20ms answer 00 to \(asker)", "20ms alive 00 to group", "100ms alive 01 to group",
        "350ms answer 02 to \(asker)", "600ms alive 03 to group", "850ms answer 04 to \(asker)",
        "1600ms answer 05 to \(asker)", "1600ms alive 05 to group", "1900ms answer 05 to \(asker)",
        "1900ms alive 05 to group",
      ])
    var unasked = begun(ControlPointRun(way: .flood, probes: [.flood]))
    move(&unasked, to: ms(21_900))
    expectEqual(
      sent(unasked),
      [
        "20020ms alive 00 to group", "20100ms alive 01 to group", "20350ms alive 02 to group",
        "20600ms alive 03 to group", "20850ms alive 04 to group", "21600ms alive 05 to group",
        "21900ms alive 05 to group",
      ])
    var least = begun(ControlPointRun(way: .flood, probes: [.flood]), floodCount: 0)
    search(&least, type, at: .zero)
    expectEqual(baits(least), ["flood control 0", "flood many 0", "flood companion 0"])
    expectEqual(agenda(least), ["20ms bait 0", "100ms bait 1", "1600ms bait 2", "1900ms bait 2"])
    // The thirds of a second are cut off to microseconds.
    var thirds = begun(ControlPointRun(way: .flood, probes: [.flood]), floodCount: 3)
    search(&thirds, type, at: .zero)
    expectEqual(
      agenda(thirds),
      ["20ms bait 0", "100ms bait 1", "433333us bait 2", "766666us bait 3", "1600ms bait 4", "1900ms bait 4"])
  }

  @Test("when the time is over, devices that were announced say byebye half a millisecond apart, and it ends")
  func timeOver() {
    var examination = begun(ControlPointRun(way: .announcement, probes: [.noServer]), duration: .milliseconds(100))
    move(&examination, to: ms(99))
    expectEqual(examination.deadline, ms(100))
    move(&examination, to: ms(200))
    expectEqual(
      sent(examination),
      ["50ms alive 00 to group", "80ms alive 01 to group", "100ms byebye 00 to group", "100500us byebye 01 to group"])
    expectEqual(examination.isOver, true)
    expectEqual(examination.deadline, nil)
    // A message that is due at the end is not sent any more, and the runs that are left are not judged.
    var due = begun(ControlPointRun(way: .announcement, probes: [.noServer]), duration: .milliseconds(80))
    due.queue = [ControlPointRun(way: .story, probes: [.byebye])]
    move(&due, to: ms(200))
    expectEqual(sent(due), ["50ms alive 00 to group", "80ms byebye 00 to group"])
    expectEqual(
      due.samples.map { "\($0.way) \($0.probe.rawValue) \($0.outcome)" }, ["announcement no-server unseen"])
    expectEqual(due.isOver, true)
  }

  @Test("an examination that is broken off says byebye at once, in order, and one without its interface says nothing")
  func brokenOff() {
    func announced() -> ControlPointExamination {
      var examination = begun(ControlPointRun(way: .announcement, probes: [.noServer]))
      move(&examination, to: ms(80))
      return examination
    }
    let before = ["50ms alive 00 to group", "80ms alive 01 to group"]
    let whole = before + ["81ms byebye 00 to group", "81ms byebye 01 to group"]
    var broken = announced()
    for time in [81, 82] as [Int64] {
      broken.breakOff(at: ms(time))
      expectEqual(sent(broken), whole)
      expectEqual(broken.isOver, true)
    }
    expectEqual(Set(broken.result().rows.map(\.found)), ["the time was over before this was put"])
    var cut = announced()
    cut.cutOff(at: ms(81))
    expectEqual(cut.isOver, true)
    expectEqual(cut.phase, .over)
    expectEqual(cut.progress, "")
    cut.breakOff(at: ms(82))
    expectEqual(sent(cut), before)
    expectEqual(
      Set(cut.result().rows.map(\.found)),
      ["the examiner's interface went away before this was put to its end"])
  }

  @Test("one call sends 10,000 late messages at most, and the next call the rest")
  func lateMessages() {
    var examination = begun(ControlPointRun(way: .answer, probes: []))
    // Without a search there is nowhere to send it.
    let number = examination.bait(.byebye, .control, .answer)
    let one = ControlPointExamination.Appointment(time: .zero, what: .bait(number))
    examination.agenda = [ControlPointExamination.Appointment](repeating: one, count: 10_002)
    examination.advance(to: .zero)
    expectEqual(examination.agenda.count, 2)
    examination.advance(to: .zero)
    expectEqual(examination.agenda.count, 0)
    expectEqual(state(examination), "waiting until 20s")
  }

  @Test("an answer names the target of the search that it answers, also where another one was heard before")
  func answeredTarget() {
    var examination = begun(ControlPointRun(way: .answer, probes: []))
    examination.searched = "upnp:rootdevice"
    search(&examination, type, at: .zero)
    move(&examination, to: ms(50))
    let texts = examination.log.entries.filter(\.isSent).map { String(decoding: $0.bytes, as: UTF8.self) }
    expectEqual(texts.map { $0.contains("\r\nST: \(type)\r\n") }, [true])
  }

  @Test("of a story the time of each step is kept, and the place of its first message in the log")
  func told() {
    var examination = begun(ControlPointRun(way: .story, probes: [.byebye]))
    move(&examination, to: ms(2_500))
    expectEqual(examination.baits[1].steps, [32, 832, 2_032, 2_232].map(ms))
    // Three messages a step; of the neighbour's two steps each is told before.
    expectEqual(examination.baits[1].stepPositions, [4, 10, 13, 16])
    expectEqual(examination.baits[0].stepPositions, [1, 7])
    expectEqual(examination.baits[1].position, 4)
    expectEqual(examination.baits[1].sentAt, ms(32))
    expectEqual(
      Array(sent(examination).suffix(4)),
      ["2032ms byebye 01 to group"] + [String](repeating: "2232ms byebye 01 to group", count: 3))
  }
}
