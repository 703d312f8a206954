import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallTrace
import RollcallWire
import Testing

/// What a judge is told of the entries of a run: clauses that show in nothing else are judged by them, at their bounds.
@Suite("Courses of runs, judged by their traces") struct TracedCourseTests {
  private static let device = "uuid:" + Said.uuid

  private func entry(_ milliseconds: Int64, _ content: TraceEntry.Content, by station: UInt32 = 0) -> TraceEntry {
    TraceEntry(time: .zero + .milliseconds(milliseconds), station: station, content: content)
  }
  private func told(_ milliseconds: Int64, _ command: Command) -> TraceEntry {
    entry(milliseconds, .signal(.command(command)))
  }
  private func tells(_ milliseconds: Int64, _ report: Report) -> TraceEntry {
    entry(milliseconds, .effect(.report(report)))
  }
  private func datagram(_ said: Said) -> RecordedDatagram {
    RecordedDatagram(
      source: said.from, destination: said.to, interface: InterfaceID(0), hopLimit: said.hopLimit,
      bytes: Array(said.text.utf8))
  }
  private func sends(_ milliseconds: Int64, _ said: Said) -> TraceEntry {
    entry(milliseconds, .sent(datagram(said)))
  }
  private func hears(_ milliseconds: Int64, _ said: Said, by station: UInt32 = 0) -> TraceEntry {
    entry(milliseconds, .received(datagram(said)), by: station)
  }
  private func found(_ milliseconds: Int64) -> TraceEntry {
    tells(
      milliseconds,
      .found(
        DeviceSighting(
          device: TracedCourseTests.device, location: nil, source: IPAddress(192, 168, 1, 10),
          interface: InterfaceID(0), bootID: 7)))
  }
  private func lost(_ milliseconds: Int64, _ cause: LossCause) -> TraceEntry {
    tells(milliseconds, .lost(device: TracedCourseTests.device, cause: cause))
  }

  private func judged(_ entries: [TraceEntry], end milliseconds: Int64? = nil) -> Judgement {
    TraceHearing.judgement(
      entries, hosts: ["engine", "other"], end: milliseconds.map { .zero + .milliseconds($0) })
  }

  // MARK: - SSDP

  @Test("a search that was asked for listens until MX after its last copy")
  func search() {
    func wait(until end: Int64) -> String {
      let outcome = SearchOutcome(search: SearchID(1), target: "ssdp:all", services: [], wasStopped: false)
      let entries = [
        told(0, .search(Search(id: SearchID(1), target: "ssdp:all"))), sends(0, .search()), sends(1_000, .search()),
        tells(end, .searchEnded(outcome)),
      ]
      return judged(entries).sum(.searchWait)
    }
    expectEqual([3_999, 4_000].map { wait(until: $0) }, ["0 1 0", "1 0 0"])
  }

  @Test("reports of a control point are compared with the message it heard last; a host without reports is no party")
  func leases() {
    let renewed = [
      hears(0, .alive()), hears(0, .alive(), by: 1), found(0), hears(900_000, .alive()),
    ]
    expectEqual(
      [1_800_000, 2_700_000].map { judged(renewed + [lost($0, .expired)]).sum(.expire) }, ["0 1 0", "1 0 0"])
    expectEqual(judged(renewed).parties.map(\.name), ["engine"])
  }

  @Test("a run ends at the given end, or else with its last entry of any kind")
  func end() {
    let start = [hears(0, .alive()), found(0)]
    let ends: [Int64?] = [nil, 1_801_000, 1_801_001]
    expectEqual(ends.map { judged(start, end: $0).sum(.expire) }, ["0 0 0", "0 0 0", "0 1 0"])
    let contents: [TraceEntry.Content] = [
      .woken, .signal(.command(.stopDescriptions)), .effect(.join(.ssdp(.v4), InterfaceID(0))),
    ]
    for content in contents {
      expectEqual(
        [1_801_000, 1_801_001].map { judged(start + [entry($0, content, by: 1)]).sum(.expire) }, ["0 0 0", "0 1 0"])
    }
    expectEqual(judged(start + [entry(1_801_001, .woken)], end: 1_801_000).sum(.expire), "0 0 0")
  }

