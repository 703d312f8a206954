import RollcallDevices
import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import RollcallSimulation
import Testing
import RollcallTrace

/// What happens in which order and at which moment, and that every run is the one that was recorded.
@Suite("Worlds, entry by entry")
struct WorldEntryTests {
  @Test("at one instant the timeline comes first, in its order, then the faults, then who asked first to be woken")
  func oneInstant() throws {
    let transcript = try Transcript(
      """
      scenario: At one instant
      duration: 4s
      network: {segments: {away: {}, lan: {}}}
      inhabitants:
        late: {kind: script, segment: lan, address: 192.168.2.1, lines: [{at: 1s, text: "l1"}, {at: 2s, text: "l2"}]}
        a:
          kind: script
          segment: lan
          address: 192.168.2.2
          lines:
            - {text: "zero"}
            - {text: "one"}
            - {at: 1s, text: "two"}
            - {at: 1s, text: "three"}
            - {at: 2s, text: "four"}
            - {at: 3s, text: "five"}
        early:
          {kind: script, segment: lan, address: 192.168.2.3, lines: [{at: 1500ms, text: "e1"}, {at: 2s, text: "e2"}]}
        gone: {kind: script, segment: lan, address: 192.168.2.4, lines: [{at: 0s, text: "now"}, {at: 1s, text: "no"}]}
        b: {kind: reflector, rate: 0/s, segment: lan, address: 192.168.2.5}
      timeline:
        - {at: 2s, send: {who: a, script: 0}}
        - {at: 1s, send: {who: a, script: 1}}
        - {at: 1s, send: {who: a, script: 0}}
        - {at: 0s, vanish: gone}
      faults:
        - {at: 3s, until: 3500ms, link: {who: b, loss: 100%}}
        - {at: 1s, until: 1500ms, interface-down: {who: b}}
      """)
    let lines = transcript.lines.map {
      $0.replacing(":1900 -> 239.255.255.250:1900 if0 ttl2", with: "").replacing("00000000 ", with: " ")
        .replacing("192.168.2.", with: "")
    }
    let beginning = [
      "0.0 late < interface 0 up 1/24", "0.0 a < interface 0 up 2/24", "0.0 early < interface 0 up 3/24",
      "0.0 gone < interface 0 up 4/24", "0.0 b < interface 0 up 5/24", "0.0 late < command appear",
      "0.0 a < command appear", "0.0 early < command appear", "0.0 gone < command appear", "0.0 b < command appear",
      "0.0 b > join 239.255.255.250:1900 if0", "0.0 gone < wake", "0.0 gone > 4 now", "0.0 gone < command vanish",
      "0.0 b < 4 now",
    ]
    let firstSecond = [
      "1.0 a < wake", "1.0 a > 2 two", "1.0 a > 2 three", "1.0 a < command send 1", "1.0 a > 2 one",
      "1.0 a < command send 0", "1.0 a > 2 zero", "1.0 late < wake", "1.0 late > 1 l1",
      "1.0 b < interface 0 down", "1.5 early < wake", "1.5 early > 3 e1", "1.5 b < interface 0 up 5/24",
      "1.5 b > join 239.255.255.250:1900 if0", "1.5 b < 3 e1",
    ]
    let rest = [
      "2.0 a < wake", "2.0 a > 2 four", "2.0 a < command send 0", "2.0 a > 2 zero", "2.0 late < wake",
      "2.0 late > 1 l2", "2.0 early < wake", "2.0 early > 3 e2", "2.0 b < 2 four", "2.0 b < 2 zero", "2.0 b < 1 l2",
      "2.0 b < 3 e2", "3.0 a < wake", "3.0 a > 2 five",
    ]
    expectEqual(lines, beginning + firstSecond + rest)
  }

