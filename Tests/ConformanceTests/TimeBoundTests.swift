import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

/// What several messages show, at the bounds of the times between them and a nanosecond beyond.
@Suite("Times judged at their bounds")
struct TimeBoundTests {
  private typealias Row = (talk: [Said], tally: String)

  private static let run = Circumstances(isComplete: true)
  private static let root = "upnp:rootdevice"

  /// Milliseconds and nanoseconds.
  private func at(_ milliseconds: Int64, _ nanoseconds: Int64 = 0) -> Interval {
    .nanoseconds(milliseconds * 1_000_000 + nanoseconds)
  }

  /// How often a clause was held, violated and left open.
  private func tally(_ clause: ClauseID, _ judgement: Judgement) -> String {
    let total = judgement.total(clause)
    return "\(total.held) \(total.violated) \(total.inconclusive)"
  }

  /// Where nothing can be lost.
  private func check(_ clause: ClauseID, _ rows: [Row]) { check(clause, TimeBoundTests.run, rows) }

  private func check(_ clause: ClauseID, _ circumstances: Circumstances, _ rows: [Row]) {
    for (number, row) in rows.enumerated() {
      let judgement = Said.judged(row.talk, circumstances)
      expectEqual(tally(clause, judgement), row.tally, "\(clause), row \(number): \(judgement.lines)")
    }
  }

  private func search(_ mx: String?, _ time: Interval = .zero) -> Said { Said.search(["MX": mx]).later(time) }
  private func answer(_ time: Interval) -> Said { Said.answer().later(time) }

  @Test("an answer is late a nanosecond after MX and what a network and two clocks may add")
  func delays() {
    check(
      .answerDelayMaximum,
      [
        ([search("3"), answer(at(3_100))], "1 0 0"), ([search("3"), answer(at(3_100, 1))], "0 1 0"),
        ([search("1"), answer(at(1_100))], "1 0 0"), ([search("1"), answer(at(1_100, 1))], "0 1 0"),
        // No MX counts for more than 120, and a search is forgotten after 125 seconds.
        ([search("200"), answer(at(120_100))], "1 0 0"), ([search("200"), answer(at(120_100, 1))], "0 1 0"),
        ([search("200"), answer(at(125_000))], "0 1 0"), ([search("200"), answer(at(125_000, 1))], "0 0 0"),
      ])
    check(
      .answerDelayMaximum, .capture,
      [
        ([search("3"), answer(at(3_500))], "1 0 0"), ([search("3"), answer(at(3_500, 1))], "0 0 1"),
      ])
    check(
      .unicastAnswerFast,
      [
        ([.unicastSearch(), answer(at(1_100))], "1 0 0"), ([.unicastSearch(), answer(at(1_100, 1))], "0 1 0"),
      ])
    check(
      .answerMXCap,
      [
        ([search("5"), answer(at(5_100))], "0 0 0"), ([search("6"), answer(at(5_100))], "1 0 0"),
        ([search("6"), answer(at(5_100, 1))], "0 1 0"),
        // The search that may still be answered decides.
        ([search("3"), search("10", at(1_000)), answer(at(3_100))], "0 0 0"),
        ([search("3"), search("10", at(1_000)), answer(at(3_100, 1))], "1 0 0"),
        ([search("3"), search("10", at(1_000)), answer(at(6_100, 1))], "0 1 0"),
      ])
  }

  @Test("each copy of a search is answered once for each name and address, the oldest open one first")
  func copies() {
    let other = Said.answer().by(IPAddress(192, 168, 1, 11)).with { $0.to = Said.searcher }
    let named = Said.answer(["ST": TimeBoundTests.root, "USN": "uuid:\(Said.uuid)::upnp:rootdevice"])
    check(
      .answerOnce,
      [
        ([search("3"), answer(at(100)), answer(at(200))], "1 1 0"),
        ([search("3"), answer(at(100)), other.later(at(200))], "2 0 0"),
        ([search("3"), answer(at(100)), named.later(at(200))], "2 0 0"),
        ([search("3"), search("3", at(2_000)), answer(at(2_500)), answer(at(4_000))], "2 0 0"),
        ([search("3"), search("3", at(2_000)), answer(at(3_500)), answer(at(4_000))], "1 1 0"),
      ])
  }

