import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@Suite struct AdvertisingPDUTests {
  private let lamp = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
  private let phone = RadioAddress(bits: 0x0011_2233_4455, isRandom: false)

  private func read(_ bytes: [UInt8]) throws(RadioFault) -> AdvertisingPDU {
    let result: Result<AdvertisingPDU, RadioFault> = bytes.withUnsafeBytes { raw in
      do throws(RadioFault) { return .success(try AdvertisingPDU(raw)) } catch { return .failure(error) }
    }
    return try result.get()
  }
  private func fault(_ bytes: [UInt8]) -> RadioFault? {
    do throws(RadioFault) {
      _ = try read(bytes)
      return nil
    } catch { return error }
  }

  @Test func `an advertisement is read as it was written, and bytes behind it are not its own`() throws {
    let bytes = AdvertisingPDU.bytes(.connectable, from: lamp, data: [2, 1, 6], hasChannelSelection2: true)
    expectEqual(bytes, [0x60, 9, 1, 0, 0, 0xEE, 0xFF, 0xC0, 2, 1, 6])
    for tail in [[], [1, 2, 3]] as [[UInt8]] {
      let pdu = try read(bytes + tail)
      expectEqual(pdu.kind, .connectable)
      expectEqual(pdu.sender, lamp)
      expectEqual(pdu.target, nil)
      #expect(pdu.hasChannelSelection2)
      expectEqual(pdu.data, 8..<11)
      expectEqual(pdu.byteCount, 11)
      expectEqual(pdu.extension, nil)
    }
  }

  @Test func `the kinds say whether a peripheral speaks and whether it can be connected to`() throws {
    typealias Kind = AdvertisingPDU.Kind
    let facts: [(Kind, isAdvertisement: Bool, isConnectable: Bool)] = [
      (.connectable, true, true), (.directed, true, true), (.nonconnectable, true, false),
      (.scanRequest, false, false), (.scanResponse, true, false), (.connectRequest, false, false),
      (.scannable, true, false),
    ]
    for (kind, isAdvertisement, isConnectable) in facts {
      let hasTarget = [.directed, .scanRequest, .connectRequest].contains(kind)
      let data = [UInt8](repeating: 0, count: kind == .connectRequest ? 22 : 0)
      let pdu = try read(AdvertisingPDU.bytes(kind, from: phone, to: hasTarget ? lamp : nil, data: data))
      expectEqual(pdu.kind, kind)
      expectEqual(pdu.sender, phone)
      expectEqual(pdu.target, (hasTarget ? lamp : nil), "\(kind)")
      expectEqual(pdu.isAdvertisement, isAdvertisement, "\(kind)")
      expectEqual(pdu.isConnectable, isConnectable, "\(kind)")
      expectEqual(pdu.data.count, data.count)
    }
    expectEqual(
      Kind.allCases.map(\.name),
      [
        "ADV_IND", "ADV_DIRECT_IND", "ADV_NONCONN_IND", "SCAN_REQ", "SCAN_RSP", "CONNECT_IND", "ADV_SCAN_IND",
        "ADV_EXT_IND", "AUX_CONNECT_RSP",
      ])
  }

  @Test func `AD-12, a length that the kind cannot have is refused, at either bound`() {
    func bytes(_ kind: UInt8, _ length: UInt8) -> [UInt8] {
      [kind, length] + [UInt8](repeating: 0, count: Int(length))
    }
    for kind: UInt8 in [0, 2, 4, 6] {
      expectEqual(fault(bytes(kind, 5)), RadioFault(.badLength, at: 1))
      expectEqual(fault(bytes(kind, 6)), nil)
      expectEqual(fault(bytes(kind, 37)), nil)
      expectEqual(fault(bytes(kind, 38)), RadioFault(.badLength, at: 1))
    }
    for kind: UInt8 in [1, 3] {
      expectEqual(fault(bytes(kind, 11)), RadioFault(.badLength, at: 1))
      expectEqual(fault(bytes(kind, 12)), nil)
      expectEqual(fault(bytes(kind, 13)), RadioFault(.badLength, at: 1))
    }
    expectEqual(fault(bytes(5, 33)), RadioFault(.badLength, at: 1))
    expectEqual(fault(bytes(5, 34)), nil)
    expectEqual(fault(bytes(5, 35)), RadioFault(.badLength, at: 1))
    expectEqual(fault(bytes(7, 0)), RadioFault(.badLength, at: 1))
    expectEqual(fault(bytes(7, 1)), nil)
    expectEqual(fault(bytes(7, 255)), nil)
    for kind: UInt8 in 9...15 { expectEqual(fault(bytes(kind, 6)), RadioFault(.unknownKind, at: 0)) }
    expectEqual(fault([]), RadioFault(.tooShort, at: 0))
    expectEqual(fault([0]), RadioFault(.tooShort, at: 1))
    expectEqual(fault([0, 6, 1, 2, 3, 4, 5]), RadioFault(.cut, at: 7))
  }

  @Test func `an extended advertisement is read as it was written, with and without power`() throws {
    for power in [nil, -21] as [Int8?] {
      let bytes = AdvertisingPDU.extendedBytes(
        from: lamp, mode: 1, dataInfo: 0x3ABC, transmitPower: power, data: [3, 0xFF, 1, 2])
      let pdu = try read(bytes)
      expectEqual(pdu.kind, .extended)
      expectEqual(pdu.sender, lamp)
      #expect(pdu.isConnectable)
      expectEqual(pdu.extension?.mode, 1)
      expectEqual(pdu.extension?.dataInfo, 0x3ABC)
      expectEqual(pdu.extension?.transmitPower, power)
      expectEqual(pdu.extension?.hasPointer, false)
      expectEqual(Array(bytes[pdu.data]), [3, 0xFF, 1, 2])
    }
    try expectEqual(read(AdvertisingPDU.extendedBytes(from: lamp, mode: 0, dataInfo: 0, data: [])).isConnectable, false)
    try expectEqual(read(AdvertisingPDU.extendedBytes(from: lamp, mode: 2, dataInfo: 0, data: [])).isConnectable, false)
  }

  @Test func `every field of the extended header is skipped by its own size, and refused where it does not fit`() throws
  {
    // Flag, bytes of the field, and a power behind it that is read only where the size is right.
    for (flag, size) in [(1, 6), (2, 6), (4, 1), (8, 2), (16, 3), (32, 18)] as [(UInt8, Int)] {
      let fields = [flag | 64] + [UInt8](repeating: 9, count: size) + [0xF6]
      let pdu = try read([7, UInt8(fields.count + 2), UInt8(fields.count)] + fields + [0xAA])
      expectEqual(pdu.extension?.transmitPower, -10, "\(flag)")
      expectEqual(pdu.extension?.hasPointer, (flag == 16))
      expectEqual(pdu.sender, (flag == 1 ? RadioAddress(bits: 0x0909_0909_0909, isRandom: false) : nil))
      expectEqual(pdu.target, (flag == 2 ? RadioAddress(bits: 0x0909_0909_0909, isRandom: false) : nil))
      expectEqual(pdu.extension?.dataInfo, (flag == 8 ? 0x0909 : nil))
      expectEqual(pdu.data.count, 1)
      // One byte less in the header than the fields need.
      expectEqual(
        fault([7, UInt8(fields.count + 2), UInt8(fields.count - 1)] + fields + [0xAA]),
        RadioFault(.badHeader, at: 4 + size))
    }
    // A header without flags, one longer than the payload, and one that fills it.
    try expectEqual(read([7, 2, 0, 0xAA]).data, 3..<4)
    expectEqual(fault([7, 1, 1]), RadioFault(.badHeader, at: 2))
    try expectEqual(read([7, 2, 1, 0]).data, 4..<4)
    // The two top bits of the header's length are the mode.
    try expectEqual(read([7, 2, 0x81, 0]).extension?.mode, 2)
    // Public or random stands in the first byte.
    let both = [UInt8(3)] + [UInt8](repeating: 1, count: 12)
    try expectEqual(read([0x47, 14, 13] + both).sender?.isRandom, true)
    try expectEqual(read([0x47, 14, 13] + both).target?.isRandom, false)
    try expectEqual(read([0x87, 14, 13] + both).target?.isRandom, true)
  }
}

