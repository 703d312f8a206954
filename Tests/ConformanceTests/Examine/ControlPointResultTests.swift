import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallExaminers

@Suite("Hearing, serving and reporting in an examination of a control point")
struct ControlPointResultTests {
  private typealias Way = ControlPointProbe.Way

  private let group = Endpoint(.ssdpGroup4, port: 1_900)

  private func search(_ target: String, wait: Int = 1) -> [UInt8] {
    let lines = [
      "M-SEARCH * HTTP/1.1", "HOST: 239.255.255.250:1900", "MAN: \"ssdp:discover\"", "MX: \(wait)", "ST: \(target)", "",
      "",
    ]
    return Array(lines.joined(separator: "\r\n").utf8)
  }

  @Test("the first that searches is examined, a search to the group is answered, and 64 others are named at most")
  func hearing() {
    var setting = Examined.setting([.nameCase])
    setting.hasCommand = false
    var examination = ControlPointExamination(setting)
    examination.begin(at: .zero)
    let control = Endpoint(Examined.control, port: 4_000)
    let noSearch = Array("NOTIFY * HTTP/1.1\r\n\r\n".utf8)
    func hear(_ bytes: [UInt8], from source: Endpoint, to destination: Endpoint, at seconds: Int64) {
      examination.hear(bytes, from: source, to: destination, hopLimit: 3, at: .zero + .seconds(seconds))
    }
    hear(noSearch, from: control, to: group, at: 1)
    expectEqual(examination.examined, nil)
    hear(search("ssdp:all"), from: control, to: setting.speaker, at: 2)
    expectEqual(examination.examined, Examined.control)
    expectEqual(examination.searched, nil)
    expectEqual(examination.phase, .waiting)
    hear(noSearch, from: Endpoint(IPAddress(10, 77, 3, 1), port: 9), to: group, at: 3)
    for _ in 0..<2 {
      for last in 1...66 as ClosedRange<UInt8> {
        hear(search("ssdp:all"), from: Endpoint(IPAddress(10, 77, 2, last), port: 9), to: group, at: 3)
      }
    }
    expectEqual(examination.others, (1...64 as ClosedRange<UInt8>).map { IPAddress(10, 77, 2, $0) })
    hear(noSearch, from: control, to: group, at: 5)
    expectEqual(examination.phase, .waiting)
    hear(search("upnp:rootdevice"), from: control, to: group, at: 6)
    expectEqual(examination.phase, .acting)
    hear(search("ssdp:all"), from: control, to: group, at: 6)
    expectEqual(examination.searched, "upnp:rootdevice")
    let heard = examination.log.entries.map {
      "\($0.time - Instant.zero) \($0.isSent) \($0.hopLimit) \($0.source.port)"
    }
    expectEqual(heard, ["2s", "5s", "6s", "6s"].map { "\($0) false 3 4000" })
    examination.breakOff(at: .zero + .seconds(6))
    hear(search("ssdp:all"), from: control, to: group, at: 7)
    expectEqual(examination.log.entries.count, 4)
  }

