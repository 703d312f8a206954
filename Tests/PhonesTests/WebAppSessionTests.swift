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

/// An application that launches a web app, keeps its session, and joins it again when it is started anew.
@Suite("An application with a web app") struct WebAppSessionTests {
  private final class App: ConnectableDeviceDelegate, DiscoveryManagerDelegate, @unchecked Sendable {
    let manager: DiscoveryManager
    let queue = DispatchQueue(label: "app")
    /// What was kept in an earlier launch, as JSON.
    private let saved: Data?
    let device = Guarded<ConnectableDevice?>(nil)
    let session = Guarded<WebAppSession?>(nil)
    private let told = Guarded<[String]>([])

    init(_ saved: Data? = nil, _ level: PairingLevel = .on, store: (any ConnectableDeviceStore)? = nil) {
      self.saved = saved
      manager = DiscoveryManager(deviceStore: store, queue: queue)
      manager.pairingLevel = level
      manager.registrations = [.webOS]
      manager.delegate = self
      manager.startDiscovery()
    }

    var lines: [String] { told.takeAll() }
    func note(_ line: String) { told.withLock { $0.append(line) } }

    func discoveryManager(_ manager: DiscoveryManager, didFind device: ConnectableDevice) {
      self.device.withLock { $0 = device }
      device.delegate = self
      device.connect()
    }
    func connectableDevice(
      _ device: ConnectableDevice, service: DeviceService, pairingRequiredOfType type: PairingKind
    ) {
      note("\(service.name) asks by a \(type)")
    }
    func connectableDeviceReady(_ device: ConnectableDevice) {
      note("ready")
      guard let launcher = device.webAppLauncher else { return note("no launcher") }
      let failure: WebAppLauncher.Failure = { [weak self] error in self?.note("failed: \(error.reason)") }
      guard let saved, let info = try? JSONSerialization.jsonObject(with: saved) as? [String: Any],
        let launchSession = LaunchSession.launchSession(fromJSONObject: info)
      else {
        return launcher.launchWebApp(
          "quiz", content: "room=7", success: { [weak self] in self?.take($0, "launched") }, failure: failure)
      }
      let byID: WebAppLauncher.Success = { [weak self] in self?.take($0, "joined by its id") }
      launcher.joinWebApp(
        launchSession, success: { [weak self] in self?.take($0, "joined") },
        failure: { error in
          failure(error)
          launcher.joinWebApp(withId: launchSession.appID, success: byID, failure: failure)
        })
    }
    func connectableDeviceDisconnected(_ device: ConnectableDevice, withError error: ConnectionFailure?) {
      note("disconnected\(error.map { ": \($0)" } ?? "")")
    }
    func connectableDevice(_ device: ConnectableDevice, connectionFailedWithError error: ConnectionFailure) {
      note("not connected: \(error.reason)")
    }

