import RollcallExpectations
import RollcallPeers
import RollcallPrimitives
import RollcallSessions
import RollcallWire
import Testing

@Suite struct StandInCipherTests {
  private let one = StandInCipher(seed: [1])
  private let other = StandInCipher(seed: [2])

  @Test("the same seed gives the same keys, and a signature is of these bytes by this key")
  func keys() {
    expectEqual(StandInCipher(seed: [1]).identityKey, one.identityKey)
    #expect(one.identityKey != other.identityKey && one.agreementKey(3) != one.agreementKey(4))
    expectEqual([one.identityKey.count, one.agreementKey(3).count, one.signature(of: []).count], [32, 32, 64])
    // The same bytes in every run, for ever.
    let identity: [UInt8] = [
      0x1B, 0x23, 0x7A, 0xB0, 0x35, 0xF1, 0xE9, 0xF1, 0x7F, 0x46, 0x98, 0xC0, 0xE7, 0xBA, 0xB0, 0x82, 0xFC, 0x34, 0x6F,
      0x02, 0xF3, 0x73, 0x85, 0x60, 0x5D, 0x7A, 0x9F, 0x19, 0xCD, 0xB1, 0x62, 0xDB,
    ]
    expectEqual(one.identityKey, identity)
    let agreement: [UInt8] = [
      0x24, 0x70, 0x8A, 0x21, 0xB4, 0xD4, 0x36, 0x12, 0xA7, 0xD0, 0xE1, 0x19, 0x65, 0x53, 0xBA, 0xD0, 0x89, 0x66, 0x00,
      0x9B, 0x87, 0x43, 0x58, 0xDD, 0x98, 0xF1, 0xA7, 0x98, 0xED, 0xB0, 0xD3, 0xF2,
    ]
    expectEqual(one.agreementKey(260), agreement)
    let signature = one.signature(of: [1, 2, 3])
    #expect(one.isSignature(signature, of: [1, 2, 3], by: one.identityKey))
    #expect(!one.isSignature(signature, of: [1, 2, 4], by: one.identityKey))
    #expect(!one.isSignature(signature, of: [1, 2, 3], by: other.identityKey))
  }

  @Test("a packet opens on the other side as it was; changed anywhere, or under another number, it does not")
  func seals() throws {
    let asker = try #require(one.channel(1, with: other.agreementKey(2), transcript: [7], isAsker: true))
    let answerer = try #require(other.channel(2, with: one.agreementKey(1), transcript: [7], isAsker: false))
    let stranger = try #require(other.channel(2, with: one.agreementKey(1), transcript: [8], isAsker: false))
    let plain = [UInt8](0..<40)
    var sealed = plain + [UInt8](repeating: 0, count: 16)
    sealed.withUnsafeMutableBytes { asker.seal($0, headerBytes: 17, count: 23, number: 9) }
    let expected: [UInt8] = [
      0xE1, 0xBD, 0x96, 0xB1, 0xCC, 0x15, 0x71, 0x0F, 0xC6, 0x9C, 0x12, 0xD5, 0x0B, 0xB0, 0x71, 0xBA, 0x66, 0x10, 0x17,
      0x00, 0x2B, 0x65, 0xE1, 0xC6, 0xB6, 0x7C, 0xD9, 0x6E, 0x14, 0x66, 0x21, 0x9A, 0x63, 0x59, 0xE3, 0xCF, 0x14, 0x81,
      0x16,
    ]
    expectEqual(sealed, Array(plain[..<17]) + expected)
    var answer = plain + [UInt8](repeating: 0, count: 16)
    answer.withUnsafeMutableBytes { answerer.seal($0, headerBytes: 17, count: 23, number: 9) }
    let answered: [UInt8] = [
      0xFC, 0x45, 0x03, 0xA8, 0x30, 0xE6, 0xFE, 0xDE, 0x4F, 0xE2, 0x0C, 0x45, 0x2D, 0xAA, 0x78, 0x18, 0x7D, 0x66, 0x07,
      0x2A, 0x97, 0x40, 0x84, 0x2C, 0xAD, 0x18, 0x58, 0x98, 0x61, 0x64, 0xEB, 0xC0, 0x39, 0x5C, 0x05, 0xD8, 0x23, 0x1E,
      0x84,
    ]
    expectEqual(answer, Array(plain[..<17]) + answered)
    func open(_ channel: any SealedChannel, _ bytes: [UInt8], _ number: Int = 9) -> [UInt8]? {
      var room = [UInt8](repeating: 0, count: 40)
      let isRight = bytes.withUnsafeBytes { bytes in
        room.withUnsafeMutableBytes { channel.open(bytes, headerBytes: 17, number: number, into: $0) }
      }
      return isRight ? room : nil
    }
    expectEqual(open(answerer, sealed), plain)
    expectEqual(open(answerer, sealed, 10), nil)
    expectEqual(open(asker, sealed), nil)
    expectEqual(open(stranger, sealed), nil)
    for place in sealed.indices {
      var changed = sealed
      changed[place] ^= 1
      expectEqual(open(answerer, changed), nil, "byte \(place)")
    }
    #expect(one.channel(1, with: [UInt8](repeating: 0, count: 32), transcript: [], isAsker: true) == nil)
    #expect(one.channel(1, with: [1], transcript: [], isAsker: true) == nil)
  }

  @Test("a packet without a byte behind its header opens, and one that is too short for header and tag does not")
  func shortest() throws {
    let asker = try #require(one.channel(1, with: other.agreementKey(2), transcript: [7], isAsker: true))
    let answerer = try #require(other.channel(2, with: one.agreementKey(1), transcript: [7], isAsker: false))
    let header = [UInt8](0..<17)
    var sealed = header + [UInt8](repeating: 0, count: 16)
    sealed.withUnsafeMutableBytes { asker.seal($0, headerBytes: 17, count: 0, number: 0) }
    for (count, isRight) in [(33, true), (32, false), (17, false), (16, false), (15, false), (0, false)] {
      var room = [UInt8](repeating: 0, count: 40)
      let packet = Array(sealed[..<count])
      let opens = packet.withUnsafeBytes { bytes in
        room.withUnsafeMutableBytes { answerer.open(bytes, headerBytes: 17, number: 0, into: $0) }
      }
      expectEqual(opens, isRight, "\(count) bytes")
      if isRight { expectEqual(Array(room[..<17]), header) }
    }
  }
}
