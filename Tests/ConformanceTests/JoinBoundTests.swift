import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

/// Answers and the searches that they belong to.
@Suite("Answers judged against their searches")
struct JoinBoundTests {
  private static let run = Circumstances(isComplete: true)
  private static let root = "upnp:rootdevice"

  private func search(_ mx: String?, _ time: Interval = .zero) -> Said { Said.search(["MX": mx]).later(time) }
  private func answer(_ time: Interval) -> Said { Said.answer().later(time) }
  private func basic(_ version: Int) -> String { "urn:schemas-upnp-org:device:Basic:\(version)" }

  /// In a run.
  private func expect(
    _ clause: ClauseID, _ tally: String, _ parts: [Said]..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let judgement = Said.judged(parts.flatMap { $0 }, JoinBoundTests.run)
    expectEqual(judgement.sum(clause), tally, "\(clause): \(judgement.lines)", sourceLocation: sourceLocation)
  }

  /// Texts of the findings about one clause in a run.
  private func told(_ clause: ClauseID, _ talk: [Said]) -> [String] {
    Said.judged(talk, JoinBoundTests.run).rows.map(\.finding).filter { $0.clause == clause }.map(\.found)
  }

  @Test("of the searches of one socket the last sixty-four can be answered")
  func openSearches() {
    func talk(_ searches: Int64, _ answers: Int64) -> [Said] {
      let asked = (0..<searches).map { search("3", .at($0 * 10)) }
      return asked + (0..<answers).map { answer(.at(1_000 + $0)) }
    }
    for (searches, answers, tally) in [(63, 64, "63 1 0"), (64, 64, "64 0 0"), (64, 65, "64 1 0"), (65, 65, "64 1 0")] {
      expect(.answerOnce, tally, talk(Int64(searches), Int64(answers)))
    }
  }

  @Test("an answer to an MX of zero is in order, one to an MX that is no number is not")
  func oddMX() {
    let rows: [(mx: String?, bad: String, none: String, inTime: String)] = [
      ("1", "0 0 0", "0 0 0", "1 0 0"), ("0", "0 0 0", "0 0 0", "0 0 0"), ("00", "0 0 0", "0 0 0", "0 0 0"),
      ("", "0 1 0", "0 0 0", "0 0 0"), ("-1", "0 1 0", "0 0 0", "0 0 0"), ("+3", "0 1 0", "0 0 0", "0 0 0"),
      ("2147483648", "0 0 0", "0 0 0", "1 0 0"), ("99999999999999999999", "0 0 0", "0 0 0", "1 0 0"),
      ("3x", "0 1 0", "0 0 0", "0 0 0"), (nil, "0 0 0", "0 1 0", "0 0 0"),
    ]
    for row in rows {
      let judgement = Said.judged([search(row.mx), answer(.at(100))], JoinBoundTests.run)
      let clauses: [ClauseID] = [.answerBadMX, .answerNoMX, .answerDelayMaximum, .answerBadMAN]
      let found: [String] = clauses.map { judgement.sum($0) }
      expectEqual(found, [row.bad, row.none, row.inTime, "0 0 0"], "\(row.mx ?? "none")")
    }
    // A unicast search has none.
    expect(.answerNoMX, "0 0 0", [.unicastSearch(), answer(.at(100))])
    expect(.unicastAnswerFast, "1 0 0", [.unicastSearch(), answer(.at(100))])
  }

