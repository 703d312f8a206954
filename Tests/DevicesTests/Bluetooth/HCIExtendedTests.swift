import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

/// Sets of a host without the bit of legacy packets, and what a host is told of extended advertisements.
@Suite("HCI: extended advertising")
struct HCIExtendedTests {
  private typealias Rig = HCIControllerTests.Rig
  private let random = HCIControllerTests.random
  private let lamp = HCIControllerTests.lamp
  private let set = HCIOpcode.setExtendedAdvertisingParameters
  private let data = HCIOpcode.setExtendedAdvertisingData
  private let response = HCIOpcode.setExtendedScanResponseData
  private let enable = HCIOpcode.setExtendedAdvertisingEnable

  /// 100 ms on 1M, from the random address, as the set with the number 5.
  private func parameters(_ properties: UInt8, _ change: (inout [UInt8]) -> Void = { _ in }) -> [UInt8] {
    var bytes: [UInt8] =
      [0, properties, 0, 0xA0, 0, 0, 0xA0, 0, 0, 7, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 1, 0, 1, 5, 0]
    change(&bytes)
    return bytes
  }

  private func advertised(_ mode: UInt8, _ said: [UInt8]) -> String {
    let info = AdvertisingPDU.dataInfo(set: 5, of: said)
    let pdu = AdvertisingPDU.extendedBytes(from: random, mode: mode, dataInfo: info, data: mode == 2 ? [] : said)
    let answer =
      mode == 2 ? AdvertisingPDU.extendedBytes(from: random, mode: 0, dataInfo: nil, data: said) : []
    return RadioEffect.advertise(set: 0, every: .milliseconds(100), pdu: pdu, response: answer).text
  }

  @Test("a set without the bit of legacy packets has as much data as the controller says, in parts, and no byte more")
  func longData() {
    var rig = Rig.started()
    let most = HCIOpcode.readMaximumAdvertisingDataLength
    expectEqual(rig.command(most), [complete(most, [0, 229, 0])])
    for mode in [UInt8(0), 1] {
      _ = rig.command(set, parameters(mode))
      let long = (0..<229).map { UInt8($0) }
      expectEqual(rig.command(data, [0, 1, 1, 200] + long.prefix(200)), [complete(data)])
      expectEqual(rig.command(data, [0, 2, 1, 29] + long.suffix(29)), [complete(data)])
      expectEqual(rig.command(enable, [1, 1, 0, 0, 0, 0]), [complete(enable), advertised(mode, long)])
      // What is on the air changes at once, and with it the number of the data.
      expectEqual(rig.command(data, [0, 3, 1, 1, 9]), [complete(data), advertised(mode, [9])])
      expectEqual(rig.command(data, [0, 3, 1, 230] + [UInt8](repeating: 1, count: 230)), [complete(data, [0x12])])
      expectEqual(rig.command(response, [0, 3, 1, 1, 1]), [complete(response, [0x12])])
      _ = rig.command(enable, [0, 0])
      _ = rig.command(.clearAdvertisingSets)
    }
    #expect(AdvertisingPDU.dataInfo(set: 5, of: [9]) != AdvertisingPDU.dataInfo(set: 5, of: [8]))
  }

  @Test("a scannable set has its data in the response alone, and cannot begin without one")
  func scannable() {
    var rig = Rig.started()
    _ = rig.command(set, parameters(2))
    expectEqual(rig.command(data, [0, 3, 1, 1, 1]), [complete(data, [0x12])])
    expectEqual(rig.command(enable, [1, 1, 0, 0, 0, 0]), [complete(enable, [0x0C])])
    let long = [UInt8](repeating: 7, count: 100)
    expectEqual(rig.command(response, [0, 3, 1, 100] + long), [complete(response)])
    expectEqual(rig.command(enable, [1, 1, 0, 0, 0, 0]), [complete(enable), advertised(2, long)])
    // Data that a set has must fit into what it becomes.
    _ = rig.command(enable, [0, 0])
    expectEqual(rig.command(set, parameters(1)), [complete(set, [0x12])])
    expectEqual(rig.command(set, parameters(0x13)), [complete(set, [0x12])])
  }

  @Test("what this air cannot do is refused: with 0x11 where the standard has it, with 0x12 where it has not")
  func refused() {
    let cases: [(UInt8, [UInt8])] = [
      (0x11, parameters(4)), (0x11, parameters(5)), (0x11, parameters(0x20)), (0x11, parameters(0x40)),
      (0x12, parameters(3)), (0x12, parameters(0x0D)),
      // Coded, on the advertising channels or on data channels; 2M there; other channels; a list; requests.
      (0x11, parameters(0) { $0[20] = 3 }), (0x11, parameters(0) { $0[22] = 3 }), (0x11, parameters(0) { $0[22] = 2 }),
      (0x11, parameters(0) { $0[9] = 3 }), (0x11, parameters(0) { $0[18] = 1 }), (0x11, parameters(0) { $0[24] = 1 }),
      (0x12, parameters(0) { $0[23] = 16 }), (0x12, parameters(0) { $0[24] = 2 }),
      (0, parameters(0)), (0, parameters(1)), (0, parameters(2)),
    ]
    for (status, words) in cases {
      var rig = Rig.started()
      let results = status == 0 ? [0, 0] : [status]
      expectEqual(rig.command(set, words), [complete(set, results)], "\(words)")
    }
  }

