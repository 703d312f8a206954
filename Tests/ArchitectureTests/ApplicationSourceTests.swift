import Foundation
import RollcallExpectations
import Testing

/// Sources of applications as they are written for Apple's systems, given to the compiler with the module of this build.
@Suite("Sources of applications that import CoreBluetooth") struct ApplicationSourceTests {
  /// What the modules of this build lie in: beside the program that runs the tests.
  private static let modules = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appendingPathComponent("Modules").path

  static let isBuilt = FileManager.default.fileExists(atPath: modules + "/CoreBluetooth.swiftmodule")

  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "rollcall-application-\(UUID().uuidString)")

  /// What the compiler says, without the lines that show the source.
  func complaints(about source: String, inMode mode: Int) throws -> [String] {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try source.write(to: folder.appendingPathComponent("App.swift"), atomically: true, encoding: .utf8)
    let headers = ImportRule.doors.flatMap { door in
      ["-Xcc", "-fmodule-map-file=\(House.root.path)/Sources/\(door)Headers/module.modulemap"]
    }
    let (_, output) = try ManifestTests.run(
      ["swiftc", "-typecheck", "-parse-as-library", "-swift-version", "\(mode)", "-I", Self.modules] + headers
        + ["App.swift"], in: folder, secondsMaximum: 120)
    return output.split(separator: "\n").map(String.init)
      .filter { $0.hasPrefix("App.swift:") || $0.hasPrefix("<unknown>") || $0.hasPrefix("error:") }
  }

  @Test("in each language mode they compile without a warning", .enabled(if: isBuilt), arguments: [4, 5, 6])
  func withoutWarning(mode: Int) throws { try expectEqual(complaints(about: Self.application, inMode: mode), []) }

  @Test(
    "an extension that makes a class Sendable is warned of as with Apple's module, and of nothing else",
    .enabled(if: isBuilt), arguments: [4, 5, 6])
  func sendable(mode: Int) throws {
    let source = "import CoreBluetooth\nextension CBPeripheral: @unchecked Sendable {}\n"
    let found = try complaints(about: source, inMode: mode)
    expectEqual(found.count, 1)
    #expect(found.allSatisfy { $0.contains("warning: extension declares a conformance of imported type") })
  }

  @Test("a header that Apple's framework does not have is not found", .enabled(if: isBuilt))
  func unknownHeader() throws {
    let found = try complaints(about: "import CoreBluetooth.CBThing\n", inMode: 5)
    expectEqual(found, ["App.swift:1:8: error: no such module 'CoreBluetooth.CBThing'"])
  }

  /// What application code uses, in one source.
  private static let application = """
    import CoreBluetooth.CBCentral
    import CoreBluetooth.CBManager
    import CoreBluetooth.CBPeripheralManager
    import class CoreBluetooth.CBUUID

    extension CBPeripheral: @retroactive @unchecked Sendable {}

    final class Scanner: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
      private var central: CBCentralManager!
      private let queue = DispatchQueue(label: "scanner")
      private var peripherals: Set<CBPeripheral> = []

      override init() {
        super.init()
        central = CBCentralManager(delegate: self, queue: queue)
        if #available(iOS 13.1, macOS 10.15, *) { print(CBCentralManager.authorization == .allowedAlways) }
      }

      func centralManagerDidUpdateState(_ central: CBCentralManager) {
        switch central.state {
        case .poweredOn:
          central.scanForPeripherals(
            withServices: [CBUUID(string: "180D")], options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        case .poweredOff, .resetting, .unauthorized, .unknown, .unsupported: peripherals = []
        @unknown default: break
        }
      }

      func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
      ) {
        let isConnectable = advertisementData[CBAdvertisementDataIsConnectable] as? Bool ?? false
        let power = advertisementData[CBAdvertisementDataTxPowerLevelKey] as? Int
        let data = advertisementData[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] ?? [:]
        let uuids = advertisementData[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID]
        guard isConnectable, RSSI.intValue > -80, power != 0, data.isEmpty || uuids != nil else { return }
        peripherals.insert(peripheral)
        peripheral.delegate = self
        central.connect(peripheral, options: nil)
      }

      func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices(nil)
        let state = peripheral.state
        if #available(macOS 10.15, iOS 13, *) { Task { print(state, peripheral.identifier) } }
      }

      func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: Error?
      ) {
        if let error = error as? CBError, error.code == .connectionTimeout { print(error.errorCode) }
        switch error {
        case CBError.peripheralDisconnected?: print("gone")
        case let other?: print((other as NSError).domain == CBErrorDomain, (other as NSError).code)
        case nil: break
        }
      }

      #if !os(macOS)
        func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {
          print(peripheral.ancsAuthorized)
        }

        func centralManager(
          _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
        ) {}
      #endif

      func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
      }

      func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?
      ) {
        for characteristic in service.characteristics ?? [] where characteristic.properties.contains(.notify) {
          peripheral.setNotifyValue(true, for: characteristic)
        }
        do { throw CBError(.unknown) } catch CBError.unknown {} catch { print(error) }
        if CBATTError.Code(rawValue: 1) == .invalidHandle { print(CBError.Code(rawValue: 6)!) }
      }
    }

    final class Sensor: NSObject, CBPeripheralManagerDelegate {
      private lazy var manager = CBPeripheralManager(delegate: self, queue: nil)
      private let rate = CBMutableCharacteristic(
        type: CBUUID(string: "2A37"), properties: [.notify, .read], value: nil, permissions: .readable)

      func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
        service.characteristics = [rate]
        manager.add(service)
        manager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [service.uuid]])
      }

      func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        request.value = Data([0, 60])
        peripheral.respond(to: request, withResult: .success)
      }

      func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
      ) {
        let value = Data(count: central.maximumUpdateValueLength)
        if !peripheral.updateValue(value, for: rate, onSubscribedCentrals: [central]) { print("full") }
      }
    }
    """
}
