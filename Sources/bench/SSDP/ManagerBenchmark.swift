import Foundation
import RollcallDiscovery
import RollcallPrimitives
import RollcallWire

/// What the manager costs on top of the directory: the same announcements through an engine with and without one.
enum ManagerBenchmark {
  private static let services = 6

  static func run(_ options: Options, _ report: Report) -> UInt64 {
    let count = options.size(10_000, smoke: 20)
    let messages = ManagerBenchmark.messages(count)
    for manager in [merging, filtered] {
      var engine = ManagerBenchmark.engine(manager)
      _ = pass(messages, &engine)
      precondition(engine.managedDevices.count * 2 == count, "two at one address are one")
    }
    let contest = Contest(
      [
        contender("manager", messages, merging), contender("filters", messages, filtered),
        contender("directory", messages, nil),
      ],
      passes: options.passes(7))
    let bare = contest.median(2)
    report.note(
      "manager: \(count) devices with \(services) services each announce themselves twice, in an engine that is new; two "
        + "at each address are one for the application, and each has a service that is registered. The directory alone takes \(Report.number(bare)) ns a message"
    )
    for (number, name) in ["merging", "merging and filters"].enumerated() {
      report.add(
        Figure(
          name: "\(name), on top of the directory", value: contest.median(number) - bare, unit: "ns a sighting",
          anchor: ("the directory alone", bare), ratio: (contest.median(number) - bare) / max(1, bare),
          target: .atMost(1_000), aimsAtValue: true))
    }
    return contest.proof
  }

  /// By the address alone: names stand in descriptions, and none is fetched here.
  private static var merging: ManagerConfiguration {
    var configuration = ManagerConfiguration()
    configuration.setup.merging = .address
    return configuration
  }

  private static var filtered: ManagerConfiguration {
    var configuration = merging
    configuration.setup.filters = [
      CapabilityFilter([Capability("Launcher.App"), Capability("KeyControl.Home")]),
      CapabilityFilter([.any("MediaPlayer"), Capability("VolumeControl.Set")]),
    ]
    return configuration
  }

  private static func messages(_ count: Int) -> [(source: IPAddress, bytes: [UInt8])] {
    var messages: [(source: IPAddress, bytes: [UInt8])] = []
    for number in 0..<count {
      // Two halves of a television: a renderer, and one that launches applications.
      let host = IPAddress(v4: 10 << 24 | UInt32(number / 2 + 2))
      let digits = String(100_000_000_000 + number)
      let uuid = "4f7c2a1e-0000-4abc-9def-\(digits)"
      let own: [String] =
        number % 2 == 0
        ? [
          "urn:schemas-upnp-org:device:MediaRenderer:1", "urn:schemas-upnp-org:service:AVTransport:1",
          "urn:schemas-upnp-org:service:RenderingControl:1", "urn:schemas-upnp-org:service:ConnectionManager:1",
        ]
        : ["urn:dial-multiscreen-org:service:dial:1"] + (1...3).map { "urn:example-org:service:Plain\($0):1" }
      for target in ["upnp:rootdevice", "uuid:\(uuid)"] + own {
        let usn = target.hasPrefix("uuid:") ? target : "uuid:\(uuid)::\(target)"
        let text =
          "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nCACHE-CONTROL: max-age=1800\r\n"
          + "LOCATION: http://\(host):\(49_152 + number % 2)/description.xml\r\nNT: \(target)\r\nNTS: ssdp:alive\r\n"
          + "SERVER: Linux/6.6 UPnP/2.0 Rollcall/1.0\r\nUSN: \(usn)\r\n\r\n"
        messages.append((host, Array(text.utf8)))
      }
    }
    return messages + messages
  }

  private static func engine(_ manager: ManagerConfiguration?) -> DiscoveryEngine {
    var configuration = EngineConfiguration()
    configuration.manager = manager
    configuration.manager?.setup.searches = false
    return DiscoveryEngine(configuration)
  }

  /// An engine that is made before and goes after what is measured, as that of an application.
  private static func contender(
    _ name: String, _ messages: [(source: IPAddress, bytes: [UInt8])], _ manager: ManagerConfiguration?
  ) -> Contender {
    Contender(name) {
      let engine = Kept(engine(manager))
      return { (messages.count, pass(messages, &engine.value)) }
    }
  }

  private final class Kept {
    var value: DiscoveryEngine
    init(_ value: DiscoveryEngine) { self.value = value }
  }

  private static func pass(
    _ messages: [(source: IPAddress, bytes: [UInt8])], _ engine: inout DiscoveryEngine
  ) -> UInt64 {
    let store = PayloadStore()
    var outbox = Outbox(payloads: store)
    var now = Instant.zero + .seconds(1)
    let own = InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 8)
    engine.receive(
      .interface(InterfaceChange(interface: InterfaceID(0), isUp: true, addresses: [own])), at: now, into: &outbox)
    outbox.removeAll()
    var told: UInt64 = 0
    for message in messages {
      now += .microseconds(10)
      let payload = store.store(message.bytes)
      let datagram = Datagram(
        source: Endpoint(message.source, port: 1_900), destination: Endpoint(.ssdpGroup4, port: 1_900),
        interface: InterfaceID(0), hopLimit: 2, payload: payload)
      engine.receive(.datagram(datagram), at: now, into: &outbox)
      told &+= UInt64(outbox.count)
      if !outbox.isEmpty { outbox.removeAll() }
      store.release(payload)
    }
    return told
  }
}
