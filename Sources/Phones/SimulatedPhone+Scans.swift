import CoreBluetooth
import RollcallPrimitives
import RollcallWire
import Synchronization

extension SimulatedPhone {
  /// A scan of one manager, and what it has told of.
  struct Scan {
    var manager: ManagerNumber
    var request: ScanRequest
    /// Services to advertise, any of them, or to look for; `nil`: whatever it advertises.
    private let services: [BluetoothUUID]?
    private let solicited: [BluetoothUUID]
    /// By identifier: whether the response was told of as well.
    var told: [UUID: Bool] = [:]

    init(_ request: ScanRequest, of manager: ManagerNumber) {
      (self.manager, self.request) = (manager, request)
      services = request.services?.compactMap { BluetoothUUID($0.description) }
      solicited = request.solicited.compactMap { BluetoothUUID($0.description) }
    }

    /// CB-12, CB-18: any of the services, or of those that it looks for. In the background options are ignored, and
    /// nobody is told of peripherals that were not named (CB-19).
    func wants(
      _ fields: RollcallWire.AdvertisedFields, _ overflowing: [BluetoothUUID], isInBackground: Bool
    ) -> Bool {
      guard let services else { return !isInBackground }
      return fields.services.contains { services.contains($0) } || !overflowing.isEmpty
        || !isInBackground && fields.solicitedServices.contains { solicited.contains($0) }
    }

    /// The services that were named and may be in the overflow area of a phone (CB-24).
    func overflowing(_ fields: RollcallWire.AdvertisedFields) -> [BluetoothUUID] {
      guard let services,
        let area = fields.manufacturerData.lazy.compactMap({ OverflowArea(manufacturerData: $0) }).first
      else { return [] }
      return services.filter { area.contains($0) }
    }
  }

  /// A phone knows no more; it is told of no further ones.
  private static let peripheralsMaximum = 65_536

  /// A packet that the radio heard.
  func hear(_ packet: RadioPDU) {
    guard let pdu = packet.bytes.withUnsafeBytes({ try? AdvertisingPDU($0) }), pdu.isAdvertisement,
      let address = pdu.sender
    else { return }
    let fields = packet.bytes.withUnsafeBytes {
      RollcallWire.AdvertisedFields(UnsafeRawBufferPointer(rebasing: $0[pdu.data]))
    }
    let identifier = identifier(of: address)
    let isResponse = pdu.kind == .scanResponse || pdu.isAuxiliaryResponse(onChannel: packet.channel)
    state.withLock { state in
      guard state.addresses[identifier] != nil || state.addresses.count < SimulatedPhone.peripheralsMaximum else {
        return
      }
      state.addresses[identifier] = address
      var all = state.said[identifier] ?? RollcallWire.AdvertisedFields()
      packet.bytes.withUnsafeBytes { all.add(UnsafeRawBufferPointer(rebasing: $0[pdu.data])) }
      state.said[identifier] = all
      if state.ownNames[identifier] == nil, let name = all.name { state.names[identifier] = name }
      if !isResponse { state.connectable[identifier] = pdu.isConnectable }
      for place in state.scans.indices {
        let scan = state.scans[place]
        let overflowing = scan.overflowing(fields)
        guard scan.wants(all, overflowing, isInBackground: state.isInBackground),
          isNews(identifier, isResponse: isResponse, scan, state)
        else { continue }
        state.scans[place].told[identifier] = (scan.told[identifier] ?? false) || isResponse
        state.reported[scan.manager, default: []].insert(identifier)
        let allowsDuplicates = scan.request.allowsDuplicates && !state.isInBackground
        var advertisement = CoreBluetooth.AdvertisedFields(allowsDuplicates && !isResponse ? fields : all)
        advertisement.overflowServices = overflowing.map { AttributeUUID($0) }
        advertisement.isConnectable = isResponse ? state.connectable[identifier] : pdu.isConnectable
        SimulatedPhone.push(
          .discovered(
            Discovery(
              scan: scan.request.number, identifier: identifier, name: state.names[identifier],
              advertisement: advertisement, strength: packet.strength.map { Int($0) } ?? 127)),
          to: scan.manager, state)
      }
    }
  }

  /// Whether a scan is told of a packet.
  private func isNews(_ identifier: UUID, isResponse: Bool, _ scan: Scan, _ state: borrowing State) -> Bool {
    // In the background once, by whichever scan, until there was a connection (CB-19).
    if state.isInBackground { return state.reported[scan.manager]?.contains(identifier) != true }
    if scan.request.allowsDuplicates { return true }
    // One event for each peripheral, and a second one if the response says more (CB-14, CB-16).
    let told = scan.told[identifier]
    return told == nil || told == false && isResponse
  }
}
