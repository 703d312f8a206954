import RollcallPrimitives
import RollcallWire

/// One search from its first copy to its end, with what it heard.
struct SearchSession: Sendable {
  let id: SearchID
  /// How many searches there were before it.
  let serial: Int
  let target: String
  let targetBytes: [UInt8]
  /// The target taken apart.
  let wanted: SearchTarget.Parts
  /// Asks for everything, so that nothing need be compared.
  let isForAll: Bool
  /// What the doors know of it where its answers are expected.
  let owner: SearchDoors.Owner
  /// MX, or what a captured search said instead of it.
  let waitSeconds: Int
  let spacing: Interval
  /// Where to send, if not to the groups; its port is final.
  let host: Endpoint?
  let interface: InterfaceID?
  /// The port that all copies leave from.
  let port: UInt16
  /// Captured searches are not sent.
  let isAdopted: Bool

  var copiesLeft: Int
  var nextCopy: Instant
  var end: Instant
  private(set) var services: [ServiceSighting] = []
  /// USN and ST of everything in `services`.
  private var seen: ServiceSet
  /// Leases of which the search was told, for a quick answer to repetitions.
  var told = ToldLeases()
  var sentCount = 0
  var refusedCount = 0
  /// Interfaces and families whose refusal was told.
  var refusedPaths: [UInt32] = []

  init(
    _ search: Search, waitSeconds: Int, spacing: Interval, copies: Int, host: Endpoint?, port: UInt16,
    isAdopted: Bool, at now: Instant, end: Instant, serial: Int, seen: ServiceSet
  ) {
    (id, target, self.serial) = (search.id, search.target, serial)
    targetBytes = Array(search.target.utf8)
    wanted = targetBytes.withUnsafeBytes { SearchTarget.parse($0) }
    isForAll = search.target == "ssdp:all"
    (self.waitSeconds, self.spacing, self.host, self.port) = (waitSeconds, spacing, host, port)
    (self.isAdopted, interface, copiesLeft, self.end) = (isAdopted, search.interface, copies, end)
    nextCopy = copies > 0 ? now : .never
    self.seen = seen
    owner = SearchDoors.Owner(search.id, serial, targetBytes, wanted, isForAll: isForAll)
  }

  /// When something is to be done.
  var nextTimer: Instant { min(nextCopy, end) }

  /// Whether an answer with this ST is one to a search for another target than `ssdp:all`, which is asked first.
  ///
  /// Of a session only what is needed is handed over: a method would be called on a copy of all of it.
  @inline(__always) static func isAnswer(
    _ offered: UnsafeRawBufferPointer, to target: [UInt8], _ wanted: SearchTarget.Parts, _ switches: EngineSwitches
  ) -> Bool {
    target.withUnsafeBytes { asked in
      if switches.contains(.substringTarget) { return SearchSession.contains(offered, asked) }
      if switches.contains(.exactVersionOnly) { return KeyBytes.equal(asked, offered, folding: false) }
      return SearchTarget.matches(asked: asked, wanted, offered: offered)
    }
  }

  /// Whether this search heard such an answer before. Mutating, so that it is not called on a copy.
  mutating func holds(_ pair: ServiceSet.Pair, hash: UInt32) -> Bool { seen.contains(hash, pair, in: services) }

  mutating func add(_ service: ServiceSighting, hash: UInt32) {
    seen.insert(hash, at: services.count)
    services.append(service)
  }

  /// Everything that it heard; it forgets it, and whom it was told of.
  mutating func takeServices() -> [ServiceSighting] {
    var heard: [ServiceSighting] = []
    swap(&heard, &services)
    told = ToldLeases()
    return heard
  }

  /// The room in which it kept what it heard, empty, for another search.
  mutating func takeRoom() -> ServiceSet {
    var room = ServiceSet()
    swap(&room, &seen)
    room.removeAll()
    return room
  }

  private static func contains(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
    guard part.count <= text.count else { return false }
    return (0...(text.count - part.count)).contains { start in
      text[start..<(start + part.count)].elementsEqual(part)
    }
  }
}

/// The numbers of all searches there ever were, as ranges: an application counts them up, so a few words hold them.
struct UsedSearchIDs {
  /// In order, apart from each other; the last is the one that usually grows.
  private var ranges: [ClosedRange<UInt32>] = []

  /// The most ranges that are kept; where there are more, the lowest are forgotten.
  private static let countMaximum = 4_096

  func contains(_ id: SearchID) -> Bool {
    let next = firstRange(above: id.number)
    return next > 0 && ranges[next - 1].contains(id.number)
  }

  /// Takes in a number that it does not contain.
  mutating func insert(_ id: SearchID) {
    let number = id.number
    let next = firstRange(above: number)
    let touchesLast = next > 0 && ranges[next - 1].upperBound + 1 == number
    let touchesNext = next < ranges.count && ranges[next].lowerBound - 1 == number
    switch (touchesLast, touchesNext) {
    case (true, true):
      ranges[next - 1] = ranges[next - 1].lowerBound...ranges[next].upperBound
      ranges.remove(at: next)
    case (true, false): ranges[next - 1] = ranges[next - 1].lowerBound...number
    case (false, true): ranges[next] = number...ranges[next].upperBound
    case (false, false):
      ranges.insert(number...number, at: next)
      if ranges.count > UsedSearchIDs.countMaximum { ranges.removeFirst() }
    }
  }

  /// Where the first range stands that begins above `number`.
  private func firstRange(above number: UInt32) -> Int {
    if let last = ranges.last, last.lowerBound <= number { return ranges.count }
    return ranges.firstIndex { $0.lowerBound > number } ?? ranges.count
  }
}
