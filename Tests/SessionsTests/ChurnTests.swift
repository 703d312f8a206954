import RollcallExpectations
import RollcallPrimitives
import RollcallSessions
import RollcallSimulation
import RollcallWire
import Testing

@Suite("A day of coming and going")
struct ChurnTests {
  private static let roundSeconds: Int64 = 900
  private static let hours: Int64 = 24

  /// Three peers that meet every 15 minutes at a loss of 10 %, send and part again: for a round more than the hours.
  private func rig() -> SessionRig {
    var rig = SessionRig(3)
    rig.link.loss = .uniform(.percent(10))
    for host in 0..<3 { rig.hosts[host].isLogging = false }
    for round in 0...ChurnTests.hours * 3_600 / ChurnTests.roundSeconds {
      let start = round * ChurnTests.roundSeconds * 1_000
      rig.invite(start + 10, 0, 1)
      rig.invite(start + 5_000, 1, 2)
      rig.at(start + 60_000, 2, .send([UInt8](repeating: 3, count: 30_000), [SessionRig.id(0)]))
      rig.at(start + 90_000, 0, .openStream("stream", SessionRig.id(1)))
      rig.at(start + 91_000, 1, .sendResource("file", [UInt8](repeating: 4, count: 30_000), SessionRig.id(2)))
      rig.at(start + 120_000, Int(round % 3), .disconnect)
      for host in 0..<3 { rig.at(start + 200_000, host, .disconnect) }
    }
    return rig
  }

  /// What the world and its peers hold at the end of an hour.
  private struct Holdings: Equatable {
    var elements: [Int]
    var links: [Int]
    var waiting: [Int]
    var payloads: Int
    var pending: Int
  }

  @Test("at the end of each hour the world holds what it held at the end of the first one")
  func flat() {
    var world = rig().world(seconds: (ChurnTests.hours + 1) * 3_600)
    world.start()
    var found: [Holdings] = []
    for hour in 1...ChurnTests.hours {
      world.run(until: .zero + .seconds(hour * 3_600 - 1))
      let hosts = (0..<3).map { world.machine(ofHost: $0, as: SessionHost.self)! }
      found.append(
        Holdings(
          elements: hosts.map { heldElements(of: $0.session) }, links: hosts.map(\.session.linkCount),
          waiting: hosts.map(\.session.waitingCount), payloads: world.payloads.liveCount, pending: world.pendingCount))
    }
    expectEqual(found.map(\.links), Array(repeating: [0, 0, 0], count: found.count))
    expectEqual(found.map(\.waiting), Array(repeating: [0, 0, 0], count: found.count))
    for (hour, holdings) in found.enumerated() { expectEqual(holdings, found[0], "hour \(hour + 1)") }
  }

  @Test("while peers are connected the count of elements is a larger one, so that one that is kept would show")
  func shows() {
    var world = rig().world(seconds: 3_600)
    world.start()
    world.run(until: .zero + .seconds(100))
    let busy = (0..<3).map { heldElements(of: world.machine(ofHost: $0, as: SessionHost.self)!.session) }
    world.run(until: .zero + .seconds(ChurnTests.roundSeconds - 1))
    let quiet = (0..<3).map { heldElements(of: world.machine(ofHost: $0, as: SessionHost.self)!.session) }
    #expect(zip(busy, quiet).allSatisfy { $0 > $1 }, "\(busy) while connected, \(quiet) afterwards")
  }
}
