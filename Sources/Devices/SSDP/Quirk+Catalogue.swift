import RollcallPrimitives

extension Quirk {
  /// Every quirk with its place, where it was seen, and what it is.
  package static let catalogue: [QuirkEntry] =
    lines + fields + locations + descriptions + sets + timings + behaviours + serving

  private static func row(
    _ example: Quirk, _ place: Place, _ references: String, _ explanation: String,
    _ argument: QuirkEntry.Argument = .none
  ) -> QuirkEntry {
    QuirkEntry(
      name: example.name, argument: argument, place: place,
      references: references.split(separator: " ").map(String.init), explanation: explanation, example: example)
  }

  private static let lines: [QuirkEntry] = [
    row(.noBlankLine, .message, "D01 UDA-1.1-BLANKLINE", "no blank line at the end of a message"),
    row(.lfOnly, .message, "D02 UDA-1.1-GENERIC", "lines end with LF alone"),
    row(.nulAfterBlankLine, .message, "D03", "a NUL byte follows the blank line"),
    row(.lfInServer, .message, "D06", "a line feed in the middle of SERVER"),
    row(.lineWithoutColon, .message, "D07", "a line without a colon among the fields"),
    row(.lookalikeFields, .message, "D08", "fields whose names begin like LOCATION and USN stand before them"),
    row(.truncated(40), .message, "D09", "every message is cut after so many bytes", .count),
    row(.contentLength, .message, "D10 UDA-1.1-NOBODY", "Content-Length: 0 in every message"),
    row(.body, .message, "D10 UDA-1.1-NOBODY", "a body of a few bytes, announced by Content-Length"),
    row(.http10, .message, "D11 UDA-1.1.1-STARTLINE", "the start line says HTTP/1.0"),
    row(.lowerCaseMethod, .message, "D11 UDA-1.1.1-STARTLINE", "notify in small letters"),
    row(.foldedField, .message, "D12 UDA-1.1.2-FOLD", "SERVER goes on in a second line that starts with a blank"),
    row(.duplicateServer, .message, "D13 H-DUP-FIELD", "SERVER twice, with different values"),
    row(.ntsInResponse, .message, "D13", "NTS in answers to searches"),
    row(.nonUTF8, .message, "D14 H-BYTES-8BIT", "bytes in SERVER that are not UTF-8"),
    row(.manInNotify, .message, "D14 H-A-STRAY", "MAN inside NOTIFY"),
    row(.emptyFields, .message, "D15", "all fields are there, and all are empty"),
    row(.titleCaseNames, .message, "D16", "field names as Cache-Control and Location (legal)"),
    row(.noSpaceAfterColon, .message, "D17 UDA-1.1.2-OWS", "no blank after the colon (legal)"),
    row(.trailingBlanks, .message, "D18 UDA-1.1.2-OWS", "blanks at the end of every line (legal)"),
  ]

