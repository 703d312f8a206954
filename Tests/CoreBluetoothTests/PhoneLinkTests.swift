import CoreBluetooth
import RollcallDoors
import RollcallExpectations
import Testing

@Suite(.serialized) struct PhoneLinkTests {
  /// A phone that does what every phone has to, and nothing of its own.
  private final class Bare: VirtualPhone {
    let queues = DoorQueues()
    var authorization: CBManagerAuthorization { .allowedAlways }

    func attach(_ door: any PhoneDoor, as setup: ManagerSetup) -> ManagerNumber { ManagerNumber(1) }
    func detach(_ manager: ManagerNumber) {}
    func perform(_ request: PhoneRequest, for manager: ManagerNumber) {}
    func known(_ identifiers: [UUID], to manager: ManagerNumber) -> [KnownPeripheral] { [] }
    func connected(withAnyOf services: [AttributeUUID]?, to manager: ManagerNumber) -> [KnownPeripheral] { [] }
    func maximumWriteLength(_ peripheral: UUID, withResponse: Bool, for manager: ManagerNumber) -> Int { 20 }
    func hasRoomToWrite(_ peripheral: UUID, for manager: ManagerNumber) -> Bool { true }
  }

  /// An application on such a phone calls too early.
  private static func callTooEarly(on queue: DispatchQueue) {
    PhoneLink.$current.withValue(Bare()) {
      #expect(!CBCentralManager.supports(.extendedScanAndConnect))
      CBCentralManager(delegate: nil, queue: queue).stopScan()
    }
  }

  @Test func `without a phone the state is unsupported, after the initialiser, with one line`() async {
    final class Lines: @unchecked Sendable {
      let lock = NSLock()
      var all: [APIMisuse] = []
    }
    final class Told: CBCentralManagerDelegate, CBPeripheralManagerDelegate, Sendable {
      let told: AsyncStream<CBManagerState>.Continuation
      init(_ told: AsyncStream<CBManagerState>.Continuation) { self.told = told }
      func centralManagerDidUpdateState(_ central: CBCentralManager) { told.yield(central.state) }
      func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { told.yield(peripheral.state) }
    }
    let lines = Lines()
    let before = APIMisuse.handler
    APIMisuse.handler = { misuse in lines.lock.withLock { lines.all.append(misuse) } }
    defer { APIMisuse.handler = before }
    let (states, told) = AsyncStream.makeStream(of: CBManagerState.self)
    var heard = states.makeAsyncIterator()
    let delegate = Told(told)
    let queue = DispatchQueue(label: "without a phone")
    let central = CBCentralManager(delegate: delegate, queue: queue)
    await expectEqual(heard.next(), .unsupported)
    let peripheral = CBPeripheralManager(delegate: delegate, queue: queue)
    await expectEqual(heard.next(), .unsupported)
    expectEqual(central.state, .unsupported)
    expectEqual(peripheral.state, .unsupported)
    expectEqual(CBManager.authorization, .notDetermined)
    Self.callTooEarly(on: queue)
    expectEqual(lines.lock.withLock { lines.all.map(\.kind) }, [.noPhone, .noPhone, .notPoweredOn])
    expectEqual(
      lines.lock.withLock { lines.all.last?.description },
      "CoreBluetooth: notPoweredOn in stopScan(): it has no effect while the state is unknown")
    expectEqual(lines.lock.withLock { lines.all.first?.description.split(separator: "\n").count }, 1)
  }

  @Test func `the phone of the process is taken where no task says another`() {
    let standard = ScriptedPhone()
    let other = ScriptedPhone(firstEvents: [.state(.poweredOff)])
    PhoneLink.standard = standard
    defer { PhoneLink.standard = nil }
    let queue = DispatchQueue(label: "standard")
    let first = CBCentralManager(delegate: nil, queue: queue)
    let second = on(other) { CBCentralManager(delegate: nil, queue: queue) }
    standard.settle()
    other.settle()
    expectEqual(first.state, .poweredOn)
    expectEqual(second.state, .poweredOff)
  }

  @Test func `a manager that is made in a callback is one of the same phone`() {
    final class Second: CBCentralManagerDelegate, @unchecked Sendable {
      var manager: CBCentralManager?
      func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if manager == nil { manager = CBCentralManager(delegate: nil, queue: DispatchQueue(label: "second")) }
      }
    }
    let phone = ScriptedPhone()
    let delegate = Second()
    let first = on(phone) { CBCentralManager(delegate: delegate, queue: DispatchQueue(label: "first")) }
    phone.settle()
    expectEqual(first.state, .poweredOn)
    expectEqual(delegate.manager?.state, .poweredOn)
    expectEqual(phone.setups.count, 2)
  }

  @Test func `a phone waits for what callbacks cause on their queues, step by step`() {
    final class Chain: CBCentralManagerDelegate, @unchecked Sendable {
      let queue = DispatchQueue(label: "chain")
      let other = DispatchQueue(label: "other")
      var steps = 0
      func centralManagerDidUpdateState(_ central: CBCentralManager) { step(central) }
      /// Each step goes over another queue and back, and scans: 20 steps.
      private func step(_ central: CBCentralManager) {
        steps += 1
        guard steps < 20 else { return }
        nonisolated(unsafe) let central = central
        other.async {
          self.queue.async {
            central.scanForPeripherals(withServices: nil)
            self.step(central)
          }
        }
      }
    }
    let phone = ScriptedPhone()
    let chain = Chain()
    phone.queues.add(chain.other)
    let manager = on(phone) { CBCentralManager(delegate: chain, queue: chain.queue) }
    phone.settle()
    expectEqual(chain.steps, 20)
    expectEqual(phone.scan, 19)
    #expect(manager.isScanning)
  }

  @Test func `a phone may push before the manager has its number, and the callback can make requests`() {
    final class Eager: CBCentralManagerDelegate {
      func centralManagerDidUpdateState(_ central: CBCentralManager) {
        central.scanForPeripherals(withServices: nil)
      }
    }
    let phone = ScriptedPhone(startsAtOnce: true)
    let delegate = Eager()
    let manager = on(phone) { CBCentralManager(delegate: delegate, queue: DispatchQueue(label: "eager")) }
    phone.queues.drain()
    #expect(manager.isScanning)
    expectEqual(phone.requests, [.startScan(ScanRequest(number: 1))])
  }

  @Test func `callbacks that cause each other without end are seen as such`() throws {
    let bench = Bench()
    let characteristic = try bench.explored()
    let peripheral = try #require(characteristic.service?.peripheral)
    bench.recorder.react { line in
      if line.hasPrefix("notifying") { peripheral.setNotifyValue(false, for: characteristic) }
    }
    peripheral.setNotifyValue(false, for: characteristic)
    #expect(!bench.phone.queues.drain(atMost: 50))
    bench.recorder.react { _ in }
    #expect(bench.phone.queues.drain())
  }
}
