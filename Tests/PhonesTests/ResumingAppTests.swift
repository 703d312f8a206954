import Dispatch
import Foundation
import RollcallConnect
import RollcallConnectStore
import RollcallDoors
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import Testing

@testable import RollcallPhones

/// An application that connects to a device, launches an app there, ends, and goes on with both when it is started anew.
@Suite("An application that resumes") struct ResumingAppTests {
  /// What an application keeps between two launches, as `UserDefaults` does.
  private final class Defaults: @unchecked Sendable {
    private let values = Guarded<[String: any Sendable]>([:])
    func set(_ value: some Sendable, forKey key: String) { values.withLock { $0[key] = value } }
    func string(forKey key: String) -> String? { values.current[key] as? String }
    func dictionary(forKey key: String) -> [String: Any]? { values.current[key] as? [String: String] }
  }

  private final class App: DiscoveryManagerDelegate, ConnectableDeviceDelegate, @unchecked Sendable {
    let manager: DiscoveryManager
    let queue = DispatchQueue(label: "app")
    private let defaults: Defaults
    private let recentDeviceID: String?
    private let device = Guarded<ConnectableDevice?>(nil)
    private let session = Guarded<LaunchSession?>(nil)
    private let told = Guarded<[String]>([])
    /// What the user of this application types.
    private let key: String?

    init(_ defaults: Defaults, _ store: (any ConnectableDeviceStore)?, key: String? = nil) {
      (self.defaults, self.key) = (defaults, key)
      recentDeviceID = defaults.string(forKey: "recentDeviceId")
      manager = DiscoveryManager(deviceStore: store, queue: queue)
      manager.pairingLevel = .on
      manager.registrations = [.dial, .netcast]
      manager.capabilityFilters = [CapabilityFilter([Capability("Launcher.App"), Capability("KeyControl.Home")])]
      manager.delegate = self
      manager.startDiscovery()
    }

    var lines: [String] { told.takeAll() }
    var current: ConnectableDevice? { device.current }
    private func note(_ line: String) { told.withLock { $0.append(line) } }

    func discoveryManager(_ manager: DiscoveryManager, didFind device: ConnectableDevice) {
      note("found \(device.friendlyName ?? "-")")
      guard self.device.current == nil, recentDeviceID == nil || device.id == recentDeviceID else { return }
      self.device.withLock { $0 = device }
      device.delegate = self
      device.connect()
      #expect(device.isConnecting && !device.isConnected)
    }
    func discoveryManager(_ manager: DiscoveryManager, didLose device: ConnectableDevice) { note("lost") }

    func connectableDevice(
      _ device: ConnectableDevice, service: DeviceService, pairingRequiredOfType type: PairingKind
    ) {
      note("\(service.name) asks for a \(type)")
      if let key { device.sendPairingKey(key) } else { device.cancelPairing() }
    }

    func connectableDeviceReady(_ device: ConnectableDevice) {
      note("ready")
      #expect(device.isConnected && !device.isConnecting)
      defaults.set(device.id, forKey: "recentDeviceId")
      guard let launcher = device.launcher else { return note("no launcher") }
      let failure: Launcher.Failure = { [weak self] error in self?.note("failed: \(error)") }
      if let info = defaults.dictionary(forKey: "launchSession"),
        let session = LaunchSession.launchSession(fromJSONObject: info)
      {
        launcher.joinApp(session, success: { [weak self] session in self?.joined(session) }, failure: failure)
      } else {
        launcher.launchApp(
          "YouTube", content: "v=1", success: { [weak self] session in self?.launched(session) }, failure: failure)
      }
    }
    func connectableDeviceDisconnected(_ device: ConnectableDevice, withError error: ConnectionFailure?) {
      note("disconnected\(error.map { ": \($0)" } ?? "")")
    }
    func connectableDevice(_ device: ConnectableDevice, connectionFailedWithError error: ConnectionFailure) {
      note("not connected: \(error)")
    }
    func connectableDevice(
      _ device: ConnectableDevice, capabilitiesAdded added: [Capability], removed: [Capability]
    ) {
      note("capabilities +\(added.count) -\(removed.count)")
    }

    private func launched(_ session: LaunchSession) {
      note("launched \(session.appID)")
      self.session.withLock { $0 = session }
      defaults.set(session.toJSONObject(), forKey: "launchSession")
    }
    private func joined(_ session: LaunchSession) {
      note("joined \(session.appID)")
      self.session.withLock { $0 = session }
    }

