import Dispatch
import Foundation
import RollcallDoors
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallConnect

/// A network that tells what a test says, and keeps what it is asked.
private final class NewsHost: DiscoveryHost {
  private struct Memory {
    var door: (any DiscoveryDoor)?
    var commands: [ManagerCommand] = []
    var seconds: Int64 = 0
  }
  let queues = DoorQueues()
  private let memory = Guarded(Memory())

  var door: (any DiscoveryDoor)? { memory.current.door }
  /// Since the last call.
  func takeCommands() -> [ManagerCommand] {
    memory.withLock { memory in
      defer { memory.commands = [] }
      return memory.commands
    }
  }
  func set(seconds: Int64) { memory.withLock { $0.seconds = seconds } }

  /// The last nanosecond of its second.
  var unixNanoseconds: Int64 { memory.current.seconds * 1_000_000_000 + 999_999_999 }
  func attach(_ door: any DiscoveryDoor, _ setup: DiscoverySetup) { memory.withLock { $0.door = door } }
  func ask(_ command: ManagerCommand) { memory.withLock { $0.commands.append(command) } }
  func detach(_ door: any DiscoveryDoor) { memory.withLock { $0.door = nil } }
  func begin(_ search: Search, for door: any SearchDoor) -> SearchID { search.id }
  func stopSearch(_ id: SearchID) {}
}

/// Keeps a line for each call, and no device.
private final class NewsStore: ConnectableDeviceStore {
  let told = Guarded<[String]>([])

  func devices(nowUnixSeconds: Int64) throws(DeviceStoreTrouble) -> [StoredDevice] { [] }
  func save(_ device: StoredDevice) throws(DeviceStoreTrouble) {
    let times = [device.lastSeenUnixSeconds, device.lastConnectedUnixSeconds].map { $0.map { "\($0)" } ?? "-" }
    let keys = device.services.map { $0.pairingKey.map { String(decoding: $0, as: UTF8.self) } ?? "-" }
    told.withLock { $0.append("save \(device.id) \(times[0]) \(times[1]) [\(keys.joined(separator: " "))]") }
  }
  func noteSeen(ids: [String], nowUnixSeconds: Int64) throws(DeviceStoreTrouble) {
    told.withLock { $0.append("seen \(ids.joined(separator: " ")) \(nowUnixSeconds)") }
  }
  func remove(id: String) throws(DeviceStoreTrouble) {}
  func removeAll() throws(DeviceStoreTrouble) {}
}

