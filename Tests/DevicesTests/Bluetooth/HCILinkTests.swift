import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

/// Connections of a host, and the data that they carry.
@Suite struct HCILinkTests {
  private typealias Rig = HCIControllerTests.Rig
  private let lamp = HCIControllerTests.lamp
  private let random = HCIControllerTests.random

  private func hex(_ bytes: [UInt8]) -> String { PeripheralReport.hex(bytes) }

  private let wish = "link 1 connect c0:ff:ee:00:00:01/random every 30ms latency 0 timeout 720ms"
  private let failed = "043e1301" + "02000000010100" + "00eeffc0180000004800" + "00"

  @Test("a connection is waited for, made, and ended by this side")
  func connect() {
    var rig = Rig.started()
    expectEqual(
      rig.command(.createConnection, HCIControllerTests.createConnection),
      ["040f0400010d20", "set-address c4:00:00:00:00:02/random", wish])
    expectEqual(rig.command(.createConnection, HCIControllerTests.createConnection), ["040f040c010d20"])
    expectEqual(
      rig.link(1, .connected(.central, own: random, peer: lamp, HCIControllerTests.parameters)),
      ["043e130100" + "01000001" + "010000eeffc0" + "180000004800" + "00"])
    expectEqual(rig.command(.disconnect, [1, 0, 0x13]), ["040f0400010604", "link 1 end"])
    expectEqual(rig.command(.disconnect, [1, 0, 0x13]), ["040f040c010604"])
    expectEqual(rig.command(.disconnect, [2, 0, 0x13]), ["040f0402010604"])
    expectEqual(rig.link(1, .ended(.closed)), ["04050400010016"])
    expectEqual(rig.command(.disconnect, [1, 0, 0x13]), ["040f0402010604"])
  }

  @Test("a central changes the parameters of its connection, one change at a time, and both hosts are told")
  func updates() {
    let update = HCIOpcode.updateConnection
    // 45 ms to 60 ms, latency 2, 6 s.
    func words(_ handle: UInt8, _ change: (inout [UInt8]) -> Void = { _ in }) -> [UInt8] {
      var bytes: [UInt8] = [handle, 0, 36, 0, 48, 0, 2, 0, 0x58, 0x02, 0, 0, 0, 0]
      change(&bytes)
      return bytes
    }
    let parameters = LinkParameters(interval: .milliseconds(60), latency: 2, timeout: .seconds(6))
    let wish = RadioEffect.link(LinkID(1), .update(parameters)).text
    var rig = Rig.started(connected: true)
    expectEqual(
      rig.command(update, words(1)), ["040f0400011320", wish])
    expectEqual(rig.command(update, words(1)), ["040f040c011320"])
    expectEqual(rig.link(1, .updated(parameters)), ["043e0a03000100300002005802"])
    expectEqual(rig.command(update, words(1)).count, 2)
    expectEqual(rig.command(update, words(9)), ["040f0402011320"])
    for change in [{ $0[2] = 5 }, { $0[2] = 49 }, { $0[6] = 100 }, { $0[8...9] = [9, 0] }] as [(inout [UInt8]) -> Void]
    {
      expectEqual(rig.command(update, words(1, change)), ["040f0412011320"])
    }
    // A peripheral asks its central over L2CAP, and is told when the central has changed them.
    var other = Rig.started()
    _ = other.link(.max, .connected(.peripheral, own: random, peer: lamp, HCIControllerTests.parameters))
    expectEqual(other.command(update, words(1)), ["040f040c011320"])
    expectEqual(other.link(.max, .updated(parameters)), ["043e0a03000100300002005802"])
  }

