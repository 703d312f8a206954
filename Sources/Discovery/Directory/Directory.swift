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
  private var places: [DeviceName: Int32] = [:]
  private var devices: [Device?] = []
  private var freePlaces: [Int32] = []
  private var foundTotal: UInt32 = 0

  package init() {}

  package var count: Int { places.count }

  /// In the order in which they were found.
  package var present: [Device] { devices.compactMap { $0 }.sorted { $0.number < $1.number } }

  /// The device of this name; case does not matter in a UUID.
  package func device(named name: String) -> Device? { places[DeviceName(name)].flatMap { devices[Int($0)] } }

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
    let place = freePlaces.last ?? Int32(devices.count)
    let name = DeviceName(sighting.device)
    // Nearly always it is new: one look-up does.
    if let known = places.updateValue(place, forKey: name) {
      places[name] = known
      devices[Int(known)]?.sighting = sighting
      let count = devices[Int(known)]?.foundCount ?? 0
      devices[Int(known)]?.foundCount = count == .max ? count : count + 1
      return known
    }
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
    guard let place = places[DeviceName(sighting.device)] else { return }
    devices[Int(place)]?.sighting = sighting
    devices[Int(place)]?.changedAt = now
  }

  private mutating func note(lost name: String) {
    guard let place = places.removeValue(forKey: DeviceName(name)) else { return }
    devices[Int(place)] = nil
    freePlaces.append(place)
  }
}
