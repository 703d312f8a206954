// The catalogue of multicast DNS (RFC 6762) and of services on it (RFC 6763).

extension Catalogue {
  package static let multicastDNS = Catalogue(
    name: "MDNS", editions: [.rfc6762], clauses: Clause.multicastRows + Clause.serviceRows + Clause.multicastHardening,
    checked: MulticastJudge.clauses)
}

extension Edition {
  /// RFC 6762, and RFC 6763 with it: neither has had another edition.
  package static let rfc6762 = Edition(onlyOneOf: .multicastDNS)
}

extension Clause {
  /// The level is that of the word in the standard's text. A rule that the text states without such a word counts as one
  /// that should be kept; a clause with several rules has the level of what is looked for.
  private static func row(
    _ number: ClauseID, _ id: String, binds: Party, _ level: Level, isProhibition: Bool = false,
    evidence: Evidence = .rfc6762, seen means: Means = .passive, _ severity: Severity, _ gist: String,
    unchecked: Unchecked? = nil
  ) -> Clause {
    row(
      number, id, binds: binds, level, isProhibition: isProhibition, since: .rfc6762,
      seen: [unchecked == nil ? means : .probe], severity, evidence: [evidence], gist, unchecked: unchecked)
  }

  static let multicastRows: [Clause] = [
    row(
      .multicastAddress, "MD-01", binds: .either, .must, .breaks,
      "Multicast goes to 224.0.0.251 or FF02::FB, port 5353, and responses leave from port 5353"),
    row(
      .multicastHopLimit, "MD-02", binds: .device, .should, .risks, "Responses are sent with a TTL or hop limit of 255"),
    row(
      .offLinkIgnored, "MD-03", binds: .device, .should, seen: .simulation, .risks,
      "A unicast query from beyond the link is not answered, and a response from there is dropped"),
    row(
      .firstQueryDelay, "MD-04", binds: .controlPoint, .should, seen: .simulation, .risks,
      "The first query of a browse waits 20 to 120 ms"),
    row(
      .queryIntervals, "MD-05", binds: .controlPoint, .must, .risks,
      "Queries repeat after 1 s or more, each gap at least twice the one before, up to an hour"),
    row(
      .refreshQueries, "MD-06", binds: .controlPoint, .should, seen: .simulation, .harms,
      "A record that is of interest is asked for again at 80, 85, 90 and 95 % of its TTL"),
    row(
      .uniqueAnswerEnds, "MD-07", binds: .controlPoint, .should, seen: .simulation, .lint,
      "An answer that is unique ends a series of queries"),
    row(
      .unicastWish, "MD-08", binds: .controlPoint, .should, isProhibition: true, .lint,
      "QU stands only in the first queries after a start"),
    row(
      .unicastAnswer, "MD-09", binds: .device, .should, .lint,
      "A QU question is answered by unicast, unless multicast is due, and no other question is"),
    row(
      .directQuery, "MD-10", binds: .device, .should, .risks,
      "A query that came by unicast is answered as a QU question"),
    row(
      .noLearntRecords, "MD-11", binds: .device, .must, isProhibition: true, .harms,
      "Records from a cache stand in no response",
      unchecked: .needsProbe("where a host has a record from is in no message, and several hosts may own the same")),
    row(
      .noQuestions, "MD-12", binds: .device, .must, isProhibition: true, .lint, "A multicast response has no question"),
    row(.promptAnswer, "MD-13", binds: .device, .should, .lint, "Unique answers to one question are sent within 10 ms"),
    row(
      .sharedDelay, "MD-14", binds: .device, .should, .risks,
      "Shared answers wait 20 to 120 ms, each time alike within that range"),
    row(.truncatedWait, "MD-15", binds: .device, .should, .lint, "A query with TC is answered after 400 to 500 ms"),
    row(
      .oncePerSecond, "MD-16", binds: .device, .must, isProhibition: true, .risks,
      "A record is multicast at most once a second, unless a probe asks"),
    row(
      .negativeAnswers, "MD-17", binds: .device, .must, .lint,
      "What is not there is denied with NSEC for names of one's own, in its restricted form"),
    row(
      .otherFamily, "MD-18", binds: .device, .should, .lint,
      "An answer with addresses of one family adds those of the other, or NSEC"),
    row(
      .allQuestions, "MD-19", binds: .device, .must, .harms, "Every question of a query is answered",
      unchecked: .needsProbe("a question without an answer may not have come to the responder")),
    row(.aggregation, "MD-20", binds: .device, .should, .lint, "Responses are put together within 500 ms"),
    row(
      .anyQuestion, "MD-21", binds: .device, .must, .harms,
      "A question of type ANY is answered with all records of the name",
      unchecked: .needsProbe("which records a host has beside those that it says is in no message")),
    row(
      .lowTTLOfOthers, "MD-22", binds: .device, .must, .harms,
      "A record of ours that another host announces with less than half its TTL is announced again"),
    row(
      .legacyReply, "MD-23", binds: .device, .must, .harms,
      "A reply to another port than 5353 repeats the question and has no cache-flush bit"),
    row(
      .knownAnswers, "MD-24", binds: .device, .must, isProhibition: true, .risks,
      "What a known answer says with at least half its TTL is not sent"),
    row(
      .knownAnswerAge, "MD-25", binds: .controlPoint, .should, isProhibition: true, .risks,
      "Known answers have at least half their TTL left"),
    row(
      .knownAnswerParts, "MD-26", binds: .controlPoint, .must, .risks,
      "Known answers that do not fit go on in packets without a question, behind one with TC"),
    row(
      .duplicateQuestion, "MD-27", binds: .controlPoint, .should, seen: .simulation, .lint,
      "A question that another host just asked counts as asked"),
    row(
      .duplicateAnswer, "MD-28", binds: .device, .should, .lint, "An answer that another host just gave counts as given"
    ),
    row(
      .probes, "MD-29", binds: .device, .should, .risks,
      "Probes ask for type ANY and are 250 ms apart, before a name is announced"),
    row(.probeFlush, "MD-30", binds: .device, .should, .risks, "The cache-flush bit is clear in what a probe proposes"),
    row(
      .probeConflict, "MD-31", binds: .device, .must, .harms,
      "Any answer for a probed name is a conflict, and the name is left to who answers"),
    row(
      .probeRate, "MD-32", binds: .device, .must, .risks, "After 15 conflicts in 10 s there are 5 s between attempts"),
    row(
      .tieBreak, "MD-33", binds: .device, .should, .harms,
      "Of two hosts that probe at once the one with the later data wins, the other waits 1 s"),
    row(
      .equalData, "MD-34", binds: .device, .should, .harms, "Equal data is no conflict"),
    row(.tieBreakLists, "MD-35", binds: .device, .should, .harms, "Several records are compared pair by pair in order"),
    row(
      .announcements, "MD-36", binds: .device, .must, .harms,
      "Probed records are announced at least twice, a second apart"),
    row(
      .flushBits, "MD-37", binds: .either, .must, .harms,
      "The cache-flush bit is set in records that are one host's alone, clear in shared ones and in known answers"),
    row(.changedData, "MD-38", binds: .device, .must, .harms, "Changed data is announced again"),
    row(.laterConflict, "MD-39", binds: .device, .must, .harms, "A conflict after announcing leads back to probing"),
    row(
      .ownPackets, "MD-40", binds: .device, .hardening, evidence: .memory, seen: .simulation, .harms,
      "Packets of one's own are no conflict"),
    row(
      .recommendedTTL, "MD-41", binds: .device, .should, .risks, "TTLs are 120 s with the name of a host, else 4500 s"),
    row(
      .goodbye, "MD-42", binds: .either, .should, .harms, "A record with TTL 0 ends after a second"),
    row(
      .flushOlder, "MD-43", binds: .either, .should, .harms,
      "The cache-flush bit ends records that are older than a second"),
    row(
      .linkChange, "MD-44", binds: .device, .must, seen: .simulation, .harms, "A new link is probed and announced on"),
    row(
      .reconfirm, "MD-45", binds: .controlPoint, .must, .harms,
      "Records that fail are asked for twice, and flushed after 10 s",
      unchecked: .untestable("Which records an application complains of is in no message.")),
    row(
      .passiveFailures, "MD-46", binds: .controlPoint, .should, seen: .simulation, .lint,
      "Unanswered queries of others are noticed"),
    row(
      .perInterface, "MD-47", binds: .either, .must, seen: .simulation, .harms,
      "Each interface has a state of its own: an address is said where it is good"),
    row(
      .sharedPort, "MD-48", binds: .either, .should, .risks, "Several responders share the port",
      unchecked: .untestable("Which sockets a host has is in no message.")),
    row(
      .nameBytes, "MD-49", binds: .either, .must, .harms, "Names are UTF-8, compared without the case of ASCII letters"),
    row(
      .packetSize, "MD-50", binds: .either, .must, isProhibition: true, .breaks,
      "A packet has at most 9000 bytes with its headers"),
    row(
      .headerBits, "MD-51", binds: .either, .must, .risks,
      "Id, opcode, rcode and reserved bits are 0; AA is set in responses only"),
    row(
      .topBit, "MD-52", binds: .either, .should, .harms,
      "The top bit of a class is QU in questions and cache-flush in records",
      unchecked: .needsProbe(
        "a receiver that does not know the bits is silent to a QU question; MD-30 and MD-37 judge who sets them")),
    row(
      .compression, "MD-53", binds: .either, .must, .risks,
      "Names are compressed in data as well, and never in SRV of legacy replies"),
  ]

