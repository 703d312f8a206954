/// Why bytes are no device description that is read here, or what was let pass in one, and where that shows.
public struct DescriptionFault: Error, Hashable, Sendable {
  /// What UDA asks for, and limits.
  public enum Rule: String, Hashable, Sendable, CaseIterable {
    // Refused in both modes.
    /// The root element is not `root`.
    case notADescription
    case noDevice
    case tooManyDevices
    case tooManyServices
    case tooManyIcons
    /// Devices in devices.
    case tooDeeplyEmbedded
    /// The text of an element is longer than is read.
    case longValue
    // A flaw for lenient.
    /// An element of UDA that is not in the namespace of UDA.
    case namespace
    /// An element of UDA whose name is written with other capitals.
    case elementCase
    /// An element that UDA does not have there, and that does not say by its namespace, or a name that begins with
    /// `X_`, that it is an extension.
    case unknownElement
    case unknownAttribute
    /// An element that UDA has once. The first one counts.
    case repeatedElement
    case missingElement
    case emptyElement
    /// A list without entries.
    case emptyList
    /// An element where UDA has text only.
    case elementInText
    /// Text where UDA has elements only.
    case strayText
    /// More extensions, or a longer one, than are kept.
    case extensionLimit
    /// A version of UPnP that there is not, or no number. Where there is none 1.0 is read.
    case version
    /// `configId` is missing, which UDA requires from 1.1 on, or is no number below 2³¹.
    case configID
    /// `configId` with other capitals, or in a namespace.
    case configIDName
    /// A URLBase that is no absolute URL that can be fetched from.
    case urlBase
    /// A URLBase from UDA 1.1 on.
    case urlBaseForbidden
    /// A URL with a byte that no URL has.
    case badURL
    /// A type of a device or a service that is not `urn:`domain`:device:`type`:`version.
    case badType
    case badServiceID
    /// A UDN that is not `uuid:` and more; from UDA 1.1 on, and a UUID.
    case badUDN
    /// A size of an icon that is no number.
    case badNumber
    /// An icon that is no `image/`.
    case badMimeType
  }

  public enum Reason: Hashable, Sendable, CaseIterable, RawRepresentable {
    case xml(XMLFault.Reason)
    case rule(Rule)

    public init?(rawValue: String) {
      if let reason = XMLFault.Reason(rawValue: rawValue) {
        self = .xml(reason)
      } else if let rule = Rule(rawValue: rawValue) {
        self = .rule(rule)
      } else {
        return nil
      }
    }

    public var rawValue: String {
      switch self {
      case .xml(let reason): reason.rawValue
      case .rule(let rule): rule.rawValue
      }
    }

    public static var allCases: [Reason] {
      XMLFault.Reason.allCases.map(Reason.xml) + Rule.allCases.map(Reason.rule)
    }
  }

  public var reason: Reason
  public var place: XMLPlace
  /// For people: what there should have been, without a full stop.
  public var expected: String
  /// For people: what there was.
  public var found: String

  public init(_ reason: Reason, at place: XMLPlace, expected: String, found: String) {
    (self.reason, self.place, self.expected, self.found) = (reason, place, expected, found)
  }

  init(_ fault: XMLFault) {
    self.init(.xml(fault.reason), at: fault.place, expected: fault.expected, found: fault.found)
  }
}

extension DescriptionFault: CustomStringConvertible {
  public var description: String {
    "\(place): expected \(expected), found \(found)"
  }
}
