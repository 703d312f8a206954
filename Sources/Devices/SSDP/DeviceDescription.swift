package import RollcallPrimitives

/// The version of UDA that a device claims; it decides which fields its messages have.
package enum UDAVersion: String, Hashable, Sendable, CaseIterable {
  case uda10 = "1.0"
  case uda11 = "1.1"
  case uda20 = "2.0"

  /// Whether BOOTID, CONFIGID, SEARCHPORT and ssdp:update exist in it.
  package var hasBootID: Bool { self != .uda10 }
}

/// One device of a description tree: its type and the types of its services.
package struct DevicePart: Hashable, Sendable {
  /// `urn:`domain`:device:`type`:`version
  package var type: String
  /// `urn:`domain`:service:`type`:`version, one for each service; the same type twice is announced once
  /// (UDA-1.2.2-SVC1).
  package var services: [String]
  /// `nil`: drawn from the seed for the root, derived from the root's for an embedded device.
  package var uuid: DeviceUUID?

  package init(type: String, services: [String] = [], uuid: DeviceUUID? = nil) {
    self.type = type
    self.services = services
    self.uuid = uuid
  }
}

/// What a root device says about itself, and how it says it.
package struct DeviceDescription: Hashable, Sendable {
  /// A device announces at most this many messages in a set.
  static let advertCountMaximum = 64

  package var uda: UDAVersion
  package var root: DevicePart
  package var embedded: [DevicePart]
  /// SERVER verbatim; `nil`: made of `operatingSystem`, the UDA version and `product`.
  package var server: String?
  package var operatingSystem = "Linux/6.6"
  package var product = "Rollcall/1.0"
  /// What the description document says; `nil`: a name made of the UUID, and the product.
  package var friendlyName: String?
  package var manufacturer: String?
  package var modelName: String?
  /// What it serves beside its description.
  package var television = TelevisionPlan()
  package var scheme = "http"
  package var port: UInt16 = 49_152
  package var path = "/description.xml"
  /// Where the description is served over TLS as well (SECURELOCATION, UDA-1.2.2-A-SECLOC).
  package var securePort: UInt16?
  package var maxAgeSeconds: Int64 = 1_800
  /// BOOTID of the first start.
  package var initialBootID: UInt32 = 1
  package var configID: UInt32 = 1
  /// Where unicast searches are heard when 1900 is taken (UDA-1.2.2-A-SEARCHPORT).
  package var searchPort: UInt16?
  /// Where NOTIFY comes from: any port is right, 66 % of the measured field uses another than 1900.
  package var notifySourcePort: UInt16 = 1_900
  /// TTL of multicast; `nil`: 2, or 4 under UDA 1.0 (UDA-1-TTL-DEFAULT).
  package var hopLimit: UInt8?
  package var uuidStyle = DeviceUUID.Style.standard
  /// What the device's own clock shows at instant zero, for DATE in its answers; seconds since 1970.
  var clockEpochSeconds = Instant.worldEpochUnixSeconds
  package var style = MessageStyle()
  package var timing = DeviceTiming()
  /// Answers that may wait at a time; what is asked beyond is not answered.
  package var pendingAnswersMaximum = 256

  package init(
    uda: UDAVersion = .uda20, root: DevicePart, embedded: [DevicePart] = []
  ) {
    self.uda = uda
    self.root = root
    self.embedded = embedded
  }

  package var serverText: String { server ?? "\(operatingSystem) UPnP/\(uda.rawValue) \(product)" }
  package var multicastHopLimit: UInt8 { hopLimit ?? (uda == .uda10 ? 4 : 2) }
}

/// The looks of a device's messages, none of which has a meaning (UDA-1.1.2-ORDER, UDA-1.1.2-NAMECASE).
package struct MessageStyle: Hashable, Sendable {
  package struct ExtraField: Hashable, Sendable {
    package var name: String
    package var value: String
    package init(name: String, value: String) { (self.name, self.value) = (name, value) }
  }
  /// Field names as the standard spells them, in the order in which they are sent; the rest follows behind.
  package var order: [String] = []
  /// Fields of the vendor's own, in alive messages and answers.
  package var extraFields: [ExtraField] = []
  var usesTitleCase = false
  package var separator = ": "
  /// DATE in answers (UDA-1.3.3-DATE).
  var sendsDate = true

  package init() {}
}

/// When a device sends what.
package struct DeviceTiming: Hashable, Sendable {
  /// How long an answer to a multicast search waits.
  package enum AnswerDelay: Hashable, Sendable {
    /// Uniform in 0 … MX, at most `maximumWaitCapSeconds` (UDA-1.3.3-DELAY, UDA-1.3.3-MX-CAP).
    case withinMX
    case immediate
    /// MX and this much more.
    case afterMX(Interval)
  }

  /// UDA-1.2.2-JITTER.
  package var startJitter: ClosedRange<Interval> = .zero ... .milliseconds(100)
  /// How often the whole set is sent at a start (UDA-1.2.2-REPEAT, UDA-1.2.2-REPEAT-MAX3).
  package var repeats = 2
  package var renewalRepeats = 2
  package var byebyeRepeats = 1
  /// From the end of one set to the start of its repetition.
  package var setGap: ClosedRange<Interval> = .milliseconds(200) ... .milliseconds(400)
  /// From one message of a set to the next.
  package var messageSpacing: ClosedRange<Interval> = .milliseconds(1) ... .milliseconds(2)
  /// From one announcement to its renewal, in thousandths of max-age (UDA-1.2.2-RENEW-HALF); `nil`: never.
  package var renewalPermille: ClosedRange<Int64>? = 250...490
  /// A renewal interval that does not depend on max-age.
  package var renewalInterval: ClosedRange<Interval>?
  package var answerDelay = AnswerDelay.withinMX
  var maximumWaitCapSeconds: Int64 = 5
  /// Unicast searches are answered within a second (UDA-1.3.3-UC-FAST); half of it is left to the network.
  var unicastDelay: ClosedRange<Interval> = .zero ... .milliseconds(500)
  /// From the byebye of a reboot to the new start.
  var rebootPause = Interval.seconds(1)

  package init() {}
}
