import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

/// What a host has its controller send, and the connections that come of it.
@Suite struct HCIAdvertisingTests {
  private typealias Rig = HCIControllerTests.Rig
  private let own = HCIControllerTests.own
  private let random = HCIControllerTests.random
  private let phone = RadioAddress(bits: 0xC000_0000_0007, isRandom: true)

  private func hex(_ bytes: [UInt8]) -> String { PeripheralReport.hex(bytes) }
  private func words(_ effect: RadioEffect) -> String { effect.text }

  private func padded(_ data: [UInt8]) -> [UInt8] {
    [UInt8(data.count)] + data + [UInt8](repeating: 0, count: 31 - data.count)
  }

  /// 100 ms, everybody may connect, from its random address.
  private let parameters: [UInt8] = [0xA0, 0, 0xA0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0]

  @Test("an advertisement goes on the air as it was set, and again when its data changes")
  func legacy() {
    var rig = Rig.started()
    expectEqual(rig.command(.setAdvertisingData, padded([2, 1, 6])), [complete(.setAdvertisingData)])
    expectEqual(rig.command(.setScanResponseData, padded([])), [complete(.setScanResponseData)])
    expectEqual(rig.command(.setAdvertisingParameters, parameters), [complete(.setAdvertisingParameters)])
    let response = AdvertisingPDU.bytes(.scanResponse, from: random)
    let first = words(
      .advertise(
        set: 0, every: .milliseconds(100), pdu: AdvertisingPDU.bytes(.connectable, from: random, data: [2, 1, 6]),
        response: response))
    expectEqual(rig.command(.setAdvertisingEnable, [1]), [complete(.setAdvertisingEnable), first])
    let second = words(
      .advertise(
        set: 0, every: .milliseconds(100), pdu: AdvertisingPDU.bytes(.connectable, from: random, data: [2, 1, 4]),
        response: response))
    expectEqual(rig.command(.setAdvertisingData, padded([2, 1, 4])), [complete(.setAdvertisingData), second])
    expectEqual(rig.controller.presentDevices, ["ble:c4:00:00:00:00:02/random"])
    expectEqual(rig.command(.setAdvertisingParameters, parameters), [complete(.setAdvertisingParameters, [0x0C])])
    expectEqual(rig.command(.setAdvertisingEnable, [0]), [complete(.setAdvertisingEnable), "stop-advertising 0"])
    expectEqual(rig.command(.setAdvertisingEnable, [0]), [complete(.setAdvertisingEnable)])
    expectEqual(rig.controller.presentDevices, [])
    var tooLong = padded([])
    tooLong[0] = 32
    expectEqual(rig.command(.setAdvertisingData, tooLong), [complete(.setAdvertisingData, [0x12])])
  }

  @Test("bounds of advertising parameters: 20 ms to 10.24 s, the shorter first, and five kinds")
  func bounds() {
    for (shortest, longest, kind, status) in [
      (UInt16(0x20), UInt16(0x20), UInt8(0), UInt8(0)), (0x1F, 0x20, 0, 0x12), (0x4000, 0x4000, 3, 0),
      (0x4001, 0x4001, 3, 0x12), (0x30, 0x2F, 2, 0x12), (0, 0, 1, 0), (0x20, 0x20, 4, 0), (0x20, 0x20, 5, 0x12),
    ] {
      var rig = Rig.started()
      var words = parameters
      words.replaceSubrange(
        0..<5,
        with: [
          UInt8(shortest & 255), UInt8(shortest >> 8), UInt8(longest & 255), UInt8(longest >> 8), kind,
        ])
      expectEqual(
        rig.command(.setAdvertisingParameters, words), [complete(.setAdvertisingParameters, [status])],
        "\(shortest) \(longest) \(kind)")
    }
  }

  @Test("a host that has set no random address cannot advertise from one")
  func withoutAddress() {
    var rig = Rig()
    _ = rig.command(.setAdvertisingParameters, parameters)
    expectEqual(rig.command(.setAdvertisingEnable, [1]), [complete(.setAdvertisingEnable, [0x12])])
    var words = parameters
    words[5] = 0
    _ = rig.command(.setAdvertisingParameters, words)
    _ = rig.command(.setAdvertisingEnable, [1])
    expectEqual(rig.controller.presentDevices, ["ble:00:00:5e:00:53:01/public"])
  }

  // MARK: - Extended commands

  private func extended(_ handle: UInt8, _ properties: UInt8 = 0x13) -> [UInt8] {
    [handle, properties, 0, 0xA0, 0, 0, 0xA0, 0, 0, 7, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 1, 0, 1, 0, 0]
  }