@Suite struct AirFrameTests {
  // The first packet of a real capture of a sensor: its CRC was computed by its radio.
  private let flags: [UInt8] = [0x00, 0x09, 0xE8, 0xDD, 0x6E, 0xE5, 0xC5, 0x78, 0x02, 0x01, 0x05]

  private func frame(
    _ bytes: [UInt8], _ read: (UnsafeRawBufferPointer) throws(RadioFault) -> AirFrame?
  ) throws(RadioFault) -> AirFrame? {
    let result: Result<AirFrame?, RadioFault> = bytes.withUnsafeBytes { raw in
      do throws(RadioFault) { return .success(try read(raw)) } catch { return .failure(error) }
    }
    return try result.get()
  }
  private func bare(_ bytes: [UInt8]) throws(RadioFault) -> AirFrame? {
    try frame(bytes) { (raw) throws(RadioFault) in try AirFrame(bare: raw) }
  }
  private func behindHeader(_ bytes: [UInt8]) throws(RadioFault) -> AirFrame? {
    try frame(bytes) { (raw) throws(RadioFault) in try AirFrame(behindRadioHeader: raw) }
  }
  private func nordic(_ bytes: [UInt8]) throws(RadioFault) -> AirFrame? {
    try frame(bytes) { (raw) throws(RadioFault) in try AirFrame.nordic(raw) }
  }

