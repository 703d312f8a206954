import CoreBluetooth
import Foundation
import RollcallPrimitives
import RollcallWire
import Synchronization

// What the engine reports and the radio hears, as the doors are told of it.
extension SimulatedPhone {
  /// Who attached is told of the state of the radio, and everybody of a change of it.
  func tellState(isOn: Bool, isChange: Bool) {
    state.withLock { state in
      let managers = isChange ? (state.doors.map(\.number) + state.side.doors.map(\.number)) : state.untold
      state.untold = []
      if !isOn { state.scans = [] }
      if isChange, !isOn {
        state.holders = [:]
        state.pending = [:]
        state.full = []
      }
      state.isOn = isOn
      let told: CBManagerState = authorization != .allowedAlways ? .unauthorized : isOn ? .poweredOn : .poweredOff
      if told != .poweredOn { state.side.stop(forgetsServices: told.rawValue < CBManagerState.poweredOff.rawValue) }
      for manager in managers {
        SimulatedPhone.push(.state(told), to: manager, state)
        state.side.push(.state(told), to: manager)
      }
    }
  }

  // MARK: - Scans

  /// A packet that the radio heard.
  func hear(_ packet: RadioPDU) {
    guard let pdu = packet.bytes.withUnsafeBytes({ try? AdvertisingPDU($0) }), pdu.isAdvertisement,
      let address = pdu.sender
    else { return }
    let fields = packet.bytes.withUnsafeBytes {
      RollcallWire.AdvertisedFields(UnsafeRawBufferPointer(rebasing: $0[pdu.data]))
    }
    let identifier = identifier(of: address)
    let isResponse = pdu.kind == .scanResponse
    state.withLock { state in
      state.addresses[identifier] = address
      var all = state.said[identifier] ?? RollcallWire.AdvertisedFields()
      packet.bytes.withUnsafeBytes { all.add(UnsafeRawBufferPointer(rebasing: $0[pdu.data])) }
      state.said[identifier] = all
      if state.ownNames[identifier] == nil, let name = all.name { state.names[identifier] = name }
      for place in state.scans.indices {
        let scan = state.scans[place]
        guard scan.wants(all) else { continue }
        let told = scan.told[identifier]
        // One event for each peripheral, and a second one if the response says more (CB-14, CB-16).
        let isNews = told == nil || told == false && isResponse
        guard scan.allowsDuplicates || isNews else { continue }
        state.scans[place].told[identifier] = (told ?? false) || isResponse
        var advertisement = CoreBluetooth.AdvertisedFields(scan.allowsDuplicates && !isResponse ? fields : all)
        advertisement.isConnectable = isResponse ? state.connectable[identifier] : pdu.isConnectable
        if !isResponse { state.connectable[identifier] = pdu.isConnectable }
        SimulatedPhone.push(
          .discovered(
            Discovery(
              scan: scan.number, identifier: identifier, name: state.names[identifier],
              advertisement: advertisement, strength: packet.strength.map { Int($0) } ?? 127)),
          to: scan.manager, state)
      }
    }
  }

  // MARK: - Reports

  func take(_ report: Report, at now: Instant) {
    switch report {
    case .peripheral(let report):
      guard let address = RadioAddress(report.device.dropFirst("ble:".count)) else { return }
      state.withLock { take(report.event, of: address, at: now, &$0) }
    case .changed(let sighting, .attribute(.name, _)):
      guard case .radio(let address) = sighting.locator.address, let name = sighting[.name]?.text else { return }
      let identifier = identifier(of: address)
      state.withLock { state in
        // Only a connected peripheral is asked for its name; a new one on the air is no event (CB-29).
        guard state.holders[address]?.contains(where: \.isConnected) == true else { return }
        (state.names[identifier], state.ownNames[identifier]) = (name, name)
        for holder in state.holders[address] ?? [] {
          SimulatedPhone.push(.nameChanged(identifier, name), to: holder.manager, state)
        }
      }
    default: break
    }
  }

