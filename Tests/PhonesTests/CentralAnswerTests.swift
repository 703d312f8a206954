import CoreBluetooth
import Foundation
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallPhones

/// What a phone tells its central managers of attributes, call by call.
@Suite("Answers for central managers, call by call") struct CentralAnswerTests {
  /// Two managers with links to the first of two peripherals; the first manager has two.
  private func linked() -> (PhoneRig, ManagerNumber, ManagerNumber) {
    var rig = PhoneRig("Strap", "Lamp")
    let (first, second) = (rig.attach(), rig.attach())
    rig.connect(first, 1, link: 1)
    rig.connect(first, 1, link: 2)
    rig.connect(second, 1, link: 1)
    expectEqual(rig.commands(), [CentralCommand(PhoneRig.address(1), .connect)])
    rig.report(1, .connected)
    expectEqual(rig.told(), [["1 connected, link 1", "1 connected, link 2"], ["1 connected, link 1"]])
    return (rig, first, second)
  }

  private func commands(_ requests: CentralCommand.Request...) -> [CentralCommand] {
    requests.map { CentralCommand(PhoneRig.address(1), $0) }
  }

  @Test func `each answer goes to the manager that asked for it, though another asked for something else before`() {
    let (rig, first, second) = linked()
    let strap = rig.identifier(1)
    // Nobody knows this one.
    rig.ask(first, .read(rig.identifier(3), 11), .read(strap, 11))
    expectEqual(rig.commands(), commands(.read(.handle(11))))
    rig.ask(
      second, .discoverServices(strap, [AttributeUUID(0x180D)]),
      .discoverIncludedServices(strap, service: 10...20, nil), .discoverCharacteristics(strap, service: 10...20, nil),
      .discoverDescriptors(strap, characteristic: 12), .read(strap, 12), .write(strap, 14, [7], withResponse: true),
      .subscribe(strap, characteristic: 12, .notifications), .readStrength(strap), .readStrength(strap))
    expectEqual(
      rig.commands(),
      commands(
        .services([BluetoothUUID(short: 0x180D)]), .includedServices(service: 10), .characteristics(service: 10, []),
        .descriptors(characteristic: 12), .read(.handle(12)), .write(.handle(14), [7], withResponse: true),
        .notify(.handle(12), true), .readStrength, .readStrength))
    rig.report(
      1, .strength(nil), .notifying(handle: 12, true), .written(handle: 14), .strength(-60),
      .value(handle: 12, nil, [1, 2], .read),
      .descriptors(characteristic: 12, [GATTDescriptor(BluetoothUUID(short: 0x2902), 13)]),
      .characteristics(service: 10, [GATTCharacteristic(BluetoothUUID(short: 0x2A37), 12, [.read, .notify])]),
      .includedServices(service: 10, [GATTService(BluetoothUUID(short: 0x180F), 30...35, isPrimary: false)]),
      .services([GATTService(BluetoothUUID(short: 0x180D), 10...20)]))
    expectEqual(
      rig.told(),
      [
        [],
        [
          "1 strength 127", "1 notifying 12 true -", "1 written 14 -", "1 strength -60", "1 value 12 [1, 2]",
          "1 descriptors of 12 2902 at 13", "1 characteristics of 10 2A37 at 12 offers 18",
          "1 included in 10 180F 30-35 secondary", "1 services 180D 10-20",
        ],
      ])
    rig.report(1, .value(handle: 11, nil, [5], .read))
    expectEqual(rig.told(), [["1 value 11 [5]"], []])
  }

