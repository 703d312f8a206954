import RollcallExpectations
import Testing
import RollcallWire

@Suite("USN") struct USNTests {
  /// UUID and target as text; `nil` for no UUID.
  static func split(_ text: String) -> [String?]? {
    Array(text.utf8).withUnsafeBytes { bytes in
      USN.split(bytes).map { parts in
        [
          String(decoding: bytes[parts.uuid], as: UTF8.self),
          parts.target.map { String(decoding: bytes[$0], as: UTF8.self) },
        ]
      }
    }
  }

  @Test(
    "a USN splits into UUID and target",
    arguments: [
      ("uuid:a::upnp:rootdevice", ["a", "upnp:rootdevice"]),
      ("UUID:a::upnp:rootdevice", ["a", "upnp:rootdevice"]),
      ("uUiD:A", ["A", nil]),
      (
        "uuid:RINCON_000E58A0_01400::urn:schemas-upnp-org:device:ZonePlayer:1",
        ["RINCON_000E58A0_01400", "urn:schemas-upnp-org:device:ZonePlayer:1"]
      ),
      ("uuid:2f402f80-da50-11e1-9b23-001788102201", ["2f402f80-da50-11e1-9b23-001788102201", nil]),
      ("uuid:Insight-1_0-221517K0101769::", ["Insight-1_0-221517K0101769", ""]),
      ("uuid:a:b", ["a:b", nil]),
      ("uuid:a:", ["a:", nil]),
      ("uuid:a:::b", ["a", ":b"]),
      ("uuid:a::b::c", ["a", "b::c"]),
      ("uuid: ::x", [" ", "x"]),
      ("uuid:é::x", ["é", "x"]),
    ] as [(String, [String?])])
  func splits(text: String, expected: [String?]) {
    expectEqual(USNTests.split(text), expected)
  }

  @Test(
    "what names no UUID is no device",
    arguments: [
      "", "u", "uuid", "uuid:", "uuid::", "uuid:::", "uuid:::upnp:rootdevice", "uuid::upnp:rootdevice", "uuid-a::x",
      "urn:a", " uuid:a", "xuuid:a",
      "http://192.168.1.5/", "upnp:rootdevice", "::uuid:a",
    ])
  func namesNone(text: String) {
    expectEqual(USNTests.split(text), nil)
  }

  @Test("every cut and every single changed byte of a USN is read without harm and inside the bytes")
  func survivesDamage() {
    let whole = Array("uuid:2f402f80-da50-11e1-9b23-001788102201::upnp:rootdevice".utf8)
    for count in 0...whole.count {
      let cut = Array(whole[..<count])
      cut.withUnsafeBytes { bytes in
        guard let parts = USN.split(bytes) else {
          #expect(count <= 5)
          return
        }
        #expect(parts.uuid.lowerBound == 5 && parts.uuid.upperBound <= count)
        if let target = parts.target { expectEqual(target.upperBound, count) }
      }
    }
    for position in whole.indices {
      for byte in [0, 0x20, 0x3A, 0x41, 0x80, 0xFF] as [UInt8] {
        var damaged = whole
        damaged[position] = byte
        damaged.withUnsafeBytes { bytes in
          if let parts = USN.split(bytes) {
            #expect(!parts.uuid.isEmpty && parts.uuid.upperBound <= bytes.count)
          } else {
            #expect(position < 6)
          }
        }
      }
    }
  }

  @Test(
    "the standard form is 8-4-4-4-12 hexadecimal digits",
    arguments: [
      ("2f402f80-da50-11e1-9b23-001788102201", true),
      ("2F402F80-DA50-11E1-9B23-001788102201", true),
      ("2f402f80-da50-11e1-9b23-00178810220", false),
      ("2f402f80-da50-11e1-9b23-0017881022011", false),
      ("2f402f80-da50-11e1-9b23-00178810220g", false),
      ("2f402f80-da50-11e1-9b23-00178810220@", false),
      ("2f402f80-da50-11e1-9b23-00178810220`", false),
      ("2f402f80-da50-11e1-9b23-00178810220/", false),
      ("2f402f80-da50-11e1-9b23-00178810220:", false),
      ("2f402f80da50-11e1-9b23-001788-102201", false),
      ("RINCON_000E58A0123401400", false), ("", false),
    ])
  func form(uuid: String, isStandard: Bool) {
    expectEqual(Array(uuid.utf8).withUnsafeBytes { USN.isStandardUUIDForm($0) }, isStandard)
  }

  static func compare(_ left: [UInt8], _ right: [UInt8]) -> (equal: Bool, sameHash: Bool) {
    left.withUnsafeBytes { left in
      right.withUnsafeBytes { right in
        (USN.areEqualUUIDs(left, right), USN.hash(ofUUID: left) == USN.hash(ofUUID: right))
      }
    }
  }

  @Test("the case of a letter never tells UUIDs apart, any other change of a byte does, at every length")
  func comparesWithoutCase() {
    func small(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }
    for length in [1, 3, 7, 8, 9, 15, 16, 17, 24, 36, 41] {
      let base = (0..<length).map { UInt8(truncatingIfNeeded: 48 + $0 * 11) }
      for position in 0..<length {
        for byte in 0...255 as ClosedRange<UInt8> {
          var other = base
          other[position] = byte
          let isOne = small(byte) == small(base[position])
          let answer = USNTests.compare(base, other)
          guard answer.equal == isOne, answer.sameHash == isOne else {
            Issue.record("length \(length), position \(position), byte \(byte): \(answer), expected \(isOne)")
            return
          }
        }
      }
    }
    #expect(USNTests.compare([], []) == (true, true))
    #expect(USNTests.compare([97], [97, 97]) == (false, false))
  }

  @Test("the hash of a UUID is the same for ever")
  func hashIsFixed() {
    func hash(_ text: String) -> UInt64 { Array(text.utf8).withUnsafeBytes { USN.hash(ofUUID: $0) } }
    expectEqual(hash("2f402f80-da50-11e1-9b23-001788102201"), hash("2F402F80-DA50-11E1-9B23-001788102201"))
    expectEqual(String(hash("RINCON_000E58A0123401400"), radix: 16), "e2786e541208035f")
    expectEqual(String(hash("abc"), radix: 16), "12b69b9f1c1d985a")
  }

  @Test(
    "a USN goes with the target that it names",
    arguments: [
      ("uuid:a::upnp:rootdevice", "upnp:rootdevice", true),
      ("uuid:a::urn:x:device:Basic:1", "urn:x:device:basic:1", false),
      ("uuid:a::urn:x:device:Foo:1", "urn:x:device:Foo:10", false),
      ("uuid:a", "uuid:a", true),
      ("uuid:A", "uuid:a", true),
      ("uuid:a", "uuid:ab", false),
      ("uuid:a", "urn:schemas-upnp-org:device:basic:1", false),
      ("uuid:a::", "", true),
      ("a::upnp:rootdevice", "upnp:rootdevice", false),
    ])
  func goes(usn: String, target: String, expected: Bool) {
    let answer = Array(usn.utf8).withUnsafeBytes { usn in
      Array(target.utf8).withUnsafeBytes { USN.goes(usn, with: $0) }
    }
    expectEqual(answer, expected)
  }
}