  @Test("a wait that is taken back ends with the status that says so, once")
  func cancel() {
    var rig = Rig.started()
    expectEqual(rig.command(.cancelConnection), [complete(.cancelConnection, [0x0C])])
    _ = rig.command(.createConnection, HCIControllerTests.createConnection)
    expectEqual(rig.command(.cancelConnection), [complete(.cancelConnection), "link 1 end", failed])
    expectEqual(rig.link(1, .ended(.closed)), [])
    // The radio had made the connection meanwhile: it is ended, and the host never hears of it.
    expectEqual(
      rig.link(1, .connected(.central, own: random, peer: lamp, HCIControllerTests.parameters)), ["link 1 end"])
    expectEqual(
      rig.command(.createConnection, HCIControllerTests.createConnection).last?.hasPrefix("link 2 connect"), true)
  }

  @Test(
    "every end has the reason of the standard",
    arguments: [
      (LinkEnd.closed, "16"), (.closedByPeer, "13"), (.timedOut, "08"), (.notEstablished, "3e"), (.refused, "09"),
      (.radioOff, "08"),
    ])
  func ends(end: LinkEnd, reason: String) {
    var rig = Rig.started(connected: true)
    expectEqual(rig.link(1, .ended(end)), ["040504000100" + reason])
  }

  @Test("with a list of addresses the first that advertises is connected to, and the others are let go")
  func list() {
    var rig = Rig.started()
    _ = rig.command(.addToAcceptList, [1] + lamp.littleEndian)
    _ = rig.command(.addToAcceptList, [0] + lamp.littleEndian)
    var words = HCIControllerTests.createConnection
    words[4] = 1
    let wanted = rig.command(.createConnection, words)
    expectEqual(wanted.dropFirst(2).map { $0.prefix(14) }, ["link 1 connect", "link 2 connect"])
    expectEqual(rig.command(.clearAcceptList), [complete(.clearAcceptList, [0x0C])])
    let peer = RadioAddress(bits: lamp.bits, isRandom: false)
    let told = rig.link(2, .connected(.central, own: random, peer: peer, HCIControllerTests.parameters))
    expectEqual(told, ["link 1 end", "043e130100" + "01000000" + "010000eeffc0" + "180000004800" + "00"])
    expectEqual(rig.link(1, .ended(.closed)), [])
    expectEqual(rig.command(.clearAcceptList), [complete(.clearAcceptList)])
  }

  @Test("parameters without a meaning are refused, and so is more than one PHY that is not there")
  func parameters() {
    var rig = Rig.started()
    var words = HCIControllerTests.createConnection
    words[15] = 5
    words[13] = 5
    expectEqual(rig.command(.createConnection, words), ["040f0412010d20"])
    let extended: [UInt8] =
      [0, 1, 1] + lamp.littleEndian + [1, 0x60, 0, 0x60, 0, 0x0C, 0, 0x18, 0, 0, 0, 0x48, 0, 0, 0, 0, 0]
    var coded = extended
    coded[9] = 4
    expectEqual(rig.command(.extendedCreateConnection, coded), ["040f0411014320"])
    coded[9] = 3
    expectEqual(rig.command(.extendedCreateConnection, coded), ["040f0412014320"])
    expectEqual(rig.command(.extendedCreateConnection, extended).last, wish)
  }

  // MARK: - Data

  /// A frame of L2CAP with so many bytes behind its header.
  private func frame(_ count: Int) -> [UInt8] {
    ChannelFrame.bytes(.attributes, (0..<count).map { UInt8(truncatingIfNeeded: $0) })
  }
  private let done = "0413050101000100"

  @Test("a frame in one packet is sent, and the packet is completed when the frame has arrived")
  func whole() {
    var rig = Rig.started(connected: true)
    expectEqual(rig.data(0x0001, frame(3)), ["link 1 send " + hex(frame(3))])
    expectEqual(rig.data(0x2001, frame(4)), ["link 1 send " + hex(frame(4))])
    expectEqual(rig.link(1, .acknowledged(frames: 2)), ["0413050101000200"])
    expectEqual(rig.link(1, .acknowledged(frames: 1)), [])
    expectEqual(rig.link(1, .frame(frame(2))), ["0201200600" + hex(frame(2))])
    let long = frame(517)
    expectEqual(
      rig.link(1, .frame(long)),
      [
        "020120fb00" + hex(Array(long[..<251])), "020110fb00" + hex(Array(long[251..<502])),
        "0201101300" + hex(Array(long[502...])),
      ])
  }

