import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation
import Testing

@testable import RollcallPicturing

/// What belongs together in a trace: copies of one datagram, members of one group, and clocks that run wrong.
@Suite("What belongs together in a picture") struct FlightTests {
  private func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

  private func texts(_ losses: [(mark: Int, station: Int)]) -> [String] { losses.map { "\($0.mark) at \($0.station)" } }

  @Test("of equal datagrams a host hears the latest that it has not heard; one more than there are is the latest again")
  func copies() {
    var flights = Flights()
    // One without a mark is none.
    flights.send(-1, key: 7, way: 7, at: .zero, awaited: [1])
    expectEqual(flights.hear(key: 7, way: 7, station: 1), -1)
    flights.send(-1, key: 8, way: 8, at: .zero, awaited: [1])
    flights.send(5, key: 1, way: 2, at: at(1), awaited: [1, 2])
    flights.send(6, key: 1, way: 2, at: at(2), awaited: [1, 2])
    expectEqual((0..<3).map { _ in flights.hear(key: 1, way: 2, station: 1) }, [6, 5, 6])
    expectEqual(flights.hear(key: 1, way: 2, station: 2), 6)
    expectEqual(texts(flights.losses(end: at(9))), ["5 at 2"])
    // Less than a second before the end it may still be under way.
    expectEqual(texts(flights.losses(end: at(2))), ["5 at 2"])
    expectEqual(texts(flights.losses(end: Instant(nanoseconds: 1_999_999_999))), [])
    // Sixteen copies are told apart, and what was changed on its way belongs to the latest that is awaited.
    flights = Flights()
    for mark in 0...16 { flights.send(mark, key: 1, way: 2, at: .zero, awaited: []) }
    let heard = (0..<17).map { _ in flights.hear(key: 1, way: 2, station: 1) }
    expectEqual(heard, Array((1...16).reversed()) + [16])
    flights.send(20, key: 3, way: 4, at: .zero, awaited: [1])
    expectEqual(flights.hear(key: 99, way: 4, station: 2), -1)
    expectEqual(flights.hear(key: 99, way: 4, station: 1), 20)
    expectEqual(flights.hear(key: 99, way: 4, station: 1), -1)
    expectEqual(flights.hear(key: 99, way: 5, station: 1), -1)
    expectEqual(texts(flights.losses(end: at(9))), [])
    // The first mark of a picture is one like the others.
    flights = Flights()
    flights.send(0, key: 1, way: 2, at: .zero, awaited: [3])
    expectEqual(texts(flights.losses(end: at(9))), ["0 at 3"])
    expectEqual(flights.hear(key: 1, way: 2, station: 3), 0)
  }

  @Test("datagrams are told apart by all of their addresses, ports and bytes")
  func keys() {
    func datagram(_ source: UInt16, _ destination: UInt16, last: UInt8 = 1, bytes: [UInt8] = [1]) -> RecordedDatagram {
      RecordedDatagram(
        source: Endpoint(IPAddress(10, 0, 0, last), port: source),
        destination: Endpoint(IPAddress(10, 0, 0, 9), port: destination), interface: InterfaceID(0), hopLimit: 2,
        bytes: bytes)
    }
    // Ports that differ in their first bit, and in their last.
    let all = [
      datagram(100, 200), datagram(32_868, 200), datagram(101, 200), datagram(100, 32_968), datagram(100, 201),
      datagram(200, 100), datagram(100, 200, last: 2), datagram(100, 200, bytes: [1, 2]),
    ]
    expectEqual(Set(all.map { Flights.key($0) }).count, all.count)
    expectEqual(Set(all.map { Flights.way($0) }).count, all.count)
    let other = datagram(100, 200, bytes: [2])
    expectEqual(Flights.way(other), Flights.way(all[0]))
    #expect(Flights.key(other) != Flights.key(all[0]))
  }

  // MARK: - Addresses and groups

  private static let group = Endpoint(IPAddress(239, 255, 255, 250), port: 1900)

  private func change(
    _ addresses: [IPAddress], _ interface: UInt16 = 0, isUp: Bool = true, prefixBits: Int = 24
  ) -> InterfaceChange {
    InterfaceChange(
      interface: InterfaceID(interface), isUp: isUp,
      addresses: addresses.map { InterfaceAddress($0, prefixBits: prefixBits) })
  }

  private func datagram(_ source: IPAddress, to destination: Endpoint, on interface: UInt16 = 0) -> RecordedDatagram {
    RecordedDatagram(
      source: Endpoint(source, port: 1900), destination: destination, interface: InterfaceID(interface), hopLimit: 2,
      bytes: [1])
  }

