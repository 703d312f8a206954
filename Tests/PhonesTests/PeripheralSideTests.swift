import CoreBluetooth
import Foundation
import RollcallDevices
import RollcallDoors
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallPhones

/// A phone as a peripheral without a world around it: what its radio is to do, and what its managers are told.
@Suite("A phone as a peripheral, call by call") struct PeripheralSideTests {
  private final class Door: PeripheralRoleDoor {
    let lines = Guarded<[String]>([])

    func push(_ event: PeripheralRoleEvent) {
      let line =
        switch event {
        case .state(let state): "state \(state.rawValue)"
        case .willRestore(let services, let identity):
          "restored \(services.map(\.handles.lowerBound)), \(identity?.localName ?? "-")"
        case .published(let handle, let error): "published \(handle), \(error == nil)"
        case .advertising(let error): "advertising, \(error == nil)"
        case .subscribed(let central, let handle): "subscribed \(handle), up to \(central.maximumUpdateLength)"
        case .unsubscribed(_, let handle): "unsubscribed \(handle)"
        case .read(let number, _, let handle, let offset): "read \(number): \(handle) from \(offset)"
        case .write(let number, _, let parts): "write \(number): \(parts.map(\.characteristic))"
        case .readyToUpdate: "ready"
        }
      lines.withLock { $0.append(line) }
    }
  }

  private static let address = RadioAddress(bits: 0xC000_0000_0000, isRandom: true)

  /// The side with three managers.
  private struct Rig {
    var side = PeripheralSide(name: "phone", address: PeripheralSideTests.address)
    let doors = [Door(), Door(), Door()]

    init() {
      for (place, door) in doors.enumerated() { side.doors.append((ManagerNumber(place + 1), door, nil)) }
    }

    mutating func receive(_ pdu: AttributePDU, on link: LinkID) {
      side.received(ChannelFrame.bytes(.attributes, pdu.bytes), link, at: .zero)
    }

    /// What the radio is to do, since the last call.
    mutating func effects() -> [RadioEffect] {
      defer { side.effects = [] }
      return side.effects
    }

    /// What managers were told, since the last call.
    func told() -> [[String]] { doors.map { $0.lines.takeAll() } }
  }