    private func take(_ webAppSession: WebAppSession, _ word: String) {
      session.withLock { $0 = webAppSession }
      note("\(word) \(webAppSession.launchSession.appID) as \(webAppSession.launchSession.sessionID)")
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
          device-type: "urn:schemas-upnp-org:device:Basic:1"
          services: ["urn:lge-com:service:webos-second-screen:1"]
          friendly-name: Den
          webos: {answers: accept, answers-after: 3s, web-apps: [quiz, chess]}
      \(timeline)
      expect: []
      """
    return PhoneWorld(try Scenario(yaml: text, file: "tv.yaml").resolved(), seed: Seed(1))
  }

  @Test("it goes on with its session in the next launch, and closes it")
  func resumes() throws {
    let world = try Self.world()
    var first: App? = world.enter { App() }
    world.run(for: .seconds(30))
    expectEqual(first?.lines, ["webOS TV asks by a prompt", "ready", "launched quiz as run-1"])
    let object = try #require(first?.session.current?.launchSession.toJSONObject())
    expectEqual(
      object, ["appId": "quiz", "sessionId": "run-1", "serviceId": "webOS TV", "sessionType": "webapp"])
    let saved = try JSONSerialization.data(withJSONObject: object)
    first = nil
    world.run(for: .seconds(30))
    let second = world.enter { App(saved, .off) }
    world.run(for: .seconds(30))
    expectEqual(second.lines, ["ready", "joined quiz as run-1"])
    let session = try #require(second.session.current)
    for expected in ["closed", "failed: sessionGone"] {
      second.queue.sync {
        session.close(success: { second.note("closed") }, failure: { second.note("failed: \($0.reason)") })
      }
      world.run(for: .seconds(1))
      expectEqual(second.lines, [expected])
    }
    second.queue.sync { second.device.current?.disconnect() }
    world.run(for: .seconds(1))
    expectEqual(second.lines, ["disconnected"])
    #expect(world.isReproducible)
  }

  @Test("a user who agreed once is not asked in the next launch (A26), and is asked again where nothing is kept")
  func asksOnce() throws {
    try TemporaryStore.with(policy: .connected) { store in
      for kept in [store, nil] {
        let world = try Self.world()
        var first: App? = world.enter { App(store: kept) }
        world.run(for: .seconds(30))
        expectEqual(first?.lines, ["webOS TV asks by a prompt", "ready", "launched quiz as run-1"])
        let object = try #require(first?.session.current?.launchSession.toJSONObject())
        let saved = try JSONSerialization.data(withJSONObject: object)
        first = nil
        world.run(for: .seconds(30))
        let second = world.enter { App(saved, store: kept) }
        world.run(for: .seconds(30))
        let asked = kept == nil ? ["webOS TV asks by a prompt"] : []
        expectEqual(second.lines, asked + ["ready", "joined quiz as run-1"])
        #expect(world.isReproducible)
      }
      // What was kept is the key that the television gave.
      let services = try store.devices(nowUnixSeconds: 1_704_067_290).flatMap(\.services)
      expectEqual(services.map(\.serviceID), ["webOS TV"])
      #expect(services.first?.pairingKey?.isEmpty == false)
    }
  }

  @Test("a manager that is stopped and started again asks nobody twice, though it has no store")
  func asksOnceInALaunch() throws {
    let world = try Self.world()
    let app = world.enter { App() }
    world.run(for: .seconds(30))
    expectEqual(app.lines, ["webOS TV asks by a prompt", "ready", "launched quiz as run-1"])
    let id = app.device.current?.id
    app.queue.sync { app.manager.stopDiscovery() }
    world.run(for: .seconds(10))
    expectEqual(app.lines.count, 1)
    app.queue.sync { app.manager.startDiscovery() }
    world.run(for: .seconds(30))
    expectEqual(app.lines.filter { !$0.hasPrefix("launched") }, ["ready"])
    expectEqual(app.device.current?.id, id)
  }

  @Test("a session that is gone is joined by the id of its web app, where that runs")
  func gone() throws {
    let saved = try JSONSerialization.data(
      withJSONObject: LaunchSession(appID: "quiz", sessionID: "run-7", serviceID: "webOS TV", kind: .webApp)
        .toJSONObject())
    let world = try Self.world()
    let first = world.enter { App(nil, .off) }
    world.run(for: .seconds(10))
    expectEqual(first.lines, ["ready", "launched quiz as run-1"])
    let second = world.enter { App(saved, .off) }
    world.run(for: .seconds(10))
    expectEqual(second.lines, ["ready", "failed: sessionGone", "joined by its id quiz as run-1"])
    withExtendedLifetime(first) {}
  }

  @Test("a television that restarts ends the connection, and the application hears it")
  func restarts() throws {
    let world = try Self.world("timeline: [{at: 20s, crash: {who: tv, down-for: 30s}}]")
    let app = world.enter { App(nil, .off) }
    world.run(for: .seconds(30))
    expectEqual(
      app.lines, ["ready", "launched quiz as run-1", "disconnected: the connection to the device has ended"])
    #expect(app.device.current?.isConnected == false)
  }

  @Test("calls that wait for their answers do the same")
  func waits() throws {
    let world = try Self.world()
    let lines = Guarded<[String]>([])
    let manager = world.enter { () -> DiscoveryManager in
      let manager = DiscoveryManager(queue: DispatchQueue(label: "loop"))
      manager.registrations = [.webOS]
      let events = manager.events()
      manager.run {
        for await event in events {
          switch event {
          case .found(let device): device.connect()
          case .ready(let device):
            guard let launcher = device.webAppLauncher else { continue }
            let session = try await launcher.launchWebApp("chess")
            let again = try await launcher.joinWebApp(session.launchSession)
            let other = try await launcher.joinWebApp(withId: "chess")
            lines.withLock { $0.append("\(session.launchSession.appID) \(again == session) \(other == session)") }
            try await launcher.closeWebApp(session.launchSession)
            do { _ = try await launcher.joinWebApp(withId: "chess") } catch let failure as ConnectionFailure {
              lines.withLock { $0.append("\(failure.reason)") }
            }
          default: break
          }
        }
      }
      manager.startDiscovery()
      return manager
    }
    world.run(for: .seconds(20))
    expectEqual(lines.current, ["chess true true", "sessionGone"])
    withExtendedLifetime(manager) {}
  }

  /// Keeps what web apps say as lines.
  private final class Listener: WebAppSessionDelegate, @unchecked Sendable {
    private let told = Guarded<[String]>([])
    var lines: [String] { told.takeAll() }
    func webAppSession(_ session: WebAppSession, didReceiveMessage message: WebAppMessage) {
      let move = (message.jsonObject as? [String: Any])?["move"] as? String
      told.withLock { $0.append("\(session.launchSession.appID) says \(move ?? message.text)") }
    }
    func webAppSessionDidDisconnect(_ session: WebAppSession) {
      told.withLock { $0.append("\(session.launchSession.appID) is over") }
    }
  }

  @Test("it talks to its web app, in text and in JSON, and hears when that is over")
  func talks() throws {
    let world = try Self.world()
    let app = world.enter { App(nil, .off) }
    world.run(for: .seconds(10))
    expectEqual(app.lines, ["ready", "launched quiz as run-1"])
    let session = try #require(app.session.current)
    let listener = Listener()
    session.delegate = listener
    func ask(_ call: (@escaping @Sendable () -> Void, @escaping WebAppLauncher.Failure) -> Void) -> [String] {
      app.queue.sync { call({ app.note("done") }, { app.note("failed: \($0.reason)") }) }
      world.run(for: .seconds(1))
      return app.lines + listener.lines
    }
    #expect(!session.isConnected)
    // It connects first.
    expectEqual(ask { session.sendText("hello", success: $0, failure: $1) }, ["done", "quiz says hello"])
    #expect(session.isConnected)
    expectEqual(ask { session.sendJSON(["move": "e4"], success: $0, failure: $1) }, ["done", "quiz says e4"])
    expectEqual(ask { session.sendJSON(["at": Date()], success: $0, failure: $1) }, ["failed: badRequest"])
    expectEqual(ask { session.disconnectFromWebApp(success: $0, failure: $1) }, ["done", "quiz is over"])
    #expect(!session.isConnected)
    expectEqual(ask { session.disconnectFromWebApp(success: $0, failure: $1) }, ["failed: notConnected"])
    expectEqual(ask { session.connect(success: $0, failure: $1) }, ["done"])
    expectEqual(ask { session.close(success: $0, failure: $1) }, ["done", "quiz is over"])
    expectEqual(ask { session.sendText("x", success: $0, failure: $1) }, ["failed: sessionGone"])
    #expect(world.isReproducible)
  }

  @Test("what is joined twice is heard by both, and is over with the connection and with the discovery")
  func ends() throws {
    for stops in [true, false] {
      let world = try Self.world("timeline: [{at: 30s, crash: {who: tv, down-for: 30s}}]")
      let app = world.enter { App(nil, .off) }
      world.run(for: .seconds(10))
      let first = try #require(app.session.current)
      let (joined, listener) = (Guarded<WebAppSession?>(nil), Listener())
      app.queue.sync {
        first.connect(success: {}, failure: { app.note("\($0)") })
        first.device.webAppLauncher?.joinWebApp(
          withId: "quiz", success: { second in joined.withLock { $0 = second } }, failure: { app.note("\($0)") })
      }
      world.run(for: .seconds(1))
      let second = try #require(joined.current)
      #expect(second == first && second !== first && second.isConnected)
      (first.delegate, second.delegate) = (listener, listener)
      app.queue.sync { first.sendText("x", success: {}, failure: { app.note("\($0)") }) }
      world.run(for: .seconds(1))
      expectEqual(listener.lines, ["quiz says x", "quiz says x"])
      if stops { app.queue.sync { app.manager.stopDiscovery() } }
      world.run(for: .seconds(30))
      expectEqual(listener.lines, ["quiz is over", "quiz is over"])
      #expect(!first.isConnected && !second.isConnected)
    }
  }

  @Test("with calls that wait, what a web app says comes among the events")
  func waitsForMessages() throws {
    let world = try Self.world()
    let (lines, held) = (Guarded<[String]>([]), Guarded<WebAppSession?>(nil))
    let manager = world.enter { () -> DiscoveryManager in
      let manager = DiscoveryManager(queue: DispatchQueue(label: "loop"))
      manager.registrations = [.webOS]
      let events = manager.events()
      manager.run {
        for await event in events {
          switch event {
          case .found(let device): device.connect()
          case .ready(let device):
            guard let launcher = device.webAppLauncher else { continue }
            let session = try await launcher.launchWebApp("chess")
            held.withLock { $0 = session }
            try await session.connect()
            try await session.sendJSON(["n": 1])
          case .webAppMessage(let session, let message):
            lines.withLock { $0.append(message.text) }
            if message == .text("enough") {
              try await session.close()
            } else {
              try await session.sendText("enough")
            }
          case .webAppDisconnected(let session): lines.withLock { $0.append("\(session.launchSession.appID) is over") }
          default: break
          }
        }
      }
      manager.startDiscovery()
      return manager
    }
    world.run(for: .seconds(20))
    expectEqual(lines.current, [#"{"n":1}"#, "enough", "chess is over"])
    withExtendedLifetime(manager) {}
  }

  @Test("a kind of session that nobody knows is none; without a kind it is an app")
  func kinds() {
    var object: [String: Any] = ["appId": "a", "sessionId": "s", "serviceId": "x"]
    expectEqual(LaunchSession.launchSession(fromJSONObject: object)?.kind, .app)
    object["sessionType"] = "webapp"
    expectEqual(LaunchSession.launchSession(fromJSONObject: object)?.kind, .webApp)
    object["sessionType"] = "media"
    expectEqual(LaunchSession.launchSession(fromJSONObject: object), nil)
  }
}