    func close() {
      guard let launcher = current?.launcher, let session = session.current else { return }
      launcher.closeApp(
        session, success: { [weak self] in self?.note("closed") },
        failure: { [weak self] error in self?.note("failed: \(error)") })
    }
    func ask() {
      current?.launcher?.getAppState(
        "YouTube", success: { [weak self] state in self?.note("it is \(state)") },
        failure: { [weak self] error in self?.note("failed: \(error)") })
    }
  }

  private static func world(_ timeline: String = "") throws -> PhoneWorld {
    let text = """
      scenario: A television
      duration: 10m
      engine: {descriptions: fetch}
      inhabitants:
        tv:
          kind: root-device
          device-type: "urn:schemas-upnp-org:device:MediaRenderer:1"
          services:
            - "urn:schemas-upnp-org:service:netrcu:1"
            - "urn:dial-multiscreen-org:service:dial:1"
          friendly-name: Den
          apps: [YouTube]
          pairing-key: '314159'
      \(timeline)
      expect: []
      """
    return PhoneWorld(try Scenario(yaml: text, file: "tv.yaml").resolved(), seed: Seed(1))
  }

  @Test("it pairs once, and in the next launch goes on with the device and the app without a question")
  func resumes() throws {
    try TemporaryStore.with(policy: .connected) { store in
      let world = try ResumingAppTests.world()
      let defaults = Defaults()
      var first: App? = world.enter { App(defaults, store, key: "314159") }
      world.run(for: .seconds(30))
      expectEqual(first?.lines, ["found Den", "Netcast TV asks for a pin", "ready", "launched YouTube"])
      let kept = try store.devices(nowUnixSeconds: 1_704_067_230)
      #expect(kept.first?.lastConnectedUnixSeconds != nil)
      expectEqual(kept.flatMap(\.services).compactMap(\.pairingKey), [Array("314159".utf8)])
      // The application ends.
      first = nil
      world.run(for: .seconds(60))
      let second = world.enter { App(defaults, store) }
      world.run(for: .seconds(30))
      expectEqual(second.lines, ["found Den", "ready", "joined YouTube"])
      second.queue.sync { second.close() }
      world.run(for: .seconds(1))
      expectEqual(second.lines, ["closed"])
      second.queue.sync { second.close() }
      world.run(for: .seconds(1))
      expectEqual(second.lines, ["failed: expected the session of YouTube that was launched, it is there no more"])
      #expect(world.isReproducible)
    }
  }

  @Test("a session that is gone fails, and a wrong number connects nothing")
  func gone() throws {
    let world = try ResumingAppTests.world("timeline: [{at: 40s, crash: {who: tv, down-for: 5s}}]")
    let defaults = Defaults()
    let wrong = world.enter { App(Defaults(), nil, key: "1") }
    world.run(for: .seconds(10))
    expectEqual(
      wrong.lines,
      [
        "found Den", "Netcast TV asks for a pin",
        "not connected: expected the number on the screen of the device, found another one (status 401)",
      ])
    #expect(wrong.current?.isConnected == false && wrong.current?.isConnecting == false)
    wrong.queue.sync { wrong.manager.stopDiscovery() }
    let first = world.enter { App(defaults, nil, key: "314159") }
    world.run(for: .seconds(20))
    expectEqual(first.lines.last, "launched YouTube")
    first.queue.sync { first.manager.stopDiscovery() }
    world.run(for: .seconds(60))
    expectEqual(first.lines, ["lost", "disconnected: the device is gone, or suits the application no more"])
    let second = world.enter { App(defaults, nil, key: "314159") }
    world.run(for: .seconds(20))
    expectEqual(
      second.lines.last, "failed: expected the session of YouTube that was launched, it is there no more")
  }

  @Test("a device that leaves answers what was asked, and is disconnected once")
  func leaves() throws {
    let world = try ResumingAppTests.world(
      "timeline: [{at: 20s, vanish: tv}]")
    let app = world.enter { App(Defaults(), nil, key: "314159") }
    world.run(for: .seconds(20))
    expectEqual(app.lines.last, "launched YouTube")
    app.queue.sync { app.ask() }
    world.run(for: .seconds(5))
    expectEqual(app.lines, [])
    app.queue.sync { app.manager.stopDiscovery() }
    app.queue.sync { app.ask() }
    world.run(for: .seconds(5))
    expectEqual(
      app.lines,
      [
        "failed: the discovery was stopped", "lost",
        "disconnected: the device is gone, or suits the application no more", "failed: the discovery was stopped",
      ])
    world.run(for: .seconds(60))
    expectEqual(app.lines, [])
    let device = try #require(app.current)
    app.queue.sync {
      device.connect()
      #expect(device.isConnecting)
    }
    world.run(for: .seconds(1))
    expectEqual(app.lines, ["not connected: the discovery was stopped"])
    #expect(!device.isConnecting)
    app.queue.sync { device.disconnect() }
    world.run(for: .seconds(1))
    expectEqual(app.lines, [])
  }

