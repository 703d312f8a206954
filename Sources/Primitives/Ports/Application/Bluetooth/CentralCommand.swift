/// What an application asks of a peripheral, by way of the central.
///
/// All but `connect`, `disconnect` and `readStrength` goes to a connected peripheral only, one after the other.
public struct CentralCommand: Hashable, Sendable {
  public enum Request: Hashable, Sendable {
    /// Ends in `connected` or `connectionFailed`, however long that takes, or in `disconnected` if it is given up.
    case connect
    case disconnect
    /// Services, included services, characteristics and descriptors, all of them.
    case discover
    /// Primary services of these UUIDs; of all, if there is none.
    case services([BluetoothUUID])
    case includedServices(service: UInt16)
    /// Of the service that begins at this handle: those of these UUIDs, or all.
    case characteristics(service: UInt16, [BluetoothUUID])
    case descriptors(characteristic: UInt16)
    case read(GATTAttribute)
    case write(GATTAttribute, [UInt8], withResponse: Bool)
    /// Notifications, or indications where a characteristic offers those alone.
    case notify(GATTAttribute, Bool)
    case readStrength
  }
  public var peripheral: RadioAddress
  public var request: Request
  public init(_ peripheral: RadioAddress, _ request: Request) {
    (self.peripheral, self.request) = (peripheral, request)
  }
}

extension CentralCommand.Request {
  /// What a failure says was asked.
  public var kind: GATTFailure.Request {
    switch self {
    case .connect, .disconnect: .connect
    case .discover, .services, .includedServices, .characteristics, .descriptors: .discover
    case .read: .read
    case .write: .write
    case .notify: .notify
    case .readStrength: .strength
    }
  }

  /// What it is about; `nil`: the peripheral as a whole.
  public var attribute: GATTAttribute? {
    switch self {
    case .read(let attribute), .write(let attribute, _, _), .notify(let attribute, _): attribute
    case .includedServices(let handle), .characteristics(let handle, _), .descriptors(let handle): .handle(handle)
    case .connect, .disconnect, .discover, .services, .readStrength: nil
    }
  }
}

extension CentralCommand {
  /// What people read: `write 2 bytes to 2A06 of c0:ff:ee:00:00:01/random`.
  public var text: String {
    switch request {
    case .connect: "connect to \(peripheral)"
    case .disconnect: "disconnect from \(peripheral)"
    case .discover: "discover all attributes of \(peripheral)"
    case .services: "discover services of \(peripheral)"
    case .includedServices(let service): "discover services included by \(service) of \(peripheral)"
    case .characteristics(let service, _): "discover characteristics of service \(service) of \(peripheral)"
    case .descriptors(let handle): "discover descriptors of characteristic \(handle) of \(peripheral)"
    case .read(let attribute): "read \(attribute) of \(peripheral)"
    case .write(let attribute, let value, let withResponse):
      "write \(value.count) bytes to \(attribute) of \(peripheral)" + (withResponse ? "" : ", without response")
    case .notify(let attribute, let isOn): "notifications \(isOn ? "on" : "off") for \(attribute) of \(peripheral)"
    case .readStrength: "read the strength of \(peripheral)"
    }
  }

  func fold(into digest: inout Digest) {
    digest.combine(40)
    peripheral.fold(into: &digest)
    var words = WordWriter()
    write(to: &words)
    digest.combine(words.text)
  }

  func write(to words: inout WordWriter) {
    words.add("peripheral")
    words.add(peripheral.description)
    switch request {
    case .connect: words.add("connect")
    case .disconnect: words.add("disconnect")
    case .discover: words.add("discover")
    case .services(let uuids):
      words.add("services")
      words.add(uuids)
    case .includedServices(let service):
      words.add("included")
      words.add(service)
    case .characteristics(let service, let uuids):
      words.add("characteristics")
      words.add(service)
      words.add(uuids)
    case .descriptors(let characteristic):
      words.add("descriptors")
      words.add(characteristic)
    case .read(let attribute):
      words.add("read")
      words.add(attribute.description)
    case .write(let attribute, let value, let withResponse):
      words.add(withResponse ? "write" : "write-without-response")
      words.add(attribute.description)
      words.rest(value)
    case .notify(let attribute, let isOn):
      words.add(isOn ? "notify" : "stop-notifying")
      words.add(attribute.description)
    case .readStrength: words.add("read-strength")
    }
  }

  /// From behind the word `peripheral` on.
  init(from words: inout WordReader) throws(WordError) {
    peripheral = try words.radioAddress()
    let expected = "what is asked of a peripheral"
    switch try words.next(expected) {
    case "connect": request = .connect
    case "disconnect": request = .disconnect
    case "discover": request = .discover
    case "services": request = .services(try words.uuids())
    case "included": request = .includedServices(service: try words.handle())
    case "characteristics":
      let service = try words.handle()
      request = .characteristics(service: service, try words.uuids())
    case "descriptors": request = .descriptors(characteristic: try words.handle())
    case "read": request = .read(try words.attribute())
    case "write":
      let attribute = try words.attribute()
      request = .write(attribute, try words.bytes(), withResponse: true)
    case "write-without-response":
      let attribute = try words.attribute()
      request = .write(attribute, try words.bytes(), withResponse: false)
    case "notify": request = .notify(try words.attribute(), true)
    case "stop-notifying": request = .notify(try words.attribute(), false)
    case "read-strength": request = .readStrength
    default: throw words.error(expected)
    }
  }
}

extension GATTAttribute: CustomStringConvertible {
  /// `#18` or `2A19`.
  public var description: String {
    switch self {
    case .handle(let handle): "#\(handle)"
    case .characteristic(let uuid): uuid.description
    }
  }
}

extension WordWriter {
  /// A list with commas, `*` for an empty one.
  mutating func add(_ uuids: [BluetoothUUID]) {
    add(uuids.isEmpty ? "*" : uuids.map(\.description).joined(separator: ","))
  }
}

extension WordReader {
  mutating func handle() throws(WordError) -> UInt16 { try number("a handle") }

  mutating func uuid() throws(WordError) -> BluetoothUUID {
    guard let uuid = BluetoothUUID(try next("a UUID")) else { throw error("a UUID such as 180D") }
    return uuid
  }

  mutating func uuids() throws(WordError) -> [BluetoothUUID] {
    let word = try next("UUIDs such as 180D,180F, or *")
    if word == "*" { return [] }
    let parts = word.split(separator: ",", omittingEmptySubsequences: false)
    let uuids = parts.compactMap { BluetoothUUID($0) }
    guard uuids.count == parts.count else { throw error("UUIDs such as 180D,180F, or *") }
    return uuids
  }

  mutating func attribute() throws(WordError) -> GATTAttribute {
    let expected = "a handle such as #18, or the UUID of a characteristic"
    let word = try next(expected)
    if word.hasPrefix("#"), let handle = UInt16(digits: word.dropFirst()) { return .handle(handle) }
    guard let uuid = BluetoothUUID(word) else { throw error(expected) }
    return .characteristic(uuid)
  }
}
