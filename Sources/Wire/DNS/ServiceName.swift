/// Why a text is no part of a service's name.
public enum ServiceNameFault: String, Error, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  /// No byte.
  case empty
  /// More than 15 bytes of a service's own name, or more than 63 of a label.
  case tooLong
  /// A service's own name has a byte that is neither letter, digit nor hyphen.
  case character
  /// A service's own name without a letter.
  case noLetter
  /// A hyphen is the first or the last byte of a service's own name.
  case hyphenAtEdge
  /// Two hyphens side by side in a service's own name.
  case adjacentHyphens
  /// A label that has to begin with an underscore does not.
  case noUnderscore
  /// The label behind the service's own name is neither `_tcp` nor `_udp`.
  case transport
  /// The name of an instance is not UTF-8.
  case notUTF8
  /// The name of an instance has a byte below 32, or 127.
  case controlByte
  /// Fewer labels than such a name has, or with all its labels more than 255 bytes.
  case form
}

/// A service type of DNS-SD (RFC 6763 §4.1.2): `_name._tcp` or `_name._udp` in a domain.
public struct ServiceType: Hashable, Sendable {
  @frozen public enum Transport: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
    case tcp = "_tcp"
    /// Every transport but TCP (RFC 6763 §7).
    case udp = "_udp"
  }

  /// `_name._tcp.domain`: what is browsed.
  public let domainName: DNSName
  public let transport: Transport
  public let domain: DNSName

  public static let nameBytesMaximum = 15
  /// `_services._dns-sd._udp.local`, which lists the types that there are (RFC 6763 §9).
  public static let enumerationName = DNSName(labels: ["_services", "_dns-sd", "_udp", "local"])!

  /// - Parameter name: the service's own name, without its underscore.
  public init(
    _ name: some Collection<UInt8>, _ transport: Transport, domain: DNSName = .local
  ) throws(ServiceNameFault) {
    if let fault = ServiceType.fault(inName: name) { throw fault }
    let found = domain.adding(transport.rawValue)?.adding([UInt8(ascii: "_")] + name)
    guard let found else { throw .form }
    (domainName, self.transport, self.domain) = (found, transport, domain)
  }

  public init(_ name: String, _ transport: Transport, domain: DNSName = .local) throws(ServiceNameFault) {
    try self.init(Array(name.utf8), transport, domain: domain)
  }

  /// Reads `_name._tcp.domain`.
  public init(_ domainName: DNSName) throws(ServiceNameFault) {
    guard let rest = domainName.parent, let domain = rest.parent else { throw .form }
    let own = domainName.firstLabel
    guard own.first == UInt8(ascii: "_") else { throw .noUnderscore }
    if let fault = ServiceType.fault(inName: own.dropFirst()) { throw fault }
    let transport = Transport.allCases.first { label in
      rest.firstLabel.elementsEqual(label.rawValue.utf8) { ASCIICase.fold($0) == $1 }
    }
    guard let transport else { throw .transport }
    (self.domainName, self.transport, self.domain) = (domainName, transport, domain)
  }

  /// The service's own name, without its underscore.
  public var name: String { String(decoding: domainName.firstLabel.dropFirst(), as: UTF8.self) }

  /// `_subtype._sub._name._tcp.domain`: what is browsed for a part of the instances (RFC 6763 §7.1).
  ///
  /// - Parameter subtype: the label as it stands, with an underscore where it has one: 1...63 bytes of any kind.
  public func name(ofSubtype subtype: some Collection<UInt8>) throws(ServiceNameFault) -> DNSName {
    guard !subtype.isEmpty else { throw .empty }
    guard subtype.count <= DNSName.labelBytesMaximum else { throw .tooLong }
    guard let name = domainName.adding("_sub")?.adding(subtype) else { throw .form }
    return name
  }

  /// What RFC 6335 §5.1 says of a service's own name, the first thing that is wrong; `nil` where nothing is.
  public static func fault(inName name: some Collection<UInt8>) -> ServiceNameFault? {
    if name.isEmpty { return .empty }
    if name.count > nameBytesMaximum { return .tooLong }
    let hyphen = UInt8(ascii: "-")
    var (hasLetter, before) = (false, UInt8(0))
    var hasAdjacentHyphens = false
    for byte in name {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): hasLetter = true
      case UInt8(ascii: "0")...UInt8(ascii: "9"): break
      case hyphen: hasAdjacentHyphens = hasAdjacentHyphens || before == hyphen
      default: return .character
      }
      before = byte
    }
    if !hasLetter { return .noLetter }
    if name.first == hyphen || before == hyphen { return .hyphenAtEdge }
    return hasAdjacentHyphens ? .adjacentHyphens : nil
  }
}

/// The name of one service (RFC 6763 §4.1): a label for people, then a type.
public struct ServiceInstanceName: Hashable, Sendable {
  /// `instance._name._tcp.domain`.
  public let domainName: DNSName
  public let type: ServiceType

  /// - Parameter instance: 1...63 bytes of UTF-8 without ASCII control characters; dots are nothing special in it.
  public init(_ instance: some Collection<UInt8>, _ type: ServiceType) throws(ServiceNameFault) {
    if let fault = ServiceInstanceName.fault(inInstance: instance) { throw fault }
    guard let found = type.domainName.adding(instance) else { throw .form }
    (domainName, self.type) = (found, type)
  }

  public init(_ instance: String, _ type: ServiceType) throws(ServiceNameFault) {
    try self.init(Array(instance.utf8), type)
  }

  /// Reads `instance._name._tcp.domain`: the first label is the instance, whatever is in it.
  public init(_ domainName: DNSName) throws(ServiceNameFault) {
    guard let rest = domainName.parent else { throw .form }
    type = try ServiceType(rest)
    if let fault = ServiceInstanceName.fault(inInstance: domainName.firstLabel) { throw fault }
    self.domainName = domainName
  }

  /// The label for people.
  public var instance: String { String(decoding: domainName.firstLabel, as: UTF8.self) }

  /// What RFC 6763 §4.1.1 says of an instance's label, the first thing that is wrong; `nil` where nothing is.
  public static func fault(inInstance label: some Collection<UInt8>) -> ServiceNameFault? {
    if label.isEmpty { return .empty }
    if label.count > DNSName.labelBytesMaximum { return .tooLong }
    if label.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return .controlByte }
    return String(validating: label, as: UTF8.self) == nil ? .notUTF8 : nil
  }
}
