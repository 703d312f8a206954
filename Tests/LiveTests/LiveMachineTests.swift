import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallTrace
import RollcallWire

@testable import RollcallLive

/// Notes when it is called, and wants to be woken once.
private struct Clockwork: Machine {
  var lines: [String] = []
  var due: Instant?
  var deadline: Instant? { due }

  mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    switch signal {
    case .datagram(let datagram):
      lines.append("heard \(outbox.payloads.array(of: datagram.payload).count) bytes at \(now)")
    case .value(let id):
      switch outbox.values[id] {
      case .host(.interface(let change)):
        lines.append("interface \(change.isUp ? "up" : "down") at \(now)")
        outbox.join(.ssdp(.v4), on: change.interface)
        due = now + .seconds(2)
      case .application(let command): lines.append("command(\(command))")
      default: lines.append("refused")
      }
    }
  }

  mutating func wake(at now: Instant, into outbox: inout Outbox) {
    guard let due, due <= now else { return }
    self.due = nil
    lines.append("woken at \(now)")
    outbox.transmit(
      Datagram(
        source: Endpoint(IPAddress(10, 0, 0, 1), port: 50_000), destination: Endpoint(.ssdpGroup4, port: 1_900),
        interface: InterfaceID(0), hopLimit: 2, payload: outbox.payloads.store([1, 2, 3])))
  }
}

private final class Outlet: LiveOutlet {
  var lines: [String] = []
  func send(_ datagram: Datagram, _ payload: UnsafeRawBufferPointer) {
    lines.append("send \(payload.count) bytes to \(datagram.destination)")
  }
  func join(_ group: Endpoint, on interface: InterfaceID) { lines.append("join \(group)") }
  func leave(_ group: Endpoint, on interface: InterfaceID) { lines.append("leave \(group)") }
  func listen(at endpoint: Endpoint, on interface: InterfaceID) {}
  func isOwn(_ endpoint: Endpoint, on interface: InterfaceID) -> Bool { false }
}

@Suite("Any machine on real sockets") struct LiveMachineTests {
  @Test("it is woken at the time that it asked for, however late that is seen, and all of it is recorded")
  func clock() {
    let recorder = Recorder()
    let live = LiveMachine(Clockwork(), recorder: recorder)
    let outlet = Outlet()
    var turns: [Instant] = []
    live.outlet = outlet
    live.onTurn = { _, now in turns.append(now) }
    live.take(
      InterfaceChange(
        interface: InterfaceID(0), isUp: true, addresses: [InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 24)]),
      at: .zero)
    live.begin(at: .zero)
    expectEqual(live.deadline, .zero + .seconds(2))
    [UInt8](repeating: 7, count: 5).withUnsafeBytes { bytes in
      live.hear(
        HeardDatagram(
          source: Endpoint(IPAddress(10, 0, 0, 9), port: 1_900), destination: Endpoint(.ssdpGroup4, port: 1_900),
          interface: InterfaceID(0), hopLimit: 2, bytes: bytes), at: .zero + .seconds(3))
    }
    live.end(at: .zero + .seconds(3))
    expectEqual(
      live.machine.lines,
      [
        "interface up at 0.000000000", "woken at 2.000000000", "heard 5 bytes at 3.000000000", "command(stop)",
      ])
    expectEqual(outlet.lines, ["join 239.255.255.250:1900", "send 3 bytes to 239.255.255.250:1900"])
    expectEqual(turns, [.zero, .zero + .seconds(3), .zero + .seconds(3)])
    expectEqual(
      recorder.entries.map {
        TraceText.line($0) { _ in "here" }.split(separator: " ").prefix(4).joined(separator: " ")
      },
      [
        "0.000000000 here < interface", "0.000000000 here > join", "2.000000000 here < wake",
        "2.000000000 here > 10.0.0.1:50000", "3.000000000 here < 10.0.0.9:1900", "3.000000000 here < command",
      ])
  }
}
