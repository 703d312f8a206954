import CoreBluetooth
import Foundation
import RollcallPrimitives
import RollcallWire
import Synchronization

// What doors ask, as commands for the engine.
extension SimulatedPhone {
  /// The commands that come of everything that was asked since the last call, in that order.
  func takeRequests() -> [CentralCommand] {
    state.withLock { state in
      let requests = state.requests
      state.requests = []
      return requests.flatMap { commands(of: $0.request, by: $0.manager, &state) }
    }
  }

  private func commands(
    of request: PhoneRequest, by manager: ManagerNumber, _ state: inout State
  ) -> [CentralCommand] {
    func ask(_ peripheral: UUID, _ request: CentralCommand.Request) -> [CentralCommand] {
      guard let address = state.addresses[peripheral] else { return [] }
      state.pending[address, default: []].append(Pending(manager: manager, request: request))
      return [CentralCommand(address, request)]
    }
    func uuids(_ list: [AttributeUUID]?) -> [BluetoothUUID] { list?.compactMap { BluetoothUUID($0.description) } ?? [] }
    switch request {
    case .startScan(let scan):
      state.scans.removeAll { $0.manager == manager }
      state.scans.append(Scan(scan, of: manager))
      return []
    case .stopScan(let number):
      state.scans.removeAll { $0.manager == manager && $0.number == number }
      return []
    case .connect(let peripheral, let link, let options): return connect(peripheral, link, options, manager, &state)
    case .cancelConnection(let peripheral, let link): return cancel(peripheral, link, manager, &state)
    case .discoverServices(let peripheral, let list): return ask(peripheral, .services(uuids(list)))
    case .discoverIncludedServices(let peripheral, let service, _):
      return ask(peripheral, .includedServices(service: service.lowerBound))
    case .discoverCharacteristics(let peripheral, let service, let list):
      return ask(peripheral, .characteristics(service: service.lowerBound, uuids(list)))
    case .discoverDescriptors(let peripheral, let characteristic):
      return ask(peripheral, .descriptors(characteristic: characteristic))
    case .read(let peripheral, let handle): return ask(peripheral, .read(.handle(handle)))
    case .write(let peripheral, let handle, let bytes, let withResponse):
      return ask(peripheral, .write(.handle(handle), bytes, withResponse: withResponse))
    case .subscribe(let peripheral, let characteristic, let subscription):
      return ask(peripheral, .notify(.handle(characteristic), subscription != .off))
    case .readStrength(let peripheral): return ask(peripheral, .readStrength)
    // No other application connects on this phone but by its managers, which are told themselves.
    case .registerForConnectionEvents: return []
    }
  }

  private func connect(
    _ peripheral: UUID, _ link: Int, _ options: ConnectOptions, _ manager: ManagerNumber, _ state: inout State
  ) -> [CentralCommand] {
    guard let address = state.addresses[peripheral] else {
      SimulatedPhone.push(.failedToConnect(peripheral, link: link, .bluetooth(.unknownDevice)), to: manager, state)
      return []
    }
    // The virtual radio has no delayed attempts and none that are made again.
    guard options.startDelay == 0, !options.reconnects, !options.requiresANCS else {
      SimulatedPhone.push(
        .failedToConnect(peripheral, link: link, .bluetooth(.operationNotSupported)), to: manager, state)
      return []
    }
    let others = state.holders[address] ?? []
    let isConnected = others.contains(where: \.isConnected)
    state.holders[address] = others + [Holder(manager: manager, link: link, isConnected: isConnected)]
    // A link that another manager holds is there at once (CB-41).
    if isConnected { SimulatedPhone.push(.connected(peripheral, link: link), to: manager, state) }
    return others.isEmpty ? [CentralCommand(address, .connect)] : []
  }

  private func cancel(
    _ peripheral: UUID, _ link: Int, _ manager: ManagerNumber, _ state: inout State
  ) -> [CentralCommand] {
    guard let address = state.addresses[peripheral],
      let place = state.holders[address]?.firstIndex(where: { $0.manager == manager && $0.link == link })
    else { return [] }
    state.holders[address]?.remove(at: place)
    SimulatedPhone.push(
      .disconnected(peripheral, link: link, nil, timestamp: 0, isReconnecting: false), to: manager, state)
    // The radio's link stays while another manager holds it (CB-40).
    guard state.holders[address]?.isEmpty == true else { return [] }
    (state.holders[address], state.pending[address]) = (nil, nil)
    return [CentralCommand(address, .disconnect)]
  }
}
