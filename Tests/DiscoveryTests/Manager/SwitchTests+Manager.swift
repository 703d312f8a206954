import RollcallDiscovery
import RollcallPrimitives
import RollcallWire

/// Lives that show the faults of the manager.
extension SwitchTests {
  private static let types = ["urn:x:service:a:1", "urn:x:service:b:1"]
  private static let own = [
    ServiceRegistration("A", filter: types[0], capabilities: ["G.One", "G.Two"]),
    ServiceRegistration("B", filter: types[1], capabilities: ["H.One"]),
  ]

  /// A device announces these types, from an address.
  private static func say(
    _ uuid: String, _ types: [String], at seconds: Double, from source: IPAddress = EngineRig.tv, config: Int? = nil
  ) -> [EngineStep] {
    types.map { type in
      .hear(
        alive(uuid, type, location: "http://\(source):80/\(uuid)", config: config), from: source, at: seconds)
    }
  }

  /// What a stream brings of a description.
  private static func fetched(
    _ number: UInt32, _ uuid: String, named name: String, status: Int = 200, at seconds: Double,
    embedded: [DescriptionDocument.Device] = []
  ) -> [EngineStep] {
    let device = DescriptionDocument.Device(
      type: "urn:x:device:d:1", friendlyName: name, manufacturer: "m", modelName: "m", udn: "uuid:\(uuid)",
      embedded: embedded)
    let body = DescriptionDocument(major: 1, minor: 0, configID: nil, root: device).bytes
    let head = "HTTP/1.1 \(status) X\r\nContent-Length: \(body.count)\r\n\r\n"
    let signals: [StreamSignal] = [
      .opened(StreamID(number), local: Endpoint(EngineRig.ours, port: 50_000)),
      .room(StreamID(number), byteCount: 65_536), .bytes(StreamID(number), Array(head.utf8) + body),
      .ended(StreamID(number), .finished),
    ]
    return signals.map { .signal(.streams($0), at: seconds) }
  }

  /// A peripheral with the service FE9F says this as its manufacturer data.
  private static func advertised(_ data: [UInt8], at seconds: Double) -> EngineStep {
    var fields = AdvertisedFields()
    fields.services = [BluetoothUUID(short: 0xFE9F)]
    fields.manufacturerData = [data]
    let bytes = AdvertisingPDU.bytes(
      .connectable, from: RadioAddress(bits: 0xC000_0000_0001, isRandom: true), data: fields.bytes)
    let packet = RadioPDU(channel: 37, strength: -60, accessAddress: AirFrame.advertisingAddress, bytes: bytes)
    return .signal(.radio(.heard(packet)), at: seconds)
  }

  private func managed(
    fetches: Bool = false, keeps: DeviceStorePolicy? = nil,
    _ change: @escaping @Sendable (inout DiscoverySetup) -> Void = { _ in }
  ) -> EngineConfigure {
    { configuration in
      var setup = DiscoverySetup()
      (setup.registrations, setup.searches) = (SwitchTests.own, false)
      change(&setup)
      configuration.manager = ManagerConfiguration(setup)
      configuration.manager?.store = keeps
      if fetches { configuration.descriptions = .fetch }
    }
  }

