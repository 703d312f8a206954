package import RollcallPrimitives

/// The devices that are there now, whatever protocol found them.
///
/// Providers say what came, changed and went; the directory keeps it and makes reports of it, in that order. It can be
/// made from the reports of any engine as well: so verdicts ask the same directory that an application asks.
package struct Directory: Sendable {
  /// A device, and what shows that it is there.
  package struct Device: Hashable, Sendable {
    package var sighting: DeviceSighting
    package var foundAt: Instant
    /// When something of it changed for the last time; `foundAt` if nothing did.
    package var changedAt: Instant
    /// How strong it was heard last, in dBm, and when; `nil`: its provider does not tell, or it could not be told.
    package var strength: Int8?
    package var heardAt: Instant?
    /// How often it was reported found since it came: more than once is a mistake of its engine.
    package var foundCount: UInt16 = 1
    /// Its place among all that were found.
    fileprivate var number: UInt32
  }

  /// The time of what providers say.
  var now = Instant.zero
  /// Reports that nobody took yet, in order.
  package private(set) var reports: [Report] = []
  /// Where each device stands, by the hash of its name.
  private var places = SlotTable()
  private let seed: UInt64
  private var devices: [Device?] = []
  private var freePlaces: [Int32] = []
  private var foundTotal: UInt32 = 0

  /// - Parameter seed: of the hashes of names; no order depends on it.
  package init(seed: UInt64 = 0) { self.seed = seed }

  package var count: Int { places.count }

  /// In the order in which they were found.
  package var present: [Device] { devices.compactMap { $0 }.sorted { $0.number < $1.number } }

  /// The device of this name; case does not matter in a UUID.
  package func device(named name: String) -> Device? {
    let place = place(of: name, hash(of: name))
    return place == none ? nil : devices[Int(place)]
  }

  // MARK: What providers say

  /// - Returns: its place, for `heard`; good until it is lost.
  @discardableResult mutating func found(_ sighting: DeviceSighting) -> Int32 {
    let place = note(found: sighting, at: now)
    reports.append(.found(sighting))
    return place
  }

  mutating func changed(_ sighting: DeviceSighting, _ change: Change) {
    note(changed: sighting, change, at: now)
    reports.append(.changed(sighting, change))
  }

  mutating func lost(_ name: String, _ cause: LossCause) {
    note(lost: name)
    reports.append(.lost(device: name, cause: cause))
  }

  /// The device at this place was heard again: nothing to report.
  mutating func heard(_ place: Int32, strength: Int8?) {
    devices[Int(place)]?.strength = strength
    devices[Int(place)]?.heardAt = now
  }

  /// Hands the reports over. With most messages there are none: what is done with some stays out of their code.
  @inline(__always) mutating func report(into outbox: inout Outbox) {
    if !reports.isEmpty { reportAll(into: &outbox) }
  }

  @inline(never) private mutating func reportAll(into outbox: inout Outbox) {
    for report in reports { outbox.report(report) }
    reports.removeAll(keepingCapacity: true)
  }

  // MARK: What an engine reports

  /// Takes what an engine reported at this time; reports that are about no device change nothing.
  package mutating func take(_ report: Report, at time: Instant) {
    switch report {
    case .found(let sighting): note(found: sighting, at: time)
    case .changed(let sighting, let change): note(changed: sighting, change, at: time)
    case .lost(let name, _): note(lost: name)
    default: break
    }
  }

  @discardableResult private mutating func note(found sighting: DeviceSighting, at now: Instant) -> Int32 {
    let hash = hash(of: sighting.device)
    let known = place(of: sighting.device, hash)
    if known != none {
      devices[Int(known)]?.sighting = sighting
      let count = devices[Int(known)]?.foundCount ?? 0
      devices[Int(known)]?.foundCount = count == .max ? count : count + 1
      return Int32(known)
    }
    let place = freePlaces.last ?? Int32(devices.count)
    places.insert(hash, UInt32(place))
    let device = Device(sighting: sighting, foundAt: now, changedAt: now, number: foundTotal)
    foundTotal &+= 1
    if Int(place) == devices.count {
      devices.append(device)
    } else {
      freePlaces.removeLast()
      devices[Int(place)] = device
    }
    return place
  }

  private mutating func note(changed sighting: DeviceSighting, _ change: Change, at now: Instant) {
    if case .united(let part) = change { note(lost: part) }
    let place = place(of: sighting.device, hash(of: sighting.device))
    guard place != none else { return }
    devices[Int(place)]?.sighting = sighting
    devices[Int(place)]?.changedAt = now
  }

  private mutating func note(lost name: String) {
    let hash = hash(of: name)
    let place = place(of: name, hash)
    guard place != none else { return }
    places.remove(hash, place)
    devices[Int(place)] = nil
    freePlaces.append(Int32(place))
  }

  /// In which case does not matter, as in `isSameDevice`.
  @inline(__always) private func hash(of name: String) -> UInt32 {
    var name = name
    return name.withUTF8 { KeyBytes.hash(UnsafeRawBufferPointer($0), seed: seed, folding: true) }
  }

  @inline(__always) private func place(of name: String, _ hash: UInt32) -> UInt32 {
    places.find(hash) { place in
      devices[Int(place)].map { isSameDevice($0.sighting.device, name) } ?? false
    }
  }
}
