import Dispatch
import Foundation
import RollcallConnect
import RollcallDoors
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation
import RollcallTrace
import Testing

@testable import RollcallPhones

/// What an `SSDPSearchSession` sends, and which answers it tells.
@Suite("A search by hand on the wire") struct SearchAnswerTests {
  private typealias Configuration = SSDPSearchSessionConfiguration

  // MARK: - On the wire

  @Test("sends the configured target and MX to the group, MX apart")
  func multicast() throws {
    let world = try SearchHouse.lamps()
    let wire = SearchHouse.searches(in: world)
    let app = world.enter { SearchApp(SearchHouse.multicast("upnp:rootdevice", wait: 2)) }
    world.run(for: .seconds(20))
    let message = "M-SEARCH * HTTP/1.1|HOST: 239.255.255.250:1900|MAN: \"ssdp:discover\"|MX: 2|ST: upnp:rootdevice||"
    expectEqual(wire.current, ["0", "2", "4"].map { "\($0).000000000 239.255.255.250:1900 \(message)" })
    expectEqual(app.lines, ["timed out", "stopped with []"])
  }

  @Test("leaves a part of a second off, from MX on the wire and from the time between two broadcasts")
  func partOfSecond() throws {
    let world = try SearchHouse.lamps()
    let wire = SearchHouse.searches(in: world)
    let app = world.enter { SearchApp(SearchHouse.multicast(wait: 1.5, broadcasts: 2)) }
    world.run(for: .milliseconds(2_100))
    expectEqual(app.lines.last, "stopped with [192.168.1.50, 192.168.1.51]")
    #expect(wire.current.map { $0.prefix(12) } == ["0.000000000 ", "1.000000000 "])
    #expect(wire.current.allSatisfy { $0.contains("|MX: 1|") })
  }

  @Test("asks one host alone, without MX, where the configuration has the address of a host", arguments: [1_900, 0])
  func unicast(port: UInt) throws {
    let world = try SearchHouse.world([
      "  tv: {kind: root-device, profile: tv, address: 192.168.1.20}",
      "  other: {kind: root-device, profile: tv, address: 192.168.1.21}",
    ])
    let wire = SearchHouse.searches(in: world)
    let configuration = Configuration(
      searchTarget: "upnp:rootdevice", host: "192.168.1.20", port: port, maximumWaitResponseTime: 1,
      maximumBroadcastsBeforeClosing: 1)
    let app = world.enter { SearchApp(configuration) }
    world.run(for: .seconds(5))
    expectEqual(app.lines, ["found 192.168.1.20 upnp:rootdevice", "timed out", "stopped with [192.168.1.20]"])
    let message = "M-SEARCH * HTTP/1.1|HOST: 192.168.1.20:1900|MAN: \"ssdp:discover\"|ST: upnp:rootdevice||"
    expectEqual(wire.current, ["0.000000000 192.168.1.20:1900 \(message)"])
  }

