@testable import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

/// How much a judge writes down, remembers and takes for discovery, at each bound and one beyond.
@Suite("Bounds of what a judge writes down")
struct FindingCollectorTests {
  private func heard(_ said: Said, _ judge: inout ClauseJudge, _ place: Observation.Place = .port1900) -> String {
    let payloads = PayloadStore()
    let payload = payloads.store(Array(said.text.utf8))
    defer { payloads.release(payload) }
    let heard = judge.hear(
      Observation(
        time: .zero, position: 1, source: said.from, destination: said.to, isCut: said.isCut, place: place,
        bytes: payloads.bytes(of: payload)))
    return "\(heard.kind?.name ?? "-") \(heard.searchPort)"
  }

  @Test("what came of a message is known again where checks held up to forty clauses and found up to eight breaches")
  func verdicts() {
    func counts(held: Int, broken: Int, open: Int = 0, party number: Int32 = 0) -> [Int]? {
      let party = PartyID(number)
      let scene = FindingCollector.Scene(party: party, claim: .uda20, time: .zero, position: 1)
      var collector = FindingCollector { _ in true }
      let verdicts = collector.verdicts(on: party) { collector in
        collector.held(.generic, at: scene, times: held)
        for number in 0..<broken {
          collector.violated(.aliveHost, at: scene, expected: "another", found: .number(Int64(number)))
        }
        for _ in 0..<open { collector.inconclusive(.renew, at: scene, why: "it may be lost") }
      }
      return verdicts.map { known in
        [known.held.filter { $0 == ClauseID.generic.rawValue }.count, known.breaches.count]
      }
    }
    expectEqual(counts(held: 40, broken: 8), [40, 8])
    expectEqual(counts(held: 40, broken: 8, party: 5), [40, 8])
    expectEqual(counts(held: 41, broken: 0), nil)
    expectEqual(counts(held: 0, broken: 9), nil)
    expectEqual(counts(held: 1, broken: 1, open: 1), nil)
    expectEqual(counts(held: 0, broken: 0), [0, 0])
  }

  @Test("a message with eight breaches is known from its third coming, one with nine is judged anew each time")
  func breaches() {
    for (count, known) in [(1, 7), (7, 7), (8, 7), (9, 0)] {
      let fields = (0..<count).map { "name\($0): 1\r\n" }.joined()
      let said = Said.alive().with { $0.text = $0.text.replacing("\r\n\r\n", with: "\r\n\(fields)\r\n") }
      let payloads = PayloadStore()
      var judge = ClauseJudge(.capture)
      for turn in 1...9 {
        let payload = payloads.store(Array(said.text.utf8))
        judge.hear(
          Observation(
            time: .zero + .seconds(Int64(turn)), position: turn, source: said.from, destination: said.to,
            bytes: payloads.bytes(of: payload)))
        payloads.release(payload)
      }
      judge.close()
      let again = judge.books.knownCount
      expectEqual(again, known, "\(count)")
      let judgement = Judgement(judge)
      let findings = judgement.rows.map(\.finding).filter { $0.clause == .vendorName }
      expectEqual(findings.map(\.found), (0..<count).map { "name\($0)" })
      #expect(findings.allSatisfy { $0.count == 9 && $0.position == 1 && $0.lastPosition == 9 }, "\(count)")
      expectEqual(judgement.total(.vendorName).violated, count * 9)
    }
  }

  @Test("twelve findings of a clause are listed for a party, and one that is listed is counted on when others are not")
  func findings() {
    func hosts(_ numbers: [Int]) -> [Said] { numbers.map { Said.alive(["HOST": "host\($0)"]) } }
    func counts(_ talk: [Said]) -> [Int] {
      Said.judged(talk).rows.map(\.finding).filter { $0.clause == .aliveHost }.map(\.count)
    }
    expectEqual(counts(hosts(Array(0..<12))), Array(repeating: 1, count: 12))
    expectEqual(counts(hosts(Array(0..<13))), Array(repeating: 1, count: 12))
    expectEqual(counts(hosts(Array(0..<13) + [12, 11, 0])), [2] + Array(repeating: 1, count: 10) + [2])
    expectEqual(Said.judged(hosts(Array(0..<13) + [12, 11, 0])).total(.aliveHost).violated, 16)
    // Each party has a list of its own.
    let other = hosts(Array(0..<13)).map { $0.by(IPAddress(192, 168, 1, 11)) }
    expectEqual(counts(hosts(Array(0..<13)) + other), Array(repeating: 1, count: 24))
  }

