import CoreBluetooth
import Foundation
import RollcallDiscovery
import RollcallDoors
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Synchronization
import Testing

@testable import RollcallPhones

/// What a phone tells a scan of packets that it is given one by one.
@Suite struct ScanDoorTests {
  private final class Door: PhoneDoor {
    let events = Mutex<[PhoneEvent]>([])
    func push(_ event: PhoneEvent) { events.withLock { $0.append(event) } }
  }

  private let phone = SimulatedPhone(name: "phone")
  private let door = Door()
  private let number: ManagerNumber

  init() {
    number = phone.attach(door, as: ManagerSetup())
    phone.tellState(isOn: true, since: .zero)
  }

  private func address(_ one: UInt64) -> RadioAddress { RadioAddress(bits: 0xC0FF_EE00_0000 | one, isRandom: true) }

  private func scan(
    _ number: Int = 1, _ services: [UInt16]? = nil, soliciting solicited: [UInt16] = [], duplicates: Bool = false
  ) {
    let request = ScanRequest(
      number: number, services: services?.map { AttributeUUID($0) }, solicited: solicited.map { AttributeUUID($0) },
      allowsDuplicates: duplicates)
    phone.perform(.startScan(request), for: self.number)
    expectEqual(phone.takeRequests(), [])
  }

  private func hear(
    _ one: UInt64, _ services: [UInt32] = [], soliciting solicited: [UInt32] = [], data: [UInt8]? = nil,
    _ kind: AdvertisingPDU.Kind = .connectable
  ) {
    var fields = RollcallWire.AdvertisedFields()
    fields.services = services.map { BluetoothUUID(short: $0) }
    fields.solicitedServices = solicited.map { BluetoothUUID(short: $0) }
    fields.manufacturerData = data.map { [$0] } ?? []
    hear(AdvertisingPDU.bytes(kind, from: address(one), data: fields.bytes))
  }

  private func hear(_ bytes: [UInt8], channel: UInt8 = 37) {
    phone.hear(RadioPDU(channel: channel, strength: -50, accessAddress: 0x8E89_BED6, bytes: bytes))
  }

  /// The scan and the peripheral of each event since the last call.
  private func told() -> [String] {
    discoveries().map { found in
      let one = (0..<9).first { phone.identifier(of: address($0)) == found.identifier }
      return "\(found.scan): \(one ?? 99)"
    }
  }

  private func discoveries() -> [Discovery] {
    let events = door.events.withLock { events in
      defer { events = [] }
      return events
    }
    return events.compactMap { if case .discovered(let discovery) = $0 { discovery } else { nil } }
  }

  @Test func `a scan wants any of its services, and everything without a list or with an empty one (CB-12)`() {
    func hearAll() {
      hear(1, [0x180D])
      hear(2, [0x180F, 0x180A])
      hear(3, [0x1812])
      hear(4)
    }
    scan()
    hearAll()
    expectEqual(told(), ["1: 1", "1: 2", "1: 3", "1: 4"])
    scan(2, [0x180D, 0x180A])
    hearAll()
    expectEqual(told(), ["2: 1", "2: 2"])
    // The door hands an empty list over as none.
    let queue = DispatchQueue(label: "empty")
    let manager = PhoneLink.$current.withValue(phone) { CBCentralManager(delegate: nil, queue: queue) }
    phone.tellState(isOn: true, since: .zero)
    phone.queues.drain()
    manager.scanForPeripherals(withServices: [])
    _ = phone.takeRequests()
    expectEqual(
      phone.state.withLock { $0.scans.map(\.request.services) }, [[0x180D, 0x180A].map { AttributeUUID($0) }, nil])
  }

  @Test func `with duplicates allowed each packet is an event, else each peripheral (CB-15)`() {
    scan(duplicates: true)
    for _ in 0..<100 { hear(1, [0x180D]) }
    expectEqual(told(), [String](repeating: "1: 1", count: 100))
    scan(2)
    for _ in 0..<100 { hear(1, [0x180D]) }
    expectEqual(told(), ["2: 1"])
  }

  @Test func `another scan has its own filter and options, and tells of each peripheral anew (CB-17)`() {
    scan(1, [0x180D], duplicates: true)
    for one: UInt64 in [1, 1, 2] { hear(one, one == 1 ? [0x180D] : [0x180F]) }
    expectEqual(told(), ["1: 1", "1: 1"])
    scan(2, [0x180F, 0x180D])
    for one: UInt64 in [1, 1, 2, 2] { hear(one, one == 1 ? [0x180D] : [0x180F]) }
    expectEqual(told(), ["2: 1", "2: 2"])
  }

  @Test func `a peripheral that solicits a service is told of to who asks for that (CB-18)`() {
    scan(1, [0x180D])
    hear(1, soliciting: [0x180F])
    expectEqual(told(), [])
    scan(2, [0x180D], soliciting: [0x180F])
    hear(1, soliciting: [0x180F])
    hear(2, soliciting: [0x180D])
    hear(3, [0x180F])
    expectEqual(told(), ["2: 1"])
  }

