import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallDiscovery

@Suite("The manager: which ids are remembered") struct DeviceMemoryTests {
  @Test("as many UUIDs as there is room for are remembered, then the one that was noted first is forgotten")
  func bound() {
    var memory = DeviceMemory(Seed(1))
    let most = DeviceMemory.countMaximum
    for number in 0..<most { memory.note("id \(number)", of: "\(number)") }
    expectEqual([memory.id(of: "0"), memory.id(of: "\(most - 1)")], ["id 0", "id \(most - 1)"])
    memory.note("more", of: "more")
    expectEqual([memory.id(of: "0"), memory.id(of: "1"), memory.id(of: "more")], [nil, "id 1", "more"])
    // Around once more: what is forgotten is still the oldest.
    for number in 0..<most { memory.note("new \(number)", of: "new \(number)") }
    expectEqual([memory.id(of: "more"), memory.id(of: "new 0")], [nil, "new 0"])
  }

  @Test("a UUID that is noted again takes no room of another, whether its id is the same or another")
  func again() {
    var memory = DeviceMemory(Seed(1))
    let most = DeviceMemory.countMaximum
    memory.note("first", of: "first")
    for _ in 0..<3 { memory.note([RememberedDevice(id: "second", owners: ["ble:1", "uuid:AB-cd"])]) }
    memory.note("other", of: "ble:1")
    for number in 3..<most { memory.note("id \(number)", of: "\(number)") }
    // What has no 32 digits keeps its hyphens.
    expectEqual(
      [memory.id(of: "first"), memory.id(of: "ble:1"), memory.id(of: "ab-cd")], ["first", "other", "second"])
    memory.note("more", of: "more")
    expectEqual([memory.id(of: "first"), memory.id(of: "ble:1")], [nil, "other"])
  }

  @Test("a UUID knows the id that it had before, as long as no other UUID has that, and has it again")
  func former() {
    var memory = DeviceMemory(Seed(1))
    for uuid in ["b1", "b2"] { memory.note("b", of: uuid) }
    memory.note("a", of: "a1")
    expectEqual(memory.formerID(of: "b1"), nil)
    memory.note("a", of: "b1")
    expectEqual([memory.id(of: "b1"), memory.formerID(of: "b1")], ["a", nil], "b2 is still b")
    memory.note("a", of: "b2")
    expectEqual([memory.formerID(of: "b1"), memory.formerID(of: "b2"), memory.formerID(of: "a1")], ["b", "b", nil])
    // It became a part of a third one: the first id counts.
    memory.note("c", of: "b1")
    expectEqual(memory.formerID(of: "b1"), "b")
    memory.note("b", of: "b1")
    expectEqual([memory.id(of: "b1"), memory.formerID(of: "b1")], ["b", "c"])
    memory.note("c", of: "b1")
    expectEqual([memory.id(of: "b1"), memory.formerID(of: "b1")], ["c", "b"])
  }
}
