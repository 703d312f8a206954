package import RollcallPrimitives
import RollcallWire

/// The attributes of a peripheral in the order of their handles, which count from 1.
package struct AttributeTable: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    case constant([UInt8])
    /// The value of a characteristic, by its place among all of them.
    case value(Int)
    /// The descriptor that switches the notifications of a characteristic on, for each connection on its own.
    case configuration(Int)
    /// Of a service that was taken away: the handle is not used.
    case vacant
  }
  package struct Attribute: Hashable, Sendable {
    package var type: BluetoothUUID
    package var content: Content
    /// Of a service's declaration: the last handle of the service.
    package var groupEnd: UInt16 = 0
  }
  package struct Characteristic: Hashable, Sendable {
    package var plan: GATTPlan.Characteristic
    /// Of its value.
    package var handle: UInt16
    package var value: [UInt8]
  }

  package private(set) var attributes: [Attribute] = []
  package var characteristics: [Characteristic] = []
  /// The first handle behind Generic Access and Generic Attribute.
  package let firstOwnHandle: UInt16
  /// The place of Service Changed among the characteristics.
  static let serviceChanged = 2

  package init(_ plan: GATTPlan, name: String?, appearance: UInt16?) {
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
      let count = AttributeTable.count(of: service)
      ranges.append((service.uuid, next...next + UInt16(count - 1)))
      next += UInt16(count)
    }
    firstOwnHandle = ranges[1].handles.upperBound + 1
    for (place, service) in services.enumerated() {
      let end = ranges[place].handles.upperBound
      add(service, end, service.includes.map { uuid in (uuid, ranges.first { $0.uuid == uuid }?.handles ?? end...end) })
    }
  }

  /// Puts a service behind all others, with the handles of those that it includes; `nil`: there are no handles left.
  package mutating func append(
    _ service: GATTPlan.Service, including included: [(uuid: BluetoothUUID, handles: ClosedRange<UInt16>)]
  ) -> ClosedRange<UInt16>? {
    let count = AttributeTable.count(of: service)
    guard let last = UInt16(exactly: attributes.count + count) else { return nil }
    let first = UInt16(attributes.count + 1)
    add(service, last, included)
    return first...last
  }

  /// Takes a service away; its handles are not used again.
  package mutating func vacate(_ handles: ClosedRange<UInt16>) {
    for handle in handles where Int(handle) <= attributes.count {
      attributes[Int(handle) - 1].content = .vacant
    }
  }

  private static func count(of service: GATTPlan.Service) -> Int {
    1 + service.includes.count + service.characteristics.reduce(0) { $0 + count(of: $1) }
  }

  private static func count(of one: GATTPlan.Characteristic) -> Int {
    2 + (one.properties.isDisjoint(with: [.notify, .indicate]) ? 0 : 1) + (one.text == nil ? 0 : 1)
      + one.descriptors.count
  }

  private mutating func add(
    _ service: GATTPlan.Service, _ end: UInt16, _ included: [(uuid: BluetoothUUID, handles: ClosedRange<UInt16>)]
  ) {
    attributes.append(
      Attribute(
        type: service.isPrimary ? .primaryService : .secondaryService, content: .constant(service.uuid.attributeBytes),
        groupEnd: end))
    for (uuid, handles) in included {
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
      for descriptor in one.descriptors {
        attributes.append(Attribute(type: descriptor.uuid, content: .constant(descriptor.value)))
      }
      characteristics.append(Characteristic(plan: one, handle: handle, value: one.value))
    }
  }

  package var lastHandle: UInt16 { UInt16(attributes.count) }

  package subscript(handle: UInt16) -> Attribute? {
    guard (1...attributes.count).contains(Int(handle)) else { return nil }
    let attribute = attributes[Int(handle) - 1]
    return attribute.content == .vacant ? nil : attribute
  }

  /// The handles of a range that there are, and what stands there.
  func all(in range: ClosedRange<UInt16>) -> [(handle: UInt16, attribute: Attribute)] {
    let last = min(range.upperBound, lastHandle)
    guard range.lowerBound <= last else { return [] }
    return (range.lowerBound...last).compactMap { handle in self[handle].map { (handle, $0) } }
  }

  private func bytes(_ handle: UInt16) -> [UInt8] { [UInt8](littleEndian: UInt64(handle), count: 2) }
}
