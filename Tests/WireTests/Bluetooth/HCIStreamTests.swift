import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

/// Packets between a host and its controller: how a stream is cut into them, and the events that we write.
@Suite struct HCIStreamTests {
  private let phone = RadioAddress(bits: 0xC400_0000_0002, isRandom: true)

  /// Each packet of the pieces, and the fault that ended it.
  private func read(_ pieces: [[UInt8]], maximum: Int = 300) -> (packets: [[UInt8]], fault: RadioFault?) {
    var stream = HCIStream(packetBytesMaximum: maximum)
    var packets: [[UInt8]] = []
    for piece in pieces {
      stream.append(piece)
      do throws(RadioFault) {
        while let packet = try stream.next() { packets.append(packet) }
      } catch { return (packets, error) }
    }
    return (packets, nil)
  }

  @Test("packets come out whole, however the stream is cut: a byte at a time, or all at once")
  func pieces() {
    let packets: [[UInt8]] = [
      [1, 0x03, 0x0C, 0], [2, 0x01, 0x20, 3, 0, 7, 8, 9], [4, 0x0E, 1, 5], [1, 0x05, 0x20, 2, 1, 2],
      [3, 1, 0, 1, 9], [5, 1, 0, 2, 0x40, 7, 7],
    ]
    let bytes = packets.flatMap { $0 }
    expectEqual(read([bytes]).packets, packets)
    expectEqual(read(bytes.map { [$0] }).packets, packets)
    expectEqual(read([Array(bytes.prefix(9)), Array(bytes.dropFirst(9))]).packets, packets)
    expectEqual(read([Array(bytes.dropLast())]).packets, Array(packets.dropLast()))
  }

  @Test("a kind that is none ends the stream where it stands, and what comes behind it is not read")
  func unknownKind() {
    let found = read([[1, 0x03, 0x0C, 0, 9, 1, 2], [1, 0x03, 0x0C, 0]])
    expectEqual(found.packets, [[1, 0x03, 0x0C, 0]])
    expectEqual(found.fault, RadioFault(.unknownKind, at: 4))
    var stream = HCIStream()
    stream.append([0])
    #expect(throws: RadioFault(.unknownKind, at: 0)) { try stream.next() }
    stream.append([1, 0x03, 0x0C, 0])
    #expect(throws: RadioFault(.unknownKind, at: 0)) { try stream.next() }
  }

  @Test("a packet that is longer than what there is room for ends the stream, before its bytes have come")
  func tooLong() {
    expectEqual(read([[2, 1, 0, 44, 1]], maximum: 305).fault, nil)
    expectEqual(read([[2, 1, 0, 44, 1]], maximum: 304).fault, RadioFault(.badLength, at: 1))
    expectEqual(read([[1, 3, 12, 0], [2, 1, 0, 0xFF, 0xFF]]).fault, RadioFault(.badLength, at: 5))
  }

