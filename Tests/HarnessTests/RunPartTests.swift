import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
import RollcallScenarios
import RollcallTrace
import RollcallWire
import Synchronization
import Testing

@testable import RollcallRunning

/// Parts that runs and their captures are made of, each on its own.
@Suite("Parts of runs") struct RunPartTests {
  private func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

  // MARK: What is told of a run

  private static func run(_ path: String = "a.yaml", _ verdicts: [Verdict] = []) -> SuiteRun {
    SuiteRun(
      path: path, title: "", point: [], seed: 1, outcome: .error, digest: Digest(), entries: 0,
      virtualTime: .seconds(10), verdicts: verdicts)
  }

  @Test("the line of a run has what stands in the engine's place, what was planted, and what was said last")
  func runLine() {
    var run = Self.run()
    let head = #"{"schema":"rollcall/1","kind":"run","scenario":"a.yaml","point":{},"seed":1,"outcome":"error""#
    let middle = #","digest":"a0761d6478bd642f","entries":0,"virtualSeconds":"#
    for (time, text) in [
      (Interval.seconds(10), "10"), (.zero, "0"), (.nanoseconds(1), "0.000000001"), (.milliseconds(100_500), "100.5"),
    ] {
      run.virtualTime = time
      expectEqual(RunLines.json(run), head + middle + text + #","expectations":[]}"#)
    }
    run.virtualTime = .seconds(100)
    (run.planted, run.engine, run.message, run.notes) = ("engine.x", "cat", "it ended", ["one", "two"])
    run.standing = RunStanding(.unexpectedFailure)
    expectEqual(
      RunLines.json(run),
      head + #","standing":"unexpectedFailure""# + middle
        + #"100,"planted":"engine.x","engine":"cat","message":"it ended","engineSaid":["one","two"],"#
        + #""expectations":[]}"#)
  }

  @Test("a verdict has its line where it has one, what was found where it is bad, and the windows that were cut off")
  func verdictLine() {
    let quiet = VerdictReason.nothingHappened
    let verdicts = [
      Verdict(
        id: "e1", text: "t", place: Place(line: 3, column: 5), outcome: .vacuous, reason: quiet, untestedWindows: 2),
      Verdict(id: "e2", text: "t", outcome: .waived, reason: quiet), Verdict(id: "e3", text: "t", outcome: .held),
      Verdict(
        id: "e4", text: "t", place: Place(line: 1, column: 1), outcome: .violated,
        reason: .peak(of: .devices, bound: 1, found: 2)),
    ]
    let line = RunLines.json(Self.run("a.yaml", verdicts))
    let expected =
      #""expectations":[{"id":"e1","line":3,"outcome":"vacuous","expected":"a run in which something happens","#
      + #""found":"nothing was ever reported","untestedWindows":2},{"id":"e2","outcome":"waived"},"#
      + #"{"id":"e3","outcome":"held"},{"id":"e4","line":1,"outcome":"violated","expected":"at most 1 devices","#
      + #""found":"2 at the peak"}]}"#
    #expect(line.hasSuffix(expected), "\(line)")
    expectEqual(
      FailureText.lines(Self.run("a.yaml", verdicts)),
      [
        "a.yaml:3:5: e1  t", "    not tested: nothing was ever reported", "a.yaml:1:1: e4  t",
        "    expected  at most 1 devices", "    found     2 at the peak", "again: rollcall run a.yaml --seed 1",
      ])
  }

  @Test("of many reports the first thousand are told and all are counted, and what was refused is none")
  func manyReports() throws {
    let resolved = try Scenario(yaml: "scenario: a\nduration: 1s", file: "x.yaml").resolved()
    var result = Run.perform(resolved, seed: Seed(1))
    let refused = TimedReport(time: at(0), station: 0, report: .rejected(Rejection(.empty, at: 0)))
    func report(_ count: Int) {
      result.evidence.reports = [refused]
      for number in 0..<count {
        result.evidence.reports.append(
          TimedReport(time: at(Int64(number)), station: 0, report: .lost(device: "uuid:a", cause: .byebye)))
      }
      result.evidence.reports.append(refused)
    }
    report(0)
    expectEqual(ReportedText.lines(result, resolved), ["", "The engine reported nothing."])
    report(1)
    expectEqual(
      ReportedText.lines(result, resolved), ["", "What the engine reported:", "  0.000000000 lost uuid:a byebye"])
    var run = Self.run()
    run.reports = SuiteReports(result.evidence)
    let told = #"{"time":"0.000000000","layer":"ssdp","event":"lost","device":"uuid:a","cause":"byebye"}"#
    #expect(RunLines.json(run).hasSuffix(#""expectations":[],"reportCount":1,"reports":["# + told + "]}"))
    for (count, last) in [
      (1_000, "  999.000000000 lost uuid:a byebye"), (1_001, "  … and 1 more"), (1_002, "  … and 2 more"),
    ] {
      report(count)
      let lines = ReportedText.lines(result, resolved)
      expectEqual(lines.count, count == 1_000 ? 1_002 : 1_003)
      expectEqual(lines.last, last)
      let reports = SuiteReports(result.evidence)
      #expect(reports.listed.count == 1_000 && reports.count == count && reports.listed.last?.time == at(999))
    }
  }

  // MARK: Sockets and searches

  @Test("each endpoint has the number under which it was put in first, however many there are")
  func endpoints() {
    var table = EndpointTable()
    let addresses = [IPAddress(v4: 0x0A00_0001), IPAddress(v4: 0x0A00_0002), IPAddress(v6High: 0, low: 0x0A00_0001)]
    let all = (0..<200).map { Endpoint(addresses[$0 % 3], port: UInt16(50_000 + $0 / 3)) }
    #expect(table.find(all[0]) == nil && table.count == 0)
    for (number, endpoint) in all.enumerated() {
      expectEqual(table.find(endpoint), nil)
      expectEqual(table.insert(endpoint), number)
      expectEqual(table.insert(endpoint), number)
      expectEqual(table.count, number + 1)
    }
    expectEqual(all.map { table.find($0) }, all.indices.map { Optional($0) })
    expectEqual(table.find(Endpoint(addresses[0], port: 49_999)), nil)
  }

  private static let group = Endpoint(.ssdpGroup4, port: 1_900)
  private static let own = Endpoint(IPAddress(192, 168, 1, 9), port: 40_000)

  /// A copy of a search for a target leaves a socket.
  private func adopt(
    _ sockets: inout SearchSockets, _ target: String, from source: Endpoint = RunPartTests.own,
    to destination: Endpoint = RunPartTests.group, mx: Int = 1, milliseconds: Int64 = 0, anyAddress: Bool = false
  ) -> Search {
    let bytes = Array(target.utf8)
    return bytes.withUnsafeBytes { bytes in
      sockets.adopt(
        target: bytes, from: source, to: destination, maximumWaitSeconds: mx, at: .zero + .milliseconds(milliseconds),
        anyAddress: anyAddress)
    }
  }

  @Test("a search listens until its longest copy has ended, asks one host or all, and waits 1 to 120 s")
  func adopted() {
    var sockets = SearchSockets()
    func number(_ mx: Int, _ milliseconds: Int64) -> UInt32 {
      adopt(&sockets, "a", mx: mx, milliseconds: milliseconds).id.number
    }
    // The copy with the shorter wait does not end it sooner, and a later one makes it longer.
    expectEqual(number(10, 0), 1)
    expectEqual(number(1, 5_000), 1)
    expectEqual(number(1, 10_099), 1)
    expectEqual(number(1, 11_198), 1)
    expectEqual(number(1, 12_298), 2)
    for (mx, wait) in [(-1, 1), (0, 1), (1, 1), (120, 120), (121, 120)] {
      expectEqual(adopt(&sockets, "wait \(mx)", mx: mx).maximumWaitSeconds, wait, "\(mx)")
    }
    let host = Endpoint(IPAddress(192, 168, 1, 20), port: 1_900)
    expectEqual(adopt(&sockets, "one", to: host).host, host)
    expectEqual(adopt(&sockets, "all").host, nil)
    expectEqual(adopt(&sockets, "wide", to: Endpoint(IPAddress(255, 255, 255, 255), port: 1_900)).host, nil)
    // Searches for nothing are for the same.
    let nothing = adopt(&sockets, "").id
    expectEqual(adopt(&sockets, "").id, nothing)
    let nowhere = sockets.adopt(
      target: UnsafeRawBufferPointer(start: nil, count: 0), from: Self.own, to: Self.group, maximumWaitSeconds: 1,
      at: at(0), anyAddress: false)
    expectEqual(nowhere.id, nothing)
  }

  @Test("a socket is its address and port, or its port alone; of too many searches the oldest is forgotten")
  func separate() {
    let (other, elsewhere) = (Endpoint(IPAddress(10, 0, 0, 9), port: 40_000), Endpoint(Self.own.address, port: 40_001))
    var sockets = SearchSockets()
    func number(_ target: String, _ source: Endpoint, any: Bool) -> UInt32 {
      adopt(&sockets, target, from: source, mx: 120, anyAddress: any).id.number
    }
    expectEqual(number("a", Self.own, any: false), 1)
    expectEqual(number("a", other, any: false), 2)
    expectEqual(number("a", elsewhere, any: false), 3)
    expectEqual(number("a", Self.own, any: false), 1)
    sockets = SearchSockets()
    expectEqual(number("a", Self.own, any: true), 1)
    expectEqual(number("a", other, any: true), 1)
    expectEqual(number("a", elsewhere, any: true), 2)
    expectEqual(number("A", other, any: true), 3)
    // 256 of them are open at a time.
    sockets = SearchSockets()
    for place in 0..<256 { expectEqual(number("t\(place)", Self.own, any: false), UInt32(place + 1)) }
    expectEqual(number("t0", Self.own, any: false), 1)
    expectEqual(number("new", Self.own, any: false), 257)
    expectEqual(number("t1", Self.own, any: false), 2)
    expectEqual(number("t0", Self.own, any: false), 258)
    expectEqual(number("t2", Self.own, any: false), 3)
  }

  @Test("the comment on a search and the notes of a scene read back, and what is nearly one is none")
  func notes() {
    for text in ["rollcall search: 7 wait 3s", "rollcall search: 4294967295 wait 0s"] {
      expectEqual(SearchNote(comment: text)?.comment, text)
    }
    let noSearches = [
      "rollcall search: 7 wait 3", "rollcall search: 7 wait s", "rollcall search: 7 waits 3s",
      "rollcall search 7 wait 3s",
      "rollcall search: 4294967296 wait 3s", "rollcall search: -7 wait 3s", "rollcall search: 7 wait +3s",
      "rollcall search: 7 wait 3s more", "other search: 7 wait 3s", "",
    ]
    for text in noSearches { expectEqual(SearchNote(comment: text), nil, "\(text)") }
    let scenes: [SceneNote] = [
      .host("a phone"), .host(""), .begin(Instant(nanoseconds: 1_795_737_735_123_456_789)), .end(at(60)),
      .signal(SceneNote.TimedSignal(time: at(12), signal: .streams(.opened(StreamID(3), local: Self.own)))),
    ]
    for scene in scenes { expectEqual(SceneNote(comment: scene.comment), scene, "\(scene.comment)") }
    let noScenes = [
      "", "rollcall host:", "Rollcall host: a", "rollcall end: soon", "rollcall begin: -1", "rollcall signal: 12.5",
      "rollcall signal: now interface 0 down", "rollcall signal: 12.5 nothing of that", "rollcall start: 1",
    ]
    for text in noScenes { expectEqual(SceneNote(comment: text), nil, "\(text)") }
  }

  @Test("a datagram is of the search that was asked for last when its port was new, if it asks for the same")
  func sentSearches() {
    var sent = SentSearches()
    func datagram(_ port: UInt16, _ target: String?) -> RecordedDatagram {
      let text = "M-SEARCH * HTTP/1.1\r\nMX: 1\r\n" + (target.map { "ST: \($0)\r\n" } ?? "") + "\r\n"
      return RecordedDatagram(
        source: Endpoint(Self.own.address, port: port), destination: Self.group, interface: InterfaceID(0), hopLimit: 2,
        bytes: Array(text.utf8))
    }
    func take(_ content: TraceEntry.Content) { sent.take(TraceEntry(time: at(0), station: 0, content: content)) }
    func ask(_ number: UInt32, _ target: String) {
      take(.signal(.command(.search(Search(id: SearchID(number), target: target)))))
    }
    func number(_ port: UInt16) -> UInt32? { sent.search(of: datagram(port, nil))?.id.number }
    take(.sent(datagram(1, "a")))
    expectEqual(number(1), nil)
    ask(7, "a")
    take(.sent(datagram(2, "a")))
    take(.sent(datagram(3, "ab")))
    ask(8, "b")
    take(.sent(datagram(4, "b")))
    take(.sent(datagram(2, "b")))
    take(.sent(datagram(5, "a")))
    // What does not say what it asks for is taken for the last one.
    take(.sent(datagram(6, nil)))
    expectEqual((1...7).map { number($0) }, [nil, 7, nil, 8, nil, 8, nil])
  }

  // MARK: Tasks

  private final class Seen: Sendable {
    let numbers = Mutex<[Int]>([])
    let workerCount = Mutex(0)
  }

  @Test("tasks are handed over once each and in their order, whatever the number of threads", arguments: [0, 1, 2, 5])
  func tasks(jobs: Int) {
    for count in [0, 1, 3, 200] {
      let seen = Seen()
      OrderedTasks<Int>.run(
        count, jobs: jobs, isOver: { false },
        worker: {
          seen.workerCount.withLock { $0 += 1 }
          return { number in number * 2 }
        }, each: { done in seen.numbers.withLock { $0.append(done) } })
      expectEqual(seen.numbers.withLock { $0 }, (0..<count).map { $0 * 2 })
      expectEqual(seen.workerCount.withLock { $0 }, max(1, min(jobs, count)))
    }
    // No task is begun once it is over, and what was begun is handed over.
    let seen = Seen()
    OrderedTasks<Int>.run(
      10, jobs: 1, isOver: { seen.numbers.withLock { $0.count >= 4 } }, worker: { { number in number } },
      each: { done in seen.numbers.withLock { $0.append(done) } })
    expectEqual(seen.numbers.withLock { $0 }, [0, 1, 2, 3])
  }

  @Test("of the numbers that are dealt a range has those that are in it")
  func deals() {
    let deal = ShardPlan.Deal(first: 2, stride: 3, count: 4)
    for lower in 0..<14 {
      for upper in lower..<15 {
        let found = deal.within(lower..<upper)
        let numbers = found.map { one in (0..<one.count).map { one.first + $0 * one.stride } }
        let wanted = [2, 5, 8, 11].filter { $0 >= lower && $0 < upper }
        expectEqual(numbers, wanted.isEmpty ? nil : wanted, "\(lower)..<\(upper)")
      }
    }
  }

  @Test("a window that was not tested never began, or began once or several times; an even sample is sure")
  func untested() {
    let texts = (0..<3).map { windows -> String in
      let reason = VerdictReason.notTested(EventMatch(.lost(nil)), label: "tv", windows: windows, end: at(3))
      return Verdict(id: "e1", text: "t", outcome: .vacuous, reason: reason).found
    }
    expectEqual(
      texts,
      [
        "what it counts from never happened", "the run ended before its window did",
        "the run ended before each of its 2 windows did",
      ])
    expectEqual(ChiSquare.uniformity(of: [2, 2, 2]), 1)
  }

  // MARK: What hosts hear

  private final class Heard {
    var streams: [StreamSignal] = []
  }

  @Test(
    "a gateway hands on what became of streams, and joins the groups of an interface that is up",
    arguments: [false, true])
  func gateway(hearsMDNS: Bool) {
    let (uplink, heard) = (Gateway.Uplink(), Heard())
    uplink.streamed = { heard.streams.append($0) }
    var gateway = Gateway(uplink, hearsMDNS: hearsMDNS)
    var outbox = Outbox(payloads: PayloadStore())
    func tell(_ value: SignalValue) { gateway.receive(.value(outbox.values.put(value)), at: at(0), into: &outbox) }
    let addresses = [
      InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 24),
      InterfaceAddress(IPAddress(v6High: 0xFE80 << 48, low: 1), prefixBits: 64),
    ]
    let interface = InterfaceID(3)
    tell(.interface(InterfaceChange(interface: interface, isUp: false, addresses: addresses)))
    expectEqual(outbox.count, 0)
    tell(.interface(InterfaceChange(interface: interface, isUp: true, addresses: addresses)))
    let groups: [Endpoint] =
      hearsMDNS ? [.ssdp(.v4), .mdns(.v4), .ssdp(.v6), .mdns(.v6)] : [.ssdp(.v4), .ssdp(.v6)]
    expectEqual((0..<outbox.count).map { outbox[$0] }, groups.map { Effect.join($0, interface) })
    let ended = StreamSignal.ended(StreamID(7), .reset)
    tell(.streams(ended))
    expectEqual(heard.streams, [ended])
  }

  @Test("a packet of the air is told with its kind, its sender, the name of that, and its strength")
  func radioText() {
    let sender = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
    var packet = RadioPDU(
      channel: 37, strength: -58, accessAddress: 0x8E89_BED6, bytes: AdvertisingPDU.bytes(.connectable, from: sender))
    let text = "ADV_IND from c0:ff:ee:00:00:01/random"
    expectEqual(RadioFrames.text(of: packet) { $0 == sender ? "tag" : nil }, text + " (tag), -58 dBm")
    packet.strength = nil
    expectEqual(RadioFrames.text(of: packet) { _ in nil }, text)
    packet.bytes = [0]
    expectEqual(RadioFrames.text(of: packet) { _ in nil }, "a packet of 1 bytes")
  }

  // MARK: Connections of Bluetooth

  @Test("a connection has other parameters from its seventh event on, each packet being one")
  func updates() {
    var frames = LinkFrames()
    func told(_ content: TraceEntry.Content) -> [[UInt8]] {
      frames.take(TraceEntry(time: at(0), station: 0, content: content)).map(\.bytes)
    }
    let connected = LinkSignal.connected(
      .central, own: RadioAddress(bits: 0xC000_0000_0001, isRandom: true),
      peer: RadioAddress(bits: 0xC000_0000_0002, isRandom: true), LinkParameters())
    expectEqual(told(.signal(.radio(.link(LinkID(1), connected)))).count, 1)
    for instant: UInt16 in 7...9 {
      let update = told(.effect(.radio(.link(LinkID(1), .update(LinkParameters())))))
      expectEqual(
        update.map { Array($0.dropFirst(16).prefix(ConnectionUpdate.byteCount)) },
        [ConnectionUpdate.bytes(LinkParameters(), instant: instant)])
    }
  }

  @Test("packets of a connection have the number bits of both sides, long frames are cut, and two are apart")
  func links() {
    var frames = LinkFrames()
    /// Header, bytes of the payload, who sent it, and whether it says that the central did.
    func shown(_ link: UInt32, signal: LinkSignal) -> [String] {
      told(.signal(.radio(.link(LinkID(link), signal))))
    }
    func shown(_ link: UInt32, effect: LinkEffect) -> [String] {
      told(.effect(.radio(.link(LinkID(link), effect))))
    }
    func told(_ content: TraceEntry.Content) -> [String] {
      frames.take(TraceEntry(time: at(0), station: 0, content: content)).map { frame in
        let isCentral = frame.bytes[9] & 1 == 1 && frame.bytes[8] & 0x80 == 0
        return "\(frame.isOwn ? "own" : "other") \(frame.bytes[14]) \(frame.bytes[15])" + (isCentral ? " central" : "")
      }
    }
    func connected(_ role: LinkRole) -> LinkSignal {
      .connected(
        role, own: RadioAddress(bits: 0xC000_0000_0001, isRandom: true),
        peer: RadioAddress(bits: 0xC000_0000_0002, isRandom: true), LinkParameters())
    }
    expectEqual(shown(1, effect: .send([1])), [])
    expectEqual(shown(1, effect: .update(LinkParameters())), [])
    expectEqual(shown(1, signal: connected(.central)).count, 1)
    expectEqual(shown(2, signal: connected(.peripheral)).count, 1)
    expectEqual(shown(1, effect: .send([UInt8](repeating: 7, count: 10))), ["own 2 10 central"])
    expectEqual(shown(1, signal: .frame([1, 2, 3])), ["other 6 3"])
    // 251 bytes fit a packet. The other connection has bits of its own.
    expectEqual(shown(2, effect: .send([UInt8](repeating: 7, count: 251))), ["own 2 251"])
    expectEqual(
      shown(1, effect: .send([UInt8](repeating: 7, count: 252))), ["own 14 251 central", "own 5 1 central"])
    expectEqual(shown(1, signal: .frame([9])), ["other 14 1"])
    expectEqual(shown(1, effect: .send([])), [])
    // Only the central's machine wants other parameters; a peripheral is told of them.
    expectEqual(shown(1, signal: .updated(LinkParameters())), [])
    expectEqual(shown(1, effect: .update(LinkParameters())), ["own 11 12 central"])
    expectEqual(shown(2, signal: .updated(LinkParameters())), ["other 7 12 central"])
    expectEqual(shown(1, signal: .ended(.closed)), ["own 3 2 central"])
    expectEqual(shown(1, effect: .send([1])), [])
    expectEqual(shown(2, signal: .ended(.closedByPeer)), ["other 15 2 central"])
    expectEqual(shown(3, signal: connected(.central)).count, 1)
    expectEqual(shown(3, signal: .ended(.timedOut)), [])
    expectEqual(shown(3, signal: .frame([1])), [])
  }
}
