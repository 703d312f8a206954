import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
import RollcallRunning
import RollcallServing
import Testing
import RollcallTrace

@testable import RollcallLive

/// Notes what is wanted, and opens no socket.
private final class Notebook: LiveOutlet {
  var sent: [(source: Endpoint, destination: Endpoint, hopLimit: UInt8, text: String)] = []
  var groups: [String] = []

  func send(_ datagram: Datagram, _ payload: UnsafeRawBufferPointer) {
    sent.append(
      (datagram.source, datagram.destination, datagram.hopLimit, String(decoding: payload, as: UTF8.self)))
  }
  func join(_ group: Endpoint, on interface: InterfaceID) { groups.append("join \(group) if\(interface.number)") }
  func leave(_ group: Endpoint, on interface: InterfaceID) { groups.append("leave \(group) if\(interface.number)") }
  func listen(at endpoint: Endpoint, on interface: InterfaceID) {}
  func isOwn(_ endpoint: Endpoint, on interface: InterfaceID) -> Bool { false }
}

@Suite("The live driver") struct LiveEngineTests {
  private let own = IPAddress(10, 77, 1, 20)
  private let peer = IPAddress(10, 77, 1, 10)
  private let uuid = "uuid:00000000-0000-4000-8000-000000000001"

  private final class Reports {
    var lines: [String] = []
  }

  private func up() -> InterfaceChange {
    InterfaceChange(interface: InterfaceID(0), isUp: true, addresses: [InterfaceAddress(own, prefixBits: 24)])
  }

  private func make(_ searches: [Search], _ recorder: Recorder? = nil) -> (LiveEngine, Notebook, Reports) {
    let reports = Reports()
    let engine = LiveEngine(EngineConfiguration(), searches: searches, recorder: recorder) {
      reports.lines.append("\($1) \(ReportText.line($0))")
    }
    let notebook = Notebook()
    engine.outlet = notebook
    return (engine, notebook, reports)
  }

  private func hear(
    _ engine: LiveEngine, _ text: String, from source: Endpoint, to destination: Endpoint, at now: Instant
  ) {
    Array(text.utf8).withUnsafeBytes {
      engine.hear(
        HeardDatagram(source: source, destination: destination, interface: InterfaceID(0), hopLimit: 4, bytes: $0),
        at: now)
    }
  }

  private func alive(maxAge: Int) -> String {
    "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nCACHE-CONTROL: max-age=\(maxAge)\r\n"
      + "LOCATION: http://10.77.1.10/d.xml\r\nNT: upnp:rootdevice\r\nNTS: ssdp:alive\r\nSERVER: x\r\n"
      + "USN: \(uuid)::upnp:rootdevice\r\n\r\n"
  }

  @Test("it joins, searches from the address of the interface, and sends each copy in its turn")
  func searches() {
    let (engine, notebook, reports) = make([Search(id: SearchID(1), target: "ssdp:all", maximumWaitSeconds: 1)])
    engine.take(up(), at: .zero)
    engine.begin(at: Instant(nanoseconds: 5))
    expectEqual(notebook.groups, ["join 239.255.255.250:1900 if0"])
    expectEqual(notebook.sent.count, 1)
    expectEqual(notebook.sent[0].source, Endpoint(own, port: 49_152))
    expectEqual(notebook.sent[0].destination, Endpoint(.ssdpGroup4, port: 1_900))
    expectEqual(notebook.sent[0].hopLimit, 2)
    #expect(notebook.sent[0].text.hasPrefix("M-SEARCH * HTTP/1.1\r\n"))
    expectEqual(engine.deadline, Instant(nanoseconds: 1_000_000_005))
    engine.advance(to: .zero + .seconds(5))
    expectEqual(notebook.sent.count, 3)
    expectEqual(reports.lines, ["3.100000005 search-ended 1 ssdp:all 0 services"])
  }

  @Test("a timer that comes late changes no report, and the trace replays entry for entry")
  func lateTimers() {
    let recorder = Recorder()
    let (engine, _, reports) = make([Search(id: SearchID(1), target: "ssdp:all", maximumWaitSeconds: 1)], recorder)
    engine.take(up(), at: .zero)
    engine.begin(at: Instant(nanoseconds: 7))
    let group = Endpoint(.ssdpGroup4, port: 1_900)
    hear(engine, alive(maxAge: 4), from: Endpoint(peer, port: 1_900), to: group, at: Instant(nanoseconds: 900_000_123))
    let answer =
      "HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=4\r\nEXT:\r\nLOCATION: http://10.77.1.10/d.xml\r\n"
      + "SERVER: x\r\nST: upnp:rootdevice\r\nUSN: \(uuid)::upnp:rootdevice\r\n\r\n"
    hear(
      engine, answer, from: Endpoint(peer, port: 51_000), to: Endpoint(own, port: 49_152),
      at: Instant(nanoseconds: 2_500_000_001))
    hear(engine, "junk", from: Endpoint(peer, port: 51_000), to: group, at: Instant(nanoseconds: 2_600_000_000))
    // Everything that was due meanwhile happened when it was due.
    engine.advance(to: .zero + .seconds(20))
    engine.end(at: .zero + .seconds(21))
    let location = "http://10.77.1.10/d.xml"
    expectEqual(
      reports.lines,
      [
        "0.900000123 found \(uuid) \(location) 10.77.1.10 if0",
        "2.500000001 service 1 \(uuid)::upnp:rootdevice upnp:rootdevice \(location)",
        "2.600000000 rejected startLine at byte 0",
        "3.100000007 search-ended 1 ssdp:all 1 services \(uuid)::upnp:rootdevice",
        "6.500000001 lost \(uuid) expired",
      ])
    let replay = MachineReplay.run(
      recorder.entries, station: LiveEngine.station, in: DiscoveryEngine(EngineConfiguration()), until: engine.ended)
    expectEqual(replay.difference, nil)
  }

  @Test("a refused join and a refused copy are reported as failed")
  func refusals() {
    let (engine, _, reports) = make([
      Search(id: SearchID(1), target: "ssdp:all", maximumWaitSeconds: 1, broadcasts: 1)
    ])
    engine.take(up(), at: .zero)
    engine.begin(at: .zero)
    let interface = InterfaceID(0)
    engine.take(
      Refusal(deed: .join, interface: interface, address: .ssdpGroup4, port: 0), at: Instant(nanoseconds: 1))
    engine.take(
      Refusal(deed: .send, interface: interface, address: .ssdpGroup4, port: 49_152), at: Instant(nanoseconds: 2))
    expectEqual(
      reports.lines,
      [
        "0.000000001 failed cannotJoin if0", "0.000000002 failed cannotSend search 1 if0",
        "0.000000002 failed cannotSend search 1",
      ])
  }

  @Test("each run has a hash seed of its own, which nobody on the network knows")
  func hashSeeds() {
    let seeds = (0..<3).map { _ in make([]).0.engine.configuration.hashSeed }
    #expect(Set(seeds).count == 3 && !seeds.contains(0), "\(seeds)")
  }

  @Test("a clock that seems to go back stands still")
  func clock() {
    let (engine, _, reports) = make([])
    engine.take(up(), at: .zero + .seconds(2))
    hear(
      engine, alive(maxAge: 4), from: Endpoint(peer, port: 1_900), to: Endpoint(.ssdpGroup4, port: 1_900),
      at: .zero + .seconds(1))
    expectEqual(reports.lines, ["2.000000000 found \(uuid) http://10.77.1.10/d.xml 10.77.1.10 if0"])
  }
}
