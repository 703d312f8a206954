/// What became of a peripheral that an application connects to, and of what was asked of it.
public struct PeripheralReport: Hashable, Sendable {
  public enum Event: Hashable, Sendable {
    case connected
    case connectionFailed(LinkEnd)
    /// `closed`: the application asked for it.
    case disconnected(LinkEnd)
    case services([GATTService])
    case includedServices(service: UInt16, [GATTService])
    case characteristics(service: UInt16, [GATTCharacteristic])
    case descriptors(characteristic: UInt16, [GATTDescriptor])
    /// All attributes were discovered: how many services, characteristics and descriptors there are.
    case discovered(services: Int, characteristics: Int, descriptors: Int)
    case value(handle: UInt16, BluetoothUUID?, [UInt8], ValueCause)
    case written(handle: UInt16)
    case notifying(handle: UInt16, Bool)
    /// There is room again for what is written without response.
    case readyToWrite
    /// In dBm; `nil`: nothing was heard yet.
    case strength(Int8?)
    /// The server changed the attributes of this range: what was discovered of them is void.
    case servicesChanged(ClosedRange<UInt16>)
    case failed(GATTFailure)
  }

  public enum ValueCause: String, Hashable, Sendable, CaseIterable {
    case read, notification, indication
  }

  public var device: String
  public var event: Event
  public init(_ device: String, _ event: Event) { (self.device, self.event) = (device, event) }
}

/// Why something that was asked of a peripheral was not done.
public struct GATTFailure: Hashable, Sendable {
  /// What was asked. The raw value is what stands in JSON lines.
  public enum Request: String, Hashable, Sendable, CaseIterable {
    case connect, discover, read, write, notify, strength
  }
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    case notConnected
    /// It is connected, or being connected to.
    case alreadyConnected
    /// Nothing of this handle or UUID was discovered.
    case unknownAttribute
    /// The characteristic does not offer it.
    case notOffered
    /// More bytes than fit.
    case tooLong
    /// The server refused.
    case refused
    /// It did not answer within 30 seconds: the connection is ended.
    case timedOut
    /// It was disconnected first.
    case disconnected
    /// It answered something that is no answer to the request.
    case badAnswer
    /// Too much waits to be done.
    case tooMany
  }
  public var request: Request
  public var reason: Reason
  public var attribute: GATTAttribute?
  /// The error of the attribute protocol, where the server refused.
  public var error: UInt8?

  public init(_ request: Request, _ reason: Reason, _ attribute: GATTAttribute? = nil, error: UInt8? = nil) {
    (self.request, self.reason, self.attribute, self.error) = (request, reason, attribute, error)
  }
}

extension PeripheralReport.Event {
  /// What it is called in lines and scenarios.
  public var name: String {
    switch self {
    case .connected: "connected"
    case .connectionFailed: "connectionFailed"
    case .disconnected: "disconnected"
    case .services: "services"
    case .includedServices: "includedServices"
    case .characteristics: "characteristics"
    case .descriptors: "descriptors"
    case .discovered: "discovered"
    case .value: "value"
    case .written: "written"
    case .notifying: "notifying"
    case .readyToWrite: "readyToWrite"
    case .strength: "strength"
    case .servicesChanged: "servicesChanged"
    case .failed: "requestFailed"
    }
  }

  /// What people read behind the name of the device; `uuid`: 4 or 36 characters.
  public var text: String {
    switch self {
    case .connected: "connected"
    case .connectionFailed(let end): "not connected: \(end.text)"
    case .disconnected(let end): "disconnected: \(end.text)"
    case .services(let services): "services " + services.map { "\($0.uuid)" }.joined(separator: " ")
    case .includedServices(let service, let included):
      "service #\(service) includes " + included.map { "\($0.uuid)" }.joined(separator: " ")
    case .characteristics(let service, let all):
      "service #\(service) has " + all.map { "\($0.uuid)#\($0.handle)" }.joined(separator: " ")
    case .descriptors(let characteristic, let all):
      "characteristic #\(characteristic) has " + all.map { "\($0.uuid)#\($0.handle)" }.joined(separator: " ")
    case .discovered(let services, let characteristics, let descriptors):
      "discovered: \(services) services, \(characteristics) characteristics, \(descriptors) descriptors"
    case .value(let handle, let uuid, let bytes, let cause):
      "\(cause.rawValue) of \(uuid.map { "\($0)" } ?? "#\(handle)"): \(PeripheralReport.hex(bytes))"
    case .written(let handle): "written to #\(handle)"
    case .notifying(let handle, let isOn): "notifications of #\(handle) \(isOn ? "on" : "off")"
    case .readyToWrite: "room to write again"
    case .strength(let strength): "strength " + (strength.map { "\($0) dBm" } ?? "unknown")
    case .servicesChanged(let range): "services changed in #\(range.lowerBound) to #\(range.upperBound)"
    case .failed(let failure): failure.text
    }
  }
}

extension GATTFailure {
  /// `read of 2A19 failed: the server refused it, error 0x02`.
  public var text: String {
    let reason =
      switch reason {
      case .notConnected: "it is not connected"
      case .alreadyConnected: "it is connected, or being connected to"
      case .unknownAttribute: "no such attribute was discovered"
      case .notOffered: "the characteristic does not offer it"
      case .tooLong: "more bytes than fit"
      case .refused: "the server refused it"
      case .timedOut: "no answer within 30 s"
      case .disconnected: "it was disconnected first"
      case .badAnswer: "what came is no answer to it"
      case .tooMany: "too much waits to be done"
      }
    let code = error.map { ", error 0x" + ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) } ?? ""
    return "\(request.rawValue)\(attribute.map { " of \($0)" } ?? "") failed: \(reason)\(code)"
  }
}

extension LinkEnd {
  /// What people read.
  public var text: String {
    switch self {
    case .closed: "the application asked for it"
    case .closedByPeer: "the peripheral ended it"
    case .timedOut: "nothing was heard any more"
    case .notEstablished: "the peripheral did not answer"
    case .refused: "the controller refused"
    case .radioOff: "the radio is off"
    }
  }
}

extension PeripheralReport {
  /// Two digits a byte, small.
  public static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Reads what `hex` writes; `nil`: something else stands there.
  public static func bytes(hex text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(digits: String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(byte)
    }
    return bytes
  }
}
