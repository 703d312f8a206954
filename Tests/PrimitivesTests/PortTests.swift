import RollcallExpectations
import RollcallPrimitives
import Testing

/// Every value of every port: its text is read back as the same value, and no two values have one text or one digest.
@Suite("Ports")
struct PortTests {
  private static let address4 = IPAddress(10, 0, 0, 1)
  private static let address6 = IPAddress(v6High: 0xFE80 << 48, low: 1)
  private static let endpoints = [Endpoint(address4, port: 1_900), Endpoint(address6, port: 0)]
  private static let names = [
    "uuid:a", "", "-", "\"\"", "a b", "\\", "ü\u{2028}", "\u{1B}[2J", "a\tb\r\n", "\\x41", "x41", "/", "of", ":",
    "a\u{7F}b", "!~",
  ]
  private static let bytes: [[UInt8]] = [[], [0], [32], Array("a b".utf8), Array(0...255)]

  private static let searches: [Search] = [
    Search(id: SearchID(0), target: "ssdp:all"), Search(id: .init(.max), target: "ssdp:all"),
    Search(id: SearchID(0), target: "ssdp:all", maximumWaitSeconds: -1),
    Search(id: SearchID(0), target: "ssdp:all", broadcasts: .min),
    Search(id: SearchID(0), target: "ssdp:all", spacing: .milliseconds(250)),
    Search(id: SearchID(0), target: "ssdp:all", spacing: .zero),
    Search(id: SearchID(0), target: "ssdp:all", host: endpoints[0]),
    Search(id: SearchID(0), target: "ssdp:all", host: endpoints[1]),
    Search(id: SearchID(0), target: "ssdp:all", interface: InterfaceID(0)),
    Search(id: SearchID(0), target: "ssdp:all", spacing: .seconds(1), host: endpoints[0], interface: InterfaceID(9)),
  ]

  private static let acts: [Act] = [
    .appear, .leave, .vanish, .crash(downFor: .seconds(1), keepsState: true),
    .crash(downFor: .seconds(1), keepsState: false), .crash(downFor: .nanoseconds(-7), keepsState: false), .reboot,
    .move(interface: InterfaceID(0), to: address4), .move(interface: InterfaceID(1), to: address4),
    .move(interface: InterfaceID(0), to: address6), .relocate(port: 0), .relocate(port: 65_535), .update, .reconfigure,
    .send(script: 0), .send(script: -1),
  ]

  @Test("host: interfaces, refusals, permissions and power")
  func host() {
    let changes = [
      InterfaceChange(interface: InterfaceID(0), isUp: true, addresses: []),
      InterfaceChange(interface: InterfaceID(1), isUp: true, addresses: []),
      InterfaceChange(interface: InterfaceID(0), isUp: false, addresses: []),
      InterfaceChange(
        interface: InterfaceID(0), isUp: true, addresses: [InterfaceAddress(PortTests.address4, prefixBits: 24)]),
      InterfaceChange(
        interface: InterfaceID(0), isUp: true, addresses: [InterfaceAddress(PortTests.address4, prefixBits: 25)]),
      InterfaceChange(
        interface: InterfaceID(0), isUp: true,
        addresses: [
          InterfaceAddress(PortTests.address4, prefixBits: 24), InterfaceAddress(PortTests.address6, prefixBits: 64),
        ]),
    ]
    var values: [HostSignal] = changes.map { .interface($0) }
    for deed in [Refusal.Deed.join, .send] {
      for interface in [0, 1] as [UInt16] {
        for address in [PortTests.address4, PortTests.address6] {
          for port in [0, 1_900] as [UInt16] {
            values.append(
              .refused(Refusal(deed: deed, interface: InterfaceID(interface), address: address, port: port)))
          }
        }
      }
    }
    for permission in Permission.allCases {
      for state in PermissionState.allCases { values.append(.permission(permission, state)) }
    }
    values += PowerState.allCases.map { .power($0) }
    expectDistinct(values, sum: 0x225F_1EBD_8A9D_DC8C)
  }

