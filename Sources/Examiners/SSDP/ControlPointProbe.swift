package import RollcallConformance

/// One thing that a control point is put to while it looks for devices.
///
/// The raw value is its name on the command line.
package enum ControlPointProbe: String, Hashable, Sendable, CaseIterable {
  // Forms that have to be understood.
  case nameCase = "name-case"
  case blanks
  case fieldOrder = "field-order"
  case unknownFields = "unknown-fields"
  case anyUUID = "any-uuid"
  case higherMinor = "higher-minor"
  case moreDirectives = "more-directives"
  case hostWithoutPort = "host-without-port"
  case eightBit = "eight-bit"
  case noServer = "no-server"
  case higherVersion = "higher-version"
  case higherST = "higher-st"
  // Forms that have to be dropped, or may be.
  case brokenStart = "broken-start"
  case otherStart = "other-start"
  case noUSN = "no-usn"
  case noTarget = "no-target"
  case noLocation = "no-location"
  case noColon = "no-colon"
  case folded
  case nul
  case doubledField = "doubled-field"
  case oversized
  case manyFields = "many-fields"
  case wrongST = "wrong-st"
  case valueCase = "value-case"
  // Its search, and answers out of time or place.
  case copies
  case lastMoment = "last-moment"
  case late
  case unsolicited
  // LOCATION.
  case offSubnet = "off-subnet"
  case redirects
  case hugePage = "huge-page"
  // Stories: several messages of one device, one after another.
  case setOrder = "set-order"
  case byebye
  case byebyePart = "byebye-part"
  case neighbours
  case reboot
  case update
  case bootZeros = "boot-zeros"
  case expiry
  case keptByPart = "kept-by-part"
  case oddMaxAge = "odd-max-age"
  case uuidCase = "uuid-case"
  case newLocation = "new-location"
  case newConfig = "new-config"
  // Many.
  case flood
}

extension ControlPointProbe {
  /// How a bait reaches the control point.
  package enum Way: String, Hashable, Sendable, CaseIterable {
    /// As an answer to its search.
    case answer
    /// As a NOTIFY to the group.
    case announcement
    /// As a row of NOTIFYs to the group.
    case story
    case flood
  }

  /// What is expected of a control point that is given such a bait.
  package enum Wanted: Hashable, Sendable {
    /// It takes the device.
    case taken
    /// It makes no device of it.
    case refused
    /// Both are right; it lives on and takes the next good bait.
    case either
    /// What follows from the bait's own rule.
    case ruled
  }

  package var facts: Facts { ControlPointProbe.table[Int(unsafeBitCast(self, to: UInt8.self))] }

  package struct Facts: Hashable, Sendable {
    /// In a person's words, for plans and findings.
    package var gist: String
    /// Empty: no clause of the catalogue speaks of it; the row is hardening of our own.
    package var clauses: [ClauseID]
    package var ways: [Way]
    package var wanted: Wanted
    /// What is expected, as a finding says it.
    package var expected: String
  }

  /// Clauses that examining a control point judges.
  package static let clauses: [ClauseID] = {
    var found: [ClauseID] = []
    for probe in allCases { for clause in probe.facts.clauses where !found.contains(clause) { found.append(clause) } }
    return found.sorted { $0.rawValue < $1.rawValue }
  }()

  /// The names most like a text that is none, best first.
  package static func nearest(to text: String) -> [String] {
    let wanted = Array(text.lowercased().utf8.prefix(40))
    let ranked = allCases.enumerated().map { place, probe in
      (distance: EditDistance.between(wanted, Array(probe.rawValue.utf8)), place: place, name: probe.rawValue)
    }
    return ranked.sorted { ($0.distance, $0.place) < ($1.distance, $1.place) }.prefix(3).map(\.name)
  }

  private static let both: [Way] = [.answer, .announcement]

