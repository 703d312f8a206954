import RollcallPrimitives

/// What an engine made of one datagram, folded into a number to compare.
package struct Fate: Hashable {
  package var frame: Int
  /// Of the UUID, and of the device that it belongs to.
  package var uuid: UInt64
  package var device: UInt64
  package var code: UInt64

  package static func hash(_ text: String) -> UInt64 {
    var digest = Digest()
    digest.combine(text.lowercased())
    return digest.state
  }
}
