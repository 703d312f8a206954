/// A device that the application found itself, by a protocol that the engine does not speak.
public struct ProvidedDevice: Hashable, Sendable {
  /// Its own name among those that the application provides; ASCII letters count in either case, as in all names of
  /// devices.
  public var id: String
  /// What people call it.
  public var name: String?
  /// Where it is reached, as text: `192.168.1.20`.
  public var address: String?
  /// What it offers: the filters of registrations with the provider `application`.
  public var services: [String]
  /// A UUID that it has, in any spelling: with it the device is one with others that have it.
  public var uuid: String?

  public init(
    id: String, name: String? = nil, address: String? = nil, services: [String], uuid: String? = nil
  ) {
    (self.id, self.name, self.address) = (id, name, address)
    (self.services, self.uuid) = (services, uuid)
  }

  /// Bounds, in bytes of UTF-8.
  public static let idBytesMaximum = 200
  public static let nameBytesMaximum = 256
  public static let servicesMaximum = 32

  /// What is wrong with it, for people; `nil`: nothing.
  public var complaint: String? {
    func isWord(_ text: String, _ maximum: Int) -> Bool {
      (1...maximum).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 32 && $0 != 127 && $0 != 59 }
    }
    if !isWord(id, ProvidedDevice.idBytesMaximum) {
      return "expected an id of 1 to \(ProvidedDevice.idBytesMaximum) bytes without blanks, found \(id.utf8.count)"
    }
    if let name, name.utf8.count > ProvidedDevice.nameBytesMaximum {
      return "expected a name of at most \(ProvidedDevice.nameBytesMaximum) bytes, found \(name.utf8.count)"
    }
    if let address, IPAddress(address) == nil { return "expected an address of IP, found '\(address.prefix(60))'" }
    if services.count > ProvidedDevice.servicesMaximum {
      return "expected at most \(ProvidedDevice.servicesMaximum) services, found \(services.count)"
    }
    if !services.allSatisfy({ isWord($0, ProvidedDevice.idBytesMaximum) }) {
      return "expected names of services of 1 to \(ProvidedDevice.idBytesMaximum) bytes without blanks"
    }
    if let uuid, !isWord(uuid, 64) { return "expected a UUID, found \(uuid.utf8.count) bytes" }
    return nil
  }

  /// What names it in the directory.
  public static func deviceName(_ id: String) -> String { "app:\(id)" }

  /// The device as the engine sees it.
  package var sighting: DeviceSighting {
    var sighting = DeviceSighting(
      device: ProvidedDevice.deviceName(id), provider: .application,
      locator: Locator(.ip(address.flatMap { IPAddress($0) } ?? IPAddress(v4: 0))))
    sighting[.name] = name.map { .text($0) }
    sighting[.services] = .text(services.joined(separator: " "))
    sighting[.txt] = uuid.map { .text(ProvidedDevice.uuidKey + $0) }
    return sighting
  }
  /// What stands before its UUID in the text of its sighting.
  package static let uuidKey = "uuid="

  func write(to words: inout WordWriter) {
    words.name(id)
    words.name(name)
    words.name(address)
    words.names(services)
    words.name(uuid)
  }

  init(from words: inout WordReader) throws(WordError) {
    id = try words.name("the id of a device")
    name = try words.optionalName("what people call a device")
    address = try words.optionalName("an address")
    services = try words.names("a service")
    uuid = try words.optionalName("a UUID")
  }
}
