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