  @Test("a report says again what was heard, in either form", arguments: [false, true])
  func reports(isExtended: Bool) throws {
    let kinds: [AdvertisingPDU.Kind] = [.connectable, .scannable, .nonconnectable, .directed, .scanResponse]
    for kind in kinds {
      for (strength, isRandom) in [(Int8(-60), true), (nil, false)] {
        let report = AdvertisingReport(
          kind: kind, isConnectable: kind == .connectable || kind == .directed, isScanResponse: kind == .scanResponse,
          address: RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: isRandom), strength: strength,
          data: kind == .directed ? [] : [2, 1, 6])
        let written = isExtended ? HCIEvent.extendedReport(report) : try #require(HCIEvent.report(report))
        let packet = try written.withUnsafeBytes { try HCIPacket.reading(h4: $0) }
        #expect(packet.kind == .event && 1 + packet.content.upperBound == written.count)
        let read = try Array(written[(1 + packet.content.lowerBound)...]).withUnsafeBytes {
          try AdvertisingReport.reports(ofEvent: packet.code, $0)
        }
        expectEqual(read, [report], "\(kind.name), extended \(isExtended)")
      }
    }
  }

  @Test("the four bits of an extended report: connectable, scannable, directed, and an answer to a scanner")
  func extendedReports() throws {
    func report(_ isConnectable: Bool, _ isScannable: Bool, _ isScanResponse: Bool) -> AdvertisingReport {
      var report = AdvertisingReport(
        kind: nil, isConnectable: isConnectable, isScanResponse: isScanResponse, address: phone, strength: -1,
        data: [2, 1, 6])
      report.isScannable = isScannable
      return report
    }
    let rows: [(said: AdvertisingReport, bits: UInt8, mode: UInt8)] = [
      (report(false, false, false), 0, 0), (report(true, false, false), 1, 1), (report(false, true, false), 2, 2),
      (report(false, true, true), 0x0A, 0),
    ]
    for row in rows {
      let event = HCIEvent.extendedReport(row.said)
      expectEqual(event[5], row.bits)
      let read = try Array(event[3...]).withUnsafeBytes { try AdvertisingReport.reports(ofEvent: 0x3E, $0) }
      expectEqual(read, [row.said])
      let bytes = try #require(row.said.pdu)
      let pdu = try bytes.withUnsafeBytes { try AdvertisingPDU($0) }
      expectEqual(pdu.extension?.mode, row.mode)
      expectEqual(pdu.isAuxiliaryResponse(onChannel: nil), row.said.isScanResponse)
    }
    // A directed one says to whom, in either form.
    let forms: [(kind: AdvertisingPDU.Kind?, bits: UInt8)] = [(.directed, 0x15), (nil, 5)]
    for (kind, bits) in forms {
      var directed = report(true, false, false)
      (directed.kind, directed.target, directed.data) = (kind, phone, [])
      let event = HCIEvent.extendedReport(directed)
      expectEqual(event[5], bits)
      expectEqual(Array(event[21...27]), [1] + phone.littleEndian)
    }
  }

  @Test("a legacy report has room for 31 bytes and for packets before extended advertising")
  func noReport() {
    var report = AdvertisingReport(
      kind: nil, isConnectable: false, isScanResponse: false, address: phone, strength: -1, data: [])
    expectEqual(HCIEvent.report(report), nil)
    report.kind = .nonconnectable
    report.data = [UInt8](repeating: 1, count: 31)
    expectEqual(HCIEvent.report(report)?.count, 3 + 12 + 31)
    report.data.append(1)
    expectEqual(HCIEvent.report(report), nil)
  }

  @Test("the scan response of what can only be scanned is told from that of what can be connected to")
  func scannedResponse() {
    let report = AdvertisingReport(
      kind: .scanResponse, isConnectable: false, isScanResponse: true, address: phone, strength: -1, data: [])
    expectEqual(HCIEvent.extendedReport(report, answering: .scannable)[5...6], [0x1A, 0])
    expectEqual(HCIEvent.extendedReport(report, answering: .connectable)[5...6], [0x1B, 0])
  }

  @Test("events as a host stack recorded them from another controller")
  func events() {
    expectEqual(HCIEvent.commandComplete(.reset, [0]), [4, 0x0E, 4, 1, 0x03, 0x0C, 0])
    expectEqual(HCIEvent.commandStatus(.disconnect, .success), [4, 0x0F, 4, 0, 1, 6, 4])
    expectEqual(HCIEvent.disconnectionComplete(1, .remoteUserTerminated), [4, 5, 4, 0, 1, 0, 0x13])
    expectEqual(HCIEvent.completedPackets(1, 1), [4, 0x13, 5, 1, 1, 0, 1, 0])
    expectEqual(
      HCIEvent.connectionComplete(
        .success, 1, .central, peer: RadioAddress(bits: 0xC400_0000_0001, isRandom: true),
        LinkParameters(interval: .milliseconds(15), latency: 0, timeout: .milliseconds(720))),
      [4, 0x3E, 0x13, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0xC4, 0x0C, 0, 0, 0, 0x48, 0, 0])
  }

  @Test("a frame comes in parts that fit, the first of them marked")
  func parts() {
    let frame = [UInt8](0..<10)
    expectEqual(
      HCIEvent.data(0x0ABC, frame, packetBytesMaximum: 4),
      [
        [2, 0xBC, 0x2A, 4, 0, 0, 1, 2, 3], [2, 0xBC, 0x1A, 4, 0, 4, 5, 6, 7], [2, 0xBC, 0x1A, 2, 0, 8, 9],
      ])
    expectEqual(HCIEvent.data(1, frame, packetBytesMaximum: 10), [[2, 1, 0x20, 10, 0] + frame])
    expectEqual(HCIEvent.data(1, [], packetBytesMaximum: 10), [[2, 1, 0x20, 0, 0]])
  }
}
