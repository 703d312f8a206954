package import RollcallConformance
package import RollcallPrimitives

/// One thing that is asked of a device: why, what it costs at most, and which clauses it serves.
///
/// In the order in which they are asked. Raw values are the names that a command line takes.
package enum DeviceProbe: String, Hashable, Sendable, CaseIterable {
  case searchAll = "search-all"
  case searchRoot = "search-root"
  case answerPort = "answer-port"
  case searchUUID = "search-uuid"
  case searchDevice = "search-device"
  case searchService = "search-service"
  case versionLower = "version-lower"
  case unicast
  case unicastMX = "unicast-mx"
  case nameCase = "name-case"
  case unknownFields = "unknown-fields"
  case fieldOrder = "field-order"
  case blanks
  case copies
  case searchUnknown = "search-unknown"
  case versionHigher = "version-higher"
  case mxMissing = "mx-missing"
  case mxText = "mx-text"
  case manMissing = "man-missing"
  case manUnquoted = "man-unquoted"
  case manOther = "man-other"
  case valueCase = "value-case"
  case otherStartLine = "other-start-line"
  case malformed
  case overlap
  case spread
  case mxZero = "mx-zero"
  case mxHuge = "mx-huge"
  case stillThere = "still-there"
  case description
  case renewal
  case byebye

  /// The most UUIDs, device types and service types of one device that are asked for.
  static let uuidCountMaximum = 6
  static let deviceCountMaximum = 6
  static let serviceCountMaximum = 12
  static let versionCountMaximum = 6
  /// How often a search that ought to be answered is sent before silence counts.
  static let triesMaximum = 3
  /// How often it is asked whether the device is still there: without an answer everything ends.
  static let aliveTries = 5
  /// How often a search that ought to meet silence is sent: one may be lost.
  static let silenceTries = 2
  /// Answers that the test of their waits is given a chance to get; it needs 30.
  package static let spreadCount = 36

  /// MX above 5, and short enough to be waited out.
  static let hugeMX: Int64 = 30
  /// MX of the searches whose waits are compared, by turns.
  static let spreadMX = ["1", "2", "3"]

  /// What it is, in a person's words.
  package var gist: String {
    switch self {
    case .searchAll: "ssdp:all is answered with the whole set"
    case .searchRoot: "upnp:rootdevice is answered once"
    case .answerPort: "answers go to the searcher's port, not to 1900"
    case .searchUUID: "each UUID is answered, by the device that has it"
    case .searchDevice: "each device type is answered"
    case .searchService: "each service type is answered"
    case .versionLower: "a lower version is answered, with ST as it was asked"
    case .unicast: "a unicast search without MX is answered within a second"
    case .unicastMX: "a unicast search with MX is answered within a second"
    case .nameCase: "field names in small letters are read"
    case .unknownFields: "unknown fields are skipped"
    case .fieldOrder: "the order of fields means nothing"
    case .blanks: "blanks around values mean nothing"
    case .copies: "three copies from one socket get at most three answers"
    case .searchUnknown: "what the device is not meets silence"
    case .versionHigher: "a version that the device does not have meets silence"
    case .mxMissing: "multicast without MX meets silence"
    case .mxText: "MX that is no integer meets silence"
    case .manMissing: "a search without MAN meets silence"
    case .manUnquoted: "MAN without its quotes meets silence"
    case .manOther: "another MAN meets silence"
    case .valueCase: "values in another case of letters meet silence"
    case .otherStartLine: "another start line meets silence"
    case .malformed: "a search without ST, and bytes that are no message, meet silence"
    case .overlap: "a search is heard while answers to another wait"
    case .spread: "waits are spread over MX, which is 1, 2 and 3 by turns"
    case .mxZero: "MX 0, about which no clause says anything"
    case .mxHuge: "MX \(DeviceProbe.hugeMX) is taken for 5 or less"
    case .stillThere: "the device answers after all this"
    case .description: "the description, fetched once, agrees with what is announced and answered"
    case .renewal: "announcements are renewed before max-age runs out"
    case .byebye: "byebye is said for everything that was announced"
    }
  }

  /// The clauses that it can hold or break by itself. Every answer is also held against the clauses about all answers.
  package var clauses: [ClauseID] {
    switch self {
    case .searchAll: [.answerAll, .listenMulticast]
    case .searchRoot: [.answerRoot, .listenMulticast]
    case .answerPort: [.answerUnicast]
    case .searchUUID: [.answerUUID]
    case .searchDevice: [.answerDevice]
    case .searchService: [.answerService]
    case .versionLower: [.answerLower]
    case .unicast: [.listenUnicast, .unicastAnswerFast]
    case .unicastMX: [.unicastAnswerFast]
    case .nameCase: [.nameCase]
    case .unknownFields: [.skipUnknown]
    case .fieldOrder: [.fieldOrder]
    case .blanks: [.outerBlanks]
    case .copies: [.answerOnce]
    case .searchUnknown: [.answerMatch]
    case .versionHigher: [.answerHigher]
    case .mxMissing: [.answerNoMX]
    case .mxText: [.answerBadMX]
    case .manMissing, .manUnquoted, .manOther: [.answerBadMAN]
    case .valueCase: [.valueCase]
    case .otherStartLine: [.otherStartLine]
    case .malformed: [.discardMalformed]
    case .overlap: [.answerNonblocking]
    case .spread: [.answerDelay]
    case .mxZero: []
    case .mxHuge: [.answerMXCap]
    case .stillThere: [.listenMulticast]
    case .description:
      [.embeddedTwo, .servicePerDevice, .usnOwner, .usnUDN, .configIDChange, .noURLBase, .urlBaseHost]
    case .renewal: [.renew]
    case .byebye: [.byebyeSend]
    }
  }

  /// What every answer is held against, whatever was asked.
  package static let answerClauses: [ClauseID] = [
    .answerUnicast, .answerDelayMaximum, .answerNoError, .answerMatch, .answerOnce, .answerBootID, .bootIDSame,
    .configIDChange,
  ]

  /// Every clause that an examination of a device can judge by asking, in the order of the catalogue.
  package static let allClauses: [ClauseID] = {
    let asked = allCases.flatMap(\.clauses) + answerClauses
    return ClauseID.allCases.filter { asked.contains($0) }
  }()

  /// Whether it is asked even where others were chosen: without it nobody is found, or what was found means nothing.
  var isAlways: Bool { self == .searchAll || self == .searchRoot || self == .stillThere || self == .answerPort }

  /// Datagrams that it sends at most.
  package var packetsMaximum: Int {
    switch self {
    // A device that comes late is asked again.
    case .searchAll: 2 * 3
    case .searchRoot: 2 + DeviceProbe.triesMaximum
    case .answerPort: DeviceProbe.silenceTries
    case .searchUUID: DeviceProbe.uuidCountMaximum * DeviceProbe.triesMaximum
    case .searchDevice: DeviceProbe.deviceCountMaximum * DeviceProbe.triesMaximum
    case .searchService: DeviceProbe.serviceCountMaximum * DeviceProbe.triesMaximum
    case .versionLower: DeviceProbe.versionCountMaximum * DeviceProbe.triesMaximum
    case .unicast, .unicastMX, .nameCase, .unknownFields, .fieldOrder, .blanks: DeviceProbe.triesMaximum
    case .copies: 3
    case .searchUnknown: 3 * DeviceProbe.silenceTries
    case .versionHigher: DeviceProbe.versionCountMaximum * DeviceProbe.silenceTries
    case .mxText: ExamQuestion.badMX.count * DeviceProbe.silenceTries
    case .valueCase, .malformed: 2 * DeviceProbe.silenceTries
    case .mxMissing, .manMissing, .manUnquoted, .manOther, .otherStartLine, .mxZero: DeviceProbe.silenceTries
    case .overlap: 4
    case .spread: 2 * DeviceProbe.spreadCount
    case .mxHuge: 3
    case .stillThere: 3 * DeviceProbe.aliveTries
    case .description, .renewal: 0
    case .byebye: DeviceProbe.aliveTries
    }
  }

  /// How long it takes at most, waiting for answers and pauses included; what it waits for in silence is not counted.
  package var durationMaximum: Interval {
    switch self {
    case .searchAll: .milliseconds(2 * 4_700)
    case .searchUnknown, .versionHigher, .mxMissing, .mxText, .manMissing, .manUnquoted, .manOther, .valueCase,
      .otherStartLine, .malformed:
      // All that ought to meet silence is sent at once.
      .milliseconds(DeviceExam.silenceSpacingMilliseconds * Int64(packetsMaximum)) + .milliseconds(400)
    case .overlap: .milliseconds(5_700)
    case .spread: .milliseconds(DeviceExam.spreadSpacingMilliseconds * Int64(2 * DeviceProbe.spreadCount)) + .seconds(8)
    // Who takes MX as it stands is waited for to the end.
    case .mxHuge: .milliseconds(6_400) + .seconds(DeviceProbe.hugeMX)
    case .renewal: .seconds(2)
    case .description: ExamFetch.patience
    default: .milliseconds(1_700) * Int64(packetsMaximum)
    }
  }
}
