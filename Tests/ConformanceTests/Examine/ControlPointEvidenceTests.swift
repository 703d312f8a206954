import RollcallConformance
import RollcallExaminers
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@Suite("Evidence in examinations of control points") struct ControlPointEvidenceTests {
  private func search(_ target: String) -> [UInt8] {
    Array(
      "M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: \"ssdp:discover\"\r\nMX: 1\r\nST: \(target)\r\n\r\n"
        .utf8)
  }

  /// What good baits say to who searches for a target; `nil`: to who only listens.
  private func goodMessages(_ target: String?, _ probe: ControlPointProbe) -> [(bytes: [UInt8], to: Endpoint)] {
    let setting = Examined.setting([probe]) { ($0.hasCommand, $0.duration) = (false, .seconds(40)) }
    var examination = ControlPointExamination(setting)
    examination.begin(at: .zero)
    if let target {
      examination.hear(
        search(target), from: Endpoint(Examined.control, port: 4_000), to: Endpoint(.ssdpGroup4, port: 1_900), at: .zero
      )
    }
    while let deadline = examination.deadline { examination.advance(to: deadline) }
    // The bad ones have no USN, but say byebye as all others.
    return examination.log.entries.filter {
      $0.isSent && String(decoding: $0.bytes, as: UTF8.self).contains("\r\nUSN: ")
    }
    .map { ($0.bytes, $0.destination) }
  }

  /// Everything that the catalogue has against one message.
  private func findings(_ message: (bytes: [UInt8], to: Endpoint), searched: String?) -> [String] {
    func wanted(_ clause: Clause) -> Bool { clause.binds != .controlPoint && !clause.isFromMemory }
    let store = PayloadStore()
    var judge = ClauseJudge(.capture, wanted: wanted)
    let speaker = Examined.setting().speaker
    func hear(_ bytes: [UInt8], _ source: Endpoint, _ destination: Endpoint, _ position: Int) {
      let payload = store.store(bytes)
      judge.hear(
        Observation(
          time: .zero + .milliseconds(Int64(position)), position: position, source: source, destination: destination,
          interface: InterfaceID(0), hopLimit: 2,
          place: destination.port == 1_900 || source.port == 1_900 ? .port1900 : .searcher,
          bytes: store.bytes(of: payload)))
      store.release(payload)
    }
    if let searched {
      hear(search(searched), Endpoint(Examined.control, port: 4_000), Endpoint(.ssdpGroup4, port: 1_900), 1)
    }
    hear(message.bytes, speaker, message.to, 2)
    judge.close(at: .zero + .milliseconds(10))
    var judgement = Judgement(judge, wanted: wanted)
    judgement.keep { $0.role == .device }
    return judgement.rows.filter { $0.finding.ruling == .violated }.map { "\($0.clause.id): \($0.finding.found)" }
  }

  @Test(
    "what a good bait says is right, for who searches for anything, and for who only listens",
    arguments: [
      nil, "ssdp:all", "upnp:rootdevice", "urn:schemas-upnp-org:device:MediaServer:1",
      "urn:schemas-upnp-org:service:ContentDirectory:1", "uuid:b4170000-0000-4000-8000-000000000000",
    ] as [String?])
  func goodBaits(searched: String?) {
    for probe in [ControlPointProbe.noUSN, .byebye, .flood] {
      let messages = goodMessages(searched, probe)
      #expect(messages.count >= 4, "\(probe) \(messages.count)")
      for message in messages {
        let text = String(decoding: message.bytes, as: UTF8.self)
        let padded = message.bytes + [UInt8](repeating: 0, count: PayloadStore.paddingBytes)
        let index = UnsafeMutablePointer<SSDPIndex>.allocate(capacity: 1)
        index.initialize(to: SSDPIndex())
        let why = padded.withUnsafeBytes {
          SSDPReader.read(UnsafeRawBufferPointer(rebasing: $0[..<message.bytes.count]), mode: .strict, into: index)
        }
        index.deallocate()
        #expect(why == nil, "\(String(describing: why)): \(text)")
        let isAnswer = !message.to.address.isMulticast
        let found = findings(message, searched: isAnswer ? searched : nil)
        expectEqual(found, [], "\(probe): \(text)")
      }
    }
  }

  @Test("the description of a bait is a device of the type, or with the service, that is searched for")
  func descriptions() throws {
    for (target, type, services) in [
      ("urn:schemas-upnp-org:device:MediaServer:1", "urn:schemas-upnp-org:device:MediaServer:1", [] as [String]),
      (
        "urn:schemas-upnp-org:service:ContentDirectory:1", "urn:schemas-upnp-org:device:Basic:1",
        ["urn:schemas-upnp-org:service:ContentDirectory:1"]
      ),
      ("ssdp:all", "urn:schemas-upnp-org:device:Basic:1", []),
    ] {
      let setting = Examined.setting([.nameCase]) { ($0.hasCommand, $0.duration) = (false, .seconds(40)) }
      var examination = ControlPointExamination(setting)
      examination.begin(at: .zero)
      examination.hear(
        search(target), from: Endpoint(Examined.control, port: 4_000), to: Endpoint(.ssdpGroup4, port: 1_900), at: .zero
      )
      examination.advance(to: .zero + .seconds(1))
      let page = examination.fetched(
        "/b/000000000000.xml", at: examination.setting.speaker, from: Examined.control, at: .zero + .seconds(1))
      guard case .document(let bytes) = page else { throw FuzzyError() }
      let root = try DescriptionReader.read(bytes, mode: .strict).document.root
      expectEqual(root.type, type)
      expectEqual(root.services.map(\.type), services)
    }
  }
  private struct FuzzyError: Error {}

  @Test("a LOCATION in the value of another field, or in a message that is printed, is a mention and decides nothing")
  func mentions() {
    let uuid = "b4170000-0000-4000-8000-000000000001"
    func shown(_ line: String) -> [String] {
      var examination = ControlPointExamination(Examined.setting([.byebye]) { $0.hasCommand = false })
      examination.begin(at: .zero)
      examination.hear(
        search("ssdp:all"), from: Endpoint(Examined.control, port: 9), to: Endpoint(.ssdpGroup4, port: 1_900), at: .zero
      )
      examination.advance(to: .zero + .seconds(1))
      examination.read(line, at: .zero + .seconds(2))
      return examination.shown(uuid)
    }
    let url = "http://10.77.1.10:50900/t/000000000001.xml"
    for line in [
      "  Server: Linux/6.1 UPnP/1.1 Lamp/1.0 LOCATION: \(url)", "SERVER = a \(url)", "USER-AGENT: \(url)",
      "{\"server\":\"a LOCATION: \(url)\",\"location\":null}", "b'NOTIFY * HTTP/1.1\\r\\nLOCATION: \(url)\\r\\n'",
    ] { expectEqual(shown(line), ["mentioned at t"], "\(line)") }
    for line in [
      "  Location: \(url)", " desc: \(url)", url, "found at \(url)", "{\"server\":\"a\",\"location\":\"\(url)\"}",
      "{\"url\":\"\(url)\"}", "observer: \(url)",
    ] { expectEqual(shown(line), ["told at t"], "\(line)") }
  }

  @Test("of who prints everything that comes nothing is said about what it keeps; of who keeps devices it is")
  func loggers() {
    let probes: [ControlPointProbe] = [.byebye, .expiry, .keptByPart, .uuidCase, .oddMaxAge]
    let logger = Examined.run(Examined.setting(probes)) { ToyControlPoint([.printsAll]) }.result()
    expectEqual(Set(logger.rows.map(\.verdict)), [.notObservable])
    let keeper = Examined.run(Examined.setting([.byebye])) { ToyControlPoint() }.result()
    expectEqual(keeper.rows.map(\.verdict), [.held])
    expectEqual(keeper.rows.map(\.evidence), [.listed])
  }

  @Test("what is fetched shows more than what is listed, and is named")
  func strength() {
    let fetched = Examined.run(Examined.setting([.nameCase])) { ToyControlPoint() }.result()
    expectEqual(fetched.rows.map(\.evidence), [.fetched])
    let silent = Examined.run(Examined.setting([.nameCase])) { ToyControlPoint([.silent]) }.result()
    expectEqual(silent.rows.map(\.evidence), [nil])
    #expect(fetched.lineCount > 0 && silent.lineCount == 0)
  }
}
