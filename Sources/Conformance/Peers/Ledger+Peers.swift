/// What holds the contract of MultipeerConnectivity: what an application may rely on (MP-…), and what real devices do
/// wrong (MX-…), which phones of a world do on demand. The contract's text is not quoted.
extension LedgerRow {
  package static let nearby: [LedgerRow] = peers + sessions + pathologies

  private static let peers: [LedgerRow] = [
    LedgerRow(
      "MP-01", "A display name has 1 to 63 bytes of UTF-8",
      .met(test: "a name has 1 to 63 bytes of UTF-8")),
    LedgerRow(
      "MP-02", "A display name never changes; that of others is what they said",
      .met(test: "a peer is known by its identity, whatever name a device says")),
    LedgerRow(
      "MP-03", "Two peers of one name are different; a copy or an archive is the same",
      .met(test: "two peers of one name are different, and a copy is the same")),
    LedgerRow(
      "MP-04", "A peer that was made here is never the one that was found, whatever its name",
      .met(test: "a peer of the same name that was made here is not the one that was found (MP-04)")),
    LedgerRow(
      "MP-05", "A secure archive keeps identity and name",
      .met(test: "an archive of another process is the same peer here")),
    LedgerRow(
      "MP-06", "A service type has 1 to 15 lowercase letters, digits and single hyphens",
      .met(test: "a service type has 1 to 15 lowercase letters, digits and single hyphens inside")),
    LedgerRow(
      "MP-07", "A pair of discovery information has at most 255 bytes and arrives equal",
      .met(test: "a pair of discovery information has at most 255 bytes, and no equals sign in its key")),
    LedgerRow(
      "MP-08", "What an object was made with does not change",
      .met(test: "an advertiser says what it was made with, and cannot be changed")),
    LedgerRow(
      "MP-09", "Starting publishes, stopping withdraws, and browsers see that",
      .met(test: "peers of one service type are found and lost, between start and stop (MP-09, MP-16, MP-17)")),
    LedgerRow(
      "MP-10", "A start that fails is told, if somebody wants to hear it",
      .met(test: "a failed start is told once, and the advertiser can start again")),
    LedgerRow(
      "MP-11", "An invitation brings peer and context as they were sent",
      .met(test: "an invitation brings the peer and its context as it was sent")),
    LedgerRow(
      "MP-12", "Yes puts the inviter into the session; no ends its attempt",
      .met(test: "an answer puts the inviter into the session that it names, or says no (MP-12, MP-25, MP-26)")),
    LedgerRow(
      "MP-13", "An invitation that nobody answers ends with its time and leaves nothing",
      .met(
        test: "an invitation that nobody answers ends with its time, and a later answer changes nothing (MP-13, MP-15)")
    ),
    LedgerRow(
      "MP-14", "Bytes of others are never trusted",
      .met(test: "bytes that nobody expects, at the ports of a phone and in a context, change nothing (MP-14)")),
    LedgerRow(
      "MP-15", "A time-out that is not positive is 30 seconds; a late answer changes nothing",
      .met(
        test: "an invitation that nobody answers ends with its time, and a later answer changes nothing (MP-13, MP-15)")
    ),
    LedgerRow(
      "MP-16", "Peers of the same service type are found, others not",
      .met(test: "peers of one service type are found and lost, between start and stop (MP-09, MP-16, MP-17)")),
    LedgerRow(
      "MP-17", "Found and lost come between start and stop; a new start tells of all again",
      .met(test: "peers of one service type are found and lost, between start and stop (MP-09, MP-16, MP-17)")),
    LedgerRow(
      "MP-18", "A peer that was lost cannot be invited",
      .met(test: "a peer that was lost cannot be invited (MP-18)")),
    LedgerRow(
      "MP-19", "Lost a second after a goodbye, else no later than its records last",
      .met(test: "a goodbye loses a peer a second later, a silent crash when its records run out (MP-19)")),
    LedgerRow(
      "MP-20", "A failed start of a browser is told, if somebody wants to hear it",
      .met(test: "a failed start of a browser is told once")),
  ]

