import Foundation
import RollcallCapture
import RollcallCaptureSupport
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallWire
import Testing

@testable import RollcallConformance
@testable import RollcallJudging
@testable import RollcallRunning

/// A clause of advertising, and packets that keep and break it; times in milliseconds.
struct BluetoothFixture: CustomTestStringConvertible {
  var clause: String
  var holds: [Packet]
  var breaks: [Packet]
  /// What the broken packets break as well.
  var besides: [String] = []
  var testDescription: String { clause }

  struct Packet {
    var milliseconds: Double = 0
    var kind = AdvertisingPDU.Kind.connectable
    var address = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
    var channel: UInt8? = 37
    var data: [UInt8] = []

    init(
      at milliseconds: Double = 0, _ kind: AdvertisingPDU.Kind = .connectable, address bits: UInt64 = 0xC0FF_EE00_0001,
      isRandom: Bool = true, channel: UInt8? = 37, _ data: [UInt8] = []
    ) {
      (self.milliseconds, self.kind, self.channel, self.data) = (milliseconds, kind, channel, data)
      address = RadioAddress(bits: bits, isRandom: isRandom)
    }

    init(at milliseconds: Double = 0, address bits: UInt64 = 0xC0FF_EE00_0001, channel: UInt8? = 37, _ data: [UInt8]) {
      self.init(at: milliseconds, .connectable, address: bits, channel: channel, data)
    }
  }

  static func judged(_ packets: [Packet], wanted: (Clause) -> Bool = { _ in true }) -> Judgement {
    var judge = ClauseJudge(.capture, wanted: wanted)
    for (number, packet) in packets.enumerated() {
      let bytes = AdvertisingPDU.bytes(packet.kind, from: packet.address, data: packet.data)
      judge.hear(
        HeardPacket(
          time: .zero + .nanoseconds(Int64(packet.milliseconds * 1_000_000)), position: number + 1,
          packet: RadioPDU(
            channel: packet.channel, strength: -60, accessAddress: AirFrame.advertisingAddress, bytes: bytes)))
    }
    judge.close()
    return Judgement(judge, wanted: wanted)
  }

  private static let flags: [UInt8] = [2, 1, 6]

  static let all: [BluetoothFixture] = [
    BluetoothFixture(
      clause: "BLE-ADDRESS-KIND",
      holds: [
        Packet(), Packet(address: 0x4000_0000_0001), Packet(address: 1),
        Packet(address: 0x8000_0000_0001, isRandom: false),
      ],
      breaks: [Packet(address: 0x8000_0000_0001)]),
    BluetoothFixture(
      clause: "BLE-ADDRESS-RANDOM", holds: [Packet(address: 0xFFFF_FFFF_FFFE), Packet(address: 0xC000_0000_0001)],
      breaks: [Packet(address: 0xC000_0000_0000), Packet(address: 0x3FFF_FFFF_FFFF)]),
    BluetoothFixture(
      clause: "BLE-INTERVAL",
      holds: [Packet(flags), Packet(at: 20, flags), Packet(at: 39.5, flags), Packet(at: 41.4, flags)],
      breaks: [Packet(flags), Packet(at: 19.499, flags)]),
    BluetoothFixture(
      clause: "BLE-FLAGS-RESPONSE", holds: [Packet(flags), Packet(at: 1, .scanResponse, [2, 0x0A, 4])],
      breaks: [Packet(.scanResponse, flags)]),
    BluetoothFixture(
      clause: "BLE-DISCOVERABLE", holds: [Packet([2, 1, 5]), Packet(at: 50, [2, 1, 6])], breaks: [Packet([2, 1, 7])]),
    BluetoothFixture(
      clause: "BLE-ONCE", holds: [Packet(flags + [2, 8, 0x61, 2, 9, 0x61])],
      breaks: [Packet(flags + [2, 9, 0x61, 2, 9, 0x62])]),
    BluetoothFixture(
      clause: "AD-OVERRUN", holds: [Packet(flags + [0, 0, 0, 9])], breaks: [Packet(flags + [2, 9])]),
    BluetoothFixture(
      clause: "AD-UUIDS", holds: [Packet([5, 3, 0x0F, 0x18, 0x0A, 0x18])],
      breaks: [Packet([4, 3, 0x0F, 0x18, 0x0A]), Packet(at: 50, [4, 0x14, 0x0F, 0x18, 0x0A])]),
    BluetoothFixture(
      clause: "AD-SERVICE-DATA", holds: [Packet([3, 0x16, 0x0F, 0x18])], breaks: [Packet([2, 0x16, 0x0F])]),
    BluetoothFixture(
      clause: "AD-MANUFACTURER", holds: [Packet([3, 0xFF, 0x4C, 0])], breaks: [Packet([2, 0xFF, 0x4C])]),
    BluetoothFixture(
      clause: "AD-NUMBER", holds: [Packet([2, 0x0A, 4, 3, 0x19, 0, 0])],
      breaks: [Packet([3, 0x0A, 4, 0]), Packet(at: 50, [2, 0x19, 0])]),
    BluetoothFixture(clause: "AD-FLAGS", holds: [Packet(flags)], breaks: [Packet([1, 1])]),
    BluetoothFixture(clause: "AD-NAME", holds: [Packet([3, 9, 0xC3, 0xA9])], breaks: [Packet([2, 9, 0xE9])]),
  ]
}

