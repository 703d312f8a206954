import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallDiscovery

@Suite("The manager: what is kept for the next launch of the application") struct DeviceKeeperTests {
  /// An engine with a manager whose application keeps devices: lines of what it told and what it wanted of the store.
  private struct Rig {
    static let type = "urn:x:service:a:1"
    private var engine: EngineRig
    private var ids: [String] = []
    /// What the store has.
    var bytes: [UInt8]?

    init(_ policy: DeviceStorePolicy, _ switches: EngineSwitches = []) {
      engine = EngineRig(switches, isUp: false) { configuration in
        var setup = DiscoverySetup()
        (setup.registrations, setup.searches) = ([ServiceRegistration("A", filter: Rig.type)], false)
        configuration.manager = ManagerConfiguration(setup)
        configuration.manager?.store = policy
      }
    }

    mutating func bring(at seconds: Double = 0) -> [String] {
      lines(engine.bring(0, [InterfaceAddress(EngineRig.ours, prefixBits: 24)], at: seconds))
    }

    mutating func hear(_ uuid: String, from source: IPAddress = EngineRig.tv, at seconds: Double) -> [String] {
      let location = "http://\(source):80/\(uuid)"
      return lines(engine.hear(alive(uuid, Rig.type, location: location), from: source, at: seconds))
    }

    mutating func leave(_ uuid: String, at seconds: Double) -> [String] {
      lines(engine.hear(byebye(uuid, Rig.type), at: seconds))
    }

    mutating func command(_ command: ManagerCommand, at seconds: Double) -> [String] {
      lines(engine.command(.manager(command), at: seconds))
    }

    mutating func answer(_ signal: StoreSignal, at seconds: Double) -> [String] {
      lines(engine.give(.store(signal), at: seconds))
    }

    /// The store says what it has.
    mutating func read(at seconds: Double) -> [String] {
      answer(.value(key: "devices", bytes), at: seconds)
    }

    private mutating func lines(_ effects: [Effect]) -> [String] {
      effects.compactMap { effect in
        switch effect {
        case .application(.managed(let report)):
          if !ids.contains(report.id) { ids.append(report.id) }
          let number = (ids.firstIndex(of: report.id) ?? 0) + 1
          let again = if case .found(isKnown: true) = report.event { " again" } else { "" }
          return "#\(number) \(report.event.name)\(again)"
        case .application(.failed(let failure)): return "failed \(failure.reason)"
        case .store(.put(_, let bytes)):
          self.bytes = bytes
          return "put"
        case .store(.get): return "get"
        case .store(.delete):
          self.bytes = nil
          return "delete"
        default: return nil
        }
      }
    }
  }

  private let stored = StoreSignal.stored(key: "devices")
  private func failed(_ failure: StoreFailure) -> StoreSignal { .failed(key: "devices", failure) }

  @Test("nothing is told before the store has answered; what is found is kept, and known to the next launch")
  func launches() {
    var rig = Rig(.keepsDiscovered)
    expectEqual(rig.bring(), ["get"])
    expectEqual(rig.hear("a", at: 1), [])
    expectEqual(rig.read(at: 2), ["#1 found", "put"])
    expectEqual(rig.answer(stored, at: 2), [])
    expectEqual(rig.command(.relaunch, at: 3), ["#1 lost", "put", "get"])
    expectEqual(rig.answer(stored, at: 4), [])
    expectEqual(rig.hear("b", from: IPAddress(192, 168, 1, 30), at: 4), [])
    expectEqual(rig.read(at: 5), ["#1 remembered", "#1 found again", "#2 found", "put"])
  }

  @Test("without a store of its own the next launch gives every device another id")
  func noStore() {
    var rig = ManagerRig()
    expectEqual(rig.announce(1, [ManagerRig.dial]), ["#1 found - [DIAL 1] of 1"])
    expectEqual(rig.command(.relaunch), ["#1 lost", "#2 found - [DIAL 1] of 1"])
    expectEqual(rig.manager.brokenInvariants, [])
    expectEqual(rig.command(.removeAll), [])
  }

  @Test("a launch that is stopped while the store is asked tells nothing, until it is started")
  func stoppedMeanwhile() {
    var rig = Rig(.keepsDiscovered)
    _ = rig.bring()
    _ = rig.hear("a", at: 1)
    expectEqual(rig.command(.stop, at: 1), [])
    expectEqual(rig.read(at: 2), [])
    expectEqual(rig.command(.start, at: 3), ["#1 found", "put"])
  }

