public import Foundation
import RollcallDoors

/// Scans for peripherals and connects to them.
open class CBCentralManager: CBManager {
  /// What the hardware can do.
  public struct Feature: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let extendedScanAndConnect = Feature(rawValue: 1)
    /// No virtual phone has it.
    public static let channelSounding = Feature(rawValue: 1024)
  }

  let core: CentralCore

  /// A manager without a delegate, on the main queue.
  public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

  public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?) {
    self.init(delegate: delegate, queue: queue, options: nil)
  }

  /// Callbacks are made on `queue`, which has to be a serial one, or on the main queue. The first of them comes after
  /// this call.
  public init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
    let identifier = options?[CBCentralManagerOptionRestoreIdentifierKey] as? String
    core = CentralCore(phone: PhoneLink.phone, queue: queue, restoreIdentifier: identifier)
    super.init(link: core.link)
    self.delegate = delegate
    core.manager = self
    core.begin(
      ManagerSetup(
        restoreIdentifier: identifier,
        showsPowerAlert: isSet(CBCentralManagerOptionShowPowerAlertKey, in: options, otherwise: true)))
  }

  deinit { link.end() }

  open weak var delegate: (any CBCentralManagerDelegate)?

  open var isScanning: Bool { core.memory.withLock { $0.scan != nil } }

  open class func supports(_ features: Feature) -> Bool {
    var offered: Feature = []
    if PhoneLink.phone?.supportsExtendedScanAndConnect == true { offered.insert(.extendedScanAndConnect) }
    return offered.isSuperset(of: features)
  }

  /// Without services, or with none, every peripheral counts. A new scan takes the place of the one before.
  open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
    guard link.allows("scanForPeripherals(withServices:options:)") else { return }
    core.startScan(services: serviceUUIDs, options: options)
  }

  /// After this call the delegate is told of no peripheral, not even of one that was heard before.
  open func stopScan() {
    guard link.allows("stopScan()") else { return }
    core.stopScan()
  }

  /// The peripherals with these identifiers, as far as the phone knows them.
  open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
    guard link.allows("retrievePeripherals(withIdentifiers:)"), let (phone, number) = link.reach() else { return [] }
    let known = phone.known(identifiers, to: number).filter { identifiers.contains($0.identifier) }
    return known.map { core.peripheral($0) }
  }

  /// The peripherals that are connected to this phone, by whatever application. To use one, connect to it here too.
  open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
    connectedPeripherals("retrieveConnectedPeripherals(withServices:)", services: serviceUUIDs)
  }

  func connectedPeripherals(_ call: String, services: [CBUUID]?) -> [CBPeripheral] {
    guard link.allows(call), let (phone, number) = link.reach() else { return [] }
    return phone.connected(withAnyOf: services?.map(\.attribute), to: number).map { core.peripheral($0) }
  }

  /// It has no time-out: the attempt goes on until it is cancelled, or nobody holds the peripheral.
  open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
    let call = "connect(_:options:)"
    guard link.allows(call), core.accepts(peripheral, in: call) else { return }
    core.connect(peripheral, options: options)
  }

  /// Ends a connection or an attempt. Commands that are under way may never be answered.
  open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
    let call = "cancelPeripheralConnection(_:)"
    guard link.allows(call), core.accepts(peripheral, in: call) else { return }
    core.cancel(peripheral)
  }

  /// The delegate is told of connections that other applications make and lose.
  open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) {
    guard link.allows("registerForConnectionEvents(options:)") else { return }
    let services = (options?[.serviceUUIDs] as? [CBUUID])?.map(\.attribute)
    let peripherals = options?[.peripheralUUIDs] as? [UUID]
    core.request(.registerForConnectionEvents(services: services, peripherals: peripherals))
  }
}