  @Test("an answer to a device that announced itself in the last ten seconds answers a NOTIFY, a later one does not")
  func echoes() {
    let echo = Said.answer().by(IPAddress(192, 168, 1, 30)).with { $0.to = Said.device }
    let (early, late) = ([Said.alive(), echo.later(at(10_000, -1))], [Said.alive(), echo.later(at(10_000))])
    check(.noAnswer, [(early, "0 1 0"), (late, "0 0 0")])
    check(.answerUnicast, [(early, "0 0 0"), (late, "0 1 0")])
    check(.answerUnicast, .capture, [(early, "0 0 0"), (late, "0 0 1")])
  }

  @Test("what is wrong with a search that was answered: MAN before MX, and the first of two flaws")
  func flaws() {
    let man = Said.search(["MAN": "ssdp:discover", "MX": nil])
    check(.answerBadMAN, [([man, answer(at(100))], "0 1 0")])
    check(.answerNoMX, [([man, answer(at(100))], "0 0 0"), ([search(nil), answer(at(100))], "0 1 0")])
    let two = [search(nil), search("soon", at(20)), answer(at(100))]
    check(.answerNoMX, [(two, "0 1 0"), ([search(nil), search("0", at(20)), answer(at(100))], "0 0 0")])
    check(.answerBadMX, [(two, "0 0 0"), ([search("soon"), search(nil, at(20)), answer(at(100))], "0 1 0")])
  }

  @Test("a BOOTID below the announced one is forgiven for two seconds after that one was heard first")
  func staleAnswers() {
    let stale = Said.answer(["BOOTID.UPNP.ORG": "6"])
    let next = Said.answer(["BOOTID.UPNP.ORG": "8"]).later(at(9_000))
    check(
      .answerBootID,
      [
        ([.alive(), stale.later(at(2_000, -1))], "0 0 1"), ([.alive(), stale.later(at(2_000))], "0 1 0"),
        ([.alive(), Said.alive().later(at(1_500)), stale.later(at(2_000))], "0 1 0"),
        ([.alive(), next], "0 0 1"),
        ([.alive(), Said.notify("update").later(at(5_000)), next], "1 0 0"),
      ])
  }

  @Test("copies of a search belong together up to thirty seconds, and ten of them to a fifth of a second")
  func series() {
    let other = Said.search(["ST": TimeBoundTests.root])
    func burst(_ count: Int64, _ pause: Interval, from start: Interval = .zero) -> [Said] {
      (0..<count).map { search("3", start + pause * $0) }
    }
    check(
      .searchRepeat,
      [
        ([search("3"), search("3", at(30_000))], "1 0 0"), ([search("3"), search("3", at(30_000, 1))], "0 1 0"),
        ([search("3"), other.later(at(30_000))], "0 0 0"), ([search("3"), other.later(at(30_000, 1))], "0 1 0"),
        ([search("3"), search("3", at(1, -1)), other.later(at(60_000))], "0 1 0"),
        ([search("3"), search("3", at(1)), other.later(at(60_000))], "1 0 0"),
        ([search("3"), search("3", at(20)).with { $0.from.port = 50_001 }], "1 0 0"),
        (burst(10, at(20)), "1 0 0"), (burst(11, at(20)), "1 1 0"), (burst(11, at(20, 1)), "1 0 0"),
        (burst(14, at(5)), "1 1 0"),
        // Copies after a fifth of a second are counted anew.
        ([search("3")] + burst(10, at(5), from: at(1_000)), "1 0 0"),
        ([search("3")] + burst(11, at(5), from: at(1_000)), "1 1 0"),
      ])
  }

