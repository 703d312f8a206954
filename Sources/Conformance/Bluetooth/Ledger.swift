/// A rule of the contract of Bluetooth: what an application may rely on with a central (CB-…), and what a host does with
/// malformed advertising data (AD-…). None of it is quoted from a standard.
package struct LedgerRow: Hashable, Sendable {
  package enum State: Hashable, Sendable {
    /// A test of this name fails where the rule is broken.
    case met(test: String)
    /// The documentation leaves it open: a policy of this name has both choices, and the test tries them.
    case policy(String, test: String)
    /// It has no meaning here, for this reason.
    case notApplicable(why: String)
  }

  package var id: String
  package var gist: String
  package var state: State

  init(_ id: String, _ gist: String, _ state: State) { (self.id, self.gist, self.state) = (id, gist, state) }

  /// `met`, or why it is not.
  package var stateText: String {
    switch state {
    case .met(let test): "met: \(test)"
    case .policy(let name, let test): "policy \(name): \(test)"
    case .notApplicable(let why): "not applicable: \(why)"
    }
  }

  /// Rows whose id is one of these, or begins with one and a hyphen; case of letters aside. Empty: there is none.
  package static func rows(named names: [String]) -> [LedgerRow] {
    let wanted = names.map { $0.uppercased() }
    return (all + nearby).filter { row in wanted.contains { row.id == $0 || row.id.hasPrefix($0 + "-") } }
  }

  package static let all: [LedgerRow] = central + data
}

extension LedgerRow {
  private static let central: [LedgerRow] =
    states + discovery + connecting + retrieving

  private static let states: [LedgerRow] = [
    LedgerRow(
      "CB-01", "One delegate method is required, that of the state",
      .met(test: "a delegate with the required method alone bears every event")),
    LedgerRow(
      "CB-02", "The state is unknown until the first callback, which init never makes",
      .met(test: "the state is unknown until the first callback, and the initialiser makes none")),
    LedgerRow(
      "CB-03", "Commands without a radio that is on do nothing, and say so",
      .met(test: "a command takes effect in the state poweredOn alone, and is a misuse in others")),
    LedgerRow(
      "CB-04", "A radio that goes off ends the scan, which does not begin again by itself",
      .met(test: "a radio that is switched off neither sends nor hears, and begins nothing by itself")),
    LedgerRow(
      "CB-05", "A radio that goes off drops every connection",
      .met(test: "a radio that goes off drops connections, and tells of them if that is the policy")),
    LedgerRow(
      "CB-06", "Whether a dropped connection is told then is a policy",
      .met(test: "a radio that goes off drops connections, and tells of them if that is the policy")),
    LedgerRow(
      "CB-07", "Peripherals of before are good again when the radio is on",
      .met(test: "peripherals of before are good again when the radio is on")),
    LedgerRow(
      "CB-08", "A state below off invalidates all peripherals",
      .met(test: "a state below poweredOff makes every peripheral invalid, and its identifier stays")),
    LedgerRow(
      "CB-09", "Resetting passes by itself",
      .met(test: "a crash of Bluetooth is resetting, and passes by itself (CB-09)")),
    LedgerRow(
      "CB-10", "Authorisation is readable before any manager exists",
      .met(test: "authorisation is read before any manager, and the state follows it (CB-10)")),
  ]

