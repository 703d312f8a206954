import RollcallDiscovery
import RollcallPrimitives
import RollcallReporting
import RollcallWire

/// The words of a story: why something is as it is.
enum StoryWords {
  /// `alive upnp:rootdevice`
  static func message(_ announcement: Announcement) -> String {
    name(announcement.type) + " " + announcement.target
  }

  static func name(_ type: String) -> String { type.hasPrefix("notify-") ? String(type.dropFirst(7)) : type }

  static func lease(_ announcement: Announcement) -> String {
    var text = "\(announcement.leaseSeconds) s"
    if announcement.isLeaseByDefault { text += " (no max-age that can be read: the engine's default)" }
    if announcement.isLeaseCut { text += " (max-age is more: cut to the engine's maximum)" }
    return text
  }

  // MARK: Reasons

  /// Why a datagram made no device, in a clause.
  static func reason(_ reason: UnmadeReason, _ unmade: Unmade? = nil) -> String {
    switch reason {
    case .refused(let why): return "refused, \(why.rawValue)\(place(unmade)): \(StoryWords.why(why))"
    case .bound(let limit):
      return "dropped by the bound '\(limit)' of the engine"
    case .late(let search):
      let by = unmade?.lateness.map { ", by " + PlainWords.lateness($0) } ?? ""
      return "too late for search \(search)\(by): nobody listened any more"
    case .wrongTarget(let asked, let answered):
      return "wrong target: asked for \(asked.joined(separator: ", ")), answered \(answered)"
    case .nobodyAsked(let socket): return "an answer to \(socket), from where the capture shows no search"
    case .byebyeOfNothing: return "no event, since nothing that stood was announced so"
    case .byebyeOvertaken: return "no event, since the device has left the address that it comes from"
    case .updateOfNothing: return "no event, since the device is not known or the BOOTID is not new"
    case .own: return "sent by the engine's own host, which does not hear itself"
    case .otherSearch: return "a search: it asks, and announces nothing"
    case .notHeard(let address): return "went to \(address), so the host of this replay did not hear it"
    }
  }

  /// What became of one datagram.
  static func made(
    _ made: PartyDatagrams.Made, offset: Int?, lateness: Interval?, _ leaseSeconds: Int = -1
  ) -> String {
    switch made {
    case .found(let seconds): return "made the device known, for \(seconds) s"
    case .leased(let seconds): return "a new lease of \(seconds) s"
    case .renewed(let margin):
      let length = leaseSeconds < 0 ? "" : " for \(leaseSeconds) s"
      return "renewed\(length), with \(PlainWords.duration(margin)) left"
    case .copied: return "a copy, which changes nothing" + (leaseSeconds < 0 ? "" : ", for \(leaseSeconds) s")
    case .changed: return "changed the device"
    case .ended: return "ended it"
    case .nothing(let reason):
      var text = StoryWords.reason(reason)
      if let offset, case .refused = reason { text += " (byte \(offset))" }
      if let lateness { text += " (\(PlainWords.duration(lateness)) late)" }
      return text
    }
  }

  private static func place(_ unmade: Unmade?) -> String {
    guard let offsets = unmade?.offsets else { return "" }
    return offsets.lowerBound == offsets.upperBound
      ? " at byte \(offsets.lowerBound)" : " at bytes \(offsets.lowerBound) to \(offsets.upperBound)"
  }

  /// What a refusal means.
  static func why(_ reason: RejectionReason) -> String {
    switch reason {
    case .empty: "the datagram has no byte"
    case .tooShort: "it ends inside its start line"
    case .tooLong: "a line or a name is longer than any that is needed"
    case .startLine: "the start line is none of the three that SSDP has"
    case .lineEnd: "a line does not end with CR LF"
    case .controlByte: "a value holds a control byte"
    case .notUTF8: "a value is not UTF-8"
    case .noColon: "a line has no colon"
    case .emptyName: "a field has no name"
    case .nameBytes: "a field name holds a byte that no name has"
    case .whitespaceBeforeColon: "blanks stand before a colon"
    case .foldedLine: "a line begins with a blank"
    case .tooManyFields: "more than 32 fields"
    case .duplicateField: "a field occurs twice"
    case .noBlankLine: "no blank line at the end"
    case .bytesAfterBlankLine: "bytes after the blank line"
    case .missingField: "a field that this kind of message must have is missing"
    case .emptyField: "a field that must say something is empty"
    case .badNTS: "NTS is none of alive, byebye and update"
    case .badMAN: "MAN is not \"ssdp:discover\""
    case .badMX: "MX is no number that may be"
    case .badMaxAge: "max-age cannot be read"
    case .badHost: "HOST is not the group"
    case .badUSN: "the USN names no uuid"
    case .badTarget: "NT or ST cannot be used"
    case .badLocation: "LOCATION cannot be used"
    case .badNumber: "a number cannot be read"
    case .noOpenSearch: "an answer, and no search is open on its socket"
    case .searchOver: "an answer to a search that is over"
    case .targetNotAsked: "an answer with a target that nobody asked for"
    case .staleAfterByebye: "it comes on the heels of a byebye of the same device, as a late copy would"
    case .staleBootID: "it has the BOOTID from before the reboot that is known already"
    case .foreignByebye: "a byebye from an address that never announced the device"
    case .foreignUpdate: "an update from an address that never announced the device"
    case .wrongInterface: "its interface is down, or one of more than the engine keeps"
    case .overTotal: "the engine holds as many leases as it may"
    case .overSource: "its sender holds as many leases as one address may"
    case .overDevice: "the device holds as many leases or parts as one may"
    case .badPacket: "the bytes are no packet of Bluetooth LE"
    }
  }

