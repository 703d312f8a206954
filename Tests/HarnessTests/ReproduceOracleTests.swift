import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import RollcallReducing
import RollcallReplaying
import RollcallRunning
import RollcallScenarios
import Testing
import RollcallWire

/// What decides that a scenario says what its capture says, and what takes names out of it.
@Suite("Reproductions and their checks")
struct ReproduceOracleTests {
  // MARK: The same shape

  private static func at(_ seconds: Int64, _ report: Report) -> TapedReport {
    TapedReport(time: .zero + .seconds(seconds), report: report)
  }

  private static func device(_ name: String, _ location: String?, _ bootID: UInt32? = 7) -> DeviceSighting {
    DeviceSighting(
      device: name, location: location, source: IPAddress(192, 168, 1, 2), interface: InterfaceID(0), bootID: bootID)
  }

  private static func service(_ search: UInt32, _ usn: String) -> ServiceSighting {
    ServiceSighting(
      search: SearchID(search), device: String(usn.prefix(usn.utf8.count - 3)), usn: usn, target: "t", location: nil)
  }

  private static func ended(
    _ search: UInt32, _ usns: [String], _ target: String = "t", wasStopped: Bool = false
  ) -> Report {
    .searchEnded(
      SearchOutcome(
        search: SearchID(search), target: target, services: usns.map { service(search, $0) }, wasStopped: wasStopped))
  }

  /// A report of each kind, about a device that is called `name`.
  private static func all(_ name: String, _ search: UInt32 = 4) -> [TapedReport] {
    let other: String = "uuid:b" + name.dropFirst(6)
    let (x, y, z) = ("http://x/\(name)", "http://y/\(name)", "http://z/\(name)")
    return [
      at(1, .found(device(name, x))), at(2, .found(device(other, y, nil))),
      at(3, .changed(device(name, z), .location(from: x))),
      at(4, .changed(device(name, z), .address(from: IPAddress(192, 168, 1, 9)))),
      at(5, .changed(device(name, z, 8), .bootID(from: 7))), at(6, .changed(device(name, z, 8), .configID(from: 1))),
      at(7, .changed(device(name, z, 8), .united(part: other))), at(8, .service(service(search, name + "::t"))),
      at(9, ended(search, [name + "::t"])), at(10, .failed(Failure(reason: .invalidSearch, explanation: "ask"))),
      at(11, .lost(device: name, cause: .byebye)), at(12, .found(device(other, nil))),
    ]
  }

