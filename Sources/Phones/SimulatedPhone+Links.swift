import CoreBluetooth
import RollcallDiscovery
import RollcallPrimitives
import RollcallWire
import Synchronization

// Connections of the phone's managers. The radio has one link to a peripheral, whoever holds it.
extension SimulatedPhone {
  /// A link that a manager asked for.
  struct Holder: Equatable {
    var manager: ManagerNumber
    var link: Int
    var isConnected = false
    /// It is sought again when it is lost (CB-42).
    var reconnects: Bool
    /// When the attempt begins; `nil`: it has begun (CB-43).
    var startsAt: Instant?
  }

  /// What the engine was asked for last.
  enum RadioLinkState { case attempting, connected, ending }

  /// Whose connections a manager is told of (CB-44).
  struct Registration {
    var services: [BluetoothUUID]
    var peripherals: [UUID]
  }

  func connect(
    _ peripheral: UUID, _ link: Int, _ options: ConnectOptions, _ manager: ManagerNumber, _ state: inout State
  ) {
    guard let address = state.addresses[peripheral] else {
      return SimulatedPhone.push(
        .failedToConnect(peripheral, link: link, .bluetooth(.unknownDevice)), to: manager, state)
    }
    guard !options.requiresANCS else {
      return SimulatedPhone.push(
        .failedToConnect(peripheral, link: link, .bluetooth(.operationNotSupported)), to: manager, state)
    }
    var holder = Holder(manager: manager, link: link, reconnects: options.reconnects)
    // Not more than thirty years, so that it is an instant.
    if options.startDelay > 0 {
      holder.startsAt = state.now + .nanoseconds(Int64(min(options.startDelay, 1e9) * 1e9))
    }
    state.holders[address, default: []].append(holder)
    begin(address, &state)
  }

  /// Begins what is due: a link that another manager holds is there at once (CB-41), else the radio seeks it.
  private func begin(_ address: RadioAddress, _ state: inout State) {
    let isConnected = state.links[address] == .connected
    var wants = false
    for place in (state.holders[address] ?? []).indices {
      guard let holder = state.holders[address]?[place], holder.startsAt == nil, !holder.isConnected else { continue }
      wants = true
      guard isConnected else { continue }
      state.holders[address]?[place].isConnected = true
      state.users[address, default: []].append(holder.manager)
      SimulatedPhone.push(.connected(identifier(of: address), link: holder.link), to: holder.manager, state)
    }
    if wants, state.links[address] == nil {
      state.links[address] = .attempting
      state.commands.append(CentralCommand(address, .connect))
    }
  }

  func cancel(_ peripheral: UUID, _ link: Int, _ manager: ManagerNumber, _ state: inout State) {
    guard let address = state.addresses[peripheral],
      let place = state.holders[address]?.firstIndex(where: { $0.manager == manager && $0.link == link })
    else { return }
    state.holders[address]?.remove(at: place)
    SimulatedPhone.push(
      .disconnected(
        peripheral, link: link, nil, timestamp: self.timestamp(state.now), isReconnecting: false),
      to: manager, state)
    // The radio's link stays while another manager holds it (CB-40).
    if state.holders[address]?.contains(where: { $0.startsAt == nil }) == true { return }
    end(address, &state)
  }

  /// The radio is to end a link, or to give an attempt up.
  func end(_ address: RadioAddress, _ state: inout State) {
    guard let link = state.links[address], link != .ending else { return }
    state.pending[address] = nil
    state.links[address] = .ending
    state.commands.append(CentralCommand(address, .disconnect))
  }

  /// Begins the attempts whose delay is over.
  func beginDelayed(_ state: inout State) {
    for address in state.holders.keys.sorted(by: { $0.precedes($1) }) {
      for place in (state.holders[address] ?? []).indices {
        if let startsAt = state.holders[address]?[place].startsAt, startsAt <= state.now {
          state.holders[address]?[place].startsAt = nil
        }
      }
      begin(address, &state)
    }
  }

  /// When the next delay is over.
  func nextStart(_ state: borrowing State) -> Instant {
    // ordered: the least of all.
    state.holders.values.reduce(.never) { least, holders in holders.reduce(least) { min($0, $1.startsAt ?? .never) } }
  }

  // MARK: - What becomes of them