@Suite("The judge of advertising")
struct BluetoothJudgeTests {
  private func violated(_ judgement: Judgement) -> [String] {
    judgement.judged.filter { judgement.total($0).violated > 0 }.map(\.clause.id)
  }

  @Test(
    "each clause has packets that keep it and packets that break it, and nothing else", arguments: BluetoothFixture.all)
  func bites(fixture: BluetoothFixture) throws {
    let clause = try #require(Clause.named(fixture.clause)).number
    let good = BluetoothFixture.judged(fixture.holds)
    expectEqual(violated(good), [])
    #expect(good.total(clause).held > 0)
    let bad = BluetoothFixture.judged(fixture.breaks)
    expectEqual(violated(bad), [fixture.clause])
  }

  @Test("every clause of the catalogue has a fixture, rests on memory, and is no error")
  func complete() {
    expectEqual(Set(BluetoothFixture.all.map(\.clause)), Set(Catalogue.bluetooth.clauses.map(\.id)))
    for clause in Catalogue.bluetooth.clauses {
      #expect(clause.isFromMemory && clause.grade(isStrict: true) == .note && clause.status == "checked")
      #expect(clause.document == "Bluetooth, from memory" && clause.section == nil && !clause.remedy.isEmpty)
    }
    let all = BluetoothFixture.judged(BluetoothFixture.all.flatMap(\.breaks))
    #expect(all.violations(.must) == 0 && all.violations(.should) == 0 && all.violations(.hardening) == 0)
  }

  @Test("a finding says what was found, where, and how often")
  func findings() throws {
    typealias Packet = BluetoothFixture.Packet
    let flags: [UInt8] = [2, 1, 6]
    let judgement = BluetoothFixture.judged([
      Packet(flags), Packet(at: 5, flags), Packet(at: 10, flags), Packet(at: 100, [2, 1, 6, 9]),
      Packet(at: 200, [2, 1, 6, 3, 0xFF]),
    ])
    let rows = judgement.rows.map { row in
      "\(row.clause.id) \(row.party.name) \(row.finding.position) \(row.finding.count): \(row.finding.expected), not "
        + row.finding.found
    }
    let name = "c0:ff:ee:00:00:01/random"
    expectEqual(
      rows,
      [
        "BLE-INTERVAL \(name) 2 2: 20 ms from one event to the next, not 5000 us on channel 37",
        "AD-OVERRUN \(name) 4 2: structures that end within the packet, not byte 3 of the data begins one that does not",
      ])
    #expect(judgement.messageCount == 5 && judgement.parties.map(\.messageCount) == [5])
    #expect(judgement.parties[0].claim == .bluetooth40 && judgement.parties[0].product == nil)
  }

