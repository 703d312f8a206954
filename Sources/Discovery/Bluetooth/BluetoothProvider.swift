import RollcallPrimitives
import RollcallWire

/// Finds Bluetooth LE peripherals by what they advertise, and loses them by their silence.
///
/// A peripheral is its address: one that changes its private address is another peripheral for everybody who does not
/// have its key (CB-27). What it said once stays until it says something else: peripherals take turns with what they advertise.
struct BluetoothProvider: Provider {
  private var table: PeripheralTable
  private let silence: Interval

  static var id: ProviderID { .bluetooth }

  init(silence: Interval, countMaximum: Int) {
    (self.silence, table) = (silence, PeripheralTable(countMaximum: max(1, countMaximum)))
  }

  var deadline: Instant { nextLoss ?? .never }

  /// The first instant at which a peripheral has been silent long enough; `nil`: there is no peripheral.
  var nextLoss: Instant? { table.first.map { table[$0].heardAt + silence } }

  mutating func advance(to now: Instant, _ directory: inout Directory, into outbox: inout Outbox) {
    while let first = table.first, table[first].heardAt + silence <= now {
      directory.now = table[first].heardAt + silence
      lose(first, .expired, &directory, into: &outbox)
    }
  }

  mutating func receive(
    _ datagram: Datagram, at now: Instant, _ directory: inout Directory, into outbox: inout Outbox
  ) {}

  mutating func receive(
    _ value: SignalValue, at now: Instant, _ directory: inout Directory, into outbox: inout Outbox
  ) {
    switch value {
    case .radio(.heard(let packet)):
      packet.bytes.withUnsafeBytes { bytes in
        do throws(RadioFault) {
          let pdu = try AdvertisingPDU(bytes)
          hear(pdu, UnsafeRawBufferPointer(rebasing: bytes[pdu.data]), packet.strength, at: now, &directory)
        } catch {
          outbox.report(.rejected(Rejection(.badPacket, at: error.offset)))
        }
      }
      directory.report(into: &outbox)
    case .application(.stop):
      while let first = table.first { lose(first, .stopped, &directory, into: &outbox) }
    default: break
    }
  }

  private mutating func lose(
    _ place: Int, _ cause: LossCause, _ directory: inout Directory, into outbox: inout Outbox
  ) {
    directory.lost(table.remove(place).address.deviceName, cause)
    directory.report(into: &outbox)
  }

  private mutating func hear(
    _ pdu: AdvertisingPDU, _ data: UnsafeRawBufferPointer, _ strength: Int8?, at now: Instant,
    _ directory: inout Directory
  ) {
    // Who asks is no peripheral, and an extended advertisement without an address tells only where the rest is.
    guard pdu.isAdvertisement, let address = pdu.sender else { return }
    guard let place = table.place(of: address) else {
      if let oldest = table.makeRoom() { directory.lost(oldest.deviceName, .evicted) }
      let fields = AdvertisedFields(data)
      table.insert(Peripheral(address: address, heardAt: now, fields: fields))
      directory.found(BluetoothProvider.sighting(address, fields))
      directory.heard(address.deviceName, strength: strength)
      return
    }
    let before = table[place].fields
    var after = before
    after.add(data)
    table.hear(place, after, at: now)
    // Nearly every packet says what the one before it said.
    if before.name != after.name || before.services != after.services {
      let (old, new) = (BluetoothProvider.sighting(address, before), BluetoothProvider.sighting(address, after))
      for attribute in [DeviceAttribute.Name.name, .services] where new[attribute] != old[attribute] {
        directory.changed(new, .attribute(attribute, from: old[attribute]))
      }
    }
    directory.heard(address.deviceName, strength: strength)
  }

  private static func sighting(_ address: RadioAddress, _ fields: AdvertisedFields) -> DeviceSighting {
    var sighting = DeviceSighting(
      device: address.deviceName, provider: id, locator: Locator(DeviceAddress.radio(address)))
    sighting[.name] = fields.name.map { .text($0) }
    if !fields.services.isEmpty {
      sighting[.services] = .text(fields.services.map(\.description).joined(separator: " "))
    }
    return sighting
  }

  func brokenInvariants(devicesInDirectory: Int) -> [String] {
    var broken = table.brokenInvariants
    if devicesInDirectory != table.count {
      broken.append("\(table.count) peripherals are present, \(devicesInDirectory) in the directory")
    }
    return broken
  }
}
