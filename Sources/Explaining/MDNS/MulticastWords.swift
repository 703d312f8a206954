import RollcallPrimitives
import RollcallReporting
import RollcallWire

/// The sentences of a message of multicast DNS.
enum MulticastWords {
  /// Records that one message names; the others are counted.
  static let recordsNamedMaximum = 16
  private static let stringsBytesMaximum = 120

  /// One plain sentence or two, without the sender.
  static func text(_ story: MulticastStory, _ names: FrameNames = FrameNames()) -> String {
    switch story.what {
    case .query(let query): text(query, story, names)
    case .response(let response): text(response, story, names)
    case .ignored(let why): "ignored: " + text(why, story)
    }
  }

  // MARK: - Queries

  private static func text(_ query: MulticastQuery, _ story: MulticastStory, _ names: FrameNames) -> String {
    let asked = list(query.questions.map(text))
    var text: String
    if !query.proposed.isEmpty {
      text = "probes for \(list(unique(query.questions.map(\.name.description)))) with "
      let rest = query.proposed.count - recordsNamedMaximum
      text +=
        query.isSameData
        ? "the same data" : list(query.proposed.prefix(recordsNamedMaximum).map { self.text($0) })
      if !query.isSameData, rest > 0 { text += ", and \(PlainWords.count(rest, "record")) more" }
    } else if query.questions.isEmpty {
      text = query.again.map { "goes on with known answers of frame \(names.text($0.frame))" } ?? "asks nothing"
    } else {
      text = (query.isLegacy ? "asks as a plain DNS client for " : "asks for ") + asked
    }
    if story.isUnicast { text += ", of \(story.destination.address) alone" }
    if let again = query.again, !query.questions.isEmpty {
      text += ", again after \(PlainWords.duration(again.gap)) (frame \(names.text(again.frame)))"
    }
    if query.knownCount > 0 { text += "; knows \(PlainWords.count(query.knownCount, "answer"))" }
    if query.isTruncated { text += "; more known answers follow" }
    guard let tie = query.tie else { return text }
    text += ". \(tie.other) probes for it at the same time (frame \(names.text(tie.frame)))"
    return switch tie.winner {
    case .sender: text + ", with data that is earlier: this one keeps the name"
    case .other: text + ", with data that is later: the other keeps the name"
    case .both: text + ", with the same data, which is no conflict"
    }
  }

  static func text(_ question: DNSQuestion) -> String {
    "\(question.type) \(question.name)\(question.wantsUnicast ? " (QU)" : "")"
  }

  // MARK: - Responses

  private static func text(_ response: MulticastResponse, _ story: MulticastStory, _ names: FrameNames) -> String {
    var text = self.text(response.role, story, names)
    var named = 0
    // Records with the same to say stand together, in the order in which each such thing comes up.
    for group in groups(response.records) {
      let shown = group.prefix(recordsNamedMaximum - named)
      named += shown.count
      guard let first = group.first, !shown.isEmpty else { continue }
      let isTold = if case .goodbye = response.role { true } else { false }
      let head = self.text(first.said, group, isGoodbye: isTold, names)
      text +=
        (text.hasSuffix(":") ? " " : "; ") + head
        + (head.isEmpty ? "" : ": ") + list(shown.map { self.text($0.record, withTTL: first.said.showsTTL) })
    }
    let rest = response.records.count - named + response.uncountedCount
    if rest > 0 { text += ", and \(PlainWords.count(rest, "record")) more" }
    if response.records.isEmpty { text += " nothing" }
    if let fault = response.faults.first {
      text += ". Left out: \(fault)"
      if response.faults.count > 1 { text += ", and \(response.faults.count - 1) more" }
    }
    return text
  }

  private static func text(
    _ role: MulticastResponse.Role, _ story: MulticastStory, _ names: FrameNames
  ) -> String {
    func place(_ earlier: MulticastEarlier) -> String { "frame \(names.text(earlier.frame))" }
    func after(_ earlier: MulticastEarlier) -> String { "after \(PlainWords.duration(earlier.gap))" }
    let way = story.isUnicast ? ", to \(story.destination) alone" : ""
    switch role {
    case .answer(let query): return "answers \(place(query)) \(after(query))\(way):"
    case .defence(let probe): return "answers the probe of \(place(probe)) \(after(probe)), the name is taken\(way):"
    case .announcement(let probe):
      return "announces, \(PlainWords.duration(probe.gap)) after its last probe (\(place(probe))):"
    case .announcedAgain(let first): return "announces again, \(PlainWords.duration(first.gap)) after \(place(first)):"
    case .goodbye: return "says goodbye\(way):"
    case .unasked: return "says unasked\(way):"
    }
  }

