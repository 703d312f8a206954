import RollcallPrimitives
import RollcallWire

extension AttributeClient {
  /// Something that is asked of the server, with what came of it so far.
  enum Procedure {
    case exchangeMTU
    case readName
    /// What of the name did not fit into the answer.
    case readLongName(UInt16, so: [UInt8])
    // To be told when services change: which service says so, its characteristic, the descriptor, the subscription.
    case findGenericAttribute
    case findServiceChanged(ClosedRange<UInt16>)
    case findItsConfiguration(ClosedRange<UInt16>)
    case subscribeToChanges(UInt16)
    /// All services with all that they have.
    case discover
    case services(from: UInt16, [BluetoothUUID], found: [GATTService], isPart: Bool)
    case included(GATTService, from: UInt16, found: [GATTService], isPart: Bool)
    /// The UUID of an included service that did not fit its declaration.
    case includedUUID(GATTService, from: UInt16, found: [GATTService], of: ClosedRange<UInt16>, isPart: Bool)
    case characteristics(GATTService, from: UInt16, [BluetoothUUID], found: [Declared], isPart: Bool)
    case descriptors(UInt16, from: UInt16, through: UInt16, found: [GATTDescriptor], isPart: Bool)
    /// All parts of `discover` are done.
    case discovered
    case read(GATTAttribute, UInt16, so: [UInt8])
    case write(GATTAttribute, UInt16, [UInt8])
    case command(GATTAttribute, UInt16, [UInt8])
    /// A value that takes several requests: from this offset on.
    case prepare(GATTAttribute, UInt16, [UInt8], from: Int)
    case execute(GATTAttribute, UInt16, writes: Bool)
    case findConfiguration(GATTAttribute, UInt16, Bool, from: UInt16, through: UInt16)
    case configure(GATTAttribute, UInt16, Bool, descriptor: UInt16)

    /// A characteristic, and where its declaration stands.
    struct Declared {
      var declaration: UInt16
      var characteristic: GATTCharacteristic
    }

    /// What an application asked; `nil`: nobody did.
    var request: GATTFailure.Request? {
      switch self {
      case .exchangeMTU, .readName, .readLongName, .findGenericAttribute, .findServiceChanged, .findItsConfiguration,
        .subscribeToChanges:
        nil
      // What was prepared is given up: the write has failed before.
      case .execute(_, _, writes: false): nil
      case .discover, .services, .included, .includedUUID, .characteristics, .descriptors, .discovered: .discover
      case .read: .read
      case .write, .command, .prepare, .execute: .write
      case .findConfiguration, .configure: .notify
      }
    }

    var attribute: GATTAttribute? {
      switch self {
      case .read(let attribute, _, _), .write(let attribute, _, _), .command(let attribute, _, _),
        .prepare(let attribute, _, _, _), .execute(let attribute, _, _), .configure(let attribute, _, _, _),
        .findConfiguration(let attribute, _, _, _, _):
        attribute
      case .included(let service, _, _, _), .includedUUID(let service, _, _, _, _),
        .characteristics(let service, _, _, _, _):
        .handle(service.handles.lowerBound)
      case .descriptors(let handle, _, _, _, _): .handle(handle)
      default: nil
      }
    }

    var isPart: Bool {
      switch self {
      case .services(_, _, _, let isPart), .included(_, _, _, let isPart), .includedUUID(_, _, _, _, let isPart),
        .characteristics(_, _, _, _, let isPart), .descriptors(_, _, _, _, let isPart):
        isPart
      case .discovered: true
      default: false
      }
    }