  static let serviceRows: [Clause] = [
    row(
      .instanceNames, "MD-54", binds: .device, .must, isProhibition: true, evidence: .rfc6763, .harms,
      "An instance is a label of UTF-8 without control characters, in front of its type"),
    row(
      .escapes, "MD-55", binds: .either, .must, evidence: .rfc6763, .lint, "Dots are escaped in text only",
      unchecked: .needsProbe("no message has the text of a name; whether names are compared by it shows an answer")),
    row(.serviceRecords, "MD-56", binds: .device, .must, evidence: .rfc6763, .harms, "Every instance has SRV and TXT"),
    row(
      .emptyText, "MD-57", binds: .device, .must, isProhibition: true, evidence: .rfc6763, .risks,
      "A TXT record has at least one byte"),
    row(.textSize, "MD-58", binds: .device, .should, evidence: .rfc6763, .risks, "A TXT record has at most 1300 bytes"),
    row(
      .textKeys, "MD-59", binds: .device, .must, evidence: .rfc6763, .risks,
      "A key has at least one character, printable ASCII other than ="),
    row(
      .textValues, "MD-60", binds: .either, .should, evidence: .rfc6763, .lint,
      "No value, an empty one and one are three things",
      unchecked: .untestable("What a reader makes of a value is in no message.")),
    row(
      .typeNames, "MD-61", binds: .device, .must, evidence: .rfc6763, .harms,
      "A service's name has 1 to 15 letters, digits and hyphens after its underscore"),
    row(
      .subtypes, "MD-62", binds: .device, .should, evidence: .rfc6763, .harms,
      "_sub names a part of the instances, by their plain names"),
    row(
      .enumeration, "MD-63", binds: .device, .should, evidence: .rfc6763, .lint,
      "_services._dns-sd._udp lists the types",
      unchecked: .needsProbe("which types a host has beside those that it says is in no message")),
    row(
      .additionalRecords, "MD-64", binds: .device, .should, evidence: .rfc6763, .lint,
      "Answers carry the records that come next"),
  ]

