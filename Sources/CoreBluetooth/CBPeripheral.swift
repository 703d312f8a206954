// The names are those of Apple's declarations.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import RollcallDoors

/// A device that this application has found, retrieved or connected to.
open class CBPeripheral: CBPeer {
  struct Inner {
    var name: String?
    var state = CBPeripheralState.disconnected
    /// The link or attempt that counts; others are of the past.
    var link = 0
    /// Links that the application has cancelled, and the phone has not confirmed.
    var cancelled: [Int] = []
    var services: [CBService]?
    /// What was discovered, by handle: services by their first, characteristics by that of their value.
    var attributes: [UInt16: CBAttribute] = [:]
    var isAuthorizedForANCS = false
    var strength: NSNumber?
  }

  let core: CentralCore
  /// How often the manager's peripherals had become invalid when this one was made.
  let epoch: Int
  let inner: Guarded<Inner>

  init(core: CentralCore, epoch: Int, known: KnownPeripheral) {
    self.core = core
    self.epoch = epoch
    inner = Guarded(Inner(name: known.name))
    super.init(identifier: known.identifier)
  }

  deinit {
    let (state, link) = inner.withLock { ($0.state, $0.link) }
    core.dropped(identifier, epoch: epoch, state: state, link: link)
  }

  open weak var delegate: (any CBPeripheralDelegate)?

  open var name: String? { inner.withLock { $0.name } }
  open var state: CBPeripheralState { inner.withLock { $0.state } }
  /// Nil until they were asked for, and again after the connection.
  open var services: [CBService]? { inner.withLock { $0.services } }
  open var ancsAuthorized: Bool { inner.withLock { $0.isAuthorizedForANCS } }
  @available(*, deprecated, message: "the delegate is told of it")
  open var rssi: NSNumber? { inner.withLock { $0.strength } }

  /// Whether a write without response would find room. After a no, the delegate is told when there is.
  open var canSendWriteWithoutResponse: Bool {
    guard state == .connected, let (phone, number) = core.link.reach() else { return false }
    return phone.hasRoomToWrite(identifier, for: number)
  }