  @Test("reports have one shape whatever names they use, and another shape where anything else differs")
  func shapes() {
    let reports = Self.all("uuid:a")
    #expect(Reproduce.isSameShape(reports, Self.all("uuid:alpha", 9)))
    #expect(Reproduce.isSameShape(reports, Self.all("UUID:A")))
    let (a, b, x, y, z) = ("uuid:a", "uuid:b", "http://x/uuid:a", "http://y/uuid:a", "http://z/uuid:a")
    let changes: [(place: Int, report: Report)] = [
      (0, .found(Self.device(a, x, 8))), (0, .found(Self.device(a, nil))), (0, .lost(device: a, cause: .expired)),
      (1, .found(Self.device(b, x, nil))), (1, .found(Self.device(a, y, nil))), (1, .found(Self.device(b, y, 7))),
      (2, .changed(Self.device(a, z), .location(from: y))), (2, .changed(Self.device(a, z), .location(from: nil))),
      (2, .changed(Self.device(a, y), .location(from: x))), (2, .changed(Self.device(b, z), .location(from: x))),
      (3, .changed(Self.device(a, z), .bootID(from: 0))),
      (4, .changed(Self.device(a, z, 8), .bootID(from: 6))), (4, .changed(Self.device(a, z, 8), .configID(from: 7))),
      (5, .changed(Self.device(a, z, 8), .configID(from: 2))), (5, .changed(Self.device(a, z, 8), .bootID(from: 1))),
      (6, .changed(Self.device(a, z, 8), .united(part: a))), (6, .changed(Self.device(a, z, 8), .united(part: "c"))),
      (7, .service(Self.service(5, "uuid:a::t"))), (7, .service(Self.service(4, "uuid:a::u"))),
      (8, Self.ended(5, ["uuid:a::t"])), (8, Self.ended(4, [])), (8, Self.ended(4, ["uuid:a::t", "uuid:a::u"])),
      (9, .failed(Failure(reason: .cannotSend, explanation: "ask"))), (9, .rejected(Rejection(.badMX, at: 0))),
      (10, .lost(device: a, cause: .expired)), (10, .lost(device: b, cause: .byebye)),
      (11, .found(Self.device(b, x))), (11, .found(Self.device(a, nil))), (11, .found(Self.device("uuid:c", nil))),
    ]
    let elsewhere = DeviceSighting(
      device: b, location: y, source: IPAddress(192, 168, 1, 3), interface: InterfaceID(0), bootID: nil)
    let told = ServiceSighting(search: SearchID(4), device: a, usn: "uuid:a::t", target: "t", location: "http://w/")
    let more: [(place: Int, report: Report)] = [
      // None is not 0.
      (1, .found(Self.device(b, y, 0))), (4, .changed(Self.device(a, z, 8), .bootID(from: nil))),
      (5, .changed(Self.device(a, z, 8), .configID(from: nil))),
      // What the device is now, beside what changed.
      (2, .changed(Self.device(a, z, 8), .location(from: x))), (4, .changed(Self.device(a, z, 9), .bootID(from: 7))),
      (4, .changed(Self.device(a, z, nil), .bootID(from: 7))), (1, .found(elsewhere)),
      (3, .changed(Self.device(a, z), .address(from: IPAddress(192, 168, 1, 2)))), (7, .service(told)),
      (8, Self.ended(4, ["uuid:a::t"], "u")), (8, Self.ended(4, ["uuid:a::t"], wasStopped: true)),
      (9, .failed(Failure(reason: .invalidSearch, search: SearchID(4), explanation: "ask"))),
    ]
    for (place, report) in changes + more {
      var other = reports
      other[place].report = report
      #expect(!Reproduce.isSameShape(reports, other) && !Reproduce.isSameShape(other, reports), "\(place) \(report)")
    }
    for (zero, none) in [
      (Report.found(Self.device(a, x, 0)), .found(Self.device(a, x, nil))),
      (.changed(Self.device(a, x), .bootID(from: 0)), .changed(Self.device(a, x), .bootID(from: nil))),
      (.changed(Self.device(a, x), .configID(from: 0)), .changed(Self.device(a, x), .configID(from: nil))),
    ] as [(Report, Report)] {
      #expect(!Reproduce.isSameShape([Self.at(1, zero)], [Self.at(1, none)]))
      #expect(Reproduce.isSameShape([Self.at(1, zero)], [Self.at(1, zero)]))
    }
    for place in reports.indices {
      var other = reports
      other[place].time += .nanoseconds(1)
      #expect(!Reproduce.isSameShape(reports, other))
      other.remove(at: place)
      #expect(!Reproduce.isSameShape(reports, other) && !Reproduce.isSameShape(other, reports))
    }
  }

  // MARK: Captures

  /// A datagram of a capture, byte for byte.
  struct Said {
    /// Nanoseconds since the start.
    var at: Int64
    var from: String
    var text: String
    var to = TinyCapture.group
    var hops: UInt8 = 2
  }

  static func frames(_ said: Said, _ number: Int) -> [[UInt8]] {
    guard let source = Endpoint(said.from.contains(":") ? said.from : said.from + ":1900"),
      let destination = Endpoint(said.to)
    else { return [] }
    let hardware = MACAddress(bits: 0x0200_0000_0000 | source.address.low & 0xFFFF_FFFF)
    let link =
      LinkAddresses(source: hardware, group: destination.address)
      ?? LinkAddresses(source: hardware, destination: MACAddress(bits: 0x0200_0000_0000 | destination.address.low))
    return FrameWriter.udp(
      link, from: source, to: destination, hopLimit: said.hops, payload: Array(said.text.utf8),
      identification: UInt32(number))
  }