  @Test("intervals are those of one packet on one advertising channel: copies, other sets and other channels are none")
  func intervals() throws {
    typealias Packet = BluetoothFixture.Packet
    let clause = try #require(Clause.named("BLE-INTERVAL")).number
    func tally(_ packets: [Packet]) -> [UInt32] {
      let judgement = BluetoothFixture.judged(packets)
      return [judgement.tally(clause, party: 0).held, judgement.tally(clause, party: 0).violated]
    }
    expectEqual(tally([Packet([2, 1, 6]), Packet(at: 1.999, [2, 1, 6])]), [0, 0])
    expectEqual(tally([Packet([2, 1, 6]), Packet(at: 2, [2, 1, 6])]), [0, 1])
    expectEqual(tally([Packet([2, 1, 6]), Packet(at: 5, [2, 1, 4])]), [0, 0])
    expectEqual(tally([Packet([2, 1, 6]), Packet(at: 5, channel: 38, [2, 1, 6])]), [0, 0])
    expectEqual(tally([Packet(channel: nil, [2, 1, 6]), Packet(at: 5, channel: nil, [2, 1, 6])]), [0, 0])
    expectEqual(tally([Packet(channel: 36, [2, 1, 6]), Packet(at: 5, channel: 36, [2, 1, 6])]), [0, 0])
    expectEqual(tally([Packet(.scanResponse, [2, 0xA, 6]), Packet(at: 5, .scanResponse, [2, 0xA, 6])]), [0, 0])
    expectEqual(tally([Packet([2, 1, 6]), Packet(at: 5, address: 0xC0FF_EE00_0002, [2, 1, 6])]), [0, 0])
    expectEqual(tally([Packet(.nonconnectable, [2, 1, 4]), Packet(at: 5, .nonconnectable, [2, 1, 4])]), [0, 1])
    expectEqual(tally([Packet(.scannable, [2, 1, 6]), Packet(at: 5, .scannable, [2, 1, 6])]), [0, 1])
    // A copy does not move the time from which the next event is counted.
    expectEqual(tally([Packet([2, 1, 6]), Packet(at: 1, [2, 1, 6]), Packet(at: 19.6, [2, 1, 6])]), [1, 0])
    expectEqual(tally([Packet(at: 10, [2, 1, 6]), Packet(at: 0, [2, 1, 6]), Packet(at: 30, [2, 1, 6])]), [1, 0])
  }

  @Test("of a place beyond those that are remembered no interval is judged, and its packets are heard all the same")
  func places() {
    expectEqual(BluetoothJudge.placesMaximum, 12_288)
    var judge = BluetoothJudge(placesMaximum: 2)
    var books = Books(hosts: [], wanted: { _ in true })
    func hear(_ number: UInt64, at milliseconds: Int64) {
      let bytes = AdvertisingPDU.bytes(.connectable, from: RadioAddress(bits: number, isRandom: false))
      let packet = RadioPDU(channel: 39, strength: -60, accessAddress: AirFrame.advertisingAddress, bytes: bytes)
      judge.hear(HeardPacket(time: .zero + .milliseconds(milliseconds), position: 1, packet: packet), &books)
    }
    for milliseconds: Int64 in [0, 30, 35] {
      for number: UInt64 in 1...3 { hear(number, at: milliseconds) }
    }
    let tallies = (0..<3).map { books.collector.tally(.advertisingInterval, PartyID($0)) }
    expectEqual(tallies.map(\.held), [1, 1, 0])
    expectEqual(tallies.map(\.violated), [1, 1, 0])
    expectEqual(books.packetCount, 9)
    // A file whose times go back ends with the latest one.
    hear(3, at: 34)
    expectEqual(books.last, Instant.zero + .milliseconds(35))
  }

  @Test("a random address is judged by its two highest bits; of a resolvable one the others may be all equal")
  func addresses() {
    func tallies(_ bits: UInt64, isRandom: Bool = true) -> [UInt32] {
      let judgement = BluetoothFixture.judged([BluetoothFixture.Packet(address: bits, isRandom: isRandom)])
      return [ClauseID.addressKind, .addressRandom].flatMap { clause -> [UInt32] in
        let tally = judgement.tally(clause, party: 0)
        return [tally.held, tally.violated]
      }
    }
    for bits: UInt64 in [0, 0x3FFF_FFFF_FFFF, 0xC000_0000_0000, 0xFFFF_FFFF_FFFF] {
      expectEqual(tallies(bits), [1, 0, 0, 1], "\(bits)")
    }
    for bits: UInt64 in [1, 0x3FFF_FFFF_FFFE, 0xC000_0000_0001, 0xFFFF_FFFF_FFFE] {
      expectEqual(tallies(bits), [1, 0, 1, 0], "\(bits)")
    }
    for bits: UInt64 in [0x4000_0000_0000, 0x7FFF_FFFF_FFFF] { expectEqual(tallies(bits), [1, 0, 0, 0], "\(bits)") }
    for bits: UInt64 in [0x8000_0000_0000, 0xBFFF_FFFF_FFFF] { expectEqual(tallies(bits), [0, 1, 0, 0], "\(bits)") }
    expectEqual(tallies(0, isRandom: false), [0, 0, 0, 0])
  }

  @Test("data without a whole structure is judged only where one begins that does not end")
  func emptyData() {
    func tally(_ data: [UInt8]) -> [UInt32] {
      let tally = BluetoothFixture.judged([BluetoothFixture.Packet(data)]).tally(.dataOverrun, party: 0)
      return [tally.held, tally.violated]
    }
    expectEqual([tally([]), tally([0, 0]), tally([9]), tally([2, 1, 6])], [[0, 0], [0, 0], [0, 1], [1, 0]])
  }

