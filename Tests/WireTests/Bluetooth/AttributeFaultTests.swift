import RollcallExpectations
import RollcallWire
import Testing

/// Each bound of the reader of the attribute protocol, from both sides.
@Suite struct AttributeFaultTests {
  private func fault(_ text: String) -> AttributeFault? { AttributeSamples.fault(AttributeSamples.hex(text)) }

  /// An opcode and so many bytes in all; behind the opcode each handle and each number is 1.
  private func ones(_ opcode: UInt8, _ count: Int) -> [UInt8] {
    Array(([opcode] + (0..<count).map { $0 % 2 == 0 ? 1 : 0 }).prefix(count))
  }

  @Test func `a PDU of a fixed size is refused with one byte less and with one byte more`() {
    let sizes: [(opcode: UInt8, size: Int)] = [
      (0x01, 5), (0x02, 3), (0x03, 3), (0x04, 5), (0x0A, 3), (0x0C, 5), (0x13, 1), (0x18, 2), (0x19, 1), (0x1E, 1),
    ]
    for (opcode, size) in sizes {
      for count in 0..<size {
        expectEqual(AttributeSamples.fault(ones(opcode, count)), AttributeFault(.tooShort, at: count), "\(opcode)")
      }
      expectEqual(AttributeSamples.fault(ones(opcode, size)), nil, "\(opcode)")
      expectEqual(AttributeSamples.fault(ones(opcode, size + 1)), AttributeFault(.tooLong, at: size), "\(opcode)")
      expectEqual(AttributeSamples.fault(ones(opcode, size + 9)), AttributeFault(.tooLong, at: size), "\(opcode)")
    }
  }

  @Test func `a PDU that ends with a value of any size is refused where its fixed fields are not whole`() throws {
    let sizes: [(opcode: UInt8, least: Int)] = [
      (0x06, 7), (0x0B, 1), (0x0D, 1), (0x0F, 1), (0x12, 3), (0x16, 5), (0x17, 5), (0x1B, 3), (0x1D, 3), (0x52, 3),
      (0xD2, 15),
    ]
    for (opcode, least) in sizes {
      for count in 0..<least {
        expectEqual(AttributeSamples.fault(ones(opcode, count)), AttributeFault(.tooShort, at: count), "\(opcode)")
      }
      for count in [least, least + 1, 517] {
        expectEqual(AttributeSamples.fault(ones(opcode, count)), nil, "\(opcode)")
        try expectEqual(AttributeSamples.read(ones(opcode, count)).bytes, ones(opcode, count))
      }
    }
  }

  @Test func `a PDU has at most as many bytes as the ATT_MTU`() {
    expectEqual(AttributeSamples.fault(ones(0x0B, 517)), nil)
    expectEqual(AttributeSamples.fault(ones(0x0B, 518)), AttributeFault(.tooLong, at: 517))
    expectEqual(AttributeSamples.fault(ones(0x0B, 23), mtu: 23), nil)
    expectEqual(AttributeSamples.fault(ones(0x0B, 24), mtu: 23), AttributeFault(.tooLong, at: 23))
    expectEqual(AttributeSamples.fault(ones(0x0B, 600), mtu: 600), nil)
    // Before its kind is looked at.
    expectEqual(AttributeSamples.fault(ones(0xFF, 518)), AttributeFault(.tooLong, at: 517))
  }

  @Test func `an opcode without a kind of PDU is refused, and each with a kind is not`() {
    let known = Set(AttributePDU.Opcode.allCases.map(\.rawValue))
    for opcode in UInt8.min...UInt8.max {
      let found = AttributeSamples.fault([opcode])
      expectEqual((found == AttributeFault(.unknownOpcode, at: 0)), !known.contains(opcode), "\(opcode)")
    }
  }

  @Test func `the type in a request has 2 bytes or 16`() {
    for opcode: UInt8 in [0x08, 0x10] {
      for count in 1...6 {
        expectEqual(AttributeSamples.fault(ones(opcode, count)), AttributeFault(.tooShort, at: count))
      }
      expectEqual(AttributeSamples.fault(ones(opcode, 7)), nil)
      for count in 8...20 { expectEqual(AttributeSamples.fault(ones(opcode, count)), AttributeFault(.badUUID, at: 5)) }
      expectEqual(AttributeSamples.fault(ones(opcode, 21)), nil)
      expectEqual(AttributeSamples.fault(ones(opcode, 22)), AttributeFault(.badUUID, at: 5))
      // The size is looked at before the handles.
      expectEqual(AttributeSamples.fault([opcode, 0, 0, 0, 0, 0, 0, 0]), AttributeFault(.badUUID, at: 5))
    }
  }