  @Test("several sessions run beside a manager and the searches of a scenario, and each hears its own answers")
  func several() throws {
    let text = """
      scenario: A house with a television and a lamp
      duration: 5m
      engine: {descriptions: fetch}
      inhabitants:
        tv: {kind: root-device, profile: tv, address: 192.168.1.20, friendly-name: Den}
      \(SearchHouse.device("lamp", "192.168.1.50", fields: SearchHouse.fields(1, "192.168.1.50")))
      timeline:
        - {at: 1s, search: {id: 1, mx: 2s, broadcasts: 2}}
      expect: []
      """
    let world = PhoneWorld(try Scenario(yaml: text, file: "house.yaml").resolved(), seed: Seed(1))
    let queue = DispatchQueue(label: "app")
    let manager = world.enter { DiscoveryManager(queue: queue) }
    world.enter { manager.startDiscovery() }
    let lamps = world.enter { SearchApp(SearchHouse.multicast(wait: 1, broadcasts: 1), queue: queue) }
    let roots = world.enter { SearchApp(SearchHouse.multicast("upnp:rootdevice"), queue: queue) }
    world.run(for: .seconds(30))
    let found = "found 192.168.1.50 \(SearchHouse.light)"
    expectEqual(lamps.lines, [found, "timed out", "stopped with [192.168.1.50]"])
    expectEqual(
      roots.lines, ["found 192.168.1.20 upnp:rootdevice", "timed out", "stopped with [192.168.1.20]"])
    expectEqual(manager.devices.map(\.friendlyName), ["Den"])
    #expect(
      world.world.reports.contains {
        if case .searchEnded(let end) = $0.report { end.search.number == 1 } else { false }
      })
  }

  // MARK: - Which answers are told

  @Test("tells of the target in the same or a higher version, of no other, whatever it is a part of")
  func targets() throws {
    func answer(_ number: Int, _ asked: String, _ target: String) -> String {
      let address = "192.168.1.5\(number)"
      return SearchHouse.device(
        "lamp-\(number)", address, asked: asked,
        fields: SearchHouse.fields(number, address, target: target), after: "\(number)00ms")
    }
    func found(_ asked: String, _ targets: [String]) throws -> [String] {
      let world = try SearchHouse.world(
        targets.enumerated().map { answer($0.offset + 1, asked, $0.element) })
      let app = world.enter { SearchApp(SearchHouse.multicast(asked, wait: 1, broadcasts: 1)) }
      world.run(for: .seconds(5))
      return app.services.current.map(\.searchTarget)
    }
    let urn = "urn:example-org:service:light"
    expectEqual(
      try found("\(urn):2", ["\(urn):1", "\(urn):2", "\(urn):20", "\(urn)bulb:2", "upnp:rootdevice"]),
      ["\(urn):2", "\(urn):20"])
    // The article would take the second one: the target is a part of it.
    expectEqual(try found("acme:light", ["acme:light", "acme:lightbulb"]), ["acme:light"])
    expectEqual(
      try found("ssdp:all", ["\(urn):1", "acme:lightbulb", "upnp:rootdevice"]),
      ["\(urn):1", "acme:lightbulb", "upnp:rootdevice"])
  }

  @Test("tells of a service again where it answers from another location or as another server")
  func otherLocation() throws {
    let usn = "USN: uuid:00000000-0000-4000-8000-000000000001::\(SearchHouse.light)"
    let asked = SearchHouse.light
    func lines(_ path: String, _ server: String) -> String {
      let location = "LOCATION: http://192.168.1.50/\(path)"
      let fields = ["CACHE-CONTROL: max-age=60", location, "SERVER: \(server)", "ST: \(asked)", usn]
      return (["HTTP/1.1 200 OK"] + fields).map { "          - '\($0)'" }.joined(separator: "\n")
    }
    func answers(_ order: [(search: Int, delay: String, path: String, server: String)]) -> String {
      let parts = order.map { part in
        """
            - to: "\(asked)"
              replies: [{search: \(part.search), delays: [\(part.delay)]}]
              lines:
        \(lines(part.path, part.server))
        """
      }
      return "  lamp:\n    kind: recorded\n    address: 192.168.1.50\n    answers:\n"
        + parts.map { $0.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n") }.joined(separator: "\n")
    }
    let world = try SearchHouse.world([
      answers([(1, "100ms", "a.xml", "One"), (1, "300ms", "b.xml", "One"), (1, "500ms", "b.xml", "Two")])
    ])
    let app = world.enter { SearchApp(SearchHouse.multicast(wait: 1, broadcasts: 2)) }
    world.run(for: .seconds(5))
    expectEqual(
      app.services.current.map { "\($0.location.path) \($0.server)" }, ["/a.xml One", "/b.xml One", "/b.xml Two"])
  }

  @Test("tells of no answer that lacks a field, or whose location leads away from its sender")
  func unusable() throws {
    let (near, far) = ("192.168.1.50", "10.9.9.9")
    let world = try SearchHouse.world([
      SearchHouse.device("silent", near, fields: SearchHouse.fields(1, near, server: nil)),
      SearchHouse.device("forger", "192.168.1.51", fields: SearchHouse.fields(2, far)),
    ])
    let app = world.enter { SearchApp(SearchHouse.multicast(wait: 1, broadcasts: 1)) }
    world.run(for: .seconds(5))
    expectEqual(app.lines, ["timed out", "stopped with []"])
  }
}
