import RollcallPrimitives
import RollcallWire

/// The registered services with all types that they ask for, each with a bit of its own: so a type that was seen before
/// costs one look.
struct RegistrationIndex: Sendable {
  /// Types that are remembered; others are compared each time.
  static let typesMaximum = 4_096

  let registrations: [ServiceRegistration]
  /// The types that are asked for, by their bits. Those beyond the last bit are never met.
  private var wanted: [SearchTarget] = []
  /// Whether one of them is a UUID: else no UUID that a device announces has to be looked at.
  private var wantsUUIDs = false
  /// The bit of the filter of each registration, 0 where it is not of SSDP, and the bits of what it requires beside that.
  private(set) var filter: [UInt64] = []
  private(set) var required: [UInt64] = []
  /// The bits of all filters.
  private(set) var filters: UInt64 = 0
  private var known: [String: UInt64] = [:]

  init(_ registrations: [ServiceRegistration]) {
    self.registrations = registrations.map(\.asSighted)
    for registration in registrations {
      let isSSDP = registration.provider == .ssdp
      filter.append(isSSDP ? bit(of: registration.filter) : 0)
      required.append(isSSDP ? registration.requires.reduce(0) { $0 | bit(of: $1) } : 0)
      filters |= filter.last ?? 0
    }
  }

  private mutating func bit(of type: String) -> UInt64 {
    let target = SearchTarget(type)
    let place = wanted.firstIndex(of: target) ?? wanted.count
    if place == wanted.count { wanted.append(target) }
    if case .uuid = target { wantsUUIDs = true }
    precondition(place < 64, "at most 64 types may be asked for")
    return 1 << UInt64(place)
  }

  /// What a type that somebody offers meets: the same type in the asked version or a later one (UDA 2.0, section 1.3.3).
  mutating func wants(metBy type: String) -> UInt64 {
    // Each device has another one.
    if !wantsUUIDs, type.hasPrefix("uuid:") { return 0 }
    if let bits = known[type] { return bits }
    let offered = SearchTarget(type)
    var bits: UInt64 = 0
    for (place, target) in wanted.enumerated() where target.matches(offered: offered) { bits |= 1 << UInt64(place) }
    if known.count < RegistrationIndex.typesMaximum { known[type] = bits }
    return bits
  }

  /// The targets to search for, each once, in the order of the registrations.
  var soughtTypes: [String] {
    var targets: [String] = []
    for registration in registrations where registration.provider == .ssdp && !targets.contains(registration.filter) {
      targets.append(registration.filter)
    }
    return targets
  }
}