/// Keeps what it is told as lines.
private final class NewsApp: DiscoveryManagerDelegate, ConnectableDeviceDelegate, WebAppSessionDelegate,
  @unchecked Sendable
{
  let host: NewsHost
  let manager: DiscoveryManager
  private let told = Guarded<[String]>([])

  init(_ store: (any ConnectableDeviceStore)? = nil) {
    let host = NewsHost()
    self.host = host
    manager = DiscoveryLink.$current.withValue(host) {
      DiscoveryManager(deviceStore: store, queue: DispatchQueue(label: "app"))
    }
    manager.delegate = self
    manager.startDiscovery()
  }

  /// What was told since the last call, when everything is done that waited on the queue.
  var lines: [String] {
    host.queues.drain()
    return told.takeAll()
  }
  func note(_ line: String) { told.withLock { $0.append(line) } }

  func push(_ id: String, _ event: ManagerReport.Event, _ capabilities: String...) {
    let state = ManagerReport.State(
      name: id.uppercased(), services: [ManagerReport.Service(id: "DIAL", owner: "uuid:\(id)")],
      capabilities: capabilities.map { Capability($0) })
    host.door?.push(.managed(ManagerReport(id, event, state)))
  }

  /// A device that was found, with the application as its delegate.
  func found(_ id: String, _ capability: String = "Launcher.App") throws -> ConnectableDevice {
    push(id, .found(isKnown: false), capability)
    _ = lines
    let device = try #require(manager.device(withID: id))
    device.delegate = self
    return device
  }

  private func note(_ device: ConnectableDevice, _ word: String) { note("\(word) \(device.friendlyName ?? "-")") }
  func discoveryManager(_ manager: DiscoveryManager, didFind device: ConnectableDevice) { note(device, "found") }
  func discoveryManager(_ manager: DiscoveryManager, didLose device: ConnectableDevice) { note(device, "lost") }
  func discoveryManager(_ manager: DiscoveryManager, didUpdate device: ConnectableDevice) { note(device, "updated") }
  func discoveryManager(_ manager: DiscoveryManager, didFailWith error: DiscoveryError) {
    note("failed \(error.reason): \(error.description)")
  }
  func connectableDeviceReady(_ device: ConnectableDevice) { note(device, "ready") }
  func connectableDeviceDisconnected(_ device: ConnectableDevice, withError error: ConnectionFailure?) {
    note(device, "disconnected \(error.map { "\($0.reason)" } ?? "as asked")")
  }
  func connectableDevice(_ device: ConnectableDevice, connectionFailedWithError error: ConnectionFailure) {
    note(device, "not connected, \(error.reason)")
  }
  func connectableDevice(
    _ device: ConnectableDevice, service: DeviceService, pairingRequiredOfType type: PairingKind
  ) {
    note(device, "\(service.name) asks by \(type)")
  }
  func webAppSession(_ session: WebAppSession, didReceiveMessage message: WebAppMessage) {
    note(session.device, "\(message.text) of")
  }
  func webAppSessionDidDisconnect(_ session: WebAppSession) { note(session.device, "over") }
}

/// What a `DiscoveryManager` makes of each thing that its network tells, one by one.
@Suite("A manager of devices and the news of its network") struct ManagerNewsTests {
  @Test("devices are in the order in which they were found, and what is told of one that is not there is nothing")
  func reports() {
    let app = NewsApp()
    for event in [ManagerReport.Event.updated, .lost, .connection(.ready)] { app.push("b", event) }
    expectEqual(app.lines, [])
    for id in ["b", "a", "c"] { app.push(id, .found(isKnown: false)) }
    expectEqual(app.lines, ["found B", "found A", "found C"])
    // It is there already.
    app.push("b", .found(isKnown: true))
    _ = app.lines
    expectEqual(app.manager.devices.map(\.id), ["b", "a", "c"])
    for event in [ManagerReport.Event.lost, .lost, .found(isKnown: true)] { app.push("b", event) }
    expectEqual(app.lines, ["lost B", "found B"])
    expectEqual(app.manager.devices.map(\.id), ["a", "c", "b"])
    // What a network still tells of a discovery that was stopped is of the past.
    let old = app.host.door
    let late = DiscoveryNews.managed(ManagerReport("d", .found(isKnown: false), ManagerReport.State(name: "D")))
    // On the queue, where what is pushed waits until this is done.
    app.manager.queue.sync {
      old?.push(late)
      app.manager.stopDiscovery()
      old?.push(late)
    }
    expectEqual(app.lines, ["lost A", "lost C", "lost B"])
    app.manager.startDiscovery()
    old?.push(late)
    app.push("e", .found(isKnown: false))
    expectEqual(app.lines, ["found E"])
  }

  @Test("a stop answers what was asked, and then tells of each device in order that it is lost, and not connected")
  func stop() throws {
    let app = NewsApp()
    let devices = try ["c", "a", "b"].map { try app.found($0) }
    for _ in 0..<2 { devices[0].connect() }
    devices[1].connect()
    app.push("a", .connection(.ready), "Launcher.App")
    devices[1].launcher?.getAppState("x", success: { _ in }, failure: { app.note("answered \($0.reason)") })
    expectEqual(app.lines, ["ready A"])
    let request = AppRequest(1, .state(app: "x"))
    expectEqual(
      app.host.takeCommands(), [.device("c", .connect), .device("a", .connect), .device("a", .app(request))])
    app.manager.stopDiscovery()
    expectEqual(
      app.lines,
      [
        "answered deviceLost", "lost C", "not connected, deviceLost C", "lost A", "disconnected deviceLost A", "lost B",
      ])
    #expect(devices.allSatisfy { !$0.isConnected && !$0.isConnecting })
  }

