package import RollcallPrimitives
import RollcallWire

/// The registered services with all types that they ask for, each with a bit of its own: so a type that was seen before
/// costs one look.
struct RegistrationIndex: Sendable {
  /// Types that are remembered; others are compared each time.
  static let typesMaximum = 4_096
  /// So many types can be asked for.
  static let wantedMaximum = 64

  let registrations: [ServiceRegistration]
  /// Ids of those that ask for more than that: no device offers them.
  private(set) var refused: [String] = []
  /// The types that are asked for, by their bits.
  private var wanted: [SearchTarget] = []
  /// Whether one of them is a UUID: else no UUID that a device announces has to be looked at.
  private var wantsUUIDs = false
  /// The bit of the filter of each registration, 0 where it is not of SSDP or refused, and the bits of what it requires
  /// beside that.
  private(set) var filter: [UInt64] = []
  private(set) var required: [UInt64] = []
  /// The bits of all filters.
  private(set) var filters: UInt64 = 0
  private var known: [String: UInt64] = [:]

  init(_ registrations: [ServiceRegistration]) {
    self.registrations = registrations.map(\.asSighted)
    for registration in registrations {
      let types = registration.provider == .ssdp ? [registration.filter] + registration.requires : []
      var bits: [UInt64] = []
      for type in types { if let one = bit(of: type) { bits.append(one) } }
      if bits.count < types.count {
        refused.append(registration.id)
        bits = []
      }
      filter.append(bits.first ?? 0)
      required.append(bits.dropFirst().reduce(0) { $0 | $1 })
      filters |= filter.last ?? 0
    }
  }

  /// - Returns: `nil`: there are too many.
  private mutating func bit(of type: String) -> UInt64? {
    let target = SearchTarget(type)
    let place = wanted.firstIndex(of: target) ?? wanted.count
    if place == RegistrationIndex.wantedMaximum { return nil }
    if place == wanted.count { wanted.append(target) }
    if case .uuid = target { wantsUUIDs = true }
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
    for (registration, bit) in zip(registrations, filter) where bit != 0 && !targets.contains(registration.filter) {
      targets.append(registration.filter)
    }
    return targets
  }
}

extension [ServiceRegistration] {
  /// What is to be looked for and cannot be, since all together ask for too many types.
  package var typeFailures: [Failure] {
    RegistrationIndex(self).refused.map { id in
      Failure(
        reason: .invalidSearch,
        explanation: "\(id) is not looked for: expected at most \(RegistrationIndex.wantedMaximum) types that services "
          + "are found by or require, found more")
    }
  }
}