  private static let sessions: [LedgerRow] = [
    LedgerRow(
      "MP-21", "A session without more has no identity and optional encryption",
      .met(test: "a session without more has no identity and optional encryption")),
    LedgerRow(
      "MP-22", "The identity comes first, then its chain",
      .met(test: "the identity's certificate goes to the device first, then the chain")),
    LedgerRow(
      "MP-23", "At most eight peers with the local one, at least two",
      .met(test: "eight are a session, and the ninth is refused on both ways in")),
    LedgerRow(
      "MP-24", "A peer goes from not connected to connecting to connected and back",
      .met(test: "a step that a device leaves out is told, and one back or a repetition is not")),
    LedgerRow(
      "MP-25", "Connected only after yes; not connected for no, failure and departure",
      .met(test: "an answer puts the inviter into the session that it names, or says no (MP-12, MP-25, MP-26)")),
    LedgerRow(
      "MP-26", "The list of connected peers is right when the callback runs",
      .met(test: "a peer is among the connected ones when the delegate hears of it, and no longer when it has gone")),
    LedgerRow(
      "MP-27", "Members of a session are all connected with each other",
      .met(
        test: "a third member is connected with both, and one that leaves is seen to go by all (MP-24 to MP-27, MP-40)")
    ),
    LedgerRow(
      "MP-28", "Callbacks come on a private serial queue",
      .met(test: "callbacks are made on the device's queue, not on that of the caller")),
    LedgerRow(
      "MP-29", "A message to somebody who is not connected throws",
      .policy("unknownReceiver", test: "a message of which one receiver is not connected")),
    LedgerRow(
      "MP-30", "Reliable: once, in order, over a link that loses",
      .met(
        test:
          "what is sent reliably arrives once, whole and in order though three datagrams of ten are lost (MP-30, MP-32)"
      )),
    LedgerRow(
      "MP-31", "Unreliable: at most once, and behind nothing",
      .met(test: "what is sent unreliably arrives at most once, and does not wait for what is sent reliably (MP-31)")),
    LedgerRow(
      "MP-32", "One callback for each message, with all its bytes",
      .met(
        test:
          "what is sent reliably arrives once, whole and in order though three datagrams of ten are lost (MP-30, MP-32)"
      )),
    LedgerRow(
      "MP-33", "A resource is a file, or an http or https URL",
      .met(test: "what cannot be sent ends with its error, later and once")),
    LedgerRow(
      "MP-34", "Its receiver is told of the start and once of the end",
      .met(test: "a failure is told once, without a file")),
    LedgerRow(
      "MP-35", "It is a temporary file with the sender's name, and gone afterwards",
      .met(test: "a resource is a file with the sender's name, which is gone after the callback")),
    LedgerRow(
      "MP-36", "Its sender is told of the end once",
      .met(test: "a resource arrives whole, from a file or a page, with progress to its total (MP-33 to MP-36, MP-38)")),
    LedgerRow(
      "MP-37", "Either side can cancel, and both hear of it",
      .met(test: "either side can cancel a resource, and both hear of its end once; a departure ends it, too (MP-37)")),
    LedgerRow(
      "MP-38", "Progress never goes back, and reaches its total with success alone",
      .met(test: "a resource arrives whole, from a file or a page, with progress to its total (MP-33 to MP-36, MP-38)")),
    LedgerRow(
      "MP-39", "A stream brings its end, and a break as an error",
      .met(test: "a stream brings its bytes and its end, and a departure breaks it with an error (MP-39)")),
    LedgerRow(
      "MP-40", "Who disconnects is seen to go, and cannot send",
      .met(
        test: "a third member is connected with both, and one that leaves is seen to go by all (MP-24 to MP-27, MP-40)")
    ),
    LedgerRow(
      "MP-41", "A certificate is shown, and no means not connected",
      .met(test: "certificates are shown before a peer is connected, and one that is refused is not (MP-41, MP-42)")),
    LedgerRow(
      "MP-42", "Without a method for certificates they are accepted, or never answered",
      .policy(
        "certificateWithoutCallback",
        test:
          "without a method for certificates they are accepted, or never answered until the attempt's time is over (MP-42)"
      )),
    LedgerRow(
      "MP-43", "Which preferences fit, and which of them are sealed",
      .met(test: "of the nine pairs of encryption preferences two do not connect and four are sealed (MP-43)")),
    LedgerRow(
      "MP-44", "By hand: each side gives data, and both connect",
      .met(test: "peers that exchange connection data connect when both ask, and no other way (MP-44 to MP-46)")),
    LedgerRow(
      "MP-45", "Data for another peer, damaged data, or one side alone do not connect",
      .met(test: "peers that exchange connection data connect when both ask, and no other way (MP-44 to MP-46)")),
    LedgerRow(
      "MP-46", "A cancelled attempt never connects",
      .met(test: "peers that exchange connection data connect when both ask, and no other way (MP-44 to MP-46)")),
    LedgerRow(
      "MP-47", "Errors have the numbers of the reference, those of lower layers their own",
      .met(test: "errors have the numbers of the reference, in all the ways that applications look at them")),
    LedgerRow(
      "MP-48", "An assistant shows one invitation after the other",
      .met(test: "invitations are shown one after the other, and each showing ends before the next begins")),
    LedgerRow(
      "MP-49", "A browser view has 2 to 8 peers, and Done from the minimum on",
      .met(test: "Done is there with the minimum of peers, the local one included")),
    LedgerRow(
      "MP-50", "All peers are shown without a filter; the application dismisses",
      .met(test: "it browses while it is shown, and leaves dismissing to the application")),
    LedgerRow(
      "MP-51", "A browser for a browser view is idle and has no delegate",
      .met(test: "the browser must be idle and without a delegate")),
    LedgerRow(
      "MP-52", "Every bound can be asked without ending the program",
      .met(test: "each bound of the contract can be asked on both of its sides, without ending the program (MP-52)")),
  ]