  @Test("each request of the examined control point for a page is a mark, and the page served follows from the device")
  func pages() {
    var round = ControlPointRound(.answer, [.redirects])
    for probe in [.redirects, .hugePage, .nameCase] as [ControlPointProbe] {
      round.add(probe)
      round.add(probe, .companion)
    }
    var examination = round.examination
    func asked(_ number: Int, _ client: IPAddress?) -> String {
      let page = examination.fetched(
        "/b/00000000000\(number).xml", at: examination.setting.speaker, from: client, at: .zero + .seconds(1))
      switch page {
      case .document: return "document"
      case .redirect(let place): return place
      case .huge: return "huge"
      case .unknown: return "unknown"
      }
    }
    let itself = "http://10.77.1.10:50900/b/000000000000.xml"
    expectEqual(asked(0, nil), itself)
    expectEqual(asked(0, IPAddress(127, 0, 0, 1)), itself)
    expectEqual(examination.examined, nil)
    expectEqual(
      (1...6).map { asked($0, Examined.control) }, ["document", "huge", "document", "document", "document", "unknown"])
    expectEqual(examination.examined, Examined.control)
    // Of another one it is no matter.
    expectEqual([0, 2, 4].map { asked($0, IPAddress(10, 77, 1, 99)) }, ["document", "document", "document"])
    expectEqual(examination.redirectCounts, [0: 2])
    let request = "GET /b/000000000000.xml"
    expectEqual(
      examination.baits.map { $0.marks.map(\.text) },
      [[request, "\(request) from 127.0.0.1"]]
        + (1...5).map { ["GET /b/00000000000\($0).xml from 10.77.1.20"] })
    expectEqual(examination.baits[5].marks.map(\.kind), [.fetched(.own)])
    var taken: [Bool?] = []
    for isWhole in [false, true, false] {
      examination.tookPage("/b/000000000002.xml", whole: isWhole)
      taken.append(examination.pagesTaken[2])
    }
    expectEqual(taken, [false, true, true])
    examination.tookPage("/b/000000000006.xml", whole: true)
    expectEqual(examination.pagesTaken, [2: true])
    expectEqual(
      [5, 6].map { examination.described(at: "/service/00000000000\($0)/1/scpd.xml") != nil }, [true, false])
  }

  @Test("of each way the last verdict counts, a breach before a doubt and a doubt before a clause that held")
  func rows() {
    func row(
      _ samples: [(Way, ControlPointSample.Outcome, String)], _ probe: ControlPointProbe = .noServer,
      marks: [ControlPointBait.Mark.Kind] = [], isCutOff: Bool = false
    ) -> String {
      var examination = ControlPointRound(.answer, [probe]).examination
      examination.isCutOff = isCutOff
      examination.samples = samples.map { (way, outcome, text) in
        ControlPointSample(probe: probe, way: way, attempt: 1, outcome: outcome, text: text)
      }
      for (place, kind) in marks.enumerated() {
        examination.samples[place].mark = ControlPointBait.Mark(kind: kind, time: .zero, text: "")
      }
      let row = examination.result().rows[0]
      let ways = row.ways.map(\.rawValue).joined(separator: "+")
      return "\(row.verdict) \(row.found) [\(row.asked) \(ways)] \(row.evidence?.rawValue ?? "-")"
    }
    let both = "2 answer+announcement"
    expectEqual(
      row([(.answer, .held, "a"), (.announcement, .held, "a")]), "held a (answer, announcement) [\(both)] -")
    expectEqual(
      row([(.answer, .held, "a"), (.announcement, .held, "b")]), "held a (answer); b (announcement) [\(both)] -")
    expectEqual(row([(.answer, .violated, "b"), (.announcement, .held, "a")]), "violated b (answer) [\(both)] -")
    expectEqual(
      row([(.answer, .held, "a"), (.announcement, .unsure, "u")]), "inconclusive u (announcement) [\(both)] -")
    expectEqual(
      row([(.answer, .unsure, "u"), (.announcement, .violated, "b")]), "violated b (announcement) [\(both)] -")
    expectEqual(
      row([(.answer, .violated, "b"), (.announcement, .held, "a"), (.answer, .held, "c")]),
      "held c (answer); a (announcement) [3 answer+announcement] -")
    expectEqual(
      row([(.answer, .unseen, "n"), (.announcement, .held, "a")]), "held a (announcement) [1 announcement] -")
    expectEqual(
      row([(.answer, .held, "a"), (.announcement, .held, "a"), (.answer, .unseen, "n")]),
      "held a (announcement) [2 announcement] -")
    expectEqual(
      row([(.answer, .unseen, "n"), (.announcement, .unseen, "m")]),
      "notObservable n (answer); m (announcement) [0 ] -")
    expectEqual(row([]), "notObservable the time was over before this was put [0 ] -")
    expectEqual(
      row([], isCutOff: true),
      "notObservable the examiner's interface went away before this was put to its end [0 ] -")
    expectEqual(row([(.story, .held, "s")], .byebye), "held s [1 story] -")
    expectEqual(
      row([(.story, .held, "s")], .reboot),
      "notBound it claims UDA 1.0, which has no such clause; seen: s [1 story] -")
    // One rule in one way and another in the other is no rule; of other probes nothing is said of rules.
    let rules: [(Way, ControlPointSample.Outcome, String)] = [
      (.answer, .held, "rule: first"), (.announcement, .held, "rule: last"),
    ]
    expectEqual(
      row(rules, .doubledField), "violated rule: first in one way, rule: last in another [\(both)] -")
    expectEqual(
      row([rules[0]], .doubledField), "held rule: first (answer) [1 answer] -")
    expectEqual(row(rules), "held rule: first (answer); rule: last (announcement) [\(both)] -")
    expectEqual(row([(.flood, .violated, "f")], .flood), "violated f [1 flood] -")
    let held: [(Way, ControlPointSample.Outcome, String)] = [(.answer, .held, "a"), (.announcement, .held, "a")]
    let shown = "held a (answer, announcement) [\(both)]"
    expectEqual(row(held, marks: [.told(nil), .fetched(.own)]), "\(shown) fetched")
    expectEqual(row(held, marks: [.mentioned(.own), .gone]), "\(shown) listed in its output")
    expectEqual(row(held, marks: [.mentioned(.own)]), "\(shown) mentioned in its output")
  }

