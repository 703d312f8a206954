import CoreBluetooth
import Foundation
import RollcallPrimitives
import Synchronization

// What the engine reports, as the doors are told of it.
extension SimulatedPhone {
  func take(_ report: Report, at now: Instant) {
    switch report {
    case .peripheral(let report):
      guard let address = RadioAddress(report.device.dropFirst("ble:".count)) else { return }
      state.withLock { take(report.event, of: address, at: now, &$0) }
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
    case .connected: connected(address, &state)
    case .connectionFailed(let end): failed(address, end, &state)
    case .disconnected(let end): disconnected(address, end, at: now, &state)
    case .services(let found):
      // Answers add up (CB-54).
      let known = state.discovered[address] ?? []
      state.discovered[address] =
        known
        + found.filter { one in !known.contains { $0.service.handles == one.handles } }.map {
          RestoredService(service: FoundService($0))
        }
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
      if let place = state.discovered[address]?.firstIndex(where: { $0.service.handles.lowerBound == service }) {
        let known = state.discovered[address]?[place].characteristics ?? []
        state.discovered[address]?[place].characteristics = known + all.filter { !known.contains($0) }
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
      for place in (state.discovered[address] ?? []).indices {
        let has = state.discovered[address]?[place].characteristics.contains { $0.handle == handle } == true
        state.discovered[address]?[place].notifying.removeAll { $0 == handle }
        if has, isOn { state.discovered[address]?[place].notifying.append(handle) }
      }
      tellAsker(.notifying(identifier, characteristic: handle, isOn: isOn, nil)) {
        if case .notify(.handle(handle), _) = $0 { true } else { false }
      }
    case .strength(let strength):
      tellAsker(.strength(identifier, .success(strength.map { Int($0) } ?? 127))) { $0 == .readStrength }
    case .servicesChanged(let range):
      let void = (state.discovered[address] ?? []).filter { $0.service.handles.overlaps(range) }
      state.discovered[address]?.removeAll { $0.service.handles.overlaps(range) }
      tellAll(.servicesModified(identifier, void.map(\.service.handles.lowerBound)))
    case .failed(let failure): take(failure, of: address, identifier, &state)
    // What the phone lets through there is room for, and it says itself when there is again (CB-58).
    case .discovered, .readyToWrite: break
    }
  }

  private func take(
    _ failure: GATTFailure, of address: RadioAddress, _ identifier: UUID, _ state: inout State
  ) {
    let error = failure.phoneError
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

  func timestamp(_ now: Instant) -> CFAbsoluteTime { epoch + Double((now - Instant.zero).nanoseconds) / 1e9 }
}
