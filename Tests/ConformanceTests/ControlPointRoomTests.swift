import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallConformance

/// Bounds of what is kept of a control point: what comes beyond is not judged, what is kept goes on.
@Suite("Room for what a control point hears and sends") struct ControlPointRoomTests {
  /// The checks of control points by themselves; host 0 is the control point, and party 0.
  private struct Rig {
    var checks = ControlPointChecks(.capture)
    var collector = FindingCollector(wanted: { _ in true })
    let payloads = PayloadStore()

    /// A message of that time and UUID, with a port of the searcher; its bytes stay in the store.
    private func context(_ said: Said, _ port: UInt16, _ time: Interval, host: Int32, uuid: Int32) -> MessageContext? {
      let payload = payloads.store(Array(said.text.utf8))
      guard case .message(let message) = SSDPReader.reading(of: payload, in: payloads, mode: .lenient) else {
        return nil
      }
      let (searcher, isSearch) = (Endpoint(Said.searcher.address, port: port), message.kind == .search)
      let observation = Observation(
        time: .zero + time, position: 1, source: isSearch ? searcher : said.from,
        destination: isSearch ? said.to : searcher, host: host, bytes: payloads.bytes(of: payload))
      return MessageContext(
        observation: observation, kind: message.kind, message: message, faults: FormFaults(),
        party: PartyID(0), role: .controlPoint, uuid: uuid, usn: nil, claim: .uda20, isMulticast: isSearch)
    }

    mutating func search(from port: UInt16, at time: Interval, by host: Int32 = 0) {
      guard let context = context(.search(), port, time, host: host, uuid: -1) else { return }
      checks.hear(context, &collector)
    }

    mutating func answer(to port: UInt16, at time: Interval, of device: Int32 = 0) {
      guard let context = context(.answer(), port, time, host: 0, uuid: device) else { return }
      checks.overhear(context, &collector)
    }

    mutating func note(_ content: TraceEvent.Content, of device: Int32 = -1, at time: Interval) {
      var event = TraceEvent(time: .zero + time, position: 1, host: 0, content)
      event.device = device
      checks.note(event, &collector)
    }

    /// How often it kept the clause until then.
    mutating func held(_ clause: ClauseID, at time: Interval) -> UInt32 {
      checks.close(at: .zero + time, &collector)
      return collector.tally(clause, PartyID(0)).held
    }
  }

  @Test("there is room for 20000 devices and 1000 searches of a control point, and 1000 sockets of others")
  func maxima() {
    let checks = ControlPointChecks(.capture)
    expectEqual([checks.devicesMaximum, checks.searchesMaximum, checks.othersMaximum], [20_000, 1_000, 1_000])
  }

  @Test("devices beyond the room are neither heard nor told of")
  func devices() {
    var rig = Rig()
    rig.checks.devicesMaximum = 2
    for device in 0..<4 as Range<Int32> { rig.answer(to: 50_000, at: .seconds(1), of: device) }
    expectEqual(rig.held(.unsolicited, at: .seconds(2)), 2)
    for device in 0..<4 as Range<Int32> {
      rig.note(.told(.lost(device: "", cause: .evicted)), of: device, at: .seconds(3))
    }
    expectEqual(rig.held(.boundedCache, at: .seconds(4)), 2)
  }

  @Test("answers to a search beyond the room count as unsolicited, and searches within it are followed on")
  func searches() {
    for host in 0...1 as ClosedRange<Int32> {
      var rig = Rig()
      (rig.checks.searchesMaximum, rig.checks.othersMaximum) = (2, 2)
      rig.note(.asked(search: 1), at: .zero)
      for port in 50_000...50_003 as ClosedRange<UInt16> { rig.search(from: port, at: .zero, by: host) }
      for port in 50_000...50_003 as ClosedRange<UInt16> { rig.answer(to: port, at: .seconds(13)) }
      expectEqual(rig.held(.unsolicited, at: .seconds(14)), 2, "host \(host)")
      rig.search(from: 50_001, at: .seconds(14), by: host)
      for port in [50_000, 50_001] as [UInt16] { rig.answer(to: port, at: .seconds(27)) }
      expectEqual(rig.held(.unsolicited, at: .seconds(28)), 3, "host \(host)")
    }
  }
}
