public import Foundation
import RollcallPrimitives

/// Where a service of a device is, and what its device says of itself there: as the network says it now, or as it was
/// written down before.
///
/// In JSON it has the names of the Connect SDK: `serviceId`, `address`, `port`, `UUID`, `type`, `version`, `friendlyName`,
/// `manufacturer`, `modelName`, `modelDescription`, `modelNumber` and `commandURL`; what is not known is left out. Text from a
/// device may hold anything that text can hold.
public struct ServiceDescription: Hashable, Sendable {
  /// Under which the service was registered: `DLNA`.
  public var serviceID: String
  /// Of the device or the part that offers it: what stands behind `uuid:` in its name, a UUID that it says of itself in its
  /// text, or else the whole name (`ble:…`, `peer:…`, `app:…`).
  public var uuid: String
  /// What it is found by, as `ServiceRegistration.filter` has it; `type` in JSON.
  public var serviceFilter: String?
  /// Where it is reached, as text: `192.168.1.20`; that of the service, where the device has others as well.
  public var address: String?
  /// Of the service, or of the server that describes it; `nil`: there is none, or it did not say.
  public var port: Int?
  /// What stands last in a filter with a version: the one that was asked for, `1`. The device may have a later one.
  public var version: String?
  public var friendlyName: String?
  public var manufacturer: String?
  public var modelName: String?
  public var modelDescription: String?
  public var modelNumber: String?
  /// The URL of its description.
  public var commandURL: URL?
  /// What the server said beside the description, as far as it is kept: `Application-URL`, where a device with DIAL has its
  /// apps. It is in no JSON.
  public var locationResponseHeaders: [String: String] = [:]

  public init(serviceID: String, uuid: String) { (self.serviceID, self.uuid) = (serviceID, uuid) }

  /// - Parameters:
  ///   - service: of a device, as its manager told it.
  ///   - part: the one that offers the service.
  ///   - filter: what the service was looked for by.
  init(_ service: ManagerReport.Service, of part: ManagerReport.Part, filter: String?) {
    let uuid = service.owner.uuidOfName.map { String($0) }
    self.init(serviceID: service.id, uuid: uuid ?? part.uuid ?? service.owner)
    serviceFilter = filter
    version = filter.flatMap { ServiceDescription.lastDigits(of: $0) }
    address = part.address?.description
    commandURL = part.location.flatMap { URL(string: $0) }
    port = part.port.map { Int($0) } ?? commandURL.map { ServiceDescription.portNumber(of: $0) }
    (friendlyName, manufacturer, modelName) = (part.name, part.manufacturer, part.model)
    (modelDescription, modelNumber) = (part.modelDescription, part.modelNumber)
    if let url = part.applicationURL { locationResponseHeaders["Application-URL"] = url }
  }

  /// The digits behind the last colon.
  private static func lastDigits(of filter: String) -> String? {
    guard let colon = filter.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
    let digits = filter[filter.utf8.index(after: colon)...]
    return digits.isEmpty || !digits.allSatisfy({ $0.isASCII && $0.isWholeNumber }) ? nil : String(digits)
  }

  private static func portNumber(of url: URL) -> Int { url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80) }
}

extension ServiceDescription: Codable {
  private enum CodingKeys: String, CodingKey {
    case serviceID = "serviceId"
    case address, port
    case uuid = "UUID"
    case serviceFilter = "type"
    case version, friendlyName, manufacturer, modelName, modelDescription, modelNumber, commandURL
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      serviceID: try fields.decode(String.self, forKey: .serviceID),
      uuid: try fields.decode(String.self, forKey: .uuid))
    serviceFilter = try fields.decodeIfPresent(String.self, forKey: .serviceFilter)
    address = try fields.decodeIfPresent(String.self, forKey: .address)
    port = try fields.decodeIfPresent(Int.self, forKey: .port)
    version = try fields.decodeIfPresent(String.self, forKey: .version)
    friendlyName = try fields.decodeIfPresent(String.self, forKey: .friendlyName)
    manufacturer = try fields.decodeIfPresent(String.self, forKey: .manufacturer)
    modelName = try fields.decodeIfPresent(String.self, forKey: .modelName)
    modelDescription = try fields.decodeIfPresent(String.self, forKey: .modelDescription)
    modelNumber = try fields.decodeIfPresent(String.self, forKey: .modelNumber)
    commandURL = try fields.decodeIfPresent(String.self, forKey: .commandURL).flatMap { URL(string: $0) }
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    for (key, value) in texts { try fields.encode(value, forKey: key) }
    try fields.encodeIfPresent(port, forKey: .port)
  }

  /// All but the port, in the order of the keys.
  private var texts: [(key: CodingKeys, value: String)] {
    let all: [(key: CodingKeys, value: String?)] = [
      (.serviceID, serviceID), (.address, address), (.uuid, uuid), (.serviceFilter, serviceFilter),
      (.version, version), (.friendlyName, friendlyName), (.manufacturer, manufacturer), (.modelName, modelName),
      (.modelDescription, modelDescription), (.modelNumber, modelNumber), (.commandURL, commandURL?.absoluteString),
    ]
    return all.compactMap { entry in entry.value.map { (key: entry.key, value: $0) } }
  }

  /// As a store keeps it, under the same keys as in JSON.
  var stored: StoredPairs {
    var pairs: StoredPairs = [:]
    for (key, value) in texts { pairs[key.rawValue] = value }
    if let port { pairs[CodingKeys.port.rawValue] = String(port) }
    return pairs
  }
}