  @Test("silence to a search in bad form is kept by everybody who was there before it, where all were asked")
  func silence() {
    let rows: [(clause: ClauseID, edits: KeyValuePairs<String, String?>, roots: KeyValuePairs<String, String?>)] = [
      (.answerNoMX, ["MX": nil], ["MX": nil, "ST": JoinBoundTests.root]),
      (.answerBadMX, ["MX": "soon"], ["MX": "soon", "ST": JoinBoundTests.root]),
      (.answerBadMAN, ["MAN": "x"], ["MAN": "x", "ST": JoinBoundTests.root]),
    ]
    for row in rows {
      let asked = Said.search(row.edits).later(.at(0, 1))
      let rooted = Said.search(row.roots).later(.at(0, 2))
      let typed = asked.with { $0.text = $0.text.replacing("ST: ssdp:all", with: "ST: \(Said.type)") }
      expect(row.clause, "0 0 0", [.alive(), asked.later(.zero)])
      expect(row.clause, "1 0 0", [.alive(), asked])
      expect(row.clause, "2 0 0", [.alive(), asked, rooted])
      expect(row.clause, "0 0 0", [.alive(), typed])
      expect(row.clause, "2 0 0", [.alive(), Said.alive().by(IPAddress(192, 168, 1, 11)), asked])
      expect(row.clause, "0 1 0", [.alive(), asked, answer(.at(1_000))])
      Said.expect(row.clause, "0 0 0", [.alive(), asked])
      Said.expect(row.clause, "0 0 1", [.alive(), asked, answer(.at(1_000))])
    }
    expect(.answerNoMX, "0 0 0", [.alive(), Said.unicastSearch().later(.at(0, 1))])
    // A search that makes room for others, or is too old, was met with silence as well.
    expect(.answerNoMX, "2 0 0", [.alive(), search(nil, .at(0, 1)), search(nil, .at(126_000))])
    expect(.answerNoMX, "65 0 0", [.alive()], (0..<65).map { (number: Int64) in search(nil, .at(number, 1)) })
    // Of a crowd sixty-four are told to have kept it.
    for (count, tally) in [(63, "63 0 0"), (64, "64 0 0"), (65, "64 0 0")] as [(UInt8, String)] {
      let crowd = (0..<count).map { Said.alive().by(IPAddress(192, 168, 2, $0 + 1)) }
      expect(.answerNoMX, tally, crowd, [search(nil, .at(0, 1))])
    }
  }

  @Test("an answer has the ST that was asked for, and no version above the highest that its device announces")
  func versions() {
    func announced(_ versions: Int...) -> [Said] { versions.map { Said.named(basic($0)) } }
    func all(_ version: Int) -> [Said] { [search("3"), .answer(["ST": basic(version)])] }
    func one(_ asked: Int, _ version: Int) -> [Said] {
      [Said.search(["ST": basic(asked)]), .answer(["ST": basic(version)])]
    }
    // ST of a lower version, of a higher one, and one that does not match.
    let rows: [(own: [Said], talk: [Said], tallies: [String])] = [
      (announced(2, 1), all(2), ["0 0 0", "1 0 0", "1 0 0"]), (announced(1, 2), all(2), ["0 0 0", "1 0 0", "1 0 0"]),
      (announced(2), all(3), ["0 0 0", "0 1 0", "1 0 0"]), (announced(2), all(2), ["0 0 0", "1 0 0", "1 0 0"]),
      (announced(2), all(1), ["1 0 0", "1 0 0", "1 0 0"]), (announced(2), one(1, 1), ["1 0 0", "1 0 0", "1 0 0"]),
      (announced(2), one(1, 2), ["0 1 0", "0 0 0", "0 0 0"]), (announced(2), one(3, 2), ["0 0 0", "0 0 0", "0 1 0"]),
    ]
    for (number, row) in rows.enumerated() {
      let judgement = Said.judged(row.own + row.talk, JoinBoundTests.run)
      let found = [judgement.sum(.answerLower), judgement.sum(.answerHigher), judgement.sum(.answerMatch)]
      expectEqual(found, row.tallies, "row \(number): \(judgement.lines)")
    }
    Said.expect(.answerLower, "0 0 1", announced(2), one(1, 2))
    Said.expect(.answerMatch, "0 0 1", announced(2), one(3, 2))
    Said.expect(.answerHigher, "0 1 0", announced(2), all(3))
    expectEqual(told(.answerLower, announced(2) + one(1, 2)), [basic(2)])
    expectEqual(told(.answerMatch, announced(2) + one(3, 2)), [basic(2)])
  }

  @Test("what a device answers for is what it announces, once its root, its UUID and its type were heard")
  func offers() {
    let (root, basic) = (Said.named(JoinBoundTests.root), Said.alive())
    let own = Said.part("alive", "uuid:" + Said.uuid, at: .zero)
    func offered(_ target: String) -> [Said] { [search("3"), .answer(["ST": target])] }
    let whole = [root, own, basic]
    expect(.answerMatch, "0 1 0", whole, offered(Said.service))
    Said.expect(.answerMatch, "0 0 1", whole, offered(Said.service))
    for two in [[own, basic], [root, basic], [root, own]] {
      expect(.answerMatch, "0 0 0", two, offered(Said.service))
    }
    expect(.answerMatch, "1 0 0", whole, [Said.named(Said.service)], offered(Said.service))
    for target in [JoinBoundTests.root, "uuid:" + Said.uuid, "ssdp:all"] {
      expect(.answerMatch, "1 0 0", whole, offered(target))
    }
    expect(.answerMatch, "0 1 0", whole, [Said.search(["ST": JoinBoundTests.root]), answer(.at(100))])
    expectEqual(told(.answerMatch, whole + offered(Said.service)), [Said.service])
    // A target without a version is offered as it is announced, or not at all.
    expect(.answerMatch, "1 0 0", whole, [Said.named("roku:ecp")], offered("roku:ecp"))
    expect(.answerHigher, "0 0 0", whole, [Said.named("roku:ecp")], offered("roku:ecp"))
    expect(.answerMatch, "0 1 0", whole, offered("roku:ecp"))
    // A device that was not heard announcing may have what it answers for.
    expect(.answerMatch, "1 0 0", offered(Said.service))
  }

