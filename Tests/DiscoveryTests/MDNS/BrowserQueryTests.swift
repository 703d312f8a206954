@testable import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@Suite("A browser asks")
struct BrowserQueryTests {
  private let type = "_http._tcp.local"
  private let name = "Shop._http._tcp.local"

  @Test("the first query after 20 to 120 ms with QU, then after 1 s, 2 s, 4 s … 60 min without (MD-04) (MD-05) (MD-08)")
  func series() {
    var delays: [Int64] = []
    for seed in 0..<100 {
      var bench = BrowserBench(seed: UInt64(seed))
      bench.run(seconds: 24 * 3_600)
      let times = bench.times.map { $0.nanoseconds / 1_000_000 }
      delays.append(times[0])
      let gaps = zip(times, times.dropFirst()).map { ($1 - $0) / 1_000 }
      expectEqual(
        Array(gaps.prefix(15)), [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 3_600, 3_600, 3_600])
      let asked = bench.asked()
      #expect(asked[0].hasSuffix(" \(type) PTR QU"))
      #expect(asked.dropFirst().allSatisfy { $0.hasSuffix(" \(type) PTR") })
    }
    #expect(delays.allSatisfy { (20...120).contains($0) })
    #expect(delays.min()! < 30 && delays.max()! > 110)
  }

  @Test("a query goes from port 5353 to the group, with TTL 255 and nothing else in it (MD-01) (MD-02)")
  func bytes() {
    var bench = BrowserBench()
    bench.run(120)
    let lines = bench.said()
    #expect(lines[0].hasSuffix(" if0 192.168.1.9:5353 > 224.0.0.251:5353 ttl255"))
    expectEqual(Array(lines.dropFirst()), ["  ? \(type) PTR QU"])
    expectEqual(bench.others, ["join 224.0.0.251:5353 if0"])
  }

  @Test("what is missing of a service is asked for, and no more when it is answered (MD-07)")
  func missing() {
    var bench = BrowserBench()
    bench.run(500)
    _ = bench.said()
    bench.tell([ptr(type, name)])
    bench.run(120)
    expectEqual(bench.asked().map { $0.drop { $0 != " " } }, [" \(name) SRV", " \(name) TXT"])
    bench.tell([srv(name, 80, "shop.local"), txt(name, "a=1")])
    expectEqual(bench.told(), [])
    bench.run(120)
    expectEqual(bench.asked().map { $0.drop { $0 != " " } }.sorted(), [" shop.local A", " shop.local AAAA"])
    bench.tell([a("shop.local", "192.168.1.20")])
    expectEqual(bench.told(), ["found \(name) shop.local:80 a=1 192.168.1.20/if0"])
    expectEqual(bench.browser.questionCount, 1)
    bench.run(seconds: 90)
    expectEqual(bench.asked().filter { !$0.contains("PTR") }, [])
  }

  @Test("what stays unanswered is asked again after 1 s, then 2 s (MD-05)")
  func repeated() {
    var bench = BrowserBench()
    bench.run(500)
    _ = bench.said()
    bench.tell([ptr(type, name), txt(name, "")])
    bench.run(seconds: 4)
    let times = zip(bench.times, bench.messages).filter { $0.1.questions[0].type == .srv }.map {
      $0.0.nanoseconds / 1_000_000
    }
    expectEqual(zip(times, times.dropFirst()).map { $1 - $0 }, [1_000, 2_000])
  }

  @Test("a record is asked for at 80, 85, 90 and 95 % of its TTL, each up to 2 % later (MD-06)")
  func refresh() {
    var offsets: [[Int64]] = [[], [], [], []]
    for seed in 0..<60 {
      var bench = BrowserBench(seed: UInt64(seed))
      bench.tell(shop())
      bench.run(until: .zero + .seconds(120))
      let times = zip(bench.times, bench.messages).filter { $0.1.questions.contains { $0.type == .srv } }.map(\.0)
      expectEqual(times.count, 4)
      for (number, time) in times.prefix(4).enumerated() { offsets[number].append(time.nanoseconds / 12_000_000) }
    }
    // In hundredths of a percent of 120 s.
    for (number, lower) in [8_000, 8_500, 9_000, 9_500].enumerated() {
      let lower = Int64(lower)
      #expect(offsets[number].allSatisfy { (lower...lower + 200).contains($0) })
      #expect(offsets[number].max()! - offsets[number].min()! > 150)
    }
  }

  @Test("an answer ends the refreshing until 80 % of the new time (MD-06) (MD-07)")
  func refreshed() {
    var bench = BrowserBench()
    bench.tell(shop())
    bench.run(seconds: 99)
    bench.tell(shop())
    _ = bench.said()
    bench.run(seconds: 95)
    expectEqual(bench.asked().filter { !$0.contains("PTR") }, [])
    bench.run(seconds: 5)
    #expect(bench.asked().contains { $0.contains("SRV") })
    expectEqual(bench.told(), ["found \(name) shop.local:80 a=1 192.168.1.20/if0"])
  }