  @Test("an answer goes to what was asked under its number, once, in whichever order answers come")
  func answers() throws {
    let app = NewsApp()
    let launcher = try #require(try app.found("a").launcher)
    for id in ["x", "y", "z"] {
      launcher.getAppState(
        id, success: { app.note("\(id) \($0)") }, failure: { app.note("\(id) \($0.reason)") })
    }
    let numbers = app.host.takeCommands().compactMap { command -> UInt32? in
      if case .device("a", .app(let request)) = command { request.number } else { nil }
    }
    expectEqual(numbers, [1, 2, 3])
    let answers: [(UInt32, AppReport.Outcome)] = [
      (2, .state(.running)), (4, .state(.running)), (0, .state(.running)), (2, .state(.stopped)),
      (1, .failed(ConnectionFailure(.noSuchApp, "none"))), (3, .state(.hidden)),
    ]
    for (number, outcome) in answers { app.push("a", .app(AppReport(request: number, outcome))) }
    expectEqual(app.lines, ["y running", "x noSuchApp", "z hidden"])
  }

  @Test("what becomes of a connection is told to its device, and a loss of what was not connected is not")
  func connections() throws {
    let app = NewsApp()
    let device = try app.found("a")
    app.push("a", .connection(.disconnected(.deviceLost)))
    app.push("a", .connection(.pairingRequired(service: "Roku", .pin)))
    expectEqual(app.lines, [])
    app.push("a", .connection(.pairingRequired(service: "DIAL", .prompt)))
    app.push("a", .connection(.ready))
    expectEqual(app.lines, ["DIAL asks by prompt A", "ready A"])
    #expect(device.isConnected && !device.isConnecting)
    app.push("a", .connection(.disconnected(.asked)))
    expectEqual(app.lines, ["disconnected as asked A"])
    for _ in 0..<2 {
      device.connect()
      #expect(!device.isConnected && device.isConnecting)
      app.push("a", .connection(.failed(ConnectionFailure(.timedOut, "late"))))
      expectEqual(app.lines, ["not connected, timedOut A"])
      #expect(!device.isConnecting)
    }
    expectEqual(app.host.takeCommands(), [.device("a", .connect), .device("a", .connect)])
    // The end of its connection comes behind its loss; that of another device is not its own.
    app.push("a", .connection(.ready))
    app.push("a", .lost)
    app.push("b", .connection(.disconnected(.deviceLost)))
    app.push("a", .connection(.disconnected(.deviceLost)))
    expectEqual(app.lines, ["ready A", "lost A", "disconnected deviceLost A"])
  }

  @Test("two devices with web apps of one session: each hears its own, until that is over")
  func webApps() throws {
    let app = NewsApp()
    let session = LaunchSession(appID: "quiz", sessionID: "1", serviceID: "DIAL", kind: .webApp)
    let joined = Guarded<[WebAppSession]>([])
    for (number, id) in ["a", "b"].enumerated() {
      let launcher = try #require(try app.found(id, "WebAppLauncher.Join").webAppLauncher)
      launcher.joinWebApp(
        session, success: { one in joined.withLock { $0.append(one) } }, failure: { app.note("\($0.reason)") })
      app.push(id, .app(AppReport(request: UInt32(number + 1), .joined(session))))
    }
    expectEqual(app.lines, [])
    let sessions = joined.current
    expectEqual(sessions.map(\.device.id), ["a", "b"])
    for one in sessions { one.delegate = app }
    var other = session
    other.sessionID = "2"
    app.push("a", .webApp(WebAppReport(session, .said(.text("hello")))))
    app.push("b", .webApp(WebAppReport(other, .said(.text("nobody")))))
    app.push("b", .webApp(WebAppReport(session, .ended)))
    app.push("b", .webApp(WebAppReport(session, .said(.text("late")))))
    app.push("b", .webApp(WebAppReport(session, .ended)))
    app.push("a", .webApp(WebAppReport(session, .said(.json("{}")))))
    expectEqual(app.lines, ["hello of A", "over B", "{} of A"])
    expectEqual(sessions.map(\.isConnected), [true, false])
  }

