// What is remembered of devices between two launches of an application: values alone, which a machine can hold.

/// A device as the store remembers it.
///
/// It is found again by the UUID of any of its services, so the same device keeps its id though its address is another
/// one. Times are seconds since 1970 by the wall clock; `nil`: it never happened, or nobody knows.
public struct StoredDevice: Hashable, Sendable {
  /// Chosen when the device was first met, by whoever met it; it says nothing about the device.
  public var id: String
  public var friendlyName: String?
  public var modelName: String?
  public var manufacturer: String?
  /// Where it was reached, newest first.
  public var addresses: [String]
  public var lastSeenUnixSeconds: Int64?
  public var lastConnectedUnixSeconds: Int64?
  /// Ordered by UUID, then by service id, each pair of them once.
  public private(set) var services: [StoredService]

  /// - Parameter services: in any order; of two with the same UUID and id the later one counts.
  public init(
    id: String, friendlyName: String? = nil, modelName: String? = nil, manufacturer: String? = nil,
    addresses: [String] = [], lastSeenUnixSeconds: Int64? = nil, lastConnectedUnixSeconds: Int64? = nil,
    services: [StoredService] = []
  ) {
    self.id = id
    self.friendlyName = friendlyName
    self.modelName = modelName
    self.manufacturer = manufacturer
    self.addresses = addresses
    self.lastSeenUnixSeconds = lastSeenUnixSeconds
    self.lastConnectedUnixSeconds = lastConnectedUnixSeconds
    let isOrdered = zip(services, services.dropFirst()).allSatisfy { $0.precedes($1) }
    self.services = isOrdered ? services : []
    if !isOrdered { for service in services { put(service) } }
  }

  /// Adds a service, or puts it in the place of the one with the same UUID and id.
  public mutating func put(_ service: StoredService) {
    let place = services.firstIndex { !$0.precedes(service) } ?? services.endIndex
    if place < services.endIndex, !service.precedes(services[place]) {
      services[place] = service
    } else {
      services.insert(service, at: place)
    }
  }

  /// Takes away every service of one UUID.
  /// - Returns: those services, in their order.
  @discardableResult public mutating func removeServices(uuid: String) -> [StoredService] {
    let key = StoredUUID(uuid)
    let taken = services.filter { StoredUUID($0.uuid) == key }
    if !taken.isEmpty { services.removeAll { StoredUUID($0.uuid) == key } }
    return taken
  }

  /// The UUIDs of its services in the form in which they are compared, each once, in order.
  public var uuids: [StoredUUID] {
    var uuids: [StoredUUID] = []
    for service in services {
      let uuid = StoredUUID(service.uuid)
      if uuids.last != uuid { uuids.append(uuid) }
    }
    return uuids
  }
}

/// A service of a device.
public struct StoredService: Hashable, Sendable {
  /// As the device wrote it. Letters of both cases mean the same.
  public var uuid: String
  /// The kind of service, as an application names it: "DLNA".
  public var serviceID: String
  /// What was searched for when it was found: "urn:schemas-upnp-org:device:MediaRenderer:1".
  public var serviceType: String?
  /// What its description said: friendlyName, location and so on.
  public var description: StoredPairs
  /// What the application keeps for it.
  public var config: StoredPairs
  /// Secrets of a pairing. They are in no text of an error.
  public var pairingKey: [UInt8]?
  public var certificate: [UInt8]?
  /// When the device had it last, by the wall clock; `nil`: nobody knows.
  public var lastSeenUnixSeconds: Int64?
  /// The device that it was of before that one became a part of this one and nothing else was left of it; the id comes back
  /// where the two turn out to be two.
  public var formerDeviceID: String?

  public init(
    uuid: String, serviceID: String, serviceType: String? = nil, description: StoredPairs = [:],
    config: StoredPairs = [:], pairingKey: [UInt8]? = nil, certificate: [UInt8]? = nil,
    lastSeenUnixSeconds: Int64? = nil, formerDeviceID: String? = nil
  ) {
    self.uuid = uuid
    self.serviceID = serviceID
    self.serviceType = serviceType
    self.description = description
    self.config = config
    self.pairingKey = pairingKey
    self.certificate = certificate
    self.lastSeenUnixSeconds = lastSeenUnixSeconds
    self.formerDeviceID = formerDeviceID
  }

  /// The order of services: by UUID without regard to case, then by the bytes of the id.
  public func precedes(_ other: StoredService) -> Bool {
    switch StoredUUID.order(uuid, other.uuid) {
    case ..<0: true
    case 0: serviceID.utf8.lexicographicallyPrecedes(other.serviceID.utf8)
    default: false
    }
  }
}

/// A UUID of a service in the form in which UUIDs are compared: ASCII letters in lower case, all else as it is.
///
/// What devices announce as a UUID need not be one, so nothing else is asked of it.
public struct StoredUUID: Hashable, Sendable, Comparable {
  public let text: String

  public init(_ uuid: String) {
    text = uuid.utf8.contains { small($0) != $0 } ? uuid.inSmallASCII : uuid
  }

  public static func == (left: StoredUUID, right: StoredUUID) -> Bool { order(left.text, right.text) == 0 }
  public static func < (left: StoredUUID, right: StoredUUID) -> Bool { order(left.text, right.text) < 0 }
  public func hash(into hasher: inout Hasher) { for byte in text.utf8 { hasher.combine(byte) } }

  /// Below, equal to or above zero, by bytes, as a database orders them too.
  fileprivate static func order(_ left: String, _ right: String) -> Int {
    var (ours, theirs) = (left.utf8.makeIterator(), right.utf8.makeIterator())
    while true {
      switch (ours.next().map(small), theirs.next().map(small)) {
      case (nil, nil): return 0
      case (nil, _): return -1
      case (_, nil): return 1
      case (let our?, let their?): if our != their { return our < their ? -1 : 1 }
      }
    }
  }
}