  @Test("without interest nothing is asked for (MD-06)")
  func noInterest() {
    var bench = BrowserBench()
    bench.tell(shop())
    bench.give(.command(.stopBrowsing(.type("_http._tcp"))))
    expectEqual(bench.told(), ["found \(name) shop.local:80 a=1 192.168.1.20/if0", "lost \(name) stopped"])
    bench.run(seconds: 5_000)
    expectEqual(bench.said(), [])
    expectEqual(bench.browser.recordCount, 0)
    // What nobody browses is not kept at all.
    bench.tell(shop())
    expectEqual(bench.browser.recordCount, 0)
    expectEqual(bench.browser.questionCount, 0)
  }

  @Test("known answers have more than half of their TTL left, exactly half is too little (MD-25)")
  func knownAnswers() {
    for (at, isListed) in [(Instant(nanoseconds: 50_000_000_000 - 1), true), (.zero + .seconds(50), false)] {
      var policy = BrowserPolicy()
      policy.queryDelay = .seconds(1) ... .seconds(1)
      var bench = BrowserBench(policy: policy, isUp: false)
      bench.give(.command(.stopBrowsing(.type("_http._tcp"))))
      bench.up()
      bench.give(.command(.browse(.type("_http._tcp"))))
      bench.tell([ptr(type, name, ttl: 100)])
      // A browse of a subtype asks for another name; the plain one is asked for anew.
      bench.run(until: at - .seconds(1))
      _ = bench.said()
      let known = bench.browser.knownPointers(type, at: at)
      expectEqual(known, isListed ? [50] : [])
    }
  }

  @Test("the query lists what is known, with the time that it has left (MD-25)")
  func listed() {
    var bench = BrowserBench()
    bench.run(500)
    bench.tell(shop())
    _ = bench.said()
    bench.run(seconds: 1)
    expectEqual(Array(bench.said().dropFirst()), ["  ? \(type) PTR", "  an \(type) 4499 PTR \(name)"])
  }

  @Test(
    "known answers that are too many for a message go on in others without question, all but the last with TC (MD-26)")
  func truncated() {
    var bench = BrowserBench()
    bench.run(500)
    var names: [String] = []
    for number in 0..<100 {
      names.append("Service with a rather long name \(number)._http._tcp.local")
      bench.tell([ptr(type, names[number])])
    }
    // Nothing is known of the services: their questions are in other messages.
    _ = bench.said()
    bench.run(1_200)
    let messages = bench.messages.filter { !$0.answers.isEmpty }
    expectEqual(messages.map(\.flags.isTruncated), [true, true, true, false])
    expectEqual(messages.map { $0.questions.count }, [1, 0, 0, 0])
    expectEqual(messages.flatMap(\.answers).count, 100)
    #expect(messages.allSatisfy { $0.bytes.count <= 1_440 })
    #expect(messages.dropLast().allSatisfy { $0.bytes.count > 1_380 })
  }

  @Test("a question that somebody else just asked is not asked, once; not where they know more than we (MD-27)")
  func duplicateQuestion() {
    func next(_ known: [DNSRecord], wantsUnicast: Bool = false, after: Int64 = 400, own: [DNSRecord] = []) -> [String] {
      var bench = BrowserBench()
      bench.run(200)
      bench.tell(own)
      let start = bench.times[0]
      _ = bench.said()
      bench.run(after)
      bench.ask(type, .ptr, wantsUnicast: wantsUnicast, known: known)
      bench.run(until: start + .milliseconds(1_500))
      return bench.asked().filter { $0.contains("PTR") }
    }
    let known = [ptr(type, name)]
    expectEqual(next([]), [])
    expectEqual(next([], own: shop()), [])
    expectEqual(next(known, own: shop()), [])
    expectEqual(next(known).count, 1)
    expectEqual(next([], wantsUnicast: true).count, 1)
    // Not twice in a row: the first one that is heard, 300 ms from the start, stands for ours, which comes 2 s later.
    var bench = BrowserBench()
    bench.run(200)
    let start = bench.times[0]
    for _ in 0..<40 {
      bench.run(100)
      bench.ask(type, .ptr)
    }
    expectEqual(
      bench.times.map { ($0 - start).nanoseconds / 1_000_000 },
      [0, (Instant.zero + .milliseconds(2_300) - start).nanoseconds / 1_000_000])
  }
}

extension ServiceBrowser {
  /// The TTLs of the pointers that a query of this instant would list.
  func knownPointers(_ type: String, at now: Instant) -> [UInt32] {
    links.indices.flatMap { link in
      knownAnswers(RecordCache.Key(link: link, name: DNSName(type)!, type: .ptr), at: now).map(\.ttlSeconds)
    }
  }
}