  @Test func `the CRC is the one that a real radio sent, and any flipped bit changes it`() {
    let crc = flags.withUnsafeBytes { LinkCRC.value(of: $0) }
    expectEqual(crc, 0x96_3CC6)
    for bit in 0..<flags.count * 8 {
      var flipped = flags
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(flipped.withUnsafeBytes { LinkCRC.value(of: $0) } != crc, "\(bit)")
    }
    // Of nothing it is what it starts from, in the order of the air.
    expectEqual([UInt8]().withUnsafeBytes { LinkCRC.value(of: $0) }, 0xAA_AAAA)
    expectEqual([UInt8]().withUnsafeBytes { LinkCRC.value(of: $0, start: 1) }, 0x80_0000)
  }

  @Test func `a frame is taken apart, and its CRC checked`() throws {
    let bytes = AirFrame.bytes(pdu: flags)
    expectEqual(bytes, [0xD6, 0xBE, 0x89, 0x8E] + flags + [0xC6, 0x3C, 0x96])
    let whole = try #require(try bare(bytes))
    expectEqual(whole.accessAddress, AirFrame.advertisingAddress)
    #expect(whole.isAdvertising)
    expectEqual(whole.pdu, 4..<15)
    expectEqual(whole.crc, 0x96_3CC6)
    expectEqual(whole.check, .good)
    expectEqual(whole.channel, nil)
    expectEqual(whole.strength, nil)
    try expectEqual(bare(AirFrame.bytes(pdu: flags, crc: 1))?.check, .bad)
    // Without a whole CRC nobody knows; without a whole PDU it ends where the bytes do.
    try expectEqual(bare(Array(bytes.dropLast()))?.check, .unknown)
    try expectEqual(bare(Array(bytes.dropLast()))?.crc, nil)
    try expectEqual(bare(Array(bytes.prefix(9)))?.pdu, 4..<9)
    #expect(throws: RadioFault(.tooShort, at: 5)) { try bare(Array(bytes.prefix(5))) }
    // On another access address nobody knows what the CRC starts from.
    let data = try #require(try bare(AirFrame.bytes(pdu: [1, 0], accessAddress: 0x5065_5D3A)))
    #expect(!data.isAdvertising)
    expectEqual(data.check, .unknown)
  }