  @Test("LAN: joins and leaves of a group and port, and addresses")
  func lan() {
    var values: [LANEffect] = []
    for interface in [InterfaceID(0), InterfaceID(.max)] {
      for endpoint in PortTests.endpoints + [Endpoint(PortTests.address4, port: 5_353)] {
        values += [.join(endpoint, interface), .leave(endpoint, interface)]
      }
      values += [PortTests.address4, PortTests.address6].map { .readdress($0, interface) }
    }
    expectDistinct(values, sum: 0x002A_91E3_3B91_5769)
  }

  @Test("application, on the way in: searches, holds and acts")
  func commands() {
    var values: [Command] = PortTests.searches.map { .search($0) }
    values += PortTests.searches.map { .adopt($0, copyAt: PortTests.endpoints[0]) }
    values += PortTests.names.map { .search(Search(id: SearchID(3), target: $0)) }
    values += PortTests.names.map { .hold(device: $0) } + PortTests.names.map { .release(device: $0) }
    values += [.adopt(PortTests.searches[0], copyAt: PortTests.endpoints[1]), .stopSearch(SearchID(4)), .stop]
    values += PortTests.acts.map { .act($0) }
    values.append(.stopDescriptions)
    for browse in [.everything] + PortTests.names.map({ ServiceBrowse.type($0) }) {
      values += [.browse(browse), .stopBrowsing(browse)]
    }
    values += PortTests.names.map { .reconfirm(device: $0) }
    expectDistinct(values, sum: 0xA81D_AE68_BC03_6591)
  }

  @Test("application, on the way out: every kind of report, with names of any characters")
  func reports() {
    func device(_ name: String, _ location: String? = nil, _ bootID: UInt32? = nil) -> DeviceSighting {
      DeviceSighting(
        device: name, location: location, source: PortTests.address4, interface: InterfaceID(2), bootID: bootID)
    }
    func service(_ device: String, _ usn: String, _ target: String, _ location: String?) -> ServiceSighting {
      ServiceSighting(search: SearchID(9), device: device, usn: usn, target: target, location: location)
    }
    var values: [Report] = PortTests.names.map { .found(device($0)) } + PortTests.names.map { .found(device("d", $0)) }
    values += [.found(device("d")), .found(device("d", nil, 0)), .found(device("d", nil, 7))]
    let changes: [Change] =
      PortTests.names.map { .location(from: $0) } + PortTests.names.map { .united(part: $0) } + [
        .location(from: nil), .address(from: PortTests.address4), .address(from: PortTests.address6),
        .bootID(from: nil), .bootID(from: 0), .configID(from: nil), .configID(from: 0),
      ]
    values += changes.map { .changed(device("d"), $0) }
    values += PortTests.names.flatMap { name in LossCause.allCases.map { .lost(device: name, cause: $0) } }
    let services =
      PortTests.names.flatMap { name in
        [service(name, "u", "t", nil), service("d", name, "t", nil), service("d", "u", name, nil)]
      } + PortTests.names.map { service("d", "u", "t", $0) } + [service("d", "u", "t", nil)]
    values += services.map { .service($0) }
    for wasStopped in [false, true] {
      for heard in [[], [services[0]], services] {
        values.append(
          .searchEnded(
            SearchOutcome(search: SearchID(9), target: "ssdp:all", services: heard, wasStopped: wasStopped)))
      }
    }
    for reason in Failure.Reason.allCases {
      values.append(.failed(Failure(reason: reason, explanation: "")))
      values.append(.failed(Failure(reason: reason, search: SearchID(0), explanation: "Ask: why?")))
      values.append(.failed(Failure(reason: reason, interface: InterfaceID(0), explanation: "Ask: why?")))
    }
    values += RejectionReason.allCases.flatMap { [.rejected(Rejection($0, at: 0)), .rejected(Rejection($0, at: 9))] }
    expectDistinct(values, sum: 0xD3F2_A891_07A1_D964)
  }

