/// The part of an engine that finds devices of one protocol. The raw value is `layer` in JSON lines.
public enum ProviderID: String, Hashable, Sendable, CaseIterable {
  case ssdp, bluetooth, peers
  /// The application itself, by a protocol of its own.
  case application
}

extension ProviderID {
  /// The provider whose names look like this one.
  public init(ofDevice name: String) {
    self =
      name.hasPrefix("ble:")
      ? .bluetooth : name.hasPrefix("peer:") ? .peers : name.hasPrefix("app:") ? .application : .ssdp
  }
}

extension RadioAddress {
  /// What names the device behind it: `ble:` and the address.
  public var deviceName: String { "ble:\(self)" }
}

/// Whether two names are those of one device: ASCII letters count in either case, as in a UUID.
public func isSameDevice(_ left: String, _ right: String) -> Bool {
  guard left.utf8.count == right.utf8.count else { return false }
  var (left, right) = (left, right)
  return left.withUTF8 { left in
    right.withUTF8 { right in isSame(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right)) }
  }
}

/// Eight bytes at a time, and one by one only where those differ.
private func isSame(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
  let count = left.count
  var place = 0
  while place < count {
    if place &+ 8 <= count,
      left.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        == right.loadUnaligned(fromByteOffset: place, as: UInt64.self)
    {
      place &+= 8
      continue
    }
    let end = min(place &+ 8, count)
    while place < end {
      if small(left[place]) != small(right[place]) { return false }
      place &+= 1
    }
  }
  return true
}

/// The name of a device, to look it up by: equal as `isSameDevice` has it.
public struct DeviceName: Hashable, Sendable {
  public let text: String
  public init(_ text: String) { self.text = text }

  public static func == (left: DeviceName, right: DeviceName) -> Bool { isSameDevice(left.text, right.text) }

  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { utf8 in
      // Eight bytes at a time, letters in small; so are some signs, which does no harm to a hash.
      let bytes = UnsafeRawBufferPointer(utf8)
      var place = 0
      while place + 8 <= bytes.count {
        hasher.combine(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self) | 0x2020_2020_2020_2020)
        place += 8
      }
      var rest: UInt64 = 0
      while place < bytes.count {
        rest = rest << 8 | UInt64(bytes[place] | 0x20)
        place += 1
      }
      hasher.combine(rest)
    }
  }
}

/// What a device is called by those who send to it.
public enum DeviceAddress: Hashable, Sendable {
  /// A host of an IP network.
  case ip(IPAddress)
  /// A radio of Bluetooth LE.
  case radio(RadioAddress)
  /// A peer of a session, by the number that it gave itself.
  case peer(UInt64)
}

/// Where a device is reached.
public struct Locator: Hashable, Sendable {
  public var address: DeviceAddress
  /// The interface by which it is heard; `nil` where there is but one way.
  public var interface: InterfaceID?
  public init(_ address: DeviceAddress, on interface: InterfaceID? = nil) {
    (self.address, self.interface) = (address, interface)
  }
}

/// Something else that a provider knows of a device.
public struct DeviceAttribute: Hashable, Sendable {
  /// The raw value is the key in JSON lines.
  public enum Name: String, Hashable, Sendable, CaseIterable {
    /// The URL of its description.
    case location
    /// The number of its present life: another one means that it restarted.
    case bootID
    /// The number of its present description.
    case configID
    /// What people call it.
    case name
    /// What it offers, as it says itself: UUIDs with blanks between them, or the type of a service.
    case services
    /// The host that a service is on.
    case host
    /// The port of a service.
    case port
    /// What a service says of itself: the strings of its TXT record.
    case txt
  }
  public enum Value: Hashable, Sendable {
    case text(String)
    case number(UInt32)
  }
  public var name: Name
  public var value: Value
  public init(_ name: Name, _ value: Value) { (self.name, self.value) = (name, value) }
}

/// A device as its provider sees it now.
public struct DeviceSighting: Hashable, Sendable {
  /// What names the device among all that the engine finds: `uuid:` and the UUID of a root device, as first heard.
  public var device: String
  public var provider: ProviderID
  /// Where it is reached now, of all places where it may be.
  public var locator: Locator
  /// At most one of each name, in the order of `DeviceAttribute.Name`.
  public private(set) var attributes: [DeviceAttribute]

  /// - Parameter attributes: in any order; of two with one name the last one counts.
  public init(device: String, provider: ProviderID, locator: Locator, attributes: [DeviceAttribute] = []) {
    (self.device, self.provider, self.locator, self.attributes) = (device, provider, locator, attributes)
    // Nearly always they are given as they have to stand.
    let isInOrder = attributes.indices.dropFirst().allSatisfy { place in
      attributes[place - 1].name.order < attributes[place].name.order
    }
    if isInOrder { return }
    self.attributes = []
    for attribute in attributes { self[attribute.name] = attribute.value }
  }

  /// `nil`: not known.
  public subscript(name: DeviceAttribute.Name) -> DeviceAttribute.Value? {
    get { attributes.first { $0.name == name }?.value }
    set {
      attributes.removeAll { $0.name == name }
      guard let newValue else { return }
      let place = attributes.firstIndex { $0.name.order > name.order } ?? attributes.count
      attributes.insert(DeviceAttribute(name, newValue), at: place)
    }
  }
}

/// What is different about a device.
public enum Change: Hashable, Sendable {
  /// It is reached under another address.
  case address(from: DeviceAddress)
  /// What it was before; `nil`: it was not known.
  case attribute(DeviceAttribute.Name, from: DeviceAttribute.Value?)
  /// What was taken for a device turned out to be a part of this one.
  case united(part: String)
}

/// Why a device is gone.
public enum LossCause: String, Hashable, Sendable, CaseIterable {
  case byebye, expired, rebooted, interface, evicted, stopped
  /// The same, as other protocols than SSDP call it.
  public static var goodbye: LossCause { .byebye }
}

extension DeviceAttribute.Name {
  /// Its place among all names.
  var order: Int {
    switch self {
    case .location: 0
    case .bootID: 1
    case .configID: 2
    case .name: 3
    case .services: 4
    case .host: 5
    case .port: 6
    case .txt: 7
    }
  }
}

extension DeviceAddress: CustomStringConvertible {
  public var description: String {
    switch self {
    case .ip(let address): address.description
    case .radio(let address): address.description
    case .peer(let number): "peer/\(number)"
    }
  }

  /// Reads what `description` writes.
  public init?(_ text: some StringProtocol) {
    if let address = IPAddress(text) {
      self = .ip(address)
    } else if let address = RadioAddress(text) {
      self = .radio(address)
    } else if text.hasPrefix("peer/"), let number = UInt64(digits: text.dropFirst(5)) {
      self = .peer(number)
    } else {
      return nil
    }
  }
}

extension DeviceAttribute.Value {
  public var text: String? { if case .text(let text) = self { text } else { nil } }
  public var number: UInt32? { if case .number(let number) = self { number } else { nil } }
}

extension String {
  /// The UUID behind `uuid:` in the name of a device, as `DeviceSighting.device` has it; `nil`: the name has another form.
  package var uuidOfName: Substring? { hasPrefix("uuid:") ? dropFirst(5) : nil }
  /// The name of a service of multicast DNS behind `peer:` in that of its device; `nil`: the name has another form.
  package var serviceOfName: Substring? { hasPrefix("peer:") ? dropFirst(5) : nil }
}