  func connected(_ address: RadioAddress, _ state: inout State) {
    guard state.links[address] == .attempting else { return }
    state.links[address] = .connected
    state.users[address] = []
    begin(address, &state)
    tellRegistered(address, isConnected: true, state)
  }

  func failed(_ address: RadioAddress, _ end: LinkEnd, _ state: inout State) {
    state.links[address] = nil
    // Of a radio that went off the state tells.
    if end == .radioOff { return }
    let over = (state.holders[address] ?? []).filter { $0.startsAt == nil }
    state.holders[address]?.removeAll { $0.startsAt == nil }
    for holder in over {
      SimulatedPhone.push(
        .failedToConnect(identifier(of: address), link: holder.link, .bluetooth(end.code ?? .connectionFailed)),
        to: holder.manager, state)
    }
  }

  func disconnected(_ address: RadioAddress, _ end: LinkEnd, at now: Instant, _ state: inout State) {
    let identifier = identifier(of: address)
    (state.links[address], state.pending[address], state.discovered[address]) = (nil, nil, nil)
    state.full.removeAll { $0.address == address }
    for manager in state.reported.keys { state.reported[manager]?.remove(identifier) }  // ordered: each for itself.
    // Of a radio that went off the state tells, and no event (CB-06).
    if end == .radioOff { return }
    let over = (state.holders[address] ?? []).filter(\.isConnected)
    state.holders[address]?.removeAll { $0.isConnected && !$0.reconnects }
    for place in (state.holders[address] ?? []).indices { state.holders[address]?[place].isConnected = false }
    for holder in over {
      SimulatedPhone.push(
        .disconnected(
          identifier, link: holder.link, .bluetooth(end.code ?? .connectionTimeout),
          timestamp: self.timestamp(now), isReconnecting: holder.reconnects), to: holder.manager, state)
    }
    // An attempt that was cancelled was no connection.
    if state.users[address] != nil { tellRegistered(address, isConnected: false, state) }
    state.users[address] = nil
    // Those that reconnect, and those that asked while the link before was ending.
    begin(address, &state)
  }

  /// Tells the managers that registered for it of a connection in which they have no part (CB-44).
  private func tellRegistered(_ address: RadioAddress, isConnected: Bool, _ state: borrowing State) {
    let identifier = identifier(of: address)
    let services =
      (state.said[identifier]?.services ?? [])
      + (state.discovered[address] ?? []).compactMap { BluetoothUUID($0.service.uuid.description) }
    for door in state.doors where state.users[address]?.contains(door.number) != true {
      guard let registration = door.registration,
        registration.peripherals.contains(identifier) || registration.services.contains(where: services.contains)
      else { continue }
      SimulatedPhone.push(
        .connectionEvent(
          KnownPeripheral(identifier: identifier, name: state.names[identifier]), isConnected: isConnected),
        to: door.number, state)
    }
  }

  // MARK: - What the engine says of them

  /// Takes MTU, room and names of the links that stand.
  func look(at links: [CentralLink]) {
    state.withLock { state in
      for link in links {
        let identifier = identifier(of: link.peripheral)
        state.mtus[link.peripheral] = link.mtu
        state.rooms[link.peripheral] = link.commandRoom
        if let name = link.ownName, state.ownNames[identifier] != name {
          state.ownNames[identifier] = name
          tell(name, of: identifier, link.peripheral, &state)
        }
      }
      let ready = state.full.filter { (state.rooms[$0.address] ?? 0) > SimulatedPhone.roomForReady }
      state.full.removeAll { one in ready.contains { $0.address == one.address } }
      for one in ready {
        SimulatedPhone.push(.readyToWrite(identifier(of: one.address)), to: one.manager, state)
      }
    }
  }

  /// Half of what a controller takes.
  private static let roomForReady = LinkSize.framesMaximum / 2 - 1

  /// Only the name that a peripheral has of itself is told when it is another one (CB-29).
  private func tell(_ name: String, of identifier: UUID, _ address: RadioAddress, _ state: inout State) {
    guard state.names[identifier] != name else { return }
    state.names[identifier] = name
    for holder in state.holders[address] ?? [] where holder.isConnected {
      SimulatedPhone.push(.nameChanged(identifier, name), to: holder.manager, state)
    }
  }
}
