import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

/// Advertising data: what is well formed, and each malformed form that was seen in the field (AD-1 to AD-11).
@Suite struct AdvertisingDataTests {
  private func fields(_ bytes: [UInt8]) -> AdvertisedFields { bytes.withUnsafeBytes { AdvertisedFields($0) } }
  private func faults(_ bytes: [UInt8]) -> [AdvertisedFields.Fault] { fields(bytes).faults }

  private func add(_ bytes: [UInt8], to fields: inout AdvertisedFields) { bytes.withUnsafeBytes { fields.add($0) } }

  private func walk(_ bytes: [UInt8]) -> ([AdvertisingStructure], AdvertisingWalk.End) {
    bytes.withUnsafeBytes { raw in
      var walk = AdvertisingWalk(raw)
      var found: [AdvertisingStructure] = []
      while let next = walk.next() { found.append(next) }
      // Asked again it says the same.
      expectEqual(walk.next(), nil)
      return (found, walk.end)
    }
  }

  @Test func `every field that is written is read again, in one buffer`() {
    var all = AdvertisedFields()
    all.flags = 6
    all.services = [
      BluetoothUUID(short: 0x180D), BluetoothUUID(short: 0x180F), BluetoothUUID(short: 0xAABB_CCDD),
      BluetoothUUID(high: 0x1234, low: 5),
    ]
    all.solicitedServices = [BluetoothUUID(short: 0x1811)]
    all.serviceData = [
      .init(BluetoothUUID(short: 0xFFFA), [1, 2, 3]), .init(BluetoothUUID(short: 0x1_0000), []),
      .init(BluetoothUUID(high: 7, low: 9), [4]),
    ]
    all.manufacturerData = [[0x4C, 0, 1], [0x59, 0]]
    all.transmitPower = -12
    all.appearance = 0x0340
    all.name = "Wärme"
    let read = fields(all.bytes)
    expectEqual(read.faults, [])
    expectEqual(read.kinds.map(\.rawValue), [1, 3, 5, 7, 0x14, 0x16, 0x20, 0x21, 0xFF, 0xFF, 0x0A, 0x19, 9])
    expectEqual(read.flags, 6)
    expectEqual(read.services, all.services)
    expectEqual(read.solicitedServices, all.solicitedServices)
    expectEqual(read.serviceData, all.serviceData)
    expectEqual(read.manufacturerData, all.manufacturerData)
    expectEqual(read.transmitPower, -12)
    expectEqual(read.appearance, 0x0340)
    expectEqual(read.name, "Wärme")
    #expect(!read.isNameShortened)
    expectEqual(read.bytes, all.bytes)
  }

  @Test func `incomplete lists and complete ones are one list without repetition`() {
    let read = fields([3, 2, 0x0D, 0x18, 5, 3, 0x0D, 0x18, 0x0F, 0x18, 5, 4, 1, 0, 2, 0, 17, 6] + Array(1...16))
    expectEqual(
      read.services,
      [
        BluetoothUUID(short: 0x180D), BluetoothUUID(short: 0x180F), BluetoothUUID(short: 0x2_0001),
        BluetoothUUID(high: 0x100F_0E0D_0C0B_0A09, low: 0x0807_0605_0403_0201),
      ])
    expectEqual(fields([3, 0x14, 1, 0, 5, 0x1F, 2, 0, 0, 0, 17, 0x15] + Array(1...16)).solicitedServices.count, 3)
  }

  @Test func `AD-1, a zero length ends the buffer without a fault, and what stands behind it is no data`() {
    let (found, end) = walk([2, 1, 6, 0, 2, 1, 5])
    expectEqual(found.count, 1)
    expectEqual(end, .padding(at: 3))
    expectEqual(fields([2, 1, 6, 0, 2, 1, 5]).flags, 6)
    expectEqual(faults([2, 1, 6, 0, 2, 1, 5]), [])
    expectEqual(walk([0]).1, .padding(at: 0))
    expectEqual(walk([]).1, .whole)
    expectEqual(walk([2, 1, 6]).1, .whole)
  }

  @Test func `AD-2, advertisement and scan response are two buffers, and the second keeps what the first said`() {
    var heard = fields([2, 1, 6, 0, 0, 0])
    add([5, 9, 0x6C, 0x61, 0x6D, 0x70], to: &heard)
    expectEqual(heard.flags, 6)
    expectEqual(heard.name, "lamp")
    expectEqual(heard.kinds.map(\.rawValue), [9])
  }

  @Test func `AD-3 and AD-4, a structure beyond the end is dropped and counted, earlier ones stand`() {
    for tail in [[9], [9, 0xFF, 1], [2, 1]] as [[UInt8]] {
      expectEqual(faults([2, 1, 6] + tail), [.init(.overrun, at: 3)])
      expectEqual(fields([2, 1, 6] + tail).flags, 6)
      expectEqual(walk([2, 1, 6] + tail).1, .overrun(at: 3))
    }
    // One byte more, and it is whole.
    expectEqual(faults([2, 1, 6, 2, 0x0A, 4]), [])
  }