  @Test("a clock that drifts is heard by others at the first moment at which it says so")
  func clocks() throws {
    func times(_ drift: String, _ lines: [String]) throws -> [String] {
      let texts = lines.map { "{at: \($0), text: \"\($0)\"}" }.joined(separator: ", ")
      let transcript = try Transcript(
        """
        scenario: Clocks
        duration: 10s
        network: {segments: {away: {}, lan: {}}}
        inhabitants:
          a: {kind: script, segment: lan, clock-drift: \(drift), lines: [\(texts)]}
          b: {kind: reflector, rate: 0/s, segment: lan}
          c: {kind: reflector, rate: 0/s, segment: lan, clock-drift: \(drift)}
        """)
      return transcript.heard
    }
    // What it says by its own clock, when that was, and what another clock of its kind makes of it.
    let cases: [(drift: String, lines: [(at: String, time: String, local: String)])] = [
      ("0ppm", [("1ns", "1ns", "1ns"), ("3s", "3s", "3s")]),
      (
        "500000ppm",
        [
          ("1ns", "1ns", "1ns"), ("999999999ns", "666666666ns", "999999999ns"), ("1s", "666666667ns", "1s"),
          ("1000000001ns", "666666668ns", "1000000002ns"), ("3s", "2s", "3s"),
        ]
      ),
      ("333333ppm", [("1s", "750000188ns", "1s"), ("3s", "2250000563ns", "3s")]),
      ("100ppm", [("999999999ns", "999900009ns", "999999999ns"), ("1s", "999900010ns", "1s")]),
      ("1ppm", [("999999999ns", "999999us", "999999999ns"), ("1s", "999999001ns", "1s")]),
      // A moment that is never reached is none: it would come after 400 years.
      ("-500000ppm", [("1s", "2s", "1s"), ("3s", "6s", "3s"), ("2000000h", "", "")]),
      ("-200000ppm", [("4s", "5s", "4s"), ("8s", "10s", "8s")]),
    ]
    for one in cases {
      let heard = one.lines.filter { $0.time != "" }.flatMap { line in
        ["\(line.time) b \(line.at)", "\(line.local) c \(line.at)"]
      }
      try expectEqual(times(one.drift, one.lines.map(\.at)), heard, "\(one.drift)")
    }
  }

  @Test("a budget is used up by the first entry or event beyond it")
  func budgets() throws {
    // 19 entries: an interface each and three joins, three appearances, a wake, a datagram and two hearers twice, a
    // fault. 9 events: the appearances, the wakes, the multicasts, the fault, and what the host is told of it.
    func run(_ budget: String) throws -> RunResult {
      try Transcript(
        """
        scenario: Budget
        duration: 4s
        network: {segments: {lan: {}, away: {}}}
        engine: {segment: away}
        inhabitants:
          a: {kind: script, lines: [{at: 1s, text: "m"}, {at: 2s, text: "n"}]}
          b: {kind: reflector, rate: 0/s}
          c: {kind: reflector, rate: 0/s}
        faults: [{at: 3s, interface-down: {who: b}}]
        budget: {\(budget)}
        """
      ).result
    }
    let cases: [(budget: String, reached: String?, time: Interval, entries: UInt64)] = [
      ("entries: 19, events: 9", nil, .seconds(4), 19), ("entries: 18", "more than 18 trace entries", .seconds(3), 19),
      ("events: 8", "more than 8 events", .seconds(3), 19),
      ("entries: 18, events: 8", "more than 18 trace entries", .seconds(3), 19),
      ("entries: 10", "more than 10 trace entries", .seconds(1), 12),
      ("events: 3", "more than 3 events", .seconds(1), 12),
    ]
    for one in cases {
      let result = try run(one.budget)
      expectEqual(result.reachedBudget, one.reached, "\(one.budget)")
      expectEqual(result.outcome, (one.reached == nil ? .vacuous : .budget), "\(one.budget)")
      expectEqual(result.virtualTime, one.time, "\(one.budget)")
      expectEqual(result.entries, one.entries, "\(one.budget)")
    }
  }

  /// Keeps what a closure was handed.
  private final class Notes {
    var lines: [String] = []
  }