  private static let fields: [QuirkEntry] = [
    row(.maxAgeColon, .message, "D19 UDA-1.2.2-A-CC", "CACHE-CONTROL: max-age=:1800"),
    row(.maxAgeSpaces, .message, "D06 D19", "CACHE-CONTROL: max-age = 1800"),
    row(.maxAgeQuoted, .message, "D19", "CACHE-CONTROL: max-age=\"1800\""),
    row(.maxAgeExtraDirectives, .message, "D19 UDA-1.2.2-A-CC-ONLY", "other directives around max-age"),
    row(.maxAgeLeadingZero, .message, "H-CP-MAXAGE", "max-age with a leading zero, octal to some readers"),
    row(.maxAgeNegative, .message, "D21 H-CP-MAXAGE", "CACHE-CONTROL: max-age=-1"),
    row(.maxAgeTwentyDigits, .message, "D21 H-CP-MAXAGE", "max-age of twenty digits"),
    row(.noCacheControl, .message, "D22 UDA-1.2.2-A-CC", "no CACHE-CONTROL"),
    row(.noServer, .message, "D22 D36 UDA-1.2.2-A-SERVER", "no SERVER"),
    row(.malformedServer, .message, "UDA-1.2.2-A-SERVER", "SERVER with commas and without versions"),
    row(.noHost, .message, "UDA-1.2.2-A-HOST", "NOTIFY without HOST"),
    row(.hostWithoutPort, .message, "UDA-1.2.2-A-HOST-NOPORT", "HOST without its port (to be read as 1900)"),
    row(.noNTS, .message, "UDA-1.2.2-A-NT/NTS/USN", "NOTIFY without NTS"),
    row(.unknownNTS, .message, "UDA-1.2.2-A-NT/NTS/USN", "NTS that UDA does not know"),
    row(.bareUUIDAsUSN, .message, "D23 UDA-1.2.2-USN-T1", "USN is the bare UUID in messages about types"),
    row(.upperCaseUUIDScheme, .message, "D28", "UUID: in capitals"),
    row(.usnWithoutUUID, .message, "D29 UDA-1.2.2-USN-T1", "USN names no UUID"),
    row(.noUSN, .message, "D30 UDA-1.2.2-A-NT/NTS/USN", "no USN"),
    row(.wrongSTEchoed, .message, "D31 UDA-1.3.3-ST-NOMATCH", "every answer has ST upnp:rootdevice"),
    row(.stAndNtTogether, .message, "D35", "ST and NT in every message"),
    row(.noExt, .message, "D36 UDA-1.3.3-FIELDS", "answers without EXT"),
    row(.noDate, .message, "D36", "answers without DATE (legal)"),
    row(.badDate, .message, "D39 UDA-1.3.3-DATE", "DATE in answers is no RFC 1123 date"),
    row(.dateInNotify, .message, "D37 H-A-STRAY", "DATE and EXT inside NOTIFY"),
    row(.hostInResponse, .message, "D37", "HOST in answers"),
    row(.locationInByebye, .message, "D38 UDA-1.2.3-BB-TEMPLATE", "CACHE-CONTROL, LOCATION and SERVER in byebye"),
    row(
      .bootIDMissingOnServices, .message, "D42 UDA-1.2.2-BOOT-ALLMSG",
      "BOOTID and CONFIGID on device messages, none on service messages"),
    row(
      .claims11WithoutBootID, .message, "D43 UDA-1.2.2-A-BOOTID", "no BOOTID and no CONFIGID, whatever UDA it claims"),
    row(.bootIDLeadingZeros, .message, "UDA-1.2.2-BOOT-INT31", "BOOTID with leading zeros"),
    row(.bootIDNegative, .message, "UDA-1.2.2-BOOT-INT31", "BOOTID with a minus sign"),
    row(.servesStaleBootID, .message, "UDA-1.3.3-BOOT", "answers carry the BOOTID before the announced one"),
    row(.vendorFields, .message, "UDA-1.1.3-VENDORNAME", "vendor fields without the vendor's domain"),
  ]

  private static let locations: [QuirkEntry] = [
    row(.locationEmpty, .message, "D44 UDA-1.2.2-A-LOC", "LOCATION is empty"),
    row(.locationRelative, .message, "D44 UDA-1.2.2-A-LOC", "LOCATION is a path"),
    row(.locationEmptyPath, .message, "D44", "LOCATION ends behind its port and a slash (legal)"),
    row(.locationEmptyHost, .message, "D45 UDA-1.2.2-A-LOC", "LOCATION without a host"),
    row(.locationNullHost, .message, "D45 UDA-1.2.2-A-LOC", "LOCATION with (null) for a host"),
    row(.locationBadPort, .message, "D45 UDA-1.2.2-A-LOC", "LOCATION with port 99999"),
    row(.locationZeroPort, .message, "D45 UDA-1.2.2-A-LOC", "LOCATION with port 0"),
    row(.locationBlank, .message, "D45 UDA-1.2.2-A-LOC", "LOCATION with a blank in its host"),
    row(.locationLoopback, .message, "D46 UDA-1-MH-LOC-REACH", "LOCATION on 127.0.0.1"),
    row(.locationLinkLocal, .message, "D46 UDA-1-MH-LOC-REACH", "LOCATION on a link-local address"),
    row(.locationOtherSubnet, .message, "D28 D46 UDA-1-MH-LOC-REACH", "LOCATION on another subnet"),
    row(.locationPublic, .message, "D46 D79 UDA-1-MH-LOC-REACH", "LOCATION on a public address"),
    row(.locationBareIP, .message, "D29 UDA-1.2.2-A-LOC", "LOCATION is an address and nothing more"),
    row(.locationStar, .message, "D47", "LOCATION is *, the URL stands in AL"),
    row(.noLocation, .message, "UDA-1.2.2-A-LOC", "no LOCATION"),
    row(.twoLocations, .message, "D50", "two LOCATIONs take turns, set by set and answer by answer"),
  ]

  private static let descriptions: [QuirkEntry] = [
    row(.maxAge(60), .description, "D20 D21 D39 UDA-1.2.2-A-CC-1800", "another max-age", .seconds),
    row(.locationHttps, .description, "D48", "LOCATION is an https URL"),
    row(.nonHexUUID, .description, "D27 UDA-1.1.4-UUID-FORM", "the UUID is a serial number"),
    row(.upperCaseUUID, .description, "H-UUID-CASE", "the UUID in capitals (legal)"),
    row(.ttl(64), .description, "D67 UDA-1-TTL-DEFAULT H-TTL-ESCAPE", "another TTL for multicast", .count),
    row(.oldSpecification, .description, "D43", "claims UDA 1.0, with the fields of UDA 1.0 (legal)"),
  ]

