import RollcallPrimitives

/// What was discovered of a server, in the order of handles.
struct KnownAttributes {
  struct Characteristic {
    var characteristic: GATTCharacteristic
    /// The last handle that can be one of its descriptors.
    var end: UInt16
    var descriptors: [GATTDescriptor] = []
    var uuid: BluetoothUUID { characteristic.uuid }
    var handle: UInt16 { characteristic.handle }
  }

  private(set) var services: [GATTService] = []
  private(set) var characteristics: [Characteristic] = []
  /// The value of Service Changed; `nil`: the server has none, or it was not found yet.
  var serviceChanged: UInt16?

  var descriptorCount: Int { characteristics.reduce(0) { $0 + $1.descriptors.count } }

  func service(at handle: UInt16) -> GATTService? { services.first { $0.handles.lowerBound == handle } }

  func characteristic(at handle: UInt16) -> Characteristic? { characteristics.first { $0.handle == handle } }

  /// The one that is meant; also by the handle of one of its descriptors.
  func characteristic(of attribute: GATTAttribute) -> Characteristic? {
    switch attribute {
    case .handle(let handle):
      characteristics.first { $0.handle == handle || $0.descriptors.contains { $0.handle == handle } }
    case .characteristic(let uuid): characteristics.first { $0.uuid == uuid }
    }
  }

  /// Adds services that are not known yet.
  mutating func add(_ found: [GATTService]) {
    for service in found where !services.contains(where: { $0.handles.lowerBound == service.handles.lowerBound }) {
      services.append(service)
    }
    services.sort { $0.handles.lowerBound < $1.handles.lowerBound }
  }

  /// All characteristics of a service, or some of them.
  /// - Parameter all: every one that the service has, so that it is known where each of them ends.
  mutating func add(
    _ found: [GATTCharacteristic], all: [(declaration: UInt16, handle: UInt16)], of service: GATTService
  ) {
    for one in found where characteristic(at: one.handle) == nil {
      let next = all.first { $0.declaration > one.handle }
      let end = next.map { $0.declaration - 1 } ?? service.handles.upperBound
      characteristics.append(Characteristic(characteristic: one, end: max(one.handle, end)))
    }
    characteristics.sort { $0.handle < $1.handle }
  }

  mutating func set(_ descriptors: [GATTDescriptor], of handle: UInt16) {
    guard let place = characteristics.firstIndex(where: { $0.handle == handle }) else { return }
    characteristics[place].descriptors = descriptors
  }

  /// Attributes of this range are not what they were: services that have some of them go with all that they have.
  mutating func forget(_ range: ClosedRange<UInt16>) {
    let gone = services.filter { $0.handles.overlaps(range) }
    services.removeAll { $0.handles.overlaps(range) }
    characteristics.removeAll { one in
      range.overlaps(one.handle...one.end) || gone.contains { $0.handles.contains(one.handle) }
    }
  }
}