  /// A capture of frames at nanoseconds since its start.
  static func capture(_ frames: [(at: Int64, bytes: [UInt8])]) -> [UInt8] {
    var writer = CaptureWriter(section: CaptureSection())
    _ = writer.interface(name: "eth0")
    for frame in frames {
      writer.frame(interface: 0, time: .zero + .seconds(1_000) + .nanoseconds(frame.at), frame.bytes)
    }
    writer.finish()
    return writer.bytes
  }

  static func reproduce(_ said: [Said], end: Int64) throws -> Reproduce.Outcome {
    var list: [(at: Int64, bytes: [UInt8])] = []
    for (number, one) in said.enumerated() {
      for frame in frames(one, number) { list.append((at: one.at, bytes: frame)) }
    }
    list.append((at: end, bytes: [UInt8](repeating: 0, count: 60)))
    let bytes = capture(list)
    let options = Reproduce.Options(keepsIdentities: true, title: "made", source: "made", findsBite: false)
    return try Reproduce.reproduce(options) { try TinyCapture.reader(bytes) }
  }

  static func text(_ message: String) -> String { message.replacing("\n", with: "\r\n") }

  /// Two devices that speak in turn, so far apart, and take leave the other way round.
  private static func inTurn(_ gap: Int64) -> [Said] {
    var said: [Said] = []
    func says(_ at: Int64, _ last: Int, _ text: String) {
      said.append(Said(at: at, from: "192.168.1.\(last)", text: Self.text(text)))
    }
    for round in [0, 5_000_000_000] as [Int64] {
      for (number, target) in ["upnp:rootdevice", "x"].enumerated() {
        let start = round + Int64(number) * 2 * gap
        says(start, 21, TinyCapture.alive("a", target, location: "http://192.168.1.21/"))
        says(start + gap, 20, TinyCapture.alive("b", target, location: "http://192.168.1.20/"))
      }
    }
    says(8_000_000_000, 20, TinyCapture.byebye("b"))
    says(8_000_000_000 + gap, 21, TinyCapture.byebye("a"))
    return said
  }