  @Test("a frame in parts is sent when its last part is there; each part before is completed at once")
  func fragments() {
    var rig = Rig.started(connected: true)
    let bytes = frame(20)
    expectEqual(rig.data(0x0001, Array(bytes[..<3])), [done])
    expectEqual(rig.data(0x1001, Array(bytes[3..<12])), [done])
    expectEqual(rig.data(0x1001, Array(bytes[12...])), ["link 1 send " + hex(bytes)])
    // The rest of nothing, a frame that is cut off by another, and more than the frame says.
    expectEqual(rig.data(0x1001, [1, 2]), [done])
    expectEqual(rig.data(0x0001, Array(bytes[..<8])), [done])
    expectEqual(rig.data(0x0001, bytes), ["link 1 send " + hex(bytes)])
    expectEqual(rig.data(0x0001, bytes + [0]), [done])
    expectEqual(rig.data(0x3001, bytes), [done])
    expectEqual(
      rig.controller.rejections.map(\.reason),
      [
        "the rest of a frame that did not begin", "a frame that did not end", "a frame of 25 bytes that says 24",
        "a packet of data with flags that mean nothing",
      ])
  }

  @Test("what there is no room for is dropped: a longer frame, a longer packet, a frame beyond thirty-two")
  func room() {
    var rig = Rig.started(connected: true)
    let longest = frame(517)
    _ = rig.data(0x0001, Array(longest[..<251]))
    _ = rig.data(0x1001, Array(longest[251..<502]))
    expectEqual(rig.data(0x1001, Array(longest[502...])), ["link 1 send " + hex(longest)])
    let longer = frame(518)
    _ = rig.data(0x0001, Array(longer[..<251]))
    _ = rig.data(0x1001, Array(longer[251..<502]))
    expectEqual(rig.data(0x1001, Array(longer[502...])), [done])
    expectEqual(rig.data(0x0001, frame(248)), [done])
    for _ in 0..<31 { expectEqual(rig.data(0x0001, frame(1)).count, 1) }
    expectEqual(rig.data(0x0001, frame(1)), [done])
    expectEqual(
      rig.controller.rejections.map(\.reason),
      [
        "a frame of 522 bytes that says 522", "252 bytes of data in one packet", "more packets than there is room for",
      ])
    expectEqual(rig.data(0x0002, frame(1)), [])
  }

  @Test("the strength is asked of the radio, and is unknown when the connection ends first")
  func strength() {
    var rig = Rig.started(connected: true)
    expectEqual(rig.command(.readStrength, [1, 0]), ["link 1 read-strength"])
    expectEqual(rig.link(1, .strength(-60)), [complete(.readStrength, [0, 1, 0, 0xC4])])
    expectEqual(rig.link(1, .strength(-60)), [])
    _ = rig.command(.readStrength, [1, 0])
    expectEqual(rig.link(1, .ended(.timedOut)), [complete(.readStrength, [2, 1, 0, 0x7F]), "04050400010008"])
    expectEqual(rig.command(.readStrength, [1, 0]), [complete(.readStrength, [2, 1, 0, 0x7F])])
  }

  @Test("a host that resets has no connection any more, and hears nothing of those that it had")
  func reset() {
    var rig = Rig.started(connected: true)
    _ = rig.command(.reset)
    expectEqual(rig.link(1, .frame(frame(1))), [])
    expectEqual(rig.link(1, .ended(.timedOut)), [])
    expectEqual(rig.data(0x0001, frame(1)), [])
    rig.powerOn()
    // Neither the number of a connection nor its handle is used again.
    expectEqual(
      rig.command(.createConnection, HCIControllerTests.createConnection).last?.hasPrefix("link 2 connect"), true)
    let told = rig.link(2, .connected(.central, own: random, peer: lamp, HCIControllerTests.parameters))
    expectEqual(told.first?.hasPrefix("043e130100" + "0200"), true)
  }
}
