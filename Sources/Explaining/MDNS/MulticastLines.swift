import RollcallPrimitives
import RollcallReporting
import RollcallWire

/// A message of multicast DNS as a JSON line: `{"kind":"story","about":"multicast",…}`.
enum MulticastLines {
  static func add(_ one: MulticastStory, _ names: FrameNames, to line: inout JSONLine) {
    line.add("source", one.source.description)
    line.add("destination", one.destination.description)
    line.add("message", one.name)
    switch one.what {
    case .query(let query): add(query, names, to: &line)
    case .response(let response): add(response, names, to: &line)
    case .ignored(let why):
      line.add("reason", why.name)
      if case .malformed(let fault) = why { line.add("offset", fault.offset) }
    }
    line.add("text", MulticastWords.text(one, names))
  }

  private static func add(_ query: MulticastQuery, _ names: FrameNames, to line: inout JSONLine) {
    line.add("questions", query.questions.map(MulticastWords.text))
    line.add("known", query.knownCount)
    if !query.proposed.isEmpty { line.add("proposed", query.proposed.map { MulticastWords.text($0) }) }
    if query.isTruncated { line.add("truncated", true) }
    if query.isLegacy { line.add("legacy", true) }
    if let again = query.again { add("again", again, names, to: &line) }
    guard let tie = query.tie else { return }
    line.add("tieWith", tie.other.description)
    add("tieFrame", "tieFile", tie.frame, names, to: &line)
    line.add("keeps", tie.winner.rawValue)
  }

  private static func add(_ response: MulticastResponse, _ names: FrameNames, to line: inout JSONLine) {
    switch response.role {
    case .answer(let earlier): add("answer", earlier, names, to: &line)
    case .defence(let earlier): add("defence", earlier, names, to: &line)
    case .announcement(let earlier): add("announcement", earlier, names, to: &line)
    case .announcedAgain(let earlier): add("announcedAgain", earlier, names, to: &line)
    case .goodbye: line.add("role", "goodbye")
    case .unasked: line.add("role", "unasked")
    }
    let objects = response.records.enumerated().map { place, one -> String in
      var object = JSONLine()
      object.add("record", MulticastWords.text(one.record))
      object.add("section", place < response.answerCount ? "answer" : "additional")
      object.add("ttl", Int(one.record.ttlSeconds))
      object.add("flush", one.record.isCacheFlush)
      object.add("said", one.said.name)
      if let frame = one.said.frame { add("frame", "file", frame, names, to: &object) }
      switch one.said {
      case .again(_, let left, _): object.add("left", left.decimal)
      case .returned(_, let ago): object.add("overFor", ago.decimal)
      case .afterGoodbye(_, let goodbye, let ago):
        add("goodbyeFrame", "goodbyeFile", goodbye, names, to: &object)
        object.add("overFor", ago.decimal)
      case .conflicting(_, let other): object.add("other", other.description)
      default: break
      }
      return object.closed
    }
    line.add("records", raw: "[" + objects.joined(separator: ",") + "]")
    if response.uncountedCount > 0 { line.add("recordsUnlisted", response.uncountedCount) }
    if !response.faults.isEmpty { line.add("faults", response.faults.map(\.description)) }
  }

  private static func add(
    _ role: String, _ earlier: MulticastEarlier, _ names: FrameNames, to line: inout JSONLine
  ) {
    line.add("role", role)
    add("earlierFrame", "earlierFile", earlier.frame, names, to: &line)
    line.add("after", earlier.gap.decimal)
  }

  /// The number of a frame, and its file where a story is of several.
  private static func add(
    _ key: StaticString, _ fileKey: StaticString, _ frame: Int, _ names: FrameNames, to line: inout JSONLine
  ) {
    line.add(key, FrameNames.frame(of: frame))
    if let file = names.file(of: frame) { line.add(fileKey, file) }
  }
}
