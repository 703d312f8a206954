import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallDiscovery

@Suite("Devices that an application found itself") struct ProvidedDevicesTests {
  private func device(_ id: String, _ name: String? = nil, at address: String? = nil, _ services: String...)
    -> ProvidedDevice
  {
    ProvidedDevice(id: id, name: name, address: address, services: services)
  }

  @Test("are in the directory as they come, change and go; each change is told")
  func life() {
    var provided = ProvidedDevices()
    var directory = Directory()
    func told() -> [String] {
      var outbox = Outbox(payloads: PayloadStore())
      directory.report(into: &outbox)
      return outbox.effects.compactMap { if case .application(let report) = $0 { report.text } else { nil } }
        .map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    }
    provided.provide(device("a", "Den", "s"), &directory)
    provided.provide(device("a", "Den", "s"), &directory)
    provided.provide(device("b", at: "10.0.0.1"), &directory)
    expectEqual(told(), ["found app:a", "found app:b"])
    provided.provide(device("a", "Attic", at: "10.0.0.2", "s", "t"), &directory)
    expectEqual(told(), ["changed app:a", "changed app:a", "changed app:a"])
    let sighting = directory.device(named: "app:a")?.sighting
    expectEqual(sighting?[.name], .text("Attic"))
    expectEqual(sighting?[.services], .text("s t"))
    expectEqual(sighting?.locator.address, .ip(IPAddress(10, 0, 0, 2)))
    expectEqual(sighting?.provider, .application)
    expectEqual(sighting.map { ProviderID(ofDevice: $0.device) }, .application)
    provided.withdraw("c", &directory)
    provided.withdraw("a", &directory)
    provided.withdraw("a", &directory)
    expectEqual(told(), ["lost app:a"])
    expectEqual(directory.count, 1)
    provided.provide(device("not one"), &directory)
    expectEqual(directory.count, 1)
    // A name in other letters is that of the same device, as in the directory.
    provided.provide(device("Box"), &directory)
    provided.provide(device("box", "Den"), &directory)
    expectEqual(told(), ["found app:Box", "changed app:box"])
    provided.withdraw("BOX", &directory)
    expectEqual(told(), ["lost app:box"])
    #expect(directory.count == 1 && provided.devices.count == 1)
  }

  @Test("1024 are taken, and a place that is free is used again")
  func bounds() {
    var provided = ProvidedDevices()
    var directory = Directory()
    for number in 0..<1_025 { provided.provide(device("\(number)"), &directory) }
    expectEqual(directory.count, 1_024)
    #expect(directory.device(named: "app:1023") != nil && directory.device(named: "app:1024") == nil)
    provided.withdraw("0", &directory)
    provided.provide(device("x"), &directory)
    #expect(directory.device(named: "app:x") != nil)
  }
}