  @Test("what was only found is forgotten three days after it was there last, also in the store")
  func aged() throws {
    for (seconds, isKnown) in [(3 * 86_400 + 5.0, true), (3 * 86_400 + 6.0, false)] {
      var rig = Rig(.keepsDiscovered)
      _ = rig.bring()
      _ = rig.read(at: 0)
      expectEqual(rig.hear("a", at: 1), ["#1 found", "put"])
      expectEqual(rig.answer(stored, at: 1), [])
      expectEqual(rig.leave("a", at: 5), ["#1 lost", "put"])
      expectEqual(rig.answer(stored, at: 5), [])
      expectEqual(rig.command(.relaunch, at: seconds), ["get"])
      expectEqual(rig.read(at: seconds), isKnown ? ["#1 remembered"] : ["put"], "\(seconds)")
      let kept = try DeviceShelf(.keepsDiscovered, bytes: rig.bytes ?? [9])
      expectEqual(kept.devices.count, isKnown ? 1 : 0)
    }
  }

  @Test("what is there all the time is noted each hour, so that it does not become too old")
  func hourly() throws {
    var rig = Rig(.keepsDiscovered)
    _ = rig.bring()
    _ = rig.read(at: 0)
    _ = rig.hear("a", at: 1)
    _ = rig.answer(stored, at: 1)
    func seen() throws -> Int64? {
      try DeviceShelf(.keepsDiscovered, bytes: rig.bytes ?? []).devices.first?.lastSeenUnixSeconds
    }
    expectEqual(try seen(), Instant.worldEpochUnixSeconds + 1)
    _ = rig.hear("a", at: 1_200)
    _ = rig.hear("a", at: 2_400)
    expectEqual(rig.hear("a", at: 3_599), [])
    expectEqual(rig.hear("a", at: 3_600), ["put"])
    expectEqual(try seen(), Instant.worldEpochUnixSeconds + 3_600)
  }

  @Test("under the policy of connected devices a device that was only found is not kept")
  func connectedOnly() {
    var rig = Rig(.connectedOnly)
    _ = rig.bring()
    _ = rig.read(at: 0)
    expectEqual(rig.hear("a", at: 1), ["#1 found"])
    expectEqual(
      rig.command(.device("uuid:a", .connect), at: 2), ["#1 ready", "put"])
    _ = rig.answer(stored, at: 2)
    expectEqual(rig.command(.relaunch, at: 3), ["#1 lost", "#1 disconnected", "put", "get"])
    _ = rig.answer(stored, at: 3)
    expectEqual(rig.read(at: 3), ["#1 remembered", "#1 found again"])
  }

  @Test("what the user typed before the first connection is kept when the device is ready, under both policies")
  func typed() {
    for policy in DeviceStorePolicy.allCases {
      var keeper = DeviceKeeper(policy, [])
      let state = ManagerReport.State(services: [ManagerReport.Service(id: "TV", owner: "uuid:a")])
      let keys = ["1", "2"].map { RememberedKey(owner: "uuid:a", service: "TV", key: $0) }
      let events: [ManagerReport.Event] = [
        .found(isKnown: false), .connection(.paired(keys[0])), .connection(.paired(keys[1])), .connection(.ready),
      ]
      for event in events { expectEqual(keeper.take(ManagerReport("#1", event, state), at: .zero), nil) }
      expectEqual(keeper.remembered.map { $0.services.map(\.pairingKey) }, [[Array("2".utf8)]], "\(policy)")
    }
  }

  @Test("a full disk is told with each change, and what could not be written is not taken for kept")
  func full() {
    var rig = Rig(.keepsDiscovered)
    _ = rig.bring()
    _ = rig.read(at: 0)
    expectEqual(rig.hear("a", at: 1), ["#1 found", "put"])
    expectEqual(rig.answer(failed(.full), at: 1), ["failed store"])
    rig.bytes = nil
    // Nothing is kept whose time could be noted.
    expectEqual(rig.command(.relaunch, at: 2), ["#1 lost", "get"])
    expectEqual(rig.read(at: 2), ["#2 found", "put"])
  }

