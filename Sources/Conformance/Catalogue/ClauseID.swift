/// The number of a clause: its place in the catalogue, counted from 0.
///
/// The cases stand in the order of `Clause.catalogue`; what each of them asks for is written there.
package enum ClauseID: UInt16, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  // Transport, addressing, interfaces.
  case group4
  case listenMulticast
  case listenUnicast
  case ttlDefault
  case ttlEscape
  case igmp
  case oneDatagram
  case noAnswer
  case addressChangeRevoke
  case addressChangeAnnounce
  case allInterfaces
  case noCrossByebye
  case sameFields
  case locationReach
  case autoIP
  // Form of a message.
  case generic
  case blankLine
  case noBody
  case startLine
  case otherStartLine
  case nameCase
  case valueCase
  case outerBlanks
  case fieldOrder
  case folding
  case vendorName
  case skipUnknown
  case parseRequired
  case discardMalformed
  case uuidForm
  case uuidAny
  case uuidStable
  case uuidUnique
  case uuidCase
  case duplicateField
  case eightBit
  case size
  // Sets of announcements and their timing.
  case rootThree
  case embeddedTwo
  case serviceOne
  case servicePerDevice
  case usnForm
  case usnOwner
  case usnUDN
  case ntForm
  case ntDots
  case ntVersion
  case highestOnly
  case noPartial
  case startJitter
  case repeatSet
  case repeatMaximum
  case renew
  case renewHalf
  case orderFree
  // Fields of ssdp:alive.
  case aliveHost
  case hostWithoutPort
  case aliveMaxAge
  case aliveMaxAgeFloor
  case aliveOnlyMaxAge
  case aliveLocation
  case aliveNames
  case aliveServer
  case serverMinor
  case aliveBootID
  case aliveConfigID
  case searchPort
  case secureLocation
  case strayFields
  // BOOTID, CONFIGID, update, byebye.
  case bootIDForm
  case bootIDZeros
  case bootIDGrows
  case bootIDSame
  case bootIDEverywhere
  case bootIDNoTime
  case bootIDDiffers
  case bootIDMultihomed
  case configIDRange
  case configIDChange
  case configIDCache
  case byebyeSend
  case byebyeFields
  case byebyeTemplate
  case byebyePair
  case updateWhen
  case updateFields
  case updateLocation
  case updateNext
  case updateBefore
  case updateReceived
  // Search requests.
  case searchHost
  case searchMAN
  case searchMX
  case searchMXMaximum
  case searchTarget
  case searchFriendlyName
  case searchTCPPort
  case searchRepeat
  case searchWait
  case unicastSearchHost
  case unicastSearchPlain
  // Answers to searches.
  case answerUnicast
  case answerDelay
  case answerDelayMaximum
  case answerMXCap
  case answerNoMX
  case answerBadMX
  case answerBadMAN
  case answerNoError
  case answerNonblocking
  case unicastAnswerFast
  case answerAll
  case answerRoot
  case answerUUID
  case answerDevice
  case answerService
  case answerLower
  case answerHigher
  case answerMatch
  case answerOnce
  case answerFields
  case answerBootID
  case answerDate
  case answerTCP
  // Duties of control points, IPv6, hardening.
  case expire
  case anyAlive
  case anyByebye
  case higherVersion
  case toSearchPort
  case unsolicited
  case screensLocation
  case boundedFetch
  case boundedCache
  case oddMaxAge
  case group6
  case host6
  case location6
  case networkSignature
  case dualStack
  // The description of a device.
  case noURLBase
  case urlBaseHost
  // What Bluetooth LE peripherals advertise.
  case addressKind
  case addressRandom
  case advertisingInterval
  case flagsInResponse
  case discoverable
  case onceInData
  case dataOverrun
  case dataUUIDs
  case dataService
  case dataManufacturer
  case dataNumber
  case dataFlags
  case dataName
  // Multicast DNS.
  case multicastAddress
  case multicastHopLimit
  case offLinkIgnored
  case firstQueryDelay
  case queryIntervals
  case refreshQueries
  case uniqueAnswerEnds
  case unicastWish
  case unicastAnswer
  case directQuery
  case noLearntRecords
  case noQuestions
  case promptAnswer
  case sharedDelay
  case truncatedWait
  case oncePerSecond
  case negativeAnswers
  case otherFamily
  case allQuestions
  case aggregation
  case anyQuestion
  case lowTTLOfOthers
  case legacyReply
  case knownAnswers
  case knownAnswerAge
  case knownAnswerParts
  case duplicateQuestion
  case duplicateAnswer
  case probes
  case probeFlush
  case probeConflict
  case probeRate
  case tieBreak
  case equalData
  case tieBreakLists
  case announcements
  case flushBits
  case changedData
  case laterConflict
  case ownPackets
  case recommendedTTL
  case goodbye
  case flushOlder
  case linkChange
  case reconfirm
  case passiveFailures
  case perInterface
  case sharedPort
  case nameBytes
  case packetSize
  case headerBits
  case topBit
  case compression
  // Services on DNS.
  case instanceNames
  case escapes
  case serviceRecords
  case emptyText
  case textSize
  case textKeys
  case textValues
  case typeNames
  case subtypes
  case enumeration
  case additionalRecords
  // Beside the standards of multicast DNS.
  case recordTwice
}

extension ClauseID {
  package static let count = allCases.count

  /// The row of the catalogue.
  package var clause: Clause { Clause.catalogue[Int(rawValue)] }
}
