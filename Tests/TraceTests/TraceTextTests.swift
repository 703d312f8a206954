import Primitives
import Testing
import Trace

@Suite("Traces as text")
struct TraceTextTests {
  private static let datagram = RecordedDatagram(
    source: Endpoint(IPAddress(10, 0, 0, 1), port: 1_900), destination: Endpoint(.ssdpGroup6, port: 1_900),
    interface: InterfaceID(3), hopLimit: 4, bytes: Array(0...255))

  private func read(_ content: TraceEntry.Content) throws -> TraceTextLine.Content {
    let entry = TraceEntry(time: Instant(nanoseconds: 12_000_000_345), station: 2, content: content)
    let line = try TraceText.read(Substring(TraceText.line(entry) { "host\($0)" }))
    #expect(line.time == entry.time)
    #expect(line.station == "host2")
    return line.content
  }

  @Test("a line that was written is read back: datagrams of any bytes, interfaces, deeds")
  func round() throws {
    #expect(try read(.sent(TraceTextTests.datagram)) == .sent(TraceTextTests.datagram))
    #expect(try read(.received(TraceTextTests.datagram)) == .received(TraceTextTests.datagram))
    let change = InterfaceChange(
      interface: InterfaceID(1), isUp: true, addresses: [InterfaceAddress(IPAddress(10, 0, 0, 2), prefixBits: 24)])
    #expect(try read(.signal(.interface(change))) == .interface(change))
    let down = InterfaceChange(interface: InterfaceID(1), isUp: false, addresses: [])
    #expect(try read(.signal(.interface(down))) == .interface(down))
    #expect(try read(.signal(.command(.act(.appear)))) == .act("appear"))
    let crash = Act.crash(downFor: .seconds(1), keepsState: true)
    #expect(try read(.signal(.command(.act(crash)))) == .act("crash"))
    #expect(try read(.woken) == .other)
    #expect(try read(.signal(.command(.hold(device: "uuid:1")))) == .hold(device: "uuid:1"))
    #expect(try read(.signal(.command(.search(Search(id: SearchID(4), target: "ssdp:all"))))) == .search(4))
    let sighting = DeviceSighting(
      device: "uuid:1", location: nil, source: IPAddress(10, 0, 0, 1), interface: InterfaceID(2), bootID: 7)
    let outcome = SearchOutcome(search: SearchID(4), target: "ssdp:all", services: [], wasStopped: true)
    for report in [
      Report.found(sighting), .changed(sighting, .bootID(from: nil)),
      .changed(sighting, .bootID(from: 6)), .changed(sighting, .configID(from: 1)),
      .changed(sighting, .location(from: "http://10.0.0.1/")), .changed(sighting, .united(part: "uuid:2")),
      .changed(sighting, .address(from: IPAddress(10, 0, 0, 9))), .lost(device: "uuid:1", cause: .expired),
      .searchEnded(outcome), .rejected(Rejection(.badMX, at: 0)),
    ] {
      #expect(try read(.effect(.report(report))) == .report(report))
    }
    #expect(try read(.effect(.join(.ssdpGroup4, InterfaceID(0)))) == .other)
  }

  @Test(
    "what is no such line is refused at its column",
    arguments: [
      ("", 1), ("x tv < wake", 1), ("1.5 tv < wake", 1), ("1.000000000", 12), ("1.000000000 tv = wake", 16),
      ("1.000000000 tv > 10.0.0.1:1 -> nowhere if0 ttl1 x", 32),
      ("1.000000000 tv > 10.0.0.1:1 -> 10.0.0.2:2 eth0 ttl1 x", 43),
      ("1.000000000 tv > 10.0.0.1:1 -> 10.0.0.2:2 if0 ttl300 x", 47),
      ("1.000000000 tv > 10.0.0.1:1 -> 10.0.0.2:2 if0 ttl1 \\q", 47),
      ("1.000000000 tv < interface 0 sideways", 30), ("+1.00000000 tv < wake", 1), ("01.000000000 tv < wake", 1),
      ("1.+00000000 tv < wake", 1), ("1.000000000 tv > 10.0.0.1:1 -> 10.0.0.2:2 if+0 ttl1 x", 43),
      ("1.000000000 tv > 10.0.0.1:1 -> 10.0.0.2:2 if0 ttl1 \\x41", 47),
      ("1.000000000 tv > 10.0.0.1:1 -> 10.0.0.2:2 if0 ttl1 \\xFF", 47),
    ])
  func refused(line: String, column: Int) {
    #expect {
      try TraceText.read(Substring(line))
    } throws: { error in
      (error as? TraceTextError)?.column == column
    }
  }
}
