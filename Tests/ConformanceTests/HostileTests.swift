import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

/// Whatever is sent to port 1900, the judge neither crashes nor forgets its bounds.
@Suite("Hostile datagrams, judged")
struct HostileTests {
  private static let samples: [Said] = [
    .alive(), .notify("byebye"), .notify("update"), .search(), .unicastSearch(), .answer(),
    Said.alive(["HOST": "[FF02::C]:1900", "LOCATION": "http://[fe80::10%25eth0]:49152/d.xml"]).overIPv6(),
  ]

  private func hear(_ bytes: [UInt8], _ said: Said, _ judge: inout ClauseJudge, _ payloads: PayloadStore, _ at: Int) {
    let payload = payloads.store(bytes)
    judge.hear(
      Observation(
        time: .zero + .milliseconds(Int64(at)), position: at, source: said.from, destination: said.to,
        hopLimit: said.hopLimit, bytes: payloads.bytes(of: payload)))
    payloads.release(payload)
  }

  @Test("every sample cut at every byte is judged")
  func truncations() {
    var judge = ClauseJudge(.capture)
    let payloads = PayloadStore()
    var count = 0
    for said in HostileTests.samples {
      let bytes = Array(said.text.utf8)
      for length in 0...bytes.count {
        count += 1
        hear(Array(bytes[..<length]), said, &judge, payloads, count)
      }
    }
    judge.close()
    expectEqual(judge.books.messageCount, count)
  }

  @Test("samples with bytes changed, doubled and taken out are judged, twice alike")
  func mutations() {
    func run() -> [String] {
      var judge = ClauseJudge(.capture)
      let payloads = PayloadStore()
      var draws = Seed(7).stream("mutations")
      for number in 0..<2_000 {
        let said = HostileTests.samples[number % HostileTests.samples.count]
        var bytes = Array(said.text.utf8)
        for _ in 0..<(1 + number % 5) where !bytes.isEmpty {
          let place = Int(draws.below(UInt64(bytes.count)))
          switch draws.below(4) {
          case 0: bytes[place] = UInt8(truncatingIfNeeded: draws.next())
          case 1: bytes.remove(at: place)
          case 2: bytes.insert(contentsOf: bytes[place...].prefix(40), at: place)
          default: bytes[place] = [0, 10, 13, 58, 32, 47, 255][Int(draws.below(7))]
          }
        }
        hear(bytes, said, &judge, payloads, number + 1)
      }
      judge.close()
      return Judgement(judge).lines
    }
    let lines = run()
    #expect(lines.count > 50)
    expectEqual(lines, run())
  }

  @Test("a crowd of invented senders and devices stays within its bounds")
  func crowd() {
    var judge = ClauseJudge(.capture)
    let payloads = PayloadStore()
    for number in 0..<5_000 {
      let digits = String(number, radix: 16)
      let uuid = "2fac1234-31f8-11b4-a222-" + String(repeating: "0", count: 12 - digits.count) + digits
      var said = Said.alive(["HOST": nil, "USN": "uuid:\(uuid)::\(Said.type)"])
      said.from = Endpoint(IPAddress(v4: 0x0A00_0000 + UInt32(number)), port: 1_900)
      hear(Array(said.text.utf8), said, &judge, payloads, number + 1)
    }
    judge.close()
    expectEqual(judge.partyList.count, 4_097)
    expectEqual(judge.partyList.last?.name, "all others")
    #expect(judge.collector.findings.count <= FindingCollector.findingsMaximum)
  }
}
