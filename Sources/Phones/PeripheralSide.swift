import CoreBluetooth
import Foundation
import RollcallDevices
import RollcallPrimitives
import RollcallWire

/// A phone as a peripheral: the services of its applications in one table, what they advertise, and a server for each
/// central that is connected.
struct PeripheralSide {
  /// A service with the handles that its door gave it, and where it stands on the air.
  struct Published {
    var manager: ManagerNumber
    var service: PublishedService
    var handles: ClosedRange<UInt16>
  }
  struct Link {
    let number: LinkID
    let central: UUID
    var server = AttributeServer()
    /// Values that wait to be sent, since there was room for them.
    var reserved = 0
    /// Of what it asked its central for last; 0 is no number.
    var requestNumber: UInt8 = 0
  }
  struct Advert {
    var manager: ManagerNumber
    var identity: AdvertisedIdentity
  }
  struct Asked {
    var number: Int
    var manager: ManagerNumber
    var link: LinkID
    var question: AttributeServer.Question
  }

  var doors: [(number: ManagerNumber, door: any PeripheralRoleDoor, restoreIdentifier: String?)] = []
  let address: RadioAddress
  var table: AttributeTable
  var published: [Published] = []
  var adverts: [Advert] = []
  var links: [Link] = []
  var asked: [Asked] = []
  private var askedCount = 0
  /// Managers whose value found no room.
  var refused: [ManagerNumber] = []
  var isInBackground = false
  /// What the radio is to do, in order.
  var effects: [RadioEffect] = []

  /// What phones take; in the foreground they advertise so often, in the background more seldom.
  static let mtu = UInt16(185)
  static let interval = Interval.milliseconds(100)
  static let backgroundInterval = Interval.seconds(1)

  init(name: String, address: RadioAddress) {
    self.address = address
    table = AttributeTable(GATTPlan(mtu: PeripheralSide.mtu), name: name, appearance: 0x0040)
  }

  func push(_ event: PeripheralRoleEvent, to manager: ManagerNumber) {
    doors.first { $0.number == manager }?.door.push(event)
  }

  // MARK: - What applications want

  mutating func publish(_ service: PublishedService, _ manager: ManagerNumber) {
    let included = service.included.compactMap { handle in
      published.first { $0.manager == manager && $0.service.handles.lowerBound == handle }
    }
    let plan = GATTPlan.Service(service, including: included.map(\.service.uuid))
    let handles = table.append(
      plan, including: zip(plan.includes, included).map { (uuid: $0, handles: $1.handles) })
    let first = service.handles.lowerBound
    guard let handles else { return push(.published(first, .bluetooth(.outOfSpace)), to: manager) }
    published.append(Published(manager: manager, service: service, handles: handles))
    changed(handles)
    push(.published(first, nil), to: manager)
  }

  mutating func withdraw(_ isMeant: (Published) -> Bool) {
    for one in published where isMeant(one) {
      changed(one.handles)
      table.vacate(one.handles)
    }
    published.removeAll(where: isMeant)
  }

  /// Centrals that are connected are told.
  private mutating func changed(_ handles: ClosedRange<UInt16>) {
    for place in links.indices { send(links[place].server.servicesChanged(handles, table), place) }
  }

  mutating func advertise(_ identity: AdvertisedIdentity, _ manager: ManagerNumber) {
    stopAdvertising(manager)
    adverts.append(Advert(manager: manager, identity: identity))
    advertise()
    push(.advertising(nil), to: manager)
  }

  mutating func stopAdvertising(_ manager: ManagerNumber) {
    guard adverts.contains(where: { $0.manager == manager }) else { return }
    adverts.removeAll { $0.manager == manager }
    effects.append(.stopAdvertising(set: PeripheralSide.set(of: manager)))
  }

  private static func set(of manager: ManagerNumber) -> UInt8 { UInt8(truncatingIfNeeded: manager.value) }

  mutating func advertise() {
    for advert in adverts {
      let (data, response) = advert.identity.bytes(isInBackground: isInBackground)
      effects.append(
        .advertise(
          set: PeripheralSide.set(of: advert.manager),
          every: isInBackground ? PeripheralSide.backgroundInterval : PeripheralSide.interval,
          pdu: AdvertisingPDU.bytes(.connectable, from: address, data: data),
          response: response.isEmpty ? [] : AdvertisingPDU.bytes(.scanResponse, from: address, data: response)))
    }
  }

