package import RollcallDiscovery
import RollcallPrimitives
import RollcallWire

extension FuzzTarget {
  /// A manager of devices: bytes choose what is found, changed, described and lost, what the application asks, and how time
  /// goes. Each device is told in the order found, updated, lost; nothing is told that suits no filter or while nothing is to
  /// be told; what is one in the end is what would be one if it had all come at once.
  package static let manager = manager(planting: [])

  /// The same with faults in the manager, which it has to notice.
  package static func manager(planting faults: ManagerFaults) -> FuzzTarget {
    FuzzTarget(
      name: "manager", kind: .machine, dictionary: ["\u{0}\u{1}", "\u{3}\u{1}\u{1}"], seeds: ManagerScript.seeds
    ) { (bytes: [UInt8]) throws(FuzzFinding) in
      var script = ManagerScript(bytes, planting: faults)
      try script.run()
    }
  }
}

private struct ManagerScript {
  static let seeds: [[UInt8]] = [
    // Two halves at one address, described with one name; a second renderer; it goes.
    [0, 0, 0, 1, 0, 3, 3, 0, 1, 1, 0, 1, 0, 1, 1, 4, 3, 1, 1, 2, 0, 2, 0, 1, 2, 3, 3, 2, 1, 5, 2, 2],
    // Filters and stops between finds.
    [0, 0, 0, 1, 0, 7, 3, 0, 0, 6, 1, 6, 2, 6, 3, 6, 0, 6, 4, 0, 1, 1, 1, 1, 2, 6, 5, 7, 3],
    // Services of one host, with the UUID of a root device and without.
    [0, 0, 0, 1, 0, 1, 5, 0, 0, 1, 5, 1, 0, 2, 5, 0, 0, 3, 5, 2, 0, 0, 8, 0, 8, 1],
    // Peripherals that say an address and a UUID, of one device, of two, and of nobody.
    [6, 7, 1, 0, 0, 0, 1, 0, 3, 9, 0, 1, 1, 9, 1, 2, 1, 0, 2, 0, 1, 2, 3, 9, 0, 2, 1, 9, 1, 0, 0, 2, 0],
    [6, 7, 5, 0, 1, 0, 1, 1, 4, 0, 3, 0, 1, 3, 3, 9, 0, 1, 7],
    // Services that are registered and no longer, while their devices are there.
    [0, 0, 0, 1, 0, 15, 6, 8, 1, 9, 0, 1, 1, 6, 8, 4, 6, 8, 2, 6, 3, 6, 8, 4, 6, 4],
    // Descriptions that fail and come later.
    [0, 0, 0, 1, 0, 3, 4, 0, 0, 7, 9, 4, 0, 0, 7, 20, 3, 0, 1, 4, 0, 1, 2, 0],
  ]

  private static let types = [
    "urn:x:device:renderer:1", "urn:x:service:player:1", "urn:x:service:remote:1", "urn:x:service:other:2",
  ]
  private static let names = ["Den", "den", "Kitchen", ""]
  private static let roots = 6
  private static let services = 4
  private static let radios = 3

  private struct Item {
    var sighting: DeviceSighting
    var types: [(owner: String, type: String)] = []
    var fields: AdvertisedFields?
  }

  private var choices: ByteChoices
  private var manager: DeviceManager
  private let faults: ManagerFaults
  private var setup = ManagerScript.setup(0)
  private var isRunning = true
  private var outbox = Outbox(payloads: PayloadStore())
  /// In the order in which they were found.
  private var present: [Item] = []
  /// What came of the description behind each LOCATION; `nil`: not known yet.
  private var documents: [(location: String, fetch: DescriptionFetch)] = []
  /// Devices that the application was told, with what was said of each last.
  private var told: [(id: String, state: ManagerReport.State)] = []
  private var now = Instant.zero
  private var problem: String?

  init(_ bytes: [UInt8], planting faults: ManagerFaults) {
    choices = ByteChoices(bytes)
    self.faults = faults
    manager = ManagerScript.manager(ManagerScript.setup(0), faults)
  }

