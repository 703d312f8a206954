import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@Suite("TCP segments")
struct TCPTests {
  private let pairs: [(Endpoint, Endpoint)] = [
    (Endpoint(IPAddress(192, 168, 1, 2), port: 49_152), Endpoint(IPAddress(192, 168, 1, 20), port: 80)),
    (
      Endpoint(IPAddress(v6High: 0xFE80 << 48, low: 1), port: 49_152),
      Endpoint(IPAddress(v6High: 0xFE80 << 48, low: 2), port: 80)
    ),
  ]

  private func header(_ bytes: [UInt8]) -> TCPHeader? { bytes.withUnsafeBytes { TCPHeader($0) } }

  @Test("what is written is read back, and its checksum covers all of it")
  func roundTrip() {
    for (source, destination) in pairs {
      for (flags, size, payload) in [
        (TCPFlags.syn, UInt16(1_460), []), ([.psh, .ack], nil, [1, 2, 3]), ([.fin, .ack], nil, []), (.rst, nil, [9]),
      ] as [(TCPFlags, UInt16?, [UInt8])] {
        let segment = TCPSegment(
          from: source, to: destination, sequence: 0xFFFF_FFFE, acknowledgment: 0x0102_0304, flags: flags,
          window: 0x1234, segmentBytesMaximum: size, payload: payload)
        let bytes = segment.bytes
        let read = header(bytes)
        expectEqual(read?.sourcePort, 49_152)
        expectEqual(read?.destinationPort, 80)
        expectEqual(read?.sequence, 0xFFFF_FFFE)
        expectEqual(read?.window, 0x1234)
        expectEqual(read?.flags, flags)
        // Without its flag an acknowledgement says nothing.
        let acknowledgment: UInt32 = flags.contains(.ack) ? 0x0102_0304 : 0
        expectEqual(read?.acknowledgment, acknowledgment)
        let headerBytes = size == nil ? 20 : 24
        expectEqual(read?.headerBytes, headerBytes)
        expectEqual(Array(bytes.dropFirst(read?.headerBytes ?? 0)), payload)
        if size != nil { expectEqual(Array(bytes[20..<24]), [2, 4, 0x05, 0xB4]) }
        var sum = InternetChecksum()
        sum.addPseudoHeader(
          source: source.address, destination: destination.address, protocolNumber: 6, byteCount: bytes.count)
        bytes.withUnsafeBytes { sum.add($0) }
        expectEqual(sum.value, 0)
      }
    }
  }

  @Test("a header that is cut, or says that it is shorter than 20 bytes or longer than the segment, is none")
  func cut() {
    let bytes = TCPSegment(
      from: pairs[0].0, to: pairs[0].1, sequence: 1, flags: .syn, segmentBytesMaximum: 1_460
    ).bytes
    for count in 0..<24 { expectEqual(header(Array(bytes.prefix(count))), nil, "\(count)") }
    #expect(header(bytes) != nil)
    for words in UInt8(0)...15 {
      var other = bytes
      other[12] = words << 4
      expectEqual((header(other) != nil), (5...6).contains(words), "\(words)")
    }
  }

  @Test("a frame holds the segment behind its headers, and is none between two families")
  func frames() {
    let link = LinkAddresses(source: MACAddress(2, 0, 0, 0, 0, 1), destination: MACAddress(2, 0, 0, 0, 0, 2))
    for (source, destination) in pairs {
      let segment = TCPSegment(from: source, to: destination, sequence: 1, flags: .ack, payload: [7])
      let frame = FrameWriter.tcp(link, segment, identification: 5)
      expectEqual(frame.map { Array($0.suffix(21)) }, segment.bytes)
      let headerBytes = source.address.family == .v4 ? 34 : 54
      expectEqual(frame?.count, headerBytes + 21)
    }
    let mixed = TCPSegment(from: pairs[0].0, to: pairs[1].1, sequence: 1, flags: .ack)
    expectEqual(FrameWriter.tcp(link, mixed), nil)
  }
}
