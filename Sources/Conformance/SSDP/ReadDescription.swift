package import RollcallPrimitives
package import RollcallWire

/// A document that somebody fetched, read once for all checks.
package struct HeardDocument: Hashable, Sendable {
  package var time: Instant
  package var heard: HeardDescription
  /// Why it cannot be read, where it cannot.
  package var content: Result<ReadDescription, DescriptionFault>
}

/// A description with numbers for what it names, as checks compare it with messages.
package struct ReadDescription: Hashable, Sendable {
  package struct Device: Hashable, Sendable {
    /// The number of the UUID of its UDN; −1: it has none, or there are too many.
    var uuid: Int32
    /// As it stands there, at most 80 characters.
    var udn: String
    var type: Target
    /// One for each service.
    var services: [Target]
    var serviceTypes: [String]

    /// Whether it is of this type, or has a service of it; a lower version is part of a higher one.
    func has(_ target: Target) -> Bool {
      target.isAnswered(by: type) || services.contains { target.isAnswered(by: $0) }
    }
  }

  /// The root first, each before those that are embedded in it.
  var devices: [Device]
  /// `configId`; −1: none, or no number.
  var configID: Int64
  /// `URLBase` without blanks around it; `nil`: it has none.
  var urlBase: String?
  /// Whether it says that it is of UPnP 1.0.
  var isOfVersion10: Bool
  /// Equal for equal bytes.
  var bodyHash: UInt64
  /// Equal where all elements of UDA say the same, `configId` aside; and where extensions do so as well.
  var elementsHash: UInt64
  var wholeHash: UInt64
  /// Whether nothing was left out that may have been a device, a service or a UDN.
  var isSound: Bool

  init(_ reading: DescriptionReader.Reading, _ devices: [Device], bodyHash: UInt64) {
    self.devices = devices
    self.bodyHash = bodyHash
    var document = reading.document
    configID = document.configID.map { Int64($0) } ?? -1
    (urlBase, isOfVersion10) = (document.urlBase, document.major == 1 && document.minor == 0)
    document.configID = nil
    wholeHash = ReadDescription.hash(document)
    document.extensions = []
    ReadDescription.dropExtensions(&document.root)
    elementsHash = ReadDescription.hash(document)
    isSound = devices.allSatisfy { $0.uuid >= 0 } && ReadDescription.isWhole(reading)
  }

  /// Whether no flaw hides a device, a service or a UDN: also one that was counted and not kept may.
  package static func isWhole(_ reading: DescriptionReader.Reading) -> Bool {
    reading.flawCount == reading.flaws.count && reading.flaws.allSatisfy { !harmful.contains($0.reason) }
  }

  /// Flaws behind which a device, a service or a UDN may be hidden.
  private static let harmful: [DescriptionFault.Reason] = [
    .rule(.repeatedElement), .rule(.elementInText), .rule(.strayText), .xml(.mismatchedTag), .xml(.cutShort),
    .xml(.tag), .xml(.markup), .xml(.secondRoot),
  ]

  private static func hash(_ document: DescriptionDocument) -> UInt64 {
    document.bytes.withUnsafeBytes { Digest.hash($0) }
  }

  private static func dropExtensions(_ device: inout DescriptionDocument.Device) {
    device.extensions = []
    for place in device.embedded.indices { dropExtensions(&device.embedded[place]) }
  }

  func has(_ uuid: Int32) -> Bool { devices.contains { $0.uuid == uuid } }

  /// What a message says of a device, beside what the description says.
  enum Match: Hashable, Sendable {
    /// `isOwned`: the type that it names is that of the device, or of a service of it.
    case agrees(isOwned: Bool)
    /// No device has this UDN.
    case otherUDN
    /// `upnp:rootdevice` under the UDN of another device than the root.
    case embeddedAsRoot
    /// The type belongs to this other device.
    case otherOwner(udn: String)
    /// No device has the type (D52).
    case unknownType
  }

  /// - Parameter isPaired: whether USN goes with the target; the type is not compared where it does not.
  func match(_ uuid: Int32, _ target: Target, isPaired: Bool) -> Match {
    guard has(uuid) else { return .otherUDN }
    switch target.form {
    case .rootDevice: return devices[0].uuid == uuid ? .agrees(isOwned: false) : .embeddedAsRoot
    case .device, .service:
      // Two devices may share one UDN, which is a fault of its own.
      if !isPaired { return .agrees(isOwned: false) }
      if devices.contains(where: { $0.uuid == uuid && $0.has(target) }) { return .agrees(isOwned: true) }
      return devices.first { $0.has(target) }.map { .otherOwner(udn: $0.udn) } ?? .unknownType
    case .uuid, .opaque, .all: return .agrees(isOwned: false)
    }
  }
}