  @Test("who asks, who connects and what is no packet is nobody's advertising")
  func others() {
    var judge = ClauseJudge(.capture)
    let (one, other) = (RadioAddress(bits: 1, isRandom: true), RadioAddress(bits: 2, isRandom: true))
    for bytes in [
      AdvertisingPDU.bytes(.scanRequest, from: one, to: other),
      AdvertisingPDU.bytes(.connectRequest, from: one, to: other, data: [UInt8](repeating: 0, count: 22)), [0, 1, 2],
      [],
      [7, 5, 4, 0x10, 1, 2, 3],
    ] {
      judge.hear(
        HeardPacket(
          time: .zero, position: 1,
          packet: RadioPDU(channel: 37, strength: nil, accessAddress: AirFrame.advertisingAddress, bytes: bytes)))
    }
    let judgement = Judgement(judge)
    #expect(judgement.messageCount == 0 && judgement.parties.isEmpty && judgement.isVacuous)
  }

  @Test("of a protocol that nobody spoke no clause is judged")
  func spoken() {
    let standards = { (judgement: Judgement) in Set(judgement.judged.map(\.clause.standard)) }
    expectEqual(standards(BluetoothFixture.judged([BluetoothFixture.Packet()])), [.bluetooth])
    expectEqual(standards(BluetoothFixture.judged([])), [.uda])
    expectEqual(standards(Said.judged([Said.alive()])), [.uda])
    // Nobody on the LAN is asked about clauses of the air, and the other way round.
    let peripheral = BluetoothFixture.judged([BluetoothFixture.Packet()]).parties[0]
    expectEqual(
      Clause.catalogue.filter { Judgement.binds($0, peripheral) }.map(\.standard),
      Array(repeating: .bluetooth, count: 13))
  }

  @Test("a run is judged by what its peripherals want to send, under their names")
  func traces() throws {
    let scenario = try Scenario(
      yaml: """
        scenario: a
        duration: 2s
        engine: {scan: {}}
        inhabitants:
          odd: {kind: peripheral, name: Odd, quirks: [longTransmitPower], response: {name: Odd}}
        expect: [{found: odd}]
        """, file: "x.yaml")
    let resolved = try scenario.resolved()
    let result = Run.perform(resolved, seed: Seed(1), options: RunOptions(recordedHosts: [0, 1]))
    let judgement = TraceHearing.judgement(result.trace, hosts: resolved.hosts.map(\.name))
    #expect(violated(judgement).contains("AD-NUMBER"))
    #expect(judgement.rows.allSatisfy { $0.party.name.hasPrefix("odd ") } && !judgement.rows.isEmpty)
  }

  @Test("in the captures of others nobody breaks a clause: packets judged, file by file")
  func captures() throws {
    let files = CaptureFolder.captures(in: "ble", for: "clauses of advertising")
    if files.isEmpty { return }
    var found: [String] = []
    for file in files {
      let name = file.lastPathComponent
      let heard = try JudgeInput.judge(file.path)
      let breaches = heard.judgement.judged.map { ($0.clause.id, heard.judgement.total($0).violated) }
        .filter { $0.1 > 0 }.map { "\($0.0) \($0.1)" }
      found.append("\(name): \(heard.judgement.messageCount)" + breaches.map { ", " + $0 }.joined())
    }
    expectEqual(
      found,
      [
        "ble-pairing-rf.pcap: 0", "fuzz-ble-rf.pcap: 0", "gatt-discovery-rf.pcap: 24",
        "hackrf-20-channels-rf.pcap: 1939",
        "hackrf-adv37-rf.pcap: 90", "hackrf-adv39-rf.pcap: 0", "hackrf-merged-rf.pcap: 170", "hackrf-short-rf.pcap: 81",
        "negative-hci-h4.pcap: 0", "numeric-pin-ppi.pcap: 2", "odid-bt5-coded-a.pcapng: 158",
        "ubertooth-adv-and-pairing-ppi.pcap: 515",
      ])
  }
}

