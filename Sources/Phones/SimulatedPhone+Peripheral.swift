package import CoreBluetooth
import Foundation
import RollcallPrimitives
import Synchronization

// The phone as a peripheral: what its peripheral managers ask, and what becomes of connections that centrals make.
extension SimulatedPhone {
  package func attach(_ door: any PeripheralRoleDoor, as setup: ManagerSetup) -> ManagerNumber {
    state.withLock { state in
      state.managerCount += 1
      let number = ManagerNumber(state.managerCount)
      state.side.doors.append((number, door, setup.restoreIdentifier))
      state.untold.append(number)
      state.whenAsked?()
      return number
    }
  }

  package func perform(_ request: PeripheralRoleRequest, for manager: ManagerNumber) {
    state.withLock { state in
      state.roleRequests.append((manager, .plain(request)))
      state.whenAsked?()
    }
  }

  package func update(
    _ characteristic: UInt16, _ bytes: [UInt8], to centrals: [UUID]?, for manager: ManagerNumber
  ) -> Bool {
    state.withLock { state in
      guard state.side.reserve(characteristic, centrals, manager) else { return false }
      state.roleRequests.append((manager, .update(characteristic, bytes, centrals)))
      state.whenAsked?()
      return true
    }
  }

  /// Does what peripheral managers asked since the last call; whether they asked anything, and what the radio is to do.
  func takeRoleRequests() -> (isBusy: Bool, effects: [RadioEffect]) {
    state.withLock { state in
      // Managers have queues of their own, which run beside each other: their order may not matter.
      let requests = state.roleRequests.enumerated().sorted {
        ($0.element.manager.value, $0.offset) < ($1.element.manager.value, $1.offset)
      }
      state.roleRequests = []
      for (_, entry) in requests where state.side.doors.contains(where: { $0.number == entry.manager }) {
        switch entry.request {
        case .update(let handle, let bytes, let centrals): state.side.update(handle, bytes, centrals, entry.manager)
        case .plain(let request): perform(request, entry.manager, &state.side)
        }
      }
      defer { state.side.effects = [] }
      return (!requests.isEmpty, state.side.effects)
    }
  }

  private func perform(_ request: PeripheralRoleRequest, _ manager: ManagerNumber, _ side: inout PeripheralSide) {
    switch request {
    case .publish(let service): side.publish(service, manager)
    case .withdraw(let handle):
      side.withdraw { $0.manager == manager && $0.service.handles.lowerBound == handle }
    case .withdrawAll: side.withdraw { $0.manager == manager }
    case .advertise(let identity): side.advertise(identity, manager)
    case .stopAdvertising: side.stopAdvertising(manager)
    case .respond(let number, let code, let bytes): side.respond(number, code, bytes ?? [])
    case .setLatency(let latency, let central): side.desire(latency, of: central)
    }
  }

  /// What became of a connection that a central made.
  func take(_ signal: LinkSignal, of number: LinkID, at now: Instant) {
    switch signal {
    case .connected(_, _, let peer, _):
      let central = identifier(of: peer)
      state.withLock { $0.side.connected(number, central) }
    case .frame(let frame): state.withLock { $0.side.received(frame, number, at: now) }
    case .acknowledged(let frames): state.withLock { $0.side.acknowledged(frames, number) }
    // Of a radio that went off the state tells.
    case .ended(let end): state.withLock { $0.side.ended(number, isTold: end != .radioOff) }
    case .strength, .updated: break
    }
  }
}
