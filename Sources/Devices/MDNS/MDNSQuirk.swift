/// A way in which a responder departs from RFC 6762 or RFC 6763, as real ones do.
package enum MDNSQuirk: String, Hashable, Sendable, CaseIterable {
  // Names
  /// A name is used without a probe, also one that is added, chosen anew or deferred (MD-29). One that is owned and
  /// that another host has, too, is probed for (MD-39).
  case noProbing
  /// Probes ask for type A (MD-29).
  case probesForA
  /// Probes are 100 ms apart (MD-29).
  case probesFast
  /// Each probe is sent twice, 50 ms apart (MD-29).
  case doubledProbes
  /// The cache-flush bit is set in what a probe proposes (MD-30).
  case flushBitInProbes
  /// Another host's probe is not looked at (MD-33, MD-35).
  case noTieBreak
  /// Who loses a tie probes again after 200 ms (MD-33, MD-35).
  case shortDeferral
  /// The earlier data wins (MD-33, MD-35).
  case earlierWins
  /// An answer to a probe is not looked at (MD-31).
  case ignoresDenials
  /// After many conflicts the next attempt comes at once (MD-32).
  case noConflictPause
  /// A conflict over a name that is owned is not looked at (MD-39).
  case ignoresConflicts
  /// A name that another host has as well is changed without a probe for the old one (MD-39).
  case renamesAtOnce

  // Announcements
  /// One announcement (MD-36).
  case announcesOnce
  /// Announcements are 300 ms apart (MD-16, MD-36).
  case announcesFast
  /// Announcements go on every 2 s (MD-36).
  case announcesAlways
  /// Changed data is announced once (MD-38).
  case changesOnce

  // Records
  /// Records of its own have no cache-flush bit (MD-37).
  case noFlushBit
  /// Shared records have the cache-flush bit (MD-37).
  case flushBitInShared
  /// Addresses and SRV live 75 minutes (MD-41).
  case wrongTTL
  /// A record stands twice in a message (MD-16).
  case duplicateRecords
  /// Nothing is added to answers (MD-18, MD-64).
  case noAdditions
  /// There is no TXT record (MD-56).
  case noText
  /// The TXT record has no byte (MD-57).
  case emptyText
  /// NSEC lists itself (MD-17).
  case absenceOfNothing
  /// The name of the host has a byte that is no UTF-8 (MD-49).
  case badHostName
  /// The name of the host has a control character (MD-49).
  case controlInHostName
  /// An address of no interface is among its own (MD-47).
  case foreignAddress

  // Answers
  /// Every answer comes 200 ms too late (MD-13).
  case answersLate
  /// Shared answers are not delayed (MD-14).
  case answersAtOnce
  /// Shared answers are delayed by 70 ms, always (MD-14).
  case sameDelay
  /// Shared answers are delayed by 20 to 40 ms (MD-14).
  case shortDelays
  /// Known answers are not looked at (MD-24).
  case ignoresKnownAnswers
  /// A query with TC is answered like another one (MD-15).
  case ignoresTruncation
  /// What another host answered is answered again (MD-28).
  case repeatsOthers
  /// One record a message (MD-20).
  case noAggregation
  /// Each answer is sent twice, 300 ms apart (MD-16).
  case answersTwice
  /// Questions are answered by unicast, asked for or not (MD-09).
  case unicastAlways
  /// Nothing is answered.
  case answersNothing
  /// A lower TTL of another host is not looked at (MD-22).
  case ignoresLowTTL

  // Messages
  /// A reply to a plain DNS client has the cache-flush bit (MD-23).
  case flushBitInLegacy
  /// A reply to a plain DNS client has no question (MD-23).
  case noQuestionInLegacy
  /// SRV is compressed in a reply to a plain DNS client (MD-53).
  case compressedLegacy
  /// Plain DNS clients are not answered.
  case noLegacy
  /// Responses have the question (MD-12).
  case questionsInResponses
  /// AA is clear (MD-51).
  case noAuthority
  /// TTL and hop limit are 1 (MD-02).
  case lowHopLimit
  /// Responses leave from port 5354 (MD-01).
  case otherPort
}
