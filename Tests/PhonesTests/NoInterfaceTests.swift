import Dispatch
import RollcallConnect
import RollcallDoors
import RollcallExpectations
import RollcallLive
import RollcallPrimitives
import Testing

@testable import RollcallConnectLive

/// A `DiscoveryManager` on a machine that has no network when it starts.
@Suite("A start without a network") struct NoInterfaceTests {
  private final class App: DiscoveryManagerDelegate, @unchecked Sendable {
    let queue = DispatchQueue(label: "app")
    let manager: DiscoveryManager
    private let told = Guarded<[String]>([])

    init() {
      manager = DiscoveryManager(queue: queue)
      manager.delegate = self
      manager.startDiscovery()
    }

    /// What was told when everything was done that waited on the queue.
    var lines: [String] {
      queue.sync {}
      return told.takeAll()
    }
    func start() { queue.sync { manager.startDiscovery() } }

    func discoveryManager(_ manager: DiscoveryManager, didFind device: ConnectableDevice) {
      told.withLock { $0.append("found \(device.friendlyName ?? "-")") }
    }
    func discoveryManager(_ manager: DiscoveryManager, didFailWith error: DiscoveryError) {
      // Who is told may start again.
      told.withLock { $0.append("failed \(error.reason), \(manager.isSearching ? "searching" : "not searching")") }
    }
  }

  /// A network that is there when it is asked for a second time.
  private final class LateNetwork: DiscoveryHost {
    let queues = DoorQueues()
    let unixNanoseconds: Int64 = 0
    let starts = Guarded(0)

    func attach(_ door: any DiscoveryDoor, _ setup: DiscoverySetup) {
      let count = starts.withLock { count -> Int in
        count += 1
        return count
      }
      if count == 1 { return door.push(.ended(Failure(reason: .noInterface, explanation: "no network"))) }
      door.push(.managed(ManagerReport("id", .found(isKnown: false), ManagerReport.State(name: "Den"))))
    }
    func ask(_ command: ManagerCommand) {}
    func detach(_ door: any DiscoveryDoor) {}
    func begin(_ search: Search, for door: any SearchDoor) -> SearchID { search.id }
    func stopSearch(_ id: SearchID) {}
  }

  @Test("the manager says so, is not searching, and finds what is there when it is started again")
  func startsAgain() {
    let network = LateNetwork()
    let app = DiscoveryLink.$current.withValue(network) { App() }
    expectEqual(app.lines, ["failed noInterface, not searching"])
    app.start()
    expectEqual(app.lines, ["found Den"])
    #expect(app.manager.isSearching)
    // It searches already.
    app.start()
    expectEqual(app.lines, [])
    expectEqual(network.starts.current, 2)
  }

  private static func manager(on host: LiveDiscovery) -> DiscoveryManager {
    DiscoveryLink.$current.withValue(host) { DiscoveryManager(queue: DispatchQueue(label: "app")) }
  }

  @Test("that a service of Bluetooth finds no radio here is told once, and no more", .hangLimit)
  func noRadio() async {
    // No system has an interface of this number, so that what comes next is that nothing can be joined there.
    let gone = LiveInterface(
      name: "none", index: 999_999, addresses: [InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 8)])
    let manager = Self.manager(on: LiveDiscovery(interfaces: [], userAgent: nil) { [gone] })
    manager.registrations = [.dlna, ServiceRegistration("Lamp", .bluetooth, filter: "180F")]
    let events = manager.events()
    manager.startDiscovery()
    var reasons: [DiscoveryError.Reason] = []
    for await event in events {
      guard case .failed(let error) = event else { continue }
      reasons.append(error.reason)
      if error.reason == .cannotJoin { break }
    }
    manager.stopDiscovery()
    expectEqual(reasons, [.noBluetooth, .cannotJoin])
  }

  @Test("on a machine without an interface that is up, each start looks again and says so")
  func everyStart() {
    let looks = Guarded(0)
    let host = LiveDiscovery(interfaces: [], userAgent: nil) {
      looks.withLock { $0 += 1 }
      return []
    }
    let app = DiscoveryLink.$current.withValue(host) { App() }
    expectEqual(app.lines, ["failed noInterface, not searching"])
    app.start()
    expectEqual(app.lines, ["failed noInterface, not searching"])
    expectEqual(looks.current, 2)
  }
}
