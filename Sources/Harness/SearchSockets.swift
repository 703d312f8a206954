import Primitives
import Wire

/// The sockets that a capture shows searching: where answers belong, and which copies of an M-SEARCH are one search.
struct SearchSockets {
  private struct Key: Hashable {
    var source: Endpoint
    var target: String
  }
  private struct Session {
    var id: SearchID
    var end: Instant
  }
  private var searchers: [Endpoint: Bool] = [:]
  private var sessions: [Key: Session] = [:]
  private var searchPorts: [Endpoint: Bool] = [:]
  private var count: UInt32 = 0
  /// A hostile capture may hold more sockets than a network has.
  private static let socketsMaximum = 100_000

  func isSearcher(_ endpoint: Endpoint) -> Bool { searchers[endpoint] != nil }
  func isSearchPort(_ endpoint: Endpoint) -> Bool { searchPorts[endpoint] != nil }

  /// Remembers SEARCHPORT.UPNP.ORG of a device: unicast searches go there instead of to 1900.
  mutating func learnSearchPort(_ message: SSDPMessage, _ source: Endpoint) {
    let port = message.index.pointee.searchPort
    guard port > 0, port < 65_536, searchPorts.count < SearchSockets.socketsMaximum else { return }
    searchPorts[Endpoint(source.address, port: UInt16(port))] = true
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
    let key = Key(source: socket, target: target)
    let wait = min(max(1, maximumWaitSeconds), 120)
    let end = now + .seconds(Int64(wait)) + .milliseconds(100)
    let id: SearchID
    if let open = sessions[key], now < open.end {
      id = open.id
      sessions[key] = Session(id: id, end: max(open.end, end))
    } else {
      if sessions.count > SearchSockets.socketsMaximum { sessions.removeAll() }
      count += 1
      id = SearchID(count)
      sessions[key] = Session(id: id, end: end)
    }
    if searchers.count < SearchSockets.socketsMaximum { searchers[source] = true }
    let isUnicast = !destination.address.isMulticast && !destination.address.isBroadcast
    return Search(
      id: id, target: target, maximumWaitSeconds: wait, broadcasts: 1, host: isUnicast ? destination : nil)
  }
}