  @Test func `in the background options are ignored, and a peripheral is told of once until it was connected (CB-19)`()
  {
    phone.setBackground(true)
    scan()
    hear(1, [0x180D])
    expectEqual(told(), [])
    scan(2, [0x180D], soliciting: [0x180F], duplicates: true)
    for _ in 0..<3 { hear(1, [0x180D]) }
    hear(2, soliciting: [0x180F])
    expectEqual(told(), ["2: 1"])
    scan(3, [0x180D])
    hear(1, [0x180D])
    expectEqual(told(), [])
    phone.perform(.connect(phone.identifier(of: address(1)), link: 1, ConnectOptions()), for: number)
    expectEqual(phone.takeRequests(), [CentralCommand(address(1), .connect)])
    for event in [PeripheralReport.Event.connected, .disconnected(.closedByPeer)] {
      phone.take(.peripheral(PeripheralReport("ble:" + address(1).description, event)), at: .zero)
    }
    hear(1, [0x180D])
    expectEqual(told(), ["3: 1"])
    phone.setBackground(false)
    scan(4)
    hear(2)
    expectEqual(told(), ["4: 2"])
  }

  @Test func `services in the overflow area show to scans that name them, false ones too (CB-24)`() {
    let area = OverflowArea([BluetoothUUID(short: 0x180D)]).bytes
    func overflowing() -> [[AttributeUUID]] { discoveries().map(\.advertisement.overflowServices) }
    scan(1, [0x180F])
    hear(1, data: area)
    expectEqual(overflowing(), [])
    scan(2, [0x180F, 0x180D])
    hear(1, data: area)
    expectEqual(overflowing(), [[AttributeUUID(0x180D)]])
    // The sum does not know the order of bytes.
    scan(3, [0x0D18])
    hear(1, data: area)
    expectEqual(overflowing(), [[AttributeUUID(0x0D18)]])
    // Of two areas, for which there is room in an extended advertisement, the first one counts.
    var fields = RollcallWire.AdvertisedFields()
    fields.manufacturerData = [OverflowArea([BluetoothUUID(short: 0x180A)]).bytes, area]
    scan(4, [0x180D, 0x180A])
    hear(
      AdvertisingPDU.extendedBytes(from: address(1), mode: 1, dataInfo: 1, data: fields.bytes), channel: 10)
    expectEqual(overflowing(), [[AttributeUUID(0x180A)]])
    // Who names nothing is told of the packet, and of no service; the area is no data of a manufacturer.
    scan(5)
    hear(1, data: area)
    let found = discoveries()
    expectEqual(found.map(\.advertisement.overflowServices), [[]])
    expectEqual(found.map(\.advertisement.manufacturerData), [nil])
  }

  // MARK: - Connections

  /// The phone has heard of these.
  private func know(_ addresses: [RadioAddress]) {
    for address in addresses {
      let identifier = phone.identifier(of: address)
      phone.state.withLock { $0.addresses[identifier] = address }
    }
  }

  @Test func `attempts begin when their delay is over and not before, in the order of addresses (CB-43)`() {
    // A public and a random address may have the same bits.
    let addresses: [RadioAddress] = (1...6 as ClosedRange<UInt64>).flatMap { bits in
      [RadioAddress(bits: bits, isRandom: false), RadioAddress(bits: bits, isRandom: true)]
    }
    know(addresses)
    var options = ConnectOptions()
    options.startDelay = 10
    for (place, address) in addresses.reversed().enumerated() {
      phone.perform(.connect(phone.identifier(of: address), link: place + 1, options), for: number)
    }
    func requests(at time: Instant) -> [CentralCommand] {
      phone.state.withLock { $0.now = time }
      return phone.takeRequests()
    }
    let due: Instant = .zero + .seconds(10)
    expectEqual(requests(at: .zero), [])
    expectEqual(phone.state.withLock { phone.nextStart($0) }, due)
    expectEqual(requests(at: due - .nanoseconds(1)), [])
    expectEqual(requests(at: due), addresses.map { CentralCommand($0, .connect) })
    expectEqual(phone.state.withLock { phone.nextStart($0) }, .never)
  }

  @Test func `a connection that cannot be is told at once, and a delay without an end is none that is over`() {
    know([address(1)])
    let known = phone.identifier(of: address(1))
    var (paired, late, early) = (ConnectOptions(), ConnectOptions(), ConnectOptions())
    (paired.requiresANCS, late.startDelay, early.startDelay) = (true, .infinity, -1)
    phone.perform(.connect(phone.identifier(of: address(2)), link: 1, ConnectOptions()), for: number)
    phone.perform(.connect(known, link: 2, paired), for: number)
    phone.perform(.connect(known, link: 3, late), for: number)
    expectEqual(phone.takeRequests(), [])
    let failures = door.events.withLock { events in
      events.compactMap { event -> String? in
        guard case .failedToConnect(_, let link, .bluetooth(let code)) = event else { return nil }
        return "\(link) \(code)"
      }
    }
    expectEqual(failures, ["1 unknownDevice", "2 operationNotSupported"])
    phone.perform(.connect(known, link: 4, early), for: number)
    expectEqual(phone.takeRequests(), [CentralCommand(address(1), .connect)])
  }