  @Test("how late an answer is is told in whole seconds")
  func lateness() {
    func found(_ said: Said, _ time: Interval) -> [String] {
      Said.judged([said, answer(time)], JoinBoundTests.run).rows.filter { $0.finding.ruling == .violated }
        .map(\.finding.found).filter { $0.contains(" late") || $0.contains("after ") }
    }
    let rows: [(late: Interval, text: String)] = [
      (.at(1_000, -1), "less than 1 s too late"), (.at(1_000), "1 to 2 s too late"),
      (.at(2_000, -1), "1 to 2 s too late"), (.at(2_000), "2 to 3 s too late"),
    ]
    for row in rows {
      expectEqual(found(search("3"), .seconds(3) + row.late), [row.text])
      expectEqual(found(.unicastSearch(), .seconds(1) + row.late), [row.text])
    }
    expectEqual(found(search("10"), .at(5_100, 1)), ["an answer after 5 to 6 s"])
    expectEqual(found(search("10"), .at(6_000, -1)), ["an answer after 5 to 6 s"])
    expectEqual(found(search("10"), .at(6_000)), ["an answer after 6 to 7 s"])
  }

  @Test("a wait is counted where no other search could be meant for ten seconds after its MX")
  func countedWaits() {
    func talk(_ pause: Interval) -> [Said] {
      (0..<31).flatMap { (number: Int64) -> [Said] in
        [search("3", pause * number), answer(pause * number + .at(1_000))]
      }
    }
    expect(.answerDelay, "0 0 1", talk(.at(12_000)))
    expect(.answerDelay, "0 1 0", talk(.at(12_000, 1)))
  }

  @Test("waits are compared to a millionth with an even spread over MX, and one after MX counts as all of it")
  func spreadWaits() {
    /// Nineteen answers so many microseconds after searches with an MX of 1, and eleven a little after that second.
    func talk(_ early: Int64) -> [Said] {
      (0..<30).flatMap { (number: Int64) -> [Said] in
        let asked = Interval.seconds(number * 20)
        let waited: Interval = number < 19 ? .nanoseconds(early * 1_000) : .at(1_050)
        return [search("1", asked), answer(asked + waited)]
      }
    }
    expect(.answerDelay, "0 1 0", talk(286_651))
    expect(.answerDelay, "1 0 0", talk(286_652))
    // Only a device of UDA 1.0 is held to an MX above 5.
    let rows: [(version: String, mx: String, tally: String)] = [
      ("1.0", "6", "0 0 1"), ("1.1", "5", "0 0 1"), ("1.1", "6", "0 0 0"),
    ]
    for row in rows {
      let said = Said.answer(["SERVER": "Linux/6.6 UPnP/\(row.version) Product/1.0"])
      expect(.answerDelay, row.tally, [search(row.mx), said])
    }
  }

  @Test("of the answers to a search 1024 are known when they come again, and of a device 512 waits are tested")
  func manyAnswers() {
    func said(_ number: Int64, _ time: Int64) -> Said {
      let target = "urn:x-y:service:s\(number):1"
      return Said.answer(["ST": target, "USN": "uuid:\(Said.uuid)::\(target)"]).later(.at(time))
    }
    var talk: [Said] = [search("3")]
    for number in 0..<1_025 as Range<Int64> { talk.append(said(number, 100 + number)) }
    // The last one is not known, the one before is.
    talk += [said(1_024, 1_126), said(1_023, 1_127)]
    let judgement = Said.judged(talk, JoinBoundTests.run)
    expectEqual(judgement.sum(.answerOnce), "1026 1 0")
    let delays = judgement.rows.map(\.finding).filter { $0.clause == .answerDelay }
    expectEqual(delays.map(\.found), ["512 answers, the last after 20 % of MX"])
  }

