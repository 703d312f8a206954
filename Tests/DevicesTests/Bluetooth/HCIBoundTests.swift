import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

/// The controller of a virtual radio: whole answers, and the bounds of what it takes and keeps.
@Suite("HCI: answers and bounds")
struct HCIBoundTests {
  private typealias Rig = HCIControllerTests.Rig
  private let lamp = HCIControllerTests.lamp
  private let random = HCIControllerTests.random
  private let phone = RadioAddress(bits: 0xC000_0000_0007, isRandom: true)

  private func little(_ word: UInt16) -> [UInt8] { [UInt8](littleEndian: UInt64(word), count: 2) }

  // MARK: - What it says of itself

  @Test("the version, features, sizes and times of a controller are told byte by byte")
  func information() {
    var rig = Rig.started()
    let answers: [(opcode: HCIOpcode, results: [UInt8])] = [
      (.readLocalVersion, [0x0B, 0, 0, 0x0B, 0xFF, 0xFF, 0, 0]),
      (.readSupportedFeatures, [0, 0, 0, 0, 0x60, 0, 0, 0]),
      (.readBufferSize, [0, 0, 0, 0, 0, 0, 0]),
      (.readAdvertisingPower, [0]),
      (.readAcceptListSize, [16]),
      (.readSupportedStates, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 3, 0, 0]),
      (.readSuggestedDataLength, [27, 0, 0x48, 1]),
      (.readMaximumDataLength, [251, 0, 0x48, 8, 251, 0, 0x48, 8]),
      (.readMaximumAdvertisingDataLength, [229, 0]),
      (.readAdvertisingSetCount, [8]),
    ]
    for answer in answers {
      expectEqual(rig.command(answer.opcode), [complete(answer.opcode, [0] + answer.results)])
    }
    let write = HCIOpcode.writeSuggestedDataLength
    let lengths: [(bytes: UInt16, microseconds: UInt16, status: UInt8)] = [
      (26, 328, 0x12), (252, 328, 0x12), (27, 327, 0x12), (27, 17_041, 0x12), (27, 328, 0), (251, 17_040, 0),
    ]
    for length in lengths {
      let words = little(length.bytes) + little(length.microseconds)
      expectEqual(rig.command(write, words), [complete(write, [length.status])], "\(length)")
    }
    expectEqual(
      rig.command(.readSuggestedDataLength), [complete(.readSuggestedDataLength, [0, 251, 0, 0x90, 0x42])])
  }

  @Test("the list of addresses has room for sixteen, each once, of the two kinds that there are")
  func acceptList() {
    var rig = Rig.started()
    func words(_ number: UInt64, _ kind: UInt8 = 1) -> [UInt8] {
      [kind] + RadioAddress(bits: number, isRandom: true).littleEndian
    }
    let (add, remove) = (HCIOpcode.addToAcceptList, HCIOpcode.removeFromAcceptList)
    for number: UInt64 in 0..<16 { expectEqual(rig.command(add, words(number)), [complete(add)]) }
    expectEqual(rig.command(add, words(16)), [complete(add, [7])])
    expectEqual(rig.command(add, words(3)), [complete(add)])
    expectEqual(rig.command(remove, words(16)), [complete(remove)])
    expectEqual(rig.command(remove, words(3)), [complete(remove)])
    expectEqual(rig.command(add, words(16, 0)), [complete(add)])
    expectEqual(rig.command(add, words(17, 0xFF)), [complete(add, [0x11])])
    expectEqual(rig.command(add, words(17, 2)), [complete(add, [0x12])])
    var addresses = (0..<16).filter { $0 != 3 }.map { RadioAddress(bits: UInt64($0), isRandom: true) }
    addresses.append(RadioAddress(bits: 16, isRandom: false))
    expectEqual(rig.controller.acceptList, addresses)
    expectEqual(rig.command(.clearAcceptList), [complete(.clearAcceptList)])
    expectEqual(rig.controller.acceptList, [])
  }

  // MARK: - Events

  private let version = "040c08" + "00" + "0100" + "0bffff0000"
  private let features = "043e0c04" + "00" + "0100" + "2010000000000000"

  @Test("an event whose bit the host has not set is not told, and all others are")
  func masks() {
    /// The events of the version, of the features and of the end while one bit of a mask is missing.
    func told(_ opcode: HCIOpcode, without bit: UInt64?) -> [[String]] {
      var rig = Rig.started(connected: true)
      var mask = UInt64.max
      if let bit { mask &= ~(1 << bit) }
      expectEqual(rig.command(opcode, [UInt8](littleEndian: mask, count: 8)), [complete(opcode)])
      return [
        Array(rig.command(.readRemoteVersion, [1, 0]).dropFirst()),
        Array(rig.command(.readRemoteFeatures, [1, 0]).dropFirst()),
        rig.link(1, .ended(.closed)),
      ]
    }
    let all = [[version], [features], ["04050400010016"]]
    for bit: UInt64? in [nil, 3, 5, 10, 12, 60, 62] { expectEqual(told(.setEventMask, without: bit), all) }
    for bit: UInt64? in [nil, 2, 4] { expectEqual(told(.setLEEventMask, without: bit), all) }
    expectEqual(told(.setEventMask, without: 11), [[], all[1], all[2]])
    expectEqual(told(.setEventMask, without: 61), [all[0], [], all[2]])
    expectEqual(told(.setEventMask, without: 4), [all[0], all[1], []])
    expectEqual(told(.setLEEventMask, without: 3), [all[0], [], all[2]])
  }

  @Test("before a host sets masks it hears no event of Bluetooth LE, and commands that are only noted are completed")
  func standardMasks() {
    var rig = Rig()
    for (opcode, count) in [(.setEventMaskPage2, 8), (.writeLEHostSupport, 2)] as [(HCIOpcode, Int)] {
      expectEqual(rig.command(opcode, [UInt8](repeating: 0, count: count)), [complete(opcode)])
    }
    expectEqual(rig.command(.setRandomAddress, random.littleEndian), [complete(.setRandomAddress)])
    _ = rig.command(.createConnection, HCIControllerTests.createConnection)
    expectEqual(rig.link(1, .connected(.central, own: random, peer: lamp, HCIControllerTests.parameters)), [])
    expectEqual(rig.command(.readRemoteVersion, [1, 0]), ["040f0400011d04", version])
    expectEqual(rig.command(.readRemoteFeatures, [1, 0]), ["040f0400011620"])
    _ = rig.command(.setEventMask, [UInt8](repeating: 0xFF, count: 8))
    expectEqual(rig.command(.readRemoteFeatures, [1, 0]), ["040f0400011620", features])
  }

  // MARK: - Connections

  @Test("a question about a connection is answered with its handle, and about one that is not there with an error")
  func questions() {
    var rig = Rig.started(connected: true)
    let length: [UInt8] = [251, 0, 0x48, 8]
    expectEqual(rig.command(.readRemoteVersion, [1, 0]), ["040f0400011d04", version])
    expectEqual(rig.command(.readRemoteFeatures, [1, 0]), ["040f0400011620", features])
    expectEqual(rig.command(.setDataLength, [1, 0] + length), [complete(.setDataLength, [0, 1, 0])])
    expectEqual(rig.command(.readRemoteVersion, [1, 2]), ["040f0402011d04"])
    expectEqual(rig.command(.readRemoteFeatures, [1, 2]), ["040f0402011620"])
    expectEqual(rig.command(.setDataLength, [1, 2] + length), [complete(.setDataLength, [2, 1, 2])])
    expectEqual(rig.command(.readStrength, [1, 2]), [complete(.readStrength, [2, 1, 2, 0x7F])])
    // The radio is asked once, however often the host asks before it answers.
    expectEqual(rig.command(.readStrength, [1, 0]), ["link 1 read-strength"])
    expectEqual(rig.command(.readStrength, [1, 0]), [])
    expectEqual(rig.link(1, .strength(nil)), [complete(.readStrength, [0, 1, 0, 0x7F])])
  }

  @Test(
    "a wait that the radio gives up ends with the reason, and the end of another connection leaves it",
    arguments: [
      (LinkEnd.closed, "16"), (.closedByPeer, "13"), (.timedOut, "08"), (.notEstablished, "3e"), (.refused, "09"),
      (.radioOff, "08"),
    ])
  func waits(end: LinkEnd, reason: String) {
    var rig = Rig.started(connected: true)
    _ = rig.command(.createConnection, HCIControllerTests.createConnection)
    expectEqual(rig.link(1, .ended(end)), ["040504000100" + reason])
    expectEqual(rig.command(.createConnection, HCIControllerTests.createConnection), ["040f040c010d20"])
    expectEqual(rig.link(2, .ended(end)), ["043e1301" + reason + "000000010100" + "00eeffc0180000004800" + "00"])
    expectEqual(rig.command(.cancelConnection), [complete(.cancelConnection, [0x0C])])
  }

  @Test("handles go up to 0x0EFF and begin with 1 again, without those that are taken")
  func handles() {
    var rig = Rig.started()
    func connect(_ number: UInt32) {
      _ = rig.link(number, .connected(.peripheral, own: random, peer: lamp, HCIControllerTests.parameters))
    }
    for number: UInt32 in 101...102 { connect(number) }
    rig.controller.lastHandle = 0x0EFE
    for number: UInt32 in 103...104 { connect(number) }
    expectEqual(rig.controller.links.map(\.handle), [1, 2, 0x0EFF, 3])
    _ = rig.link(101, .ended(.closed))
    rig.controller.lastHandle = 0x0EFF
    connect(105)
    expectEqual(rig.controller.links.map(\.handle), [2, 0x0EFF, 3, 1])
  }

  // MARK: - Advertising

  @Test("each kind of advertisement goes on the air with its own packet, interval and answer")
  func kinds() {
    let kinds: [(kind: AdvertisingPDU.Kind, milliseconds: Int64)] = [
      (.connectable, 100), (.directed, 20), (.scannable, 100), (.nonconnectable, 100), (.directed, 100),
    ]
    for (number, row) in kinds.enumerated() {
      var rig = Rig.started()
      let words: [UInt8] = [0xA0, 0, 0xA0, 0, UInt8(number), 1, 1] + phone.littleEndian + [7, 0]
      expectEqual(rig.command(.setAdvertisingParameters, words), [complete(.setAdvertisingParameters)])
      let pdu = AdvertisingPDU.bytes(row.kind, from: random, to: row.kind == .directed ? phone : nil)
      let isAsked = row.kind == .connectable || row.kind == .scannable
      let effect = RadioEffect.advertise(
        set: 0, every: .milliseconds(row.milliseconds), pdu: pdu,
        response: isAsked ? AdvertisingPDU.bytes(.scanResponse, from: random) : [])
      expectEqual(rig.command(.setAdvertisingEnable, [1]), [complete(.setAdvertisingEnable), effect.text])
    }
  }

  @Test("an address of a kind beyond the four is refused, and so is a switch that is neither on nor off")
  func advertisingBounds() {
    var rig = Rig.started()
    for (kind, status) in [(3, 0), (4, 0x12)] as [(UInt8, UInt8)] {
      let words: [UInt8] = [0xA0, 0, 0xA0, 0, 0, kind, 0, 0, 0, 0, 0, 0, 0, 7, 0]
      expectEqual(rig.command(.setAdvertisingParameters, words), [complete(.setAdvertisingParameters, [status])])
    }
    expectEqual(rig.command(.setAdvertisingEnable, [2]), [complete(.setAdvertisingEnable, [0x12])])
    expectEqual(rig.controller.presentDevices, [])
  }

  /// 100 ms on 1M, from the random address.
  private func set(_ handle: UInt8, _ properties: UInt8) -> [UInt8] {
    [handle, properties, 0, 0xA0, 0, 0, 0xA0, 0, 0, 7, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 1, 0, 1, 0, 0]
  }

  @Test("a central ends the set that takes connections, and others from the same address stay on the air")
  func otherSets() {
    var rig = Rig.started()
    for (handle, properties) in [(3, 0), (4, 0x12), (5, 1)] as [(UInt8, UInt8)] {
      _ = rig.command(.setExtendedAdvertisingParameters, set(handle, properties))
    }
    _ = rig.command(.setExtendedAdvertisingEnable, [1, 3, 3, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0])
    expectEqual(rig.controller.advertising.sets.map(\.isOn), [true, true, true])
    let told = rig.link(.max, .connected(.peripheral, own: random, peer: lamp, HCIControllerTests.parameters))
    expectEqual(told.last, "043e06120005010000")
    expectEqual(rig.controller.advertising.sets.map(\.isOn), [true, true, false])
  }

  @Test("the address of a set stays while somebody may connect to it or ask it, and changes under all others")
  func addressOfSets() {
    let opcode = HCIOpcode.setAdvertisingSetAddress
    let rows: [(properties: UInt8, status: UInt8)] = [
      (0x13, 0x0C), (0x15, 0x0C), (0x1D, 0x0C), (0x12, 0x0C), (0x10, 0), (0, 0), (1, 0x0C),
    ]
    for row in rows {
      var rig = Rig.started()
      _ = rig.command(.setExtendedAdvertisingParameters, set(0, row.properties))
      expectEqual(rig.command(opcode, [0] + phone.littleEndian), [complete(opcode)])
      _ = rig.command(.setExtendedAdvertisingEnable, [1, 1, 0, 0, 0, 0])
      expectEqual(rig.command(opcode, [0] + lamp.littleEndian), [complete(opcode, [row.status])], "\(row)")
      expectEqual(rig.controller.advertising.sets[0].ownAddress, row.status == 0 ? lamp : phone)
    }
  }

  @Test("switching sets is refused where a set, its address or a count is wrong, and nothing of it is done then")
  func switches() {
    let enable = HCIOpcode.setExtendedAdvertisingEnable
    let refused: [(words: [UInt8], status: UInt8)] = [
      ([2, 1, 0, 0, 0, 0], 0x12), ([1, 0], 0x12), ([1, 2, 0, 0, 0, 0], 0x12), ([1, 1, 0, 0, 0], 0x12),
      ([1, 1, 9, 0, 0, 0], 0x42), ([1, 2, 0, 0, 0, 0, 9, 0, 0, 0], 0x42), ([1, 1, 0, 0, 0, 1], 0x11),
    ]
    var rig = Rig.started()
    _ = rig.command(.setExtendedAdvertisingParameters, set(0, 0x13))
    for row in refused {
      expectEqual(rig.command(enable, row.words), [complete(enable, [row.status])], "\(row)")
      expectEqual(rig.controller.presentDevices, [])
    }
    expectEqual(rig.command(enable, [1, 1, 0, 1, 1, 0], at: 5).count, 2)
    expectEqual(rig.controller.deadline, .zero + .milliseconds(7_570))
    expectEqual(rig.command(enable, [0, 1, 0, 0, 0, 0]), [complete(enable), "stop-advertising 0"])
    expectEqual(rig.controller.deadline, .never)
    // What could not begin can be switched off.
    var fresh = Rig()
    for (handle, properties) in [(0, 0x13), (1, 2)] as [(UInt8, UInt8)] {
      _ = fresh.command(.setExtendedAdvertisingParameters, set(handle, properties))
    }
    expectEqual(fresh.command(enable, [1, 1, 0, 0, 0, 0]), [complete(enable, [0x12])])
    expectEqual(fresh.command(enable, [0, 2, 0, 0, 0, 0, 1, 0, 0, 0]), [complete(enable)])
  }

  @Test("parts of data and of a response are kept apart, and dropped where they become too long")
  func parts() {
    let data = HCIOpcode.setExtendedAdvertisingData
    let response = HCIOpcode.setExtendedScanResponseData
    var rig = Rig.started()
    _ = rig.command(.setExtendedAdvertisingParameters, set(0, 0x13))
    let rows: [(opcode: HCIOpcode, words: [UInt8], status: UInt8)] = [
      (data, [0, 5, 1, 0], 0x12), (data, [0, 4, 1, 0], 0), (data, [0, 3, 1, 2, 1], 0x12),
      (data, [0, 1, 1, 1, 7], 0), (response, [0, 2, 1, 1, 8], 0x0C), (data, [0, 0, 1, 1, 8], 0),
      (data, [0, 2, 1, 1, 9], 0), (data, [0, 0, 1, 1, 9], 0x0C), (response, [0, 1, 1, 1, 4], 0),
      (response, [0, 2, 1, 1, 5], 0), (data, [0, 1, 1, 31] + [UInt8](repeating: 1, count: 31), 0),
      (data, [0, 0, 1, 1, 1], 0x12), (data, [0, 2, 1, 0], 0x0C),
    ]
    for row in rows { expectEqual(rig.command(row.opcode, row.words), [complete(row.opcode, [row.status])], "\(row)") }
    expectEqual(rig.controller.advertising.sets[0].data, [7, 8, 9])
    expectEqual(rig.controller.advertising.sets[0].response, [4, 5])
  }

  // MARK: - Scanning

  @Test("a scan is refused at the first value beyond each of its bounds")
  func scanBounds() {
    let legacy: [(words: [UInt8], status: UInt8)] = [
      ([1, 4, 0, 4, 0, 3, 3], 0), ([2, 4, 0, 4, 0, 0, 0], 0x12), ([0, 5, 0, 3, 0, 0, 0], 0x12),
      ([0, 4, 0, 4, 0, 4, 0], 0x12), ([0, 4, 0, 4, 0, 0, 4], 0x12),
    ]
    for row in legacy {
      var rig = Rig.started()
      expectEqual(
        rig.command(.setScanParameters, row.words), [complete(.setScanParameters, [row.status])], "\(row)")
    }
    let extended: [(words: [UInt8], status: UInt8)] = [
      ([3, 3, 1, 1, 4, 0, 4, 0], 0), ([0, 0, 1, 0, 1, 0x40, 1, 0x40], 0), ([4, 0, 1, 0, 4, 0, 4, 0], 0x12),
      ([0, 4, 1, 0, 4, 0, 4, 0], 0x12), ([0, 0, 0, 0, 4, 0, 4, 0], 0x12), ([0, 0, 4, 0, 4, 0, 4, 0], 0x12),
      ([0, 0, 3, 0, 4, 0, 4, 0, 0, 4, 0, 4, 0], 0x11), ([0, 0, 1, 0, 4, 0, 4, 0, 0, 4, 0, 4, 0], 0x12),
    ]
    for row in extended {
      var rig = Rig.started()
      expectEqual(
        rig.command(.setExtendedScanParameters, row.words), [complete(.setExtendedScanParameters, [row.status])],
        "\(row)")
    }
    let switches: [(opcode: HCIOpcode, words: [UInt8], status: UInt8)] = [
      (.setScanEnable, [2, 0], 0x12), (.setScanEnable, [1, 2], 0x12), (.setScanEnable, [0, 1], 0),
      (.setExtendedScanEnable, [2, 0, 0, 0, 0, 0], 0x12), (.setExtendedScanEnable, [1, 2, 0, 0, 0, 0], 0x11),
      (.setExtendedScanEnable, [1, 0, 0, 0, 1, 0], 0x11), (.setExtendedScanEnable, [1, 0, 0, 0, 0, 1], 0x11),
      (.setExtendedScanEnable, [0, 0, 1, 0, 0, 0], 0),
    ]
    for row in switches {
      var rig = Rig.started()
      expectEqual(rig.command(row.opcode, row.words), [complete(row.opcode, [row.status])], "\(row)")
      expectEqual(rig.controller.deadline, .never)
    }
  }

  @Test("the longest times of a scan are those that two bytes hold, and its end counts in hundredths of a second")
  func scanTimes() {
    var rig = Rig.started()
    _ = rig.command(.setExtendedScanParameters, [1, 0, 1, 0, 0xFF, 0xFF, 0xFE, 0xFF])
    let scan = RadioEffect.scan(
      window: .microseconds(40_958_750), interval: .microseconds(40_959_375), isActive: false)
    expectEqual(
      rig.command(.setExtendedScanEnable, [1, 1, 1, 0, 0, 0], at: 5),
      [complete(.setExtendedScanEnable), RadioEffect.setAddress(random).text, scan.text])
    expectEqual(rig.controller.deadline, .zero + .milliseconds(5_010))
    _ = rig.command(.setExtendedScanEnable, [1, 1, 0, 1, 0, 0], at: 5)
    expectEqual(rig.controller.deadline, .zero + .milliseconds(7_560))
    _ = rig.command(.setExtendedScanEnable, [1, 1, 0, 0, 0, 0], at: 5)
    expectEqual(rig.controller.deadline, .never)
  }

  @Test("a scan keeps 4096 addresses, and forgets all of them at the next one")
  func addresses() {
    var rig = Rig.started()
    _ = rig.command(.setExtendedScanParameters, [1, 0, 1, 0, 0x60, 0, 0x60, 0])
    _ = rig.command(.setExtendedScanEnable, [1, 1, 0, 0, 0, 0])
    let others = (UInt64(0)..<4_095).map { RadioAddress(bits: $0, isRandom: true) }
    let reported = Set(others.map { HCIScanning.Seen(address: $0, isResponse: false, dataInfo: nil) })
    rig.controller.scanning.reported = reported
    for address in others {
      rig.controller.scanning.kinds[address] = .connectable
      rig.controller.scanning.dataInfos[address] = 0
    }
    for (sender, count) in [(lamp, 4_096), (phone, 1)] {
      expectEqual(rig.hear(AdvertisingPDU.bytes(.connectable, from: sender)).count, 1)
      expectEqual([rig.controller.scanning.kinds.count, rig.controller.scanning.reported.count], [count, count])
    }
    rig.controller.scanning.reported = reported
    for (sender, count) in [(lamp, 4_096), (phone, 1)] {
      let pdu = AdvertisingPDU.extendedBytes(from: sender, mode: 0, dataInfo: 0x1001, data: [])
      expectEqual(rig.hear(pdu).count, 1)
      expectEqual([rig.controller.scanning.dataInfos.count, rig.controller.scanning.reported.count], [count, count])
    }
  }
}
