package import RollcallPrimitives

/// A bad habit of a device, seen in the field or forbidden by a clause; a device has a list of them, in order.
///
/// Each changes one thing in one place: the description, the advertisement set, the form of messages, their timing or
/// the device's behaviour. `Quirk.catalogue` says which, where it was seen (D-numbers of the deviation catalogue), and
/// what it is in a line.
package enum Quirk: Hashable, Sendable {
  // Lines and bytes.
  case noBlankLine, lfOnly, nulAfterBlankLine, lfInServer, lineWithoutColon, lookalikeFields, truncated(Int)
  case contentLength, body, http10, lowerCaseMethod, foldedField, duplicateServer, ntsInResponse, nonUTF8, manInNotify
  case emptyFields, titleCaseNames, noSpaceAfterColon, trailingBlanks
  // Single fields.
  case maxAgeColon, maxAgeSpaces, maxAgeQuoted, maxAgeExtraDirectives, maxAgeLeadingZero, maxAgeNegative
  case maxAgeTwentyDigits, noCacheControl, noServer, malformedServer, noHost, hostWithoutPort, noNTS, unknownNTS
  case bareUUIDAsUSN, upperCaseUUIDScheme, usnWithoutUUID, noUSN
  case wrongSTEchoed, stAndNtTogether, noExt, noDate, badDate, dateInNotify, hostInResponse, locationInByebye
  case bootIDMissingOnServices, claims11WithoutBootID, bootIDLeadingZeros, bootIDNegative, servesStaleBootID
  case vendorFields
  // LOCATION.
  case locationEmpty, locationRelative, locationEmptyPath, locationEmptyHost, locationNullHost, locationBadPort
  case locationZeroPort, locationBlank, locationLoopback, locationLinkLocal, locationOtherSubnet, locationPublic
  case locationBareIP, locationStar, noLocation, twoLocations
  // The description.
  case maxAge(Int64), locationHttps, nonHexUUID, upperCaseUUID, ttl(UInt8), oldSpecification
  // The set.
  case foreignNT(String), otherLocationUnderUSN, dottedVendorDomain, versionNotInteger, typeLetterCase
  case opaqueTarget(String), incompleteSet, rootOnly, doubledUUIDMessage, doubledMessages, lowerVersionsToo
  case servicesUnderRoot
  // Timing.
  case noJitter, dropsRepeats, manyRepeats(Int), noRenewal, renewsLate, renewsAfterLease, renewsOften(Interval)
  case answersImmediately, answersLate(Interval), ignoresMXCap, slowUnicastAnswers
  // Behaviour: arriving and leaving.
  case neverByebye, byebyeBeforeFirstAlive, byebyeAliveByebye, abandonsOldAddress, spuriousByebye(Interval)
  case lateAliveAfterByebye, portChangesOnReboot, uuidChangesOnReboot, partialRenewal, crossByebye, noUpdate
  case updateAfterAlive, bootIDNotIncreased, nextBootIDLies, v6LocationOnV4, v6LocationWithScope
  case unicastNotify(IPAddress), reanswersOwnMulticast, configIDKept
  // Behaviour: answering.
  case manyAnswers(Int), doubleAnswer, answersOnlySome(String), answersEverySearch, answersMX0, relaxedSearch
  case answersBadMAN, silentOnUnicast, silentOnMulticast, answersHigherVersion, echoesOwnVersion, substringMatch
  case errorAnswers, answersToPort1900, answersNotify, blocksWhileAnswering
  // Serving the description.
  case descriptionNotFound, descriptionFails, descriptionRedirects, descriptionRedirectLoop
  case descriptionOnOtherHost(IPAddress), descriptionSlow(Interval), descriptionEndless, descriptionTruncated
  case descriptionWrongLength, descriptionChunked, descriptionWrongType, descriptionClosed, descriptionSecondTime
  case descriptionKeepsConfigID, descriptionOtherUDN, descriptionOtherType
}

extension Quirk {
  /// Where a quirk does its work; nothing else differs from the correct device.
  package enum Place: String, Hashable, Sendable, CaseIterable {
    case description, set, message, timing, behaviour, serving
  }

