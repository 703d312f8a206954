package import RollcallPrimitives

/// What a device does that the correct one does not, and the reverse; all off for the correct device.
package struct DeviceBehaviour: Hashable, Sendable {
  /// The quirks that are a plain yes or no.
  package struct Habits: OptionSet, Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
    init(bit: Int) { rawValue = 1 << UInt64(bit) }

    static let neverByebye = Habits(bit: 0)
    static let byebyeBeforeFirstAlive = Habits(bit: 1)
    static let byebyeAliveByebye = Habits(bit: 2)
    static let abandonsOldAddress = Habits(bit: 3)
    static let lateAliveAfterByebye = Habits(bit: 4)
    static let portChangesOnReboot = Habits(bit: 5)
    static let uuidChangesOnReboot = Habits(bit: 6)
    static let partialRenewal = Habits(bit: 7)
    static let crossByebye = Habits(bit: 8)
    static let noUpdate = Habits(bit: 9)
    static let updateAfterAlive = Habits(bit: 10)
    static let bootIDNotIncreased = Habits(bit: 11)
    static let nextBootIDLies = Habits(bit: 12)
    static let v6LocationOnV4 = Habits(bit: 13)
    static let v6LocationWithScope = Habits(bit: 14)
    static let reanswersOwnMulticast = Habits(bit: 15)
    static let doubleAnswer = Habits(bit: 16)
    static let answersEverySearch = Habits(bit: 17)
    static let answersMX0 = Habits(bit: 18)
    static let relaxedSearch = Habits(bit: 19)
    static let answersBadMAN = Habits(bit: 20)
    static let silentOnUnicast = Habits(bit: 21)
    static let silentOnMulticast = Habits(bit: 22)
    static let answersHigherVersion = Habits(bit: 23)
    static let echoesOwnVersion = Habits(bit: 24)
    static let substringMatch = Habits(bit: 25)
    static let errorAnswers = Habits(bit: 26)
    static let answersToPort1900 = Habits(bit: 27)
    static let answersNotify = Habits(bit: 28)
    static let blocksWhileAnswering = Habits(bit: 29)
    static let configIDKept = Habits(bit: 30)
  }

  package var habits: Habits = []
  var answersPerMatch = 1
  var spuriousByebyeInterval: Interval?
  package var unicastTo: IPAddress?
  /// Every other ST is met with silence; empty: none is.
  var answersOnly: [String] = []

  package init() {}
}

extension DeviceDescription {
  /// The description as a device with these quirks has it.
  package func altered(by quirks: [Quirk]) -> DeviceDescription {
    var altered = self
    for quirk in quirks { quirk.alter(&altered) }
    return altered
  }
}

extension Quirk {
  /// Changes the description; quirks of other places leave it as it is.
  package func alter(_ description: inout DeviceDescription) {
    switch self {
    case .maxAge(let seconds): description.maxAgeSeconds = seconds
    case .locationHttps: description.scheme = "https"
    case .nonHexUUID: description.uuidStyle = .serialNumber
    case .upperCaseUUID: description.uuidStyle = .capitals
    case .ttl(let limit): description.hopLimit = limit
    case .oldSpecification: description.uda = .uda10
    default: break
    }
  }

  /// Changes what a set holds.
  package func alter(_ set: inout AdvertSet) {
    switch self {
    case .foreignNT(let text):
      var advert = Advert(.opaque, owner: 0, stem: text)
      advert.isSearchable = false
      set.append(advert)
    case .otherLocationUnderUSN:
      var advert = Advert(.opaque, owner: 0, stem: "hnap:NetworkCamera")
      (advert.usnTarget, advert.path, advert.isSearchable) = ("upnp:rootdevice", "/HNAP1/", false)
      set.append(advert)
    case .dottedVendorDomain:
      set.alterTypes { advert in
        var parts = advert.stem.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        if parts.count > 1 { parts[1] = String(parts[1].map { $0 == "-" ? "." : $0 }) }
        advert.stem = parts.joined(separator: ":")
      }
    case .versionNotInteger: set.alterTypes { advert in advert.version = advert.version.map { $0 + ".0" } }
    case .typeLetterCase: set.alterTypes { advert in advert.stem = advert.stem.lowercased() }
    case .opaqueTarget(let text): set.append(Advert(.opaque, owner: 0, stem: text))
    case .incompleteSet: set.order.removeAll { set.adverts[$0].kind == .uuid }
    case .rootOnly: set.order.removeAll { set.adverts[$0].kind != .rootDevice }
    case .doubledUUIDMessage:
      if let first = set.order.firstIndex(where: { set.adverts[$0].kind == .uuid && set.adverts[$0].owner == 0 }) {
        set.order.insert(set.order[first], at: first + 1)
      }
    case .doubledMessages: set.order = set.order.flatMap { [$0, $0] }
    case .lowerVersionsToo:
      for advert in set.adverts {
        for version: UInt32 in 1..<8 where version < advert.versionNumber {
          var lower = advert
          (lower.version, lower.isSearchable) = (String(version), false)
          set.append(lower)
        }
      }
    case .servicesUnderRoot:
      for index in set.adverts.indices where set.adverts[index].kind == .service && set.adverts[index].owner > 0 {
        var advert = set.adverts[index]
        advert.owner = 0
        // What the root says already is not said twice.
        if set.adverts.contains(advert) {
          advert.isSearchable = false
          set.order.removeAll { $0 == index }
        }
        set.adverts[index] = advert
      }
    default: break
    }
  }