  @Test("a gateway is in the trace and in the digest like everybody, recorded or not, and hands on what it hears")
  func gateways() {
    func run(_ recorder: Recorder?) -> (digest: Digest, entries: UInt64, notes: [String]) {
      let hosts = (0..<4).map { number in
        HostPlan(
          name: "h\(number)",
          interfaces: [
            InterfacePlan(
              segment: 0, addresses: [InterfaceAddress(IPAddress(10, 0, 0, UInt8(number + 1)), prefixBits: 24)])
          ], clockDriftMillionths: number == 2 ? 500_000 : 0)
      }
      let script = Script([Script.Line(at: .seconds(1), payload: Array("x".utf8))])
      var plan = WorldPlan(
        network: NetworkPlan(segments: [SegmentPlan(name: "lan")], hosts: hosts), duration: .seconds(2), seed: Seed(1))
      let notes = Notes()
      let uplink = Gateway.Uplink()
      uplink.send = { notes.lines.append("up \($0.source) \(String(decoding: $1, as: UTF8.self))") }
      plan.machines.append(script)
      for _ in 0..<3 { plan.machines.append(Gateway(uplink)) }
      plan.commands = [(time: .zero, host: 0, command: .act(.appear))]
      var world = World(plan: plan, recorder: recorder)
      world.tap = { notes.lines.append("\($2) \($0.source) \(String(decoding: $1, as: UTF8.self))") }
      world.runAll()
      return (world.gate.digest, world.gate.entryCount, notes.lines)
    }
    let recorder = Recorder()
    let recorded = run(recorder)
    let datagram = "10.0.0.1:1900 -> 239.255.255.250:1900 if0 ttl2 x"
    let joins = (1...3).flatMap {
      ["0.000000000 h\($0) < interface 0 up 10.0.0.\($0 + 1)/24", "0.000000000 h\($0) > join 239.255.255.250:1900 if0"]
    }
    let lines =
      ["0.000000000 h0 < interface 0 up 10.0.0.1/24"] + joins
      + ["0.000000000 h0 < command appear", "1.000000000 h0 < wake", "1.000000000 h0 > \(datagram)"]
      + ["1.000000000 h1 < \(datagram)", "1.500000000 h2 < \(datagram)", "1.000000000 h3 < \(datagram)"]
    expectEqual(recorder.entries.map { TraceText.line($0) { "h\($0)" } }, lines)
    expectEqual(recorded.entries, UInt64(lines.count))
    let up = "up 10.0.0.1:1900 x"
    expectEqual(recorded.notes, ["1.000000000 10.0.0.1:1900 x", up, up, up])
    let plain = run(nil)
    expectEqual(plain.digest, recorded.digest)
    expectEqual(plain.entries, recorded.entries)
    expectEqual(plain.notes, recorded.notes)
  }

  @Test("refused datagrams are counted for ever, and the first hundred thousand of them are listed")
  func rejections() {
    var tally = RejectionTally()
    for number in 0..<100_002 { tally.add(Rejection(.empty, at: number), at: Instant(nanoseconds: Int64(number))) }
    tally.add(Rejection(.overDevice, at: 0), at: .never)
    expectEqual(tally.listed.count, 100_000)
    expectEqual(tally.listed.last?.rejection.offset, 99_999)
    expectEqual(tally.byReason.map { "\($0.reason.rawValue) \($0.count)" }, ["empty 100002", "overDevice 1"])
    expectEqual(tally.total, 100_003)
    #expect(tally.count(of: .overDevice) == 1 && tally.count(of: .tooShort) == 0)
  }

  /// Lines of `Scenarios/digests.txt`: a path and a digest. Descriptions, and of the others that do not take long every
  /// fifth; what `make run` prints is compared with all lines (`ShownCommandTests`).
  static let recorded: [String] = {
    let long = [
      "bursty-wifi-two-acts", "dual-stack-one-device", "invented-devices-flood", "renews-every-five-seconds",
      "search-waits-for-slow-answers", "two-locations",
    ]
    let url = Places.root.appendingPathComponent("Scenarios/digests.txt")
    let lines = ((try? String(contentsOf: url, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    return lines.enumerated().filter { place, line in
      line.contains("/descriptions/") || place % 5 == 0 && !long.contains { line.contains("/\($0).yaml ") }
    }.map(\.element)
  }()

  @Test("every point and seed of a scenario runs as Scenarios/digests.txt has it", arguments: recorded)
  func digests(line: String) throws {
    let words = line.split(separator: " ").map(String.init)
    let scenario = try ScenarioFile.read(Places.root.appendingPathComponent(words[0]).path).scenario
    var digest = ScenarioDigest()
    for point in try scenario.points(file: words[0]) {
      let resolved = try point.scenario.resolved()
      for seed in point.scenario.seeds { digest.add(Run.perform(resolved, seed: Seed(seed)).digest) }
    }
    expectEqual(digest.digest.description, words[1])
  }

  @Test("scenarios of every protocol are compared with what was recorded")
  func inventory() {
    let folders = Set(
      WorldEntryTests.recorded.compactMap { $0.split(separator: "/").dropFirst().first.map(String.init) })
    expectEqual(
      folders.sorted(), ["bluetooth", "bonjour", "descriptions", "field", "manager", "mdns", "peers", "ssdp"])
  }
}
