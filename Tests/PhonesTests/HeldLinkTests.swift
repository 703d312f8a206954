import CoreBluetooth
import Foundation
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallDiscovery
@testable import RollcallPhones

/// The one link of the radio and the managers that hold it, call by call.
@Suite("Links that managers hold, call by call") struct HeldLinkTests {
  private func connect(_ one: UInt64) -> CentralCommand { CentralCommand(PhoneRig.address(one), .connect) }
  private func disconnect(_ one: UInt64) -> CentralCommand { CentralCommand(PhoneRig.address(one), .disconnect) }

  @Test func `attempts begin in the order in which they were asked for, those with a delay when that is over`() {
    var rig = PhoneRig("Strap", "Lamp", "Lock")
    let manager = rig.attach()
    rig.connect(manager, 3, link: 1, delay: 0.5)
    rig.connect(manager, 2, link: 2)
    rig.connect(manager, 1, link: 3)
    expectEqual(rig.commands(), [connect(2), connect(1)])
    rig.move(to: 0.5)
    expectEqual(rig.commands(), [connect(3)])
  }

  @Test func `a manager cancels its own link, even where another one has given its link the same number`() {
    var rig = PhoneRig("Strap")
    let (first, second) = (rig.attach(), rig.attach())
    for manager in [first, second] { rig.connect(manager, 1, link: 1) }
    _ = rig.commands()
    rig.report(1, .connected)
    _ = rig.told()
    rig.move(to: 3)
    rig.ask(second, .cancelConnection(rig.identifier(1), link: 1))
    expectEqual(rig.commands(), [])
    rig.report(1, .value(handle: 12, nil, [7], .notification))
    expectEqual(rig.told(), [["1 value 12 [7]"], ["1 disconnected, link 1, -, at 103.0"]])
    rig.ask(first, .cancelConnection(rig.identifier(1), link: 1))
    expectEqual(rig.commands(), [disconnect(1)])
    expectEqual(rig.told(), [["1 disconnected, link 1, -, at 103.0"], []])
  }

  @Test func `an attempt that fails is over for whose delay is over, and that of a radio that goes off for nobody`() {
    var rig = PhoneRig("Strap")
    let (first, second) = (rig.attach(), rig.attach())
    rig.connect(first, 1, link: 1)
    rig.connect(second, 1, link: 2, delay: 10)
    expectEqual(rig.commands(), [connect(1)])
    rig.report(1, .connectionFailed(.refused))
    expectEqual(rig.told(), [["1 failed, link 1, connectionLimitReached"], []])
    expectEqual(rig.commands(), [])
    rig.move(to: 10)
    expectEqual(rig.commands(), [connect(1)])
    rig.report(1, .connectionFailed(.closed))
    expectEqual(rig.told(), [[], ["1 failed, link 2, connectionFailed"]])
    rig.connect(first, 1, link: 3)
    expectEqual(rig.commands(), [connect(1)])
    rig.report(1, .connectionFailed(.radioOff))
    expectEqual(rig.told(), [[], []])
  }

  @Test func `a link that is lost is sought again before what was asked since, and its room is nobody's any more`() {
    var rig = PhoneRig("Strap", "Lamp")
    let (first, second) = (rig.attach(), rig.attach())
    rig.connect(first, 1, link: 1, reconnects: true)
    for one: UInt64 in [1, 2] { rig.connect(second, one, link: Int(one)) }
    expectEqual(rig.commands(), [connect(1), connect(2)])
    for one: UInt64 in [1, 2] { rig.report(one, .connected) }
    // There is no room where nothing is known of it, and none of a stranger.
    expectEqual([1, 2, 3].map { rig.phone.hasRoomToWrite(rig.identifier($0), for: second) }, [false, false, false])
    _ = rig.told()
    rig.report(1, .disconnected(.closedByPeer), at: 3)
    let line = "1 disconnected, link 1, peripheralDisconnected, at 103.0"
    expectEqual(rig.told(), [[line + ", reconnecting"], [line]])
    rig.ask(second, .readStrength(rig.identifier(2)))
    expectEqual(rig.commands(), [connect(1), CentralCommand(PhoneRig.address(2), .readStrength)])
    rig.phone.look(
      at: [1, 2].map { CentralLink(peripheral: PhoneRig.address($0), mtu: 23, commandRoom: 32, ownName: nil) })
    expectEqual(rig.told(), [[], ["2 ready"]])
    // Of a radio that goes off the state tells.
    rig.report(2, .disconnected(.radioOff))
    expectEqual(rig.told(), [[], []])
  }

