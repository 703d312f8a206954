// The names are those of Apple's declarations.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import RollcallDoors

/// Publishes services and advertises them to centrals.
open class CBPeripheralManager: CBManager {
  let core: PeripheralManagerCore

  /// A manager without a delegate, on the main queue.
  public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

  public convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?) {
    self.init(delegate: delegate, queue: queue, options: nil)
  }

  /// Callbacks are made on `queue`, which has to be a serial one, or on the main queue. The first of them comes after
  /// this call.
  public init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
    let identifier = options?[CBPeripheralManagerOptionRestoreIdentifierKey] as? String
    core = PeripheralManagerCore(phone: PhoneLink.phone, queue: queue, restoreIdentifier: identifier)
    super.init(link: core.link)
    self.delegate = delegate
    core.manager = self
    core.begin(
      ManagerSetup(
        restoreIdentifier: identifier,
        showsPowerAlert: isSet(CBPeripheralManagerOptionShowPowerAlertKey, in: options, otherwise: true)))
  }

  deinit { link.end() }

  open weak var delegate: (any CBPeripheralManagerDelegate)?

  open var isAdvertising: Bool { core.memory.withLock { $0.isAdvertising } }

  @available(*, deprecated, message: "use CBManager.authorization")
  open class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus {
    CBPeripheralManagerAuthorizationStatus(rawValue: authorization.rawValue) ?? .notDetermined
  }

  /// Only a local name and service UUIDs can be advertised.
  open func startAdvertising(_ advertisementData: [String: Any]?) {
    guard link.allows("startAdvertising(_:)") else { return }
    core.startAdvertising(advertisementData ?? [:])
  }

  open func stopAdvertising() {
    guard link.allows("stopAdvertising()") else { return }
    core.memory.withLock { memory in
      memory.isAdvertising = false
      memory.wantsToAdvertise = false
    }
    core.request(.stopAdvertising)
  }

  open func setDesiredConnectionLatency(_ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral) {
    guard link.allows("setDesiredConnectionLatency(_:for:)") else { return }
    core.request(.setLatency(latency, central.identifier))
  }

  open func add(_ service: CBMutableService) {
    guard link.allows("add(_:)") else { return }
    core.add(service)
  }

  open func remove(_ service: CBMutableService) {
    guard link.allows("remove(_:)") else { return }
    core.remove(service)
  }

  open func removeAllServices() {
    guard link.allows("removeAllServices()") else { return }
    core.removeAll()
  }

  /// Answers a request, and with it those that were made together with it.
  open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
    guard link.allows("respond(to:withResult:)"), let number = request.number else { return }
    core.request(.respond(number, code: UInt8(result.rawValue), request.value.map { Array($0) }))
  }

  /// False if there is no room for the value; the delegate is told when there is.
  open func updateValue(
    _ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?
  ) -> Bool {
    let call = "updateValue(_:for:onSubscribedCentrals:)"
    guard link.allows(call) else { return false }
    guard let handle = characteristic.handle else {
      link.misused(.invalidAttribute, in: call, "\(characteristic.uuid) is not published")
      return false
    }
    return core.update(handle, Array(value), to: centrals?.map(\.identifier))
  }

  /// The virtual phone has no L2CAP channels: the delegate is told that this cannot be done.
  open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {
    guard link.allows("publishL2CAPChannel(withEncryption:)") else { return }
    core.later { manager in
      let error = PhoneError.bluetooth(.operationNotSupported).asError
      manager.delegate?.peripheralManager(manager, didPublishL2CAPChannel: 0, error: error)
    }
  }

  /// As no channel is ever published, there is none to withdraw.
  open func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) {
    guard link.allows("unpublishL2CAPChannel(_:)") else { return }
    core.later { manager in
      let error = PhoneError.bluetooth(.operationNotSupported).asError
      manager.delegate?.peripheralManager(manager, didUnpublishL2CAPChannel: PSM, error: error)
    }
  }
}