    /// Of the request that it sends next.
    var opcode: AttributePDU.Opcode? {
      switch self {
      case .exchangeMTU: .exchangeMTURequest
      case .readName, .findServiceChanged, .included, .characteristics: .readByTypeRequest
      case .findGenericAttribute: .findByTypeValueRequest
      case .findItsConfiguration, .descriptors, .findConfiguration: .findInformationRequest
      case .discover, .services: .readByGroupTypeRequest
      case .includedUUID: .readRequest
      case .readLongName: .readBlobRequest
      case .read(_, _, let value): value.isEmpty ? .readRequest : .readBlobRequest
      case .subscribeToChanges, .write, .configure: .writeRequest
      case .prepare: .prepareWriteRequest
      case .execute: .executeWriteRequest
      case .command, .discovered: nil
      }
    }
  }

  /// What an application asks, as a procedure; says why where it cannot be one.
  mutating func ask(_ request: CentralCommand.Request, at now: Instant) {
    switch request {
    case .discover: add(.discover, at: now)
    case .services(let uuids): add(.services(from: 1, uuids, found: [], isPart: false), at: now)
    case .includedServices(let handle):
      guard let service = known.service(at: handle) else { return refuse(.discover, .handle(handle)) }
      add(.included(service, from: service.handles.lowerBound, found: [], isPart: false), at: now)
    case .characteristics(let handle, let uuids):
      guard let service = known.service(at: handle) else { return refuse(.discover, .handle(handle)) }
      add(.characteristics(service, from: service.handles.lowerBound, uuids, found: [], isPart: false), at: now)
    case .descriptors(let handle):
      guard let one = known.characteristic(at: handle) else { return refuse(.discover, .handle(handle)) }
      guard let procedure = descriptors(of: one, isPart: false) else {
        return output.append(.event(.descriptors(characteristic: handle, [])))
      }
      add(procedure, at: now)
    case .read(let attribute):
      guard let one = known.characteristic(of: attribute) else { return refuse(.read, attribute) }
      let handle = valueHandle(attribute, one)
      if handle == one.handle, !one.characteristic.properties.contains(.read) {
        return refuse(.read, attribute, .notOffered)
      }
      add(.read(attribute, handle, so: []), at: now)
    case .write(let attribute, let value, let withResponse):
      write(attribute, value, withResponse, at: now)
    case .notify(let attribute, let isOn):
      guard let one = known.characteristic(of: attribute) else { return refuse(.notify, attribute) }
      guard !one.characteristic.properties.isDisjoint(with: [.notify, .indicate]) else {
        return refuse(.notify, attribute, .notOffered)
      }
      if let descriptor = one.descriptors.first(where: { $0.uuid == .clientConfiguration }) {
        add(.configure(attribute, one.handle, isOn, descriptor: descriptor.handle), at: now)
      } else if one.handle < one.end {
        add(.findConfiguration(attribute, one.handle, isOn, from: one.handle + 1, through: one.end), at: now)
      } else {
        refuse(.notify, attribute, .notOffered)
      }
    case .connect, .disconnect, .readStrength: break
    }
  }

  private mutating func write(_ attribute: GATTAttribute, _ value: [UInt8], _ withResponse: Bool, at now: Instant) {
    guard let one = known.characteristic(of: attribute) else { return refuse(.write, attribute) }
    let handle = valueHandle(attribute, one)
    let isOffered = one.characteristic.properties.contains(withResponse ? .write : .writeWithoutResponse)
    guard handle != one.handle || isOffered else { return refuse(.write, attribute, .notOffered) }
    // The descriptor that switches notifications is written by `notify` alone (CB-60).
    if one.descriptors.contains(where: { $0.handle == handle && $0.uuid == .clientConfiguration }) {
      return refuse(.write, attribute, .notOffered)
    }
    guard value.count <= (withResponse ? AttributePDU.valueBytesMaximum : mtu - 3) else {
      return refuse(.write, attribute, .tooLong)
    }
    add(withResponse ? .write(attribute, handle, value) : .command(attribute, handle, value), at: now)
  }

  private func valueHandle(_ attribute: GATTAttribute, _ one: KnownAttributes.Characteristic) -> UInt16 {
    if case .handle(let handle) = attribute { return handle }
    return one.handle
  }

