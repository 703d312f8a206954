import RollcallCapture
import RollcallCaptureSupport
import RollcallConformance
import Foundation
import RollcallExpectations
import RollcallJudging
import RollcallPrimitives
import RollcallRunning
import Testing

/// What a judge remembers of a message makes it faster and changes nothing.
@Suite("Messages that come again, judged")
struct MemoTests {
  /// A judge that remembers and one that does not, hearing the same.
  private struct Pair: ~Copyable {
    var remembering: ClauseJudge
    var forgetful: ClauseJudge
    let payloads = PayloadStore()
    var position = 0
    var time = Instant.zero

    init(_ circumstances: Circumstances, wanted: (Clause) -> Bool = { _ in true }) {
      remembering = ClauseJudge(circumstances, wanted: wanted)
      forgetful = ClauseJudge(circumstances, messagesRememberedMaximum: 0, wanted: wanted)
    }

    mutating func hear(_ said: Said, text: String? = nil, interface: UInt16 = 0) {
      position += 1
      time = time + .milliseconds(37)
      if let deed = said.deed {
        let event = TraceEvent(time: time, position: position, host: said.host, .deed(deed))
        remembering.note(event)
        forgetful.note(event)
      }
      let payload = payloads.store(Array((text ?? said.text).utf8))
      defer { payloads.release(payload) }
      let isSSDP = said.from.port == 1_900 || said.to.port == 1_900
      let observation = Observation(
        time: time, position: position, source: said.from, destination: said.to, interface: InterfaceID(interface),
        host: said.host, hopLimit: said.hopLimit, fragmentCount: said.fragments, isCut: said.isCut,
        place: isSSDP ? .port1900 : said.text.hasPrefix("M-SEARCH") ? .searchPort : .searcher,
        bytes: payloads.bytes(of: payload))
      let (one, other) = (remembering.hear(observation), forgetful.hear(observation))
      #expect(one.kind == other.kind && one.searchPort == other.searchPort)
    }

    /// Whether both came to the same judgement; how many messages were known again.
    consuming func close() -> Int {
      remembering.close()
      forgetful.close()
      let (one, other) = (Judgement(remembering), Judgement(forgetful))
      expectEqual(one.rows.map(\.finding), other.rows.map(\.finding))
      expectEqual(one.rows.map(\.device), other.rows.map(\.device))
      expectEqual(one.parties, other.parties)
      #expect(one.messageCount == other.messageCount && one.unreadableCount == other.unreadableCount)
      for party in one.parties.indices {
        for clause in ClauseID.allCases {
          expectEqual(one.tally(clause, party: party), other.tally(clause, party: party), "\(clause) of \(party)")
        }
      }
      expectEqual(forgetful.books.knownCount, 0)
      return remembering.books.knownCount
    }
  }

  private static let pool: [Said] =
    Fixture.all.flatMap { $0.holds + $0.breaks } + BehaviourFixture.all.flatMap { $0.holds + $0.breaks }

  @Test("fixtures in any order, from other places, to other places, with other dates: judged alike", arguments: 0..<40)
  func mixed(seed: UInt64) {
    var draws = Seed(seed).stream("memo")
    var pair = Pair(seed % 2 == 0 ? .capture : Circumstances(isComplete: true))
    // Few of them, so that each comes often.
    let few = (0..<12).map { _ in MemoTests.pool[Int(draws.below(UInt64(MemoTests.pool.count)))] }
    for _ in 0..<500 {
      var said = few[Int(draws.below(12))]
      var text = said.text
      switch draws.below(16) {
      case 0: said.from = Endpoint(IPAddress(192, 168, 1, UInt8(draws.below(4)) + 9), port: said.from.port)
      case 1: said.to = [Said.device, Said.searcher, Endpoint(.ssdpGroup6, port: 1_900)][Int(draws.below(3))]
      case 2: said.hopLimit = UInt8(draws.below(6))
      case 3: said.fragments = 2
      case 4: said.isCut = true
      case 5: said.host = Int32(draws.below(3)) - 1
      case 6...9: text = text.replacing("Mon, 01 Jan 2024", with: "Mon, 08 Jan 2024")
      case 10: text = text.replacing("Mon, 01 Jan 2024", with: "Moo, 02 Jan 2024")
      case 11: text = text.replacing("UPnP/2.0", with: "UPnP/1.0")
      default: break
      }
      pair.hear(said, text: text, interface: draws.below(10) == 0 ? 1 : 0)
    }
    _ = pair.close()
  }

