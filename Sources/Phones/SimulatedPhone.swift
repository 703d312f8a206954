package import CoreBluetooth
import Foundation
package import RollcallPrimitives
import RollcallWire
import Synchronization

/// A phone in a virtual world, for applications that are written for CoreBluetooth.
///
/// Requests of managers are taken, in the order in which they were made, while virtual time stands still; what comes of
/// them is pushed into the doors at the instant at which the engine reports it.
package final class SimulatedPhone: PeripheralRolePhone {
  /// A link that a manager asked for.
  struct Holder: Equatable {
    var manager: ManagerNumber
    var link: Int
    var isConnected = false
  }
  /// A question that the engine has not answered yet, and who asked.
  struct Pending {
    var manager: ManagerNumber
    var request: CentralCommand.Request
  }

  struct State {
    var doors: [(number: ManagerNumber, door: any PhoneDoor)] = []
    /// Managers that were not told the state of the radio yet.
    var untold: [ManagerNumber] = []
    var requests: [(manager: ManagerNumber, request: PhoneRequest)] = []
    var roleRequests: [(manager: ManagerNumber, request: RoleRequest)] = []
    var managerCount = 0
    var isOn: Bool?
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
    /// First handles and UUIDs of services that were discovered.
    var discovered: [RadioAddress: [(handles: ClosedRange<UInt16>, uuid: BluetoothUUID)]] = [:]
    var mtus: [RadioAddress: Int] = [:]
    /// Peripherals for which the controller has no room.
    var full: [RadioAddress] = []
    var side: PeripheralSide
  }

  /// What a peripheral manager asked: values that are to be sent keep their place among the requests.
  enum RoleRequest {
    case plain(PeripheralRoleRequest)
    case update(UInt16, [UInt8], [UUID]?)
  }

  /// A scan of one manager, and what it has told of.
  struct Scan {
    var manager: ManagerNumber
    let number: Int
    let allowsDuplicates: Bool
    /// Services to advertise, any of them, or to look for; `nil`: whatever it advertises.
    private let services: [BluetoothUUID]?
    private let solicited: [BluetoothUUID]
    /// By identifier: whether the response was told of as well.
    var told: [UUID: Bool] = [:]

    init(_ request: ScanRequest, of manager: ManagerNumber) {
      (self.manager, number, allowsDuplicates) = (manager, request.number, request.allowsDuplicates)
      services = request.services?.compactMap { BluetoothUUID($0.description) }
      solicited = request.solicited.compactMap { BluetoothUUID($0.description) }
    }

    /// CB-12, CB-18: any of the services, or of those that it looks for.
    func wants(_ fields: RollcallWire.AdvertisedFields) -> Bool {
      guard let services else { return true }
      return fields.services.contains { services.contains($0) }
        || fields.solicitedServices.contains { solicited.contains($0) }
    }
  }

  /// What names the phone: its identifiers of peripherals are its own (CB-26).
  let name: String
  package let authorization: CBManagerAuthorization
  package let queues = DoorQueues()
  let state: Mutex<State>

  /// - Parameter host: the place of the phone in its world; its radio has an address of that.
  package init(name: String, host: Int = 0, authorization: CBManagerAuthorization = .allowedAlways) {
    (self.name, self.authorization) = (name, authorization)
    let address = RadioAddress(bits: 0xC000_0000_0000 | UInt64(host), isRandom: true)
    state = Mutex(State(side: PeripheralSide(name: name, address: address)))
  }

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
      state.doors.append((number, door))
      state.untold.append(number)
      return number
    }
  }

  package func detach(_ manager: ManagerNumber) {
    state.withLock { state in
      state.doors.removeAll { $0.number == manager }
      state.untold.removeAll { $0 == manager }
      state.scans.removeAll { $0.manager == manager }
      state.side.detach(manager)
      for (address, linked) in state.holders.sorted(by: { $0.key.bits < $1.key.bits }) {
        for holder in linked where holder.manager == manager {
          state.requests.append((manager, .cancelConnection(identifier(of: address), link: holder.link)))
        }
      }
    }
  }

  package func perform(_ request: PhoneRequest, for manager: ManagerNumber) {
    state.withLock { $0.requests.append((manager, request)) }
  }

  package func known(_ identifiers: [UUID], to manager: ManagerNumber) -> [KnownPeripheral] {
    state.withLock { state in
      identifiers.filter { state.addresses[$0] != nil }.map { KnownPeripheral(identifier: $0, name: state.names[$0]) }
    }
  }

  package func connected(withAnyOf services: [AttributeUUID]?, to manager: ManagerNumber) -> [KnownPeripheral] {
    let wanted = services.map { $0.compactMap { BluetoothUUID($0.description) } }
    return state.withLock { state in
      state.holders.sorted { $0.key.bits < $1.key.bits }.compactMap { address, linked in
        guard linked.contains(where: \.isConnected) else { return nil }
        let found = state.discovered[address] ?? []
        if let wanted, !found.contains(where: { wanted.contains($0.uuid) }) { return nil }
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
    state.withLock { state in state.addresses[peripheral].map { !state.full.contains($0) } ?? false }
  }

  // MARK: - Events

  /// Pushes an event into the door of one manager.
  static func push(_ event: PhoneEvent, to manager: ManagerNumber, _ state: borrowing State) {
    state.doors.first { $0.number == manager }?.door.push(event)
  }
}
