/// A UPnP device description: what LOCATION leads to (UDA 2.0, section 2.3).
public struct DescriptionDocument: Hashable, Sendable {
  /// One service of a device.
  public struct Service: Hashable, Sendable {
    /// `urn:`domain`:service:`type`:`version
    public var type: String
    /// `urn:`domain`:serviceId:`id
    public var id: String
    /// Paths for the service's description, its actions and its events, from the root of the server on.
    public var descriptionPath: String
    public var controlPath: String
    public var eventPath: String

    public init(type: String, id: String, descriptionPath: String, controlPath: String, eventPath: String) {
      (self.type, self.id) = (type, id)
      (self.descriptionPath, self.controlPath, self.eventPath) = (descriptionPath, controlPath, eventPath)
    }

    /// A service with the id and the paths that follow from its type: `AVTransport` of `urn:…:service:AVTransport:1`.
    public init(type: String, number: Int, below prefix: String) {
      let parts = type.split(separator: ":", omittingEmptySubsequences: false)
      let name = parts.count >= 4 && !parts[3].isEmpty ? String(parts[3]) : "Service"
      let domain = parts.count >= 4 ? String(parts[1]) : "upnp-org"
      // UDA 2.0, section 2.3: services of the standard have ids in a domain of their own.
      let idDomain = domain == "schemas-upnp-org" ? "upnp-org" : domain
      let path = "\(prefix)\(number)/"
      self.init(
        type: type, id: "urn:\(idDomain):serviceId:\(name)", descriptionPath: path + "scpd.xml",
        controlPath: path + "control", eventPath: path + "event")
    }
  }

  /// One device; the root, or an embedded one.
  public struct Device: Hashable, Sendable {
    /// `urn:`domain`:device:`type`:`version
    public var type: String
    public var friendlyName: String
    public var manufacturer: String
    public var modelName: String
    /// `uuid:` and the UUID as SSDP messages print it.
    public var udn: String
    public var services: [Service]
    public var embedded: [Device]

    public init(
      type: String, friendlyName: String, manufacturer: String, modelName: String, udn: String,
      services: [Service] = [], embedded: [Device] = []
    ) {
      (self.type, self.friendlyName, self.manufacturer) = (type, friendlyName, manufacturer)
      (self.modelName, self.udn, self.services, self.embedded) = (modelName, udn, services, embedded)
    }
  }

  /// Of the UDA: 1.0, 1.1 or 2.0.
  public var major: Int
  public var minor: Int
  /// CONFIGID; `nil` under UDA 1.0, which has none.
  public var configID: UInt32?
  public var root: Device

  public init(major: Int, minor: Int, configID: UInt32?, root: Device) {
    (self.major, self.minor, self.configID, self.root) = (major, minor, configID, root)
  }

  /// The document as UTF-8; elements in the order in which UDA has them.
  public var bytes: [UInt8] {
    var xml = XMLText()
    xml.line("<?xml version=\"1.0\" encoding=\"utf-8\"?>")
    let config = configID.map { " configId=\"\($0)\"" } ?? ""
    xml.open("root", attributes: " xmlns=\"urn:schemas-upnp-org:device-1-0\"" + config)
    xml.open("specVersion")
    xml.element("major", "\(major)")
    xml.element("minor", "\(minor)")
    xml.close("specVersion")
    write(root, &xml)
    xml.close("root")
    return Array(xml.text.utf8)
  }

  private func write(_ device: Device, _ xml: inout XMLText) {
    xml.open("device")
    xml.element("deviceType", device.type)
    // UDA asks for less than 64, 64 and 32 characters.
    xml.element("friendlyName", String(device.friendlyName.prefix(63)))
    xml.element("manufacturer", String(device.manufacturer.prefix(63)))
    xml.element("modelName", String(device.modelName.prefix(31)))
    xml.element("UDN", device.udn)
    if !device.services.isEmpty {
      xml.open("serviceList")
      for service in device.services {
        xml.open("service")
        xml.element("serviceType", service.type)
        xml.element("serviceId", service.id)
        xml.element("SCPDURL", service.descriptionPath)
        xml.element("controlURL", service.controlPath)
        xml.element("eventSubURL", service.eventPath)
        xml.close("service")
      }
      xml.close("serviceList")
    }
    if !device.embedded.isEmpty {
      xml.open("deviceList")
      for part in device.embedded { write(part, &xml) }
      xml.close("deviceList")
    }
    xml.close("device")
  }
}
