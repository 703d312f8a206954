import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallCapture

/// Every kind of frame that may hold packets of Bluetooth LE, as bytes.
@Suite struct RadioExtractorTests {
  private let lamp = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
  private var pdu: [UInt8] { AdvertisingPDU.bytes(.connectable, from: lamp, data: [2, 1, 6]) }
  /// A legacy report of the same.
  private var event: [UInt8] {
    [0x3E, 15, 2, 1, 0, 1] + lamp.littleEndian + [3, 2, 1, 6, 0xC4]
  }

  private func heard(pdu: [UInt8], channel: UInt8? = nil, strength: Int8? = nil) -> RadioPDU {
    RadioPDU(channel: channel, strength: strength, accessAddress: 0x8E89_BED6, bytes: pdu)
  }

  private func extract(_ linkType: UInt32, _ bytes: [UInt8], flags: UInt32 = 0)
    -> ([RadioPDU], RadioExtractor.Counts, RadioFault?)
  {
    var extractor = RadioExtractor()
    let packets = bytes.withUnsafeBytes { raw in
      var frame = CaptureFrame()
      (frame.number, frame.linkType, frame.btsnoopFlags) = (7, linkType, flags)
      if let base = raw.baseAddress { frame.bytes = base }
      frame.capturedCount = raw.count
      return extractor.packets(of: frame)
    }
    #expect(extractor.firstFault.map(\.frame) ?? 7 == 7)
    return (packets, extractor.counts, extractor.firstFault?.fault)
  }
  private func packets(_ linkType: UInt32, _ bytes: [UInt8], flags: UInt32 = 0) -> [RadioPDU] {
    extract(linkType, bytes, flags: flags).0
  }

  private func ppi(_ inner: UInt32, field: [UInt8]?, _ packet: [UInt8]) -> [UInt8] {
    let fields = field.map { [0x36, 0x75, UInt8($0.count), 0] + $0 } ?? []
    return [0, 0, UInt8(8 + fields.count), 0, UInt8(inner & 0xFF), 0, 0, 0] + fields + packet
  }

  @Test func `a packet on the air is found in each format that has one, with what the format says of it`() {
    let frame = AirFrame.bytes(pdu: pdu)
    let tail = [0, 0, 1, 2, 3, 4] as [UInt8]
    expectEqual(packets(251, frame), [heard(pdu: pdu)])
    expectEqual(
      packets(256, AirFrame.bytes(pdu: pdu, channel: 38, strength: -61)), [heard(pdu: pdu, channel: 38, strength: -61)])
    expectEqual(
      packets(272, [4, 1, 2, 3, 7, 0, 2, 10, 1, 39, 53] + tail + frame), [heard(pdu: pdu, channel: 39, strength: -53)])
    // 2 402 MHz is channel 37; a frequency that is none says nothing.
    let field: [UInt8] = [0, 0x62, 0x09, 0, 0, 0, 0, 0]
    expectEqual(packets(192, ppi(251, field: nil, frame)), [heard(pdu: pdu)])
    expectEqual(packets(192, ppi(147, field: field, frame)), [heard(pdu: pdu, channel: 37)])
    expectEqual(packets(192, ppi(251, field: [0, 0xB0, 0x09], frame)), [heard(pdu: pdu, channel: 39)])
    expectEqual(packets(192, ppi(251, field: [0, 0x61, 0x08], frame)), [heard(pdu: pdu)])
    expectEqual(packets(192, ppi(251, field: [0, 0xFF, 0xFF], frame)), [heard(pdu: pdu)])
  }

  @Test func `a number for private use is Bluetooth LE only where a field says so`() {
    let frame = AirFrame.bytes(pdu: pdu)
    expectEqual(packets(192, ppi(147, field: nil, frame)), [])
    // Too short to say a frequency, or longer than the header.
    expectEqual(packets(192, ppi(147, field: [0, 0x62], frame)), [])
    var long = ppi(147, field: [0, 0x62, 9], frame)
    long[10] = 4
    expectEqual(packets(192, long), [])
    expectEqual(packets(192, ppi(1, field: [0, 0x62, 9], frame)), [])
    expectEqual(packets(147, frame), [])
    expectEqual(packets(192, [0, 0, 9, 0, 251, 0, 0, 0]), [])
    expectEqual(packets(192, [0, 0, 7, 0, 251, 0, 0, 0]), [])
    expectEqual(packets(192, [1, 0, 8, 0, 251, 0, 0, 0] + frame), [])
    expectEqual(packets(192, [0, 0, 8, 0, 251, 0, 0]), [])
    // Another field before it is skipped by its length.
    let two = [0, 0, 21, 0, 147, 0, 0, 0, 1, 0, 2, 0, 9, 9, 0x36, 0x75, 3, 0, 0, 0x62, 9] as [UInt8]
    expectEqual(packets(192, two + frame), [heard(pdu: pdu, channel: 37)])
  }