  private static func setup(_ number: Int) -> DiscoverySetup {
    var setup = DiscoverySetup()
    setup.registrations = [
      ServiceRegistration("Renderer", filter: types[0], requires: [types[1]], capabilities: ["Play.One", "Play.Two"]),
      ServiceRegistration(
        "Remote", filter: types[2], capabilities: ["Key.One"], pairing: .pin, pairedCapabilities: ["Key.Two"]),
      ServiceRegistration("Cast", .peers, filter: "_cast._tcp.local", capabilities: ["Play.One"]),
      ServiceRegistration("Setup", .bluetooth, filter: "FE9F", capabilities: ["Set.One"]),
    ]
    if number & 1 == 1 {
      setup.identityRules = [
        IdentityRule(.manufacturerData(company: 0xFFFF), .ipv4, at: 1),
        IdentityRule(.serviceData(BluetoothUUID(short: 0xFE9F)), .uuid), IdentityRule(.text(key: "bt"), .bluetooth),
      ]
    }
    setup.searches = number & 1 == 1
    setup.merging = [.addressAndName, .address, .uuid][number % 3]
    return setup
  }

  private static func manager(_ setup: DiscoverySetup, _ faults: ManagerFaults) -> DeviceManager {
    var configuration = ManagerConfiguration(setup)
    configuration.faults = faults
    return DeviceManager(configuration, awaitsDescriptions: true)
  }

  mutating func run() throws(FuzzFinding) {
    while !choices.isOver {
      step()
      try settle()
    }
    // A device keeps what it was described as before it moved, so each is described where it is now.
    for number in 0..<ManagerScript.roots { describe(number, number) }
    try settle()
    try compareWithFresh()
  }

  // MARK: - What happens

  private mutating func step() {
    switch choices.below(10) {
    case 0: find(root(choices.below(ManagerScript.roots), at: choices.below(3)))
    case 1:
      let name = ManagerScript.uuid(choices.below(ManagerScript.roots))
      let mask = choices.byte()
      guard let index = present.firstIndex(where: { $0.sighting.device == name }) else { return }
      let owner = mask & 16 == 0 ? name : ManagerScript.uuid(90 + Int(mask >> 6))
      present[index].types = ManagerScript.types.enumerated().filter { mask & (1 << $0.offset) != 0 }
        .map { (owner, $0.element) }
      manager.note(name, announces: present[index].types)
    case 2: lose(ManagerScript.uuid(choices.below(ManagerScript.roots)))
    case 3: describe(choices.below(ManagerScript.roots), choices.below(8))
    case 4:
      let reason = choices.bool() ? DescriptionFetch.Reason.timedOut : .badResponse
      fetched(choices.below(ManagerScript.roots), .failed(DescriptionFetch.Failure(reason, "")))
    case 5: find(service(choices.below(ManagerScript.services), choices.below(4), at: choices.below(3)))
    case 6: command(choices.below(9))
    case 7:
      now += .seconds(Int64(choices.byte()))
      for again in manager.takeRetries(at: now) where !present.contains(where: { $0.sighting.device == again.device }) {
        problem = "the description of \(again.device) is asked for, which is gone"
      }
      _ = manager.takeSearches(at: now)
    case 8: lose("peer:Service\(choices.below(ManagerScript.services))._cast._tcp.local")
    default: radio(choices.below(ManagerScript.radios), choices.below(8), choices.below(8))
    }
  }

  /// A peripheral says an address of the network, and a UUID; or it is gone.
  private mutating func radio(_ number: Int, _ host: Int, _ root: Int) {
    let address = RadioAddress(bits: 0xC0_0000_0000_00 | UInt64(number), isRandom: false)
    if host == 7 { return lose(address.deviceName) }
    var fields = AdvertisedFields()
    if host < 4 { fields.manufacturerData = [[0xFF, 0xFF, 0, 10, 0, 0, UInt8(host)]] }
    let digits = ManagerScript.uuid(root).dropFirst(5).utf8.filter { $0 != UInt8(ascii: "-") }
    if root < ManagerScript.roots {
      let data = stride(from: 0, to: 32, by: 2).compactMap {
        UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
      }
      fields.serviceData = [.init(BluetoothUUID(short: 0xFE9F), data)]
    }
    var sighting = DeviceSighting(
      device: address.deviceName, provider: .bluetooth, locator: Locator(DeviceAddress.radio(address)))
    sighting[.services] = .text("FE9F")
    find(sighting)
    guard let index = present.firstIndex(where: { $0.sighting.device == address.deviceName }) else { return }
    present[index].fields = fields
    manager.note(address.deviceName, says: fields)
  }

