import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallSimulation

/// Packets that are heard as they were recorded.
@Suite struct ResentPacketTests {
  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  private func packet(_ number: Int, _ channel: UInt8?, _ strength: Int8?) -> RadioEffect {
    .resend(
      RadioPDU(
        channel: channel, strength: strength, accessAddress: AirFrame.advertisingAddress,
        bytes: AdvertisingPDU.bytes(.nonconnectable, from: RadioRig.address(number))))
  }

  private func lines(_ machine: ScriptedRadio) -> [String] {
    machine.heard.map { heard in
      "\((heard.time - Instant.zero).nanoseconds / 1_000_000) ms \(heard.kind.name) \(heard.sender.bits & 0xFF) "
        + "\(heard.channel.map { "\($0)" } ?? "-") \(heard.strength.map { "\($0)" } ?? "-")"
    }
  }

  @Test func `who listens hears each at its strength, however far away, lossy, short or disturbed the listening is`() {
    var rig = RadioRig()
    // Two at one instant do not meet, and no radio is too weak or too far away.
    rig.add(
      x: 90_000_000, { $0.transmitPower = -127 },
      wants: [
        (at(10), packet(50, 37, -99)), (at(10), packet(51, 37, -30)), (at(11), packet(52, 9, nil)),
        (at(12), packet(53, nil, 20)),
      ])
    rig.addAdvertiser(x: 1_000, every: .milliseconds(10_240), byteCount: 31, at: at(9))
    let near = rig.addScanner { $0.sensitivity = -20 }
    let short = rig.addScanner(window: .microseconds(2_500), interval: .seconds(40)) { $0.loss = .uniform(.always) }
    let machines = rig.run(for: .milliseconds(15)).machines
    let all = ["10 ms ADV_NONCONN_IND 50 37 -99", "10 ms ADV_NONCONN_IND 51 37 -30", "11 ms ADV_NONCONN_IND 52 9 -"]
    expectEqual(lines(machines[near]), all + ["12 ms ADV_NONCONN_IND 53 - 20"])
    expectEqual(lines(machines[short]), lines(machines[near]))
  }

  @Test func `a radio that is off sends none and hears none, nor does one that does not listen or that sent it`() {
    var rig = RadioRig()
    let own = rig.addScanner()
    rig.machines[own].plan += (1...4).map { (at: at(Int64($0) * 10), effect: packet(50 + $0, 38, -50)) }
    let stops = rig.add(wants: [
      (.zero, .scan(window: .milliseconds(30), interval: .milliseconds(30), isActive: true)), (at(25), .stopScan),
    ])
    let silent = rig.add()
    let off = rig.addScanner { $0.switches = [RadioSwitch(at: Instant.zero + .milliseconds(15), isOn: false)] }
    let waits = rig.add(wants: [(.zero, .link(LinkID(1), .connect(to: RadioRig.address(9), LinkParameters())))])
    let machines = rig.run(for: .milliseconds(50)).machines
    expectEqual(lines(machines[own]), [])
    expectEqual(lines(machines[stops]), ["10 ms ADV_NONCONN_IND 51 38 -50", "20 ms ADV_NONCONN_IND 52 38 -50"])
    expectEqual(lines(machines[silent]), [])
    expectEqual(lines(machines[off]), ["10 ms ADV_NONCONN_IND 51 38 -50"])
    expectEqual(lines(machines[waits]), [])
  }
}
