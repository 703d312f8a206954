import RollcallExpectations
import RollcallPrimitives
import RollcallStore
import Testing
import rollcall_store_sample

@Suite("A device as bytes") struct DeviceRecordTests {
  private func read(_ bytes: [UInt8]) -> StoredDevice? { bytes.withUnsafeBytes(DeviceRecord.device(in:)) }

  @Test("what was written is read: empty and hostile texts, the ends of numbers, two spellings of one letter")
  func roundTrip() {
    let devices = [
      StoredDevice(id: "tv"),
      StoredDevice(id: "", friendlyName: "", modelName: "", manufacturer: "", addresses: ["", "a", ""]),
      StoredDevice(id: "tv", lastSeenUnixSeconds: .min, lastConnectedUnixSeconds: .max),
      StoredDevice(id: "e\u{301}", friendlyName: "\u{e9}", modelName: "\u{0}\u{1b}[2J\r\n", manufacturer: "🦉"),
      StoredDevice(id: String(repeating: "x", count: 127), friendlyName: String(repeating: "y", count: 128)),
      StoredDevice(
        id: "tv",
        services: [
          StoredService(uuid: "U", serviceID: "s", description: ["": "", "b": "a", "a": "b"], pairingKey: []),
          StoredService(uuid: "u", serviceID: "t", pairingKey: [0, 255], certificate: Array(repeating: 7, count: 300)),
          StoredService(uuid: "v", serviceID: "s", lastSeenUnixSeconds: .min, formerDeviceID: "tv"),
        ]), SampleDevices.device(3, at: 12),
    ]
    for device in devices {
      let found = read(DeviceRecord.bytes(of: device))
      expectEqual(found, device)
      // Two spellings of one letter are equal in Swift; here their bytes are meant.
      func names(_ device: StoredDevice) -> [[UInt8]] {
        [Array(device.id.utf8), Array((device.friendlyName ?? "").utf8)]
      }
      expectEqual(found.map(names), names(device))
    }
  }

  @Test("the form is the one that files have: these bytes stay readable")
  func form() {
    let device = StoredDevice(
      id: "tv", friendlyName: "TV", addresses: ["tv"], lastSeenUnixSeconds: 258,
      services: [StoredService(uuid: "u", serviceID: "TV", config: ["k": "u"], pairingKey: [9])])
    expectEqual(
      Array(DeviceRecord.bytes(of: device).dropLast(8)),
      [2, 4, 2, 0x74, 0x76, 2, 0x54, 0x56, 1, 0x75, 1, 0x6B]  // tv TV u k
        + [1, 2, 0, 0, 1, 1]  // id, names, addresses
        + [1, 2, 1, 0, 0, 0, 0, 0, 0, 0]  // seen, never connected
        + [1, 3, 2, 0, 0, 1, 4, 3, 2, 9, 0, 0, 0])
    expectEqual(read(FirstForm.television), device)
  }

  @Test("a record with one bit changed, or cut, or longer, is refused")
  func damage() {
    let bytes = DeviceRecord.bytes(of: SampleDevices.device(3, at: 12, services: 2))
    for place in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[place] ^= 1 << UInt8(bit)
        #expect(read(changed) == nil, "byte \(place), bit \(bit)")
      }
      #expect(read(Array(bytes.prefix(place))) == nil, "\(place) bytes")
    }
    #expect(read(bytes + [0]) == nil)
  }

  @Test("bytes with a right checksum and a wrong form are refused and trap nowhere")
  func hostile() {
    let sealed = FirstForm.sealed
    let body = Array(DeviceRecord.bytes(of: SampleDevices.device(3, at: 12, services: 2)).dropLast(8))
    expectEqual(read(sealed(body)), SampleDevices.device(3, at: 12, services: 2))
    #expect(read(sealed(body + [0])) == nil)
    #expect(read(sealed([3] + body.dropFirst())) == nil)
    #expect(read(sealed([0] + body.dropFirst())) == nil)
    // A record of the first form has nothing behind the certificate of a service.
    #expect(read(sealed([1] + body.dropFirst())) == nil)
    // A count of texts and a number that never end, a place that no text has.
    #expect(read(sealed([1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 1])) == nil)
    #expect(read(sealed([1] + Array(repeating: 0xFF, count: 20))) == nil)
    #expect(read(sealed([1, 0, 5, 0, 0, 0, 0, 0, 0, 0])) == nil)
    // Each byte changed to each of a few others: most are refused, and none traps.
    for place in body.indices {
      for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
        var changed = body
        changed[place] = value
        if let device = read(sealed(changed)) { #expect(device.services.count <= 2) }
      }
    }
  }

  @Test("a record of the first form ends with a certificate, and is refused with a byte less or more of it")
  func firstFormEnds() {
    // The record of the television without the 0 that says that it has no certificate, and without the checksum.
    let head = Array(FirstForm.television.dropLast(9))
    func certificate(_ bytes: [UInt8]) -> [UInt8]? { read(FirstForm.sealed(head + bytes))?.services.first?.certificate }
    expectEqual(certificate([3, 7, 8]), [7, 8])
    expectEqual(certificate([1]), [])
    expectEqual(certificate([0]), nil)
    expectEqual(read(FirstForm.sealed(head + [4, 7, 8])), nil)
    expectEqual(read(FirstForm.sealed(head + [3, 7, 8, 0])), nil)
  }

  @Test("a number has eight bytes at most; a field that may be empty has a text that is there, or none")
  func numbers() {
    // A device of the id a, and the bytes of the place of its name.
    func named(_ name: [UInt8]) -> StoredDevice? {
      read(FirstForm.sealed([1, 1, 1, 0x61, 1] + name + [0, 0, 0, 0, 0, 0]))
    }
    expectEqual(named([0]), StoredDevice(id: "a"))
    expectEqual(named([1]), StoredDevice(id: "a", friendlyName: "a"))
    expectEqual(named([2]), nil)
    let zeros = [UInt8](repeating: 0x80, count: 6)
    expectEqual(named([0x81] + zeros + [0]), StoredDevice(id: "a", friendlyName: "a"))
    expectEqual(named([0x81] + zeros + [0x80, 0]), nil)
  }
}

/// Records as the first version of the store wrote them.
enum FirstForm {
  /// Bytes with the checksum behind them.
  static func sealed(_ body: [UInt8]) -> [UInt8] {
    let check = body.withUnsafeBytes(Digest.hash)
    return body + (0..<8).map { UInt8(truncatingIfNeeded: check >> (8 * $0)) }
  }

  /// `tv`, called TV, with the service TV of the UUID u, its config and its pairing key.
  static let television = sealed(
    [1, 4, 2, 0x74, 0x76, 2, 0x54, 0x56, 1, 0x75, 1, 0x6B] + [1, 2, 0, 0, 1, 1] + [1, 2, 1, 0, 0, 0, 0, 0, 0, 0]
      + [1, 3, 2, 0, 0, 1, 4, 3, 2, 9, 0])
  /// `old`, which has no service.
  static let emptied = sealed([1, 1, 3, 0x6F, 0x6C, 0x64] + [1, 0, 0, 0, 0] + [0, 0] + [0])
}