  @Test("unicast searches go to the SEARCHPORT that was announced last")
  func searchPorts() {
    func alive(_ port: String, _ time: Interval) -> Said { Said.alive(["SEARCHPORT.UPNP.ORG": port]).later(time) }
    func asked(_ port: UInt16) -> Said {
      Said.unicastSearch().with {
        $0.to.port = port
        $0.at = at(2_000)
      }
    }
    let two = [alive("50000", .zero), alive("50001", at(1_000))]
    check(.toSearchPort, [(two + [asked(50_001)], "1 0 0"), (two + [asked(50_000)], "0 1 0")])
    let answered = Said.answer(["SEARCHPORT.UPNP.ORG": "50000"])
    check(.toSearchPort, [([answered, asked(50_000)], "1 0 0"), ([answered, asked(1_900)], "0 1 0")])
    // A number that is not allowed in SEARCHPORT sets no port, and ends the port that was announced before.
    for port in ["0", "1", "80", "49151", "65536", "115536"] {
      for odd in [alive(port, at(1_000)), Said.answer(["SEARCHPORT.UPNP.ORG": port]).later(at(1_000))] {
        check(.toSearchPort, [([odd, asked(1_900)], "0 0 0"), ([alive("50000", .zero), odd, asked(1_900)], "0 0 0")])
      }
    }
    check(.toSearchPort, [([alive("49152", .zero), asked(1_900)], "0 1 0")])
    check(.toSearchPort, [([alive("65535", .zero), asked(1_900)], "0 1 0")])
  }

  @Test("a message comes a fourth time up to three seconds, or a tenth of a short max-age, after the third")
  func repeats() {
    func four(_ pause: Interval, _ lease: String) -> [Said] {
      (0..<4).map { (number: Int64) -> Said in
        Said.alive(["CACHE-CONTROL": "max-age=\(lease)"]).later(pause * number)
      }
    }
    // Two addresses, and three messages from each of them.
    let two = (0..<6).map { (number: Int64) -> Said in
      Said.alive().later(.seconds(number)).by(IPAddress(192, 168, 1, number % 2 == 0 ? 10 : 11))
    }
    check(
      .repeatMaximum,
      [
        (four(at(3_000), "1800"), "1 1 0"), (four(at(3_000, 1), "1800"), "4 0 0"),
        (four(at(3_000), "30"), "1 1 0"), (four(at(3_000, 1), "30"), "4 0 0"),
        (four(at(2_900), "29"), "1 1 0"), (four(at(2_900, 1), "29"), "4 0 0"), (two, "2 0 0"),
      ])
  }

  @Test("a lease is over a nanosecond after its end, and two versions of a type stand together for fifteen seconds")
  func leases() {
    func alive(_ time: Interval) -> Said { Said.alive().later(time) }
    func quiet(_ time: Interval) -> Said { Said.silence(until: time) }
    check(
      .renew,
      [
        ([alive(.zero), alive(at(15_000))], "0 0 0"), ([alive(.zero), alive(at(15_000, 1))], "1 0 0"),
        ([alive(.zero), alive(at(1_800_000))], "1 0 0"), ([alive(.zero), alive(at(1_800_000, 1))], "0 1 0"),
        ([alive(.zero), quiet(at(1_800_000))], "0 0 0"), ([alive(.zero), quiet(at(1_800_000, 1))], "0 1 0"),
        (Said.set(at: .zero) + [quiet(at(1_900_000))], "0 1 0"),
      ])
    let second = "urn:schemas-upnp-org:device:Basic:2"
    let byebye = Said.notify("byebye").later(at(1_000))
    check(
      .highestOnly, .capture,
      [
        ([alive(.zero), .part("alive", second, at: at(15_000, -1))], "1 1 0"),
        ([alive(.zero), .part("alive", second, at: at(15_000))], "2 0 0"),
        ([alive(.zero), byebye, .part("alive", second, at: at(2_000))], "2 0 0"),
      ])
  }