  @Test("application, on the way out: what came of fetching a description")
  func descriptions() {
    typealias Fetch = DescriptionFetch
    func fetch(
      _ device: String = "d", _ location: String? = "u", _ cause: Fetch.Cause = .found, interface: UInt16 = 2,
      _ duration: Interval = .seconds(1), via redirects: [String] = [],
      outcome: Fetch.Outcome = .failed(Fetch.Failure(.timedOut, "late"))
    ) -> Report {
      .description(
        Fetch(
          device: device, location: location, cause: cause, interface: InterfaceID(interface), duration: duration,
          redirects: redirects, outcome: outcome))
    }
    var values: [Report] = PortTests.names.map { fetch($0) } + PortTests.names.map { fetch("d", $0 + "x") }
    values += [fetch("d", nil), fetch(interface: 0), fetch("d", "u", .found, .milliseconds(7))]
    values += Fetch.Cause.allCases.filter { $0 != .found }.map { fetch("d", "u", $0) }
    values += PortTests.names.map { fetch(via: [$0]) } + [fetch(via: ["a", "b"]), fetch(via: ["b", "a"])]
    for status in [0, 200, 404] {
      for type in [nil, "", "text/xml", "a b"] as [String?] {
        values += PortTests.bytes.map {
          fetch(via: ["a"], outcome: .fetched(Fetch.Document(status: status, body: $0, contentType: type)))
        }
      }
    }
    for reason in Fetch.Reason.allCases {
      for text in ["", "status 404", "why: so"] {
        values += [nil, 0, 404].map { fetch("e", outcome: .failed(Fetch.Failure(reason, status: $0, text))) }
      }
    }
    expectDistinct(values, sum: 0x3CD0_9209_6064_B767)
  }

