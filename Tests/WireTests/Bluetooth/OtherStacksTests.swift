import RollcallCaptureSupport
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

/// Our bytes of Bluetooth LE beside those of scapy and of bumble, which read them to the same fields and write the same
/// bytes for the same fields.
@Suite struct OtherStacksTests {
  private typealias Question = OtherStacks.Question

  private let lamp = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
  private let phone = RadioAddress(bits: 0x0011_2233_4455, isRandom: false)

  @Test func `scapy and bumble read every kind of PDU of the attribute protocol as we do, and write the same bytes`()
    throws
  {
    var dice = Seed(4).stream("vectors")
    var pdus = AttributeSamples.all.map(\.pdu)
    for _ in 0..<60 {
      let handle = 1 + UInt16(dice.below(0xFFFE))
      let value = (0..<dice.below(20)).map { _ in UInt8(dice.below(256)) }
      pdus += [
        .readByGroupTypeResponse([.init(1...handle, value), .init(handle...0xFFFF, value.reversed())]),
        .handleValueNotification(handle: handle, value: value),
        .prepareWriteRequest(handle: handle, offset: UInt16(dice.below(512)), value: value),
        .findInformationResponse([.init(handle, BluetoothUUID(high: dice.next(), low: dice.next()))]),
      ]
    }
    let questions = try pdus.map { try Question($0) }
    guard let answers = try OtherStacks.ask(questions, for: "the attribute protocol beside scapy and bumble") else {
      return
    }
    let comparison = OtherStacks.compare(questions, answers)
    expectEqual(comparison.differences, [])
    // A group type of 16 bytes and signed commands are unknown to scapy, several values in a notification to bumble.
    expectEqual(
      comparison.left,
      [
        "scapy att 10", "bumble att 23", "bumble att 23", "scapy att d2", "bumble att d2",
      ])
    expectEqual(comparison.scapy + comparison.bumble + comparison.left.count, 2 * questions.count)
  }

  @Test func `scapy and bumble read every field of advertising data as we do, and write the same bytes`() throws {
    let long = BluetoothUUID(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)
    var all: [AdvertisedFields] = []
    func add(_ change: (inout AdvertisedFields) -> Void) {
      var fields = AdvertisedFields()
      change(&fields)
      all.append(fields)
    }
    for flags: UInt8 in [0, 1, 6, 0x1A, 0x1F] { add { $0.flags = flags } }
    add { $0.services = [BluetoothUUID(short: 0x180F), BluetoothUUID(short: 0x180A)] }
    add { $0.services = [BluetoothUUID(short: 0x0001_180F)] }
    add { $0.services = [BluetoothUUID(short: 0x180F), BluetoothUUID(short: 0x1234_5678), long] }
    add { $0.solicitedServices = [BluetoothUUID(short: 0x1801)] }
    add { $0.solicitedServices = [BluetoothUUID(short: 0x1801), long] }
    for data in [[], [1], [1, 2, 3]] as [[UInt8]] {
      add { $0.serviceData = [.init(BluetoothUUID(short: 0xFE9A), data)] }
      add { $0.serviceData = [.init(BluetoothUUID(short: 0x0002_0003), data), .init(long, data)] }
      add { $0.manufacturerData = [[0x4C, 0] + data] }
    }
    for power: Int8 in [-128, -4, 0, 20, 127] { add { $0.transmitPower = power } }
    for appearance: UInt16 in [0, 1, 0x0341, 0xFFFF] { add { $0.appearance = appearance } }
    for name in ["L", "Lamp", "Lämpchen 灯", "a name of twenty nine letters"] { add { $0.name = name } }
    add { ($0.name, $0.isNameShortened) = ("Lam", true) }
    add {
      ($0.flags, $0.services, $0.transmitPower, $0.name) = (6, [BluetoothUUID(short: 0x180D)], -8, "Heart")
      $0.manufacturerData = [[0xFF, 0xFF, 0x16, 0x01]]
    }
    let questions = all.map { Question(advertisingData: $0.bytes) }
    guard let answers = try OtherStacks.ask(questions, for: "advertising data beside scapy and bumble") else { return }
    let comparison = OtherStacks.compare(questions, answers)
    expectEqual(comparison.differences, [])
    // scapy has one UUID of 16 bits where the standard has a list.
    expectEqual(comparison.left, ["scapy ad solicited=1801,00112233445566778899aabbccddeeff"])
    expectEqual(comparison.bumble, questions.count)
  }

  @Test func `scapy reads every advertising packet as we do, and computes the same CRC`() throws {
    typealias PDU = AdvertisingPDU
    var packets: [[UInt8]] = []
    var fields = AdvertisedFields()
    (fields.flags, fields.name) = (6, "Lamp")
    for data in [[], fields.bytes, AdvertisingStructure.bytes(.manufacturerData, [UInt8](0..<29))] {
      for kind: PDU.Kind in [.connectable, .nonconnectable, .scanResponse, .scannable] {
        packets.append(PDU.bytes(kind, from: lamp, data: data))
        packets.append(PDU.bytes(kind, from: phone, data: data))
      }
    }
    packets.append(PDU.bytes(.connectable, from: lamp, data: fields.bytes, hasChannelSelection2: true))
    for (sender, target) in [(lamp, phone), (phone, lamp), (lamp, lamp), (phone, phone)] {
      packets.append(PDU.bytes(.directed, from: sender, to: target))
      packets.append(PDU.bytes(.scanRequest, from: sender, to: target))
      for seed: UInt64 in [1, 77, 0xFFFF_FFFF_FFFF] {
        let request = ConnectRequest(parameters: LinkParameters(), seed: seed)
        packets.append(PDU.bytes(.connectRequest, from: sender, to: target, data: request.bytes))
      }
    }
    let questions = try packets.map { try Question(packet: $0) }
    guard let answers = try OtherStacks.ask(questions, for: "advertising packets beside scapy") else { return }
    let comparison = OtherStacks.compare(questions, answers)
    expectEqual(comparison.differences, [])
    expectEqual(comparison.scapy, questions.count)
  }

  @Test func `scapy computes the CRC of packets of a connection from its start as we do`() throws {
    var dice = Seed(9).stream("crc")
    var questions: [Question] = []
    var ours: [String] = []
    for _ in 0..<200 {
      let start = UInt32(dice.below(1 << 24))
      let content = (0..<dice.below(60)).map { _ in UInt8(dice.below(256)) }
      let pdu = [UInt8(dice.below(16)), UInt8(content.count)] + content
      questions.append(Question(kind: "crc", bytes: pdu, fields: "\(start)"))
      let frame = AirFrame.bytes(
        pdu: pdu, channel: 5, accessAddress: 0x5065_5A5B, crcStart: start, isFromCentral: true)
      ours.append(OtherStacks.hex(frame.suffix(3)))
    }
    guard let answers = try OtherStacks.ask(questions, for: "the CRC of connections beside scapy") else { return }
    expectEqual(zip(answers, ours).filter { $0.scapy.fields != $1 }.map { "\($0.scapy) and we \($1)" }, [])
    expectEqual(answers.count, ours.count)
  }
}
