import RollcallPrimitives
import RollcallWire

/// Turns sightings into devices and reports.
///
/// A lease is what one (path, USN, NT) said last; a part is a UUID with its leases; a device is a root with its parts.
/// Records lie in dense arrays by number and are found by the bytes of their names, compared in full. A refresh looks
/// up three numbers and stores two instants; texts are made for reports only. Numbers are reused, so memory follows
/// what is known now.
struct LeaseTable {
  let configuration: EngineConfiguration
  var counters = EngineCounters()
  var interfaces = InterfaceTable()

  var uuids: NameTable
  var targets: NameTable
  var locations: NameTable
  var sources: SourceTable
  /// By the number of the UUID.
  var parts: [PartRecord] = []
  /// By the number of the location.
  var claims: [LocationClaim] = []
  var devices: [DeviceRecord] = []
  var leases: [LeaseRecord] = []
  var histories: [DeviceHistory] = []
  /// The lease that the latest sighting made or renewed; `none`: it did neither.
  var sighted = none
  /// What was told of each lease, where a search was told of it.
  private var told: [ToldNames] = []
  /// Where their bytes are. With the longest names one lease takes that much.
  private var room = ServiceNames.Room(byteCount: 2_000)
  /// Whether it notes which devices have other leases than before, and which have since that was asked for.
  var notesTypes = false
  var otherTypes: [OtherTypes] = []
  private var leaseSlots = SlotTable()
  /// Where the marks of the leases come from.
  private let intake: SSDPIntake
  private var firstFreeDevice = none
  private var firstFreeLease = none
  private var firstFreeHistory = none

  /// Parts that are remembered without a lease, so that what belongs together stays together over a reboot or byebye.
  private(set) var idlePartCount = 0

  /// Leases by deadline; an entry may be earlier than its lease, never later.
  var leaseDeadlines = DeadlineHeap()
  /// Devices that are not held, by the newest message; an entry may be older than its device.
  var evictionOrder = DeadlineHeap()
  /// Devices that said byebye, in order of time.
  var ended = EndedQueue()

  init(_ configuration: EngineConfiguration, _ intake: SSDPIntake) {
    (self.configuration, self.intake) = (configuration, intake)
    uuids = NameTable(folding: true, seed: configuration.hashSeed)
    targets = NameTable(folding: false, seed: configuration.hashSeed)
    locations = NameTable(folding: false, seed: configuration.hashSeed)
    sources = SourceTable(seed: configuration.hashSeed)
  }

  @inline(__always) func isOn(_ fault: EngineSwitch) -> Bool { configuration.switches.contains(fault) }

  /// The device a UUID belongs to, if it is there.
  func device(ofPart part: UInt32) -> UInt32 { part == none ? none : parts[Int(part)].device }

  // MARK: Texts

  /// `uuid:` and the UUID as first heard.
  mutating func name(_ device: UInt32) -> String { uuids.sharedText(devices[Int(device)].root, prefix: "uuid:") }

  mutating func locationText(_ location: UInt32) -> String? {
    location == none ? nil : locations.sharedText(location)
  }

  /// Names of a lease, and its mark when they were made.
  private struct ToldNames {
    var names: ServiceNames?
    var mark: UInt32 = 0
  }

  /// What a search is told of an answer; that of a lease is made once and shared by all who are told of it.
  ///
  /// - Parameters:
  ///   - said: the LOCATION of the answer.
  ///   - lease: one that has this USN, spelled like this, and this target; `none`: nobody knows any.
  ///   - location: its LOCATION, where it may be told; `none`: it may not.
  mutating func names(
    _ usn: UnsafeRawBufferPointer, _ target: UnsafeRawBufferPointer, _ said: UnsafeRawBufferPointer, _ lease: UInt32,
    _ part: UInt32, _ location: UInt32
  ) -> ServiceNames {
    let device = device(ofPart: part)
    let root = device == none ? none : devices[Int(device)].root
    let (index, mark) = (Int(lease), lease == none ? 0 : leases[Int(lease)].mark)
    let isShared = mark != 0 && location != none && location == leases[index].location && root != none
    // The device may have another name by now: a UUID can become a part of another.
    if isShared, index < told.count, told[index].mark == mark, let names = told[index].names, isOf(root, names) {
      return names
    }
    let said: UnsafeRawBufferPointer? = location == none ? nil : said
    let names =
      isPlain(usn, target, lease, root, location)
      ? plainNames(usn, target, root, said) : makeNames(usn, target, root, said)
    guard isShared else { return names }
    while told.count <= index { told.append(ToldNames()) }
    told[index] = ToldNames(names: names, mark: mark)
    return names
  }