  package func alter(_ timing: inout DeviceTiming) {
    switch self {
    case .noJitter: timing.startJitter = .zero ... .zero
    case .dropsRepeats: (timing.repeats, timing.renewalRepeats, timing.byebyeRepeats) = (1, 1, 1)
    case .manyRepeats(let count): (timing.repeats, timing.renewalRepeats) = (count, count)
    case .noRenewal: (timing.renewalPermille, timing.renewalInterval) = (nil, nil)
    case .renewsLate: timing.renewalPermille = 510...540
    case .renewsAfterLease: timing.renewalPermille = 1_010...1_100
    case .renewsOften(let interval): timing.renewalInterval = interval...(interval + interval / 5)
    case .answersImmediately: (timing.answerDelay, timing.unicastDelay) = (.immediate, .zero ... .zero)
    case .answersLate(let interval): timing.answerDelay = .afterMX(interval)
    case .ignoresMXCap: timing.maximumWaitCapSeconds = 120
    case .slowUnicastAnswers: timing.unicastDelay = .milliseconds(1_500) ... .seconds(3)
    default: break
    }
  }

  package func alter(_ behaviour: inout DeviceBehaviour) {
    switch self {
    case .spuriousByebye(let interval): behaviour.spuriousByebyeInterval = interval
    case .unicastNotify(let address): behaviour.unicastTo = address
    case .manyAnswers(let count): behaviour.answersPerMatch = count
    case .answersOnlySome(let target): behaviour.answersOnly.append(target)
    default: if let habit { behaviour.habits.insert(habit) }
    }
  }

  private var habit: DeviceBehaviour.Habits? {
    switch self {
    case .neverByebye: .neverByebye
    case .byebyeBeforeFirstAlive: .byebyeBeforeFirstAlive
    case .byebyeAliveByebye: .byebyeAliveByebye
    case .abandonsOldAddress: .abandonsOldAddress
    case .lateAliveAfterByebye: .lateAliveAfterByebye
    case .portChangesOnReboot: .portChangesOnReboot
    case .uuidChangesOnReboot: .uuidChangesOnReboot
    case .partialRenewal: .partialRenewal
    case .crossByebye: .crossByebye
    case .noUpdate: .noUpdate
    case .updateAfterAlive: .updateAfterAlive
    case .bootIDNotIncreased: .bootIDNotIncreased
    case .nextBootIDLies: .nextBootIDLies
    case .v6LocationOnV4: .v6LocationOnV4
    case .v6LocationWithScope: .v6LocationWithScope
    case .reanswersOwnMulticast: .reanswersOwnMulticast
    case .configIDKept: .configIDKept
    case .doubleAnswer: .doubleAnswer
    case .answersEverySearch: .answersEverySearch
    case .answersMX0: .answersMX0
    case .relaxedSearch: .relaxedSearch
    case .answersBadMAN: .answersBadMAN
    case .silentOnUnicast: .silentOnUnicast
    case .silentOnMulticast: .silentOnMulticast
    case .answersHigherVersion: .answersHigherVersion
    case .echoesOwnVersion: .echoesOwnVersion
    case .substringMatch: .substringMatch
    case .errorAnswers: .errorAnswers
    case .answersToPort1900: .answersToPort1900
    case .answersNotify: .answersNotify
    case .blocksWhileAnswering: .blocksWhileAnswering
    default: nil
    }
  }
}

extension AdvertSet {
  /// Changes every device and service type.
  mutating func alterTypes(_ change: (inout Advert) -> Void) {
    for index in adverts.indices where adverts[index].kind == .device || adverts[index].kind == .service {
      change(&adverts[index])
    }
  }
}
