import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

/// What each quirk of a responder changes: in its plan, in its times, and in its messages line by line.
@Suite("A responder with a quirk")
struct MDNSQuirkTests: ShopLines {
  private func plan(_ quirk: MDNSQuirk?) -> MDNSPlan {
    var plan = shopPlan
    if let quirk { plan.quirks = [quirk] }
    return plan
  }
  private func settled(_ quirk: MDNSQuirk?) -> MDNSBench { MDNSBench.settled(plan(quirk)) }
  private func starting(_ plan: MDNSPlan) -> MDNSBench {
    var bench = MDNSBench(plan)
    bench.up()
    bench.act(.appear)
    return bench
  }

  @Test("a quirk of figures or texts changes its own in the plan, and no other quirk changes any")
  func plans() {
    let changes: [(quirk: MDNSQuirk, change: (inout MDNSPlan) -> Void)] = [
      (.probesFast, { $0.timing.probeGap = .milliseconds(100) }),
      (.shortDeferral, { $0.timing.deferral = .milliseconds(200) }),
      (.noConflictPause, { $0.timing.conflictPause = .zero }),
      (.announcesOnce, { $0.timing.announceCount = 1 }),
      (
        .announcesFast,
        {
          $0.timing.announceGap = .milliseconds(300)
          $0.timing.recordGap = .milliseconds(200)
        }
      ),
      (.wrongTTL, { $0.timing.hostTTLSeconds = 4_500 }),
      (.answersAtOnce, { $0.timing.sharedDelay = .zero ... .zero }),
      (.sameDelay, { $0.timing.sharedDelay = .milliseconds(70) ... .milliseconds(70) }),
      (.shortDelays, { $0.timing.sharedDelay = .milliseconds(20) ... .milliseconds(40) }),
      (.ignoresTruncation, { $0.timing.truncatedDelay = .milliseconds(20) ... .milliseconds(120) }),
      (.answersTwice, { $0.timing.recordGap = .milliseconds(200) }),
      (.badHostName, { $0.host = Array("shop".utf8) + [0xFF] }),
      (.controlInHostName, { $0.host = Array("shop".utf8) + [7] }),
      (.emptyText, { $0.services[0].txt = [] }),
    ]
    for quirk in MDNSQuirk.allCases {
      let before = plan(quirk)
      var wanted = before
      for row in changes where row.quirk == quirk { row.change(&wanted) }
      expectEqual(before.quirky, wanted, "\(quirk)")
    }
    for (quirk, last) in [(.badHostName, 0xFF), (.controlInHostName, 7)] as [(MDNSQuirk, UInt8)] {
      var long = plan(quirk)
      long.host = [UInt8](repeating: 0x78, count: 63)
      expectEqual(long.quirky.host, [UInt8](repeating: 0x78, count: 62) + [last])
    }
  }

  @Test("probes and announcements come at the times that the quirk makes of them")
  func times() {
    let rows: [(quirk: MDNSQuirk?, milliseconds: [Int64])] = [
      (nil, [0, 250, 500, 750, 1_750]),
      (.probesFast, [0, 100, 200, 300, 1_300]),
      (.doubledProbes, [0, 50, 300, 350, 600, 650, 900, 1_900]),
      (.noProbing, [0, 1_000]),
      (.announcesOnce, [0, 250, 500, 750]),
      (.announcesFast, [0, 250, 500, 750, 1_050]),
      (.announcesAlways, [0, 250, 500, 750, 1_750, 3_750, 5_750, 7_750, 9_750]),
    ]
    for row in rows {
      var bench = starting(plan(row.quirk))
      bench.run(10_500)
      let first = bench.times[0]
      expectEqual(bench.times.map { ($0 - first).nanoseconds / 1_000_000 }, row.milliseconds, "\(row)")
    }
  }

  @Test("a probe asks for every type without flush bits, and with a quirk for addresses or with them")
  func probes() {
    for quirk: MDNSQuirk? in [nil, .probesForA, .flushBitInProbes] {
      let type = quirk == .probesForA ? "A" : "ANY"
      let flush = quirk == .flushBitInProbes ? " flush" : ""
      var bench = starting(plan(quirk))
      bench.run(250)
      expectEqual(
        Array(bench.said()[1...5]),
        [
          "  ? shop.local \(type) QU", "  ? \(shop) \(type) QU", "  ns shop.local 120\(flush) A 192.168.1.20",
          "  ns \(shop) 120\(flush) SRV 0 0 80 shop.local", "  ns \(shop) 4500\(flush) TXT a=1",
        ])
    }
  }