  @Test("an answer without a UUID is not known when it comes again, and one with a long ST belongs to no search")
  func namelessAnswers() {
    let nameless = Said.answer(["USN": "none"])
    expect(.answerOnce, "2 0 0", [search("3"), nameless.later(.at(1_000)), nameless.later(.at(1_001))])
    let twice = [Said.named(JoinBoundTests.root), search("3"), answer(.at(1_000)), answer(.at(1_001))]
    expect(.answerOnce, "1 1 0", twice)
    expectEqual(told(.answerOnce, twice), ["one more answer"])
    for (count, tally) in [(512, "1 0 0"), (513, "0 0 0")] {
      let talk = [search("3"), Said.answer(["ST": String(repeating: "x", count: count)])]
      expect(.answerUnicast, "1 0 0", talk)
      expect(.answerMatch, tally, talk)
      expect(.answerOnce, tally, talk)
    }
  }

  @Test("an answer goes to the socket that searched")
  func sockets() {
    func to(_ destination: Endpoint) -> [Said] { [search("3"), answer(.at(1_000)).with { $0.to = destination }] }
    expect(.answerUnicast, "1 0 0", to(Said.searcher))
    let others = [
      Endpoint(.ssdpGroup4, port: 1_900), Endpoint(IPAddress(255, 255, 255, 255), port: 50_000),
      Endpoint(Said.searcher.address, port: 50_001),
    ]
    for other in others { expect(.answerUnicast, "0 1 0", to(other)) }
    Said.expect(.answerUnicast, "0 1 0", to(others[0]))
    Said.expect(.answerUnicast, "0 0 1", to(others[2]))
  }

  @Test("any NOTIFY of the last ten seconds can be answered by mistake; those of one sender within a second are one")
  func echoes() {
    func echo(_ time: Interval) -> Said {
      Said.answer().by(IPAddress(192, 168, 1, 30)).later(time).with { $0.to = Said.device }
    }
    for type in ["alive", "update", "byebye", "other"] {
      expect(.noAnswer, "0 1 0", [Said.notify(type), echo(.at(9_000))])
    }
    let other = Said.alive().by(IPAddress(192, 168, 1, 11))
    func again(_ time: Interval) -> Said { Said.alive().later(time) }
    expect(.noAnswer, "0 1 0", [.alive(), other.later(.at(500)), echo(.at(5_000))])
    // The first one of a second counts, unless another sender came in between.
    expect(.noAnswer, "0 0 0", [.alive(), again(.at(1_000, -1)), echo(.at(10_500))])
    expect(.noAnswer, "0 1 0", [.alive(), again(.at(1_000)), echo(.at(10_500))])
    expect(.noAnswer, "0 1 0", [.alive(), other.later(.at(500)), again(.at(1_000, -1)), echo(.at(10_500))])
    func expected(_ talk: Said...) -> [String] {
      let findings = Said.judged(talk, JoinBoundTests.run).rows.map(\.finding)
      let clauses: [ClauseID] = [.noAnswer, .answerUnicast]
      return findings.filter { $0.ruling == .violated && clauses.contains($0.clause) }.map(\.expected)
    }
    expectEqual(expected(.alive(), echo(.at(5_000))), ["silence to a NOTIFY"])
    expectEqual(expected(echo(.at(5_000))), ["an answer to the socket that searched"])
  }

  @Test("an answer has the BOOTID of the announcements, where these have one")
  func bootIDs() {
    func said(_ bootID: String?) -> Said { Said.answer(["BOOTID.UPNP.ORG": bootID]).later(.at(5_000)) }
    expect(.answerBootID, "0 1 0", [.alive(), said(nil)])
    expect(.answerBootID, "1 0 0", [.alive(), said("7")])
    expect(.answerBootID, "0 0 1", [.alive(), said("8")])
    expect(.answerBootID, "0 1 0", [.alive(), said("6")])
    expect(.answerBootID, "1 0 0", [said("6")])
    expect(.answerBootID, "1 0 0", [.alive(["BOOTID.UPNP.ORG": nil]), said("6")])
    let other = Said.named(Said.type, Said.otherUUID)
    expect(.answerBootID, "1 0 0", [other, said("6")])
    // A BOOTID of 0 is one as any other, and what is no number is judged elsewhere.
    let first = Said.alive(["BOOTID.UPNP.ORG": "0"])
    expect(.answerBootID, "1 0 0", [first, said("0")])
    expect(.answerBootID, "0 0 1", [first, said("1")])
    expect(.answerBootID, "0 0 0", [first, said("x")])
  }
}
