import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallConformance

/// Single records of responses, and which of them stand side by side.
@Suite("Records of responses") struct RecordCheckTests {
  private typealias Fixture = MulticastFixture
  private typealias Talk = LinkTalk

  private let wide = IPAddress(v6High: 0xFE80 << 48, low: 1)

  /// How often a clause is held, violated and left open, and what was found.
  private func ruled(_ clause: ClauseID, _ packets: [Talk.Packet]) -> [String] {
    let judgement = Fixture.judged(packets)
    let found = judgement.rows.filter { $0.finding.clause == clause }.map(\.finding.found)
    return [judgement.sum(clause)] + found
  }

  private func response(_ answers: [DNSRecord], _ additionals: [DNSRecord] = []) -> Talk.Packet {
    Fixture.with(Fixture.response(answers)) { $0.message.additionals = additionals }
  }

  // MARK: - Names and absence

  @Test("a control character is wrong in the name of an address of either family, not of other records (MD-49)")
  func names() {
    let name = DNSName.local.adding([0x1F])!
    let data: [DNSData] = [.address(IPAddress(10, 0, 0, 1)), .address(wide), .txt([0])]
    let rulings = data.map { ruled(.nameBytes, [response([DNSRecord(name, $0, ttlSeconds: 120)])]) }
    expectEqual(rulings, [["0 1 0", "\(name)"], ["0 1 0", "\(name)"], ["1 0 0"]])
  }

  @Test("NSEC that lists itself or leaves out a type is named by its name (MD-17)")
  func absence() {
    func ruling(_ types: DNSTypeSet) -> [String] {
      let denial = DNSRecord(
        Fixture.host, .nsec(next: Fixture.host, types: types), ttlSeconds: 120, isCacheFlush: true)
      return ruled(.negativeAnswers, [response([Fixture.address()], [denial])])
    }
    expectEqual(ruling([.a]), ["1 0 0"])
    expectEqual(ruling([.a, .nsec]), ["0 1 0", "NSEC of h.local that lists NSEC"])
    expectEqual(ruling([.aaaa]), ["0 1 0", "NSEC of h.local beside its A"])
  }

  // MARK: - Records side by side

  @Test("SRV has its addresses beside it or in the second before, where they were ever said (MD-64)")
  func additions() {
    let (clause, service) = (ClauseID.additionalRecords, Talk.service())
    expectEqual(ruled(clause, [response([service])]), ["0 0 0"])
    expectEqual(ruled(clause, [response([service], [Fixture.address()])]), ["1 0 0"])
    let rulings = ([1_000, 1_001] as [Int64]).map { time in
      ruled(clause, [Talk.said([Fixture.address()], at: 0), Talk.said([service], at: time)])
    }
    expectEqual(rulings, [["1 0 0"], ["0 1 0", "no addresses of h.local"]])
  }

  @Test("PTR of other names, addresses and TXT have no records that come next (MD-64)")
  func others() {
    let lamp = [Talk.service(), Fixture.text([0])]
    let both = [Fixture.address(), DNSRecord(Fixture.host, .address(wide), ttlSeconds: 120, isCacheFlush: true)]
    let talks = [
      response([Fixture.pointer()], lamp), response([Fixture.pointer(DNSName("lamps.local")!)], lamp), response(both),
      response([Fixture.text([0])]),
    ]
    let sums = talks.map { packet in
      let judgement = Fixture.judged([packet])
      return judgement.sum(.additionalRecords) + ", " + judgement.sum(.otherFamily)
    }
    expectEqual(sums, ["1 0 0, 0 0 0", "0 0 0, 0 0 0", "0 0 0, 2 0 0", "0 0 0, 0 0 0"])
  }

  @Test("the first address of another interface is named (MD-47)")
  func addresses() {
    let said = Talk.sent(Talk.said([Fixture.address(), Talk.address(9), Talk.address(8)], at: 0), by: 0)
    expectEqual(ruled(.perInterface, [Talk.up, said]), ["0 1 0", "10.0.0.9"])
  }

  @Test("keys are looked for in TXT of more than one byte (MD-59)")
  func keys() {
    let texts: [[UInt8]] = [[], [0], [0, 0], [1, 97], [1, 0x1F]]
    expectEqual(
      texts.map { Fixture.judged([response([Fixture.text($0)])]).sum(.textKeys) },
      ["0 0 0", "0 0 0", "1 0 0", "1 0 0", "0 1 0"])
  }

  // MARK: - SRV in a reply to a plain DNS client

  /// What is found in a reply with these records of which `count` bytes came; `nil`: all of them.
  private func compression(_ message: DNSMessage, _ count: Int? = nil) -> [String] {
    let bytes = message.written(compression: .none).bytes
    var collector = FindingCollector { _ in true }
    Array(bytes.prefix(count ?? bytes.count)).withUnsafeBytes { raw in
      let observation = Observation(
        time: .zero, position: 1, source: Endpoint(IPAddress(10, 0, 0, 1), port: 5_353),
        destination: Endpoint(IPAddress(10, 0, 0, 2), port: 40_000), place: .port5353, bytes: raw)
      let heard = HeardMessage(
        message: message, observation: observation,
        scene: FindingCollector.Scene(party: PartyID(0), claim: .rfc6762, time: .zero, position: 1),
        speaker: Speaker(observation), link: LinkKey(number: 0, family: .v4), isComplete: true)
      RecordChecks.judge(heard, MulticastSaid(), &collector)
    }
    return ["\(collector.tally(.compression, PartyID(0)).held)"] + collector.findings.map(\.found)
  }

  @Test("a reply without SRV is not asked for its data in full, and one with many records is to its end (MD-53)")
  func replies() {
    func other(_ byteCount: Int) -> DNSRecord {
      DNSRecord(.local, .other(DNSType(rawValue: 1_000), [UInt8](repeating: 0, count: byteCount)), ttlSeconds: 10)
    }
    expectEqual(compression(DNSMessage(flags: .response, answers: [other(1)])), ["0"])
    // 256 records of each section, and before the last one data of more than 255 bytes.
    let many = [DNSRecord](repeating: other(1), count: 256)
    let last = Array(many.prefix(254)) + [other(300), Talk.service(Fixture.instance, 10)]
    expectEqual(
      compression(DNSMessage(flags: .response, answers: many, authorities: many, additionals: last)), ["1"])
  }

  @Test("a reply that ends early shows the data of SRV as far as it came (MD-53)")
  func ends() {
    let message = DNSMessage(flags: .response, answers: [Talk.service(Fixture.instance, 10)])
    // Its name ends with byte 32, its type with byte 34, and the length of its data with byte 42.
    func found(_ lengths: String) -> [String] { ["0", "data of \(lengths) bytes in place of 15"] }
    expectEqual(
      ([0, 11, 12, 31, 32, 33, 34, 41] as [Int]).map { compression(message, $0) },
      [found(""), found(""), found(""), found(""), found(""), found(""), found("0"), found("0")])
    expectEqual(([42, 56, 57] as [Int]).map { compression(message, $0) }, [["1"], ["1"], ["1"]])
  }
}