  @Test("a finding quotes up to a hundred and sixty bytes")
  func quotes() {
    func found(_ count: Int) -> [String] {
      let said = Said.alive(["HOST": String(repeating: "a", count: count)])
      return Said.judged([said]).rows.map(\.finding).filter { $0.clause == .aliveHost }.map(\.found)
    }
    let most = String(repeating: "a", count: 160)
    expectEqual(found(159), [String(most.dropLast())])
    expectEqual(found(160), [most])
    expectEqual(found(161), [most + "…"])
  }

  @Test("a party's product is the first that it names in sixteen messages, cut at eighty bytes")
  func products() {
    let silent = Said.search(["USER-AGENT": nil])
    func product(_ count: Int) -> [String?] {
      Said.judged(Array(repeating: silent, count: count) + [.search()]).parties.map(\.product)
    }
    expectEqual(product(0), ["OS/1.0 UPnP/2.0 Product/1.0"])
    expectEqual(product(15), ["OS/1.0 UPnP/2.0 Product/1.0"])
    expectEqual(product(16), [nil])
    let other = Said.search(["USER-AGENT": "OS/1.0 UPnP/2.0 Other/1.0"])
    expectEqual(Said.judged([.search(), other]).parties.map(\.product), ["OS/1.0 UPnP/2.0 Product/1.0"])
    let long = "Linux/6.6 UPnP/2.0 " + String(repeating: "p", count: 62)
    expectEqual(Said.judged([.alive(["SERVER": long])]).parties.map(\.product), [String(long.prefix(80))])
  }

  @Test("a message of a set is known by an NT of up to five hundred and twelve bytes")
  func targets() {
    func sum(_ count: Int) -> String {
      Said.judged([.named(String(repeating: "x", count: count))]).sum(.uuidUnique)
    }
    expectEqual(sum(512), "1 0 0")
    expectEqual(sum(513), "0 0 0")
  }

  @Test("to a searching socket only answers come, to a SEARCHPORT searches, to port 1900 anything, to 5353 nothing")
  func places() {
    func odd(_ text: String) -> Said { Said.alive().with { $0.text = text } }
    let port: KeyValuePairs<String, String?> = ["SEARCHPORT.UPNP.ORG": "50000"]
    // What is heard, and how many messages, of them unreadable, at port 1900, a searching socket, a SEARCHPORT; and
    // nothing at port 5353.
    let rows: [(said: Said, heard: [String])] = [
      (.alive(port), ["notify-alive 50000 1 0", "- -1 0 0", "- -1 0 0"]),
      (.alive(), ["notify-alive -1 1 0", "- -1 0 0", "- -1 0 0"]),
      (.answer(port), ["response 50000 1 0", "response 50000 1 0", "- -1 0 0"]),
      (.search(port), ["search -1 1 0", "- -1 0 0", "search -1 1 0"]),
      (.notify("update", port), ["notify-update -1 1 0", "- -1 0 0", "- -1 0 0"]),
      (.notify("byebye", port), ["notify-byebye -1 1 0", "- -1 0 0", "- -1 0 0"]),
      (odd("HTTP/1.1 404 Not Found\r\n\r\n"), ["- -1 1 1", "- -1 1 1", "- -1 0 0"]),
      (odd("hTTp/1.0 404 Not Found\r\n\r\n"), ["- -1 1 1", "- -1 1 1", "- -1 0 0"]),
      (odd("HTTP/2 404 Not Found\r\n\r\n"), ["- -1 1 1", "- -1 0 0", "- -1 0 0"]),
      (odd("m-search\r\n\r\n"), ["- -1 1 1", "- -1 0 0", "- -1 0 0"]),
      (odd("hello"), ["- -1 1 1", "- -1 0 0", "- -1 0 0"]),
    ]
    for row in rows {
      let found = [Observation.Place.port1900, .searcher, .searchPort, .port5353].map { place -> String in
        var judge = ClauseJudge(.capture)
        let text = heard(row.said, &judge, place)
        return "\(text) \(judge.books.messageCount) \(judge.books.unreadableCount)"
      }
      expectEqual(found, row.heard + ["- -1 0 0"], "\(row.said.text.debugDescription)")
    }
    // What the file cut off is counted, and taken for what it begins like.
    var judge = ClauseJudge(.capture)
    let text = heard(Said.alive(port).with { $0.isCut = true }, &judge)
    let counts = [judge.books.messageCount, judge.books.cutCount, judge.partyList.count]
    expectEqual(text, "notify-alive -1")
    expectEqual(counts, [1, 1, 0])
  }
}