  private static func uuid(_ number: Int) -> String { "uuid:00000000-0000-4000-8000-0000000000\(10 + number)" }
  private static func location(_ number: Int, _ host: Int) -> String { "http://10.0.0.\(host + 1)/\(number / 2)" }

  private func root(_ number: Int, at host: Int) -> DeviceSighting {
    DeviceSighting(
      device: ManagerScript.uuid(number), location: ManagerScript.location(number, host),
      source: IPAddress(10, 0, 0, UInt8(host + 1)), interface: InterfaceID(0), bootID: nil)
  }

  private func service(_ number: Int, _ text: Int, at host: Int) -> DeviceSighting {
    var sighting = DeviceSighting(
      device: "peer:Service\(number)._cast._tcp.local", provider: .peers,
      locator: Locator(.ip(IPAddress(10, 0, 0, UInt8(host + 1)))),
      attributes: [
        DeviceAttribute(.name, .text(ManagerScript.names[number])),
        DeviceAttribute(.services, .text("_cast._tcp.local")),
        DeviceAttribute(.host, .text("host\(number / 2).local")),
      ])
    if text == 3 { sighting[.txt] = .text("a=b; bt=C0:00:00:00:00:00") }
    if text == 1 || text == 2 { sighting[.txt] = .text("id=000000000000400080000000000000\(9 + text)") }
    return sighting
  }

  private mutating func find(_ sighting: DeviceSighting) {
    if let index = present.firstIndex(where: { $0.sighting.device == sighting.device }) {
      present[index].sighting = sighting
      manager.take(.changed(sighting, .address(from: IPAddress(v4: 0))), at: now)
    } else {
      present.append(Item(sighting: sighting))
      manager.take(.found(sighting), at: now)
    }
    forgetDocuments()
  }

  private mutating func lose(_ name: String) {
    guard present.contains(where: { $0.sighting.device == name }) else { return }
    present.removeAll { $0.sighting.device == name }
    manager.take(.lost(device: name, cause: .expired), at: now)
    forgetDocuments()
  }

  /// What nobody announces any more is fetched anew when it comes again.
  private mutating func forgetDocuments() {
    documents.removeAll { document in !present.contains { $0.sighting.location == document.location } }
  }

  private mutating func describe(_ number: Int, _ form: Int) {
    let types = form & 1 == 0 ? ManagerScript.types : []
    let device = DescriptionDocument.Device(
      type: types.first ?? "", friendlyName: ManagerScript.names[form / 2], manufacturer: "m", modelName: "m",
      udn: ManagerScript.uuid(number),
      services: types.dropFirst().enumerated().map { .init(type: $1, number: $0 + 1, below: "/") })
    let bytes = DescriptionDocument(major: 1, minor: 0, configID: nil, root: device).bytes
    fetched(number, .fetched(.init(status: 200, body: bytes, contentType: nil)))
  }

  private mutating func fetched(_ number: Int, _ outcome: DescriptionFetch.Outcome) {
    let name = ManagerScript.uuid(number)
    guard let item = present.first(where: { $0.sighting.device == name }), let location = item.sighting.location else {
      return
    }
    let fetch = DescriptionFetch(
      device: name, location: location, cause: .found, interface: InterfaceID(0), duration: .zero, outcome: outcome)
    manager.take(.description(fetch), at: now)
    let known = documents.firstIndex { $0.location == location }
    // What was read before is better than nothing.
    if fetch.failure != nil, known != nil { return }
    if let known { documents[known].fetch = fetch } else { documents.append((location, fetch)) }
  }

