import CoreBluetooth
import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import Testing

@testable import RollcallPhones

/// Connections of applications on one phone.
@Suite(.serialized) struct LinkTests {
  /// One central at a time; while it is connected it does not advertise.
  private static func strap(_ more: String = "", timeline: String = "") -> String {
    """
    scenario: A heart rate sensor
    duration: 5m
    inhabitants:
      strap:
        kind: peripheral
        name: Strap
        services: [180D]
        radio: {position: {east: 2m}}
        gatt:
          - service: 180D
            characteristics:
              - {uuid: 2A37, offers: [notify], value: "0040", sends-every: 1s}
              - {uuid: 2A38, offers: [read], value: "01"}
        \(more)
    \(timeline)
    """
  }

  static func world(_ yaml: String = strap(), others: [OtherPhone] = [], crashes: [Interval] = []) throws -> PhoneWorld
  {
    let scenario = try Scenario(yaml: yaml, file: "strap.yaml")
    return PhoneWorld(try scenario.resolved(), seed: Seed(1), others: others, crashes: crashes)
  }

  /// Two applications that have found the sensor.
  private func two(_ world: PhoneWorld) -> (LinkApp, LinkApp) {
    let (first, second) = (world.enter { LinkApp() }, world.enter { LinkApp() })
    world.run(for: .seconds(2))
    for app in [first, second] {
      app.central.stopScan()
      app.clear()
    }
    return (first, second)
  }

