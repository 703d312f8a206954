import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallScenarios

/// Addresses of one subnet, taken one after the other.
@Suite("Plans of addresses") struct AddressPlanTests {
  private func empty(_ prefixBits: Int, _ segment: String = "lan") -> AddressPlan {
    AddressPlan([segment], [InterfaceAddress(address(0), prefixBits: prefixBits)])
  }
  private func address(_ number: UInt8) -> IPAddress { IPAddress(10, 0, 0, number) }

  /// The last byte of the first of `count` addresses: each place is tried, from the one of the hash on.
  private func place(
    _ count: Int, _ name: String, _ segment: String, size: Int, taken: Set<UInt8>
  ) -> IPAddress? {
    let starts = size - 2 - count
    guard starts > 0 else { return nil }
    var digest = Digest()
    digest.combine(name)
    digest.combine(segment)
    let first = Int(digest.state.multipliedFullWidth(by: UInt64(starts)).high)
    for number in 0..<starts {
      let start = 2 + (first + number) % starts
      if (start..<start + count).allSatisfy({ !taken.contains(UInt8($0)) }) { return address(UInt8(start)) }
    }
    return nil
  }

  @Test("a run of addresses begins at the hash of the name and the segment, or at the next free place round the subnet")
  func runs() {
    for (bits, size) in [(29, 8), (24, 256)] {
      for taken in [[], [6], [3], [2, 5]] as [Set<UInt8>] {
        for count in 1...4 {
          for number in 0..<12 {
            let (name, segment) = ("host-\(number)", "segment-\(number % 3)")
            var plan = empty(bits, segment)
            for byte in taken { _ = plan.reserve(address(byte), count: 1, segment: 0) }
            let given = plan.give(count, name: name, segment: 0)
            expectEqual(
              given, place(count, name, segment, size: size, taken: taken), "\(count) of \(name) beside \(taken)")
          }
        }
      }
    }
  }

  @Test("a run may fill a subnet without its first two addresses and its last, and no longer one fits")
  func bounds() {
    for (bits, room) in [(30, 1), (29, 5), (24, 253)] {
      var plan = empty(bits)
      expectEqual(plan.give(room + 1, name: "a", segment: 0), nil)
      expectEqual(plan.give(room, name: "a", segment: 0), address(2))
      expectEqual(plan.give(1, name: "b", segment: 0), nil)
    }
    // One after the other they are all given.
    var plan = empty(29)
    let given = ["a", "b", "c", "d", "e", "f"].map { plan.give(1, name: $0, segment: 0) }
    expectEqual(Set(given.compactMap { $0 }), Set((2...6).map { address($0) }))
    expectEqual(given.last, .some(nil))
  }

  @Test("as many addresses are kept as are wanted, and the first one that is not free is told")
  func kept() {
    var plan = empty(24)
    expectEqual(plan.reserve(address(2), count: 3, segment: 0), nil)
    expectEqual(plan.reserve(address(9), count: 0, segment: 0), nil)
    expectEqual(plan.reserve(address(9), count: -1, segment: 0), nil)
    let told = (1...5).map { plan.reserve(address($0), count: 1, segment: 0) }
    expectEqual(told, [nil, address(2), address(3), address(4), nil])
    expectEqual(plan.reserve(address(7), count: 4, segment: 0), nil)
    expectEqual(plan.reserve(address(6), count: 3, segment: 0), address(7))
  }

  @Test("the address of a link is made of the name and the number of the interface, without the bit of the hardware")
  func links() {
    let plan = empty(24)
    for (name, interface, word) in [("tv", 0, 0xFE80), ("tv", 1, 0xFE81), ("lamp", 3, 0xFE83)]
      as [(String, Int, UInt64)]
    {
      var digest = Digest()
      digest.combine(name)
      digest.combine(word)
      let low = digest.state & 0xFDFF_FFFF_FFFF_FFFF
      expectEqual(
        plan.linkLocal(name: name, interface: interface), IPAddress(v6High: 0xFE80_0000_0000_0000, low: low))
    }
  }
}
