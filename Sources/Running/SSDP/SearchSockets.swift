package import RollcallConformance
import Foundation
package import RollcallPrimitives
package import RollcallWire

/// The sockets that a capture shows searching: where answers belong, and which copies of an M-SEARCH are one search.
package struct SearchSockets {
  private let socketsMaximum: Int

  /// - Parameter socketsMaximum: how many sockets and ports are remembered.
  package init(socketsMaximum: Int = SearchSockets.socketsMaximum) { self.socketsMaximum = socketsMaximum }

  private struct Session {
    var id: SearchID
    var target: String
    /// Bytes of the target: what a comparison begins with.
    var targetCount: Int
    var end: Instant
  }
  /// What one socket searches for, and what it searched for until the next search came.
  private struct Socket {
    var list: [Session] = []

    /// The open search for `target`, or a new one under the number `next`.
    mutating func search(_ target: SearchedTarget, end: Instant, at now: Instant, next: SearchID) -> (SearchID, String)
    {
      for index in list.indices
      where now < list[index].end && target.mayBe(list[index].targetCount) && target.isSame(list[index].target) {
        list[index].end = max(end, list[index].end)
        return (list[index].id, list[index].target)
      }
      list.removeAll { $0.end <= now }
      if list.count >= SearchSockets.sessionsMaximum { list.removeFirst() }
      let text = target.text
      list.append(Session(id: next, target: text, targetCount: text.utf8.count, end: end))
      return (next, text)
    }
  }
  private var searchers = EndpointTable()
  private var sessions = EndpointTable()
  /// Beside `sessions`, by its numbers.
  private var sockets: [Socket] = []
  private var searchPorts = EndpointTable()
  private var count: UInt32 = 0
  /// A bit for each port that any of them has: nearly all traffic is on others.
  private var ports = [UInt64](repeating: 0, count: 1_024)
  /// A hostile capture may hold more sockets than a network has.
  package static let socketsMaximum = 100_000
  /// Nor does one socket search for more at a time; beyond that the oldest is forgotten.
  private static let sessionsMaximum = 256

  private func isSearcher(_ endpoint: Endpoint) -> Bool { isKnown(endpoint.port) && searchers.find(endpoint) != nil }
  private func isSearchPort(_ endpoint: Endpoint) -> Bool {
    isKnown(endpoint.port) && searchPorts.find(endpoint) != nil
  }

  @inline(__always) private func isKnown(_ port: UInt16) -> Bool { ports[Int(port &>> 6)] &>> (port & 63) & 1 != 0 }
  private mutating func note(_ port: UInt16) { ports[Int(port &>> 6)] |= 1 &<< UInt64(port & 63) }

  /// Why a datagram between these endpoints may be discovery; `nil`: it is none.
  @inline(__always) package func place(from source: Endpoint, to destination: Endpoint) -> Observation.Place? {
    if source.port == 1_900 || destination.port == 1_900 { return .port1900 }
    if isSearcher(destination) { return .searcher }
    return isSearchPort(destination) ? .searchPort : nil
  }

  /// Remembers what a judge's message tells of sockets.
  package mutating func learn(_ heard: JudgedMessage, from source: Endpoint) {
    if heard.kind == .search { learnSearcher(source) }
    learnSearchPort(heard.searchPort, source)
  }

  /// Remembers SEARCHPORT.UPNP.ORG of a device: unicast searches go there instead of to 1900.
  package mutating func learnSearchPort(_ message: SSDPMessage, _ source: Endpoint) {
    learnSearchPort(message.index.pointee.searchPort, source)
  }

  private mutating func learnSearchPort(_ port: Int32, _ source: Endpoint) {
    guard port > 0, port < 65_536, searchPorts.count < socketsMaximum else { return }
    searchPorts.insert(Endpoint(source.address, port: UInt16(port)))
    note(UInt16(port))
  }

  /// Remembers that a search left this socket, so that answers to it are known for what they are.
  package mutating func learnSearcher(_ source: Endpoint) {
    guard searchers.count < socketsMaximum else { return }
    searchers.insert(source)
    note(source.port)
  }

  /// A copy of a search left a socket: the session that it opens or goes on with.
  ///
  /// Copies with the same target from the same socket are one session while it is open; with `anyAddress` the socket
  /// is told by its port alone, since a host with several addresses sends one search from each.
  package mutating func adopt(
    target: UnsafeRawBufferPointer, from source: Endpoint, to destination: Endpoint, maximumWaitSeconds: Int,
    at now: Instant,
    anyAddress: Bool
  ) -> Search {
    let socket = anyAddress ? Endpoint(IPAddress(v4: 0), port: source.port) : source
    let wait = Search.capturedWaitSeconds(maximumWaitSeconds)
    let end = now + Search.listening(waitSeconds: wait)
    if sessions.count > socketsMaximum { (sessions, sockets) = (EndpointTable(), []) }
    let next = SearchID(count + 1)
    let number = sessions.insert(socket)
    if number == sockets.count { sockets.append(Socket()) }
    let (id, text) = sockets[number].search(SearchedTarget(bytes: target), end: end, at: now, next: next)
    if id == next { count += 1 }
    learnSearcher(source)
    let isUnicast = !destination.address.isMulticast && !destination.address.isBroadcast
    return Search(
      id: id, target: text, maximumWaitSeconds: wait, broadcasts: 1, host: isUnicast ? destination : nil)
  }
}

/// The target of a captured search as the message has it; most were heard before, and need no text of their own.
private struct SearchedTarget {
  package let bytes: UnsafeRawBufferPointer
  /// ASCII alone.
  private let isPlain: Bool

  package init(bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    var all: UInt8 = 0
    for byte in bytes { all |= byte }
    isPlain = all < 0x80
  }

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Whether a text of so many bytes may be the same: bytes that are no UTF-8 become more of them.
  @inline(__always) package func mayBe(_ count: Int) -> Bool { count == bytes.count || !isPlain }

  package func isSame(_ other: String) -> Bool {
    if other.utf8.count == bytes.count {
      let isEqual = other.utf8.withContiguousStorageIfAvailable { text in
        guard let left = text.baseAddress, let right = bytes.baseAddress else { return true }
        return memcmp(left, right, bytes.count) == 0
      }
      if isEqual == true { return true }
    }
    // Bytes that are no UTF-8 stand as something else in the text.
    return !isPlain && text == other
  }
}
