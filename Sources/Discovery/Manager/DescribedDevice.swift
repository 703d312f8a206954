import RollcallPrimitives
import RollcallWire

/// A type that a device has or offers, and the UUID under which it does.
struct OfferedType: Hashable, Sendable {
  /// `uuid:` and the UUID.
  var owner: String
  /// `urn:schemas-upnp-org:device:MediaRenderer:1`
  var type: String
}

/// What a device announced or answered, as far as the application looks for it.
struct HeardOffer: Hashable, Sendable {
  /// As in `OfferedType`.
  var owner: String
  /// See `RegistrationIndex.wants(metBy:)`.
  var meets: UInt64
}

/// What the manager keeps of a description.
struct DescribedDevice: Hashable, Sendable {
  /// Of one document, the root counted; more are not looked at, since each is compared with all others.
  static let devicesMaximum = 256
  /// Of all of them.
  static let typesMaximum = 1_024
  /// Of a UDN or a type; a longer one counts as none.
  static let nameBytesMaximum = 512

  var name: String?
  var model: String?
  var manufacturer: String?
  var modelDescription: String?
  var modelNumber: String?
  /// UDNs of the root and of the embedded devices, in the order of the document.
  var udns: [String] = []
  /// Of devices and services, in the order of the document.
  var types: [OfferedType] = []
  /// Where its apps are, as its server said beside the document.
  var applicationURL: String?

  /// `nil`: these bytes are no description.
  init?(_ bytes: [UInt8]) {
    guard let reading = try? DescriptionReader.read(bytes, mode: .lenient) else { return nil }
    self.init(reading.document)
  }

  /// - Parameter document: one that was read.
  init(_ document: DescriptionDocument) {
    let root = document.root
    name = DescribedDevice.text(root.friendlyName)
    model = DescribedDevice.text(root.modelName)
    manufacturer = DescribedDevice.text(root.manufacturer)
    modelDescription = root.modelDescription.flatMap(DescribedDevice.text)
    modelNumber = root.modelNumber.flatMap(DescribedDevice.text)
    add(root)
  }

  private mutating func add(_ device: DescriptionDocument.Device) {
    guard udns.count < DescribedDevice.devicesMaximum, DescribedDevice.isName(device.udn) else { return }
    udns.append(device.udn)
    add(device.type, of: device)
    for service in device.services { add(service.type, of: device) }
    for part in device.embedded { add(part) }
  }

  private mutating func add(_ type: String, of device: DescriptionDocument.Device) {
    guard types.count < DescribedDevice.typesMaximum, DescribedDevice.isName(type) else { return }
    types.append(OfferedType(owner: device.udn, type: type))
  }

  private static func isName(_ text: String) -> Bool { text.utf8.count <= nameBytesMaximum }

  /// Nothing where there is nothing to read.
  private static func text(_ text: String) -> String? { text.isEmpty ? nil : text }
}