  @Test("searches are counted by target and MX, each with the ports it came from, and refused datagrams were not sent")
  func searches() {
    var examination = ControlPointRound(.answer, [.nameCase]).examination
    let speaker = examination.setting.speaker
    let heard: [(target: String, wait: Int, port: UInt16)] = [
      ("upnp:rootdevice", 1, 1), ("upnp:rootdevice", 1, 2), ("upnp:rootdevice", 1, 1), ("upnp:rootdevice", 2, 1),
      ("ssdp:all", 1, 3),
    ]
    for one in heard {
      examination.log.add(
        search(one.target, wait: one.wait), from: Endpoint(Examined.control, port: one.port), to: group, hopLimit: 2,
        isSent: false, at: .zero)
    }
    for target in ["a", "b"] {
      examination.log.add(search(target), from: speaker, to: group, hopLimit: 2, isSent: true, at: .zero)
    }
    examination.refusedCount = 1
    let result = examination.result()
    expectEqual(
      result.searches,
      [
        ControlPointResult.Search(target: "upnp:rootdevice", maximumWaitSeconds: 1, copies: 3, ports: [1, 2]),
        ControlPointResult.Search(target: "upnp:rootdevice", maximumWaitSeconds: 2, copies: 1, ports: [1]),
        ControlPointResult.Search(target: "ssdp:all", maximumWaitSeconds: 1, copies: 1, ports: [3]),
      ])
    expectEqual([result.sentCount, result.heardCount], [1, 5])
  }

  @Test("messages of the examined control point are judged where they come from or go to port 1900, and no NOTIFY is")
  func listening() {
    let speaker = Examined.setting().speaker
    let notify = Array("NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\n\r\n".utf8)
    let rows: [(bytes: [UInt8], port: UInt16, to: Endpoint, isSent: Bool, count: Int)] = [
      (search("ssdp:all"), 4_000, group, false, 1), (search("ssdp:all"), 1_900, speaker, false, 1),
      (search("ssdp:all"), 4_000, speaker, false, 0), (search("ssdp:all"), 4_000, group, true, 0),
      (notify, 4_000, group, false, 0),
    ]
    for row in rows {
      var examination = ControlPointRound(.answer, [.nameCase]).examination
      examination.log.add(
        row.bytes, from: Endpoint(Examined.control, port: row.port), to: row.to, hopLimit: 2, isSent: row.isSent,
        at: .zero)
      expectEqual(examination.result().listened.messageCount, row.count, "\(row.port) \(row.to) \(row.isSent)")
    }
  }

