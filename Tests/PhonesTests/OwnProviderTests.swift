import Dispatch
import RollcallConnect
import RollcallDoors
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import Testing

@testable import RollcallPhones

/// A provider that a test brings, beside those of the engine.
@Suite("A provider of the application's own") struct OwnProviderTests {
  private final class Provider: DiscoveryProvider {
    let sink = Guarded<DiscoveryProviderSink?>(nil)
    let calls = Guarded<[String]>([])

    func startDiscovery(reportingTo sink: DiscoveryProviderSink) {
      calls.withLock { $0.append("start") }
      self.sink.withLock { $0 = sink }
      sink.found(ProvidedDevice(id: "box", name: "Box", address: "192.168.1.9", services: ["own-box"]))
    }
    func stopDiscovery() { calls.withLock { $0.append("stop") } }
    func rescan() { calls.withLock { $0.append("rescan") } }
  }

  private final class App: DiscoveryManagerDelegate, @unchecked Sendable {
    let queue = DispatchQueue(label: "app")
    let manager: DiscoveryManager
    let provider = Provider()
    private let told = Guarded<[String]>([])

    init() {
      manager = DiscoveryManager(queue: queue)
      manager.registrations = [
        .dlna, ServiceRegistration("Box", .application, filter: "own-box", capabilities: ["Box.Open"]),
      ]
      manager.delegate = self
      manager.addProvider(provider)
      manager.addProvider(provider)
      manager.startDiscovery()
    }
    var lines: [String] { told.takeAll() }
    private func note(_ word: String, _ device: ConnectableDevice) {
      told.withLock { $0.append("\(word) \(device.friendlyName ?? "-") \(device.serviceNames)") }
    }
    func discoveryManager(_ manager: DiscoveryManager, didFind device: ConnectableDevice) { note("found", device) }
    func discoveryManager(_ manager: DiscoveryManager, didLose device: ConnectableDevice) { note("lost", device) }
    func discoveryManager(_ manager: DiscoveryManager, didUpdate device: ConnectableDevice) { note("updated", device) }
    func discoveryManager(_ manager: DiscoveryManager, didFailWith error: DiscoveryError) {
      told.withLock { $0.append("failed \(error)") }
    }
    func report(_ body: @escaping @Sendable (DiscoveryProviderSink) -> Void) {
      queue.sync { if let sink = provider.sink.current { body(sink) } }
    }
  }

  private static func world() throws -> PhoneWorld {
    let text = """
      scenario: A television
      duration: 5m
      engine: {descriptions: fetch}
      inhabitants: {tv: {kind: root-device, profile: tv, friendly-name: Den, uuid: 00000000-0000-4000-8000-000000000001}}
      expect: []
      """
    return PhoneWorld(try Scenario(yaml: text, file: "tv.yaml").resolved(), seed: Seed(1))
  }

  @Test("what it finds is a device as all others are, and one with a device of the network that has its UUID")
  func life() throws {
    let world = try OwnProviderTests.world()
    let app = world.enter { App() }
    world.run(for: .seconds(10))
    expectEqual(app.lines.sorted(), ["found Box [\"Box\"]", "found Den [\"DLNA\"]"])
    app.report { sink in
      sink.found(
        ProvidedDevice(id: "half", name: "Other", services: ["own-box"], uuid: "00000000-0000-4000-8000-000000000001"))
    }
    world.run(for: .seconds(1))
    expectEqual(app.lines, ["updated Den [\"DLNA\", \"Box\"]"])
    app.report { $0.lost(id: "half") }
    app.report { $0.found(ProvidedDevice(id: "box", name: "Crate", services: ["own-box"])) }
    app.report { $0.lost(id: "nobody") }
    world.run(for: .seconds(1))
    expectEqual(app.lines, ["updated Den [\"DLNA\"]", "updated Crate [\"Box\"]"])
    app.report { $0.lost(id: "box") }
    world.run(for: .seconds(1))
    expectEqual(app.lines, ["lost Crate [\"Box\"]"])
    #expect(world.isReproducible)
  }

  @Test("it is started, asked and stopped with the manager; what it reports afterwards is nothing")
  func calls() throws {
    let world = try OwnProviderTests.world()
    let app = world.enter { App() }
    world.run(for: .seconds(10))
    app.queue.sync { app.manager.rescan() }
    app.queue.sync { app.manager.stopDiscovery() }
    world.run(for: .seconds(1))
    #expect(app.lines.contains("lost Box [\"Box\"]"))
    app.report { sink in
      sink.found(ProvidedDevice(id: "late", services: ["own-box"]))
      sink.failed("late")
    }
    app.queue.sync { app.manager.startDiscovery() }
    world.run(for: .seconds(10))
    expectEqual(app.lines.sorted(), ["found Box [\"Box\"]", "found Den [\"DLNA\"]"])
    app.queue.sync { app.manager.removeProvider(app.provider) }
    world.run(for: .seconds(1))
    expectEqual(app.lines, ["lost Box [\"Box\"]"])
    expectEqual(app.provider.calls.current, ["start", "rescan", "stop", "start", "stop"])
    app.queue.sync { app.manager.rescan() }
    expectEqual(app.provider.calls.current.count, 5)
    app.queue.sync { app.manager.addProvider(app.provider) }
    world.run(for: .seconds(1))
    expectEqual(app.lines, ["found Box [\"Box\"]"])
  }

  @Test("what breaks a bound is refused, and the delegate is told why")
  func refused() throws {
    let world = try OwnProviderTests.world()
    let app = world.enter { App() }
    world.run(for: .seconds(10))
    _ = app.lines
    app.report { sink in
      #expect(!sink.found(ProvidedDevice(id: "a b", services: [])))
      sink.failed("the cable is out")
    }
    world.run(for: .seconds(1))
    expectEqual(
      app.lines,
      ["failed expected an id of 1 to 200 bytes without blanks, found 3", "failed the cable is out"])
  }
}