  private func cast(_ count: Int, segments: [[Int]] = []) -> TraceCast {
    TraceCast(
      (0..<count).map { number -> TraceCast.Station in
        var station = TraceCast.Station("\(number)", .host)
        if segments.indices.contains(number) { station.segments = segments[number] }
        return station
      })
  }

  private static let first = IPAddress(10, 0, 0, 1)
  private static let second = IPAddress(10, 0, 0, 2)
  private static let other = IPAddress(10, 0, 1, 3)

  @Test("an address is a station's where it alone has it, also one that it took and is told of once more")
  func owners() {
    var neighbours = Neighbours(cast(2))
    expectEqual(neighbours.isKnown(Self.first), false)
    neighbours.take(change([Self.first]), of: 0)
    expectEqual(neighbours.owner(of: Self.first), 0)
    neighbours.take(change([Self.first]), of: 1)
    expectEqual(neighbours.owner(of: Self.first), nil)
    expectEqual(neighbours.isKnown(Self.first), true)
    neighbours.take(change([Self.second]), of: 1)
    expectEqual([Self.first, Self.second].map { neighbours.owner(of: $0) }, [0, 1])
    neighbours.take(.readdress(Self.other, InterfaceID(0)), of: 1)
    expectEqual(neighbours.owner(of: Self.other), 1)
    neighbours.take(change([Self.other]), of: 1)
    expectEqual(neighbours.owner(of: Self.other), 1)
    expectEqual(neighbours.isKnown(Self.second), false)
    let there = Endpoint(Self.other, port: 80)
    expectEqual(neighbours.listeners(to: datagram(Self.first, to: there), from: 0), [1])
    // Nobody awaits what goes to oneself, or to nobody.
    expectEqual(neighbours.listeners(to: datagram(Self.other, to: there), from: 1), [])
    expectEqual(neighbours.listeners(to: datagram(Self.first, to: Endpoint(Self.second, port: 80)), from: 0), [])
  }

  @Test("members of a group are awaited on the sender's network alone, while they are up, once, and until they leave")
  func members() {
    let interface = InterfaceID(0)
    let message = datagram(Self.first, to: Self.group)
    func neighbours(_ segments: [[Int]]) -> Neighbours {
      var made = Neighbours(cast(3, segments: segments))
      for (station, address) in [Self.first, Self.second, Self.other].enumerated() {
        made.take(change([address]), of: station)
        made.take(.join(Self.group, interface), of: station)
      }
      return made
    }
    // By subnets, and by segments where those are known.
    expectEqual(neighbours([]).listeners(to: message, from: 0), [1])
    expectEqual(neighbours([[0], [1], [0]]).listeners(to: message, from: 0), [2])
    expectEqual(neighbours([[0], [0], [0]]).listeners(to: message, from: 0), [1, 2])
    var some = neighbours([])
    some.take(.join(Self.group, interface), of: 1)
    some.take(change([IPAddress(10, 0, 0, 22)], 1), of: 1)
    some.take(.join(Self.group, InterfaceID(1)), of: 1)
    expectEqual(some.listeners(to: message, from: 0), [1])
    some.take(.leave(Self.group, interface), of: 1)
    expectEqual(some.listeners(to: message, from: 0), [1])
    some.take(.leave(Self.group, InterfaceID(1)), of: 1)
    expectEqual(some.listeners(to: message, from: 0), [])
    var down = neighbours([[0], [0], [0]])
    down.take(change([Self.second], isUp: false), of: 1)
    expectEqual(down.listeners(to: message, from: 0), [2])
    // The group on another port is another.
    let elsewhere = Endpoint(Self.group.address, port: 1901)
    expectEqual(down.listeners(to: datagram(Self.first, to: elsewhere), from: 0), [])
    // In a group of more than 256 no loss is looked for.
    var crowd = Neighbours(cast(257))
    for station in 0..<257 {
      let address = IPAddress(v4: 0x0A00_0000 + UInt32(station))
      crowd.take(change([address], prefixBits: 16), of: station)
      if station < 256 { crowd.take(.join(Self.group, InterfaceID(0)), of: station) }
    }
    let first = datagram(IPAddress(10, 0, 0, 0), to: Self.group)
    expectEqual(crowd.listeners(to: first, from: 0)?.count, 255)
    crowd.take(.join(Self.group, InterfaceID(0)), of: 256)
    expectEqual(crowd.listeners(to: first, from: 0)?.count, nil)
  }