  /// Why a LOCATION is not handed on.
  static func location(_ text: String?, _ verdict: LocationVerdict) -> String {
    let shown = text.map { "'\($0.count > 80 ? $0.prefix(80) + "…" : $0[...])'" } ?? "no LOCATION"
    switch verdict {
    case .usable: return "\(shown) may be used"
    case .absent: return text == nil ? "no LOCATION field" : "LOCATION is empty"
    case .tooLong(let bytes): return "\(shown) has \(bytes) bytes, more than 'location-bytes' allows"
    case .notURL(let refusal):
      return "\(shown) is no URL to fetch from: \(refused(refusal)) at its byte \(refusal.offset)"
    case .outOfScope(let reason): return "\(shown) is out of scope: \(scope(reason))"
    }
  }

  private static func refused(_ refusal: LocationRefusal) -> String {
    switch refusal.reason {
    case .empty: "it is empty"
    case .asterisk: "it is an asterisk"
    case .blank: "a blank"
    case .controlByte: "a control byte"
    case .relative: "no scheme and host"
    case .scheme: "a scheme other than http and https"
    case .userInfo: "a user name before the host"
    case .noHost: "no host"
    case .hostByte: "a byte that no host name has"
    case .hostTooLong: "a host name that is too long"
    case .numericHost: "digits that are no dotted address"
    case .bracket: "brackets and IPv6 address do not go together"
    case .zone: "a zone that cannot be used"
    case .port: "a port that is none"
    }
  }

  private static func scope(_ reason: LocationScope.Reason) -> String {
    switch reason {
    case .unspecified: "unspecified, the host is no address of anybody"
    case .loopback: "loopback, the host is the reader's own"
    case .multicast: "multicast, the host is a group"
    case .broadcast: "broadcast, the host is everybody"
    case .familyMismatch: "familyMismatch, the host is of the other IP version than the message"
    case .linkLocal: "linkLocal, a link-local host from a sender that is not"
    case .receiver: "receiver, the host is the engine's own"
    case .offLink: "offLink, the host is neither the sender nor on its link"
    }
  }

  // MARK: Findings

  static func finding(_ group: Unmade, searches: [SearchStory]) -> String {
    let messages = PlainWords.count(group.count, name(group.type) == "response" ? "answer" : name(group.type))
    switch group.reason {
    case .late(let id):
      let search = searches.first { $0.id == id }
      let asked = search.map { " for \($0.target)" } ?? ""
      return "answered too late: \(messages) \(PlainWords.lateness(group.lateness)) after search \(id)\(asked) ended"
    case .wrongTarget(let asked, let answered):
      return "answered another target: asked for \(asked.joined(separator: ", ")), answered \(answered) (\(messages))"
    case .refused(let why):
      return "is refused: \(messages), \(why.rawValue)\(place(group)): \(StoryWords.why(why))"
    case .bound(let limit): return "is dropped by the bound '\(limit)' of the engine (\(messages))"
    case .nobodyAsked(let socket): return "answered \(socket), from where the capture shows no search (\(messages))"
    case .notHeard(let address):
      return "sent to \(address), which the host of this replay does not hear (\(messages))"
    case .byebyeOfNothing, .byebyeOvertaken: return "never announced: it said byebye (\(messages))"
    case .updateOfNothing: return "never announced: it sent ssdp:update (\(messages))"
    case .own: return "is on the engine's own host, which does not hear itself (\(messages))"
    case .otherSearch: return "only searched and announced nothing"
    }
  }

  /// Behind a number of frames.
  static let notLookedInto = "of links or tunnels in which no addresses are looked for"

  static func membership(_ presence: Presence, _ names: FrameNames) -> String {
    if presence.joins.count == 0 { return ", nor a join of the SSDP group" }
    return "; it joined the SSDP group (\(presence.joins.short(names))), so it may hear searches"
  }
}