  @Test("properties of a set are one of the legacy kinds, a mode of extended packets, or refused with their status")
  func forms() {
    func text(_ properties: UInt16) -> String {
      switch HCIAdvertisingForm.reading(properties) {
      case .success(let form): "\(form.kind) \(form.mode)"
      case .failure(let refusal): "refused \(refusal.status.rawValue)"
      }
    }
    let rows: [(properties: UInt16, text: String)] = [
      (0x00, "extended 0"), (0x01, "extended 1"), (0x02, "extended 2"), (0x03, "refused 18"), (0x04, "refused 17"),
      (0x07, "refused 18"), (0x08, "refused 18"), (0x0A, "refused 18"), (0x10, "nonconnectable 0"),
      (0x11, "refused 17"), (0x12, "scannable 0"), (0x13, "connectable 0"), (0x14, "refused 17"),
      (0x15, "directed 0"), (0x1D, "directed 0"), (0x20, "refused 17"), (0x33, "refused 17"), (0x40, "refused 17"),
      (0x93, "connectable 0"), (0x100, "refused 17"),
    ]
    for row in rows { expectEqual(text(row.properties), row.text, "\(row)") }
  }

  @Test("a central that connects ends the set, and the host is told which")
  func connected() {
    var rig = Rig.started()
    _ = rig.command(set, parameters(1))
    _ = rig.command(enable, [1, 1, 0, 0, 0, 0])
    let told = rig.link(.max, .connected(.peripheral, own: random, peer: lamp, HCIControllerTests.parameters))
    expectEqual(told.last, "043e06120000010000")
    expectEqual(rig.controller.advertising.sets[0].isOn, false)
  }

  // MARK: - Scanning

  private func heard(_ pdu: [UInt8], channel: UInt8? = 9) -> RadioSignal {
    .heard(RadioPDU(channel: channel, strength: -60, accessAddress: AirFrame.advertisingAddress, bytes: pdu))
  }

  private func report(_ properties: String, _ number: String, _ data: [UInt8]) -> String {
    let count = PeripheralReport.hex([UInt8(26 + data.count), 0x0D, 1])
    return "043e" + count + properties + "01010000eeffc0" + "0101" + number + "7fc4" + "000000000000000000"
      + PeripheralReport.hex([UInt8(data.count)] + data)
  }

  private func scanning(filters: UInt8 = 0) -> Rig {
    var rig = Rig.started()
    _ = rig.command(.setExtendedScanParameters, [1, 0, 1, 1, 0x10, 0, 0x10, 0])
    _ = rig.command(.setExtendedScanEnable, [1, filters, 0, 0, 0, 0])
    return rig
  }

  @Test("an extended advertisement is reported with its kind and its set, and what only leads to it is not")
  func reports() {
    var rig = scanning()
    let pointer = AdvertisingPDU.pointerBytes(
      mode: 1, dataInfo: 0x3001, AdvertisingPDU.Pointer(channel: 9, offset: .microseconds(450)))
    expectEqual(rig.hear(heard(pointer, channel: 37)), [])
    func pdu(_ mode: UInt8, _ info: UInt16?, _ data: [UInt8]) -> [UInt8] {
      AdvertisingPDU.extendedBytes(from: lamp, mode: mode, dataInfo: info, data: data)
    }
    expectEqual(rig.hear(heard(pdu(0, 0x3001, [1]))), [report("0000", "03", [1])])
    expectEqual(rig.hear(heard(pdu(1, 0x4001, [2]))), [report("0100", "04", [2])])
    expectEqual(rig.hear(heard(pdu(2, 0x5001, []))), [report("0200", "05", [])])
    expectEqual(rig.hear(heard(pdu(0, nil, [3]))), [report("0a00", "05", [3])])
    // More than one report holds: the first says that more is to come.
    let long = (0..<240).map { UInt8($0) }
    expectEqual(
      rig.hear(heard(pdu(0, 0x3002, long))),
      [
        report("2000", "03", Array(long.prefix(229))), report("0000", "03", Array(long.suffix(11))),
      ])
  }

  @Test(
    "with the filter of duplicates other data of a set is no duplicate, and a host without extended commands is told nothing"
  )
  func filtered() {
    var rig = scanning(filters: 1)
    func pdu(_ info: UInt16) -> [UInt8] {
      AdvertisingPDU.extendedBytes(from: lamp, mode: 0, dataInfo: info, data: [])
    }
    expectEqual([0x1001, 0x1001, 0x1002, 0x2001].map { rig.hear(heard(pdu($0))).count }, [1, 0, 1, 1])
    var legacy = Rig.started()
    _ = legacy.command(.setScanEnable, [1, 0])
    expectEqual(legacy.hear(heard(pdu(0x1001))), [])
  }
}
