import RollcallPrimitives
import RollcallWire

// What the answers of a server mean for the procedure that waits for them.
extension AttributeClient {
  /// The server refused.
  mutating func refused(_ procedure: Procedure, _ error: AttributeError, at now: Instant) {
    let isEnd = error == .attributeNotFound
    switch procedure {
    case .services(_, let filter, let found, let isPart) where isEnd: endServices(filter, found, isPart, at: now)
    case .discover where isEnd: endServices([], [], true, at: now)
    case .included(let service, _, let found, let isPart) where isEnd: endIncluded(service, found, isPart, at: now)
    case .characteristics(let service, _, let filter, let found, let isPart) where isEnd:
      endCharacteristics(service, filter, found, isPart, at: now)
    case .descriptors(let handle, _, _, let found, _) where isEnd: endDescriptors(handle, found, at: now)
    case .findConfiguration(let attribute, _, _, _, _) where isEnd:
      finish(.failed(GATTFailure(.notify, .notOffered, attribute)), at: now)
    case .prepare(let attribute, let handle, _, _):
      // What was prepared is forgotten.
      fail(procedure, .refused, error)
      proceed(.execute(attribute, handle, writes: false), at: now)
    // A value that ends where a part ends has no part behind it.
    case .read(_, let handle, let value)
    where !value.isEmpty && (error == .invalidOffset || error == .attributeNotLong):
      finish(.value(handle: handle, known.characteristic(at: handle)?.uuid, value, .read), at: now)
    case .execute(_, _, writes: false): finish(nil, at: now)
    // Then that is all of it, or all that it tells.
    case .readLongName(_, let value): take(name: value, at: now)
    default:
      if procedure.isPart || procedure.isDiscoveryOfAll { procedures.removeAll { $0.isPart } }
      finish(failed(procedure, .refused, error), at: now)
    }
  }

