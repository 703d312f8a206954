import RollcallExpectations
import Testing

@testable import RollcallDiscovery

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Hash, comparison and search of byte keys of every length up to 40, wherever in a word a byte stands.
@Suite("Bytes of names") struct KeyBytesTests {
  /// A name of small letters, each other than its neighbours.
  private func name(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(ascii: "a") + UInt8($0 * 7 % 26) } }

  private func hash(_ bytes: [UInt8], folding: Bool) -> UInt32 {
    bytes.withUnsafeBytes { KeyBytes.hash($0, seed: 7, folding: folding) }
  }

  private func equal(_ left: [UInt8], _ right: [UInt8], folding: Bool) -> Bool {
    left.withUnsafeBytes { left in right.withUnsafeBytes { KeyBytes.equal(left, $0, folding: folding) } }
  }

  @Test("names that differ in length or in one byte, wherever it stands, are others and have other hashes")
  func everyByte() {
    for folding in [false, true] {
      var names: [[UInt8]] = []
      for count in 0...40 {
        let base = name(count)
        #expect(equal(base, name(count), folding: folding), "\(count)")
        #expect(!equal(base, name(count + 1), folding: folding), "\(count)")
        names.append(base)
        for place in 0..<count {
          var other = base
          other[place] = UInt8(ascii: "-")
          #expect(!equal(base, other, folding: folding) && !equal(other, base, folding: folding), "\(count) \(place)")
          names.append(other)
        }
      }
      expectEqual(Set(names.map { hash($0, folding: folding) }).count, names.count)
    }
  }

  @Test("names that differ in the case of one letter are one where case does not count, and letters are A to Z")
  func letterCase() {
    for byte: UInt8 in [0x40, 0x41, 0x5A, 0x5B, 0xC1] {
      let isLetter = byte == 0x41 || byte == 0x5A
      for count in 1...40 {
        for place in 0..<count {
          var (large, small) = (name(count), name(count))
          large[place] = byte
          small[place] = byte | 0x20
          let answers = [true, false].map { folding in
            [
              equal(large, small, folding: folding), equal(small, large, folding: folding),
              hash(large, folding: folding) == hash(small, folding: folding),
            ]
          }
          let folded = [isLetter, isLetter, isLetter]
          expectEqual(answers, [folded, [false, false, false]], "\(byte) \(count) \(place)")
        }
      }
    }
  }

  @Test("two words that change places make another hash, also where both are altered by what needs no seed")
  func halves() {
    func bytes(_ first: UInt64, _ last: UInt64) -> [UInt8] {
      [first, last].flatMap { word in withUnsafeBytes(of: word.littleEndian) { Array($0) } }
    }
    let (first, last): (UInt64, UInt64) = (0x6463_6261_3A64_6975, 0x6C6B_6A69_6867_6665)
    for altered: UInt64 in [0, 0x8EBC_6AF0_9C88_C6E3, 0x8EBC_6AF0_9C88_C6E3 ^ 16] {
      for folding in [false, true] {
        let hashes = [bytes(first, last), bytes(last ^ altered, first ^ altered)].map { hash($0, folding: folding) }
        #expect(hashes[0] != hashes[1], "\(altered)")
      }
    }
  }

  // MARK: Two colons

  /// Where the first `::` at or after `start` stands, byte by byte.
  private func plainly(_ bytes: [UInt8], from start: Int) -> Int? {
    (start..<max(start, bytes.count - 1)).first {
      bytes[$0] == UInt8(ascii: ":") && bytes[$0 + 1] == UInt8(ascii: ":")
    }
  }

  @Test("the first two colons are found wherever they stand, and none behind the end")
  func doubleColon() {
    let colon = UInt8(ascii: ":")
    let colons = [UInt8](repeating: colon, count: 32)
    // Every order of colons and other bytes, up to eleven of them, behind some bytes that are no colons.
    for before in [0, 6, 13] {
      for count in 0...11 {
        for bits in 0..<(1 << count) {
          var bytes = [UInt8](repeating: UInt8(ascii: ";"), count: before + count)
          for place in 0..<count where bits >> place & 1 == 1 { bytes[before + place] = colon }
          let memory = bytes + colons
          for start in [0, 5] where start <= bytes.count {
            let found = memory.withUnsafeBytes {
              KeyBytes.firstDoubleColon(in: UnsafeRawBufferPointer(rebasing: $0[..<bytes.count]), from: start)
            }
            if found != plainly(bytes, from: start) {
              Issue.record("\(String(decoding: bytes, as: UTF8.self)) from \(start): \(found ?? -1)")
            }
          }
        }
      }
    }
  }

  @Test("nothing behind the end is read")
  func end() {
    // Whole pages on every system.
    let page = 65_536
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 3 * page, alignment: page)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: ";"), count: 3 * page)
    let wall = memory + page
    let hasWall = mprotect(wall, page, PROT_NONE) == 0
    defer { _ = mprotect(wall, page, PROT_READ | PROT_WRITE) }
    #expect(hasWall)
    for count in 0...40 {
      let bytes = UnsafeMutableRawBufferPointer(start: wall - count, count: count)
      bytes.copyBytes(from: name(count))
      let key = UnsafeRawBufferPointer(bytes)
      for folding in [false, true] {
        expectEqual(KeyBytes.hash(key, seed: 7, folding: folding), hash(name(count), folding: folding), "\(count)")
        #expect(KeyBytes.equal(key, key, folding: folding))
      }
      expectEqual(KeyBytes.firstDoubleColon(in: key, from: 0), nil)
      if count > 0 {
        bytes[count - 1] = UInt8(ascii: ":")
        expectEqual(KeyBytes.firstDoubleColon(in: key, from: 0), nil)
      }
      if count > 1 {
        bytes[count - 2] = UInt8(ascii: ":")
        expectEqual(KeyBytes.firstDoubleColon(in: key, from: 0), count - 2)
      }
    }
  }
}
