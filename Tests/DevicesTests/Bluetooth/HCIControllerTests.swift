import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

/// The controller of a virtual radio, command by command: what a host is told, and what the radio is asked for.
@Suite struct HCIControllerTests {
  static let own = RadioAddress(bits: 0x0000_5E00_5301, isRandom: false)
  static let lamp = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
  static let random = RadioAddress(bits: 0xC400_0000_0002, isRandom: true)

  /// A host at its controller.
  struct Rig {
    var controller = HCIController(publicAddress: own)

    /// What came of a command: packets as hexadecimal digits, wishes as the trace spells them.
    mutating func command(_ opcode: HCIOpcode, _ parameters: [UInt8] = [], at seconds: Int64 = 0) -> [String] {
      let packet = [1] + [UInt8](littleEndian: UInt64(opcode.rawValue), count: 2) + [UInt8(parameters.count)]
      controller.receive(packet + parameters, at: .zero + .seconds(seconds))
      return taken()
    }

    mutating func data(_ word: UInt16, _ bytes: [UInt8]) -> [String] {
      let packet = [2] + [UInt8](littleEndian: UInt64(word), count: 2)
      controller.receive(packet + [UInt8](littleEndian: UInt64(bytes.count), count: 2) + bytes, at: .zero)
      return taken()
    }

    mutating func hear(_ signal: RadioSignal) -> [String] {
      controller.hear(signal, at: .zero)
      return taken()
    }

    mutating func hear(_ pdu: [UInt8], strength: Int8? = -60) -> [String] {
      hear(.heard(RadioPDU(channel: 37, strength: strength, accessAddress: AirFrame.advertisingAddress, bytes: pdu)))
    }

    mutating func link(_ number: UInt32, _ signal: LinkSignal) -> [String] { hear(.link(LinkID(number), signal)) }

    mutating func wake(at seconds: Int64) -> [String] {
      controller.wake(at: .zero + .seconds(seconds))
      return taken()
    }

    /// As far as a host goes before it does anything.
    mutating func powerOn() {
      _ = command(.reset)
      _ = command(.setEventMask, [0xFF, 0x9F, 0xFF, 0xBF, 7, 0xF8, 0xBF, 0x3D])
      _ = command(.setLEEventMask, [0xFF, 0xFF, 0xF7, 0xFF, 0x0F, 0xED, 0x7B, 0])
      _ = command(.setRandomAddress, random.littleEndian)
    }

    static func started(connected: Bool = false) -> Rig {
      var rig = Rig()
      rig.powerOn()
      if connected { rig.connect() }
      return rig
    }

    /// A connection that it asked for, with the handle 1.
    mutating func connect() {
      _ = command(.createConnection, HCIControllerTests.createConnection)
      _ = link(1, .connected(.central, own: random, peer: lamp, HCIControllerTests.parameters))
    }

    private mutating func taken() -> [String] {
      controller.take().map { output in
        switch output {
        case .packet(let packet): PeripheralReport.hex(packet)
        case .radio(.link(let link, .send(let frame))):
          "link \(link.number) send " + PeripheralReport.hex(frame)
        case .radio(let effect): effect.text
        }
      }
    }
  }

  static let parameters = LinkParameters(interval: .milliseconds(30), latency: 0, timeout: .milliseconds(720))
  static let createConnection: [UInt8] =
    [0x60, 0, 0x60, 0, 0, 1] + lamp.littleEndian + [1, 0x0C, 0, 0x18, 0, 0, 0, 0x48, 0, 0, 0, 0, 0]

  // MARK: - What it is

  @Test("each command that it says it supports is known to it, and no other")
  func supported() {
    var rig = Rig.started()
    for row in HCICommandTable.rows {
      let first = Rig().controller
      var fresh = Rig()
      fresh.controller = first
      let parameters = [UInt8](repeating: 0, count: row.parameterBytes.lowerBound)
      let answer = fresh.command(row.opcode, parameters).first ?? ""
      #expect(answer != complete(row.opcode, [1]), "\(String(row.opcode.rawValue, radix: 16))")
      expectEqual(HCICommandTable.mask[row.octet] >> row.bit & 1, 1)
    }
    expectEqual(HCICommandTable.mask.map { $0.nonzeroBitCount }.reduce(0, +), HCICommandTable.rows.count)
    // LE Encrypt.
    expectEqual(rig.command(HCIOpcode(rawValue: 0x2017), []), [complete(HCIOpcode(rawValue: 0x2017), [1])])
    expectEqual(rig.command(.readSupportedCommands), [complete(.readSupportedCommands, [0] + HCICommandTable.mask)])
    expectEqual(HCICommandTable.mask.count, 64)
    expectEqual(rig.command(.readAddress), [complete(.readAddress, [0] + HCIControllerTests.own.littleEndian)])
    expectEqual(rig.command(.readLEBufferSize), [complete(.readLEBufferSize, [0, 251, 0, 32])])
    expectEqual(rig.command(.readLEFeatures), [complete(.readLEFeatures, [0, 0x20, 0x10, 0, 0, 0, 0, 0, 0])])
  }