  /// Rules of our own: no sentence of the two standards asks for them.
  static let multicastHardening: [Clause] = [
    row(
      .recordTwice, "H-MD-TWICE", binds: .device, .hardening, evidence: .ours, .lint,
      "A record stands once in a message")
  ]

  /// What a section is about, in our words.
  static func multicastSubject(_ number: ClauseID) -> String {
    switch number {
    case .multicastHopLimit, .offLinkIgnored: "what is of this link"
    case .multicastAddress, .firstQueryDelay, .queryIntervals, .refreshQueries, .uniqueAnswerEnds: "queries that go on"
    case .unicastWish, .unicastAnswer, .directQuery: "answers by unicast"
    case .knownAnswers, .knownAnswerAge, .knownAnswerParts, .truncatedWait: "known answers"
    case .duplicateQuestion, .duplicateAnswer: "what others have said already"
    case .probes, .probeConflict, .probeRate, .tieBreak, .equalData, .tieBreakLists: "probing for a name"
    case .announcements, .changedData, .linkChange: "announcing"
    case .laterConflict, .ownPackets: "conflicts"
    case .probeFlush, .flushBits, .flushOlder, .goodbye, .recommendedTTL, .reconfirm, .passiveFailures:
      "how long records are kept"
    case .perInterface, .sharedPort: "several interfaces and responders"
    case .nameBytes, .packetSize, .headerBits, .topBit, .compression: "the form of messages"
    case .instanceNames, .escapes: "names of services"
    case .serviceRecords, .emptyText, .textSize, .textKeys, .textValues: "SRV and TXT"
    case .typeNames, .subtypes, .enumeration: "types of services"
    case .additionalRecords: "records that come next"
    default: "responses"
    }
  }

