import Dispatch
import Foundation
import RollcallConnectStore
import RollcallDoors
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import Testing

@testable import RollcallConnect
@testable import RollcallPhones

/// What an application is told of the services of a device, and what it keeps of them.
@Suite("Descriptions and configs of services") struct ServiceDescriptionTests {
  private final class App: DiscoveryManagerDelegate, ConnectableDeviceDelegate, @unchecked Sendable {
    let manager: DiscoveryManager
    let queue = DispatchQueue(label: "app")
    let device = Guarded<ConnectableDevice?>(nil)
    let failures = Guarded<[String]>([])
    private let key: String?

    init(_ store: (any ConnectableDeviceStore)? = nil, key: String? = nil) {
      self.key = key
      manager = DiscoveryManager(deviceStore: store, queue: queue)
      manager.registrations = [.dial, .netcast]
      manager.pairingLevel = .on
      manager.delegate = self
      manager.startDiscovery()
    }

    /// Its services on the queue, where nothing changes meanwhile.
    var services: [DeviceService] { queue.sync { device.current?.services ?? [] } }

    func discoveryManager(_ manager: DiscoveryManager, didFind device: ConnectableDevice) {
      self.device.withLock { $0 = device }
      device.delegate = self
      if key != nil { device.connect() }
    }
    func discoveryManager(_ manager: DiscoveryManager, didFailWith error: DiscoveryError) {
      failures.withLock { $0.append(error.description) }
    }
    func connectableDevice(
      _ device: ConnectableDevice, service: DeviceService, pairingRequiredOfType type: PairingKind
    ) {
      device.sendPairingKey(key ?? "")
    }
  }

  private static let uuid = "00000000-0000-4000-8000-000000000001"
  private static let renderer = "urn:schemas-upnp-org:device:MediaRenderer:1"

  private static func world(_ timeline: String = "") throws -> PhoneWorld {
    let text = """
      scenario: A television
      duration: 10m
      engine: {descriptions: fetch}
      inhabitants:
        tv:
          kind: root-device
          profile: tv
          device-type: "\(renderer)"
          services:
            - "urn:schemas-upnp-org:service:netrcu:1"
            - "urn:dial-multiscreen-org:service:dial:1"
          friendly-name: Den
          model: OLED55C1
          manufacturer: LG
          uuid: \(uuid)
          address: 192.168.1.20
          port: 7676
          apps: [YouTube]
          pairing-key: '314159'
      \(timeline)
      expect: []
      """
    return PhoneWorld(try Scenario(yaml: text, file: "tv.yaml").resolved(), seed: Seed(1))
  }

  /// The description of a service, as the world above has it.
  private static func expected(_ name: String, _ filter: String, port: Int = 7_676) -> ServiceDescription {
    var description = ServiceDescription(serviceID: name, uuid: uuid)
    (description.serviceFilter, description.version) = (filter, "1")
    (description.address, description.port) = ("192.168.1.20", port)
    (description.friendlyName, description.manufacturer, description.modelName) = ("Den", "LG", "OLED55C1")
    description.commandURL = URL(string: "http://192.168.1.20:\(port)/smp_18_")
    description.locationResponseHeaders = ["Application-URL": "http://192.168.1.20:\(port)/apps/"]
    return description
  }

  @Test("each service says where it is, by what it was found, and what its device says of itself there")
  func descriptions() throws {
    let world = try Self.world("timeline: [{at: 30s, relocate: {who: tv, port: 7777}}]")
    let app = world.enter { App() }
    world.run(for: .seconds(20))
    let dial = "urn:dial-multiscreen-org:service:dial:1"
    expectEqual(
      app.services.map(\.serviceDescription),
      [Self.expected("DIAL", dial), Self.expected("Netcast TV", Self.renderer)])
    expectEqual(app.services.map(\.uuid), ["uuid:" + Self.uuid, "uuid:" + Self.uuid])
    let config = try #require(app.services.first?.serviceConfig)
    expectEqual(config.uuid, Self.uuid)
    #expect(!config.isConnected && !config.wasConnected && config.pairingKey == nil)
    expectEqual(config.lastDetection, app.device.current?.lastSeen)
    // Its server moves to another port: that is told.
    world.run(for: .seconds(30))
    expectEqual(app.services.compactMap(\.serviceDescription.port), [7_777, 7_777])
  }

