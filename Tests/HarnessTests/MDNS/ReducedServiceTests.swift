import RollcallCapture
import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallReducing
import RollcallReplaying
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import RollcallWire
import Testing

/// `diff`, `reproduce` and `shrink` with services of multicast DNS.
@Suite("Services of multicast DNS, compared, reproduced and made smaller") struct ReducedServiceTests {
  private static let type = DNSName("_ipp._tcp.local")!
  private static let office = DNSName("Office._ipp._tcp.local")!
  private static let host = DNSName("printer.local")!
  private static let address = "10.0.0.5"

  private static func records(_ text: String, ttl: UInt32? = nil) -> [DNSRecord] {
    [
      DNSRecord(type, .ptr(office), ttlSeconds: ttl ?? 4_500),
      DNSRecord(
        office, .srv(priority: 0, weight: 0, port: 631, target: host), ttlSeconds: ttl ?? 120, isCacheFlush: true),
      DNSRecord(office, .txt([UInt8(text.utf8.count)] + text.utf8), ttlSeconds: ttl ?? 4_500, isCacheFlush: true),
      DNSRecord(host, .address(IPAddress(10, 0, 0, 5)), ttlSeconds: ttl ?? 120, isCacheFlush: true),
    ]
  }

  private static func response(_ records: [DNSRecord]) -> [UInt8] {
    DNSMessage(flags: .response, answers: records).bytes
  }

  private static var probe: [UInt8] {
    var proposed = Array(records("rp=a").dropFirst())
    for place in proposed.indices { proposed[place].isCacheFlush = false }
    return DNSMessage(
      flags: .query, questions: [DNSQuestion(office, .any), DNSQuestion(host, .any)], authorities: proposed
    ).bytes
  }

  /// A host that probes, announces, is asked, and says goodbye.
  private static func course(_ text: String = "rp=a", probes: Bool = true) -> TinyCapture {
    var capture = TinyCapture()
    if probes { for time in [0, 0.25, 0.5] { capture.add(time, address, payload: probe) } }
    capture.add(0.75, address, payload: response(records("rp=a")))
    capture.add(1.75, address, payload: response(records("rp=a")))
    let query = DNSMessage(flags: .query, questions: [DNSQuestion(type, .ptr)])
    capture.add(5, "10.0.0.9", payload: query.bytes)
    capture.add(5.06, address, payload: response(records(text)))
    capture.add(10, address, payload: response(records(text, ttl: 0)))
    return capture
  }