  @Test("it can do less without pairing, and the device tells of it; a user who does not agree connects nothing")
  func levels() throws {
    let world = try ResumingAppTests.world()
    let app = world.enter { App(Defaults(), nil) }
    world.run(for: .seconds(10))
    expectEqual(app.lines.last, "not connected: the user does not agree")
    let device = try #require(app.current)
    app.queue.sync { app.manager.capabilityFilters = [] }
    app.queue.sync { app.manager.pairingLevel = .off }
    world.run(for: .seconds(1))
    expectEqual(app.lines, ["capabilities +0 -58"])
    #expect(device.launcher != nil)
    app.queue.sync { device.connect() }
    world.run(for: .seconds(1))
    expectEqual(app.lines, ["ready", "launched YouTube"])
    app.queue.sync { device.disconnect() }
    world.run(for: .seconds(1))
    expectEqual(app.lines, ["disconnected"])
    app.queue.sync { app.ask() }
    world.run(for: .seconds(1))
    expectEqual(app.lines, ["failed: expected a device that is ready, this one is not connected"])
  }

  @Test("a session is the same in JSON, and what is none is none")
  func json() throws {
    let session = LaunchSession(appID: "a", sessionID: "http://x/run", serviceID: "DIAL")
    let data = try JSONSerialization.data(withJSONObject: session.toJSONObject())
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    expectEqual(LaunchSession.launchSession(fromJSONObject: object), session)
    for key in ["appId", "sessionId", "serviceId"] {
      var less = object
      less[key] = nil
      expectEqual(LaunchSession.launchSession(fromJSONObject: less), nil)
      less[key] = 5
      expectEqual(LaunchSession.launchSession(fromJSONObject: less), nil)
    }
  }

  /// The application as one loop over events, which asks the manager for something at each of them.
  private static func loop(_ world: PhoneWorld) -> (manager: DiscoveryManager, lines: Guarded<[String]>) {
    let lines = Guarded<[String]>([])
    let manager = world.enter { () -> DiscoveryManager in
      let manager = DiscoveryManager(queue: DispatchQueue(label: "loop"))
      manager.registrations = [.dial, .netcast]
      manager.pairingLevel = .on
      // What happens before the loop begins is kept.
      let events = manager.events()
      manager.run { [weak manager] in
        for await event in events {
          switch event {
          case .found(let device):
            lines.withLock { $0.append("found \(device.friendlyName ?? "-")") }
            device.connect()
          case .pairingRequired(let device, let service, let kind):
            lines.withLock { $0.append("\(service.name) \(kind)") }
            device.sendPairingKey("314159")
          case .ready(let device):
            lines.withLock { $0.append("ready") }
            guard let launcher = device.launcher else { continue }
            let session = try await launcher.launchApp("YouTube")
            let state = try await launcher.getAppState("YouTube")
            let joined = try await launcher.joinApp(session)
            lines.withLock { $0.append("\(session.appID) \(state) \(joined == session)") }
            try await launcher.closeApp(session)
            do { try await launcher.closeApp(session) } catch let failure as ConnectionFailure {
              lines.withLock { $0.append("\(failure.reason)") }
            }
            device.disconnect()
          case .disconnected(_, let error):
            lines.withLock { $0.append("disconnected \(error.map { "\($0.reason)" } ?? "as asked")") }
            manager?.capabilityFilters = [CapabilityFilter([Capability("None.Such")])]
          case .connectionFailed(_, let error): lines.withLock { $0.append("\(error)") }
          case .lost: lines.withLock { $0.append("lost") }
          case .updated, .capabilitiesChanged, .failed, .webAppMessage, .webAppDisconnected: break
          }
        }
      }
      manager.startDiscovery()
      return manager
    }
    return (manager, lines)
  }

  @Test(
    "a loop over events that asks for something at each of them does the same in each of 20 runs, in no virtual time")
  func loops() throws {
    let expected = [
      "found Den", "Netcast TV pin", "ready", "YouTube running true", "sessionGone", "disconnected as asked", "lost",
    ]
    var digests: [UInt64] = []
    for _ in 0..<20 {
      let world = try ResumingAppTests.world()
      let (manager, lines) = ResumingAppTests.loop(world)
      world.run(for: .seconds(20))
      expectEqual(lines.current, expected)
      #expect(world.isReproducible)
      digests.append(world.digest.state)
      withExtendedLifetime(manager) {}
    }
    expectEqual(Set(digests).count, 1)
  }
}
