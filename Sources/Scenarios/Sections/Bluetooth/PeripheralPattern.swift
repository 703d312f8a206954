package import RollcallPrimitives

/// Which reports of a peripheral are meant.
package struct PeripheralPattern: ReportPattern {
  /// The raw value is the key in scenarios.
  package enum Kind: String, ReportKind {
    case connected, disconnected, discovered, value, written, notifying, strength
    case connectionFailed = "connection-failed"
    case services = "gatt-services"
    case servicesChanged = "services-changed"
    case requestFailed = "request-failed"
    case readyToWrite = "ready-to-write"

    /// What it is, for people.
    package var about: String {
      switch self {
      case .connected: "A connection to a peripheral stands."
      case .disconnected: "A connection ended."
      case .discovered: "All attributes of a peripheral were discovered."
      case .value: "A value was read, or sent by the peripheral."
      case .written: "A value was written, and the peripheral said so."
      case .notifying: "A characteristic was subscribed to, or not any more."
      case .strength: "The strength of a connected peripheral was read."
      case .connectionFailed: "A peripheral could not be connected to."
      case .services: "Services of a peripheral were discovered."
      case .servicesChanged: "A peripheral said that its services changed."
      case .requestFailed: "What was asked of a peripheral was not done."
      case .readyToWrite: "There is room again for what is written without response."
      }
    }
  }
  package var kind: Kind
  package var of: Who
  /// Why a connection ended, or did not come about; `nil`: for whatever reason.
  package var end: LinkEnd?
  package var reason: GATTFailure.Reason?
  package var characteristic: BluetoothUUID?
  package var value: [UInt8]?

  package init(_ kind: Kind, of who: Who) { (self.kind, of) = (kind, who) }

  func matches(_ event: PeripheralReport.Event) -> Bool {
    switch (kind, event) {
    case (.connected, .connected), (.discovered, .discovered), (.written, .written), (.notifying, .notifying),
      (.strength, .strength), (.services, .services), (.servicesChanged, .servicesChanged),
      (.readyToWrite, .readyToWrite):
      true
    case (.disconnected, .disconnected(let end)), (.connectionFailed, .connectionFailed(let end)):
      self.end == nil || self.end == end
    case (.requestFailed, .failed(let failure)): reason == nil || reason == failure.reason
    case (.value, .value(_, let uuid, let bytes, _)):
      (characteristic == nil || characteristic == uuid) && (value == nil || value == bytes)
    default: false
    }
  }

  /// What people read of it.
  var text: String {
    let details = [
      end.map { kebabCase($0.rawValue) }, reason.map { kebabCase($0.rawValue) }, characteristic.map { "\($0)" },
      value.map { PeripheralReport.hex($0) },
    ].compactMap { $0 }
    return kind.rawValue + (details.isEmpty ? "" : " (\(details.joined(separator: " ")))")
  }
}