@Suite("The ledger of Bluetooth")
struct LedgerTests {
  @Test("every row is there once, in order: 64 of a central, 13 of malformed data")
  func rows() {
    let central = (1...64).map { $0 < 10 ? "CB-0\($0)" : "CB-\($0)" }
    expectEqual(LedgerRow.all.map(\.id), central + (1...13).map { "AD-\($0)" })
    expectEqual(Set(LedgerRow.all.map(\.gist)).count, 77)
    expectEqual(LedgerRow.rows(named: ["ad"]).map(\.id), (1...13).map { "AD-\($0)" })
    #expect(LedgerRow.rows(named: ["CB-1"]) == [] && LedgerRow.rows(named: ["AD-1"]).map(\.id) == ["AD-1"])
    expectEqual(LedgerRow.rows(named: ["CB-14", "AD-2"]).map(\.id), ["CB-14", "AD-2"])
    #expect(LedgerRow.rows(named: ["C"]) == [] && LedgerRow.rows(named: []) == [])
  }

  @Test("every clause of multicast DNS that the standards have is a row, with a test of our own hosts")
  func multicast() {
    expectEqual(LedgerRow.multicast.map(\.id), Clause.list(beginning: "MD").map(\.id))
    expectEqual(ClauseText.summary(of: LedgerRow.multicast), "64 rows: 64 met")
  }

  @Test("every row of MultipeerConnectivity is there once, in order: 52 of applications, 13 of real devices")
  func nearbyRows() {
    let rules = (1...52).map { $0 < 10 ? "MP-0\($0)" : "MP-\($0)" }
    expectEqual(LedgerRow.nearby.map(\.id), rules + (1...13).map { "MX-\($0)" })
    expectEqual(Set(LedgerRow.nearby.map(\.gist)).count, 65)
    expectEqual(ClauseText.summary(of: LedgerRow.nearby), "65 rows: 63 met, 2 by policy")
    expectEqual(
      ClauseText.line(LedgerRow.rows(named: ["mp-29"])[0]),
      "MP-29  A message to somebody who is not connected throws — policy unknownReceiver: "
        + "a message of which one receiver is not connected")
    expectEqual(
      JudgementLines.json(LedgerRow.rows(named: ["MP-29"])[0]),
      #"{"schema":"rollcall/1","kind":"ledger","id":"MP-29","gist":"A message to somebody who is not connected throws","state":"policy","policy":"unknownReceiver","test":"a message of which one receiver is not connected"}"#
    )
  }

  @Test("each test that a row names is in the tests")
  func tests() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    var names: Set<String> = []
    for file in files where file.hasSuffix(".swift") && !file.contains("BluetoothJudgeTests") {
      var opensTest = false
      for line in try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8).split(separator: "\n") {
        let words = line.drop { $0 == " " }
        if words.hasPrefix("@Test") || opensTest || words.hasPrefix("func `") {
          for quote in ["\"", "`"] as [Character] {
            let parts = words.split(separator: quote, maxSplits: 2, omittingEmptySubsequences: false)
            if parts.count == 3 { names.insert(String(parts[1])) }
          }
        }
        opensTest = words == "@Test("
      }
    }
    for row in LedgerRow.all + LedgerRow.multicast + LedgerRow.nearby {
      switch row.state {
      case .met(let name), .policy(_, let name): #expect(names.contains(name), "\(row.id): \(name)")
      case .notApplicable: continue
      }
    }
    #expect(!names.contains("no test has this name"))
  }

  @Test("the ledger says how many rows are met, and why the others are not")
  func summary() {
    #expect(
      ClauseText.line(LedgerRow.rows(named: ["CB-53"])[0]).hasSuffix(
        "— not applicable: without the Objective-C runtime nobody can ask which methods a delegate has"))
    expectEqual(ClauseText.summary(of: LedgerRow.rows(named: ["AD"])), "13 rows: 13 met")
    expectEqual(ClauseText.summary(of: LedgerRow.rows(named: ["MP-29"])), "1 rows: 0 met, 1 by policy")
    expectEqual(ClauseText.summary(of: LedgerRow.all), "77 rows: 76 met, 1 not applicable")
    expectEqual(
      JudgementLines.json(LedgerRow.rows(named: ["CB-01"])[0]),
      #"{"schema":"rollcall/1","kind":"ledger","id":"CB-01","gist":"One delegate method is required, that of the state","state":"met","test":"a delegate with the required method alone bears every event"}"#
    )
    expectEqual(
      JudgementLines.json(LedgerRow.rows(named: ["CB-53"])[0]),
      #"{"schema":"rollcall/1","kind":"ledger","id":"CB-53","gist":"Restoration without an identifier is a mistake that is said","state":"not-applicable","reason":"without the Objective-C runtime nobody can ask which methods a delegate has"}"#
    )
  }
}