  private func take(
    _ event: PeripheralReport.Event, of address: RadioAddress, at now: Instant, _ state: inout State
  ) {
    let identifier = identifier(of: address)
    let linked = state.holders[address] ?? []
    func tellAll(_ event: PhoneEvent) {
      var told: [ManagerNumber] = []
      for holder in linked where !told.contains(holder.manager) {
        told.append(holder.manager)
        SimulatedPhone.push(event, to: holder.manager, state)
      }
    }
    func tellAsker(_ event: PhoneEvent, _ isAnswer: (CentralCommand.Request) -> Bool) {
      guard let place = state.pending[address]?.firstIndex(where: { isAnswer($0.request) }) else { return }
      if let pending = state.pending[address]?.remove(at: place) {
        SimulatedPhone.push(event, to: pending.manager, state)
      }
    }
    switch event {
    case .connected:
      for place in linked.indices { state.holders[address]?[place].isConnected = true }
      for holder in linked {
        SimulatedPhone.push(.connected(identifier, link: holder.link), to: holder.manager, state)
      }
    case .connectionFailed(let end):
      state.holders[address] = nil
      for holder in linked {
        SimulatedPhone.push(
          .failedToConnect(identifier, link: holder.link, .bluetooth(end.code ?? .connectionFailed)),
          to: holder.manager, state)
      }
    case .disconnected(let end):
      (state.holders[address], state.pending[address], state.discovered[address]) = (nil, nil, nil)
      state.full.removeAll { $0 == address }
      // Of a radio that went off the state tells, and no event (CB-06).
      if end == .radioOff { return }
      for holder in linked {
        SimulatedPhone.push(
          .disconnected(
            identifier, link: holder.link, .bluetooth(end.code ?? .connectionTimeout),
            timestamp: SimulatedPhone.timestamp(now), isReconnecting: false), to: holder.manager, state)
      }
    case .services(let found):
      // Answers add up (CB-54).
      let known = state.discovered[address] ?? []
      state.discovered[address] =
        known + found.filter { one in !known.contains { $0.handles == one.handles } }.map { ($0.handles, $0.uuid) }
      tellAsker(.services(identifier, .success(found.map { FoundService($0) }))) {
        if case .services = $0 { true } else { false }
      }
    case .includedServices(let service, let found):
      tellAsker(.includedServices(identifier, service: service, .success(found.map { FoundService($0) }))) {
        $0 == .includedServices(service: service)
      }
    case .characteristics(let service, let found):
      let all = found.map {
        FoundCharacteristic(
          handle: $0.handle, uuid: AttributeUUID($0.uuid),
          properties: CBCharacteristicProperties(rawValue: UInt($0.properties.rawValue)))
      }
      tellAsker(.characteristics(identifier, service: service, .success(all))) {
        if case .characteristics(service, _) = $0 { true } else { false }
      }
    case .descriptors(let characteristic, let found):
      let all = found.map { FoundDescriptor(handle: $0.handle, uuid: AttributeUUID($0.uuid)) }
      tellAsker(.descriptors(identifier, characteristic: characteristic, .success(all))) {
        $0 == .descriptors(characteristic: characteristic)
      }
    case .value(let handle, _, let bytes, let cause):
      let value = PhoneEvent.value(identifier, handle, .success(bytes))
      if cause == .read { tellAsker(value) { $0 == .read(.handle(handle)) } } else { tellAll(value) }
    case .written(let handle):
      tellAsker(.written(identifier, handle, nil)) {
        if case .write(.handle(handle), _, true) = $0 { true } else { false }
      }
    case .notifying(let handle, let isOn):
      tellAsker(.notifying(identifier, characteristic: handle, isOn: isOn, nil)) {
        if case .notify(.handle(handle), _) = $0 { true } else { false }
      }
    case .readyToWrite:
      state.full.removeAll { $0 == address }
      tellAll(.readyToWrite(identifier))
    case .strength(let strength):
      tellAsker(.strength(identifier, .success(strength.map { Int($0) } ?? 127))) { $0 == .readStrength }
    case .servicesChanged(let range):
      let void = (state.discovered[address] ?? []).filter { $0.handles.overlaps(range) }
      tellAll(.servicesModified(identifier, void.map(\.handles.lowerBound)))
    case .failed(let failure): take(failure, of: address, identifier, &state)
    case .discovered: break
    }
  }