  @Test func `one application's cancel does not end another's connection (CB-40)`() throws {
    let world = try LinkTests.world()
    let (first, second) = two(world)
    for app in [first, second] { app.connect() }
    world.run(for: .seconds(2))
    #expect(first.log == ["connected"] && second.log == ["connected"])
    first.cancel()
    world.run(for: .seconds(2))
    expectEqual(first.log, ["connected", "disconnected"])
    second.peripheral?.discoverServices(nil)
    world.run(for: .seconds(2))
    second.peripheral?.readValue(for: try #require(second.characteristic("2A38")))
    world.run(for: .seconds(2))
    expectEqual(second.log, ["connected", "value 2A38"])
  }

  @Test func `a peripheral that another application holds is connected without a packet (CB-41)`() throws {
    let world = try LinkTests.world()
    let (first, second) = two(world)
    first.connect()
    world.run(for: .seconds(2))
    expectEqual(first.log, ["connected"])
    second.connect()
    world.run(for: .milliseconds(1))
    expectEqual(second.log, ["connected"])
  }

  @Test func `retrieving the connected counts other applications' connections, by any of the services (CB-49)`() throws
  {
    let world = try LinkTests.world()
    let (first, second) = two(world)
    func retrieved(_ services: [String]) -> [CBPeripheral] {
      second.central.retrieveConnectedPeripherals(withServices: services.map { CBUUID(string: $0) })
    }
    expectEqual(retrieved(["180D"]), [])
    first.connect()
    world.run(for: .seconds(2))
    first.peripheral?.discoverServices(nil)
    world.run(for: .seconds(2))
    expectEqual(retrieved(["180F", "180D"]).map(\.name), ["Strap"])
    expectEqual(retrieved(["180D"]).map(\.state), [.disconnected])
    expectEqual(retrieved(["180F"]), [])
  }

  @Test func `a link that is lost comes back by itself, and its end is told in the newer form alone (CB-42)`() throws {
    let away =
      "timeline: [{at: 10s, walk: {who: strap, to: {east: 5km}}}, {at: 60s, walk: {who: strap, to: {east: 1m}}}]"
    let world = try LinkTests.world(LinkTests.strap(timeline: away))
    let (first, second) = two(world)
    first.connect([CBConnectPeripheralOptionEnableAutoReconnect: true])
    second.connect()
    world.run(for: .seconds(40))
    expectEqual(first.log, ["connected", "disconnected 6 reconnecting"])
    expectEqual(first.peripheral?.state, .connecting)
    expectEqual(second.log, ["connected", "disconnected 6"])
    world.run(for: .seconds(40))
    expectEqual(first.log, ["connected", "disconnected 6 reconnecting", "connected"])
    expectEqual(second.log, ["connected", "disconnected 6"])
    first.cancel()
    world.run(for: .seconds(20))
    expectEqual(first.log.dropFirst(3), ["disconnected"])
  }

  @Test func `a start delay postpones the attempt by virtual seconds (CB-43)`() throws {
    let world = try LinkTests.world()
    let (first, second) = two(world)
    first.connect([CBConnectPeripheralOptionStartDelayKey: 10])
    second.connect([CBConnectPeripheralOptionStartDelayKey: 20])
    world.run(for: .milliseconds(9_990))
    expectEqual(first.log, [])
    world.run(for: .seconds(1))
    #expect(first.log == ["connected"] && second.log == [])
    second.cancel()
    world.run(for: .seconds(20))
    #expect(first.log == ["connected"] && second.log == ["disconnected"])
  }

  @Test func `connections of other applications are told to who registered for them (CB-44)`() throws {
    let world = try LinkTests.world()
    let (first, second) = two(world)
    for app in [first, second] {
      app.central.registerForConnectionEvents(options: [.serviceUUIDs: [CBUUID(string: "180D")]])
    }
    first.connect()
    world.run(for: .seconds(2))
    first.cancel()
    world.run(for: .seconds(2))
    expectEqual(first.log, ["connected", "disconnected"])
    expectEqual(second.log, ["event 1 Strap", "event 0 Strap"])
    let identifier = try #require(second.peripheral?.identifier)
    for (options, count) in [
      ([.peripheralUUIDs: [identifier]], 2), ([.serviceUUIDs: [CBUUID(string: "180F")]], 0), (nil, 0),
    ] as [([CBConnectionEventMatchingOption: Any]?, Int)] {
      second.clear()
      second.central.registerForConnectionEvents(options: options)
      first.connect()
      world.run(for: .seconds(2))
      first.cancel()
      world.run(for: .seconds(2))
      expectEqual(second.log.count, count)
    }
  }

  @Test func `an application that connects again at once is connected again (CB-32)`() throws {
    let world = try LinkTests.world()
    let (first, _) = two(world)
    first.connect()
    world.run(for: .seconds(2))
    first.cancel()
    first.connect()
    world.run(for: .seconds(5))
    expectEqual(first.log, ["connected", "disconnected", "connected"])
  }

  @Test(arguments: [23, 100, 185, 512, 517])
  func `the longest write without response is the ATT_MTU less three (CB-59)`(mtu: Int) throws {
    let world = try LinkTests.world(LinkTests.strap("mtu: \(mtu)"))
    let (first, _) = two(world)
    first.connect()
    world.run(for: .seconds(2))
    let peripheral = try #require(first.peripheral)
    expectEqual(peripheral.maximumWriteValueLength(for: .withoutResponse), mtu - 3)
    expectEqual(peripheral.maximumWriteValueLength(for: .withResponse), 512)
  }

  @Test func `a full buffer says no and then that it is ready, and nothing is lost (CB-58)`() throws {
    let world = try LinkTests.world("scenario: Phones\nduration: 5m", others: [OtherPhone("friend")])
    let thermometer = world.enter("friend") { ThermometerApp() }
    let app = world.enter { LinkApp() }
    world.run(for: .seconds(2))
    app.connect()
    world.run(for: .seconds(2))
    app.peripheral?.discoverServices([CBUUID(string: "1809")])
    world.run(for: .seconds(2))
    app.clear()
    app.toWrite = (0..<100).map { Data([UInt8($0)]) }
    app.write(to: try #require(app.characteristic("2A1E")))
    #expect(app.log == ["no room"] && app.toWrite.count == 70)
    world.run(for: .seconds(10))
    #expect(app.log.prefix(3) == ["no room", "ready", "no room"] && app.log.last == "ready")
    expectEqual(thermometer.limits, (0..<100).map { Data([UInt8($0)]) })
  }

  @Test func `a changed name of its own is told, a changed advertised one is not (CB-29)`() throws {
    let nameless = """
      scenario: A sensor that is given a name
      duration: 60s
      inhabitants:
        strap:
          kind: peripheral
          services: [180D]
          connections: 2
          then: {name: Later, services: [180D]}
          radio: {position: {east: 2m}}
      timeline: [{at: 10s, reconfigure: strap}]
      """
    let world = try LinkTests.world(nameless, others: [OtherPhone("friend")])
    let app = world.enter { LinkApp() }
    world.run(for: .seconds(2))
    app.connect()
    world.run(for: .seconds(10))
    app.central.scanForPeripherals(withServices: [CBUUID(string: "180D")])
    world.run(for: .seconds(8))
    expectEqual(app.log, ["state 5", "found -", "connected", "found Later"])
    expectEqual(app.peripheral?.name, "Later")
    let thermometer = world.enter("friend") { ThermometerApp() }
    let other = world.enter { LinkApp() }
    other.peripheral = nil
    world.run(for: .seconds(5))
    let friend = try #require(
      other.central.retrievePeripherals(withIdentifiers: [
        world.phone.identifier(of: RadioAddress(bits: 0xC000_0000_0002, isRandom: true))
      ]).first)
    (other.peripheral, friend.delegate) = (friend, other)
    #expect(friend.name == "Thermo" && thermometer.manager.isAdvertising)
    other.clear()
    other.connect()
    world.run(for: .seconds(5))
    expectEqual(other.log, ["connected", "name friend"])
    expectEqual(friend.name, "friend")
  }
}
