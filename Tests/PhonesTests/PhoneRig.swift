import CoreBluetooth
import Foundation
import RollcallDoors
import RollcallPrimitives
import Synchronization
import Testing

@testable import RollcallPhones

/// A phone without a world: its managers ask, a test says what the engine reports, and reads what each was told.
struct PhoneRig {
  /// Keeps a line for each event.
  private final class Door: PhoneDoor {
    let lines = Guarded<[String]>([])
    func push(_ event: PhoneEvent) { lines.withLock { $0.append(PhoneRig.line(event)) } }
  }

  /// Keeps a line for each event of a peripheral manager.
  private final class RoleDoor: PeripheralRoleDoor {
    let lines = Guarded<[String]>([])

    func push(_ event: PeripheralRoleEvent) {
      let line =
        switch event {
        case .state(let state): "state \(state.rawValue)"
        case .willRestore(let services, let identity):
          "restored \(services.map(\.handles.lowerBound)), \(identity?.localName ?? "-")"
        default: "something else"
        }
      lines.withLock { $0.append(line) }
    }
  }

  /// Its time begins a hundred seconds after that of timestamps.
  let phone = SimulatedPhone(name: "phone", epoch: 100)
  /// What each manager was told, by its number less one.
  private var lines: [Guarded<[String]>] = []

  static func address(_ one: UInt64) -> RadioAddress { RadioAddress(bits: 0xC0FF_EE00_0000 | one, isRandom: true) }

  /// The identifiers of the first peripherals.
  private static let numbers: [UUID: UInt64] = {
    let phone = SimulatedPhone(name: "phone")
    let all: ClosedRange<UInt64> = 1...9
    return Dictionary(uniqueKeysWithValues: all.map { (phone.identifier(of: PhoneRig.address($0)), $0) })
  }()

  func identifier(_ one: UInt64) -> UUID { phone.identifier(of: PhoneRig.address(one)) }

  /// With the radio on, and peripherals that it has heard of, under these names from 1 on.
  init(_ names: String...) {
    phone.tellState(isOn: true, since: .zero)
    for (place, name) in names.enumerated() {
      let one = UInt64(place + 1)
      let identifier = identifier(one)
      phone.state.withLock { ($0.addresses[identifier], $0.names[identifier]) = (PhoneRig.address(one), name) }
    }
  }

  // MARK: - Managers

  mutating func attach(_ restoreIdentifier: String? = nil) -> ManagerNumber {
    let door = Door()
    lines.append(door.lines)
    return phone.attach(door, as: ManagerSetup(restoreIdentifier: restoreIdentifier))
  }

  mutating func attachRole(_ restoreIdentifier: String? = nil) -> ManagerNumber {
    let door = RoleDoor()
    lines.append(door.lines)
    return phone.attach(door, as: ManagerSetup(restoreIdentifier: restoreIdentifier))
  }

  func ask(_ manager: ManagerNumber, _ requests: PhoneRequest...) {
    for request in requests { phone.perform(request, for: manager) }
  }

  func connect(_ manager: ManagerNumber, _ one: UInt64, link: Int, delay: Double = 0, reconnects: Bool = false) {
    var options = ConnectOptions()
    (options.startDelay, options.reconnects) = (delay, reconnects)
    phone.perform(.connect(identifier(one), link: link, options), for: manager)
  }

  /// What all of them were told since the last call, in the order of their numbers.
  func told() -> [[String]] { lines.map { $0.takeAll() } }

  // MARK: - The engine

  /// What the engine is to do, since the last call.
  func commands() -> [CentralCommand] { phone.takeRequests() }

  /// At so many seconds.
  func move(to seconds: Double) {
    phone.state.withLock { $0.now = Instant.zero + .milliseconds(Int64(seconds * 1_000)) }
  }

  func report(_ one: UInt64, _ events: PeripheralReport.Event..., at seconds: Int64 = 0) {
    for event in events {
      phone.take(
        .peripheral(PeripheralReport("ble:" + PhoneRig.address(one).description, event)), at: .zero + .seconds(seconds))
    }
  }

  // MARK: - Lines