  @Test func `handle 0 is refused wherever an attribute is named, and handles of one byte are not`() {
    let places: [(text: String, offset: Int)] = [
      ("04 05 05 05 05", 1), ("05 01 05 05 00 28", 2), ("05 01 01 00 00 28 05 05 00 28", 6),
      ("06 05 05 05 05 00 28", 1), ("07 05 05 05 05", 1), ("07 01 00 01 00 05 05 05 05", 5),
      ("08 05 05 05 05 00 28", 1), ("09 03 05 05 07", 2), ("09 03 01 00 07 05 05 07", 5), ("0A 05 05", 1),
      ("0C 05 05 00 00", 1), ("0E 05 05 01 00", 1), ("0E 01 00 05 05", 3), ("10 05 05 05 05 00 28", 1),
      ("11 06 05 05 05 05 00 18", 2), ("11 06 01 00 01 00 00 18 05 05 05 05 00 18", 8), ("12 05 05 07", 1),
      ("16 05 05 00 00", 1), ("17 05 05 00 00", 1), ("1B 05 05", 1), ("1D 05 05", 1), ("20 05 05 01 00", 1),
      ("20 01 00 05 05", 3), ("23 05 05 00 00 01 00 00 00", 1), ("23 01 00 01 00 07 05 05 00 00", 6), ("52 05 05", 1),
      ("D2 05 05 00 00 00 00 00 00 00 00 00 00 00 00", 1),
    ]
    for (text, offset) in places {
      var bytes = AttributeSamples.hex(text)
      expectEqual(AttributeSamples.fault(bytes), nil, "\(text)")
      (bytes[offset], bytes[offset + 1]) = (0, 0)
      expectEqual(AttributeSamples.fault(bytes), AttributeFault(.zeroHandle, at: offset), "\(text)")
      (bytes[offset], bytes[offset + 1]) = (1, 0)
      expectEqual(AttributeSamples.fault(bytes), nil, "\(text)")
      (bytes[offset], bytes[offset + 1]) = (0, 1)
      expectEqual(AttributeSamples.fault(bytes), nil, "\(text)")
    }
    // An error may be one of no attribute.
    expectEqual(fault("01 0A 00 00 01"), nil)
  }

  @Test func `a range whose first handle is above its last one is refused, and one of a single handle is not`() {
    let places: [(before: String, behind: String, offset: Int)] = [
      ("04", "", 1), ("06", "00 28", 1), ("07", "", 1), ("07 01 00 01 00", "", 5), ("08", "00 28", 1),
      ("10", "00 28", 1), ("11 06", "00 18", 2), ("11 05 01 00 01 00 07", "07", 7),
    ]
    for (before, behind, offset) in places {
      let reversed = AttributeFault(.reversedRange, at: offset)
      expectEqual(fault("\(before) 05 00 05 00 \(behind)"), nil)
      expectEqual(fault("\(before) 05 00 06 00 \(behind)"), nil)
      expectEqual(fault("\(before) 06 00 05 00 \(behind)"), reversed)
      expectEqual(fault("\(before) FF 00 00 01 \(behind)"), nil)
      expectEqual(fault("\(before) 00 01 FF 00 \(behind)"), reversed)
      expectEqual(fault("\(before) FF FF FF FF \(behind)"), nil)
      expectEqual(fault("\(before) 01 00 00 00 \(behind)"), reversed)
    }
  }

  @Test func `a list of types is of format 1 or 2, and ends with a whole entry of that format`() {
    let long = "01 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F"
    expectEqual(fault("05"), AttributeFault(.tooShort, at: 1))
    expectEqual(fault("05 00 01 00 00 28"), AttributeFault(.badFormat, at: 1))
    expectEqual(fault("05 03 01 00 00 28"), AttributeFault(.badFormat, at: 1))
    for format in ["01", "02"] { expectEqual(fault("05 \(format)"), AttributeFault(.emptyList, at: 2)) }
    expectEqual(fault("05 01 01 00 00"), AttributeFault(.partOfEntry, at: 2))
    expectEqual(fault("05 01 01 00 00 28"), nil)
    expectEqual(fault("05 01 01 00 00 28 02"), AttributeFault(.partOfEntry, at: 6))
    expectEqual(fault("05 01 01 00 00 28 02 00 01 28"), nil)
    expectEqual(fault("05 02 \(long)"), nil)
    expectEqual(fault("05 02 \(long.dropLast(3))"), AttributeFault(.partOfEntry, at: 2))
    expectEqual(fault("05 02 \(long) 02"), AttributeFault(.partOfEntry, at: 20))
    expectEqual(fault("05 02 \(long) \(long)"), nil)
    // Entries of the other format: the short ones leave a part, the long ones would be four and a half.
    expectEqual(fault("05 02 01 00 00 28"), AttributeFault(.partOfEntry, at: 2))
    expectEqual(fault("05 01 \(long)"), AttributeFault(.partOfEntry, at: 18))
    expectEqual(fault("05 01 01 00 00 28 \(long)"), AttributeFault(.partOfEntry, at: 22))
  }

