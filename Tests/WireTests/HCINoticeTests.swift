import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

/// Events as a host reads them, and commands as it writes them.
@Suite struct HCINoticeTests {
  private let lamp = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)

  /// Reads an event with its kind, code and length before it.
  private func read(_ event: [UInt8]) throws(RadioFault) -> HCINotice {
    try read(event[1], Array(event[3...]))
  }

  private func read(_ code: UInt8, _ parameters: [UInt8]) throws(RadioFault) -> HCINotice {
    let result = parameters.withUnsafeBytes { bytes -> Result<HCINotice, RadioFault> in
      do throws(RadioFault) { return .success(try HCINotice(event: UInt16(code), bytes)) } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  @Test("events of a controller are read as they were meant")
  func events() throws {
    try expectEqual(read(HCIEvent.commandComplete(.reset, [0, 7])), .completed(.reset, results: [0, 7], room: 1))
    try expectEqual(
      read(HCIEvent.commandStatus(.disconnect, .unknownConnection)), .begun(.disconnect, status: 2, room: 1))
    try expectEqual(
      read(HCIEvent.disconnectionComplete(0x0E01, .connectionTimeout)),
      .disconnected(handle: 0x0E01, status: 0, reason: 8))
    let sent = [3, 0, 2, 0, 5, 0, 1, 1].map { UInt8($0) }
    guard case .sent(let packets) = try read(HCIEvent.bytes(HCIEvent.completedPacketsCode, [2] + sent)) else {
      Issue.record("no number of packets")
      return
    }
    #expect(packets.map(\.handle) == [3, 5] && packets.map(\.count) == [2, 257])
    let parameters = LinkParameters(interval: .milliseconds(45), latency: 3, timeout: .seconds(6))
    let connection = HCIEvent.connectionComplete(.success, 9, .peripheral, peer: lamp, parameters)
    guard case .connected(let found) = try read(connection) else {
      Issue.record("no connection")
      return
    }
    #expect(found.status == 0 && found.handle == 9 && found.role == .peripheral && found.peer == lamp)
    expectEqual(found.parameters, parameters)
    let report = AdvertisingReport(
      kind: .connectable, isConnectable: true, isScanResponse: false, address: lamp, strength: -60, data: [2, 1, 6])
    try expectEqual(read(HCIEvent.extendedReport(report)), .heard([report]))
    try expectEqual(read(try #require(HCIEvent.report(report))), .heard([report]))
    try expectEqual(read(HCIEvent.le(HCIEvent.dataLengthChange, [])), .other)
    try expectEqual(read(0x77, []), .other)
  }

  @Test("an event that is cut is refused with the place where it ends")
  func cut() throws {
    let events = [
      HCIEvent.commandComplete(.reset, []), HCIEvent.commandStatus(.reset, .success),
      HCIEvent.disconnectionComplete(1, .connectionTimeout), HCIEvent.completedPackets(1, 2),
      HCIEvent.connectionComplete(.success, 9, .central, peer: lamp, LinkParameters()),
    ]
    for event in events {
      let parameters = Array(event[3...])
      for count in 0..<parameters.count {
        #expect(throws: RadioFault(.cut, at: count)) { try read(event[1], Array(parameters.prefix(count))) }
      }
    }
    var role = Array(events[4][3...])
    role[4] = 2
    #expect(throws: RadioFault(.unknownKind, at: 4)) { try read(HCIEvent.leMetaCode, role) }
  }

  @Test("commands have the bytes of the standard, and times stay inside its bounds")
  func commands() {
    expectEqual(HCICommand.bytes(.reset), [1, 0x03, 0x0C, 0])
    expectEqual(HCICommand.mask([1, 0x0D]), [0x01, 0x10, 0, 0, 0, 0, 0, 0])
    expectEqual(
      HCICommand.scanParameters(window: .seconds(60), interval: .milliseconds(30), isActive: true, isRandom: true),
      [1, 0, 1, 1, 0x30, 0, 0x30, 0])
    expectEqual(
      HCICommand.advertisingParameters(2, .connectable, every: .milliseconds(1), isRandom: false, to: nil),
      [2, 0x13, 0, 0x20, 0, 0, 0x20, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 1, 0, 1, 0, 0])
    expectEqual(
      HCICommand.advertisingParameters(2, .scanRequest, every: .milliseconds(1), isRandom: false, to: nil), nil)
    expectEqual(
      HCICommand.connect(LinkParameters(), isRandom: true),
      [1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0x60, 0, 0x60, 0, 24, 0, 24, 0, 0, 0, 0x90, 1, 0, 0, 0, 0])
    expectEqual(
      HCICommand.data(7, [1, 2, 3], packetBytesMaximum: 2), [[2, 7, 0, 2, 0, 1, 2], [2, 7, 0x10, 1, 0, 3]])
    expectEqual(HCICommand.data(7, [], packetBytesMaximum: 2), [[2, 7, 0, 0, 0]])
  }
}