  @Test func `the radio header counts field by field, as its flags say`() throws {
    let bytes = AirFrame.bytes(pdu: flags, channel: 38, strength: -61)
    expectEqual(bytes.prefix(10), [12, 0xC3, 0, 0, 0xD6, 0xBE, 0x89, 0x8E, 0x13, 0x0C])
    let whole = try #require(try behindHeader(bytes))
    expectEqual(whole.channel, 38)
    expectEqual(whole.strength, -61)
    expectEqual(whole.check, .good)
    expectEqual(whole.pdu, 14..<25)
    func changed(_ low: UInt8, _ high: UInt8) throws -> AirFrame {
      var other = bytes
      (other[8], other[9]) = (low, high)
      return try #require(try behindHeader(other))
    }
    try expectEqual(changed(0x11, 0x0C).strength, nil)
    // What the header says of the CRC goes before what the bytes say.
    try expectEqual(changed(0x13, 0x04).check, .bad)
    try expectEqual(changed(0x13, 0x00).check, .good)
    var wrong = bytes
    wrong[wrong.count - 1] ^= 1
    try expectEqual(behindHeader(wrong)?.check, .good)
    wrong[9] = 0
    try expectEqual(behindHeader(wrong)?.check, .bad)
    // The coded PHY puts a byte before the PDU.
    var coded = bytes
    coded.insert(0, at: 14)
    coded[9] |= 0x80
    try expectEqual(behindHeader(coded)?.pdu, 15..<26)
    #expect(throws: RadioFault(.tooShort, at: 9)) { try behindHeader(Array(bytes.prefix(9))) }
  }

  @Test func `channels and frequencies are each other's inverse`() {
    let channels = (0...39).map { AirFrame.channel(ofFrequency: $0) }
    expectEqual(channels[0], 37)
    expectEqual(channels[1], 0)
    expectEqual(channels[11], 10)
    expectEqual(channels[12], 38)
    expectEqual(channels[13], 11)
    expectEqual(channels[38], 36)
    expectEqual(channels[39], 39)
    expectEqual(AirFrame.channel(ofFrequency: 40), nil)
    expectEqual(Set(channels.compactMap { $0 }), Set(0...39))
    for channel: UInt8 in 0...39 {
      expectEqual(AirFrame.channel(ofFrequency: AirFrame.bytes(pdu: [], channel: channel, strength: 0)[0]), channel)
    }
  }

  @Test func `headers of the Nordic sniffer, and what it says beside packets`() throws {
    func bytes(version: UInt8, packet: UInt8, flags: UInt8 = 1, header: UInt8 = 10, channel: UInt8 = 39) -> [UInt8] {
      let tail = [0, 0, 1, 2, 3, 4] as [UInt8]
      return [4, 1, 2, version, 7, 0, packet, header, flags, channel, 53] + tail + AirFrame.bytes(pdu: self.flags)
    }
    for (version, packet) in [(1, 6), (2, 6), (3, 6), (3, 2)] as [(UInt8, UInt8)] {
      let found = try #require(try nordic(bytes(version: version, packet: packet)))
      expectEqual(found.channel, 39)
      expectEqual(found.strength, -53)
      expectEqual(found.check, .good)
      expectEqual(found.pdu, 21..<32)
    }
    try expectEqual(nordic(bytes(version: 2, packet: 2)), nil)
    try expectEqual(nordic(bytes(version: 3, packet: 5)), nil)
    try expectEqual(nordic(bytes(version: 3, packet: 2, flags: 0))?.check, .bad)
    try expectEqual(nordic(bytes(version: 3, packet: 2, channel: 40))?.channel, nil)
    // The coded PHY is bits 4 to 6, from version 2 on.
    try expectEqual(nordic(bytes(version: 3, packet: 2, flags: 0x21))?.pdu.lowerBound, 22)
    try expectEqual(nordic(bytes(version: 1, packet: 6, flags: 0x21))?.pdu.lowerBound, 21)
    #expect(throws: RadioFault(.unknownVersion, at: 3)) { try nordic(bytes(version: 0, packet: 6)) }
    #expect(throws: RadioFault(.unknownVersion, at: 3)) { try nordic(bytes(version: 4, packet: 6)) }
    #expect(throws: RadioFault(.badLength, at: 7)) { try nordic(bytes(version: 3, packet: 2, header: 9)) }
    #expect(throws: RadioFault(.tooShort, at: 6)) { try nordic(Array(bytes(version: 3, packet: 2).prefix(6))) }
    #expect(throws: RadioFault(.tooShort, at: 16)) { try nordic(Array(bytes(version: 3, packet: 2).prefix(16))) }
    #expect(throws: RadioFault(.tooShort, at: 22)) { try nordic(Array(bytes(version: 3, packet: 2).prefix(22))) }
  }
}

