import CoreBluetooth
import Foundation
import RollcallDiscovery
import RollcallDoors
import RollcallExpectations
import RollcallPeers
import RollcallPrimitives
import RollcallSessions
import RollcallWire
import Synchronization
import Testing

@testable import RollcallPhones

/// A phone between its applications and its driver, and its machine.
@Suite("A phone that a test drives") struct DrivenPhoneTests {
  @Test("what applications asked is work, and an instant before that of the last time is one to look at")
  func work() throws {
    let phone = SimulatedPhone(name: "phone")
    let nearby = SimulatedNearbyDevice(
      name: "phone", seed: Seed(1), queues: phone.queues, policies: NearbySettings().doorPolicies)
    var driven = DrivenPhone(phone, host: 0, nearby: nearby)
    func check(isBusy: Bool, isEarlier: Bool, _ commands: [CentralCommand] = [], _ permission: PermissionState? = nil) {
      let work = driven.takeWork(whileEngineScans: nil)
      expectEqual([work.isBusy, work.isEarlier], [isBusy, isEarlier])
      expectEqual(work.commands, commands)
      expectEqual(work.permission, permission)
    }
    check(isBusy: false, isEarlier: false)
    let page = try #require(URL(string: "http://a/b"))
    nearby.setPage(nil, at: page, after: .seconds(2))
    nearby.fetch(page) { _ in }
    check(isBusy: true, isEarlier: true)
    check(isBusy: false, isEarlier: false)
    let manager = phone.attach(StateDoor(), as: ManagerSetup())
    let lamp = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
    phone.hear(
      RadioPDU(
        channel: 37, strength: -50, accessAddress: AirFrame.advertisingAddress,
        bytes: AdvertisingPDU.bytes(.connectable, from: lamp, data: [2, 1, 6])))
    phone.perform(.connect(phone.identifier(of: lamp), link: 1, ConnectOptions()), for: manager)
    check(isBusy: true, isEarlier: false, [CentralCommand(lamp, .connect)])
    phone.authorize(.denied)
    check(isBusy: true, isEarlier: false, [], .denied)
    check(isBusy: false, isEarlier: false)
  }

  @Test("a connection is that of a central if its number is in the upper half")
  func links() {
    let heard = PhoneMachine.Heard()
    var machine = PhoneMachine(EngineConfiguration(), heard: heard)
    var outbox = Outbox(payloads: PayloadStore())
    let half = UInt32.max / 2
    for number in [1, UInt32.max / 3 + 1, half, half + 1, UInt32.max] {
      machine.receive(.radio(.link(LinkID(number), .strength(nil))), at: .zero, into: &outbox)
    }
    let numbers = heard.state.withLock { state in state.links.map { $0.number.number } }
    expectEqual(numbers, [half + 1, .max])
  }

  @Test("an interface is told to the nearby side, which tells at once what is due, and to an engine that hears it")
  func interfaces() {
    let type = "abc"
    let (ada, ben) = (PeerName(SessionPeerID(high: 0, low: 1), "Ada"), PeerName(SessionPeerID(high: 0, low: 2), "Ben"))
    let plan = NearbySettings(faults: [.lateWithdrawal(.seconds(5))]).plan(host: "phone") { StandInCipher(seed: $0) }
    let change = InterfaceChange(
      interface: InterfaceID(0), isUp: true, addresses: [InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 24)])
    for engineHears in [false, true] {
      let box = NearbyBox()
      var machine = PhoneMachine(
        EngineConfiguration(), heard: PhoneMachine.Heard(),
        nearby: (PeerDevice(plan, seed: Seed(1), name: "nearby/phone"), box), engineHearsNetwork: engineHears)
      var outbox = Outbox(payloads: PayloadStore())
      box.add([
        .act(.appear), .command(.browse(1, ada, type: type)), .command(.advertise(2, ben, type: type, info: nil)),
        .command(.stopAdvertising(2)),
      ])
      machine.wake(at: .zero, into: &outbox)
      expectEqual(box.takeTold().map(\.event), [.found(browser: 1, ben, nil)])
      outbox.removeAll()
      machine.receive(.host(.interface(change)), at: .zero + .seconds(5), into: &outbox)
      expectEqual(box.takeTold().map(\.event), [.lost(browser: 1, ben.id)])
      // The group of the engine's own searches.
      let hasJoined = outbox.effects.contains { effect in
        if case .lan(.join(let group, _)) = effect { group.port == 1_900 } else { false }
      }
      expectEqual(hasJoined, engineHears)
    }
  }
}
