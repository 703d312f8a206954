/// What holds the rules of multicast DNS in Rollcall's own hosts: the responder and the browser.
///
/// A clause of the catalogue says what others have to do, and whether a judge looks at it; its row here says which test
/// fails where our own machines break it.
extension LedgerRow {
  /// The row of a clause of multicast DNS; `nil`: it has none.
  package static func row(of clause: Clause) -> LedgerRow? {
    multicastTests.first { $0.id == clause.id }.map { LedgerRow($0.id, clause.gist, .met(test: $0.test)) }
  }

  /// All of them, in the order of the catalogue.
  package static var multicast: [LedgerRow] { Catalogue.multicastDNS.clauses.compactMap { row(of: $0) } }

  private static let multicastTests: [(id: String, test: String)] = [
    (
      "MD-01", "all find all, over both families, in messages that can be read and have TTL 255 (MD-01) (MD-02)"
    ),
    (
      "MD-02", "all find all, over both families, in messages that can be read and have TTL 255 (MD-01) (MD-02)"
    ),
    ("MD-03", "what comes straight from off the link is refused (MD-03)"),
    (
      "MD-04",
      "the first query after 20 to 120 ms with QU, then after 1 s, 2 s, 4 s … 60 min without (MD-04) (MD-05) (MD-08)"
    ),
    (
      "MD-05",
      "the first query after 20 to 120 ms with QU, then after 1 s, 2 s, 4 s … 60 min without (MD-04) (MD-05) (MD-08)"
    ),
    ("MD-06", "a record is asked for at 80, 85, 90 and 95 % of its TTL, each up to 2 % later (MD-06)"),
    ("MD-07", "what is missing of a service is asked for, and no more when it is answered (MD-07)"),
    (
      "MD-08",
      "the first query after 20 to 120 ms with QU, then after 1 s, 2 s, 4 s … 60 min without (MD-04) (MD-05) (MD-08)"
    ),
    (
      "MD-09",
      "QU is answered by unicast within a quarter of the TTL since the last multicast, else by multicast (MD-09)"
    ),
    ("MD-10", "a query sent to the host alone is answered as QU; from off the link it is not (MD-10) (MD-03)"),
    (
      "MD-11",
      "a host that browses and advertises answers with its own records, however many it has heard of others (MD-11)"
    ),
    ("MD-12", "who alone has the answer gives it at once, with what is needed next (MD-13) (MD-18) (MD-64) (MD-12)"),
    ("MD-13", "who alone has the answer gives it at once, with what is needed next (MD-13) (MD-18) (MD-64) (MD-12)"),
    ("MD-14", "what others may answer, too, waits 20 to 120 ms, at random (MD-14) (MD-54) (MD-64)"),
    ("MD-15", "a query that goes on is answered 400 to 500 ms later, less all its known answers (MD-15)"),
    ("MD-16", "a record is multicast once in a second, exactly 1 s later again (MD-16)"),
    ("MD-17", "of an owned name a type that there is not is denied with NSEC; other names are not answered (MD-17)"),
    ("MD-18", "with both families an address brings those of the other one, and no NSEC (MD-18)"),
    ("MD-19", "a message with several questions is answered in full, and late if one answer is shared (MD-19)"),
    ("MD-20", "answers that come due within half a second of each other go in one message (MD-20)"),
    ("MD-21", "ANY is every type of the name (MD-21)"),
    ("MD-22", "our record from somebody else with less than half of its TTL is announced again (MD-22)"),
    (
      "MD-23",
      "a legacy query is answered by unicast with its id and question, no flush bit and at most 10 s (MD-23) (MD-53)"
    ),
    ("MD-24", "a known answer with half of the TTL suppresses, with less it does not (MD-24)"),
    ("MD-25", "known answers have more than half of their TTL left, exactly half is too little (MD-25)"),
    (
      "MD-26",
      "known answers that are too many for a message go on in others without question, all but the last with TC (MD-26)"
    ),
    ("MD-27", "a question that somebody else just asked is not asked, once; not where they know more than we (MD-27)"),
    ("MD-28", "an answer that somebody else gave with no smaller TTL is not given again (MD-28)"),
    (
      "MD-29",
      "three probes 250 ms apart, then two announcements 1 s apart, then silence (MD-29) (MD-30) (MD-36) (MD-37)"
    ),
    (
      "MD-30",
      "three probes 250 ms apart, then two announcements 1 s apart, then silence (MD-29) (MD-30) (MD-36) (MD-37)"
    ),
    ("MD-31", "an answer of another type with a probed name is a conflict, and so is one of the same type (MD-31)"),
    ("MD-32", "the 15th conflict within 10 s makes the next attempt wait 5 s, the 14th does not (MD-32)"),
    ("MD-33", "of two that probe at once the later data wins; the loser waits 1 s and probes again (MD-33)"),
    ("MD-34", "equal data is no conflict, nor is a goodbye (MD-34)"),
    ("MD-35", "lists are compared record by record in their order; of equal beginnings the longer one wins (MD-35)"),
    (
      "MD-36",
      "three probes 250 ms apart, then two announcements 1 s apart, then silence (MD-29) (MD-30) (MD-36) (MD-37)"
    ),
    (
      "MD-37",
      "three probes 250 ms apart, then two announcements 1 s apart, then silence (MD-29) (MD-30) (MD-36) (MD-37)"
    ),
    ("MD-38", "new TXT data is announced twice, the same data not at all (MD-38)"),
    ("MD-39", "with a name that is owned, other data of its type lets it probe again, and only then rename (MD-39)"),
    ("MD-40", "own messages that come back as they were sent are no conflict (MD-40)"),
    ("MD-41", "a host that falls silent is lost when its TTL is over, not before (MD-41)"),
    ("MD-42", "a goodbye ends a service after 1 s; said again within that second, it stays (MD-42)"),
    ("MD-43", "the flush bit ends in 1 s what is more than 1 s old, and nothing younger (MD-43)"),
    ("MD-44", "a link that comes is probed anew, for itself (MD-44) (MD-47)"),
    ("MD-45", "after a hint of failure two queries are sent, and what is not answered in 10 s is gone (MD-45)"),
    ("MD-46", "two queries of others that nobody answers are a hint of failure, one is not (MD-46)"),
    ("MD-47", "on another interface nothing is said of what was asked on one (MD-47)"),
    ("MD-48", "what another responder at the same address says is a conflict (MD-48)"),
    ("MD-49", "names in another letter case are the same (MD-49)"),
    ("MD-50", "messages are filled up to 1440 bytes; a larger record is alone in its own (MD-50)"),
    ("MD-51", "what is no message, no query and no response of multicast DNS is ignored (MD-51)"),
    ("MD-52", "A question has the bytes that were put together by hand"),
    (
      "MD-53",
      "a legacy query is answered by unicast with its id and question, no flush bit and at most 10 s (MD-23) (MD-53)"
    ),
    ("MD-54", "an instance of another type, or with a name that is none, is refused (MD-54)"),
    ("MD-55", "Text of a name is escaped and read again"),
    (
      "MD-56",
      "a service is found with its host, port, text and addresses, whatever the order of its records (MD-54) (MD-56)"
    ),
    ("MD-57", "services with their strings and subtypes, and each change, are read, and read back as the same"),
    ("MD-58", "A pair of TXT is refused with a key that is none or was there, and beyond 255 bytes"),
    ("MD-59", "Pairs of TXT: no value, an empty one, the first of two, none without a key"),
    ("MD-60", "Pairs of TXT: no value, an empty one, the first of two, none without a key"),
    ("MD-61", "Service names keep to RFC 6335 and instances to RFC 6763"),
    ("MD-62", "a subtype finds the services that have it, by their plain names (MD-62)"),
    ("MD-63", "types are listed once, however many services have them (MD-63)"),
    ("MD-64", "who alone has the answer gives it at once, with what is needed next (MD-13) (MD-18) (MD-64) (MD-12)"),
  ]
}
