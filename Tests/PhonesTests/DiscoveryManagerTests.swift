import Dispatch
import RollcallConnect
import RollcallDoors
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import Testing

@testable import RollcallPhones

/// An application with a `DiscoveryManager` on a phone of a virtual world.
@Suite("An application that discovers devices") struct DiscoveryManagerTests {
  private static let house = """
    scenario: A house with a television in two halves and a stick
    duration: 5m
    engine: {descriptions: fetch}
    inhabitants:
      tv: {kind: root-device, profile: tv, friendly-name: Living Room, manufacturer: Maker, model: M1}
      remote:
        kind: root-device
        beside: tv
        device-type: "urn:schemas-upnp-org:device:Basic:1"
        services: ["urn:lge-com:service:webos-second-screen:1"]
        port: 1754
        friendly-name: Living Room
        appear: 60s
      stick: {kind: root-device, profile: dial-stick, friendly-name: attic}
    timeline:
      - {at: 120s, leave: stick}
    expect: []
    """

  /// Keeps what it is told as lines.
  private final class App: DiscoveryManagerDelegate, @unchecked Sendable {
    let manager: DiscoveryManager
    let queue = DispatchQueue(label: "app")
    private let told = Guarded<[String]>([])

    init(_ configure: (DiscoveryManager) -> Void = { _ in }) {
      manager = DiscoveryManager(queue: queue)
      configure(manager)
      manager.delegate = self
      manager.startDiscovery()
    }

    var lines: [String] { told.takeAll() }

    private func note(_ word: String, _ device: ConnectableDevice) {
      let services = device.serviceNames.joined(separator: ", ")
      told.withLock { $0.append("\(word) \(device.friendlyName ?? "-") [\(services)]") }
    }
    func discoveryManager(_ manager: DiscoveryManager, didFind device: ConnectableDevice) { note("found", device) }
    func discoveryManager(_ manager: DiscoveryManager, didLose device: ConnectableDevice) { note("lost", device) }
    func discoveryManager(_ manager: DiscoveryManager, didUpdate device: ConnectableDevice) { note("updated", device) }
    func discoveryManager(_ manager: DiscoveryManager, didFailWith error: DiscoveryError) {
      told.withLock { $0.append("failed \(error.reason)") }
    }
  }

  private static func world(_ text: String = house, seed: UInt64 = 1) throws -> PhoneWorld {
    let scenario = try Scenario(yaml: text, file: "house.yaml")
    return PhoneWorld(try scenario.resolved(), seed: Seed(seed))
  }

  @Test("hears of devices as they come, change and go, each one object with one id")
  func life() throws {
    let world = try DiscoveryManagerTests.world()
    let app = world.enter { App() }
    world.run(for: .seconds(30))
    expectEqual(app.lines.sorted(), ["found Living Room [DLNA]", "found attic [DIAL]", "updated attic [DIAL, Roku]"])
    let tv = try #require(app.manager.devices.first { $0.friendlyName == "Living Room" })
    expectEqual(tv.manufacturer, "Maker")
    expectEqual(tv.modelName, "M1")
    #expect(tv.hasCapability(.any("MediaPlayer")))
    #expect(!tv.hasCapability(.any("WebAppLauncher")))
    #expect(tv.hasCapabilities([Capability("MediaControl.Play"), Capability("VolumeControl.Set")]))
    #expect(!tv.hasCapabilities([Capability("MediaControl.Play"), Capability("WebAppLauncher.Launch")]))
    #expect(tv.hasAnyCapability(of: [Capability("WebAppLauncher.Launch"), Capability("MediaControl.Play")]))
    world.run(for: .seconds(60))
    expectEqual(app.lines, ["updated Living Room [DLNA, webOS TV]"])
    #expect(tv.hasCapability(.any("WebAppLauncher")))
    #expect(app.manager.device(withID: tv.id) === tv)
    expectEqual(tv.evidence.count, 1)
    world.run(for: .seconds(60))
    expectEqual(app.lines, ["lost attic [DIAL, Roku]"])
    expectEqual(app.manager.devices.map(\.friendlyName), ["Living Room"])
    expectEqual(app.manager.compatibleDevices.values.map(\.friendlyName), ["Living Room"])
    #expect(world.isReproducible)
  }