  private static let discovery: [LedgerRow] = [
    LedgerRow(
      "CB-11", "Peripherals are told of between scan and stop only",
      .met(test: "nothing is discovered after stopScan, not even what was queued")),
    LedgerRow(
      "CB-12", "A filter means any of its services; none means all",
      .met(test: "a scan wants any of its services, and everything without a list or with an empty one (CB-12)")),
    LedgerRow(
      "CB-13", "Spellings of 16, 32 and 128 bits of one UUID are equal",
      .met(test: "the short spellings of a UUID equal the long one")),
    LedgerRow(
      "CB-14", "A peripheral is told of once in a scan",
      .met(test: "a peripheral is found once, with its address, name and services")),
    LedgerRow(
      "CB-15", "With duplicates allowed, each packet is an event",
      .met(test: "with duplicates allowed each packet is an event, else each peripheral (CB-15)")),
    LedgerRow(
      "CB-16", "What a scan response adds is an event of its own",
      .met(test: "a scan response adds to the advertisement, and what is said in turns stays")),
    LedgerRow(
      "CB-17", "Another scan takes the place of the first one",
      .met(test: "another scan has its own filter and options, and tells of each peripheral anew (CB-17)")),
    LedgerRow(
      "CB-18", "Peripherals that solicit a service can be asked for",
      .met(test: "a peripheral that solicits a service is told of to who asks for that (CB-18)")),
    LedgerRow(
      "CB-19", "In the background options are ignored and events coalesced",
      .met(
        test: "in the background options are ignored, and a peripheral is told of once until it was connected (CB-19)")),
    LedgerRow(
      "CB-20", "Advertised fields are those on the air, each of its type",
      .met(test: "every field that is written is read again, in one buffer")),
    LedgerRow(
      "CB-21", "Whether it can be connected to is said by each packet for itself",
      .met(test: "the kinds say whether a peripheral speaks and whether it can be connected to")),
    LedgerRow(
      "CB-22", "127 means that the strength is not known",
      .met(test: "its strength and when it was heard are those of the latest packet")),
    LedgerRow(
      "CB-23", "Transmit power less strength is the path loss",
      .met(test: "transmit power and shadowing are in the strength")),
    LedgerRow(
      "CB-24", "Services in the overflow area show to scans that name them",
      .met(test: "services in the overflow area show to scans that name them, false ones too (CB-24)")),
    LedgerRow(
      "CB-25", "Dropping the last reference cancels a pending connection",
      .met(test: "dropping the last reference cancels a pending connection")),
    LedgerRow(
      "CB-26", "An identifier belongs to one local system",
      .met(test: "identifiers of peripherals are the phone's own, and stay")),
    LedgerRow(
      "CB-27", "A private address that rotates is a new peripheral for who has no bond",
      .met(test: "a private address is another one after each interval, and after each start")),
    LedgerRow(
      "CB-28", "The GAP name wins after the first connection, and stays",
      .met(test: "the name that a peripheral has of itself counts more than what it advertises (CB-28)")),
    LedgerRow(
      "CB-29", "A change of the GAP name is told, one of the advertised name is not",
      .met(test: "a changed name of its own is told, a changed advertised one is not (CB-29)")),
    LedgerRow(
      "CB-30", "Nothing says that a peripheral is gone: silence has to be counted",
      .met(test: "silence loses it, at its own time, and each packet begins the time anew")),
    LedgerRow(
      "CB-31", "Events of one peripheral come in their order on the air, on one queue",
      .met(test: "events come in the order in which they are pushed, on the manager's queue")),
  ]

  private static let connecting: [LedgerRow] = [
    LedgerRow(
      "CB-32", "Each connect ends once: connected, failed or cancelled",
      .met(test: "a connect ends in one callback, whatever else the phone says")),
    LedgerRow(
      "CB-33", "A connect has no time-out",
      .met(test: "what is waited for can be given up, and a wait never ends by itself")),
    LedgerRow(
      "CB-34", "A connect needs no scan, and a connectable packet of that peripheral",
      .met(
        test:
          "only an advertiser that can be connected to is: not one of another address, of another kind, or for another"
      )),
    LedgerRow(
      "CB-35", "A failed connect leaves a peripheral that can be tried again",
      .met(test: "a failed connect has an error, and leaves a peripheral that can be tried again")),
    LedgerRow(
      "CB-36", "Cancelling ends a connection without an error",
      .met(test: "cancelling ends a connection without an error, and reads may stay unanswered")),
    LedgerRow(
      "CB-37", "Every other end has an error: by the peer at once, by loss after a time-out",
      .met(test: "every other end has an error")),
    LedgerRow(
      "CB-38", "After the end nothing more is told of the peripheral",
      .met(test: "after the end nothing more is told of the peripheral")),
    LedgerRow(
      "CB-39", "With the end its services are invalid",
      .met(test: "with the end its services are gone, and old objects are of no use")),
    LedgerRow(
      "CB-40", "One application's cancel does not end another's connection",
      .met(test: "one application's cancel does not end another's connection (CB-40)")),
    LedgerRow(
      "CB-41", "A peripheral that another application holds needs no packet to connect",
      .met(test: "a peripheral that another application holds is connected without a packet (CB-41)")),
    LedgerRow(
      "CB-42", "The newer form of the end takes the place of the older one",
      .met(test: "a link that is lost comes back by itself, and its end is told in the newer form alone (CB-42)")),
    LedgerRow(
      "CB-43", "A start delay postpones the attempt",
      .met(test: "a start delay postpones the attempt by virtual seconds (CB-43)")),
    LedgerRow(
      "CB-44", "Connections of other applications are told to who registered",
      .met(test: "connections of other applications are told to who registered for them (CB-44)")),
    LedgerRow(
      "CB-45", "Parameters that a peripheral asks for have published bounds",
      .met(test: "a request for other parameters is granted inside the published bounds alone (CB-45)")),
    LedgerRow(
      "CB-46", "Errors have their numbers and domains",
      .met(test: "errors have the numbers of their names, and each kind its domain (CB-46)")),
  ]