@Suite struct HCIPacketTests {
  private func packet(_ bytes: [UInt8]) throws(RadioFault) -> HCIPacket {
    let result: Result<HCIPacket, RadioFault> = bytes.withUnsafeBytes { raw in
      do throws(RadioFault) { return .success(try HCIPacket.reading(h4: raw)) } catch { return .failure(error) }
    }
    return try result.get()
  }
  private func reports(_ bytes: [UInt8], event: UInt16 = 0x3E) throws(RadioFault) -> [AdvertisingReport] {
    let result: Result<[AdvertisingReport], RadioFault> = bytes.withUnsafeBytes { raw in
      do throws(RadioFault) {
        return .success(try AdvertisingReport.reports(ofEvent: event, raw))
      } catch { return .failure(error) }
    }
    return try result.get()
  }

  @Test func `each kind has a header of its own`() throws {
    let cases: [([UInt8], code: UInt16, content: Range<Int>)] = [
      ([1, 3, 0x0C, 1, 9], 0x0C03, 3..<4), ([2, 1, 0x20, 1, 0, 9], 0x2001, 4..<5), ([3, 1, 0, 1, 9], 1, 3..<4),
      ([4, 0x0E, 1, 9], 0x0E, 2..<3), ([5, 1, 0, 1, 0x40, 9], 1, 4..<5),
    ]
    for (bytes, code, content) in cases {
      let found = try packet(bytes)
      expectEqual(found.kind.rawValue, bytes[0])
      expectEqual(found.code, code)
      expectEqual(found.content, content, "\(bytes)")
      #expect(throws: RadioFault(.cut, at: bytes.count - 1)) { try packet(Array(bytes.dropLast())) }
      #expect(throws: RadioFault(.tooShort, at: content.lowerBound)) {
        try packet(Array(bytes.prefix(content.lowerBound)))
      }
    }
    #expect(throws: RadioFault(.unknownKind, at: 0)) { try packet([6, 1, 2, 3]) }
    #expect(throws: RadioFault(.unknownKind, at: 0)) { try packet([0, 1, 2, 3]) }
    #expect(throws: RadioFault(.tooShort, at: 0)) { try packet([]) }
  }

  private let address: [UInt8] = [1, 0, 0, 0xEE, 0xFF, 0xC0]

  @Test func `legacy reports, one or several in an event`() throws {
    let first: [UInt8] = [0, 1] + address + [3, 2, 1, 6, 0xC4]
    let second: [UInt8] = [4, 0] + address + [0, 127]
    let found = try reports([2, 2] + first + second)
    expectEqual(found.count, 2)
    expectEqual(found[0].kind, .connectable)
    #expect(found[0].isConnectable)
    #expect(!found[0].isScanResponse)
    expectEqual(found[0].address, RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true))
    expectEqual(found[0].strength, -60)
    expectEqual(found[0].data, [2, 1, 6])
    expectEqual(found[0].pdu, AdvertisingPDU.bytes(.connectable, from: found[0].address, data: [2, 1, 6]))
    expectEqual(found[1].kind, .scanResponse)
    #expect(found[1].isScanResponse)
    expectEqual(found[1].address.isRandom, false)
    // 127 dBm means that the controller could not tell.
    expectEqual(found[1].strength, nil)
    let kinds = try (0..<5).map { try reports([2, 1, UInt8($0), 0] + address + [0, 0])[0] }
    expectEqual(kinds.map(\.kind), [.connectable, .directed, .scannable, .nonconnectable, .scanResponse])
    expectEqual(kinds.map(\.isConnectable), [true, true, false, false, false])
    expectEqual(kinds.map { $0.pdu?.first }, [0, 1, 6, 2, 4])
    #expect(throws: RadioFault(.unknownKind, at: 2)) { try reports([2, 1, 5, 0] + address + [0, 0]) }
    #expect(throws: RadioFault(.cut, at: 14)) { try reports([2, 1] + first.dropLast()) }
    #expect(throws: RadioFault(.cut, at: 10)) { try reports([2, 1] + first.prefix(8)) }
    #expect(throws: RadioFault(.cut, at: 15)) { try reports([2, 2] + first) }
    try expectEqual(reports([2, 0]), [])
    #expect(throws: RadioFault(.tooShort, at: 1)) { try reports([2]) }
    // Other events have none, whatever stands in them.
    try expectEqual(reports([2, 1] + first, event: 0x0E), [])
    try expectEqual(reports([3, 1] + first), [])
    try expectEqual(reports([]), [])
    // An identity address that the controller resolved.
    #expect(try reports([2, 1, 0, 3] + address + [0, 0])[0].address.isRandom)
    try expectEqual(reports([2, 1, 0, 2] + address + [0, 0])[0].address.isRandom, false)
  }

  @Test func `extended reports tell legacy kinds by their properties`() throws {
    func report(_ low: UInt8, _ data: [UInt8] = []) -> [UInt8] {
      [low, 0, 1] + address + [1, 0, 0xFF, 127, 0xD0, 0, 0, 0] + [UInt8](repeating: 0, count: 6) + [UInt8(data.count)]
        + data
    }
    let kinds: [(UInt8, AdvertisingPDU.Kind?, Bool)] = [
      (0x13, .connectable, true), (0x15, .directed, true), (0x12, .scannable, false), (0x10, .nonconnectable, false),
      (0x1B, .scanResponse, false), (0x1A, .scanResponse, false), (0, nil, false), (1, nil, true), (2, nil, false),
    ]
    for (properties, kind, isConnectable) in kinds {
      let found = try reports([0x0D, 1] + report(properties))
      expectEqual(found.map(\.kind), [kind], "\(properties)")
      expectEqual(found.map(\.isConnectable), [isConnectable], "\(properties)")
      expectEqual(found[0].strength, -48)
    }
    let two = try reports([0x0D, 2] + report(0x10, [2, 1, 6]) + report(0, [1, 9]))
    expectEqual(two.map(\.data), [[2, 1, 6], [1, 9]])
    expectEqual(two[1].pdu, AdvertisingPDU.extendedBytes(from: two[1].address, mode: 0, dataInfo: 0, data: [1, 9]))
    // One without an address is nobody's.
    var nobody = report(0, [1, 9])
    nobody[2] = 0xFF
    try expectEqual(reports([0x0D, 3] + report(0) + nobody + report(0x10)).map(\.kind), [nil, .nonconnectable])
    #expect(throws: RadioFault(.cut, at: 27)) { try reports([0x0D, 1] + nobody.dropLast()) }
    #expect(throws: RadioFault(.cut, at: 25)) { try reports([0x0D, 1] + report(0).dropLast()) }
    #expect(throws: RadioFault(.cut, at: 28)) { try reports([0x0D, 1] + report(0, [1, 2, 3]).dropLast()) }
    // What no PDU can hold has none.
    #expect(try reports([0x0D, 1] + report(0x10, [UInt8](repeating: 0, count: 31)))[0].pdu != nil)
    try expectEqual(reports([0x0D, 1] + report(0x10, [UInt8](repeating: 0, count: 32)))[0].pdu, nil)
    #expect(try reports([0x0D, 1] + report(0, [UInt8](repeating: 0, count: 229)))[0].pdu != nil)
    try expectEqual(reports([0x0D, 1] + report(0, [UInt8](repeating: 0, count: 230)))[0].pdu, nil)
  }
}
