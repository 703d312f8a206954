import RollcallCapture
import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation
import RollcallTrace
import Testing

@testable import RollcallRunning

/// The capture of one host of a run: its interfaces, its names and the comment of its section.
@Suite("Captures of runs") struct CaptureExportTests {
  private static let browse = ServiceBrowse.type("_ipp._tcp")
  /// What the television has later.
  private static let later = IPAddress(10, 9, 9, 9)

  private func entry(_ station: UInt32, _ seconds: Int64, _ content: TraceEntry.Content) -> TraceEntry {
    TraceEntry(time: .zero + .seconds(seconds), station: station, content: content)
  }
  private func datagram(_ source: IPAddress, byteCount: Int) -> RecordedDatagram {
    RecordedDatagram(
      source: Endpoint(source, port: 40_000), destination: Endpoint(.ssdpGroup4, port: 1_900),
      interface: InterfaceID(0), hopLimit: 2, bytes: [UInt8](repeating: 65, count: byteCount))
  }
  private func note(_ seconds: Int64, _ command: Command) -> String {
    SceneNote.signal(SceneNote.TimedSignal(time: .zero + .seconds(seconds), signal: .command(command))).comment
  }

  /// The signals of the section, and the first comment of each frame.
  private func exported(_ trace: [TraceEntry], host: Int) throws -> [[String]] {
    let text = """
      scenario: A television moves
      duration: 5s
      inhabitants: {tv: {kind: root-device}}
      """
    var resolved = try Scenario(yaml: text, file: "x.yaml").resolved()
    var result = Run.perform(resolved, seed: Seed(1))
    (result.trace, result.membershipFrames) = (trace, [])
    resolved.scenario.engine.configuration.browse = [Self.browse]
    resolved.plan.hosts[0].interfaces[0].inbound.mtu = 600
    // Of two hosts that have it the first one gives it its name.
    resolved.faults = [1, 0].map { host in
      ResolvedFault(
        id: "f", at: .zero + .seconds(3),
        fault: .readdress(host: host, interface: InterfaceID(0), address: Self.later))
    }
    var reader = try TinyCapture.reader(
      CaptureExport.write(result, of: resolved, host: host, scenario: "x.yaml", seed: 1))
    var frame = CaptureFrame()
    var comments: [String] = []
    while reader.next(&frame) { comments.append(frame.comments.first ?? "") }
    return [reader.sections.flatMap(\.comments).filter { $0.hasPrefix("rollcall signal: ") }, comments]
  }

  @Test("an address that a host has later is its own, packets fit both ways, and the engine alone looks for services")
  func cast() throws {
    let trace = [0, 1].map { entry($0, 1, .received(datagram(Self.later, byteCount: 1_000))) }
    try expectEqual(exported(trace, host: 0), [[note(0, .browse(Self.browse))], ["from tv", "from tv"]])
    try expectEqual(exported(trace, host: 1), [[], ["from tv"]])
  }

  @Test("searches stand in the section where one of them is not on the wire, or a program sent one")
  func searches() throws {
    let command = Command.search(Search(id: SearchID(1), target: "ssdp:all"))
    let adopted = Command.adopt(
      Search(id: SearchID(2), target: "ssdp:all"), copyAt: Endpoint(IPAddress(10, 9, 9, 8), port: 50_000))
    let sent = entry(0, 1, .sent(datagram(IPAddress(10, 9, 9, 8), byteCount: 10)))
    let search = entry(0, 1, .signal(.command(command)))
    func notes(_ entries: [TraceEntry]) throws -> [String] { try exported(entries, host: 0)[0] }
    let browse = note(0, .browse(Self.browse))
    try expectEqual(notes([search, sent]), [browse])
    let adoption = entry(0, 2, .signal(.command(adopted)))
    try expectEqual(notes([search, sent, adoption]), [browse, note(1, command), note(2, adopted)])
    try expectEqual(notes([search, entry(0, 1, .woken), sent]), [browse, note(1, command)])
  }
}