  @Test("a store is told when each device was seen, connected and lost, by whole seconds of the network")
  func store() throws {
    let store = NewsStore()
    let app = NewsApp(store)
    func lines(at seconds: Int64, _ body: () throws -> Void) rethrows -> [String] {
      app.host.set(seconds: seconds)
      try body()
      _ = app.lines
      return store.told.takeAll()
    }
    // With nothing to tell of it is left alone.
    expectEqual(lines(at: 50) { app.host.door?.push(.hourPassed) }, [])
    expectEqual(lines(at: 100) { app.push("b", .found(isKnown: false)) }, ["save b 100 - [-]"])
    expectEqual(lines(at: 150) { app.push("a", .found(isKnown: false)) }, ["save a 150 - [-]"])
    expectEqual(lines(at: 200) { app.push("b", .updated) }, ["save b 200 - [-]"])
    expectEqual(lines(at: 300) { app.host.door?.push(.hourPassed) }, ["seen b a 300"])
    let key = RememberedKey(owner: "uuid:b", service: "DIAL", key: "1234")
    expectEqual(lines(at: 350) { app.push("b", .connection(.paired(key))) }, ["save b 350 - [1234]"])
    expectEqual(lines(at: 400) { app.push("b", .connection(.ready)) }, ["save b 400 400 [1234]"])
    expectEqual(lines(at: 450) { app.push("b", .connection(.disconnected(.asked))) }, [])
    let device = try #require(app.manager.device(withID: "b"))
    expectEqual(device.lastSeen, Date(timeIntervalSince1970: 400))
    expectEqual(lines(at: 500) { app.push("b", .lost) }, ["seen b 500"])
    expectEqual(device.lastSeen, Date(timeIntervalSince1970: 500))
    expectEqual(lines(at: 600) { app.manager.stopDiscovery() }, ["seen a 600"])
  }

  @Test("each failure of a network is an error of its kind, with its words")
  func failures() {
    let app = NewsApp()
    for reason in Failure.Reason.allCases {
      app.host.door?.push(.failed(Failure(reason: reason, explanation: "what to do")))
      let kind = DiscoveryError.Reason(rawValue: reason.rawValue) ?? .other
      expectEqual(app.lines, ["failed \(kind): what to do"])
    }
    #expect(app.manager.isSearching)
  }

  private final class Provider: DiscoveryProvider {
    let sink = Guarded<DiscoveryProviderSink?>(nil)
    func startDiscovery(reportingTo sink: DiscoveryProviderSink) { self.sink.withLock { $0 = sink } }
    func stopDiscovery() {}
  }

