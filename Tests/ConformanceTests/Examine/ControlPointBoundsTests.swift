import RollcallConformance
import RollcallExaminers
import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("Bounds of examining a control point")
struct ControlPointBoundsTests {
  private func verdicts(_ examination: ControlPointExamination) -> [String] {
    examination.result().rows.map { "\($0.probe.rawValue) \($0.verdict.rawValue): \($0.found)" }
  }

  @Test("whatever is sent, printed or asked for: nothing of it ends the examination, and it stays within its bounds")
  func hostile() {
    var stream = Seed(7).stream("hostile")
    let words = [
      "M-SEARCH * HTTP/1.1\r\n", "ST: ", "MX: 99999999999\r\n", "NOTIFY", "\r\n\r\n",
      "b4170000-0000-4000-8000-000000000000",
      "b4170000-", "uuid:", "::", "/b/000000000000.xml", "/b/", "/t/00000000000", "{\"event\":\"", "lost",
      "rollcall_bait.", "\0",
      "ü", " ",
    ]
    var examination = ControlPointExamination(Examined.setting([.nameCase, .byebye, .flood]))
    examination.begin(at: .zero)
    var now = Instant.zero
    for _ in 0..<4_000 where !examination.isOver {
      var text = ""
      for _ in 0..<stream.below(12) { text += words[Int(stream.below(UInt64(words.count)))] }
      now += .milliseconds(Int64(stream.below(40)))
      let bytes = Array(text.utf8.prefix(Int(stream.below(80))))
      examination.hear(
        bytes, from: Endpoint(Examined.control, port: 4_000), to: Endpoint(.ssdpGroup4, port: 1_900), at: now)
      examination.read(String(decoding: bytes, as: UTF8.self), at: now)
      _ = examination.fetched(text, at: examination.setting.speaker, from: Examined.control, at: now)
      if stream.below(50) == 0 { examination.commandEnded(.exited(1), at: now) }
      _ = examination.takeWishes()
    }
    #expect(examination.log.entries.count <= ControlPointLog.entriesMaximum)
    expectEqual(examination.result().rows.count, 3)
  }

  @Test("each line of a program that is known is read as what it says")
  func output() {
    let uuid = "b4170000-0000-4000-8000-000000000001"
    func shown(_ lines: [String]) -> [String] {
      var examination = ControlPointExamination(Examined.setting([.byebye]) { $0.hasCommand = false })
      examination.begin(at: .zero)
      examination.hear(
        Array("M-SEARCH * HTTP/1.1\r\nMX: 1\r\nST: ssdp:all\r\n\r\n".utf8), from: Endpoint(Examined.control, port: 9),
        to: Endpoint(.ssdpGroup4, port: 1_900), at: .zero)
      examination.advance(to: .zero + .seconds(1))
      for line in lines { examination.read(line, at: .zero + .seconds(2)) }
      return examination.shown(uuid)
    }
    let names = ["  USN:      uuid:\(uuid)::upnp:rootdevice", "  Location: http://10.77.1.10:50900/b/000000000001.xml"]
    expectEqual(shown(["resource available"] + names), ["told upnp:rootdevice", "told at b"])
    expectEqual(shown(["resource available"] + names + ["resource unavailable", names[0]]).last, "gone")
    expectEqual(shown([" desc: http://10.77.1.10:50900/s/000000000001.xml"]), ["told at s"])
    expectEqual(
      shown([
        "{\"event\":\"found\",\"device\":\"uuid:\(uuid)\"}",
        "{\"event\":\"lost\",\"device\":\"uuid:\(uuid.uppercased())\"}",
      ]), ["told", "gone"])
    // A word of departure within another word, or in a name, is none.
    expectEqual(shown(["leftover uuid:\(uuid)", "x uuid:b4170000-0000-4000-8000-0000000000"]), ["told"])
    expectEqual(shown([""] + names.map { String($0.dropLast(6)) }), ["told upnp:root"])
  }

  @Test("a search that never stops to be repeated, with the longest MX, does not make a run endless")
  func endless() {
    let setting = Examined.setting([.lastMoment, .late, .copies]) { $0.runs = 1 }
    var examination = ControlPointExamination(setting)
    examination.begin(at: .zero)
    let search = Array(
      "M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: \"ssdp:discover\"\r\nMX: 120\r\nST: ssdp:all\r\n\r\n"
        .utf8)
    var second: Int64 = 0
    while !examination.isOver, second < 600 {
      let now = Instant.zero + .seconds(second)
      examination.advance(to: now)
      for case .stopCommand in examination.takeWishes() { examination.commandEnded(.stopped, at: now) }
      examination.hear(
        search, from: Endpoint(Examined.control, port: 4_000), to: Endpoint(.ssdpGroup4, port: 1_900), at: now)
      second += 1
    }
    #expect(second <= Int64(ControlPointPlan(setting).seconds))
    expectEqual(
      verdicts(examination),
      [
        "last-moment notObservable: its MX is more than 10 s, which is not waited for (answer)",
        "late notObservable: its MX is more than 10 s, which is not waited for (answer)",
        "copies held: 42 times for ssdp:all within 41000 ms (answer)",
      ])
  }

  @Test("at the end every bait that anybody heard of says byebye, also where the examination is broken off")
  func farewell() {
    func texts(_ examination: ControlPointExamination) -> [String] {
      examination.log.entries.filter(\.isSent).map { String(decoding: $0.bytes, as: UTF8.self) }
    }
    func uuids(_ texts: [String]) -> Set<Substring> {
      Set(texts.compactMap { $0.firstMatch(of: /USN: uuid:([^:\r]*)/)?.1 })
    }
    let whole = texts(Examined.run(Examined.setting()) { ExaminedEngine() })
    let byebyes = whole.filter { $0.contains("NTS: ssdp:byebye") }
    #expect(uuids(byebyes).isSuperset(of: uuids(whole).filter { $0.lowercased() == $0 }))
    #expect(whole.suffix(100).allSatisfy { $0.contains("NTS: ssdp:byebye") })

    var broken = ControlPointExamination(Examined.setting([.nameCase]) { $0.hasCommand = false })
    broken.begin(at: .zero)
    broken.hear(
      Array("M-SEARCH * HTTP/1.1\r\nMX: 1\r\nST: ssdp:all\r\n\r\n".utf8),
      from: Endpoint(Examined.control, port: 9), to: Endpoint(.ssdpGroup4, port: 1_900), at: .zero)
    broken.advance(to: .zero + .milliseconds(60))
    broken.breakOff(at: .zero + .milliseconds(61))
    broken.breakOff(at: .zero + .milliseconds(62))
    #expect(broken.isOver)
    expectEqual(texts(broken).map { $0.contains("NTS: ssdp:byebye") }, [false, true])
  }

  @Test("when the time is over, what was not put is not observable")
  func duration() {
    let setting = Examined.setting { $0.duration = .seconds(4) }
    let result = Examined.run(setting) { ExaminedEngine() }.result()
    expectEqual(result.rows.last?.verdict, .notObservable)
    expectEqual(result.rows.last?.found, "the time was over before this was put")
    expectEqual(result.rows.filter { $0.verdict == .violated }, [])
  }
}