  /// In the order of the cases.
  private static let table: [Facts] = allCases.map { probe in
    func facts(
      _ gist: String, _ clauses: [ClauseID], _ wanted: Wanted, _ expected: String, _ ways: [Way] = both
    ) -> Facts { Facts(gist: gist, clauses: clauses, ways: ways, wanted: wanted, expected: expected) }
    switch probe {
    case .nameCase:
      return facts(
        "field names in mixed case", [.nameCase], .taken, "field names are compared without regard to case")
    case .blanks:
      return facts(
        "values with no blank or several around them", [.outerBlanks], .taken, "blanks around a value mean nothing")
    case .fieldOrder:
      return facts("fields in reverse order", [.fieldOrder], .taken, "the order of the fields means nothing")
    case .unknownFields:
      return facts(
        "fields of vendors between the others", [.skipUnknown], .taken, "unknown fields are skipped, the message used")
    case .anyUUID:
      return facts("a UUID that is no hexadecimal number", [.uuidAny], .taken, "any string is taken as a UUID")
    case .higherMinor:
      return facts(
        "SERVER with UPnP/1.9", [.serverMinor], .taken, "a device of a higher minor version of UPnP is accepted")
    case .moreDirectives:
      return facts(
        "CACHE-CONTROL with directives beside max-age", [.aliveOnlyMaxAge], .taken,
        "receivers look past other directives")
    case .hostWithoutPort:
      return facts(
        "HOST without a port", [.hostWithoutPort], .taken, "HOST without a port is read as 1900", [.announcement])
    case .eightBit:
      return facts(
        "bytes beyond ASCII in SERVER", [.eightBit], .taken, "bytes beyond ASCII in one field do not cost the others")
    case .noServer:
      return facts("no SERVER", [], .either, "a message without SERVER harms nobody (D36)")
    case .higherVersion:
      return facts(
        "a device of a higher version than the one it searches", [.higherVersion], .taken,
        "a device of a higher version is recognised and used")
    case .higherST:
      return facts(
        "an answer with a higher version in ST than was asked (D73)", [], .taken,
        "`:2` counts as an answer to a search for `:1`", [.answer])
    case .brokenStart:
      return facts(
        "a broken start line", [.discardMalformed], .refused, "a message without a start line is dropped")
    case .otherStart:
      return facts(
        "status 404, or a method in small letters", [.otherStartLine], .refused,
        "a message with any other start line is dropped")
    case .noUSN:
      return facts("no USN", [.discardMalformed], .refused, "a message without USN names no device")
    case .noTarget:
      return facts("no ST or NT", [.discardMalformed], .refused, "a message without ST or NT is dropped")
    case .noLocation:
      return facts("no LOCATION", [], .either, "a message without LOCATION harms nobody")
    case .noColon:
      return facts(
        "a line without a colon before the others", [.discardMalformed], .either,
        "the line is skipped or the message dropped, and the next good bait taken")
    case .folded:
      return facts(
        "a folded line that looks like LOCATION", [.folding], .ruled, "a folded line is never a field of its own")
    case .nul:
      return facts(
        "NUL bytes in two values", [.eightBit], .either, "NUL bytes cost neither the receiver nor its good baits")
    case .doubledField:
      return facts(
        "LOCATION twice", [.duplicateField], .ruled, "a field that comes twice is read by one rule: first, last or drop"
      )
    case .oversized:
      return facts("a message of 60 kB", [.size], .either, "large datagrams cost bounded time and memory")
    case .manyFields:
      return facts("a message of 1,500 fields", [.size], .either, "many fields cost bounded time and memory")
    case .wrongST:
      return facts(
        "an answer with an ST that nobody asked for", [.unsolicited], .refused,
        "an ST that nobody asked for makes no device", [.answer])
    case .valueCase:
      return facts(
        "an answer whose ST has its letters in other case", [.valueCase], .ruled,
        "values are compared with regard to case", [.answer])
    case .copies:
      return facts(
        "a look at how often its search is sent", [.searchRepeat], .ruled,
        "a search is sent more than once, at most 10 times in 200 ms", [.answer])
    case .lastMoment:
      return facts(
        "an answer just before MX has run out after the last copy", [.searchWait], .taken,
        "it listens for MX seconds after the last copy", [.answer])
    case .late:
      return facts(
        "an answer two seconds after MX has run out", [], .either, "a late answer harms nobody", [.answer])
    case .unsolicited:
      return facts(
        "an answer that is sent to the group", [.unsolicited], .refused, "an answer without a search makes no device",
        [.announcement])
    case .offSubnet:
      return facts(
        "a LOCATION off the subnet", [.screensLocation], .ruled, "LOCATION is followed only to the sender or its subnet"
      )
    case .redirects:
      return facts(
        "a description that redirects to itself for ever", [.boundedFetch], .ruled,
        "redirects are followed a bounded number of times (20)")
    case .hugePage:
      return facts(
        "a description of 16 MB", [.boundedFetch], .ruled, "a description that is too long is not read to its end")
    case .setOrder:
      return facts(
        "the same set in three orders", [.orderFree], .ruled, "any order of the set gives the same state", [.story])
    case .byebye: return facts("a set, then its byebyes", [], .ruled, "a device that says byebye is gone", [.story])
    case .byebyePart:
      return facts(
        "a byebye of one part of two devices", [.anyByebye], .ruled, "one rule for what the byebye of a part ends",
        [.story])
    case .neighbours:
      return facts(
        "a device that stays while others at its address leave (D51)", [], .ruled,
        "a byebye ends the device that says it and no other", [.story])
    case .reboot:
      return facts(
        "another BOOTID, one higher, one lower", [.bootIDDiffers], .ruled, "another BOOTID counts as newly found",
        [.story])
    case .update:
      return facts(
        "ssdp:update, then alive under NEXTBOOTID", [.updateReceived], .ruled, "the device goes on and no loss is told",
        [.story])
    case .bootZeros:
      return facts(
        "the same BOOTID with leading zeros", [.bootIDZeros], .ruled, "leading zeros make no other BOOTID", [.story])
    case .expiry:
      return facts(
        "a lease of three seconds that is not renewed", [.expire], .ruled,
        "a device that is silent beyond max-age is gone, and not before", [.story])
    case .keptByPart:
      return facts(
        "a lease of three seconds, renewed for one part only", [.anyAlive], .ruled,
        "one valid message keeps the device", [.story])
    case .oddMaxAge:
      return facts(
        "max-age of 0, −1, 2¹⁶ + 3 and 2³² + 3", [.oddMaxAge], .ruled, "no number wraps around into a short lease",
        [.story])
    case .uuidCase:
      return facts(
        "byebyes with the UUID in other case than the alives", [.uuidCase], .ruled,
        "one rule for UUIDs that differ in case", [.story])
    case .newLocation:
      return facts("another LOCATION under the same BOOTID", [], .ruled, "a new LOCATION is noticed (D59)", [.story])
    case .newConfig:
      return facts(
        "another CONFIGID under the same LOCATION", [.configIDCache], .ruled,
        "another CONFIGID is not served by the old document", [.story])
    case .flood:
      return facts(
        "a flood of distinct devices", [], .ruled, "after a flood it is alive and takes a good bait", [.flood])
    }
  }
}