  @Test("a store that is refused at a launch is not written over: what comes is added to it when it can be read")
  func refused() {
    var rig = Rig(.keepsDiscovered)
    _ = rig.bring()
    _ = rig.read(at: 0)
    expectEqual(rig.hear("a", at: 1), ["#1 found", "put"])
    _ = rig.answer(stored, at: 1)
    expectEqual(rig.command(.relaunch, at: 2), ["#1 lost", "put", "get"])
    _ = rig.answer(stored, at: 2)
    expectEqual(rig.answer(failed(.denied), at: 2), ["failed store", "#2 found", "get"])
    expectEqual(rig.answer(failed(.denied), at: 3), ["failed store"])
    expectEqual(rig.hear("b", from: IPAddress(192, 168, 1, 30), at: 4), ["#3 found", "get"])
    expectEqual(rig.read(at: 5), ["put"])
    _ = rig.answer(stored, at: 5)
    expectEqual(rig.command(.relaunch, at: 6), ["#2 lost", "#3 lost", "put", "get"])
    _ = rig.answer(stored, at: 6)
    // The device of the first launch has its first id.
    let lines = rig.read(at: 6)
    expectEqual(lines.sorted(), ["#1 found again", "#1 remembered", "#3 found again", "#3 remembered", "put"])
  }

  @Test("a damaged store, and one that keeps something else, are told, and the launch begins with nothing")
  func damaged() {
    for signal in [failed(.damaged), .value(key: "devices", Array("no device".utf8))] {
      var rig = Rig(.keepsDiscovered)
      _ = rig.bring()
      _ = rig.hear("a", at: 1)
      expectEqual(rig.answer(signal, at: 2), ["failed store", "#1 found", "put"])
    }
  }

  @Test("what the user wants to be forgotten is deleted, and comes back with what is told of it")
  func removeAll() {
    var rig = Rig(.keepsDiscovered)
    _ = rig.bring()
    _ = rig.read(at: 0)
    _ = rig.hear("a", at: 1)
    _ = rig.answer(stored, at: 1)
    expectEqual(rig.command(.removeAll, at: 2), ["delete"])
    _ = rig.answer(stored, at: 2)
    expectEqual(rig.command(.relaunch, at: 3), ["#1 lost", "get"])
    expectEqual(rig.read(at: 3), ["#2 found", "put"])
  }

  @Test("what is to be forgotten stays forgotten, whatever the store was asked before and answers behind that")
  func removedMeanwhile() throws {
    func kept(_ rig: Rig) throws -> Int { try DeviceShelf(.keepsDiscovered, bytes: rig.bytes ?? []).devices.count }
    var rig = Rig(.keepsDiscovered)
    _ = rig.bring()
    _ = rig.read(at: 0)
    expectEqual(rig.hear("a", at: 1), ["#1 found", "put"])
    _ = rig.answer(stored, at: 1)
    let before = rig.bytes
    // A write that fails before it.
    expectEqual(rig.hear("b", from: IPAddress(192, 168, 1, 30), at: 2), ["#2 found", "put"])
    expectEqual(rig.command(.removeAll, at: 2), ["delete"])
    _ = rig.answer(failed(.full), at: 2)
    _ = rig.answer(stored, at: 2)
    expectEqual(rig.hear("c", from: IPAddress(192, 168, 1, 31), at: 3), ["#3 found", "put"])
    expectEqual(try kept(rig), 1)
    // A launch that reads what there was before it.
    _ = rig.answer(stored, at: 3)
    expectEqual(rig.command(.relaunch, at: 4), ["#1 lost", "#2 lost", "#3 lost", "put", "get"])
    _ = rig.answer(stored, at: 4)
    expectEqual(rig.command(.removeAll, at: 4), ["delete"])
    let lines = rig.answer(.value(key: "devices", before), at: 5)
    expectEqual(lines.contains { $0.hasSuffix("remembered") }, false)
    expectEqual(try kept(rig), 3)
  }

  @Test("a write that fails takes nothing from the one behind it")
  func failedBetween() throws {
    var rig = Rig(.keepsDiscovered)
    _ = rig.bring()
    _ = rig.read(at: 0)
    _ = rig.hear("a", at: 1)
    _ = rig.hear("b", from: IPAddress(192, 168, 1, 30), at: 1)
    expectEqual(rig.answer(failed(.full), at: 1), ["failed store"])
    _ = rig.answer(stored, at: 1)
    expectEqual(rig.hear("c", from: IPAddress(192, 168, 1, 31), at: 2), ["#3 found", "put"])
    expectEqual(try DeviceShelf(.keepsDiscovered, bytes: rig.bytes ?? []).devices.count, 3)
  }

  @Test("answers that nobody waits for change nothing")
  func strays() {
    var rig = Rig(.keepsDiscovered)
    _ = rig.bring()
    expectEqual(rig.answer(.value(key: "other", nil), at: 0), [])
    expectEqual(rig.answer(.stored(key: "other"), at: 0), [])
    expectEqual(rig.read(at: 0), [])
    expectEqual(rig.read(at: 0), [])
    expectEqual(rig.answer(failed(.full), at: 0), [])
    expectEqual(rig.hear("a", at: 1), ["#1 found", "put"])
  }
}