  @Test("each quirk changes an answer in its own way, line by line")
  func answers() {
    let answers = ["  an \(service)", "  an \(text)"]
    let additions = ["  ar \(address)", "  ar \(absence)"]
    let first = "10000\(head)"
    let whole: [String] = [first] + answers + additions
    func replaced(_ old: String, _ new: String) -> [String] {
      whole.map { line in
        guard let place = line.firstRange(of: old) else { return line }
        return "\(line[..<place.lowerBound])\(new)\(line[place.upperBound...])"
      }
    }
    let doubled: [String] = [first, answers[0]] + answers + additions
    let asked: [String] = [first, "  ? \(shop) SRV"] + answers + additions
    let twice: [String] = whole + replaced("10000 ", "10300 ")
    let rows: [(quirk: MDNSQuirk?, lines: [String])] = [
      (nil, whole),
      (.noFlushBit, replaced(" flush", "")),
      (.flushBitInShared, whole),
      (.wrongTTL, replaced(" 120 ", " 4500 ")),
      (.duplicateRecords, doubled),
      (.noAdditions, [first, answers[0], answers[1]]),
      (.noText, replaced("TXT a=1", "HINFO [0, 0]")),
      (.absenceOfNothing, replaced("NSEC A", "NSEC A+NSEC")),
      (.foreignAddress, replaced("A 192.168.1.20", "A 203.0.113.9")),
      (.noAggregation, [first, answers[0], additions[0], additions[1], first, answers[1]]),
      (.questionsInResponses, asked),
      (.lowHopLimit, replaced("ttl255", "ttl1")),
      (.otherPort, replaced("192.168.1.20:5353 ", "192.168.1.20:5354 ")),
      (.answersNothing, []),
      (.answersLate, replaced("10000 ", "10200 ")),
      (.unicastAlways, replaced("224.0.0.251", "192.168.1.9")),
      (.answersTwice, twice),
    ]
    for row in rows {
      var bench = settled(row.quirk)
      bench.ask(shop, .any)
      bench.run(900)
      expectEqual(bench.said(), row.lines, "\(row)")
    }
    for (quirk, isAuthoritative) in [(nil, true), (.noAuthority, false)] as [(MDNSQuirk?, Bool)] {
      var bench = settled(quirk)
      bench.ask(shop, .any)
      expectEqual(bench.messages.map(\.flags.isAuthoritative), [isAuthoritative])
    }
    var bench = settled(.flushBitInShared)
    bench.ask("_http._tcp.local", .ptr)
    bench.run(120)
    expectEqual(bench.said()[1], "  an _http._tcp.local 4500 flush PTR \(shop)")
  }

  @Test("each quirk changes a reply to a plain DNS client in its own way, line by line")
  func legacy() {
    let first = "10000 if0 192.168.1.20:5353 > 192.168.1.9:40000 ttl255 id 7 response"
    let question = "  ? \(shop) SRV"
    /// With its question, or without.
    func lines(_ question: String?, _ flush: String = "") -> [String] {
      let lines: [String?] = [
        first, question, "  an \(shop) 10\(flush) SRV 0 0 80 shop.local", "  ar shop.local 10\(flush) A 192.168.1.20",
        "  ar shop.local 10\(flush) NSEC A",
      ]
      return lines.compactMap { $0 }
    }
    let rows: [(quirk: MDNSQuirk?, lines: [String])] = [
      (nil, lines(question)), (.flushBitInLegacy, lines(question, " flush")), (.noQuestionInLegacy, lines(nil)),
      (.compressedLegacy, lines(question)),
      (.noLegacy, []),
    ]
    var sizes: [[Int]] = []
    for row in rows {
      var bench = settled(row.quirk)
      bench.ask(
        [DNSQuestion(DNSName(shop)!, .srv)], from: Endpoint(IPAddress(192, 168, 1, 9), port: 40_000), id: 7)
      sizes.append(bench.sizes)
      expectEqual(bench.said(), row.lines)
    }
    // Names are written as pointers in the data of SRV and NSEC, too.
    #expect(sizes[3][0] < sizes[0][0])
  }

