/// The clauses of answers to searches.
extension Clause {
  static let responseRows: [Clause] = [
    row(
      .answerUnicast, "UDA-1.3.3-UNICAST", binds: .device, .must, seen: [.passive], .breaks, evidence: [.uda11],
      "an answer goes to the socket that searched, out of the interface that heard it"),
    row(
      .answerDelay, "UDA-1.3.3-DELAY", binds: .device, .should, seen: [.probe, .simulation], .risks, evidence: [.uda11],
      "answers wait a random time within MX, at most 5 seconds, spread over it"),
    row(
      .answerDelayMaximum, "UDA-1.3.3-DELAY-MAX", binds: .device, .should, seen: [.passive, .probe], .harms,
      evidence: [.uda11], "no answer comes after MX has run out"),
    row(
      .answerMXCap, "UDA-1.3.3-MX-CAP", binds: .device, .should, since: .uda11, seen: [.probe], .risks,
      evidence: [.uda11], "MX above 5 is handled as 5 or less"),
    row(
      .answerNoMX, "UDA-1.3.3-MX-MISSING", binds: .device, .must, since: .uda11, seen: [.probe], .risks,
      evidence: [.uda11], "a multicast search without MX is not answered"),
    row(
      .answerBadMX, "UDA-1.3.3-MX-BAD", binds: .device, .must, since: .uda11, seen: [.probe], .risks,
      evidence: [.uda11, .memory], "a multicast search whose MX is no integer is not answered"),
    row(
      .answerBadMAN, "UDA-1.3.3-MAN-BAD", binds: .device, .must, since: .uda11, seen: [.probe], .risks,
      evidence: [.uda11], "a search whose MAN is absent or another is not answered"),
    row(
      .answerNoError, "UDA-1.3.3-NO-ERROR", binds: .device, .must, isProhibition: true, seen: [.probe], .risks,
      evidence: [.uda20], "a search is never answered with an error"),
    row(
      .answerNonblocking, "UDA-1.3.3-NONBLOCK", binds: .device, .must, seen: [.probe], .harms, evidence: [.uda11],
      "while one answer waits, other searches are heard",
      unchecked: .needsProbe(
        "takes searches of our own that overlap; a search without an answer in a capture may have been lost")),
    row(
      .unicastAnswerFast, "UDA-1.3.3-UC-FAST", binds: .device, .should, since: .uda11, seen: [.probe], .risks,
      evidence: [.uda11], "a unicast search is answered within a second"),
    row(
      .answerAll, "UDA-1.3.3-ST-ALL", binds: .device, .must, seen: [.probe, .description], .harms, evidence: [.uda11],
      "ssdp:all is answered once for each message of the set",
      unchecked: .needsProbe("takes a search of our own and the description; answers in a capture may be lost")),
    row(
      .answerRoot, "UDA-1.3.3-ST-ROOT", binds: .device, .must, seen: [.probe], .harms, evidence: [.uda11],
      "upnp:rootdevice is answered once for each root device",
      unchecked: .needsProbe("takes a search of our own; answers in a capture may be lost")),
    row(
      .answerUUID, "UDA-1.3.3-ST-UUID", binds: .device, .must, seen: [.probe], .harms, evidence: [.uda11],
      "a uuid is answered once, by the device that has it",
      unchecked: .needsProbe("takes a search of our own; answers in a capture may be lost")),
    row(
      .answerDevice, "UDA-1.3.3-ST-DEV", binds: .device, .must, seen: [.probe, .description], .harms,
      evidence: [.uda11], "a device type is answered once for each device of that type",
      unchecked: .needsProbe("takes a search of our own and the description; answers in a capture may be lost")),
    row(
      .answerService, "UDA-1.3.3-ST-SVC", binds: .device, .must, seen: [.probe, .description], .harms,
      evidence: [.uda11], "a service type is answered once for each device that has it",
      unchecked: .needsProbe("takes a search of our own and the description; answers in a capture may be lost")),
    row(
      .answerLower, "UDA-1.3.3-ST-LOWER", binds: .device, .must, since: .uda11, seen: [.probe], .harms,
      evidence: [.uda11, .uda10], "a search for a lower version is answered, with ST as it was asked"),
    row(
      .answerHigher, "UDA-1.3.3-ST-HIGHER", binds: .device, .must, isProhibition: true, seen: [.probe], .risks,
      evidence: [.uda11], "a search for a version that is not supported is not answered"),
    row(
      .answerMatch, "UDA-1.3.3-ST-NOMATCH", binds: .device, .must, isProhibition: true, seen: [.passive, .probe],
      .harms, evidence: [.uda11], "what does not match is not answered, and ST of an answer is the one that was asked"),
    row(
      .answerOnce, "UDA-1.3.3-ONCE", binds: .device, .should, seen: [.passive, .probe], .lint, evidence: [.uda11],
      "one answer for each match and copy of the search, none twice"),
    row(
      .answerFields, "UDA-1.3.3-FIELDS", binds: .device, .must, seen: [.passive], .harms, evidence: [.uda11, .uda10],
      "an answer has CACHE-CONTROL, an empty EXT, LOCATION, SERVER, ST, USN"),
    row(
      .answerBootID, "UDA-1.3.3-BOOT", binds: .device, .must, since: .uda11, seen: [.passive], .risks,
      evidence: [.uda20], "an answer has the BOOTID of the announcements"),
    row(
      .answerDate, "UDA-1.3.3-DATE", binds: .device, .should, seen: [.passive], .lint, evidence: [.uda10],
      "DATE, where there is one, has the form of RFC 1123"),
    row(
      .answerTCP, "UDA-1.3.3-TCP", binds: .device, .must, since: .uda20, seen: [.probe], .lint, evidence: [.uda20],
      "a search with TCPPORT may be answered over TCP to that port",
      unchecked: .needsProbe("takes a search of our own with a listening TCP port")),
  ]
}
