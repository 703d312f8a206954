/// One service of a device.
///
/// In JSON it is an object with `class` (the name of the service), `config` and `description`, as in the Connect SDK, and `owner`
/// (its `uuid`).
public struct DeviceService: Hashable, Sendable {
  /// Under which it was registered: `DLNA`.
  public var name: String
  /// Of the device or the part of it that offers the service, as the network has it: `uuid:…`, `ble:…`, `peer:…`.
  public var uuid: String
  /// Where it is, and what its device says of itself there.
  public var serviceDescription: ServiceDescription
  /// What is remembered of it.
  public var serviceConfig: ServiceConfig
}

extension DeviceService: Codable {
  private enum CodingKeys: String, CodingKey {
    case name = "class"
    case uuid = "owner"
    case serviceDescription = "description"
    case serviceConfig = "config"
  }
}
