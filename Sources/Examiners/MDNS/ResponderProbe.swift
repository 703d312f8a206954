package import RollcallConformance

/// One thing that a responder of multicast DNS is asked for, in the order in which they are asked.
package enum ResponderProbe: String, Hashable, Sendable, CaseIterable {
  case types, browse, service
  case anyType = "any-type"
  case questions, absence, families
  case unicastWish = "unicast-wish"
  case direct, legacy
  case legacyService = "legacy-service"
  case known
  case knownOld = "known-old"
  case truncated
  case letterCase = "letter-case"
  case escapes
  case rate, opcode
  case responseCode = "response-code"
  case responseQuestion = "response-question"
  case learnt, duplicate
  case lowTTL = "low-ttl"

  /// Clauses that it can hold or break.
  package var clauses: [ClauseID] {
    switch self {
    case .types: [.enumeration]
    case .browse: [.sharedDelay, .additionalRecords]
    case .service: [.serviceRecords, .promptAnswer]
    case .anyType: [.anyQuestion]
    case .questions: [.allQuestions]
    case .absence: [.negativeAnswers]
    case .families: [.otherFamily]
    case .unicastWish: [.unicastAnswer, .topBit]
    case .direct: [.directQuery]
    case .legacy: [.legacyReply]
    case .legacyService: [.compression]
    case .known, .knownOld: [.knownAnswers]
    case .truncated: [.truncatedWait]
    case .letterCase: [.nameBytes]
    case .escapes: [.escapes]
    case .rate: [.oncePerSecond]
    case .opcode, .responseCode: [.headerBits]
    case .responseQuestion: [.noQuestions]
    case .learnt: [.noLearntRecords]
    case .duplicate: [.duplicateAnswer]
    case .lowTTL: [.lowTTLOfOthers]
    }
  }

  /// What ought to come of it, in one line.
  package var gist: String {
    switch self {
    case .types: "the list of types names the type of the service"
    case .browse: "PTR is answered after 20 to 120 ms, with SRV, TXT and addresses"
    case .service: "SRV and TXT are there, and come without delay"
    case .anyType: "type ANY brings every type"
    case .questions: "two questions of one query are both answered"
    case .absence: "a type that the name has not is denied with NSEC"
    case .families: "A comes with AAAA, or AAAA with A, or NSEC says that there is none"
    case .unicastWish: "a QU question is answered by unicast"
    case .direct: "a query by unicast is answered by unicast"
    case .legacy: "a plain DNS client gets its id and question, short TTLs and no cache-flush bit"
    case .legacyService: "SRV for a plain DNS client is not compressed"
    case .known: "silence where the answer is known"
    case .knownOld: "an answer where less than half of the known TTL is left"
    case .truncated: "a query with TC is answered after 400 to 500 ms"
    case .letterCase: "capital letters in names make no difference"
    case .escapes: "silence to a name with a dot in its first label, where the responder has a label in place of it"
    case .rate: "a record is multicast at most once a second"
    case .opcode: "silence to another opcode than 0"
    case .responseCode: "silence to another response code than 0"
    case .responseQuestion: "silence to a question in a response"
    case .learnt: "silence about a record that somebody else announced"
    case .duplicate: "silence where another host has just given the answer"
    case .lowTTL: "a record that another host gives less than half its TTL is announced again"
    }
  }

  /// Whether it needs a service; the others ask for the host.
  package var needsService: Bool {
    switch self {
    case .absence, .families, .legacy, .opcode, .responseCode, .responseQuestion, .learnt: false
    case .types, .browse, .service, .anyType, .questions, .unicastWish, .direct, .legacyService, .known, .knownOld,
      .truncated, .letterCase, .escapes, .rate, .duplicate, .lowTTL:
      true
    }
  }

  /// Datagrams that it sends at most, signs of life included.
  package var packetsMaximum: Int {
    switch self {
    case .browse, .service: 12
    case .known, .escapes, .opcode, .responseCode, .responseQuestion: 5
    case .rate, .unicastWish, .direct: 6
    case .learnt: 7
    case .duplicate: 9
    default: 3
    }
  }

  /// All clauses that asking can rule on.
  package static var allClauses: [ClauseID] {
    var found: [ClauseID] = []
    for probe in allCases { for clause in probe.clauses where !found.contains(clause) { found.append(clause) } }
    return found
  }
}
