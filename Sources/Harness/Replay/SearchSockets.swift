import Conformance
import Primitives
import Wire

/// The sockets that a capture shows searching: where answers belong, and which copies of an M-SEARCH are one search.
struct SearchSockets {
  private struct Session {
    var id: SearchID
    var target: String
    var end: Instant
  }
  /// What one socket searches for, and what it searched for until the next search came.
  private struct Socket {
    var list: [Session] = []

    /// The open search for `target`, or a new one under the number `next`.
    mutating func search(_ target: String, end: Instant, at now: Instant, next: SearchID) -> SearchID {
      for index in list.indices where now < list[index].end && list[index].target == target {
        list[index].end = max(end, list[index].end)
        return list[index].id
      }
      list.removeAll { $0.end <= now }
      if list.count >= SearchSockets.sessionsMaximum { list.removeFirst() }
      list.append(Session(id: next, target: target, end: end))
      return next
    }
  }
  private var searchers: [Endpoint: Bool] = [:]
  private var sessions: [Endpoint: Socket] = [:]
  private var searchPorts: [Endpoint: Bool] = [:]
  private var count: UInt32 = 0
  /// A bit for each port that any of them has: nearly all traffic is on others.
  private var ports = [UInt64](repeating: 0, count: 1_024)
  /// A hostile capture may hold more sockets than a network has.
  static let socketsMaximum = 100_000
  /// Nor does one socket search for more at a time; beyond that the oldest is forgotten.
  private static let sessionsMaximum = 256

  private func isSearcher(_ endpoint: Endpoint) -> Bool { isKnown(endpoint.port) && searchers[endpoint] != nil }
  private func isSearchPort(_ endpoint: Endpoint) -> Bool { isKnown(endpoint.port) && searchPorts[endpoint] != nil }

  @inline(__always) private func isKnown(_ port: UInt16) -> Bool { ports[Int(port &>> 6)] &>> (port & 63) & 1 != 0 }
  private mutating func note(_ port: UInt16) { ports[Int(port &>> 6)] |= 1 &<< UInt64(port & 63) }

  /// Why a datagram between these endpoints may be discovery; `nil`: it is none.
  @inline(__always) func place(from source: Endpoint, to destination: Endpoint) -> Observation.Place? {
    if source.port == 1_900 || destination.port == 1_900 { return .port1900 }
    if isSearcher(destination) { return .searcher }
    return isSearchPort(destination) ? .searchPort : nil
  }

  /// Remembers what a judge's message tells of sockets.
  mutating func learn(_ heard: ClauseJudge.Heard, from source: Endpoint) {
    if heard.kind == .search { learnSearcher(source) }
    learnSearchPort(heard.searchPort, source)
  }

  /// Remembers SEARCHPORT.UPNP.ORG of a device: unicast searches go there instead of to 1900.
  mutating func learnSearchPort(_ message: SSDPMessage, _ source: Endpoint) {
    learnSearchPort(message.index.pointee.searchPort, source)
  }

  private mutating func learnSearchPort(_ port: Int32, _ source: Endpoint) {
    guard port > 0, port < 65_536, searchPorts.count < SearchSockets.socketsMaximum else { return }
    searchPorts[Endpoint(source.address, port: UInt16(port))] = true
    note(UInt16(port))
  }

  /// Remembers that a search left this socket, so that answers to it are known for what they are.
  private mutating func learnSearcher(_ source: Endpoint) {
    guard searchers.count < SearchSockets.socketsMaximum else { return }
    searchers[source] = true
    note(source.port)
  }

  /// A copy of a search left a socket: the session that it opens or goes on with.
  ///
  /// Copies with the same target from the same socket are one session while it is open; with `anyAddress` the socket
  /// is told by its port alone, since a host with several addresses sends one search from each.
  mutating func adopt(
    target: String, from source: Endpoint, to destination: Endpoint, maximumWaitSeconds: Int, at now: Instant,
    anyAddress: Bool
  ) -> Search {
    let socket = anyAddress ? Endpoint(IPAddress(v4: 0), port: source.port) : source
    let wait = min(max(1, maximumWaitSeconds), 120)
    let end = now + .seconds(Int64(wait)) + .milliseconds(100)
    if sessions.count > SearchSockets.socketsMaximum { sessions.removeAll() }
    let next = SearchID(count + 1)
    let id = sessions[socket, default: Socket()].search(target, end: end, at: now, next: next)
    if id == next { count += 1 }
    learnSearcher(source)
    let isUnicast = !destination.address.isMulticast && !destination.address.isBroadcast
    return Search(
      id: id, target: target, maximumWaitSeconds: wait, broadcasts: 1, host: isUnicast ? destination : nil)
  }
}
