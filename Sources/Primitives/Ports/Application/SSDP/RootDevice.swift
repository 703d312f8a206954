// What SSDP says of a device: how the sighting of a root device is made and read.

extension DeviceSighting {
  /// A root device.
  ///
  /// - Parameters:
  ///   - device: `uuid:` and the UUID as first heard.
  ///   - location: the URL of its description in force; `nil` where none was usable.
  ///   - source: the address in force, from which it was heard on `interface`.
  public init(device: String, location: String?, source: IPAddress, interface: InterfaceID, bootID: UInt32?) {
    var attributes: [DeviceAttribute] = []
    attributes.reserveCapacity(2)
    if let location { attributes.append(DeviceAttribute(.location, .text(location))) }
    if let bootID { attributes.append(DeviceAttribute(.bootID, .number(bootID))) }
    self.init(
      device: device, provider: .ssdp, locator: Locator(.ip(source), on: interface), attributes: attributes)
  }

  public var location: String? { self[.location]?.text }
  public var bootID: UInt32? { self[.bootID]?.number }
  /// 0.0.0.0 for what is no host of an IP network.
  public var source: IPAddress { if case .ip(let address) = locator.address { address } else { IPAddress(v4: 0) } }
  /// The first one for what is heard in one way only.
  public var interface: InterfaceID { locator.interface ?? InterfaceID(0) }
}

extension ProviderID {
  /// Whether each of its devices ought to say where its description is, so that none is worth a word.
  package var expectsLocation: Bool { self == .ssdp }
}

extension Change {
  public static func location(from former: String?) -> Change { .attribute(.location, from: former.map { .text($0) }) }
  /// It announced the BOOTID under which it goes on (ssdp:update).
  public static func bootID(from former: UInt32?) -> Change { .attribute(.bootID, from: former.map { .number($0) }) }
  public static func configID(from former: UInt32?) -> Change {
    .attribute(.configID, from: former.map { .number($0) })
  }
  public static func address(from former: IPAddress) -> Change { .address(from: .ip(former)) }
}