  @Test("of two providers each takes back what it reported itself, once, in order")
  func providers() throws {
    let app = NewsApp()
    let providers = [Provider(), Provider()]
    for provider in providers { app.manager.addProvider(provider) }
    let sinks = providers.compactMap(\.sink.current)
    try #require(sinks.count == 2)
    func device(_ id: String) -> ProvidedDevice { ProvidedDevice(id: id, services: ["own"]) }
    for (place, id) in [(0, "1"), (1, "2"), (0, "3"), (0, "1"), (0, "4")] {
      #expect(sinks[place].found(device(id)))
    }
    expectEqual(app.host.takeCommands(), ["1", "2", "3", "1", "4"].map { ManagerCommand.provide(device($0)) })
    // What another one reported is not its own, and what is gone is gone.
    for id in ["2", "3", "3"] { sinks[0].lost(id: id) }
    expectEqual(app.host.takeCommands(), [.withdraw("3")])
    app.manager.removeProvider(providers[1])
    expectEqual(app.host.takeCommands(), [.withdraw("2")])
    app.manager.stopDiscovery()
    expectEqual(app.host.takeCommands(), [.withdraw("1"), .withdraw("4")])
    sinks[0].lost(id: "1")
    app.manager.startDiscovery()
    sinks[0].found(device("5"))
    expectEqual(app.host.takeCommands(), [])
  }
}

/// Values that are made for an application, at their bounds.
@Suite("What is made of descriptions and searches") struct ConnectValueTests {
  @Test("the version is the number behind the last colon, and the port that of the URL where nobody says another")
  func descriptions() {
    func description(_ filter: String?, _ change: (inout ManagerReport.Part) -> Void = { _ in }) -> ServiceDescription {
      var part = ManagerReport.Part()
      change(&part)
      return ServiceDescription(ManagerReport.Service(id: "s", owner: "serial 7"), of: part, filter: filter)
    }
    for (filter, version) in [("urn:x:1", "1"), ("a:10", "10"), ("a:0", "0"), ("a:9", "9"), ("a:1:2", "2")] {
      expectEqual(description(filter).version, version)
    }
    for filter in ["a:", "a", "7", "a:1x", "a:x1", "a:/", "a:;", "a:1 "] {
      expectEqual(description(filter).version, nil)
    }
    expectEqual(description(nil).version, nil)
    let ports: [(String, Int)] = [
      ("http://h/", 80), ("https://h/", 443), ("HTTPS://h/", 443), ("http://h:8080/", 8_080), ("https://h:1/", 1),
    ]
    for (location, port) in ports { expectEqual(description(nil) { $0.location = location }.port, port) }
    expectEqual(description(nil) { ($0.location, $0.port) = ("http://h:8080/", 7) }.port, 7)
    expectEqual(description(nil).port, nil)
    // The UUID of its name, that of its part, and the name itself.
    expectEqual(description(nil).uuid, "serial 7")
    expectEqual(description(nil) { $0.uuid = "u" }.uuid, "u")
    var named = ManagerReport.Part()
    named.uuid = "u"
    let service = ManagerReport.Service(id: "s", owner: "uuid:n")
    expectEqual(ServiceDescription(service, of: named, filter: nil).uuid, "n")
  }

  @Test("a search has the last port and whole seconds, and the group of its family is no host")
  func searches() {
    func search(_ host: String, _ port: UInt, _ wait: Double = 3, _ broadcasts: UInt = 3) -> Search? {
      SSDPSearchSessionConfiguration(
        searchTarget: "t", host: host, port: port, maximumWaitResponseTime: wait,
        maximumBroadcastsBeforeClosing: broadcasts
      ).search
    }
    let group = "239.255.255.250"
    expectEqual(search(group, 1_900).map { $0.host == nil }, true)
    expectEqual(search("ff02::c", 1_900).map { $0.host == nil }, true)
    for port in [1_899, 1_901, 65_535] as [UInt16] {
      expectEqual(search(group, UInt(port))?.host, Endpoint(IPAddress(239, 255, 255, 250), port: port))
    }
    expectEqual(search(group, 65_536), nil)
    let waits: [Double] = [1, 1.999, 2, 4.999, 5]
    expectEqual(waits.compactMap { search(group, 1_900, $0)?.maximumWaitSeconds }, [1, 1, 2, 4, 5])
    let counts: [UInt] = [1, 10, .max]
    expectEqual(counts.compactMap { search(group, 1_900, 1, $0)?.broadcasts }, [1, 10, Int.max])
  }
}