  @Test("where there is no report it is said that nothing was compared, and one of something is told as one")
  func nothingToCompare() throws {
    var capture = TinyCapture()
    capture.add(0, "192.168.1.9", "hello\n")
    let outcome = try capture.reproduced(end: 3)
    expectEqual(outcome.reports.count, 0)
    expectEqual(
      ReproduceText.summary(outcome),
      [
        "1 message: 0 from the inhabitants' own behaviour, 1 spelled out (0 % own)",
        "no reports, neither of the capture nor of the run: there was nothing to compare",
      ])
    expectEqual(ReproduceText.row("made", outcome), "made: 1 message, 0 % own, nothing to compare: same")
    #expect(
      outcome.reproduction.scenario.why.contains(": 1 message of 1 address; "), "\(outcome.reproduction.scenario.why)")
  }

  @Test("a reproduction is faithful only where every check says so, and each that does not is told")
  func faithful() throws {
    let outcome = try Self.reproduce(Self.inTurn(2_000_000), end: 9_000_000_000)
    #expect(outcome.isFaithful && outcome.grain == .milliseconds)
    let first = "10 messages: 8 from the inhabitants' own behaviour, 2 spelled out (80 % own)"
    let same = "4 reports, the same in the same order, at most 0.000000000 s apart"
    let row = "made: 10 messages, 80 % own, 4 reports, 0.000000000 s: "
    #expect(ReproduceText.summary(outcome) == [first, same] && ReproduceText.row("made", outcome) == row + "same")
    let cases: [(change: (inout Reproduce.Outcome) -> Void, lines: [String], row: String)] = [
      ({ $0.comparison.difference = "d" }, ["the run does not say the same: d"], "d"),
      (
        { $0.fixedPoint.difference = "d" }, [same, "recorded and replayed again it does not say the same: d"],
        "fixed point: d"
      ),
      (
        { $0.isShapeKept = false }, [same, "without names the engine says something else than with them"],
        "same (names matter)"
      ),
      (
        { $0.isTapeTrue = false },
        [same, "the messages alone do not say what the capture says: what it holds beyond them is not reproduced"],
        "same (more than messages)"
      ),
      ({ $0.ambiguities = ["x and y"] }, [same, "x and y"], "same (names became one)"),
      ({ $0.broken = ["e1", "e2"] }, [same, "does not hold: e1", "does not hold: e2"], "same (2 broken)"),
    ]
    for one in cases {
      var other = outcome
      one.change(&other)
      #expect(!other.isFaithful, "\(one.row)")
      expectEqual(ReproduceText.summary(other), [first] + one.lines)
      expectEqual(ReproduceText.row("made", other), row + one.row)
    }
    var other = outcome
    other.reproduction.losses = ["z"]
    #expect(other.isFaithful && ReproduceText.summary(other) == [first, same, "not reconstructed: z"])
    for (own, raw, share) in [(1, 2, "33 %"), (2, 1, "67 %"), (0, 0, "0 %"), (3, 0, "100 %")] {
      (other.reproduction.ownCount, other.reproduction.rawCount) = (own, raw)
      #expect(ReproduceText.row("made", other).contains(" messages, \(share) own,"))
    }
  }

  @Test("times are kept as finely as the order of the reports needs, and not finer")
  func grains() throws {
    for (gap, grain) in [(2_000_000, .milliseconds), (100_000, .microseconds), (100, .nanoseconds)]
      as [(Int64, TimeGrain)]
    {
      let outcome = try Self.reproduce(Self.inTurn(gap), end: 9_000_000_000)
      #expect(outcome.grain == grain && outcome.isFaithful)
    }
  }

  @Test("five thousand messages make a tape, one more is refused with their number")
  func tooMany() throws {
    let said = Said(at: 0, from: "192.168.1.20", text: Self.text(TinyCapture.byebye("lamp")))
    let frame = try #require(Self.frames(said, 0).first)
    let frames = (0..<5_001).map { (at: Int64($0) * 1_000_000, bytes: frame) }
    let problems = try [5_000, 5_001].map { count -> CaptureTape.Problem? in
      let bytes = Self.capture(Array(frames.prefix(count)))
      do {
        let tape = try CaptureTape.read(as: .everybody) { try TinyCapture.reader(bytes) }
        #expect(tape.messages.count == count && tape.end == tape.start + .milliseconds(Int64(count) - 1))
        return nil
      } catch let problem as CaptureTape.Problem { return problem }
    }
    expectEqual(problems, [nil, .tooMany(5_001)])
  }

  // MARK: Who spoke, and when

  /// The lines of the scenario that say when something is said, and what is asked.
  private func times(_ outcome: Reproduce.Outcome) -> [String] {
    let keys = ["- at:", "- {at", "- to:", "- {search", "to:", "source-port:", "then-every:", "pace:", "paces:"]
    return outcome.yaml.split(separator: "\n").prefix { !$0.hasPrefix("expect:") }.map { String($0.drop { $0 == " " }) }
      .filter { line in keys.contains { line.hasPrefix($0) } }
  }

  @Test("a pause ends a round, rounds share a pace where they are alike, and go on where they kept to a beat")
  func rounds() throws {
    // Numbers of adverts with their milliseconds; where the capture ends; what the scenario says.
    let cases: [(said: [(Int, Double)], end: Double, lines: [String])] = [
      // Five times the usual pause, but no less than 100 ms and no more than a second.
      (
        [(1, 0), (2, 10), (3, 109), (1, 209), (2, 219), (3, 229)], 9_000,
        ["- at: [1s, 1.209s]", "paces: [[0s, 10ms, 109ms], [0s, 10ms, 20ms]]"]
      ),
      (
        [(1, 0), (2, 10), (3, 110), (1, 1_209), (2, 1_219), (3, 1_229)], 9_000,
        ["- at: [1s]", "pace: [0s, 10ms]", "- at: [2.209s]", "pace: [0s, 10ms, 20ms]", "- at: 1110ms"]
      ),
      (
        [(1, 0), (2, 50), (3, 299), (1, 549), (2, 599), (3, 649)], 9_000,
        ["- at: [1s, 1.549s]", "paces: [[0s, 50ms, 299ms], [0s, 50ms, 100ms]]"]
      ),
      (
        [(1, 0), (2, 300), (3, 1_299), (1, 8_000), (2, 8_300), (3, 8_600)], 9_000,
        ["- at: [1s, 9s]", "paces: [[0s, 300ms, 1.299s], [0s, 300ms, 600ms]]"]
      ),
      (
        [(1, 0), (2, 300), (3, 1_300), (1, 8_000), (2, 8_300), (3, 8_600)], 9_000,
        ["- at: [1s]", "pace: [0s, 300ms]", "- at: [9s]", "pace: [0s, 300ms, 600ms]", "- at: 2300ms"]
      ),
      // The first of a round again begins another one.
      ([(1, 0), (2, 10), (1, 20), (2, 30)], 9_000, ["- at: [1s, 1.02s]", "pace: [0s, 10ms]"]),
      // Eight milliseconds off is alike, and the first round is what all are compared with.
      ([(1, 0), (2, 50), (1, 5_000), (2, 5_058)], 9_000, ["- at: [1s, 6s]", "pace: [0s, 50ms]"]),
      ([(1, 0), (2, 50), (1, 5_000), (2, 5_042)], 9_000, ["- at: [1s, 6s]", "pace: [0s, 50ms]"]),
      ([(1, 0), (2, 50), (1, 5_000), (2, 5_059)], 9_000, ["- at: [1s, 6s]", "paces: [[0s, 50ms], [0s, 59ms]]"]),
      ([(1, 0), (2, 50), (1, 5_000), (2, 5_041)], 9_000, ["- at: [1s, 6s]", "paces: [[0s, 50ms], [0s, 41ms]]"]),
      ([(1, 0), (2, 0), (1, 5_000), (2, 5_000)], 9_000, ["- at: [1s, 6s]"]),
      ([(1, 0.4), (2, 50.9), (1, 5_000.4), (2, 5_050.9)], 9_000, ["- at: [1s, 6s]", "pace: [0s, 51ms]"]),
      // A beat: a quarter more or less, two gaps and a second at least, and not yet due again.
      ([(1, 0), (1, 8_000), (1, 18_000), (1, 30_500)], 31_000, ["- at: [1s, 9s, 19s, 31.5s]", "then-every: 10s"]),
      ([(1, 0), (1, 8_000), (1, 18_000), (1, 30_501)], 31_000, ["- at: [1s, 9s, 19s, 31.501s]"]),
      ([(1, 0), (1, 7_500), (1, 17_500), (1, 27_500)], 31_000, ["- at: [1s, 8.5s, 18.5s, 28.5s]", "then-every: 10s"]),
      ([(1, 0), (1, 7_499), (1, 17_499), (1, 27_499)], 31_000, ["- at: [1s, 8.499s, 18.499s, 28.499s]"]),
      ([(1, 0), (1, 1_000), (1, 2_000)], 2_500, ["- at: [1s, 2s, 3s]", "then-every: 1s"]),
      ([(1, 0), (1, 999), (1, 1_998)], 2_500, ["- at: [1s, 1.999s, 2.998s]"]),
      ([(1, 0), (1, 5_000)], 6_000, ["- at: [1s, 6s]"]),
      ([(1, 0), (1, 4_000), (1, 9_000)], 9_500, ["- at: [1s, 5s, 10s]", "then-every: 5s"]),
      ([(1, 0), (1, 5_000), (1, 10_000)], 14_999, ["- at: [1s, 6s, 11s]", "then-every: 5s"]),
      ([(1, 0), (1, 5_000), (1, 10_000)], 15_000, ["- at: [1s, 6s, 11s]"]),
      // A byebye (number 0) ends it, unless an alive came after it.
      ([(1, 0), (1, 5_000), (1, 10_000), (0, 12_000)], 14_000, ["- at: [1s, 6s, 11s]", "- at: 13s"]),
      ([(1, 0), (1, 5_000), (0, 9_000), (1, 10_000)], 14_000, ["- at: [1s, 6s, 11s]", "then-every: 5s", "- at: 10s"]),
      ([(1, 0), (2, 3_000), (2, 6_000)], 7_000, ["- at: [4s, 7s]", "- at: 1s"]),
    ]
    for one in cases {
      let said = one.said.map { number, milliseconds -> Said in
        let text = number == 0 ? TinyCapture.byebye("lamp", "x-1") : TinyCapture.alive("lamp", "x-\(number)")
        return Said(at: Int64((milliseconds * 1_000_000).rounded()), from: "192.168.1.20", text: Self.text(text))
      }
      let outcome = try Self.reproduce(said, end: Int64(one.end) * 1_000_000)
      expectEqual(times(outcome).filter { !$0.hasPrefix("to:") }, one.lines, "\(one.said) \(one.end)")
      #expect(outcome.isFaithful, "\(one.said) \(one.end)")
    }
  }

  @Test("an answer belongs to the newest search of its socket for its target, for all, or for anything, for 130 s")
  func answers() throws {
    var said: [Said] = []
    func asks(_ at: Int64, _ from: String, _ target: String, to: String = TinyCapture.group) {
      said.append(Said(at: at * 1_000_000, from: from, text: Self.text(TinyCapture.search(target)), to: to))
    }
    func replies(_ at: Int64, _ to: String, _ target: String) {
      said.append(
        Said(at: at * 1_000_000, from: "192.168.1.20", text: Self.text(TinyCapture.answer("lamp", target)), to: to))
    }
    asks(0, "192.168.1.9:50000", "x")
    asks(1_000, "192.168.1.9:50000", "x")
    replies(1_500, "192.168.1.9:50000", "x")
    asks(2_000, "192.168.1.9:50000", "ssdp:all")
    replies(2_200, "192.168.1.9:50000", "x")
    replies(2_400, "192.168.1.9:50000", "y")
    asks(3_000, "192.168.1.9:50001", "z")
    replies(3_100, "192.168.1.9:50001", "w")
    // To the device alone, to somebody else, and to all.
    asks(4_000, "192.168.1.9:50002", "q", to: "192.168.1.20:1900")
    asks(4_100, "192.168.1.9:50002", "q", to: "192.168.1.99:1900")
    asks(4_200, "192.168.1.9:50002", "q")
    replies(4_300, "192.168.1.9:50002", "q")
    // Another program, from a port that is taken beside the engine.
    asks(5_000, "192.168.1.8:50000", "x")
    replies(5_500, "192.168.1.8:50000", "x")
    asks(6_000, "192.168.1.8:50000", "x")
    replies(131_000, "192.168.1.9:50000", "x")
    replies(131_001, "192.168.1.9:50000", "x")
    replies(133_001, "192.168.1.9:50001", "w")
    let outcome = try Self.reproduce(said, end: 134_000_000_000)
    #expect(
      times(outcome) == [
        "- at: [1s, 2s]", "source-port: 50000", "- at: [3s]", "source-port: 50000", "- at: [4s]", "source-port: 50001",
        "- at: [5s]", "to: 192.168.1.20:1900", "source-port: 50002", "- at: [5.1s]", "to: 192.168.1.99:1900",
        "source-port: 50002", "- at: [5.2s]", "source-port: 50002",
        // Of the device: the fourth search for x is the last that it heard, and it kept silent.
        "- to: x", "- {search: 2, delays: [500ms, 1.2s, 130s]}", "- {search: 4, delays: []}", "- to: ssdp:all",
        "- {search: 1, delays: [400ms, 129.001s]}", "- to: z", "- {search: 1, delays: [100ms]}", "- to: q",
        "- {search: 2, delays: [100ms]}", "- to: x", "- {search: 3, delays: [500ms]}", "- at: [6s, 7s]",
        "source-port: 50003", "- at: 134001ms", "to: engine:50001",
      ])
    #expect(outcome.reproduction.ownCount == 17 && outcome.reproduction.rawCount == 1)
    expectEqual(
      outcome.reproduction.losses,
      [
        "1 searches that 192.168.1.20 answered and the capture does not show: it answers unasked"
      ])
  }
}
