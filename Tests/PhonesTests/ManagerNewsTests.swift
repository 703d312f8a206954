import Dispatch
import Foundation
import RollcallDoors
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallConnect

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
    // Two are one if session and device are the same.
    let third = WebAppSession(other, on: sessions[0].device, isConnected: false)
    #expect(sessions[0] != sessions[1] && third != sessions[0] && third.hashValue != sessions[0].hashValue)
    expectEqual(WebAppSession(session, on: sessions[0].device, isConnected: false), sessions[0])
    #expect(sessions[0].device.hashValue != sessions[1].device.hashValue)
    app.push("a", .webApp(WebAppReport(session, .said(.text("hello")))))
    app.push("b", .webApp(WebAppReport(other, .said(.text("nobody")))))
    app.push("b", .webApp(WebAppReport(session, .ended)))
    app.push("b", .webApp(WebAppReport(session, .said(.text("late")))))
    app.push("b", .webApp(WebAppReport(session, .ended)))
    app.push("a", .webApp(WebAppReport(session, .said(.json("{}")))))
    expectEqual(app.lines, ["hello of A", "over B", "{} of A"])
    expectEqual(sessions.map(\.isConnected), [true, false])
    // Those that nobody holds are forgotten with the next one.
    let quiet = NewsApp()
    let device = try quiet.found("c")
    for _ in 0..<3 { _ = WebAppSession(session, on: device, isConnected: false) }
    expectEqual(heldElements(of: quiet.manager.webApps), 1)
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
    store.trouble.withLock { $0 = DeviceStoreTrouble("disk full") }
    app.host.door?.push(.hourPassed)
    expectEqual(app.lines, ["failed store: disk full"])
    store.trouble.withLock { $0 = nil }
    expectEqual(lines(at: 600) { app.manager.stopDiscovery() }, ["seen a 600"])
    // Without a store it has what was typed, and what was connected, at its next start.
    let other = NewsApp()
    for id in ["a", "b", "c"] { other.push(id, .found(isKnown: false)) }
    other.push("b", .connection(.paired(key)))
    other.push("a", .connection(.ready))
    expectEqual(other.lines, ["found A", "found B", "found C"])
    other.manager.stopDiscovery()
    _ = other.lines
    other.manager.startDiscovery()
    expectEqual(other.host.remembered.map(\.id), ["a", "b"])
    expectEqual(other.host.remembered.map(\.keys), [[], [key]])
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
    let stops = Guarded(0)
    func startDiscovery(reportingTo sink: DiscoveryProviderSink) { self.sink.withLock { $0 = sink } }
    func stopDiscovery() { stops.withLock { $0 += 1 } }
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
    expectEqual(sinks[0].close(), [])
    app.manager.startDiscovery()
    sinks[0].found(device("5"))
    expectEqual(app.host.takeCommands(), [])
    // One that is stopped is not stopped again when it is taken away.
    app.manager.stopDiscovery()
    app.manager.removeProvider(providers[0])
    expectEqual(providers.map { $0.stops.current }, [2, 1])
  }

  @Test("a device is one object while it is there, whether it meets a filter or not, and as it was told last")
  func present() throws {
    let app = NewsApp()
    /// The network says what is there at a time.
    func tell(at seconds: Int64, _ devices: [(id: String, name: String)]) -> [ConnectableDevice] {
      app.host.set(seconds: seconds)
      let list = devices.map { PresentDevice(id: $0.id, state: ManagerReport.State(name: $0.name)) }
      app.host.door?.push(.present(list))
      expectEqual(app.lines, [])
      return app.manager.devicesAndOthers
    }
    let first = tell(at: 100, [("a", "One"), ("b", "Two")])
    expectEqual(first.map(\.friendlyName), ["One", "Two"])
    let second = tell(at: 200, [("a", "Uno"), ("b", "Two")])
    expectEqual(second.map(\.friendlyName), ["Uno", "Two"])
    expectEqual(second, first)
    expectEqual(second.map(\.lastSeen), [100, 100].map { Date(timeIntervalSince1970: $0) })
    app.push("a", .found(isKnown: false), "Launcher.App")
    expectEqual(app.lines, ["found A"])
    let device = try #require(app.manager.device(withID: "a"))
    expectEqual(device, first.first)
    // What was told of it stays.
    let third = tell(at: 300, [("b", "Zwei"), ("a", "Late")])
    expectEqual(third, first)
    expectEqual(third.map(\.friendlyName), ["A", "Zwei"])
    let close = Capability("Launcher.App.Close")
    app.push("a", .capabilities(added: [close], removed: []), "Launcher.App", "Launcher.App.Close")
    expectEqual(app.lines, [])
    expectEqual(device.capabilities, [Capability("Launcher.App"), close])
    app.push("a", .lost, "Launcher.App.Close")
    expectEqual(app.lines, ["lost A"])
    expectEqual(device.capabilities, [close])
  }

  @Test("a manager leaves its network once: when it is stopped, or else when nobody holds it")
  func leaves() {
    for stops in [true, false] {
      let host = NewsHost()
      var manager: DiscoveryManager? = DiscoveryLink.$current.withValue(host) {
        DiscoveryManager(queue: DispatchQueue(label: "app"))
      }
      manager?.startDiscovery()
      #expect(host.door != nil)
      if stops { for _ in 0..<2 { manager?.stopDiscovery() } }
      expectEqual(host.detachCount, stops ? 1 : 0)
      host.queues.drain()
      expectEqual(host.queues.count, 1)
      manager = nil
      host.queues.drain()
      expectEqual(host.detachCount, 1)
      expectEqual(host.queues.count, 0)
    }
  }

  @Test("each call of an application is heard, whatever comes of it")
  func calls() throws {
    let app = NewsApp()
    let device = try app.found("a")
    let launcher = try #require(device.launcher)
    let configuration = SSDPSearchSessionConfiguration.createMulticastConfiguration(forSearchTarget: "t")
    let session = DiscoveryLink.$current.withValue(app.host) {
      SSDPSearchSession(configuration: configuration, queue: app.manager.queue)
    }
    let heard = Guarded(0)
    let watch = CallWatch { _ in heard.withLock { $0 += 1 } }
    app.host.queues.watch(watch)
    watch.begin(.running)
    var counts: [Int] = []
    func call(_ body: () -> Void) {
      body()
      counts.append(heard.exchange(0))
    }
    func getState() { launcher.getAppState("x", success: { _ in }, failure: { _ in }) }
    call { app.manager.startDiscovery() }
    call { app.manager.rescan() }
    call { device.disconnect() }
    call(getState)
    let request = AppRequest(1, .state(app: "x"))
    expectEqual(app.host.takeCommands(), [.rescan, .device("a", .disconnect), .device("a", .app(request))])
    call { app.manager.stopDiscovery() }
    call { device.disconnect() }
    call(getState)
    expectEqual(app.host.takeCommands(), [])
    call { session?.startSearch() }
    call { session?.stopSearch() }
    expectEqual(counts, [1, 1, 1, 1, 1, 1, 1, 1, 1])
  }

  @Test("a search that is stopped while it begins is stopped behind that, and its queue is let go with it")
  func search() {
    let host = NewsHost()
    let configuration = SSDPSearchSessionConfiguration.createMulticastConfiguration(forSearchTarget: "t")
    var session: SSDPSearchSession? = DiscoveryLink.$current.withValue(host) {
      SSDPSearchSession(configuration: configuration, queue: DispatchQueue(label: "app"))
    }
    host.onBegin { [weak session] in session?.stopSearch() }
    session?.startSearch()
    expectEqual(host.stopped, [SearchID.byHand.lowerBound])
    host.queues.drain()
    expectEqual(host.queues.count, 1)
    session = nil
    host.queues.drain()
    expectEqual(host.queues.count, 0)
    expectEqual(host.stopped.count, 1)
  }

  @Test("what is asked with await has its content, and a stream that nobody reads any more is none")
  func awaits() throws {
    let app = NewsApp()
    func numbers() -> [Int] { app.manager.memory.current.streams.map { $0.number } }
    var streams = [app.manager.events(), app.manager.events()]
    expectEqual(numbers(), [1, 2])
    streams.removeFirst()
    expectEqual(numbers(), [2])
    expectEqual(streams.count, 1)
    let launcher = try #require(try app.found("a").launcher)
    let webApps = try #require(try app.found("b", "WebAppLauncher.Join").webAppLauncher)
    app.manager.run {
      app.note(try await launcher.launchApp("x", content: "c").sessionID)
      app.note(try await webApps.launchWebApp("y", content: "d").launchSession.sessionID)
    }
    func answer(_ id: String, _ request: AppRequest) {
      expectEqual(app.host.takeCommands(), [.device(id, .app(request))])
      let session = LaunchSession(appID: "-", sessionID: "of \(id)", serviceID: "DIAL")
      app.push(id, .app(AppReport(request: request.number, .launched(session))))
    }
    expectEqual(app.lines, [])
    answer("a", AppRequest(1, .launch(app: "x", content: "c")))
    expectEqual(app.lines, ["of a"])
    answer("b", AppRequest(2, .launchWebApp(app: "y", content: "d")))
    expectEqual(app.lines, ["of b"])
  }

  private static func managerAlone() -> DiscoveryManager {
    DiscoveryLink.$current.withValue(nil) { DiscoveryManager(queue: DispatchQueue(label: "alone")) }
  }

  @Test("without a network code with await runs as well", .hangLimit)
  func awaitsAlone() async throws {
    let manager = Self.managerAlone()
    let value = try await manager.run { 7 }.value
    expectEqual(value, 7)
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
    for filter in ["a:", "a", "7", "a:1x", "a:x1", "a:/", "a:;", "a:1 ", "a:\u{663}"] {
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
    let whole = Search(id: SearchID.byHand.lowerBound, target: "t", maximumWaitSeconds: 3, broadcasts: 3)
    expectEqual(search(group, 1_900), whole)
    expectEqual(search("ff02::c", 1_900), whole)
    for port in [1_899, 1_901, 65_535] as [UInt16] {
      expectEqual(search(group, UInt(port))?.host, Endpoint(IPAddress(239, 255, 255, 250), port: port))
    }
    expectEqual(search(group, 65_536), nil)
    let waits: [Double] = [1, 1.999, 2, 4.999, 5]
    expectEqual(waits.compactMap { search(group, 1_900, $0)?.maximumWaitSeconds }, [1, 1, 2, 4, 5])
    let counts: [UInt] = [1, 10, .max]
    expectEqual(counts.compactMap { search(group, 1_900, 1, $0)?.broadcasts }, [1, 10, Int.max])
  }

  @Test("a search by hand tells of each service once, and of no more than its most")
  func heard() throws {
    let location = try #require(URL(string: "http://h/"))
    var heard = SSDPSearchSession.Heard()
    expectEqual(heard.countMaximum, 16_384)
    heard.countMaximum = 2
    let isNew = ["a", "a", "b", "c", "b"].map { name in
      heard.insert(SSDPService.Identity(location: location, server: "s", searchTarget: "t", uniqueServiceName: name))
    }
    expectEqual(isNew, [true, false, true, false, false])
  }
}