  @Test func `each failure is told to who asked for that, of that attribute if it names one`() {
    let (rig, first, second) = linked()
    let strap = rig.identifier(1)
    rig.ask(first, .read(strap, 11), .discoverCharacteristics(strap, service: 10...20, nil))
    _ = rig.commands()
    rig.ask(
      second, .read(strap, 12), .write(strap, 12, [7], withResponse: true),
      .subscribe(strap, characteristic: 12, .notifications), .subscribe(strap, characteristic: 14, .off),
      .readStrength(strap), .discoverIncludedServices(strap, service: 30...40, nil),
      .discoverDescriptors(strap, characteristic: 12), .discoverServices(strap, nil))
    _ = rig.commands()
    rig.report(
      1, .failed(GATTFailure(.write, .refused, .handle(12), error: 3)),
      .failed(GATTFailure(.notify, .notOffered, .handle(12))), .failed(GATTFailure(.notify, .tooLong, .handle(14))),
      .failed(GATTFailure(.read, .timedOut, .handle(12))), .failed(GATTFailure(.strength, .tooMany)),
      .failed(GATTFailure(.discover, .unknownAttribute, .handle(30))),
      .failed(GATTFailure(.discover, .disconnected, .handle(12))))
    expectEqual(
      rig.told(),
      [
        [],
        [
          "1 written 12 att 3", "1 notifying 12 false att 6", "1 notifying 14 true att 13",
          "1 value 12 connectionTimeout", "1 strength unknown", "1 included in 30 invalidHandle",
          "1 descriptors of 12 notConnected",
        ],
      ])
    // Without an attribute it is the question of this kind that waits longest.
    let failure = PeripheralReport.Event.failed(GATTFailure(.discover, .disconnected))
    rig.report(1, failure)
    expectEqual(rig.told(), [["1 characteristics of 10 notConnected"], []])
    rig.report(1, failure, failure)
    expectEqual(rig.told(), [[], ["1 services notConnected"]])
  }

  @Test func `what a peripheral says by itself is told once to each manager, and void services are forgotten`() {
    let (rig, _, _) = linked()
    let heart = GATTService(BluetoothUUID(short: 0x180D), 10...20)
    let battery = GATTService(BluetoothUUID(short: 0x180F), 30...40)
    rig.report(
      1, .services([heart, battery]), .value(handle: 12, nil, [7], .notification), .servicesChanged(25...30))
    let lines = ["1 value 12 [7]", "1 modified [30]"]
    expectEqual(rig.told(), [lines, lines])
    func count(_ services: [UInt16]?) -> Int {
      rig.phone.connected(withAnyOf: services?.map { AttributeUUID($0) }, to: ManagerNumber(1)).count
    }
    expectEqual([count(nil), count([0x180D]), count([0x180F])], [1, 1, 0])
  }

  @Test func `services and characteristics add up, and those that notify are the last word, for who restores them`() {
    var rig = PhoneRig("Strap")
    let before = rig.attach("mine")
    rig.connect(before, 1, link: 1)
    _ = rig.commands()
    func services(_ found: [(UInt32, ClosedRange<UInt16>)]) -> PeripheralReport.Event {
      .services(found.map { GATTService(BluetoothUUID(short: $0.0), $0.1) })
    }
    func characteristics(_ service: UInt16, _ found: [(UInt32, UInt16)]) -> PeripheralReport.Event {
      .characteristics(
        service: service, found.map { GATTCharacteristic(BluetoothUUID(short: $0.0), $0.1, .notify) })
    }
    rig.report(
      1, .connected, services([(0x180D, 10...20)]), services([(0x180D, 10...20), (0x180F, 30...40)]),
      services([(0x1812, 50...60)]), characteristics(10, [(0x2A37, 12), (0x2A38, 14)]),
      characteristics(10, [(0x2A38, 14), (0x2A39, 16)]), characteristics(30, [(0x2A19, 32)]))
    for (handle, isOn) in [(12, true), (16, true), (12, true), (14, true), (16, false)] as [(UInt16, Bool)] {
      rig.report(1, .notifying(handle: handle, isOn))
    }
    rig.phone.endApplications()
    _ = rig.attach("mine")
    rig.phone.tellState(isOn: true, since: .zero)
    let heart = "180D 10-20: 2A37 at 12 offers 16, 2A38 at 14 offers 16, 2A39 at 16 offers 16: [12, 14]"
    expectEqual(
      rig.told(),
      [
        ["1 connected, link 1"],
        [
          "restored scan -; 1 Strap, link 0, connected [\(heart)] [180F 30-40: 2A19 at 32 offers 16: []]"
            + " [1812 50-60: : []]",
          "state 5",
        ],
      ])
  }

  @Test func `a manager that cancels is told nothing any more of what it asked`() {
    var rig = PhoneRig("Strap")
    let manager = rig.attach()
    rig.connect(manager, 1, link: 1)
    _ = rig.commands()
    rig.report(1, .connected)
    rig.ask(manager, .read(rig.identifier(1), 12))
    _ = rig.commands()
    rig.move(to: 3)
    rig.ask(manager, .cancelConnection(rig.identifier(1), link: 1))
    expectEqual(rig.commands(), commands(.disconnect))
    rig.report(1, .failed(GATTFailure(.read, .disconnected, .handle(12))), .disconnected(.closed))
    expectEqual(rig.told(), [["1 connected, link 1", "1 disconnected, link 1, -, at 103.0"]])
  }
}
