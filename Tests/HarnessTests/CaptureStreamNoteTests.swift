import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import RollcallTrace
import Testing

@testable import RollcallRunning

/// Where the comments of a capture stand that is written while its run goes on.
@Suite("Comments of a capture that is written while its run goes on") struct CaptureStreamNoteTests {
  private static let began = Instant.zero + .seconds(1_795_737_735)

  private func entry(_ seconds: Int64, _ content: TraceEntry.Content) -> TraceEntry {
    TraceEntry(time: .zero + .seconds(seconds), station: 0, content: content)
  }
  private func heard(_ seconds: Int64) -> TraceEntry {
    entry(
      seconds,
      .received(
        RecordedDatagram(
          source: Endpoint(IPAddress(10, 0, 0, 1), port: 1_900), destination: Endpoint(.ssdpGroup4, port: 1_900),
          interface: InterfaceID(0), hopLimit: 2, bytes: [1])))
  }
  private func note(_ seconds: Int64, _ signal: SignalValue) -> String {
    SceneNote.signal(SceneNote.TimedSignal(time: Self.began + .seconds(seconds), signal: signal)).comment
  }

  @Test("notes known at the first frame stand before all frames, later ones right before the next frame")
  func order() throws {
    let cast = CaptureExport.Cast(
      host: "here", origin: ["made by a test"], interfaces: [(name: "eth0", details: nil, mtuBytes: 1_500)],
      names: [], end: .zero)
    var bytes: [UInt8] = []
    var stream = CaptureStream(cast, begin: Self.began) { bytes += $0 }
    // Nothing is written before there is something.
    stream.release(until: .zero + .seconds(1))
    expectEqual(bytes, [])

    let up = SignalValue.interface(
      InterfaceChange(
        interface: InterfaceID(0), isUp: true, addresses: [InterfaceAddress(IPAddress(10, 0, 0, 9), prefixBits: 24)]))
    let commands: [SignalValue] = [
      .command(.hold(device: "uuid:a")), .command(.release(device: "uuid:a")),
      .command(.search(Search(id: SearchID(5), target: "ssdp:all"))), .command(.stopDescriptions),
    ]
    stream.take(entry(0, .signal(up)))
    stream.release(until: .zero)
    for one in [
      entry(1, .signal(commands[0])), heard(1), entry(2, .signal(commands[1])), entry(2, .signal(commands[2])),
      heard(3), entry(4, .signal(commands[3])),
    ] { stream.take(one) }
    stream.release(until: .zero + .seconds(4))
    stream.finish(at: .zero + .seconds(5))

    var reader = try TinyCapture.reader(bytes)
    expectEqual(
      reader.sections.map(\.comments),
      [["made by a test", "rollcall host: here", "rollcall begin: 1795737735.000000000", note(0, up)]])
    var frame = CaptureFrame()
    var lines: [String] = []
    while reader.next(&frame) { lines += reader.takeRemarks() + ["frame at \(frame.time)"] }
    lines += reader.takeRemarks()
    expectEqual(
      lines,
      [
        note(1, commands[0]), "frame at 1795737736.000000000", note(2, commands[1]), note(2, commands[2]),
        "frame at 1795737738.000000000", note(4, commands[3]), "rollcall end: 1795737740.000000000",
      ])
  }
}