  @Test func `AD-5, a structure of a type alone is an empty field`() {
    let (found, end) = walk([1, 9, 1, 0xFE])
    expectEqual(found.map(\.count), [0, 0])
    expectEqual(found.map(\.offset), [0, 2])
    expectEqual(found.map(\.data), [2..<2, 4..<4])
    expectEqual(end, .whole)
    expectEqual(fields([1, 9]).name, "")
    expectEqual(faults([1, 3]), [])
    expectEqual(faults([1, 1]), [.init(.noFlags, at: 0)])
  }

  @Test func `AD-6, manufacturer data without a whole company is skipped`() {
    expectEqual(faults([2, 0xFF, 0x4C]), [.init(.manufacturerDataTooShort, at: 0)])
    expectEqual(fields([2, 0xFF, 0x4C]).manufacturerData, [])
    expectEqual(fields([3, 0xFF, 0x4C, 0]).manufacturerData, [[0x4C, 0]])
  }

  @Test func `AD-7, of a ragged list the whole UUIDs count`() {
    let read = fields([2, 1, 6, 4, 3, 0x0D, 0x18, 0x0F])
    expectEqual(read.services, [BluetoothUUID(short: 0x180D)])
    expectEqual(read.faults, [.init(.partOfUUID, at: 3)])
    expectEqual(faults([4, 5, 1, 2, 3]), [.init(.partOfUUID, at: 0)])
    expectEqual(faults([16, 7] + Array(1...15)), [.init(.partOfUUID, at: 0)])
  }

  @Test func `AD-8, service data shorter than its UUID is skipped`() {
    expectEqual(faults([2, 0x16, 1]), [.init(.serviceDataTooShort, at: 0)])
    expectEqual(fields([3, 0x16, 0x0D, 0x18]).serviceData, [.init(BluetoothUUID(short: 0x180D), [])])
    expectEqual(faults([4, 0x20, 1, 2, 3]), [.init(.serviceDataTooShort, at: 0)])
    expectEqual(faults([16, 0x21] + Array(1...15)), [.init(.serviceDataTooShort, at: 0)])
    // What a service says later replaces what it said.
    expectEqual(fields([4, 0x16, 1, 0, 7, 4, 0x16, 1, 0, 8]).serviceData, [.init(BluetoothUUID(short: 1), [8])])
  }

  @Test func `AD-9, several fields of manufacturer data stand side by side, and a later buffer replaces them`() {
    var heard = fields([4, 0xFF, 1, 0, 9, 3, 0xFF, 2, 0])
    expectEqual(heard.manufacturerData, [[1, 0, 9], [2, 0]])
    add([3, 0xFF, 3, 0], to: &heard)
    expectEqual(heard.manufacturerData, [[3, 0]])
    add([2, 1, 6], to: &heard)
    expectEqual(heard.manufacturerData, [[3, 0]])
  }

  @Test func `AD-10, a name is read whatever its bytes, without padding`() {
    expectEqual(fields([6, 9, 0x61, 0x62, 0, 0x20, 0]).name, "ab")
    expectEqual(fields([5, 9, 0x61, 0, 0x62, 0]).name, "a\0b")
    expectEqual(fields([3, 9, 0, 0]).name, "")
    let broken = fields([4, 9, 0x61, 0xFF, 0x62])
    expectEqual(broken.name, "a\u{FFFD}b")
    expectEqual(broken.faults, [.init(.nameNotUTF8, at: 0)])
  }

  @Test("a name that is no UTF-8 has its fault whether it is taken or not, and whatever was heard before")
  func faultsOfNames() {
    // Shortened, complete, shortened, complete; the names of the second pair are not UTF-8.
    let bytes: [UInt8] = [2, 8, 0x61, 2, 9, 0x62, 2, 8, 0xFD, 2, 9, 0xFD]
    var fields = bytes.withUnsafeBytes { AdvertisedFields($0) }
    let faults: [AdvertisedFields.Fault] = [.init(.nameNotUTF8, at: 6), .init(.nameNotUTF8, at: 9)]
    expectEqual(fields.faults, faults)
    let before = fields
    bytes.withUnsafeBytes { fields.add($0) }
    expectEqual(fields, before)
    // The shortened name comes first, and is passed over where the complete one is known.
    let late: [UInt8] = [2, 8, 0xFD, 2, 9, 0x63]
    for start in [AdvertisedFields(), fields] {
      var fields = start
      late.withUnsafeBytes { fields.add($0) }
      expectEqual(fields.faults, [.init(.nameNotUTF8, at: 0)])
      expectEqual(fields.name, "c")
    }
  }

