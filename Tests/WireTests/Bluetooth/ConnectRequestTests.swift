import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallWire

/// The data of CONNECT_IND: its bytes, and what is made up for a new connection.
@Suite struct ConnectRequestTests {
  private func read(_ bytes: [UInt8]) -> ConnectRequest? { bytes.withUnsafeBytes { ConnectRequest($0) } }

  /// Access address, start of the CRC, window and its offset, interval, latency, timeout, channels, hop and accuracy.
  private let example: [UInt8] = [
    0xBC, 0x9C, 0x9A, 0xAF, 0x56, 0x34, 0x12, 2, 0x02, 0x01, 0x18, 0x00, 0x03, 0x00, 0x90, 0x01, 0xFF, 0xFE, 0xFD,
    0xFC, 0x1B, 0xA9,
  ]

  @Test func `each field stands at its place, lowest byte first`() throws {
    let request = try #require(read(example))
    expectEqual(request.accessAddress, 0xAF9A_9CBC)
    expectEqual(request.crcStart, 0x12_3456)
    expectEqual(request.windowUnits, 2)
    expectEqual(request.windowOffsetUnits, 0x0102)
    expectEqual(request.intervalUnits, 24)
    expectEqual(request.latency, 3)
    expectEqual(request.timeoutUnits, 400)
    expectEqual(request.channels, 0x1B_FCFD_FEFF)
    expectEqual(request.hop, 9)
    expectEqual(request.clockAccuracy, 5)
    expectEqual(request.bytes, example)
  }

  @Test func `three bits have no meaning, and another number of bytes is no request`() throws {
    var bytes = example
    bytes[20] |= 0xE0
    expectEqual(read(bytes), read(example))
    for count in [0, 21] { expectEqual(read(Array(example.prefix(count))), nil) }
    expectEqual(read(example + [0]), nil)
    expectEqual(example.count, ConnectRequest.byteCount)
  }

  @Test func `intervals are counted in units of 1_25 ms, timeouts in units of 10 ms`() {
    func units(_ interval: Interval, _ latency: UInt16, _ timeout: Interval) -> [UInt16] {
      let request = ConnectRequest(
        parameters: LinkParameters(interval: interval, latency: latency, timeout: timeout), seed: 1)
      return [request.intervalUnits, request.latency, request.timeoutUnits]
    }
    expectEqual(units(.milliseconds(30), 0, .seconds(4)), [24, 0, 400])
    expectEqual(units(.microseconds(7_500), 1, .milliseconds(100)), [6, 1, 10])
    expectEqual(units(.seconds(4), 499, .seconds(32)), [3_200, 499, 3_200])
    // What no controller takes stands at the bounds of the field.
    expectEqual(units(.hours(1), .max, .hours(1)), [.max, .max, .max])
    expectEqual(units(.milliseconds(-30), 0, .seconds(-4)), [0, 0, 0])
  }

  @Test func `all else is made of the seed`() {
    let request = ConnectRequest(parameters: LinkParameters(), seed: 0x0D12_3456_AF9A_9CBC)
    expectEqual(request.accessAddress, 0xAF9A_9CBC)
    expectEqual(request.crcStart, 0x12_3456)
    expectEqual(request.hop, 6)
    expectEqual(request.channels, ConnectRequest.allChannels)
    #expect([request.windowUnits, request.clockAccuracy] == [2, 0] && request.windowOffsetUnits == 0)
    expectEqual(request, ConnectRequest(parameters: LinkParameters(), seed: 0x0D12_3456_AF9A_9CBC))
    expectEqual(read(request.bytes), request)
  }

  @Test func `any seed makes an address that can be used, and hops of each width`() {
    var (addresses, hops): (Set<UInt32>, Set<UInt8>) = ([], [])
    for number: UInt64 in 0..<1_000 {
      let request = ConnectRequest(parameters: LinkParameters(), seed: number &* 0x9E37_79B9_7F4A_7C15)
      #expect(ConnectRequest.isUsable(request.accessAddress), "\(number)")
      #expect(request.crcStart <= 0xFF_FFFF)
      expectEqual(read(request.bytes), request)
      addresses.insert(request.accessAddress)
      hops.insert(request.hop)
    }
    expectEqual(addresses.count, 1_000)
    expectEqual(hops, Set(5...16))
    // A seed whose own bits are of no use, and one that would be taken for advertising.
    for seed in [0, UInt64(AirFrame.advertisingAddress)] {
      let address = ConnectRequest(parameters: LinkParameters(), seed: seed).accessAddress
      #expect(ConnectRequest.isUsable(address) && UInt64(address) != seed)
    }
  }

  // MARK: - Addresses

  @Test func `an address differs from that of advertising by more than one bit`() {
    let advertising = AirFrame.advertisingAddress
    #expect(!ConnectRequest.isUsable(advertising))
    for bit in 0..<32 { #expect(!ConnectRequest.isUsable(advertising ^ 1 << UInt32(bit)), "\(bit)") }
    for address: UInt32 in [0x8E89_BED5, 0x8E89_BED3, 0x8E89_BEC7] { #expect(ConnectRequest.isUsable(address)) }
  }

  @Test func `six equal bits in a row are the most, wherever they stand`() {
    for address: UInt32 in [0x1027_C4D1, 0x9B81_0E76] { #expect(ConnectRequest.isUsable(address)) }
    for address: UInt32 in [0xB8B6_D8FE, 0x8A9A_021E, 0, .max] { #expect(!ConnectRequest.isUsable(address)) }
  }

  @Test func `its four bytes are not all equal`() {
    #expect(!ConnectRequest.isUsable(0xB1B1_B1B1) && !ConnectRequest.isUsable(0x0909_0909))
    #expect(ConnectRequest.isUsable(0xB1B1_B1B2))
  }

  @Test func `bits change twenty-four times at most, and twice at least among the six highest`() {
    for address: UInt32 in [0xBAAA_D651, 0x5D2B_5496] { #expect(ConnectRequest.isUsable(address)) }
    for address: UInt32 in [0x69B2_5555, 0x5597_556D, 0x5555_5555] { #expect(!ConnectRequest.isUsable(address)) }
    for address: UInt32 in [0x0A07_0843, 0x30C4_4E4A] { #expect(ConnectRequest.isUsable(address)) }
    for address: UInt32 in [0x1C5B_98B9, 0xE18C_B9A4] { #expect(!ConnectRequest.isUsable(address)) }
  }
}
