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
      // Managers have queues of their own, which run beside each other: their order may not matter.
      let requests = state.requests.enumerated().sorted {
        ($0.element.manager.value, $0.offset) < ($1.element.manager.value, $1.offset)
      }
      state.requests = []
      for (_, entry) in requests where state.doors.contains(where: { $0.number == entry.manager }) {
        perform(entry.request, entry.manager, &state)
      }
      beginDelayed(&state)
      defer { state.commands = [] }
      return state.commands
    }
  }

  private func perform(_ request: PhoneRequest, _ manager: ManagerNumber, _ state: inout State) {
    func ask(_ peripheral: UUID, _ request: CentralCommand.Request) {
      guard let address = state.addresses[peripheral] else { return }
      state.pending[address, default: []].append(Pending(manager: manager, request: request))
      state.commands.append(CentralCommand(address, request))
    }
    func uuids(_ list: [AttributeUUID]?) -> [BluetoothUUID] { list?.compactMap { BluetoothUUID($0.description) } ?? [] }
    switch request {
    case .startScan(let scan):
      state.scans.removeAll { $0.manager == manager }
      state.scans.append(Scan(scan, of: manager))
    case .stopScan(let number):
      state.scans.removeAll { $0.manager == manager && $0.request.number == number }
    case .connect(let peripheral, let link, let options): connect(peripheral, link, options, manager, &state)
    case .cancelConnection(let peripheral, let link): cancel(peripheral, link, manager, &state)
    case .discoverServices(let peripheral, let list): ask(peripheral, .services(uuids(list)))
    case .discoverIncludedServices(let peripheral, let service, _):
      ask(peripheral, .includedServices(service: service.lowerBound))
    case .discoverCharacteristics(let peripheral, let service, let list):
      ask(peripheral, .characteristics(service: service.lowerBound, uuids(list)))
    case .discoverDescriptors(let peripheral, let characteristic):
      ask(peripheral, .descriptors(characteristic: characteristic))
    case .read(let peripheral, let handle): ask(peripheral, .read(.handle(handle)))
    case .write(let peripheral, let handle, let bytes, let withResponse):
      if withResponse { return ask(peripheral, .write(.handle(handle), bytes, withResponse: true)) }
      command(peripheral, handle, bytes, manager, &state)
    case .subscribe(let peripheral, let characteristic, let subscription):
      ask(peripheral, .notify(.handle(characteristic), subscription != .off))
    case .readStrength(let peripheral): ask(peripheral, .readStrength)
    case .registerForConnectionEvents(let services, let peripherals):
      guard let place = state.doors.firstIndex(where: { $0.number == manager }) else { return }
      state.doors[place].registration =
        services == nil && peripherals == nil
        ? nil : Registration(services: uuids(services), peripherals: peripherals ?? [])
    }
  }

  /// A write without response: where there is no room it is lost, and nobody hears of it (CB-57, CB-58).
  private func command(
    _ peripheral: UUID, _ handle: UInt16, _ bytes: [UInt8], _ manager: ManagerNumber, _ state: inout State
  ) {
    guard let address = state.addresses[peripheral] else { return }
    guard let room = state.rooms[address], room > 0 else { return state.wantsRoom(address, manager) }
    state.rooms[address] = room - 1
    state.commands.append(CentralCommand(address, .write(.handle(handle), bytes, withResponse: false)))
  }
}