  /// Whether these are names of the device with this root.
  private mutating func isOf(_ root: UInt32, _ names: ServiceNames) -> Bool {
    guard names.isPlain else { return names.device == uuids.sharedText(root, prefix: "uuid:") }
    return uuids.isSpelled(root, UnsafeRawBufferPointer(rebasing: names.deviceBytes.dropFirst(5)))
  }

  /// Whether all that `names` is given may stand as it is. What the table keeps it knows that of.
  @inline(__always)
  private mutating func isPlain(
    _ usn: UnsafeRawBufferPointer, _ target: UnsafeRawBufferPointer, _ lease: UInt32, _ root: UInt32,
    _ location: UInt32
  ) -> Bool {
    guard root == none || uuids.isPlain(root), location == none || locations.isPlain(location) else { return false }
    if lease == none { return PlainText.isPlain(usn) && PlainText.isPlain(target) }
    let record = leases[Int(lease)]
    return uuids.isPlain(record.part) && targets.isPlain(record.target)
      && (record.suffix >= LeaseRecord.suffixIsTarget || targets.isPlain(record.suffix))
  }

  @inline(__always)
  private mutating func plainNames(
    _ usn: UnsafeRawBufferPointer, _ target: UnsafeRawBufferPointer, _ root: UInt32, _ location: UnsafeRawBufferPointer?
  ) -> ServiceNames {
    if root == none { return ServiceNames(plain: usn, target: target, uuid: nil, location: location, in: &room) }
    // Apart from the table: a closure that changes a part of it would be given a copy of its names.
    var room = room
    defer { self.room = room }
    return uuids.withBytes(root) {
      ServiceNames(plain: usn, target: target, uuid: $0, location: location, in: &room)
    }
  }

  /// Names of which something is not plain: rare, and long.
  @inline(never)
  private mutating func makeNames(
    _ usn: UnsafeRawBufferPointer, _ target: UnsafeRawBufferPointer, _ root: UInt32, _ location: UnsafeRawBufferPointer?
  ) -> ServiceNames {
    ServiceNames(
      device: root == none ? "" : uuids.sharedText(root, prefix: "uuid:"), usn: SSDPText.text(usn),
      target: SSDPText.text(target), location: location.map { SSDPText.text($0) })
  }

  mutating func sighting(_ device: UInt32) -> DeviceSighting {
    let record = devices[Int(device)]
    return DeviceSighting(
      device: name(device), location: locationText(record.location), source: sources.address(record.source),
      interface: interfaces.interface(ofPath: record.path),
      bootID: record.bootID < 0 ? nil : UInt32(clamping: record.bootID))
  }

  // MARK: Leases

  /// Tells a lease with its location from every other, and from what it was before; 0: nobody can tell.
  func nextMark() -> UInt32 { intake.nextMark() }

  func leaseHash(part: UInt32, target: UInt32, suffix: UInt32, path: UInt16) -> UInt32 {
    KeyBytes.hash(
      UInt64(part) &<< 32 | UInt64(target), UInt64(suffix) &<< 16 ^ UInt64(path), seed: configuration.hashSeed)
  }

  func findLease(part: UInt32, target: UInt32, suffix: UInt32, path: UInt16) -> UInt32 {
    leaseSlots.find(leaseHash(part: part, target: target, suffix: suffix, path: path)) {
      isLease($0, part, target, suffix, path)
    }
  }

  @inline(__always)
  private func isLease(_ number: UInt32, _ part: UInt32, _ target: UInt32, _ suffix: UInt32, _ path: UInt16) -> Bool {
    let index = Int(number)
    return leases[index].part == part && leases[index].target == target && leases[index].suffix == suffix
      && leases[index].path == path
  }

  /// The lease after the one that was renewed last, around in a circle.
  @inline(__always) func nextLease(of part: UInt32) -> UInt32 {
    let index = Int(part)
    let cursor = parts[index].cursor
    if cursor == none { return parts[index].firstLease }
    let next = leases[Int(cursor)].next
    return next == none ? parts[index].firstLease : next
  }

