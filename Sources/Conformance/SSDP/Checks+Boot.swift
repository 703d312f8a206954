import RollcallPrimitives
import RollcallWire

/// BOOTID over time, byebyes against announcements, updates (1e), changes of address (1a).
package struct BootChecks: CheckFamily {
  package static let clauses: [ClauseID] = [
    .aliveBootID, .bootIDGrows, .bootIDSame, .bootIDEverywhere, .byebyeSend, .byebyePair, .updateWhen, .updateLocation,
    .updateNext, .updateBefore, .addressChangeRevoke, .addressChangeAnnounce,
  ]
  /// In a capture two messages this close may have changed places on their way.
  static let reorderGap = Interval.seconds(2)
  /// How long a departure, or the updates on the other interfaces, may take.
  static let patience = Interval.seconds(30)

  let isComplete: Bool
  var devices: [BootDevice] = []
  var lanes: [BootLane] = []
  var adverts: [BootAdvert] = []
  var hosts: [BootHost] = []
  private var parties: [BootParty] = []

  package init(_ circumstances: Circumstances) { isComplete = circumstances.isComplete }

  package mutating func hear(_ witness: Witness, _ docket: inout Docket) {
    guard witness.lane >= 0, witness.role == .device, let kind = witness.kind, witness.uuid >= 0 else {
      if witness.kind == .notifyAlive { checkOwn(witness, &docket) }
      return
    }
    let uuid = Int(witness.uuid)
    while devices.count <= uuid { devices.append(BootDevice()) }
    if kind == .notifyOther {
      // It may have been an announcement of anything.
      devices[uuid].mayChange = true
      return
    }
    checkPresence(uuid, witness, &docket)
    if kind == .response {
      checkSame(uuid, witness, &docket)
      return
    }
    guard witness.isMulticast else { return }
    let lane = Int(witness.lane)
    while lanes.count <= lane { lanes.append(BootLane()) }
    if !lanes[lane].isKnown { open(lane, witness, &docket) }
    lanes[lane].scene = Docket.Scene(witness)
    switch kind {
    case .notifyAlive: hearAlive(uuid, lane, witness, &docket)
    case .notifyByebye: hearByebye(uuid, lane, witness, &docket)
    case .notifyUpdate: hearUpdate(uuid, lane, witness, &docket)
    default: break
    }
    devices[uuid].heardAt = witness.time
  }

  // MARK: - BOOTID

  /// A message without one. One finding is enough: of an alive by its own clause where the device never has one, and
  /// by that of all messages where others of it do; of byebye, update and answer by the clause of their fields.
  private mutating func checkPresence(_ uuid: Int, _ witness: Witness, _ docket: inout Docket) {
    let hasOthers = devices[uuid].hasBootID
    if witness.has(.bootID) {
      devices[uuid].hasBootID = true
      docket.held(.bootIDEverywhere, witness)
    }
    guard witness.kind == .notifyAlive else { return }
    if witness.has(.bootID) || !hasOthers { return checkOwn(witness, &docket) }
    docket.violated(
      .bootIDEverywhere, witness, expected: "BOOTID.UPNP.ORG in every message of the device",
      found: .text("none here"))
  }

  private func checkOwn(_ witness: Witness, _ docket: inout Docket) {
    docket.check(
      .aliveBootID, witness, witness.has(.bootID), expected: "BOOTID.UPNP.ORG in every alive", found: .absent)
  }

  /// Whether one value is above another, the last one before it starts again taken into account.
  private static func isAbove(_ value: Int64, _ other: Int64) -> Bool {
    value > other || other >= 0x7FFF_FF00 && value < 0x1_0000
  }

  private mutating func checkSame(_ uuid: Int, _ witness: Witness, _ docket: inout Docket) {
    let found = witness.message.index.pointee.bootID
    guard found >= 0 else { return }
    let device = devices[uuid]
    if device.bootID < 0 || found == device.bootID {
      if device.bootID >= 0 { docket.held(.bootIDSame, witness) }
      devices[uuid].bootID = found
      return
    }
    if isComplete {
      if device.mayChange || device.next >= 0 { return adopt(found, uuid, witness) }
      docket.violated(.bootIDSame, witness, expected: "the BOOTID of the messages before", found: .number(found))
      return
    }
    if found == device.bootIDBefore, !BootChecks.isAbove(found, device.bootID) {
      docket.violated(
        .bootIDSame, witness, expected: "one BOOTID while the device stays",
        found: .text("\(found), then \(device.bootID), then \(found) again"))
    } else if !BootChecks.isAbove(found, device.bootID), witness.kind == .notifyAlive,
      witness.time - device.heardAt > BootChecks.reorderGap
    {
      docket.violated(
        .bootIDGrows, witness, expected: "a BOOTID above the one before",
        found: .text("\(found) after \(device.bootID)"))
    }
    adopt(found, uuid, witness)
  }

  private mutating func adopt(_ bootID: Int64, _ uuid: Int, _ witness: Witness) {
    devices[uuid].bootIDBefore = devices[uuid].bootID
    devices[uuid].bootID = bootID
    devices[uuid].changedAt = witness.time
    devices[uuid].mayChange = false
  }

  // MARK: - Alive

  private mutating func hearAlive(_ uuid: Int, _ lane: Int, _ witness: Witness, _ docket: inout Docket) {
    if lanes[lane].leftAt != .never { judgeDeparture(lane, at: witness.time, &docket) }
    let bootID = witness.message.index.pointee.bootID
    if bootID >= 0 {
      checkGrowth(uuid, lane, bootID, witness, &docket)
      checkNext(uuid, bootID, witness, &docket)
    }
    checkSame(uuid, witness, &docket)
    lanes[lane].isFresh = false
    lanes[lane].rootLeftAt = .never
    announce(lane, witness)
    if !lanes[lane].heirlooms.isEmpty { inherit(lane, witness.advert, isAlive: true, at: witness.time, &docket) }
  }

  private mutating func checkGrowth(
    _ uuid: Int, _ lane: Int, _ bootID: Int64, _ witness: Witness, _ docket: inout Docket
  ) {
    guard lanes[lane].isFresh else { return }
    let floor = max(lanes[lane].floor, devices[uuid].floor)
    lanes[lane].floor = -1
    guard floor >= 0 else { return }
    if !isComplete, witness.time - lanes[lane].rootLeftAt < BootChecks.reorderGap {
      return docket.inconclusive(
        .bootIDGrows, witness, why: "announced right after its byebye; the two may have changed places")
    }
    docket.check(
      .bootIDGrows, witness, BootChecks.isAbove(bootID, floor), expected: "a BOOTID above the one before",
      found: .text("\(bootID) after \(floor)"))
  }

  /// NEXTBOOTID becomes BOOTID.
  private mutating func checkNext(_ uuid: Int, _ bootID: Int64, _ witness: Witness, _ docket: inout Docket) {
    let device = devices[uuid]
    guard device.next >= 0, bootID != device.nextFrom else { return }
    if bootID == device.next {
      docket.held(.updateNext, witness)
      docket.held(.updateBefore, witness)
    } else if isComplete {
      docket.violated(
        .updateNext, witness, expected: "the BOOTID that NEXTBOOTID named",
        found: .text("\(bootID) after NEXTBOOTID \(device.next)"))
    } else {
      docket.inconclusive(
        .updateNext, witness, why: "another BOOTID than NEXTBOOTID named; a restart or an update may lie between")
    }
    devices[uuid].next = -1
    devices[uuid].mayChange = true
  }

  private mutating func announce(_ lane: Int, _ witness: Witness) {
    guard witness.advert >= 0 else { return }
    let number = Int(witness.advert)
    while adverts.count <= number { adverts.append(BootAdvert()) }
    if !adverts[number].wasAnnounced {
      adverts[number].wasAnnounced = true
      adverts[number].usn = witness.value(.usn).map { Digest.hash($0) } ?? 0
    }
    var place = lanes[lane].find(witness.advert)
    if place < 0 {
      guard lanes[lane].slots.count < BootLane.slotCountMaximum else { return }
      place = lanes[lane].slots.count
      lanes[lane].slots.append(BootLane.Slot(advert: witness.advert, expiry: .never))
      lanes[lane].cursor = place
    }
    let seconds = witness.message.index.pointee.maxAgeSeconds
    lanes[lane].slots[place].isAlive = true
    lanes[lane].slots[place].expiry = witness.time + .seconds(Int64(max(0, seconds)))
    guard witness.claim >= .uda11, let location = witness.value(.location).map({ Digest.hash($0) }) else { return }
    if lanes[lane].slots[place].location != location {
      lanes[lane].slots[place].locationBefore = lanes[lane].slots[place].location
      lanes[lane].slots[place].location = location
    }
  }

  // MARK: - Byebye

  private mutating func hearByebye(_ uuid: Int, _ lane: Int, _ witness: Witness, _ docket: inout Docket) {
    checkSame(uuid, witness, &docket)
    guard witness.advert >= 0 else { return }
    checkPair(witness, &docket)
    if !lanes[lane].heirlooms.isEmpty {
      inherit(lane, witness.advert, isAlive: false, at: witness.time, &docket)
    }
    // A byebye that comes later belongs to another departure, if to any.
    settleDeparture(lane, at: witness.time, &docket)
    let place = lanes[lane].find(witness.advert)
    guard place >= 0 else { return }
    lanes[lane].slots[place].isAlive = false
    lanes[lane].slots[place].revokedAt = witness.time
    if lanes[lane].leftAt == .never { lanes[lane].leftAt = witness.time }
    guard witness.target.form == .rootDevice, !lanes[lane].isFresh else { return }
    lanes[lane].isFresh = true
    lanes[lane].floor = devices[uuid].bootID
    lanes[lane].rootLeftAt = witness.time
    devices[uuid].mayChange = true
  }

  private mutating func checkPair(_ witness: Witness, _ docket: inout Docket) {
    let number = Int(witness.advert)
    while adverts.count <= number { adverts.append(BootAdvert()) }
    if adverts[number].wasAnnounced {
      let usn = witness.value(.usn)
      docket.check(
        .byebyePair, witness, usn.map { Digest.hash($0) } == adverts[number].usn,
        expected: "NT and USN as they were announced", found: usn.map { .bytes($0) } ?? .absent)
      return
    }
    if adverts[number].early == nil { adverts[number].early = Docket.Scene(witness) }
    adverts[number].earlyCount += 1
  }

  // MARK: - Update

  private mutating func hearUpdate(_ uuid: Int, _ lane: Int, _ witness: Witness, _ docket: inout Docket) {
    let index = witness.message.index
    let (bootID, next) = (index.pointee.bootID, index.pointee.nextBootID)
    let host = Int(witness.observation.host)
    if host >= 0, host < hosts.count {
      settle(host, at: witness.time, isOver: false, &docket)
      hosts[host].lastUpdate = witness.time
    }
    checkLocation(lane, witness, &docket)
    guard bootID >= 0, next >= 0 else { return }
    if !BootChecks.isAbove(next, bootID) {
      docket.violated(
        .updateNext, witness, expected: "a NEXTBOOTID above BOOTID", found: .text("\(next) with BOOTID \(bootID)"))
    }
    if devices[uuid].bootID == next, bootID != next {
      if isComplete || witness.time - devices[uuid].changedAt > BootChecks.reorderGap {
        docket.violated(
          .updateBefore, witness, expected: "all updates before the first alive with the new BOOTID",
          found: .text("an update after an alive with BOOTID \(next)"))
      }
      return
    }
    checkRootFirst(next, witness, &docket)
    checkSame(uuid, witness, &docket)
    (devices[uuid].next, devices[uuid].nextFrom, devices[uuid].nextAt) = (next, bootID, witness.time)
  }

  private mutating func checkRootFirst(_ next: Int64, _ witness: Witness, _ docket: inout Docket) {
    let party = Int(witness.party.number)
    while parties.count <= party { parties.append(BootParty()) }
    guard parties[party].updateNext != next else { return }
    parties[party].updateNext = next
    if witness.target.form == .rootDevice { return }
    if isComplete {
      docket.violated(
        .updateBefore, witness, expected: "the update of upnp:rootdevice first", found: .text("another before it"))
    } else {
      docket.inconclusive(
        .updateBefore, witness, why: "the update of upnp:rootdevice was not the first that was heard; it may be lost")
    }
  }

  private mutating func checkLocation(_ lane: Int, _ witness: Witness, _ docket: inout Docket) {
    let place = lanes[lane].find(witness.advert)
    guard place >= 0, lanes[lane].slots[place].location != 0, let value = witness.value(.location) else { return }
    let slot = lanes[lane].slots[place]
    let location = Digest.hash(value)
    if location == slot.location || location == slot.locationBefore { return docket.held(.updateLocation, witness) }
    if isComplete {
      docket.violated(
        .updateLocation, witness, expected: "LOCATION of the announcements before", found: .bytes(value))
    } else {
      docket.inconclusive(
        .updateLocation, witness, why: "another LOCATION than was heard before; the announcement of it may be lost")
    }
  }
}