  private func take(
    _ failure: GATTFailure, of address: RadioAddress, _ identifier: UUID, _ state: inout State
  ) {
    let error = failure.phoneError
    if failure.request == .write, failure.reason == .tooMany, !state.full.contains(address) {
      state.full.append(address)
    }
    guard
      let place = state.pending[address]?.firstIndex(where: {
        $0.request.kind == failure.request
          && (failure.attribute == nil || $0.request.attribute == failure.attribute)
      }), let pending = state.pending[address]?.remove(at: place)
    else { return }
    let event: PhoneEvent? =
      switch pending.request {
      case .services: .services(identifier, .failure(error))
      case .includedServices(let service): .includedServices(identifier, service: service, .failure(error))
      case .characteristics(let service, _): .characteristics(identifier, service: service, .failure(error))
      case .descriptors(let handle): .descriptors(identifier, characteristic: handle, .failure(error))
      case .read(.handle(let handle)): .value(identifier, handle, .failure(error))
      case .write(.handle(let handle), _, true): .written(identifier, handle, error)
      case .notify(.handle(let handle), let isOn): .notifying(identifier, characteristic: handle, isOn: !isOn, error)
      case .readStrength: .strength(identifier, .failure(error))
      default: nil
      }
    if let event { SimulatedPhone.push(event, to: pending.manager, state) }
  }

  /// Virtual time begins with the first second of 2001.
  static func timestamp(_ now: Instant) -> CFAbsoluteTime { Double((now - Instant.zero).nanoseconds) / 1e9 }
}

extension CoreBluetooth.AdvertisedFields {
  init(_ fields: RollcallWire.AdvertisedFields) {
    self.init()
    localName = fields.name
    manufacturerData = fields.manufacturerData.first
    for data in fields.serviceData { serviceData[AttributeUUID(data.service)] = data.data }
    services = fields.services.map { AttributeUUID($0) }
    solicitedServices = fields.solicitedServices.map { AttributeUUID($0) }
    transmitPower = fields.transmitPower.map { Int($0) }
  }
}

extension AttributeUUID {
  init(_ uuid: BluetoothUUID) {
    let high = (0..<8).map { UInt8(truncatingIfNeeded: uuid.high >> UInt64(56 - 8 * $0)) }
    let low = (0..<8).map { UInt8(truncatingIfNeeded: uuid.low >> UInt64(56 - 8 * $0)) }
    self = AttributeUUID(bytes: high + low) ?? AttributeUUID(0)
  }
}

extension FoundService {
  init(_ service: GATTService) {
    self.init(handles: service.handles, uuid: AttributeUUID(service.uuid), isPrimary: service.isPrimary)
  }
}

extension LinkEnd {
  /// As an application is told of it; `nil`: it asked for it, or is told by other means.
  var code: CBError.Code? {
    switch self {
    case .closedByPeer: .peripheralDisconnected
    case .timedOut: .connectionTimeout
    case .notEstablished: .connectionFailed
    case .refused: .connectionLimitReached
    case .closed, .radioOff: nil
    }
  }
}

extension GATTFailure {
  var phoneError: PhoneError {
    switch reason {
    case .refused: .attribute(error ?? 0x0E)
    case .notConnected, .disconnected: .bluetooth(.notConnected)
    case .unknownAttribute: .bluetooth(.invalidHandle)
    case .notOffered: .attribute(request == .read ? 0x02 : request == .write ? 0x03 : 0x06)
    case .tooLong: .attribute(0x0D)
    case .timedOut: .bluetooth(.connectionTimeout)
    case .alreadyConnected, .badAnswer, .tooMany: .bluetooth(.unknown)
    }
  }
}