  private static func groups(_ records: [MulticastRecord]) -> [[MulticastRecord]] {
    var groups: [[MulticastRecord]] = []
    for record in records {
      if let place = groups.firstIndex(where: { isAlike($0[0].said, record.said) }) {
        groups[place].append(record)
      } else {
        groups.append([record])
      }
    }
    return groups
  }

  private static func isAlike(_ left: MulticastRecord.Said, _ right: MulticastRecord.Said) -> Bool {
    switch (left, right) {
    case (.again(let one, _, let seconds), .again(let other, _, let others)): one == other && seconds == others
    case (.returned(let one, _), .returned(let other, _)): one == other
    case (.afterGoodbye(let one, let end, _), .afterGoodbye(let other, let otherEnd, _)):
      one == other && end == otherEnd
    default: left == right
    }
  }

  private static func text(
    _ said: MulticastRecord.Said, _ group: [MulticastRecord], isGoodbye: Bool, _ names: FrameNames
  ) -> String {
    switch said {
    case .new: return "new"
    case .same(let frame): return "the same as frame \(names.text(frame))"
    case .twice: return "once more in this message"
    case .again(let frame, let left, let seconds):
      return "as in frame \(names.text(frame)), with \(PlainWords.duration(left)) of \(seconds) s left"
    case .returned(let frame, let ago):
      return "as in frame \(names.text(frame)), which was over for \(PlainWords.duration(ago))"
    case .afterGoodbye(let frame, let goodbye, let ago):
      return "as in frame \(names.text(frame)), which the goodbye of frame \(names.text(goodbye)) ended "
        + "\(PlainWords.duration(ago)) before"
    case .changed(let frame): return "other data than in frame \(names.text(frame))"
    case .conflicting(let frame, let other): return "in conflict with \(other) (frame \(names.text(frame)))"
    case .ended(let frame): return "ends what frame \(names.text(frame)) said"
    case .endedUnknown: return isGoodbye ? "ends what nobody said here" : "TTL 0 for what nobody said here"
    }
  }

  // MARK: - Ignored

  private static func text(_ why: MulticastIgnored, _ story: MulticastStory) -> String {
    switch why {
    case .malformed(let fault): "no DNS message, \(fault)"
    case .cut: "the capture holds a part of it only"
    case .opcode(let number): "opcode \(number), and multicast DNS has only 0"
    case .responseCode(let number): "response code \(number), and multicast DNS has only 0"
    case .responseFromPort(let port): "a response from port \(port), and not from 5353"
    case .notHeard: "it went to \(story.destination.address), so the host of this replay did not hear it"
    }
  }

  // MARK: - Records

  /// `PTR _ipp._tcp.local → Office._ipp._tcp.local (4500 s)`; `flush`: with the cache-flush bit.
  static func text(_ record: DNSRecord, withTTL: Bool = false) -> String {
    var text = "\(record.type) \(record.name)"
    switch record.data {
    case .address(let address): text += " → \(address)"
    case .ptr(let target), .cname(let target): text += " → \(target)"
    case .srv(_, _, let port, let target): text += " → \(target):\(port)"
    case .txt(let bytes): text += " " + strings(bytes)
    case .nsec(_, let types): text += " only " + types.map(\.description).joined(separator: " ")
    case .opt, .other: text += ", \(PlainWords.count(record.data.bytes.count, "byte"))"
    }
    return withTTL ? text + " (\(record.ttlSeconds) s\(record.isCacheFlush ? ", flush" : ""))" : text
  }

  /// The strings of a TXT record in quotes, as far as there is room for them.
  private static func strings(_ bytes: [UInt8]) -> String {
    var (shown, rest, size) = ([String](), bytes[...], 0)
    while let count = rest.popFirst() {
      let string = rest.prefix(Int(count))
      rest = rest.dropFirst(Int(count))
      size += string.count
      if size > stringsBytesMaximum {
        shown.append("… (\(PlainWords.count(bytes.count, "byte")))")
        break
      }
      if !string.isEmpty { shown.append("\"\(String(decoding: string, as: UTF8.self))\"") }
    }
    return shown.isEmpty ? "without strings" : shown.joined(separator: " ")
  }

  private static func list(_ items: [String]) -> String { items.joined(separator: ", ") }

  private static func unique(_ items: [String]) -> [String] {
    var found: [String] = []
    for item in items where !found.contains(item) { found.append(item) }
    return found
  }
}

extension MulticastRecord.Said {
  /// Whether its TTL is worth a word: that of a goodbye is 0, and of what is said again the words before tell it.
  fileprivate var showsTTL: Bool {
    switch self {
    case .new, .changed, .conflicting, .returned, .afterGoodbye: true
    case .same, .twice, .again, .ended, .endedUnknown: false
    }
  }
}
