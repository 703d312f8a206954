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

  package mutating func hear(_ context: MessageContext, _ collector: inout FindingCollector) {
    guard context.lane >= 0, context.role == .device, let kind = context.kind, context.uuid >= 0 else {
      if context.kind == .notifyAlive { checkOwn(context, &collector) }
      return
    }
    let uuid = Int(context.uuid)
    while devices.count <= uuid { devices.append(BootDevice()) }
    if kind == .notifyOther {
      // It may have been an announcement of anything.
      devices[uuid].mayChange = true
      return
    }
    checkPresence(uuid, context, &collector)
    if kind == .response {
      checkSame(uuid, context, &collector)
      if context.advert >= 0 {
        while adverts.count <= Int(context.advert) { adverts.append(BootAdvert()) }
        adverts[Int(context.advert)].wasAnswered = true
      }
      return
    }
    guard context.isMulticast else { return }
    let lane = Int(context.lane)
    while lanes.count <= lane { lanes.append(BootLane()) }
    if !lanes[lane].isKnown { open(lane, context, &collector) }
    lanes[lane].scene = FindingCollector.Scene(context)
    switch kind {
    case .notifyAlive: hearAlive(uuid, lane, context, &collector)
    case .notifyByebye: hearByebye(uuid, lane, context, &collector)
    case .notifyUpdate: hearUpdate(uuid, lane, context, &collector)
    default: break
    }
    devices[uuid].heardAt = context.time
  }

  // MARK: - BOOTID

  /// A message without one. One finding is enough: of an alive by its own clause where the device never has one, and
  /// by that of all messages where others of it do; of byebye, update and answer by the clause of their fields.
  private mutating func checkPresence(_ uuid: Int, _ context: MessageContext, _ collector: inout FindingCollector) {
    let hasOthers = devices[uuid].hasBootID
    if context.has(.bootID) {
      devices[uuid].hasBootID = true
      collector.held(.bootIDEverywhere, context)
    }
    guard context.kind == .notifyAlive else { return }
    if context.has(.bootID) || !hasOthers { return checkOwn(context, &collector) }
    collector.violated(
      .bootIDEverywhere, context, expected: "BOOTID.UPNP.ORG in every message of the device",
      found: .text("none here"))
  }

  private func checkOwn(_ context: MessageContext, _ collector: inout FindingCollector) {
    collector.check(
      .aliveBootID, context, context.has(.bootID), expected: "BOOTID.UPNP.ORG in every alive", found: .absent)
  }

  /// Whether one value is above another, the last one before it starts again taken into account.
  private static func isAbove(_ value: Int64, _ other: Int64) -> Bool {
    value > other || other >= 0x7FFF_FF00 && value < 0x1_0000
  }

  private mutating func checkSame(_ uuid: Int, _ context: MessageContext, _ collector: inout FindingCollector) {
    let found = context.message.index.pointee.bootID
    guard found >= 0 else { return }
    let device = devices[uuid]
    if device.bootID < 0 || found == device.bootID {
      if device.bootID >= 0 { collector.held(.bootIDSame, context) }
      devices[uuid].bootID = found
      return
    }
    if isComplete {
      if device.mayChange || device.next >= 0 { return adopt(found, uuid, context) }
      collector.violated(.bootIDSame, context, expected: "the BOOTID of the messages before", found: .number(found))
      return
    }
    if found == device.bootIDBefore, !BootChecks.isAbove(found, device.bootID) {
      collector.violated(
        .bootIDSame, context, expected: "one BOOTID while the device stays",
        found: .text("\(found), then \(device.bootID), then \(found) again"))
    } else if !BootChecks.isAbove(found, device.bootID), context.kind == .notifyAlive,
      context.time - device.heardAt > BootChecks.reorderGap
    {
      collector.violated(
        .bootIDGrows, context, expected: "a BOOTID above the one before",
        found: .text("\(found) after \(device.bootID)"))
    }
    adopt(found, uuid, context)
  }

  private mutating func adopt(_ bootID: Int64, _ uuid: Int, _ context: MessageContext) {
    devices[uuid].bootIDBefore = devices[uuid].bootID
    devices[uuid].bootID = bootID
    devices[uuid].changedAt = context.time
    devices[uuid].mayChange = false
  }

  // MARK: - Alive

  private mutating func hearAlive(
    _ uuid: Int, _ lane: Int, _ context: MessageContext, _ collector: inout FindingCollector
  ) {
    if lanes[lane].leftAt != .never { judgeDeparture(lane, at: context.time, &collector) }
    let bootID = context.message.index.pointee.bootID
    if bootID >= 0 {
      checkGrowth(uuid, lane, bootID, context, &collector)
      checkNext(uuid, bootID, context, &collector)
    }
    checkSame(uuid, context, &collector)
    lanes[lane].isFresh = false
    announce(lane, context)
    if !lanes[lane].heirlooms.isEmpty { inherit(lane, context.advert, isAlive: true, at: context.time, &collector) }
  }

  private mutating func checkGrowth(
    _ uuid: Int, _ lane: Int, _ bootID: Int64, _ context: MessageContext, _ collector: inout FindingCollector
  ) {
    guard lanes[lane].isFresh else { return }
    let floor = max(lanes[lane].floor, devices[uuid].floor)
    lanes[lane].floor = -1
    guard floor >= 0 else { return }
    if !isComplete, context.time - lanes[lane].rootLeftAt < BootChecks.reorderGap {
      return collector.inconclusive(
        .bootIDGrows, context, why: "announced right after its byebye; the two may have changed places")
    }
    collector.check(
      .bootIDGrows, context, BootChecks.isAbove(bootID, floor), expected: "a BOOTID above the one before",
      found: .text("\(bootID) after \(floor)"))
  }

  /// NEXTBOOTID becomes BOOTID.
  private mutating func checkNext(
    _ uuid: Int, _ bootID: Int64, _ context: MessageContext, _ collector: inout FindingCollector
  ) {
    let device = devices[uuid]
    guard device.next >= 0, bootID != device.nextFrom else { return }
    if bootID == device.next {
      collector.held(.updateNext, context)
      collector.held(.updateBefore, context)
    } else if isComplete {
      collector.violated(
        .updateNext, context, expected: "the BOOTID that NEXTBOOTID named",
        found: .text("\(bootID) after NEXTBOOTID \(device.next)"))
    } else {
      collector.inconclusive(
        .updateNext, context, why: "another BOOTID than NEXTBOOTID named; a restart or an update may lie between")
    }
    devices[uuid].next = -1
    devices[uuid].mayChange = true
  }

  private mutating func announce(_ lane: Int, _ context: MessageContext) {
    guard context.advert >= 0 else { return }
    let number = Int(context.advert)
    while adverts.count <= number { adverts.append(BootAdvert()) }
    if adverts[number].usn == nil { adverts[number].usn = context.value(.usn).map { Digest.hash($0) } }
    var place = lanes[lane].find(context.advert)
    if place < 0 {
      guard lanes[lane].slots.count < BootLane.slotCountMaximum else { return }
      place = lanes[lane].slots.count
      lanes[lane].slots.append(BootLane.Slot(advert: context.advert, expiry: .never))
      lanes[lane].cursor = place
    }
    let seconds = context.message.index.pointee.maxAgeSeconds
    lanes[lane].slots[place].isAlive = true
    lanes[lane].slots[place].expiry = context.time + .seconds(Int64(max(0, seconds)))
    guard context.claim >= .uda11, let location = context.value(.location).map({ Digest.hash($0) }) else { return }
    if lanes[lane].slots[place].location != location {
      lanes[lane].slots[place].locationBefore = lanes[lane].slots[place].location
      lanes[lane].slots[place].location = location
    }
  }

  // MARK: - Byebye

  private mutating func hearByebye(
    _ uuid: Int, _ lane: Int, _ context: MessageContext, _ collector: inout FindingCollector
  ) {
    checkSame(uuid, context, &collector)
    guard context.advert >= 0 else { return }
    checkPair(context, &collector)
    if !lanes[lane].heirlooms.isEmpty {
      inherit(lane, context.advert, isAlive: false, at: context.time, &collector)
    }
    // A byebye that comes later belongs to another departure, if to any.
    settleDeparture(lane, at: context.time, &collector)
    let place = lanes[lane].find(context.advert)
    guard place >= 0 else { return }
    lanes[lane].slots[place].isAlive = false
    lanes[lane].slots[place].revokedAt = context.time
    if lanes[lane].leftAt == .never { lanes[lane].leftAt = context.time }
    guard context.target.form == .rootDevice, !lanes[lane].isFresh else { return }
    lanes[lane].isFresh = true
    lanes[lane].floor = devices[uuid].bootID
    lanes[lane].rootLeftAt = context.time
    devices[uuid].mayChange = true
  }

  private mutating func checkPair(_ context: MessageContext, _ collector: inout FindingCollector) {
    let number = Int(context.advert)
    while adverts.count <= number { adverts.append(BootAdvert()) }
    if let announced = adverts[number].usn, let usn = context.value(.usn) {
      return collector.check(
        .byebyePair, context, Digest.hash(usn) == announced, expected: "NT and USN as they were announced",
        found: .bytes(usn))
    }
    if adverts[number].early == nil { adverts[number].early = FindingCollector.Scene(context) }
    adverts[number].earlyCount += 1
  }

  // MARK: - Update

  private mutating func hearUpdate(
    _ uuid: Int, _ lane: Int, _ context: MessageContext, _ collector: inout FindingCollector
  ) {
    let index = context.message.index
    let (bootID, next) = (index.pointee.bootID, index.pointee.nextBootID)
    let host = Int(context.observation.host)
    if hosts.indices.contains(host) {
      settle(host, at: context.time, &collector)
      hosts[host].lastUpdate = context.time
    }
    checkLocation(lane, context, &collector)
    guard bootID >= 0, next >= 0 else { return }
    if !BootChecks.isAbove(next, bootID) {
      collector.violated(
        .updateNext, context, expected: "a NEXTBOOTID above BOOTID", found: .text("\(next) with BOOTID \(bootID)"))
    }
    if devices[uuid].bootID == next, bootID != next {
      if isComplete || context.time - devices[uuid].changedAt > BootChecks.reorderGap {
        collector.violated(
          .updateBefore, context, expected: "all updates before the first alive with the new BOOTID",
          found: .text("an update after an alive with BOOTID \(next)"))
      }
      return
    }
    checkRootFirst(next, context, &collector)
    checkSame(uuid, context, &collector)
    (devices[uuid].next, devices[uuid].nextFrom) = (next, bootID)
  }

  private mutating func checkRootFirst(_ next: Int64, _ context: MessageContext, _ collector: inout FindingCollector) {
    let party = Int(context.party.number)
    while parties.count <= party { parties.append(BootParty()) }
    guard parties[party].updateNext != next else { return }
    parties[party].updateNext = next
    if context.target.form == .rootDevice { return }
    if isComplete {
      collector.violated(
        .updateBefore, context, expected: "the update of upnp:rootdevice first", found: .text("another before it"))
    } else {
      collector.inconclusive(
        .updateBefore, context, why: "the update of upnp:rootdevice was not the first that was heard; it may be lost")
    }
  }

  private mutating func checkLocation(_ lane: Int, _ context: MessageContext, _ collector: inout FindingCollector) {
    let place = lanes[lane].find(context.advert)
    guard place >= 0, lanes[lane].slots[place].location != 0, let value = context.value(.location) else { return }
    let slot = lanes[lane].slots[place]
    let location = Digest.hash(value)
    if location == slot.location || location == slot.locationBefore { return collector.held(.updateLocation, context) }
    if isComplete {
      collector.violated(
        .updateLocation, context, expected: "LOCATION of the announcements before", found: .bytes(value))
    } else {
      collector.inconclusive(
        .updateLocation, context, why: "another LOCATION than was heard before; the announcement of it may be lost")
    }
  }
}