  @Test("a delegate that comes late is told of what comes from then on; what was there stands among the devices")
  func lateDelegate() throws {
    let world = try DiscoveryManagerTests.world()
    let app = world.enter { App() }
    world.enter { app.queue.sync { app.manager.delegate = nil } }
    world.run(for: .seconds(30))
    expectEqual(app.lines, [])
    world.enter { app.queue.sync { app.manager.delegate = app } }
    world.run(for: .seconds(60))
    expectEqual(app.lines, ["updated Living Room [DLNA, webOS TV]"])
    expectEqual(app.manager.devices.compactMap(\.friendlyName).sorted(), ["Living Room", "attic"])
  }

  @Test("hears only of devices that meet its filters, and of exactly what follows when it changes them")
  func filters() throws {
    let world = try DiscoveryManagerTests.world()
    let app = world.enter {
      App { $0.capabilityFilters = [CapabilityFilter([.any("VolumeControl")])] }
    }
    world.run(for: .seconds(30))
    expectEqual(app.lines, ["found Living Room [DLNA]"])
    world.enter { app.queue.sync { app.manager.capabilityFilters = [CapabilityFilter([.any("Launcher")])] } }
    world.run(for: .seconds(1))
    expectEqual(app.lines, ["lost Living Room [DLNA]", "found attic [DIAL, Roku]"])
    expectEqual(app.manager.devices.map(\.friendlyName), ["attic"])
  }

  @Test("loses everything when it stops, and finds with the same ids what is there when it starts again")
  func stops() throws {
    let world = try DiscoveryManagerTests.world()
    let app = world.enter { App() }
    world.run(for: .seconds(30))
    _ = app.lines
    let before = app.manager.devices
    app.queue.sync { app.manager.stopDiscovery() }
    world.run(for: .seconds(1))
    expectEqual(app.lines.sorted(), ["lost Living Room [DLNA]", "lost attic [DIAL, Roku]"])
    expectEqual(app.manager.devices, [])
    #expect(!app.manager.isSearching)
    world.run(for: .seconds(100))
    expectEqual(app.lines, [])
    app.queue.sync { app.manager.startDiscovery() }
    world.run(for: .seconds(10))
    // The stick has left meanwhile.
    expectEqual(app.lines, ["found Living Room [DLNA, webOS TV]"])
    expectEqual(app.manager.devices.map(\.id), before.filter { $0.friendlyName == "Living Room" }.map(\.id))
  }

  @Test("a manager that starts late asks for services of multicast DNS, and tells of each device that is there once")
  func startsLate() throws {
    let world = try DiscoveryManagerTests.world(
      """
      scenario: A speaker that has announced itself long ago
      duration: 3m
      engine: {browse: [_airplay._tcp]}
      inhabitants:
        speaker:
          kind: mdns-responder
          services:
            - {type: _airplay._tcp, name: Den, port: 7000}
            - {type: _raop._tcp, name: 0011@Den, port: 7001}
      expect: []
      """)
    world.run(for: .seconds(60))
    let app = world.enter {
      App { manager in
        manager.registrations = ["_airplay._tcp.local", "_raop._tcp.local"].map {
          ServiceRegistration($0, .peers, filter: $0)
        }
      }
    }
    world.run(for: .seconds(1))
    // The engine knew of the one service, and had to ask for the other.
    expectEqual(
      app.lines, ["found Den [_airplay._tcp.local]", "updated Den [_airplay._tcp.local, _raop._tcp.local]"])
  }

  @Test("of two devices at one address both are in the dictionary by address")
  func addresses() throws {
    let world = try DiscoveryManagerTests.world(
      """
      scenario: Two renderers on one computer
      duration: 1m
      engine: {descriptions: fetch}
      inhabitants:
        left: {kind: root-device, profile: tv, friendly-name: Left, address: 192.168.1.50}
        right: {kind: root-device, profile: tv, friendly-name: Right, beside: left, port: 7677}
      expect: []
      """)
    let app = world.enter { App() }
    world.run(for: .seconds(20))
    let devices = app.manager.devices
    expectEqual(devices.count, 2)
    expectEqual(
      app.manager.compatibleDevices.keys.sorted(), ["192.168.1.50", "192.168.1.50 \(devices[1].id)"])
    #expect(app.manager.compatibleDevices["192.168.1.50"] === devices[0])
  }

  @Test("two runs with one seed are equal, and callbacks are made on the queue of the manager")
  func repeats() throws {
    func run() throws -> (lines: [String], digest: Digest) {
      let world = try DiscoveryManagerTests.world(seed: 7)
      let app = world.enter { App() }
      world.run(for: .seconds(200))
      return (app.lines, world.digest)
    }
    let (first, second) = (try run(), try run())
    expectEqual(first.lines, second.lines)
    expectEqual(first.digest.state, second.digest.state)
  }

