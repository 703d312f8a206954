/// SHA-256 (FIPS 180-4), for naming payloads in listings.
package struct SHA256 {
  private var state: (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32) = (
    0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19
  )

  /// The digest of `bytes`, 32 bytes.
  package static func digest(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var hash = SHA256()
    return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
      let words = schedule.baseAddress.unsafelyUnwrapped
      let whole = bytes.count & ~63
      var offset = 0
      while offset < whole {
        hash.compress(bytes.baseAddress.unsafelyUnwrapped + offset, words)
        offset &+= 64
      }
      // The rest, a one bit, zeros, and the length in bits: one block or two.
      return withUnsafeTemporaryAllocation(byteCount: 128, alignment: 8) { tail in
        tail.initializeMemory(as: UInt8.self, repeating: 0)
        let rest = bytes.count - whole
        if rest > 0 { tail.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[whole...])) }
        tail[rest] = 0x80
        let tailBytes = rest < 56 ? 64 : 128
        tail.storeBytes(
          of: UInt64(bytes.count).multipliedReportingOverflow(by: 8).partialValue.bigEndian,
          toByteOffset: tailBytes - 8, as: UInt64.self)
        let base = UnsafeRawPointer(tail.baseAddress.unsafelyUnwrapped)
        hash.compress(base, words)
        if tailBytes == 128 { hash.compress(base + 64, words) }
        return hash.output
      }
    }
  }

  /// The digest as 64 hexadecimal digits in lower case.
  package static func hex(of bytes: UnsafeRawBufferPointer) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: digest(of: bytes).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  private var output: [UInt8] {
    let words = [state.0, state.1, state.2, state.3, state.4, state.5, state.6, state.7]
    return words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) } }
  }

  private mutating func compress(_ block: UnsafeRawPointer, _ w: UnsafeMutablePointer<UInt32>) {
    var index = 0
    while index < 16 {
      w[index] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self))
      index &+= 1
    }
    while index < 64 {
      let (x, y) = (w[index &- 15], w[index &- 2])
      let first = (x &>> 7 | x &<< 25) ^ (x &>> 18 | x &<< 14) ^ (x &>> 3)
      let second = (y &>> 17 | y &<< 15) ^ (y &>> 19 | y &<< 13) ^ (y &>> 10)
      w[index] = w[index &- 16] &+ first &+ w[index &- 7] &+ second
      index &+= 1
    }
    var (a, b, c, d, e, f, g, h) = state
    SHA256.constants.withUnsafeBufferPointer { k in
      for index in 0..<64 {
        let bigE = (e &>> 6 | e &<< 26) ^ (e &>> 11 | e &<< 21) ^ (e &>> 25 | e &<< 7)
        let first = h &+ bigE &+ ((e & f) ^ (~e & g)) &+ k[index] &+ w[index]
        let bigA = (a &>> 2 | a &<< 30) ^ (a &>> 13 | a &<< 19) ^ (a &>> 22 | a &<< 10)
        let second = bigA &+ ((a & b) ^ (a & c) ^ (b & c))
        (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
      }
    }
    state = (
      state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d, state.4 &+ e, state.5 &+ f, state.6 &+ g, state.7 &+ h
    )
  }

  private static let constants: [UInt32] = [
    0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
    0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
    0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
    0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7, 0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
    0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
    0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
    0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
    0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
  ]
}
