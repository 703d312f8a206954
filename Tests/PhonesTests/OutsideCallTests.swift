// The labels of Apple's declarations.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CoreBluetooth
import Dispatch
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation
import RollcallTrace
import Testing

@testable import RollcallDoors
@testable import RollcallPhones

/// Stops its scan in the first callback that tells it of a peripheral, in the way that a test says.
private final class StoppingApp: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
  let queue = DispatchQueue(label: "app")
  let stop: @Sendable (StoppingApp) -> Void
  private(set) var central: CBCentralManager!
  private(set) var found = 0

  init(_ stop: @escaping @Sendable (StoppingApp) -> Void) {
    self.stop = stop
    super.init()
    central = CBCentralManager(delegate: self, queue: queue)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    central.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    found += 1
    if found == 1 { stop(self) }
  }
}

/// Runs a body elsewhere, and returns when it is done.
private func away(_ start: (@escaping @Sendable () -> Void) -> Void, _ body: @escaping @Sendable () -> Void) {
  let isDone = DispatchSemaphore(value: 0)
  start {
    body()
    isDone.signal()
  }
  isDone.wait()
}

/// One after the other: a task needs a thread of the pool that no other test blocks.
@Suite("Calls from where the world does not wait", .serialized) struct OutsideCallTests {
  private func world() throws -> PhoneWorld {
    let text = """
      scenario: A lamp
      duration: 60s
      inhabitants:
        lamp: {kind: peripheral, name: Lamp, services: [180F], radio: {position: {east: 1m}}}
      """
    return PhoneWorld(try Scenario(yaml: text, file: "lamp.yaml").resolved(), seed: Seed(1))
  }

  /// The calls from outside of an application that stops its scan in some way.
  private func calls(_ stop: @escaping @Sendable (StoppingApp) -> Void) throws -> [OutsideInput] {
    let world = try world()
    let app = world.enter { StoppingApp(stop) }
    world.run(for: .seconds(5))
    #expect(!app.central.isScanning && app.found > 0)
    expectEqual(world.isReproducible, world.outsideCalls.isEmpty)
    return world.outsideCalls
  }

  @Test("a call in a callback is none")
  func inCallback() throws { try expectEqual(calls { $0.central.stopScan() }, []) }

  @Test("a call on another queue is none if the callback waits for it")
  func synchronous() throws {
    let other = DispatchQueue(label: "other")
    try expectEqual(calls { app in other.sync { app.central.stopScan() } }, [])
  }

  @Test("a call that a callback puts on the queue of its manager is none")
  func sameQueue() throws { try expectEqual(calls { app in app.queue.async { app.central.stopScan() } }, []) }

  @Test("a call on a queue that the world does not wait for is one, with its instant and place")
  func otherQueue() throws {
    let other = DispatchQueue(label: "other")
    let calls = try calls { app in away({ other.async(execute: $0) }) { app.central.stopScan() } }
    let call = try #require(calls.first)
    expectEqual(calls.count, 1)
    expectEqual(call.call, "CBCentralManager.stopScan")
    expectEqual(call.place, "a closure in OutsideCallTests.otherQueue")
    #expect(call.time > .zero && call.time < .zero + .seconds(5))
    #expect(call.description.contains("CBCentralManager.stopScan was called by a closure in OutsideCallTests."))
  }

  @Test("it is none if the world was told to wait for that queue")
  func knownQueue() throws {
    let other = DispatchQueue(label: "other")
    let world = try world()
    world.wait(for: other)
    let app = world.enter { StoppingApp { app in other.async { app.central.stopScan() } } }
    world.run(for: .seconds(5))
    // A call that nobody waited for is under way still, where it comes from being found out.
    other.sync {}
    #expect(!app.central.isScanning)
    expectEqual(world.outsideCalls, [])
  }

  @Test("a call of a task is one, though the task was made in a callback")
  func task() throws {
    let calls = try calls { app in
      // It takes over the task-local values of the callback.
      away({ body in Task { body() } }) { app.central.stopScan() }
    }
    expectEqual(calls.map(\.call), ["CBCentralManager.stopScan"])
  }

  @Test("between two runs the thread that uses the world calls as it likes, and another thread does not")
  func still() throws {
    let world = try world()
    let app = world.enter { StoppingApp { _ in } }
    world.run(for: .seconds(1))
    app.central.stopScan()
    app.queue.sync { app.central.scanForPeripherals(withServices: nil) }
    away({ app.queue.async(execute: $0) }) { app.central.stopScan() }
    expectEqual(world.outsideCalls, [])
    away({ Thread(block: $0).start() }) { app.central.scanForPeripherals(withServices: nil) }
    expectEqual(world.outsideCalls.map(\.call), ["CBCentralManager.scanForPeripherals"])
    expectEqual(world.outsideCalls.map(\.time), [.zero + .seconds(1)])
  }

  @Test("a manager that is made or given up from outside counts, too")
  func managers() throws {
    let world = try world()
    let app = world.enter { StoppingApp { _ in } }
    world.run(for: .seconds(1))
    let phone = world.phone
    away({ Thread(block: $0).start() }) { PhoneLink.$current.withValue(phone) { _ = CBCentralManager() } }
    #expect(app.found > 0)
    expectEqual(world.outsideCalls.map(\.call), ["CBCentralManager.init", "CBCentralManager.deinit"])
  }

  @Test("while time runs each call is one, on the thread that uses the world and on a queue that it waits for, too")
  func running() throws {
    let world = try world()
    let app = world.enter { StoppingApp { _ in } }
    let (queues, known) = (world.phone.queues, app.queue)
    let recorder = Recorder(stations: [0], entriesMaximum: 0)
    var times: [Instant] = []
    recorder.onEntry = { entry in
      if times.isEmpty {
        // The world has waited for nobody yet.
        times.append(entry.time)
        queues.heardCall()
      } else if times.count == 1, entry.time > .zero {
        times.append(entry.time)
        known.sync { queues.heardCall() }
      }
    }
    world.world.gate.recorder = recorder
    world.run(for: .seconds(1))
    expectEqual(times.first, .zero)
    expectEqual(times.count, 2)
    expectEqual(world.outsideCalls.count, 2)
    #expect(app.found > 0)
  }

  @Test("the thread that enters a world is the one that uses it from then on")
  func otherThread() throws {
    let world = Carried(try world())
    away({ Thread(block: $0).start() }) { world.value.enter { _ = CBCentralManager() } }
    expectEqual(world.value.outsideCalls, [])
  }

  @Test("all calls are known, and the first 32 are reported, since others say nothing more")
  func reported() {
    let told = Guarded<[String]>([])
    let calls = OutsideCalls { misuse in
      told.withLock { $0.append("\(misuse.kind) \(misuse.call), \(misuse.detail)") }
    }
    calls.now = .zero + .seconds(2)
    for number in 1...33 { calls.add(OutsideCall(call: "Lamp.call\(number)", place: "Lamp.start")) }
    let all = (1...33).map {
      OutsideInput(time: .zero + .seconds(2), call: "Lamp.call\($0)", place: "Lamp.start")
    }
    expectEqual(calls.all, all)
    expectEqual(told.takeAll(), all.prefix(32).map { "calledFromOutside \($0.call), \($0)" })
  }
}