  @Test func `a list of ranges ends with a whole range`() {
    expectEqual(fault("07"), AttributeFault(.emptyList, at: 1))
    expectEqual(fault("07 01 00 01"), AttributeFault(.partOfEntry, at: 1))
    expectEqual(fault("07 01 00 01 00"), nil)
    expectEqual(fault("07 01 00 01 00 02"), AttributeFault(.partOfEntry, at: 5))
    expectEqual(fault("07 01 00 01 00 02 00 02 00"), nil)
  }

  @Test func `the size of an entry has room for its handles, and divides what follows`() {
    expectEqual(fault("09"), AttributeFault(.tooShort, at: 1))
    expectEqual(fault("11"), AttributeFault(.tooShort, at: 1))
    // Of no bytes, and of one byte less than the handles need.
    for size in ["00", "01"] { expectEqual(fault("09 \(size) 01 00"), AttributeFault(.badEntrySize, at: 1)) }
    for size in ["00", "03"] { expectEqual(fault("11 \(size) 01 00 01 00"), AttributeFault(.badEntrySize, at: 1)) }
    expectEqual(fault("09 02 01 00"), nil)
    expectEqual(fault("11 04 01 00 01 00"), nil)
    expectEqual(fault("09 02"), AttributeFault(.emptyList, at: 2))
    expectEqual(fault("11 04"), AttributeFault(.emptyList, at: 2))
    expectEqual(fault("09 03 01 00"), AttributeFault(.partOfEntry, at: 2))
    expectEqual(fault("09 03 01 00 07"), nil)
    expectEqual(fault("09 03 01 00 07 02"), AttributeFault(.partOfEntry, at: 5))
    expectEqual(fault("09 03 01 00 07 02 00"), AttributeFault(.partOfEntry, at: 5))
    expectEqual(fault("09 03 01 00 07 02 00 07"), nil)
    expectEqual(fault("09 FF 01 00 07"), AttributeFault(.partOfEntry, at: 2))
    expectEqual(fault("11 06 01 00 01 00 00"), AttributeFault(.partOfEntry, at: 2))
    expectEqual(fault("11 06 01 00 01 00 00 18"), nil)
    expectEqual(fault("11 06 01 00 01 00 00 18 02"), AttributeFault(.partOfEntry, at: 8))
  }

  @Test func `a read of several attributes names two or more, each with a whole handle`() {
    for opcode in ["0E", "20"] {
      expectEqual(fault(opcode), AttributeFault(.emptyList, at: 1))
      expectEqual(fault("\(opcode) 01"), AttributeFault(.partOfEntry, at: 1))
      expectEqual(fault("\(opcode) 01 00"), AttributeFault(.tooFewEntries, at: 3))
      expectEqual(fault("\(opcode) 01 00 02"), AttributeFault(.partOfEntry, at: 3))
      expectEqual(fault("\(opcode) 01 00 02 00"), nil)
      expectEqual(fault("\(opcode) 01 00 02 00 03"), AttributeFault(.partOfEntry, at: 5))
      expectEqual(fault("\(opcode) 01 00 02 00 03 00"), nil)
    }
  }

  @Test func `of values behind their sizes the last one may be cut, but not inside its size`() throws {
    expectEqual(fault("21"), AttributeFault(.emptyList, at: 1))
    expectEqual(fault("21 01"), AttributeFault(.partOfEntry, at: 1))
    try expectEqual(AttributeSamples.read([0x21, 1, 0]), .readMultipleVariableResponse([.init(size: 1, [])]))
    try expectEqual(AttributeSamples.read([0x21, 1, 0, 7]), .readMultipleVariableResponse([.init(size: 1, [7])]))
    expectEqual(fault("21 01 00 07 01"), AttributeFault(.partOfEntry, at: 4))
    try expectEqual(
      AttributeSamples.read([0x21, 1, 0, 7, 0xFF, 0xFF, 8]),
      .readMultipleVariableResponse([.init(size: 1, [7]), .init(size: 0xFFFF, [8])]))
  }

