import CoreBluetooth
import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Synchronization
import Testing

@testable import RollcallPhones

/// What goes with a manager, and what stays of it, call by call.
@Suite("The end of managers, call by call") struct ManagerEndTests {
  /// The managers of scans that go on.
  private func scanning(_ rig: PhoneRig) -> [ManagerNumber] { rig.phone.state.withLock { $0.scans.map(\.manager) } }

  private func scan(_ number: Int, _ service: UInt16) -> PhoneRequest {
    .startScan(ScanRequest(number: number, services: [AttributeUUID(service)]))
  }

  @Test func `managers of both kinds are numbered from 1, and what one asks ends nothing of another one`() {
    var rig = PhoneRig()
    let (first, second) = (rig.attach(), rig.attachRole())
    let (third, fourth) = (rig.attach(), rig.attachRole())
    expectEqual([first, second, third, fourth].map(\.value), [1, 2, 3, 4])
    for manager in [first, third] { rig.ask(manager, scan(1, 0x180D)) }
    expectEqual(rig.commands(), [])
    rig.ask(first, .stopScan(2))
    rig.ask(third, .stopScan(1))
    expectEqual(rig.commands(), [])
    expectEqual(scanning(rig), [first])

    func published() -> [[Int]] {
      rig.phone.state.withLock { $0.side.published.map { [$0.manager.value, Int($0.service.handles.lowerBound)] } }
    }
    func ask(_ manager: ManagerNumber, _ requests: PeripheralRoleRequest...) -> [RadioEffect] {
      for request in requests { rig.phone.perform(request, for: manager) }
      return rig.phone.takeRoleRequests().effects
    }
    for manager in [second, fourth] {
      for handle: UInt16 in [1, 2] {
        _ = ask(manager, .publish(PublishedService(handles: handle...handle, uuid: AttributeUUID(0x180D))))
      }
      _ = ask(manager, .advertise(AdvertisedIdentity(localName: "x")))
    }
    expectEqual(published(), [[2, 1], [2, 2], [4, 1], [4, 2]])
    expectEqual(ask(second, .withdraw(1)), [])
    expectEqual(published(), [[2, 2], [4, 1], [4, 2]])
    expectEqual(ask(fourth, .withdrawAll, .stopAdvertising), [.stopAdvertising(set: 4)])
    expectEqual(published(), [[2, 2]])
  }

  @Test func `a manager that detaches takes its scan, links and advertising along, and its door hears no more`() {
    var rig = PhoneRig("Strap")
    let (first, second) = (rig.attach(), rig.attach())
    let (third, fourth) = (rig.attachRole(), rig.attachRole())
    rig.phone.tellState(isOn: true, since: .zero)
    for manager in [first, second] {
      rig.ask(manager, scan(1, 0x180D))
      rig.connect(manager, 1, link: 1)
    }
    for manager in [third, fourth] { rig.phone.perform(.advertise(AdvertisedIdentity(localName: "x")), for: manager) }
    _ = rig.commands()
    _ = rig.phone.takeRoleRequests()
    rig.report(1, .connected)
    _ = rig.told()

    rig.phone.detach(first)
    expectEqual(scanning(rig), [second])
    expectEqual(rig.commands(), [])
    rig.phone.detach(third)
    expectEqual(rig.phone.takeRoleRequests().effects, [.stopAdvertising(set: 3)])
    expectEqual(rig.told(), [[], [], [], []])
    for isOn in [false, true] { rig.phone.tellState(isOn: isOn, since: .zero) }
    expectEqual(rig.told(), [[], ["state 4", "state 5"], [], ["state 4", "state 5"]])

    rig.connect(second, 1, link: 2)
    _ = rig.commands()
    rig.report(1, .connected)
    rig.phone.detach(second)
    expectEqual(rig.commands(), [CentralCommand(PhoneRig.address(1), .disconnect)])
  }