  private static let retrieving: [LedgerRow] = [
    LedgerRow(
      "CB-47", "The two retrieve callbacks of old say what the calls of today say",
      .met(test: "the retrieve callbacks of old say what the calls of today return")),
    LedgerRow(
      "CB-48", "Retrieving by identifier leaves out who is not known",
      .met(test: "identifiers that are not known are left out, and a known one is the object of before")),
    LedgerRow(
      "CB-49", "Retrieving the connected counts other applications' connections",
      .met(test: "retrieving the connected counts other applications' connections, by any of the services (CB-49)")),
    LedgerRow(
      "CB-50", "Without a radio that is on both are empty", .met(test: "nothing is retrieved unless the radio is on")),
    LedgerRow(
      "CB-51", "Restoration is the first callback after a relaunch",
      .met(test: "what is restored comes first, and only under the identifier of before (CB-51)")),
    LedgerRow(
      "CB-52", "What is restored: peripherals, services, options",
      .met(test: "peripherals, services, subscriptions and the scan are restored, and nothing else (CB-52)")),
    LedgerRow(
      "CB-53", "Restoration without an identifier is a mistake that is said",
      .notApplicable(why: "without the Objective-C runtime nobody can ask which methods a delegate has")),
    LedgerRow(
      "CB-54", "Services are discovered by one answer to each request",
      .met(test: "services are nil before they are discovered, and discoveries add up")),
    LedgerRow(
      "CB-55", "So are included services, characteristics and descriptors",
      .met(test: "each request for what a service has is answered once")),
    LedgerRow(
      "CB-56", "A value is there when its callback comes",
      .met(test: "the value is there before the callback, read or told")),
    LedgerRow(
      "CB-57", "A write with response has one callback, one without has none",
      .met(test: "a write with response is answered once, and one without never")),
    LedgerRow(
      "CB-58", "A full buffer says no, and says when it is ready",
      .met(test: "a full buffer says no and then that it is ready, and nothing is lost (CB-58)")),
    LedgerRow(
      "CB-59", "The longest write follows from the ATT_MTU",
      .met(test: "the longest write without response is the ATT_MTU less three (CB-59)")),
    LedgerRow(
      "CB-60", "Notifications are switched on and off by one call",
      .met(test: "of notifications and indications the first are taken")),
    LedgerRow(
      "CB-61", "Services that change are told",
      .met(test: "services that were modified are gone, and have to be discovered again")),
    LedgerRow(
      "CB-62", "The strength of a connection is read while it stands",
      .met(test: "the strength is read while connected, and without a connection nothing reaches the peripheral")),
    LedgerRow(
      "CB-63", "Without a connection no GATT call has an answer",
      .met(test: "without a connection that stands nothing is asked of a peripheral (CB-63)")),
    LedgerRow(
      "CB-64", "What an application may advertise, and how much of it",
      .met(test: "what does not fit into a packet is in the overflow area, and a name is cut to ten bytes (CB-64)")),
  ]

  private static let data: [LedgerRow] = [
    LedgerRow(
      "AD-1", "A zero length ends the data without a fault",
      .met(test: "AD-1, a zero length ends the buffer without a fault, and what stands behind it is no data")),
    LedgerRow(
      "AD-2", "Advertisement and scan response are two buffers",
      .met(test: "AD-2, advertisement and scan response are two buffers, and the second keeps what the first said")),
    LedgerRow(
      "AD-3", "A structure beyond the end is dropped, earlier ones stand",
      .met(test: "AD-3 and AD-4, a structure beyond the end is dropped and counted, earlier ones stand")),
    LedgerRow(
      "AD-4", "A lone length byte is dropped likewise",
      .met(test: "AD-3 and AD-4, a structure beyond the end is dropped and counted, earlier ones stand")),
    LedgerRow(
      "AD-5", "A type without data is an empty field",
      .met(test: "AD-5, a structure of a type alone is an empty field")),
    LedgerRow(
      "AD-6", "Manufacturer data without a company is skipped",
      .met(test: "AD-6, manufacturer data without a whole company is skipped")),
    LedgerRow(
      "AD-7", "Of a list of UUIDs the whole ones count", .met(test: "AD-7, of a ragged list the whole UUIDs count")),
    LedgerRow(
      "AD-8", "Service data without a whole UUID is skipped",
      .met(test: "AD-8, service data shorter than its UUID is skipped")),
    LedgerRow(
      "AD-9", "Several fields of manufacturer data are kept in order",
      .met(test: "AD-9, several fields of manufacturer data stand side by side, and a later buffer replaces them")),
    LedgerRow(
      "AD-10", "A name is read whatever its bytes",
      .met(test: "AD-10, a name is read whatever its bytes, without padding")),
    LedgerRow(
      "AD-11", "Numbers of another size are skipped, of flags the first byte counts",
      .met(test: "AD-11, numbers of another size are skipped, of longer flags the first byte counts")),
    LedgerRow(
      "AD-12", "A length that a PDU cannot have refuses the packet",
      .met(test: "AD-12, a length that the kind cannot have is refused, at either bound")),
    LedgerRow(
      "AD-13", "A packet with a wrong CRC reaches nobody", .met(test: "what is wrong is counted and not given")),
  ]
}
