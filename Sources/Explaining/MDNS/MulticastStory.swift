package import RollcallPrimitives
package import RollcallWire

/// One datagram of port 5353: what it said, and what that was to what came before it.
package struct MulticastStory: Hashable, Sendable {
  package enum What: Hashable, Sendable {
    case query(MulticastQuery)
    case response(MulticastResponse)
    case ignored(MulticastIgnored)
  }
  package var time: Instant
  package var frame: Int
  package var source: Endpoint
  package var destination: Endpoint
  package var what: What

  package var isUnicast: Bool { !destination.address.isMulticast }

  /// The name in JSON lines.
  package var name: String {
    switch what {
    case .query(let query): query.proposed.isEmpty ? "query" : "probe"
    case .response: "response"
    case .ignored: "ignored"
    }
  }
}

/// An earlier message, and how long before.
package struct MulticastEarlier: Hashable, Sendable {
  package var frame: Int
  package var gap: Interval
}

package struct MulticastQuery: Hashable, Sendable {
  package var questions: [DNSQuestion]
  /// Answers that the sender knows already.
  package var knownCount: Int
  /// What it wants to have, where it probes.
  package var proposed: [DNSRecord]
  /// It proposes what it proposed before.
  package var isSameData: Bool
  /// More known answers follow.
  package var isTruncated: Bool
  /// From another port than 5353: a plain DNS client.
  package var isLegacy: Bool
  /// The sender asked the same before.
  package var again: MulticastEarlier?
  /// Another host probes for the same name at the same time.
  package var tie: MulticastTie?
}

/// Two hosts that probe for one name at the same time (RFC 6762 §8.2).
package struct MulticastTie: Hashable, Sendable {
  package enum Winner: String, Hashable, Sendable { case sender, other, both }
  package var frame: Int
  package var other: IPAddress
  /// Who has the later data; `both`: the data is the same, which is no conflict.
  package var winner: Winner
}

package struct MulticastResponse: Hashable, Sendable {
  /// Why it was sent, as far as the capture shows.
  package enum Role: Hashable, Sendable {
    case answer(MulticastEarlier)
    /// It tells somebody who probes that the name is taken.
    case defence(MulticastEarlier)
    /// What it probed for; the earlier one is its last probe.
    case announcement(MulticastEarlier)
    /// What it announced before.
    case announcedAgain(MulticastEarlier)
    case goodbye
    case unasked
  }
  package var role: Role
  /// Those in front are answers, the others stand in addition.
  package var records: [MulticastRecord]
  package var answerCount: Int
  /// Records that are left out of `records`, since there are too many.
  package var uncountedCount: Int
  package var faults: [DNSFault]
}

/// A record of a response, and what is new of it.
package struct MulticastRecord: Hashable, Sendable {
  package enum Said: Hashable, Sendable {
    case new
    /// Said less than a second before, and nothing else since.
    case same(frame: Int)
    /// It stands in this message before.
    case twice
    /// Said before, and not over yet: so much was left of so many seconds.
    case again(frame: Int, left: Interval, ofSeconds: UInt32)
    /// Said before, and over for so long.
    case returned(frame: Int, ago: Interval)
    /// Said before, and ended by a goodbye so long ago.
    case afterGoodbye(frame: Int, goodbye: Int, ago: Interval)
    /// The same host said other data before.
    case changed(frame: Int)
    /// Another host said other data, which is not over yet, and both say that it is the only one.
    case conflicting(frame: Int, other: IPAddress)
    /// A goodbye to what that frame said.
    case ended(frame: Int)
    /// A goodbye to what nobody said here.
    case endedUnknown

    /// The name in JSON lines.
    package var name: String {
      switch self {
      case .new: "new"
      case .same: "same"
      case .twice: "twice"
      case .again: "again"
      case .returned: "returned"
      case .afterGoodbye: "afterGoodbye"
      case .changed: "changed"
      case .conflicting: "conflicting"
      case .ended: "ended"
      case .endedUnknown: "endedUnknown"
      }
    }

    /// The frame that it refers to.
    package var frame: Int? {
      switch self {
      case .new, .twice, .endedUnknown: nil
      case .same(let frame), .again(let frame, _, _), .returned(let frame, _), .afterGoodbye(let frame, _, _),
        .changed(let frame), .conflicting(let frame, _), .ended(let frame):
        frame
      }
    }
  }
  package var record: DNSRecord
  package var said: Said
}

/// Why nothing is made of a datagram of port 5353.
package enum MulticastIgnored: Hashable, Sendable {
  /// It is no DNS message.
  case malformed(DNSFault)
  /// The capture holds a part of it only.
  case cut
  case opcode(UInt8)
  case responseCode(UInt8)
  /// A response from another port than 5353 (RFC 6762 §6).
  case responseFromPort(UInt16)
  /// It went to another host than the one that the replay is.
  case notHeard

  /// The name in JSON lines.
  package var name: String {
    switch self {
    case .malformed(let fault): fault.reason.rawValue
    case .cut: "cut"
    case .opcode: "opcode"
    case .responseCode: "responseCode"
    case .responseFromPort: "responseFromPort"
    case .notHeard: "notHeard"
    }
  }
}

/// Something that the engine reported of a service.
package struct ServiceStoryEvent: Hashable, Sendable {
  package var time: Instant
  /// `nil`: time caused it.
  package var frame: Int?
  package var report: Report
}