  @Test func `each write without response takes room, and half of all room is told to each who had none (CB-58)`() {
    let (one, other) = (address(1), address(2))
    know([one, other])
    phone.state.withLock { $0.rooms = [one: 2, other: 1] }
    let identifier = phone.identifier(of: one)
    func write(to address: RadioAddress) {
      phone.perform(.write(phone.identifier(of: address), 5, [7], withResponse: false), for: number)
    }
    #expect(phone.hasRoomToWrite(identifier, for: number))
    write(to: other)
    write(to: one)
    #expect(phone.hasRoomToWrite(identifier, for: number))
    write(to: one)
    #expect(!phone.hasRoomToWrite(identifier, for: number))
    // This one is lost.
    write(to: one)
    let written = CentralCommand.Request.write(.handle(5), [7], withResponse: false)
    expectEqual(phone.takeRequests(), [other, one, one].map { CentralCommand($0, written) })
    let second = Door()
    let secondNumber = phone.attach(second, as: ManagerSetup())
    #expect(!phone.hasRoomToWrite(identifier, for: secondNumber))
    func ready(room: Int) -> [Int] {
      phone.state.withLock { $0.rooms[one] = room }
      phone.look(at: [])
      return [door, second].map { door in
        door.events.withLock { events -> Int in
          defer { events = [] }
          return events.count { if case .readyToWrite(identifier) = $0 { true } else { false } }
        }
      }
    }
    expectEqual(ready(room: LinkSize.framesMaximum / 2 - 1), [0, 0])
    expectEqual(ready(room: LinkSize.framesMaximum / 2), [1, 1])
    expectEqual(ready(room: LinkSize.framesMaximum), [0, 0])
  }

  // MARK: - Responses

  @Test func `a response is one event more with all that was said, and with duplicates a packet says its own`() {
    func services(_ discovery: Discovery) -> [AttributeUUID] { discovery.advertisement.services }
    let (first, second) = (AttributeUUID(0x180D), AttributeUUID(0x180F))
    scan()
    for _ in 0..<2 {
      hear(1, [0x180D])
      hear(1, [0x180F], .scanResponse)
    }
    // Of this one the response comes first.
    hear(2, [0x180F], .scanResponse)
    hear(2, [0x180D], .nonconnectable)
    var found = discoveries()
    expectEqual(found.map(services), [[first], [first, second], [second]])
    expectEqual(found.map(\.advertisement.isConnectable), [true, true, nil])
    scan(2, duplicates: true)
    hear(1, [0x180D])
    hear(1, [0x180F], .scanResponse)
    hear(2, [0x180D], .nonconnectable)
    found = discoveries()
    expectEqual(found.map(services), [[first], [first, second], [first]])
    expectEqual(found.map(\.advertisement.isConnectable), [true, true, false])
    // What was said before the scan counts in its first event.
    for service: UInt32 in [0x180D, 0x180F] {
      if service == 0x180F { scan(3) }
      hear(4, [service])
    }
    expectEqual(discoveries().map(services), [[first], [first, second]])
    // A strength that the radio does not know.
    phone.hear(
      RadioPDU(
        channel: 37, strength: nil, accessAddress: 0x8E89_BED6,
        bytes: AdvertisingPDU.bytes(.connectable, from: address(3), data: [])))
    expectEqual(discoveries().map(\.strength), [127])
  }

  @Test func `a response that was told of stays told, whatever is told of in the background after a connection`() {
    func response() { hear(1, [0x180F], .scanResponse) }
    scan(1, [0x180D])
    hear(1, [0x180D])
    response()
    expectEqual(told(), ["1: 1", "1: 1"])
    phone.perform(.connect(phone.identifier(of: address(1)), link: 1, ConnectOptions()), for: number)
    expectEqual(phone.takeRequests(), [CentralCommand(address(1), .connect)])
    phone.setBackground(true)
    for event in [PeripheralReport.Event.connected, .disconnected(.closedByPeer)] {
      phone.take(.peripheral(PeripheralReport("ble:" + address(1).description, event)), at: .zero)
    }
    hear(1, [0x180D])
    expectEqual(told(), ["1: 1"])
    phone.setBackground(false)
    response()
    expectEqual(told(), [])
  }

  @Test func `a phone knows 65,536 peripherals, and is told of no further ones`() {
    let known = address(9)
    phone.state.withLock { state in
      for one in 0..<65_535 as Range<UInt32> {
        let (high, low) = (UInt8(one >> 8), UInt8(one & 0xFF))
        state.addresses[UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, high, low))] = known
      }
    }
    scan(duplicates: true)
    for one: UInt64 in [1, 2, 1, 2] { hear(one) }
    expectEqual(told(), ["1: 1", "1: 1"])
  }
}