  /// Puts a lease into its place; its names are held already.
  mutating func insertLease(_ lease: LeaseRecord) -> UInt32 {
    var lease = lease
    lease.isLive = true
    lease.mark = nextMark()
    lease.previous = parts[Int(lease.part)].lastLease
    lease.next = none
    var number = firstFreeLease
    if number == none {
      number = UInt32(leases.count)
      if leases.count == leases.capacity { makeRoomForLeases() }
      leases.append(lease)
    } else {
      firstFreeLease = leases[Int(number)].next
      leases[Int(number)] = lease
    }
    if lease.previous == none {
      parts[Int(lease.part)].firstLease = number
    } else {
      leases[Int(lease.previous)].next = number
    }
    parts[Int(lease.part)].lastLease = number
    setIdle(lease.part, false)
    leaseSlots.insert(
      leaseHash(part: lease.part, target: lease.target, suffix: lease.suffix, path: lease.path), number)
    leaseDeadlines.set(number, lease.deadline)
    sources.countLease(lease.source, 1)
    let device = parts[Int(lease.part)].device
    devices[Int(device)].leaseCount += 1
    counters.openLeases += 1
    noteTypes(of: device, lease: number)
    return number
  }

  /// Room for all that may come, once there are many: what is not used takes addresses and no memory. Arrays that grow
  /// to twice their size have the old half beside it for a moment.
  @inline(never) private mutating func makeRoomForLeases() {
    guard leases.count >= 4_096 else { return }
    let count = max(leases.count * 2, min(configuration.limits.entriesTotal, 1 << 20))
    leases.reserveCapacity(count)
    leaseDeadlines.reserve(count)
  }

  /// Forgets a lease; what that means for its device is the caller's to settle.
  mutating func removeLease(_ number: UInt32) {
    let lease = leases[Int(number)]
    let device = parts[Int(lease.part)].device
    if parts[Int(lease.part)].cursor == number { parts[Int(lease.part)].cursor = lease.previous }
    if lease.previous == none {
      parts[Int(lease.part)].firstLease = lease.next
    } else {
      leases[Int(lease.previous)].next = lease.next
    }
    if lease.next == none {
      parts[Int(lease.part)].lastLease = lease.previous
    } else {
      leases[Int(lease.next)].previous = lease.previous
    }
    leaseSlots.remove(
      leaseHash(part: lease.part, target: lease.target, suffix: lease.suffix, path: lease.path), number)
    leaseDeadlines.remove(number)
    if lease.location != none {
      if lease.isRootMessage { relinquish(lease.location, device) }
      locations.release(lease.location)
    }
    targets.release(lease.target)
    if lease.suffix < LeaseRecord.suffixIsTarget { targets.release(lease.suffix) }
    sources.countLease(lease.source, -1)
    sources.release(lease.source)
    devices[Int(device)].leaseCount -= 1
    if Int(number) < told.count { told[Int(number)] = ToldNames() }
    leases[Int(number)] = LeaseRecord()
    leases[Int(number)].next = firstFreeLease
    firstFreeLease = number
    counters.openLeases -= 1
    noteTypes(of: device, lease: none)
    if parts[Int(lease.part)].firstLease == none, lease.part != devices[Int(device)].root { setIdle(lease.part, true) }
  }

  /// Forgets the leases of a device that came by `path`, or all; how many they were.
  @discardableResult
  mutating func removeLeases(of device: UInt32, path: UInt16? = nil) -> Int {
    var removed = 0
    var part = devices[Int(device)].firstPart
    while part != none {
      var lease = parts[Int(part)].firstLease
      while lease != none {
        let next = leases[Int(lease)].next
        if path == nil || leases[Int(lease)].path == path {
          removeLease(lease)
          removed += 1
        }
        lease = next
      }
      part = parts[Int(part)].next
    }
    return removed
  }

  // MARK: Parts and devices

  /// A new part of a device; its UUID is held already and gives the number.
  mutating func insertPart(_ part: UInt32, into device: UInt32) {
    while parts.count <= Int(part) { parts.append(PartRecord()) }
    parts[Int(part)] = PartRecord(device: device)
    appendPart(part, to: device)
    if devices[Int(device)].root != part { setIdle(part, true) }
  }

