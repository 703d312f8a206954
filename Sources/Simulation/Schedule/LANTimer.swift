package import RollcallPrimitives

/// What happens between hosts and switches.
package enum LANTimer {
  /// A membership message reaches the switch.
  case membership(port: Int, message: [UInt8], source: IPAddress, destination: IPAddress)
  /// A host reports its membership, because it was asked or to be sure.
  case report(port: Int, group: IPAddress)
  /// The querier of a segment asks.
  case query(segment: Int, generation: Int)
}