  private mutating func refuse(
    _ request: GATTFailure.Request, _ attribute: GATTAttribute, _ reason: GATTFailure.Reason = .unknownAttribute
  ) {
    output.append(.event(.failed(GATTFailure(request, reason, attribute))))
  }

  func descriptors(of one: KnownAttributes.Characteristic, isPart: Bool) -> Procedure? {
    one.handle < one.end
      ? .descriptors(one.handle, from: one.handle + 1, through: one.end, found: [], isPart: isPart) : nil
  }

  /// A value that does not fit is written in parts, by the ATT_MTU of the time when it is sent.
  func inParts(_ procedure: Procedure) -> Procedure {
    guard case .write(let attribute, let handle, let value) = procedure, value.count > mtu - 3 else { return procedure }
    return .prepare(attribute, handle, value, from: 0)
  }

  /// The request of a procedure; `nil`: it needs none, and is done.
  mutating func request(of procedure: Procedure) -> AttributePDU? {
    let all: ClosedRange<UInt16> = 1...UInt16.max
    switch procedure {
    case .exchangeMTU: return .exchangeMTURequest(mtu: AttributeClient.mtu)
    case .readName: return .readByTypeRequest(all, type: .deviceName)
    case .readLongName(let handle, let value): return .readBlobRequest(handle: handle, offset: UInt16(value.count))
    case .findGenericAttribute:
      return .findByTypeValueRequest(all, type: 0x2800, value: BluetoothUUID.genericAttribute.littleEndian)
    case .findServiceChanged(let range): return .readByTypeRequest(range, type: .characteristic)
    case .findItsConfiguration(let range): return .findInformationRequest(range)
    case .subscribeToChanges(let handle): return .writeRequest(handle: handle, value: [2, 0])
    case .discover: return .readByGroupTypeRequest(all, type: .primaryService)
    case .services(let from, _, _, _): return .readByGroupTypeRequest(from...UInt16.max, type: .primaryService)
    case .included(let service, let from, _, _):
      return .readByTypeRequest(from...service.handles.upperBound, type: .include)
    case .includedUUID(_, _, _, let range, _): return .readRequest(handle: range.lowerBound)
    case .characteristics(let service, let from, _, _, _):
      return .readByTypeRequest(from...service.handles.upperBound, type: .characteristic)
    case .descriptors(_, let from, let last, _, _), .findConfiguration(_, _, _, let from, let last):
      return .findInformationRequest(from...last)
    case .discovered:
      output.append(
        .event(
          .discovered(
            services: known.services.count, characteristics: known.characteristics.count,
            descriptors: known.descriptorCount)))
      return nil
    case .read(_, let handle, let value):
      return value.isEmpty
        ? .readRequest(handle: handle) : .readBlobRequest(handle: handle, offset: UInt16(value.count))
    case .write(_, let handle, let value): return .writeRequest(handle: handle, value: value)
    case .command(let attribute, let handle, let value):
      guard value.count <= mtu - 3 else {
        refuse(.write, attribute, .tooLong)
        return nil
      }
      if !sendCommand(.writeCommand(handle: handle, value: value)) { refuse(.write, attribute, .tooMany) }
      return nil
    case .prepare(_, let handle, let value, let from):
      let part = value[from..<min(value.count, from + mtu - 5)]
      return .prepareWriteRequest(handle: handle, offset: UInt16(from), value: Array(part))
    case .execute(_, _, let writes): return .executeWriteRequest(writes: writes)
    case .configure(_, let handle, let isOn, let descriptor):
      let properties = known.characteristic(at: handle)?.characteristic.properties ?? []
      // Where both are offered, notifications (CB-60).
      let bits: UInt8 = !isOn ? 0 : properties.contains(.notify) ? 1 : 2
      return .writeRequest(handle: descriptor, value: [bits, 0])
    }
  }
}
