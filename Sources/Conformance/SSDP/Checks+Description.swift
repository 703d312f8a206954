package import RollcallPrimitives
import RollcallWire

/// Announcements and answers beside the description that they lead to (1c, CONFIGID of 1e), and where its URLs lead.
///
/// A document is compared with messages whose LOCATION it came from. What agrees, agrees at once. What differs is a
/// breach where the message came both before the document was asked for and after it was there, with nothing between
/// that could have changed either: an address may change hands, a device may get another UUID. NT `uuid:` is not asked
/// about beside USN, since the two are compared by another clause (`NameChecks`).
package struct DescriptionChecks: CheckFamily {
  package static let clauses: [ClauseID] = [
    .servicePerDevice, .embeddedTwo, .usnOwner, .usnUDN, .configIDChange, .noURLBase, .urlBaseHost,
  ]
  /// What comes this soon behind a document was on its way when the document was.
  static let burst = Interval.seconds(5)
  /// CONFIGID has to be the same this long behind a document: what was on its way before is over by then.
  static let settling = Interval.seconds(2)
  static let placesMaximum = 20_000

  let isComplete: Bool
  /// Spellings of LOCATION, and the number of the place that each means; −1: none.
  private var spellings = ByteTable(countMaximum: placesMaximum)
  private var placeOfSpelling: [Int32] = []
  private var keys = ByteTable(countMaximum: placesMaximum)
  /// Where they are served.
  private var servers: Set<Endpoint> = []
  var places: [DescribedPlace] = []
  /// By number of the UUID.
  var devices: [DescribedDevice] = []
  /// By number of the host: the UUIDs that spoke from there.
  private var hosts: [[Int32]] = []
  private var lastSerial = 0

  package init(_ circumstances: Circumstances) { isComplete = circumstances.isComplete }

  // MARK: - Messages

  package mutating func hear(_ context: MessageContext, _ collector: inout FindingCollector) {
    guard context.role == .device, context.uuid >= 0, let kind = context.kind else { return }
    meet(context)
    switch kind {
    case .notifyAlive, .response:
      hearNumber(context, &collector)
      hear(kind, context, &collector)
    case .notifyByebye:
      hearNumber(context, &collector)
      reset(Int(context.uuid), at: context.time, &collector)
    case .notifyUpdate: hearNumber(context, &collector)
    case .notifyOther, .search: break
    }
  }

  private mutating func meet(_ context: MessageContext) {
    let uuid = Int(context.uuid)
    while devices.count <= uuid { devices.append(DescribedDevice()) }
    devices[uuid].scene = FindingCollector.Scene(context)
    let host = context.observation.host
    guard host >= 0, host < 1 << 20, devices[uuid].host != host else { return }
    devices[uuid].host = host
    while hosts.count <= Int(host) { hosts.append([]) }
    if !hosts[Int(host)].contains(context.uuid) { hosts[Int(host)].append(context.uuid) }
  }

  private mutating func hear(_ kind: SSDPKind, _ context: MessageContext, _ collector: inout FindingCollector) {
    let uuid = Int(context.uuid)
    let lease = context.message.index.pointee.maxAgeSeconds
    if kind == .notifyAlive, context.isMulticast {
      devices[uuid].endBurst(at: context.time)
      (devices[uuid].lastAlive, devices[uuid].leaseSeconds) = (context.time, lease)
    }
    guard context.advert >= 0, let location = context.value(.location) else { return }
    let number = place(of: location, isNew: true)
    guard number >= 0 else { return }
    let place = Int(number)
    var slot = places[place].find(context.advert)
    if slot < 0 {
      guard places[place].slots.count < DescribedPlace.slotCountMaximum, link(uuid, number) else { return }
      slot = places[place].slots.count
      let target = context.value(kind == .response ? .st : .nt)
      let isPaired = if let usn = context.value(.usn), let target { USN.goes(usn, with: target) } else { false }
      places[place].slots.append(
        DescribedPlace.Slot(
          advert: context.advert, uuid: context.uuid, target: context.target, isPaired: isPaired,
          scene: FindingCollector.Scene(context), expiry: .zero))
      places[place].cursor = slot
    }
    if kind == .notifyAlive, context.isMulticast, context.target.form == .service || context.target.form == .opaque {
      announce(context.target, uuid)
    }
    places[place].slots[slot].scene = FindingCollector.Scene(context)
    places[place].slots[slot].expiry = context.time + .seconds(Int64(lease > 0 ? lease : 1_800))
    judge(place, slot, at: context.time, &collector)
  }

  private mutating func announce(_ target: Target, _ uuid: Int) {
    guard devices[uuid].announced.count < DescribedDevice.announcedMaximum, !devices[uuid].announced.contains(target)
    else { return }
    devices[uuid].announced.append(target)
  }

  /// Whether the UUID has a place for this one.
  private mutating func link(_ uuid: Int, _ place: Int32) -> Bool {
    if devices[uuid].places.contains(place) { return true }
    guard devices[uuid].places.count < DescribedDevice.placesMaximum else { return false }
    devices[uuid].places.append(place)
    return true
  }

  // MARK: - Places

  package mutating func wants(documentFrom location: UnsafeRawBufferPointer) -> Bool {
    place(of: location, isNew: false) >= 0
  }

  package func wants(documentsOf server: Endpoint) -> Bool { servers.contains(server) }

  /// The number of the place that a LOCATION means: address, port, and path with query; −1: none.
  private mutating func place(of location: UnsafeRawBufferPointer, isNew: Bool) -> Int32 {
    guard !location.isEmpty, location.count <= 512 else { return -1 }
    guard isNew else { return key(of: location, isNew: false) }
    let spelling = Int(spellings.number(of: location, hash: Digest.hash(location), isSame: Bytes.isSame))
    if spelling < 0 { return -1 }
    if spelling == placeOfSpelling.count { placeOfSpelling.append(key(of: location, isNew: true)) }
    return placeOfSpelling[spelling]
  }

  private mutating func key(of location: UnsafeRawBufferPointer, isNew: Bool) -> Int32 {
    guard case .url(let url) = LocationURL.check(location), let address = url.address, url.scheme == .http else {
      return -1
    }
    var key: [UInt8] = []
    for word in [address.high, address.low, UInt64(url.port) << 8 | UInt64(address.family.rawValue)] {
      for shift in stride(from: 0, to: 64, by: 8) { key.append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
    }
    let path = location[url.path]
    if path.first != UInt8(ascii: "/") { key.append(UInt8(ascii: "/")) }
    key.append(contentsOf: path)
    return key.withUnsafeBytes { bytes in
      let hash = Digest.hash(bytes)
      guard isNew else { return keys.known(bytes, hash: hash, isSame: Bytes.isSame) }
      let number = keys.number(of: bytes, hash: hash, isSame: Bytes.isSame)
      if Int(number) == places.count {
        let server = Endpoint(address, port: url.port)
        places.append(DescribedPlace(server: server))
        servers.insert(server)
      }
      return number
    }
  }

  // MARK: - Documents

  package mutating func hear(_ document: HeardDocument, _ collector: inout FindingCollector) {
    var location = document.heard.location
    let place = Int(location.withUTF8 { self.place(of: UnsafeRawBufferPointer($0), isNew: false) })
    guard place >= 0 else { return }
    switch document.content {
    case .success(let content): take(content, of: document, place, &collector)
    case .failure(let fault):
      guard let scene = places[place].slots.first?.scene else { return }
      collector.inconclusive(.usnUDN, at: scene, why: "the description cannot be read: \(fault)")
    }
  }

  package mutating func note(_ event: TraceEvent, _ collector: inout FindingCollector) {
    switch event.content {
    case .deed(let deed):
      guard event.host >= 0, Int(event.host) < hosts.count else { return }
      let isChange = deed == .reconfigure || deed == .rename
      if [.appear, .update, .send].contains(deed) { return }
      for uuid in hosts[Int(event.host)] {
        if isChange { devices[Int(uuid)].isChanging = true }
        reset(Int(uuid), at: event.time, &collector)
      }
    case .interface:
      guard event.host >= 0, Int(event.host) < hosts.count else { return }
      for uuid in hosts[Int(event.host)] { reset(Int(uuid), at: event.time, &collector) }
    default: break
    }
  }

  private mutating func take(
    _ document: ReadDescription, of event: HeardDocument, _ place: Int, _ collector: inout FindingCollector
  ) {
    let askedAt = event.heard.askedAt
    let isNew = places[place].isStale || places[place].document?.bodyHash != document.bodyHash
    if isNew {
      judgeServices(place, at: event.time, &collector)
      lastSerial += 1
      (places[place].document, places[place].serial, places[place].isStale) = (document, lastSerial, false)
    }
    (places[place].askedAt, places[place].at) = (askedAt, event.time)
    openVersion(place, document)
    if isNew { judgeURLBase(place, document, &collector) }
    for slot in places[place].slots.indices where places[place].slots[slot].expiry > askedAt {
      compare(place, slot, document, at: nil, &collector)
    }
  }

  // MARK: - Comparing

  /// A message comes while there is a document.
  private mutating func judge(_ place: Int, _ slot: Int, at now: Instant, _ collector: inout FindingCollector) {
    guard let document = places[place].presentDocument else { return }
    compare(place, slot, document, at: now, &collector)
  }

  /// - Parameter now: when the message came; `nil`: before the document.
  private mutating func compare(
    _ place: Int, _ slot: Int, _ document: ReadDescription, at now: Instant?, _ collector: inout FindingCollector
  ) {
    let one = places[place].slots[slot]
    let isKnown = one.serial == places[place].serial
    if isKnown, one.state == .judged || now == nil { return }
    places[place].slots[slot].serial = places[place].serial
    places[place].slots[slot].state = .judged
    let match = document.match(one.uuid, one.target, isPaired: one.isPaired)
    if case .agrees(let isOwned) = match {
      collector.held(.usnUDN, at: one.scene)
      if isOwned { collector.held(.usnOwner, at: one.scene) }
      return
    }
    guard let now else {
      places[place].slots[slot].state = .pending
      return
    }
    let isCertain = isKnown || now - places[place].at <= DescriptionChecks.burst
    rule(match, one, document, isCertain: isCertain, &collector)
  }

  /// What a message that does not agree is.
  func rule(
    _ match: ReadDescription.Match, _ slot: DescribedPlace.Slot, _ document: ReadDescription, isCertain: Bool,
    _ collector: inout FindingCollector
  ) {
    let scene = slot.scene
    let isBroken = isCertain && document.isSound
    func rule(_ clause: ClauseID, expected: String, found: String) {
      if isBroken {
        collector.violated(clause, at: scene, expected: expected, found: .text(found))
      } else {
        collector.inconclusive(clause, at: scene, why: found + "; the two may not belong together")
      }
    }
    switch match {
    case .agrees: break
    case .otherUDN:
      let udns = document.devices.prefix(3).map(\.udn).joined(separator: ", ")
      rule(
        .usnUDN, expected: "a UUID that the description has as a UDN",
        found: "another UUID than the description, which has \(udns)")
    case .embeddedAsRoot:
      rule(
        .usnUDN, expected: "upnp:rootdevice under the UDN of the root device",
        found: "the UUID of an embedded device; the root device of the description has \(document.devices[0].udn)")
    case .otherOwner(let udn):
      rule(
        .usnOwner, expected: "the UUID of the device that has the type in the description",
        found: "the UUID of another device; in the description \(udn) has it")
    case .unknownType:
      // No clause asks that types be the same in both.
      collector.inconclusive(
        .usnOwner, at: scene, why: "no device of the description is of this type, or has a service of it")
    }
  }

  // MARK: - The tree

  /// Whether each embedded device of the description is announced at all, by the root device's whole set.
  mutating func judgeEmbedded(
    _ document: ReadDescription, at now: Instant, _ collector: inout FindingCollector
  ) {
    func isHeard(_ uuid: Int32) -> Bool { uuid >= 0 && uuid < devices.count && devices[Int(uuid)].host >= 0 }
    let root = document.devices[0].uuid
    guard isHeard(root) else { return }
    devices[Int(root)].endBurst(at: now)
    let missing = document.devices.dropFirst().filter { $0.uuid >= 0 && !isHeard($0.uuid) }
    guard devices[Int(root)].hasWholeSet, let first = missing.first else { return }
    let found =
      "none of \(missing.count == 1 ? first.udn : "\(missing.count) embedded devices, the first of them \(first.udn)")"
    let scene = devices[Int(root)].scene
    if isComplete, document.isSound {
      collector.violated(
        .embeddedTwo, at: scene,
        expected: "two messages of each embedded device that the description has: its uuid, its type",
        found: .text(found))
    } else {
      collector.inconclusive(
        .embeddedTwo, at: scene, why: "no message of \(first.udn), which the description has; what was sent may be lost"
      )
    }
  }

  // MARK: - What may change a description

  /// The device goes, or is told to be different: what was fetched may hold no more.
  private mutating func reset(_ uuid: Int, at now: Instant, _ collector: inout FindingCollector) {
    devices[uuid].endBurst(at: now)
    for place in devices[uuid].places {
      judgeServices(Int(place), at: now, &collector)
      places[Int(place)].isStale = true
      for slot in places[Int(place)].slots.indices where places[Int(place)].slots[slot].uuid == Int32(uuid) {
        places[Int(place)].slots[slot].expiry = Instant(nanoseconds: .min)
      }
    }
    devices[uuid].lastAlive = .never
  }

  // MARK: - The end

  package mutating func close(at end: Instant, _ collector: inout FindingCollector) {
    for uuid in devices.indices { devices[uuid].endBurst(at: end) }
    for place in places.indices {
      if isComplete, !places[place].isStale, end - places[place].at >= DescriptionChecks.settling {
        settle(place, &collector)
      }
      judgeServices(place, at: end, &collector)
      guard let document = places[place].document else { continue }
      for slot in places[place].slots where slot.state == .pending && slot.serial == places[place].serial {
        let isCertain = isComplete && !places[place].isStale && slot.expiry > end
        rule(
          document.match(slot.uuid, slot.target, isPaired: slot.isPaired), slot, document, isCertain: isCertain,
          &collector)
      }
    }
  }
}