  private let first = ManagerNumber(1)
  private let second = ManagerNumber(2)
  private let third = ManagerNumber(3)
  private let link = LinkID(900)
  private let other = LinkID(901)
  private let ada = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
  private let ben = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2))

  /// Four attributes: the service, a characteristic, its value, which is asked for and sent, and who subscribes to it.
  private func service(_ uuid: UInt16) -> PublishedService {
    let characteristic = PublishedCharacteristic(
      handle: 3, uuid: AttributeUUID(0x2A37), properties: [.read, .notify], permissions: .readable, subscription: 4)
    return PublishedService(handles: 1...4, uuid: AttributeUUID(uuid), characteristics: [characteristic])
  }

  private func sent(_ pdu: AttributePDU, on link: LinkID) -> RadioEffect {
    .link(link, .send(ChannelFrame.bytes(.attributes, pdu.bytes)))
  }

  /// An advertisement with flags and a name; without a name if there is none.
  private func advert(_ set: UInt8, _ name: String, every interval: Interval = .milliseconds(100)) -> RadioEffect {
    let field: [UInt8] = name.isEmpty ? [] : [UInt8(name.utf8.count + 1), 9] + Array(name.utf8)
    let pdu = AdvertisingPDU.bytes(.connectable, from: PeripheralSideTests.address, data: [2, 1, 6] + field)
    return .advertise(set: set, every: interval, pdu: pdu, response: [])
  }

  @Test("services follow each other, include one of their own manager, and a subscribed central is told of changes")
  func services() {
    var rig = Rig()
    expectEqual(rig.side.table.characteristics.map(\.value), [Array("phone".utf8), [0x40, 0], [0, 0, 0, 0]])
    rig.side.connected(link, ada)
    // Service Changed is the fourth attribute of the second service.
    rig.receive(.writeRequest(handle: 9, value: [2, 0]), on: link)
    expectEqual(rig.effects(), [sent(.writeResponse, on: link)])
    let includer = PublishedService(handles: 5...6, uuid: AttributeUUID(0x1812), included: [1])
    let all: [(ManagerNumber, PublishedService, UInt8, UInt8)] = [
      (first, service(0x180D), 10, 13), (second, service(0x180F), 14, 17), (second, includer, 18, 19),
    ]
    for (manager, one, start, end) in all {
      rig.side.publish(one, manager)
      expectEqual(rig.effects(), [sent(.handleValueIndication(handle: 8, value: [start, 0, end, 0]), on: link)])
      rig.receive(.handleValueConfirmation, on: link)
    }
    expectEqual(rig.told(), [["published 1, true"], ["published 1, true", "published 5, true"], []])
    // That of the same manager: the range and the UUID.
    expectEqual(rig.side.table[19]?.content, .constant([14, 0, 17, 0, 0x0F, 0x18]))
    rig.side.withdraw { $0.manager == first }
    expectEqual(rig.effects(), [sent(.handleValueIndication(handle: 8, value: [10, 0, 13, 0]), on: link)])
    expectEqual([12, 16].map { rig.side.table[$0]?.content }, [nil, .value(4)])
  }

  @Test("each manager has a set of its own, which another advertisement replaces, and all are sent anew with each one")
  func advertising() {
    var rig = Rig()
    func advertise(_ name: String, _ manager: ManagerNumber) -> [RadioEffect] {
      rig.side.advertise(AdvertisedIdentity(localName: name), manager)
      return rig.effects()
    }
    func stop(_ manager: ManagerNumber) -> [RadioEffect] {
      rig.side.stopAdvertising(manager)
      return rig.effects()
    }
    expectEqual(advertise("One", first), [advert(1, "One")])
    expectEqual(advertise("Two", second), [advert(1, "One"), advert(2, "Two")])
    expectEqual(advertise("Uno", first), [.stopAdvertising(set: 1), advert(2, "Two"), advert(1, "Uno")])
    expectEqual(stop(first), [.stopAdvertising(set: 1)])
    expectEqual(stop(first), [])
    expectEqual(rig.told(), [["advertising, true", "advertising, true"], ["advertising, true"], []])
    // In the background without a name, and more seldom.
    rig.side.isInBackground = true
    rig.side.advertise()
    expectEqual(rig.effects(), [advert(2, "", every: .seconds(1))])
    // The set that was connected to has ended.
    rig.side.connected(link, ada)
    expectEqual(rig.effects(), [advert(2, "", every: .seconds(1))])
    rig.side.stop(forgetsServices: false)
    expectEqual(rig.effects(), [.stopAdvertising(set: 2), .link(link, .end)])
  }

  @Test("another manager takes over services and advertising of one that was kept, whose questions are void")
  func restored() {
    var rig = Rig()
    for manager in [first, second] {
      rig.side.publish(service(0x180D), manager)
      rig.side.advertise(AdvertisedIdentity(localName: "\(manager.value)"), manager)
    }
    rig.side.connected(link, ada)
    for handle in [12, 16] as [UInt16] { rig.receive(.readRequest(handle: handle), on: link) }
    expectEqual(
      rig.told(),
      [
        ["published 1, true", "advertising, true", "read 1: 3 from 0"],
        ["published 1, true", "advertising, true", "read 2: 3 from 0"], [],
      ])
    _ = rig.effects()
    rig.side.restore(first, as: third)
    expectEqual(rig.effects(), [.stopAdvertising(set: 1), advert(2, "2"), advert(3, "1")])
    expectEqual(rig.told(), [[], [], ["restored [1], 1"]])
    expectEqual(rig.side.published.map(\.manager), [third, second])
    expectEqual(rig.side.asked.map(\.number), [2])
  }

  @Test("the end of a connection takes along its subscriptions and questions, and those of another one stay")
  func ends() {
    var rig = Rig()
    rig.side.publish(service(0x180D), first)
    for (number, central) in [(link, ada), (other, ben)] {
      rig.side.connected(number, central)
      rig.receive(.writeRequest(handle: 13, value: [1, 0]), on: number)
      rig.receive(.readRequest(handle: 12), on: number)
    }
    expectEqual(
      rig.told()[0],
      [
        "published 1, true", "subscribed 3, up to 20", "read 1: 3 from 0", "subscribed 3, up to 20", "read 2: 3 from 0",
      ])
    rig.side.ended(link, isTold: true)
    expectEqual(rig.told()[0], ["unsubscribed 3"])
    expectEqual(rig.side.links.map(\.number), [other])
    expectEqual(rig.side.asked.map(\.number), [2])
    _ = rig.effects()
    for number in 1...2 { rig.side.respond(number, 0, [7]) }
    expectEqual(rig.effects(), [sent(.readResponse(value: [7]), on: other)])
  }

  @Test("values are kept while there is room for them, and a manager that found none is told when there is")
  func room() {
    var rig = Rig()
    for manager in [first, second] {
      rig.side.publish(service(0x180D), manager)
      rig.side.advertise(AdvertisedIdentity(localName: "x"), manager)
    }
    for (number, central) in [(link, ada), (other, ben)] { rig.side.connected(number, central) }
    // Ben subscribes to nothing.
    for handle in [13, 17] as [UInt16] { rig.receive(.writeRequest(handle: handle, value: [1, 0]), on: link) }
    _ = (rig.effects(), rig.told())
    func reserved() -> [Int] { rig.side.links.map(\.reserved) }
    // Nobody published that, so nobody waits for it.
    var isKept = rig.side.reserve(9, nil, first)
    expectEqual(isKept, true)
    // To all, to all of the other manager, to who did not subscribe, to who did.
    let updates: [(ManagerNumber, [UUID]?, UInt16?)] = [
      (first, nil, 12), (second, nil, 16), (first, [ben], nil), (first, [ada], 12),
    ]
    for (manager, centrals, handle) in updates {
      rig.side.update(3, [5], centrals, manager)
      expectEqual(
        rig.effects(), handle.map { [sent(.handleValueNotification(handle: $0, value: [5]), on: link)] } ?? [])
      expectEqual(reserved(), [0, 0])
    }
    // Of 32 frames five are under way, and two places stay free.
    let keptCount = (0..<40).count { _ in rig.side.reserve(3, nil, first) }
    expectEqual(keptCount, 25)
    expectEqual(reserved(), [25, 0])
    isKept = rig.side.reserve(3, nil, second)
    expectEqual(isKept, false)
    rig.side.update(3, [5], nil, first)
    expectEqual(reserved(), [24, 0])
    _ = rig.effects()
    rig.side.detach(first)
    expectEqual(rig.effects(), [.stopAdvertising(set: 1)])
    expectEqual(rig.side.published.map(\.manager), [second])
    rig.side.acknowledged(1, link)
    expectEqual(rig.told(), [[], ["ready"], []])
  }

  @Test("what a central is asked for has numbers from 1 to 255, and again from 1")
  func latencies() {
    var rig = Rig()
    rig.side.connected(link, ada)
    for _ in 0..<256 {
      for central in [ada, ben] { rig.side.desire(.low, of: central) }
      rig.side.acknowledged(1, link)
    }
    let numbers = (1...255).map { UInt8($0) } + [1]
    let expected = numbers.map { number -> RadioEffect in
      let command = SignallingCommand.parameterRequest(number: number, DesiredLatency.request(.low))
      return .link(link, .send(ChannelFrame.bytes(.signalling, command.bytes)))
    }
    expectEqual(rig.effects(), expected)
  }
}
