import RollcallPrimitives

// Of ten thousand hosts none is in a cache when its turn comes: an event waits for its host, its links, its machine and
// what that keeps elsewhere, one after the other. Reads that do not depend on each other wait at the same time.
extension World {
  /// Reads a word of each place that the events of the new bucket will need. Changes nothing.
  @inline(never) mutating func prefetch() {
    var sum: UInt64 = 0
    schedule.showNewBucket(
      wake: { host in sum ^= network.prefetch(host: host) ^ prefetchMachine(of: host) },
      arrival: { arrival in sum ^= prefetchMachine(of: network.host(ofArrival: arrival)) })
    prefetched = sum
  }

  @inline(__always) private mutating func prefetchMachine(of host: Int) -> UInt64 {
    let place = machines.places[host]
    let pool = machines.pools + Int(place.pool)
    return pool.pointee.calls.prefetch(pool.pointee.memory, Int(place.index)) ^ UInt64(bitPattern: wakes[host])
  }
}

extension VirtualNetwork {
  /// What a host needs in order to send.
  @inline(__always) func prefetch(host: Int) -> UInt64 {
    let port = Int(hosts[host].firstPort)
    return port < ports.count ? ports[port].outbound.linkKey ^ UInt64(UInt32(bitPattern: ports[port].segment)) : 0
  }

  @inline(__always) func host(ofArrival index: Int) -> Int { Int(ports[Int(arrivals[index].port)].host) }
}