  private mutating func setIdle(_ part: UInt32, _ isIdle: Bool) {
    if parts[Int(part)].isIdle != isIdle { idlePartCount += isIdle ? 1 : -1 }
    parts[Int(part)].isIdle = isIdle
  }

  /// Forgets a part that has no lease.
  mutating func removePart(_ part: UInt32) {
    detachPart(part, from: parts[Int(part)].device)
    setIdle(part, false)
    parts[Int(part)] = PartRecord()
    uuids.release(part)
  }

  /// Forgets every part of a device that has no lease; with `isBounded` only where too many are remembered.
  mutating func removeIdleParts(of device: UInt32, isBounded: Bool = false) {
    if isBounded, idlePartCount <= configuration.limits.idleParts { return }
    var part = devices[Int(device)].firstPart
    while part != none {
      let next = parts[Int(part)].next
      if parts[Int(part)].isIdle { removePart(part) }
      part = next
    }
  }

  mutating func appendPart(_ part: UInt32, to device: UInt32) {
    parts[Int(part)].device = device
    parts[Int(part)].next = none
    devices[Int(device)].partCount += 1
    var last = devices[Int(device)].firstPart
    if last == none {
      devices[Int(device)].firstPart = part
      return
    }
    while parts[Int(last)].next != none { last = parts[Int(last)].next }
    parts[Int(last)].next = part
  }

  mutating func detachPart(_ part: UInt32, from device: UInt32) {
    if devices[Int(device)].firstPart == part {
      devices[Int(device)].firstPart = parts[Int(part)].next
    } else {
      var before = devices[Int(device)].firstPart
      while parts[Int(before)].next != part { before = parts[Int(before)].next }
      parts[Int(before)].next = parts[Int(part)].next
    }
    parts[Int(part)].next = none
    devices[Int(device)].partCount -= 1
  }

  /// A device without parts, named after the UUID `root`; not present yet.
  mutating func insertDevice(root: UInt32, at now: Instant) -> UInt32 {
    var number = firstFreeDevice
    if number == none {
      number = UInt32(devices.count)
      devices.append(DeviceRecord())
    } else {
      firstFreeDevice = devices[Int(number)].nextSolo
    }
    devices[Int(number)] = DeviceRecord(lastHeard: now, root: root, isLive: true)
    return number
  }

  /// Forgets a device that has no leases, and its parts with it.
  mutating func removeDevice(_ device: UInt32) {
    forgetState(device)
    var part = devices[Int(device)].firstPart
    while part != none {
      let next = parts[Int(part)].next
      setIdle(part, false)
      parts[Int(part)] = PartRecord()
      uuids.release(part)
      part = next
    }
    freeDevice(device)
  }

  /// Gives the number of a device back; its parts are gone or belong to another.
  mutating func freeDevice(_ device: UInt32) {
    if devices[Int(device)].history != none {
      let history = devices[Int(device)].history
      histories[Int(history)].nextFree = firstFreeHistory
      firstFreeHistory = history
    }
    evictionOrder.remove(device)
    devices[Int(device)] = DeviceRecord()
    devices[Int(device)].nextSolo = firstFreeDevice
    firstFreeDevice = device
  }

  /// Forgets everything that messages said of a device: location, address, CONFIGID, and what they were before.
  mutating func forgetState(_ device: UInt32) {
    setLocation(device, none)
    setSource(device, none)
    let history = devices[Int(device)].history
    if history != none {
      for place in 0..<3 {
        let (location, source) = (histories[Int(history)].locations[place], histories[Int(history)].sources[place])
        if location.name != none { locations.release(location.name) }
        if source.name != none { sources.release(source.name) }
        histories[Int(history)].locations[place] = DeviceHistory.Former()
        histories[Int(history)].sources[place] = DeviceHistory.Former()
      }
      histories[Int(history)].previousConfigID = -1
    }
    devices[Int(device)].configID = -1
  }

  /// The history of a device, begun if there is none.
  mutating func history(of device: UInt32) -> Int {
    if devices[Int(device)].history != none { return Int(devices[Int(device)].history) }
    var number = firstFreeHistory
    if number == none {
      number = UInt32(histories.count)
      histories.append(DeviceHistory())
    } else {
      firstFreeHistory = histories[Int(number)].nextFree
      histories[Int(number)] = DeviceHistory()
    }
    devices[Int(device)].history = number
    return Int(number)
  }
}