  /// The section of its document; `nil`: the clause is of another protocol.
  static func multicastSection(_ number: ClauseID) -> String? {
    switch number {
    case .multicastAddress, .firstQueryDelay, .queryIntervals, .refreshQueries, .uniqueAnswerEnds: "5.2"
    case .multicastHopLimit, .offLinkIgnored: "11"
    case .unicastWish, .unicastAnswer: "5.4"
    case .directQuery: "5.5"
    case .noLearntRecords, .noQuestions, .promptAnswer, .sharedDelay, .oncePerSecond: "6"
    case .truncatedWait, .knownAnswerParts: "7.2"
    case .negativeAnswers, .emptyText: "6.1"
    case .otherFamily, .textSize: "6.2"
    case .allQuestions: "6.3"
    case .aggregation, .textKeys, .textValues: "6.4"
    case .anyQuestion: "6.5"
    case .lowTTLOfOthers: "6.6"
    case .legacyReply: "6.7"
    case .knownAnswers, .knownAnswerAge, .subtypes: "7.1"
    case .duplicateQuestion: "7.3"
    case .duplicateAnswer: "7.4"
    case .probes, .probeConflict, .probeRate: "8.1"
    case .probeFlush, .flushBits, .flushOlder: "10.2"
    case .tieBreak, .equalData: "8.2"
    case .tieBreakLists: "8.2.1"
    case .announcements: "8.3"
    case .changedData: "8.4"
    case .laterConflict, .ownPackets, .enumeration: "9"
    case .recommendedTTL: "10"
    case .goodbye: "10.1"
    case .linkChange: "8"
    case .reconfirm: "10.4"
    case .passiveFailures: "10.5"
    case .perInterface: "14"
    case .sharedPort: "15"
    case .nameBytes: "16"
    case .packetSize: "17"
    case .headerBits: "18"
    case .topBit: "18.12"
    case .compression: "18.14"
    case .instanceNames: "4.1.1"
    case .escapes: "4.3"
    case .serviceRecords: "6"
    case .typeNames: "7"
    case .additionalRecords: "12"
    default: nil
    }
  }
}