  private static func line(_ event: PhoneEvent) -> String {
    switch event {
    case .state(let state): "state \(state.rawValue)"
    case .willRestore(let restored): line(restored)
    case .discovered(let found): "scan \(found.scan): \(one(found.identifier))"
    case .connected(let peripheral, let link): "\(one(peripheral)) connected, link \(link)"
    case .failedToConnect(let peripheral, let link, let error):
      "\(one(peripheral)) failed, link \(link), \(words(error))"
    case .disconnected(let peripheral, let link, let error, let timestamp, let isReconnecting):
      "\(one(peripheral)) disconnected, link \(link), \(words(error)), at \(timestamp)"
        + (isReconnecting ? ", reconnecting" : "")
    case .connectionEvent(let known, let isConnected):
      "\(one(known.identifier)) \(known.name ?? "-") is \(isConnected ? "connected" : "disconnected")"
    case .ancsAuthorization: "something else"
    case .services(let peripheral, let found): "\(one(peripheral)) services \(words(found, services))"
    case .includedServices(let peripheral, let service, let found):
      "\(one(peripheral)) included in \(service) \(words(found, services))"
    case .characteristics(let peripheral, let service, let found):
      "\(one(peripheral)) characteristics of \(service) \(words(found, characteristics))"
    case .descriptors(let peripheral, let characteristic, let found):
      "\(one(peripheral)) descriptors of \(characteristic) "
        + words(found) { $0.map { "\($0.uuid) at \($0.handle)" }.joined(separator: ", ") }
    case .value(let peripheral, let handle, let value): "\(one(peripheral)) value \(handle) \(words(value) { "\($0)" })"
    case .written(let peripheral, let handle, let error): "\(one(peripheral)) written \(handle) \(words(error))"
    case .notifying(let peripheral, let characteristic, let isOn, let error):
      "\(one(peripheral)) notifying \(characteristic) \(isOn) \(words(error))"
    case .strength(let peripheral, let value): "\(one(peripheral)) strength \(words(value) { "\($0)" })"
    case .servicesModified(let peripheral, let handles): "\(one(peripheral)) modified \(handles)"
    case .nameChanged(let peripheral, let name): "\(one(peripheral)) name \(name ?? "-")"
    case .readyToWrite(let peripheral): "\(one(peripheral)) ready"
    }
  }

  private static func line(_ restored: RestoredCentral) -> String {
    let scan = restored.scan.map { "\($0.number) for \($0.services?.map(\.description) ?? [])" } ?? "-"
    let peripherals = restored.peripherals.map { peripheral in
      let found = peripheral.services.map { service in
        " [\(services([service.service])): \(characteristics(service.characteristics)): \(service.notifying)]"
      }
      return "; \(one(peripheral.known.identifier)) \(peripheral.known.name ?? "-"), link \(peripheral.link), "
        + (peripheral.isConnected ? "connected" : "pending") + found.joined()
    }
    return "restored scan \(scan)" + peripherals.joined()
  }

  private static func one(_ identifier: UUID) -> String { numbers[identifier].map { "\($0)" } ?? "?" }

  private static func services(_ found: [FoundService]) -> String {
    found.map { "\($0.uuid) \($0.handles.lowerBound)-\($0.handles.upperBound)" + ($0.isPrimary ? "" : " secondary") }
      .joined(separator: ", ")
  }

  private static func characteristics(_ found: [FoundCharacteristic]) -> String {
    found.map { "\($0.uuid) at \($0.handle) offers \($0.properties.rawValue)" }.joined(separator: ", ")
  }

  private static func words(_ error: PhoneError?) -> String {
    switch error {
    case nil: "-"
    case .bluetooth(let code)?: "\(code)"
    case .attribute(let number)?: "att \(number)"
    }
  }

  private static func words<Value>(_ result: Result<Value, PhoneError>, _ text: (Value) -> String) -> String {
    switch result {
    case .success(let value): text(value)
    case .failure(let error): words(error)
    }
  }
}

extension Trait where Self == TimeLimitTrait {
  /// For tests with await: it ends one that hangs. On a slow machine code with await waits minutes for a thread, behind
  /// other tests.
  static var hangLimit: Self { .timeLimit(.minutes(30)) }
}