  @Test func `of the values of a notification each has to be whole`() {
    expectEqual(fault("23"), AttributeFault(.emptyList, at: 1))
    expectEqual(fault("23 01"), AttributeFault(.partOfEntry, at: 1))
    expectEqual(fault("23 01 00 00"), AttributeFault(.partOfEntry, at: 1))
    expectEqual(fault("23 01 00 00 00"), nil)
    expectEqual(fault("23 01 00 01 00"), AttributeFault(.overrun, at: 3))
    expectEqual(fault("23 01 00 01 00 07"), nil)
    expectEqual(fault("23 01 00 01 00 07 02 00 00"), AttributeFault(.partOfEntry, at: 6))
    expectEqual(fault("23 01 00 01 00 07 02 00 00 00"), nil)
    expectEqual(fault("23 01 00 01 00 07 02 00 02 00 08"), AttributeFault(.overrun, at: 8))
    expectEqual(fault("23 01 00 01 00 07 02 00 02 00 08 09"), nil)
    expectEqual(fault("23 01 00 FF FF 07"), AttributeFault(.overrun, at: 3))
  }

  @Test func `an execution of writes says 0 or 1`() {
    expectEqual(fault("18 00"), nil)
    expectEqual(fault("18 01"), nil)
    expectEqual(fault("18 02"), AttributeFault(.badFlags, at: 1))
    expectEqual(fault("18 FF"), AttributeFault(.badFlags, at: 1))
  }

  @Test func `each fault of a request has the error that a server answers with`() {
    for reason in AttributeFault.Reason.allCases {
      let expected: AttributeError =
        switch reason {
        case .unknownOpcode: .requestNotSupported
        case .zeroHandle, .reversedRange: .invalidHandle
        default: .invalidPDU
        }
      expectEqual(AttributeFault(reason, at: 0).error, expected)
    }
  }
}

@Suite struct ChannelFrameTests {
  private func result(_ bytes: [UInt8]) -> Result<ChannelFrame, RadioFault> {
    bytes.withUnsafeBytes { raw in
      do throws(RadioFault) { return .success(try ChannelFrame(raw)) } catch { return .failure(error) }
    }
  }

  @Test func `a frame is read as it was written, and bytes behind it are not its own`() throws {
    let channels: [(ChannelFrame.Channel, number: UInt8)] = [(.attributes, 4), (.signalling, 5), (.security, 6)]
    for (channel, number) in channels {
      let bytes = ChannelFrame.bytes(channel, [0x0A, 3, 0])
      expectEqual(bytes, [3, 0, number, 0, 0x0A, 3, 0])
      for tail in [[], [9], [9, 9]] as [[UInt8]] {
        let frame = try result(bytes + tail).get()
        expectEqual(frame.channel, channel)
        expectEqual(frame.payload, 4..<7)
        expectEqual(frame.byteCount, 7)
      }
    }
    let channel = ChannelFrame.Channel(rawValue: 0x1234)
    let longest = ChannelFrame.bytes(channel, [UInt8](repeating: 7, count: ChannelFrame.payloadBytesMaximum))
    expectEqual(longest.prefix(4), [0xFF, 0xFF, 0x34, 0x12])
    try expectEqual(result(longest).get().payload, 4..<65539)
    try expectEqual(result(longest).get().channel, channel)
  }

  @Test func `a frame without a whole header or a whole payload is refused where its bytes end`() throws {
    let bytes = ChannelFrame.bytes(.attributes, [0x0A, 3, 0])
    for count in 0..<4 { expectEqual(result(Array(bytes[..<count])), .failure(RadioFault(.tooShort, at: count))) }
    for count in 4..<7 { expectEqual(result(Array(bytes[..<count])), .failure(RadioFault(.cut, at: count))) }
    try expectEqual(result(bytes).get().byteCount, 7)
    try expectEqual(result([0, 0, 4, 0]).get().payload, 4..<4)
    expectEqual(result([1, 0, 4, 0]), .failure(RadioFault(.cut, at: 4)))
    expectEqual(result([0, 1, 4, 0]), .failure(RadioFault(.cut, at: 4)))
  }
}