  @Test("a datagram that is refused next was not heard, and one behind a refusal was")
  func refused() {
    let start = [hears(0, .alive()), found(0), hears(1_000, .alive()), entry(1_000, .woken)]
    let other = hears(10_000, .alive(["BOOTID.UPNP.ORG": "8"]))
    let refusal = tells(10_000, .rejected(Rejection(.empty, at: 0)))
    let courses: [[TraceEntry]] = [
      [other], [other, refusal], [refusal, other], [other, refusal, entry(10_000, .woken)],
    ]
    expectEqual(courses.map { judged(start + $0).sum(.bootIDDiffers) }, ["0 1 0", "0 0 0", "0 1 0", "0 0 0"])
  }

  @Test("a device that the application holds is not dropped to make room, and one that it let go of may be")
  func held() {
    let hold = told(2_000, .hold(device: TracedCourseTests.device))
    let release = told(3_000, .release(device: TracedCourseTests.device))
    let (start, evicted) = ([hears(0, .alive()), found(0)], [lost(5_000, .evicted)])
    let courses: [[TraceEntry]] = [[], [hold], [hold, release]]
    expectEqual(
      courses.map { judged(start + $0 + evicted).sum(.boundedCache) }, ["1 0 0", "0 1 0", "1 0 0"])
  }

  // MARK: - Multicast DNS

  private func datagram(_ message: DNSMessage, from host: UInt8) -> RecordedDatagram {
    RecordedDatagram(
      source: Endpoint(IPAddress(10, 0, 0, host), port: 5_353), destination: Endpoint(.mdnsGroup4, port: 5_353),
      interface: InterfaceID(0), hopLimit: 255, bytes: message.written().bytes)
  }
  private func asks(_ milliseconds: Int64, _ name: DNSName, _ type: DNSType) -> TraceEntry {
    let message = DNSMessage(flags: .query, questions: [DNSQuestion(name, type)])
    return entry(milliseconds, .sent(datagram(message, from: 2)))
  }

  @Test("the first query waits 20 ms from the start or the end of a search of the application")
  func firstQuery() {
    let up = InterfaceChange(
      interface: InterfaceID(0), isUp: true, addresses: [InterfaceAddress(IPAddress(10, 0, 0, 2), prefixBits: 24)])
    func waits(_ command: Command) -> [String] {
      // A millisecond less may be one of the clock.
      ([118, 119] as [Int64]).map { time -> String in
        let entries = [
          entry(0, .signal(.interface(up))), told(100, command), asks(time, MulticastFixture.type, .ptr),
        ]
        return judged(entries).sum(.firstQueryDelay)
      }
    }
    for command in [Command.browse(.everything), .stopBrowsing(.everything), .stop] {
      expectEqual(waits(command), ["0 1 0", "1 0 0"], "\(command)")
    }
    expectEqual(waits(.reconfirm(device: "peer:Lamp")), ["1 0 0", "1 0 0"])
  }

  @Test("after an answer there are no more queries, unless the application doubts a record or searches anew")
  func answered() {
    let answer = DNSMessage(flags: .response, answers: [MulticastFixture.address()])
    func askedAgain(_ between: [TraceEntry]) -> Int {
      let start = [
        asks(0, MulticastFixture.host, .a), entry(5, .received(datagram(answer, from: 1))),
      ]
      let entries = start + between + [asks(1_000, MulticastFixture.host, .a)]
      return judged(entries, end: 11_000).total(.uniqueAnswerEnds).violated
    }
    expectEqual(askedAgain([]), 1)
    for command in [Command.reconfirm(device: "peer:Lamp"), .browse(.everything)] {
      expectEqual(askedAgain([told(500, command)]), 0, "\(command)")
    }
    expectEqual(askedAgain([told(500, .hold(device: "peer:Lamp"))]), 1)
  }
}