  @Test("what was typed and what the application keeps is in the config, and in later launches with a store")
  func configs() throws {
    try TemporaryStore.with(policy: .connected) { store in
      let world = try Self.world()
      var first: App? = world.enter { App(store, key: "314159") }
      world.run(for: .seconds(30))
      let netcast = try #require(first?.services.last)
      #expect(netcast.serviceConfig.isConnected && netcast.serviceConfig.wasConnected)
      expectEqual(netcast.serviceConfig.pairingKey, "314159")
      var config = ServiceConfig(uuid: Self.uuid)
      config.certificate = Data([1, 2, 3])
      config.values = ["volume": "7", "input": "HDMI 1"]
      let device = try #require(first?.device.current)
      first?.queue.sync { device.keep(config, of: netcast) }
      world.run(for: .seconds(1))
      // The first service knows nothing of it.
      expectEqual(first?.services.first?.serviceConfig.values, [:])
      let kept = try store.devices(nowUnixSeconds: 1_704_067_231).flatMap(\.services)
      expectEqual(kept.map(\.serviceID), ["DIAL", "Netcast TV"])
      expectEqual(kept.map(\.serviceType), ["urn:dial-multiscreen-org:service:dial:1", Self.renderer])
      expectEqual(kept.map { $0.description["friendlyName"] }, ["Den", "Den"])
      expectEqual(kept.map { $0.description["UUID"] }, [Self.uuid, Self.uuid])
      expectEqual(kept.map(\.certificate), [nil, [1, 2, 3]])
      expectEqual(kept.last?.config, ["input": "HDMI 1", "volume": "7"])
      expectEqual(kept.last?.pairingKey, Array("314159".utf8))
      #expect(kept.allSatisfy { ($0.lastSeenUnixSeconds ?? 0) >= 1_704_067_200 })
      first = nil
      world.run(for: .seconds(10))
      let second = world.enter { App(store) }
      world.run(for: .seconds(30))
      let again = try #require(second.services.last?.serviceConfig)
      expectEqual(again.pairingKey, "314159")
      expectEqual(again.certificate, Data([1, 2, 3]))
      expectEqual(again.values, ["volume": "7", "input": "HDMI 1"])
      #expect(!again.isConnected && again.wasConnected)
      expectEqual(second.failures.current, [])
    }
  }

  @Test("what the application keeps of a device that it is not connected to yet is stored with its first connection")
  func keptBefore() throws {
    try TemporaryStore.with(policy: .connected) { store in
      let world = try Self.world("timeline: [{at: 30s, leave: tv}, {at: 40s, appear: tv}]")
      let app = world.enter { App(store) }
      app.queue.sync { app.manager.pairingLevel = .off }
      world.run(for: .seconds(20))
      let service = try #require(app.services.first)
      var config = service.serviceConfig
      config.values = ["room": "attic"]
      let before = try #require(app.device.current)
      app.queue.sync { before.keep(config, of: service) }
      // When it is back it is another object.
      world.run(for: .seconds(30))
      let device = try #require(app.device.current)
      #expect(device !== before)
      expectEqual(try store.devices(nowUnixSeconds: 1_704_067_250), [])
      app.queue.sync { device.connect() }
      world.run(for: .seconds(5))
      let kept = try store.devices(nowUnixSeconds: 1_704_067_255).flatMap(\.services)
      expectEqual(kept.map { $0.config["room"] }, ["attic", nil])
      expectEqual(kept.map { $0.description["friendlyName"] }, ["Den", "Den"])
    }
  }

  @Test("a service of another device is kept nowhere")
  func strangers() throws {
    let world = try Self.world()
    let app = world.enter { App() }
    world.run(for: .seconds(20))
    var service = try #require(app.services.first)
    var config = service.serviceConfig
    config.values = ["a": "b"]
    let device = try #require(app.device.current)
    service.uuid = "uuid:other"
    app.queue.sync { device.keep(config, of: service) }
    expectEqual(app.services.map(\.serviceConfig.values), [[:], [:]])
    service.uuid = "uuid:" + Self.uuid
    app.queue.sync { device.keep(config, of: service) }
    expectEqual(app.services.map(\.serviceConfig.values), [["a": "b"], [:]])
  }
}