  @Test("a burst is over after fifteen seconds without an announcement")
  func bursts() {
    let sets = Said.sets(at: .zero)
    let typeless = Said.sets(at: .zero, without: [Said.type])
    check(
      .repeatSet,
      [
        (sets + [.silence(until: at(15_309, -1))], "0 0 0"), (sets + [.silence(until: at(15_309))], "1 0 0"),
        (Said.set(at: .zero) + [.silence(until: at(15_009))], "0 1 0"),
      ])
    check(
      .rootThree,
      [
        (typeless + [.silence(until: at(15_306, -1))], "0 0 0"), (typeless + [.silence(until: at(15_306))], "0 1 0"),
      ])
    let partly = sets + [.part("byebye", TimeBoundTests.root, at: at(5_000))]
    check(
      .noPartial,
      [
        (partly + [.silence(until: at(20_000))], "0 0 0"), (partly + [.silence(until: at(20_000, 1))], "0 1 0"),
      ])
    check(
      .byebyeSend,
      [
        (partly + [.silence(until: at(35_000))], "0 0 0"), (partly + [.silence(until: at(35_000, 1))], "0 1 0"),
      ])
  }

  @Test("two addresses that take turns under one UUID are two devices from a second on")
  func turns() {
    func turn(_ boot: String, _ host: UInt8, _ time: Interval) -> Said {
      Said.alive(["BOOTID.UPNP.ORG": boot]).later(time).by(IPAddress(192, 168, 1, host))
    }
    let talk = [turn("7", 10, .zero), turn("9", 11, at(5_000))]
    check(
      .uuidUnique, .capture,
      [
        (talk + [turn("7", 10, at(6_000, -1))], "1 0 0"), (talk + [turn("7", 10, at(6_000))], "0 1 0"),
        (talk + [turn("8", 10, at(6_000))], "1 0 0"),
      ])
    let elsewhere = IPAddress(10, 0, 0, 10)
    let both = [Said.alive(), Said.alive().by(elsewhere), Said.alive().later(at(1_000))]
    func last(_ time: Interval) -> Said { Said.alive(["CONFIGID.UPNP.ORG": "2"]).later(time).by(elsewhere) }
    check(
      .sameFields, .capture, [(both + [last(at(11_000, -1))], "1 1 0"), (both + [last(at(11_000))], "1 0 0")])
  }

  @Test("BOOTID grows, starts again only from its last 256 values, and messages of two seconds may have changed places")
  func boots() {
    func part(_ nts: String, _ boot: String, _ time: Interval) -> Said {
      .part(nts, TimeBoundTests.root, at: time, ["BOOTID.UPNP.ORG": boot])
    }
    func restart(_ before: String, _ after: String, _ time: Interval) -> [Said] {
      [part("alive", before, .zero), part("byebye", before, at(5_000)), part("alive", after, time)]
    }
    check(
      .bootIDGrows,
      [
        (restart("7", "8", at(9_000)), "1 0 0"), (restart("7", "7", at(6_000)), "0 1 0"),
        (restart("2147483392", "65535", at(9_000)), "1 0 0"), (restart("2147483392", "65536", at(9_000)), "0 1 0"),
        (restart("2147483391", "1", at(9_000)), "0 1 0"), (restart("2147483647", "0", at(9_000)), "1 0 0"),
      ])
    check(
      .bootIDGrows, .capture,
      [
        (restart("7", "7", at(7_000, -1)), "0 0 1"), (restart("7", "7", at(7_000)), "0 1 0"),
        ([part("alive", "7", .zero), part("alive", "6", at(2_000))], "0 0 0"),
        ([part("alive", "7", .zero), part("alive", "6", at(2_000, 1))], "0 1 0"),
      ])
    let updated = [part("alive", "7", .zero), part("update", "7", at(5_000)), part("alive", "8", at(6_000))]
    check(
      .updateBefore, .capture,
      [
        (updated, "1 0 0"), (updated + [part("update", "7", at(8_000))], "1 0 0"),
        (updated + [part("update", "7", at(8_000, 1))], "1 1 0"),
      ])
    check(.updateNext, [(updated, "1 0 0"), ([part("alive", "8", .zero), part("update", "8", at(5_000))], "0 1 0")])
  }