  @Test("known answers, queries that go on and others' answers count for nothing where a quirk says so")
  func ignored() {
    let known = [ptr("_http._tcp.local", shop)]
    var bench = settled(.ignoresKnownAnswers)
    bench.ask("_http._tcp.local", .ptr, known: known)
    bench.run(120)
    expectEqual(bench.said().filter { $0.contains(" an ") }, ["  an \(pointer)"])
    bench = settled(.ignoresTruncation)
    bench.ask([DNSQuestion(DNSName("_http._tcp.local")!, .ptr)], isTruncated: true)
    bench.run(120)
    expectEqual(bench.said().filter { $0.contains(" an ") }, ["  an \(pointer)"])
    let questions = [DNSQuestion(DNSName(listing)!, .ptr), DNSQuestion(DNSName("_http._tcp.local")!, .ptr)]
    let types = "\(listing) 4500 PTR _http._tcp.local"
    for (quirk, lines) in [(nil, ["  an \(pointer)"]), (.repeatsOthers, ["  an \(types)", "  an \(pointer)"])]
      as [(MDNSQuirk?, [String])]
    {
      var bench = settled(quirk)
      bench.ask(questions)
      bench.run(10)
      bench.tell([ptr(listing, "_http._tcp.local")])
      bench.run(120)
      expectEqual(bench.said().filter { $0.contains(" an ") }, lines)
    }
    for (quirk, lines) in [(nil, ["10000" + head, "  an \(types)"]), (.ignoresLowTTL, [])] as [(MDNSQuirk?, [String])] {
      var bench = settled(quirk)
      bench.tell([ptr(listing, "_http._tcp.local", ttl: 10)])
      bench.run(3_000)
      expectEqual(bench.said(), lines)
    }
  }

  @Test("new TXT data is announced once where a quirk says so")
  func changesOnce() {
    var changing = plan(.changesOnce)
    changing.changes = [.setTXT(instance: "Shop", [3] + Array("a=2".utf8))]
    var bench = MDNSBench.settled(changing)
    bench.act(.reconfigure)
    bench.run(5_000)
    expectEqual(bench.said(), ["10000" + head, "  an \(shop) 4500 flush TXT a=2"])
  }

  @Test("a conflict renames while a name is probed for, and lets an owned one probe again, unless a quirk ignores it")
  func conflicts() {
    let rows: [(quirk: MDNSQuirk?, probing: String, owned: String, probesAgain: Bool)] = [
      (nil, "shop-2.local", "shop.local", true), (.ignoresDenials, "shop.local", "shop.local", true),
      (.ignoresConflicts, "shop-2.local", "shop.local", false),
      (.renamesAtOnce, "shop-2.local", "shop-2.local", false),
    ]
    for row in rows {
      var bench = starting(plan(row.quirk))
      bench.run(300)
      bench.tell([a("shop.local", "192.168.1.9")])
      expectEqual(bench.machine.hostName, row.probing, "\(row)")
      bench = settled(row.quirk)
      bench.tell([a("shop.local", "192.168.1.9")])
      expectEqual(bench.machine.hostName, row.owned, "\(row)")
      bench.run(300)
      expectEqual(bench.said().contains("  ? shop.local ANY QU"), row.probesAgain, "\(row)")
    }
  }

  @Test("the next deed of the loser of a tie comes after the deferral, and a winner goes on as before")
  func ties() {
    let rows: [(quirk: MDNSQuirk?, other: String, milliseconds: Int64?)] = [
      (nil, "192.168.1.21", 1_000), (nil, "192.168.1.20", nil), (nil, "192.168.1.19", nil),
      (.earlierWins, "192.168.1.21", nil), (.earlierWins, "192.168.1.19", 1_000), (.noTieBreak, "192.168.1.21", nil),
      (.shortDeferral, "192.168.1.21", 200),
    ]
    let name = DNSName("shop.local")!
    for row in rows {
      // A probe with its question, with another one, and with none; of a responder, and of a plain DNS client.
      for questions in [[DNSQuestion(name, .any)], [DNSQuestion(DNSName("nobody.local")!, .any)], []] {
        for port: UInt16 in [5_353, 40_000] {
          var plan = MDNSPlan(host: "shop")
          if let quirk = row.quirk { plan.quirks = [quirk] }
          var bench = starting(plan)
          bench.run(300)
          let before = bench.machine.deadline
          bench.hear(
            DNSMessage(flags: .query, questions: questions, authorities: [a("shop.local", row.other, flush: false)]),
            from: Endpoint(IPAddress(192, 168, 1, 9), port: port))
          expectEqual(
            bench.machine.deadline, row.milliseconds.map { bench.now + .milliseconds($0) } ?? before, "\(row) \(port)")
        }
      }
    }
  }
}