  private static let sets: [QuirkEntry] = [
    row(.foreignNT("hnap:NetworkCamera"), .set, "D24 UDA-1.2.2-NT-ENUM", "one more message with this NT", .text),
    row(.otherLocationUnderUSN, .set, "D25", "a foreign NT under the root's USN, with another LOCATION"),
    row(.dottedVendorDomain, .set, "D26 UDA-1.2.2-NT-DOTS", "dots in the domain of types"),
    row(.versionNotInteger, .set, "D26 UDA-1.2.2-NT-VER", "versions such as 1.0"),
    row(.typeLetterCase, .set, "D33", "types in small letters"),
    row(.opaqueTarget("roku:ecp"), .set, "D34", "one more target that is no type, searchable", .text),
    row(.incompleteSet, .set, "D40 UDA-1.2.2-ROOT3 UDA-1.2.2-EMB2", "no message with the bare UUID"),
    row(.rootOnly, .set, "UDA-1.2.2-ROOT3 UDA-1.2.2-SVC1", "announces upnp:rootdevice only"),
    row(.doubledUUIDMessage, .set, "D41", "the message with the bare UUID twice in each set"),
    row(.doubledMessages, .set, "UDA-1.2.2-REPEAT", "each message twice in a row, as the Hue bridge does"),
    row(.lowerVersionsToo, .set, "UDA-1.2.2-HIGHEST", "announces all lower versions as well"),
    row(
      .servicesUnderRoot, .set, "UDA-1.2.2-USN-OWNER UDA-1.2.2-SVC-PERDEV",
      "announces the services of embedded devices under the UUID of the root"),
  ]

  private static let timings: [QuirkEntry] = [
    row(.noJitter, .timing, "UDA-1.2.2-JITTER", "announces at once, without a random wait"),
    row(.dropsRepeats, .timing, "UDA-1.2.2-REPEAT", "sends each set once"),
    row(.manyRepeats(6), .timing, "UDA-1.2.2-REPEAT-MAX3", "sends each set so often", .count),
    row(.noRenewal, .timing, "UDA-1.2.2-RENEW", "never renews its announcements"),
    row(.renewsLate, .timing, "UDA-1.2.2-RENEW-HALF", "renews at 51 to 54 % of max-age, as the Hue bridge does"),
    row(.renewsAfterLease, .timing, "UDA-1.2.2-RENEW", "renews a little after max-age has run out"),
    row(.renewsOften(.seconds(5)), .timing, "D61", "renews so often, whatever max-age says", .duration),
    row(.answersImmediately, .timing, "UDA-1.3.3-DELAY", "answers at once, all answers in a burst"),
    row(
      .answersLate(.milliseconds(500)), .timing, "UDA-1.3.3-DELAY-MAX", "answers so long after MX has run out",
      .duration),
    row(.ignoresMXCap, .timing, "UDA-1.3.3-MX-CAP", "spreads its answers over the whole of MX, even over 120 s"),
    row(.slowUnicastAnswers, .timing, "UDA-1.3.3-UC-FAST", "answers unicast searches after 1.5 to 3 s"),
  ]

