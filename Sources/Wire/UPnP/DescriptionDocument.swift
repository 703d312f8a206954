/// A UPnP device description: what LOCATION leads to (UDA 2.0, section 2.3).
///
/// It is written by `bytes` and read by `DescriptionReader`. What was written is read as the same value, except: of
/// `friendlyName`, `manufacturer` and `modelName` 63, 63 and 31 characters are written; blanks at the beginning and the
/// end of a text are not read; a character that XML cannot hold is written as `?`.
public struct DescriptionDocument: Hashable, Sendable {
  /// One service of a device.
  public struct Service: Hashable, Sendable {
    /// `urn:`domain`:service:`type`:`version
    public var type: String
    /// `urn:`domain`:serviceId:`id
    public var id: String
    /// Where the service's description, its actions and its events are: relative to the description, or absolute
    /// (`resolved`). No events: an empty path.
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

  /// A picture of a device.
  public struct Icon: Hashable, Sendable {
    public var mimeType: String
    /// In pixels; `nil`: not known.
    public var width: Int?
    public var height: Int?
    /// In bits a pixel.
    public var depth: Int?
    public var url: String

    public init(mimeType: String, width: Int?, height: Int?, depth: Int?, url: String) {
      (self.mimeType, self.width, self.height, self.depth, self.url) = (mimeType, width, height, depth, url)
    }
  }

  /// An element that is not of UDA.
  public struct Extension: Hashable, Sendable {
    /// Empty: none.
    public let namespace: String
    /// Without a prefix.
    public let name: String
    /// All text inside.
    public var text: String

    /// `nil` where no element can be written so: the name is none, or the namespace is the one of `xmlns`.
    public init?(namespace: String, name: String, text: String) {
      guard XMLCharacters.isLocalName(name), namespace != XMLReader.Namespace.xmlnsName else { return nil }
      (self.namespace, self.name, self.text) = (namespace, name, text)
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
    // What a description need not have; `nil`: it has it not.
    public var manufacturerURL: String?
    public var modelDescription: String?
    public var modelNumber: String?
    public var modelURL: String?
    public var serialNumber: String?
    public var upc: String?
    public var presentationURL: String?
    public var icons: [Icon] = []
    public var services: [Service]
    public var embedded: [Device]
    public var extensions: [Extension] = []

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
  /// What relative URLs are relative to; UDA 1.0 alone has it.
  public var urlBase: String?
  public var root: Device
  /// Elements beside the root device.
  public var extensions: [Extension] = []

  /// The namespace of all elements of UDA.
  public static let namespace = "urn:schemas-upnp-org:device-1-0"

  public init(major: Int, minor: Int, configID: UInt32?, root: Device) {
    (self.major, self.minor, self.configID, self.root) = (major, minor, configID, root)
  }
}