  private mutating func command(_ number: Int) {
    switch number {
    case 0: ask(.filter([]))
    case 1: ask(.filter([CapabilityFilter([Capability("Play.One"), Capability("Key.One")])]))
    case 2: ask(.filter([CapabilityFilter([.any("Key")]), CapabilityFilter([Capability("Play.Two")])]))
    case 3: ask(.stop)
    case 4: ask(.start)
    case 5: ask(.pairing(choices.pick(PairingLevel.allCases)))
    case 6: ask(choices.below(2) == 0 ? .rescan : .relaunch)
    case 7: ask(.begin(ManagerScript.setup(choices.below(6))))
    default: ask(.register(Array(ManagerScript.setup(0).registrations.prefix(choices.below(5)))))
    }
  }

  private mutating func ask(_ command: ManagerCommand) {
    manager.take(command, at: now, into: &outbox)
    switch command {
    case .start, .relaunch: isRunning = true
    case .stop: isRunning = false
    case .filter(let filters): setup.filters = filters
    case .pairing(let level): setup.pairingLevel = level
    case .register(let registrations): setup.registrations = registrations
    case .begin(let new):
      (setup, isRunning) = (new, true)
      // The rules may be others: then what peripherals say is read anew, as the engine does it.
      for item in present { if let fields = item.fields { manager.note(item.sighting.device, says: fields) } }
    case .rescan, .removeAll, .device, .provide, .withdraw: break
    }
  }

  // MARK: - What has to hold

  private mutating func settle() throws(FuzzFinding) {
    if let problem { throw FuzzFinding(problem) }
    manager.settle(at: now, into: &outbox)
    for effect in outbox.effects {
      guard case .application(.managed(let report)) = effect else { throw FuzzFinding("something else is told") }
      let known = told.firstIndex { $0.id == report.id }
      switch report.event {
      case .found:
        try expect(known == nil, "\(report.id) is found twice")
        try expect(isSuitable(report.state), "\(report.id) is found and suits no filter")
        told.append((report.id, report.state))
      case .updated, .capabilities:
        try expect(known != nil, "\(report.id) is updated and was not found")
        told[known!].state = report.state
      case .lost:
        try expect(known != nil, "\(report.id) is lost and was not found")
        told.remove(at: known!)
      case .remembered, .connection, .app, .webApp: break
      }
    }
    outbox.removeAll()
    try expect(manager.brokenInvariants.isEmpty, manager.brokenInvariants.joined(separator: "; "))
    try expect(isRunning || told.isEmpty, "\(told.count) devices are told while nothing is to be told")
    let compatible = manager.compatibleDevices
    try expect(
      compatible.map(\.id).sorted() == told.map(\.id).sorted(), "what was told is not what is there")
    let suitable = isRunning ? manager.allDevices.filter { isSuitable($0.state) } : []
    try expect(
      suitable.map(\.id).sorted() == told.map(\.id).sorted(), "not all that suits is told, or something else is")
    for device in compatible {
      try expect(
        told.contains { $0.id == device.id && $0.state == device.state }, "\(device.id) is not as it was told last")
    }
  }

  private func isSuitable(_ state: ManagerReport.State) -> Bool {
    setup.filters.isEmpty || setup.filters.contains { $0.isMet(by: state.capabilities) }
  }

  /// The same things, each as it is now, in a manager that is new.
  private mutating func compareWithFresh() throws(FuzzFinding) {
    var fresh = ManagerScript.manager(setup, [])
    for item in present {
      fresh.take(.found(item.sighting), at: now)
      fresh.note(item.sighting.device, announces: item.types)
      if let fields = item.fields { fresh.note(item.sighting.device, says: fields) }
    }
    for document in documents { fresh.take(.description(document.fetch), at: now) }
    fresh.settle(at: now, into: &outbox)
    outbox.removeAll()
    func groups(_ manager: DeviceManager) -> [String] {
      manager.allDevices.map { device in
        let services = device.state.services.map { "\($0.id) \($0.owner)" }.sorted()
        return "\(device.state.members.sorted()) \(services) \(device.state.capabilities.map(\.name))"
      }.sorted()
    }
    let (left, right) = (groups(manager), groups(fresh))
    try expect(left == right, "after all this there is \(left), at once there would be \(right)")
  }
}
