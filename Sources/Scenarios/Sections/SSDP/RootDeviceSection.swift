package import RollcallDevices
package import RollcallPrimitives

/// `kind: root-device` — a profile, and what differs from it; `nil` keeps what the profile says.
package struct RootDeviceSection: Hashable, Sendable {
  package var profile: Profile
  package var deviceType: String?
  package var services: [String]?
  package var embedded: [EmbeddedSection]?
  package var uda: UDAVersion?
  package var server: String?
  package var friendlyName: String?
  package var manufacturer: String?
  package var model: String?
  package var apps: [String]?
  package var pairingKey: String?
  package var webOS: WebOSPlan?
  package var uuid: DeviceUUID?
  package var uuidStyle: DeviceUUID.Style?
  package var maxAge: Int?
  package var bootID: UInt32?
  package var configID: UInt32?
  package var port: UInt16?
  package var path: String?
  package var securePort: UInt16?
  package var searchPort: UInt16?
  var notifyPort: UInt16?
  package var ttl: Int?
  package var repeats: Int?
  package var renewalRepeats: Int?
  package var byebyeRepeats: Int?
  package var startJitter: ClosedRange<Interval>?
  package var setGap: ClosedRange<Interval>?
  package var messageSpacing: ClosedRange<Interval>?
  /// A renewal interval that does not depend on max-age.
  package var renewal: ClosedRange<Interval>?
  package var quirks: [Quirk]

  package init(profile: Profile = .basic, quirks: [Quirk] = []) { (self.profile, self.quirks) = (profile, quirks) }
}

/// An embedded device of a root device.
package struct EmbeddedSection: Hashable, Sendable {
  package var type: String
  package var services: [String]
  /// `nil`: follows from the root's.
  package var uuid: DeviceUUID?

  package init(type: String, services: [String] = [], uuid: DeviceUUID? = nil) {
    (self.type, self.services, self.uuid) = (type, services, uuid)
  }
}

extension RootDeviceSection {
  /// The description that this makes of its profile.
  func description(uuid fallback: DeviceUUID) -> DeviceDescription {
    var device = profile.description
    if let deviceType { device.root.type = deviceType }
    if let services { device.root.services = services }
    if let embedded {
      device.embedded = embedded.map { DevicePart(type: $0.type, services: $0.services, uuid: $0.uuid) }
    }
    device.root.uuid = uuid ?? fallback
    if let uda { device.uda = uda }
    if let server { device.server = server }
    if let friendlyName { device.friendlyName = friendlyName }
    if let manufacturer { device.manufacturer = manufacturer }
    if let model { device.modelName = model }
    (device.television.apps, device.television.pairingKey, device.television.webOS) = (apps, pairingKey, webOS)
    if let uuidStyle { device.uuidStyle = uuidStyle }
    if let maxAge { device.maxAgeSeconds = Int64(maxAge) }
    if let bootID { device.initialBootID = bootID }
    if let configID { device.configID = configID }
    if let port { device.port = port }
    if let path { device.path = path }
    if let securePort { device.securePort = securePort }
    if let searchPort { device.searchPort = searchPort }
    if let notifyPort { device.notifySourcePort = notifyPort }
    if let ttl { device.hopLimit = UInt8(clamping: ttl) }
    if let repeats { device.timing.repeats = repeats }
    if let renewalRepeats { device.timing.renewalRepeats = renewalRepeats }
    if let byebyeRepeats { device.timing.byebyeRepeats = byebyeRepeats }
    if let startJitter { device.timing.startJitter = startJitter }
    if let setGap { device.timing.setGap = setGap }
    if let messageSpacing { device.timing.messageSpacing = messageSpacing }
    if let renewal { device.timing.renewalInterval = renewal }
    return device
  }
}