  @Test("application, on the way out: devices of every provider, wherever they are reached, and what changes of them")
  func devices() {
    func device(_ provider: ProviderID, _ locator: Locator, _ attributes: [DeviceAttribute] = []) -> Report {
      .found(DeviceSighting(device: "d", provider: provider, locator: locator, attributes: attributes))
    }
    let radio = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
    let addresses: [DeviceAddress] = [
      .ip(PortTests.address4), .ip(PortTests.address6), .radio(radio),
      .radio(RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: false)), .radio(RadioAddress(bits: 1, isRandom: true)),
      .peer(0), .peer(.max),
    ]
    var values: [Report] = []
    for address in addresses {
      values += ProviderID.allCases.map { device($0, Locator(address)) }
      values += [
        device(.ssdp, Locator(address, on: InterfaceID(0))), device(.ssdp, Locator(address, on: InterfaceID(9))),
      ]
    }
    let place = Locator(.peer(7))
    let texts: [DeviceAttribute.Value] = PortTests.names.map { .text($0) }
    let numbers: [DeviceAttribute.Value] = [.number(0), .number(.max)]
    for name in DeviceAttribute.Name.allCases where name != .location {
      values += (texts + numbers).map { device(.peers, place, [DeviceAttribute(name, $0)]) }
    }
    values.append(device(.peers, place, DeviceAttribute.Name.allCases.map { DeviceAttribute($0, .text("x")) }))
    let sighting = DeviceSighting(device: "d", provider: .bluetooth, locator: place)
    values += addresses.map { .changed(sighting, .address(from: $0)) }
    for name in DeviceAttribute.Name.allCases {
      values.append(.changed(sighting, .attribute(name, from: nil)))
      values += texts.map { .changed(sighting, .attribute(name, from: $0)) }
      if name != .location { values += numbers.map { .changed(sighting, .attribute(name, from: $0)) } }
    }
    expectDistinct(values, sum: 0x8BFA_EFC1_60DC_D40B)
  }

  @Test("of two attributes with one name the last one counts, and they stand in one order")
  func attributes() {
    let made = DeviceSighting(
      device: "d", provider: .peers, locator: Locator(.peer(1)),
      attributes: [
        DeviceAttribute(.name, .text("a")), DeviceAttribute(.location, .text("u")), DeviceAttribute(.name, .text("b")),
      ])
    expectEqual(made.attributes, [DeviceAttribute(.location, .text("u")), DeviceAttribute(.name, .text("b"))])
    func inOrder(_ attributes: [DeviceAttribute]) -> [DeviceAttribute] {
      DeviceSighting(device: "d", provider: .peers, locator: Locator(.peer(1)), attributes: attributes).attributes
    }
    // Two of one name, with nothing out of its order; all names the wrong way round.
    let (first, second) = (DeviceAttribute(.name, .text("a")), DeviceAttribute(.name, .text("b")))
    expectEqual(inOrder([first, second]), [second])
    let all = DeviceAttribute.Name.allCases.map { DeviceAttribute($0, .text("x")) }
    expectEqual(inOrder(all.reversed()), all)
    expectEqual(inOrder(all), all)
    var changed = made
    changed[.configID] = .number(4)
    changed[.location] = nil
    expectEqual(changed.attributes, [DeviceAttribute(.configID, .number(4)), DeviceAttribute(.name, .text("b"))])
    #expect(changed[.location] == nil && changed[.configID]?.number == 4 && changed[.name]?.text == "b")
    #expect(changed[.configID]?.text == nil && changed[.name]?.number == nil)
  }

  @Test("names of devices are equal whatever the case of ASCII letters, and tell the provider")
  func deviceNames() {
    #expect(DeviceName("uuid:aZ") == DeviceName("UUID:Az") && DeviceName("uuid:a") != DeviceName("uuid:b"))
    expectEqual(DeviceName("uuid:a").hashValue, DeviceName("UUID:A").hashValue)
    // Of every length, and of those that are equal in some words alone.
    for count in 0...24 {
      let name = String(repeating: "x", count: count)
      #expect(
        DeviceName(name + "Y").hashValue == DeviceName(name + "y").hashValue
          && DeviceName(name + "Y") == DeviceName(name + "y"))
      #expect(DeviceName(name + "y") != DeviceName(name + "z") && DeviceName(name) != DeviceName(name + "y"))
    }
    // `@` and `[` stand beside the letters, and letters beyond ASCII have a case of their own.
    #expect(!isSameDevice("@", "`") && !isSameDevice("[", "{") && !isSameDevice("É", "é") && !isSameDevice("a", "ab"))
    expectEqual(
      ["ble:x", "peer:x", "uuid:x", "x"].map { ProviderID(ofDevice: $0) }, [.bluetooth, .peers, .ssdp, .ssdp])
  }

  @Test("streams: both directions")
  func streams() {
    let (one, two) = (StreamID(1), StreamID(.max))
    let ends: [StreamSignal] = StreamEnd.allCases.map { .ended(one, $0) }
    expectDistinct(
      [
        .opened(one, local: PortTests.endpoints[0]), .opened(two, local: PortTests.endpoints[0]),
        .opened(one, local: PortTests.endpoints[1]),
        .accepted(one, listener: two, local: PortTests.endpoints[0], remote: PortTests.endpoints[1]),
        .accepted(one, listener: two, local: PortTests.endpoints[1], remote: PortTests.endpoints[0]),
        .accepted(two, listener: one, local: PortTests.endpoints[0], remote: PortTests.endpoints[1]),
        .room(one, byteCount: 0), .room(two, byteCount: 9),
      ] + PortTests.bytes.map { StreamSignal.bytes(one, $0) } + ends, sum: 0xBEDC_F22D_1E45_4C92)
    expectDistinct(
      [
        .connect(one, to: PortTests.endpoints[0], InterfaceID(0)),
        .connect(one, to: PortTests.endpoints[1], InterfaceID(0)),
        .connect(one, to: PortTests.endpoints[0], InterfaceID(1)),
        .listen(one, at: PortTests.endpoints[0], InterfaceID(0)), .finish(one), .finish(two), .reset(one),
        .pause(one), .resume(one),
      ] + PortTests.bytes.map { StreamEffect.write(one, $0) }, sum: 0x663F_A74C_E40E_B5A8)
  }

  @Test("radio: both directions")
  func radio() {
    let pdus = PortTests.bytes.map { RadioPDU(channel: 37, strength: -60, accessAddress: 0x8E89_BED6, bytes: $0) }
    expectDistinct(
      pdus.map { RadioSignal.heard($0) } + [
        .heard(RadioPDU(channel: 0, strength: -60, accessAddress: 0x8E89_BED6, bytes: [])),
        .heard(RadioPDU(channel: 37, strength: .min, accessAddress: 0x8E89_BED6, bytes: [])),
        .heard(RadioPDU(channel: 37, strength: 20, accessAddress: 0, bytes: [])),
        .heard(RadioPDU(channel: nil, strength: -60, accessAddress: 0x8E89_BED6, bytes: [])),
        .heard(RadioPDU(channel: 37, strength: nil, accessAddress: 0x8E89_BED6, bytes: [])),
      ], sum: 0xA1DE_DA36_4DC4_E9B3)
    let address = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
    var values: [RadioEffect] = [
      .stopAdvertising(set: 0), .stopAdvertising(set: 9), .stopScan,
      .scan(window: .milliseconds(30), interval: .milliseconds(60), isActive: true),
      .scan(window: .milliseconds(30), interval: .milliseconds(60), isActive: false),
      .scan(window: .milliseconds(60), interval: .milliseconds(30), isActive: false),
      .reset,
    ]
    for pdu in PortTests.bytes {
      for response in PortTests.bytes.dropFirst() {
        values.append(.advertise(set: 1, every: .milliseconds(100), pdu: pdu, response: response))
      }
      values.append(.advertise(set: 2, every: .milliseconds(100), pdu: pdu, response: []))
    }
    expectDistinct(values, sum: 0xEF04_57E6_F8B1_64B3)
    expectDistinct(
      [.reset, .setAddress(address), .setAddress(RadioAddress(bits: address.bits, isRandom: false))]
        + pdus.map { RadioEffect.resend($0) } + [
          .resend(RadioPDU(channel: nil, strength: -60, accessAddress: 0x8E89_BED6, bytes: [1])),
          .resend(RadioPDU(channel: 37, strength: nil, accessAddress: 0x8E89_BED6, bytes: [1])),
          .resend(RadioPDU(channel: 37, strength: -60, accessAddress: 1, bytes: [1])),
        ], sum: 0x2E99_1C93_7400_2FA9)
    expectEqual(address.description, "c0:ff:ee:00:00:01/random")
    expectEqual(RadioAddress(bits: 0x100F_1011_0AA0, isRandom: false).description, "10:0f:10:11:0a:a0/public")
    expectEqual(RadioAddress("10:0f:10:11:0a:a0/public"), RadioAddress(bits: 0x100F_1011_0AA0, isRandom: false))
    for text in ["c0:ff:ee:00:00/random", "c0:ff:ee:00:00:01", "c0:ff:ee:00:00:1/public", "c0:ff:ee:00:00:01/any"] {
      expectEqual(RadioAddress(text), nil, "\(text)")
    }
  }

  @Test("connections of the radio: both directions")
  func links() throws {
    let (one, two) = (LinkID(1), LinkID(.max))
    let address = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
    let other = RadioAddress(bits: address.bits, isRandom: false)
    let slow = LinkParameters(interval: .seconds(4), latency: 499, timeout: .seconds(32))
    let parameters = [
      LinkParameters(), slow, LinkParameters(latency: 1), LinkParameters(timeout: .seconds(5)),
      LinkParameters(interval: .milliseconds(60)),
    ]
    var given: [LinkSignal] = LinkEnd.allCases.map { .ended($0) } + PortTests.bytes.map { .frame($0) }
    given += parameters.map { .connected(.central, own: address, peer: other, $0) }
    given += [
      .connected(.peripheral, own: address, peer: other, slow),
      .connected(.peripheral, own: other, peer: address, slow),
      .connected(.peripheral, own: other, peer: other, slow), .acknowledged(frames: 0), .acknowledged(frames: .max),
      .strength(nil), .strength(-128), .strength(20),
    ]
    expectDistinct(given.flatMap { [RadioSignal.link(one, $0), .link(two, $0)] }, sum: 0xF7A7_6D3A_CEE6_2151)
    var wanted: [LinkEffect] = [.end, .readStrength] + PortTests.bytes.map { .send($0) }
    wanted += parameters.map { .connect(to: address, $0) } + [.connect(to: other, slow)]
    expectDistinct(wanted.flatMap { [RadioEffect.link(one, $0), .link(two, $0)] }, sum: 0xAA2B_6390_7C18_DE8B)
    // Changes of parameters, for themselves: the sums above are those of before.
    for value in parameters {
      let (told, asked) = (RadioSignal.link(one, .updated(value)), RadioEffect.link(two, .update(value)))
      try expectEqual(RadioSignal(text: told.text), told)
      try expectEqual(RadioEffect(text: asked.text), asked)
    }
    expectEqual(Set(parameters.map { RadioSignal.link(one, .updated($0)).text }).count, parameters.count)
    #expect([two, one].sorted() == [one, two] && !(one < one))
  }

  @Test("a controller takes intervals, latencies and timeouts inside the bounds, and a timeout above two events")
  func linkParameters() {
    func areValid(_ microseconds: Int64, _ latency: UInt16, _ timeout: Interval) -> Bool {
      LinkParameters(interval: .microseconds(microseconds), latency: latency, timeout: timeout).areValid
    }
    #expect(LinkParameters().areValid)
    #expect(areValid(7_500, 0, .milliseconds(100)) && areValid(4_000_000, 0, .seconds(32)))
    #expect(
      !areValid(6_250, 0, .seconds(1)) && !areValid(4_001_250, 0, .seconds(32)) && !areValid(7_600, 0, .seconds(1)))
    #expect(!areValid(7_500, 0, .milliseconds(99)) && !areValid(7_500, 0, .seconds(32) + .nanoseconds(1)))
    #expect(areValid(15_000, 499, .seconds(32)) && !areValid(15_000, 500, .seconds(32)))
    // Longer than two events that the peripheral attends: of 50 ms each, or of 100 ms where it leaves every other out.
    #expect(areValid(50_000, 0, .milliseconds(100) + .nanoseconds(1)) && !areValid(50_000, 0, .milliseconds(100)))
    #expect(areValid(50_000, 1, .milliseconds(201)) && !areValid(50_000, 1, .milliseconds(200)))
  }

  @Test("store: both directions")
  func store() {
    var given: [StoreSignal] = []
    var wanted: [StoreEffect] = []
    for key in PortTests.names {
      given += [.stored(key: key), .value(key: key, nil)] + StoreFailure.allCases.map { .failed(key: key, $0) }
      given += PortTests.bytes.map { .value(key: key, $0) }
      wanted += [.get(key: key), .delete(key: key)] + PortTests.bytes.map { .put(key: key, $0) }
    }
    expectDistinct(given, sum: 0xA674_C4FD_EB53_9131)
    expectDistinct(wanted, sum: 0x0D84_C807_0367_1045)
  }

  @Test("process: both directions")
  func process() {
    var given: [ProcessSignal] = PortTests.bytes.flatMap { [.line($0, isError: false), .line($0, isError: true)] }
    for number in [0, 1, -1, .max] as [Int32] {
      given += [.ended(.exit(code: number)), .ended(.signal(number)), .ended(.notStarted(errno: number))]
    }
    expectDistinct(given, sum: 0xF217_ED90_49FD_3DB6)
    expectDistinct(
      [
        ProcessEffect.start([]), .start([""]), .start(["a b"]), .start(["a", "b"]), .start(PortTests.names), .signal(9),
        .signal(15),
      ], sum: 0x4959_B94F_C00D_E191)
  }

  @Test("numbers of ports, streams and searches are in the order of their numbers")
  func orders() {
    expectEqual([PortNumber(2), PortNumber(0), PortNumber(255), PortNumber(2)].sorted().map(\.number), [0, 2, 2, 255])
    expectEqual([StreamID(7), StreamID(1), StreamID(.max)].sorted().map(\.number), [1, 7, .max])
    expectEqual([SearchID(7), SearchID(1), SearchID(.max)].sorted().map(\.number), [1, 7, .max])
    #expect(!(PortNumber(3) < PortNumber(3)) && !(StreamID(3) < StreamID(3)) && !(SearchID(3) < SearchID(3)))
  }

  @Test("a signal is no larger than a datagram, and a datagram has at most 56 bytes")
  func size() {
    #expect(MemoryLayout<Datagram>.size <= 56)
    #expect(MemoryLayout<Signal>.size <= 56)
  }

  @Test("a value is there for the length of the call that gives it, and its place is used again")
  func values() {
    let values = SignalValues()
    let first = values.put(.command(.stop))
    let second = values.put(.host(.power(.on)))
    expectEqual([first.port, second.port], [.application, .host])
    expectEqual(values[first], .command(.stop))
    expectEqual(values[second], .host(.power(.on)))
    values.remove(first)
    expectEqual(values.count, 1)
    let third = values.put(.command(.hold(device: "d")))
    expectEqual(values[third], .command(.hold(device: "d")))
    expectEqual(values[second], .host(.power(.on)))
    values.remove(second)
    values.remove(third)
    expectEqual(values.count, 0)
  }
}
