import Dispatch
import RollcallConnect
import RollcallDoors
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import Testing

@testable import RollcallPhones

/// What a `DiscoveryManager` has under the addresses of devices.
@Suite("The devices of a manager by their addresses") struct DevicesByAddressTests {
  private final class App: DiscoveryManagerDelegate, ConnectableDeviceDelegate, @unchecked Sendable {
    let queue = DispatchQueue(label: "app")
    let manager: DiscoveryManager
    private let told = Guarded<[String]>([])

    init(_ configure: (DiscoveryManager) -> Void) {
      manager = DiscoveryManager(queue: queue)
      configure(manager)
      manager.delegate = self
      manager.startDiscovery()
    }

    var lines: [String] { told.takeAll() }

    private func note(_ word: String, _ device: ConnectableDevice) {
      told.withLock { $0.append("\(word) \(device.friendlyName ?? "-")") }
    }
    func discoveryManager(_ manager: DiscoveryManager, didFind device: ConnectableDevice) { note("found", device) }
    func discoveryManager(_ manager: DiscoveryManager, didLose device: ConnectableDevice) { note("lost", device) }
    func discoveryManager(_ manager: DiscoveryManager, didUpdate device: ConnectableDevice) { note("updated", device) }
    func connectableDevice(_ device: ConnectableDevice, connectionFailedWithError error: ConnectionFailure) {
      note("\(error.reason)", device)
    }
  }

  private static func names(_ devices: [String: ConnectableDevice]) -> [String: String] {
    devices.compactMapValues(\.friendlyName)
  }

  private final class Provider: DiscoveryProvider {
    private let sink = Guarded<DiscoveryProviderSink?>(nil)
    func startDiscovery(reportingTo sink: DiscoveryProviderSink) { self.sink.withLock { $0 = sink } }
    func stopDiscovery() {}
    func report(at address: String?) {
      let device = ProvidedDevice(id: "box", name: "Box", address: address, services: ["own-box"])
      _ = sink.current?.found(device)
    }
  }

  @Test("a device is under its present address: without one under its id, and behind another one that is there already")
  func moves() throws {
    let text = """
      scenario: A television
      duration: 2m
      engine: {descriptions: fetch}
      inhabitants:
        tv: {kind: root-device, profile: tv, friendly-name: Den, address: 192.168.1.20}
      expect: []
      """
    let world = PhoneWorld(try Scenario(yaml: text, file: "house.yaml").resolved(), seed: Seed(1))
    let provider = Provider()
    let app = world.enter {
      App { manager in
        manager.registrations = [.dlna, ServiceRegistration("Box", .application, filter: "own-box")]
        manager.addProvider(provider)
      }
    }
    world.run(for: .seconds(10))
    expectEqual(app.lines, ["found Den"])
    var box: ConnectableDevice?
    let steps: [(address: String?, word: String)] = [
      (nil, "found"), ("192.168.1.9", "updated"), ("192.168.1.20", "updated"), ("192.168.1.10", "updated"),
      (nil, "updated"),
    ]
    for (address, word) in steps {
      app.queue.sync { provider.report(at: address) }
      world.run(for: .seconds(1))
      expectEqual(app.lines, ["\(word) Box"])
      let device = try #require(app.manager.devices.last)
      expectEqual(box ?? device, device)
      box = device
      expectEqual(device.address, address)
      let key = address.map { $0 == "192.168.1.20" ? "\($0) \(device.id)" : $0 } ?? device.id
      expectEqual(DevicesByAddressTests.names(app.manager.compatibleDevices), ["192.168.1.20": "Den", key: "Box"])
    }
    #expect(world.isReproducible)
  }

  @Test("a device that a bridge answers for is at the address of the bridge, or at its own where that is wanted")
  func bridge() throws {
    let filter = ServiceRegistration.webOS.filter
    let policies: [(DiscoverySetup.AddressPolicy, String)] = [(.heard, "192.168.1.60"), (.announced, "192.168.1.50")]
    for (policy, address) in policies {
      let bridge = SearchHouse.device(
        "bridge", "192.168.1.60", asked: filter, fields: SearchHouse.fields(1, "192.168.1.50", target: filter))
      let world = try SearchHouse.world([bridge])
      let app = world.enter { App { ($0.registrations, $0.addressing) = ([.webOS], policy) } }
      world.run(for: .seconds(5))
      expectEqual(Array(app.manager.compatibleDevices.keys), [address])
    }
  }

  @Test("all of them are there whatever the filters ask for, each one object; what meets none cannot be connected")
  func all() throws {
    let text = """
      scenario: A television and a stick
      duration: 2m
      engine: {descriptions: fetch}
      inhabitants:
        tv: {kind: root-device, profile: tv, friendly-name: Den, address: 192.168.1.20}
        stick: {kind: root-device, profile: dial-stick, friendly-name: Attic, address: 192.168.1.30}
      timeline:
        - {at: 60s, leave: stick}
      expect: []
      """
    let world = PhoneWorld(try Scenario(yaml: text, file: "house.yaml").resolved(), seed: Seed(1))
    let app = world.enter { App { $0.capabilityFilters = [CapabilityFilter([.any("VolumeControl")])] } }
    world.run(for: .seconds(30))
    expectEqual(app.lines, ["found Den"])
    let both = ["192.168.1.20": "Den", "192.168.1.30": "Attic"]
    expectEqual(DevicesByAddressTests.names(app.manager.allDevices), both)
    expectEqual(DevicesByAddressTests.names(app.manager.compatibleDevices), ["192.168.1.20": "Den"])
    let attic = try #require(app.manager.allDevices["192.168.1.30"])
    expectEqual(app.manager.device(withID: attic.id), nil)
    attic.delegate = app
    app.queue.sync { attic.connect() }
    world.run(for: .seconds(1))
    expectEqual(app.lines, ["noDevice Attic"])
    #expect(!attic.isConnecting)
    let den = app.manager.devices.first
    app.queue.sync { app.manager.capabilityFilters = [CapabilityFilter([.any("Launcher")])] }
    world.run(for: .seconds(1))
    expectEqual(app.lines, ["lost Den", "found Attic"])
    expectEqual(app.manager.devices, [attic])
    expectEqual(DevicesByAddressTests.names(app.manager.allDevices), both)
    expectEqual(app.manager.allDevices["192.168.1.20"], den)
    world.run(for: .seconds(40))
    expectEqual(app.lines, ["lost Attic"])
    expectEqual(DevicesByAddressTests.names(app.manager.allDevices), ["192.168.1.20": "Den"])
    app.queue.sync { app.manager.stopDiscovery() }
    world.run(for: .seconds(1))
    expectEqual(app.manager.allDevices, [:])
    expectEqual(app.lines, [])
    #expect(world.isReproducible)
  }
}
