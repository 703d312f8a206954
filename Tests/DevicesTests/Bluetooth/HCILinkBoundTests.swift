import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

/// The bounds of connections at a controller: whole answers at the last value that is taken and at the first beyond it.
@Suite("HCI: bounds of connections") struct HCILinkBoundTests {
  private typealias Rig = HCIControllerTests.Rig
  private let lamp = HCIControllerTests.lamp
  private let done = "0413050101000100"

  @Test("a wait that is taken back names the first address of the list, and with an empty list none")
  func cancelledList() {
    let status = "043e1301" + "02000000"
    let tail = "180000004800" + "00"
    var words = HCIControllerTests.createConnection
    words[4] = 1
    let waiting = ["040f0400010d20", "set-address c4:00:00:00:00:02/random"]
    var rig = Rig.started()
    expectEqual(rig.command(.createConnection, words), waiting)
    expectEqual(
      rig.command(.cancelConnection), [complete(.cancelConnection), status + "00" + "000000000000" + tail])
    _ = rig.command(.addToAcceptList, [1] + lamp.littleEndian)
    _ = rig.command(.addToAcceptList, [0] + lamp.littleEndian)
    expectEqual(rig.command(.createConnection, words).count, 4)
    expectEqual(
      rig.command(.cancelConnection),
      [complete(.cancelConnection), "link 1 end", "link 2 end", status + "01" + "010000eeffc0" + tail])
  }

  @Test("a change of parameters to the shortest interval that there is goes to the radio")
  func shortestUpdate() {
    var rig = Rig.started(connected: true)
    let shortest = LinkParameters(interval: .microseconds(7_500), latency: 0, timeout: .seconds(6))
    expectEqual(
      rig.command(.updateConnection, [1, 0, 6, 0, 6, 0, 0, 0, 0x58, 0x02, 0, 0, 0, 0]),
      ["040f0400011320", RadioEffect.link(LinkID(1), .update(shortest)).text])
    expectEqual(
      rig.command(.updateConnection, [1, 0, 5, 0, 6, 0, 0, 0, 0x58, 0x02, 0, 0, 0, 0]), ["040f0412011320"])
  }

  @Test("a packet with a flag of broadcasts is refused, and parts of a frame are kept up to 521 bytes")
  func parts() {
    var rig = Rig.started(connected: true)
    for word: UInt16 in [0x4001, 0x8001] { expectEqual(rig.data(word, [1, 0, 4, 0, 9]), [done]) }
    // 522 bytes, of which all but one are kept; then 523, of which 522 are too many already.
    for (payload, third) in [(518, 521), (519, 522)] {
      let frame = ChannelFrame.bytes(.attributes, [UInt8](repeating: 7, count: payload))
      expectEqual(rig.data(0x0001, Array(frame[..<251])), [done])
      expectEqual(rig.data(0x1001, Array(frame[251..<502])), [done])
      expectEqual(rig.data(0x1001, Array(frame[502..<third])), [done])
      expectEqual(rig.data(0x1001, Array(frame[third...])), [done])
    }
    expectEqual(
      rig.controller.rejections.map { "\($0.count) \($0.reason)" },
      [
        "2 5 bytes of data in one packet", "1 a frame of 522 bytes that says 522",
        "1 a frame of more than 521 bytes", "1 the rest of a frame that did not begin",
      ])
  }
}
