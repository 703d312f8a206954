// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Two applications as they are written for Apple's systems, for the live scene in which two processes meet. The radio is
// where ROLLCALL_RADIO says: the line with `attach` is the only one that is not Apple's.
import CoreBluetooth
import Dispatch
import Foundation
import RollcallConnect
import RollcallServedPhones

@main enum PhoneSample {
  static func main() throws {
    let role = CommandLine.arguments.dropFirst().first
    if role == "nearby", CommandLine.arguments.count == 4 { meet(CommandLine.arguments[2], CommandLine.arguments[3]) }
    if role == "search", CommandLine.arguments.count == 4 { search(CommandLine.arguments[2], CommandLine.arguments[3]) }
    if role == "launch", CommandLine.arguments.count == 5 {
      let (app, key) = (CommandLine.arguments[3], CommandLine.arguments[4])
      use(LaunchSample.run(interface: CommandLine.arguments[2], app: app, key: key) { say($0) })
    }
    if role == "web-app", CommandLine.arguments.count == 4 {
      use(WebAppSample.run(interface: CommandLine.arguments[2], app: CommandLine.arguments[3]) { say($0) })
    }
    if role == "watch", CommandLine.arguments.count == 2 {
      use(WatchSample.run { say($0) }, atMostSeconds: 60)
    }
    guard role == "peripheral" || role == "central" else {
      say(
        "usage: rollcall-phone-sample peripheral|central|nearby INTERFACE NAME|search INTERFACE TARGET|"
          + "launch INTERFACE APP KEY|web-app INTERFACE APP|watch")
      exit(2)
    }
    let phone = try ServedPhone.attach(name: role == "peripheral" ? "Sample peripheral" : "Sample central")
    DispatchQueue.main.asyncAfter(deadline: .now() + 25) {
      say("it took too long; the radio: \(phone.failure ?? "is there")")
      exit(1)
    }
    let application: AnyObject = role == "peripheral" ? SamplePeripheral() : SampleCentral()
    withExtendedLifetime(application) { dispatchMain() }
  }

  /// Two of these meet on the network of an interface.
  private static func meet(_ interface: String, _ name: String) -> Never {
    let served = ServedNearbyDevice.attach(interface, name: name)
    DispatchQueue.main.asyncAfter(deadline: .now() + 25) {
      say("it took too long; the network: \(served.trouble ?? "is there")")
      exit(1)
    }
    let application = NearbySample(name: name) { say($0) }
    withExtendedLifetime(application) { dispatchMain() }
  }

  /// Asks the network of an interface for a target.
  private static func search(_ interface: String, _ target: String) -> Never {
    DispatchQueue.main.asyncAfter(deadline: .now() + 25) {
      say("it took too long")
      exit(1)
    }
    guard let application = SearchSample(interface: interface, target: target, say: { say($0) }) else {
      say("there is no network")
      exit(1)
    }
    withExtendedLifetime(application) { dispatchMain() }
  }

  /// Runs an application that uses a device, or looks at many.
  private static func use(_ manager: DiscoveryManager, atMostSeconds seconds: Double = 25) -> Never {
    DispatchQueue.main.asyncAfter(deadline: .now() + seconds) {
      say("it took too long")
      exit(1)
    }
    withExtendedLifetime(manager) { dispatchMain() }
  }

  static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}

private func say(_ line: String) { PhoneSample.say(line) }
/// Of nobody else, so no program expects values of a certain form.
private var serviceUUID: CBUUID { CBUUID(string: "0000AAAA-1111-2222-3333-444455556666") }
private var valueUUID: CBUUID { CBUUID(string: "0000AAAB-1111-2222-3333-444455556666") }
private func hex(_ data: Data?) -> String { (data ?? Data()).map { String(format: "%02x", $0) }.joined() }

/// A value that can be read and written, and is sent ten times to who subscribes.
final class SamplePeripheral: NSObject, CBPeripheralManagerDelegate {
  private var manager: CBPeripheralManager?
  private let value = CBMutableCharacteristic(
    type: valueUUID, properties: [.read, .write, .notify], value: nil,
    permissions: [.readable, .writeable])
  private var sentCount = 0

  override init() {
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: nil)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    say("state \(peripheral.state.rawValue)")
    guard peripheral.state == .poweredOn else { return }
    let service = CBMutableService(type: serviceUUID, primary: true)
    service.characteristics = [value]
    peripheral.add(service)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    peripheral.startAdvertising([
      CBAdvertisementDataLocalNameKey: "Sample", CBAdvertisementDataServiceUUIDsKey: [service.uuid],
    ])
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    say("advertising")
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    say("read")
    request.value = Data((0..<200).map { UInt8($0) }).dropFirst(request.offset)
    peripheral.respond(to: request, withResult: .success)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    say("written \(hex(requests.first?.value))")
    if let first = requests.first { peripheral.respond(to: first, withResult: .success) }
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    say("subscribed \(central.maximumUpdateValueLength)")
    send()
  }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { send() }

  private func send() {
    while sentCount < 10, let manager {
      guard manager.updateValue(Data([UInt8(sentCount)]), for: value, onSubscribedCentrals: nil) else { return }
      sentCount += 1
    }
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    say("unsubscribed")
    exit(0)
  }
}

/// Finds the other one, reads and writes it, hears ten values, and leaves.
final class SampleCentral: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  private var manager: CBCentralManager?
  private var peripheral: CBPeripheral?
  private var values: [UInt8] = []

  override init() {
    super.init()
    manager = CBCentralManager(delegate: self, queue: nil)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    say("state \(central.state.rawValue)")
    if central.state == .poweredOn { central.scanForPeripherals(withServices: [serviceUUID]) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard self.peripheral == nil else { return }
    say("found \(advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? "-")")
    self.peripheral = peripheral
    peripheral.delegate = self
    central.stopScan()
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    say("connected")
    peripheral.discoverServices([serviceUUID])
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    guard let value = service.characteristics?.first else { return say("no characteristic") }
    say("discovered \(service.uuid) \(value.uuid)")
    peripheral.readValue(for: value)
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    guard characteristic.isNotifying else {
      say("value of \(characteristic.value?.count ?? 0) bytes")
      return peripheral.writeValue(Data([1, 2, 3]), for: characteristic, type: .withResponse)
    }
    values += [UInt8](characteristic.value ?? Data())
    guard values.count == 10 else { return }
    say("notified \(hex(Data(values)))")
    manager?.cancelPeripheralConnection(peripheral)
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    say("written")
    peripheral.setNotifyValue(true, for: characteristic)
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    say("disconnected")
    // The peripheral's phone has to hear of it before this one is gone.
    DispatchQueue.main.asyncAfter(deadline: .now() + 1) { exit(0) }
  }
}