  private static let behaviours: [QuirkEntry] = [
    row(.neverByebye, .behaviour, "D53 UDA-1.2.3-BB-SEND", "leaves without byebye"),
    row(.byebyeBeforeFirstAlive, .behaviour, "D54", "says byebye before the first alive of each start"),
    row(.byebyeAliveByebye, .behaviour, "D55", "byebye, alive, byebye and alive again within 63 s of a start"),
    row(
      .abandonsOldAddress, .behaviour, "D56 UDA-1-IPCHANGE-REVOKE",
      "moves without revoking; byebye, then alive come from the new address"),
    row(
      .spuriousByebye(.minutes(5)), .behaviour, "D57 UDA-1.2.2-NO-PARTIAL",
      "says byebye every so often, and stays", .duration),
    row(.lateAliveAfterByebye, .behaviour, "D58", "one alive message follows its byebye set"),
    row(.portChangesOnReboot, .behaviour, "D59", "serves its description on another port after each start"),
    row(.uuidChangesOnReboot, .behaviour, "D71 UDA-1.1.4-UUID-STABLE", "has another UUID after each start"),
    row(.partialRenewal, .behaviour, "UDA-1.2.2-NO-PARTIAL", "renews the root message only"),
    row(
      .crossByebye, .behaviour, "UDA-1-MH-NO-CROSS-BYEBYE", "says byebye on all interfaces when one goes down"),
    row(.noUpdate, .behaviour, "UDA-1.2.4-UPD-WHEN", "sends no ssdp:update when an interface comes"),
    row(.updateAfterAlive, .behaviour, "UDA-1.2.4-UPD-BEFORE", "sends ssdp:update after the first alive"),
    row(.bootIDNotIncreased, .behaviour, "UDA-1.2.2-BOOT-GROW", "keeps its BOOTID over restarts"),
    row(.nextBootIDLies, .behaviour, "UDA-1.2.4-UPD-NEXT", "NEXTBOOTID is not the BOOTID that follows"),
    row(.v6LocationOnV4, .behaviour, "D69", "LOCATION names its IPv6 address in IPv4 messages too"),
    row(.v6LocationWithScope, .behaviour, "D69", "LOCATION carries a zone that means nothing elsewhere"),
    row(
      .unicastNotify(IPAddress(10, 0, 0, 1)), .behaviour, "D74 UDA-1.2-GROUP4",
      "sends each set to this address as well", .address),
    row(.reanswersOwnMulticast, .behaviour, "D68", "announces itself again for every NOTIFY that it hears"),
    row(.configIDKept, .behaviour, "UDA-1.2.2-CFG-CHANGE", "keeps its CONFIGID when its description changes"),
    row(.manyAnswers(204), .behaviour, "D62 UDA-1.3.3-ONCE", "answers each search so often", .count),
    row(.doubleAnswer, .behaviour, "D63 UDA-1.3.3-ONCE", "answers twice, at once and after its delay"),
    row(
      .answersOnlySome("upnp:rootdevice"), .behaviour, "D64 UDA-1.3.3-ST-ALL", "answers searches for this ST only",
      .text),
    row(
      .answersEverySearch, .behaviour, "D32 UDA-1.3.3-ST-NOMATCH", "answers every ST, and echoes it in its answer"),
    row(.answersMX0, .behaviour, "D64 UDA-1.3.3-MX-BAD", "answers searches with MX 0, at once"),
    row(.relaxedSearch, .behaviour, "D65 UDA-1.3.3-MX-MISSING", "answers multicast searches without MX"),
    row(.answersBadMAN, .behaviour, "D65 UDA-1.3.3-MAN-BAD", "answers searches whatever MAN says"),
    row(.silentOnUnicast, .behaviour, "UDA-1-LISTEN-UC", "does not answer unicast searches"),
    row(.silentOnMulticast, .behaviour, "UDA-1-LISTEN-MC", "does not answer multicast searches"),
    row(.answersHigherVersion, .behaviour, "UDA-1.3.3-ST-HIGHER", "answers searches for versions it does not have"),
    row(.echoesOwnVersion, .behaviour, "D73 UDA-1.3.3-ST-LOWER", "answers with its own version, not the asked one"),
    row(.substringMatch, .behaviour, "D34 UDA-1.3.3-ST-NOMATCH", "answers when its type begins with what was asked"),
    row(.errorAnswers, .behaviour, "UDA-1.3.3-NO-ERROR", "sends 404 for searches that it does not match"),
    row(.answersToPort1900, .behaviour, "UDA-1.3.3-UNICAST", "answers to port 1900, wherever the search came from"),
    row(.answersNotify, .behaviour, "UDA-1.2.2-NO-ANSWER", "answers every NOTIFY that it hears"),
    row(.blocksWhileAnswering, .behaviour, "UDA-1.3.3-NONBLOCK", "hears no search while an answer waits"),
  ]

  private static let serving: [QuirkEntry] = [
    row(.descriptionNotFound, .serving, "D49", "answers 404 where LOCATION leads"),
    row(.descriptionFails, .serving, "D49", "answers 500 where LOCATION leads"),
    row(.descriptionRedirects, .serving, "D80", "redirects to another path, where the description is (legal)"),
    row(.descriptionRedirectLoop, .serving, "D80", "redirects to itself"),
    row(
      .descriptionOnOtherHost(IPAddress(203, 0, 113, 9)), .serving, "D80 H-CP-SSRF", "redirects to another host",
      .address),
    row(.descriptionSlow(.seconds(5)), .serving, "D80", "lets so much time pass before it answers", .duration),
    row(.descriptionEndless, .serving, "D80", "sends a body that never ends"),
    row(.descriptionTruncated, .serving, "D80", "closes the connection in the middle of the body"),
    row(.descriptionWrongLength, .serving, "D80", "says half the length of the body"),
    row(.descriptionChunked, .serving, "D80", "sends the body in chunks (legal)"),
    row(.descriptionWrongType, .serving, "D49", "sends a page for people instead of the description"),
    row(.descriptionClosed, .serving, "D80", "closes the connection without a word"),
    row(.descriptionSecondTime, .serving, "D49", "answers 503 to the first request after a start"),
    row(.descriptionKeepsConfigID, .serving, "UDA-1.2.2-CFG-CHANGE", "keeps the configId of its document"),
    row(.descriptionOtherUDN, .serving, "UDA-1.2.2-USN-UDN", "its document has other UDNs than its messages"),
    row(.descriptionOtherType, .serving, "D52", "its document has another type of the root than its messages"),
  ]
}
