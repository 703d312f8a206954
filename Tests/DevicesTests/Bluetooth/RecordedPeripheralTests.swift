import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallDevices

/// A peripheral that was recorded: which packet it wants heard, when and how.
@Suite struct RecordedPeripheralTests {
  private struct Rig {
    var peripheral: RecordedPeripheral
    private var outbox = Outbox(payloads: PayloadStore())

    init(_ packets: [RecordedPeripheral.Packet]) { peripheral = RecordedPeripheral(RecordedPeripheral.Plan(packets)) }

    mutating func act(_ act: Act, at seconds: Int64) {
      peripheral.receive(SignalValue.application(.act(act)), at: .zero + .seconds(seconds), into: &outbox)
    }

    /// Runs to the end of what it plans: `seconds effect`.
    mutating func run(until end: Int64) -> [String] {
      var lines: [String] = []
      while let deadline = peripheral.deadline, deadline <= .zero + .seconds(end) {
        peripheral.wake(at: deadline, into: &outbox)
        lines += outbox.effects.map {
          "\((deadline - Instant.zero).nanoseconds / 1_000_000_000) \($0.value?.text ?? "")"
        }
        outbox.removeAll()
      }
      return lines
    }
  }

  private let packets = [
    RecordedPeripheral.Packet(
      pdu: [1, 2],
      heard: [
        RecordedPeripheral.Hearing(at: .seconds(3), channel: 37, strength: -40),
        RecordedPeripheral.Hearing(at: .seconds(1), channel: 38, strength: -50),
      ]),
    RecordedPeripheral.Packet(
      pdu: [3], heard: [RecordedPeripheral.Hearing(at: .seconds(2)), RecordedPeripheral.Hearing(at: .seconds(3))]),
  ]

  @Test func `each packet is heard again at each of its times, counted from the appearance, in order`() {
    var rig = Rig(packets)
    expectEqual(rig.peripheral.deadline, nil)
    expectEqual(rig.run(until: 100), [])
    rig.act(.appear, at: 10)
    expectEqual(
      rig.run(until: 100),
      [
        "11 resend ch38 -50 2391391958 \\x01\\x02", "12 resend ch? ? 2391391958 \\x03",
        "13 resend ch37 -40 2391391958 \\x01\\x02",
        "13 resend ch? ? 2391391958 \\x03",
      ])
    expectEqual(rig.peripheral.deadline, nil)
  }

  @Test(arguments: [Act.leave, .vanish, .crash(downFor: .seconds(1), keepsState: true)])
  func `after its end nothing is heard, and after another appearance all of it again`(_ act: Act) {
    var rig = Rig(packets)
    rig.act(.appear, at: 0)
    expectEqual(rig.run(until: 1), ["1 resend ch38 -50 2391391958 \\x01\\x02"])
    rig.act(.reconfigure, at: 1)
    expectEqual(rig.peripheral.deadline, .zero + .seconds(2))
    rig.act(act, at: 1)
    expectEqual(rig.run(until: 100), [])
    rig.act(.appear, at: 20)
    expectEqual(rig.run(until: 22), ["21 resend ch38 -50 2391391958 \\x01\\x02", "22 resend ch? ? 2391391958 \\x03"])
  }

  @Test func `what was heard before its appearance is heard with it, in the order in which it was heard`() {
    func packet(_ byte: UInt8, at seconds: Int64...) -> RecordedPeripheral.Packet {
      RecordedPeripheral.Packet(pdu: [byte], heard: seconds.map { RecordedPeripheral.Hearing(at: .seconds($0)) })
    }
    var rig = Rig([packet(1, at: 0), packet(2, at: -1, 1), packet(3, at: 1, 0)])
    rig.act(.appear, at: 10)
    func line(_ second: Int, _ packet: Int) -> String { "\(second) resend ch? ? 2391391958 \\x0\(packet)" }
    expectEqual(rig.run(until: 100), [line(10, 2), line(10, 1), line(10, 3), line(11, 2), line(11, 3)])
  }
}