  @Test func `a report of a controller is found in each format that has one`() {
    let reported = [heard(pdu: pdu, strength: -60)]
    expectEqual(packets(187, [4] + event), reported)
    expectEqual(packets(201, [0, 0, 0, 1, 4] + event), reported)
    expectEqual(packets(254, [0, 0, 0, 3] + event), reported)
    expectEqual(packets(LinkType.btsnoopMonitor, event, flags: 3), reported)
    expectEqual(packets(LinkType.btsnoopMonitor, event, flags: 0x1_0003), reported)
    expectEqual(packets(LinkType.btsnoopH1, event, flags: 3), reported)
    // What is no event is counted, and so are events about something else.
    for (link, bytes, flags) in [
      (187, [2, 1, 0, 1, 0, 9], 0), (187, [4, 0x0E, 0], 0), (254, [0, 0, 0, 2] + event, 0),
      (LinkType.btsnoopMonitor, event, 2), (LinkType.btsnoopH1, event, 1), (LinkType.btsnoopH1, event, 2),
    ] as [(UInt32, [UInt8], UInt32)] {
      let (packets, counts, fault) = extract(link, bytes, flags: flags)
      expectEqual(packets, [])
      expectEqual(counts, RadioExtractor.Counts(advertising: 0, wrongCRC: 0, others: 1, malformed: 0), "\(link)")
      expectEqual(fault, nil)
    }
  }

  @Test func `what is wrong is counted and not given`() {
    expectEqual(extract(251, AirFrame.bytes(pdu: pdu, crc: 1)).0, [])
    expectEqual(
      extract(251, AirFrame.bytes(pdu: pdu, crc: 1)).1,
      RadioExtractor.Counts(advertising: 0, wrongCRC: 1, others: 0, malformed: 0))
    expectEqual(
      extract(251, AirFrame.bytes(pdu: pdu, accessAddress: 1)).1,
      RadioExtractor.Counts(advertising: 0, wrongCRC: 0, others: 1, malformed: 0))
    expectEqual(
      extract(251, AirFrame.bytes(pdu: pdu)).1,
      RadioExtractor.Counts(advertising: 1, wrongCRC: 0, others: 0, malformed: 0))
    let faults: [(UInt32, [UInt8], RadioFault)] = [
      (251, [1, 2], RadioFault(.tooShort, at: 2)), (187, [], RadioFault(.tooShort, at: 0)),
      (201, [0, 0, 0], RadioFault(.tooShort, at: 3)), (254, [0, 0, 0], RadioFault(.tooShort, at: 3)),
      (187, [4] + event.dropLast(), RadioFault(.cut, at: 17)),
      (192, [0, 0, 8, 0, 251, 0, 0, 0, 1, 2], RadioFault(.tooShort, at: 10)),
    ]
    for (link, bytes, expected) in faults {
      let (packets, counts, fault) = extract(link, bytes)
      expectEqual(packets, [])
      expectEqual(counts.malformed, 1)
      expectEqual(fault, expected, "\(link)")
    }
    expectEqual(extract(1, AirFrame.bytes(pdu: pdu)).1, RadioExtractor.Counts())
  }

  @Test func `only link layers of Bluetooth are asked`() {
    for link: UInt32 in [187, 192, 201, 251, 254, 256, 272, LinkType.btsnoopH1, LinkType.btsnoopMonitor] {
      #expect(RadioExtractor.mayHold(link))
      #expect(LinkType.isSupported(link))
      #expect(!LinkType.name(link).hasPrefix("LINKTYPE_"))
    }
    for link: UInt32 in [0, 1, 113, 147, 186, 188, 250, 252, 276] { #expect(!RadioExtractor.mayHold(link)) }
  }
}
