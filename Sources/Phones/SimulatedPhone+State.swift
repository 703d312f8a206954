package import CoreBluetooth
import RollcallPrimitives
import Synchronization

// The state that managers are told, and what changes it from outside of the applications.
extension SimulatedPhone {
  /// The radio is on or off; who attached since is told the state, and everybody of a change of it.
  func tellState(isOn: Bool, since: Instant) {
    state.withLock { state in
      let isChange = state.isOn != nil && state.isOn != isOn
      state.isOn = isOn
      state.isResetting = !isOn && resets.contains(since)
      tell(everybody: isChange, &state)
    }
  }

  /// What the person allows this application changes.
  package func authorize(_ authorization: CBManagerAuthorization) {
    state.withLock { state in
      guard state.authorization != authorization else { return }
      state.authorization = authorization
      if state.isOn != nil { tell(everybody: true, &state) }
    }
  }

  package func setBackground(_ isInBackground: Bool) {
    state.withLock { state in
      state.isInBackground = isInBackground
      state.side.isInBackground = isInBackground
      state.side.advertise()
    }
  }

  private func tell(everybody: Bool, _ state: inout State) {
    let told: CBManagerState =
      state.authorization != .allowedAlways
      ? .unauthorized : state.isOn == true ? .poweredOn : state.isResetting ? .resetting : .poweredOff
    if everybody, told != .poweredOn { lose(&state) }
    if told != .poweredOn { state.side.stop(forgetsServices: told.rawValue < CBManagerState.poweredOff.rawValue) }
    let managers = everybody ? state.doors.map(\.number) + state.side.doors.map(\.number) : state.untold
    state.untold = []
    for manager in managers {
      restore(manager, &state)
      SimulatedPhone.push(.state(told), to: manager, state)
      state.side.push(.state(told), to: manager)
    }
  }

  /// Scans and connections end with the state that allowed them.
  private func lose(_ state: inout State) {
    state.scans = []
    for address in state.links.keys.sorted(by: { $0.precedes($1) }) {
      if state.isOn == true { end(address, &state) } else { state.links[address] = nil }
    }
    (state.holders, state.pending, state.full) = ([:], [:], [])
  }

  // MARK: - Restoration

  /// What is kept of a manager with a restore identifier when its application is ended.
  struct Kept {
    var identifier: String
    var manager: ManagerNumber
    var isPeripheralRole: Bool
  }

  /// The system ends all applications: scans, connections, services and advertising of managers with a restore
  /// identifier go on, those of the others end.
  package func endApplications() {
    state.withLock { state in
      let roles = state.side.doors
      let all =
        state.doors.map { ($0.number, $0.restoreIdentifier, false) }
        + roles.map { ($0.number, $0.restoreIdentifier, true) }
      (state.doors, state.side.doors, state.untold) = ([], [], [])
      (state.requests, state.roleRequests) = ([], [])
      for (number, identifier, isPeripheralRole) in all {
        if let identifier {
          // Of two managers with one identifier only the later one can be restored.
          if let place = state.kept.firstIndex(where: {
            $0.identifier == identifier && $0.isPeripheralRole == isPeripheralRole
          }) {
            drop(state.kept.remove(at: place).manager, &state)
          }
          state.kept.append(Kept(identifier: identifier, manager: number, isPeripheralRole: isPeripheralRole))
        } else {
          drop(number, &state)
        }
      }
      // Questions stay pending, so that their answers are not given to a later manager that asks the same.
    }
  }

  /// Nothing of a manager goes on.
  func drop(_ manager: ManagerNumber, _ state: inout State) {
    state.scans.removeAll { $0.manager == manager }
    state.side.detach(manager)
    for address in state.holders.keys.sorted(by: { $0.precedes($1) }) {
      for holder in state.holders[address] ?? [] where holder.manager == manager {
        cancel(identifier(of: address), holder.link, manager, &state)
      }
    }
  }

  /// Before its first state a manager takes over what was kept under its identifier (CB-51, CB-52).
  private func restore(_ manager: ManagerNumber, _ state: inout State) {
    let central = state.doors.first { $0.number == manager }
    let role = state.side.doors.first { $0.number == manager }
    guard let identifier = central?.restoreIdentifier ?? role?.restoreIdentifier,
      let place = state.kept.firstIndex(where: {
        $0.identifier == identifier && $0.isPeripheralRole == (role != nil)
      })
    else { return }
    let kept = state.kept.remove(at: place).manager
    if role != nil { return state.side.restore(kept, as: manager) }
    var restored = RestoredCentral()
    for place in state.scans.indices where state.scans[place].manager == kept {
      state.scans[place].manager = manager
      state.scans[place].request.number = 0
      restored.scan = state.scans[place].request
    }
    for address in state.holders.keys.sorted(by: { $0.precedes($1) }) {
      for place in (state.holders[address] ?? []).indices where state.holders[address]?[place].manager == kept {
        let link = -restored.peripherals.count
        state.holders[address]?[place].manager = manager
        state.holders[address]?[place].link = link
        let peripheral = self.identifier(of: address)
        let isConnected = state.holders[address]?[place].isConnected == true
        restored.peripherals.append(
          RestoredPeripheral(
            known: KnownPeripheral(identifier: peripheral, name: state.names[peripheral]), link: link,
            isConnected: isConnected, services: isConnected ? state.discovered[address] ?? [] : []))
      }
      if state.users[address]?.contains(kept) == true { state.users[address]?.append(manager) }
    }
    SimulatedPhone.push(.willRestore(restored), to: manager, state)
  }
}
