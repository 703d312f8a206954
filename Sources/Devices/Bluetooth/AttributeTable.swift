import RollcallPrimitives
import RollcallWire

/// The attributes of a peripheral in the order of their handles, which count from 1.
struct AttributeTable: Hashable, Sendable {
  enum Content: Hashable, Sendable {
    case constant([UInt8])
    /// The value of a characteristic, by its place among all of them.
    case value(Int)
    /// The descriptor that switches the notifications of a characteristic on, for each connection on its own.
    case configuration(Int)
  }
  struct Attribute: Hashable, Sendable {
    var type: BluetoothUUID
    var content: Content
    /// Of a service's declaration: the last handle of the service.
    var groupEnd: UInt16 = 0
  }
  struct Characteristic: Hashable, Sendable {
    var plan: GATTPlan.Characteristic
    /// Of its value.
    var handle: UInt16
    var value: [UInt8]
  }

  private(set) var attributes: [Attribute] = []
  var characteristics: [Characteristic] = []
  /// The place of Service Changed among the characteristics.
  static let serviceChanged = 2

  init(_ plan: GATTPlan, name: String?, appearance: UInt16?) {
    let access = GATTPlan.Service(
      .genericAccess,
      [
        GATTPlan.Characteristic(.deviceName, [.read], value: Array((name ?? "").utf8)),
        GATTPlan.Characteristic(
          .appearance, [.read], value: [UInt8](littleEndian: UInt64(appearance ?? 0), count: 2)),
      ])
    let changes = GATTPlan.Service(
      .genericAttribute, [GATTPlan.Characteristic(.serviceChanged, [.indicate], value: [0, 0, 0, 0])])
    let services = [access, changes] + plan.services
    // Where each service stands, so that one before it can include it.
    var ranges: [(uuid: BluetoothUUID, handles: ClosedRange<UInt16>)] = []
    var next: UInt16 = 1
    for service in services {
      let count = 1 + service.includes.count + service.characteristics.reduce(0) { $0 + AttributeTable.count(of: $1) }
      ranges.append((service.uuid, next...next + UInt16(count - 1)))
      next += UInt16(count)
    }
    for (place, service) in services.enumerated() {
      add(service, ranges[place].handles.upperBound, ranges)
    }
  }

  private static func count(of one: GATTPlan.Characteristic) -> Int {
    2 + (one.properties.isDisjoint(with: [.notify, .indicate]) ? 0 : 1) + (one.text == nil ? 0 : 1)
  }

  private mutating func add(
    _ service: GATTPlan.Service, _ end: UInt16, _ ranges: [(uuid: BluetoothUUID, handles: ClosedRange<UInt16>)]
  ) {
    attributes.append(
      Attribute(
        type: service.isPrimary ? .primaryService : .secondaryService, content: .constant(service.uuid.attributeBytes),
        groupEnd: end))
    for uuid in service.includes {
      let handles = ranges.first { $0.uuid == uuid }?.handles ?? end...end
      let short = uuid.attributeBytes.count == 2 ? uuid.attributeBytes : []
      attributes.append(
        Attribute(
          type: .include, content: .constant(bytes(handles.lowerBound) + bytes(handles.upperBound) + short)))
    }
    for one in service.characteristics {
      let handle = UInt16(attributes.count + 2)
      attributes.append(
        Attribute(
          type: .characteristic,
          content: .constant([one.properties.rawValue] + bytes(handle) + one.uuid.attributeBytes)))
      attributes.append(Attribute(type: one.uuid, content: .value(characteristics.count)))
      if !one.properties.isDisjoint(with: [.notify, .indicate]) {
        attributes.append(Attribute(type: .clientConfiguration, content: .configuration(characteristics.count)))
      }
      if let text = one.text {
        attributes.append(Attribute(type: .userDescription, content: .constant(Array(text.utf8))))
      }
      characteristics.append(Characteristic(plan: one, handle: handle, value: one.value))
    }
  }

  var lastHandle: UInt16 { UInt16(attributes.count) }

  /// The first handle behind Generic Access and Generic Attribute.
  var firstOwnHandle: UInt16 { (attributes.dropFirst().first { $0.groupEnd > 0 }?.groupEnd ?? 0) + 1 }

  subscript(handle: UInt16) -> Attribute? {
    (1...attributes.count).contains(Int(handle)) ? attributes[Int(handle) - 1] : nil
  }

  /// The handles of a range that there are, and what stands there.
  func all(in range: ClosedRange<UInt16>) -> [(handle: UInt16, attribute: Attribute)] {
    let last = min(range.upperBound, lastHandle)
    guard range.lowerBound <= last else { return [] }
    return (range.lowerBound...last).map { ($0, attributes[Int($0) - 1]) }
  }

  private func bytes(_ handle: UInt16) -> [UInt8] { [UInt8](littleEndian: UInt64(handle), count: 2) }
}
