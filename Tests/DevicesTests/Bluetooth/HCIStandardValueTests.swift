import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

/// The controller of a virtual radio: values of the standard before a host sets others, whole data, and targets.
@Suite("HCI: values of the standard, data and targets")
struct HCIStandardValueTests {
  private typealias Rig = HCIControllerTests.Rig
  private let own = HCIControllerTests.own
  private let lamp = HCIControllerTests.lamp
  private let random = HCIControllerTests.random
  private let phone = RadioAddress(bits: 0xC000_0000_0007, isRandom: true)
  private let enable = HCIOpcode.setExtendedAdvertisingEnable

  /// 100 ms on 1M, from an address that is random.
  private func set(_ handle: UInt8, _ properties: UInt8) -> [UInt8] {
    [handle, properties, 0, 0xA0, 0, 0, 0xA0, 0, 0, 7, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 1, 0, 1, 0, 0]
  }

  // MARK: - Packets

  @Test("the longest packet of a host is a command with 255 bytes of parameters, and one byte more ends the stream")
  func longestPacket() throws {
    var stream = HCIStream(packetBytesMaximum: HCIController.packetBytesMaximum)
    let command: [UInt8] = [1, 0x37, 0x20, 255] + [UInt8](repeating: 1, count: 255)
    let data: [UInt8] = [2, 1, 0, 254, 0] + [UInt8](repeating: 2, count: 254)
    stream.append(command + data)
    expectEqual(try stream.next(), command)
    expectEqual(try stream.next(), data)
    stream.append([2, 1, 0, 255, 0])
    #expect(throws: RadioFault(.badLength, at: 2 * 259 + 1)) { try stream.next() }
  }

  @Test("rejections are counted by their reason, and of 64 reasons at most")
  func rejections() {
    var rig = Rig.started()
    for count in Array(1...65) + [64, 65] {
      let answer = rig.command(.reset, [UInt8](repeating: 0, count: count))
      expectEqual(answer, [complete(.reset, [0x12])])
    }
    expectEqual(rig.controller.rejections.map(\.count), [Int](repeating: 1, count: 63) + [2])
    expectEqual(rig.controller.rejections.last?.reason, "64 bytes of parameters behind opcode 0xc03")
  }

  // MARK: - Advertising

  @Test("without parameters a host advertises to everybody, every 1.28 s, from the public address")
  func advertisingUntold() {
    var rig = Rig.started()
    let effect = RadioEffect.advertise(
      set: 0, every: .milliseconds(1_280), pdu: AdvertisingPDU.bytes(.connectable, from: own),
      response: AdvertisingPDU.bytes(.scanResponse, from: own))
    expectEqual(rig.command(.setAdvertisingEnable, [1]), [complete(.setAdvertisingEnable), effect.text])
    expectEqual(rig.controller.advertising.sets.map(\.handle), [0])
  }

  @Test("an advertisement and its response have 31 bytes of data each, and a new response is on the air at once")
  func wholeData() {
    var rig = Rig.started()
    let (data, response) = ([UInt8](1...31), [UInt8](101...131))
    func effect(_ response: [UInt8]) -> String {
      RadioEffect.advertise(
        set: 0, every: .milliseconds(1_280), pdu: AdvertisingPDU.bytes(.connectable, from: own, data: data),
        response: AdvertisingPDU.bytes(.scanResponse, from: own, data: response)
      ).text
    }
    expectEqual(rig.command(.setAdvertisingData, [31] + data), [complete(.setAdvertisingData)])
    expectEqual(rig.command(.setScanResponseData, [31] + response), [complete(.setScanResponseData)])
    expectEqual(rig.command(.setAdvertisingEnable, [1]), [complete(.setAdvertisingEnable), effect(response)])
    expectEqual(
      rig.command(.setScanResponseData, [2] + response), [complete(.setScanResponseData), effect([101, 102])])
  }

  @Test("a directed advertisement is for an address of the kind that the host says, public or random")
  func targets() {
    for (kind, isRandom) in [(0, false), (1, true)] as [(UInt8, Bool)] {
      var rig = Rig.started()
      let words: [UInt8] = [0x20, 0, 0x20, 0, 4, 1, kind] + phone.littleEndian + [7, 0]
      expectEqual(rig.command(.setAdvertisingParameters, words), [complete(.setAdvertisingParameters)])
      let target = RadioAddress(bits: phone.bits, isRandom: isRandom)
      let effect = RadioEffect.advertise(
        set: 0, every: .milliseconds(20), pdu: AdvertisingPDU.bytes(.directed, from: random, to: target), response: [])
      expectEqual(rig.command(.setAdvertisingEnable, [1]), [complete(.setAdvertisingEnable), effect.text])
    }
  }