  @Test("parameters that are too few or too many are refused, one byte off on either side")
  func lengths() {
    for row in HCICommandTable.rows {
      for count in [row.parameterBytes.lowerBound - 1, row.parameterBytes.upperBound + 1]
      where (0...255).contains(count) {
        var rig = Rig()
        let answer = rig.command(row.opcode, [UInt8](repeating: 1, count: count))
        let status = PeripheralReport.hex(HCIEvent.commandStatus(row.opcode, .invalidParameters))
        #expect(
          answer == [complete(row.opcode, [0x12])] || answer == [status],
          "\(String(row.opcode.rawValue, radix: 16)) with \(count) bytes")
        expectEqual(rig.controller.rejections.map(\.count), [1])
      }
    }
  }

  @Test(
    "a reset silences the radio and forgets all that was set, and who mixes old and new commands is refused until then")
  func reset() {
    var rig = Rig.started()
    expectEqual(rig.command(.setScanParameters, [1, 0x60, 0, 0x60, 0, 1, 0]), [complete(.setScanParameters)])
    expectEqual(rig.command(.setExtendedScanEnable, [1, 0, 0, 0, 0, 0]), [complete(.setExtendedScanEnable, [0x0C])])
    expectEqual(rig.command(.reset), ["reset-radio", complete(.reset)])
    expectEqual(rig.command(.setExtendedScanEnable, [0, 0, 0, 0, 0, 0]), [complete(.setExtendedScanEnable)])
    expectEqual(rig.command(.setScanEnable, [1, 0]), [complete(.setScanEnable, [0x0C])])
    // The random address is gone too.
    expectEqual(rig.command(.createConnection, HCIControllerTests.createConnection), ["040f0412010d20"])
  }

  // MARK: - Scanning

  @Test("a host that scans is told of each packet, or of each address once")
  func scan() {
    var rig = Rig.started()
    _ = rig.command(.setScanParameters, [1, 0x60, 0, 0x30, 0, 1, 0])
    expectEqual(
      rig.command(.setScanEnable, [1, 0]),
      [
        complete(.setScanEnable), "set-address c4:00:00:00:00:02/random", "scan 30ms of 60ms active",
      ])
    let pdu = AdvertisingPDU.bytes(.connectable, from: HCIControllerTests.lamp, data: [2, 1, 6])
    let response = AdvertisingPDU.bytes(.scanResponse, from: HCIControllerTests.lamp, data: [])
    let heard = "043e0f0201000101" + "0000eeffc0" + "03020106c4"
    expectEqual(rig.hear(pdu), [heard])
    expectEqual(rig.hear(pdu), [heard])
    expectEqual(rig.hear(response, strength: nil), ["043e0c02010401" + "010000eeffc0" + "007f"])
    // Neither a question nor a request, nor what is no packet.
    expectEqual(
      rig.hear(AdvertisingPDU.bytes(.scanRequest, from: HCIControllerTests.random, to: HCIControllerTests.lamp)), [])
    expectEqual(rig.hear([0, 3, 1]), [])
    expectEqual(rig.command(.setScanParameters, [1, 0x60, 0, 0x30, 0, 1, 0]), [complete(.setScanParameters, [0x0C])])
    expectEqual(rig.command(.setScanEnable, [0, 0]), [complete(.setScanEnable), "stop-scan"])
    expectEqual(rig.hear(pdu), [])
    _ = rig.command(.setScanEnable, [1, 1])
    expectEqual([rig.hear(pdu), rig.hear(pdu), rig.hear(response), rig.hear(response)].map(\.count), [1, 0, 1, 0])
    // From the start of another scan everything is new again.
    _ = rig.command(.setScanEnable, [0, 0])
    _ = rig.command(.setScanEnable, [1, 1])
    expectEqual(rig.hear(pdu).count, 1)
  }

  @Test("a directed advertisement is told to the host that it is for alone, and a list of addresses lets others out")
  func forOthers() {
    var rig = Rig.started()
    expectEqual(rig.command(.addToAcceptList, [1] + HCIControllerTests.lamp.littleEndian), [complete(.addToAcceptList)])
    _ = rig.command(.setScanParameters, [0, 0x60, 0, 0x60, 0, 1, 1])
    _ = rig.command(.setScanEnable, [1, 0])
    func directed(to address: RadioAddress) -> [UInt8] {
      AdvertisingPDU.bytes(.directed, from: HCIControllerTests.lamp, to: address)
    }
    expectEqual(rig.hear(directed(to: HCIControllerTests.random)).count, 1)
    expectEqual(rig.hear(directed(to: HCIControllerTests.own)), [])
    let tag = RadioAddress(bits: 0xC0FF_EE00_0002, isRandom: true)
    expectEqual(rig.hear(AdvertisingPDU.bytes(.connectable, from: HCIControllerTests.lamp)).count, 1)
    expectEqual(rig.hear(AdvertisingPDU.bytes(.connectable, from: tag)), [])
    // The same bits as a public address are another device.
    let other = RadioAddress(bits: HCIControllerTests.lamp.bits, isRandom: false)
    expectEqual(rig.hear(AdvertisingPDU.bytes(.connectable, from: other)), [])
    expectEqual(rig.command(.clearAcceptList), [complete(.clearAcceptList, [0x0C])])
  }

  @Test("bounds of a scan: the shortest interval, a window that is longer, and a mask that hides reports")
  func scanBounds() {
    var rig = Rig.started()
    expectEqual(rig.command(.setScanParameters, [0, 4, 0, 4, 0, 0, 0]), [complete(.setScanParameters)])
    expectEqual(rig.command(.setScanParameters, [0, 3, 0, 3, 0, 0, 0]), [complete(.setScanParameters, [0x12])])
    expectEqual(rig.command(.setScanParameters, [0, 8, 0, 9, 0, 0, 0]), [complete(.setScanParameters, [0x12])])
    expectEqual(rig.command(.setScanParameters, [0, 0, 0x40, 0, 0x40, 0, 0]), [complete(.setScanParameters)])
    expectEqual(rig.command(.setScanParameters, [0, 1, 0x40, 0, 0x40, 0, 0]), [complete(.setScanParameters, [0x12])])
    _ = rig.command(.setScanEnable, [1, 0])
    _ = rig.command(.setLEEventMask, [0xFD, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])
    expectEqual(rig.hear(AdvertisingPDU.bytes(.connectable, from: HCIControllerTests.lamp)), [])
  }

  @Test("a scan with extended commands ends by time, and the host is told")
  func scanEnds() {
    var rig = Rig.started()
    _ = rig.command(.setExtendedScanParameters, [1, 0, 1, 0, 0x60, 0, 0x60, 0])
    expectEqual(rig.command(.setExtendedScanEnable, [1, 0, 100, 0, 0, 0], at: 5).count, 3)
    expectEqual(rig.controller.deadline, .zero + .seconds(6))
    expectEqual(
      rig.hear(AdvertisingPDU.bytes(.connectable, from: HCIControllerTests.lamp)).first?.hasPrefix("043e1a0d011300"),
      true)
    expectEqual(rig.wake(at: 6), ["stop-scan", "043e0111"])
    expectEqual(rig.controller.deadline, .never)
    expectEqual(rig.hear(AdvertisingPDU.bytes(.connectable, from: HCIControllerTests.lamp)), [])
    // Coded PHY is not there, and neither is a period.
    let coded: [UInt8] = [1, 0, 5, 0, 0x60, 0, 0x60, 0, 0, 0x60, 0, 0x60, 0]
    expectEqual(rig.command(.setExtendedScanParameters, coded), [complete(.setExtendedScanParameters, [0x11])])
    expectEqual(rig.command(.setExtendedScanEnable, [1, 0, 1, 0, 1, 0]), [complete(.setExtendedScanEnable, [0x11])])
  }
}

/// The answer to a command, as hexadecimal digits.
func complete(_ opcode: HCIOpcode, _ results: [UInt8] = [0]) -> String {
  PeripheralReport.hex(HCIEvent.commandComplete(opcode, results))
}
