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
}