  @Test("each message has its place in the log and its TTL, and is judged by the clauses that are wanted, to the end")
  func judging() {
    let (speaker, control) = (Examined.setting().speaker, Endpoint(Examined.control, port: 4_000))
    let one = ControlPointRound(.answer, [.nameCase]).examination
    var far = one
    far.log.add(search("a"), from: speaker, to: group, hopLimit: 2, isSent: true, at: .zero)
    far.log.add(search("a"), from: control, to: group, hopLimit: 64, isSent: false, at: .zero + .seconds(1))
    let listened = far.result { $0.number == .ttlEscape }.listened
    expectEqual(listened.judged, [.ttlEscape])
    expectEqual(listened.rows.map(\.finding.position), [2])
    expectEqual(far.store.liveCount, 0)
    for (hopLimit, isKnown) in [(0, false), (1, true)] as [(UInt8, Bool)] {
      var near = one
      near.log.add(search("a"), from: control, to: group, hopLimit: hopLimit, isSent: false, at: .zero)
      expectEqual(near.result().listened.judged.contains(.ttlDefault), isKnown, "\(hopLimit)")
    }
    // A search that no copy followed within 30 seconds is a doubt, also where another host spoke last.
    for (seconds, count) in [(30, 0), (31, 1)] as [(Int64, Int)] {
      var single = one
      single.log.add(search("a"), from: control, to: group, hopLimit: 2, isSent: false, at: .zero)
      single.log.add(search("a"), from: speaker, to: group, hopLimit: 2, isSent: true, at: .zero + .seconds(seconds))
      expectEqual(single.result().listened.total(.searchRepeat).inconclusive, count, "\(seconds)")
    }
    // What has no room in the log was sent, too.
    var full = one
    for bytes in [[UInt8](repeating: 0, count: ControlPointLog.bytesMaximum), [1], [2], [3]] {
      full.log.add(bytes, from: speaker, to: group, hopLimit: 2, isSent: true, at: .zero)
    }
    full.refusedCount = 1
    expectEqual(full.result().sentCount, 3)
  }

  @Test("a breach has the time and the place of the first message that shows it, and a record quotes 480 bytes of it")
  func records() {
    let speaker = Examined.setting().speaker
    var round = ControlPointRound(.answer, [.noUSN])
    round.add(.noUSN, marks: [.told(nil)])
    for (count, text) in [(480, ""), (481, "…")] {
      var examination = round.examination
      examination.examined = Examined.control
      for (size, seconds) in [(1, 1), (count, 3)] as [(Int, Int64)] {
        examination.log.add(
          [UInt8](repeating: 120, count: size), from: speaker, to: group, hopLimit: 2, isSent: true,
          at: .zero + .seconds(seconds))
      }
      examination.baits[0].sentAt = .zero + .seconds(3)
      examination.baits[0].position = 2
      var sample = ControlPointSample(probe: .noUSN, way: .answer, attempt: 1, outcome: .violated, text: "b")
      examination.samples = [sample]
      let unshown = examination.result().judgement.rows
      expectEqual(unshown.map(\.finding.position), [0])
      expectEqual(unshown.map(\.finding.time), [.zero])
      sample.bait = 0
      sample.mark = examination.baits[0].marks[0]
      examination.samples = [sample]
      let result = examination.result()
      expectEqual(result.rows[0].records.map(\.text), [String(repeating: "x", count: 480) + text, "m0.0"])
      expectEqual(result.judgement.rows.map(\.finding.position), [2])
      expectEqual(result.judgement.rows.map(\.finding.time), [.zero + .seconds(3)])
    }
  }
}
