import RollcallPrimitives
import RollcallWire

/// Finds Bluetooth LE peripherals by what they advertise, and loses them by their silence.
///
/// A peripheral is its address: one that changes its private address is another peripheral for everybody who does not
/// have its key (CB-27). What it said once stays until it says something else: peripherals take turns with what they
/// advertise. While the radio is on it scans, if it was asked to (`RadioScan`).
struct BluetoothProvider: Provider {
  private var table: PeripheralTable
  private let silence: Interval
  private var scan: RadioScan
  private let faults: BluetoothFaults
  private(set) var central: Central
  /// Whether somebody asks what peripherals say in their data.
  var notesData = false
  /// Peripherals that say something else in it than at the last call.
  private var withOtherData: [RadioAddress] = []
  var hasOtherData: Bool { !withOtherData.isEmpty }

  static var id: ProviderID { .bluetooth }

  init(
    silence: Interval, scan: ScanPolicy? = nil, countMaximum: Int, faults: BluetoothFaults = [],
    centralFaults: CentralFaults = []
  ) {
    central = Central(faults: centralFaults)
    (self.silence, self.faults) = (silence, faults)
    self.scan = RadioScan(scan, faults: faults)
    table = PeripheralTable(countMaximum: max(1, countMaximum))
  }

  /// Read before and after every call of the engine: where it is not inlined, the provider is copied for it.
  @inline(__always) var deadline: Instant { min(nextLoss ?? .never, central.deadline) }

  /// How the radio is listened to now; `nil`: it is not, or for others alone.
  var listens: ScanPolicy? { scan.current }

  /// The connections that stand.
  var links: [CentralLink] {
    central.links.map { link in
      var link = link
      link.ownName = table.place(of: link.peripheral).flatMap { table[$0].ownName }
      return link
    }
  }

  /// The first instant at which a peripheral has been silent long enough; `nil`: no peripheral will be.
  @inline(__always) private var nextLoss: Instant? {
    guard let heardAt = table.firstHeardAt, !faults.contains(.neverLost) else { return nil }
    return heardAt + silence
  }

  mutating func advance(to now: Instant, _ directory: inout Directory, into outbox: inout Outbox) {
    while let next = nextLoss, next <= now, let first = table.first {
      directory.now = next
      lose(first, .expired, &directory, into: &outbox)
    }
    if central.deadline <= now, central.deadline != .never {
      directory.now = now
      central.advance(to: now)
      settle(at: now, &directory, into: &outbox)
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
    case .radio(.link(let number, let signal)):
      central.receive(number, signal, at: now)
      settle(at: now, &directory, into: &outbox)
    case .application(.peripheral(let command)):
      central.perform(command, at: now)
      settle(at: now, &directory, into: &outbox)
    case .host(.power(let state)):
      // Nothing is heard until it is on again; what was there may be gone by then.
      if state != .on, !faults.contains(.radioOffIgnored) { loseAll(.interface, &directory, into: &outbox) }
      scan.take(state, into: &outbox)
    case .host(.permission(.bluetooth, let state)):
      if state != .allowed { loseAll(.interface, &directory, into: &outbox) }
      scan.take(state, into: &outbox)
    case .application(.stop):
      scan.stop(into: &outbox)
      central.stop()
      settle(at: now, &directory, into: &outbox)
      loseAll(.stopped, &directory, into: &outbox)
    default: break
    }
  }

  /// Does what the central wants.
  private mutating func settle(at now: Instant, _ directory: inout Directory, into outbox: inout Outbox) {
    for wanted in central.takeOutput() {
      switch wanted {
      case .want(let number, let effect): outbox.want(RadioEffect.link(number, effect))
      case .report(let address, let event):
        directory.report(into: &outbox)
        outbox.report(.peripheral(PeripheralReport(address.deviceName, event)))
      case .stands(let address):
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        if table.place(of: address) == nil { insert(address, .connectable, nothing, nil, at: now, &directory) }
        if let place = table.place(of: address), !central.losesConnected { table.hold(place) }
      case .isOver(let address):
        if let place = table.place(of: address) {
          table.release(place, at: now)
          if !scan.wants(table[place].fields) { lose(place, .stopped, &directory, into: &outbox) }
        }
        while table.isTooFull, let oldest = table.makeRoom() { directory.lost(oldest.deviceName, .evicted) }
      case .name(let address, let name): self.name(address, name, &directory)
      case .rejected(let offset): outbox.report(.rejected(Rejection(.badPacket, at: offset)))
      }
    }
    directory.report(into: &outbox)
  }

  // MARK: - What is looked for

  /// Seeks peripherals with one of these services from the start; before the first signal.
  mutating func begin(seeking services: [BluetoothUUID], asks: Bool) { scan.begin(seeking: services, asks: asks) }

  /// Seeks peripherals with one of these services from now on, and no others: what is not sought any more is lost.
  /// - Parameter asks: whether they may be asked for their scan response.
  mutating func seek(
    _ services: [BluetoothUUID], asks: Bool, at now: Instant, _ directory: inout Directory, into outbox: inout Outbox
  ) {
    let isOver = scan.isSelective && services.isEmpty
    scan.seek(services, asks: asks, into: &outbox)
    directory.now = now
    for place in table.order where isOver || !scan.wants(table[place].fields) {
      lose(place, .stopped, &directory, into: &outbox)
    }
  }

  /// The name that a peripheral has of itself counts more than what it advertises (CB-28).
  private mutating func name(_ address: RadioAddress, _ name: String, _ directory: inout Directory) {
    guard let place = table.place(of: address), table[place].ownName != name else { return }
    let fields = table[place].fields
    let old = sighting(address, fields, table[place].ownName)
    table.name(place, name)
    let new = sighting(address, fields, name)
    if new[.name] != old[.name] { directory.changed(new, .attribute(.name, from: old[.name])) }
  }