  @Test("every fixture told eight times is judged alike, whatever clauses are wanted")
  func repeated() {
    var known = 0
    for said in MemoTests.pool {
      for wanted in [{ _ in true }, { $0.id.contains("1.3") }] as [(Clause) -> Bool] {
        var pair = Pair(.capture, wanted: wanted)
        for _ in 0..<8 { pair.hear(said) }
        known += pair.close()
      }
    }
    #expect(known > 500)
  }

  @Test("a message is known from its third coming, with another date, too; one without its form never is")
  func known() {
    func count(_ texts: [String]) -> Int {
      var pair = Pair(.capture)
      for text in texts { pair.hear(Said.answer(), text: text) }
      return pair.close()
    }
    let days = (1...9).map { Said.answer(["DATE": "Mon, 0\($0) Jan 2024 00:00:00 GMT"]).text }
    expectEqual(count(days), 7)
    // The third has no day of the week.
    expectEqual(count(days + [days[0].replacing("Mon", with: "Moo")] + days), 16)
    expectEqual(count(Array(repeating: Said.answer(["EXT": nil]).text, count: 9)), 7)
    // What is refused is read anew each time.
    expectEqual(count(Array(repeating: Said.answer().text.replacing("EXT:", with: "EXT"), count: 9)), 0)
  }

  @Test("a ninth breach, of a clause of names or of IPv6, is one too many for a message to be known again")
  func ninthBreach() {
    func known(_ edits: KeyValuePairs<String, String?>) -> Int {
      let fields = (0..<8).map { "name\($0): 1\r\n" }.joined()
      let said = Said.alive(edits).overIPv6()
        .with { $0.text = $0.text.replacing("\r\n\r\n", with: "\r\n\(fields)\r\n") }
      var pair = Pair(.capture)
      for _ in 0..<9 { pair.hear(said) }
      return pair.close()
    }
    let (host, location) = ("[FF02::C]:1900", "http://[fe80::10]/d.xml")
    expectEqual(known(["HOST": host, "LOCATION": location]), 7)
    expectEqual(known(["HOST": "239.255.255.250:1900", "LOCATION": location]), 0)
    expectEqual(known(["HOST": host, "LOCATION": location, "USN": "uuid:x::\(Said.type)"]), 0)
  }

  @Test("a byebye is bound by what its device claims now, not by what it claimed when the byebye was noted")
  func claims() {
    var pair = Pair(.capture)
    let byebye = Said.notify("byebye", ["BOOTID.UPNP.ORG": nil, "CONFIGID.UPNP.ORG": nil])
    pair.hear(.alive(["SERVER": "Linux/6.6 UPnP/1.0 Product/1.0"]))
    for _ in 0..<4 { pair.hear(byebye) }
    pair.hear(.alive())
    for _ in 0..<4 { pair.hear(byebye) }
    // Only under 1.0 it needs neither BOOTID nor CONFIGID.
    expectEqual(pair.close(), 5)
    // A message that is known claims anew.
    var turned = Pair(.capture)
    let older = Said.alive(["SERVER": "Linux/6.6 UPnP/1.0 Product/1.0"])
    for said in [older, older, Said.alive(), older, byebye] { turned.hear(said) }
    expectEqual(turned.close(), 1)
  }

