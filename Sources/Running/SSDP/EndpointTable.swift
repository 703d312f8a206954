import RollcallPrimitives

/// Endpoints, each under the number that it got when it was first put in: 0, 1, 2, …
///
/// A capture of discovery asks for one at nearly every datagram, so this is a table of plain words instead of a
/// dictionary, whose hash alone costs more than all of it.
struct EndpointTable {
  private var endpoints: [Endpoint] = []
  /// The number of the endpoint + 1 at the place that its hash gives or behind it; 0: free.
  private var places: [Int32] = []

  var count: Int { endpoints.count }

  /// The number of an endpoint; `nil` if it was not put in.
  func find(_ endpoint: Endpoint) -> Int? {
    if places.isEmpty { return nil }
    let mask = places.count &- 1
    var place = EndpointTable.hash(endpoint) & mask
    while places[place] != 0 {
      let number = Int(places[place] &- 1)
      if endpoints[number] == endpoint { return number }
      place = (place &+ 1) & mask
    }
    return nil
  }

  /// The number of an endpoint, put in if it was not there.
  @discardableResult mutating func insert(_ endpoint: Endpoint) -> Int {
    if let number = find(endpoint) { return number }
    endpoints.append(endpoint)
    if endpoints.count &* 2 > places.count { grow() } else { put(Int32(truncatingIfNeeded: endpoints.count)) }
    return endpoints.count &- 1
  }

  private mutating func put(_ entry: Int32) {
    let mask = places.count &- 1
    var place = EndpointTable.hash(endpoints[Int(entry &- 1)]) & mask
    while places[place] != 0 { place = (place &+ 1) & mask }
    places[place] = entry
  }

  private mutating func grow() {
    places = [Int32](repeating: 0, count: max(64, places.count * 2))
    for number in endpoints.indices { put(Int32(truncatingIfNeeded: number &+ 1)) }
  }

  private static func hash(_ endpoint: Endpoint) -> Int {
    let address = endpoint.address
    let mixed = Digest.fold(
      address.low ^ UInt64(endpoint.port) &<< 48 ^ 0xA076_1D64_78BD_642F, address.high ^ 0xE703_7ED1_A0B4_28DB)
    return Int(truncatingIfNeeded: mixed ^ mixed &>> 32) & Int(Int32.max)
  }
}