  @Test("the moment of an entry is that at which its host's clock showed its time")
  func clocks() {
    func moment(_ drift: Int64, _ nanoseconds: Int64, of station: Int = 0) -> Int64 {
      var made = cast(1)
      made.stations[0].driftMillionths = drift
      return made.moment(Instant(nanoseconds: nanoseconds), of: station).nanoseconds
    }
    expectEqual(moment(0, 1_000_200), 1_000_200)
    expectEqual(moment(200, 1_000_200), 1_000_000)
    expectEqual([moment(1, 1_000_001), moment(-1, 999_999)], [1_000_000, 1_000_000])
    expectEqual(moment(-200, 999_800), 1_000_000)
    expectEqual(moment(-499_999, 500_001), 1_000_000)
    expectEqual(moment(-500_000, 500_000), 500_000)
    expectEqual(moment(200, 1_000_200, of: 1), 1_000_200)
    expectEqual([moment(200, 1), moment(200, 0), moment(200, -5_000_000)], [0, 0, -5_000_000])
    let most = Int64.max / 4
    expectEqual(moment(200, most + 1), most + 1)
    expectEqual(moment(1_000_000, most), most / 2)
  }

  // MARK: - What breaks

  @Test("what breaks stands on a lane of the network from its instant on, with four hosts by name and the rest counted")
  func faults() throws {
    func titles(_ names: String, until end: Instant) throws -> [String] {
      let yaml = """
        scenario: S
        duration: 60s
        network: {segments: {lan: {querier: 125s}}}
        inhabitants:
          a: {kind: root-device}
          b: {kind: root-device}
          c: {kind: root-device}
          d: {kind: root-device}
          e: {kind: root-device}
        faults:
          - {at: 5s, until: 7s, partition: {from: [engine], to: [\(names)], both: false}}
          - {at: 6s, interface-down: {who: b}}
          - {at: 8s, until: 9s, querier-gone: lan}
        """
      let resolved = try Scenario(yaml: yaml, file: "s.yaml").resolved()
      var draft = PictureDraft()
      var faults = FaultMarks(resolved)
      faults.put(until: end, into: &draft)
      let picture = draft.finished(verb: "", title: "", unit: .entry, origin: .zero, lives: [])
      expectEqual(picture.lanes.map(\.name), picture.marks.isEmpty ? [] : ["network"])
      return picture.marks.map { mark in
        "\(mark.time) \(picture.strings[picture.sayings[mark.saying].title])"
      }
    }
    expectEqual(try titles("a", until: Instant(nanoseconds: 4_999_999_999)), [])
    expectEqual(try titles("a", until: at(5)), ["5s nothing from engine reaches a"])
    expectEqual(
      try titles("a, b, c, d", until: at(6)),
      ["5s nothing from engine reaches a, b, c, d", "6s interface 0 of b down"])
    expectEqual(
      try titles("a, b, c, d, e", until: at(7)),
      ["5s nothing from engine reaches a, b, c, d and 1 more", "6s interface 0 of b down", "7s partition healed"])
    expectEqual(
      try titles("a", until: at(9)).suffix(2),
      ["8s the querier falls silent", "9s the querier asks every 125 s"])
  }

  @Test("each fault has its words and the entry that it is of, and a mark of no entry of the trace")
  func words() throws {
    let yaml = "scenario: S\nduration: 60s\ninhabitants: {a: {kind: root-device}}\n"
    var resolved = try Scenario(yaml: yaml, file: "s.yaml").resolved()
    let interface = InterfaceID(2)
    let faults: [Fault] = [
      .link(host: 1, interface: interface, outbound: true, rule: LinkRule()),
      .link(host: 0, interface: interface, outbound: false, rule: nil),
      .interfaceUp(host: 1, interface: interface),
      .readdress(host: 1, interface: interface, address: IPAddress(10, 0, 0, 9)),
      .partition(number: 1, from: [0], to: [2]), .refuseJoins(host: 1, true), .healEverything,
    ]
    resolved.faults = faults.enumerated().map { ResolvedFault(id: "f\($0.offset)", at: at(1), fault: $0.element) }
    var draft = PictureDraft()
    var made = FaultMarks(resolved)
    made.put(until: at(1), into: &draft)
    let picture = draft.finished(verb: "", title: "", unit: .entry, origin: .zero, lives: [])
    let lines = picture.marks.map { mark -> String in
      let saying = picture.sayings[mark.saying]
      let fields = saying.fields.map { ", \(picture.strings[$0.name]) \(picture.strings[$0.value])" }.joined()
      return "\(mark.kind.rawValue) \(mark.number): \(picture.strings[saying.title])\(fields)"
    }
    expectEqual(
      lines,
      [
        "fault 0: the link from a changes, fault f0", "fault 0: the link to engine is as planned, fault f1",
        "fault 0: interface 2 of a up, fault f2", "fault 0: a has the address 10.0.0.9, fault f3",
        "fault 0: nothing from engine reaches a host, fault f4", "fault 0: the network changes, fault f5",
        "fault 0: everything healed, fault f6",
      ])
  }
}
