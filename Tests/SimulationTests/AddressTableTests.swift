import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallSimulation

@Suite("The table of addresses")
struct AddressTableTests {
  /// Addresses in a small universe, so that they are often there; two segments know the same addresses.
  private struct Key: Hashable {
    var low: UInt64
    var segment: Int32
    var address: IPAddress { IPAddress(v4: UInt32(0xC0A8_0100 + low)) }
  }

  @Test(
    "it answers as a dictionary does, whatever was inserted, replaced and removed before, at every size",
    arguments: [12, 28, 60, 300] as [UInt64])
  func model(universe: UInt64) {
    var table = AddressTable()
    var model: [Key: Int] = [:]
    var draw = Seed(universe).stream("addresses")
    for step in 0..<4_000 {
      let key = Key(low: draw.next() % universe, segment: Int32(draw.next() % 2))
      if draw.next() % 3 == 0 {
        table.remove(key.address, on: key.segment)
        model[key] = nil
      } else {
        table.insert(key.address, on: key.segment, port: step)
        model[key] = step
      }
      if step % 97 != 0 { continue }
      for low in 0..<universe {
        for segment in 0...1 as ClosedRange<Int32> {
          let asked = Key(low: low, segment: segment)
          expectEqual(table.port(of: asked.address, on: segment), model[asked], "step \(step), \(asked)")
        }
      }
    }
  }
}
