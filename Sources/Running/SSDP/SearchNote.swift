package import RollcallPrimitives
package import RollcallTrace

/// The comment on a frame with an M-SEARCH of the engine: which search it belongs to, and how long that listens.
///
/// The wire shows neither: a unicast search has no MX, and a capture does not know what an application calls a search.
package struct SearchNote: Hashable {
  package var id: SearchID
  package var waitSeconds: Int

  package init(_ search: Search) { (id, waitSeconds) = (search.id, search.maximumWaitSeconds) }

  package init?(comment: String) {
    let words = comment.split(separator: " ")
    guard words.count == 5, words[0] == "rollcall", words[1] == "search:", words[3] == "wait",
      let number = UInt32(digits: words[2]), words[4].hasSuffix("s"), let wait = Int(digits: words[4].dropLast())
    else { return nil }
    (id, waitSeconds) = (SearchID(number), wait)
  }

  package var comment: String { "rollcall search: \(id.number) wait \(waitSeconds)s" }
}

/// Which search of an engine a datagram that it sent belongs to: ports are given out in the order of the searches.
package struct SentSearches {
  private var commanded: [Search] = []
  private var ports: [UInt16: Search] = [:]

  /// Follows the trace of the engine, entry by entry.
  package mutating func take(_ entry: TraceEntry) {
    switch entry.content {
    case .signal(.application(.search(let search))): commanded.append(search)
    case .sent(let datagram) where ports[datagram.source.port] == nil:
      // The first datagram from a new port is the first copy of the search that was asked for last, unless it is one that
      // the manager made itself, or no search.
      if let search = commanded.last, SentSearches.asks(datagram.bytes, for: search.target) {
        ports[datagram.source.port] = search
      }
    default: break
    }
  }

  /// Whether a message that this engine wrote asks for this, as far as it says what it asks for.
  private static func asks(_ message: [UInt8], for target: String) -> Bool {
    let name = Array("\r\nST: ".utf8)
    guard message.count >= name.count,
      let start = (0...message.count - name.count).first(where: {
        message[$0] == name[0] && message[$0..<$0 + name.count].elementsEqual(name)
      })
    else { return true }
    return message[(start + name.count)...].prefix { $0 != 13 }.elementsEqual(target.utf8)
  }

  package func search(of datagram: RecordedDatagram) -> Search? { ports[datagram.source.port] }
}
