public import Foundation
import RollcallPrimitives

/// What is remembered of a service: between two launches of the application, where the manager has a store.
///
/// In JSON it has the names of the Connect SDK: `UUID`, `connected`, `wasConnected`, `lastDetection` (seconds since 1970); beside
/// them `pairingKey`, `certificate` (in base64) and `values`. It holds secrets: an application that writes it down keeps it where
/// nobody else reads it. A config that was written down is of a service that is not connected any more.
public struct ServiceConfig: Hashable, Sendable {
  /// As `ServiceDescription.uuid`.
  public var uuid: String
  /// Its device is ready.
  public var isConnected = false
  /// Its device was ready once, in this launch or an earlier one.
  public var wasConnected = false
  /// When it was there last, by the wall clock; `nil`: nobody knows.
  public var lastDetection: Date?
  /// What its user typed, or what the service gave when its user agreed: with it the service does not ask again.
  public var pairingKey: String?
  /// Of the service, where the application keeps one (`ConnectableDevice.keep`), at most 65 536 bytes.
  public var certificate: Data?
  /// What the application keeps beside these: at most 64 values of at most 8192 bytes, keys of at most 256.
  public var values: [String: String] = [:]

  public init(uuid: String) { self.uuid = uuid }

  /// - Parameter service: as a store keeps it; when it was there last is known of its device.
  mutating func take(_ service: StoredService) {
    if let key = service.pairingKey { pairingKey = String(validating: key, as: UTF8.self) }
    if let bytes = service.certificate { certificate = Data(bytes) }
    for pair in service.config.elements { values[pair.key] = pair.value }
  }

  /// As a store keeps it, without when it was seen: what is `nil` here changes nothing there.
  func stored(_ service: ManagerReport.Service) -> StoredService {
    let pairs = values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      .map { StoredPairs.Pair(key: $0.key, value: $0.value) }
    return StoredService(
      uuid: service.owner, serviceID: service.id, config: StoredPairs(pairs),
      pairingKey: pairingKey.map { Array($0.utf8) }, certificate: certificate.map { Array($0) })
  }
}

extension ServiceConfig: Codable {
  private enum CodingKeys: String, CodingKey {
    case uuid = "UUID"
    case isConnected = "connected"
    case wasConnected, lastDetection, pairingKey, certificate, values
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    self.init(uuid: try fields.decode(String.self, forKey: .uuid))
    let wasReady = try fields.decodeIfPresent(Bool.self, forKey: .isConnected) ?? false
    wasConnected = try fields.decodeIfPresent(Bool.self, forKey: .wasConnected) ?? false || wasReady
    lastDetection = try fields.decodeIfPresent(Double.self, forKey: .lastDetection)
      .map { Date(timeIntervalSince1970: $0) }
    pairingKey = try fields.decodeIfPresent(String.self, forKey: .pairingKey)
    if let text = try fields.decodeIfPresent(String.self, forKey: .certificate) {
      guard let bytes = Data(base64Encoded: text) else {
        throw DecodingError.dataCorruptedError(
          forKey: .certificate, in: fields, debugDescription: "expected a certificate in base64")
      }
      certificate = bytes
    }
    values = try fields.decodeIfPresent([String: String].self, forKey: .values) ?? [:]
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(uuid, forKey: .uuid)
    if isConnected { try fields.encode(true, forKey: .isConnected) }
    if wasConnected { try fields.encode(true, forKey: .wasConnected) }
    try fields.encodeIfPresent(lastDetection?.timeIntervalSince1970, forKey: .lastDetection)
    try fields.encodeIfPresent(pairingKey, forKey: .pairingKey)
    try fields.encodeIfPresent(certificate?.base64EncodedString(), forKey: .certificate)
    if !values.isEmpty { try fields.encode(values, forKey: .values) }
  }
}
