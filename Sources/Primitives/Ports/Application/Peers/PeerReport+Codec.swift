extension PeerReport {
  func fold(into digest: inout Digest) {
    digest.combine(42)
    digest.combine(device)
    digest.combine(peer)
    // Messages come by the thousand; all else is folded as its text.
    if case .message(let byteCount, let count, let total, let isReliable) = event {
      digest.combine(UInt64(truncatingIfNeeded: byteCount), UInt64(truncatingIfNeeded: count))
      digest.combine(UInt64(truncatingIfNeeded: total), isReliable ? 1 : 2)
      return
    }
    var words = WordWriter()
    words.name(name)
    event.write(to: &words)
    digest.combine(words.text)
  }

  func write(to words: inout WordWriter) {
    words.add("nearby")
    words.name(device)
    words.name(peer)
    words.name(name)
    event.write(to: &words)
  }

  /// From behind the word `nearby` on.
  init(from words: inout WordReader) throws(WordError) {
    device = try words.name("the name of a peer")
    peer = try words.name("the name of a peer")
    name = try words.name("what people call a peer")
    event = try Event(from: &words)
  }
}

extension PeerReport.Event {
  fileprivate func write(to words: inout WordWriter) {
    words.add(name)
    switch self {
    case .found(let info):
      words.add(info.count)
      for pair in info { words.name(pair) }
    case .lost, .invitationEnded, .connecting, .connected, .notConnected: break
    case .invited(let count): words.add(count.map { "\($0)" } ?? "-")
    case .message(let byteCount, let count, let total, let isReliable):
      for number in [byteCount, count, total] { words.add(number) }
      if !isReliable { words.add("unreliable") }
    case .disorder(let expected, let found):
      words.add(expected)
      words.add(found)
    case .streamEnded(let isIncoming, let byteCount, let ending), .fileEnded(let isIncoming, let byteCount, let ending):
      words.add(isIncoming ? "in" : "out")
      words.add(byteCount)
      words.add(ending.rawValue)
    case .refused(let what): words.add(what.rawValue)
    }
  }

  fileprivate init(from words: inout WordReader) throws(WordError) {
    let expected = "what a peer was told"
    switch try words.next(expected) {
    case "found":
      let count: UInt8 = try words.number("how many pairs there are")
      var info: [String] = []
      for _ in 0..<count { info.append(try words.name("a pair")) }
      self = .found(info: info)
    case "lost": self = .lost
    case "invited":
      self = .invited(contextByteCount: words.take("-") ? nil : try words.number("the bytes of a context"))
    case "invitationEnded": self = .invitationEnded
    case "connecting": self = .connecting
    case "connected": self = .connected
    case "notConnected": self = .notConnected
    case "message":
      let byteCount: Int = try words.number("bytes")
      let count: Int = try words.number("a count")
      let total: Int = try words.number("bytes")
      self = .message(byteCount: byteCount, count: count, total: total, isReliable: !words.take("unreliable"))
    case "disorder":
      let next: Int = try words.number("a number")
      self = .disorder(expected: next, found: try words.number("a number"))
    case "streamEnded":
      let (isIncoming, byteCount, ending) = try words.channel()
      self = .streamEnded(isIncoming: isIncoming, byteCount: byteCount, ending)
    case "fileEnded":
      let (isIncoming, byteCount, ending) = try words.channel()
      self = .fileEnded(isIncoming: isIncoming, byteCount: byteCount, ending)
    case "refused": self = .refused(try words.value(PeerReport.Refusal.self, "what cannot be done"))
    default: throw words.error(expected)
    }
  }
}

extension WordReader {
  fileprivate mutating func channel() throws(WordError) -> (Bool, Int, PeerReport.Ending) {
    let isIncoming = take("in")
    if !isIncoming { try word("out") }
    let byteCount: Int = try number("bytes")
    return (isIncoming, byteCount, try value(PeerReport.Ending.self, "how it ended"))
  }
}
