import RollcallConformance
import RollcallExaminers
import RollcallPrimitives
import Testing

@testable import RollcallLive

/// Keeps what is wished for.
private final class Outlet: LiveOutlet {
  var lines: [String] = []
  func send(_ datagram: Datagram, _ payload: UnsafeRawBufferPointer) {
    let first = String(decoding: payload.prefix { $0 != 13 }, as: UTF8.self)
    lines.append("\(datagram.source) -> \(datagram.destination) TTL \(datagram.hopLimit) \(first)")
  }
  func join(_ group: Endpoint, on interface: InterfaceID) { lines.append("join \(group)") }
  func leave(_ group: Endpoint, on interface: InterfaceID) {}
  func listen(at endpoint: Endpoint, on interface: InterfaceID) { lines.append("listen \(endpoint)") }
  func isOwn(_ endpoint: Endpoint, on interface: InterfaceID) -> Bool { endpoint.port == 50_902 }
}

@Suite("A control point examined on sockets") struct LiveControlPointTests {
  private let device = IPAddress(10, 77, 1, 10)
  private let group = Endpoint(.ssdpGroup4, port: 1_900)

  private func hear(_ party: LiveControlPoint, _ text: String, from source: Endpoint, at now: Instant) {
    Array(text.utf8).withUnsafeBytes {
      party.hear(
        HeardDatagram(source: source, destination: group, interface: InterfaceID(0), hopLimit: 2, bytes: $0), at: now)
    }
  }

  @Test("it joins, listens, answers every searcher but itself, serves its pages, and ends")
  func life() {
    var setting = ControlPointExamination.Setting(address: device)
    (setting.probes, setting.duration) = ([.nameCase], .seconds(9))
    let (party, outlet) = (LiveControlPoint(setting), Outlet())
    party.outlet = outlet
    var isOver = false
    party.whenOver = { isOver = true }
    party.begin(at: .zero)
    let search = "M-SEARCH * HTTP/1.1\r\nMX: 1\r\nST: ssdp:all\r\n\r\n"
    hear(party, search, from: Endpoint(device, port: 50_902), at: .zero)
    #expect(party.examination.examined == nil)
    hear(party, search, from: Endpoint(IPAddress(10, 77, 1, 20), port: 4_000), at: .zero)
    party.advance(to: .zero + .milliseconds(500))
    let answer = "10.77.1.10:50902 -> 10.77.1.20:4000 TTL 2 HTTP/1.1 200 OK"
    #expect(outlet.lines == ["join 239.255.255.250:1900", "listen 10.77.1.10:50902", answer, answer, answer])
    let page = party.page("/b/000000.xml", at: setting.speaker, from: nil, at: .zero + .milliseconds(600))
    guard case .document(let bytes) = page else { return #expect(Bool(false), "no document") }
    #expect(String(decoding: bytes, as: UTF8.self).contains("<UDN>uuid:b4170000-0000-4000-8000-000000000000</UDN>"))
    if case .unknown = party.page("/b/ffffff.xml", at: setting.speaker, from: nil, at: .zero) {
    } else {
      Issue.record("a page of no bait")
    }
    while let deadline = party.deadline { party.advance(to: deadline) }
    #expect(isOver)
  }

  @Test("a command is started and ended by wish, and what it prints is read")
  func command() {
    var setting = ControlPointExamination.Setting(address: device)
    (setting.probes, setting.hasCommand) = ([.byebye], true)
    let (party, outlet) = (LiveControlPoint(setting), Outlet())
    party.outlet = outlet
    var calls: [String] = []
    party.startCommand = { calls.append("start") }
    party.stopCommand = { calls.append("stop") }
    party.begin(at: .zero)
    while let deadline = party.deadline, calls.count < 2 { party.advance(to: deadline) }
    #expect(calls == ["start", "stop"])
    party.read("resource available uuid:b4170000-0000-4000-8000-000000000001", at: .zero + .seconds(11))
    party.commandEnded(.stopped, at: .zero + .seconds(12))
    // What ends before its time says what it has to say at once.
    party.end(at: .zero + .seconds(12))
    #expect(outlet.lines.suffix(6).allSatisfy { $0.hasSuffix("239.255.255.250:1900 TTL 2 NOTIFY * HTTP/1.1") })
    #expect(party.examination.isOver)
    #expect(party.examination.shown("b4170000-0000-4000-8000-000000000001") == ["told"])
  }
}
