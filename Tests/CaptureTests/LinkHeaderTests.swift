import RollcallCaptureSupport
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("Link and tunnel headers at their bounds") struct LinkHeaderTests {
  private static func hex(_ value: some BinaryInteger) -> String { String(value, radix: 16) }

  private static let macs: [UInt8] = [1, 2, 3, 4, 5, 6, 0xF7, 8, 9, 10, 11, 12]

  private func ethernet(_ frame: UnsafeRawBufferPointer) -> String? {
    guard let base = frame.baseAddress, let payload = EtherPayload(base, count: frame.count, typeOffset: 12) else {
      return nil
    }
    return "\(Self.hex(payload.etherType.rawValue)) at \(payload.offset), VLAN \(payload.vlan)"
  }

  @Test("an Ethernet header ends behind its last tag; the VLAN is the twelve bits of that one")
  func tags() {
    let headers: [([UInt8], String)] = [
      ([8, 0], "800 at 14, VLAN -1"), ([0x86, 0xDD], "86dd at 14, VLAN -1"), ([0x93, 0], "9300 at 14, VLAN -1"),
      ([0x81, 0, 0xF0, 7, 8, 0], "800 at 18, VLAN 7"), ([0x88, 0xA8, 0xFF, 0xFF, 8, 6], "806 at 18, VLAN 4095"),
      ([0x91, 0, 0x10, 0, 8, 0], "800 at 18, VLAN 0"), ([0x92, 0, 0x08, 0, 8, 0], "800 at 18, VLAN 2048"),
      ([0x88, 0xA8, 0, 1, 0x81, 0, 0, 2, 8, 0], "800 at 22, VLAN 2"), ([5, 0xDD], "5dd at 14, VLAN -1"),
    ]
    for (bytes, expected) in headers {
      let wrong = misreadings(of: Self.macs + bytes, expected) { ethernet($0) }
      expectEqual(wrong, [])
    }
    expectEqual((UInt16.min...UInt16.max).filter { EtherType(rawValue: $0).isTag }, [0x8100, 0x88A8, 0x9100, 0x9200])
  }

  @Test("a length up to 1500 and the six bytes of SNAP lead to an EtherType, anything else is left as it is")
  func snap() {
    let snap: [UInt8] = [0xAA, 0xAA, 3, 0, 0, 0, 0x86, 0xDD]
    func read(_ type: [UInt8], _ behind: [UInt8]) -> String? {
      (Self.macs + type + behind).withUnsafeBytes { ethernet($0) }
    }
    #expect(read([5, 0xDC], snap) == "86dd at 22, VLAN -1" && read([0, 0], snap) == "86dd at 22, VLAN -1")
    #expect(read([5, 0xDD], snap) == "5dd at 14, VLAN -1" && read([6, 0], snap) == "600 at 14, VLAN -1")
    expectEqual(read([0x81, 0, 0, 9, 5, 0xDC], snap), "86dd at 26, VLAN 9")
    for count in 0..<8 { expectEqual(read([5, 0xDC], Array(snap[..<count])), "5dc at 14, VLAN -1") }
    for place in 0..<6 {
      var other = snap
      other[place] ^= 1
      expectEqual(read([5, 0xDC], other), "5dc at 14, VLAN -1", "byte \(place)")
    }
  }

  @Test("a group goes to the link address of its low 23 or 32 bits")
  func groups() throws {
    let groups: [(String, String?)] = [
      ("224.0.0.0", "01:00:5e:00:00:00"), ("239.255.255.255", "01:00:5e:7f:ff:ff"),
      ("224.128.1.2", "01:00:5e:00:01:02"),
      ("224.127.1.2", "01:00:5e:7f:01:02"), ("223.255.255.255", nil), ("240.0.0.0", nil),
      ("255.255.255.255", "ff:ff:ff:ff:ff:ff"), ("ff02::1:ff12:3456", "33:33:ff:12:34:56"),
      ("ff02::1:1:0:1", "33:33:00:00:00:01"), ("fe80::1", nil),
    ]
    for (text, expected) in groups {
      let address = MACAddress(group: try #require(IPAddress(text)))
      #expect(address?.description == expected && address?.isGroup ?? true, "\(text)")
    }
    expectEqual(MACAddress(bits: 0xFFFF_FEFF_FFFF_FFFF), MACAddress(0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF))
    #expect(!MACAddress(0xFE, 0xFF, 0, 0, 0, 0).isGroup && MACAddress(1, 0, 0, 0, 0, 0).isGroup)
  }

  @Test("a GRE header is as long as its flags say, of version 0 or 1, and has no source routes")
  func gre() {
    let headers: [(UInt8, UInt8, Int)] = [
      (0, 0, 4), (0x80, 0, 8), (0x20, 0, 8), (0x10, 0, 8), (0xA0, 0, 12), (0xB0, 0, 16), (0x0F, 0x78, 4), (0, 0x80, 4),
      (0, 1, 4), (0, 0x81, 8), (0x30, 0x81, 16), (0xB0, 0x81, 20),
    ]
    for (first, second, count) in headers {
      let bytes = [first, second, 0x65, 0x58] + [UInt8](repeating: 0xEE, count: count - 4)
      let wrong = misreadings(of: bytes, "6558 at \(count)") { packet in
        GREHeader(packet).map { "\(Self.hex($0.protocolType.rawValue)) at \($0.headerBytes)" }
      }
      expectEqual(wrong, [])
    }
    for (first, second) in [(0x40, 0), (0xF0, 0), (0, 2), (0, 3), (0, 4), (0, 7)] as [(UInt8, UInt8)] {
      let bytes = [first, second] + [UInt8](repeating: 0, count: 40)
      expectEqual(bytes.withUnsafeBytes { GREHeader($0) }, nil)
    }
  }

  @Test("PPP has address and control or not, a number of one byte or two; Cisco HDLC has an EtherType")
  func ppp() {
    func read(_ bytes: [UInt8]) -> String {
      bytes.withUnsafeBytes { packet -> String in
        guard let header = PPPHeader(packet) else { return "cut" }
        let type = header.etherType.map { Self.hex($0.rawValue) } ?? "-"
        return "\(Self.hex(header.protocolNumber)) \(type) \(header.headerBytes)"
      }
    }
    let headers: [([UInt8], String)] = [
      ([0, 0x21], "21 - 2"), ([0xFF, 3, 0, 0x57], "57 - 4"), ([0xFF, 3, 0x57], "57 - 3"), ([0x21, 0], "21 - 1"),
      ([0xFF, 4], "ff - 1"), ([0xFE, 3], "fe03 - 2"), ([0x80, 0x21], "8021 - 2"), ([0x0F, 0, 8, 0], "0 800 4"),
      ([0x8F, 0, 0x86, 0xDD], "0 86dd 4"), ([0x0F, 1], "f - 1"), ([0x0E, 0, 8, 0], "e00 - 2"), ([], "cut"),
      ([0x21], "cut"),
      ([0xFF, 3], "cut"), ([0xFF, 3, 0], "cut"), ([0x0F, 0, 8], "cut"), ([0x8F, 0], "cut"),
    ]
    for (bytes, expected) in headers { expectEqual(read(bytes), expected, "\(bytes)") }
  }

  @Test("PPPoE of a session has six bytes and ends where it says; MPLS ends at the bottom of at most 16 labels")
  func sessionsAndLabels() {
    let wrong = misreadings(of: [0x11, 0, 0xAB, 0xCD, 1, 4], "260: 6 265 266 266") { packet in
      PPPoEHeader(packet).map { header in
        "\(header.payloadBytes): " + [6, 265, 266, 267].map { "\(header.end(within: $0))" }.joined(separator: " ")
      }
    }
    expectEqual(wrong, [])
    for start in [[0x11, 9], [0x10, 0], [0x12, 0], [0x21, 0], [0x11, 1]] as [[UInt8]] {
      expectEqual((start + [0, 0, 0, 4, 0, 0]).withUnsafeBytes { PPPoEHeader($0) }, nil)
    }
    for count in 0...18 {
      var labels = [UInt8](repeating: 0xFE, count: 4 * count)
      if count > 0 { labels[4 * count - 2] = 1 }
      let expected = (1...16).contains(count) ? 4 * count : nil
      expectEqual((labels + [0xFF]).withUnsafeBytes { MPLSLabels.byteCount($0) }, expected, "\(count) labels")
      if count > 0 { expectEqual(Array(labels.dropLast()).withUnsafeBytes { MPLSLabels.byteCount($0) }, nil) }
    }
  }

  @Test("an 802.11 header is as long as its flags say; only whole packets in the clear are read")
  func wireless() {
    func read(_ bytes: [UInt8]) -> String? {
      bytes.withUnsafeBytes { frame in WirelessHeader(frame).map { "\($0.content) \($0.headerBytes)" } }
    }
    // Control, flags, the byte of the fragment's number, the one of QoS, what it is, how long it is.
    let frames: [(UInt8, UInt8, UInt8, UInt8, String, Int)] = [
      (0x08, 0, 0, 0, "packet", 24), (0x08, 1, 0, 0, "packet", 24), (0x08, 2, 0xF0, 0, "packet", 24),
      (0x08, 3, 0, 0, "packet", 30), (0x18, 0x80, 0, 0, "packet", 24), (0x88, 0, 0, 0x7F, "packet", 26),
      (0x88, 3, 0, 0, "packet", 32), (0x88, 0x80, 0, 0, "packet", 30), (0x88, 0x83, 0, 0, "packet", 36),
      (0x88, 0, 0, 0x80, "pieces", 26), (0x88, 3, 0, 0x80, "pieces", 32), (0x08, 4, 0, 0, "pieces", 24),
      (0x08, 0, 1, 0, "pieces", 24), (0x08, 0, 8, 0, "pieces", 24), (0x08, 0x40, 1, 0, "protected", 24),
      (0x88, 0x44, 0, 0x80, "protected", 26), (0xB8, 0x38, 0, 0, "packet", 26),
    ]
    for (control, flags, fragment, qos, content, count) in frames {
      var bytes = [control, flags] + [UInt8](repeating: 0, count: count - 2)
      bytes[22] = fragment
      if control & 0x80 != 0 { bytes[flags & 3 == 3 ? 30 : 24] = qos }
      #expect(read(bytes) == "\(content) \(count)" && read(bytes + [0xFF]) == "\(content) \(count)", "\(bytes)")
      for cut in 0..<count { expectEqual(read(Array(bytes[..<cut])), nil, "\(cut) of \(bytes)") }
    }
    for control in [0x00, 0x04, 0x0C, 0x80, 0xB4, 0x48, 0x58, 0xC8] as [UInt8] {
      #expect(read([control, 0]) == "nothing 0" && read([control]) == nil)
    }
    for control in [0x09, 0x0A, 0x0B, 0x8B] as [UInt8] {
      expectEqual(read([control, 0] + [UInt8](repeating: 0, count: 40)), nil)
    }
  }

  @Test("radiotap tells of padding in its second field, behind all words of the bit map and an aligned time")
  func radiotap() {
    func header(_ count: UInt8, _ words: [UInt32], _ place: Int, _ flags: UInt8, version: UInt8 = 0) -> [UInt8] {
      var bytes: [UInt8] = [version, 0, count, 0]
      for word in words { bytes += (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
      bytes += [UInt8](repeating: 0, count: max(0, Int(count) - bytes.count))
      if place < bytes.count { bytes[place] = flags }
      return bytes
    }
    func read(_ bytes: [UInt8]) -> String? {
      bytes.withUnsafeBytes { frame in RadiotapHeader(frame).map { "\($0.headerBytes) \($0.padsHeader)" } }
    }
    let more: UInt32 = 0x8000_0000
    let headers: [([UInt8], String?)] = [
      (header(8, [0], 99, 0), "8 false"), (header(9, [0], 8, 0x20), "9 false"), (header(9, [2], 8, 0x20), "9 true"),
      (header(9, [2], 8, 0xDF), "9 false"), (header(8, [2], 99, 0), nil), (header(17, [3], 16, 0x20), "17 true"),
      (header(17, [3], 8, 0x20), "17 false"), (header(16, [3], 8, 0x20), nil),
      (header(13, [2 | more, 0], 12, 0x20), "13 true"),
      (header(12, [2 | more, 0], 8, 0x20), nil), (header(25, [3 | more, 0], 24, 0x20), "25 true"),
      (header(25, [3 | more, more, 0], 24, 0x20), "25 true"),
      (header(33, [3 | more, more, more, 0], 32, 0x20), "33 true"),
      (header(11, [2 | more], 99, 0), nil), (header(12, [2 | more, more], 99, 0), nil), (header(7, [0], 99, 0), nil),
      (header(9, [2], 8, 0x20, version: 1), nil), ([0, 0, 9, 1, 0, 0, 0, 0, 0], nil),
    ]
    for (bytes, expected) in headers {
      expectEqual(read(bytes), expected, "\(bytes)")
      expectEqual(read(bytes + [0x20]), expected, "\(bytes)")
      expectEqual(read(Array(bytes.dropLast())), nil, "\(bytes)")
    }
  }
}