  mutating func respond(_ number: Int, _ code: UInt8, _ value: [UInt8]) {
    guard let one = asked.firstIndex(where: { $0.number == number }) else { return }
    let asked = asked.remove(at: one)
    guard let place = links.firstIndex(where: { $0.number == asked.link }) else { return }
    send(links[place].server.answer(asked.question, error: code, value), place)
  }

  /// The links whose centrals are to be told of a value of this characteristic of a manager.
  private func targets(_ handle: UInt16, _ centrals: [UUID]?, _ manager: ManagerNumber) -> (place: Int, links: [Int])? {
    guard let one = published.first(where: { $0.manager == manager && $0.service.handles.contains(handle) }) else {
      return nil
    }
    let own = one.handles.lowerBound + (handle - one.service.handles.lowerBound)
    guard let place = table.characteristics.firstIndex(where: { $0.handle == own }) else { return nil }
    return (
      place,
      links.indices.filter {
        links[$0].server.subscriptions[place] != nil && centrals?.contains(links[$0].central) != false
      }
    )
  }

  /// Whether there is room for a value at all that are to have it; then it is kept.
  mutating func reserve(_ handle: UInt16, _ centrals: [UUID]?, _ manager: ManagerNumber) -> Bool {
    guard let (place, links) = targets(handle, centrals, manager) else { return true }
    guard links.allSatisfy({ self.links[$0].server.hasRoom(for: place, behind: self.links[$0].reserved) }) else {
      if !refused.contains(manager) { refused.append(manager) }
      return false
    }
    for link in links { self.links[link].reserved += 1 }
    return true
  }

  mutating func update(_ handle: UInt16, _ value: [UInt8], _ centrals: [UUID]?, _ manager: ManagerNumber) {
    guard let (place, links) = targets(handle, centrals, manager) else { return }
    for link in links {
      self.links[link].reserved = max(0, self.links[link].reserved - 1)
      send(self.links[link].server.send(value, of: place, table), link)
    }
  }

  /// Asks a central for the interval that goes with a latency; what the central says to it nobody is told.
  mutating func desire(_ latency: CBPeripheralManagerConnectionLatency, of central: UUID) {
    guard let place = links.firstIndex(where: { $0.central == central }) else { return }
    links[place].requestNumber = links[place].requestNumber == .max ? 1 : links[place].requestNumber + 1
    let command = SignallingCommand.parameterRequest(
      number: links[place].requestNumber, DesiredLatency.request(latency))
    if let frame = links[place].server.signal(command) { send([frame], place) }
  }

  private mutating func send(_ frames: [[UInt8]], _ place: Int) {
    for frame in frames { effects.append(.link(links[place].number, .send(frame))) }
  }

  // MARK: - What centrals do

  /// A central has connected, under this identifier.
  mutating func connected(_ number: LinkID, _ central: UUID) {
    links.append(Link(number: number, central: central))
    // The controller has ended the set that was connected to.
    advertise()
  }

  mutating func received(_ frame: [UInt8], _ number: LinkID, at now: Instant) {
    guard let place = links.firstIndex(where: { $0.number == number }) else { return }
    let before = links[place].server.subscriptions
    send(
      links[place].server.receive(frame, &table, GATTPlan(mtu: PeripheralSide.mtu), [], at: now), place)
    let after = links[place].server.subscriptions
    for one in table.characteristics.indices where (before[one] == nil) != (after[one] == nil) {
      tellSubscription(one, isOn: after[one] != nil, place)
    }
    for question in links[place].server.takeQuestions() { ask(question, place) }
  }

  private func tellSubscription(_ characteristic: Int, isOn: Bool, _ place: Int) {
    guard let (manager, handle) = owner(of: table.characteristics[characteristic].handle) else { return }
    let central = connected(place)
    push(
      isOn ? .subscribed(central, characteristic: handle) : .unsubscribed(central, characteristic: handle), to: manager)
  }

  private func connected(_ place: Int) -> ConnectedCentral {
    ConnectedCentral(identifier: links[place].central, maximumUpdateLength: links[place].server.mtu - 3)
  }

  /// The manager that published a handle of the air, and the handle in its own counting.
  private func owner(of handle: UInt16) -> (manager: ManagerNumber, handle: UInt16)? {
    published.first { $0.handles.contains(handle) }.map {
      ($0.manager, handle - $0.handles.lowerBound + $0.service.handles.lowerBound)
    }
  }