/// Descriptions, configs and services as JSON, with the names of the Connect SDK.
@Suite("Services in JSON") struct ServiceJSONTests {
  private static func service() -> DeviceService {
    var description = ServiceDescription(serviceID: "DLNA", uuid: "a-1")
    (description.address, description.port, description.version) = ("192.168.1.20", 7_676, "1")
    description.serviceFilter = "urn:schemas-upnp-org:device:MediaRenderer:1"
    (description.friendlyName, description.manufacturer) = ("Den \u{1b}\"é", "LG")
    (description.modelName, description.modelDescription, description.modelNumber) = ("OLED55C1", "a television", "2")
    description.commandURL = URL(string: "http://192.168.1.20:7676/d.xml")
    var config = ServiceConfig(uuid: "a-1")
    (config.wasConnected, config.pairingKey, config.certificate) = (true, "314159", Data([0, 255]))
    config.lastDetection = Date(timeIntervalSince1970: 1_704_067_200)
    config.values = ["volume": "7"]
    return DeviceService(name: "DLNA", uuid: "uuid:a-1", serviceDescription: description, serviceConfig: config)
  }

  private static func object(_ value: some Encodable) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: JSONEncoder().encode(value)) as? [String: Any])
  }

  @Test("a service is the same when it is read back")
  func roundTrip() throws {
    let service = Self.service()
    let data = try JSONEncoder().encode(service)
    expectEqual(try JSONDecoder().decode(DeviceService.self, from: data), service)
    // What is not known is left out.
    let bare = ServiceDescription(serviceID: "s", uuid: "u")
    expectEqual(try Self.object(bare).keys.sorted(), ["UUID", "serviceId"])
    expectEqual(try JSONDecoder().decode(ServiceDescription.self, from: JSONEncoder().encode(bare)), bare)
    let config = ServiceConfig(uuid: "u")
    expectEqual(try Self.object(config).keys.sorted(), ["UUID"])
    expectEqual(try JSONDecoder().decode(ServiceConfig.self, from: JSONEncoder().encode(config)), config)
  }

  @Test("the names are those of the Connect SDK")
  func names() throws {
    let object = try Self.object(Self.service())
    expectEqual(object.keys.sorted(), ["class", "config", "description", "owner"])
    expectEqual(
      try Self.object(Self.service().serviceDescription).keys.sorted(),
      [
        "UUID", "address", "commandURL", "friendlyName", "manufacturer", "modelDescription", "modelName", "modelNumber",
        "port", "serviceId", "type", "version",
      ])
    let config = try Self.object(Self.service().serviceConfig)
    expectEqual(
      config.keys.sorted(), ["UUID", "certificate", "lastDetection", "pairingKey", "values", "wasConnected"])
    expectEqual((config["lastDetection"] as? NSNumber)?.doubleValue, 1_704_067_200)
    expectEqual(config["certificate"] as? String, "AP8=")
    var connected = ServiceConfig(uuid: "u")
    connected.isConnected = true
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    expectEqual(String(decoding: try encoder.encode(connected), as: UTF8.self), #"{"UUID":"u","connected":true}"#)
    // A store has the same names.
    let stored: StoredPairs = [
      "serviceId": "DLNA", "address": "192.168.1.20", "UUID": "a-1",
      "type": "urn:schemas-upnp-org:device:MediaRenderer:1", "version": "1", "friendlyName": "Den \u{1b}\"é",
      "manufacturer": "LG", "modelName": "OLED55C1", "modelDescription": "a television", "modelNumber": "2",
      "commandURL": "http://192.168.1.20:7676/d.xml", "port": "7676",
    ]
    expectEqual(Self.service().serviceDescription.stored, stored)
  }

  @Test("a config that was connected when it was written down is one that was connected; what is none is refused")
  func saved() throws {
    func read(_ text: String) throws -> ServiceConfig {
      try JSONDecoder().decode(ServiceConfig.self, from: Data(text.utf8))
    }
    let config = try read(#"{"class": "NetcastTVServiceConfig", "UUID": "u", "connected": true, "lastDetection": 5.5}"#)
    #expect(!config.isConnected && config.wasConnected)
    expectEqual(config.lastDetection, Date(timeIntervalSince1970: 5.5))
    for text in ["{}", #"{"UUID": 5}"#, #"{"UUID": "u", "certificate": "%"}"#, #"{"UUID": "u", "values": {"a": 1}}"#] {
      #expect((try? read(text)) == nil, "\(text)")
    }
    #expect((try? JSONDecoder().decode(ServiceDescription.self, from: Data(#"{"UUID": "u"}"#.utf8))) == nil)
  }
}
