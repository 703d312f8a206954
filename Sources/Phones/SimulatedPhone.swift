package import CoreBluetooth
import Foundation
package import RollcallDoors
package import RollcallPrimitives
import RollcallWire
import Synchronization

/// A phone in a virtual world, for applications that are written for CoreBluetooth.
///
/// Requests of managers are taken, in the order in which they were made, while virtual time stands still; what comes of
/// them is pushed into the doors at the instant at which the engine reports it.
package final class SimulatedPhone: PeripheralRolePhone {
  /// A question that the engine has not answered yet, and who asked.
  struct Pending {
    var manager: ManagerNumber
    var request: CentralCommand.Request
  }

  struct State {
    var doors: [Door] = []
    /// Managers that were not told the state of the radio yet.
    var untold: [ManagerNumber] = []
    var requests: [(manager: ManagerNumber, request: PhoneRequest)] = []
    var roleRequests: [(manager: ManagerNumber, request: RoleRequest)] = []
    var managerCount = 0
    var authorization: CBManagerAuthorization
    var isOn: Bool?
    /// It is off since it crashed.
    var isResetting = false
    var isInBackground = false
    /// The instant at which applications are asked.
    var now = Instant.zero
    var scans: [Scan] = []
    /// By identifier: the address behind it, and its name.
    var addresses: [UUID: RadioAddress] = [:]
    var names: [UUID: String] = [:]
    /// Those that peripherals gave when they were connected; they count more than those on the air (CB-28).
    var ownNames: [UUID: String] = [:]
    /// All that each said on the air, and whether it could be connected to.
    var said: [UUID: RollcallWire.AdvertisedFields] = [:]
    var connectable: [UUID: Bool] = [:]
    var holders: [RadioAddress: [Holder]] = [:]
    var pending: [RadioAddress: [Pending]] = [:]
    var links: [RadioAddress: RadioLinkState] = [:]
    /// Managers that had a part in a link.
    var users: [RadioAddress: [ManagerNumber]] = [:]
    /// What the engine is to do, in order.
    var commands: [CentralCommand] = []
    /// What was discovered of those that are connected.
    var discovered: [RadioAddress: [RestoredService]] = [:]
    var mtus: [RadioAddress: Int] = [:]
    /// How many writes without response there is room for.
    var rooms: [RadioAddress: Int] = [:]
    /// Peripherals for which there was no room, and who was told so.
    var full: [(address: RadioAddress, manager: ManagerNumber)] = []
    /// Peripherals that a manager was told of in a scan, and not connected to since.
    var reported: [ManagerNumber: Set<UUID>] = [:]
    var kept: [Kept] = []
    var side: PeripheralSide
    /// Called when applications have asked something, from their threads; a world asks by itself.
    var whenAsked: (@Sendable () -> Void)?

    init(side: PeripheralSide, authorization: CBManagerAuthorization) {
      (self.side, self.authorization) = (side, authorization)
    }

    mutating func wantsRoom(_ address: RadioAddress, _ manager: ManagerNumber) {
      if !full.contains(where: { $0 == (address, manager) }) { full.append((address, manager)) }
    }
  }

  /// The door of a central manager.
  struct Door {
    var number: ManagerNumber
    var door: any PhoneDoor
    var restoreIdentifier: String?
    var registration: Registration?
  }

  /// What a peripheral manager asked: values that are to be sent keep their place among the requests.
  enum RoleRequest {
    case plain(PeripheralRoleRequest)
    case update(UInt16, [UInt8], [UUID]?)
  }

  /// What names the phone: its identifiers of peripherals are its own (CB-26).
  let name: String
  /// When its Bluetooth crashes.
  let resets: [Instant]
  /// Where its time begins, in seconds since 2001.
  let epoch: CFAbsoluteTime
  package let queues = DoorQueues()
  let state: Mutex<State>

  /// - Parameters:
  ///   - host: the place of the phone in its world; its radio has an address of that.
  ///   - resets: when the radio goes off since the phone's Bluetooth crashed.
  ///   - epoch: where its time begins, in seconds since 2001.
  package init(
    name: String, host: Int = 0, authorization: CBManagerAuthorization = .allowedAlways, resets: [Instant] = [],
    epoch: CFAbsoluteTime = 0
  ) {
    (self.name, self.resets, self.epoch) = (name, resets, epoch)
    let address = RadioAddress(bits: 0xC000_0000_0000 | UInt64(host), isRandom: true)
    state = Mutex(State(side: PeripheralSide(name: name, address: address), authorization: authorization))
  }

  package var authorization: CBManagerAuthorization { state.withLock { $0.authorization } }

  /// The identifier of a peripheral on this phone: the same in every run.
  package func identifier(of address: RadioAddress) -> UUID {
    var digest = Digest()
    digest.combine(name)
    digest.combine(address.bits, address.isRandom ? 1 : 0)
    let high = digest.state
    digest.combine(1)
    let low = digest.state
    var bytes = [UInt8](repeating: 0, count: 16)
    for place in 0..<8 {
      bytes[place] = UInt8(truncatingIfNeeded: high >> UInt64(8 * place))
      bytes[8 + place] = UInt8(truncatingIfNeeded: low >> UInt64(8 * place))
    }
    // As a random UUID has them.
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9], bytes[10],
        bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }

  // MARK: - What doors ask

  package func attach(_ door: any PhoneDoor, as setup: ManagerSetup) -> ManagerNumber {
    state.withLock { state in
      state.managerCount += 1
      let number = ManagerNumber(state.managerCount)
      state.doors.append(Door(number: number, door: door, restoreIdentifier: setup.restoreIdentifier))
      state.untold.append(number)
      state.whenAsked?()
      return number
    }
  }

  package func detach(_ manager: ManagerNumber) {
    state.withLock { state in
      let isHere = state.doors.contains { $0.number == manager } || state.side.doors.contains { $0.number == manager }
      // What was kept of an application that was ended is not its own any more.
      guard isHere else { return }
      state.doors.removeAll { $0.number == manager }
      state.side.doors.removeAll { $0.number == manager }
      drop(manager, &state)
      state.whenAsked?()
    }
  }

  package func perform(_ request: PhoneRequest, for manager: ManagerNumber) {
    state.withLock { state in
      state.requests.append((manager, request))
      state.whenAsked?()
    }
  }

  package func known(_ identifiers: [UUID], to manager: ManagerNumber) -> [KnownPeripheral] {
    state.withLock { state in
      identifiers.filter { state.addresses[$0] != nil }.map { KnownPeripheral(identifier: $0, name: state.names[$0]) }
    }
  }

  package func connected(withAnyOf services: [AttributeUUID]?, to manager: ManagerNumber) -> [KnownPeripheral] {
    state.withLock { state in
      state.holders.sorted { $0.key.precedes($1.key) }.compactMap { address, linked in
        guard linked.contains(where: \.isConnected) else { return nil }
        let found = (state.discovered[address] ?? []).map(\.service.uuid)
        if let services, !found.contains(where: services.contains) { return nil }
        let identifier = identifier(of: address)
        return KnownPeripheral(identifier: identifier, name: state.names[identifier])
      }
    }
  }

  package func maximumWriteLength(_ peripheral: UUID, withResponse: Bool, for manager: ManagerNumber) -> Int {
    if withResponse { return 512 }
    return state.withLock { state in (state.addresses[peripheral].flatMap { state.mtus[$0] } ?? 23) - 3 }
  }

  package func hasRoomToWrite(_ peripheral: UUID, for manager: ManagerNumber) -> Bool {
    state.withLock { state in
      guard let address = state.addresses[peripheral] else { return false }
      let waiting = state.requests.count {
        if case .write(peripheral, _, _, withResponse: false) = $0.request { true } else { false }
      }
      if (state.rooms[address] ?? 0) > waiting { return true }
      state.wantsRoom(address, manager)
      return false
    }
  }

  // MARK: - Events

  /// Pushes an event into the door of one manager.
  static func push(_ event: PhoneEvent, to manager: ManagerNumber, _ state: borrowing State) {
    state.doors.first { $0.number == manager }?.door.push(event)
  }
}
