import RollcallConnect
import RollcallExpectations
import RollcallPrimitives
import Testing

/// The list that the picker of an application and that of a terminal show.
@Suite("The list that a person picks a device from") struct PickerListTests {
  private struct Device: PickableDevice, Hashable {
    var id: String
    var state: ManagerReport.State
    var isConnecting = false
    var isConnected = false

    init(_ id: String, _ name: String?, _ address: DeviceAddress? = nil) {
      (self.id, state) = (id, ManagerReport.State(name: name, address: address))
    }
  }

  private static func ids(_ list: PickerList<Device>) -> String { list.devices.map(\.id).joined(separator: " ") }

  @Test("it is sorted by name, whatever the case of letters, and without a name by address")
  func order() {
    let devices: [Device] = [
      Device("radio", nil, .radio(RadioAddress(bits: 7, isRandom: false))),
      Device("six", nil, .ip(IPAddress(v6High: 1, low: 1))), Device("nowhere", nil),
      Device("far", nil, .ip(IPAddress(10, 0, 0, 100))), Device("near", nil, .ip(IPAddress(10, 0, 0, 9))),
      Device("peer", nil, .peer(3)), Device("b", "Den"), Device("a", "den"), Device("z", "attic"),
      Device("y", "Cellar"),
    ]
    let sorted = "z y a b near far six radio peer nowhere"
    expectEqual(PickerListTests.ids(PickerList(devices)), sorted)
    expectEqual(PickerListTests.ids(PickerList(devices.reversed())), sorted)
    expectEqual(PickerList(devices).count, 10)
  }

  @Test("a device that has another name goes to its place, and one that is gone leaves no gap")
  func changes() {
    var list = PickerList([Device("a", "Attic"), Device("b", "Den"), Device("c", "Hall")])
    list.put(Device("a", "Kitchen"))
    expectEqual(PickerListTests.ids(list), "b c a")
    expectEqual(list.device(withID: "a")?.state.name, "Kitchen")
    // The same name, and something else of it is new.
    list.put(Device("c", "Hall", .peer(1)))
    expectEqual(PickerListTests.ids(list), "b c a")
    expectEqual(list.device(withID: "c")?.state.address, .peer(1))
    list.remove(id: "c")
    list.remove(id: "c")
    expectEqual(PickerListTests.ids(list), "b a")
    expectEqual(list.device(withID: "c"), nil)
  }

  @Test("what was picked stays picked under another name, until it is gone; what is not there cannot be picked")
  func selection() {
    var list = PickerList([Device("a", "Attic"), Device("b", "Den")])
    expectEqual(list.selected, nil)
    expectEqual(list.select(id: "b"), true)
    expectEqual(list.select(id: "x"), false)
    expectEqual(list.selected?.id, "b")
    var other = Device("b", "Aa")
    other.isConnecting = true
    list.put(other)
    expectEqual(PickerListTests.ids(list), "b a")
    expectEqual([list.selected?.id == "b", list.isConnecting, list.isConnected], [true, true, false])
    (other.isConnecting, other.isConnected) = (false, true)
    list.put(other)
    expectEqual([list.isConnecting, list.isConnected], [false, true])
    list.remove(id: "a")
    expectEqual(list.selected?.id, "b")
    list.remove(id: "b")
    expectEqual(list.selected, nil)
    list.put(other)
    expectEqual(list.selected, nil)
    expectEqual([list.select(id: "b"), list.select(id: nil)], [true, true])
    expectEqual([list.isConnecting, list.isConnected], [false, false])
  }

  @Test("addresses of one kind are sorted as numbers, and devices with one address by their ids")
  func numbers() {
    func radio(_ bits: UInt64, _ isRandom: Bool) -> DeviceAddress {
      .radio(RadioAddress(bits: bits, isRandom: isRandom))
    }
    let devices: [Device] = [
      Device("v6 c", nil, .ip(IPAddress(v6High: 2, low: 0))), Device("v6 b", nil, .ip(IPAddress(v6High: 1, low: 10))),
      Device("v6 a", nil, .ip(IPAddress(v6High: 1, low: 9))), Device("v4 b", nil, .ip(IPAddress(255, 0, 0, 2))),
      Device("v4 d", nil, .ip(IPAddress(255, 0, 0, 10))), Device("v4 c", nil, .ip(IPAddress(255, 0, 0, 2))),
      Device("r b", nil, radio(5, true)), Device("r a", nil, radio(5, false)), Device("r c", nil, radio(10, true)),
      Device("p b", nil, .peer(10)), Device("p a", nil, .peer(9)), Device("none b", nil), Device("none a", nil),
      Device("v6 0", nil, .ip(IPAddress(v6High: 0, low: 1))),
    ]
    let sorted = [
      "v4 b", "v4 c", "v4 d", "v6 0", "v6 a", "v6 b", "v6 c", "r a", "r b", "r c", "p a", "p b", "none a", "none b",
    ]
    expectEqual(PickerList(devices).devices.map(\.id), sorted)
    var list = PickerList(Array(devices.reversed()))
    expectEqual(list.devices.map(\.id), sorted)
    // Of two with one address the other one stays.
    list.remove(id: "v4 b")
    expectEqual(list.devices.map(\.id), Array(sorted.dropFirst()))
    expectEqual(list.device(withID: "v4 c")?.state.address, .ip(IPAddress(255, 0, 0, 2)))
  }
}
