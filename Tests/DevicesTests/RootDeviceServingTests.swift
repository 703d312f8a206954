import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@Suite("Where a root device serves its description") struct RootDeviceServingTests {
  /// A device that has appeared on these addresses, with what it wants of streams since.
  private struct Server {
    private var device: Bench<RootDevice>
    private var lastStream: UInt32 = 1_000

    init(_ quirks: [Quirk] = [], apps: [String]? = nil, addresses: [SignalValue]) {
      var description = treeDescription()
      description.television.apps = apps
      let blueprint = DeviceBlueprint(description, quirks: quirks, servesDescriptions: true)
      device = Bench(RootDevice(blueprint, seed: Seed(1), name: "it"))
      for signal in addresses { device.receive(signal) }
      device.act(.appear)
    }

    mutating func taken() -> [StreamEffect] {
      defer { device.others = [] }
      return device.others.compactMap { if case .streams(let effect) = $0.effect { effect } else { nil } }
    }

    mutating func name(_ name: String) { device.machine.setFriendlyName(name) }

    /// The lines of the answer to a request on a connection of its own.
    mutating func answer(_ request: String, at local: Endpoint) -> [String] {
      lastStream += 1
      let (stream, client) = (StreamID(lastStream), Endpoint(IPAddress(192, 168, 1, 9), port: 50_000))
      device.receive(.streams(.accepted(stream, listener: StreamID(1), local: local, remote: client)))
      device.receive(.streams(.room(stream, byteCount: 65_536)))
      device.receive(.streams(.bytes(stream, Array(request.utf8))))
      let bytes = taken().flatMap { effect -> [UInt8] in if case .write(_, let bytes) = effect { bytes } else { [] } }
      return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
    }

    /// The connections that it opens within so long.
    mutating func opened(for interval: Interval) -> [StreamEffect] {
      device.run(for: interval)
      return taken().filter { if case .connect = $0 { true } else { false } }
    }

    var firstEventPath: String { device.machine.document().root.services[0].eventPath }
  }

  private let get = "GET /description.xml HTTP/1.1\r\nHOST: a\r\n\r\n"

  @Test("it listens on each interface with an address of either family, at the second port where it has one")
  func places() {
    let addresses = [up(0, "192.168.1.20"), up(1, "fe80::7"), down(2)]
    for (quirks, ports) in [([], [49_152]), ([.twoLocations], [49_152, 49_153])] as [([Quirk], [UInt16])] {
      var expected: [StreamEffect] = []
      for interface: UInt16 in 0...1 {
        for port in ports {
          expected.append(
            .listen(
              StreamID(UInt32(expected.count + 1)), at: Endpoint(IPAddress(v4: 0), port: port), InterfaceID(interface)))
        }
      }
      var server = Server(quirks, addresses: addresses)
      expectEqual(server.taken(), expected)
    }
  }

  @Test("asked at an address that it does not have, it says that it is at its first one of that family, if it has one")
  func foreignAddresses() {
    var server = Server(apps: ["YouTube"], addresses: [up(0, "192.168.1.20"), up(1, "10.0.0.7")])
    for (asked, told) in [
      ("192.168.1.20", "192.168.1.20:49152"), ("10.0.0.7", "10.0.0.7:49152"), ("203.0.113.5", "192.168.1.20:49152"),
      ("fe80::5", "[fe80::5]:49152"),
    ] {
      let lines = server.answer(get, at: Endpoint(IPAddress(asked)!, port: 49_152))
      expectEqual(lines.filter { $0.hasPrefix("Application-URL") }, ["Application-URL: http://\(told)/apps/"])
    }
  }

  @Test("a name that it is given stands in the description")
  func names() {
    var server = Server(addresses: [up(0, "192.168.1.20")])
    server.name("Lantern")
    let lines = server.answer(get, at: Endpoint(IPAddress(192, 168, 1, 20), port: 49_152))
    expectEqual(
      lines.filter { $0.contains("<friendlyName>") }.map(\.trimmed),
      ["Lantern", "Lantern part 1"].map { "<friendlyName>\($0)</friendlyName>" })
  }

  @Test("events leave by the interface on whose subnet the subscriber is, not by one that is down")
  func events() {
    var server = Server(addresses: [down(0), up(1, "10.0.0.7"), up(2, "192.168.1.20")])
    let request =
      "SUBSCRIBE \(server.firstEventPath) HTTP/1.1\r\nHOST: a\r\nNT: upnp:event\r\n"
      + "CALLBACK: <http://192.168.1.9:80/>\r\n\r\n"
    expectEqual(
      server.answer(request, at: Endpoint(IPAddress(192, 168, 1, 20), port: 49_152)).first, "HTTP/1.1 200 OK")
    // The streams 1 and 2 listen.
    expectEqual(
      server.opened(for: .milliseconds(100)),
      [.connect(StreamID(3), to: Endpoint(IPAddress(192, 168, 1, 9), port: 80), InterfaceID(2))])
  }
}