  private static let pathologies: [LedgerRow] = [
    LedgerRow(
      "MX-1", "Two invitations at once end each other; an election by the lower identity does not",
      .met(
        test:
          "MX-1: two that invite each other at once part at once; one that elects by the lower identity invites alone")),
    LedgerRow(
      "MX-2", "Peers of before stay, for the device itself too",
      .met(
        test: "MX-2: a peer of a device that has made itself another one stays, for itself too; one that is kept is not"
      )),
    LedgerRow(
      "MX-3", "An invitation to a peer that is gone lasts its whole time",
      .met(
        test:
          "MX-3: an invitation to a peer that is gone lasts its whole time, and nobody hears that it is; a short one helps"
      )),
    LedgerRow(
      "MX-4", "Found several times after the background",
      .met(
        test:
          "MX-4: after the background each peer is found several times; an application that remembers invites it once")),
    LedgerRow(
      "MX-5", "Two sessions of one pair of peers end each other",
      .met(test: "MX-5: two sessions of one pair of peers end each other; a peer for each session does not")),
    LedgerRow(
      "MX-6", "Found, and not connected after ten seconds",
      .met(test: "MX-6: peers are found, and each attempt fails after ten seconds")),
    LedgerRow(
      "MX-7", "Found long before sessions come through",
      .met(test: "MX-7: where the data path comes late, a short invitation fails and the one that follows does not")),
    LedgerRow(
      "MX-8", "A session that was left stays in connecting",
      .met(test: "MX-8: a session that was left stays in connecting; a fresh one connects")),
    LedgerRow(
      "MX-9", "A refusal in silence looks like a loss",
      .met(
        test:
          "MX-9: a refusal in silence looks like a loss, and who tries again at once storms; one that is told does not")
    ),
    LedgerRow(
      "MX-10", "An advertiser that starts again was never lost",
      .met(test: "MX-10: an advertiser that stops and starts again is never lost; another peer is")),
    LedgerRow(
      "MX-11", "Optional encryption without encryption",
      .met(test: "MX-11: two sessions with optional encryption talk in plain bytes; one that requires it does not")),
    LedgerRow(
      "MX-12", "Nothing is found in the background, and links end",
      .met(
        test: "MX-12: in the background nothing is found and links end; back in front peers are found and invited anew")
    ),
    LedgerRow(
      "MX-13", "No more connections after so many",
      .met(
        test: "MX-13: after so many connections no other one comes to be; a phone that keeps its connection needs one")),
  ]
}