  /// The name as scenarios write it.
  package var name: String { String(String(describing: self).prefix { $0 != "(" }) }

  package var entry: QuirkEntry {
    let name = name
    guard let entry = Quirk.catalogue.first(where: { $0.name == name }) else {
      preconditionFailure("\(name) is missing in the catalogue")
    }
    return entry
  }
}

/// What a person reads about a quirk.
package struct QuirkEntry: Hashable, Sendable {
  /// What stands behind the name in a scenario.
  package enum Argument: String, Hashable, Sendable, CaseIterable {
    case none, seconds, count, duration, text, address
  }
  package var name: String
  package var argument: Argument
  package var place: Quirk.Place
  /// Numbers of the deviation catalogue and ids of violated clauses.
  package var references: [String]
  package var explanation: String
  /// The quirk with the argument that is taken where none is given.
  package var example: Quirk
}

/// Why a name and its argument are no quirk.
package enum QuirkProblem: Error, Hashable, Sendable {
  case unknownName(String)
  case argumentNotAllowed(name: String)
  case argumentInvalid(name: String, expected: QuirkEntry.Argument, found: String)
}

extension Quirk {
  /// Reads a quirk as a scenario names it: `noBlankLine`, `maxAge` with `60`, `answersLate` with `800ms`.
  ///
  /// Without an argument a quirk that takes one has the value of its catalogue entry.
  package static func parse(name: String, argument: String? = nil) throws(QuirkProblem) -> Quirk {
    guard let entry = catalogue.first(where: { $0.name == name }) else { throw .unknownName(name) }
    guard let text = argument else { return entry.example }
    if entry.argument == .none { throw .argumentNotAllowed(name: name) }
    guard let quirk = entry.example.with(text) else {
      throw .argumentInvalid(name: name, expected: entry.argument, found: text)
    }
    return quirk
  }

  /// The same quirk with another argument; `nil` where the text is none.
  func with(_ text: String) -> Quirk? {
    func count(_ range: ClosedRange<Int>) -> Int? { Int(digits: text).flatMap { range.contains($0) ? $0 : nil } }
    switch self {
    case .truncated: return count(0...65_507).map(Quirk.truncated)
    // Devices announce negative leases, too.
    case .maxAge: return text.utf8.first == UInt8(ascii: "+") ? nil : Int64(text).map(Quirk.maxAge)
    case .ttl: return UInt8(digits: text).map(Quirk.ttl)
    case .foreignNT: return Quirk.isFieldText(text) ? .foreignNT(text) : nil
    case .opaqueTarget: return Quirk.isFieldText(text) ? .opaqueTarget(text) : nil
    case .answersOnlySome: return Quirk.isFieldText(text) ? .answersOnlySome(text) : nil
    case .manyRepeats: return count(1...100).map(Quirk.manyRepeats)
    case .manyAnswers: return count(1...1_000).map(Quirk.manyAnswers)
    case .renewsOften: return Quirk.duration(text).map(Quirk.renewsOften)
    case .spuriousByebye: return Quirk.duration(text).map(Quirk.spuriousByebye)
    case .answersLate: return Quirk.duration(text).map(Quirk.answersLate)
    case .unicastNotify: return IPAddress(text).map(Quirk.unicastNotify)
    case .descriptionOnOtherHost: return IPAddress(text).map(Quirk.descriptionOnOtherHost)
    case .descriptionSlow: return Quirk.duration(text).map(Quirk.descriptionSlow)
    default: return nil
    }
  }

  static func isFieldText(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 200 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  /// `800ms`, `5s`, `2m`, `1h`, `20us`: above zero, units mandatory; `nil` for what no interval is as long as.
  static func duration(_ text: String) -> Interval? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int64(digits), number > 0 else { return nil }
    let interval: Interval
    switch text.dropFirst(digits.count) {
    case "us": interval = .microseconds(number)
    case "ms": interval = .milliseconds(number)
    case "s": interval = .seconds(number)
    case "m": interval = .minutes(number)
    case "h": interval = .hours(number)
    default: return nil
    }
    // The longest interval is no whole number of any unit: what came out as long was cut.
    return interval.nanoseconds < .max ? interval : nil
  }
}