  /// The server answered with the right kind of PDU; `false`: what stands in it is no answer.
  mutating func answered(_ procedure: Procedure, _ pdu: AttributePDU, at now: Instant) -> Bool {
    switch (procedure, pdu) {
    case (.exchangeMTU, .exchangeMTUResponse(let other)):
      agree(other)
      finish(nil, at: now)
    case (.readName, .readByTypeResponse(let entries)):
      guard let one = entries.first else { finish(nil, at: now); return true }
      // An answer has room for so much of a value.
      if one.value.count >= min(mtu - 4, 253) {
        proceed(.readLongName(one.handle, so: one.value), at: now)
      } else {
        take(name: one.value, at: now)
      }
    case (.readLongName(let handle, let value), .readBlobResponse(let part)):
      let all = value + part
      if part.count >= mtu - 1, all.count < AttributePDU.valueBytesMaximum {
        proceed(.readLongName(handle, so: all), at: now)
      } else {
        take(name: all, at: now)
      }
    case (.findGenericAttribute, .findByTypeValueResponse(let ranges)):
      if let range = ranges.first { proceed(.findServiceChanged(range), at: now) }
    case (.findServiceChanged(let range), .readByTypeResponse(let entries)):
      guard let declared = declared(entries, in: range) else { return false }
      guard let one = declared.first(where: { $0.characteristic.uuid == .serviceChanged })?.characteristic else {
        // An answer of 23 bytes has room for three characteristics: it may stand behind them.
        if let end = declared.last?.declaration, end < range.upperBound {
          proceed(.findServiceChanged(end + 1...range.upperBound), at: now)
        } else {
          finish(nil, at: now)
        }
        return true
      }
      guard one.handle < range.upperBound else { finish(nil, at: now); return true }
      known.serviceChanged = one.handle
      proceed(.findItsConfiguration(one.handle + 1...range.upperBound), at: now)
    case (.findItsConfiguration(let range), .findInformationResponse(let entries)):
      guard rises(entries.map(\.handle), in: range) else { return false }
      // What stands behind the next characteristic belongs to that one.
      let own = entries.prefix { $0.type != .characteristic }
      if let one = own.first(where: { $0.type == .clientConfiguration }) {
        proceed(.subscribeToChanges(one.handle), at: now)
      } else if own.count == entries.count, let end = entries.last?.handle, end < range.upperBound {
        proceed(.findItsConfiguration(end + 1...range.upperBound), at: now)
      } else {
        finish(nil, at: now)
      }
    case (.subscribeToChanges, .writeResponse): finish(nil, at: now)
    case (.discover, .readByGroupTypeResponse(let groups)):
      return take(groups, from: 1, [], [], isPart: true, at: now)
    case (.services(let from, let filter, let found, let isPart), .readByGroupTypeResponse(let groups)):
      return take(groups, from: from, filter, found, isPart: isPart, at: now)
    case (.included(let service, let from, let found, let isPart), .readByTypeResponse(let entries)):
      return take(entries, includedBy: service, from: from, found, isPart, at: now)
    case (.includedUUID(let service, let from, var found, let range, let isPart), .readResponse(let value)):
      guard let uuid = BluetoothUUID(attributeBytes: value) else { return false }
      found.append(GATTService(uuid, range))
      goOn(.included(service, from: from, found: found, isPart: isPart), service, from, at: now)
    case (.characteristics(let service, let from, let filter, let found, let isPart), .readByTypeResponse(let entries)):
      guard let more = declared(entries, in: from...service.handles.upperBound), let last = more.last else {
        return false
      }
      let all = found + more
      if last.declaration < service.handles.upperBound, all.count < AttributeClient.attributesMaximum,
        !faults.contains(.firstPartOnly)
      {
        proceed(.characteristics(service, from: last.declaration + 1, filter, found: all, isPart: isPart), at: now)
      } else {
        endCharacteristics(service, filter, all, isPart, at: now)
      }
    case (.descriptors(let handle, let from, let last, let found, let isPart), .findInformationResponse(let entries)):
      guard rises(entries.map(\.handle), in: from...last), let end = entries.last?.handle else { return false }
      let all = found + entries.map { GATTDescriptor($0.type, $0.handle) }
      if end < last, all.count < AttributeClient.attributesMaximum {
        proceed(.descriptors(handle, from: end + 1, through: last, found: all, isPart: isPart), at: now)
      } else {
        endDescriptors(handle, all, at: now)
      }
    case (.read(let attribute, let handle, let value), .readResponse(let part)),
      (.read(let attribute, let handle, let value), .readBlobResponse(let part)):
      let all = Array((value + part).prefix(AttributePDU.valueBytesMaximum))
      // A part that fills the PDU may have more behind it.
      if part.count >= mtu - 1, all.count < AttributePDU.valueBytesMaximum, !faults.contains(.longValuesCut) {
        proceed(.read(attribute, handle, so: all), at: now)
      } else {
        finish(.value(handle: handle, known.characteristic(at: handle)?.uuid, all, .read), at: now)
      }
    case (.write(_, let handle, _), .writeResponse): finish(.written(handle: handle), at: now)
    case (
      .prepare(let attribute, let handle, let value, let from), .prepareWriteResponse(let sent, let offset, let part)
    ):
      let asked = Array(value[from..<min(value.count, from + mtu - 5)])
      guard sent == handle, Int(offset) == from, part == asked else {
        // What it holds is not what was sent.
        fail(procedure, .badAnswer)
        proceed(.execute(attribute, handle, writes: false), at: now)
        return true
      }
      let end = from + part.count
      proceed(
        end < value.count
          ? .prepare(attribute, handle, value, from: end) : .execute(attribute, handle, writes: true), at: now)
    case (.execute(_, let handle, let writes), .executeWriteResponse):
      finish(writes ? .written(handle: handle) : nil, at: now)
    case (
      .findConfiguration(let attribute, let handle, let isOn, let from, let last), .findInformationResponse(let entries)
    ):
      guard rises(entries.map(\.handle), in: from...last), let end = entries.last?.handle else { return false }
      if let one = entries.first(where: { $0.type == .clientConfiguration }) {
        proceed(.configure(attribute, handle, isOn, descriptor: one.handle), at: now)
      } else if end < last {
        proceed(.findConfiguration(attribute, handle, isOn, from: end + 1, through: last), at: now)
      } else {
        finish(.failed(GATTFailure(.notify, .notOffered, attribute)), at: now)
      }
    case (.configure(_, let handle, let isOn, _), .writeResponse):
      finish(.notifying(handle: handle, isOn), at: now)
    default: return false
    }
    return true
  }

  private mutating func take(name value: [UInt8], at now: Instant) {
    let name = AdvertisedFields.name(Array(value.prefix(AttributeClient.nameBytesMaximum)))
    if !name.isEmpty { output.append(.name(name)) }
    finish(nil, at: now)
  }

  // MARK: - Parts of lists

  private func rises(_ handles: [UInt16], in range: ClosedRange<UInt16>) -> Bool {
    var least = Int(range.lowerBound)
    for handle in handles {
      guard Int(handle) >= least, handle <= range.upperBound else { return false }
      least = Int(handle) + 1
    }
    return true
  }

  private mutating func take(
    _ groups: [AttributePDU.Group], from: UInt16, _ filter: [BluetoothUUID], _ found: [GATTService], isPart: Bool,
    at now: Instant
  ) -> Bool {
    var services = found
    var least = from
    for (place, group) in groups.enumerated() {
      guard group.handles.lowerBound >= least, let uuid = BluetoothUUID(attributeBytes: group.value),
        place == 0 || least != 0
      else { return false }
      services.append(GATTService(uuid, group.handles))
      least = group.handles.upperBound == .max ? 0 : group.handles.upperBound + 1
    }
    if least == 0 || services.count >= AttributeClient.servicesMaximum || faults.contains(.firstPartOnly) {
      endServices(filter, Array(services.prefix(AttributeClient.servicesMaximum)), isPart, at: now)
    } else {
      proceed(.services(from: least, filter, found: services, isPart: isPart), at: now)
    }
    return true
  }