  @Test("the picker lists devices by name, keeps a choice while the device is there, and takes none that is not")
  func picker() throws {
    let world = try DiscoveryManagerTests.world()
    let app = world.enter { App() }
    let picker = app.manager.devicePicker()
    #expect(picker === app.manager.devicePicker())
    let changes = Guarded(0)
    picker.onChange = { _ in changes.withLock { $0 += 1 } }
    world.run(for: .seconds(30))
    expectEqual(changes.current, 3)
    expectEqual(picker.devices.map(\.friendlyName), ["attic", "Living Room"])
    let stick = picker.devices[0]
    #expect(picker.select(stick))
    #expect(picker.selectedDevice === stick)
    world.run(for: .seconds(120))
    // It has left.
    expectEqual(picker.selectedDevice, nil)
    #expect(!picker.select(stick))
    expectEqual(picker.devices.map(\.friendlyName), ["Living Room"])
    #expect(picker.select(nil))
  }

  @Test("tells what is wrong where joins are refused, and where there is no network at all")
  func failures() throws {
    let world = try DiscoveryManagerTests.world(
      """
      scenario: No entitlement
      duration: 1m
      engine: {refuses-joins: true, refuses-multicast-sends: true}
      inhabitants:
        tv: {kind: root-device, profile: tv}
      expect: []
      """)
    let app = world.enter { App() }
    world.run(for: .seconds(5))
    #expect(app.lines.contains("failed cannotSend"))
    let alone = DiscoveryLink.$current.withValue(nil) { App() }
    alone.queue.sync {}
    expectEqual(alone.lines, ["failed noNetwork"])
    // The network of the process is for code outside of a world. No other test may need that there is none.
    let host = world.enter { DiscoveryLink.host }
    DiscoveryLink.$current.withValue(nil) {
      #expect(SSDPSearchSession(configuration: SearchHouse.multicast()) == nil)
      DiscoveryLink.standard = host
      defer { DiscoveryLink.standard = nil }
      let found: AnyObject? = DiscoveryLink.host
      let expected: AnyObject? = host
      #expect(found === expected && found != nil)
    }
  }

  @Test("events come in the order of the calls, and end with the manager")
  func events() async throws {
    let world = try DiscoveryManagerTests.world()
    var app: App? = world.enter { App() }
    let stream = app!.manager.events()
    world.run(for: .seconds(90))
    let lines = app!.lines
    world.enter { app = nil }
    var seen: [String] = []
    for await event in stream {
      switch event {
      case .found(let device): seen.append("found \(device.friendlyName ?? "-")")
      case .lost(let device): seen.append("lost \(device.friendlyName ?? "-")")
      case .updated(let device): seen.append("updated \(device.friendlyName ?? "-")")
      case .failed: seen.append("failed")
      // Of these the delegate of the manager is not told.
      case .capabilitiesChanged: break
      default: seen.append("something of a connection")
      }
    }
    expectEqual(seen, lines.map { String($0.prefix { $0 != "[" }.dropLast()) })
  }

  @Test("what a device can do is an event as well, before its update")
  func capabilities() async throws {
    let world = try DiscoveryManagerTests.world(
      """
      scenario: A television whose second half comes and goes
      duration: 1m
      engine: {descriptions: fetch}
      inhabitants:
        tv: {kind: root-device, profile: tv, friendly-name: Den}
        remote:
          kind: root-device
          beside: tv
          device-type: "urn:schemas-upnp-org:device:Basic:1"
          services: ["urn:lge-com:service:webos-second-screen:1"]
          port: 1754
          friendly-name: Den
          appear: 20s
      timeline:
        - {at: 40s, leave: remote}
      expect: []
      """)
    var app: App? = world.enter {
      App { manager in
        let remote = ServiceRegistration(
          "Remote", filter: "urn:lge-com:service:webos-second-screen:1", capabilities: ["Remote.Press"])
        manager.registrations = [.dlna, remote]
      }
    }
    let stream = app!.manager.events()
    world.run(for: .seconds(50))
    world.enter { app = nil }
    var seen: [String] = []
    for await event in stream {
      switch event {
      case .found: seen.append("found")
      case .updated: seen.append("updated")
      case .capabilitiesChanged(let device, let added, let removed):
        seen.append("\(device.friendlyName ?? "-") +\(added.map(\.name)) -\(removed.map(\.name))")
      default: seen.append("something else")
      }
    }
    expectEqual(
      seen,
      ["found", "Den +[\"Remote.Press\"] -[]", "updated", "Den +[] -[\"Remote.Press\"]", "updated"])
  }
}