  @Test("two captures differ in the text of a service, and the message that made the difference is shown")
  func diff() throws {
    func side(_ text: String) throws -> DiffSide {
      let capture = Self.course(text)
      return try DiffInput(path: text + ".pcapng").captureSide { try capture.reader() }
    }
    let diff = ReportDiff(try side("rp=a"), try side("rp=b"))
    expectEqual(diff.a.reports.map(\.report.name), ["found"])
    expectEqual(diff.b.reports.map(\.report.name), ["found", "changed"])
    let lines = DiffText.lines(diff, width: 240)
    #expect(
      lines.contains { $0.hasSuffix("txt rp=b") && $0.contains("changed peer:Office._ipp._tcp.local txt rp=a") },
      "\(lines)")
    #expect(lines.contains("The datagram that made the difference:"), "\(lines)")
    #expect(
      lines.contains("    answers: TXT Office._ipp._tcp.local \"rp=b\" (4500 s, flush)"), "\(lines)")
    #expect(!lines.contains { $0.contains("location") }, "\(lines)")
    #expect(ReportDiff(try side("rp=a"), try side("rp=a")).isEqual)
  }

  @Test("a host that starts in the capture is reproduced as a responder, another one message by message")
  func reproduce() throws {
    let responder = try Self.course().reproduced(end: 20)
    #expect(responder.isFaithful, "\(responder.comparison) \(responder.fixedPoint) \(responder.broken)")
    expectEqual(responder.reports.map(\.report.name), ["found", "lost"])
    #expect(responder.yaml.contains("kind: mdns-responder") && !responder.yaml.contains("hex"), "\(responder.yaml)")
    let recorded = try Self.course(probes: false).reproduced(end: 20)
    #expect(recorded.isFaithful, "\(recorded.comparison) \(recorded.fixedPoint) \(recorded.broken)")
    expectEqual(recorded.reports.map(\.report.name), ["found", "lost"])
    #expect(!recorded.yaml.contains("mdns-responder") && recorded.yaml.contains("hex"), "\(recorded.yaml)")
  }

  @Test("an answer that went to one host makes the same reports, though the engine has another subnet")
  func toOneHost() throws {
    var capture = TinyCapture()
    let query = DNSMessage(flags: .query, questions: [DNSQuestion(Self.type, .ptr, wantsUnicast: true)])
    capture.add(0, "10.0.0.9", payload: query.bytes)
    capture.add(0.02, Self.address, to: "10.0.0.9:5353", payload: Self.response(Self.records("rp=a")))
    for perspective in [ReplayOptions.Perspective.everybody, .host("10.0.0.9")] {
      let options = Reproduce.Options(perspective: perspective, title: "one", source: "one", findsBite: false)
      let outcome = try Reproduce.reproduce(options) { try capture.reader() }
      #expect(outcome.isFaithful, "\(outcome.comparison) \(outcome.fixedPoint) \(outcome.broken)")
      expectEqual(outcome.reports.map(\.report.name), ["found"])
      #expect(outcome.yaml.contains("Not as in the capture: what went to one host by multicast DNS"))
    }
  }

  @Test("hosts whose names have one letter stay two, and lists of domains keep their names")
  func letters() throws {
    var capture = TinyCapture()
    for (number, name) in ["a", "b"].enumerated() {
      let (instance, host) = (Self.type.adding(name.uppercased())!, DNSName(name + ".local")!)
      let records = [
        DNSRecord(Self.type, .ptr(instance), ttlSeconds: 4_500),
        DNSRecord(instance, .srv(priority: 0, weight: 0, port: 1, target: host), ttlSeconds: 120, isCacheFlush: true),
        DNSRecord(instance, .txt([0]), ttlSeconds: 4_500, isCacheFlush: true),
        DNSRecord(host, .address(IPAddress(10, 0, 0, UInt8(number) + 5)), ttlSeconds: 120, isCacheFlush: true),
      ]
      capture.add(Double(number) * 5, "10.0.0.\(number + 5)", payload: Self.response(records))
    }
    let list = DNSMessage(flags: .query, questions: [DNSQuestion(DNSName("lb._dns-sd._udp.local")!, .ptr)])
    capture.add(10, "10.0.0.9", payload: list.bytes)
    let options = Reproduce.Options(title: "letters", source: "letters", findsBite: false)
    let outcome = try Reproduce.reproduce(options) { try capture.reader() }
    #expect(outcome.isFaithful, "\(outcome.comparison) \(outcome.isShapeKept)")
    expectEqual(outcome.reports.map(\.report.name), ["found", "found"])
    #expect(outcome.tape.messages.contains { $0.payload == list.bytes })
  }

  @Test("names and addresses are replaced in names, data and texts, the same ones alike")
  func anonymous() throws {
    var capture = Self.course()
    capture.add(20, "192.168.1.9:4000", "192.168.1.8:4000", "no discovery\n")
    let options = Reproduce.Options(title: "made", source: "made", findsBite: false)
    let outcome = try Reproduce.reproduce(options) { try capture.reader() }
    #expect(outcome.isFaithful, "\(outcome.comparison) \(outcome.ambiguities) \(outcome.isShapeKept)")
    #expect(!outcome.yaml.contains("Office") && !outcome.yaml.contains("10.0.0.5"), "\(outcome.yaml)")
    #expect(outcome.yaml.contains("_ipp._tcp"))
  }

  @Test("a failing scenario with services is made smaller: hosts, services, texts and deeds that it does not need go")
  func shrink() throws {
    let scenario = try Scenario(
      yaml: """
        scenario: A goodbye ends the services of a host
        duration: 60s
        engine: {browse: all}
        inhabitants:
          printer:
            kind: mdns-responder
            host-name: office
            services:
              - {type: _http._tcp, name: Pages, port: 80, txt: [path=/]}
              - {type: _ipp._tcp, name: Office, port: 631, txt: [rp=a, duplex], subtypes: [_color]}
          speaker: {kind: mdns-responder, services: [{type: _raop._tcp, name: Kitchen, port: 5000}]}
          tv: {kind: root-device}
        timeline:
          - {at: 20s, reboot: speaker}
          - {at: 30s, leave: printer}
          - {at: 40s, leave: tv}
        expect:
          - {lost: printer, cause: byebye}
        """, file: "shrink.yaml")
    let options = Shrinker.Options(seed: 1, fault: .engine(.serviceGoodbyeIgnored))
    var shrinker = try Shrinker(scenario, options: options)
    let outcome = shrinker.shrink()
    expectEqual(outcome.after.inhabitants, 1)
    expectEqual(outcome.after.timeline, 1)
    #expect(outcome.after.nodes < outcome.before.nodes / 2, "\(outcome.after)")
    let text = outcome.scenario.document.flow
    #expect(!text.contains("txt") && !text.contains("subtypes") && !text.contains("speaker"), "\(text)")
  }
}