  @Test func `a complete name wins over a shortened one, in either order, and the first complete one stays`() {
    let short: [UInt8] = [2, 8, 0x6C]
    let whole: [UInt8] = [3, 9, 0x6C, 0x61]
    for bytes in [short + whole, whole + short] {
      expectEqual(fields(bytes).name, "la")
      #expect(!fields(bytes).isNameShortened)
    }
    #expect(fields(short).isNameShortened)
    expectEqual(fields(whole + [2, 9, 0x7A]).name, "la")
    // A later buffer may rename it.
    var heard = fields(whole)
    add([2, 9, 0x7A], to: &heard)
    expectEqual(heard.name, "z")
    add(short, to: &heard)
    expectEqual(heard.name, "z")
  }

  @Test func `AD-11, numbers of another size are skipped, of longer flags the first byte counts`() {
    expectEqual(faults([3, 0x0A, 1, 2]), [.init(.numberSize, at: 0)])
    expectEqual(fields([3, 0x0A, 1, 2]).transmitPower, nil)
    expectEqual(fields([2, 0x0A, 0xF4]).transmitPower, -12)
    expectEqual(faults([2, 0x19, 1]), [.init(.numberSize, at: 0)])
    expectEqual(fields([3, 0x19, 0x40, 3]).appearance, 0x0340)
    expectEqual(fields([3, 1, 5, 9]).flags, 5)
    expectEqual(faults([3, 1, 5, 9]), [])
  }

  @Test func `lists and fields are bounded`() {
    let uuids: [UInt8] = (0..<300).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] as [UInt8] }
    let lists = [0, 200, 400].flatMap { [201, 3] as [UInt8] + uuids[$0..<$0 + 200] }
    expectEqual(fields(lists).services.count, AdvertisedFields.countMaximum)
    expectEqual(fields((0..<300).flatMap { _ in [3, 0xFF, 1, 0] as [UInt8] }).manufacturerData.count, 256)
    let data: [UInt8] = (0..<300).flatMap { [3, 0x16, UInt8($0 & 0xFF), UInt8($0 >> 8)] as [UInt8] }
    expectEqual(fields(data).serviceData.count, 256)
    // A structure is cut where no length can say how long it is.
    expectEqual(AdvertisingStructure.bytes(.completeName, [UInt8](repeating: 0x61, count: 300)).count, 256)
  }
}

@Suite struct BluetoothUUIDTests {
  @Test func `the short spellings of a UUID equal the long one`() throws {
    let long = try #require(BluetoothUUID("0000180D-0000-1000-8000-00805f9b34fb"))
    expectEqual(long, BluetoothUUID(short: 0x180D))
    expectEqual(BluetoothUUID("180d"), long)
    expectEqual(BluetoothUUID("0000180D"), long)
    expectEqual(long.description, "180D")
    expectEqual(long.littleEndian, [0x0D, 0x18])
    expectEqual(BluetoothUUID(short: 0x1_180D).description, "0001180D")
    expectEqual(BluetoothUUID(short: 0x1_180D).littleEndian, [0x0D, 0x18, 1, 0])
    expectEqual(BluetoothUUID(short: 0xFFFF).littleEndian.count, 2)
    for bytes in [[0x0D, 0x18], [0x0D, 0x18, 0, 0]] as [[UInt8]] {
      expectEqual(bytes.withUnsafeBytes { BluetoothUUID(littleEndian: $0) }, long)
    }
    for count in [0, 1, 3, 15, 17] {
      expectEqual([UInt8](repeating: 0, count: count).withUnsafeBytes { BluetoothUUID(littleEndian: $0) }, nil)
    }
  }

  @Test func `a UUID of its own keeps all its bits`() throws {
    let text = "01234567-89AB-CDEF-0123-456789ABCDEF"
    let own = try #require(BluetoothUUID(text))
    expectEqual(own.description, text)
    expectEqual(own.short, nil)
    expectEqual(
      own.littleEndian.reversed(),
      [
        1, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 1, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF,
      ])
    expectEqual(own.littleEndian.withUnsafeBytes { BluetoothUUID(littleEndian: $0) }, own)
    // One bit of the base changed, high and low.
    expectEqual(BluetoothUUID("0000180D-0000-1001-8000-00805F9B34FB")?.short, nil)
    expectEqual(BluetoothUUID("0000180D-0000-1000-8000-00805F9B34FA")?.short, nil)
    for bad in [
      "", "180", "180G", "+80D", "-80D", "01234567-89AB-CDEF-0123-456789ABCDE", "0123456789ABCDEF0123456789ABCDEF",
      "01234567-89AB-CDEF-0123-+56789ABCDEF",
    ] {
      expectEqual(BluetoothUUID(bad), nil, "\(bad)")
    }
  }
}
