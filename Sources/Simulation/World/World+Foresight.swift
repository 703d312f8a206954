import RollcallPrimitives

// Of ten thousand hosts none is in a cache when its turn comes, and an event waits for its host, its links, its machine
// and what that keeps elsewhere, one after the other. The memory answers many questions at a time.
extension World {
  /// Touches what the events that come next will need, all of it at once. Changes nothing.
  @inline(never) mutating func foresee() {
    var sum: UInt64 = 0
    schedule.foresee(
      wake: { host in sum ^= network.touch(host: host) ^ touch(host) },
      arrival: { arrival in sum ^= touch(network.host(ofArrival: arrival)) })
    foreseen = sum
  }

  @inline(__always) private mutating func touch(_ host: Int) -> UInt64 {
    let place = machines.places[host]
    let pool = machines.pools + Int(place.pool)
    return pool.pointee.calls.touch(pool.pointee.memory, Int(place.index)) ^ UInt64(bitPattern: wakes[host])
  }
}

extension VirtualNetwork {
  /// What a host needs in order to send.
  @inline(__always) func touch(host: Int) -> UInt64 {
    let port = Int(hosts[host].firstPort)
    return port < ports.count ? ports[port].outbound.linkKey ^ UInt64(UInt32(bitPattern: ports[port].segment)) : 0
  }

  @inline(__always) func host(ofArrival index: Int) -> Int { Int(ports[Int(arrivals[index].port)].host) }
}
