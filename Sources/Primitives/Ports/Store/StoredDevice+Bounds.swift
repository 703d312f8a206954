/// What a stored device may hold at most. What comes from a network is stored, so a device that sends much must not fill
/// the disk of a user.
public enum StoredBounds {
  public static let idBytes = 256
  public static let nameBytes = 1_024
  public static let addresses = 8
  public static let addressBytes = 256
  public static let services = 64
  public static let uuidBytes = 256
  public static let serviceTypeBytes = 1_024
  /// Of a description, and of a config.
  public static let pairs = 64
  public static let keyBytes = 256
  public static let valueBytes = 8_192
  public static let pairingKeyBytes = 8_192
  public static let certificateBytes = 65_536
  /// Of all that is stored of one device, as it is written.
  public static let recordBytes = 262_144
}

/// Why a device is not stored.
public enum StoredFault: Hashable, Sendable {
  /// More than is kept: bytes, or elements of a list.
  case tooMuch(field: String, found: Int, maximum: Int)
  /// A name by which something is looked up is empty, or has a control character.
  case notAName(field: String)
}

extension StoredDevice {
  /// The first thing that is out of bounds; `nil`: it can be stored. Text is stored as it is, control characters too,
  /// but for the names by which something is looked up.
  public var fault: StoredFault? {
    var check = BoundsCheck()
    check.name(id, "id", StoredBounds.idBytes)
    check.bytes(friendlyName, "friendlyName", StoredBounds.nameBytes)
    check.bytes(modelName, "modelName", StoredBounds.nameBytes)
    check.bytes(manufacturer, "manufacturer", StoredBounds.nameBytes)
    check.count(addresses.count, "addresses", StoredBounds.addresses)
    for address in addresses { check.bytes(address, "an address", StoredBounds.addressBytes) }
    check.count(services.count, "services", StoredBounds.services)
    for service in services { service.check(&check) }
    return check.fault
  }
}

extension StoredService {
  fileprivate func check(_ check: inout BoundsCheck) {
    check.name(uuid, "the UUID of a service", StoredBounds.uuidBytes)
    check.name(serviceID, "serviceID", StoredBounds.idBytes)
    check.bytes(serviceType, "serviceType", StoredBounds.serviceTypeBytes)
    check.pairs(description, "description")
    check.pairs(config, "config")
    check.count(pairingKey?.count ?? 0, "pairingKey", StoredBounds.pairingKeyBytes)
    check.count(certificate?.count ?? 0, "certificate", StoredBounds.certificateBytes)
    check.bytes(formerDeviceID, "formerDeviceID", StoredBounds.idBytes)
  }
}

/// Keeps the first fault.
private struct BoundsCheck {
  private(set) var fault: StoredFault?

  mutating func count(_ found: Int, _ field: String, _ maximum: Int) {
    if fault == nil, found > maximum { fault = .tooMuch(field: field, found: found, maximum: maximum) }
  }

  mutating func bytes(_ text: String?, _ field: String, _ maximum: Int) {
    if let text { count(text.utf8.count, field, maximum) }
  }

  mutating func name(_ text: String, _ field: String, _ maximum: Int) {
    let isName = !text.isEmpty && !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    if fault == nil, !isName { fault = .notAName(field: field) }
    bytes(text, field, maximum)
  }

  mutating func pairs(_ pairs: StoredPairs, _ field: String) {
    count(pairs.elements.count, field, StoredBounds.pairs)
    for pair in pairs.elements {
      bytes(pair.key, "a key of \(field)", StoredBounds.keyBytes)
      bytes(pair.value, "a value of \(field)", StoredBounds.valueBytes)
    }
  }
}
