import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@Suite("Packets of extended advertising")
struct ExtendedPDUTests {
  private let lamp = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
  private let phone = RadioAddress(bits: 0x001B_DC00_0002, isRandom: false)

  private func read(_ bytes: [UInt8]) throws -> AdvertisingPDU {
    try bytes.withUnsafeBytes { try AdvertisingPDU($0) }
  }

  @Test("a pointer is read as it was written: channel, offset in units of 30 us or 300 us, and PHY")
  func pointers() throws {
    for (channel, offset, physical) in [
      (UInt8(0), Int64(300), UInt8(0)), (36, 450, 1), (5, 245_670, 2), (7, 245_700, 0), (1, 2_457_300, 0),
    ] {
      let pointer = AdvertisingPDU.Pointer(channel: channel, offset: .microseconds(offset), physical: physical)
      let bytes = AdvertisingPDU.pointerBytes(mode: 1, dataInfo: 0x5123, pointer)
      let pdu = try read(bytes)
      expectEqual(pdu.extension?.pointer, pointer)
      #expect(pdu.extension?.dataInfo == 0x5123 && pdu.extension?.mode == 1)
      #expect(pdu.sender == nil && pdu.data.isEmpty && pdu.byteCount == bytes.count && bytes.count == 9)
    }
    // Rounded down to whole units, and no longer than the field.
    let odd = AdvertisingPDU.Pointer(channel: 3, offset: .microseconds(319))
    try expectEqual(
      read(AdvertisingPDU.pointerBytes(mode: 0, dataInfo: 0, odd)).extension?.pointer?.offset, .microseconds(300))
    let far = AdvertisingPDU.Pointer(channel: 3, offset: .seconds(9))
    try expectEqual(
      read(AdvertisingPDU.pointerBytes(mode: 0, dataInfo: 0, far)).extension?.pointer?.offset, .microseconds(2_457_300))
  }

  @Test("the bytes of ADV_EXT_IND stand as the standard has them: mode and length, flags, ADI, AuxPtr")
  func layout() {
    let pointer = AdvertisingPDU.Pointer(channel: 9, offset: .microseconds(450))
    // 15 units of 30 us; the set 5 with the data 0x123.
    expectEqual(
      AdvertisingPDU.pointerBytes(mode: 1, dataInfo: 0x5123, pointer),
      [0x07, 0x07, 0x46, 0x18, 0x23, 0x51, 0x09, 0x0F, 0x00])
  }

  @Test("AUX_CONNECT_RSP says who answers whom, and an answer to a scanner has no numbers")
  func answers() throws {
    let answer = try read(AdvertisingPDU.connectResponseBytes(from: lamp, to: phone))
    #expect(answer.kind == .connectResponse && answer.sender == lamp && answer.target == phone)
    #expect(!answer.isAdvertisement && answer.byteCount == 16)
    let response = try read(AdvertisingPDU.extendedBytes(from: lamp, mode: 0, dataInfo: nil, data: [1, 2]))
    #expect(response.sender == lamp && response.extension?.dataInfo == nil && response.data.count == 2)
    #expect(response.isAuxiliaryResponse(onChannel: 3) && !response.isAuxiliaryResponse(onChannel: 37))
    let advertisement = try read(AdvertisingPDU.extendedBytes(from: lamp, mode: 0, dataInfo: 1, data: []))
    #expect(!advertisement.isAuxiliaryResponse(onChannel: 3))
    // A controller does not say the channel.
    #expect(response.isAuxiliaryResponse(onChannel: nil) && !advertisement.isAuxiliaryResponse(onChannel: nil))
  }

  @Test("a packet is called by the channel that it is sent on")
  func names() throws {
    let request = try read(AdvertisingPDU.bytes(.scanRequest, from: phone, to: lamp))
    #expect(request.name(onChannel: 38) == "SCAN_REQ" && request.name(onChannel: 3) == "AUX_SCAN_REQ")
    let advertisement = try read(AdvertisingPDU.extendedBytes(from: lamp, mode: 0, dataInfo: 1, data: []))
    #expect(advertisement.name(onChannel: 37) == "ADV_EXT_IND" && advertisement.name(onChannel: 36) == "AUX_ADV_IND")
    expectEqual(advertisement.name(onChannel: nil), "ADV_EXT_IND")
    let response = try read(AdvertisingPDU.extendedBytes(from: lamp, mode: 0, dataInfo: nil, data: []))
    expectEqual(response.name(onChannel: 0), "AUX_SCAN_RSP")
    let connect = AdvertisingPDU.bytes(
      .connectRequest, from: phone, to: lamp, data: ConnectRequest(parameters: LinkParameters(), seed: 1).bytes)
    try expectEqual(read(connect).name(onChannel: 0), "AUX_CONNECT_REQ")
  }

  @Test("no bytes of an extended header are read beyond its length, whichever of them are wrong")
  func hostile() {
    let good = AdvertisingPDU.pointerBytes(
      mode: 1, dataInfo: 0x5123, AdvertisingPDU.Pointer(channel: 9, offset: .microseconds(450)))
    for place in good.indices {
      for value in UInt8.min...UInt8.max {
        var bytes = good
        bytes[place] = value
        let pdu = bytes.withUnsafeBytes { try? AdvertisingPDU($0) }
        #expect((pdu?.byteCount ?? 0) <= bytes.count)
      }
      expectEqual(Array(good.prefix(place)).withUnsafeBytes { try? AdvertisingPDU($0) }, nil)
    }
  }
}