  @Test func `a radio that goes off ends links and attempts without a word to the engine, and who had a part is new`() {
    var rig = PhoneRig("Strap", "Lamp")
    let (first, second) = (rig.attach(), rig.attach())
    rig.phone.tellState(isOn: true, since: .zero)
    rig.ask(first, .registerForConnectionEvents(services: nil, peripherals: [rig.identifier(1)]))
    for one: UInt64 in [1, 2] { rig.connect(first, one, link: Int(one)) }
    expectEqual(rig.commands(), [connect(1), connect(2)])
    rig.report(1, .connected)
    expectEqual(rig.told(), [["state 5", "1 connected, link 1"], ["state 5"]])
    for isOn in [false, true] {
      rig.phone.tellState(isOn: isOn, since: .zero)
      let line = isOn ? "state 5" : "state 4"
      expectEqual(rig.told(), [[line], [line]])
      expectEqual(rig.commands(), [])
    }
    rig.connect(second, 1, link: 1)
    expectEqual(rig.commands(), [connect(1)])
    rig.report(1, .connected)
    expectEqual(rig.told(), [["1 Strap is connected"], ["1 connected, link 1"]])
    // An application that may no longer use it leaves a radio that is on.
    rig.phone.authorize(.denied)
    expectEqual(rig.commands(), [disconnect(1)])
    expectEqual(rig.told(), [["state 3"], ["state 3"]])
  }

  @Test func `a manager that registered is told of connections of others, and not of an attempt that is cancelled`() {
    var rig = PhoneRig("Strap")
    let (first, second) = (rig.attach(), rig.attach())
    rig.ask(first, .registerForConnectionEvents(services: nil, peripherals: [rig.identifier(1)]))
    rig.connect(second, 1, link: 1)
    rig.ask(second, .cancelConnection(rig.identifier(1), link: 1))
    expectEqual(rig.commands(), [connect(1), disconnect(1)])
    rig.report(1, .disconnected(.closed))
    expectEqual(rig.told(), [[], ["1 disconnected, link 1, -, at 100.0"]])
    rig.connect(second, 1, link: 2)
    expectEqual(rig.commands(), [connect(1)])
    rig.report(1, .connected)
    rig.ask(second, .cancelConnection(rig.identifier(1), link: 2))
    expectEqual(rig.commands(), [disconnect(1)])
    rig.report(1, .disconnected(.closed))
    expectEqual(
      rig.told(),
      [
        ["1 Strap is connected", "1 Strap is disconnected"],
        ["1 connected, link 2", "1 disconnected, link 2, -, at 100.0"],
      ])
  }

  @Test func `the name that a peripheral has of itself is told to who is connected, and known to all from then on`() {
    var rig = PhoneRig("Strap", "Lamp")
    let (first, second) = (rig.attach(), rig.attach())
    rig.connect(first, 1, link: 1)
    _ = rig.commands()
    rig.report(1, .connected)
    _ = rig.told()
    let (strap, lamp) = (rig.identifier(1), rig.identifier(2))
    func expectNames(_ name: String) {
      let known = KnownPeripheral(identifier: strap, name: name)
      expectEqual(
        rig.phone.known([strap, rig.identifier(3), lamp], to: second),
        [known, KnownPeripheral(identifier: lamp, name: "Lamp")])
      expectEqual(rig.phone.connected(withAnyOf: nil, to: second), [known])
    }
    expectNames("Strap")
    let link = CentralLink(peripheral: PhoneRig.address(1), mtu: 100, commandRoom: 1, ownName: "Belt")
    for _ in 0..<2 { rig.phone.look(at: [link]) }
    expectEqual(rig.told(), [["1 name Belt"], []])
    expectNames("Belt")
    expectEqual(rig.phone.maximumWriteLength(strap, withResponse: false, for: first), 97)
  }
}