  @Test("an address is left for another while leases stand, or within thirty seconds of its byebye")
  func moves() {
    func elsewhere(_ time: Interval) -> Said { Said.alive().later(time).by(IPAddress(192, 168, 1, 11)) }
    let left = [Said.alive(), Said.notify("byebye").later(at(5_000))]
    check(
      .addressChangeRevoke, .capture,
      [
        (left + [elsewhere(at(35_000, -1))], "1 0 0"), (left + [elsewhere(at(35_000))], "0 0 0"),
        ([.alive(), elsewhere(at(1_800_000, -1))], "0 0 1"), ([.alive(), elsewhere(at(1_800_000))], "0 0 0"),
      ])
  }

  @Test("a TTL of 2 is right, of 4 under UDA 1.0 alone, a lower one may have been more, and above 4 it leaves the site")
  func hops() {
    let old = Said.alive(["SERVER": "Linux/6.6 UPnP/1.0 Product/1.0"])
    let rows: [(said: Said, limit: UInt8, tallies: [String])] = [
      (.alive(), 1, ["0 0 1", "1 0 0", "0 1 0"]), (.alive(), 2, ["1 0 0", "1 0 0", "1 0 0"]),
      (.alive(), 3, ["0 0 1", "1 0 0", "0 1 0"]), (.alive(), 4, ["0 1 0", "1 0 0", "0 1 0"]),
      (.alive(), 5, ["0 1 0", "0 1 0", "0 1 0"]), (old, 2, ["1 0 0", "1 0 0", "1 0 0"]),
      (old, 3, ["0 0 1", "1 0 0", "0 1 0"]), (old, 4, ["1 0 0", "1 0 0", "1 0 0"]),
      (old, 5, ["0 1 0", "0 1 0", "0 1 0"]),
    ]
    for (number, row) in rows.enumerated() {
      let said = row.said.with { $0.hopLimit = row.limit }
      let (heard, ran) = (Said.judged([said]), Said.judged([said], TimeBoundTests.run))
      let tallies = [tally(.ttlDefault, heard), tally(.ttlEscape, heard), tally(.ttlDefault, ran)]
      expectEqual(tallies, row.tallies, "row \(number)")
    }
  }

  @Test("waits of answers are tested from thirty on, and those that end below half of MX are too short")
  func waits() {
    func talk(_ count: Int64, within window: Int64, mx: String = "3") -> [Said] {
      (0..<count).flatMap { (number: Int64) -> [Said] in
        let asked = Interval.seconds(number * 20)
        let waited = Interval.nanoseconds(window / count * (number + 1))
        return [search(mx, asked), answer(asked + waited)]
      }
    }
    check(
      .answerDelay,
      [
        (talk(29, within: 2_900_000_000), "0 0 1"), (talk(30, within: 3_000_000_000), "1 0 0"),
        (talk(30, within: 1_500_000_000), "1 0 0"), (talk(30, within: 1_499_997_000), "0 1 0"),
        // Above 5 the device chooses its own window.
        (talk(30, within: 3_000_000_000, mx: "6"), "0 0 0"),
      ])
  }

  @Test("renewals are tested from twenty on, and eighteen of them at half of max-age or later are too many")
  func renewals() {
    /// One more announcement than pauses.
    func talk(_ pauses: [Interval]) -> [Said] {
      var time = Interval.zero
      return [Said.alive()]
        + pauses.map { pause in
          time = time + pause
          return Said.alive().later(time)
        }
    }
    let (half, less, early) = (at(900_000), at(899_999), at(450_000))
    func several(_ pause: Interval, _ count: Int) -> [Interval] { Array(repeating: pause, count: count) }
    check(
      .renewHalf,
      [
        (talk(several(half, 19)), "0 0 1"), (talk(several(half, 18) + several(early, 2)), "0 1 0"),
        (talk(several(half, 17) + [less] + several(early, 2)), "0 0 1"),
        // All at the same time before half of max-age: not at random.
        (talk(several(early, 20)), "0 1 0"),
      ])
  }
}