  @Test func `what managers of ended applications had goes on for who has their identifier and kind, else it ends`() {
    var rig = PhoneRig("Strap", "Lamp", "Lock")
    let (mine, nameless, yours) = (rig.attach("mine"), rig.attach(), rig.attach("yours"))
    let role = rig.attachRole("mine")
    for (place, manager) in [mine, nameless, yours].enumerated() { rig.ask(manager, scan(7 + place, 0x180F)) }
    rig.connect(mine, 1, link: 5)
    rig.connect(mine, 2, link: 6)
    rig.connect(nameless, 1, link: 1)
    rig.phone.perform(.advertise(AdvertisedIdentity(localName: "Role")), for: role)
    _ = rig.commands()
    _ = rig.phone.takeRoleRequests()
    rig.report(1, .connected)
    _ = rig.told()
    // Nobody is left who asked that.
    rig.phone.perform(.stopAdvertising, for: role)

    rig.phone.endApplications()
    expectEqual(scanning(rig), [mine, yours])
    expectEqual(rig.commands(), [])
    let work = rig.phone.takeRoleRequests()
    #expect(!work.isBusy && work.effects.isEmpty)
    let (stranger, after, again) = (rig.attach(), rig.attach("mine"), rig.attachRole("mine"))
    // The objects of before may go late: what was kept is not theirs any more.
    for manager in [mine, role, yours] { rig.phone.detach(manager) }
    expectEqual(scanning(rig), [mine, yours])
    rig.phone.tellState(isOn: true, since: .zero)
    expectEqual(scanning(rig), [after, yours])
    expectEqual(
      rig.told().dropFirst(4),
      [
        ["state 5"],
        [#"restored scan 0 for ["180F"]; 1 Strap, link 0, connected; 2 Lamp, link -1, pending"#, "state 5"],
        ["restored [], Role", "state 5"],
      ])
    expectEqual(rig.phone.state.withLock { $0.side.adverts.map(\.manager) }, [again])

    // It had a part in the link, so that it is no other application's to it.
    for manager in [stranger, after] {
      rig.ask(manager, .registerForConnectionEvents(services: nil, peripherals: [rig.identifier(1)]))
    }
    expectEqual(rig.commands(), [])
    rig.report(1, .disconnected(.closedByPeer), at: 3)
    expectEqual(
      rig.told().dropFirst(4),
      [["1 Strap is disconnected"], ["1 disconnected, link 0, peripheralDisconnected, at 103.0"], []])
    var fields = RollcallWire.AdvertisedFields()
    fields.services = [BluetoothUUID(short: 0x180F)]
    rig.phone.hear(
      RadioPDU(
        channel: 37, strength: -50, accessAddress: 0x8E89_BED6,
        bytes: AdvertisingPDU.bytes(.connectable, from: PhoneRig.address(3), data: fields.bytes)))
    expectEqual(rig.told().dropFirst(4), [[], ["scan 0: 3"], []])
  }

  @Test func `of two managers with one identifier the later one is kept, and given to the first that comes after`() {
    var rig = PhoneRig("Strap", "Lamp")
    let (first, second) = (rig.attach("twin"), rig.attach("twin"))
    rig.ask(first, scan(1, 0x180D))
    rig.ask(second, scan(1, 0x1812))
    rig.connect(first, 1, link: 1)
    rig.connect(second, 2, link: 1)
    expectEqual(rig.commands(), [1, 2].map { CentralCommand(PhoneRig.address($0), .connect) })
    rig.phone.endApplications()
    // Nothing of the earlier one goes on.
    expectEqual(scanning(rig), [second])
    expectEqual(rig.commands(), [CentralCommand(PhoneRig.address(1), .disconnect)])
    for _ in 0..<2 { _ = rig.attach("twin") }
    rig.phone.tellState(isOn: true, since: .zero)
    expectEqual(
      rig.told(), [[], [], [#"restored scan 0 for ["1812"]; 2 Lamp, link 0, pending"#, "state 5"], ["state 5"]])
  }

  @Test func `the answer to a question of an ended application is given to no later manager that asks the same`() {
    var rig = PhoneRig("Strap")
    let before = rig.attach("mine")
    rig.connect(before, 1, link: 1)
    _ = rig.commands()
    rig.report(1, .connected)
    rig.ask(before, .readStrength(rig.identifier(1)))
    _ = rig.commands()
    rig.phone.endApplications()
    let after = rig.attach("mine")
    rig.phone.tellState(isOn: true, since: .zero)
    rig.ask(after, .readStrength(rig.identifier(1)))
    expectEqual(rig.commands(), [CentralCommand(PhoneRig.address(1), .readStrength)])
    _ = rig.told()
    rig.report(1, .strength(-40))
    expectEqual(rig.told(), [[], []])
    rig.report(1, .strength(-50))
    expectEqual(rig.told(), [[], ["1 strength -50"]])
  }
}