  func managerLife(of fault: EngineSwitch) -> ([EngineStep], EngineConfigure) {
    let (a, b) = ([SwitchTests.types[0]], [SwitchTests.types[1]])
    switch fault {
    case .addressIsEnough:
      return (SwitchTests.say("a", a, at: 1) + SwitchTests.say("b", a, at: 2), managed { $0.merging = .address })
    case .mergedForEver:
      return (
        SwitchTests.say("a", a, at: 1) + SwitchTests.say("b", b, at: 2) + SwitchTests.say("c", a, at: 3),
        managed { $0.merging = .address }
      )
    case .mergesNothing:
      return (SwitchTests.say("a", a, at: 1) + SwitchTests.say("b", b, at: 2), managed { $0.merging = .address })
    case .oneCapabilitySuffices:
      let filters = [CapabilityFilter([Capability("G.One"), Capability("H.One")])]
      return (SwitchTests.say("a", a, at: 1), managed { $0.filters = filters })
    case .allFiltersNeeded:
      let filters = [CapabilityFilter([Capability("G.One")]), CapabilityFilter([Capability("H.One")])]
      return (SwitchTests.say("a", a, at: 1), managed { $0.filters = filters })
    case .requirementsIgnored:
      let picky = ServiceRegistration("A", filter: a[0], requires: b)
      return (SwitchTests.say("a", a, at: 1), managed { $0.registrations = [picky] })
    case .toldBeforeDescribed: return (SwitchTests.say("a", a, at: 1), managed(fetches: true))
    case .undescribedHidden:
      return (
        SwitchTests.say("a", a, at: 1) + SwitchTests.fetched(1, "a", named: "n", status: 404, at: 2),
        managed(fetches: true)
      )
    case .descriptionsGivenUp:
      return (
        SwitchTests.say("a", a, at: 1) + SwitchTests.fetched(1, "a", named: "n", status: 503, at: 2)
          + [.run(until: 60)],
        managed(fetches: true)
      )
    case .oldDescriptionKept:
      return (
        SwitchTests.say("a", ["upnp:rootdevice"] + a, at: 1, config: 1)
          + SwitchTests.fetched(1, "a", named: "old", at: 2)
          + SwitchTests.say("a", ["upnp:rootdevice"], at: 20, config: 2)
          + SwitchTests.fetched(2, "a", named: "new", at: 21), managed(fetches: true)
      )
    case .embeddedIgnored:
      let type = "urn:x:device:part:1"
      let part = DescriptionDocument.Device(
        type: type, friendlyName: "p", manufacturer: "m", modelName: "m", udn: "uuid:part")
      return (
        SwitchTests.say("a", ["upnp:rootdevice"], at: 1)
          + SwitchTests.fetched(1, "a", named: "n", at: 2, embedded: [part]),
        managed(fetches: true) { $0.registrations = [ServiceRegistration("A", filter: type)] }
      )
    case .lastServiceKept: return (SwitchTests.say("a", a, at: 1) + [.hear(byebye("a", a[0]), at: 5)], managed())
    case .unsuitableKept:
      return (
        SwitchTests.say("a", a, at: 1) + [.command(.manager(.filter([CapabilityFilter([Capability("X")])])), at: 5)],
        managed()
      )
    case .managerSearchesOnce:
      return ([.run(until: 60)], managed { $0.searches = true })
    case .idsForgotten:
      return (
        SwitchTests.say("a", a, at: 1) + [.hear(byebye("a", a[0]), at: 5)] + SwitchTests.say("a", a, at: 20), managed()
      )
    case .firstTypeOnly: return (SwitchTests.say("a", a + b, at: 1), managed())
    case .filtersStartOver:
      return (
        SwitchTests.say("a", a, at: 1) + [.command(.manager(.filter([CapabilityFilter([.any("G")])])), at: 5)],
        managed()
      )
    case .unfoundLost:
      return (
        SwitchTests.say("a", a, at: 1) + SwitchTests.say("a", b, at: 5),
        managed { $0.filters = [CapabilityFilter([Capability("X")])] }
      )
    case .identityRulesIgnored, .ambiguousIdentityTaken:
      let rule = IdentityRule(.manufacturerData(company: 0xFFFF), .ipv4)
      let setup = ServiceRegistration("C", .bluetooth, filter: "FE9F")
      let other = fault == .ambiguousIdentityTaken ? SwitchTests.say("b", b, at: 2) : []
      return (
        SwitchTests.say("a", a, at: 1) + other + [SwitchTests.advertised([0xFF, 0xFF, 192, 168, 1, 20], at: 3)],
        managed { ($0.identityRules, $0.merging, $0.registrations) = ([rule], .uuid, SwitchTests.own + [setup]) }
      )
    case .unsoughtPeripheralsFound, .bluetoothFailureSilent:
      let sought = [ServiceRegistration("C", .bluetooth, filter: "180F")]
      let step =
        fault == .bluetoothFailureSilent
        ? EngineStep.signal(.host(.power(.off)), at: 1) : SwitchTests.advertised([1, 0, 7], at: 1)
      return ([step], managed { $0.registrations = sought })
    case .udnIsAnotherDevice:
      let type = "urn:x:device:d:1"
      return (
        SwitchTests.say("a", [type], at: 1) + SwitchTests.fetched(1, "b", named: "n", at: 2),
        managed(fetches: true) { $0.registrations = [ServiceRegistration("A", filter: type)] }
      )
    case .serviceIsDevice: return (SwitchTests.say("a", a + b, at: 1), managed())
    case .descriptionAskedWithEachAnswer:
      let search = Search(id: SearchID(1), target: a[0], maximumWaitSeconds: 1, broadcasts: 1)
      let answer = response("a", a[0], location: "http://\(EngineRig.tv):80/a")
      let socket = Endpoint(EngineRig.ours, port: 49_152)
      let after: [EngineStep] = [.command(.search(search), at: 3), .hear(answer, to: socket, at: 3.5), .run(until: 9)]
      return (
        SwitchTests.say("a", a, at: 1) + SwitchTests.fetched(1, "a", named: "n", status: 404, at: 2) + after,
        managed(fetches: true)
      )
    case .nameIsEnough:
      return (
        SwitchTests.say("a", a, at: 1) + SwitchTests.say("b", b, at: 1, from: other)
          + SwitchTests.fetched(1, "a", named: "n", at: 2) + SwitchTests.fetched(2, "b", named: "n", at: 3),
        managed(fetches: true)
      )
    case .memoryNotLoaded:
      let service = StoredService(uuid: "uuid:a", serviceID: "A")
      let kept = DeviceShelf(.keepsDiscovered, [StoredDevice(id: "i", lastSeenUnixSeconds: .max, services: [service])])
      return (
        [.signal(.store(.value(key: "devices", kept.bytes)), at: 0)] + SwitchTests.say("a", a, at: 1),
        managed(keeps: .keepsDiscovered)
      )
    case .foundIsConnected:
      return (
        [.signal(.store(.value(key: "devices", nil)), at: 0)] + SwitchTests.say("a", a, at: 1),
        managed(keeps: .connectedOnly)
      )
    case .storeFailureSilent:
      return ([.signal(.store(.failed(key: "devices", .denied)), at: 0)], managed(keeps: .keepsDiscovered))
    case .removeAllIgnored:
      return (
        [.signal(.store(.value(key: "devices", nil)), at: 0), .command(.manager(.removeAll), at: 1)],
        managed(keeps: .keepsDiscovered)
      )
    case .toldInBackground:
      return ([.command(.manager(.stop), at: 0)] + SwitchTests.say("a", a, at: 1), managed())
    default: return connectionLife(of: fault)
    }
  }
}
