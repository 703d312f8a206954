/// One answer to a search.
public struct ServiceSighting: Hashable, Sendable {
  /// Everything but the search. It stands first, so that the search fills its last word.
  public var names: ServiceNames
  public var search: SearchID

  /// The root device it belongs to.
  public var device: String { names.device }
  public var usn: String { names.usn }
  /// What a service is called among all services: its USN.
  package var name: String { names.usn }
  /// ST of the answer.
  public var target: String { names.target }
  public var location: String? { names.location }

  public init(search: SearchID, device: String, usn: String, target: String, location: String?) {
    self.init(search: search, names: ServiceNames(device: device, usn: usn, target: target, location: location))
  }
  public init(search: SearchID, names: ServiceNames) { (self.search, self.names) = (search, names) }
}