  private mutating func ask(_ question: AttributeServer.Question, _ place: Int) {
    askedCount += 1
    let number = askedCount
    let event: PeripheralRoleEvent
    let manager: ManagerNumber
    switch question {
    case .read(let handle, let offset, _):
      guard let owner = owner(of: handle) else { return }
      manager = owner.manager
      event = .read(number, connected(place), characteristic: owner.handle, offset: offset)
    case .write(let parts, _):
      guard let first = parts.first, let owner = owner(of: first.handle) else { return }
      manager = owner.manager
      event = .write(
        number, connected(place),
        parts.compactMap { part in
          self.owner(of: part.handle).map {
            WrittenPart(characteristic: $0.handle, offset: part.offset, bytes: part.bytes)
          }
        })
    }
    asked.append(Asked(number: number, manager: manager, link: links[place].number, question: question))
    push(event, to: manager)
  }

  mutating func acknowledged(_ frames: UInt32, _ number: LinkID) {
    guard let place = links.firstIndex(where: { $0.number == number }) else { return }
    links[place].server.acknowledged(frames)
    let ready = refused
    refused = []
    for manager in ready { push(.readyToUpdate, to: manager) }
  }

  /// A connection is over; `isTold`: managers hear of the subscriptions that end with it.
  mutating func ended(_ number: LinkID, isTold: Bool) {
    guard let place = links.firstIndex(where: { $0.number == number }) else { return }
    if isTold {
      for characteristic in table.characteristics.indices
      where links[place].server.subscriptions[characteristic] != nil {
        tellSubscription(characteristic, isOn: false, place)
      }
    }
    links.remove(at: place)
    asked.removeAll { $0.link == number }
  }

  /// What allowed it is over; below `poweredOff` services are gone too.
  mutating func stop(forgetsServices: Bool) {
    for advert in adverts { effects.append(.stopAdvertising(set: PeripheralSide.set(of: advert.manager))) }
    for link in links { effects.append(.link(link.number, .end)) }
    (adverts, links, asked, refused) = ([], [], [], [])
    if forgetsServices { withdraw { _ in true } }
  }

  /// Another manager takes over what was kept of one whose application was ended.
  mutating func restore(_ kept: ManagerNumber, as manager: ManagerNumber) {
    for place in published.indices where published[place].manager == kept { published[place].manager = manager }
    let identity = adverts.first { $0.manager == kept }?.identity
    stopAdvertising(kept)
    if let identity {
      adverts.append(Advert(manager: manager, identity: identity))
      advertise()
    }
    asked.removeAll { $0.manager == kept }
    push(
      .willRestore(services: published.filter { $0.manager == manager }.map(\.service), advertised: identity),
      to: manager)
  }

  /// A manager is gone.
  mutating func detach(_ manager: ManagerNumber) {
    refused.removeAll { $0 == manager }
    stopAdvertising(manager)
    withdraw { $0.manager == manager }
  }
}

extension GATTPlan.Service {
  /// The attributes of a service in the order in which its door numbers them.
  init(_ service: PublishedService, including included: [AttributeUUID]) {
    func uuid(_ uuid: AttributeUUID) -> BluetoothUUID { BluetoothUUID(uuid.description) ?? BluetoothUUID(short: 0) }
    self.init(
      uuid(service.uuid), isPrimary: service.isPrimary, includes: included.map(uuid),
      service.characteristics.map { found in
        // The low byte is that of the air; notifications that need encryption are beyond it.
        var properties = GATTCharacteristic.Properties(rawValue: UInt8(truncatingIfNeeded: found.properties.rawValue))
        let isSecret = !found.properties.isDisjoint(with: [.notifyEncryptionRequired, .indicateEncryptionRequired])
        if found.properties.contains(.notifyEncryptionRequired) { properties.insert(.notify) }
        if found.properties.contains(.indicateEncryptionRequired) { properties.insert(.indicate) }
        var one = GATTPlan.Characteristic(uuid(found.uuid), properties, value: found.value ?? [])
        one.descriptors = found.descriptors.map { GATTPlan.Descriptor(uuid($0.uuid), $0.value) }
        // Nobody is paired, so whatever needs encryption is refused with that error.
        func way(_ plain: CBAttributePermissions, _ secret: CBAttributePermissions, _ error: AttributeError)
          -> GATTPlan.Access.Way
        {
          found.permissions.contains(secret)
            ? .refused(AttributeError.insufficientEncryption.rawValue)
            : found.permissions.contains(plain) ? .asked : .refused(error.rawValue)
        }
        one.access = GATTPlan.Access(
          read: way(.readable, .readEncryptionRequired, .readNotPermitted),
          write: way(.writeable, .writeEncryptionRequired, .writeNotPermitted),
          subscription: isSecret ? AttributeError.insufficientEncryption.rawValue : nil)
        if found.value != nil, one.access?.read == .asked { one.access?.read = .served }
        return one
      })
  }
}