  private mutating func loseAll(_ cause: LossCause, _ directory: inout Directory, into outbox: inout Outbox) {
    while let first = table.first { lose(first, cause, &directory, into: &outbox) }
  }

  private mutating func lose(
    _ place: Int, _ cause: LossCause, _ directory: inout Directory, into outbox: inout Outbox
  ) {
    directory.lost(table.remove(place).address.deviceName, cause)
    directory.report(into: &outbox)
  }

  // MARK: - Packets

  private mutating func hear(
    _ pdu: AdvertisingPDU, _ data: UnsafeRawBufferPointer, _ strength: Int8?, at now: Instant,
    _ directory: inout Directory
  ) {
    // Who asks is no peripheral, and an extended advertisement without an address tells only where the rest is.
    guard pdu.isAdvertisement, let address = named(pdu.sender) else { return }
    if faults.contains(.beaconsIgnored), pdu.kind == .nonconnectable { return }
    if faults.contains(.responsesIgnored), pdu.kind == .scanResponse { return }
    guard let place = table.place(of: address) else {
      return find(address, pdu.kind, data, strength, at: now, &directory)
    }
    let directoryPlace = table[place].directoryPlace
    if !faults.contains(.silenceFromFirstPacket) { table.hear(place, at: now) }
    // Nearly every packet says what the one before it said.
    if table.isNews(place, pdu.kind, data) { tell(place, data, &directory) }
    if faults.contains(.foundWithEachPacket) {
      directory.found(sighting(address, table[place].fields, table[place].ownName))
    }
    directory.heard(directoryPlace, strength: strength)
  }

  private func named(_ sender: RadioAddress?) -> RadioAddress? {
    guard let sender, faults.contains(.addressKindIgnored) else { return sender }
    let twin = RadioAddress(bits: sender.bits, isRandom: !sender.isRandom)
    return table.place(of: twin) == nil ? sender : twin
  }

  private mutating func find(
    _ address: RadioAddress, _ kind: AdvertisingPDU.Kind, _ data: UnsafeRawBufferPointer, _ strength: Int8?,
    at now: Instant, _ directory: inout Directory
  ) {
    if faults.contains(.faultyDataRefused), !AdvertisedFields(data).faults.isEmpty { return }
    if scan.isSelective, !scan.wants(AdvertisedFields(data)) { return }
    // All that are there are connected.
    guard table.hasRoom else { return }
    insert(address, kind, data, strength, at: now, &directory)
  }

  private mutating func insert(
    _ address: RadioAddress, _ kind: AdvertisingPDU.Kind, _ data: UnsafeRawBufferPointer, _ strength: Int8?,
    at now: Instant, _ directory: inout Directory
  ) {
    if let oldest = table.makeRoom() { directory.lost(oldest.deviceName, .evicted) }
    let fields = AdvertisedFields(data)
    let directoryPlace = directory.found(sighting(address, fields, nil))
    table.insert(
      Peripheral(
        address: address, heardAt: now, fields: fields, directoryPlace: directoryPlace, kind: kind, data: data))
    directory.heard(directoryPlace, strength: strength)
    noteData(of: address, AdvertisedFields(), fields)
  }

  private mutating func noteData(of address: RadioAddress, _ before: AdvertisedFields, _ after: AdvertisedFields) {
    guard notesData, before.manufacturerData != after.manufacturerData || before.serviceData != after.serviceData
    else { return }
    withOtherData.append(address)
  }

  /// Calls for each peripheral that says something else in its data than at the last call, with all that it says.
  mutating func takeOtherData(_ tell: (String, AdvertisedFields) -> Void) {
    for address in withOtherData {
      if let place = table.place(of: address) { tell(address.deviceName, table[place].fields) }
    }
    withOtherData.removeAll(keepingCapacity: true)
  }

  /// All peripherals count as if they said something else than at the last call.
  mutating func noteAllData() { withOtherData = notesData ? table.addresses : [] }

  /// Adds what a packet says, and tells what is new in it.
  private mutating func tell(_ place: Int, _ data: UnsafeRawBufferPointer, _ directory: inout Directory) {
    let (address, before) = (table[place].address, table[place].fields)
    var after = before
    after.add(data)
    if faults.contains(.faultyDataRefused), !after.faults.isEmpty { return }
    table.set(place, after)
    noteData(of: address, before, after)
    guard before.name != after.name || before.services != after.services, !faults.contains(.changesIgnored) else {
      return
    }
    let ownName = table[place].ownName
    let (old, new) = (sighting(address, before, ownName), sighting(address, after, ownName))
    for attribute in [DeviceAttribute.Name.name, .services] where new[attribute] != old[attribute] {
      directory.changed(new, .attribute(attribute, from: old[attribute]))
    }
  }

  private func sighting(_ address: RadioAddress, _ fields: AdvertisedFields, _ ownName: String?) -> DeviceSighting {
    var sighting = DeviceSighting(
      device: address.deviceName, provider: BluetoothProvider.id, locator: Locator(DeviceAddress.radio(address)))
    sighting[.name] = (ownName ?? fields.name).map { .text($0) }
    if !fields.services.isEmpty {
      sighting[.services] = .text(fields.services.map(\.description).joined(separator: " "))
    }
    return sighting
  }

  func brokenInvariants(devicesInDirectory: Int) -> [String] {
    var broken = table.brokenInvariants + central.brokenInvariants
    if devicesInDirectory != table.count {
      broken.append("\(table.count) peripherals are present, \(devicesInDirectory) in the directory")
    }
    return broken
  }
}
