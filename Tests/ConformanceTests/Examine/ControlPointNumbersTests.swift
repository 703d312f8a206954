import RollcallConformance
import RollcallExaminers
import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("Numbers in what an examined control point sends")
struct ControlPointNumbersTests {
  /// An examination without a command, whose control point has searched once.
  private func begun(_ probes: [ControlPointProbe], searchedFor target: String) -> ControlPointExamination {
    var examination = ControlPointExamination(
      Examined.setting(probes) {
        $0.hasCommand = false
        $0.runs = 1
      })
    examination.begin(at: .zero)
    let search = ["M-SEARCH * HTTP/1.1", "MAN: \"ssdp:discover\"", "MX: 1", "ST: \(target)", "", ""]
    examination.hear(
      Array(search.joined(separator: "\r\n").utf8), from: Endpoint(Examined.control, port: 4_000),
      to: Endpoint(.ssdpGroup4, port: 1_900), at: .zero)
    return examination
  }

  @Test(
    "a page is named by twelve digits, the first six of them those of the examination; what has a sign there is nobody's, when it is asked for and when it is printed"
  )
  func pages() {
    let pages: [(path: String, isKnown: Bool)] = [
      ("/b/000000000001.xml", true), ("/b/000000000001.xml?x", true), ("/t/000000000001.xml", true),
      ("/b/000000+00001.xml", false),
      ("/b/000000-00001.xml", false), ("/b/000000-00000.xml", false), ("/b/000000+00000.xml", false),
      ("/b/000000 00001.xml", false),
      ("/b/00000000000g.xml", false), ("/b/00000000001.xml", false), ("/b/000000000001.htm", false),
      ("/x/000000000001.xml", false),
      ("/b/000000ffffff.xml", false), ("b/000000000001.xml", false), ("", false),
      ("/b/000001000001.xml", false), ("/b/800000000001.xml", false), ("/b/0000000000001.xml", false),
    ]
    let now = Instant.zero + .seconds(1)
    for (path, isKnown) in pages {
      var examination = begun([.nameCase], searchedFor: "ssdp:all")
      examination.advance(to: now)
      let page = examination.fetched(path, at: examination.setting.speaker, from: Examined.control, at: now)
      expectEqual((page != .unknown), isKnown, "\(path)")
      examination.tookPage(path, whole: true)
      examination.read("LOCATION: http://10.77.1.10:50900\(path)", at: now)
      let letter = path.dropFirst().prefix(1)
      expectEqual(
        examination.shown("b4170000-0000-4000-8000-000000000001"),
        (isKnown ? ["fetched \(letter)", "told at \(letter)"] : []), "\(path)")
    }
  }

  @Test("a type has a higher version where its version is a number with a next one, and else there is none to offer")
  func versions() {
    func examined(_ target: String) -> ControlPointExamination {
      var examination = begun([.higherVersion, .higherST], searchedFor: target)
      for second in 1...300 where !examination.isOver { examination.advance(to: .zero + .seconds(Int64(second))) }
      #expect(examination.isOver)
      return examination
    }
    let type = "urn:schemas-upnp-org:device:Basic:"
    for version in ["9223372036854775807", "9223372036854775808", "+1", "-1", "1.0", "a", ""] {
      let rows = examined(type + version).result().rows
      expectEqual(rows.map(\.verdict), [.notObservable, .notObservable], "\(version)")
      for row in rows { #expect(row.found.hasPrefix("it searches for \(type)\(version), which has no version")) }
    }
    for (version, next) in [("9", "10"), ("9223372036854775806", "9223372036854775807")] {
      let sent = examined(type + version).log.entries.filter(\.isSent).map { String(decoding: $0.bytes, as: UTF8.self) }
      #expect(sent.contains { $0.contains("ST: \(type)\(next)\r\n") }, "\(version)")
    }
  }
}