  @Test("a message that comes from ever other places is noted for three of them, and known from the last of these")
  func strikes() {
    func known(_ hosts: [UInt8], behind others: [Said] = []) -> Int {
      var pair = Pair(.capture)
      for said in others { pair.hear(said) }
      for host in hosts { pair.hear(Said.alive().by(IPAddress(192, 168, 1, host))) }
      return pair.close()
    }
    expectEqual(known([10, 10, 10]), 1)
    expectEqual(known([10, 10, 11, 11]), 1)
    expectEqual(known([10, 10, 11, 12, 12]), 1)
    expectEqual(known([10, 10, 11, 12, 13, 13]), 0)
    expectEqual(known([10, 10, 11, 12, 13, 12]), 1)
    // So it is behind another message that was noted, too.
    let other = Said.named(Said.type, Said.otherUUID)
    expectEqual(known([10, 10, 11, 12, 12], behind: [other, other]), 1)
    expectEqual(known([10, 10, 11, 12, 13, 13], behind: [other, other]), 0)
  }

  @Test("an answer is known again where it went to one host and goes to one, and neither from nor to many")
  func destinations() {
    func known(_ destinations: [IPAddress]) -> Int {
      var pair = Pair(.capture)
      for address in destinations { pair.hear(Said.answer().with { $0.to = Endpoint(address, port: 50_000) }) }
      return pair.close()
    }
    let (one, other) = (IPAddress(192, 168, 1, 20), IPAddress(192, 168, 1, 21))
    let (group, all) = (IPAddress.ssdpGroup4, IPAddress(255, 255, 255, 255))
    expectEqual([one, other, group, all].map { known([one, one, $0]) }, [1, 1, 0, 0])
    expectEqual([one, group, all].map { known([group, group, $0]) }, [0, 0, 0])
    expectEqual([one, group, all].map { known([all, all, $0]) }, [0, 0, 0])
  }

  @Test("4 096 notes are kept, and a message whose note made room for another is not known when it comes again")
  func room() {
    var judge = ClauseJudge(.capture, wanted: { _ in false })
    let payloads = PayloadStore()
    func hear(_ number: Int, _ hosts: [UInt8], _ judge: inout ClauseJudge) {
      let payload = payloads.store(Array("NOTIFY * HTTP/1.1\r\nNT: m\(number)\r\nNTS: ssdp:alive\r\n\r\n".utf8))
      defer { payloads.release(payload) }
      for host in hosts {
        let source = Endpoint(IPAddress(192, 168, 1, host), port: 1_900)
        judge.hear(
          Observation(
            time: .zero, position: 1, source: source, destination: Endpoint(.ssdpGroup4, port: 1_900),
            bytes: payloads.bytes(of: payload)))
      }
    }
    // Four messages are noted once, the others for three places.
    for number in 0..<4 { hear(number, [10, 10], &judge) }
    for number in 4..<1_368 { hear(number, [10, 10, 11, 12], &judge) }
    expectEqual(judge.books.knownCount, 0)
    hear(0, [10], &judge)
    expectEqual(judge.books.knownCount, 1)
    // The next one takes the place of the second message.
    hear(1_368, [10, 10, 10, 10, 10], &judge)
    expectEqual(judge.books.knownCount, 4)
    hear(1, [10], &judge)
    expectEqual(judge.books.knownCount, 4)
  }

  @Test("captures that are heard three times are judged alike")
  func captures() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Captures").standardized
    let own = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .map { $0.appending(path: "capture.pcapng") }.filter { FileManager.default.fileExists(atPath: $0.path) }
    #expect(own.count >= 20)
    for capture in own + CaptureFolder.captures(in: "ssdp", for: "judging") {
      let judgements = try [true, false].map { remembers in
        var judge = ClauseJudge(.capture, messagesRememberedMaximum: remembers ? 4_096 : 0)
        for _ in 0..<3 {
          var reader = try CaptureReader(path: capture.path)
          var hearing = CaptureHearing()
          hearing.run(&reader, judge: &judge)
        }
        return Judgement(judge)
      }
      expectEqual(judgements[0].rows.map(\.finding), judgements[1].rows.map(\.finding), "\(capture)")
      expectEqual(judgements[0].parties, judgements[1].parties)
      for clause in ClauseID.allCases { expectEqual(judgements[0].total(clause), judgements[1].total(clause)) }
    }
  }
}