  @Test("sets of a host have addresses of their own, and end one by one or by time")
  func sets() {
    var rig = Rig.started()
    let data = HCIOpcode.setExtendedAdvertisingData
    expectEqual(rig.command(data, [5, 3, 1, 0]), [complete(data, [0x42])])
    expectEqual(
      rig.command(.setExtendedAdvertisingParameters, extended(5)).first,
      complete(.setExtendedAdvertisingParameters, [0, 0]))
    _ = rig.command(.setExtendedAdvertisingParameters, extended(7, 0x10))
    _ = rig.command(.setAdvertisingSetAddress, [7] + phone.littleEndian)
    expectEqual(rig.command(data, [5, 3, 1, 3, 2, 1, 6]), [complete(data)])
    let enable = HCIOpcode.setExtendedAdvertisingEnable
    expectEqual(
      rig.command(enable, [1, 2, 5, 0, 0, 0, 7, 200, 0, 0], at: 3),
      [
        complete(enable),
        words(
          .advertise(
            set: 0, every: .milliseconds(100), pdu: AdvertisingPDU.bytes(.connectable, from: random, data: [2, 1, 6]),
            response: AdvertisingPDU.bytes(.scanResponse, from: random))),
        words(
          .advertise(
            set: 1, every: .milliseconds(100), pdu: AdvertisingPDU.bytes(.nonconnectable, from: phone), response: [])),
      ])
    expectEqual(rig.controller.presentDevices, ["ble:c4:00:00:00:00:02/random", "ble:c0:00:00:00:00:07/random"])
    expectEqual(rig.controller.deadline, .zero + .seconds(5))
    expectEqual(rig.wake(at: 4), [])
    expectEqual(rig.wake(at: 5), ["stop-advertising 1", "043e06123c07000000"])
    expectEqual(rig.command(.removeAdvertisingSet, [5]), [complete(.removeAdvertisingSet, [0x0C])])
    expectEqual(rig.command(.removeAdvertisingSet, [7]), [complete(.removeAdvertisingSet)])
    expectEqual(rig.command(enable, [0, 0]), [complete(enable), "stop-advertising 0"])
    expectEqual(rig.command(.clearAdvertisingSets), [complete(.clearAdvertisingSets)])
    expectEqual(rig.command(.removeAdvertisingSet, [5]), [complete(.removeAdvertisingSet, [0x42])])
  }

  @Test(
    "data that comes in parts is one when its last part is there, and has 31 bytes at most in packets of Bluetooth 4")
  func parts() {
    var rig = Rig.started()
    let data = HCIOpcode.setExtendedAdvertisingData
    _ = rig.command(.setExtendedAdvertisingParameters, extended(0))
    expectEqual(rig.command(data, [0, 0, 1, 1, 9]), [complete(data, [0x0C])])
    expectEqual(rig.command(data, [0, 1, 1, 2, 2, 1]), [complete(data)])
    expectEqual(rig.controller.advertising.sets[0].data, [])
    expectEqual(rig.command(data, [0, 2, 1, 1, 6]), [complete(data)])
    expectEqual(rig.controller.advertising.sets[0].data, [2, 1, 6])
    expectEqual(rig.command(data, [0, 3, 1, 31] + [UInt8](repeating: 1, count: 31)), [complete(data)])
    expectEqual(rig.command(data, [0, 3, 1, 32] + [UInt8](repeating: 2, count: 32)), [complete(data, [0x12])])
    expectEqual(rig.controller.advertising.sets[0].data, [UInt8](repeating: 1, count: 31))
    expectEqual(rig.command(data, [0, 3, 1, 2, 1]), [complete(data, [0x12])])
  }

  @Test("there is room for eight sets, and no more")
  func room() {
    var rig = Rig.started()
    for handle in 0..<UInt8(8) {
      expectEqual(
        rig.command(.setExtendedAdvertisingParameters, extended(handle)).first,
        complete(.setExtendedAdvertisingParameters, [0, 0]))
    }
    expectEqual(
      rig.command(.setExtendedAdvertisingParameters, extended(8)), [complete(.setExtendedAdvertisingParameters, [7])])
    expectEqual(
      rig.command(.setExtendedAdvertisingParameters, extended(3)).first,
      complete(.setExtendedAdvertisingParameters, [0, 0]))
    _ = rig.command(.removeAdvertisingSet, [2])
    _ = rig.command(.setExtendedAdvertisingParameters, extended(9))
    expectEqual(rig.controller.advertising.sets.map(\.slot).sorted(), [0, 1, 2, 3, 4, 5, 6, 7])
  }

  @Test("when a central connects the set has ended, and the host is told which")
  func connectedTo() {
    var rig = Rig.started()
    _ = rig.command(.setExtendedAdvertisingParameters, extended(5))
    _ = rig.command(.setExtendedAdvertisingEnable, [1, 1, 5, 0, 0, 0])
    let told = rig.link(.max, .connected(.peripheral, own: random, peer: phone, HCIControllerTests.parameters))
    expectEqual(told, ["043e1301000100" + "0101" + "0700000000c0" + "180000004800" + "00", "043e061200" + "05010000"])
    expectEqual(rig.controller.presentDevices, ["ble:c4:00:00:00:00:02/random"])
    expectEqual(rig.link(.max, .ended(.closedByPeer)), ["04050400010013"])
    expectEqual(rig.controller.presentDevices, [])
    // Without extended commands the connection alone is told.
    var other = Rig.started()
    _ = other.command(.setAdvertisingParameters, parameters)
    _ = other.command(.setAdvertisingEnable, [1])
    expectEqual(
      other.link(.max, .connected(.peripheral, own: random, peer: phone, HCIControllerTests.parameters)).count, 1)
    #expect(!other.controller.advertising.sets[0].isOn)
  }
}