  private mutating func take(
    _ entries: [AttributePDU.HandleValue], includedBy service: GATTService, from: UInt16, _ found: [GATTService],
    _ isPart: Bool, at now: Instant
  ) -> Bool {
    guard rises(entries.map(\.handle), in: from...service.handles.upperBound) else { return false }
    var found = found
    for entry in entries {
      let bytes = entry.value
      guard bytes.count >= 4 else { return false }
      let (first, last) = (bytes.little16(0), bytes.little16(2))
      guard first > 0, first <= last else { return false }
      if bytes.count == 4 {
        // A UUID of 128 bits does not fit: it is read from the service itself. Entries behind it are asked for again.
        proceed(.includedUUID(service, from: entry.handle, found: found, of: first...last, isPart: isPart), at: now)
        return true
      }
      guard let uuid = BluetoothUUID(attributeBytes: bytes[4...]) else { return false }
      found.append(GATTService(uuid, first...last))
    }
    guard let end = entries.last?.handle else { return false }
    goOn(.included(service, from: end, found: found, isPart: isPart), service, end, at: now)
    return true
  }

  /// Asks for what a service includes behind a handle.
  private mutating func goOn(_ procedure: Procedure, _ service: GATTService, _ end: UInt16, at now: Instant) {
    guard case .included(_, _, let found, let isPart) = procedure else { return }
    if end < service.handles.upperBound, found.count < AttributeClient.servicesMaximum {
      proceed(.included(service, from: end + 1, found: found, isPart: isPart), at: now)
    } else {
      endIncluded(service, found, isPart, at: now)
    }
  }

  private func declared(_ entries: [AttributePDU.HandleValue], in range: ClosedRange<UInt16>) -> [Procedure.Declared]? {
    guard rises(entries.map(\.handle), in: range) else { return nil }
    var all: [Procedure.Declared] = []
    for entry in entries {
      guard entry.value.count >= 5, let uuid = BluetoothUUID(attributeBytes: entry.value[3...]) else { return nil }
      let handle = entry.value.little16(1)
      guard handle > entry.handle, handle <= range.upperBound else { return nil }
      all.append(
        Procedure.Declared(
          declaration: entry.handle,
          characteristic: GATTCharacteristic(uuid, handle, .init(rawValue: entry.value[0]))))
    }
    return all
  }

  // MARK: - Ends of lists

  private mutating func endServices(
    _ filter: [BluetoothUUID], _ found: [GATTService], _ isPart: Bool, at now: Instant
  ) {
    let services = filter.isEmpty ? found : found.filter { filter.contains($0.uuid) }
    known.add(services)
    if isPart {
      procedures.insert(
        contentsOf: services.flatMap { service -> [Procedure] in
          let first = service.handles.lowerBound
          return [
            .included(service, from: first, found: [], isPart: true),
            .characteristics(service, from: first, [], found: [], isPart: true),
          ]
        } + [.discovered], at: 0)
    }
    finish(.services(services), at: now)
  }

  private mutating func endIncluded(
    _ service: GATTService, _ found: [GATTService], _ isPart: Bool, at now: Instant
  ) {
    // Of a whole discovery only what there is.
    let isNews = !isPart || !found.isEmpty
    let services = Array(found.prefix(AttributeClient.servicesMaximum))
    finish(isNews ? .includedServices(service: service.handles.lowerBound, services) : nil, at: now)
  }

  private mutating func endCharacteristics(
    _ service: GATTService, _ filter: [BluetoothUUID], _ found: [Procedure.Declared], _ isPart: Bool, at now: Instant
  ) {
    let all = found.prefix(AttributeClient.attributesMaximum).map(\.characteristic)
    let wanted = filter.isEmpty ? all : all.filter { filter.contains($0.uuid) }
    known.add(wanted, all: found.map { ($0.declaration, $0.characteristic.handle) }, of: service)
    if isPart {
      let parts = wanted.compactMap { one in
        known.characteristic(at: one.handle).flatMap { descriptors(of: $0, isPart: true) }
      }
      procedures.insert(contentsOf: parts, at: 0)
    }
    finish(.characteristics(service: service.handles.lowerBound, wanted), at: now)
  }

  private mutating func endDescriptors(_ handle: UInt16, _ found: [GATTDescriptor], at now: Instant) {
    let descriptors = Array(found.prefix(AttributeClient.attributesMaximum))
    known.set(descriptors, of: handle)
    finish(.descriptors(characteristic: handle, descriptors), at: now)
  }
}

extension AttributeClient.Procedure {
  var isDiscoveryOfAll: Bool { if case .discover = self { true } else { false } }
}