  /// How many bytes one write takes. Without a connection it is what every connection takes.
  open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
    guard state == .connected, let (phone, number) = core.link.reach() else { return type == .withResponse ? 512 : 20 }
    return phone.maximumWriteLength(identifier, withResponse: type == .withResponse, for: number)
  }

  open func readRSSI() {
    guard isUsable("readRSSI()") else { return }
    core.request(.readStrength(identifier))
  }

  open func discoverServices(_ serviceUUIDs: [CBUUID]?) {
    guard isUsable("discoverServices(_:)") else { return }
    core.request(.discoverServices(identifier, serviceUUIDs?.map(\.attribute)))
  }

  open func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
    let call = "discoverIncludedServices(_:for:)"
    guard isUsable(call), handle(of: service, in: call) != nil, let range = service.handles else { return }
    core.request(.discoverIncludedServices(identifier, service: range, includedServiceUUIDs?.map(\.attribute)))
  }

  open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
    let call = "discoverCharacteristics(_:for:)"
    guard isUsable(call), handle(of: service, in: call) != nil, let range = service.handles else { return }
    core.request(.discoverCharacteristics(identifier, service: range, characteristicUUIDs?.map(\.attribute)))
  }

  open func discoverDescriptors(for characteristic: CBCharacteristic) {
    let call = "discoverDescriptors(for:)"
    guard isUsable(call), let handle = handle(of: characteristic, in: call) else { return }
    core.request(.discoverDescriptors(identifier, characteristic: handle))
  }

  open func readValue(for characteristic: CBCharacteristic) {
    let call = "readValue(for:)"
    guard isUsable(call), let handle = handle(of: characteristic, in: call) else { return }
    core.request(.read(identifier, handle))
  }

  open func readValue(for descriptor: CBDescriptor) {
    let call = "readValue(for:)"
    guard isUsable(call), let handle = handle(of: descriptor, in: call) else { return }
    core.request(.read(identifier, handle))
  }

  open func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {
    let call = "writeValue(_:for:type:)"
    guard isUsable(call), let handle = handle(of: characteristic, in: call) else { return }
    // With a response the peripheral refuses what it does not offer; without one nobody would hear of it.
    if type == .withoutResponse, !characteristic.properties.contains(.writeWithoutResponse) {
      core.link.misused(.missingProperty, in: call, "\(characteristic.uuid) takes no writes without response")
      return
    }
    core.request(.write(identifier, handle, Array(data), withResponse: type == .withResponse))
  }

  open func writeValue(_ data: Data, for descriptor: CBDescriptor) {
    let call = "writeValue(_:for:)"
    guard isUsable(call), let handle = handle(of: descriptor, in: call) else { return }
    if descriptor.uuid.attribute == AttributeUUID(0x2902) {
      core.link.misused(.writtenSubscription, in: call, "subscriptions are changed by setNotifyValue(_:for:)")
      return
    }
    core.request(.write(identifier, handle, Array(data), withResponse: true))
  }

  open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
    let call = "setNotifyValue(_:for:)"
    guard isUsable(call), let handle = handle(of: characteristic, in: call) else { return }
    let wish: Subscription
    switch (enabled, characteristic.properties) {
    case (false, _): wish = .off
    case (true, let offered) where !offered.isDisjoint(with: [.notify, .notifyEncryptionRequired]):
      // Where both are offered, notifications are taken.
      wish = .notifications
    case (true, let offered) where !offered.isDisjoint(with: [.indicate, .indicateEncryptionRequired]):
      wish = .indications
    default:
      answer(characteristic, .attribute(UInt8(CBATTError.Code.requestNotSupported.rawValue)))
      return
    }
    // What is so already is answered here; the peripheral does not hear of it.
    let isSoAlready = characteristic.content.withLock { content in
      if content.changesUnderWay == 0, content.isNotifying == enabled { return true }
      content.changesUnderWay += 1
      return false
    }
    if isSoAlready { return answer(characteristic, nil) }
    core.request(.subscribe(identifier, characteristic: handle, wish))
  }

  /// The virtual phone has no L2CAP channels: the delegate is told that this cannot be done.
  open func openL2CAPChannel(_ PSM: CBL2CAPPSM) {
    refuse("openL2CAPChannel(_:)") { $0.delegate?.peripheral($0, didOpen: nil, error: $1) }
  }

  /// No virtual phone has channel sounding: the delegate is told that the session has ended since this cannot be done.
  open func startChannelSoundingSession(_ configuration: CBChannelSoundingSessionConfiguration) {
    refuse("startChannelSoundingSession(_:)") { $0.delegate?.peripheral($0, didCompleteChannelSoundingSession: $1) }
  }

  /// There is never a session.
  open func cancelChannelSoundingSession() {}

  /// Has the delegate be told that a call of a connected peripheral is not supported.
  private func refuse(_ call: String, _ tell: @escaping @Sendable (CBPeripheral, any Error) -> Void) {
    guard isUsable(call) else { return }
    let carried = Carried(self)
    core.later { _ in
      guard carried.value.state == .connected else { return }
      tell(carried.value, PhoneError.bluetooth(.operationNotSupported).asError)
    }
  }

  private func answer(_ characteristic: CBCharacteristic, _ error: PhoneError?) {
    let carried = Carried((self, characteristic))
    core.later { _ in
      let (peripheral, characteristic) = carried.value
      guard peripheral.state == .connected, characteristic.handle != nil else { return }
      peripheral.delegate?.peripheral(
        peripheral, didUpdateNotificationStateFor: characteristic, error: error?.asError)
    }
  }

  /// Whether commands reach the peripheral at all.
  private func isUsable(_ call: String) -> Bool {
    guard core.link.allows(call), core.accepts(self, in: call) else { return false }
    if state == .connected { return true }
    core.link.misused(.notConnected, in: call, "the peripheral is \(state)")
    return false
  }

  /// The handle, or nil for an attribute of another peripheral or of a time that is over.
  private func handle(of attribute: CBAttribute, in call: String) -> UInt16? {
    if attribute.home === self, let handle = attribute.handle { return handle }
    core.link.misused(.invalidAttribute, in: call, "\(attribute.uuid) is not of this connection")
    return nil
  }
}