  @Test("a set that is removed makes room for another, which takes over its number on the radio")
  func removed() {
    let opcode = HCIOpcode.setExtendedAdvertisingParameters
    var rig = Rig.started()
    for handle in 10..<UInt8(18) { expectEqual(rig.command(opcode, set(handle, 0x13)), [complete(opcode, [0, 0])]) }
    expectEqual(rig.command(opcode, set(18, 0x13)), [complete(opcode, [7])])
    expectEqual(rig.command(.removeAdvertisingSet, [12]), [complete(.removeAdvertisingSet)])
    expectEqual(rig.command(opcode, set(19, 0x13)), [complete(opcode, [0, 0])])
    expectEqual(rig.command(opcode, set(20, 0x13)), [complete(opcode, [7])])
    expectEqual(rig.controller.advertising.sets.map(\.handle), [10, 11, 13, 14, 15, 16, 17, 19])
    expectEqual(rig.controller.advertising.sets.map(\.slot), [0, 1, 3, 4, 5, 6, 7, 2])
  }

  @Test("a host that leaves the data as it is changes nothing, and parts wait under what they are parts of")
  func unchangedData() {
    let data = HCIOpcode.setExtendedAdvertisingData
    let response = HCIOpcode.setExtendedScanResponseData
    var rig = Rig.started()
    _ = rig.command(.setExtendedAdvertisingParameters, set(0, 0x13))
    for (opcode, byte) in [(data, 6), (response, 9)] as [(HCIOpcode, UInt8)] {
      expectEqual(rig.command(opcode, [0, 3, 1, 1, byte]), [complete(opcode)])
      expectEqual(rig.command(opcode, [0, 4, 1, 0]), [complete(opcode)])
      expectEqual(rig.command(opcode, [0, 1, 1, 1, byte + 1]), [complete(opcode)])
    }
    let kept = rig.controller.advertising.sets[0]
    expectEqual([kept.data, kept.response], [[6], [9]])
    expectEqual([kept.partialData, kept.partialResponse], [[7], [10]])
  }

  @Test("a connection ends the set that is on the air from that address, not one from another or one that is off")
  func connected() {
    var rig = Rig.started()
    for handle in 3...UInt8(5) { _ = rig.command(.setExtendedAdvertisingParameters, set(handle, 0x13)) }
    _ = rig.command(.setAdvertisingSetAddress, [3] + phone.littleEndian)
    _ = rig.command(enable, [1, 3, 3, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0])
    _ = rig.command(enable, [0, 1, 4, 0, 0, 0])
    expectEqual(rig.controller.advertising.sets.map(\.isOn), [true, false, true])
    let told = rig.link(.max, .connected(.peripheral, own: random, peer: lamp, HCIControllerTests.parameters))
    expectEqual(told.last, "043e06120005010000")
    expectEqual(rig.controller.advertising.sets.map(\.isOn), [true, false, false])
  }

  // MARK: - Scanning

  @Test("without parameters a host scans all the time, asks nobody and has the public address")
  func scanUntold() {
    var rig = Rig.started()
    let scan = RadioEffect.scan(window: .milliseconds(10), interval: .milliseconds(10), isActive: false)
    expectEqual(
      rig.command(.setScanEnable, [1, 0]),
      [complete(.setScanEnable), RadioEffect.setAddress(own).text, scan.text])
  }

  @Test("the list of addresses changes under a scan without it, and before a scan with it begins")
  func acceptList() {
    let add = HCIOpcode.addToAcceptList
    var rig = Rig.started()
    _ = rig.command(.setScanEnable, [1, 0])
    expectEqual(rig.command(add, [1] + lamp.littleEndian), [complete(add)])
    _ = rig.command(.setScanEnable, [0, 0])
    expectEqual(rig.command(.setScanParameters, [0, 4, 0, 4, 0, 0, 1]), [complete(.setScanParameters)])
    expectEqual(rig.command(add, [1] + phone.littleEndian), [complete(add)])
    _ = rig.command(.setScanEnable, [1, 0])
    expectEqual(rig.command(add, [1] + random.littleEndian), [complete(add, [0x0C])])
    expectEqual(rig.controller.acceptList, [lamp, phone])
  }

  @Test("the report of a directed advertisement names its target, and one for another device is not told")
  func directed() {
    var rig = Rig.started()
    _ = rig.command(.setExtendedScanParameters, [1, 0, 1, 0, 0x10, 0, 0x10, 0])
    _ = rig.command(.setExtendedScanEnable, [1, 0, 0, 0, 0, 0])
    let (sender, target) = ("01010000eeffc0", "010200000000c4")
    expectEqual(
      rig.hear(AdvertisingPDU.bytes(.directed, from: lamp, to: random)),
      ["043e1a0d01" + "1500" + sender + "0100ff7fc40000" + target + "00"])
    /// Connectable, of the set 6 and from a random address to another, with one byte of data on a data channel.
    func extended(to address: RadioAddress) -> RadioSignal {
      let fields: [UInt8] = [0x0B] + lamp.littleEndian + address.littleEndian + [0x01, 0x60]
      return .heard(
        RadioPDU(
          channel: 9, strength: -60, accessAddress: AirFrame.advertisingAddress,
          bytes: [0xC7, 17, 0x4F] + fields + [5]))
    }
    expectEqual(
      rig.hear(extended(to: random)),
      ["043e1b0d01" + "0500" + sender + "0101067fc40000" + target + "0105"])
    expectEqual(rig.hear(extended(to: phone)), [])
  }
}
